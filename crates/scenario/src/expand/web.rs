//! From entries of web traffic to what arrives in the network.

use super::Expansion;
use crate::control::Cancelled;
use crate::model::{FlowEntry, WebEntry};
use crate::network::{DirectedLink, Network, NetworkPep};
use crate::problem::{Finding, list, nearest};
use crate::web::{Arrival, NetworkWeb, Pair, Sizes, Source};
use faircast_proto::flow_kind::FlowKind;
use faircast_sim::ids::{LinkId, NodeId};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Expansion<'_> {
    /// All entries of web traffic.
    pub(super) fn web(&mut self) -> Result<(), Cancelled> {
        let scenario = self.scenario;
        let mut taken: BTreeSet<String> = self.network.flows.iter().map(|flow| flow.name.clone()).collect();
        taken.extend(self.network.sessions.iter().map(|session| session.name.clone()));
        for (name, flow) in &scenario.flows {
            self.control.look()?;
            let FlowEntry::Web(entry) = flow else { continue };
            if !taken.insert(name.clone()) {
                let message = format!("there is a flow or session called {name} already");
                self.found.push(Finding::new(format!("flows.{name}"), message));
            }
            let pairs = self.pairs_of(name, entry);
            let Some(pep) = self.pep_of(name, entry, &pairs) else { continue };
            if !pairs.is_empty() {
                self.entry(name, entry, pairs, pep);
            }
        }
        self.measure();
        Ok(())
    }

    /// The pairs of nodes of an entry; none if something is wrong with them.
    fn pairs_of(&mut self, name: &str, entry: &WebEntry) -> Vec<Pair> {
        let (path, course) = (format!("flows.{name}"), &entry.course);
        let ends = [
            self.ends(&format!("{path}.from"), course, course.from.as_ref(), "left"),
            self.ends(&format!("{path}.to"), course, course.to.as_ref(), "right"),
        ];
        let mut pairs = Vec::new();
        for index in 0..course.flows() {
            let [Some(from), Some(to)] = [&ends[0], &ends[1]].map(|ends| ends.of(index)) else { return Vec::new() };
            if from == to {
                let node = &self.network.nodes[from as usize].name;
                let message = format!("transfers of {name} would start and end on node {node}; they must cross a link");
                self.found.push(Finding::new(path.clone(), message));
                return Vec::new();
            }
            pairs.push(Pair { from, to, rtt_s: f64::NAN, segment_s: f64::NAN });
        }
        pairs
    }

    /// What splits the connections between these pairs, perhaps nothing; nothing at all if something is wrong with it.
    fn pep_of(&mut self, name: &str, entry: &WebEntry, pairs: &[Pair]) -> Option<Vec<NetworkPep>> {
        let (path, course) = (format!("flows.{name}"), &entry.course);
        let relays = self.relays(&path, course);
        let mut peps = Vec::new();
        for (index, pair) in (0..).zip(pairs) {
            let pep = self.pep(&path, &relays, index, [pair.from, pair.to], &entry.tcp, course.pep.as_ref())?;
            peps.extend(pep.map(|pep| *pep));
        }
        Some(peps)
    }

    fn entry(&mut self, name: &str, entry: &WebEntry, pairs: Vec<Pair>, pep: Vec<NetworkPep>) {
        let (path, traffic, course) = (format!("flows.{name}"), &entry.traffic, &entry.course);
        let wrong = |key: &str, message: String| Finding::new(format!("{path}.{key}"), message).on([path.clone()]);
        let mut found = Vec::new();
        let given = [
            ("interval", traffic.interval.is_some()),
            ("load", traffic.load.is_some()),
            ("arrivals", traffic.arrivals.is_some()),
            ("visits", traffic.visits.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter_map(|(key, is_given)| is_given.then_some(key)).collect();
        match given[..] {
            [_] => {}
            [] => {
                let message = "nothing says when transfers arrive: give one of interval, load, arrivals and visits";
                found.push(Finding::new(path.clone(), message));
            }
            [first, second, ..] => {
                let message = format!("{first} says already when transfers arrive; give one of them");
                found.push(wrong(second, message));
            }
        }
        let listed = traffic.arrivals.as_deref().unwrap_or_default();
        let sizes = traffic.size.as_ref().map(Sizes::of);
        let all_sized = !listed.is_empty() && listed.iter().all(|arrival| arrival.size.is_some());
        if sizes.is_none() && !all_sized && !traffic.arrivals.as_ref().is_some_and(Vec::is_empty) {
            found.push(wrong("size", "missing: how large is a transfer?".to_owned()));
        }
        if traffic.link.is_some() && traffic.load.is_none() {
            found.push(wrong("link", "load is a part of its rate, and there is no load".to_owned()));
        }
        if traffic.load.is_some() && sizes.as_ref().is_some_and(|sizes| !sizes.has_mean()) {
            let message = "a Pareto distribution with a shape up to 1 and without most has no finite mean, so no \
                           number of transfers makes a load; give most, or interval";
            found.push(wrong("load", message.to_owned()));
        }
        let mut before = None;
        for (index, arrival) in listed.iter().enumerate() {
            if before.is_some_and(|before| arrival.at < before) {
                let message = format!("{} given; legal is not before the arrival before it", arrival.at);
                found.push(wrong(&format!("arrivals[{index}].at"), message));
                break;
            }
            before = Some(arrival.at);
            if let Some(pair) = arrival.pair.filter(|&pair| pair as usize >= pairs.len()) {
                let message = format!("{pair} given; legal is below the number of pairs of nodes, {}", pairs.len());
                found.push(wrong(&format!("arrivals[{index}].pair"), message));
                break;
            }
        }
        let link = self.load_link(&path, traffic.link.as_deref(), &pairs, &mut found);
        let source = if let Some(mean) = traffic.interval {
            Source::Poisson { mean_s: mean.as_secs_f64() }
        } else if let (Some(load), Some(link), Some(sizes)) = (traffic.load, link, &sizes) {
            let link = &self.network.links[link.index()];
            let segments =
                sizes.mean_segments(entry.tcp.mss.0.max(1) as f64) * f64::from(traffic.objects_per_connection);
            let of_connection = segments + f64::from(traffic.tls_round_trips);
            Source::Poisson { mean_s: of_connection * segment_s(link, entry.tcp.packet_bytes()) / load }
        } else if let Some(visits) = &traffic.visits {
            Source::Users { users: visits.users, think: visits.think, objects: visits.objects }
        } else {
            let arrival = |arrival: &crate::model::ArrivalEntry| Arrival {
                at: arrival.at,
                bytes: arrival.size.map(|size| size.0),
                pair: arrival.pair,
            };
            Source::Listed(listed.iter().map(arrival).collect())
        };
        self.found.extend(found);
        self.network.web.push(Arc::new(NetworkWeb {
            name: name.to_owned(),
            pairs,
            tcp: entry.tcp.clone(),
            start: course.start.of(0).unwrap_or_default(),
            stop: course.stop,
            dscp: course.dscp,
            pep,
            source,
            sizes,
            objects: traffic.objects_per_connection,
            tls_round_trips: traffic.tls_round_trips,
            classes: traffic.classes.iter().map(|size| size.0).collect(),
            at_once: traffic.at_once,
            load: traffic.load,
            load_link: link.filter(|_| traffic.load.is_some()).map(|link| link.0),
            pairs_across: 0,
        }));
    }

    /// The link of whose rate a load is a part.
    fn load_link(&self, path: &str, given: Option<&str>, pairs: &[Pair], found: &mut Vec<Finding>) -> Option<LinkId> {
        match given {
            Some(name) => {
                let link = self.network.link(name).map(LinkId);
                if link.is_none() {
                    let links = self.network.links_by_name();
                    let legal: Vec<&str> = links.keys().copied().collect();
                    let message = format!("there is no link {name}{}", nearest(name, legal.iter().copied()));
                    let finding = Finding::new(format!("{path}.link"), message).given(Some(name)).legal(list(&legal));
                    found.push(finding.on(["topology", "links"]));
                }
                link
            }
            None => {
                let (edges, pair) = (self.network.edges(), pairs[0]);
                let routes = Network::routes_between(&edges, self.network.nodes.len(), &[pair.from, pair.to]);
                let way = routes.way(&edges, NodeId(pair.from), NodeId(pair.to));
                let slowest = way.min_by_key(|link| self.network.links[link.index()].rate_at_start());
                slowest.map(|link| self.network.links[link.index()].carrier().unwrap_or(link))
            }
        }
    }

    /// Says of each pair how long the way is at the start, and how fast: as if nothing split it.
    fn measure(&mut self) {
        if self.network.web.is_empty() {
            return;
        }
        let (edges, mut web) = (self.network.edges(), std::mem::take(&mut self.network.web));
        let ends: Vec<u32> = web.iter().flat_map(|web| &web.pairs).flat_map(|pair| [pair.from, pair.to]).collect();
        let routes = Network::routes_between(&edges, self.network.nodes.len(), &ends);
        let links = &self.network.links;
        for web in &mut web {
            let web = Arc::make_mut(web);
            let bytes = web.tcp.packet_bytes();
            let load_link = web.load_link.map(LinkId);
            for pair in &mut web.pairs {
                let [there, back] = [(pair.from, pair.to), (pair.to, pair.from)]
                    .map(|(from, to)| routes.way(&edges, NodeId(from), NodeId(to)).collect::<Vec<_>>());
                // Of a pair without a way at the start nothing is known.
                if there.is_empty() || back.is_empty() {
                    web.pairs_across += 1;
                    continue;
                }
                let delay = |link: &LinkId| links[link.index()].delay_at_start().as_secs_f64();
                pair.rtt_s = there.iter().chain(&back).map(delay).sum();
                // Who crosses a leg crosses the link that it is one of.
                let crossed = |link: &LinkId| Some(*link) == load_link || links[link.index()].carrier() == load_link;
                web.pairs_across += usize::from(load_link.is_some() && there.iter().any(crossed));
                let takes = there.iter().map(|link| segment_s(&links[link.index()], bytes));
                pair.segment_s = takes.fold(0.0, f64::max);
            }
        }
        self.network.web = web;
    }
}

/// How long a link's queue and transmitter take at the start for a packet of so many bytes, s.
fn segment_s(link: &DirectedLink, bytes: u64) -> f64 {
    let rate = link.queue.passes(link.rate_at_start(), link.rate);
    8.0 * (bytes + u64::from(link.header)) as f64 / rate.as_bps_f64()
}
