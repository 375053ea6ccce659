//! What receivers have reported: who has the least and the largest share, until reports expire, and whose time stamp is
//! to be echoed next.

use super::rtcp::{Echo, ReceiverReport};
use crate::packet::Address;
use crate::parts::rtt::lag_s;
use crate::time::{Duration, Instant};
use std::collections::BTreeMap;

/// The last report of each receiver that has one.
#[derive(Clone, Debug, Default)]
pub struct Reports {
    of: BTreeMap<Address, Known>,
    /// Reports from before this round do not count any more; their time stamps may still wait to be echoed.
    counts_from: u64,
    /// Echoes given so far.
    given: u64,
}

/// A report as the source has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedReport {
    /// What it says.
    pub report: ReceiverReport,
    /// The round-trip time that the source has measured with it, seconds, if it could.
    pub rtt_s: Option<f64>,
    /// When it came.
    pub came: Instant,
    /// The round in which it came, by the source's own count.
    pub round: u64,
}

/// The reports that size the layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Who has the least share, and its report.
    pub least: (Address, TimedReport),
    /// Who has the largest.
    pub largest: (Address, TimedReport),
}

/// What is known of a receiver.
#[derive(Clone, Copy, Debug)]
struct Known {
    last: TimedReport,
    /// Whether its time stamp has not been echoed.
    waits: bool,
    /// How many echoes there had been when it got its last one; 0 before the first.
    served: u64,
}

impl Reports {
    /// Takes in a report of `receiver`. False if the one that is there is as new: it has been overtaken, or has come
    /// twice.
    pub fn add(&mut self, receiver: Address, heard: TimedReport) -> bool {
        let known = self.of.entry(receiver);
        let mut is_new = true;
        known
            .and_modify(|known| {
                // Beyond that, time stamps may have wrapped around.
                let is_comparable = heard.came.since(known.last.came) < COMPARABLE;
                is_new = !is_comparable || lag_s(heard.report.stamp_us, known.last.report.stamp_us) > 0.0;
                if is_new {
                    *known = Known { last: heard, waits: true, ..*known };
                }
            })
            .or_insert(Known { last: heard, waits: true, served: 0 });
        is_new
    }

    /// The receiver has gone. False if nothing was known of it.
    pub fn remove(&mut self, receiver: Address) -> bool {
        self.of.remove(&receiver).is_some()
    }

    /// Round `round` begins: reports that have not been renewed for `rounds` rounds before it do not count any more.
    /// Time stamps that wait to be echoed are kept for `remembered` rounds, or as long.
    pub fn expire(&mut self, round: u64, rounds: u64, remembered: u64) {
        self.counts_from = round.saturating_sub(rounds);
        let (counts_from, waits_from) = (self.counts_from, round.saturating_sub(remembered));
        self.of
            .retain(|_, known| known.last.round >= if known.waits { counts_from.min(waits_from) } else { counts_from });
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        *self = Reports::default();
    }

    /// How many receivers have a report that counts.
    pub fn count(&self) -> usize {
        self.counting().count()
    }

    fn counting(&self) -> impl Iterator<Item = (&Address, &Known)> {
        self.of.iter().filter(|(_, known)| known.last.round >= self.counts_from)
    }

    /// Who has the least and the largest share; `None` if there is no report. Of several alike it is the one with the
    /// lowest address.
    pub fn extremes(&self) -> Option<Extremes> {
        let mut all = self.counting().map(|(&receiver, known)| (receiver, known.last));
        let first = all.next()?;
        let share = |(_, heard): &(Address, TimedReport)| heard.report.rate_bps;
        Some(all.fold(Extremes { least: first, largest: first }, |extremes, other| Extremes {
            least: if share(&other) < share(&extremes.least) { other } else { extremes.least },
            largest: if share(&other) > share(&extremes.largest) { other } else { extremes.largest },
        }))
    }

    /// The largest round-trip time measured, seconds; 0 if there is none.
    pub fn max_rtt_s(&self) -> f64 {
        self.counting().filter_map(|(_, known)| known.last.rtt_s).fold(0.0, f64::max)
    }

