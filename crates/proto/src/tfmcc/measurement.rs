//! What a receiver measures, and the rate that follows from it (RFC 4654 sections 4.3, 4.4 and 5).
//!
//! It says nothing of when that is reported, nor to whom.

use super::config::Config;
use super::config::{LossEventSpan, OneWayAdjustment, Outages, SeedFloor};
use super::header::DataHeader;
use super::loss_window::loss_window_s;
use super::rate_control::MOST_BPS;
use super::scaling;
use super::streak::Stretch;
use crate::endpoint::Cause;
use crate::packet::{Ecn, Packet};
use crate::parts::delay_watch::DelayWatch;
use crate::parts::loss_detection::LossDetection;
use crate::parts::loss_differentiation::LossDifferentiation;
use crate::parts::loss_history::{self, Arrival, LossHistory, Space};
use crate::parts::receive_rate::ReceiveRate;
use crate::parts::rtt::{Rtt, stamp_us};
use crate::parts::sequence::Sequence;
use crate::parts::throughput_equation::{loss_event_rate, throughput_bps};
use crate::time::Instant;

/// What a receiver knows of the packets in one group: each group has numbers of its own.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SequenceSpace {
    numbers: Sequence,
    detection: LossDetection,
}

impl SequenceSpace {
    /// The number that follows the highest.
    pub fn next(&self) -> u32 {
        self.numbers.next()
    }

    /// The count of a packet of this number that is not taken note of; none before the first.
    pub fn count_of(&self, number: u32) -> Option<u64> {
        self.numbers.count_of(number)
    }

    /// The number with which the packet of this count was sent.
    fn number_of(&self, count: u64) -> u64 {
        self.numbers.number_of(count).into()
    }
}

/// Loss event rate, round-trip time and receive rate of a receiver, and what the last packet said. What each packet
/// touches comes first.
///
/// Rates are of packets of s, the size that the session has agreed on, as the sender's X is: it spaces packets by s/X
/// however long each of them is. RFC 4654 section 2.1 has s known to the application, or a mean where packets vary;
/// that of the packet which came last would be neither, and a short one among others makes a rate as much lower.
///
/// A receiver of several groups has one, and a [`SequenceSpace`] for each group. For each packet it calls
/// [`take`](Self::take), [`measure_rtt`](Self::measure_rtt) and [`record`](Self::record), in this order.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Measurement {
    /// When the last packet came.
    last_at: Instant,
    /// R_max of the last packet, microseconds.
    max_rtt_us: u32,
    /// X of the last packet, bit/s.
    sending_bps: f32,
    /// The sender's stamp on the last packet.
    sent_us: u32,
    /// What multiplies the equation, as of the last packet; 1 in TFMCC.
    scale: f32,
    /// s: the size of data packets on the wire that the session has agreed on, bytes.
    packet_size: u16,
    /// A loss event was found, and no long silence came after it (have_loss).
    have_loss: bool,
    /// What the scale adds is bounded by the receive rate.
    scale_is_capped: bool,
    one_way_adjustment: OneWayAdjustment,
    seed_floor: SeedFloor,
    loss_event_span: LossEventSpan,
    rtt_weight: f32,
    rtt_weight_clr: f32,
    receive_rate_rtts: f32,
    loss_events: u32,
    rtt: Rtt,
    receive_rate: ReceiveRate,
    loss: LossHistory,
    /// What looks for queues, while a start goes on. Boxed, since it is there for seconds only, and there may be
    /// thousands of receivers.
    watch: Option<Box<Watch>>,
}

/// What a receiver has in a start.
#[derive(Clone, Debug)]
struct Watch {
    delay: DelayWatch,
    /// It was there when all were asked for reports.
    was_asked: bool,
}

/// A packet that is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its number, as a count that does not wrap.
    pub sequence: u64,
    /// It is the first of its group.
    pub first: bool,
    /// None of its group has had a higher number.
    pub newest: bool,
}

/// What a packet was for the loss history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recorded {
    /// It has been here before.
    Duplicate,
    /// One more.
    Packet,
    /// One more, and with it packets were found lost, or it is marked, in a loss event that was known.
    Loss(Cause),
    /// One more, and with it a loss event was found, for this cause.
    LossEvent(Cause),
}

const _: () = assert!(std::mem::offset_of!(Measurement, receive_rate) <= 80);

