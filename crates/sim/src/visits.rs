//! Endpoints that come and go while a network runs: a pool of seats between nodes, and who takes them.
//!
//! Addresses stay, as routes lead to them; endpoints change. A visit takes a pair of seats, has its endpoints there,
//! and leaves when its sender tells that it has [finished](faircast_proto::endpoint::FINISHED). So a million short
//! flows take the room of those that are there together. A seat is made when one is needed; when all that there may be
//! have been made, one that is free moves to where it is needed.

use crate::agent::{Agent, Visitor};
use crate::host::{self, Host};
use crate::ids::NodeId;
use crate::relays::RelayState;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

/// Says who comes to a pool, and when.
pub trait Visits: Send {
    /// When the next visit begins, if one does. It may be in the past: while no seats are free visits wait for them, in
    /// order.
    fn next(&self) -> Option<Instant>;

    /// Between the nodes of which of the pool's pairs the next visit is.
    fn pair(&self) -> usize {
        0
    }

    /// The next visit begins now on these seats: its endpoints. [`next`](Self::next) is about the one after it from now
    /// on.
    fn begin(&mut self, now: Instant, seats: Seats) -> Endpoints;

    /// A visit has ended, or the run has; its endpoints, as they were then.
    fn end(&mut self, visit: Visit, endpoints: Endpoints);

    /// What has been transferred by now, the end of the run, and what has not been yet, in the order of arrival. All
    /// that were there [have ended](Self::end).
    fn transfers(&mut self, _now: Instant) -> Vec<Transfer> {
        Vec::new()
    }
}

/// The endpoints of a visit.
pub struct Endpoints {
    /// The sender, which tells when it has finished.
    pub sender: Agent,
    /// The receiver.
    pub receiver: Agent,
    /// What splits its connection, in the order in which data comes there: as many as its pool has nodes for.
    pub relays: Vec<Agent>,
}

/// Where the endpoints of a visit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// The flow of all visits that take these seats, one after the other.
    pub flow: FlowId,
    /// The sender's address.
    pub sender: Address,
    /// The receiver's. Those of [relays](Self::relays) are between the two.
    pub receiver: Address,
}

impl Seats {
    /// All addresses, in the order in which data comes there.
    pub fn row(self) -> impl DoubleEndedIterator<Item = Address> {
        (self.sender.index()..=self.receiver.index()).map(|index| Address::endpoint(index as u32))
    }

    /// The addresses of relays that split the connections, in that order.
    pub fn relays(self) -> impl Iterator<Item = Address> {
        (self.sender.index() + 1..self.receiver.index()).map(|index| Address::endpoint(index as u32))
    }
}

impl Endpoints {
    /// Two endpoints with nothing between them.
    pub fn of_pair(sender: Agent, receiver: Agent) -> Endpoints {
        Endpoints { sender, receiver, relays: Vec::new() }
    }

    /// All of them, in the order in which data comes there.
    fn into_row(self) -> impl Iterator<Item = Agent> {
        std::iter::once(self.sender).chain(self.relays).chain([self.receiver])
    }

    /// From a row of two or more, as [`into_row`](Self::into_row) gives it.
    fn of_row(mut row: impl DoubleEndedIterator<Item = Agent>) -> Endpoints {
        let [sender, receiver] = [row.next(), row.next_back()].map(|end| end.expect("a row has two ends"));
        Endpoints { sender, receiver, relays: row.collect() }
    }
}

/// A visit that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Where it was.
    pub seats: Seats,
    /// The number of the seats in their pool: 0 for those that were made first.
    pub number: usize,
    /// When it began.
    pub began: Instant,
    /// When its sender told that it had finished, otherwise when the run ended.
    pub ended: Instant,
    /// Whether its sender has finished.
    pub is_finished: bool,
}

/// A finite transfer from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Between the nodes of which of its pool's pairs.
    pub pair: u32,
    /// When it was wanted.
    pub arrived: Instant,
    /// How long it took from then until all of it was acknowledged; nothing if it has not come to that.
    pub completion: Option<Duration>,
    /// What was to be transferred, bytes of payload.
    pub bytes: u64,
    /// Whether a connection was opened for it: it is the first on it.
    pub opens: bool,
}

