//! What reports may take of the network: the bandwidth of RTCP (RFC 3550 section 6.2).
//!
//! Of the session's bandwidth, which is declared, 1.25 % are the source's and 3.75 % the receivers'. The source's hold
//! as many echoes as fit, in one packet for each report. The receivers' say how often each may report. How many they
//! are is known here, so nobody need count them, and what the RFC does against wrong counts (reconsideration) falls
//! away.

use super::config::{Config, ReportsTo};
use super::rtcp::{MOST_ECHOES, RECEIVER_REPORT_BYTES, sender_report_bytes};
use crate::random::Random;
use crate::time::{Duration, Instant};
use crate::wire::{IP_BYTES, UDP_BYTES};

/// What one session may use for its reports.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    session_bps: f64,
    members: f64,
    /// T_SR.
    round: Duration,
}

/// When a receiver may report.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// T_d; none if that is less than a round, so that it may in each.
    interval: Option<Duration>,
    next: Instant,
}

/// The source's part of the session's bandwidth, and the receivers' (RFC 3550 section 6.2).
const SOURCE_PART: f64 = 0.0125;
const RECEIVERS_PART: f64 = 0.0375;
/// Bytes of the headers of IP and UDP, which count (RFC 3550 section 6.2).
const LOWER_BYTES: usize = (IP_BYTES + UDP_BYTES) as usize;
/// The most that a packet has on its way without being cut, headers included: that of an Ethernet.
const MTU_BYTES: f64 = 1500.0;
/// After so many intervals without a report a receiver may be forgotten (RFC 3550 section 6.2.1).
const INTERVALS_REMEMBERED: u64 = 5;

impl Budget {
    /// Of a session with so many receivers.
    pub fn new(config: &Config, members: u32) -> Budget {
        Budget {
            session_bps: config.session_bandwidth.as_bps_f64(),
            members: f64::from(members.max(1)),
            round: config.report_interval,
        }
    }

    /// T_d, from one report of a receiver to its next in the mean, where all of them report: max(T_SR, n C) (RFC 3550
    /// section 6.3.1).
    pub fn interval(&self) -> Duration {
        let bits = 8.0 * (LOWER_BYTES + usize::from(RECEIVER_REPORT_BYTES)) as f64;
        let all_s = self.members * bits / (RECEIVERS_PART * self.session_bps);
        self.round.max(Duration::from_secs_f64(all_s.min(MOST_INTERVAL_S)))
    }

    /// The rounds that T_d takes: 1 if every receiver may report in each.
    pub fn rounds(&self) -> u64 {
        self.interval().0.div_ceil(self.round.0)
    }

    /// For how many rounds the time stamp of a receiver is kept that waits to be echoed.
    pub fn rounds_remembered(&self) -> u64 {
        INTERVALS_REMEMBERED * self.rounds()
    }

    /// How many echoes there is room for in a sender report so long after the one before; one at least.
    pub fn echoes(&self, layers: usize, since: Duration) -> usize {
        let bytes = (SOURCE_PART * self.session_bps * since.as_secs_f64() / 8.0).min(MTU_BYTES);
        let [none, one] = [0, 1].map(|echoes| (LOWER_BYTES + sender_report_bytes(layers, echoes)) as f64);
        (((bytes - none) / (one - none)) as usize).clamp(1, MOST_ECHOES)
    }
}

impl Turns {
    /// Of a receiver of a session with these parameters, which begins now.
    pub fn new(config: &Config, members: u32) -> Turns {
        let budget = Budget::new(config, members);
        Turns { interval: (budget.rounds() > 1).then(|| budget.interval()), next: Instant::ZERO }
    }

    /// It begins, or has reported: its next turn comes after T_d times 0.5 to 1.5, by chance. The RFC divides that by
    /// 1.218 to make up for the reconsideration that is not needed here.
    pub fn wait(&mut self, now: Instant, random: &mut Random) {
        if let Some(interval) = self.interval {
            self.next = now + interval.mul_f64(random.uniform_in(0.5, 1.5));
        }
    }

    /// Whether it may report in the round that begins now.
    pub fn has_come(&self, now: Instant) -> bool {
        self.next <= now
    }
}

