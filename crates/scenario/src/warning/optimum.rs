//! Runs beside which no optimum can stand. Known before a run.

use super::message::{KnownWarning, Warning, named};
use crate::network::Network;
use crate::periods::{Undivided, undivided};

/// Why there is no optimum beside the runs of a network, if that is so.
pub(super) fn known(network: &Network) -> Option<KnownWarning> {
    let rest = "so no optimum stands beside the rates; faircast.optimum takes the network as it is at the start, with \
                all flows and sessions present at once";
    let (path, subject, value, message) = match undivided(network)? {
        Undivided::Transfers(flows) => {
            let names: Vec<String> = flows.iter().map(|&flow| format!("flow {}", network.flows[flow].name)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let verb = if flows.len() == 1 { "ends when its segments have" } else { "end when their segments have" };
            let first = &network.flows[flows[0]].name;
            let entry = network.flow_groups.iter().find(|group| group.flows.contains(&flows[0]));
            let path = format!("flows.{}.segments", entry.map_or(first, |entry| &entry.name));
            let message =
                format!("{} {verb} arrived, at a time that is known only after the run, {rest}", named(&names));
            (path, first.clone(), flows.len() as f64, message)
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
