//! Constant rates in layers: a group for each layer, and members that hold the first few of them.
//!
//! No congestion control: members hold as many layers as they are told, from the beginning or by a schedule. What
//! receiver-driven schemes have as their source, and what they are to be compared with.

use super::seen::Seen;
use super::spacing::Spacing;
use super::{MOST_RATE, check_rate_and_size};
use crate::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, Outbox, Report};
use crate::group_set::{GroupPlan, MAX_GROUPS};
use crate::packet::{self, Address, Ecn, INITIAL_TTL, Packet, ProtocolHeader};
use crate::quantity::Bytes;
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::time::{Duration, Instant, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Constant rates in layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LayeredCbr")]
#[serde(default)]
pub struct Config {
    /// Rate of each layer, the base first, headers included. Default 32, 64, 128 and 256 kbit/s (ns-2's example of
    /// RLM).
    pub rates: Vec<Rate>,
    /// Size of a packet on the wire. Default 1000 B.
    pub packet_size: Bytes,
    /// Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub jitter: f64,
    /// How many layers members join when they start. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// When members go on to other levels, in the order of time. Default: never.
    pub climb: Vec<Step>,
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

/// What a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which layer it belongs to, the base being 0.
    pub layer: u8,
    /// Its number in the layer, from 0; wraps around.
    pub sequence: u32,
}

/// A member holds another number of layers; the layer of the event is the highest one added or dropped.
pub const LEVEL: &EventKind = &EventKind::new("level", "layers", "A member holds another number of layers.");

/// What a member shows.
const GAUGES: &[Gauge] =
    &[Gauge::count("missed", "packets", "Packets of joined layers whose numbers were passed over, late ones, too.")];

/// The endpoint that sends: in every layer from its start to its stop.
#[derive(Debug)]
pub struct Source {
    template: Packet,
    group: Address,
    jitter: f64,
    random: Random,
    layers: Vec<Layer>,
    sent: u64,
}

/// A layer at its source.
#[derive(Debug)]
struct Layer {
    spacing: Spacing,
    send_at: Instant,
    sequence: u32,
}

/// The endpoint that receives.
#[derive(Debug)]
pub struct Member {
    group: Address,
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
        }
    }
}

impl Config {
    fn layers(&self) -> u32 {
        self.rates.len() as u32
    }
}

