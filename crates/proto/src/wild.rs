//! What headers that mean nothing are drawn from, for tests of what endpoints stand.

use crate::address::Address;
use crate::random::Random;

/// What headers of any protocol are drawn from.
pub struct Wild<'a> {
    /// Where from.
    random: &'a mut Random,
    /// Who sends the packet.
    pub from: Address,
    /// About where the numbers of packets are.
    sequence: &'a mut u32,
    /// How many numbers have been drawn.
    draws: u32,
    /// Which of them, from 1, is to be another.
    replaced: Option<u32>,
}

impl<'a> Wild<'a> {
    /// For packets from `from`, whose numbers go on from `sequence`.
    pub fn new(random: &'a mut Random, from: Address, sequence: &'a mut u32) -> Wild<'a> {
        Wild { random, from, sequence, draws: 0, replaced: None }
    }

    /// Draws with another number in one place, counted from 1: two headers that differ in one field.
    #[must_use]
    pub fn replacing(self, draw: Option<u32>) -> Wild<'a> {
        Wild { replaced: draw, ..self }
    }

    /// How many numbers have been drawn.
    pub fn draws(&self) -> u32 {
        self.draws
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        let value = self.random.uniform();
        self.draws += 1;
        if self.replaced == Some(self.draws) { (value + 0.381_966) % 1.0 } else { value }
    }

    /// Whether something of this probability is so.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.uniform() * f64::from(n)) as u32
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
            3 => self.uniform() as f32,
            _ => (-1e5 * libm::log1p(-self.uniform())) as f32,
        }
    }

    /// The number of a packet: near the last one as a rule, now and then far ahead or anywhere.
    pub fn sequence(&mut self) -> u32 {
        let step = if self.chance(0.01) { 1e7 * self.uniform() } else { -3.0 + 8.0 * self.uniform() };
        *self.sequence = (f64::from(*self.sequence) + step) as u32;
        if self.chance(0.001) { self.word() } else { *self.sequence }
    }
}
