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
//! `window_rules!`. A rule outside this crate goes into [`Rule::Guest`], and has a name in scenarios by a [`RuleKind`].

pub mod delivered;

use super::config::Config;
use crate::guest::{Guest, Guests, Sort};
use crate::time::{Duration, Instant};

/// The variables that a rule works on, in segments.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Congestion window, at least 1.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// The receiver's window; neither more than this is sent nor does `cwnd` grow above it.
    pub wnd: f64,
}

/// What a rule is told of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it arrived, on the sender's clock; perhaps a little before the one that was handed in before it.
    pub arrived: Instant,
    /// Segments acknowledged for the first time; 0 for a duplicate ACK.
    pub newly_acked: u32,
    /// Segments still outstanding.
    pub flight: u32,
    /// The round-trip time, if this ACK measured one.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time, once there is one.
    pub srtt: Option<Duration>,
    /// For how many segments it lets the window grow.
    pub credit: Credit,
}

/// For how many segments an ACK of new data lets the window grow (RFC 3465 section 2), by the machine's reckoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// In slow start.
    pub slow_start: u32,
    /// In congestion avoidance.
    pub avoidance: u32,
}

impl Credit {
    /// What an ACK counts where ACKs are counted and not what they acknowledge.
    pub const ONE: Credit = Credit::of(1);

    /// The same number in slow start and in congestion avoidance.
    pub const fn of(segments: u32) -> Credit {
        Credit { slow_start: segments, avoidance: segments }
    }
}

/// How losses are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// One segment; over with the first new ACK.
    Reno,
    /// One segment per round trip until everything sent before the loss is there (RFC 6582).
    NewReno,
    /// Everything that SACK blocks show to be lost, as fast as the window allows (RFC 6675).
    Sack,
}

/// A way of choosing the window. The defaults are those of Reno.
pub trait WindowRule {
    /// How losses are repaired unless the configuration says otherwise.
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    /// Whether the first slow start ends by HyStart++ unless the configuration says otherwise.
    fn hystart(&self) -> bool {
        false
    }

    /// Whether an ACK lets the window grow for each segment that it acknowledges, rather than for one, unless the
    /// configuration says otherwise.
    fn byte_counting(&self) -> bool {
        true
    }

    /// The handshake is over, if there was one, and has measured this; the window is that of the beginning. A window
    /// that began with a lost SYN is one segment whatever is done here.
    fn on_open(&mut self, _srtt: Option<Duration>, _window: &mut Window) {}

    /// What a mark of plain ECN multiplies the window by: half, as for a single dropped packet (RFC 3168 section
    /// 6.1.2).
    fn mark_factor(&self) -> f64 {
        0.5
    }

    /// Sees every ACK, duplicates included, before anything else is done about it: for estimators.
    #[inline]
    fn observe(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Lets the window grow: on an ACK of new data outside a recovery that echoes no congestion. The machine limits
    /// the result to `wnd`.
    #[inline]
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        reno::grow(ack, window);
    }

    /// Shrinks the window when a loss has been found by duplicate ACKs or SACK; `flight` segments are outstanding (or,
    /// of what the window allows, about to be sent when the jitter has passed), those of limited transmit not counted.
    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        reno::halve(window);
    }

    /// Shrinks the window when the retransmission timer has expired; `flight` segments were outstanding.
    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        reno::collapse(window);
    }

    /// Answers a congestion echo that asks for a reduction to `factor` of the window: for RFC 3168
    /// [`mark_factor`](Self::mark_factor), with multilevel ECN what the level asks for.
    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        reno::scale(factor, window);
    }

    /// A higher level, or a loss, in a window of data that a mark has reduced: what is missing to its reduction. By
    /// default as any mark.
    fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
        self.on_mark(factor, window);
    }

    /// The retransmission timer has expired in a window of data that a mark has reduced: the threshold stays, the
    /// window becomes one segment (RFC 3168 section 6.1.2), whatever is done here.
    fn on_timeout_after_mark(&mut self) {}

    /// The most with which a recovery may end that begins with this window, already reduced. Those of Reno and NewReno
    /// end with the threshold, or this if it is less.
    fn most_after_recovery(&self, _window: &Window) -> f64 {
        f64::INFINITY
    }
}

/// The parameters of a rule from outside this crate, from which it is made.
pub trait RuleKind: Send + Sync {
    /// Every parameter with an illegal value: its path, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The rule of a sender with this configuration.
    fn rule(&self, config: &Config) -> Box<dyn WindowRule + Send>;
}

