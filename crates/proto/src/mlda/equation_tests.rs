use super::*;
use crate::mlda::layer_packets::LayerPackets;
use crate::time::Duration;

/// Two layers, of which the packets with these numbers come, a hundredth of a second apart; those before a number in
/// `by_link` that are missing are taken for errors of links.
fn fed(packets: &[(usize, u16)], by_link: &[u16]) -> EquationRule {
    let mut rule = EquationRule::new(512.0, 2);
    let mut layers = [0, 1].map(|_| LayerPackets::new(3));
    let mut links: Vec<(usize, u64)> = Vec::new();
    for (step, &(layer, number)) in (1..).zip(packets) {
        let now = Instant::ZERO + Duration::from_millis(10 * step);
        let taken = layers[layer].take(now, number, || 0).unwrap();
        let mut runs = Vec::new();
        match taken.standing {
            Standing::Behind(gap) if by_link.contains(&number) => {
                runs.push((gap.first, gap.missing));
                links.extend((gap.first..gap.first + gap.missing).map(|count| (layer, count)));
            }
            Standing::Late if links.contains(&(layer, taken.count)) => runs.push((taken.count, 1)),
            _ => {}
        }
        rule.arrive((now, 0.1), layer, (taken.count, &taken.standing, false), &runs);
    }
    rule
}

/// Numbers in turn, each layer from 100 on, but for those missing.
fn in_turn(numbers: u16, missing: &[(usize, u16)]) -> Vec<(usize, u16)> {
    let all = (100..100 + numbers).flat_map(|number| [(0, number), (1, number)]);
    all.filter(|packet| !missing.contains(packet)).collect()
}

#[test]
fn losses_of_all_layers_are_one_history() {
    assert_eq!(fed(&in_turn(200, &[]), &[]).loss_event_rate(), 0.0);
    // The first event, and the second a second later, in the other layer: a round-trip time apart they are two.
    let rule = fed(&in_turn(200, &[(0, 120), (1, 170)]), &[]);
    assert_eq!(rule.history.events(), 2);
    // Between them lie 50 packets of each layer; about that is an interval.
    let interval = rule.history.current().intervals()[0];
    assert!((interval - 101.0).abs() < 1.1, "{interval}");
    // In the same round-trip time they are one.
    assert_eq!(fed(&in_turn(200, &[(0, 120), (1, 122)]), &[]).history.events(), 1);
}

#[test]
fn errors_of_links_are_no_losses() {
    let missing = [(0, 120), (0, 121), (1, 150)];
    assert_eq!(fed(&in_turn(200, &missing), &[]).history.events(), 2);
    let rule = fed(&in_turn(200, &missing), &[122, 151]);
    assert_eq!((rule.history.events(), rule.loss_event_rate()), (0, 0.0));
    // A loss behind them is one, and intervals are as long as without them.
    let rule = fed(&in_turn(400, &[(0, 120), (0, 121), (0, 200), (0, 300)]), &[122]);
    assert_eq!((rule.history.events(), rule.layers[0].unseen), (2, 2));
    let interval = rule.history.current().intervals()[0];
    assert!((interval - 200.0).abs() < 1.1, "{interval}");
}

#[test]
fn late_packets_fill_the_holes_they_left() {
    // 111 is late, behind a gap that is a link's: no loss is left. 113 is that link's, late or not.
    let packets = [(0, 110), (0, 112), (0, 114), (0, 111), (0, 115), (0, 116), (0, 117), (0, 118), (0, 119)];
    assert_eq!(fed(&packets, &[]).history.events(), 1, "113");
    assert_eq!(fed(&packets, &[114]).history.events(), 0);
    let mut with_late = packets.to_vec();
    with_late.insert(4, (0, 113));
    assert_eq!(fed(&with_late, &[]).history.events(), 0);
    assert_eq!(fed(&with_late, &[114]).history.events(), 0);
    // Without 111 there is a loss, whatever becomes of 113.
    let without: Vec<(usize, u16)> = with_late.iter().copied().filter(|&(_, number)| number != 111).collect();
    assert_eq!((fed(&without, &[]).history.events(), fed(&without, &[114]).history.events()), (1, 1));
}

#[test]
fn runs_that_are_not_seen_are_remembered_for_a_while() {
    let mut seen = Seen::default();
    // Each third packet is a link's.
    (0..40).for_each(|run| seen.skip((1000 + 3 * run, 1)));
    assert_eq!(seen.number(1119), Some(1119 - 40));
    assert_eq!(seen.number(1118), Some(1118 - 40));
    assert_eq!(seen.number(1116), Some(1116 - 39));
    assert_eq!(seen.number(1026), Some(1026 - 9), "before it nine, from 1000 to 1024");
    assert_eq!(seen.number(1023), None, "what is before the oldest that is remembered");
}

#[test]
fn a_layer_that_is_left_is_forgotten() {
    let mut rule = fed(&in_turn(30, &[(1, 120)]), &[]);
    assert_eq!(rule.history.events(), 1);
    rule.leave(1);
    // It begins anew with any number.
    let mut packets = LayerPackets::new(3);
    for (n, number) in (0..).zip(9000..9050) {
        let now = Instant::from_secs_f64(1.0 + 0.01 * f64::from(n));
        let taken = packets.take(now, number, || 0).unwrap();
        assert!(!rule.arrive((now, 0.1), 1, (taken.count, &taken.standing, false), &[]));
    }
    assert_eq!(rule.history.events(), 1);
}

#[test]
fn the_share_is_that_of_the_equation() {
    let rule = fed(&in_turn(1000, &[(0, 120), (1, 170), (0, 220), (0, 500)]), &[]);
    let loss_event_rate = rule.loss_event_rate();
    assert!((0.001..0.02).contains(&loss_event_rate), "{loss_event_rate}");
    let equation_bps = throughput_bps(512.0, 0.1, loss_event_rate);
    assert_eq!(rule.next_bps(2.0 * equation_bps, 1.0, 5.0, 0.1), equation_bps);
    assert_eq!(rule.next_bps(equation_bps - 1e3, 1.0, 5.0, 0.1), equation_bps);
    // A packet per round-trip time in each of fifty: 4096·5/0.01, more than there is; in 5 ms 2048 bit/s.
    assert!((rule.next_bps(100e3, 1.0, 0.005, 0.1) - 102_048.0).abs() < 1e-6);
    assert_eq!(EquationRule::new(512.0, 1).next_bps(100e3, 70e3, 5.0, 0.1), 140e3);
    assert_eq!(EquationRule::new(512.0, 1).next_bps(100e3, 30e3, 5.0, 0.1), 100e3);
}

#[test]
fn a_mark_is_a_loss_event() {
    let mut rule = EquationRule::new(512.0, 2);
    let mut packets = LayerPackets::new(3);
    for number in 0..200_u16 {
        let now = Instant::ZERO + Duration::from_millis(10 * u64::from(number));
        let taken = packets.take(now, number, || 0).unwrap();
        // Two in one round-trip time of 0.1 s, and one a second later.
        let marked = [50, 55, 150].contains(&number);
        let shows = rule.arrive((now, 0.1), 0, (taken.count, &taken.standing, marked), &[]);
        assert_eq!(shows, [50, 150].contains(&number), "{number}");
    }
    assert_eq!(rule.history.events(), 2);
}
