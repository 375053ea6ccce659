//! The endpoints that can live on a host, dispatched by a match: no virtual call for what is built in.

use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::time::Instant;
use faircast_proto::{registry, source, tcp};

macro_rules! agents {
    ($($(#[$doc:meta])* $variant:ident($type:ty),)*) => {
        /// An endpoint on a host.
        #[allow(clippy::large_enum_variant, reason = "one per endpoint; a box would cost an indirection per packet")]
        pub enum Agent {
            $($(#[$doc])* $variant($type),)*
            /// Code from outside the tree.
            Guest(Box<dyn Endpoint + Send>),
        }

        impl Endpoint for Agent {
            #[inline(always)]
            fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.handle(now, input, out),)*
                    Agent::Guest(endpoint) => endpoint.handle(now, input, out),
                }
            }

            #[inline(always)]
            fn deadline(&self) -> Option<Instant> {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.deadline(),)*
                    Agent::Guest(endpoint) => endpoint.deadline(),
                }
            }

            fn report(&self) -> Report {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.report(),)*
                    Agent::Guest(endpoint) => endpoint.report(),
                }
            }
        }
    };
}

agents! {
    /// TCP, the side that sends data.
    TcpSender(tcp::Sender),
    /// TCP, the side that acknowledges.
    TcpReceiver(tcp::Receiver),
    /// Constant bit rate.
    Cbr(source::Cbr),
    /// Bursts at a constant rate.
    OnOff(source::OnOff),
    /// Counts what it gets.
    Sink(source::Sink),
    /// The source of a multicast session.
    SessionSource(registry::Source),
    /// A member of a multicast session.
    SessionMember(registry::Member),
}
