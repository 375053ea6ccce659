//! A sender whose driver is late: acknowledgements wait until they are handed in.

use super::*;
use crate::testing::gauge;

/// 2 % of all segments are lost, and the driver of the sender looks every 45 ms if it is `late`: the mean smoothed
/// round-trip time in seconds, the rate in bit/s.
fn measured(config: &Config, late: bool) -> (f64, f64) {
    let (sender, receiver) = ends(config);
    let mut random = Random::stream(1, "test/loss");
    let lossy = move |side, _: &Packet| {
        if side == Side::Left && random.chance(0.02) { Fate::Lose } else { Fate::Deliver }
    };
    let batch = Duration::from_millis(45).0;
    let mut pair = Pair::new(sender, receiver, DELAY, lossy).with_late_packets(move |side, arrived| {
        if late && side == Side::Left { Instant(arrived.0.next_multiple_of(batch)) } else { arrived }
    });
    let mut sum = 0.0;
    const LOOKS: u32 = 3000;
    for look in 1..=LOOKS {
        pair.run_until(seconds(10.0 + 0.1 * f64::from(look)));
        sum += gauge(&pair.left, "srtt");
    }
    (sum / f64::from(LOOKS), 8.0 * pair.right.report().distinct_bytes as f64 / pair.now().as_secs_f64())
}

#[test]
fn round_trips_end_when_acknowledgements_arrive() {
    for variant in [Variant::Sack, Variant::Cubic] {
        for timestamps in [false, true] {
            let config = Config {
                variant: variant.clone(),
                timestamps,
                rto_min: Duration::from_millis(200),
                ..Config::default()
            };
            let (exact, late) = (measured(&config, false), measured(&config, true));
            assert!((exact.0 - 0.1).abs() < 0.001 && (late.0 - 0.1).abs() < 0.001, "{exact:?} {late:?}");
            // Its segments wait for the driver all the same: 135 ms from one window to the next.
            assert!(late.1 < exact.1 && late.1 > 0.6 * exact.1, "{exact:?} {late:?}");
        }
    }
}
