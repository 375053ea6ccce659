//! The periods of a run in which nothing changes of which links carry what, at which rates, and who is present: an
//! optimum beside the run is the mean over them.
//!
//! All of that follows from the scenario alone, but for transfers, whose ends the run decides. Routes are those that
//! the simulator computes at the same times. What starts or joins after a random time is taken as present from the
//! middle of that time on.

use crate::network::{DirectedLink, Network, NetworkChange, NetworkSession, Symbols, What};
use crate::paths::{Paths, paths};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::acm::track::Track;
use faircast_sim::change::Slope;
use std::borrow::Cow;
use std::sync::Arc;

/// The most periods that are told apart.
pub const PERIODS_MAX: usize = 2000;
/// The most flows and receivers of all periods together.
pub const PRESENT_MAX: usize = 1_000_000;

/// The measured time of a run, after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Periods, each with other paths or rates; those with the same are one.
    pub periods: Vec<Period>,
    /// Of every receiver that is no member all the time, its name and the part of the time in which it is one.
    pub members: Vec<(String, f64)>,
}

/// A period in which nothing changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// Which part of the measured time it is.
    pub part: f64,
    /// All links, and the flows and sessions that are present, with the receivers that are members and can be reached.
    pub paths: Paths,
}

/// Why a run has no periods that are known before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undivided {
    /// These flows, by index, end when they have sent all that they have.
    Transfers(Vec<usize>),
    /// It rains on this leg, at random.
    Rain(String),
    /// There are more changes than so many.
    Changes(usize),
}

/// The periods of a network's measured time, by the order in which they begin.
pub fn measured(network: &Network) -> Result<Measured, Undivided> {
    let times = times(network)?;
    let (begin, end) = measured_time(network);
    let part = |from: Instant, until: Instant| until.since(from).as_secs_f64() / end.since(begin).as_secs_f64();
    let plain = plain(network);
    let mut periods: Vec<Period> = Vec::new();
    for (&at, until) in times.iter().zip(times.iter().skip(1).copied().chain([end])) {
        let mut paths = paths_at(network, &plain, at);
        // Most periods differ in ways only, and of a constellation there are thousands of links.
        if let Some(last) = periods.last().filter(|last| last.paths.links == paths.links) {
            paths.links = Arc::clone(&last.paths.links);
        }
        match periods.iter_mut().find(|known| known.paths == paths) {
            Some(known) => known.part += part(at, until),
            None => periods.push(Period { part: part(at, until), paths }),
        }
    }
    let receivers = network.sessions.iter().flat_map(|session| &session.receivers);
    let members = receivers.map(|receiver| {
        let joins = mean(receiver.join, receiver.join_jitter).max(begin);
        (receiver.name.clone(), part(joins, receiver.leaves().min(end)))
    });
    Ok(Measured { periods, members: members.filter(|(_, part)| *part < 1.0).collect() })
}

/// Why there are no periods; nothing if there are.
pub fn undivided(network: &Network) -> Option<Undivided> {
    times(network).err()
}

/// From the end of the warm-up to that of the run.
fn measured_time(network: &Network) -> (Instant, Instant) {
    let end = Instant::ZERO + network.duration;
    (network.probes.warmup.min(end), end)
}

