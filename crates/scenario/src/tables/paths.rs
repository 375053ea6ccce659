//! Ways between chosen nodes, and hand-offs of ground stations.

use super::{Subjects, Table, Words};
use crate::network::{Network, NetworkHandoff};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::probe::{PathEvent, PathRow};
use std::collections::BTreeMap;
use std::sync::Arc;

type Way = Arc<[LinkId]>;

/// Between the nodes of a way.
const BETWEEN: &str = " > ";

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
    let delay_s = |row: &PathRow| if row.way.is_some() { row.delay.as_secs_f64() } else { f64::NAN };
    Table::new("paths")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("from", &subjects.nodes, rows.iter().map(|row| ends(row).0.0))
        .words("to", &subjects.nodes, rows.iter().map(|row| ends(row).1.0))
        .collected_words("event", events)
        .float("delay_s", rows.iter().map(delay_s).collect())
        .integer("hops", rows.iter().map(|row| row.way.as_ref().map_or(0, |way| way.len() as i64)).collect())
        .collected_words("way", ways)
}

/// The table of all hand-offs up to `now`.
pub(super) fn handoffs(subjects: &Subjects, network: &Network, now: Instant) -> Table {
    let until = now.since(Instant::ZERO);
    let rows: Vec<&NetworkHandoff> = network.handoffs.iter().filter(|handoff| handoff.at <= until).collect();
    let mut names = if rows.is_empty() { Vec::new() } else { subjects.nodes.clone() };
    let nobody = names.len() as u32;
    names.push(String::new());
    let satellite = |of: fn(&NetworkHandoff) -> Option<u32>| rows.iter().map(move |row| of(row).unwrap_or(nobody));
    Table::new("handoffs")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("station", &names, rows.iter().map(|row| row.station))
        .words("from", &names, satellite(|row| row.from))
        .words("to", &names, satellite(|row| row.to))
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
