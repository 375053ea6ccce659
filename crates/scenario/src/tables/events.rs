//! Events of flows and of the receivers of sessions.

use super::declared::{Declared, Row};
use super::subjects::Subjects;
use crate::network::Network;
use faircast_proto::endpoint::EventSubject;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::packet::Address;
use faircast_proto::scheme::Scheme;
use faircast_sim::probe::EventRow;
use faircast_sim::world::World;
use faircast_tables::events::{EventOf, details};
use faircast_tables::table::Table;

impl Row for EventOf<'_> {
    const TABLE: &'static str = EventOf::TABLE;
    const RECORD: usize = size_of::<EventRow>();

    fn columns() -> Vec<Declared<Self>> {
        EventOf::declared()
    }
}

/// All events, and what else those of the protocols in the run have to tell.
pub(super) fn events<C>(world: &World<C>, rows: Vec<EventRow>, subjects: &Subjects, network: &Network) -> Table {
    let ends = world.flows().iter().map(|flow| flow.sender.index()).chain(world.receivers().iter().map(|r| r.index()));
    let mut member_at = vec![None; ends.max().map_or(0, |last| last + 1)];
    for (receiver, address) in world.receivers().iter().enumerate() {
        member_at[address.index()] = subjects.member(receiver).map(|member| member as u32);
    }
    let member = |address: Address| member_at.get(address.index()).copied().flatten();
    let told: Vec<EventOf> = rows
        .iter()
        .map(|row| EventOf {
            at: row.at,
            flow: row.flow.0,
            event: &row.event,
            receiver: match row.event.subject {
                EventSubject::Own => member_at[row.endpoint as usize],
                EventSubject::Other(address) => member(address),
                EventSubject::Nobody => None,
            },
            cause_receiver: row.event.cause.receiver().and_then(member),
        })
        .collect();
    let flows = network.flows.iter().map(|flow| FlowKind::events(&flow.kind));
    let sessions = network.sessions.iter().map(|session| Scheme::events(&session.config));
    faircast_tables::events::events(&told, &details(flows.chain(sessions)), subjects)
}
