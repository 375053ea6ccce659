//! The sending end of `faircast stream`.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, Result, at_start};
use crate::outgoing::Outgoing;
use crate::progress::Progress;
use crate::results::{self, Of, Results, SENDER};
use crate::sending::Sending;
use crate::told::{self, limits, rate, troubles};
use crate::turns;
use crate::usage::Stream;
use faircast_deliver::geometry::Cut;
use faircast_deliver::keys::{SenderKeys, SenderSession};
use faircast_deliver::stream::{Sender, Settings};
use faircast_wire::clock::Clock as _;
use nix::errno::Errno;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::Duration;

/// Source symbols of a block at most: at 1144 bytes each 586 kB.
const BLOCK_SYMBOLS: u16 = 512;
/// How long a block is kept, unless said.
const DELAY: Duration = Duration::from_secs(5);
/// Bytes that blocks may have in memory, by the greatest rate and the delay.
const MOST_BYTES: f64 = 1e9;
/// Bytes that are read at once: a pipe of Linux has no more.
const READ: usize = 1 << 16;

type Source = told::Source<Sender>;

/// Sends standard input until it ends and all who receive have it.
pub fn command(
    options: &Stream,
    to: SocketAddr,
    max_rate: &str,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Ending> {
    let agreed = Agreed::read(&options.shared, options.keys.is_some(), ("to", to), Some(max_rate))?;
    agreed.check_one_group(options.shared.scheme.as_deref())?;
    let keys = options.keys.as_ref().map(|path| SenderKeys::read(Path::new(path))).transpose().map_err(at_start)?;
    let all = keys.as_ref().map_or(u32::MAX, SenderKeys::receivers);
    let expected = options.receivers.unwrap_or(1);
    if expected > all {
        return Err(Ending::Input(format!("--receivers \"{expected}\" given; legal is 1 to {all}")));
    }
    let patience = options.patience.unwrap_or(Duration::from_secs(60));
    let delay = options.delay.unwrap_or(DELAY);
    let most = MOST_BYTES * 8.0 / agreed.session.max_rate.0 as f64;
    if delay.as_secs_f64() > most {
        let (given, sentence) = (delay.as_secs_f64(), "blocks of 1 GB would be kept at that rate");
        return Err(Ending::Input(format!(
            "--delay {given} with --max-rate {max_rate}: {sentence}; legal is up to {most:.1}"
        )));
    }
    let mut sockets = agreed.sockets(options.shared.interface.as_deref(), None, options.ttl)?;
    agreed.check_length(sockets.interface())?;
    results::check(options.written.results.as_deref())?;
    let session = SenderSession::start(keys.as_ref())?;
    let cut = Cut { symbol_bytes: agreed.symbol_bytes, block_symbols: BLOCK_SYMBOLS };
    let settings = Settings {
        is_live: options.live,
        expected: expected as usize,
        ..Settings::new(cut, turns::since_1970().as_secs(), delay)
    };
    let sender = Sender::new(settings, session.salt(), keys.as_ref().map(SenderKeys::signer)).map_err(at_start)?;
    let mut clock = turns::clock();
    let began = turns::time(clock.now());
    let mut progress = Progress::new(options.output(), began);
    let content = Outgoing::new(sender, session, keys.is_some(), began);
    let mut sending = Sending::new(agreed.session.source(draw_id()?, agreed.groups, content)?);
    let of = Of { verb: "stream", who: SENDER, agreed: &agreed, interface: &sockets.interface().name };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut sending.driver)?;
    sending.driver.start(&mut clock, &mut sockets);
    let input = std::io::stdin();
    let (mut is_ready, mut ended) = (false, None);
    let mut bytes = vec![0; READ];
    loop {
        let now = turns::time(clock.now());
        sending.begin_turn(now);
        progress.notes_all(results.turn(turns::instant(now), &mut sending.driver, f64::NAN));
        let sender = &mut sending.driver.content_mut().offer;
        let wants = if ended.is_none() { sender.wants().min(READ) } else { 0 };
        if is_ready && wants > 0 {
            match nix::unistd::read(input.as_fd(), &mut bytes[..wants]) {
                Ok(0) => {
                    sender.end(now);
                    ended = Some(now);
                }
                Ok(count) => sender.push(now, &bytes[..count]),
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(why) => return Err(Ending::System(format!("cannot read standard input: {}", why.desc()))),
            }
        }
        let own = sending.grant(now, &mut clock, &mut sockets);
        let driver = &mut sending.driver;
        let own = own.into_iter().chain(results.next()).min();
        let is_read = ended.is_none() && driver.content().offer.wants() > 0;
        let beside = turns::Beside { reads: is_read.then(|| input.as_fd()), writes: None };
        is_ready = turns::turn_beside(driver, &mut clock, &mut sockets, own, beside)?;
        let content = driver.content();
        if content.offer.finished(now) {
            progress.notes_all(results.close("done", driver, &mut clock, &mut sockets));
            return Ok(end(driver, now - began).silent_if(options.quiet && !options.json));
        }
        if ended.is_some_and(|ended| now.saturating_sub(content.active.max(ended)) > patience) {
            progress.notes_all(results.close("incomplete", driver, &mut clock, &mut sockets));
            let why = format!("nobody who lacks something was heard for {} s", patience.as_secs_f64());
            let text = format!("incomplete, {why}: {}", summary(driver, now - began));
            return Ok(Ending::Incomplete(text, value(driver, now - began)));
        }
        if interrupted() {
            progress.notes_all(results.close("interrupted", driver, &mut clock, &mut sockets));
            let text = format!("interrupted: {}", summary(driver, now - began));
            return Ok(Ending::Stopped(text, value(driver, now - began)));
        }
        progress.flows(now, || brief(driver), || summary(driver, now - began));
    }
}

