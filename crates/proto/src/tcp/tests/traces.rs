//! Every segment and every window of short transfers, computed by hand.
//!
//! All start with the same two round trips of slow start and two of congestion avoidance (`early_config`):
//!
//! ```text
//! 0.0 s  cwnd 1           sends 0
//! 0.1 s  cwnd 2           sends 1 2
//! 0.2 s  cwnd 4           sends 3 to 6
//! 0.3 s  cwnd 8 = ssthresh; sends 7 to 14
//! 0.4 s  8 ACKs, each + 1/cwnd: 8.941; sends 15 to 22
//! ```
//!
//! Then segments of the window 15 to 22 are lost. Half of the window, and the threshold, is 4.47.

use super::*;
use crate::endpoint::Cause;
use crate::tcp;

fn early_config(variant: Variant) -> Config {
    Config {
        variant,
        wnd: Some(Packets(1000.0)),
        initial_cwnd: Packets(1.0),
        initial_ssthresh: Some(Packets(8.0)),
        ..Config::default()
    }
}

/// `cwnd` after eight ACKs of congestion avoidance from 8.
fn cwnd_at_loss() -> f64 {
    (0..8).fold(8.0, |cwnd, _| cwnd + 1.0 / cwnd)
}

fn lose_once(lost: &'static [u32]) -> impl FnMut(u32, bool) -> Fate {
    move |number, again| if lost.contains(&number) && !again { Fate::Lose } else { Fate::Deliver }
}

fn window_of<R: Endpoint, N>(pair: &Pair<Sender, R, N>) -> (f64, f64) {
    let report = pair.left.shown();
    (report.cwnd_pkts, report.ssthresh_pkts)
}

#[test]
fn slow_start_and_congestion_avoidance() {
    let mut pair = pair(&early_config(Variant::Reno), |_, _| Fate::Deliver);
    pair.run_until(seconds(0.55));
    // The ninth ACK of congestion avoidance finds 8.941 + 1/8.941 = 9.05, so nine segments are out from 0.5 s on.
    let expected = "0: 0, 0.1: 1 2, 0.2: 3 4 5 6, 0.3: 7 8 9 10 11 12 13 14, 0.4: 15 16 17 18 19 20 21 22, \
                    0.5: 23 24 25 26 27 28 29 30 31";
    assert_eq!(data_sent(&pair, 0.0, 0.5), expected);
    let (cwnd, _) = window_of(&pair);
    assert!((cwnd - (0..8).fold(cwnd_at_loss(), |w, _| w + 1.0 / w)).abs() < 1e-12);
}

#[test]
fn reno_repairs_one_loss() {
    let mut pair = pair(&early_config(Variant::Reno), lose_once(&[15]));
    pair.run_until(seconds(0.45));
    assert_eq!(window_of(&pair), (cwnd_at_loss(), 8.0));
    // Seven duplicate ACKs. The first two let out 23 and 24 (limited transmit), the third 15; windows 4.47 + 3, + 4 ..
    // reach beyond 25 with the seventh: 15 + 11.
    pair.run_until(seconds(0.55));
    assert_eq!(data_sent(&pair, 0.5, 0.5), "0.5: 23 24 15r 25");
    let half = cwnd_at_loss() / 2.0;
    assert_eq!(window_of(&pair), (half, half));
    // Two more duplicates (of 23 and 24) let out 26 and 27; ACK 25 ends the recovery with window 4.47, which reaches
    // 28; ACK 26 adds 1/4.47.
    pair.run_until(seconds(0.65));
    assert_eq!(data_sent(&pair, 0.6, 0.6), "0.6: 26 27 28 29");
    assert_eq!(window_of(&pair), (half + 1.0 / half, half));
    // The third duplicate ACK for 15 has shown its loss.
    let reduction = Event::change(events::LOSS_REDUCTION, 2.0 * half, half, Cause::Loss { sequence: 15 });
    let reduction = reduction.with([2.0 * half, half, 8.0, half]);
    assert_eq!(pair.events, [(seconds(0.5), Side::Left, reduction)]);
}

