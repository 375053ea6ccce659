//! What router agents tell and do.

use super::{Subjects, Table, Words};
use faircast_proto::packet::Address;
use faircast_sim::probe::{RouterEvent, RouterEventRow, RouterRow};
use faircast_sim::router::Subject;
use faircast_sim::world::World;

/// What agents told at every interval: counters since the start, gauges of the moment.
pub(super) fn routers<C>(world: &World<C>, rows: &[RouterRow], subjects: &Subjects) -> Table {
    let (mut about, mut gauges) = (Words::default(), Words::default());
    for row in rows {
        about.push(&described(world, row.gauge.about, subjects));
        gauges.push(row.gauge.name);
    }
    Table::new("routers")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|row| row.link.0))
        .collected_words("about", about)
        .collected_words("gauge", gauges)
        .float("value", rows.iter().map(|row| row.gauge.value).collect())
}

/// What agents did: groups blocked and released, and whatever they note.
pub(super) fn events<C>(world: &World<C>, rows: &[RouterEventRow], subjects: &Subjects) -> Table {
    let (mut events, mut about) = (Words::default(), Words::default());
    for row in rows {
        let (event, group) = match row.event {
            RouterEvent::Blocked(group) => ("blocked", Some(group)),
            RouterEvent::Released(group) => ("released", Some(group)),
            RouterEvent::Note(what, _) => (what, None),
        };
        events.push(event);
        about.push(&group.map_or(String::new(), |group| group_name(world, group, subjects)));
    }
    let value = |row: &RouterEventRow| match row.event {
        RouterEvent::Note(_, value) => value,
        RouterEvent::Blocked(_) | RouterEvent::Released(_) => f64::NAN,
    };
    Table::new("router_events")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|row| row.link.0))
        .collected_words("event", events)
        .collected_words("about", about)
        .float("value", rows.iter().map(value).collect())
}

/// `interface`, the name of a flow or session, `SESSION/GROUP`, or `NODE > NODE`.
fn described<C>(world: &World<C>, about: Subject, subjects: &Subjects) -> String {
    match about {
        Subject::Interface => "interface".to_owned(),
        Subject::Flow(flow) => subjects.flows.get(flow.0 as usize).cloned().unwrap_or_default(),
        Subject::Group(group) => group_name(world, group, subjects),
        Subject::Pair(from, to) => {
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
