//! How often a rule was right.

use super::verdict::Verdict;
use crate::endpoint::Gauge;

/// Lost packets by what they were and what they were taken for: the confusion matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Errors of links that were called so.
    pub link_as_link: u64,
    /// Errors of links that were called congestion.
    pub link_as_congestion: u64,
    /// Congestion that was called an error of a link.
    pub congestion_as_link: u64,
    /// Congestion that was called so.
    pub congestion_as_congestion: u64,
}

/// What a receiver that differentiates shows of it, in the order of [`Confusion::values`].
pub const CONFUSION_GAUGES: [Gauge; 4] = [
    Gauge::count("link_losses_recognised", "losses", "Packets lost by link errors that were called so."),
    Gauge::count("link_losses_missed", "losses", "Packets lost by link errors that were called congestion."),
    Gauge::count("congestion_losses_mistaken", "losses", "Packets lost by congestion that were called link errors."),
    Gauge::count("congestion_losses_recognised", "losses", "Packets lost by congestion that were called so."),
];

/// What a receiver shows, and then its [`CONFUSION_GAUGES`]; `M` is four more than `N`.
///
/// # Panics
/// If it is not, which a constant says when it is compiled.
pub const fn with_confusion<const N: usize, const M: usize>(own: &[Gauge; N]) -> [Gauge; M] {
    assert!(M == N + CONFUSION_GAUGES.len());
    let mut all = [CONFUSION_GAUGES[0]; M];
    let mut index = 0;
    while index < M {
        all[index] = if index < N { own[index] } else { CONFUSION_GAUGES[index - N] };
        index += 1;
    }
    all
}

impl Confusion {
    /// The field for losses that are what `is_link` says and were called `verdict`.
    pub(super) fn of(&mut self, is_link: bool, verdict: Verdict) -> &mut u64 {
        match (is_link, verdict) {
            (true, Verdict::Link) => &mut self.link_as_link,
            (true, Verdict::Congestion) => &mut self.link_as_congestion,
            (false, Verdict::Link) => &mut self.congestion_as_link,
            (false, Verdict::Congestion) => &mut self.congestion_as_congestion,
        }
    }

    /// All losses.
    pub fn losses(&self) -> u64 {
        self.link_as_link + self.link_as_congestion + self.congestion_as_link + self.congestion_as_congestion
    }

    /// The values of [`CONFUSION_GAUGES`].
    pub fn values(&self) -> [f64; 4] {
        [self.link_as_link, self.link_as_congestion, self.congestion_as_link, self.congestion_as_congestion]
            .map(|packets| packets as f64)
    }
}
