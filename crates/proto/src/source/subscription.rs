//! What a receiver of layers holds: the first of them, joined one after the other, and what has come of each.

use super::layered::Header;
use super::seen::Seen;
use crate::endpoint::{Cause, Event, Outbox, Report};
use crate::packet::{self, Address, Packet};
use crate::time::Instant;

/// The layers that a receiver holds.
#[derive(Clone, Debug)]
pub(crate) struct Subscription {
    group: Address,
    level: u32,
    layers: Vec<Layer>,
    counts: Report,
    missed: u64,
}

/// A layer at its receiver.
#[derive(Clone, Debug, Default)]
struct Layer {
    /// When it was joined last.
    added: Option<Instant>,
    /// What has come since then.
    seen: Seen,
    last: Option<Instant>,
}

/// Data of a layer that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Which layer, the base being 0.
    pub(crate) layer: u32,
    /// Its number in the layer.
    pub(crate) sequence: u32,
    /// How many numbers before it have been passed over since the packet before.
    pub(crate) gap: u64,
}

impl Subscription {
    /// Of a session of so many layers, of which `group` is the first.
    pub(crate) fn new(group: Address, layers: usize) -> Subscription {
        let layers = vec![Layer::default(); layers];
        Subscription { group, level: 0, layers, counts: Report::default(), missed: 0 }
    }

    /// How many layers it holds.
    pub(crate) fn level(&self) -> u32 {
        self.level
    }

    /// How many there are.
    pub(crate) fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    /// Joins the next layer, if there is one. Says whether it has.
    pub(crate) fn add(&mut self, now: Instant, cause: Cause, out: &mut Outbox) -> bool {
        let Some(layer) = self.layers.get_mut(self.level as usize) else { return false };
        // What came before it was left says nothing of what is missing.
        *layer = Layer { added: Some(now), ..Layer::default() };
        out.join(group_of(self.group, self.level));
        out.event(Event::layer_added(self.level as u8, cause));
        self.level += 1;
        true
    }

    /// Leaves the highest layer, if it holds any.
    pub(crate) fn drop_top(&mut self, cause: Cause, out: &mut Outbox) {
        if let Some(level) = self.level.checked_sub(1) {
            self.level = level;
            out.leave(group_of(self.group, level));
            out.event(Event::layer_dropped(level as u8, cause));
        }
    }

    /// The layer of a group, if it is held.
    pub(crate) fn layer_of(&self, group: Address) -> Option<u32> {
        (0..self.level).find(|&layer| group_of(self.group, layer) == group)
    }

    /// Leaves this layer and those above.
    pub(crate) fn drop_from(&mut self, layer: u32, cause: Cause, out: &mut Outbox) {
        while self.level > layer {
            self.drop_top(cause, out);
        }
    }

    /// Leaves all layers.
    pub(crate) fn drop_all(&mut self, cause: Cause, out: &mut Outbox) {
        self.drop_from(0, cause, out);
    }

    /// A packet arrived then: counted, and what it says if it is data of a layer that is held.
    pub(crate) fn take(&mut self, arrived: Instant, packet: &Packet) -> Option<Arrival> {
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        let packet::Header::LayeredCbr(Header::Data { layer, sequence }) = packet.header else { return None };
        let rank = u32::from(layer);
        let state = self.layers.get_mut(rank as usize).filter(|_| rank < self.level)?;
        // Counted on beyond where the numbers wrap; the first packet after a join begins anew.
        let highest = state.seen.highest();
        let number = highest.map_or(u64::from(sequence) + (1 << 32), |highest| {
            highest.wrapping_add_signed(i64::from(sequence.wrapping_sub(highest as u32) as i32))
        });
        let gap = highest.map_or(0, |highest| number.saturating_sub(highest.saturating_add(1)));
        state.last = state.last.max(Some(arrived));
        if state.seen.is_new(number) {
            self.counts.distinct_bytes += u64::from(packet.size);
            self.missed += gap;
        }
        Some(Arrival { layer: rank, sequence, gap })
    }

    /// When a layer was joined last.
    pub(crate) fn added(&self, layer: u32) -> Option<Instant> {
        self.layers.get(layer as usize)?.added
    }

    /// When a packet of a layer came last, since it was joined.
    pub(crate) fn last(&self, layer: u32) -> Option<Instant> {
        self.layers.get(layer as usize)?.last
    }

    /// Something was sent.
    pub(crate) fn count_sent(&mut self, bytes: u16) {
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(bytes);
    }

    /// This was not sent, though it was counted.
    pub(crate) fn not_sent(&mut self, packet: &Packet) {
        self.counts.not_sent(packet);
    }

    /// What has been counted.
    pub(crate) fn report(&self) -> Report {
        self.counts
    }

    /// Packets of joined layers whose numbers were passed over, late ones, too.
    pub(crate) fn missed(&self) -> u64 {
        self.missed
    }
}

/// The group of a layer, the first being this.
fn group_of(first: Address, layer: u32) -> Address {
    Address::group(first.index() as u32 + layer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId, INITIAL_TTL};

    /// A packet of 1000 bytes comes: how many numbers have been passed over, if it is of a layer that is held.
    fn comes(subscription: &mut Subscription, layer: u8, sequence: u32) -> Option<u64> {
        let packet = Packet {
            sent: Instant::ZERO,
            flow: FlowId(0),
            source: Address::endpoint(0),
            destination: Address::group(10 + u32::from(layer)),
            size: 1000,
            ttl: INITIAL_TTL,
            ecn: Ecn::Capable,
            header: Header::Data { layer, sequence }.into(),
        };
        let arrival = subscription.take(Instant(7), &packet)?;
        assert_eq!((arrival.layer, arrival.sequence), (u32::from(layer), sequence));
        Some(arrival.gap)
    }

    #[test]
    fn what_is_missing_is_counted_by_layer_from_its_join_on() {
        let mut out = Outbox::default();
        let mut held = Subscription::new(Address::group(10), 2);
        assert_eq!(comes(&mut held, 0, 5), None, "no layer is held");
        held.add(Instant(3), Cause::Time, &mut out);
        assert_eq!((held.added(0), held.last(0), held.added(1)), (Some(Instant(3)), None, None));
        // The first packet, though numbers begin anew after it; a late one; a repeated one.
        let sequences = [u32::MAX - 1, 1, u32::MAX, 1, 3, 2, 4];
        assert_eq!(sequences.map(|sequence| comes(&mut held, 0, sequence)), [0, 2, 0, 0, 1, 0, 0].map(Some));
        assert_eq!((held.last(0), held.missed()), (Some(Instant(7)), 3));
        assert_eq!((held.report().received_bytes, held.report().distinct_bytes), (8000, 6000));
        // Of layers that are not held nothing counts but that it came; nor what was before a layer was left.
        assert_eq!((comes(&mut held, 1, 9), comes(&mut held, 2, 9), held.missed()), (None, None, 3));
        held.drop_top(Cause::Time, &mut out);
        held.drop_top(Cause::Time, &mut out);
        assert_eq!((comes(&mut held, 0, 7), held.level()), (None, 0));
        held.add(Instant(9), Cause::Time, &mut out);
        assert_eq!((held.last(0), comes(&mut held, 0, 90), held.missed()), (None, Some(0), 3));
        assert!(held.add(Instant(9), Cause::Time, &mut out) && !held.add(Instant(9), Cause::Time, &mut out));
    }
}
