//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

#[cfg(test)]
mod chapter_tests;
mod declared;
mod dilation;
mod events;
mod flows;
mod gauges;
mod handoffs;
mod layers;
mod links;
mod packets;
mod paths;
mod per_second;
mod queues;
mod routers;
mod sojourn;
mod subjects;
mod table;

pub(crate) use declared::Row;
pub(crate) use dilation::{Dilated, greatest as greatest_dilation};
pub(crate) use flows::{FlowInterval, Interval, ReceiverInterval};
pub(crate) use gauges::{Gauges, Shown};
pub(crate) use handoffs::Handoff;
pub(crate) use layers::GroupInterval;
pub(crate) use links::LinkInterval;
pub(crate) use packets::PacketAt;
pub(crate) use paths::PathBetween;
pub(crate) use per_second::{over, seconds};
pub(crate) use sojourn::Waited;
pub use subjects::{GroupSubject, QueueSubject, Subjects};
pub use table::{Column, Table, Values, Words};

use crate::network::Network;
use events::EventOf;
use faircast_sim::probe::{DilationRow, QueueRow, Records, RouterEventRow, RouterRow};
use faircast_sim::world::World;

/// The columns of a table, whatever the run. What endpoints show and what their events report comes beside them, by the
/// protocols in a run.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The name of the table.
    pub table: &'static str,
    /// Name and meaning of each column, in order.
    pub columns: Vec<(&'static str, &'static str)>,
}

/// The columns of all tables but the summary and the warnings.
pub fn layouts() -> Vec<Layout> {
    fn layout<R: Row>() -> Layout {
        Layout { table: R::TABLE, columns: R::columns().iter().map(|column| (column.name, column.meaning)).collect() }
    }
    vec![
        layout::<FlowInterval>(),
        layout::<ReceiverInterval>(),
        layout::<GroupInterval>(),
        layout::<LinkInterval>(),
        layout::<DilationRow>(),
        layout::<QueueRow>(),
        layout::<Waited>(),
        layout::<PacketAt>(),
        layout::<EventOf>(),
        layout::<RouterRow>(),
        layout::<RouterEventRow>(),
        layout::<PathBetween>(),
        layout::<Handoff>(),
    ]
}

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
        links::links(world, of_links, subjects, interval),
        declared::table(&of_sessions, subjects),
        declared::table(&of_queues, subjects),
        sojourn::sojourn(world, subjects),
        packets::packets(world, subjects, &given_up),
        events::events(world, of_events, subjects, network),
        routers::routers(world, &of_routers, subjects),
        routers::events(world, &router_events, subjects),
        paths::paths(&of_paths, subjects, network),
        handoffs::handoffs(subjects, network, world.now()),
    ]
}
