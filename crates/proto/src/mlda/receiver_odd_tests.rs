//! A receiver that hears what no source means, or of another source.

use super::*;

#[test]
fn nine_tenths_of_all_packets_may_be_lost() {
    let mut bench = Bench::new(&Config::default(), 2);
    let mut random = Random::stream(4, "test/heavy");
    for number in 0..200_u16 {
        for _ in 0..50 {
            bench.pass(0.1);
            for layer in 0..bench.receiver.level() {
                bench.data(layer, random.chance(0.1));
            }
        }
        if random.chance(0.1) {
            // The source follows.
            let base_kbps = bench.receiver.share_bps().map_or(40.0, |share_bps| share_bps as f32 / 1e3);
            bench.round(number, [base_kbps, 20.0, 20.0]);
        }
    }
    let loss = gauge(&bench.receiver, "loss");
    assert!((0.85..0.95).contains(&loss), "{loss}");
    assert_eq!((bench.share(), bench.receiver.level()), (4096.0, 1), "the floor, a packet per second");
}

#[test]
fn nonsense_of_the_source_is_not_followed() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0, 50.0, 50.0]);
    bench.stretch(5.0, 100, 0);
    bench.take();
    let share_bps = bench.share();
    for nonsense in [f32::NAN, f32::INFINITY, -1.0] {
        bench.round(2, [nonsense, 50.0, 50.0]);
        bench.round(2, [50.0, 50.0, nonsense]);
    }
    let mut short = bench.report(2, [50.0; 3]);
    short.layers.pop();
    bench.hear(&short);
    bench.round(1, [1.0, 1.0, 1.0]);
    bench.round(0, [1.0, 1.0, 1.0]);
    // A report with no message, or one that is none.
    let packet = bench.packet(SOURCE, Address::group(FIRST_GROUP), Header::SenderReport { number: 2 }, 100);
    bench.input(Input::packet(&packet, None, bench.now));
    let control = Octets(vec![0x80, 200, 0, 6].into()).into();
    bench.input(Input::packet(&packet, Some(&control), bench.now));
    assert_eq!((bench.share(), bench.receiver.level(), bench.take().len()), (share_bps, 2, 0));
    // Rates that cannot be, but are numbers: nobody has room for them.
    bench.round(2, [1e35, 1e35, 1e35]);
    assert_eq!(bench.receiver.level(), 1);
    assert!(bench.share() <= 270e3);
}

#[test]
fn a_source_that_begins_anew_is_begun_with_anew() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(40_000, [50.0, 50.0, 50.0]);
    bench.stretch(5.0, 100, 20);
    bench.round(40_001, [50.0, 50.0, 50.0]);
    assert!(gauge(&bench.receiver, "loss") > 0.0 && bench.receiver.level() >= 2);
    bench.pass(2.5);
    // One packet of somebody else is not believed.
    let share_bps = bench.share();
    bench.ssrc = 78;
    bench.data(0, true);
    bench.ssrc = 77;
    bench.data(0, true);
    bench.ssrc = 78;
    bench.data(0, true);
    assert_eq!(bench.share(), share_bps);
    // Two are: another clock, other numbers, and rounds from 0 on.
    (bench.clock_us, bench.sequences) = (17, [9, 500, 7]);
    bench.take();
    bench.data(0, true);
    assert_eq!((bench.receiver.share_bps(), bench.receiver.level()), (None, 1));
    assert_eq!(gauge(&bench.receiver, "loss"), 0.0);
    bench.stretch(5.0, 100, 0);
    bench.round(0, [20.0, 300.0, 300.0]);
    close(bench.share(), 100.0 * 4096.0 / 5.0);
    bench.pass(2.5);
    assert_eq!(bench.reports()[0].1.source, 78);
}

#[test]
fn what_is_not_for_it_is_counted_and_no_more() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.take();
    bench.sequences = [1; 3];
    bench.data(1, true);
    bench.data(2, true);
    let bye = bench.packet(Address::endpoint(9), Address::group(FIRST_GROUP + 3), Header::Bye, 16);
    bench.input(Input::packet(&bye, Some(&Bye { ssrc: 9 }.encode().into()), bench.now));
    assert!(bench.take().is_empty() && bench.receiver.share_bps().is_none());
    let report = bench.receiver.report();
    assert_eq!((report.received_pkts, report.received_bytes, report.distinct_bytes), (3, 1040, 0));
}

