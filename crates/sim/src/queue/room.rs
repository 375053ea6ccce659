//! Limits: whether there is room for one more packet.

use super::InterfaceView;
use faircast_proto::quantity::QueueSize;

/// The most that may wait. One of the two numbers binds, the other never does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Packets that may wait.
    pkts: u32,
    /// Bytes that may wait.
    bytes: u64,
}

impl Room {
    /// Room for `limit` packets or bytes besides the packet in transmission.
    pub fn waiting(limit: QueueSize) -> Room {
        match limit {
            // The cast saturates: more than four thousand million packets are no limit.
            QueueSize::Packets(pkts) => Room { pkts: pkts as u32, bytes: u64::MAX },
            QueueSize::Bytes(bytes) => Room { pkts: u32::MAX, bytes },
        }
    }

    /// Room for less than `limit`, as ns-2's drop-tail compares: of `limit` packets one is in transmission.
    pub fn waiting_below(limit: QueueSize) -> Room {
        let Room { pkts, bytes } = Room::waiting(limit);
        match limit {
            QueueSize::Packets(_) => Room { pkts: pkts.saturating_sub(1), bytes },
            QueueSize::Bytes(_) => Room { pkts, bytes: bytes.saturating_sub(1) },
        }
    }

    /// Whether a packet of `size` bytes finds room. An idle interface transmits it at once.
    #[inline]
    pub fn admits(&self, size: u16, at: &InterfaceView) -> bool {
        (at.waiting_pkts < self.pkts && at.waiting_bytes + u64::from(size) <= self.bytes) || at.is_idle()
    }

    /// While fewer packets than this are waiting or in transmission there is room for one more, whatever its size.
    pub fn sure_pkts(&self) -> u32 {
        if self.bytes == u64::MAX { self.pkts } else { 0 }
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
