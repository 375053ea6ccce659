//! When to block a layer and when to release one: the phases of the queue and Algorithm 1 of [Peng].

use super::config::{Config, Reads, Reset};
use faircast_proto::time::{Duration, Instant};

/// What is seen at a look at the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    /// 1 short, 2 between, 3 long.
    pub(super) phase: u8,
    pub(super) unicast_sessions: usize,
    pub(super) multicast_sessions: usize,
    /// What each kind has sent in the window, in what is counted.
    pub(super) unicast: u64,
    pub(super) multicast: u64,
    /// A session has come or gone since the last look.
    pub(super) changed: bool,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Block,
    Release,
}

/// What was done last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    None,
    Block,
    Release,
}

/// A block this soon after a release, or within two windows of it, is put down to the release.
const RIGHT_AFTER: Duration = Duration::from_secs(5);
/// A release so many observation times after the one before finds the queue calm.
const CALM: u64 = 4;

/// The controller of one interface.
#[derive(Debug)]
pub(super) struct Controller {
    config: Config,
    hold: Duration,
    /// Since when the queue has been short, or since the last release.
    short_since: Option<Instant>,
    /// T_obs.
    observation: Duration,
    last: Action,
    acted: Option<Instant>,
    released: Option<Instant>,
    phase: u8,
    /// How many looks found each phase.
    looks: [u64; 3],
    means: [f64; 2],
}

impl Controller {
    pub(super) fn new(config: &Config) -> Controller {
        Controller {
            config: config.clone(),
            hold: config.hold.unwrap_or(config.window),
            short_since: None,
            observation: config.observation,
            last: Action::None,
            acted: None,
            released: None,
            phase: 0,
            looks: [0; 3],
            means: [f64::NAN; 2],
        }
    }

    /// No session was there for a while.
    pub(super) fn rest(&mut self) {
        self.short_since = None;
    }

    /// The phase of the queue at the last look, 0 before the first one.
    pub(super) fn phase(&self) -> u8 {
        self.phase
    }

    /// How many looks have found each phase.
    pub(super) fn looks(&self) -> [u64; 3] {
        self.looks
    }

    /// T_obs.
    pub(super) fn observation(&self) -> Duration {
        self.observation
    }

    /// What a unicast and a multicast session sent on average in the window before the last look.
    pub(super) fn means(&self) -> [f64; 2] {
        self.means
    }

    /// Looks at the queue: what is wanted. If it can be done, [`has_blocked`](Self::has_blocked) or
    /// [`has_released`](Self::has_released) must follow.
    pub(super) fn look(&mut self, now: Instant, traffic: &Traffic) -> Wish {
        if traffic.changed && self.config.reset == Reset::Calm {
            self.observation = self.config.observation;
        }
        self.phase = traffic.phase;
        self.looks[usize::from(traffic.phase) - 1] += 1;
        let mean = |sum: u64, sessions: usize| sum as f64 / sessions as f64;
        let unicast = mean(traffic.unicast, traffic.unicast_sessions);
        let multicast = mean(traffic.multicast, traffic.multicast_sessions);
        self.means = [unicast, multicast];
        if traffic.multicast_sessions == 0 {
            self.short_since = None;
            return Wish::Nothing;
        }
        // Without unicast sessions there is nothing to compare with, and a queue of constant rates is hardly ever
        // empty: all that is not long counts as short.
        let alone = traffic.unicast_sessions == 0;
        let phase = if traffic.phase == 2 && alone { 1 } else { traffic.phase };
        let waited = |time: Duration| self.acted.is_none_or(|acted| now.since(acted) >= time);
        match phase {
            1 => {
                let Some(since) = self.short_since else {
                    self.short_since = Some(now);
                    return Wish::Nothing;
                };
                if now.since(since) >= self.observation && waited(self.hold) {
                    // The observation begins anew, whether or not there is a layer to release.
                    self.short_since = Some(now);
                    return Wish::Release;
                }
                Wish::Nothing
            }
            2 => {
                self.short_since = None;
                // The paper has no timer here; without one every layer would be released before the means follow.
                match multicast < unicast && waited(self.hold.max(self.observation)) {
                    true => Wish::Release,
                    false => Wish::Nothing,
                }
            }
            _ => {
                self.short_since = None;
                let hold = if self.last == Action::Block { self.config.block_hold } else { self.hold };
                // Unicast sessions that got nothing through make any excess infinite.
                let excess = alone || multicast - unicast > self.config.excess * unicast;
                // Where unicast flows fill the link something is dropped all the time, so that a session which has
                // less than they have would wait for ever.
                let lacks = self.config.reads == Reads::Drops && multicast < unicast;
                if excess && waited(hold) {
                    Wish::Block
                } else if lacks && waited(self.hold.max(self.observation)) {
                    Wish::Release
                } else {
                    Wish::Nothing
                }
            }
        }
    }

    /// A layer has been blocked.
    pub(super) fn has_blocked(&mut self, now: Instant) {
        let soon = RIGHT_AFTER.max(self.config.window + self.config.window);
        if self.last == Action::Release && self.acted.is_some_and(|acted| now.since(acted) <= soon) {
            self.lengthen(self.config.back_factor);
        }
        (self.last, self.acted) = (Action::Block, Some(now));
    }

    /// A layer has been released.
    pub(super) fn has_released(&mut self, now: Instant) {
        let calm = Duration(self.observation.0.saturating_mul(CALM));
        let reset = self.config.reset == Reset::Calm;
        if reset && self.released.is_none_or(|released| now.since(released) > calm) {
            self.observation = self.config.observation;
        } else if self.last == Action::Release {
            self.lengthen(self.config.slow_factor);
        }
        (self.last, self.acted, self.released) = (Action::Release, Some(now), Some(now));
    }

    fn lengthen(&mut self, factor: f64) {
        self.observation = self.observation.mul_f64(factor).min(self.config.max_observation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A controller that is asked every 20 ms and gets what it wants.
    struct Bench {
        controller: Controller,
        now: Instant,
        done: Vec<(f64, Wish, f64)>,
    }

    const QUIET: Traffic =
        Traffic { phase: 1, unicast_sessions: 2, multicast_sessions: 2, unicast: 20, multicast: 20, changed: false };

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
                    Wish::Block => self.controller.has_blocked(self.now),
                    Wish::Release => self.controller.has_released(self.now),
                }
                if wish != Wish::Nothing {
                    let observation = self.controller.observation().as_secs_f64();
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
            let mut bench = Bench::new(&Config { reset, ..Config::default() });
            let mut observations: Vec<f64> = bench.until(5.0, QUIET).iter().map(|done| done.2).collect();
            // More than four times 2.25 s without a release.
            bench.until(14.02, Traffic { phase: 2, ..QUIET });
            observations.extend(bench.until(16.4, QUIET).iter().map(|done| done.2));
            observations.extend(bench.until(18.5, QUIET).iter().map(|done| done.2));
            bench.until(18.52, Traffic { changed: true, ..QUIET });
            observations.push(bench.controller.observation().as_secs_f64());
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

    #[test]
    fn a_rest_is_no_observation() {
        let mut bench = Bench::new(&Config::default());
        bench.until(0.9, QUIET);
        bench.controller.rest();
        bench.now = Instant::from_secs_f64(50.0);
        assert_eq!(bench.until(50.98, QUIET), []);
        assert_eq!(bench.until(51.0, QUIET), [(51.0, Release, 1.0)]);
    }
}
