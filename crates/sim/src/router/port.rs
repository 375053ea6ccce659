//! An agent on its interface, with what the driver keeps for it.

use super::{InterfaceAgent, MembershipChange, Offer, RouterAction, RouterAgent};
use super::{RouterGauge, RouterOutbox, RouterView, SessionAt};
use crate::ids::NodeId;
use crate::queue::InterfaceView;
use faircast_proto::group_set::GroupSet;
use faircast_proto::guest::Patience;
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::time::Instant;
use std::sync::Arc;

/// An interface that an agent looks after.
pub(crate) struct Port {
    agent: InterfaceAgent,
    /// The node of the interface.
    pub(crate) node: NodeId,
    /// Its number among all ports: that of its timer.
    pub(crate) number: u32,
    /// What the agent sees of the sessions here.
    sessions: Vec<SessionAt>,
    /// The host of every endpoint.
    hosts: Arc<[NodeId]>,
    outbox: RouterOutbox,
    /// When the next timer entry comes.
    armed: Instant,
    patience: Patience,
}

impl Port {
    pub(crate) fn new(agent: InterfaceAgent, node: NodeId, number: u32, hosts: Arc<[NodeId]>) -> Port {
        let (sessions, outbox) = (Vec::new(), RouterOutbox::default());
        Port { agent, node, number, sessions, hosts, outbox, armed: Instant::FAR_FUTURE, patience: Patience::default() }
    }

    /// A packet is offered to the queue.
    pub(crate) fn offer(&mut self, packet: &Packet, interface: InterfaceView) -> Offer {
        let at = RouterView { interface, sessions: &self.sessions, hosts: &self.hosts };
        let offer = self.agent.on_packet(packet, &at, &mut self.outbox);
        // What neighbours say to each other is no agent's business.
        let may_hold = packet.destination.is_group() && packet.destination != Address::NEIGHBOUR;
        if may_hold { offer } else { Offer::Forward }
    }

    /// The queue has dropped or marked a packet.
    #[cold]
    pub(crate) fn congestion(&mut self, packet: &Packet, now: Instant) {
        self.agent.on_congestion(packet, now);
    }

    /// A session's groups have been joined or left. `session` is what is there now.
    pub(crate) fn change(&mut self, session: SessionAt, change: &MembershipChange, interface: InterfaceView) {
        let found = self.sessions.binary_search_by_key(&session.flow, |known| known.flow);
        match (found, session.joined.is_empty()) {
            (Ok(known), true) => {
                self.sessions.remove(known);
            }
            (Ok(known), false) => self.sessions[known] = session,
            (Err(place), false) => self.sessions.insert(place, session),
            (Err(_), true) => {}
        }
        let at = RouterView { interface, sessions: &self.sessions, hosts: &self.hosts };
        self.agent.on_membership(change, &at, &mut self.outbox);
    }

    /// A timer entry has come. Says whether it was the one that counts.
    pub(crate) fn take_timer(&mut self, now: Instant) -> bool {
        let counts = self.armed == now;
        if counts {
            self.armed = Instant::FAR_FUTURE;
        }
        counts
    }

    /// Calls the agent if its deadline has come.
    pub(crate) fn time_out(&mut self, interface: InterfaceView) {
        if self.agent.deadline().is_some_and(|deadline| deadline <= interface.now) {
            self.patience.time_out(interface.now, || format!("the agent of a router, node {},", self.node.0));
            let at = RouterView { interface, sessions: &self.sessions, hosts: &self.hosts };
            self.agent.on_timeout(&at, &mut self.outbox);
        }
    }

    /// When to put a timer entry into the calendar, if one is needed.
    pub(crate) fn rearm(&mut self, now: Instant) -> Option<Instant> {
        let deadline = self.agent.deadline().unwrap_or(Instant::FAR_FUTURE).max(now);
        let wake = if self.outbox.is_empty() { deadline } else { now };
        if wake >= self.armed {
            return None;
        }
        self.armed = wake;
        Some(wake)
    }

    /// Hands out what the agent wants done.
    pub(crate) fn take_actions(&mut self) -> Vec<RouterAction> {
        self.outbox.drain().collect()
    }

    /// What is blocked of a session here has changed.
    pub(crate) fn set_blocked(&mut self, flow: FlowId, blocked: GroupSet) {
        if let Ok(known) = self.sessions.binary_search_by_key(&flow, |known| known.flow) {
            self.sessions[known].blocked = blocked;
        }
    }

    /// What the agent sees of the sessions here.
    pub(crate) fn sessions(&self) -> &[SessionAt] {
        &self.sessions
    }

    /// What the agent tells probes.
    pub(crate) fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
        self.agent.gauges(tell);
    }
}
