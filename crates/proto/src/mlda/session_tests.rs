use super::super::rtcp::{Echo, LayerLine};
use super::*;
use crate::mlda::config::RateRule;
use crate::parts::loss_differentiation;

const OWN: u32 = 7;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn session(config: &Config) -> Session {
    Session::new(config, 99, at(100.0))
}

fn arrival(seconds: f64, sequence: u16) -> Arrival {
    Arrival {
        now: at(seconds),
        layer: 0,
        sequence,
        timestamp: (seconds * 1e6) as u32,
        probe: false,
        size: 512,
        marked: false,
    }
}

fn report(number: u16, seconds: f64) -> SenderReport {
    let line = LayerLine { rate_bps: 20e3, first_sequence: 0 };
    SenderReport {
        ssrc: 99,
        number,
        extra: false,
        ntp: 0x1234_5678_9abc_def0,
        rtp_timestamp: (seconds * 1e6) as u64 as u32,
        packets: 0,
        octets: 0,
        feedback_spread_us: 2_500_000,
        layers: vec![line; 3],
        echoes: Vec::new(),
    }
}

fn hear(session: &mut Session, seconds: f64, report: &SenderReport) {
    let rates = Rates::read(&report.layers, 3).unwrap();
    session.hear(at(seconds), report, rates, OWN);
}

#[test]
fn an_interval_is_what_came_since_the_last() {
    let mut session = session(&Config::default());
    for n in 0..20 {
        let said = session.data(&arrival(100.0 + 0.25 * f64::from(n), 500 + n), None);
        assert!(said.is_new && said.lost.is_none());
    }
    // 19 packets of 4096 bit in the 5 s after the first.
    let interval = session.end_interval(at(105.0), 1);
    assert_eq!((interval.length_s, interval.received_bps, interval.loss), (5.0, 19.0 * 4096.0 / 5.0, 0.0));
    assert!(interval.next_level_bps.is_nan() && interval.bottleneck_bps.is_none());
    assert_eq!(interval.rtt_s, 0.5, "before it is measured");
    // 520 is missing, 521 comes twice; what comes twice is not counted.
    let lost = session.data(&arrival(105.5, 521), None);
    assert_eq!((lost.is_new, lost.lost), (true, Some(520)));
    assert!(!session.data(&arrival(105.6, 521), None).is_new);
    (522..530).for_each(|n| {
        session.data(&arrival(106.0, n), None);
    });
    hear(&mut session, 109.9, &report(3, 109.9));
    let interval = session.end_interval(at(110.0), 1);
    assert!((interval.received_bps - 9.0 * 4096.0 / 5.0).abs() < 1e-9);
    // None of 20 and one of 10: the mean of the two intervals.
    assert!((interval.loss - 0.05).abs() < 1e-12);
    assert_eq!(interval.next_level_bps, 40e3);
    assert_eq!(session.end_interval(at(110.0), 1).received_bps, 0.0, "no time, no rate");
}

#[test]
fn until_the_source_has_followed_the_share_is_what_comes() {
    let mut session = session(&Config::default());
    let mut number = 500;
    // Fifty packets come in 5 s, and so many are lost; then a report of the source says what the base layer has.
    let mut interval = |session: &mut Session, lost: u16, seconds: f64, base_bps: f32| {
        session.data(&arrival(seconds + 0.01, number), None);
        number += lost;
        (1..50).for_each(|n| {
            session.data(&arrival(seconds + 0.1 * f64::from(n), number + n), None);
        });
        number += 50;
        let mut sr = report(seconds as u16, seconds + 5.0);
        sr.layers[0].rate_bps = base_bps;
        hear(session, seconds + 5.0, &sr);
        let ended = session.end_interval(at(seconds + 5.0), 1);
        (session.next_share(&ended, true), session.loss.loss())
    };
    let close = |(share_bps, loss): (f64, f64), expected: (f64, f64)| {
        let is_close = (share_bps / expected.0 - 1.0).abs() < 0.03 && (loss - expected.1).abs() < 1e-9;
        assert!(is_close, "{share_bps} {loss}, not {expected:?}");
    };
    // 41 kbit/s come of 400; then the base layer has 41, but most of the interval before it had more.
    close(interval(&mut session, 450, 100.0, 400e3), (41e3, 0.9));
    close(interval(&mut session, 350, 105.0, 41e3), (41e3, 0.875));
    // Now it counts: 41·(1 - sqrt(0.5)) is less than what a TCP would have.
    let (share_bps, loss) = interval(&mut session, 50, 110.0, 41e3);
    assert!(loss == 0.5 && share_bps < 0.5 * 41e3, "{share_bps} {loss}");
    // A base layer of too much makes it arrive no more: the mean is of all since then.
    let (share_bps, loss) = interval(&mut session, 50, 115.0, 900e3);
    assert!(loss == 0.5 && share_bps < 20e3, "{share_bps} {loss}");
    let (_, loss) = interval(&mut session, 0, 120.0, 900e3);
    assert!((loss - 1.0 / 3.0).abs() < 1e-9, "{loss}");
}

