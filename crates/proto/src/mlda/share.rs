//! The share of a receiver: what its rate rule says, within bounds.

use super::config::{Config, RateRule};
use super::equation::EquationRule;
use super::lda::{self, LdaPlus};

/// τ, the TCP-friendly share of its path that a receiver reports.
#[derive(Clone, Debug)]
pub struct Share {
    rule: ShareRule,
    /// None before the first report of the source.
    rate_bps: Option<f64>,
    packet_bits: f64,
    least_bps: f64,
    /// Part of the bottleneck that it may be.
    bandwidth_share: f64,
    drift_cap: bool,
}

/// How it is computed.
#[derive(Clone, Debug)]
pub enum ShareRule {
    /// By LDA+.
    Lda(LdaPlus),
    /// By the throughput equation.
    Equation(Box<EquationRule>),
}

/// What an interval was like.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// T, its length, seconds.
    pub length_s: f64,
    /// l, over the window of intervals.
    pub loss: f64,
    /// τ, the round-trip time, seconds.
    pub rtt_s: f64,
    /// R, rate of the bottleneck, bit/s; none if it is not known.
    pub bottleneck_bps: Option<f64>,
    /// What came, bit/s.
    pub received_bps: f64,
    /// What the layers that are held and the next one carry together, bit/s; not a number if all are held.
    pub next_level_bps: f64,
}

/// The most that anybody says (RFC 4654 section 2.2.1 has it for TFMCC).
const MOST_BPS: f64 = 4e11;
/// The share to begin with is at least so many packets per round-trip time.
const FIRST_PACKETS: f64 = 2.0;
/// An increase leads to at most so many times what came.
const DRIFT: f64 = 2.0;

impl Share {
    /// Of a receiver of a session with these parameters.
    pub fn new(config: &Config) -> Share {
        let packet_bytes = config.packet_size.0 as f64;
        let rule = match config.rate_rule {
            RateRule::Lda => ShareRule::Lda(LdaPlus::new(lda::Terms {
                packet_bytes,
                first_increase_bps: config.lda.first_increase.as_bps_f64(),
                loss_rule: config.lda.loss_rule,
                acked_packets: config.lda.acked_packets,
                timeout_rtts: config.lda.timeout_rtts,
            })),
            RateRule::Equation => {
                ShareRule::Equation(Box::new(EquationRule::new(packet_bytes, config.layers as usize)))
            }
        };
        Share {
            rule,
            rate_bps: None,
            packet_bits: config.packet_bits(),
            least_bps: config.least_bps(),
            bandwidth_share: config.bandwidth_share,
            drift_cap: config.rate_rule == RateRule::Equation || config.lda.drift_cap,
        }
    }

    /// Its value, bit/s; none before the first report of the source.
    pub fn rate_bps(&self) -> Option<f64> {
        self.rate_bps
    }

    /// The rule.
    pub fn rule_mut(&mut self) -> &mut ShareRule {
        &mut self.rule
    }

    /// At the first report of the source: what has come up to then, or two packets per round-trip time if that is more.
    pub fn begin(&mut self, received_bps: f64, rtt_s: f64, bottleneck_bps: Option<f64>) -> f64 {
        let first_bps = received_bps.max(FIRST_PACKETS * self.packet_bits / rtt_s);
        self.set(first_bps, bottleneck_bps)
    }

    /// The share after an interval, whatever it was before. If nothing came, or not for long enough, it stays that.
    pub fn begin_with(&mut self, interval: &Interval) -> f64 {
        // What came in less than a round-trip time is no rate.
        let received_bps = if interval.length_s < interval.rtt_s { 0.0 } else { interval.received_bps };
        match self.rate_bps {
            None => self.begin(received_bps, interval.rtt_s, interval.bottleneck_bps),
            Some(rate_bps) if received_bps <= 0.0 => self.set(rate_bps, interval.bottleneck_bps),
            Some(_) => self.set(received_bps, interval.bottleneck_bps),
        }
    }

