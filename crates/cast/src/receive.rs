//! `faircast receive`: files into a folder.

use crate::agreed::{Agreed, draw_id};
use crate::asking::Asking;
use crate::ending::{Ending, GOES_ON, Result, at_start};
use crate::following::{self, Following};
use crate::incoming::Incoming;
use crate::others::Others;
use crate::progress::Progress;
use crate::results::{Of, Results};
use crate::turns;
use crate::unread::Unread;
use crate::usage::Receive;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession};
use faircast_deliver::names::WORK_FOLDER;
use faircast_deliver::store::{Event, Existing, Settings, Store};
use faircast_wire::clock::Clock as _;
use faircast_wire::record::receiver_name;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How often a receiver asks, on average; what an [`Offer`](faircast_deliver::Offer) takes a round for by default.
const PERIOD: Duration = Duration::from_secs(1);
/// Bytes of a request at most.
const REQUEST_BYTES: usize = 600;
type Member = following::Member<Store>;

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
    let mut following = Following::new(&agreed, id, listening.source);
    let mut driver = following.member(content)?;
    let who = receiver_name(id);
    let of = Of { verb: "receive", who: &who, agreed: &agreed, interface: &sockets.interface().name };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut driver)?;
    following.start(&mut driver, &mut clock, &mut sockets)?;
    let mut asking = Asking::new(began, id);
    let mut progress = Progress::new(options.output, began);
    let mut unread = Unread::new(listening.keys.as_deref());
    let mut others = Others::default();
    let mut refused: Vec<String> = Vec::new();
    loop {
        let now = turns::time(clock.now());
        driver.content_mut().now = now;
        let sending = driver.content().limits.rate_bps.unwrap_or(f64::NAN);
        results.turn(turns::instant(now), &mut driver, sending).iter().for_each(|why| progress.notes(why));
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
            Event::All => asking.next = now,
        }
        if now >= asking.next {
            asking.turns();
            let content = driver.content_mut();
            content.store.flush()?;
            let is_complete = content.store.complete();
            if is_complete && asking.has_said_farewell() {
                driver.stop(&mut clock, &mut sockets);
                results.end(clock.now(), &mut driver, "done").iter().for_each(|why| progress.notes(why));
                let value = value(&driver, now - began, following.forged(&driver), &unread);
                return Ok(end(summary(&driver, now - began, following.forged(&driver)), value, refused));
            }
            if let Some(request) = content.store.request(now, REQUEST_BYTES) {
                let wants = faircast_deliver::feedback::Request::decode(&request).is_ok_and(|r| !r.lines.is_empty());
                if asking.says(is_complete, wants, PERIOD) {
                    driver.say(&request, &mut clock, &mut sockets);
                }
            }
            asking.waits(now, is_complete, PERIOD);
        }
        let own = if is_working { now } else { asking.next };
        let own = results.next().into_iter().chain(Some(turns::instant(own))).min();
        turns::turn(&mut driver, &mut clock, &mut sockets, own)?;
        if let Some(failure) = driver.content_mut().failure.take() {
            return Err(failure.into());
        }
        driver = following.follow(driver, now, &mut results, &mut clock, &mut sockets)?;
        if let Some(sentence) = unread.look(now, &driver.content().heard_of(following.forged(&driver)))
            && !options.output.json
        {
            progress.notes(&format!("faircast: {sentence}"));
        }
        if let Some(sentence) = following::others(&mut others, now, &driver)
            && !options.output.json
        {
            progress.notes(&format!("faircast: {sentence}"));
        }
        let since = driver.content().heard.unwrap_or(began);
        if let Some(patience) = options.patience.filter(|patience| now.saturating_sub(since) > *patience) {
            driver.content_mut().store.flush()?;
            driver.stop(&mut clock, &mut sockets);
            results.end(clock.now(), &mut driver, "incomplete").iter().for_each(|why| progress.notes(why));
            let all = following.forged(&driver);
            let heard = driver.content().heard_of(all);
            if let Some(ending) = unread.in_vain(&heard) {
                return Err(ending);
            }
            let silence = unread.silence(&heard, patience.as_secs_f64());
            let sentence = format!("incomplete: {silence}; what has come is kept");
            return Ok(Ending::Incomplete(sentence, value(&driver, now - began, all, &unread)));
        }
        if interrupted() {
            driver.content_mut().store.flush()?;
            driver.stop(&mut clock, &mut sockets);
            results.end(clock.now(), &mut driver, "interrupted").iter().for_each(|why| progress.notes(why));
            return Err(Ending::Interrupted(GOES_ON));
        }
        let forged = following.forged(&driver);
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

fn end(text: String, value: Value, refused: Vec<String>) -> Ending {
    match refused.into_iter().next() {
        None => Ending::Done(text, value),
        Some(sentence) => Ending::Incomplete(sentence, value),
    }
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

fn value(driver: &Member, took: Duration, forged: u64, unread: &Unread) -> Value {
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
        "forged": forged,
        "early": content.early,
        "repeated": content.repeated,
        "malformed": content.malformed + counters.all_malformed(),
        "unread": unread.said(),
        "others": driver.other_sources().all(),
    })
}
