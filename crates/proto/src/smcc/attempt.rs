//! An attempt to join the next layer by adding a packet per slot ([Kwon] section VI): when it begins, which counting
//! layers it joins when, and whether it gets through.
//!
//! It knows neither packets nor rates: its owner tells it what comes, asks what is due, and ends it on a loss.

use super::counting::{Counting, CountingLayer, layers_for};
use super::layers::HEADROOM;
use super::slots::Slots;
use crate::time::{Duration, Instant};

/// Slots whose packets are counted at one time.
const COUNTED: usize = 4;

/// An attempt to join the next layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    set: u8,
    phase: u8,
    /// Counting layers of its set.
    layers: u8,
    /// How many of them it has joined.
    joined: u8,
    has_begun: bool,
    /// x of its set.
    period: Duration,
    /// t_0: the slot of its set from which it counts.
    start: u64,
    /// How many slots have passed with all that was to come in them, that is, how many packets per slot it has taken.
    passed: u32,
    /// How many packets of counting layers came in the last slots, each with the number of the slot from the start on.
    counted: [(u32, u32); COUNTED],
    decided_at: Instant,
    begun_at: Instant,
    /// When something is due next.
    due_at: Instant,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The slot t_0 begins.
    Start,
    /// It is time to join the counting layer of this rank, if it is needed to count on.
    Join(u8),
}

/// From which rate to which other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climb {
    /// T_S, bit/s.
    pub(super) from_bps: f64,
    /// T_{S+1}, bit/s.
    pub(super) to_bps: f64,
    /// Bits of a packet.
    pub(super) packet_bits: f64,
}

impl Climb {
    /// D: how many packets in each `period` are between the two; a fraction, negative if the second is the lower.
    pub(super) fn packets(&self, period: Duration) -> f64 {
        (self.to_bps - self.from_bps) * period.as_secs_f64() / self.packet_bits
    }

    /// Whether both are rates.
    pub(super) fn is_known(&self) -> bool {
        self.from_bps >= 0.0 && self.to_bps >= 0.0 && (self.to_bps - self.from_bps).is_finite()
    }

    /// Whether there is nothing to add.
    pub(super) fn is_level(&self) -> bool {
        self.from_bps >= self.to_bps
    }
}

impl Attempt {
    /// Plans one at `now` with the set for the round-trip time `rtt`: it begins in the next slot from which some
    /// replica counts far enough without a turn, that is, as far as the way and a reserve for rates that move. None if
    /// there is no set, or the way is longer than the set counts.
    pub(super) fn plan(
        counting: &Counting,
        slots: &Slots,
        now: Instant,
        rtt: Duration,
        climb: &Climb,
    ) -> Option<Attempt> {
        if counting.is_empty() || slots.last().is_none() {
            return None;
        }
        let set = counting.set_for(rtt);
        let period = counting.period(set);
        let layers = counting.sets()[usize::from(set)].layers;
        layers_for(climb.packets(period).ceil()).filter(|&needed| needed <= layers)?;
        let bits = layers_for((HEADROOM * climb.packets(period)).ceil()).unwrap_or(layers).min(layers);
        // The first slot of the set that begins from now on: a tick of one has begun.
        let next = slots.first_from(now);
        let next = counting.slot_of(set, next - 1) + 1;
        let starts = (0..counting.phases()).map(|phase| (counting.aligned(set, phase, bits, next), phase));
        let (start, phase) = starts.min()?;
        let mut attempt = Attempt {
            set,
            phase,
            layers,
            joined: 0,
            has_begun: false,
            period,
            start,
            passed: 0,
            counted: [(0, 0); COUNTED],
            decided_at: now,
            begun_at: Instant::FAR_FUTURE,
            due_at: now,
        };
        attempt.due_at = attempt.start_of(counting, slots, 0).max(now);
        Some(attempt)
    }

    /// The attempt, decided again at `now` while it waits: its t_0 may be at another time in the view by then. A new
    /// plan takes its place if that begins earlier, or if t_0 is past.
    pub(super) fn again(self, other: Option<Attempt>, counting: &Counting, slots: &Slots, now: Instant) -> Attempt {
        let due_at = self.start_of(counting, slots, 0);
        match other {
            Some(other) if other.due_at < due_at || due_at < now => Attempt { decided_at: self.decided_at, ..other },
            _ => Attempt { due_at: due_at.max(now), ..self },
        }
    }

    /// Whether a slot so many behind t_0, or a later one, has been seen.
    pub(super) fn has_seen(&self, counting: &Counting, slots: &Slots, step: u32) -> bool {
        slots.last().and_then(|tick| self.steps(counting, tick)).is_some_and(|seen| seen >= step)
    }

