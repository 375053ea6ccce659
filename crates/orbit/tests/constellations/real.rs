//! The sample of real element sets that comes with the package.

use crate::sorting::omm;
use crate::{checks, delay, nanos};
use faircast_orbit::constellation::Constellation;
use faircast_orbit::earth::Earth;
use faircast_orbit::elements::ElementSets;
use faircast_orbit::handoff::HandoffRule;
use faircast_orbit::isl::{Isl, IslKind, IslRules};
use faircast_orbit::plan::{Plan, StationPlan};
use faircast_orbit::station::Station;
use faircast_orbit::vector::Vector;

pub const SAMPLE: &str = include_str!("../../../../python/faircast/data/iridium-next.json");
const LIGHT: f64 = 299_792.458;
/// Made by `tools/skyfield_positions.py`.
const SKYFIELD: &str = include_str!("../skyfield.json");

fn iridium() -> Constellation {
    let sets = ElementSets::parse(SAMPLE).expect("legal");
    sets.constellation(&sets.latest_epoch(), 6).expect("legal")
}

#[test]
fn real_satellites_are_where_skyfield_has_them_for_a_day() {
    let fixture: serde_json::Value = serde_json::from_str(SKYFIELD).expect("JSON");
    let start = fixture["start"].as_str().expect("a date");
    let high = fixture["high"].to_string();
    let satellites: Vec<_> = [SAMPLE, &high]
        .into_iter()
        .flat_map(|text| ElementSets::parse(text).expect("legal").constellation(start, 1).expect("legal").satellites)
        .collect();
    let listed = fixture["satellites"].as_array().expect("a list");
    assert_eq!(listed.len(), 24);
    for expected in listed {
        let name = expected["name"].as_str().expect("a name");
        let satellite = satellites.iter().find(|satellite| satellite.name == name).expect("it is there");
        let places = expected["places"].as_array().expect("a list");
        assert_eq!(places.len(), 25);
        for (hour, place) in (0..).zip(places) {
            let [x, y, z] = [0, 1, 2].map(|axis| place[axis].as_f64().expect("a number"));
            let seconds = f64::from(hour) * fixture["seconds"].as_f64().expect("a number");
            let found = satellite.orbit.position(seconds).expect("it is up");
            let off = found.distance(Vector { x, y, z });
            // The motion of the poles and the difference of UT1 and UTC; for the high ones, of models as well.
            let most = if SAMPLE.contains(&format!("\"{name}\"")) { 0.1 } else { 1.0 };
            assert!(off < most, "{name} after {hour} h: {off} km");
        }
    }
}

#[test]
fn the_sample_is_six_planes_of_eleven_around_a_seam() {
    let iridium = iridium();
    assert_eq!(iridium.planes(), 6);
    for plane in 0..6 {
        assert_eq!(iridium.slots(plane), 11);
        for slot in 0..11 {
            let [own, next] = [slot, slot + 1].map(|slot| iridium.at(plane, slot));
            assert_eq!((iridium.satellites[own].plane, iridium.satellites[own].slot), (plane, slot));
            let [a, b] = [own, next].map(|satellite| iridium.satellites[satellite].orbit.position(0.0).expect("up"));
            // A slot is 32.7°: 4034 km at 780 km of altitude.
            assert!((a.distance(b) - 4034.0).abs() < 30.0, "{} km", a.distance(b));
        }
        // Counted from the ascending node: the first has passed it, the last has not.
        let [first, last] =
            [0, 10].map(|slot| iridium.satellites[iridium.at(plane, slot)].orbit.position(0.0).expect("up"));
        assert!(first.z > 0.0 && last.z < 0.0, "{} {}", first.z, last.z);
    }
    let links = IslRules::IRIDIUM.links(&iridium);
    let of = |kind: IslKind| links.iter().filter(|link| link.kind == kind).collect::<Vec<_>>();
    assert_eq!((of(IslKind::InPlane).len(), of(IslKind::BetweenPlanes).len()), (66, 55));
    // As in ns-2's model, those below 60° see each other over 2900 to 4500 km; and nothing goes across the seam.
    let plan = Plan::new(&iridium, &IslRules::IRIDIUM, &[], 6030.0);
    for (Isl { ends, kind }, spans) in &plan.isls {
        let [a, b] = ends.map(|end| iridium.satellites[end].plane);
        match kind {
            IslKind::InPlane => assert!(a == b && spans.len() == 1 && spans[0].until() == nanos(6030.0)),
            _ => assert!(b - a == 1 && !spans.is_empty()),
        }
        for knot in spans.iter().flat_map(|span| &span.knots) {
            let length = knot.delay as f64 / 1e9 * LIGHT;
            assert!((2900.0..4550.0).contains(&length), "{length} km");
        }
    }
    assert_eq!(plan.isls.len(), 121);
}