#[test]
fn reno_needs_the_timer_for_two_losses_in_a_window() {
    let mut pair = pair(&early_config(Variant::Reno), lose_once(&[15, 17]));
    // As above with one duplicate ACK less: nothing behind the retransmission.
    pair.run_until(seconds(0.65));
    // Duplicates of 23 and 24 let out 25 and 26; ACK 17 ends the recovery with window 4.47: 21, nothing to send.
    assert_eq!(data_sent(&pair, 0.5, 0.6), "0.5: 23 24 15r, 0.6: 25 26");
    let half = cwnd_at_loss() / 2.0;
    assert_eq!(window_of(&pair), (half, half));
    // 25 and 26 make two duplicate ACKs, and a third would not count: 17 is not beyond `recover`, 24. The timer was
    // restarted at 0.6 s; the least time-out is 1 s.
    pair.run_until(seconds(1.65));
    assert_eq!(data_sent(&pair, 0.7, 1.65), "1.6: 17r");
    assert_eq!(window_of(&pair), (1.0, half / 2.0));
    // ACK 27: slow start to 2.
    pair.run_until(seconds(1.75));
    assert_eq!(data_sent(&pair, 1.7, 1.7), "1.7: 27 28");
    assert_eq!(window_of(&pair), (2.0, half / 2.0));
    assert_eq!(pair.left.shown().timeouts, 1);
}

#[test]
fn newreno_repairs_two_losses_with_a_partial_ack() {
    for (full_ack, left_with) in [(FullAck::Ssthresh, cwnd_at_loss() / 2.0), (FullAck::Flight, 4.0)] {
        let config = Config { full_ack, ..early_config(Variant::NewReno) };
        let mut pair = pair(&config, lose_once(&[15, 17]));
        pair.run_until(seconds(0.65));
        // At 0.6 s two duplicates bring the inflation to 8 and let out 25 and 26. ACK 17 is partial: 2 segments, so the
        // inflation becomes 8 - 2 + 1 = 7, and 17 + floor(4.47 + 7) = 28 lets out 27 behind the retransmission.
        assert_eq!(data_sent(&pair, 0.5, 0.6), "0.5: 23 24 15r, 0.6: 25 26 17r 27");
        // At 0.7 s two more duplicates (inflation 9) let out 28 and 29. ACK 27 covers `recover`: three segments are
        // out, the window is 4.47, or the flight and one more, 4; it lets out 30. ACK 28 adds 1/cwnd, or a whole one
        // since 4 is below the threshold: 31, and 32.
        pair.run_until(seconds(0.75));
        let (sent, grown) = match full_ack {
            FullAck::Ssthresh => ("0.7: 28 29 30 31", left_with + 1.0 / left_with),
            FullAck::Flight => ("0.7: 28 29 30 31 32", left_with + 1.0),
        };
        assert_eq!(data_sent(&pair, 0.7, 0.7), sent);
        assert_eq!(window_of(&pair), (grown, cwnd_at_loss() / 2.0));
        assert_eq!((pair.left.shown().timeouts, pair.left.shown().loss_reductions), (0, 1));
    }
}

#[test]
fn a_full_ack_with_nothing_outstanding_lets_out_half_a_window_or_two_or_a_bounded_burst() {
    // The receiver's window of 8 leaves no room for new segments while 15 is repaired: ACK 23 comes at 0.6 s with
    // nothing outstanding. The threshold is 4.
    let config = Config { wnd: Some(Packets(8.0)), ..early_config(Variant::NewReno) };
    let run = |config: Config| {
        let mut pair = pair(&config, lose_once(&[15]));
        pair.run_until(seconds(0.75));
        data_sent(&pair, 0.5, 0.7)
    };
    // ACKs 24 to 27 add 1/4, 0.235, 0.223, 0.212: 4.92, one new segment each.
    assert_eq!(run(config.clone()), "0.5: 15r, 0.6: 23 24 25 26, 0.7: 27 28 29 30");
    // min(4, max(0, 1) + 1) = 2, from where slow start goes on.
    assert_eq!(run(Config { full_ack: FullAck::Flight, ..config.clone() }), "0.5: 15r, 0.6: 23 24, 0.7: 25 26 27 28");
    // What the bound keeps back goes with the next ACK.
    assert_eq!(run(Config { max_burst: Some(3), ..config }), "0.5: 15r, 0.6: 23 24 25, 0.7: 26 27 28 29");
}

