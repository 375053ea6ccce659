//! How long receivers are there and how many layers they hold: what a mean over those present must be divided by, and
//! the mean level.

use crate::counters::MembershipChanges;
use faircast_proto::group_set::GroupSet;
use faircast_proto::time::{Duration, Instant};

/// When an endpoint was present. It is from its start on, until it has left the last of the groups that it had joined,
/// or stops without being in any: who is to stop may stay a while to announce it, as the limiting receiver of TFMCC
/// does (RFC 4654 section 4.2), and goes on to get packets. Who joins again is present again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Presence {
    /// Since when, if it is.
    since: Option<Instant>,
    /// How long it was before that.
    before: Duration,
    /// Groups of its session that it has joined.
    groups: GroupSet,
    /// How many of them are layers.
    level: u8,
    /// Since when.
    level_since: Instant,
    /// How long it held layers before that, all of them together.
    held_before: Duration,
    changes: MembershipChanges,
}

impl Presence {
    pub(crate) fn start(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    pub(crate) fn stop(&mut self, now: Instant) {
        if self.groups.is_empty() {
            self.before = self.until(now);
            self.since = None;
        }
    }

    /// It joins a group that it may be in already. Says whether it was not.
    pub(crate) fn join(&mut self, now: Instant, group: u32, is_layer: bool) -> bool {
        let is_new = !self.groups.contains(group);
        if is_new && is_layer {
            self.set_level(now, self.level + 1);
        }
        self.changes.joins += u64::from(is_new);
        self.changes.layers_joined += u64::from(is_new && is_layer);
        self.groups.insert(group);
        self.start(now);
        is_new
    }

    /// It leaves a group that it may not be in. Says whether it was.
    pub(crate) fn leave(&mut self, now: Instant, group: u32, is_layer: bool) -> bool {
        let was_in = self.groups.contains(group);
        if was_in && is_layer {
            self.set_level(now, self.level - 1);
        }
        self.changes.leaves += u64::from(was_in);
        self.groups.remove(group);
        self.stop(now);
        was_in
    }

    fn set_level(&mut self, now: Instant, level: u8) {
        self.held_before = self.held(now);
        (self.level, self.level_since) = (level, now);
    }

    /// How long it has been present by `now`.
    pub(crate) fn until(&self, now: Instant) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// How often it has joined and left groups.
    pub(crate) fn changes(&self) -> MembershipChanges {
        self.changes
    }

    /// How many layers it holds.
    pub(crate) fn level(&self) -> u8 {
        self.level
    }

    /// How long it has held layers by `now`, all of them together.
    pub(crate) fn held(&self, now: Instant) -> Duration {
        self.held_before + times(now.since(self.level_since), self.level.into())
    }
}

/// A time so many times over.
pub(crate) fn times(time: Duration, factor: u32) -> Duration {
    Duration(time.0.saturating_mul(factor.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_leave_ends_the_presence() {
        let mut presence = Presence::default();
        for group in [0, 5, 100] {
            presence.join(Instant(100), group, true);
        }
        presence.leave(Instant(200), 5, true);
        presence.leave(Instant(300), 0, true);
        assert_eq!(presence.until(Instant(400)), Duration(300), "it is in group 100");
        presence.leave(Instant(450), 100, true);
        assert_eq!(presence.until(Instant(900)), Duration(350));
    }

    #[test]
    fn layers_are_held_one_beside_the_other_and_once_each() {
        let mut presence = Presence::default();
        presence.start(Instant(50));
        assert!(presence.join(Instant(100), 0, true));
        assert!(presence.join(Instant(200), 127, false), "no layer");
        assert!(presence.join(Instant(300), 1, true));
        assert!(!presence.join(Instant(350), 1, true), "it is in it");
        assert_eq!((presence.level(), presence.held(Instant(400))), (2, Duration(400)));
        assert!(presence.leave(Instant(500), 0, true));
        assert!(!presence.leave(Instant(550), 0, true));
        assert!(presence.leave(Instant(600), 127, false));
        assert_eq!((presence.level(), presence.held(Instant(600))), (1, Duration(700)));
        presence.leave(Instant(1000), 1, true);
        assert_eq!((presence.level(), presence.held(Instant(9000))), (0, Duration(1100)));
        assert_eq!(presence.changes(), MembershipChanges { joins: 3, leaves: 3, layers_joined: 2 });
        assert_eq!(presence.until(Instant(9000)), Duration(950));
    }
}
