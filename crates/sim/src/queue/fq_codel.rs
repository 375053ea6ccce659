//! FQ-CoDel, flow queues under CoDel (RFC 8290): each flow has a queue, deficit round robin takes from them in turn,
//! new flows first, and CoDel acts on each by itself.
//!
//! A flow is what has the same hash of its two addresses; an address stands for host and port, and each group of a
//! layered session has one. So flows may share a queue, as in the RFC. With `by = "session"` all that a session's
//! source sends is one flow.
//!
//! Where the RFC's text leaves room:
//!
//! * A queue has had its turn when its credits are used up, "at least a quantum of bytes" (section 4.2); the same
//!   sentence says "negative", by which a queue of packets as long as the quantum would have two of them in its first
//!   turn.
//! * Whether an MTU is left for a drop is asked of all queues together, as RFC 8289, section 4.4, wants it and Linux
//!   does; RFC 8290 is silent. With `occupancy = "own"` it is asked of the flow's queue alone, as in ns-3.
//! * Of the longest queue half of the packets are dropped, 64 at most (section 4.1), of an odd number the larger half;
//!   Linux counts half of the bytes.

use super::codel::{Control, LONGEST, Rules};
use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Fifo, Held};
use super::room::check_limit;
use super::scheduler::Scheduler;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, above_field, from, to};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::random::fnv1a;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Flow queues under CoDel.
#[derive(Debug)]
pub struct FqCoDel {
    rules: Rules,
    by: By,
    occupancy: Occupancy,
    quantum: i64,
    limit: QueueSize,
    batch: usize,
    /// Added to what is hashed, so that nobody can know beforehand who shares a queue.
    salt: u64,
    /// For each value of the hash its queue in `queues`, if there has been one.
    places: Vec<Option<u32>>,
    queues: Vec<FlowQueue>,
    /// Queues with a turn before all others, in their order.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    pkts: usize,
    bytes: u64,
}

/// The queue of a flow, or of those whose hash is the same.
#[derive(Debug, Default)]
struct FlowQueue {
    packets: Fifo,
    control: Control,
    /// Bytes that it may send in this turn.
    credits: i64,
    /// Whether it has a place in one of the lists.
    is_active: bool,
}

/// What a flow is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowBy")]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// What has the same source and destination: of a layered session each group.
    #[default]
    Address,
    /// What one endpoint of a session or of a flow sends, to whatever groups.
    Session,
}

/// Of what CoDel asks whether enough would be left waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlowOccupancy")]
#[serde(rename_all = "kebab-case")]
pub enum Occupancy {
    /// Of the queues of all flows together.
    #[default]
    Shared,
    /// Of the flow's queue alone.
    Own,
}

/// Parameters of an FQ-CoDel queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FqCoDel", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait in all queues together, in packets or in bytes. Beyond it packets are dropped from the
    /// head of the longest. Default "10240 packets" (RFC 8290, section 5.2.3).
    pub limit: QueueSize,
    /// The time for which packets of a flow may wait for good. Default "5 ms" (section 5.2.2, which advises at least
    /// the time that a packet takes, and otherwise 5 to 10 % of `interval`).
    pub target: Duration,
    /// How long all packets of a flow must have waited for more than `target` before the first is dropped: the longest
    /// usual round-trip time. Default "100 ms" (section 5.2.1).
    pub interval: Duration,
    /// Bytes that a flow sends in a turn. Default "1514 B" (section 5.2.4).
    pub quantum: Bytes,
    /// Values of the hash, and so queues. Default 1024 (section 5.2.5).
    pub flows: u32,
    /// Marks ECN-capable packets instead of dropping them. Default true (section 5.2.6).
    pub ecn: bool,
    /// Marks ECN-capable packets that have waited for longer than this, whatever else is decided (section 5.2.7).
    /// Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Duration>,
    /// The most packets that are dropped at once when the limit is passed. Default 64 (section 4.1).
    pub batch: u32,
    /// What a flow is. Default "address" (section 4.1).
    pub by: By,
    /// Where `mtu` must be left waiting for a drop: in the queues of all flows together, or in that of the flow alone.
    /// Default "shared" (RFC 8289, section 4.4).
    pub occupancy: Occupancy,
    /// As long as no more than this would be left waiting nothing is dropped. Default: the largest packet that has come
    /// so far (RFC 8289, section 4.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
}

limits! { Config {
    target: above(Duration::ZERO).to(LONGEST),
    interval: above_field("target", |config: &Config| config.target).to(LONGEST),
    quantum: from(Bytes(1)).to(Bytes(1_000_000)),
    flows: from(1).to(65_536),
    ce_threshold: to(LONGEST),
    batch: from(1),
    mtu: from(Bytes(1)),
} }

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(10_240.0),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            quantum: Bytes(1514),
            flows: 1024,
            ecn: true,
            ce_threshold: None,
            batch: 64,
            by: By::Address,
            occupancy: Occupancy::Shared,
            mtu: None,
        }
    }
}

