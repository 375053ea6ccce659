//! The satellites of a constellation and the links between them, from the keys of a scenario.

use super::Config;
use super::shell::ShellChoice;
use faircast_orbit::constellation::{Constellation, Shell};
use faircast_orbit::elements::{ElementSets, ElementsError};
use faircast_orbit::isl::IslRules;

impl Config {
    /// Fills in what the shell says.
    pub(super) fn fill_shell(&mut self) {
        if let Some(preset) = self.shell.preset() {
            self.altitude.get_or_insert(preset.altitude);
            self.inclination.get_or_insert(preset.inclination);
            self.planes.get_or_insert(preset.planes);
            self.slots.get_or_insert(preset.slots);
            self.spacing.get_or_insert(preset.spacing);
        }
        self.mask.get_or_insert(self.shell.mask());
        let links = self.shell.links();
        self.isl_in_plane.get_or_insert(links.in_plane as u32);
        self.isl_between_planes.get_or_insert(links.between_planes as u32);
        self.cross_seam.get_or_insert(links.cross_seam);
        self.isl_latitude.get_or_insert(links.max_latitude);
        self.isl_longitude.get_or_insert(links.min_longitude);
        if self.shell == ShellChoice::Elements && self.date.is_none() {
            self.date = self.element_sets().ok().map(|sets| sets.latest_epoch());
        }
    }

    /// Which links there are between satellites.
    pub(super) fn isl_rules(&self) -> IslRules {
        let preset = self.shell.links();
        IslRules {
            in_plane: self.isl_in_plane.map_or(preset.in_plane, |links| links as usize),
            between_planes: self.isl_between_planes.map_or(preset.between_planes, |links| links as usize),
            cross_seam: self.cross_seam.unwrap_or(preset.cross_seam),
            max_latitude: self.isl_latitude.unwrap_or(preset.max_latitude),
            min_longitude: self.isl_longitude.unwrap_or(preset.min_longitude),
            check: self.isl_check.as_secs_f64(),
        }
    }

    /// How many satellites there are, as far as that can be said: the first nodes.
    pub(super) fn satellites(&self) -> u64 {
        match self.shell {
            ShellChoice::Elements => self.elements.as_ref().map_or(0, |sets| sets.len() as u64),
            _ => {
                let preset = self.shell.preset();
                let planes = self.planes.or(preset.map(|shell| shell.planes));
                let slots = self.slots.or(preset.map(|shell| shell.slots));
                u64::from(planes.unwrap_or(0)) * u64::from(slots.unwrap_or(0))
            }
        }
    }

    /// The satellites at the start of the run, or the key that keeps them from being there, and why.
    pub(super) fn constellation(&self) -> Result<Constellation, (&'static str, String)> {
        if self.shell == ShellChoice::Elements {
            return self.real();
        }
        let lacking = [
            ("altitude", self.altitude.is_none()),
            ("inclination", self.inclination.is_none()),
            ("planes", self.planes.is_none()),
            ("slots", self.slots.is_none()),
        ];
        let missing = lacking.into_iter().find_map(|(key, lacks)| lacks.then_some(key));
        let mut filled = self.clone();
        filled.fill_shell();
        let (Some(altitude), Some(inclination), Some(planes), Some(slots)) =
            (filled.altitude, filled.inclination, filled.planes, filled.slots)
        else {
            let message = "missing: Walker's patterns need altitude (km), inclination (degrees), planes and slots";
            return Err((missing.unwrap_or("shell"), message.to_owned()));
        };
        let parts = self.phasing.unwrap_or(0);
        let pattern = match self.shell {
            ShellChoice::Delta => Shell::delta(altitude, inclination, planes, slots, parts),
            _ => Shell::star(altitude, inclination, planes, slots, parts),
        };
        let phasing = match (self.phasing, self.shell.preset()) {
            (None, Some(preset)) => preset.phasing,
            _ => pattern.phasing,
        };
        let (spacing, offset) = (filled.spacing.unwrap_or(pattern.spacing), self.start.as_secs_f64());
        Ok(Shell { spacing, phasing, offset, ..pattern }.constellation())
    }

    /// Those of the element sets.
    fn real(&self) -> Result<Constellation, (&'static str, String)> {
        let sets = self.element_sets()?;
        let Some(planes) = self.planes else {
            return Err(("planes", "missing: into how many planes the satellites are to be sorted".to_owned()));
        };
        let date = self.date.clone().unwrap_or_else(|| sets.latest_epoch());
        sets.constellation(&date, planes as usize).map_err(|error| {
            let key = match &error {
                ElementsError::Date(_) | ElementsError::FarFromStart(..) => "date",
                ElementsError::TooManyPlanes(..) => "planes",
                _ => "elements",
            };
            (key, error.to_string())
        })
    }

    fn element_sets(&self) -> Result<ElementSets, (&'static str, String)> {
        let Some(entries) = &self.elements else {
            let message = "missing: a file of element sets, OMM in JSON or two-line elements, or a list of them";
            return Err(("elements", message.to_owned()));
        };
        let text = serde_json::to_string(entries).map_err(|error| ("elements", error.to_string()))?;
        ElementSets::parse(&text).map_err(|error| ("elements", error.to_string()))
    }
}
