use super::*;
use crate::random::Random;

const MS: u64 = 1_000_000;

fn layer(set: u8, phase: u8, rank: u8) -> CountingLayer {
    CountingLayer { set, phase, rank }
}

/// Sets of x = so many ticks of `tick_ms`, with so many layers.
fn counting(tick_ms: u64, sets: &[(u32, u8)], phases: u8) -> Counting {
    let sets: Vec<Set> = sets.iter().map(|&(ticks, layers)| Set { ticks, layers }).collect();
    Counting::new(Duration::from_millis(tick_ms), &sets, phases)
}

/// How many packets of each group are sent in each tick, by the cursor, for so many ticks.
fn sent(counting: Counting, ticks: u64) -> Vec<Vec<u32>> {
    let mut packets = vec![vec![0; counting.len() as usize]; ticks as usize];
    let mut cursor = Cursor::new(counting);
    while let Some(due) = cursor.advance().filter(|due| due.at.0 < ticks * counting.tick().0) {
        assert_eq!(u64::from(due.tick), due.at.0 / counting.tick().0);
        packets[due.tick as usize][due.group as usize] += 1;
    }
    packets
}

#[test]
fn the_table_of_figure_2() {
    let one = counting(1000, &[(1, 4)], 1);
    let table = [
        [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
        [0, 0, 2, 2, 0, 0, 2, 2, 0, 0],
        [0, 0, 0, 0, 4, 4, 4, 4, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 8, 8],
    ];
    let sent = sent(one, 40);
    for slot in 0..10 {
        let column: Vec<u32> = table.iter().map(|row| row[slot]).collect();
        assert_eq!(sent[slot], column, "slot {slot}");
        let planned: Vec<u32> = (0..4).map(|rank| one.packets(layer(0, 0, rank), slot as u64)).collect();
        assert_eq!(planned, column, "slot {slot}");
    }
    // The sum is the number of the slot, until all layers have been on.
    for (slot, packets) in sent.iter().enumerate() {
        assert_eq!(packets.iter().sum::<u32>(), slot as u32 % 16, "slot {slot}");
        assert_eq!(one.count(0, 0, slot as u64), slot as u32 % 16);
    }
}

/// A receiver that joins layer k after 2^k slots from an aligned slot on gets one packet more in each slot.
#[test]
fn from_an_aligned_slot_on_each_slot_has_one_packet_more() {
    // Periods a power of two apart, and a factor of 1.4 and 10/7.
    for many in [counting(8, &[(1, 3), (2, 5), (8, 4)], 2), counting(8, &[(5, 3), (7, 5), (10, 4)], 2)] {
        let sent = sent(many, 800 * many.ticks(0));
        for (set, bits, phase) in [(0, 3, 0), (0, 2, 1), (1, 5, 0), (1, 5, 1), (1, 3, 1), (2, 4, 1), (2, 1, 0)] {
            let width = many.ticks(set) as usize;
            for from in 0..20 {
                let start = many.aligned(set, phase, bits, from);
                assert!((from..from + (1 << bits)).contains(&start) && many.alignment(set, phase, start) >= bits);
                for j in 0..1u64 << bits {
                    let first = (start + j) as usize * width;
                    let groups = (0..bits).filter(|rank| j >= 1 << rank);
                    let groups = groups.map(|rank| many.group_of(layer(set, phase, rank)) as usize);
                    let of = |g: usize| sent[first..first + width].iter().map(|tick| tick[g]).sum::<u32>();
                    assert_eq!(groups.map(of).sum::<u32>(), j as u32, "{many:?}, set {set}, phase {phase}, {start}");
                }
            }
        }
    }
}

#[test]
fn packets_are_evenly_spaced_and_numbered_and_no_two_of_a_replica_coincide() {
    // 2^5 does not divide a third of a second.
    let finest = Duration(333_333_333);
    let one = Counting::new(finest, &[Set { ticks: 1, layers: 5 }], 2);
    let mut cursor = Cursor::new(one);
    let mut last: Vec<Option<Due>> = vec![None; 10];
    let mut at = [None; 2];
    for _ in 0..20_000 {
        let due = cursor.advance().expect("it goes on");
        let which = one.layer_of(due.group).expect("there is one");
        assert_ne!(at[usize::from(which.phase)].replace(due.at), Some(due.at));
        let slot = due.at.0 / finest.0;
        assert!(one.is_on(which, slot));
        if let Some(before) = last[due.group as usize].replace(due) {
            assert_eq!(due.number, before.number.wrapping_add(1));
            let gap = (due.at.0 - before.at.0) as f64 * f64::from(1u32 << which.rank) / finest.0 as f64;
            // Behind the last of a period it is off.
            let first = u64::from(due.number) % (1 << (2 * which.rank)) == 0;
            let expected = if first { (1 << (2 * which.rank)) as f64 + 1.0 } else { 1.0 };
            assert!((gap - expected).abs() < 1e-6, "{which:?}: {gap} of a share, not {expected}");
        }
        // The middle of its share, to the nanosecond.
        let share = u64::from(Counting::index_in_slot(which.rank, due.number));
        assert_eq!(u64::from(due.number), one.sent_before(which, slot) + share);
        assert_eq!(due.at.0 % finest.0, (2 * share + 1) * finest.0 / (2 << which.rank));
    }
}

#[test]
fn it_is_exact_after_hours_and_where_numbers_begin_anew() {
    let sets = [[(1, 10), (16, 16), (1 << 16, 3)], [(5, 10), (7, 16), (10, 3)]];
    for (sets, numbers) in sets.into_iter().zip([1 << 32, 936 * (70 << 16)]) {
        let many = counting(1, &sets, 2);
        assert_eq!(many.numbers(), numbers);
        // A day; and the ticks around those behind which the numbers on packets begin from 0.
        for at in [86_400_000, numbers - 200, 3 * numbers - 200].map(|at| at / many.ticks(0) * many.ticks(0)) {
            let mut cursor = Cursor::new(many);
            cursor.seek(Duration::from_millis(at));
            let mut packets = 0;
            let mut planned = 0;
            let slots = many.slot_of(0, at)..many.slot_of(0, at) + 400;
            for slot in slots.clone() {
                for group in 0..20 {
                    planned += many.packets(many.layer_of(group).expect("of the first set"), slot);
                }
            }
            while let Some(due) = cursor.advance().filter(|due| due.at < Duration(many.finest().0 * slots.end)) {
                assert!(due.at.0 >= at * MS);
                assert_eq!(u64::from(due.tick), due.at.0 / MS % numbers);
                let which = many.layer_of(due.group).expect("there is one");
                // A member that knows the numbers of ticks only comes to the same.
                let slot = many.slot_of(which.set, due.at.0 / MS);
                assert!(many.is_on(which, slot) && many.is_on(which, many.slot_of(which.set, u64::from(due.tick))));
                packets += u32::from(which.set == 0);
            }
            assert_eq!(packets, planned);
        }
    }
}

#[test]
fn wherever_it_is_set_to_the_cursor_goes_on_with_the_first_that_follows() {
    let many = counting(3, &[(2, 4), (7, 3)], 2);
    let mut cursor = Cursor::new(many);
    let all: Vec<Due> = (0..5000).map(|_| cursor.advance().expect("it goes on")).collect();
    assert!(all.is_sorted_by_key(|due| due.at));
    let mut random = Random::stream(1, "test/cursor");
    let end = all.last().expect("there are some").at;
    for n in 0..500 {
        // Any time, and just at, before and behind a packet.
        let at = Duration((random.uniform() * end.0 as f64) as u64);
        let packet = all[(random.uniform() * 4990.0) as usize].at;
        for at in [at, packet, Duration(packet.0 - 1), packet + Duration(1)] {
            cursor.seek(at);
            let expected = all.iter().find(|due| due.at >= at);
            assert_eq!(cursor.peek().as_ref(), expected, "{n}: {at}");
            assert_eq!(cursor.advance().as_ref(), expected, "{n}: {at}");
        }
    }
}

/// The mean wait from any time on: half of 2^m slots with one replica, (f² + (1 - f)²)/2 of them with two that are f of
/// them apart, about 0.28 as f is about a third or two.
#[test]
fn two_replicas_shorten_the_mean_wait() {
    let two = counting(10, &[(1, 9)], 2);
    // The replica is behind by floor(512/3) slots.
    assert!((0..600).all(|slot| two.count(0, 1, slot + 170) == two.count(0, 0, slot)));
    for bits in 1..=9u8 {
        let whole = f64::from(1 << bits);
        let mean = |phases: u8| {
            // In a slot, and in the mean half a slot before the next.
            let wait = |slot: u64, phase| two.aligned(0, phase, bits, slot + 1) - (slot + 1);
            let waits = (1000..1000 + 512).map(|slot| (0..phases).map(|phase| wait(slot, phase)).min());
            waits.map(|wait| wait.expect("there is one") as f64 + 0.5).sum::<f64>() / (512.0 * whole)
        };
        let apart = f64::from(170 % (1 << bits)) / whole;
        assert!((mean(1) - 0.5).abs() < 1e-9, "{bits}: {}", mean(1));
        assert!((mean(2) - 0.5 * (apart * apart + (1.0 - apart) * (1.0 - apart))).abs() < 1e-9, "{bits}: {}", mean(2));
        assert!((mean(2) - 0.28).abs() < [0.23, 0.035, 0.01][usize::from(bits / 3).min(2)], "{bits}: {}", mean(2));
    }
}

#[test]
fn groups_come_set_by_set_replica_by_replica_and_layer_by_layer() {
    let many = counting(32, &[(1, 2), (4, 3)], 2);
    assert_eq!((many.len(), many.is_empty(), many.sets().len(), many.phases()), (10, false, 2, 2));
    let order =
        [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)];
    for (group, (set, phase, rank)) in (0..).zip(order) {
        assert_eq!(many.layer_of(group), Some(layer(set, phase, rank)));
        assert_eq!(many.group_of(layer(set, phase, rank)), group);
    }
    assert_eq!((many.layer_of(10), many.layer_of(u32::MAX)), (None, None));
    assert_eq!((many.period(0), many.period(1)), (Duration::from_millis(32), Duration::from_millis(128)));
    let none = counting(10, &[(1, 0), (2, 0)], 2);
    assert_eq!((none.len(), none.is_empty(), none.layer_of(0), Cursor::new(none).advance()), (0, true, None, None));
}

