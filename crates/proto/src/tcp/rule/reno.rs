//! Reno: slow start, additive increase, halving (RFC 5681), counted in segments: the arithmetic of `Window` itself.

use crate::tcp::window::{Recovery, WindowRule};

/// The rule of RFC 5681. It has no state of its own.
#[derive(Clone, Debug)]
pub struct Reno;

impl WindowRule for Reno {
    fn recovery(&self) -> Recovery {
        Recovery::Reno
    }
}
