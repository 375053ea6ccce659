//! A place on the ground, and how high a satellite stands there.

use crate::earth::Earth;
use crate::vector::Vector;

/// A ground station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    place: Vector,
    up: Vector,
}

impl Station {
    /// At a latitude and longitude, degrees, `altitude` km above the ground.
    pub fn new(earth: Earth, latitude: f64, longitude: f64, altitude: f64) -> Station {
        let (place, up) = earth.place(latitude.to_radians(), longitude.to_radians(), altitude);
        Station { place, up }
    }

    /// Where it is.
    pub fn place(&self) -> Vector {
        self.place
    }

    /// The angle of `satellite` above its horizon, radians; negative below.
    pub fn elevation(&self, satellite: Vector) -> f64 {
        let way = satellite - self.place;
        libm::asin((way.dot(self.up) / way.length()).clamp(-1.0, 1.0))
    }

    /// Whether `satellite` stands higher than the angle whose sine this is: [`elevation`](Self::elevation) without its
    /// arc sine, for those who look for one of many.
    pub fn sees(&self, satellite: Vector, sin_mask: f64) -> bool {
        let way = satellite - self.place;
        way.dot(self.up) > sin_mask * way.length()
    }

    /// The way to a satellite, km.
    pub fn distance(&self, satellite: Vector) -> f64 {
        self.place.distance(satellite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_satellite_at_780_km_stands_as_high_as_its_distance_says() {
        // Zenith: 780 km, 2.60 ms. At 8.2° it is 2464.6 km away and 19.92° of the centre's angle.
        let station = Station::new(Earth::Sphere, 0.0, 0.0, 0.0);
        let at = |degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            Vector { x: 7158.0 * cos, y: 7158.0 * sin, z: 0.0 }
        };
        assert!((station.elevation(at(0.0)).to_degrees() - 90.0).abs() < 1e-6);
        assert!((station.distance(at(0.0)) / Earth::Sphere.light() - 0.002_601_8).abs() < 1e-6);
        assert!((station.elevation(at(19.92)).to_degrees() - 8.2).abs() < 0.01);
        assert!((station.distance(at(19.92)) - 2464.6).abs() < 1.0);
        // The textbook's formula, from sides alone.
        for degrees in [1.0, 7.0, 19.0, 26.9] {
            let (e, s, d) = (6378.0_f64, 7158.0_f64, station.distance(at(degrees)));
            let centre = libm::acos((e * e + s * s - d * d) / (2.0 * e * s));
            let elevation = libm::acos(libm::sin(centre) * s / d);
            assert!((station.elevation(at(degrees)) - elevation).abs() < 1e-9);
            assert!(station.sees(at(degrees), libm::sin(elevation - 1e-6)));
            assert!(!station.sees(at(degrees), libm::sin(elevation + 1e-6)));
        }
        assert!(station.elevation(at(28.0)) < 0.0, "below the horizon");
    }
}
