//! What is different when a relay acknowledges: it has only so much room, and what it has acknowledged has not come
//! through to the last receiver yet.
//!
//! The room bounds what may be sent as the end of what the application has does (`limit`), so that what every
//! acknowledgement meets knows nothing of relays.

use super::{Relayed, Sender};
use crate::endpoint::Outbox;
use crate::packet::Ecn;
use crate::tcp::header::SackBlock;
use crate::tcp::number::expand;
use crate::tcp::state::State;
use crate::time::{Duration, Instant};

impl Sender {
    /// Sends to a relay that has room for so many segments at the beginning, as real ones say in their SYN-ACK.
    pub fn to_relay(mut self, room: u16) -> Sender {
        let (edge, through, available) = (self.snd_una + u64::from(room), self.snd_una, self.limit);
        let (held_back, held_since) = (Duration::ZERO, None);
        self.relayed = Some(Relayed { edge, through, available, probes: 0, held_back, held_since });
        self.make_available(available);
        self
    }

    /// The first segment that has not come to the last receiver, as far as is known: all below have been acknowledged
    /// by it.
    pub fn through(&self) -> u64 {
        self.relayed.as_ref().map_or(self.snd_una, |relayed| relayed.through)
    }

    /// For how long there has been something to send by now and no room for it at the relay.
    pub fn held_back(&self, now: Instant) -> Duration {
        let of = |relayed: &Relayed| relayed.held_since.map_or(Duration::ZERO, |since| now.since(since));
        self.relayed.as_ref().map_or(Duration::ZERO, |relayed| relayed.held_back + of(relayed))
    }

    /// Keeps count of it.
    pub(super) fn watch_room(&mut self, now: Instant) {
        let lacks_room = self.lacks_room() && !self.finished;
        let Some(relayed) = &mut self.relayed else { return };
        match relayed.held_since {
            None if lacks_room => relayed.held_since = Some(now),
            Some(since) if !lacks_room => {
                relayed.held_back = relayed.held_back + now.since(since);
                relayed.held_since = None;
            }
            _ => {}
        }
    }

    /// One past the last segment that there is to send, whether or not there is room for it.
    pub(super) fn available(&self) -> u64 {
        self.relayed.as_ref().map_or(self.limit, |relayed| relayed.available)
    }

    /// There is something to send up to this segment from now on.
    pub(super) fn make_available(&mut self, available: u64) {
        self.limit = available;
        if let Some(relayed) = &mut self.relayed {
            relayed.available = available;
            self.limit = available.min(relayed.edge);
        }
    }

    /// An acknowledgement of a relay. The right edge of its window never moves back, so that one which comes late says
    /// nothing wrong. What tells of more room, or of what has come through, is no duplicate: in a duplicate the window
    /// is the one before, and there is no data, as which an application's answer would come (RFC 5681 section 2).
    pub(super) fn on_relay_ack(
        &mut self,
        (now, arrived): (Instant, Instant),
        next_expected: u32,
        said: (Ecn, &[SackBlock; 3], u32),
        (window, behind): (u16, u32),
        out: &mut Outbox,
    ) {
        self.counts.acks += 1;
        let (sent_end, acknowledged) = (self.sent_end, self.snd_una);
        let Some(relayed) = &mut self.relayed else { return };
        let Some(ack) = expand(next_expected, acknowledged).filter(|&ack| ack <= sent_end) else { return };
        let edge = relayed.edge.max(ack + u64::from(window));
        let through = relayed.through.max(ack.saturating_sub(behind.into()));
        let is_news = edge > relayed.edge || through > relayed.through;
        (relayed.edge, relayed.through) = (edge, through);
        if is_news || ack > acknowledged {
            relayed.probes = 0;
            self.make_available(self.available());
            self.end_probing();
        }
        self.take_ack((now, arrived), ack, said, !is_news, out);
        if is_news && self.through() >= self.end {
            self.finish(out);
        }
        self.await_relay(now);
    }

    /// Whether only the relay can tell how it goes on, all that was sent being there: there is no room, or not all has
    /// come through.
    fn awaits_relay(&self) -> bool {
        let is_idle = self.snd_una == self.sent_end && self.send_at == Instant::FAR_FUTURE;
        let is_open = self.state == State::Running && !self.finished;
        is_idle && is_open && (self.lacks_room() || self.through() < self.snd_una)
    }

    /// Whether there is something to send and no room for it.
    fn lacks_room(&self) -> bool {
        self.relayed.as_ref().is_some_and(|relayed| relayed.edge <= self.sent_end && relayed.available > self.sent_end)
    }

    /// Lets the timer run that finds out if what the relay told was lost, from a time-out on twice as long each time
    /// (RFC 9293 section 3.8.6.1). How long the way beyond the relay takes is not measured.
    pub(super) fn await_relay(&mut self, now: Instant) {
        self.watch_room(now);
        if self.timer != Instant::FAR_FUTURE || !self.awaits_relay() {
            return;
        }
        let probes = self.relayed.as_ref().map_or(0, |relayed| relayed.probes);
        let wait = if self.lacks_room() { self.rtt.rto_doubled(probes) } else { self.rtt.unmeasured_doubled(probes) };
        self.timer = now + wait;
    }

    /// Something new is known: if the timer ran for that, it does no longer.
    pub(super) fn end_probing(&mut self) {
        if self.relayed.is_some() && self.snd_una == self.sent_end && self.state == State::Running {
            self.timer = Instant::FAR_FUTURE;
        }
    }

    /// The timer has expired with nothing outstanding: if the relay is to tell something, the last segment goes once
    /// more, which is answered as every old one is.
    #[cold]
    pub(super) fn probe(&mut self, now: Instant, out: &mut Outbox) {
        if !self.awaits_relay() {
            return;
        }
        self.send_segment(now, self.snd_una - 1, out);
        self.relayed.iter_mut().for_each(|relayed| relayed.probes = relayed.probes.saturating_add(1));
        self.timer = Instant::FAR_FUTURE;
        self.await_relay(now);
    }
}
