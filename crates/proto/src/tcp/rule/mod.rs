//! Window rules: how the congestion window grows and shrinks, and which recovery goes with it.
//!
//! | file | rule |
//! |---|---|
//! | `reno.rs` | additive increase, halving (RFC 5681); what the other rules start from |
//! | `newreno.rs` | the same with the recovery of RFC 6582 |
//! | `sack.rs` | the same with the recovery of RFC 6675 |
//! | `cubic.rs` | growth by a cubic function of time (RFC 9438) |
//! | `westwood.rs` | after a loss, bandwidth times least round-trip time, estimated on every ACK |
//! | `westwood_plus.rs` | the same, estimated once a round trip |
//! | `hybla.rs` | growth as fast as with a shorter round trip |
//!
//! `delivered.rs` counts for rules that estimate what ACKs say has arrived.
//!
//! A rule decides numbers only. Acknowledgements, timers, retransmissions and congestion echoes are the business of the
//! machine in `sender.rs`, the same for every rule. Adding one is one file beside this one and one line in
//! `window_rules!`. A rule outside this crate goes into `Rule::Guest`, and has a name in scenarios by a [`RuleKind`].

pub mod delivered;
#[cfg(test)]
mod golden_tests;

use super::window::WindowRule;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::guest::Guest;
#[cfg(feature = "serde")]
use crate::guest::{Guests, Sort};

/// The registry. A line `module::Type = "name": "description";` declares `mod module`, which must hold `Type:
/// WindowRule` without fields; one `module::Type(field) = ..` a type with parameters: `Type::new(&Parameters) -> Type`,
/// with `Parameters` in the same file and a field of that name in [`Config`](super::Config).
macro_rules! window_rules {
    ($declare:ident) => {
        $declare! {
            reno::Reno = "reno": "Reno: halves on loss; fast recovery ends with the first new ACK (RFC 5681).";
            newreno::NewReno = "newreno": "NewReno: Reno whose fast recovery repairs several losses (RFC 6582).";
            sack::Sack = "sack": "Reno with recovery from selective acknowledgements (RFC 2018, RFC 6675).";
            westwood::Westwood(westwood) = "westwood":
                "Westwood: after a loss, bandwidth times least RTT; estimated on every ACK.";
            westwood_plus::WestwoodPlus(westwood_plus) = "westwood+":
                "Westwood+: Westwood with one bandwidth sample per round trip.";
            hybla::Hybla(hybla) = "hybla": "Hybla: grows as fast as a reference flow with a shorter round trip.";
            cubic::Cubic(cubic) = "cubic":
                "CUBIC: grows by a cubic function of time; what most hosts use today (RFC 9438).";
        }
    };
}

pub(super) use window_rules;

macro_rules! declare {
    ($($module:ident :: $Type:ident $(($parameters:ident))? = $name:literal : $about:literal ;)+) => {
        $(pub mod $module;)+

        /// The variant of TCP, by name.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub enum Variant {
            $(#[doc = $about] #[serde(rename = $name)] $Type,)+
            /// One from outside this crate.
            #[serde(untagged)]
            #[schemars(skip)]
            Guest(Guest<dyn RuleKind>),
        }

        /// Every variant, in the order of the registry.
        pub const VARIANTS: &[Variant] = &[$(Variant::$Type),+];

        /// Name and one-line description of every variant.
        pub const LIST: &[(&str, &str)] = &[$(($name, $about)),+];

        impl Variant {
            /// Its name in configurations.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Variant::$Type => $name,)+
                    Variant::Guest(guest) => guest.name(),
                }
            }
        }
    };
}

window_rules!(declare);

/// The parameters of a rule from outside this crate, from which it is made.
pub trait RuleKind: Send + Sync {
    /// Every parameter with an illegal value: its path, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The rule of a sender.
    fn rule(&self) -> Box<dyn WindowRule + Send>;
}

#[cfg(feature = "serde")]
static GUESTS: Guests<dyn RuleKind> = Guests::new();

#[cfg(feature = "serde")]
impl Sort for dyn RuleKind {
    const WHAT: &'static str = "window rule";
    const TAG: &'static str = "kind";

    fn built_in() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    fn guests() -> &'static Guests<dyn RuleKind> {
        &GUESTS
    }
}
