//! What holds for the plan of any constellation.

use crate::{Draws, checks, delay, nanos};
use faircast_orbit::constellation::{Constellation, Phasing, Shell};
use faircast_orbit::earth::Earth;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::{Isl, IslKind, IslRules};
use faircast_orbit::plan::{Plan, Span, StationPlan};
use faircast_orbit::station::Station;
use faircast_orbit::vector::Vector;

const LIGHT: f64 = 299_793.0;

fn place(constellation: &Constellation, satellite: usize, at: u64) -> Vector {
    constellation.satellites[satellite].orbit.position(at as f64 / 1e9).expect("circles do not end")
}

/// A shell of any shape: inclinations from the equator to retrograde, one plane, one satellite.
fn any_shell(draws: &mut Draws) -> Shell {
    let inclination = [0.0, 180.0, 90.0, 86.4, draws.between(0.0, 180.0)][draws.whole(0, 4) as usize];
    let altitude = draws.between(300.0, 2000.0);
    let (planes, slots) = (draws.whole(1, 7), draws.whole(1, 12));
    let parts = draws.whole(0, planes - 1);
    let shell = match draws.whole(0, 2) {
        0 => Shell::delta(altitude, inclination, planes, slots, parts),
        1 => Shell::star(altitude, inclination, planes, slots, parts),
        _ => Shell { altitude, inclination, planes, slots, phasing: Phasing::Alternate, ..Shell::IRIDIUM },
    };
    Shell { offset: draws.between(0.0, 10_000.0), ..shell }
}

/// A station anywhere, the poles and the antimeridian among them.
fn any_station(draws: &mut Draws) -> StationPlan {
    let [latitude, longitude] = [
        [90.0, 12.0],
        [-90.0, 0.0],
        [10.0, 180.0],
        [-37.0, -180.0],
        [draws.between(-90.0, 90.0), draws.between(-180.0, 180.0)],
    ][draws.whole(0, 4) as usize];
    let rules = [HandoffRule::FollowPlane, HandoffRule::Nearest, HandoffRule::LongestLived];
    let mut looks = Vec::new();
    while looks.last().is_none_or(|&last| last < 2000.0) {
        looks.push(looks.last().unwrap_or(&0.0) + draws.between(5.0, 15.0));
    }
    StationPlan {
        station: Station::new(Earth::Sphere, latitude, longitude, draws.between(0.0, 3.0)),
        mask: draws.between(0.0, 30.0),
        rule: rules[draws.whole(0, 2) as usize],
        checks: looks,
        outage: [0.0, 0.7, 12.0][draws.whole(0, 2) as usize],
    }
}

fn in_order(spans: &[&Span]) {
    for span in spans {
        assert!(span.from() < span.until());
        assert!(span.knots.windows(2).all(|pair| pair[0].at < pair[1].at));
    }
    assert!(spans.windows(2).all(|pair| pair[0].until() <= pair[1].from()));
}

