//! What a queue says of congestion by what it drops or marks.
//!
//! A queue that is kept short says nothing by its length. What it drops or marks is what it tells senders; so that is
//! read here, of all packets, and under fair queueing of a session's own.

use faircast_proto::packet::FlowId;
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeMap;

/// When the queue of one interface has dropped or marked something.
#[derive(Debug)]
pub(super) struct Signals {
    /// For so long after that it counts as long.
    memory: Duration,
    /// After so long without that it counts as short.
    calm: Duration,
    last: Option<Instant>,
    /// When a look last found it short.
    short: Option<Instant>,
    /// Of each flow and session of which something has been.
    of: BTreeMap<FlowId, Instant>,
}

impl Signals {
    pub(super) fn new(memory: Duration, calm: Duration) -> Signals {
        Signals { memory, calm, last: None, short: None, of: BTreeMap::new() }
    }

    /// The queue has dropped or marked a packet.
    pub(super) fn note(&mut self, flow: FlowId, now: Instant) {
        self.last = Some(now);
        self.of.insert(flow, now);
    }

    /// A look has found the queue short, by what waits.
    pub(super) fn note_short(&mut self, now: Instant) {
        self.short = Some(now);
    }

    /// The phase of the queue: 3 long, 1 short, 2 between.
    pub(super) fn phase(&self, now: Instant) -> u8 {
        self.phase_after(self.last, now)
    }

    /// Whether it fills: it is never found short, though it may be long until it drops something.
    pub(super) fn fills(&self, now: Instant) -> bool {
        self.short.is_none_or(|short| now.since(short) > self.calm)
    }

    /// The phase of the queue that one session has.
    pub(super) fn phase_of(&self, session: FlowId, now: Instant) -> u8 {
        self.phase_after(self.of.get(&session).copied(), now)
    }

    fn phase_after(&self, last: Option<Instant>, now: Instant) -> u8 {
        match last.map(|last| now.since(last)) {
            Some(since) if since <= self.memory => 3,
            Some(since) if since <= self.calm => 2,
            _ => 1,
        }
    }

    /// Forgets what has no meaning any more.
    pub(super) fn expire(&mut self, now: Instant) {
        self.of.retain(|_, last| now.since(*last) <= self.calm.max(self.memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_go_by_the_time_since_something_was_dropped_or_marked() {
        let mut signals = Signals::new(Duration::from_millis(100), Duration::from_secs(2));
        let (session, other) = (FlowId(3), FlowId(4));
        let at = Instant::from_secs_f64;
        assert_eq!((signals.phase(at(0.0)), signals.phase_of(session, at(0.0))), (1, 1));
        assert!(signals.fills(at(0.0)), "never found short");
        signals.note_short(at(0.0));
        assert!(!signals.fills(at(2.0)) && signals.fills(at(2.001)));
        signals.note(session, at(1.0));
        signals.note(other, at(2.5));
        for (seconds, all, own) in [(2.5, 3, 2), (2.6, 3, 2), (2.601, 2, 2), (3.0, 2, 2), (3.001, 2, 1), (4.501, 1, 1)]
        {
            let found = (signals.phase(at(seconds)), signals.phase_of(session, at(seconds)));
            assert_eq!(found, (all, own), "{seconds} s");
        }
        // What has a meaning yet is kept, to the last moment of it.
        signals.expire(at(3.0));
        assert_eq!((signals.phase_of(session, at(3.0)), signals.of.len()), (2, 2));
        signals.expire(at(3.001));
        assert_eq!(signals.of.keys().copied().collect::<Vec<_>>(), [other]);
    }

    #[test]
    fn a_memory_that_is_longer_than_the_window_is_as_long_for_one_session() {
        let mut signals = Signals::new(Duration::from_secs(10), Duration::from_secs(2));
        let at = Instant::from_secs_f64;
        signals.note(FlowId(3), at(0.0));
        for (seconds, phase) in [(2.5, 3), (10.0, 3), (10.001, 1)] {
            signals.expire(at(seconds));
            let found = (signals.phase(at(seconds)), signals.phase_of(FlowId(3), at(seconds)));
            assert_eq!(found, (phase, phase), "{seconds} s");
        }
    }
}
