//! Links between satellites, and when they are up.

use crate::constellation::{Beside, Constellation};
use crate::earth::ATMOSPHERE;
use crate::vector::Vector;

/// Which links there are, and under what conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslRules {
    /// How many satellites ahead and as many behind in its plane a satellite has links to.
    pub in_plane: usize,
    /// To the satellites of the same slot in how many planes on either side.
    pub between_planes: usize,
    /// Whether there are links across the seam.
    pub cross_seam: bool,
    /// Latitude above which a satellite's links to other planes are down, 0 to 90 degrees, as seen from the centre.
    pub max_latitude: f64,
    /// Difference of longitudes below which links across the seam are down, as the satellites pass too fast, degrees.
    pub min_longitude: f64,
    /// From one check of latitudes and sight to the next, s; more than 0.
    pub check: f64,
}

/// A link between two satellites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Isl {
    /// The satellites, the lower index first.
    pub ends: [usize; 2],
    /// Which kind of link.
    pub kind: IslKind,
}

/// Kinds of links between satellites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IslKind {
    /// In one plane: up as long as the satellites see each other.
    InPlane,
    /// Between planes that go the same way: down at high latitudes.
    BetweenPlanes,
    /// Across the seam, between the satellites that are each other's nearest.
    CrossSeam,
}

impl IslRules {
    /// ns-2's `sat-iridium`: two in the plane, one to each neighbouring plane below 60° of latitude, none across the
    /// seam.
    pub const IRIDIUM: IslRules = IslRules {
        in_plane: 1,
        between_planes: 1,
        cross_seam: false,
        max_latitude: 60.0,
        min_longitude: 10.0,
        check: 10.0,
    };

    /// ns-2's `sat-teledesic`: four in the plane, two to each side, one across the seam.
    pub const TELEDESIC: IslRules =
        IslRules { in_plane: 2, between_planes: 2, cross_seam: true, min_longitude: 8.0, ..IslRules::IRIDIUM };

    /// No links between satellites at all.
    pub const NONE: IslRules = IslRules { in_plane: 0, between_planes: 0, cross_seam: false, ..IslRules::IRIDIUM };

    /// Whether they make links at all.
    pub fn are_any(&self) -> bool {
        self.in_plane > 0 || self.between_planes > 0 || self.cross_seam
    }

    /// The links that are there for good, up or down; those across the seam come and go, see [`across_seam`].
    pub fn links(&self, constellation: &Constellation) -> Vec<Isl> {
        let mut links = Vec::new();
        let planes = constellation.planes();
        for plane in 0..planes {
            let slots = constellation.slots(plane);
            for slot in 0..slots {
                let own = constellation.at(plane, slot);
                for ahead in 1..=self.in_plane {
                    links.push(Isl::new(own, constellation.at(plane, slot + ahead), IslKind::InPlane));
                }
                // Farther than once around is nothing new.
                for side in 1..=self.between_planes.min(planes - 1) {
                    let (beside, ahead) = match (plane + side, constellation.beside_last) {
                        (beside, _) if beside < planes => (beside, 0),
                        (beside, Beside::First { ahead }) => (beside - planes, ahead),
                        _ => continue,
                    };
                    if let Some(other) = constellation.abreast(plane, slot, beside, ahead) {
                        links.push(Isl::new(own, other, IslKind::BetweenPlanes));
                    }
                }
            }
        }
        links.retain(|link| link.ends[0] != link.ends[1]);
        links.sort_unstable();
        links.dedup_by_key(|link| link.ends);
        links
    }

    /// Whether a link that is there for good is up, with its satellites at these places.
    pub fn is_up(&self, constellation: &Constellation, kind: IslKind, [a, b]: [Vector; 2]) -> bool {
        // The sine of the latitude, as there are many to look at.
        let sin_max = libm::sin(self.max_latitude.to_radians());
        let low = |place: Vector| place.z.abs() <= sin_max * place.length();
        let may = match kind {
            IslKind::InPlane => true,
            IslKind::BetweenPlanes | IslKind::CrossSeam => low(a) && low(b),
        };
        may && see_each_other(constellation.earth.radius() + ATMOSPHERE, a, b)
    }