impl Scheme for Config {
    type Source = Source;
    type Member = Member;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        if !(1..=MAX_GROUPS as usize).contains(&self.rates.len()) {
            let message = format!("{} layers given; legal are 1 to {MAX_GROUPS}", self.rates.len());
            wrong.push(("rates".to_owned(), message));
        }
        for (layer, &rate) in self.rates.iter().enumerate() {
            let found = check_rate_and_size(rate, self.packet_size).into_iter().filter(|(field, _)| field == "rate");
            wrong.extend(found.map(|(_, message)| (format!("rates[{layer}]"), message)));
        }
        wrong.extend(check_rate_and_size(MOST_RATE, self.packet_size));
        if !(0.0..=1.0).contains(&self.jitter) {
            wrong.push(("jitter".to_owned(), format!("{} given; legal is 0 to 1", self.jitter)));
        }
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
        (0..self.rates.len()).map(|layer| GroupPlan::layer(layer as u8)).collect()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        &[LEVEL]
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        Some(Rate(self.rates.iter().fold(0, |sum, rate| sum.saturating_add(rate.0))))
    }

    fn is_controlled(&self) -> bool {
        false
    }

    fn source(&self, seat: Seat) -> Source {
        let layer = |&rate: &Rate| Layer {
            spacing: Spacing::new(rate, self.packet_size),
            send_at: Instant::FAR_FUTURE,
            sequence: 0,
        };
        Source {
            template: Packet {
                sent: Instant::ZERO,
                flow: seat.flow,
                source: seat.own,
                destination: seat.group,
                size: self.packet_size.0 as u16,
                ttl: INITIAL_TTL,
                ecn: Ecn::NotCapable,
                header: Header { layer: 0, sequence: 0 }.into(),
            },
            group: seat.group,
            jitter: self.jitter,
            random: seat.random,
            layers: self.rates.iter().map(layer).collect(),
            sent: 0,
        }
    }

    fn member(&self, seat: Seat) -> Member {
        Member {
            group: seat.group,
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

impl Source {
    /// Sends what is due, layer by layer. A driver that is late does not lower the rate.
    fn send(&mut self, now: Instant, out: &mut Outbox) {
        for (rank, layer) in (0..).zip(&mut self.layers).filter(|(_, layer)| layer.send_at <= now) {
            let header = Header { layer: rank, sequence: layer.sequence };
            let destination = group_of(self.group, u32::from(rank));
            out.send(Packet { sent: now, destination, header: header.into(), ..self.template });
            self.sent += 1;
            layer.sequence = layer.sequence.wrapping_add(1);
            let mut gap = layer.spacing.next_gap();
            if self.jitter > 0.0 {
                gap = gap.mul_f64(1.0 + self.random.uniform_in(-self.jitter, self.jitter));
            }
            layer.send_at = (layer.send_at + gap).max(now);
        }
    }
}

impl Endpoint for Source {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.layers.iter_mut().for_each(|layer| layer.send_at = now),
            Input::Stop => self.layers.iter_mut().for_each(|layer| layer.send_at = Instant::FAR_FUTURE),
            // Whatever comes: a packet does if the driver is late.
            Input::Timeout | Input::Packet(..) => {}
        }
        self.send(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.layers.iter().map(|layer| layer.send_at).min().filter(|&at| at != Instant::FAR_FUTURE)
    }

    fn report(&self) -> Report {
        Report { sent_pkts: self.sent, sent_bytes: self.sent * u64::from(self.template.size), ..Report::default() }
    }
}

impl Member {
    /// Holds the first `level` layers from now on.
    fn go(&mut self, level: u32, out: &mut Outbox) {
        let before = self.level;
        for layer in before..level {
            // What came before it was left says nothing of what is missing.
            self.seen[layer as usize] = Seen::default();
            out.join(group_of(self.group, layer));
        }
        for layer in (level..before).rev() {
            out.leave(group_of(self.group, layer));
        }
        self.level = level;
        if level != before {
            let highest = level.max(before) - 1;
            out.event(Event::change(LEVEL, f64::from(before), f64::from(level), Cause::Time).on(highest as u8));
        }
    }

    /// Takes the steps that are due.
    fn climb(&mut self, now: Instant, out: &mut Outbox) {
        while self.deadline().is_some_and(|at| at <= now) {
            let level = self.climb[self.climbed].level;
            self.climbed += 1;
            self.go(level, out);
        }
    }

    fn data(&mut self, packet: &Packet) {
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        let packet::Header::LayeredCbr(Header { layer, sequence }) = packet.header else { return };
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

impl Endpoint for Member {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                self.started = Some(now);
                self.climbed = 0;
                self.go(self.first_level, out);
            }
            Input::Stop => {
                self.started = None;
                self.go(0, out);
            }
            Input::Packet(packet, _) => self.data(packet),
            Input::Timeout => {}
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
        values.copy_from_slice(&[self.missed as f64]);
    }
}

impl ProtocolHeader for Header {
    fn digest(&self) -> u64 {
        u64::from(self.sequence) << 8 | u64::from(self.layer)
    }

    fn is_data(&self) -> bool {
        true
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::testing::Wild<'_>) -> Header {
        Header { layer: wild.below(6) as u8, sequence: wild.sequence() }
    }
}

/// The group of a layer, the first being this.
fn group_of(first: Address, layer: u32) -> Address {
    Address::group(first.index() as u32 + layer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::testing::group::{GROUP, Group, Who};
    use crate::testing::{Fate, gauge};

    fn seat(who: Who) -> Seat {
        let random = Random::stream(1, &format!("test/{who:?}"));
        Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 2, line_rate: None, random }
    }

    fn step(seconds: u64, level: u32) -> Step {
        Step { after: Duration::from_secs(seconds), level }
    }

    #[test]
    fn members_get_the_layers_that_they_hold() {
        // 10, 20 and 40 packets per second.
        let config = Config {
            rates: vec![Rate(80_000), Rate(160_000), Rate(320_000)],
            level: Some(1),
            climb: vec![step(10, 3), step(20, 2), step(30, 0), step(40, 1)],
            ..Config::default()
        };
        assert_eq!(config.check(), []);
        let still = Config { climb: vec![], level: None, ..config.clone() };
        let members = vec![
            (config.member(seat(Who::Member(0))), Duration::from_millis(50)),
            (still.member(seat(Who::Member(1))), Duration::from_millis(50)),
        ];
        // Every tenth packet of layer 1 is lost on its way to the second member.
        let network = |_: Who, to: Who, packet: &Packet| match packet.header {
            packet::Header::LayeredCbr(Header { layer: 1, sequence }) if to == Who::Member(1) && sequence % 10 == 9 => {
                Fate::Lose
            }
            _ => Fate::Deliver,
        };
        let mut group = Group::new(config.source(seat(Who::Source)), members, network);
        group.pester = true;
        group.start_all();
        let mut received = Vec::new();
        for end_s in [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0] {
            group.run_until(Instant::from_secs_f64(end_s));
            received.push(group.members[0].report().received_pkts);
        }
        // In five seconds each; the last ones of a layer are under way when it is left, the first when it is joined.
        let per_slot: Vec<u64> = received.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let expected = [50, 350, 350, 150, 150, 0, 0, 50, 50];
        assert!(per_slot.iter().zip(expected).all(|(got, wanted)| got.abs_diff(wanted) <= 3), "{per_slot:?}");
        assert_eq!((gauge(&group.members[0], "missed"), group.counts[1].joined.len()), (0.0, 1));
        // 20 packets per second for 50 s and one at its start, of those every tenth.
        assert_eq!(gauge(&group.members[1], "missed"), 99.0);
        let levels: Vec<(f64, f64, Option<u8>)> = group
            .events
            .iter()
            .filter(|(_, who, event)| *who == Who::Member(0) && event.is(LEVEL))
            .map(|(_, _, event)| (event.before, event.after, event.layer))
            .collect();
        let expected = [(0.0, 1.0, 0), (1.0, 3.0, 2), (3.0, 2.0, 2), (2.0, 0.0, 1), (0.0, 1.0, 0)];
        assert_eq!(levels, expected.map(|(before, after, layer)| (before, after, Some(layer))));
    }

    #[test]
    fn numbers_wrap_and_late_packets_and_repeats_are_told_apart() {
        let mut member = Config::default().member(seat(Who::Member(0)));
        let mut out = Outbox::new();
        member.handle(Instant::ZERO, Input::Start, &mut out);
        let template = Config::default().source(seat(Who::Source)).template;
        for sequence in [u32::MAX - 1, u32::MAX, 1, 0, 1, 2] {
            let header = Header { layer: 2, sequence }.into();
            member.handle(Instant::ZERO, Input::Packet(&Packet { header, ..template }, None), &mut out);
        }
        let report = member.report();
        assert_eq!((report.received_pkts, report.distinct_bytes, gauge(&member, "missed")), (6, 5000, 1.0));
    }

    #[test]
    fn wrong_values_are_named() {
        let config = Config {
            rates: vec![Rate(1000), Rate(0)],
            packet_size: Bytes(0),
            jitter: 1.5,
            level: Some(3),
            climb: vec![step(5, 1), step(5, 3)],
        };
        let fields: Vec<String> = Scheme::check(&config).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["rates[1]", "packet_size", "jitter", "level", "climb[1].level", "climb[1].after"]);
        let none = Config { rates: vec![], ..Config::default() };
        assert_eq!(Scheme::check(&none)[0], ("rates".to_owned(), "0 layers given; legal are 1 to 128".to_owned()));
        let full = Config { rates: vec![Rate(1000); 128], ..Config::default() };
        assert_eq!((Scheme::check(&full), full.groups().len()), (vec![], 128));
    }
}
