//! The groups of sessions, as the simulator counts what they are used for.

use super::declared::{Declared, Row, table};
use super::subjects::Subjects;
use faircast_proto::time::Duration;
use faircast_sim::counters::GroupCounters;
use faircast_sim::probe::GroupRow;
use faircast_tables::layers::{GroupInterval, Used};
use faircast_tables::table::Table;

impl Row for GroupInterval {
    const TABLE: &'static str = GroupInterval::TABLE;
    const RECORD: usize = size_of::<GroupRow>();

    fn columns() -> Vec<Declared<Self>> {
        GroupInterval::declared()
    }
}

/// One row for every group and interval. What members got is the mean over those in it.
pub(super) fn layers(rows: &[GroupRow], subjects: &Subjects, interval: Duration) -> Table {
    let mut before = vec![Used::default(); subjects.groups.len()];
    let seconds = interval.as_secs_f64();
    let intervals = rows.iter().map(|row| {
        let (group, until) = (&subjects.groups[row.group as usize], used(&row.counters));
        let used = until.since(&std::mem::replace(&mut before[row.group as usize], until));
        GroupInterval { at: row.at, flow: group.flow, number: group.number, layer: group.layer, seconds, used }
    });
    table(&intervals.collect::<Vec<_>>(), subjects)
}

fn used(counters: &GroupCounters) -> Used {
    Used {
        sent: counters.sent,
        sent_bytes: counters.sent_bytes,
        others_sent: counters.others_sent,
        received: counters.received,
        received_bytes: counters.received_bytes,
        member_time: counters.member_time,
    }
}
