//! Who is told of packets that links have lost: endpoints that hold loss differentiation against the truth.
//!
//! A link error is what a loss model destroys at the far end of a link, an outage's losses included. What a queue
//! drops or a router holds back is none, nor what finds no way or no hops left, nor what a link refuses, discards or
//! transmits in vain because it is down: then the capacity is gone, and to send less is right. An endpoint is told of
//! what was on its way to it, wherever that was lost, at that moment and without a delay. A copy of a multicast
//! packet is on its way to all members below the link to which interfaces would have passed it on then.

use crate::calendar::Calendar;
use crate::engine::World;
use crate::host::Host;
use crate::ids::{LinkId, NodeId};
use crate::store::Label;
use faircast_proto::endpoint::Input;

/// Who wants to be told; there is one if anybody does.
pub(crate) struct Witnesses {
    /// By flow: whether any of its endpoints does.
    flows: Vec<bool>,
    /// Those to be told of one loss; empty between two.
    told: Vec<u32>,
}

/// A packet that a link has lost at its far end, of which whoever keeps this is a holder.
pub(crate) struct Lost {
    pub(crate) link: LinkId,
    /// Where it would have come.
    pub(crate) node: NodeId,
    pub(crate) label: Label,
}

impl Witnesses {
    /// Those among `hosts`, the endpoints of so many flows.
    pub(crate) fn among(hosts: &[Host], flows: usize) -> Option<Box<Witnesses>> {
        let mut wants = vec![false; flows];
        for host in hosts.iter().filter(|host| host.sees_link_losses()) {
            if let Some(wants) = wants.get_mut(host.flow.0 as usize) {
                *wants = true;
            }
        }
        let any = wants.iter().any(|&wants| wants);
        any.then(|| Box::new(Witnesses { flows: wants, told: Vec::new() }))
    }
}

impl<C: Calendar> World<C> {
    /// Tells of the packet that has just been lost, if anybody wants to know.
    #[cold]
    pub(crate) fn tell_of_loss(&mut self) {
        let Some(lost) = self.wires.lost.take() else { return };
        let Some(witnesses) = &mut self.witnesses else { return self.wires.store.release(lost.label.packet) };
        let mut told = std::mem::take(&mut witnesses.told);
        self.find_witnesses(&lost, &mut told);
        for &endpoint in &told {
            self.hand_loss(endpoint as usize, lost.label);
        }
        told.clear();
        if let Some(witnesses) = &mut self.witnesses {
            witnesses.told = told;
        }
        self.wires.store.release(lost.label.packet);
    }

    /// Adds to `told` those to which a lost packet was on its way, as far as they want to know.
    fn find_witnesses(&self, lost: &Lost, told: &mut Vec<u32>) {
        let Some(witnesses) = &self.witnesses else { return };
        let destination = self.wires.store.destination(lost.label.packet);
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
        let packet = self.wires.store.get(label.packet);
        self.hosts[index].handle(self.wires.now, Input::LinkLoss(packet), &mut self.outbox);
        self.arm(index);
        self.carry_out(index);
    }
}
