//! How much memory a run takes, worked out on its network before anything is built.
//!
//! An upper bound where one is known, so that a run that is let in does not die for want of memory: what is known
//! exactly (rows, nodes, links), and for packets what the traffic on each link can fill. Links that nobody uses hold
//! nothing. Left out is what nobody can know before: events of flows, sessions and router agents, which come with the
//! losses of a run.
//!
//! | file | subject |
//! |---|---|
//! | `traffic.rs` | packets under way, events at queues, trees |
//! | `load.rs` | what crosses one link |
//! | `legs.rs` | what is on its way to legs |
//! | `rows.rs` | the rows of tables |
//! | `agents.rs` | what router agents can tell of |
//! | `web.rs` | what comes and goes: connections, transfers |
//! | `after.rs` | what follows the run: summary, optimum |

mod after;
mod agents;
mod legs;
mod load;
mod rows;
mod traffic;
mod web;

use crate::network::{Network, NetworkSession};
use crate::problem::Problem;
use faircast_proto::packet::Packet;
use faircast_sim::link;
use std::collections::BTreeSet;
use traffic::Traffic;

/// What a run is expected to take.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Of the run itself.
    parts: Vec<MemoryPart>,
    /// Of what follows, when its network is gone.
    after: Vec<MemoryPart>,
}

/// A part of it.
#[derive(Clone, Debug)]
struct MemoryPart {
    /// What it is.
    what: &'static str,
    /// The key that it follows from.
    path: &'static str,
    bytes: f64,
}

impl Forecast {
    /// The forecast for a run of `network`.
    pub fn of(network: &Network) -> Forecast {
        let traffic = match network.web.is_empty() {
            true => Traffic::of(network),
            false => Traffic::of(&web::as_flows(network)),
        };
        let (nodes, directions) = (network.nodes.len() as f64, network.links.len() as f64);
        let (flows, of_sessions) = (network.flows.len() as f64, network.sessions.iter().map(session).sum::<f64>());
        let part = |what, path, bytes| MemoryPart { what, path, bytes };
        let mut parts = vec![
            part("nodes", "topology", nodes * NODE),
            part("links", "topology", directions * (DIRECTION + size_of::<link::Link>() as f64)),
            part("flows", "flows", flows * FLOW),
            part("receivers", "sessions", of_sessions + traffic.in_trees),
            part("routes", "topology", routes(network)),
            part("changes", "links", network.links.iter().map(|link| link.changes.len() as f64 * CHANGE).sum()),
            part("traces of links", "links", links_traced(network)),
            part("traces of applications", "flows", traces(network)),
            part("packets under way", "flows", traffic.under_way * PACKET),
            part("packets on their way to legs", "links", traffic.to_legs_bytes),
        ];
        parts.extend(rows::parts(network, &traffic));
        parts.extend(web::parts(network));
        Forecast { parts, after: after::parts(network) }
    }

    /// Bytes of the run itself.
    pub fn bytes(&self) -> f64 {
        total(&self.parts)
    }

    /// Bytes of the run or of what follows it in the Python package, whichever is more.
    pub fn in_all(&self) -> f64 {
        total(self.largest())
    }

    /// Bytes of one part of the run itself, by what it is; nothing if there is no such part.
    pub fn part(&self, what: &str) -> f64 {
        self.parts.iter().filter(|part| part.what == what).map(|part| part.bytes).sum()
    }

    fn largest(&self) -> &[MemoryPart] {
        if total(&self.after) > total(&self.parts) { &self.after } else { &self.parts }
    }

    /// The problem of a run for which there are only `available` bytes.
    pub fn too_large(&self, available: f64) -> Option<Problem> {
        let total = self.in_all();
        let largest = self.largest().iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
        let message = || {
            format!(
                "too large for memory: up to {} may be needed and {} are free for it; most of it, {}, for {}",
                shown(total),
                shown(available),
                shown(largest.bytes),
                largest.what
            )
        };
        (total > available).then(|| Problem::new(largest.path, message()))
    }
}

