//! What a host does beside its endpoint: datagrams that are sent, taken, refused, and how late it is.

use super::look::{Look, Span};
use super::names::Names;
use crate::counters::Counters;
use faircast_proto::time::Duration;
use faircast_tables::declared::{Declared, float, integer, table_of};
use faircast_tables::ends::Ends;
use faircast_tables::per_second::over;
use faircast_tables::table::Table;

/// An interval of a host.
pub(super) struct HostInterval<'a> {
    span: Span,
    now: &'a Counters,
    before: &'a Counters,
}

impl HostInterval<'_> {
    /// The name of the table.
    pub(super) const TABLE: &'static str = "host";

    /// What was added to a count; what began anew meanwhile counts from there.
    fn count(&self, of: fn(&Counters) -> u64) -> i64 {
        of(self.now).saturating_sub(of(self.before)) as i64
    }

    /// Its columns, in order.
    pub(super) fn declared<S: Ends>() -> Vec<Declared<Self, S>> {
        vec![
            float("t_s", "end of the interval", |row| row.span.at.as_secs_f64()),
            float("measured_s", "how long the interval was that the rows at `t_s` are of", |row| {
                row.span.passed.as_secs_f64()
            }),
            float("late_s", "how long after `t_s` the host had time to look", |row| row.span.late.as_secs_f64()),
            integer("sent_pkts", "datagrams sent, of the endpoint and beside it", |row| row.count(|of| of.sent)),
            integer("not_sent_pkts", "datagrams that could not be sent", |row| row.count(|of| of.not_sent)),
            integer("taken_pkts", "datagrams handed to the endpoint", |row| row.count(|of| of.taken)),
            integer("malformed_pkts", "datagrams that are no message, whatever the reason", |row| {
                row.count(Counters::all_malformed)
            }),
            integer("truncated_pkts", "datagrams longer than the buffer", |row| row.count(|of| of.truncated)),
            integer("foreign_pkts", "messages of another scheme or another source", |row| row.count(|of| of.foreign)),
            integer("forged_pkts", "messages that their seal did not let through", |row| row.count(|of| of.forged)),
            integer("own_pkts", "own messages that came back", |row| row.count(|of| of.own)),
            integer("uninvited_pkts", "messages to groups that are not joined", |row| row.count(|of| of.uninvited)),
            integer("no_room_pkts", "messages of newcomers for whom there was no room", |row| {
                row.count(|of| of.no_room)
            }),
            integer("unjoined", "joins that failed, and memberships lost", |row| row.count(|of| of.unjoined)),
            integer("timeouts", "deadlines of the endpoint that came", |row| row.count(|of| of.timeouts)),
            float("lateness_s", "how late they were handed in, the mean; NaN if none came", |row| {
                let late = row.now.lateness.0.saturating_sub(row.before.lateness.0);
                over(Duration(late).as_secs_f64(), row.count(|of| of.timeouts) as f64)
            }),
        ]
    }
}

/// The table of an interval, or of none.
pub(super) fn table(span: Option<Span>, (before, now): (&Look, &Look), names: &Names) -> Table {
    let row = |span| HostInterval { span, now: &now.counters, before: &before.counters };
    let rows: Vec<HostInterval> = span.into_iter().map(row).collect();
    table_of((HostInterval::TABLE, HostInterval::declared()), &rows, names, false, [])
}
