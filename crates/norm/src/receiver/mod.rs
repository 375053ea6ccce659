//! A receiver: the sender's messages and those of other receivers in, its own out (sections 5.2, 5.3 and 5.5).
//!
//! | file | subject |
//! |---|---|
//! | `mod.rs` | what comes in, what goes out when |
//! | `settings.rs` | what it is told |
//! | `sink.rs` | where objects go |
//! | `objects.rs` | what has come, what lacks |
//! | `remote.rs` | the sender that it hears |
//! | `instances.rs` | a sender that starts again |
//! | `jumps.rs` | numbers that are far from the newest |
//! | `times.rs` | by what waiting is scaled |
//! | `nacking.rs` | when it asks for what lacks |
//! | `reporting.rs` | what it says of losses and rates, and when |

mod instances;
mod jumps;
mod nacking;
mod objects;
mod remote;
mod reporting;
mod settings;
mod sink;
mod times;

pub use settings::Settings;
pub use sink::Sink;

use crate::fixed::{BELOW_BYTES, NOBODY};
use faircast_codec::norm::object_flag::{INFORMATION, REPAIR, STREAM};
use faircast_codec::norm::{
    Answer, Body, CcNode, Command, Extensions, List, Message, Position, Status, acknowledgement, decode, encode,
};
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use instances::Instances;
use nacking::{Due, Nacking};
use objects::{Objects, Said};
use remote::{GONE, Remote};
use reporting::Reporting;
use std::net::SocketAddr;
use times::Times;

/// A receiver of NORM. It takes the objects of one sender, the first that it hears.
#[derive(Debug)]
pub struct Receiver {
    settings: Settings,
    random: Random,
    sequence: u16,
    remote: Option<Remote>,
    is_leaving: bool,
    counters: Counters,
}

/// What a receiver has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of the sender.
    pub taken: u64,
    /// Symbols among them.
    pub symbols: u64,
    /// What came of another sender, or was no message.
    pub refused: u64,
    /// Requests made.
    pub nacks: u64,
    /// Requests that were kept back, since others had asked.
    pub suppressed: u64,
}

impl Receiver {
    /// A receiver that has heard nothing; `seed` is for how long it waits before it speaks.
    ///
    /// # Errors
    ///
    /// A sentence: the number is nobody's.
    pub fn new(settings: Settings, seed: u64) -> Result<Receiver, String> {
        if NOBODY.contains(&settings.node) {
            return Err(format!("node {} given, which is nobody's", settings.node));
        }
        Ok(Receiver {
            settings,
            random: Random::stream(seed, "norm/receiver"),
            sequence: 0,
            remote: None,
            is_leaving: false,
            counters: Counters::default(),
        })
    }

    /// A datagram has come from this socket. What is no message of the sender, nor of another receiver to it, is
    /// counted and has no other effect.
    ///
    /// # Errors
    ///
    /// Those of `sink`.
    pub fn hear<S: Sink>(
        &mut self,
        (now, arrived): (Instant, Instant),
        from: SocketAddr,
        bytes: &[u8],
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let Ok(message) = decode(bytes) else {
            self.counters.refused += 1;
            return Ok(());
        };
        if message.source == self.settings.node {
            return Ok(());
        }
        match message.body {
            Body::Information { status, .. } | Body::Data { status, .. } | Body::Command { status, .. } => {
                if !self.is_ours(now, &message, &status, from, sink) || !self.is_believed(&message) {
                    self.counters.refused += 1;
                    return Ok(());
                }
                self.counters.taken += 1;
                if let Some(remote) = &mut self.remote {
                    (remote.heard, remote.at) = (now, from);
                }
                self.take((now, arrived), &message, &status, bytes.len(), sink)
            }
            Body::Nack { answer } | Body::Acknowledgement { answer, .. } => {
                self.overhear(now, &message, answer);
                Ok(())
            }
        }
    }

