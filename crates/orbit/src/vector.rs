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
