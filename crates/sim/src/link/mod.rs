//! One direction of a link: a queue discipline, a transmitter, a wire, a loss model.
//!
//! Packets whose departure is known, in transmission or on the wire, are in one ring, oldest first, and the calendar
//! holds at most one delivery entry: that of the oldest. The packets themselves lie in the `Store`.
//!
//! *Fused* links know every packet's departure when it arrives, since nothing can change it afterwards; waiting
//! packets lie in the ring, too, and how many have left by now is found by moving a cursor. *Two-stage* links keep
//! waiting packets apart (`waiting.rs`, `staged.rs`) and have a second calendar entry, the departure of the packet in
//! transmission; queues that own their packets need them. For disciplines, which decide at arrival, both give identical
//! traces.
//!
//! Links that [change](crate::change) know when they do so next. What departs before that they deliver as fused links
//! do (`ahead.rs`); the first packet that departs later is in the ring without a delivery, which it gets when it
//! departs: it takes the delay and the far end of that moment. What is on the wire when the link turns elsewhere is
//! kept apart (`strays.rs`).
//!
//! The transmitter of a [link with legs](crate::part) is such a link, without a wire; its legs are links with neither
//! queue nor transmitter (`legs.rs`).

mod ahead;
mod changing;
mod course;
mod legs;
mod rate;
mod slotted;
mod staged;
mod strays;
mod waiting;
mod watched;

pub(crate) use course::Launched;
pub use rate::LEAST_RATE;
pub(crate) use waiting::Fate;

use crate::counters::LinkCounters;
use crate::ids::NodeId;
use crate::loss::{Loss, LossModel};
use crate::packet_probe::PacketAction;
use crate::part::Aim;
use crate::queue::{Discipline, DropReason, InterfaceView, Queue, Verdict};
use crate::queue_probe::QueueProbe;
use crate::ring::Ring;
use crate::router::port::Port;
use crate::store::{Label, Store};
use course::Course;
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::time::{Duration, Instant, Rate};
use rate::nanos_per_byte;
use std::mem::offset_of;
use waiting::Waiting;

/// One direction of a link. What every packet touches comes first and fits into two cache lines.
#[repr(C, align(128))]
pub struct Link {
    /// Packets in the order of their departures.
    ring: Ring,
    /// When the last packet of the ring leaves the transmitter.
    last_departure: Instant,
    /// Nanoseconds that a byte takes, 32 binary places.
    nanos_per_byte: u64,
    delay: Duration,
    /// What is missing from `last_departure` to the exact moment, in 2^-32 ns.
    remainder: u32,
    /// While fewer packets are in the system every packet enters unchanged; 0 if the queue must be asked each time.
    sure_room: u32,
    /// Node at the far end.
    to: NodeId,
    /// Bytes that the link layer adds to each packet on this link.
    header: u16,
    form: Form,
    traits: Traits,
    counters: LinkCounters,
    waiting: Option<Box<Waiting>>,
    /// What few links have.
    special: Option<Box<Special>>,
    rate: Rate,
    queue: Queue,
    /// What may change; `None` if nothing does.
    course: Option<Box<Course>>,
}

const _: () = assert!(offset_of!(Link, counters) + offset_of!(LinkCounters, delivered_bytes) <= 128);
const _: () = assert!(size_of::<Link>() <= 256);

/// What is asked of each packet, in one byte, as two cache lines are full: bits of [`Traits`].
#[derive(Clone, Copy, Debug, Default)]
struct Traits(u8);

impl Traits {
    /// There is a probe.
    const PROBED: Traits = Traits(1);
    /// Somebody else starts its transmissions.
    const ADAPTIVE: Traits = Traits(2);
    /// It sends at given times alone.
    const TIMED: Traits = Traits(4);
    /// It sends in slots of a return channel, which starts its transmissions.
    const SLOTTED: Traits = Traits(8);

    #[inline(always)]
    fn has(self, of: Traits) -> bool {
        self.0 & of.0 != 0
    }

    fn add(&mut self, of: Traits) {
        self.0 |= of.0;
    }
}

/// What must be looked at when a packet comes to the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Nothing: it loses nothing and never changes.
    Plain,
    /// Losses, a queue with legs, or a probe that wants to know of each departure.
    Special,
    /// It loses nothing and changes, and a packet is in transmission, or some are on the wire to former far ends.
    Moving,
    /// It is a leg that never changes, and does not hold its packets itself.
    FixedLeg,
}

