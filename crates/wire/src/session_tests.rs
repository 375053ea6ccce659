//! Sessions of real schemes over a network that only looks like one.

use crate::counters::Counters;
use crate::directory::OWN;
use crate::session::Session;
use crate::testing::{Cloud, Port, TestClock, Turns, run, seat, socket};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::packet::Ecn;
use faircast_proto::random::Random;
use faircast_proto::registry::LIST;
use faircast_proto::time::{Duration, Instant, Rate};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

const MEMBERS: usize = 3;

/// What a session came to.
#[derive(Debug, Default)]
struct Outcome {
    /// Mean rate at which each member received, Mbit/s.
    received: Vec<f64>,
    /// What the source sent in each tenth of the time, Mbit/s.
    sent: Vec<f64>,
    /// Junk that the members have counted.
    junk: u64,
    /// What could not be sent or joined.
    failures: u64,
    /// What the source took of its members.
    reports: u64,
}

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Runs a session for so many seconds; `ahead_s` is how far the hosts' clocks are ahead at the start, and `shape`
/// makes the network.
fn outcome(table: Value, (seconds, ahead_s): (f64, f64), shape: impl FnOnce(&mut Cloud)) -> Outcome {
    let session = Session::read(table).unwrap();
    let groups = session.groups("239.1.1.1:5000".parse().unwrap()).unwrap();
    let mut cloud = Cloud::new(MEMBERS + 1, (0..groups.count()).map_while(|n| groups.socket(n)).collect());
    shape(&mut cloud);
    let cloud = Rc::new(RefCell::new(cloud));
    let mut source = session.source(1 << 63, groups, ()).unwrap();
    let mut members: Vec<_> = (1..=MEMBERS).map(|id| session.member(id as u64, groups, None, ()).unwrap()).collect();
    let ahead = |host: usize| Duration::from_secs_f64(ahead_s + host as f64);
    {
        let mut drivers: Vec<(&mut dyn Turns, TestClock, Port)> = Vec::new();
        let (clock, port) = seat(&cloud, 0, ahead(0));
        drivers.push((&mut source, clock, port));
        for (member, host) in members.iter_mut().zip(1..) {
            let (clock, port) = seat(&cloud, host, ahead(host));
            drivers.push((member, clock, port));
        }
        // Members first, so that nobody misses the first packet.
        drivers.iter_mut().rev().for_each(|(driver, clock, port)| driver.begin(clock, port));
        run(&mut drivers, at(seconds));
    }
    let mbps = |bytes: u64, seconds: f64| 8.0 * bytes as f64 / seconds / 1e6;
    let mut sent = vec![0; 10];
    for (when, _, bytes) in &cloud.borrow().hosts[0].sent {
        sent[((10.0 * when.as_secs_f64() / seconds) as usize).min(9)] += bytes.len() as u64 + 28;
    }
    for member in &members {
        assert_eq!(member.directory().id(OWN), member.directory().own_id());
        assert_eq!(member.source().map(|source| source.at), Some(socket(0)));
    }
    Outcome {
        received: members.iter().map(|member| mbps(member.endpoint().report().distinct_bytes, seconds)).collect(),
        sent: sent.into_iter().map(|bytes| mbps(bytes, seconds / 10.0)).collect(),
        junk: members.iter().map(|member| member.counters().all_malformed() + member.counters().foreign).sum(),
        failures: failures(source.counters()) + members.iter().map(|member| failures(member.counters())).sum::<u64>(),
        reports: source.counters().taken,
    }
}

fn failures(counters: &Counters) -> u64 {
    counters.not_sent + counters.unjoined
}

fn schemes() -> [Value; 2] {
    [json!({ "scheme": "tfmcc", "max_rate": "20 Mbit/s" }), json!({ "scheme": "pgmcc", "max_rate": "20 Mbit/s" })]
}

#[test]
fn a_session_fills_a_bottleneck() {
    for table in schemes() {
        let outcome = outcome(table.clone(), (60.0, 0.0), |cloud| cloud.rate = Some(Rate(2_000_000)));
        for received in &outcome.received {
            assert!((1.4..=2.0).contains(received), "{outcome:?} {table}");
        }
        assert!(outcome.sent[6..].iter().all(|rate| (1.6..=2.3).contains(rate)), "{outcome:?} {table}");
        assert!(outcome.reports > 100, "{outcome:?}");
    }
}

#[test]
fn a_greatest_rate_holds_where_nothing_else_does() {
    for mut table in schemes().into_iter().chain([json!({ "scheme": "cbr", "rate": "1.5 Mbit/s" })]) {
        table["max_rate"] = json!("1.5 Mbit/s");
        let outcome = outcome(table.clone(), (30.0, 0.0), |_| ());
        // A packet more in 3 s is 2.7 kbit/s.
        assert!(outcome.sent[7..].iter().all(|rate| (1.47..=1.503).contains(rate)), "{outcome:?} {table}");
        assert!(outcome.sent.iter().all(|rate| *rate <= 1.503), "{outcome:?} {table}");
    }
}