#[test]
fn a_round_trip_time_has_the_shortest_slots_that_are_not_too_steep() {
    let many = counting(32, &[(1, 2), (2, 2), (8, 3)], 1);
    // (33/32)² = 1.063 and (67/64)² = 1.096 are within 1.1, (34/32)² = 1.129 and (68/64)² are not.
    let cases = [(0, 0), (31, 0), (32, 0), (33, 0), (34, 1), (64, 1), (67, 1), (68, 2), (256, 2), (10_000, 2)];
    for (ms, set) in cases {
        assert_eq!(many.set_for(Duration::from_millis(ms)), set, "{ms} ms");
    }
}

/// A climb gains a packet per x each x, a TCP without a queue a packet per round trip each round trip.
#[test]
fn a_climb_is_at_most_a_tenth_steeper_than_that_of_a_tcp_and_little_flatter_than_the_periods_are_apart() {
    let twice: Vec<(u32, u8)> = (0..5).map(|power| (32 << power, 3)).collect();
    let roots: Vec<(u32, u8)> = (0..5).flat_map(|power| [(32 << power, 3), (45 << power, 3)]).collect();
    for (sets, apart) in [(twice, 2.0), (roots, 64.0 / 45.0)] {
        let many = counting(1, &sets, 1);
        for tenths in 1..=5360 {
            let rtt = Duration::from_micros(100 * tenths);
            let period = many.period(many.set_for(rtt));
            let steepness = rtt.as_secs_f64() / period.as_secs_f64();
            let steepness = steepness * steepness;
            let flattest = if rtt < many.finest() { 0.0 } else { 1.1 / (apart * apart) };
            assert!(steepness <= 1.1 && steepness >= flattest, "{rtt} has {period}: {steepness}");
        }
        // Beyond the longest period there is none to be had.
        assert_eq!(many.set_for(Duration::from_secs(2)), sets.len() as u8 - 1);
    }
}

#[test]
fn as_many_layers_as_it_takes_to_count() {
    let cases = [(-1.0, 1), (0.0, 1), (1.0, 1), (1.01, 2), (3.0, 2), (3.1, 3), (320.0, 9), (511.0, 9), (512.0, 10)];
    for (packets, layers) in cases {
        assert_eq!(layers_for(packets), Some(layers), "{packets}");
    }
    assert_eq!((layers_for(65_535.0), layers_for(65_536.0)), (Some(16), None));
    assert_eq!((layers_for(f64::NAN), layers_for(f64::INFINITY)), (None, None));
}
