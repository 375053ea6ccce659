//! Changes of a network while it runs, planned before it starts.
//!
//! A link goes down or up, gets another rate, loss model or far end, and its delay follows straight pieces. A change
//! comes before everything else of its instant. What it means for packets is the link's business
//! ([`link`](crate::link)), what it means for routes that of the `epoch` module.

use crate::ids::{LinkId, NodeId};
use crate::loss::Loss;
use crate::part::Aspect;
use faircast_proto::time::{Duration, Instant, Rate};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::fmt;

/// Something that changes about a link.
#[derive(Debug)]
pub enum Change {
    /// It goes down. What is in transmission completes, what is on the wire arrives; nothing new is sent.
    Down,
    /// It comes up.
    Up,
    /// It gets another rate. What is in transmission completes at the old one; queue and discipline keep their
    /// parameters.
    Rate(Rate),
    /// It gets another loss model, which decides about every packet that arrives from now on.
    Loss(Loss),
    /// Its delay begins a straight piece, which holds until the next. Packets take the delay of their departure.
    Delay {
        /// The delay at the instant of the change.
        from: Duration,
        /// How it goes on.
        slope: Slope,
    },
    /// It leads to another node. Packets go to the far end of their departure.
    FarEnd(NodeId),
}

/// How fast a delay changes, in 2^-48 of a nanosecond per nanosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slope(i64);

/// What becomes of packets that wait when their link goes down or turns elsewhere: of all that go to groups, and of
/// others for which there is no other way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handoff {
    /// They stay, and go on to the new far end, or when the link comes up.
    #[default]
    Keep,
    /// They are still transmitted, but nobody receives them: they carry the link address of the old far end (ns-2).
    Lose,
    /// They are removed at once.
    Discard,
}

/// A straight piece of a delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    since: Instant,
    from: Duration,
    slope: Slope,
}

/// Changes of a link one by one, made as time goes on: a long trace. They come in the order of time, and are legal
/// ones of a link that is whole.
pub struct Followed {
    /// The changes.
    pub changes: Box<dyn Iterator<Item = (Instant, Change)> + Send>,
    /// The longest delay among them.
    pub longest_delay: Duration,
    /// Whether routes may change by them.
    pub of_routes: bool,
}

/// All changes of a run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order of time.
    changes: VecDeque<Planned>,
    /// Of links that have no others.
    followed: Vec<Following>,
    /// When the next change of each of those is, with its link and its place among them.
    turns: BinaryHeap<Reverse<(Instant, LinkId, usize)>>,
    /// When routes are computed anew although no link goes up or down or turns; in the order of time.
    reroutes: VecDeque<Instant>,
    /// When that happens next besides, and how often.
    regular: Option<(Instant, Duration)>,
}

#[derive(Debug)]
struct Planned {
    at: Instant,
    link: LinkId,
    change: Change,
    /// When the next one of this link is.
    until: Instant,
}

/// A link whose changes are made as time goes on.
#[derive(Debug)]
struct Following {
    link: LinkId,
    /// The next change.
    next: Option<(Instant, Change)>,
    rest: Followed,
}

impl fmt::Debug for Followed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Followed").field("of_routes", &self.of_routes).finish_non_exhaustive()
    }
}

impl Slope {
    /// It stays as it is.
    pub const LEVEL: Slope = Slope(0);
    /// The steepest slope, up or down, in nanoseconds per nanosecond.
    pub const STEEPEST: u64 = 1 << 15;
    const BINARY_PLACES: u32 = 48;

    /// What a delay that was `from` has become after so long; never negative.
    #[inline]
    pub fn after(self, from: Duration, elapsed: Duration) -> Duration {
        if self == Slope::LEVEL {
            return from;
        }
        let rise = (i128::from(self.0) * i128::from(elapsed.0)) >> Self::BINARY_PLACES;
        Duration((i128::from(from.0) + rise).clamp(0, i128::from(u64::MAX)) as u64)
    }

