//! LDA+: the TCP-friendly share of a receiver from loss, round-trip time and bottleneck, once per interval.
//!
//! Without loss the share grows by the least of three increases: what doubles per interval at most, what vanishes
//! towards the bottleneck, and what a TCP would add. With loss it falls, but not below what a TCP would get at that
//! loss.

use super::config::LossRule;

/// The share of one receiver.
#[derive(Clone, Debug)]
pub struct LdaPlus {
    terms: Terms,
    /// A of the interval before, bit/s.
    increase_bps: f64,
}

/// What does not change in a session.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// M, the size of a packet on the wire, bytes.
    pub packet_bytes: f64,
    /// A0, the increase to begin with, bit/s.
    pub first_increase_bps: f64,
    /// What the share becomes with loss.
    pub loss_rule: LossRule,
    /// D, packets per acknowledgement of the TCP to be like.
    pub acked_packets: f64,
    /// t_out, the time-out of that TCP, in round-trip times.
    pub timeout_rtts: f64,
}

/// What an interval was like.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// T, its length, seconds.
    pub length_s: f64,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// τ, the round-trip time, seconds.
    pub rtt_s: f64,
    /// R, rate of the bottleneck, bit/s; infinite if it is not known.
    pub bottleneck_bps: f64,
}

/// The increases of an interval without loss, bit/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Increases {
    /// At most twice that of the interval before, and more for small shares of the bottleneck.
    pub(super) a1_bps: f64,
    /// Vanishes where the share comes up to the bottleneck.
    pub(super) a2_bps: f64,
    /// What a TCP adds in the interval.
    pub(super) a3_bps: f64,
}

impl LdaPlus {
    /// No interval has passed.
    pub fn new(terms: Terms) -> LdaPlus {
        LdaPlus { terms, increase_bps: terms.first_increase_bps }
    }

    /// The share after an interval in which it was `rate_bps`, without the bounds that it is held within.
    pub fn next_bps(&mut self, rate_bps: f64, interval: &Interval) -> f64 {
        let Increases { a1_bps, a2_bps, a3_bps } = self.increases(rate_bps, interval);
        if interval.loss > 0.0 {
            self.increase_bps = self.terms.first_increase_bps;
            let tcp_bps = self.tcp_bps(interval.loss, interval.rtt_s);
            let like_tcp_bps = tcp_bps.min(rate_bps + a3_bps);
            return match self.terms.loss_rule {
                LossRule::Max => (rate_bps * (1.0 - interval.loss.sqrt())).max(like_tcp_bps),
                LossRule::Equation => like_tcp_bps,
            };
        }
        let increase_bps = a1_bps.min(a2_bps).min(a3_bps).max(0.0);
        self.increase_bps = if increase_bps > 0.0 { increase_bps } else { self.terms.first_increase_bps };
        rate_bps + increase_bps
    }

    /// Rate of a TCP at this share of packets lost, bit/s.
    ///
    /// ```text
    ///                                  8 M
    /// r_TCP = -----------------------------------------------------------------     t_out = 4 τ
    ///         τ·sqrt(2·D·l/3) + t_out·min(1, 3·sqrt(3·D·l/8))·l·(1 + 32·l²)
    /// ```
    ///
    /// In the TCP equation of RFC 5348 the second factor has no least: they are the same up to l = 8/(27 D).
    pub fn tcp_bps(&self, loss: f64, rtt_s: f64) -> f64 {
        let Terms { packet_bytes, acked_packets, timeout_rtts, .. } = self.terms;
        let timeouts = (3.0 * (3.0 * acked_packets * loss / 8.0).sqrt()).min(1.0);
        let time_s = rtt_s * (2.0 * acked_packets * loss / 3.0).sqrt()
            + timeout_rtts * rtt_s * timeouts * loss * (1.0 + 32.0 * loss * loss);
        8.0 * packet_bytes / time_s
    }

