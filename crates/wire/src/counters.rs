//! What a driver has counted.

use faircast_codec::Malformed;
use faircast_proto::time::Duration;
use std::io;

/// Counts since the start. Nothing that comes from a network ends a driver; what is no use is counted here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams that could not be sent: buffers full, no interface, nobody there any more to send to.
    pub not_sent: u64,
    /// Why the last of them could not.
    pub last_failure: Option<io::ErrorKind>,
    /// Datagrams handed to the endpoint.
    pub taken: u64,
    /// Datagrams that are no message, by [reason](Malformed::REASONS).
    pub malformed: [u64; Malformed::REASONS.len()],
    /// Datagrams that were longer than the buffer.
    pub truncated: u64,
    /// Messages of another scheme, or of another source.
    pub foreign: u64,
    /// Messages that were not sealed by whom they say, or for another session.
    pub forged: u64,
    /// Messages of our own that came back.
    pub own: u64,
    /// Messages to a group that the endpoint has not joined, or has left.
    pub uninvited: u64,
    /// Messages of newcomers for whom there was no room in the directory.
    pub no_room: u64,
    /// Groups joined.
    pub joins: u64,
    /// Groups left.
    pub leaves: u64,
    /// Joins that failed, and memberships lost.
    pub unjoined: u64,
    /// Time-outs handed in, and how late: the mean is the quotient.
    pub timeouts: u64,
    /// How late they came, together.
    pub lateness: Duration,
    /// The latest.
    pub latest: Duration,
}

impl Counters {
    /// Datagrams that are no message, whatever the reason.
    pub fn all_malformed(&self) -> u64 {
        self.malformed.iter().sum()
    }

    /// A time-out is handed in so long after its deadline.
    pub(crate) fn timed_out(&mut self, late: Duration) {
        self.timeouts += 1;
        self.lateness = self.lateness + late;
        self.latest = self.latest.max(late);
    }
}
