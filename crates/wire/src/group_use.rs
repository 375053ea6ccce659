//! What a driver has counted of each of its groups.

use faircast_proto::time::{Duration, Instant};

/// Counts since the start, of packets as IP has them, and how long the host has been in the group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupUse {
    /// Packets sent to it.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets that came to it and were handed to the endpoint.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// How long it was a group of the endpoint's, until it was left last.
    member: Duration,
    since: Option<Instant>,
}

impl GroupUse {
    /// How long it has been a group of the endpoint's by `now`.
    pub fn member_time(&self, now: Instant) -> Duration {
        self.member + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// The host is a member from now on.
    pub(crate) fn joins(&mut self, now: Instant) {
        self.since = self.since.or(Some(now));
    }

    /// The host is none any more, or not for the endpoint.
    pub(crate) fn leaves(&mut self, now: Instant) {
        (self.member, self.since) = (self.member_time(now), None);
    }

    /// A packet of so many bytes has gone to it.
    pub(crate) fn sends(&mut self, bytes: u16) {
        self.sent += 1;
        self.sent_bytes += u64::from(bytes);
    }

    /// A packet of so many bytes has come.
    pub(crate) fn takes(&mut self, bytes: u16) {
        self.received += 1;
        self.received_bytes += u64::from(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_a_group_add_up_and_joining_twice_is_once() {
        let at = |seconds| Instant::from_secs_f64(f64::from(seconds));
        let mut of = GroupUse::default();
        assert_eq!(of.member_time(at(9)), Duration::ZERO);
        of.joins(at(1));
        of.joins(at(2));
        assert_eq!(of.member_time(at(4)), Duration::from_secs(3));
        of.leaves(at(5));
        of.leaves(at(6));
        assert_eq!(of.member_time(at(9)), Duration::from_secs(4));
        of.joins(at(10));
        assert_eq!(of.member_time(at(12)), Duration::from_secs(6));
    }
}
