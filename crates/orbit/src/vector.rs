//! Vectors of three numbers, kilometres unless said otherwise.

use std::ops::{Add, Mul, Sub};

/// A place or a direction in the Earth-fixed frame: x through the meridian of Greenwich, z through the north pole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    /// Towards 0° E on the equator.
    pub x: f64,
    /// Towards 90° E on the equator.
    pub y: f64,
    /// Towards the north pole.
    pub z: f64,
}

impl Vector {
    /// The product with another one.
    pub fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product with another one: at right angles to both.
    pub fn cross(self, other: Vector) -> Vector {
        Vector {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Its length.
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The distance to another place.
    pub fn distance(self, other: Vector) -> f64 {
        (self - other).length()
    }

    /// Turned about the pole, eastward by `angle` radians.
    pub fn turned(self, angle: f64) -> Vector {
        let (sin, cos) = libm::sincos(angle);
        Vector { x: self.x * cos - self.y * sin, y: self.x * sin + self.y * cos, z: self.z }
    }

    /// The angle above the equator as seen from the centre, radians.
    pub fn latitude(self) -> f64 {
        libm::asin((self.z / self.length()).clamp(-1.0, 1.0))
    }

    /// The angle east of Greenwich, radians, -π to π.
    pub fn longitude(self) -> f64 {
        libm::atan2(self.y, self.x)
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;
    fn mul(self, factor: f64) -> Vector {
        Vector { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_their_angles() {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|[x, y, z]| Vector { x, y, z });
        assert_eq!([x.cross(y), y.cross(z), z.cross(x)], [z, x, y]);
        let [a, b] = [Vector { x: 1.0, y: 2.0, z: 3.0 }, Vector { x: -4.0, y: 5.0, z: 7.0 }];
        assert_eq!(a.cross(b), Vector { x: -1.0, y: -19.0, z: 13.0 });
        for degrees in [-90.0, -45.0, 0.0, 30.0_f64] {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            let found = Vector { x: -7.0 * cos, y: 0.0, z: 7.0 * sin }.latitude().to_degrees();
            assert!((found - degrees).abs() < 1e-6, "{found}");
        }
        assert!((y.turned(0.5).longitude() - std::f64::consts::FRAC_PI_2 - 0.5).abs() < 1e-12);
    }
}
