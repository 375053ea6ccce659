//! Windows of whole segments, over the sender: growth, and what each kind of reduction leaves.

use super::alone::{Alone, CLEAR, window_of};
use super::*;
use crate::tcp::rule::cubic::Growth;

/// A window of 11 of which 9 of the next segment are acknowledged: 11.8.
fn eleven_and_nine(config: Config) -> Alone {
    let config = Config { whole_segments: true, ..config };
    let (mut alone, sent) = Alone::start(&config);
    assert_eq!(sent.split(' ').count(), 11);
    for ack in 1..=9 {
        alone.hear(0.1, ack, CLEAR, &[]);
    }
    assert!((alone.cwnd() - (11.0 + 9.0 / 11.0)).abs() < 1e-9, "{}", alone.cwnd());
    alone
}

/// Window and threshold.
fn windows(alone: &Alone) -> [f64; 2] {
    [alone.cwnd(), alone.shown().ssthresh_pkts]
}

#[test]
fn the_window_grows_when_as_many_as_it_has_are_acknowledged() {
    let mut alone = eleven_and_nine(window_of(11.0, Variant::NewReno));
    alone.hear(0.1, 10, CLEAR, &[]);
    assert_eq!(alone.hear(0.1, 11, CLEAR, &[]), "21 22");
    assert_eq!(alone.cwnd(), 12.0);
    // By parts a twelfth is missing.
    let (mut alone, _) = Alone::start(&window_of(11.0, Variant::NewReno));
    (1..=11).for_each(|ack| drop(alone.hear(0.1, ack, CLEAR, &[])));
    assert!(alone.cwnd() < 12.0);
}

#[test]
fn losses_and_marks_leave_whole_segments_of_whole_ones() {
    let mut alone = eleven_and_nine(Config { hystart: Some(false), ..window_of(11.0, Variant::NewReno) });
    for _ in 0..3 {
        alone.hear(0.2, 9, CLEAR, &[]);
    }
    assert_eq!(windows(&alone), [5.0, 5.0]);
    let (factor, mecn) = (0.8, Mecn { alpha1: 0.2, alpha2: 0.5, alpha3: 0.5, ..Mecn::default() });
    let marked = Config { ecn: EcnMode::Mecn, mecn, ..window_of(11.0, Variant::NewReno) };
    let mut alone = eleven_and_nine(marked.clone());
    // Of 11 by 0.8, and not of 11.8, which would be 9.
    alone.hear(0.2, 9, Ecn::Incipient, &[]);
    assert_eq!(windows(&alone), [f64::floor(11.0 * factor), 8.0]);
    // What is missing to a half: 8 by 0.5 / 0.8.
    alone.hear(0.2, 9, Ecn::Moderate, &[]);
    assert_eq!(windows(&alone), [5.0, 5.0]);
}

#[test]
fn a_loss_after_a_mark_is_of_whole_segments() {
    let mecn = Mecn { alpha1: 0.2, alpha2: 0.5, alpha3: 0.5, ..Mecn::default() };
    let config = Config { ecn: EcnMode::Mecn, mecn, whole_segments: true, ..window_of(16.0, Variant::NewReno) };
    let (mut alone, _) = Alone::start(&config);
    alone.hear(0.1, 1, Ecn::Incipient, &[]);
    (2..=12).for_each(|ack| drop(alone.hear(0.1, ack, CLEAR, &[])));
    assert!((alone.cwnd() - (12.0 + 11.0 / 12.0)).abs() < 1e-9, "{}", alone.cwnd());
    (0..3).for_each(|_| drop(alone.hear(0.1, 12, CLEAR, &[])));
    // 12 by 0.5 / 0.8, and not 12.9, which would be 8.
    assert_eq!(windows(&alone), [7.0, 7.0]);
}

#[test]
fn a_time_out_leaves_a_threshold_of_whole_segments() {
    let mut alone = eleven_and_nine(window_of(11.0, Variant::NewReno));
    alone.wake();
    assert_eq!(windows(&alone), [1.0, 5.0]);
}

#[test]
fn the_cubic_function_of_the_rfc_keeps_its_parts() {
    for (growth, ssthresh) in [(Growth::Rfc9438, 11.0 * 0.7), (Growth::Linux, 7.0)] {
        let mut config = Config { whole_segments: true, ..window_of(11.0, Variant::Cubic) };
        config.cubic.growth = growth;
        let (mut alone, _) = Alone::start(&config);
        alone.wake();
        assert_eq!(windows(&alone), [1.0, ssthresh], "{growth:?}");
    }
}
