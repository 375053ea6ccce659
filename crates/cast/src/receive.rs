//! `faircast receive`: files into a folder.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, Result, at_start};
use crate::incoming::Incoming;
use crate::progress::Progress;
use crate::turns;
use crate::usage::Receive;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession};
use faircast_deliver::names::WORK_FOLDER;
use faircast_deliver::store::{Event, Existing, Settings, Store};
use faircast_proto::registry::SchemeReceiver;
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock as _;
use faircast_wire::driver::Driver;
use faircast_wire::network::Network as _;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How often a receiver asks, on average; what an [`Offer`](faircast_deliver::Offer) takes a round for by default.
const PERIOD: Duration = Duration::from_secs(1);
/// After so many turns without a need it says how much is still to come.
const SAYS_EVERY: u32 = 5;
/// How often, and with which gap, it says that it has everything: nobody answers.
const FAREWELLS: u32 = 5;
const FAREWELL_GAP: Duration = Duration::from_millis(300);
/// Bytes of a request at most.
const REQUEST_BYTES: usize = 600;
/// A source that is silent for so long makes room for another that is there.
const GONE: Duration = Duration::from_secs(3);

type Member = Driver<SchemeReceiver, Incoming>;

/// Receives files until all are there.
pub fn command(options: &Receive, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let listening = &options.listening;
    let agreed = Agreed::read(&listening.shared, listening.keys.is_some(), ("from", listening.from), None)?;
    let keys = listening.keys.as_ref().map(|path| ReceiverKeys::read(Path::new(path))).transpose().map_err(at_start)?;
    let folder = Path::new(&options.folder);
    let mut sockets = agreed.sockets(listening.shared.interface.as_deref(), listening.source, None)?;
    let verifier = ReceiverSession::new(keys.as_ref(), 0).verifier();
    let existing = if options.replace { Existing::Replace } else { Existing::Keep };
    let settings = Settings { existing, ..Settings::default() };
    let store = Store::open(folder, settings, verifier)?;
    let numbers = store.counter(turns::since_1970().as_micros() as u64)?;
    let id = match &keys {
        Some(keys) => keys.id().into(),
        None => kept_id(folder)?,
    };
    let mut clock = turns::clock();
    let began = turns::time(clock.now());
    let session = ReceiverSession::new(keys.as_ref(), numbers.start);
    let content = Incoming::new(store, session, keys.is_some().then_some(numbers.end), began);
    let member = |content| agreed.session.member(id, agreed.groups, listening.source, content).map_err(Ending::from);
    let mut driver: Member = member(content)?;
    driver.start(&mut clock, &mut sockets);
    if driver.joined().is_empty() {
        let why = driver.counters().last_failure.map_or(String::new(), |kind| format!(": {kind}"));
        return Err(Ending::Input(format!("cannot receive on {}{why}", agreed.groups.first())));
    }
    let (mut ask, mut turn, mut farewells) = (began, 0, 0);
    let mut progress = Progress::new(options.output, began);
    let (mut foreign, mut random, mut forged) = (0, id, 0);
    let mut refused: Vec<String> = Vec::new();
    loop {
        let now = turns::time(clock.now());
        driver.content_mut().now = now;
        let mut is_working = false;
        match driver.content_mut().store.proceed()? {
            Event::Nothing => {}
            Event::Refused(_, sentence) => {
                progress.notes(&format!("faircast: {sentence}"));
                refused.push(sentence);
                is_working = true;
            }
            Event::File(name) => {
                if !options.output.json {
                    progress.notes(name.as_str());
                }
                is_working = true;
            }
            Event::Working => is_working = true,
            Event::All => ask = now,
        }
        if now >= ask {
            turn += 1;
            let content = driver.content_mut();
            content.store.flush()?;
            let is_complete = content.store.complete();
            if is_complete && farewells == FAREWELLS {
                driver.stop(&mut clock, &mut sockets);
                return Ok(end(&driver, now - began, forged, refused));
            }
            if let Some(request) = content.store.request(now, REQUEST_BYTES) {
                let wants = faircast_deliver::feedback::Request::decode(&request).is_ok_and(|r| !r.lines.is_empty());
                if is_complete || wants || turn % SAYS_EVERY == 1 {
                    driver.say(&request, &mut clock, &mut sockets);
                }
            }
            // A session that began meanwhile has not been told yet.
            farewells = if is_complete { farewells + 1 } else { 0 };
            // A half to one and a half of the period, so that many do not ask at once.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let part = 0.5 + (random >> 40) as f64 / (1u64 << 24) as f64;
            ask = now + if is_complete { FAREWELL_GAP } else { PERIOD.mul_f64(part) };
        }
        let own = if is_working { now } else { ask };
        turns::turn(&mut driver, &mut clock, &mut sockets, Some(Instant(own.as_nanos() as u64)))?;
        if let Some(failure) = driver.content_mut().failure.take() {
            return Err(failure.into());
        }
        let heard = driver.content().heard;
        if heard == Some(now) {
            foreign = driver.counters().foreign;
        }
        let has_gone = heard.is_some_and(|heard| now.saturating_sub(heard) > GONE);
        let is_renewed = std::mem::take(&mut driver.content_mut().is_renewed);
        if is_renewed || (has_gone && driver.counters().foreign > foreign) {
            // Another source, or the same one that was started again: congestion control begins anew, files go on.
            forged += driver.counters().forged;
            let malformed = driver.counters().all_malformed();
            let before = driver.joined();
            driver = member(driver.into_content())?;
            driver.content_mut().heard = None;
            driver.content_mut().malformed += malformed;
            driver.start(&mut clock, &mut sockets);
            // Layers that the one before had joined would go on to come, and nobody would leave them.
            let now_joined = driver.joined();
            before.iter().filter(|number| !now_joined.contains(*number)).for_each(|number| sockets.leave(number));
            foreign = 0;
        }
        let since = driver.content().heard.unwrap_or(began);
        if let Some(patience) = options.patience.filter(|patience| now.saturating_sub(since) > *patience) {
            driver.content_mut().store.flush()?;
            let (seconds, all) = (patience.as_secs_f64(), all_forged(&driver, forged));
            if let (None, Some(path), 1..) = (driver.content().store.salt(), &listening.keys, all) {
                let sentence = format!("{path} opens none of the {all} packets that came: it is of another session");
                return Err(Ending::Input(sentence));
            }
            let sentence = format!("incomplete: nothing has come for {seconds} s; what has come is kept");
            return Ok(Ending::Incomplete(sentence, value(&driver, now - began, forged)));
        }
        if interrupted() {
            driver.content_mut().store.flush()?;
            driver.stop(&mut clock, &mut sockets);
            return Err(Ending::Interrupted);
        }
        progress.shows(now, come(&driver), || brief(&driver), || summary(&driver, now - began, forged));
    }
}

