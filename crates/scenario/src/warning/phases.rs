//! Phase effects: whose packets find room in a full queue may follow from how round trips and the time of a packet fit
//! together, and not from how senders answer congestion.
//!
//! Greedy TCP sends when an ACK comes, and ACKs come as packets leave the bottleneck. So each packet meets a drop-tail
//! queue at the same moment of its round, and the same sender loses again and again, or never: the phase effects of
//! Floyd and Jacobson (1992). A random time of up to a packet's at the bottleneck before each packet takes them away.

use super::links::Use;
use super::message::{Warning, named};
use super::ways::Ways;
use crate::network::{Network, NetworkFlow};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::{LinkId, NodeId};

/// Up to so many senders share a link in a way that phases decide on, whatever their round-trip times. A choice: beside
/// TCPs with round-trip times from 46 to 106 ms that have `send_jitter` TFMCC gets 1.53 times what it gets beside the
/// same without if they are four, 1.17 times if eight, 1.07 and 1.10 if 16 and 32. With equal round-trip times it is
/// 2.2, 1.7 and 1.7 times beside 8, 16 and 32.
const FEW: usize = 8;
/// A link that carries less is nobody's bottleneck, though a burst may have filled its queue. A choice: one TCP without
/// any queue fills three quarters of a link.
const USED_FROM: f64 = 0.5;
/// The part of a packet's time that is enough: a scenario may have left out headers.
const ENOUGH: f64 = 0.9;

/// Links on which phases may have decided, and of which the ways are known.
pub(super) fn effects<'a>(network: &'a Network, ways: &'a Ways<'a>, uses: &'a [Use]) -> Vec<Warning> {
    if network.reroutes() || uses.is_empty() {
        return Vec::new();
    }
    // By link: how many send over it, and which of them are greedy.
    let mut crossing: Vec<(usize, Vec<&NetworkFlow>)> = vec![Default::default(); network.links.len()];
    for flow in &network.flows {
        for link in ways.of_flow(flow) {
            let (senders, greedy) = &mut crossing[link.index()];
            *senders += 1;
            greedy.extend(flow.is_greedy().then_some(flow));
        }
    }
    for session in &network.sessions {
        ways.of_session(session).into_iter().for_each(|link| crossing[link.index()].0 += 1);
    }
    let links = (0..).map(LinkId).zip(&crossing).zip(uses);
    links.filter_map(|((link, (senders, greedy)), used)| effect(ways, link, used, *senders, greedy)).collect()
}

fn effect(ways: &Ways<'_>, id: LinkId, used: &Use, senders: usize, greedy: &[&NetworkFlow]) -> Option<Warning> {
    let link = ways.link(id);
    // Where errors take more than the queue they are as good as a random time.
    let is_drop_tail = link.queue.is_drop_tail() && used.overflow > used.lost;
    if senders < 2 || !is_drop_tail || used.utilisation < USED_FROM {
        return None;
    }
    let packet =
        |flow: &NetworkFlow| packet_time(flow.kind.packet_bytes() + u64::from(link.header), link.rate_at_start());
    let in_phase: Vec<&NetworkFlow> =
        greedy.iter().copied().filter(|flow| flow.kind.send_jitter() < packet(flow).mul_f64(ENOUGH)).collect();
    let first = in_phase.first()?;
    if senders > FEW {
        let round_trips = in_phase.iter().map(|flow| ways.round_trip(flow));
        let (least, most) = (round_trips.clone().min()?, round_trips.max()?);
        if in_phase.len() == 1 || most > least + packet(first) {
            return None;
        }
    }
    let names: Vec<String> = in_phase.iter().map(|flow| format!("flow {}", flow.name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = format!(
        "who loses packets at the drop-tail queue of link {} may follow from the phases of packets, and not from how \
         its {senders} senders answer congestion, as {} {} as ACKs come: shares of this link mean little; with \
         send_jitter = \"{}\", the time of a packet there, they do; or take another queue",
        link.name,
        named(&names),
        if in_phase.len() == 1 { "sends" } else { "send" },
        shown(packet(first)),
    );
    Some(Warning { kind: "phase-effects", subject: link.name.clone(), value: in_phase.len() as f64, message })
}

/// How long a packet takes at a rate.
fn packet_time(bytes: u64, rate: Rate) -> Duration {
    Duration::from_secs_f64(8.0 * bytes as f64 / rate.as_bps_f64())
}

/// A time in the unit that fits it, in three digits.
fn shown(time: Duration) -> String {
    let (value, unit) = if time < Duration::from_millis(1) { (1e6, "us") } else { (1e3, "ms") };
    let value = value * time.as_secs_f64();
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

impl Ways<'_> {
    /// The time that a packet of a flow and its ACK are under way in an empty network, transmitters not counted.
    fn round_trip(&self, flow: &NetworkFlow) -> Duration {
        let there = self.of_flow(flow);
        let back = flow.hops_back().flat_map(|(from, to)| self.between(NodeId(from), NodeId(to)));
        let back: Vec<LinkId> = back.collect();
        there.iter().chain(&back).fold(Duration::ZERO, |sum, &link| sum + self.link(link).delay_at_start())
    }
}
