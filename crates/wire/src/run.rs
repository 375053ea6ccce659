//! The loop of a program that drives one endpoint.

use crate::clock::Clock;
use crate::content::Content;
use crate::driver::Driver;
use crate::sockets::Sockets;
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::{Duration, Instant};
use std::io;

/// Waits of less than this are rounded up to it, so that at high rates several packets go at once: a choice, of the
/// order of what a kernel rounds by on its own (50 µs, prctl(2) on timer slack), and far below a round-trip time. At
/// 100 MB/s it is 25 kB. With twice as much pgmcc, whose packets at 20 Mbit/s are 400 µs apart, got half as much again
/// of what it shares with TCP.
pub const SHORTEST_WAIT: Duration = Duration::from_micros(250);

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
        let waits = [0, 5_000_000, 5_000_001, 5_250_000, 5_250_001, 7_000_000].map(|due| wait(Instant(due), now).0);
        assert_eq!(waits, [0, 0, 250_000, 250_000, 250_001, 2_000_000]);
    }
}
