//! The loop of a program that drives one endpoint.

use crate::clock::Clock;
use crate::content::Content;
use crate::driver::Driver;
use crate::sockets::Sockets;
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::Instant;
use std::io;

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
        sockets.wait(due.map(|due| driver.rests().until(due, now)))?;
    }
}