    /// What the three increases are.
    pub(super) fn increases(&self, rate_bps: f64, interval: &Interval) -> Increases {
        let &Interval { length_s, rtt_s, bottleneck_bps, .. } = interval;
        let used = rate_bps / bottleneck_bps;
        Increases {
            a1_bps: (2.0 - used) * self.increase_bps,
            a2_bps: -libm::expm1(used - 1.0) * rate_bps,
            a3_bps: 8.0 * self.terms.packet_bytes * (length_s / rtt_s + 1.0) / (2.0 * rtt_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::throughput_equation::throughput_with_bps;

    const TERMS: Terms = Terms {
        packet_bytes: 512.0,
        first_increase_bps: 10e3,
        loss_rule: LossRule::Max,
        acked_packets: 1.0,
        timeout_rtts: 4.0,
    };
    const INTERVAL: Interval = Interval { length_s: 5.0, loss: 0.0, rtt_s: 0.54, bottleneck_bps: 300e3 };

    fn close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-3, "{value}, not {expected}");
    }

    #[test]
    fn increases_by_hand() {
        // (2 - 1/3)·10 = 16.67; (1 - exp(-2/3))·100 = 48.66; 4096·(5/0.54 + 1)/1.08 = 38 909.
        let mut lda = LdaPlus::new(TERMS);
        let Increases { a1_bps, a2_bps, a3_bps } = lda.increases(100e3, &INTERVAL);
        close(a1_bps, 16_666.7);
        close(a2_bps, 48_658.3);
        close(a3_bps, 38_909.2);
        close(lda.next_bps(100e3, &INTERVAL), 116_666.7);
        // (2 - 0.38889)·16.667 = 26.85, less than the other two.
        close(lda.next_bps(116_666.7, &INTERVAL), 116_666.7 + 26_852.0);
        // The third would be (2 - 0.4784)·26.852 = 40.86; a TCP adds less.
        close(lda.next_bps(143_518.7, &INTERVAL), 143_518.7 + 38_909.2);
    }

    #[test]
    fn the_rate_of_a_tcp_by_hand() {
        let tcp = |rtt_s, acked_packets| LdaPlus::new(Terms { acked_packets, ..TERMS }).tcp_bps(4.088e-3, rtt_s);
        for (rtt_s, acked_packets, expected) in
            [(0.54, 1.0, 140_138.0), (0.60, 1.0, 126_124.0), (0.70, 1.0, 108_107.0), (0.54, 2.0, 99_093.0)]
        {
            let rate = tcp(rtt_s, acked_packets);
            assert!((rate - expected).abs() < 1.0, "{rtt_s} s, {acked_packets} packets: {rate}");
        }
    }

    #[test]
    fn the_equation_is_that_of_rfc_5348_up_to_where_time_outs_are_sure() {
        let lda = LdaPlus::new(TERMS);
        for loss in [1e-8, 1e-4, 0.05, 8.0 / 27.0 - 1e-9] {
            close(lda.tcp_bps(loss, 0.1), throughput_with_bps(512.0, 0.1, loss, 1.0, 0.4));
        }
        // l = 0.9: sqrt(0.6) = 0.774597, and 4·0.9·(1 + 32·0.81) = 96.912; 4096/(0.54·97.6866) = 77.648.
        close(lda.tcp_bps(0.9, 0.54), 77.648);
        assert!(lda.tcp_bps(0.9, 0.54) > throughput_with_bps(512.0, 0.54, 0.9, 1.0, 4.0 * 0.54));
        close(lda.tcp_bps(1.0, 0.54), 57.110);
    }

    #[test]
    fn loss_lowers_to_what_a_tcp_would_get() {
        let lossy = |loss| Interval { loss, ..INTERVAL };
        let mut lda = LdaPlus::new(TERMS);
        // Far above a TCP: by the square root of the loss. 0.01: a TCP gets 4096/(0.54·(0.0816497 + 0.00737198)) =
        // 85 207, and 280·0.9 = 252.
        close(lda.next_bps(280e3, &lossy(0.01)), 252e3);
        // Near it: down to what it gets.
        close(lda.next_bps(90e3, &lossy(0.01)), 85_207.0);
        // Below it: up, but by no more than it would add.
        close(lda.next_bps(60e3, &lossy(0.01)), 85_207.0);
        close(lda.next_bps(40e3, &lossy(0.01)), 78_909.2);
        // The other rule takes what a TCP gets wherever that is.
        let mut lda = LdaPlus::new(Terms { loss_rule: LossRule::Equation, ..TERMS });
        close(lda.next_bps(280e3, &lossy(0.01)), 85_207.0);
        close(lda.next_bps(40e3, &lossy(0.01)), 78_909.2);
    }

    #[test]
    fn a_loss_begins_increases_anew() {
        let mut lda = LdaPlus::new(TERMS);
        lda.next_bps(50e3, &INTERVAL);
        lda.next_bps(50e3, &INTERVAL);
        // 18.33, then the second: 50·(1 - exp(-5/6)) = 28.27, and 11/6 of that.
        close(lda.increases(50e3, &INTERVAL).a1_bps, 51_828.5);
        lda.next_bps(50e3, &Interval { loss: 1e-3, ..INTERVAL });
        close(lda.increases(50e3, &INTERVAL).a1_bps, 11.0 / 6.0 * 10e3);
    }

    #[test]
    fn at_the_bottleneck_nothing_is_added_and_increases_begin_anew() {
        for rate_bps in [300e3, 400e3, 700e3] {
            let mut lda = LdaPlus::new(TERMS);
            assert_eq!(lda.next_bps(rate_bps, &INTERVAL), rate_bps);
            close(lda.increases(150e3, &INTERVAL).a1_bps, 15e3);
        }
    }

    #[test]
    fn without_a_bottleneck_the_first_two_are_bounded_all_the_same() {
        let mut lda = LdaPlus::new(TERMS);
        let unknown = Interval { bottleneck_bps: f64::INFINITY, ..INTERVAL };
        let Increases { a1_bps, a2_bps, .. } = lda.increases(20e3, &unknown);
        close(a1_bps, 20e3);
        // (1 - 1/e)·20
        close(a2_bps, 12_642.4);
        close(lda.next_bps(20e3, &unknown), 32_642.4);
    }

    #[test]
    fn any_interval_gives_a_rate() {
        for loss in [0.0, 1e-12, 0.1, 0.9, 1.0] {
            for length_s in [1e-3, 5.0, 600.0] {
                for rtt_s in [1e-3, 0.5, 60.0] {
                    for bottleneck_bps in [1.0, 300e3, 1e11, f64::INFINITY] {
                        let mut lda = LdaPlus::new(TERMS);
                        let interval = Interval { length_s, loss, rtt_s, bottleneck_bps };
                        for rate_bps in [1.0, 1e5, 1e9] {
                            let next_bps = lda.next_bps(rate_bps, &interval);
                            assert!(next_bps.is_finite() && next_bps >= 0.0, "{interval:?}: {next_bps}");
                            assert!(loss > 0.0 || next_bps >= rate_bps, "no loss lowers nothing");
                        }
                    }
                }
            }
        }
    }
}