/// What few links have: losses at the far end, and those who look at each packet that comes to the queue.
#[derive(Default)]
struct Special {
    loss: Option<Loss>,
    probe: Option<QueueProbe>,
    /// The router agent in front of the queue.
    port: Option<Port>,
}

/// How a link decides when packets leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMode {
    /// Departures computed at arrival: one calendar entry.
    Fused,
    /// Departures as events of their own: two calendar entries.
    TwoStage,
}

/// Calendar entries a link wants after a packet has arrived or departed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// A delivery entry.
    pub delivery: Option<Instant>,
    /// A departure entry (two-stage links only).
    pub departure: Option<Instant>,
    /// What the queue made of the packet.
    pub verdict: Verdict,
}

/// A packet that has come to a far end.
pub(crate) struct Delivered {
    /// The node there.
    pub(crate) at: NodeId,
    pub(crate) label: Label,
    /// Whether the loss model took it.
    pub(crate) lost: bool,
    /// When another entry of the calendar is wanted, if one is.
    pub(crate) next: Option<Instant>,
}

impl Link {
    /// An idle link to the node `to`. The rate must be at least [`LEAST_RATE`].
    pub fn new(to: NodeId, rate: Rate, delay: Duration, queue: Queue, loss: Loss, mode: LinkMode) -> Link {
        let mode = if queue.owns_packets() { LinkMode::TwoStage } else { mode };
        let mut link = Link {
            ring: Ring::new(),
            last_departure: Instant::ZERO,
            nanos_per_byte: nanos_per_byte(rate),
            delay,
            remainder: 0,
            sure_room: if mode == LinkMode::Fused { queue.sure_room_pkts().min(Ring::MOST_UNSETTLED) } else { 0 },
            to,
            header: 0,
            form: if matches!(loss, Loss::Lossless(_)) { Form::Plain } else { Form::Special },
            traits: Traits::default(),
            counters: LinkCounters::default(),
            waiting: (mode == LinkMode::TwoStage).then(Box::default),
            rate,
            queue,
            special: None,
            course: None,
        };
        link.set_loss(loss);
        link
    }

    /// Gives it a loss model in the place of the one that it had.
    fn set_loss(&mut self, loss: Loss) {
        let loss = (!matches!(loss, Loss::Lossless(_))).then_some(loss);
        if loss.is_some() || self.special.is_some() {
            self.special.get_or_insert_default().loss = loss;
        }
    }

    /// Whether a packet that comes to the queue now enters unchanged for certain. Otherwise the link must look closely
    /// ([`admit_looking_closely`](Self::admit_looking_closely)).
    #[inline(always)]
    pub(crate) fn has_room_for_certain(&self) -> bool {
        // Not settled, the ring's count is an upper bound.
        self.ring.in_system() < self.sure_room
    }

    /// A packet comes to the queue, which has room for certain: it enters unchanged. Says when a delivery entry is
    /// wanted, if one is.
    #[inline(always)]
    pub(crate) fn admit(&mut self, now: Instant, label: Label) -> Option<Instant> {
        self.counters.arrived += 1;
        let delivery = self.transmit(now, label);
        self.assert_conservation();
        delivery
    }

    /// Admits a packet where there seemed to be no room. `None`: nothing has happened, the queue must be asked
    /// ([`arrive`](Self::arrive)).
    #[inline(always)]
    pub(crate) fn admit_looking_closely(&mut self, now: Instant, label: Label) -> Option<Option<Instant>> {
        if self.course.is_some() {
            return self.admit_ahead(now, label);
        }
        if self.sure_room > 0 {
            self.settle(now);
        }
        self.has_room_for_certain().then(|| self.admit(now, label))
    }

