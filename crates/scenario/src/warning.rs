//! Warnings: what is legal and runs, but makes a result say something else than its reader may think.

use crate::activity::Activity;
use crate::model::Scenario;
use crate::network::{Network, NetworkFlow, NetworkSession};
use crate::tables::{Table, Words};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::scheme::{Responder, Scheme};
use faircast_proto::tcp::WINDOW_LIMITED;
use faircast_proto::time::Instant;
use faircast_sim::counters::Undeliverable;
use faircast_sim::engine::World;
use faircast_sim::router;

/// The part of its time from which on a flow that its window holds back is worth a warning. A choice: below a fifth the
/// window costs a flow less than what seeds differ by.
pub const WINDOW_LIMITED_FROM: f64 = 0.2;

/// One thing to be known about a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What sort: `window-limited`, `not-active`, `no-route`, `hop-limit`, `off-tree`, `not-a-source`,
    /// `receiver-at-source`, `no-blocking-router`.
    pub kind: &'static str,
    /// The flow or session that it is about; empty for packets that belong to none.
    pub subject: String,
    /// How much: a part of a flow's time, a moment in seconds, a number of packets, a number of receivers.
    pub value: f64,
    /// What it means, complete by itself.
    pub message: String,
}

/// A warning that needs no run.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownWarning {
    /// The key that it follows from, `sessions.film.receivers`.
    pub path: String,
    /// What is to be known.
    pub warning: Warning,
}

/// What is worth a warning in a legal scenario, whatever its runs give.
pub fn known(scenario: &Scenario) -> Vec<KnownWarning> {
    known_of(&scenario.expand())
}

fn known_of(network: &Network) -> Vec<KnownWarning> {
    let path = |session: &NetworkSession, key: &str| format!("sessions.{}.{key}", session.name);
    let of_session = |session| {
        let there =
            at_source(network, session).map(|warning| KnownWarning { path: path(session, "receivers"), warning });
        let alone = unanswered(network, session).map(|warning| KnownWarning { path: path(session, "scheme"), warning });
        there.into_iter().chain(alone)
    };
    network.sessions.iter().flat_map(of_session).collect()
}

