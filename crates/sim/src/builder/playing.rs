//! Sessions whose media are played.

use super::{NetworkBuilder, PlannedSession};
use crate::flow::Flow;
use crate::playout::{Playout, PlayoutPlan};
use faircast_proto::packet::{Address, FlowId};

impl NetworkBuilder {
    /// Lets the receivers of a session play what its source sends.
    pub fn play(&mut self, session: FlowId, plan: PlayoutPlan) {
        let planned = self.sessions.iter_mut().find(|planned| planned.flow == session);
        planned.expect("only sessions are played").playout = Some(plan);
    }
}

/// All that is played of these sessions, among so many endpoints; nothing if nothing is.
pub(super) fn playout(
    sessions: &[PlannedSession],
    flows: &[Flow],
    receivers: &[Address],
    endpoints: usize,
) -> Option<Box<Playout>> {
    sessions.iter().find(|session| session.playout.is_some())?;
    let groups = sessions.iter().map(|session| session.plan.groups as usize).sum();
    let (mut playout, mut first_group) = (Playout::new(groups, endpoints), 0);
    for session in sessions {
        if let Some(plan) = &session.playout {
            let flow = &flows[session.flow.0 as usize];
            let numbers = flow.receivers.clone().map(|number| (number as u32, receivers[number].index()));
            playout.add(plan, first_group, flow.sender.index(), numbers);
        }
        first_group += session.plan.groups as usize;
    }
    Some(Box::new(playout))
}
