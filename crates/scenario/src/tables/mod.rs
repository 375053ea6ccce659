//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

mod dilation;
mod flows;
mod gauges;
mod layers;
mod paths;
mod per_second;
mod routers;
mod subjects;
mod table;

pub(crate) use dilation::{Dilated, greatest as greatest_dilation};
pub(crate) use flows::Interval;
pub(crate) use gauges::Shown;
pub(crate) use per_second::{over, seconds};
pub use subjects::{GroupSubject, Subjects};
pub use table::{Column, Table, Values, Words};

use crate::network::Network;
use faircast_proto::endpoint::{Event, EventKind, Gauge, Subject};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::packet::Address;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::Duration;
use faircast_sim::counters::LinkCounters;
use faircast_sim::probe::{EventRow, GivenUpRow, LinkRow, PacketAction, PacketRow, QueueRow, Records};
use faircast_sim::world::World;

/// All tables of a run but the summary. Its records are released table by table: they and the columns made of them do
/// not stand side by side as a whole.
pub fn tables<C>(world: &mut World<C>, subjects: &Subjects, network: &Network) -> Vec<Table> {
    let interval = network.probes.interval;
    let Records {
        senders,
        receivers,
        groups,
        gauges,
        links: of_links,
        dilation: of_sessions,
        queues: of_queues,
        events: of_events,
        routers: of_routers,
        router_events,
        paths: of_paths,
        given_up,
        ..
    } = world.take_records();
    vec![
        flows::flows(world, (senders, &receivers), &gauges, subjects, interval),
        flows::receivers(world, receivers, gauges, subjects),
        layers::layers(&groups, subjects, interval),
        links(world, of_links, subjects, interval),
        dilation::dilation(&of_sessions, subjects),
        queues(of_queues, subjects),
        packets(world, subjects, &given_up),
        events(world, of_events, subjects, &details(network)),
        routers::routers(world, &of_routers, subjects),
        routers::events(world, &router_events, subjects),
        paths::paths(&of_paths, subjects, network),
        paths::handoffs(subjects, network, world.now()),
    ]
}

fn links<C>(world: &World<C>, rows: Vec<LinkRow>, subjects: &Subjects, interval: Duration) -> Table {
    let seconds = interval.as_secs_f64();
    let none = LinkCounters::default();
    let mut before = vec![&none; subjects.links.len()];
    let differences: Vec<(&LinkRow, &LinkCounters)> =
        rows.iter().map(|row| (row, std::mem::replace(&mut before[row.link.index()], &row.counters))).collect();
    let rate = |(row, old): &(&LinkRow, &LinkCounters)| {
        8.0 * (row.counters.departed_bytes - old.departed_bytes) as f64 / seconds
    };
    // With what the link layer adds, and of what the rates of the interval could have carried.
    let utilisation = |difference: &(&LinkRow, &LinkCounters)| {
        let (row, old) = difference;
        let link = &world.links()[row.link.index()];
        let headers = u64::from(link.header_bytes()) * (row.counters.departed - old.departed);
        // A leg takes part in the rate of its link.
        let transmitter = &world.links()[world.carrier(row.link).unwrap_or(row.link).index()];
        let capacity = transmitter.mean_rate_bps(row.at - interval, row.at);
        (rate(difference) + 8.0 * headers as f64 / seconds) / capacity
    };
    let count = |of: &dyn Fn(&LinkCounters) -> u64| {
        differences.iter().map(|(row, old)| (of(&row.counters) - of(old)) as i64).collect()
    };
    Table::new("links")
        .float("t_s", differences.iter().map(|(row, _)| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, differences.iter().map(|(row, _)| row.link.0))
        .float("rate_bps", differences.iter().map(rate).collect())
        .float("utilisation", differences.iter().map(utilisation).collect())
        .integer("arrived_pkts", count(&|counters| counters.arrived))
        .integer("dropped_overflow_pkts", count(&|counters| counters.dropped_overflow))
        .integer("dropped_active_pkts", count(&|counters| counters.dropped_active))
        .integer("held_back_pkts", count(&|counters| counters.held_back))
        .integer("marked_incipient_pkts", count(&|counters| counters.marked_incipient))
        .integer("marked_moderate_pkts", count(&|counters| counters.marked_moderate))
        .integer("departed_pkts", count(&|counters| counters.departed))
        .integer("lost_pkts", count(&|counters| counters.lost))
        .integer("dropped_down_pkts", count(&|counters| counters.dropped_down))
        .integer("rerouted_pkts", count(&|counters| counters.rerouted))
        .integer("discarded_pkts", count(&|counters| counters.discarded))
        .integer("unreceived_pkts", count(&|counters| counters.unreceived))
}

fn queues(rows: Vec<QueueRow>, subjects: &Subjects) -> Table {
    Table::new("queues")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|row| row.link.0))
        .integer("queue_pkts", rows.iter().map(|row| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|row| row.average_pkts).collect())
}

