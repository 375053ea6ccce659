//! A member of a session of any scheme that lies: an honest one to which something else is shown than what comes, or
//! whose reports are kept back, repeated or rewritten on their way out.
//!
//! What is shown or kept back needs no knowledge of the scheme, so most lies are consistent as those of a real member
//! on another network would be; only packets that are made up and reports that are rewritten know headers.

use crate::control::Control;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::endpoint::{Action, Endpoint, Gauge, Input, Outbox, Report};
use crate::limits;
use crate::limits::from;
use crate::mlda::rtcp::{Message, Octets};
use crate::packet::{Address, Header, Packet};
use crate::random::Random;
use crate::registry::SchemeReceiver;
use crate::source::layered;
use crate::time::{Duration, Instant};
use crate::{mlda, omcc, pgmcc, smcc, tfmcc};
use std::collections::VecDeque;

/// How some of the receivers of a session lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Lie>)]
#[serde(default)]
pub struct Lie {
    /// What they do. Default "loss".
    pub what: Kind,
    /// How many receivers lie: the last ones. Default 1.
    pub liars: u32,
    /// How long after its join each begins to lie. Default "0 s".
    pub after: Duration,
    /// Of "loss": the part of data packets that it pretends not to have got. Default 0.3.
    pub part: f64,
    /// Of "late": by how much its reports are late. Default "2 s".
    pub delay: Duration,
    /// Of "flapping": how long it is there and away by turns; of "flood": the time from one report to the next.
    /// Default "5 s".
    pub period: Duration,
}

/// What a liar does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LieKind")]
pub enum Kind {
    /// It treats a part of what comes as lost.
    #[default]
    Loss,
    /// Its reports say that all is lost and that it can take nothing, and it acknowledges nothing. An announcement of
    /// an experiment names the lowest level.
    Nothing,
    /// Its reports say the same, but it acknowledges what has come.
    Contradiction,
    /// Its reports come late, so the time stamps that they return are old.
    Late,
    /// It leaves and joins again and again.
    Flapping,
    /// It treats what is lost as if it had come.
    Acknowledge,
    /// It reports nothing.
    Silence,
    /// It repeats its last report, however old; of an announcement the lowest level.
    Flood,
}

/// A member that lies.
pub struct Liar {
    member: SchemeReceiver,
    lie: Lie,
    random: Random,
    /// Of the member.
    out: Outbox,
    /// When it begins to lie, once it has started.
    from: Option<Instant>,
    /// When it flaps or repeats next.
    next: Option<Instant>,
    /// Whether the member is started now.
    there: bool,
    /// Reports that are kept back, and until when.
    kept: VecDeque<(Instant, Action)>,
    /// The last report.
    last: Option<(Packet, Option<Control>)>,
    /// The highest number in each group.
    highest: Vec<(Address, u32)>,
    counts: Report,
}

/// Gaps of more packets than this are not made up for.
const MOST_MADE_UP: u32 = 1000;

impl Default for Lie {
    fn default() -> Lie {
        Lie {
            what: Kind::Loss,
            liars: 1,
            after: Duration::ZERO,
            part: 0.3,
            delay: Duration::from_secs(2),
            period: Duration::from_secs(5),
        }
    }
}

limits! { Lie {
    liars: from(1),
    part: from(0.0).to(1.0),
    period: from(Duration::from_millis(1)),
} }

impl Liar {
    /// `member` lies from now on; `random` is for whatever it draws.
    pub fn new(member: SchemeReceiver, lie: Lie, random: Random) -> Liar {
        Liar {
            member,
            lie,
            random,
            out: Outbox::new(),
            from: None,
            next: None,
            there: false,
            kept: VecDeque::new(),
            last: None,
            highest: Vec::new(),
            counts: Report::default(),
        }
    }

    fn lies(&self, now: Instant, kind: Kind) -> bool {
        self.lie.what == kind && self.from.is_some_and(|from| from <= now)
    }

    /// Hands an input to the member, and on what it wants done.
    fn hand(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let mut wanted = std::mem::take(&mut self.out);
        self.member.handle(now, input, &mut wanted);
        for action in wanted.drain() {
            match action {
                Action::Send(packet) => self.say(now, packet, None, out),
                Action::SendControl(packet, control) => self.say(now, packet, Some(control), out),
                Action::Join(group) => out.join(group),
                Action::Leave(group) => out.leave(group),
                Action::Event(event) => out.event(event),
            }
        }
        self.out = wanted;
    }