    /// From `from` to `to` in the time `over`, which must be more than zero and no less than the difference divided by
    /// [`STEEPEST`](Self::STEEPEST). The end is met to 16 ns, and in a hundred days, too.
    pub fn between(from: Duration, to: Duration, over: Duration) -> Slope {
        let rise = (i128::from(to.0) - i128::from(from.0)) << Self::BINARY_PLACES;
        let over = i128::from(over.0.max(1));
        let rounded = (rise + rise.signum() * over / 2) / over;
        Slope(rounded.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    }
}

impl Line {
    pub(crate) fn level(delay: Duration) -> Line {
        Line { since: Instant::ZERO, from: delay, slope: Slope::LEVEL }
    }

    pub(crate) fn new(since: Instant, from: Duration, slope: Slope) -> Line {
        Line { since, from, slope }
    }

    /// The delay at a moment of the piece; never negative.
    #[inline]
    pub(crate) fn at(&self, now: Instant) -> Duration {
        self.slope.after(self.from, now.since(self.since))
    }
}

impl Plan {
    pub(crate) fn add(&mut self, at: Instant, link: LinkId, change: Change) {
        self.changes.push_back(Planned { at, link, change, until: Instant::FAR_FUTURE });
    }

    /// Lets a link that has no other changes follow these.
    pub(crate) fn follow(&mut self, link: LinkId, mut rest: Followed) {
        let next = rest.changes.next();
        if let Some((at, _)) = next {
            self.turns.push(Reverse((at, link, self.followed.len())));
            self.followed.push(Following { link, next, rest });
        }
    }

    pub(crate) fn reroute(&mut self, at: Instant) {
        self.reroutes.push_back(at);
    }

    pub(crate) fn reroute_every(&mut self, interval: Duration) {
        self.regular = (interval > Duration::ZERO).then_some((Instant::ZERO + interval, interval));
    }

    /// Puts everything in order.
    pub(crate) fn sort(&mut self) {
        let order = |planned: &Planned| (planned.at, planned.link, planned.change.subject());
        self.changes.make_contiguous().sort_by_key(order);
        self.reroutes.make_contiguous().sort_unstable();
        let mut next = BTreeMap::new();
        for planned in self.changes.iter_mut().rev() {
            planned.until = next.insert(planned.link, planned.at).unwrap_or(Instant::FAR_FUTURE);
        }
    }

    /// All changes, in the order of time.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Instant, LinkId, &Change)> {
        self.changes.iter().map(|planned| (planned.at, planned.link, &planned.change))
    }

    /// The links that change, each once or more often.
    pub(crate) fn links(&self) -> impl Iterator<Item = LinkId> {
        self.changes.iter().map(|planned| planned.link).chain(self.followed.iter().map(|followed| followed.link))
    }

    /// The links that change, each once, with the first time.
    pub(crate) fn first_changes(&self) -> BTreeMap<LinkId, Instant> {
        let followed = self.turns.iter().map(|Reverse((at, link, _))| (*link, *at));
        self.changes.iter().rev().map(|planned| (planned.link, planned.at)).chain(followed).collect()
    }

    /// Whether routes may change.
    pub(crate) fn changes_routes(&self) -> bool {
        !self.reroutes.is_empty()
            || self.regular.is_some()
            || self.followed.iter().any(|followed| followed.rest.of_routes)
            || self.changes.iter().any(|planned| planned.change.subject().is_of_routes())
    }

    /// Makes of the delays of all links at first the longest at the beginning of a piece of each.
    pub(crate) fn lengthen(&self, delays: &mut [Duration]) {
        for planned in &self.changes {
            if let Change::Delay { from, .. } = planned.change {
                let delay = &mut delays[planned.link.index()];
                *delay = from.max(*delay);
            }
        }
        for Following { link, rest, .. } in &self.followed {
            let delay = &mut delays[link.index()];
            *delay = rest.longest_delay.max(*delay);
        }
    }