#[test]
fn stamps_wrap_and_nothing_changes() {
    for table in schemes() {
        let shape = |cloud: &mut Cloud| {
            cloud.rate = Some(Rate(2_000_000));
            cloud.hosts[1..].iter_mut().for_each(|host| host.loss = 0.01);
        };
        // Stamps of 32 bits in microseconds wrap after 4294.97 s, each host's when its clock is there.
        let [at_rest, wrapping] = [0.0, 4270.0].map(|ahead_s| outcome(table.clone(), (40.0, ahead_s), shape));
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 0.02 * a;
        assert!(at_rest.received.iter().zip(&wrapping.received).all(close), "{at_rest:?} {wrapping:?}");
        assert!(at_rest.sent.iter().zip(&wrapping.sent).all(close), "{at_rest:?} {wrapping:?}");
    }
}

#[test]
fn an_application_limits_its_source() {
    for mut table in schemes() {
        table["application"] = json!({ "rate": "400 kbit/s", "bytes": "1 MB" });
        let outcome = outcome(table.clone(), (40.0, 0.0), |cloud| cloud.rate = Some(Rate(2_000_000)));
        assert!(outcome.sent[3..5].iter().all(|rate| (0.38..=0.43).contains(rate)), "{outcome:?} {table}");
        // 1 MB at 400 kbit/s are 20 s.
        let all_mbit = outcome.sent[..6].iter().sum::<f64>() * 4.0;
        assert!((7.99..8.4).contains(&all_mbit) && outcome.sent[7] < 0.01, "{outcome:?} {table}");
    }
}

#[test]
fn a_busy_host_takes_what_has_waited() {
    // Packets wait 30 ms at the members: round-trip times stay what the network makes of them.
    for table in schemes() {
        let [prompt, late] = [0, 30].map(|lag_ms| {
            outcome(table.clone(), (60.0, 0.0), |cloud| {
                cloud.rate = Some(Rate(2_000_000));
                cloud.hosts[1..].iter_mut().for_each(|host| host.lag = Duration::from_millis(lag_ms));
            })
        });
        assert!(late.received[0] > 0.75 * prompt.received[0], "{prompt:?} {late:?} {table}");
    }
}

#[test]
fn junk_changes_nothing() {
    for table in schemes() {
        let shape = |junk: bool| {
            move |cloud: &mut Cloud| {
                cloud.rate = Some(Rate(2_000_000));
                let mut random = Random::stream(7, "test/junk");
                for step in 0..if junk { 50_000 } else { 0 } {
                    let mut bytes = vec![0; (random.uniform() * 120.0) as usize];
                    bytes.iter_mut().for_each(|byte| *byte = (random.uniform() * 256.0) as u8);
                    // One in two looks like a message at first; whose it says that it is, is anybody.
                    if let (true, [version, kind, ..]) = (step % 2 == 0, &mut bytes[..]) {
                        (*version, *kind) = (1, [1, 32, 80, 83][step / 2 % 4]);
                    }
                    let when = at(5.0 + step as f64 * 1e-3);
                    cloud.deliver(1 + step % 3, when, socket(200), (Some(0), Ecn::NotCapable), &bytes);
                }
            }
        };
        let quiet = outcome(table.clone(), (60.0, 0.0), shape(false));
        let noisy = outcome(table.clone(), (60.0, 0.0), shape(true));
        assert!(noisy.junk >= 49_000, "{noisy:?}");
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 0.05 * a;
        assert!(quiet.received.iter().zip(&noisy.received).all(close), "{quiet:?} {noisy:?} {table}");
    }
}

#[test]
fn every_scheme_is_carried() {
    for (name, _) in LIST {
        let mut table = json!({ "scheme": name, "max_rate": "2 Mbit/s" });
        match *name {
            "cbr" => table["rate"] = json!("300 kbit/s"),
            // Its layers are as wide as they are declared, and its counting layers come on top.
            "smcc" => table["max_rate"] = json!("48 Mbit/s"),
            "layered-cbr" | "layer-blocking" | "rlm" => table["rates"] = json!(["50 kbit/s", "100 kbit/s"]),
            _ => {}
        }
        // A first hop carries all layers, so that nothing is lost there. Stamps wrap on the way. A session begins with
        // a packet of 1000 B in half a second at least, 16 kbit/s.
        let outcome = outcome(table, (20.0, 4280.0), |_| ());
        assert!(outcome.received.iter().all(|rate| *rate > 0.016), "{name} {outcome:?}");
        assert_eq!((outcome.junk, outcome.failures), (0, 0), "{name} {outcome:?}");
    }
}

#[test]
fn layers_are_several_groups() {
    let table = json!({
        "scheme": "layered-cbr", "rates": ["100 kbit/s", "200 kbit/s"], "max_rate": "300 kbit/s",
    });
    let session = Session::read(table).unwrap();
    assert_eq!(session.groups("239.1.1.1:5000".parse().unwrap()).unwrap().count(), 2);
}
