//! DualPI2, a dual queue with coupled controllers (RFC 9332): senders that answer each mark a little, which say so by
//! ECT(1), have a queue of their own, the L queue, with next to no delay. All others share the classic one. A
//! controller holds the classic queue at its target by drops or marks of probability p'², and marks the packets of the
//! L queue with k·p', so that flows of both kinds get about the same rate.
//!
//! The pseudo code of appendix A.2 is followed, with the two details of Linux that appendix A.1 tells of: nothing but
//! the ramp acts while less than two MTUs wait, and only packets that had a rival in the other queue count for the
//! scheduler. Where the pseudo code leaves room, or cannot be meant:
//!
//! * Drops of the L queue have a count of their own. With the one count of the pseudo code, marks of a probability
//!   above 1 would let it grow without end, and each packet would be dropped.
//! * Links here have no MTU: unless `mtu` says it, it is the size of the largest packet so far, as in CoDel. With an
//!   MTU of 1500 bytes fourteen packets of 200 would be left alone.
//! * `lq.len()` and `lq.time()` are asked after a packet has been taken out. Its own delay is meant (appendix A.1), and
//!   "only 1 packet" is the packet itself.
//! * The room of one MTU that is always kept free (A.1) would be a limit that is smaller than what it says: a packet
//!   comes in if it fits.
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
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A low-latency and a classic queue.
#[derive(Debug)]
pub struct DualPi2 {
    rules: Rules,
    controller: Controller,
    low_latency: Fifo,
    classic: Fifo,
    /// What each kind of decision has accumulated.
    marks_of_low_latency: Recurrence,
    drops_of_low_latency: Recurrence,
    of_classic: Recurrence,
    /// Bytes that the classic queue could have sent and has not: above 0 it is its turn.
    owed_to_classic: f64,
}

/// Parameters of a DualPI2 queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DualPi2", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait in both queues together, in packets or in bytes. Default "10000 packets" (Linux; RFC
    /// 9332, appendix A.1, has 250 ms at the highest rate of the link).
    pub limit: QueueSize,
    /// The delay of the classic queue that the controller aims at. Default "15 ms" (RFC 9332, appendix A.1).
    pub target: Duration,
    /// The longest usual round-trip time, by which the controller is stable. Default "100 ms" (appendix A.1).
    pub rtt_max: Duration,
    /// Time between two updates. Default: the smaller one of `target` and a third of `rtt_max` (appendix A.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_update: Option<Duration>,
    /// Weight of the deviation from the target, 1/s. Default 0.1·`t_update`/`rtt_max`² (appendix A.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Weight of the change since the last update, 1/s. Default 0.3/`rtt_max` (appendix A.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// The coupling factor: marks of the L queue have the probability `k`·p', drops of the classic one p'². Default 2
    /// (appendix A.1).
    pub k: f64,
    /// Delay at which the L queue begins to mark. Default "800 us" (appendix A.1).
    pub min_th: Duration,
    /// Width of the ramp over which the probability of that mark rises to 1; at 0 it is a step. Default "400 us"
    /// (appendix A.1).
    pub range: Duration,
    /// The ramp does not act while no more packets than these wait in the L queue, the one that leaves included.
    /// Default 1 (appendix A.1).
    pub th_len: u32,
    /// What the classic queue gets at least while both have packets. Default 0.0625 (appendix A.2: "e.g., 1/16").
    pub classic_share: f64,
    /// Nothing but the ramp acts while less than two of these wait. Default: the largest packet so far (appendix A.1
    /// has the MTU).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
}

limits! { Config {
    target, rtt_max: above(Duration::ZERO).to(LONGEST),
    t_update: from(Duration::from_micros(1)).to(LONGEST),
    alpha, beta: from(0.0).to(1000.0),
    k: from(0.01).to(100.0),
    min_th, range: to(LONGEST),
    classic_share: above(0.0).to(0.5),
    mtu: from(Bytes(1)),
} }

const LONGEST: Duration = Duration::from_secs(3600);

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(10_000.0),
            target: Duration::from_millis(15),
            rtt_max: Duration::from_millis(100),
            t_update: None,
            alpha: None,
            beta: None,
            k: 2.0,
            min_th: Duration::from_micros(800),
            range: Duration::from_micros(400),
            th_len: 1,
            classic_share: 0.0625,
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
            Config { range: Duration::ZERO, th_len: 0, classic_share: 0.5, mtu: Some(Bytes(1500)), ..short.clone() },
            Config { limit: QueueSize::Bytes(20_000), target: Duration::from_millis(1), k: 1.0, ..short.clone() },
            Config { alpha: Some(50.0), beta: Some(100.0), t_update: Some(Duration::from_millis(1)), ..short },
        ]
    }
}

