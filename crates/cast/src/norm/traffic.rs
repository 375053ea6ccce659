//! Datagrams between sockets and an end of a session.

use crate::ending::{Ending, Result};
use faircast_proto::packet::Ecn;
use faircast_proto::time::Instant;
use faircast_wire::clock::{Clock as _, HostClock};
use faircast_wire::groups::Groups;
use faircast_wire::network::{Arrival, Batch, Interface, Network as _};
use faircast_wire::sockets::Sockets;
use std::io;
use std::net::SocketAddr;

/// Sockets, the clock, and what waits to be sent.
pub struct Traffic {
    pub sockets: Sockets,
    pub clock: HostClock,
    pub group: SocketAddr,
    batch: Batch,
    is_up: bool,
    /// Datagrams that could not be sent at once, and why the last could not.
    pub not_sent: u64,
    pub why: Option<io::ErrorKind>,
}

/// Calls that take what has come in a turn, so that a flood cannot keep the rest from being done.
const MOST_BATCHES: u32 = 16;
/// Datagrams that go at once.
pub const AT_ONCE: usize = 64;

impl Traffic {
    /// As a member of the group, to which all of a session of NORM goes.
    pub fn new(mut sockets: Sockets, clock: HostClock, groups: Groups) -> Result<Traffic> {
        let group = groups.first();
        let failed = |error| Ending::Input(format!("cannot receive on {group}: {error}"));
        sockets.join(0).map_err(failed)?;
        Ok(Traffic { sockets, clock, group, batch: Batch::default(), is_up: true, not_sent: 0, why: None })
    }

    /// Takes what has come: each with the moment that it is handed over and that at which it arrived.
    pub fn hear(&mut self, mut take: impl FnMut((Instant, Instant), &Arrival<'_>)) {
        self.watch();
        for _ in 0..MOST_BATCHES {
            let now = self.clock.now();
            let clock = &mut self.clock;
            let has_more = self.sockets.receive(&mut |arrival| {
                if !arrival.truncated {
                    take((now, clock.arrival(arrival.stamp).min(now)), &arrival);
                }
            });
            if !has_more {
                return;
            }
        }
    }

    /// Puts a message among those that go with the next [`flush`](Self::flush).
    pub fn put(&mut self, to: SocketAddr, message: &[u8]) {
        let pushed = self.batch.push((to, Ecn::NotCapable), |bytes| {
            bytes.extend_from_slice(message);
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = pushed;
    }

    /// Sends them; how many of them, the last ones, could not be sent.
    pub fn flush(&mut self) -> usize {
        let count = self.batch.len();
        let unsent = match self.sockets.send(&self.batch) {
            _ if count == 0 => 0,
            Ok(()) => 0,
            Err(failure) => {
                self.why = Some(failure.why.kind());
                count - failure.first
            }
        };
        self.batch.clear();
        self.not_sent += unsent as u64;
        unsent
    }

    /// A membership goes with its interface, and is to be had again when that is back.
    fn watch(&mut self) {
        let now = self.clock.now();
        let is_up = self.sockets.watch(now) == Interface::Up;
        if is_up != self.is_up {
            self.sockets.leave(0);
            self.is_up = is_up && self.sockets.join(0).is_ok();
        }
    }
}
