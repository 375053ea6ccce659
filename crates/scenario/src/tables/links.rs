//! Links: what each direction did in an interval.

use super::acm::used as symbols_used;
use super::declared::{Declared, Row, float, integer, name, table_in_pieces};
use super::subjects::Subjects;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::LinkId;
use faircast_sim::probe::{LinkLog, LinkRow, SymbolRow};
use faircast_sim::world::World;
use faircast_tables::table::Table;
use std::collections::BTreeMap;

/// What a link has done by the end of an interval, and by that of the one before.
pub(crate) struct LinkInterval {
    row: LinkRow,
    before: LinkCounters,
    rate_bps: f64,
    utilisation: f64,
}

impl LinkInterval {
    fn count(&self, of: fn(&LinkCounters) -> u64) -> i64 {
        (of(&self.row.counters) - of(&self.before)) as i64
    }
}

impl Row for LinkInterval {
    const TABLE: &'static str = "links";
    const RECORD: usize = LinkLog::ROW_BYTES;

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("link", "which direction of which link", |of| &of.links, |row| row.row.link.0),
            float("rate_bps", "what left the link, bit/s", |row| row.rate_bps),
            float(
                "utilisation",
                "the same with its headers, as a part of the mean of the link's rates in the interval; of links that \
                 send symbols the part of their symbols",
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
            integer(
                "departed_pkts",
                "packets sent; one that is [sent again](return-channel.md#slotted-aloha) each time",
                |row| row.count(|of| of.departed),
            ),
            integer(
                "lost_pkts",
                "those of them that the loss model destroyed, that met others in their slots or that came [above what \
                 a leg receives](acm.md)",
                |row| row.count(|of| of.lost),
            ),
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

/// One row for every link that has been used and every interval; where routes change, for every interval in which
/// something has happened.
pub(super) fn links<C>(
    world: &World<C>,
    rows: &LinkLog,
    symbols: &[SymbolRow],
    subjects: &Subjects,
    interval: Duration,
) -> Table {
    let seconds = interval.as_secs_f64();
    let (rows, count) = completed(rows, subjects.links.len(), interval, world.changes_routes());
    let mut before = vec![LinkCounters::default(); subjects.links.len()];
    // Those of links that send symbols, in the order of these rows.
    let mut symbols = symbols.iter().peekable();
    let mut symbols_before = BTreeMap::new();
    let intervals = rows.map(|row| {
        let before = std::mem::replace(&mut before[row.link.index()], row.counters);
        let rate_bps = 8.0 * (row.counters.departed_bytes - before.departed_bytes) as f64 / seconds;
        // With what the link layer adds, and of what the rates of the interval could have carried.
        let headers =
            u64::from(world.links()[row.link.index()].header_bytes()) * (row.counters.departed - before.departed);
        // A leg takes part in the rate of its link.
        let transmitter = &world.links()[world.carrier(row.link).unwrap_or(row.link).index()];
        // Also of links that were not used then, which have no row here.
        while let Some(sent) = symbols.next_if(|sent| (sent.at, sent.link) < (row.at, row.link)) {
            symbols_before.insert(sent.link, sent.counters);
        }
        if let Some(sent) = symbols.next_if(|sent| (sent.at, sent.link) == (row.at, row.link)) {
            let early = symbols_before.insert(row.link, sent.counters).unwrap_or_default();
            let used = symbols_used(world, row.link, [early, sent.counters], seconds);
            return LinkInterval { row, before, rate_bps, utilisation: used.unwrap_or(f64::NAN) };
        }
        let capacity = transmitter.mean_rate_bps(row.at - interval, row.at);
        LinkInterval { row, before, rate_bps, utilisation: (rate_bps + 8.0 * headers as f64 / seconds) / capacity }
    });
    table_in_pieces(intervals, count, subjects)
}

/// The rows, and how many there are. Those of a link begin when it is first used; unless they stand for themselves
/// those of the time before are added.
fn completed(
    log: &LinkLog,
    links: usize,
    interval: Duration,
    alone: bool,
) -> (Box<dyn Iterator<Item = LinkRow> + '_>, usize) {
    let moments = log.last_at().map_or(0, |at| at.0 / interval.0);
    // Nobody needs to know who was used.
    if alone || log.is_empty() {
        return (Box::new(log.iter()), log.len());
    }
    let mut used = vec![false; links];
    log.iter().for_each(|row| used[row.link.index()] = true);
    let used: Vec<LinkId> = (0..).map(LinkId).zip(used).filter_map(|(link, used)| used.then_some(link)).collect();
    let count = moments as usize * used.len();
    if log.len() == count {
        return (Box::new(log.iter()), count);
    }
    let mut there = log.iter().peekable();
    let all = (1..=moments).flat_map(move |moment| used.clone().into_iter().map(move |link| (moment, link)));
    let rows = all.map(move |(moment, link)| {
        let at = Instant(moment * interval.0);
        let unused = LinkRow { at, link, counters: LinkCounters::default() };
        there.next_if(|row| (row.at, row.link) == (at, link)).unwrap_or(unused)
    });
    (Box::new(rows), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_is_used_late_has_all_its_rows() {
        let row = |moment: u64, link, arrived| LinkRow {
            at: Instant(moment * 5),
            link: LinkId(link),
            counters: LinkCounters { arrived, ..LinkCounters::default() },
        };
        let rows = [row(2, 3, 1), row(3, 1, 4), row(3, 3, 2), row(4, 1, 5), row(4, 3, 2)];
        let mut log = LinkLog::default();
        rows.iter().for_each(|row| log.push(row));
        let short = |log: &LinkLog, alone| -> Vec<(u64, u32, u64)> {
            let (rows, count) = completed(log, 9, Duration(5), alone);
            let rows: Vec<_> = rows.map(|row| (row.at.0, row.link.0, row.counters.arrived)).collect();
            assert_eq!(rows.len(), count);
            rows
        };
        let all = [(5, 1, 0), (5, 3, 0), (10, 1, 0), (10, 3, 1), (15, 1, 4), (15, 3, 2), (20, 1, 5), (20, 3, 2)];
        assert_eq!(short(&log, false), all);
        // Where routes change they stand for themselves.
        assert_eq!(short(&log, true), [(10, 3, 1), (15, 1, 4), (15, 3, 2), (20, 1, 5), (20, 3, 2)]);
        assert!(short(&LinkLog::default(), false).is_empty());
    }
}
