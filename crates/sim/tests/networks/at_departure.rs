//! A queue that decides when a packet's turn has come, for tests.

use faircast_proto::packet::Packet;
use faircast_sim::queue::{Discipline, Drops, Fifo, Held, InterfaceView, Queue, Scheduler, Verdict};

/// Asks at each departure.
struct AtDeparture<F> {
    verdict: F,
    packets: Fifo,
}

/// A queue in the order of arrival that asks `verdict` about each packet, before it leaves; `at` is the interface
/// without it.
pub fn at_departure(verdict: impl FnMut(&Held, &InterfaceView) -> Verdict + Send + 'static) -> Queue {
    Queue::Scheduler(Box::new(AtDeparture { verdict, packets: Fifo::default() }))
}

impl<F> Discipline for AtDeparture<F> {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }
}

impl<F: FnMut(&Held, &InterfaceView) -> Verdict> Scheduler for AtDeparture<F> {
    fn name(&self) -> &str {
        "at departure"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        self.packets.push(held);
    }

    fn dequeue(&mut self, at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        let held = self.packets.pop()?;
        let (waiting_pkts, waiting_bytes) = (self.packets.len() as u32, self.packets.bytes());
        let verdict = (self.verdict)(&held, &InterfaceView { waiting_pkts, waiting_bytes, ..*at });
        Some((held, verdict))
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}
