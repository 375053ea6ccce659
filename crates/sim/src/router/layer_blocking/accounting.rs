//! Who sends how much over an interface, and who is there.
//!
//! What is offered is counted, not what enters the queue: what a queue drops of a unicast flow must not look as if the
//! flow wanted less. Counts are kept in slots of a twentieth of the window.

use crate::ids::NodeId;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeMap;

/// What is one unicast session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A flow.
    Flow(FlowId),
    /// Everything from one host to another.
    Pair(NodeId, NodeId),
}

/// How many slots a window has: 0.1 s of 2 s.
const SLOTS: usize = 20;

/// What came in the last window, in slots of time.
#[derive(Clone, Copy, Debug, Default)]
struct SlidingCount {
    slots: [u64; SLOTS],
    sum: u64,
    /// The number of the slot that was counted last, from time zero.
    at: u64,
}

impl SlidingCount {
    /// Passes on to slot number `at`.
    fn pass(&mut self, at: u64) {
        for slot in self.at + 1..=at.min(self.at + SLOTS as u64) {
            self.sum -= std::mem::take(&mut self.slots[(slot % SLOTS as u64) as usize]);
        }
        self.at = self.at.max(at);
    }

    fn count(&mut self, at: u64, amount: u64) {
        self.pass(at);
        self.slots[(at % SLOTS as u64) as usize] += amount;
        self.sum += amount;
    }

    fn sum(&mut self, at: u64) -> u64 {
        self.pass(at);
        self.sum
    }
}

/// A layer that has been seen.
#[derive(Clone, Copy, Debug)]
struct Layer {
    window: SlidingCount,
    last: Instant,
    session: FlowId,
    /// Size of its last packet.
    size: u16,
}

/// The accounts of one interface.
#[derive(Debug)]
pub(super) struct Accounting {
    slot: u64,
    lifetime: Duration,
    unicast: SlidingCount,
    /// When something of each unicast session came last.
    keys: BTreeMap<Key, Instant>,
    layers: BTreeMap<Address, Layer>,
    /// How many of the layers are of each multicast session.
    sessions: BTreeMap<FlowId, u32>,
    /// Nobody's time is over before.
    next_expiry: Instant,
    /// A session has come or gone since this was asked.
    changed: bool,
    packets: u64,
    visits: u64,
}

impl Accounting {
    pub(super) fn new(window: Duration, lifetime: Duration) -> Accounting {
        Accounting {
            slot: (window.0 / SLOTS as u64).max(1),
            lifetime,
            unicast: SlidingCount::default(),
            keys: BTreeMap::new(),
            layers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            next_expiry: Instant::FAR_FUTURE,
            changed: false,
            packets: 0,
            visits: 0,
        }
    }

    fn slot(&self, now: Instant) -> u64 {
        now.0 / self.slot
    }

    /// Data of a layer of `session` is offered: a packet of so many bytes, which counts as `amount`.
    pub(super) fn count_layer(&mut self, group: Address, session: FlowId, size: u16, amount: u64, now: Instant) {
        let slot = self.slot(now);
        self.packets += 1;
        self.visits += 1;
        let layer = self.layers.entry(group).or_insert_with(|| {
            let of_session = self.sessions.entry(session).or_default();
            *of_session += 1;
            self.changed |= *of_session == 1;
            Layer { window: SlidingCount::default(), last: now, session, size }
        });
        (layer.last, layer.size) = (now, size);
        layer.window.count(slot, amount);
        self.next_expiry = self.next_expiry.min(now + self.lifetime);
    }

    /// Data of a unicast session is offered.
    pub(super) fn count_unicast(&mut self, key: Key, amount: u64, now: Instant) {
        let slot = self.slot(now);
        self.packets += 1;
        self.visits += 1;
        self.changed |= self.keys.insert(key, now).is_none();
        self.unicast.count(slot, amount);
        self.next_expiry = self.next_expiry.min(now + self.lifetime);
    }

    /// Forgets those of whom nothing has come for their lifetime.
    pub(super) fn expire(&mut self, now: Instant) {
        if now < self.next_expiry {
            return;
        }
        self.visits += (self.keys.len() + self.layers.len()) as u64;
        let lives = |last: Instant| last + self.lifetime > now;
        let before = (self.keys.len(), self.sessions.len());
        self.keys.retain(|_, &mut last| lives(last));
        let sessions = &mut self.sessions;
        self.layers.retain(|_, layer| {
            if !lives(layer.last)
                && let Some(of_session) = sessions.get_mut(&layer.session)
            {
                *of_session -= 1;
            }
            lives(layer.last)
        });
        self.sessions.retain(|_, of_session| *of_session > 0);
        self.changed |= before != (self.keys.len(), self.sessions.len());
        let last = self.keys.values().copied().chain(self.layers.values().map(|layer| layer.last)).min();
        self.next_expiry = last.map_or(Instant::FAR_FUTURE, |last| last + self.lifetime);
    }

    /// Whether a layer has been seen within its lifetime.
    pub(super) fn is_live(&self, group: Address, now: Instant) -> bool {
        self.layers.get(&group).is_some_and(|layer| layer.last + self.lifetime > now)
    }