    /// When something changes next.
    pub(crate) fn next(&self) -> Option<Instant> {
        let change = self.changes.front().map(|planned| planned.at);
        let regular = self.regular.map(|(at, _)| at);
        let followed = self.turns.peek().map(|Reverse((at, ..))| *at);
        change.into_iter().chain(followed).chain(self.reroutes.front().copied()).chain(regular).min()
    }

    /// The next change of `now`, and when the one after it of this link is; `None` when all of them are taken. To be
    /// asked when everything is in order.
    pub(crate) fn take_change(&mut self, now: Instant) -> Option<(LinkId, Change, Instant)> {
        if let Some(&Reverse((at, link, _))) = self.turns.peek() {
            let planned = self.changes.front().map(|planned| (planned.at, planned.link));
            if planned.is_none_or(|planned| (at, link) < planned) {
                return self.take_followed(now);
            }
        }
        let Planned { link, change, until, .. } = self.changes.pop_front_if(|planned| planned.at <= now)?;
        Some((link, change, until))
    }

    /// The next change of those that are made as time goes on, if it is of `now`.
    fn take_followed(&mut self, now: Instant) -> Option<(LinkId, Change, Instant)> {
        let Reverse((_, link, place)) = *self.turns.peek().filter(|Reverse((at, ..))| *at <= now)?;
        self.turns.pop();
        let Following { next, rest, .. } = &mut self.followed[place];
        let (_, change) = std::mem::replace(next, rest.changes.next())?;
        let until = next.as_ref().map_or(Instant::FAR_FUTURE, |(at, _)| *at);
        if next.is_some() {
            self.turns.push(Reverse((until, link, place)));
        }
        Some((link, change, until))
    }

    /// Whether routes are to be computed anew at `now`, whatever changes.
    pub(crate) fn take_reroute(&mut self, now: Instant) -> bool {
        let mut any = false;
        if let Some((at, interval)) = &mut self.regular
            && *at <= now
        {
            *at += *interval;
            any = true;
        }
        while self.reroutes.pop_front_if(|at| *at <= now).is_some() {
            any = true;
        }
        any
    }
}

