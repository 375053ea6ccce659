//! Queues that do something else than their reader may think with what crosses them. Known before a run.
//!
//! Of queues within others each is asked about the traffic that goes through it, by its DSCP.

use super::message::{KnownWarning, Warning, named};
use super::ways::Ways;
use crate::base_rtt::{Crossing, crossings_by_dscp};
use crate::network::{DirectedLink, Network};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::quantity::QueueSize;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::LinkId;
use faircast_sim::queue;
use faircast_sim::queue::fq_codel::By;
use std::collections::BTreeMap;

/// What is worth a warning about queues that have a notion of round-trip times or of flows.
pub(super) fn known(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let mut found = intervals(network);
    found.extend(layers(network, ways));
    found.extend(resting(network, ways));
    found.extend(bursts(network, ways));
    found
}

/// A queue of a link: that of the link itself, or one within it.
struct Place<'a> {
    link: &'a DirectedLink,
    /// Its path below that of the link's queue; empty for that itself.
    path: String,
    queue: &'a queue::Config,
}

/// The queues of a link which are of some kinds.
fn places(link: &DirectedLink, is_one: impl Fn(&queue::Config) -> bool) -> Vec<Place<'_>> {
    let of_kind = link.queue.places().into_iter().filter(|(_, queue)| is_one(queue));
    of_kind.map(|(path, queue)| Place { link, path, queue }).collect()
}

impl Place<'_> {
    /// Whether packets of a DSCP go through it.
    fn has(&self, dscp: u8) -> bool {
        self.link.queue.along(dscp).into_iter().any(|queue| std::ptr::eq(queue, self.queue))
    }

    /// The most that it can send, of packets of a DSCP: what the link does, or shapers around it let it.
    fn drains(&self, dscp: u8) -> Rate {
        let first = self.link.rate;
        let around = self.link.queue.along(dscp).into_iter().take_while(|queue| !std::ptr::eq(*queue, self.queue));
        around.fold(first, |rate, queue| match queue {
            queue::Config::Shaper(shaper) => rate.min(shaper.token_rate(first)),
            _ => rate,
        })
    }

    /// What it is called in messages.
    fn named(&self) -> String {
        match self.path.as_str() {
            "" => format!("the queue of link {}", self.link.name),
            path => format!("queue.{path} of link {}", self.link.name),
        }
    }

    /// A warning that follows from one of its keys.
    fn warn(&self, kind: &'static str, key: &str, value: f64, message: String) -> KnownWarning {
        let name = &self.link.name;
        let path = match self.path.as_str() {
            "" => format!("links.{name}.queue.{key}"),
            path => format!("links.{name}.queue.{path}.{key}"),
        };
        KnownWarning { path, warning: Warning { kind, subject: name.clone(), value, message } }
    }
}

/// PIE that rests for long where data goes: ACKs alone make no queue.
fn resting(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let mean_packet_bytes = network.mean_packet_bytes();
    let is_pie = |queue: &queue::Config| matches!(queue, queue::Config::Pie(_));
    let pies: Vec<Place> = network.links.iter().flat_map(|link| places(link, is_pie)).collect();
    if pies.is_empty() {
        return Vec::new();
    }
    let mut dscps: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let of_flows = network.flows.iter().map(|flow| (flow.dscp, ways.of_flow(flow)));
    let of_sessions = network.sessions.iter().map(|session| (session.dscp, ways.of_session(session)));
    for (dscp, links) in of_flows.chain(of_sessions) {
        for link in links {
            dscps.entry(&network.links[link.index()].name).or_default().push(dscp);
        }
    }
    let crossed = |pie: &Place| {
        let dscps = dscps.get(pie.link.name.as_str())?;
        rests(pie, pie.drains(*dscps.iter().find(|dscp| pie.has(**dscp))?), mean_packet_bytes)
    };
    pies.iter().filter_map(crossed).collect()
}

/// PIE may rest until a third of its limit waits, however long that takes to send.
fn rests(place: &Place, rate: Rate, mean_packet_bytes: u32) -> Option<KnownWarning> {
    let queue::Config::Pie(pie) = place.queue else { return None };
    let limit_bytes = match pie.limit {
        QueueSize::Packets(pkts) => pkts * f64::from(mean_packet_bytes),
        QueueSize::Bytes(bytes) => bytes as f64,
    };
    let third_s = 8.0 * limit_bytes / 3.0 / rate.as_bps_f64();
    let meant_s = pie.max_burst.max(pie.target).as_secs_f64();
    if !pie.enhanced || third_s <= meant_s {
        return None;
    }
    let message = format!(
        "PIE in {} rests until a third of its limit waits (RFC 8033, section 5.3), which takes {third_s:.3} s to send, \
         and does nothing about delays below that; a burst may last {meant_s} s; set a smaller limit, or enhanced = \
         false",
        place.named()
    );
    Some(place.warn("pie-rests", "limit", third_s, message))
}

