//! A loss history (RFC 4654 section 5): from packets that are missing or marked to the loss event rate.
//!
//! What is missing is kept as runs of sequence numbers. The loss events are a function of the runs that count as lost:
//! when a late packet fills a hole, the function is evaluated again without it (section 5.1). Runs older than the last
//! dozen are settled for good.
//!
//! A history may be that of several sequence spaces, as of the groups that a receiver of layers holds. Each packet that
//! arrives in one of them, or is found missing there, gets the next number of a count of all, and intervals are
//! differences of that. In one space alone these numbers are the sequence numbers.

use super::loss_detection::{ArrivalOrder, Gap, LOST, LossDetection};
use super::loss_differentiation::{LossDifferentiation, Verdict};
use super::loss_events::{LossEvents, Losses};
use crate::time::{Duration, Instant};

/// Runs of missing or marked packets that a late packet can still change.
const RUNS: usize = 12;

/// Loss history of one receiver. What every packet touches comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct LossHistory {
    /// The number of the last packet.
    counted: u64,
    /// A packet has arrived.
    begun: bool,
    /// There may be runs that do not count as lost yet.
    pending: bool,
    /// A long row of losses may be an outage, which is one event.
    outages: bool,
    /// A loss event lasts as long as its first loss says.
    lasts_from_first: bool,
    threshold: f32,
    /// Loss events with all runs.
    current: LossEvents,
    /// From the first run on; most receivers of a large session never have one.
    past: Option<Box<Past>>,
}

/// What the loss events are evaluated from.
#[derive(Clone, Debug)]
struct Past {
    /// Loss events up to the oldest run.
    settled: LossEvents,
    /// The oldest first.
    runs: [Run; RUNS],
    used: u8,
    /// The synthetic interval that stands for the time before the first loss event; 0 = there was none.
    seed: f32,
    /// The round-trip time with which it was computed.
    seed_rtt_us: u32,
}

/// Missing packets with consecutive numbers, or a marked packet. Packed, since a receiver holds a dozen.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
struct Run {
    /// Nominal arrival of the first.
    at: Instant,
    /// Nominal time from one to the next, ns.
    gap_ns: f32,
    /// Sequence number of the first.
    first: u64,
    /// Its number in the count of all spaces.
    number: u64,
    /// How many are missing; 0 = one packet that arrived marked.
    missing: u32,
    /// How long a loss event lasted then.
    span_us: u32,
    space: Space,
    /// How many with higher sequence numbers have arrived, up to [`LOST`], from which on it counts as lost.
    above: u8,
}

/// A name of a sequence space: the history does not mind which, if they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space(pub u16);

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Its number in its space, a count that does not wrap.
    pub sequence: u64,
    /// It has a congestion mark, which counts as a loss (section 5.1).
    pub marked: bool,
    /// When it came.
    pub now: Instant,
    /// The receiver's round-trip time, seconds.
    pub rtt_s: f64,
    /// How long a loss event lasts, seconds, of the losses that it shows or its mark: the same (section 5.2), or what
    /// else is taken for it.
    pub event_s: f64,
}

/// What an arrival meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It has been here before, or fills a hole that is forgotten.
    Duplicate,
    /// Nothing was found with it.
    Plain,
    /// With it packets were found lost, or it is marked, but that belongs to a loss event that was known.
    Loss,
    /// With it a loss event was found.
    LossEvent,
}

impl LossHistory {
    /// The space of a receiver that has one only.
    pub const ONLY: Space = Space(0);

    /// Nothing has arrived. Discount factors do not fall below `threshold`, above 0 up to 1 = no discounting.
    pub fn new(threshold: f64) -> LossHistory {
        LossHistory {
            counted: 0,
            begun: false,
            pending: false,
            outages: false,
            lasts_from_first: false,
            threshold: threshold as f32,
            current: LossEvents::NONE,
            past: None,
        }
    }

    /// A history in which a long row of losses after a longer time without any is one loss event, an
    /// [outage](Losses::outage).
    pub fn with_outages(mut self) -> LossHistory {
        self.outages = true;
        self
    }

    /// A history in which a loss event lasts as long as was said with its [first loss](Losses::lasts_from_first).
    pub fn with_spans_of_first_losses(mut self) -> LossHistory {
        self.lasts_from_first = true;
        self
    }

