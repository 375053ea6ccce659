//! What relays that split connections hold, and for how long they hold others back.

use crate::agent::Agent;
use faircast_proto::packet::FlowId;
use faircast_proto::time::{Duration, Instant};

/// The relays of a flow at one place on its way, or those of all connections of a pool, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayRow {
    /// The moment of the look.
    pub at: Instant,
    /// Whose they are.
    pub of: SplitOf,
    /// Which place: 0 is the first to which data comes.
    pub place: u32,
    /// What is and was there.
    pub state: RelayState,
}

/// Whose connections relays split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SplitOf {
    /// That of a flow.
    Flow(FlowId),
    /// Those of a pool, by its number.
    Pool(u32),
}

/// What is in relays, and what was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayState {
    /// Segments in their buffers now.
    pub held: u64,
    /// The most that one of them has held at one time since the start.
    pub most: u64,
    /// For how long since the start there was something to send to them and no room, all connections together.
    pub held_back: Duration,
}

impl RelayState {
    /// Of a relay, and of who sends to it, by now on the clock of that.
    pub(crate) fn of(upstream: &Agent, now: Instant, relay: &Agent) -> RelayState {
        let [held, most] = relay.relay().map_or([0; 2], |relay| [relay.held(), relay.most_held()]);
        RelayState { held, most, held_back: upstream.held_back(now) }
    }

    /// With another, of a connection of its own.
    pub(crate) fn and(self, other: RelayState) -> RelayState {
        RelayState {
            held: self.held + other.held,
            most: self.most.max(other.most),
            held_back: self.held_back + other.held_back,
        }
    }
}
