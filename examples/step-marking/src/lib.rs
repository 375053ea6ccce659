//! Step marking: every ECN-capable packet that finds more than a threshold waiting is marked.
//!
//! The marking that DCTCP expects of a switch (RFC 8257, section 3.1): no average and no chance, so that the fraction
//! of marked packets tells the sender how far the queue is above the threshold.

use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Packets, QueueSize};
use faircast_sim::queue::{Discipline, DropReason, InterfaceView, LinkContext, Queue, QueueKind, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the queue known: scenarios may name it from now on.
pub fn register() {
    let guests = faircast_scenario::guests!();
    guests.queue::<Config>("step-marking", "Marks from a threshold on, as DCTCP wants it.");
}

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, without the packet in transmission. Default "50 packets".
    pub limit: Packets,
    /// Packets waiting above which a packet is marked. Default "10 packets".
    pub threshold: Packets,
}

/// A queue that marks above a threshold and drops at its limit.
#[derive(Clone, Copy, Debug)]
pub struct StepMarking {
    threshold_pkts: u32,
    limit_pkts: u32,
}

impl StepMarking {
    /// Marks a packet that finds more than `threshold_pkts` waiting; lets no more than `limit_pkts` wait.
    pub fn new(threshold_pkts: u32, limit_pkts: u32) -> StepMarking {
        StepMarking { threshold_pkts, limit_pkts }
    }

    /// The discipline as a link takes it.
    pub fn into_queue(self) -> Queue {
        Queue::Guest(Box::new(self))
    }
}

impl Discipline for StepMarking {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        if at.waiting_pkts >= self.limit_pkts {
            // RFC 3168, section 5: a packet that arrives at a full queue is dropped, ECN-capable or not.
            return Verdict::Drop(DropReason::Overflow);
        }
        if at.waiting_pkts > self.threshold_pkts && packet.ecn != Ecn::NotCapable {
            return Verdict::Mark(Ecn::Moderate);
        }
        Verdict::Accept
    }
}

impl QueueKind for Config {
    fn check(&self) -> Vec<(String, String)> {
        let wrong = |packets: Packets| !(1.0..=1e9).contains(&packets.0) || packets.0.fract() != 0.0;
        let fields = [("limit", self.limit), ("threshold", self.threshold)];
        let message = |packets: Packets| format!("{} packets given; legal is a whole number from 1 to 1e9", packets.0);
        fields.into_iter().filter(|field| wrong(field.1)).map(|(name, it)| (name.to_owned(), message(it))).collect()
    }

    fn limit(&self) -> QueueSize {
        QueueSize::Packets(self.limit.0)
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        StepMarking::new(self.threshold.0 as u32, self.limit.0 as u32).into_queue()
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { limit: Packets(50.0), threshold: Packets(10.0) }
    }
}
