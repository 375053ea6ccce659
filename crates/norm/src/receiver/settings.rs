//! What a receiver is told.

/// What a receiver is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its number, NormNodeId; not one of [`NOBODY`](crate::NOBODY).
    pub node: u32,
    /// Whether it speaks to the sender alone, and not to the group: where others cannot hear it.
    pub is_unicast: bool,
}