/// Longer than any run is as good as never, seconds.
const MOST_INTERVAL_S: f64 = 1e6;

/// For how many rounds a report counts. Where receivers do not hear each other and only one of several may report in a
/// round, those of all its turns count; where they do, the least and the largest share come in each round.
pub fn rounds_counted(config: &Config, budget: &Budget) -> u64 {
    let rounds = u64::from(config.report_rounds);
    if config.reports_to == ReportsTo::Sender { rounds * budget.rounds() } else { rounds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Rate;

    fn budget(kbps: u64, members: u32) -> Budget {
        let session_bandwidth = Rate(1000 * kbps);
        Budget::new(&Config { session_bandwidth, ..Config::default() }, members)
    }

    #[test]
    fn the_interval_of_a_thousand_receivers_by_hand() {
        // 80 bytes each, of 37.5 kbit/s: 640/37500 = 17.07 ms for one.
        let interval_s = |kbps, members| budget(kbps, members).interval().as_secs_f64();
        assert!((interval_s(1000, 1000) - 17.0667).abs() < 1e-3);
        assert_eq!((interval_s(1000, 292), budget(1000, 292).rounds()), (5.0, 1));
        assert!(interval_s(1000, 294) > 5.0 && budget(1000, 294).rounds() == 2);
        assert_eq!((budget(1000, 1000).rounds(), budget(1000, 1000).rounds_remembered()), (4, 20));
        // A small session's bandwidth, and a small session.
        assert!((interval_s(20, 100) - 85.333).abs() < 1e-2);
        assert_eq!((interval_s(20, 5), budget(1, 1_000_000).rounds()), (5.0, 200_000));
    }

    #[test]
    fn echoes_fill_what_the_source_may_send_up_to_a_packet() {
        let echoes = |kbps, layers, since_s| budget(kbps, 1000).echoes(layers, Duration::from_secs_f64(since_s));
        // 1500 - 28 - 28 - 36 = 1408 bytes, 12 each.
        assert_eq!((echoes(1000, 3, 5.0), echoes(4_000_000, 3, 600.0)), (117, 117));
        // In a second 1562 bytes, in half of one 781; in 5 s of 20 kbit/s 156.
        assert_eq!((echoes(1000, 3, 1.0), echoes(1000, 3, 0.5), echoes(20, 3, 5.0)), (117, 57, 5));
        // One at least, even if there is no room for the layers.
        assert_eq!((echoes(1000, 3, 0.0), echoes(1, 3, 5.0), echoes(1000, 127, 5.0)), (1, 1, 1));
    }

    #[test]
    fn reports_of_all_keep_within_the_receivers_part() {
        let config = Config { session_bandwidth: Rate(100_000), ..Config::default() };
        let mut random = Random::stream(3, "test/turns");
        let turns = &mut [Turns::new(&config, 500); 500];
        turns.iter_mut().for_each(|turns| turns.wait(Instant::ZERO, &mut random));
        let mut reports = 0;
        for round in 1..=400 {
            let now = Instant::ZERO + Duration::from_secs(5 * round);
            for turns in turns.iter_mut().filter(|turns| turns.has_come(now)) {
                turns.wait(now, &mut random);
                reports += 1;
            }
        }
        let part = f64::from(reports) * 640.0 / 2000.0 / 100_000.0;
        assert!((0.033..=RECEIVERS_PART).contains(&part), "{part}");
        // With few of them each may in each round, and no chance is asked for.
        let (mut few, before) = (Turns::new(&config, 20), random.clone());
        few.wait(Instant::ZERO, &mut random);
        assert!(few.has_come(Instant::ZERO) && random.uniform() == before.clone().uniform());
    }

    #[test]
    fn reports_count_for_as_long_as_turns_take() {
        let config = Config::default();
        let budget = Budget::new(&config, 1000);
        assert_eq!(rounds_counted(&config, &budget), 2);
        let config = Config { reports_to: ReportsTo::Sender, ..config };
        assert_eq!((rounds_counted(&config, &budget), rounds_counted(&config, &Budget::new(&config, 10))), (8, 2));
    }
}
