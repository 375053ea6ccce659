//! What links count.

/// What a link has done since the start of the run, in packets unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LinkCounters {
    /// Came to the queue.
    pub arrived: u64,
    /// Came to the far end.
    pub delivered: u64,
    /// Bytes that came to the far end.
    pub delivered_bytes: u64,
    /// Left the transmitter.
    pub departed: u64,
    /// Bytes that left the transmitter.
    pub departed_bytes: u64,
    /// Lost on the way by the loss model.
    pub lost: u64,
    /// Dropped because the limit was reached.
    pub dropped_overflow: u64,
    /// Dropped by the discipline although there was room.
    pub dropped_active: u64,
    /// Raised to incipient congestion.
    pub marked_incipient: u64,
    /// Raised to moderate congestion (the only level of RFC 3168).
    pub marked_moderate: u64,
}
