//! Connections that are opened for transfers, on the seats of a pool.

use super::arrivals::{Arrivals, Planned};
use super::entry::NetworkWeb;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::random::Random;
use faircast_proto::tcp::{
    Config, ObjectsReceiver, ObjectsSender, Receiver, RelayPlace, Sender, object_ends, without_end,
};
use faircast_proto::time::Instant;
use faircast_sim::agent::Agent;
use faircast_sim::visits::{Endpoints, Seats, Transfer, Visit, Visits};
use std::sync::Arc;

/// The connections of the web traffic of an entry.
pub(crate) struct Connections {
    web: Arc<NetworkWeb>,
    tcp: Config,
    arrivals: Arrivals,
    /// Of what hosts draw for their own: jitter, the phase of clocks.
    hosts: Random,
    /// Of what relays draw.
    relays: Random,
    /// By number of the seats: what is or was there.
    open: Vec<Open>,
    /// Where each flow's number among the seats begins.
    first: Option<FlowId>,
    /// Endpoints of connections that have ended, to be used again.
    idle: Vec<Endpoints>,
    transfers: Vec<Transfer>,
    /// Segments of the objects of a connection that begins.
    segments: Vec<u32>,
}

/// A connection that is open.
struct Open {
    planned: Planned,
    /// Bytes by object.
    sizes: Vec<u64>,
}

impl Connections {
    /// The connections of a run with this seed.
    pub(crate) fn new(web: &Arc<NetworkWeb>, seed: u64) -> Connections {
        Connections {
            tcp: without_end(&web.tcp),
            arrivals: Arrivals::new(web.clone(), seed),
            hosts: Random::stream(seed, &format!("flow/{}/hosts", web.name)),
            relays: Random::stream(seed, &format!("flow/{}/relays", web.name)),
            web: web.clone(),
            open: Vec::new(),
            first: None,
            idle: Vec::new(),
            transfers: Vec::new(),
            segments: Vec::new(),
        }
    }

    fn number(&mut self, flow: FlowId) -> usize {
        // Seats are made in order, so the first that is taken has number 0.
        (flow.0 - self.first.get_or_insert(flow).0) as usize
    }

    /// Endpoints for a connection: those of one that has ended if there are some.
    fn endpoints(&mut self, seats: Seats, pair: usize) -> Endpoints {
        let Seats { flow, sender: from, receiver: to } = seats;
        let pep = self.web.pep.get(pair);
        // The neighbours of both ends: each other, or what splits the connection.
        let (next, last) = (seats.row().nth(1).unwrap_or(to), seats.row().nth_back(1).unwrap_or(from));
        let (jitter, mut phase) = (self.hosts.split(), self.hosts.split());
        let sender = Sender::new(&self.tcp, flow, from, next, jitter);
        let sender = match self.tcp.rtt_tick {
            Some(_) => sender.with_clock_phase(&self.tcp, phase.split()),
            None => sender,
        };
        let receiver = Receiver::new(pep.map_or(&self.tcp, |pep| &pep.tcp), flow, to, last);
        let tls = self.web.tls_round_trips;
        let (mut own, mut peer, mut relays) = match self.idle.pop() {
            Some(Endpoints { sender: Agent::ObjectsSender(own), receiver: Agent::ObjectsReceiver(peer), relays }) => {
                (own, peer, relays)
            }
            _ => {
                let idle = Sender::new(&self.tcp, flow, from, next, phase);
                let peer = Receiver::new(&self.tcp, flow, to, last);
                (Box::new(ObjectsSender::idle(idle)), Box::new(ObjectsReceiver::idle(peer)), Vec::new())
            }
        };
        let sender = match pep {
            Some(pep) => sender.to_relay(pep.room),
            None => sender,
        };
        own.begin(sender, tls, &self.segments);
        peer.begin(receiver, tls, &self.segments);
        self.split(seats, pair, &mut relays);
        Endpoints { sender: Agent::ObjectsSender(own), receiver: Agent::ObjectsReceiver(peer), relays }
    }

    /// Makes what splits the connection that begins, in the places of those before.
    fn split(&mut self, seats: Seats, pair: usize, relays: &mut Vec<Agent>) {
        let Some(pep) = self.web.pep.get(pair) else { return };
        let row: Vec<Address> = seats.row().collect();
        for (number, hosts) in row.windows(3).enumerate() {
            let &[upstream, own, downstream] = hosts else { unreachable!("windows of three") };
            let place = RelayPlace { flow: seats.flow, upstream, own, downstream, room: pep.room };
            let random = [self.relays.split(), self.relays.split()];
            let ends = object_ends(self.web.tls_round_trips, &self.segments);
            let relay = pep.relay(&self.tcp, number, place, random).with_ends(ends);
            match relays.get_mut(number) {
                Some(Agent::Relay(before)) => **before = relay,
                _ => relays.push(Agent::Relay(Box::new(relay))),
            }
        }
    }
}

impl Visits for Connections {
    fn next(&self) -> Option<Instant> {
        self.arrivals.next().map(|planned| planned.at)
    }

    fn pair(&self) -> usize {
        self.arrivals.next().map_or(0, |planned| planned.pair)
    }

    fn begin(&mut self, _now: Instant, seats: Seats) -> Endpoints {
        let number = self.number(seats.flow);
        let nothing = Planned { at: Instant::ZERO, pair: 0, user: None };
        while self.open.len() <= number {
            self.open.push(Open { planned: nothing, sizes: Vec::new() });
        }
        let Open { planned, sizes } = &mut self.open[number];
        *planned = self.arrivals.take(sizes).expect("asked for before");
        self.segments.clear();
        self.segments.extend(sizes.iter().map(|&bytes| self.web.segments(bytes)));
        let pair = planned.pair;
        self.endpoints(seats, pair)
    }

    fn end(&mut self, visit: Visit, endpoints: Endpoints) {
        let Open { planned, sizes } = &self.open[visit.number];
        let Agent::ObjectsSender(sender) = &endpoints.sender else { return };
        let completed = sender.completed();
        // The first one is wanted when it arrives, the others when the one before them is there.
        let mut arrived = planned.at;
        for (object, &bytes) in sizes.iter().enumerate() {
            let ended = completed.get(object).map(|&after| visit.began + after);
            let completion = ended.map(|ended| ended.since(arrived));
            let (pair, opens) = (planned.pair as u32, object == 0);
            self.transfers.push(Transfer { pair, arrived, completion, bytes, opens });
            match ended {
                Some(ended) => arrived = ended,
                None => break,
            }
        }
        let user = planned.user.filter(|_| visit.is_finished);
        self.idle.push(endpoints);
        if let Some(user) = user {
            self.arrivals.end(user, visit.ended);
        }
    }

    fn transfers(&mut self, now: Instant) -> Vec<Transfer> {
        // Those that wait for seats.
        let mut sizes = Vec::new();
        while self.arrivals.next().is_some_and(|planned| planned.at <= now) {
            let Some(Planned { at: arrived, pair, .. }) = self.arrivals.take(&mut sizes) else { break };
            let bytes = sizes.first().copied().unwrap_or(1);
            let (pair, completion, opens) = (pair as u32, None, true);
            self.transfers.push(Transfer { pair, arrived, completion, bytes, opens });
        }
        let mut transfers = std::mem::take(&mut self.transfers);
        // Which of two came first to its end does not matter where they arrived together.
        transfers.sort_by_key(|transfer| transfer.arrived);
        transfers
    }
}
