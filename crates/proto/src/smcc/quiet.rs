//! Silence of a whole session, and what its end makes of round-trip times.
//!
//! After an outage whose packets were kept the first reports answer what was sent before it, and their round-trip times
//! are as long as it was. They tell of the outage and not of the way; and as a receiver may go through several layers
//! with them, no layer can know that by itself, least one where nobody was that could fall silent.

use super::lately::Lately;
use crate::time::{Duration, Instant};

/// When reports came, and how long their round trips were.
#[derive(Clone, Debug)]
pub(super) struct Quiet {
    heard_at: Option<Instant>,
    /// Of the reports of all, as far as they counted.
    longest: Lately,
    /// When the last silence ended, and the longest round trip before it, seconds.
    ended: Option<(Instant, f64)>,
}

/// Silence that is shorter says nothing: a layer sends a packet each second at least, on which its lead reports. Two
/// of these gaps, as of one limiting receiver alone; a choice.
const LEAST: Duration = Duration::from_secs(2);
/// The same in the longest round trips (RFC 4654 section 3.3, of the silence of the limiting receiver).
const RTTS: f64 = 4.0;

impl Quiet {
    /// Nobody has reported.
    pub(super) const NEVER: Quiet = Quiet { heard_at: None, longest: Lately::MOST, ended: None };

    /// A report with this round-trip time has come. What of it counts, seconds: if what it answers was sent before the
    /// last silence ended, no more than the longest before that.
    pub(super) fn counted_rtt_s(&mut self, now: Instant, rtt_s: f64) -> f64 {
        if let (Some(heard_at), Some(longest_s)) = (self.heard_at, self.longest.value())
            && now.since(heard_at) > LEAST.max(Duration::from_secs_f64(RTTS * longest_s))
        {
            self.ended = Some((now, longest_s));
        }
        self.heard_at = Some(now);
        let counted_s = match self.ended {
            Some((end, longest_s)) if Duration::from_secs_f64(rtt_s) >= now.since(end) => rtt_s.min(longest_s),
            _ => rtt_s,
        };
        self.longest.take(now, counted_s);
        counted_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    /// Reports each 100 ms up to 20 s.
    fn heard(rtt_s: f64) -> Quiet {
        let mut quiet = Quiet::NEVER;
        (100..=200).for_each(|n| assert_eq!(quiet.counted_rtt_s(at(0.1 * f64::from(n)), rtt_s), rtt_s));
        quiet
    }

    #[test]
    fn what_waited_for_the_end_of_a_silence_counts_as_before_it() {
        let mut quiet = heard(0.1);
        assert_eq!(quiet.counted_rtt_s(at(28.0), 8.05), 0.1);
        assert_eq!(quiet.counted_rtt_s(at(28.5), 0.5), 0.1, "sent just when it ended");
        assert_eq!(quiet.counted_rtt_s(at(28.5), 0.49), 0.49, "sent after it");
        assert_eq!(quiet.counted_rtt_s(at(28.6), 0.05), 0.05, "and less is less");
    }

    #[test]
    fn a_short_silence_is_none() {
        assert_eq!(heard(0.1).counted_rtt_s(at(22.0), 2.05), 2.05, "two packets of a quiet layer");
        assert_eq!(heard(0.1).counted_rtt_s(at(22.01), 2.05), 0.1);
        assert_eq!(heard(0.6).counted_rtt_s(at(22.39), 2.9), 2.9, "four round trips");
        assert_eq!(heard(0.6).counted_rtt_s(at(22.41), 2.9), 0.6);
    }

    #[test]
    fn before_the_first_report_there_is_no_silence() {
        let mut quiet = Quiet::NEVER;
        assert_eq!(quiet.counted_rtt_s(at(1000.0), 5.0), 5.0);
    }
}