    /// The member wants to report something.
    fn say(&mut self, now: Instant, packet: Packet, control: Option<Control>, out: &mut Outbox) {
        if self.lies(now, Kind::Silence) {
            return;
        }
        if self.lies(now, Kind::Late) {
            let action = match control {
                Some(control) => Action::SendControl(packet, control),
                None => Action::Send(packet),
            };
            return self.kept.push_back((now + self.lie.delay, action));
        }
        let (mut packet, mut control) = (packet, control);
        if self.lies(now, Kind::Nothing) {
            if matches!(packet.header, Header::Pgmcc(pgmcc::Header::Ack(ack)) if !ack.leave) {
                return;
            }
            (packet, control) = nothing_comes(packet, control);
        } else if self.lies(now, Kind::Contradiction) {
            (packet, control) = nothing_comes(packet, control);
        }
        if self.lie.what == Kind::Flood {
            self.last = Some((packet, control.clone()));
        }
        self.send(packet, control, out);
    }

    fn send(&mut self, packet: Packet, control: Option<Control>, out: &mut Outbox) {
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(packet.size);
        match control {
            Some(control) => out.send_control(packet, control),
            None => out.send(packet),
        }
    }

    /// A packet of data has come.
    fn data(&mut self, now: Instant, arrived: Instant, packet: &Packet, control: Option<&Control>, out: &mut Outbox) {
        if self.lies(now, Kind::Loss) && self.random.chance(self.lie.part) {
            return;
        }
        if self.lie.what == Kind::Acknowledge {
            for behind in (1..=self.missing_before(packet)).rev() {
                if !self.lies(now, Kind::Acknowledge) {
                    break;
                }
                let Some(header) = numbered(packet.header, behind) else { break };
                self.hand(now, Input::packet(&Packet { header, ..*packet }, None, arrived), out);
            }
        }
        self.hand(now, Input::packet(packet, control, arrived), out);
    }

    /// How many numbers of its group lie between the highest before and this packet's.
    fn missing_before(&mut self, packet: &Packet) -> u32 {
        let Some((number, bits)) = number(packet.header) else { return 0 };
        let Some((_, highest)) = self.highest.iter_mut().find(|(group, _)| *group == packet.destination) else {
            self.highest.push((packet.destination, number));
            return 0;
        };
        let ahead = number.wrapping_sub(*highest) << (32 - bits) >> (32 - bits);
        if ahead == 0 || ahead > 1 << (bits - 1) {
            return 0;
        }
        *highest = number;
        if ahead <= MOST_MADE_UP { ahead - 1 } else { 0 }
    }

    /// It is time to leave, to come back, or to repeat.
    fn turn(&mut self, now: Instant, out: &mut Outbox) {
        self.next = Some(now + self.lie.period);
        if self.lie.what == Kind::Flapping {
            if !self.there && self.member.deadline().is_some() {
                // Somebody that limits stays until it has announced that it goes.
                return;
            }
            self.there = !self.there;
            self.hand(now, if self.there { Input::Start } else { Input::Stop }, out);
        } else if let Some((packet, control)) = self.last.clone() {
            let header = match packet.header {
                Header::LayeredCbr(layered::Header::Level { sequence, .. }) => {
                    layered::Header::Level { level: 1, sequence }.into()
                }
                other => other,
            };
            self.send(Packet { sent: now, header, ..packet }, control, out);
        }
    }
}

impl Endpoint for Liar {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                let from = now + self.lie.after;
                self.from = Some(from);
                self.next = matches!(self.lie.what, Kind::Flapping | Kind::Flood).then_some(from + self.lie.period);
                self.there = true;
                self.hand(now, input, out);
            }
            Input::Stop => {
                self.next = None;
                if std::mem::take(&mut self.there) {
                    self.hand(now, input, out);
                }
            }
            Input::Packet { packet, control, arrived } => {
                self.counts.received_pkts += 1;
                self.counts.received_bytes += u64::from(packet.size);
                if packet.header.is_data() {
                    self.data(now, arrived, packet, control, out);
                } else {
                    self.hand(now, input, out);
                }
            }
            Input::NotSent(packet) => {
                self.counts.not_sent(packet);
                self.hand(now, input, out);
            }
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) => self.hand(now, input, out),
        }
        if self.next.is_some_and(|next| next <= now) {
            self.turn(now, out);
        }
        while let Some((_, action)) = self.kept.pop_front_if(|(until, _)| *until <= now) {
            match action {
                Action::SendControl(packet, control) => self.send(Packet { sent: now, ..packet }, Some(control), out),
                Action::Send(packet) => self.send(Packet { sent: now, ..packet }, None, out),
                _ => {}
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let kept = self.kept.front().map(|(until, _)| *until);
        self.member.deadline().into_iter().chain(self.next).chain(kept).min()
    }

    /// What the network has seen of it; its rates are those that it claims.
    fn report(&self) -> Report {
        let Report { distinct_bytes, rate_bps, .. } = self.member.report();
        Report { distinct_bytes: distinct_bytes.min(self.counts.received_bytes), rate_bps, ..self.counts }
    }

    fn sees_link_losses(&self) -> bool {
        self.member.sees_link_losses()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.member.gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        self.member.measure(values);
    }
}

