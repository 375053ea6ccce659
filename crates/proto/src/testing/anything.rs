//! Packets that mean nothing, for tests of what endpoints stand.

use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::time::Instant;
use crate::wild::Wild;

/// Any packet at all to `destination`, from one of the endpoints 0 to 8.
pub fn anything(random: &mut Random, now: Instant, destination: Address, sequence: &mut u32) -> Packet {
    let source = Address::endpoint((random.uniform() * 9.0) as u32);
    let mut wild = Wild::new(random, source, sequence);
    Packet {
        header: Header::wild(&mut wild),
        sent: if wild.chance(0.1) { Instant(u64::from(wild.word()) << 20) } else { now },
        flow: FlowId(wild.word()),
        source,
        destination,
        size: wild.word() as u16,
        ttl: INITIAL_TTL,
        ecn: if wild.chance(0.1) { Ecn::Moderate } else { Ecn::Capable },
    }
}
