//! `faircast receive`: files into a folder.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, GOES_ON, Result, at_start};
use crate::incoming::Incoming;
use crate::progress::Progress;
use crate::receiving::{Receiving, Who};
use crate::results::{Of, Results};
use crate::turns;
use crate::usage::Receive;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession};
use faircast_deliver::names::WORK_FOLDER;
use faircast_deliver::store::{Event, Existing, Settings, Store};
use faircast_wire::clock::Clock as _;
use faircast_wire::record::receiver_name;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

type Member<'a> = Receiving<'a, Store>;

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
    let who = Who { id, source: listening.source, keys: listening.keys.as_deref() };
    let mut receiving = Receiving::new(&agreed, who, content)?;
    let name = receiver_name(id);
    let of = Of { verb: "receive", who: &name, agreed: &agreed, interface: &sockets.interface().name };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut receiving.driver)?;
    receiving.start(&mut clock, &mut sockets)?;
    let mut progress = Progress::new(options.output, began);
    let mut refused: Vec<String> = Vec::new();
    loop {
        let now = turns::time(clock.now());
        receiving.begin_turn(now);
        let sending = receiving.driver.content().limits.rate_bps.unwrap_or(f64::NAN);
        progress.notes_all(results.turn(turns::instant(now), &mut receiving.driver, sending));
        let event = receiving.driver.content_mut().store.proceed()?;
        let is_working = matches!(event, Event::Refused(..) | Event::File(_) | Event::Working);
        match event {
            Event::Refused(_, sentence) => {
                progress.notes(&format!("faircast: {sentence}"));
                refused.push(sentence);
            }
            Event::File(name) if !options.output.json => progress.notes(name.as_str()),
            Event::All => receiving.hurry(now),
            Event::File(_) | Event::Working | Event::Nothing => {}
        }
        let is_whole = receiving.driver.content().store.complete();
        if receiving.speak(now, is_whole, &mut clock, &mut sockets)? {
            progress.notes_all(results.close("done", &mut receiving.driver, &mut clock, &mut sockets));
            return Ok(end(summary(&receiving, now), value(&receiving, now), refused));
        }
        let own = if is_working { now } else { receiving.speaks_at() };
        let own = results.next().into_iter().chain(Some(turns::instant(own))).min();
        turns::turn(&mut receiving.driver, &mut clock, &mut sockets, own)?;
        receiving = receiving.follow(now, &mut results, &mut clock, &mut sockets)?;
        for sentence in receiving.remarks(now).iter().filter(|_| !options.output.json) {
            progress.notes(&format!("faircast: {sentence}"));
        }
        if let Some(patience) = options.patience.filter(|patience| receiving.is_silent_for(*patience, now)) {
            receiving.driver.content_mut().store.flush()?;
            progress.notes_all(results.close("incomplete", &mut receiving.driver, &mut clock, &mut sockets));
            let sentence = format!("incomplete: {}; what has come is kept", receiving.silence(patience)?);
            return Ok(Ending::Incomplete(sentence, value(&receiving, now)));
        }
        if interrupted() {
            receiving.driver.content_mut().store.flush()?;
            progress.notes_all(results.close("interrupted", &mut receiving.driver, &mut clock, &mut sockets));
            return Err(Ending::Interrupted(GOES_ON));
        }
        progress.shows(now, come(&receiving), || brief(&receiving), || summary(&receiving, now));
    }
}

/// How many symbols have come, of how many.
fn come(receiving: &Member<'_>) -> (u64, u64) {
    let progress = receiving.driver.content().store.progress();
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
fn brief(receiving: &Member<'_>) -> String {
    let content = receiving.driver.content();
    let progress = content.store.progress();
    match content.heard {
        None => "nothing has come yet".to_owned(),
        Some(_) => format!("{} of {} files, {} symbols are lacking", progress.named, progress.files, progress.left),
    }
}

/// How far it is, in a line.
fn summary(receiving: &Member<'_>, now: Duration) -> String {
    let (content, seconds, forged) =
        (receiving.driver.content(), receiving.took(now).as_secs_f64(), receiving.forged());
    let progress = content.store.progress();
    let forged = if forged > 0 { format!(", {forged} forged packets refused") } else { String::new() };
    if content.store.manifest().is_none() {
        let early = match content.early {
            0 => String::new(),
            early => format!(", {early} packets came of a session whose root has not come"),
        };
        return format!("nothing has come yet in {seconds:.1} s{early}{forged}");
    }
    format!(
        "{} of {} files, {} bytes, {} of {} symbols are lacking after {seconds:.1} s{forged}",
        progress.named, progress.files, progress.bytes, progress.left, progress.symbols,
    )
}

fn value(receiving: &Member<'_>, now: Duration) -> Value {
    let driver = &receiving.driver;
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
        "seconds": receiving.took(now).as_secs_f64(),
        "forged_blocks": progress.forged,
        "forged": receiving.forged(),
        "early": content.early,
        "repeated": content.repeated,
        "malformed": content.malformed + counters.all_malformed(),
        "unread": receiving.unread(),
        "others": driver.other_sources().all(),
    })
}
