//! Queue disciplines: what an output interface does with a packet that arrives.
//!
//! | file | discipline |
//! |---|---|
//! | `drop_tail.rs` | drops what finds no room |
//! | `red.rs` | random early detection: gentle, adaptive, byte mode, ECN |
//! | `mecn.rs` | multilevel ECN marking [Durresi] |
//! | `codel.rs` | controlled delay (RFC 8289) |
//! | `fq_codel.rs` | flow queues under it (RFC 8290) |
//! | `pie.rs` | a proportional integral controller (RFC 8033) |
//! | `dualpi2.rs` | a low-latency and a classic queue, coupled (RFC 9332) |
//! | `classes.rs` | queues by DSCP, strict and weighted |
//! | `shaper.rs`, `policer.rs` | token buckets that delay, drop or mark, with a queue of any kind |
//! | `discipline.rs` | what a discipline is, knows and says |
//! | `inner.rs`, `token_bucket.rs` | a queue within another; tokens without rounding |
//! | `scheduler.rs`, `held.rs` | queues that own their packets, and those packets |
//! | `average.rs`, `spacing.rs`, `room.rs`, `auto.rs` | what they share: RED's average, spacing, limits, `"auto"` |
//! | `battery.rs`, `battery/` | the tests that every discipline must stand |
//!
//! Adding one is one file beside this one, with the four items that [`queues!`](self) asks of it, and one line in
//! `queues!`. A discipline outside this crate goes into [`Queue::Guest`], a queue that owns its packets into
//! [`Queue::Scheduler`]; both have a name in scenarios by a [`QueueKind`].

pub mod auto;
mod average;
pub mod battery;
mod discipline;
#[cfg(test)]
mod golden_tests;
mod held;
mod inner;
#[cfg(test)]
mod nested_tests;
mod room;
mod scheduler;
mod spacing;
mod token_bucket;

pub use discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
pub use held::{Drops, Fifo, Held};
pub use scheduler::{InOrder, Scheduler};

use faircast_proto::guest::{Guest, Guests, Sort};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::Rate;

/// The parameters of a discipline from outside this crate, from which it is made.
pub trait QueueKind: Send + Sync {
    /// Every field with an illegal value, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The most that may wait.
    fn limit(&self) -> QueueSize;

    /// The queue for the link of `context`: [`Queue::Guest`] or [`Queue::Scheduler`]. The parameters have passed
    /// [`check`](Self::check).
    fn queue(&self, context: LinkContext) -> Queue;
}

static GUESTS: Guests<dyn QueueKind> = Guests::new();

impl Sort for dyn QueueKind {
    const WHAT: &'static str = "queue";
    const TAG: &'static str = "kind";

    fn built_in() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    fn guests() -> &'static Guests<dyn QueueKind> {
        &GUESTS
    }
}