    /// Takes what was counted of a layer out, as it has been blocked: so that the mean says at once what will follow.
    /// How much that was.
    pub(super) fn forget(&mut self, group: Address) -> u64 {
        let Some(layer) = self.layers.get_mut(&group) else { return 0 };
        let empty = SlidingCount { at: layer.window.at, ..SlidingCount::default() };
        std::mem::replace(&mut layer.window, empty).sum
    }

    /// What unicast sessions have sent in the window.
    pub(super) fn unicast(&mut self, now: Instant) -> u64 {
        let slot = self.slot(now);
        self.unicast.sum(slot)
    }

    /// What multicast sessions have sent in the window.
    pub(super) fn multicast(&mut self, now: Instant) -> u64 {
        let slot = self.slot(now);
        self.visits += self.layers.len() as u64;
        self.layers.values_mut().map(|layer| layer.window.sum(slot)).sum()
    }

    /// Mean size of the packets that came last of the layers of a session, bytes; 0 if nothing came.
    pub(super) fn packet_bytes(&self, session: FlowId) -> f64 {
        let sizes = || self.layers.values().filter(|layer| layer.session == session).map(|layer| layer.size);
        let sum: f64 = sizes().map(f64::from).sum();
        sum / (sizes().count() as f64).max(1.0)
    }

    /// What has been counted of a session in the window that ended with the last packet or look.
    pub(super) fn of_session(&self, session: FlowId) -> u64 {
        self.layers.values().filter(|layer| layer.session == session).map(|layer| layer.window.sum).sum()
    }

    /// How many unicast sessions there are.
    pub(super) fn unicast_sessions(&self) -> usize {
        self.keys.len()
    }

    /// How many multicast sessions there are.
    pub(super) fn multicast_sessions(&self) -> usize {
        self.sessions.len()
    }

    /// How many layers it keeps an account of.
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// How many packets it has counted.
    pub(super) fn packets(&self) -> u64 {
        self.packets
    }

    /// How many of its entries it has gone to, for packets and at looks.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Whether a session has come or gone since this was asked last.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn accounting() -> Accounting {
        Accounting::new(Duration::from_secs(2), Duration::from_secs(3))
    }

    #[test]
    fn what_came_in_the_last_window_is_counted() {
        let mut accounting = accounting();
        let key = Key::Flow(FlowId(1));
        for (seconds, amount) in [(0.0, 1), (0.05, 2), (1.0, 4), (1.95, 8), (2.05, 16)] {
            accounting.count_unicast(key, amount, at(seconds));
        }
        // Slots of 0.1 s: at 2.05 s that of 0 s has just gone.
        assert_eq!(accounting.unicast(at(2.05)), 28);
        assert_eq!(accounting.unicast(at(2.95)), 28);
        assert_eq!(accounting.unicast(at(3.0)), 24);
        assert_eq!(accounting.unicast(at(3.94)), 16);
        assert_eq!(accounting.unicast(at(4.0)), 0);
        accounting.count_unicast(key, 5, at(1_000_000.0));
        assert_eq!(accounting.unicast(at(1_000_000.0)), 5);
    }

    #[test]
    fn sessions_come_and_go() {
        let mut accounting = accounting();
        let [first, second] = [0, 1].map(Address::group);
        assert!(!accounting.take_changed());
        accounting.count_layer(first, FlowId(0), 1000, 1, at(0.0));
        assert!(accounting.take_changed() && !accounting.take_changed());
        accounting.count_layer(second, FlowId(0), 1000, 1, at(1.0));
        assert!(!accounting.take_changed(), "a layer more is no session more");
        accounting.count_unicast(Key::Pair(NodeId(1), NodeId(2)), 1, at(1.5));
        assert!(accounting.take_changed());
        assert!(accounting.is_live(first, at(2.9)) && !accounting.is_live(first, at(3.0)));
        accounting.expire(at(3.0));
        assert!(!accounting.take_changed() && accounting.layers() == 1, "a layer less is no session less");
        accounting.expire(at(4.0));
        assert!(accounting.take_changed() && accounting.layers() == 0 && accounting.unicast_sessions() == 1);
        accounting.expire(at(4.49));
        assert!(!accounting.take_changed());
        accounting.expire(at(4.5));
        assert!(accounting.take_changed() && accounting.unicast_sessions() == 0);
        // An entry for each packet; at three times when somebody's time was over, all there were: 3, 2 and 1.
        assert_eq!((accounting.packets(), accounting.visits()), (3, 9));
    }

    #[test]
    fn what_is_blocked_counts_no_more() {
        let mut accounting = accounting();
        let [first, second] = [0, 1].map(Address::group);
        accounting.count_layer(first, FlowId(0), 1000, 10, at(0.5));
        accounting.count_layer(second, FlowId(0), 1000, 7, at(0.5));
        assert_eq!(accounting.multicast(at(1.0)), 17);
        assert_eq!((accounting.of_session(FlowId(0)), accounting.packet_bytes(FlowId(0))), (17, 1000.0));
        assert_eq!((accounting.forget(second), accounting.forget(Address::group(9))), (7, 0));
        assert_eq!(accounting.multicast(at(1.0)), 10);
        accounting.count_layer(second, FlowId(0), 1000, 3, at(1.1));
        assert_eq!(accounting.multicast(at(1.1)), 13);
        assert_eq!(accounting.multicast(at(3.05)), 3);
    }
}
