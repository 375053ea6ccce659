//! The source (draft-ietf-rmt-bb-pgmcc-03 section 3): a window, the packets it lets go, and who acknowledges them.

use super::acker::{replaces, slowness};
use super::config::{Config, RttUnit};
use super::header::{Ack, Data, Header, NCF, Nak};
use super::honesty::{Account, Barred};
use super::rate_meter::RateMeter;
use super::receivers::{Known, Receivers, Sample};
use super::send_times::SendTimes;
use super::show::{ELECTION, LIMITING_RECEIVER, LOSS_REDUCTION, SENDER_GAUGES, TIMEOUT, WINDOW};
use super::window_control::WindowControl;
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, RECEIVER_EXCLUDED, RETRY, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::exclusion::{Exclusion, Verdict};
use crate::parts::pacer::Pacer;
use crate::parts::rtt::{LEAST_RTT_S, lag_s, stamp_us};
use crate::parts::supply::Supply;
use crate::parts::throughput_equation::throughput_bps;
use crate::time::{Duration, Instant};
use crate::wire;

/// The source of a pgmcc session.
#[derive(Debug)]
pub struct Sender {
    config: Config,
    flow: FlowId,
    own: Address,
    group: Address,
    running: bool,
    /// The last input: no deadline is before it.
    now: Instant,
    control: WindowControl,
    acker: Option<Address>,
    /// The number of the next packet when it was appointed, until it has acknowledged this one or a later one.
    unproven: Option<u64>,
    /// The last acker that has said that it leaves, and the number of the next packet then.
    gone: Option<(Address, u64)>,
    receivers: Receivers,
    send_times: SendTimes,
    /// When the time-out is; `FAR_FUTURE` = nothing is outstanding.
    timer: Instant,
    /// Time-outs since the acker was last heard.
    expiries: u32,
    /// What the acker's ACKs make of its losses.
    account: Account,
    barred: Barred,
    exclusion: Exclusion,
    /// When the next packet may leave, by the rate that is never passed; always, if there is none.
    pacer: Pacer,
    supply: Supply,
    /// When a data packet was sent last.
    sent_at: Instant,
    meter: RateMeter,
    /// Numbers of packets that were confirmed to be missing, the latest at `confirmations` - 1 modulo their number.
    confirmed: [Option<u32>; REMEMBERED],
    confirmations: usize,
    counts: Counts,
}

/// What the source counts.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent_pkts: u64,
    sent_bytes: u64,
    received_pkts: u64,
    received_bytes: u64,
    timeouts: u64,
    loss_reductions: u64,
    elections: u64,
    acker_changes: u64,
}

/// How many confirmations are remembered, so that each packet is confirmed once, however many miss it.
const REMEMBERED: usize = 64;
/// Round-trip times beyond this are none, as in TFMCC, seconds.
const GREATEST_RTT_S: f64 = 63.0;

