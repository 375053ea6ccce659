//! A source that hears what no receiver means, or what was meant for another, and whose driver is late.

use super::*;

#[test]
fn what_receivers_cannot_mean_changes_nothing() {
    let mut run = Run::new(&Config::default());
    run.run(21.0);
    run.report(1, 60_000.0);
    run.report(2, 260_000.0);
    let before = (run.rates(), run.sender.reports.count(), run.gauge("reports"));
    let mut time_us = 0;
    let mut void = |run: &mut Run, change: fn(&mut ReceiverReport)| {
        time_us += 1000;
        run.now = at(21.0) + Duration::from_micros(time_us);
        let mut report = run.report_of(9, 1000.0, 0.1);
        change(&mut report);
        // It is from receiver 9 whatever it says.
        let header = Header::ReceiverReport { number: report.number };
        run.hand(receiver(9), header, Some(report.encode()));
    };
    let changes: [fn(&mut ReceiverReport); 12] = [
        |report| report.rate_bps = f32::NAN,
        |report| report.rate_bps = f32::INFINITY,
        |report| report.rate_bps = f32::NEG_INFINITY,
        |report| report.rate_bps = -1.0,
        |report| report.loss = f32::NAN,
        |report| report.loss = -0.1,
        |report| report.loss = 1.1,
        |report| report.number += 1,
        |report| report.number = report.number.wrapping_add(0x8000),
        |report| report.number = report.number.wrapping_sub(3),
        |report| report.ssrc = 1,
        |report| report.source ^= 1,
    ];
    for (count, change) in (1..).zip(changes) {
        void(&mut run, change);
        assert_eq!((run.rates(), run.sender.reports.count(), run.gauge("reports")), before, "change {count}");
        assert_eq!(run.gauge("void_reports"), f64::from(count));
    }
    // No message, another message, a header of data.
    let report = run.report_of(9, 1000.0, 0.1);
    run.hand(receiver(9), Header::ReceiverReport { number: 4 }, None);
    run.hand(receiver(9), Header::ReceiverReport { number: 4 }, Some(Bye { ssrc: 9 }.encode()));
    run.hand(receiver(9), Header::Bye, Some(report.encode()));
    run.hand(receiver(9), Header::SenderReport { number: 4 }, Some(run.last().encode()));
    assert_eq!((run.rates(), run.sender.reports.count(), run.gauge("reports")), before);
    assert_eq!(run.reports.len(), 5, "nothing of it made it speak");
    // Of the last two rounds they count, and any share that is a number is cut to the line.
    run.hear(ReceiverReport { number: 2, rate_bps: 1e30, ..run.report_of(4, 0.0, 0.0) });
    run.hear(ReceiverReport { number: 3, ..run.report_of(5, 0.0, 0.0) });
    run.run(25.0);
    assert_eq!(run.rates()[0], 4096.0);
    assert!((sum(&run.rates()) - 1e7).abs() < 1.0, "{:?}", run.rates());
    assert_eq!(u64::from(RECEIVER_REPORT_BYTES) * 4, 208);
}

#[test]
fn reports_may_be_late_by_a_round_trip_of_a_minute_at_most() {
    let mut run = Run::new(&Config::default());
    run.run(400.5);
    let number = run.last().number;
    // It names a report of the source from 399 s ago: 12 rounds of 5 s count for a minute, and two more.
    for (behind, counts) in [(15, false), (14, true)] {
        let report = run.report_of(1, 60_000.0, 0.0);
        let (last_sr, delay_since_sr) = (middle(ntp(at(1.0))), 0);
        run.hear(ReceiverReport { number: number - behind, last_sr, delay_since_sr, ..report });
        assert_eq!(run.sender.reports.count() == 1, counts, "{behind}");
    }
}

