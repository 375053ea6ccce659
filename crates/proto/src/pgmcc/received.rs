//! Which packets have come to a receiver (draft-ietf-rmt-bb-pgmcc-03 section 2.1.2).

use crate::parts::sequence::Sequence;
use crate::time::{Duration, Instant};

/// No packet overtakes others by so much: if several come in order although a higher number came so long ago, that one
/// was never sent.
const OVERTAKEN: Duration = Duration::from_secs(4);

/// The numbers of the packets that have come, the latest one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    sequence: Sequence,
    /// Whether a packet has come, for the highest number (bit 0) and those below it.
    came: u128,
    /// Whether it has come without a mark, likewise.
    unmarked: u128,
    /// When the highest number came.
    highest_at: Instant,
    /// The number of the last packet that was far behind it.
    overtaken: Option<u32>,
}

/// What an arrival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The highest number so far; behind the one before so many are missing.
    Next { count: u64, missing: u64 },
    /// The highest number so far was a stray one: all begins anew with this packet, of this count.
    Anew { count: u64 },
    /// It was missing; the highest number is so much higher.
    Late { count: u64, behind: u64 },
    /// It has been here before, or it is so old that nobody knows.
    Again,
}

impl Received {
    /// The packet with this number has come. `None` if its number is not to be believed.
    pub(crate) fn take(&mut self, now: Instant, number: u32, marked: bool) -> Option<Arrival> {
        let before = self.sequence.highest();
        // In an outage another receiver may have kept the source going for any time.
        let count = self.sequence.count(number, || u64::MAX)?;
        let (bit, missing) = match count.checked_sub(before) {
            _ if before == 0 => {
                // What was sent before the first is not missed.
                self.came = u128::MAX;
                self.unmarked = u128::MAX;
                (1, 0)
            }
            Some(ahead @ 1..) => {
                for bits in [&mut self.came, &mut self.unmarked] {
                    *bits = u32::try_from(ahead).ok().and_then(|ahead| bits.checked_shl(ahead)).unwrap_or(0);
                }
                (1, ahead - 1)
            }
            _ => {
                let behind = before - count;
                let bit = u32::try_from(behind).ok().and_then(|behind| 1u128.checked_shl(behind)).unwrap_or(0);
                if self.came & bit != 0 {
                    return Some(Arrival::Again);
                }
                if now.since(self.highest_at) >= OVERTAKEN {
                    let in_order = |last| (1..=u128::BITS).contains(&number.wrapping_sub(last));
                    if self.overtaken.is_some_and(in_order) {
                        *self = Received::default();
                        return match self.take(now, number, marked) {
                            Some(Arrival::Next { count, .. }) => Some(Arrival::Anew { count }),
                            other => other,
                        };
                    }
                    self.overtaken = Some(number);
                }
                if bit == 0 {
                    return Some(Arrival::Again);
                }
                self.set(bit, marked);
                return Some(Arrival::Late { count, behind });
            }
        };
        self.set(bit, marked);
        (self.highest_at, self.overtaken) = (now, None);
        Some(Arrival::Next { count, missing })
    }

    /// The highest number that has come, as it was sent.
    pub(crate) fn highest(&self) -> u32 {
        self.sequence.next().wrapping_sub(1)
    }

    /// The receive status of the latest 32 packets, the highest in bit 0: marked ones count as lost.
    pub(crate) fn bitmap(&self) -> u32 {
        self.unmarked as u32
    }

    /// The number with which the packet of this count was sent.
    pub(crate) fn number_of(&self, count: u64) -> u32 {
        self.sequence.number_of(count)
    }

