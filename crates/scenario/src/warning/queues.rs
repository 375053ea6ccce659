//! Queues that do something else than their reader may think with what crosses them. Known before a run.

use super::message::{KnownWarning, Warning, named};
use super::ways::Ways;
use crate::base_rtt::crossings;
use crate::network::{DirectedLink, Network};
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::Duration;
use faircast_sim::queue;
use faircast_sim::queue::fq_codel::By;

/// What is worth a warning about queues that have a notion of round-trip times or of flows.
pub(super) fn known(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let mut found = intervals(network);
    found.extend(layers(network, ways));
    found.extend(resting(network, ways));
    found
}

/// PIE that rests for long on links which data crosses: ACKs alone make no queue.
fn resting(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let mean_packet_bytes = network.mean_packet_bytes();
    let mut found: Vec<Option<KnownWarning>> =
        network.links.iter().map(|link| rests(link, mean_packet_bytes)).collect();
    if found.iter().any(Option::is_some) {
        let mut crossed = vec![false; network.links.len()];
        let of_flows = network.flows.iter().flat_map(|flow| ways.of_flow(flow));
        let of_sessions = network.sessions.iter().flat_map(|session| ways.of_session(session));
        of_flows.chain(of_sessions).for_each(|link| crossed[link.index()] = true);
        found.iter_mut().zip(crossed).filter(|(_, crossed)| !crossed).for_each(|(warning, _)| *warning = None);
    }
    found.into_iter().flatten().collect()
}

/// PIE may rest until a third of its limit waits, however long that takes to send.
fn rests(link: &DirectedLink, mean_packet_bytes: u32) -> Option<KnownWarning> {
    let longest = |queue: &queue::Config| {
        let queue::Config::Pie(pie) = queue else { return None };
        let limit_bytes = match pie.limit {
            QueueSize::Packets(pkts) => pkts * f64::from(mean_packet_bytes),
            QueueSize::Bytes(bytes) => bytes as f64,
        };
        let third_s = 8.0 * limit_bytes / 3.0 / link.queue.passes(link.rate, link.rate).as_bps_f64();
        let meant_s = pie.max_burst.max(pie.target).as_secs_f64();
        (pie.enhanced && third_s > meant_s).then_some((third_s, meant_s))
    };
    let (third_s, meant_s) = link.queue.all().into_iter().filter_map(longest).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let name = &link.name;
    let message = format!(
        "PIE in the queue of link {name} rests until a third of its limit waits (RFC 8033, section 5.3), which takes \
         {third_s:.3} s to send, and does nothing about delays below that; a burst may last {meant_s} s; set a smaller \
         limit, or enhanced = false"
    );
    let warning = Warning { kind: "pie-rests", subject: name.clone(), value: third_s, message };
    Some(KnownWarning { path: format!("links.{name}.queue.limit"), warning })
}

/// CoDel takes a queue for a standing one after an interval, which senders need to answer.
fn intervals(network: &Network) -> Vec<KnownWarning> {
    let intervals: Vec<Option<Duration>> = network.links.iter().map(|link| interval(&link.queue)).collect();
    if intervals.iter().all(Option::is_none) {
        return Vec::new();
    }
    let of_link = |((link, interval), crossing): ((&DirectedLink, &Option<Duration>), _)| {
        let (interval, longest) = ((*interval)?, Option::<crate::base_rtt::Crossing>::map(crossing, |it| it.longest)?);
        if longest <= interval {
            return None;
        }
        let name = &link.name;
        let message = format!(
            "the queue of link {name} drops after {interval} above its target, but senders over it hear of that after \
             {longest} at the soonest: it drops more than they need, and the link stays empty for it; set interval to \
             the longest usual round-trip time (RFC 8289, section 4.2)"
        );
        let value = longest.as_secs_f64();
        let warning = Warning { kind: "codel-interval", subject: name.clone(), value, message };
        Some(KnownWarning { path: format!("links.{name}.queue.interval"), warning })
    };
    network.links.iter().zip(&intervals).zip(crossings(network)).filter_map(of_link).collect()
}

/// Under fair queueing a session of several groups has as many shares.
fn layers(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let is_by_address = |queue: &&queue::Config| matches!(queue, queue::Config::FqCoDel(fq) if fq.by == By::Address);
    if !network.links.iter().any(|link| link.queue.all().iter().any(is_by_address)) {
        return Vec::new();
    }
    let mut crossing: Vec<Vec<&str>> = vec![Vec::new(); network.links.len()];
    for session in network.sessions.iter().filter(|session| session.plan.groups > 1) {
        for link in ways.of_session(session) {
            if network.links[link.index()].queue.along(session.dscp).iter().any(is_by_address) {
                crossing[link.index()].push(&session.name);
            }
        }
    }
    let of_link = |(link, sessions): (&DirectedLink, &Vec<&str>)| {
        if sessions.is_empty() {
            return None;
        }
        let name = &link.name;
        let message = format!(
            "the queue of link {name} takes each group of session {} for a flow of its own: a session gets as many \
             shares as it has groups with packets; set by = \"session\" to give it one",
            named(sessions)
        );
        let value = sessions.len() as f64;
        let warning = Warning { kind: "layers-as-flows", subject: name.clone(), value, message };
        Some(KnownWarning { path: format!("links.{name}.queue.by"), warning })
    };
    network.links.iter().zip(&crossing).filter_map(of_link).collect()
}

/// The interval of a queue under CoDel.
fn interval(queue: &queue::Config) -> Option<Duration> {
    let of_one = |one: &queue::Config| match one {
        queue::Config::CoDel(codel) => Some(codel.interval),
        queue::Config::FqCoDel(fq) => Some(fq.interval),
        _ => None,
    };
    queue.all().into_iter().filter_map(of_one).min()
}