impl Change {
    /// The thing that it changes.
    pub fn subject(&self) -> Aspect {
        match self {
            Change::Down | Change::Up => Aspect::State,
            Change::Rate(_) => Aspect::Rate,
            Change::Loss(_) => Aspect::Loss,
            Change::Delay { .. } => Aspect::Delay,
            Change::FarEnd(_) => Aspect::FarEnd,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_straight_to_a_nanosecond() {
        // 2.6 ms to 8.22 ms in 333.333 s, and back.
        let (near, far, over) = (Duration(2_600_000), Duration(8_220_000), Duration(333_333_000_000));
        let start = Instant(1_000_000_007);
        for (from, to) in [(near, far), (far, near)] {
            let line = Line::new(start, from, Slope::between(from, to, over));
            for step in 0..=1000u64 {
                let run = over.0 / 1000 * step;
                let exact = from.0 as f64 + (to.0 as f64 - from.0 as f64) * run as f64 / over.0 as f64;
                let error = line.at(Instant(start.0 + run)).0 as f64 - exact;
                assert!(error.abs() <= 1.0, "{step}: {error}");
            }
        }
    }

    #[test]
    fn the_end_of_a_line_is_met_after_a_hundred_days_and_the_steepest_one_holds() {
        let (hour, days) = (Duration::from_secs(3600), Duration::from_secs(100 * 86_400));
        let line = Line::new(Instant::ZERO, Duration(7), Slope::between(Duration(7), hour, days));
        assert!(line.at(Instant(days.0)).0.abs_diff(hour.0) <= 16);
        let steep = Duration(hour.0 / Slope::STEEPEST + 1);
        let line = Line::new(Instant::ZERO, hour, Slope::between(hour, Duration::ZERO, steep));
        assert!(line.at(Instant(steep.0)).0 <= 1);
        // It goes on, but no delay is negative.
        assert_eq!(line.at(Instant(2 * steep.0)), Duration::ZERO);
    }

    #[test]
    fn a_plan_is_taken_instant_by_instant() {
        let mut plan = Plan::default();
        plan.add(Instant(5), LinkId(1), Change::Up);
        plan.add(Instant(3), LinkId(2), Change::Rate(Rate(10)));
        plan.add(Instant(3), LinkId(0), Change::Down);
        plan.reroute(Instant(4));
        plan.reroute(Instant(4));
        plan.sort();
        assert!(plan.changes_routes());
        let links = |plan: &mut Plan, now| {
            let mut links = Vec::new();
            while let Some((link, ..)) = plan.take_change(Instant(now)) {
                links.push(link.0);
            }
            (links, plan.take_reroute(Instant(now)), plan.next())
        };
        assert_eq!(plan.next(), Some(Instant(3)));
        assert_eq!(links(&mut plan, 3), (vec![0, 2], false, Some(Instant(4))));
        assert_eq!(links(&mut plan, 4), (vec![], true, Some(Instant(5))));
        assert_eq!(links(&mut plan, 5), (vec![1], false, None));
        plan.reroute_every(Duration(7));
        assert_eq!(links(&mut plan, 5), (vec![], false, Some(Instant(7))));
        assert_eq!(links(&mut plan, 7), (vec![], true, Some(Instant(14))));
    }

    #[test]
    fn what_is_made_as_time_goes_on_comes_in_its_turn() {
        let mut plan = Plan::default();
        plan.add(Instant(3), LinkId(1), Change::Rate(Rate(10)));
        plan.add(Instant(5), LinkId(1), Change::Rate(Rate(11)));
        let rate = |at, rate| (Instant(at), Change::Rate(Rate(rate)));
        let down = (Instant(5), Change::Down);
        let followed = |changes: Vec<(Instant, Change)>, of_routes| Followed {
            changes: Box::new(changes.into_iter()),
            longest_delay: Duration(9),
            of_routes,
        };
        plan.follow(LinkId(2), followed(vec![rate(3, 20), rate(4, 21)], false));
        plan.follow(LinkId(3), followed(Vec::new(), true));
        assert!(!plan.changes_routes(), "what never changes changes no routes");
        plan.follow(LinkId(0), followed(vec![rate(5, 30), down], true));
        assert!(plan.changes_routes());
        plan.sort();
        let first = [(0, 5), (1, 3), (2, 3)].map(|(link, at)| (LinkId(link), Instant(at)));
        assert_eq!(plan.first_changes(), BTreeMap::from(first));
        let mut delays = [Duration(7), Duration(8), Duration(10)];
        plan.lengthen(&mut delays);
        assert_eq!(delays, [9, 8, 10].map(Duration));
        let mut taken = Vec::new();
        for now in [2, 3, 4, 5] {
            assert_eq!(plan.next(), Some(Instant(now.max(3))));
            while let Some((link, change, until)) = plan.take_change(Instant(now)) {
                let rate = if let Change::Rate(rate) = change { rate.0 } else { 0 };
                taken.push((now, link.0, rate, until.0));
            }
        }
        let end = Instant::FAR_FUTURE.0;
        let expected = [(3, 1, 10, 5), (3, 2, 20, 4), (4, 2, 21, end), (5, 0, 30, 5), (5, 0, 0, end), (5, 1, 11, end)];
        assert_eq!(taken, expected);
        assert_eq!(plan.next(), None);
    }

    #[test]
    fn rates_losses_and_delays_leave_routes_alone() {
        let mut plan = Plan::default();
        plan.add(Instant(3), LinkId(2), Change::Rate(Rate(10)));
        plan.add(Instant(4), LinkId(2), Change::Delay { from: Duration(9), slope: Slope::LEVEL });
        assert!(!plan.changes_routes());
        let mut delays = [7, 8, 6].map(Duration);
        plan.lengthen(&mut delays);
        assert_eq!(delays, [7, 8, 9].map(Duration));
        plan.add(Instant(5), LinkId(1), Change::Delay { from: Duration(5), slope: Slope::LEVEL });
        plan.lengthen(&mut delays);
        assert_eq!(delays, [7, 8, 9].map(Duration));
    }
}