#[test]
fn the_bound_on_bursts_holds_in_every_state_and_every_recovery() {
    for variant in [Variant::Reno, Variant::NewReno, Variant::Sack] {
        for send_jitter in [Duration::ZERO, Duration::from_millis(3)] {
            let lossy = |number: u32, again: bool| {
                if ((200..230).contains(&number) || number % 37 == 20) && !again { Fate::Lose } else { Fate::Deliver }
            };
            let config = Config {
                max_burst: Some(2),
                delayed_ack: true,
                limited_transmit: false,
                segments: Some(600),
                initial_cwnd: Packets(9.0),
                send_jitter,
                ..early_config(variant.clone())
            };
            let mut pair = pair(&config, lossy);
            pair.run_until(seconds(5000.0));
            assert_eq!(pair.left.acknowledged(), 600, "{}", variant.name());
            // The first window, 9, may go out in one burst of two only, and so on; new segments never go three at once
            // for one ACK. ACKs of one instant count each, and so do those that a jitter has gathered.
            let arrivals = |at: Instant| {
                pair.sent.iter().filter(|(sent, side, _)| *side == Side::Right && *sent + DELAY == at).count()
            };
            for burst in pair.sent.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1).filter(|burst| burst[0].1 == Side::Left) {
                let new =
                    burst.iter().filter(|(_, _, packet)| segment(packet).is_some_and(|(_, again)| !again)).count();
                let causes = if send_jitter == Duration::ZERO { arrivals(burst[0].0).max(1) } else { 1 };
                assert!(new <= 2 * causes, "{} at {}: {new} for {causes}", variant.name(), burst[0].0);
            }
        }
    }
}

#[test]
fn a_partial_ack_beyond_the_inflation_deflates_the_window() {
    // Lost are 15 and 22: dups from 16 to 21 and then 23, 24 give inflation 8. ACK 22 is 7 segments, 8 - 7 + 1 = 2.
    let mut pair = pair(&early_config(Variant::NewReno), lose_once(&[15, 22]));
    pair.run_until(seconds(0.65));
    // 22 + floor(4.47 + 2) = 28, and 27 is the first not sent.
    assert_eq!(data_sent(&pair, 0.5, 0.6), "0.5: 23 24 15r, 0.6: 25 26 22r 27");
    // A window of 4 with its first and last segment lost: two duplicate ACKs let out two new ones, which with the
    // third of them make up 3; partial ACK 3 (3 segments, inflation 4): 4 - 3 + 1 = 2.
    let small =
        Config { initial_cwnd: Packets(4.0), initial_ssthresh: Some(Packets(4.0)), ..early_config(Variant::NewReno) };
    let mut pair = super::pair(&small, lose_once(&[0, 3]));
    pair.run_until(seconds(0.35));
    // 0.2 s: third duplicate (of 4): window 2 + 3; fourth (of 5): 2 + 4 = 6, nothing new. 0.3 s: ACK 3: 3 + 4 = 7.
    assert_eq!(data_sent(&pair, 0.0, 0.3), "0: 0 1 2 3, 0.1: 4 5, 0.2: 0r, 0.3: 3r 6");
    assert_eq!(window_of(&pair), (2.0, 2.0));
}