impl Config {
    /// Every field that has an illegal value.
    pub fn check(&self) -> Vec<(String, String)> {
        check_limit(self.limit).into_iter().chain(self.beyond_limits()).collect()
    }

    /// The most that may wait.
    pub fn limit(&self) -> QueueSize {
        self.limit
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let short = Config { limit: QueueSize::Packets(20.0), ..Config::default() };
        vec![
            Config::default(),
            Config { ecn: false, by: By::Session, occupancy: Occupancy::Own, ..short.clone() },
            Config { flows: 2, quantum: Bytes(300), batch: 3, limit: QueueSize::Bytes(20_000), ..short.clone() },
            Config { target: Duration::from_millis(1), interval: Duration::from_millis(10), ..short },
        ]
    }
}

impl FqCoDel {
    /// A queue as `config` says.
    pub fn new(config: &Config, mut link: LinkContext) -> FqCoDel {
        let Config { target, interval, ecn, ce_threshold, mtu, .. } = *config;
        FqCoDel {
            rules: Rules::new(target, interval, ecn, ce_threshold, mtu),
            by: config.by,
            occupancy: config.occupancy,
            quantum: config.quantum.0 as i64,
            limit: config.limit,
            batch: config.batch as usize,
            salt: link.random.uniform().to_bits(),
            places: vec![None; config.flows as usize],
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            pkts: 0,
            bytes: 0,
        }
    }

    /// The queue that a packet goes into.
    fn queue_of(&mut self, packet: &Packet) -> u32 {
        let key = match self.by {
            By::Address => (packet.source.to_bits(), packet.destination.to_bits()),
            By::Session => (packet.source.to_bits(), packet.flow.0),
        };
        let salted = u128::from(self.salt) << 64 | u128::from(key.0) << 32 | u128::from(key.1);
        let hash = fnv1a(&salted.to_le_bytes());
        // The low bits of this hash see the low bits of the input only.
        let place = (hash ^ (hash >> 32)) % self.places.len() as u64;
        *self.places[place as usize].get_or_insert_with(|| {
            self.queues.push(FlowQueue::default());
            self.queues.len() as u32 - 1
        })
    }

    fn is_beyond_limit(&self) -> bool {
        match self.limit {
            QueueSize::Packets(pkts) => self.pkts as f64 > pkts,
            QueueSize::Bytes(bytes) => self.bytes > bytes,
        }
    }

    /// Drops from the head of the queue with the most bytes, of equal ones the one that came first.
    fn drop_from_longest(&mut self, drops: &mut Drops) {
        let Some(longest) = self.queues.iter_mut().rev().max_by_key(|queue| queue.packets.bytes()) else { return };
        for _ in 0..longest.packets.len().div_ceil(2).min(self.batch) {
            let Some(held) = longest.packets.pop() else { return };
            (self.pkts, self.bytes) = (self.pkts - 1, self.bytes - u64::from(held.size()));
            drops.drop(held, DropReason::Overflow);
        }
    }
}

impl Discipline for FqCoDel {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }
}

impl Scheduler for FqCoDel {
    fn name(&self) -> &str {
        "fq-codel"
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, _at: &InterfaceView, drops: &mut Drops) {
        self.rules.see(held.size());
        (self.pkts, self.bytes) = (self.pkts + 1, self.bytes + u64::from(held.size()));
        let number = self.queue_of(packet);
        let queue = &mut self.queues[number as usize];
        queue.packets.push(held);
        if !queue.is_active {
            (queue.is_active, queue.credits) = (true, self.quantum);
            self.new.push_back(number);
        }
        while self.is_beyond_limit() {
            self.drop_from_longest(drops);
        }
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        loop {
            let is_new = !self.new.is_empty();
            let number = *if is_new { self.new.front() } else { self.old.front() }?;
            let queue = &mut self.queues[number as usize];
            if queue.credits <= 0 {
                queue.credits += self.quantum;
            } else {
                let before = (queue.packets.len(), queue.packets.bytes());
                let elsewhere = if self.occupancy == Occupancy::Shared { self.bytes - before.1 } else { 0 };
                let out = queue.control.dequeue(&self.rules, at.now, &mut queue.packets, elsewhere, drops);
                self.pkts -= before.0 - queue.packets.len();
                self.bytes -= before.1 - queue.packets.bytes();
                if let Some((held, verdict)) = out {
                    queue.credits -= i64::from(held.size());
                    return Some((held, verdict));
                }
                // An empty one that was new goes through the old ones, or it could come back as a new one before they
                // have had their turn.
                queue.is_active = is_new;
            }
            if queue.is_active {
                self.old.push_back(number);
            }
            if is_new {
                self.new.pop_front()
            } else {
                self.old.pop_front()
            };
        }
    }

    fn len(&self) -> usize {
        self.pkts
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        for queue in &mut self.queues {
            queue.packets.remove(leaves, out);
        }
        self.pkts = self.queues.iter().map(|queue| queue.packets.len()).sum();
        self.bytes = self.queues.iter().map(|queue| queue.packets.bytes()).sum();
    }
}

#[cfg(test)]
#[path = "fq_codel_tests.rs"]
mod tests;
