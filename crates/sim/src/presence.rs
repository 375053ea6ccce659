//! How long receivers are there: what a mean over those present must be divided by.

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

    pub(crate) fn join(&mut self, now: Instant, group: u32) {
        self.groups.insert(group);
        self.start(now);
    }

    pub(crate) fn leave(&mut self, now: Instant, group: u32) {
        self.groups.remove(group);
        self.stop(now);
    }

    /// How long it has been present by `now`.
    pub(crate) fn until(&self, now: Instant) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_leave_ends_the_presence() {
        let mut presence = Presence::default();
        for group in [0, 5, 100] {
            presence.join(Instant(100), group);
        }
        presence.leave(Instant(200), 5);
        presence.leave(Instant(300), 0);
        assert_eq!(presence.until(Instant(400)), Duration(300), "it is in group 100");
        presence.leave(Instant(450), 100);
        assert_eq!(presence.until(Instant(900)), Duration(350));
    }
}