/// What happened to packets at links, link by link, and then on nodes, where there is neither link nor queue.
fn packets<C>(world: &mut World<C>, subjects: &Subjects, given_up: &[GivenUpRow]) -> Table {
    const LEVELS: [&str; 4] = ["not-capable", "capable", "incipient", "moderate"];
    let named = |names: &[String]| [names, &[String::new()]].concat();
    let [no_link, no_node, no_flow] =
        [&subjects.links, &subjects.nodes, &subjects.flows].map(|names| names.len() as u32);
    let of_links = world.take_packet_rows();
    let at_links = of_links.iter().flat_map(|(link, rows)| rows.iter().map(move |row| (link.0, no_node, *row)));
    let on_nodes = given_up.iter().map(|&GivenUpRow { at, node, action, packet }| {
        (no_link, node.0, PacketRow { at, action, packet, waiting_pkts: 0, average_pkts: f64::NAN })
    });
    let rows: Vec<(u32, u32, PacketRow)> = at_links.chain(on_nodes).collect();
    let group = |row: &PacketRow| {
        let address = row.packet.destination;
        let place = address.is_group().then(|| world.session_of(address)).flatten();
        place.map_or(f64::NAN, |(_, number)| f64::from(number))
    };
    let packet = |(.., row): &(u32, u32, PacketRow)| row.packet;
    Table::new("packets")
        .float("t_s", rows.iter().map(|(.., row)| row.at.as_secs_f64()).collect())
        .words("link", &named(&subjects.links), rows.iter().map(|row| row.0))
        .words("node", &named(&subjects.nodes), rows.iter().map(|row| row.1))
        .words("action", &PacketAction::NAMES.map(String::from), rows.iter().map(|(.., row)| row.action.index() as u32))
        .words("flow", &named(&subjects.flows), rows.iter().map(|row| packet(row).flow.0.min(no_flow)))
        .float("group", rows.iter().map(|(.., row)| group(row)).collect())
        .float("number", rows.iter().map(|row| number(packet(row).number)).collect())
        .integer("size_bytes", rows.iter().map(|row| i64::from(packet(row).size)).collect())
        .integer("is_data", rows.iter().map(|row| i64::from(packet(row).is_data)).collect())
        .integer("is_retransmission", rows.iter().map(|row| i64::from(packet(row).is_retransmission)).collect())
        .words("arrived_as", &LEVELS.map(String::from), rows.iter().map(|row| packet(row).ecn as u32))
        .integer("queue_pkts", rows.iter().map(|(.., row)| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|(.., row)| row.average_pkts).collect())
}

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

fn events<C>(world: &World<C>, rows: Vec<EventRow>, subjects: &Subjects, details: &[Gauge]) -> Table {
    // The member at each address, nobody's last.
    let mut names = subjects.members.clone();
    let nobody = names.len() as u32;
    names.push(String::new());
    let ends = world.flows().iter().map(|flow| flow.sender.index()).chain(world.receivers().iter().map(|r| r.index()));
    let mut member_at = vec![nobody; ends.max().map_or(0, |last| last + 1)];
    for (receiver, address) in world.receivers().iter().enumerate() {
        member_at[address.index()] = subjects.member(receiver).map_or(nobody, |member| member as u32);
    }
    let member = |address: Address| member_at.get(address.index()).copied().unwrap_or(nobody);
    let subject = |row: &EventRow| match row.event.subject {
        Subject::Own => member_at[row.endpoint as usize],
        Subject::Other(address) => member(address),
        Subject::Nobody => nobody,
    };
    let word = |of: fn(&Event) -> &'static str| {
        let mut words = Words::default();
        rows.iter().for_each(|row| words.push(of(&row.event)));
        Values::Words(words)
    };
    let table = Table::new("events")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", &subjects.flows, rows.iter().map(|row| row.flow.0))
        .words("receiver", &names, rows.iter().map(subject))
        .column("event", word(|event| event.kind.name))
        .float("before", rows.iter().map(|row| row.event.before).collect())
        .float("after", rows.iter().map(|row| row.event.after).collect())
        .float("layer", rows.iter().map(|row| number(row.event.layer.map(u64::from))).collect())
        .column("cause", word(|event| event.cause.name()))
        .float("cause_number", rows.iter().map(|row| number(row.event.cause.number())).collect())
        .words("cause_receiver", &names, rows.iter().map(|row| row.event.cause.receiver().map_or(nobody, member)));
    details.iter().fold(table, |table, gauge| {
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

/// NaN for what has no number.
fn number(number: Option<u64>) -> f64 {
    number.map_or(f64::NAN, |number| number as f64)
}
