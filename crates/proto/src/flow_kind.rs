//! The contract of a kind of flow between two endpoints: parameters that make its sender and its receiver.
//!
//! [`registry::flows`](crate::registry::flows) has the list of those that there are.

use crate::endpoint::{Endpoint, EventKind};
use crate::limits::Illegal;
use crate::packet::{Address, FlowId};
use crate::random::Random;
use crate::time::{Duration, Rate};

/// What the endpoints of a flow know about it.
#[derive(Clone, Copy, Debug)]
pub struct FlowSeat<'a> {
    /// The flow.
    pub flow: FlowId,
    /// The sender's address.
    pub sender: Address,
    /// The receiver's address.
    pub receiver: Address,
    /// The flow's name and the run's seed, from which its random streams follow.
    pub name: &'a str,
    /// The run's seed.
    pub seed: u64,
}

impl FlowSeat<'_> {
    /// The flow's random numbers for this purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::stream(self.seed, &format!("flow/{}/{purpose}", self.name))
    }
}

/// A kind of flow: its parameters, from which its endpoints are made.
pub trait FlowKind {
    /// The endpoint that sends data.
    type Sender: Endpoint;
    /// The endpoint that receives it.
    type Receiver: Endpoint;

    /// Every parameter with an illegal value: its path, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)>;

    /// The parameters, if all of them are legal: `config.checked()?.sender(seat)` is how endpoints are made of what
    /// comes from elsewhere.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    fn checked(&self) -> Result<&Self, Illegal>
    where
        Self: Sized,
    {
        Illegal::unless_empty(self.check()).map(|()| self)
    }

    /// What may happen in its endpoints: all the events that they tell.
    fn events(&self) -> &'static [&'static EventKind] {
        &[]
    }

    /// Size of a data packet on the wire.
    fn packet_bytes(&self) -> u64;

    /// The most that it ever sends, if it is bounded by itself and not by a window.
    fn peak_rate(&self) -> Option<Rate>;

    /// What it sends in the long run whatever the network does, bit/s; nothing if it answers congestion.
    fn fixed_rate_bps(&self) -> Option<f64>;

    /// Size of what its receiver sends back for a data packet at the most; 0 if it sends nothing.
    fn answer_bytes(&self) -> u64 {
        0
    }

    /// Data packets that it may send at one moment when it begins.
    fn first_pkts(&self) -> f64 {
        1.0
    }

    /// The most data packets that it may have under way, if its parameters bound them.
    fn window_pkts(&self) -> Option<f64> {
        None
    }

    /// All that it has to send, bytes on the wire, each packet once; nothing if it has no end of its own.
    fn transfer_bytes(&self) -> Option<u64> {
        None
    }

    /// The longest random time that each of its packets waits before it goes; zero if none does.
    fn send_jitter(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether it answers congestion.
    fn is_controlled(&self) -> bool {
        self.fixed_rate_bps().is_none()
    }

    /// The sender at `seat`. The parameters must have passed [`check`](Self::check).
    fn sender(&self, seat: &FlowSeat<'_>) -> Self::Sender;

    /// The receiver at `seat`.
    fn receiver(&self, seat: &FlowSeat<'_>) -> Self::Receiver;
}
