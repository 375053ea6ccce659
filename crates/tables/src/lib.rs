//! What endpoints show, as tables: rows of intervals and of events, whoever drives the endpoints.
//!
//! The simulator's results and those of sessions on hosts have the same columns from here, each declared once. What
//! only a network knows (links, queues, paths) is in `crates/scenario`.
//!
//! | module | subject |
//! |---|---|
//! | [`table`] | columns of numbers and of words |
//! | [`declared`] | columns as they are declared: name, meaning and value in one place |
//! | [`ends`] | who is at the ends |
//! | [`gauges`] | columns of what the endpoints of a protocol show |
//! | [`interval`] | what an endpoint reported at the end of an interval, and at the end of the one before |
//! | [`flows`] | the table of flows and sessions, and that of receivers |
//! | [`layers`] | the table of the groups of sessions |
//! | [`events`] | the table of events |
//! | [`per_second`] | amounts per second |

pub mod declared;
pub mod ends;
pub mod events;
pub mod flows;
pub mod gauges;
pub mod interval;
pub mod layers;
pub mod per_second;
pub mod table;
