//! Packets that mean nothing, for tests of what endpoints stand.

use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::time::Instant;

/// What headers of any protocol are drawn from.
pub struct Wild<'a> {
    /// Where from.
    pub random: &'a mut Random,
    /// Who sends the packet.
    pub from: Address,
    /// About where the numbers of packets are.
    sequence: &'a mut u32,
}

impl<'a> Wild<'a> {
    /// For packets from `from`, whose numbers go on from `sequence`.
    pub fn new(random: &'a mut Random, from: Address, sequence: &'a mut u32) -> Wild<'a> {
        Wild { random, from, sequence }
    }

    /// Whether something of this probability is so.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.random.chance(probability)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.random.uniform() * f64::from(n)) as u32
    }

    /// Any 32 bits.
    pub fn word(&mut self) -> u32 {
        self.below(u32::MAX)
    }

    /// A rate or the like: some are such as no honest sender would send.
    pub fn number(&mut self) -> f32 {
        match self.below(8) {
            0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX][self.below(4) as usize],
            1 => -1.0,
            2 => 0.0,
            3 => self.random.uniform() as f32,
            _ => self.random.exponential(1e5) as f32,
        }
    }

    /// The number of a packet: near the last one as a rule, now and then far ahead or anywhere.
    pub fn sequence(&mut self) -> u32 {
        let step = if self.chance(0.01) { self.random.uniform_in(0.0, 1e7) } else { self.random.uniform_in(-3.0, 5.0) };
        *self.sequence = (f64::from(*self.sequence) + step) as u32;
        if self.chance(0.001) { self.word() } else { *self.sequence }
    }
}

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
