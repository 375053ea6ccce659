//! What a receiver knows of its source and of the path from it, from the first packet of the source on.
//!
//! A source that begins anew, with another number, is another source: nothing of this is kept.

use super::bottleneck::PacketPairs;
use super::config::Config;
use super::interval_loss::{Counts, IntervalLoss};
use super::layer_packets::{LayerPackets, Standing, Taken};
use super::rtcp::{SenderReport, middle};
use super::share::{Interval, Share, ShareRule};
use super::subscription::Rates;
use crate::parts::loss_differentiation::{LossDifferentiation, Verdict};
use crate::parts::rtt::{Rtt, lag_s, stamp_us};
use crate::source::seen::Seen;
use crate::time::{Duration, Instant};

/// What is known of one source.
#[derive(Clone, Debug)]
pub struct Session {
    /// The source's number.
    pub ssrc: u32,
    /// The last report of the source.
    pub heard: Option<SourceReport>,
    /// The share of the path.
    pub share: Share,
    /// What was lost, by intervals.
    pub loss: IntervalLoss,
    /// What was lost since the last report of the receiver, and in all.
    pub since_report: Counts,
    /// Since the first packet.
    pub in_all: Counts,
    layers: Vec<Layer>,
    pairs: PacketPairs,
    rtt: Rtt,
    jitter: Jitter,
    /// Whether the source has not followed its first share yet.
    is_arriving: bool,
    /// When the interval began, and the bytes that came since.
    began_at: Instant,
    bytes: u64,
    /// Runs of missing packets that count as errors of links, for the packet in hand.
    by_link: Vec<(u64, u64)>,
    bottleneck_bps: Option<f64>,
    initial_rtt_s: f64,
    rtt_weight: f64,
    adjusts: bool,
    reordering: u32,
    packet_bits: f64,
}

/// A layer at its receiver.
#[derive(Clone, Debug)]
struct Layer {
    packets: LayerPackets,
    seen: Seen,
    last_at: Instant,
}

/// A report of the source.
#[derive(Clone, Debug)]
pub struct SourceReport {
    /// The number of the round, of the last report that ended an interval; none if only extra ones have come.
    pub number: Option<u16>,
    /// When that came.
    pub round_at: Instant,
    /// The time in it, of the last report of any sort, by the clock of the data's stamps.
    pub rtp_timestamp: u32,
    /// LSR of RFC 3550.
    pub last_sr: u32,
    /// When it came.
    pub at: Instant,
    /// The rates in it.
    pub rates: Rates,
    /// T_fb.
    pub spread: Duration,
}

/// A packet of data, as far as it is needed here.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When it came.
    pub now: Instant,
    /// Which layer, the base being 0.
    pub layer: usize,
    /// Its number.
    pub sequence: u16,
    /// Its time stamp.
    pub timestamp: u32,
    /// The first of a pair.
    pub probe: bool,
    /// Size of the packet, bytes.
    pub size: u16,
    /// Whether it is marked.
    pub marked: bool,
}

/// What a packet of data said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// It has not been here before.
    pub is_new: bool,
    /// The number of the first of the missing packets before it, if any are.
    pub lost: Option<u16>,
}

/// Interarrival jitter (RFC 3550 appendix A.8).
#[derive(Clone, Copy, Debug, Default)]
struct Jitter {
    transit: Option<u32>,
    value: f64,
}

/// Reports of the source are compared if they came within this time: time stamps wrap around after 71 minutes.
const COMPARABLE: Duration = Duration::from_secs(1000);
/// The source has followed a share if the base layer has no more than so many times as much; choice.
const FOLLOWED: f64 = 2.0;
/// Samples of the round-trip time above this are nonsense.
const MOST_RTT_S: f64 = 60.0;

impl Session {
    /// Nothing is known of the source with this number but that its first packet has come.
    pub fn new(config: &Config, ssrc: u32, now: Instant) -> Session {
        let layer = Layer { packets: LayerPackets::new(config.reordering), seen: Seen::default(), last_at: now };
        Session {
            ssrc,
            heard: None,
            share: Share::new(config),
            loss: IntervalLoss::new(config.loss_window as usize, config.least_expected),
            since_report: Counts::default(),
            in_all: Counts::default(),
            layers: vec![layer; config.layers as usize],
            pairs: PacketPairs::new(config.probe_samples as usize),
            rtt: Rtt::default(),
            jitter: Jitter::default(),
            is_arriving: true,
            began_at: now,
            bytes: 0,
            by_link: Vec::new(),
            bottleneck_bps: config.bottleneck.map(|rate| rate.as_bps_f64()),
            initial_rtt_s: config.initial_rtt.as_secs_f64(),
            rtt_weight: config.rtt_weight,
            adjusts: config.one_way_adjustment,
            reordering: config.reordering,
            packet_bits: config.packet_bits(),
        }
    }