/// Seats between nodes, and who takes them.
pub(crate) struct Pool {
    visits: Box<dyn Visits>,
    /// The flow of the seats made first; those of the others follow.
    first: FlowId,
    /// How many seats there may be.
    most: usize,
    /// By pair its nodes, in the order in which data comes there: of the sender, of relays, of the receiver.
    rows: Vec<Vec<SeatEnd>>,
    seats: Vec<Seats>,
    taken: Vec<Option<Taken>>,
    /// By pair those that are free, the one that was left last on top.
    free: Vec<Vec<usize>>,
    /// Of each seat its pair.
    pair_of: Vec<usize>,
    /// Seat by seat how much the clocks of its hosts are ahead: those of the nodes where it was made. It keeps them
    /// when it moves, as what was sent before is recognised by its time.
    clocks: Vec<Duration>,
    /// Those that are to be left.
    ended: Vec<usize>,
    /// When the next of its timer entries comes that is heeded.
    armed: Instant,
    /// Places for endpoints, from those who have left.
    #[expect(clippy::vec_box, reason = "the boxes are what is used again")]
    spare: Vec<Box<Visitor>>,
    /// Place by place, what was in the relays of visits that have ended.
    relays: Vec<RelayState>,
}

/// Where a host of seats is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeatEnd {
    pub(crate) node: NodeId,
    /// The node's slot in the forwarding tables.
    pub(crate) slot: u32,
    /// How much its clock is ahead.
    pub(crate) offset: Duration,
}

/// What is known of a seat that is taken.
#[derive(Clone, Copy)]
struct Taken {
    since: Instant,
    /// When the sender told that it had finished.
    finished: Option<Instant>,
}

/// A pool in the making.
pub(crate) struct PoolPlan {
    pub(crate) rows: Vec<Vec<NodeId>>,
    pub(crate) most: u32,
    pub(crate) visits: Box<dyn Visits>,
}

impl PoolPlan {
    /// How many hosts there may be.
    pub(crate) fn hosts(&self) -> u32 {
        self.rows.first().map_or(0, |row| row.len() as u32) * self.most
    }
}

impl Pool {
    /// One without seats, whose flows begin with `first`.
    pub(crate) fn new(plan: PoolPlan, first: FlowId, end: impl Fn(NodeId) -> SeatEnd) -> Pool {
        let PoolPlan { rows, most, visits } = plan;
        Pool {
            visits,
            first,
            most: most as usize,
            free: vec![Vec::new(); rows.len()],
            relays: vec![RelayState::default(); rows.first().map_or(0, |row| row.len() - 2)],
            rows: rows.into_iter().map(|row| row.into_iter().map(&end).collect()).collect(),
            seats: Vec::new(),
            taken: Vec::new(),
            pair_of: Vec::new(),
            clocks: Vec::new(),
            ended: Vec::new(),
            armed: Instant::FAR_FUTURE,
            spare: Vec::new(),
        }
    }

    /// When to put a timer entry into the calendar, if one is needed after `now`. What waits for seats needs none: it
    /// begins when some are left.
    pub(crate) fn rearm(&mut self, now: Instant) -> Option<Instant> {
        let next = self.visits.next().filter(|&next| next > now && next < self.armed)?;
        self.armed = next;
        Some(next)
    }

    /// A timer entry has come.
    pub(crate) fn take_timer(&mut self, now: Instant) {
        if self.armed <= now {
            self.armed = Instant::FAR_FUTURE;
        }
    }

    /// The sender of a flow tells that it has finished. Says whether it is on a seat of this pool, which is left then,
    /// a moment later.
    pub(crate) fn finish(&mut self, now: Instant, flow: FlowId) -> bool {
        let Some(seat) = flow.0.checked_sub(self.first.0) else { return false };
        let Some(taken) = self.taken.get_mut(seat as usize) else { return false };
        if let Some(taken) = taken.as_mut().filter(|taken| taken.finished.is_none()) {
            taken.finished = Some(now);
            self.ended.push(seat as usize);
        }
        true
    }

    /// The last of those that are to be left now are; `vacate` gives who is there. Says whether there were some.
    pub(crate) fn leave(&mut self, now: Instant, vacate: impl FnMut(Address) -> Agent) -> bool {
        let Some(seat) = self.ended.pop() else { return false };
        self.free[self.pair_of[seat]].push(seat);
        self.end(now, seat, vacate);
        true
    }

