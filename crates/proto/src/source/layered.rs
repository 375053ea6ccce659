//! Constant rates in layers: a group for each layer, and members that hold the first few of them.
//!
//! No congestion control: members hold as many layers as they are told, from the beginning or by a schedule. What
//! receiver-driven schemes have as their source, and what they are to be compared with.

mod header;

pub use header::{DATA, Header, LEVEL};

use super::limits::rates;
use super::seen::Seen;
use super::spacing::Spacing;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, LAYER_ADDED, LAYER_DROPPED, Outbox, Report};
use crate::group_set::{GroupPlan, MAX_GROUPS, Role, Senders};
use crate::limits;
use crate::limits::{Limited, from};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::pacer::Pacer;
use crate::parts::supply::Supply;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::{Duration, Instant, Rate};

/// Constant rates in layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LayeredCbr", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Rate of each layer, the base first, headers included. Default 32, 64, 128 and 256 kbit/s (ns-2's example of
    /// RLM).
    pub rates: Vec<Rate>,
    /// Size of a packet on the wire. Default 1000 B.
    pub packet_size: Bytes,
    /// Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
    pub jitter: f64,
    /// How many layers members join when they start. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// When members go on to other levels, in the order of time. Default: never.
    pub climb: Vec<Step>,
    /// Whether, and where, members tell each other when they go to another level, in a packet of 47 B. Default: they do
    /// not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub announce: Option<Announce>,
    /// Whether its packets are ECN-capable. Members answer no marks. Default false.
    pub ecn: bool,
}

/// Where members tell each other of their levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Announce")]
pub enum Announce {
    /// In a group apart, which all members join and to which they alone send.
    Apart,
    /// In the group of the base layer, if they hold it or not.
    Base,
}

/// A change of a member's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ClimbStep")]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How long after the member's start.
    pub after: Duration,
    /// How many layers it holds from then on.
    pub level: u32,
}

/// What a member shows.
const GAUGES: &[Gauge] = &[
    Gauge::count("missed", "packets", "Packets of joined layers whose numbers were passed over, late ones, too."),
    Gauge::count("announcements", "packets", "Announcements of other members that came."),
];

/// The endpoint that sends: in every layer from its start to its stop.
#[derive(Debug)]
pub struct Sender {
    template: Packet,
    group: Address,
    jitter: f64,
    random: Random,
    layers: Vec<Layer>,
    supply: Supply,
    sent: u64,
    /// The last input: no deadline is before it.
    now: Instant,
}

/// A layer at its source.
#[derive(Debug)]
struct Layer {
    spacing: Spacing,
    pacer: Pacer,
    sequence: u32,
}

/// The endpoint that receives.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    own: Address,
    group: Address,
    /// Where it tells others of its level, and whether it has to join that group for their sake.
    announce: Option<(Address, bool)>,
    announced: u32,
    /// Announcements that it has heard.
    heard: u64,
    level: u32,
    first_level: u32,
    climb: Vec<Step>,
    /// Steps taken.
    climbed: usize,
    /// `None` before its start and after its stop.
    started: Option<Instant>,
    /// What has come of each layer since it was joined.
    seen: Vec<Seen>,
    missed: u64,
    counts: Report,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            rates: [32, 64, 128, 256].map(|kbps| Rate(1000 * kbps)).to_vec(),
            packet_size: Bytes(1000),
            jitter: 0.0,
            level: None,
            climb: Vec::new(),
            announce: None,
            ecn: false,
        }
    }
}

impl Config {
    /// The source of a scheme whose members are its own: layers of these rates, sent as without control.
    pub(crate) fn of_source(rates: &[Rate], packet_size: Bytes, jitter: f64, ecn: bool) -> Config {
        Config { rates: rates.to_vec(), packet_size, jitter, ecn, ..Config::default() }
    }

    /// What is wrong with the layers and their packets.
    pub(crate) fn check_layers(&self) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let most = MAX_GROUPS - u32::from(self.announce == Some(Announce::Apart));
        if !(1..=most as usize).contains(&self.rates.len()) {
            wrong.push(("rates".to_owned(), format!("{} layers given; legal are 1 to {most}", self.rates.len())));
        }
        let complaints = self.rates.iter().map(|&rate| rates().complaint(rate, self)).enumerate();
        wrong.extend(complaints.filter_map(|(layer, complaint)| Some((format!("rates[{layer}]"), complaint?))));
        wrong.extend(DATA.complaint(self.packet_size.0).map(|message| ("packet_size".to_owned(), message)));
        wrong
    }

    fn layers(&self) -> u32 {
        self.rates.len() as u32
    }
}

