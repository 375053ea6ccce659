//! The loss history packet by packet, with numbers by hand.

use super::*;
use crate::random::Random;
use core::ops::{Deref, DerefMut};

const GAP: Duration = Duration::from_millis(10);

fn at(index: u32) -> Instant {
    Instant(u64::from(index) * GAP.0)
}

/// A history of one sequence space.
struct OneSpace {
    history: LossHistory,
    detection: LossDetection,
}

impl OneSpace {
    fn new(threshold: f64) -> OneSpace {
        OneSpace { history: LossHistory::new(threshold), detection: LossDetection::NOTHING }
    }

    fn arrive(&mut self, sequence: u64, marked: bool, now: Instant, rtt_s: f64, seed: impl FnOnce() -> f64) -> Arrival {
        let packet = Packet { sequence, marked, now, rtt_s, event_s: rtt_s };
        self.history.arrive(LossHistory::ONLY, &mut self.detection, packet, None, seed)
    }
}

impl Deref for OneSpace {
    type Target = LossHistory;
    fn deref(&self) -> &LossHistory {
        &self.history
    }
}

impl DerefMut for OneSpace {
    fn deref_mut(&mut self) -> &mut LossHistory {
        &mut self.history
    }
}

/// Packets 10 ms apart, those for which `lost` holds missing; round-trip time 50 ms.
fn stream(history: &mut OneSpace, packets: core::ops::Range<u32>, lost: impl Fn(u32) -> bool) {
    stream_from(history, packets, 40.0, lost);
}

fn stream_from(history: &mut OneSpace, packets: core::ops::Range<u32>, seed: f64, lost: impl Fn(u32) -> bool) {
    for n in packets.filter(|&n| !lost(n)) {
        history.arrive(u64::from(n), false, at(n), 0.05, || seed);
    }
}

#[test]
fn a_loss_shows_with_the_third_packet_after_it() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..10, |n| n == 6);
    assert_eq!((history.events(), history.rate()), (1, 0.025), "the seed, 40, is longer than the open interval");
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..9, |n| n == 6);
    assert_eq!((history.events(), history.rate()), (0, 0.0));
    assert_eq!(history.arrive(9, false, at(9), 0.05, || 40.0), Arrival::LossEvent);
    assert_eq!(history.arrive(9, false, at(9), 0.05, || 40.0), Arrival::Duplicate);
}

#[test]
fn late_joiners_have_lost_nothing() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 123_456..124_000, |_| false);
    assert_eq!((history.events(), history.rate()), (0, 0.0));
    assert_eq!(history.arrive(123_000, false, at(124_001), 0.05, || 1.0), Arrival::Duplicate);
}

#[test]
fn what_was_sent_before_the_first_packet_says_nothing() {
    let mut history = OneSpace::new(0.5);
    assert_eq!(history.arrive(10, false, at(0), 0.05, || 1.0), Arrival::Plain);
    assert_eq!(history.arrive(5, false, at(1), 0.05, || 1.0), Arrival::Duplicate);
    assert_eq!(history.arrive(11, false, at(2), 0.05, || 1.0), Arrival::Plain);
    assert_eq!((history.runs().len(), history.detection.highest()), (0, 11));
}

#[test]
fn the_seed_is_that_of_the_first_event() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..60, |n| n == 50);
    stream_from(&mut history, 60..110, 1000.0, |n| n == 100);
    assert_eq!(history.current.intervals[..2], [50.0, 40.0]);
}

#[test]
fn p_is_at_most_one() {
    // Packets 10 ms apart and a round-trip time of 5 ms: each loss is an event, intervals are one packet long.
    let mut history = OneSpace::new(0.5);
    for n in [0, 1, 4, 5, 6] {
        history.arrive(n, false, at(n as u32), 0.005, || 0.5);
    }
    assert_eq!((history.events(), history.current.intervals[..2].to_vec()), (2, vec![1.0, 0.5]));
    assert_eq!(history.open(), 4);
    // The open interval is more than twice the mean of 0.75, DF = 1/2: (1 + 1)/(4 + 0.75).
    assert!((history.rate() - 2.0 / 4.75).abs() < 1e-9, "{}", history.rate());
    history.arrive(7, true, at(7), 0.005, || 0.5);
    history.arrive(8, true, at(8), 0.005, || 0.5);
    assert_eq!(history.current.intervals[..4], [1.0, 4.0, 1.0, 0.5]);
    let mut history = OneSpace::new(0.5);
    history.arrive(0, false, at(0), 0.05, || 0.5);
    history.arrive(1, true, at(1), 0.05, || 0.5);
    assert_eq!(history.rate(), 1.0, "also with a seed of half a packet");
}

