//! The rows of a run's tables.

use super::MemoryPart;
use super::agents::subjects_told_of;
use crate::network::Network;
use crate::tables::{
    FlowInterval, GroupInterval, Handoff, Interval, LinkInterval, PacketAt, PathBetween, ReceiverInterval,
};
use crate::tables::{Row, Shown};
use faircast_proto::time::Duration;
use faircast_sim::probe::{DilationRow, QueueRow, RouterRow};
use faircast_sim::routing::MAX_HOPS;

/// What rows take, table by table; `events` are those at queues of which all are kept, `dilated` the links on which the
/// dilation of sessions is told.
pub(super) fn parts(network: &Network, events: f64, dilated: f64) -> Vec<MemoryPart> {
    let probes = &network.probes;
    let rows = |interval: Duration| network.duration.as_secs_f64() / interval.as_secs_f64().max(1e-6) + 1.0;
    let moments = |on: bool| if on { rows(probes.interval) } else { 0.0 };
    let receivers: usize = network.sessions.iter().map(|session| session.receivers.len()).sum();
    let groups: u32 = network.sessions.iter().map(|session| session.plan.groups).sum();
    let (flows, sessions) = (network.flows.len() as f64, network.sessions.len() as f64);
    let paths = probes.paths.len() as f64;
    let sampled = probes.queues.len() as f64 * rows(probes.queue_interval);
    let part = |what, path, rows: f64, row: f64| MemoryPart { what, path, bytes: rows * row };
    vec![
        part(
            "rows of flows",
            "probes.interval",
            (flows + sessions) * moments(probes.flows),
            of_endpoint::<FlowInterval>(FLOW_GAUGES),
        ),
        part(
            "rows of receivers",
            "probes.interval",
            (flows + receivers as f64) * moments(probes.flows),
            of_endpoint::<ReceiverInterval>(RECEIVER_GAUGES),
        ),
        part("rows of layers", "probes.interval", f64::from(groups) * moments(probes.flows), of::<GroupInterval>()),
        part(
            "rows of links",
            "probes.interval",
            network.links.len() as f64 * moments(probes.links),
            of::<LinkInterval>(),
        ),
        part("rows of dilation", "probes.interval", dilated * moments(probes.links), of::<DilationRow>()),
        part(
            "rows of router agents",
            "probes.interval",
            subjects_told_of(network) * NUMBERS_TOLD * moments(probes.links),
            of::<RouterRow>(),
        ),
        part("samples of queues", "probes.queue_interval", sampled, of::<QueueRow>()),
        part("rows of paths", "probes.paths", paths * rows(probes.interval), of::<PathBetween>()),
        part(
            "changes of paths",
            "probes.paths",
            paths * epochs(network),
            of::<PathBetween>() + WAY * MAX_HOPS.min(network.nodes.len()) as f64,
        ),
        part("hand-offs", "stations", network.handoffs.len() as f64, of::<Handoff>()),
        part("events at queues", "probes.packets", events, of::<PacketAt>()),
    ]
}

/// How often routes change at most.
fn epochs(network: &Network) -> f64 {
    let turns = network.links.iter().flat_map(|link| &link.changes).filter(|change| change.is_of_routes()).count();
    let regular = network.reroute_interval.map_or(0.0, |every| network.duration.0 as f64 / every.0.max(1) as f64);
    turns as f64 + regular
}

/// Bytes of a row about an endpoint: what it shows is recorded apart, and each value is a column, too.
fn of_endpoint<R: Row>(gauges: usize) -> f64 {
    // One after the other what rows are made from and what they show lie beside the intervals.
    let made_from = size_of::<Interval>() + size_of::<R>().max(size_of::<Shown>());
    row(R::RECORD, made_from, R::columns().len() + gauges) + (2 * 8 * gauges) as f64
}

/// Bytes of a row of a table.
fn of<R: Row>() -> f64 {
    row(R::RECORD, size_of::<R>(), R::columns().len())
}

