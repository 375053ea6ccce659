//! Numbers that both ends share and no message says.

/// How often what nobody may hear is said again: NORM_ROBUST_FACTOR (section 6).
pub const ROBUST_FACTOR: u32 = 20;
/// No participant: NORM_NODE_NONE and NORM_NODE_ANY (section 6).
pub const NOBODY: [u32; 2] = [0, u32::MAX];
/// Bytes of IP (version 4) and UDP before a message.
pub(crate) const BELOW_BYTES: usize = 28;
