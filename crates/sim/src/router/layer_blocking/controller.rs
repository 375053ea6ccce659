//! When to block a layer and when to release one: the phases of the queue and Algorithm 1 of [Peng].

use super::config::{Compared, Config, Reads, Reset};
use faircast_proto::time::{Duration, Instant, Rate};

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
    /// How many layers of all multicast sessions pass.
    pub(super) layers: u32,
    /// A session has come or gone since the last look.
    pub(super) changed: bool,
    /// The rate of the link.
    pub(super) rate: Rate,
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
    reset: Reset,
    compared: Compared,
    /// Since when the queue has been short, or since the last release.
    short_since: Option<Instant>,
    /// T_obs.
    observation: Duration,
    /// With `Reset::Level`: from how many layers on it counts, if not from any number on.
    level: Option<u32>,
    /// When a release led that far, if nothing has been blocked since.
    on_trial: Option<Instant>,
    /// What was blocked last, bit/s.
    blocked_bps: f64,
    /// The link's lowest rate since T_obs was lengthened last, or was the first one again.
    slowest: Rate,
    /// How many layers passed at the last look, whether no unicast session was there, and how fast the link was.
    layers: u32,
    alone: bool,
    rate: Rate,
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
            reset: config.reset(),
            compared: config.compared(),
            short_since: None,
            observation: config.observation,
            level: None,
            on_trial: None,
            blocked_bps: 0.0,
            slowest: Rate(u64::MAX),
            layers: 0,
            alone: false,
            rate: Rate(u64::MAX),
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

    /// T_obs, in seconds.
    pub(super) fn observation_s(&self) -> f64 {
        self.observation.as_secs_f64()
    }

    /// What a unicast and a multicast session sent on average in the window before the last look.
    pub(super) fn means(&self) -> [f64; 2] {
        self.means
    }

    /// Looks at the queue: what is wanted. If it can be done, [`has_blocked`](Self::has_blocked) or
    /// [`has_released`](Self::has_released) must follow.
    pub(super) fn look(&mut self, now: Instant, traffic: &Traffic) -> Wish {
        if self.on_trial.is_some_and(|since| now.since(since) > self.soon()) {
            if self.by_level() {
                self.observation = self.config.observation;
            }
            (self.level, self.on_trial) = (None, None);
        }
        (self.rate, self.slowest) = (traffic.rate, self.slowest.min(traffic.rate));
        let anew = match self.reset {
            Reset::Never => false,
            Reset::Calm => traffic.changed,
            Reset::Level => traffic.changed || self.is_faster(),
        };
        if anew {
            (self.observation, self.slowest) = (self.config.observation, self.rate);
            (self.level, self.on_trial) = (None, None);
        }
        self.layers = traffic.layers;
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
        self.alone = traffic.unicast_sessions == 0;
        // Without unicast sessions there is nothing to compare with, and a queue of constant rates is hardly ever
        // empty: all that is not long counts as short by its length.
        let is_short = self.alone && self.config.reads == Reads::Length;
        let phase = if traffic.phase == 2 && is_short { 1 } else { traffic.phase };
        let waited = |time: Duration| self.acted.is_none_or(|acted| now.since(acted) >= time);
        let too_many = self.level.is_some_and(|level| traffic.layers + 1 >= level);
        // The paper has no timer for what follows from a comparison; without one every layer would be released before
        // the means follow. A layer that turns the comparison round would come and go for ever.
        let pause = match self.compared {
            Compared::Hold if !too_many => self.hold,
            Compared::Hold | Compared::Observation => self.hold.max(self.observation),
        };
        let due = multicast < unicast && waited(pause);
        if phase != 1 {
            self.short_since = None;
        }
        match phase {
            1 => {
                let since = *self.short_since.get_or_insert(now);
                // Beside unicast flows, which build up their rates after each loss, a short queue alone is no sign that
                // there is room.
                let below = self.by_level() && !too_many;
                let observation = if below { self.config.observation } else { self.observation };
                if now.since(since) >= observation && waited(self.hold) {
                    // The observation begins anew, whether or not there is a layer to release.
                    self.short_since = Some(now);
                    Wish::Release
                } else if due && self.compared == Compared::Hold {
                    Wish::Release
                } else {
                    Wish::Nothing
                }
            }
            2 if due => Wish::Release,
            2 => Wish::Nothing,
            _ => {
                let hold = if self.last == Action::Block { self.config.block_hold } else { self.hold };
                // Unicast sessions that got nothing through make any excess infinite.
                let excess = self.alone || multicast - unicast > self.config.excess * unicast;
                if excess && waited(hold) {
                    Wish::Block
                } else if due && self.config.reads == Reads::Drops {
                    // Where unicast flows fill the link something is dropped all the time, so that a session which has
                    // less than they have would wait for ever.
                    Wish::Release
                } else {
                    Wish::Nothing
                }
            }
        }
    }

    /// A layer that sends so much has been blocked.
    pub(super) fn has_blocked(&mut self, now: Instant, bps: f64) {
        if self.last == Action::Release && self.acted.is_some_and(|acted| now.since(acted) <= self.soon()) {
            self.lengthen(self.config.back_factor);
            self.level = (self.reset == Reset::Level).then_some(self.layers);
        }
        self.on_trial = None;
        self.blocked_bps = bps;
        (self.last, self.acted) = (Action::Block, Some(now));
    }

    /// A layer has been released.
    pub(super) fn has_released(&mut self, now: Instant) {
        if self.level.is_some_and(|level| self.layers + 1 >= level) {
            self.on_trial = self.on_trial.or(Some(now));
        }
        if !self.by_level() {
            let calm = Duration(self.observation.0.saturating_mul(CALM));
            if self.reset != Reset::Never && self.released.is_none_or(|released| now.since(released) > calm) {
                self.observation = self.config.observation;
            } else if self.last == Action::Release {
                self.lengthen(self.config.slow_factor);
            }
        }
        (self.last, self.acted, self.released) = (Action::Release, Some(now), Some(now));
    }

    /// Whether what a short queue releases is known to be right by the number of layers alone.
    fn by_level(&self) -> bool {
        self.reset == Reset::Level && self.alone
    }

    /// Whether the link has become faster by a layer: then what was too much may be right. A rate that moves about by
    /// less, as links by radio have it, is no news.
    fn is_faster(&self) -> bool {
        self.rate > self.slowest && self.rate.as_bps_f64() >= self.slowest.as_bps_f64() + self.blocked_bps
    }

    fn soon(&self) -> Duration {
        RIGHT_AFTER.max(self.config.window + self.config.window)
    }

    fn lengthen(&mut self, factor: f64) {
        self.slowest = self.rate;
        self.observation = self.observation.mul_f64(factor).min(self.config.max_observation);
    }
}

#[cfg(test)]
#[path = "controller_tests.rs"]
mod tests;
