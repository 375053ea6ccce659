//! RED, random early detection [FloydJacobson93], as ns-2's `red.cc` carries it out.
//!
//! The order of the tests matters and is ns-2's: the average moves on every arrival; the hard threshold is looked at
//! before the random one; the first packet after the average has crossed `min_th` always passes; nothing happens
//! while at most one packet waits; the limit overrules.
//!
//! Options: `gentle` (the probability rises to 1 at `2 max_th` instead of jumping there at `max_th`), adaptive `max_p`
//! [FloydGummadiShenker01], byte mode, ECN (RFC 3168, section 7: marks below `max_th`, drops above).

use super::auto::Auto;
use super::average::{Average, packets_per_second};
use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::room::{Room, check_limit};
use super::spacing::spaced;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, Range, above, from, within};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Bytes, Packets, QueueSize};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A RED queue.
#[derive(Clone, Debug)]
pub struct Red {
    random: Random,
    rules: Rules,
}

/// Everything but the random numbers.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) average: Average,
    ramp: Ramp,
    /// Arrivals since the last action, in byte mode mean packets' worth of bytes.
    count: f64,
    /// The average was above `min_th` at the last arrival (ns-2's `old`).
    above: bool,
    /// At this average every packet is dropped.
    hard: f64,
    wait: bool,
    ecn: bool,
    /// From this average on ECN-capable packets are dropped, too.
    unmarked: f64,
    /// In byte mode, what one byte is worth in mean packets.
    per_byte: Option<f64>,
    room: Room,
    adaptation: Option<Adaptation>,
}

/// Parameters of a RED queue. Where a threshold counts packets, byte mode reads it as packets of mean size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Red", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, in packets or in bytes, without the packet in transmission. Default "50 packets" (ns-2).
    pub limit: QueueSize,
    /// Average queue from which packets are dropped or marked at random. Default "5 packets" (ns-2). "auto" is
    /// `max(5, target_delay * packets per second / 2)`, with `max_th` "auto", too (ns-2 since 2001).
    pub min_th: Auto<Packets>,
    /// Average queue at which the probability has risen to `max_p`. Default "15 packets" (ns-2). "auto" is `3 min_th`.
    pub max_th: Auto<Packets>,
    /// Nominal probability of an action when the average reaches `max_th`, 0 to 1. Default 0.1 (ns-2).
    pub max_p: f64,
    /// Weight of an arrival in the average, above 0 and up to 1. Default 0.002 [FloydJacobson93]. "auto" is
    /// `1 - exp(-1/(10 rtt ptc))`, `rtt = max(0.1 s, 3 (delay + 1/ptc))`, ptc packets per second (ns-2 since 2001).
    pub w_q: Auto<f64>,
    /// Above `max_th` the probability rises to 1 at `2 max_th`, instead of dropping everything. Default false
    /// (ns-2 before April 2001).
    pub gentle: bool,
    /// Marks ECN-capable packets instead of dropping them early, as long as the average is below `max_th`
    /// (RFC 3168, section 7). Default false.
    pub ecn: bool,
    /// If `gentle` and `ecn`: goes on marking from `max_th` up to `2 max_th`, as ns-2 can. Default false: packets are
    /// dropped there (RFC 3168, section 7).
    pub mark_above_max_th: bool,
    /// Leaves at least 1/p packets between two actions. Default true (ns-2).
    pub wait: bool,
    /// Mean packet size, for the decay while idle and for byte mode. Default: the size of the flows' data packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_pktsize: Option<Bytes>,
    /// Measures the queue in bytes, and acts on large packets more often than on small ones. Default false (ns-2).
    pub bytes: bool,
    /// Adapts `max_p` so that the average stays between the thresholds [FloydGummadiShenker01]. Default false.
    pub adaptive: bool,
    /// How `max_p` is adapted, if `adaptive`.
    pub adapt: Adapt,
    /// Queueing delay from which "auto" thresholds are worked out. Default "5 ms" (ns-2).
    pub target_delay: Duration,
}

/// Constants of adaptive RED ([FloydGummadiShenker01]; ns-2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedAdapt", transform = limits::declare::<Adapt>)]
#[serde(default, deny_unknown_fields)]
pub struct Adapt {
    /// Least time between two changes of `max_p`. Default "500 ms".
    pub interval: Duration,
    /// The target zone begins and ends this part of `max_th - min_th` inside the thresholds, 0 to 0.5. Default 0.4.
    pub margin: f64,
    /// Most that is added to `max_p`, 0 to 1. Default 0.01.
    pub increase: f64,
    /// Most that is added to `max_p`, as a part of it. Default 0.25.
    pub increase_part: f64,
    /// What `max_p` is multiplied with to lower it, 0 to 1. Default 0.9.
    pub decrease: f64,
    /// `max_p` is not raised from here, 0 to 1. Default 0.5.
    pub top: f64,
    /// `max_p` is not lowered from here, 0 to 1. Default "auto": `min(0.01, 80000 bit/s / rate)`.
    pub bottom: Auto<f64>,
}

