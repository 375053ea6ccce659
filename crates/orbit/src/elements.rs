//! Files of real element sets: OMM as JSON, as CelesTrak and Space-Track give it, and two-line elements.

use crate::constellation::{Beside, Constellation, Satellite};
use crate::earth::Earth;
use crate::orbit::{ElementSet, Orbit};
use sgp4::Elements;
use sgp4::chrono::{NaiveDate, NaiveDateTime};
use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};
use std::fmt;

/// What is wrong with a file of element sets, or with what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementsError {
    /// Neither a list in JSON nor lines of TLE: why it is no JSON, and where, line and column.
    NotElements(String, (usize, usize)),
    /// A set of two lines is wrong, with the number of the first of them in the file.
    Lines(usize, String),
    /// An epoch that is none, of the satellite called so.
    Epoch(String, String),
    /// No satellite in it.
    Empty,
    /// A date that is none, with what is legal.
    Date(String),
    /// Two sets of one satellite, by its number in the catalogue: its name.
    Twice(String),
    /// Elements that are too far in time from the start of the run: the satellite's name, and the days between,
    /// negative if the run starts before them.
    FarFromStart(String, f64),
    /// Elements from which no orbit follows.
    NoOrbit(String, String),
    /// More planes are asked for than there are satellites.
    TooManyPlanes(usize, usize),
}

/// How many days a run may start before or after the epoch of its elements: SGP4 is off by some kilometres a day.
pub const MOST_DAYS: f64 = 30.0;

/// A date as it is written.
const SOME_DATE: &str = "2026-03-12T18:00:00";

impl fmt::Display for ElementsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementsError::NotElements(why, _) => {
                write!(out, "neither element sets in JSON (OMM) nor two-line elements: {why}")
            }
            ElementsError::Lines(line, why) => write!(out, "line {line}: {why}"),
            ElementsError::Epoch(name, epoch) => {
                write!(out, "EPOCH of {name}: {epoch} given; legal is a date and time in UTC such as {SOME_DATE:?}")
            }
            ElementsError::Empty => write!(out, "no element set in it"),
            ElementsError::Date(date) => {
                write!(out, "{date:?} given; legal is a date and time in UTC such as {SOME_DATE:?}")
            }
            ElementsError::FarFromStart(name, days) => write!(
                out,
                "the elements of {name} are {:.1} days from the start of the run; legal is at most {MOST_DAYS}",
                days.abs()
            ),
            ElementsError::Twice(name) => write!(out, "two element sets of {name}; legal is one of each satellite"),
            ElementsError::NoOrbit(name, why) => write!(out, "no orbit follows from the elements of {name}: {why}"),
            ElementsError::TooManyPlanes(planes, satellites) => {
                write!(out, "{planes} planes given; there are {satellites} satellites")
            }
        }
    }
}

impl std::error::Error for ElementsError {}

impl ElementsError {
    /// Where in the file it is, line and column from 1, if that is known.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            ElementsError::NotElements(_, place) => Some(*place),
            ElementsError::Lines(line, _) => Some((*line, 1)),
            _ => None,
        }
    }
}

/// Element sets of satellites, in the order of their file.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementSets(Vec<Elements>);

impl ElementSets {
    /// From the text of a file: a list of OMMs in JSON, or two-line elements, each set with or without a line of its
    /// name before it.
    pub fn parse(text: &str) -> Result<ElementSets, ElementsError> {
        let sets = match text.trim_start().starts_with(['[', '{']) {
            true => serde_json::from_str(text).map_err(|why| {
                let place = (why.line().max(1), why.column().max(1));
                wrong_epoch(text).unwrap_or_else(|| ElementsError::NotElements(why.to_string(), place))
            })?,
            false => from_lines(text)?,
        };
        if sets.is_empty() {
            return Err(ElementsError::Empty);
        }
        // Names may be given twice, as those of satellites that have none yet are.
        let mut numbers = BTreeSet::new();
        match sets.iter().find(|set| !numbers.insert(set.norad_id)) {
            Some(set) => Err(ElementsError::Twice(name(set))),
            None => Ok(ElementSets(sets)),
        }
    }

