//! What the two ends do together.

use super::*;
use crate::endpoint::Endpoint;
use crate::packet::{Address, FlowId};
use crate::parts::throughput_equation::throughput_bps;
use crate::quantity::{Bytes, Packets};
use crate::random::Random;
use crate::testing::{Fate, Pair, Side};
use crate::time::{Duration, Instant};

fn ends(config: &Config) -> (Sender, Receiver) {
    assert_eq!(config.check(), []);
    let (flow, own, peer) = (FlowId(0), Address::endpoint(0), Address::endpoint(1));
    let sender = Sender::new(config, flow, own, peer, Random::stream(1, "test/jitter"));
    (sender, Receiver::new(config, flow, peer, own))
}

#[test]
fn throughput_follows_the_equation() {
    for (variant, tolerance) in [(Variant::Reno, 0.25), (Variant::NewReno, 0.15), (Variant::Sack, 0.15)] {
        let rto_min = Duration::from_millis(200);
        let config = Config { variant, wnd: Packets(1000.0), hdr: Bytes(0), rto_min, ..Config::default() };
        let (sender, receiver) = ends(&config);
        let mut random = Random::stream(2, "test/loss");
        let mut pair = Pair::new(sender, receiver, Duration::from_millis(50), |side, _| {
            if side == Side::Left && random.chance(0.01) { Fate::Lose } else { Fate::Deliver }
        });
        pair.run_until(Instant::from_secs_f64(2000.0));
        let rate_bps = pair.right.report().distinct_bytes as f64 * 8.0 / 2000.0;
        let ratio = rate_bps / throughput_bps(1000.0, 0.1, 0.01);
        assert!((ratio - 1.0).abs() < tolerance, "{}: {ratio}", variant.name());
    }
}
