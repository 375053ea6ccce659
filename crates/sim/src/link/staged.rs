//! What a link in two stages does with the packets that wait: takes them in, lets them out, deals with the queue if
//! that owns them.

use super::waiting::Fate;
use super::{Link, Traits, Verdict, Wanted};
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::{Held, InterfaceView};
use crate::store::{Handle, Label, Store};
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

impl Link {
    /// Tells the link its number, which packets of queues that own them name.
    pub(crate) fn set_number(&mut self, number: LinkId) {
        if let Some(waiting) = &mut self.waiting {
            waiting.link = number;
        }
    }

    /// Whether a packet that was let in goes into transmission at once. One of a queue that owns its packets goes
    /// through the queue first.
    #[inline]
    pub(super) fn may_go_at_once(&self) -> bool {
        let free = self.waiting.as_ref().is_none_or(|waiting| waiting.pkts == 0) && !self.is_transmitting();
        free && !self.queue.owns_packets() && !self.is_adaptive()
    }

    /// A packet that was let in goes into transmission at once; the entries wanted.
    #[inline]
    pub(super) fn begin_at_once(&mut self, now: Instant, aim: Aim, label: Label) -> Wanted {
        if let Some(course) = &mut self.course {
            (course.aim, course.departs_in_vain) = (aim, false);
        }
        let departure = self.departure(now, now, label);
        self.start(departure, label)
    }

    /// As [`departure_of`](Link::departure_of), of a packet that came at `since`, also where the times are given.
    #[inline]
    fn departure(&mut self, now: Instant, since: Instant, label: Label) -> (Instant, u32) {
        if !self.traits.has(Traits::TIMED) {
            return self.departure_of(now, label);
        }
        let bytes = u32::from(self.header) + u32::from(label.size());
        let before = self.last_departure;
        match self.course.as_mut().and_then(|course| course.sending.as_mut()) {
            None => self.departure_of(now, label),
            Some(sending) => (sending.depart(now, since, before, bytes), 0),
        }
    }

    /// A packet that was let in waits from now on. What a queue that owns it drops for it is seen to by
    /// [`start_waiting`](Self::start_waiting).
    pub(super) fn take_in(&mut self, now: Instant, aim: Aim, label: Label, packet: &Packet) {
        let Some(waiting) = &mut self.waiting else { return };
        let held = Held { label, since: now, aim, link: waiting.link, ecn: packet.ecn, doomed: false };
        if self.queue.owns_packets() {
            return self.enqueue(now, held, packet);
        }
        waiting.count_in(&held);
        waiting.fifo.push(held);
    }

    /// The same where the queue owns its packets.
    #[inline(never)]
    fn enqueue(&mut self, now: Instant, held: Held, packet: &Packet) {
        let view = self.view(now);
        let (Some(waiting), Some(queue)) = (&mut self.waiting, self.queue.scheduler()) else { return };
        waiting.count_in(&held);
        // One that has failed is given nothing: the run ends.
        if waiting.owned.fault.is_none() {
            queue.enqueue(held, packet, &view, &mut waiting.owned.drops);
        }
    }

    /// The packet in transmission has left (two-stage links), or a deadline of the queue has come.
    pub(crate) fn depart(&mut self, now: Instant, store: &mut Store) -> Option<Wanted> {
        self.settle(now);
        if self.is_transmitting() {
            return None;
        }
        let waiting = self.waiting.as_mut()?;
        waiting.owned.transmits = false;
        match waiting.pkts {
            0 => None,
            _ => self.start_waiting(now, store),
        }
    }

    /// Starts what waits while the transmitter is free; the entries wanted.
    pub(super) fn start_waiting(&mut self, now: Instant, store: &mut Store) -> Option<Wanted> {
        if self.is_adaptive() {
            return self.ask_to_start(now, store);
        }
        let mut sent: Option<Wanted> = None;
        while self.may_start()
            && let Some(held) = self.next(now, store)
        {
            let wanted = self.begin(now, held, store);
            self.assert_conservation();
            // Of the deliveries of what is sent ahead only the first needs an entry.
            let delivery = sent.map_or(wanted.delivery, |sent| sent.delivery);
            sent = Some(Wanted { delivery, ..wanted });
            if wanted.departure.is_some() {
                break;
            }
        }
        match self.queue.owns_packets() {
            true => self.see_to_owned(now, sent, store),
            false => sent,
        }
    }

    /// A packet has come that waits: wants an entry of the calendar at this moment, by which somebody starts the next
    /// transmission, if the transmitter is free.
    #[cold]
    fn ask_to_start(&mut self, now: Instant, store: &mut Store) -> Option<Wanted> {
        if self.queue.owns_packets() {
            self.drop_owned(now, store);
        }
        let free = !self.is_transmitting() && self.waiting.as_ref().is_some_and(|waiting| waiting.pkts > 0);
        let course = self.course.as_mut().filter(|course| free && !course.asked)?;
        course.asked = true;
        Some(Wanted { delivery: None, departure: Some(now), verdict: Verdict::Accept })
    }

