//! `faircast send`: files to all who receive.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, GOES_ON, Result, at_start};
use crate::outgoing::Outgoing;
use crate::progress::Progress;
use crate::results::{self, Of, Results, SENDER};
use crate::sending::Sending;
use crate::told::{self, limits, rate, troubles};
use crate::turns;
use crate::usage::Send;
use faircast_deliver::geometry::Cut;
use faircast_deliver::keys::{SenderKeys, SenderSession};
use faircast_deliver::offer::{Offer, Settings};
use faircast_deliver::source::gather;
use faircast_wire::clock::Clock as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Source symbols of a block.
const BLOCK_SYMBOLS: u16 = 512;

/// Sends files until all receivers have them.
pub fn command(options: &Send, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let agreed = Agreed::read(&options.shared, options.keys.is_some(), ("to", options.to), Some(&options.max_rate))?;
    let keys = options.keys.as_ref().map(|path| SenderKeys::read(Path::new(path))).transpose().map_err(at_start)?;
    let all = keys.as_ref().map_or(1, SenderKeys::receivers);
    let expected = options.receivers.unwrap_or(all);
    if keys.is_some() && expected > all {
        return Err(Ending::Input(format!("--receivers \"{expected}\" given; legal is 1 to {all}")));
    }
    let expected = expected as usize;
    let patience = options.patience.unwrap_or(Duration::from_secs(60));
    let mut sockets = agreed.sockets(options.shared.interface.as_deref(), None, options.ttl)?;
    agreed.check_length(sockets.interface())?;
    let session = SenderSession::start(keys.as_ref())?;
    let settings = Settings {
        cut: Cut { symbol_bytes: agreed.symbol_bytes, block_symbols: BLOCK_SYMBOLS },
        began: turns::since_1970().as_secs(),
        silent: patience,
        ..Settings::default()
    };
    results::check(options.written.results.as_deref())?;
    let files: Vec<PathBuf> = options.files.iter().map(PathBuf::from).collect();
    let files = gather(&files).map_err(at_start)?;
    // From the first look on an interrupt is something that is asked for.
    if interrupted() {
        return Err(Ending::Interrupted(GOES_ON));
    }
    let mut clock = turns::clock();
    let mut progress = Progress::new(options.output, turns::time(clock.now()));
    let mut goes_on = |bytes| {
        progress.reads(bytes);
        !interrupted()
    };
    let offer = Offer::new(files, settings, session.salt(), session.signer(), &mut goes_on);
    let offer = offer.map_err(|failure| match at_start(failure) {
        Ending::Interrupted(_) => Ending::Interrupted(GOES_ON),
        other => other,
    })?;
    let now = turns::time(clock.now());
    let content = Outgoing::new(offer, session, keys.is_some(), now);
    let mut sending = Sending::new(agreed.session.source(draw_id()?, agreed.groups, content)?);
    let of = Of { verb: "send", who: SENDER, agreed: &agreed, interface: &sockets.interface().name };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut sending.driver)?;
    sending.driver.start(&mut clock, &mut sockets);
    let began = now;
    loop {
        let now = turns::time(clock.now());
        sending.begin_turn(now);
        progress.notes_all(results.turn(turns::instant(now), &mut sending.driver, f64::NAN));
        let own = sending.grant(now, &mut clock, &mut sockets);
        let driver = &mut sending.driver;
        let own = own.into_iter().chain(results.next()).min();
        turns::turn(driver, &mut clock, &mut sockets, own)?;
        let content = driver.content_mut();
        if let Some(failure) = content.failure.take() {
            return Err(failure.into());
        }
        if content.offer.finished(now, expected) {
            let text = format!("sent {}", summary(driver, now - began, expected));
            progress.notes_all(results.close("done", driver, &mut clock, &mut sockets));
            return Ok(Ending::Done(text, value(driver, now - began)));
        }
        if now.saturating_sub(content.active) > patience {
            progress.notes_all(results.close("incomplete", driver, &mut clock, &mut sockets));
            let why = format!("nobody who lacks something was heard for {} s", patience.as_secs_f64());
            let text = format!("incomplete, {why}: {}", summary(driver, now - began, expected));
            return Ok(Ending::Incomplete(text, value(driver, now - began)));
        }
        if interrupted() {
            progress.notes_all(results.close("interrupted", driver, &mut clock, &mut sockets));
            return Err(Ending::Interrupted(GOES_ON));
        }
        let (sent, all) = (driver.content().sent.0, driver.content().offer.manifest().symbols());
        progress.shows(now, (sent, all), || brief(driver, expected), || summary(driver, now - began, expected));
    }
}

type Source = told::Source<Offer>;

/// How far it is, in a line.
fn summary(driver: &Source, took: Duration, expected: usize) -> String {
    let content = driver.content();
    let (files, bytes) = (content.offer.manifest().entries().len(), content.offer.manifest().bytes());
    let complete = content.offer.roster().complete();
    let (rate, limits, troubles) = (rate(driver), limits(driver), troubles(driver));
    let symbols = content.offer.manifest().symbols().max(1);
    let percent = 100 * content.sent.0 / symbols;
    format!(
        "{files} files, {bytes} bytes, {percent} % in {:.1} s; {complete} of {expected} receivers have everything\
         {rate}{limits}{troubles}",
        took.as_secs_f64()
    )
}

/// How far it is, for beside a bar.
fn brief(driver: &Source, expected: usize) -> String {
    format!("{} of {expected} have all{}{}", driver.content().offer.roster().complete(), rate(driver), limits(driver))
}

fn value(driver: &Source, took: Duration) -> Value {
    let content = driver.content();
    let receivers: Vec<Value> = content
        .offer
        .roster()
        .receivers()
        .map(|(id, receiver)| {
            let left = (receiver.left != u64::MAX).then_some(receiver.left);
            json!({ "id": id, "complete": receiver.complete(), "left": left, "asked": receiver.asked })
        })
        .collect();
    let own = json!({
        "files": content.offer.manifest().entries().len(),
        "bytes": content.offer.manifest().bytes(),
        "receivers": receivers,
        "complete": content.offer.roster().complete(),
    });
    told::value(driver, took, own)
}
