//! One loss history over several sequence spaces, packet by packet, with numbers by hand.

use super::*;
use crate::random::Random;

const BASE: Space = Space(3);
const UPPER: Space = Space(4);

/// What a receiver of two layers has: detection in each, one history.
struct Layers {
    history: LossHistory,
    base: LossDetection,
    upper: LossDetection,
}

impl Layers {
    fn new() -> Layers {
        Layers { history: LossHistory::new(1.0), base: LossDetection::NOTHING, upper: LossDetection::NOTHING }
    }

    /// A packet at `ms`, with a round-trip time of 50 ms and a seed of 100 packets.
    fn arrive(&mut self, space: Space, sequence: u64, ms: u64) -> Arrival {
        let detection = if space == BASE { &mut self.base } else { &mut self.upper };
        let packet = Packet { sequence, marked: false, now: Instant(ms * 1_000_000), rtt_s: 0.05, event_s: 0.05 };
        self.history.arrive(space, detection, packet, None, || 100.0)
    }

    /// Packets of the base layer every 10 ms, numbered from 0, and of the upper one every 20 ms from 5 ms on, numbered
    /// from 1000, but for those that are lost: what arrives from `from_ms` up to before `until_ms`.
    fn stream(&mut self, from_ms: u64, until_ms: u64, lost: &[u64]) {
        for ms in from_ms..until_ms {
            let (space, sequence) = match ms % 20 {
                0 | 10 => (BASE, ms / 10),
                5 => (UPPER, 1000 + ms / 20),
                _ => continue,
            };
            if !lost.contains(&sequence) {
                self.arrive(space, sequence, ms);
            }
        }
    }
}

/// The first base packet has number 0. Up to before 210 ms, when 21 shows that 20 is missing, 20 packets of the base
/// layer and 11 of the upper one have come: 20 gets number 31. At 625 ms 1031 shows that 1030 is missing: 63 of the
/// base layer with the lost one, and 30: number 93. At 1010 ms the same for 100: 100 and 51, number 151.
#[test]
fn intervals_count_the_packets_of_all_layers() {
    let mut layers = Layers::new();
    let lost = [20, 1030, 100];
    layers.stream(0, 230, &lost);
    assert_eq!(layers.history.events(), 0, "21 and 22 have come");
    layers.stream(230, 231, &lost);
    assert_eq!((layers.history.events(), layers.history.last()), (1, 31));
    // The upper layer's 11th to 13th had no part in that.
    layers.stream(231, 645, &lost);
    assert_eq!(layers.history.events(), 1);
    // 65 of the base layer and 32 of the upper one, 31 of them before the event. Of the upper layer what is decided
    // ends before 1030.
    assert_eq!(layers.history.open(), 65 + 32 - 31 - 2);
    layers.stream(645, 665, &lost);
    assert_eq!(layers.history.open(), 67 + 33 - 31 - 3);
    layers.stream(665, 666, &lost);
    assert_eq!((layers.history.events(), layers.history.last()), (2, 93));
    layers.stream(666, 1031, &lost);
    assert_eq!((layers.history.events(), layers.history.last()), (3, 151));
    assert_eq!(layers.history.current().intervals(), [58.0, 62.0, 100.0]);
    // 104 of the base layer, 52 of the upper one (1051 came at 1025 ms): numbers up to 155.
    assert_eq!(layers.history.open(), 5);
    // p = min(4/(5 + 58 + 62 + 100), 3/(58 + 62 + 100)).
    assert!((layers.history.rate() - 3.0 / 220.0).abs() < 1e-9, "{}", layers.history.rate());
}

#[test]
fn losses_of_both_layers_within_a_round_trip_are_one_event() {
    // At 200 and 225 ms; at 265 and 280 ms.
    for (lost, events) in [([20, 1011], 1), ([20, 1013], 2), ([28, 1013], 1)] {
        let mut layers = Layers::new();
        layers.stream(0, 1000, &lost);
        assert_eq!(layers.history.events(), events, "{lost:?}");
    }
}

