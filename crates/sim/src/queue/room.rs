//! Limits: whether there is room for one more packet.

use super::discipline::InterfaceView;
use faircast_proto::quantity::QueueSize;

/// The most that may wait.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    /// So many packets.
    Pkts(u32),
    /// So many bytes.
    Bytes(u64),
}

impl Room {
    /// Room for `limit` packets or bytes besides the packet in transmission.
    pub fn waiting(limit: QueueSize) -> Room {
        match limit {
            // The cast saturates: more than four thousand million packets are no limit.
            QueueSize::Packets(pkts) => Room::Pkts(pkts as u32),
            QueueSize::Bytes(bytes) => Room::Bytes(bytes),
        }
    }

    /// Room for less than `limit`, as ns-2's drop-tail compares: of `limit` packets one is in transmission.
    pub fn waiting_below(limit: QueueSize) -> Room {
        match Room::waiting(limit) {
            Room::Pkts(pkts) => Room::Pkts(pkts.saturating_sub(1)),
            Room::Bytes(bytes) => Room::Bytes(bytes.saturating_sub(1)),
        }
    }

    /// Whether a packet of `size` bytes finds room. An idle interface transmits it at once.
    #[inline]
    pub fn admits(&self, size: u16, at: &InterfaceView) -> bool {
        let has_room = match *self {
            Room::Pkts(pkts) => at.waiting_pkts < pkts,
            Room::Bytes(bytes) => at.waiting_bytes + u64::from(size) <= bytes,
        };
        has_room || at.is_idle()
    }

    /// While fewer packets than this are waiting or in transmission there is room for one more, whatever its size.
    pub fn sure_pkts(&self) -> u32 {
        match *self {
            Room::Pkts(pkts) => pkts,
            Room::Bytes(_) => 0,
        }
    }
}

/// What is wrong with a limit, for [`Config::check`](super::Config::check).
pub(super) fn check_limit(limit: QueueSize) -> Option<(String, String)> {
    let complaint = match limit {
        QueueSize::Packets(pkts) if pkts >= 1.0 && pkts.fract() == 0.0 => return None,
        QueueSize::Bytes(bytes) if bytes >= 1 => return None,
        QueueSize::Packets(pkts) => format!("{pkts} packets given; legal is a whole number of packets from 1"),
        QueueSize::Bytes(_) => "0 B given; legal are 1 B and more".to_owned(),
    };
    Some(("limit".to_owned(), complaint))
}
