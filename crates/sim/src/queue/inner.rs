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
    /// Whether the last packet that the interface has sent or sends is its own.
    serves: bool,
    /// When the last packet of its own had been sent, if another's was sent since.
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
            idle_since: if self.serves { at.idle_since } else { self.idle_since },
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
        self.rest(at);
        let (view, before) = (self.view(at), drops.packets.len());
        let out = self.queue.dequeue(&view, drops);
        self.forget(&drops.packets[before..]);
        if let Some((held, _)) = &out {
            self.bytes -= u64::from(held.size());
        }
        self.serves = matches!(out, Some((_, Verdict::Accept | Verdict::Mark(_))));
        out
    }

    /// A packet that has left it waits on, so that it counts, or none does.
    pub(super) fn set_aside(&mut self, size: Option<u16>) {
        self.aside = size.map_or((0, 0), |size| (1, u64::from(size)));
    }

    /// The transmitter is free for the next packet, of this queue or of another: if the last was its own, it has been
    /// idle since that had been sent, however often it is asked.
    pub(super) fn rest(&mut self, at: &InterfaceView) {
        if std::mem::take(&mut self.serves) {
            self.idle_since = at.idle_since;
        }
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

#[cfg(test)]
mod tests {
    use super::super::auto::Auto;
    use super::super::battery::{link, packet};
    use super::super::red;
    use super::*;
    use crate::ids::LinkId;
    use crate::part::Aim;
    use crate::store::Store;
    use faircast_proto::packet::Ecn;
    use faircast_proto::time::{Duration, Rate};

    /// A busy interface, whose last packet left `since`.
    fn view(now: Instant, since: Instant) -> InterfaceView {
        let (waiting_pkts, waiting_bytes, rate) = (0, 0, Rate(1_500_000));
        InterfaceView { now, waiting_pkts, waiting_bytes, transmitting: true, idle_since: since, rate }
    }

    #[test]
    fn a_queue_is_idle_however_often_it_is_asked_for_a_packet() {
        let red = red::Config { w_q: Auto::Set(0.5), ..Default::default() };
        let (mut inner, mut store) = (Inner::new(&Config::Red(red), link(0)), Store::default());
        let (mut now, packet, mut drops) = (Instant::ZERO, packet(1000, Ecn::NotCapable), Drops::default());
        for _ in 0..4 {
            assert_eq!(inner.arrive(&packet, &view(now, now)), Verdict::Accept);
            let (label, ecn) = (store.insert(&packet), Ecn::NotCapable);
            let held = Held { label, since: now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            inner.enqueue(held, &packet, &view(now, now), &mut drops);
        }
        // Three waited when the fourth came: 0, 0.5, 1.25, 2.125.
        assert_eq!(inner.queue.average_pkts(), Some(2.125));
        let free = |now| InterfaceView { transmitting: false, ..view(now, now) };
        while inner.dequeue(&free(now), &mut drops).is_some() {}
        // For a second others are sent, and this one is asked each millisecond: it might have sent 187 packets.
        for _ in 0..1000 {
            now += Duration::from_millis(1);
            assert!(inner.dequeue(&free(now), &mut drops).is_none());
        }
        inner.arrive(&packet, &view(now, now));
        let average = inner.queue.average_pkts().expect("RED has one");
        assert!(average < 1e-50, "{average}");
    }
}
