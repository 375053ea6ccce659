//! Where satellites are, against what can be worked out by hand.

use crate::support::scenario;
use faircast_scenario::{Scenario, Sky, sky};

/// Single precision: 360 has steps of 3e-5.
fn near(found: f32, expected: f64, what: &str) {
    assert!((f64::from(found) - expected).abs() < 1e-4 * (1.0 + expected.abs() / 360.0), "{what}: {found} {expected}");
}

fn of(topology: &str, ends: [&str; 2], rest: &str, times: &[f64]) -> Option<Sky> {
    sky(&with_flow(topology, ends, rest), 1, times)
}

fn with_flow(topology: &str, [from, to]: [&str; 2], rest: &str) -> Scenario {
    scenario(&format!(
        "format = 1\nname = \"x\"\nduration = \"100 s\"\n[topology]\n{topology}\n{rest}\n[flows.x]\nkind = \"tcp\"\n\
         from = \"{from}\"\nto = \"{to}\"\n"
    ))
}

const CITIES: [&str; 2] = ["gulf", "island"];
const POLAR: &str =
    "kind = \"constellation\"\nshell = \"star\"\naltitude = 622\ninclination = 90\nplanes = 2\nslots = 2\n";
/// Below the first satellite when the run starts.
const STATIONS: &str = "[stations.island]\nlatitude = -2\nlongitude = 359\n[stations.gulf]\nlatitude = 1.5\n\
                        longitude = 2\n";

/// Over the poles at a radius of 7000 km: a turn takes 2π √(7000³ / 398601.2) = 5828.5111 s, in a quarter of which the
/// Earth turns by 360° · 1457.1278 / 86164 = 6.08799°.
#[test]
fn a_polar_orbit_is_at_the_pole_after_a_quarter_and_behind_the_earth_after_half() {
    let quarter = 5_828.511_1 / 4.0;
    let sky = of(POLAR, CITIES, STATIONS, &[0.0, quarter / 2.0, quarter, 2.0 * quarter, 4.0 * quarter]);
    let sky = sky.expect("it has satellites");
    assert_eq!(sky.satellites, ["sat-1-1", "sat-1-2", "sat-2-1", "sat-2-2"]);
    let at = |time: usize, satellite: usize| {
        let index = time * 4 + satellite;
        (sky.latitude[index], sky.longitude[index], sky.altitude[index])
    };
    let expect = |time: usize, satellite: usize, latitude: f64, longitude: f64| {
        let (north, east, high) = at(time, satellite);
        near(north, latitude, "latitude");
        near(east, longitude, "longitude");
        assert!((high - 622e3).abs() < 1.0, "{high}");
    };
    // The first crosses the equator at Greenwich; the second plane's node lies 90° further.
    expect(0, 0, 0.0, 0.0);
    expect(0, 2, 0.0, 90.0);
    // An eighth of a turn later 45° north, while the Earth has turned by half of 6.08799° to the east.
    expect(1, 0, 45.0, -3.044);
    expect(1, 2, 45.0, 86.956);
    // At the pole every longitude is right.
    assert!((at(2, 0).0 - 90.0).abs() < 1e-3, "{:?}", at(2, 0));
    assert!((at(2, 1).0 + 90.0).abs() < 1e-3);
    // On the other side: 180° less 12.17599°.
    expect(3, 0, 0.0, 167.824_01);
    expect(4, 0, 0.0, -24.351_98);
    let ground: Vec<_> = sky.stations.iter().map(|one| (one.name.as_str(), one.latitude, one.longitude)).collect();
    assert_eq!(ground, [("gulf", 1.5, 2.0), ("island", -2.0, 359.0)]);
}

#[test]
fn names_are_those_of_nodes() {
    let scenario = with_flow(POLAR, CITIES, STATIONS);
    let nodes: Vec<String> = scenario.expand().nodes.into_iter().map(|node| node.name).collect();
    let sky = sky(&scenario, 1, &[]).expect("it has satellites");
    let stations: Vec<String> = sky.stations.into_iter().map(|station| station.name).collect();
    assert_eq!([sky.satellites, stations].concat(), nodes);
    assert!(sky.latitude.is_empty());
}

/// The sample of real satellites, at the epoch of the latest: low orbits. Thousands of years later many have come down.
#[test]
fn real_satellites_are_lost_when_their_elements_say_nothing() {
    let real = "kind = \"constellation\"\nshell = \"elements\"\nelements = \"iridium-next\"\nplanes = 6\n";
    let sky = of(real, CITIES, STATIONS, &[0.0, 1e12]).expect("it has satellites");
    let (now, late) = sky.altitude.split_at(sky.satellites.len());
    assert!(now.iter().all(|high| (770e3..810e3).contains(high)), "{now:?}");
    assert!(late.iter().any(|high| high.is_nan()), "{late:?}");
    for (index, high) in sky.altitude.iter().enumerate() {
        let place = [sky.latitude[index], sky.longitude[index]];
        assert_eq!(place.map(f32::is_nan), [high.is_nan(); 2], "{index}");
    }
}

#[test]
fn a_geostationary_satellite_stands_still_over_those_whose_places_are_known() {
    let text = "kind = \"branches\"\n\
                [topology.branches.sat]\nsatellite = 19.2\nreceivers = 3\nstation = { latitude = 50, longitude = 8 }\n\
                terminal = { latitude = 48, longitude = 2 }\neach = [{}, { terminal = { elevation = 30 } }]\n\
                [topology.branches.wire]\npreset = \"adsl\"\n[topology.branches.other]\n";
    let sky = of(text, ["source-0", "sat-0"], "", &[0.0, 1e6]).expect("one is known");
    assert_eq!(sky.satellites, ["sat-satellite"]);
    assert_eq!((sky.latitude, sky.longitude), (vec![0.0; 2], vec![19.2; 2]));
    sky.altitude.iter().for_each(|&high| assert!((high - 35_786e3).abs() < 4.0, "{high}"));
    // The second terminal says how high the satellite stands, not where it is.
    let names: Vec<&str> = sky.stations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sat-station", "sat-0", "sat-2"]);
}

#[test]
fn what_has_no_places_has_no_sky() {
    assert_eq!(of("kind = \"dumbbell\"", ["left-0", "right-0"], "", &[0.0]), None);
    let branches = "kind = \"branches\"\n[topology.branches.sat]\n";
    assert_eq!(of(branches, ["source-0", "sat-0"], "", &[0.0]), None);
    let text = "format = 1\nname = \"x\"\nduration = \"1 s\"\n[nodes.a]\n[nodes.b]\n[links.l]\nfrom = \"a\"\n\
                to = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
                [flows.x]\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\n";
    assert_eq!(sky(&scenario(text), 1, &[0.0]), None);
}
