//! How much memory a scenario takes, worked out before anything is built: what is known beforehand exactly enough, and
//! for packets under way what the slowest links can hold. An estimate, meant to refuse only what is hopeless.

use crate::model::{Duplex, FlowEntry, Scenario, Settings};
use crate::problem::Finding;
use crate::topology::Size;
use faircast_proto::quantity::QueueSize;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::Duration;
use faircast_sim::{link, probe};

/// A part of the estimate.
struct Part {
    /// What it is.
    what: &'static str,
    /// The key that it follows from.
    path: String,
    bytes: f64,
}

/// The problem of a scenario that does not fit into the memory that is free.
pub(crate) fn too_large(scenario: &Scenario) -> Option<Finding> {
    too_large_for(scenario, available())
}

fn too_large_for(scenario: &Scenario, available: f64) -> Option<Finding> {
    let parts = parts(scenario);
    let total: f64 = parts.iter().map(|part| part.bytes).sum();
    let largest = parts.into_iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
    (total > available).then(|| {
        let message = format!(
            "too large for memory: about {} would be needed and {} are free; most of it, {}, for {}",
            shown(total),
            shown(available),
            shown(largest.bytes),
            largest.what
        );
        Finding::new(largest.path, message).on(["flows", "sessions", "links", "topology", "duration", "probes"])
    })
}

fn parts(scenario: &Scenario) -> Vec<Part> {
    let nothing = Size { left: 0, right: 0, nodes: 0, links: 0 };
    let size = scenario.topology.as_ref().map_or(nothing, |topology| topology.size());
    let nodes = size.nodes as f64 + scenario.nodes.len() as f64;
    let directions = 2.0 * (size.links as f64 + scenario.links.len() as f64);
    let flows: f64 = scenario.flows.values().map(|flow| f64::from(flow.course().flows())).sum();
    let right = scenario.right();
    let sessions = scenario.sessions.len() as f64;
    let receivers: f64 = scenario.sessions.values().map(|s| f64::from(s.course().receivers.number(right))).sum();
    let topology = || scenario.topology.as_ref().map_or("nodes", |_| "topology").to_owned();
    let mut most_flows = scenario.flows.iter().collect::<Vec<_>>();
    most_flows.sort_by_key(|(_, flow)| flow.course().flows());
    let flow_path = || most_flows.last().map_or("flows".to_owned(), |(name, _)| format!("flows.{name}.count"));
    let most_receivers = scenario.sessions.iter().max_by_key(|(_, session)| session.course().receivers.number(right));
    let receivers_path =
        || most_receivers.map_or("sessions".to_owned(), |(name, _)| format!("sessions.{name}.receivers"));
    let rows = |interval: Duration| scenario.duration.as_secs_f64() / interval.as_secs_f64().max(1e-6) + 1.0;
    let sampled = scenario.probes.queues.len() as f64 * rows(scenario.probes.queue_interval);
    let row = |on: bool, bytes: usize| if on { 2.0 * bytes as f64 } else { 0.0 };
    let flow_rows = rows(scenario.probes.interval);
    let part = |what, path: String, bytes| Part { what, path, bytes };
    vec![
        part("nodes", topology(), nodes * NODE),
        part("links", topology(), directions * (DIRECTION + size_of::<link::Link>() as f64)),
        part("flows", flow_path(), flows * FLOW),
        part("receivers", receivers_path(), (sessions + receivers) * FLOW + sessions * nodes * TREE),
        part("routes", topology(), routes(nodes, directions / 2.0, 2.0 * flows + sessions + receivers)),
        part("packets under way", flow_path(), packets(scenario) * PACKET),
        part(
            "rows of flows",
            if flows > flow_rows { flow_path() } else { "probes.interval".into() },
            flows * flow_rows * row(scenario.probes.flows, FLOW_ROWS),
        ),
        part(
            "rows of receivers",
            if receivers > flow_rows { receivers_path() } else { "probes.interval".into() },
            (sessions + receivers) * flow_rows * row(scenario.probes.flows, size_of::<probe::ReceiverRow>()),
        ),
        part(
            "rows of links",
            "probes.interval".into(),
            directions * rows(scenario.probes.interval) * row(scenario.probes.links, size_of::<probe::LinkRow>()),
        ),
        part("samples of queues", "probes.queue_interval".into(), sampled * row(true, size_of::<probe::QueueRow>())),
        part("events at queues", "probes.packets".into(), events(scenario) * row(true, size_of::<probe::PacketRow>())),
    ]
}

