//! NAKs that wait to be sent, and those that are spared (RFC 3208 section 2.2; draft-ietf-rmt-bb-pgmcc-03 sections
//! 2.3.1 and 2.8).

use crate::random::Random;
use crate::time::{Duration, Instant};

/// The most packets for which NAKs wait: of longer gaps the last ones, as many as an ACK speaks of.
const MOST: u64 = 32;

/// Which NAKs are to be sent when. Each waits for a random time, the back-off, and is spared if an NCF for its packet
/// comes meanwhile: another receiver has told the source. None is repeated; that would be for repairs, not for
/// congestion control.
#[derive(Clone, Debug)]
pub(super) struct Naks {
    /// Missing packets by their counts, rising, and when their NAKs are due.
    pending: Vec<(u64, Instant)>,
    /// When the dummy NAK is due by which an acker can be elected; `FAR_FUTURE` = it is not wanted.
    dummy_at: Instant,
    backoff: Duration,
    /// NAKs that were not sent as an NCF told that another had been.
    suppressed: u64,
}

/// A NAK to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// For the packet of this count.
    Missing(u64),
    /// By which an acker can be elected.
    Dummy,
}

impl Naks {
    /// None waits. The back-off is uniform from 0 to `backoff`.
    pub(super) fn new(backoff: Duration) -> Naks {
        Naks { pending: Vec::new(), dummy_at: Instant::FAR_FUTURE, backoff, suppressed: 0 }
    }

    /// So many packets before the one of count `end` are missing, all above those known to be.
    pub(super) fn miss(&mut self, now: Instant, end: u64, missing: u64, random: &mut Random) {
        let missing = missing.min(MOST);
        let room = (MOST - missing) as usize;
        if self.pending.len() > room {
            self.pending.drain(..self.pending.len() - room);
        }
        for count in end - missing..end {
            self.pending.push((count, now + self.backoff.mul_f64(random.uniform())));
        }
    }

    /// The packet of this count has come after all.
    pub(super) fn found(&mut self, count: u64) {
        self.pending.retain(|&(pending, _)| pending != count);
    }

    /// An NCF for the packet with this number has come; `number_of` tells numbers of counts.
    pub(super) fn confirmed(&mut self, number: u32, number_of: impl Fn(u64) -> u32) {
        let before = self.pending.len();
        self.pending.retain(|&(count, _)| number_of(count) != number);
        self.suppressed += (before - self.pending.len()) as u64;
    }

    /// A packet has come that names an acker, or none.
    pub(super) fn named(&mut self, now: Instant, is_named: bool, random: &mut Random) {
        if is_named {
            if self.dummy_at != Instant::FAR_FUTURE {
                self.suppressed += 1;
            }
            self.dummy_at = Instant::FAR_FUTURE;
        } else if self.dummy_at == Instant::FAR_FUTURE {
            self.dummy_at = now + self.backoff.mul_f64(random.uniform());
        }
    }

    /// The next NAK that is due, which waits no longer.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Due> {
        if self.dummy_at <= now {
            self.dummy_at = Instant::FAR_FUTURE;
            return Some(Due::Dummy);
        }
        let place = self.pending.iter().position(|&(_, at)| at <= now)?;
        Some(Due::Missing(self.pending.remove(place).0))
    }

    /// When the next one is due; `FAR_FUTURE` = none waits.
    pub(super) fn deadline(&self) -> Instant {
        self.pending.iter().map(|&(_, at)| at).fold(self.dummy_at, Instant::min)
    }

    /// None waits any more.
    pub(super) fn clear(&mut self) {
        self.pending.clear();
        self.dummy_at = Instant::FAR_FUTURE;
    }

    /// How many were not sent as another had been.
    pub(super) fn suppressed(&self) -> u64 {
        self.suppressed
    }
}
