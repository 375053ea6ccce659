//! Step marking: every ECN-capable packet that finds more than a threshold waiting is marked.
//!
//! The marking that DCTCP expects of a switch (RFC 8257, section 3.1): no average and no chance, so that the fraction
//! of marked packets tells the sender how far the queue is above the threshold.

use faircast_proto::packet::{Ecn, Packet};
use faircast_sim::queue::{Discipline, DropReason, InterfaceView, Queue, Verdict};

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