    /// A packet of a layer that is held.
    pub fn data(&mut self, arrival: &Arrival, differentiation: Option<&mut LossDifferentiation>) -> Said {
        let &Arrival { now, layer: number, sequence, timestamp, probe, size, marked } = arrival;
        let most = self.most_since(number, now);
        let Some(Taken { count, standing }) = self.layers[number].packets.take(now, sequence, || most) else {
            return Said::default();
        };
        if self.adjusts {
            self.rtt.adjust(stamp_us(now), timestamp);
        }
        self.judge(arrival, count, &standing, differentiation);
        let layer = &mut self.layers[number];
        layer.last_at = now;
        if standing == Standing::First {
            layer.seen = Seen::default();
        }
        let is_new = layer.seen.is_new(count);
        let (missing, lost) = match standing {
            Standing::Behind(gap) => (gap.missing, Some(layer.packets.number_of(gap.first))),
            _ => (0, None),
        };
        let by_link = self.by_link.iter().map(|&(_, missing)| missing).sum();
        for counts in [self.loss.running(), &mut self.since_report, &mut self.in_all] {
            match standing {
                Standing::First | Standing::Next | Standing::Behind(_) => counts.came(missing, by_link),
                Standing::Late => counts.came_late(by_link > 0),
                Standing::Old => {}
            }
            counts.marked += i64::from(marked && is_new);
        }
        // The packet with which the first interval begins is not what came in it.
        let begins = self.heard.is_none() && self.in_all.expected == 1;
        if is_new && !begins {
            self.bytes += u64::from(size);
        }
        if number == 0 {
            self.pairs.arrive(now, count, probe, size);
            self.jitter.arrive(now, timestamp);
        }
        let rtt_s = self.rtt_s();
        if let ShareRule::Equation(equation) = self.share.rule_mut() {
            equation.arrive((now, rtt_s), number, (count, &standing, marked), &self.by_link);
        }
        Said { is_new, lost }
    }

    /// Which of the missing packets count as errors of links: the runs of them; one for a late packet that had.
    fn judge(
        &mut self,
        arrival: &Arrival,
        count: u64,
        standing: &Standing,
        differentiation: Option<&mut LossDifferentiation>,
    ) {
        self.by_link.clear();
        let &Arrival { now, layer, timestamp, probe, .. } = arrival;
        let Some(differentiation) = differentiation else { return };
        let space = layer as u16;
        if *standing == Standing::First {
            // Of what was sent before nobody asks.
            differentiation.joined(space);
        }
        differentiation.took(now, timestamp);
        differentiation.arrived(space, count, now, probe);
        match standing {
            Standing::Behind(gap) => differentiation.judge_rows(space, gap, now, |row| {
                if row.verdict == Verdict::Link {
                    self.by_link.push((row.first, row.missing));
                }
            }),
            Standing::Late if differentiation.late(space, count) == Some(Verdict::Link) => {
                self.by_link.push((count, 1));
            }
            _ => {}
        }
    }

    /// The count of the packet of a layer that has this number, as what is missing is counted.
    pub fn count_of(&self, layer: usize, number: u16) -> Option<u64> {
        self.layers[layer].packets.count_of(number)
    }

    /// How many packets of a layer can have been sent since its last one came: the rate may have doubled.
    fn most_since(&self, layer: usize, now: Instant) -> u64 {
        let Some(heard) = &self.heard else { return 0 };
        let rate_bps = heard.rates.up_to_bps(layer + 1) - heard.rates.up_to_bps(layer);
        (2.0 * rate_bps * now.since(self.layers[layer].last_at).as_secs_f64() / self.packet_bits) as u64
    }

    /// Whether a report of the source is the newest so far: it may be overtaken by the next, or come twice.
    pub fn is_news(&self, now: Instant, report: &SenderReport) -> bool {
        // Beyond that, time stamps and numbers may have wrapped around.
        let Some(heard) = self.heard.as_ref().filter(|heard| now.since(heard.at) < COMPARABLE) else { return true };
        let is_later = lag_s(report.rtp_timestamp, heard.rtp_timestamp) > 0.0;
        is_later && (report.extra || heard.number.is_none_or(|number| (report.number.wrapping_sub(number) as i16) > 0))
    }