impl DualPi2 {
    /// A queue as `config` says.
    pub fn new(config: &Config, link: LinkContext) -> DualPi2 {
        let rules = Rules::new(config, &link);
        DualPi2 {
            owed_to_classic: rules.owed_at_first,
            rules,
            controller: Controller::default(),
            low_latency: Fifo::default(),
            classic: Fifo::default(),
            marks_of_low_latency: Recurrence::default(),
            drops_of_low_latency: Recurrence::default(),
            of_classic: Recurrence::default(),
        }
    }

    /// p', the probability that both queues are driven by.
    pub fn base_probability(&self) -> f64 {
        self.controller.probability
    }

    fn update(&mut self, now: Instant) {
        let oldest = [&self.low_latency, &self.classic].into_iter().filter_map(|queue| queue.first());
        self.controller.update(&self.rules, now, oldest.map(Held::since).min());
    }

    /// Whether the L queue is the next to send from; one of them has a packet.
    fn is_low_latency_next(&mut self) -> bool {
        let (Some(fast), Some(classic)) = (self.low_latency.first(), self.classic.first()) else {
            return self.classic.is_empty();
        };
        let is_fast = self.owed_to_classic <= 0.0;
        let share = self.rules.classic_share;
        self.owed_to_classic += match is_fast {
            true => share * f64::from(fast.size()),
            false => (share - 1.0) * f64::from(classic.size()),
        };
        is_fast
    }

    /// What becomes of a packet that leaves the L queue: `None` if it is dropped. So many had waited there, and whether
    /// the controller acts.
    fn decide_low_latency(&mut self, held: &Held, now: Instant, pkts: usize, acts: bool) -> Option<Verdict> {
        let coupled = if acts { self.rules.k * self.controller.probability } else { 0.0 };
        if coupled >= 1.0 {
            let drops = self.drops_of_low_latency.recurs(self.controller.classic());
            return (!drops).then_some(Verdict::Mark(Ecn::Moderate));
        }
        let native = match pkts > self.rules.th_len as usize {
            true => self.rules.ramp(now.since(held.since())),
            false => 0.0,
        };
        let marks = self.marks_of_low_latency.recurs(native.max(coupled));
        Some(if marks { Verdict::Mark(Ecn::Moderate) } else { Verdict::Accept })
    }

    /// That of one of the classic queue.
    fn decide_classic(&mut self, held: &Held, acts: bool) -> Option<Verdict> {
        let probability = self.controller.classic();
        if !acts || !self.of_classic.recurs(probability) {
            return Some(Verdict::Accept);
        }
        let marks = held.ecn() != Ecn::NotCapable && probability < self.rules.overload_from;
        marks.then_some(Verdict::Mark(Ecn::Moderate))
    }
}

impl Discipline for DualPi2 {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.update(at.now);
        self.rules.see(packet.size);
        if self.rules.room.admits(packet.size, at) { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
    }
}

impl Scheduler for DualPi2 {
    fn name(&self) -> &str {
        "dualpi2"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        match held.ecn() {
            Ecn::Scalable | Ecn::Moderate => self.low_latency.push(held),
            Ecn::NotCapable | Ecn::Capable | Ecn::Incipient => self.classic.push(held),
        }
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.update(at.now);
        while !self.is_empty() {
            let acts = self.low_latency.bytes() + self.classic.bytes() >= 2 * self.rules.mtu;
            let (held, verdict) = if self.is_low_latency_next() {
                let pkts = self.low_latency.len();
                let held = self.low_latency.pop()?;
                let verdict = self.decide_low_latency(&held, at.now, pkts, acts);
                (held, verdict)
            } else {
                let held = self.classic.pop()?;
                let verdict = self.decide_classic(&held, acts);
                (held, verdict)
            };
            match verdict {
                Some(verdict) => return Some((held, verdict)),
                None => drops.drop(held, DropReason::Active),
            }
        }
        self.owed_to_classic = self.rules.owed_at_first;
        None
    }

