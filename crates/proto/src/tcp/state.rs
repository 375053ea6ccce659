//! The states of a sender.
//!
//! ```text
//! Closed ── start ──▶ Open, or with a handshake: Closed ── start, SYN ──▶ SynSent ── SYN-ACK ──▶ Open
//!
//!                 dupthresh duplicate ACKs, or SACK shows a loss
//!          ┌────────────────────────────────────────────────────────┐
//!          │                                                        ▼
//!       ┌──────┐      Reno: new ACK; others: ACK of all sent   ┌──────────┐
//! ─────▶│ Open │◀──────────────────────────────────────────────│ Recovery │──┐ NewReno, SACK: partial ACK,
//!       │      │              before the loss                  └──────────┘◀─┘ repairs the next loss
//!       └──────┘                                                    │
//!        ▲ │ ▲ └──┐ time-out: window 1, go back to `snd_una`        │
//!        │ │ └────┘◀────────────────────────────────────────────────┘
//!        │ │ congestion echo with a window of 1
//!        │ ▼
//!       ┌──────┐
//!       │ Held │  sends nothing until the timer expires (RFC 3168 section 6.1.2)
//!       └──────┘
//! ```

/// See the diagram at the head of this file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Not begun.
    Closed,
    /// Waiting for the SYN-ACK.
    SynSent,
    /// Nothing known to be lost.
    Open,
    /// Repairing a loss found by duplicate ACKs or SACK.
    Recovery {
        /// Segments that duplicate ACKs show to have left the network, which new ones may replace (RFC 5681
        /// section 3.2); not used with SACK.
        inflation: f64,
        /// A partial ACK has come (RFC 6582).
        partial_ack: bool,
    },
    /// Waiting for the timer because of a congestion echo with a window of one segment.
    Held,
}

/// Why the window was last reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCut {
    /// It has not been.
    None,
    /// Duplicate ACKs, or SACK, showed a loss.
    Loss,
    /// A congestion echo.
    Echo,
    /// The retransmission timer expired.
    Timeout,
}