#[test]
fn losses_within_a_round_trip_are_one_event() {
    // From the start of an event, 50 ms = 5 packets belong to it, the last one included (T_old + R >= T_new).
    for (second, events) in [(11, 1), (15, 1), (16, 2)] {
        let mut history = OneSpace::new(0.5);
        stream(&mut history, 0..30, |n| n == 10 || n == second);
        assert_eq!(history.events(), events, "second loss {second}");
    }
}

#[test]
fn average_interval_by_hand() {
    // Events at 100, 200, ..., 800; open interval 800..=830 = 31 packets; I = 7 times 100, then the seed of 60.
    let mut history = OneSpace::new(0.5);
    stream_from(&mut history, 0..831, 60.0, |n| n > 0 && n % 100 == 0);
    // Without the open one: (4·100 + 80 + 60 + 40 + 0.2·60)/6 = 592/6; with it less.
    assert!((history.rate() - 6.0 / 592.0).abs() < 1e-9, "{}", history.rate());
    // Open interval of 300 > 2·592/6 up to 1099, DF = 1184/1800; weights 1 + DF·(1, 1, 1, 0.8, 0.6, 0.4, 0.2).
    stream(&mut history, 831..1100, |_| false);
    let df = 1184.0 / 1800.0;
    let expected = (1.0 + df * 5.0) / (300.0 + df * 5.0 * 100.0);
    assert!((history.rate() - expected).abs() < 1e-9, "{}, not {expected}", history.rate());
    // The next event at 1100 closes it; its predecessors keep the discount: I_1 = 300, DF_2.. = DF.
    stream(&mut history, 1100..1105, |n| n == 1100);
    let weights = 1.0 + df * (3.0 + 0.8 + 0.6 + 0.4 + 0.2);
    let expected = weights / (300.0 + df * 100.0 * 5.0);
    assert!((history.rate() - expected).abs() < 1e-7, "{}, not {expected}", history.rate());
    assert_eq!(history.current.discounts[0], 1.0);
    assert!((f64::from(history.current.discounts[7]) - df).abs() < 1e-6);
    // An open interval of 400 up to 1499 discounts once more, on top: DF' = 2·I_mean/400.
    let again = 2.0 / (weights / (300.0 + df * 500.0)) / 400.0;
    assert!((0.5..0.8).contains(&again), "{again}");
    stream(&mut history, 1105..1500, |_| false);
    let expected = (1.0 + again * (1.0 + df * 4.0)) / (400.0 + again * (300.0 + df * 400.0));
    assert!((history.rate() - expected).abs() < 1e-7, "{}, not {expected}", history.rate());
}

#[test]
fn an_old_interval_keeps_its_own_discount() {
    // An interval of 300 among those of 100, at first discounted by nothing, seven events later with w_7 = 0.2: by then
    // those that it had discounted are gone. (4·100 + 80 + 60 + 40 + 0.2·300)/6 = 640/6.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..1810, |n| (n > 0 && n % 100 == 0 && n <= 800) || (n >= 1100 && n % 100 == 0));
    assert_eq!(history.current.intervals[7], 300.0);
    assert!((history.rate() - 6.0 / 640.0).abs() < 1e-9, "{}", history.rate());
}

#[test]
fn discounting_has_a_floor_and_can_be_off() {
    for (threshold, df) in [(0.5, 0.5), (1.0, 1.0)] {
        let mut history = OneSpace::new(threshold);
        stream(&mut history, 0..4000, |n| n > 0 && n % 100 == 0 && n <= 900);
        let open = 4000.0 - 900.0;
        let expected = (1.0 + df * 5.0) / (open + df * 5.0 * 100.0);
        assert!((history.rate() - expected).abs() < 1e-9, "{threshold}: {}", history.rate());
    }
}