    /// The sets as a list of OMMs, which [`parse`](Self::parse) reads as the same.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(&self.0).expect("plain data with text keys")
    }

    /// How many satellites there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; [`parse`](Self::parse) refuses that.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The latest epoch in it, as [`constellation`](Self::constellation) takes a start.
    pub fn latest_epoch(&self) -> String {
        let latest = self.0.iter().map(|set| set.datetime).max().unwrap_or_default();
        format!("{latest:?}")
    }

    /// The satellites in a run that starts at `start` (UTC), sorted into so many planes by their ascending nodes, cut
    /// where the gaps between nodes are widest, and of a plane by their place along the orbit. A spare is a slot like
    /// others; one that drifts from plane to plane belongs to that of the nearest node.
    pub fn constellation(&self, start: &str, planes: usize) -> Result<Constellation, ElementsError> {
        let date = || ElementsError::Date(start.to_owned());
        let plain = start.trim().trim_end_matches('Z');
        let day = || plain.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0);
        let moment = plain.parse::<NaiveDateTime>().ok().or_else(day).ok_or_else(date)?;
        let noon = NaiveDate::from_ymd_opt(2000, 1, 1).and_then(|day| day.and_hms_opt(12, 0, 0)).ok_or_else(date)?;
        let days = (moment - noon).num_nanoseconds().ok_or_else(date)? as f64 / 86_400e9;
        if planes == 0 || planes > self.len() {
            return Err(ElementsError::TooManyPlanes(planes, self.len()));
        }
        let mut found = Vec::with_capacity(self.len());
        for set in &self.0 {
            found.push(Found::new(set, &moment, days)?);
        }
        Ok(sorted(found, planes))
    }
}

/// The first of a list of OMMs that would be legal with another epoch.
fn wrong_epoch(text: &str) -> Option<ElementsError> {
    let sets: Vec<serde_json::Value> = serde_json::from_str(text).ok()?;
    let is_legal = |set: &serde_json::Value| serde_json::from_value::<Elements>(set.clone()).is_ok();
    let mut set = sets.into_iter().find(|set| !is_legal(set))?;
    let epoch = std::mem::replace(set.get_mut("EPOCH")?, SOME_DATE.into());
    let fixed: Elements = serde_json::from_value(set).ok()?;
    Some(ElementsError::Epoch(name(&fixed), epoch.to_string()))
}

/// A satellite's name: that in its elements, or its number in the catalogue.
fn name(set: &Elements) -> String {
    set.object_name.clone().unwrap_or_else(|| set.norad_id.to_string())
}

/// A satellite with what it is sorted by.
struct Found {
    name: String,
    orbit: Orbit,
    inclination: f64,
    /// 0 to 2π, as is `along`.
    node: f64,
    along: f64,
}

impl Found {
    fn new(set: &Elements, moment: &NaiveDateTime, days: f64) -> Result<Found, ElementsError> {
        let name = name(set);
        let far = |days| ElementsError::FarFromStart(name.clone(), days);
        let minutes = set.datetime_to_minutes_since_epoch(moment).map_err(|_| far(f64::INFINITY))?.0;
        if minutes.abs() > MOST_DAYS * 1440.0 {
            return Err(far(minutes / 1440.0));
        }
        let no_orbit = |why: String| ElementsError::NoOrbit(name.clone(), why);
        // Element sets are fitted with the constants of WGS 72 [Vallado06].
        let constants = sgp4::Constants::from_elements_afspc_compatibility_mode(set);
        let constants = constants.map_err(|why| no_orbit(why.to_string()))?;
        let elements = ElementSet::new(constants, minutes, days);
        let plane = elements.plane().ok_or_else(|| no_orbit("it is not in orbit at the start".to_owned()))?;
        let [node, along] = [plane.node, plane.along].map(|angle| angle.rem_euclid(TAU));
        Ok(Found { name, orbit: Orbit::Elements(Box::new(elements)), inclination: plane.inclination, node, along })
    }
}

