//! Satellites in planes and slots.

use crate::earth::Earth;
use crate::orbit::{Circular, Orbit};
use crate::vector::Vector;
use std::f64::consts::{PI, TAU};

/// A satellite of a constellation.
#[derive(Clone, Debug)]
pub struct Satellite {
    /// Its name: plane and slot from 1 as in `3-11`, or that in its elements.
    pub name: String,
    /// The plane that it is in, from 0.
    pub plane: usize,
    /// Its place in the plane, from 0, in the order in which it goes ahead of slot 0.
    pub slot: usize,
    /// How it moves.
    pub orbit: Orbit,
    /// How far along its orbit it is at the start, from the ascending node, radians.
    pub(crate) along: f64,
}

/// All satellites, plane by plane and of a plane slot by slot.
#[derive(Clone, Debug)]
pub struct Constellation {
    /// What the Earth is taken for.
    pub earth: Earth,
    /// The satellites.
    pub satellites: Vec<Satellite>,
    /// Where each plane begins among the satellites, and where the last one ends.
    pub(crate) planes: Vec<usize>,
    /// What lies beside the last plane.
    pub(crate) beside_last: Beside,
    /// Whether slots of the same number in planes beside each other lie beside each other.
    pub(crate) numbered: bool,
}

/// What lies beside the last plane of a constellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// The first plane, going the same way; its slots are so many ahead of those of the same number.
    First { ahead: usize },
    /// The first plane, going the other way: the seam.
    Seam,
}

/// Circular orbits of one altitude and inclination, alike but for their nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// Above the ground, km.
    pub altitude: f64,
    /// Degrees.
    pub inclination: f64,
    /// How many planes there are, at least one: a shell without satellites has no links and no station sees anything of
    /// it, of which nothing here warns.
    pub planes: u32,
    /// How many satellites each of them has, likewise.
    pub slots: u32,
    /// From the ascending node of one plane to that of the next, degrees.
    pub spacing: f64,
    /// How the slots of a plane lie to those of the one before.
    pub phasing: Phasing,
    /// The time by which the constellation is ahead of its place at zero, s.
    pub offset: f64,
}

/// How the slots of a plane lie to those of the plane before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phasing {
    /// Every other plane is half a slot ahead (ns-2's Iridium and Teledesic).
    Alternate,
    /// Each is ahead of the one before by `F` parts of the circle divided by the number of satellites (Walker's
    /// notation i: T/P/F).
    Walker(u32),
}

impl Shell {
    /// The Iridium of ns-2's `sat-iridium` example, which [Peng] used: 6 planes of 11 satellites at 780 km and 86.4°,
    /// nodes 31.6° apart, every other plane half a slot ahead.
    pub const IRIDIUM: Shell = Shell {
        altitude: 780.0,
        inclination: 86.4,
        planes: 6,
        slots: 11,
        spacing: 31.6,
        phasing: Phasing::Alternate,
        offset: 0.0,
    };

    /// The Teledesic of ns-2's `sat-teledesic` example: 12 planes of 24 satellites at 1375 km and 84.7°, nodes 15°
    /// apart, every other plane half a slot ahead.
    pub const TELEDESIC: Shell = Shell {
        altitude: 1375.0,
        inclination: 84.7,
        planes: 12,
        slots: 24,
        spacing: 15.0,
        phasing: Phasing::Alternate,
        offset: 0.0,
    };

    /// The first shell of Starlink: 72 planes of 22 satellites at 550 km and 53° (FCC file SAT-MOD-20190830-00087). The
    /// phasing is a choice, 17: the filing does not say it.
    pub const STARLINK: Shell = Shell::delta(550.0, 53.0, 72, 22, 17);

    /// OneWeb as first filed: 18 planes of 40 satellites at 1200 km and 87.9° (FCC file SAT-LOI-20160428-00041), taken
    /// for a star. Nodes 10° apart and every other plane half a slot ahead are choices.
    pub const ONEWEB: Shell = Shell {
        altitude: 1200.0,
        inclination: 87.9,
        planes: 18,
        slots: 40,
        spacing: 10.0,
        phasing: Phasing::Alternate,
        offset: 0.0,
    };

    /// The first shell of Kuiper: 34 planes of 34 satellites at 630 km and 51.9° (FCC file SAT-LOA-20190704-00057). Its
    /// list of satellites has each plane three parts ahead of the one before.
    pub const KUIPER: Shell = Shell::delta(630.0, 51.9, 34, 34, 3);

