//! The groups of sessions: what is sent to each, and who is in it.

use super::per_second::over;
use super::subjects::Subjects;
use super::table::Table;
use faircast_proto::time::Duration;
use faircast_sim::counters::GroupCounters;
use faircast_sim::probe::GroupRow;

/// One row for every group and interval. What members got is the mean over those in it.
pub(super) fn layers(rows: &[GroupRow], subjects: &Subjects, interval: Duration) -> Table {
    let none = GroupCounters::default();
    let mut before = vec![&none; subjects.groups.len()];
    let pairs: Vec<(&GroupRow, &GroupCounters)> =
        rows.iter().map(|row| (row, std::mem::replace(&mut before[row.group as usize], &row.counters))).collect();
    let seconds = interval.as_secs_f64();
    let group = |row: &GroupRow| &subjects.groups[row.group as usize];
    let count = |of: fn(&GroupCounters) -> u64| -> Vec<i64> {
        pairs.iter().map(|(row, old)| (of(&row.counters) - of(old)) as i64).collect()
    };
    let bits = |(row, old): &(&GroupRow, &GroupCounters), of: fn(&GroupCounters) -> u64| {
        8.0 * (of(&row.counters) - of(old)) as f64
    };
    let member_s = |(row, old): &(&GroupRow, &GroupCounters)| {
        Duration(row.counters.member_time.0 - old.member_time.0).as_secs_f64()
    };
    let received = |pair| over(bits(pair, |counters| counters.received_bytes), member_s(pair));
    let layer = |row| group(row).layer.map_or(f64::NAN, f64::from);
    Table::new("layers")
        .float("t_s", pairs.iter().map(|(row, _)| row.at.as_secs_f64()).collect())
        .words("session", &subjects.flows, pairs.iter().map(|(row, _)| group(row).flow))
        .integer("group", pairs.iter().map(|(row, _)| i64::from(group(row).number)).collect())
        .float("layer", pairs.iter().map(|(row, _)| layer(row)).collect())
        .float("rate_bps", pairs.iter().map(|pair| bits(pair, |counters| counters.sent_bytes) / seconds).collect())
        .integer("sent_pkts", count(|counters| counters.sent))
        .integer("sent_bytes", count(|counters| counters.sent_bytes))
        .integer("others_sent_pkts", count(|counters| counters.others_sent))
        .float("members", pairs.iter().map(|pair| member_s(pair) / seconds).collect())
        .float("received_bps", pairs.iter().map(received).collect())
        .integer("received_pkts", count(|counters| counters.received))
}
