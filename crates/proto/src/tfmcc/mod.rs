//! TFMCC: TCP-friendly single-rate multicast congestion control (RFC 4654).
//!
//! Each receiver measures its loss event rate and round-trip time and reports the rate a TCP would have; the sender
//! follows the lowest, that of the current limiting receiver (CLR). Others report in rounds, by random timers, and keep
//! silent if a lower rate has been heard of.
//!
//! | file | part | source: RFC 4654 |
//! |---|---|---|
//! | `config.rs` | the parameters | at each field |
//! | `header.rs` | what packets say | section 2.2 |
//! | `sender.rs` | rate, slow start, packets | sections 3.1, 3.3, 3.6, 3.7 |
//! | `clr.rs` | selection, change, silence and leave of the CLR | sections 3.3, 3.6 |
//! | `rounds.rs` | feedback rounds, suppression rate | section 3.4 |
//! | `max_rtt.rs` | R_max | section 3.2 |
//! | `echo.rs` | whose time stamp is echoed | section 3.5 |
//! | `receiver.rs` | desired rate, reports, leave | sections 4.1, 4.2, 4.4, 4.5 |
//! | `rtt.rs` | round-trip time and one-way adjustment | sections 4.3.2, 4.3.3 |
//! | `receive_rate.rs` | the rate of arrivals | section 4.3.4 |
//! | `suppression.rs` | feedback timers | section 4.5 |
//! | `sequence.rs` | sequence numbers that wrap, and wild ones | RFC 3550 appendix A.1 |
//! | `suppressors.rs` | a bound for those who suppress without limiting | none |
//! | `loss_history.rs` | loss events, intervals, discounting | section 5 |
//! | `show.rs` | what endpoints show, and what happens in them | none |
//! | `quantise.rs` | short numbers on the wire, optional | section 2.2.1 |
//! | `scaling.rs` | the hook for schemes that multiply the rate | none |
//!
//! The sender's states:
//!
//! ```text
//!  start ──▶ slow start ──── first report of a loss ────▶ CLR followed ◀── report of it: min(X_r, X + 8s/R_max)
//!                                                          │        ▲  ◀── lower rate of another: CLR = it
//!                                     silent for 10 R      ▼        │ report of any: CLR = it, held for a round
//!                                                          no CLR ──┘ ◀── silence: X/2 each 10 R_max
//! ```
//!
//! `docs/tfmcc.md` has the parameters and the deviations.

mod clr;
mod config;
mod echo;
#[cfg(test)]
mod group_tests;
mod header;
#[cfg(test)]
mod late_tests;
mod loss_history;
mod max_rtt;
pub mod quantise;
mod receive_rate;
mod receiver;
#[cfg(test)]
mod receiver_tests;
mod rounds;
mod rtt;
mod scaling;
mod sender;
#[cfg(test)]
mod sender_tests;
mod sequence;
mod show;
mod suppression;
mod suppressors;
#[cfg(test)]
mod tests;

pub use config::{Config, GapFloor, MaxRttRule, OneWayAdjustment, SeedFloor, TimerBias};
pub use header::{DataHeader, Echo, FeedbackHeader, Header, Plain, Wording};
pub use receiver::{Receiver, ReceiverOf};
pub use scaling::{LEAST_SCALE, MOST_SCALE, Scaling};
pub use sender::{Sender, SenderOf};
pub use show::{EVENTS, LIMITING_RECEIVER, LOSS_EVENT, RATE, RECEIVER_GAUGES, SENDER_GAUGES, SLOW_START_ENDED};
