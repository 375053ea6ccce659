//! From the description of a network to a simulator that runs it.
//!
//! Every random stream has the name of what it belongs to (`"link/bottleneck/loss"`, `"flow/web-0/jitter"`), so adding
//! a flow or a link changes nothing for the others.

use crate::control::{Cancelled, Control, Failure};
use crate::network::{self, Network, NetworkChange, NetworkFlow, NetworkPep, NetworkSession, Symbols, What};
use crate::problem::Problem;
use crate::recordings::link_trace::LinkTrace;
use crate::web::Connections;
use faircast_proto::flow_kind::{FlowKind, FlowSeat};
use faircast_proto::group_set::{GroupPlan, Role};
use faircast_proto::liar::Liar;
use faircast_proto::packet::Address;
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeReceiver;
use faircast_proto::registry::flows::{FlowConfig, FlowReceiver, FlowSender};
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::source::application::{self, ApplicationLimited};
use faircast_proto::tcp::{self, RelayPlace};
use faircast_proto::time::{Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{BuildError, CarrierPlan, LegPlan, LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Calendar;
use faircast_sim::change::{Change, Followed};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::loss::Loss;
use faircast_sim::part::LinkRole;
use faircast_sim::playout::PlayoutPlan;
use faircast_sim::queue::{LinkContext, Queue};
use faircast_sim::return_channel::ReturnChannel;
use faircast_sim::router::{InterfaceAgent, RouterContext};
use faircast_sim::world::World;
use std::sync::Arc;

/// Builds the simulator of a network for one seed.
///
/// # Errors
/// What keeps the network from being built, for a scenario that has been checked only that somebody cancels it.
pub fn build<C: Calendar>(description: &network::Network, seed: u64, control: &Control) -> Result<World<C>, Failure> {
    let mut network = NetworkBuilder::new(seed);
    for node in &description.nodes {
        network.node(&node.name);
    }
    let mean_packet_bytes = description.mean_packet_bytes();
    let dscp = dscp_of_flows(description);
    let mut signals = description.signals(seed, control)?;
    for (index, link) in description.links.iter().enumerate() {
        control.look()?;
        let context = LinkContext {
            rate: link.rate,
            delay: link.delay,
            mean_packet_bytes,
            random: network.stream(&format!("link/{}/queue", link.name)),
        };
        let mut queue = Queue::new(&link.queue, context);
        if let Queue::Scheduler(queue) = &mut queue {
            queue.know_dscp(&dscp);
        }
        let loss = Loss::new(&link.loss, network.stream(&format!("link/{}/loss", link.name)));
        let agent = link.agent.as_ref().map(|agent| {
            let context = RouterContext {
                rate: link.rate,
                delay: link.delay,
                limit: link.queue.limit(),
                is_fair: description.sessions.iter().all(|session| link.queue.is_fair(session.dscp)),
                mean_packet_bytes,
                random: network.stream(&format!("link/{}/agent", link.name)),
            };
            InterfaceAgent::new(agent, context)
        });
        let (name, from, to) = (link.name.clone(), NodeId(link.from), NodeId(link.to));
        let (rate, delay, mode) = (link.rate, link.delay, link.mode);
        let id = match link.part {
            LinkRole::Whole => network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode }),
            LinkRole::Carrier => network.carrier(CarrierPlan { name, from, rate, queue }),
            LinkRole::Leg(carrier) => network.leg(LegPlan { name, carrier, to, delay, loss }),
        };
        if let Some(Symbols::Transmitter(transmitter, _)) = &link.symbols {
            network.transmitter(id, *transmitter);
        }
        if let Some(signal) = signals.remove(&index) {
            network.signal(id, signal);
        }
        if let Some(agent) = agent {
            network.router_agent(id, agent);
        }
        network.header(id, link.header);
        network.handoff(id, link.handoff, link.reroute);
        for change in &link.changes {
            let what = what(seed, &link.name, change);
            network.change(Instant::ZERO + change.at, id, what);
        }
        if let Some(trace) = &link.trace {
            follow(&mut network, id, &link.name, trace, seed);
        }
    }
    for channel in &description.returns {
        let (terminals, grid, access) = (channel.links.clone(), channel.grid, channel.access);
        network.return_channel(ReturnChannel { terminals, grid, access });
    }
    if let Some(interval) = description.reroute_interval {
        network.reroute_every(interval);
    }
    for flow in &description.flows {
        control.look()?;
        add_flow(&mut network, flow, seed);
    }
    // The fastest link out of each node.
    let mut line_rates = vec![None; description.nodes.len()];
    for link in &description.links {
        let line_rate = &mut line_rates[link.from as usize];
        *line_rate = Some(link.highest_rate()).max(*line_rate);
    }
    for session in &description.sessions {
        add_session(&mut network, session, line_rates[session.source as usize], seed, control)?;
    }
    for web in &description.web {
        let rows = web.rows().map(|row| row.into_iter().map(NodeId).collect()).collect();
        network.split_pool(rows, web.at_once, Box::new(Connections::new(web, seed)));
    }
    network.probes(description.probes.clone());
    network.clock_offsets(description.clock_offsets);
    let built = network.build_while(|| !control.is_cancelled());
    control.look()?;
    let problems = |errors: Vec<BuildError>| -> Vec<Problem> {
        errors.iter().map(|error| Problem::new("", error.to_string())).collect()
    };
    Ok(built.map_err(problems)?)
}

