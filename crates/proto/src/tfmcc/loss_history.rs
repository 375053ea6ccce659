//! The loss history of a receiver (RFC 4654 section 5): from packets that are missing or marked to the loss event rate.
//!
//! What is missing is kept as runs of sequence numbers. The loss events are a function of the runs that count as lost:
//! when a late packet fills a hole, the function is evaluated again without it (section 5.1). Runs older than the last
//! [`RUNS`] are settled for good.

use crate::time::{Duration, Instant};

/// Closed intervals that are remembered (RFC 4654 section 5.4: n = 8).
pub(super) const INTERVALS: usize = 8;
/// Weights w_0 to w_7 (RFC 4654 section 5.4).
const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Runs of missing or marked packets that a late packet can still change.
const RUNS: usize = 12;
/// Packets with higher numbers that show a loss (RFC 4654 section 5.1).
const HIGHER: usize = 3;

/// Loss history of one receiver.
#[derive(Clone, Debug)]
pub(super) struct LossHistory {
    /// Loss events up to the oldest run.
    settled: Events,
    /// Loss events with all runs.
    current: Events,
    runs: [Run; RUNS],
    used: u8,
    /// How many packets have arrived, up to [`HIGHER`].
    arrived: u8,
    /// There may be runs that do not count as lost yet.
    pending: bool,
    /// The highest sequence numbers that have arrived, falling.
    highest: [u32; HIGHER],
    /// When the highest arrived.
    highest_at: Instant,
    /// The synthetic interval that stands for the time before the first loss event.
    seed: f32,
    threshold: f32,
}

/// Missing packets with consecutive numbers, or a marked packet.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Nominal arrival of the first.
    at: Instant,
    /// Nominal time from one to the next, ns.
    gap_ns: f32,
    first: u32,
    /// How many are missing; 0 = one packet that arrived marked.
    missing: u32,
    /// The receiver's round-trip time then.
    rtt_us: u32,
}

/// The loss events and the intervals between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Events {
    /// Nominal time at which the last one started.
    started: Instant,
    /// Number of the packet with which the last one started.
    start: u32,
    /// How many there have been.
    count: u32,
    /// I_1 to I_n, the most recent first.
    intervals: [f32; INTERVALS],
    /// DF_1 to DF_n.
    discounts: [f32; INTERVALS],
}

/// What an arrival meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It has been here before, or fills a hole that is forgotten.
    Duplicate,
    /// No new loss event.
    Plain,
    /// With it a loss event was found.
    LossEvent,
}

impl LossHistory {
    /// Nothing has arrived. Discount factors do not fall below `threshold`; 1 = no discounting.
    pub(super) fn new(threshold: f64) -> LossHistory {
        LossHistory {
            settled: Events::NONE,
            current: Events::NONE,
            runs: [Run { at: Instant::ZERO, gap_ns: 0.0, first: 0, missing: 0, rtt_us: 0 }; RUNS],
            used: 0,
            arrived: 0,
            pending: false,
            highest: [0; HIGHER],
            highest_at: Instant::ZERO,
            seed: 1.0,
            threshold: threshold as f32,
        }
    }