    /// The first, near-polar shell of Telesat: 27 planes of 13 satellites at 1015 km and 98.98° (FCC file
    /// SAT-MPL-20200526-00053). The filing counts every other plane, 26.67° on, each 1.025° ahead of the one before:
    /// after 14 of its steps, once around, the next plane in space is 14 parts of 1.026° ahead.
    pub const TELESAT: Shell = Shell::delta(1015.0, 98.98, 27, 13, 14);

    /// Walker's delta pattern i: T/P/F [Walker84], whose nodes are spread over the whole circle: altitude in km,
    /// inclination in degrees, `planes` of `slots` satellites.
    pub const fn delta(altitude: f64, inclination: f64, planes: u32, slots: u32, phasing: u32) -> Shell {
        let spacing = 360.0 / planes as f64;
        Shell { altitude, inclination, planes, slots, spacing, phasing: Phasing::Walker(phasing), offset: 0.0 }
    }

    /// Walker's star pattern, whose nodes are spread over half of the circle, so that a seam lies where planes go
    /// against each other.
    pub fn star(altitude: f64, inclination: f64, planes: u32, slots: u32, phasing: u32) -> Shell {
        Shell { spacing: 180.0 / f64::from(planes), ..Shell::delta(altitude, inclination, planes, slots, phasing) }
    }

    /// Whether nodes go round the whole circle, so that the last plane lies beside the first and goes the same way.
    fn is_closed(&self) -> bool {
        (self.spacing * f64::from(self.planes) - 360.0).abs() < 1e-6 * self.spacing
    }

    /// One turn, s.
    pub fn period(&self) -> f64 {
        Circular::new(self.altitude, 0.0, 0.0, 0.0).period()
    }

    /// How far plane `plane` is ahead of plane 0, degrees.
    fn ahead(&self, plane: u32) -> f64 {
        let slot = 360.0 / f64::from(self.slots);
        match self.phasing {
            Phasing::Alternate => f64::from(plane % 2) * slot / 2.0,
            Phasing::Walker(parts) => f64::from(parts) * f64::from(plane) * slot / f64::from(self.planes),
        }
    }

    /// Its satellites.
    pub fn constellation(&self) -> Constellation {
        let mut satellites = Vec::with_capacity((self.planes * self.slots) as usize);
        let turned = Earth::sphere_turn(self.offset).to_degrees();
        let along = 360.0 * self.offset / self.period();
        for plane in 0..self.planes {
            for slot in 0..self.slots {
                // The Earth has turned below the nodes by the time at which the run starts.
                let node = self.spacing * f64::from(plane) - turned;
                let phase = 360.0 * f64::from(slot) / f64::from(self.slots) + self.ahead(plane) + along;
                let [inclination, node, phase] = [self.inclination, node, phase].map(f64::to_radians);
                let orbit = Orbit::Circular(Circular::new(self.altitude, inclination, node, phase));
                let name = format!("{}-{}", plane + 1, slot + 1);
                let along = phase.rem_euclid(TAU);
                satellites.push(Satellite { name, plane: plane as usize, slot: slot as usize, orbit, along });
            }
        }
        let beside_last = match (self.is_closed(), self.phasing) {
            // Once around, F slots are gained.
            (true, Phasing::Walker(parts)) => Beside::First { ahead: parts as usize % self.slots.max(1) as usize },
            (true, Phasing::Alternate) => Beside::First { ahead: 0 },
            (false, _) => Beside::Seam,
        };
        let planes = (0..=self.planes as usize).map(|plane| plane * self.slots as usize).collect();
        Constellation { earth: Earth::Sphere, satellites, planes, beside_last, numbered: true }
    }
}

impl Constellation {
    /// Whether satellites are named by the numbers of their planes and slots, as those of shells are.
    pub fn is_numbered(&self) -> bool {
        self.numbered
    }

    /// How many planes there are.
    pub fn planes(&self) -> usize {
        self.planes.len() - 1
    }

    /// How many satellites a plane has.
    pub fn slots(&self, plane: usize) -> usize {
        self.planes[plane + 1] - self.planes[plane]
    }

    /// The index of the satellite in a slot, which counts round the plane.
    pub fn at(&self, plane: usize, slot: usize) -> usize {
        self.planes[plane] + slot % self.slots(plane)
    }

    /// The satellite of plane `beside` that lies beside the one at `slot` of `plane`, if one does. `ahead`: by how many
    /// slots those of the other plane are ahead, where slots are numbered alike. Where they are not, the one along the
    /// orbit that is nearest to where the satellite would be in the other plane, if it is that one's nearest as well.
    pub(crate) fn abreast(&self, plane: usize, slot: usize, beside: usize, ahead: usize) -> Option<usize> {
        if self.numbered {
            return Some(self.at(beside, slot + ahead));
        }
        let phase = self.phase(plane, beside);
        let nearest = |along: f64, plane: usize| {
            let apart = |other: usize| from_to(along, self.satellites[other].along).abs();
            let range = self.planes[plane]..self.planes[plane + 1];
            range.min_by(|&a, &b| apart(a).total_cmp(&apart(b)))
        };
        let own = self.at(plane, slot);
        let other = nearest(self.satellites[own].along + phase, beside)?;
        (nearest(self.satellites[other].along - phase, plane) == Some(own)).then_some(other)
    }

