//! `faircast probe`: what a session does, and how it is received here, each second.
//!
//! It takes part as any receiver does, but for what it says: unless it is asked to report nothing goes out, so that who
//! looks changes nothing. Then its round-trip time is not measured, and the largest of the session stands in for it.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, Result, at_start, is_closed, note, say};
use crate::results::{FAILED, Of, Results};
use crate::turns;
use crate::unread::Unread;
use crate::usage::Probe;
use crate::watching::Watching;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession};
use faircast_proto::endpoint::Endpoint as _;
use faircast_proto::parts::throughput_equation::throughput_bps;
use faircast_proto::registry::SchemeReceiver;
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock as _;
use faircast_wire::driver::{Driver, Source};
use faircast_wire::network::{Arrival, Batch, Interface, Network, Unsent};
use faircast_wire::sockets::Sockets;
use serde_json::{Map, Value, json};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How often it says something.
const EVERY: Duration = Duration::from_secs(1);
/// A source that is silent for so long makes room for another that is there.
const GONE: Duration = Duration::from_secs(3);

type Member = Driver<SchemeReceiver, Watching>;

/// Sockets by which nothing goes out unless it may.
struct Listening {
    sockets: Sockets,
    reports: bool,
}

/// How it is at a moment.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    seconds: f64,
    source: Option<Source>,
    /// Whether anything has come since the last time.
    comes: bool,
    /// The source's rate; what has come here since the last time. bit/s
    rates_bps: (Option<f64>, f64),
    /// Who limits.
    limiting: Option<u64>,
    /// The loss event rate here, and the round-trip time: measured, and the largest of the session.
    p: Option<f64>,
    rtt_s: Option<f64>,
    max_rtt_s: Option<f64>,
    /// What the throughput equation gives for that, and what this receiver asks for. bit/s
    equation_bps: Option<f64>,
    asks_bps: Option<f64>,
    /// What was said of packets that cannot be read.
    unread: Option<String>,
    /// All that the scheme shows of its receivers, by name.
    gauges: Vec<(&'static str, f64)>,
}

/// Looks at a session until it is interrupted, or for as long as was asked for.
pub fn command(options: &Probe, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let listening = &options.listening;
    let agreed = Agreed::read(&listening.shared, listening.keys.is_some(), ("from", listening.from), None)?;
    if options.report && listening.keys.is_some() {
        let why = "a key speaks for the receiver that has it, which goes on with its numbers";
        return Err(Ending::Input(format!("--report and --keys are given; legal is --report with --open: {why}")));
    }
    let keys = listening.keys.as_ref().map(|path| ReceiverKeys::read(Path::new(path))).transpose().map_err(at_start)?;
    let sockets = agreed.sockets(listening.shared.interface.as_deref(), listening.source, None)?;
    let mut network = Listening { sockets, reports: options.report };
    let id = draw_id()?;
    let mut clock = turns::clock();
    let began = turns::time(clock.now());
    let content = Watching::new(ReceiverSession::new(keys.as_ref(), 0), began);
    let member = |content| agreed.session.member(id, agreed.groups, listening.source, content).map_err(Ending::from);
    let mut driver: Member = member(content)?;
    let interface = network.sockets.interface().name.clone();
    let of = Of { verb: "probe", who: "probe", agreed: &agreed, interface: &interface };
    let mut results = Results::open(options.written.results.as_deref(), &of, clock.now(), &mut driver)?;
    driver.start(&mut clock, &mut network);
    if driver.joined().is_empty() {
        let why = driver.counters().last_failure.map_or(String::new(), |kind| format!(": {kind}"));
        return Err(Ending::Input(format!("cannot receive on {}{why}", agreed.groups.first())));
    }
    let (mut next, mut before, mut foreign) = (began + EVERY, (began, 0), 0);
    let mut unread = Unread::new(listening.keys.as_deref());
    loop {
        let now = turns::time(clock.now());
        driver.content_mut().now = now;
        if now >= next {
            if let Some(sentence) = unread.look(now, &driver.content().unread)
                && !options.output.json
            {
                note(&format!("faircast: {sentence}"));
            }
            let seen =
                Seen { unread: unread.said().map(str::to_owned), ..look(&driver, &agreed, (now, began), before) };
            let said = say(&if options.output.json { value(&seen).to_string() } else { line(&seen) });
            if let Err(why) = said {
                let how = if is_closed(&why) { "incomplete" } else { FAILED };
                results.close(how, &mut driver, &mut clock, &mut network).iter().for_each(|why| note(why));
                let sentence = format!("cannot write what is seen to standard output: {why}");
                return if is_closed(&why) { Ok(Ending::Silent) } else { Err(Ending::System(sentence)) };
            }
            before = (now, driver.endpoint().report().received_bytes);
            next += EVERY * (now.saturating_sub(next).as_secs() as u32 + 1);
        }
        let sending = driver.content().limits.rate_bps.unwrap_or(f64::NAN);
        results.turn(turns::instant(now), &mut driver, sending).iter().for_each(|why| note(why));
        if options.seconds.is_some_and(|seconds| now.saturating_sub(began) >= seconds) {
            results.close("done", &mut driver, &mut clock, &mut network).iter().for_each(|why| note(why));
            return Ok(over(&driver, now - began, &unread));
        }
        let ends = options.seconds.map(|seconds| began + seconds);
        let own = ends.map_or(next, |ends| ends.min(next));
        let due = driver.turn(&mut clock, &mut network);
        let due = due.into_iter().chain(results.next()).chain(Some(turns::instant(own))).min();
        turns::wait(due, &mut clock, &mut network.sockets)?;
        if interrupted() {
            results.close("interrupted", &mut driver, &mut clock, &mut network).iter().for_each(|why| note(why));
            return Err(Ending::Interrupted(""));
        }
        let heard = driver.content().heard;
        if heard == Some(now) {
            foreign = driver.counters().foreign;
        }
        let has_gone = heard.is_some_and(|heard| now.saturating_sub(heard) > GONE);
        if std::mem::take(&mut driver.content_mut().is_renewed) || (has_gone && driver.counters().foreign > foreign) {
            // Another source, or the same one that was started again.
            driver.stop(&mut clock, &mut network);
            driver = member(driver.into_content())?;
            driver.content_mut().heard = None;
            results.renew(clock.now());
            driver.start(&mut clock, &mut network);
            (before, foreign) = ((now, 0), 0);
        }
    }
}

