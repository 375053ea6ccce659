//! Queues that mark, and traffic that does not all hear the same of it. Known before a run.
//!
//! Only what answers congestion is looked at: constant rates are compared with nothing. What guests make of marks is
//! not known, so they are left out, too.

use super::message::{KnownWarning, Warning, named};
use super::ways::Ways;
use crate::network::{DirectedLink, Network, NetworkFlow};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::codepoint::Codepoint;
use faircast_proto::tcp::EcnMode;
use faircast_sim::ids::LinkId;
use faircast_sim::queue;

/// What traffic, or a queue, knows of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    Not,
    /// The one level of RFC 3168.
    Ecn,
    /// Two levels [Durresi].
    Mecn,
    /// That of RFC 3168, and ECT(1) apart from it (RFC 9332).
    Dual,
}

/// What is worth a warning about queues that mark.
pub(super) fn known(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let marks = |link: &DirectedLink| link.queue.all().into_iter().any(|queue| of_one(queue) != Marks::Not);
    if !network.links.iter().any(marks) {
        return Vec::new();
    }
    let mut crossing: Vec<Vec<Crossing>> = vec![Vec::new(); network.links.len()];
    let mut cross = |whose: String, marks: Marks, dscp: u8, links: Vec<LinkId>| {
        for link in links {
            crossing[link.index()].push(Crossing { whose: whose.clone(), marks, dscp });
        }
    };
    for flow in network.flows.iter().filter(|flow| flow.kind.is_controlled()) {
        if let Some(marks) = of_flow(&flow.kind) {
            cross(format!("flow {}", flow.name), marks, flow.dscp, ways.of_flow(flow));
        }
    }
    for session in network.sessions.iter().filter(|session| session.config.is_controlled()) {
        if let Some(marks) = of_session(&session.config) {
            cross(format!("session {}", session.name), marks, session.dscp, ways.of_session(session));
        }
    }
    let of_link = |(link, crossing): (&DirectedLink, &Vec<Crossing>)| -> Vec<KnownWarning> {
        let marking = link.queue.all().into_iter().filter(|queue| of_one(queue) != Marks::Not);
        marking.flat_map(|queue| of_queue(link, queue, &with_marks_of(queue, link, crossing))).collect()
    };
    let mut found: Vec<KnownWarning> = network.links.iter().zip(&crossing).flat_map(of_link).collect();
    found.extend(strangers(network, ways));
    found
}

/// Traffic that crosses a link, and what it knows of marks.
#[derive(Clone, Debug)]
struct Crossing {
    whose: String,
    marks: Marks,
    dscp: u8,
}

/// Those that are marked by this queue, one of the link's: of the queues that a packet goes through the first that
/// marks counts.
fn with_marks_of<'a>(queue: &queue::Config, link: &DirectedLink, crossing: &'a [Crossing]) -> Vec<&'a Crossing> {
    let is_its = |one: &&Crossing| first_marking(&link.queue, one.dscp).is_some_and(|it| std::ptr::eq(it, queue));
    crossing.iter().filter(is_its).collect()
}

/// Of the queues that packets of a DSCP go through the first that marks.
fn first_marking(queue: &queue::Config, dscp: u8) -> Option<&queue::Config> {
    queue.along(dscp).into_iter().find(|queue| of_one(queue) != Marks::Not)
}

/// ECT(1) promises that each mark is answered a little; a queue that does not know it marks as if it was answered by
/// half of the rate.
fn strangers(network: &Network, ways: &Ways) -> Vec<KnownWarning> {
    let mut crossing: Vec<Vec<&NetworkFlow>> = vec![Vec::new(); network.links.len()];
    for flow in network.flows.iter().filter(|flow| is_scalable(&flow.kind)) {
        ways.of_flow(flow).into_iter().for_each(|link| crossing[link.index()].push(flow));
    }
    let of_link = |(link, flows): (&DirectedLink, &Vec<&NetworkFlow>)| {
        let is_strange = |flow: &&&NetworkFlow| {
            let knows = has_threshold(&link.queue.along(flow.dscp));
            first_marking(&link.queue, flow.dscp).is_some_and(|marking| of_one(marking) != Marks::Dual && !knows)
        };
        let flows: Vec<&str> = flows.iter().filter(is_strange).map(|flow| flow.name.as_str()).collect();
        if flows.is_empty() {
            return None;
        }
        let name = &link.name;
        let message = format!(
            "the queue of link {name} takes ECT(1) for ECT(0): what it says to {} by a mark is meant for senders that \
             halve their rate, and their packets wait among all others; give that link a queue of kind \"dualpi2\", \
             or one with a ce_threshold",
            named(&flows)
        );
        let warning = Warning { kind: "ect1-unknown", subject: name.clone(), value: flows.len() as f64, message };
        Some(KnownWarning { path: format!("links.{name}.queue"), warning })
    };
    network.links.iter().zip(&crossing).filter_map(of_link).collect()
}