/// A session that leaves congestion to routers of which none does anything.
fn unanswered(network: &Network, session: &NetworkSession) -> Option<Warning> {
    let acts = |agent: &router::Config| agent.acts_on_sessions();
    let answered = session.config.responder() != Responder::Routers
        || network.links.iter().any(|link| link.agent.as_ref().is_some_and(acts));
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

/// What is worth a warning after a run of `network` in which flows were active so: by flow, then what belongs to none.
pub(crate) fn of_run<C>(world: &World<C>, network: &Network, activity: &[Activity]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let flows = network.flows.iter().map(|flow| (&flow.name, Some(flow), None));
    let sessions = network.sessions.iter().map(|session| (&session.name, None, Some(session)));
    for (index, (name, flow, session)) in flows.chain(sessions).enumerate() {
        let active = &activity[index];
        let (whose, is_controlled) = match (flow, session) {
            (Some(flow), _) => (format!("flow {name}"), flow.kind.is_controlled()),
            (None, session) => (format!("session {name}"), session.is_some_and(|it| it.config.is_controlled())),
        };
        warnings.extend(flow.and_then(|flow| window_limited(world, index, flow, active)));
        if world.now() > network.probes.warmup {
            warnings.extend(not_active(network.probes.warmup, name, &whose, is_controlled, active));
        }
        warnings.extend(session.and_then(|session| at_source(network, session)));
        warnings.extend(session.and_then(|session| unanswered(network, session)));
        undeliverable(world.undeliverable()[index], name, &whose, &mut warnings);
    }
    undeliverable(world.undeliverable()[world.flows().len()], "", "no flow", &mut warnings);
    warnings
}

/// A flow that its own window held back.
fn window_limited<C>(world: &World<C>, index: usize, flow: &NetworkFlow, active: &Activity) -> Option<Warning> {
    let wnd = flow.kind.window_pkts()?;
    let sender = world.flows()[index].sender;
    let held = world.gauges(sender).iter().position(|gauge| *gauge == WINDOW_LIMITED)?;
    // From its stop on a window holds nothing back.
    let stop = flow.stop.map_or(Instant::FAR_FUTURE, |stop| Instant::ZERO + stop);
    let share = world.measure(sender)[held] / active.up_to(stop);
    if share < WINDOW_LIMITED_FROM || share.is_nan() {
        return None;
    }
    let message = format!(
        "flow {} could not send for {:.0} % of its time because its window, wnd = {} packets, was full: its rate \
         follows from the window, not from the network; leave wnd out to let the network decide",
        flow.name,
        100.0 * share,
        wnd
    );
    Some(Warning { kind: "window-limited", subject: flow.name.clone(), value: share, message })
}

/// A flow or session that had come to its end when the warm-up had.
fn not_active(warmup: Instant, name: &str, whose: &str, is_controlled: bool, active: &Activity) -> Option<Warning> {
    let end = active.end.filter(|&end| end <= warmup)?.as_secs_f64();
    let compared = if is_controlled { ", and it is not part of jain_index" } else { "" };
    let message = format!(
        "{whose} had nothing more to send after {end} s, and the warm-up ends at {} s: all that the summary says of \
         the time after that is 0 for it{compared}; a shorter warmup takes it in",
        warmup.as_secs_f64()
    );
    Some(Warning { kind: "not-active", subject: name.to_owned(), value: end, message })
}

/// Packets of a flow or session that the network gave up, by reason.
fn undeliverable(counted: Undeliverable, name: &str, whose: &str, warnings: &mut Vec<Warning>) {
    let reasons = [
        ("no-route", counted.no_route, "found no way to where they were to go"),
        ("hop-limit", counted.out_of_hops, "had used up their hops before they were there"),
        ("off-tree", counted.off_tree, "came over a link that is not, or no longer, the way down their tree"),
        ("not-a-source", counted.not_a_source, "went to a group to which their sender may not send"),
    ];
    for (kind, packets, what) in reasons.into_iter().filter(|&(_, packets, _)| packets > 0) {
        let message = format!("{packets} packets of {whose} {what}; they are not among the drops and losses of links");
        warnings.push(Warning { kind, subject: name.to_owned(), value: packets as f64, message });
    }
}

/// The table `warnings`: columns `kind`, `subject`, `value`, `message`.
pub(crate) fn table(warnings: &[Warning]) -> Table {
    let (mut kinds, mut subjects, mut messages) = (Words::default(), Words::default(), Words::default());
    for warning in warnings {
        kinds.push(warning.kind);
        // Those of a subject follow each other, and no message comes twice.
        subjects.push_in_turn(&warning.subject);
        messages.push_in_turn(&warning.message);
    }
    Table::new("warnings")
        .collected_words("kind", kinds)
        .collected_words("subject", subjects)
        .float("value", warnings.iter().map(|warning| warning.value).collect())
        .collected_words("message", messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Values;

    #[test]
    fn packets_given_up_are_told_by_flow_and_reason() {
        let mut warnings = Vec::new();
        let web = Undeliverable { no_route: 3, off_tree: 1, not_a_source: 4, ..Undeliverable::default() };
        undeliverable(web, "web", "session web", &mut warnings);
        let nobodys = Undeliverable { out_of_hops: 2, ..Undeliverable::default() };
        undeliverable(nobodys, "", "no flow", &mut warnings);
        let told: Vec<_> = warnings.iter().map(|w| (w.kind, w.subject.as_str(), w.value)).collect();
        assert_eq!(
            told,
            [("no-route", "web", 3.0), ("off-tree", "web", 1.0), ("not-a-source", "web", 4.0), ("hop-limit", "", 2.0)]
        );
        assert!(warnings[0].message.starts_with("3 packets of session web found no way"), "{}", warnings[0].message);
        assert!(warnings[3].message.starts_with("2 packets of no flow had used up"), "{}", warnings[3].message);
        let table = table(&warnings);
        let codes = |column| match table.get(column) {
            Some(Values::Words(words)) => (words.codes.clone(), words.dictionary.len()),
            other => panic!("{other:?}"),
        };
        assert_eq!(codes("subject"), (vec![0, 0, 0, 1], 2));
        assert_eq!((codes("kind").1, codes("message").1), (4, 4));
    }
}