limits! { Config { jitter: from(0.0).to(1.0) } }

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(self.check_layers());
        let mut level = |path: String, level: u32| {
            if level > self.layers() {
                wrong.push((path, format!("{level} given; there are {} layers", self.layers())));
            }
        };
        level("level".to_owned(), self.level.unwrap_or(0));
        for (number, step) in self.climb.iter().enumerate() {
            level(format!("climb[{number}].level"), step.level);
        }
        for (number, pair) in self.climb.windows(2).enumerate() {
            if pair[1].after <= pair[0].after {
                let message =
                    format!("{} given; legal is later than the step before, {}", pair[1].after, pair[0].after);
                wrong.push((format!("climb[{}].after", number + 1), message));
            }
        }
        wrong
    }

    fn groups(&self) -> Vec<GroupPlan> {
        let mut groups: Vec<GroupPlan> = (0..self.rates.len()).map(|layer| GroupPlan::layer(layer as u8)).collect();
        match self.announce {
            None => {}
            Some(Announce::Apart) => groups.push(GroupPlan { role: Role::Control, senders: Senders::Members }),
            Some(Announce::Base) => {
                groups.first_mut().into_iter().for_each(|base| base.senders = Senders::All);
            }
        }
        groups
    }

    fn events(&self) -> &'static [&'static EventKind] {
        &[LAYER_ADDED, LAYER_DROPPED]
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        Some(Rate(self.rates.iter().fold(0, |sum, rate| sum.saturating_add(rate.0))))
    }

    /// Of the layers that members hold, over all steps of their climb.
    fn steady_rate(&self, duration: Duration) -> Option<Rate> {
        let seconds = |until: Duration| until.min(duration).as_secs_f64();
        let mut level = self.level.unwrap_or(self.layers());
        let (mut bits, mut since) = (0.0, 0.0);
        let end = Step { after: duration, level };
        for step in self.climb.iter().chain([&end]) {
            let rate: f64 = self.rates[..level as usize].iter().map(|rate| rate.as_bps_f64()).sum();
            bits += rate * (seconds(step.after) - since);
            (since, level) = (seconds(step.after), step.level);
        }
        Some(Rate((bits / seconds(duration) + 0.5) as u64))
    }

    fn responder(&self) -> Responder {
        Responder::Nobody
    }

    fn sender(&self, seat: Seat) -> Sender {
        let layer =
            |&rate: &Rate| Layer { spacing: Spacing::new(rate, self.packet_size), pacer: Pacer::OFF, sequence: 0 };
        Sender {
            template: Packet {
                sent: Instant::ZERO,
                flow: seat.flow,
                source: seat.own,
                destination: seat.group,
                size: self.packet_size.0 as u16,
                ttl: INITIAL_TTL,
                ecn: if self.ecn { Ecn::Capable } else { Ecn::NotCapable },
                header: Header::Data { layer: 0, sequence: 0 }.into(),
            },
            group: seat.group,
            jitter: self.jitter,
            random: seat.random,
            layers: self.rates.iter().map(layer).collect(),
            supply: Supply::default(),
            sent: 0,
            now: Instant::ZERO,
        }
    }

    fn receiver(&self, seat: Seat) -> Receiver {
        let announce = self.announce.map(|to| match to {
            Announce::Apart => (group_of(seat.group, self.layers()), true),
            Announce::Base => (seat.group, false),
        });
        Receiver {
            flow: seat.flow,
            own: seat.own,
            group: seat.group,
            announce,
            announced: 0,
            heard: 0,
            level: 0,
            first_level: self.level.unwrap_or(self.layers()),
            climb: self.climb.clone(),
            climbed: 0,
            started: None,
            seen: vec![Seen::default(); self.rates.len()],
            missed: 0,
            counts: Report::default(),
        }
    }
}

impl Sender {
    /// Sends what is due, a packet of each layer.
    fn send(&mut self, now: Instant, out: &mut Outbox) {
        for (rank, layer) in (0..).zip(&mut self.layers).filter(|(_, layer)| layer.pacer.due() <= now) {
            if self.supply.is_empty() {
                return;
            }
            self.supply.take();
            let header = Header::Data { layer: rank, sequence: layer.sequence };
            let destination = group_of(self.group, u32::from(rank));
            out.send(Packet { sent: now, destination, header: header.into(), ..self.template });
            self.sent += 1;
            layer.sequence = layer.sequence.wrapping_add(1);
            let mut gap = layer.spacing.next_gap();
            if self.jitter > 0.0 {
                gap = gap.mul_f64(1.0 + self.random.uniform_in(-self.jitter, self.jitter));
            }
            layer.pacer.sent_at_constant_rate(now, gap);
        }
    }
}

impl Sender {
    /// So many packets are there to be sent from now on, in all layers together; of those that are due the lowest goes
    /// first.
    fn grant(&mut self, now: Instant, packets: u64) {
        if self.supply.is_empty() {
            for layer in &mut self.layers {
                layer.pacer.let_go(now);
            }
        }
        self.supply.set(packets);
    }