/// The end when the time is up.
fn over(driver: &Member, took: Duration, unread: &Unread) -> Ending {
    let (seconds, content) = (took.as_secs_f64(), driver.content());
    if content.heard.is_some() {
        return Ending::Silent;
    }
    if let Some(ending) = unread.in_vain(&content.unread) {
        return ending;
    }
    let sealed =
        if content.refused > 0 { format!(", but {} that were refused", content.refused) } else { String::new() };
    let sentence = format!("no packets of the session have come in {seconds:.1} s{sealed}");
    Ending::Incomplete(sentence, json!({ "seconds": seconds, "refused": content.refused, "unread": unread.said() }))
}

fn look(driver: &Member, agreed: &Agreed, (now, began): (Duration, Duration), before: (Duration, u64)) -> Seen {
    let (content, endpoint) = (driver.content(), driver.endpoint());
    let report = endpoint.report();
    let mut values = vec![f64::NAN; endpoint.gauges().len()];
    endpoint.measure(&mut values);
    let gauges: Vec<_> = endpoint.gauges().iter().map(|gauge| gauge.name).zip(values).collect();
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let named = |name| gauges.iter().find(|(of, _)| *of == name).and_then(|(_, value)| finite(*value));
    let said = content.said;
    let (p, rtt_s, max_rtt_s) = (named("loss_event_rate"), named("rtt"), said.and_then(|said| said.max_rtt_s));
    let equation = |(p, rtt_s): (f64, f64)| {
        throughput_bps(agreed.packet_bytes() as f64, rtt_s, p) * said.map_or(1.0, |said| said.scale)
    };
    let losing = p.filter(|p| *p > 0.0).zip(rtt_s.or(max_rtt_s).filter(|rtt| *rtt > 0.0));
    let passed = now.saturating_sub(before.0).as_secs_f64().max(1e-9);
    let came = report.received_bytes.saturating_sub(before.1);
    Seen {
        seconds: now.saturating_sub(began).as_secs_f64(),
        source: driver.source(),
        comes: came > 0,
        rates_bps: (said.and_then(|said| said.rate_bps), 8.0 * came as f64 / passed),
        limiting: content.limits.limiting,
        p,
        rtt_s,
        max_rtt_s,
        equation_bps: losing.map(equation).and_then(finite),
        asks_bps: finite(report.rate_bps),
        unread: None,
        gauges,
    }
}

