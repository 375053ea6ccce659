//! The sender: messages out, what receivers say in (sections 5.1, 5.4 and 5.5).
//!
//! | file | subject |
//! |---|---|
//! | `mod.rs` | what goes out when, what comes in |
//! | `transmission.rs` | which symbols are new, asked for, repaired |
//! | `members.rs` | receivers, their round-trip times and rates, what they have |
//! | `probing.rs` | when to probe, and what an answer shows |
//! | `commands.rs` | what is said beside data |
//! | `settings.rs`, `offered.rs`, `counters.rs` | what it is told, what it sends, what it counts |

mod commands;
mod counters;
mod members;
mod offered;
mod probing;
mod settings;
mod transmission;

pub use counters::Counters;
pub use members::{MOST as MOST_RECEIVERS, Member, Members};
pub use offered::{Objects, Offered};
pub use settings::Settings;

use crate::fixed::{BELOW_BYTES, NOBODY, ROBUST_FACTOR};
use crate::geometry::Geometry;
use crate::intervals::Intervals;
use crate::needs::Needs;
use commands::{Advert, Flushing, Squelch};
use faircast_codec::fec::PayloadId;
use faircast_codec::norm::object_flag::{EXPLICIT, FILE, INFORMATION, REPAIR};
use faircast_codec::norm::tfmcc::time;
use faircast_codec::norm::{
    Answer, Body, Code, Command, Extensions, Feedback, GroupSize, Message, ObjectInformation, Position, Rate as Code16,
    Requests, RoundTrip, Status, acknowledgement, decode, encode, flag, write_list,
};
use faircast_proto::parts::pacer::Pacer;
use faircast_proto::tfmcc::{self, RateControl};
use faircast_proto::time::{Duration, Instant};
use probing::{Probing, sample};
use std::collections::VecDeque;
use transmission::{Piece, Transmission};

/// A sender of NORM.
#[derive(Debug)]
pub struct Sender {
    settings: Settings,
    control: RateControl,
    pacer: Pacer,
    probing: Probing,
    members: Members,
    transmission: Transmission,
    offered: Vec<Offered>,
    phase: Phase,
    sequence: u16,
    /// What the last messages had in them, for those that could not be sent.
    recent: VecDeque<Option<Piece>>,
    flushing: Flushing,
    /// What to tell those that do not hear each other, and when that may be again.
    advert: Advert,
    /// Until when reports tell of a time with little to send.
    short_until: Instant,
    /// Round-trip times over which receivers measure what they receive.
    window_rtts: f64,
    squelch: Squelch,
    /// K: that of the settings, or more if receivers speak to this host alone.
    backoff: u8,
    /// When somebody who lacks something was heard last, or it began.
    active: Instant,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nobody has answered: it probes, and sends nothing else.
    Waiting,
    /// Somebody has.
    Sending,
    /// It says that there will be no more, so often.
    Closing { left: u32, at: Instant },
}

/// Bytes of the header of NORM_DATA with scheme 5 and EXT_FTI (section 4.2.1).
const DATA_BYTES: usize = 32;
/// The most symbols of a block: that of libnorm's `normCast`. Without parity it decides only how requests are written.
const BLOCK_LEN: u8 = 64;
/// RFC 5510 (section 5.2.4.1) would have the most encoding symbols of a block here. libnorm takes it for how many there
/// are of parity, and would ask for them.
const NO_PARITY: u8 = 0;
/// Messages of which it is known what they had in them: more than a driver sends at once.
const MOST_RECENT: usize = 128;
/// The most objects: half of the numbers there are, so that each is before or behind another.
const MOST_OBJECTS: usize = 1 << 15;
/// How often the end is said: a choice.
const FAREWELLS: u32 = 3;
/// K where receivers do not hear each other (section 6).
const UNICAST_BACKOFF: u8 = 6;
/// A receiver that is silent for so long, and for ten greatest round-trip times, is not waited for: a choice.
const GONE: Duration = Duration::from_secs(3);
/// What a round-trip time counts as at least, seconds, where the rate grows by it: the granularity of hosts' clocks.
const LEAST_GROWTH_RTT_S: f64 = 0.01;
const BITS: f64 = 8.0;

