//! Pacing over the whole machine, with every variant.

use super::alone::{Alone, CLEAR, window_of};
use super::*;
use crate::tcp::pacing::Ratios;

fn paced(config: Config) -> Config {
    Config { pacing: Some(Ratios::default()), ..config }
}

/// Sending times of new data and what the window was then.
fn sent_times<L, R, N>(pair: &Pair<L, R, N>) -> Vec<(Instant, bool)> {
    let data = pair.sent.iter().filter(|(_, side, _)| *side == Side::Left);
    data.filter_map(|(at, _, packet)| segment(packet).map(|(_, again)| (*at, again))).collect()
}

#[test]
fn segments_go_evenly_in_congestion_avoidance() {
    // 20 segments, from which the window grows by about one per round trip: gaps of 100 ms / (1.2 * cwnd).
    let base = Config { initial_cwnd: Packets(20.0), initial_ssthresh: Some(Packets(20.0)), ..Config::default() };
    for variant in rule::VARIANTS {
        let mut pair = pair(&paced(Config { variant: variant.clone(), ..base.clone() }), |_, _| Fate::Deliver);
        pair.run_until(seconds(3.0));
        let least_s = 0.1 / (1.2 * pair.left.shown().cwnd_pkts);
        let times: Vec<Instant> = sent_times(&pair).into_iter().map(|(at, _)| at).collect();
        // There is no round-trip time for the first window.
        assert_eq!(times[19], Instant::ZERO);
        let gaps = times[20..].windows(2).map(|pair| pair[1].since(pair[0]).as_secs_f64());
        assert!(times.len() > 500 && gaps.clone().all(|gap_s| gap_s > least_s - 1e-6), "{}", variant.name());
        // As many as the window allows: half of them at the pace of the ACKs or faster.
        let late = gaps.filter(|&gap_s| gap_s > 0.1 / 15.0).count();
        assert!(late < times.len() / 10, "{}: {late} of {}", variant.name(), times.len());
    }
}

#[test]
fn slow_start_goes_twice_as_fast_as_the_window() {
    let config = paced(Config { hystart: Some(false), ..Config::default() });
    let mut pair = pair(&config, |_, _| Fate::Deliver);
    pair.run_until(seconds(0.45));
    // ACKs 1 and 2 at 0.1 s make the window 4: gaps of 100 ms / 2 / 3 and then / 2 / 4, since the pace is that of the
    // window when a segment goes. The fifth round trip begins with the window of 16.
    let text = data_sent(&pair, 0.0, 0.199);
    assert!(text.starts_with("0: 0 1, 0.1: 2, 0.11"), "{text}");
    let count = |from_s: f64, to_s: f64| {
        sent_times(&pair).iter().filter(|(at, _)| *at >= seconds(from_s) && *at < seconds(to_s)).count()
    };
    // 2, 4, 8, 16: each round in the first half of the round trip, or a segment later.
    assert_eq!([(0.0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4)].map(|(from, to)| count(from, to)), [2, 4, 8, 16]);
    assert!(count(0.36, 0.4) <= 2, "{}", count(0.36, 0.4));
}

#[test]
fn no_network_makes_a_burst() {
    // At one instant goes at most what the pacer lets go and a repair or limited transmit beside it.
    for variant in rule::VARIANTS {
        for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
            let base = Config { variant: variant.clone(), recovery: Some(recovery), ..Config::default() };
            let mut random = Random::stream(4, "test/loss");
            let mut pair = pair(&paced(base), |_, _| if random.chance(0.02) { Fate::Lose } else { Fate::Deliver });
            pair.run_until(seconds(100.0));
            let times = sent_times(&pair);
            let after = times.iter().position(|(at, _)| *at > Instant::ZERO).expect("more than a window");
            let mut most = 0;
            for (index, (at, _)) in times.iter().enumerate().skip(after) {
                most = most.max(times[index..].iter().take_while(|(then, _)| then == at).count());
            }
            assert!(most <= 2 && times.len() > 2000, "{} {recovery:?}: {most} of {}", variant.name(), times.len());
        }
    }
}

