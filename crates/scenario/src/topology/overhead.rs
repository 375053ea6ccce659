//! What of a topology has a place: satellites above the Earth, and who is on the ground.

use faircast_orbit::earth::Earth;
use faircast_orbit::orbit::Orbit;

/// Satellites whose places are known at any time, and the places on the ground that are known.
#[derive(Clone, Debug)]
pub struct Overhead {
    /// What the Earth is taken for.
    pub earth: Earth,
    /// Satellites by the names of their nodes, and how they move.
    pub satellites: Vec<(String, Orbit)>,
    /// Who stands on the ground.
    pub stations: Vec<GroundPlace>,
}

/// A node that stands on the ground, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundPlace {
    /// The name of the node.
    pub name: String,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}
