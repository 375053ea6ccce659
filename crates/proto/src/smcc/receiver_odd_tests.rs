//! A member alone, with what an honest source or a good network does not do.

use super::*;

/// From 2.4 Mbit/s on 53 packets in a slot more, for which t_0 is at multiples of 1.28 s.
fn before_a_long_wait() -> Hand {
    let config =
        Config { bounds: Some(vec![Rate(4_000_000), Rate(60_000_000)]), base_rate: None, layers: None, ..config() };
    Hand::new(&config, &[2_400_000.0, 2_400_000.0 + 53.0 * PACKET_BPS])
}

/// The most packets of counting layers in a slot beyond those in the one before.
fn steepest(hand: &mut Hand, until: &EventKind) -> u32 {
    let mut counts: Vec<(u64, u32)> = Vec::new();
    hand.until(until, |sent| {
        if sent.group >= 2 {
            match counts.last_mut() {
                Some((slot, count)) if *slot == sent.slot => *count += 1,
                _ => counts.push((sent.slot, 1)),
            }
        }
        false
    });
    let first = counts.first().map_or(0, |&(_, count)| count);
    counts.windows(2).map(|pair| pair[1].1.saturating_sub(pair[0].1)).max().unwrap_or(0).max(first)
}

#[test]
fn one_wild_slot_on_a_counting_packet_changes_nothing() {
    for wild in [1 << 31, 5_000_000, 3_000_000_000] {
        let mut hand = below_a_slow_one();
        hand.until(JOIN_BEGUN, none);
        // The first packet of the second counting layer, in slot 2.
        let start = hand.now.0 / X.0;
        let mut given = None;
        while given.is_none() {
            let mut lost = None;
            hand.run((hand.now.0 / 1_000_000 + 1) as f64 / 1000.0, |sent| {
                let is_it = sent.group == 4 && lost.is_none();
                lost = lost.or(is_it.then_some(sent.number));
                is_it
            });
            given = lost;
            assert!(hand.now.0 / X.0 < start + 6);
        }
        let counting = CountingHeader { sequence: given.expect("it was sent"), tick: wild };
        hand.hand_in(4, Header::Counting(counting));
        hand.until(JOIN_SUCCEEDED, none);
        assert_eq!((hand.count(JOIN_FAILED), hand.count(LOSS_EVENT), hand.member.level()), (0, 0, 1), "{wild}");
        assert!(hand.member.target_bps() < 1e9, "{}", hand.member.target_bps());
    }
}

#[test]
fn a_way_that_has_become_shorter_makes_no_burst() {
    let mut hand = before_a_long_wait();
    let waiting = hand.until(JOIN_WAITING, none);
    hand.run(hand.now.as_secs_f64() + waiting.details[3] - 0.1, none);
    assert_eq!(hand.count(JOIN_BEGUN), 0);
    // 100 ms before t_0. From now on all comes 300 ms earlier, so that t_0 is past by 20 slots.
    hand.source_ns = 300_000_000;
    hand.cursor.seek(Duration(hand.now.0) + Duration::from_millis(300));
    assert!(steepest(&mut hand, JOIN_SUCCEEDED) <= 2);
    assert_eq!(hand.count(JOIN_FAILED), 0);
}

impl Hand {
    /// The member's clock jumps; nothing else does.
    fn jump(&mut self, by_s: i64) {
        let by_ns = by_s * 1_000_000_000;
        self.source_ns -= by_ns;
        self.now = Instant(self.now.0.saturating_add_signed(by_ns));
        self.due.iter_mut().for_each(|(due, _)| *due = Instant(due.0.saturating_add_signed(by_ns)));
    }
}

#[test]
fn a_clock_that_jumps_does_not_hold_an_attempt_for_ever() {
    for by_s in [3600, 5, -5, -3600] {
        let mut hand = before_a_long_wait();
        // The clock shows ten hours more than the source's.
        hand.jump(36_000);
        hand.until(JOIN_WAITING, none);
        hand.jump(by_s);
        let from = hand.now;
        hand.until(JOIN_SUCCEEDED, none);
        let after_s = hand.now.since(from).as_secs_f64();
        assert!(after_s < 30.0 && hand.climbed() == 0, "{by_s}: {after_s}");
    }
}

#[test]
fn who_comes_back_while_it_says_that_it_leaves_stays() {
    let mut hand = below_a_slow_one();
    hand.is_lead = true;
    hand.run(0.5, none);
    hand.input(Input::Stop);
    assert!(hand.reports.last().is_some_and(|(_, report)| report.feedback.leave));
    hand.input(Input::Start);
    hand.run(hand.now.as_secs_f64() + 10.0, none);
    assert!(!hand.held.is_empty() && hand.count(LAYER_DROPPED) == 0);
    assert!(hand.reports.last().is_some_and(|(_, report)| !report.feedback.leave));
}

