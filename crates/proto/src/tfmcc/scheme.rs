//! TFMCC as a scheme: the endpoints that its parameters make, and what is asked of schemes.

use super::config::Config;
use super::receiver::Receiver;
use super::sender::Sender;
use super::show::EVENTS;
use crate::endpoint::EventKind;
use crate::scheme::{Scheme, Seat};
use crate::time::Rate;

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        self.check()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        EVENTS
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        self.max_rate
    }

    fn sender(&self, seat: Seat) -> Sender {
        let config = Config { max_rate: seat.bounded(self.max_rate), ..self.clone() };
        Sender::new(&config, seat.flow, seat.own, seat.group)
    }

    fn receiver(&self, seat: Seat) -> Receiver {
        Receiver::new(self, seat.flow, seat.own, seat.group, seat.random)
    }
}
