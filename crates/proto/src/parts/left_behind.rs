//! The few that hold all others below a share of what these would get, and are done without.
//!
//! "A control method could decide not to reduce the rate of the entire multicast group in response to a control message
//! received from a single receiver", and "to request a congested receiver to leave the multicast group" (RFC 8085
//! section 4.1). Whether such a receiver has a bad way or lies its words cannot tell, as a lie that is consistent is
//! what a bad way would give. So what is judged is not whether it is right but what it costs, and that is tried out:
//!
//! ```text
//!             a few asked for less than X/share,            after `after` X is level/share, where level is X before
//!   ┌─────────┐ two others or more are there  ┌──────────┐ ────▶ who still asks for less than share·X is left behind
//!   │ looking │──────────────────────────────▶│ on trial │
//!   └─────────┘  they are not heeded          └──────────┘ ────▶ others hold X as they did, or six times `after` have
//!        ▲                                         │             gone by: they are heeded, the next trial waits longer
//!        └─────────────────────────────────────────┘
//! ```
//!
//! Who asks for more in the meantime is heeded again, twice: of receivers that lose packets by chance one may seem far
//! worse off for a while, above all when a session begins. Who is left behind is heeded again when nobody else
//! reports, as those have gone who were held up.

use crate::limits;
use crate::limits::{Limited as _, from};
use crate::packet::Address;
use crate::time::{Duration, Instant};

/// Who is left behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Who holds all others below this share of what they would get. Default 0.5.
    pub share: f64,
    /// How many receivers at most. Default 1.
    pub most: u32,
    /// How long it is looked who does so, before they are tried. Default 10 s.
    pub after: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config { share: 0.5, most: 1, after: Duration::from_secs(10) }
    }
}

limits! { Config {
    share: from(0.01).to(0.9),
    most: from(1).to(MOST),
    after: from(Duration::from_secs(1)).to(Duration::from_secs(600)),
} }

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.beyond_limits()
    }
}

/// How many may be left behind at most, so that what is remembered is bounded.
pub const MOST: u32 = 200;
/// How many others there must be: of two receivers nobody can say which is the odd one.
const LEAST_OTHERS: usize = 2;
/// Others count that were heard in so long.
const REMEMBERED: Duration = Duration::from_secs(120);
/// How often a receiver is heeded again that asks for more during a trial, and how many of them are remembered.
const SPARES: u32 = 2;
const MOST_SPARED: usize = 64;
/// A trial lasts so many times `after` at most.
const TRIAL: f64 = 6.0;
/// The longest time from one trial to the next.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// In so many feedback rounds in a row nobody else has reported: others have gone. In each round one does.
const LONELY_ROUNDS: u64 = 3;

/// What has become of receivers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Who is not heeded from now on, to see what others would get.
    pub tried: Vec<Address>,
    /// Who was not heeded, and is left behind.
    pub left: Vec<Address>,
    /// Who is heeded again.
    pub heeded: Vec<Address>,
}

/// What is known of a session beside its reports.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// The sending rate X, bit/s.
    pub rate_bps: f64,
    /// Who limits it.
    pub limiting: Option<Address>,
    /// How many feedback rounds have begun.
    pub rounds: u64,
}

