//! Links, flows and sessions with the protocols that scenarios use.

use faircast_proto::endpoint::{Action, Endpoint, Event, Input, Outbox, Report};
use faircast_proto::group_set::{GroupPlan, GroupSet, Role, Senders};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::quantity::Bytes;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::registry::flows::{FlowReceiver, FlowSender};
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::source::{Cbr, Sink, cbr};
use faircast_proto::tcp;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{CarrierPlan, LegPlan, LinkPlan, NetworkBuilder};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::queue::{self, LinkContext, Queue};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub const AMPLE: &str = r#"{"kind": "drop-tail", "limit": "1000 packets"}"#;
pub const NO_LOSS: &str = r#"{"kind": "none"}"#;

pub struct Wire<'a> {
    pub rate: u64,
    pub millis: u64,
    pub queue: &'a str,
    pub loss: &'a str,
}

pub fn link(network: &mut NetworkBuilder, from: NodeId, to: NodeId, wire: &Wire<'_>, mode: LinkMode) -> LinkId {
    let (name, rate, delay) = (format!("{}-{}", from.0, to.0), Rate(wire.rate), Duration::from_millis(wire.millis));
    let config: queue::Config = serde_json::from_str(wire.queue).expect("a legal queue");
    let random = network.stream(&format!("link/{name}/queue"));
    let queue = Queue::new(&config, LinkContext { rate, delay, mean_packet_bytes: 1000, random });
    let config: loss::Config = serde_json::from_str(wire.loss).expect("a legal loss model");
    let loss = Loss::new(&config, network.stream(&format!("link/{name}/loss")));
    network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode })
}

/// There as `wire` says, back without queue or loss.
pub fn duplex(network: &mut NetworkBuilder, a: NodeId, b: NodeId, wire: &Wire<'_>, mode: LinkMode) {
    link(network, a, b, wire, mode);
    link(network, b, a, &Wire { queue: AMPLE, loss: NO_LOSS, ..*wire }, mode);
}

/// A receiver of a session: where, and from when to when, in seconds.
#[derive(Clone, Copy)]
pub struct Stay {
    pub node: NodeId,
    pub start: f64,
    pub stop: Option<f64>,
}

pub fn always(node: NodeId) -> Stay {
    Stay { node, start: 0.0, stop: None }
}

/// A session from `source` to a receiver at each of `places`.
pub fn session(network: &mut NetworkBuilder, config: &SchemeConfig, source: NodeId, places: &[Stay]) -> FlowId {
    let members: Vec<(SchemeConfig, Stay)> = places.iter().map(|&place| (config.clone(), place)).collect();
    session_of(network, config, source, &members)
}

/// A session whose receivers have parameters of their own, of the same scheme and with the same groups.
pub fn session_of(
    network: &mut NetworkBuilder,
    config: &SchemeConfig,
    source: NodeId,
    members: &[(SchemeConfig, Stay)],
) -> FlowId {
    session_by(network, config, source, members, SessionPlan::sparse(config.groups().len() as u32))
}

/// A session the groups of which are joined and left as `plan` says.
pub fn session_by(
    network: &mut NetworkBuilder,
    config: &SchemeConfig,
    source: NodeId,
    members: &[(SchemeConfig, Stay)],
    plan: SessionPlan,
) -> FlowId {
    let own = network.address(source);
    let groups = config.groups();
    let which = |is: &dyn Fn(&GroupPlan) -> bool| -> GroupSet {
        (0..).zip(&groups).filter(|(_, group)| is(group)).map(|(number, _)| number).collect()
    };
    let control = which(&|group| group.role == Role::Control);
    let any_source = which(&|group| group.senders != Senders::Source);
    let (flow, group) = network.session(own, SessionPlan { control, any_source, ..plan });
    let seat = |network: &NetworkBuilder, own: Address| {
        let random = network.stream(&format!("endpoint/{}", own.index()));
        Seat { flow, own, group, members: members.len() as u32, line_rate: None, random }
    };
    let source = Agent::SchemeSender(Box::new(config.sender(seat(network, own))));
    network.place(own, flow, source, at(0.0), None);
    for (config, place) in members {
        let own = network.address(place.node);
        network.member(flow, own);
        let member = Agent::SchemeReceiver(config.receiver(seat(network, own)));
        network.place(own, flow, member, at(place.start), place.stop.map(at));
    }
    flow
}