impl Sender {
    /// A sender of these objects.
    ///
    /// # Errors
    ///
    /// A sentence: there are too many, one has information that no message has room for or is longer than blocks can be
    /// numbered, the number is nobody's, packets or the rate are too small.
    pub fn new(settings: Settings, offered: Vec<Offered>) -> Result<Sender, String> {
        let segment_bytes = usize::from(settings.packet_bytes).saturating_sub(BELOW_BYTES + DATA_BYTES);
        if segment_bytes < 64 {
            return Err(format!("packets of {} bytes given; legal is at least 124", settings.packet_bytes));
        }
        if NOBODY.contains(&settings.node) {
            return Err(format!("node {} given, which is nobody's", settings.node));
        }
        if offered.len() > MOST_OBJECTS {
            return Err(format!("{} files given; NORM has numbers for {MOST_OBJECTS}", offered.len()));
        }
        if let Some(long) = offered.iter().find(|object| object.information.len() > segment_bytes) {
            let name = String::from_utf8_lossy(&long.information);
            return Err(format!("the name {name:?} is longer than a packet takes, {segment_bytes} bytes"));
        }
        let segments = segment_bytes as u16;
        let code = Code::ReedSolomon8 { segment_bytes: segments, block_len: BLOCK_LEN, encoding_symbols: NO_PARITY };
        let cut = offered.iter().map(|object| {
            let geometry = Geometry::new(ObjectInformation { object_bytes: object.bytes, code });
            let name = || String::from_utf8_lossy(&object.information).into_owned();
            geometry.ok_or_else(|| format!("{:?} is longer than NORM numbers it, {} bytes", name(), object.bytes))
        });
        let cut: Vec<Geometry> = cut.collect::<Result<_, String>>()?;
        let config = settings.tfmcc();
        if let Some((key, message)) = config.check().into_iter().next() {
            return Err(format!("{key}: {message}"));
        }
        Ok(Sender {
            control: RateControl::new(&config).with_least_limiting(),
            pacer: Pacer::OFF,
            probing: Probing::default(),
            members: Members::default(),
            transmission: Transmission::new(cut.into_iter()),
            offered,
            phase: Phase::Waiting,
            sequence: 0,
            recent: VecDeque::with_capacity(MOST_RECENT),
            flushing: Flushing { at: Instant::ZERO, count: 0 },
            advert: Advert { needs_at: Instant::ZERO, has_needs: false, feedback_at: Instant::ZERO, feedback: None },
            short_until: Instant::ZERO,
            window_rtts: config.receive_rate_rtts,
            squelch: Squelch { at: Instant::ZERO, invalid: Intervals::default() },
            backoff: settings.backoff,
            active: Instant::ZERO,
            counters: Counters::default(),
            settings,
        })
    }

    /// It begins, with a probe.
    pub fn start(&mut self, now: Instant) {
        self.active = now;
        self.probing.start(now);
    }

    /// The next message to the group, appended to `out`, if one is due; whether one is. To be called until none is.
    ///
    /// # Errors
    ///
    /// Those of `objects`.
    pub fn next<O: Objects>(&mut self, now: Instant, objects: &mut O, out: &mut Vec<u8>) -> Result<bool, O::Error> {
        self.pass(now);
        if self.probing.at(self.is_pending()) <= now {
            self.probe(now, out);
            return Ok(true);
        }
        if let Phase::Closing { left, at } = self.phase {
            if left > 0 && at <= now {
                self.phase = Phase::Closing { left: left - 1, at: now + self.grtts(1.0) };
                self.command(Command::EndOfTransmission, &Extensions::default(), &[], out);
                return Ok(true);
            }
            return Ok(false);
        }
        if self.phase != Phase::Sending || self.pacer.due() > now {
            return Ok(false);
        }
        if self.squelch_at() <= now {
            self.squelch(now, out);
        } else if self.advert_at() <= now {
            self.advertise(now, out);
        } else if self.transmission.is_pending() {
            self.piece(now, objects, out)?;
        } else if self.flush_at() <= now {
            self.flush(now, out);
        } else {
            // A turn that passes unused is not made up for.
            self.pacer.let_go(now);
            return Ok(false);
        }
        // Section 3.7 of RFC 4654: what the driver is late by more than R_max is let go.
        let most_late = Duration::from_secs_f64(self.control.max_rtt_s());
        self.pacer.sent(now, self.control.gap_s(), most_late);
        Ok(true)
    }