impl Measurement {
    /// Nothing has come. `config` must have passed [`Config::check`].
    pub fn new(config: &Config) -> Measurement {
        let mut loss = LossHistory::new(config.threshold());
        if config.outages == Outages::OneEvent {
            loss = loss.with_outages();
        }
        if config.loss_event_span == LossEventSpan::Window {
            loss = loss.with_spans_of_first_losses();
        }
        Measurement {
            last_at: Instant::ZERO,
            max_rtt_us: 0,
            sending_bps: 0.0,
            sent_us: 0,
            scale: 1.0,
            packet_size: config.packet_size.0 as u16,
            have_loss: false,
            scale_is_capped: false,
            one_way_adjustment: config.one_way_adjustment,
            seed_floor: config.seed_floor,
            loss_event_span: config.loss_event_span,
            rtt_weight: config.rtt_weight as f32,
            rtt_weight_clr: config.rtt_weight_clr as f32,
            receive_rate_rtts: config.receive_rate_rtts as f32,
            loss_events: 0,
            rtt: Rtt::default(),
            receive_rate: ReceiveRate::default(),
            loss,
            watch: None,
        }
    }

    /// From now on the scaled rate is at most what is received, or the rate without the scale if that is more; see
    /// `scaling::capped_bps`.
    pub fn cap_scaled_rate(&mut self) {
        self.scale_is_capped = true;
    }

    /// From now on s is so many bytes: for a session whose receivers learn of it by its packets.
    pub fn set_packet_size(&mut self, bytes: u16) {
        self.packet_size = bytes;
    }

    /// A packet has come in the group of `space`: what it says, or `None` if its number is too far from the others to
    /// be believed, and with it nothing else. `scale` multiplies the equation.
    #[inline]
    pub fn take(
        &mut self,
        space: &mut SequenceSpace,
        now: Instant,
        packet: &Packet,
        data: &DataHeader,
        scale: f32,
    ) -> Option<Taken> {
        let before = space.numbers.highest();
        let silence_s = now.since(self.last_at).as_secs_f64();
        let (packet_size, sending_bps) = (f64::from(self.packet_size), f64::from(self.sending_bps));
        let gap_s = || 8.0 * packet_size / sending_bps;
        // What can have been sent in an outage: the rate may have doubled.
        let sequence = space.numbers.count(data.sequence, || (2.0 * silence_s / gap_s()) as u64)?;
        let first = before == 0;
        // Section 4.3.1: ten round-trip times in which the sender was idle clear the flag; the history stays. What is
        // missing was sent, and at a low rate there are gaps.
        let long_s = 10.0 * self.rtt_s();
        // Asked first, as it spares nearly every packet two divisions: what is not long for one is not for several.
        if !first && silence_s > long_s {
            let sent = sequence.saturating_sub(before).max(1) as f64;
            if silence_s / sent > long_s.max(5.0 * gap_s()) {
                self.have_loss = false;
            }
        }
        self.sending_bps = data.rate_bps;
        self.scale = scaling::received(scale);
        self.max_rtt_us = data.max_rtt_us;
        self.sent_us = stamp_us(packet.sent);
        self.last_at = now;
        Some(Taken { sequence, first, newest: sequence > before })
    }

    /// Sections 4.3.2 and 4.3.3: the packet echoes the receiver's stamp, or it does not. `limiting`: whether this is
    /// the current limiting receiver. True if it is the first measurement.
    #[inline]
    pub fn measure_rtt(&mut self, now: Instant, own_stamp_us: Option<u32>, limiting: bool) -> bool {
        let now_us = stamp_us(now);
        let Some(stamp_us) = own_stamp_us else {
            match self.one_way_adjustment {
                OneWayAdjustment::All => self.rtt.adjust(now_us, self.sent_us),
                OneWayAdjustment::Others if !limiting => self.rtt.adjust(now_us, self.sent_us),
                _ => {}
            }
            return false;
        };
        let q = if limiting { self.rtt_weight_clr } else { self.rtt_weight };
        let first = self.rtt.measure(now_us, stamp_us, self.sent_us, f64::from(q));
        if first {
            let events = self.loss.events();
            let event_s = self.event_s(false);
            self.loss.measured(self.rtt_s(), event_s, least_seed(self.seed_floor, self.scale));
            self.loss_events = self.loss_events.saturating_add(self.loss.events().saturating_sub(events));
        }
        first
    }

    /// The last packet that was [taken](Self::take) said this, and with it whether a start goes on, in which queues are
    /// looked for. Whether packets have come to take longer and longer with it.
    #[inline]
    pub fn watch_delay(&mut self, data: &DataHeader) -> bool {
        if !data.starting && self.watch.is_none() {
            return false;
        }
        self.watch_delay_in_start(data)
    }

