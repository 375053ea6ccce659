//! The receivers that a sender has heard: round-trip times, what they report, what they have.

use faircast_codec::norm::{CcNode, Feedback, Rate, RoundTrip, flag};
use faircast_proto::packet::Address;
use faircast_proto::parts::throughput_equation::throughput_bps;
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeMap;

/// A receiver.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its address for the rate control.
    pub(super) address: Address,
    /// When it was heard last.
    pub heard: Instant,
    /// Its round-trip time as the sender has it, seconds; none before its first feedback.
    pub rtt_s: Option<f64>,
    /// Its loss event rate; 0 as long as it has had no loss.
    pub loss: f64,
    /// What it can take, bit/s: by the equation, or what it has said before its first loss.
    pub rate_bps: f64,
    /// It says that it has its round-trip time.
    knows_rtt: bool,
    /// It has been told it since.
    told_rtt: bool,
    /// It has acknowledged that it has everything.
    pub complete: bool,
    /// The last probe asked it to answer at once, since it may limit soon (PLR).
    is_potential: bool,
    /// When it was asked last whether it has.
    asked: Instant,
}

/// All of them, by their numbers.
#[derive(Debug, Default)]
pub struct Members {
    by_node: BTreeMap<u32, Member>,
    by_address: BTreeMap<Address, u32>,
    next: u32,
}

/// What a feedback says of its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reported {
    pub address: Address,
    pub rate_bps: f64,
    /// The smoothed round-trip time, seconds.
    pub rtt_s: f64,
}

/// How many are known at once, and how long somebody is silent whose place a newcomer may have: choices. A liar can
/// make up no more.
pub const MOST: usize = 10_000;
const FORGOTTEN: Duration = Duration::from_secs(60);
/// A bit of "cc_flags" that libnorm sets and RFC 5740 has not: the rate is twice what is received, since that is less
/// than the equation gives.
const LIMITED: u8 = 0x20;
/// What a loss event rate of less than its code can say is taken for, where there has been a loss.
const LEAST_LOSS: f64 = 1.0 / 65_535.0;
const BITS: f64 = 8.0;

impl Members {
    /// Somebody has been heard. Nothing if there is no room for a newcomer.
    pub(super) fn heard(&mut self, now: Instant, node: u32) -> Option<&mut Member> {
        if !self.by_node.contains_key(&node) {
            if self.by_node.len() >= MOST {
                let silent = self.by_node.iter().find(|(_, member)| now.since(member.heard) >= FORGOTTEN);
                let (node, address) = silent.map(|(node, member)| (*node, member.address))?;
                self.by_node.remove(&node);
                self.by_address.remove(&address);
            }
            let address = Address::endpoint(self.next);
            // Addresses are not given twice: the rate control may remember one.
            self.next = (self.next + 1) % (1 << 30);
            self.by_address.insert(address, node);
            let member = Member {
                address,
                heard: now,
                rtt_s: None,
                loss: 0.0,
                rate_bps: f64::INFINITY,
                knows_rtt: false,
                told_rtt: false,
                complete: false,
                is_potential: false,
                asked: Instant::ZERO,
            };
            self.by_node.insert(node, member);
        }
        let member = self.by_node.get_mut(&node)?;
        member.heard = now;
        Some(member)
    }

    /// Takes a receiver's feedback, which took `sample_s` seconds from the probe on, if it answers one: X anew from its
    /// loss and the round-trip time as the sender has it (section 5.5.2.3). `limits`: it is the one that limits;
    /// `is_short`: there was little to send, so what is received limits nothing.
    pub(super) fn report(
        member: &mut Member,
        feedback: &Feedback,
        sample_s: f64,
        (limits, is_short): (bool, bool),
        packet_bytes: f64,
    ) -> Reported {
        let has = |flag: u8| feedback.flags & flag != 0;
        let rtt_s = match member.rtt_s {
            Some(before_s) if limits || member.is_potential => 0.9 * before_s + 0.1 * sample_s,
            _ if has(flag::RTT) => 0.5 * feedback.rtt.s() + 0.5 * sample_s,
            _ => sample_s,
        };
        let said_bps = BITS * feedback.rate.bytes_per_s();
        member.loss = if has(flag::START) { 0.0 } else { feedback.loss.part().max(LEAST_LOSS) };
        member.rate_bps = if has(flag::START) {
            said_bps
        } else {
            let equation_bps = throughput_bps(packet_bytes, rtt_s, member.loss);
            if has(LIMITED) && !is_short { equation_bps.min(said_bps) } else { equation_bps }
        };
        member.rtt_s = Some(rtt_s);
        member.knows_rtt = has(flag::RTT);
        Reported { address: member.address, rate_bps: member.rate_bps, rtt_s }
    }

