//! What a link keeps that changes while the network runs, apart from what every link needs.
//!
//! Such a link runs in two stages: a packet in transmission is alone in the ring, and moves to the [`Wire`] when it
//! departs. Of the packets that wait, the first may be *doomed*: they will be transmitted, but received by nobody.

use super::wire::Wire;
use super::{Form, Link, nanos_per_byte};
use crate::change::{Change, Line};
use crate::counters::LinkCounters;
use crate::ids::NodeId;
use crate::legs::Aim;
use crate::probe::PacketAction;
use crate::store::{Label, Store};
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::VecDeque;

/// What a link keeps because it changes.
pub(super) struct Course {
    up: bool,
    pub(super) delay: Line,
    pub(super) wire: Wire,
    /// How many of the packets that wait, the first ones, nobody will receive.
    doomed: usize,
    /// Whether nobody will receive the packet in transmission.
    departs_in_vain: bool,
    /// On a link with legs: for which of them each packet is, that in transmission and those that wait.
    pub(super) aims: Option<VecDeque<Aim>>,
    rates: Rates,
}

/// The rates that a link has had.
struct Rates {
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

impl Link {
    /// Makes it a link that may change.
    pub(crate) fn prepare_for_changes(&mut self) {
        if self.course.is_some() {
            return;
        }
        self.form = Form::Special;
        self.sure_room = 0;
        self.waiting.get_or_insert_default();
        self.course = Some(Box::new(Course {
            up: true,
            delay: Line::level(self.delay),
            wire: Wire::default(),
            doomed: 0,
            departs_in_vain: false,
            aims: None,
            rates: Rates { steps: vec![Step { since: Instant::ZERO, rate: self.rate, before: 0 }] },
        }));
    }

    /// Whether changes of it are planned.
    #[inline]
    pub fn may_change(&self) -> bool {
        self.course.is_some()
    }

    /// Whether packets can be sent over it.
    pub fn is_up(&self) -> bool {
        self.course.as_ref().is_none_or(|course| course.up)
    }

    /// The propagation delay of what departs at `now`, which must not be before the last change.
    pub fn delay(&self, now: Instant) -> Duration {
        self.course.as_ref().map_or(self.delay, |course| course.delay.at(now))
    }

    /// The node at the far end, for what departs now.
    pub fn far_end(&self) -> NodeId {
        self.to
    }

    /// The mean of its rates over some time, bit/s.
    pub fn mean_rate_bps(&self, from: Instant, to: Instant) -> f64 {
        self.course.as_ref().map_or(self.rate.as_bps_f64(), |course| course.rates.mean_bps(from, to))
    }

    /// Changes it. It must be one that may change. For its waiting packets something must be done if it turns or is
    /// down then, see [`take_waiting`](Self::take_waiting).
    pub(crate) fn change(&mut self, now: Instant, change: Change) {
        // What has left by now has left an unchanged link.
        self.settle(now);
        let Some(course) = &mut self.course else { return };
        match change {
            Change::Down => course.up = false,
            Change::Up => course.up = true,
            Change::Rate(rate) => {
                course.rates.set(now, rate);
                (self.rate, self.nanos_per_byte) = (rate, nanos_per_byte(rate));
            }
            Change::Loss(loss) => *self.loss = loss,
            Change::Delay { from, slope } => course.delay = Line::new(now, from, slope),
            Change::FarEnd(to) => self.to = to,
        }
    }

    /// Takes out the packets that wait, but those that are doomed, each with its aim. Each is to
    /// be given back or let go, in their order: [`keep`](Self::keep), [`lose`](Self::lose),
    /// [`note_rerouted`](Self::note_rerouted), [`discard`](Self::discard).
    pub(crate) fn take_waiting(&mut self) -> Vec<(Label, Aim)> {
        let (Some(course), Some(waiting)) = (&mut self.course, &mut self.waiting) else { return Vec::new() };
        let taken = waiting.packets.split_off(course.doomed);
        waiting.bytes -= taken.iter().map(|label| u64::from(label.size)).sum::<u64>();
        let aims = course.aims.as_mut().map(|aims| aims.split_off(self.ring.len() as usize + course.doomed));
        taken.into_iter().zip(aims.into_iter().flatten().chain(std::iter::repeat(Aim::Wanting))).collect()
    }

