//! `faircast send --format norm`.

use super::agreed::{agreed, draw};
use super::files::Files;
use super::traffic::{AT_ONCE, Traffic};
use crate::ending::{Ending, Result, at_start};
use crate::progress::Progress;
use crate::turns;
use crate::usage::Send;
use faircast_deliver::source::gather;
use faircast_norm::Sender;
use faircast_norm::sender::{MOST_RECEIVERS, Settings};
use faircast_wire::clock::Clock as _;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// K where receivers hear each other, and how many there may be: RFC 5740 section 6 recommends both.
const BACKOFF: u8 = 4;
const GROUP_SIZE: u64 = 10_000;

/// Sends files until as many receivers as are expected have said that they have everything.
pub fn command(options: &Send, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let keyed = options.keys.is_some();
    let agreed = agreed(&options.shared, &options.written, keyed, ("to", options.to), Some(&options.max_rate))?;
    let sockets = agreed.sockets(options.shared.interface.as_deref(), None, options.ttl)?;
    agreed.check_length(sockets.interface())?;
    let paths: Vec<PathBuf> = options.files.iter().map(PathBuf::from).collect();
    let mut files = Files::new(gather(&paths).map_err(at_start)?).map_err(at_start)?;
    if let Some(given) = options.receivers.filter(|given| *given as usize > MOST_RECEIVERS) {
        let sentence = format!("--receivers {given} given with --format norm; legal is at most {MOST_RECEIVERS}");
        return Err(Ending::Input(sentence));
    }
    let (node, instance) = draw()?;
    let settings = Settings {
        node,
        instance,
        packet_bytes: agreed.packet_bytes() as u16,
        max_rate: agreed.session.max_rate,
        backoff: BACKOFF,
        group_size: options.receivers.map_or(GROUP_SIZE, u64::from),
    };
    let mut sender = Sender::new(settings, files.offered()).map_err(Ending::Input)?;
    let expected = options.receivers.unwrap_or(1) as usize;
    let patience = options.patience.unwrap_or(Duration::from_secs(60));
    let mut traffic = Traffic::new(sockets, turns::clock(), agreed.groups)?;
    let began = traffic.clock.now();
    let mut progress = Progress::new(options.output, turns::time(began));
    sender.start(began);
    let (mut message, mut why) = (Vec::new(), None);
    loop {
        traffic.hear(|(now, arrived), arrival| sender.hear(now, arrived, arrival.group.is_none(), arrival.bytes));
        let now = traffic.clock.now();
        let mut count = 0;
        while count < AT_ONCE && sender.next(now, &mut files, &mut message)? {
            traffic.put(traffic.group, &message);
            message.clear();
            count += 1;
        }
        let unsent = traffic.flush();
        sender.not_sent(unsent);
        let took = turns::time(now).saturating_sub(turns::time(began));
        let report = Report { sender: &sender, traffic: &traffic, files: &files, expected, took };
        if sender.is_closed() {
            return Ok(match why {
                None => Ending::Done(format!("sent {}", report.summary()), report.value()),
                Some(why) => Ending::Incomplete(format!("incomplete, {why}: {}", report.summary()), report.value()),
            });
        }
        if why.is_none() && now.since(sender.active()).0 > patience.as_nanos() as u64 {
            why = Some(format!("nobody who lacks something was heard for {} s", patience.as_secs_f64()));
            sender.close(now);
        } else if sender.is_finished(now, expected) && !sender.is_closing() {
            sender.close(now);
        }
        if interrupted() {
            return Err(Ending::Interrupted(""));
        }
        let done = (sender.counters().source, sender.symbols());
        let report = Report { sender: &sender, traffic: &traffic, files: &files, expected, took };
        progress.shows(turns::time(now), done, || report.brief(), || report.summary());
        // More may be due than goes at once.
        let due = if count == AT_ONCE { now } else { sender.deadline() };
        turns::wait(Some(due), &mut traffic.clock, &mut traffic.sockets)?;
    }
}

/// What is said of a sender.
struct Report<'a> {
    sender: &'a Sender,
    traffic: &'a Traffic,
    files: &'a Files,
    expected: usize,
    took: Duration,
}

impl Report<'_> {
    fn summary(&self) -> String {
        let (files, bytes) = self.files.size();
        let percent = 100 * self.sender.counters().source / self.sender.symbols().max(1);
        let unsent = match self.traffic.why {
            Some(why) => format!(", {} packets could not be sent at first: {why}", self.traffic.not_sent),
            None => String::new(),
        };
        format!(
            "{files} files, {bytes} bytes, {percent} % in {:.1} s; {} of {} receivers have everything{}{}{unsent}",
            self.took.as_secs_f64(),
            self.sender.members().complete(),
            self.expected,
            self.rate(),
            self.limits()
        )
    }

    fn brief(&self) -> String {
        let complete = self.sender.members().complete();
        format!("{complete} of {} have all{}{}", self.expected, self.rate(), self.limits())
    }

    fn rate(&self) -> String {
        if self.sender.members().is_empty() {
            return ", nobody has answered".to_owned();
        }
        format!(", rate {:.3} Mbit/s", self.sender.rate_bps() / 1e6)
    }

    fn limits(&self) -> String {
        let Some((node, member)) = self.sender.limiting() else { return String::new() };
        let p = if member.loss > 0.0 { format!("p {:.3} %", 100.0 * member.loss) } else { "no loss yet".to_owned() };
        let rtt = member.rtt_s.map_or(String::new(), |rtt_s| format!(", RTT {:.1} ms", 1e3 * rtt_s));
        format!("; receiver {node} limits: {p}{rtt}")
    }

    fn value(&self) -> Value {
        let (files, bytes) = self.files.size();
        let counters = self.sender.counters();
        let members = self.sender.members();
        let receivers: Vec<Value> =
            members.iter().map(|(node, member)| json!({ "id": node, "complete": member.complete })).collect();
        let limiting = self.sender.limiting().map(|(node, member)| {
            let p = (member.loss > 0.0).then_some(member.loss);
            json!({ "id": node, "loss_event_rate": p, "rtt_s": member.rtt_s })
        });
        json!({
            "files": files,
            "bytes": bytes,
            "seconds": self.took.as_secs_f64(),
            "receivers": receivers,
            "limiting": limiting,
            "complete": members.complete(),
            "source_symbols": counters.source,
            "repair_symbols": counters.repair,
            "requests": counters.nacks,
            "packets": counters.sent,
            "not_sent": self.traffic.not_sent,
            "refused": counters.refused,
        })
    }
}
