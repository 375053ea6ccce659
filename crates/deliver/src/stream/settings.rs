//! How a stream is sent.

use super::delay::period;
use crate::geometry::Cut;
use std::time::Duration;

/// How a stream is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of a symbol, and the most symbols of a block. A packet needs room for [`HEADER_BYTES`] and a symbol, and
    /// for a head with one entry.
    pub cut: Cut,
    /// When the session begins, seconds since 1970; receivers take no head that began before the one they have.
    pub began: u64,
    /// How long a block is kept: who lacks something of it then has lost it. Whole milliseconds.
    pub delay: Duration,
    /// The input does not wait: what has not been sent within `delay` is left out, the oldest first.
    pub is_live: bool,
    /// The first block goes out when so many receivers have been heard.
    pub expected: usize,
    /// For how many receivers there is room.
    pub most_receivers: usize,
    /// A receiver that was not heard for so long has gone.
    pub silent: Duration,
    /// How often a head is sent when there is nothing else.
    pub beacon: Duration,
    /// A receiver may ask for this many times what was sent for the first time, and some. 1 is what one needs who loses
    /// every second packet; who makes up more than that leaves the others half of what there was.
    pub greed: u64,
}

/// Sending a block for the first time, or waiting for its bytes, may take this part of the delay, within these bounds:
/// a block is of no use before it is whole.
const HOLD_PART: u32 = 10;
const HOLDS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));
/// The first request for a block waits this part of a period for those of others.
const GATHER_PART: u32 = 5;
/// The answer to a request has come within this part of a period, in quarters: the next one of the same receiver is
/// answered again. So the delay should be ten times the round-trip time.
const ROUND_QUARTERS: u32 = 3;
/// A head comes so often in a delay when there is nothing else, within these bounds: the last one says that all is
/// over, and may be lost.
const BEACONS: u32 = 4;
const BEACON: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

impl Settings {
    /// A stream cut so and kept for so long, in a session that began then.
    pub fn new(cut: Cut, began: u64, delay: Duration) -> Settings {
        Settings {
            cut,
            began,
            delay,
            is_live: false,
            expected: 1,
            most_receivers: 10_000,
            silent: Duration::from_secs(20),
            beacon: (delay / BEACONS).clamp(BEACON.0, BEACON.1),
            greed: 1,
        }
    }

    /// How long the first byte of a block waits for others.
    pub(super) fn hold(&self) -> Duration {
        (self.delay / HOLD_PART).clamp(HOLDS.0, HOLDS.1)
    }

    /// How long the first request for a block waits for those of others.
    pub(super) fn gather(&self) -> Duration {
        period(self.delay) / GATHER_PART
    }

    /// In what time the answer to a request has come.
    pub(super) fn round(&self) -> Duration {
        period(self.delay) * ROUND_QUARTERS / 4
    }
}
