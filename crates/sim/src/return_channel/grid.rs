//! How the time of a carrier is cut into superframes and slots.

use faircast_proto::time::{Duration, Instant};

/// How the time of a carrier is cut: superframes one after the other from the start of the run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How long a superframe is, not zero.
    pub superframe: Duration,
    /// Slots in a superframe, not zero.
    pub slots: u32,
    /// Bytes that a slot takes, not zero.
    pub payload: u32,
}

impl Grid {
    /// When a slot begins, counted from the first of the run.
    pub fn start(&self, slot: u64) -> Instant {
        let nanos = u128::from(slot) * u128::from(self.superframe.0) / u128::from(self.slots);
        Instant(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The first slot that begins at this moment or later.
    pub fn next(&self, at: Instant) -> u64 {
        let exact = u128::from(at.0) * u128::from(self.slots);
        // Rounded down, a slot may begin before the exact moment.
        let slot = (exact / u128::from(self.superframe.0)) as u64;
        (slot..).find(|&slot| self.start(slot) >= at).expect("slots never end")
    }

    /// Bits a second that all slots together take.
    pub fn rate_bps(&self) -> f64 {
        8e9 * f64::from(self.slots) * f64::from(self.payload) / self.superframe.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_begin_at_whole_nanoseconds() {
        let grid = Grid { superframe: Duration(100), slots: 7, payload: 10 };
        assert_eq!([0, 1, 2, 6, 7, 8].map(|slot| grid.start(slot).0), [0, 14, 28, 85, 100, 114]);
        assert_eq!([0, 1, 14, 15, 86, 100, 101].map(|at| grid.next(Instant(at))), [0, 1, 1, 2, 7, 7, 8]);
        assert_eq!(grid.rate_bps(), 5.6e9);
    }
}