/// Sorts satellites into planes.
fn sorted(mut found: Vec<Found>, planes: usize) -> Constellation {
    found.sort_by(|a, b| a.node.total_cmp(&b.node));
    let count = found.len();
    // The gap before each in the order of nodes, around the circle.
    let gap = |index: usize| (found[index].node - found[(index + count - 1) % count].node).rem_euclid(TAU);
    let mut cuts: Vec<usize> = (0..count).collect();
    cuts.sort_by(|&a, &b| gap(b).total_cmp(&gap(a)).then(a.cmp(&b)));
    cuts.truncate(planes);
    // The widest gap is the seam, if there is one: the first plane begins behind it.
    let (widest, usual) = (gap(cuts[0]), gap(cuts[planes / 2]));
    let (first, beside_last) = match widest > 2.0 * usual {
        true => (cuts[0], Beside::Seam),
        false => (cuts.iter().copied().min().unwrap_or(0), Beside::First { ahead: 0 }),
    };
    cuts.sort_by_key(|&cut| (cut + count - first) % count);
    found.rotate_left(first);
    let mut starts: Vec<usize> = cuts.iter().map(|&cut| (cut + count - first) % count).collect();
    starts.push(count);
    let mut satellites = Vec::with_capacity(count);
    let mut found = found.into_iter();
    for (plane, range) in starts.windows(2).enumerate() {
        let mut members: Vec<Found> = found.by_ref().take(range[1] - range[0]).collect();
        // All from one node: those of satellites over the equator lie anywhere.
        let common = members[0].node;
        for member in &mut members {
            let beyond = (member.node - common + PI).rem_euclid(TAU) - PI;
            member.along = (member.along + libm::cos(member.inclination) * beyond).rem_euclid(TAU);
        }
        members.sort_by(|a, b| a.along.total_cmp(&b.along));
        let numbered = members.into_iter().enumerate();
        satellites.extend(numbered.map(|(slot, Found { name, orbit, along, .. })| Satellite {
            name,
            plane,
            slot,
            orbit,
            along,
        }));
    }
    Constellation { earth: Earth::Wgs84, satellites, planes: starts, beside_last, numbered: false }
}

/// Sets of two lines, or three with the name before them.
fn from_lines(text: &str) -> Result<Vec<Elements>, ElementsError> {
    let lines = (1..).zip(text.lines().map(str::trim_end));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let mut sets = Vec::new();
    while let Some((number, line)) = lines.next() {
        let is_first = |line: &str| line.starts_with("1 ") && line.len() == 69;
        let wrong = |number: usize, why: &str| ElementsError::Lines(number, why.to_owned());
        let (name, (number, first)) = match is_first(line) {
            true => (None, (number, line)),
            false => {
                let next = lines.next().filter(|(_, next)| is_first(next));
                let missing =
                    "no first line of an element set (\"1 \" and 67 characters more) here or in the next line";
                (Some(line.trim_start_matches("0 ").trim().to_owned()), next.ok_or_else(|| wrong(number, missing))?)
            }
        };
        let (_, second) = lines.next().ok_or_else(|| wrong(number, "no second line follows"))?;
        let set = Elements::from_tle(name, first.as_bytes(), second.as_bytes());
        sets.push(set.map_err(|why| ElementsError::Lines(number, why.to_string()))?);
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::Vector;

    const OMM: &str = r#"[{"OBJECT_NAME": "IRIDIUM 106", "OBJECT_ID": "2017-003A",
"EPOCH": "2026-06-13T19:35:34.209888",
"MEAN_MOTION": 14.34217470, "ECCENTRICITY": 0.0001784, "INCLINATION": 86.3963, "RA_OF_ASC_NODE": 89.9654,
"ARG_OF_PERICENTER": 83.5618, "MEAN_ANOMALY": 276.5781, "EPHEMERIS_TYPE": 0, "CLASSIFICATION_TYPE": "U",
"NORAD_CAT_ID": 41917, "ELEMENT_SET_NO": 999, "REV_AT_EPOCH": 49272, "BSTAR": -6.4509e-6,
"MEAN_MOTION_DOT": 2e-8, "MEAN_MOTION_DDOT": 0}]"#;

    const TWO: &str = "IRIDIUM 106
