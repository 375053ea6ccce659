//! What a driver needs of a network: sockets, or in tests something that only looks like them.

use faircast_proto::packet::Ecn;
use faircast_proto::time::{Duration, Instant};
use std::io;
use std::net::SocketAddr;
use std::ops::Range;

/// Datagrams go and come, memberships begin and end. Nothing here waits.
pub trait Network {
    /// Sends all of these, in order.
    ///
    /// # Errors
    ///
    /// The first that could not be sent, and why; those behind it have not been tried.
    fn send(&mut self, batch: &Batch) -> Result<(), Unsent>;

    /// Hands over some of what has come, at most some hundreds of datagrams; whether more may be there.
    fn receive(&mut self, take: &mut dyn FnMut(Arrival<'_>)) -> bool;

    /// Becomes a member of the group with this number.
    ///
    /// # Errors
    ///
    /// The host cannot be a member: the system's.
    fn join(&mut self, group: u32) -> io::Result<()>;

    /// Ends a membership, if there is one. Nothing of the group is handed over from now on.
    fn leave(&mut self, group: u32);

    /// Whether the interface is there. Asked at every turn.
    fn watch(&mut self, _now: Instant) -> Interface {
        Interface::Up
    }
}

/// How it is with an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// It is there and up; memberships that there were before it went are none any more.
    Up,
    /// It is down, or gone.
    Down,
}

/// Datagrams that are to be sent.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    datagrams: Vec<Datagram>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Where it goes.
    pub to: SocketAddr,
    /// Its congestion bits.
    pub ecn: Ecn,
    range: Range<usize>,
}

/// What could not be sent.
#[derive(Debug)]
pub struct Unsent {
    /// Which of the batch is the first of it.
    pub first: usize,
    /// What the system said of it.
    pub why: io::Error,
}

/// A datagram that has come.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// What of it fitted into the buffer.
    pub bytes: &'a [u8],
    /// Whether there was more.
    pub truncated: bool,
    /// Who sent it.
    pub from: SocketAddr,
    /// The group that it was sent to; none if it was sent to this host alone.
    pub group: Option<u32>,
    /// Its congestion bits.
    pub ecn: Ecn,
    /// What the kernel's wall clock showed when it came, since 1970.
    pub stamp: Option<Duration>,
}

impl Batch {
    /// Adds a datagram whose payload `write` appends. What it says comes back; an error leaves the batch as it was.
    ///
    /// # Errors
    ///
    /// What `write` says.
    pub fn push<E>(
        &mut self,
        (to, ecn): (SocketAddr, Ecn),
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = self.bytes.len();
        match write(&mut self.bytes) {
            Ok(()) => self.datagrams.push(Datagram { to, ecn, range: start..self.bytes.len() }),
            Err(error) => {
                self.bytes.truncate(start);
                return Err(error);
            }
        }
        Ok(())
    }

    /// The datagrams, in order.
    pub fn datagrams(&self) -> &[Datagram] {
        &self.datagrams
    }

    /// What is in a datagram.
    pub fn payload(&self, datagram: &Datagram) -> &[u8] {
        &self.bytes[datagram.range.clone()]
    }

    /// What is in several that follow each other.
    pub fn payloads(&self, from: &Datagram, to: &Datagram) -> &[u8] {
        &self.bytes[from.range.start..to.range.end]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.datagrams.len()
    }

    /// Bytes of the first of them, so many datagrams.
    pub fn bytes_of(&self, first: usize) -> usize {
        self.datagrams[..first].last().map_or(0, |datagram| datagram.range.end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.datagrams.is_empty()
    }

    /// Takes all out and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.datagrams.clear();
    }
}

impl Datagram {
    /// Bytes of its payload.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether it has no payload.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}