    fn end(&mut self, now: Instant, seat: usize, mut vacate: impl FnMut(Address) -> Agent) {
        let Some(Taken { since, finished }) = self.taken[seat].take() else { return };
        let (seats, spare) = (self.seats[seat], &mut self.spare);
        let endpoints = Endpoints::of_row(seats.row().map(|address| match vacate(address) {
            Agent::Visitor(mut visitor) => {
                let endpoint = visitor.take();
                spare.push(visitor);
                endpoint
            }
            other => other,
        }));
        let mut upstream = &endpoints.sender;
        let clocks = &self.clocks[seat * (self.relays.len() + 2)..];
        for ((relay, ahead), all) in endpoints.relays.iter().zip(clocks).zip(&mut self.relays) {
            let state = RelayState::of(upstream, now + *ahead, relay);
            *all = RelayState { held: 0, ..state }.and(*all);
            upstream = relay;
        }
        let (ended, is_finished) = (finished.unwrap_or(now), finished.is_some());
        let visit = Visit { seats, number: seat, began: since, ended, is_finished };
        self.visits.end(visit, endpoints);
    }

    /// The run is over: all leave whose endpoints `vacate` gives.
    pub(crate) fn give_up(&mut self, now: Instant, mut vacate: impl FnMut(Address) -> Agent) {
        for seat in 0..self.seats.len() {
            self.end(now, seat, &mut vacate);
        }
    }

    /// What has been transferred, when the run is over.
    pub(crate) fn transfers(&mut self, now: Instant) -> Vec<Transfer> {
        self.visits.transfers(now)
    }

    /// Whether a visit is to begin.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.visits.next().is_some_and(|next| next <= now)
    }

    /// Whether no seat is free for the next visit.
    pub(crate) fn lacks_seat(&self) -> bool {
        self.free[self.visits.pair()].is_empty()
    }

    /// For the next visit: the flow of further seats and where they are, if there may be more.
    pub(crate) fn room(&self) -> Option<(FlowId, Vec<SeatEnd>)> {
        let made = self.seats.len();
        (made < self.most).then(|| (FlowId(self.first.0 + made as u32), self.rows[self.visits.pair()].clone()))
    }

    /// Seats that are free between other nodes move to those of the next visit, if there are some: which, and where
    /// their hosts are now.
    pub(crate) fn relocate(&mut self) -> Option<(Seats, Vec<SeatEnd>)> {
        let (pair, pairs) = (self.visits.pair(), self.rows.len());
        let seat = (pair + 1..pair + pairs).find_map(|other| self.free[other % pairs].pop())?;
        self.free[pair].push(seat);
        self.pair_of[seat] = pair;
        Some((self.seats[seat], self.rows[pair].clone()))
    }

    /// Further seats have been made for the next visit.
    pub(crate) fn add(&mut self, seats: Seats) {
        let pair = self.visits.pair();
        self.free[pair].push(self.seats.len());
        self.pair_of.push(pair);
        self.clocks.extend(self.rows[pair].iter().map(|end| end.offset));
        self.seats.push(seats);
        self.taken.push(None);
    }

    /// The next visit begins now: `enter` gets its endpoints. There must be seats for it; says which.
    pub(crate) fn begin(&mut self, now: Instant, mut enter: impl FnMut(Address, Agent)) -> Seats {
        let pair = self.visits.pair();
        let seat = self.free[pair].pop().expect("asked for before");
        let seats = self.seats[seat];
        self.taken[seat] = Some(Taken { since: now, finished: None });
        let hosts = self.rows[pair].len();
        let clocks = &self.clocks[seat * hosts..][..hosts];
        // From the neighbour on either side only what is sent from now on; an end has one of them.
        let since = |host: usize| clocks.get(host).map_or(now, |&ahead| now + ahead);
        let mut endpoints = self.visits.begin(now, seats).into_row();
        let mut upstream = seats.sender;
        for (host, address) in seats.row().enumerate() {
            let agent = endpoints.next().expect("one for each address");
            let visitor = Visitor::new(agent, upstream, [since(host.wrapping_sub(1)), since(host + 1)]);
            let visitor = match self.spare.pop() {
                Some(mut place) => {
                    *place = visitor;
                    place
                }
                None => Box::new(visitor),
            };
            enter(address, Agent::Visitor(visitor));
            upstream = address;
        }
        debug_assert!(endpoints.next().is_none(), "one for each address");
        seats
    }

    /// What is and was in relays, place by place.
    pub(crate) fn relays(&self, hosts: &[Host], now: Instant) -> Vec<RelayState> {
        let mut all = self.relays.clone();
        if all.is_empty() {
            return all;
        }
        for seats in self.seats.iter().zip(&self.taken).filter_map(|(seats, taken)| taken.and(Some(seats))) {
            let row: Vec<Address> = seats.row().take(all.len() + 1).collect();
            for (all, state) in all.iter_mut().zip(host::between(hosts, &row, now)) {
                *all = all.and(state);
            }
        }
        all
    }

    /// The seats that have been made.
    pub(crate) fn seats(&self) -> &[Seats] {
        &self.seats
    }
}
