//! Opportunities to send, at times that were measured: Mahimahi's model of a link [Mahimahi].
//!
//! A list of milliseconds, none before the one above it, each of which lets 1504 bytes go, and the list begins anew at
//! its last entry. A packet has gone when its last byte has: one that is larger than what is left of an opportunity
//! takes from the next one, too, and what is left behind it is for the packets that wait. When none does, it is wasted;
//! so is what comes at the very moment of an opportunity too late for that.

use faircast_proto::time::{Instant, Rate};
use std::sync::Arc;

/// When a link may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Milliseconds since the beginning, in order; the last is not zero.
    stamps: Arc<[u32]>,
}

/// How far a link has come in its opportunities.
#[derive(Debug)]
pub(crate) struct Sending {
    opportunities: Opportunities,
    /// When the list began, ms.
    base: u64,
    /// Which opportunity is used.
    index: usize,
    /// What is left of it, bytes.
    left: u32,
}

impl Opportunities {
    /// Bytes that may be sent at each: `PACKET_SIZE` in Mahimahi's `link_queue.hh`.
    pub const BYTES: u32 = 1504;
    /// What each packet takes beside its own bytes: those that Linux puts before a packet of a TUN device.
    pub const HEADER: u16 = 4;

    /// Opportunities at these milliseconds, unless they are not in order or the last is not later than zero.
    pub fn new(stamps: Arc<[u32]>) -> Option<Opportunities> {
        let legal = stamps.is_sorted() && stamps.last().is_some_and(|&last| last > 0);
        legal.then_some(Opportunities { stamps })
    }

    /// The times in milliseconds.
    pub fn stamps(&self) -> &[u32] {
        &self.stamps
    }

    /// What can be sent in the mean; at least 1 bit/s.
    pub fn mean_rate(&self) -> Rate {
        let bits = 8 * u64::from(Self::BYTES) * self.stamps.len() as u64;
        Rate((bits * 1000 / u64::from(self.round())).max(1))
    }

    /// After how many milliseconds they begin anew.
    fn round(&self) -> u32 {
        self.stamps.last().copied().unwrap_or(1)
    }
}

impl Sending {
    pub(crate) fn new(opportunities: Opportunities) -> Sending {
        Sending { opportunities, base: 0, index: 0, left: 0 }
    }

    /// When the next packet has gone, of so many bytes with its header. It came at `since`, the one before it has gone
    /// at `before`, and it is its turn now.
    pub(crate) fn depart(&mut self, now: Instant, since: Instant, before: Instant, bytes: u32) -> Instant {
        // Who has waited takes what the one before has left.
        if since >= before || now > before {
            self.wait(now);
        }
        let mut missing = bytes;
        while missing > self.left {
            missing -= self.left;
            self.pass();
        }
        self.left -= missing;
        self.at()
    }

    /// When the present opportunity is.
    fn at(&self) -> Instant {
        let ms = self.base + u64::from(self.opportunities.stamps[self.index]);
        Instant(ms.saturating_mul(1_000_000))
    }

    /// Goes on to the next opportunity.
    fn pass(&mut self) {
        self.left = Opportunities::BYTES;
        self.index += 1;
        if self.index == self.opportunities.stamps.len() {
            self.base += u64::from(self.opportunities.round());
            self.index = 0;
        }
    }

    /// Goes on to the first opportunity after `now`.
    fn wait(&mut self, now: Instant) {
        let (ms, round) = (now.0 / 1_000_000, u64::from(self.opportunities.round()));
        let gone = (ms % round) as u32;
        self.base = ms - u64::from(gone);
        // There is one, for the last is at the end of the round.
        self.index = self.opportunities.stamps.partition_point(|&stamp| stamp <= gone);
        self.left = Opportunities::BYTES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant(ms * 1_000_000)
    }

    fn sending(stamps: &[u32]) -> Sending {
        Sending::new(Opportunities::new(stamps.into()).expect("legal stamps"))
    }

    #[test]
    fn what_is_left_is_for_those_who_wait() {
        // 1504 B at 2, 5, 5 and 9 ms, and 9 ms later again.
        let mut link = sending(&[2, 5, 5, 9]);
        let never = ms(0);
        assert_eq!(link.depart(ms(1), ms(1), never, 1000), ms(2));
        // 504 B are left, and 496 more at 5 ms; of both opportunities there the rest is 2512 B.
        assert_eq!(link.depart(ms(2), ms(1), ms(2), 1000), ms(5));
        assert_eq!(link.depart(ms(5), ms(3), ms(5), 2512), ms(5));
        assert_eq!(link.depart(ms(5), ms(3), ms(5), 1), ms(9));
        // Too late for the rest by a nanosecond, and for the opportunity itself.
        assert_eq!(link.depart(ms(9), ms(9), ms(9), 1), ms(11));
        assert_eq!(link.depart(Instant(ms(14).0 - 1), Instant(ms(14).0 - 1), ms(11), 1504), ms(14));
        // A packet larger than two opportunities takes three: one at 14 ms is over, so 18, 20 and 23 ms.
        assert_eq!(link.depart(ms(14), ms(14), ms(14), 3009), ms(23));
        // Who has waited for something else takes nothing of what is gone: at 23 ms 1503 B were left.
        assert_eq!(link.depart(Instant(ms(24).0), ms(22), ms(23), 1), ms(27));
        // After a long rest the next of its round.
        assert_eq!(link.depart(ms(9006), ms(9006), ms(27), 1504), ms(9009));
    }

    #[test]
    fn the_mean_is_that_of_a_round() {
        let of = |stamps: &[u32]| Opportunities::new(stamps.into()).map(|own| own.mean_rate());
        assert_eq!(of(&[1]), Some(Rate(12_032_000)));
        assert_eq!(of(&[0, 3, 8]), Some(Rate(4_512_000)));
        assert_eq!([of(&[]), of(&[0, 0]), of(&[3, 2])], [None, None, None]);
    }
}
