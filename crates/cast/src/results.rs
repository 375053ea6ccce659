//! What a session shows, written into a folder that `faircast plot`, `why` and `report` read: option `--results`.
//!
//! The folder holds a [journal](crate::journal), to which each interval is appended when it is over. The package makes
//! tables of it when it reads it, or at the end of its own verbs (`python/faircast/hosts`).

use crate::agreed::Agreed;
use crate::ending::{Ending, Result};
use crate::journal::{self, Closed, Journal};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::Instant;
use faircast_tables::table::{Table, Values};
use faircast_wire::clock::Clock;
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::event_log::EventLog;
use faircast_wire::network::Network;
use faircast_wire::record::{INTERVAL, Part, Record, receiver_name};
use nix::unistd::gethostname;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file in the folder.
pub const JOURNAL: &str = "session.journal";
/// Bytes of it at most, a choice: a day and a half where a report and a rate come each 40 ms.
const MOST_BYTES: u64 = 1 << 30;

/// How a verb ended that an error ended.
pub const FAILED: &str = "failed";

/// What a sender is called.
pub const SENDER: &str = "sender";

/// The application's side of a driver, of which events are kept.
pub trait Logged {
    /// Those that are kept.
    fn log(&mut self) -> &mut EventLog;
}

/// What is written down, if anything is.
pub struct Results {
    open: Option<Open>,
}

struct Open {
    record: Record,
    journal: Journal,
    path: PathBuf,
    began: Instant,
    /// When it was looked at last.
    seen: Instant,
    /// How far the tables come, seconds.
    until_s: f64,
    /// Nothing is to be written any more.
    is_over: bool,
}

/// Of whom it is written down.
pub struct Of<'a> {
    /// The verb.
    pub verb: &'a str,
    /// What the endpoint is called.
    pub who: &'a str,
    /// What both ends agree on.
    pub agreed: &'a Agreed,
    /// The interface's name.
    pub interface: &'a str,
}

impl Results {
    /// Begins to write down what a driver that has been started does, if a folder is named, or goes on with that.
    pub fn open<E: Endpoint, C: Content + Logged>(
        folder: Option<&str>,
        of: &Of,
        now: Instant,
        driver: &mut Driver<E, C>,
    ) -> Result<Results> {
        Results::up_to(MOST_BYTES, folder, of, now, driver)
    }

    fn up_to<E: Endpoint, C: Content + Logged>(
        most: u64,
        folder: Option<&str>,
        of: &Of,
        now: Instant,
        driver: &mut Driver<E, C>,
    ) -> Result<Results> {
        let Some(folder) = folder else { return Ok(Results { open: None }) };
        let wrong = |why: String| Ending::Input(format!("--results {folder:?} given; {why}"));
        check(Some(folder))?;
        fs::create_dir_all(folder).map_err(|why| wrong(format!("it cannot be made: {why}")))?;
        let path = Path::new(folder).join(JOURNAL);
        let (mut journal, first) = Journal::open(&path, most).map_err(|closed| match closed {
            Closed::Busy => wrong("another command writes there; legal is a folder of its own for each".to_owned()),
            Closed::System(why) => Ending::System(format!("cannot write {}: {why}", path.display())),
        })?;
        let name = of.agreed.groups.first().to_string();
        let own = (of.who != SENDER).then(|| (driver.directory().own_id(), of.who));
        let new = |began| Record::new(&of.agreed.session, &name, own, (began, now));
        let columns = columns(&new(now).empty(driver));
        let head = head(of, &name, now, columns)?;
        let began = match &first {
            None => now,
            Some(first) => Instant(same(first, &head).ok_or_else(|| {
                wrong("it holds another session; legal is a new folder, or that of the same session".to_owned())
            })?),
        };
        let record = new(began);
        let begins = if first.is_none() { head } else { json!({ "again_s": now.since(began).as_secs_f64() }) };
        let appended = journal.append(&begins);
        appended.map_err(|why| Ending::System(format!("cannot write {}: {why}", path.display())))?;
        driver.content_mut().log().want();
        let until_s = now.since(began).as_secs_f64();
        Ok(Results { open: Some(Open { record, journal, path, began, seen: now, until_s, is_over: false }) })
    }