    /// Takes the arrival of a packet. `seed` gives the interval before the first loss event, at least 1 (section 5.6).
    ///
    /// The first packet begins the history: a receiver that joins late has lost nothing before.
    pub(super) fn arrive(
        &mut self,
        sequence: u32,
        marked: bool,
        now: Instant,
        rtt_s: f64,
        seed: impl FnOnce() -> f64,
    ) -> Arrival {
        let rtt_us = (rtt_s * 1e6) as u32;
        let mut stale = marked;
        if self.arrived == 0 || sequence > self.highest[0] {
            let missing = if self.arrived == 0 { 0 } else { sequence - self.highest[0] - 1 };
            if missing > 0 {
                // Section 5.2: nominal arrival times by interpolation between the neighbours.
                let gap_ns = now.since(self.highest_at).0 as f64 / f64::from(missing + 1);
                let at = self.highest_at + Duration(gap_ns as u64);
                let first = self.highest[0] + 1;
                self.insert(Run { at, gap_ns: gap_ns as f32, first, missing, rtt_us });
            }
            self.highest_at = now;
        } else if let Some(index) = self.hole(sequence) {
            stale |= self.is_lost(&self.runs[index]);
            self.fill(index, sequence);
        } else {
            return Arrival::Duplicate;
        }
        if marked {
            self.insert(Run { at: now, gap_ns: 0.0, first: sequence, missing: 0, rtt_us });
        }
        let lost_before = if self.pending { self.lost() } else { 0 };
        self.note_highest(sequence);
        if self.pending {
            let lost = self.lost();
            stale |= lost != lost_before;
            self.pending = lost < usize::from(self.used);
        }
        if !stale {
            return Arrival::Plain;
        }

        let before = self.current;
        if before.count == 0 {
            self.seed = seed().max(1.0) as f32;
        }
        self.current = self.settled;
        for index in 0..usize::from(self.used) {
            let run = self.runs[index];
            if self.is_lost(&run) {
                self.current.take(&run, self.seed, self.threshold);
            }
        }
        if self.current.count > before.count { Arrival::LossEvent } else { Arrival::Plain }
    }

    /// Loss events so far.
    pub(super) fn events(&self) -> u32 {
        self.current.count
    }

    /// The loss event rate p; 0 before the first loss event (sections 5.4 and 5.5).
    pub(super) fn rate(&self) -> f64 {
        if self.current.count == 0 {
            return 0.0;
        }
        self.current.rate(f64::from(self.open()), f64::from(self.threshold))
    }

    /// I_0: packets since the start of the last event, that one included, lost ones too.
    pub(super) fn open(&self) -> u32 {
        self.highest[0].saturating_sub(self.current.start).saturating_add(1)
    }

    /// Multiplies the seed of the history by `factor` as long as it is in it (section 5.6).
    pub(super) fn scale_seed(&mut self, factor: f64) {
        let seed = (f64::from(self.seed) * factor).max(1.0) as f32;
        self.seed = seed;
        for events in [&mut self.settled, &mut self.current] {
            // The seed is the oldest interval until it has been pushed out.
            if (1..=INTERVALS as u32).contains(&events.count) {
                events.intervals[events.count as usize - 1] = seed;
            }
        }
    }

    /// The run of missing packets to which `sequence` belongs.
    fn hole(&self, sequence: u32) -> Option<usize> {
        let runs = &self.runs[..usize::from(self.used)];
        runs.iter().position(|run| sequence.wrapping_sub(run.first) < run.missing)
    }

    /// Removes `sequence` from the run at `index`; the others keep their nominal times.
    fn fill(&mut self, index: usize, sequence: u32) {
        let run = self.runs[index];
        let before = sequence - run.first;
        let after = run.missing - before - 1;
        self.runs[index].missing = before;
        if before == 0 {
            self.runs.copy_within(index + 1..usize::from(self.used), index);
            self.used -= 1;
        }
        if after > 0 {
            let at = run.at + Duration((f64::from(run.gap_ns) * f64::from(before + 1)) as u64);
            self.insert(Run { at, first: sequence + 1, missing: after, ..run });
        }
    }

    /// Inserts a run by its number; the oldest is settled if there is no room.
    fn insert(&mut self, run: Run) {
        if usize::from(self.used) == RUNS {
            let oldest = self.runs[0];
            self.settled.take(&oldest, self.seed, self.threshold);
            self.runs.copy_within(1.., 0);
            self.used -= 1;
        }
        let used = usize::from(self.used);
        let index = self.runs[..used].iter().rposition(|other| other.first < run.first).map_or(0, |last| last + 1);
        self.runs.copy_within(index..used, index + 1);
        self.runs[index] = run;
        self.used += 1;
        self.pending = true;
    }

