//! CoDel, controlled delay (RFC 8289): packets are dropped or marked when they leave, by the time for which they have
//! waited.
//!
//! `Control` is the pseudo code of section 5 without the queue around it, so that each of several queues can have
//! one. Where the RFC's text and its pseudo code differ:
//!
//! * The least that must be left in the queue for a drop is the text's, the largest packet seen so far or the MTU of
//!   the interface (section 4.1); the pseudo code has 512 bytes and says that it should be the MTU (5.3).
//! * The spacing of drops is kept beyond the drop state for 16 intervals (5.5); the text has "too soon" (section 4).
//!
//! The pseudo code knows no marks. In place of a drop a packet that is ECN-capable leaves marked, if so wanted, and the
//! one behind it waits for its turn, as Linux does.

use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Fifo, Held};
use super::room::{Room, check_limit};
use super::scheduler::Scheduler;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, above_field, from, to};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Bytes, QueueSize};
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A queue under CoDel.
#[derive(Debug)]
pub struct CoDel {
    rules: Rules,
    control: Control,
    packets: Fifo,
    room: Room,
}

/// Parameters of a CoDel queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CoDel", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, in packets or in bytes, without the packet in transmission. Default "1000 packets"
    /// (Linux; RFC 8289 has none).
    pub limit: QueueSize,
    /// The time for which packets may wait for good. Default "5 ms" (RFC 8289, section 4.3, which advises 5 to 10 % of
    /// `interval`).
    pub target: Duration,
    /// How long all packets must have waited for more than `target` before the first is dropped, and the time between
    /// the first two drops: a usual round-trip time. Default "100 ms" (RFC 8289, section 4.2).
    pub interval: Duration,
    /// Marks ECN-capable packets instead of dropping them. Default false (RFC 8289 has drops).
    pub ecn: bool,
    /// Marks ECN-capable packets that have waited for longer than this, whatever else is decided: for senders that
    /// answer many marks little, such as DCTCP (RFC 8290, section 5.2.7). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Duration>,
    /// As long as no more than this would be left waiting nothing is dropped. Default: the largest packet that has come
    /// so far (RFC 8289, section 4.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
}

limits! { Config {
    target: above(Duration::ZERO).to(LONGEST),
    interval: above_field("target", |config: &Config| config.target).to(LONGEST),
    ce_threshold: to(LONGEST),
    mtu: from(Bytes(1)),
} }

pub(super) const LONGEST: Duration = Duration::from_secs(3600);

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(1000.0),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: false,
            ce_threshold: None,
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
            Config { ecn: true, mtu: Some(Bytes(1500)), ..short.clone() },
            Config { ce_threshold: Some(Duration::from_millis(1)), ..short.clone() },
            Config {
                limit: QueueSize::Bytes(20_000),
                target: Duration::from_millis(1),
                interval: Duration::from_millis(10),
                ..short
            },
        ]
    }
}

impl CoDel {
    /// A queue as `config` says.
    pub fn new(config: &Config, _link: LinkContext) -> CoDel {
        CoDel {
            rules: Rules::new(config.target, config.interval, config.ecn, config.ce_threshold, config.mtu),
            control: Control::default(),
            packets: Fifo::default(),
            room: Room::waiting(config.limit),
        }
    }
}

impl Discipline for CoDel {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        // Such drops do not count for the rest (section 5.4).
        if self.room.admits(packet.size, at) { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
    }
}

impl Scheduler for CoDel {
    fn name(&self) -> &'static str {
        "codel"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
        self.rules.see(held.size());
        self.packets.push(held);
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.control.dequeue(&self.rules, at.now, &mut self.packets, 0, drops)
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
    }
}

/// What stays the same, but for the largest packet.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    target: Duration,
    interval: Duration,
    ecn: bool,
    ce_threshold: Option<Duration>,
    /// What must be left waiting for a drop, bytes.
    mtu: u64,
    /// Whether it is that of the largest packet so far.
    adapts: bool,
}

