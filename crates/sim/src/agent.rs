//! The endpoints that can live on a host, dispatched by a match: no virtual call for what is built in.

use faircast_proto::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use faircast_proto::registry::flows::{FlowReceiver, FlowSender};
use faircast_proto::registry::{SchemeReceiver, SchemeSender};
use faircast_proto::time::Instant;

macro_rules! agents {
    ($($(#[$doc:meta])* $variant:ident($type:ty),)*) => {
        /// An endpoint on a host. Every host has room for the largest, so what is larger than most lies in a box.
        #[allow(clippy::large_enum_variant, reason = "one per endpoint; a box would cost an indirection per packet")]
        pub enum Agent {
            $($(#[$doc])* $variant($type),)*
        }

        impl Endpoint for Agent {
            #[inline(always)]
            fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.handle(now, input, out),)*
                }
            }

            #[inline(always)]
            fn handle_until(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) -> Option<Instant> {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.handle_until(now, input, out),)*
                }
            }

            #[inline(always)]
            fn deadline(&self) -> Option<Instant> {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.deadline(),)*
                }
            }

            fn report(&self) -> Report {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.report(),)*
                }
            }

            fn sees_link_losses(&self) -> bool {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.sees_link_losses(),)*
                }
            }

            fn gauges(&self) -> &'static [Gauge] {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.gauges(),)*
                }
            }

            fn measure(&self, values: &mut [f64]) {
                match self {
                    $(Agent::$variant(endpoint) => endpoint.measure(values),)*
                }
            }
        }
    };
}

const _: () = assert!(size_of::<Agent>() <= 640);

agents! {
    /// The sender of a flow between two endpoints.
    FlowSender(FlowSender),
    /// Its receiver.
    FlowReceiver(FlowReceiver),
    /// The source of a multicast session. Apart, since it is large and there are few.
    SchemeSender(Box<SchemeSender>),
    /// A member of a multicast session.
    SchemeReceiver(SchemeReceiver),
    /// Code from outside the tree.
    Guest(Box<dyn Endpoint + Send>),
    /// One that has come to a seat and will go again.
    Visitor(Box<Visitor>),
    /// None: a seat that is free.
    Nobody(Nobody),
}

/// An endpoint that has come to a seat and will go again. It sees nothing of what was sent for those who had the seat
/// before.
pub struct Visitor {
    agent: Agent,
    /// When it came, on the sender's clock.
    since: Instant,
}

/// A seat that is free. What comes there is for somebody who has gone.
pub struct Nobody;

impl Visitor {
    /// This one, which comes at `since` on the sender's clock.
    pub(crate) fn new(agent: Agent, since: Instant) -> Visitor {
        Visitor { agent, since }
    }
}

impl Endpoint for Visitor {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet, .. } = input
            && packet.sent < self.since
        {
            return;
        }
        self.agent.handle(now, input, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.agent.deadline()
    }

    fn report(&self) -> Report {
        self.agent.report()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.agent.gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        self.agent.measure(values);
    }
}

impl Endpoint for Nobody {
    fn handle(&mut self, _now: Instant, _input: Input<'_>, _out: &mut Outbox) {}

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}