fn is_scalable(kind: &FlowConfig) -> bool {
    match kind {
        FlowConfig::Cbr(cbr) => cbr.ecn == Codepoint::Ect1,
        FlowConfig::OnOff(on_off) => on_off.ecn == Codepoint::Ect1,
        _ => false,
    }
}

/// Whether one of these queues has marks for those who answer each a little (RFC 8290, section 5.2.7).
fn has_threshold(queues: &[&queue::Config]) -> bool {
    queues.iter().any(|one| match one {
        queue::Config::CoDel(codel) => codel.ce_threshold.is_some(),
        queue::Config::FqCoDel(fq) => fq.ce_threshold.is_some(),
        _ => false,
    })
}

/// About a queue of a link, and those that it marks.
fn of_queue(link: &DirectedLink, queue: &queue::Config, crossing: &[&Crossing]) -> Vec<KnownWarning> {
    let those = |which: &[Marks]| -> Vec<&str> {
        crossing.iter().filter(|one| which.contains(&one.marks)).map(|one| one.whose.as_str()).collect()
    };
    let queue = of_one(queue);
    let name = &link.name;
    let mut found = Vec::new();
    let mut warn = |kind, about: usize, message: String| {
        let warning = Warning { kind, subject: name.clone(), value: about as f64, message };
        found.push(KnownWarning { path: format!("links.{name}.queue"), warning });
    };
    let (deaf, able) = (those(&[Marks::Not]), those(&[Marks::Ecn, Marks::Mecn]));
    if !deaf.is_empty() && !able.is_empty() {
        let message = format!(
            "the queue of link {name} marks the packets of {}, and drops those of {}, which do not use marks: what \
             slows one down costs the other packets, so their shares do not compare their congestion control alone; \
             set ecn for all of them, or for none",
            named(&able),
            named(&deaf)
        );
        warn("ecn-mixed", deaf.len(), message);
    }
    let multilevel = those(&[Marks::Mecn]);
    if matches!(queue, Marks::Ecn | Marks::Dual) && !multilevel.is_empty() {
        let message = format!(
            "{} would answer two levels of marks (ecn = \"mecn\"), but the queue of link {name} knows the one level \
             of plain ECN: each of its marks counts as moderate congestion, and incipient congestion is never told; \
             give that link a queue of kind \"mecn\", or set ecn = \"ecn\"",
            named(&multilevel)
        );
        warn("mecn-on-ecn", multilevel.len(), message);
    }
    let plain = those(&[Marks::Ecn]);
    if queue == Marks::Mecn && !plain.is_empty() {
        let message = format!(
            "the queue of link {name} marks two levels of congestion, of which {} know one: plain TCP with ECN passes \
             over marks of incipient congestion, and multicast schemes take them for losses; set ecn = \"mecn\" for \
             TCP, or give that link a queue of kind \"red\" with ecn = true",
            named(&plain)
        );
        warn("ecn-on-mecn", plain.len(), message);
    }
    found
}

fn of_one(queue: &queue::Config) -> Marks {
    match queue {
        queue::Config::Red(red) if red.ecn => Marks::Ecn,
        queue::Config::Mecn(_) => Marks::Mecn,
        queue::Config::DualPi2(_) => Marks::Dual,
        queue::Config::CoDel(codel) if codel.ecn || codel.ce_threshold.is_some() => Marks::Ecn,
        queue::Config::FqCoDel(fq) if fq.ecn || fq.ce_threshold.is_some() => Marks::Ecn,
        queue::Config::Policer(policer) if policer.action == queue::policer::Action::Mark => Marks::Ecn,
        queue::Config::Pie(pie) if pie.ecn && pie.mark_ecnth > 0.0 => Marks::Ecn,
        _ => Marks::Not,
    }
}

fn of_flow(kind: &FlowConfig) -> Option<Marks> {
    match kind {
        FlowConfig::Tcp(tcp) => Some(match tcp.ecn {
            EcnMode::Off => Marks::Not,
            EcnMode::Ecn => Marks::Ecn,
            EcnMode::Mecn => Marks::Mecn,
        }),
        _ => Some(Marks::Not),
    }
}

fn of_session(config: &SchemeConfig) -> Option<Marks> {
    let marks = |ecn: bool| if ecn { Marks::Ecn } else { Marks::Not };
    match config {
        SchemeConfig::Tfmcc(tfmcc) => Some(marks(tfmcc.ecn)),
        SchemeConfig::Omcc(omcc) => Some(marks(omcc.tfmcc.ecn)),
        SchemeConfig::Smcc(smcc) => Some(marks(smcc.tfmcc.ecn)),
        SchemeConfig::Pgmcc(pgmcc) => Some(marks(pgmcc.ecn)),
        SchemeConfig::Rlm(rlm) => Some(marks(rlm.ecn)),
        SchemeConfig::Mlda(mlda) => Some(marks(mlda.ecn)),
        SchemeConfig::LayerBlocking(blocking) => Some(marks(blocking.ecn)),
        SchemeConfig::Guest(_) => None,
        _ => Some(Marks::Not),
    }
}
