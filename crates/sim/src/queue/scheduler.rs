//! Queues that own their packets.
//!
//! A [`Discipline`] decides about a packet that comes, and what it lets in leaves in the order of arrival. A
//! [`Scheduler`] has the packets themselves: it chooses who leaves next, drops whom it likes, knows how long each has
//! waited, and may hand out nothing for a while though packets wait.

use super::discipline::{Discipline, InterfaceView, Verdict};
use super::held::{Drops, Fifo, Held};
use faircast_proto::packet::Packet;
use faircast_proto::time::{Duration, Instant};
use std::sync::Arc;

/// A queue that owns the packets that wait.
///
/// Each packet is put before [`arrive`](Discipline::arrive), also if nothing waits and the transmitter is free. What
/// enters is given to [`enqueue`](Self::enqueue) in the same moment. Whenever the transmitter is free, and a packet has
/// come or a deadline, or the packet before has left, [`dequeue`](Self::dequeue) is asked for the next.
///
/// What a scheduler cannot do is checked, and ends the run with its [`name`](Self::name): packets that it loses, keeps
/// forever or gives to another link, a deadline that has passed. That it invents or doubles packets the types do not
/// allow.
pub trait Scheduler: Discipline {
    /// What it is called where it is told that it has failed.
    fn name(&self) -> &str;

    /// Takes in a packet that was let in. Others may be dropped for it, or itself.
    fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops);

    /// The packet that is transmitted next, and what becomes of it: it leaves as it is, marked, or is dropped, and then
    /// the next is asked for. `None` if nothing waits, or nothing may leave yet; then there must be a
    /// [`deadline`](Self::deadline).
    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)>;

    /// When [`dequeue`](Self::dequeue) is to be asked again if nothing else happens; in the future, and `None` if
    /// something leaves whenever it is asked for.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// How many packets it has.
    fn len(&self) -> usize;

    /// Whether it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows each packet to `leaves` once, in an order that is the same if nothing has come or gone, best that in which
    /// they would leave; takes out those of which it says so, into `out`: they go another way, or are let go.
    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>);

    /// The DSCP of each flow and session by its number, 0 of those beyond; said once, before anything comes.
    fn know_dscp(&mut self, _of_flows: &Arc<[u8]>) {}

    /// How long the transmitter takes for a packet that would take `plain` at the rate of the link, bytes of the link
    /// layer included: more where one is coded more strongly for those who hear it.
    fn service_time(&self, _held: &Held, _packet: &Packet, plain: Duration) -> Duration {
        plain
    }
}

impl<S: Scheduler + ?Sized> Scheduler for Box<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        (**self).enqueue(held, packet, at, drops);
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        (**self).dequeue(at, drops)
    }

    fn deadline(&self) -> Option<Instant> {
        (**self).deadline()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        (**self).remove(leaves, out);
    }

    fn know_dscp(&mut self, of_flows: &Arc<[u8]>) {
        (**self).know_dscp(of_flows);
    }

    fn service_time(&self, held: &Held, packet: &Packet, plain: Duration) -> Duration {
        (**self).service_time(held, packet, plain)
    }
}

/// What a discipline lets in, in the order of arrival: what a link does by itself, as a queue that owns its packets.
/// The simplest scheduler, and the one that others are held against.
#[derive(Debug)]
pub struct InOrder<D> {
    discipline: D,
    packets: Fifo,
}

impl<D: Discipline> InOrder<D> {
    /// An empty one.
    pub fn new(discipline: D) -> InOrder<D> {
        InOrder { discipline, packets: Fifo::default() }
    }
}

impl<D: Discipline> Discipline for InOrder<D> {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.discipline.arrive(packet, at)
    }

    fn sure_room_pkts(&self) -> u32 {
        self.discipline.sure_room_pkts()
    }

    fn average_pkts(&self) -> Option<f64> {
        self.discipline.average_pkts()
    }
}

impl<D: Discipline> Scheduler for InOrder<D> {
    fn name(&self) -> &str {
        "in order"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        self.packets.push(held);
    }

    fn dequeue(&mut self, _at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.packets.pop().map(|held| (held, Verdict::Accept))
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}