#[test]
fn a_late_packet_takes_back_the_loss_of_its_own_layer() {
    let mut layers = Layers::new();
    layers.stream(0, 400, &[20, 1005]);
    assert_eq!((layers.history.events(), layers.history.current().intervals().len()), (2, 2));
    assert_eq!(layers.arrive(UPPER, 20, 401), Arrival::Duplicate);
    assert_eq!(layers.arrive(BASE, 20, 401), Arrival::Plain);
    assert_eq!((layers.history.events(), layers.history.current().intervals()), (1, &[100.0][..]));
    assert_eq!(layers.arrive(BASE, 20, 402), Arrival::Duplicate);
}

#[test]
fn what_is_undecided_in_a_layer_that_is_left_is_no_loss_and_what_was_lost_stays_so() {
    let mut layers = Layers::new();
    layers.stream(0, 640, &[1010, 1030]);
    assert_eq!(layers.history.events(), 1);
    let open = layers.history.open();
    layers.history.leave(UPPER);
    assert_eq!((layers.history.open(), layers.history.events()), (open + 2, 1));
    // It joins again and its numbers begin anew, among those that were missing.
    layers.upper = LossDetection::NOTHING;
    for (n, ms) in [(1029, 700), (1030, 720), (1031, 740), (1032, 760), (1033, 780)] {
        assert_eq!(layers.arrive(UPPER, n, ms), Arrival::Plain);
    }
    assert_eq!(layers.arrive(UPPER, 1010, 790), Arrival::Duplicate, "of another time");
    assert_eq!(layers.history.events(), 1);
    // To leave what one is not in, or has lost nothing in, changes nothing.
    let before = (layers.history.open(), layers.history.rate());
    layers.history.leave(UPPER);
    layers.history.leave(Space(77));
    assert_eq!((layers.history.open(), layers.history.rate()), before);
}

#[test]
fn in_a_layer_next_to_silent_what_is_missing_is_lost_at_the_latest_when_twelve_other_losses_have_come() {
    let mut layers = Layers::new();
    layers.arrive(UPPER, 1000, 0);
    layers.arrive(UPPER, 1002, 20);
    // A loss in ten of the base layer from the tenth on; each is an event, as R is 50 ms.
    let lost = |count: u64| -> Vec<u64> { (1..=count).map(|n| 10 * n).collect() };
    for (count, events) in [(11, 11), (12, 13)] {
        let mut layers = Layers { history: layers.history.clone(), ..layers };
        for n in (0..10 * count + 4).filter(|n| !lost(count).contains(n)) {
            layers.arrive(BASE, n, 30 + 10 * n);
        }
        assert_eq!(layers.history.events(), events, "{count} others");
    }
}

/// Four layers of random rates, losses and order: the count of all is the packets that came and those that are missing;
/// p is about that of one sequence space with the same losses.
#[test]
fn the_count_is_of_all_packets_and_p_that_of_one_stream() {
    let (mut merged, mut alone) = (0.0, 0.0);
    for seed in 0..20 {
        let mut random = Random::stream(seed, "test/layers");
        let mut history = LossHistory::new(0.5);
        let (mut one, mut one_detection) = (LossHistory::new(0.5), LossDetection::NOTHING);
        let mut detections = [LossDetection::NOTHING; 4];
        let mut next = [1, 1 << 40, 77, 1 << 32];
        const START: u64 = 1;
        let first = next;
        let mut held = Vec::new();
        for step in 0..6000_u64 {
            let layer = if step == 0 { 0 } else { (random.uniform() * random.uniform() * 4.0) as usize };
            let (sequence, number, now) = (next[layer], step, Instant(step * 1_000_000));
            next[layer] += 1;
            if sequence > first[layer] + 2 && random.chance(0.02) {
                continue;
            }
            held.push((layer, sequence, number));
            // Some wait for one or two others.
            if step > 0 && random.chance(0.05) {
                continue;
            }
            for (layer, sequence, number) in held.drain(..).rev() {
                let packet = |sequence| Packet { sequence, marked: false, now, rtt_s: 0.03, event_s: 0.03 };
                history.arrive(Space(layer as u16), &mut detections[layer], packet(sequence), None, || 50.0);
                one.arrive(LossHistory::ONLY, &mut one_detection, packet(number), None, || 50.0);
            }
            // All layers begin with their first packet, which is never lost; the count with the first of all.
            let packets = |layer: usize| match detections[layer].highest() {
                0 => 0,
                highest => highest - first[layer] + 1,
            };
            assert_eq!(history.counted, START + (0..4).map(packets).sum::<u64>() - 1, "seed {seed}");
            if step > 2000 {
                merged += history.rate();
                alone += one.rate();
            }
        }
    }
    assert!((merged / alone - 1.0).abs() < 0.03, "{}", merged / alone);
}