/// Bytes for what links follow: as it stands in the network, and as text and bytes in the scenario.
fn links_traced(network: &Network) -> f64 {
    network.links.iter().filter_map(|link| link.trace.as_ref()).map(|trace| 3.0 * trace.bytes() as f64).sum()
}

fn total(parts: &[MemoryPart]) -> f64 {
    parts.iter().map(|part| part.bytes).sum()
}

/// Bytes for the routes of all nodes towards each node with an end of a flow, or where a path ends that is observed.
/// Without loops, so with no more links than nodes, an end stands in the tables of the routers above it only.
fn routes(network: &Network) -> f64 {
    let of_flows = network.pairs().flat_map(|pair| [pair.from, pair.to]);
    let of_sessions = network.sessions.iter().flat_map(|session| {
        std::iter::once(session.source).chain(session.receivers.iter().map(|receiver| receiver.node))
    });
    let of_paths = network.probes.paths.iter().map(|&(_, to)| to.0);
    let ends = of_flows.chain(of_sessions).chain(of_paths).collect::<BTreeSet<u32>>().len() as f64;
    let nodes = network.nodes.len() as f64;
    // Routes that change stand in full.
    let few = (network.links.len() as f64) < 2.0 * nodes && !network.reroutes();
    let tables = if few { nodes.min(LEVELS) } else { nodes };
    nodes * NODE_ROUTES + tables * ends * ROUTE
}

/// Bytes of what applications have to send by a trace: in the scenario, in the network and with the source.
fn traces(network: &Network) -> f64 {
    let of_flows = network.flows.iter().map(|flow| &flow.application);
    let all = of_flows.chain(network.sessions.iter().map(|session| &session.application)).flatten();
    all.filter_map(|made| made.trace.as_ref()).map(|trace| 3.0 * size_of_val(&trace[..]) as f64).sum()
}

/// Bytes of a session: its source and its receivers.
fn session(session: &NetworkSession) -> f64 {
    let (plan, receivers) = (&session.plan, session.receivers.len() as f64);
    let (groups, layers) = (f64::from(plan.groups), f64::from(plan.groups.saturating_sub(plan.control.len())));
    let receiver = if plan.groups > 1 { LAYERED_RECEIVER } else { RECEIVER };
    FLOW + receivers * receiver + (1.0 + receivers) * groups * GROUP + layers * LAYER
}

fn shown(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        _ if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} KB", bytes / 1e3),
    }
}

// Bytes that one of each takes, names, entries of calendars and rows of the summary included. Measured: what a run of
// 2 s takes more with 8 200 to 33 000 of them than with two, of sessions with 500 to 4 100, as the allocator counts it
// and by the system's count of resident pages; the most of these, rounded up.
/// 330 with [`NODE_ROUTES`], most of it its name, which the description and the builder have.
const NODE: f64 = 300.0;
/// 1080 with the [`link::Link`].
const DIRECTION: f64 = 900.0;
/// 6400 for TCP and what it sends to, some 70 rows of the summary among them; 6920 for the source of a session of SMCC.
const FLOW: f64 = 7000.0;
/// 3150 with its place in the tree, which is counted there.
const RECEIVER: f64 = 3500.0;
/// One of several groups: 5650 in SMCC.
const LAYERED_RECEIVER: f64 = 6000.0;
/// A group at one end of a session: 290 at a receiver of `layered-cbr` with 2 to 60 groups, 500 there and at the source
/// together.
const GROUP: f64 = 300.0;
/// What a layer with a control of its own takes at the source beside that: 1650 with its receiver's part, in SMCC with
/// 4 to 16 layers.
const LAYER: f64 = 1400.0;
const ROUTE: f64 = 12.0;
const NODE_ROUTES: f64 = 300.0;
/// Routers above a host, in networks without loops.
const LEVELS: f64 = 30.0;
/// A change with its loss model, in a plan that grows by doubling, and as an entry of the scenario.
const CHANGE: f64 = 600.0;
/// In the store, beside its tag, and as an entry of a ring; all of them grow by doubling.
const PACKET: f64 = 2.0 * (size_of::<Packet>() + 16 + 24) as f64;

