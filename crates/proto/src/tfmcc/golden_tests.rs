//! The twins in plain Python, `reference/tfmcc_sender.py` and `reference/tfmcc_receiver.py`, say the same to the same
//! reports and packets.

use super::config::Config;
use super::feedback::Feedback;
use super::rate_control::RateControl;
use crate::packet::Address;
use crate::time::Instant;
use serde::Deserialize;

fn at(seconds: f64) -> Instant {
    Instant((seconds * 1e9).round() as u64)
}

fn near(ours: f64, twin: f64, what: &str) {
    assert!((ours / twin - 1.0).abs() < 1e-6, "{what}: {ours}, not {twin}");
}

#[derive(Deserialize)]
struct Reports {
    config: Config,
    /// t, who, rate, rtt, have_rtt, have_loss, leave, round.
    reports: Vec<(f64, u32, f64, f64, bool, bool, bool, u64)>,
    /// X before each, and X, R_max, X_supp, CLR, round after it.
    states: Vec<(f64, f64, f64, Option<f64>, u32, u64)>,
}

#[test]
fn the_plain_sender_does_the_same() {
    let golden: Reports =
        serde_json::from_str(include_str!("../../../../tests/golden/tfmcc_sender.json")).expect("golden");
    assert_eq!(golden.config.check(), []);
    let mut control = RateControl::new(&golden.config);
    control.begin(Instant::ZERO);
    for (n, (&report, &state)) in golden.reports.iter().zip(&golden.states).enumerate() {
        let (t, who, rate_bps, rtt_s, have_rtt, have_loss, leave, round) = report;
        let now = at(t);
        while control.deadline() <= now {
            let due = control.deadline();
            control.advance(due);
            control.pass(due);
        }
        control.advance(now);
        let (x_before, x, r_max, x_supp, clr, round_after) = state;
        let what = format!("report {n} at {t} s");
        near(control.rate_bps(), x_before, &format!("X before {what}"));
        let (receiver, round) = (Address::endpoint(who), round as u8);
        let feedback = Feedback { receiver, rate_bps, rtt_s, reckoned_s: rtt_s, have_rtt, have_loss, leave, round };
        control.hear(now, &feedback).expect("it says something");
        control.pass(now);
        near(control.rate_bps(), x, &format!("X after {what}"));
        near(control.max_rtt_s(), r_max, &format!("R_max after {what}"));
        match x_supp {
            Some(x_supp) => near(control.suppression_bps(), x_supp, &format!("X_supp after {what}")),
            None => assert!(control.suppression_bps().is_infinite(), "X_supp after {what}"),
        }
        assert_eq!(control.clr().map_or(0, |clr| clr.index() as u32), clr, "the CLR after {what}");
        assert_eq!(u64::from(control.round()), round_after % 256, "the round after {what}");
    }
}
