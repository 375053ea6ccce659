//! A receiver whose packets links and queues take.

use super::*;
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
