//! The map of a network: every link as it is made, and over which of them each flow and session goes.
//!
//! For messages that say where something happened in a run: what stood before that link, and whether the way to this
//! receiver leads over it. Routes are those of the start.

use crate::control::Control;
use crate::expand::expand;
use crate::model::Scenario;
use crate::network::{DirectedLink, Network, What};
use faircast_sim::ids::{LinkId, NodeId};
use serde_json::{Value, json};

/// The map of a scenario's network in the run with a seed, as JSON.
///
/// `links`: of each direction and leg `name`, `from`, `to` (nodes), `carrier` (of a leg the link that has it),
/// `rate_bps`, `header_bytes`, `queue`, `loss`, `agent`, `reroutes`, and what changes about it: `ups` (moment in
/// seconds, whether it is up from then on), `losses` (moment, loss model). `flows`: of each flow and session `name`,
/// `source` and `receivers`, with `name` (that of a flow, for its only one), `node`, and the links `there` and `back`,
/// legs after their links.
pub fn map(scenario: &Scenario, seed: u64) -> Value {
    let network =
        expand(scenario, seed, &mut Vec::new(), &Control::default()).expect("nobody else has the control to cancel it");
    let links: Vec<Value> = network.links.iter().map(|link| of_link(&network, link)).collect();
    json!({ "links": links, "flows": flows(&network) })
}

fn of_link(network: &Network, link: &DirectedLink) -> Value {
    let node = |index: u32| &network.nodes[index as usize].name;
    let changes = || link.all_changes(network.duration).map(|change| (change.at.as_secs_f64(), change.what));
    let ups: Vec<Value> =
        changes().filter_map(|(at, what)| if let What::Up(up) = what { Some(json!([at, up])) } else { None }).collect();
    let losses: Vec<Value> = changes()
        .filter_map(|(at, what)| if let What::Loss(loss) = what { Some(json!([at, loss])) } else { None })
        .collect();
    json!({
        "name": link.name,
        "from": node(link.from),
        "to": node(link.to),
        "carrier": link.carrier().map(|carrier| &network.links[carrier.index()].name),
        "rate_bps": link.rate.0,
        "header_bytes": link.header,
        "queue": *link.queue,
        "loss": link.loss,
        "agent": link.agent,
        "reroutes": link.reroute,
        "ups": ups,
        "losses": losses,
    })
}

fn flows(network: &Network) -> Vec<Value> {
    let edges = network.edges();
    let routes = network.routes(&edges);
    let parts = |link: LinkId| network.links[link.index()].carrier().into_iter().chain([link]);
    let named = |link: LinkId| network.links[link.index()].name.clone();
    let node = |index: u32| &network.nodes[index as usize].name;
    let way = |from: u32, to: u32| -> Vec<String> {
        routes.way(&edges, NodeId(from), NodeId(to)).flat_map(parts).map(named).collect()
    };
    // A tree is made of the ways from its receivers to the source, turned round.
    let branch = |from: u32, to: u32| -> Vec<String> {
        let up = routes.way(&edges, NodeId(to), NodeId(from));
        let mut down: Vec<LinkId> = up.map_while(|link| routes.back(&edges, link)).collect();
        down.reverse();
        down.into_iter().flat_map(parts).map(named).collect()
    };
    let of_flows = network.flows.iter().map(|flow| {
        let there: Vec<String> = flow.hops().flat_map(|(from, to)| way(from, to)).collect();
        let back: Vec<String> = flow.hops_back().flat_map(|(from, to)| way(from, to)).collect();
        let receiver = json!({ "name": flow.name, "node": node(flow.to), "there": there, "back": back });
        json!({ "name": flow.name, "source": node(flow.from), "receivers": [receiver] })
    });
    let of_sessions = network.sessions.iter().map(|session| {
        let source = session.source;
        let receivers = session.receivers.iter().map(|one| {
            let (there, back) = (branch(source, one.node), way(one.node, source));
            json!({ "name": one.name, "node": node(one.node), "there": there, "back": back })
        });
        json!({ "name": session.name, "source": node(source), "receivers": receivers.collect::<Vec<Value>>() })
    });
    of_flows.chain(of_sessions).collect()
}
