//! Sessions whose parameters do not fit where they are. Known before a run.

use super::message::{KnownWarning, Warning};
use super::ways::Ways;
use crate::network::{Network, NetworkReceiver, NetworkSession};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::scheme::{Responder, Scheme};
use faircast_proto::time::Duration;
use faircast_sim::ids::LinkId;
use faircast_sim::router;

/// What is worth a warning about a session.
pub(super) fn known<'a>(
    network: &'a Network,
    ways: &'a Ways,
    session: &'a NetworkSession,
) -> impl Iterator<Item = KnownWarning> + 'a {
    let found = [
        ("receivers", at_source(network, session)),
        ("scheme", unanswered(network, session)),
        (initial_max_rtt(&session.config), short_max_rtt(network, ways, session)),
    ];
    found.into_iter().filter_map(|(key, warning)| {
        Some(KnownWarning { path: format!("sessions.{}.{key}", session.name), warning: warning? })
    })
}

/// A session that leaves congestion to routers of which none does anything.
fn unanswered(network: &Network, session: &NetworkSession) -> Option<Warning> {
    let acts = |agent: &router::Config| agent.acts_on_sessions();
    let answered = session.config.responder() != Responder::Routers
        || network.links.iter().any(|link| link.agent.as_deref().is_some_and(acts));
    if answered {
        return None;
    }
    let message = format!(
        "session {} leaves congestion to routers, and no link has an agent that blocks layers: its receivers join all \
         layers, whatever is lost; give the links that may be full an agent such as {{ kind = \"layer-blocking\" }}",
        session.name
    );
    Some(Warning { kind: "no-blocking-router", subject: session.name.clone(), value: 0.0, message })
}

/// Receivers on their source's own node.
fn at_source(network: &Network, session: &NetworkSession) -> Option<Warning> {
    let mut there = session.receivers.iter().filter(|receiver| receiver.node == session.source);
    let first = there.next()?;
    let number = 1 + there.count();
    let others = if number > 1 { format!(" and {} more are", number - 1) } else { " is".to_owned() };
    let message = format!(
        "receiver {}{others} on node {}, where the source of session {} is: no link is between them that could lose \
         anything, so for what they get the rate is bounded by nothing but max_rate or the fastest link out of that \
         node",
        first.name, network.nodes[session.source as usize].name, session.name
    );
    Some(Warning { kind: "receiver-at-source", subject: session.name.clone(), value: number as f64, message })
}

/// A session that begins with a longest round-trip time below what its links alone take.
fn short_max_rtt(network: &Network, ways: &Ways, session: &NetworkSession) -> Option<Warning> {
    let tfmcc = match &session.config {
        SchemeConfig::Tfmcc(tfmcc) => tfmcc,
        SchemeConfig::Omcc(omcc) => &omcc.tfmcc,
        SchemeConfig::Smcc(smcc) => &smcc.tfmcc,
        _ => return None,
    };
    let times = session.receivers.iter().map(|receiver| (base_rtt(ways, session, receiver), receiver));
    let longer: Vec<(Duration, &NetworkReceiver)> = times.filter(|(rtt, _)| *rtt > tfmcc.initial_max_rtt).collect();
    let (rtt, farthest) = longer.iter().max_by_key(|(rtt, _)| *rtt)?;
    let message = format!(
        "session {} begins with initial_max_rtt = {}, but the links to {} of its {} receivers and back take longer \
         even when nothing waits ({} on node {}: {}), so its first feedback rounds are over before reports can come; \
         set initial_max_rtt to more than that",
        session.name,
        tfmcc.initial_max_rtt,
        longer.len(),
        session.receivers.len(),
        farthest.name,
        network.nodes[farthest.node as usize].name,
        rtt
    );
    Some(Warning { kind: "initial-max-rtt", subject: session.name.clone(), value: rtt.as_secs_f64(), message })
}

/// Where the parameter is, below its session.
fn initial_max_rtt(config: &SchemeConfig) -> &'static str {
    if matches!(config, SchemeConfig::Smcc(_)) { "tfmcc.initial_max_rtt" } else { "initial_max_rtt" }
}

/// The propagation delays from the source of a session to a receiver and back, as they are at the start.
fn base_rtt(ways: &Ways, session: &NetworkSession, receiver: &NetworkReceiver) -> Duration {
    let delay =
        |links: Vec<LinkId>| links.iter().fold(Duration::ZERO, |sum, link| sum + ways.link(*link).delay_at_start());
    delay(ways.to_receiver(session, receiver)) + delay(ways.back_from_receiver(session, receiver))
}
