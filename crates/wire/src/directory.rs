//! Who is who: ids on the wire, the endpoint's addresses, addresses of sockets.

use faircast_proto::limits::Illegal;
use faircast_proto::packet::Address;
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Everybody an endpoint has heard of, each with an [`Address`] of its own for as long as the endpoint lives.
///
/// Its size is bounded, since ids come from a network. When it is full, who has been silent for [`FORGOTTEN`] makes
/// room; if nobody has, newcomers are not taken in, so that a flood of invented ids drives out nobody. Addresses are
/// not given twice: an endpoint may remember one for ever.
#[derive(Debug)]
pub struct Directory {
    own_id: u64,
    /// By the number of the address.
    peers: BTreeMap<u32, Peer>,
    by_id: BTreeMap<u64, u32>,
    next: u32,
    most: usize,
    /// From whom on room is looked for.
    looked_at: u32,
}

/// Somebody else.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its id.
    pub id: u64,
    /// Where its packets come from, and an answer goes.
    pub at: SocketAddr,
    /// The latest stamp that came from it, in full, on its clock.
    pub stamp: Instant,
    /// When it was heard last.
    pub heard: Instant,
}

/// Own packets have this address.
pub const OWN: Address = Address::endpoint(0);
/// How long somebody is silent whose place a newcomer may have. A choice; TFMCC's and pgmcc's sources forget receivers
/// within seconds.
pub const FORGOTTEN: Duration = Duration::from_secs(60);
/// How many others there may be unless said otherwise. A choice: what a source remembers of them takes some hundred
/// bytes each.
pub const MOST_PEERS: usize = 100_000;

impl Directory {
    /// A directory of somebody with this id, who knows `most` others at once.
    ///
    /// # Errors
    ///
    /// The id is 0, which is nobody's.
    pub fn new(own_id: u64, most: usize) -> Result<Directory, Illegal> {
        if own_id == 0 {
            return Err(Illegal::one("id", "0 given; legal is any other number, as 0 is nobody's"));
        }
        Ok(Directory { own_id, peers: BTreeMap::new(), by_id: BTreeMap::new(), next: 1, most, looked_at: 0 })
    }

    /// The own id.
    pub fn own_id(&self) -> u64 {
        self.own_id
    }

    /// How many others are known.
    pub fn len(&self) -> usize {
        self.peers.len()
    }

    /// Whether nobody else is known.
    pub fn is_empty(&self) -> bool {
        self.peers.is_empty()
    }

    /// The id of whom an address is; 0 for strangers and for who has been forgotten.
    pub fn id(&self, address: Address) -> u64 {
        if address == OWN { self.own_id } else { self.peer(address).map_or(0, |peer| peer.id) }
    }

    /// Whose id this is; a stranger's if it is nobody's who is known.
    pub fn address(&self, id: u64) -> Address {
        match self.by_id.get(&id) {
            _ if id == self.own_id => OWN,
            Some(&number) => Address::endpoint(number),
            None => Address::STRANGER,
        }
    }

    /// Who has this address, if it is known.
    pub fn peer(&self, address: Address) -> Option<&Peer> {
        self.peers.get(&u32::try_from(address.index()).ok()?).filter(|_| !address.is_group())
    }

    /// The full stamp near which those of this sender are; none of a stranger.
    pub fn near(&self, sender: Address) -> Option<Instant> {
        self.peer(sender).map(|peer| peer.stamp)
    }

    /// A packet of `id` has come: whose it is. Nothing if there is no room for a newcomer.
    pub fn heard(&mut self, now: Instant, id: u64, at: SocketAddr, stamp: Instant) -> Option<Address> {
        let number = match self.by_id.get(&id) {
            Some(&number) => number,
            None => self.take_in(now, Peer { id, at, stamp, heard: now })?,
        };
        let peer = self.peers.get_mut(&number)?;
        peer.heard = now;
        peer.stamp = peer.stamp.max(stamp);
        Some(Address::endpoint(number))
    }

    /// Answers to somebody who is known go there from now on.
    pub fn moved(&mut self, id: u64, to: SocketAddr) {
        if let Some(peer) = self.by_id.get(&id).and_then(|number| self.peers.get_mut(number)) {
            peer.at = to;
        }
    }

