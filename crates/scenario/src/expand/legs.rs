//! Links with legs: what their entries become, and which keys are not theirs.

use super::{Expansion, constellation};
use crate::model::{Duplex, LinkEntry, Settings};
use crate::network::{DirectedLink, NetworkChange};
use crate::problem::{Finding, list, nearest};
use crate::topology::Sort;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::part::LinkRole;
use faircast_sim::{loss, queue};

impl Expansion<'_> {
    /// A link with legs that the topology does not make.
    pub(super) fn new_carrier(&mut self, name: &str, given: &LinkEntry) {
        let path = format!("links.{name}");
        if given.to.is_some() {
            let message = "this link has legs, which say where they lead: leave out to";
            self.found.push(Finding::new(format!("{path}.to"), message).on(["links"]));
        }
        self.need(
            &path,
            "a link with legs needs from and rate, or symbol_rate in its place",
            &[
                ("from", given.from.is_none()),
                ("rate", given.duplex.both.rate.is_none() && given.duplex.both.symbol_rate.is_none()),
            ],
        );
        let from = given.from.as_ref().and_then(|end| self.node(&format!("{path}.from"), end));
        if let Some(from) = from {
            let base = Settings { queue: Some(queue::Config::default()), ..Settings::default() };
            self.carrier(name, from, Some(given), given.duplex.both.over(&base));
        }
    }

    /// A link with legs from a node.
    pub(super) fn carrier(&mut self, name: &str, from: u32, given: Option<&LinkEntry>, settings: Settings) {
        self.refuse_foreign(name, given, Sort::Carrier);
        let changes = self.changes(&format!("links.{name}.changes"), from, settings.changes.as_deref().unwrap_or(&[]));
        let symbols = self.transmitter(name, &settings);
        // Of what sends symbols the legs decide. What is missing has been reported.
        let rate = if symbols.is_some() { Some(Rate(0)) } else { settings.rate };
        let (Some(rate), Some(queue)) = (rate, settings.queue) else { return };
        self.carriers.insert(name.to_owned(), LinkId(self.network.links.len() as u32));
        self.network.links.push(DirectedLink {
            name: name.to_owned(),
            from,
            to: from,
            part: LinkRole::Carrier,
            rate,
            symbols,
            delay: Duration::ZERO,
            queue: queue.into(),
            loss: loss::Config::default(),
            agent: settings.agent.map(Box::new),
            mode: LinkMode::TwoStage,
            header: settings.header.map_or(0, |header| u16::try_from(header.0).unwrap_or(u16::MAX)),
            handoff: settings.handoff_queue.unwrap_or_default().into(),
            reroute: settings.reroute.unwrap_or(true),
            changes,
            trace: None,
        });
    }

    /// A leg that the topology does not make.
    pub(super) fn new_leg(&mut self, name: &str, given: &LinkEntry) {
        let path = format!("links.{name}");
        if given.from.is_some() {
            let message = "a leg starts where its link does: leave out from";
            self.found.push(Finding::new(format!("{path}.from"), message).given(given.from.as_deref()));
        }
        let carrier = given.leg_of.as_deref().unwrap_or_default();
        self.need(
            &path,
            "a leg needs leg_of, to and delay",
            &[("to", given.to.is_none()), ("delay", given.duplex.both.delay.is_none())],
        );
        let to = given.to.as_ref().and_then(|end| self.node(&format!("{path}.to"), end));
        if let (true, Some(to)) = (self.has_legs(&path, carrier), to) {
            let base = Settings { loss: Some(loss::Config::default()), ..Settings::default() };
            self.leg(name, carrier, to, Some(given), given.duplex.both.over(&base), &[]);
        }
    }

    /// A leg to a node, which its topology changes by `moves`.
    pub(super) fn leg(
        &mut self,
        name: &str,
        carrier: &str,
        to: u32,
        given: Option<&LinkEntry>,
        settings: Settings,
        moves: &[NetworkChange],
    ) {
        self.refuse_foreign(name, given, Sort::Leg);
        // The link, or its own delay, may be missing, which has been reported.
        let Some(index) = self.carriers.get(carrier).copied() else { return };
        let DirectedLink { from, rate, header, handoff, reroute, .. } = self.network.links[index.index()];
        if from == to {
            let message = "a leg leads to another node than that where its link starts";
            self.found.push(Finding::new(format!("links.{name}.to"), message).on(["links"]));
            return;
        }
        let given = settings.changes.as_deref().unwrap_or(&[]);
        let changes = self.changes(&format!("links.{name}.changes"), from, &constellation::allowed(moves, given));
        let changes = constellation::beside(moves, changes);
        let of_moving = settings.handoff_queue.filter(|_| !moves.is_empty()).map(constellation::takes_another_way);
        let sends = self.network.links[index.index()].symbols.is_some();
        let symbols = self.signal(name, carrier, sends, &settings);
        let (Some(delay), Some(loss)) = (settings.delay, settings.loss) else { return };
        self.network.links.push(DirectedLink {
            name: name.to_owned(),
            from,
            to,
            part: LinkRole::Leg(index),
            rate,
            symbols,
            delay,
            queue: self.network.shared(queue::Config::default()),
            loss,
            agent: None,
            mode: LinkMode::TwoStage,
            header,
            handoff: settings.handoff_queue.map_or(handoff, Into::into),
            reroute: settings.reroute.or(of_moving).unwrap_or(reroute),
            changes,
            trace: None,
        });
    }

    /// Whether the link called `carrier`, which a leg at `path` names, can have legs. If it is there but something else
    /// is wrong with it, that has been said.
    fn has_legs(&mut self, path: &str, carrier: &str) -> bool {
        if self.carriers.contains_key(carrier) {
            return true;
        }
        let entry = self.scenario.links.get(carrier);
        let message = match entry {
            Some(entry) if entry.leg_of.is_some() => format!("{carrier} is a leg itself"),
            _ if self.network.links.iter().any(|link| link.name == carrier) => {
                format!("the topology makes the link {carrier}, which has a far end of its own")
            }
            Some(_) => return false,
            None => {
                let legal = self.scenario.links.keys().map(String::as_str);
                format!("there is no link {carrier}{}", nearest(carrier, legal))
            }
        };
        let legal: Vec<&str> = self.carriers.keys().map(String::as_str).collect();
        let finding = Finding::new(format!("{path}.leg_of"), message).given(Some(carrier));
        self.found.push(finding.legal(list(&legal)).on(["topology", "links"]));
        false
    }

    fn need(&mut self, path: &str, what: &str, keys: &[(&str, bool)]) {
        let lacking: Vec<&str> = keys.iter().filter_map(|&(key, lacks)| lacks.then_some(key)).collect();
        if !lacking.is_empty() {
            let message = format!("{} missing: {what}", list(&lacking));
            self.found.push(Finding::new(path, message).on(["topology"]));
        }
    }

    /// Refuses what an entry of the scenario says that is not a leg's or not that of a link with legs.
    fn refuse_foreign(&mut self, name: &str, given: Option<&LinkEntry>, sort: Sort) {
        if let Some(given) = given {
            foreign(&format!("links.{name}"), &given.duplex, sort, self.found);
        }
    }
}