impl Sender {
    /// A source at `own` that sends to `group`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address) -> Sender {
        let mut pacer = Pacer::OFF;
        pacer.begin(Instant::ZERO);
        Sender {
            flow,
            own,
            group,
            running: false,
            now: Instant::ZERO,
            control: WindowControl::new(config.ssthresh.0),
            acker: None,
            unproven: None,
            gone: None,
            receivers: Receivers::new(config),
            send_times: SendTimes::default(),
            timer: Instant::FAR_FUTURE,
            expiries: 0,
            account: Account::new(config.loss_weight),
            barred: Barred::default(),
            exclusion: Exclusion::new(config.exclude_below),
            pacer,
            supply: Supply::default(),
            sent_at: Instant::ZERO,
            meter: RateMeter::default(),
            confirmed: [None; REMEMBERED],
            confirmations: 0,
            counts: Counts::default(),
            config: config.clone(),
        }
    }

    /// The window and what it covers.
    pub fn control(&self) -> &WindowControl {
        &self.control
    }

    /// Who acknowledges.
    pub fn acker(&self) -> Option<Address> {
        self.acker
    }

    fn known(&self) -> Option<&Known> {
        self.acker.and_then(|acker| self.receivers.acker(acker))
    }

    /// M of a receiver.
    fn slowness(&self, known: &Known) -> f64 {
        slowness(self.config.throughput, known.rtt, known.loss_rate)
    }

    /// The time-out as of now: that of the acker, doubled with each time-out in a row. Only who has acknowledged a
    /// packet since it was appointed may have one above the greatest: before that its round-trip time is its word.
    fn rto(&self) -> Duration {
        let single = self.known().map_or(self.config.initial_rto, |known| known.timer.rto());
        let doubled = single.mul_f64(f64::from(1u32 << self.expiries.min(16)));
        let most = self.config.max_rto;
        doubled.min(if self.unproven.is_some() { most } else { most.max(single) })
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        self.running = true;
        self.control.restart();
        self.meter.begin(now);
        if self.acker.is_none() {
            self.call_election(Cause::Time, out);
        }
    }

    fn stop(&mut self) {
        self.running = false;
        self.timer = Instant::FAR_FUTURE;
    }

    /// So many packets are there to be sent from now on. A window that stood open for longer than a time-out, while
    /// there was nothing to send, begins anew, as TCP's (RFC 5681 section 4.1): what it let go would go at once. One
    /// that is used in part does not grow as it is ([`WindowControl::hear`]).
    fn grant(&mut self, now: Instant, packets: u64, out: &mut Outbox) {
        let is_idle = self.supply.is_empty() && self.control.outstanding() == 0;
        if is_idle && now.since(self.sent_at) > self.rto() {
            let before = self.control.window();
            self.control.restart();
            self.tell_window(before, Cause::Time, out);
        }
        self.supply.set(packets);
    }

    /// This packet has not been sent.
    fn take_back(&mut self, now: Instant, packet: &Packet) {
        self.counts.sent_pkts = self.counts.sent_pkts.saturating_sub(1);
        self.counts.sent_bytes = self.counts.sent_bytes.saturating_sub(packet.size.into());
        match packet.header {
            packet::Header::Pgmcc(Header::Data(Data { sequence, .. })) => {
                self.control.take_back(sequence);
                self.supply.give_back();
                self.pacer.begin(self.pacer.due().max(now + RETRY));
                if self.control.outstanding() == 0 {
                    self.timer = Instant::FAR_FUTURE;
                }
            }
            // A receiver that misses it may say so again.
            packet::Header::Pgmcc(Header::Ncf { missing }) => {
                let known = self.confirmed.iter_mut().filter(|known| **known == Some(missing));
                known.for_each(|known| *known = None);
            }
            _ => {}
        }
    }

    /// Packets name no acker from now on, so that receivers answer with dummy NAKs.
    fn call_election(&mut self, cause: Cause, out: &mut Outbox) {
        self.counts.elections += 1;
        if self.acker.take().is_some() {
            self.counts.acker_changes += 1;
            out.event(Event::new(LIMITING_RECEIVER, cause).about(None));
        }
        out.event(Event::new(ELECTION, cause));
    }

    fn appoint(&mut self, now: Instant, receiver: Address, cause: Cause, out: &mut Outbox) {
        let elected = self.acker.is_none();
        self.acker = Some(receiver);
        self.unproven = Some(self.control.next());
        self.receivers.elect(receiver);
        self.control.elected();
        self.account = Account::new(self.config.loss_weight);
        self.expiries = 0;
        self.counts.acker_changes += 1;
        // Else it goes on until somebody acknowledges a packet: changes alone would put it off forever.
        if elected {
            self.set_timer(now);
        }
        let details = self.known().map_or([f64::NAN; 2], |known| [srtt_s(known), known.loss_rate]);
        out.event(Event::new(LIMITING_RECEIVER, cause).about(Some(receiver)).with(details));
    }

    /// The time-out starts anew if there is anything to wait for.
    fn set_timer(&mut self, now: Instant) {
        self.timer = if self.control.outstanding() > 0 { now + self.rto() } else { Instant::FAR_FUTURE };
    }

    fn hear(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let packet::Header::Pgmcc(header) = packet.header else { return };
        let (echoed_stamp_us, loss_rate, highest) = match header {
            Header::Ack(Ack { echoed_stamp_us, loss_rate, highest, .. })
            | Header::Nak(Nak { echoed_stamp_us, loss_rate, highest, .. }) => (echoed_stamp_us, loss_rate, highest),
            Header::Data(_) | Header::Ncf { .. } => return,
        };
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        let receiver = packet.source;
        let cause = Cause::Report { receiver, number: u64::from(highest) };
        // A report of what has not been sent, or of a loss rate that is none, is void.
        let Some(number) = self.control.number(highest) else { return };
        if !(0.0..=1.0).contains(&loss_rate) {
            return;
        }
        // What somebody said before it left: it is not there to be elected.
        if self.gone.is_some_and(|(gone, next)| gone == receiver && number < next) {
            return;
        }
        if let Header::Ack(Ack { leave: true, .. }) = header {
            return self.leaves(receiver, cause, out);
        }
        // Others may miss what it says it misses, but it elects nobody and acknowledges nothing.
        if self.barred.is_barred(now, receiver) {
            return;
        }
        // The stamp is that of a packet as late as the one it names, or later: a round trip is no longer than that.
        let most_s =
            self.send_times.not_before(number).map_or(GREATEST_RTT_S, |sent| arrived.since(sent).as_secs_f64());
        let most_s = most_s.clamp(LEAST_RTT_S, GREATEST_RTT_S);
        let rtt_s = lag_s(stamp_us(arrived), echoed_stamp_us).clamp(LEAST_RTT_S, most_s);
        let rtt = match self.config.rtt {
            RttUnit::Time => rtt_s,
            RttUnit::Packets => (self.control.next() - 1 - number).max(1) as f64,
        };
        let round_trip = Duration::from_secs_f64(rtt_s);
        let sample = Sample { receiver, number, round_trip, rtt, loss_rate: f64::from(loss_rate) };
        let known = self.receivers.hear(sample).clone();
        if known.loss_rate > 0.0 && self.excludes(&known, cause, out) {
            if self.acker == Some(receiver) {
                self.leaves(receiver, cause, out);
            }
            return;
        }
        match self.known() {
            None => self.appoint(now, receiver, cause, out),
            Some(acker) if acker.receiver == receiver => self.is_there(&header),
            Some(acker) => {
                if replaces(self.slowness(&known), self.slowness(acker), self.config.bias) {
                    self.appoint(now, receiver, cause, out);
                }
            }
        }
        match header {
            Header::Ack(ack) => self.acknowledge(now, receiver, ack, cause, out),
            Header::Nak(Nak { missing: Some(missing), .. }) => self.confirm(now, missing, out),
            _ => {}
        }
    }

    /// Whether the throughput of a receiver is too low to be heeded.
    fn excludes(&mut self, known: &Known, cause: Cause, out: &mut Outbox) -> bool {
        let bytes = self.config.packet_size.0 as f64;
        let rate_bps = throughput_bps(bytes, srtt_s(known), known.loss_rate);
        let verdict = self.exclusion.hear(known.receiver, rate_bps);
        if verdict == Verdict::Excluded {
            let event = Event::change(RECEIVER_EXCLUDED, self.exclusion.least_bps(), rate_bps, cause);
            out.event(event.about(Some(known.receiver)));
        }
        verdict != Verdict::Heeded
    }

    /// The acker has sent something. Unless its word is not looked at, what ends the count of time-outs is an ACK: who
    /// has got packets and tells it in NAKs alone would bring the session to a packet per time-out.
    fn is_there(&mut self, header: &Header) {
        if self.config.bar == Duration::ZERO || matches!(header, Header::Ack(_)) {
            self.expiries = 0;
        }
    }

    /// The acker's word cannot be true: it is none for a time, and nobody will acknowledge what is outstanding.
    fn bar(&mut self, now: Instant, receiver: Address, cause: Cause, out: &mut Outbox) {
        self.barred.bar(now, receiver, self.config.bar);
        out.event(Event::new(RECEIVER_EXCLUDED, cause).about(Some(receiver)));
        self.leaves(receiver, cause, out);
    }

    /// The receiver that acknowledged leaves: nobody will acknowledge what is outstanding.
    fn leaves(&mut self, receiver: Address, cause: Cause, out: &mut Outbox) {
        self.receivers.forget(receiver);
        if self.acker == Some(receiver) {
            self.gone = Some((receiver, self.control.next()));
            let before = self.control.window();
            self.call_election(cause, out);
            self.control.restart();
            self.timer = Instant::FAR_FUTURE;
            self.expiries = 0;
            self.tell_window(before, cause, out);
        }
    }

    fn acknowledge(&mut self, now: Instant, receiver: Address, ack: Ack, cause: Cause, out: &mut Outbox) {
        // Recent ackers close packets; a receiver that has never been one has nothing to acknowledge.
        if self.receivers.acker(receiver).is_none() {
            return;
        }
        if self.acker == Some(receiver) && self.control.number(ack.highest) >= self.unproven {
            self.unproven = None;
            self.barred.has_acknowledged(receiver);
        }
        if self.acker == Some(receiver)
            && self.config.bar > Duration::ZERO
            && let Some(highest) = self.control.number(ack.highest)
            && !self.account.agrees(highest, ack.bitmap, f64::from(ack.loss_rate))
        {
            return self.bar(now, receiver, cause, out);
        }
        let before = self.control.window();
        let Some(heard) = self.control.hear(receiver, ack.highest, ack.bitmap) else { return };
        if let Some(number) = heard.halved {
            self.counts.loss_reductions += 1;
            let after = self.control.window();
            let cause = Cause::Loss { sequence: number };
            let event = Event::change(LOSS_REDUCTION, before, after, cause);
            out.event(event.about(Some(receiver)).with([before, after]));
        } else {
            self.tell_window(before, cause, out);
        }
        if heard.acknowledged + heard.lost > 0 {
            self.set_timer(now);
        }
    }

    /// Tells all that the source knows of this loss, once.
    fn confirm(&mut self, now: Instant, missing: u32, out: &mut Outbox) {
        if !self.config.ncf || self.control.number(missing).is_none() || self.confirmed.contains(&Some(missing)) {
            return;
        }
        self.confirmed[self.confirmations] = Some(missing);
        self.confirmations = (self.confirmations + 1) % REMEMBERED;
        let size = wire::size(self.config.feedback_size, &NCF);
        self.send(now, size, Ecn::NotCapable, Header::Ncf { missing }, out);
    }

    fn expire(&mut self, now: Instant, out: &mut Outbox) {
        let (rto, before) = (self.rto(), self.control.window());
        self.control.restart();
        self.timer = Instant::FAR_FUTURE;
        self.counts.timeouts += 1;
        self.expiries = self.expiries.saturating_add(1);
        let event = Event::change(TIMEOUT, rto.as_secs_f64(), f64::NAN, Cause::Time);
        out.event(event.with([before, self.control.window()]));
        if self.expiries >= self.config.timeouts_to_election {
            let acker = self.acker;
            match acker {
                Some(acker) if self.is_silent_again(now, acker) => self.bar(now, acker, Cause::Time, out),
                Some(_) => self.call_election(Cause::Time, out),
                None => self.barred.lift(),
            }
        }
        debug_assert!(now >= self.now);
    }

    /// Whether the acker, which two time-outs end, has acknowledged nothing in several terms.
    fn is_silent_again(&mut self, now: Instant, acker: Address) -> bool {
        self.config.bar > Duration::ZERO && self.unproven.is_some() && self.barred.is_silent_again(now, acker)
    }

    /// Whether there is a packet that the window lets go.
    fn may_send(&self) -> bool {
        self.running && self.control.has_token() && !self.supply.is_empty()
    }

    /// Sends what the window lets go, at the greatest rate at most. What the driver is late by is made up for, a packet
    /// for each time-out, so that a driver can spread it.
    fn send_allowed(&mut self, now: Instant, mut is_timeout: bool, out: &mut Outbox) {
        while self.may_send() && (self.pacer.due() == now || (self.pacer.due() < now && is_timeout)) {
            is_timeout = false;
            self.supply.take();
            self.sent_at = now;
            let number = self.control.send(self.acker);
            self.send_times.note(number, now);
            let sequence = number as u32;
            let size = self.config.packet_size.0 as u16;
            let ecn = if self.config.ecn { Ecn::Capable } else { Ecn::NotCapable };
            let srtt = self.known().and_then(|known| known.timer.srtt());
            self.meter.sent(now, size, srtt.unwrap_or(Duration::ZERO));
            self.send(now, size, ecn, Header::Data(Data { sequence, acker: self.acker }), out);
            if let Some(rate) = self.config.max_rate {
                self.pacer.sent_at_constant_rate(now, rate.time_for(u32::from(size)));
            }
            if self.timer == Instant::FAR_FUTURE {
                self.set_timer(now);
            }
        }
    }

    fn send(&mut self, now: Instant, size: u16, ecn: Ecn, header: Header, out: &mut Outbox) {
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(size);
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.group,
            size,
            ttl: INITIAL_TTL,
            ecn,
            header: header.into(),
        });
    }

    fn tell_window(&self, before: f64, cause: Cause, out: &mut Outbox) {
        let after = self.control.window();
        if before as u64 != after as u64 {
            out.event(Event::change(WINDOW, before, after, cause));
        }
    }

    #[cfg(test)]
    pub(super) fn begin_at(&mut self, number: u64) {
        self.control.begin_at(number);
    }

    #[cfg(test)]
    pub(super) fn receivers_known(&self) -> (usize, usize) {
        self.receivers.counts()
    }
}