    /// Puts a packet that has waited back.
    pub(crate) fn keep(&mut self, label: Label, aim: Aim) {
        let waiting = self.waiting.get_or_insert_default();
        waiting.bytes += u64::from(label.size);
        waiting.packets.push_back(label);
        if let Some(course) = &mut self.course {
            course.aim(aim);
        }
    }

    /// Puts a packet that has waited back, for nobody to receive it.
    pub(crate) fn lose(&mut self, label: Label, aim: Aim) {
        self.keep(label, aim);
        if let Some(course) = &mut self.course {
            course.doomed += 1;
        }
    }

    /// A packet that has waited takes another way, while `waiting` stay or have not been treated yet.
    pub(crate) fn note_rerouted(&mut self, now: Instant, label: Label, waiting: u32, store: &Store) {
        self.counters.rerouted += 1;
        self.note_left(label);
        self.observe(now, PacketAction::Rerouted, store.get(label.packet), waiting);
    }

    /// Removes a packet that has waited, while `waiting` stay or have not been treated yet.
    pub(crate) fn discard(&mut self, now: Instant, label: Label, waiting: u32, store: &mut Store) {
        self.counters.discarded += 1;
        self.note_left(label);
        store.count_loss(label.packet, |losses| &mut losses.down);
        self.observe(now, PacketAction::Discarded, store.get(label.packet), waiting);
        store.release(label.packet);
    }

    /// The packet in transmission has left, if there is one and its time has come. Before
    /// [`depart`](Self::depart) on links that may change.
    pub(crate) fn launch(&mut self, now: Instant) -> Launched {
        self.settle(now);
        let Some(course) = &mut self.course else { return Launched::Nothing };
        if self.ring.is_empty() || !self.ring.all_departed() {
            return Launched::Nothing;
        }
        let label = self.ring.pop();
        let aim = course.aims.as_mut().map(|aims| aims.pop_front().expect("every packet has one"));
        if std::mem::take(&mut course.departs_in_vain) {
            self.counters.unreceived += 1;
            return Launched::InVain(label);
        }
        if let Some(aim) = aim {
            return Launched::ToLegs(aim, label);
        }
        Launched::Sent(course.wire.send(now, self.to, course.delay.at(now), label))
    }

    /// Tells the probe how many packets wait after a change.
    pub(crate) fn note_waiting(&mut self, now: Instant) {
        let waiting = self.waiting_pkts();
        if let Some(probe) = &mut self.probe {
            probe.note(now, waiting);
        }
    }

    /// Whether every packet that came is dropped, held back, lost, delivered, gone elsewhere or inside.
    pub fn conserves(&self) -> bool {
        let LinkCounters { arrived, dropped_overflow, dropped_active, dropped_down, held_back, .. } = self.counters;
        let LinkCounters { lost, delivered, rerouted, discarded, unreceived, .. } = self.counters;
        let refused = dropped_overflow + dropped_active + dropped_down + held_back;
        arrived == refused + lost + rerouted + discarded + unreceived + delivered + self.inside_pkts()
    }
}

impl Course {
    /// Whether the next packet that waits may be transmitted.
    pub(super) fn may_start(&self) -> bool {
        self.up || self.doomed > 0
    }

    /// The first packet that waits goes into transmission.
    pub(super) fn begin_transmission(&mut self) {
        self.departs_in_vain = self.doomed > 0;
        self.doomed = self.doomed.saturating_sub(1);
    }

    /// The first packet that waits is dropped by the discipline, with nothing in transmission.
    pub(super) fn note_dropped(&mut self) {
        self.doomed = self.doomed.saturating_sub(1);
        if let Some(aims) = &mut self.aims {
            aims.pop_front();
        }
    }

    /// A packet joins those that wait or are in transmission; on a link with legs it is for those of `aim`.
    pub(super) fn aim(&mut self, aim: Aim) {
        if let Some(aims) = &mut self.aims {
            aims.push_back(aim);
        }
    }
}

impl Rates {
    fn set(&mut self, now: Instant, rate: Rate) {
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

    fn mean_bps(&self, from: Instant, to: Instant) -> f64 {
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
        let mut rates = Rates { steps: vec![Step { since: Instant::ZERO, rate: Rate(7_654_321), before: 0 }] };
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
