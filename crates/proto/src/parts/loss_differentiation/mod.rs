//! Loss differentiation: which losses are errors of a link and which are congestion, as a receiver judges them, and how
//! often it is right.
//!
//! | file | subject |
//! |---|---|
//! | `config.rs` | rule, window and scope |
//! | `inter_arrival.rs` | T_min, and the rules that compare gaps with it |
//! | `trip_times.rs` | one-way trip times, and the rules that look at them |
//! | `verdict.rs` | what losses are taken for |
//! | `ledger.rs` | what was judged and what was told, packet by packet |
//! | `confusion.rs` | how often the rule was right |
//!
//! Numbers of packets are counts that do not wrap (see [`Sequence`](super::sequence::Sequence)). A space is a sequence
//! space, as each layer has one; the part does not mind which numbers they have.

mod config;
mod confusion;
mod inter_arrival;
mod ledger;
#[cfg(test)]
mod tests;
mod trip_times;
#[cfg(test)]
mod trip_times_tests;
mod verdict;

pub use config::{Config, DifferentiationRule, Forgetting, Scope};
pub use confusion::{CONFUSION_GAUGES, Confusion, with_confusion};
pub use verdict::{Judgement, Row, Verdict};

use super::loss_detection::Gap;
use crate::time::Instant;
use inter_arrival::InterArrival;
use ledger::Ledger;
use trip_times::TripTimes;

/// The loss differentiation of one receiver.
///
/// For each packet that arrives call [`took`](Self::took) and [`arrived`](Self::arrived), then [`judge`](Self::judge)
/// if a gap is before it, or [`late`](Self::late) if it was missing. What
/// [`Input::LinkLoss`](crate::endpoint::Input::LinkLoss) tells goes into [`link_lost`](Self::link_lost).
///
/// ```
/// use faircast_proto::parts::loss_detection::{ArrivalOrder, LossDetection};
/// use faircast_proto::parts::loss_differentiation::{Config, Judgement, LossDifferentiation};
/// use faircast_proto::time::Instant;
///
/// // A packet each 10 ms; in the second second the link loses one, and nobody else fills its place.
/// let mut differentiation = LossDifferentiation::new(&Config::default());
/// let mut detection = LossDetection::NOTHING;
/// for count in (1..200).filter(|&count| count != 150) {
///     let now = Instant(count * 10_000_000);
///     differentiation.arrived(0, count, now, false);
///     if let ArrivalOrder::Next(Some(gap)) = detection.arrive(count, now) {
///         assert_eq!(differentiation.judge(0, &gap, now), Judgement { link: 1, congestion: 0 });
///     }
///     if count == 149 {
///         differentiation.link_lost(0, 150);
///     }
/// }
/// assert_eq!(differentiation.confusion().link_as_link, 1);
/// ```
#[derive(Clone, Debug)]
pub struct LossDifferentiation {
    rule: DifferentiationRule,
    inter_arrival: InterArrival,
    trip_times: TripTimes,
    /// By space.
    ledgers: Vec<Ledger>,
    confusion: Confusion,
}

impl LossDifferentiation {
    /// Nothing has arrived. `config` must have passed [`Config::check`].
    pub fn new(config: &Config) -> LossDifferentiation {
        LossDifferentiation {
            rule: config.rule,
            inter_arrival: InterArrival::new(config.window(), config.scope()),
            trip_times: TripTimes::new(config.window()),
            ledgers: Vec::new(),
            confusion: Confusion::default(),
        }
    }

    /// A packet of any space has arrived at `now` that its sender stamped `sent_us`, microseconds by its clock without
    /// the upper bits. What follows from it holds for the gap that ends with this packet.
    #[inline]
    pub fn took(&mut self, now: Instant, sent_us: u32) {
        if matches!(self.rule, DifferentiationRule::Spike | DifferentiationRule::Zigzag) {
            self.trip_times.took(now, sent_us);
        }
    }

    /// The packet with this count has arrived in `space`: to be called for every packet, before a gap is judged that
    /// ends with it. `is_probe`: it is the first of a packet pair, so that the time to the next says nothing of the
    /// rate.
    pub fn arrived(&mut self, space: u16, count: u64, now: Instant, is_probe: bool) {
        self.inter_arrival.arrived(space, count, now, is_probe);
        self.ledger(space).arrived(count);
    }