    /// The lines of a probe (section 5.5.2.1): first the one that limits, then those that do not know their round-trip
    /// time, most losses first, then the others, lowest rates first. Who asks for less than twice `rate_bps` may limit
    /// soon, and is asked to answer at once; of these there are [`MOST_POTENTIAL`].
    pub(super) fn lines(&mut self, clr: Option<Address>, rate_bps: f64) -> Vec<CcNode> {
        let clr = clr.and_then(|address| self.by_address.get(&address).copied());
        let mut others: Vec<(u32, &Member)> = self
            .by_node
            .iter()
            .filter(|(node, member)| Some(**node) != clr && member.rtt_s.is_some())
            .map(|(node, member)| (*node, member))
            .collect();
        let order = |(_, a): &(u32, &Member), (_, b): &(u32, &Member)| {
            let knows = |member: &Member| member.knows_rtt || member.told_rtt;
            let by_loss = if knows(a) { a.rate_bps.total_cmp(&b.rate_bps) } else { b.loss.total_cmp(&a.loss) };
            knows(a).cmp(&knows(b)).then(by_loss)
        };
        // Few of possibly thousands are wanted.
        if others.len() > MOST_LINES {
            others.select_nth_unstable_by(MOST_LINES, order);
            others.truncate(MOST_LINES);
        }
        others.sort_by(order);
        let mut potential = 0;
        let others = others.into_iter().map(|(node, member)| {
            let is_near = member.rate_bps < 2.0 * rate_bps && potential < MOST_POTENTIAL;
            potential += usize::from(is_near);
            (node, if is_near { flag::PLR } else { 0 })
        });
        let chosen: Vec<(u32, u8)> = clr.map(|node| (node, flag::CLR)).into_iter().chain(others).collect();
        self.by_node.values_mut().for_each(|member| member.is_potential = false);
        let mut lines = Vec::with_capacity(chosen.len());
        for (node, flags) in chosen {
            let Some((member, rtt_s)) = self.by_node.get_mut(&node).and_then(|m| m.rtt_s.map(|rtt_s| (m, rtt_s)))
            else {
                continue;
            };
            member.told_rtt = true;
            member.is_potential = flags & flag::PLR != 0;
            let start = if member.loss == 0.0 { flag::START } else { 0 };
            lines.push(CcNode {
                node,
                flags: flags | start | flag::RTT,
                rtt: RoundTrip::of_s(rtt_s),
                rate: Rate::of_bytes_per_s(member.rate_bps / BITS),
            });
        }
        lines
    }

    /// Receivers that have not said that they have everything, who have been heard since then.
    pub(super) fn incomplete(&self, since: Instant) -> impl Iterator<Item = u32> {
        self.by_node.iter().filter(move |(_, member)| !member.complete && member.heard >= since).map(|(node, _)| *node)
    }

    /// Receivers to be asked now whether they have everything, at most so many: first who has been heard since then,
    /// and of those whom nobody has asked for longest. So those that are gone, or made up, keep nobody from being
    /// asked.
    pub(super) fn next_asked(&mut self, now: Instant, since: Instant, most: usize) -> Vec<u32> {
        let mut wanted: Vec<(u32, &mut Member)> =
            self.by_node.iter_mut().filter(|(_, member)| !member.complete).map(|(node, of)| (*node, of)).collect();
        wanted.sort_by_key(|(node, member)| (member.heard < since, member.asked, *node));
        wanted.truncate(most);
        let ask = |(node, member): (u32, &mut Member)| {
            member.asked = now;
            node
        };
        wanted.into_iter().map(ask).collect()
    }

    /// Everybody, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Member)> {
        self.by_node.iter().map(|(node, member)| (*node, member))
    }

    /// Who has this address.
    pub(super) fn node(&self, address: Address) -> Option<(u32, &Member)> {
        let node = self.by_address.get(&address)?;
        Some((*node, self.by_node.get(node)?))
    }

    /// How many have everything.
    pub fn complete(&self) -> usize {
        self.by_node.values().filter(|member| member.complete).count()
    }

    /// Whether nobody has been heard.
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty()
    }
}

