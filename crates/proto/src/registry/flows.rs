//! The kinds of flows between two endpoints, by name.
//!
//! [`flow_kind`](crate::flow_kind) has the contract. Adding a kind is a module with a [`FlowKind`] and one line in
//! [`flow_kinds!`](crate::flow_kinds).

use crate::endpoint::{Endpoint, EventKind, Gauge, Input, Outbox, Report};
use crate::flow_kind::{FlowKind, FlowSeat};
use crate::time::{Duration, Instant, Rate};

/// The kinds of flows: calls the macro of that name with lines as those of [`schemes!`](crate::schemes), where
/// `module::Config` is a [`FlowKind`].
#[macro_export]
macro_rules! flow_kinds {
    ($declare:ident $($before:tt)*) => {
        $declare! {
            $($before)*
            Tcp(tcp::Config) with tcp::Header = "tcp": "A TCP transfer.";
            Cbr(source::cbr::Config) = "cbr": "Packets at a constant rate.";
            OnOff(source::on_off::Config)
                = "on-off": "Packets at a constant rate during on periods of random length, nothing between them.";
        }
    };
}

macro_rules! declare {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// The parameters of a flow of some kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "most are of the largest")]
        pub enum FlowConfig {
            $(#[doc = $about] $Variant(crate::$($path)::+),)+
        }

        /// The sender of a flow.
        #[allow(clippy::large_enum_variant, reason = "a box would cost an indirection per packet")]
        pub enum FlowSender {
            $(#[doc = $about] $Variant(<crate::$($path)::+ as FlowKind>::Sender),)+
        }

        /// The receiver of a flow.
        #[allow(clippy::large_enum_variant, reason = "a box would cost an indirection per packet")]
        pub enum FlowReceiver {
            $(#[doc = $about] $Variant(<crate::$($path)::+ as FlowKind>::Receiver),)+
        }

        /// Name and one-line description of every kind of flow.
        pub const LIST: &[(&str, &str)] = &[$(($name, $about)),+];

        impl FlowConfig {
            /// Its name in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(FlowConfig::$Variant(_) => $name,)+
                }
            }

            /// A flow of each kind with the parameters that it has by default.
            pub fn defaults() -> Vec<FlowConfig> {
                vec![$(FlowConfig::$Variant(Default::default())),+]
            }
        }

        impl FlowKind for FlowConfig {
            type Sender = FlowSender;
            type Receiver = FlowReceiver;

            fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(FlowConfig::$Variant(config) => FlowKind::check(config),)+
                }
            }

            fn packet_bytes(&self) -> u64 {
                match self {
                    $(FlowConfig::$Variant(config) => FlowKind::packet_bytes(config),)+
                }
            }

            fn peak_rate(&self) -> Option<Rate> {
                match self {
                    $(FlowConfig::$Variant(config) => config.peak_rate(),)+
                }
            }

            fn fixed_rate_bps(&self) -> Option<f64> {
                match self {
                    $(FlowConfig::$Variant(config) => config.fixed_rate_bps(),)+
                }
            }

            fn answer_bytes(&self) -> u64 {
                match self {
                    $(FlowConfig::$Variant(config) => config.answer_bytes(),)+
                }
            }

            fn events(&self) -> &'static [&'static EventKind] {
                match self {
                    $(FlowConfig::$Variant(config) => FlowKind::events(config),)+
                }
            }

            fn first_pkts(&self) -> f64 {
                match self {
                    $(FlowConfig::$Variant(config) => config.first_pkts(),)+
                }
            }

            fn window_pkts(&self) -> Option<f64> {
                match self {
                    $(FlowConfig::$Variant(config) => config.window_pkts(),)+
                }
            }

            fn transfer_bytes(&self) -> Option<u64> {
                match self {
                    $(FlowConfig::$Variant(config) => config.transfer_bytes(),)+
                }
            }

            fn send_jitter(&self) -> Duration {
                match self {
                    $(FlowConfig::$Variant(config) => FlowKind::send_jitter(config),)+
                }
            }

            fn is_controlled(&self) -> bool {
                match self {
                    $(FlowConfig::$Variant(config) => FlowKind::is_controlled(config),)+
                }
            }

            fn sender(&self, seat: &FlowSeat<'_>) -> FlowSender {
                match self {
                    $(FlowConfig::$Variant(config) => FlowSender::$Variant(config.sender(seat)),)+
                }
            }

            fn receiver(&self, seat: &FlowSeat<'_>) -> FlowReceiver {
                match self {
                    $(FlowConfig::$Variant(config) => FlowReceiver::$Variant(config.receiver(seat)),)+
                }
            }
        }

        super::endpoints!(FlowSender: $($Variant)+);
        super::endpoints!(FlowReceiver: $($Variant)+);
    };
}

flow_kinds!(declare);
