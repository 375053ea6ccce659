//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

mod acm;
#[cfg(test)]
mod chapter_tests;
mod declared;
mod dilation;
mod events;
mod flows;
mod handoffs;
mod layers;
mod links;
mod packets;
mod paths;
mod playback;
mod proxies;
mod queues;
mod routers;
mod slots;
mod sojourn;
mod subjects;
mod transfers;

pub(crate) use acm::{SymbolInterval, used as symbols_used};
pub(crate) use declared::{PIECE, Row};
pub(crate) use dilation::{Dilated, greatest as greatest_dilation};
pub(crate) use handoffs::Handoff;
pub(crate) use links::LinkInterval;
pub(crate) use packets::PacketAt;
pub(crate) use paths::PathBetween;
pub(crate) use playback::{PlaybackOf, Seen};
pub(crate) use proxies::ProxyInterval;
pub(crate) use slots::SlotInterval;
pub(crate) use sojourn::Waited;
pub use subjects::{GroupSubject, QueueSubject, Subjects};
pub(crate) use transfers::TransferOf;

pub use faircast_tables::table::{Column, Table, Values, Words};

use crate::network::Network;
use faircast_sim::probe::{DilationRow, QueueRow, Records, RouterEventRow, RouterRow};
use faircast_sim::world::World;
use faircast_tables::events::EventOf;
pub(crate) use faircast_tables::flows::{FlowInterval, ReceiverInterval};
pub(crate) use faircast_tables::gauges::{Gauges, Shown};
pub(crate) use faircast_tables::interval::Interval;
pub(crate) use faircast_tables::layers::GroupInterval;
pub(crate) use faircast_tables::per_second::{over, seconds};

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
        layout::<SymbolInterval>(),
        layout::<SlotInterval>(),
        layout::<DilationRow>(),
        layout::<QueueRow>(),
        layout::<Waited>(),
        layout::<PacketAt>(),
        layout::<EventOf>(),
        layout::<RouterRow>(),
        layout::<RouterEventRow>(),
        layout::<PathBetween>(),
        layout::<Handoff>(),
        layout::<TransferOf>(),
        layout::<ProxyInterval>(),
        layout::<PlaybackOf>(),
    ]
}

/// All tables of a run but the summary. Its records are released table by table: they and the columns made of them do
/// not stand side by side as a whole.
pub(crate) fn tables<C>(
    world: &mut World<C>,
    subjects: &Subjects,
    network: &Network,
    of_web: &[TransferOf],
    seen: &Seen,
) -> Vec<Table> {
    let interval = network.probes.interval;
    let Records {
        senders,
        receivers,
        groups,
        gauges,
        links: of_links,
        symbols,
        slots: of_terminals,
        dilation: of_sessions,
        queues: of_queues,
        events: of_events,
        routers: of_routers,
        router_events,
        paths: of_paths,
        given_up,
        relays: of_relays,
        ..
    } = world.take_records();
    let mut tables = vec![
        flows::flows(world, (senders, &receivers), &gauges, subjects, interval),
        flows::receivers(world, receivers, gauges, subjects),
        layers::layers(&groups, subjects, interval),
        links::links(world, &of_links, &symbols, subjects, interval),
        declared::table(&of_sessions, subjects),
        declared::table(&of_queues, subjects),
        sojourn::sojourn(world, subjects),
        packets::packets(world, subjects, &given_up),
        events::events(world, of_events, subjects, network),
        routers::routers(world, &of_routers, subjects),
        routers::events(world, &router_events, subjects),
        paths::paths(&of_paths, subjects, network),
        handoffs::handoffs(subjects, network, world.now()),
    ];
    if subjects.has_symbols {
        tables.insert(4, acm::acm(world, &symbols, subjects)); // behind the links
    }
    if !network.returns.is_empty() {
        tables.push(slots::slots(&of_terminals, subjects));
    }
    if !network.web.is_empty() {
        tables.push(transfers::transfers(of_web, subjects));
    }
    if !subjects.split.is_empty() {
        tables.push(proxies::proxies(&of_relays, subjects));
    }
    if network.sessions.iter().any(|session| session.playout.is_some()) {
        tables.push(playback::playback(seen, subjects));
    }
    tables
}
