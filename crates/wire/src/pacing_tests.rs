//! How evenly sources send on hosts that rest between turns and are woken late.

use crate::session::Session;
use crate::testing::{Cloud, seat};
use faircast_proto::time::{Duration, Instant};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of a packet, IP and UDP included.
const PACKET: usize = 1280;
/// IP and UDP.
const HEADERS: usize = 28;
/// How late a host's timers are as a rule.
const USUAL: Duration = Duration::from_micros(60);

/// What a source has sent: when, and bytes from IP on.
type Sent = Vec<(Instant, usize)>;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Runs a session over a network without loss, 20 µs each way, whose source rests as programs do after each turn and is
/// woken late by what `late` says of the moment. The member is on time.
fn sent(table: Value, seconds: f64, mut late: impl FnMut(Instant) -> Duration) -> Sent {
    let session = Session::read(table).unwrap();
    let groups = session.groups("239.1.1.1:5000".parse().unwrap()).unwrap();
    let mut cloud = Cloud::new(2, (0..groups.count()).map_while(|n| groups.socket(n)).collect());
    cloud.delay = Duration::from_micros(20);
    let cloud = Rc::new(RefCell::new(cloud));
    let (mut clock, mut port) = seat(&cloud, 0, Duration::ZERO);
    let (mut clock_there, mut port_there) = seat(&cloud, 1, Duration::from_secs(7));
    let mut source = session.source(1 << 63, groups, ()).unwrap();
    let mut member = session.member(1, groups, None, ()).unwrap();
    let time = Rc::clone(&cloud.borrow().time);
    member.start(&mut clock_there, &mut port_there);
    source.start(&mut clock, &mut port);
    let (mut wakes, mut listens, mut came) = (Instant::ZERO, true, Sent::new());
    while time.get() < at(seconds) {
        let now = time.get();
        let due_there = member.turn(&mut clock_there, &mut port_there);
        let has_come = listens && cloud.borrow().arrival(0).is_some_and(|arrival| arrival <= now);
        if wakes <= now || has_come {
            let due = source.turn(&mut clock, &mut port);
            let fixed = source.rests().fixed(due, now);
            listens = fixed.is_none();
            let wait = fixed.or_else(|| due.map(|due| source.rests().until(due, now)));
            wakes = wait.map_or(Instant::FAR_FUTURE, |wait| {
                let due = now + wait;
                if wait == Duration::ZERO { due } else { due + late(due) }
            });
        }
        let mut cloud = cloud.borrow_mut();
        came.extend(cloud.hosts[0].sent.drain(..).map(|(when, _, bytes)| (when, bytes.len() + HEADERS)));
        let due_there = due_there.map(|due| Instant(due.0.saturating_sub(Duration::from_secs(7).0)));
        let heard = if listens { cloud.arrival(0) } else { None };
        let next = [due_there, heard, cloud.arrival(1)].into_iter().flatten().fold(wakes, Instant::min);
        time.set(next.max(now));
    }
    came
}

/// A constant rate at the greatest that is allowed.
fn constant(mbps: u64) -> Value {
    let rate = format!("{mbps} Mbit/s");
    json!({ "scheme": "cbr", "packet_size": format!("{PACKET} B"), "rate": rate, "max_rate": rate })
}

/// Mean rate from then to then, Mbit/s.
fn mbps(sent: &Sent, from_s: f64, to_s: f64) -> f64 {
    let bytes: usize = sent.iter().filter(|(when, _)| (at(from_s)..at(to_s)).contains(when)).map(|(_, n)| n).sum();
    8e-6 * bytes as f64 / (to_s - from_s)
}

/// The most bytes in any time of this length.
fn most_in(sent: &Sent, window: Duration) -> usize {
    let (mut first, mut bytes, mut most) = (0, 0, 0);
    for &(when, length) in sent {
        bytes += length;
        while sent[first].0 + window <= when {
            bytes -= sent[first].1;
            first += 1;
        }
        most = most.max(bytes);
    }
    most
}

