//! What a source knows of its receivers (draft-ietf-rmt-bb-pgmcc-03 sections 2.5 and 2.7).

use super::config::Config;
use crate::packet::Address;
use crate::parts::rto::RttEstimator;
use crate::time::Duration;

/// The recent ackers, and beside them others that have sent NAKs lately, each with its round-trip time and loss rate.
#[derive(Clone, Debug)]
pub(super) struct Receivers {
    /// The latest acker first, the present one if there is one.
    ackers: Vec<Known>,
    /// The one heard of last first.
    others: Vec<Known>,
    most_ackers: usize,
    rtt_weight: f64,
    fresh: RttEstimator,
}

/// A receiver.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) receiver: Address,
    /// The highest packet that it has named.
    number: u64,
    /// Its round-trip time in the unit in which receivers are compared, smoothed.
    pub(super) rtt: f64,
    /// Its loss rate p.
    pub(super) loss_rate: f64,
    /// Its round-trip time and time-out as TCP has them.
    pub(super) timer: RttEstimator,
}

/// A report of a receiver, as far as it concerns what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) receiver: Address,
    /// The packet that it names: the highest that has come.
    pub(super) number: u64,
    /// The round trip that it ends.
    pub(super) round_trip: Duration,
    /// Its round-trip time in the unit in which receivers are compared.
    pub(super) rtt: f64,
    pub(super) loss_rate: f64,
}

/// How many receivers beside the recent ackers are remembered, so that one round trip through a full queue does not
/// make an acker.
const MOST_OTHERS: usize = 64;

impl Receivers {
    /// Nobody is known.
    pub(super) fn new(config: &Config) -> Receivers {
        let longest = Duration::from_secs(60);
        Receivers {
            ackers: Vec::new(),
            others: Vec::new(),
            most_ackers: config.recent_ackers as usize,
            rtt_weight: config.rtt_weight,
            fresh: RttEstimator::new(config.initial_rto, config.min_rto, longest, Duration::ZERO),
        }
    }

    /// A report has come. What is known of its receiver then.
    pub(super) fn hear(&mut self, sample: Sample) -> &Known {
        let of = |known: &Known| known.receiver == sample.receiver;
        if let Some(place) = self.ackers.iter().position(of) {
            let known = &mut self.ackers[place];
            known.take(sample, self.rtt_weight);
            return known;
        }
        match self.others.iter().position(of) {
            Some(place) => {
                self.others[..=place].rotate_right(1);
                self.others[0].take(sample, self.rtt_weight);
            }
            None => {
                self.others.truncate(MOST_OTHERS - 1);
                self.others.insert(0, Known::new(sample, &self.fresh));
            }
        }
        &self.others[0]
    }

    /// A receiver that has been heard of is the acker now.
    pub(super) fn elect(&mut self, receiver: Address) {
        let of = |known: &Known| known.receiver == receiver;
        if let Some(place) = self.ackers.iter().position(of) {
            self.ackers[..=place].rotate_right(1);
        } else if let Some(place) = self.others.iter().position(of) {
            let known = self.others.remove(place);
            self.ackers.truncate(self.most_ackers - 1);
            self.ackers.insert(0, known);
        }
        debug_assert_eq!(self.ackers[0].receiver, receiver);
    }

    /// A receiver has left.
    pub(super) fn forget(&mut self, receiver: Address) {
        self.ackers.retain(|known| known.receiver != receiver);
        self.others.retain(|known| known.receiver != receiver);
    }

    /// What is known of a recent acker.
    pub(super) fn acker(&self, receiver: Address) -> Option<&Known> {
        self.ackers.iter().find(|known| known.receiver == receiver)
    }

    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.ackers.len(), self.others.len())
    }
}

impl Known {
    fn new(sample: Sample, fresh: &RttEstimator) -> Known {
        let mut timer = fresh.clone();
        timer.sample(sample.round_trip);
        let Sample { receiver, number, rtt, loss_rate, .. } = sample;
        Known { receiver, number, rtt, loss_rate, timer }
    }

    /// What has been overtaken by a later report says nothing new.
    fn take(&mut self, sample: Sample, weight: f64) {
        if sample.number < self.number {
            return;
        }
        self.number = sample.number;
        self.rtt += weight * (sample.rtt - self.rtt);
        self.loss_rate = sample.loss_rate;
        self.timer.sample(sample.round_trip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(receivers: &mut Receivers, receiver: u32, number: u64, rtt: f64) -> f64 {
        let (round_trip, loss_rate) = (Duration::from_secs_f64(rtt), 0.01);
        receivers.hear(Sample { receiver: Address::endpoint(receiver), number, round_trip, rtt, loss_rate }).rtt
    }

    #[test]
    fn each_receiver_has_a_round_trip_time_of_its_own() {
        let config = Config { rtt_weight: 0.25, ..Config::default() };
        let mut receivers = Receivers::new(&config);
        let seen = [(1, 0.1), (2, 0.5), (3, 0.9), (1, 0.2), (2, 0.5), (3, 0.5), (2, 0.5), (1, 0.125)];
        let smoothed = seen.iter().zip(0..).map(|(&(from, rtt), number)| heard(&mut receivers, from, number, rtt));
        let expected = [0.1, 0.5, 0.9, 0.125, 0.5, 0.8, 0.5, 0.125];
        assert!(smoothed.zip(expected).all(|(smoothed, expected)| (smoothed - expected).abs() < 1e-12));
    }

    #[test]
    fn of_recent_ackers_the_one_whose_turn_is_longest_ago_gives_way() {
        let config = Config { recent_ackers: 2, ..Config::default() };
        let mut receivers = Receivers::new(&config);
        let [a, b, c] = [1, 2, 3].map(Address::endpoint);
        for (number, acker) in (0..).zip([a, b, a, c]) {
            heard(&mut receivers, acker.index() as u32, number, 0.1);
            receivers.elect(acker);
        }
        assert_eq!([a, b, c].map(|receiver| receivers.acker(receiver).is_some()), [true, false, true]);
    }

    #[test]
    fn of_one_that_has_left_nothing_is_known_whether_it_was_acker_or_not() {
        for was_acker in [true, false] {
            let mut receivers = Receivers::new(&Config::default());
            heard(&mut receivers, 1, 0, 8.0);
            if was_acker {
                receivers.elect(Address::endpoint(1));
            }
            receivers.forget(Address::endpoint(1));
            assert_eq!((receivers.counts(), receivers.acker(Address::endpoint(1)).is_some()), ((0, 0), false));
            assert_eq!(heard(&mut receivers, 1, 1, 0.1), 0.1, "it comes as a new one");
        }
    }
}
