//! The schemes of multicast congestion control, by name.
//!
//! [`scheme`](crate::scheme) has the contract. Adding a scheme is a module with a [`Scheme`] and one line in
//! [`schemes!`]; from that line come the variants of [`SchemeConfig`], [`SchemeSender`] and [`SchemeReceiver`], its
//! name in scenarios and its place in the battery of tests that all schemes must pass.

use crate::endpoint::{Endpoint, EventKind, Gauge, Input, Outbox, Report};
use crate::group_set::GroupPlan;
use crate::guest::{self, Guest};
#[cfg(feature = "serde")]
use crate::guest::{Guests, Sort};
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::{Duration, Instant, Rate};

/// The schemes: calls the macro of that name with lines `Variant(module::Config) with module::Header = "name":
/// "description";`, where `module` is one of this crate, `module::Config` a [`Scheme`] that serde and schemars know,
/// and `module::Header` what its packets say ([`ProtocolHeader`](crate::packet::ProtocolHeader)); one that says nothing
/// beyond a number leaves it out and sends datagrams. What stands behind the macro's name comes before the lines.
#[macro_export]
macro_rules! schemes {
    ($declare:ident $($before:tt)*) => {
        $declare! {
            $($before)*
            Cbr(source::cbr::Config) = "cbr": "A constant rate: no congestion control, to compare with.";
            Tfmcc(tfmcc::Config) with tfmcc::Header
                = "tfmcc": "TFMCC: the rate of a TCP on the way to the worst receiver (RFC 4654).";
            Omcc(omcc::Config) with omcc::Header
                = "omcc": "OMCC: TFMCC scaled by what the session's rate is worth to its receivers.";
            Pgmcc(pgmcc::Config) with pgmcc::Header
                = "pgmcc": "pgmcc: a TCP-like window towards the receiver with the lowest throughput.";
            Smcc(smcc::Config) with smcc::Header
                = "smcc": "SMCC: layers, each with a TFMCC of its own; receivers go up a packet per round-trip time.";
            LayeredCbr(source::layered::Config) with source::layered::Header
                = "layered-cbr": "Constant rates in layers, of which members hold the first: no congestion control.";
            LayerBlocking(layer_blocking::Config)
                = "layer-blocking": "Layers that routers block and release: receivers hold one that does not come.";
            Rlm(rlm::Config) = "rlm": "RLM: receivers try layers and leave them on loss.";
            Mlda(mlda::Config) with mlda::Header
                = "mlda": "MLDA: layers as wide as the least and the largest share that receivers report.";
        }
    };
}

macro_rules! endpoints {
    ($Enum:ident : $($Variant:ident)+) => {
        impl Endpoint for $Enum {
            #[inline(always)]
            fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.handle(now, input, out),)+
                }
            }

            #[inline(always)]
            fn handle_until(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) -> Option<Instant> {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.handle_until(now, input, out),)+
                }
            }

            #[inline(always)]
            fn deadline(&self) -> Option<Instant> {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.deadline(),)+
                }
            }

            fn report(&self) -> Report {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.report(),)+
                }
            }

            fn sees_link_losses(&self) -> bool {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.sees_link_losses(),)+
                }
            }

            fn gauges(&self) -> &'static [Gauge] {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.gauges(),)+
                }
            }

            fn measure(&self, values: &mut [f64]) {
                match self {
                    $($Enum::$Variant(endpoint) => endpoint.measure(values),)+
                }
            }
        }
    };
}

use endpoints;

