//! The flows of a network.

use faircast_proto::packet::Address;
use faircast_proto::time::Instant;
use std::ops::Range;

/// Who sends the data of a flow, and who receives it: one, or the members of a session.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Who sends its data.
    pub sender: Address,
    /// Who receives it: indices among the receivers of all flows.
    pub receivers: Range<usize>,
    /// When one of its ends told that everything there was to send has been acknowledged, if one has.
    pub finished: Option<Instant>,
}
