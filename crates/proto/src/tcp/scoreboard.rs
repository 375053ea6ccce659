//! What the receiver has reported in SACK blocks, and what RFC 6675 makes of it: `IsLost`, `pipe` and `NextSeg`.
//!
//! With segments as units the definitions become thresholds that cost next to nothing, however large the window:
//!
//! * `IsLost(s)` needs `dupthresh` SACKed segments above `s`, and `dupthresh` discontiguous ranges always hold that
//!   many: so `s` is lost if and only if it lies below the `dupthresh`-th highest SACKed segment.
//! * In a recovery every retransmission is of the lowest unSACKed segment not yet retransmitted: so an unSACKed
//!   segment has been retransmitted if and only if it lies below `high_rxt`.

use super::header::SackBlock;
use super::number::Run;
use super::ranges::SegmentRanges;

/// The sender's view of the segments from `snd_una` on.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    una: u64,
    sacked: SegmentRanges,
    /// One past the highest segment retransmitted in this recovery (RFC 6675 HighRxt).
    high_rxt: u64,
    /// UnSACKed segments below `high_rxt`.
    retransmitted: u64,
    dupthresh: u64,
}

impl Scoreboard {
    /// Nothing outstanding, nothing SACKed.
    pub fn new(dupthresh: u32) -> Scoreboard {
        Scoreboard {
            una: 0,
            sacked: SegmentRanges::default(),
            high_rxt: 0,
            retransmitted: 0,
            dupthresh: dupthresh.into(),
        }
    }

    /// Numbers the first segment `first`.
    #[cfg(test)]
    pub fn numbered_from(self, first: u64) -> Scoreboard {
        Scoreboard { una: first, high_rxt: first, ..self }
    }

    /// Takes in an acknowledgement of everything below `una` with its blocks, and says whether they tell of a segment
    /// not known to have arrived. What a block says of segments not sent yet (`sent_end` on) is not believed.
    #[inline]
    pub fn update(&mut self, una: u64, blocks: &[SackBlock], sent_end: u64) -> bool {
        if una > self.una {
            self.advance(una);
        }
        let mut news = false;
        for block in blocks {
            if let Some(run) = Run::reported(*block, una).filter(|run| run.end <= sent_end) {
                news |= self.insert(run);
            }
        }
        news
    }

    /// A recovery begins: nothing has been retransmitted in it. SACKs are kept.
    pub fn begin_recovery(&mut self) {
        self.high_rxt = self.una;
        self.retransmitted = 0;
    }

    /// Notes that `segment`, which [`next_lost`](Self::next_lost) or [`next_hole`](Self::next_hole) named or which is
    /// the first one outstanding, has been retransmitted.
    pub fn mark_retransmitted(&mut self, segment: u64) {
        debug_assert_eq!(segment, self.next_candidate());
        self.high_rxt = segment + 1;
        self.retransmitted += 1;
    }

