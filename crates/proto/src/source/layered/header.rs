//! What sources and members of constant rates in layers say in their packets.

use crate::protocol_header::ProtocolHeader;
use crate::wire::message::header;

header! {
    /// What a packet says.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Header {
        /// Data.
        0: Data {
            /// Which layer it belongs to, the base being 0.
            layer: u8 => ["layer": 8],
            /// Its number in the layer, from 0; wraps around.
            sequence: u32 => ["sequence": 32],
        } is DATA = "Layers: data", Format::Own(16), [];
        /// A member has gone to another level.
        1: Level {
            /// How many layers it holds.
            level: u8 => ["level": 8],
            /// The number of the announcement, its sender's first being 0; wraps around.
            sequence: u32 => ["sequence": 32],
        } is LEVEL = "Layers: level", Format::Own(17), [];
    }
}

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data { .. })
    }

    /// Each layer counts by itself, and each member its announcements.
    fn number(&self) -> Option<u64> {
        match *self {
            Header::Data { sequence, .. } | Header::Level { sequence, .. } => Some(sequence.into()),
        }
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        match wild.below(4) {
            0 => Header::Level { level: wild.below(6) as u8, sequence: wild.sequence() },
            _ => Header::Data { layer: wild.below(6) as u8, sequence: wild.sequence() },
        }
    }
}