    /// The last `count` messages could not be sent: their numbers are used again, and what they had in them goes next.
    pub fn not_sent(&mut self, count: usize) {
        for _ in 0..count {
            let Some(piece) = self.recent.pop_back() else { return };
            self.sequence = self.sequence.wrapping_sub(1);
            self.counters.sent -= 1;
            if let Some(piece) = piece {
                self.transmission.put_back(piece);
            }
        }
    }

    /// When it wants to be asked for the [next](Self::next) message.
    pub fn deadline(&self) -> Instant {
        let probe = self.probing.at(self.is_pending());
        let rest = match self.phase {
            Phase::Waiting => Instant::FAR_FUTURE,
            Phase::Closing { left, at } => {
                if left > 0 {
                    at
                } else {
                    Instant::FAR_FUTURE
                }
            }
            Phase::Sending => {
                let paced = if self.transmission.is_pending() { Instant::ZERO } else { self.flush_at() };
                let paced = paced.min(self.advert_at()).min(self.squelch_at()).max(self.pacer.due());
                paced.min(self.control.deadline()).min(self.transmission.deadline())
            }
        };
        probe.min(rest)
    }

    /// A datagram has come, to this host alone or to the group: what is no message of a receiver for this sender is
    /// counted and has no other effect.
    pub fn hear(&mut self, now: Instant, arrived: Instant, is_unicast: bool, bytes: &[u8]) {
        let message = decode(bytes).ok().and_then(|message| Some((message, self.answer(&message)?)));
        let Some((message, answer)) = message else {
            // One's own come back, and are none of these.
            self.counters.refused += u64::from(!self.is_own(bytes));
            return;
        };
        self.pass(now);
        let Some(member) = self.members.heard(now, message.source) else { return };
        let mut lacks = false;
        // NORM_ACK(FLUSH) may be unicast where the rest is not (section 5.5.3).
        if is_unicast && !matches!(message.body, Body::Acknowledgement { kind: acknowledgement::FLUSH, .. }) {
            self.backoff = self.backoff.max(UNICAST_BACKOFF);
        }
        match message.body {
            Body::Nack { .. } => {
                member.complete = false;
                lacks = true;
            }
            Body::Acknowledgement { kind: acknowledgement::FLUSH, .. } => {
                let end = self.transmission.end();
                member.complete |= Position::read(message.payload).is_some_and(|(at, _)| Some(at) == end);
            }
            _ => {}
        }
        if lacks || !member.complete {
            self.active = now;
        }
        if let Some(feedback) = message.extensions.feedback {
            self.report(now, (message.source, is_unicast), &feedback, sample(arrived, answer.response));
        }
        if let (Body::Nack { .. }, Some(requests)) = (message.body, Requests::read(message.payload)) {
            self.counters.nacks += 1;
            let transmission = &self.transmission;
            let needs = Needs::read(requests, u64::from, |object| transmission.geometry(object));
            let collect = self.grtts(f64::from(self.backoff) + 1.0);
            self.transmission.asked(now, &needs, collect);
            self.squelch.add(&needs, self.transmission.objects());
            self.advert.has_needs |= is_unicast;
            self.flushing.count = 0;
        }
    }

    /// There will be no more, which is said a few times.
    pub fn close(&mut self, now: Instant) {
        self.phase = Phase::Closing { left: FAREWELLS, at: now };
        self.probing.stop();
    }

    /// Whether that is being said, or has been.
    pub fn is_closing(&self) -> bool {
        matches!(self.phase, Phase::Closing { .. })
    }

    /// How many symbols all objects have.
    pub fn symbols(&self) -> u64 {
        self.transmission.symbols()
    }

    /// Whether that has been said.
    pub fn is_closed(&self) -> bool {
        matches!(self.phase, Phase::Closing { left: 0, .. })
    }

    /// Whether so many receivers have everything, and nobody who was heard of late lacks something.
    pub fn is_finished(&self, now: Instant, expected: usize) -> bool {
        self.transmission.is_sent()
            && !self.transmission.is_pending()
            && self.transmission.collected().is_none()
            && self.members.complete() >= expected
            && self.members.incomplete(self.gone(now)).next().is_none()
    }

