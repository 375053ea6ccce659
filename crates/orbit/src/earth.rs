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

    /// What `vector` is above: latitude (geodetic) and longitude in radians, and how high above the ground, km. The way
    /// back from [`place`](Self::place).
    pub fn above(self, vector: Vector) -> (f64, f64, f64) {
        match self {
            Earth::Sphere => (vector.latitude(), vector.longitude(), vector.length() - self.radius()),
            Earth::Wgs84 => {
                let squared = WGS84_FLATTENING * (2.0 - WGS84_FLATTENING);
                let from_axis = libm::hypot(vector.x, vector.y);
                // Where the upright meets the axis depends on the latitude; each round is off by a 150th of the last.
                let mut latitude = libm::atan2(vector.z, from_axis * (1.0 - squared));
                for _ in 0..6 {
                    let sin = libm::sin(latitude);
                    let below = squared * WGS84_AXIS / (1.0 - squared * sin * sin).sqrt() * sin;
                    latitude = libm::atan2(vector.z + below, from_axis);
                }
                let (sin, cos) = libm::sincos(latitude);
                let ground = WGS84_AXIS * (1.0 - squared * sin * sin).sqrt();
                (latitude, vector.longitude(), from_axis * cos + vector.z * sin - ground)
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

    #[test]
    fn what_is_above_a_place_is_above_it() {
        for earth in [Earth::Sphere, Earth::Wgs84] {
            for degrees in [-90.0, -57.3, -1e-7, 0.0, 0.1, 45.0, 89.9, 90.0_f64] {
                for (turned, altitude) in [(-179.0_f64, 0.0), (0.0, 780.0), (30.0, 35_786.0)] {
                    let (place, _) = earth.place(degrees.to_radians(), turned.to_radians(), altitude);
                    let (latitude, longitude, high) = earth.above(place);
                    assert!((latitude.to_degrees() - degrees).abs() < 1e-6, "{earth:?} {degrees} {altitude}");
                    assert!((high - altitude).abs() < 1e-6, "{earth:?} {degrees} {altitude}: {high}");
                    // At the poles every meridian is one.
                    let apart = (longitude.to_degrees() - turned).abs();
                    assert!(apart < 1e-9 || degrees.abs() == 90.0, "{earth:?} {degrees} {turned}");
                }
            }
        }
        // By hand: the geocentric latitude of 45° on the ellipsoid is atan(0.99330562) = 44.80758°; on the sphere the
        // direction itself counts.
        let (place, _) = Earth::Wgs84.place(std::f64::consts::FRAC_PI_4, 0.0, 0.0);
        assert!((Earth::Sphere.above(place).0.to_degrees() - 44.807_58).abs() < 1e-5);
        assert!((Earth::Wgs84.above(place).0.to_degrees() - 45.0).abs() < 1e-9);
    }
}
