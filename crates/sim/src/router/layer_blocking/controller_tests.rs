//! When layers are blocked and released.

use super::*;

/// A controller that is asked every 20 ms and gets what it wants.
struct Bench {
    controller: Controller,
    now: Instant,
    done: Vec<(f64, Wish, f64)>,
}

const QUIET: Traffic = Traffic {
    phase: 1,
    unicast_sessions: 2,
    multicast_sessions: 2,
    unicast: 20,
    multicast: 20,
    layers: 4,
    changed: false,
    rate: RATE,
};

const RATE: Rate = Rate(1_000_000);
/// What each layer sends.
const LAYER_BPS: f64 = 50_000.0;

impl Bench {
    fn new(config: &Config) -> Bench {
        Bench { controller: Controller::new(config), now: Instant::ZERO, done: Vec::new() }
    }

    /// Looks until `seconds`, that time included. What was done: when, and the observation time in seconds then.
    fn until(&mut self, seconds: f64, traffic: Traffic) -> Vec<(f64, Wish, f64)> {
        while self.now <= Instant::from_secs_f64(seconds) {
            let wish = self.controller.look(self.now, &traffic);
            match wish {
                Wish::Nothing => {}
                Wish::Block => self.controller.has_blocked(self.now, LAYER_BPS),
                Wish::Release => self.controller.has_released(self.now),
            }
            if wish != Wish::Nothing {
                let observation = self.controller.observation_s();
                self.done.push((self.now.as_secs_f64(), wish, observation));
            }
            self.now += Duration::from_millis(20);
        }
        std::mem::take(&mut self.done)
    }
}

use Wish::{Block, Release};

#[test]
fn a_short_queue_releases_by_and_by_more_slowly() {
    // After 1 s; then after the longer of the hold of 2 s and 1, 1.5, 2.25, 3.375 s.
    let mut bench = Bench::new(&Config::default());
    let done = bench.until(11.0, QUIET);
    assert_eq!(
        done,
        [
            (1.0, Release, 1.0),
            (3.0, Release, 1.5),
            (5.0, Release, 2.25),
            (7.26, Release, 3.375),
            (10.64, Release, 5.0625)
        ]
    );
    // Up to 64 s, and not beyond.
    let done = bench.until(400.0, QUIET);
    assert_eq!(done.last().map(|last| last.2), Some(64.0));
}

#[test]
fn what_interrupts_a_short_queue_starts_its_observation_anew() {
    let mut bench = Bench::new(&Config::default());
    assert_eq!(bench.until(0.9, QUIET), []);
    assert_eq!(bench.until(0.92, Traffic { phase: 2, ..QUIET }), []);
    assert_eq!(bench.until(1.92, QUIET), []);
    assert_eq!(bench.until(1.94, QUIET), [(1.94, Release, 1.0)]);
}

#[test]
fn a_long_queue_blocks_what_is_above_the_unicast_mean() {
    let long = Traffic { phase: 3, ..QUIET };
    let mut bench = Bench::new(&Config::default());
    // Means of 10 and 12: exactly 0.2 above is not more.
    assert_eq!(bench.until(1.0, Traffic { multicast: 24, ..long }), []);
    assert_eq!(bench.until(1.02, Traffic { multicast: 25, ..long }), [(1.02, Block, 1.0)]);
    // Blocks follow each other each half second.
    assert_eq!(bench.until(2.1, Traffic { multicast: 25, ..long }), [(1.52, Block, 1.0), (2.02, Block, 1.0)]);
    // A queue between the thresholds stops that, and one that releases waits for the hold.
    assert_eq!(bench.until(3.0, Traffic { phase: 2, multicast: 25, ..long }), []);
    assert_eq!(bench.until(4.1, Traffic { phase: 2, multicast: 19, ..long }), [(4.02, Release, 1.0)]);
    // A block right after a release, as soon as the hold allows, makes the next release four times as late.
    assert_eq!(bench.until(6.1, Traffic { multicast: 25, ..long }), [(6.02, Block, 4.0)]);
    assert_eq!(bench.until(10.1, Traffic { phase: 2, multicast: 19, ..long }), [(10.02, Release, 4.0)]);
}