/// The number of a packet of data and how many bits it has.
fn number(header: Header) -> Option<(u32, u32)> {
    let bits = if matches!(header, Header::Mlda(_)) { 16 } else { 32 };
    header.number().filter(|_| header.is_data()).map(|number| (number as u32, bits))
}

/// The header of the packet so many before this one.
fn numbered(header: Header, behind: u32) -> Option<Header> {
    let before = |sequence: u32| sequence.wrapping_sub(behind);
    let tfmcc = |data: tfmcc::DataHeader| tfmcc::DataHeader { sequence: before(data.sequence), echo: None, ..data };
    Some(match header {
        Header::Tfmcc(tfmcc::Header::Data(data)) => tfmcc::Header::Data(tfmcc(data)).into(),
        Header::Omcc(omcc::Header::Data(data)) => {
            omcc::Header::Data(omcc::DataHeader { tfmcc: tfmcc(data.tfmcc), ..data }).into()
        }
        Header::Smcc(smcc::Header::Data(packed)) => {
            let said = packed.unpack();
            smcc::Header::from(smcc::DataHeader { data: tfmcc(said.data), ..said }).into()
        }
        Header::Pgmcc(pgmcc::Header::Data(data)) => {
            pgmcc::Header::Data(pgmcc::Data { sequence: before(data.sequence), ..data }).into()
        }
        Header::LayeredCbr(layered::Header::Data { layer, sequence }) => {
            layered::Header::Data { layer, sequence: before(sequence) }.into()
        }
        Header::Mlda(mlda::Header::Data(data)) => {
            let sequence = before(data.sequence.into()) as u16;
            mlda::Header::Data(mlda::DataHeader { sequence, probe: false, ..data }).into()
        }
        _ => return None,
    })
}

/// The report that all is lost.
fn nothing_comes(packet: Packet, control: Option<Control>) -> (Packet, Option<Control>) {
    let worst = |report: tfmcc::FeedbackHeader| tfmcc::FeedbackHeader {
        have_loss: !report.leave,
        rate_bps: 0.0,
        loss_event_rate: 1.0,
        ..report
    };
    let header = match packet.header {
        Header::Tfmcc(tfmcc::Header::Feedback(report)) => tfmcc::Header::Feedback(worst(report)).into(),
        Header::Omcc(omcc::Header::Feedback(report)) => {
            omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc: worst(report.tfmcc), ..report }).into()
        }
        Header::Smcc(smcc::Header::Feedback(report)) => {
            smcc::Header::Feedback(smcc::FeedbackHeader { feedback: worst(report.feedback), ..report }).into()
        }
        Header::Pgmcc(pgmcc::Header::Ack(ack)) => pgmcc::Header::Ack(pgmcc::Ack { loss_rate: 1.0, ..ack }).into(),
        Header::Pgmcc(pgmcc::Header::Nak(nak)) => pgmcc::Header::Nak(pgmcc::Nak { loss_rate: 1.0, ..nak }).into(),
        Header::LayeredCbr(layered::Header::Level { sequence, .. }) => {
            layered::Header::Level { level: 1, sequence }.into()
        }
        Header::Mlda(mlda::Header::ReceiverReport { .. }) => {
            if let Ok(Message::ReceiverReport(report)) = Octets::read(control.as_ref()) {
                let worst = mlda::rtcp::ReceiverReport { rate_bps: 0.0, loss: 1.0, fraction_lost: 255, ..report };
                return (packet, Some(worst.encode().into()));
            }
            packet.header
        }
        other => other,
    };
    (Packet { header, ..packet }, control)
}
