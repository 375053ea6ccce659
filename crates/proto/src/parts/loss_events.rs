//! Loss events and the intervals between them (RFC 4654 sections 5.2 to 5.5): a function of the packets that are lost,
//! in order.

use crate::time::{Duration, Instant};

/// Closed intervals that are remembered (RFC 4654 section 5.4: n = 8).
pub(super) const INTERVALS: usize = 8;
/// Weights w_0 to w_7 (RFC 4654 section 5.4).
const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Lost packets with consecutive numbers, or a marked packet.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Number of the first, in whatever the intervals are counted in.
    pub first: u64,
    /// How many are lost; 0 = one packet that arrived marked.
    pub lost: u32,
    /// Nominal arrival of the first.
    pub at: Instant,
    /// Nominal time from one to the next, ns.
    pub spacing_ns: f32,
    /// How long a loss event lasts, as it was then: the receiver's round-trip time (section 5.2), or what else is taken
    /// for it.
    pub span: Duration,
    /// An event lasts as long as was so with its first loss. By section 5.2 it is what is so with a further one that
    /// decides whether that belongs to it.
    pub lasts_from_first: bool,
    /// If twice as many packets or more have come without a loss event before, they are one event, however long it
    /// took: an outage, and not the path's loss rate.
    pub outage: bool,
}

/// The loss events and the intervals between them, eight of which are remembered. What every packet touches comes
/// first.
///
/// ```
/// use faircast_proto::parts::loss_events::{LossEvents, Losses};
/// use faircast_proto::time::{Duration, Instant};
///
/// // A packet each 10 ms; 50, 52 and 90 are lost, R = 100 ms: two events, 40 packets apart. The first interval is
/// // given, 100 packets, and nothing is discounted (a least factor of 1).
/// let mut events = LossEvents::NONE;
/// for first in [50, 52, 90] {
///     let at = Instant(first * 10_000_000);
///     let span = Duration::from_millis(100);
///     let losses = Losses { first, lost: 1, at, spacing_ns: 0.0, span, lasts_from_first: false, outage: false };
///     events.take(&losses, 100.0, 1.0);
/// }
/// assert_eq!((events.count(), events.last()), (2, 90));
/// // I_0 = 10, I_1 = 40, I_2 = 100: p = min(3/150, 2/140).
/// assert!((events.rate(10.0, 1.0) - 2.0 / 140.0).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct LossEvents {
    /// Number of the packet with which the last one started.
    pub(super) start: u64,
    /// How many there have been.
    pub(super) count: u32,
    /// I_1 to I_n, the most recent first.
    pub(super) intervals: [f32; INTERVALS],
    /// DF_1 to DF_n.
    pub(super) discounts: [f32; INTERVALS],
    /// How long the last one lasts by its first loss, microseconds.
    span_us: u32,
    /// Nominal time at which the last one started.
    started: Instant,
}

impl LossEvents {
    /// There has been none.
    pub const NONE: LossEvents = LossEvents {
        start: 0,
        count: 0,
        intervals: [0.0; INTERVALS],
        discounts: [1.0; INTERVALS],
        span_us: 0,
        started: Instant::ZERO,
    };

    /// Further losses, behind those before by number: each belongs to the last event if it is within its span of its
    /// start, and starts the next one otherwise (section 5.2). `seed`, packets, is the interval before the
    /// first event (section 5.6); discount factors do not fall below `threshold`, 1 = no discounting (section 5.5).
    pub fn take(&mut self, losses: &Losses, seed: f32, threshold: f32) {
        let Losses { first, lost, at, spacing_ns, span, lasts_from_first, outage } = *losses;
        let gap_ns = f64::from(spacing_ns);
        let time = |index: u32| at + Duration((gap_ns * f64::from(index)) as u64);
        // Packets of them in one event, the one beyond included.
        let stride = if gap_ns > 0.0 { ((span.0 as f64 / gap_ns) as u32).saturating_add(1) } else { u32::MAX };
        let mut index = 0;
        let lasts_until = |events: &LossEvents| {
            events.started + if lasts_from_first { Duration::from_micros(events.span_us.into()) } else { span }
        };
        let alone = self.count == 0 || (at > lasts_until(self) && first - self.start >= 2 * u64::from(lost));
        if outage && alone && lost > stride {
            self.begin(first, at, seed, threshold);
            self.lasts(span);
            // What is lost up to its end belongs to it, also in other sequence spaces.
            self.started = Instant(time(lost - 1).0.saturating_sub(span.0));
            return;
        }
        loop {
            let until = lasts_until(self);
            if self.count > 0 && time(index) <= until {
                let left_ns = until.since(time(index)).0 as f64;
                let skip = if gap_ns > 0.0 { ((left_ns / gap_ns) as u32).saturating_add(1) } else { u32::MAX };
                index = index.saturating_add(skip);
            }
            if index >= lost.max(1) {
                return;
            }
            self.begin(first + u64::from(index), time(index), seed, threshold);
            self.lasts(span);
            // A long outage is a row of events, one per span; those that the history forgets are skipped.
            let more = (lost.max(1) - 1 - index) / stride;
            let forgotten = more.saturating_sub(2 * INTERVALS as u32);
            if forgotten > 0 {
                index += forgotten * stride;
                self.start = first + u64::from(index);
                self.started = time(index);
                self.count = self.count.saturating_add(forgotten);
            }
        }
    }

