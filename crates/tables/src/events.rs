//! Rows of events, and what else the events of a protocol have to tell.

use crate::declared::{Declared, float, name, name_if_any, number_if_any, table_of, word};
use crate::ends::Ends;
use crate::table::{Table, Values};
use faircast_proto::endpoint::{Event, EventKind, Gauge};
use faircast_proto::time::Instant;

/// An event with the members that it is about.
#[derive(Clone, Copy, Debug)]
pub struct EventOf<'a> {
    /// When it was.
    pub at: Instant,
    /// Which flow or session it is of.
    pub flow: u32,
    /// The event.
    pub event: &'a Event,
    /// Which of the members it is about.
    pub receiver: Option<u32>,
    /// Which of the members' report it came from.
    pub cause_receiver: Option<u32>,
}

impl EventOf<'_> {
    /// The name of the table.
    pub const TABLE: &'static str = "events";

    /// Its columns, in order; what else events have to tell comes behind.
    pub fn declared<S: Ends>() -> Vec<Declared<Self, S>> {
        vec![
            float("t_s", "the moment", |of| of.at.as_secs_f64()),
            name("flow", "to which flow or session", |of: &S| of.flows(), |of| of.flow),
            name_if_any(
                "receiver",
                "to which receiver; of `limiting-receiver` the one that limits from now on; empty if none",
                |of: &S| of.members(),
                |of| of.receiver,
            ),
            word("event", EVENTS, |of| of.event.kind.name),
            float("before", BEFORE_AND_AFTER, |of| of.event.before),
            float("after", "what it changed to", |of| of.event.after),
            number_if_any(
                "layer",
                "the layer that it is about; NaN if it is about none. Of `rlm-state` after a loss, and of \
                 `join-revoked`: the layer of the packet that is missing",
                |of| of.event.layer.map(u64::from),
            ),
            word(
                "cause",
                "what it came from: `packet`, one that came; `loss`, one that did not come; `mark`, a congestion \
                 mark; `report`, of a receiver; `time`, a timer, a start or a stop",
                |of| of.event.cause.name(),
            ),
            number_if_any(
                "cause_number",
                "the number of that packet, counted as its protocol counts (for a loss event the first that is \
                 missing), or the feedback round of that report; NaN for `time`",
                |of| of.event.cause.number(),
            ),
            name_if_any(
                "cause_receiver",
                "whose report it was; empty otherwise",
                |of: &S| of.members(),
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

/// What else events of these kinds have to tell, each value once; kinds come protocol by protocol.
pub fn details(protocols: impl Iterator<Item = &'static [&'static EventKind]>) -> Vec<Gauge> {
    let mut all: Vec<Gauge> = Vec::new();
    // Flows of one kind come in a row.
    let mut last: &[&EventKind] = &[];
    for events in protocols {
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

/// The table of these events, with columns for `details`.
pub fn events<S: Ends>(told: &[EventOf], details: &[Gauge], ends: &S) -> Table {
    let table = table_of((EventOf::TABLE, EventOf::declared()), told, ends, false, []);
    details.iter().fold(table, |table, gauge| {
        // Asked for once per kind: names are made of two parts.
        let column = gauge.column();
        let mut known: Vec<(&'static EventKind, Option<usize>)> = Vec::new();
        let values = told.iter().map(|of| {
            let kind = of.event.kind;
            let place = match known.iter().find(|(other, _)| std::ptr::eq(*other, kind)) {
                Some(&(_, place)) => place,
                None => {
                    let place = kind.details.iter().position(|detail| detail.column() == column);
                    known.push((kind, place));
                    place
                }
            };
            place.map_or(f64::NAN, |place| of.event.details[place])
        });
        let values = Values::Float(values.collect());
        table.column(column.clone(), values)
    })
}
