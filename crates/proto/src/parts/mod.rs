//! What several protocols are made of. Each part stands for itself: it knows no packets and no endpoint.
//! Sections without a number of an RFC are of RFC 4654.
//!
//! | file | part | source |
//! |---|---|---|
//! | `throughput_equation.rs` | the rate of a TCP at a loss event rate, and the inverse | RFC 5348 section 3.1 |
//! | `rtt.rs` | stamps in microseconds; round-trip time and one-way adjustment | RFC 4654 sections 4.3.2, 4.3.3 |
//! | `rto.rs` | SRTT, RTTVAR and the retransmission time-out | RFC 6298 |
//! | `supply.rs` | what an application has to send | |
//! | `sequence.rs` | sequence numbers that wrap, and wild ones | RFC 3550 appendix A.1 |
//! | `exclusion.rs` | receivers that report too little to be heeded | RFC 4654 section 3.3 |
//! | `loss_detection.rs` | what is missing in a sequence space, and when it is lost | RFC 4654 section 5.1 |
//! | `loss_differentiation/` | which losses are errors of a link, and how often that is right | [Ehlert] section II.C |
//! | `loss_events.rs` | loss events, intervals, discounting | RFC 4654 sections 5.2 to 5.5 |
//! | `loss_history.rs` | both together, for one sequence space or several | RFC 4654 section 5 |
//! | `receive_rate.rs` | the rate of arrivals | RFC 4654 section 4.3.4 |
//! | `pacer.rs` | packets evenly spaced by a rate that changes | RFC 4654 section 3.7 |

pub mod delay_watch;
pub mod exclusion;
pub mod loss_detection;
pub mod loss_differentiation;
pub mod loss_events;
pub mod loss_history;
pub mod pacer;
pub mod receive_rate;
pub mod rto;
pub mod rtt;
pub mod sequence;
pub mod supply;
pub mod throughput_equation;
