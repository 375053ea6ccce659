//! What a link in two stages knows of the packets that wait apart from the ring: those that it holds itself, oldest
//! first, or those of a queue that owns them ([`Scheduler`](crate::queue::Scheduler)), which is watched.

use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::{Drops, Fifo, Held};
use faircast_proto::time::Instant;

/// What a link knows of the packets that wait, and those that it holds itself.
pub(super) struct Waiting {
    /// Empty if the queue owns them.
    pub(super) fifo: Fifo,
    /// How many wait, and their bytes, wherever they are.
    pub(super) pkts: u32,
    pub(super) bytes: u64,
    /// How many of them nobody will receive.
    pub(super) doomed: u32,
    /// The link itself, which its packets name.
    pub(super) link: LinkId,
    /// What a queue that owns its packets has to do with the calendar.
    pub(super) owned: Owned,
}

/// What is kept of a queue that owns its packets.
pub(super) struct Owned {
    /// Whether an entry of the calendar will say that a packet has left the transmitter.
    pub(super) transmits: bool,
    /// The last deadline that the calendar was told.
    pub(super) armed: Option<Instant>,
    /// Between two calls empty.
    pub(super) drops: Drops,
    /// What the queue has done that it must not do.
    pub(super) fault: Option<String>,
}

/// What is to become of a packet that waits where a link is down or has turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays, for these legs.
    Stays(Aim),
    /// It stays for nobody to receive it.
    Doomed,
    /// It is taken out.
    Leaves,
}

impl Default for Waiting {
    fn default() -> Waiting {
        let owned = Owned { transmits: false, armed: None, drops: Drops::default(), fault: None };
        Waiting { fifo: Fifo::default(), pkts: 0, bytes: 0, doomed: 0, link: LinkId(u32::MAX), owned }
    }
}

impl Waiting {
    #[inline]
    pub(super) fn count_in(&mut self, held: &Held) {
        self.pkts += 1;
        self.bytes += u64::from(held.size());
    }

    /// A packet waits no longer. Says whether it has waited here.
    #[inline]
    pub(super) fn count_out(&mut self, held: &Held) -> bool {
        if held.link != self.link || self.pkts == 0 {
            self.fail(|| format!("hands out a packet of link {} (counted from 0)", held.link.0));
            return false;
        }
        self.pkts -= 1;
        self.bytes -= u64::from(held.size());
        self.doomed -= u32::from(held.doomed);
        debug_assert!(self.doomed <= self.pkts, "what is doomed waits");
        true
    }

    /// The queue has done what it must not do; the first time counts.
    #[cold]
    pub(super) fn fail(&mut self, what: impl FnOnce() -> String) {
        self.owned.fault.get_or_insert_with(what);
    }
}
