//! The sender that a receiver hears: where it is, what lacks of its objects, when to ask.

use super::instances::Instances;
use super::jumps::{self, Jumps};
use super::nacking::Nacking;
use super::objects::{Objects, Point};
use super::reporting::Reporting;
use super::settings::Settings;
use super::sink::Sink;
use super::times::Times;
use crate::fixed::ROBUST_FACTOR;
use crate::needs::Needs;
use faircast_codec::norm::{Answer, Body, Command, Extensions, List, Message, Position, Requests, Time};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use std::net::SocketAddr;

/// A sender that is silent for so long makes room for another that is there: as `crates/cast` has it.
pub(super) const GONE: Duration = Duration::from_secs(3);
/// So long, and ten greatest round-trip times, if something of it has come and something lacks: a choice. Pieces are
/// dropped then.
const LOST: Duration = Duration::from_secs(30);
/// Bytes of requests that a NACK may have where the sender's segments are shorter, or nothing is known of them: some
/// have to have room.
const LEAST_ROOM: usize = 64;
/// NORM_CMD(REPAIR_ADV) had no room for all: what lies behind its last request has been asked for, too (section 5.4.4).
const LIMIT: u8 = 0x01;

/// The sender that it hears.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) node: u32,
    pub(super) instance: u16,
    /// Its other instances.
    pub(super) instances: Instances,
    /// The number of its newest message, and jumps of these and of numbers of objects.
    pub(super) newest: u16,
    pub(super) jumps: (Jumps, Jumps),
    pub(super) at: SocketAddr,
    pub(super) heard: Instant,
    pub(super) times: Times,
    pub(super) objects: Objects,
    pub(super) nacking: Nacking,
    pub(super) reporting: Reporting,
    /// Where it is, the object and the symbol behind what came last; and how far it has been.
    pub(super) position: Point,
    pub(super) reach: Point,
    /// The object and block of the last symbol: a new one is where requests may begin.
    pub(super) block: (u64, u64),
    /// When content or a flush came last, since when it has been waited for, and how often requests have begun again
    /// as none came.
    pub(super) content: Instant,
    pub(super) waits_since: Option<Instant>,
    pub(super) renewed: u32,
    /// The last flush said that all has been sent, up to where the sender has been.
    pub(super) is_flushed: bool,
    pub(super) has_ended: bool,
    /// When to say that everything up to a position has come.
    pub(super) acknowledge: Option<(Instant, Position)>,
}

impl Remote {
    /// What another receiver, or the sender for it, says: of its losses, and of what it lacks.
    pub(super) fn overhear(&mut self, now: Instant, message: &Message<'_>) {
        if let Some(feedback) = message.extensions.feedback {
            let times = self.times;
            self.reporting.hear(now, &feedback, &times);
        }
        let has_requests = matches!(
            message.body,
            Body::Nack { .. } | Body::Command { command: Command::RepairAdvertisement { .. }, .. }
        );
        if has_requests
            && self.nacking.is_waiting()
            && let Some(requests) = Requests::read(message.payload)
        {
            let objects = &self.objects;
            let mut needs = Needs::read(requests, |number| objects.wide(number), |object| objects.geometry(object));
            if let Body::Command { command: Command::RepairAdvertisement { flags }, .. } = message.body
                && flags & LIMIT != 0
            {
                needs.add_what_follows();
            }
            self.nacking.hear(&needs);
        }
    }

    /// A message with this number is believed.
    pub(super) fn reaches(&mut self, number: u16) {
        let is_ahead = (number.wrapping_sub(self.newest) as i16) > 0;
        if is_ahead || jumps::is_far(number, self.newest) {
            self.newest = number;
        }
    }

    /// Content, or that there is no more, has come.
    pub(super) fn content(&mut self, now: Instant) {
        (self.content, self.waits_since, self.renewed) = (now, Some(now), 0);
    }

    /// Whether it has been silent for so long that another sender may take its place.
    pub(super) fn is_gone(&self, now: Instant) -> bool {
        let silent = now.since(self.heard);
        if silent <= GONE {
            return false;
        }
        let is_whole = (self.is_flushed || self.has_ended) && self.objects.missing(self.reach).is_empty();
        self.objects.count() == 0 || is_whole || silent > LOST.max(self.times.grtts(10.0))
    }

    /// T_inactivity (section 5.3), by the greatest round-trip time that the sender said last.
    fn inactivity(&self) -> Duration {
        self.times.grtts(2.0 * f64::from(ROBUST_FACTOR)).max(Duration::from_secs(1))
    }

