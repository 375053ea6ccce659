//! The least inter-arrival time T_min, and the rules that compare a gap with it ([Ehlert] equation 2,
//! after Biaz and Vaidya).
//!
//! Where packets come back to back and the link behind the queue loses n of them, the next comes (n+1) T_min after the
//! one before; where a queue has dropped them, others stand in their place and it comes sooner. Over all layers
//! together the packets that arrived in between count as the missing ones do.

use super::config::{Forgetting, Scope};
use super::verdict::Verdict;
use crate::parts::loss_detection::Gap;
use crate::time::{Duration, Instant};

/// Quarters of T_min beyond (n+1) T_min up to which a gap is the link's: Biaz and Vaidya's scheme.
pub(super) const IAS: u128 = 4;
/// Quarters of T_min beyond (n+1) T_min up to which a gap is the link's by mBiaz.
pub(super) const MBIAZ: u128 = 1;

/// Fewer inter-arrival times say nothing of the least.
const LEAST_SAMPLES: u32 = 5;
/// How long after the first packet inter-arrival times say nothing.
const SETTLING: Duration = Duration::from_secs(1);
/// A rate that has changed by more than this share is another one.
const ANOTHER_RATE: f64 = 0.1;

/// What is known of inter-arrival times.
#[derive(Clone, Debug)]
pub(super) struct InterArrival {
    window: Forgetting,
    scope: Scope,
    /// By space; that of all layers together is the first.
    least: Vec<Least>,
    /// By space.
    arrivals: Vec<Arrivals>,
    /// Packets that have come or are missing, of all spaces.
    position: u64,
}

/// T_min, and what it is taken from.
#[derive(Clone, Debug, Default)]
struct Least {
    /// When the first packet came.
    begun: Option<Instant>,
    /// The last packet, if the time to the next is a sample.
    before: Option<Instant>,
    least_ns: u64,
    samples: u32,
}

/// The last packets of a space.
#[derive(Clone, Debug, Default)]
struct Arrivals {
    /// The last one in order.
    last: Option<Arrival>,
    /// The one in order before that.
    before: Option<Arrival>,
    /// The rate when the window began, bit/s; 0 = none is known.
    rate_bps: f64,
}

/// A packet that has come.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    count: u64,
    at: Instant,
    /// Packets up to it, those that are missing included, over what T_min is taken.
    position: u64,
    is_probe: bool,
}

impl InterArrival {
    pub(super) fn new(window: Forgetting, scope: Scope) -> InterArrival {
        InterArrival { window, scope, least: Vec::new(), arrivals: Vec::new(), position: 0 }
    }

    pub(super) fn arrived(&mut self, space: u16, count: u64, now: Instant, is_probe: bool) {
        let scope = self.scope;
        let arrivals = at(&mut self.arrivals, usize::from(space));
        let ahead = match arrivals.last {
            Some(last) if count <= last.count => return,
            Some(last) => count - last.count,
            None => 1,
        };
        let follows = arrivals.last.is_some_and(|last| last.count + 1 == count && !last.is_probe);
        let position = match scope {
            Scope::Layer => count,
            Scope::Aggregate => self.position.saturating_add(ahead),
        };
        self.position = position;
        arrivals.before = arrivals.last;
        arrivals.last = Some(Arrival { count, at: now, position, is_probe });
        let least = at(&mut self.least, of(scope, space));
        let begun = *least.begun.get_or_insert(now);
        if let Some(before) = least.before
            && follows
            && now >= before
            && now.since(begun) > SETTLING
        {
            let time_ns = now.since(before).0;
            least.least_ns = if least.samples == 0 { time_ns } else { least.least_ns.min(time_ns) };
            least.samples = least.samples.saturating_add(1);
        }
        least.before = (!is_probe).then_some(now);
    }

    pub(super) fn judge(&mut self, space: u16, gap: &Gap, now: Instant, quarters: u128) -> Verdict {
        let arrivals = at(&mut self.arrivals, usize::from(space));
        let Some((before, last)) = arrivals.around(gap) else { return Verdict::Congestion };
        let least = at(&mut self.least, of(self.scope, space));
        if least.samples < LEAST_SAMPLES {
            return Verdict::Congestion;
        }
        // In quarters of nanoseconds.
        let gap_time = 4 * u128::from(now.since(before.at).0);
        let least_ns = u128::from(least.least_ns);
        let from = 4 * u128::from(last.position - before.position);
        let is_link = from * least_ns <= gap_time && gap_time < (from + quarters) * least_ns;
        if is_link { Verdict::Link } else { Verdict::Congestion }
    }

    /// Whether the last packet of `space` ends this gap: none has, if what is missing is only overdue.
    pub(super) fn ends(&self, space: u16, gap: &Gap) -> bool {
        self.arrivals.get(usize::from(space)).is_some_and(|arrivals| arrivals.around(gap).is_some())
    }

    pub(super) fn rate(&mut self, space: u16, rate_bps: f64) {
        let arrivals = at(&mut self.arrivals, usize::from(space));
        if !(rate_bps > 0.0 && rate_bps.is_finite()) {
            return;
        }
        let is_another = (rate_bps - arrivals.rate_bps).abs() > ANOTHER_RATE * arrivals.rate_bps;
        if arrivals.rate_bps == 0.0 {
            arrivals.rate_bps = rate_bps;
        } else if is_another {
            arrivals.rate_bps = rate_bps;
            self.rate_changed(space);
        }
    }

    pub(super) fn rate_changed(&mut self, space: u16) {
        if self.window == Forgetting::Rate {
            let least = at(&mut self.least, of(self.scope, space));
            // The time to the next packet is of neither rate.
            (least.samples, least.before) = (0, None);
        }
    }

    /// The numbers of `space` begin anew; the least time stays, unless others have another rate together then.
    pub(super) fn begin_anew(&mut self, space: u16) {
        let arrivals = at(&mut self.arrivals, usize::from(space));
        (arrivals.last, arrivals.before) = (None, None);
        if self.scope == Scope::Aggregate {
            self.rate_changed(space);
        }
    }
}

impl Arrivals {
    /// The packets before and behind a gap, if the last packet has ended it.
    fn around(&self, gap: &Gap) -> Option<(Arrival, Arrival)> {
        let (before, last) = (self.before?, self.last?);
        (before.count + 1 == gap.first && last.count == gap.first + gap.missing).then_some((before, last))
    }
}

/// Which least time is that of `space`.
fn of(scope: Scope, space: u16) -> usize {
    match scope {
        Scope::Layer => usize::from(space),
        Scope::Aggregate => 0,
    }
}

/// What is at `index`, which there is from now on.
fn at<T: Default>(all: &mut Vec<T>, index: usize) -> &mut T {
    if index >= all.len() {
        all.resize_with(index + 1, T::default);
    }
    &mut all[index]
}