    /// Takes out the packet that is transmitted next, if the transmitter is free and one may leave; otherwise the
    /// entries wanted. Of an adaptive link.
    #[cold]
    pub(crate) fn pick(&mut self, now: Instant, store: &mut Store) -> Result<Held, Option<Wanted>> {
        self.settle(now);
        if let Some(course) = &mut self.course {
            course.asked = false;
        }
        if self.is_transmitting() {
            return Err(None);
        }
        let Some(waiting) = &mut self.waiting else { return Err(None) };
        waiting.owned.transmits = false;
        if waiting.pkts == 0 {
            return Err(None);
        }
        if self.may_start()
            && let Some(held) = self.next(now, store)
        {
            return Ok(held);
        }
        Err(if self.queue.owns_packets() { self.see_to_owned(now, None, store) } else { None })
    }

    /// Transmits a packet that was picked, in which a byte takes so many nanoseconds (32 binary places); the entries
    /// wanted.
    #[cold]
    pub(crate) fn begin_picked(
        &mut self,
        now: Instant,
        held: Held,
        nanos_per_byte: u64,
        store: &mut Store,
    ) -> Option<Wanted> {
        self.nanos_per_byte = nanos_per_byte;
        let wanted = self.begin(now, held, store);
        self.assert_conservation();
        match self.queue.owns_packets() {
            true => self.see_to_owned(now, Some(wanted), store),
            false => Some(wanted),
        }
    }

    /// Whether the next packet that waits may be transmitted.
    #[inline]
    pub(super) fn may_start(&self) -> bool {
        let up = self.course.as_ref().is_none_or(|course| course.up);
        up || self.waiting.as_ref().is_some_and(|waiting| waiting.doomed > 0)
    }

    /// How many of those that wait start in the moment in which one has departed.
    pub(super) fn starting_now(&mut self, now: Instant) -> u32 {
        if self.is_slotted() {
            return 0;
        }
        let deadline = self.queue.scheduler().and_then(|queue| queue.deadline());
        let waits = deadline.is_some_and(|at| at > now);
        u32::from(self.may_start() && !waits)
    }

