//! Compiles three constellations by the three rules of hand-off, for measuring what that costs.

use faircast_orbit::constellation::Shell;
use faircast_orbit::earth::Earth;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::IslRules;
use faircast_orbit::plan::{Plan, StationPlan};
use faircast_orbit::station::Station;

fn main() {
    for (name, shell, rules, seconds) in [
        ("iridium", Shell::IRIDIUM, IslRules::IRIDIUM, 6000.0),
        ("teledesic", Shell::TELEDESIC, IslRules::TELEDESIC, 3600.0),
        ("1584", Shell::delta(550.0, 53.0, 72, 22, 17), IslRules { max_latitude: 90.0, ..IslRules::IRIDIUM }, 3600.0),
    ] {
        let constellation = shell.constellation();
        for rule in [HandoffRule::FollowPlane, HandoffRule::Nearest, HandoffRule::LongestLived] {
            let stations: Vec<StationPlan> = (0..10)
                .map(|n| StationPlan {
                    station: Station::new(Earth::Sphere, -45.0 + 9.0 * f64::from(n), 30.0 * f64::from(n), 0.0),
                    mask: 25.0_f64.min(if name == "iridium" { 8.2 } else { 25.0 }),
                    rule,
                    checks: (1..=600).map(|n| 10.0 * f64::from(n)).collect(),
                    outage: 0.0,
                })
                .collect();
            let plan = Plan::new(&constellation, &rules, &stations, seconds);
            let knots: usize = plan.isls.iter().flat_map(|(_, spans)| spans).map(|span| span.knots.len()).sum();
            let passes: usize = plan.passes.iter().map(Vec::len).sum();
            println!("{name} {rule:?}: {} links, {knots} knots, {passes} passes", plan.isls.len());
        }
    }
}
