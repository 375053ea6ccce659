//! The twin in plain Python, `reference/mecn_tcp.py`, echoes the same levels and has the same window.

use super::config::{Config, EcnMode};
use super::congestion_echo::{EchoResponse, Latch};
use super::window::Window;
use crate::packet::Ecn;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    /// Level and CWR of each segment that arrives, and the level that is echoed then.
    segments: Vec<(usize, bool, usize)>,
    /// What happens, of which level or by how many segments, and the window and the threshold after it.
    steps: Vec<(String, usize, f64, f64)>,
}

const LEVELS: [Ecn; 4] = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate];

#[test]
fn the_plain_ends_of_mecn_do_the_same() {
    let golden: Golden = serde_json::from_str(include_str!("../../../../tests/golden/mecn_tcp.json")).expect("golden");
    assert!(!golden.segments.is_empty() && !golden.steps.is_empty());
    let config = Config { ecn: EcnMode::Mecn, ..Config::default() };
    let mut latch = Latch::new(&config);
    for (n, (level, window_reduced, echo)) in golden.segments.into_iter().enumerate() {
        latch.on_segment(LEVELS[level], window_reduced);
        assert_eq!(latch.echo(), LEVELS[echo], "segment {n}");
    }
    let mut response = EchoResponse::new(&config, 0.5);
    let mut window = Window { cwnd: 100.0, ssthresh: 1e9, wnd: 1e9 };
    for (n, (what, number, cwnd, ssthresh)) in golden.steps.into_iter().enumerate() {
        match what.as_str() {
            "grow" => window.cwnd += number as f64,
            "first" => window.scale(response.first(LEVELS[number])),
            "further" => {
                if let Some(factor) = response.further(LEVELS[number]) {
                    window.scale(factor);
                }
            }
            "loss" => {
                let factor = response.loss();
                if factor < 1.0 {
                    window.scale(factor);
                }
            }
            other => panic!("no step {other}"),
        }
        for (ours, twin) in [(window.cwnd, cwnd), (window.ssthresh, ssthresh)] {
            assert!((ours / twin - 1.0).abs() < 1e-9, "step {n}, {what}: {ours}, not {twin}");
        }
    }
}
