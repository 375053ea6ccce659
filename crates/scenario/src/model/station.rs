//! What a scenario says of ground stations.

use super::link::{Duplex, Settings};
use faircast_proto::limits;
use faircast_proto::limits::from;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ground station: a node that has a link to one satellite of the constellation at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Station", transform = limits::declare::<StationEntry>)]
pub struct StationEntry {
    /// Degrees north, from -90 to 90: geocentric on the sphere of shells, geodetic on the ellipsoid of real elements.
    pub latitude: f64,
    /// Degrees east, from -180 to 360.
    pub longitude: f64,
    /// Above the ground, km. Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub altitude: f64,
    /// The least elevation of a satellite that it takes, degrees. Default: `topology.mask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<f64>,
    /// What is different about its transmitter, the link `NAME-up`.
    #[serde(default, skip_serializing_if = "Duplex::is_empty")]
    #[schemars(with = "Settings")]
    pub uplink: Duplex,
    /// What is different about the links from satellites to it: losses. If rate, queue, agent or header are said,
    /// every satellite has a queue and a transmitter of their own for this station.
    #[serde(default, skip_serializing_if = "Duplex::is_empty")]
    #[schemars(with = "Settings")]
    pub downlink: Duplex,
}

limits! { StationEntry {
    latitude: from(-90.0).to(90.0),
    longitude: from(-180.0).to(360.0),
    altitude: from(0.0).to(100.0),
    mask: from(0.0).to(89.0),
} }

impl StationEntry {
    /// Whether satellites have a transmitter of its own for it.
    pub(crate) fn has_a_beam(&self) -> bool {
        let Settings { rate, queue, agent, header, .. } = &self.downlink.both;
        rate.is_some() || queue.is_some() || agent.is_some() || header.is_some()
    }
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}
