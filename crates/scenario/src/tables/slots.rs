//! Terminals of return channels: what they asked for, got and used in an interval.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use faircast_sim::probe::SlotRow;
use faircast_sim::return_channel::SlotCounters;
use faircast_tables::table::Table;
use std::collections::BTreeMap;

/// What a terminal has done by the end of an interval, and by that of the one before.
pub(crate) struct SlotInterval {
    row: SlotRow,
    before: SlotCounters,
}

impl SlotInterval {
    fn of(&self, count: fn(&SlotCounters) -> u64) -> i64 {
        (count(&self.row.counters) - count(&self.before)) as i64
    }
}

impl Row for SlotInterval {
    const TABLE: &'static str = "slots";
    const RECORD: usize = size_of::<SlotRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("link", "the link of a terminal", |of| &of.links, |row| row.row.link.0),
            integer(
                "asked_slots",
                "slots for which the terminal asked; of a rate those that it wanted in each superframe",
                |row| row.of(|counters| counters.asked),
            ),
            integer("assigned_slots", "slots that were its own, by the superframes that began", |row| {
                row.of(|counters| counters.assigned)
            }),
            integer("used_slots", "slots in which it began to send", |row| row.of(|counters| counters.used)),
            integer("collided_pkts", "packets that met others in their slots, each time that they were sent", |row| {
                row.of(|counters| counters.collided)
            }),
            integer("padding_bytes", "bytes that it did not fill of slots that are over", |row| {
                row.of(|counters| counters.padding)
            }),
        ]
    }
}

/// One row for every terminal of a return channel and every interval.
pub(super) fn slots(rows: &[SlotRow], subjects: &Subjects) -> Table {
    let mut before = BTreeMap::new();
    let interval = |row: &SlotRow| {
        let before = before.insert(row.link, row.counters).unwrap_or_default();
        SlotInterval { row: *row, before }
    };
    table(&rows.iter().map(interval).collect::<Vec<_>>(), subjects)
}
