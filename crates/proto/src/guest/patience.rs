//! An end to guests whose deadline never leaves a moment: a run with one would hang, and say nothing.

use crate::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use crate::time::Instant;

/// Time-outs at one moment after which it is thought that they are wanted forever. They take some tenths of a second,
/// and no host sends as many packets at once.
const AT_ONCE: u32 = 1_000_000;

/// Counts time-outs at one moment.
#[derive(Debug, Default)]
pub struct Patience {
    /// The last moment at which there was one, and how many there were.
    timeouts: (Instant, u32),
}

impl Patience {
    /// There is a time-out of `whose` deadline.
    ///
    /// # Panics
    /// Too many came at this moment.
    #[inline]
    pub fn time_out(&mut self, now: Instant, whose: impl FnOnce() -> String) {
        let (last, number) = self.timeouts;
        self.timeouts = (now, if last == now { number + 1 } else { 1 });
        if self.timeouts.1 >= AT_ONCE {
            panic!("the deadline of {} does not leave the moment {} ns: {AT_ONCE} time-outs", whose(), now.0);
        }
    }
}

/// An endpoint from outside the tree. Panics when it wants time-outs without end at one moment.
pub(super) struct Patient<E> {
    endpoint: E,
    patience: Patience,
}

impl<E> Patient<E> {
    pub(super) fn new(endpoint: E) -> Patient<E> {
        Patient { endpoint, patience: Patience::default() }
    }
}

impl<E: Endpoint> Endpoint for Patient<E> {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Timeout = input {
            self.patience.time_out(now, || std::any::type_name::<E>().to_owned());
        }
        self.endpoint.handle(now, input, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.endpoint.deadline()
    }

    fn report(&self) -> Report {
        self.endpoint.report()
    }

    fn sees_link_losses(&self) -> bool {
        self.endpoint.sees_link_losses()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.endpoint.gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        self.endpoint.measure(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has the deadline that it is given, and counts its time-outs.
    struct Asked(Option<Instant>, u64);

    impl Endpoint for Asked {
        fn handle(&mut self, _now: Instant, input: Input<'_>, _out: &mut Outbox) {
            self.1 += u64::from(matches!(input, Input::Timeout));
        }

        fn deadline(&self) -> Option<Instant> {
            self.0
        }

        fn report(&self) -> Report {
            Report { received_pkts: self.1, ..Report::default() }
        }

        fn gauges(&self) -> &'static [Gauge] {
            const { &[Gauge::count("rounds", "1", "Rounds.")] }
        }

        fn measure(&self, values: &mut [f64]) {
            values[0] = 7.0;
        }
    }

    fn time_out(endpoint: &mut Patient<Asked>, times: u32, now: u64) {
        let mut out = Outbox::default();
        for _ in 0..times {
            endpoint.handle(Instant(now), Input::Timeout, &mut out);
        }
    }

    #[test]
    fn time_outs_that_move_on_may_be_as_many_as_they_like() {
        let mut endpoint = Patient::new(Asked(Some(Instant(5)), 0));
        for now in 3..6 {
            time_out(&mut endpoint, AT_ONCE - 1, now);
            endpoint.handle(Instant(now), Input::Stop, &mut Outbox::default());
        }
        assert_eq!(endpoint.report().received_pkts, 3 * u64::from(AT_ONCE - 1));
        let mut values = [0.0];
        endpoint.measure(&mut values);
        assert_eq!((endpoint.deadline(), endpoint.gauges().len(), values), (Some(Instant(5)), 1, [7.0]));
    }

    #[test]
    #[should_panic(expected = "Asked does not leave the moment 3 ns: 1000000 time-outs")]
    fn a_deadline_that_stays_ends_in_a_message() {
        time_out(&mut Patient::new(Asked(None, 0)), AT_ONCE, 3);
    }
}
