//! The turns of a sender, whatever it sends: its source learns when there is something, and when there is nothing.

use crate::carried::Outbound;
use crate::told::Source;
use crate::turns::instant;
use faircast_proto::endpoint::ENDLESS;
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock;
use faircast_wire::network::Network;
use std::time::Duration;

/// A sender.
pub struct Sending<O> {
    /// Its driver.
    pub driver: Source<O>,
    /// Whether the source believes that there is something.
    is_granted: bool,
}

impl<O: Outbound> Sending<O> {
    /// Of a driver that has not begun.
    pub fn new(driver: Source<O>) -> Sending<O> {
        Sending { driver, is_granted: true }
    }

    /// A turn begins.
    pub fn begin_turn(&mut self, now: Duration) {
        self.driver.content_mut().now = now;
    }

    /// Lets the source know whether there is something to be sent now. If not, when there will be.
    pub fn grant(&mut self, now: Duration, clock: &mut impl Clock, network: &mut impl Network) -> Option<Instant> {
        let due = self.driver.content_mut().offer.next_at(now);
        let is_due = due <= now;
        if is_due != self.is_granted {
            self.is_granted = is_due;
            self.driver.grant(if is_due { ENDLESS } else { 0 }, clock, network);
        }
        (!is_due).then(|| instant(due))
    }
}
