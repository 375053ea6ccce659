//! Loss models: packets that a link loses whatever the congestion.
//!
//! | file | model |
//! |---|---|
//! | `none.rs` | loses nothing |
//! | `bernoulli.rs` | each packet with the same probability |
//! | `every.rs` | every n-th packet |
//! | `bit_error.rs` | a packet of which a bit is hit |
//! | `gilbert_elliott.rs` | bursts: a good and a bad state |
//! | `outage.rs` | everything, for a while |
//!
//! Applied to a packet at the receiving end of the link, before any queue. Adding one is one file beside this one
//! and one line in `losses!`. A model outside this crate goes into [`Loss::Guest`].

use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;

/// A loss model of one direction of one link.
pub trait LossModel {
    /// Whether the packet that arrives now is lost.
    fn loses(&mut self, now: Instant, packet: &Packet) -> bool;
}

/// The registry. A line `module::Type = "kind": "description";` declares `mod module`, which must hold
///
/// * `Config`: serde and schemars, unknown fields denied;
/// * `Config::check(&self) -> Vec<(String, String)>`: every field that has an illegal value, and what would be legal;
/// * `Type: LossModel` with `Type::new(&Config, Random) -> Type`, called only with a configuration that passed;
/// * for tests, `Config::samples() -> Vec<(Config, f64)>`: settings and the loss in the long run that theory gives
///   them for packets of 1000 bytes, one every 10 ms.
macro_rules! losses {
    ($($module:ident :: $Type:ident = $kind:literal : $about:literal ;)+) => {
        $(pub mod $module;)+

        /// A loss model at work: those of this crate side by side, so that asking one costs no virtual call.
        pub enum Loss {
            $(#[doc = $about] $Type($module::$Type),)+
            /// A model from outside this crate.
            Guest(Box<dyn LossModel + Send>),
        }

        impl Loss {
            /// The model that `config` describes, drawing from `random`. `config` must have passed [`Config::check`].
            pub fn new(config: &Config, random: Random) -> Loss {
                match config {
                    $(Config::$Type(config) => Loss::$Type($module::$Type::new(config, random)),)+
                }
            }

            /// Its name in configurations; `"guest"` for one from outside.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Loss::$Type(_) => $kind,)+
                    Loss::Guest(_) => "guest",
                }
            }
        }

        impl LossModel for Loss {
            #[inline]
            fn loses(&mut self, now: Instant, packet: &Packet) -> bool {
                match self {
                    $(Loss::$Type(model) => model.loses(now, packet),)+
                    Loss::Guest(model) => model.loses(now, packet),
                }
            }
        }

        /// A loss model as configurations write it: `{ kind = "bernoulli", p = 0.001 }`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[schemars(rename = "Loss")]
        #[serde(tag = "kind")]
        pub enum Config {
            $(#[doc = $about] #[serde(rename = $kind)] $Type($module::Config),)+
        }

        impl Config {
            /// Every field with an illegal value: its path below this one, and what was given and what is legal.
            pub fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(Config::$Type(config) => config.check(),)+
                }
            }

            /// Its name in configurations.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Config::$Type(_) => $kind,)+
                }
            }

            #[cfg(test)]
            fn samples() -> Vec<(Config, f64)> {
                let mut samples = Vec::new();
                $(samples.extend($module::Config::samples().into_iter().map(|(c, loss)| (Config::$Type(c), loss)));)+
                samples
            }
        }

        /// Name and one-line description of every loss model.
        pub const LIST: &[(&str, &str)] = &[$(($kind, $about)),+];
    };
}

losses! {
    none::Lossless = "none": "Loses nothing.";
    bernoulli::Bernoulli = "bernoulli": "Loses each packet with the same probability, independently.";
    every::Every = "every": "Loses every n-th packet.";
    bit_error::BitError = "bit-error": "Loses a packet if one of its bits is hit; bits are hit independently.";
    gilbert_elliott::GilbertElliott = "gilbert-elliott": "Loses packets in bursts: a good and a bad state.";
    outage::Outage = "outage": "Loses everything for a while, once or again and again.";
}

impl std::fmt::Debug for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Loss({})", self.kind())
    }
}

impl Default for Config {
    /// No loss.
    fn default() -> Config {
        Config::Lossless(none::Config::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;
    use faircast_proto::time::Duration;

    /// Loss rate and mean length of a run of lost packets among `n` packets of 1000 bytes, one every 10 ms.
    pub(super) fn observe(config: &Config, seed: u64, n: u32) -> (f64, f64) {
        let mut model = Loss::new(config, Random::stream(seed, "test/loss"));
        let (mut lost, mut bursts, mut before) = (0, 0, false);
        let mut now = Instant::ZERO;
        for _ in 0..n {
            now += Duration::from_millis(10);
            let loses = model.loses(now, &packet(1000, Ecn::NotCapable));
            lost += u32::from(loses);
            bursts += u32::from(loses && !before);
            before = loses;
        }
        (f64::from(lost) / f64::from(n), f64::from(lost) / f64::from(bursts.max(1)))
    }

    #[test]
    fn every_model_loses_as_much_as_theory_says() {
        for (config, theory) in Config::samples() {
            assert_eq!(config.check(), [], "{config:?}");
            let (rate, _) = observe(&config, 1, 400_000);
            // Losses come in bursts of up to some ten packets: seven standard errors of so much clustered a count.
            let tolerance = 7.0 * (theory * (1.0 - theory) * 20.0 / 400_000.0).sqrt();
            assert!((rate - theory).abs() <= tolerance, "{config:?}: {rate}, theory {theory} ± {tolerance}");
        }
        for (kind, _) in LIST {
            assert!(Config::samples().iter().any(|(config, _)| config.kind() == *kind), "no sample of {kind}");
        }
    }

    #[test]
    fn the_same_seed_loses_the_same_packets() {
        for (config, _) in Config::samples() {
            assert_eq!(observe(&config, 3, 20_000), observe(&config, 3, 20_000), "{config:?}");
        }
    }

    #[test]
    fn configurations_survive_being_written_and_read() {
        for (config, _) in Config::samples() {
            let text = serde_json::to_string(&config).expect("configurations are plain data");
            assert_eq!(serde_json::from_str::<Config>(&text).expect("what was written is legal"), config, "{text}");
        }
    }
}
