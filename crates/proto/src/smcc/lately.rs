//! What was the least or the most lately: a round-trip time without queues, or with the longest.

use crate::time::{Duration, Instant};

/// How long the two windows are, of which one is full and one fills. So long the slots of the source are remembered,
/// too.
const WINDOW: Duration = Duration::from_secs(8);

/// The least or the most of the samples of the last 8 to 16 s. That of a whole session would be of a way that may be
/// gone for long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lately {
    /// Of the present window and of the one before; not a number without a sample.
    picked: [f64; 2],
    window_ends: Instant,
    pick: fn(f64, f64) -> f64,
}

impl Lately {
    /// The least; nothing has been seen.
    pub(super) const LEAST: Lately = Lately { picked: [f64::NAN; 2], window_ends: Instant::ZERO, pick: f64::min };

    /// The most; nothing has been seen.
    pub(super) const MOST: Lately = Lately { pick: f64::max, ..Lately::LEAST };

    /// One more sample.
    #[inline]
    pub(super) fn take(&mut self, now: Instant, sample: f64) {
        self.pass(now);
        self.picked[0] = (self.pick)(self.picked[0], sample);
    }

    /// The one among the samples; none before the first.
    pub(super) fn value(&self) -> Option<f64> {
        // Of a number and none it is the number.
        let picked = (self.pick)(self.picked[0], self.picked[1]);
        (!picked.is_nan()).then_some(picked)
    }

    fn pass(&mut self, now: Instant) {
        if now >= self.window_ends {
            // After a pause as long as a window there is nothing of the one before.
            let is_past = now >= self.window_ends + WINDOW;
            self.picked = [f64::NAN, if is_past { f64::NAN } else { self.picked[0] }];
            self.window_ends = now + WINDOW;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    #[test]
    fn what_is_past_is_forgotten() {
        let (mut least, mut most) = (Lately::LEAST, Lately::MOST);
        assert_eq!((least.value(), most.value()), (None, None));
        for (now_s, sample, least_expected, most_expected) in [
            (100.0, 0.090, 0.090, 0.090),
            (101.0, 0.064, 0.064, 0.090),
            (102.0, 0.300, 0.064, 0.300),
            (110.0, 0.200, 0.064, 0.300),
            (117.9, 0.080, 0.064, 0.300),
            (118.0, 0.080, 0.080, 0.200),
            (119.0, 0.050, 0.050, 0.200),
            // Nothing for long: what comes then is all that is known.
            (500.0, 0.120, 0.120, 0.120),
        ] {
            least.take(at(now_s), sample);
            most.take(at(now_s), sample);
            assert_eq!((least.value(), most.value()), (Some(least_expected), Some(most_expected)), "at {now_s} s");
        }
    }
}