    /// A symbol has come: the sender is behind it, and if it is in another block than the last one, requests may begin
    /// for what lacks in those before.
    pub(super) fn moves(
        &mut self,
        now: Instant,
        object: u64,
        position: Position,
        settings: &Settings,
        random: &mut Random,
    ) {
        let cut = self.objects.geometry(object);
        let numbers = cut.and_then(|cut| Some((cut, cut.numbers(position.symbol)?)));
        let Some((cut, (block, symbol))) = numbers else {
            return self.passes(now, (object, 0), (object, 0), settings, random);
        };
        let (start, end) = (cut.start(block), cut.start(block.saturating_add(1)));
        self.passes(now, (object, start), (object, (start + symbol + 1).min(end)), settings, random);
    }

    /// The sender is in a block that begins at a point, and there at a position.
    pub(super) fn passes(
        &mut self,
        now: Instant,
        start: Point,
        position: Point,
        settings: &Settings,
        random: &mut Random,
    ) {
        self.position = position;
        self.is_flushed &= position <= self.reach;
        self.reach = self.reach.max(position);
        if start != self.block {
            self.block = start;
            self.begin(now, start, settings, random);
        }
    }

    /// Requests may begin for what lacks before a point.
    pub(super) fn begin(&mut self, now: Instant, limit: Point, settings: &Settings, random: &mut Random) {
        let (times, objects) = (self.times, &self.objects);
        let lacks = || !objects.missing(limit).is_empty();
        self.nacking.begin(now, limit, &times, settings.is_unicast, random, lacks);
    }

    /// The beginning of the block in which the sender is, before which it does not go on to send what is new.
    pub(super) fn boundary(&self) -> Point {
        self.block.min(self.reach)
    }

    /// Takes a command.
    pub(super) fn obey<S: Sink>(
        &mut self,
        now: Instant,
        command: Command,
        payload: &[u8],
        settings: &Settings,
        random: &mut Random,
        sink: &mut S,
    ) {
        match command {
            Command::Flush(position) => self.flushed(now, position, payload, settings, random),
            Command::Squelch(position) => {
                let first = self.objects.wide(position.object);
                self.objects.reach(first);
                self.objects.begin_at(first, sink);
                for number in List::<u16>::read(payload).into_iter().flat_map(|list| list.iter()) {
                    let object = self.objects.wide(number);
                    self.objects.lose(object, sink);
                }
            }
            // Of a transmission of which nothing came: what it offered is not known, and another one may follow.
            Command::EndOfTransmission => self.has_ended = !self.objects.is_empty(),
            Command::CongestionControl { .. }
            | Command::RepairAdvertisement { .. }
            | Command::AcknowledgementRequest { .. }
            | Command::Application => {}
        }
    }

    /// All has been sent up to here; those in the list are to say whether they have it.
    fn flushed(&mut self, now: Instant, position: Position, list: &[u8], settings: &Settings, random: &mut Random) {
        self.content(now);
        let object = self.objects.wide(position.object);
        self.objects.reach(object);
        let numbers = self.objects.geometry(object).and_then(|cut| Some((cut, cut.numbers(position.symbol)?)));
        // Of an object that is whole, or of which nothing is known, all counts.
        let until = numbers.map_or(u64::MAX, |(cut, (block, symbol))| {
            (cut.start(block) + symbol + 1).min(cut.start(block.saturating_add(1)))
        });
        let limit = (object, until);
        self.position = limit;
        self.reach = self.reach.max(limit);
        self.is_flushed = limit >= self.reach;
        let lacks = !self.objects.missing(limit).is_empty();
        if lacks {
            self.begin(now, limit, settings, random);
        }
        let asks = List::<u32>::read(list).is_some_and(|list| list.iter().any(|node| node == settings.node));
        if asks && !lacks && self.acknowledge.is_none() {
            // So that not all speak at once.
            let wait = if self.times.backoff > 0.0 { self.times.grtts(random.uniform()) } else { Duration::ZERO };
            self.acknowledge = Some((now + wait, position));
        }
    }

    /// When requests begin again because nothing comes.
    pub(super) fn renews_at(&self) -> Instant {
        let waits_since = self.waits_since.filter(|_| self.renewed < ROBUST_FACTOR && !self.has_ended);
        waits_since.map_or(Instant::FAR_FUTURE, |since| since + self.inactivity())
    }

    /// How many bytes of requests a NACK may have: what the sender's segments have.
    pub(super) fn room(&self) -> usize {
        self.objects.segment_bytes.map_or(0, usize::from).max(LEAST_ROOM)
    }

    /// What every answer begins with.
    pub(super) fn answer(&self, now: Instant) -> (Answer, Extensions) {
        let said = self.reporting.feedback(now, false);
        let response = said.map_or(Time::default(), |(_, response)| response);
        let extensions = Extensions { feedback: said.map(|(feedback, _)| feedback), ..Extensions::default() };
        (Answer { server: self.node, instance: self.instance, response }, extensions)
    }
}
