//! The packets under way. Each lies here once, from its sender to its receivers, and links pass [`Label`]s on. A packet
//! that goes several ways at once is not copied: it has several holders, and its place becomes free when the last lets
//! go.

use crate::counters::FlowLosses;
use faircast_proto::control::Control;
use faircast_proto::packet::{Address, Ecn, Packet};
use faircast_proto::playout::Piece;
use std::collections::BTreeMap;

/// Where a packet lies in the [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(u32);

/// What goes from link to link in a packet's stead. Its owner is a holder of the packet.
///
/// One number, so that it moves as one: the handle in the last 32 bits, the size in the 16 before them, and on top the
/// hops that this holder's copy may still take, as those to a group go down branches of different lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label(u64);

/// Packets by handle; grows as a `Vec` does, never shrinks.
#[derive(Default)]
pub(crate) struct Store {
    packets: Vec<Packet>,
    /// What routers look at, apart from the packets: many of them fit into a cache.
    tags: Vec<Tag>,
    /// Places that are free. The last one left is taken first: it is likely to be in a cache.
    free: Vec<Handle>,
    /// What travels beside packets: of few at a time.
    controls: BTreeMap<u32, Control>,
    /// What packets carry of media that are played, by place; nobody asks for that of others.
    pieces: Vec<Piece>,
    /// What did not come through, by flow; the last is for packets that name no flow.
    losses: Vec<FlowLosses>,
}

#[derive(Clone, Copy)]
struct Tag {
    /// How many hold the packet, 0 = its place is free; and the bit [`BESIDE`] if something travels beside it.
    holders: u32,
    destination: Address,
}

impl Store {
    /// An empty one for the packets of so many flows.
    pub(crate) fn of(flows: usize) -> Store {
        Store { losses: vec![FlowLosses::default(); flows + 1], ..Store::default() }
    }

    /// Counts a packet, or a copy of it, that does not come through.
    #[cold]
    pub(crate) fn count_loss(&mut self, handle: Handle, reason: impl FnOnce(&mut FlowLosses) -> &mut u64) {
        let flow = self.get(handle).flow.0 as usize;
        let nobodys = self.losses.len().saturating_sub(1);
        if let Some(losses) = self.losses.get_mut(flow.min(nobodys)) {
            *reason(losses) += 1;
        }
    }

    /// What did not come through, by flow; the last is for packets that name no flow.
    pub(crate) fn losses(&self) -> &[FlowLosses] {
        &self.losses
    }

    /// Takes a packet in, with one holder.
    #[inline]
    pub(crate) fn insert(&mut self, packet: &Packet) -> Label {
        let tag = Tag { holders: 1, destination: packet.destination };
        let handle = match self.free.pop() {
            Some(handle) => {
                self.packets[handle.index()] = *packet;
                self.tags[handle.index()] = tag;
                handle
            }
            None => self.append(packet, tag),
        };
        Label::new(handle, packet)
    }

    #[cold]
    fn append(&mut self, packet: &Packet, tag: Tag) -> Handle {
        self.packets.push(*packet);
        self.tags.push(tag);
        Handle(self.packets.len() as u32 - 1)
    }

    /// Takes a packet in with what travels beside it.
    #[cold]
    pub(crate) fn insert_with(&mut self, packet: &Packet, control: Control) -> Label {
        let label = self.insert(packet);
        self.tags[label.packet().index()].holders |= BESIDE;
        self.controls.insert(label.packet().0, control);
        label
    }

    /// One holder more.
    #[inline]
    pub(crate) fn share(&mut self, handle: Handle) {
        let holders = &mut self.tags[handle.index()].holders;
        debug_assert!(*holders & !BESIDE > 0, "only what is here can be shared");
        *holders += 1;
    }

    /// One holder less.
    #[inline]
    pub(crate) fn release(&mut self, handle: Handle) {
        let holders = &mut self.tags[handle.index()].holders;
        debug_assert!(*holders & !BESIDE > 0, "nobody lets go of what nobody holds");
        *holders -= 1;
        if *holders == 0 {
            self.free.push(handle);
        } else if *holders == BESIDE {
            self.release_with(handle);
        }
    }

    /// The last holder of a packet with something beside it lets go.
    #[cold]
    fn release_with(&mut self, handle: Handle) {
        self.tags[handle.index()].holders = 0;
        self.free.push(handle);
        self.controls.remove(&handle.0);
    }

