//! Average windows under periodic loss, against the tables of RFC 9438.

use super::Parameters;
use super::tests::{ack, alone, cubic, window};
use crate::tcp::rule::WindowRule;
use crate::time::Duration;

/// The mean window of the rule alone if one packet in `every` is lost: ACKs come at the pace of the window, and a
/// loss is repaired in no time. It starts with a loss at the window `first`; the mean is that of the last ten of
/// so many losses.
fn mean_window(parameters: Parameters, rtt_s: f64, every: u32, first: f64, losses: u32) -> f64 {
    let (mut rule, mut w) = (cubic(parameters), window(first));
    let rtt = Duration::from_secs_f64(rtt_s);
    let (mut now_s, mut since_s) = (0.0, 0.0);
    for loss in 0..losses {
        rule.on_loss(0, &mut w);
        if loss + 10 == losses {
            since_s = now_s;
        }
        for _ in 0..every {
            now_s += rtt_s / w.cwnd;
            rule.grow(&ack(now_s, &w, rtt), &mut w);
        }
    }
    10.0 * f64::from(every) * rtt_s / (now_s - since_s)
}

/// RFC 9438 section 5.1, Tables 1 and 2: round-trip time, C, 1/p, average window of CUBIC.
const TABLES: &[(f64, f64, u32, f64)] = &[
    (0.1, 0.04, 100, 12.0),
    (0.1, 0.04, 1000, 38.0),
    (0.1, 0.04, 10_000, 120.0),
    (0.1, 0.04, 100_000, 593.0),
    (0.1, 0.4, 100, 12.0),
    (0.1, 0.4, 1000, 38.0),
    (0.1, 0.4, 10_000, 187.0),
    (0.1, 0.4, 100_000, 1054.0),
    (0.1, 0.4, 1_000_000, 5926.0),
    (0.1, 4.0, 100, 12.0),
    (0.1, 4.0, 1000, 59.0),
    (0.1, 4.0, 10_000, 333.0),
    (0.1, 4.0, 100_000, 1874.0),
    (0.01, 0.4, 100, 12.0),
    (0.01, 0.4, 10_000, 120.0),
    (0.01, 0.4, 100_000, 379.0),
    (0.01, 4.0, 100_000, 379.0),
];

/// The tables assume that every loss happens on the plateau, where the function is flat: a loss a little before or
/// behind it moves the plateau by the cube of that little. So the window comes to the tables' slowly (theory: with
/// relative distance e, 1/e^2 grows by 1.125 for each loss), and the long rows start there.
#[test]
fn average_windows_are_those_of_the_rfc() {
    for &(rtt_s, c, every, expected) in TABLES {
        let on_plateau = expected * 4.0 / 3.7;
        let (losses, starts): (u32, &[_]) = match every {
            100_000.. => (11, &[(1.0, false)]),
            _ => (120, &[(0.5, false), (1.5, false), (1.5, true)]),
        };
        for &(start, fast_convergence) in starts {
            let parameters = Parameters { c, fast_convergence, ..Parameters::default() };
            let ratio = mean_window(parameters, rtt_s, every, start * on_plateau, losses) / expected;
            assert!((ratio - 1.0).abs() < 0.1, "{rtt_s} s, C = {c}, 1/p = {every}, from {start}: {ratio}");
        }
    }
}

#[test]
fn the_plateau_is_found_at_the_speed_of_the_theory() {
    // From 1.1 times: 1 / 0.1^2 = 100, and 100 losses later 212, e = 0.0686, to leading order.
    let mean = mean_window(alone(), 0.1, 10_000, 1.1 * 187.0 * 4.0 / 3.7, 105);
    assert!((mean / 187.0 - 1.0686).abs() < 0.006, "{}", mean / 187.0);
}
