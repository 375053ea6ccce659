//! The packets that a source has sent: which are acknowledged, and which are lost (draft-ietf-rmt-bb-pgmcc-03 section
//! 2.2).

use crate::packet::Address;
use std::collections::VecDeque;

/// How many acknowledged packets with higher numbers show that one is lost.
const HIGHER: usize = 3;
/// Bits of an ACK's bitmap.
const BITS: u64 = u32::BITS as u64;

/// The packets from the oldest one outstanding on. Each is outstanding until it is closed: acknowledged for the first
/// time, or declared lost. Numbers are counts that do not wrap; on the wire they are their low 32 bits.
#[derive(Clone, Debug, Default)]
pub struct Outstanding {
    /// Number of the first of `packets`.
    first: u64,
    packets: VecDeque<Sent>,
    /// How many of them are outstanding.
    open: u64,
    /// The highest numbers acknowledged, plus one, falling; 0 = none.
    highest: [u64; HIGHER],
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// It is outstanding and names this receiver as the acker, or none.
    Open(Option<Address>),
    Closed,
}

/// What an ACK says that was not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// The highest number that the ACK speaks of.
    pub highest: u64,
    /// Packets acknowledged for the first time (N).
    pub acknowledged: u64,
    /// Packets declared lost (L).
    pub lost: u64,
    /// Of those the last one that named the ACK's sender as the acker: the loss is one on the way to it.
    pub congestion: Option<u64>,
}

impl Outstanding {
    /// A packet is sent that names this acker. Its number.
    pub fn send(&mut self, acker: Option<Address>) -> u64 {
        let number = self.next();
        self.packets.push_back(Sent::Open(acker));
        self.open += 1;
        number
    }

    /// The packet with this number has not been sent: if it was the last and is outstanding, the next one has its
    /// number. Whether it was.
    pub fn take_back(&mut self, on_wire: u32) -> bool {
        let is_last = self.number(on_wire).is_some_and(|number| number + 1 == self.next());
        let taken = is_last && self.packets.pop_back_if(|packet| *packet != Sent::Closed).is_some();
        self.open -= u64::from(taken);
        taken
    }

    /// An ACK of `from` has come: it has got packet `highest`, but none above, and of those up to it the ones whose bit
    /// is set in `bitmap`, of which bit 0 is `highest`. `None` if there is no such packet.
    pub fn acknowledge(&mut self, from: Address, highest: u32, bitmap: u32) -> Option<Acknowledged> {
        let highest = self.number(highest)?;
        let mut result = Acknowledged { highest, ..Acknowledged::default() };
        for behind in (0..BITS).rev().filter(|behind| bitmap >> behind & 1 == 1) {
            let Some(number) = highest.checked_sub(behind).filter(|&number| number >= self.first) else { continue };
            let packet = &mut self.packets[(number - self.first) as usize];
            if *packet != Sent::Closed {
                *packet = Sent::Closed;
                result.acknowledged += 1;
                self.note(number + 1);
            }
        }
        self.open -= result.acknowledged;
        // What lies below the third: each of them is followed by three that are acknowledged.
        let below = self.highest[HIGHER - 1].saturating_sub(1);
        while self.first < below {
            let Some(Sent::Open(named)) = self.drop_first() else { continue };
            result.lost += 1;
            if named == Some(from) {
                result.congestion = Some(self.first - 1);
            }
        }
        self.open -= result.lost;
        while self.packets.front() == Some(&Sent::Closed) {
            self.drop_first();
        }
        Some(result)
    }

    /// Closes those that name no acker. How many they were.
    pub fn close_nameless(&mut self) -> u64 {
        let mut closed = 0;
        for packet in self.packets.iter_mut().filter(|packet| **packet == Sent::Open(None)) {
            *packet = Sent::Closed;
            closed += 1;
        }
        self.open -= closed;
        closed
    }

    /// None is outstanding any more.
    pub fn forget(&mut self) {
        self.first = self.next();
        self.packets.clear();
        self.open = 0;
    }

    /// How many are outstanding.
    pub fn len(&self) -> u64 {
        self.open
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// The number of the next packet.
    pub fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// The number of a packet that has been sent, from its low 32 bits; `None` if none such has been.
    pub fn number(&self, on_wire: u32) -> Option<u64> {
        let next = self.next();
        // Serial arithmetic: what is half the number space ahead, or less, has not been sent.
        let behind = (next as u32).wrapping_sub(on_wire) as i32;
        (behind > 0).then(|| next.checked_sub(behind as u64)).flatten()
    }

    /// Counts those outstanding: for checks.
    pub(super) fn recount(&self) -> u64 {
        self.packets.iter().filter(|packet| **packet != Sent::Closed).count() as u64
    }

    #[cfg(test)]
    pub(super) fn begin_at(&mut self, number: u64) {
        assert!(self.packets.is_empty());
        self.first = number;
    }

    fn drop_first(&mut self) -> Option<Sent> {
        let packet = self.packets.pop_front();
        self.first += u64::from(packet.is_some());
        packet
    }

    /// Puts a number among the highest.
    fn note(&mut self, above: u64) {
        if let Some(place) = self.highest.iter().position(|&other| above > other) {
            self.highest.copy_within(place..HIGHER - 1, place + 1);
            self.highest[place] = above;
        }
    }
}
