//! From a scenario to its network. The one place where a topology becomes links; what does not fit is found here.

mod changes;
pub(crate) mod constellation;
pub(crate) mod legs;
mod pep;
mod returns;
mod sessions;
mod symbols;
mod web;

use crate::control::{Cancelled, Control};
use crate::model::{Course, Duplex, FlowEntry, LinkEntry, ModeChoice, Nodes, PathEntry, Probes, Scenario, Settings};
use crate::network::{DirectedLink, FlowGroup, Network, NetworkChange, NetworkFlow, NetworkNode};
use crate::problem::{Finding, list, nearest};
use crate::recordings::link_trace::LinkTrace;
use crate::topology::{Hosts, Sketch, Sort};
use crate::web::NetworkWeb;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::source::application;
use faircast_proto::tcp;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link;
use faircast_sim::part::LinkRole;
use faircast_sim::probe::{PacketAction, PacketPlan, ProbePlan};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Scenario {
    /// The network that the scenario describes. The scenario must be legal: what cannot be made is left out.
    pub fn expand(&self) -> Network {
        expand(self, self.seed, &mut Vec::new(), &Control::default()).expect("nobody else has the control")
    }

    /// How often routes are computed anew: as the scenario says, or else its topology.
    fn reroute_interval(&self) -> Option<Duration> {
        self.reroute_interval.or_else(|| self.topology.as_ref()?.reroute_interval())
    }
}

/// The network of `scenario` in the run with a seed, on which looks for satellites may depend. What cannot be made is
/// left out of it and reported in `found`.
pub(crate) fn expand(
    scenario: &Scenario,
    seed: u64,
    found: &mut Vec<Finding>,
    control: &Control,
) -> Result<Network, Cancelled> {
    let around = scenario.surroundings(seed);
    let sketch = scenario.topology.as_ref().map_or_else(Sketch::default, |topology| topology.lay(&around));
    let mut handoffs = sketch.handoffs.clone();
    handoffs.sort_by_key(|handoff| handoff.at);
    let mut network = Network {
        duration: scenario.duration,
        seed,
        nodes: Vec::new(),
        links: Vec::new(),
        returns: Vec::new(),
        flows: Vec::new(),
        flow_groups: Vec::new(),
        web: Vec::new(),
        sessions: Vec::new(),
        handoffs,
        reroute_interval: scenario.reroute_interval(),
        probes: ProbePlan {
            warmup: Instant::ZERO + scenario.warmup(),
            interval: scenario.probes.interval,
            queue_interval: scenario.probes.queue_interval,
            flows: scenario.probes.flows,
            links: scenario.probes.links,
            events: scenario.probes.events,
            queues: Vec::new(),
            packets: PacketPlan::default(),
            paths: Vec::new(),
            trace: scenario.probes.trace,
        },
        calendar: scenario.engine.calendar,
        clock_offsets: scenario.engine.clock_offsets,
    };
    let (names, carriers) = (BTreeMap::new(), BTreeMap::new());
    let (returns, slotted) = (Vec::new(), BTreeMap::new());
    let mut expansion =
        Expansion { scenario, names, carriers, returns, slotted, network: &mut network, found, control };
    expansion.nodes(&sketch)?;
    expansion.links(&sketch)?;
    expansion.flows()?;
    expansion.sessions()?;
    expansion.web()?;
    expansion.probes();
    expansion.paths();
    Ok(network)
}

struct Expansion<'a> {
    scenario: &'a Scenario,
    /// Indices of nodes by name.
    names: BTreeMap<String, u32>,
    /// Links with legs by name.
    carriers: BTreeMap<String, LinkId>,
    /// Return channels, and on which of them directions of links send, by name.
    returns: Vec<returns::Planned>,
    slotted: BTreeMap<String, usize>,
    network: &'a mut Network,
    found: &'a mut Vec<Finding>,
    control: &'a Control,
}

