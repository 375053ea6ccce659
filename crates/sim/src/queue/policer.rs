//! A policer: what a token bucket has no tokens for is dropped, or marked, before it comes to a queue of any kind. It
//! is what an operator does to UDP, and to the class that goes before all others.

use super::Config as QueueConfig;
use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Held};
use super::inner::Inner;
use super::scheduler::Scheduler;
use super::token_bucket::TokenBucket;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::time::{Duration, Instant, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A queue before which a token bucket decides.
#[derive(Debug)]
pub struct Policer {
    bucket: TokenBucket,
    action: Action,
    queue: Inner,
}

/// What becomes of packets without tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PolicerAction")]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// They are dropped.
    #[default]
    Drop,
    /// They are marked if they are ECN-capable, and dropped otherwise.
    Mark,
}

/// Parameters of a policer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Policer", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How fast tokens come. Default: as `share` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How fast they come, as a part of the rate that the link has at first, without a `rate`. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Tokens that are there at most; no larger packet has ever enough. Default "15000 B", ten packets of Ethernet.
    pub burst: Bytes,
    /// What becomes of packets without tokens. Default "drop".
    pub action: Action,
    /// What others wait in. Default: a drop-tail queue.
    pub queue: Box<QueueConfig>,
}

limits! { Config {
    rate: from(Rate(1)),
    share: above(0.0).to(1.0),
    burst: from(Bytes(1)).to(Bytes(1 << 40)),
} }

impl Default for Config {
    fn default() -> Config {
        Config { rate: None, share: None, burst: Bytes(15_000), action: Action::Drop, queue: Box::default() }
    }
}

impl Config {
    /// Every field that has an illegal value.
    pub fn check(&self) -> Vec<(String, String)> {
        let both = self.rate.is_some() && self.share.is_some();
        let message = "given beside rate; legal is one of them";
        let both = both.then(|| ("share".to_owned(), message.to_owned()));
        let of_queue = self.queue.check().into_iter().map(|(key, message)| (format!("queue.{key}"), message));
        self.beyond_limits().into_iter().chain(both).chain(of_queue).collect()
    }

    /// The most that may wait.
    pub fn limit(&self) -> QueueSize {
        self.queue.limit()
    }

    /// How fast tokens come on a link that has this rate at first.
    pub fn token_rate(&self, first: Rate) -> Rate {
        let share = || (first.as_bps_f64() * self.share.unwrap_or(1.0)).round().max(1.0);
        self.rate.unwrap_or_else(|| Rate(share() as u64))
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        use super::{fq_codel, mecn};
        let slow = Config { rate: Some(Rate(400_000)), burst: Bytes(3000), ..Config::default() };
        let fq = fq_codel::Config { limit: QueueSize::Packets(20.0), ..Default::default() };
        vec![
            Config::default(),
            Config { queue: Box::new(QueueConfig::FqCoDel(fq)), action: Action::Mark, ..slow.clone() },
            Config { queue: Box::new(QueueConfig::Mecn(mecn::Config::default())), burst: Bytes(400), ..slow },
        ]
    }
}

impl Policer {
    /// A policer as `config` says.
    pub fn new(config: &Config, link: LinkContext) -> Policer {
        let bucket = TokenBucket::full(config.token_rate(link.rate), config.burst.0);
        Policer { bucket, action: config.action, queue: Inner::new(&config.queue, link) }
    }
}

impl Discipline for Policer {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        let conforms = self.bucket.take(at.now, packet.size);
        if !conforms && (self.action == Action::Drop || packet.ecn == Ecn::NotCapable) {
            return Verdict::Drop(DropReason::Active);
        }
        match self.queue.arrive(packet, at) {
            // No mark of that queue is stronger.
            Verdict::Accept | Verdict::Mark(_) if !conforms => Verdict::Mark(Ecn::Moderate),
            verdict => verdict,
        }
    }

    fn average_pkts(&self) -> Option<f64> {
        self.queue.average_pkts()
    }
}

impl Scheduler for Policer {
    fn name(&self) -> &str {
        "policer"
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        self.queue.enqueue(held, packet, at, drops);
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.queue.dequeue(at, drops)
    }

    fn deadline(&self) -> Option<Instant> {
        self.queue.deadline()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
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
#[path = "policer_tests.rs"]
mod tests;