#[test]
fn who_has_no_round_trip_time_reports_whatever_others_say() {
    for (members, rounds) in [(2, 1), (200, 1), (1000, 4)] {
        let mut bench = Bench::new(&Config::default(), members);
        let mut reports = Vec::new();
        for number in 0..12 {
            bench.stretch(5.0, 50, 0);
            bench.round(number, [20.0, 300.0, 300.0]);
            let share_bps = bench.share();
            [0.95, 1.05].into_iter().for_each(|factor| bench.overhear(number, (factor * share_bps) as f32));
            bench.pass(2.5);
            reports.extend(bench.reports().iter().map(|_| number));
        }
        // In each round, or one in some four: 17.07 s times 0.5 to 1.5, by rounds of 7.5 s here.
        let gaps: Vec<u16> = reports.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (1..=rounds).contains(gap)) && gaps.len() > 2, "{members}: {reports:?}");
        assert_eq!(gaps.iter().all(|&gap| gap == 1), rounds == 1, "{members}: {reports:?}");
        // With one it is silent.
        bench.stretch(5.0, 50, 0);
        bench.echo(12, [20.0, 300.0, 300.0]);
        let share_bps = bench.share();
        [0.95, 1.05].into_iter().for_each(|factor| bench.overhear(12, (factor * share_bps) as f32));
        bench.pass(2.5);
        assert_eq!(bench.reports().len(), 0, "{members}");
    }
}

#[test]
fn where_nobody_hears_others_a_thousand_report_by_turns_and_who_cannot_stand_the_base_layer_at_once() {
    let config = Config { reports_to: ReportsTo::Sender, ..Config::default() };
    let mut bench = Bench::new(&config, 1000);
    let mut reports = 0;
    for number in 0..40 {
        bench.stretch(2.5, 25, 0);
        bench.echo(number, [20.0, 300.0, 300.0]);
        bench.pass(2.5);
        reports += bench.reports().len();
        assert!(reports == 0 || number > 0, "half of 17 s is waited for before the first");
    }
    assert!((7..=14).contains(&reports), "200 s by 17 s and half a round: {reports}");
    // A tenth is lost, and the base layer is more than its share: it reports whatever its turn.
    for number in 40..46 {
        bench.stretch(2.5, 100, 10);
        bench.echo(number, [2000.0, 0.0, 0.0]);
        bench.pass(2.5);
        assert_eq!(bench.reports().len(), 1, "{number}");
    }
    // Unless the source says meanwhile that it has become less.
    let mut silent = 0;
    for number in 46..56 {
        bench.stretch(2.5, 100, 10);
        bench.echo(number, [2000.0, 0.0, 0.0]);
        bench.pass(0.001);
        bench.hear(&SenderReport { extra: true, ..bench.report(number, [4.0, 0.0, 0.0]) });
        bench.pass(2.5);
        silent += usize::from(bench.reports().is_empty());
    }
    assert!(silent >= 5, "{silent}");
}

#[test]
fn without_any_report_of_the_source_it_says_what_comes() {
    let mut bench = Bench::new(&Config::default(), 2);
    // Nine of ten packets are lost, and all reports: 12 packets of 512 bytes in a second come.
    bench.stretch(14.9, 1788, 1609);
    assert_eq!((bench.receiver.share_bps(), bench.reports().len()), (None, 0));
    bench.stretch(2.7, 324, 0);
    let [(packet, report)] = bench.reports()[..] else { panic!("it reports once") };
    assert_eq!((packet.destination, report.number, report.last_sr), (Address::group(FIRST_GROUP + 3), 0, 0));
    assert!(report.loss > 0.5 && (40e3..60e3).contains(&report.rate_bps), "{report:?}");
    // The share has begun, and what was lost before it counts no more.
    bench.stretch(5.0, 100, 0);
    bench.echo(9, [50.0, 0.0, 0.0]);
    assert_eq!(gauge(&bench.receiver, "loss"), 0.0);
    assert!(bench.share() > f64::from(report.rate_bps));
}
