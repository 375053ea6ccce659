//! What there is to choose from, by kind, with one line on each.

use faircast_proto::registry;
use faircast_proto::tcp::rule;
use faircast_sim::{loss, queue, router};

/// Name and description of everything of one kind.
pub type Entries = Vec<(&'static str, &'static str)>;

/// All kinds, in the order in which a listing shows them.
pub fn catalogue() -> Vec<(&'static str, Entries)> {
    vec![
        ("queues", queue::LIST.to_vec()),
        ("losses", loss::LIST.to_vec()),
        ("agents", router::LIST.to_vec()),
        ("topologies", crate::topology::LIST.to_vec()),
        ("flows", registry::flows::LIST.to_vec()),
        ("tcp", rule::LIST.to_vec()),
        ("schemes", registry::LIST.to_vec()),
    ]
}