    fn note_highest(&mut self, sequence: u32) {
        let have = usize::from(self.arrived);
        let place = self.highest[..have].iter().position(|&other| sequence > other).unwrap_or(have);
        if place < HIGHER {
            self.highest.copy_within(place..HIGHER - 1, place + 1);
            self.highest[place] = sequence;
            self.arrived = (have + 1).min(HIGHER) as u8;
        }
    }

    /// A packet is lost when the third highest number that has arrived is above its own (section 5.1); marked packets
    /// count at once.
    fn is_lost(&self, run: &Run) -> bool {
        run.missing == 0 || (usize::from(self.arrived) == HIGHER && self.highest[HIGHER - 1] > run.first)
    }

    fn lost(&self) -> usize {
        self.runs[..usize::from(self.used)].iter().filter(|run| self.is_lost(run)).count()
    }
}

impl Events {
    const NONE: Events =
        Events { started: Instant::ZERO, start: 0, count: 0, intervals: [0.0; INTERVALS], discounts: [1.0; INTERVALS] };

    /// Losses of a run: each belongs to the last event if it is within one round-trip time of its start, and starts
    /// the next one otherwise (section 5.2).
    fn take(&mut self, run: &Run, seed: f32, threshold: f32) {
        let gap_ns = f64::from(run.gap_ns);
        let rtt = Duration::from_micros(u64::from(run.rtt_us));
        let time = |index: u32| run.at + Duration((gap_ns * f64::from(index)) as u64);
        // Packets of this run in one round-trip time, the one beyond included.
        let stride = if gap_ns > 0.0 { ((rtt.0 as f64 / gap_ns) as u32).saturating_add(1) } else { u32::MAX };
        let mut index = 0;
        loop {
            if self.count > 0 && time(index) <= self.started + rtt {
                let span = (self.started + rtt).since(time(index)).0 as f64;
                let skip = if gap_ns > 0.0 { ((span / gap_ns) as u32).saturating_add(1) } else { u32::MAX };
                index = index.saturating_add(skip);
            }
            if index >= run.missing.max(1) {
                return;
            }
            self.begin(run.first + index, time(index), seed, threshold);
            // A long outage is a row of events, one per round-trip time; those that the history forgets are skipped.
            let more = (run.missing.max(1) - 1 - index) / stride;
            let forgotten = more.saturating_sub(2 * INTERVALS as u32);
            if forgotten > 0 {
                index += forgotten * stride;
                self.start = run.first + index;
                self.started = time(index);
                self.count = self.count.saturating_add(forgotten);
            }
        }
    }

    /// A new loss event: the open interval becomes I_1 (sections 5.3 and 5.5), or the seed does (section 5.6).
    fn begin(&mut self, sequence: u32, at: Instant, seed: f32, threshold: f32) {
        let closed = if self.count == 0 { seed } else { (sequence.saturating_sub(self.start)).max(1) as f32 };
        let discount = self.general_discount(f64::from(closed), f64::from(threshold)) as f32;
        for factor in &mut self.discounts {
            *factor *= discount;
        }
        self.intervals.copy_within(..INTERVALS - 1, 1);
        self.discounts.copy_within(..INTERVALS - 1, 1);
        self.intervals[0] = closed;
        self.discounts[0] = 1.0;
        self.start = sequence;
        self.started = at;
        self.count = self.count.saturating_add(1);
    }

    /// Closed intervals that there are.
    fn closed(&self) -> usize {
        (self.count as usize).min(INTERVALS)
    }

    /// Sums of w_(i-1)·DF_i and of w_(i-1)·DF_i·I_i over the closed intervals.
    fn closed_sums(&self) -> (f64, f64) {
        (0..self.closed()).fold((0.0, 0.0), |(weights, total), i| {
            let weight = WEIGHTS[i] * f64::from(self.discounts[i]);
            (weights + weight, total + weight * f64::from(self.intervals[i]))
        })
    }

