//! The parameters of RLM.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{from, from_field};
use crate::quantity::Bytes;
use crate::source::layered;
use crate::time::{Duration, Rate};

/// Parameters of an RLM session: its sender and all its receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rlm", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Rate of each layer, the base first, headers included. Default 32, 64, 128, 256, 512 and 1024 kbit/s (ns-2's
    /// example).
    pub rates: Vec<Rate>,
    /// Size of a packet on the wire. Default 1000 B.
    pub packet_size: Bytes,
    /// Each gap of the source is the nominal one times 1 + U(-jitter, jitter). Default 0.5, ns-2's `random_`.
    pub jitter: f64,
    /// Whether the dead ends of ns-2's code are mended. Default "mended".
    pub profile: Profile,
    /// Whether who has left all layers joins the base again when its join timer says so. Default: as the profile says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejoin_from_zero: Option<bool>,
    /// Whether who leaves a layer while no join timer runs, as it had held all layers, starts one. Default: as the
    /// profile says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_join_timer: Option<bool>,
    /// The mean time from one experiment to the next at first, and the least. Default 5 s.
    pub join_timer: Duration,
    /// The most that the join timer becomes. Default 60 s.
    pub max_join_timer: Duration,
    /// For so long at most the experiments of others alone hold up a receiver that loses nothing. Default: with the
    /// profile "mended" as long as `max_join_timer`, with "ns2" forever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_hold: Option<Duration>,
    /// A failed experiment makes the join timer of its layer so many times as long. Default 2.
    pub backoff: f64,
    /// A while without loss makes it so many times as long. Default 0.75.
    pub relaxation: f64,
    /// How long it takes at first until loss follows from a layer too many. Default 5 s.
    pub detection_time: Duration,
    /// The deviation of that at first. Default 2 s.
    pub detection_deviation: Duration,
    /// The weight of a new detection time in its mean and in its deviation. Default 0.25.
    pub gain: f64,
    /// A layer is left if a larger part than this of at least ten packets is lost. Default 0.25.
    pub loss_threshold: f64,
    /// Whether data is ECN-capable. A packet that is marked counts as one that is lost: RLM is older than ECN, so this
    /// is a choice of this project. Default false.
    pub ecn: bool,
}

/// What becomes of a receiver at the ends of its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RlmProfile")]
pub enum Profile {
    /// As in ns-2: who has left all layers never joins again, nor does who has ever held all and left one.
    Ns2,
    /// Both try again, `rejoin_from_zero` and `restart_join_timer`, and `max_hold` bounds what others' experiments do.
    Mended,
}

limits! { Config {
    jitter, relaxation, gain, loss_threshold: from(0.0).to(1.0),
    join_timer, detection_time: from(Duration::from_millis(1)),
    max_join_timer: from_field("join_timer", |config: &Config| config.join_timer),
    backoff: from(1.0),
} }

impl Default for Config {
    fn default() -> Config {
        Config {
            rates: [32, 64, 128, 256, 512, 1024].map(|kbps| Rate(1000 * kbps)).to_vec(),
            packet_size: Bytes(1000),
            jitter: 0.5,
            profile: Profile::Mended,
            rejoin_from_zero: None,
            restart_join_timer: None,
            join_timer: Duration::from_secs(5),
            max_join_timer: Duration::from_secs(60),
            max_hold: None,
            backoff: 2.0,
            relaxation: 0.75,
            detection_time: Duration::from_secs(5),
            detection_deviation: Duration::from_secs(2),
            gain: 0.25,
            loss_threshold: 0.25,
            ecn: false,
        }
    }
}

impl Config {
    pub(super) fn rejoins_from_zero(&self) -> bool {
        self.rejoin_from_zero.unwrap_or(self.profile == Profile::Mended)
    }

    pub(super) fn restarts_join_timer(&self) -> bool {
        self.restart_join_timer.unwrap_or(self.profile == Profile::Mended)
    }

    /// For how long the experiments of others may hold up a receiver that loses nothing; `None` = forever.
    pub(super) fn longest_hold(&self) -> Option<Duration> {
        self.max_hold.or((self.profile == Profile::Mended).then_some(self.max_join_timer))
    }

    /// The source, which sends as one without control does.
    pub(super) fn layers(&self) -> layered::Config {
        layered::Config::of_source(&self.rates, self.packet_size, self.jitter, self.ecn)
    }
}
