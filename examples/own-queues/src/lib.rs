//! Three queues that own their packets, each of which does what no discipline can that only decides at arrival: one
//! lets packets wait though the link is free, one drops others than the packet that comes, one changes the order.

pub mod head_drop;
pub mod shaper;
pub mod two_queues;

use faircast_proto::quantity::{Packets, QueueSize};

/// Makes the queues known: scenarios may name them from now on.
pub fn register() {
    let guests = faircast_scenario::guests!();
    guests.queue::<shaper::Config>("token-bucket", "Lets through a mean rate and bursts, by a token bucket.");
    guests.queue::<head_drop::Config>("head-drop", "Drops from the front what finds no room or has waited too long.");
    guests.queue::<two_queues::Config>("two-queues", "Unicast and multicast by turns, each with its weight.");
}

/// What is wrong with a limit in packets, if something is.
fn wrong_limit(limit: QueueSize) -> Option<(String, String)> {
    let given = match limit {
        QueueSize::Packets(pkts) if (1.0..=1e9).contains(&pkts) && pkts.fract() == 0.0 => return None,
        QueueSize::Packets(pkts) => format!("{pkts} packets"),
        QueueSize::Bytes(bytes) => format!("{bytes} B"),
    };
    Some(("limit".into(), format!("{given} given; legal is a whole number of packets from 1 to 1e9")))
}

/// A limit that has been checked, in packets.
fn packets(limit: QueueSize) -> usize {
    let QueueSize::Packets(pkts) = limit else { unreachable!("checked: a limit in packets") };
    Packets(pkts).0 as usize
}