    /// Takes the arrival of a packet in `space`, about which `detection` knows. `seed` gives the interval before the
    /// first loss event (section 5.6), packets. What `differ` takes for errors of links makes no loss event, and counts
    /// as if it had come.
    ///
    /// The first packet begins the history of its space: a receiver that joins late has lost nothing before.
    #[inline]
    pub fn arrive(
        &mut self,
        space: Space,
        detection: &mut LossDetection,
        packet: Packet,
        mut differ: Option<&mut LossDifferentiation>,
        seed: impl FnOnce() -> f64,
    ) -> Arrival {
        let Packet { sequence, marked, now, rtt_s, event_s } = packet;
        let (rtt_us, span_us) = (micros(rtt_s), micros(event_s));
        let mut stale = false;
        let mut number = self.counted;
        let before = detection.highest();
        if let Some(part) = &mut differ {
            part.arrived(space.0, sequence, now, false);
        }
        match detection.arrive(sequence, now) {
            ArrivalOrder::First => {
                number = if self.begun { self.counted + 1 } else { sequence };
                self.begun = true;
                self.counted = number;
            }
            ArrivalOrder::Next(gap) => {
                number += sequence - before;
                if let Some(gap) = gap {
                    self.miss(space, &gap, (now, span_us), 0, differ);
                }
                self.counted = number;
            }
            ArrivalOrder::Late | ArrivalOrder::Old => {
                let verdict = differ.and_then(|part| part.late(space.0, sequence));
                match self.hole(space, sequence) {
                    Some(index) => {
                        let run = self.runs()[index];
                        stale |= run.is_lost();
                        number = run.number + (sequence - run.first);
                        self.fill(index, sequence);
                    }
                    // It counts as if it had come, and has.
                    None if verdict == Some(Verdict::Link) => number -= (before - sequence).min(number),
                    None => return Arrival::Duplicate,
                }
            }
            ArrivalOrder::Again => return Arrival::Duplicate,
        }
        if marked {
            let (first, above) = (sequence, LOST);
            self.insert(Run { at: now, gap_ns: 0.0, first, number, missing: 0, span_us, space, above });
        }
        let lost = marked | (self.pending && self.look(space, detection));
        self.judge(stale, lost, rtt_us, seed)
    }

    /// What is missing in `space` below the number `until` counts as lost at `now`, as by then it must have come,
    /// though less than three with higher numbers may have. There must have been a first in it; `rtt_s`, `event_s`,
    /// `differ` and `seed` are as for an [arrival](Self::arrive).
    pub fn overdue(
        &mut self,
        space: Space,
        detection: &mut LossDetection,
        until: u64,
        (now, rtt_s, event_s): (Instant, f64, f64),
        differ: Option<&mut LossDifferentiation>,
        seed: impl FnOnce() -> f64,
    ) -> Arrival {
        let (rtt_us, span_us) = (micros(rtt_s), micros(event_s));
        let mut lost = false;
        while let Some(index) = self.runs().iter().position(|run| {
            let (first, is_lost) = (run.first, run.is_lost());
            run.space == space && !is_lost && first < until
        }) {
            lost = true;
            let Some(past) = self.past.as_mut() else { break };
            let run = past.runs[index];
            let before = u32::try_from(until - run.first).unwrap_or(u32::MAX).min(run.missing);
            (past.runs[index].missing, past.runs[index].above) = (before, LOST);
            if before < run.missing {
                self.insert(run.from(before));
            }
        }
        if until > detection.highest() + 1 {
            let gap = detection.pass_over(until - 1, now);
            lost |= self.miss(space, &gap, (now, span_us), LOST, differ);
            self.counted += gap.missing;
        }
        if lost {
            self.pending = self.runs().iter().any(|run| !run.is_lost());
        }
        self.judge(false, lost, rtt_us, seed)
    }

    /// The packets of a gap behind all others are missing, found so at `now` and behind so many of its space. Says
    /// whether any of them is taken for lost by congestion.
    fn miss(
        &mut self,
        space: Space,
        gap: &Gap,
        (now, span_us): (Instant, u32),
        above: u8,
        differ: Option<&mut LossDifferentiation>,
    ) -> bool {
        let missing = u32::try_from(gap.missing).unwrap_or(u32::MAX);
        let (gap_ns, number) = (gap.spacing_ns as f32, self.counted + 1);
        let run = Run { at: gap.at, gap_ns, first: gap.first, number, missing, span_us, space, above };
        let Some(part) = differ else {
            self.insert(run);
            return true;
        };
        let mut lost = false;
        part.judge_rows(space.0, gap, now, |row| {
            if row.verdict == Verdict::Congestion {
                let skipped = u32::try_from(row.first - gap.first).unwrap_or(u32::MAX);
                let missing = u32::try_from(row.missing).unwrap_or(u32::MAX);
                self.insert(Run { missing, ..run.from(skipped) });
                lost = true;
            }
        });
        lost
    }