    /// At the end of an interval. An interval in which nothing came says nothing of the path, and changes nothing.
    ///
    /// An increase leads to no more than twice what came, or to what the layers up to the next one carry: less would
    /// never let a receiver try a layer that carries more than those below it.
    pub fn end_interval(&mut self, interval: &Interval) -> f64 {
        let Some(rate_bps) = self.rate_bps else { return self.begin_with(interval) };
        if interval.received_bps <= 0.0 {
            return self.set(rate_bps, interval.bottleneck_bps);
        }
        let &Interval { length_s, loss, rtt_s, bottleneck_bps, received_bps, next_level_bps } = interval;
        let wanted_bps = match &mut self.rule {
            ShareRule::Lda(lda) => {
                let bottleneck_bps = bottleneck_bps.unwrap_or(f64::INFINITY);
                lda.next_bps(rate_bps, &lda::Interval { length_s, loss, rtt_s, bottleneck_bps })
            }
            ShareRule::Equation(equation) => equation.next_bps(rate_bps, received_bps, length_s, rtt_s),
        };
        let most_bps = if self.drift_cap { (DRIFT * received_bps).max(next_level_bps) } else { f64::INFINITY };
        self.set(wanted_bps.min(most_bps.max(rate_bps)), bottleneck_bps)
    }

    /// The share where an interval is ended for want of reports: it may only fall.
    pub fn end_unreported(&mut self, interval: &Interval) -> Option<f64> {
        let before_bps = self.rate_bps?;
        let after_bps = self.end_interval(interval);
        let rate_bps = after_bps.min(before_bps);
        self.rate_bps = Some(rate_bps);
        Some(rate_bps)
    }

