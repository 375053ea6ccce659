//! Geostationary satellites: how far they are from a place on the ground, which never changes.

use crate::earth::Earth;
use crate::station::Station;
use crate::vector::Vector;

/// How high above the ground they are, km [ns-2's satellite model].
pub const ALTITUDE: f64 = 35_786.0;

/// Where the satellite above a longitude is, degrees east.
pub fn position(longitude: f64) -> Vector {
    let (sin, cos) = libm::sincos(longitude.to_radians());
    let radius = Earth::Sphere.radius() + ALTITUDE;
    Vector { x: radius * cos, y: radius * sin, z: 0.0 }
}

/// How long light takes to a satellite that stands `elevation` degrees above the horizon, s: 119.4 ms straight above,
/// 139.0 ms at the horizon.
pub fn delay_at(elevation: f64) -> f64 {
    let (ground, orbit) = (Earth::Sphere.radius(), Earth::Sphere.radius() + ALTITUDE);
    let (sin, cos) = libm::sincos(elevation.to_radians());
    // The triangle of the Earth's centre, the place and the satellite, solved for the side between the latter two.
    let distance = (orbit * orbit - ground * ground * cos * cos).sqrt() - ground * sin;
    distance / Earth::Sphere.light()
}

/// How high the satellite above a longitude stands at a place, degrees, all in degrees; negative below the horizon.
pub fn elevation(latitude: f64, longitude: f64, satellite: f64) -> f64 {
    Station::new(Earth::Sphere, latitude, longitude, 0.0).elevation(position(satellite)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_those_of_the_sources() {
        // 35786 km at 299793 km/s; the tangent to the ground is sqrt(42164² - 6378²) = 41678.8 km long.
        for (degrees, millis) in [(90.0, 119.369), (10.0, 135.4), (0.0, 139.025)] {
            let delay = 1e3 * delay_at(degrees);
            assert!((delay - millis).abs() < 0.05, "{degrees}: {delay}");
        }
        assert!((1e3 * delay_at(90.0) - 119.369).abs() < 5e-4);
        assert!((1e3 * delay_at(0.0) - 139.025).abs() < 5e-4);
    }

    #[test]
    fn places_see_it_as_high_as_their_distance_says() {
        for (latitude, longitude, satellite) in [(0.0, 19.2, 19.2), (50.1, 8.7, 19.2), (-33.0, 351.0, -30.0)] {
            let station = Station::new(Earth::Sphere, latitude, longitude, 0.0);
            let delay = station.distance(position(satellite)) / Earth::Sphere.light();
            assert!((delay_at(elevation(latitude, longitude, satellite)) - delay).abs() < 1e-9);
        }
        assert!((elevation(0.0, 19.2, 19.2) - 90.0).abs() < 1e-6);
        // From the pole, and from the other side, nothing is to be seen: atan(-6378 / 42164) and straight below.
        assert!((elevation(90.0, 0.0, 0.0) + 8.601).abs() < 1e-3);
        assert!((elevation(0.0, 180.0, 0.0) + 90.0).abs() < 1e-6);
        // The textbook's: tan e = (cos c - E/S) / sin c, where cos c = cos latitude · cos difference of longitudes:
        // 0.6307085.
        assert!((elevation(50.1, 8.7, 19.2) - 31.708_678_5).abs() < 1e-6);
    }
}