#[test]
fn a_late_packet_takes_its_loss_back() {
    let mut with = OneSpace::new(0.5);
    let mut without = OneSpace::new(0.5);
    stream(&mut with, 0..400, |n| n == 100 || n == 250 || n == 390);
    stream(&mut without, 0..400, |n| n == 100 || n == 390);
    assert_eq!(with.events(), 3);
    with.arrive(250, false, at(400), 0.05, || 40.0);
    without.arrive(400, false, at(400), 0.05, || 40.0);
    with.arrive(400, false, at(400), 0.05, || 40.0);
    assert_eq!(with.current, without.current);
    assert_eq!(with.rate(), without.rate());
    // The middle of three: the event starts where it did.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..300, |n| (200..203).contains(&n));
    history.arrive(201, false, at(300), 0.05, || 40.0);
    assert_eq!((history.events(), history.current.start, history.runs().len()), (1, 200, 2));
    history.arrive(200, false, at(300), 0.05, || 40.0);
    assert_eq!((history.events(), history.current.start), (1, 202));
    history.arrive(202, false, at(300), 0.05, || 40.0);
    assert_eq!((history.events(), history.rate()), (0, 0.0));
}

#[test]
fn what_a_late_packet_leaves_keeps_its_nominal_times() {
    // 20 to 23 are missing between 190 ms and 290 ms: at 210, 230, 250 and 270 ms. Round-trip time 30 ms.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..20, |_| false);
    for (sequence, at_ms) in [(24, 290), (25, 300), (26, 310)] {
        history.arrive(sequence, false, Instant(at_ms * 1_000_000), 0.03, || 40.0);
    }
    let holes = |history: &OneSpace| -> Vec<(u64, u32, u64)> {
        history.runs().iter().map(|run| (run.first, run.missing, run.at.0 / 1_000_000)).collect()
    };
    assert_eq!((holes(&history), history.current.start), (vec![(20, 4, 210)], 22));
    history.arrive(21, false, Instant(320_000_000), 0.03, || 40.0);
    assert_eq!((holes(&history), history.current.start), (vec![(20, 1, 210), (22, 2, 250)], 22));
    // The event that 20 began goes with it, that of 22 stays.
    history.arrive(20, false, Instant(330_000_000), 0.03, || 40.0);
    assert_eq!((holes(&history), history.events(), history.current.start), (vec![(22, 2, 250)], 1, 22));
    history.arrive(22, false, Instant(340_000_000), 0.03, || 40.0);
    assert_eq!((holes(&history), history.events(), history.current.start), (vec![(23, 1, 270)], 1, 23));
}

#[test]
fn a_run_that_is_parted_leaves_those_behind_it() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..60, |n| (20..24).contains(&n) || n == 40);
    history.arrive(21, false, at(60), 0.05, || 40.0);
    let holes: Vec<(u64, u32)> = history.runs()[..3].iter().map(|run| (run.first, run.missing)).collect();
    assert_eq!((history.runs().len(), holes), (3, vec![(20, 1), (22, 2), (40, 1)]));
    assert_eq!((history.events(), history.current.start), (2, 40));
}

#[test]
fn marks_count_at_once() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..50, |_| false);
    assert_eq!(history.arrive(50, true, at(50), 0.05, || 40.0), Arrival::LossEvent);
    assert_eq!(history.arrive(51, true, at(51), 0.05, || 40.0), Arrival::Loss, "the same event");
    stream(&mut history, 52..60, |_| false);
    assert_eq!(history.arrive(60, true, at(60), 0.05, || 40.0), Arrival::LossEvent);
    assert_eq!(history.current.intervals[..2], [10.0, 40.0]);
}

#[test]
fn an_outage_is_an_event_per_round_trip() {
    // 100 packets missing, an event every 6 packets: 17 of them; the rest of the outage is the open interval.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..300, |n| (100..200).contains(&n));
    assert_eq!(history.events(), 17);
    assert!(history.current.intervals.iter().all(|&interval| interval == 6.0));
    assert_eq!(history.current.start, 196);
    // What is lost 50 ms after the start of the last event belongs to it.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..300, |n| (100..200).contains(&n) || n == 201);
    assert_eq!(history.events(), 17);
    // However long it is, it takes no longer to compute.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..100, |_| false);
    history.arrive(3_000_000_099, false, at(3_000_000_099), 0.05, || 40.0);
    stream(&mut history, 3_000_000_100..3_000_000_110, |_| false);
    assert_eq!(history.events(), 500_000_000);
    assert!(history.current.intervals.iter().all(|&interval| interval == 6.0));
}

