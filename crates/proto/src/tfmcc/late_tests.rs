//! A receiver on a slow link that joins late, behind a buffer that slow start has filled: how long it takes to limit.

use super::receiver_tests::Alone;
use super::*;
use crate::endpoint::Endpoint;
use crate::packet::{FlowId, Packet};
use crate::random::Random;
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::time::{Duration, Instant, Rate};

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// A link with a drop-tail queue.
struct Link {
    bps: f64,
    limit_pkts: f64,
    free_at: Instant,
}

impl Link {
    fn new(bps: f64, limit_pkts: f64) -> Link {
        Link { bps, limit_pkts, free_at: Instant::ZERO }
    }

    /// When a packet that comes at `now` is through, if the queue has room for it.
    fn pass(&mut self, now: Instant, packet: &Packet) -> Option<Instant> {
        let length_s = 8.0 * f64::from(packet.size) / self.bps;
        if self.free_at.since(now).as_secs_f64() > self.limit_pkts * length_s {
            return None;
        }
        self.free_at = self.free_at.max(now) + Duration::from_secs_f64(length_s);
        Some(self.free_at)
    }
}

/// Receiver 0 is there from the start and receiver 1 from `join_s` on, both 20 ms away and behind 1 Mbit/s with a queue
/// of `buffer_pkts`, receiver 1 behind `slow_bps` and 20 packets besides. How long that takes to limit, and the
/// round-trip time of the first packet that comes to it, seconds.
fn late(max_rtt: MaxRttRule, buffer_pkts: f64, slow_bps: f64, join_s: f64, seed: u64) -> (f64, f64) {
    // The source's own link is a hundred times as fast.
    let config = Config { max_rtt, max_rate: Some(Rate(100_000_000)), ..Config::default() };
    assert_eq!(config.check(), []);
    let (mut shared, mut slow) = (Link::new(1e6, buffer_pkts), Link::new(slow_bps, 20.0));
    let mut through = None;
    let first = std::rc::Rc::new(std::cell::Cell::new(None));
    let noted = first.clone();
    let network = move |from: Who, to: Who, packet: &Packet| {
        let now = packet.sent;
        let arrives = match (from, to) {
            (Who::Sender, Who::Receiver(0)) => {
                through = shared.pass(now, packet);
                through
            }
            (Who::Sender, _) => {
                let arrives = through.filter(|&through| through >= at(join_s)).and_then(|at| slow.pass(at, packet));
                noted.set(noted.get().or(arrives.map(|arrives| arrives.since(now).as_secs_f64())));
                arrives
            }
            _ => Some(now),
        };
        arrives.map_or(Fate::Lose, |arrives| Fate::Late(arrives.since(now)))
    };
    let members = (0..2).map(|n| {
        let random = Random::stream(seed, &format!("test/late/{n}"));
        (Receiver::new(&config, FlowId(0), Who::Receiver(n).address(), GROUP, random), Duration::from_millis(10))
    });
    let mut group = Group::new(Sender::new(&config, FlowId(0), SOURCE, GROUP), members.collect(), network);
    group.start(Who::Receiver(0));
    group.start(Who::Sender);
    group.run_until(at(join_s));
    group.start(Who::Receiver(1));
    let slow = Who::Receiver(1).address();
    group.run_while(at(join_s + 100.0), |group| group.source.clr() != Some(slow));
    (group.now().since(at(join_s)).as_secs_f64(), first.get().expect("one came") + 0.02)
}

#[test]
fn with_the_rule_recent_a_late_slow_receiver_limits_within_ten_seconds_and_four_round_trips() {
    for buffer_pkts in [25.0, 100.0, 300.0, 1000.0] {
        for (slow_bps, join_s, seed) in [(3e5, 30.0, 1), (3e5, 60.0, 2), (64e3, 60.0, 1), (6e5, 46.0, 2)] {
            let (took_s, rtt_s) = late(MaxRttRule::Recent, buffer_pkts, slow_bps, join_s, seed);
            let case = format!("{took_s} s, round trip {rtt_s} s: {buffer_pkts} {slow_bps} {join_s} {seed}");
            assert!(took_s <= 10.0 + 4.0 * rtt_s, "{case}");
        }
    }
    let (took_s, rtt_s) = late(MaxRttRule::Rfc, 1000.0, 3e5, 60.0, 2);
    assert!(took_s > 60.0 && rtt_s < 0.1, "by the letter it takes more than a minute: {took_s} s, {rtt_s} s");
}

#[test]
fn with_the_rule_recent_the_first_round_trip_time_is_reported_at_once_if_it_makes_limiting() {
    for (max_rtt, lost, expected) in
        [(MaxRttRule::Rfc, 30, 0), (MaxRttRule::Recent, 30, 1), (MaxRttRule::Recent, 1000, 0)]
    {
        let mut alone = Alone::with(&Config { max_rtt, ..Config::default() });
        for n in (0..44).filter(|&n| n != lost && n != lost + 5) {
            alone.data(n, 1.0 + 0.05 * f64::from(n), None);
        }
        assert!(alone.reports.is_empty(), "its timer has not expired");
        if lost == 1000 {
            // Without losses twice the receive rate, here less than is sent, limits nobody.
            alone.rate_bps = 1e6;
        }
        // Its own echo, though it does not limit.
        alone.echo(44, 3.2, 3.2, Some((2.0, false)));
        alone.echo(45, 3.25, 3.25, Some((2.0, false)));
        assert_eq!(alone.reports.len(), expected, "{max_rtt:?} {lost}");
    }
}

#[test]
fn with_the_rule_recent_the_first_round_trip_time_is_reported_later_in_the_round_too() {
    // No loss when it is measured. The round-trip time is long, so that the rate is below what is sent.
    for (max_rtt, next_round, expected) in
        [(MaxRttRule::Rfc, false, 0), (MaxRttRule::Recent, false, 1), (MaxRttRule::Recent, true, 0)]
    {
        let mut alone = Alone::with(&Config { max_rtt, ..Config::default() });
        for n in 0..40 {
            alone.data(n, 1.0 + 0.05 * f64::from(n), None);
        }
        alone.echo(40, 3.0, 3.0, Some((2.0, false)));
        assert!(alone.reports.is_empty());
        alone.round += u8::from(next_round);
        for n in (41..60).filter(|n| ![45, 46, 47].contains(n)) {
            alone.data(n, 1.0 + 0.05 * f64::from(n), None);
        }
        assert_eq!(alone.reports.len(), expected, "{max_rtt:?} {next_round}");
    }
}

#[test]
fn with_the_rule_recent_a_timer_outlives_its_round_until_the_first_measurement() {
    for (max_rtt, measured, keeps) in
        [(MaxRttRule::Rfc, false, false), (MaxRttRule::Recent, false, true), (MaxRttRule::Recent, true, false)]
    {
        let mut alone = Alone::with(&Config { max_rtt, ..Config::default() });
        for n in 0..10 {
            alone.echo(n, 1.0 + 0.05 * f64::from(n), 1.0 + 0.05 * f64::from(n), measured.then_some((0.1, false)));
        }
        let due = alone.receiver.deadline().expect("it is set");
        assert!(due > at(1.6), "{due}");
        alone.round = 1;
        alone.data(10, 1.55, None);
        assert_eq!(alone.receiver.deadline() == Some(due), keeps, "{max_rtt:?} {measured}");
        // It is cancelled and postponed like any other.
        alone.suppression_bps = 100.0;
        alone.data(11, 1.58, None);
        assert_eq!(alone.receiver.deadline(), None);
    }
}
