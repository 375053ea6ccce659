//! The rows of a run's tables.

use super::MemoryPart;
use super::agents::subjects_told_of;
use super::traffic::Traffic;
use crate::catalogue::shown::{gauges_of_flow, gauges_of_scheme};
use crate::network::{Network, NetworkSession};
use crate::tables::{
    FlowInterval, GroupInterval, Handoff, Interval, LinkInterval, PacketAt, PathBetween, PlaybackOf, ProxyInterval,
    ReceiverInterval, SlotInterval, SymbolInterval, Waited,
};
use crate::tables::{Gauges, PIECE, Row, Shown};
use faircast_proto::endpoint::Gauge;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::source::application;
use faircast_proto::time::Duration;
use faircast_sim::ids::LinkId;
use faircast_sim::probe::{DilationRow, QueueRow, RouterRow, Sojourn};
use faircast_sim::routing::MAX_HOPS;

/// What rows take, table by table.
pub(super) fn parts(network: &Network, traffic: &Traffic) -> Vec<MemoryPart> {
    let probes = &network.probes;
    let rows = |interval: Duration| network.duration.as_secs_f64() / interval.as_secs_f64().max(1e-6) + 1.0;
    let moments = |on: bool| if on { rows(probes.interval) } else { 0.0 };
    let receivers: usize = network.sessions.iter().map(|session| session.receivers.len()).sum();
    let groups: u32 = network.sessions.iter().map(|session| session.plan.groups).sum();
    let (flows, sessions) = (network.flows.len() as f64, network.sessions.len() as f64);
    let [by_senders, by_receivers] = gauges(network);
    let paths = probes.paths.len() as f64;
    let symbols = network.links.iter().filter(|link| link.symbols.is_some()).count() as f64;
    let terminals = network.returns.iter().map(|channel| channel.links.len()).sum::<usize>() as f64;
    let sampled = probes.queues.len() as f64 * rows(probes.queue_interval);
    let part = |what, path, rows: f64, row: f64| MemoryPart { what, path, bytes: rows * row };
    vec![
        part(
            "rows of flows",
            "probes.interval",
            (flows + sessions) * moments(probes.flows),
            of_endpoint::<FlowInterval>(by_senders),
        ),
        part(
            "rows of receivers",
            "probes.interval",
            (flows + receivers as f64) * moments(probes.flows),
            of_endpoint::<ReceiverInterval>(by_receivers),
        ),
        part("rows of layers", "probes.interval", f64::from(groups) * moments(probes.flows), of::<GroupInterval>()),
        part("rows of links", "probes.interval", 1.0, in_pieces::<LinkInterval>(traffic.used * moments(probes.links))),
        part("rows of symbols", "probes.interval", symbols * moments(probes.links), of::<SymbolInterval>()),
        part("rows of slots", "probes.interval", terminals * moments(probes.links), of::<SlotInterval>()),
        part("rows of dilation", "probes.interval", traffic.dilated * moments(probes.links), of::<DilationRow>()),
        part(
            "rows of router agents",
            "probes.interval",
            subjects_told_of(network) * NUMBERS_TOLD * moments(probes.links),
            of::<RouterRow>(),
        ),
        part("samples of queues", "probes.queue_interval", sampled, of::<QueueRow>()),
        part("waits at queues", "probes.queues", traffic.watched + whole_queues(network), of_waits()),
        part("rows of paths", "probes.paths", paths * rows(probes.interval), of::<PathBetween>()),
        part(
            "changes of paths",
            "probes.paths",
            paths * epochs(network),
            of::<PathBetween>() + WAY * MAX_HOPS.min(network.nodes.len()) as f64,
        ),
        part("rows of proxies", "probes.interval", places(network) * moments(probes.flows), of::<ProxyInterval>()),
        part("hand-offs", "stations", network.handoffs.len() as f64, of::<Handoff>()),
        part("events at queues", "probes.packets", traffic.events, of::<PacketAt>()),
        part("segments played", "sessions", segments_played(network), of::<PlaybackOf>() + IN_SUMMARY),
    ]
}

/// How many places there are at which flows and web traffic are split.
fn places(network: &Network) -> f64 {
    let of_flows = network.flows.iter().filter_map(|flow| flow.pep.as_ref()).map(|pep| pep.at.len());
    let of_web = network.web.iter().filter_map(|web| web.pep.first()).map(|pep| pep.at.len());
    of_flows.chain(of_web).sum::<usize>() as f64
}