/// The DSCP of each flow by the number that it gets, those of sessions and web traffic included; of nobody if all have
/// 0.
fn dscp_of_flows(description: &Network) -> Arc<[u8]> {
    let all = description.dscp();
    if all.iter().all(|&dscp| dscp == 0) { Arc::default() } else { all.into() }
}

/// Lets the link called `name` follow what was measured, sample by sample as time goes on.
fn follow(network: &mut NetworkBuilder, id: LinkId, name: &str, trace: &LinkTrace, seed: u64) {
    if let Some(opportunities) = &trace.opportunities {
        network.send_at(id, opportunities.clone());
    }
    let (name, longest_delay, of_routes) = (name.to_owned(), trace.longest_delay(), trace.of_routes());
    let changes = trace.changes().map(move |change| (Instant::ZERO + change.at, what(seed, &name, &change)));
    network.follow(id, Followed { changes: Box::new(changes), longest_delay, of_routes });
}

/// What a change of the link called `name` is to the simulator.
fn what(seed: u64, name: &str, change: &NetworkChange) -> Change {
    match &change.what {
        What::Up(true) => Change::Up,
        What::Up(false) => Change::Down,
        What::Rate(rate) => Change::Rate(*rate),
        What::Delay(from, slope) => Change::Delay { from: *from, slope: *slope },
        What::Loss(loss) => {
            let stream = Random::stream(seed, &format!("link/{name}/loss/{}", change.at.0));
            Change::Loss(Loss::new(loss, stream))
        }
        What::To(node) => Change::FarEnd(NodeId(*node)),
    }
}

fn add_flow(network: &mut NetworkBuilder, flow: &NetworkFlow, seed: u64) {
    let (own, peer) = (network.address(NodeId(flow.from)), network.address(NodeId(flow.to)));
    let id = network.flow(own, peer);
    let seat = FlowSeat { flow: id, sender: own, receiver: peer, name: &flow.name, seed };
    let (sender, receiver) = match (&flow.pep, &flow.kind) {
        (Some(pep), FlowConfig::Tcp(tcp)) => split(network, &seat, tcp, pep),
        _ => (flow.kind.sender(&seat), flow.kind.receiver(&seat)),
    };
    let sender = limited(Agent::FlowSender(sender), flow.application.as_ref(), flow.kind.packet_bytes());
    network.place(own, id, sender, flow.starts(seed), flow.stop.map(|stop| Instant::ZERO + stop));
    network.place(peer, id, Agent::FlowReceiver(receiver), Instant::ZERO, None);
}

