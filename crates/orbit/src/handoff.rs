//! Which satellite a station uses when.

use crate::constellation::Constellation;
use crate::station::Station;
use crate::vector::Vector;

/// How a station chooses its satellite. Whatever the rule, it looks only at its checks, and only a satellite above the
/// mask is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffRule {
    /// As in ns-2: the satellite is kept until it is at or below the mask; then the one that follows in its plane, else
    /// the highest one.
    FollowPlane,
    /// At every check the nearest one.
    Nearest,
    /// The satellite is kept until it is at or below the mask; then the one that will stay above it longest.
    LongestLived,
}

/// A satellite that a station uses for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// Start of the time, s.
    pub from: f64,
    /// The satellite; `None`: none is above the mask.
    pub satellite: Option<usize>,
}

/// When a station looks, and what it sees.
#[derive(Clone, Debug)]
pub struct Handoffs<'a> {
    /// Who is there.
    pub constellation: &'a Constellation,
    /// The station.
    pub station: Station,
    /// The least elevation of a satellite that may be taken, radians.
    pub mask: f64,
    /// How it chooses.
    pub rule: HandoffRule,
}

impl Handoffs<'_> {
    /// The satellites that the station uses until `until` seconds: it looks at the start and at `checks`, in increasing
    /// order. Only changes are listed; the first is at the start.
    pub fn attachments(&self, checks: impl Iterator<Item = f64>, until: f64) -> Vec<Attachment> {
        let mut satellite = self.choose(0.0, None);
        let mut attachments = vec![Attachment { from: 0.0, satellite }];
        for at in checks.take_while(|&at| at <= until) {
            let next = self.choose(at, satellite);
            if next != satellite {
                satellite = next;
                attachments.push(Attachment { from: at, satellite });
            }
        }
        attachments
    }

    fn choose(&self, at: f64, present: Option<usize>) -> Option<usize> {
        let sin_mask = libm::sin(self.mask);
        let place = |satellite: usize| self.constellation.position(satellite, at);
        let sees = |satellite: usize| self.station.sees(place(satellite), sin_mask);
        let all = 0..self.constellation.satellites.len();
        // With equal values the lowest index.
        let best = |value: &dyn Fn(usize, Vector) -> f64| {
            let seen = all.clone().filter(|&satellite| sees(satellite));
            let valued = seen.map(|satellite| (value(satellite, place(satellite)), satellite));
            valued.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, satellite)| satellite)
        };
        if self.rule == HandoffRule::Nearest {
            return best(&|_, place| self.station.distance(place));
        }
        if present.is_some_and(sees) {
            return present;
        }
        match self.rule {
            HandoffRule::LongestLived => best(&|satellite, _| -self.stays(satellite, at)),
            _ => {
                let follows = present.map(|present| self.constellation.follower(present)).filter(|&next| sees(next));
                follows.or_else(|| best(&|_, place| -self.station.elevation(place)))
            }
        }
    }

    /// How long a satellite that is above the mask will be there, looked at every ten seconds, at most until two hours
    /// have passed: beyond that it is practically forever.
    fn stays(&self, satellite: usize, at: f64) -> f64 {
        const STEP: f64 = 10.0;
        let sin_mask = libm::sin(self.mask);
        let seen = |step: &u32| {
            let place = self.constellation.position(satellite, at + STEP * f64::from(*step));
            self.station.sees(place, sin_mask)
        };
        f64::from((1..720).take_while(seen).count() as u32) * STEP
    }
}

