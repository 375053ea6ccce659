//! Bundles of segments, their push flag, and what waits to be one.

use super::alone::{Alone, CLEAR, window_of};
use super::*;
use crate::tcp::pacing::Ratios;

#[test]
fn each_second_of_those_that_go_out_together_is_pushed() {
    let (mut alone, sent) = Alone::start(&Config { segmentation_offload: true, ..window_of(5.0, Variant::NewReno) });
    assert_eq!(sent, "0 1p 2 3p 4");
    // An ACK of one lets one go; of two, two; and the window has grown.
    assert_eq!(alone.hear(0.1, 1, CLEAR, &[]), "5");
    assert_eq!(alone.hear(0.1, 3, CLEAR, &[]), "6 7p");
    assert_eq!(alone.hear(0.1, 5, CLEAR, &[]), "8 9p");
    assert_eq!(alone.hear(0.1, 7, CLEAR, &[]), "10 11p 12");
    let (_, sent) = Alone::start(&window_of(5.0, Variant::NewReno));
    assert_eq!(sent, "0 1 2 3 4");
}

#[test]
fn repairs_are_not_pushed() {
    let (mut alone, _) = Alone::start(&Config { segmentation_offload: true, ..window_of(9.0, Variant::Sack) });
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(3, 7)]), "0r 1r");
    assert_eq!(alone.hear(0.2, 2, CLEAR, &[(3, 8)]), "2r 9 10p");
    assert_eq!(alone.hear(0.3, 8, CLEAR, &[]), "11");
}

#[test]
fn a_receiver_acknowledges_pairs_as_they_were_sent() {
    let config = Config {
        segmentation_offload: true,
        delayed_ack: true,
        initial_cwnd: Packets(5.0),
        initial_ssthresh: Some(Packets(5.0)),
        segments: Some(9),
        ..Config::default()
    };
    let (sender, receiver) = ends(&config);
    let mut acks = Vec::new();
    let mut pair = Pair::new(sender, receiver, DELAY, |_, packet: &Packet| {
        if let Header::Tcp(tcp::Header::Ack { next_expected, .. }) = packet.header {
            acks.push(next_expected);
        }
        Fate::Deliver
    });
    pair.run_until(seconds(5.0));
    drop(pair);
    // 0 1p 2 3p 4 at the beginning, 5 6p for the ACK of 2, 7 8p for that of 4: 4 is acknowledged with 5.
    assert_eq!(acks, [2, 4, 6, 7, 9]);
}

#[test]
fn what_growth_adds_waits_for_an_acknowledgement_that_is_about_to_come() {
    let (mut alone, sent) = Alone::start(&Config { segmentation_offload: true, ..window_of(6.0, Variant::NewReno) });
    assert_eq!(sent, "0 1p 2 3p 4 5p");
    for (at_s, ack, expected) in [(0.1, 2, "6 7p"), (0.1001, 4, "8 9p"), (0.1002, 6, "10 11p")] {
        assert_eq!(alone.hear(at_s, ack, CLEAR, &[]), expected);
    }
    // The window has become seven. The next ACK is expected within a tenth of a millisecond, twice; the third time all
    // that is outstanding was sent just now.
    for (at_s, ack, expected) in [(0.2, 8, "12 13p"), (0.2001, 10, "14 15p"), (0.2002, 12, "16 17p 18")] {
        assert_eq!(alone.hear(at_s, ack, CLEAR, &[]), expected);
    }
    // What is the last there is to send does not wait.
    let few = Config { segmentation_offload: true, segments: Some(15), ..window_of(6.0, Variant::NewReno) };
    let (mut alone, _) = Alone::start(&few);
    for (at_s, ack) in [(0.1, 2), (0.1001, 4), (0.1002, 6)] {
        alone.hear(at_s, ack, CLEAR, &[]);
    }
    assert_eq!(alone.hear(0.2, 8, CLEAR, &[]), "12 13p 14");
}

#[test]
fn what_waits_goes_with_what_a_duplicate_lets_go() {
    let (mut alone, _) = Alone::start(&Config { segmentation_offload: true, ..window_of(6.0, Variant::Sack) });
    for (at_s, ack) in [(0.1, 2), (0.1001, 4), (0.1002, 6)] {
        alone.hear(at_s, ack, CLEAR, &[]);
    }
    assert_eq!(alone.hear(0.2, 8, CLEAR, &[]), "12 13p");
    assert_eq!(alone.hear(0.2001, 8, CLEAR, &[(9, 10)]), "14 15p");
    assert_eq!(alone.hear(0.2002, 8, CLEAR, &[(9, 11)]), "16");
    // The loss: half of the seven that are outstanding but for the two of limited transmit, 15 and 16; 14 was the
    // window's.
    assert_eq!(alone.hear(0.2003, 8, CLEAR, &[(9, 12)]), "8r");
    assert_eq!(alone.shown().cwnd_pkts, 3.5);
}

#[test]
fn what_waits_is_outstanding_to_a_loss_that_is_seen_at_once() {
    let (mut alone, _) = Alone::start(&Config { segmentation_offload: true, ..window_of(6.0, Variant::Sack) });
    for (at_s, ack) in [(0.1, 2), (0.1001, 4), (0.1002, 6)] {
        alone.hear(at_s, ack, CLEAR, &[]);
    }
    assert_eq!(alone.hear(0.2, 8, CLEAR, &[]), "12 13p");
    // Half of 8 to 13, and of 14.
    alone.hear(0.2001, 8, CLEAR, &[(9, 12)]);
    assert_eq!(alone.shown().cwnd_pkts, 3.5);
}

#[test]
fn nothing_waits_while_losses_are_repaired() {
    // By NewReno the window lets new segments go during a repair, too: ten, and one for each duplicate.
    let (mut alone, _) = Alone::start(&Config { segmentation_offload: true, ..window_of(20.0, Variant::NewReno) });
    assert_eq!(alone.hear(0.1, 1, CLEAR, &[]), "20");
    let heard: Vec<String> = (1..=13).map(|n| alone.hear(0.1 + 1e-5 * f64::from(n), 1, CLEAR, &[])).collect();
    assert_eq!([&heard[0], &heard[1], &heard[2]], ["21", "22", "1r"]);
    assert!(heard[3..12].iter().all(String::is_empty));
    assert_eq!(heard[12], "23");
}

#[test]
fn segments_that_are_paced_go_in_no_bundles() {
    let paced = Config {
        segmentation_offload: true,
        pacing: Some(Ratios::default()),
        handshake: true,
        initial_cwnd: Packets(8.0),
        segments: Some(200),
        ..Config::default()
    };
    let (sender, receiver) = ends(&paced);
    let mut pushed = 0;
    let mut pair = Pair::new(sender, receiver, DELAY, |_, packet: &Packet| {
        if let Header::Tcp(tcp::Header::Data { push: true, .. }) = packet.header {
            pushed += 1;
        }
        Fate::Deliver
    });
    pair.run_until(seconds(20.0));
    drop(pair);
    assert_eq!(pushed, 0);
}
