//! The endpoints that can live on a host, dispatched by a match: no virtual call for what is built in.

use faircast_proto::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use faircast_proto::packet::Address;
use faircast_proto::playout::Sent;
use faircast_proto::registry::flows::{FlowReceiver, FlowSender};
use faircast_proto::registry::{SchemeReceiver, SchemeSender};
use faircast_proto::source::application::ApplicationLimited;
use faircast_proto::tcp::{ObjectsReceiver, ObjectsSender, Relay};
use faircast_proto::time::{Duration, Instant};

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
    /// A sender or source with an application that has only so much to send.
    ApplicationLimited(Box<ApplicationLimited<Agent>>),
    /// The sender of several objects on one connection.
    ObjectsSender(Box<ObjectsSender>),
    /// Their receiver.
    ObjectsReceiver(Box<ObjectsReceiver>),
    /// What splits a connection.
    Relay(Box<Relay>),
    /// Code from outside the tree.
    Guest(Box<dyn Endpoint + Send>),
    /// One that has come to a seat and will go again.
    Visitor(Box<Visitor>),
    /// None: a seat that is free.
    Nobody(Nobody),
}

impl Agent {
    /// What the packet of a film carries that was sent first since the last input and not asked for yet.
    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        if let Agent::ApplicationLimited(limited) = self { limited.take_sent() } else { None }
    }

    /// The relay that it is, if it is one.
    pub(crate) fn relay(&self) -> Option<&Relay> {
        match self {
            Agent::Relay(relay) => Some(relay),
            Agent::Visitor(visitor) => visitor.agent.relay(),
            _ => None,
        }
    }

    /// For how long by now, on its clock, the relay to which it sends has had no room for what there was to send.
    pub(crate) fn held_back(&self, now: Instant) -> Duration {
        match self {
            Agent::FlowSender(FlowSender::Tcp(sender)) => sender.held_back(now),
            Agent::ApplicationLimited(limited) => limited.source().held_back(now),
            Agent::ObjectsSender(sender) => sender.held_back(now),
            Agent::Relay(relay) => relay.held_back(now),
            Agent::Visitor(visitor) => visitor.agent.held_back(now),
            _ => Duration::ZERO,
        }
    }

    /// How many segments of its film it has done with; nothing if it has none.
    pub(crate) fn segments_done(&self) -> Option<u32> {
        if let Agent::ApplicationLimited(limited) = self { limited.segments_done() } else { None }
    }
}

/// An endpoint that has come to a seat and will go again. It sees nothing of what was sent for those who had the seat
/// before.
pub struct Visitor {
    agent: Agent,
    /// From where data comes to it.
    upstream: Address,
    /// When it came, on the clock there and on that of those who answer it.
    since: [Instant; 2],
}

/// A seat that is free. What comes there is for somebody who has gone.
pub struct Nobody;

impl Visitor {
    /// This one, which comes at `since` on the clock of `upstream` and on that of all others from whom it hears.
    pub(crate) fn new(agent: Agent, upstream: Address, since: [Instant; 2]) -> Visitor {
        Visitor { agent, upstream, since }
    }

    /// Takes the endpoint out, which leaves an empty place for another.
    pub(crate) fn take(&mut self) -> Agent {
        std::mem::replace(&mut self.agent, Agent::Nobody(Nobody))
    }
}

impl Endpoint for Visitor {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet, .. } = input
            && packet.sent < self.since[usize::from(packet.source != self.upstream)]
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
