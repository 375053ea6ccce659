//! NewReno: the window rule of Reno; what is new is the recovery (RFC 6582), see `../recovery.rs`.

use super::{Recovery, WindowRule};
use crate::tcp::config::Config;

/// The rule of RFC 5681 with the recovery of RFC 6582.
#[derive(Clone, Debug)]
pub struct NewReno;

impl NewReno {
    /// Needs nothing from the configuration.
    pub fn new(_: &Config) -> NewReno {
        NewReno
    }
}

impl WindowRule for NewReno {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }
}