#[test]
fn a_block_long_after_a_release_is_not_put_down_to_it() {
    // Within 5 s, or two windows if these are longer.
    for (window, after, expected) in [(2, 5.0, 4.0), (2, 5.02, 1.0), (4, 8.0, 4.0), (4, 8.02, 1.0)] {
        let config = Config { window: Duration::from_secs(window), ..Config::default() };
        let mut bench = Bench::new(&config);
        assert_eq!(bench.until(1.0, QUIET), [(1.0, Release, 1.0)]);
        bench.until(1.0 + after - 0.02, Traffic { phase: 2, ..QUIET });
        let done = bench.until(1.0 + after, Traffic { phase: 3, multicast: 99, ..QUIET });
        assert_eq!(done, [(1.0 + after, Block, expected)], "window {window} s");
    }
}

#[test]
fn without_unicast_sessions_a_long_queue_blocks_and_any_other_releases() {
    let alone = Traffic { unicast_sessions: 0, unicast: 0, ..QUIET };
    let mut bench = Bench::new(&Config::default());
    assert_eq!(bench.until(1.0, Traffic { phase: 2, ..alone }), [(1.0, Release, 1.0)]);
    assert_eq!(bench.until(3.1, Traffic { phase: 3, multicast: 1, ..alone }), [(3.0, Block, 4.0)]);
    // Unicast sessions of which nothing came: whatever the multicast sessions send is more.
    let starved = Traffic { phase: 3, unicast: 0, multicast: 1, ..QUIET };
    assert_eq!(bench.until(3.6, starved), [(3.5, Block, 4.0)]);
    assert_eq!(bench.until(99.0, Traffic { multicast_sessions: 0, multicast: 0, ..alone }), [], "nobody to act on");
}

#[test]
fn the_observation_time_returns_when_it_is_calm_or_somebody_comes_or_goes() {
    let run = |reset| {
        let mut bench = Bench::new(&Config { reset: Some(reset), ..Config::default() });
        let mut observations: Vec<f64> = bench.until(5.0, QUIET).iter().map(|done| done.2).collect();
        // More than four times 2.25 s without a release.
        bench.until(14.02, Traffic { phase: 2, ..QUIET });
        observations.extend(bench.until(16.4, QUIET).iter().map(|done| done.2));
        observations.extend(bench.until(18.5, QUIET).iter().map(|done| done.2));
        bench.until(18.52, Traffic { changed: true, ..QUIET });
        observations.push(bench.controller.observation_s());
        observations
    };
    assert_eq!(run(Reset::Calm), [1.0, 1.5, 2.25, 1.0, 1.5, 1.0]);
    assert_eq!(run(Reset::Never), [1.0, 1.5, 2.25, 3.375, 3.375]);
}

#[test]
fn calm_is_more_than_four_observation_times() {
    for (at, observation) in [(5.0, 1.5), (5.02, 1.0)] {
        let mut bench = Bench::new(&Config::default());
        assert_eq!(bench.until(1.0, QUIET), [(1.0, Release, 1.0)]);
        let between = Traffic { phase: 2, ..QUIET };
        assert_eq!(bench.until(at - 0.02, between), []);
        assert_eq!(bench.until(at, Traffic { multicast: 19, ..between }), [(at, Release, observation)]);
    }
}

const BY_DROPS: fn() -> Config = || Config { reads: Reads::Drops, ..Config::default() };
const ALONE: Traffic = Traffic { unicast_sessions: 0, unicast: 0, ..QUIET };