#[cfg(test)]
mod tests {
    use super::load::Load;
    use super::traffic::*;
    use super::*;
    use crate::model::Scenario;

    pub(super) fn network(duration: &str, rest: &str) -> Network {
        let text = format!("format = 1\nname = \"x\"\nduration = \"{duration}\"\n{rest}");
        Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).expand()
    }

    /// A link from a to b of 1 Mbit/s, its way back, and what is sent over it.
    fn pair(limit: &str, flow: &str) -> Network {
        pair_of("1 Mbit/s", "10 ms", "200 ms", limit, flow)
    }

    fn pair_of(rate: &str, delay: &str, duration: &str, limit: &str, flow: &str) -> Network {
        network(
            duration,
            &format!(
                "[nodes.a]\n[nodes.b]\n[links.l]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate}\"\ndelay = \"{delay}\"\n\
                 queue = {{ kind = \"drop-tail\", limit = \"{limit}\" }}\n\
                 [flows.x]\nfrom = \"a\"\nto = \"b\"\n{flow}\n[probes]\npackets = [\"l\"]\n"
            ),
        )
    }

    pub(super) fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
    }

    const FLOOD: &str = "kind = \"cbr\"\nrate = \"800 Mbit/s\"\npacket_size = \"100 B\"";

    #[test]
    fn waiting_packets_are_bounded_by_queue_growth_and_sending() {
        // On the wire 1 Mbit/s * 10 ms / 800 bit = 12.5, one in transmission, and what may wait.
        near(Traffic::of(&pair("50 packets", FLOOD)).under_way, 63.5);
        near(Traffic::of(&pair("64000 B", FLOOD)).under_way, 653.5);
        // 799 Mbit/s more come than go, for 0.2 s, and one at a time: 199751.
        near(Traffic::of(&pair("1000000 packets", FLOOD)).under_way, 199_764.5);
        // In half of the time 100000 and one are sent.
        let half = format!("{FLOOD}\nstart = \"50 ms\"\nstop = \"150 ms\"");
        near(Traffic::of(&pair("1000000 packets", &half)).under_way, 100_001.0);
        let late = format!("{FLOOD}\nstart = \"100 ms\"\nstop = \"10 s\"");
        near(Traffic::of(&pair("1000000 packets", &late)).under_way, 100_001.0);
        let periods = "kind = \"on-off\"\nrate = \"800 Mbit/s\"\npacket_size = \"100 B\"";
        near(Traffic::of(&pair("1000000 packets", periods)).under_way, 199_764.5);
    }

    #[test]
    fn events_are_those_of_what_comes_and_of_what_goes() {
        // 200001 come, 1 Mbit/s * 0.2 s / 800 bit = 250 go.
        near(Traffic::of(&pair("50 packets", FLOOD)).events, 200_251.0);
        // All that comes goes: 10 kbit/s * 0.2 s / 800 bit and one.
        near(Traffic::of(&pair("50 packets", &FLOOD.replace("800 Mbit/s", "10 kbit/s"))).events, 7.0);
    }

    #[test]
    fn links_are_fed_by_the_links_before_them() {
        let chain = network(
            "1 s",
            "[nodes.a]\n[nodes.b]\n[nodes.c]\n\
             [links.l]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
             [links.m]\nfrom = \"b\"\nto = \"c\"\nrate = \"9.9 Mbit/s\"\ndelay = \"10 ms\"\n\
             queue = { kind = \"drop-tail\", limit = \"1000 packets\" }\n\
             [flows.x]\nfrom = \"a\"\nto = \"c\"\nkind = \"cbr\"\nrate = \"5 Mbit/s\"\npacket_size = \"100 B\"\n",
        );
        // l: 125 on its wire, one waits, one is sent. m: 123.75, 100 kbit/s * 1 s / 800 bit and one wait, one is sent.
        near(Traffic::of(&chain).under_way, 127.0 + 123.75 + 126.0 + 1.0);
    }

    const TCP: &str = "kind = \"tcp\"\nmss = \"1000 B\"\nhdr = \"40 B\"";

    #[test]
    fn tcp_fills_its_way_or_its_window() {
        // Segments of 8320 bit, answers of 320 bit. The way there holds 0.09615 and the queue 50; the window is
        // 10 + 2 * (0.1923 + 50) = 110.38, of which one link holds 51.096, the other answers to two segments for each
        // that is carried, 0.1923, and two.
        let short = pair_of("8 Mbit/s", "100 us", "10 s", "50 packets", TCP);
        near(Traffic::of(&short).under_way, 51.096_153_846 + 2.192_307_692);
        // 9615.38 segments cross the link, of at most twice as many and a window that come.
        near(Traffic::of(&short).events, 9_615.384_615 * 3.0 + 110.384_615);
        // On a long way no more than 9.615 and 51 there, and back answers to twice as many as are on a wire, and two.
        let long = pair_of("8 Mbit/s", "10 ms", "10 s", "50 packets", TCP);
        near(Traffic::of(&long).under_way, 9.615_384_6 + 51.0 + 19.230_769_2 + 2.0);
        // In 10 ms no more than 9.615 segments and a first window.
        near(Traffic::of(&pair_of("8 Mbit/s", "10 ms", "10 ms", "50 packets", TCP)).under_way, 19.615_384_6);
        let held = format!("{TCP}\nwnd = \"20 packets\"");
        near(Traffic::of(&pair_of("8 Mbit/s", "10 ms", "10 s", "50 packets", &held)).under_way, 20.0);
        let wide = format!("{TCP}\nwnd = \"2000 packets\"");
        near(Traffic::of(&pair_of("8 Mbit/s", "10 ms", "10 s", "50 packets", &wide)).under_way, 81.846_153_8);
    }

    #[test]
    fn acknowledgements_have_a_size_of_their_own() {
        let network = pair_of(
            "8 Mbit/s",
            "10 ms",
            "10 s",
            "50 packets",
            "kind = \"tcp\"\nmss = \"1000 B\"\nhdr = \"0 B\"\nack_size = \"70 B\"",
        );
        let edges = network.edges();
        let ways = ways(&network, &edges, &network.routes(&edges));
        let mut loads = vec![Load::default(); network.links.len()];
        inflow(&network, &ways, &[], &mut loads);
        flows(&network, &ways, &Span::all(&network), &mut loads);
        // Two segments of 8000 bit for one that is carried, and for each an answer.
        let shown: Vec<_> = loads.iter().map(|load| (load.inflow, load.feeders, load.smallest)).collect();
        assert_eq!(shown, [(16e6, 2.0, 8000.0), (1.12e6, 1.0, 560.0)]);
    }

    #[test]
    fn a_first_window_may_be_large() {
        let large = format!("{TCP}\ninitial_cwnd = \"1000 packets\"");
        near(Traffic::of(&pair_of("8 Mbit/s", "10 ms", "10 ms", "5000 packets", &large)).under_way, 1_009.615_384_6);
    }

    /// A source, a router and two receivers.
    pub(super) fn fork(session: &str) -> Network {
        let link = |name: &str, from: &str, to: &str, rate: &str| {
            format!("[links.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"10 ms\"\n")
        };
        let links =
            link("s", "s", "r", "10 Mbit/s") + &link("a", "r", "a", "9 Mbit/s") + &link("b", "r", "b", "10 Mbit/s");
        network(
            "10 s",
            &format!(
                "[nodes.s]\n[nodes.r]\n[nodes.a]\n[nodes.b]\n{links}\
                 [sessions.film]\nsource = \"s\"\nreceivers = {{ nodes = [\"a\", \"b\"] }}\n{session}"
            ),
        )
    }

    pub(super) const STEADY: &str = "scheme = \"cbr\"\nrate = \"800 kbit/s\"\npacket_size = \"1000 B\"\n";

    #[test]
    fn sessions_fill_the_links_of_their_trees() {
        let network = fork(STEADY);
        let edges = network.edges();
        let trees = trees(&network, &edges, &network.routes(&edges));
        let name = |link: faircast_sim::ids::LinkId| network.links[link.index()].name.as_str();
        let shown: Vec<_> = trees[0].iter().map(|&(link, before)| (name(link), before.map(name))).collect();
        assert_eq!(shown, [("a", Some("s")), ("s", None), ("b", Some("s"))]);
        let mut loads = vec![Load::default(); network.links.len()];
        // 1001 packets on each of three links, and four of each receiver.
        near(sessions(&network, &trees, &Span::all(&network), &mut loads), 3011.0);
        for (link, load) in network.links.iter().zip(&loads) {
            let used = if link.name.ends_with(".back") { 0.0 } else { 1001.0 };
            assert_eq!((load.most, load.arrivals), (used, used), "{}", link.name);
        }
        // 12.5, one waiting and one in transmission; a has 11.25, and its feeder is faster by 1 Mbit/s for 10 s, more
        // than the 50 packets that may wait.
        near(Traffic::of(&network).under_way, 14.5 + 62.25 + 14.5);
        assert_eq!(sending_rates(&network), [800e3]);
        let free = fork("scheme = \"tfmcc\"\n");
        assert_eq!(sending_rates(&free), [10e6]);
    }

    #[test]
    fn routes_are_tables_of_the_ends() {
        // Without loops, of two ends in both nodes.
        near(routes(&pair("50 packets", TCP)), 2.0 * NODE_ROUTES + 2.0 * 2.0 * ROUTE);
        // The source and two receivers.
        near(routes(&fork(STEADY)), 4.0 * NODE_ROUTES + 4.0 * 3.0 * ROUTE);
        let hosts = |more: &str| {
            let flows = format!("[flows.x]\nkind = \"cbr\"\nfrom = \"left-0\"\nto = \"right-0\"\n{more}");
            network("1 s", &format!("[topology]\nkind = \"dumbbell\"\nleft = 20\nright = 20\n{flows}"))
        };
        near(routes(&hosts("")), 42.0 * NODE_ROUTES + LEVELS * 2.0 * ROUTE);
        // With a loop all nodes may be on the way.
        let loops = hosts("[links.l]\nfrom = \"left-0\"\nto = \"right-0\"\nrate = \"1 kbit/s\"\ndelay = \"1 s\"\n");
        near(routes(&loops), 42.0 * NODE_ROUTES + 42.0 * 2.0 * ROUTE);
    }

    #[test]
    fn parts_are_what_one_of_each_takes() {
        let forecast = Forecast::of(&fork(&format!("{STEADY}[probes]\nflows = false\nlinks = false\n")));
        let bytes =
            |what: &str| forecast.parts.iter().find(|part| part.what == what).expect("there is such a part").bytes;
        near(bytes("nodes"), 4.0 * NODE);
        near(bytes("links"), 6.0 * (DIRECTION + size_of::<link::Link>() as f64));
        near(bytes("receivers"), FLOW + 2.0 * RECEIVER + 3.0 * GROUP + LAYER + 4.0 * (TREE + COUNTED));
        let layered = fork("scheme = \"layered-cbr\"\nrates = [\"8 kbit/s\", \"8 kbit/s\"]\nannounce = \"apart\"\n");
        // Three groups, one of them of announcements.
        near(session(&layered.sessions[0]), FLOW + 2.0 * LAYERED_RECEIVER + 9.0 * GROUP + 2.0 * LAYER);
        near(bytes("packets under way"), 91.25 * PACKET);
        assert!(forecast.parts.iter().any(|part| part.what == "events at queues"));
    }

    #[test]
    fn what_just_fits_is_let_in() {
        let forecast = Forecast { after: Vec::new(), parts: vec![MemoryPart { what: "x", path: "y", bytes: 1e6 }] };
        assert!(forecast.too_large(1e6).is_none());
        let problem = forecast.too_large(999e3).expect("it does not fit");
        assert_eq!(
            problem.to_string(),
            "y: too large for memory: up to 1.0 MB may be needed and 999.0 KB are free for it; most of it, 1.0 MB, \
             for x"
        );
        assert_eq!([shown(1e9), shown(999e6)], ["1.0 GB", "999.0 MB"]);
    }
}
