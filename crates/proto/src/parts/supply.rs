//! What an application has to send, counted in packets.

use crate::endpoint::ENDLESS;

/// The packets that are there for a source to send ([`Input::Granted`](crate::endpoint::Input::Granted)).
///
/// Without end until something else is said; what is taken from that leaves it without end for as long as anybody
/// sends.
///
/// ```
/// use faircast_proto::parts::supply::Supply;
///
/// let mut supply = Supply::default();
/// assert!(!supply.is_empty());
/// supply.set(1);
/// supply.take();
/// assert!(supply.is_empty());
/// supply.give_back();
/// assert_eq!(supply.packets(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply(u64);

/// By how much a rate may exceed what was received while the application limited what was sent: "the sender's sending
/// rate is limited to at most twice the past receive rate" (RFC 5348 section 4.3, of data-limited senders), as in the
/// slow start of RFC 4654 section 3.6.
pub const GREATEST_GROWTH: f64 = 2.0;

impl Supply {
    /// So many are there from now on.
    pub fn set(&mut self, packets: u64) {
        self.0 = packets;
    }

    /// One is sent. There must be one.
    #[inline]
    pub fn take(&mut self) {
        debug_assert!(self.0 > 0, "who takes looks first");
        self.0 -= 1;
    }

    /// One that was taken has not been sent.
    pub fn give_back(&mut self) {
        self.0 = self.0.saturating_add(1);
    }

    /// How many there are.
    #[inline]
    pub fn packets(self) -> u64 {
        self.0
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Default for Supply {
    fn default() -> Supply {
        Supply(ENDLESS)
    }
}
