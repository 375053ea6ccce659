//! Links that send symbols, and their legs: what they sent in an interval, and how.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use faircast_sim::acm::SymbolCounters;
use faircast_sim::probe::SymbolRow;
use faircast_sim::world::World;
use faircast_tables::table::Table;
use std::collections::BTreeMap;

/// What a link or a leg has sent by the end of an interval, and by that of the one before.
pub(crate) struct SymbolInterval {
    row: SymbolRow,
    before: SymbolCounters,
    present: f64,
    granted: f64,
}

impl Row for SymbolInterval {
    const TABLE: &'static str = "acm";
    const RECORD: usize = size_of::<SymbolRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.row.at.as_secs_f64()),
            name("link", "which link that sends symbols, or which leg of one", |of| &of.links, |row| row.row.link.0),
            float("symbols", "symbols of the transmissions that ended; of a leg of those that were for it", |row| {
                row.row.counters.symbols - row.before.symbols
            }),
            float("sent_bits_per_symbol", "what these carried, the link layer's headers included", |row| {
                let symbols = row.row.counters.symbols - row.before.symbols;
                (row.row.counters.bits - row.before.bits) as f64 / symbols
            }),
            float(
                "present_bits_per_symbol",
                "the most that a leg can receive at the end of the interval, 0 in an \
                 outage; NaN of a link",
                |row| row.present,
            ),
            float("granted_bits_per_symbol", "what the loop grants it then; NaN of a link", |row| row.granted),
            integer(
                "undecoded_pkts",
                "packets that came to a leg above what it could receive; they are among \
                 `lost_pkts` of `links`",
                |row| (row.row.counters.undecoded - row.before.undecoded) as i64,
            ),
        ]
    }
}

/// One row for every link that sends symbols, every leg of one, and every interval.
pub(super) fn acm<C>(world: &World<C>, rows: &[SymbolRow], subjects: &Subjects) -> Table {
    let mut before = BTreeMap::new();
    let interval = |row: &SymbolRow| {
        let before = before.insert(row.link, row.counters).unwrap_or_default();
        let at = |of: fn(&faircast_sim::acm::Signal) -> &faircast_sim::acm::track::Track| {
            world.signal(row.link).map_or(f64::NAN, |signal| of(signal).at(row.at))
        };
        SymbolInterval { row: *row, before, present: at(|signal| &signal.present), granted: at(|of| &of.granted) }
    };
    table(&rows.iter().map(interval).collect::<Vec<_>>(), subjects)
}

/// What part of its symbols a link has sent, or of those of its link a leg, between two moments so many seconds apart.
pub(crate) fn used<C>(
    world: &World<C>,
    link: faircast_sim::ids::LinkId,
    [before, after]: [SymbolCounters; 2],
    seconds: f64,
) -> Option<f64> {
    let transmitter = world.transmitter(link)?;
    Some((after.symbols - before.symbols) / (transmitter.symbol_rate as f64 * seconds))
}
