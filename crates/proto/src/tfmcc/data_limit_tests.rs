//! X_recv_set by hand. Rates in kbit/s, round-trip times of 100 ms, k = 4: a report covers half a second.

use super::{Bound, Config, DataLimit, DataLimited, Reported};
use crate::packet::Address;
use crate::time::{Duration, Instant};

const SHORT: bool = true;
const USED: bool = false;

/// A limit, and the time of the next report.
struct Told(DataLimit, Instant);

impl Told {
    /// Receiver 1 limits and has reported this, without a loss, in a time in which all was used.
    fn of(kbps: f64) -> Told {
        let config = Config { data_limited: DataLimited::Rfc5348, receive_rate_rtts: 4.0, ..Config::default() };
        let mut told = Told(DataLimit::by(&config).expect("it is asked for"), Instant::from_secs_f64(10.0));
        assert_eq!(told.report(1, kbps, 0.0, USED), Bound::None);
        told
    }

    /// A report a round trip after the last one; its receiver limits from then on.
    fn report(&mut self, receiver: u32, kbps: f64, loss_event_rate: f64, is_short: bool) -> Bound {
        self.1 += Duration::from_millis(100);
        let report =
            Reported { receiver: Address::endpoint(receiver), receive_bps: 1e3 * kbps, loss_event_rate, rtt_s: 0.1 };
        let bound = self.0.bound(self.1, &report, is_short);
        self.0.limits(self.1, &report);
        bound
    }

    /// So many in a row; what the last one says.
    fn reports(&mut self, number: u32, kbps: f64, loss_event_rate: f64, is_short: bool) -> Bound {
        (0..number).map(|_| self.report(1, kbps, loss_event_rate, is_short)).last().expect("there is one")
    }
}

fn growth(kbps: f64) -> Bound {
    Bound::Growth(1e3 * kbps)
}

fn rate(kbps: f64) -> Bound {
    Bound::Rate(1e3 * kbps)
}

#[test]
fn each_loss_in_a_time_without_much_to_send_halves_the_set() {
    let mut told = Told::of(100.0);
    // What was received before stays, and from the sixth report on, half a second after the first, does so alone.
    assert_eq!(told.reports(6, 20.0, 0.0, SHORT), growth(200.0));
    assert_eq!(told.report(1, 120.0, 0.0, SHORT), growth(240.0));
    assert_eq!(told.reports(9, 20.0, 0.0, SHORT), growth(240.0));
    // 60 of 120, 30, and 0.85 times 20 from 15 on.
    assert_eq!(told.report(1, 20.0, 0.001, SHORT), rate(60.0));
    assert_eq!(told.report(1, 20.0, 0.002, SHORT), rate(30.0));
    assert_eq!(told.report(1, 20.0, 0.003, SHORT), rate(17.0));
    assert_eq!(told.report(1, 20.0, 0.004, SHORT), rate(17.0));
    // Neither the same p nor a lower one is a loss.
    assert_eq!(told.report(1, 20.0, 0.004, SHORT), growth(40.0));
    assert_eq!(told.report(1, 10.0, 0.002, SHORT), growth(40.0));
    // But one higher than the last is.
    assert_eq!(told.report(1, 10.0, 0.0021, SHORT), rate(10.0));
}

#[test]
fn a_loss_that_a_report_tells_of_with_a_time_of_much_halves_nothing() {
    let mut told = Told::of(100.0);
    assert_eq!(told.reports(5, 100.0, 0.0, SHORT), growth(200.0));
    // Not all of the half second before was one without much.
    let mut other = Told::of(100.0);
    for p in [0.001, 0.002, 0.003, 0.004, 0.005] {
        assert_eq!(other.report(1, 100.0, p, SHORT), growth(200.0));
    }
    assert_eq!(other.report(1, 100.0, 0.006, SHORT), rate(85.0));
    // Nor if it has had much in between.
    assert_eq!(told.report(1, 100.0, 0.0, USED), Bound::None);
    assert_eq!(told.report(1, 100.0, 0.001, SHORT), growth(200.0));
}

#[test]
fn in_a_time_of_much_nothing_is_bounded_and_two_round_trip_times_count() {
    let mut told = Told::of(100.0);
    for (kbps, largest) in [(90.0, 100.0), (20.0, 100.0), (20.0, 90.0), (20.0, 20.0), (30.0, 30.0)] {
        let mut next = Told(told.0.clone(), told.1);
        assert_eq!(told.report(1, kbps, 0.01, USED), Bound::None);
        next.report(1, kbps, 0.01, USED);
        assert_eq!(next.report(1, 1.0, 0.01, SHORT), growth(2.0 * largest), "{kbps}");
    }
}

#[test]
fn a_source_that_never_had_much_need_not_wait() {
    let config = Config { data_limited: DataLimited::Rfc5348, ..Config::default() };
    let mut told = Told(DataLimit::by(&config).expect("it is asked for"), Instant::from_secs_f64(10.0));
    assert_eq!(told.report(1, 20.0, 0.0, SHORT), growth(40.0));
    assert_eq!(told.report(1, 20.0, 0.001, SHORT), rate(17.0));
}

#[test]
fn the_set_is_that_of_who_limits() {
    let mut told = Told::of(100.0);
    told.reports(6, 100.0, 0.0, SHORT);
    // Another is bounded by what it has got itself, and that it had losses before is no news.
    assert_eq!(told.report(2, 30.0, 0.01, SHORT), growth(60.0));
    assert_eq!(told.report(2, 20.0, 0.01, SHORT), growth(60.0));
    assert_eq!(told.report(2, 20.0, 0.02, SHORT), rate(17.0));
    assert_eq!(told.report(1, 50.0, 0.01, USED), Bound::None);
    // One that does not limit changes nothing of it.
    let other = Reported { receiver: Address::endpoint(2), receive_bps: 9e6, loss_event_rate: 0.5, rtt_s: 0.1 };
    assert_eq!(told.0.bound(told.1, &other, SHORT), Bound::Growth(18e6));
    assert_eq!(told.report(1, 40.0, 0.01, SHORT), growth(100.0));
}

#[test]
fn what_nothing_was_received_of_is_no_such_time_and_what_is_no_number_is_nothing() {
    let mut told = Told::of(20.0);
    told.reports(6, 20.0, 0.0, SHORT);
    for (kbps, p) in [(0.0, 0.5), (-1.0, 0.6), (f64::NAN, 0.7), (10.0, f64::NAN), (10.0, 0.8)] {
        assert_eq!(told.report(1, kbps, p, SHORT), growth(40.0), "{kbps} {p}");
    }
    assert_eq!(told.report(1, 10.0, 0.9, SHORT), rate(10.0));
}

#[test]
fn who_reports_all_the_time_takes_no_memory() {
    let mut told = Told::of(100.0);
    for lower in 0..1000 {
        let report = Reported {
            receiver: Address::endpoint(1),
            receive_bps: 1e5 - f64::from(lower),
            loss_event_rate: 0.0,
            rtt_s: 60.0,
        };
        told.0.bound(told.1, &report, SHORT);
    }
    // The last eight.
    let report = Reported { receiver: Address::endpoint(1), receive_bps: 1.0, loss_event_rate: 0.0, rtt_s: 60.0 };
    assert_eq!(told.0.bound(told.1, &report, SHORT), Bound::Growth(2.0 * (1e5 - 993.0)));
}