    /// A packet comes to the queue, on a link with legs for those of `aim`.
    pub(crate) fn arrive(&mut self, now: Instant, aim: Aim, mut label: Label, store: &mut Store) -> Wanted {
        self.settle(now);
        self.counters.arrived += 1;
        let arrived = *store.get(label.packet());
        let verdict = match self.is_up() {
            true => self.queue.arrive(&arrived, &self.view(now)),
            false => Verdict::Drop(DropReason::Down),
        };
        match verdict {
            Verdict::Accept => {}
            Verdict::Mark(level) => label = self.mark(now, label, level, store),
            Verdict::Drop(reason) => {
                self.drop_packet(now, label, reason, self.waiting_pkts(), store);
                return Wanted { verdict, delivery: None, departure: None };
            }
        }
        if self.waiting.is_none() {
            let free = self.last_departure;
            let wanted = Wanted { delivery: self.transmit(now, label), departure: None, verdict };
            if self.traits.has(Traits::PROBED) {
                self.observe_entry(now, verdict, label, &arrived);
                self.observe_beginning(free.since(now), &arrived);
            }
            self.assert_conservation();
            return wanted;
        }
        let wanted = match self.may_go_at_once() {
            true => Some(self.begin_at_once(now, aim, label)),
            false => {
                self.take_in(now, aim, label, store.get(label.packet()));
                None
            }
        };
        if self.traits.has(Traits::PROBED) {
            self.observe_entry(now, verdict, label, &arrived);
            if wanted.is_some() {
                self.observe_beginning(Duration::ZERO, &arrived);
            }
        }
        let wanted = match self.queue.owns_packets() || self.is_adaptive() {
            true => self.start_waiting(now, store),
            false => wanted,
        };
        self.assert_conservation();
        let nothing = Wanted { delivery: None, departure: None, verdict };
        Wanted { verdict, ..wanted.unwrap_or(nothing) }
    }

