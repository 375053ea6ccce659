//! Web traffic: what it asks of a link, and of its hosts.

use super::message::{KnownWarning, Warning};
use crate::network::Network;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::scheme::Scheme;
use faircast_sim::world::World;

/// Loads that no link can carry, and optima that know nothing of web traffic.
pub(super) fn known(network: &Network) -> Vec<KnownWarning> {
    let overload = network.web.iter().filter_map(|web| {
        let load = web.load.filter(|&load| load > 1.0)?;
        let message = format!(
            "web traffic {} offers {load} times what its link carries: more and more transfers are under way together, \
             and what is seen depends on how long the run lasts",
            web.name
        );
        let (kind, subject) = ("overload", web.name.clone());
        Some(KnownWarning {
            path: format!("flows.{}.load", web.name),
            warning: Warning { kind, subject, value: load, message },
        })
    });
    let elsewhere = network.web.iter().filter_map(|web| {
        let link = &network.links[web.load_link? as usize].name;
        let (across, all) = (web.pairs_across, web.pairs.len());
        let load = web.load.filter(|_| across < all)?;
        let carried = load * across as f64 / all as f64;
        let message = format!(
            "web traffic {} has a load of {load} of link {link}, which {across} of its {all} pairs of nodes cross: \
             that link is offered {carried:.3} of what it carries",
            web.name
        );
        let (kind, subject) = ("load-elsewhere", web.name.clone());
        Some(KnownWarning {
            path: format!("flows.{}.load", web.name),
            warning: Warning { kind, subject, value: carried, message },
        })
    });
    let mut known: Vec<KnownWarning> = overload.chain(elsewhere).collect();
    let has_optimum = network.flows.iter().any(|flow| flow.kind.is_controlled())
        || network.sessions.iter().any(|session| session.config.is_controlled());
    if let Some(web) = network.web.first().filter(|_| has_optimum) {
        let message = format!(
            "the optimum beside the rates leaves web traffic ({}{}) out: it takes all of the links for the flows and \
             sessions that last",
            web.name,
            if network.web.len() > 1 { ", ..." } else { "" }
        );
        let (kind, subject, value) = ("optimum-without-web", web.name.clone(), network.web.len() as f64);
        let warning = Warning { kind, subject, value, message };
        known.push(KnownWarning { path: format!("flows.{}", web.name), warning });
    }
    known
}

/// Web traffic that had as many connections open as it may: some waited for others to end.
pub(super) fn waited<C>(world: &World<C>, network: &Network) -> Vec<Warning> {
    let full = |(pool, web): (usize, &std::sync::Arc<crate::web::NetworkWeb>)| {
        let made = world.seats(pool).len();
        (made >= web.at_once as usize).then(|| Warning {
            kind: "connections-full",
            subject: web.name.clone(),
            value: made as f64,
            message: format!(
                "web traffic {} had all of its {made} connections open at one time (at_once): further transfers waited \
                 for one to end, and that time is part of theirs",
                web.name
            ),
        })
    };
    network.web.iter().enumerate().filter_map(full).collect()
}
