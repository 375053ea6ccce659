//! Building a network: nodes, links, endpoints, then a [`World`] that runs.

mod check;
mod error;
mod playing;
mod trees;
mod ways;

pub use error::BuildError;

use crate::acm::{self, Adaptive};
use crate::agent::Agent;
use crate::calendar::{Calendar, Entry, Kind, horizon};
use crate::change::{Change, Followed, Handoff, Plan};
use crate::counters::{MessageCounters, Undeliverable};
use crate::epoch::{Changes, Epoch, Treatment};
use crate::flow::Flow;
use crate::forwarding::Forwarding;
use crate::host::Host;
use crate::ids::{LinkId, NodeId};
use crate::legs::Legs;
use crate::link::{LEAST_RATE, Link, LinkMode};
use crate::loss::{self, Loss};
use crate::multicast::SessionPlan;
use crate::opportunities::Opportunities;
use crate::part::{Carriers, LinkRole};
use crate::paths::Watched;
use crate::playout::PlayoutPlan;
use crate::presence::Presence;
use crate::probe::{ProbePlan, QueueProbe, Records};
use crate::queue::{self, LinkContext, Queue};
use crate::return_channel::{Access, ReturnChannel, ReturnChannels};
use crate::router::{InterfaceAgent, port::Port};
use crate::routing::{Edge, Routes};
use crate::store::Store;
use crate::trace::Trace;
use crate::visits::{Pool, PoolPlan, SeatEnd, Visits};
use crate::wires::Wires;
use crate::witnesses::Witnesses;
use crate::world::{Home, World};
use faircast_proto::endpoint::Outbox;
use faircast_proto::group_set::MAX_GROUPS;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one direction of a link is made of.
pub struct LinkPlan {
    /// Its name, for errors.
    pub name: String,
    /// Node it leaves.
    pub from: NodeId,
    /// Node it leads to.
    pub to: NodeId,
    /// Its rate, at least [`LEAST_RATE`].
    pub rate: Rate,
    /// Its propagation delay.
    pub delay: Duration,
    /// The queue in front of it.
    pub queue: Queue,
    /// What it loses.
    pub loss: Loss,
    /// How departures are computed.
    pub mode: LinkMode,
}

/// What the transmitter of a link with legs is made of.
pub struct CarrierPlan {
    /// Its name, for errors.
    pub name: String,
    /// Node it leaves.
    pub from: NodeId,
    /// Its rate, at least [`LEAST_RATE`].
    pub rate: Rate,
    /// The queue in front of it.
    pub queue: Queue,
}

/// What a leg is made of.
pub struct LegPlan {
    /// Its name, for errors.
    pub name: String,
    /// The link of which it is a leg, given by [`NetworkBuilder::carrier`].
    pub carrier: LinkId,
    /// Node it leads to.
    pub to: NodeId,
    /// Its propagation delay.
    pub delay: Duration,
    /// What it loses.
    pub loss: Loss,
}

/// A network in the making. Addresses are given out first, so that the two ends of a flow can know each other.
pub struct NetworkBuilder {
    seed: u64,
    nodes: Vec<String>,
    links: Vec<LinkPlan>,
    /// By link.
    parts: Vec<LinkRole>,
    headers: Vec<u16>,
    treatments: Vec<Treatment>,
    changes: Plan,
    adaptive: acm::Plan,
    endpoints: Vec<EndpointPlan>,
    flows: Vec<PlannedFlow>,
    sessions: Vec<PlannedSession>,
    groups: u32,
    agents: BTreeMap<LinkId, InterfaceAgent>,
    opportunities: BTreeMap<LinkId, Opportunities>,
    returns: Vec<ReturnChannel>,
    pools: Vec<PoolPlan>,
    probes: ProbePlan,
    clock_offsets: bool,
}

struct PlannedFlow {
    sender: Address,
    receivers: Vec<Address>,
    /// What splits it, in the order in which data comes there.
    relays: Vec<Address>,
}

/// The flow's sender is the source of the session, its receivers are the members.
struct PlannedSession {
    plan: SessionPlan,
    flow: FlowId,
    playout: Option<PlayoutPlan>,
}

