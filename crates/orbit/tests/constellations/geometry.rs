//! What ns-2's example of an Iridium-like constellation comes to by its own formulas, within 0.1 %.

use crate::checks;
use faircast_orbit::constellation::Shell;
use faircast_orbit::earth::Earth;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::{IslKind, IslRules};
use faircast_orbit::plan::{Plan, StationPlan};
use faircast_orbit::station::Station;
use faircast_orbit::vector::Vector;

fn near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 0.001, "{value}; expected {expected}");
}

#[test]
fn periods() {
    near(Shell::IRIDIUM.period(), 6026.96);
    // "Orbital period = 6794 sec" in ns-2's Teledesic.
    near(Shell::TELEDESIC.period(), 6794.0);
}

#[test]
fn links_between_satellites_have_their_delays() {
    let iridium = Shell::IRIDIUM.constellation();
    let plan = Plan::new(&iridium, &IslRules::IRIDIUM, &[], Shell::IRIDIUM.period());
    // Least and most by the plane of the first end: from unshifted to shifted planes, and from shifted to unshifted.
    let mut least = [f64::INFINITY; 2];
    let mut most = [0.0_f64; 2];
    for (isl, spans) in &plan.isls {
        let delays = spans.iter().flat_map(|span| &span.knots).map(|knot| knot.delay as f64 / 1e6);
        match isl.kind {
            IslKind::InPlane => delays.for_each(|delay| near(delay, 13.45)),
            _ => {
                let from = iridium.satellites[isl.ends[0]].plane % 2;
                for delay in delays {
                    (least[from], most[from]) = (least[from].min(delay), most[from].max(delay));
                }
            }
        }
    }
    // A link is looked at every 10 s only: at 60° and 7.5 km/s that is 75 km along the orbit, of which the length feels
    // little, so a wider margin.
    let roughly = |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 0.01, "{value}, not {expected}");
    roughly(least[0], 10.85);
    near(most[0], 14.91);
    roughly(least[1], 9.83);
    near(most[1], 14.19);
    let first = plan.isls.iter().find(|(isl, _)| isl.ends == [0, 11]).expect("slot 0 of planes 1 and 2");
    near(first.1[0].knots[0].delay as f64 / 1e6, 14.797);
    assert_eq!(first.1[0].from(), 0);
}

#[test]
fn ground_links_have_their_delays_and_passes_their_length() {
    // From the pole, below an orbit over the pole, the Earth's turning is not felt, and every pass is the longest: 2 ·
    // 19.92° of the circle. One satellite, looked at every tenth of a second.
    let lone = Shell { planes: 1, slots: 1, inclination: 90.0, ..Shell::IRIDIUM }.constellation();
    let pole = StationPlan {
        station: Station::new(Earth::Sphere, 90.0, 0.0, 0.0),
        mask: 8.2,
        rule: HandoffRule::FollowPlane,
        checks: checks(0.1, 19_000.0),
        outage: 0.0,
    };
    let plan = Plan::new(&lone, &IslRules::NONE, &[pole], 19_000.0);
    let lengths: Vec<u64> = plan.passes[0].iter().map(|pass| pass.span.until() - pass.span.from()).collect();
    assert_eq!(lengths.len(), 3);
    for &length in &lengths {
        near(length as f64 / 1e9, 667.0);
    }
    near(2.0 * 19.92 / 360.0 * Shell::IRIDIUM.period(), 667.0);
    // From mask to mask: 2464.6 km at both ends, 780 km between them.
    let span = &plan.passes[0][1].span;
    for end in [span.knots[0], span.knots[span.knots.len() - 1]] {
        near(end.delay as f64 / 1e9 * Earth::Sphere.light(), 2464.6);
    }
    let middle = crate::delay(span, (span.from() + span.until()) / 2);
    near(middle * Earth::Sphere.light(), 780.0);
    near(middle, 0.002_601_8);
    near(span.knots[0].delay as f64 / 1e9, 0.008_22);
}

#[test]
fn the_footprint_reaches_19_92_degrees() {
    let [inside, outside] = [19.90_f64, 19.94].map(|degrees| {
        let (sin, cos) = libm::sincos(degrees.to_radians());
        let station = Station::new(Earth::Sphere, 0.0, 0.0, 0.0);
        station.elevation(Vector { x: 7158.0 * cos, y: 7158.0 * sin, z: 0.0 }).to_degrees()
    });
    assert!(inside > 8.2 && outside < 8.2, "{inside} {outside}");
}
