//! What happens to packets at a link, one by one, for observers that ask for it.

use crate::counters::NoWay;
use crate::ids::{LinkId, NodeId};
use crate::queue::DropReason;
use crate::store::Handle;
use faircast_proto::packet::{Address, Ecn, FlowId, Packet};
use faircast_proto::time::Instant;
use std::collections::VecDeque;
use std::sync::Arc;

/// Of which links the packets are observed, and what of it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketPlan {
    /// The links; of a leg there are its own losses only.
    pub links: Vec<LinkId>,
    /// What happens before this moment is not kept.
    pub from: Instant,
    /// Nor what happens after this one.
    pub until: Instant,
    /// By flow, whether its packets are of interest; `None`: all are.
    pub flows: Option<Arc<[bool]>>,
    /// By [number](PacketAction::index), whether an action is.
    pub actions: [bool; PacketAction::NAMES.len()],
}

/// Something that happened to a packet at a link.
#[derive(Clone, Copy, Debug)]
pub struct PacketRow {
    /// The moment.
    pub at: Instant,
    /// What happened.
    pub action: PacketAction,
    /// The packet to which it happened.
    pub packet: PacketIdentity,
    /// Packets waiting afterwards, without the one in transmission.
    pub waiting_pkts: u32,
    /// The discipline's average in packets, NaN if it keeps none.
    pub average_pkts: f64,
}

/// A packet that was given up on the way.
#[derive(Clone, Copy, Debug)]
pub struct GivenUpRow {
    /// The moment.
    pub at: Instant,
    /// The node on which it happened.
    pub node: NodeId,
    /// Why it was given up.
    pub action: PacketAction,
    /// Which packet.
    pub packet: PacketIdentity,
}

/// What tells a packet from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketIdentity {
    /// Its number as its protocol counts.
    pub number: Option<u64>,
    /// The flow or session that it belongs to.
    pub flow: FlowId,
    /// To whom it is, or to which group.
    pub destination: Address,
    /// Bytes, headers included.
    pub size: u16,
    /// Its congestion bits as it came.
    pub ecn: Ecn,
    /// Whether it carries data, and is no acknowledgement or report.
    pub is_data: bool,
    /// Whether what it carries has been sent before.
    pub is_retransmission: bool,
}

/// What may happen to a packet at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// Entered the queue unchanged.
    Accepted,
    /// Entered with a congestion mark.
    Marked(Ecn),
    /// Dropped.
    Dropped(DropReason),
    /// Left the transmitter.
    Departed,
    /// Had waited and took another way, as the link went down or turned elsewhere.
    Rerouted,
    /// Had waited and was removed, as the link went down or turned elsewhere.
    Discarded,
    /// Left the transmitter, and nobody was there to receive it any more.
    Unreceived,
    /// Was kept from the queue by a router agent.
    HeldBack,
    /// Was destroyed by the loss model at the far end.
    Lost,
    /// Found no way on from a node.
    GivenUp(NoWay),
}

/// What has been kept of a link's packets, and what will have to be known when they depart.
#[derive(Clone, Debug)]
pub(crate) struct PacketLog {
    plan: Arc<PacketPlan>,
    rows: Vec<PacketRow>,
    /// The packets that wait or are in transmission, in their order.
    inside: VecDeque<(Handle, PacketIdentity)>,
}

impl Default for PacketPlan {
    /// No link, and nothing left out.
    fn default() -> PacketPlan {
        PacketPlan {
            links: Vec::new(),
            from: Instant::ZERO,
            until: Instant::FAR_FUTURE,
            flows: None,
            actions: [true; PacketAction::NAMES.len()],
        }
    }
}

impl PacketPlan {
    pub(crate) fn keeps(&self, at: Instant, action: PacketAction, packet: &PacketIdentity) -> bool {
        let of_flow = |flows: &Arc<[bool]>| flows.get(packet.flow.0 as usize).copied().unwrap_or(false);
        self.actions[action.index()]
            && (self.from..=self.until).contains(&at)
            && self.flows.as_ref().is_none_or(of_flow)
    }
}

impl PacketIdentity {
    /// The identity of a packet.
    pub fn of(packet: &Packet) -> PacketIdentity {
        PacketIdentity {
            number: packet.header.number(),
            flow: packet.flow,
            destination: packet.destination,
            size: packet.size,
            ecn: packet.ecn,
            is_data: packet.is_data(),
            is_retransmission: packet.header.is_retransmission(),
        }
    }
}

impl PacketAction {
    /// The names of all, by their [number](Self::index).
    pub const NAMES: [&'static str; 16] = [
        "accepted",
        "marked-incipient",
        "marked-moderate",
        "dropped-overflow",
        "dropped-active",
        "departed",
        "dropped-down",
        "rerouted",
        "discarded",
        "unreceived",
        "held-back",
        "lost",
        "no-route",
        "out-of-hops",
        "off-tree",
        "not-a-source",
    ];