    /// How many there have been.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Number of the packet with which the last one began; 0 before the first.
    pub fn last(&self) -> u64 {
        self.start
    }

    /// I_1 to I_n, the most recent first: packets, the seed among them until eight others have come.
    pub fn intervals(&self) -> &[f32] {
        &self.intervals[..self.closed()]
    }

    /// The interval before the first event is `seed`, as long as it is remembered.
    pub fn reseed(&mut self, seed: f32) {
        // It is the oldest until it has been pushed out.
        if (1..=INTERVALS as u32).contains(&self.count) {
            self.intervals[self.count as usize - 1] = seed;
        }
    }

    /// The last one lasts so long by its first loss.
    pub(super) fn lasts(&mut self, span: Duration) {
        self.span_us = u32::try_from(span.0 / 1000).unwrap_or(u32::MAX);
    }

    /// A new loss event: the open interval becomes I_1 (sections 5.3 and 5.5), or the seed does (section 5.6).
    fn begin(&mut self, sequence: u64, at: Instant, seed: f32, threshold: f32) {
        let closed = if self.count == 0 { seed } else { (sequence.saturating_sub(self.start)).max(1) as f32 };
        let discount = self.general_discount(f64::from(closed), f64::from(threshold)) as f32;
        for factor in &mut self.discounts {
            *factor *= discount;
        }
        self.intervals.copy_within(..INTERVALS - 1, 1);
        self.discounts.copy_within(..INTERVALS - 1, 1);
        self.intervals[0] = closed;
        self.discounts[0] = 1.0;
        self.start = sequence;
        self.started = at;
        self.count = self.count.saturating_add(1);
    }

    /// Closed intervals that there are.
    fn closed(&self) -> usize {
        (self.count as usize).min(INTERVALS)
    }

    /// Sums of w_(i-1)·DF_i and of w_(i-1)·DF_i·I_i over the closed intervals.
    fn closed_sums(&self) -> (f64, f64) {
        (0..self.closed()).fold((0.0, 0.0), |(weights, total), i| {
            let weight = WEIGHTS[i] * f64::from(self.discounts[i]);
            (weights + weight, total + weight * f64::from(self.intervals[i]))
        })
    }

    /// The general discount factor DF for an open interval of `open` packets (section 5.5).
    fn general_discount(&self, open: f64, threshold: f64) -> f64 {
        if self.count == 0 {
            return 1.0;
        }
        let (weights, total) = self.closed_sums();
        let twice_mean = 2.0 * total / weights;
        if open > twice_mean { (twice_mean / open).max(threshold) } else { 1.0 }
    }

    /// The loss event rate p = min(W_tot0 / I_tot0, W_tot1 / I_tot1) (section 5.5), over as many intervals as there
    /// are, I_0 being `open` packets. There must have been an event.
    pub fn rate(&self, open: f64, threshold: f64) -> f64 {
        let discount = self.general_discount(open, threshold);
        let (mut weights, mut total) = (WEIGHTS[0], WEIGHTS[0] * open);
        for (i, &own) in WEIGHTS.iter().enumerate().take(self.closed() + 1).skip(1) {
            let weight = own * f64::from(self.discounts[i - 1]) * discount;
            weights += weight;
            total += weight * f64::from(self.intervals[i - 1]);
        }
        let (closed_weights, closed_total) = self.closed_sums();
        (weights / total).min(closed_weights / closed_total).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_up_to_the_end_of_an_outage_belongs_to_it() {
        // Packets of two sequence spaces, a packet each 10 ms in the first; R = 60 ms. 100 packets are missing from
        // 10.00 to 10.99 s.
        let losses = |first, lost, at_ms: u64, lasts_from_first| Losses {
            first,
            lost,
            at: Instant(at_ms * 1_000_000),
            spacing_ns: 1e7,
            span: Duration::from_millis(60),
            lasts_from_first,
            outage: true,
        };
        for (at_ms, events) in [(10_985, 1), (10_990, 1), (10_991, 2)] {
            for from_first in [false, true] {
                let mut history = LossEvents::NONE;
                history.take(&losses(1000, 100, 10_000, from_first), 500.0, 1.0);
                assert_eq!((history.count(), history.last()), (1, 1000));
                // One packet of the other space.
                history.take(&losses(1101, 1, at_ms, from_first), 500.0, 1.0);
                assert_eq!(history.count(), events, "lost at {at_ms} ms");
            }
        }
    }
}
