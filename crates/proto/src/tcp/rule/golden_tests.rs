//! The twin of CUBIC in plain Python, `reference/cubic.py`, has the same window after the same steps.

use super::cubic::{Cubic, Parameters};
use crate::tcp::window::{Ack, Credit, Window, WindowRule};
use crate::time::{Duration, Instant};
use serde::Deserialize;

#[derive(Deserialize)]
struct Run {
    fast_convergence: bool,
    steps: Vec<Step>,
    #[serde(rename = "cwnd and ssthresh")]
    windows: Vec<(f64, Option<f64>)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    /// When, of how many segments, the round-trip time, and how many were outstanding.
    Ack(String, f64, u32, f64, u32),
    Other((String,)),
}

fn near(ours: f64, twin: f64, what: &str) {
    assert!((ours / twin - 1.0).abs() < 1e-9, "{what}: {ours}, not {twin}");
}

#[test]
fn the_plain_cubic_has_the_same_window() {
    let runs: Vec<Run> = serde_json::from_str(include_str!("../../../../../tests/golden/cubic.json")).expect("golden");
    assert!(!runs.is_empty());
    for Run { fast_convergence, steps, windows } in runs {
        assert!(!steps.is_empty());
        assert_eq!(steps.len(), windows.len());
        let mut rule = Cubic::new(&Parameters { fast_convergence, ..Parameters::default() });
        let mut window = Window { cwnd: 1000.0, ssthresh: f64::INFINITY, wnd: 1e9 };
        for (n, (step, (cwnd, ssthresh))) in steps.iter().zip(windows).enumerate() {
            match step {
                &Step::Ack(ref what, t, newly_acked, rtt_s, outstanding) if what == "ack" => {
                    let flight = outstanding - newly_acked;
                    let rtt = Some(Duration::from_secs_f64(rtt_s));
                    let (arrived, credit) = (Instant((t * 1e9).round() as u64), Credit::of(newly_acked));
                    rule.grow(&Ack { arrived, newly_acked, flight, rtt, srtt: rtt, credit }, &mut window);
                }
                Step::Other((what,)) if what == "loss" => rule.on_loss(0, &mut window),
                Step::Other((what,)) if what == "timeout" => rule.on_timeout(0, &mut window),
                other => panic!("no step {other:?}"),
            }
            near(window.cwnd, cwnd, &format!("cwnd after step {n}, {step:?}"));
            match ssthresh {
                Some(ssthresh) => near(window.ssthresh, ssthresh, &format!("ssthresh after step {n}, {step:?}")),
                None => assert!(window.ssthresh.is_infinite(), "ssthresh after step {n}"),
            }
        }
    }
}