    /// When there is something to do; never if nothing is written down.
    pub fn next(&self) -> Option<Instant> {
        self.open.as_ref().map(|open| open.record.next())
    }

    /// Writes down the interval, if it is over. `sending_bps` is what a member knows of its source's rate. A sentence
    /// if it cannot be written: nothing is written down from then on, and the session goes on.
    pub fn turn<E: Endpoint, C: Content + Logged>(
        &mut self,
        now: Instant,
        driver: &mut Driver<E, C>,
        sending_bps: f64,
    ) -> Option<String> {
        let open = self.open.as_mut()?;
        open.seen = now;
        if now < open.record.next() {
            return None;
        }
        let mut log = std::mem::take(driver.content_mut().log());
        let part = open.record.look(now, driver, &mut log, sending_bps);
        *driver.content_mut().log() = log;
        let failed = open.write(&part?, None);
        self.unless(failed, driver)
    }

    /// The endpoint is another one from now on.
    pub fn renew(&mut self, now: Instant) {
        if let Some(open) = &mut self.open {
            open.record.renew(now);
        }
    }

    /// Lets the driver stop and writes down what there is since the last interval, and how it ended. A sentence if that
    /// cannot be written.
    pub fn close<E: Endpoint, C: Content + Logged>(
        &mut self,
        how: &str,
        driver: &mut Driver<E, C>,
        clock: &mut impl Clock,
        network: &mut impl Network,
    ) -> Option<String> {
        driver.stop(clock, network);
        self.end(clock.now(), driver, how)
    }

    /// Writes down what there is since the last interval, and how it ended.
    pub fn end<E: Endpoint, C: Content + Logged>(
        &mut self,
        now: Instant,
        driver: &mut Driver<E, C>,
        how: &str,
    ) -> Option<String> {
        let open = self.open.as_mut()?;
        let mut log = std::mem::take(driver.content_mut().log());
        let part = open.record.rest(now, driver, &mut log);
        let failed = open.write(&part, Some(how));
        self.unless(failed, driver)
    }

    fn unless<E: Endpoint, C: Content + Logged>(
        &mut self,
        failed: Option<String>,
        driver: &mut Driver<E, C>,
    ) -> Option<String> {
        if failed.is_some() {
            self.open = None;
            *driver.content_mut().log() = EventLog::default();
        }
        failed
    }
}

impl Open {
    fn write(&mut self, part: &Part, how: Option<&str>) -> Option<String> {
        let tables: Map<String, Value> = part
            .tables
            .iter()
            .filter(|table| table.rows() > 0)
            .map(|table| (table.name.to_owned(), rows(table)))
            .collect();
        let mut record = json!({ "t_s": part.t_s, "tables": tables });
        if part.left_out > 0 {
            record["left_out"] = json!(part.left_out);
        }
        if let Some(how) = how {
            record["ended"] = json!(how);
        }
        let appended = self.journal.append(&record);
        self.is_over = how.is_some() || appended.is_err();
        match appended {
            Ok(()) => {
                self.until_s = part.t_s;
                None
            }
            Err(why) => {
                let (path, until_s) = (self.path.display(), self.until_s);
                Some(format!("cannot write {path}: {why}; its tables end at {until_s:.1} s, the session goes on"))
            }
        }
    }
}

/// What is left without an end has failed, whichever error of a verb's loop that was.
impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_over {
            let t_s = self.seen.since(self.began).as_secs_f64();
            // If that cannot be written either, there is no end, and a reader says so.
            let _ = self.journal.append(&json!({ "t_s": t_s, "tables": {}, "ended": FAILED }));
        }
    }
}

