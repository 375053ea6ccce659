//! A link that changes while the network runs: its changes, and what becomes of the packets that wait there then.

use super::course::{Course, Launched};
use super::rate::nanos_per_byte;
use super::{Form, Link, Traits};
use crate::change::{Change, Line};
use crate::counters::LinkCounters;
use crate::ids::NodeId;
use crate::opportunities::{Opportunities, Sending};
use crate::packet_probe::PacketAction;
use crate::store::{Label, Store};
use faircast_proto::time::{Duration, Instant};

impl Link {
    /// Makes it a link that may change, for the first time at `first`.
    pub(crate) fn prepare_for_changes(&mut self, first: Instant) {
        if self.course.is_some() {
            return;
        }
        let mut course = Box::new(Course::new(self.delay, self.rate));
        if self.waiting.is_none() {
            course.ahead.allow(first, self.sure_room);
        }
        self.sure_room = 0;
        self.waiting.get_or_insert_default();
        self.course = Some(course);
    }

    /// Makes it a link that sends at these times alone. What is in the queue then, and what is transmitted, is decided
    /// packet by packet.
    pub(crate) fn send_at(&mut self, opportunities: Opportunities) {
        self.prepare_for_changes(Instant::FAR_FUTURE);
        self.look_at_each();
        if let Some(course) = &mut self.course {
            course.sending = Some(Sending::new(opportunities));
            self.traits.add(Traits::TIMED);
        }
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

    /// Changes it; `until` is when it changes next. It must be one that may change. For its waiting packets something
    /// must be done if it turns or is down then, see [`treat_waiting`](Self::treat_waiting).
    pub(crate) fn change(&mut self, now: Instant, change: Change, until: Instant) {
        // What has left by now has left an unchanged link.
        self.settle(now);
        let Some(course) = &mut self.course else { return };
        debug_assert!(
            self.ring.in_system() <= u32::from(course.transmits),
            "what is sent ahead departs before the link changes"
        );
        course.ahead.set_until(until);
        match change {
            Change::Down => course.up = false,
            Change::Up => course.up = true,
            Change::Rate(rate) => {
                course.rates.set(now, rate);
                (self.rate, self.nanos_per_byte) = (rate, nanos_per_byte(rate));
            }
            Change::Loss(loss) => {
                self.set_loss(loss);
                self.form = Form::Special;
            }
            Change::Delay { from, slope } => course.delay = Line::new(now, from, slope),
            Change::FarEnd(to) => self.turn(now, to),
        }
    }

    /// A packet that has waited takes another way, while `waiting` stay or have not been treated yet.
    pub(crate) fn note_rerouted(&mut self, now: Instant, label: Label, waiting: u32, store: &Store) {
        self.counters.rerouted += 1;
        self.note_left(label);
        self.observe(now, PacketAction::Rerouted, store.get(label.packet()), waiting);
    }

    /// Removes a packet that has waited, while `waiting` stay or have not been treated yet.
    pub(crate) fn discard(&mut self, now: Instant, label: Label, waiting: u32, store: &mut Store) {
        self.counters.discarded += 1;
        self.note_left(label);
        store.count_loss(label.packet(), |losses| &mut losses.down);
        self.observe(now, PacketAction::Discarded, store.get(label.packet()), waiting);
        store.release(label.packet());
    }

    /// The packet in transmission has left, if there is one and its time has come. Before
    /// [`depart`](Self::depart) on links that may change.
    pub(crate) fn launch(&mut self, now: Instant) -> Launched {
        self.settle(now);
        let Some(course) = &mut self.course else { return Launched::Nothing };
        let Some(label) = self.ring.newest().filter(|_| course.transmits && self.ring.all_departed()) else {
            return Launched::Nothing;
        };
        course.transmits = false;
        let aim = course.has_legs.then_some(course.aim);
        let in_vain = std::mem::take(&mut course.departs_in_vain);
        if in_vain || aim.is_some() {
            course.gone_bytes += u64::from(label.size());
            self.ring.remove_newest();
        }
        match aim {
            _ if in_vain => {
                self.counters.unreceived += 1;
                Launched::InVain(label)
            }
            Some(aim) => Launched::ToLegs(aim, label),
            None => Launched::Sent(self.depart_on_course(now)),
        }
    }

    /// Tells the probe how many packets wait after a change.
    pub(crate) fn note_waiting(&mut self, now: Instant) {
        let waiting = self.waiting_pkts();
        if let Some(probe) = self.probe_mut() {
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
