//! A source that serves its groups by turns, members that count, and small networks for them.

use faircast_proto::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Calendar;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss, LossModel};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::probe::ProbePlan;
use faircast_sim::queue::{self, Discipline, InterfaceView, LinkContext, Queue, Verdict};
use faircast_sim::world::World;

/// Sends 1000 bytes to every group of a session by turns, one packet each `gap`.
pub struct Source {
    flow: FlowId,
    own: Address,
    groups: Vec<Address>,
    gap: Duration,
    next: Option<Instant>,
    sent: u64,
}

/// Joins its groups at the start and leaves them at the end; counts what it gets and when the last packet came.
pub struct Member {
    groups: Vec<Address>,
    own: Address,
    received: u64,
    last: Instant,
    /// Sends one packet to the first group when it starts.
    speaks: bool,
    /// How many packets came marked.
    marked: u64,
    /// The highest number that came, and how many came that were no higher.
    highest: Option<u64>,
    twice: u64,
}

impl Endpoint for Source {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.next = Some(now),
            Input::Stop => self.next = None,
            _ => {}
        }
        if self.next.is_some_and(|next| next <= now) {
            let destination = self.groups[self.sent as usize % self.groups.len()];
            out.send(packet(now, self.flow, self.own, destination, self.sent));
            self.sent += 1;
            self.next = Some(now + self.gap);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        Report { sent_pkts: self.sent, ..Report::default() }
    }
}

const GAUGES: &[Gauge] = &[
    Gauge::count("marked", "packets", "Packets with a mark."),
    Gauge::count("twice", "packets", "Packets that came again."),
    Gauge::level("last", "s", "When the last packet came."),
];

/// What a member of the first session shows: packets with a mark, packets that came again, seconds of the last.
pub fn shown<C>(world: &World<C>, member: usize) -> [f64; 3] {
    world.measure(world.receivers()[member]).try_into().expect("three")
}

impl Endpoint for Member {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                self.groups.iter().for_each(|&group| out.join(group));
                if self.speaks {
                    out.send(packet(now, FlowId(0), self.own, self.groups[0], 0));
                }
            }
            Input::Stop => self.groups.iter().for_each(|&group| out.leave(group)),
            Input::Packet { packet, .. } => {
                self.received += 1;
                self.marked += u64::from(packet.ecn > Ecn::Capable);
                self.last = now;
                if let Header::Datagram { sequence } = packet.header {
                    self.twice += u64::from(Some(sequence) <= self.highest);
                    self.highest = self.highest.max(Some(sequence));
                }
            }
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {}
            Input::Granted(_) | Input::NotSent(_) => unreachable!("this driver has all to send and sends all"),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report { received_pkts: self.received, ..Report::default() }
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        values.copy_from_slice(&[self.marked as f64, self.twice as f64, self.last.as_secs_f64()]);
    }
}

pub fn packet(now: Instant, flow: FlowId, source: Address, destination: Address, sequence: u64) -> Packet {
    let header = Header::Datagram { sequence };
    Packet { sent: now, flow, source, destination, size: 1000, ttl: INITIAL_TTL, ecn: Ecn::NotCapable, header }
}

/// Loses the first packets.
pub struct LosesFirst(pub u32);

impl LossModel for LosesFirst {
    fn loses(&mut self, _now: Instant, _packet: &Packet) -> bool {
        let loses = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        loses
    }
}

/// Marks every packet.
pub struct Marks;

impl Discipline for Marks {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Mark(Ecn::Moderate)
    }
}

pub const DELAY: Duration = Duration::from_millis(10);
pub const GAP: Duration = Duration::from_millis(5);

pub fn link(network: &mut NetworkBuilder, from: NodeId, to: NodeId, mode: LinkMode, loses_first: u32) {
    let rate = Rate(98_765_432);
    let no_loss: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("legal");
    let loss = match loses_first {
        0 => Loss::new(&no_loss, Random::stream(0, "loss")),
        n => Loss::Guest(Box::new(LosesFirst(n))),
    };
    let name = format!("{}-{}", from.0, to.0);
    network.link(LinkPlan { name, from, to, rate, delay: DELAY, queue: ample(rate), loss, mode });
}

