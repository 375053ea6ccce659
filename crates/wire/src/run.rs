//! The loop of a program that drives one endpoint.

use crate::clock::Clock;
use crate::content::Content;
use crate::driver::Driver;
use crate::sockets::Sockets;
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::{Duration, Instant};
use std::io;

/// Waits of less than this are rounded up to it, so that at high rates several packets go at once: a choice, half of
/// what Linux lets a paced TCP send in one go (what goes out in about a millisecond, `sk_pacing_shift`), and below a
/// packet's time at 10 Mbit/s. At 100 MB/s it is 50 kB. A wake-up costs as much as ten packets, at each end.
pub const SHORTEST_WAIT: Duration = Duration::from_micros(500);

/// Drives an endpoint that has been started, until `goes_on` says no: it is asked after each turn, with the present
/// moment, at least once a second.
///
/// # Errors
///
/// Those of waiting for sockets; what cannot be sent or received is none.
pub fn run<E: Endpoint, C: Content>(
    driver: &mut Driver<E, C>,
    clock: &mut impl Clock,
    sockets: &mut Sockets,
    mut goes_on: impl FnMut(&mut Driver<E, C>, Instant) -> bool,
) -> io::Result<()> {
    loop {
        let due = driver.turn(clock, sockets);
        let now = clock.now();
        if !goes_on(driver, now) {
            return Ok(());
        }
        sockets.wait(due.map(|due| wait(due, now)))?;
    }
}

/// How long to wait for a deadline.
fn wait(due: Instant, now: Instant) -> Duration {
    if due <= now { Duration::ZERO } else { due.since(now).max(SHORTEST_WAIT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_are_rounded_up() {
        let now = Instant(5_000_000);
        let waits = [0, 5_000_000, 5_000_001, 5_500_000, 5_500_001, 7_000_000].map(|due| wait(Instant(due), now).0);
        assert_eq!(waits, [0, 0, 500_000, 500_000, 500_001, 2_000_000]);
    }
}