#[test]
fn where_drops_are_read_what_is_due_by_comparison_comes_with_each_hold() {
    for phase in [1, 2, 3] {
        let lacks = Traffic { phase, multicast: 19, ..QUIET };
        let done = Bench::new(&BY_DROPS()).until(101.0, lacks);
        let at: Vec<f64> = done.iter().map(|done| done.0).collect();
        assert_eq!(at, (0..=50).map(|n| 2.0 * f64::from(n)).collect::<Vec<_>>(), "phase {phase}");
        // A short queue alone is observed for longer, as by length.
        let observed: Vec<f64> = done.iter().map(|done| done.2).collect();
        assert_eq!((&observed[..4], observed[50]), (&[1.0, 1.5, 2.25, 3.375][..], 64.0));
    }
    // With the paper's rules what is due waits for that, too.
    let mut bench = Bench::new(&Config { compared: Some(Compared::Observation), ..BY_DROPS() });
    let done = bench.until(7.0, Traffic { phase: 2, multicast: 19, ..QUIET });
    assert_eq!(done, [(0.0, Release, 1.0), (2.0, Release, 1.5), (4.0, Release, 2.25), (6.26, Release, 3.375)]);
    let mut bench = Bench::new(&Config { compared: Some(Compared::Observation), ..BY_DROPS() });
    assert_eq!(bench.until(0.98, Traffic { multicast: 19, ..QUIET }), []);
    assert_eq!(bench.until(1.0, Traffic { multicast: 19, ..QUIET }), [(1.0, Release, 1.0)]);
}

#[test]
fn a_layer_that_turns_the_comparison_round_comes_and_goes_more_and_more_slowly() {
    // Five layers have too little, six too much.
    let few = Traffic { phase: 3, multicast: 19, layers: 5, ..QUIET };
    let many = Traffic { phase: 3, multicast: 25, layers: 6, ..QUIET };
    // What is due comes after 2, 4, 16 and 64 s, and is blocked when the hold is over.
    let mut bench = Bench::new(&BY_DROPS());
    let mut seen = Vec::new();
    for _ in 0..3 {
        let waits = bench.controller.observation_s().max(2.0);
        let start = bench.controller.acted.map_or(0.0, |acted| acted.0 as f64 / 1e9 + waits);
        seen.extend(bench.until(start, few));
        seen.extend(bench.until(start + 2.0, many));
    }
    assert_eq!(
        seen,
        [
            (0.0, Release, 1.0),
            (2.0, Block, 4.0),
            (6.0, Release, 4.0),
            (8.0, Block, 16.0),
            (24.0, Release, 16.0),
            (26.0, Block, 64.0)
        ]
    );
    // With four layers there is no such doubt.
    assert_eq!(bench.until(28.0, Traffic { layers: 4, ..few }), [(28.0, Release, 64.0)]);
    assert_eq!(bench.until(89.9, few), []);
    // What stays was right: nothing is too much any more. A short queue is observed as long as before.
    let mut bench = Bench::new(&BY_DROPS());
    bench.until(0.0, few);
    bench.until(2.0, many);
    assert_eq!(bench.until(6.0, few), [(6.0, Release, 4.0)]);
    assert_eq!(bench.until(12.0, Traffic { phase: 2, ..QUIET }), []);
    assert_eq!(bench.until(16.02, QUIET), [(16.02, Release, 6.0)]);
    assert_eq!(bench.until(18.02, few), [(18.02, Release, 9.0)]);
}