impl Red {
    /// A RED queue as `config` says, for the link of `link`.
    pub fn new(config: &Config, link: LinkContext) -> Red {
        Red { rules: Rules::new(config, &link), random: link.random }
    }

    /// The present `max_p`: adaptive RED moves it.
    pub fn max_p(&self) -> f64 {
        self.rules.ramp.max_p
    }
}

impl Discipline for Red {
    #[inline]
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.rules.decide(packet, at, || self.random.uniform())
    }

    fn average_pkts(&self) -> Option<f64> {
        Some(self.rules.average.value())
    }
}

impl Rules {
    pub(super) fn new(config: &Config, link: &LinkContext) -> Rules {
        let mean_packet = config.mean_pktsize.map_or(u64::from(link.mean_packet_bytes), |size| size.0);
        let (min_th, max_th) = config.thresholds(packets_per_second(mean_packet, link));
        Rules {
            average: Average::new(config.w_q, mean_packet, link),
            ramp: Ramp::new(min_th, max_th, config.max_p),
            count: 0.0,
            above: false,
            hard: if config.gentle { 2.0 * max_th } else { max_th },
            wait: config.wait,
            ecn: config.ecn,
            unmarked: if config.mark_above_max_th { f64::INFINITY } else { max_th },
            per_byte: config.bytes.then(|| 1.0 / mean_packet as f64),
            room: Room::waiting(config.limit),
            adaptation: config.adaptive.then(|| Adaptation::new(&config.adapt, link)),
        }
    }

    #[inline]
    pub(super) fn decide(&mut self, packet: &Packet, at: &InterfaceView, draw: impl FnOnce() -> f64) -> Verdict {
        // In byte mode everything is counted in packets of mean size, so thresholds and average stay in packets.
        let (queue, step) = match self.per_byte {
            None => (f64::from(at.waiting_pkts), 1.0),
            Some(per_byte) => (at.waiting_bytes as f64 * per_byte, f64::from(packet.size) * per_byte),
        };
        let average = self.average.at_arrival(queue, at);
        if let Some(adaptation) = &mut self.adaptation {
            adaptation.adapt(&mut self.ramp, average, at.now);
        }
        self.count += step;

        let mut verdict = Verdict::Accept;
        if average >= self.ramp.min_th && at.waiting_pkts > 1 {
            if average >= self.hard {
                self.count = 0.0;
                verdict = Verdict::Drop(DropReason::Active);
            } else if !self.above {
                self.above = true;
                self.count = step;
            } else {
                let p = spaced(self.ramp.nominal(average), self.count, self.wait) * step;
                if p > 0.0 && draw() < p {
                    self.count = 0.0;
                    verdict = self.early(packet, average);
                }
            }
        } else {
            self.above = false;
        }
        if !self.room.admits(packet.size, at) {
            self.count = 0.0;
            verdict = Verdict::Drop(DropReason::Overflow);
        }
        verdict
    }

    /// What a random action does to `packet`.
    fn early(&self, packet: &Packet, average: f64) -> Verdict {
        if !self.ecn || packet.ecn == Ecn::NotCapable || average >= self.unmarked {
            Verdict::Drop(DropReason::Active)
        } else if packet.ecn == Ecn::Moderate {
            // Marked upstream already.
            Verdict::Accept
        } else {
            Verdict::Mark(Ecn::Moderate)
        }
    }
}

/// The nominal probability over the average: from 0 at `min_th` to `max_p` at `max_th`, gently on to 1 at `2 max_th`.
#[derive(Clone, Debug)]
struct Ramp {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    slope: f64,
    gentle_slope: f64,
}

impl Ramp {
    fn new(min_th: f64, max_th: f64, max_p: f64) -> Ramp {
        Ramp { min_th, max_th, max_p, slope: max_p / (max_th - min_th), gentle_slope: (1.0 - max_p) / max_th }
    }

    fn set_max_p(&mut self, max_p: f64) {
        *self = Ramp::new(self.min_th, self.max_th, max_p);
    }

    /// From `min_th` up to the hard threshold.
    #[inline]
    fn nominal(&self, average: f64) -> f64 {
        if average < self.max_th {
            self.slope * (average - self.min_th)
        } else {
            self.max_p + self.gentle_slope * (average - self.max_th)
        }
    }
}

/// Adaptive RED at work.
#[derive(Clone, Debug)]
struct Adaptation {
    constants: Adapt,
    bottom: f64,
    changed: Instant,
}