#[test]
fn lies_keep_within_the_bounds() {
    for (seed, config) in [
        Config { max_rate: Some(Rate(500_000)), ..Config::default() },
        Config { layers: 1, ..Config::default() },
        Config { layers: 16, packet_size: Bytes(65_535), reports_to: ReportsTo::Sender, ..Config::default() },
    ]
    .into_iter()
    .enumerate()
    {
        let most = config.max_rate.map_or(10_000_000.0, Rate::as_bps_f64);
        let mut run = Run::new(&config);
        assert_eq!(run.joined.len(), usize::from(config.reports_to == ReportsTo::SenderAndGroup));
        let mut random = Random::stream(seed as u64, "test/lies");
        let mut below = |n: u32| (random.uniform() * f64::from(n)) as u32;
        for _ in 0..5000 {
            run.run(run.now.as_secs_f64() + 1e-3 * f64::from(below(200)));
            let lies = [0.0, 1.0, 1e30, f32::MAX, f32::NAN, f32::INFINITY, -1.0];
            let number = if below(9) == 0 { lies[below(7) as usize] } else { 1e5 + below(900_000) as f32 };
            let loss = [0.0, 0.0, 0.1, 1.0, f32::NAN, 7.0][below(6) as usize];
            let report = ReceiverReport {
                number: run.last().number.wrapping_sub(below(4) as u16).wrapping_add(u16::from(below(9) == 0)),
                rtt_us: below(3) * 1_000_000,
                stamp_us: if below(5) == 0 { u32::MAX / 7 * below(7) } else { stamp_us(run.now) },
                last_sr: [0, 1, u32::MAX, middle(run.last().ntp)][below(4) as usize],
                delay_since_sr: [0, 1, u32::MAX, 65_536][below(4) as usize],
                ..run.report_of(1 + below(5), number, loss)
            };
            if below(20) == 0 {
                run.hand(receiver(below(6)), Header::Bye, Some(Bye { ssrc: below(6) }.encode()));
            } else {
                run.hear(report);
            }
            let rates = run.rates();
            assert!(rates[0] >= config.least_bps() && sum(&rates) <= most * (1.0 + 1e-9), "{rates:?}");
            let spread = run.last().feedback_spread_us;
            assert!((2_500_000..=5_000_000).contains(&spread), "{spread}");
        }
        // No more than a report in each round and one a second beside it.
        let most_reports = run.now.as_secs_f64() * 1.2 + 2.0;
        assert!((run.reports.len() as f64) < most_reports, "{} of {most_reports}", run.reports.len());
        assert!(run.gauge("extra_reports") > 0.0 && run.gauge("void_reports") > 1000.0);
        let bits: f64 = run.packets.iter().map(|packet| 8.0 * f64::from(packet.size)).sum();
        assert!(bits <= most * run.now.as_secs_f64() * 1.02 + 8.0 * 65_535.0 * 17.0);
    }
}

#[test]
fn numbers_and_clocks_wrap_around() {
    // 70 000 rounds of 0.1 s, 100 packets each: numbers of rounds and of packets, and microseconds of 32 bits.
    let config = Config { report_interval: Duration::from_millis(100), jitter: 0.0, ..Config::default() };
    let mut run = Run::new(&config);
    run.report(1, 4e6);
    let mut random = Random::stream(9, "test/wraps");
    for round in 1..70_000u32 {
        run.run(0.1 * f64::from(round));
        if round < 65_530 {
            // Nothing but rounds until the numbers wrap.
            run.hear(run.report_of(1, 4096.0, 0.0));
        } else {
            run.hear(run.report_of(1, random.uniform_in(1e6, 4e6) as f32, 0.0));
        }
        assert_eq!(run.last().number, round as u16);
        assert_eq!(run.sender.reports.count(), 1, "{round}");
        if round < 65_500 {
            run.packets.clear();
            run.reports.drain(..run.reports.len() - 1);
        }
    }
    assert!(run.now > at(4_294.967_296), "stamps have wrapped around");
    let base = run.take().swap_remove(0);
    assert!(base.len() > 65_536, "{}", base.len());
    assert!(base.windows(2).all(|pair| pair[1].1 == pair[0].1.wrapping_add(1)));
    assert_eq!((run.gauge("void_reports"), run.gauge("timeouts")), (0.0, 0.0));
}