/// A TCP flow as the JSON `config` says.
pub fn tcp(network: &mut NetworkBuilder, from: NodeId, to: NodeId, config: &str) -> FlowId {
    tcp_from(network, from, to, config, 0.0)
}

/// The same from a second on.
pub fn tcp_from(network: &mut NetworkBuilder, from: NodeId, to: NodeId, config: &str, start: f64) -> FlowId {
    let config: tcp::Config = serde_json::from_str(config).expect("a legal flow");
    let (own, peer) = (network.address(from), network.address(to));
    let flow = network.flow(own, peer);
    let random = network.stream(&format!("flow/{}/jitter", flow.0));
    network.place(
        own,
        flow,
        Agent::FlowSender(FlowSender::Tcp(Box::new(tcp::Sender::new(&config, flow, own, peer, random)))),
        at(start),
        None,
    );
    network.place(
        peer,
        flow,
        Agent::FlowReceiver(FlowReceiver::Tcp(tcp::Receiver::new(&config, flow, peer, own))),
        at(start),
        None,
    );
    flow
}

/// A constant rate in packets of 1000 bytes.
pub fn constant_rate(network: &mut NetworkBuilder, from: NodeId, to: NodeId, bps: u64) -> FlowId {
    let config = cbr::Config { rate: Rate(bps), packet_size: Bytes(1000), ..cbr::Config::default() };
    let (own, peer) = (network.address(from), network.address(to));
    let flow = network.flow(own, peer);
    let random = network.stream(&format!("flow/{}/jitter", flow.0));
    network.place(
        own,
        flow,
        Agent::FlowSender(FlowSender::Cbr(Cbr::new(&config, flow, own, peer, random))),
        at(0.0),
        None,
    );
    network.place(peer, flow, Agent::FlowReceiver(FlowReceiver::Cbr(Sink::new())), at(0.0), None);
    flow
}

pub fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Does what it is told at given moments after its start, and keeps what it gets.
#[derive(Default)]
pub struct Script {
    pub steps: VecDeque<(Duration, Action)>,
    begun: Instant,
    sent: u64,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
}

/// Nanosecond on the endpoint's clock, size in bytes and congestion bits of a packet.
pub type Arrival = (u64, u16, Ecn);

impl Endpoint for Script {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.begun = now,
            Input::Packet { packet, .. } => {
                self.arrivals.lock().expect("one thread").push((now.0, packet.size, packet.ecn))
            }
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Stop => {}
            Input::Granted(_) | Input::NotSent(_) => unreachable!("this driver has all to send and sends all"),
        }
        while let Some((_, action)) = self.steps.pop_front_if(|(after, _)| self.begun + *after <= now) {
            match action {
                Action::Send(packet) => {
                    self.sent += 1;
                    out.send(packet);
                }
                Action::SendControl(packet, control) => {
                    self.sent += 1;
                    out.send_control(packet, control);
                }
                Action::Event(event) => out.event(event),
                Action::Join(group) => out.join(group),
                Action::Leave(group) => out.leave(group),
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.steps.front().map(|(after, _)| self.begun + *after)
    }

    fn report(&self) -> Report {
        let received_pkts = self.arrivals.lock().expect("one thread").len() as u64;
        Report { sent_pkts: self.sent, received_pkts, ..Report::default() }
    }
}

/// What a scripted sender is to do: send an ECN-capable packet of this size, or tell an event.
#[derive(Clone, Copy)]
pub enum Step {
    Send(u16),
    Marked(u16),
    Tell(Event),
}