#[test]
fn a_partial_ack_of_more_than_the_window_leaves_one_segment() {
    // 15 is lost and 23, too; of the duplicate ACKs of 16 to 22 only three come through, and that of 24: inflation 4.
    // ACK 23 is 8 segments: 4.47 - (8 - 4) would be 0.47.
    let (sender, receiver) = ends(&early_config(Variant::NewReno));
    let mut duplicates = 0;
    let mut pair = Pair::new(sender, receiver, DELAY, |_, packet: &Packet| match packet.header {
        Header::Tcp(tcp::Header::Data { sequence: 15 | 23, retransmission: false, .. }) => Fate::Lose,
        Header::Tcp(tcp::Header::Ack { next_expected: 15, .. }) => {
            duplicates += 1;
            if (5..=8).contains(&duplicates) { Fate::Lose } else { Fate::Deliver }
        }
        _ => Fate::Deliver,
    });
    pair.record = true;
    pair.run_until(seconds(0.65));
    assert_eq!(data_sent(&pair, 0.5, 0.6), "0.5: 23 24 15r, 0.6: 23r");
    assert_eq!(window_of(&pair).0, 1.0);
    pair.run_until(seconds(0.75));
    // ACK 25 is full: the threshold.
    assert_eq!(data_sent(&pair, 0.7, 0.7), "0.7: 25 26 27 28");
}

#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    // 15 to 20 are lost; 21 and 22 let out 23 and 24, so the third duplicate ACK comes at 0.6 s. One loss is repaired
    // per round trip: the timer, 0.2 s, runs from the first partial ACK at 0.7 s and does not wait for the last.
    let config = Config { rto_min: Duration::from_millis(200), ..early_config(Variant::NewReno) };
    let mut pair = pair(&config, lose_once(&[15, 16, 17, 18, 19, 20]));
    pair.run_until(seconds(0.95));
    let timeouts: Vec<Instant> =
        pair.events.iter().filter(|(_, _, event)| event.is(events::TIMEOUT)).map(|(at, _, _)| *at).collect();
    assert_eq!(timeouts, [seconds(0.9)]);
}

#[test]
fn a_new_recovery_needs_an_ack_of_more_than_the_last_one_covered() {
    // `reno_repairs_one_loss` with segment 25 lost, too: it is the first one behind `recover`, so ACK 25 covers
    // `recover` but no more. RFC 6582 leaves it to the timer, RFC 6675 does not.
    for (variant, timeouts) in [(Variant::Reno, 1), (Variant::NewReno, 1), (Variant::Sack, 0)] {
        let mut pair = pair(&early_config(variant.clone()), lose_once(&[15, 25]));
        pair.run_until(seconds(3.0));
        let report = pair.left.shown();
        assert_eq!((report.timeouts, report.loss_reductions), (timeouts, 2 - timeouts), "{}", variant.name());
    }
}

#[test]
fn sack_repairs_three_losses_as_fast_as_half_the_window_allows() {
    let mut pair = pair(&early_config(Variant::Sack), lose_once(&[15, 17, 19]));
    // 0.5 s: ACKs of 16, 18, 20, 21, 22. Two let out 23 and 24. With three SACKed, 15 is lost: 8 outstanding beside
    // those two, so window 4; pipe 7. With 21 SACKed, 17 is lost: pipe 5. With 22, 19 is: pipe 3, room for 17.
    pair.run_until(seconds(0.55));
    assert_eq!(data_sent(&pair, 0.5, 0.5), "0.5: 23 24 15r 17r");
    assert_eq!(window_of(&pair), (4.0, 4.0));
    // 0.6 s: each ACK lowers pipe by one and lets out a segment: that of 23 repairs 19, those of 24, 15 and 17 let out
    // 25 to 27. 19 has still to come.
    pair.run_until(seconds(0.65));
    assert_eq!(data_sent(&pair, 0.6, 0.6), "0.6: 19r 25 26 27");
    assert_eq!(pair.left.acknowledged(), 19);
    // 0.7 s: ACK 25 covers `recover`, 24: window 4 from 25 on; ACKs 26 to 28 add 1/4, 1/4.25 and 1/4.49.
    pair.run_until(seconds(0.75));
    assert_eq!(data_sent(&pair, 0.7, 0.7), "0.7: 28 29 30 31");
    assert_eq!(pair.left.shown().retransmitted_pkts, 3);
    assert_eq!(pair.left.shown().timeouts, 0);
}

