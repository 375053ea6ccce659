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
            bench.round(number, [40.0, 20.0, 20.0]);
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
    bench.input(Input::Packet(&packet, None));
    let control = Octets(vec![0x80, 200, 0, 6].into()).into();
    bench.input(Input::Packet(&packet, Some(&control)));
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
    bench.input(Input::Packet(&bye, Some(&Bye { ssrc: 9 }.encode().into())));
    assert!(bench.take().is_empty() && bench.receiver.share_bps().is_none());
    let report = bench.receiver.report();
    assert_eq!((report.received_pkts, report.received_bytes, report.distinct_bytes), (3, 1040, 0));
}