    /// Its number among all.
    pub fn index(self) -> usize {
        match self {
            PacketAction::Accepted => 0,
            PacketAction::Marked(Ecn::Incipient) => 1,
            PacketAction::Marked(_) => 2,
            PacketAction::Dropped(DropReason::Overflow) => 3,
            PacketAction::Dropped(DropReason::Active) => 4,
            PacketAction::Departed => 5,
            PacketAction::Dropped(DropReason::Down) => 6,
            PacketAction::Rerouted => 7,
            PacketAction::Discarded => 8,
            PacketAction::Unreceived => 9,
            PacketAction::HeldBack => 10,
            PacketAction::Lost => 11,
            PacketAction::GivenUp(NoWay::NoRoute) => 12,
            PacketAction::GivenUp(NoWay::OutOfHops) => 13,
            PacketAction::GivenUp(NoWay::OffTree) => 14,
            PacketAction::GivenUp(NoWay::NotASource) => 15,
        }
    }
}

impl PacketLog {
    pub(crate) fn new(plan: Arc<PacketPlan>) -> PacketLog {
        PacketLog { plan, rows: Vec::new(), inside: VecDeque::new() }
    }

    /// Something happens to a packet that is not inside, or enters now.
    pub(crate) fn note(
        &mut self,
        at: Instant,
        action: PacketAction,
        packet: &Packet,
        (waiting_pkts, average_pkts): (u32, f64),
    ) {
        let packet = PacketIdentity::of(packet);
        if self.plan.keeps(at, action, &packet) {
            self.rows.push(PacketRow { at, action, packet, waiting_pkts, average_pkts });
        }
    }

    /// A packet, which looked like this when it came, is inside from now on.
    pub(crate) fn enter(&mut self, handle: Handle, packet: &Packet) {
        self.inside.push_back((handle, PacketIdentity::of(packet)));
    }

    /// A packet is inside no longer, though it has not departed.
    pub(crate) fn leave(&mut self, handle: Handle) {
        if let Some(place) = self.inside.iter().position(|&(known, _)| known == handle) {
            self.inside.remove(place);
        }
    }

    /// A packet inside lies elsewhere from now on.
    pub(crate) fn rename(&mut self, old: Handle, new: Handle) {
        if let Some((handle, _)) = self.inside.iter_mut().find(|(handle, _)| *handle == old) {
            *handle = new;
        }
    }

    /// A packet inside is marked as it leaves the queue.
    pub(crate) fn mark(&mut self, at: Instant, handle: Handle, level: Ecn, (waiting_pkts, average_pkts): (u32, f64)) {
        let Some(&(_, packet)) = self.inside.iter().find(|(known, _)| *known == handle) else { return };
        let action = PacketAction::Marked(level);
        if self.plan.keeps(at, action, &packet) {
            self.rows.push(PacketRow { at, action, packet, waiting_pkts, average_pkts });
        }
    }

    /// A packet inside, the oldest unless the queue decides who leaves, has left the transmitter.
    pub(crate) fn depart(&mut self, at: Instant, handle: Handle, (waiting_pkts, average_pkts): (u32, f64)) {
        let place = self.inside.iter().position(|&(known, _)| known == handle);
        let Some((_, packet)) = place.and_then(|place| self.inside.remove(place)) else {
            debug_assert!(false, "what departs has entered");
            return;
        };
        let action = PacketAction::Departed;
        if self.plan.keeps(at, action, &packet) {
            self.rows.push(PacketRow { at, action, packet, waiting_pkts, average_pkts });
        }
    }

    pub(crate) fn rows(&self) -> &[PacketRow] {
        &self.rows
    }

    pub(crate) fn take_rows(&mut self) -> Vec<PacketRow> {
        std::mem::take(&mut self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use crate::store::Store;
    use faircast_proto::packet::Ecn;

    #[test]
    fn who_departs_is_told_by_where_it_lies_also_when_it_has_moved() {
        let (mut store, mut log) = (Store::default(), PacketLog::new(Arc::default()));
        let packets = [100, 200, 300].map(|size| packet(size, Ecn::Capable));
        let [one, two, three] = packets.map(|packet| store.insert(&packet).packet());
        let elsewhere = store.insert(&packets[0]).packet();
        [one, two, three].into_iter().zip(&packets).for_each(|(handle, packet)| log.enter(handle, packet));
        log.depart(Instant(1), two, (2, f64::NAN));
        log.rename(three, elsewhere);
        log.depart(Instant(2), elsewhere, (1, f64::NAN));
        log.depart(Instant(3), one, (0, f64::NAN));
        assert_eq!(log.rows().iter().map(|row| row.packet.size).collect::<Vec<_>>(), [200, 300, 100]);
    }
}
