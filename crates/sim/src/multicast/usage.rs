//! What the groups of sessions are used for: what is sent to them, what members get, how many members there are.

use crate::counters::GroupCounters;
use crate::presence::times;
use faircast_proto::time::Instant;

/// The use of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// With the time of members until `since`.
    counters: GroupCounters,
    since: Instant,
}

impl Usage {
    /// A packet of `bytes` is sent to the group, by the session's source or by somebody else.
    pub(crate) fn sent(&mut self, bytes: u16, by_source: bool) {
        let counters = &mut self.counters;
        let (packets, sum) = match by_source {
            true => (&mut counters.sent, &mut counters.sent_bytes),
            false => (&mut counters.others_sent, &mut counters.others_sent_bytes),
        };
        *packets += 1;
        *sum += u64::from(bytes);
    }

    /// A packet of `bytes` has come to so many members.
    #[inline]
    pub(crate) fn received(&mut self, bytes: u16, members: u32) {
        self.counters.received += u64::from(members);
        self.counters.received_bytes += u64::from(members) * u64::from(bytes);
    }

    /// A member has come or gone.
    pub(crate) fn change(&mut self, now: Instant, comes: bool) {
        self.counters = self.until(now);
        self.since = now;
        let members = &mut self.counters.members;
        *members = if comes { *members + 1 } else { *members - 1 };
    }

    /// What there was by `now`.
    pub(crate) fn until(&self, now: Instant) -> GroupCounters {
        let member_time = self.counters.member_time + times(now.since(self.since), self.counters.members);
        GroupCounters { member_time, ..self.counters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    #[test]
    fn members_are_counted_over_time() {
        let mut usage = Usage::default();
        usage.change(Instant(100), true);
        usage.change(Instant(150), true);
        assert_eq!((usage.until(Instant(250)).members, usage.until(Instant(250)).member_time), (2, Duration(250)));
        usage.change(Instant(300), false);
        usage.change(Instant(400), false);
        assert_eq!((usage.until(Instant(999)).members, usage.until(Instant(999)).member_time), (0, Duration(450)));
    }
}