fn srtt_s(known: &Known) -> f64 {
    known.timer.srtt().map_or(f64::NAN, Duration::as_secs_f64)
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let (has_waited, is_timeout) = (self.may_send(), matches!(input, Input::Timeout));
        match input {
            Input::Start => self.start(now, out),
            Input::Stop => self.stop(),
            Input::Granted(packets) => self.grant(now, packets, out),
            Input::NotSent(packet) => self.take_back(now, packet),
            _ if !self.running => return,
            Input::Packet { packet, arrived, .. } => self.hear(now, arrived, packet, out),
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {}
        }
        if self.running {
            if self.timer <= now {
                self.expire(now, out);
            }
            if !has_waited {
                // What was not there, or not allowed by the window, is not late.
                self.pacer.let_go(now);
            }
            self.send_allowed(now, is_timeout, out);
        }
        self.now = now;
    }

    fn deadline(&self) -> Option<Instant> {
        let send_at = if self.may_send() { self.pacer.due() } else { Instant::FAR_FUTURE };
        Some(self.timer.min(send_at)).filter(|&at| at != Instant::FAR_FUTURE).map(|at| at.max(self.now))
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.counts.sent_pkts,
            sent_bytes: self.counts.sent_bytes,
            received_pkts: self.counts.received_pkts,
            received_bytes: self.counts.received_bytes,
            rate_bps: self.meter.rate_bps(),
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let Counts { timeouts, loss_reductions, elections, acker_changes, .. } = self.counts;
        let [a, b, c, d] = [timeouts, loss_reductions, elections, acker_changes].map(|count| count as f64);
        let srtt_s = self.known().map_or(f64::NAN, srtt_s);
        values.copy_from_slice(&[a, b, c, d, self.control.window(), self.control.outstanding() as f64, srtt_s]);
    }
}