    /// Judges the missing packets of a gap that [`LossDetection`](super::loss_detection::LossDetection) has found in
    /// `space`, at `now`, the arrival of the packet behind it. A gap that no packet has ended is congestion, if the
    /// rule does not know the truth.
    pub fn judge(&mut self, space: u16, gap: &Gap, now: Instant) -> Judgement {
        let mut judgement = Judgement::default();
        self.judge_rows(space, gap, now, |row| match row.verdict {
            Verdict::Link => judgement.link += row.missing,
            Verdict::Congestion => judgement.congestion += row.missing,
        });
        judgement
    }

    /// Judges a gap and calls `each` with what its packets are taken for, in rising order.
    pub fn judge_rows(&mut self, space: u16, gap: &Gap, now: Instant, mut each: impl FnMut(Row)) {
        let verdict = match self.rule {
            DifferentiationRule::None | DifferentiationRule::Oracle => Verdict::Congestion,
            DifferentiationRule::Ias => self.inter_arrival.judge(space, gap, now, inter_arrival::IAS),
            DifferentiationRule::Mbiaz => self.inter_arrival.judge(space, gap, now, inter_arrival::MBIAZ),
            // Of a gap that no packet has ended no trip time tells.
            DifferentiationRule::Spike if self.inter_arrival.ends(space, gap) => self.trip_times.spike(),
            DifferentiationRule::Zigzag if self.inter_arrival.ends(space, gap) => self.trip_times.zigzag(gap.missing),
            DifferentiationRule::Spike | DifferentiationRule::Zigzag => Verdict::Congestion,
        };
        let is_oracle = self.rule == DifferentiationRule::Oracle;
        let ledger = ledger(&mut self.ledgers, space);
        let (mut first, end) = (gap.first, gap.first.saturating_add(gap.missing));
        let mut settle = |ledger: &mut Ledger, row: Row| {
            ledger.note(row);
            each(row);
        };
        while first < end {
            let (missing, is_link) = ledger.alike(first, end);
            let verdict = if is_oracle && is_link { Verdict::Link } else { verdict };
            *self.confusion.of(is_link, verdict) += missing;
            if is_oracle {
                settle(ledger, Row { first, missing, verdict });
            }
            first += missing;
        }
        if !is_oracle {
            settle(ledger, Row { first: gap.first, missing: gap.missing, verdict });
        }
    }

    /// A packet that was judged lost has come after all: it is taken out of the counts. Says what it had been taken
    /// for, as long as that is remembered.
    pub fn late(&mut self, space: u16, count: u64) -> Option<Verdict> {
        let (is_link, verdict) = self.ledger(space).late(count)?;
        let counted = self.confusion.of(is_link, verdict);
        *counted = counted.saturating_sub(1);
        Some(verdict)
    }

    /// The rate announced for `space`, bit/s; what is none is passed over. With the window "rate" T_min is forgotten
    /// when it is more than a tenth away from what it was when the window began.
    pub fn rate(&mut self, space: u16, rate_bps: f64) {
        self.inter_arrival.rate(space, rate_bps);
    }

    /// The rate of `space` has changed so much that T_min is to be forgotten, with the window "rate".
    pub fn rate_changed(&mut self, space: u16) {
        self.inter_arrival.rate_changed(space);
    }

    /// The receiver has joined the group of `space`: whatever comes first begins its numbers anew. T_min stays.
    pub fn joined(&mut self, space: u16) {
        self.inter_arrival.begin_anew(space);
        self.ledger(space).begin_anew();
    }

    /// The receiver has left the group of `space`: what was told of its packets and not judged is forgotten. T_min
    /// stays.
    pub fn left(&mut self, space: u16) {
        self.joined(space);
    }

    /// The truth: a link has destroyed the packet with this count on its way here. Before the first packet of a space
    /// nothing is missed, and nothing counts.
    pub fn link_lost(&mut self, space: u16, count: u64) {
        if let Some(verdict) = self.ledger(space).link_lost(count) {
            // It was judged before it was told, as where a later packet took a shorter way.
            let mistaken = self.confusion.of(false, verdict);
            *mistaken = mistaken.saturating_sub(1);
            *self.confusion.of(true, verdict) += 1;
        }
    }

    /// How often the rule was right.
    pub fn confusion(&self) -> Confusion {
        self.confusion
    }

    fn ledger(&mut self, space: u16) -> &mut Ledger {
        ledger(&mut self.ledgers, space)
    }
}

/// The ledger of a space, which there is from the first packet on.
fn ledger(ledgers: &mut Vec<Ledger>, space: u16) -> &mut Ledger {
    let index = usize::from(space);
    if index >= ledgers.len() {
        ledgers.resize_with(index + 1, Ledger::default);
    }
    &mut ledgers[index]
}
