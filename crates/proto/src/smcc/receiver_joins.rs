//! When a member goes to another layer: the decision, the attempt, and its end.

use super::super::attempt::{Attempt, Climb, Due};
use super::super::config::{ControlKind, Join};
use super::super::show::{JOIN_ABANDONED, JOIN_BEGUN, JOIN_SUCCEEDED, JOIN_WAITING};
use super::super::slots::Seen;
use super::{Climbed, Held, Layer, Phase, Receiver};
use crate::endpoint::{Cause, Event, EventKind, Outbox};
use crate::packet::Address;
use crate::time::{Duration, Instant};

/// How long nothing may come of a layer while others come: then it does not reach the member, as behind a router that
/// holds it back, and it is left with those above. A layer sends a packet per second at least.
const SILENCE: Duration = Duration::from_secs(10);

/// For how long a layer that did not come is not tried again.
const BARRED: Duration = Duration::from_secs(60);

/// After a failed attempt there is none for so many round-trip times, and for this time at least.
const HOLD_RTTS: f64 = 10.0;

const LEAST_HOLD_S: f64 = 1.0;

/// If there is nothing to add, T_S must have been B_S for as many round-trip times, and for this time at least: as long
/// as IGMP's routers go on to send what has been left, which is what a wrong step costs; a choice.
const PROOF_S: f64 = 2.0;

/// Without a loss so far the next layer is tried only if that much of T_S comes.
const FULL: f64 = 0.9;

/// T_S counts as B_S from here on: the short numbers of RFC 4654 section 2.2.1 know it to a hundredth.
const REACHED: f64 = 0.99;

impl Receiver {
    /// A packet arrived with this number of a tick: whether it is the first of its slot in the finest set, and a loss
    /// that is known by it.
    pub(super) fn see(
        &mut self,
        (now, arrived): (Instant, Instant),
        number: u32,
        out: &mut Outbox,
    ) -> (bool, Option<Cause>) {
        let before = self.slots.last();
        let (is_new, lost) = match self.slots.see(arrived, number) {
            Seen::Wild => return (false, None),
            Seen::Anew(_) if before.is_none() => return (true, None),
            Seen::Anew(_) => {
                self.abandon(now, out);
                return (true, None);
            }
            Seen::New(tick) => {
                self.leave_silent(now, arrived, out);
                let is_new = before.is_none_or(|last| self.counting.slot_of(0, tick) > self.counting.slot_of(0, last));
                (is_new, self.overdue(now, tick, out))
            }
            Seen::Old(_) => (false, None),
        };
        self.progress(now, out);
        (is_new, lost)
    }

    /// What is missing of counting layers when the second slot after its own begins is lost.
    fn overdue(&mut self, now: Instant, tick: u64, out: &mut Outbox) -> Option<Cause> {
        for rank in 0..self.climbed.len() {
            // A loss ends the attempt.
            let Some(attempt) = &self.attempt else { return None };
            let layer = attempt.layer(rank as u8);
            let Some(offset) = self.climbed[rank].offset else { continue };
            let before = self.counting.slot_of(layer.set, tick).saturating_sub(1);
            let until = offset.wrapping_add(self.counting.sent_before(layer, before));
            let recorded = self.miss(layer.rank, until);
            if let Some(cause) = self.found(now, recorded, out) {
                return Some(cause);
            }
        }
        None
    }

    /// How far the attempt has come.
    fn progress(&mut self, now: Instant, out: &mut Outbox) {
        let climb = self.climb();
        let Some(attempt) = self.attempt.as_mut().filter(|attempt| attempt.has_begun()) else { return };
        let Some(step) = self.slots.last().and_then(|tick| attempt.steps(&self.counting, tick)) else {
            // It has begun by a view that was wrong: a clock has jumped, or the way has become much longer.
            if attempt.is_overdue(now) {
                self.abandon(now, out);
            }
            return;
        };
        let goes_on = attempt.reach(step);
        if attempt.is_through(&climb) {
            self.succeed(now, out);
        } else if !goes_on {
            self.abandon(now, out);
        }
    }

