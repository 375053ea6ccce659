//! Relative one-way trip times (ROTT), and the rules that look at them: Spike, after Tobe et al. ([Tobe]), and ZigZag,
//! both as Cen, Cosman and Voelker have them ([Cen]).
//!
//! The papers were not at hand. Rules and numbers are from memory of [Cen], and agree with two programs of others that
//! cite it, but for ZigZag's deviation, of which one of them leaves a factor out.
//!
//! A trip time is the moment of arrival by the receiver's clock less the sender's stamp. The two clocks may differ by
//! anything: only differences of trip times count. What the queue in front of a link of full use adds to them is the
//! same for all layers, so they are taken over all spaces together.

use super::config::Forgetting;
use super::verdict::Verdict;
use crate::parts::rtt::stamp_us;
use crate::time::{Duration, Instant};

/// A spike begins above this part of the range of trip times, from the least on: 1/2.
const SPIKE_BEGINS: i64 = 2;
/// It ends below this part: 1/3.
const SPIKE_ENDS: i64 = 3;
/// The weight of a trip time in ZigZag's mean; in the mean deviation it is twice that.
const MEAN_WEIGHT: f64 = 1.0 / 32.0;

/// Fewer trip times say nothing; a choice, that of the inter-arrival rules.
const LEAST_SAMPLES: u32 = 5;
/// What is remembered with the window "recent", in two halves; a choice. Clocks whose speeds differ by 100 ppm go apart
/// by 1 ms in that time, and R_max has the same ten seconds in TFMCC's rule "recent".
const HALF_WINDOW: Duration = Duration::from_secs(5);
const WHOLE_WINDOW: Duration = Duration::from_secs(10);
/// What differs by more than this, a quarter of an hour, is no trip: a clock was set.
const ANOTHER_CLOCK_US: i32 = 1 << 30;

/// What is known of trip times.
#[derive(Clone, Debug)]
pub(super) struct TripTimes {
    window: Forgetting,
    /// What all below are relative to: the first since the clocks are what they are.
    reference_us: u32,
    /// Those of the present half of the window, and of the half before.
    present: Option<Range>,
    past: Option<Range>,
    samples: u32,
    newest_us: i32,
    in_spike: bool,
    mean_us: f64,
    deviation_us: f64,
}

/// The least and the greatest since a moment.
#[derive(Clone, Copy, Debug)]
struct Range {
    since: Instant,
    least_us: i32,
    greatest_us: i32,
}

impl TripTimes {
    pub(super) fn new(window: Forgetting) -> TripTimes {
        TripTimes {
            window,
            reference_us: 0,
            present: None,
            past: None,
            samples: 0,
            newest_us: 0,
            in_spike: false,
            mean_us: 0.0,
            deviation_us: 0.0,
        }
    }

    /// A packet has come at `now` that was sent at `sent_us` by its sender's clock, of which the upper bits are left
    /// out.
    pub(super) fn took(&mut self, now: Instant, sent_us: u32) {
        let lag_us = stamp_us(now).wrapping_sub(sent_us);
        let mut trip_us = lag_us.wrapping_sub(self.reference_us) as i32;
        if self.samples == 0 || self.is_another_way(trip_us) {
            *self = TripTimes { reference_us: lag_us, ..TripTimes::new(self.window) };
            trip_us = 0;
        }
        self.newest_us = trip_us;
        self.samples = self.samples.saturating_add(1);
        self.average(f64::from(trip_us));
        let Range { least_us, greatest_us, .. } = self.add(now, trip_us);
        let range_us = i64::from(greatest_us) - i64::from(least_us);
        let above_us = i64::from(trip_us) - i64::from(least_us);
        self.in_spike =
            if self.in_spike { SPIKE_ENDS * above_us >= range_us } else { SPIKE_BEGINS * above_us > range_us };
    }

    /// Spike: losses within a spike are congestion.
    pub(super) fn spike(&self) -> Verdict {
        if self.in_spike || self.samples < LEAST_SAMPLES { Verdict::Congestion } else { Verdict::Link }
    }

    /// ZigZag: the more are missing the longer the trip behind them may be for a link to have lost them.
    pub(super) fn zigzag(&self, missing: u64) -> Verdict {
        let most_us = match missing {
            0 | 1 => self.mean_us - self.deviation_us,
            2 => self.mean_us - self.deviation_us / 2.0,
            3 => self.mean_us,
            _ => self.mean_us + self.deviation_us / 2.0,
        };
        let is_link = self.samples >= LEAST_SAMPLES && f64::from(self.newest_us) < most_us;
        if is_link { Verdict::Link } else { Verdict::Congestion }
    }

    /// What lies below the least by more than the whole range is shorter than a queue that empties can make it, if it
    /// was once empty and once full: the way has become shorter, or a clock was set. What is known of before is
    /// forgotten, with the window "recent"; a choice. As long as the way has become shorter by less than the range,
    /// trips through a full queue still are in the upper half. Between the two, where the first packets of a way that
    /// is shorter by little more than the range wait in a queue, nothing is found until the window is over.
    fn is_another_way(&self, trip_us: i32) -> bool {
        let Some(Range { least_us, greatest_us, .. }) = self.range() else { return false };
        let below_us = i64::from(least_us) - i64::from(trip_us);
        let range_us = i64::from(greatest_us) - i64::from(least_us);
        let is_known = self.window == Forgetting::Recent && self.samples >= LEAST_SAMPLES;
        (is_known && below_us > range_us) || !(-ANOTHER_CLOCK_US..=ANOTHER_CLOCK_US).contains(&trip_us)
    }

    fn average(&mut self, trip_us: f64) {
        if self.samples == 1 {
            self.mean_us = trip_us;
            return;
        }
        self.mean_us += MEAN_WEIGHT * (trip_us - self.mean_us);
        let off_us = (trip_us - self.mean_us).abs();
        self.deviation_us += 2.0 * MEAN_WEIGHT * (off_us - self.deviation_us);
    }

    /// The range of all that is remembered.
    fn range(&self) -> Option<Range> {
        let present = self.present?;
        Some(self.past.map_or(present, |past| Range {
            since: past.since,
            least_us: past.least_us.min(present.least_us),
            greatest_us: past.greatest_us.max(present.greatest_us),
        }))
    }

    fn add(&mut self, now: Instant, trip_us: i32) -> Range {
        let alone = Range { since: now, least_us: trip_us, greatest_us: trip_us };
        match &mut self.present {
            Some(present) if self.window != Forgetting::Recent || now.since(present.since) < HALF_WINDOW => {
                present.least_us = present.least_us.min(trip_us);
                present.greatest_us = present.greatest_us.max(trip_us);
            }
            present => {
                // What is older than both halves is forgotten, also behind a silence.
                self.past = present.filter(|present| now.since(present.since) < WHOLE_WINDOW);
                *present = Some(alone);
            }
        }
        self.range().unwrap_or(alone)
    }
}