    fn set(&mut self, rate_bps: f64, bottleneck_bps: Option<f64>) -> f64 {
        let most_bps = bottleneck_bps.map_or(MOST_BPS, |bottleneck_bps| self.bandwidth_share * bottleneck_bps);
        let rate_bps = rate_bps.min(most_bps.min(MOST_BPS)).max(self.least_bps);
        self.rate_bps = Some(rate_bps);
        rate_bps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlda::Lda;

    const INTERVAL: Interval = Interval {
        length_s: 5.0,
        loss: 0.0,
        rtt_s: 0.54,
        bottleneck_bps: Some(300e3),
        received_bps: 100e3,
        next_level_bps: f64::NAN,
    };

    /// A share of 100 kbit/s.
    fn share(config: &Config) -> Share {
        let mut share = Share::new(config);
        assert_eq!(share.begin(100e3, 0.54, None), 100e3);
        share
    }

    fn close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-3, "{value}, not {expected}");
    }

    #[test]
    fn it_begins_with_what_comes_or_two_packets_per_round_trip() {
        let mut share = Share::new(&Config::default());
        assert_eq!(share.rate_bps(), None);
        assert_eq!(share.begin(0.0, 0.5, None), 16_384.0);
        assert_eq!(share.begin(100e3, 0.5, None), 100e3);
        assert_eq!(share.begin(100e3, 0.5, Some(100e3)), 90e3);
    }

    #[test]
    fn what_comes_in_less_than_a_round_trip_is_no_rate() {
        let first = |length_s| Share::new(&Config::default()).end_interval(&Interval { length_s, ..INTERVAL });
        assert_eq!((first(0.54), first(0.53), first(0.0)), (100e3, 8192.0 / 0.54, 8192.0 / 0.54));
    }

    #[test]
    fn it_begins_anew_with_what_came_and_no_more() {
        let mut share = share(&Config::default());
        let after = |share: &mut Share, length_s, received_bps| {
            share.begin_with(&Interval { length_s, received_bps, loss: 0.9, ..INTERVAL })
        };
        assert_eq!(after(&mut share, 5.0, 200e3), 200e3);
        // Nothing, or in less than a round-trip time.
        assert_eq!((after(&mut share, 5.0, 0.0), after(&mut share, 0.5, 90e3)), (200e3, 200e3));
        // Less than two packets per round-trip time, and less than the floor.
        assert_eq!((after(&mut share, 5.0, 6e3), after(&mut share, 5.0, 1.0)), (6e3, 4096.0));
        assert_eq!((after(&mut share, 5.0, 0.0), after(&mut share, 0.5, 90e3)), (4096.0, 4096.0));
        assert_eq!(after(&mut share, 5.0, 900e3), 270e3);
    }

    #[test]
    fn an_interval_by_hand() {
        close(share(&Config::default()).end_interval(&INTERVAL), 116_666.7);
    }

    #[test]
    fn it_stays_within_the_floor_and_nine_tenths_of_the_bottleneck() {
        let mut lda = share(&Config::default());
        for _ in 0..40 {
            lda.end_interval(&Interval { received_bps: 250e3, ..INTERVAL });
        }
        assert_eq!(lda.rate_bps(), Some(270e3));
        // A bottleneck that is less from then on, and loss without end: a packet per second.
        assert_eq!(lda.end_interval(&Interval { bottleneck_bps: Some(200e3), ..INTERVAL }), 180e3);
        for _ in 0..40 {
            lda.end_interval(&Interval { loss: 0.9, received_bps: 1.0, ..INTERVAL });
        }
        assert_eq!(lda.rate_bps(), Some(4096.0));
        assert_eq!(lda.end_interval(&Interval { bottleneck_bps: Some(10.0), ..INTERVAL }), 4096.0);
    }

    #[test]
    fn an_increase_leads_to_twice_what_comes_or_to_the_next_layer() {
        let after = |received_bps, next_level_bps| {
            share(&Config::default()).end_interval(&Interval { received_bps, next_level_bps, ..INTERVAL })
        };
        close(after(55e3, f64::NAN), 110e3);
        close(after(10e3, f64::NAN), 100e3);
        close(after(10e3, 105e3), 105e3);
        close(after(10e3, 90e3), 100e3);
        close(after(10e3, 500e3), 116_666.7);
        let config = Config { lda: Lda { drift_cap: false, ..Lda::default() }, ..Config::default() };
        close(share(&config).end_interval(&Interval { received_bps: 10e3, ..INTERVAL }), 116_666.7);
        // With loss it may rise towards a TCP's, within the same bound.
        let lossy = Interval { loss: 1e-4, received_bps: 55e3, ..INTERVAL };
        close(share(&Config::default()).end_interval(&lossy), 110e3);
    }

    #[test]
    fn without_packets_nothing_changes() {
        let silent = Interval { received_bps: 0.0, loss: 0.2, ..INTERVAL };
        assert_eq!(share(&Config::default()).end_interval(&silent), 100e3);
        let config = Config { lda: Lda { drift_cap: false, ..Lda::default() }, ..Config::default() };
        assert_eq!(share(&config).end_interval(&Interval { loss: 0.0, ..silent }), 100e3);
    }

    #[test]
    fn for_want_of_reports_it_falls_only() {
        assert_eq!(share(&Config::default()).end_unreported(&INTERVAL), Some(100e3));
        // 100·(1 - sqrt(0.25)), as a TCP gets less.
        let lossy = Interval { loss: 0.25, ..INTERVAL };
        assert_eq!(share(&Config::default()).end_unreported(&lossy), Some(50e3));
        assert_eq!(Share::new(&Config::default()).end_unreported(&INTERVAL), None);
    }

    #[test]
    fn the_equation_begins_with_twice_what_comes() {
        let config = Config { rate_rule: RateRule::Equation, ..Config::default() };
        let mut share = share(&config);
        close(share.end_interval(&INTERVAL), 200e3);
        close(share.end_interval(&INTERVAL), 200e3);
        close(share.end_interval(&Interval { received_bps: 150e3, ..INTERVAL }), 270e3);
    }
}
