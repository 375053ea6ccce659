//! What receivers have asked for and has not been sent yet; bounded by the number of blocks.

use crate::symbol::FIRST_ABOVE;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// An object and one of its blocks.
type Block = (u32, u32);

/// Needs of all receivers together, block by block.
pub(crate) struct Needs {
    gather: Duration,
    pub(crate) round: Duration,
    open: BTreeMap<Block, Need>,
    /// The blocks of `open`, in the order in which they are met.
    queue: VecDeque<Block>,
    /// That is by their numbers, as those before are given up first, and always by repair symbols, of which each that
    /// comes is of use. Otherwise it is as they were first asked for.
    is_urgent: bool,
    answered: BTreeMap<Block, Answered>,
}

/// What a block needs.
struct Need {
    since: Duration,
    symbols: u16,
    kind: Kind,
}

/// How a need is met.
enum Kind {
    /// By so many repair symbols.
    Repair(u16),
    /// By all source symbols, of which this is the next.
    Again(u16),
}

/// What was last sent of a block because of requests.
struct Answered {
    at: Duration,
    /// The next repair symbol.
    next: u32,
    /// It was the source symbols, once more.
    again: bool,
}

impl Needs {
    pub(crate) fn new(gather: Duration, round: Duration) -> Needs {
        let (open, answered, queue) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        Needs { gather, round, open, queue, is_urgent: false, answered }
    }

    /// Needs that have to be met soon: the oldest block first, and whatever is lacking by repair symbols.
    pub(crate) fn urgent(self) -> Needs {
        Needs { is_urgent: true, ..self }
    }

    /// A receiver lacks so many symbols of a block of `symbols`, and has seen none with a number from `seen` on. How
    /// many more are sent for it than for those who asked before.
    pub(crate) fn want(&mut self, now: Duration, block: Block, symbols: u16, lacks: u16, seen: u32) -> u16 {
        let lacks = lacks.min(symbols);
        let (mut under_way, mut again) = (0, false);
        if let Some(answered) = self.answered.get(&block)
            && now.saturating_sub(answered.at) < self.round
        {
            // What was sent after all that the receiver has seen may still come. Symbols of higher layers tell nothing
            // of it.
            let seen = if seen > FIRST_ABOVE { 0 } else { seen };
            under_way = answered.next.saturating_sub(seen.max(u32::from(symbols)));
            again = answered.again;
        }
        let missing = u32::from(lacks).saturating_sub(under_way) as u16;
        if missing == 0 || again {
            return 0;
        }
        // Source symbols of a block need no encoder; whoever has few of them can use most.
        let is_most = u32::from(missing) * 2 > u32::from(symbols) && !self.is_urgent;
        let wanted = if is_most { Kind::Again(0) } else { Kind::Repair(missing) };
        let Some(need) = self.open.get_mut(&block) else {
            self.open.insert(block, Need { since: now, symbols, kind: wanted });
            let place =
                if self.is_urgent { self.queue.partition_point(|other| *other < block) } else { self.queue.len() };
            self.queue.insert(place, block);
            return missing;
        };
        match (&mut need.kind, wanted) {
            (Kind::Again(_), _) => 0,
            (Kind::Repair(there), Kind::Repair(missing)) => {
                let more = missing.saturating_sub(*there);
                *there += more;
                more
            }
            (Kind::Repair(there), again) => {
                let more = missing.saturating_sub(*there);
                need.kind = again;
                more
            }
        }
    }

    /// Whether something can be sent: the first request has waited for others.
    pub(crate) fn ready(&self, now: Duration) -> bool {
        self.next_at().is_some_and(|at| at <= now)
    }

    /// When something can be sent.
    pub(crate) fn next_at(&self) -> Option<Duration> {
        let first = self.queue.front()?;
        Some(self.open[first].since + self.gather)
    }

    /// The next symbol that is wanted, taken off the list.
    pub(crate) fn next(&mut self, now: Duration) -> Option<(Block, u32)> {
        let block = *self.queue.front()?;
        let need = self.open.get_mut(&block)?;
        let symbols = need.symbols;
        let (source, left) = match &mut need.kind {
            Kind::Again(next) => {
                *next += 1;
                (Some(u32::from(*next - 1)), symbols - *next)
            }
            Kind::Repair(count) => {
                *count -= 1;
                (None, *count)
            }
        };
        if left == 0 {
            self.open.remove(&block);
            self.queue.pop_front();
        }
        let symbol = source.unwrap_or_else(|| self.fresh(block, symbols));
        let answered =
            self.answered.entry(block).or_insert(Answered { at: now, next: u32::from(symbols), again: false });
        (answered.at, answered.again) = (now, source.is_some());
        Some((block, symbol))
    }

    /// Forgets all blocks before this one: they are not repaired any more.
    pub(crate) fn forget_before(&mut self, block: Block) {
        self.open = self.open.split_off(&block);
        self.answered = self.answered.split_off(&block);
        self.queue.retain(|asked| *asked >= block);
    }