#[test]
fn sack_repairs_hundreds_of_holes_in_a_window_of_thousands() {
    // Slow start: 8192 segments, 8191 to 16382, leave at 1.3 s; every tenth of them is lost.
    let config = Config {
        wnd: Some(Packets(20_000.0)),
        initial_ssthresh: None,
        segments: Some(60_000),
        ..early_config(Variant::Sack)
    };
    let lost = |number: u32| (8191..16_383).contains(&number) && number.is_multiple_of(10);
    let mut pair = pair(&config, move |number, again| if lost(number) && !again { Fate::Lose } else { Fate::Deliver });
    pair.run_until(seconds(60.0));
    let report = pair.left.shown();
    assert_eq!((report.retransmitted_pkts, report.loss_reductions, report.timeouts), (819, 1, 0));
    assert_eq!(pair.left.acknowledged(), 60_000);
    // The first loss, 8200, is known at 1.4 s; what was SACKed by then lets half of a window of some 8200 out again at
    // once, and the rest a round trip later.
    let repaired = pair.sent.iter().filter(|(_, _, packet)| segment(packet).is_some_and(|(_, again)| again));
    let last = repaired.map(|(at, _, _)| *at).max().expect("something was lost");
    assert!(last <= seconds(1.5), "{last}");
}

#[test]
fn limited_transmit_makes_a_third_duplicate_ack() {
    let three =
        Config { initial_cwnd: Packets(3.0), initial_ssthresh: Some(Packets(3.0)), ..early_config(Variant::Reno) };
    let run = |config: &Config| {
        let mut pair = pair(config, lose_once(&[0]));
        pair.run_until(seconds(3.05));
        data_sent(&pair, 0.0, 3.0)
    };
    // ssthresh max(floor(1.5), 2) = 2; ACK 5 ends the recovery at 0.3 s with window 2.
    assert!(run(&three).starts_with("0: 0 1 2, 0.1: 3 4, 0.2: 0r, 0.3: 5 6"), "{}", run(&three));
    // Without it, and if the receiver's window is full, the initial time-out of 3 s repairs it.
    let off = Config { limited_transmit: false, ..three.clone() };
    assert_eq!(run(&off), "0: 0 1 2, 3: 0r");
    assert_eq!(run(&Config { wnd: Some(Packets(3.0)), ..three }), "0: 0 1 2, 3: 0r");
}

#[test]
fn the_time_out_backs_off_until_a_segment_sent_once_is_measured() {
    let config = Config { initial_cwnd: Packets(1.0), ..early_config(Variant::NewReno) };
    let (sender, receiver) = ends(&config);
    // Segment 0 gets through at 21 s; then all is lost for a while.
    let mut pair = Pair::new(sender, receiver, DELAY, |side, packet: &Packet| {
        let sent = packet.sent.as_secs_f64();
        if side == Side::Left && (sent < 20.0 || (21.05..40.0).contains(&sent)) { Fate::Lose } else { Fate::Deliver }
    });
    pair.record = true;
    pair.run_until(seconds(60.0));
    // 3, 6, 12 s. The ACK of the retransmission (21.1 s) is no measurement, so 24 s stay in force: 45.1 s. The ACK of
    // 1 lets out 2 again and 3, which is measured: 100 ms.
    assert!(data_sent(&pair, 0.0, 45.2).starts_with("0: 0, 3: 0r, 9: 0r, 21: 0r, 21.1: 1 2, 45.1: 1r, 45.2: 2r 3"));
    let rtos: Vec<f64> =
        pair.events.iter().filter_map(|(_, _, event)| event.is(events::TIMEOUT).then_some(event.before)).collect();
    assert_eq!(rtos, [3.0, 6.0, 12.0, 24.0]);
    // A window of one segment from the first of them on; of the last two segments were outstanding.
    let windows = pair.events.iter().filter_map(|(_, _, event)| event.is(events::TIMEOUT).then_some(event.details));
    let after: Vec<[f64; 2]> = windows.map(|[_, cwnd, _, ssthresh]| [cwnd, ssthresh]).collect();
    assert_eq!(after, [[1.0, 2.0]; 4]);
    assert_eq!(pair.left.shown().srtt_s, 0.1);
}