    /// Whether it has begun longer ago than its counting layers take to begin anew.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.has_begun && now.since(self.begun_at) > Duration(self.period.0 << self.layers)
    }

    /// Whether its slots are shorter than those that there are for this round-trip time.
    pub(super) fn is_hasty(&self, counting: &Counting, rtt: Duration) -> bool {
        counting.set_for(rtt) > self.set
    }

    /// The counting layer of its replica with this rank.
    pub(super) fn layer(&self, rank: u8) -> CountingLayer {
        CountingLayer { set: self.set, phase: self.phase, rank }
    }

    /// The counting layers that it has joined are those of rank 0 up to one below this.
    pub(super) fn joined(&self) -> u8 {
        self.joined
    }

    /// Whether it has begun to add packets.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// x: the length of its slots.
    pub(super) fn period(&self) -> Duration {
        self.period
    }

    /// How many packets per slot it has taken without loss.
    pub(super) fn passed(&self) -> u32 {
        self.passed
    }

    /// How long it waited for its start, or would have until `now`, if it has not begun.
    pub(super) fn waited(&self, now: Instant) -> Duration {
        self.begun_at.min(now).since(self.decided_at)
    }

    /// When to ask what is [`due`](Self::due); [`Instant::FAR_FUTURE`] = not any more.
    pub(super) fn due_at(&self) -> Instant {
        self.due_at
    }

    /// What is due by now, if anything is. `rtt` is the round-trip time: a layer is joined so long before it goes on
    /// that the request can reach the source and the data come back, but not before t_0, from which on it is off.
    pub(super) fn due(&mut self, counting: &Counting, slots: &Slots, now: Instant, rtt: Duration) -> Option<Due> {
        if now < self.due_at {
            return None;
        }
        if !self.has_begun {
            (self.has_begun, self.begun_at) = (true, now);
            self.due_at = self.join_at(counting, slots, now, rtt);
            return Some(Due::Start);
        }
        let rank = self.joined;
        self.joined += 1;
        self.due_at = self.join_at(counting, slots, now, rtt);
        Some(Due::Join(rank))
    }

    /// Whether the way may take the counting layer of this rank, as those below it do not count so far, with the
    /// reserve.
    pub(super) fn needs(&self, rank: u8, climb: &Climb) -> bool {
        HEADROOM * climb.packets(self.period) > f64::from((1u32 << rank) - 1)
    }

    /// The layer that was [due](Self::due) has not been joined, as what it adds is not needed.
    pub(super) fn declined(&mut self) {
        self.joined -= 1;
        self.due_at = Instant::FAR_FUTURE;
    }

    /// How many slots a tick is behind t_0; none if it is before.
    pub(super) fn steps(&self, counting: &Counting, tick: u64) -> Option<u32> {
        let steps = counting.slot_of(self.set, tick).checked_sub(self.start)?;
        Some(u32::try_from(steps).unwrap_or(u32::MAX))
    }

    /// A packet of a counting layer has come that was sent so many slots after t_0, not a duplicate.
    pub(super) fn count(&mut self, step: u32) {
        let (at, packets) = &mut self.counted[step as usize % COUNTED];
        match (*at).cmp(&step) {
            std::cmp::Ordering::Less => (*at, *packets) = (step, 1),
            std::cmp::Ordering::Equal => *packets += 1,
            std::cmp::Ordering::Greater => {}
        }
    }

    /// The last packet was sent so many slots after t_0: slots before it have passed if as many packets came in them as
    /// were sent. False if it goes no further, as the counting layers that it has joined are off by now.
    pub(super) fn reach(&mut self, step: u32) -> bool {
        for &(at, packets) in &self.counted {
            if at < step && packets == at {
                self.passed = self.passed.max(at);
            }
        }
        // In step 2^joined they have all been on, and are off.
        u64::from(step) < 1 << self.joined
    }

    /// Whether it has taken as much as there is to climb.
    pub(super) fn is_through(&self, climb: &Climb) -> bool {
        f64::from(self.passed) >= climb.packets(self.period)
    }

    /// When the slot so many behind t_0 begins in the view.
    fn start_of(&self, counting: &Counting, slots: &Slots, step: u64) -> Instant {
        slots.start_of((self.start + step) * counting.ticks(self.set))
    }

    /// When to join the next counting layer.
    fn join_at(&self, counting: &Counting, slots: &Slots, now: Instant, rtt: Duration) -> Instant {
        let reach = counting.alignment(self.set, self.phase, self.start).min(self.layers);
        if self.joined >= reach {
            return Instant::FAR_FUTURE;
        }
        // The layer is off from t_0 on until it goes on.
        let step = 1u64 << self.joined;
        let off = Duration(self.period.0.saturating_mul(step));
        let lead = rtt.min(off);
        (self.start_of(counting, slots, step) - lead).max(now)
    }
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