/// How many symbols have come, of how many.
fn come(driver: &Member) -> (u64, u64) {
    let progress = driver.content().store.progress();
    (progress.symbols.saturating_sub(progress.left), progress.symbols)
}

/// The id by which an open session knows this folder, also when it is started again; otherwise a sender would wait for
/// the one that was killed.
fn kept_id(folder: &Path) -> Result<u64> {
    let path = folder.join(WORK_FOLDER).join("id");
    let kept = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
    if let Some(id) = kept.filter(|id: &u64| id >> 63 == 1) {
        return Ok(id);
    }
    let id = draw_id()?;
    let written = std::fs::write(&path, format!("{id}\n"));
    written.map_err(|error| Ending::System(format!("cannot write {}: {error}", path.display())))?;
    Ok(id)
}

fn end(driver: &Member, took: Duration, forged: u64, refused: Vec<String>) -> Ending {
    let text = summary(driver, took, forged);
    match refused.first() {
        None => Ending::Done(text, value(driver, took, forged)),
        Some(sentence) => Ending::Incomplete(sentence.clone(), value(driver, took, forged)),
    }
}

/// Packets that nobody who has the key has sealed. What came too early or once more was refused, too, and is none of
/// these.
fn all_forged(driver: &Member, before: u64) -> u64 {
    (before + driver.counters().forged).saturating_sub(driver.content().early + driver.content().repeated)
}

/// How far it is, for beside a bar.
fn brief(driver: &Member) -> String {
    let progress = driver.content().store.progress();
    match driver.content().heard {
        None => "nothing has come yet".to_owned(),
        Some(_) => format!("{} of {} files, {} symbols are lacking", progress.named, progress.files, progress.left),
    }
}

/// How far it is, in a line.
fn summary(driver: &Member, took: Duration, forged: u64) -> String {
    let content = driver.content();
    let progress = content.store.progress();
    let forged = all_forged(driver, forged);
    let forged = if forged > 0 { format!(", {forged} forged packets refused") } else { String::new() };
    if content.store.manifest().is_none() {
        let early = match content.early {
            0 => String::new(),
            early => format!(", {early} packets came of a session whose root has not come"),
        };
        return format!("nothing has come yet in {:.1} s{early}{forged}", took.as_secs_f64());
    }
    format!(
        "{} of {} files, {} bytes, {} of {} symbols are lacking after {:.1} s{forged}",
        progress.named,
        progress.files,
        progress.bytes,
        progress.left,
        progress.symbols,
        took.as_secs_f64()
    )
}

fn value(driver: &Member, took: Duration, forged: u64) -> Value {
    let (content, counters) = (driver.content(), driver.counters());
    let progress = content.store.progress();
    json!({
        "id": driver.directory().own_id(),
        "files": progress.files,
        "named": progress.named,
        "refused": progress.refused,
        "bytes": progress.bytes,
        "symbols": progress.symbols,
        "left": progress.left,
        "received": content.symbols,
        "seconds": took.as_secs_f64(),
        "forged_blocks": progress.forged,
        "forged": all_forged(driver, forged),
        "early": content.early,
        "repeated": content.repeated,
        "malformed": content.malformed + counters.all_malformed(),
    })
}
