//! What is wrong with the optimum that a scenario asks for.

use crate::model::{Scenario, Utility};
use crate::network::Network;
use crate::problem::{Finding, list, nearest};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::scheme::Scheme;
use std::collections::BTreeMap;

/// All that is wrong.
pub(super) fn check(scenario: &Scenario, network: &Network, found: &mut Vec<Finding>) {
    let optimum = &scenario.optimum;
    match (optimum.utility, optimum.alpha) {
        (Utility::AlphaFair, None) => {
            found.push(
                Finding::new("optimum.alpha", "missing: the utility alpha-fair needs it").on(["optimum.utility"]),
            );
        }
        (Utility::AlphaFair, Some(_)) | (_, None) => {}
        (_, Some(alpha)) => {
            let message = "it belongs to the utility alpha-fair: leave it out, or set utility = \"alpha-fair\"";
            found.push(Finding::new("optimum.alpha", message).given(Some(alpha)).on(["optimum.utility"]));
        }
    }
    weights(scenario, network, found);
}

fn weights(scenario: &Scenario, network: &Network, found: &mut Vec<Finding>) {
    if scenario.optimum.weights.is_empty() {
        return;
    }
    // Whether each name stands for something elastic.
    let mut names: BTreeMap<&str, bool> = BTreeMap::new();
    names.extend(network.flows.iter().map(|flow| (flow.name.as_str(), flow.kind.is_controlled())));
    names.extend(scenario.flows.iter().map(|(name, flow)| (name.as_str(), flow.config().is_controlled())));
    names.extend(scenario.sessions.iter().map(|(name, session)| (name.as_str(), session.config().is_controlled())));
    for (name, &weight) in &scenario.optimum.weights {
        let path = format!("optimum.weights.{name}");
        match names.get(name.as_str()) {
            Some(true) if weight > 0.0 && weight < f64::INFINITY => {}
            Some(true) => {
                let message = format!("{weight} given; legal is a number above 0");
                found.push(Finding::new(path, message).given(Some(weight)));
            }
            Some(false) => {
                let message = format!("{name} sends at a constant rate, whatever it weighs: leave it out");
                found.push(Finding::new(path, message).on(["flows", "sessions"]));
            }
            None => {
                let near = nearest(name, names.keys().copied());
                let legal: Vec<&str> = names.iter().filter(|(_, elastic)| **elastic).map(|(name, _)| *name).collect();
                let message = format!("there is no flow or session {name}{near}");
                found.push(Finding::new(path, message).legal(list(&legal)).on(["flows", "sessions", "topology"]));
            }
        }
    }
}
