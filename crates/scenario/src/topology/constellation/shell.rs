//! What a constellation is made from, and what that says where a scenario says nothing.

use faircast_orbit::constellation::Shell;
use faircast_orbit::isl::IslRules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a constellation is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Shell")]
pub enum ShellChoice {
    /// ns-2's Iridium: 6 planes of 11 satellites at 780 km and 86.4°, the planes 31.6° apart, with a seam.
    #[default]
    Iridium,
    /// ns-2's Teledesic: 12 planes of 24 satellites at 1375 km and 84.7°, the planes 15° apart, with a seam.
    Teledesic,
    /// Starlink's first shell: 72 planes of 22 satellites at 550 km and 53°, all round the equator.
    Starlink,
    /// OneWeb as first filed: 18 planes of 40 satellites at 1200 km and 87.9°, 10° apart, with a seam.
    Oneweb,
    /// Kuiper's first shell: 34 planes of 34 satellites at 630 km and 51.9°, all round the equator.
    Kuiper,
    /// Telesat's near-polar shell: 27 planes of 13 satellites at 1015 km and 98.98°, all round the equator.
    Telesat,
    /// Walker's star: nodes over half of the equator, so that there is a seam.
    Star,
    /// Walker's delta: nodes all round the equator.
    Delta,
    /// Element sets of real satellites.
    Elements,
}

impl ShellChoice {
    /// The preset; of Walker's patterns nothing but the pattern.
    pub(super) fn preset(self) -> Option<Shell> {
        match self {
            ShellChoice::Iridium => Some(Shell::IRIDIUM),
            ShellChoice::Teledesic => Some(Shell::TELEDESIC),
            ShellChoice::Starlink => Some(Shell::STARLINK),
            ShellChoice::Oneweb => Some(Shell::ONEWEB),
            ShellChoice::Kuiper => Some(Shell::KUIPER),
            ShellChoice::Telesat => Some(Shell::TELESAT),
            ShellChoice::Star | ShellChoice::Delta | ShellChoice::Elements => None,
        }
    }

    /// The least elevation if nothing else is said, degrees: those of ns-2's examples and of the filings; of Telesat a
    /// choice.
    pub(super) fn mask(self) -> f64 {
        match self {
            ShellChoice::Teledesic => 40.0,
            ShellChoice::Starlink => 25.0,
            ShellChoice::Oneweb => 55.0,
            ShellChoice::Kuiper => 35.0,
            ShellChoice::Telesat => 10.0,
            ShellChoice::Iridium | ShellChoice::Star | ShellChoice::Delta | ShellChoice::Elements => 8.2,
        }
    }

    /// Which links between satellites there are if nothing else is said. Patterns and real satellites have ns-2's
    /// latitude by default, 70°; a delta has no poles to pass but Telesat's, whose planes cross there.
    pub(super) fn links(self) -> IslRules {
        match self {
            ShellChoice::Iridium => IslRules::IRIDIUM,
            ShellChoice::Teledesic => IslRules::TELEDESIC,
            ShellChoice::Star | ShellChoice::Oneweb | ShellChoice::Telesat | ShellChoice::Elements => {
                IslRules { max_latitude: 70.0, ..IslRules::IRIDIUM }
            }
            ShellChoice::Delta | ShellChoice::Starlink | ShellChoice::Kuiper => {
                IslRules { max_latitude: 90.0, ..IslRules::IRIDIUM }
            }
        }
    }
}
