//! Router agents in the engine: what they hear, and what they want done.

use super::World;
use crate::calendar::Calendar;
use crate::ids::{LinkId, NodeId};
use crate::probe::{RouterEvent, RouterEventRow, RouterRow};
use crate::router::{MembershipChange, NO_ENDPOINT, RouterAction, SessionAt};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Packet};

impl<C: Calendar> World<C> {
    /// The timer entry of the agent with this number has come.
    #[cold]
    pub(crate) fn router_timer(&mut self, number: u32) {
        let (now, link) = (self.wires.now, self.ports[number as usize]);
        let state = &mut self.wires.links[link.index()];
        let view = state.view_settled(now);
        let Some(port) = state.port_mut() else { return };
        if !port.take_timer(now) {
            return;
        }
        port.time_out(view);
        self.carry_out_router(link);
    }

    /// Tells agents what has been joined and left on their interfaces.
    pub(crate) fn tell_routers(&mut self) {
        while let Some((session, link, before)) = self.multicast.take_change() {
            let state = self.multicast.session(session);
            let (joined, blocked) = self.multicast.interface_on(session, link).unwrap_or_default();
            if joined == before {
                continue;
            }
            let (flow, first, plan) = (state.flow(), state.first_group(), state.plan());
            let at = SessionAt { flow, first, groups: plan.groups, control: plan.control, joined, blocked };
            let change = MembershipChange { flow, first, joined: joined - before, left: before - joined };
            let now = self.wires.now;
            let state = &mut self.wires.links[link.index()];
            let view = state.view_settled(now);
            if let Some(port) = state.port_mut() {
                port.change(at, &change, view);
                self.carry_out_router(link);
            }
        }
    }

    /// Does what the agent at `link` wants, and sees to its timer.
    fn carry_out_router(&mut self, link: LinkId) {
        let now = self.wires.now;
        let Some(port) = self.wires.links[link.index()].port_mut() else { return };
        let node = port.node;
        for action in port.take_actions() {
            match action {
                RouterAction::Block(group) => self.block(link, group, true),
                RouterAction::Release(group) => self.block(link, group, false),
                RouterAction::Send(packet) => self.send_from_router(node, &packet),
                RouterAction::Note(what, value) => {
                    self.records.router_events.push(RouterEventRow {
                        at: now,
                        link,
                        event: RouterEvent::Note(what, value),
                    });
                }
            }
        }
        self.wires.arm_router(link);
    }

    fn block(&mut self, link: LinkId, group: Address, blocked: bool) {
        let Some((session, number)) = self.multicast.place(group.index()) else { return };
        let before = self.multicast.interface_on(session, link).unwrap_or_default().1;
        self.set_blocked(group, link, GroupSet::of(number), blocked);
        let after = self.multicast.interface_on(session, link).unwrap_or_default().1;
        if before != after {
            let event = if blocked { RouterEvent::Blocked(group) } else { RouterEvent::Released(group) };
            self.records.router_events.push(RouterEventRow { at: self.wires.now, link, event });
        }
    }

    fn send_from_router(&mut self, node: NodeId, packet: &Packet) {
        let destination = packet.destination;
        let label = self.wires.store.insert(packet);
        if destination.is_group() {
            self.send_to_group(node, NO_ENDPOINT, destination, label);
            self.hand_to_neighbours();
        } else {
            self.send_to_host(node, destination, label);
        }
    }

    /// Writes down what all agents tell.
    pub(crate) fn record_routers(&mut self) {
        let at = self.wires.now;
        for &link in &self.ports {
            if let Some(port) = self.wires.links[link.index()].port() {
                port.gauges(&mut |gauge| self.records.routers.push(RouterRow { at, link, gauge }));
            }
        }
    }

    /// What the agent at the beginning of `link` sees of the sessions there; nothing if there is no agent.
    pub fn router_sessions(&self, link: LinkId) -> &[SessionAt] {
        self.wires.links[link.index()].port().map_or(&[], |port| port.sessions())
    }
}
