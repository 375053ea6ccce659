//! PIE, proportional integral controller enhanced (RFC 8033): packets are dropped or marked at random when they come,
//! with a probability that a controller moves so that those that leave have waited for a target.
//!
//! The pseudo code of appendix B is followed, with all enhancements of section 5, or with `enhanced = false` that of
//! appendix A. Where the text and the pseudo code differ:
//!
//! * PIE rests again when the probability is 0 and the present and the last delay are below half of the target (section
//!   5.3); the pseudo code has 0 for both delays, and asks in the moment in which PIE has begun to act, when nothing
//!   has been measured yet: it would rest at once. Here it is asked at each update, from the first measurement on.
//! * The probability decays while the delays are below half of the target (appendix B), not only at 0 (appendix A).
//! * A measurement of the rate ends when enough has left (appendix B); section 5.2 ends it after the first packet as
//!   well.
//! * Where delays are those of packets that have left, that of an empty queue is 0: by appendix A it would stay what it
//!   was, and the probability with it.
//!
//! Nothing happens between packets, so updates are carried out when the next one comes or goes, each as of its moment.

use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Fifo, Held};
use super::room::{Room, check_limit};
use super::scheduler::Scheduler;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from, to};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A queue under PIE.
#[derive(Debug)]
pub struct Pie {
    random: Random,
    rules: Rules,
    state: State,
    packets: Fifo,
}

/// How the delay of the queue is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PieDelay")]
#[serde(rename_all = "kebab-case")]
pub enum Delay {
    /// The bytes that wait, over the rate at which others have left (RFC 8033, section 5.2).
    Rate,
    /// How long the last packet that left has waited (RFC 8033, appendix A).
    Sojourn,
}

/// Parameters of a PIE queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pie", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, in packets or in bytes, without the packet in transmission (TAIL_DROP). Default "1000
    /// packets" (Linux; RFC 8033 has none).
    pub limit: QueueSize,
    /// QDELAY_REF, the delay that the controller aims at. Default "15 ms" (RFC 8033, section 4.2).
    pub target: Duration,
    /// T_UPDATE, the time between two updates of the probability. Default "15 ms" (RFC 8033, section 4.2).
    pub t_update: Duration,
    /// MAX_BURST: for so long after a time without congestion nothing is dropped. Default "150 ms" (RFC 8033, section
    /// 4.4).
    pub max_burst: Duration,
    /// Weight of the deviation from the target, 1/s. Default 0.125 (RFC 8033, appendix B).
    pub alpha: f64,
    /// Weight of the change since the last update, 1/s. Default 1.25 (RFC 8033, appendix B).
    pub beta: f64,
    /// Marks ECN-capable packets instead of dropping them, up to `mark_ecnth`. Default true (RFC 8033, appendix B).
    pub ecn: bool,
    /// From this probability on packets are dropped even if they are ECN-capable. Default 0.1 (RFC 8033, section 5.1).
    pub mark_ecnth: f64,
    /// The enhancements of RFC 8033, sections 5.3 to 5.5: PIE acts from a third of the limit on, drops are neither
    /// close together nor far apart, and the probability grows by 0.02 at most. Default true.
    pub enhanced: bool,
    /// How the delay is known. Default: "rate" if `enhanced` (RFC 8033, appendix B), otherwise "sojourn" (appendix A).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Delay>,
    /// DQ_THRESHOLD: the rate is measured over so much. Default "16384 B" (RFC 8033, appendix B).
    pub dq_threshold: Bytes,
}

limits! { Config {
    target: above(Duration::ZERO).to(LONGEST),
    t_update: from(Duration::from_micros(1)).to(LONGEST),
    max_burst: to(LONGEST),
    alpha, beta: from(0.0).to(1000.0),
    mark_ecnth: from(0.0).to(1.0),
    dq_threshold: from(Bytes(1)).to(Bytes(WHOLE)),
} }

const LONGEST: Duration = Duration::from_secs(3600);
/// What a threshold weighs that is as large as this is the new measurement alone (section 5.2).
const WHOLE: u64 = 1 << 16;
/// Drops are apart by so much accumulated probability at least, and at most (section 5.4).
const CLOSE: f64 = 0.85;
const FAR: f64 = 8.5;

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(1000.0),
            target: Duration::from_millis(15),
            t_update: Duration::from_millis(15),
            max_burst: Duration::from_millis(150),
            alpha: 0.125,
            beta: 1.25,
            ecn: true,
            mark_ecnth: 0.1,
            enhanced: true,
            delay: None,
            dq_threshold: Bytes(16_384),
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
            Config { enhanced: false, ..short.clone() },
            Config { delay: Some(Delay::Sojourn), ecn: false, ..short.clone() },
            Config { limit: QueueSize::Bytes(20_000), dq_threshold: Bytes(3000), mark_ecnth: 1.0, ..short },
        ]
    }
}