/// The input is over, and everybody has come to its end.
fn end(driver: &Source, took: Duration) -> Ending {
    let sender = &driver.content().offer;
    let (text, value) = (summary(driver, took), value(driver, took));
    let losers = sender.roster().receivers().filter(|(id, _)| sender.lost_by(*id) > 0).count();
    match (losers, sender.left_out()) {
        (0, 0) => Ending::Done(format!("sent {text}"), value),
        (0, _) => Ending::Incomplete(format!("incomplete, not all of the input was sent: {text}"), value),
        _ => Ending::Incomplete(format!("incomplete, {losers} receivers have lost something: {text}"), value),
    }
}

/// How it is, in a line.
fn summary(driver: &Source, took: Duration) -> String {
    let sender = &driver.content().offer;
    let left_out = match sender.left_out() {
        0 => String::new(),
        bytes => format!(", {bytes} of them left out"),
    };
    let at_end = if sender.is_over() { format!(", {} at the end", sender.roster().complete()) } else { String::new() };
    let gone = match sender.roster().left() {
        0 => String::new(),
        gone => format!(", {gone} have gone"),
    };
    format!(
        "{} bytes{left_out} in {:.1} s, {} receivers{at_end}{gone}{}{}{}",
        sender.bytes(),
        took.as_secs_f64(),
        sender.roster().receivers().count(),
        rate(driver),
        limits(driver),
        troubles(driver)
    )
}

/// How it is, for beside a bar.
fn brief(driver: &Source) -> String {
    let sender = &driver.content().offer;
    if !sender.has_begun() {
        return "nobody receives yet".to_owned();
    }
    format!(
        "{} bytes, {} receivers{}{}",
        sender.bytes(),
        sender.roster().receivers().count(),
        rate(driver),
        limits(driver)
    )
}

fn value(driver: &Source, took: Duration) -> Value {
    let sender = &driver.content().offer;
    let receivers: Vec<Value> = sender
        .roster()
        .receivers()
        .map(|(id, receiver)| {
            let lost = sender.lost_by(id);
            json!({ "id": id, "complete": receiver.complete(), "lost": lost, "asked": receiver.asked })
        })
        .collect();
    let own = json!({
        "bytes": sender.bytes(),
        "left_out": sender.left_out(),
        "blocks": sender.blocks(),
        "is_over": sender.is_over(),
        "receivers": receivers,
        "complete": sender.roster().complete(),
    });
    told::value(driver, took, own)
}
