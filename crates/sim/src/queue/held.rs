//! Packets that wait at a link.

use super::discipline::DropReason;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::store::Label;
use faircast_proto::packet::Ecn;
use faircast_proto::time::Instant;
use std::collections::VecDeque;

/// A packet that waits at a link. Only links make it, and it cannot be copied: its holder answers for the packet,
/// and gives it back, or [drops](Drops::drop) it, once.
#[derive(Debug)]
pub struct Held {
    pub(crate) label: Label,
    pub(crate) since: Instant,
    /// On a link with legs, for which of them it is.
    pub(crate) aim: Aim,
    /// The link at which it waits.
    pub(crate) link: LinkId,
    pub(crate) ecn: Ecn,
    /// It will be transmitted, but received by nobody.
    pub(crate) doomed: bool,
}

impl Held {
    /// Its bytes on the wire, without those that the link layer adds.
    pub fn size(&self) -> u16 {
        self.label.size()
    }

    /// When it came to the link.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Its congestion bits.
    pub fn ecn(&self) -> Ecn {
        self.ecn
    }

    /// On a link with legs, the only one that it is for; `None` if it is for several, for nobody, or there are no legs.
    pub fn leg(&self) -> Option<LinkId> {
        match self.aim {
            Aim::Leg(leg) => Some(leg),
            Aim::Wanting | Aim::Beside(_) | Aim::Nobody => None,
        }
    }
}

/// Packets in the order in which they came: what a queue is made of, or each of several.
#[derive(Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Held>,
    bytes: u64,
}

impl Fifo {
    /// Takes a packet in, behind all others.
    #[inline]
    pub fn push(&mut self, held: Held) {
        self.bytes += u64::from(held.size());
        self.packets.push_back(held);
    }

    /// Takes the oldest out.
    #[inline]
    pub fn pop(&mut self) -> Option<Held> {
        let held = self.packets.pop_front()?;
        self.bytes -= u64::from(held.size());
        Some(held)
    }

    /// The oldest.
    #[inline]
    pub fn first(&self) -> Option<&Held> {
        self.packets.front()
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Shows each to `leaves`, the oldest first, and takes out those of which it says so, into `out`.
    pub fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        for mut held in std::mem::take(&mut self.packets) {
            match leaves(&mut held) {
                true => {
                    self.bytes -= u64::from(held.size());
                    out.push(held);
                }
                false => self.packets.push_back(held),
            }
        }
    }
}

/// Packets that a queue drops.
#[derive(Debug, Default)]
pub struct Drops {
    pub(crate) packets: Vec<(Held, DropReason)>,
}

impl Drops {
    /// Drops a packet.
    pub fn drop(&mut self, held: Held, reason: DropReason) {
        self.packets.push((held, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use crate::store::Store;

    #[test]
    fn a_fifo_knows_its_bytes_whoever_leaves() {
        let (mut store, mut fifo, mut out) = (Store::default(), Fifo::default(), Vec::new());
        for size in [100, 200, 300, 400] {
            let (label, ecn, link) = (store.insert(&packet(size, Ecn::Capable)), Ecn::Capable, LinkId(0));
            let (since, aim) = (Instant(7), Aim::Leg(LinkId(u32::from(size))));
            fifo.push(Held { label, since, aim, link, ecn, doomed: false });
        }
        assert_eq!((fifo.len(), fifo.bytes()), (4, 1000));
        let first = fifo.first().map(|held| (held.size(), held.since(), held.leg()));
        assert_eq!(first, Some((100, Instant(7), Some(LinkId(100)))));
        fifo.remove(&mut |held| held.size() == 200 || held.size() == 400, &mut out);
        assert_eq!((fifo.len(), fifo.bytes(), out.len()), (2, 400, 2));
        assert_eq!(fifo.pop().map(|held| held.size()), Some(100));
        assert_eq!((fifo.bytes(), fifo.pop().map(|held| held.size())), (300, Some(300)));
        assert!(fifo.bytes() == 0 && fifo.is_empty());
    }
}
