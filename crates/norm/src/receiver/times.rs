//! What a sender says of the times of its group, and waiting by them.

use faircast_codec::norm::Status;
use faircast_proto::time::{Duration, Instant};

/// By which receivers scale how long they wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// GRTT_sender, seconds.
    pub grtt_s: f64,
    /// K_sender.
    pub backoff: f64,
    /// GSIZE_sender.
    pub group_size: u64,
}

/// A time of waiting, in greatest round-trip times: it ends earlier or later as the sender says another one meanwhile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    since: Instant,
    grtts: f64,
}

/// K_sender times GRTT_sender counts as no more, seconds: a choice, so that one message that is wrong does not keep a
/// receiver silent for hours.
const MOST_BACKOFF_S: f64 = 60.0;

impl Times {
    /// What a message of the sender says of them.
    pub fn of(status: &Status) -> Times {
        let backoff = f64::from(status.backoff);
        let grtt_s = status.grtt.s().min(MOST_BACKOFF_S / backoff.max(1.0));
        Times { grtt_s, backoff, group_size: status.group_size.receivers() }
    }

    /// So many of its greatest round-trip times.
    pub fn grtts(&self, count: f64) -> Duration {
        Duration::from_secs_f64(count * self.grtt_s)
    }
}

impl Wait {
    /// From `now` on, for so many.
    pub fn of(now: Instant, grtts: f64) -> Wait {
        Wait { since: now, grtts }
    }

    /// When it ends.
    pub fn until(&self, times: &Times) -> Instant {
        self.since + times.grtts(self.grtts)
    }
}