/// The registry. A line `module::Type = "kind": "description";`, or `module::Type in Box = ..` of what has more than a
/// few bytes, declares `mod module`, which must hold
///
/// * `Config`: serde and schemars, unknown fields denied, under `deciding` with a field `limit: QueueSize`;
/// * `Config::check(&self) -> Vec<(String, String)>`: every field that has an illegal value, and what would be legal;
/// * `Type: Discipline`, under `owning` `Type: Scheduler`, with `Type::new(&Config, LinkContext) -> Type`, called only
///   with a configuration that passed;
/// * under `owning`, `Config::limit(&self) -> QueueSize`: that field, or, of what has a queue within it, that
///   queue's limit;
/// * for tests, `Config::samples() -> Vec<Config>`: the settings with which the battery is run.
macro_rules! queues {
    (
        deciding { $($module:ident :: $Type:ident $(in $Box:ident)? = $kind:literal : $about:literal ;)+ }
        owning { $($owner:ident :: $Owner:ident = $owning_kind:literal : $owner_about:literal ;)+ }
    ) => {
        $(pub mod $module;)+
        $(pub mod $owner;)+

        /// A discipline at work: those of this crate side by side, so that asking one costs no virtual call. Every link
        /// has one, so what has a large state keeps it in a box.
        pub enum Queue {
            $(#[doc = $about] $Type(crate::held!($($Box)? $module::$Type)),)+
            /// A discipline from outside this crate.
            Guest(Box<dyn Discipline + Send>),
            /// A queue that owns its packets.
            Scheduler(Box<dyn Scheduler + Send>),
        }

        impl Queue {
            /// The discipline that `config` describes, for the link of `context`. `config` must have passed
            /// [`Config::check`].
            pub fn new(config: &Config, context: LinkContext) -> Queue {
                match config {
                    $(Config::$Type(config) => Queue::$Type($module::$Type::new(config, context).into()),)+
                    $(Config::$Owner(config) => Queue::Scheduler(Box::new($owner::$Owner::new(config, context))),)+
                    Config::Guest(guest) => guest.queue(context),
                }
            }

            /// Its name in configurations; `"guest"` for a discipline from outside.
            pub fn kind(&self) -> &str {
                match self {
                    $(Queue::$Type(_) => $kind,)+
                    Queue::Guest(_) => "guest",
                    Queue::Scheduler(queue) => queue.name(),
                }
            }

            /// Itself if it owns its packets.
            #[inline]
            pub(crate) fn scheduler(&mut self) -> Option<&mut (dyn Scheduler + Send)> {
                match self {
                    Queue::Scheduler(queue) => Some(queue.as_mut()),
                    _ => None,
                }
            }

            /// Whether it owns its packets.
            #[inline]
            pub(crate) fn owns_packets(&self) -> bool {
                matches!(self, Queue::Scheduler(_))
            }
        }

        impl Discipline for Queue {
            #[inline]
            fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
                match self {
                    $(Queue::$Type(queue) => queue.arrive(packet, at),)+
                    Queue::Guest(queue) => queue.arrive(packet, at),
                    Queue::Scheduler(queue) => queue.arrive(packet, at),
                }
            }

            fn sure_room_pkts(&self) -> u32 {
                match self {
                    $(Queue::$Type(queue) => queue.sure_room_pkts(),)+
                    Queue::Guest(queue) => queue.sure_room_pkts(),
                    // Each packet goes through it.
                    Queue::Scheduler(_) => 0,
                }
            }

            fn average_pkts(&self) -> Option<f64> {
                match self {
                    $(Queue::$Type(queue) => queue.average_pkts(),)+
                    Queue::Guest(queue) => queue.average_pkts(),
                    Queue::Scheduler(queue) => queue.average_pkts(),
                }
            }
        }

        /// A queue discipline as configurations write it: `{ kind = "drop-tail", limit = "50 packets" }`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[schemars(rename = "Queue")]
        #[serde(tag = "kind")]
        pub enum Config {
            $(#[doc = $about] #[serde(rename = $kind)] $Type($module::Config),)+
            $(#[doc = $owner_about] #[serde(rename = $owning_kind)] $Owner($owner::Config),)+
            /// One from outside this crate.
            #[serde(untagged)]
            #[schemars(skip)]
            Guest(Guest<dyn QueueKind>),
        }

        impl Config {
            /// Every field with an illegal value: its path below this one, and what was given and what is legal.
            pub fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(Config::$Type(config) => config.check(),)+
                    $(Config::$Owner(config) => config.check(),)+
                    Config::Guest(guest) => guest.check(),
                }
            }

            /// The most that may wait.
            pub fn limit(&self) -> QueueSize {
                match self {
                    $(Config::$Type(config) => config.limit,)+
                    $(Config::$Owner(config) => config.limit(),)+
                    Config::Guest(guest) => guest.limit(),
                }
            }

            /// Whether it keeps sessions of this DSCP apart, so that each has a queue and a share of its own. Nobody
            /// knows of a guest.
            pub fn is_fair(&self, dscp: u8) -> bool {
                let by_session = |one: &&Config| matches!(one, Config::FqCoDel(fq) if fq.by == fq_codel::By::Session);
                self.along(dscp).iter().any(by_session)
            }

            /// The most that gets through on a link of `rate` that had `first` when the run began: less where token
            /// buckets let less through. Beyond a policer that marks there is no bound, as what is ECN-capable passes;
            /// of a guest none is known. Queues by class pass what their classes do together.
            pub fn passes(&self, rate: Rate, first: Rate) -> Rate {
                let through = match self {
                    Config::Shaper(shaper) => shaper.token_rate(first).min(shaper.queue.passes(rate, first)),
                    Config::Policer(policer) if policer.action == policer::Action::Drop => {
                        policer.token_rate(first).min(policer.queue.passes(rate, first))
                    }
                    Config::Policer(policer) => policer.queue.passes(rate, first),
                    Config::Classes(classes) => {
                        let of_class = classes.classes.iter().map(|class| class.queue.passes(rate, first).0);
                        Rate(of_class.fold(0, u64::saturating_add))
                    }
                    _ => rate,
                };
                through.min(rate)
            }

            /// The queues right within it.
            fn within(&self) -> Vec<&Config> {
                match self {
                    Config::Classes(classes) => classes.classes.iter().map(|class| &class.queue).collect(),
                    Config::Shaper(shaper) => vec![&shaper.queue],
                    Config::Policer(policer) => vec![&policer.queue],
                    _ => Vec::new(),
                }
            }

            /// The path to each of the queues right within it.
            fn paths_within(&self) -> Vec<String> {
                match self {
                    Config::Classes(classes) => {
                        (0..classes.classes.len()).map(|class| format!("classes[{class}].queue")).collect()
                    }
                    _ => vec!["queue".to_owned(); self.within().len()],
                }
            }

            /// Itself and the queues within it that packets of this DSCP go through, however deep.
            pub fn along(&self, dscp: u8) -> Vec<&Config> {
                let within = match self {
                    Config::Classes(classes) => classes.class_of(dscp).map(|class| &class.queue),
                    Config::Shaper(shaper) => Some(&*shaper.queue),
                    Config::Policer(policer) => Some(&*policer.queue),
                    _ => None,
                };
                let within = within.into_iter().flat_map(|queue| queue.along(dscp));
                std::iter::once(self).chain(within).collect()
            }

            /// Itself and all queues within it, however deep.
            pub fn all(&self) -> Vec<&Config> {
                self.places().into_iter().map(|(_, queue)| queue).collect()
            }

            /// Itself and all queues within it, however deep, and the path to each: nothing of itself, and such as
            /// `classes[2].queue.queue`.
            pub fn places(&self) -> Vec<(String, &Config)> {
                let within = self.paths_within().into_iter().zip(self.within()).flat_map(|(path, queue)| {
                    let inner = queue.places().into_iter();
                    inner.map(move |(rest, queue)| match rest.as_str() {
                        "" => (path.clone(), queue),
                        rest => (format!("{path}.{rest}"), queue),
                    })
                });
                std::iter::once((String::new(), self)).chain(within).collect()
            }

            /// Its classes, however deep, in the order in which they are written, those within one after it: what each
            /// is called, `OUTER/INNER` within another, and a bit for each DSCP whose packets are in it.
            pub fn classes(&self) -> Vec<(String, u64)> {
                let Config::Classes(classes) = self else {
                    return self.within().into_iter().flat_map(Config::classes).collect();
                };
                let own = classes.code_points().into_iter().zip(self.within());
                own.flat_map(|((name, bits), queue)| {
                    let inner = queue.classes().into_iter();
                    let inner: Vec<_> = inner.map(|(of, within)| (format!("{name}/{of}"), bits & within)).collect();
                    std::iter::once((name, bits)).chain(inner)
                })
                .collect()
            }

            /// Whether packets wait in drop-tail queues alone.
            pub fn is_drop_tail(&self) -> bool {
                let within = self.within();
                match within.is_empty() {
                    true => matches!(self, Config::DropTail(_)),
                    false => within.into_iter().all(Config::is_drop_tail),
                }
            }

            /// Its name in configurations.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Config::$Type(_) => $kind,)+
                    $(Config::$Owner(_) => $owning_kind,)+
                    Config::Guest(guest) => guest.name(),
                }
            }

            /// The settings with which the common tests are run: some for every discipline.
            #[cfg(test)]
            fn samples() -> Vec<Config> {
                let mut samples = Vec::new();
                $(samples.extend($module::Config::samples().into_iter().map(Config::$Type));)+
                $(samples.extend($owner::Config::samples().into_iter().map(Config::$Owner));)+
                samples
            }
        }

        /// The battery by kind.
        #[cfg(test)]
        mod batteries {
            $(mod $module { crate::queue::battery::battery_of!($kind); })+
            $(mod $owner { crate::queue::battery::battery_of!($owning_kind); })+
        }

        /// Name and one-line description of every discipline.
        pub const LIST: &[(&str, &str)] = &[$(($kind, $about),)+ $(($owning_kind, $owner_about),)+];
    };
}

queues! {
    deciding {
        drop_tail::DropTail = "drop-tail": "Drops packets that find no room.";
        red::Red in Box = "red": "Random early detection: gentle, adaptive, byte mode, ECN marking.";
        mecn::Mecn in Box = "mecn": "Random early detection that marks two levels of congestion.";
    }
    owning {
        codel::CoDel = "codel": "Controlled delay: drops or marks those that leave after waiting too long.";
        fq_codel::FqCoDel = "fq-codel": "Fair queueing by flows, each queue under controlled delay.";
        pie::Pie = "pie": "Drops or marks at random, so that the delay of the queue is a target.";
        dualpi2::DualPi2 = "dualpi2": "A low-latency and a classic queue with coupled controllers.";
        classes::Classes = "classes": "Queues of any kind by DSCP: strict priorities, and weights among equal ones.";
        shaper::Shaper = "shaper": "A token bucket that delays, behind a queue of any kind.";
        policer::Policer = "policer": "A token bucket that drops or marks, before a queue of any kind.";
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({})", self.kind())
    }
}

impl Default for Config {
    /// Drop-tail with its default limit.
    fn default() -> Config {
        Config::DropTail(drop_tail::Config::default())
    }
}
