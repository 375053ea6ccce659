//! Relays that split connections.

use faircast_proto::random::Random;
use faircast_proto::tcp::{self, Relay, RelayPlace};

/// Relays that split a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkPep {
    /// Where they are, in the order in which data comes there: indices among the nodes.
    pub at: Vec<u32>,
    /// The parameters of what they send to each other.
    pub between: tcp::Config,
    /// The parameters of what they send to the end.
    pub tcp: tcp::Config,
    /// How many segments each of them may hold.
    pub room: u16,
}

impl NetworkPep {
    /// The relay with this number, for a connection whose sender has these parameters.
    pub(crate) fn relay(&self, sender: &tcp::Config, number: usize, place: RelayPlace, random: [Random; 2]) -> Relay {
        // The first one hears what the sender says, the last one sends to the end.
        let upstream = if number == 0 { sender } else { &self.between };
        if number + 1 == self.at.len() {
            Relay::new(upstream, &self.tcp, place, random)
        } else {
            Relay::new(upstream, &self.between, place, random).to_relay(self.room)
        }
    }
}