impl Expansion<'_> {
    fn nodes(&mut self, sketch: &Sketch) -> Result<(), Cancelled> {
        for name in sketch.nodes.iter().chain(self.scenario.nodes.keys()) {
            self.control.look()?;
            // A node of the topology may be described in the file: it is still the same node.
            if !self.names.contains_key(name) {
                self.names.insert(name.clone(), self.network.nodes.len() as u32);
                self.network.nodes.push(NetworkNode { name: name.clone() });
            }
        }
        Ok(())
    }

    fn links(&mut self, sketch: &Sketch) -> Result<(), Cancelled> {
        self.plan_returns(sketch);
        let mut new: BTreeMap<&str, &LinkEntry> =
            self.scenario.links.iter().map(|(name, link)| (name.as_str(), link)).collect();
        for link in &sketch.links {
            self.control.look()?;
            let given = new.remove(link.name.as_str());
            let duplex = given.map_or_else(|| link.duplex.clone(), |given| Arc::new(given.duplex.over(&link.duplex)));
            if let Some(given) = given {
                self.refuse_ends(&link.name, given);
                if !link.moves.is_empty() {
                    let path = format!("links.{}", link.name);
                    constellation::refuse_geometry(&path, &given.duplex, self.found);
                }
            }
            let to = self.names[&link.to];
            match link.sort {
                Sort::Duplex | Sort::Simplex => {
                    let simplex = link.sort == Sort::Simplex || given.is_some_and(|given| given.simplex);
                    self.link(&link.name, [self.names[&link.from], to], &duplex, simplex, &link.moves);
                }
                Sort::Carrier => self.carrier(&link.name, to, given, duplex.both.clone()),
                Sort::Leg => self.leg(&link.name, &link.from, to, given, duplex.both.clone(), &link.moves),
            }
        }
        let with_legs: BTreeSet<&str> = new.values().filter_map(|link| link.leg_of.as_deref()).collect();
        let (legs, others): (Vec<_>, Vec<_>) = new.into_iter().partition(|(_, given)| given.leg_of.is_some());
        for (name, given) in others {
            self.control.look()?;
            if with_legs.contains(name) {
                self.new_carrier(name, given);
                continue;
            }
            let base = Duplex { both: Settings::of_new_link(), back: None };
            if let Some(ends) = self.new_link_ends(name, given, sketch) {
                self.link(name, ends, &given.duplex.over(&base), given.simplex, &[]);
            }
        }
        for (name, given) in legs {
            self.control.look()?;
            self.new_leg(name, given);
        }
        self.settle_rates();
        self.settle_returns();
        Ok(())
    }

    /// A link whose topology changes it by `moves`.
    fn link(&mut self, name: &str, [from, to]: [u32; 2], duplex: &Duplex, simplex: bool, moves: &[NetworkChange]) {
        let path = format!("links.{name}");
        if simplex && duplex.back.is_some() {
            self.found.push(Finding::new(
                format!("{path}.back"),
                "a simplex link has no direction back: leave out back, or simplex",
            ));
        }
        self.refuse_symbols(&path, &duplex.both);
        if let Some(back) = duplex.back.as_ref().filter(|_| !simplex) {
            self.refuse_symbols(&format!("{path}.back"), back);
        }
        let mut directions = vec![(name.to_owned(), from, to, duplex.both.clone())];
        if !simplex {
            directions.push((format!("{name}.back"), to, from, duplex.backwards()));
        }
        for (name, from, to, mut settings) in directions {
            settings.rate = self.rate_of_slots(&name).or(settings.rate);
            self.refuse_rates_of_slots(&name, &settings);
            let Settings { rate: Some(rate), delay: Some(delay), queue: Some(queue), loss: Some(loss), agent, .. } =
                settings
            else {
                // Already reported as missing.
                continue;
            };
            let mode = settled(settings.mode.unwrap_or_default(), self.scenario.engine.link_mode);
            let header = settings.header.map_or(0, |header| u16::try_from(header.0).unwrap_or(u16::MAX));
            let handoff = settings.handoff_queue.unwrap_or_default();
            let reroute =
                settings.reroute.unwrap_or_else(|| moves.is_empty() || constellation::takes_another_way(handoff));
            let handoff = handoff.into();
            let given = settings.changes.as_deref().unwrap_or(&[]);
            let changes = self.changes(&format!("{path}.changes"), from, &constellation::allowed(moves, given));
            let changes = constellation::beside(moves, changes);
            let trace = settings.trace.as_ref().map(|trace| Arc::new(LinkTrace::of(trace)));
            if trace.is_some() && !changes.is_empty() {
                let message = match moves.is_empty() {
                    true => "given with changes; a trace says it all: leave one out",
                    false => "the satellites' places say what changes about this link: leave it out",
                };
                let finding = Finding::new(format!("{path}.trace"), message).on(["topology", "links"]);
                // Both directions may have the same.
                if self.found.iter().all(|known| known.problem.path != finding.problem.path) {
                    self.found.push(finding);
                }
            }
            let link = DirectedLink {
                name,
                from,
                to,
                part: LinkRole::Whole,
                rate,
                symbols: None,
                delay,
                queue: self.network.shared(queue),
                loss,
                agent: agent.map(Box::new),
                mode,
                header,
                handoff,
                reroute,
                changes,
                trace,
            };
            self.network.links.push(link);
        }
    }

    fn refuse_ends(&mut self, name: &str, given: &LinkEntry) {
        for (key, end) in [("from", &given.from), ("to", &given.to), ("leg_of", &given.leg_of)] {
            if end.is_some() {
                let message = format!("the topology makes the link {name} and says where it ends: leave out {key}");
                self.found.push(Finding::new(format!("links.{name}.{key}"), message).on(["topology"]));
            }
        }
    }

    /// The ends of a link that the topology does not make.
    fn new_link_ends(&mut self, name: &str, given: &LinkEntry, sketch: &Sketch) -> Option<[u32; 2]> {
        let path = format!("links.{name}");
        let settings = &given.duplex.both;
        let lacking: Vec<&str> = [
            ("from", given.from.is_none()),
            ("to", given.to.is_none()),
            ("rate", settings.rate.is_none() && !self.has_slots(name, given)),
            ("delay", settings.delay.is_none()),
        ]
        .into_iter()
        .filter_map(|(key, lacks)| lacks.then_some(key))
        .collect();
        if constellation::is_uplink(self.scenario, name) {
            // That of a station which no satellite serves: that is said of the station.
            return None;
        }
        if given.from.is_none() && given.to.is_none() && self.scenario.topology.is_some() {
            let legal: Vec<&str> = sketch.links.iter().map(|link| link.name.as_str()).collect();
            let message = format!(
                "the topology makes no link {name}{}, and a new link needs from, to, rate and delay",
                nearest(name, legal.iter().copied())
            );
            self.found.push(Finding::new(path, message).legal(list(&legal)).on(["topology"]));
            return None;
        }
        if !lacking.is_empty() {
            let message = format!("{} missing: a new link needs from, to, rate and delay", list(&lacking));
            self.found.push(Finding::new(path.clone(), message).on(["topology"]));
        }
        let from = given.from.as_ref().map(|end| self.node(&format!("{path}.from"), end));
        let to = given.to.as_ref().map(|end| self.node(&format!("{path}.to"), end));
        match (from, to) {
            (Some(Some(from)), Some(Some(to))) if from == to => {
                let message = "a link leads to another node, not to itself";
                self.found.push(Finding::new(format!("{path}.to"), message).given(given.to.as_deref()));
                None
            }
            (Some(Some(from)), Some(Some(to))) => Some([from, to]),
            _ => None,
        }
    }

    /// The index of the node called `name`, which stands at `path`.
    fn node(&mut self, path: &str, name: &str) -> Option<u32> {
        let index = self.names.get(name).copied();
        if index.is_none() {
            let legal: Vec<&str> = self.names.keys().map(String::as_str).collect();
            let message = format!("there is no node {name}{}", nearest(name, legal.iter().copied()));
            self.found
                .push(Finding::new(path, message).given(Some(name)).legal(list(&legal)).on(["topology", "nodes"]));
        }
        index
    }

    fn flows(&mut self) -> Result<(), Cancelled> {
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        for (entry, flow) in &self.scenario.flows {
            if matches!(flow, FlowEntry::Web(_)) {
                continue;
            }
            let course = flow.course();
            let path = format!("flows.{entry}");
            let ends = [
                self.ends(&format!("{path}.from"), course, course.from.as_ref(), "left"),
                self.ends(&format!("{path}.to"), course, course.to.as_ref(), "right"),
            ];
            let relays = self.relays(&path, course);
            let first = self.network.flows.len();
            for index in 0..course.flows() {
                self.control.look()?;
                let name = course.flow_name(entry, index);
                if let Some(other) = taken.insert(name.clone(), entry) {
                    let (counted, plain) =
                        if course.count.is_some() { (entry.as_str(), other) } else { (other, &entry[..]) };
                    let message = format!("count makes a flow {name}, but there is flows.{plain} already");
                    self.found.push(Finding::new(format!("flows.{counted}.count"), message));
                }
                let [Some(from), Some(to)] = [&ends[0], &ends[1]].map(|ends| ends.of(index)) else { continue };
                if from == to {
                    let node = &self.network.nodes[from as usize].name;
                    let message = format!("flow {name} would start and end on node {node}; it must cross a link");
                    self.found.push(Finding::new(path.clone(), message));
                    continue;
                }
                let (start, start_jitter, stop) = (course.start_of(index), course.start_jitter, course.stop);
                let dscp = course.dscp;
                let (kind, application) = with_application(flow.config_of(index), course.application.as_ref());
                let pep = match &kind {
                    FlowConfig::Tcp(tcp) => self.pep(&path, &relays, index, [from, to], tcp, course.pep.as_ref()),
                    _ => Some(None),
                };
                let Some(pep) = pep else { continue };
                let flow = NetworkFlow { name, from, to, kind, start, start_jitter, stop, dscp, application, pep };
                self.network.flows.push(flow);
            }
            if course.count.is_some() {
                self.network
                    .flow_groups
                    .push(FlowGroup { name: entry.clone(), flows: first..self.network.flows.len() });
            }
        }
        Ok(())
    }

    /// The nodes at one end of the flows of an entry, as said in the file or by default.
    fn ends(&mut self, path: &str, course: &Course, given: Option<&Nodes>, side: &str) -> Ends {
        match given {
            Some(Nodes::One(name)) => self.node(path, name).map_or(Ends::Unknown, Ends::One),
            Some(Nodes::Each(names)) => {
                if names.len() as u64 != u64::from(course.flows()) {
                    let message = format!(
                        "{} nodes for {} flows: name one for each, or a single one",
                        names.len(),
                        course.flows()
                    );
                    self.found.push(Finding::new(path, message).legal(format!("a list of {}", course.flows())));
                    return Ends::Unknown;
                }
                let each = (0..).zip(names).map(|(i, name)| self.node(&format!("{path}[{i}]"), name)).collect();
                Ends::Each(each)
            }
            None => self.default_ends(path, course, side),
        }
    }

    /// left-0, left-1 and so on, or right-0, right-1, or what the topology calls them.
    fn default_ends(&mut self, path: &str, course: &Course, side: &str) -> Ends {
        let topology = self.scenario.topology.as_ref();
        let host = |i| self.names.get(&topology?.host(side, i)?).copied();
        let each: Vec<Option<u32>> = (0..course.flows()).map(host).collect();
        if let Some(lacking) = each.iter().position(Option::is_none) {
            let message = match topology.map(|topology| topology.hosts(side)) {
                None => "missing: without a topology a flow must say from where to where it goes".to_owned(),
                Some(Hosts::None) => {
                    format!("missing: this topology has no hosts on its {side}; name nodes here")
                }
                Some(Hosts::For(what)) => format!(
                    "missing, so flow {lacking} would need a host of its own, but the topology has {lacking} {what}; \
                     name nodes here"
                ),
                Some(Hosts::Counted) => format!(
                    "missing, so flow {lacking} would need the node {side}-{lacking}, but topology.{side} is \
                     {lacking}: make it {}, or name nodes here",
                    course.flows()
                ),
            };
            self.found.push(Finding::new(path, message).on(["topology", "nodes"]));
        }
        Ends::Each(each)
    }

    fn probes(&mut self) {
        let links = self.network.links_by_name();
        let leg_of = |index: u32| {
            let carrier = self.network.links[index as usize].carrier()?;
            Some(self.network.links[carrier.index()].name.as_str())
        };
        let scenario = self.scenario;
        let mut resolve = |key: &str, names: &[String]| -> Vec<LinkId> {
            let (mut indices, mut taken) = (Vec::new(), BTreeSet::new());
            for (i, name) in names.iter().enumerate() {
                let path = format!("probes.{key}[{i}]");
                match links.get(name.as_str()) {
                    Some(&index) if !taken.insert(index) => {
                        self.found.push(Finding::new(path, format!("{name} is named twice")).given(Some(name)));
                    }
                    // A leg has losses of its own, but no queue.
                    Some(&index) => match leg_of(index).filter(|_| key == "queues") {
                        None => indices.push(LinkId(index)),
                        Some(carrier) => {
                            let message = format!("{name} is a leg: the queue is that of {carrier}");
                            self.found.push(Finding::new(path, message).given(Some(name)).on(["topology", "links"]));
                        }
                    },
                    // It is there, but something is wrong with it, which has been said.
                    None if self.scenario.links.get(name.trim_end_matches(".back")).is_some_and(|l| !l.simplex) => {}
                    None if constellation::is_uplink(scenario, name) => {}
                    None => {
                        let message = format!("there is no link {name}{}", nearest(name, links.keys().copied()));
                        let legal: Vec<&str> = links.keys().copied().collect();
                        self.found.push(
                            Finding::new(path, message).given(Some(name)).legal(list(&legal)).on(["topology", "links"]),
                        );
                    }
                }
            }
            indices
        };
        let queues = resolve("queues", &self.scenario.probes.queues);
        let packets = resolve("packets", &self.scenario.probes.packets);
        self.network.probes.queues = queues;
        self.network.probes.packets = self.packets(packets);
    }

    /// What is kept of the packets on these links.
    fn packets(&mut self, links: Vec<LinkId>) -> PacketPlan {
        let scenario = self.scenario;
        let Probes { packets_from, packets_until, packets_flows, packets_actions, .. } = &scenario.probes;
        let mut plan = PacketPlan { links, ..PacketPlan::default() };
        let given = [
            ("packets_from", packets_from.is_some()),
            ("packets_until", packets_until.is_some()),
            ("packets_flows", !packets_flows.is_empty()),
            ("packets_actions", !packets_actions.is_empty()),
        ];
        for (key, _) in given.into_iter().filter(|&(_, given)| given && scenario.probes.packets.is_empty()) {
            let message = "of which links? probes.packets names none".to_owned();
            self.found.push(Finding::new(format!("probes.{key}"), message).on(["probes"]));
        }
        let from = packets_from.unwrap_or(Duration::ZERO);
        plan.from = Instant::ZERO + from;
        if from > scenario.duration {
            let message = format!("{from} given; legal is up to the duration, {}", scenario.duration);
            self.found.push(Finding::new("probes.packets_from", message).given(Some(from)).on(["duration"]));
        }
        if let Some(until) = *packets_until {
            plan.until = Instant::ZERO + until;
            if until < from {
                let message = format!("{until} given; legal is packets_from, {from}, or later");
                self.found.push(Finding::new("probes.packets_until", message).given(Some(until)));
            }
        }
        if !packets_flows.is_empty() {
            plan.flows = Some(self.named_flows("probes.packets_flows", packets_flows).into());
        }
        if !packets_actions.is_empty() {
            plan.actions = [false; PacketAction::NAMES.len()];
            packets_actions.iter().for_each(|action| plan.actions[*action as usize] = true);
        }
        plan
    }

    /// Of all flows and sessions of the network whether they are among these names, of flows, entries or sessions.
    fn named_flows(&mut self, path: &str, names: &[String]) -> Vec<bool> {
        let flows = self.network.flows.iter().map(|flow| flow.name.as_str());
        let sessions = self.network.sessions.iter().map(|session| session.name.as_str());
        // Web traffic has as many flows as connections.
        let connections = |web: &Arc<NetworkWeb>| std::iter::repeat_n(web.name.clone(), web.at_once as usize);
        let of_web: Vec<String> = self.network.web.iter().flat_map(connections).collect();
        let all: Vec<&str> = flows.chain(sessions).chain(of_web.iter().map(String::as_str)).collect();
        let mut chosen = vec![false; all.len()];
        for (index, name) in names.iter().enumerate() {
            let of_entry = |flow: &str| {
                let number = flow.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('-'));
                let is_entry = self.scenario.flows.contains_key(name);
                flow == name
                    || is_entry && number.is_some_and(|number| number.bytes().all(|sign| sign.is_ascii_digit()))
            };
            let mut known = false;
            for (flow, chosen) in all.iter().zip(&mut chosen) {
                if of_entry(flow) {
                    (known, *chosen) = (true, true);
                }
            }
            if !known {
                let mut all = all.clone();
                all.dedup();
                let message = format!("there is no flow or session {name}{}", nearest(name, all.iter().copied()));
                let finding = Finding::new(format!("{path}[{index}]"), message).given(Some(name));
                self.found.push(finding.legal(list(&all)).on(["flows", "sessions"]));
            }
        }
        chosen
    }

    /// The pairs of nodes between which the way is observed.
    fn paths(&mut self) {
        let mut taken = BTreeSet::new();
        for (i, PathEntry { from, to }) in self.scenario.probes.paths.iter().enumerate() {
            let path = format!("probes.paths[{i}]");
            let [Some(from), Some(to)] =
                [("from", from), ("to", to)].map(|(k, name)| self.node(&format!("{path}.{k}"), name))
            else {
                continue;
            };
            let names = || [from, to].map(|node| self.network.nodes[node as usize].name.as_str()).join(" to ");
            let message = match (from == to, taken.insert((from, to))) {
                (true, _) => "a path leads to another node, not to itself".to_owned(),
                (_, false) => format!("the path from {} is named twice", names()),
                _ => {
                    self.network.probes.paths.push((NodeId(from), NodeId(to)));
                    continue;
                }
            };
            self.found.push(Finding::new(path, message));
        }
    }
}