    /// How far the satellites of plane `beside` are ahead of those of `plane` on the whole, at most half a slot: where
    /// they are just that, each taken by itself would find now the one ahead and now the one behind.
    fn phase(&self, plane: usize, beside: usize) -> f64 {
        let slots = self.slots(plane).min(self.slots(beside)) as f64;
        let along =
            |plane: usize| self.satellites[self.planes[plane]..self.planes[plane + 1]].iter().map(|own| own.along);
        let (mut sin, mut cos) = (0.0, 0.0);
        for own in along(plane) {
            let apart = along(beside).map(|other| from_to(own, other));
            let Some(least) = apart.min_by(|a, b| a.abs().total_cmp(&b.abs())) else { continue };
            let (part_sin, part_cos) = libm::sincos(slots * least);
            (sin, cos) = (sin + part_sin, cos + part_cos);
        }
        libm::atan2(sin, cos) / slots
    }

    /// Where a satellite is; its orbit must have been found to last.
    pub(crate) fn position(&self, satellite: usize, seconds: f64) -> Vector {
        let found = self.satellites[satellite].orbit.position(seconds);
        // One that has come down sees nobody and is seen by nobody.
        found.unwrap_or(Vector { x: 0.0, y: 0.0, z: 0.0 })
    }

    /// Satellites that cannot be followed until `seconds`, as they come down before: looked at every ten minutes, for a
    /// low orbit that is not round dips into the ground before it ends there.
    pub fn lost_until(&self, seconds: f64) -> Vec<usize> {
        const STEP: f64 = 600.0;
        let times = || (0..).map(|step| f64::from(step) * STEP).take_while(|&at| at < seconds).chain([seconds]);
        let lost = |index: &usize| times().any(|at| self.satellites[*index].orbit.position(at).is_none());
        (0..self.satellites.len()).filter(lost).collect()
    }
}