    /// The next message, appended to `out`, if one is due; whether one is. It goes to the group, or to the
    /// [sender](Self::sender) alone by the settings.
    pub fn next(&mut self, now: Instant, out: &mut Vec<u8>) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        if self.is_leaving {
            self.is_leaving = false;
            if let Some((feedback, response)) = remote.reporting.feedback(now, true) {
                let feedback = Extensions { feedback: Some(feedback), ..Extensions::default() };
                let answer = Answer { server: remote.node, instance: remote.instance, response };
                let body = Body::Acknowledgement { answer, kind: acknowledgement::CC, id: 0 };
                self.emit(body, &feedback, &[], out);
                return true;
            }
        }
        let times = remote.times;
        if let Due::Look { limit, heard } = remote.nacking.pass(now, &times) {
            let lacks = remote.objects.missing(limit.max(remote.boundary()));
            let first = lacks.first();
            if first.is_some() {
                remote.nacking.hold(now, &times);
            }
            // What the sender has not come to again is about to come.
            if first.is_some_and(|first| first < remote.position) {
                if heard.covers(&remote.objects.missing(limit)) {
                    self.counters.suppressed += 1;
                } else {
                    let mut content = Vec::new();
                    remote.objects.write(&lacks, remote.room(), &mut content);
                    let (answer, extensions) = remote.answer(now);
                    remote.reporting.said(now, &times);
                    self.counters.nacks += 1;
                    self.emit(Body::Nack { answer }, &extensions, &content, out);
                    return true;
                }
            }
        }
        let Some(remote) = &mut self.remote else { return false };
        if remote.acknowledge.is_some_and(|(at, _)| at <= now)
            && let Some((_, position)) = remote.acknowledge.take()
        {
            let (answer, extensions) = remote.answer(now);
            let mut content = Vec::new();
            position.write(&mut content);
            self.emit(
                Body::Acknowledgement { answer, kind: acknowledgement::FLUSH, id: 0 },
                &extensions,
                &content,
                out,
            );
            return true;
        }
        if remote.reporting.due(&times) <= now {
            remote.reporting.said(now, &times);
            let (answer, extensions) = remote.answer(now);
            self.emit(Body::Acknowledgement { answer, kind: acknowledgement::CC, id: 0 }, &extensions, &[], out);
            return true;
        }
        // Where nothing comes any more it asks again (section 5.3).
        if remote.renews_at() <= now {
            remote.renewed += 1;
            remote.waits_since = Some(now);
            let limit = remote.reach;
            remote.begin(now, limit, &self.settings, &mut self.random);
        }
        false
    }

    /// When it wants to be asked for the [next](Self::next) message.
    pub fn deadline(&self) -> Instant {
        let Some(remote) = &self.remote else { return Instant::FAR_FUTURE };
        let acknowledge = remote.acknowledge.map_or(Instant::FAR_FUTURE, |(at, _)| at);
        let (nack, report) = (remote.nacking.deadline(&remote.times), remote.reporting.due(&remote.times));
        nack.min(acknowledge).min(report).min(remote.renews_at())
    }

    /// Where the sender's messages come from.
    pub fn sender(&self) -> Option<SocketAddr> {
        self.remote.as_ref().map(|remote| remote.at)
    }

    /// When the sender was heard last.
    pub fn heard(&self) -> Option<Instant> {
        self.remote.as_ref().map(|remote| remote.heard)
    }

    /// Whether everything has come that has been sent and is not [lost](Self::lost), as far as is known, and the sender
    /// has said that this is all.
    pub fn is_complete(&self) -> bool {
        let of = |remote: &Remote| {
            (remote.is_flushed || remote.has_ended) && remote.objects.missing(remote.reach).is_empty()
        };
        self.remote.as_ref().is_some_and(of)
    }

    /// Whether there is nothing to wait for: the sender has said that there will be no more, or everything has come and
    /// the sender has stopped saying so.
    pub fn is_over(&self, now: Instant) -> bool {
        let silent = |remote: &Remote| now.since(remote.content) > GONE.max(remote.times.grtts(10.0));
        let of = |remote: &Remote| remote.has_ended || (silent(remote) && self.is_complete());
        remote_is(&self.remote, of)
    }

    /// It will not be there any longer; if it limits there is something to say.
    pub fn leave(&mut self) {
        self.is_leaving = remote_is(&self.remote, |remote| remote.reporting.limits());
    }

    /// How many objects are whole, and of how many something has been heard.
    pub fn objects(&self) -> (u64, u64) {
        self.remote.as_ref().map_or((0, 0), |remote| (remote.objects.complete, remote.objects.count()))
    }

    /// How many more the sender had offered before it was heard first, and has given up.
    pub fn missed(&self) -> u64 {
        self.remote.as_ref().map_or(0, |remote| remote.objects.missed)
    }

    /// How many of these were wanted and will not come, since the sender has given them up.
    pub fn lost(&self) -> u64 {
        self.remote.as_ref().map_or(0, |remote| remote.objects.lost)
    }

    /// Bytes that have come, of how many, of objects that are not whole.
    pub fn bytes(&self) -> (u64, u64) {
        self.remote.as_ref().map_or((0, 0), |remote| remote.objects.bytes())
    }

    /// Whether it limits the sender, its loss event rate and its round-trip time in seconds, as far as there are any.
    pub fn congestion(&self) -> (bool, Option<f64>, Option<f64>) {
        self.remote.as_ref().map_or((false, None, None), |remote| {
            let (p, rtt_s) = remote.reporting.measured();
            (remote.reporting.limits(), p, rtt_s)
        })
    }

    /// What has been counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the message is of the sender that is heard: the first, the same after a new start, or another one after
    /// it has been silent. A new instance is a new start (section 4.2.1), if [two messages](Instances) say so.
    fn is_ours<S: Sink>(
        &mut self,
        now: Instant,
        message: &Message<'_>,
        status: &Status,
        from: SocketAddr,
        sink: &mut S,
    ) -> bool {
        if NOBODY.contains(&message.source) {
            return false;
        }
        let mut instances = Instances::default();
        let is_new = match &mut self.remote {
            None => true,
            Some(remote) if remote.node == message.source && remote.instance == status.instance => {
                remote.instances.present();
                false
            }
            Some(remote) => {
                let is_same = remote.node == message.source;
                let is_there = is_same && remote.at.ip() == from.ip();
                let is_restarted = is_there && remote.instances.believes(status.instance, message.sequence);
                if !is_restarted && !remote.is_gone(now) {
                    return false;
                }
                if is_same {
                    instances = remote.instances.followed(remote.instance, status.instance);
                }
                remote.objects.clear(sink);
                true
            }
        };
        if is_new {
            self.remote = Some(Remote {
                node: message.source,
                instance: status.instance,
                instances,
                newest: message.sequence,
                jumps: Default::default(),
                at: from,
                heard: now,
                times: Times::of(status),
                objects: Objects::default(),
                nacking: Nacking::default(),
                reporting: Reporting::default(),
                position: (0, 0),
                reach: (0, 0),
                block: (0, 0),
                content: now,
                waits_since: None,
                renewed: 0,
                is_flushed: false,
                has_ended: false,
                acknowledge: None,
            });
        }
        true
    }

    /// Whether a message of the sender says where that is: its number and that of its object go on from those before.
    fn is_believed(&mut self, message: &Message<'_>) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        if !remote.jumps.0.believes(message.sequence, remote.newest) {
            return false;
        }
        let (number, is_repair) = match message.body {
            Body::Information { flags, object, .. } => (object, flags & REPAIR != 0),
            Body::Data { flags, position, .. } => (position.object, flags & REPAIR != 0),
            Body::Command { command: Command::Flush(at) | Command::Squelch(at), .. } => (at.object, true),
            _ => {
                remote.reaches(message.sequence);
                return true;
            }
        };
        let is_far = remote.objects.is_far(number, is_repair);
        // Repairs of what is behind come between others, and say nothing of where these are.
        let is_believed = (is_repair && !is_far) || remote.jumps.1.believes_object(number, is_far);
        if is_believed {
            remote.reaches(message.sequence);
        }
        is_believed
    }

    /// Takes a message of the sender.
    fn take<S: Sink>(
        &mut self,
        (now, arrived): (Instant, Instant),
        message: &Message<'_>,
        status: &Status,
        length: usize,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let Receiver { settings, random, remote: Some(remote), counters, .. } = self else { return Ok(()) };
        remote.times = Times::of(status);
        let (mut echo, mut bytes) = (None, None);
        match message.body {
            Body::Command { command: Command::CongestionControl { cc_sequence, sent }, .. } => {
                let list = List::<CcNode>::read(message.payload);
                let own = list.and_then(|list| list.iter().find(|line| line.node == settings.node));
                // A probe without a rate asks for no answers (section 5.5.1).
                if let Some(rate) = message.extensions.send_rate {
                    let times = remote.times;
                    echo = remote.reporting.probe((now, arrived), (cc_sequence, sent), rate, own, &times, random);
                }
            }
            Body::Data { .. } => bytes = u16::try_from(length + BELOW_BYTES).ok(),
            _ => {}
        }
        remote.reporting.take(message.sequence, bytes, status.grtt, arrived, echo);
        match message.body {
            Body::Information { flags, object, .. } if flags & STREAM == 0 => {
                let (is_repair, fti) = (flags & REPAIR != 0, message.extensions.object);
                let said = Said { number: object, has_information: true, object: fti, is_repair };
                remote.content(now);
                let wide = remote.objects.sent(object, is_repair);
                let object = remote.objects.meet(&said);
                remote.objects.forget_old(sink);
                remote.passes(now, (wide, 0), (wide, 0), settings, random);
                if let Some(object) = object {
                    remote.objects.take_information(object, message.payload, sink)?;
                }
            }
            Body::Data { flags, position, .. } if flags & STREAM == 0 => {
                counters.symbols += 1;
                let (has_information, is_repair) = (flags & INFORMATION != 0, flags & REPAIR != 0);
                let (number, object) = (position.object, message.extensions.object);
                remote.content(now);
                let wide = remote.objects.sent(number, is_repair);
                let object = remote.objects.meet(&Said { number, has_information, object, is_repair });
                remote.objects.forget_old(sink);
                remote.moves(now, wide, position, settings, random);
                if let Some(object) = object {
                    remote.objects.take(object, position.symbol, message.payload, sink)?;
                }
            }
            Body::Information { flags, object: number, .. }
            | Body::Data { flags, position: Position { object: number, .. }, .. } => {
                let object = remote.objects.sent(number, flags & REPAIR != 0);
                remote.objects.pass_over(object, sink);
                remote.objects.forget_old(sink);
            }
            Body::Command { command: Command::RepairAdvertisement { .. }, .. } => remote.overhear(now, message),
            Body::Command { command, .. } => remote.obey(now, command, message.payload, settings, random, sink),
            Body::Nack { .. } | Body::Acknowledgement { .. } => {}
        }
        Ok(())
    }

    /// Takes what another receiver says.
    fn overhear(&mut self, now: Instant, message: &Message<'_>, answer: Answer) {
        let Some(remote) = &mut self.remote else { return };
        if (answer.server, answer.instance) != (remote.node, remote.instance) {
            return;
        }
        remote.overhear(now, message);
    }

    fn emit(&mut self, body: Body, extensions: &Extensions, payload: &[u8], out: &mut Vec<u8>) {
        let (sequence, source) = (self.sequence, self.settings.node);
        self.sequence = self.sequence.wrapping_add(1);
        encode(&Message { sequence, source, body, extensions: *extensions, payload }, out);
    }
}

fn remote_is(remote: &Option<Remote>, of: impl FnOnce(&Remote) -> bool) -> bool {
    remote.as_ref().is_some_and(of)
}
