//! What happened to packets at links, link by link, and then on nodes, where there is neither link nor queue.

use super::declared::{Declared, Row, float, integer, name_if_any, number_if_any, one_of, table};
use super::subjects::Subjects;
use faircast_sim::probe::{GivenUpRow, PacketAction, PacketRow};
use faircast_sim::world::World;
use faircast_tables::table::Table;

/// By the code of each.
const LEVELS: [&str; 5] = ["not-capable", "capable", "incipient", "moderate", "ect1"];

/// Something that happened to a packet, and where.
pub(crate) struct PacketAt {
    row: PacketRow,
    link: Option<u32>,
    node: Option<u32>,
    flow: Option<u32>,
    group: Option<u64>,
}

impl Row for PacketAt {
    const TABLE: &'static str = "packets";
    const RECORD: usize = size_of::<PacketRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "the moment", |at| at.row.at.as_secs_f64()),
            name_if_any("link", "at which direction of which link; empty on nodes", |of| &of.links, |at| at.link),
            name_if_any(
                "node",
                "on which node, of a packet that found no way; empty at links",
                |of| &of.nodes,
                |at| at.node,
            ),
            one_of("action", "what happened, below", &PacketAction::NAMES, |at| at.row.action.index()),
            name_if_any("flow", "whose packet", |of| &of.flows, |at| at.flow),
            number_if_any("group", "of a packet to a group the group's number in its session, NaN otherwise", |at| {
                at.group
            }),
            number_if_any(
                "number",
                "the packet's number as its protocol counts, the one by which [events](#events) name it as their \
                 cause: of TCP the segment, of TFMCC and OMCC the packet, of layers the packet in its layer; of an \
                 acknowledgement the segment that it asks for, of a report its feedback round; NaN if it has none",
                |at| at.row.packet.number,
            ),
            integer("size_bytes", "bytes, headers included", |at| i64::from(at.row.packet.size)),
            integer(
                "is_data",
                "1 if it carries data, and is no acknowledgement, report or message about groups",
                |at| i64::from(at.row.packet.is_data),
            ),
            integer("is_retransmission", "1 if what it carries has been sent before (TCP)", |at| {
                i64::from(at.row.packet.is_retransmission)
            }),
            one_of(
                "arrived_as",
                "the packet's code point as it came: `not-capable`, `capable`, `incipient`, `moderate`, `ect1`",
                &LEVELS,
                |at| usize::from(at.row.packet.ecn.code()),
            ),
            integer("queue_pkts", "packets waiting at that moment", |at| i64::from(at.row.waiting_pkts)),
            float("average_pkts", "the discipline's average at that moment; NaN if it has none", |at| {
                at.row.average_pkts
            }),
        ]
    }
}

/// All rows of all links, and then those of nodes.
pub(super) fn packets<C>(world: &mut World<C>, subjects: &Subjects, given_up: &[GivenUpRow]) -> Table {
    let of_links = world.take_packet_rows();
    let at_links = of_links.iter().flat_map(|(link, rows)| rows.iter().map(move |row| (Some(link.0), None, *row)));
    let on_nodes = given_up.iter().map(|&GivenUpRow { at, node, action, packet }| {
        (None, Some(node.0), PacketRow { at, action, packet, waiting_pkts: 0, average_pkts: f64::NAN })
    });
    let rows: Vec<PacketAt> = at_links
        .chain(on_nodes)
        .map(|(link, node, row)| {
            let destination = row.packet.destination;
            let group = destination.is_group().then(|| world.session_of(destination)).flatten();
            let flow = row.packet.flow.0;
            let flow = ((flow as usize) < subjects.flows.len()).then_some(flow);
            PacketAt { row, link, node, flow, group: group.map(|(_, number)| u64::from(number)) }
        })
        .collect();
    table(&rows, subjects)
}