impl Layers {
    /// What is missing of the upper layer below this number is overdue.
    fn overdue(&mut self, until: u64, ms: u64) -> Arrival {
        self.history.overdue(UPPER, &mut self.upper, until, (Instant(ms * 1_000_000), 0.05, 0.05), None, || 100.0)
    }
}

/// 20 of the upper layer come up to 385 ms, beside 40 of the base layer; 1020 and 1021 do not, and nothing behind them.
#[test]
fn what_is_overdue_is_lost_though_nothing_has_come_behind_it() {
    let mut layers = Layers::new();
    layers.stream(0, 400, &[]);
    assert_eq!(layers.overdue(1020, 400), Arrival::Plain, "all have come");
    assert_eq!(layers.overdue(1022, 430), Arrival::LossEvent);
    // 1019 came at 385 ms: nominally they would have come at 400 and 415. 60 packets before them, from 0 on.
    assert_eq!((layers.history.events(), layers.history.last(), layers.history.open()), (1, 60, 2));
    assert_eq!(layers.history.last_in(UPPER), Some(1020));
    assert_eq!((layers.history.last_in(BASE), layers.history.newest_in(UPPER)), (None, Some(1020)));
    assert!(layers.history.is_decided());
    assert_eq!(layers.overdue(1022, 440), Arrival::Plain, "once");
    // Others are counted on, and 1023 shows that 1022 is missing.
    assert_eq!((layers.arrive(BASE, 40, 440), layers.arrive(UPPER, 1023, 450)), (Arrival::Plain, Arrival::Plain));
    assert_eq!(layers.history.counted, 64);
    // More of the same event: 1022 was due within a round-trip time.
    assert_eq!((layers.overdue(1023, 451), layers.history.events()), (Arrival::Loss, 1));
    assert_eq!(layers.history.newest_in(UPPER), Some(1022));
    // It comes after all, and so does the first: then there were 1021 only.
    assert_eq!((layers.arrive(UPPER, 1022, 460), layers.arrive(UPPER, 1020, 461)), (Arrival::Plain, Arrival::Plain));
    assert_eq!((layers.history.events(), layers.history.last()), (1, 61));
}

#[test]
fn a_hole_is_overdue_as_far_as_it_reaches() {
    let mut layers = Layers::new();
    layers.stream(0, 400, &[]);
    // 1020 to 1024 are missing, shown by one packet.
    assert_eq!(layers.arrive(UPPER, 1025, 505), Arrival::Plain);
    assert_eq!(layers.overdue(1022, 506), Arrival::LossEvent);
    let runs = |layers: &Layers| -> Vec<(u64, u32, bool)> {
        layers.history.runs().iter().map(|run| (run.first, run.missing, run.is_lost())).collect()
    };
    assert_eq!((runs(&layers), layers.history.is_decided()), (vec![(1020, 2, true), (1022, 3, false)], false));
    // What is not overdue may come, and is lost by the three behind it otherwise.
    assert_eq!(layers.arrive(UPPER, 1022, 507), Arrival::Plain);
    assert_eq!(
        (layers.arrive(UPPER, 1026, 508), layers.arrive(UPPER, 1027, 509)),
        (Arrival::Plain, Arrival::LossEvent)
    );
    assert_eq!(runs(&layers), [(1020, 2, true), (1023, 2, true)]);
    // Of the base layer nothing is overdue.
    assert_eq!(layers.arrive(BASE, 42, 510), Arrival::Plain);
    assert_eq!((layers.overdue(1028, 511), runs(&layers).len()), (Arrival::Plain, 3));
}

#[test]
fn an_outage_of_all_layers_is_one_event() {
    // A second, in which 100 packets of the base layer and 50 of the upper one are lost.
    let lost: Vec<u64> = (100..200).chain(1050..1100).collect();
    let mut layers = Layers::new();
    layers.stream(0, 2100, &lost);
    assert!(layers.history.events() > 15, "{}", layers.history.events());
    let mut layers = Layers::new();
    layers.history = layers.history.with_outages();
    layers.stream(0, 2100, &lost);
    assert_eq!(layers.history.events(), 1);
}
