//! The twin in plain Python, `reference/pgmcc_window.py`, has the same window after the same steps.

use super::acker::{replaces, slowness};
use super::config::Config;
use super::loss_filter::LossFilter;
use super::window_control::WindowControl;
use crate::packet::Address;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    steps: Vec<Step>,
    /// W, T and the number of packets outstanding after each.
    states: Vec<(f64, f64, u64)>,
    fates: [Vec<u8>; 1],
    #[serde(rename = "loss rates")]
    loss_rates: Vec<f64>,
    /// Round-trip time and loss rate of a receiver and of the acker, M of the receiver, and whether it replaces it.
    pairs: Vec<(f64, f64, f64, f64, f64, bool)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    /// From whom, the highest number and the bitmap.
    Ack(String, u32, u32, u32),
    /// The acker that is named; 0 = none.
    Send(String, u32),
    Other((String,)),
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../../tests/golden/pgmcc_window.json")).expect("golden")
}

fn near(ours: f64, twin: f64, what: &str) {
    assert!((ours - twin).abs() < 1e-6, "{what}: {ours}, not {twin}");
}

#[test]
fn the_plain_source_has_the_same_window() {
    let Golden { steps, states, .. } = golden();
    assert!(!steps.is_empty());
    assert_eq!(steps.len(), states.len());
    let mut control = WindowControl::new(Config::default().ssthresh.0);
    for (n, (step, (window, tokens, outstanding))) in steps.iter().zip(states).enumerate() {
        match step {
            &Step::Send(ref what, acker) if what == "send" => {
                control.send((acker > 0).then(|| Address::endpoint(acker)));
            }
            &Step::Ack(ref what, from, highest, bitmap) if what == "ack" => {
                control.hear(Address::endpoint(from), highest, bitmap).expect("it has been sent");
            }
            Step::Other((what,)) if what == "restart" => control.restart(),
            Step::Other((what,)) if what == "elected" => control.elected(),
            other => panic!("no step {other:?}"),
        }
        near(control.window(), window, &format!("W after step {n}, {step:?}"));
        near(control.tokens(), tokens, &format!("T after step {n}, {step:?}"));
        assert_eq!(control.outstanding(), outstanding, "after step {n}, {step:?}");
    }
}

#[test]
fn the_plain_filter_has_the_same_loss_rate() {
    let Golden { fates: [fates], loss_rates, .. } = golden();
    assert!(!fates.is_empty());
    assert_eq!(fates.len(), loss_rates.len());
    let mut filter = LossFilter::new(Config::default().loss_weight);
    for (fate, rate) in fates.into_iter().zip(loss_rates) {
        if fate == 1 {
            filter.lose(1)
        } else {
            filter.receive()
        }
        assert!((filter.rate() - rate).abs() < 1e-9, "{}, not {rate}", filter.rate());
    }
}

#[test]
fn the_plain_choice_of_the_acker_is_the_same() {
    let Config { throughput, bias, .. } = Config::default();
    let pairs = golden().pairs;
    assert!(!pairs.is_empty());
    for (rtt, p, acker_rtt, acker_p, slow, verdict) in pairs {
        let ours = slowness(throughput, rtt, p);
        near(ours, slow, "M");
        assert_eq!(replaces(ours, slowness(throughput, acker_rtt, acker_p), bias), verdict, "{rtt} {p}");
    }
}
