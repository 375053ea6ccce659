//! N, the number of receivers: how a sender knows it.
//!
//! | file | N is |
//! |---|---|
//! | `configured.rs` | given |
//! | `registration.rs` | counted: every receiver says that it is a member |
//! | `estimated.rs` | estimated from the feedback timers |

pub mod configured;
pub mod estimated;
pub mod registration;

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits::Limited;
use crate::omcc::header::Header;
use crate::packet::{self, Packet};
use crate::time::Instant;

/// How the sender knows N: `{ kind = "registration", refresh = "30 s" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OmccPopulation")]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Config {
    /// The number of receivers as it is given.
    Configured(configured::Config),
    /// Registration: every receiver tells the sender that it is a member.
    Registration(registration::Config),
    /// An estimate of N from the uniform numbers of the feedback timers.
    Estimated(estimated::Config),
}

impl Default for Config {
    /// What the session was set up with.
    fn default() -> Config {
        Config::Configured(configured::Config::default())
    }
}

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        match self {
            Config::Configured(config) => config.beyond_limits(),
            Config::Registration(config) => config.beyond_limits(),
            Config::Estimated(config) => config.beyond_limits(),
        }
    }
}

/// What the sender knows of its receivers.
#[derive(Clone, Debug)]
pub(super) enum Population {
    /// A number.
    Configured(f64),
    /// Who they are.
    Registered(registration::Register),
    /// What their timers say.
    Estimated(estimated::Estimate),
}

impl Population {
    /// `members` were set up; there are at most `most`.
    pub(super) fn new(config: &Config, members: u32, most: u32) -> Population {
        match config {
            Config::Configured(config) => Population::Configured(f64::from(config.receivers.unwrap_or(members).max(1))),
            Config::Registration(config) => Population::Registered(registration::Register::new(config, most)),
            Config::Estimated(config) => Population::Estimated(estimated::Estimate::new(config, most)),
        }
    }

    /// A packet from a receiver has come.
    pub(super) fn hear(&mut self, now: Instant, packet: &Packet) {
        let packet::Header::Omcc(header) = packet.header else { return };
        match (self, header) {
            (Population::Registered(register), Header::Registration { member }) => {
                register.hear(now, packet.source, packet.sent, member);
            }
            (Population::Estimated(estimate), Header::Feedback(feedback)) => {
                estimate.report(feedback.tfmcc.round, feedback.draw);
            }
            _ => {}
        }
    }

    /// Feedback round `round` begins.
    pub(super) fn next_round(&mut self, round: u8) {
        if let Population::Estimated(estimate) = self {
            estimate.next_round(round);
        }
    }

    /// What time does by itself, up to `now`.
    pub(super) fn pass(&mut self, now: Instant) {
        if let Population::Registered(register) = self {
            register.expire(now);
        }
    }

    /// When [`pass`](Self::pass) may change something; `FAR_FUTURE` = not at all.
    pub(super) fn deadline(&self) -> Instant {
        match self {
            Population::Registered(register) => register.deadline(),
            _ => Instant::FAR_FUTURE,
        }
    }

    /// N, at least 1.
    pub(super) fn receivers(&self) -> f64 {
        match self {
            Population::Configured(receivers) => *receivers,
            Population::Registered(register) => f64::from(register.members().max(1)),
            Population::Estimated(estimate) => estimate.receivers(),
        }
    }
}