/// A flow whose sender starts at `start` and takes each step so many microseconds later; what comes to its receiver.
pub fn script(
    network: &mut NetworkBuilder,
    [from, to]: [NodeId; 2],
    start: Instant,
    steps: &[(u64, Step)],
) -> Arc<Mutex<Vec<Arrival>>> {
    let (source, destination) = (network.address(from), network.address(to));
    let flow = network.flow(source, destination);
    let header = Header::Datagram { sequence: 0 };
    let packet = |size, ecn| {
        Action::Send(Packet { sent: start, flow, source, destination, size, ttl: INITIAL_TTL, ecn, header })
    };
    let action = |step| match step {
        Step::Send(size) => packet(size, Ecn::Capable),
        Step::Marked(size) => packet(size, Ecn::Moderate),
        Step::Tell(event) => Action::Event(event),
    };
    let steps = steps.iter().map(|&(micros, step)| (Duration::from_micros(micros), action(step))).collect();
    network.place(source, flow, Agent::Guest(Box::new(Script { steps, ..Script::default() })), start, None);
    let receiver = Script::default();
    let arrivals = receiver.arrivals.clone();
    network.place(destination, flow, Agent::Guest(Box::new(receiver)), Instant::ZERO, None);
    arrivals
}

/// An endpoint that takes each action so many microseconds after its start; what comes to it.
pub fn actor(actions: &[(u64, Action)]) -> (Agent, Arc<Mutex<Vec<Arrival>>>) {
    let steps = actions.iter().map(|(micros, action)| (Duration::from_micros(*micros), action.clone())).collect();
    let script = Script { steps, ..Script::default() };
    let arrivals = script.arrivals.clone();
    (Agent::Guest(Box::new(script)), arrivals)
}

/// The transmitter of a link with legs, named by its node, at `wire`'s rate behind its queue.
pub fn carrier(network: &mut NetworkBuilder, from: NodeId, wire: &Wire<'_>) -> LinkId {
    let (name, rate) = (format!("{}-", from.0), Rate(wire.rate));
    let config: queue::Config = serde_json::from_str(wire.queue).expect("a legal queue");
    let random = network.stream(&format!("link/{name}/queue"));
    let queue = Queue::new(&config, LinkContext { rate, delay: Duration::ZERO, mean_packet_bytes: 1000, random });
    network.carrier(CarrierPlan { name, from, rate, queue })
}

/// A leg to `to` with `wire`'s delay and losses, whose streams are those of a [`link`] between the same nodes.
pub fn leg(network: &mut NetworkBuilder, carrier: LinkId, from: NodeId, to: NodeId, wire: &Wire<'_>) -> LinkId {
    let (name, delay) = (format!("{}-{}", from.0, to.0), Duration::from_millis(wire.millis));
    let config: loss::Config = serde_json::from_str(wire.loss).expect("a legal loss model");
    let loss = Loss::new(&config, network.stream(&format!("link/{name}/loss")));
    network.leg(LegPlan { name, carrier, to, delay, loss })
}

/// Joins (true) and leaves groups at given moments.
pub struct Memberships {
    steps: Vec<(Instant, Address, bool)>,
    done: usize,
}

impl Memberships {
    pub fn new(steps: Vec<(Instant, Address, bool)>) -> Memberships {
        Memberships { steps, done: 0 }
    }
}

impl Endpoint for Memberships {
    fn handle(&mut self, now: Instant, _input: Input<'_>, out: &mut Outbox) {
        while let Some(&(_, group, joins)) = self.steps.get(self.done).filter(|&&(at, ..)| at <= now) {
            match joins {
                true => out.join(group),
                false => out.leave(group),
            }
            self.done += 1;
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.steps.get(self.done).map(|&(at, ..)| at)
    }

    fn report(&self) -> Report {
        Report::default()
    }
}