#[test]
fn the_seed_follows_the_first_measurement_while_it_counts() {
    // R = 50 ms was R_max. Half of it: a quarter of the seed.
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..120, |n| n == 50 || n == 90);
    history.measured(0.025, 0.025, 1.0);
    assert_eq!(history.current.intervals[..2], [40.0, 10.0]);
    // Once more, and the least.
    history.measured(0.0125, 0.0125, 1.0);
    assert_eq!(history.current.intervals[..2], [40.0, 2.5]);
    history.measured(0.00125, 0.00125, 4.0);
    assert_eq!(history.current.intervals[..2], [40.0, 4.0]);
    stream(&mut history, 120..2000, |n| n % 100 == 0);
    let before = (history.events(), history.last(), history.rate());
    history.measured(0.25, 0.25, 1.0);
    assert_eq!((history.events(), history.last(), history.rate()), before, "it has left the history");
    // Settled, but still in it: 13 runs, the first of which is beyond reach.
    let mut history = OneSpace::new(1.0);
    stream(&mut history, 0..150, |n| n % 10 == 0 && (20..150).contains(&n));
    assert_eq!((history.past.as_ref().expect("losses").settled.count, history.events()), (1, 13));
    history.measured(0.025, 0.025, 1.0);
    assert_eq!(history.past.as_ref().expect("losses").settled.intervals[0], 10.0);
    stream(&mut history, 150..160, |_| false);
    assert_eq!(history.past.as_ref().expect("losses").settled.intervals[0], 10.0);
}

#[test]
fn losses_that_r_max_had_put_together_are_parted_by_the_first_measurement() {
    // 200 packets 10 ms apart, every tenth lost from 50 on. With R_max = 500 ms an event starts at 50, at the first
    // one more than 50 packets later, 110, and at 170. With R = 50 ms each is one, as if it had been known before.
    let lost = |n: u32| n >= 50 && n.is_multiple_of(10);
    let history = |rtt_s: f64, seed: f64, until: u32| {
        let mut history = OneSpace::new(0.5);
        for n in (0..until).filter(|&n| !lost(n)) {
            history.arrive(u64::from(n), false, at(n), rtt_s, || seed);
        }
        history
    };
    let (mut by_max_rtt, by_rtt) = (history(0.5, 100.0, 150), history(0.05, 1.0, 150));
    assert_eq!((by_max_rtt.events(), by_rtt.events()), (2, 10));
    by_max_rtt.measured(0.05, 0.05, 1.0);
    assert_eq!(by_max_rtt.current, by_rtt.current, "the seed of 100 is 1 now");
    // Beyond the reach of the runs the events stay: of 15 runs three are settled, within one event.
    let mut late = history(0.5, 100.0, 200);
    assert_eq!((late.runs().len(), late.past.as_ref().expect("losses").settled.count, late.events()), (12, 1, 3));
    late.measured(0.05, 0.05, 1.0);
    assert_eq!((late.past.as_ref().expect("losses").settled.count, late.events()), (1, 13));
}

#[test]
fn a_first_loss_that_was_taken_back_leaves_its_seed() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..60, |n| n == 50);
    history.arrive(50, false, at(60), 0.05, || 70.0);
    assert_eq!(history.events(), 0);
    // A seed of less does not take its place, one of more does.
    stream_from(&mut history, 60..110, 4.0, |n| n == 100);
    assert_eq!((history.current.intervals[0], history.rate()), (40.0, 1.0 / 40.0));
    history.arrive(100, false, at(110), 0.05, || 7.0);
    stream_from(&mut history, 110..160, 90.0, |n| n == 150);
    assert_eq!(history.rate(), 1.0 / 90.0);
}

#[test]
fn the_open_interval_ends_where_the_fate_of_packets_is_decided() {
    // An event at 4; then three packets come, and then only every third. It is 100 ms long: up to 14.
    let mut history = OneSpace::new(1.0);
    stream(&mut history, 0..8, |n| n == 4);
    assert_eq!((history.current.start, history.open()), (4, 4), "nothing is missing up to 7");
    for (n, start, open) in [(10, 4, 4), (13, 4, 4), (16, 4, 7), (19, 4, 10), (22, 15, 2)] {
        // With the third of 10, 13, 16 the loss of 8 and 9 is decided, and with it the fate of all up to 10.
        history.arrive(n, false, at(n as u32), 0.1, || 1.0);
        assert_eq!((history.current.start, history.open()), (start, open), "{n}");
    }
    // A late packet leaves the next one that is missing.
    history.arrive(17, false, at(23), 0.1, || 1.0);
    assert_eq!((history.current.start, history.open()), (15, 3));
    // A mark on the highest is an event that is one packet long, whatever is missing before it.
    history.arrive(40, true, at(40), 0.1, || 1.0);
    assert_eq!((history.current.start, history.open()), (40, 1));
}

