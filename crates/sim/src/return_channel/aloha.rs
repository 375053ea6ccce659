//! Slotted ALOHA: terminals send in the next slot without asking, and what meets something else is lost or sent again.
//!
//! A packet takes whole slots, as many as it needs, one behind the other, and no other packet shares them. Two of which
//! any slot is the same destroy each other. A terminal learns of that a round trip later; then it waits for so many
//! slots, drawn from a window that doubles with each collision of the packet (as the binary exponential backoff of
//! OpenSAND, `SlottedAlohaBackoffBeb.cpp`), and sends again. Packets that come meanwhile do not wait for it.

use faircast_proto::time::Duration;

/// How terminals send without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aloha {
    /// How often a packet is sent again, at most.
    pub retries: u32,
    /// From the end of a packet until its terminal knows what has become of it.
    pub delay: Duration,
    /// The window in slots after the first collision of a packet, not zero.
    pub backoff: u32,
}

/// Packets in the air of a carrier.
#[derive(Default)]
pub(super) struct Air {
    bursts: Vec<Burst>,
}

struct Burst {
    /// Which terminal of the network sends it.
    terminal: u32,
    /// The first slot in which it is not sent any more.
    end: u64,
}

impl Aloha {
    /// The window after so many collisions of a packet, one at least.
    pub(super) fn window(&self, collisions: u32) -> u64 {
        u64::from(self.backoff) << (collisions - 1).min(Self::DOUBLINGS)
    }

    /// The window doubles so often at most: a choice.
    const DOUBLINGS: u32 = 10;
}

impl Air {
    /// A terminal begins to send in a slot, until another one. Tells `hits` whose packets it meets.
    pub(super) fn begin(&mut self, terminal: u32, slot: u64, end: u64, mut hits: impl FnMut(u32)) {
        self.bursts.retain(|burst| burst.end > slot);
        self.bursts.iter().for_each(|burst| hits(burst.terminal));
        self.bursts.push(Burst { terminal, end });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_slot_together_meets() {
        let mut air = Air::default();
        let mut begin = |terminal, slot, end| {
            let mut met = Vec::new();
            air.begin(terminal, slot, end, |other| met.push(other));
            met
        };
        assert!(begin(1, 0, 2).is_empty());
        assert_eq!(begin(2, 1, 2), [1]);
        assert!(begin(1, 2, 5).is_empty(), "both are over");
        assert_eq!(begin(3, 2, 3), [1]);
        assert_eq!(begin(2, 4, 5), [1]);
        assert!(begin(2, 5, 6).is_empty());
    }

    #[test]
    fn windows_double() {
        let aloha = Aloha { retries: 9, delay: Duration::ZERO, backoff: 3 };
        assert_eq!([1, 2, 3, 11, 12].map(|collisions| aloha.window(collisions)), [3, 6, 12, 3072, 3072]);
    }
}
