//! The loss history of a receiver (RFC 4654 section 5): from packets that are missing or marked to the loss event rate.
//!
//! What is missing is kept as runs of sequence numbers. The loss events are a function of the runs that count as lost:
//! when a late packet fills a hole, the function is evaluated again without it (section 5.1). Runs older than the last
//! [`RUNS`] are settled for good.
//!
//! Sequence numbers are counts here, which do not wrap (`sequence.rs`).

use crate::time::{Duration, Instant};

/// Closed intervals that are remembered (RFC 4654 section 5.4: n = 8).
pub(super) const INTERVALS: usize = 8;
/// Weights w_0 to w_7 (RFC 4654 section 5.4).
const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Runs of missing or marked packets that a late packet can still change.
const RUNS: usize = 12;
/// Packets with higher numbers that show a loss (RFC 4654 section 5.1).
const HIGHER: usize = 3;

/// Loss history of one receiver. What every packet touches comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct LossHistory {
    /// The highest sequence numbers that have arrived, falling; 0 for those that there are not yet.
    highest: [u64; HIGHER],
    /// When the highest arrived.
    highest_at: Instant,
    /// A packet has arrived.
    begun: bool,
    /// There may be runs that do not count as lost yet.
    pending: bool,
    threshold: f32,
    /// Loss events with all runs.
    current: Events,
    /// The synthetic interval that stands for the time before the first loss event; 0 = there was none.
    seed: f32,
    /// The round-trip time with which it was reckoned.
    seed_rtt_us: u32,
    /// From the first run on; most receivers of a large session never have one.
    past: Option<Box<Past>>,
}

/// What the loss events are evaluated from.
#[derive(Clone, Debug)]
struct Past {
    /// Loss events up to the oldest run.
    settled: Events,
    /// The oldest first.
    runs: [Run; RUNS],
    used: u8,
}

/// Missing packets with consecutive numbers, or a marked packet. Packed, since a receiver holds a dozen.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
struct Run {
    /// Nominal arrival of the first.
    at: Instant,
    /// Nominal time from one to the next, ns.
    gap_ns: f32,
    first: u64,
    /// How many are missing; 0 = one packet that arrived marked.
    missing: u32,
    /// The receiver's round-trip time then.
    rtt_us: u32,
}

