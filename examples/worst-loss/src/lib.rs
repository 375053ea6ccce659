//! Worst loss: each second every member reports what part of the packets it has missed, and the source cuts its rate if
//! anyone missed too many, else adds a little. The simplest scheme that answers congestion; it has no suppression of
//! reports and knows nothing of round-trip times, so it is neither for many members nor fair to TCP.

#[cfg(feature = "python")]
mod python;

use faircast_proto::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, Outbox, Report};
use faircast_proto::guest::{Fields, GuestHeader};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::parts::pacer::{MOST_LATE, Pacer};
use faircast_proto::quantity::Bytes;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::time::{Duration, Instant, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the scheme known: scenarios may name it from now on.
pub fn register() {
    let guests = faircast_scenario::guests!();
    guests.scheme::<Config>("worst-loss", "The rate follows the member that loses most.");
}

/// From report to report, and from change to change of the rate.
const PERIOD: Duration = Duration::from_secs(1);
const REPORT_BYTES: u16 = GuestHeader::wire_bytes::<Loss>();

/// Whose headers these are.
const OWNER: [u8; 4] = *b"wlos";
/// A data packet: its number, and the source's rate in bit/s.
type Data = (u64, f32);
/// A report: its number among the member's, and the part of the packets that was missed.
type Loss = (u32, f32);

/// The source has another rate.
pub const RATE: &EventKind = &EventKind::new("rate", "bit/s", "The source has another rate.");
/// All that may happen.
const EVENTS: &[&EventKind] = &[RATE];
/// What a source shows.
const SOURCE_GAUGES: &[Gauge] = &[Gauge::count("cuts", "1", "Cuts of the rate.")];
/// What a member shows.
const MEMBER_GAUGES: &[Gauge] = &[
    Gauge::level("missed", "1", "Part of the packets missed, by the last report."),
    Gauge::level("announced", "bit/s", "The source's rate, by the last packet."),
];

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Rate at the start, and the least. Default "50 kbit/s".
    pub least: Rate,
    /// What is added each second without loss. Default "50 kbit/s".
    pub step: Rate,
    /// The part of the packets that a member may miss in a second before the rate is cut to 70 %. Default 0.02.
    pub tolerance: f64,
    /// Size of a data packet on the wire, headers included. Default "1000 B".
    pub packet_size: Bytes,
}

impl Default for Config {
    fn default() -> Config {
        Config { least: Rate(50_000), step: Rate(50_000), tolerance: 0.02, packet_size: Bytes(1000) }
    }
}

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let mut require = |legal: bool, field: &str, message: String| {
            if !legal {
                wrong.push((field.to_owned(), message));
            }
        };
        require(self.least.0 > 0, "least", "0 bit/s given; it must be positive".to_owned());
        let message = format!("{} given; legal is from 0 up to, not including, 1", self.tolerance);
        require((0.0..1.0).contains(&self.tolerance), "tolerance", message);
        // A header, and a byte of data.
        let least = u64::from(GuestHeader::wire_bytes::<Data>()) + 1;
        let message = format!("{} B given; legal is {least} B to 65535 B", self.packet_size.0);
        require((least..=65_535).contains(&self.packet_size.0), "packet_size", message);
        wrong
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn events(&self) -> &'static [&'static EventKind] {
        EVENTS
    }

    fn max_rate(&self) -> Option<Rate> {
        None
    }

    fn sender(&self, seat: Seat) -> Sender {
        Sender {
            config: self.clone(),
            template: template(&seat, seat.group, self.packet_size.0 as u16),
            rate_bps: self.least.as_bps_f64(),
            worst: None,
            cuts: 0,
            pacer: Pacer::OFF,
            now: Instant::ZERO,
            change_at: Instant::ZERO,
            sent: 0,
            reports: 0,
        }
    }

    fn receiver(&self, seat: Seat) -> Receiver {
        // To whom reports go is learnt from the first data packet.
        let template = template(&seat, seat.own, REPORT_BYTES);
        let counts = Report::default();
        let (first, report_at, missed, announced_bps) = (None, None, f64::NAN, f64::NAN);
        Receiver { group: seat.group, template, first, expected: 0, got: 0, report_at, missed, announced_bps, counts }
    }
}

/// The endpoint that sends.
pub struct Sender {
    config: Config,
    template: Packet,
    rate_bps: f64,
    /// The largest loss that was reported since the rate was changed, and by which report of whom.
    worst: Option<(f64, Cause)>,
    cuts: u64,
    /// When the next packet goes; none does before the start and after the stop.
    pacer: Pacer,
    /// The last input: no deadline is before it.
    now: Instant,
    change_at: Instant,
    sent: u64,
    reports: u64,
}

/// The endpoint that receives.
pub struct Receiver {
    group: Address,
    template: Packet,
    /// Number of the first packet since the last report.
    first: Option<u64>,
    /// Number of the packet that is expected next.
    expected: u64,
    got: u64,
    report_at: Option<Instant>,
    missed: f64,
    announced_bps: f64,
    counts: Report,
}

