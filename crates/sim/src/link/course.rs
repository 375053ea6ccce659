//! What a link keeps that changes while the network runs, apart from what every link needs.

use super::strays::Strays;
use crate::change::Line;
use crate::opportunities::Sending;
use crate::part::Aim;
use crate::queue::Held;
use crate::store::Label;
use faircast_proto::time::{Duration, Instant, Rate};

/// What a link keeps because it changes.
pub(super) struct Course {
    pub(super) up: bool,
    pub(super) delay: Line,
    /// The last delivery to the present far end.
    pub(super) last: Instant,
    pub(super) strays: Strays,
    /// Whether the last packet of the ring waits for its departure to know its delivery.
    pub(super) transmits: bool,
    /// Bytes of departed packets that have left the ring, and not by being delivered.
    pub(super) gone_bytes: u64,
    /// Whether nobody will receive the packet in transmission.
    pub(super) departs_in_vain: bool,
    pub(super) has_legs: bool,
    /// On a link with legs of which somebody else starts the transmissions: whether that has been asked for.
    pub(super) asked: bool,
    /// On a link with legs: for which of them the packet in transmission is.
    pub(super) aim: Aim,
    pub(super) rates: Rates,
    pub(super) ahead: Ahead,
    /// Where packets may meet others in slots: those that are sent again, and how often that has been done with the one
    /// in transmission.
    pub(super) deferred: Vec<Deferred>,
    pub(super) again: u32,
    /// Where it sends at given times, how far it has come in them.
    pub(super) sending: Option<Sending>,
}

/// A packet that has met another one in a slot.
pub(super) struct Deferred {
    /// When it is sent again.
    pub(super) at: Instant,
    pub(super) held: Held,
    /// How often it will have been sent again then.
    pub(super) again: u32,
}

/// Which packets a link sends ahead: those whose departure is certain before its next change.
#[derive(Default)]
pub(super) struct Ahead {
    /// Whether the link sends ahead at all: it has one far end at a time, its discipline decides at arrival, and nobody
    /// watches its queue.
    pub(super) is_allowed: bool,
    /// What departs before this moment may be sent ahead: the next change.
    pub(super) until: Instant,
    /// While fewer packets are in the system every packet enters unchanged, as on a fused link.
    pub(super) sure_room: u32,
}

impl Ahead {
    /// Allows it, until `first` to begin with, while fewer packets than `sure_room` are in the system without asking
    /// the discipline.
    pub(super) fn allow(&mut self, first: Instant, sure_room: u32) {
        (self.is_allowed, self.until, self.sure_room) = (true, first, sure_room);
    }

    /// Forbids it, before the first packet.
    pub(super) fn forbid(&mut self) {
        *self = Ahead::default();
    }

    /// The link has changed, and does so again at `until`.
    pub(super) fn set_until(&mut self, until: Instant) {
        if self.is_allowed {
            self.until = until;
        }
    }
}

/// The rates that a link has had.
pub(super) struct Rates {
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
struct Step {
    since: Instant,
    rate: Rate,
    /// What it could carry until then, bits times nanoseconds per second.
    before: u128,
}

/// What has become of a packet that has left the transmitter.
pub(crate) enum Launched {
    /// There was none.
    Nothing,
    /// It is on the wire; an entry of the calendar may be wanted for a delivery.
    Sent(Option<Instant>),
    /// It goes on to legs, those that it is meant for.
    ToLegs(Aim, Label),
    /// Nobody will receive it.
    InVain(Label),
}

impl Course {
    /// The course of a link with this delay and rate, which is up.
    pub(super) fn new(delay: Duration, rate: Rate) -> Course {
        Course {
            up: true,
            delay: Line::level(delay),
            last: Instant::ZERO,
            strays: Strays::default(),
            transmits: false,
            gone_bytes: 0,
            departs_in_vain: false,
            has_legs: false,
            asked: false,
            aim: Aim::Wanting,
            rates: Rates::new(rate),
            ahead: Ahead::default(),
            deferred: Vec::new(),
            again: 0,
            sending: None,
        }
    }
}

impl Course {
    /// Whether a packet whose turn it is and which departs at `departure` may be sent ahead.
    #[inline]
    pub(super) fn may_send_ahead(&self, departure: Instant) -> bool {
        departure < self.ahead.until && self.up && !self.transmits
    }

    /// When what departs at `departure` comes to the present far end: behind all that is on its way there.
    #[inline(always)]
    pub(super) fn send(&mut self, departure: Instant) -> Instant {
        self.last = self.last.max(departure + self.delay.at(departure));
        self.last
    }
}

impl Rates {
    /// This one from the beginning on.
    fn new(rate: Rate) -> Rates {
        Rates { steps: vec![Step { since: Instant::ZERO, rate, before: 0 }] }
    }

    pub(super) fn set(&mut self, now: Instant, rate: Rate) {
        let before = self.carried(now);
        self.steps.push(Step { since: now, rate, before });
    }

    fn step(&self, at: Instant) -> usize {
        self.steps.partition_point(|step| step.since <= at).saturating_sub(1)
    }

    /// What the link could carry until `at`, bits times nanoseconds per second.
    fn carried(&self, at: Instant) -> u128 {
        let Step { since, rate, before } = self.steps[self.step(at)];
        before + u128::from(rate.0) * u128::from(at.since(since).0)
    }

    /// The mean over some time, bit/s.
    pub(super) fn mean_bps(&self, from: Instant, to: Instant) -> f64 {
        if self.step(from) == self.step(to) || from >= to {
            return self.steps[self.step(to)].rate.as_bps_f64();
        }
        (self.carried(to) - self.carried(from)) as f64 / to.since(from).0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_rates_is_over_time() {
        let mut rates = Rates::new(Rate(7_654_321));
        rates.set(Instant(100), Rate(1000));
        rates.set(Instant(400), Rate(3000));
        let mean = |from, to| rates.mean_bps(Instant(from), Instant(to));
        assert_eq!(mean(17, 94), 7_654_321.0);
        assert_eq!(mean(500, 500), 3000.0);
        // (100 * 7 654 321 + 300 * 1000 + 100 * 3000) / 500, and (50 * 1000 + 150 * 3000) / 200
        assert_eq!(mean(0, 500), 1_532_064.2);
        assert_eq!(mean(350, 550), 2500.0);
    }
}
