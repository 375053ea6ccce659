//! What is counted of links, of packets that come nowhere, and of the groups of sessions.

use faircast_proto::time::Duration;

/// What a link has done since the start of the run, in packets unless said.
///
/// Packets and their bytes do not stand side by side: two plain additions are cheaper than one of both together, which
/// a compiler makes of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LinkCounters {
    /// Came to the queue; of a leg: was sent to it.
    pub arrived: u64,
    /// Came to the far end; of a link with legs: went on to at least one of them, once for all.
    pub delivered: u64,
    /// Left the transmitter.
    pub departed: u64,
    /// Bytes that came to the far end or went on to legs.
    pub delivered_bytes: u64,
    /// Bytes that left the transmitter.
    pub departed_bytes: u64,
    /// Lost on the way by the loss model.
    pub lost: u64,
    /// Dropped because the limit was reached.
    pub dropped_overflow: u64,
    /// Dropped by the discipline although there was room.
    pub dropped_active: u64,
    /// Kept from the queue by a router agent.
    pub held_back: u64,
    /// Raised to incipient congestion.
    pub marked_incipient: u64,
    /// Raised to moderate congestion (the only level of RFC 3168).
    pub marked_moderate: u64,
    /// Dropped because the link was down.
    pub dropped_down: u64,
    /// Took another way while they waited, as the link went down or turned elsewhere.
    pub rerouted: u64,
    /// Removed while they waited, as the link went down or turned elsewhere.
    pub discarded: u64,
    /// Left the transmitter for a far end that was no longer there: they had waited when the link went down or turned
    /// elsewhere. Of a link with legs: no leg heard them.
    pub unreceived: u64,
}

impl LinkCounters {
    /// Packets raised to any level of congestion.
    pub fn marked(&self) -> u64 {
        self.marked_incipient + self.marked_moderate
    }

    /// A number that grows whenever something happens.
    pub(crate) fn events(&self) -> u64 {
        let dropped = self.dropped_overflow + self.dropped_active + self.dropped_down + self.held_back;
        let gone = self.departed + self.delivered + self.lost + self.unreceived + self.rerouted + self.discarded;
        self.arrived + gone + dropped + self.marked()
    }
}

/// Packets of a flow that the network gave up, by reason. What queues drop and wires lose is not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undeliverable {
    /// No way led on: from a node to the destination, or to a group that is no session's. Where a node has one link out
    /// all that is not for itself goes there, so such a packet may as well wander until its hops are used up.
    pub no_route: u64,
    /// The hop limit was used up, [`MAX_HOPS`](crate::routing::MAX_HOPS) links after the sender.
    pub out_of_hops: u64,
    /// A packet to a group came over a link that is not the way down its tree, perhaps not any more: the check of the
    /// reverse path.
    pub off_tree: u64,
    /// A packet to a group came up the tree, and members may not send to that group.
    pub not_a_source: u64,
}

/// Packets of a flow that did not come through, summed over links: data, and what answers it. Of a packet that goes
/// several ways each copy counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowLosses {
    /// Dropped because the limit of a queue was reached.
    pub overflow: u64,
    /// Dropped by a discipline although there was room.
    pub active: u64,
    /// Came to a link that was down, or waited when it went down or turned elsewhere and were removed or sent to
    /// nobody.
    pub down: u64,
    /// Destroyed by a loss model.
    pub lost: u64,
}

/// What a group of a session was used for since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounters {
    /// Packets that the session's source sent to it.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets that others sent to it: members, who may if the group allows it, and router agents.
    pub others_sent: u64,
    /// Their bytes.
    pub others_sent_bytes: u64,
    /// Packets that came to members, all together, those that came twice included.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// How many members are in it.
    pub members: u32,
    /// How long members have been in it, all together.
    pub member_time: Duration,
}

/// How often a receiver has joined and left groups since the start of the run: layers and all others. A message to the
/// next router may name several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MembershipChanges {
    /// Groups that it has joined.
    pub joins: u64,
    /// Groups that it has left.
    pub leaves: u64,
    /// Layers among those that it has joined.
    pub layers_joined: u64,
}

/// Packets without data that an endpoint has sent since the start of the run: reports, acknowledgements, requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounters {
    /// How many packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Messages about who wants which groups of a session, since the start of the run: those that were sent, over one link
/// each, repetitions included. Each has [`CONTROL_BYTES`](crate::multicast::CONTROL_BYTES).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MembershipMessages {
    /// Reports of hosts to their routers: joins and leaves.
    pub of_hosts: u64,
    /// Reports of routers to the next ones towards the source: grafts and prunes.
    pub of_routers: u64,
    /// Acknowledgements of both.
    pub acknowledgements: u64,
}

/// Why the network gives up a packet; what each of them means stands at [`Undeliverable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWay {
    /// No way leads on.
    NoRoute,
    /// The hop limit is used up.
    OutOfHops,
    /// It came over a link that is not the way down its tree.
    OffTree,
    /// It came up the tree, and members may not send to its group.
    NotASource,
}

/// Dilation of a session on a link over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DilationTotals {
    /// Windows in which the source sent something to those behind it.
    pub windows: u64,
    /// The sum of the dilations of these windows.
    pub sum: f64,
    /// The greatest of them.
    pub greatest: f64,
    /// What was demanded in them, bytes.
    pub demanded_bytes: f64,
    /// What the fastest receivers got in them, bytes.
    pub fastest_bytes: f64,
}

impl MessageCounters {
    /// One more packet of so many bytes.
    #[inline]
    pub(crate) fn count(&mut self, bytes: u16) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

impl Undeliverable {
    /// The count for a reason.
    pub(crate) fn of(&mut self, reason: NoWay) -> &mut u64 {
        match reason {
            NoWay::NoRoute => &mut self.no_route,
            NoWay::OutOfHops => &mut self.out_of_hops,
            NoWay::OffTree => &mut self.off_tree,
            NoWay::NotASource => &mut self.not_a_source,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.no_route + self.out_of_hops + self.off_tree + self.not_a_source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_the_sum_of_all_reasons() {
        assert_eq!(Undeliverable { no_route: 1, out_of_hops: 2, off_tree: 4, not_a_source: 8 }.total(), 15);
    }
}
