use super::super::counting::Set;
use super::*;
use crate::random::Random;

const MS: u64 = 1_000_000;
/// 10 ms slots and packets of 1000 bytes: a packet per slot is 800 kbit/s.
const PACKET_BPS: f64 = 800_000.0;

fn at(ms: u64) -> Instant {
    Instant(ms * MS)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn counting(layers: u8, phases: u8) -> Counting {
    Counting::new(Duration::from_millis(10), &[Set { ticks: 1, layers }, Set { ticks: 2, layers: layers + 1 }], phases)
}

/// The source began at 0 and packets take no time in the view: slot n begins at 10 n ms. This many have gone by.
fn view(slots: u32) -> Slots {
    let mut view = Slots::new(&counting(4, 1));
    for n in 0..=slots {
        view.see(at(10 * u64::from(n)), n);
    }
    view
}

/// So many packets per slot of 10 ms from one rate to the other.
fn climb(packets: f64) -> Climb {
    Climb { from_bps: 2e6, to_bps: 2e6 + packets * PACKET_BPS, packet_bits: 8000.0 }
}

/// An attempt with what it is about.
struct Trial {
    counting: Counting,
    slots: Slots,
    attempt: Attempt,
    climb: Climb,
    rtt: Duration,
    /// Layers that were joined, and when.
    joins: Vec<(u64, u8)>,
}

impl Trial {
    /// Planned in the middle of slot `from`.
    fn plan(counting: Counting, from: u32, packets: f64, rtt_ms: u64) -> Trial {
        let (slots, rtt) = (view(from), Duration::from_millis(rtt_ms));
        let now = at(10 * u64::from(from) + 5);
        let attempt = Attempt::plan(&counting, &slots, now, rtt, &climb(packets)).expect("it can be planned");
        Trial { counting, slots, attempt, climb: climb(packets), rtt, joins: Vec::new() }
    }

    /// Everything that is due before slot `n` of the finest set begins, the start included.
    fn dues_before(&mut self, n: u64) {
        while self.attempt.due_at() < at(10 * n) {
            let now = self.attempt.due_at();
            match self.attempt.due(&self.counting, &self.slots, now, self.rtt) {
                Some(Due::Start) => assert!(self.joins.is_empty()),
                Some(Due::Join(rank)) if self.attempt.needs(rank, &self.climb) => self.joins.push((now.0 / MS, rank)),
                Some(Due::Join(_)) => self.attempt.declined(),
                None => panic!("nothing is due at {now}"),
            }
        }
    }

    /// Slot `n` of the finest set, in the way of a source: the packets of the layers that have been joined, but for the
    /// `missing` first. Says how it goes on.
    fn slot(&mut self, n: u64, missing: u32) -> Option<bool> {
        self.dues_before(n);
        self.slots.see(at(10 * n), n as u32);
        let finest = self.slots.last().expect("it has seen some");
        let step = self.attempt.steps(&self.counting, finest)?;
        let goes_on = self.attempt.reach(step);
        let through = self.attempt.is_through(&self.climb);
        let layers = (0..self.attempt.joined()).map(|rank| self.attempt.layer(rank));
        let packets: u32 =
            layers.map(|layer| self.counting.packets(layer, self.counting.slot_of(layer.set, finest))).sum();
        // All those of a slot of the set come in its first slot of the finest.
        let first = (finest * 10 * MS).is_multiple_of(self.attempt.period().0);
        (missing..packets).filter(|_| first).for_each(|_| self.attempt.count(step));
        assert!(!through || goes_on || self.attempt.passed() > 0);
        Some(if through {
            true
        } else if goes_on {
            return None;
        } else {
            false
        })
    }

    /// Runs until it gets through or no further: which of the two, and in which slot that is known.
    fn run(&mut self) -> (bool, u64) {
        (0..5000).find_map(|n| Some((self.slot(n, 0)?, n))).expect("it comes to an end")
    }
}

#[test]
fn it_counts_up_to_its_goal_and_joins_each_layer_just_before_it_goes_on() {
    // 1.25 · 5 = 6.25 packets need 3 layers: it starts at a multiple of 8 slots.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    assert_eq!((ms(trial.attempt.waited(trial.attempt.due_at())), trial.attempt.has_begun()), (80.0 - 35.0, false));
    // Slot 8 + 5 has passed when slot 14 begins.
    assert_eq!(trial.run(), (true, 14));
    assert_eq!(trial.joins, [(86, 0), (96, 1), (116, 2)], "4 ms before slots 9, 10 and 12");
    assert_eq!((trial.attempt.passed(), trial.attempt.joined(), trial.attempt.has_begun()), (5, 3, true));
    assert_eq!((ms(trial.attempt.waited(at(900))), trial.attempt.period()), (45.0, Duration::from_millis(10)));
}

#[test]
fn a_request_goes_out_a_round_trip_before_but_not_before_the_layer_is_off() {
    // 14 ms: the set of 20 ms. The slots of the finest are half of its own. Bits: 12.5 packets of 20 ms need 4.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 14);
    assert_eq!(trial.attempt.period(), Duration::from_millis(20));
    assert_eq!(trial.run(), (true, 32 + 22));
    assert_eq!(trial.joins, [(326, 0), (346, 1), (386, 2), (466, 3)]);
    // 95 ms are more than x of the last set: the first layers cannot be asked for earlier than at t_0.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 95);
    assert!(trial.run().0);
    assert_eq!(trial.joins, [(320, 0), (320, 1), (320, 2), (385, 3)]);
}

#[test]
fn two_replicas_start_where_the_wait_is_shorter() {
    // The second replica is floor(16/3) = 5 slots behind: from slot 13 on it counts to 7.
    for (from, start) in [(3, 5), (5, 8), (9, 13), (14, 16)] {
        let mut trial = Trial::plan(counting(4, 2), from, 5.0, 4);
        assert_eq!(ms(trial.attempt.waited(trial.attempt.due_at())), 10.0 * f64::from(start - from) - 5.0, "{from}");
        assert_eq!(trial.run(), (true, u64::from(start) + 6));
    }
}

#[test]
fn from_any_start_and_any_goal_it_adds_exactly_one_packet_per_slot() {
    let mut random = Random::stream(3, "test/attempts");
    for n in 0..400u32 {
        let (phases, from) = (1 + (n % 2) as u8, (random.uniform() * 300.0) as u32);
        let packets = random.uniform_in(0.1, 60.0);
        let mut trial = Trial::plan(counting(7, phases), from, packets, 1 + u64::from(n % 19));
        let per_slot = trial.climb.packets(trial.attempt.period());
        let (through, _) = trial.run();
        let goal = per_slot.ceil() as u32;
        assert!(through && trial.attempt.passed() == goal, "{n}: {} of {per_slot}", trial.attempt.passed());
        // Logarithmic in what is added: m layers count to 2^m - 1.
        let joins = trial.joins.len() as u32;
        assert!(f64::from(joins) <= libm::log2(1.25 * per_slot + 1.0).ceil(), "{n}: {joins} for {per_slot}");
        assert!((1u32 << joins) > goal);
        let waited = trial.attempt.waited(Instant::FAR_FUTURE);
        let bits = layers_for((HEADROOM * per_slot).ceil()).expect("it is legal");
        assert!(waited.0 <= trial.attempt.period().0 << bits, "{n}: {waited}");
    }
}

#[test]
fn a_goal_that_moves_is_reached_where_it_is() {
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    (8..11).for_each(|n| assert_eq!(trial.slot(n, 0), None));
    // Two have passed: the goal is there.
    trial.climb = climb(2.0);
    assert_eq!((trial.slot(11, 0), trial.joins.len()), (Some(true), 2));
    // Farther, but within the reserve.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    (8..12).for_each(|n| assert_eq!(trial.slot(n, 0), None));
    trial.climb = climb(6.9);
    assert_eq!((trial.run(), trial.attempt.passed()), ((true, 16), 7));
}

#[test]
fn it_ends_where_the_counting_layers_begin_anew() {
    // Planned for up to 7 packets. From slot 8 on a fourth layer would go on in slot 16.
    let mut trial = Trial::plan(counting(3, 1), 3, 5.0, 4);
    trial.climb = climb(9.0);
    assert_eq!((trial.run(), trial.attempt.passed(), trial.joins.len()), ((false, 16), 7, 3));
    // With a fourth it goes on, if it happens to be off from t_0 on: from slot 16 on, not from slot 8.
    for (from, ends) in [(3, (false, 16)), (9, (true, 26))] {
        let mut trial = Trial::plan(counting(4, 1), from, 5.0, 4);
        trial.climb = climb(9.0);
        assert_eq!(trial.run(), ends, "{from}");
    }
}

#[test]
fn a_slot_passes_with_all_its_packets_only() {
    // The request for the first layer comes too late, and so does the first packet of the second.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    let missing = [0, 1, 1, 0, 0, 0];
    (8..).zip(missing).for_each(|(n, missing)| assert_eq!(trial.slot(n, missing), None));
    assert_eq!((trial.slot(14, 0), trial.attempt.passed()), (Some(true), 5));
    // The goal's own slot was not full: the next one is.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    (8..13).for_each(|n| assert_eq!(trial.slot(n, 0), None));
    assert_eq!((trial.slot(13, 1), trial.slot(14, 0)), (None, None));
    assert_eq!((trial.slot(15, 0), trial.attempt.passed()), (Some(true), 6));
    // Packets that come late, when the next slot has begun, count.
    let mut trial = Trial::plan(counting(4, 1), 3, 5.0, 4);
    (8..13).for_each(|n| assert_eq!(trial.slot(n, 0), None));
    assert_eq!((trial.slot(13, 2), trial.slot(14, 0)), (None, None));
    trial.attempt.count(5);
    assert!(trial.attempt.reach(6) && !trial.attempt.is_through(&trial.climb));
    trial.attempt.count(5);
    assert!(trial.attempt.reach(6) && trial.attempt.is_through(&trial.climb));
}

/// The worst case of [Kwon]'s Lemma 1: T_j = B_j, and the joiner comes from B_{j-2}. What it adds is at most the
/// difference rounded up to packets.
#[test]
fn the_worst_dilation_is_one_and_three_quarters() {
    // B = 8, 16, 32 Mbit/s: 24 Mbit/s in packets of 800 kbit/s are 30.
    let worst = Climb { from_bps: 8e6, to_bps: 32e6, packet_bits: 8000.0 };
    let mut trial = Trial::plan(counting(6, 1), 3, 30.0, 4);
    trial.climb = worst;
    let mut most = 0;
    let mut n = 64;
    while trial.slot(n, 0).is_none() {
        let finest = trial.slots.last().expect("it has seen some");
        let layers = (0..trial.attempt.joined()).map(|rank| trial.attempt.layer(rank));
        most = most.max(layers.map(|layer| trial.counting.packets(layer, finest)).sum());
        n += 1;
    }
    assert_eq!((most, trial.attempt.passed()), (30, 30));
    assert_eq!((32e6 + f64::from(most) * PACKET_BPS) / 32e6, 1.75);
}

#[test]
fn what_is_too_far_is_not_tried() {
    let (four, now, slots) = (counting(4, 2), at(35), view(3));
    let plan = |rtt_ms, packets| Attempt::plan(&four, &slots, now, Duration::from_millis(rtt_ms), &climb(packets));
    assert!(plan(4, 15.0).is_some(), "without a reserve");
    assert!(plan(4, 15.1).is_none());
    assert!(plan(14, 15.5).is_some() && plan(14, 15.6).is_none(), "31 packets of 20 ms");
    assert!([f64::NAN, f64::INFINITY].iter().all(|&packets| plan(4, packets).is_none()));
    assert!(Attempt::plan(&Counting::NONE, &slots, now, Duration(1), &climb(1.0)).is_none());
    let unseen = Slots::new(&counting(4, 1));
    assert!(Attempt::plan(&four, &unseen, now, Duration(1), &climb(1.0)).is_none());
    assert!(climb(0.0).is_level() && climb(-1.0).is_level() && !climb(0.01).is_level());
}