#[test]
fn with_a_level_only_what_failed_is_observed_for_longer() {
    let mut bench = Bench::new(&BY_DROPS());
    let with = |layers: u32, phase: u8| Traffic { phase, layers, ..ALONE };
    // However many releases follow each other.
    let done = bench.until(60.0, with(9, 1));
    assert_eq!(done[..3], [(1.0, Release, 1.0), (3.0, Release, 1.0), (5.0, Release, 1.0)]);
    assert_eq!(done.len(), 30, "one in each hold");
    // The release to ten layers at 59 s was one too many.
    assert_eq!(bench.until(61.0, with(10, 3)), [(61.0, Block, 4.0)]);
    // What leads to ten again is observed for 4 s, from 61.02 s on.
    assert_eq!(bench.until(65.0, with(9, 1)), []);
    assert_eq!(bench.until(65.02, with(9, 1)), [(65.02, Release, 4.0)]);
    assert_eq!(bench.until(67.02, with(10, 3)), [(67.02, Block, 16.0)]);
    // What leads to fewer is not.
    assert_eq!(bench.until(71.1, with(8, 1)), [(69.02, Release, 16.0), (71.02, Release, 16.0)]);
    assert_eq!(bench.until(87.0, with(9, 1)), []);
    assert_eq!(bench.until(87.02, with(9, 1)), [(87.02, Release, 16.0)]);
    // A release to ten that stays for more than 5 s was right, and nothing is too many any more.
    assert_eq!(bench.until(92.02, with(10, 2)), []);
    assert_eq!(bench.controller.observation_s(), 16.0);
    assert_eq!(bench.until(92.04, with(10, 2)), []);
    assert_eq!(bench.controller.observation_s(), 1.0);
    let done = bench.until(95.1, with(10, 1));
    assert_eq!(done, [(93.06, Release, 1.0), (95.06, Release, 1.0)]);
}

/// By drops and alone: a release to ten layers was one too many, at 3 s.
fn failed() -> Bench {
    let mut bench = Bench::new(&BY_DROPS());
    assert_eq!(bench.until(1.0, Traffic { layers: 9, ..ALONE }), [(1.0, Release, 1.0)]);
    assert_eq!(bench.until(3.0, Traffic { layers: 10, phase: 3, ..ALONE }), [(3.0, Block, 4.0)]);
    bench
}

#[test]
fn a_release_to_the_level_proves_right_though_others_follow() {
    let mut bench = failed();
    assert_eq!(bench.until(7.02, Traffic { layers: 9, ..ALONE }), [(7.02, Release, 4.0)]);
    assert_eq!(bench.until(12.02, Traffic { layers: 10, ..ALONE }), [(11.02, Release, 4.0)]);
    // 5 s after the first of them.
    assert_eq!(bench.until(13.1, Traffic { layers: 11, ..ALONE }), [(13.02, Release, 1.0)]);
    // A block in between makes it wait for the next one.
    let mut bench = failed();
    bench.until(7.02, Traffic { layers: 9, ..ALONE });
    assert_eq!(bench.until(9.02, Traffic { layers: 10, phase: 3, ..ALONE }), [(9.02, Block, 16.0)]);
    assert_eq!(bench.until(25.02, Traffic { layers: 9, ..ALONE }), []);
    assert_eq!(bench.until(25.04, Traffic { layers: 9, ..ALONE }), [(25.04, Release, 16.0)]);
}

#[test]
fn below_the_level_nothing_proves_right() {
    let mut bench = failed();
    assert_eq!(bench.until(5.1, Traffic { layers: 5, ..ALONE }), [(5.0, Release, 4.0)]);
    bench.until(20.0, Traffic { layers: 6, phase: 2, ..ALONE });
    assert_eq!(bench.controller.observation_s(), 4.0);
    // Who comes or goes changes everything, and so does a faster link.
    for (changed, rate) in [(true, RATE), (false, Rate(1_050_000))] {
        let mut bench = failed();
        bench.until(3.02, Traffic { layers: 9, phase: 2, changed, rate, ..ALONE });
        assert_eq!(bench.until(5.1, Traffic { layers: 9, ..ALONE }), [(5.0, Release, 1.0)]);
        // Nothing is too many any more.
        assert_eq!(bench.until(7.1, Traffic { layers: 12, ..ALONE }), [(7.0, Release, 1.0)]);
    }
}