impl Rules {
    pub(super) fn new(
        target: Duration,
        interval: Duration,
        ecn: bool,
        ce_threshold: Option<Duration>,
        mtu: Option<Bytes>,
    ) -> Rules {
        let (mtu, adapts) = (mtu.map_or(0, |mtu| mtu.0), mtu.is_none());
        Rules { target, interval, ecn, ce_threshold, mtu, adapts }
    }

    /// A packet has come.
    pub(super) fn see(&mut self, size: u16) {
        if self.adapts {
            self.mtu = self.mtu.max(u64::from(size));
        }
    }

    /// The control law (section 5.6): when the next is dropped after a drop that was due at `at`, the `count`th.
    fn next(&self, at: Instant, count: u32) -> Instant {
        at + Duration::from_secs_f64(self.interval.as_secs_f64() / f64::from(count).sqrt())
    }
}

/// The state of one queue (section 5.2).
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    /// From when on drops are right, if no packet until then has waited for less than the target.
    first_above: Option<Instant>,
    /// When the next drop is due.
    drop_next: Instant,
    /// Drops since the drop state began, and those that it began with.
    count: u32,
    /// What `count` was when the drop state began.
    last_count: u32,
    /// Whether this is the drop state.
    dropping: bool,
}

impl Control {
    /// The next packet to leave (section 5.5). In other queues of the link so many bytes wait as `elsewhere` says: what
    /// counts is how much all of them hold (section 4.4).
    pub(super) fn dequeue(
        &mut self,
        rules: &Rules,
        now: Instant,
        packets: &mut Fifo,
        elsewhere: u64,
        drops: &mut Drops,
    ) -> Option<(Held, Verdict)> {
        let (mut held, may_drop) = match self.take(rules, now, packets, elsewhere) {
            Some(taken) => taken,
            None => {
                self.dropping = false;
                return None;
            }
        };
        if self.dropping {
            self.dropping = may_drop;
            // A large backlog may mean more than one at a time.
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if rules.ecn && held.ecn() != Ecn::NotCapable {
                    self.drop_next = rules.next(self.drop_next, self.count);
                    return Some((held, Verdict::Mark(Ecn::Moderate)));
                }
                drops.drop(held, DropReason::Active);
                let next = self.take(rules, now, packets, elsewhere);
                self.dropping = next.as_ref().is_some_and(|(_, may_drop)| *may_drop);
                held = next?.0;
                if self.dropping {
                    self.drop_next = rules.next(self.drop_next, self.count);
                }
            }
        } else if may_drop {
            self.dropping = true;
            // What controlled the queue a short while ago is a good beginning.
            let added = self.count.saturating_sub(self.last_count);
            let is_recent = now < self.drop_next + rules.interval.mul_f64(16.0);
            self.count = if is_recent { added.max(1) } else { 1 };
            (self.last_count, self.drop_next) = (self.count, rules.next(now, self.count));
            if rules.ecn && held.ecn() != Ecn::NotCapable {
                return Some((held, Verdict::Mark(Ecn::Moderate)));
            }
            drops.drop(held, DropReason::Active);
            (held, _) = self.take(rules, now, packets, elsewhere)?;
        }
        let is_late = rules.ce_threshold.is_some_and(|threshold| now.since(held.since()) > threshold);
        let verdict = match is_late && held.ecn() != Ecn::NotCapable {
            true => Verdict::Mark(Ecn::Moderate),
            false => Verdict::Accept,
        };
        Some((held, verdict))
    }

    /// The oldest packet, and whether it may be dropped: all have waited for more than the target for an interval.
    fn take(&mut self, rules: &Rules, now: Instant, packets: &mut Fifo, elsewhere: u64) -> Option<(Held, bool)> {
        let Some(held) = packets.pop() else {
            self.first_above = None;
            return None;
        };
        if now.since(held.since()) < rules.target || packets.bytes() + elsewhere <= rules.mtu {
            self.first_above = None;
            return Some((held, false));
        }
        let from = *self.first_above.get_or_insert(now + rules.interval);
        // One that has just gone above is not dropped, however short the interval.
        Some((held, now >= from))
    }
}

#[cfg(test)]
#[path = "codel_tests.rs"]
mod tests;
