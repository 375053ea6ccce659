//! The position of a satellite over time.

use crate::earth::{Earth, SPHERE_MU};
use crate::vector::Vector;
use std::f64::consts::TAU;

/// How a satellite moves.
#[derive(Clone, Debug)]
pub enum Orbit {
    /// On a circle about a spherical Earth.
    Circular(Circular),
    /// By SGP4 from an element set.
    Elements(Box<ElementSet>),
    /// It stands still above the spherical Earth.
    Still(Vector),
}

/// A circular orbit, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circular {
    radius: f64,
    /// Radians per second.
    motion: f64,
    sin_inclination: f64,
    cos_inclination: f64,
    node: f64,
    phase: f64,
}

/// An element set, ready to be propagated.
#[derive(Clone, Debug)]
pub struct ElementSet {
    constants: sgp4::Constants,
    /// Minutes from the epoch of the elements to the start of the run.
    start_minutes: f64,
    /// The start of the run, Julian centuries of UT1 (taken for UTC) since the epoch J2000.
    start_centuries: f64,
}

impl Orbit {
    /// Where the satellite is, Earth-fixed, `seconds` after the start. `None`: it has come down, or its elements say
    /// nothing for that time.
    pub fn position(&self, seconds: f64) -> Option<Vector> {
        match self {
            Orbit::Circular(circular) => Some(circular.position(seconds)),
            Orbit::Elements(elements) => elements.position(seconds),
            Orbit::Still(place) => Some(*place),
        }
    }
}

impl Circular {
    /// At an altitude, km, with an inclination, the longitude of the ascending node at the start (inertial space and
    /// the Earth-fixed frame agree then) and the angle from there along the orbit, radians.
    pub fn new(altitude: f64, inclination: f64, node: f64, phase: f64) -> Circular {
        let radius = Earth::Sphere.radius() + altitude;
        let (sin_inclination, cos_inclination) = libm::sincos(inclination);
        let motion = (SPHERE_MU / (radius * radius * radius)).sqrt();
        Circular { radius, motion, sin_inclination, cos_inclination, node, phase }
    }

    /// One turn in inertial space, s.
    pub fn period(&self) -> f64 {
        TAU / self.motion
    }

    fn position(&self, seconds: f64) -> Vector {
        let (sin_u, cos_u) = libm::sincos(self.phase + self.motion * seconds);
        let along = Vector { x: cos_u, y: self.cos_inclination * sin_u, z: self.sin_inclination * sin_u };
        (along * self.radius).turned(self.node - Earth::sphere_turn(seconds))
    }
}

impl ElementSet {
    /// With a run that starts `start_minutes` after the epoch of the elements, `start_days` after noon of 1 January
    /// 2000 UTC.
    pub(crate) fn new(constants: sgp4::Constants, start_minutes: f64, start_days: f64) -> ElementSet {
        ElementSet { constants, start_minutes, start_centuries: start_days / 36_525.0 }
    }

    fn position(&self, seconds: f64) -> Option<Vector> {
        let (place, _) = self.state(seconds)?;
        let sidereal = greenwich_sidereal_time(self.start_centuries + seconds / 86_400.0 / 36_525.0);
        Some(place.turned(-sidereal))
    }

    /// Its position and velocity (km/s) in the frame of SGP4, which does not turn with the Earth.
    fn state(&self, seconds: f64) -> Option<(Vector, Vector)> {
        let minutes = sgp4::MinutesSinceEpoch(self.start_minutes + seconds / 60.0);
        let state = self.constants.propagate(minutes).ok()?;
        let [place, velocity] = [state.position, state.velocity].map(|[x, y, z]| Vector { x, y, z });
        // SGP4 itself does not stop at the ground (error 6 of its reference code).
        (place.length() > Earth::Wgs84.radius()).then_some((place, velocity))
    }

    /// The plane that it moves in at the start: inclination, ascending node, and how far it is along from there.
    pub(crate) fn plane(&self) -> Option<Plane> {
        let (place, velocity) = self.state(0.0)?;
        let normal = place.cross(velocity);
        let inclination = libm::atan2(libm::hypot(normal.x, normal.y), normal.z);
        let node = libm::atan2(normal.x, -normal.y);
        let (sin, cos) = libm::sincos(node);
        let to_node = Vector { x: cos, y: sin, z: 0.0 };
        let ahead = normal.cross(to_node) * (1.0 / normal.length());
        Some(Plane { inclination, node, along: libm::atan2(place.dot(ahead), place.dot(to_node)) })
    }
}

/// The plane of an orbit and a satellite's place in it, radians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) inclination: f64,
    pub(crate) node: f64,
    pub(crate) along: f64,
}

/// Greenwich mean sidereal time, radians: the IAU's expression of 1982 with which the frame of SGP4 (TEME) turns into
/// the Earth-fixed one [Vallado06], but for the motion of the poles, some ten metres.
fn greenwich_sidereal_time(centuries: f64) -> f64 {
    let c = centuries;
    let seconds = 67_310.548_41 + (876_600.0 * 3600.0 + 8_640_184.812_866) * c + 0.093_104 * c * c - 6.2e-6 * c * c * c;
    // 86 400 s are a turn.
    let turns = seconds / 86_400.0;
    TAU * (turns - turns.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_passed_in_its_period() {
        let orbit = Circular::new(780.0, 86.4_f64.to_radians(), 0.0, 0.0);
        assert!((orbit.period() - 6026.96).abs() < 0.01, "{}", orbit.period());
        // At the start over the equator at 0°; a quarter later at its highest latitude; a turn later the Earth has
        // turned below it by 25.18°.
        assert_eq!(orbit.position(0.0), Vector { x: 7158.0, y: 0.0, z: 0.0 });
        let highest = orbit.position(orbit.period() / 4.0).latitude().to_degrees();
        assert!((highest - 86.4).abs() < 1e-9);
        let after = orbit.position(orbit.period());
        assert!((after.longitude().to_degrees() + 360.0 * 6026.96 / 86_164.0).abs() < 1e-4);
        assert!(after.z.abs() < 1e-6);
    }

    #[test]
    fn sidereal_time_is_that_of_the_almanac() {
        // Noon of 1 January 2000: 18 h 41 min 50.548 s.
        assert!((greenwich_sidereal_time(0.0) - TAU * 67_310.548_41 / 86_400.0).abs() < 1e-12);
        // 10 April 1987, 0 h UT1: 13 h 10 min 46.3668 s [Meeus, Astronomical Algorithms, example 12.a].
        let days = 2_446_895.5 - 2_451_545.0;
        let hours = greenwich_sidereal_time(days / 36_525.0) / TAU * 24.0;
        assert!((hours - (13.0 + 10.0 / 60.0 + 46.3668 / 3600.0)).abs() < 1e-7, "{hours}");
    }
}