#[test]
fn spans_are_apart_and_delays_are_those_of_the_geometry() {
    let mut draws = Draws(1);
    for round in 0..60 {
        let shell = any_shell(&mut draws);
        let constellation = shell.constellation();
        let rules = IslRules {
            in_plane: draws.whole(0, 3) as usize,
            between_planes: draws.whole(0, 9) as usize,
            cross_seam: draws.whole(0, 1) == 1,
            max_latitude: draws.between(20.0, 90.0),
            ..IslRules::IRIDIUM
        };
        let stations: Vec<StationPlan> = (0..3).map(|_| any_station(&mut draws)).collect();
        let plan = Plan::new(&constellation, &rules, &stations, 2000.0);
        let said = format!("round {round}: {shell:?} {rules:?}");
        for (isl, spans) in &plan.isls {
            in_order(&spans.iter().collect::<Vec<_>>());
            assert!(isl.ends[0] < isl.ends[1], "{said}");
            for span in spans {
                for _ in 0..20 {
                    let at = span.from() + (draws.next() * (span.until() - span.from()) as f64) as u64;
                    let [a, b] = isl.ends.map(|end| place(&constellation, end, at));
                    assert!((delay(span, at) - a.distance(b) / LIGHT).abs() < 1e-6, "{said} {isl:?} at {at}");
                }
            }
        }
        let mut ends: Vec<[usize; 2]> = plan.isls.iter().map(|(isl, _)| isl.ends).collect();
        ends.dedup();
        assert_eq!(ends.len(), plan.isls.len(), "{said}: one link between two");
        for (passes, plan) in plan.passes.iter().zip(&stations) {
            in_order(&passes.iter().map(|pass| &pass.span).collect::<Vec<_>>());
            for pass in passes {
                for _ in 0..20 {
                    let at = pass.span.from() + (draws.next() * (pass.span.until() - pass.span.from()) as f64) as u64;
                    let length = plan.station.distance(place(&constellation, pass.satellite, at));
                    assert!((delay(&pass.span, at) - length / LIGHT).abs() < 1e-6, "{said} at {at}");
                }
            }
        }
    }
}

#[test]
fn links_are_up_by_latitude_and_sight_and_nothing_else() {
    let mut draws = Draws(2);
    let mut seen = [0; 2];
    for round in 0..40 {
        let shell = any_shell(&mut draws);
        let constellation = shell.constellation();
        let rules =
            IslRules { in_plane: 2, between_planes: 2, max_latitude: draws.between(0.0, 90.0), ..IslRules::IRIDIUM };
        let plan = Plan::new(&constellation, &rules, &[], 1000.0);
        let listed = rules.links(&constellation);
        for (isl, _) in &plan.isls {
            assert!(listed.contains(isl));
        }
        for check in 0..100 {
            let at = nanos(10.0 * f64::from(check));
            for isl in &listed {
                let [a, b] = isl.ends.map(|end| place(&constellation, end, at));
                // Both as high: the way is nearest to the centre in its middle.
                let clears = (a + b).length() / 2.0 >= 6528.0;
                let low = [a, b].iter().all(|place| place.latitude().to_degrees().abs() <= rules.max_latitude);
                let expected = clears && (isl.kind == IslKind::InPlane || low);
                let spans = plan.isls.iter().find(|(other, _)| other == isl).map_or(&[][..], |(_, spans)| spans);
                // All the time from this check to the next one.
                let up = spans.iter().any(|span| span.from() <= at && at + nanos(10.0) <= span.until());
                let touched = spans.iter().any(|span| span.from() < at + nanos(10.0) && at < span.until());
                assert_eq!((up, touched), (expected, expected), "round {round}: {shell:?} {isl:?} at {at}");
                seen[usize::from(up)] += 1;
            }
        }
        // Up again without having been down is one span.
        for (_, spans) in &plan.isls {
            assert!(spans.windows(2).all(|pair| pair[0].until() < pair[1].from()));
        }
    }
    assert!(seen.iter().all(|&count| count > 10_000), "{seen:?}");
}

