//! Element sets of real satellites, as a scenario holds them: the fields of an OMM that the propagation reads.

use faircast_proto::limits;
use faircast_proto::limits::{from, to};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The elements of a satellite.
///
/// They are an Orbit Mean-Elements Message (CCSDS 502.0) for SGP4, with the names of its keywords.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Elements", transform = limits::declare::<ElementsEntry>)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct ElementsEntry {
    /// Name of the satellite.
    pub object_name: String,
    /// Its international designator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
    /// Its number in the catalogue.
    pub norad_cat_id: u64,
    /// When the elements hold, UTC.
    pub epoch: String,
    /// Turns per day.
    pub mean_motion: f64,
    /// Shape of the orbit.
    pub eccentricity: f64,
    /// Degrees.
    pub inclination: f64,
    /// Right ascension of the ascending node, degrees.
    pub ra_of_asc_node: f64,
    /// Argument of the perigee, degrees.
    pub arg_of_pericenter: f64,
    /// Degrees.
    pub mean_anomaly: f64,
    /// Drag, per radius of the Earth.
    #[serde(default)]
    pub bstar: f64,
    /// Half of the first derivative of the mean motion, turns per day squared.
    #[serde(default)]
    pub mean_motion_dot: f64,
    /// A sixth of the second one, turns per day cubed.
    #[serde(default)]
    pub mean_motion_ddot: f64,
    /// Which theory the elements are for: 0, SGP4.
    #[serde(default)]
    pub ephemeris_type: u8,
    /// Whether it is classified.
    #[serde(default = "unclassified")]
    #[schemars(regex(pattern = "^[UCS]$"))]
    pub classification_type: String,
    /// How often elements have been given.
    #[serde(default)]
    pub element_set_no: u64,
    /// How often it has gone round.
    #[serde(default)]
    pub rev_at_epoch: u64,
}

limits! { ElementsEntry {
    eccentricity: from(0.0).to(1.0),
    inclination: from(0.0).to(180.0),
    ephemeris_type: to(4),
} }

fn unclassified() -> String {
    "U".to_owned()
}
