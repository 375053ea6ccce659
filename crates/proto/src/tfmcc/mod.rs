//! TFMCC: TCP-friendly single-rate multicast congestion control (RFC 4654).
//!
//! Each receiver measures its loss event rate and round-trip time and reports the rate a TCP would have; the sender
//! follows the lowest, that of the current limiting receiver (CLR). Others report in rounds, by random timers, and keep
//! silent if a lower rate has been heard of. Sections without a number of an RFC are of RFC 4654.
//!
//! | file | part | source: RFC 4654 |
//! |---|---|---|
//! | `config.rs` | the parameters | at each field |
//! | `scheme.rs` | the endpoints that they make | none |
//! | `header.rs` | what packets say | section 2.2 |
//! | `wording.rs` | in whose headers they say it, for schemes that say more | none |
//! | `sender.rs` | the endpoint of the parts below | section 3 |
//! | `feedback.rs` | what a report says to the rate | section 2.2.2 |
//! | `rate_control.rs` | the rate and its states; needs no packets | sections 3.1 to 3.4, 3.6 |
//! | `data_limit.rs` | what a report may make of a rate that the application does not use | RFC 5348 section 4.3 |
//! | `data_packets.rs` | data packets and their numbers | section 2.2.1 |
//! | `clr.rs` | selection, change, silence and leave of the CLR | sections 3.3, 3.6 |
//! | `start.rs` | a start of its own, by the parameter `slow_start` | none; RFC 9406 for its end |
//! | `rounds.rs` | feedback rounds, suppression rate | section 3.4 |
//! | `max_rtt.rs` | R_max | section 3.2 |
//! | `echo.rs` | whose time stamp is echoed | section 3.5 |
//! | `receiver.rs` | the endpoint of the parts below; leave | sections 4.1, 4.2, 4.4 |
//! | `measurement.rs` | what is measured, and the desired rate; needs no reports | sections 4.3, 4.4, 5 |
//! | `loss_window.rs` | how long a loss event lasts to a TCP, by `loss_event_span` | none; RFC 6675 section 5 |
//! | `reporting.rs` | when to report | section 4.5 |
//! | `streak.rs` | packets in a row that say nothing new, counted instead of taken one by one | none |
//! | `suppression.rs` | feedback timers | section 4.5 |
//! | `report_packets.rs` | feedback packets | section 2.2.2 |
//! | `suppressors.rs` | a bound for those who suppress without limiting | none |
//! | `show.rs` | what endpoints show, and what happens in them | none |
//! | `quantise.rs` | short numbers on the wire, optional | section 2.2.1 |
//! | `scaling.rs` | the hook for schemes that multiply the rate | none |
//!
//! What other schemes have in common with it is in [`parts`](crate::parts): sequence numbers, loss detection, loss
//! events and their history, receive rate and round-trip times of a receiver, the pacer of a sender, the throughput
//! equation.
//!
//! `docs/tfmcc.md` has the parameters and the deviations.

mod clr;
mod config;
mod data_limit;
#[cfg(test)]
mod data_limit_tests;
mod data_packets;
mod echo;
#[cfg(test)]
mod exclusion_tests;
mod feedback;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod group_tests;
mod header;
#[cfg(test)]
mod late_tests;
#[cfg(test)]
mod lie_tests;
mod loss_window;
mod max_rtt;
mod measurement;
pub mod quantise;
mod rate_control;
mod receiver;
#[cfg(test)]
mod receiver_tests;
mod report_packets;
mod reporting;
mod rounds;
mod scaling;
mod scheme;
mod sender;
#[cfg(test)]
mod sender_tests;
mod show;
mod start;
mod streak;
#[cfg(test)]
mod streak_tests;
#[cfg(test)]
mod supply_tests;
mod suppression;
mod suppressors;
#[cfg(test)]
mod tests;
mod wording;

pub use config::{
    Config, DataLimited, GapFloor, IdleFloor, LossEventSpan, MaxRttRule, OneWayAdjustment, Outages, Profile, SeedFloor,
    SlowStart, TimerBias, UnansweredClr,
};
pub use data_limit::{Bound, DataLimit, Reported};
pub use data_packets::DataPackets;
pub use echo::{Echoes, Stamp};
pub use feedback::Feedback;
pub use header::{DATA, DataHeader, Echo, FEEDBACK, FeedbackHeader, Header};
pub use measurement::{Measurement, Recorded, SequenceSpace, Taken};
pub use rate_control::{Passed, RateControl, RateCounts, ReportOutcome};
pub use receiver::{Receiver, ReceiverOf};
pub use report_packets::ReportPackets;
pub use reporting::{Place, Reporting, Silencing};
pub use scaling::{LEAST_SCALE, MOST_SCALE, Scaling};
pub use sender::{Sender, SenderOf};
pub use show::{EVENTS, LIMITING_RECEIVER, LOSS_EVENT, RATE, RECEIVER_GAUGES, REPORT, SENDER_GAUGES, SLOW_START_ENDED};
pub use streak::Stretch;
pub use wording::{Plain, Wording};
