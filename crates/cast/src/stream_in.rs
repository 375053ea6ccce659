//! The receiving end of `faircast stream`.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, Result, at_start, is_closed};
use crate::incoming::Incoming;
use crate::progress::Progress;
use crate::receiving::{Receiving, Who};
use crate::results::{self, FAILED, Of, Results};
use crate::turns;
use crate::usage::Stream;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession};
use faircast_deliver::stream::{Receiver, Tally};
use faircast_wire::clock::{Clock as _, HostClock};
use faircast_wire::record::receiver_name;
use faircast_wire::sockets::Sockets;
use nix::errno::Errno;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Stdout};
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Duration;

/// Bytes that a pipe takes without waiting when it says that it takes some: `PIPE_BUF` of Linux.
const PIPE: usize = 4096;
/// Gaps are said no more often than this, those in between together.
const SAYS: Duration = Duration::from_secs(1);

/// How often it says that it goes: nobody answers.
const LEAVES: u32 = 3;

type Member<'a> = Receiving<'a, Receiver>;

/// Bytes on their way to standard output.
struct Output {
    to: Stdout,
    /// A file takes everything at once.
    is_file: bool,
    bytes: Vec<u8>,
    written: usize,
}

/// Receives a stream until it is over.
pub fn command(options: &Stream, from: SocketAddr, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let agreed = Agreed::read(&options.shared, options.keys.is_some(), ("from", from), None)?;
    agreed.check_one_group(options.shared.scheme.as_deref())?;
    let keys = options.keys.as_ref().map(|path| ReceiverKeys::read(Path::new(path))).transpose().map_err(at_start)?;
    let mut sockets = agreed.sockets(options.shared.interface.as_deref(), options.source, None)?;
    let id = match &keys {
        Some(keys) => keys.id().into(),
        None => results::kept_id(options.written.results.as_deref()).map_or_else(draw_id, Ok)?,
    };
    let mut clock = turns::clock();
    let began = turns::time(clock.now());
    // Nothing is kept from one start to the next: numbers of messages rise as the clock does.
    let session = ReceiverSession::new(keys.as_ref(), turns::since_1970().as_micros() as u64);
    let receiver = Receiver::new(session.verifier());
    let content = Incoming::new(receiver, session, keys.is_some().then_some(u64::MAX), began);
    let who = Who { id, source: options.source, keys: options.keys.as_deref() };
    let mut receiving = Receiving::new(&agreed, who, content)?;
    let name = receiver_name(id);
    let of = Of { verb: "stream", who: &name, agreed: &agreed, interface: &sockets.interface().name };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut receiving.driver)?;
    receiving.start(&mut clock, &mut sockets)?;
    let mut progress = Progress::new(options.output(), began);
    let mut output = Output::new();
    let mut said = (began, 0, 0);
    loop {
        let now = turns::time(clock.now());
        receiving.begin_turn(now);
        let sending = receiving.driver.content().limits.rate_bps.unwrap_or(f64::NAN);
        progress.notes_all(results.turn(turns::instant(now), &mut receiving.driver, sending));
        let receiver = &mut receiving.driver.content_mut().store;
        if !output.is_empty() {
            receiver.expire(now);
        } else if let Some(bytes) = receiver.read(now) {
            output.give(bytes);
        }
        let is_whole = receiver.complete() && output.is_empty();
        if receiving.speak(now, is_whole, &mut clock, &mut sockets)? {
            progress.notes_all(results.close("done", &mut receiving.driver, &mut clock, &mut sockets));
            return Ok(end(&receiving, now).silent_if(options.quiet && !options.json));
        }
        let gives_up = receiving.driver.content().store.due().filter(|_| output.is_empty());
        let own = gives_up.into_iter().fold(receiving.speaks_at(), Duration::min);
        let beside = turns::Beside { reads: None, writes: (!output.is_empty()).then(|| output.to.as_fd()) };
        let own = results.next().into_iter().chain(Some(turns::instant(own))).min();
        if turns::turn_beside(&mut receiving.driver, &mut clock, &mut sockets, own, beside)?
            && let Err(why) = output.write()
        {
            leave(&mut receiving, &mut clock, &mut sockets);
            let closed = is_closed(&io::Error::from(why));
            let how = if closed { "incomplete" } else { FAILED };
            progress.notes_all(results.close(how, &mut receiving.driver, &mut clock, &mut sockets));
            return match closed {
                true => Ok(Ending::Silent),
                false => Err(Ending::System(format!("cannot write to standard output: {}", why.desc()))),
            };
        }
        receiving = receiving.follow(now, &mut results, &mut clock, &mut sockets)?;
        for sentence in receiving.remarks(now).iter().filter(|_| !options.output().json) {
            progress.notes(&format!("faircast: {sentence}"));
        }
        let tally = receiving.driver.content().store.tally();
        if (tally.gaps, tally.restarts) != (said.1, said.2) && now.saturating_sub(said.0) >= SAYS {
            if !options.output().json {
                progress.notes(&format!("faircast: {}", missing(&tally)));
            }
            said = (now, tally.gaps, tally.restarts);
        }
        if let Some(patience) = options.patience.filter(|patience| receiving.is_silent_for(*patience, now)) {
            progress.notes_all(results.close("incomplete", &mut receiving.driver, &mut clock, &mut sockets));
            let sentence = format!("incomplete: {}", receiving.silence(patience)?);
            return Ok(Ending::Incomplete(sentence, value(&receiving, now)));
        }
        if interrupted() {
            leave(&mut receiving, &mut clock, &mut sockets);
            progress.notes_all(results.close("interrupted", &mut receiving.driver, &mut clock, &mut sockets));
            let text = format!("interrupted: {}", summary(&receiving, now));
            return Ok(Ending::Stopped(text, value(&receiving, now)));
        }
        progress.flows(now, || brief(&receiving), || summary(&receiving, now));
    }
}