#[test]
fn without_congestion_nothing_becomes_slower() {
    // 3000 segments with a window of 64: slow start, and then the window decides. Half a round trip at the most is lost
    // where slow start spreads its windows. Jitter, here of two gaps, comes to each segment rather than to each ACK.
    for variant in rule::VARIANTS {
        for (send_jitter, most_s) in [(Duration::ZERO, 0.1), (Duration::from_millis(3), 0.2)] {
            let base = Config { variant: variant.clone(), wnd: Some(Packets(64.0)), ..Config::default() };
            let base = Config { segments: Some(3000), send_jitter, ..base };
            let finished_s = |config: Config| {
                let mut pair = pair(&config, |_, _| Fate::Deliver);
                pair.run_until(seconds(100.0));
                assert_eq!(pair.left.acknowledged(), 3000);
                let end = pair.events.iter().find(|(_, _, event)| event.is(events::FINISHED));
                end.expect("a finite transfer").0.as_secs_f64()
            };
            let (plain_s, paced_s) = (finished_s(base.clone()), finished_s(paced(base)));
            assert!(paced_s < plain_s + most_s, "{}, {send_jitter}: {paced_s} s, {plain_s} s", variant.name());
        }
    }
}

#[test]
fn losses_cost_a_paced_sender_no_more_than_any_other() {
    for variant in rule::VARIANTS {
        let base = Config { variant: variant.clone(), rto_min: Duration::from_millis(200), ..Config::default() };
        let delivered = |config: Config| {
            let mut random = Random::stream(5, "test/loss");
            let mut pair = pair(&config, move |_, _| if random.chance(0.01) { Fate::Lose } else { Fate::Deliver });
            (pair.record, pair.pester) = (false, false);
            pair.run_until(seconds(1000.0));
            pair.left.acknowledged() as f64
        };
        let ratio = delivered(paced(base.clone())) / delivered(base);
        assert!((0.9..1.15).contains(&ratio), "{}: {ratio}", variant.name());
    }
}

#[test]
fn nine_losses_in_ten_are_repaired() {
    for variant in rule::VARIANTS {
        let tick = Some(Duration::from_millis(30));
        for (rtt_tick, send_jitter) in [(None, 0), (tick, 0), (tick, 7)] {
            let base = Config { variant: variant.clone(), segments: Some(20), rtt_tick, ..Config::default() };
            let config = Config { send_jitter: Duration::from_millis(send_jitter), ..paced(base) };
            let mut random = Random::stream(6, "test/loss");
            let mut pair = pair(&config, move |_, _| if random.chance(0.9) { Fate::Lose } else { Fate::Deliver });
            pair.run_until(seconds(1e6));
            assert_eq!(pair.left.acknowledged(), 20, "{}", variant.name());
            assert_eq!(pair.left.deadline(), None);
        }
    }
}

#[test]
fn before_there_is_a_pace_the_bound_on_bursts_holds() {
    // As without pacing: two at the start, with the jitter or without, and then the timer. The next go with the ACK,
    // which gives a round-trip time: one, and the next after 100 ms / 1.2 / 10.
    for send_jitter in [Duration::ZERO, Duration::from_millis(1)] {
        let base = Config { max_burst: Some(2), send_jitter, ..window_of(10.0, Variant::NewReno) };
        let (mut alone, sent) = Alone::start(&paced(base));
        let (at_s, sent) = if send_jitter == Duration::ZERO { (0.0, sent) } else { alone.wake() };
        assert_eq!(sent, "0 1");
        assert_eq!(alone.deadline_s(), at_s + 3.0, "{send_jitter}");
        if send_jitter == Duration::ZERO {
            assert_eq!(alone.hear(0.1, 1, CLEAR, &[]), "2");
            let (at_s, sent) = alone.wake();
            assert!((at_s - 0.1 - 0.1 / 12.0).abs() < 1e-3 && sent == "3", "{at_s} {sent}");
        }
    }
}

