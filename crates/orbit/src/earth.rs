//! The Earth: its shape, how it turns, and the speed of light as its sources have it.

use crate::vector::Vector;
use std::f64::consts::TAU;

/// What the Earth is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earth {
    /// A sphere, with the constants of ns-2's satellite extension: radius 6378 km, μ = 398 601.2 km³/s², a sidereal day
    /// of 86 164 s, light at 299 793 km/s.
    Sphere,
    /// The ellipsoid of WGS 84, for real element sets.
    Wgs84,
}

/// The gravity of the spherical Earth, km³/s².
pub const SPHERE_MU: f64 = 398_601.2;
/// One turn of the spherical Earth, s.
pub const SPHERE_SIDEREAL_DAY: f64 = 86_164.0;
/// What a path of light must clear above the ground, km: ns-2's margin for the atmosphere.
pub const ATMOSPHERE: f64 = 150.0;

/// WGS 84: semi-major axis, km, and flattening.
const WGS84_AXIS: f64 = 6378.137;
const WGS84_FLATTENING: f64 = 1.0 / 298.257_223_563;

impl Earth {
    /// The radius at the equator, km.
    pub fn radius(self) -> f64 {
        match self {
            Earth::Sphere => 6378.0,
            Earth::Wgs84 => WGS84_AXIS,
        }
    }

    /// The speed of light, km/s.
    pub fn light(self) -> f64 {
        match self {
            Earth::Sphere => 299_793.0,
            Earth::Wgs84 => 299_792.458,
        }
    }

    /// How far the spherical Earth turns in `seconds`, radians.
    pub fn sphere_turn(seconds: f64) -> f64 {
        TAU * (seconds / SPHERE_SIDEREAL_DAY)
    }

    /// A place on the ground or `altitude` km above it, and the direction up there. Latitude (geodetic) and longitude
    /// in radians.
    pub fn place(self, latitude: f64, longitude: f64, altitude: f64) -> (Vector, Vector) {
        let (sin_lat, cos_lat) = libm::sincos(latitude);
        let (sin_lon, cos_lon) = libm::sincos(longitude);
        let up = Vector { x: cos_lat * cos_lon, y: cos_lat * sin_lon, z: sin_lat };
        match self {
            Earth::Sphere => (up * (self.radius() + altitude), up),
            Earth::Wgs84 => {
                // The radius of curvature in the prime vertical.
                let squared = WGS84_FLATTENING * (2.0 - WGS84_FLATTENING);
                let curvature = WGS84_AXIS / (1.0 - squared * sin_lat * sin_lat).sqrt();
                let flat = curvature * (1.0 - squared);
                let (x, y) = ((curvature + altitude) * up.x, (curvature + altitude) * up.y);
                (Vector { x, y, z: (flat + altitude) * up.z }, up)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_where_they_are() {
        let near = |(place, _): (Vector, Vector), [x, y, z]: [f64; 3]| {
            assert!(place.distance(Vector { x, y, z }) < 0.001, "{place:?}");
        };
        let angle = std::f64::consts::FRAC_PI_2;
        near(Earth::Sphere.place(0.0, angle, 2.0), [0.0, 6380.0, 0.0]);
        near(Earth::Wgs84.place(0.0, 0.0, 0.0), [6378.137, 0.0, 0.0]);
        // The polar axis is 6356.7523 km.
        near(Earth::Wgs84.place(-angle, 1.0, 1.0), [0.0, 0.0, -6357.7523]);
        // By hand: N = 6388.8385 km at 45°; (N cos²45, N cos²45, 0.99330562 N sin 45).
        let [lat, lon] = [45.0_f64, 45.0].map(f64::to_radians);
        near(Earth::Wgs84.place(lat, lon, 0.0), [3194.419, 3194.419, 4487.348]);
        // 10 km higher: 5, 5, 7.071.
        near(Earth::Wgs84.place(lat, lon, 10.0), [3199.419, 3199.419, 4494.419]);
        assert_eq!([Earth::Sphere, Earth::Wgs84].map(Earth::light), [299_793.0, 299_792.458]);
    }
}