#[test]
fn a_source_that_starts_again_is_another() {
    let mut run = Run::new(&Config::default());
    run.run(1.0);
    run.report(1, 60_000.0);
    run.run(12.0);
    let old = run.report_of(1, 30_000.0, 0.0);
    run.input(at(12.5), Input::Stop, None);
    run.hear(old);
    assert_eq!((run.joined.len(), run.sender.deadline()), (0, None));
    run.take();
    run.run(20.0);
    assert_eq!(run.packets.len(), 0);
    run.input(at(20.0), Input::Start, None);
    assert_eq!((run.rates(), run.joined.len(), run.last().number), (vec![20_000.0, 0.0, 0.0], 1, 0));
    assert_ne!(run.last().ssrc, old.source);
    assert_eq!(run.last().packets, 0);
    // What was for the one before is not for this one.
    run.hear(ReceiverReport { number: 0, stamp_us: stamp_us(run.now), ..old });
    run.run(25.0);
    assert_eq!((run.rates()[0], run.gauge("r_lo").is_nan()), (20_000.0, true));
    run.report(1, 70_000.0);
    run.run(30.0);
    assert_eq!(run.rates()[0], 70_000.0);
    let times: Vec<f64> = run.reports.iter().map(|(sent, _)| sent.as_secs_f64()).collect();
    assert_eq!(times, [0.0, 5.0, 10.0, 20.0, 25.0, 30.0]);
}

#[test]
fn what_the_driver_is_late_by_is_not_made_up_for() {
    let mut run = Run::new(&Config { first_rate: Rate(409_600), ..Config::default() });
    run.run(1.0);
    run.take();
    run.input(at(61.0), Input::Timeout, None);
    run.run(61.001);
    assert_eq!(run.reports.len(), 2, "one report for all that were due");
    let late = run.take()[0].len();
    assert!((10..=13).contains(&late), "{late} packets of 0.1 s");
    run.run(66.0);
    assert_eq!(run.reports.len(), 3);
}

#[test]
fn two_sources_draw_numbers_of_their_own() {
    let source = |seed| {
        let mut run = Run::idle(&Config::default(), None, seed);
        run.input(Instant::ZERO, Input::Start, None);
        run
    };
    let (mut one, other) = (source(1), source(2));
    assert_ne!(one.last().ssrc, other.last().ssrc);
    assert_ne!(one.last().layers[0].first_sequence, other.last().layers[0].first_sequence);
    // A report of the other session that has gone astray.
    one.hear(other.report_of(1, 5000.0, 0.5));
    assert_eq!((one.reports.len(), one.gauge("reports"), one.gauge("void_reports")), (1, 0.0, 1.0));
    assert_eq!(one.rates(), other.rates());
}

#[test]
fn who_loses_packets_and_has_a_share_that_is_of_no_use_counts_no_longer() {
    for (exclude_below, loss, counted) in [(Some(50_000), 0.1, 1), (Some(50_000), 0.0, 2), (None, 0.1, 2)] {
        let mut run = Run::new(&Config { exclude_below: exclude_below.map(Rate), ..Config::default() });
        run.run(1.0);
        run.hear(run.report_of(1, 60_000.0, loss));
        run.report(2, 260_000.0);
        assert_eq!(run.sender.reports.count(), 2);
        run.run(6.0);
        run.hear(run.report_of(1, 40_000.0, loss));
        run.report(2, 260_000.0);
        assert_eq!(run.sender.reports.count(), counted, "{exclude_below:?}, {loss}");
        let told = run.events.iter().filter(|event| event.is(RECEIVER_EXCLUDED)).count();
        assert_eq!(told, 2 - counted);
        run.run(11.0);
        assert_eq!(run.rates()[0], [260_000.0, 40_000.0][counted - 1]);
    }
}