    /// Whether nothing must be looked at when a packet comes to the far end.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.form == Form::Plain
    }

    /// Takes out the packet that comes to the far end now, where nothing must be looked at: the node there, the packet,
    /// and when another entry of the calendar is wanted, if one is.
    #[inline(always)]
    pub(crate) fn deliver_oldest(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        let label = self.ring.pop(now);
        self.count_delivered(label);
        // Last, so that whether there is another one is asked once.
        (self.to, label, self.ring.oldest_delivery())
    }

    /// Takes out the packet that comes to a far end now.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, now: Instant, store: &Store) -> Delivered {
        match self.form {
            Form::Moving => self.deliver_from_wire(now),
            _ => self.deliver_looking_closely(now, store),
        }
    }

    /// The same if the link changes.
    #[inline(always)]
    fn deliver_from_wire(&mut self, now: Instant) -> Delivered {
        let (at, label, next) = self.take_from_wire(now);
        self.count_delivered(label);
        Delivered { at, label, lost: false, next }
    }

    /// The same if it may be lost.
    #[inline(never)]
    fn deliver_looking_closely(&mut self, now: Instant, store: &Store) -> Delivered {
        let (at, label, next) = if self.course.is_some() {
            self.take_from_wire(now)
        } else {
            if self.ring.none_on_wire() {
                self.settle(now);
            }
            let (label, next) = self.take_oldest(now);
            (self.to, label, next)
        };
        let lost = self.loses(now, label, store.get(label.packet()));
        Delivered { at, label, lost, next }
    }

    /// Whether a packet that comes to the far end is lost there; counts it.
    #[inline]
    fn loses(&mut self, now: Instant, label: Label, packet: &Packet) -> bool {
        let lost = match (self.special.as_mut().and_then(|special| special.loss.as_mut()), self.header) {
            (None, _) => false,
            (Some(loss), 0) => loss.loses(now, packet),
            // The bits of the link layer can be hit as well.
            (Some(loss), header) => loss.loses(now, &Packet { size: packet.size.saturating_add(header), ..*packet }),
        };
        if lost || label.is_garbled() {
            self.counters.lost += 1;
            self.assert_conservation();
            if self.traits.has(Traits::PROBED) {
                self.witness(now, PacketAction::Lost, packet);
            }
        } else {
            self.count_delivered(label);
        }
        lost || label.is_garbled()
    }

    #[inline(always)]
    fn take_oldest(&mut self, now: Instant) -> (Label, Option<Instant>) {
        let label = self.ring.pop(now);
        (label, self.ring.oldest_delivery())
    }

    #[inline(always)]
    fn count_delivered(&mut self, label: Label) {
        self.counters.delivered += 1;
        self.counters.delivered_bytes += u64::from(label.size());
        self.assert_conservation();
    }

    /// Brings the counters up to the present: lets the cursor pass every packet that has left the transmitter by now.
    #[inline]
    pub fn settle(&mut self, now: Instant) {
        let behind = self.ring.behind();
        if behind > 0 {
            // Nothing was lost here: then the cursor is never behind.
            let gone_bytes = self.course.as_ref().map_or(0, |course| course.gone_bytes);
            let bytes = self.counters.delivered_bytes + gone_bytes - self.counters.departed_bytes;
            self.ring.catch_up(bytes);
            self.counters.departed += u64::from(behind);
            self.counters.departed_bytes += bytes;
        }
        while let Some((departed, label)) = self.ring.pass_departed(now) {
            self.counters.departed += 1;
            self.counters.departed_bytes += u64::from(label.size());
            if self.traits.has(Traits::PROBED) {
                self.observe_departure(departed, label);
            }
        }
    }

    /// Starts a transmission that ends then (two-stage links); the entries wanted.
    fn start(&mut self, departure: (Instant, u32), label: Label) -> Wanted {
        (self.last_departure, self.remainder) = departure;
        if self.course.is_some() {
            return self.start_on_course(departure.0, label);
        }
        let first = self.ring.is_empty();
        let delivery = departure.0 + self.delay;
        self.ring.push(label, departure.0, delivery);
        Wanted { delivery: first.then_some(delivery), departure: Some(departure.0), verdict: Verdict::Accept }
    }

    /// Starts transmission as soon as the transmitter is free. Says when the packet comes to the far end, if it is the
    /// only one in the ring.
    #[inline(always)]
    fn transmit(&mut self, now: Instant, label: Label) -> Option<Instant> {
        (self.last_departure, self.remainder) = self.departure_of(now, label);
        let departure = self.last_departure;
        let first = self.ring.is_empty();
        let delivery = departure + self.delay;
        self.ring.push(label, departure, delivery);
        first.then_some(delivery)
    }

    /// When a packet departs whose transmission starts as soon as the transmitter is free, and what is missing from
    /// that to the exact moment.
    #[inline(always)]
    fn departure_of(&self, now: Instant, label: Label) -> (Instant, u32) {
        let idle = self.last_departure < now;
        let (start, remainder) = if idle { (now, 0) } else { (self.last_departure, self.remainder) };
        let bytes = u64::from(self.header) + u64::from(label.size());
        let exact = u128::from(self.nanos_per_byte) * u128::from(bytes) + u128::from(remainder);
        // A packet has at most 2^17 bytes, a byte at most 2^32 ns: 2^49 ns. What waits behind many of them may leave
        // never.
        (start + Duration((exact >> 32) as u64), exact as u32)
    }

    /// Raises a packet's congestion bits; the label of the marked one.
    fn mark(&mut self, now: Instant, label: Label, level: Ecn, store: &mut Store) -> Label {
        if level <= store.get(label.packet()).ecn {
            return label;
        }
        match level {
            Ecn::Incipient => self.counters.marked_incipient += 1,
            Ecn::Moderate => self.counters.marked_moderate += 1,
            Ecn::NotCapable | Ecn::Scalable | Ecn::Capable => {}
        }
        if self.special.is_some() {
            self.tell_agent(now, store.get(label.packet()));
        }
        store.set_ecn(label, level)
    }

    /// Drops a packet, after which `waiting` packets wait.
    fn drop_packet(&mut self, now: Instant, label: Label, reason: DropReason, waiting: u32, store: &mut Store) {
        match reason {
            DropReason::Overflow => self.counters.dropped_overflow += 1,
            DropReason::Active => self.counters.dropped_active += 1,
            DropReason::Down => self.counters.dropped_down += 1,
        }
        store.count_loss(label.packet(), |losses| match reason {
            DropReason::Overflow => &mut losses.overflow,
            DropReason::Active => &mut losses.active,
            DropReason::Down => &mut losses.down,
        });
        self.observe(now, PacketAction::Dropped(reason), store.get(label.packet()), waiting);
        if self.special.is_some() && reason != DropReason::Down {
            self.tell_agent(now, store.get(label.packet()));
        }
        store.release(label.packet());
    }

    #[inline]
    fn view(&self, now: Instant) -> InterfaceView {
        InterfaceView {
            now,
            waiting_pkts: self.waiting_pkts(),
            waiting_bytes: self.waiting_bytes(),
            transmitting: !self.ring.all_departed(),
            idle_since: self.last_departure,
            rate: self.rate,
        }
    }

    /// Packets waiting, without the one in transmission, as of the last [`settle`](Self::settle).
    #[inline]
    pub fn waiting_pkts(&self) -> u32 {
        match &self.waiting {
            Some(waiting) => waiting.pkts + self.ring.in_system().saturating_sub(1),
            None => self.ring.in_system().saturating_sub(1),
        }
    }

    #[inline]
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting.as_ref().map_or(0, |waiting| waiting.bytes) + self.ring.waiting_bytes()
    }

    /// Whether a packet is in transmission of which an event will say that it has departed. Those that are sent ahead
    /// are not among them. A packet too small to take a nanosecond has departed already, its event not yet come: to
    /// keep the order it counts where that event decides.
    #[inline]
    fn is_transmitting(&self) -> bool {
        self.course.as_ref().map_or(!self.ring.all_departed(), |course| course.transmits)
    }

    /// From now on somebody looks at each packet of the queue: none is sent ahead.
    fn look_at_each(&mut self) {
        self.sure_room = 0;
        if let Some(course) = &mut self.course {
            course.ahead.forbid();
        }
    }

    /// What the link has done.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// The average queue its discipline keeps, in packets.
    pub fn average_pkts(&self) -> Option<f64> {
        self.queue.average_pkts()
    }

    /// The link's rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Bytes that the link layer adds to each packet on this link, in time and in what bit errors can hit.
    pub fn header_bytes(&self) -> u16 {
        self.header
    }

    /// Sets the bytes that the link layer adds to each packet.
    pub(crate) fn set_header_bytes(&mut self, bytes: u16) {
        self.header = bytes;
    }

    /// Packets inside: waiting, in transmission, on the wire.
    pub fn inside_pkts(&self) -> u64 {
        if self.form == Form::FixedLeg {
            return self.counters.departed - self.counters.delivered - self.counters.lost;
        }
        let waiting = self.waiting.as_ref().map_or(0, |waiting| u64::from(waiting.pkts));
        let strays = self.course.as_ref().map_or(0, |course| course.strays.len() + course.deferred.len() as u64);
        u64::from(self.ring.len()) + waiting + strays
    }

    /// Packets in = packets out + packets inside, always.
    #[inline]
    fn assert_conservation(&self) {
        debug_assert!(self.conserves(), "packets are conserved: {:?}, {} inside", self.counters, self.inside_pkts());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(debug_assertions)]
    use crate::{
        loss,
        queue::{self, LinkContext, battery::packet},
    };
    #[cfg(debug_assertions)]
    use faircast_proto::random::Random;

    /// An ample drop-tail link of 1 Gbit/s that believes to have lost a packet that never came.
    #[cfg(debug_assertions)]
    fn miscounting_link() -> Link {
        let rate = Rate(1_000_000_000);
        let queue: queue::Config = serde_json::from_str(r#"{"kind": "drop-tail"}"#).expect("a legal queue");
        let random = Random::stream(1, "test");
        let context = LinkContext { rate, delay: Duration::ZERO, mean_packet_bytes: 1000, random: random.clone() };
        let loss: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("a legal loss model");
        let (queue, loss) = (Queue::new(&queue, context), Loss::new(&loss, random));
        let mut link = Link::new(NodeId(0), rate, Duration::ZERO, queue, loss, LinkMode::Fused);
        link.counters.lost = 1;
        link
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "packets are conserved")]
    fn a_packet_unaccounted_for_is_noticed_where_the_queue_is_not_asked() {
        let label = Store::default().insert(&packet(1000, Ecn::NotCapable));
        miscounting_link().admit(Instant(1), label);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "packets are conserved")]
    fn a_packet_unaccounted_for_is_noticed_at_delivery() {
        let mut link = miscounting_link();
        let mut store = Store::default();
        let label = store.insert(&packet(1000, Ecn::NotCapable));
        link.transmit(Instant(1), label);
        // It never arrived, and now it is delivered: two mistakes that do not cancel.
        link.deliver(Instant(10_000), &store);
    }
}