    /// Whether anything is SACKed.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sacked.is_empty()
    }

    /// The first segment from `segment` on that is not SACKed.
    pub fn first_unsacked(&self, segment: u64) -> u64 {
        self.sacked.first_absent(segment)
    }

    /// The first segment that is not acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// The last segment below `sent_end` that is outstanding and not SACKed.
    pub fn last_unsacked(&self, sent_end: u64) -> Option<u64> {
        let last = match self.sacked.descending().next() {
            Some(highest) if highest.end == sent_end => highest.start,
            _ => sent_end,
        };
        (last > self.una).then(|| last - 1)
    }

    /// Segments that are known to have arrived, all in all: never fewer.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.una + self.sacked.count()
    }

    /// Whether a segment from this one on counts as lost.
    pub fn has_lost_from(&self, segment: u64) -> bool {
        self.sacked.first_absent(segment.max(self.una)) < self.lost_below()
    }

    /// RFC 6675 IsLost, for a segment that is outstanding and not SACKed.
    pub fn is_lost(&self, segment: u64) -> bool {
        segment < self.lost_below()
    }

    /// RFC 6675 pipe: the segments thought to be in the network, of those from `una` up to `sent_end`.
    pub fn pipe(&self, sent_end: u64) -> u64 {
        let (from, sacked) = match self.sacked.nth_highest(self.dupthresh) {
            Some(lost_below) => (lost_below, self.dupthresh),
            None => (self.una, self.sacked.count()),
        };
        // Not SACKed and not lost, plus retransmitted.
        (sent_end - from) - sacked + self.retransmitted
    }

    /// NextSeg rule (1): the lowest segment that is lost and has not been retransmitted.
    pub fn next_lost(&self) -> Option<u64> {
        Some(self.next_candidate()).filter(|&segment| self.is_lost(segment))
    }

    /// NextSeg rule (3): the lowest unSACKed segment below the highest SACKed one that has not been retransmitted.
    pub fn next_hole(&self) -> Option<u64> {
        Some(self.next_candidate()).filter(|&segment| self.sacked.end().is_some_and(|end| segment < end))
    }

    fn next_candidate(&self) -> u64 {
        self.sacked.first_absent(self.high_rxt.max(self.una))
    }

    /// What is outstanding and not SACKed below this segment is lost, and nothing from it on.
    pub fn lost_below(&self) -> u64 {
        self.sacked.nth_highest(self.dupthresh).unwrap_or(self.una)
    }

    fn advance(&mut self, una: u64) {
        // SACKed segments between the old and the new `una` that lie below `high_rxt`.
        let known_below_rxt = self.sacked.remove_below(una.min(self.high_rxt));
        if self.high_rxt > self.una {
            let passed = una.min(self.high_rxt) - self.una;
            self.retransmitted -= passed - known_below_rxt;
        }
        self.una = una;
        // A receiver that has `una` but does not acknowledge it has thrown it away, or errs: it counts as missing.
        if self.sacked.remove_below(una + 1) > 0 && una < self.high_rxt {
            self.retransmitted += 1;
        }
    }

    fn insert(&mut self, run: Run) -> bool {
        let above = Run { start: run.start.max(self.una + 1), end: run.end };
        let (high_rxt, retransmitted) = (self.high_rxt, &mut self.retransmitted);
        let mut news = false;
        self.sacked.insert(above, |start, end| {
            *retransmitted -= end.min(high_rxt).saturating_sub(start);
            news = true;
        });
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    /// RFC 6675 definition by definition.
    #[derive(Default)]
    struct Plain {
        una: u64,
        sacked: BTreeSet<u64>,
        high_rxt: u64,
    }

    impl Plain {
        fn is_lost(&self, segment: u64) -> bool {
            let above: Vec<u64> = self.sacked.range(segment + 1..).copied().collect();
            let ranges = above.iter().filter(|&&s| s == segment + 1 || !self.sacked.contains(&(s - 1))).count();
            above.len() >= 3 || ranges >= 3
        }

        fn pipe(&self, sent_end: u64) -> u64 {
            (self.una..sent_end)
                .filter(|s| !self.sacked.contains(s))
                .map(|s| u64::from(!self.is_lost(s)) + u64::from(s < self.high_rxt))
                .sum()
        }

        fn waiting(&self, below: u64) -> impl Iterator<Item = u64> + '_ {
            (self.una..below).filter(|s| !self.sacked.contains(s) && *s >= self.high_rxt)
        }
    }

    #[test]
    fn the_definitions_hold_after_random_operations() {
        for seed in 0..12 {
            let mut random = Random::stream(seed, "test/scoreboard");
            let (mut board, mut plain, mut sent_end) = (Scoreboard::new(3), Plain::default(), 50);
            let (mut delivered, mut lost_below) = (0, 0);
            board.begin_recovery();
            for step in 0..300 {
                match (random.uniform() * 5.0) as u64 {
                    0 => sent_end += (random.uniform() * 12.0) as u64,
                    1 | 2 => {
                        let span = (sent_end - plain.una) as f64;
                        let start = plain.una + 1 + (random.uniform() * span) as u64;
                        let end = start + (random.uniform() * random.uniform() * 9.0) as u64;
                        let block = Run { start: start.saturating_sub(3), end };
                        board.update(plain.una, &[block.block()], sent_end);
                        if end <= sent_end {
                            plain.sacked.extend((block.start..end).filter(|&s| s > plain.una));
                        }
                    }
                    3 => {
                        let rule_1 = plain.waiting(sent_end).find(|&s| plain.is_lost(s));
                        assert_eq!(board.next_lost(), rule_1, "seed {seed} step {step}");
                        let highest = plain.sacked.last().copied().unwrap_or(0);
                        let rule_3 = plain.waiting(highest).next();
                        assert_eq!(board.next_hole(), rule_3, "seed {seed} step {step}");
                        if let Some(segment) = rule_1.or(rule_3) {
                            board.mark_retransmitted(segment);
                            plain.high_rxt = segment + 1;
                        }
                    }
                    _ if random.chance(0.1) => {
                        board.begin_recovery();
                        plain.high_rxt = plain.una;
                    }
                    _ => {
                        let passed = (random.uniform() * random.uniform() * 12.0) as u64;
                        plain.una = (plain.una + passed).min(sent_end);
                        plain.sacked = plain.sacked.split_off(&(plain.una + 1));
                        board.update(plain.una, &[], sent_end);
                    }
                }
                assert_eq!(board.pipe(sent_end), plain.pipe(sent_end), "seed {seed} step {step}");
                assert_eq!(board.delivered(), plain.una + plain.sacked.len() as u64, "seed {seed} step {step}");
                assert!(board.delivered() >= delivered, "seed {seed} step {step}");
                delivered = board.delivered();
                let lost =
                    |from| (plain.una.max(from)..sent_end).any(|s| !plain.sacked.contains(&s) && plain.is_lost(s));
                for from in [0, lost_below, plain.una, plain.una + 5] {
                    assert_eq!(board.has_lost_from(from), lost(from), "seed {seed} step {step}: {from}");
                }
                lost_below = board.lost_below();
                assert!(!lost(lost_below), "seed {seed} step {step}");
                let last = (plain.una..sent_end).rev().find(|s| !plain.sacked.contains(s));
                assert_eq!(board.last_unsacked(sent_end), last, "seed {seed} step {step}");
                for segment in (plain.una..sent_end).filter(|s| !plain.sacked.contains(s)) {
                    assert_eq!(board.is_lost(segment), plain.is_lost(segment), "seed {seed} step {step}: {segment}");
                }
            }
        }
    }

    #[test]
    fn blocks_about_the_future_are_not_believed() {
        let mut board = Scoreboard::new(3);
        board.update(2, &[SackBlock { start: 4, end: 90 }], 10);
        assert!(board.is_empty());
    }
}
