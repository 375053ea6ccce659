//! Runs beside which no optimum can stand. Known before a run.

use super::message::{KnownWarning, Warning, named};
use crate::model::Scenario;
use crate::network::Network;
use crate::periods::{Undivided, undivided};
use faircast_proto::flow_kind::FlowKind;

/// Why there is no optimum beside the runs of a network, if that is so.
pub(super) fn known(network: &Network) -> Option<KnownWarning> {
    let rest = "so no optimum stands beside the rates; faircast.optimum takes the network as it is at the start, with \
                all flows and sessions present at once";
    let (path, subject, value, message) = match undivided(network)? {
        Undivided::Transfers(ends) => {
            let names: Vec<String> = ends.iter().map(|&index| whose(network, index)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let verb = if ends.len() == 1 { "ends" } else { "end" };
            let (path, first) = place(network, ends[0]);
            let what =
                if ends.iter().all(|&index| has_segments(network, index)) { "segments have" } else { "data has" };
            let its = if ends.len() == 1 { "its" } else { "their" };
            let message = format!(
                "{} {verb} when {its} {what} arrived, at a time that is known only after the run, {rest}",
                named(&names)
            );
            (path, first.to_owned(), ends.len() as f64, message)
        }
        Undivided::Rain(leg) => {
            let message =
                format!("it rains on the leg {leg}, and what it can receive then is known only after the run, {rest}");
            (format!("links.{leg}.rain"), leg, 0.0, message)
        }
        Undivided::Changes(most) => {
            let message = format!(
                "after the warm-up rates, routes or those who are present change more than {most} times, which is more \
                 than are looked at, {rest}"
            );
            ("duration".to_owned(), String::new(), most as f64, message)
        }
    };
    Some(KnownWarning { path, warning: Warning { kind: "no-optimum", subject, value, message } })
}

/// The place of a warning as `scenario` has it: bytes of an application of TCP are segments in the network.
pub(super) fn placed(scenario: &Scenario, mut known: KnownWarning) -> KnownWarning {
    if let Some((entry, "segments")) = known.path.strip_prefix("flows.").and_then(|path| path.rsplit_once('.'))
        && scenario.flows.get(entry).is_some_and(|flow| flow.course().application.is_some())
    {
        known.path = format!("flows.{entry}.application");
    }
    known
}

/// The flow or session with this number, in words.
fn whose(network: &Network, index: usize) -> String {
    match network.flows.get(index) {
        Some(flow) => format!("flow {}", flow.name),
        None => format!("session {}", network.sessions[index - network.flows.len()].name),
    }
}

/// What in the scenario ends it, and its name.
fn place(network: &Network, index: usize) -> (String, &str) {
    let Some(flow) = network.flows.get(index) else {
        let session = &network.sessions[index - network.flows.len()];
        let key = if session.film().is_some() { "playout.length" } else { "application" };
        return (format!("sessions.{}.{key}", session.name), &session.name);
    };
    let entry = network.flow_groups.iter().find(|group| group.flows.contains(&index));
    let key = if has_segments(network, index) { "segments" } else { "application" };
    (format!("flows.{}.{key}", entry.map_or(&flow.name, |entry| &entry.name)), &flow.name)
}

/// Whether it is a flow that says itself how much it has to send.
fn has_segments(network: &Network, index: usize) -> bool {
    network.flows.get(index).is_some_and(|flow| flow.kind.transfer_bytes().is_some())
}
