//! The window of a source and the packets that it covers (draft-ietf-rmt-bb-pgmcc-03 section 2.2). It says how many
//! packets may be sent; headers, time and the choice of the acker are for others.

use super::outstanding::Outstanding;
use super::window::TokenWindow;
use crate::packet::Address;

/// When to send, from ACKs, losses and time-outs.
///
/// Every packet takes a token. It comes back once: when the packet is acknowledged or declared lost. So at any moment
/// W - T is the number of packets outstanding.
#[derive(Clone, Debug)]
pub struct WindowControl {
    window: TokenWindow,
    outstanding: Outstanding,
    /// Losses of packets before this one change nothing: they belong to the last halving or time-out.
    ignore_until: u64,
}

/// What an ACK did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckOutcome {
    /// Packets acknowledged for the first time.
    pub acknowledged: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// The loss that has halved the window, by the packet's number.
    pub halved: Option<u64>,
}

impl WindowControl {
    /// W = T = 1, and nothing sent. Up to `ssthresh` packets the window grows by one for each packet acknowledged.
    pub fn new(ssthresh: f64) -> WindowControl {
        WindowControl { window: TokenWindow::new(ssthresh), outstanding: Outstanding::default(), ignore_until: 0 }
    }

    /// A packet is sent that names this acker. Its number. There must be a [token](Self::has_token).
    pub fn send(&mut self, acker: Option<Address>) -> u64 {
        debug_assert!(self.has_token());
        self.window.spend();
        let number = self.outstanding.send(acker);
        self.check();
        number
    }

    /// The packet with this number, by its low 32 bits, has not been sent. If it was the last, it is as if it had never
    /// been; else it is missing at receivers.
    pub fn take_back(&mut self, on_wire: u32) {
        if self.outstanding.take_back(on_wire) {
            self.window.give_back(1);
        }
        self.check();
    }

    /// An ACK of `from`, which is or was the acker. `None` if it speaks of what has not been sent.
    pub fn hear(&mut self, from: Address, highest: u32, bitmap: u32) -> Option<AckOutcome> {
        // Tokens left over: not the window bounds the source, and one that grew would mean nothing.
        let in_use = !self.window.has_token();
        let next = self.outstanding.next();
        let ack = self.outstanding.acknowledge(from, highest, bitmap)?;
        self.window.give_back(ack.acknowledged + ack.lost);
        let halved = ack.congestion.filter(|&number| number >= self.ignore_until);
        if halved.is_some() {
            self.window.halve();
            self.ignore_until = next;
        } else if ack.lost == 0 && ack.highest >= self.ignore_until && in_use {
            self.window.grow(ack.acknowledged);
        }
        self.check();
        Some(AckOutcome { acknowledged: ack.acknowledged, lost: ack.lost, halved })
    }

    /// A time-out, or nobody is left to acknowledge: W = T = 1, and what has been sent counts no more.
    pub fn restart(&mut self) {
        self.window.restart();
        self.outstanding.forget();
        self.ignore_until = self.outstanding.next();
        self.check();
    }

    /// An acker is elected: the packets that asked for one are closed.
    pub fn elected(&mut self) {
        let closed = self.outstanding.close_nameless();
        self.window.give_back(closed);
        self.check();
    }

    /// Whether a packet may be sent.
    pub fn has_token(&self) -> bool {
        self.window.has_token()
    }

    /// The window W, packets.
    pub fn window(&self) -> f64 {
        self.window.packets()
    }

    /// The tokens T, packets; below zero after a loss.
    pub fn tokens(&self) -> f64 {
        self.window.tokens()
    }

    /// How many packets are outstanding: W - T.
    pub fn outstanding(&self) -> u64 {
        self.outstanding.len()
    }

    /// The number of a packet that has been sent, from its low 32 bits; `None` if none such has been.
    pub fn number(&self, on_wire: u32) -> Option<u64> {
        self.outstanding.number(on_wire)
    }

    /// The number of the next packet.
    pub fn next(&self) -> u64 {
        self.outstanding.next()
    }

    #[cfg(test)]
    pub(super) fn window_mut(&mut self) -> &mut TokenWindow {
        &mut self.window
    }

    #[cfg(test)]
    pub(super) fn begin_at(&mut self, number: u64) {
        self.outstanding.begin_at(number);
        self.ignore_until = number;
    }

    fn check(&self) {
        debug_assert!(self.window.holds_back(self.outstanding.len()), "{self:?}");
        debug_assert_eq!(self.outstanding.len(), self.outstanding.recount());
    }
}
