//! How long a block is kept, and how often a receiver asks meanwhile.

use std::time::Duration;

/// Legal delays: below, no request would be answered in time; above, blocks would fill the memory.
pub const DELAYS: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(1000);

/// How often a receiver asks, on average, while a block is kept for `delay`: an eighth of it, so that a repair that is
/// lost can be asked for again.
pub fn period(delay: Duration) -> Duration {
    (delay / 8).clamp(Duration::from_millis(20), Duration::from_secs(1))
}