/// Says before the end that it goes: the sender need not wait.
fn leave(receiving: &mut Member<'_>, clock: &mut HostClock, sockets: &mut Sockets) {
    if let Some(message) = receiving.driver.content().store.farewell() {
        for _ in 0..LEAVES {
            receiving.driver.say(&message, clock, sockets);
        }
    }
}

impl Output {
    fn new() -> Output {
        let to = io::stdout();
        let file = to.as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
        Output { to, is_file: file.is_ok_and(|file| file.is_file()), bytes: Vec::new(), written: 0 }
    }

    fn is_empty(&self) -> bool {
        self.written == self.bytes.len()
    }

    fn give(&mut self, bytes: Vec<u8>) {
        (self.bytes, self.written) = (bytes, 0);
    }

    /// Writes some of what there is, now that some is taken.
    fn write(&mut self) -> nix::Result<()> {
        let rest = &self.bytes[self.written..];
        let part = &rest[..rest.len().min(if self.is_file { usize::MAX } else { PIPE })];
        match nix::unistd::write(self.to.as_fd(), part) {
            Ok(count) => self.written += count,
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }
}

/// The stream is over.
fn end(receiving: &Member<'_>, now: Duration) -> Ending {
    let (tally, value) = (receiving.driver.content().store.tally(), value(receiving, now));
    match tally.gaps + tally.restarts {
        0 => Ending::Done(format!("received {}", summary(receiving, now)), value),
        _ => Ending::Incomplete(format!("incomplete: {}", summary(receiving, now)), value),
    }
}

/// What is missing of the stream, in a sentence; empty if nothing is.
fn missing(tally: &Tally) -> String {
    let mut parts = Vec::new();
    if tally.lost > tally.unread {
        parts.push(format!("{} bytes are lost, which did not come in time", tally.lost - tally.unread));
    }
    if tally.unread > 0 {
        parts.push(format!("{} bytes are lost, which nobody has read in time", tally.unread));
    }
    if tally.left_out > 0 {
        parts.push(format!("the sender has left out {} bytes", tally.left_out));
    }
    if tally.restarts > 0 {
        parts.push(format!("the sender was started again ({})", tally.restarts));
    }
    let gaps = if tally.gaps > 0 { format!(" in {} places", tally.gaps) } else { String::new() };
    if parts.is_empty() { String::new() } else { format!("{}{gaps}", parts.join(", ")) }
}

/// How it is, in a line.
fn summary(receiving: &Member<'_>, now: Duration) -> String {
    let tally = receiving.driver.content().store.tally();
    let (missing, from) = (missing(&tally), tally.missed);
    let missing = if missing.is_empty() { missing } else { format!("; {missing}") };
    let from = if from > 0 { format!(" from byte {from} on") } else { String::new() };
    format!("{} bytes{from} in {:.1} s{missing}", tally.bytes, receiving.took(now).as_secs_f64())
}

/// How it is, for beside a bar.
fn brief(receiving: &Member<'_>) -> String {
    let content = receiving.driver.content();
    let tally = content.store.tally();
    match content.heard {
        None => "nothing has come yet".to_owned(),
        Some(_) if tally.gaps > 0 => format!("{} bytes, {}", tally.bytes, missing(&tally)),
        Some(_) => format!("{} bytes", tally.bytes),
    }
}

fn value(receiving: &Member<'_>, now: Duration) -> Value {
    let driver = &receiving.driver;
    let (content, counters) = (driver.content(), driver.counters());
    let tally = content.store.tally();
    json!({
        "id": driver.directory().own_id(),
        "bytes": tally.bytes,
        "from": tally.missed,
        "lost": tally.lost,
        "unread_bytes": tally.unread,
        "left_out": tally.left_out,
        "gaps": tally.gaps,
        "restarts": tally.restarts,
        "is_over": content.store.complete(),
        "received": content.symbols,
        "seconds": receiving.took(now).as_secs_f64(),
        "forged_blocks": tally.forged,
        "forged": receiving.forged(),
        "early": content.early,
        "repeated": content.repeated,
        "malformed": content.malformed + counters.all_malformed(),
        "unread": receiving.unread(),
        "others": driver.other_sources().all(),
    })
}