/// Places the relays of a flow; its sender, which sends to the first of them, and its receiver, which hears from the
/// last.
fn split(
    network: &mut NetworkBuilder,
    seat: &FlowSeat<'_>,
    tcp: &tcp::Config,
    pep: &NetworkPep,
) -> (FlowSender, FlowReceiver) {
    let relays: Vec<Address> = pep.at.iter().map(|&node| network.address(NodeId(node))).collect();
    network.split(seat.flow, relays.clone());
    let row: Vec<Address> = [seat.sender].into_iter().chain(relays.clone()).chain([seat.receiver]).collect();
    for (number, hosts) in row.windows(3).enumerate() {
        let &[upstream, own, downstream] = hosts else { unreachable!("windows of three") };
        let place = RelayPlace { flow: seat.flow, upstream, own, downstream, room: pep.room };
        let random = ["jitter", "tick"].map(|purpose| seat.random(&format!("pep-{number}/{purpose}")));
        let relay = pep.relay(tcp, number, place, random).with_ends(tcp.segments.map(u64::from));
        network.place(own, seat.flow, Agent::Relay(Box::new(relay)), Instant::ZERO, None);
    }
    let first = FlowSeat { receiver: row[1], ..*seat };
    let last = FlowSeat { sender: row[row.len() - 2], ..*seat };
    let sender = Box::new(tcp.sender(&first).to_relay(pep.room));
    (FlowSender::Tcp(sender), FlowReceiver::Tcp(pep.tcp.receiver(&last)))
}

fn add_session(
    network: &mut NetworkBuilder,
    session: &NetworkSession,
    line_rate: Option<Rate>,
    seed: u64,
    control: &Control,
) -> Result<(), Cancelled> {
    let own = network.address(NodeId(session.source));
    let (flow, group) = network.session(own, session.plan);
    let members = session.receivers.len() as u32;
    let seat = |network: &NetworkBuilder, own: Address, name: &str| {
        let random = network.stream(&format!("session/{name}/draws"));
        Seat { flow, own, group, members, line_rate, random }
    };
    let source = Agent::SchemeSender(Box::new(session.config.sender(seat(network, own, &session.name))));
    let packet_bytes = session.config.packet_bytes();
    let source = match session.film() {
        Some(film) => Agent::ApplicationLimited(Box::new(ApplicationLimited::film(film, packet_bytes, source))),
        None => limited(source, session.application.as_ref(), packet_bytes),
    };
    network.place(own, flow, source, session.starts(seed), session.stop.map(|stop| Instant::ZERO + stop));
    if let Some(playout) = &session.playout {
        let layer = |group: &GroupPlan| if let Role::Layer(rank) = group.role { Some(rank) } else { None };
        let layers = session.config.groups().iter().map(layer).collect();
        network.play(flow, PlayoutPlan { config: playout.clone(), layers, packet_bytes });
    }
    let honest = session.receivers.len() - session.lie.as_ref().map_or(0, |lie| lie.liars as usize);
    for (index, receiver) in session.receivers.iter().enumerate() {
        control.look()?;
        let own = network.address(NodeId(receiver.node));
        network.member(flow, own);
        let mut member = session.config.receiver(seat(network, own, &receiver.name));
        if let Some(lie) = session.lie.as_ref().filter(|_| index >= honest) {
            let random = network.stream(&format!("session/{}/lie", receiver.name));
            member = SchemeReceiver::Guest(Box::new(Liar::new(member, lie.clone(), random)));
        }
        let member = Agent::SchemeReceiver(member);
        network.place(own, flow, member, receiver.joins(seed), receiver.leave.map(|_| receiver.leaves()));
    }
    Ok(())
}

/// A sender with its application, if that has not always something to send.
fn limited(sender: Agent, application: Option<&application::Config>, packet_bytes: u64) -> Agent {
    match application {
        None => sender,
        Some(application) => {
            Agent::ApplicationLimited(Box::new(ApplicationLimited::new(application, packet_bytes, sender)))
        }
    }
}