/// Bytes for the routes of all nodes towards each node with an `end` of a flow. Without loops, so with fewer links than
/// nodes, an end stands in the tables of the routers above it only.
fn routes(nodes: f64, links: f64, ends: f64) -> f64 {
    let tables = if links < nodes { nodes.min(LEVELS) } else { nodes };
    nodes * NODE_ROUTES + tables * ends.min(nodes) * ROUTE
}

/// Packets that may be under way at once: no more than sources send without an answer, and no more than fill the wires
/// and wait at the slowest links. Elsewhere a queue hardly grows, however large its limit.
fn packets(scenario: &Scenario) -> f64 {
    let duration = scenario.duration.as_secs_f64();
    let of_entry = |flow: &FlowEntry| {
        let one = match flow {
            FlowEntry::Tcp(tcp) => tcp.config.wnd.map_or(f64::INFINITY, |wnd| wnd.0),
            FlowEntry::Cbr(cbr) => cbr.config.rate.as_bps_f64() * duration / bits(flow),
            FlowEntry::OnOff(on_off) => on_off.config.rate.as_bps_f64() * duration / bits(flow),
        };
        f64::from(flow.course().flows()) * one
    };
    // A session's packets are copied at every branch, so what its source sends is no bound.
    let sessions = if scenario.sessions.is_empty() { 0.0 } else { f64::INFINITY };
    let sent: f64 = scenario.flows.values().map(of_entry).sum::<f64>() + sessions;
    let smallest = smallest_bits(scenario);
    let links = links(scenario);
    let slowest = links.iter().filter_map(|(_, settings)| settings.rate).min();
    let held = |(number, settings): &(f64, Settings)| {
        let (Some(rate), Some(delay)) = (settings.rate, settings.delay) else { return 0.0 };
        let waiting = match settings.queue.as_ref().map(|queue| queue.limit()) {
            _ if Some(rate) != slowest => 0.0,
            Some(QueueSize::Packets(packets)) => packets,
            Some(QueueSize::Bytes(bytes)) => bytes as f64 * 8.0 / smallest,
            None => 0.0,
        };
        let rate = rate.as_bps_f64() / smallest;
        number * (rate * delay.as_secs_f64() + waiting.min(rate * duration))
    };
    sent.min(links.iter().map(held).sum())
}

/// Settings of directions of links, and how many there may be of each.
fn links(scenario: &Scenario) -> Vec<(f64, Settings)> {
    let made = scenario.topology.as_ref().map_or(0.0, |topology| topology.size().links as f64);
    let topology = scenario.topology.iter().flat_map(|topology| topology.duplexes());
    // Which settings how many links of a topology have is its own business: only the bottleneck is there once.
    let of_topology = topology.map(|(key, duplex)| (if key == "bottleneck" { 1.0 } else { made }, duplex.clone()));
    let base = Duplex { both: Settings::of_new_link(), back: None };
    let of_file = scenario.links.values().map(|link| (1.0, link.duplex.over(&base)));
    let both = |(number, duplex): (f64, Duplex)| [(number, duplex.both.clone()), (number, duplex.backwards())];
    of_topology.chain(of_file).flat_map(both).collect()
}