#[test]
fn what_comes_with_a_report_is_of_the_interval_that_begins() {
    let mut session = session(&Config::default());
    session.data(&arrival(100.0, 500), None);
    hear(&mut session, 105.0, &report(1, 105.0));
    assert_eq!(session.end_interval(at(105.0), 1).received_bps, 0.0);
    session.data(&arrival(105.0, 501), None);
    session.data(&arrival(107.5, 502), None);
    assert_eq!(session.end_interval(at(110.0), 1).received_bps, 2.0 * 4096.0 / 5.0);
}

#[test]
fn the_round_trip_time_is_that_of_own_stamps_whatever_the_clocks() {
    // The source's clock of stamps is ahead by anything; its stamps and the receiver's wrap.
    for ahead_s in [0.0, 1000.0, 4294.8, 4294.1] {
        let mut session = session(&Config::default());
        let mut sr = report(1, 104.27 + ahead_s);
        // Sent at 103.0 s, 0.27 s on the way, held for 1 s, 0.27 s back. That of another receiver says nothing.
        let echo = Echo { receiver: OWN, stamp_us: 103_000_000, hold_us: 1_000_000 };
        sr.echoes = vec![Echo { receiver: 8, ..echo }, echo];
        hear(&mut session, 104.54, &sr);
        assert!((session.measured_rtt_s().unwrap() - 0.54).abs() < 1e-5);
        // A packet 30 ms late on its way.
        let mut late = arrival(105.0, 500);
        late.timestamp = ((105.0 - 0.3 + ahead_s) * 1e6) as u64 as u32;
        session.data(&late, None);
        assert!((session.rtt_s() - 0.57).abs() < 1e-5, "{}", session.rtt_s());
        // The next measurement has a weight of a quarter, and undoes the correction.
        let mut sr = report(2, 109.27 + ahead_s);
        sr.echoes = vec![Echo { receiver: OWN, stamp_us: 108_000_000, hold_us: 800_000 }];
        hear(&mut session, 109.54, &sr);
        assert!((session.rtt_s() - (0.54 + 0.25 * 0.2)).abs() < 1e-5, "{}", session.rtt_s());
    }
}

#[test]
fn without_corrections_the_last_measurement_holds() {
    let mut session = session(&Config { one_way_adjustment: false, ..Config::default() });
    let mut sr = report(1, 104.27);
    sr.echoes = vec![Echo { receiver: OWN, stamp_us: 103_000_000, hold_us: 1_000_000 }];
    hear(&mut session, 104.54, &sr);
    let mut late = arrival(105.0, 500);
    late.timestamp = 104_000_000;
    session.data(&late, None);
    hear(&mut session, 106.0, &report(2, 105.0));
    assert!((session.rtt_s() - 0.54).abs() < 1e-6);
}

#[test]
fn echoes_from_the_future_or_of_long_ago_are_nonsense() {
    for (stamp_us, hold_us) in [(105_000_000, 0), (103_000_000, 2_000_000), (43_000_000, 0), (0, u32::MAX)] {
        let mut session = session(&Config::default());
        let mut sr = report(1, 104.27);
        sr.echoes = vec![Echo { receiver: OWN, stamp_us, hold_us }];
        hear(&mut session, 104.54, &sr);
        assert_eq!(session.measured_rtt_s(), None, "{stamp_us} {hold_us}");
        assert_eq!(session.rtt_s(), 0.5);
    }
}

#[test]
fn reports_that_are_overtaken_or_come_twice_are_no_news() {
    let mut session = session(&Config::default());
    assert!(session.is_news(at(106.5), &report(u16::MAX, 104.0)));
    hear(&mut session, 104.5, &report(u16::MAX, 104.0));
    assert!(
        !session.is_news(at(106.5), &report(u16::MAX, 104.0))
            && !session.is_news(at(106.5), &report(u16::MAX - 1, 99.0))
    );
    assert!(session.is_news(at(106.5), &report(0, 109.0)), "numbers wrap");
    assert!(!session.is_news(at(106.5), &report(u16::MAX, 105.0)), "a round begins once");
    // Extra ones carry the number of the round, and only time tells which is the last.
    let extra = |number, seconds| SenderReport { extra: true, ..report(number, seconds) };
    assert!(
        session.is_news(at(106.5), &extra(u16::MAX, 105.0)) && !session.is_news(at(106.5), &extra(u16::MAX, 103.0))
    );
    hear(&mut session, 105.5, &extra(0, 105.0));
    assert_eq!(session.heard.as_ref().unwrap().number, Some(u16::MAX), "the round's own report is still to come");
    assert!(!session.is_news(at(106.5), &extra(0, 105.0)) && session.is_news(at(106.5), &report(0, 106.0)));
}

