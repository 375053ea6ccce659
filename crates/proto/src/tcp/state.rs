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
//!
//! `Open` and `Recovery` are both [`State::Running`]; which of them, [`LossRecovery`](super::recovery::LossRecovery)
//! knows.

/// The states of a sender, as in the diagram at the head of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not begun.
    Closed,
    /// Waiting for the SYN-ACK.
    SynSent,
    /// Sending data.
    Running,
    /// Waiting for the timer because of a congestion echo with a window of one segment.
    Held,
}
