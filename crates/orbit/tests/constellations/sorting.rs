//! Element sets in planes and slots.

use crate::real::SAMPLE;
use faircast_orbit::constellation::Constellation;
use faircast_orbit::elements::ElementSets;
use faircast_orbit::isl::{IslKind, IslRules};

/// An OMM with these elements: turns a day, inclination, ascending node, mean anomaly (degrees), drag.
pub fn omm(name: &str, [motion, inclination, node, anomaly, drag]: [f64; 5]) -> String {
    let number = name.bytes().fold(0, |number: u32, byte| (number * 31 + u32::from(byte)) % 100_000);
    format!(
        r#"{{"OBJECT_NAME": "{name}", "OBJECT_ID": "2000-001A", "EPOCH": "2025-08-06T00:00:00", "ECCENTRICITY": 0.0005,
        "MEAN_MOTION": {motion}, "INCLINATION": {inclination}, "RA_OF_ASC_NODE": {node}, "ARG_OF_PERICENTER": 0,
        "MEAN_ANOMALY": {anomaly}, "EPHEMERIS_TYPE": 0, "CLASSIFICATION_TYPE": "U", "NORAD_CAT_ID": {number},
        "ELEMENT_SET_NO": 999, "REV_AT_EPOCH": 1, "BSTAR": {drag}, "MEAN_MOTION_DOT": 0, "MEAN_MOTION_DDOT": 0}}"#
    )
}

/// Two satellites in each of some planes with these ascending nodes.
fn pairs(nodes: &[f64]) -> Constellation {
    let set = |(nth, node): (usize, &f64)| {
        [0, 1].map(|slot| omm(&format!("{nth}-{slot}"), [14.34, 60.0, *node, 20.0 + 180.0 * f64::from(slot), 0.0]))
    };
    let sets: Vec<String> = nodes.iter().enumerate().flat_map(set).collect();
    let sets = ElementSets::parse(&format!("[{}]", sets.join(","))).expect("legal");
    sets.constellation("2025-08-06T00:00:00", nodes.len()).expect("legal")
}

/// Names by plane, and how many links there are between planes.
fn planes(constellation: &Constellation) -> (Vec<String>, usize) {
    let of = |plane: usize| {
        let names =
            (0..constellation.slots(plane)).map(|slot| &*constellation.satellites[constellation.at(plane, slot)].name);
        names.collect::<Vec<_>>().join(" ")
    };
    let links = IslRules { in_plane: 0, ..IslRules::IRIDIUM }.links(constellation);
    ((0..constellation.planes()).map(of).collect(), links.len())
}

#[test]
fn planes_begin_east_of_the_seam() {
    // A gap of more than twice the usual one: 190° and 85°, 260° and 100°.
    let (names, links) = planes(&pairs(&[85.0, 170.0, 0.5]));
    assert_eq!((names, links), (["2-0 2-1", "0-0 0-1", "1-0 1-1"].map(String::from).to_vec(), 4));
    let (names, links) = planes(&pairs(&[50.0, 310.0]));
    assert_eq!((names, links), (["1-0 1-1", "0-0 0-1"].map(String::from).to_vec(), 2));
    let (names, links) = planes(&pairs(&[250.0, 300.0, 350.0, 40.0]));
    assert_eq!((names, links), (["0-0 0-1", "1-0 1-1", "2-0 2-1", "3-0 3-1"].map(String::from).to_vec(), 6));
}

#[test]
fn without_a_seam_the_last_plane_lies_beside_the_first() {
    let (names, links) = planes(&pairs(&[130.0, 250.0, 10.0]));
    assert_eq!((names, links), (["2-0 2-1", "0-0 0-1", "1-0 1-1"].map(String::from).to_vec(), 6));
    // 170° is no seam beside 95°.
    assert_eq!(planes(&pairs(&[100.0, 5.0, 195.0])).1, 6);
}

#[test]
fn a_plane_may_lie_about_the_origin_of_nodes() {
    // One plane with nodes at 359.8° and 0.2°, another one opposite.
    let sets: Vec<String> = [(359.8, 10.0), (0.2, 100.0), (359.9, 190.0), (0.1, 280.0), (180.1, 60.0), (179.9, 150.0)]
        .iter()
        .enumerate()
        .map(|(nth, &(node, anomaly))| omm(&nth.to_string(), [14.34, 60.0, node, anomaly, 0.0]))
        .collect();
    let sets = ElementSets::parse(&format!("[{}]", sets.join(","))).expect("legal");
    let (names, _) = planes(&sets.constellation("2025-08-06T00:00:00", 2).expect("legal"));
    let about = names.iter().find(|names| names.len() == 7).expect("four of them");
    assert_eq!(about, "0 1 2 3");
    assert!(names.contains(&"4 5".to_owned()), "{names:?}");
}

#[test]
fn a_spare_is_one_slot_more() {
    // Close behind IRIDIUM 106, in its plane.
    let end = SAMPLE.find("},").expect("more than one");
    let changes = [("\"IRIDIUM 106", "\"SPARE"), ("ID\": 41917", "ID\": 1"), ("ANOMALY\": 258.42", "ANOMALY\": 254")];
    let spare = changes.iter().fold(SAMPLE[..=end].to_owned(), |set, (old, new)| {
        assert!(set.contains(old));
        set.replace(old, new)
    });
    let sets = ElementSets::parse(&format!("{spare},{}", &SAMPLE[1..])).expect("legal");
    let with = sets.constellation(&sets.latest_epoch(), 6).expect("legal");
    assert_eq!((0..6).map(|plane| with.slots(plane)).collect::<Vec<_>>(), [11, 11, 11, 11, 11, 12]);
    let at = |name: &str| with.satellites.iter().position(|satellite| satellite.name == name).expect("it is there");
    let [spare, own] = ["SPARE", "IRIDIUM 106"].map(at);
    assert_eq!(with.satellites[own].slot, (with.satellites[spare].slot + 1) % 12);
    let links = IslRules::IRIDIUM.links(&with);
    // It stands in the ring of its plane; across, each satellite keeps one partner, and the spare has none.
    assert_eq!(links.iter().filter(|link| link.kind == IslKind::InPlane).count(), 67);
    let across: Vec<_> = links.iter().filter(|link| link.kind == IslKind::BetweenPlanes).collect();
    assert_eq!(across.len(), 55);
    assert!(!across.iter().any(|link| link.ends.contains(&spare)));
}

#[test]
fn satellites_over_the_equator_follow_one_another() {
    // Four a quarter of the circle apart, with nodes that lie anywhere: what counts is node and anomaly together.
    let set = |name: &str, node, anomaly| omm(name, [5.0, 0.03, node, anomaly, 0.0]);
    let text = format!(
        "[{},{},{},{}]",
        set("3", 200.0, 340.0),
        set("1", 350.0, 10.0),
        set("4", 30.0, 240.0),
        set("2", 100.0, 350.0)
    );
    let sets = ElementSets::parse(&text).expect("legal");
    let ring = sets.constellation("2025-08-06T00:00:00", 1).expect("legal");
    let names: Vec<u32> = ring.satellites.iter().map(|satellite| satellite.name.parse().expect("a number")).collect();
    let first = names.iter().position(|&name| name == 1).expect("it is there");
    let turned: Vec<u32> = (0..4).map(|slot| names[(first + slot) % 4]).collect();
    assert_eq!(turned, [1, 2, 3, 4]);
}
