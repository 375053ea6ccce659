//! Endpoints that come and go while a network runs: a pool of seats between two nodes, and who takes them.
//!
//! Addresses stay, as routes lead to them; endpoints change. A visit takes a pair of seats, has its endpoints there,
//! and leaves when its sender tells that it has [finished](faircast_proto::endpoint::FINISHED). So a million short
//! flows take the room of those that are there together.

use crate::agent::{Agent, Visitor};
use crate::ids::NodeId;
use faircast_proto::endpoint::Report;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

/// Says who comes to a pool, and when.
pub trait Visits: Send {
    /// When the next visit begins, if one does. It may be in the past: while no seats are free visits wait for them, in
    /// order.
    fn next(&self) -> Option<Instant>;

    /// The next visit begins now on these seats: its endpoints, the sender and the receiver. [`next`](Self::next) is
    /// about the one after it from now on.
    fn begin(&mut self, now: Instant, seats: Seats) -> [Agent; 2];

    /// A visit has ended.
    fn end(&mut self, visit: Visit);
}

/// Where the two endpoints of a visit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// The flow of all visits that take these seats, one after the other.
    pub flow: FlowId,
    /// The sender's address.
    pub sender: Address,
    /// The receiver's.
    pub receiver: Address,
}

/// A visit that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Where it was.
    pub seats: Seats,
    /// When it began.
    pub began: Instant,
    /// When its sender told that it had finished.
    pub ended: Instant,
    /// What the sender had counted then.
    pub sent: Report,
    /// What the receiver had.
    pub received: Report,
}

/// Seats between two nodes, and who takes them.
pub(crate) struct Pool {
    visits: Box<dyn Visits>,
    /// How much the clocks of the two nodes are ahead.
    offsets: [Duration; 2],
    seats: Vec<Seats>,
    taken: Vec<Option<Taken>>,
    /// Those that are free, the one that was left last on top.
    free: Vec<usize>,
    /// Those that are to be left.
    ended: Vec<usize>,
    /// When the next of its timer entries comes that is heeded.
    armed: Instant,
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
    pub(crate) nodes: [NodeId; 2],
    pub(crate) seats: Vec<Seats>,
    pub(crate) visits: Box<dyn Visits>,
}

impl Pool {
    /// All seats are free, the first one on top.
    pub(crate) fn new(plan: PoolPlan, offsets: [Duration; 2]) -> Pool {
        let PoolPlan { seats, visits, .. } = plan;
        let (taken, free) = (vec![None; seats.len()], (0..seats.len()).rev().collect());
        Pool { visits, offsets, seats, taken, free, ended: Vec::new(), armed: Instant::FAR_FUTURE }
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
        // Seats are made together, so their flows follow each other.
        let Some(seat) = self.seats.first().and_then(|first| flow.0.checked_sub(first.flow.0)) else { return false };
        let Some(taken) = self.taken.get_mut(seat as usize) else { return false };
        if let Some(taken) = taken.as_mut().filter(|taken| taken.finished.is_none()) {
            taken.finished = Some(now);
            self.ended.push(seat as usize);
        }
        true
    }

    /// Seats that are to be left now, the last of them that was told of.
    pub(crate) fn last_ended(&mut self) -> Option<Seats> {
        self.ended.last().map(|&seat| self.seats[seat])
    }

    /// [They](Self::last_ended) have been left by endpoints that had counted this.
    pub(crate) fn leave(&mut self, [sent, received]: [Report; 2]) {
        let Some(seat) = self.ended.pop() else { return };
        self.free.push(seat);
        if let Some(Taken { since, finished }) = self.taken[seat].take() {
            let ended = finished.unwrap_or(since);
            self.visits.end(Visit { seats: self.seats[seat], began: since, ended, sent, received });
        }
    }

    /// The endpoints of a visit that begins now, if one does and there are seats for it.
    pub(crate) fn begin(&mut self, now: Instant) -> Option<(Seats, [Agent; 2])> {
        if self.visits.next()? > now {
            return None;
        }
        let seat = self.free.pop()?;
        let seats = self.seats[seat];
        self.taken[seat] = Some(Taken { since: now, finished: None });
        let [sender, receiver] = self.visits.begin(now, seats);
        let [of_sender, of_receiver] = self.offsets.map(|offset| now + offset);
        let visitor = |agent, since| Agent::Visitor(Box::new(Visitor::new(agent, since)));
        Some((seats, [visitor(sender, of_receiver), visitor(receiver, of_sender)]))
    }
}
