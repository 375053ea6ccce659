//! What router agents tell and do.

use super::declared::{Declared, Row, float, name, prepared, table_with, word};
use super::subjects::Subjects;
use faircast_proto::packet::Address;
use faircast_sim::probe::{RouterEvent, RouterEventRow, RouterRow};
use faircast_sim::router::GaugeSubject;
use faircast_sim::world::World;
use faircast_tables::table::{Table, Values, Words};

impl Row for RouterRow {
    const TABLE: &'static str = "routers";
    const RECORD: usize = size_of::<RouterRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |row| row.at.as_secs_f64()),
            name("link", "at the beginning of which link", |of| &of.links, |row| row.link.0),
            prepared(
                "about",
                "`interface`, a flow or session, `SESSION/GROUP`, `HOST > HOST`, or `neighbour`: messages between the \
                 nodes at both ends, such as reports of members",
            ),
            word("gauge", "which number, with its unit", |row| row.gauge.name),
            float("value", "its value: counters since the start, gauges of the moment", |row| row.gauge.value),
        ]
    }
}

/// What agents reported at every interval.
pub(super) fn routers<C>(world: &World<C>, rows: &[RouterRow], subjects: &Subjects) -> Table {
    let mut about = Words::default();
    rows.iter().for_each(|row| about.push(&described(world, row.gauge.about, subjects)));
    table_with(rows, subjects, false, [("about", Values::Words(about))])
}

impl Row for RouterEventRow {
    const TABLE: &'static str = "router_events";
    const RECORD: usize = size_of::<RouterEventRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |row| row.at.as_secs_f64()),
            name("link", "at the beginning of which link", |of| &of.links, |row| row.link.0),
            word("event", "`blocked`, `released`, or what the agent notes", |row| match row.event {
                RouterEvent::Blocked(_) => "blocked",
                RouterEvent::Released(_) => "released",
                RouterEvent::Note(what, _) => what,
            }),
            prepared("about", "the group, `SESSION/GROUP`; empty of a note"),
            float("value", "the number of a note; NaN otherwise", |row| match row.event {
                RouterEvent::Note(_, value) => value,
                RouterEvent::Blocked(_) | RouterEvent::Released(_) => f64::NAN,
            }),
        ]
    }
}

/// What agents did: groups blocked and released, and whatever they note.
pub(super) fn events<C>(world: &World<C>, rows: &[RouterEventRow], subjects: &Subjects) -> Table {
    let mut about = Words::default();
    for row in rows {
        about.push(&match row.event {
            RouterEvent::Blocked(group) | RouterEvent::Released(group) => group_name(world, group, subjects),
            RouterEvent::Note(..) => String::new(),
        });
    }
    table_with(rows, subjects, false, [("about", Values::Words(about))])
}

/// `interface`, the name of a flow or session, `SESSION/GROUP`, or `NODE > NODE`.
fn described<C>(world: &World<C>, about: GaugeSubject, subjects: &Subjects) -> String {
    match about {
        GaugeSubject::Interface => "interface".to_owned(),
        GaugeSubject::Flow(flow) => subjects.flows.get(flow.0 as usize).cloned().unwrap_or_default(),
        GaugeSubject::Group(group) => group_name(world, group, subjects),
        GaugeSubject::Pair(from, to) => {
            let [from, to] = [from, to].map(|node| &subjects.nodes[node.index()]);
            format!("{from} > {to}")
        }
    }
}

fn group_name<C>(world: &World<C>, group: Address, subjects: &Subjects) -> String {
    match world.session_of(group) {
        Some((flow, number)) => format!("{}/{number}", subjects.flows[flow.0 as usize]),
        None => "neighbour".to_owned(),
    }
}
