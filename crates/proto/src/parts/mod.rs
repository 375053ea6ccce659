//! What several protocols are made of. Each part stands for itself: it knows no packets and no endpoint.
//!
//! | file | part | source |
//! |---|---|---|
//! | `throughput_equation.rs` | the rate of a TCP at a loss event rate, and the inverse | RFC 5348 section 3.1 |
//! | `rtt.rs` | stamps in microseconds; round-trip time and one-way adjustment | RFC 4654 sections 4.3.2, 4.3.3 |
//! | `pacer.rs` | packets evenly spaced by a rate that changes | RFC 4654 section 3.7 |

pub mod pacer;
pub mod rtt;
pub mod throughput_equation;