#[test]
fn a_recovery_is_paced_by_the_window_it_ends_with() {
    // Compressed ACKs tell Westwood of a path wider than the window, 8.5: the threshold is above 12, the window stays.
    let (mut alone, _) = Alone::start(&paced(window_of(8.0, Variant::Westwood)));
    for number in 1..=4 {
        alone.hear(1.0 + 0.002 * f64::from(number), number, CLEAR, &[]);
    }
    let cwnd = alone.cwnd();
    for block in 1..=3_u32 {
        alone.hear(1.0 + 0.01 * f64::from(block), 4, CLEAR, &[(5, 5 + block)]);
    }
    let shown = alone.shown();
    assert!(shown.loss_reductions == 1 && shown.cwnd_pkts == cwnd && shown.ssthresh_pkts > 1.4 * cwnd, "{shown:?}");
    // New segments in the recovery, by its inflated window.
    let mut times = Vec::new();
    while times.len() < 3 {
        let (at_s, sent) = alone.wake();
        if !sent.is_empty() {
            times.push(at_s);
        }
    }
    for pair in times.windows(2) {
        let gap_s = pair[1] - pair[0];
        assert!((gap_s - shown.srtt_s / (1.2 * cwnd)).abs() < 1e-6, "{gap_s}: {shown:?}");
    }
}

#[test]
fn a_pause_between_bursts_is_not_made_up_for() {
    // All that the window of 8 allows has gone at 0.1 s. The duplicate ACKs come after a pause in which nothing waited:
    // the third lets out the repair and the fifth lets 9 follow, a gap of 100 ms / 1.2 / 4.0625 later.
    let base = Config { limited_transmit: false, ..window_of(8.0, Variant::NewReno) };
    let (mut alone, _) = Alone::start(&paced(base));
    assert_eq!(alone.hear(0.1, 1, CLEAR, &[]), "8");
    let answers = [0.17, 0.18, 0.19, 0.19, 0.19].map(|at_s| alone.hear(at_s, 1, CLEAR, &[]));
    assert_eq!(answers, ["", "", "1r", "", ""]);
    let (at_s, sent) = alone.wake();
    assert!((at_s - 0.19 - 0.1 / (1.2 * 4.0625)).abs() < 1e-6 && sent == "9", "{at_s} {sent}");
}

#[test]
fn limited_transmit_adds_to_the_window_and_does_not_hurry_it() {
    // The ACK of two lets out 8 and, a gap later, 9. A duplicate before that lets out neither 9, whose time has not
    // come, nor 10; when all of the window is out each lets out one beyond it at once.
    let (mut alone, _) = Alone::start(&paced(window_of(8.0, Variant::Sack)));
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[]), "8");
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[(3, 4)]), "");
    let (at_s, sent) = alone.wake();
    assert!((at_s - 0.1 - 0.1 / (1.2 * alone.cwnd())).abs() < 1e-6 && sent == "9", "{at_s} {sent}");
    assert_eq!(alone.hear(at_s + 0.001, 2, CLEAR, &[(3, 5)]), "10");
    // 8 are outstanding beside the one that limited transmit has added (RFC 5681 section 3.2 step 2).
    assert_eq!(alone.hear(at_s + 0.002, 2, CLEAR, &[(3, 6)]), "2r");
    assert_eq!(alone.cwnd(), 4.0);
}

#[test]
fn ratios_that_are_none_are_named() {
    for (ratio, legal) in [(1.0, true), (1000.0, true), (0.0, false), (0.99, false), (-2.0, false), (f64::NAN, false)] {
        for (slow_start, avoidance, field) in [(ratio, 1.2, "pacing.slow_start"), (2.0, ratio, "pacing.avoidance")] {
            let config = Config { pacing: Some(Ratios { slow_start, avoidance }), ..Config::default() };
            let wrong: Vec<String> = config.check().into_iter().map(|(field, _)| field).collect();
            assert_eq!(wrong, if legal { vec![] } else { vec![field] }, "{ratio}");
        }
    }
    let config = Config { pacing: Some(Ratios { slow_start: 0.0, avoidance: 1.2 }), ..Config::default() };
    assert_eq!(config.check()[0].1, "0 given; legal is 1 to 1000, for less would hold the window back");
}
