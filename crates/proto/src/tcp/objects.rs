//! Objects one after the other on one connection: what a browser fetches from a server that keeps it open.
//!
//! Before the first one there may be round trips of a handshake above TCP, as of TLS (RFC 8446 section 2: one before
//! data): each is a segment from the sender, acknowledged before anything else goes. The next object goes when the one
//! before it has been acknowledged as a whole: the request for it is taken to come with that acknowledgement, which
//! therefore does not wait, however much the receiver delays others.

use super::config::Config;
use super::receiver::Receiver;
use super::sender::Sender;
use crate::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use crate::time::{Duration, Instant};

/// The sending end of a connection that carries objects.
#[derive(Debug)]
pub struct ObjectsSender {
    sender: Sender,
    /// How many segments each has, what comes before the first one included.
    objects: Vec<u32>,
    /// How many of them are above TCP's handshake and no objects.
    before: usize,
    /// Which of them is under way.
    present: usize,
    /// One past its last segment.
    end: u64,
    /// When it began, on its own clock.
    began: Instant,
    /// By object how long after the beginning it had been acknowledged.
    completed: Vec<Duration>,
}

/// The receiving end.
#[derive(Debug)]
pub struct ObjectsReceiver {
    receiver: Receiver,
    /// One past the last segment of each object.
    ends: Vec<u64>,
    /// How many of them have arrived.
    arrived: usize,
}

impl ObjectsSender {
    /// One that will send nothing: a place to [begin](Self::begin) in.
    pub fn idle(sender: Sender) -> ObjectsSender {
        let (objects, completed) = (Vec::new(), Vec::new());
        ObjectsSender { sender, objects, before: 0, present: 0, end: 0, began: Instant::ZERO, completed }
    }

    /// Takes the place of who had this one before. `sender` is a new one without an end of its own; `objects` have so
    /// many segments each, at least one, and `before` are the round trips above TCP before them.
    ///
    /// # Panics
    ///
    /// Without objects.
    pub fn begin(&mut self, sender: Sender, before: u32, objects: &[u32]) {
        assert!(!objects.is_empty(), "a connection carries an object");
        self.objects.clear();
        self.objects.extend((0..before).map(|_| 1));
        self.objects.extend_from_slice(objects);
        self.completed.clear();
        let first = sender.acknowledged();
        let all = first + self.objects.iter().map(|&segments| u64::from(segments)).sum::<u64>();
        (self.before, self.present, self.end) = (before as usize, 0, first + u64::from(self.objects[0]));
        self.sender = sender.ending_at(all, self.end);
    }

    /// By object how long after the beginning all of it had been acknowledged, of those that have been.
    pub fn completed(&self) -> &[Duration] {
        &self.completed
    }

    /// For how long there has been something to send by now for which a relay had no room.
    pub fn held_back(&self, now: Instant) -> Duration {
        self.sender.held_back(now)
    }

    /// What has been acknowledged as a whole gives way to the next.
    fn go_on(&mut self, now: Instant, out: &mut Outbox) {
        while self.present < self.objects.len() && self.sender.through() >= self.end {
            if self.present >= self.before {
                self.completed.push(now.since(self.began));
            }
            self.present += 1;
            if let Some(&next) = self.objects.get(self.present) {
                self.end += u64::from(next);
                self.sender.handle(now, Input::Granted(next.into()), out);
            }
        }
    }
}

impl ObjectsReceiver {
    /// One that will get nothing: a place to [begin](Self::begin) in.
    pub fn idle(receiver: Receiver) -> ObjectsReceiver {
        ObjectsReceiver { receiver, ends: Vec::new(), arrived: 0 }
    }

    /// The first segment that has not come.
    #[cfg(test)]
    pub(super) fn next_expected(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// Takes the place of who had this one before, as at [`ObjectsSender::begin`].
    pub fn begin(&mut self, receiver: Receiver, before: u32, objects: &[u32]) {
        let first = receiver.next_expected();
        (self.receiver, self.arrived) = (receiver, 0);
        self.ends.clear();
        self.ends.extend(object_ends(before, objects).map(|end| first + end));
    }
}

/// One past the last segment of each object, counted from the first that is sent, what comes before them included.
pub fn object_ends(before: u32, objects: &[u32]) -> impl Iterator<Item = u64> {
    let all = (0..before).map(|_| 1).chain(objects.iter().copied());
    all.scan(0, |end, segments| {
        *end += u64::from(segments);
        Some(*end)
    })
}

/// The parameters of a connection that carries objects: those of one without an end of its own.
pub fn without_end(config: &Config) -> Config {
    Config { segments: None, ..config.clone() }
}

impl Endpoint for ObjectsSender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if matches!(input, Input::Start) {
            self.began = now;
        }
        self.sender.handle(now, input, out);
        self.go_on(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.sender.deadline()
    }

    fn report(&self) -> Report {
        self.sender.report()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.sender.gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        self.sender.measure(values);
    }
}

impl Endpoint for ObjectsReceiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.receiver.handle(now, input, out);
        let before = self.arrived;
        while self.ends.get(self.arrived).is_some_and(|&end| self.receiver.next_expected() >= end) {
            self.arrived += 1;
        }
        if self.arrived > before {
            self.receiver.acknowledge_now(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.receiver.deadline()
    }

    fn report(&self) -> Report {
        self.receiver.report()
    }
}

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;
