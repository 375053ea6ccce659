//! A source with or without an application that limits it.

use faircast_proto::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use faircast_proto::registry::SchemeSender;
use faircast_proto::source::application::{self, ApplicationLimited};
use faircast_proto::time::Instant;

/// The source of a session.
#[expect(clippy::large_enum_variant, reason = "one per session")]
pub enum SourceEndpoint {
    /// It always has something to send, or what its driver [grants](Input::Granted).
    Plain(SchemeSender),
    /// An application limits it.
    Limited(Box<ApplicationLimited<SchemeSender>>),
}

impl SourceEndpoint {
    /// A source, and what its application makes, in packets of so many bytes.
    pub fn new(sender: SchemeSender, application: Option<&application::Config>, packet_bytes: u64) -> SourceEndpoint {
        match application {
            None => SourceEndpoint::Plain(sender),
            Some(config) => SourceEndpoint::Limited(Box::new(ApplicationLimited::new(config, packet_bytes, sender))),
        }
    }
}

impl Endpoint for SourceEndpoint {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match self {
            SourceEndpoint::Plain(sender) => sender.handle(now, input, out),
            SourceEndpoint::Limited(limited) => limited.handle(now, input, out),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self {
            SourceEndpoint::Plain(sender) => sender.deadline(),
            SourceEndpoint::Limited(limited) => limited.deadline(),
        }
    }

    fn report(&self) -> Report {
        match self {
            SourceEndpoint::Plain(sender) => sender.report(),
            SourceEndpoint::Limited(limited) => limited.report(),
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        match self {
            SourceEndpoint::Plain(sender) => sender.gauges(),
            SourceEndpoint::Limited(limited) => limited.gauges(),
        }
    }

    fn measure(&self, values: &mut [f64]) {
        match self {
            SourceEndpoint::Plain(sender) => sender.measure(values),
            SourceEndpoint::Limited(limited) => limited.measure(values),
        }
    }
}