/// Bytes of a row at their most: while its table is made its record, in a vector that grows by doubling, what the
/// columns are made from, and the columns, at 8 bytes each; afterwards these alone, in Rust and in Python.
fn row(record: usize, made_from: usize, columns: usize) -> f64 {
    let made = 2 * record + made_from + 8 * columns;
    made.max(2 * 8 * columns) as f64
}

/// Bytes that a link of a way takes: in the record, and the name of its node in a dictionary, in Rust and in Python.
const WAY: f64 = 64.0;

// What endpoints of different protocols show, together.
const FLOW_GAUGES: usize = 13;
const RECEIVER_GAUGES: usize = 5;

/// Numbers that a router agent tells of each thing that it knows: as many as the monitor.
const NUMBERS_TOLD: f64 = 3.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{STEADY, fork, near};
    use crate::run::{Control, run};
    use faircast_sim::probe::PacketRow;

    #[test]
    fn rows_are_counted_by_moment_and_subject() {
        let probes = "[probes]\nqueues = [\"s\", \"a\"]\nqueue_interval = \"500 ms\"\n";
        let bytes = |probes: &str, what: &str| {
            let parts = parts(&fork(&format!("{STEADY}{probes}")), 0.0, 2.0);
            parts.iter().find(|part| part.what == what).expect("there is such a part").bytes
        };
        // Time zero to 10 s: 11 moments, and 21 for queues.
        near(bytes(probes, "rows of flows"), 11.0 * of_endpoint::<FlowInterval>(FLOW_GAUGES));
        near(bytes(probes, "rows of receivers"), 22.0 * of_endpoint::<ReceiverInterval>(RECEIVER_GAUGES));
        near(bytes(probes, "rows of layers"), 11.0 * of::<GroupInterval>());
        near(bytes(probes, "rows of links"), 66.0 * of::<LinkInterval>());
        near(bytes(probes, "rows of dilation"), 22.0 * of::<DilationRow>());
        near(bytes(probes, "samples of queues"), 42.0 * of::<QueueRow>());
        // The interface, the session, its group, and control packets to a neighbour; three numbers each.
        let agent = "[links.a.agent]\nkind = \"monitor\"\n";
        near(bytes(agent, "rows of router agents"), 132.0 * of::<RouterRow>());
        let off = "[probes]\nflows = false\nlinks = false\n[links.a.agent]\nkind = \"monitor\"\n";
        assert!(parts(&fork(&format!("{STEADY}{off}")), 0.0, 2.0).iter().all(|part| part.bytes == 0.0));
    }

    #[test]
    fn a_row_is_a_record_and_columns_or_columns_twice() {
        assert_eq!(row(100, 7, 3), 200.0 + 7.0 + 24.0);
        assert_eq!(row(1, 7, 30), 480.0);
        // A packet's row is copied with its place, and 13 columns are made of it.
        let packet = 2 * size_of::<PacketRow>() + size_of::<PacketAt>() + 13 * 8;
        assert!(size_of::<PacketAt>() > size_of::<PacketRow>());
        assert_eq!(of::<PacketAt>(), packet as f64);
    }

    /// A run in which every protocol of this tree is.
    #[test]
    fn no_endpoint_shows_more_than_is_counted() {
        let session =
            |name: &str, scheme: &str| format!("[sessions.{name}]\nscheme = \"{scheme}\"\nsource = \"left-0\"\n");
        let text = format!(
            "format = 1\nname = \"all\"\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\nleft = 1\nright = 1\n\
             [flows.a]\nkind = \"tcp\"\n[flows.b]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\n{}{}{}",
            session("c", "tfmcc"),
            session("d", "omcc"),
            session("e", "layered-cbr")
        );
        let scenario = crate::Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let output = run(&scenario, 1, &Control::default(), 1).expect("it runs");
        // What is declared is counted; of what endpoints show only the most.
        let made = |name: &str| {
            let table = output.tables.iter().find(|table| table.name == name);
            table.expect("there is such a table").columns.len()
        };
        assert_eq!(made("flows"), FlowInterval::columns().len() + FLOW_GAUGES);
        assert_eq!(made("receivers"), ReceiverInterval::columns().len() + RECEIVER_GAUGES);
    }
}