/// The shorter way round from one angle to another, -π to π.
fn from_to(from: f64, to: f64) -> f64 {
    (to - from + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iridium_has_its_nodes_and_phases() {
        let iridium = Shell::IRIDIUM.constellation();
        assert_eq!((iridium.satellites.len(), iridium.planes(), iridium.slots(5)), (66, 6, 11));
        assert_eq!(iridium.satellites[65].name, "6-11");
        // Slot 0 of plane 1 over the equator at 0°; of plane 3 at 63.2°; of plane 2 half a slot, 16.36°, north of its
        // node.
        let degrees = |index: usize| {
            let place = iridium.position(index, 0.0);
            (place.latitude().to_degrees(), place.longitude().to_degrees())
        };
        assert_eq!(degrees(0), (0.0, 0.0));
        assert!((degrees(22).1 - 63.2).abs() < 1e-9);
        let [sin_inclination, sin_along] = [86.4, 16.363_636_f64].map(|angle: f64| libm::sin(angle.to_radians()));
        let by_hand = libm::asin(sin_inclination * sin_along).to_degrees();
        assert!((degrees(11).0 - by_hand).abs() < 1e-5);
        // Slot 1 is 32.727° ahead of slot 0.
        let [a, b] = [0, 1].map(|index| iridium.position(index, 0.0));
        assert!((a.dot(b) / 7158.0 / 7158.0 - libm::cos((360.0_f64 / 11.0).to_radians())).abs() < 1e-9);
    }

    #[test]
    fn once_around_a_delta_the_phases_agree() {
        // 53°: 1584/72/17. The plane after the last would be the first, with its slots 17 ahead.
        let shell = Shell::delta(550.0, 53.0, 72, 22, 17);
        let starlink = shell.constellation();
        assert_eq!(starlink.beside_last, Beside::First { ahead: 17 });
        let neighbour = |a: usize, b: usize| starlink.position(a, 0.0).distance(starlink.position(b, 0.0));
        let usual = neighbour(starlink.at(3, 5), starlink.at(4, 5));
        let around = neighbour(starlink.at(71, 5), starlink.at(0, 5 + 17));
        // Not the same, as neither is their latitude; but neighbours, and others are not.
        assert!((usual - around).abs() < 400.0 && around < neighbour(starlink.at(71, 5), starlink.at(0, 5)));
        assert_eq!(Shell::star(1200.0, 87.9, 18, 40, 1).constellation().beside_last, Beside::Seam);
    }

    #[test]
    fn first_shells_are_as_filed() {
        let shells = [Shell::STARLINK, Shell::ONEWEB, Shell::KUIPER, Shell::TELESAT];
        let satellites = shells.map(|shell| shell.constellation().satellites.len());
        assert_eq!(satellites, [1584, 720, 1156, 351]);
        // By Kepler's third law with the constants above: 2π √(a³/μ).
        for (shell, period) in shells.into_iter().zip([5738.82, 6565.12, 5838.51, 6326.18]) {
            assert!((shell.period() - period).abs() < 0.01, "{} s", shell.period());
        }
        let closes = |shell: Shell| shell.constellation().beside_last;
        assert_eq!(closes(Shell::ONEWEB), Beside::Seam);
        assert_eq!(closes(Shell::KUIPER), Beside::First { ahead: 3 });
        assert_eq!(closes(Shell::TELESAT), Beside::First { ahead: 14 % 13 });
    }

    #[test]
    fn planes_of_telesat_are_ahead_as_its_filing_counts_them() {
        // The filing's plane k has its node at 26.67° · k and is 1.025° · k ahead.
        for filed in 0..27_u32 {
            let plane = 2 * filed % 27;
            let apart = Shell::TELESAT.ahead(plane) - 1.025 * f64::from(filed);
            let slot = 360.0 / 13.0;
            let apart = (apart + slot / 2.0).rem_euclid(slot) - slot / 2.0;
            assert!(apart.abs() < 0.02, "plane {filed}: {apart}°");
        }
    }

    #[test]
    fn every_shell_starts_at_its_first_node() {
        for shell in [Shell::TELEDESIC, Shell::delta(550.0, 53.0, 5, 4, 3), Shell::star(1200.0, 87.9, 5, 4, 3)] {
            let place = shell.constellation().position(0, 0.0);
            assert_eq!((place.latitude(), place.longitude()), (0.0, 0.0));
        }
        // The planes of a star lie on half of the circle.
        let star = Shell::star(1200.0, 87.9, 5, 4, 0).constellation();
        assert!((star.position(star.at(4, 0), 0.0).longitude().to_degrees() - 144.0).abs() < 1e-9);
        // Six planes of Iridium 60° apart close, with slots of the same number beside each other.
        let closed = Shell { spacing: 60.0, ..Shell::IRIDIUM }.constellation();
        assert_eq!(closed.beside_last, Beside::First { ahead: 0 });
    }

    #[test]
    fn abreast_is_who_is_nearest_along_the_orbit() {
        // Each plane 10° ahead of the one before, of a slot of 32.7°: the same slot, not the one behind it.
        let mut iridium = Shell { phasing: Phasing::Walker(0), ..Shell::IRIDIUM }.constellation();
        iridium.numbered = false;
        for satellite in &mut iridium.satellites {
            satellite.along += (10.0 * satellite.plane as f64).to_radians();
        }
        for plane in 0..5 {
            for slot in 0..11 {
                assert_eq!(iridium.abreast(plane, slot, plane + 1, 0), Some(iridium.at(plane + 1, slot)));
                assert_eq!(iridium.abreast(plane + 1, slot, plane, 0), Some(iridium.at(plane, slot)));
            }
        }
    }

    #[test]
    fn half_a_slot_ahead_everyone_has_a_partner() {
        // As element sets have it: planes of ns-2's Iridium half a slot apart but for a tenth of a degree, so that the
        // nearest is now the one ahead and now the one behind.
        let mut iridium = Shell::IRIDIUM.constellation();
        iridium.numbered = false;
        for (index, satellite) in iridium.satellites.iter_mut().enumerate() {
            satellite.along += 0.1_f64.to_radians() * libm::sin(index as f64 * index as f64);
        }
        for plane in 0..5 {
            let partners: Vec<usize> =
                (0..11).map(|slot| iridium.abreast(plane, slot, plane + 1, 0).expect("everyone has one")).collect();
            // All of them ahead by as many slots.
            let ahead = |slot: usize| (partners[slot] - iridium.planes[plane + 1] + 11 - slot) % 11;
            assert!((0..11).all(|slot| ahead(slot) == ahead(0) && [0, 1, 10].contains(&ahead(0))), "{partners:?}");
        }
    }

    #[test]
    fn an_offset_is_time_gone_by() {
        let later = Shell { offset: 1234.5, ..Shell::IRIDIUM }.constellation();
        let now = Shell::IRIDIUM.constellation();
        for index in [0, 17, 65] {
            assert!(later.position(index, 100.0).distance(now.position(index, 1334.5)) < 1e-6);
        }
    }
}