#[test]
fn across_the_seam_the_nearest_pairs_of_low_satellites_are_linked() {
    let star = Shell::star(1200.0, 87.9, 5, 14, 1).constellation();
    // Across a seam of 36° some are nearer than that and some are not.
    let rules = IslRules { in_plane: 0, between_planes: 0, cross_seam: true, min_longitude: 36.0, ..IslRules::IRIDIUM };
    let plan = Plan::new(&star, &rules, &[], 3000.0);
    let mut near = 0;
    let mut seen = 0;
    for check in 0..300 {
        let at = nanos(10.0 * f64::from(check));
        let up: Vec<[usize; 2]> = plan
            .isls
            .iter()
            .filter(|(_, spans)| spans.iter().any(|span| (span.from()..span.until()).contains(&at)))
            .map(|(isl, _)| isl.ends)
            .collect();
        for first in 0..14 {
            for last in 56..70 {
                let [a, b] = [first, last].map(|satellite| place(&star, satellite, at));
                let nearest = (0..14).all(|other| place(&star, other, at).distance(b) >= a.distance(b))
                    && (56..70).all(|other| place(&star, other, at).distance(a) >= a.distance(b));
                let low = [a, b].iter().all(|place| place.latitude().to_degrees().abs() <= 60.0);
                let apart = (a.longitude() - b.longitude()).to_degrees().rem_euclid(360.0);
                let wide = (36.0..=324.0).contains(&apart);
                near += usize::from(nearest && low && !wide);
                let clears = (a + b).length() / 2.0 >= 6528.0;
                let expected = nearest && low && wide && clears;
                assert_eq!(up.contains(&[first, last]), expected, "{first} {last} at {at}");
                seen += usize::from(expected);
            }
        }
        assert!(up.iter().all(|ends| ends[0] < 14 && ends[1] >= 56));
    }
    assert!(seen > 500 && near > 500, "{seen} {near}");
    let two = Shell::star(5000.0, 87.9, 2, 14, 0).constellation();
    let anywhere = IslRules { max_latitude: 90.0, ..rules };
    assert!(!Plan::new(&two, &anywhere, &[], 1000.0).isls.is_empty());
    assert!(plan.isls.iter().all(|(isl, _)| isl.kind == IslKind::CrossSeam));
    // A shell that closes has no seam.
    let closed = Shell::delta(1200.0, 53.0, 5, 14, 1).constellation();
    assert_eq!(Plan::new(&closed, &rules, &[], 100.0).isls, []);
}

#[test]
fn an_outage_delays_every_pass_but_the_first() {
    let iridium = Shell::IRIDIUM.constellation();
    let of = |outage: f64| StationPlan {
        station: Station::new(Earth::Sphere, 37.9, -122.3, 0.0),
        mask: 8.2,
        rule: HandoffRule::Nearest,
        checks: checks(10.0, 10_000.0),
        outage,
    };
    let plan = Plan::new(&iridium, &IslRules::NONE, &[of(0.0), of(0.125), of(100.0)], 10_000.0);
    let [without, short, long] = &plan.passes[..] else { panic!("three stations") };
    assert_eq!(without.len(), short.len());
    assert_eq!(without[0], short[0]);
    assert_eq!(without[0].span.from(), 0);
    for (pair, later) in without.windows(2).zip(&short[1..]) {
        assert_eq!(pair[0].span.until(), pair[1].span.from());
        assert_eq!((later.satellite, later.span.until()), (pair[1].satellite, pair[1].span.until()));
        assert_eq!(later.span.from(), pair[1].span.from() + 125_000_000);
    }
    // A satellite that is given up before the outage is over is never used, and does not shift the others.
    let kept = without
        .iter()
        .enumerate()
        .filter(|(nth, pass)| *nth == 0 || pass.span.until() - pass.span.from() > nanos(100.0));
    let kept: Vec<_> = kept.collect();
    assert!(kept.len() < without.len() && kept.len() > 5);
    assert_eq!(kept.len(), long.len());
    for ((nth, pass), later) in kept.into_iter().zip(long) {
        assert_eq!((pass.satellite, pass.span.until()), (later.satellite, later.span.until()));
        assert_eq!(later.span.from() - pass.span.from(), if nth == 0 { 0 } else { nanos(100.0) });
    }
}

#[test]
fn an_outage_is_as_long_at_every_moment() {
    // Looks between nanoseconds, as those at random times are, late in a long run, where a float holds no more than
    // quarters of them.
    let station = StationPlan {
        station: Station::new(Earth::Sphere, 37.9, -122.3, 0.0),
        mask: 0.0,
        rule: HandoffRule::Nearest,
        checks: (0..1000).map(|look| 2e6 + f64::from(look) * 22.0 / 7.0).collect(),
        outage: 0.3,
    };
    let plan = Plan::new(&Shell::IRIDIUM.constellation(), &IslRules::NONE, &[station], 2_003_140.0);
    assert!(plan.passes[0].len() > 10);
    for pair in plan.passes[0].windows(2) {
        assert_eq!(pair[1].span.from() - pair[0].span.until(), 300_000_000);
    }
}

