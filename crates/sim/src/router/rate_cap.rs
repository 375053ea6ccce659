//! An agent that keeps the multicast traffic of an interface below a rate, by blocking the highest layers.
//!
//! Ours, as a small example of an agent that acts on a timer; the scheme of [Peng] compares with unicast traffic
//! instead.

use super::GaugeSubject;
use super::{MembershipChange, Offer, RouterAgent, RouterContext, RouterGauge, RouterOutbox, RouterView, SessionAt};
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from, from_field};
use faircast_proto::packet::{Address, Packet};
use faircast_proto::time::{Duration, Instant, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of the cap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RateCap", transform = limits::declare::<Config>)]
pub struct Config {
    /// What all groups together may send over the link. Default 1 Mbit/s.
    pub rate: Rate,
    /// From one look to the next. Default 20 ms.
    pub interval: Duration,
    /// Over how long rates are measured, and the least time from one action to the next. Default 1 s.
    pub window: Duration,
}

/// Blocks the highest layers above a rate.
pub struct RateCap {
    config: Config,
    next: Option<Instant>,
    /// Bits of each group since the window began.
    bits: BTreeMap<Address, f64>,
    began: Instant,
    /// Rates of blocked groups when they were blocked, bit/s.
    known: BTreeMap<Address, f64>,
    rate_bps: f64,
    blocks: u64,
    releases: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config { rate: Rate(1_000_000), interval: Duration::from_millis(20), window: Duration::from_secs(1) }
    }
}

limits! { Config {
    rate: above(Rate(0)),
    interval: from(Duration::from_millis(1)),
    window: from_field("interval", |config: &Config| config.interval),
} }

impl Config {
    pub(super) const ACTS_ON_SESSIONS: bool = true;

    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.beyond_limits()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let tight = Config { rate: Rate(7_654), window: Duration::from_millis(20), ..Config::default() };
        vec![Config::default(), tight]
    }
}

impl RateCap {
    /// Has seen nothing.
    pub fn new(config: &Config, _context: RouterContext) -> RateCap {
        RateCap {
            config: config.clone(),
            next: None,
            bits: BTreeMap::new(),
            began: Instant::ZERO,
            known: BTreeMap::new(),
            rate_bps: 0.0,
            blocks: 0,
            releases: 0,
        }
    }

    /// Once in a window: too much is answered by a block, room for what is known of a blocked group by a release.
    fn act(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let seconds = at.interface.now.since(self.began).as_secs_f64();
        let cap_bps = self.config.rate.as_bps_f64();
        // A sum of nothing is minus zero.
        self.rate_bps = (0.0 + self.bits.values().sum::<f64>()) / seconds;
        let group = |session: &SessionAt, rank: Option<u32>| rank.map(|rank| (rank, session.group(rank)));
        if self.rate_bps > cap_bps {
            let highest = at.sessions.iter().filter_map(|session| group(session, session.live().last())).max();
            if let Some((_, address)) = highest {
                self.known.insert(address, self.bits.get(&address).copied().unwrap_or(0.0) / seconds);
                self.blocks += 1;
                out.block(address);
            }
        } else {
            let lowest = at.sessions.iter().filter_map(|session| group(session, session.held().first())).min();
            if let Some((_, address)) = lowest
                && self.rate_bps + self.known.get(&address).copied().unwrap_or(0.0) <= cap_bps
            {
                self.releases += 1;
                out.release(address);
            }
        }
        self.bits.clear();
        self.began = at.interface.now;
    }
}

impl RouterAgent for RateCap {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        if packet.destination.is_group() && at.place(packet.destination).is_some() {
            *self.bits.entry(packet.destination).or_default() += 8.0 * f64::from(packet.size);
        }
        Offer::Forward
    }

    fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, _out: &mut RouterOutbox) {
        for group in change.left.iter() {
            self.known.remove(&Address::group(change.first.index() as u32 + group));
        }
        match (at.sessions.is_empty(), self.next) {
            (true, _) => self.next = None,
            (false, None) => {
                self.bits.clear();
                self.began = at.interface.now;
                self.next = Some(at.interface.now + self.config.interval);
            }
            (false, Some(_)) => {}
        }
    }

    fn on_timeout(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        if self.next.is_none_or(|next| next > now) {
            return;
        }
        self.next = Some(now + self.config.interval);
        if now.since(self.began) >= self.config.window {
            self.act(at, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
        let (blocks, releases) = (self.blocks as f64, self.releases as f64);
        for (name, value) in [("rate_bps", self.rate_bps), ("blocks", blocks), ("releases", releases)] {
            tell(RouterGauge { about: GaugeSubject::Interface, name, value });
        }
    }
}