1 41917U 17003A   26164.81636817  .00000002  00000+0 -64509-5 0  9993
2 41917  86.3963  89.9654 0001784  83.5618 276.5781 14.34217470492724
IRIDIUM 103
1 41918U 17003B   26164.87345235  .00000072  00000+0  18697-4 0  9993
2 41918  86.3961  89.8413 0002359  78.7002 281.4459 14.34217734492750
";

    /// Skyfield 1.54's positions in the frame ITRS, km, so many seconds after the start.
    const SKYFIELD: [(usize, f64, [f64; 3]); 8] = [
        (0, 0.0, [4729.289, 965.996, -5293.393]),
        (0, 3600.0, [-964.792, -323.028, 7074.375]),
        (0, 40_000.0, [-917.715, 137.238, 7086.692]),
        (0, 86_400.0, [-6959.116, -654.806, -1553.386]),
        (1, 0.0, [-2835.860, 45.805, -6579.225]),
        (1, 3600.0, [5998.007, -1036.804, 3757.858]),
        (1, 40_000.0, [-6440.404, -2217.814, 2193.790]),
        (1, 86_400.0, [-4243.718, -812.847, 5695.941]),
    ];

    #[test]
    fn real_satellites_are_where_skyfield_has_them() {
        let both = ElementSets::parse(TWO).expect("legal").constellation("2026-06-14T00:00:00", 1).expect("legal");
        for (satellite, at, [x, y, z]) in SKYFIELD {
            let name = ["IRIDIUM 106", "IRIDIUM 103"][satellite];
            let satellite = both.satellites.iter().find(|found| found.name == name).expect("it is there");
            let off = satellite.orbit.position(at).expect("it is up").distance(Vector { x, y, z });
            // Tens of metres are the difference of UT1 and UTC and the motion of the poles.
            assert!(off < 0.1, "{name} at {at}: {off} km");
        }
    }

    #[test]
    fn the_same_elements_in_json_are_the_same() {
        let [json, lines] = [OMM, TWO].map(|text| ElementSets::parse(text).expect("legal"));
        assert_eq!((json.len(), lines.len()), (1, 2));
        assert_eq!(json.latest_epoch(), "2026-06-13T19:35:34.209888");
        assert!(lines.latest_epoch().starts_with("2026-06-13T20:57:46.28"), "{}", lines.latest_epoch());
        let at = |sets: &ElementSets, start: &str| {
            let constellation = sets.constellation(start, 1).expect("legal");
            let found = constellation.satellites.into_iter().find(|found| found.name == "IRIDIUM 106");
            found.expect("it is there").orbit.position(7654.3).expect("it is up")
        };
        let there = at(&json, "2026-06-14T00:00:00");
        assert!(there.distance(at(&lines, "2026-06-14T00:00:00")) < 0.001);
        assert_eq!(there, at(&json, "2026-06-14"));
        assert_eq!(there, at(&json, "2026-06-14T00:00:00Z"));
        // Up to 30 days from the epoch.
        let from = |start: &str| json.constellation(start, 1).is_ok();
        assert!(from("2026-07-13T19:35:34.209888") && from("2026-05-14T19:35:34.209888"));
        assert!(!from("2026-07-13T19:35:34.209889") && !from("2026-05-14T19:35:34.209887"));
    }

    #[test]
    fn lines_may_have_comments_and_any_names() {
        let odd = TWO.replace("IRIDIUM 106", "# of one day\n\n1 FIRST").replace("IRIDIUM 103", "0 SECOND");
        let both = ElementSets::parse(&odd).expect("legal").constellation("2026-06-14", 1).expect("legal");
        let mut names: Vec<&str> = both.satellites.iter().map(|satellite| &*satellite.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["1 FIRST", "SECOND"]);
        let bare: Vec<&str> = TWO.lines().filter(|line| !line.starts_with("IRIDIUM")).collect();
        let bare = ElementSets::parse(&bare.join("\r\n")).expect("legal");
        assert_eq!(bare.len(), 2);
        let lone = bare.constellation("2026-06-14", 2).expect("legal");
        assert!(lone.satellites.iter().any(|satellite| satellite.name == "41917"));
    }

    #[test]
    fn a_plane_is_that_of_the_elements() {
        // The epochs of two-line elements are passages of the ascending node: 83.5618° + 276.5781° from there by mean
        // elements, from which SGP4's periodic terms differ by a tenth of a degree.
        let sets = ElementSets::parse(TWO).expect("legal");
        let found = Found::new(&sets.0[0], &sets.0[0].datetime, 9_660.316_368_17).expect("legal");
        assert!((found.inclination.to_degrees() - 86.3963).abs() < 0.02, "{}", found.inclination.to_degrees());
        assert!((found.node.to_degrees() - 89.9654).abs() < 0.02, "{}", found.node.to_degrees());
        let along = (found.along.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
        assert!(along.abs() < 0.001, "{along}");
        let quarter = Elements { mean_anomaly: 276.5781 + 70.0, ..sets.0[0].clone() };
        let found = Found::new(&quarter, &quarter.datetime, 9_660.316_368_17).expect("legal");
        assert!((found.along.to_degrees() - 70.1399).abs() < 0.3, "{}", found.along.to_degrees());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text: &str| ElementSets::parse(text).map(|_| ()).expect_err("wrong").to_string();
        let sum = TWO.replace("0  9993\n2 41918", "0  9994\n2 41918");
        assert_eq!(
            error(&sum),
            "line 5: TLE parse error: Bad line checksum on TLE line 1 between characters 68 and 69"
        );
        assert!(error("IRIDIUM 106\n").starts_with("line 1: no first line of an element set"));
        let cut = TWO.lines().take(5).collect::<Vec<_>>().join("\n");
        assert_eq!(error(&cut), "line 5: no second line follows");
        assert_eq!(error(""), "no element set in it");
        assert!(error("[{\"OBJECT_NAME\": \"X\"}]").contains("missing field"));
        let of = |epoch: &str| error(&OMM.replace("\"2026-06-13T19:35:34.209888\"", epoch));
        for epoch in ["\"yesterday\"", "\"2026-02-30T00:00:00\"", "7"] {
            assert_eq!(
                of(epoch),
                format!("EPOCH of IRIDIUM 106: {epoch} given; legal is a date and time in UTC such as {SOME_DATE:?}")
            );
        }
        assert_eq!(error(&format!("{TWO}{TWO}")), "two element sets of IRIDIUM 106; legal is one of each satellite");
        let sets = ElementSets::parse(TWO).expect("legal");
        let error = |start: &str, planes| sets.constellation(start, planes).map(|_| ()).expect_err("wrong").to_string();
        assert_eq!(
            error("2026-08-14T00:00:00", 1),
            "the elements of IRIDIUM 106 are 61.2 days from the start of the run; legal is at most 30"
        );
        assert_eq!(
            error("2026-05-01T00:00:00", 2),
            "the elements of IRIDIUM 106 are 43.8 days from the start of the run; legal is at most 30"
        );
        assert!(error("yesterday", 1).starts_with("\"yesterday\" given; legal is a date and time in UTC"));
        assert_eq!(error("2026-06-14T00:00:00", 3), "3 planes given; there are 2 satellites");
        assert_eq!(error("2026-06-14T00:00:00", 0), "0 planes given; there are 2 satellites");
    }
}
