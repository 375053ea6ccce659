//! Sources of constant rates with drivers that are late.

use super::{cbr, layered, on_off};
use crate::endpoint::{Action, Endpoint, Input, Outbox};
use crate::packet::{Address, FlowId};
use crate::parts::pacer::MOST_LATE;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::testing::feed;
use crate::time::{Duration, Instant, Rate};

/// Drives `source` from its start to `end`, waking it for each deadline when `wakes` says. How many packets it has sent
/// to each group by when it was woken.
fn drive(
    source: &mut dyn Endpoint,
    end: Instant,
    mut wakes: impl FnMut(Instant) -> Instant,
) -> Vec<(Instant, Address)> {
    let (mut now, mut out, mut sent) = (Instant::ZERO, Outbox::new(), Vec::new());
    feed(source, now, Input::Start, true, &mut out, &"source");
    while now <= end {
        for action in out.drain() {
            let Action::Send(packet) = action else { panic!("{action:?}") };
            assert_eq!(packet.sent, now);
            sent.push((now, packet.destination));
        }
        let due = source.deadline().expect("it goes on");
        // Who has been woken does all that is due before it sleeps again.
        now = if due <= now { now } else { wakes(due).max(due) };
        feed(source, now, Input::Timeout, true, &mut out, &"source");
    }
    sent
}

fn seat() -> Seat {
    let random = Random::stream(1, "test/late");
    let (own, group) = (Address::endpoint(0), Address::group(0));
    Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random }
}

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Late by a random time up to 20 ms.
fn a_little_late() -> impl FnMut(Instant) -> Instant {
    let mut random = Random::stream(2, "test/late");
    move |due| due + Duration::from_secs_f64(0.02 * random.uniform())
}

/// Packets per second: with gaps shorter than the driver is late, and longer.
const RATES: [u64; 4] = [20, 100, 1000, 25_000];

fn constant(per_second: u64, jitter: f64) -> cbr::Config {
    cbr::Config { rate: Rate(8000 * per_second), packet_size: Bytes(1000), jitter, ..cbr::Config::default() }
}

fn layers(per_second: u64) -> layered::Config {
    let rates = [per_second, 2 * per_second].map(|rate| Rate(8000 * rate)).to_vec();
    layered::Config { rates, packet_size: Bytes(1000), ..Default::default() }
}

fn on_off_source(per_second: u64, period: Duration) -> on_off::OnOff {
    let config = on_off::Config {
        rate: Rate(8000 * per_second),
        packet_size: Bytes(1000),
        on: period,
        off: period,
        lengths: on_off::Lengths::Pareto,
        // With this shape they hardly vary.
        shape: 1e6,
        ..on_off::Config::default()
    };
    on_off::OnOff::new(&config, FlowId(0), Address::endpoint(0), Address::endpoint(1), Random::stream(1, "test/on_off"))
}

#[test]
fn a_driver_that_is_a_little_late_gets_the_rate() {
    const SECONDS: u64 = 40;
    for per_second in RATES {
        let is_right = |sent: usize, rate: u64| (sent as f64 / (rate * SECONDS) as f64 - 1.0).abs() < 0.01;
        for jitter in [0.0, 0.1] {
            let sent = drive(&mut constant(per_second, jitter).sender(seat()), at(SECONDS as f64), a_little_late());
            assert!(is_right(sent.len(), per_second), "{per_second} per second, jitter {jitter}: {}", sent.len());
        }
        let sent = drive(&mut layers(per_second).sender(seat()), at(SECONDS as f64), a_little_late());
        for (layer, rate) in [(0, per_second), (1, 2 * per_second)] {
            let sent = sent.iter().filter(|&&(_, group)| group == Address::group(layer)).count();
            assert!(is_right(sent, rate), "layer {layer} of {rate} per second: {sent}");
        }
        for period_ms in [5, 500] {
            let mut source = on_off_source(2 * per_second, Duration::from_millis(period_ms));
            let sent = drive(&mut source, at(SECONDS as f64), a_little_late());
            assert!(is_right(sent.len(), per_second), "{per_second} per second, on for {period_ms} ms: {}", sent.len());
        }
    }
}

#[test]
fn after_a_stall_no_burst_is_longer_than_what_is_made_up_for() {
    /// When the driver sleeps for ten seconds.
    const STALL: f64 = 5.0;
    let stalls = |due: Instant| if (at(STALL)..at(STALL + 10.0)).contains(&due) { at(STALL + 10.0) } else { due };
    for per_second in RATES {
        let most = |rate: u64| (rate as f64 * MOST_LATE.as_secs_f64()) as usize + 2;
        let burst = |sent: &[(Instant, Address)]| sent.iter().filter(|&&(when, _)| when == at(STALL + 10.0)).count();
        let after = |sent: &[(Instant, Address)]| sent.iter().filter(|&&(when, _)| when > at(STALL + 10.0)).count();
        let end = at(STALL + 15.0);
        let sent = drive(&mut constant(per_second, 0.0).sender(seat()), end, stalls);
        assert!((1..=most(per_second)).contains(&burst(&sent)), "{per_second} per second: {}", burst(&sent));
        // From then on as before.
        assert!(after(&sent).abs_diff(5 * per_second as usize) <= 1, "{per_second} per second: {}", after(&sent));
        let sent = drive(&mut layers(per_second).sender(seat()), end, stalls);
        let bounds = most(per_second) + most(2 * per_second);
        assert!((2..=bounds).contains(&burst(&sent)), "{per_second} per second: {}", burst(&sent));
        assert!(after(&sent).abs_diff(15 * per_second as usize) <= 2, "{per_second} per second: {}", after(&sent));
        let sent = drive(&mut on_off_source(per_second, Duration::from_millis(1)), end, stalls);
        assert!(burst(&sent) <= most(per_second), "{per_second} per second: {}", burst(&sent));
    }
}
