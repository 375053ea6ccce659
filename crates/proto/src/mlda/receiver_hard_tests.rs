//! A receiver whose packets links and queues take.

use super::*;
use crate::mlda::rtcp::middle;
use crate::parts::loss_differentiation;

/// So many packets of the base layer, a hundredth of a second apart; a link loses each one of `by_link` in ten and a
/// queue each one of `by_queue`.
fn losses(bench: &mut Bench, packets: u32, by_link: &[u32], by_queue: &[u32]) {
    for n in 0..packets {
        bench.pass(0.01);
        let sequence = bench.sequences[0];
        let is_by_link = by_link.contains(&(n % 10));
        bench.data(0, !is_by_link && !by_queue.contains(&(n % 10)));
        if is_by_link {
            let header = DataHeader { sequence, timestamp: bench.stamp(), ssrc: bench.ssrc, probe: false };
            let packet = bench.packet(SOURCE, Address::group(FIRST_GROUP), Header::Data(header), 512);
            bench.input(Input::LinkLoss(&packet));
        }
    }
}

#[test]
fn the_truth_is_of_the_packets_that_are_missing_wherever_numbers_begin() {
    for first in [0, 1, 7, 30_000, 40_000, 65_000] {
        let rule = loss_differentiation::Config {
            rule: loss_differentiation::DifferentiationRule::Oracle,
            ..Default::default()
        };
        let config = Config { loss_differentiation: Some(rule), ..Config::default() };
        let mut bench = Bench::new(&config, 2);
        bench.sequences = [first; 3];
        // More than numbers of 16 bits tell apart.
        losses(&mut bench, 70_000, &[3, 8], &[4, 6]);
        let counts = ["recognised", "missed"].map(|what| gauge(&bench.receiver, &format!("link_losses_{what}")));
        assert_eq!(counts, [14_000.0, 0.0], "{first}");
        let counts =
            ["recognised", "mistaken"].map(|what| gauge(&bench.receiver, &format!("congestion_losses_{what}")));
        assert_eq!(counts, [14_000.0, 0.0], "{first}");
    }
}

#[test]
fn verdicts_go_on_being_counted_with_a_source_that_begins_anew() {
    for rule in [loss_differentiation::DifferentiationRule::Oracle, loss_differentiation::DifferentiationRule::None] {
        let differentiation = loss_differentiation::Config { rule, ..Default::default() };
        let mut bench = Bench::new(&Config { loss_differentiation: Some(differentiation), ..Config::default() }, 2);
        bench.sequences = [65_000; 3];
        let counts = |bench: &Bench| {
            [
                "link_losses_recognised",
                "link_losses_missed",
                "congestion_losses_recognised",
                "congestion_losses_mistaken",
            ]
            .map(|name| gauge(&bench.receiver, name))
        };
        let expected = |link: f64, congestion: f64| match rule {
            loss_differentiation::DifferentiationRule::Oracle => [link, 0.0, congestion, 0.0],
            _ => [0.0, link, congestion, 0.0],
        };
        // 65 000 to 65 099: of each ten two are lost by the link and one by the queue.
        losses(&mut bench, 100, &[3, 8], &[6]);
        assert_eq!(counts(&bench), expected(20.0, 10.0));
        // What the link has lost last, and nobody has missed yet, is of the old source: 65 100 and 65 101 are no losses
        // of the new one, which loses these two in a queue.
        losses(&mut bench, 2, &[0, 1], &[]);
        (bench.ssrc, bench.clock_us, bench.sequences) = (78, 17, [65_090; 3]);
        // The first packet of the new source is not believed yet: 3 to 9 are the first that count.
        losses(&mut bench, 10, &[], &[]);
        losses(&mut bench, 10, &[], &[0, 1]);
        assert_eq!(counts(&bench), expected(20.0, 12.0), "after the restart");
        // And goes on: 65 110 ..
        losses(&mut bench, 100, &[3, 8], &[6]);
        assert_eq!(counts(&bench), expected(40.0, 22.0));
    }
}

#[test]
fn a_join_that_an_extra_report_has_undone_is_not_taken_back_again() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0; 3]);
    assert_eq!(bench.receiver.level(), 2);
    bench.pass(0.1);
    bench.hear(&SenderReport { extra: true, ..bench.report(1, [400.0; 3]) });
    assert_eq!(bench.receiver.level(), 1);
    bench.stretch(2.0, 100, 50);
    assert_eq!((bench.receiver.level(), gauge(&bench.receiver, "joins_revoked")), (1, 0.0));
}

#[test]
fn what_a_report_says_of_time_is_of_the_last_report_of_any_sort() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0; 3]);
    bench.pass(0.001);
    bench.hear(&SenderReport { extra: true, ntp: 0xaaab_1234_5678_bbbb, ..bench.report(1, [50.0; 3]) });
    let heard_at = bench.now;
    bench.pass(2.5);
    let [(packet, report)] = bench.reports()[..] else { panic!("it reports once") };
    let delay = (packet.sent.since(heard_at).as_secs_f64() * 65_536.0) as u32;
    assert_eq!((report.last_sr, report.delay_since_sr), (middle(0xaaab_1234_5678_bbbb), delay));
}