    /// Whether to leave the highest layer, or to try the next one ([Kwon] section 4.2).
    pub(super) fn decide(&mut self, now: Instant, cause: Cause, out: &mut Outbox) {
        // Once it adds packets, only a loss ends an attempt: the queue that it makes lengthens R, and so lowers X.
        if !matches!(self.phase, Phase::Member { .. }) || self.is_climbing() {
            return;
        }
        if now < self.spared_until {
            self.moved_at_event = self.measurement.loss_events();
        }
        let floor_bps = self.bounds.floor_bps(self.level);
        let is_new_event = self.measurement.loss_events() != self.moved_at_event;
        let is_too_much = || match self.control {
            // Also for a queue that lengthens R and has not lost anything yet; but not twice within a loss event.
            ControlKind::Tfmcc => (is_new_event || now >= self.settled_at) && self.target_bps() < floor_bps,
            // A layer less is about half: what a window does on a loss ([Kwon] section V).
            ControlKind::Pgmcc => is_new_event,
        };
        if self.level > 0 && self.measurement.have_loss() && is_too_much() {
            self.abandon(now, out);
            self.drop_top(now, cause, out);
        } else if self.attempt.is_some() {
            self.plan_again(now);
        } else if now >= self.hold_until && self.wants_more(now) {
            self.try_next(now, out);
        }
    }

    /// X > B_S, and there is a next layer whose rate is known.
    fn wants_more(&self, now: Instant) -> bool {
        if self.level >= self.bounds.top() || !self.climb().is_known() || self.slots.last().is_none() {
            return false;
        }
        if f64::from(self.top.rate_bps) >= REACHED * self.bounds.bound_bps(self.level) {
            // A window that has reached the bound goes on in the next layer, whosoever it is ([Kwon] section V).
            if self.control == ControlKind::Pgmcc {
                return true;
            }
            // Where there is next to nothing to add, no attempt proves anything: that the way bears the bound must have
            // shown in the queue, or the layer above, which is sent no less, is left as soon as it is joined.
            if self.join == Join::Additive && self.proves_nothing() && now < self.full_since + self.hold(PROOF_S) {
                return false;
            }
        } else if self.control == ControlKind::Tfmcc && self.join == Join::Additive && !self.is_lead_known {
            return false;
        } else if self.is_lead() {
            // What it gets is what it asks for: up to the bound its own layer gives it more, a packet per round trip
            // each round trip. An attempt would add as much again, and lose where its link has no more to give.
            return false;
        }
        // Without a loss X says twice what comes, or more: that it is what is sent must be seen.
        let is_full = || self.measurement.receive_bps(self.rates_at) >= FULL * f64::from(self.top.rate_bps);
        self.target_bps() > self.bounds.bound_bps(self.level) && (self.measurement.have_loss() || is_full())
    }

    /// Decides for the next layer: it waits for the counting layers, or joins it at once if there is nothing to add.
    fn try_next(&mut self, now: Instant, out: &mut Outbox) {
        let climb = self.climb();
        if self.join == Join::Direct || self.counting.is_empty() || climb.is_level() {
            self.counts.attempts += 1;
            self.tell(now, JOIN_BEGUN, Cause::Time, out);
            self.succeed(now, out);
            if self.join == Join::Direct {
                self.hold_after_attempt(now);
            }
            return;
        }
        self.attempt = Attempt::plan(&self.counting, &self.slots, now, self.climbing_rtt(), &climb);
        if self.attempt.is_some() {
            self.tell(now, JOIN_WAITING, Cause::Time, out);
            self.advance(now, out);
        } else {
            // More than the counting layers count, which no honest source says.
            self.hold_after_attempt(now);
        }
    }

    /// What it waits for may be nearer by now: its round-trip time has been measured and is less than R_max, or the way
    /// to the next layer has become shorter.
    fn plan_again(&mut self, now: Instant) {
        let other = Attempt::plan(&self.counting, &self.slots, now, self.climbing_rtt(), &self.climb());
        self.attempt = self.attempt.map(|attempt| attempt.again(other, &self.counting, &self.slots, now));
    }

    /// Does what is due in the attempt.
    pub(super) fn advance(&mut self, now: Instant, out: &mut Outbox) {
        let rtt = Duration::from_secs_f64(self.rtt_s());
        let is_measured = self.measurement.measured_rtt_s().is_some();
        while let Some(attempt) = &mut self.attempt {
            // R_max is no bound of what has not been measured: it falls by a tenth with every round in which nobody
            // reports (RFC 4654 section 3.2). The slots are as long as the longest way that they are for.
            let rtt = if is_measured { rtt } else { rtt.max(attempt.period()) };
            match attempt.due(&self.counting, &self.slots, now, rtt) {
                None => return,
                Some(Due::Start) => self.begin_attempt(now, out),
                Some(Due::Join(rank)) => self.climb_on(now, rank, out),
            }
        }
    }

