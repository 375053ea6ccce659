//! For how many segments an ACK lets the window grow: byte counting (RFC 5681 section 3.1, RFC 3465).

use super::alone::{Alone, CLEAR, window_of};
use super::*;

#[test]
fn an_ack_counts_each_segment_in_congestion_avoidance() {
    let counting = [Variant::Reno, Variant::NewReno, Variant::Sack, Variant::Westwood, Variant::WestwoodPlus];
    for variant in counting {
        for (byte_counting, [after_two, after_three]) in
            [(None, [8.25, 8.25 + 3.0 / 8.25]), (Some(false), [8.125, 8.125 + 1.0 / 8.125])]
        {
            let config = Config { byte_counting, ..window_of(8.0, variant.clone()) };
            let (mut alone, _) = Alone::start(&config);
            alone.hear(0.1, 2, CLEAR, &[]);
            assert_eq!(alone.cwnd(), after_two, "{} {byte_counting:?}", variant.name());
            alone.hear(0.1, 5, CLEAR, &[]);
            assert_eq!(alone.cwnd(), after_three, "{} {byte_counting:?}", variant.name());
        }
    }
}

#[test]
fn hybla_counts_acks_unless_asked() {
    // 100 ms over 25 ms: 4^2 / 8 for an ACK, or for each of two segments.
    for (byte_counting, grown) in [(None, 2.0), (Some(false), 2.0), (Some(true), 4.0)] {
        let (mut alone, _) = Alone::start(&Config { byte_counting, ..window_of(8.0, Variant::Hybla) });
        alone.hear(0.1, 2, CLEAR, &[]);
        assert_eq!(alone.cwnd(), 8.0 + grown, "{byte_counting:?}");
    }
}

#[test]
fn slow_start_counts_up_to_its_limit() {
    for variant in RENO_LIKE {
        let start = |abc_limit, byte_counting, ssthresh| {
            let initial_ssthresh = Some(Packets(ssthresh));
            let config = Config { abc_limit, byte_counting, initial_ssthresh, ..window_of(8.0, variant.clone()) };
            let (mut alone, _) = Alone::start(&config);
            alone.hear(0.1, 5, CLEAR, &[]);
            alone.cwnd()
        };
        assert_eq!([1, 2, 4, 1000].map(|limit| start(limit, None, 64.0)), [9.0, 10.0, 12.0, 13.0]);
        assert_eq!(start(1000, Some(false), 64.0), 9.0);
        // Two of four come after the threshold.
        assert_eq!(start(4, None, 10.0), 10.0 + 2.0 / 10.0);
    }
}

#[test]
fn after_a_time_out_an_ack_counts_one_segment_until_slow_start_is_over() {
    // RFC 3465 section 2.3.
    let (mut alone, _) = Alone::start(&Config { abc_limit: 2, ..window_of(8.0, Variant::NewReno) });
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    for (at_s, ack, cwnd) in [(3.1, 3, 2.0), (3.2, 8, 3.0), (3.3, 11, 4.0), (3.4, 13, 4.5)] {
        alone.hear(at_s, ack, CLEAR, &[]);
        assert_eq!(alone.cwnd(), cwnd, "{at_s} s");
    }
}

#[test]
fn while_a_time_out_is_repaired_an_ack_counts_one_segment_in_congestion_avoidance_too() {
    let (mut alone, _) = Alone::start(&window_of(4.0, Variant::NewReno));
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    assert_eq!(alone.hear(3.1, 1, CLEAR, &[]), "1r 2r");
    // 2 and 3 had arrived: one segment has left the network, the ACK is of three. The threshold is 2.
    assert_eq!(alone.hear(3.2, 4, CLEAR, &[]), "4 5");
    assert_eq!(alone.cwnd(), 2.5);
    alone.hear(3.3, 6, CLEAR, &[]);
    assert_eq!(alone.cwnd(), 2.5 + 2.0 / 2.5);
}

#[test]
fn a_slow_start_after_a_loss_has_its_limit_again() {
    // Option (1) of NewReno leaves the recovery below the threshold.
    let full_ack = FullAck::Flight;
    let (mut alone, _) = Alone::start(&Config { abc_limit: 2, full_ack, ..window_of(16.0, Variant::NewReno) });
    (0..3).for_each(|_| drop(alone.hear(0.1, 0, CLEAR, &[])));
    alone.hear(0.2, alone.sent_end(), CLEAR, &[]);
    let first = alone.sent_end() - 2;
    assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (2.0, 8.0));
    alone.hear(0.3, first + 2, CLEAR, &[]);
    assert_eq!(alone.cwnd(), 4.0);
}

#[test]
fn delayed_acks_do_not_slow_congestion_avoidance() {
    let window = |delayed_ack, byte_counting| {
        let config = Config { delayed_ack, byte_counting, ..window_of(10.0, Variant::NewReno) };
        let mut pair = pair(&config, |_, _| Fate::Deliver);
        pair.run_until(seconds(20.0));
        pair.left.shown().cwnd_pkts
    };
    // 200 round trips: a segment each, somewhat more than that where what waits for another is acknowledged later.
    let (each, delayed, counting_acks) = (window(false, None), window(true, None), window(true, Some(false)));
    assert!((205.0..210.0).contains(&each), "{each}");
    assert!((each - delayed).abs() < 0.05 * each, "{each} and {delayed}");
    assert!(counting_acks < 0.6 * each, "{each} and {counting_acks}");
}