    fn take_in(&mut self, now: Instant, peer: Peer) -> Option<u32> {
        if Address::endpoint(self.next) == Address::STRANGER {
            return None;
        }
        if self.peers.len() >= self.most {
            self.forget(now)?;
        }
        let number = self.next;
        self.next += 1;
        self.by_id.insert(peer.id, number);
        self.peers.insert(number, peer);
        Some(number)
    }

    /// Makes room, if somebody has been silent for long.
    fn forget(&mut self, now: Instant) -> Option<()> {
        // A few at a time, so that a flood costs a few steps for each packet and not all of them.
        let is_silent = |peer: &Peer| now.since(peer.heard) >= FORGOTTEN;
        let from_here = self.peers.range(self.looked_at..).chain(self.peers.range(..self.looked_at));
        let (mut number, mut has_silence) = (0, false);
        for (&other, peer) in from_here.take(LOOKED_AT) {
            (number, has_silence) = (other, is_silent(peer));
            if has_silence {
                break;
            }
        }
        self.looked_at = number + 1;
        let peer = has_silence.then(|| self.peers.remove(&number)).flatten()?;
        self.by_id.remove(&peer.id);
        Some(())
    }
}

/// How many are looked at for each newcomer who might make room.
const LOOKED_AT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn socket(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    #[test]
    fn everybody_has_one_address() {
        let mut directory = Directory::new(99, 10).unwrap();
        assert_eq!((directory.id(OWN), directory.address(99)), (99, OWN));
        let a = directory.heard(at(1), 7, socket(1), at(5)).unwrap();
        let b = directory.heard(at(1), u64::MAX, socket(2), at(6)).unwrap();
        assert!(a != b && a != OWN && b != OWN);
        assert_eq!(directory.heard(at(2), 7, socket(3), at(4)), Some(a));
        assert_eq!((directory.id(a), directory.id(b), directory.len()), (7, u64::MAX, 2));
        assert_eq!((directory.address(7), directory.address(u64::MAX)), (a, b));
        let peer = directory.peer(a).unwrap();
        assert_eq!(
            (peer.at, peer.stamp, peer.heard),
            (socket(1), at(5), at(2)),
            "where it was first; the latest stamp"
        );
        directory.heard(at(3), 7, socket(1), at(8));
        assert_eq!(directory.near(a), Some(at(8)), "later stamps are near it");
        assert_eq!((directory.near(b), directory.near(Address::STRANGER)), (Some(at(6)), None));
    }

    #[test]
    fn who_is_only_named_is_a_stranger() {
        let directory = Directory::new(99, 10).unwrap();
        assert_eq!((directory.address(5), directory.id(Address::STRANGER), directory.len()), (Address::STRANGER, 0, 0));
        assert!(directory.peer(Address::group(0)).is_none() && directory.peer(Address::STRANGER).is_none());
    }

    #[test]
    fn a_flood_drives_nobody_out() {
        let mut directory = Directory::new(99, 3).unwrap();
        let known: Vec<Address> = (1..=3).map(|id| directory.heard(at(0), id, socket(1), at(0)).unwrap()).collect();
        for id in 4..1000 {
            assert_eq!(directory.heard(at(59), id, socket(1), at(0)), None);
        }
        directory.heard(at(59), 1, socket(1), at(0));
        let new = directory.heard(at(60), 1000, socket(1), at(0)).unwrap();
        assert!(!known.contains(&new), "addresses are given once");
        assert_eq!((directory.len(), directory.address(2), directory.address(1)), (3, Address::STRANGER, known[0]));
    }

    #[test]
    fn all_are_looked_at_in_turn() {
        let mut directory = Directory::new(99, 1000).unwrap();
        (1..=1000).for_each(|id| assert!(directory.heard(at(0), id, socket(1), at(0)).is_some()));
        (1..1000).for_each(|id| assert!(directory.heard(at(60), id, socket(1), at(0)).is_some()));
        // The last one alone is silent: it is found when as many have asked as that takes.
        let tries = (0..100).find(|n| directory.heard(at(60), 2000 + n, socket(1), at(0)).is_some());
        assert_eq!((tries, directory.address(1000), directory.len()), (Some(15), Address::STRANGER, 1000));
    }
}
