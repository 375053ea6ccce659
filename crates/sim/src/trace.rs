//! A hash of everything that happens in a run, to compare runs that must be equal: two calendars, two link modes,
//! repeated runs.
//!
//! Each link and each endpoint has a hash of its own, of what happens there in its order; the digest combines them by
//! their numbers. In which order the engine comes to see to two links is its own affair, as long as each sees the same.

use crate::ids::LinkId;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// Running hashes of what happened.
#[derive(Clone, Debug)]
pub struct Trace {
    links: Vec<Hash>,
    endpoints: Vec<Hash>,
    records: u64,
}

/// A running hash of what happened at one place, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hash(u64);

/// What can happen to a packet on a link, as the trace records it.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Happening {
    /// It entered the queue unchanged.
    Accepted = 1,
    /// It entered the queue marked.
    Marked = 2,
    /// The queue dropped it.
    Dropped = 3,
    /// It came to the far end.
    Delivered = 4,
    /// The loss model took one.
    Lost = 5,
    /// It waited and took another way.
    Rerouted = 6,
    /// It waited and was removed.
    Discarded = 7,
    /// It left the transmitter, and nobody was there.
    Unreceived = 8,
}

impl Trace {
    /// The trace of a network in which nothing has happened.
    pub(crate) fn new(links: usize, endpoints: usize) -> Trace {
        Trace { links: vec![Hash::EMPTY; links], endpoints: vec![Hash::EMPTY; endpoints], records: 0 }
    }

    /// Something happens to a packet on a link.
    pub(crate) fn record(&mut self, at: Instant, link: LinkId, what: Happening, packet: Option<&Packet>) {
        self.records += 1;
        let hash = &mut self.links[link.index()];
        hash.mix(at.0);
        hash.mix(what as u64);
        if let Some(packet) = packet {
            hash.mix_packet(packet);
        }
    }

    /// A packet is handed to an endpoint.
    pub(crate) fn hand(&mut self, at: Instant, endpoint: usize, packet: &Packet) {
        if endpoint >= self.endpoints.len() {
            // A seat that was made while the network ran.
            self.endpoints.resize(endpoint + 1, Hash::EMPTY);
        }
        let hash = &mut self.endpoints[endpoint];
        hash.mix(at.0);
        hash.mix_packet(packet);
    }

    /// The hash of all and the number of records of links behind it.
    pub fn digest(&self) -> (u64, u64) {
        let mut all = Hash::EMPTY;
        for (index, hash) in (0..).zip(self.links.iter().chain(&self.endpoints)) {
            // A place where nothing happens leaves no trace, wherever it stands.
            if *hash != Hash::EMPTY {
                all.mix(index);
                all.mix(hash.0);
            }
        }
        (all.0, self.records)
    }
}

impl Hash {
    const EMPTY: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn mix(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    fn mix_packet(&mut self, packet: &Packet) {
        self.mix(u64::from(packet.flow.0) << 32 | u64::from(packet.size) << 8 | u64::from(packet.ecn.code()));
        self.mix(u64::from(packet.source.to_bits()) << 32 | u64::from(packet.destination.to_bits()));
        self.mix(packet.header.digest());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;

    /// What is recorded: when, on which link or at which endpoint, of how many bytes.
    #[derive(Clone, Copy)]
    enum Step {
        Link(u64, u32, u16),
        Endpoint(u64, usize, u16),
    }
    use Step::{Endpoint, Link};

    fn digest(steps: &[Step]) -> (u64, u64) {
        let mut trace = Trace::new(2, 2);
        for &step in steps {
            match step {
                Link(at, link, size) => {
                    let packet = packet(size, Ecn::Capable);
                    trace.record(Instant(at), LinkId(link), Happening::Accepted, Some(&packet));
                }
                Endpoint(at, endpoint, size) => trace.hand(Instant(at), endpoint, &packet(size, Ecn::Capable)),
            }
        }
        trace.digest()
    }

    #[test]
    fn what_happens_counts_and_whether_a_packet_is_known() {
        let digest = |what, size| {
            let mut trace = Trace::new(1, 0);
            trace.record(Instant(1), LinkId(0), what, size);
            trace.digest().0
        };
        let packet = packet(40, Ecn::Capable);
        let all = [
            digest(Happening::Accepted, Some(&packet)),
            digest(Happening::Dropped, Some(&packet)),
            digest(Happening::Lost, None),
            digest(Happening::Lost, Some(&packet)),
        ];
        assert!((0..4).all(|index| !all[..index].contains(&all[index])));
    }

    #[test]
    fn each_place_has_its_own_order_and_nothing_else_counts() {
        let one = digest(&[Link(1, 0, 40), Link(2, 0, 50), Link(1, 1, 40), Endpoint(3, 0, 40), Endpoint(3, 1, 50)]);
        let other = digest(&[Endpoint(3, 1, 50), Link(1, 1, 40), Link(1, 0, 40), Endpoint(3, 0, 40), Link(2, 0, 50)]);
        assert_eq!((one, one.1), (other, 3));
    }

    #[test]
    fn whatever_is_otherwise_somewhere_makes_another_digest() {
        let all = [
            digest(&[]),
            digest(&[Link(1, 0, 40)]),
            digest(&[Link(2, 0, 40)]),
            digest(&[Link(1, 1, 40)]),
            digest(&[Link(1, 0, 41)]),
            digest(&[Endpoint(1, 0, 40)]),
            digest(&[Endpoint(1, 1, 40)]),
            digest(&[Endpoint(2, 1, 40)]),
            digest(&[Endpoint(2, 1, 41)]),
            digest(&[Link(1, 0, 40), Link(1, 0, 50)]),
            digest(&[Link(1, 0, 50), Link(1, 0, 40)]),
            digest(&[Link(1, 0, 40), Link(1, 1, 50)]),
            digest(&[Link(1, 0, 50), Link(1, 1, 40)]),
        ];
        for (index, digest) in all.iter().enumerate() {
            assert!(!all[..index].contains(digest), "{index}");
        }
    }
}
