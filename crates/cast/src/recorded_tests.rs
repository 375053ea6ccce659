//! Sessions as hosts write them down, kept in `tests/sessions` for whoever reads them: the Python package's verbs.

use crate::journal::Journal;
use crate::results::{JOURNAL, SENDER};
use crate::testing::written::{Endless, Written, records};
use crate::testing::{AHEAD, Folder, agreed, begin, cloud, go_on};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_wire::record::receiver_name;
use faircast_wire::testing::Turns;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What is kept: a session of TFMCC of which two receivers lose packets, and one of layers of which they hold two and
/// three, by links of their own. Long delays and low rates make small files.
const SESSIONS: [(&str, &str, u64); 2] = [
    ("tfmcc", "--open", 16),
    ("rlm", "--open --scheme rlm --set rates=[\"100kbit/s\",\"100kbit/s\",\"200kbit/s\",\"400kbit/s\"]", 60),
];
const WRITES: &str = "FAIRCAST_WRITE_SESSIONS";

/// The records of each end of a session of so many seconds.
fn ends(name: &str, options: &str, seconds: u64) -> Vec<(String, Vec<Value>)> {
    let (agreed, folder) = (agreed(options, "4Mbit/s"), Folder::new(&format!("recorded-{name}")));
    let cloud = cloud(&agreed, 3, 1);
    {
        let mut cloud = cloud.borrow_mut();
        cloud.delay = Duration::from_millis(125);
        for (host, (loss, bps)) in cloud.hosts[1..].iter_mut().zip([(0.01, 300_000), (0.03, 600_000)]) {
            host.loss = loss;
            host.link = (name == "rlm").then_some((Rate(bps), 20));
        }
    }
    let who = [SENDER.to_owned(), receiver_name(1), receiver_name(2)];
    let source = agreed.session.source(9, agreed.groups, Endless::default()).unwrap();
    let mut source = Written::new(source, &agreed, SENDER, &folder);
    let mut members = [1, 2].map(|id| {
        let member = agreed.session.member(id, agreed.groups, None, Endless::default()).unwrap();
        Written::new(member, &agreed, &who[id as usize], &folder)
    });
    let [one, two] = &mut members;
    let mut turns: [(&mut dyn Turns, usize); 3] = [(one, 1), (two, 2), (&mut source, 0)];
    begin(&cloud, &mut turns);
    let until = Duration::from_secs(seconds) + Duration::from_millis(400);
    go_on(&cloud, until.as_secs_f64(), &mut turns);
    source.end(Instant::ZERO + AHEAD + until);
    members.into_iter().for_each(|member| member.end(Instant::ZERO + AHEAD + until));
    who.into_iter()
        .map(|who| {
            let mut records = records(&folder.path().join(&who));
            records[0]["host"] = json!("earth");
            (who, records)
        })
        .collect()
}

/// What the first record says of columns, and the words in a column of events.
fn form(records: &[Value]) -> (Value, Vec<String>) {
    let columns = records[0]["columns"]["events"].as_array().unwrap();
    let place = columns.iter().position(|column| column[0] == "event").unwrap();
    let kinds = records.iter().filter_map(|record| record["tables"]["events"][place].as_array()).flatten();
    let mut kinds: Vec<String> = kinds.map(|kind| kind.as_str().unwrap().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    (records[0]["columns"].clone(), kinds)
}

/// Numbers may change with the protocols; what readers find them by may not, unless the files are written again.
#[test]
fn the_sessions_that_are_kept_have_the_form_of_those_that_are_written() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sessions");
    for (name, options, seconds) in SESSIONS {
        for (who, written) in ends(name, options, seconds) {
            let folder = kept.join(name).join(&who);
            if std::env::var_os(WRITES).is_some() {
                fs::create_dir_all(&folder).unwrap();
                let _ = fs::remove_file(folder.join(JOURNAL));
                let (mut journal, _) = Journal::open(&folder.join(JOURNAL), 1 << 20).unwrap();
                written.iter().for_each(|record| journal.append(record).unwrap());
            }
            let again = format!("run\n  {WRITES}=1 cargo test -p faircast-cast --lib recorded");
            assert_eq!(form(&records(&folder)), form(&written), "{name}, {who} is not as it would be written: {again}");
        }
    }
}