/// The times at which periods may begin, the first of them when the warm-up ends.
fn times(network: &Network) -> Result<Vec<Instant>, Undivided> {
    let of_flows = network.flows.iter().map(|flow| flow.transfer_bytes().is_some());
    let ends = of_flows.chain(network.sessions.iter().map(|session| session.is_transfer()));
    let transfers: Vec<usize> = (0..).zip(ends).filter(|(_, ends)| *ends).map(|(index, _)| index).collect();
    if !transfers.is_empty() {
        return Err(Undivided::Transfers(transfers));
    }
    let rains = |link: &&DirectedLink| link.symbols.as_ref().is_some_and(Symbols::has_rain);
    if let Some(leg) = network.links.iter().find(rains) {
        return Err(Undivided::Rain(leg.name.clone()));
    }
    let (begin, end) = measured_time(network);
    let stay = |start, jitter, stop: Option<Duration>| {
        [mean(start, jitter), stop.map_or(end, |stop| Instant::ZERO + stop)].into_iter()
    };
    let of_flows = network.flows.iter().flat_map(|flow| stay(flow.start, flow.start_jitter, flow.stop));
    let of_sessions = network.sessions.iter().flat_map(|session| {
        let of_members = session.receivers.iter().flat_map(|one| stay(one.join, one.join_jitter, one.leave));
        stay(session.start, session.start_jitter, session.stop).chain(of_members)
    });
    let of_links = network.links.iter().flat_map(|link| {
        let counts = |change: &NetworkChange| change.is_of_routes() || matches!(change.what, What::Rate(_));
        // More of them are too many anyway.
        let traced = link.trace.as_ref().filter(|trace| trace.divides()).into_iter();
        let traced = traced.flat_map(|trace| trace.changes_until(network.duration)).filter(counts);
        let changes = link.changes.iter().filter(move |change| counts(change)).map(|change| change.at);
        let of_trace = traced.map(|change| change.at).take(PERIODS_MAX + 1);
        let of_signal = link.symbols.iter().flat_map(Symbols::changes);
        changes.chain(of_trace).map(|at| Instant::ZERO + at).chain(of_signal)
    });
    let interval = network.reroute_interval.filter(|interval| *interval > Duration::ZERO);
    let regular = interval.into_iter().flat_map(|interval| {
        let first = begin.since(Instant::ZERO).0 / interval.0 + 1;
        let times = (first..).map(move |number| Instant::ZERO + Duration(number.saturating_mul(interval.0)));
        times.take_while(|at| *at < end).take(PERIODS_MAX + 1)
    });
    let others = of_flows.chain(of_sessions).chain(of_links).chain(regular).filter(|at| begin < *at && *at < end);
    let mut times: Vec<Instant> = [begin].into_iter().chain(others).collect();
    times.sort_unstable();
    times.dedup();
    let present = network.flows.len() + network.sessions.iter().map(|session| session.receivers.len()).sum::<usize>();
    let most = PERIODS_MAX.min((PRESENT_MAX / present.max(1)).max(1));
    if times.len() > most { Err(Undivided::Changes(most - 1)) } else { Ok(times) }
}

/// The changes of a link up to a moment by which periods may differ: recordings that change nothing but delays and
/// losses are left aside.
fn past(link: &DirectedLink, until: Instant) -> Cow<'_, [NetworkChange]> {
    let until = until.since(Instant::ZERO);
    match link.trace.as_ref().filter(|trace| trace.divides()) {
        Some(trace) => trace.changes_until(until).collect(),
        None => link.changes[..link.changes.partition_point(|change| change.at <= until)].into(),
    }
}

/// When something begins that does so after a random time of at most `jitter`: in the mean.
fn mean(start: Duration, jitter: Duration) -> Instant {
    Instant::ZERO + start + jitter.mul_f64(0.5)
}

/// The network without changes, flows and sessions.
fn plain(network: &Network) -> Network {
    Network {
        duration: network.duration,
        seed: network.seed,
        nodes: network.nodes.clone(),
        links: Vec::new(),
        returns: Vec::new(),
        flows: Vec::new(),
        flow_groups: Vec::new(),
        web: Vec::new(),
        sessions: Vec::new(),
        handoffs: Vec::new(),
        reroute_interval: None,
        probes: network.probes.clone(),
        calendar: network.calendar,
        clock_offsets: network.clock_offsets,
    }
}

