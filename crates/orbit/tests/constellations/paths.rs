//! Ways through a constellation.

use crate::{checks, delay, nanos};
use faircast_orbit::constellation::Shell;
use faircast_orbit::earth::Earth;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::IslRules;
use faircast_orbit::plan::{Pass, Plan, StationPlan};
use faircast_orbit::station::Station;

/// The least delay from one station to another at a moment, s: Bellman and Ford over the links that are up.
fn shortest(plan: &Plan, satellites: usize, [a, b]: [usize; 2], at: u64) -> f64 {
    let up =
        |station: usize| plan.passes[station].iter().find(|pass| (pass.span.from()..pass.span.until()).contains(&at));
    let [first, last] = [a, b].map(|station| up(station).expect("always one"));
    let leg = |pass: &Pass| delay(&pass.span, at);
    let mut links = Vec::new();
    for (isl, spans) in &plan.isls {
        if let Some(span) = spans.iter().find(|span| (span.from()..span.until()).contains(&at)) {
            links.push((isl.ends, delay(span, at)));
        }
    }
    let mut best = vec![f64::INFINITY; satellites];
    best[first.satellite] = leg(first);
    loop {
        let before = best.clone();
        for &([one, other], length) in &links {
            best[one] = best[one].min(best[other] + length);
            best[other] = best[other].min(best[one] + length);
        }
        if best == before {
            return best[last.satellite] + leg(last);
        }
    }
}

#[test]
fn from_berkeley_to_boston_it_is_20_to_51_ms() {
    let iridium = Shell::IRIDIUM.constellation();
    let at = |latitude, longitude| StationPlan {
        station: Station::new(Earth::Sphere, latitude, longitude, 0.0),
        mask: 8.2,
        rule: HandoffRule::FollowPlane,
        checks: checks(10.0, 6000.0),
        outage: 0.0,
    };
    // The ends of ns-2's example.
    let plan = Plan::new(&iridium, &IslRules::IRIDIUM, &[at(37.9, -122.3), at(42.3, -71.1)], 6000.0);
    let delays: Vec<f64> =
        (0..600).map(|step| shortest(&plan, 66, [0, 1], nanos(10.0 * f64::from(step) + 3.7))).collect();
    let least = delays.iter().copied().fold(f64::INFINITY, f64::min);
    let most = delays.iter().copied().fold(0.0, f64::max);
    assert!(least > 0.020 && most < 0.051, "{least} to {most} s");
    // It takes all of that range, for it goes up and down through one, two or more satellites.
    assert!(least < 0.024 && most > 0.045, "{least} to {most} s");
    for passes in &plan.passes {
        // About every nine minutes: 6000 s are eleven of them.
        let handoffs = passes.len() - 1;
        assert!((10..=13).contains(&handoffs), "{handoffs}");
        for pair in passes.windows(2) {
            assert_eq!(pair[0].span.until(), pair[1].span.from(), "never without");
            assert_ne!(pair[0].satellite, pair[1].satellite);
        }
    }
}