/// The mean of p over seeds and arrivals at a fixed rate, after the seed has left the history.
fn mean_rate(loss: f64, packets_per_rtt: f64) -> f64 {
    const ARRIVALS: u32 = 3000;
    let mut sum = 0.0;
    for seed in 0..8 {
        let mut random = Random::stream(seed, "test/monotone");
        let mut history = OneSpace::new(0.5);
        let mut sequence = 0;
        for arrival in 0..ARRIVALS {
            sequence += 1;
            while random.chance(loss) {
                sequence += 1;
            }
            let now = Instant(sequence * GAP.0);
            history.arrive(sequence, false, now, packets_per_rtt * 0.01, || 1.0);
            sum += if arrival >= ARRIVALS / 5 { history.rate() } else { 0.0 };
        }
    }
    sum / (8.0 * 0.8 * f64::from(ARRIVALS))
}

#[test]
fn more_loss_is_a_higher_loss_event_rate() {
    let losses = [0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];
    for packets_per_rtt in [0.1, 1.3, 5.3, 20.0] {
        let rates = losses.map(|loss| mean_rate(loss, packets_per_rtt));
        assert!(rates.windows(2).all(|pair| pair[1] > pair[0]), "{packets_per_rtt} per round trip: {rates:?}");
    }
    // At less than a packet per round-trip time every loss is an event: at 98 % nearly all intervals are 1, and the
    // open one is 2 at least, since the packet that ends it has come: p = 6/7 at most.
    assert!((0.8..6.0 / 7.0).contains(&mean_rate(0.98, 0.1)), "{}", mean_rate(0.98, 0.1));
}

#[test]
fn any_order_of_arrivals_ends_in_the_same_history() {
    // Packets delayed by up to four places, within the reach of the runs.
    let mut random = Random::stream(5, "test/reordering");
    for _ in 0..200 {
        let lost: Vec<u32> = (0..3).map(|_| random.uniform_in(20.0, 180.0) as u32).collect();
        let mut order: Vec<u32> = (0..200).filter(|n| !lost.contains(n)).collect();
        for _ in 0..20 {
            let place = random.uniform_in(10.0, 185.0) as usize;
            let late = order.remove(place);
            order.insert(place + random.uniform_in(0.0, 4.9) as usize, late);
        }
        let mut shuffled = OneSpace::new(0.5);
        for (place, &n) in order.iter().enumerate() {
            shuffled.arrive(u64::from(n), false, at(place as u32), 0.01, || 40.0);
        }
        let missing = (0..200).filter(|n| lost.contains(n)).count() as u32;
        let counted: u32 = shuffled.runs().iter().map(|run| run.missing).sum();
        assert_eq!(counted, missing);
        assert!(shuffled.events() <= missing);
    }
}

#[test]
fn every_hundredth_packet_lost_is_one_per_cent() {
    let mut history = OneSpace::new(0.5);
    stream(&mut history, 0..5001, |n| n % 100 == 50);
    assert!((history.rate() - 0.01).abs() < 1e-9, "{}", history.rate());
}

#[test]
fn many_at_once_are_as_many_one_by_one() {
    for missing in [None, Some(20), Some(48)] {
        for packets in [1, 2, 3, 100] {
            let mut both = [(); 2].map(|()| (LossHistory::new(0.5), LossDetection::NOTHING));
            let arrive = |(history, detection): &mut (LossHistory, LossDetection), sequence: u64| {
                let packet =
                    Packet { sequence, marked: false, now: Instant(sequence * 1_000_000), rtt_s: 0.1, event_s: 0.1 };
                history.arrive(LossHistory::ONLY, detection, packet, None, || 30.0)
            };
            for end in &mut both {
                for sequence in (7..=50).filter(|&sequence| Some(sequence) != missing) {
                    arrive(end, sequence);
                }
                assert_eq!(end.0.is_decided(), missing != Some(48), "two have come behind 48");
                arrive(end, 51);
                assert!(end.0.is_decided());
            }
            let [at_once, one_by_one] = &mut both;
            at_once.0.pass(packets);
            for n in 1..=u64::from(packets) {
                assert_eq!(arrive(one_by_one, 51 + n), Arrival::Plain);
            }
            assert_eq!(format!("{:?}", at_once.0), format!("{:?}", one_by_one.0));
        }
    }
}