    /// t_0: if it still wants the layer, it begins to add packets.
    fn begin_attempt(&mut self, now: Instant, out: &mut Outbox) {
        let climb = self.climb();
        let rtt = self.climbing_rtt();
        // Its round-trip time has grown beyond the slots that it planned with: it decides anew.
        let is_hasty = self.attempt.is_some_and(|attempt| attempt.is_hasty(&self.counting, rtt));
        if is_hasty || self.is_late(1) || !self.wants_more(now) {
            return self.abandon(now, out);
        }
        self.counts.attempts += 1;
        self.tell(now, JOIN_BEGUN, Cause::Time, out);
        if climb.is_level() {
            self.succeed(now, out);
        }
    }

    /// Joins the next counting layer, if it takes that.
    fn climb_on(&mut self, now: Instant, rank: u8, out: &mut Outbox) {
        let climb = self.climb();
        let Some(attempt) = &mut self.attempt else { return };
        if !attempt.needs(rank, &climb) {
            return attempt.declined();
        }
        if self.is_late(1 << rank) {
            return self.abandon(now, out);
        }
        let group = self.address(self.name(Held::Counting(rank)));
        self.climbed.push(Climbed::default());
        self.counts.counting_joins += 1;
        out.join(group);
    }

    /// Whether a packet sent so many slots after t_0 has come: what is on since then would come all at once, not packet
    /// by packet. So it is if the way has become shorter in the meantime, or a timer is late.
    fn is_late(&self, step: u32) -> bool {
        self.attempt.is_some_and(|attempt| attempt.has_seen(&self.counting, &self.slots, step))
    }

    /// It has taken as much as the next layer brings: it joins that, if it still wants it.
    fn succeed(&mut self, now: Instant, out: &mut Outbox) {
        if !self.wants_more(now) {
            return self.abandon(now, out);
        }
        self.counts.succeeded += 1;
        self.end_attempt(now, JOIN_SUCCEEDED, Cause::Time, out);
        self.level += 1;
        self.layers.push(Layer::joined(now));
        out.join(self.address(self.name(Held::Layer(self.level))));
        out.event(Event::layer_added(self.level as u8, Cause::Time));
        self.top.rate_bps = self.next_bps;
        self.next_bps = f32::NAN;
        self.moved(now, false, out);
    }

    /// Leaves the highest layer, and says so.
    fn drop_top(&mut self, now: Instant, cause: Cause, out: &mut Outbox) {
        self.leave_top(cause, out);
        let below = self.layers[self.level];
        if let Some((top, next_bps)) = below.told {
            (self.top, self.next_bps) = (top, next_bps);
            self.reporting.follow(top.round);
        }
        self.moved(now, true, out);
        // Not within the loss event for which it has left.
        let rtt = Duration::from_secs_f64(self.rtt_s());
        self.hold_until = self.hold_until.max(now + rtt);
        if self.control == ControlKind::Pgmcc {
            self.spared_until = now + rtt;
        }
    }

    pub(super) fn leave_top(&mut self, cause: Cause, out: &mut Outbox) {
        let name = self.name(Held::Layer(self.layers.len() - 1));
        out.leave(self.address(name));
        out.event(Event::layer_dropped(self.level as u8, cause));
        self.forget(name);
        self.layers.pop();
        self.level = self.level.saturating_sub(1);
    }

    /// It is active in another layer, whose rounds and limiting receiver are others. If it limited the one before the
    /// source sees by its report that it no longer does. `dropped`: it comes from above.
    fn moved(&mut self, now: Instant, dropped: bool, out: &mut Outbox) {
        let led = self.is_lead();
        self.reporting.quit();
        self.is_new_there = true;
        self.is_lead_known = false;
        self.moved_at_event = self.measurement.loss_events();
        self.full_since = Instant::FAR_FUTURE;
        self.settled_at = now + Duration::from_secs_f64(self.rtt_s());
        self.layers[self.level].heard_at = now;
        let part = || self.reporting.part_of_round(&mut self.random);
        if self.entry.begin(now, led, |rtt_s| self.reporting.round_s(rtt_s), part) {
            self.send_report(now, dropped, out);
        }
    }

    /// Layers of which nothing had come when a packet of another arrived are left, with those above: it must not hold a
    /// gap.
    fn leave_silent(&mut self, now: Instant, arrived: Instant, out: &mut Outbox) {
        let is_silent = |&number: &usize| arrived.since(self.layers[number].heard_at) > SILENCE;
        let Some(silent) = (1..self.layers.len()).find(is_silent) else { return };
        if !matches!(self.phase, Phase::Member { .. }) {
            return;
        }
        self.abandon(now, out);
        while self.level >= silent {
            self.drop_top(now, Cause::Time, out);
        }
        self.hold_until = now + BARRED;
    }