/// How many segments are due at receivers, of all sessions that are played.
fn segments_played(network: &Network) -> f64 {
    let of = |session: &NetworkSession| {
        let playout = session.playout.as_ref()?;
        let segments = network.duration.as_secs_f64() / playout.segment.as_secs_f64().max(1e-3) + 2.0;
        // Beside the rows, the account of the source.
        Some(segments * (session.receivers.len() as f64 + session.plan.groups as f64))
    };
    network.sessions.iter().filter_map(of).sum()
}

/// Rows about queues and their classes, whatever comes to them.
fn whole_queues(network: &Network) -> f64 {
    let classes = |link: LinkId| network.links[link.index()].queue.classes().len();
    network.probed_queues().into_iter().map(|link| 1 + classes(link)).sum::<usize>() as f64
}

/// Bytes of a row about how long packets waited, and of the histogram that it is made of.
fn of_waits() -> f64 {
    of::<Waited>() + Sojourn::BYTES as f64
}

/// How many columns show what senders, and what receivers of sessions, have to show.
fn gauges(network: &Network) -> [usize; 2] {
    let mut known: Vec<&str> = Vec::new();
    let mut shown: [Vec<&'static [Gauge]>; 2] = Default::default();
    for flow in &network.flows {
        // There may be many of a kind, whose parameters change nothing of this.
        if !known.contains(&flow.kind.name()) {
            known.push(flow.kind.name());
            shown[0].push(gauges_of_flow(&flow.kind)[0]);
        }
    }
    let guests = network.sessions.iter().filter(|session| matches!(session.config, SchemeConfig::Guest(_))).count();
    for session in network.sessions.iter().filter(|session| !matches!(session.config, SchemeConfig::Guest(_))) {
        let [source, receiver] = gauges_of_scheme(&session.config);
        shown[0].push(source);
        shown[1].push(receiver);
    }
    let of_flows = network.flows.iter().any(|flow| flow.application.is_some());
    if of_flows || network.sessions.iter().any(|session| session.application.is_some() || session.film().is_some()) {
        shown[0].push(application::GAUGES);
    }
    shown.map(|gauges| Gauges::of(gauges.into_iter()).len() + guests.min(1) * GUEST_GAUGES)
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
pub(super) fn of<R: Row>() -> f64 {
    row(R::RECORD, size_of::<R>(), R::columns().len())
}

/// Bytes of so many rows of a table that is made piece by piece: one piece stands beside records and columns.
fn in_pieces<R: Row>(rows: f64) -> f64 {
    let columns = R::columns().len();
    rows * row(R::RECORD, 0, columns) + rows.min(PIECE as f64) * row(0, size_of::<R>(), columns)
}

/// Bytes of a row at their most: while its table is made its record, in a vector that grows by doubling, what the
/// columns are made from, and the columns, at 8 bytes each; afterwards these alone, in Rust and in Python.
fn row(record: usize, made_from: usize, columns: usize) -> f64 {
    let made = 2 * record + made_from + 8 * columns;
    made.max(2 * 8 * columns) as f64
}

/// Bytes that a link of a way takes: in the record, and the name of its node in a dictionary, in Rust and in Python.
const WAY: f64 = 64.0;

/// What guests are taken to show: nobody makes their endpoints only to ask.
const GUEST_GAUGES: usize = 16;

/// Numbers that a router agent tells of each thing that it knows: as many as the monitor.
const NUMBERS_TOLD: f64 = 3.0;

/// Bytes of a row while the summary is made.
const IN_SUMMARY: f64 = 48.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{STEADY, fork, near, network};
    use crate::run::{Control, run};
    use faircast_proto::registry::LIST as SCHEMES;
    use faircast_sim::probe::PacketRow;

    #[test]
    fn rows_are_counted_by_moment_and_subject() {
        let probes = "[probes]\nqueues = [\"s\", \"a\"]\nqueue_interval = \"500 ms\"\n";
        let bytes = |probes: &str, what: &str| {
            let network = fork(&format!("{STEADY}{probes}"));
            let parts = parts(&network, &Traffic { dilated: 2.0, ..Traffic::of(&network) });
            parts.iter().find(|part| part.what == what).expect("there is such a part").bytes
        };
        // Time zero to 10 s: 11 moments, and 21 for queues.
        near(bytes(probes, "rows of flows"), 11.0 * of_endpoint::<FlowInterval>(0));
        near(bytes(probes, "rows of receivers"), 22.0 * of_endpoint::<ReceiverInterval>(0));
        near(bytes(probes, "rows of layers"), 11.0 * of::<GroupInterval>());
        near(bytes(probes, "rows of links"), in_pieces::<LinkInterval>(66.0));
        near(bytes(probes, "rows of dilation"), 22.0 * of::<DilationRow>());
        near(bytes(probes, "samples of queues"), 42.0 * of::<QueueRow>());
        // At both queues the session, and the queue itself.
        near(bytes(probes, "waits at queues"), 4.0 * of_waits());
        // The interface, the session, its group, and control packets to a neighbour; three numbers each.
        let agent = "[links.a.agent]\nkind = \"monitor\"\n";
        near(bytes(agent, "rows of router agents"), 132.0 * of::<RouterRow>());
        let off = "[probes]\nflows = false\nlinks = false\n[links.a.agent]\nkind = \"monitor\"\n";
        let network = fork(&format!("{STEADY}{off}"));
        assert!(parts(&network, &Traffic::of(&network)).iter().all(|part| part.bytes == 0.0));
    }

    #[test]
    fn waits_are_counted_by_who_may_come_to_a_queue() {
        let classes = "{ kind = \"classes\", classes = [{ dscp = [1], queue = { kind = \"codel\" } }, \
                       { queue = { kind = \"codel\" } }] }";
        let flow = |name: &str, host: u32| {
            format!(
                "[flows.{name}]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\nfrom = \"left-{host}\"\nto = \"right-{host}\"\n"
            )
        };
        let network = network(
            "1 s",
            &format!(
                "[topology]\nkind = \"dumbbell\"\nleft = 2\nright = 2\n[links.bottleneck]\nqueue = {classes}\n\
                 back = {{ queue = {{ kind = \"codel\" }} }}\n{}{}[probes]\n\
                 queues = [\"bottleneck\", \"access-left-0\"]\npackets = [\"bottleneck\", \"bottleneck.back\"]\n",
                flow("a", 0),
                flow("b", 1)
            ),
        );
        let parts = parts(&network, &Traffic::of(&network));
        let waits = parts.iter().find(|part| part.what == "waits at queues").expect("there is such a part");
        // Both flows, the queue and its classes; both flows, there and back, and the queue; one flow and the queue.
        near(waits.bytes, (5.0 + 3.0 + 2.0) * of_waits());
    }

    #[test]
    fn of_rows_that_are_made_in_pieces_one_piece_is_counted() {
        let [own, columns] = [size_of::<LinkInterval>(), LinkInterval::columns().len()];
        let whole = (16 * columns) as f64;
        assert!(2 * LinkInterval::RECORD + 8 * columns < 16 * columns, "columns twice are more");
        near(in_pieces::<LinkInterval>(10.0), 10.0 * (whole + (own + 8 * columns) as f64));
        near(in_pieces::<LinkInterval>(1e6), 1e6 * whole + PIECE as f64 * (own + 8 * columns) as f64);
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

    #[test]
    fn columns_of_what_endpoints_show_are_counted() {
        let session = |name: &str| {
            let rates = ["layer-blocking", "layered-cbr", "rlm"].contains(&name);
            let rates = if rates { "rates = [\"8 kbit/s\"]\n" } else { "" };
            let rate = if name == "cbr" { "rate = \"8 kbit/s\"\n" } else { "" };
            format!("[sessions.{name}]\nscheme = \"{name}\"\nsource = \"left-0\"\n{rates}{rate}")
        };
        let sessions: String = SCHEMES.iter().map(|(name, _)| session(name)).collect();
        let text = format!(
            "format = 1\nname = \"all\"\nduration = \"6 s\"\n[topology]\nkind = \"dumbbell\"\nleft = 1\nright = 1\n\
             [flows.a]\nkind = \"tcp\"\n[flows.b]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\n{sessions}",
        );
        let scenario = crate::Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let output = run(&scenario, 1, &Control::default(), 1).expect("it runs");
        let made = |name: &str| {
            let table = output.tables.iter().find(|table| table.name == name);
            table.expect("there is such a table").columns.len()
        };
        let [by_senders, by_receivers] = gauges(&scenario.expand());
        assert_eq!(made("flows"), FlowInterval::columns().len() + by_senders);
        assert_eq!(made("receivers"), ReceiverInterval::columns().len() + by_receivers);
        assert!(by_senders > 20 && by_receivers > 20, "{by_senders} {by_receivers}");
    }
}
