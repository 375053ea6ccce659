//! The push flag of segments that go out together.

use super::alone::{Alone, CLEAR, window_of};
use super::*;

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
        initial_cwnd: Packets(3.0),
        initial_ssthresh: Some(Packets(3.0)),
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
    // 0 1p 2 at the beginning, 3 4p for the ACK of 2, 5 6p 7 for that of 4, and 8 for that of 5.
    assert_eq!(acks, [2, 4, 5, 7, 9]);
}
