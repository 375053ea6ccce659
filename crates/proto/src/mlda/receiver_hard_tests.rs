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
        let rule = loss_differentiation::Config { rule: loss_differentiation::Rule::Oracle, ..Default::default() };
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