    fn len(&self) -> usize {
        self.low_latency.len() + self.classic.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.low_latency.remove(leaves, out);
        self.classic.remove(leaves, out);
    }
}

/// What stays the same, but for the largest packet.
#[derive(Clone, Debug)]
struct Rules {
    room: Room,
    target_s: f64,
    t_update: Duration,
    alpha: f64,
    beta: f64,
    k: f64,
    /// p_Cmax: from this probability on nothing is marked in place of a drop.
    overload_from: f64,
    min_th: Duration,
    range: Duration,
    th_len: u32,
    classic_share: f64,
    /// What the scheduler begins with when nothing waits: the L queue comes first.
    owed_at_first: f64,
    /// While less than two of these wait the controller does not act, bytes.
    mtu: u64,
    /// Whether it is that of the largest packet so far.
    adapts: bool,
}

impl Rules {
    fn new(config: &Config, link: &LinkContext) -> Rules {
        let Config { target, rtt_max, k, min_th, range, th_len, classic_share, .. } = *config;
        let t_update = config.t_update.unwrap_or(target.min(Duration(rtt_max.0 / 3)).max(Duration::from_micros(1)));
        let rtt_max_s = rtt_max.as_secs_f64();
        Rules {
            room: Room::waiting(config.limit),
            target_s: target.as_secs_f64(),
            t_update,
            alpha: config.alpha.unwrap_or(0.1 * t_update.as_secs_f64() / (rtt_max_s * rtt_max_s)),
            beta: config.beta.unwrap_or(0.3 / rtt_max_s),
            k,
            overload_from: (1.0 / (k * k)).min(1.0),
            min_th,
            range,
            th_len,
            classic_share,
            owed_at_first: (2.0 * classic_share - 1.0) * f64::from(link.mean_packet_bytes),
            mtu: config.mtu.map_or(0, |mtu| mtu.0),
            adapts: config.mtu.is_none(),
        }
    }

    /// A packet has come.
    fn see(&mut self, size: u16) {
        if self.adapts {
            self.mtu = self.mtu.max(u64::from(size));
        }
    }

    /// The probability of a mark in the L queue by itself, after such a delay (figure 5).
    fn ramp(&self, delay: Duration) -> f64 {
        if delay >= self.min_th + self.range {
            1.0
        } else if delay > self.min_th {
            (delay.0 - self.min_th.0) as f64 / self.range.0 as f64
        } else {
            0.0
        }
    }
}

/// The controller of the base probability (figure 8).
#[derive(Clone, Debug, Default, PartialEq)]
struct Controller {
    probability: f64,
    /// The delay at the last update, s.
    delay_s: f64,
    updated: Instant,
}

impl Controller {
    /// The probability of a drop in the classic queue.
    fn classic(&self) -> f64 {
        self.probability * self.probability
    }

    /// All updates that are due, where the oldest packet has come at `oldest`.
    fn update(&mut self, rules: &Rules, now: Instant, oldest: Option<Instant>) {
        while now.since(self.updated) >= rules.t_update {
            self.updated += rules.t_update;
            let before = self.probability;
            let delay_s = oldest.map_or(0.0, |oldest| self.updated.since(oldest).as_secs_f64());
            let change = rules.alpha * (delay_s - rules.target_s) + rules.beta * (delay_s - self.delay_s);
            self.probability = (before + change).clamp(0.0, 1.0);
            // From here on nothing changes until a packet comes or goes.
            let is_settled = match oldest {
                None => self.probability == 0.0 && self.delay_s == 0.0,
                Some(_) => before == 1.0 && self.probability == 1.0 && delay_s > rules.target_s,
            };
            self.delay_s = delay_s;
            if is_settled {
                let rest = Duration(now.since(self.updated).0 / rules.t_update.0 * rules.t_update.0);
                self.updated += rest;
                self.delay_s += oldest.map_or(0.0, |_| rest.as_secs_f64());
            }
        }
    }
}

/// Says yes as often as a probability says, at even distances (figure 4).
#[derive(Clone, Copy, Debug, Default)]
struct Recurrence(f64);

impl Recurrence {
    fn recurs(&mut self, probability: f64) -> bool {
        self.0 += probability.min(1.0);
        let recurs = self.0 > 1.0;
        if recurs {
            self.0 -= 1.0;
        }
        recurs
    }
}

#[cfg(test)]
#[path = "dualpi2_tests.rs"]
mod tests;
