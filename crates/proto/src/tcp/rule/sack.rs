//! SACK: the growth of Reno, the reduction and recovery of RFC 6675, see `../recovery.rs` and `../scoreboard.rs`.

use crate::tcp::window::{MIN_SSTHRESH, Recovery, Window, WindowRule};

/// The rule of RFC 6675.
#[derive(Clone, Debug)]
pub struct Sack;

impl WindowRule for Sack {
    fn recovery(&self) -> Recovery {
        Recovery::Sack
    }

    /// RFC 6675 section 5 step (4.2): half of what is outstanding, for both variables.
    fn on_loss(&mut self, flight: u32, window: &mut Window) {
        window.ssthresh = (f64::from(flight) / 2.0).max(MIN_SSTHRESH);
        window.cwnd = window.ssthresh;
    }
}