#[test]
fn packets_of_counting_layers_say_how_long_the_way_is() {
    let mut hand = below_a_slow_one();
    hand.until(JOIN_BEGUN, none);
    while hand.climbed() == 0 {
        hand.run(hand.now.as_secs_f64() + 0.001, none);
    }
    let mut ahead = hand.cursor.clone();
    let due = std::iter::from_fn(|| ahead.advance()).find(|due| due.group == 0).expect("it goes on");
    let rtt_s = |hand: &Hand| hand.member.measurement.measured_rtt_s().expect("it has measured");
    assert!((rtt_s(&hand) - 0.008).abs() < 1e-5, "{}", rtt_s(&hand));
    let counting = CountingHeader { sequence: due.number, tick: due.tick };
    let packet = Packet {
        sent: hand.now - Duration::from_millis(3),
        flow: FlowId(0),
        source: SOURCE,
        destination: Address::group(GROUP.index() as u32 + 3),
        size: 1000,
        ttl: INITIAL_TTL,
        ecn: Ecn::Capable,
        header: Header::Counting(counting).into(),
    };
    hand.input(Input::packet(&packet, None, hand.now));
    assert!((rtt_s(&hand) - 0.011).abs() < 1e-5, "{}", rtt_s(&hand));
}

#[test]
fn who_comes_down_to_a_layer_gives_it_as_long_as_who_joins_it() {
    let mut hand = on_top();
    let mut first = true;
    hand.until(LOSS_EVENT, |sent| sent.group == 0 && core::mem::take(&mut first));
    hand.run(hand.now.as_secs_f64() + 20.0, none);
    hand.blocked = vec![1];
    hand.run(hand.now.as_secs_f64() + 8.0, none);
    assert_eq!(hand.member.level(), 2);
    // A queue for a moment takes it down to the layer of which nothing has come for 8 s.
    hand.rtt = Duration::from_millis(2000);
    hand.until(LAYER_DROPPED, none);
    hand.rtt = Duration::from_millis(8);
    assert_eq!(hand.member.level(), 1);
    let down_s = hand.now.as_secs_f64();
    hand.until(LAYER_DROPPED, none);
    let left_s = hand.now.as_secs_f64();
    assert!((9.9..10.2).contains(&(left_s - down_s)), "{down_s}, {left_s}");
}

#[test]
fn a_slot_of_the_finest_set_is_new_once_however_many_ticks_it_has() {
    let config = Config { rtts: vec![X, Duration::from_millis(14)], ..config() };
    let (mut member, mut out) = (Receiver::new(&config, seat(OWN)), Outbox::new());
    let is_new: Vec<u32> = (0..12)
        .filter(|&tick| member.see((at(0.002 * f64::from(tick)), at(0.002 * f64::from(tick))), tick, &mut out).0)
        .collect();
    assert_eq!(is_new, [0, 5, 10]);
}

#[test]
fn rounds_go_by_the_numbers_of_the_highest_layer_whatever_overtakes_what() {
    let mut hand = below_a_slow_one();
    hand.until(JOIN_SUCCEEDED, none);
    assert_eq!(hand.member.level(), 1);
    // The lead neither sets timers nor reports by rounds.
    let numbers = [hand.due[0].1 + 100_000, hand.due[1].1];
    let mut give = |layer: usize, ahead: u32, round: u8| {
        let Header::Data(packed) = hand.data(layer, numbers[layer] + ahead) else { panic!("data") };
        let mut header = packed.unpack();
        header.data.round = round;
        hand.hand_in(layer as u32, header.into());
        hand.member.reporting.round()
    };
    // Each is followed by what overtook it, in its layer and in the other, whose numbers are far higher.
    for (ahead, gone) in [(10, 1), (20, 127), (30, 128), (40, 200), (50, 255)] {
        let before = give(1, ahead, 30);
        let newest = before.wrapping_add(gone);
        assert_eq!(give(0, ahead, newest.wrapping_add(1)), 30, "the lower layer has rounds of its own");
        assert_eq!(give(1, ahead + 3, newest), newest, "{gone}");
        assert_eq!(give(1, ahead + 1, newest.wrapping_sub(1)), newest, "{gone}: overtaken in its layer");
        assert_eq!(give(1, ahead + 2, newest), newest);
        assert_eq!(give(0, ahead + 5, before), newest, "{gone}: the lower layer, new there");
        assert_eq!(give(0, ahead + 1, newest.wrapping_add(1)), newest, "{gone}: overtaken there");
        assert_eq!(give(1, ahead + 3, newest.wrapping_sub(2)), newest, "{gone}: come twice, and changed");
        // What comes next is of a later round again, so that each case begins alike.
        assert_eq!(give(1, ahead + 6, 29), 29);
    }
}