/// The loss events and the intervals between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Events {
    /// Number of the packet with which the last one started.
    start: u64,
    /// How many there have been.
    count: u32,
    /// I_1 to I_n, the most recent first.
    intervals: [f32; INTERVALS],
    /// DF_1 to DF_n.
    discounts: [f32; INTERVALS],
    /// Nominal time at which the last one started.
    started: Instant,
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
            highest: [0; HIGHER],
            highest_at: Instant::ZERO,
            begun: false,
            pending: false,
            threshold: threshold as f32,
            current: Events::NONE,
            seed: 0.0,
            seed_rtt_us: 0,
            past: None,
        }
    }

    /// Takes the arrival of a packet. `seed` gives the interval before the first loss event (section 5.6).
    ///
    /// The first packet begins the history: a receiver that joins late has lost nothing before.
    pub(super) fn arrive(
        &mut self,
        sequence: u64,
        marked: bool,
        now: Instant,
        rtt_s: f64,
        seed: impl FnOnce() -> f64,
    ) -> Arrival {
        let rtt_us = (rtt_s * 1e6 + 0.5) as u32;
        let mut stale = marked;
        if !self.begun || sequence > self.highest[0] {
            let missing = if self.begun { sequence - self.highest[0] - 1 } else { 0 };
            let missing = u32::try_from(missing).unwrap_or(u32::MAX);
            if missing > 0 {
                // Section 5.2: nominal arrival times by interpolation between the neighbours.
                let gap_ns = now.since(self.highest_at).0 as f64 / (f64::from(missing) + 1.0);
                let at = self.highest_at + Duration(gap_ns as u64);
                let first = self.highest[0] + 1;
                self.insert(Run { at, gap_ns: gap_ns as f32, first, missing, rtt_us });
            }
            self.highest_at = now;
        } else if let Some(index) = self.hole(sequence) {
            stale |= self.is_lost(&self.runs()[index]);
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
            self.pending = lost < self.runs().len();
        }
        if !stale {
            return Arrival::Plain;
        }

        let before = self.current.count;
        if before == 0 && self.lost() > 0 {
            // A first loss that was taken back leaves its seed: reordering must not lower it again and again.
            self.seed = self.seed.max(seed() as f32);
            self.seed_rtt_us = rtt_us;
        }
        self.reckon();
        if self.current.count > before { Arrival::LossEvent } else { Arrival::Plain }
    }

    /// The first round-trip time has been measured, up to which R_max stood for it: the seed of the history follows, as
    /// long as it is in it, but not below `least` (section 5.6), and losses that the longer time had put into one event
    /// are looked at again, as far back as they are known.
    pub(super) fn measured(&mut self, rtt_s: f64, least: f64) {
        let rtt_us = (rtt_s * 1e6 + 0.5) as u32;
        if self.seed_rtt_us > 0 {
            let ratio = f64::from(rtt_us) / f64::from(self.seed_rtt_us);
            self.seed = (f64::from(self.seed) * ratio * ratio).max(least) as f32;
            self.seed_rtt_us = rtt_us;
        }
        let Some(past) = &mut self.past else { return };
        // The seed is the oldest interval until it has been pushed out.
        if (1..=INTERVALS as u32).contains(&past.settled.count) {
            past.settled.intervals[past.settled.count as usize - 1] = self.seed;
        }
        for run in &mut past.runs[..usize::from(past.used)] {
            run.rtt_us = rtt_us;
        }
        self.reckon();
    }

    /// Evaluates the loss events from the runs.
    fn reckon(&mut self) {
        let Some(past) = &self.past else { return };
        let mut events = past.settled;
        for run in self.runs().iter().filter(|run| self.is_lost(run)) {
            events.take(run, self.seed, self.threshold);
        }
        self.current = events;
    }

    /// Runs that a late packet can still change, the oldest first.
    fn runs(&self) -> &[Run] {
        self.past.as_ref().map_or(&[], |past| &past.runs[..usize::from(past.used)])
    }

    /// Number of the packet with which the last loss event began.
    pub(super) fn last(&self) -> u64 {
        self.current.start
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
        self.current.rate(self.open() as f64, f64::from(self.threshold))
    }

    /// I_0: packets since the start of the last event, that one included, lost ones too, up to the last before which
    /// the fate of all is decided. What is missing behind the third highest that has arrived does not count as lost
    /// yet; at heavy loss it would be a long interval without any.
    pub(super) fn open(&self) -> u64 {
        let undecided = if self.pending { self.runs().iter().find(|run| !self.is_lost(run)) } else { None };
        let end = undecided.map_or(self.highest[0], |run| run.first - 1);
        end.saturating_sub(self.current.start) + 1
    }

    /// The run of missing packets to which `sequence` belongs.
    fn hole(&self, sequence: u64) -> Option<usize> {
        self.runs().iter().position(|run| (run.first..run.first + u64::from(run.missing)).contains(&sequence))
    }

    /// Removes `sequence` from the run at `index`; the others keep their nominal times.
    fn fill(&mut self, index: usize, sequence: u64) {
        let past = self.past.as_mut().expect("there is a run");
        let run = past.runs[index];
        let before = (sequence - run.first) as u32;
        let after = run.missing - before - 1;
        past.runs[index].missing = before;
        if before == 0 {
            past.runs.copy_within(index + 1..usize::from(past.used), index);
            past.used -= 1;
        }
        if after > 0 {
            let at = run.at + Duration((f64::from(run.gap_ns) * f64::from(before + 1)) as u64);
            self.insert(Run { at, first: sequence + 1, missing: after, ..run });
        }
    }

    /// Inserts a run by its number; the oldest is settled if there is no room.
    fn insert(&mut self, run: Run) {
        let past = self.past.get_or_insert_default();
        if usize::from(past.used) == RUNS {
            let oldest = past.runs[0];
            past.settled.take(&oldest, self.seed, self.threshold);
            past.runs.copy_within(1.., 0);
            past.used -= 1;
        }
        let used = usize::from(past.used);
        let index = past.runs[..used].iter().rposition(|other| other.first < run.first).map_or(0, |last| last + 1);
        past.runs.copy_within(index..used, index + 1);
        past.runs[index] = run;
        past.used += 1;
        self.pending = true;
    }

    fn note_highest(&mut self, sequence: u64) {
        self.begun = true;
        if let Some(place) = self.highest.iter().position(|&other| sequence > other) {
            self.highest.copy_within(place..HIGHER - 1, place + 1);
            self.highest[place] = sequence;
        }
    }

    /// A packet is lost when the third highest number that has arrived is above its own (section 5.1); marked packets
    /// count at once.
    fn is_lost(&self, run: &Run) -> bool {
        run.missing == 0 || self.highest[HIGHER - 1] > run.first
    }

    fn lost(&self) -> usize {
        self.runs().iter().filter(|run| self.is_lost(run)).count()
    }
}

impl Default for Past {
    fn default() -> Past {
        let none = Run { at: Instant::ZERO, gap_ns: 0.0, first: 0, missing: 0, rtt_us: 0 };
        Past { settled: Events::NONE, runs: [none; RUNS], used: 0 }
    }
}

impl Events {
    const NONE: Events =
        Events { start: 0, count: 0, intervals: [0.0; INTERVALS], discounts: [1.0; INTERVALS], started: Instant::ZERO };

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
            self.begin(run.first + u64::from(index), time(index), seed, threshold);
            // A long outage is a row of events, one per round-trip time; those that the history forgets are skipped.
            let more = (run.missing.max(1) - 1 - index) / stride;
            let forgotten = more.saturating_sub(2 * INTERVALS as u32);
            if forgotten > 0 {
                index += forgotten * stride;
                self.start = run.first + u64::from(index);
                self.started = time(index);
                self.count = self.count.saturating_add(forgotten);
            }
        }
    }

    /// A new loss event: the open interval becomes I_1 (sections 5.3 and 5.5), or the seed does (section 5.6).
    fn begin(&mut self, sequence: u64, at: Instant, seed: f32, threshold: f32) {
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
#[path = "loss_history_tests.rs"]
mod tests;
