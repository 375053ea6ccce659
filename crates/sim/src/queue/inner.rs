//! A queue within another.

use super::discipline::{Discipline, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Held};
use super::scheduler::{InOrder, Scheduler};
use super::{Config, Queue};
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use std::sync::Arc;

/// A queue within another, whatever its kind, with its bytes counted.
pub(super) struct Inner {
    queue: Box<dyn Scheduler + Send>,
    bytes: u64,
    /// Packets that have left it and wait on, 0 or 1, and their bytes.
    aside: (u32, u64),
    /// Whether what is in transmission is its packet, as far as it was asked last.
    serves: bool,
    idle_since: Instant,
}

impl Inner {
    /// The queue that `config` describes, as if it was alone on the link of `context`.
    pub(super) fn new(config: &Config, context: LinkContext) -> Inner {
        let queue = match Queue::new(config, context) {
            Queue::Scheduler(queue) => queue,
            deciding => Box::new(InOrder::new(deciding)),
        };
        Inner { queue, bytes: 0, aside: (0, 0), serves: false, idle_since: Instant::ZERO }
    }

    /// What it knows of its interface: what waits here, and whether its own packet is in transmission.
    fn view(&self, at: &InterfaceView) -> InterfaceView {
        InterfaceView {
            waiting_pkts: self.queue.len() as u32 + self.aside.0,
            waiting_bytes: self.bytes + self.aside.1,
            transmitting: at.transmitting && self.serves,
            idle_since: self.idle_since,
            ..*at
        }
    }

    pub(super) fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        let view = self.view(at);
        self.queue.arrive(packet, &view)
    }

    pub(super) fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        let (view, before) = (self.view(at), drops.packets.len());
        self.bytes += u64::from(held.size());
        self.queue.enqueue(held, packet, &view, drops);
        self.forget(&drops.packets[before..]);
    }

    pub(super) fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        let (view, before) = (self.view(at), drops.packets.len());
        let out = self.queue.dequeue(&view, drops);
        self.forget(&drops.packets[before..]);
        if let Some((held, _)) = &out {
            self.bytes -= u64::from(held.size());
        }
        (self.serves, self.idle_since) = (out.is_some(), at.now);
        out
    }

    /// A packet that has left it waits on, so that it counts, or none does.
    pub(super) fn set_aside(&mut self, size: Option<u16>) {
        self.aside = size.map_or((0, 0), |size| (1, u64::from(size)));
    }

    /// Another queue has been served.
    pub(super) fn rest(&mut self) {
        self.serves = false;
    }

    fn forget(&mut self, dropped: &[(Held, super::DropReason)]) {
        self.bytes -= dropped.iter().map(|(held, _)| u64::from(held.size())).sum::<u64>();
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.queue.deadline()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        let before = out.len();
        self.queue.remove(leaves, out);
        self.bytes -= out[before..].iter().map(|held| u64::from(held.size())).sum::<u64>();
    }

    pub(super) fn know_dscp(&mut self, of_flows: &Arc<[u8]>) {
        self.queue.know_dscp(of_flows);
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} with {} packets, {} B", self.queue.name(), self.queue.len(), self.bytes)
    }
}