/// Events at the queues of which all are kept: an arrival and a departure of each packet that the rate allows.
fn events(scenario: &Scenario) -> f64 {
    let smallest = smallest_bits(scenario);
    let topology = scenario.topology.iter().flat_map(|topology| topology.duplexes());
    let fastest = topology
        .map(|(_, duplex)| duplex)
        .chain(scenario.links.values().map(|link| &link.duplex))
        .filter_map(|duplex| duplex.both.rate.max(duplex.backwards().rate))
        .max();
    let of_link = |name: &String| {
        let link = scenario.links.get(name.trim_end_matches(".back"));
        link.and_then(|link| link.duplex.both.rate).or(fastest).map_or(0.0, |rate| rate.as_bps_f64())
    };
    let bits: f64 = scenario.probes.packets.iter().map(of_link).sum();
    2.0 * bits * scenario.duration.as_secs_f64() / smallest
}

/// Bits of the smallest data packet.
fn smallest_bits(scenario: &Scenario) -> f64 {
    let of_sessions = scenario.sessions.values().map(|session| 8.0 * session.config().packet_bytes().max(1) as f64);
    scenario.flows.values().map(bits).chain(of_sessions).fold(f64::INFINITY, f64::min)
}

fn bits(flow: &FlowEntry) -> f64 {
    8.0 * flow.packet_size().0.max(1) as f64
}

/// Memory that is free: what Linux says is available, elsewhere 8 GB.
fn available() -> f64 {
    let said = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?.to_owned();
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    });
    said.map_or(8e9, |kibibytes| kibibytes * 1024.0)
}

fn shown(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        _ if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} KB", bytes / 1e3),
    }
}

// Bytes that one of each takes, names and entries of calendars included.
const NODE: f64 = 200.0;
const DIRECTION: f64 = 1000.0;
const FLOW: f64 = 3000.0;
const TREE: f64 = 120.0;
const FLOW_ROWS: usize = size_of::<probe::SenderRow>() + size_of::<probe::ReceiverRow>();
const ROUTE: f64 = 12.0;
const NODE_ROUTES: f64 = 200.0;
/// Routers above a host, in networks without loops.
const LEVELS: f64 = 30.0;
const PACKET: f64 = 128.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(count: u32) -> Scenario {
        let text = format!(
            "format = 1\nname = \"x\"\nduration = \"60 s\"\n[topology]\nkind = \"dumbbell\"\nleft = {count}\n\
             right = {count}\n[flows.web]\nkind = \"tcp\"\ncount = {count}"
        );
        Scenario::from_toml(&text).expect("it is legal")
    }

    #[test]
    fn ten_flows_take_little_and_a_thousand_more() {
        let total = |count| parts(&scenario(count)).iter().map(|part| part.bytes).sum::<f64>();
        assert!(total(10) < 2e6, "{}", total(10));
        assert!((2e7..5e8).contains(&total(1000)), "{}", total(1000));
    }

    #[test]
    fn limits_and_windows_that_never_bind_cost_nothing() {
        let mut value = scenario(1000).to_json();
        value["topology"]["access"]["queue"]["limit"] = "1000000 packets".into();
        value["flows"]["web"]["wnd"] = "100000 packets".into();
        let ample = Scenario::from_json(value).expect("it is legal");
        // Waiting: 50 packets at the bottleneck and 50 on the way back. On the wires: 100 Mbit/s for 1 ms on 4000
        // directions, counted for each of 2001 links, and 10 Mbit/s for 20 ms twice; packets have 1040 bytes.
        let expected = 2.0 * 50.0 + 2.0 * 2001.0 * 1e5 / 8320.0 + 2.0 * 2e5 / 8320.0;
        assert!((packets(&ample) - expected).abs() < 1.0, "{} {expected}", packets(&ample));
    }

    #[test]
    fn what_is_too_large_says_by_how_much_and_why() {
        let finding = too_large_for(&scenario(1000), 1e6).expect("a megabyte does not suffice");
        let message = finding.problem.message;
        assert!(
            message.starts_with("too large for memory: about ") && message.contains("1.0 MB are free"),
            "{message}"
        );
        assert!(too_large_for(&scenario(10), 8e9).is_none());
    }
}