static GUESTS: Guests<dyn RuleKind> = Guests::new();

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

/// The registry. A line `module::Type = "name": "description";` declares `mod module`, which must hold
/// `Type: WindowRule` with `Type::new(&Config) -> Type`.
macro_rules! window_rules {
    ($($module:ident :: $Type:ident = $name:literal : $about:literal ;)+) => {
        $(pub mod $module;)+

        /// The variant of TCP, by name.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
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

        /// A rule at work: those of this crate side by side, so that asking one costs no virtual call.
        pub enum Rule {
            $(#[doc = $about] $Type($module::$Type),)+
            /// A rule from outside this crate.
            Guest(Box<dyn WindowRule + Send>),
        }

        impl Rule {
            /// The rule that `config` names.
            pub fn new(config: &Config) -> Rule {
                match &config.variant {
                    $(Variant::$Type => Rule::$Type($module::$Type::new(config)),)+
                    Variant::Guest(guest) => Rule::Guest(guest.rule(config)),
                }
            }

            /// Its name in configurations; `"guest"` for one from outside.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Rule::$Type(_) => $name,)+
                    Rule::Guest(_) => "guest",
                }
            }
        }

        impl WindowRule for Rule {
            fn recovery(&self) -> Recovery {
                match self {
                    $(Rule::$Type(rule) => rule.recovery(),)+
                    Rule::Guest(rule) => rule.recovery(),
                }
            }

            fn hystart(&self) -> bool {
                match self {
                    $(Rule::$Type(rule) => rule.hystart(),)+
                    Rule::Guest(rule) => rule.hystart(),
                }
            }

            fn byte_counting(&self) -> bool {
                match self {
                    $(Rule::$Type(rule) => rule.byte_counting(),)+
                    Rule::Guest(rule) => rule.byte_counting(),
                }
            }

            fn on_open(&mut self, srtt: Option<Duration>, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_open(srtt, window),)+
                    Rule::Guest(rule) => rule.on_open(srtt, window),
                }
            }

            fn mark_factor(&self) -> f64 {
                match self {
                    $(Rule::$Type(rule) => rule.mark_factor(),)+
                    Rule::Guest(rule) => rule.mark_factor(),
                }
            }

            #[inline]
            fn observe(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.observe(ack, window),)+
                    Rule::Guest(rule) => rule.observe(ack, window),
                }
            }

            #[inline]
            fn grow(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.grow(ack, window),)+
                    Rule::Guest(rule) => rule.grow(ack, window),
                }
            }

            fn on_loss(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_loss(flight, window),)+
                    Rule::Guest(rule) => rule.on_loss(flight, window),
                }
            }

            fn on_timeout(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_timeout(flight, window),)+
                    Rule::Guest(rule) => rule.on_timeout(flight, window),
                }
            }

            fn on_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_mark(factor, window),)+
                    Rule::Guest(rule) => rule.on_mark(factor, window),
                }
            }

            fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_further_mark(factor, window),)+
                    Rule::Guest(rule) => rule.on_further_mark(factor, window),
                }
            }

            fn on_timeout_after_mark(&mut self) {
                match self {
                    $(Rule::$Type(rule) => rule.on_timeout_after_mark(),)+
                    Rule::Guest(rule) => rule.on_timeout_after_mark(),
                }
            }

            fn most_after_recovery(&self, window: &Window) -> f64 {
                match self {
                    $(Rule::$Type(rule) => rule.most_after_recovery(window),)+
                    Rule::Guest(rule) => rule.most_after_recovery(window),
                }
            }
        }
    };
}

window_rules! {
    reno::Reno = "reno": "Reno: halves on loss; fast recovery ends with the first new ACK (RFC 5681).";
    newreno::NewReno = "newreno": "NewReno: Reno whose fast recovery repairs several losses (RFC 6582).";
    sack::Sack = "sack": "Reno with recovery from selective acknowledgements (RFC 2018, RFC 6675).";
    westwood::Westwood = "westwood": "Westwood: after a loss, bandwidth times least RTT; estimated on every ACK.";
    westwood_plus::WestwoodPlus = "westwood+": "Westwood+: Westwood with one bandwidth sample per round trip.";
    hybla::Hybla = "hybla": "Hybla: grows as fast as a reference flow with a shorter round trip.";
    cubic::Cubic = "cubic": "CUBIC: grows by a cubic function of time; what most hosts use today (RFC 9438).";
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.name())
    }
}