#[test]
fn delayed_acks_come_for_two_segments_or_after_the_bound() {
    let config = Config { delayed_ack: true, initial_cwnd: Packets(3.0), ..early_config(Variant::Reno) };
    let mut pair = pair(&config, |_, _| Fate::Deliver);
    pair.run_until(seconds(0.16));
    let acks: Vec<(f64, u32)> = pair
        .sent
        .iter()
        .filter_map(|(at, _, packet)| match packet.header {
            Header::Tcp(tcp::Header::Ack { next_expected, .. }) => Some((at.as_secs_f64(), next_expected)),
            _ => None,
        })
        .collect();
    // 0 and 1 together, 2 alone 100 ms after it came; ACK 2 (window 4) let out 3 to 5: two at once, 5 with the bound.
    assert_eq!(acks, [(0.05, 2), (0.15, 4), (0.15, 6)]);
    assert_eq!(data_sent(&pair, 0.0, 0.15), "0: 0 1 2, 0.1: 3 4 5");
}

#[test]
fn time_stamps_measure_retransmissions_too() {
    let config = Config { timestamps: true, ..early_config(Variant::NewReno) };
    let mut lossy = pair(&config, lose_once(&[15, 17]));
    lossy.run_until(seconds(3.0));
    // Every sample is exactly 100 ms, those of repaired segments included.
    assert_eq!(lossy.left.shown().srtt_s, 0.1);
    let mut first = pair(&config, |number, again| if number == 0 && !again { Fate::Lose } else { Fate::Deliver });
    first.run_until(seconds(3.2));
    // Karn's rule would leave this unmeasured.
    assert_eq!(first.left.shown().srtt_s, 0.1);
}

#[test]
fn a_ticking_clock_measures_whole_ticks() {
    for timestamps in [false, true] {
        let config = Config {
            rtt_tick: Some(Duration::from_millis(30)),
            timestamps,
            wnd: Some(Packets(8.0)),
            ..early_config(Variant::NewReno)
        };
        let mut pair = pair(&config, |_, _| Fate::Deliver);
        pair.run_until(seconds(0.15));
        // 100 ms are three ticks or four, and 100 ms in the mean.
        let first = pair.left.shown().srtt_s;
        assert!(first == 0.09 || first == 0.12, "{first}");
        let mut sum = 0.0;
        for step in 1..=300 {
            pair.run_until(seconds(30.0 + 0.1 * f64::from(step)));
            sum += pair.left.shown().srtt_s;
        }
        assert!((sum / 300.0 - 0.1).abs() < 0.004, "{}", sum / 300.0);
    }
}

#[test]
fn a_finite_transfer_says_when_it_is_done() {
    let config = Config { segments: Some(20), ..early_config(Variant::NewReno) };
    let mut pair = pair(&config, lose_once(&[15, 19]));
    pair.run_until(seconds(100.0));
    let finished: Vec<Instant> =
        pair.events.iter().filter(|(_, _, event)| event.is(events::FINISHED)).map(|(at, _, _)| *at).collect();
    assert_eq!(finished.len(), 1);
    assert_eq!((pair.left.acknowledged(), pair.right.next_expected(), pair.left.deadline()), (20, 20, None));
    assert_eq!(pair.right.report().distinct_bytes, 20 * 1040);
}

