//! A shaper: packets wait until a token bucket has tokens for them, as in Linux's tbf. What waits does so in a queue of
//! any kind.
//!
//! The next packet is taken out of that queue when the last one has left, and waits for its tokens by itself, as in
//! Linux: a queue that decides when packets leave decides a little early, and a class that goes before all others in it
//! waits behind that one packet until it has its tokens.

use super::Config as QueueConfig;
use super::discipline::{Discipline, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Held};
use super::inner::Inner;
use super::scheduler::Scheduler;
use super::token_bucket::TokenBucket;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::time::{Duration, Instant, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A queue that lets out no more than a token bucket allows.
#[derive(Debug)]
pub struct Shaper {
    bucket: TokenBucket,
    queue: Inner,
    /// The packet that waits for its tokens, and until when.
    next: Option<(Held, Verdict, Instant)>,
}

/// Parameters of a shaper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Shaper", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How fast tokens come. Default: the rate that the link has at first, by which nothing changes but where bursts
    /// wait, as long as it keeps that rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Tokens that are there at most. A larger packet goes when all of them are there, and is owed. Default "15000 B",
    /// ten packets of Ethernet.
    pub burst: Bytes,
    /// What packets wait in. Default: a drop-tail queue.
    pub queue: Box<QueueConfig>,
}

limits! { Config {
    rate: from(Rate(1)),
    burst: from(Bytes(1)).to(Bytes(1 << 40)),
} }

impl Default for Config {
    fn default() -> Config {
        Config { rate: None, burst: Bytes(15_000), queue: Box::default() }
    }
}

impl Config {
    /// Every field that has an illegal value.
    pub fn check(&self) -> Vec<(String, String)> {
        let of_queue = self.queue.check().into_iter().map(|(key, message)| (format!("queue.{key}"), message));
        self.beyond_limits().into_iter().chain(of_queue).collect()
    }

    /// The most that may wait.
    pub fn limit(&self) -> QueueSize {
        self.queue.limit()
    }

    /// How fast tokens come on a link that has this rate at first.
    pub fn token_rate(&self, first: Rate) -> Rate {
        self.rate.unwrap_or(first)
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        use super::{codel, red};
        let short = Config { burst: Bytes(700), rate: Some(Rate(400_000)), ..Config::default() };
        let codel = codel::Config { limit: QueueSize::Packets(20.0), ..Default::default() };
        vec![
            Config::default(),
            Config { queue: Box::new(QueueConfig::CoDel(codel)), ..short.clone() },
            Config { queue: Box::new(QueueConfig::Red(red::Config::default())), burst: Bytes(5000), ..short },
        ]
    }
}

impl Shaper {
    /// A shaper as `config` says.
    pub fn new(config: &Config, link: LinkContext) -> Shaper {
        let bucket = TokenBucket::full(config.token_rate(link.rate), config.burst.0);
        Shaper { bucket, queue: Inner::new(&config.queue, link), next: None }
    }
}

impl Discipline for Shaper {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.queue.arrive(packet, at)
    }

    fn average_pkts(&self) -> Option<f64> {
        self.queue.average_pkts()
    }
}

impl Scheduler for Shaper {
    fn name(&self) -> &str {
        "shaper"
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        self.queue.enqueue(held, packet, at, drops);
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        if self.next.is_none() {
            let (held, verdict) = self.queue.dequeue(at, drops)?;
            if matches!(verdict, Verdict::Drop(_)) {
                return Some((held, verdict));
            }
            let ready = self.bucket.ready(at.now, held.size());
            self.queue.set_aside(Some(held.size()));
            self.next = Some((held, verdict, ready));
        }
        let (held, verdict, _) = self.next.take_if(|(.., ready)| *ready <= at.now)?;
        self.queue.set_aside(None);
        self.bucket.owe(at.now, held.size());
        Some((held, verdict))
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.next {
            Some((.., ready)) => Some(*ready),
            None => self.queue.deadline(),
        }
    }

    fn len(&self) -> usize {
        self.queue.len() + usize::from(self.next.is_some())
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        if let Some((held, ..)) = self.next.take_if(|(held, ..)| leaves(held)) {
            self.queue.set_aside(None);
            out.push(held);
        }
        self.queue.remove(leaves, out);
    }

    fn know_dscp(&mut self, of_flows: &Arc<[u8]>) {
        self.queue.know_dscp(of_flows);
    }

    fn service_time(&self, held: &Held, packet: &Packet, plain: Duration) -> Duration {
        self.queue.service_time(held, packet, plain)
    }
}

#[cfg(test)]
#[path = "shaper_tests.rs"]
mod tests;
