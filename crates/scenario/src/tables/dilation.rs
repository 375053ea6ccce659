//! Dilation of sessions: what the receivers behind a link demand together, by what the fastest of them gets.

use super::declared::{Declared, Row, float, name};
use faircast_sim::counters::DilationTotals;
use faircast_sim::multicast::{DILATION_WINDOW, DilationSpan};
use faircast_sim::probe::DilationRow;
use faircast_sim::world::World;
use faircast_tables::per_second::over;
use std::collections::BTreeMap;

/// One row for every session, link behind which several of its receivers are, and interval in which they were sent
/// something.
impl Row for DilationRow {
    const TABLE: &'static str = "dilation";
    const RECORD: usize = size_of::<DilationRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.at.as_secs_f64()),
            name("session", "of which session", |of| &of.flows, |row| row.flow.0),
            name("link", "on which direction of which link", |of| &of.links, |row| row.link.0),
            float("dilation_max", "the greatest of the interval's windows", |row| row.totals.greatest),
            float("dilation_mean", "the mean of the interval's windows", |row| mean(&row.totals)),
            float("demanded_bps", "what was demanded, bit/s, the mean over the windows", |row| {
                bps(row, row.totals.demanded_bytes)
            }),
            float(
                "fastest_bps",
                "what the fastest receiver at each time got, bit/s, the mean over the windows",
                |row| bps(row, row.totals.fastest_bytes),
            ),
        ]
    }
}

/// Bytes of all windows of a row as a rate.
fn bps(row: &DilationRow, bytes: f64) -> f64 {
    8.0 * bytes / (row.totals.windows as f64 * DILATION_WINDOW.as_secs_f64())
}

/// The mean over windows; NaN of none.
fn mean(totals: &DilationTotals) -> f64 {
    over(totals.sum, totals.windows as f64)
}

/// Whose dilation is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dilated {
    /// A session, by its flow: the greatest of its links.
    Session(u32),
    /// A link: the greatest of the sessions there.
    Link(u32),
    /// All of them.
    Run,
}

/// The greatest dilation and the greatest mean one of sessions, of links and of the run, over some time; NaN where
/// nothing was sent.
pub(crate) fn greatest<C>(world: &World<C>, span: DilationSpan) -> BTreeMap<Dilated, [f64; 2]> {
    let mut found = BTreeMap::new();
    for (flow, link, totals) in world.dilation(span) {
        for whose in [Dilated::Session(flow.0), Dilated::Link(link.0), Dilated::Run] {
            let most = found.entry(whose).or_insert([f64::NAN; 2]);
            if totals.windows > 0 {
                // Of a number and NaN the greater one is the number.
                *most = [most[0].max(totals.greatest), most[1].max(mean(&totals))];
            }
        }
    }
    found
}
