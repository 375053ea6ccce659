//! What rain takes of a signal between a satellite and a place on the ground: how much of it is exceeded for which part
//! of the time, and a course over time that has this distribution.
//!
//! | file | subject |
//! |---|---|
//! | `attenuation.rs` | the distribution: ITU-R P.838-3 and P.618-14 |
//! | `synthesis.rs` | the course over time: ITU-R P.1853-2 |

mod attenuation;
mod synthesis;

pub use attenuation::{Path, specific_attenuation};
pub use synthesis::{Rain, Site, correlation};