/// A flow with its application: TCP that has all of it at once has so many segments.
fn with_application(
    kind: FlowConfig,
    application: Option<&application::Config>,
) -> (FlowConfig, Option<application::Config>) {
    if let FlowConfig::Tcp(tcp) = &kind
        && let Some(&application::Config { rate: None, trace: None, buffer: None, bytes: Some(bytes) }) = application
        && let Ok(segments) = u32::try_from(bytes.0.div_ceil(tcp.segment_bytes().max(1)))
    {
        return (FlowConfig::Tcp(tcp::Config { segments: Some(segments.max(1)), ..tcp.clone() }), None);
    }
    (kind, application.cloned())
}

/// The nodes at one end of the flows of an entry.
enum Ends {
    One(u32),
    Each(Vec<Option<u32>>),
    Unknown,
}

impl Ends {
    fn of(&self, index: u32) -> Option<u32> {
        match self {
            Ends::One(node) => Some(*node),
            Ends::Each(nodes) => nodes[index as usize],
            Ends::Unknown => None,
        }
    }
}

/// The mode of a link that says `mode` in a scenario whose engine says `engine`.
fn settled(mode: ModeChoice, engine: ModeChoice) -> link::LinkMode {
    match (mode, engine) {
        (ModeChoice::TwoStage, _) | (ModeChoice::Auto, ModeChoice::TwoStage) => link::LinkMode::TwoStage,
        // A queue that decides at departure makes the link two-stage by itself.
        _ => link::LinkMode::Fused,
    }
}
