//! RLM as a scheme: the endpoints that its parameters make, and what is asked of schemes.

use super::config::Config;
use super::receiver::{JOIN_HEARD, Receiver, STATE};
use crate::endpoint::{EventKind, LAYER_ADDED, LAYER_DROPPED};
use crate::group_set::{GroupPlan, MAX_GROUPS, Role, Senders};
use crate::limits::Limited;
use crate::scheme::{Responder, Scheme, Seat};
use crate::source::layered;
use crate::time::Rate;

impl Scheme for Config {
    type Sender = layered::Sender;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.layers().check_layers();
        if self.rates.len() == MAX_GROUPS as usize {
            let message = format!("{} layers given; legal are 1 to {}", self.rates.len(), MAX_GROUPS - 1);
            wrong.push(("rates".to_owned(), message));
        }
        wrong.extend(self.beyond_limits());
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
        Responder::Receivers
    }

    fn sender(&self, seat: Seat) -> layered::Sender {
        self.layers().sender(seat)
    }

    fn receiver(&self, seat: Seat) -> Receiver {
        Receiver::new(self, seat)
    }
}