    /// The links across the seam at this moment, of satellites at `places`: each satellite of the last plane with the
    /// one of the first plane that is nearest to it, if it is that one's nearest as well.
    pub fn across_seam(&self, constellation: &Constellation, places: &[Vector]) -> Vec<Isl> {
        if !self.cross_seam || constellation.beside_last != Beside::Seam || constellation.planes() < 2 {
            return Vec::new();
        }
        let last = constellation.planes() - 1;
        let of = |plane: usize| (0..constellation.slots(plane)).map(move |slot| constellation.at(plane, slot));
        let nearest = |from: usize, plane: usize| {
            let near = |&a: &usize, &b: &usize| {
                places[from].distance(places[a]).total_cmp(&places[from].distance(places[b])).then(a.cmp(&b))
            };
            of(plane).min_by(near)
        };
        let mut links = Vec::new();
        for own in of(last) {
            let Some(other) = nearest(own, 0).filter(|&other| nearest(other, last) == Some(own)) else { continue };
            let apart = (places[own].longitude() - places[other].longitude()).to_degrees().rem_euclid(360.0);
            let apart = apart.min(360.0 - apart);
            let up = self.is_up(constellation, IslKind::CrossSeam, [places[own], places[other]]);
            if up && apart >= self.min_longitude {
                links.push(Isl::new(own, other, IslKind::CrossSeam));
            }
        }
        links.sort_unstable();
        links
    }
}

impl Isl {
    fn new(a: usize, b: usize, kind: IslKind) -> Isl {
        Isl { ends: [a.min(b), a.max(b)], kind }
    }
}