macro_rules! declare {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// The parameters of a session of some scheme.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "there are few of them")]
        pub enum SchemeConfig {
            $(#[doc = $about] $Variant(crate::$($path)::+),)+
            /// One from outside the tree.
            Guest(Guest<dyn guest::SchemeKind>),
        }

        /// The source of a session: those of this crate side by side, so that asking one costs no virtual call.
        #[allow(clippy::large_enum_variant, reason = "one per session")]
        pub enum SchemeSender {
            $(#[doc = $about] $Variant(<crate::$($path)::+ as Scheme>::Sender),)+
            /// One from outside the tree.
            Guest(Box<dyn Endpoint + Send>),
        }

        /// A member of a session.
        #[allow(clippy::large_enum_variant, reason = "a box would cost an indirection per packet")]
        pub enum SchemeReceiver {
            $(#[doc = $about] $Variant(<crate::$($path)::+ as Scheme>::Receiver),)+
            /// One from outside the tree.
            Guest(Box<dyn Endpoint + Send>),
        }

        /// Name and one-line description of every scheme.
        pub const LIST: &[(&str, &str)] = &[$(($name, $about)),+];

        impl SchemeConfig {
            /// Its name in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(SchemeConfig::$Variant(_) => $name,)+
                    SchemeConfig::Guest(guest) => guest.name(),
                }
            }

            /// A session of each scheme with the parameters that it has by default.
            pub fn defaults() -> Vec<SchemeConfig> {
                vec![$(SchemeConfig::$Variant(Default::default())),+]
            }
        }

        impl Scheme for SchemeConfig {
            type Sender = SchemeSender;
            type Receiver = SchemeReceiver;

            fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(SchemeConfig::$Variant(config) => Scheme::check(config),)+
                    SchemeConfig::Guest(guest) => guest.check(),
                }
            }

            fn groups(&self) -> Vec<GroupPlan> {
                match self {
                    $(SchemeConfig::$Variant(config) => config.groups(),)+
                    SchemeConfig::Guest(guest) => guest.groups(),
                }
            }

            fn events(&self) -> &'static [&'static EventKind] {
                match self {
                    $(SchemeConfig::$Variant(config) => config.events(),)+
                    SchemeConfig::Guest(guest) => guest.events(),
                }
            }

            fn packet_bytes(&self) -> u64 {
                match self {
                    $(SchemeConfig::$Variant(config) => config.packet_bytes(),)+
                    SchemeConfig::Guest(guest) => guest.packet_bytes(),
                }
            }

            fn max_rate(&self) -> Option<Rate> {
                match self {
                    $(SchemeConfig::$Variant(config) => Scheme::max_rate(config),)+
                    SchemeConfig::Guest(guest) => guest.max_rate(),
                }
            }

            fn peak_rate(&self) -> Option<Rate> {
                match self {
                    $(SchemeConfig::$Variant(config) => Scheme::peak_rate(config),)+
                    SchemeConfig::Guest(guest) => guest.max_rate(),
                }
            }

            fn steady_rate(&self, duration: Duration) -> Option<Rate> {
                match self {
                    $(SchemeConfig::$Variant(config) => config.steady_rate(duration),)+
                    SchemeConfig::Guest(guest) => guest.steady_rate(duration),
                }
            }

            fn check_within(&self, duration: Duration) -> Vec<(String, String)> {
                match self {
                    $(SchemeConfig::$Variant(config) => config.check_within(duration),)+
                    SchemeConfig::Guest(guest) => guest.check_within(duration),
                }
            }

            fn responder(&self) -> Responder {
                match self {
                    $(SchemeConfig::$Variant(config) => config.responder(),)+
                    SchemeConfig::Guest(guest) => guest.responder(),
                }
            }

            fn sender(&self, seat: Seat) -> SchemeSender {
                match self {
                    $(SchemeConfig::$Variant(config) => SchemeSender::$Variant(config.sender(seat)),)+
                    SchemeConfig::Guest(guest) => SchemeSender::Guest(guest.sender(seat)),
                }
            }

            fn receiver(&self, seat: Seat) -> SchemeReceiver {
                match self {
                    $(SchemeConfig::$Variant(config) => SchemeReceiver::$Variant(config.receiver(seat)),)+
                    SchemeConfig::Guest(guest) => SchemeReceiver::Guest(guest.receiver(seat)),
                }
            }
        }

        endpoints!(SchemeSender: $($Variant)+ Guest);
        endpoints!(SchemeReceiver: $($Variant)+ Guest);
    };
}

schemes!(declare);

/// The schemes that guests have brought.
#[cfg(feature = "serde")]
static GUESTS: Guests<dyn guest::SchemeKind> = Guests::new();

#[cfg(feature = "serde")]
impl Sort for dyn guest::SchemeKind {
    const WHAT: &'static str = "scheme";
    const TAG: &'static str = "scheme";

    fn built_in() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    fn guests() -> &'static Guests<dyn guest::SchemeKind> {
        &GUESTS
    }
}

pub mod flows;

#[cfg(test)]
mod applications;
#[cfg(test)]
mod battery;
#[cfg(test)]
mod extremes;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod late;
#[cfg(test)]
mod liars;
#[cfg(test)]
mod supply;
#[cfg(test)]
mod unjoined;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group_set::MAX_GROUPS;

    #[test]
    fn defaults_are_legal_and_need_a_group() {
        for config in SchemeConfig::defaults() {
            assert_eq!(config.check(), [], "{}", config.name());
            assert!((1..=MAX_GROUPS as usize).contains(&config.groups().len()), "{}", config.name());
            assert!(config.packet_bytes() > 0);
        }
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = LIST.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), LIST.len());
    }
}