    /// Says what a packet carries of media.
    pub(crate) fn set_piece(&mut self, handle: Handle, piece: Piece) {
        if handle.index() >= self.pieces.len() {
            self.pieces.resize(self.packets.capacity(), Piece::NONE);
        }
        self.pieces[handle.index()] = piece;
    }

    /// What a packet of a session whose media are played carries of them.
    pub(crate) fn piece(&self, handle: Handle) -> Piece {
        self.pieces.get(handle.index()).copied().unwrap_or(Piece::NONE)
    }

    /// Sets the congestion bits for one of the holders, who goes on with the label returned: if there are others, with
    /// that of a copy.
    pub(crate) fn set_ecn(&mut self, label: Label, ecn: Ecn) -> Label {
        let index = label.packet().index();
        if self.tags[index].holders & !BESIDE == 1 {
            self.packets[index].ecn = ecn;
            return label;
        }
        let packet = Packet { ecn, ttl: label.ttl(), ..self.packets[index] };
        let control = self.control(label.packet()).cloned();
        let piece = self.piece(label.packet());
        self.release(label.packet());
        let label = match control {
            Some(control) => self.insert_with(&packet, control),
            None => self.insert(&packet),
        };
        if !self.pieces.is_empty() {
            self.set_piece(label.packet(), piece);
        }
        label
    }

    /// Where a packet is to go.
    #[inline]
    pub(crate) fn destination(&self, handle: Handle) -> Address {
        self.tags[handle.index()].destination
    }

    /// A packet, with the hops that it might take when it was sent, or when it was handed in last.
    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> &Packet {
        &self.packets[handle.index()]
    }

    /// A packet at its receiver, with the hops that are left of this copy, and what travels beside it.
    #[inline]
    pub(crate) fn arrived(&mut self, label: Label) -> (&Packet, Option<&Control>) {
        self.packets[label.packet().index()].ttl = label.ttl();
        (&self.packets[label.packet().index()], self.control(label.packet()))
    }

    /// What travels beside a packet.
    #[inline]
    fn control(&self, handle: Handle) -> Option<&Control> {
        if self.tags[handle.index()].holders & BESIDE == 0 { None } else { self.controls.get(&handle.0) }
    }

    /// How many holders there are, of all packets together.
    pub(crate) fn held(&self) -> u64 {
        let beside = self.tags.iter().filter(|tag| tag.holders & BESIDE != 0).count();
        debug_assert_eq!(beside, self.controls.len(), "what travels beside packets goes with the last of them");
        self.tags.iter().map(|tag| u64::from(tag.holders & !BESIDE)).sum()
    }
}

impl Label {
    /// What a hop is in the number.
    const HOP: u64 = 1 << 48;
    /// Above all hops that a packet may take.
    const GARBLED: u64 = 1 << 63;

    #[inline(always)]
    fn new(handle: Handle, packet: &Packet) -> Label {
        Label(u64::from(packet.ttl) << 48 | u64::from(packet.size) << 32 | u64::from(handle.0))
    }

    /// Where the packet lies.
    #[inline(always)]
    pub(crate) fn packet(self) -> Handle {
        Handle(self.0 as u32)
    }

    /// The packet's length, bytes.
    #[inline(always)]
    pub(crate) fn size(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// Takes one hop off those that it may still take; `None` if there was none left.
    #[inline(always)]
    pub(crate) fn take_hop(self) -> Option<Label> {
        self.0.checked_sub(Label::HOP).map(Label)
    }

    /// What comes with this label is beyond what the far end can receive: it is lost there.
    #[inline]
    pub(crate) fn garbled(self) -> Label {
        Label(self.0 | Label::GARBLED)
    }

    /// What it is without that.
    #[inline]
    pub(crate) fn clear(self) -> Label {
        Label(self.0 & !Label::GARBLED)
    }

    /// Whether it is beyond what the far end can receive.
    #[inline(always)]
    pub(crate) fn is_garbled(self) -> bool {
        self.0 & Label::GARBLED != 0
    }

    /// Hops that are left.
    #[inline(always)]
    fn ttl(self) -> u8 {
        (self.0 >> 48) as u8
    }
}

/// Something travels beside the packet.
const BESIDE: u32 = 1 << 31;

impl Handle {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::FlowId;