    /// It is no member of a group. Without the lowest layer it goes; without another it goes on below, and does not try
    /// that one again soon; without a counting layer the attempt is over.
    pub(super) fn unjoined(&mut self, now: Instant, group: Address, out: &mut Outbox) {
        if !matches!(self.phase, Phase::Waiting | Phase::Member { .. }) {
            return;
        }
        let is_of = |held: Held| self.address(self.name(held)) == group;
        if is_of(Held::Layer(0)) {
            self.leave(now, out);
        } else if let Some(layer) = (1..self.layers.len()).find(|&layer| is_of(Held::Layer(layer))) {
            self.abandon(now, out);
            while self.level >= layer {
                self.drop_top(now, Cause::Time, out);
            }
            self.hold_until = now + BARRED;
        } else if (0..self.climbed.len()).any(|rank| is_of(Held::Counting(rank as u8))) {
            self.abandon(now, out);
            self.hold_after_attempt(now);
        }
    }

    /// Ends an attempt, if there is one, without a loss and without the layer.
    pub(super) fn abandon(&mut self, now: Instant, out: &mut Outbox) {
        if self.attempt.is_some() {
            self.end_attempt(now, JOIN_ABANDONED, Cause::Time, out);
        }
    }

    /// Ends an attempt, or one that needs no counting layers, for this reason: they are all left.
    pub(super) fn end_attempt(&mut self, now: Instant, kind: &'static EventKind, cause: Cause, out: &mut Outbox) {
        self.tell(now, kind, cause, out);
        for rank in (0..self.climbed.len()).rev() {
            let name = self.name(Held::Counting(rank as u8));
            out.leave(self.address(name));
            self.forget(name);
        }
        self.counts.counting_leaves += self.climbed.len() as u64;
        self.climbed.clear();
        self.attempt = None;
    }

    /// Tells how far the attempt is.
    fn tell(&self, now: Instant, kind: &'static EventKind, cause: Cause, out: &mut Outbox) {
        let climb = self.climb();
        let event = Event::change(kind, climb.from_bps, climb.to_bps, cause).on(self.level as u8 + 1);
        let Some(attempt) = &self.attempt else { return out.event(event.with([0.0, 0.0, f64::NAN, 0.0])) };
        let step = self.slots.last().and_then(|tick| attempt.steps(&self.counting, tick));
        let added = if kind == JOIN_SUCCEEDED { attempt.passed() } else { step.unwrap_or(0) };
        // How long it will have waited, if it has just decided.
        let until = if kind == JOIN_WAITING { attempt.due_at() } else { now };
        let waited_s = attempt.waited(until).as_secs_f64();
        let joins = f64::from(attempt.joined());
        out.event(event.with([f64::from(added), joins, attempt.period().as_secs_f64(), waited_s]));
    }

    pub(super) fn hold_after_attempt(&mut self, now: Instant) {
        self.hold_until = now + self.hold(LEAST_HOLD_S);
    }

    /// Whether an attempt would add a packet per period or none, and so be over before a queue can show.
    fn proves_nothing(&self) -> bool {
        let climb = self.climb();
        let one = |set| climb.packets(self.counting.period(set)) <= 1.0;
        climb.is_level() || (!self.counting.is_empty() && one(self.counting.set_for(self.climbing_rtt())))
    }

    fn hold(&self, least_s: f64) -> Duration {
        Duration::from_secs_f64((HOLD_RTTS * self.rtt_s()).max(least_s))
    }

    /// The highest layer has said its rate: whether that is all that it may carry, and since when.
    pub(super) fn note_full(&mut self, now: Instant) {
        let is_full = f64::from(self.top.rate_bps) >= REACHED * self.bounds.bound_bps(self.level);
        self.full_since = if is_full { self.full_since.min(now) } else { Instant::FAR_FUTURE };
    }

    /// The round-trip time by which the period of an attempt is chosen: the least that was seen lately, as the smoothed
    /// one contains a queue that others have made, and just above a period would take the next one, by which the climb
    /// is four times as long. Before the first measurement R_max.
    fn climbing_rtt(&self) -> Duration {
        Duration::from_secs_f64(self.least_rtt.value().unwrap_or_else(|| self.rtt_s()))
    }

    pub(super) fn is_climbing(&self) -> bool {
        self.attempt.as_ref().is_some_and(Attempt::has_begun)
    }

    /// From T_S to T_{S+1}.
    pub(super) fn climb(&self) -> Climb {
        let (from_bps, to_bps) = (f64::from(self.top.rate_bps), f64::from(self.next_bps));
        Climb { from_bps, to_bps, packet_bits: self.packet_bits }
    }
}