#[test]
fn after_a_long_time_without_reports_any_is_news() {
    // Time stamps wrap around after 71 minutes: from 36 on the new one seems to be older.
    for minutes in [10.0, 30.0, 40.0, 60.0, 71.0, 100.0] {
        let mut session = session(&Config::default());
        hear(&mut session, 104.5, &report(7, 104.0));
        let later_s = 104.0 + 60.0 * minutes;
        let number = 7 + (12.0 * minutes) as u16;
        assert!(session.is_news(at(later_s + 0.5), &report(number, later_s)), "{minutes}");
    }
}

#[test]
fn pairs_of_the_base_layer_give_the_bottleneck_if_none_is_given() {
    let mut config = Config::default();
    for (given, expected) in [(None, 300e3), (Some(crate::time::Rate(700_000)), 700e3)] {
        config.bottleneck = given;
        let mut session = session(&config);
        assert_eq!(session.bottleneck_bps(), given.map(|rate| rate.as_bps_f64()));
        session.data(&Arrival { probe: true, ..arrival(101.0, 500) }, None);
        session.data(&Arrival { layer: 1, ..arrival(101.001, 8) }, None);
        session.data(&Arrival { now: at(101.0) + Duration(13_653_333), ..arrival(101.0, 501) }, None);
        assert!((session.bottleneck_bps().unwrap() - expected).abs() < 1.0);
    }
}

#[test]
fn a_layer_that_is_joined_again_begins_anew() {
    let mut session = session(&Config::default());
    session.data(&Arrival { layer: 1, ..arrival(101.0, 500) }, None);
    session.begin_layer(at(102.0), 1);
    session.begin_layer(at(110.0), 1);
    let said = session.data(&Arrival { layer: 1, ..arrival(111.0, 9000) }, None);
    assert!(said.is_new && said.lost.is_none());
    assert_eq!(*session.loss.running(), Counts { expected: 2, ..Counts::default() });
}

#[test]
fn after_an_outage_all_that_was_sent_in_it_is_missing() {
    let mut session = session(&Config::default());
    session.data(&arrival(100.0, 500), None);
    let mut sr = report(1, 100.1);
    // 4096 kbit/s, a thousand packets per second.
    sr.layers[0].rate_bps = 4_096_000.0;
    hear(&mut session, 100.2, &sr);
    assert_eq!(session.data(&arrival(105.0, 5500), None).lost, None, "not before a second one agrees");
    assert_eq!(session.data(&arrival(105.001, 5501), None).lost, Some(501));
    assert_eq!(session.loss.running().lost, 5000);
}

#[test]
fn what_was_told_before_numbers_begin_anew_is_no_truth_about_others() {
    let rule =
        loss_differentiation::Config { rule: loss_differentiation::DifferentiationRule::Oracle, ..Default::default() };
    let config = Config { loss_differentiation: Some(rule), ..Config::default() };
    let (mut session, mut differentiation) = (session(&config), LossDifferentiation::new(&rule));
    let mut sr = report(1, 100.1);
    // 10 Mbit/s: half of the numbers pass in 14 s.
    sr.layers[0].rate_bps = 10e6;
    hear(&mut session, 100.2, &sr);
    session.data(&arrival(100.0, 500), Some(&mut differentiation));
    // A link loses 40 000, more than 16 bits can tell from a source that counts anew.
    for number in 501..40_501_u16 {
        differentiation.link_lost(0, session.count_of(0, number).unwrap());
    }
    (40_501..40_600).for_each(|number| {
        session.data(&arrival(116.0, number), Some(&mut differentiation));
    });
    assert_eq!(session.in_all.expected, 1 + 98, "the first is not believed, and what was sent before not missed");
    // A queue drops these.
    session.data(&arrival(117.0, 40_610), Some(&mut differentiation));
    assert_eq!((session.in_all.lost, session.in_all.lost_by_link), (10, 0));
    assert_eq!(differentiation.confusion().congestion_as_congestion, 10);
}

/// Packets every 14 ms, of which single ones are lost without a trace in time, as by errors of a link.
fn with_errors(config: &Config) -> (Session, LossDifferentiation) {
    let (mut session, mut differentiation) =
        (session(config), LossDifferentiation::new(config.loss_differentiation.as_ref().unwrap()));
    for n in (0..400_u16).filter(|n| n % 20 != 19 || *n < 100) {
        session.data(&arrival(100.0 + 0.014 * f64::from(n), n), Some(&mut differentiation));
    }
    (session, differentiation)
}