#[test]
fn a_stop_ends_new_data_and_repairs_the_old() {
    let mut pair = pair(&early_config(Variant::NewReno), lose_once(&[22]));
    pair.run_until(seconds(0.45));
    pair.stop_left();
    pair.run_until(seconds(100.0));
    // The last segment outstanding is lost: only the timer can tell. It was restarted by ACK 22 at 0.5 s.
    assert_eq!(data_sent(&pair, 0.45, 100.0), "1.5: 22r");
    assert_eq!(
        pair.events.last().map(|(at, side, event)| (*at, *side, event.kind)),
        Some((seconds(1.6), Side::Left, events::FINISHED))
    );
    assert_eq!(pair.left.deadline(), None);
}

#[test]
fn what_jitter_holds_back_counts_as_outstanding_when_sack_halves() {
    // ACKs 16 to 19 and three duplicates of 19 come at one instant; 8.941 + 1/8.941 = 9.05. Without jitter 23 to 27 go
    // out in between, so 9 are outstanding; with jitter they have still to go, but the window is in use as much.
    for send_jitter in [Duration::ZERO, Duration::from_millis(1)] {
        let config = Config { send_jitter, ..early_config(Variant::Sack) };
        let mut pair = pair(&config, lose_once(&[19]));
        pair.run_until(seconds(0.59));
        assert_eq!(pair.left.shown().loss_reductions, 1);
        assert_eq!(window_of(&pair), (4.5, 4.5), "{send_jitter}");
    }
}

#[test]
fn a_stop_does_not_take_back_an_opportunity_to_repair() {
    // All of 15 to 22 are lost. The time-out sends 15 again; its ACK opens the window for 16 and 17, and the stop comes
    // while the jitter holds them back: they must go out after it, not with the next time-out.
    let config = Config { send_jitter: Duration::from_millis(8), ..early_config(Variant::NewReno) };
    let mut pair = pair(&config, |number, again| if number >= 15 && !again { Fate::Lose } else { Fate::Deliver });
    pair.run_while(seconds(30.0), |pair| pair.left.acknowledged() < 16);
    pair.stop_left();
    pair.run_until(seconds(60.0));
    assert_eq!(pair.left.shown().timeouts, 1);
    assert_eq!(pair.events.last().map(|(_, _, event)| event.kind), Some(events::FINISHED));
    assert_eq!(pair.left.deadline(), None);
}

#[test]
fn jitter_delays_opportunities_but_not_repairs() {
    let jitter = Duration::from_millis(8);
    let config = Config { send_jitter: jitter, segments: Some(400), ..early_config(Variant::NewReno) };
    let mut pair = pair(&config, lose_once(&[15, 17, 90]));
    pair.run_until(seconds(60.0));
    assert_eq!(pair.left.acknowledged(), 400);
    let times = |side: Side| pair.sent.iter().filter(move |(_, from, _)| *from == side).map(|(at, _, _)| *at);
    // ACKs arrive 50 ms after they were sent; what is sent goes at most the jitter after one of them, repairs with it.
    let arrivals: Vec<Instant> = times(Side::Right).map(|at| at + DELAY).collect();
    let (mut at_once, mut later, mut previous) = (0, 0, None);
    for (at, _, packet) in pair.sent.iter().filter(|(_, side, _)| *side == Side::Left).skip(1) {
        let last = arrivals.iter().rev().find(|&&arrival| arrival <= *at).expect("an ACK came before");
        let (number, again) = segment(packet).expect("the left side sends data");
        assert!(at.since(*last) <= jitter, "segment {number} at {at}");
        if again {
            assert_eq!(at.since(*last), Duration::ZERO, "repair of {number}");
            at_once += 1;
        } else {
            assert!(previous < Some(number), "order");
            previous = Some(number);
            later += usize::from(at.since(*last) > Duration::ZERO);
        }
    }
    assert_eq!(at_once, 3);
    assert!(later > 300, "{later}");
}

