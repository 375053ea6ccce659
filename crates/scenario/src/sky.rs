//! The sky over a scenario: where its satellites are at which times, and its stations, for pictures.

use crate::model::Scenario;
use crate::topology::GroundPlace;
use faircast_orbit::earth::Earth;
use faircast_orbit::orbit::Orbit;

/// Satellites and stations of a scenario.
///
/// The numbers are single precision, some metres on the ground: they are for eyes, no run is made of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sky {
    /// Names of the satellites' nodes.
    pub satellites: Vec<String>,
    /// The nodes on the ground whose places are known.
    pub stations: Vec<GroundPlace>,
    /// What each satellite is above, degrees north: geocentric on the sphere of shells, geodetic on the ellipsoid of
    /// real elements. All satellites at the first time, then at the next; NaN where one is lost: it has come down, or
    /// its elements say nothing for that time.
    pub latitude: Vec<f32>,
    /// Degrees east, -180 to 180, in the same order.
    pub longitude: Vec<f32>,
    /// Above the ground, metres, in the same order.
    pub altitude: Vec<f32>,
}

/// Where the satellites of a scenario are in the run with a seed, at `times`, seconds from its start; nothing if its
/// topology has none whose places are known.
///
/// Constellations have them, and geostationary satellites of branches that say above which longitude they stand. A bent
/// pipe is no node, and named as the node would be.
pub fn sky(scenario: &Scenario, seed: u64, times: &[f64]) -> Option<Sky> {
    let overhead = scenario.topology.as_ref()?.overhead(&scenario.surroundings(seed))?;
    let rows = overhead.satellites.len() * times.len();
    let [mut latitude, mut longitude, mut altitude] = [(); 3].map(|()| Vec::with_capacity(rows));
    for &at in times {
        for (_, orbit) in &overhead.satellites {
            let [north, east, high] = place(overhead.earth, orbit, at);
            latitude.push(north);
            longitude.push(east);
            altitude.push(high);
        }
    }
    let satellites = overhead.satellites.into_iter().map(|(name, _)| name).collect();
    Some(Sky { satellites, stations: overhead.stations, latitude, longitude, altitude })
}

/// Latitude and longitude, degrees, and altitude, metres, at a time.
fn place(earth: Earth, orbit: &Orbit, at: f64) -> [f32; 3] {
    let Some(place) = orbit.position(at) else { return [f32::NAN; 3] };
    let (latitude, longitude, altitude) = earth.above(place);
    [latitude.to_degrees(), longitude.to_degrees(), 1e3 * altitude].map(|number| number as f32)
}
