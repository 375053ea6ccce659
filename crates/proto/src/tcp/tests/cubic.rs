//! CUBIC over the whole machine: losses that are repaired, marks, time-outs. By itself it is tested where it stands.

use super::alone::{Alone, CLEAR};
use super::*;

fn cubic(cwnd: f64) -> Config {
    let (initial_cwnd, initial_ssthresh) = (Packets(cwnd), Some(Packets(cwnd)));
    Config { variant: Variant::Cubic, initial_cwnd, initial_ssthresh, ..Config::default() }
}

/// The mean window, delivered segments per round trip, when one new segment in `every` is lost once.
fn mean_window(config: &Config, every: u32, losses: u32) -> f64 {
    let (mut pair, warm) = (
        pair(config, |number, again| if number % every == 50 && !again { Fate::Lose } else { Fate::Deliver }),
        u64::from(every) * u64::from(losses),
    );
    (pair.record, pair.pester) = (false, false);
    let mut since = Instant::ZERO;
    pair.run_while(seconds(1e6), |pair| {
        if pair.left.acknowledged() < warm {
            since = pair.now();
        }
        pair.left.acknowledged() < 2 * warm
    });
    (pair.left.acknowledged() - warm) as f64 * 0.1 / pair.now().since(since).as_secs_f64()
}

#[test]
fn average_windows_with_repairs_are_those_of_the_rfc() {
    // RFC 9438 section 5.1 Table 1, C = 0.4. A flow that is alone has no fast convergence (section 4.7). The first loss
    // meets the window of the plateau, see `rule/cubic.rs`.
    for (every, expected) in [(1000, 38.0), (10_000, 187.0)] {
        for recovery in [Recovery::NewReno, Recovery::Sack] {
            let mut config = Config { recovery: Some(recovery), ..cubic(expected * 4.0 / 3.7) };
            config.cubic.fast_convergence = false;
            let ratio = mean_window(&config, every, 20) / expected;
            assert!((ratio - 1.0).abs() < 0.1, "1/p = {every}, {recovery:?}: {ratio}");
        }
    }
}

#[test]
fn in_the_reno_friendly_region_it_is_as_fast_as_reno() {
    for every in [100, 300, 1000] {
        let config = cubic(12.0);
        let reno = mean_window(&Config { variant: Variant::NewReno, ..config.clone() }, every, 60);
        let ratio = mean_window(&config, every, 60) / reno;
        assert!((ratio - 1.0).abs() < 0.1, "1/p = {every}: {ratio}");
    }
}

#[test]
fn a_mark_of_plain_ecn_asks_for_beta_and_multilevel_marks_for_what_they_say() {
    for (ecn, level, factor) in
        [(EcnMode::Ecn, Ecn::Moderate, 0.7), (EcnMode::Mecn, Ecn::Incipient, 0.8), (EcnMode::Mecn, Ecn::Moderate, 0.6)]
    {
        let (mut alone, _) = Alone::start(&Config { ecn, ..cubic(10.0) });
        alone.hear(0.1, 1, level, &[]);
        assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (10.0 * factor, 10.0 * factor), "{ecn:?}");
    }
    // With one segment the sender pauses (RFC 3168 section 6.1.2); from 1.4 on it goes to one.
    let (mut alone, _) = Alone::start(&Config { ecn: EcnMode::Ecn, ..cubic(2.0) });
    for (ack, cwnd) in [(1, 1.4), (2, 1.4), (3, 1.0)] {
        alone.hear(0.1 * f64::from(ack), ack, Ecn::Moderate, &[]);
        assert_eq!(alone.cwnd(), cwnd, "{ack}");
    }
}

#[test]
fn a_loss_and_a_timeout_by_hand() {
    let (mut alone, _) = Alone::start(&Config { limited_transmit: false, ..cubic(10.0) });
    assert_eq!([0.1, 0.1, 0.1].map(|at_s| alone.hear(at_s, 0, CLEAR, &[])), ["", "", "0r"]);
    assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (7.0, 7.0));
    // The retransmission is lost, too: window 1, threshold 0.7 * 7.
    assert_eq!(alone.wake(), (3.1, "0r".into()));
    assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (1.0, 7.0 * 0.7));
}

#[test]
fn marks_without_end_lower_the_plateau() {
    // The first 280 segments are marked, windows of 100, 70, 49, 34 and 24, and a part of that of 16.8. Not an ACK is
    // without an echo, so the window does not grow between. From 11.8 on Reno's window holds: 9.5 round trips to 16.8
    // by alpha, 20.5 by one segment, 37 after three seconds. Towards a plateau of 100, with K = 6 s, it would be 90.
    let config = Config { ecn: EcnMode::Ecn, ..cubic(100.0) };
    let network = |number, _| if number < 280 { Fate::Mark(Ecn::Moderate) } else { Fate::Deliver };
    let mut pair = pair(&config, network);
    pair.run_while(seconds(60.0), |pair| pair.left.acknowledged() <= 280);
    let (marked_s, before) = (pair.now().as_secs_f64(), pair.left.shown());
    assert!(before.ecn_reductions > 4 && (11.7..11.8).contains(&before.cwnd_pkts), "{before:?}");
    pair.run_until(seconds(marked_s + 3.0));
    let after = pair.left.shown().cwnd_pkts;
    assert!((after - 37.0).abs() < 2.0, "{} and {after}", before.cwnd_pkts);
}

#[test]
fn a_time_out_in_a_window_of_data_that_a_mark_has_reduced_leaves_no_plateau() {
    // The mark: 70. The time-out leaves the threshold, and slow start ends there after 69 ACKs. RFC 9438 section 4.8:
    // K = 0, W_max = 70. Two seconds later W(2.1) is 73.7: less than 0.1 segments for an ACK. Towards the plateau of
    // 100, with K = 4.2 s, it would be 0.37.
    let (mut alone, _) = Alone::start(&Config { ecn: EcnMode::Ecn, ..cubic(100.0) });
    alone.hear(0.1, 1, Ecn::Moderate, &[]);
    assert_eq!(alone.wake().1, "1r");
    for number in 2..=71_u32 {
        alone.hear(3.2, number, CLEAR, &[]);
    }
    let before = alone.cwnd();
    assert!((before - 70.0).abs() < 0.01, "{before}");
    alone.hear(5.2, 72, CLEAR, &[]);
    assert!((0.01..0.1).contains(&(alone.cwnd() - before)), "{before} and {}", alone.cwnd());
}