/// The links at a time, and those flows and sessions that are present.
fn paths_at(network: &Network, plain: &Network, at: Instant) -> Paths {
    let routed = routed(network, at);
    let here = |start, jitter, stop: Option<Duration>| {
        mean(start, jitter) <= at && stop.is_none_or(|stop| at < Instant::ZERO + stop)
    };
    let flows = network.flows.iter().filter(|flow| here(flow.start, flow.start_jitter, flow.stop));
    let sessions = network.sessions.iter().filter(|one| here(one.start, one.start_jitter, one.stop));
    let members = |session: &NetworkSession| {
        let own = session.receivers.iter().filter(|one| here(one.join, one.join_jitter, one.leave));
        NetworkSession { receivers: own.cloned().collect(), ..session.clone() }
    };
    let now = Network {
        nodes: plain.nodes.clone(),
        links: network.links.iter().map(|link| link_at(link, at, routed)).collect(),
        returns: network.returns.clone(),
        flows: flows.cloned().collect(),
        sessions: sessions.map(members).collect(),
        probes: plain.probes.clone(),
        flow_groups: Vec::new(),
        web: Vec::new(),
        handoffs: Vec::new(),
        ..*plain
    };
    let mut found = paths(&now);
    // Nobody gets anything over a link that is down, nor where no way is; at the source itself no way is needed.
    let at_source = now.sessions.iter().flat_map(|session| {
        session.receivers.iter().filter(|one| one.node == session.source).map(|one| one.name.as_str())
    });
    let at_source: std::collections::BTreeSet<&str> = at_source.collect();
    for demand in &mut found.demands {
        let reached = |(name, links): &(String, Vec<u32>)| {
            let whole = !links.is_empty() || at_source.contains(name.as_str());
            whole && links.iter().all(|&link| !now.links[link as usize].begins_down())
        };
        let mut efficiencies = demand.receivers.iter().map(reached).collect::<Vec<bool>>().into_iter();
        demand.efficiencies.retain(|_| efficiencies.next().unwrap_or_default());
        demand.receivers.retain(reached);
    }
    found.demands.retain(|demand| !demand.receivers.is_empty());
    found
}

/// When routes were computed last.
fn routed(network: &Network, at: Instant) -> Instant {
    let of_link = |link: &DirectedLink| {
        let past = past(link, at);
        past.iter().rev().find(|change| change.is_of_routes()).map(|change| Instant::ZERO + change.at)
    };
    let regular = network.reroute_interval.filter(|interval| *interval > Duration::ZERO);
    let regular = regular.map(|interval| Instant::ZERO + Duration(at.since(Instant::ZERO).0 / interval.0 * interval.0));
    network.links.iter().filter_map(of_link).chain(regular).max().unwrap_or(Instant::ZERO)
}

/// A link as it is at a time, with the delay that it had when routes were computed; if it is down it begins so.
fn link_at(link: &DirectedLink, at: Instant, routed: Instant) -> DirectedLink {
    let past = past(link, at);
    let before =
        |until: Instant| past[..past.partition_point(|change| Instant::ZERO + change.at <= until)].iter().rev();
    let rate = before(at).find_map(|change| if let What::Rate(rate) = change.what { Some(rate) } else { None });
    let to = before(at).find_map(|change| if let What::To(to) = change.what { Some(to) } else { None });
    let up = before(at).find_map(|change| if let What::Up(up) = change.what { Some(up) } else { None });
    let delay = before(routed).find_map(|change| match change.what {
        What::Delay(from, slope) => Some(Slope::after(slope, from, routed.since(Instant::ZERO + change.at))),
        _ => None,
    });
    let down = NetworkChange { at: Duration::ZERO, what: What::Up(false) };
    // The rate holds what the queue lets through.
    let rate = link.queue.passes(rate.unwrap_or(link.rate), link.rate);
    DirectedLink {
        name: link.name.clone(),
        to: to.unwrap_or(link.to),
        rate,
        delay: delay.unwrap_or(link.delay),
        queue: Arc::default(),
        symbols: link.symbols.as_ref().map(|symbols| match symbols {
            Symbols::Transmitter(..) => symbols.clone(),
            _ => Symbols::Efficiency(Track::level(symbols.at(at))),
        }),
        loss: link.loss.clone(),
        agent: None,
        changes: if up == Some(false) { vec![down] } else { Vec::new() },
        trace: None,
        ..*link
    }
}
