//! Traffic that the link of its own host holds back, and not the link that is looked at.

use super::links::Use;
use super::message::{Warning, percent};
use super::ways::Ways;
use crate::network::{Network, NetworkSession};
use faircast_sim::ids::LinkId;
use faircast_sim::part::LinkRole;

/// What a link is called that is meant to be the bottleneck: its name holds this.
const MEANT: &str = "bottleneck";

/// Where hosts and the links are that should be the bottleneck.
pub(super) struct Places<'a> {
    ways: &'a Ways<'a>,
    uses: &'a [Use],
    /// By link: whether it is probed or called a bottleneck.
    watched: Vec<bool>,
    /// By node: whether it forwards what others send.
    forwards: Vec<bool>,
}

/// An access link that was full, while no watched link on the same way was.
struct Narrow {
    access: LinkId,
    /// The fullest of the watched links on the way.
    instead_of: LinkId,
}

impl<'a> Places<'a> {
    /// The access links of a network; nothing if no link is watched, or ways change, so that nobody knows who went
    /// where.
    pub(super) fn of(network: &Network, ways: &'a Ways<'a>, uses: &'a [Use]) -> Option<Places<'a>> {
        let mut watched: Vec<bool> = network.links.iter().map(|link| link.name.contains(MEANT)).collect();
        network.probes.queues.iter().for_each(|link| watched[link.index()] = true);
        if uses.is_empty() || network.reroutes() || !watched.contains(&true) {
            return None;
        }
        let mut forwards = vec![false; network.nodes.len()];
        let mut cross = |way: Vec<LinkId>| {
            // A link with legs ends where it starts.
            let ends = way.iter().map(|&link| ways.link(link)).filter(|link| link.part != LinkRole::Carrier);
            ends.skip(1).for_each(|link| forwards[link.from as usize] = true);
        };
        network.flows.iter().for_each(|flow| cross(ways.of_flow(flow)));
        for session in &network.sessions {
            session.receivers.iter().for_each(|receiver| cross(ways.to_receiver(session, receiver)));
        }
        Some(Places { ways, uses, watched, forwards })
    }

    /// A warning about a flow.
    pub(super) fn of_flow(&self, flow: &crate::network::NetworkFlow) -> Option<Warning> {
        let narrow = self.narrow(&self.ways.of_flow(flow))?;
        Some(self.warning(&flow.name, &format!("flow {}", flow.name), &narrow))
    }

    /// A warning about a session.
    pub(super) fn of_session(&self, session: &NetworkSession) -> Option<Warning> {
        let ways = session.receivers.iter().map(|receiver| self.ways.to_receiver(session, receiver));
        let narrow: Vec<Narrow> = ways.filter_map(|way| self.narrow(&way)).collect();
        let fullest = narrow.iter().max_by(|a, b| self.utilisation(a.access).total_cmp(&self.utilisation(b.access)))?;
        let whose = format!(
            "session {} on the way to {} of its {} receivers",
            session.name,
            narrow.len(),
            session.receivers.len()
        );
        Some(self.warning(&session.name, &whose, fullest))
    }

    fn warning(&self, subject: &str, whose: &str, narrow: &Narrow) -> Warning {
        let [access, instead_of] = [narrow.access, narrow.instead_of].map(|link| &self.ways.link(link).name);
        let message = format!(
            "what limits {whose} is the access link {access} of a host, used to {} after the warm-up, and not \
             {instead_of}, used to {}, which dropped and marked nothing: its rate says nothing about how that link is \
             shared; raise the rate of {access}, or lower that of {instead_of}",
            percent(self.utilisation(narrow.access)),
            percent(self.utilisation(narrow.instead_of))
        );
        Warning { kind: "access-limited", subject: subject.to_owned(), value: self.utilisation(narrow.access), message }
    }

    /// The access link that limits on this way.
    fn narrow(&self, way: &[LinkId]) -> Option<Narrow> {
        let watched = || way.iter().copied().filter(|link| self.watched[link.index()]);
        let fuller = |a: &LinkId, b: &LinkId| self.utilisation(*a).total_cmp(&self.utilisation(*b));
        let instead_of = watched().max_by(fuller)?;
        if watched().any(|link| self.uses[link.index()].is_full()) {
            return None;
        }
        let (first, last) = (*way.first()?, *way.last()?);
        let of_hosts = [(first, self.ways.link(first).from), (last, self.ways.link(last).to)];
        let full = |&(link, host): &(LinkId, u32)| {
            self.ways.link(link).part == LinkRole::Whole
                && !self.forwards[host as usize]
                && self.uses[link.index()].is_full()
        };
        let access = of_hosts.into_iter().filter(full).map(|(link, _)| link).max_by(fuller)?;
        Some(Narrow { access, instead_of })
    }

    fn utilisation(&self, link: LinkId) -> f64 {
        self.uses[link.index()].utilisation
    }
}