#[test]
fn by_default_no_window_holds_a_sender() {
    assert_eq!((Config::default().wnd, Config::default().initial_ssthresh), (None, None));
    let mut pair = pair(&Config::default(), |_, _| Fate::Deliver);
    pair.run_until(seconds(0.85));
    // 2 doubled eight times.
    assert_eq!(window_of(&pair).0, 512.0);
    assert!(window_of(&pair).1 > 1e8);
    assert_eq!(pair.left.shown().window_limited_s, 0.0);
}

#[test]
fn the_time_for_which_wnd_holds_data_back_is_counted() {
    let config = Config { wnd: Some(Packets(4.0)), initial_ssthresh: None, ..early_config(Variant::NewReno) };
    // 0.1 s: 1 2; 0.2 s: 3 to 6, held from there on.
    let mut held = pair(&config, |_, _| Fate::Deliver);
    held.run_until(seconds(0.95));
    assert!((held.left.shown().window_limited_s - 0.7).abs() < 1e-9, "{}", held.left.shown().window_limited_s);
    // Of 11 segments, 7 to 10 go at 0.3 s: nothing is held back then.
    let mut finite = pair(&Config { segments: Some(11), ..config.clone() }, |_, _| Fate::Deliver);
    finite.run_until(seconds(9.0));
    assert!((finite.left.shown().window_limited_s - 0.1).abs() < 1e-9);
    // The congestion window is smaller, or the source has been stopped.
    let mut small = pair(&Config { wnd: Some(Packets(60.0)), ..early_config(Variant::NewReno) }, |_, _| Fate::Deliver);
    small.run_until(seconds(0.65));
    assert_eq!(small.left.shown().window_limited_s, 0.0);
    let mut stopped = pair(&config, |_, _| Fate::Deliver);
    stopped.run_until(seconds(0.35));
    stopped.stop_left();
    stopped.run_until(seconds(9.0));
    assert!((stopped.left.shown().window_limited_s - 0.15).abs() < 1e-9);
}

#[test]
fn after_a_loss_the_congestion_window_holds_and_not_wnd() {
    // A window of 8 is full from 0.3 s on; 15 to 22 leave at 0.4 s. Without 15 to 19 there are three duplicate ACKs at
    // 0.5 s: the window is 4 + 3 < 8, or with SACK there are four in the pipe. Without 15 there are seven: 4 + 7, or
    // one in the pipe, so `wnd` holds until ACK 23 at 0.6 s. From then on the window is 4.
    for variant in [Variant::Reno, Variant::NewReno, Variant::Sack] {
        for (lost, expected_s) in [(&[15, 16, 17, 18, 19][..], 0.2), (&[15], 0.3)] {
            let config = Config { wnd: Some(Packets(8.0)), initial_ssthresh: None, ..early_config(variant.clone()) };
            let mut pair = pair(&config, lose_once(lost));
            pair.run_until(seconds(0.75));
            assert_eq!(pair.left.shown().loss_reductions, 1);
            let held_s = pair.left.shown().window_limited_s;
            assert!((held_s - expected_s).abs() < 1e-9, "{} {lost:?}: {held_s}", variant.name());
        }
    }
}

#[test]
fn both_ends_count_what_they_send_and_get() {
    let config = Config { segments: Some(20), ack_size: Bytes(52), ..early_config(Variant::NewReno) };
    let mut pair = pair(&config, lose_once(&[15]));
    pair.run_until(seconds(9.0));
    let (sender, receiver) = (pair.left.shown(), pair.right.report());
    // 21 segments sent, 15 among them once in vain.
    assert_eq!((receiver.sent_pkts, receiver.sent_bytes), (20, 20 * 52));
    assert_eq!((sender.received_pkts, sender.received_bytes), (20, 20 * 52));
    assert_eq!((sender.sent_pkts, sender.sent_bytes), (21, 21 * 1040));
    assert_eq!((receiver.received_pkts, receiver.received_bytes), (20, 20 * 1040));
}