pub fn ample(rate: Rate) -> Queue {
    let config: queue::Config =
        serde_json::from_str(r#"{"kind": "drop-tail", "limit": "1000 packets"}"#).expect("legal");
    Queue::new(&config, LinkContext { rate, delay: DELAY, mean_packet_bytes: 1000, random: Random::stream(0, "queue") })
}

pub fn duplex(network: &mut NetworkBuilder, a: NodeId, b: NodeId, mode: LinkMode) {
    link(network, a, b, mode, 0);
    link(network, b, a, mode, 0);
}

/// A member on a node, from `start` to `stop` seconds.
pub struct Stay {
    pub node: NodeId,
    pub start: f64,
    pub stop: Option<f64>,
    pub speaks: bool,
}

pub fn from(node: NodeId, start: f64) -> Stay {
    Stay { node, start, stop: None, speaks: false }
}

/// Adds a session of `plan` from `source_node` to the members at `places`. Returns its groups.
pub fn session(network: &mut NetworkBuilder, source_node: NodeId, plan: SessionPlan, places: &[Stay]) -> Vec<Address> {
    let source = network.address(source_node);
    let members: Vec<Address> = places.iter().map(|place| network.address(place.node)).collect();
    let (flow, first) = network.session(source, plan);
    let groups: Vec<Address> = (0..plan.groups).map(|i| Address::group(first.index() as u32 + i)).collect();
    let sender = Source { flow, own: source, groups: groups.clone(), gap: GAP, next: None, sent: 0 };
    network.place(source, flow, Agent::Guest(Box::new(sender)), Instant::ZERO, None);
    for (place, &own) in places.iter().zip(&members) {
        network.member(flow, own);
        let stop = place.stop.map(Instant::from_secs_f64);
        network.place(own, flow, member(own, &groups, place.speaks), Instant::from_secs_f64(place.start), stop);
    }
    groups
}

/// A member of these groups.
pub fn member(own: Address, groups: &[Address], speaks: bool) -> Agent {
    let (groups, last) = (groups.to_vec(), Instant::ZERO);
    Agent::Guest(Box::new(Member { groups, own, received: 0, last, speaks, marked: 0, highest: None, twice: 0 }))
}

pub fn build<C: Calendar>(mut network: NetworkBuilder) -> World<C> {
    network.clock_offsets(false);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

pub fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Source - router 1 - router 2 - host: links 0 to 5, down even, up odd.
pub fn row(mode: LinkMode) -> (NetworkBuilder, [NodeId; 4]) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "r1", "r2", "host"].map(|name| network.node(name));
    for pair in nodes.windows(2) {
        duplex(&mut network, pair[0], pair[1], mode);
    }
    (network, nodes)
}

/// A link that loses by this model.
pub fn link_with(network: &mut NetworkBuilder, from: NodeId, to: NodeId, loss: Loss) -> LinkId {
    let rate = Rate(98_765_432);
    let name = format!("{}-{}", from.0, to.0);
    network.link(LinkPlan { name, from, to, rate, delay: DELAY, queue: ample(rate), loss, mode: LinkMode::Fused })
}

/// Puts a source that never sends at an address.
pub fn silent(network: &mut NetworkBuilder, own: Address, flow: FlowId) {
    let sender = Source { flow, own, groups: Vec::new(), gap: GAP, next: None, sent: 0 };
    network.place(own, flow, Agent::Guest(Box::new(sender)), Instant::FAR_FUTURE, None);
}

/// A link of this delay.
pub fn link_of(network: &mut NetworkBuilder, from: NodeId, to: NodeId, delay: Duration) -> LinkId {
    let rate = Rate(98_765_432);
    let loss = Loss::Guest(Box::new(LosesFirst(0)));
    let name = format!("{}-{}", from.0, to.0);
    network.link(LinkPlan { name, from, to, rate, delay, queue: ample(rate), loss, mode: LinkMode::Fused })
}
