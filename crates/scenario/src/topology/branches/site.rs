//! Delays that follow from where a place and a satellite are.

use faircast_orbit::geostationary;
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place on the ground: how high the satellite stands there, or where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Site>)]
#[serde(default)]
pub struct Site {
    /// How high the satellite stands above the horizon, degrees: 90 straight below it, 0 at the edge of what it sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevation: Option<f64>,
    /// Degrees north.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latitude: Option<f64>,
    /// Degrees east.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longitude: Option<f64>,
}

limits! { Site {
    elevation: from(0.0).to(90.0),
    latitude: from(-90.0).to(90.0),
    longitude: from(-180.0).to(360.0),
} }

impl Site {
    /// The delay from here to a satellite that stands above a longitude, or which key is wrong and why.
    pub(super) fn delay(&self, satellite: Option<f64>) -> Result<Duration, (&'static str, String)> {
        let elevation = match (self.elevation, self.latitude, self.longitude) {
            (Some(elevation), None, None) => elevation,
            (Some(_), ..) => {
                let message = "the elevation and a place are given: say how high the satellite stands, or where it is";
                return Err(("elevation", message.into()));
            }
            (None, Some(latitude), Some(longitude)) => {
                let Some(satellite) = satellite else {
                    let message = "a place was given, but not where the satellite is: give `satellite`, its longitude, \
                                   or an elevation here";
                    return Err(("", message.into()));
                };
                let elevation = geostationary::elevation(latitude, longitude, satellite);
                if elevation < 0.0 {
                    let message = format!(
                        "a satellite above {satellite}° E stands {:.1}° below the horizon there; legal are places that \
                         see it",
                        -elevation
                    );
                    return Err(("", message));
                }
                elevation
            }
            (None, Some(_), None) => {
                return Err(("longitude", "missing: a place has a latitude and a longitude".into()));
            }
            (None, None, Some(_)) => {
                return Err(("latitude", "missing: a place has a latitude and a longitude".into()));
            }
            (None, None, None) => {
                let message = "an elevation is missing, or a latitude and a longitude";
                return Err(("", message.into()));
            }
        };
        // Legal elevations give some 10^8 ns.
        Ok(Duration((geostationary::delay_at(elevation) * 1e9).round() as u64))
    }
}
