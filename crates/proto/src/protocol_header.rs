//! The contract of a header: what a protocol says in its packets.

use crate::digest::Digest;
use crate::wire::message::Message;
use std::fmt;

/// What a protocol says in its packets: its own part of [`Header`](crate::packet::Header). Sequence numbers
/// count packets, lags are in microseconds, rates are `f32`: there is room for 36 bytes.
pub trait ProtocolHeader: Message + Copy + fmt::Debug + PartialEq {
    /// A number that tells two of them apart, for traces of runs that must be equal. Time stamps are left out: they
    /// hold the constant offsets of clocks.
    fn digest(&self) -> u64 {
        self.mix(Digest::new()).value()
    }

    /// Whether its packet carries data, and not an acknowledgement or a report.
    fn is_data(&self) -> bool;

    /// Its packet's number as the protocol counts, the one by which events name it as their
    /// [cause](crate::event::Cause::number); none if it has none.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Whether what its packet carries has been sent before.
    fn is_retransmission(&self) -> bool {
        false
    }

    /// Whether its packet takes one of those that an application has [granted](crate::endpoint::Input::Granted): data
    /// that has not been sent before.
    fn takes_granted(&self) -> bool {
        self.is_data() && !self.is_retransmission()
    }

    /// Any header at all, for tests of what endpoints stand.
    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Self;
}