    #[test]
    fn a_place_is_free_when_the_last_holder_lets_go() {
        let mut store = Store::default();
        let first = store.insert(&packet(1000, Ecn::Capable)).packet();
        store.share(first);
        store.release(first);
        let second = store.insert(&packet(500, Ecn::Capable)).packet();
        assert_eq!((store.get(first).size, store.get(second).size, store.held()), (1000, 500, 2));
        store.release(first);
        assert_eq!(store.insert(&packet(40, Ecn::Capable)).packet(), first);
        assert_eq!((store.get(first).size, store.held()), (40, 2));
    }

    #[test]
    fn a_mark_for_one_holder_leaves_the_others_alone() {
        let mut store = Store::default();
        let label = store.insert(&packet(1000, Ecn::Capable));
        assert_eq!(store.set_ecn(label, Ecn::Incipient).packet(), label.packet(), "nobody else has it");
        store.share(label.packet());
        let marked = store.set_ecn(label, Ecn::Moderate);
        let ecn = [label, marked].map(|label| store.get(label.packet()).ecn);
        assert_eq!((ecn, store.held()), ([Ecn::Incipient, Ecn::Moderate], 2));
        assert_eq!(marked.size(), 1000);
    }

    #[test]
    fn what_a_packet_carries_goes_with_its_copies() {
        let mut store = Store::default();
        let first = store.insert(&packet(1000, Ecn::Capable));
        assert_eq!(store.piece(first.packet()), Piece::NONE, "nobody has said what it carries");
        let piece = Piece { segment: 3, position: 7 };
        store.set_piece(first.packet(), piece);
        store.share(first.packet());
        let marked = store.set_ecn(first, Ecn::Moderate);
        assert_ne!(marked.packet(), first.packet());
        assert_eq!([first, marked].map(|label| store.piece(label.packet())), [piece; 2]);
    }

    #[test]
    fn what_travels_beside_a_packet_goes_with_its_last_holder() {
        let mut store = Store::default();
        let control = Control::new([7; 160]);
        let label = store.insert_with(&packet(160, Ecn::Capable), control.clone());
        let alone = store.set_ecn(label, Ecn::Incipient);
        assert_eq!(alone.packet(), label.packet(), "nobody else has it");
        store.share(label.packet());
        let marked = store.set_ecn(label, Ecn::Moderate);
        assert_ne!(marked.packet(), label.packet());
        assert_eq!(control.holders(), 3, "the copy has it, too");
        for label in [label, marked] {
            let (packet, beside) = store.arrived(label);
            assert_eq!((packet.size, beside.map(Control::bytes)), (160, Some(&[7; 160][..])));
        }
        store.release(label.packet());
        assert_eq!((control.holders(), store.held()), (2, 1));
        store.release(marked.packet());
        assert_eq!((control.holders(), store.held()), (1, 0));
        // The place is taken by a packet with nothing beside it.
        let next = store.insert(&packet(40, Ecn::Capable));
        assert_eq!((next.packet(), store.arrived(next).1.is_some()), (marked.packet(), false));
    }

    #[test]
    fn what_is_lost_counts_for_its_flow_or_for_none() {
        let mut store = Store::of(2);
        for flow in [1, 1, 2, 700] {
            let lost = store.insert(&Packet { flow: FlowId(flow), ..packet(100, Ecn::Capable) });
            store.count_loss(lost.packet(), |losses| &mut losses.lost);
        }
        assert_eq!(store.losses().iter().map(|losses| losses.lost).collect::<Vec<_>>(), [0, 2, 2]);
    }

    #[test]
    fn hops_run_out_for_each_holder_and_the_receiver_sees_those_that_are_left() {
        let mut store = Store::default();
        let sent = store.insert(&Packet { ttl: 2, ..packet(1000, Ecn::Capable) });
        store.share(sent.packet());
        let once = sent.take_hop().expect("of two");
        let twice = once.take_hop().expect("of two");
        assert!(twice.take_hop().is_none());
        assert_eq!([once, twice, sent].map(|label| store.arrived(label).0.ttl), [1, 0, 2]);
        // A copy has the hops of the holder that it was made for.
        let marked = store.set_ecn(once, Ecn::Moderate);
        assert_eq!((store.get(marked.packet()).ttl, marked.ttl()), (1, 1));
    }
}