    /// At most `most` echoes, and those receivers need not wait for another until they report again: who has no
    /// round-trip time first, then who has waited for the most echoes of others, then who reported first.
    pub fn take_echoes(&mut self, now: Instant, most: usize) -> Vec<Echo> {
        let order = |known: &Known| (known.last.report.rtt_us != 0, known.served, known.last.came);
        let mut waiting: Vec<&mut Known> = self.of.values_mut().filter(|known| known.waits).collect();
        if waiting.len() > most {
            waiting.select_nth_unstable_by_key(most, |known| order(known));
            waiting.truncate(most);
        }
        waiting.sort_unstable_by_key(|known| order(known));
        let mut given = self.given;
        let echo_of = |known: &mut Known| {
            given += 1;
            (known.waits, known.served) = (false, given);
            let hold_us = (now.since(known.last.came).0 / 1000).min(u32::MAX.into()) as u32;
            let ReceiverReport { ssrc, stamp_us, .. } = known.last.report;
            Echo { receiver: ssrc, stamp_us, hold_us }
        };
        let echoes = waiting.into_iter().map(echo_of).collect();
        self.given = given;
        echoes
    }
}

/// Time stamps of a receiver are compared if they came within this time; they wrap around after 71 minutes.
const COMPARABLE: Duration = Duration::from_secs(1000);

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(n: u32) -> Address {
        Address::endpoint(n)
    }

    fn heard(n: u32, round: u64, rate_bps: f32) -> TimedReport {
        let came_ms = 5000 * round + 10 * u64::from(n);
        let report = ReceiverReport {
            ssrc: n,
            source: 1,
            number: round as u16,
            rate_bps,
            loss: 0.0,
            rtt_us: 100_000,
            stamp_us: 1000 * came_ms as u32,
            fraction_lost: 0,
            cumulative_lost: 0,
            highest_sequence: 0,
            jitter: 0,
            last_sr: 0,
            delay_since_sr: 0,
        };
        TimedReport { report, rtt_s: Some(0.1 * f64::from(n)), came: Instant(came_ms * 1_000_000), round }
    }

    fn extremes(reports: &Reports) -> Option<(usize, usize)> {
        reports.extremes().map(|extremes| (extremes.least.0.index(), extremes.largest.0.index()))
    }

    #[test]
    fn the_extremes_are_of_the_last_reports() {
        let mut reports = Reports::default();
        assert_eq!((extremes(&reports), reports.max_rtt_s()), (None, 0.0));
        for (n, rate_bps) in [(4, 3e5), (2, 1e5), (7, 2e5), (3, 1e5), (9, 3e5)] {
            assert!(reports.add(receiver(n), heard(n, 0, rate_bps)));
        }
        assert_eq!((extremes(&reports), reports.count()), (Some((2, 4)), 5));
        assert!((reports.max_rtt_s() - 0.9).abs() < 1e-9);
        assert!(reports.add(receiver(2), heard(2, 1, 9e5)));
        assert_eq!(extremes(&reports), Some((3, 2)));
        assert!(reports.remove(receiver(2)) && !reports.remove(receiver(2)));
        assert_eq!(extremes(&reports), Some((3, 4)));
        reports.clear();
        assert_eq!((extremes(&reports), reports.count()), (None, 0));
    }

    #[test]
    fn what_was_overtaken_is_left_out() {
        let mut reports = Reports::default();
        let new = heard(2, 3, 1e5);
        assert!(reports.add(receiver(2), new));
        for late_us in [0, 1, 1_000_000_000] {
            let stamp_us = new.report.stamp_us.wrapping_sub(late_us);
            let old = TimedReport { report: ReceiverReport { stamp_us, rate_bps: 9e5, ..new.report }, ..new };
            assert!(!reports.add(receiver(2), old), "{late_us}");
        }
        assert_eq!(reports.extremes().unwrap().largest.1, new);
        // The clock wraps around: 1 µs after the greatest stamp is 0.
        let last = TimedReport { report: ReceiverReport { stamp_us: u32::MAX, ..new.report }, ..new };
        let mut reports = Reports::default();
        let wrapped = TimedReport { report: ReceiverReport { stamp_us: 0, ..new.report }, ..new };
        assert!(reports.add(receiver(2), last) && reports.add(receiver(2), wrapped));
        assert!(!reports.add(receiver(2), last));
        // After a thousand seconds nobody knows.
        let much_later = TimedReport { came: wrapped.came + Duration::from_secs(1000), ..last };
        assert!(reports.add(receiver(2), much_later));
    }

    #[test]
    fn reports_expire_when_they_are_not_renewed() {
        let mut reports = Reports::default();
        reports.add(receiver(1), heard(1, 4, 1e5));
        reports.add(receiver(2), heard(2, 5, 2e5));
        // It came in round 4; 5 and 6 went by without another.
        let mut left = Vec::new();
        for round in 5..9 {
            reports.expire(round, 2, 5);
            left.push(reports.count());
        }
        assert_eq!(left, [2, 2, 1, 0]);
    }

    #[test]
    fn a_time_stamp_waits_longer_than_its_report_counts() {
        let echoes_after = |round| {
            let mut reports = Reports::default();
            reports.add(receiver(1), heard(1, 4, 1e5));
            reports.expire(round, 2, 5);
            assert_eq!(extremes(&reports).is_some(), round <= 6);
            assert_eq!(reports.max_rtt_s() > 0.0, round <= 6);
            let now = Instant(5_000_000_000 * round);
            let echoes = reports.take_echoes(now, 8);
            // Once it has been echoed nothing of it is left.
            reports.expire(round + 1, 2, 5);
            assert_eq!(reports.of.is_empty(), round >= 6);
            echoes
        };
        let held_us = 25_000_000 - 10_000;
        assert_eq!(echoes_after(9), [Echo { receiver: 1, stamp_us: 20_010_000, hold_us: held_us }]);
        assert_eq!((echoes_after(10), echoes_after(6).len()), (vec![], 1));
    }

    #[test]
    fn echoes_go_round() {
        let mut reports = Reports::default();
        for n in 1..=20 {
            reports.add(receiver(n), heard(n, 0, 1e5));
        }
        let at = Instant(5_000_000_000);
        let who = |echoes: Vec<Echo>| -> Vec<u32> { echoes.iter().map(|echo| echo.receiver).collect() };
        let echoes = reports.take_echoes(at, 8);
        assert_eq!(echoes[2], Echo { receiver: 3, stamp_us: 30_000, hold_us: 4_970_000 });
        assert_eq!(who(echoes), [1, 2, 3, 4, 5, 6, 7, 8]);
        // Those that report again wait behind those that have had none, and who knows no round-trip time is first.
        for n in 1..=20 {
            reports.add(receiver(n), heard(n, 1, 1e5));
        }
        let mut unknowing = heard(30, 1, 1e5);
        unknowing.report.rtt_us = 0;
        reports.add(receiver(30), unknowing);
        assert_eq!(who(reports.take_echoes(at, 8)), [30, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(who(reports.take_echoes(at, 8)), [16, 17, 18, 19, 20, 1, 2, 3]);
        assert_eq!(who(reports.take_echoes(at, 8)), [4, 5, 6, 7, 8]);
        assert!(reports.take_echoes(at, 8).is_empty());
        // Everybody's turn comes: with 100 receivers that all report in each round, every 13 rounds.
        let mut rounds_without = [0; 101];
        for round in 2..60 {
            for n in 1..=100 {
                reports.add(receiver(n), heard(n, round, 1e5));
            }
            rounds_without.iter_mut().for_each(|rounds| *rounds += 1);
            for echo in reports.take_echoes(at, 8).iter().filter(|echo| echo.receiver != 30) {
                rounds_without[echo.receiver as usize] = 0;
            }
            rounds_without[30] = 0;
            assert!(rounds_without[1..].iter().all(|&rounds| rounds <= 13), "{round}: {rounds_without:?}");
        }
    }
}
