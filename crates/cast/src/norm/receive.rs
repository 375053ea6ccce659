//! `faircast receive --format norm`.

use super::agreed::{agreed, draw};
use super::folder::Folder;
use super::traffic::Traffic;
use crate::ending::{Ending, Result};
use crate::progress::Progress;
use crate::turns;
use crate::usage::Receive;
use faircast_deliver::store::{Existing, Loose};
use faircast_norm::Receiver;
use faircast_norm::receiver::Settings;
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock as _;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Receives files until the sender has no more.
pub fn command(options: &Receive, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let listening = &options.listening;
    let agreed = agreed(&listening.shared, &options.written, listening.keys.is_some(), ("from", listening.from), None)?;
    let sockets = agreed.sockets(listening.shared.interface.as_deref(), listening.source, None)?;
    let existing = if options.replace { Existing::Replace } else { Existing::Keep };
    let mut folder = Folder::new(Loose::open(Path::new(&options.folder), existing)?);
    let (node, _) = draw()?;
    // Where one host alone is listened to, others cannot be heard either.
    let is_unicast = listening.source.is_some();
    let settings = Settings { node, is_unicast };
    let mut receiver = Receiver::new(settings, node.into()).map_err(Ending::Input)?;
    let mut traffic = Traffic::new(sockets, turns::clock(), agreed.groups)?;
    let began = traffic.clock.now();
    let mut progress = Progress::new(options.output, turns::time(began));
    let mut said = 0;
    loop {
        let mut taken = Ok(());
        traffic.hear(|times, arrival| {
            let is_from = listening.source.is_none_or(|source| source == arrival.from.ip());
            if taken.is_ok() && is_from {
                taken = receiver.hear(times, arrival.from, arrival.bytes, &mut folder);
            }
        });
        taken?;
        let now = traffic.clock.now();
        speak(&mut receiver, &mut traffic, now, is_unicast);
        for name in folder.named.drain(..) {
            if !options.output.json {
                progress.notes(&name);
            }
        }
        for sentence in &folder.refused[said..] {
            progress.notes(&format!("faircast: {sentence}"));
        }
        said = folder.refused.len();
        let took = turns::time(now).saturating_sub(turns::time(began));
        let report = Report { receiver: &receiver, folder: &folder, node, took };
        if receiver.is_over(now) {
            return Ok(report.end());
        }
        let since = receiver.heard().unwrap_or(began);
        if let Some(patience) = options.patience.filter(|patience| now.since(since).0 > patience.as_nanos() as u64) {
            let sentence = format!("incomplete: nothing has come for {} s", patience.as_secs_f64());
            return Ok(Ending::Incomplete(sentence, report.value()));
        }
        if interrupted() {
            let value = report.value();
            receiver.leave();
            speak(&mut receiver, &mut traffic, now, is_unicast);
            return Err(Ending::Stopped(
                "interrupted; files that are whole are kept, pieces of others are not".to_owned(),
                value,
            ));
        }
        progress.shows(turns::time(now), receiver.bytes(), || report.brief(), || report.summary());
        turns::wait(Some(receiver.deadline()), &mut traffic.clock, &mut traffic.sockets)?;
    }
}

/// Says what is due. What cannot be sent is lost, as others are on their way.
fn speak(receiver: &mut Receiver, traffic: &mut Traffic, now: Instant, is_unicast: bool) {
    let mut message = Vec::new();
    while receiver.next(now, &mut message) {
        let to = if is_unicast { receiver.sender().unwrap_or(traffic.group) } else { traffic.group };
        traffic.put(to, &message);
        message.clear();
    }
    traffic.flush();
}

/// What is said of a receiver.
struct Report<'a> {
    receiver: &'a Receiver,
    folder: &'a Folder,
    node: u32,
    took: Duration,
}

impl Report<'_> {
    fn end(&self) -> Ending {
        let (complete, all) = self.receiver.objects();
        match self.folder.refused.first() {
            None if self.receiver.lost() > 0 => {
                let lost = self.receiver.lost();
                let sentence = format!("incomplete: the sender has given up {lost} of {all} files, which are lacking");
                Ending::Incomplete(sentence, self.value())
            }
            None if all == 0 => {
                let sentence = "incomplete: the sender has ended and has offered no files".to_owned();
                Ending::Incomplete(sentence, self.value())
            }
            None if self.receiver.is_complete() => Ending::Done(self.summary(), self.value()),
            None => {
                let sentence =
                    format!("incomplete: the sender has ended, {} of {all} files are lacking", all - complete);
                Ending::Incomplete(sentence, self.value())
            }
            Some(sentence) => Ending::Incomplete(sentence.clone(), self.value()),
        }
    }

    fn brief(&self) -> String {
        match self.receiver.heard() {
            None => "nothing has come yet".to_owned(),
            Some(_) => format!("{} of {} files{}", self.folder.files, self.receiver.objects().1, self.losses()),
        }
    }

    fn summary(&self) -> String {
        let seconds = self.took.as_secs_f64();
        if self.receiver.heard().is_none() {
            return format!("nothing has come yet in {seconds:.1} s");
        }
        let (files, all) = (self.folder.files, self.receiver.objects().1);
        let missed = match self.receiver.missed() {
            0 => String::new(),
            missed => format!(", {missed} others were given up before"),
        };
        format!("{files} of {all} files, {} bytes after {seconds:.1} s{missed}{}", self.folder.bytes, self.losses())
    }

    fn losses(&self) -> String {
        let (limits, p, rtt_s) = self.receiver.congestion();
        let limits = if limits { ", this receiver limits" } else { "" };
        let p = p.map_or(String::new(), |p| format!(", p {:.3} %", 100.0 * p));
        let rtt = rtt_s.map_or(String::new(), |rtt_s| format!(", RTT {:.1} ms", 1e3 * rtt_s));
        format!("{limits}{p}{rtt}")
    }

    fn value(&self) -> Value {
        let (complete, all) = self.receiver.objects();
        let counters = self.receiver.counters();
        let (limits, p, rtt_s) = self.receiver.congestion();
        json!({
            "id": self.node,
            "files": all,
            "named": self.folder.files,
            "refused": self.folder.refused.len(),
            "lacking": all - complete,
            "missed": self.receiver.missed(),
            "bytes": self.folder.bytes,
            "received": counters.symbols,
            "requests": counters.nacks,
            "suppressed": counters.suppressed,
            "seconds": self.took.as_secs_f64(),
            "limits": limits,
            "loss_event_rate": p,
            "rtt_s": rtt_s,
            "malformed": counters.refused,
        })
    }
}