/// Lines of a probe beside that of who limits: a choice, 64 B. libnorm has 4.
const MOST_LINES: usize = 8;
/// How many of them are asked to answer at once: as many as libnorm lists.
const MOST_POTENTIAL: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_codec::norm::Loss;

    const PACKET: f64 = 1000.0;

    fn feedback(flags: u8, rtt_s: f64, loss: f64, bps: f64) -> Feedback {
        let (rtt, loss, rate) = (RoundTrip::of_s(rtt_s), Loss::of(loss), Rate::of_bytes_per_s(bps / BITS));
        Feedback { cc_sequence: 1, flags, rtt, loss, rate }
    }

    #[test]
    fn the_rate_follows_from_the_loss_and_the_round_trip_time_of_the_sender() {
        let mut members = Members::default();
        let member = members.heard(Instant(1), 7).expect("room");
        let mut report = |flags, rtt_s, loss, bps, sample_s, limits| {
            Members::report(member, &feedback(flags, rtt_s, loss, bps), sample_s, (limits, false), PACKET)
        };
        let first = report(flag::START, 0.0, 0.0, 5e5, 0.1, false);
        assert_eq!(first.rtt_s, 0.1);
        assert!((first.rate_bps / 5e5 - 1.0).abs() < 0.001);
        // What it says of its rate does not count after a loss.
        let lossy = report(flag::RTT, 0.2, 0.01, 7.0, 0.1, false);
        assert!((lossy.rtt_s - (0.1 + RoundTrip::of_s(0.2).s() / 2.0 - 0.05)).abs() < 1e-9);
        let expected = throughput_bps(PACKET, lossy.rtt_s, Loss::of(0.01).part());
        assert!((lossy.rate_bps / expected - 1.0).abs() < 1e-9);
        let smooth = report(flag::RTT, 0.2, 0.01, 7.0, 0.5, true);
        assert!((smooth.rtt_s - (0.9 * lossy.rtt_s + 0.05)).abs() < 1e-9);
        let limited = report(LIMITED, 0.0, 0.01, 1e4, 0.1, true);
        assert!((limited.rate_bps / 1e4 - 1.0).abs() < 0.001);
        let short = Members::report(member, &feedback(LIMITED, 0.0, 0.01, 1e4), 0.1, (true, true), PACKET);
        assert!(short.rate_bps > 1e5, "there was nothing to be received");
        let mut report = |flags, rtt_s, loss, bps, sample_s, limits| {
            Members::report(member, &feedback(flags, rtt_s, loss, bps), sample_s, (limits, false), PACKET)
        };
        assert!(report(0, 0.0, 0.0, 0.0, 0.1, true).rate_bps.is_finite(), "a loss that rounds to none");
    }

    #[test]
    fn a_probe_names_who_limits_first_then_who_does_not_know_its_round_trip_time() {
        let mut members = Members::default();
        for node in 1..=20 {
            let flags = if node % 2 == 0 { flag::RTT } else { 0 };
            let member = members.heard(Instant(1), node).expect("room");
            Members::report(member, &feedback(flags, 0.1, 0.001 * f64::from(node), 0.0), 0.1, (false, false), PACKET);
        }
        let clr = members.by_node[&12].address;
        let nodes = |lines: Vec<CcNode>| lines.iter().map(|line| line.node).collect::<Vec<_>>();
        let lines = members.lines(Some(clr), 0.0);
        assert!(lines.iter().all(|line| line.flags & (flag::RTT | flag::PLR) == flag::RTT));
        assert_eq!(lines[0].flags & flag::CLR, flag::CLR);
        assert_eq!(nodes(lines), [12, 19, 17, 15, 13, 11, 9, 7, 5]);
        // Those know it now.
        let lines = members.lines(Some(clr), 1e12);
        // Who may limit is smoothed as who does.
        for (node, expected) in [(3, 0.9 * 0.1 + 0.1 * 0.5), (18, 0.5 * RoundTrip::of_s(0.2).s() + 0.5 * 0.5)] {
            let member = members.by_node.get_mut(&node).expect("it is there");
            let said = feedback(flag::RTT, 0.2, 0.0005, 0.0);
            let reported = Members::report(member, &said, 0.5, (false, false), PACKET);
            assert!((reported.rtt_s - expected).abs() < 1e-9, "{node}: {}", reported.rtt_s);
        }
        let potential = lines.iter().filter(|line| line.flags & flag::PLR != 0).count();
        assert_eq!(potential, MOST_POTENTIAL);
        assert_eq!(nodes(lines), [12, 3, 1, 20, 19, 18, 17, 16, 15]);
    }

    #[test]
    fn who_was_heard_of_late_is_asked_first_and_all_in_turn() {
        let mut members = Members::default();
        for node in 1..=6 {
            members.heard(Instant(u64::from(node)), node).expect("room");
        }
        members.heard(Instant(5), 4).expect("room").complete = true;
        let mut ask = |now| members.next_asked(Instant(now), Instant(5), 2);
        assert_eq!((ask(10), ask(11)), (vec![5, 6], vec![5, 6]), "the others are silent");
        let mut ask = |now| members.next_asked(Instant(now), Instant(0), 2);
        assert_eq!([ask(12), ask(13), ask(14)], [vec![1, 2], vec![3, 5], vec![6, 1]]);
    }

    #[test]
    fn a_flood_of_names_takes_no_more_than_there_is_room_for() {
        let mut members = Members::default();
        let all = MOST as u32;
        assert!((0..all).all(|node| members.heard(Instant(1), node).is_some()));
        assert!(members.heard(Instant(2), all).is_none());
        let later = Instant(1) + FORGOTTEN;
        members.heard(later, 0);
        assert!(members.heard(later, all).is_some() && members.by_node.contains_key(&0));
        assert_eq!((members.by_node.len(), members.by_address.len()), (MOST, MOST));
    }
}
