//! A shaper: packets leave at a mean rate at most, and in bursts of a size at most, however fast the link is.
//!
//! A token bucket, as time: each packet moves the moment on by which all that has left
//! would have left at the mean rate. What would be ahead of that by more than the burst waits.

use crate::{packets, wrong_limit};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::queue::{
    Discipline, DropReason, Drops, Fifo, Held, InterfaceView, LinkContext, Queue, QueueKind, Scheduler, Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mean rate.
    pub rate: Rate,
    /// What may leave at once after a pause. Default "3 kB".
    #[serde(default = "three_kilobytes")]
    pub burst: Bytes,
    /// The most that may wait, without the packet in transmission. Default "50 packets".
    #[serde(default = "fifty_packets")]
    pub limit: QueueSize,
}

fn three_kilobytes() -> Bytes {
    Bytes(3000)
}

fn fifty_packets() -> QueueSize {
    QueueSize::Packets(50.0)
}

/// A queue behind a token bucket.
#[derive(Debug)]
pub struct Shaper {
    rate: Rate,
    /// What the burst takes at the mean rate.
    burst: Duration,
    limit_pkts: usize,
    packets: Fifo,
    /// When all that has left would have left at the mean rate.
    spent_until: Instant,
}

impl Shaper {
    /// Lets `rate` through, in bursts of `burst_bytes` at most; no more than `limit_pkts` wait.
    pub fn new(rate: Rate, burst_bytes: u32, limit_pkts: usize) -> Shaper {
        let burst = rate.time_for(burst_bytes);
        Shaper { rate, burst, limit_pkts, packets: Fifo::default(), spent_until: Instant::ZERO }
    }

    /// When the next packet may leave.
    fn next(&self) -> Option<Instant> {
        let takes = self.rate.time_for(u32::from(self.packets.first()?.size()));
        // A packet larger than the burst leaves when the bucket is full.
        let ahead = self.burst.0.saturating_sub(takes.0);
        Some(Instant(self.spent_until.0.saturating_sub(ahead)))
    }
}

impl Discipline for Shaper {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        if self.packets.len() < self.limit_pkts { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
    }
}

impl Scheduler for Shaper {
    fn name(&self) -> &str {
        "token-bucket"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        self.packets.push(held);
    }

    fn dequeue(&mut self, at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        if self.next()? > at.now {
            return None;
        }
        let held = self.packets.pop()?;
        self.spent_until = self.spent_until.max(at.now) + self.rate.time_for(u32::from(held.size()));
        Some((held, Verdict::Accept))
    }

    fn deadline(&self) -> Option<Instant> {
        self.next()
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}

impl QueueKind for Config {
    fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<_> = wrong_limit(self.limit).into_iter().collect();
        if self.rate.0 == 0 {
            wrong.push(("rate".into(), "0 bit/s given; legal is more".into()));
        }
        if !(1..=1_000_000_000).contains(&self.burst.0) {
            wrong.push(("burst".into(), format!("{} B given; legal is 1 B to 1 GB", self.burst.0)));
        }
        wrong
    }

    fn limit(&self) -> QueueSize {
        self.limit
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        let shaper = Shaper::new(self.rate, self.burst.0 as u32, packets(self.limit));
        Queue::Scheduler(Box::new(shaper))
    }
}
