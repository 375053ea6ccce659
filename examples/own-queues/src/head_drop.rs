//! A queue that drops from the front: what finds no room takes the place of the oldest, and what has waited too long
//! is dropped when its turn comes. The news of congestion reaches senders a queue's length earlier [Lakshman et al.,
//! "The drop from front strategy in TCP and in TCP over ATM", INFOCOM 1996].

use crate::{packets, wrong_limit};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::Duration;
use faircast_sim::queue::{
    Discipline, DropReason, Drops, Fifo, Held, InterfaceView, LinkContext, Queue, QueueKind, Scheduler, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, without the packet in transmission. Default "50 packets".
    pub limit: QueueSize,
    /// How long a packet may wait. Default "1 s".
    pub longest: Duration,
}

/// A queue that drops its oldest.
#[derive(Debug)]
pub struct HeadDrop {
    limit_pkts: usize,
    longest: Duration,
    packets: Fifo,
}

impl HeadDrop {
    /// No more than `limit_pkts` wait, none longer than `longest`.
    pub fn new(limit_pkts: usize, longest: Duration) -> HeadDrop {
        HeadDrop { limit_pkts, longest, packets: Fifo::default() }
    }
}

impl Discipline for HeadDrop {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }
}

impl Scheduler for HeadDrop {
    fn name(&self) -> &str {
        "head-drop"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, drops: &mut Drops) {
        self.packets.push(held);
        while self.packets.len() > self.limit_pkts
            && let Some(oldest) = self.packets.pop()
        {
            drops.drop(oldest, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        let held = self.packets.pop()?;
        let waited = at.now.since(held.since());
        let verdict = if waited > self.longest { Verdict::Drop(DropReason::Active) } else { Verdict::Accept };
        Some((held, verdict))
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { limit: QueueSize::Packets(50.0), longest: Duration::from_millis(1000) }
    }
}

impl QueueKind for Config {
    fn check(&self) -> Vec<(String, String)> {
        wrong_limit(self.limit).into_iter().collect()
    }

    fn limit(&self) -> QueueSize {
        self.limit
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        Queue::Scheduler(Box::new(HeadDrop::new(packets(self.limit), self.longest)))
    }
}
