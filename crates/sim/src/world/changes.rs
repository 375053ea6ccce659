//! Carrying out changes: what changes at an instant, and what becomes of packets that wait where links go down or turn.

use super::World;
use crate::calendar::{Calendar, Entry, Kind};
use crate::change::{Change, Handoff};
use crate::ids::{LinkId, NodeId};
use crate::link::Fate;
use crate::multicast::Woods;
use crate::part::Aim;
use crate::store::Label;
use crate::trace::Happening;

impl<C: Calendar> World<C> {
    /// Carries out what changes now.
    #[cold]
    pub(crate) fn change(&mut self) {
        let now = self.wires.now;
        let Some(changes) = &mut self.changes else { return };
        let mut reroutes = changes.plan.take_reroute(now);
        // In the order of links, as changes of one instant are.
        let mut turned = Vec::new();
        while let Some((link, change, until)) = changes.plan.take_change(now) {
            reroutes |= change.subject().is_of_routes();
            if matches!(change, Change::Down | Change::FarEnd(_)) {
                turned.push(link);
            }
            self.wires.links[link.index()].change(now, change, until);
        }
        if let Some(at) = changes.plan.next() {
            self.wires.calendar.schedule(Entry::new(at, Kind::Change, 0));
        }
        if reroutes && let Some(epoch) = &mut changes.epoch {
            epoch.pass(now, &self.wires.links, &self.wires.legs);
            self.forwarding.forget();
            // What leaves at this moment finds the new trees; what nodes say about them comes behind what waits.
            self.pass_to_new_trees();
            self.hand_off(&turned);
            self.send_messages();
            self.look_for_changed_paths();
        }
    }

    /// The link that `node` takes towards the host at `slot`, where routes change.
    #[cold]
    pub(crate) fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        let way = self.changes.as_mut()?.epoch.as_mut()?.way(node, slot)?;
        self.forwarding.keep(node, slot, way);
        Some(way)
    }

    /// The trees of all sessions become those of the present routes; [`send_messages`](Self::send_messages) must
    /// follow.
    fn pass_to_new_trees(&mut self) {
        let Some(epoch) = self.changes.as_mut().and_then(|changes| changes.epoch.as_mut()) else { return };
        epoch.search(&self.multicast.roots());
        let mut woods = Woods::new(epoch.nodes, &epoch.edges, &epoch.routes, self.wires.legs.carriers());
        self.multicast.retree(self.wires.now, &mut woods, &mut self.messages);
    }

    /// Does with waiting packets what is to be done, at links that have gone down or turned elsewhere, and at those
    /// that are down: what had to stay there may have a way now. Those that have come up go on.
    fn hand_off(&mut self, turned: &[LinkId]) {
        let now = self.wires.now;
        let mut rerouted = Vec::new();
        for link in (0..self.wires.links.len() as u32).map(LinkId) {
            let state = &self.wires.links[link.index()];
            if !state.may_change() {
                continue;
            }
            let mut waiting = state.waiting_pkts();
            let whole = self.is_disturbed(link, turned);
            let (mut fates, mut gone) = (Vec::new(), Vec::new());
            for (label, aim) in self.packets_at_stake(link, turned) {
                let (fate, other) = self.fate(link, aim, label, whole, turned);
                fates.push((label.packet(), fate));
                if fate == Fate::Leaves {
                    gone.push((other, label));
                }
            }
            if !fates.is_empty() && !self.wires.treat_waiting(link, &fates) {
                continue;
            }
            for (other, label) in gone {
                waiting -= 1;
                let state = &mut self.wires.links[link.index()];
                match other {
                    Some(other) => {
                        state.note_rerouted(now, label, waiting, &self.wires.store);
                        self.wires.trace(link, Happening::Rerouted, label.packet());
                        rerouted.push((other, label));
                    }
                    None => {
                        self.wires.trace(link, Happening::Discarded, label.packet());
                        self.wires.links[link.index()].discard(now, label, waiting, &mut self.wires.store);
                    }
                }
            }
            self.depart(link);
            self.wires.links[link.index()].note_waiting(now);
        }
        for (link, label) in rerouted {
            // What leaves that link at this moment leaves first, as when packets come over wires.
            self.depart(self.wires.legs.carrier(link).unwrap_or(link));
            self.wires.put(link, label);
        }
    }

    /// Whether a link is down or among those that have turned.
    fn is_disturbed(&self, link: LinkId, turned: &[LinkId]) -> bool {
        !self.wires.links[link.index()].is_up() || turned.binary_search(&link).is_ok()
    }

    /// What waits at a link, if something must be done with some of it.
    fn packets_at_stake(&mut self, link: LinkId, turned: &[LinkId]) -> Vec<(Label, Aim)> {
        let whole = self.is_disturbed(link, turned);
        let state = &mut self.wires.links[link.index()];
        if !whole && !state.has_legs() {
            return Vec::new();
        }
        let packets = state.waiting_packets();
        let all = whole || packets.iter().any(|&(_, aim)| self.is_disturbed(aim.way(link), turned));
        if all { packets } else { Vec::new() }
    }

    /// What becomes of a packet that waits at a link, of which all (`whole`) is disturbed or only some leg; and the
    /// link on which it goes on, if it leaves for another.
    fn fate(&mut self, link: LinkId, aim: Aim, label: Label, whole: bool, turned: &[LinkId]) -> (Fate, Option<LinkId>) {
        let way = aim.way(link);
        if !whole && !self.is_disturbed(way, turned) {
            return (Fate::Stays(aim), None);
        }
        match self.detour(way, aim, label) {
            // Another leg of the same transmitter.
            Some(other) if self.wires.legs.carrier(other) == Some(link) => (Fate::Stays(Aim::Leg(other)), None),
            Some(other) => (Fate::Leaves, Some(other)),
            None => (self.treatment(link, if whole { link } else { way }, aim), None),
        }
    }

    /// The other link on which a packet that waits at `link` goes on; none for what is lost with its leg already.
    fn detour(&mut self, link: LinkId, aim: Aim, label: Label) -> Option<LinkId> {
        let destination = self.wires.store.destination(label.packet());
        let changes = self.changes.as_mut()?;
        if destination.is_group() || aim == Aim::Nobody || changes.treatments[link.index()].no_detour {
            return None;
        }
        let epoch = changes.epoch.as_mut()?;
        let node = epoch.edges[link.index()].from;
        epoch.way(node, self.places[destination.index()].slot).filter(|&way| way != link)
    }

    /// What becomes of one of the packets waiting at a link and which has no other way, as the link or the leg that it
    /// is for, which `disturbed` says, has gone down or turned.
    fn treatment(&self, link: LinkId, disturbed: LinkId, aim: Aim) -> Fate {
        match self.changes.as_ref().map(|changes| changes.treatments[disturbed.index()].handoff) {
            None | Some(Handoff::Keep) => Fate::Stays(aim),
            // What is meant for no leg is heard by none.
            Some(Handoff::Lose) if disturbed != link => Fate::Stays(Aim::Nobody),
            Some(Handoff::Lose) => Fate::Doomed,
            Some(Handoff::Discard) => Fate::Leaves,
        }
    }
}