/// Packets that a policer lets never pass as they are larger than its bucket.
fn bursts(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let is_policer = |queue: &queue::Config| matches!(queue, queue::Config::Policer(_));
    let policers: Vec<Place> = network.links.iter().flat_map(|link| places(link, is_policer)).collect();
    if policers.is_empty() {
        return Vec::new();
    }
    let flows = network
        .flows
        .iter()
        .map(|flow| (format!("flow {}", flow.name), flow.dscp, flow.kind.packet_bytes(), ways.of_flow(flow)));
    let sessions = network.sessions.iter().map(|session| {
        let name = format!("session {}", session.name);
        (name, session.dscp, session.config.packet_bytes(), ways.of_session(session))
    });
    let senders: Vec<_> = flows.chain(sessions).collect();
    let of_policer = |place: &Place| {
        let queue::Config::Policer(policer) = place.queue else { return None };
        let larger = senders.iter().filter(|(_, dscp, bytes, links)| {
            let crosses = |link: &LinkId| std::ptr::eq(ways.link(*link), place.link);
            *bytes > policer.burst.0 && place.has(*dscp) && links.iter().any(crosses)
        });
        let (names, sizes): (Vec<&str>, Vec<u64>) = larger.map(|(name, _, bytes, _)| (name.as_str(), *bytes)).unzip();
        let largest = sizes.into_iter().max()?;
        let message = format!(
            "the policer, {}, never has tokens for packets of {}, of up to {largest} B: a burst of {} B lets none of \
             them pass unharmed; set burst to that size at least",
            place.named(),
            named(&names),
            policer.burst.0
        );
        Some(place.warn("policer-burst", "burst", largest as f64, message))
    };
    policers.iter().filter_map(of_policer).collect()
}

/// CoDel takes a queue for a standing one after an interval, which senders need to answer.
fn intervals(network: &Network) -> Vec<KnownWarning> {
    if !network.links.iter().any(|link| link.queue.all().into_iter().any(|queue| interval(queue).is_some())) {
        return Vec::new();
    }
    let of_link = |(link, crossings): (&DirectedLink, BTreeMap<u8, Crossing>)| -> Vec<KnownWarning> {
        let places = places(link, |queue| interval(queue).is_some());
        places.iter().filter_map(|place| hasty(place, &crossings)).collect()
    };
    network.links.iter().zip(crossings_by_dscp(network)).flat_map(of_link).collect()
}

/// A queue under CoDel whose interval is shorter than a round trip of what goes through it.
fn hasty(place: &Place, crossings: &BTreeMap<u8, Crossing>) -> Option<KnownWarning> {
    let interval = interval(place.queue)?;
    let its_own = crossings.iter().filter(|(dscp, _)| place.has(**dscp));
    let longest = its_own.map(|(_, crossing)| crossing.longest).max()?;
    if longest <= interval {
        return None;
    }
    let message = format!(
        "{} drops after {interval} above its target, but senders over it hear of that after {longest} at the soonest: \
         it drops more than they need, and the link stays empty for it; set interval to the longest usual round-trip \
         time (RFC 8289, section 4.2)",
        place.named()
    );
    Some(place.warn("codel-interval", "interval", longest.as_secs_f64(), message))
}

/// Under fair queueing a session of several groups has as many shares.
fn layers(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let is_by_address = |queue: &queue::Config| matches!(queue, queue::Config::FqCoDel(fq) if fq.by == By::Address);
    if !network.links.iter().any(|link| link.queue.all().into_iter().any(is_by_address)) {
        return Vec::new();
    }
    let mut crossing: Vec<Vec<(&str, u8)>> = vec![Vec::new(); network.links.len()];
    for session in network.sessions.iter().filter(|session| session.plan.groups > 1) {
        ways.of_session(session)
            .into_iter()
            .for_each(|link| crossing[link.index()].push((&session.name, session.dscp)));
    }
    let of_link = |(link, crossing): (&DirectedLink, &Vec<(&str, u8)>)| -> Vec<KnownWarning> {
        let of_queue = |place: &Place| {
            let sessions: Vec<&str> =
                crossing.iter().filter(|(_, dscp)| place.has(*dscp)).map(|(name, _)| *name).collect();
            if sessions.is_empty() {
                return None;
            }
            let message = format!(
                "{} takes each group of session {} for a flow of its own: a session gets as many shares as it has \
                 groups with packets; set by = \"session\" to give it one",
                place.named(),
                named(&sessions)
            );
            Some(place.warn("layers-as-flows", "by", sessions.len() as f64, message))
        };
        places(link, is_by_address).iter().filter_map(of_queue).collect()
    };
    network.links.iter().zip(&crossing).flat_map(of_link).collect()
}

/// The interval of a queue under CoDel.
fn interval(queue: &queue::Config) -> Option<Duration> {
    match queue {
        queue::Config::CoDel(codel) => Some(codel.interval),
        queue::Config::FqCoDel(fq) => Some(fq.interval),
        _ => None,
    }
}