#[test]
fn a_pass_begins_and_ends_at_checks() {
    // One satellite over a station on the equator: up at the first check that finds it above the mask, down at the
    // first that does not.
    let lone = Shell { planes: 1, slots: 1, inclination: 0.0, ..Shell::IRIDIUM }.constellation();
    let station = Station::new(Earth::Sphere, 0.0, 180.0, 0.0);
    for rule in [HandoffRule::FollowPlane, HandoffRule::Nearest, HandoffRule::LongestLived] {
        let looks = checks(11.0, 20_000.0);
        let station = StationPlan { station, mask: 8.2, rule, checks: looks.clone(), outage: 2.0 };
        let plan = Plan::new(&lone, &IslRules::IRIDIUM, std::slice::from_ref(&station), 20_000.0);
        assert_eq!(plan.isls, []);
        let seen = |at: f64| station.station.elevation(place(&lone, 0, nanos(at))).to_degrees() > 8.2;
        let (mut expected, mut before) = (Vec::new(), seen(0.0));
        assert!(!before);
        for &at in &looks {
            if seen(at) != before {
                // Also what comes after a time without a satellite is a hand-off.
                expected.push(nanos(at + if before { 0.0 } else { 2.0 }));
                before = !before;
            }
        }
        let found: Vec<u64> = plan.passes[0].iter().flat_map(|pass| [pass.span.from(), pass.span.until()]).collect();
        assert_eq!(found, expected);
        assert_eq!(found.len(), 6);
    }
}

#[test]
fn who_has_no_satellites_has_no_links() {
    let station = StationPlan {
        station: Station::new(Earth::Sphere, 90.0, 0.0, 0.0),
        mask: 0.0,
        rule: HandoffRule::FollowPlane,
        checks: checks(10.0, 100.0),
        outage: 0.0,
    };
    for shape in [[0, 5], [5, 0], [0, 0], [1, 0]] {
        let [planes, slots] = shape;
        let delta = Shell::delta(550.0, 53.0, planes, slots, 1);
        for shell in [delta, Shell { planes, slots, ..Shell::TELEDESIC }] {
            let rules = IslRules { between_planes: 3, ..IslRules::TELEDESIC };
            let plan = Plan::new(&shell.constellation(), &rules, std::slice::from_ref(&station), 100.0);
            assert_eq!((plan.isls.len(), plan.passes[0].len()), (0, 0));
        }
    }
    // Checks go on after the end of a run.
    let rules = IslRules::NONE;
    let late = StationPlan { checks: checks(10.0, 9000.0), ..station.clone() };
    let passes = &Plan::new(&Shell::IRIDIUM.constellation(), &rules, &[late], 1000.0).passes[0];
    assert!(passes.iter().all(|pass| pass.span.until() <= nanos(1000.0)));
    assert_eq!(passes.last().map(|pass| pass.span.until()), Some(nanos(1000.0)));
    // A run of no length, and one that is shorter than the time between checks.
    let iridium = Shell::IRIDIUM.constellation();
    let none = Plan::new(&iridium, &IslRules::IRIDIUM, std::slice::from_ref(&station), 0.0);
    assert_eq!((none.isls.len(), none.passes[0].len()), (0, 0));
    let short = Plan::new(&iridium, &IslRules::IRIDIUM, &[station], 0.5);
    let all = short.isls.iter().flat_map(|(_, spans)| spans);
    assert!(all.chain(short.passes[0].iter().map(|pass| &pass.span)).all(|span| span.until() == 500_000_000));
    assert_eq!(short.isls.iter().filter(|(isl, _)| isl.kind == IslKind::InPlane).count(), 66);
    assert!(short.isls.iter().all(|(Isl { ends, .. }, spans)| ends[1] < 66 && spans.len() == 1));
}