/// A line for people.
fn line(seen: &Seen) -> String {
    let at = format!("{:4.0} s:", seen.seconds);
    let Some(source) = seen.source else { return format!("{at} nothing has come yet") };
    let mbit = |bps: f64| format!("{:.3} Mbit/s", bps / 1e6);
    let of = seen.rates_bps.0.map_or(String::new(), |rate| format!(" of {}", mbit(rate)));
    let comes = match seen.comes {
        true => format!("{}{of} come from {}", mbit(seen.rates_bps.1), source.at.ip()),
        false => format!("nothing comes from {}", source.at.ip()),
    };
    let limits = seen.limiting.map_or(String::new(), |id| format!(", receiver {id} limits"));
    let mut here: Vec<String> = Vec::new();
    here.extend(seen.p.map(|p| if p > 0.0 { format!("p {:.3} %", 100.0 * p) } else { "no loss yet".to_owned() }));
    let at_most = || seen.max_rtt_s.map(|rtt| format!("RTT {:.1} ms at most", 1e3 * rtt));
    here.extend(seen.rtt_s.map(|rtt| format!("RTT {:.1} ms", 1e3 * rtt)).or_else(at_most));
    here.extend(seen.equation_bps.map(|rate| format!("the equation says {}", mbit(rate))));
    here.extend(seen.asks_bps.map(|rate| format!("it asks for {}", mbit(rate))));
    let here = if here.is_empty() { String::new() } else { format!("; here {}", here.join(", ")) };
    format!("{at} {comes}{limits}{here}")
}

/// A line for machines.
fn value(seen: &Seen) -> Value {
    let gauges: Map<String, Value> =
        seen.gauges.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({
        "seconds": seen.seconds,
        "source": seen.source.map(|source| json!({ "id": source.id, "address": source.at.to_string() })),
        "rate_bps": seen.rates_bps.0,
        "received_bps": seen.rates_bps.1,
        "limiting": seen.limiting,
        "loss_event_rate": seen.p,
        "rtt_s": seen.rtt_s,
        "max_rtt_s": seen.max_rtt_s,
        "equation_bps": seen.equation_bps,
        "asks_bps": seen.asks_bps,
        "unread": seen.unread,
        "gauges": gauges,
    })
}

impl Network for Listening {
    fn send(&mut self, batch: &Batch) -> std::result::Result<(), Unsent> {
        if self.reports { self.sockets.send(batch) } else { Ok(()) }
    }

    fn receive(&mut self, take: &mut dyn FnMut(Arrival<'_>)) -> bool {
        self.sockets.receive(take)
    }

    fn join(&mut self, group: u32) -> io::Result<()> {
        self.sockets.join(group)
    }

    fn leave(&mut self, group: u32) {
        self.sockets.leave(group);
    }

    fn watch(&mut self, now: Instant) -> Interface {
        self.sockets.watch(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        Seen {
            seconds: 12.04,
            source: Some(Source { id: 5, at: "192.0.2.1:4000".parse().unwrap() }),
            comes: true,
            rates_bps: (Some(4_812_000.0), 4_790_000.0),
            limiting: Some(7),
            p: Some(0.0031),
            rtt_s: None,
            max_rtt_s: Some(0.12),
            equation_bps: Some(5_112_000.0),
            asks_bps: Some(5_112_000.0),
            unread: None,
            gauges: vec![("loss_event_rate", 0.0031), ("rtt", f64::NAN)],
        }
    }

    #[test]
    fn a_line_says_who_limits_and_what_is_seen_here() {
        let whole = "  12 s: 4.790 Mbit/s of 4.812 Mbit/s come from 192.0.2.1, receiver 7 limits; here p 0.310 %, RTT \
                     120.0 ms at most, the equation says 5.112 Mbit/s, it asks for 5.112 Mbit/s";
        assert_eq!(line(&seen()), whole);
        let calm = Seen { p: Some(0.0), rtt_s: Some(0.02), equation_bps: None, asks_bps: None, ..seen() };
        assert!(line(&calm).ends_with("limits; here no loss yet, RTT 20.0 ms"), "{}", line(&calm));
        let silent = Seen { comes: false, limiting: None, p: None, max_rtt_s: None, ..calm.clone() };
        assert_eq!(line(&silent), "  12 s: nothing comes from 192.0.2.1; here RTT 20.0 ms");
        assert_eq!(line(&Seen { source: None, ..seen() }), "  12 s: nothing has come yet");
        let value = value(&seen());
        assert_eq!(
            (&value["limiting"], &value["gauges"]["rtt"], &value["rtt_s"]),
            (&json!(7), &json!(null), &json!(null))
        );
        assert_eq!(value["source"]["address"], "192.0.2.1:4000");
    }
}
