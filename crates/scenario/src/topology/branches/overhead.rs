//! The geostationary satellites of branches, and who is on the ground, as far as their places are known.

use super::{Branch, Config, Site};
use crate::topology::overhead::{GroundPlace, Overhead};
use faircast_orbit::earth::Earth;
use faircast_orbit::geostationary;
use faircast_orbit::orbit::Orbit;

/// All of a configuration; nothing if no branch says above which longitude its satellite stands.
pub(super) fn of(config: &Config) -> Option<Overhead> {
    let of_branch = |(name, branch): (&String, &Branch)| {
        let longitude = branch.satellite.filter(|_| branch.preset.has_a_satellite())?;
        let mut stations: Vec<GroundPlace> = Vec::new();
        stations.extend(on_ground(format!("{name}-station"), branch.station.as_ref()));
        for index in 0..branch.receivers as usize {
            let own =
                branch.each.get(index % branch.each.len().max(1)).and_then(|different| different.terminal.as_ref());
            stations.extend(on_ground(format!("{name}-{index}"), own.or(branch.terminal.as_ref())));
        }
        Some(((format!("{name}-satellite"), Orbit::Still(geostationary::position(longitude))), stations))
    };
    let (satellites, stations): (Vec<_>, Vec<_>) = config.branches.iter().filter_map(of_branch).unzip();
    let stations = stations.into_iter().flatten().collect();
    (!satellites.is_empty()).then_some(Overhead { earth: Earth::Sphere, satellites, stations })
}

fn on_ground(name: String, site: Option<&Site>) -> Option<GroundPlace> {
    let Site { latitude: Some(latitude), longitude: Some(longitude), .. } = *site? else { return None };
    Some(GroundPlace { name, latitude, longitude })
}