    /// A repair symbol of a block of `symbols` that has not been sent before, as long as there are some.
    pub(crate) fn fresh(&mut self, block: Block, symbols: u16) -> u32 {
        let first = u32::from(symbols);
        let answered = self.answered.entry(block).or_insert(Answered { at: Duration::ZERO, next: first, again: false });
        let symbol = answered.next;
        answered.next = if symbol + 1 < FIRST_ABOVE { symbol + 1 } else { first };
        symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Block = (1, 0);

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn needs() -> Needs {
        Needs::new(at(200), at(1000))
    }

    fn drain(needs: &mut Needs, now: Duration) -> Vec<u32> {
        std::iter::from_fn(|| needs.ready(now).then(|| needs.next(now).expect("ready").1)).collect()
    }

    #[test]
    fn the_largest_need_of_a_block_is_met_after_others_could_speak() {
        let mut needs = needs();
        assert_eq!(needs.want(at(0), BLOCK, 100, 3, 100), 3);
        assert_eq!(needs.want(at(100), BLOCK, 100, 5, 100), 2);
        assert_eq!(needs.want(at(100), BLOCK, 100, 4, 100), 0);
        assert!(!needs.ready(at(199)));
        assert_eq!(needs.next_at(), Some(at(200)));
        assert_eq!(drain(&mut needs, at(200)), [100, 101, 102, 103, 104]);
        assert_eq!(needs.next_at(), None);
    }

    #[test]
    fn what_is_under_way_is_not_sent_again_before_a_round_is_over() {
        let mut needs = needs();
        needs.want(at(0), BLOCK, 100, 5, 90);
        drain(&mut needs, at(200));
        assert_eq!(needs.want(at(300), BLOCK, 100, 5, 90), 0, "all five may still come");
        assert_eq!(needs.want(at(300), BLOCK, 100, 5, 103), 3, "three of five were lost");
        assert_eq!(drain(&mut needs, at(500)), [105, 106, 107]);
        assert_eq!(needs.want(at(1499), BLOCK, 100, 3, 103), 0);
        assert_eq!(needs.want(at(1500), BLOCK, 100, 3, 103), 3, "none has come in a round");
    }

    #[test]
    fn what_has_come_by_higher_layers_tells_nothing_of_what_is_under_way() {
        let mut needs = needs();
        needs.want(at(0), BLOCK, 100, 5, 90);
        drain(&mut needs, at(200));
        assert_eq!(needs.want(at(300), BLOCK, 100, 5, FIRST_ABOVE + 9), 0, "all five may still come");
        assert_eq!(needs.want(at(1200), BLOCK, 100, 5, FIRST_ABOVE + 9), 5);
    }

    #[test]
    fn who_lacks_more_than_half_gets_the_block_once_more() {
        let mut needs = needs();
        assert_eq!(needs.want(at(0), BLOCK, 4, 2, 0), 2);
        assert_eq!(needs.want(at(0), BLOCK, 4, 3, 0), 1);
        assert_eq!(needs.want(at(0), BLOCK, 4, 4, 0), 0);
        assert_eq!(drain(&mut needs, at(200)), [0, 1, 2, 3]);
        assert_eq!(needs.want(at(1100), BLOCK, 4, 1, 4), 0, "they may still come");
        assert_eq!(needs.want(at(1200), BLOCK, 4, 1, 4), 1);
        assert_eq!(drain(&mut needs, at(1400)), [4]);
        assert_eq!(needs.want(at(9000), BLOCK, 4, 400, 4), 4, "no more than there are");
    }

    #[test]
    fn blocks_come_in_the_order_of_their_requests() {
        let mut needs = needs();
        for block in [(2, 1), (1, 7), (1, 3)] {
            needs.want(at(u64::from(block.1)), block, 100, 1, 0);
        }
        let order: Vec<Block> = std::iter::from_fn(|| needs.next(at(500)).map(|(block, _)| block)).collect();
        assert_eq!(order, [(2, 1), (1, 7), (1, 3)]);
        let mut needs = self::needs().urgent();
        for block in [(2, 1), (1, 7), (1, 3), (1, 9)] {
            needs.want(at(0), block, 1, 1, 0);
        }
        let order: Vec<Block> = std::iter::from_fn(|| needs.next(at(500)).map(|(block, _)| block)).collect();
        assert_eq!(order, [(1, 3), (1, 7), (1, 9), (2, 1)]);
        needs.want(at(2000), BLOCK, 4, 4, 4);
        assert_eq!(drain(&mut needs, at(2200)), [4, 5, 6, 7], "none of them has come before");
    }

    #[test]
    fn blocks_that_are_given_up_are_forgotten() {
        let mut needs = needs();
        for block in [(1, 3), (1, 9), (2, 0)] {
            needs.want(at(0), block, 100, 2, 0);
        }
        assert_eq!(needs.next(at(300)), Some(((1, 3), 100)));
        needs.forget_before((1, 9));
        assert_eq!(
            [0; 4].map(|_| needs.next(at(300)).map(|(block, _)| block).unwrap()),
            [(1, 9), (1, 9), (2, 0), (2, 0)]
        );
        assert!(needs.answered.len() == 2 && needs.next_at().is_none());
    }

    #[test]
    fn repair_symbols_begin_again_behind_the_last_one() {
        let mut needs = needs();
        needs.answered.insert(BLOCK, Answered { at: at(0), next: FIRST_ABOVE - 1, again: false });
        assert_eq!([0; 3].map(|_| needs.fresh(BLOCK, 100)), [FIRST_ABOVE - 1, 100, 101]);
    }
}
