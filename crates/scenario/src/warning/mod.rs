//! Warnings: what is legal and runs, but makes a result say something else than its reader may think.
//!
//! | file | about |
//! |---|---|
//! | `sessions.rs`, `marks.rs`, `queues.rs`, `legs.rs`, `optimum.rs` | what follows from a scenario alone |
//! | `flows.rs`, `slow_start.rs` | flows and sessions one by one |
//! | `links.rs`, `slots.rs`, `access.rs`, `unlimited.rs`, `phases.rs` | what was full, and what was not |
//! | `web.rs` | web traffic |
//! | `playouts.rs` | what receivers play |
//! | `ways.rs` | over which links traffic goes |
//! | `message.rs` | what a warning is, and words that several of them need |
//!
//! All of it is read off counters that a run keeps anyway.

mod access;
mod flows;
mod legs;
mod links;
mod marks;
mod message;
mod optimum;
mod phases;
mod playouts;
mod queues;
mod sessions;
mod slots;
mod slow_start;
mod unlimited;
mod ways;
mod web;

pub use flows::WINDOW_LIMITED_FROM;
pub use links::FULL_FROM;
pub use message::{KnownWarning, Warning};
pub use unlimited::AT_RATE_FROM;

use crate::activity::Activity;
use crate::model::Scenario;
use crate::network::Network;
use crate::tables::{Table, Words};
use access::Places;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::scheme::Scheme;
use faircast_sim::world::World;
use links::Use;
use slow_start::SlowStarts;
use std::collections::BTreeMap;
use ways::Ways;

/// What is worth a warning in a legal scenario, whatever its runs give: session by session, then link by link, then
/// of the network as a whole.
pub fn known(scenario: &Scenario) -> Vec<KnownWarning> {
    let network = scenario.expand();
    let ways = Ways::of(&network);
    let of_sessions = network.sessions.iter().flat_map(|session| {
        sessions::known(&network, &ways, session).chain(playouts::known(session, network.duration))
    });
    let of_links = marks::known(&network, &ways).into_iter().chain(queues::known(&network, &ways));
    let of_links = of_links.chain(legs::known(&network));
    let of_optimum = optimum::known(&network).map(|known| optimum::placed(scenario, known));
    of_sessions.chain(of_links).chain(of_optimum).chain(web::known(&network)).collect()
}

/// What is worth a warning after a run of `network` in which flows were active so: flow by flow, session by session,
/// link by link, then what belongs to none. The records of the run must be there still.
pub(crate) fn of_run<C>(world: &World<C>, network: &Network, activity: &[Activity]) -> Vec<Warning> {
    let ways = Ways::of(network);
    let uses = Use::of_links(world, network);
    let places = Places::of(network, &ways, &uses);
    let slow_starts = SlowStarts::of(world, network);
    let warmup = network.probes.warmup;
    let mut warnings = Vec::new();
    for (index, flow) in network.flows.iter().enumerate() {
        let (active, whose) = (&activity[index], format!("flow {}", flow.name));
        warnings.extend(flows::window_limited(world, index, flow, active));
        let is_limited = flows::application_limits(world, index, active);
        warnings.extend(slow_starts.of_flow(index, flow, active).filter(|_| !is_limited));
        if world.now() > warmup {
            warnings.extend(flows::not_active(warmup, &flow.name, &whose, flow.kind.is_controlled(), active));
        }
        warnings.extend(places.as_ref().and_then(|places| places.of_flow(flow)));
        flows::undeliverable(world.undeliverable()[index], &flow.name, &whose, &mut warnings);
    }
    for (index, session) in (network.flows.len()..).zip(&network.sessions) {
        let (active, whose) = (&activity[index], format!("session {}", session.name));
        let bound_bps = unlimited::bound(network, session).map(|bound| bound.as_bps_f64());
        // Of what an application limits neither says anything.
        let is_limited = flows::application_limits(world, index, active);
        warnings.extend(slow_starts.of_session(index, session, active, bound_bps).filter(|_| !is_limited));
        if world.now() > warmup {
            warnings.extend(flows::not_active(warmup, &session.name, &whose, session.config.is_controlled(), active));
        }
        warnings.extend(places.as_ref().and_then(|places| places.of_session(session)));
        let unlimited = unlimited::of_session(world, network, (index, session), active, (&ways, &uses));
        warnings.extend(unlimited.filter(|_| !is_limited));
        warnings.extend(sessions::known(network, &ways, session).map(|known| known.warning));
        warnings.extend(playouts::known(session, network.duration).map(|known| known.warning));
        flows::undeliverable(world.undeliverable()[index], &session.name, &whose, &mut warnings);
    }
    warnings.extend(marks::known(network, &ways).into_iter().map(|known| known.warning));
    warnings.extend(queues::known(network, &ways).into_iter().map(|known| known.warning));
    warnings.extend(legs::known(network).into_iter().map(|known| known.warning));
    warnings.extend(links::no_bottlenecks(network, &uses));
    warnings.extend(phases::effects(network, &ways, &uses));
    warnings.extend(optimum::known(network).map(|known| known.warning));
    warnings.extend(web::known(network).into_iter().map(|known| known.warning));
    warnings.extend(web::waited(world, network));
    // Those who come and go are not told apart there.
    let nobodys = if network.web.is_empty() { "no flow" } else { "web traffic or of no flow" };
    flows::undeliverable(world.undeliverable()[world.flows().len()], "", nobodys, &mut warnings);
    warnings
}

/// The table `warnings`: columns `kind`, `subject`, `value`, `message`.
pub(crate) fn table(warnings: &[Warning]) -> Table {
    let (mut kinds, mut subjects, mut messages) = (Words::default(), Words::default(), Words::default());
    // A link may be called as a flow is.
    let mut codes = BTreeMap::new();
    for warning in warnings {
        kinds.push(warning.kind);
        let code = *codes.entry(warning.subject.as_str()).or_insert_with(|| {
            subjects.dictionary.push(warning.subject.clone());
            subjects.dictionary.len() as i32 - 1
        });
        subjects.codes.push(code);
        // No message comes twice.
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
    use super::flows::undeliverable;
    use super::*;
    use crate::tables::Values;
    use faircast_sim::counters::Undeliverable;

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