#[test]
fn an_outage_is_one_event_and_heavy_loss_is_not() {
    // 100 in a row are lost, a second long, 250 after the start of the event before.
    let outage = |n: u32| n == 50 || (300..400).contains(&n);
    let events = |with_outages: bool, lost: &dyn Fn(u32) -> bool, until: u32| {
        let mut history = OneSpace::new(0.5);
        if with_outages {
            history.history = history.history.clone().with_outages();
        }
        stream(&mut history, 0..until, lost);
        (history.events(), history.last())
    };
    assert_eq!(events(true, &outage, 410), (2, 300));
    // By section 5.2 there are 17 of them, a round trip of five gaps and one more apart: 300, 306, ..., 396.
    assert_eq!(events(false, &outage, 410), (18, 396));
    // What is lost after its end is another, though it is less than a round trip after the last of them.
    assert_eq!(events(true, &|n| outage(n) || n == 401, 410).0, 3);
    // Before the first event there may have been as few as there are.
    assert_eq!(events(true, &|n| (10..110).contains(&n), 120), (1, 10));
    // Twice as many must have come without an event: 199 have not.
    assert_eq!(events(true, &|n| n == 101 || (300..400).contains(&n), 410).0, 18);
    assert_eq!(events(true, &|n| n == 100 || (300..400).contains(&n), 410).0, 2);
    // 24 of 25 are lost, in rows of four round trips and more, and 98 % at random.
    let rows = |n: u32| !n.is_multiple_of(25);
    let (one, per_rtt) = (events(true, &rows, 2000).0, events(false, &rows, 2000).0);
    assert!(one + 3 >= per_rtt && per_rtt > 150, "{one} {per_rtt}");
    let mut random = Random::stream(1, "test/outages");
    let lost: Vec<bool> = (0..3000).map(|_| random.chance(0.98)).collect();
    let at_random = |n: u32| lost[n as usize];
    let (one, per_rtt) = (events(true, &at_random, 3000).0, events(false, &at_random, 3000).0);
    assert!(f64::from(one) > 0.9 * f64::from(per_rtt), "{one} {per_rtt}");
}

/// Packets 10 ms apart. What is lost says how long an event lasts, milliseconds: by section 5.2 what the later loss
/// says counts, and otherwise what the first one did.
#[test]
fn an_event_lasts_as_long_as_its_first_loss_says() {
    let events = |from_first: bool, second: u32, says_ms: [u64; 2]| {
        let mut history = OneSpace::new(0.5);
        if from_first {
            history.history = history.history.clone().with_spans_of_first_losses();
        }
        for n in (0..40).filter(|&n| n != 10 && n != second) {
            // 11 reveals the first one.
            let event_s = says_ms[usize::from(n > 11)] as f64 * 1e-3;
            let packet = Packet { sequence: n.into(), marked: false, now: at(n), rtt_s: 0.05, event_s };
            history.history.arrive(LossHistory::ONLY, &mut history.detection, packet, None, || 40.0);
        }
        history.events()
    };
    for (second, says_ms, by_letter, from_first) in
        [(18, [80, 50], 2, 1), (19, [80, 50], 2, 2), (15, [50, 80], 1, 1), (18, [50, 80], 1, 2), (19, [50, 80], 2, 2)]
    {
        assert_eq!(events(false, second, says_ms), by_letter, "{second} {says_ms:?}");
        assert_eq!(events(true, second, says_ms), from_first, "{second} {says_ms:?}");
    }
}

/// The same beyond the twelve runs that are remembered: the events of those before are settled, and keep their spans.
#[test]
fn an_event_that_is_settled_goes_on() {
    let mut history = OneSpace::new(0.5);
    history.history = history.history.clone().with_spans_of_first_losses();
    // The first says 300 ms, the others 10 ms: every other packet from 10 on, all but the last within 300 ms of it.
    for n in (0..50).filter(|&n| n < 10 || n % 2 == 1 || n > 42) {
        let event_s = if n > 11 { 0.01 } else { 0.3 };
        let packet = Packet { sequence: n.into(), marked: false, now: at(n), rtt_s: 0.01, event_s };
        history.history.arrive(LossHistory::ONLY, &mut history.detection, packet, None, || 40.0);
    }
    assert_eq!(history.past.as_ref().expect("losses").settled.count, 1);
    assert_eq!((history.events(), history.last()), (2, 42));
    // With the first measurement all last as long as is said then: 42 is within 400 ms of 10.
    history.measured(0.4, 0.4, 1.0);
    assert_eq!((history.events(), history.last()), (1, 10));
}