#[test]
fn errors_of_links_count_as_received_and_in_the_raw_loss() {
    let config = Config { loss_differentiation: Some(loss_differentiation::Config::default()), ..Config::default() };
    let (mut session, differentiation) = with_errors(&config);
    session.end_interval(at(106.0), 1);
    assert_eq!((session.loss.loss(), session.in_all.lost, session.in_all.lost_by_link), (0.0, 0, 14));
    assert!((session.loss.raw_loss() - 14.0 / 399.0).abs() < 1e-12);
    // Nobody has told the truth, so they were mistaken.
    assert_eq!(differentiation.confusion().congestion_as_link, 14);
    let rule =
        loss_differentiation::Config { rule: loss_differentiation::DifferentiationRule::None, ..Default::default() };
    let (mut session, _) = with_errors(&Config { loss_differentiation: Some(rule), ..Config::default() });
    session.end_interval(at(106.0), 1);
    assert!((session.loss.loss() - 14.0 / 399.0).abs() < 1e-12);
}

#[test]
fn in_the_equation_errors_of_links_are_no_losses() {
    for (rule, is_clear) in [
        (loss_differentiation::DifferentiationRule::Ias, true),
        (loss_differentiation::DifferentiationRule::None, false),
    ] {
        let config = Config {
            rate_rule: RateRule::Equation,
            loss_differentiation: Some(loss_differentiation::Config { rule, ..Default::default() }),
            ..Config::default()
        };
        let (mut session, _) = with_errors(&config);
        let ShareRule::Equation(equation) = session.share.rule_mut() else { panic!("it was chosen") };
        assert_eq!(equation.loss_event_rate() == 0.0, is_clear);
    }
}

#[test]
fn the_first_round_trip_time_puts_the_first_interval_of_the_equation_right() {
    let rule =
        loss_differentiation::Config { rule: loss_differentiation::DifferentiationRule::None, ..Default::default() };
    let config =
        Config { rate_rule: RateRule::Equation, loss_differentiation: Some(rule), loss_window: 1, ..Config::default() };
    let (mut session, _) = with_errors(&config);
    let rate = |session: &mut Session| match session.share.rule_mut() {
        ShareRule::Equation(equation) => equation.loss_event_rate(),
        ShareRule::Lda(_) => panic!("it was not chosen"),
    };
    let before = rate(&mut session);
    // 0.1 s instead of the 0.5 s from which that interval was computed.
    let echoes = vec![Echo { receiver: OWN, stamp_us: 105_550_000, hold_us: 0 }];
    hear(&mut session, 105.65, &SenderReport { echoes, ..report(1, 105.6) });
    assert!(rate(&mut session) > before, "{} after {before}", rate(&mut session));
}

#[test]
fn a_late_packet_takes_back_what_its_loss_was_called() {
    let config = Config { loss_differentiation: Some(loss_differentiation::Config::default()), ..Config::default() };
    let (mut session, mut differentiation) = with_errors(&config);
    // 399 and 400 are missing.
    session.data(&arrival(105.614, 401), Some(&mut differentiation));
    assert_eq!(session.in_all.lost_by_link, 16);
    session.data(&arrival(105.615, 400), Some(&mut differentiation));
    assert_eq!((session.in_all.lost_by_link, session.in_all.lost), (15, 0));
    assert_eq!(differentiation.confusion().congestion_as_link, 15);
}

#[test]
fn jitter_by_hand() {
    let mut jitter = Jitter::default();
    jitter.arrive(at(1.0), 0);
    jitter.arrive(at(1.1), 100_000);
    assert_eq!(jitter.value, 0.0);
    // 16 ms more on the way, and 32 ms less: 1 ms, then 1 + (32 - 1)/16.
    jitter.arrive(at(1.216), 200_000);
    assert!((jitter.value - 1000.0).abs() < 1e-9);
    jitter.arrive(at(1.284), 300_000);
    assert!((jitter.value - 2937.5).abs() < 1e-9);
}

#[test]
fn marks_count_once_for_each_packet() {
    let mut session = session(&Config::default());
    session.data(&arrival(100.0, 500), None);
    let marked = Arrival { marked: true, ..arrival(100.1, 501) };
    session.data(&marked, None);
    // It comes again.
    session.data(&marked, None);
    // Behind a gap, and late.
    session.data(&Arrival { marked: true, ..arrival(100.2, 504) }, None);
    session.data(&Arrival { marked: true, ..arrival(100.3, 503) }, None);
    let expected = Counts { expected: 5, lost: 1, lost_by_link: 0, marked: 3 };
    assert_eq!([*session.loss.running(), session.since_report, session.in_all], [expected; 3]);
}