    #[cold]
    fn watch_delay_in_start(&mut self, data: &DataHeader) -> bool {
        let (rtt_s, now, sent_us) = (self.smoothed_rtt_s(), self.last_at, self.sent_us);
        match &mut self.watch {
            _ if !data.starting => {
                self.watch = None;
                false
            }
            None => {
                let delay = DelayWatch::begin(now, sent_us);
                self.watch = Some(Box::new(Watch { delay, was_asked: !data.at_once }));
                false
            }
            Some(watch) => watch.delay.arrive(now, sent_us, rtt_s),
        }
    }

    /// Whether packets have come to take longer and longer, and nothing has been [said](Self::delay_is_told) of it.
    pub fn is_delayed(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.delay.is_untold())
    }

    /// Whether a start goes on that has asked this receiver, among all, for a report.
    pub fn was_asked(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.was_asked)
    }

    /// The last alarm, if there is one, has been said, or is of the past.
    pub fn delay_is_told(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.delay.told();
        }
    }

    /// Adds a packet to the loss history and the receive rate: number `sequence` of `space`, which the history knows by
    /// `name`, with these congestion bits. `differ` says which losses are errors of links, of which nothing follows.
    #[inline]
    pub fn record(
        &mut self,
        name: Space,
        space: &mut SequenceSpace,
        now: Instant,
        sequence: u64,
        ecn: Ecn,
        differ: Option<&mut LossDifferentiation>,
    ) -> Recorded {
        let (rtt_s, events) = (self.rtt_s(), self.loss.events());
        let marked = ecn > Ecn::Capable;
        let packet = loss_history::Packet { sequence, marked, now, rtt_s, event_s: self.event_s(marked) };
        let (receive_rate, scale, floor) = (&self.receive_rate, self.scale, self.seed_floor);
        let seed = || first_interval(receive_rate, now, rtt_s, scale, floor);
        let arrival = self.loss.arrive(name, &mut space.detection, packet, differ, seed);
        if arrival == Arrival::Duplicate {
            return Recorded::Duplicate;
        }
        self.receive_rate.arrive(now, self.rate_window_s());
        let mark = marked.then(|| Cause::Mark { sequence: space.number_of(sequence), level: ecn });
        self.recorded(name, arrival, events, space, mark)
    }

    /// What is missing in the group of `space` below the count `until` is lost at `now`, though nothing behind it may
    /// have come. Packets of the group must have been recorded; `differ` is as there.
    pub fn overdue(
        &mut self,
        name: Space,
        space: &mut SequenceSpace,
        until: u64,
        now: Instant,
        differ: Option<&mut LossDifferentiation>,
    ) -> Recorded {
        let (rtt_s, event_s, events) = (self.rtt_s(), self.event_s(false), self.loss.events());
        let (receive_rate, scale, floor) = (&self.receive_rate, self.scale, self.seed_floor);
        let seed = || first_interval(receive_rate, now, rtt_s, scale, floor);
        let arrival = self.loss.overdue(name, &mut space.detection, until, (now, rtt_s, event_s), differ, seed);
        self.recorded(name, arrival, events, space, None)
    }

    /// What an arrival means: there were so many loss `events` before, and the packet had a `mark` or not.
    #[inline]
    fn recorded(
        &mut self,
        name: Space,
        arrival: Arrival,
        events: u32,
        space: &SequenceSpace,
        mark: Option<Cause>,
    ) -> Recorded {
        if self.loss.events() == 0 {
            // Also when a late packet has filled the only hole.
            self.have_loss = false;
        }
        let cause = |space: &SequenceSpace, lost: Option<u64>| {
            mark.unwrap_or_else(|| Cause::Loss { sequence: space.number_of(lost.unwrap_or(0)) })
        };
        match arrival {
            Arrival::Duplicate | Arrival::Plain => Recorded::Packet,
            Arrival::Loss => Recorded::Loss(cause(space, self.loss.newest_in(name))),
            Arrival::LossEvent => {
                self.have_loss = true;
                self.loss_events = self.loss_events.saturating_add(self.loss.events() - events);
                Recorded::LossEvent(cause(space, self.loss.last_in(name).or(Some(self.loss.last()))))
            }
        }
    }

    /// Before this moment packets change nothing but what [`pass`](Self::pass) adds, if each has the number that
    /// follows the one before in its group, no mark and no echo of this receiver's stamp, and is in size, R_max and
    /// scale like the last, which was [recorded](Self::record). Nor does it [stand too little](Self::stands_too_little)
    /// then.
    pub fn steady_until(&self) -> Instant {
        // R' changes with every packet. A loss event is found, or p grows, only while a fate is undecided; p falls on.
        let adjusts = self.rtt.is_measured() && self.one_way_adjustment != OneWayAdjustment::Off;
        let stands = !self.have_loss || (self.loss.events() > 0 && self.stands_plenty());
        if adjusts || !stands || !self.loss.is_decided() {
            return Instant::ZERO;
        }
        // A part of the window is shorter than the silence of ten round-trip times that clears have_loss, too.
        self.receive_rate.unmarked_until(self.rate_window_s())
    }

    /// Adds packets that came [one after another](Self::steady_until) in the group of `space`.
    pub fn pass(&mut self, space: &mut SequenceSpace, stretch: &Stretch) {
        let &Stretch { count, last_at, sent, rate_bps } = stretch;
        if count == 0 {
            return;
        }
        space.numbers.pass(count);
        space.detection.pass(count, last_at);
        self.loss.pass(count);
        self.receive_rate.pass(count, last_at);
        self.last_at = last_at;
        self.sent_us = stamp_us(sent);
        self.sending_bps = rate_bps;
    }

    /// The receiver has left the group that the loss history knows by `name`.
    pub fn leave(&mut self, name: Space) {
        self.loss.leave(name);
    }

    /// The rate by the equation, or twice the receive rate without loss (section 4.4), bit/s; that rate itself
    /// while packets are [delayed](Self::is_delayed).
    pub fn calculated_bps(&self, now: Instant) -> f64 {
        if !self.have_loss {
            let times = if self.is_delayed() { 1.0 } else { 2.0 };
            return times * self.receive_bps(now);
        }
        let equation_bps = throughput_bps(f64::from(self.packet_size), self.rtt_s(), self.loss.rate());
        let scaled_bps = f64::from(self.scale) * equation_bps;
        if self.scale_is_capped {
            scaling::capped_bps(scaled_bps, equation_bps, self.receive_bps(now))
        } else {
            scaled_bps
        }
    }

    /// The rate for decisions that last: as [calculated](Self::calculated_bps), but with the smoothed round-trip time
    /// instead of that of the last packet, and before the first loss with what the equation would give if the packet
    /// after `received` ones were lost, if that is more. Bit/s, without a scale.
    pub fn lasting_bps(&self, now: Instant, received: u64) -> f64 {
        let by_equation = |p: f64| throughput_bps(f64::from(self.packet_size), self.smoothed_rtt_s(), p);
        match (self.have_loss, self.loss.events()) {
            (true, _) => by_equation(self.loss.rate()),
            (false, 0) => by_equation(1.0 / received.max(1) as f64).max(2.0 * self.receive_bps(now)),
            // A long silence after losses.
            (false, _) => by_equation(self.loss.rate()).max(2.0 * self.receive_bps(now)),
        }
    }

    /// X_recv, bit/s (section 4.3.4); while packets are [delayed](Self::is_delayed) that of the last round-trip time,
    /// since the rate has been far lower before.
    pub fn receive_bps(&self, now: Instant) -> f64 {
        let window_s = if self.is_delayed() { self.smoothed_rtt_s() } else { self.rate_window_s() };
        8.0 * f64::from(self.packet_size) * self.receive_rate.packets_per_s(now, window_s)
    }

    /// X_r, bit/s: what is reported is at least one packet in 8 s (section 4.4), and no more than can be said: two
    /// packets of two groups may come at one time.
    pub fn desired_bps(&self, now: Instant) -> f64 {
        self.calculated_bps(now).clamp(self.least_bps(), MOST_BPS)
    }

    /// Whether the receiver is sent more than it can stand, and that is less than one packet in 8 s (section 4.4).
    pub fn stands_too_little(&self, now: Instant) -> bool {
        if !self.have_loss || self.stands_plenty() {
            return false;
        }
        let calculated_bps = self.calculated_bps(now);
        // A rate that is no number is no plenty.
        let stands = calculated_bps >= self.least_bps() || self.sending_bps() <= calculated_bps;
        !stands
    }

    /// Round-trip time in seconds: the own one, or R_max before the first measurement (section 4.1).
    pub fn rtt_s(&self) -> f64 {
        self.rtt.value_s().unwrap_or_else(|| self.max_rtt_s())
    }

    /// The smoothed round-trip time in seconds, or R_max before the first measurement.
    pub fn smoothed_rtt_s(&self) -> f64 {
        self.rtt.smoothed_s().unwrap_or_else(|| self.max_rtt_s())
    }

    /// The round-trip time in seconds if it has been measured.
    pub fn measured_rtt_s(&self) -> Option<f64> {
        self.rtt.value_s()
    }

    /// How long a loss event lasts, seconds, that begins with a loss which the last packet shows, or with its `mark`.
    fn event_s(&self, mark: bool) -> f64 {
        match (self.loss_event_span, self.rtt.smoothed_s()) {
            (LossEventSpan::Window, Some(rtt_s)) => {
                let gap_s = 8.0 * f64::from(self.packet_size) / f64::from(self.sending_bps);
                // Not shorter than by the letter, by which R itself is adjusted at receivers that do not limit.
                loss_window_s(rtt_s, self.momentary_rtt_s().unwrap_or(rtt_s), gap_s, mark).max(self.rtt_s())
            }
            _ => self.rtt_s(),
        }
    }

    /// R' of the last packet, seconds, if there has been a measurement: the last one as it was, and by as much longer
    /// as the packet took more on the way, if its stamp says.
    fn momentary_rtt_s(&self) -> Option<f64> {
        match self.one_way_adjustment {
            OneWayAdjustment::Off => self.rtt.sample_s(),
            OneWayAdjustment::All | OneWayAdjustment::Others => {
                self.rtt.momentary_s(stamp_us(self.last_at), self.sent_us)
            }
        }
    }

    /// R_max of the last packet, seconds.
    pub fn max_rtt_s(&self) -> f64 {
        f64::from(self.max_rtt_us) * 1e-6
    }

    /// X of the last packet, bit/s.
    pub fn sending_bps(&self) -> f64 {
        f64::from(self.sending_bps)
    }

    /// When the last packet came.
    pub fn last_at(&self) -> Instant {
        self.last_at
    }

    /// The sender's stamp on the last packet, and the time since then (ts_i'), low 32 bits of microseconds.
    pub fn held_stamp_us(&self, now: Instant) -> u32 {
        let held_us = (now.since(self.last_at).0 / 1000) as u32;
        self.sent_us.wrapping_add(held_us)
    }

    /// Whether a loss event was found, and no long silence came after it (have_loss).
    pub fn have_loss(&self) -> bool {
        self.have_loss
    }

    /// Loss event rate p; 0 before the first loss.
    pub fn loss_event_rate(&self) -> f64 {
        self.loss.rate()
    }

    /// Loss events found, those that late packets took back included.
    pub fn loss_events(&self) -> u32 {
        self.loss_events
    }

    /// What multiplies the equation, as of the last packet.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Whether it is clear without the equation that the receiver can stand the least rate: p is at most the sum of
    /// weights over I_0, 6/60, and the rate more than a packet in 8 s then.
    fn stands_plenty(&self) -> bool {
        self.loss.open() > 60 && self.rtt_s() < 10.0 && self.scale >= 1.0
    }

    fn least_bps(&self) -> f64 {
        f64::from(self.packet_size)
    }

    fn rate_window_s(&self) -> f64 {
        f64::from(self.receive_rate_rtts) * self.rtt_s()
    }
}