/// Looks whether a folder may be written, before anything else takes its time.
pub fn check(folder: Option<&str>) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let wrong = |why: String| Ending::Input(format!("--results {folder:?} given; {why}"));
    let there = match fs::read_dir(folder) {
        Ok(mut there) => there.next().is_some(),
        Err(why) if why.kind() == ErrorKind::NotFound => false,
        Err(why) => return Err(wrong(format!("it is no folder that can be read: {why}"))),
    };
    if there && !Path::new(folder).join(JOURNAL).exists() {
        return Err(wrong("it holds something else; legal is a new folder, or that of the same session".to_owned()));
    }
    Ok(())
}

/// The id of the receiver without keys of whom a folder tells: whoever goes on there is the same.
pub fn kept_id(folder: Option<&str>) -> Option<u64> {
    let first = journal::beginning(&Path::new(folder?).join(JOURNAL))?;
    let who = first["who"].as_str()?;
    let id = who.rsplit('-').next()?.parse().ok()?;
    // Those of receivers with keys are short.
    (who == receiver_name(id) && id >> 63 == 1).then_some(id)
}

/// The first record: what the others are about.
fn head(of: &Of, name: &str, began: Instant, columns: Value) -> Result<Value> {
    let unwritten = |why| Ending::System(format!("cannot write the session's table: {why}"));
    let mut session = of.agreed.session.table().map_err(unwritten)?;
    if let (true, Some(table)) = (of.who != SENDER, session.as_object_mut()) {
        // A receiver is not told.
        table.remove("max_rate");
    }
    let host = gethostname().ok().and_then(|name| name.into_string().ok());
    Ok(json!({
        "kind": "session",
        "format": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "verb": of.verb,
        "name": name,
        "session": session,
        "who": of.who,
        "interface": of.interface,
        "host": host,
        "began_ns": began.0,
        "interval_s": INTERVAL.as_secs_f64(),
        "columns": columns,
    }))
}

/// When a session began whose first record is this, if it is the same.
fn same(first: &Value, head: &Value) -> Option<u64> {
    let began = first["began_ns"].as_u64()?;
    let mut first = first.clone();
    first["began_ns"] = head["began_ns"].clone();
    (first == *head).then_some(began)
}

/// The names of columns, and what they hold.
fn columns(tables: &[Table]) -> Value {
    let columns = |table: &Table| -> Value {
        let kind = |values: &Values| match values {
            Values::Float(_) => "f64",
            Values::Integer(_) => "i64",
            Values::Words(_) => "str",
        };
        table.columns.iter().map(|column| json!([column.name, kind(&column.values)])).collect()
    };
    tables.iter().map(|table| (table.name.to_owned(), columns(table))).collect::<Map<String, Value>>().into()
}

