//! Which links have rows in the table `links`, and in which intervals.

use crate::support::{go, numbers, table};
use faircast_scenario::tables::Values;
use std::collections::BTreeMap;

/// A flow from 3 to 6 s over two links, and links that nobody uses.
const TEXT: &str = r#"
format = 1
name = "rows"
duration = "9 s"
warmup = "0 s"
nodes = { a = {}, b = {}, c = {}, d = {} }
TOP

[links.ab]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "10 ms"

[links.bc]
from = "b"
to = "c"
rate = "1 Mbit/s"
delay = "10 ms"

[links.spare]
from = "c"
to = "d"
rate = "1 Mbit/s"
delay = "10 ms"

[flows.load]
kind = "cbr"
rate = "80 kbit/s"
packet_size = "1000 B"
from = "a"
to = "c"
start = "2.5 s"
stop = "5.75 s"
"#;

/// The ends of the intervals of which each link has a row, and the packets that came to it in them.
fn rows(text: &str) -> BTreeMap<String, Vec<(f64, i64)>> {
    let output = go(text);
    let links = table(&output, "links");
    let (Some(Values::Words(names)), Some(Values::Integer(arrived))) = (links.get("link"), links.get("arrived_pkts"))
    else {
        panic!("columns are of other kinds");
    };
    let mut rows: BTreeMap<String, Vec<(f64, i64)>> = BTreeMap::new();
    for ((code, at), arrived) in names.codes.iter().zip(numbers(links, "t_s")).zip(arrived) {
        rows.entry(names.dictionary[*code as usize].clone()).or_default().push((*at, *arrived));
    }
    rows
}

#[test]
fn links_that_are_never_used_have_no_rows_and_all_others_have_all() {
    let found = rows(&TEXT.replace("TOP", ""));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["ab", "bc"]);
    // Ten packets a second, from 2.5 to 5.75 s; what comes at the end of an interval is of that one.
    let expected = [0, 0, 6, 10, 10, 7, 0, 0, 0];
    let expected: Vec<(f64, i64)> = (1..10).map(f64::from).zip(expected).collect();
    assert_eq!(found["ab"], expected);
    assert_eq!(found["bc"].iter().map(|(_, arrived)| arrived).sum::<i64>(), 33);
    assert_eq!(found["bc"].len(), 9);
}

#[test]
fn where_routes_change_there_is_a_row_when_something_has_happened() {
    let found = rows(&TEXT.replace("TOP", "reroute_interval = \"1 s\""));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["ab", "bc"]);
    let expected = [(3.0, 6), (4.0, 10), (5.0, 10), (6.0, 7)];
    assert_eq!(found["ab"], expected);
}