/// Section 5.6: l_0 = (X_recv·R / (sqrt(3/2)·8s))², with the rate of the last round-trip time. It is the equation
/// inverted, so what multiplies the one divides the other.
fn first_interval(receive_rate: &ReceiveRate, now: Instant, rtt_s: f64, scale: f32, floor: SeedFloor) -> f64 {
    let packets_per_rtt = receive_rate.packets_per_s(now, rtt_s) * rtt_s / f64::from(scale);
    (packets_per_rtt * packets_per_rtt / 1.5).max(least_seed(floor, scale))
}

/// What the interval before the first loss event is at least, packets, if the equation is multiplied by `scale`.
fn least_seed(floor: SeedFloor, scale: f32) -> f64 {
    match floor {
        SeedFloor::Packet => 1.0,
        // RFC 5348 section 6.3.1: the interval that gives half a packet per round-trip time, by the equation. In units
        // of bytes and seconds in which packet and round-trip time are 1, that is 4 bit/s.
        SeedFloor::Half => 1.0 / loss_event_rate(1.0, 1.0, 4.0 / f64::from(scale)),
    }
}

#[cfg(test)]
#[path = "measurement_tests.rs"]
pub(super) mod tests;

#[cfg(test)]
#[path = "loss_event_span_tests.rs"]
mod loss_event_span_tests;