    /// A report of the source with these rates, which is news. `own` is the receiver's number.
    pub fn hear(&mut self, now: Instant, report: &SenderReport, rates: Rates, own: u32) {
        let now_us = stamp_us(now);
        let echo = report.echoes.iter().find(|echo| echo.receiver == own);
        // As if it had come and gone at once.
        let echoed_us = echo.map(|echo| echo.stamp_us.wrapping_add(echo.hold_us));
        match echoed_us.filter(|&echoed_us| (0.0..=MOST_RTT_S).contains(&lag_s(now_us, echoed_us))) {
            Some(echoed_us) => {
                let is_first = self.rtt.measure(now_us, echoed_us, report.rtp_timestamp, self.rtt_weight);
                let rtt_s = self.rtt_s();
                if let (ShareRule::Equation(equation), true) = (self.share.rule_mut(), is_first) {
                    equation.measured(rtt_s);
                }
            }
            None if self.adjusts => self.rtt.adjust(now_us, report.rtp_timestamp),
            None => {}
        }
        let before = self.heard.take();
        let round = before.filter(|_| report.extra).map(|heard| (heard.number, heard.round_at));
        let (number, round_at) = round.unwrap_or((Some(report.number).filter(|_| !report.extra), now));
        self.heard = Some(SourceReport {
            number,
            round_at,
            rtp_timestamp: report.rtp_timestamp,
            last_sr: middle(report.ntp),
            at: now,
            rates,
            spread: Duration::from_micros(report.feedback_spread_us.into()),
        });
    }

    /// The interval is over: what it was like. The receiver holds `level` layers.
    pub fn end_interval(&mut self, now: Instant, level: usize) -> Interval {
        let length_s = now.since(self.began_at).as_secs_f64();
        self.loss.end_interval();
        let received_bps = if length_s > 0.0 { 8.0 * self.bytes as f64 / length_s } else { 0.0 };
        (self.began_at, self.bytes) = (now, 0);
        Interval {
            length_s,
            loss: self.loss.loss(),
            rtt_s: self.rtt_s(),
            bottleneck_bps: self.bottleneck_bps(),
            received_bps,
            next_level_bps: self.heard.as_ref().map_or(f64::NAN, |heard| heard.rates.up_to_bps(level + 1)),
        }
    }

    /// The share of the path after that interval, which a report of the source has ended, or the want of one.
    ///
    /// A receiver that comes to a base layer which is too much for its path loses most of it until the source has
    /// followed its report. It can do nothing else about it, and how much is lost says nothing of its share: what comes
    /// does. So up to then each interval begins the share anew, and its losses are not remembered.
    pub fn next_share(&mut self, interval: &Interval, is_reported: bool) -> f64 {
        if !self.is_arriving {
            let ended = if is_reported { None } else { self.share.end_unreported(interval) };
            return ended.unwrap_or_else(|| self.share.end_interval(interval));
        }
        self.loss.forget();
        let share_bps = self.share.begin_with(interval);
        let base_bps = self.heard.as_ref().filter(|heard| heard.number.is_some()).map(|heard| heard.rates.base_bps());
        self.is_arriving = base_bps.is_none_or(|base_bps| base_bps > FOLLOWED * share_bps);
        share_bps
    }

    /// The number of the round, if a report of the source has said it.
    pub fn round(&self) -> Option<u16> {
        self.heard.as_ref()?.number
    }

    /// When the interval that runs began.
    pub fn began_at(&self) -> Instant {
        self.began_at
    }

    /// The receiver has joined or left a layer: whatever comes of it first begins its numbers anew.
    pub fn begin_layer(&mut self, now: Instant, layer: usize) {
        let packets = LayerPackets::new(self.reordering);
        self.layers[layer] = Layer { packets, seen: Seen::default(), last_at: now };
        if let ShareRule::Equation(equation) = self.share.rule_mut() {
            equation.leave(layer);
        }
    }

    /// τ, seconds: measured, or what stands for it before that.
    pub fn rtt_s(&self) -> f64 {
        self.rtt.value_s().unwrap_or(self.initial_rtt_s)
    }

    /// The round-trip time in seconds, if it has been measured.
    pub fn measured_rtt_s(&self) -> Option<f64> {
        self.rtt.value_s()
    }

    /// R, bit/s, if it is known.
    pub fn bottleneck_bps(&self) -> Option<f64> {
        self.bottleneck_bps.or(self.pairs.rate_bps())
    }

    /// Interarrival jitter of the base layer, microseconds.
    pub fn jitter_us(&self) -> u32 {
        self.jitter.value as u32
    }

    /// The highest number of the base layer, extended by its cycles.
    pub fn highest_sequence(&self) -> u32 {
        self.layers[0].packets.highest().unwrap_or(0)
    }
}

impl Jitter {
    fn arrive(&mut self, now: Instant, timestamp: u32) {
        let transit = stamp_us(now).wrapping_sub(timestamp);
        if let Some(before) = self.transit.replace(transit) {
            let change = f64::from((transit.wrapping_sub(before) as i32).unsigned_abs());
            self.value += (change - self.value) / 16.0;
        }
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
