//! Ways between chosen nodes.

use super::declared::{Declared, Row, float, integer, name, prepared, table_with};
use super::subjects::Subjects;
use crate::network::Network;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::probe::{PathEvent, PathRow};
use faircast_tables::table::{Table, Values, Words};
use std::collections::BTreeMap;
use std::sync::Arc;

type Way = Arc<[LinkId]>;

/// Between the nodes of a way.
const BETWEEN: &str = " > ";

/// A row about a path, and the nodes at its ends.
pub(crate) struct PathBetween<'a> {
    row: &'a PathRow,
    ends: (NodeId, NodeId),
}

impl Row for PathBetween<'_> {
    const TABLE: &'static str = "paths";
    const RECORD: usize = size_of::<PathRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |of| of.row.at.as_secs_f64()),
            name("from", "from which node", |of| &of.nodes, |of| of.ends.0.0),
            name("to", "to which node", |of| &of.nodes, |of| of.ends.1.0),
            prepared(
                "event",
                "empty at intervals; `path-changed`, the way leads over other links from now on; `hand-off`, the same \
                 where a station on it, as it is or was, turned to another satellite at this moment; `lost`, there is \
                 no way any more; `found`, there is one again",
            ),
            float(
                "delay_s",
                "propagation delays of all links of the way at this moment, together; NaN if there is none",
                |of| if of.row.way.is_some() { of.row.delay.as_secs_f64() } else { f64::NAN },
            ),
            integer("hops", "how many links; 0 if there is no way", |of| {
                of.row.way.as_ref().map_or(0, |way| way.len() as i64)
            }),
            prepared("way", "the nodes, `berkeley > sat-3-1 > sat-3-2 > boston`; empty if there is no way"),
        ]
    }
}

/// The table of the ways between the pairs of nodes that the scenario names.
pub(super) fn paths(rows: &[PathRow], subjects: &Subjects, network: &Network) -> Table {
    let ends = |row: &PathRow| network.probes.paths[row.path as usize];
    // Of each pair the way in the row before, and the code of its word; most rows have the same.
    let mut before: Vec<Option<(&Way, i32)>> = vec![None; network.probes.paths.len()];
    let (mut events, mut ways, mut codes) = (Words::default(), Words::default(), BTreeMap::new());
    for row in rows {
        let old = &mut before[row.path as usize];
        events.push(match row.event {
            PathEvent::Sample => "",
            PathEvent::Found => "found",
            PathEvent::Lost => "lost",
            PathEvent::Changed if is_handoff(network, subjects, row, old.map(|(way, _)| way)) => "hand-off",
            PathEvent::Changed => "path-changed",
        });
        let same = row.way.as_ref().zip(*old).filter(|(way, (old, _))| Arc::ptr_eq(way, old));
        let code = same.map(|(_, (_, code))| code).unwrap_or_else(|| {
            let text = shown(subjects, ends(row).1, row.way.as_ref());
            let new = ways.dictionary.len() as i32;
            *codes.entry(text).or_insert_with_key(|text| {
                ways.dictionary.push(text.clone());
                new
            })
        });
        ways.codes.push(code);
        *old = row.way.as_ref().map(|way| (way, code));
    }
    let rows: Vec<PathBetween> = rows.iter().map(|row| PathBetween { row, ends: ends(row) }).collect();
    table_with(&rows, subjects, false, [("event", Values::Words(events)), ("way", Values::Words(ways))])
}

/// Whether a station on the way, as it is or as it was, turned to another satellite at that moment.
fn is_handoff(network: &Network, subjects: &Subjects, row: &PathRow, old: Option<&Way>) -> bool {
    let at: Duration = row.at.since(Instant::ZERO);
    let start = network.handoffs.partition_point(|handoff| handoff.at < at);
    network.handoffs[start..].iter().take_while(|handoff| handoff.at == at).any(|handoff| {
        // A station is at the beginning of its uplink, and at the end of its downlink.
        let touches = |link: &LinkId| subjects.ends[link.index()].contains(&handoff.station);
        old.into_iter().chain(row.way.as_ref()).any(|way| way.iter().any(touches))
    })
}

/// The nodes of a way in their order; nothing if there is none.
fn shown(subjects: &Subjects, to: NodeId, way: Option<&Way>) -> String {
    let Some(way) = way else { return String::new() };
    // Where links lead may change, not where they start.
    let starts = way.iter().map(|link| subjects.ends[link.index()][0]);
    let names: Vec<&str> = starts.chain([to.0]).map(|node| subjects.nodes[node as usize].as_str()).collect();
    names.join(BETWEEN)
}