impl Pie {
    /// A queue as `config` says.
    pub fn new(config: &Config, link: LinkContext) -> Pie {
        let rules = Rules::new(config, &link);
        Pie { random: link.random, state: State::new(&rules), rules, packets: Fifo::default() }
    }

    /// The present probability of a drop.
    pub fn drop_probability(&self) -> f64 {
        self.state.probability
    }
}

impl Discipline for Pie {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.state.arrive(&self.rules, packet, at, || self.random.uniform())
    }
}

impl Scheduler for Pie {
    fn name(&self) -> &str {
        "pie"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        self.packets.push(held);
    }

    fn dequeue(&mut self, at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.state.update(&self.rules, at.now, self.packets.bytes());
        let held = self.packets.pop()?;
        self.state.depart(&self.rules, at.now, &held, self.packets.bytes());
        Some((held, Verdict::Accept))
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}

/// What stays the same.
#[derive(Clone, Debug)]
struct Rules {
    room: Room,
    /// From here on PIE acts, if it rests.
    active_from: QueueSize,
    target_s: f64,
    t_update: Duration,
    max_burst: Duration,
    alpha: f64,
    beta: f64,
    /// From this probability on nothing is marked.
    unmarked: f64,
    enhanced: bool,
    delay: Delay,
    dq_threshold: u64,
    /// As long as no more waits than this nothing is dropped, bytes.
    two_pkts: u64,
}

impl Rules {
    fn new(config: &Config, link: &LinkContext) -> Rules {
        let Config { limit, t_update, max_burst, alpha, beta, enhanced, .. } = *config;
        let by_appendix = if enhanced { Delay::Rate } else { Delay::Sojourn };
        Rules {
            room: Room::waiting(limit),
            active_from: match limit {
                QueueSize::Packets(pkts) => QueueSize::Packets(pkts / 3.0),
                QueueSize::Bytes(bytes) => QueueSize::Bytes(bytes.div_ceil(3)),
            },
            target_s: config.target.as_secs_f64(),
            t_update,
            max_burst,
            alpha,
            beta,
            unmarked: if config.ecn { config.mark_ecnth } else { 0.0 },
            enhanced,
            delay: config.delay.unwrap_or(by_appendix),
            dq_threshold: config.dq_threshold.0,
            two_pkts: 2 * u64::from(link.mean_packet_bytes),
        }
    }
}

/// The variables of appendix B.
#[derive(Clone, Debug, PartialEq)]
struct State {
    active: bool,
    /// What is left of the time in which nothing is dropped.
    burst_allowance: Duration,
    probability: f64,
    /// What has been accumulated since the last drop.
    accumulated: f64,
    /// The delay at the last update, s.
    delay_s: f64,
    /// That at the update before it, s.
    old_delay_s: f64,
    updated: Instant,
    /// Since when, and how many bytes have left since.
    measured: Option<(Instant, u64)>,
    /// How long `dq_threshold` bytes take to leave, s, if that has been measured.
    drain_s: Option<f64>,
    /// How long the last packet that left has waited, s.
    sojourn_s: f64,
}

impl State {
    fn new(rules: &Rules) -> State {
        State {
            active: !rules.enhanced,
            burst_allowance: rules.max_burst,
            probability: 0.0,
            accumulated: 0.0,
            delay_s: 0.0,
            old_delay_s: 0.0,
            updated: Instant::ZERO,
            measured: None,
            drain_s: None,
            sojourn_s: 0.0,
        }
    }

    /// What becomes of a packet.
    fn arrive(&mut self, rules: &Rules, packet: &Packet, at: &InterfaceView, draw: impl FnOnce() -> f64) -> Verdict {
        self.update(rules, at.now, at.waiting_bytes);
        let verdict = self.decide(rules, packet, at, draw);
        let enters = u32::from(!matches!(verdict, Verdict::Drop(_)));
        let is_long = match rules.active_from {
            QueueSize::Packets(pkts) => f64::from(at.waiting_pkts + enters) >= pkts,
            QueueSize::Bytes(bytes) => at.waiting_bytes + u64::from(enters) * u64::from(packet.size) >= bytes,
        };
        if !self.active && is_long {
            let measured = Some((at.now, 0));
            *self = State { active: true, updated: at.now, measured, ..State::new(rules) };
        }
        verdict
    }

