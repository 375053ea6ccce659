//! What proxies that split TCP hold, and for how long they held others back.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use faircast_proto::time::Duration;
use faircast_sim::relays::{RelayRow, SplitOf};
use faircast_tables::table::Table;
use std::collections::BTreeMap;

/// The proxies at one place of a flow's way, or of web traffic, at the end of an interval.
pub(crate) struct ProxyInterval {
    row: RelayRow,
    /// Which of those that are split.
    split: u32,
    /// What had been counted by the end of the interval before.
    held_back_before: Duration,
}

impl Row for ProxyInterval {
    const TABLE: &'static str = "proxies";
    const RECORD: usize = size_of::<RelayRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("flow", "of which flow or entry of web traffic", |of| &of.split, |row| row.split),
            integer("place", "which of its `pep.at`, from 0", |row| i64::from(row.row.place)),
            integer("held_pkts", "segments in the buffer there, of web traffic in those of all connections", |row| {
                row.row.state.held as i64
            }),
            integer("most_pkts", "the most that the buffer of one connection has held by then", |row| {
                row.row.state.most as i64
            }),
            float(
                "held_back_s",
                "for how long in the interval who sends to it had something to send and it had no room; of web traffic \
                 all connections together",
                |row| Duration(row.row.state.held_back.0 - row.held_back_before.0).as_secs_f64(),
            ),
        ]
    }
}

/// One row for every place of every flow and entry that is split, and every interval.
pub(super) fn proxies(rows: &[RelayRow], subjects: &Subjects) -> Table {
    // At each moment they come in one order.
    let mut numbers: BTreeMap<SplitOf, u32> = BTreeMap::new();
    let mut before: BTreeMap<(SplitOf, u32), Duration> = BTreeMap::new();
    let interval = |row: &RelayRow| {
        let next = numbers.len() as u32;
        let split = *numbers.entry(row.of).or_insert(next);
        let held_back_before = before.insert((row.of, row.place), row.state.held_back).unwrap_or_default();
        ProxyInterval { row: *row, split, held_back_before }
    };
    table(&rows.iter().map(interval).collect::<Vec<_>>(), subjects)
}