    /// This packet has not been sent: if it was the last of its layer, the next one has its number.
    fn take_back(&mut self, packet: &Packet) {
        let packet::Header::LayeredCbr(Header::Data { layer, sequence }) = packet.header else { return };
        let layer = self.layers.get_mut(usize::from(layer)).filter(|layer| layer.sequence.wrapping_sub(1) == sequence);
        if let Some(layer) = layer {
            layer.sequence = sequence;
        }
        self.sent -= 1;
        self.supply.give_back();
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.layers.iter_mut().for_each(|layer| layer.pacer.begin(now)),
            Input::Stop => self.layers.iter_mut().for_each(|layer| layer.pacer = Pacer::OFF),
            Input::Granted(packets) => self.grant(now, packets),
            Input::NotSent(packet) => self.take_back(packet),
            // Whatever comes: a packet does if the driver is late.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Packet { .. } => {}
        }
        self.now = now;
        self.send(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        if self.supply.is_empty() {
            return None;
        }
        let due = self.layers.iter().map(|layer| layer.pacer.due()).min();
        due.filter(|&at| at != Instant::FAR_FUTURE).map(|at| at.max(self.now))
    }

    fn report(&self) -> Report {
        Report { sent_pkts: self.sent, sent_bytes: self.sent * u64::from(self.template.size), ..Report::default() }
    }
}

impl Receiver {
    /// Holds the first `level` layers from now on.
    fn go(&mut self, now: Instant, level: u32, out: &mut Outbox) {
        let before = self.level;
        for layer in before..level {
            // What came before it was left says nothing of what is missing.
            self.seen[layer as usize] = Seen::default();
            out.join(group_of(self.group, layer));
            out.event(Event::layer_added(layer as u8, Cause::Time));
        }
        for layer in (level..before).rev() {
            out.leave(group_of(self.group, layer));
            out.event(Event::layer_dropped(layer as u8, Cause::Time));
        }
        self.level = level;
        if level != before {
            self.announce(now, out);
        }
    }

    /// Tells the others of its level.
    fn announce(&mut self, now: Instant, out: &mut Outbox) {
        let Some((group, _)) = self.announce else { return };
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: group,
            size: LEVEL.bytes(),
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Level { level: self.level as u8, sequence: self.announced }.into(),
        });
        self.announced = self.announced.wrapping_add(1);
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(LEVEL.bytes());
    }

    /// Takes the steps that are due.
    fn climb(&mut self, now: Instant, out: &mut Outbox) {
        while self.deadline().is_some_and(|at| at <= now) {
            let level = self.climb[self.climbed].level;
            self.climbed += 1;
            self.go(now, level, out);
        }
    }

    fn data(&mut self, packet: &Packet) {
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        let (layer, sequence) = match packet.header {
            packet::Header::LayeredCbr(Header::Data { layer, sequence }) => (layer, sequence),
            packet::Header::LayeredCbr(Header::Level { .. }) => {
                // Of no layer; that it might come twice its sender's number would tell, and nobody asks.
                self.heard += 1;
                return;
            }
            _ => return,
        };
        let Some(seen) = self.seen.get_mut(usize::from(layer)).filter(|_| u32::from(layer) < self.level) else {
            return;
        };
        // Counted on beyond where the numbers wrap; the first packet after a join begins anew.
        let highest = seen.highest();
        let number = highest.map_or(u64::from(sequence) + (1 << 32), |highest| {
            highest.wrapping_add_signed(i64::from(sequence.wrapping_sub(highest as u32) as i32))
        });
        if seen.is_new(number) {
            self.counts.distinct_bytes += u64::from(packet.size);
            self.missed += highest.map_or(0, |highest| number.saturating_sub(highest + 1));
        }
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                self.started = Some(now);
                self.climbed = 0;
                if let Some((group, true)) = self.announce {
                    out.join(group);
                }
                self.go(now, self.first_level, out);
            }
            Input::Stop => {
                let was_there = self.started.take().is_some();
                self.go(now, 0, out);
                if let Some((group, true)) = self.announce.filter(|_| was_there) {
                    out.leave(group);
                }
            }
            Input::Packet { packet, .. } => self.data(packet),
            Input::Unjoined(group) => {
                // Until the next step of its climb; a group for announcements alone is done without.
                if let Some(layer) = (0..self.level).find(|&layer| group_of(self.group, layer) == group) {
                    self.go(now, layer, out);
                }
            }
            Input::NotSent(packet) => self.counts.not_sent(packet),
            Input::Timeout | Input::LinkLoss(_) | Input::Granted(_) => {}
        }
        self.climb(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.started? + self.climb.get(self.climbed)?.after)
    }

    fn report(&self) -> Report {
        self.counts
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        values.copy_from_slice(&[self.missed as f64, self.heard as f64]);
    }
}

/// The group of a layer, the first being this.
fn group_of(first: Address, layer: u32) -> Address {
    Address::group(first.index() as u32 + layer)
}
