//! Receivers that ask for less than the application has use for (RFC 4654 section 3.3), by a sender alone.

use super::receiver_tests::{GROUP, SENDER};
use super::sender_tests::report;
use super::*;
use crate::endpoint::{Endpoint, Input, Outbox};
use crate::packet::{Address, FlowId};
use crate::time::{Instant, Rate};

#[test]
fn a_limiting_receiver_that_asks_for_too_little_limits_no_longer() {
    let [first, second] = [1, 2].map(Address::endpoint);
    for (exclude_below, limits) in [(None, Some(first)), (Some(Rate(5000)), None)] {
        let config = Config { exclude_below, ..Config::default() };
        let mut sender = Sender::new(&config, FlowId(0), SENDER, GROUP);
        sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
        report(&mut sender, 1.0, 1, (true, true), 8000.0);
        assert_eq!(sender.clr(), Some(first));
        let before = sender.rate_bps();
        report(&mut sender, 1.2, 1, (true, true), 4000.0);
        assert_eq!((sender.clr(), sender.rate_bps() < before), (limits, limits.is_some()), "{exclude_below:?}");
        // Exactly as much is enough.
        report(&mut sender, 1.4, 2, (true, true), 5000.0);
        assert_eq!(sender.clr(), limits.or(Some(second)));
    }
}

#[test]
fn who_loses_nothing_is_heeded_whatever_it_asks_for() {
    let config = Config { exclude_below: Some(Rate(50_000)), ..Config::default() };
    let mut sender = Sender::new(&config, FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    let limits = [(true, 60_000.0), (false, 30_000.0), (true, 30_000.0)].map(|(have_loss, rate_bps)| {
        report(&mut sender, 1.0, 1, (true, have_loss), rate_bps);
        sender.clr().is_some()
    });
    assert_eq!(limits, [true, true, false]);
}
