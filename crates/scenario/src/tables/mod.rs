//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

mod flows;
mod gauges;
mod layers;
mod paths;
mod per_second;
mod routers;
mod subjects;
mod table;

pub(crate) use flows::Interval;
pub(crate) use gauges::Shown;
pub(crate) use per_second::{over, seconds};
pub use subjects::{GroupSubject, Subjects};
pub use table::{Column, Table, Values, Words};

use crate::network::Network;
use faircast_proto::endpoint::{Event, Subject};
use faircast_proto::packet::{Address, Ecn};
use faircast_proto::time::Duration;
use faircast_sim::counters::LinkCounters;
use faircast_sim::engine::World;
use faircast_sim::probe::{EventRow, LinkRow, PacketAction, PacketRow, QueueRow, Records};
use faircast_sim::queue::DropReason;

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
        queues: of_queues,
        events: of_events,
        routers: of_routers,
        router_events,
        paths: of_paths,
        ..
    } = world.take_records();
    vec![
        flows::flows(world, (senders, &receivers), &gauges, subjects, interval),
        flows::receivers(world, receivers, gauges, subjects),
        layers::layers(&groups, subjects, interval),
        links(world, of_links, subjects, interval),
        queues(of_queues, subjects),
        packets(world, subjects),
        events(world, of_events, subjects),
        routers::routers(world, &of_routers, subjects),
        routers::events(world, &router_events, subjects),
        paths::paths(&of_paths, network),
        paths::handoffs(network, world.now()),
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

fn packets<C>(world: &mut World<C>, subjects: &Subjects) -> Table {
    const ACTIONS: [&str; 9] = [
        "accepted",
        "marked-incipient",
        "marked-moderate",
        "dropped-overflow",
        "dropped-active",
        "departed",
        "dropped-down",
        "rerouted",
        "discarded",
    ];
    let code = |action| match action {
        PacketAction::Accepted => 0,
        PacketAction::Marked(Ecn::Incipient) => 1,
        PacketAction::Marked(_) => 2,
        PacketAction::Dropped(DropReason::Overflow) => 3,
        PacketAction::Dropped(DropReason::Active) => 4,
        PacketAction::Departed => 5,
        PacketAction::Dropped(DropReason::Down) => 6,
        PacketAction::Rerouted => 7,
        PacketAction::Discarded => 8,
    };
    const LEVELS: [&str; 5] = ["not-capable", "capable", "incipient", "moderate", ""];
    let level = |row: &PacketRow| row.packet.map_or(LEVELS.len() as u32 - 1, |(_, ecn)| ecn as u32);
    let mut flow_names = subjects.flows.clone();
    let no_flow = flow_names.len() as u32;
    flow_names.push(String::new());
    let of_links = world.take_packet_rows();
    let rows: Vec<_> = of_links.iter().flat_map(|(link, rows)| rows.iter().map(move |row| (link.0, row))).collect();
    Table::new("packets")
        .float("t_s", rows.iter().map(|(_, row)| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|(link, _)| *link))
        .words("action", &ACTIONS.map(String::from), rows.iter().map(|(_, row)| code(row.action)))
        .words("flow", &flow_names, rows.iter().map(|(_, row)| row.packet.map_or(no_flow, |(flow, _)| flow.0)))
        .words("arrived_as", &LEVELS.map(String::from), rows.iter().map(|(_, row)| level(row)))
        .integer("queue_pkts", rows.iter().map(|(_, row)| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|(_, row)| row.average_pkts).collect())
}

fn events<C>(world: &World<C>, rows: Vec<EventRow>, subjects: &Subjects) -> Table {
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
    let number = |number: Option<u64>| number.map_or(f64::NAN, |number| number as f64);
    Table::new("events")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", &subjects.flows, rows.iter().map(|row| row.flow.0))
        .words("receiver", &names, rows.iter().map(subject))
        .column("event", word(|event| event.kind.name))
        .float("before", rows.iter().map(|row| row.event.before).collect())
        .float("after", rows.iter().map(|row| row.event.after).collect())
        .float("layer", rows.iter().map(|row| number(row.event.layer.map(u64::from))).collect())
        .column("cause", word(|event| event.cause.name()))
        .float("cause_number", rows.iter().map(|row| number(row.event.cause.number())).collect())
        .words("cause_receiver", &names, rows.iter().map(|row| row.event.cause.receiver().map_or(nobody, member)))
}
