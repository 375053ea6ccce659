//! Telling endpoints of packets that links have lost ([`witnesses`](crate::witnesses)).

use super::World;
use crate::calendar::Calendar;
use crate::host::Host;
use crate::store::Label;
use crate::wires::Lost;
use faircast_proto::endpoint::Input;

impl<C: Calendar> World<C> {
    /// Tells of the packet that has just been lost, if anybody wants to know.
    #[cold]
    pub(crate) fn tell_of_loss(&mut self) {
        let Some(lost) = self.wires.lost.take() else { return };
        let Some(witnesses) = &mut self.witnesses else { return self.wires.store.release(lost.label.packet()) };
        let mut told = std::mem::take(&mut witnesses.told);
        self.find_witnesses(&lost, &mut told);
        for &endpoint in &told {
            self.hand_loss(endpoint as usize, lost.label);
        }
        told.clear();
        if let Some(witnesses) = &mut self.witnesses {
            witnesses.told = told;
        }
        self.wires.store.release(lost.label.packet());
    }

    /// Adds to `told` those to which a lost packet was on its way, as far as they want to know.
    fn find_witnesses(&self, lost: &Lost, told: &mut Vec<u32>) {
        let Some(witnesses) = &self.witnesses else { return };
        let destination = self.wires.store.destination(lost.label.packet());
        if !destination.is_group() {
            told.push(destination.index() as u32);
        } else if let Some((session, group)) = self.multicast.place(destination.index())
            && witnesses.flows[self.multicast.session(session).flow().0 as usize]
            && self.wires.links[lost.link.index()].far_end() == lost.node
        {
            self.multicast.reach(session, lost.link, group, told);
        }
        told.retain(|&endpoint| self.hosts.get(endpoint as usize).is_some_and(Host::sees_link_losses));
    }

    /// Hands the news of a loss to an endpoint.
    fn hand_loss(&mut self, index: usize, label: Label) {
        let packet = self.wires.store.get(label.packet());
        self.hosts[index].handle(self.wires.now, Input::LinkLoss(packet), &mut self.outbox);
        self.arm(index);
        self.carry_out(index);
    }
}