    fn decide(&mut self, rules: &Rules, packet: &Packet, at: &InterfaceView, draw: impl FnOnce() -> f64) -> Verdict {
        if !rules.room.admits(packet.size, at) {
            self.accumulated = 0.0;
            return Verdict::Drop(DropReason::Overflow);
        }
        if !rules.enhanced && self.is_calm(rules) {
            self.burst_allowance = rules.max_burst;
        }
        // In a burst drops are decided upon as well, and not carried out: what was accumulated begins anew.
        let drops = self.active && self.drops_early(rules, at.waiting_bytes, draw);
        if !drops || self.burst_allowance > Duration::ZERO {
            return Verdict::Accept;
        }
        self.accumulated = 0.0;
        match self.probability < rules.unmarked && packet.ecn != Ecn::NotCapable {
            true => Verdict::Mark(Ecn::Moderate),
            false => Verdict::Drop(DropReason::Active),
        }
    }

    fn drops_early(&mut self, rules: &Rules, waiting_bytes: u64, draw: impl FnOnce() -> f64) -> bool {
        let is_short = self.delay_s < rules.target_s / 2.0 && self.probability < 0.2;
        if is_short || waiting_bytes <= rules.two_pkts {
            return false;
        }
        if rules.enhanced {
            self.accumulated = if self.probability == 0.0 { 0.0 } else { self.accumulated + self.probability };
            if self.accumulated < CLOSE {
                return false;
            }
            if self.accumulated >= FAR {
                return true;
            }
        }
        let drops = draw() < self.probability;
        if drops {
            self.accumulated = 0.0;
        }
        drops
    }

    /// Whether there is no congestion.
    fn is_calm(&self, rules: &Rules) -> bool {
        let half_s = rules.target_s / 2.0;
        self.probability == 0.0 && self.delay_s < half_s && self.old_delay_s < half_s
    }

    /// All updates that are due, with so many bytes waiting since the last.
    fn update(&mut self, rules: &Rules, now: Instant, waiting_bytes: u64) {
        while self.active && now.since(self.updated) >= rules.t_update {
            let before = self.clone();
            self.updated += rules.t_update;
            self.step(rules, waiting_bytes);
            // If nothing changes nothing will until a packet comes or goes.
            if *self == (State { updated: self.updated, ..before }) {
                self.updated += Duration(now.since(self.updated).0 / rules.t_update.0 * rules.t_update.0);
            }
        }
    }

    /// The next probability.
    fn step(&mut self, rules: &Rules, waiting_bytes: u64) {
        let delay_s = match rules.delay {
            Delay::Rate => waiting_bytes as f64 * self.drain_s.unwrap_or(0.0) / rules.dq_threshold as f64,
            Delay::Sojourn if waiting_bytes == 0 => 0.0,
            Delay::Sojourn => self.sojourn_s,
        };
        (self.old_delay_s, self.delay_s) = (self.delay_s, delay_s);
        let change = rules.alpha * (delay_s - rules.target_s) + rules.beta * (delay_s - self.old_delay_s);
        let mut change = change * gain(self.probability);
        if rules.enhanced && self.probability >= 0.1 {
            change = change.min(0.02);
        }
        self.probability += change;
        let bound_s = if rules.enhanced { rules.target_s / 2.0 } else { f64::MIN_POSITIVE };
        if delay_s < bound_s && self.old_delay_s < bound_s {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_allowance = Duration(self.burst_allowance.0.saturating_sub(rules.t_update.0));
        let is_measured = rules.delay == Delay::Sojourn || self.drain_s.is_some();
        if rules.enhanced && is_measured && self.is_calm(rules) {
            (self.active, self.measured) = (false, None);
        }
    }

    /// A packet has left, and so many bytes wait behind it.
    fn depart(&mut self, rules: &Rules, now: Instant, held: &Held, waiting_bytes: u64) {
        self.sojourn_s = now.since(held.since()).as_secs_f64();
        if let Some((since, bytes)) = self.measured {
            let bytes = bytes + u64::from(held.size());
            self.measured = Some((since, bytes));
            if bytes >= rules.dq_threshold {
                let sample_s = now.since(since).as_secs_f64();
                let weight = rules.dq_threshold as f64 / WHOLE as f64;
                self.drain_s = Some(self.drain_s.map_or(sample_s, |old_s| weight * sample_s + (1.0 - weight) * old_s));
                self.measured = None;
            }
        }
        if self.measured.is_none() && waiting_bytes >= rules.dq_threshold {
            self.measured = Some((now, 0));
        }
    }
}

/// By how much less the controller moves a small probability (section 4.2).
fn gain(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, less)| 1.0 / less)
}

#[cfg(test)]
#[path = "pie_tests.rs"]
mod tests;