/// How packets come to the endpoints.
struct Ways {
    places: Vec<Home>,
    paths: Vec<Watched>,
    forwarding: Forwarding,
    /// Slot by slot.
    hosts: Vec<NodeId>,
    /// Node by node.
    slots: Vec<u32>,
    /// On how many ways between the ends of flows, there or back, each link is.
    uses: Vec<u64>,
    routes: Routes,
}

struct EndpointPlan {
    node: NodeId,
    agent: Option<(FlowId, Agent, Instant, Instant)>,
}

impl NetworkBuilder {
    /// An empty network whose random streams come from `seed`.
    pub fn new(seed: u64) -> NetworkBuilder {
        NetworkBuilder {
            seed,
            nodes: Vec::new(),
            links: Vec::new(),
            parts: Vec::new(),
            headers: Vec::new(),
            treatments: Vec::new(),
            changes: Plan::default(),
            adaptive: acm::Plan::default(),
            endpoints: Vec::new(),
            flows: Vec::new(),
            sessions: Vec::new(),
            groups: 0,
            agents: BTreeMap::new(),
            opportunities: BTreeMap::new(),
            returns: Vec::new(),
            pools: Vec::new(),
            probes: ProbePlan::default(),
            clock_offsets: true,
        }
    }

    /// The random stream called `name`.
    pub fn stream(&self, name: &str) -> Random {
        Random::stream(self.seed, name)
    }