    /// Whether a queue that owns its packets has to wait for the one in transmission.
    pub(super) fn is_busy(&self) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| waiting.owned.transmits)
    }

    /// The packet that is transmitted next, if one may leave.
    #[inline]
    fn next(&mut self, now: Instant, store: &mut Store) -> Option<Held> {
        if self.queue.owns_packets() {
            return self.dequeue(now, store);
        }
        let waiting = self.waiting.as_mut()?;
        let held = waiting.fifo.pop()?;
        waiting.count_out(&held);
        Some(held)
    }

    /// The same of a queue that owns its packets.
    #[inline(never)]
    fn dequeue(&mut self, now: Instant, store: &mut Store) -> Option<Held> {
        loop {
            let view = InterfaceView { transmitting: false, ..self.view(now) };
            let (Some(waiting), Some(queue)) = (&mut self.waiting, self.queue.scheduler()) else { return None };
            if waiting.owned.transmits || waiting.owned.fault.is_some() {
                return None;
            }
            let (mut held, verdict) = queue.dequeue(&view, &mut waiting.owned.drops)?;
            match verdict {
                Verdict::Drop(reason) => {
                    waiting.owned.drops.drop(held, reason);
                    continue;
                }
                // Nobody gets what is not of this link.
                _ if !waiting.count_out(&held) => return None,
                Verdict::Accept => {}
                Verdict::Mark(level) => {
                    let before = self.counters.marked();
                    let label = self.mark(now, held.label, level, store);
                    let is_raised = self.counters.marked() > before;
                    let queue = (self.waiting_pkts(), self.average_pkts().unwrap_or(f64::NAN));
                    if let Some(probe) = self.probe_mut() {
                        probe.rename(held.label.packet(), label.packet());
                        if is_raised {
                            probe.mark(now, label.packet(), level, queue);
                        }
                    }
                    held.label = label;
                }
            }
            return Some(held);
        }
    }

    /// Notes that a packet goes into transmission.
    #[inline]
    pub(super) fn note_beginning(&mut self, now: Instant, held: &Held, store: &Store) {
        if let Some(course) = &mut self.course {
            (course.aim, course.departs_in_vain) = (held.aim, held.doomed || !course.up);
        }
        if self.traits.has(Traits::PROBED) {
            self.observe_beginning(now.since(held.since), store.get(held.label.packet()));
        }
    }

    /// A packet goes into transmission; the entries wanted.
    #[inline]
    pub(super) fn begin(&mut self, now: Instant, held: Held, store: &Store) -> Wanted {
        self.note_beginning(now, &held, store);
        let departure = self.departure(now, held.since, held.label);
        let departure = match self.queue.scheduler() {
            None => departure,
            Some(queue) => {
                // The transmitter is free.
                let plain = departure.0.since(now);
                let time = queue.service_time(&held, store.get(held.label.packet()), plain);
                if let Some(waiting) = &mut self.waiting {
                    waiting.owned.transmits = true;
                }
                if time == plain { departure } else { (now + time, 0) }
            }
        };
        self.start(departure, held.label)
    }

    /// Sees to what a queue that owns its packets has done since the last time: packets that it has dropped, whether
    /// all others are there, and when it is to be asked again.
    #[inline(never)]
    pub(super) fn see_to_owned(&mut self, now: Instant, sent: Option<Wanted>, store: &mut Store) -> Option<Wanted> {
        self.drop_owned(now, store);
        let (up, probed) = (self.may_start(), self.traits.has(Traits::PROBED));
        let (Some(waiting), Some(queue)) = (&mut self.waiting, self.queue.scheduler()) else { return sent };
        let deadline = queue.deadline().filter(|&at| at < Instant::FAR_FUTURE);
        let mut wake = None;
        if waiting.owned.fault.is_none() && up && !waiting.owned.transmits && waiting.pkts > 0 {
            match deadline {
                None => {
                    let pkts = waiting.pkts;
                    waiting.fail(|| format!("keeps {pkts} packets forever: hands out none and has no deadline"));
                }
                Some(at) if at <= now => waiting.fail(|| {
                    format!(
                        "sets a deadline of {} s, at {} s, when it hands out nothing",
                        at.as_secs_f64(),
                        now.as_secs_f64()
                    )
                }),
                Some(at) if waiting.owned.armed == Some(at) => {}
                Some(at) => (wake, waiting.owned.armed) = (Some(at), Some(at)),
            }
        }
        if probed {
            self.note_waiting(now);
        }
        match (sent, wake) {
            (None, Some(at)) => Some(Wanted { delivery: None, departure: Some(at), verdict: Verdict::Accept }),
            _ => sent,
        }
    }

    /// Sees to packets that a queue that owns them has dropped, and whether it has all others.
    fn drop_owned(&mut self, now: Instant, store: &mut Store) {
        let Some(waiting) = &mut self.waiting else { return };
        let mut drops = std::mem::take(&mut waiting.owned.drops);
        for (held, reason) in drops.packets.drain(..) {
            let Some(waiting) = &mut self.waiting else { return };
            if waiting.count_out(&held) {
                self.note_left(held.label);
                self.drop_packet(now, held.label, reason, self.waiting_pkts(), store);
            }
        }
        let (Some(waiting), Some(queue)) = (&mut self.waiting, self.queue.scheduler()) else { return };
        waiting.owned.drops = drops;
        let (has, should) = (queue.len(), waiting.pkts as usize);
        if has != should {
            waiting.fail(|| format!("has {has} packets where {should} wait"));
        }
    }

    /// What a queue that owns its packets has done that it must not do: its name, and that.
    pub(crate) fn fault(&mut self) -> Option<(String, String)> {
        let fault = self.waiting.as_ref()?.owned.fault.clone()?;
        Some((self.queue.scheduler()?.name().to_owned(), fault))
    }

    /// Whether its queue owns its packets, and may have done what it must not do.
    #[inline]
    pub(crate) fn may_have_failed(&self) -> bool {
        self.queue.owns_packets()
    }

    /// The packets that wait, but those that are doomed, each with its aim, in their order.
    pub(crate) fn waiting_packets(&mut self) -> Vec<(Label, Aim)> {
        let mut all = Vec::new();
        self.visit(&mut |held| {
            if !held.doomed {
                all.push((held.label, held.aim));
            }
            false
        });
        all
    }

    /// Does with the packets that wait, but those that are doomed, what has been decided, in their order. Says whether
    /// it has: then those that leave are the caller's. Otherwise the queue has failed.
    pub(crate) fn treat_waiting(&mut self, fates: &[(Handle, Fate)]) -> bool {
        let (mut next, mut doomed, mut as_before) = (fates.iter(), 0, true);
        let left = self.visit(&mut |held| {
            if held.doomed {
                return false;
            }
            match next.next().filter(|(handle, _)| *handle == held.label.packet()) {
                None => as_before = false,
                Some((_, Fate::Stays(aim))) => held.aim = *aim,
                Some((_, Fate::Doomed)) => (held.doomed, doomed) = (true, doomed + 1),
                Some((_, Fate::Leaves)) => return true,
            }
            false
        });
        let Some(waiting) = &mut self.waiting else { return false };
        if !as_before || next.next().is_some() {
            waiting.fail(|| "shows its packets in another order when nothing has come or gone".into());
            return false;
        }
        waiting.doomed += doomed;
        left.iter().all(|held| waiting.count_out(held))
    }

    /// Shows each packet that waits to `leaves`; those of which it says so.
    pub(super) fn visit(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool) -> Vec<Held> {
        let mut left = Vec::new();
        match (&mut self.waiting, self.queue.scheduler()) {
            (Some(waiting), Some(queue)) if waiting.owned.fault.is_none() => queue.remove(leaves, &mut left),
            (Some(waiting), None) => waiting.fifo.remove(leaves, &mut left),
            _ => {}
        }
        left
    }
}