/// No more than twice the rate goes in any millisecond and in any ten; of slow ones a packet more.
fn is_even(sent: &Sent, mbps: u64, of: &str) {
    for window_ms in [1, 10] {
        let twice = 2 * 125 * (mbps * window_ms) as usize;
        let most = most_in(sent, Duration::from_millis(window_ms));
        let more = if mbps < 40 { PACKET } else { 0 };
        assert!(
            most <= (twice + more).max(2 * PACKET),
            "{of}, {mbps} Mbit/s: {most} bytes in {window_ms} ms, twice the rate is {twice}"
        );
    }
}

const RATES_MBPS: [u64; 8] = [1, 3, 10, 50, 85, 100, 400, 1000];

#[test]
fn a_driver_that_is_always_a_little_late_keeps_its_rate() {
    for rate in RATES_MBPS {
        for late in [USUAL, Duration::from_micros(300)] {
            let sent = sent(constant(rate), 2.1, |_| late);
            let mean = mbps(&sent, 0.1, 2.1);
            assert!((mean / rate as f64 - 1.0).abs() < 0.01, "{mean} of {rate} Mbit/s, late by {late}");
            is_even(&sent, rate, "cbr");
        }
    }
}

#[test]
fn a_driver_that_is_late_once_makes_up_for_it_bit_by_bit() {
    for rate in RATES_MBPS {
        let (stall, mut was_late) = (at(0.2), false);
        let sent =
            sent(constant(rate), 0.6, |due| match due >= stall && !std::mem::replace(&mut was_late, due >= stall) {
                true => Duration::from_millis(5),
                false => USUAL,
            });
        is_even(&sent, rate, "cbr");
        // What is owed of 5 ms is paid in 20 ms, and all has gone, but for a batch and what may not be divided.
        let mean = mbps(&sent, 0.1, 0.25);
        let part = 8e-6 * (2 * PACKET) as f64 / 0.15;
        let least = rate as f64 * (1.0 - 0.001 / 0.15) - part;
        assert!(mean > least, "{mean} of {rate} Mbit/s, {least} at least");
        if rate >= 10 {
            // It is not let go either: five quarters of the rate.
            let after = mbps(&sent, 0.207, 0.217);
            assert!((1.1..1.35).contains(&(after / rate as f64)), "{after} of {rate} Mbit/s");
        }
    }
}

#[test]
fn a_driver_that_is_a_little_late_keeps_its_rate_after_a_stall() {
    for rate in [1, 10, 14, 20, 50, 100] {
        let (stall, mut was_late) = (at(0.2), false);
        let sent =
            sent(constant(rate), 2.2, |due| match due >= stall && !std::mem::replace(&mut was_late, due >= stall) {
                true => Duration::from_millis(5),
                false => Duration::from_micros(300),
            });
        let mean = mbps(&sent, 1.2, 2.2);
        assert!((mean / rate as f64 - 1.0).abs() < 0.015, "{mean} of {rate} Mbit/s");
        is_even(&sent, rate, "cbr");
    }
}

/// A session of this scheme that hosts have, of 100 Mbit/s at most.
fn of_hosts(scheme: &str) -> Value {
    let common = json!({ "packet_size": format!("{PACKET} B"), "granularity": "10 ms", "silence_floor": "50 ms" });
    let mut table = match scheme {
        "smcc" => json!({ "tfmcc": common, "bounds": ["40 Mbit/s", "100 Mbit/s"], "join": "direct" }),
        "pgmcc" => json!({ "packet_size": format!("{PACKET} B") }),
        _ => common,
    };
    table["scheme"] = json!(scheme);
    table["max_rate"] = json!("100 Mbit/s");
    table
}

#[test]
fn all_schemes_come_to_the_greatest_rate_over_a_short_way() {
    for scheme in ["tfmcc", "omcc", "smcc", "pgmcc"] {
        let mut stall = at(9.0);
        let sent = sent(of_hosts(scheme), 10.0, |due| {
            let is_stall = due >= stall;
            stall = if is_stall { stall + Duration::from_millis(100) } else { stall };
            if is_stall { Duration::from_millis(5) } else { USUAL }
        });
        let mean = mbps(&sent, 8.0, 9.0);
        assert!((97.0..100.5).contains(&mean), "{scheme}: {mean} Mbit/s");
        // A driver that stands still for 5 ms each tenth of a second.
        let late = mbps(&sent, 9.0, 10.0);
        assert!((95.0..100.5).contains(&late), "{scheme}: {late} Mbit/s");
        is_even(&sent, 100, scheme);
    }
}
