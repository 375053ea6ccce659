//! What a sender says of the times of its group.

use faircast_proto::time::Duration;

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

impl Times {
    /// So many of its greatest round-trip times.
    pub fn grtts(&self, count: f64) -> Duration {
        Duration::from_secs_f64(count * self.grtt_s)
    }
}