/// Who is not heeded, and why not.
#[derive(Clone, Debug)]
pub struct LeftBehind {
    config: Config,
    /// More is never sent, bit/s.
    ceiling_bps: f64,
    /// Who is not heeded: those that are left behind, then those on trial.
    aside: Vec<Address>,
    left: usize,
    trial: Option<Trial>,
    /// What those on trial asked for last, bit/s, and when.
    words: Vec<(Address, f64, Instant)>,
    /// Who was heeded again after a trial, and how often.
    spared: Vec<(Address, u32)>,
    /// X up to now, in spans of half of `after`.
    span: Span,
    /// The lowest rates that were asked for since it was looked last, the lowest first: one more than are done without.
    asked: Vec<(Address, f64)>,
    /// Who else was heard last, the latest last.
    heard: Vec<(Address, Instant)>,
    /// Trials in a row after which all were heeded again, and until when there is no other.
    failed: u32,
    rests_until: Instant,
    /// Since when, and since which round, only those were heard who are not heeded.
    alone: Option<(Instant, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Trial {
    began: Instant,
    /// X before, bit/s.
    level_bps: f64,
}

/// The mean of X over time.
#[derive(Clone, Copy, Debug)]
struct Span {
    began: Instant,
    at: Instant,
    rate_bps: f64,
    /// The integral of X since the beginning, bits.
    bits: f64,
    /// The mean of the span before; none if it was looked then.
    before_bps: Option<f64>,
}

impl LeftBehind {
    /// Nobody is left behind. `config` must have passed [`Config::check`]; more than `ceiling_bps` is never sent.
    pub fn new(config: Config, ceiling_bps: f64) -> LeftBehind {
        LeftBehind {
            config,
            ceiling_bps,
            aside: Vec::new(),
            left: 0,
            trial: None,
            words: Vec::new(),
            spared: Vec::new(),
            span: Span { began: Instant::ZERO, at: Instant::ZERO, rate_bps: 0.0, bits: 0.0, before_bps: None },
            asked: Vec::new(),
            heard: Vec::new(),
            failed: 0,
            rests_until: Instant::ZERO,
            alone: None,
        }
    }

    /// The session begins.
    pub fn begin(&mut self, now: Instant) {
        self.span = Span { began: now, at: now, rate_bps: 0.0, bits: 0.0, before_bps: None };
    }

    /// Who is left behind.
    pub fn left(&self) -> &[Address] {
        &self.aside[..self.left]
    }

    /// Whether a receiver is left behind or on trial, and so not heeded.
    pub fn is_aside(&self, receiver: Address) -> bool {
        self.aside.contains(&receiver)
    }

    /// A receiver asks for this rate, bit/s, as it loses packets or not; who loses none asks for twice what it gets.
    /// Whether it is heeded.
    pub fn hear(&mut self, now: Instant, rounds: u64, receiver: Address, asked_bps: f64, loses: bool) -> bool {
        if self.is_aside(receiver) {
            self.alone.get_or_insert((now, rounds));
            self.words.retain(|(other, ..)| *other != receiver);
            self.words.push((receiver, asked_bps, now));
            return false;
        }
        self.alone = None;
        let most = self.config.most as usize;
        self.heard.retain(|(other, _)| *other != receiver);
        if self.heard.len() == most + LEAST_OTHERS {
            self.heard.remove(0);
        }
        self.heard.push((receiver, now));
        let asked_bps = if loses { asked_bps } else { 2.0 * asked_bps };
        match self.asked.iter_mut().find(|(other, _)| *other == receiver) {
            Some((_, least_bps)) => *least_bps = least_bps.min(asked_bps),
            None => self.asked.push((receiver, asked_bps)),
        }
        self.asked.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        self.asked.truncate(most + 1);
        true
    }

    /// A receiver goes.
    pub fn leaves(&mut self, receiver: Address) {
        self.asked.retain(|(other, _)| *other != receiver);
        self.heard.retain(|(other, _)| *other != receiver);
    }

    /// Time has passed, or X has changed.
    pub fn pass(&mut self, now: Instant, present: Present) -> Option<Step> {
        let length = self.config.after.mul_f64(0.5);
        self.span.advance(now, present.rate_bps);
        if let Some((since, round)) = self.alone
            && now.since(since) >= self.config.after
            && present.rounds >= round + LONELY_ROUNDS
        {
            return Some(self.heed_all());
        }
        if now.since(self.span.began) < length {
            return None;
        }
        let mean_bps = self.span.next();
        if let Some(trial) = self.trial
            && now.since(trial.began) >= self.config.after
            && mean_bps >= trial.level_bps / self.config.share
        {
            return Some(self.judge(now, mean_bps));
        }
        // Every second time: of all that was asked for since.
        let Some(before_bps) = self.span.before_bps else {
            self.span.before_bps = Some(mean_bps);
            return self.end_of_trial(now);
        };
        self.span.before_bps = None;
        let asked = std::mem::take(&mut self.asked);
        let level_bps = self.trial.map_or(0.5 * (before_bps + mean_bps), |trial| trial.level_bps);
        let low = self.low(&asked, level_bps, present.limiting);
        match self.trial {
            Some(_) if low.is_empty() => self.end_of_trial(now),
            Some(_) if !self.are_few(now, &low) => Some(self.fail(now)),
            Some(_) => Some(self.try_without(now, low, level_bps)),
            None => {
                let can_rise = level_bps < self.config.share * self.ceiling_bps;
                let tries = !low.is_empty() && self.are_few(now, &low) && can_rise && now >= self.rests_until;
                tries.then(|| self.try_without(now, low, level_bps))
            }
        }
    }

    /// Who has asked for so little that X is less than it could be, if one of them limits.
    fn low(&self, asked: &[(Address, f64)], level_bps: f64, limiting: Option<Address>) -> Vec<Address> {
        let low = asked.iter().filter(|(_, bps)| *bps < level_bps / self.config.share).map(|(receiver, _)| *receiver);
        let low: Vec<Address> = low.collect();
        if limiting.is_some_and(|limiting| low.contains(&limiting)) { low } else { Vec::new() }
    }

    /// Whether these are not too many with those that are not heeded already, and enough others are there.
    fn are_few(&self, now: Instant, low: &[Address]) -> bool {
        self.aside.len() + low.len() <= self.config.most as usize && self.others(now, low) >= LEAST_OTHERS
    }

    /// How many were heard beside those, and are heeded.
    fn others(&self, now: Instant, low: &[Address]) -> usize {
        let counts = |(receiver, at): &&(Address, Instant)| {
            now.since(*at) <= REMEMBERED && !low.contains(receiver) && !self.is_aside(*receiver)
        };
        self.heard.iter().filter(counts).count()
    }

    fn try_without(&mut self, now: Instant, low: Vec<Address>, level_bps: f64) -> Step {
        self.aside.extend(&low);
        self.trial = Some(Trial { began: now, level_bps });
        Step { tried: low, ..Step::default() }
    }

    /// X has become what it could be: who of those on trial would hold it down again?
    fn judge(&mut self, now: Instant, mean_bps: f64) -> Step {
        let tried = self.aside.split_off(self.left);
        let (left, heeded): (Vec<_>, Vec<_>) = tried.into_iter().partition(|receiver| {
            let word = self.words.iter().find(|(other, ..)| other == receiver);
            let holds = word.is_some_and(|(_, asked_bps, at)| {
                now.since(*at) <= self.config.after && *asked_bps < self.config.share * mean_bps
            });
            holds || self.spared.iter().any(|(other, times)| other == receiver && *times >= SPARES)
        });
        heeded.iter().for_each(|receiver| self.spare(*receiver));
        self.aside.extend(&left);
        (self.left, self.trial, self.failed) = (self.aside.len(), None, 0);
        self.span.before_bps = None;
        self.asked.clear();
        self.words.clear();
        Step { left, heeded, ..Step::default() }
    }

    fn spare(&mut self, receiver: Address) {
        if let Some((_, times)) = self.spared.iter_mut().find(|(other, _)| *other == receiver) {
            *times += 1;
            return;
        }
        if self.spared.len() == MOST_SPARED {
            self.spared.remove(0);
        }
        self.spared.push((receiver, 1));
    }

    fn end_of_trial(&mut self, now: Instant) -> Option<Step> {
        let is_over = self.trial.is_some_and(|trial| now.since(trial.began) >= self.config.after.mul_f64(TRIAL));
        is_over.then(|| self.fail(now))
    }

    fn fail(&mut self, now: Instant) -> Step {
        self.trial = None;
        self.failed = (self.failed + 1).min(16);
        // A trial may have failed for what X was shortly before it: the next one comes soon, later ones ever later.
        let pause = self.config.after.mul_f64(f64::from((1u32 << self.failed) - 1));
        self.rests_until = now + pause.min(LONGEST_PAUSE);
        Step { heeded: self.aside.split_off(self.left), ..Step::default() }
    }

    /// Others have gone.
    fn heed_all(&mut self) -> Step {
        (self.left, self.trial, self.alone) = (0, None, None);
        self.heard.clear();
        self.asked.clear();
        Step { heeded: std::mem::take(&mut self.aside), ..Step::default() }
    }
}

impl Span {
    fn advance(&mut self, now: Instant, rate_bps: f64) {
        self.bits += self.rate_bps * now.since(self.at).as_secs_f64();
        (self.at, self.rate_bps) = (now, rate_bps);
    }

    /// The mean since the beginning, bit/s; the next span begins.
    fn next(&mut self) -> f64 {
        let mean_bps = self.bits / self.at.since(self.began).as_secs_f64();
        (self.began, self.bits) = (self.at, 0.0);
        mean_bps
    }
}

#[cfg(test)]
#[path = "left_behind_tests.rs"]
mod tests;