impl Adaptation {
    fn new(constants: &Adapt, link: &LinkContext) -> Adaptation {
        let bottom = constants.bottom.unwrap_or_else(|| (80_000.0 / link.rate.as_bps_f64()).min(0.01));
        Adaptation { constants: constants.clone(), bottom, changed: Instant::ZERO }
    }

    /// Moves `max_p` if it is time and the average is outside the target zone.
    #[inline]
    fn adapt(&mut self, ramp: &mut Ramp, average: f64, now: Instant) {
        if now.since(self.changed) <= self.constants.interval {
            return;
        }
        let margin = self.constants.margin * (ramp.max_th - ramp.min_th);
        if average < ramp.min_th + margin && ramp.max_p > self.bottom {
            ramp.set_max_p(ramp.max_p * self.constants.decrease);
            self.changed = now;
        } else if average > ramp.max_th - margin && ramp.max_p < self.constants.top {
            let step = self.constants.increase.min(self.constants.increase_part * ramp.max_p);
            ramp.set_max_p(ramp.max_p + step);
            self.changed = now;
        }
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<_> = check_limit(self.limit).into_iter().collect();
        wrong.extend(self.beyond_limits());
        wrong.extend(within("adapt", self.adapt.beyond_limits()));
        if self.mark_above_max_th && !(self.gentle && self.ecn) {
            let message = "true given; it goes with gentle and ecn, which must be true as well";
            wrong.push(("mark_above_max_th".into(), message.into()));
        }
        match (self.min_th, self.max_th) {
            (Auto::Auto, Auto::Set(_)) => {
                let message = "given although min_th is \"auto\"; legal is \"auto\", or both in packets";
                wrong.push(("max_th".into(), message.into()));
            }
            (Auto::Set(Packets(min)), Auto::Auto) if min <= 0.0 => {
                wrong.push(("min_th".into(), "0 packets given; with max_th \"auto\" it must be above 0".into()));
            }
            (Auto::Set(Packets(min)), Auto::Set(Packets(max))) if min >= max => {
                wrong.push(("max_th".into(), format!("{max} packets given; it must be above min_th = {min} packets")))
            }
            _ => {}
        }
        wrong
    }

    /// `min_th` and `max_th` in packets, on a link that sends so many packets per second.
    fn thresholds(&self, packets_per_second: f64) -> (f64, f64) {
        let from_delay = || Packets((self.target_delay.as_secs_f64() * packets_per_second / 2.0).max(5.0));
        let min_th = self.min_th.unwrap_or_else(from_delay).0;
        (min_th, self.max_th.unwrap_or_else(|| Packets(3.0 * min_th)).0)
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let plain = Config::default();
        let tight = QueueSize::Packets(12.0);
        let fast = Auto::Set(0.05);
        vec![
            plain.clone(),
            Config { limit: tight, w_q: fast, ecn: true, ..plain.clone() },
            Config { limit: QueueSize::Bytes(20_000), w_q: fast, gentle: true, ecn: true, ..plain.clone() },
            Config { w_q: fast, gentle: true, ecn: true, mark_above_max_th: true, ..plain.clone() },
            Config { bytes: true, w_q: fast, ecn: true, mean_pktsize: Some(Bytes(500)), ..plain.clone() },
            Config { adaptive: true, w_q: Auto::Auto, wait: false, ..plain.clone() },
            Config { min_th: Auto::Auto, max_th: Auto::Auto, ecn: true, w_q: fast, ..plain },
        ]
    }
}

limits! { Config {
    max_p: from(0.0).to(1.0),
    w_q: above(0.0).to(1.0),
    mean_pktsize: packet_sizes(),
} }

limits! { Adapt {
    increase, decrease, top, bottom: from(0.0).to(1.0),
    margin: from(0.0).to(0.5),
    increase_part: from(0.0),
} }

/// The sizes that a packet may have.
pub(super) fn packet_sizes<C>() -> Range<C, Bytes> {
    from(Bytes(1)).to(Bytes(u16::MAX.into()))
}

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(50.0),
            min_th: Auto::Set(Packets(5.0)),
            max_th: Auto::Set(Packets(15.0)),
            max_p: 0.1,
            w_q: Auto::Set(0.002),
            gentle: false,
            ecn: false,
            mark_above_max_th: false,
            wait: true,
            mean_pktsize: None,
            bytes: false,
            adaptive: false,
            adapt: Adapt::default(),
            target_delay: Duration::from_millis(5),
        }
    }
}

impl Default for Adapt {
    fn default() -> Adapt {
        Adapt {
            interval: Duration::from_millis(500),
            margin: 0.4,
            increase: 0.01,
            increase_part: 0.25,
            decrease: 0.9,
            top: 0.5,
            bottom: Auto::Auto,
        }
    }
}

#[cfg(test)]
#[path = "red_tests.rs"]
mod tests;
