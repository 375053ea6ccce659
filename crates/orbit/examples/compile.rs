//! Compiles a constellation, for measuring what that costs: `time compile NAME`, with `iridium` (1500 s, six stations),
//! `elements` (the same of the real one), `teledesic` or `walker` (1584 satellites; an hour, ten stations).

use faircast_orbit::constellation::Shell;
use faircast_orbit::elements::ElementSets;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::IslRules;
use faircast_orbit::plan::{Plan, StationPlan};
use faircast_orbit::station::Station;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let sample = || {
        let sets = ElementSets::parse(include_str!("../../../python/faircast/data/iridium-next.json"))?;
        sets.constellation(&sets.latest_epoch(), 6)
    };
    let everywhere = IslRules { max_latitude: 90.0, ..IslRules::IRIDIUM };
    let (constellation, rules, mask, seconds, count) = match &*name {
        "iridium" => (Shell::IRIDIUM.constellation(), IslRules::IRIDIUM, 8.2, 1500.0, 6),
        "elements" => (sample().expect("the sample is legal"), IslRules::IRIDIUM, 8.2, 1500.0, 6),
        "teledesic" => (Shell::TELEDESIC.constellation(), IslRules::TELEDESIC, 40.0, 3600.0, 10),
        "walker" => (Shell::delta(550.0, 53.0, 72, 22, 17).constellation(), everywhere, 25.0, 3600.0, 10),
        other => panic!("{other:?} given; legal is iridium, elements, teledesic, walker"),
    };
    for rule in [HandoffRule::FollowPlane, HandoffRule::Nearest, HandoffRule::LongestLived] {
        let station = |n| StationPlan {
            station: Station::new(constellation.earth, -45.0 + 9.0 * f64::from(n), 30.0 * f64::from(n), 0.0),
            mask,
            rule,
            checks: (1..=360).map(|n| 10.0 * f64::from(n)).collect(),
            outage: 0.0,
        };
        let stations: Vec<StationPlan> = (0..count).map(station).collect();
        let plan = Plan::new(&constellation, &rules, &stations, seconds);
        let knots: usize = plan.isls.iter().flat_map(|(_, spans)| spans).map(|span| span.knots.len()).sum();
        let passes: usize = plan.passes.iter().map(Vec::len).sum();
        println!("{name} {rule:?}: {} links, {knots} knots, {passes} passes", plan.isls.len());
    }
}