impl Sender {
    fn change_rate(&mut self, now: Instant, out: &mut Outbox) {
        let before_bps = self.rate_bps;
        let (least, step) = (self.config.least.as_bps_f64(), self.config.step.as_bps_f64());
        let cut = self.worst.take().filter(|&(missed, _)| missed > self.config.tolerance);
        self.rate_bps = if cut.is_some() { (0.7 * before_bps).max(least) } else { before_bps + step };
        self.cuts += u64::from(cut.is_some());
        self.change_at = now + PERIOD;
        let cause = cut.map_or(Cause::Time, |(_, report)| report);
        out.event(Event::change(RATE, before_bps, self.rate_bps, cause));
    }

    fn send(&mut self, now: Instant, out: &mut Outbox) {
        let data: Data = (self.sent, self.rate_bps as f32);
        let header = GuestHeader::data(OWNER, data).into();
        out.send(Packet { sent: now, header, ..self.template });
        self.sent += 1;
        // A driver that is a little late does not lower the rate.
        self.pacer.sent(now, 8.0 * f64::from(self.template.size) / self.rate_bps, MOST_LATE);
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.now = now;
        match input {
            Input::Start => {
                self.change_at = now + PERIOD;
                self.pacer.begin(now);
                self.send(now, out);
            }
            Input::Stop => self.pacer = Pacer::OFF,
            Input::Packet { packet, .. } => {
                let Some((number, missed)) = read::<Loss>(packet) else { return };
                let cause = Cause::Report { receiver: packet.source, number: u64::from(number) };
                if self.worst.is_none_or(|(worst, _)| f64::from(missed) > worst) {
                    self.worst = Some((f64::from(missed), cause));
                }
                self.reports += 1;
            }
            // It has data without end, and what cannot be sent is as good as lost.
            Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) | Input::NotSent(_) => {}
            Input::Timeout => {
                if self.pacer.due() == Instant::FAR_FUTURE {
                    return;
                }
                if self.change_at <= now {
                    self.change_rate(now, out);
                }
                if self.pacer.due() <= now {
                    self.send(now, out);
                }
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let due = self.pacer.due();
        (due != Instant::FAR_FUTURE).then(|| due.min(self.change_at).max(self.now))
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.sent,
            sent_bytes: self.sent * u64::from(self.template.size),
            received_pkts: self.reports,
            received_bytes: self.reports * u64::from(REPORT_BYTES),
            rate_bps: self.rate_bps,
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SOURCE_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        values.copy_from_slice(&[self.cuts as f64]);
    }
}

impl Receiver {
    fn data(&mut self, now: Instant, packet: &Packet) {
        let Some((sequence, rate_bps)) = read::<Data>(packet) else { return };
        self.announced_bps = f64::from(rate_bps);
        self.template.destination = packet.source;
        self.report_at = Some(self.report_at.unwrap_or(now + PERIOD));
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        if sequence < self.expected {
            return;
        }
        // Who joins late has missed nothing before its first packet.
        self.first = Some(self.first.unwrap_or(sequence));
        self.expected = sequence + 1;
        self.got += 1;
        self.counts.distinct_bytes += u64::from(packet.size);
    }

    fn report_loss(&mut self, now: Instant, out: &mut Outbox) {
        let sent = self.first.map_or(0, |first| self.expected - first);
        self.missed = if sent == 0 { 0.0 } else { (sent - self.got) as f64 / sent as f64 };
        let loss: Loss = (self.counts.sent_pkts as u32, self.missed as f32);
        out.send(Packet { sent: now, header: GuestHeader::message(OWNER, loss).into(), ..self.template });
        (self.first, self.got) = (Some(self.expected), 0);
        self.report_at = Some(now + PERIOD);
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(REPORT_BYTES);
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => out.join(self.group),
            // Without its group it has nothing to report either.
            Input::Stop | Input::Unjoined(_) => {
                self.report_at = None;
                out.leave(self.group);
            }
            Input::Packet { packet, .. } => self.data(now, packet),
            Input::Timeout if self.report_at.is_some_and(|at| at <= now) => self.report_loss(now, out),
            Input::NotSent(packet) => self.counts.not_sent(packet),
            Input::Timeout | Input::LinkLoss(_) | Input::Granted(_) => {}
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.report_at
    }

    fn report(&self) -> Report {
        self.counts
    }

    fn gauges(&self) -> &'static [Gauge] {
        MEMBER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        values.copy_from_slice(&[self.missed, self.announced_bps]);
    }
}

/// What one of ours says.
fn read<F: Fields>(packet: &Packet) -> Option<F> {
    let Header::Guest(header) = packet.header else { return None };
    header.read(OWNER)
}

/// A packet from the endpoint at `seat`.
fn template(seat: &Seat, destination: Address, size: u16) -> Packet {
    let Seat { flow, own, .. } = *seat;
    blank(flow, own, destination, size)
}

fn blank(flow: FlowId, source: Address, destination: Address, size: u16) -> Packet {
    let header = GuestHeader::data::<Data>(OWNER, (0, 0.0)).into();
    Packet { sent: Instant::ZERO, flow, source, destination, size, ttl: INITIAL_TTL, ecn: Ecn::NotCapable, header }
}
