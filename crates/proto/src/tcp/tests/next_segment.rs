//! What SACK sends next in a recovery: the rules of NextSeg (RFC 6675 section 4).

use super::alone::{Alone, CLEAR, window_of};
use super::*;

fn sack(cwnd: f64) -> Config {
    Config { limited_transmit: false, ..window_of(cwnd, Variant::Sack) }
}

#[test]
fn the_lost_tail_of_a_transfer_is_rescued() {
    // Of ten segments 2, 8 and 9 are lost, and nothing comes behind to tell of the last two.
    for (rescue_retransmission, timeouts) in [(true, 0), (false, 1)] {
        let config = Config {
            initial_cwnd: Packets(10.0),
            segments: Some(10),
            variant: Variant::Sack,
            rescue_retransmission,
            ..Config::default()
        };
        let lost = |number: u32, again: bool| [2, 8, 9].contains(&number) && !again;
        let mut pair = pair(&config, |number, again| if lost(number, again) { Fate::Lose } else { Fate::Deliver });
        pair.run_until(seconds(10.0));
        // 2 is repaired at 0.1 s. Its ACK covers all below 8: the last segment is sent again, and the block about it
        // shows the hole before it.
        let repairs = if rescue_retransmission { "0.1: 2r, 0.2: 9r, 0.3: 8r" } else { "0.1: 2r, 1.2: 8r, 1.3: 9r" };
        assert_eq!(data_sent(&pair, 0.05, 10.0), repairs);
        assert_eq!((pair.left.acknowledged(), pair.left.shown().timeouts), (10, timeouts));
        assert_eq!(pair.left.deadline(), None);
    }
}

#[test]
fn there_is_one_rescue_in_a_recovery() {
    let (mut alone, _) = Alone::start(&Config { segments: Some(10), ..sack(10.0) });
    // 2 is lost, and what follows 7. Nothing is rescued before more than 2 is acknowledged, though there is room.
    alone.hear(0.1, 2, CLEAR, &[]);
    let answers: Vec<String> = (4..9).map(|end| alone.hear(0.1, 2, CLEAR, &[(3, end)])).collect();
    assert_eq!(answers, ["", "", "2r", "", ""]);
    assert_eq!(alone.hear(0.2, 8, CLEAR, &[]), "9r");
    // ACKs that tell nothing new, and one that leaves more room, let out no other.
    assert_eq!(alone.hear(0.3, 8, CLEAR, &[]), "");
    assert_eq!(alone.hear(0.3, 9, CLEAR, &[]), "");
    assert_eq!(alone.wake().1, "9r");
    // The timer is for all else.
    assert_eq!(alone.shown().timeouts, 1);
}

#[test]
fn the_first_repair_alone_allows_no_rescue() {
    // RFC 6675 section 5 step (4.3): the ACK must be of more than the segment with which the recovery began.
    let (mut alone, _) = Alone::start(&Config { segments: Some(5), ..sack(5.0) });
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(2, 5)]), "0r 1r");
    assert_eq!(alone.hear(0.2, 1, CLEAR, &[(2, 5)]), "");
    // 1 comes twice if it is lost again: rule (4) names it, as nothing else is outstanding.
    let (mut alone, _) = Alone::start(&Config { segments: Some(6), ..sack(6.0) });
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(3, 6)]), "0r 1r 2r");
    assert_eq!(alone.hear(0.2, 2, CLEAR, &[(3, 6)]), "2r");
}

#[test]
fn holes_go_first_only_if_asked() {
    // 0 is lost; 6 lies below one segment that has arrived, which does not make it lost. There is room for one.
    for (holes_first, next) in [(false, "9"), (true, "6r")] {
        let (mut alone, _) = Alone::start(&Config { holes_first, ..sack(9.0) });
        assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 4)]), "0r");
        assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 6)]), "");
        assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 6), (7, 8)]), next, "{holes_first}");
    }
}
