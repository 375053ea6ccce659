//! The length of a loss event, with numbers by hand.

use super::*;

/// R, R' and the gap in milliseconds, of a loss.
fn window_ms(rtt_ms: f64, momentary_ms: f64, gap_ms: f64) -> f64 {
    1e3 * loss_window_s(rtt_ms * 1e-3, momentary_ms * 1e-3, gap_ms * 1e-3, false)
}

#[track_caller]
fn is_near(ms: f64, expected_ms: f64) {
    assert!((ms - expected_ms).abs() < 1e-9, "{ms}, not {expected_ms}");
}

#[test]
fn it_is_a_round_trip_of_that_moment_and_three_packets() {
    // A queue that is full: 80 ms where the mean is 70 ms; 4 Mbit/s, 2 ms from one packet of 1000 bytes to the next.
    is_near(window_ms(70.0, 80.0, 2.0), 86.0);
    // One that is empty: not less than R.
    is_near(window_ms(80.0, 70.0, 2.0), 86.0);
}

#[test]
fn three_packets_take_a_quarter_of_a_round_trip_at_most() {
    // Twelve and a half packets per round trip, twelve, and ten.
    is_near(window_ms(100.0, 100.0, 8.0), 124.0);
    is_near(window_ms(96.0, 96.0, 8.0), 120.0);
    is_near(window_ms(100.0, 100.0, 10.0), 125.0);
    // A quarter of what is measured now, not of R.
    is_near(window_ms(100.0, 120.0, 20.0), 150.0);
    is_near(window_ms(100.0, 60.0, 20.0), 115.0);
}

#[test]
fn with_less_than_a_packet_per_round_trip_each_loss_is_an_event() {
    is_near(window_ms(100.0, 100.0, 99.0), 125.0);
    for gap_ms in [100.0, 110.0, 8000.0, f64::INFINITY] {
        is_near(window_ms(100.0, 100.0, gap_ms), 100.0);
    }
    // Per round trip of that moment.
    is_near(window_ms(100.0, 120.0, 110.0), 150.0);
    is_near(window_ms(100.0, 120.0, 120.0), 120.0);
}

#[test]
fn what_is_no_round_trip_time_counts_as_two_or_not_at_all() {
    is_near(window_ms(100.0, 200.0, 1.0), 203.0);
    is_near(window_ms(100.0, 10_000.0, 1.0), 203.0);
    is_near(window_ms(100.0, 10_000.0, 30.0), 250.0);
    // A clock was set back: the least round-trip time.
    is_near(window_ms(100.0, 1.0, 1.0), 100.25);
}

#[test]
fn a_mark_shows_with_the_first_ack() {
    for (momentary_s, expected_s) in [(0.08, 0.08), (0.06, 0.07), (1.0, 0.14)] {
        assert!((loss_window_s(0.07, momentary_s, 0.002, true) - expected_s).abs() < 1e-12);
    }
}

#[test]
fn a_rate_that_is_none_makes_no_shorter_event() {
    is_near(window_ms(100.0, 100.0, -5.0), 100.0);
    is_near(window_ms(100.0, 100.0, f64::NEG_INFINITY), 100.0);
    is_near(window_ms(100.0, 100.0, f64::NAN), 100.0);
}
