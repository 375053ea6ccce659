//! Who else sends data of the scheme to the groups of a member, which takes that of one source.

use faircast_proto::time::{Duration, Instant};
use std::net::SocketAddr;

/// Sockets of other sources, and when each sent last.
#[derive(Clone, Debug, Default)]
pub struct OtherSources {
    /// The one that sent last comes first.
    heard: Vec<(SocketAddr, Instant)>,
}

/// Sockets that are remembered; anybody can send from many.
pub const MOST: usize = 4;

impl OtherSources {
    /// Data has come from this socket. The one that has been silent for longest makes room.
    pub(crate) fn hear(&mut self, from: SocketAddr, now: Instant) {
        self.heard.retain(|(at, _)| *at != from);
        self.heard.truncate(MOST - 1);
        self.heard.insert(0, (from, now));
    }

    /// The last [`MOST`] sources that there were, in order.
    pub fn all(&self) -> Vec<SocketAddr> {
        self.since(Instant::ZERO)
    }

    /// The sources that have sent within `time` before `now`, in order.
    pub fn within(&self, time: Duration, now: Instant) -> Vec<SocketAddr> {
        self.since(now - time)
    }

    fn since(&self, since: Instant) -> Vec<SocketAddr> {
        let there = self.heard.iter().filter(|(_, at)| *at >= since).map(|(who, _)| *who);
        let mut there: Vec<SocketAddr> = there.collect();
        there.sort_unstable();
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_sent_last_are_remembered() {
        let at = Instant::from_secs_f64;
        let socket = |n: u8| SocketAddr::from(([10, 0, 0, n], 5));
        let mut others = OtherSources::default();
        for (n, s) in [(4, 1.0), (3, 2.0), (2, 3.0), (1, 4.0), (4, 5.0)] {
            others.hear(socket(n), at(s));
        }
        assert_eq!(others.all(), [1, 2, 3, 4].map(socket));
        let within = |s: f64| others.within(Duration::from_secs_f64(s), at(6.0));
        assert_eq!((within(0.9), within(1.0), within(2.5)), (vec![], vec![socket(4)], vec![socket(1), socket(4)]));
        // 3 has been silent for longest; 4 has sent again.
        others.hear(socket(9), at(7.0));
        assert_eq!(others.all(), [1, 2, 4, 9].map(socket));
    }
}