    /// The general discount factor DF for an open interval of `open` packets (section 5.5).
    fn general_discount(&self, open: f64, threshold: f64) -> f64 {
        if self.count == 0 {
            return 1.0;
        }
        let (weights, total) = self.closed_sums();
        let twice_mean = 2.0 * total / weights;
        if open > twice_mean { (twice_mean / open).max(threshold) } else { 1.0 }
    }

    /// p = min(W_tot0 / I_tot0, W_tot1 / I_tot1) (section 5.5), over as many intervals as there are.
    fn rate(&self, open: f64, threshold: f64) -> f64 {
        let discount = self.general_discount(open, threshold);
        let (mut weights, mut total) = (WEIGHTS[0], WEIGHTS[0] * open);
        for (i, &own) in WEIGHTS.iter().enumerate().take(self.closed() + 1).skip(1) {
            let weight = own * f64::from(self.discounts[i - 1]) * discount;
            weights += weight;
            total += weight * f64::from(self.intervals[i - 1]);
        }
        let (closed_weights, closed_total) = self.closed_sums();
        (weights / total).min(closed_weights / closed_total).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const GAP: Duration = Duration::from_millis(10);

    fn at(index: u32) -> Instant {
        Instant(u64::from(index) * GAP.0)
    }

    /// Packets 10 ms apart, those for which `lost` holds missing; round-trip time 50 ms.
    fn stream(history: &mut LossHistory, packets: core::ops::Range<u32>, lost: impl Fn(u32) -> bool) {
        stream_from(history, packets, 40.0, lost);
    }

    fn stream_from(history: &mut LossHistory, packets: core::ops::Range<u32>, seed: f64, lost: impl Fn(u32) -> bool) {
        for n in packets.filter(|&n| !lost(n)) {
            history.arrive(n, false, at(n), 0.05, || seed);
        }
    }

    #[test]
    fn a_loss_shows_with_the_third_packet_after_it() {
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..10, |n| n == 6);
        assert_eq!((history.events(), history.rate()), (1, 0.025), "the seed, 40, is longer than the open interval");
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..9, |n| n == 6);
        assert_eq!((history.events(), history.rate()), (0, 0.0));
        assert_eq!(history.arrive(9, false, at(9), 0.05, || 40.0), Arrival::LossEvent);
        assert_eq!(history.arrive(9, false, at(9), 0.05, || 40.0), Arrival::Duplicate);
    }

    #[test]
    fn late_joiners_have_lost_nothing() {
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 123_456..124_000, |_| false);
        assert_eq!((history.events(), history.rate()), (0, 0.0));
        assert_eq!(history.arrive(123_000, false, at(124_001), 0.05, || 1.0), Arrival::Duplicate);
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        // From the start of an event, 50 ms = 5 packets belong to it, the last one included (T_old + R >= T_new).
        for (second, events) in [(11, 1), (15, 1), (16, 2)] {
            let mut history = LossHistory::new(0.5);
            stream(&mut history, 0..30, |n| n == 10 || n == second);
            assert_eq!(history.events(), events, "second loss {second}");
        }
    }

    #[test]
    fn average_interval_by_hand() {
        // Events at 100, 200, ..., 800; open interval 800..=830 = 31 packets; I = 7 times 100, then the seed of 60.
        let mut history = LossHistory::new(0.5);
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
    }

    #[test]
    fn discounting_has_a_floor_and_can_be_off() {
        for (threshold, df) in [(0.5, 0.5), (1.0, 1.0)] {
            let mut history = LossHistory::new(threshold);
            stream(&mut history, 0..4000, |n| n > 0 && n % 100 == 0 && n <= 900);
            let open = 4000.0 - 900.0;
            let expected = (1.0 + df * 5.0) / (open + df * 5.0 * 100.0);
            assert!((history.rate() - expected).abs() < 1e-9, "{threshold}: {}", history.rate());
        }
    }

    #[test]
    fn a_late_packet_takes_its_loss_back() {
        let mut with = LossHistory::new(0.5);
        let mut without = LossHistory::new(0.5);
        stream(&mut with, 0..400, |n| n == 100 || n == 250 || n == 390);
        stream(&mut without, 0..400, |n| n == 100 || n == 390);
        assert_eq!(with.events(), 3);
        with.arrive(250, false, at(400), 0.05, || 40.0);
        without.arrive(400, false, at(400), 0.05, || 40.0);
        with.arrive(400, false, at(400), 0.05, || 40.0);
        assert_eq!(with.current, without.current);
        assert_eq!(with.rate(), without.rate());
        // The middle of three: the event starts where it did.
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..300, |n| (200..203).contains(&n));
        history.arrive(201, false, at(300), 0.05, || 40.0);
        assert_eq!((history.events(), history.current.start, history.used), (1, 200, 2));
        history.arrive(200, false, at(300), 0.05, || 40.0);
        assert_eq!((history.events(), history.current.start), (1, 202));
        history.arrive(202, false, at(300), 0.05, || 40.0);
        assert_eq!((history.events(), history.rate()), (0, 0.0));
    }

    #[test]
    fn marks_count_at_once() {
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..50, |_| false);
        assert_eq!(history.arrive(50, true, at(50), 0.05, || 40.0), Arrival::LossEvent);
        assert_eq!(history.arrive(51, true, at(51), 0.05, || 40.0), Arrival::Plain, "the same event");
        stream(&mut history, 52..60, |_| false);
        assert_eq!(history.arrive(60, true, at(60), 0.05, || 40.0), Arrival::LossEvent);
        assert_eq!(history.current.intervals[..2], [10.0, 40.0]);
    }

    #[test]
    fn an_outage_is_an_event_per_round_trip() {
        // 100 packets missing, an event every 6 packets: 17 of them; the rest of the outage is the open interval.
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..300, |n| (100..200).contains(&n));
        assert_eq!(history.events(), 17);
        assert!(history.current.intervals.iter().all(|&interval| interval == 6.0));
        assert_eq!(history.current.start, 196);
        // However long it is, it takes no longer to reckon.
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..100, |_| false);
        history.arrive(3_000_000_099, false, at(3_000_000_099), 0.05, || 40.0);
        stream(&mut history, 3_000_000_100..3_000_000_110, |_| false);
        assert_eq!(history.events(), 500_000_000);
        assert!(history.current.intervals.iter().all(|&interval| interval == 6.0));
    }

    #[test]
    fn the_seed_can_be_scaled_while_it_counts() {
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..120, |n| n == 50 || n == 90);
        history.scale_seed(0.25);
        assert_eq!(history.current.intervals[..2], [40.0, 10.0]);
        assert_eq!(history.seed, 10.0);
        stream(&mut history, 120..2000, |n| n % 100 == 0);
        let before = history.current;
        history.scale_seed(4.0);
        assert_eq!(history.current, before, "it has left the history");
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
            let mut shuffled = LossHistory::new(0.5);
            for (place, &n) in order.iter().enumerate() {
                shuffled.arrive(n, false, at(place as u32), 0.01, || 40.0);
            }
            let missing = (0..200).filter(|n| lost.contains(n)).count() as u32;
            let counted: u32 = shuffled.runs[..usize::from(shuffled.used)].iter().map(|run| run.missing).sum();
            assert_eq!(counted, missing);
            assert!(shuffled.events() <= missing);
        }
    }

    #[test]
    fn every_hundredth_packet_lost_is_one_per_cent() {
        let mut history = LossHistory::new(0.5);
        stream(&mut history, 0..5001, |n| n % 100 == 50);
        assert!((history.rate() - 0.01).abs() < 1e-9, "{}", history.rate());
    }
}