#[test]
fn delays_to_real_satellites_keep_to_the_tolerance() {
    let iridium = iridium();
    let seoul = Station::new(Earth::Wgs84, 37.57, 126.98, 0.1);
    let station = StationPlan {
        station: seoul,
        mask: 8.2,
        rule: HandoffRule::LongestLived,
        checks: checks(7.0, 3000.0),
        outage: 0.3,
    };
    let plan = Plan::new(&iridium, &IslRules::IRIDIUM, &[station], 3000.0);
    let place =
        |satellite: usize, at: u64| iridium.satellites[satellite].orbit.position(at as f64 / 1e9).expect("it is up");
    let mut seen = 0;
    for pass in &plan.passes[0] {
        for at in (pass.span.from()..pass.span.until()).step_by(33_333_333) {
            let expected = seoul.distance(place(pass.satellite, at)) / LIGHT;
            assert!((delay(&pass.span, at) - expected).abs() < 1e-6, "at {at}");
            seen += 1;
        }
    }
    assert!(seen > 80_000);
    for (isl, spans) in plan.isls.iter().step_by(7) {
        for span in spans {
            for at in (span.from()..span.until()).step_by(777_777_777) {
                let [a, b] = isl.ends.map(|end| place(end, at));
                assert!((delay(span, at) - a.distance(b) / LIGHT).abs() < 1e-6, "{isl:?} at {at}");
            }
        }
    }
}

#[test]
fn one_that_comes_down_is_said_and_sees_nobody() {
    // Some 150 km high, with much drag; and one at 780 km.
    let text =
        format!("[{},{}]", omm("FALLS", [16.4, 86.4, 10.0, 5.0, 0.01]), omm("STAYS", [14.34, 86.4, 10.0, 10.0, 0.0]));
    let sets = ElementSets::parse(&text).expect("legal");
    let both = sets.constellation("2025-08-06T00:00:00", 1).expect("legal");
    let falls = both.satellites.iter().position(|satellite| satellite.name == "FALLS").expect("it is there");
    assert!(both.lost_until(0.0).is_empty());
    assert_eq!(both.lost_until(2.0 * 86_400.0), [falls]);
    let orbit = &both.satellites[falls].orbit;
    let end =
        (0..2880).map(|minute| f64::from(minute) * 60.0).find(|&at| orbit.position(at).is_none()).expect("it falls");
    let height = |at: f64| orbit.position(at).expect("it is up").length() - 6378.137;
    assert!(height(0.0) > 100.0 && height(end - 60.0) > 0.0, "{} {}", height(0.0), height(end - 60.0));
    // A run until then and on: its links end, and nothing panics.
    let station = Station::new(Earth::Wgs84, 90.0, 0.0, 0.0);
    let station =
        StationPlan { station, mask: 0.0, rule: HandoffRule::Nearest, checks: checks(60.0, end + 6000.0), outage: 0.0 };
    let plan = Plan::new(&both, &IslRules::IRIDIUM, &[station], end + 6000.0);
    let until = plan.passes[0].iter().filter(|pass| pass.satellite == falls).map(|pass| pass.span.until()).max();
    assert!(until.expect("seen before") <= nanos(end + 60.0));
    // One that is down already at the start is refused.
    let late = sets.constellation("2025-08-30T00:00:00", 1).map(|_| ()).expect_err("it is down");
    assert!(late.to_string().starts_with("no orbit follows from the elements of FALLS"), "{late}");
}
