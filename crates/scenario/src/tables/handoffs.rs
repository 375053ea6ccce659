//! Hand-offs of ground stations.

use super::declared::{Declared, Row, float, name_if_any, table};
use super::subjects::Subjects;
use crate::network::{Network, NetworkHandoff};
use faircast_proto::time::Instant;
use faircast_tables::table::Table;

/// A hand-off of a station.
pub(crate) struct Handoff<'a>(&'a NetworkHandoff);

impl Row for Handoff<'_> {
    const TABLE: &'static str = "handoffs";
    const RECORD: usize = 0;

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |of| of.0.at.as_secs_f64()),
            name_if_any("station", "which station", |of| &of.nodes, |of| Some(of.0.station)),
            name_if_any("from", "the satellite that it leaves; empty if it had none", |of| &of.nodes, |of| of.0.from),
            name_if_any("to", "the satellite that it turns to; empty if it finds none", |of| &of.nodes, |of| of.0.to),
        ]
    }
}

/// The table of all hand-offs up to `now`.
pub(super) fn handoffs(subjects: &Subjects, network: &Network, now: Instant) -> Table {
    let until = now.since(Instant::ZERO);
    let rows: Vec<Handoff> = network.handoffs.iter().filter(|handoff| handoff.at <= until).map(Handoff).collect();
    table(&rows, subjects)
}