/// The columns of a table, value by value; null in place of what is no number.
fn rows(table: &Table) -> Value {
    let values = |values: &Values| -> Value {
        match values {
            Values::Float(values) => values.iter().map(|value| json!(value)).collect(),
            Values::Integer(values) => values.iter().map(|value| json!(value)).collect(),
            Values::Words(words) => words.codes.iter().map(|code| json!(words.dictionary[*code as usize])).collect(),
        }
    };
    table.columns.iter().map(|column| values(&column.values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Words, read};
    use crate::usage::Verb;
    use crate::watching::Watching;
    use faircast_deliver::keys::ReceiverSession;
    use faircast_proto::registry::SchemeReceiver;
    use faircast_proto::time::Duration;

    const ID: u64 = 1 << 63 | 7;

    type Member = Driver<SchemeReceiver, Watching>;

    fn agreed() -> Agreed {
        let words: Vec<String> = "probe --from 239.1.2.3:5000 --open".split(' ').map(str::to_owned).collect();
        let Ok(Words::Verb(verb)) = read(&words) else { panic!() };
        let Verb::Probe(options) = *verb else { panic!() };
        Agreed::read(&options.listening.shared, false, ("from", options.listening.from), None).unwrap()
    }

    fn folder(name: &str) -> String {
        let path = std::env::temp_dir().join(format!("faircast-cast-results-{name}-{}", std::process::id()));
        path.to_str().unwrap().to_owned()
    }

    fn at(seconds: f64) -> Instant {
        Instant(1_800_000_000_000_000_000) + Duration((seconds * 1e9) as u64)
    }

    /// What is written down of a receiver, up to so many bytes.
    fn open(folder: &str, most: u64, now: Instant) -> (Results, Member) {
        let agreed = agreed();
        let content = Watching::new(ReceiverSession::new(None, 0), std::time::Duration::ZERO);
        let mut driver = agreed.session.member(ID, agreed.groups, None, content).unwrap();
        let who = receiver_name(ID);
        let of = Of { verb: "receive", who: &who, agreed: &agreed, interface: "lo" };
        let results = Results::up_to(most, Some(folder), &of, now, &mut driver).unwrap();
        (results, driver)
    }

    fn records(folder: &str) -> Vec<Value> {
        let text = fs::read_to_string(Path::new(folder).join(JOURNAL)).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line.splitn(3, ' ').nth(2)?).ok()).collect()
    }

    #[test]
    fn what_is_left_without_an_end_has_failed() {
        let folder = folder("failed");
        let (mut results, mut driver) = open(&folder, MOST_BYTES, at(0.0));
        assert_eq!(results.turn(at(1.0), &mut driver, f64::NAN), None);
        assert_eq!(results.turn(at(1.5), &mut driver, f64::NAN), None);
        drop(results);
        let written = records(&folder);
        assert_eq!(written.len(), 3);
        assert_eq!(written[2], json!({ "t_s": 1.5, "tables": {}, "ended": "failed" }));
        // An end that was written is the only one.
        let (mut results, mut driver) = open(&folder, MOST_BYTES, at(3.0));
        assert_eq!(results.end(at(3.5), &mut driver, "done"), None);
        drop(results);
        let written = records(&folder);
        assert_eq!(written[3], json!({ "again_s": 3.0 }));
        assert_eq!((&written[4]["ended"], written.len()), (&json!("done"), 5));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn where_the_tables_end_is_where_the_last_interval_was_written() {
        let folder = folder("full");
        let (mut results, mut driver) = open(&folder, MOST_BYTES, at(0.0));
        results.turn(at(1.0), &mut driver, f64::NAN);
        drop(results);
        let bytes = fs::metadata(Path::new(&folder).join(JOURNAL)).unwrap().len();
        fs::remove_dir_all(&folder).unwrap();
        // There is room for two intervals, and for an end that is no failure either.
        let (mut results, mut driver) = open(&folder, bytes + 900, at(0.0));
        let said: Vec<String> =
            (1..9).filter_map(|second| results.turn(at(f64::from(second)), &mut driver, f64::NAN)).collect();
        drop(results);
        let written = records(&folder);
        let last = written.last().unwrap();
        assert!(written.len() > 2 && last["ended"].is_null(), "{written:?}");
        let until = format!("its tables end at {:.1} s, the session goes on", last["t_s"].as_f64().unwrap());
        assert!(said.len() == 1 && said[0].ends_with(&until), "{said:?}, not {until}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_receiver_without_keys_goes_on_in_its_folder() {
        let folder = folder("kept");
        assert_eq!((kept_id(None), kept_id(Some(&folder))), (None, None));
        drop(open(&folder, MOST_BYTES, at(0.0)));
        assert_eq!(kept_id(Some(&folder)), Some(ID));
        let path = Path::new(&folder).join(JOURNAL);
        for who in ["sender", "probe", "receiver-3", "receiver-x", "9223372036854775815"] {
            fs::remove_file(&path).unwrap();
            let (mut journal, _) = Journal::open(&path, MOST_BYTES).unwrap();
            journal.append(&json!({ "who": who })).unwrap();
            assert_eq!(kept_id(Some(&folder)), None, "{who}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
