//! The window W and the tokens T of a source (draft-ietf-rmt-bb-pgmcc-03 section 2.2): arithmetic alone.

/// The window W, how many packets may be outstanding, and the tokens T, how many may be sent now.
///
/// Both are fixed-point numbers with 32 bits behind the point, so that what is added to both or taken from both leaves
/// their difference as it was, to the last bit: W - T is the number of packets outstanding.
///
/// ```
/// use faircast_proto::pgmcc::TokenWindow;
///
/// let mut window = TokenWindow::new(4.0);
/// window.spend();
/// window.give_back(1);
/// window.grow(1);
/// assert_eq!((window.packets(), window.tokens()), (2.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenWindow {
    window: i64,
    tokens: i64,
    /// Below this the window grows by a packet for each one acknowledged.
    ssthresh: i64,
}

/// Bits behind the point.
const FRACTION: u32 = 32;
const ONE: i64 = 1 << FRACTION;
/// The largest window, packets: more than any link holds. Its square is a fixed-point number still.
const MOST: i64 = ONE << 20;

impl TokenWindow {
    /// W = T = 1. `ssthresh` is in packets, 1 or more.
    pub fn new(ssthresh: f64) -> TokenWindow {
        TokenWindow { window: ONE, tokens: ONE, ssthresh: fixed(ssthresh) }
    }

    /// W = T = 1 again, as nothing is outstanding any more.
    pub fn restart(&mut self) {
        (self.window, self.tokens) = (ONE, ONE);
    }

    /// A packet is sent.
    pub fn spend(&mut self) {
        self.tokens -= ONE;
    }

    /// So many packets are outstanding no longer.
    pub fn give_back(&mut self, packets: u64) {
        self.tokens += packets as i64 * ONE;
    }

    /// So many packets have been acknowledged: a packet for each up to the threshold, then a packet per window.
    pub fn grow(&mut self, acknowledged: u64) {
        let mut rest = acknowledged as i64 * ONE;
        if self.window < self.ssthresh {
            let opening = rest.min(self.ssthresh - self.window);
            rest -= opening;
            self.open(opening);
        }
        self.open((i128::from(rest) * i128::from(ONE) / i128::from(self.window)) as i64);
    }

    /// A loss: half the window, but not below a packet. The tokens lose as much, below zero if more is outstanding than
    /// the window holds now.
    pub fn halve(&mut self) {
        self.open((self.window / 2).max(ONE) - self.window);
    }

    /// W is `packets` from now on, from 1 to 2^20, whatever is outstanding: for an owner that knows it from elsewhere.
    pub fn set(&mut self, packets: f64) {
        self.open(fixed(packets) - self.window);
    }

    /// W, packets.
    pub fn packets(&self) -> f64 {
        self.window as f64 / ONE as f64
    }

    /// T, packets; below zero when more is outstanding than the window holds.
    pub fn tokens(&self) -> f64 {
        self.tokens as f64 / ONE as f64
    }

    /// Whether there is a token for a packet.
    pub fn has_token(&self) -> bool {
        self.tokens >= ONE
    }

    /// Whether W - T is exactly this number.
    pub fn holds_back(&self, outstanding: u64) -> bool {
        i128::from(self.window - self.tokens) == i128::from(outstanding) << FRACTION
    }

    fn open(&mut self, by: i64) {
        let by = by.min(MOST - self.window);
        self.window += by;
        self.tokens += by;
    }
}

fn fixed(packets: f64) -> i64 {
    // A float-to-integer cast saturates, and maps NaN to zero.
    ((packets * ONE as f64) as i64).clamp(ONE, MOST)
}