    fn set(&mut self, bit: u128, marked: bool) {
        self.came |= bit;
        if marked { self.unmarked &= !bit } else { self.unmarked |= bit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1 << 32;
    const NOW: Instant = Instant::ZERO;

    fn next(by: u64, missing: u64) -> Option<Arrival> {
        Some(Arrival::Next { count: START + by, missing })
    }

    #[test]
    fn the_bitmap_tells_of_the_latest_and_numbers_wrap() {
        for first in [0u32, 1000, u32::MAX - 2] {
            let mut received = Received::default();
            let mut take = |by: u32, marked| received.take(NOW, first.wrapping_add(by), marked);
            assert_eq!(take(0, false), next(0, 0));
            assert_eq!(take(1, false), next(1, 0));
            assert_eq!(take(4, false), next(4, 2));
            assert_eq!(take(5, true), next(5, 0));
            assert_eq!(take(3, false), Some(Arrival::Late { count: START + 3, behind: 2 }));
            for by in [0, 1, 3, 4, 5] {
                assert_eq!(take(by, false), Some(Arrival::Again), "{by}");
            }
            // 5 is marked, 2 is missing; what was sent before the first is not missed.
            assert_eq!(received.bitmap(), !0b1001);
            assert_eq!(received.highest(), first.wrapping_add(5));
            assert_eq!(received.number_of(START + 2), first.wrapping_add(2));
        }
    }

    #[test]
    fn a_late_packet_that_is_marked_stays_lost_in_the_bitmap() {
        let mut received = Received::default();
        received.take(NOW, 7, false);
        received.take(NOW, 9, false);
        assert_eq!(received.take(NOW, 8, true), Some(Arrival::Late { count: START + 1, behind: 1 }));
        assert_eq!(received.bitmap(), !0b10);
        assert_eq!(received.take(NOW, 8, false), Some(Arrival::Again));
    }

    #[test]
    fn gaps_of_any_length_are_stood() {
        let mut received = Received::default();
        received.take(NOW, 0, false);
        assert_eq!(received.take(NOW, 127, false), next(127, 126));
        assert_eq!(received.bitmap(), 1);
        assert_eq!(received.take(NOW, 0, false), Some(Arrival::Again));
        assert_eq!(received.take(NOW, 255, false), next(255, 127));
        assert_eq!((received.came, received.take(NOW, 127, false)), (1, Some(Arrival::Again)), "too old to know");
        // One stray number is not believed, two that agree are: an outage.
        assert_eq!(received.take(NOW, 1_000_000, false), None);
        assert_eq!(received.take(NOW, 1_000_001, false), next(1_000_001, 999_745));
    }

    #[test]
    fn a_highest_number_that_was_never_sent_is_forgotten_when_those_behind_it_go_on() {
        let at = Instant::from_secs_f64;
        for first in [500u32, u32::MAX - 50] {
            for ahead in [20, 100, 127, 128, 3000] {
                let mut received = Received::default();
                let mut take = |now_s: f64, by: u32| received.take(at(now_s), first.wrapping_add(by), false);
                take(0.0, 0);
                assert_eq!(take(1.0, ahead), next(u64::from(ahead), u64::from(ahead) - 1));
                // Overtaken by less than 4 s, then the first one by more, one twice, and one out of order.
                for (now_s, by) in [(1.1, 1), (2.0, 2), (4.99, 3), (5.0, 5), (6.0, 5), (7.0, 4)] {
                    assert!(matches!(take(now_s, by), Some(Arrival::Late { .. } | Arrival::Again)), "{by}");
                }
                assert_eq!(take(8.0, 6), Some(Arrival::Anew { count: START }), "{ahead}");
                assert_eq!(take(8.1, 7), next(1, 0));
                assert_eq!(take(20.0, 5), Some(Arrival::Again));
                assert_eq!((received.highest(), received.bitmap()), (first.wrapping_add(7), u32::MAX));
            }
        }
        // A higher number that has come since then shows that it was sent.
        let mut received = Received::default();
        let mut take = |now_s: f64, number| received.take(at(now_s), number, false);
        for (now_s, number) in [(0.0, 0), (1.0, 50), (6.0, 1), (6.1, 51), (6.2, 2), (10.2, 3)] {
            assert!(!matches!(take(now_s, number), Some(Arrival::Anew { .. })), "{number}");
        }
    }
}