    /// What it means that runs count as `lost` now, or are `stale`, that is, no longer do.
    #[inline]
    fn judge(&mut self, stale: bool, lost: bool, rtt_us: u32, seed: impl FnOnce() -> f64) -> Arrival {
        if !(stale | lost) {
            return Arrival::Plain;
        }
        match self.evaluate(rtt_us, seed) {
            Arrival::Plain if lost => Arrival::Loss,
            arrival => arrival,
        }
    }

    /// Takes `packets` in, each of which follows the one before in its space and is not marked, as
    /// [`arrive`](Self::arrive) would one by one. There must have been a first, and the fate of all before must be
    /// [decided](Self::is_decided).
    pub fn pass(&mut self, packets: u32) {
        debug_assert!(self.begun && !self.pending);
        self.counted += u64::from(packets);
    }

    /// Whether nothing is missing that does not count as lost yet.
    pub fn is_decided(&self) -> bool {
        !self.pending
    }

    /// The receiver has left `space`, or begins it anew: what is missing there and does not count as lost yet never
    /// will, and what has been lost stays so.
    pub fn leave(&mut self, space: Space) {
        let Some(past) = &mut self.past else { return };
        let mut used = 0;
        for index in 0..usize::from(past.used) {
            let mut run = past.runs[index];
            if run.space == space {
                if !run.is_lost() {
                    continue;
                }
                run.space = Space(u16::MAX);
            }
            past.runs[used] = run;
            used += 1;
        }
        past.used = used as u8;
        self.pending = self.runs().iter().any(|run| !run.is_lost());
    }

    /// The first round-trip time has been measured, up to which R_max stood for it: the seed of the history follows, as
    /// long as it is in it, but not below `least` (section 5.6), and losses that the longer time had put into one event
    /// are looked at again, as far back as they are known: a loss event lasts `event_s`.
    pub fn measured(&mut self, rtt_s: f64, event_s: f64, least: f64) {
        let (rtt_us, span_us) = (micros(rtt_s), micros(event_s));
        let Some(past) = &mut self.past else { return };
        if past.seed_rtt_us > 0 {
            let ratio = f64::from(rtt_us) / f64::from(past.seed_rtt_us);
            past.seed = (f64::from(past.seed) * ratio * ratio).max(least) as f32;
            past.seed_rtt_us = rtt_us;
        }
        past.settled.reseed(past.seed);
        past.settled.lasts(Duration::from_micros(span_us.into()));
        for run in &mut past.runs[..usize::from(past.used)] {
            run.span_us = span_us;
        }
        self.evaluate_runs();
    }

    /// Number of the packet with which the last loss event began; in one space alone its sequence number.
    pub fn last(&self) -> u64 {
        self.current.last()
    }

    /// Number of that packet in its space, if `space` is the one, as far as it is known.
    pub fn last_in(&self, space: Space) -> Option<u64> {
        let last = self.last();
        let holds = |run: &&Run| (run.number..run.number + u64::from(run.missing.max(1))).contains(&last);
        let run = self.runs().iter().find(holds).filter(|run| run.space == space)?;
        Some(run.first + (last - run.number))
    }

    /// The first of the last packets in a row that are lost in a space, by its number there, as far as it is known.
    pub fn newest_in(&self, space: Space) -> Option<u64> {
        let run = self.runs().iter().rfind(|run| run.space == space && run.is_lost())?;
        Some(run.first)
    }

    /// Loss events so far.
    pub fn events(&self) -> u32 {
        self.current.count()
    }

    /// The loss events, and the intervals between them.
    pub fn current(&self) -> &LossEvents {
        &self.current
    }

    /// The loss event rate p; 0 before the first loss event (sections 5.4 and 5.5).
    pub fn rate(&self) -> f64 {
        if self.current.count() == 0 {
            return 0.0;
        }
        self.current.rate(self.open() as f64, f64::from(self.threshold))
    }

    /// I_0: packets since the start of the last event, that one included, lost ones too, up to the last of each space
    /// before which the fate of all is decided. What is missing behind the third highest that has arrived does not
    /// count as lost yet; at heavy loss it would be a long interval without any.
    pub fn open(&self) -> u64 {
        let undecided = if self.pending { self.undecided() } else { 0 };
        self.counted.saturating_sub(undecided).saturating_sub(self.current.last()) + 1
    }