/// Whether the straight way between two places clears a sphere of this radius about the centre.
fn see_each_other(radius: f64, a: Vector, b: Vector) -> bool {
    let way = b - a;
    let squared = way.dot(way);
    if squared == 0.0 {
        return true;
    }
    // The place on the way that is nearest to the centre.
    let part = (-a.dot(way) / squared).clamp(0.0, 1.0);
    (a + way * part).length() >= radius
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constellation::Shell;

    #[test]
    fn iridium_has_its_links() {
        let iridium = Shell::IRIDIUM.constellation();
        let links = IslRules::IRIDIUM.links(&iridium);
        // 66 in planes, 5 times 11 between them: four each, three along the seam.
        assert_eq!(links.iter().filter(|link| link.kind == IslKind::InPlane).count(), 66);
        assert_eq!(links.iter().filter(|link| link.kind == IslKind::BetweenPlanes).count(), 55);
        let of = |satellite: usize| links.iter().filter(|link| link.ends.contains(&satellite)).count();
        assert_eq!(
            (0..66).map(of).collect::<Vec<_>>(),
            [[3; 11], [4; 11], [4; 11], [4; 11], [4; 11], [3; 11]].concat()
        );
        assert!(links.contains(&Isl { ends: [0, 10], kind: IslKind::InPlane }));
        assert!(links.contains(&Isl { ends: [3, 14], kind: IslKind::BetweenPlanes }));
    }

    #[test]
    fn iridium_has_its_distances() {
        // 4033.3 km in the plane; between planes below 60°, from an unshifted plane to the shifted one after it 3253 to
        // 4470 km, from a shifted one to the next unshifted one 2947 to 4253 km. At the start slot 0 of planes 1 and 2:
        // 4436.0 km.
        let iridium = Shell::IRIDIUM.constellation();
        let links = IslRules::IRIDIUM.links(&iridium);
        let distance = |link: &Isl, at: f64| {
            let [a, b] = link.ends.map(|end| iridium.position(end, at));
            (a.distance(b), IslRules::IRIDIUM.is_up(&iridium, link.kind, [a, b]))
        };
        let start = distance(&Isl::new(0, 11, IslKind::BetweenPlanes), 0.0).0;
        assert!((start - 4436.0).abs() < 4.0, "{start}");
        let mut least = [f64::INFINITY; 2];
        let mut most = [0.0_f64; 2];
        for at in (0..6027).map(f64::from) {
            for link in &links {
                let (length, up) = distance(link, at);
                match link.kind {
                    IslKind::InPlane => assert!((length - 4033.3).abs() < 4.0 && up),
                    _ if !up => {}
                    _ => {
                        let from = iridium.satellites[link.ends[0]].plane % 2;
                        (least[from], most[from]) = (least[from].min(length), most[from].max(length));
                    }
                }
            }
        }
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.001;
        assert!(near(least[0], 3253.0) && near(most[0], 4470.0), "{least:?} {most:?}");
        assert!(near(least[1], 2947.0) && near(most[1], 4253.0), "{least:?} {most:?}");
    }

    #[test]
    fn what_the_earth_hides_is_down() {
        let at = |degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            Vector { x: 7158.0 * cos, y: 7158.0 * sin, z: 0.0 }
        };
        // The way clears 6528 km as long as cos(half the angle) is above 6528/7158: 48.44°.
        assert!(see_each_other(6528.0, at(0.0), at(48.4)));
        assert!(!see_each_other(6528.0, at(0.0), at(48.5)));
        assert!(see_each_other(6528.0, at(7.0), at(7.0)));
        // One above the other: the way begins where they are, not below them.
        let higher = at(0.0) * 1.1;
        assert!(see_each_other(7000.0, at(0.0), higher) && see_each_other(7000.0, higher, at(0.0)));
    }

    #[test]
    fn across_the_seam_each_has_one_partner() {
        let teledesic = Shell::TELEDESIC.constellation();
        assert_eq!(IslRules::TELEDESIC.links(&teledesic).len(), 288 * 2 + 24 * 11 + 24 * 10);
        let mut seen = 0;
        for at in (0..100).map(|step| f64::from(step) * 61.0) {
            let places: Vec<Vector> = (0..288).map(|index| teledesic.position(index, at)).collect();
            let links = IslRules::TELEDESIC.across_seam(&teledesic, &places);
            let mut ends: Vec<usize> = links.iter().flat_map(|link| link.ends).collect();
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), 2 * links.len());
            for link in &links {
                let [a, b] = link.ends.map(|end| places[end]);
                assert!([a, b].iter().all(|place| place.latitude().to_degrees().abs() <= 60.0));
                assert!(a.distance(b) < 3500.0);
            }
            seen += links.len();
        }
        assert!(seen > 500, "{seen}");
        assert_eq!(IslRules::IRIDIUM.across_seam(&teledesic, &[]), []);
    }

    #[test]
    fn no_more_planes_than_there_are() {
        // Walker's 53°: 12/3/2 with links to any number of planes on either side: each pair of planes by slots 0 and by
        // those that are 2 ahead.
        let small = Shell::delta(2000.0, 53.0, 3, 4, 2).constellation();
        let of = |between_planes| IslRules { in_plane: 0, between_planes, ..IslRules::IRIDIUM }.links(&small);
        assert_eq!(of(1).len(), 12);
        assert_eq!(of(2).len(), 24);
        assert_eq!(of(9), of(2));
        let lone = Shell::delta(2000.0, 53.0, 1, 2, 0).constellation();
        let links = IslRules { in_plane: 5, between_planes: 5, ..IslRules::IRIDIUM }.links(&lone);
        assert_eq!(links, [Isl { ends: [0, 1], kind: IslKind::InPlane }]);
    }

    #[test]
    fn a_closed_shell_has_links_all_around() {
        let starlink = Shell::delta(550.0, 53.0, 72, 22, 17).constellation();
        let links = IslRules { max_latitude: 90.0, ..IslRules::IRIDIUM }.links(&starlink);
        let of = |satellite: usize| links.iter().filter(|link| link.ends.contains(&satellite)).count();
        assert!((0..1584).all(|satellite| of(satellite) == 4));
        assert_eq!(IslRules::NONE.links(&starlink), []);
    }
}
