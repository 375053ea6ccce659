//! Events of flows and of the receivers of sessions.

use super::declared::{Declared, Row, float, name, name_if_any, number_if_any, table, word};
use super::subjects::Subjects;
use super::table::{Table, Values};
use crate::network::Network;
use faircast_proto::endpoint::{EventKind, EventSubject, Gauge};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::packet::Address;
use faircast_proto::scheme::Scheme;
use faircast_sim::probe::EventRow;
use faircast_sim::world::World;

/// An event with the members that it is about.
pub(crate) struct EventOf<'a> {
    row: &'a EventRow,
    receiver: Option<u32>,
    cause_receiver: Option<u32>,
}

impl Row for EventOf<'_> {
    const TABLE: &'static str = "events";
    const RECORD: usize = size_of::<EventRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |of| of.row.at.as_secs_f64()),
            name("flow", "to which flow or session", |of| &of.flows, |of| of.row.flow.0),
            name_if_any(
                "receiver",
                "to which receiver; of `limiting-receiver` the one that limits from now on; empty if none",
                |of| &of.members,
                |of| of.receiver,
            ),
            word("event", EVENTS, |of| of.row.event.kind.name),
            float("before", BEFORE_AND_AFTER, |of| of.row.event.before),
            float("after", "what it changed to", |of| of.row.event.after),
            number_if_any(
                "layer",
                "the layer that it is about; NaN if it is about none. Of `rlm-state` after a loss, and of \
                 `join-revoked`: the layer of the packet that is missing",
                |of| of.row.event.layer.map(u64::from),
            ),
            word(
                "cause",
                "what it came from: `packet`, one that came; `loss`, one that did not come; `mark`, a congestion \
                 mark; `report`, of a receiver; `time`, a timer, a start or a stop",
                |of| of.row.event.cause.name(),
            ),
            number_if_any(
                "cause_number",
                "the number of that packet, counted as its protocol counts (for a loss event the first that is \
                 missing), or the feedback round of that report; NaN for `time`",
                |of| of.row.event.cause.number(),
            ),
            name_if_any(
                "cause_receiver",
                "whose report it was; empty otherwise",
                |of| &of.members,
                |of| of.cause_receiver,
            ),
        ]
    }
}

const EVENTS: &str = "\
    TCP: `loss-reduction`, `incipient-reduction`, `moderate-reduction`, `timeout`, `finished`; sessions: `rate`, \
    `slow-start-ended`, `limiting-receiver`, `report` (of the receiver that limits), `loss-event`, `scale` \
    (OMCC's f(N)), `receiver-excluded` (the source no longer heeds a receiver, of TFMCC, OMCC, pgmcc and MLDA), \
    `layer-added`, `layer-dropped` (a receiver has joined or left the `layer`); of layer blocking `outage`, of \
    RLM `rlm-state` and `join-heard`, of MLDA `leading-receiver`, `fast-decrease`, `share` and `join-revoked`, \
    of SMCC `election` and the attempts to join a `layer`: `join-waiting`, `join-begun`, `join-succeeded`, \
    `join-failed`, `join-abandoned`";

const BEFORE_AND_AFTER: &str = "\
    what changed: the window in packets, the rate in bit/s, the number of layers held, of attempts to join a \
    layer the rate of the layers held and of those with it, `after` a loss event the loss event rate; for a \
    time-out `before` is the timer in seconds";

/// What else the events of the protocols in a network have to tell, each value once.
fn details(network: &Network) -> Vec<Gauge> {
    let flows = network.flows.iter().map(|flow| FlowKind::events(&flow.kind));
    let sessions = network.sessions.iter().map(|session| Scheme::events(&session.config));
    let mut all: Vec<Gauge> = Vec::new();
    // Flows of one kind come in a row.
    let mut last: &[&EventKind] = &[];
    for events in flows.chain(sessions) {
        if std::ptr::eq(last, events) {
            continue;
        }
        last = events;
        for detail in events.iter().flat_map(|kind| kind.details) {
            if all.iter().all(|known| known.column() != detail.column()) {
                all.push(*detail);
            }
        }
    }
    all
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
            row,
            receiver: match row.event.subject {
                EventSubject::Own => member_at[row.endpoint as usize],
                EventSubject::Other(address) => member(address),
                EventSubject::Nobody => None,
            },
            cause_receiver: row.event.cause.receiver().and_then(member),
        })
        .collect();
    details(network).iter().fold(table(&told, subjects), |table, gauge| {
        // Asked for once per kind: names are made of two parts.
        let column = gauge.column();
        let mut known: Vec<(&'static EventKind, Option<usize>)> = Vec::new();
        let values = rows.iter().map(|row| {
            let kind = row.event.kind;
            let place = match known.iter().find(|(other, _)| std::ptr::eq(*other, kind)) {
                Some(&(_, place)) => place,
                None => {
                    let place = kind.details.iter().position(|detail| detail.column() == column);
                    known.push((kind, place));
                    place
                }
            };
            place.map_or(f64::NAN, |place| row.event.details[place])
        });
        let values = Values::Float(values.collect());
        table.column(column.clone(), values)
    })
}