impl Constellation {
    /// The satellite that comes next on the same track: one slot behind.
    fn follower(&self, satellite: usize) -> usize {
        let plane = self.satellites[satellite].plane;
        let slots = self.slots(plane);
        self.at(plane, self.satellites[satellite].slot + slots - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constellation::Shell;
    use crate::earth::Earth;

    fn every(seconds: f64) -> impl Iterator<Item = f64> {
        (1..).map(move |step| f64::from(step) * seconds)
    }

    fn berkeley(constellation: &Constellation, rule: HandoffRule) -> Handoffs<'_> {
        let station = Station::new(Earth::Sphere, 37.9, -122.3, 0.0);
        Handoffs { constellation, station, mask: 8.2_f64.to_radians(), rule }
    }

    #[test]
    fn a_station_at_middle_latitude_is_handed_off_about_every_nine_minutes() {
        let iridium = Shell::IRIDIUM.constellation();
        let attachments = berkeley(&iridium, HandoffRule::FollowPlane).attachments(every(10.0), 86_400.0);
        let mean = 86_400.0 / attachments.len() as f64;
        assert!((480.0..570.0).contains(&mean), "{mean}");
        assert!(attachments.iter().all(|attachment| attachment.satellite.is_some()), "never without");
        // No pass is longer than 667 s and the Earth's turning, and a check.
        for pair in attachments.windows(2) {
            assert!(pair[1].from - pair[0].from <= 700.0, "{pair:?}");
        }
    }

    #[test]
    fn what_is_taken_is_above_the_mask_and_what_is_left_is_not() {
        let iridium = Shell::IRIDIUM.constellation();
        let handoffs = berkeley(&iridium, HandoffRule::FollowPlane);
        let attachments = handoffs.attachments(every(7.3), 30_000.0);
        for pair in attachments.windows(2) {
            let [old, new] = [pair[0], pair[1]].map(|attachment| attachment.satellite.expect("always one"));
            let elevation = |satellite: usize, at: f64| handoffs.station.elevation(iridium.position(satellite, at));
            assert!(elevation(old, pair[1].from) <= handoffs.mask);
            assert!(elevation(old, pair[1].from - 7.31) > handoffs.mask);
            assert!(elevation(new, pair[1].from) > handoffs.mask);
            let follower = iridium.follower(old);
            let highest = (0..66).all(|other| elevation(other, pair[1].from) <= elevation(new, pair[1].from));
            assert!(new == follower || elevation(follower, pair[1].from) <= handoffs.mask && highest);
        }
        // In the north, where several are above the mask: the first one is the highest.
        for longitude in [0.0, 40.0, 80.0, 120.0, 160.0] {
            let station = Station::new(Earth::Sphere, 75.0, longitude, 0.0);
            let there = Handoffs { station, ..handoffs.clone() };
            let first = there.attachments([].into_iter(), 1.0)[0].satellite.expect("always one");
            let elevation = |satellite: usize| station.elevation(iridium.position(satellite, 0.0));
            assert!((0..66).filter(|&other| elevation(other) > there.mask).count() > 1);
            assert!((0..66).all(|other| elevation(other) <= elevation(first)));
        }
        let followed = attachments
            .windows(2)
            .filter(|pair| pair[0].satellite.map(|old| iridium.follower(old)) == pair[1].satellite);
        assert!(followed.count() * 2 > attachments.len(), "as a rule the next one on the track");
    }

    #[test]
    fn the_nearest_is_the_nearest_and_the_longest_lived_is_seldom_changed() {
        let iridium = Shell::IRIDIUM.constellation();
        let nearest = berkeley(&iridium, HandoffRule::Nearest);
        for attachment in nearest.attachments(every(10.0), 6000.0) {
            let chosen = attachment.satellite.expect("always one");
            let distance = |satellite: usize| nearest.station.distance(iridium.position(satellite, attachment.from));
            assert!((0..66).all(|other| distance(chosen) <= distance(other)));
        }
        let count = |rule| berkeley(&iridium, rule).attachments(every(10.0), 86_400.0).len();
        assert!(count(HandoffRule::LongestLived) <= count(HandoffRule::FollowPlane));
        assert!(count(HandoffRule::LongestLived) < count(HandoffRule::Nearest));
    }

    #[test]
    fn the_longest_lived_is_that() {
        let iridium = Shell::IRIDIUM.constellation();
        let handoffs = berkeley(&iridium, HandoffRule::LongestLived);
        // How long a satellite stays above the mask from a moment on, to a tenth of a second.
        let stays = |satellite: usize, from: f64| {
            let seen = |step: &u32| {
                let place = iridium.position(satellite, from + 0.1 * f64::from(*step));
                handoffs.station.elevation(place) > handoffs.mask
            };
            0.1 * f64::from((0_u32..).take_while(seen).count() as u32)
        };
        for attachment in handoffs.attachments(every(10.0), 6000.0) {
            let chosen = attachment.satellite.expect("always one");
            let longest = (0..66).map(|other| stays(other, attachment.from)).fold(0.0, f64::max);
            assert!(stays(chosen, attachment.from) > longest - 10.0, "{attachment:?}");
        }
    }

    #[test]
    fn of_two_that_both_set_soon_the_one_that_sets_later_is_taken() {
        // A moment at which a station sees these two and no other, the first for less than ten seconds.
        let iridium = Shell { offset: 19_860.0, ..Shell::IRIDIUM }.constellation();
        let (station, mask) = (Station::new(Earth::Sphere, 50.0, 90.0, 0.0), 30.0_f64.to_radians());
        let seen = |at: f64| -> Vec<usize> {
            (0..66).filter(|&satellite| station.elevation(iridium.position(satellite, at)) > mask).collect()
        };
        assert_eq!([0.0, 7.0, 13.0, 17.0].map(seen), [vec![1, 64], vec![64], vec![64], vec![]]);
        let handoffs = Handoffs { constellation: &iridium, station, mask, rule: HandoffRule::LongestLived };
        assert_eq!(handoffs.attachments([].into_iter(), 1.0)[0].satellite, Some(64));
    }

    #[test]
    fn the_first_look_is_at_the_start() {
        // When a lone satellite rises, to a thousandth of a second.
        let lone = Shell { planes: 1, slots: 1, inclination: 0.0, ..Shell::IRIDIUM };
        let station = Station::new(Earth::Sphere, 0.0, 180.0, 0.0);
        let up = |offset: f64| {
            let constellation = Shell { offset, ..lone }.constellation();
            let mask = 0.1;
            let rule = HandoffRule::Nearest;
            let handoffs = Handoffs { constellation: &constellation, station, mask, rule };
            handoffs.attachments([].into_iter(), 10.0)[0].satellite.is_some()
        };
        let (mut down, mut risen) = (2000.0, 3300.0);
        assert!(!up(down) && up(risen));
        while risen - down > 0.001 {
            let middle = (down + risen) / 2.0;
            *(if up(middle) { &mut risen } else { &mut down }) = middle;
        }
        let now = Shell { offset: risen, ..lone }.constellation();
        let elevation = |at: f64| station.elevation(now.position(0, at));
        assert!((elevation(0.0) - 0.1).abs() < 1e-5);
    }

    #[test]
    fn who_sees_none_has_none() {
        // One plane over the poles; a station on the equator a quarter of a turn away.
        let shell = Shell { planes: 1, inclination: 90.0, ..Shell::IRIDIUM };
        let lone = shell.constellation();
        let station = Station::new(Earth::Sphere, 0.0, 90.0, 0.0);
        let handoffs = Handoffs { constellation: &lone, station, mask: 0.1, rule: HandoffRule::FollowPlane };
        let attachments = handoffs.attachments(every(10.0), 86_164.0);
        assert_eq!(attachments[0], Attachment { from: 0.0, satellite: None });
        assert!(attachments.iter().any(|attachment| attachment.satellite.is_some()), "the Earth turns");
    }
}