    /// Adds a node.
    pub fn node(&mut self, name: impl Into<String>) -> NodeId {
        self.nodes.push(name.into());
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds one direction of a link.
    pub fn link(&mut self, plan: LinkPlan) -> LinkId {
        self.add(plan, LinkRole::Whole)
    }

    /// Adds the queue and transmitter of a [link with legs](crate::part).
    pub fn carrier(&mut self, plan: CarrierPlan) -> LinkId {
        let CarrierPlan { name, from, rate, queue } = plan;
        // It leads nowhere: a loop, which no way takes.
        let (to, delay, mode) = (from, Duration::ZERO, LinkMode::TwoStage);
        let loss = Loss::Lossless(loss::none::Lossless);
        self.add(LinkPlan { name, from, to, rate, delay, queue, loss, mode }, LinkRole::Carrier)
    }

    /// Adds a leg to a link with legs. Packets for it wait in that link's queue and take its transmitter, a packet to a
    /// group once for all legs that want it. What a leg loses it loses alone.
    pub fn leg(&mut self, plan: LegPlan) -> LinkId {
        let LegPlan { name, carrier, to, delay, loss } = plan;
        debug_assert_eq!(self.parts[carrier.index()], LinkRole::Carrier, "legs belong to a carrier");
        let LinkPlan { from, rate, .. } = self.links[carrier.index()];
        let random = self.stream(&format!("link/{name}/queue"));
        let context = LinkContext { rate, delay, mean_packet_bytes: 0, random };
        // Nobody asks it.
        let queue = Queue::new(&queue::Config::default(), context);
        let plan = LinkPlan { name, from, to, rate, delay, queue, loss, mode: LinkMode::TwoStage };
        self.add(plan, LinkRole::Leg(carrier))
    }

    fn add(&mut self, plan: LinkPlan, part: LinkRole) -> LinkId {
        self.links.push(plan);
        self.parts.push(part);
        self.headers.push(0);
        self.treatments.push(Treatment::default());
        LinkId(self.links.len() as u32 - 1)
    }

    /// Puts a router agent at the beginning of a link, not of a leg: these have one interface in common.
    pub fn router_agent(&mut self, link: LinkId, agent: InterfaceAgent) {
        self.agents.insert(link, agent);
    }

    /// Lets the link layer add `bytes` to each packet on a link: they take time, and bit errors can hit them. They
    /// count neither in the queue nor as bytes of packets.
    pub fn header(&mut self, link: LinkId, bytes: u16) {
        self.headers[link.index()] = bytes;
    }

    /// Lets a link with legs send symbols, with a modulation and code of its own for each transmission. All its legs
    /// must [have a signal](Self::signal). Its rate is what it sends at best.
    pub fn transmitter(&mut self, carrier: LinkId, transmitter: acm::Transmitter) {
        self.adaptive.transmitters.push((carrier, transmitter));
    }

    /// Says what a leg of a link that sends symbols can receive, and what is granted to it.
    pub fn signal(&mut self, leg: LinkId, signal: acm::Signal) {
        if let LinkRole::Leg(carrier) = self.parts[leg.index()] {
            self.adaptive.signals.push((leg, carrier, signal));
        }
    }

    /// Says what becomes of packets that wait when a link goes down or turns elsewhere: those to one host take another
    /// way if there is one and `reroute`, all others are treated as `handoff` says. Unless said otherwise they are
    /// rerouted and kept.
    pub fn handoff(&mut self, link: LinkId, handoff: Handoff, reroute: bool) {
        self.treatments[link.index()] = Treatment { handoff, no_detour: !reroute };
    }

    /// Plans a change of a link. It comes before everything else of that instant.
    pub fn change(&mut self, at: Instant, link: LinkId, change: Change) {
        self.changes.add(at, link, change);
    }

    /// Lets a link that is whole and has no other changes follow these, which are made as time goes on.
    pub fn follow(&mut self, link: LinkId, followed: Followed) {
        self.changes.follow(link, followed);
    }

    /// Lets a link that is whole send at these times alone. Its rate is then what queues take for it.
    pub fn send_at(&mut self, link: LinkId, opportunities: Opportunities) {
        self.opportunities.insert(link, opportunities);
    }

    /// Lets links that are whole and follow nothing else send in slots of one carrier, which has room for their
    /// constant slots. Their rate is what queues take for it: that of the carrier.
    pub fn return_channel(&mut self, channel: ReturnChannel) {
        debug_assert!(
            channel.terminals.iter().all(|link| self.parts[link.index()] == LinkRole::Whole),
            "terminals have links of their own"
        );
        self.returns.push(channel);
    }

    /// Plans that routes are computed anew in the delays of that instant. That happens anyway when a link goes down or
    /// up or turns elsewhere.
    pub fn reroute(&mut self, at: Instant) {
        self.changes.reroute(at);
    }

    /// Computes routes anew again and again, first when `interval` has gone by.
    pub fn reroute_every(&mut self, interval: Duration) {
        self.changes.reroute_every(interval);
    }

    /// Gives out an address on `node`, to be filled by [`place`](Self::place).
    pub fn address(&mut self, node: NodeId) -> Address {
        self.endpoints.push(EndpointPlan { node, agent: None });
        Address::endpoint(self.endpoints.len() as u32 - 1)
    }

    /// Adds a flow between two addresses.
    pub fn flow(&mut self, sender: Address, receiver: Address) -> FlowId {
        self.flows.push(PlannedFlow { sender, receivers: vec![receiver], relays: Vec::new() });
        FlowId(self.flows.len() as u32 - 1)
    }

    /// Splits a flow by relays at these addresses, in the order in which data comes there: its packets go from each of
    /// them to the next, and so do what answers them.
    pub fn split(&mut self, flow: FlowId, relays: Vec<Address>) {
        self.flows[flow.0 as usize].relays = relays;
    }

    /// Adds a multicast session from `source`. Returns its flow and the first of its groups, [`Address::group`]; the
    /// others follow it.
    pub fn session(&mut self, source: Address, plan: SessionPlan) -> (FlowId, Address) {
        assert!((1..=MAX_GROUPS).contains(&plan.groups), "a session has 1 to {MAX_GROUPS} groups, not {}", plan.groups);
        let first = Address::group(self.groups);
        self.groups += plan.groups;
        self.flows.push(PlannedFlow { sender: source, receivers: Vec::new(), relays: Vec::new() });
        let flow = FlowId(self.flows.len() as u32 - 1);
        self.sessions.push(PlannedSession { plan, flow, playout: None });
        (flow, first)
    }

    /// Lets the endpoint at `member` join the groups of a session.
    pub fn member(&mut self, session: FlowId, member: Address) {
        debug_assert!(
            self.sessions.binary_search_by_key(&session.0, |planned| planned.flow.0).is_ok(),
            "members belong to sessions"
        );
        self.flows[session.0 as usize].receivers.push(member);
    }

    /// Puts an endpoint at `address`. It is told to start at `start` and to stop at `stop`.
    pub fn place(&mut self, address: Address, flow: FlowId, agent: Agent, start: Instant, stop: Option<Instant>) {
        let stop = stop.unwrap_or(Instant::FAR_FUTURE);
        self.endpoints[address.index()].agent = Some((flow, agent, start, stop));
    }

    /// Adds a pool of at most `most` pairs of seats, made as they are needed, each between the two nodes of one of
    /// `pairs`, on which endpoints come and go as `visits` says. When all have been made, those that are free move
    /// between other nodes as they are needed there. Their flows have the numbers after those of all flows
    /// and of the pools before, in the order in which the seats are made, and are not among the
    /// [flows](World::flows) of the world. They cannot be told of
    /// [what links lose](faircast_proto::endpoint::Endpoint::sees_link_losses).
    pub fn pool(&mut self, pairs: Vec<[NodeId; 2]>, most: u32, visits: Box<dyn Visits>) {
        self.split_pool(pairs.into_iter().map(Vec::from).collect(), most, visits);
    }

    /// Adds a [pool](Self::pool) of visits with relays. Each of `rows`, which are equally long, has the nodes of a pair
    /// in the order in which data comes there: the sender's, those of relays, the receiver's.
    pub fn split_pool(&mut self, rows: Vec<Vec<NodeId>>, most: u32, visits: Box<dyn Visits>) {
        debug_assert!(rows.iter().all(|row| row.len() >= 2 && row.len() == rows[0].len()), "seats move between rows");
        self.pools.push(PoolPlan { rows, most, visits });
    }

    /// Says what is to be observed.
    pub fn probes(&mut self, plan: ProbePlan) {
        self.probes = plan;
    }

    /// Whether every node's clock is offset by a constant of its own (it is unless said otherwise). Results must not
    /// depend on it.
    pub fn clock_offsets(&mut self, on: bool) {
        self.clock_offsets = on;
    }

    /// Computes routes and sets everything up.
    ///
    /// # Errors
    /// Everything that keeps the network from running, all at once.
    pub fn build<C: Calendar>(self) -> Result<World<C>, Vec<BuildError>> {
        self.build_while(|| true)
    }

    /// Builds the world as long as `go_on` agrees, which is asked between two steps.
    ///
    /// # Errors
    /// As [`build`](Self::build); that it was given up, alone.
    pub fn build_while<C: Calendar>(mut self, go_on: impl Fn() -> bool) -> Result<World<C>, Vec<BuildError>> {
        let asked = || if go_on() { Ok(()) } else { Err(vec![BuildError::GivenUp]) };
        asked()?;
        let edges: Vec<Edge> =
            self.links.iter().map(|link| Edge { from: link.from, to: link.to, delay: link.delay }).collect();
        self.changes.sort();
        let mut errors = self.errors();
        let Ways { places, paths, forwarding, hosts, slots, uses, routes } = self.routes(&edges, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        asked()?;
        let carriers = Carriers::new(self.parts.iter().map(|part| part.carrier()).collect());
        let mut multicast = self.trees(&edges, &routes, &carriers);
        drop(routes);
        asked()?;
        let offsets = self.offsets();
        asked()?;
        let mut delays: Vec<Duration> = self.links.iter().map(|link| link.delay).collect();
        self.changes.lengthen(&mut delays);
        let times = delays.into_iter().zip(&self.links).map(|(delay, link)| delay + link.rate.time_for(1500));
        let mut calendar = C::new(horizon(times.zip(uses).collect()));
        let of_terminals = self.returns.iter().flat_map(|channel| &channel.terminals);
        let backoff = |link: &LinkId| self.stream(&format!("link/{}/backoff", self.links[link.index()].name));
        let backoffs: Vec<Random> = of_terminals.map(backoff).collect();
        let without_asking = self.returns.iter().filter(|channel| matches!(channel.access, Access::Random(_)));
        for &link in without_asking.flat_map(|channel| &channel.terminals) {
            let name = &self.links[link.index()].name;
            multicast.spread_retries(link, self.stream(&format!("link/{name}/retries")));
        }
        let mut links: Vec<Link> = self
            .links
            .into_iter()
            .map(|plan| Link::new(plan.to, plan.rate, plan.delay, plan.queue, plan.loss, plan.mode))
            .collect();
        for (link, &header) in links.iter_mut().zip(&self.headers) {
            link.set_header_bytes(header);
        }
        for (link, opportunities) in self.opportunities {
            links[link.index()].send_at(opportunities);
        }
        for channel in &self.returns {
            let may_collide = matches!(channel.access, Access::Random(_));
            channel.terminals.iter().for_each(|link| links[link.index()].send_in_slots(may_collide));
        }
        let returns = ReturnChannels::new(self.returns, links.len(), backoffs);
        let changes = self.changes.next().map(|first| {
            calendar.schedule(Entry::new(first, Kind::Change, 0));
            for (link, first) in self.changes.first_changes() {
                links[link.index()].prepare_for_changes(first);
            }
            let epoch = self.changes.changes_routes().then(|| Epoch::new(self.nodes.len(), edges.clone(), hosts));
            Box::new(Changes::new(self.changes, epoch, self.treatments))
        });
        for (index, part) in self.parts.iter().enumerate() {
            match *part {
                LinkRole::Whole => {}
                LinkRole::Carrier => links[index].prepare_for_legs(),
                LinkRole::Leg(carrier) => links[index].prepare_as_leg(self.headers[carrier.index()]),
            }
        }
        for (number, link) in (0..).map(LinkId).zip(&mut links) {
            link.set_number(number);
        }
        for (link, _) in &self.adaptive.transmitters {
            links[link.index()].adapt();
        }
        for (leg, ..) in &self.adaptive.signals {
            links[leg.index()].expect_garbled();
        }
        let mut legs = Legs::new(carriers, &links);
        legs.adaptive = Adaptive::new(self.adaptive, links.len());
        let plan = self.probes;
        let packets = Arc::new(plan.packets.clone());
        for &link in plan.queues.iter().chain(&packets.links) {
            let packets = packets.links.contains(&link).then(|| packets.clone());
            links[link.index()].attach_probe(QueueProbe::new(self.flows.len(), packets));
        }
        let ports: Vec<LinkId> = self.agents.keys().copied().collect();
        let hosts_of: Arc<[NodeId]> = match ports.is_empty() {
            true => Arc::new([]),
            false => self.endpoints.iter().map(|endpoint| endpoint.node).collect(),
        };
        for (number, (link, agent)) in (0..).zip(self.agents) {
            let port = Port::new(agent, edges[link.index()].from, number, hosts_of.clone());
            links[link.index()].attach_port(port);
        }
        // Timers of endpoints come first, those of seats that are not made yet among them.
        let seats: u32 = self.pools.iter().map(PoolPlan::hosts).sum();
        let first_port = self.endpoints.len() as u32 + seats + 1;
        let mut hosts = Vec::with_capacity(self.endpoints.len());
        for (index, endpoint) in (0..).zip(self.endpoints) {
            asked()?;
            let (flow, agent, start, stop) = endpoint.agent.expect("empty addresses are errors");
            if start.min(stop) < Instant::FAR_FUTURE {
                calendar.schedule(Entry::new(start.min(stop), Kind::Timer, index));
            }
            hosts.push(Host::new(agent, endpoint.node, flow, offsets[endpoint.node.index()], start, stop));
        }
        let mut next_flow = self.flows.len() as u32;
        let pools: Vec<Pool> = self
            .pools
            .into_iter()
            .map(|plan| {
                let first = next_flow;
                next_flow += plan.most;
                let end = |node: NodeId| SeatEnd { node, slot: slots[node.index()], offset: offsets[node.index()] };
                Pool::new(plan, FlowId(first), end)
            })
            .collect();
        let split = |(flow, ends): (u32, &PlannedFlow)| {
            let row: Vec<Address> = [ends.sender].into_iter().chain(ends.relays.iter().copied()).collect();
            (row.len() > 1).then_some((FlowId(flow), row))
        };
        let splits = (0..).zip(&self.flows).filter_map(split).collect();
        let mut receivers = Vec::new();
        let flows: Vec<Flow> = self
            .flows
            .into_iter()
            .map(|flow| {
                let first = receivers.len();
                receivers.extend(flow.receivers);
                Flow { sender: flow.sender, receivers: first..receivers.len(), finished: None }
            })
            .collect();
        let playout = playing::playout(&self.sessions, &flows, &receivers, hosts.len());
        let undeliverable = vec![Undeliverable::default(); flows.len() + 1];
        let presence = vec![Presence::default(); hosts.len()];
        let messages_sent = vec![MessageCounters::default(); hosts.len()];
        let trace = plan.trace.then(|| Box::new(Trace::new(links.len(), hosts.len())));
        let witnesses = Witnesses::among(&hosts, flows.len());
        let (now, store, witnessed) = (Instant::ZERO, Store::of(flows.len()), witnesses.is_some());
        let (lost, fault) = (None, None);
        let wires = Wires { now, calendar, links, store, trace, legs, returns, first_port, witnessed, lost, fault };
        let mut world = World {
            wires,
            places,
            forwarding,
            hosts,
            flows,
            receivers,
            outbox: Outbox::new(),
            plan,
            records: Records::default(),
            events_told: Vec::new(),
            events: 0,
            undeliverable,
            presence,
            messages_sent,
            multicast,
            messages: Vec::new(),
            ports,
            pools,
            splits,
            local: Vec::new(),
            agenda_armed: Instant::FAR_FUTURE,
            changes,
            paths,
            witnesses,
            playout,
        };
        world.schedule_probes();
        (0..world.pools.len()).for_each(|pool| world.begin_pool(pool));
        world.begin_superframes();
        // What is flooded is joined from the beginning.
        world.tell_routers();
        Ok(world)
    }

    fn errors(&self) -> Vec<BuildError> {
        let name = |node: NodeId| self.nodes[node.index()].clone();
        let node_of = |address: Address| self.endpoints[address.index()].node;
        let too_slow = self.links.iter().filter(|link| link.rate < LEAST_RATE);
        let empty = self.endpoints.iter().filter(|endpoint| endpoint.agent.is_none());
        // Sessions are in the order of their flows.
        let is_session = |flow: u32| self.sessions.binary_search_by_key(&flow, |session| session.flow.0).is_ok();
        let same = (0..).zip(&self.flows).filter(|&(index, flow)| {
            !is_session(index) && flow.receivers.iter().any(|&receiver| node_of(flow.sender) == node_of(receiver))
        });
        let starts: Vec<(&str, NodeId, LinkRole)> =
            self.links.iter().zip(&self.parts).map(|(link, &part)| (link.name.as_str(), link.from, part)).collect();
        too_slow
            .map(|link| BuildError::TooSlow { link: link.name.clone(), rate: link.rate })
            .chain(empty.map(|endpoint| BuildError::EmptyAddress { node: name(endpoint.node) }))
            .chain(same.map(|(_, flow)| BuildError::SameNode { node: name(node_of(flow.sender)) }))
            .chain(check::errors(&self.changes, &starts, self.nodes.len()))
            .collect()
    }

    /// A constant of its own for every node's clock.
    fn offsets(&self) -> Vec<Duration> {
        let offset = |name: &String| if self.clock_offsets { clock_offset(self.seed, name) } else { Duration::ZERO };
        self.nodes.iter().map(offset).collect()
    }
}

/// How much the clock of the node called `name` is ahead of the simulator's in the run with this seed, if clocks are
/// offset: up to eleven days, so that stamps of 32 bits are anywhere.
///
/// Whole microseconds: protocols stamp packets in these, and what is cut off may not depend on the offset.
pub fn clock_offset(seed: u64, name: &str) -> Duration {
    Duration::from_micros((Random::stream(seed, &format!("node/{name}/clock")).uniform() * 1e12) as u64)
}
