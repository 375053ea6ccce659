//! The groups of sessions: what is sent to each, and who is in it.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::{GroupSubject, Subjects};
use faircast_proto::time::Duration;
use faircast_sim::counters::GroupCounters;
use faircast_sim::probe::GroupRow;
use faircast_tables::per_second::over;
use faircast_tables::table::Table;

/// What a group was used for by the end of an interval, and by that of the one before.
pub(crate) struct GroupInterval<'a> {
    row: &'a GroupRow,
    before: &'a GroupCounters,
    group: &'a GroupSubject,
    seconds: f64,
}

impl GroupInterval<'_> {
    fn count(&self, of: fn(&GroupCounters) -> u64) -> u64 {
        of(&self.row.counters) - of(self.before)
    }

    fn bits(&self, of: fn(&GroupCounters) -> u64) -> f64 {
        8.0 * self.count(of) as f64
    }

    /// How long members were in it, all together.
    fn member_s(&self) -> f64 {
        Duration(self.row.counters.member_time.0 - self.before.member_time.0).as_secs_f64()
    }
}

impl Row for GroupInterval<'_> {
    const TABLE: &'static str = "layers";
    const RECORD: usize = size_of::<GroupRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("session", "of which session", |of| &of.flows, |row| row.group.flow),
            integer("group", "the group's number in it, from 0", |row| i64::from(row.group.number)),
            float("layer", "the rank of the layer that it is, the base being 0; NaN if it is none", |row| {
                row.group.layer.map_or(f64::NAN, f64::from)
            }),
            float("rate_bps", "what the source sent to it, bit/s, headers included", |row| {
                row.bits(|of| of.sent_bytes) / row.seconds
            }),
            integer("sent_pkts", "packets that the source sent to it", |row| row.count(|of| of.sent) as i64),
            integer("sent_bytes", "their bytes, headers included", |row| row.count(|of| of.sent_bytes) as i64),
            integer(
                "others_sent_pkts",
                "packets that members and router agents sent to it, those included that [may \
                 not](multicast.md#who-may-send)",
                |row| row.count(|of| of.others_sent) as i64,
            ),
            float(
                "members",
                "how many were in it, the mean over the interval; the source counts, too, if it has joined",
                |row| row.member_s() / row.seconds,
            ),
            float(
                "received_bps",
                "what came to those in it, bit/s, the mean over them and over the time that they were in it; NaN if \
                 nobody was",
                |row| over(row.bits(|of| of.received_bytes), row.member_s()),
            ),
            integer(
                "received_pkts",
                "packets that came to them, all together, those that came twice included",
                |row| row.count(|of| of.received) as i64,
            ),
        ]
    }
}

/// One row for every group and interval. What members got is the mean over those in it.
pub(super) fn layers(rows: &[GroupRow], subjects: &Subjects, interval: Duration) -> Table {
    let none = GroupCounters::default();
    let mut before = vec![&none; subjects.groups.len()];
    let seconds = interval.as_secs_f64();
    let intervals = rows.iter().map(|row| {
        let before = std::mem::replace(&mut before[row.group as usize], &row.counters);
        GroupInterval { row, before, group: &subjects.groups[row.group as usize], seconds }
    });
    table(&intervals.collect::<Vec<_>>(), subjects)
}
