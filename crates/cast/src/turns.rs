//! The loop of a driver whose application has something to do between turns.

use crate::ending::{Ending, Result};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::{Duration, Instant};
use faircast_wire::clock::{Clock as _, HostClock};
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::rests;
use faircast_wire::sockets::Sockets;
use nix::time::{ClockId, clock_gettime};
use std::os::fd::BorrowedFd;

/// A clock that goes on from one run to the next: a receiver that is started again has later stamps.
pub fn clock() -> HostClock {
    HostClock::new(Instant(since_1970().as_nanos() as u64))
}

/// The wall clock: what a session and a receiver's messages are told apart by from one run to the next.
pub fn since_1970() -> std::time::Duration {
    clock_gettime(ClockId::CLOCK_REALTIME).map_or(std::time::Duration::ZERO, std::time::Duration::from)
}

/// The time as `crates/deliver` wants it.
pub fn time(now: Instant) -> std::time::Duration {
    std::time::Duration::from_nanos(now.0)
}

/// A time of `crates/deliver` as drivers want it.
pub fn instant(time: std::time::Duration) -> Instant {
    Instant(time.as_nanos() as u64)
}

/// The longest wait, so that Ctrl-C is seen.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// A turn, and a wait until something comes, the driver has something to do, or `own` has come.
pub fn turn<E: Endpoint, C: Content>(
    driver: &mut Driver<E, C>,
    clock: &mut HostClock,
    sockets: &mut Sockets,
    own: Option<Instant>,
) -> Result<()> {
    let due = driver.turn(clock, sockets).into_iter().chain(own).min();
    match driver.rests().fixed(due, clock.now()) {
        Some(rest) => sockets.rest(rest).map_err(no_wait),
        None => {
            let until = |due, now| driver.rests().until(due, now);
            wait_beside(due, until, clock, sockets, Beside::default()).map(|_| ())
        }
    }
}

/// What is waited for beside packets.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Something that may have bytes to be read.
    pub reads: Option<BorrowedFd<'a>>,
    /// Something that may take bytes.
    pub writes: Option<BorrowedFd<'a>>,
}

/// A turn, and a wait as after [`turn`]; it also ends when one of those beside can go on. Whether one can.
pub fn turn_beside<E: Endpoint, C: Content>(
    driver: &mut Driver<E, C>,
    clock: &mut HostClock,
    sockets: &mut Sockets,
    own: Option<Instant>,
    beside: Beside<'_>,
) -> Result<bool> {
    let due = driver.turn(clock, sockets);
    let due = due.into_iter().chain(own).min();
    wait_beside(due, |due, now| driver.rests().until(due, now), clock, sockets, beside)
}

/// A wait until something comes, or something is due, of a program that sends a packet now and then.
pub fn wait(due: Option<Instant>, clock: &mut HostClock, sockets: &mut Sockets) -> Result<()> {
    wait_beside(due, rests::shortest, clock, sockets, Beside::default()).map(|_| ())
}

fn wait_beside(
    due: Option<Instant>,
    until: impl FnOnce(Instant, Instant) -> Duration,
    clock: &mut HostClock,
    sockets: &mut Sockets,
    beside: Beside<'_>,
) -> Result<bool> {
    let now = clock.now();
    let wait = due.map_or(LONGEST_WAIT, |due| until(due, now).min(LONGEST_WAIT));
    sockets.wait_beside(Some(wait), beside.reads, beside.writes).map_err(no_wait)
}

fn no_wait(error: std::io::Error) -> Ending {
    Ending::System(format!("cannot wait for packets: {error}"))
}
