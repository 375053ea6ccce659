//! NewReno: the window rule of Reno; what is new is the recovery (RFC 6582), see `../recovery.rs`.

use crate::tcp::window::{Recovery, WindowRule};

/// The rule of RFC 5681 with the recovery of RFC 6582.
#[derive(Clone, Debug)]
pub struct NewReno;

impl WindowRule for NewReno {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }
}