#[test]
fn a_link_is_faster_when_it_has_room_for_a_layer_more_than_when_that_was_too_much() {
    let observed = |rates: &[u64]| {
        let mut bench = failed();
        for &rate in rates {
            let until = bench.now.as_secs_f64();
            bench.until(until, Traffic { layers: 9, phase: 2, rate: Rate(1000 * rate), ..ALONE });
        }
        bench.controller.observation_s()
    };
    // However often it moves about by less; and from its slowest on, as after a fade.
    for (rates, observation_s) in [
        (&[1049, 1001, 1049][..], 4.0),
        (&[951, 1000], 4.0),
        (&[950, 1000], 1.0),
        (&[1020, 1050], 1.0),
        (&[100, 200], 1.0),
    ] {
        assert_eq!(observed(rates), observation_s, "{rates:?}");
    }
    // What was too much again was so on the link as it is then.
    let mut bench = failed();
    let slower = Traffic { layers: 9, rate: Rate(960_000), ..ALONE };
    assert_eq!(bench.until(7.02, slower), [(7.02, Release, 4.0)]);
    let faster = Rate(1_000_000);
    assert_eq!(bench.until(9.02, Traffic { layers: 10, phase: 3, rate: faster, ..ALONE }), [(9.02, Block, 16.0)]);
    bench.until(9.04, Traffic { phase: 2, rate: Rate(1_040_000), ..slower });
    assert_eq!(bench.controller.observation_s(), 16.0);
    // And so it is after one that was faster.
    bench.until(9.06, Traffic { phase: 2, rate: Rate(1_050_000), ..slower });
    assert_eq!(bench.controller.observation_s(), 1.0);
    bench.controller.observation = Duration::from_secs(9);
    bench.until(9.08, Traffic { phase: 2, rate: Rate(1_099_000), ..slower });
    assert_eq!(bench.controller.observation_s(), 9.0);
}

#[test]
fn beside_unicast_sessions_a_short_queue_releases_more_slowly_by_drops_as_by_length() {
    let by_drops = Bench::new(&BY_DROPS()).until(100.0, QUIET);
    assert_eq!(by_drops, Bench::new(&Config::default()).until(100.0, QUIET));
    assert!(by_drops.len() > 8);
    // What is due by comparison is not kept waiting by that: 10.64 s was the last release, after 3.375 s.
    let mut bench = Bench::new(&BY_DROPS());
    bench.until(11.0, QUIET);
    let done = bench.until(14.7, Traffic { multicast: 19, ..QUIET });
    assert_eq!(done, [(12.64, Release, 7.59375), (14.64, Release, 11.390625)]);
    // By length it would be.
    let mut bench = Bench::new(&Config::default());
    bench.until(11.0, QUIET);
    assert_eq!(bench.until(14.7, Traffic { multicast: 19, ..QUIET }), []);
    // A faster link says nothing by length.
    for reset in [Reset::Calm, Reset::Never] {
        let mut bench = Bench::new(&Config { reset: Some(reset), ..Config::default() });
        bench.until(11.0, QUIET);
        bench.until(11.02, Traffic { rate: Rate(10 * RATE.0), ..QUIET });
        assert_eq!(bench.controller.observation_s(), 5.0625);
    }
}

#[test]
fn by_drops_a_session_alone_is_given_nothing_until_the_queue_is_short() {
    let between = Traffic { phase: 2, ..ALONE };
    assert_eq!(Bench::new(&BY_DROPS()).until(20.0, between), []);
    assert_ne!(Bench::new(&Config::default()).until(20.0, between), []);
}

#[test]
fn a_rest_is_no_observation() {
    let mut bench = Bench::new(&Config::default());
    bench.until(0.9, QUIET);
    bench.controller.rest();
    bench.now = Instant::from_secs_f64(50.0);
    assert_eq!(bench.until(50.98, QUIET), []);
    assert_eq!(bench.until(51.0, QUIET), [(51.0, Release, 1.0)]);
    // Nor is a time without sessions.
    bench.until(53.5, Traffic { multicast_sessions: 0, multicast: 0, ..QUIET });
    assert_eq!(bench.until(54.5, QUIET), []);
    assert_eq!(bench.until(54.52, QUIET).len(), 1);
}
