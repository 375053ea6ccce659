//! Links: what each direction did in an interval.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use super::table::Table;
use faircast_proto::time::Duration;
use faircast_sim::counters::LinkCounters;
use faircast_sim::probe::LinkRow;
use faircast_sim::world::World;

/// What a link has done by the end of an interval, and by that of the one before.
pub(crate) struct LinkInterval<'a> {
    row: &'a LinkRow,
    before: &'a LinkCounters,
    rate_bps: f64,
    utilisation: f64,
}

impl LinkInterval<'_> {
    fn count(&self, of: fn(&LinkCounters) -> u64) -> i64 {
        (of(&self.row.counters) - of(self.before)) as i64
    }
}

impl Row for LinkInterval<'_> {
    const TABLE: &'static str = "links";
    const RECORD: usize = size_of::<LinkRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("link", "which direction of which link", |of| &of.links, |row| row.row.link.0),
            float("rate_bps", "what left the link, bit/s", |row| row.rate_bps),
            float(
                "utilisation",
                "the same with its headers, as a part of the mean of the link's rates in the interval",
                |row| row.utilisation,
            ),
            integer("arrived_pkts", "packets that came to its queue", |row| row.count(|of| of.arrived)),
            integer("dropped_overflow_pkts", "dropped because the queue was full", |row| {
                row.count(|of| of.dropped_overflow)
            }),
            integer("dropped_active_pkts", "dropped by decision of the discipline", |row| {
                row.count(|of| of.dropped_active)
            }),
            integer(
                "held_back_pkts",
                "kept from the queue by a router agent, packet by packet; what it blocks as a group does not come to \
                 the queue and is not counted",
                |row| row.count(|of| of.held_back),
            ),
            integer("marked_incipient_pkts", "marked as incipient congestion", |row| {
                row.count(|of| of.marked_incipient)
            }),
            integer("marked_moderate_pkts", "marked as moderate congestion, as plain ECN marks are", |row| {
                row.count(|of| of.marked_moderate)
            }),
            integer("departed_pkts", "packets sent", |row| row.count(|of| of.departed)),
            integer("lost_pkts", "those of them that the loss model destroyed", |row| row.count(|of| of.lost)),
            integer("dropped_down_pkts", "came while the link was [down](changes.md)", |row| {
                row.count(|of| of.dropped_down)
            }),
            integer("rerouted_pkts", "waited when the link went down or turned, and took another way", |row| {
                row.count(|of| of.rerouted)
            }),
            integer("discarded_pkts", "waited then and were removed", |row| row.count(|of| of.discarded)),
            integer("unreceived_pkts", "waited then, were sent all the same, and nobody received them", |row| {
                row.count(|of| of.unreceived)
            }),
        ]
    }
}

/// One row for every link and interval.
pub(super) fn links<C>(world: &World<C>, rows: Vec<LinkRow>, subjects: &Subjects, interval: Duration) -> Table {
    let seconds = interval.as_secs_f64();
    let none = LinkCounters::default();
    let mut before = vec![&none; subjects.links.len()];
    let intervals: Vec<LinkInterval> = rows
        .iter()
        .map(|row| {
            let before = std::mem::replace(&mut before[row.link.index()], &row.counters);
            let rate_bps = 8.0 * (row.counters.departed_bytes - before.departed_bytes) as f64 / seconds;
            // With what the link layer adds, and of what the rates of the interval could have carried.
            let headers =
                u64::from(world.links()[row.link.index()].header_bytes()) * (row.counters.departed - before.departed);
            // A leg takes part in the rate of its link.
            let transmitter = &world.links()[world.carrier(row.link).unwrap_or(row.link).index()];
            let capacity = transmitter.mean_rate_bps(row.at - interval, row.at);
            LinkInterval { row, before, rate_bps, utilisation: (rate_bps + 8.0 * headers as f64 / seconds) / capacity }
        })
        .collect();
    table(&intervals, subjects)
}
