//! What crosses one link, as far as memory goes.

/// What crosses one link.
#[derive(Clone, Default)]
pub(super) struct Load {
    /// Packets that those who send over it may have under way.
    pub(super) most: f64,
    /// Packets that arrive in the whole run.
    pub(super) arrivals: f64,
    /// Bits of the smallest packet.
    pub(super) smallest: f64,
    /// Bit/s at which packets may come.
    pub(super) inflow: f64,
    /// Load for a short time, in which sources may send as fast as they like.
    pub(super) at_a_time: f64,
    /// Packets that may come at one moment: from each link before it one, from sources what they send at once.
    pub(super) feeders: f64,
}

impl Load {
    pub(super) fn add(&mut self, most: f64, arrivals: f64, bits: f64) {
        self.most += most;
        self.arrivals += arrivals;
        self.smallest = if self.smallest == 0.0 { bits } else { self.smallest.min(bits) };
    }
}