    /// When somebody who lacks something was heard last; before that when it began.
    pub fn active(&self) -> Instant {
        self.active
    }

    /// Who was heard last before this moment is not waited for.
    fn gone(&self, now: Instant) -> Instant {
        Instant(now.0.saturating_sub(GONE.max(self.grtts(10.0)).0))
    }

    /// The receivers.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The one that limits, with its number.
    pub fn limiting(&self) -> Option<(u32, &Member)> {
        self.members.node(self.control.clr()?)
    }

    /// X, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.control.rate_bps()
    }

    /// What has been counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn is_pending(&self) -> bool {
        self.phase == Phase::Sending && self.transmission.is_pending()
    }

    /// The advertised greatest round-trip time, which is not below the gap between packets (section 5.5.1).
    fn grtt(&self) -> RoundTrip {
        let gap_s = if self.control.rate_bps() > 0.0 { self.control.gap_s() } else { 0.0 };
        RoundTrip::of_s(self.control.max_rtt_s().max(gap_s))
    }

    fn grtts(&self, count: f64) -> Duration {
        Duration::from_secs_f64(count * self.grtt().s())
    }

    fn pass(&mut self, now: Instant) {
        if self.phase == Phase::Sending {
            self.control.advance(now);
            if self.control.deadline() <= now {
                self.control.pass(now);
            }
            self.pacer.follow(now, self.control.gap_s());
        }
        self.transmission.pass(now, self.grtts(1.0));
        let is_idle = !self.is_pending();
        self.control.set_idle(is_idle);
        if is_idle {
            // What is received is measured over so many round-trip times, and told of one later.
            let rtts = self.window_rtts + 1.0;
            self.short_until = now + Duration::from_secs_f64(rtts * self.control.max_rtt_s());
        }
    }

    /// What the message says that it answers, if it is a receiver's and for this start of this sender.
    fn answer(&self, message: &Message<'_>) -> Option<Answer> {
        let (Body::Nack { answer } | Body::Acknowledgement { answer, .. }) = message.body else { return None };
        let is_for_us = (answer.server, answer.instance) == (self.settings.node, self.settings.instance);
        let is_somebody = !NOBODY.contains(&message.source) && message.source != self.settings.node;
        (is_for_us && is_somebody).then_some(answer)
    }

    fn is_own(&self, bytes: &[u8]) -> bool {
        bytes.get(4..8) == Some(&self.settings.node.to_be_bytes())
    }

    fn report(&mut self, now: Instant, (node, is_unicast): (u32, bool), feedback: &Feedback, sample_s: Option<f64>) {
        let Some(sample_s) = sample_s else { return };
        let packet_bytes = f64::from(self.settings.packet_bytes);
        let clr = self.control.clr();
        let Some(member) = self.members.heard(now, node) else { return };
        let limits = clr == Some(member.address);
        // Without data little is received, which says nothing of what could be.
        let is_short = now < self.short_until;
        let reported = Members::report(member, feedback, sample_s, (limits, is_short), packet_bytes);
        if is_unicast && !limits && feedback.flags & flag::LEAVE == 0 {
            let lowest = self.advert.feedback.is_none_or(|last| feedback.rate.bytes_per_s() < last.rate.bytes_per_s());
            self.advert.feedback = if lowest { Some(*feedback) } else { self.advert.feedback };
        }
        if self.phase == Phase::Waiting {
            self.begin(now, sample_s);
        }
        if self.probing.is_before_data(feedback.cc_sequence) {
            // It tells of probes alone: of how far it is, not of what the network takes.
            return self.control.restart_max_rtt(self.control.max_rtt_s().max(sample_s));
        }
        self.probing.data_is_reported();
        let have_loss = feedback.flags & flag::START == 0;
        let least_bps = if is_short && !have_loss { self.control.rate_bps() } else { 0.0 };
        let rate_bps = reported.rate_bps.max(least_bps);
        self.control.hear(
            now,
            &tfmcc::Feedback {
                receiver: reported.address,
                rate_bps,
                rtt_s: sample_s,
                used_rtt_s: reported.rtt_s,
                // Since X has been computed anew, with the round-trip time that the sender has measured.
                have_rtt: true,
                have_loss,
                delayed: false,
                leave: feedback.flags & flag::LEAVE != 0,
                round: self.control.round(),
            },
        );
        self.grow();
        self.pacer.follow(now, self.control.gap_s());
        self.probing.follow(now, self.control.clr_rtt_s());
    }

    /// The rate may grow by a packet per round-trip time of the receiver that limits, each of these (section 5.5.2.3),
    /// where RFC 4654 has R_max: one receiver that was late once does not slow all others for minutes.
    fn grow(&mut self) {
        if let Some(rtt_s) = self.control.clr_rtt_s() {
            let times = self.control.growth_rtt_s() / rtt_s.max(LEAST_GROWTH_RTT_S);
            self.control.scale(1.0, (times * times).max(1.0));
        }
    }

    /// The first receiver has answered, after a round-trip time of so many seconds: data begins, with a packet in each.
    fn begin(&mut self, now: Instant, rtt_s: f64) {
        self.phase = Phase::Sending;
        self.control.begin(now);
        self.control.restart_max_rtt(rtt_s);
        self.control.jump(BITS * f64::from(self.settings.packet_bytes) / self.control.max_rtt_s());
        self.pacer.begin(now);
        self.probing.begin(now, self.control.max_rtt_s());
        self.flushing.at = now;
    }

    fn status(&self) -> Status {
        let group_size = GroupSize::of(self.settings.group_size);
        Status { instance: self.settings.instance, grtt: self.grtt(), backoff: self.backoff, group_size }
    }

    fn emit(&mut self, body: Body, extensions: &Extensions, payload: &[u8], piece: Option<Piece>, out: &mut Vec<u8>) {
        let (sequence, source) = (self.sequence, self.settings.node);
        encode(&Message { sequence, source, body, extensions: *extensions, payload }, out);
        self.sequence = self.sequence.wrapping_add(1);
        self.counters.sent += 1;
        if self.recent.len() == MOST_RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(piece);
    }

    fn command(&mut self, command: Command, extensions: &Extensions, payload: &[u8], out: &mut Vec<u8>) {
        let status = self.status();
        self.emit(Body::Command { status, command }, extensions, payload, None, out);
    }

    fn probe(&mut self, now: Instant, out: &mut Vec<u8>) {
        let clr_rtt_s = self.control.clr_rtt_s().filter(|_| self.flushing.count <= ROBUST_FACTOR);
        let cc_sequence = self.probing.sent(now, clr_rtt_s);
        let rate_bps = if self.phase == Phase::Waiting { 0.0 } else { self.control.rate_bps() };
        let mut lines = Vec::new();
        write_list(&self.members.lines(self.control.clr(), rate_bps), &mut lines);
        let send_rate = Some(Code16::of_bytes_per_s(rate_bps / BITS));
        let extensions = Extensions { send_rate, ..Extensions::default() };
        self.command(Command::CongestionControl { cc_sequence, sent: time(now) }, &extensions, &lines, out);
    }

    fn piece<O: Objects>(&mut self, now: Instant, objects: &mut O, out: &mut Vec<u8>) -> Result<(), O::Error> {
        let Some(piece) = self.transmission.take() else { return Ok(()) };
        let (object, is_repair) = match piece {
            Piece::Information { object, is_repair } | Piece::Symbol { object, is_repair, .. } => (object, is_repair),
        };
        let geometry = self.transmission.geometry(object as u64).expect("it is taken from there");
        let extensions = Extensions { object: Some(geometry.information()), ..Extensions::default() };
        let flags = INFORMATION | FILE | if is_repair { REPAIR } else { 0 };
        let (status, number) = (self.status(), object as u16);
        match piece {
            Piece::Information { .. } => {
                let fec_id = geometry.block_id(0).fec_id();
                let information = std::mem::take(&mut self.offered[object].information);
                let body = Body::Information { status, flags, fec_id, object: number };
                self.emit(body, &extensions, &information, Some(piece), out);
                self.offered[object].information = information;
            }
            Piece::Symbol { symbol, .. } => {
                let (at, length) = geometry.place(symbol);
                let mut payload = vec![0; length];
                if let Err(error) = objects.read(object, at, &mut payload) {
                    self.transmission.put_back(piece);
                    return Err(error);
                }
                let flags = flags | if is_repair { EXPLICIT } else { 0 };
                let position = Position { object: number, symbol: geometry.payload_id(symbol) };
                self.emit(Body::Data { status, flags, position }, &extensions, &payload, Some(piece), out);
            }
        }
        match piece {
            Piece::Symbol { is_repair: true, .. } => self.counters.repair += 1,
            Piece::Symbol { .. } => self.counters.source += 1,
            Piece::Information { .. } => {}
        }
        self.flushing = Flushing { at: now, count: 0 };
        self.probing.data();
        Ok(())
    }

    /// When the end is said next; never while there is something to send, or somebody's requests are collected.
    fn flush_at(&self) -> Instant {
        let is_done = self.phase == Phase::Sending
            && !self.transmission.is_pending()
            && self.transmission.collected().is_none()
            && self.transmission.objects() > 0;
        if is_done { self.flushing.at } else { Instant::FAR_FUTURE }
    }

    /// Says how far everything goes, and asks those that have not said so whether they have it (section 5.1). The gaps
    /// grow when that has been said [`ROBUST_FACTOR`] times.
    fn flush(&mut self, now: Instant, out: &mut Vec<u8>) {
        let Some(position) = self.transmission.end() else { return };
        let most = self.segment_bytes() / 4;
        let wanted: Vec<u32> = self.members.next_asked(now, self.gone(now), most);
        let mut list = Vec::new();
        write_list(&wanted, &mut list);
        self.command(Command::Flush(position), &Extensions::default(), &list, out);
        self.flushing.count += 1;
        let beyond = self.flushing.count.saturating_sub(ROBUST_FACTOR).min(4);
        self.flushing.at = now + self.grtts(2.0 * f64::from(1 << beyond));
    }

    fn squelch_at(&self) -> Instant {
        if self.squelch.invalid.is_empty() { Instant::FAR_FUTURE } else { self.squelch.at }
    }

    /// Says that its objects begin with the first, and which of those that were asked for are none (section 5.4.3).
    fn squelch(&mut self, now: Instant, out: &mut Vec<u8>) {
        let listed = self.squelch.take(self.segment_bytes() / 2);
        let mut list = Vec::new();
        write_list(&listed, &mut list);
        if let Some(geometry) = self.transmission.geometry(0) {
            let first = Position { object: 0, symbol: geometry.block_id(0) };
            self.command(Command::Squelch(first), &Extensions::default(), &list, out);
        }
        self.squelch.at = now + self.grtts(2.0);
    }

    /// What commands have room for behind their headers.
    fn segment_bytes(&self) -> usize {
        usize::from(self.settings.packet_bytes).saturating_sub(BELOW_BYTES + DATA_BYTES)
    }

    fn advert_at(&self) -> Instant {
        let Advert { needs_at, has_needs, feedback_at, feedback } = self.advert;
        let has_needs = has_needs && self.transmission.collected().is_some();
        let at = |is: bool, at: Instant| if is { at } else { Instant::FAR_FUTURE };
        at(has_needs, needs_at).min(at(feedback.is_some(), feedback_at))
    }

    /// Says for those that answer by unicast what has been asked for (section 5.4.4).
    fn advertise(&mut self, now: Instant, out: &mut Vec<u8>) {
        let room = self.segment_bytes();
        let mut content = Vec::new();
        let transmission = &self.transmission;
        let other = PayloadId::ReedSolomon8 { block: 0, symbol: 0 };
        let is_all = transmission
            .collected()
            .is_none_or(|needs| needs.write(|object| transmission.geometry(object), other, room, &mut content));
        let extensions = Extensions { feedback: self.advert.feedback.take(), ..Extensions::default() };
        self.command(Command::RepairAdvertisement { flags: u8::from(!is_all) }, &extensions, &content, out);
        let again = now + self.grtts(1.0);
        if !content.is_empty() {
            (self.advert.has_needs, self.advert.needs_at) = (false, again);
        }
        self.advert.feedback_at = again;
    }
}
