//! RLM as a scheme: the endpoints that its parameters make, and what is asked of schemes.

use super::config::Config;
use super::receiver::{JOIN_HEARD, Receiver, STATE};
use crate::endpoint::{EventKind, LAYER_ADDED, LAYER_DROPPED};
use crate::group_set::{GroupPlan, MAX_GROUPS, Role, Senders};
use crate::scheme::{Responder, Scheme, Seat};
use crate::source::layered;
use crate::time::{Duration, Rate};

impl Scheme for Config {
    type Source = layered::Source;
    type Member = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.layers().check();
        if self.rates.len() == MAX_GROUPS as usize {
            let message = format!("{} layers given; legal are 1 to {}", self.rates.len(), MAX_GROUPS - 1);
            wrong.push(("rates".to_owned(), message));
        }
        let mut needs = |field: &str, legal: bool, given: String, what: &str| {
            if !legal {
                wrong.push((field.to_owned(), format!("{given} given; legal is {what}")));
            }
        };
        let millisecond = Duration::from_millis(1);
        for (field, value) in [("join_timer", self.join_timer), ("detection_time", self.detection_time)] {
            needs(field, value >= millisecond, value.to_string(), "0.001 s or more");
        }
        let least = "join_timer or more";
        needs("max_join_timer", self.max_join_timer >= self.join_timer, self.max_join_timer.to_string(), least);
        needs("backoff", self.backoff >= 1.0 && self.backoff.is_finite(), self.backoff.to_string(), "1 or more");
        let parts = [("relaxation", self.relaxation), ("gain", self.gain), ("loss_threshold", self.loss_threshold)];
        for (field, value) in parts {
            needs(field, (0.0..=1.0).contains(&value), value.to_string(), "0 to 1");
        }
        wrong
    }

    fn groups(&self) -> Vec<GroupPlan> {
        let layers = (0..self.rates.len()).map(|layer| GroupPlan::layer(layer as u8));
        // In the last one receivers tell each other of their experiments.
        layers.chain([GroupPlan { role: Role::Control, senders: Senders::Members }]).collect()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        &[LAYER_ADDED, LAYER_DROPPED, STATE, JOIN_HEARD]
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        self.layers().max_rate()
    }

    fn responder(&self) -> Responder {
        Responder::Members
    }

    fn source(&self, seat: Seat) -> layered::Source {
        self.layers().source(seat)
    }

    fn member(&self, seat: Seat) -> Receiver {
        Receiver::new(self, seat)
    }
}
