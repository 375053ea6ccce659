//! Two queues in one: unicast and multicast take turns, each with its weight, by deficit round robin [Shreedhar and
//! Varghese, "Efficient fair queuing using deficit round-robin", SIGCOMM 1995]. Neither can starve the other, whatever
//! its senders do.

use crate::{packets, wrong_limit};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use faircast_sim::queue::{
    Discipline, DropReason, Drops, Fifo, Held, InterfaceView, LinkContext, Queue, QueueKind, Scheduler, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one of weight 1 may send in a turn: the largest packet of Ethernet, so that a turn always sends something soon.
const QUANTUM_BYTES: f64 = 1500.0;

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait in both, without the packet in transmission. Default "50 packets".
    pub limit: QueueSize,
    /// Bytes of multicast for each of unicast while both wait. Default 1.
    pub weight: f64,
}

/// One of the two.
#[derive(Debug, Default)]
struct Class {
    packets: Fifo,
    /// What it may send in a turn, bytes.
    quantum: u64,
    /// What it may still send in this turn.
    credit: u64,
}

/// Two queues that take turns.
#[derive(Debug)]
pub struct TwoQueues {
    limit_pkts: usize,
    /// Unicast, multicast.
    classes: [Class; 2],
    /// Whose turn it is.
    turn: usize,
}

impl TwoQueues {
    /// Multicast has `weight` times what unicast has; no more than `limit_pkts` wait in both.
    pub fn new(limit_pkts: usize, weight: f64) -> TwoQueues {
        let class = |weight: f64| Class { quantum: (weight * QUANTUM_BYTES) as u64, ..Class::default() };
        // The lighter one has the whole quantum.
        let least = weight.min(1.0);
        TwoQueues { limit_pkts, classes: [class(1.0 / least), class(weight / least)], turn: 0 }
    }
}

impl Discipline for TwoQueues {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }
}

impl Scheduler for TwoQueues {
    fn name(&self) -> &str {
        "two-queues"
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, _at: &InterfaceView, drops: &mut Drops) {
        self.classes[usize::from(packet.destination.is_group())].packets.push(held);
        if self.len() > self.limit_pkts {
            // The longer one pays; of two alike multicast, which can bear it.
            let longer = usize::from(self.classes[1].packets.bytes() >= self.classes[0].packets.bytes());
            if let Some(oldest) = self.classes[longer].packets.pop() {
                drops.drop(oldest, DropReason::Overflow);
            }
        }
    }

    fn dequeue(&mut self, _at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        if self.is_empty() {
            return None;
        }
        loop {
            let class = &mut self.classes[self.turn];
            match class.packets.first().map(|held| u64::from(held.size())) {
                Some(size) if size <= class.credit => {
                    class.credit -= size;
                    return class.packets.pop().map(|held| (held, Verdict::Accept));
                }
                // Credit is kept only while something waits.
                Some(_) => {}
                None => class.credit = 0,
            }
            self.turn = 1 - self.turn;
            let class = &mut self.classes[self.turn];
            class.credit += class.quantum;
        }
    }

    fn len(&self) -> usize {
        self.classes.iter().map(|class| class.packets.len()).sum()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.classes.iter_mut().for_each(|class| class.packets.remove(leaves, out));
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { limit: QueueSize::Packets(50.0), weight: 1.0 }
    }
}

impl QueueKind for Config {
    fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<_> = wrong_limit(self.limit).into_iter().collect();
        if !(0.001..=1000.0).contains(&self.weight) {
            wrong.push(("weight".into(), format!("{} given; legal is 0.001 to 1000", self.weight)));
        }
        wrong
    }

    fn limit(&self) -> QueueSize {
        self.limit
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        Queue::Scheduler(Box::new(TwoQueues::new(packets(self.limit), self.weight)))
    }
}