/// Keys at `path` that do not belong to a link of this sort.
pub(crate) fn foreign(path: &str, duplex: &Duplex, sort: Sort, found: &mut Vec<Finding>) {
    let settings = &duplex.both;
    let (keys, part, why) = match sort {
        Sort::Duplex | Sort::Simplex => return,
        Sort::Carrier => (
            vec![
                ("delay", settings.delay.is_some()),
                ("loss", settings.loss.is_some()),
                ("efficiency", settings.efficiency.is_some()),
                ("es_n0", settings.es_n0.is_some()),
                ("rain", settings.rain.is_some()),
            ],
            LinkRole::Carrier,
            "belongs to the legs of this link",
        ),
        Sort::Leg => (
            vec![
                ("rate", settings.rate.is_some()),
                ("queue", settings.queue.is_some()),
                ("agent", settings.agent.is_some()),
                ("header", settings.header.is_some()),
                ("symbol_rate", settings.symbol_rate.is_some()),
                ("acm", settings.acm.is_some()),
            ],
            LinkRole::Leg(LinkId(0)),
            "belongs to the link with this leg",
        ),
    };
    if settings.trace.is_some() {
        let message = "trace has no meaning here: it is of a link with one far end; leave it out";
        found.push(Finding::new(format!("{path}.trace"), message));
    }
    let both = [("mode", settings.mode.is_some()), ("back", duplex.back.is_some())];
    let neither = both.map(|(key, is_there)| (key, is_there, "has no meaning here: legs are simplex and two-stage"));
    let theirs = keys.into_iter().map(|(key, is_there)| (key, is_there, why));
    for (key, _, why) in theirs.chain(neither).filter(|&(_, is_there, _)| is_there) {
        found.push(Finding::new(format!("{path}.{key}"), format!("{key} {why}: leave it out")));
    }
    for (index, entry) in settings.changes.iter().flatten().enumerate() {
        let subjects = entry.subjects();
        for (key, _) in subjects.into_iter().filter(|&(_, subject)| !part.may_change(subject)) {
            let message = format!("{key} {why}");
            found.push(Finding::new(format!("{path}.changes[{index}].{key}"), message));
        }
    }
}
