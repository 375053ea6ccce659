//! A window that shrinks with what arrives (RFC 9937), in the sender: the examples of its section 8.

use super::alone::{Alone, CLEAR, window_of};
use super::*;

fn of_twenty(proportional_rate_reduction: bool) -> Config {
    Config { proportional_rate_reduction, ..window_of(20.0, Variant::Sack) }
}

/// What goes out when what has arrived beyond a hole at the beginning reaches up to each of these.
fn answers(alone: &mut Alone, from: u32, ends: impl Iterator<Item = u32>) -> String {
    let answers: Vec<String> = ends.map(|end| alone.hear(0.1, 0, CLEAR, &[(from, end)])).collect();
    answers.join(",")
}

#[test]
fn after_one_loss_every_second_ack_lets_a_segment_go() {
    // Figure 1; for the 19th acknowledgement see `one_loss_by_hand`.
    let expected = [
        (true, "20,21,0r,,22,,23,,24,,25,,26,,27,,28,,,29,30"),
        (false, "20,21,0r,,,,,,,,,,22,23,24,25,26,27,28,29,30"),
    ];
    for (proportional, sent) in expected {
        let (mut alone, _) = Alone::start(&of_twenty(proportional));
        assert_eq!(answers(&mut alone, 1, 2..=22), sent);
        // In both cases as much as the threshold says.
        assert_eq!((alone.hear(0.2, 22, CLEAR, &[]).as_str(), alone.cwnd()), ("31", 10.0));
    }
}

#[test]
fn after_many_losses_as_much_goes_as_arrives() {
    // Figure 2. Then the repairs arrive, and two segments go for each.
    for (proportional, sent) in [(true, "20,21,0r,1r,2r,3r,4r"), (false, "20,21,0r 1r 2r 3r 4r 5r,6r,7r,8r,9r")] {
        let (mut alone, _) = Alone::start(&of_twenty(proportional));
        assert_eq!(answers(&mut alone, 15, 16..=22), sent);
        let next = if proportional { ["5r 6r", "7r 8r"] } else { ["10r", "11r"] };
        assert_eq!([1, 2].map(|ack| alone.hear(0.2, ack, CLEAR, &[(15, 22)])), next);
    }
}

#[test]
fn a_further_loss_lets_no_more_go_than_has_arrived() {
    // 0 and 8 to 17 are lost. The first repair comes through, and the same acknowledgement shows the other losses.
    let (mut alone, _) = Alone::start(&of_twenty(true));
    assert_eq!(answers(&mut alone, 1, 2..=8), "20,21,0r,,22,,23");
    // Eleven have been delivered and three sent. Were it not for the losses, it would be nine: one is in the network.
    assert_eq!(alone.hear(0.2, 8, CLEAR, &[(18, 23)]), "8r 9r 10r 11r 12r 13r 14r 15r");
    // Now there is none beside those known: one more than the two that have arrived.
    assert_eq!(alone.hear(0.3, 9, CLEAR, &[(18, 24)]), "16r 17r 24");
}

#[test]
fn a_late_host_sends_what_it_may_and_no_more() {
    // The jitter holds back what acknowledgements let go: as much goes when it has passed.
    let (mut alone, _) =
        Alone::start(&Config { send_jitter: Duration::from_millis(10), limited_transmit: false, ..of_twenty(true) });
    assert_eq!(alone.wake().1.split(' ').count(), 20);
    assert_eq!(answers(&mut alone, 1, 2..=9), ",,0r,,,,,");
    // Six of eighteen have been delivered since, for which four segments go; one has.
    assert_eq!(alone.wake().1, "20 21 22");
}

#[test]
fn what_an_ack_of_new_data_brings_counts_too() {
    // Sixteen were outstanding after it and twenty before: W = 8 of F = 20. Seven have been delivered.
    let (mut alone, _) = Alone::start(&of_twenty(true));
    assert_eq!(alone.hear(0.1, 4, CLEAR, &[(5, 8)]), "4r 20 21");
    // As many as have been delivered go where there is room, and no segment more: it shows losses.
    let (mut alone, _) = Alone::start(&of_twenty(true));
    assert_eq!(alone.hear(0.1, 1, CLEAR, &[(17, 20)]), "1r 2r 3r 4r");
}

#[test]
fn what_a_mark_has_left_of_a_reduction_goes_in_proportion() {
    // The mark halves the window in the same acknowledgement, and three of F = 20 have been delivered.
    let (mut alone, _) = Alone::start(&Config { ecn: EcnMode::Ecn, ..of_twenty(true) });
    assert_eq!(alone.hear(0.1, 0, Ecn::Moderate, &[(1, 4)]), "0r 20c");
    assert_eq!((alone.cwnd(), alone.shown().loss_reductions), (10.0, 0));
}

#[test]
fn a_segment_that_could_not_be_sent_goes_later_and_counts_once() {
    let (mut alone, _) = Alone::start(&of_twenty(true));
    assert_eq!(answers(&mut alone, 1, 2..=6), "20,21,0r,,22");
    alone.refuse(0.1, 22);
    assert_eq!(alone.wake().1, "22");
    assert_eq!(answers(&mut alone, 1, 7..=8), ",23");
}

#[test]
fn small_windows_end_with_the_threshold() {
    // Of a window of 3 the half is 1.5, the threshold 2 (RFC 9937 section 6.4, RFC 5681 eq. (4)).
    for (proportional_rate_reduction, cwnd) in [(true, 2.0), (false, 1.5)] {
        let config =
            Config { recovery: Some(Recovery::Sack), proportional_rate_reduction, ..window_of(3.0, Variant::NewReno) };
        let (mut alone, _) = Alone::start(&config);
        assert_eq!(answers(&mut alone, 1, 2..=4), "3,4,0r");
        assert_eq!((alone.hear(0.2, 5, CLEAR, &[]).split(' ').count(), alone.cwnd()), (cwnd as usize, cwnd));
    }
}