    /// Packets from the first of each space on whose fate is not decided.
    fn undecided(&self) -> u64 {
        let runs = self.runs();
        let mut packets = 0;
        for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_lost()) {
            let is_first = !runs[..index].iter().any(|other| other.space == run.space && !other.is_lost());
            packets += u64::from(run.missing) + if is_first { u64::from(run.above) } else { 0 };
        }
        packets
    }

    /// After an arrival in `space`: whether runs of it have become lost.
    fn look(&mut self, space: Space, detection: &LossDetection) -> bool {
        let Some(past) = &mut self.past else { return false };
        let (mut found, mut pending) = (false, false);
        for run in past.runs[..usize::from(past.used)].iter_mut().filter(|run| !run.is_lost()) {
            if run.space == space {
                run.above = detection.above(run.first);
                found |= run.is_lost();
            }
            pending |= !run.is_lost();
        }
        self.pending = pending;
        found
    }

    /// The runs that count as lost have changed.
    fn evaluate(&mut self, rtt_us: u32, seed: impl FnOnce() -> f64) -> Arrival {
        let before = self.current.count();
        if before == 0
            && let Some(past) = &mut self.past
            && past.runs[..usize::from(past.used)].iter().any(Run::is_lost)
        {
            // A first loss that was taken back leaves its seed: reordering must not lower it again and again.
            past.seed = past.seed.max(seed() as f32);
            past.seed_rtt_us = rtt_us;
        }
        self.evaluate_runs();
        if self.current.count() > before { Arrival::LossEvent } else { Arrival::Plain }
    }

    /// Evaluates the loss events from the runs.
    fn evaluate_runs(&mut self) {
        let Some(past) = &self.past else { return };
        let mut events = past.settled;
        for run in self.runs().iter().filter(|run| run.is_lost()) {
            events.take(&run.losses(self.outages, self.lasts_from_first), past.seed, self.threshold);
        }
        self.current = events;
    }

    /// Runs that a late packet can still change, the oldest first.
    fn runs(&self) -> &[Run] {
        self.past.as_ref().map_or(&[], |past| &past.runs[..usize::from(past.used)])
    }

    /// The run of missing packets to which `sequence` belongs.
    fn hole(&self, space: Space, sequence: u64) -> Option<usize> {
        let holds = |run: &Run| (run.first..run.first + u64::from(run.missing)).contains(&sequence);
        self.runs().iter().position(|run| run.space == space && holds(run))
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
            self.insert(run.from(before + 1));
        }
    }

    /// Inserts a run by its number; the oldest is settled if there is no room, also if it does not count as lost yet,
    /// as one of a space in which next to nothing is sent.
    fn insert(&mut self, run: Run) {
        let past = self.past.get_or_insert_default();
        if usize::from(past.used) == RUNS {
            let losses = past.runs[0].losses(self.outages, self.lasts_from_first);
            past.settled.take(&losses, past.seed, self.threshold);
            past.runs.copy_within(1.., 0);
            past.used -= 1;
        }
        let used = usize::from(past.used);
        let index = past.runs[..used].iter().rposition(|other| other.number < run.number).map_or(0, |last| last + 1);
        past.runs.copy_within(index..used, index + 1);
        past.runs[index] = run;
        past.used += 1;
        self.pending = true;
    }
}

impl Run {
    fn is_lost(&self) -> bool {
        self.above == LOST
    }

    /// What is left of it without so many of the first, which are fewer than it has; the others keep their times.
    fn from(&self, skipped: u32) -> Run {
        let at = self.at + Duration((f64::from(self.gap_ns) * f64::from(skipped)) as u64);
        let (first, number) = (self.first + u64::from(skipped), self.number + u64::from(skipped));
        Run { at, first, number, missing: self.missing.saturating_sub(skipped), ..*self }
    }

    fn losses(&self, outage: bool, lasts_from_first: bool) -> Losses {
        let span = Duration::from_micros(u64::from(self.span_us));
        let Run { number: first, missing: lost, at, gap_ns: spacing_ns, .. } = *self;
        Losses { first, lost, at, spacing_ns, span, lasts_from_first, outage }
    }
}

/// Seconds in whole microseconds.
fn micros(seconds: f64) -> u32 {
    (seconds * 1e6 + 0.5) as u32
}

impl Default for Past {
    fn default() -> Past {
        let run = Run {
            at: Instant::ZERO,
            gap_ns: 0.0,
            first: 0,
            number: 0,
            missing: 0,
            span_us: 0,
            space: LossHistory::ONLY,
            above: LOST,
        };
        Past { settled: LossEvents::NONE, runs: [run; RUNS], used: 0, seed: 0.0, seed_rtt_us: 0 }
    }
}

#[cfg(test)]
#[path = "loss_history_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "loss_history_spaces_tests.rs"]
mod spaces_tests;
