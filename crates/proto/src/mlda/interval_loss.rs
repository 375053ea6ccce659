//! Loss over the layers that a receiver holds: what was expected and what was lost in each interval.
//!
//! Each interval is one measurement, as in [Ehlert] section II.A a receiver measures for a period of time and then
//! computes its share, and as the fraction lost in a report of RTCP is that since the report before (RFC 3550 section
//! 6.4.1). So all intervals of the window weigh the same, however many packets were sent in them: what was lost while a
//! hundred times as much came does not outweigh all that comes after.
//!
//! Errors of links, if somebody tells them from congestion, are counted apart.

use std::collections::VecDeque;

/// Packets expected and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that came and packets that are missing.
    pub expected: i64,
    /// Missing, and not by errors of a link as far as is known.
    pub lost: i64,
    /// Missing by errors of a link.
    pub lost_by_link: i64,
    /// Of those that came, those with a mark.
    pub marked: i64,
}

/// Counts of the interval that runs and of those before.
#[derive(Clone, Debug)]
pub struct IntervalLoss {
    /// Since the last report of the source that ended an interval.
    running: Counts,
    /// Intervals with too few packets to judge by: they wait for the next.
    waiting: Counts,
    /// How many they are.
    waiting_intervals: usize,
    /// The intervals of the window, the oldest first. Those that were judged together have the same.
    window: VecDeque<Shares>,
    /// How many intervals there are in the window.
    intervals: usize,
    /// How many packets must have been expected for a loss to be judged.
    least: i64,
    loss: f64,
    raw_loss: f64,
}

/// Shares of packets lost in an interval. Below 0 if more came late than were lost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shares {
    loss: f64,
    raw_loss: f64,
}

impl Counts {
    /// A packet has come, and so many before it are missing, some of them by errors of a link.
    pub fn came(&mut self, missing: u64, by_link: u64) {
        let signed = |packets: u64| i64::try_from(packets).unwrap_or(i64::MAX);
        self.expected = self.expected.saturating_add(signed(missing)).saturating_add(1);
        self.lost = self.lost.saturating_add(signed(missing.saturating_sub(by_link)));
        self.lost_by_link = self.lost_by_link.saturating_add(signed(by_link.min(missing)));
    }

    /// One that was missing, by an error of a link or not, has come after all.
    pub fn came_late(&mut self, by_link: bool) {
        if by_link {
            self.lost_by_link -= 1;
        } else {
            self.lost -= 1;
        }
    }

    /// Share of packets lost that the rate answers: errors of links count as received, marks as losses.
    pub fn loss(&self) -> f64 {
        self.share(self.answered()).max(0.0)
    }

    fn answered(&self) -> i64 {
        self.lost.saturating_add(self.marked)
    }

    /// Share of packets lost for whatever reason.
    pub fn raw_loss(&self) -> f64 {
        self.share(self.lost.saturating_add(self.lost_by_link)).max(0.0)
    }

    /// Below 0 if what was lost in the interval before has come in this.
    fn share(&self, lost: i64) -> f64 {
        if self.expected > 0 { (lost as f64 / self.expected as f64).clamp(-1.0, 1.0) } else { 0.0 }
    }

    fn plus(self, other: Counts) -> Counts {
        Counts {
            expected: self.expected.saturating_add(other.expected),
            lost: self.lost.saturating_add(other.lost),
            lost_by_link: self.lost_by_link.saturating_add(other.lost_by_link),
            marked: self.marked.saturating_add(other.marked),
        }
    }
}

impl IntervalLoss {
    /// Nothing has come. Loss is over the last `intervals` intervals, each with `least` packets expected or more.
    pub fn new(intervals: usize, least: u32) -> IntervalLoss {
        debug_assert!(intervals > 0);
        IntervalLoss {
            running: Counts::default(),
            waiting: Counts::default(),
            waiting_intervals: 0,
            window: VecDeque::with_capacity(intervals),
            intervals,
            least: i64::from(least).max(1),
            loss: 0.0,
            raw_loss: 0.0,
        }
    }

    /// What the interval that runs has counted.
    pub fn running(&mut self) -> &mut Counts {
        &mut self.running
    }

    /// The interval is over: what it has counted. If too few packets were expected the loss stays as it is, and the
    /// interval is judged together with the next; none of its packets are forgotten. One in which none was expected is
    /// no measurement.
    pub fn end_interval(&mut self) -> Counts {
        let ended = core::mem::take(&mut self.running);
        if ended != Counts::default() {
            self.waiting = self.waiting.plus(ended);
            self.waiting_intervals += 1;
        }
        if self.waiting.expected >= self.least {
            let judged = core::mem::take(&mut self.waiting);
            let raw_lost = judged.lost.saturating_add(judged.lost_by_link);
            let shares = Shares { loss: judged.share(judged.answered()), raw_loss: judged.share(raw_lost) };
            for _ in 0..core::mem::take(&mut self.waiting_intervals).min(self.intervals) {
                if self.window.len() == self.intervals {
                    self.window.pop_front();
                }
                self.window.push_back(shares);
            }
            let mean =
                |of: fn(&Shares) -> f64| (self.window.iter().map(of).sum::<f64>() / self.window.len() as f64).max(0.0);
            (self.loss, self.raw_loss) = (mean(|shares| shares.loss), mean(|shares| shares.raw_loss));
        }
        ended
    }

    /// Intervals up to now are answered: what comes after is measured without them.
    pub fn forget(&mut self) {
        (self.waiting, self.waiting_intervals) = (Counts::default(), 0);
        self.window.clear();
    }

    /// l: share of packets lost over the window, errors of links not counted.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Share of packets lost over the window for whatever reason.
    pub fn raw_loss(&self) -> f64 {
        self.raw_loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interval in which so many packets come and so many are lost.
    fn interval(loss: &mut IntervalLoss, came: u64, missing: u64) -> Counts {
        (1..came).for_each(|_| loss.running().came(0, 0));
        loss.running().came(missing, 0);
        loss.end_interval()
    }

    fn lost(expected: i64, lost: i64) -> Counts {
        Counts { expected, lost, ..Counts::default() }
    }

    #[test]
    fn loss_is_that_of_the_last_intervals() {
        let mut loss = IntervalLoss::new(3, 10);
        assert_eq!(loss.loss(), 0.0);
        assert_eq!(interval(&mut loss, 90, 10), lost(100, 10));
        assert!((loss.loss() - 0.1).abs() < 1e-12);
        interval(&mut loss, 200, 0);
        assert!((loss.loss() - 0.1 / 2.0).abs() < 1e-12);
        interval(&mut loss, 100, 0);
        assert!((loss.loss() - 0.1 / 3.0).abs() < 1e-12);
        interval(&mut loss, 100, 0);
        assert_eq!(loss.loss(), 0.0, "the first is forgotten");
        // A window of one: the last interval alone.
        let mut loss = IntervalLoss::new(1, 10);
        interval(&mut loss, 90, 10);
        interval(&mut loss, 60, 0);
        assert_eq!(loss.loss(), 0.0);
    }

    #[test]
    fn before_anything_was_expected_nothing_is_lost() {
        assert_eq!(Counts::default().share(0), 0.0, "of none");
        for least in [0, 10] {
            let mut loss = IntervalLoss::new(3, least);
            assert_eq!((loss.loss(), loss.raw_loss()), (0.0, 0.0));
            assert_eq!(loss.end_interval(), Counts::default());
            assert_eq!((loss.loss(), loss.raw_loss()), (0.0, 0.0));
        }
    }

    #[test]
    fn intervals_with_few_packets_are_judged_with_the_next() {
        let mut loss = IntervalLoss::new(8, 10);
        interval(&mut loss, 20, 0);
        assert_eq!((interval(&mut loss, 5, 4), loss.loss()), (lost(9, 4), 0.0));
        // None at all.
        assert_eq!((loss.end_interval(), loss.loss()), (Counts::default(), 0.0));
        interval(&mut loss, 1, 0);
        // Ten were expected in two intervals, and of the one with none nobody asks: 0, 0.4, 0.4.
        assert!((loss.loss() - 0.8 / 3.0).abs() < 1e-12, "{}", loss.loss());
        assert_eq!(interval(&mut loss, 10, 0), lost(10, 0));
        assert!((loss.loss() - 0.8 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_with_very_many_packets_weighs_no_more_than_another() {
        // Nine of ten are lost at 2 Mbit/s, then nothing at 4 kbit/s: five packets in an interval, two of which are
        // judged together.
        let mut loss = IntervalLoss::new(8, 10);
        interval(&mut loss, 240, 2160);
        let mut seen = Vec::new();
        for _ in 0..8 {
            interval(&mut loss, 5, 0);
            seen.push((loss.loss() * 1000.0).round());
        }
        assert_eq!(seen, [900.0, 300.0, 300.0, 180.0, 180.0, 129.0, 129.0, 0.0]);
    }

    #[test]
    fn errors_of_links_count_as_received() {
        let mut loss = IntervalLoss::new(1, 1);
        loss.running().came(5, 2);
        loss.running().came(4, 4);
        loss.running().came_late(true);
        loss.running().came_late(false);
        assert_eq!(loss.end_interval(), Counts { expected: 11, lost: 2, lost_by_link: 5, marked: 0 });
        assert!((loss.loss() - 2.0 / 11.0).abs() < 1e-12 && (loss.raw_loss() - 7.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn a_packet_that_comes_in_the_next_interval_takes_its_loss_back() {
        let mut loss = IntervalLoss::new(1, 1);
        interval(&mut loss, 10, 1);
        assert!((loss.loss() - 1.0 / 11.0).abs() < 1e-12);
        loss.running().came_late(false);
        loss.running().came(0, 0);
        assert_eq!((loss.end_interval().lost, loss.loss()), (-1, 0.0), "not below none");
        let mut loss = IntervalLoss::new(2, 1);
        interval(&mut loss, 10, 1);
        loss.running().came_late(false);
        loss.running().came(0, 0);
        loss.end_interval();
        assert_eq!(loss.loss(), 0.0);
    }

    #[test]
    fn what_is_forgotten_is_not_judged_with_the_next() {
        let mut loss = IntervalLoss::new(8, 10);
        interval(&mut loss, 10, 10);
        interval(&mut loss, 5, 4);
        loss.forget();
        interval(&mut loss, 15, 5);
        assert!((loss.loss() - 0.25).abs() < 1e-12, "{}", loss.loss());
        interval(&mut loss, 20, 0);
        assert!((loss.loss() - 0.125).abs() < 1e-12, "{}", loss.loss());
    }

    #[test]
    fn counts_are_shares_by_themselves() {
        let share = |expected, lost, lost_by_link| {
            let counts = Counts { expected, lost, lost_by_link, marked: 0 };
            (counts.loss(), counts.raw_loss())
        };
        assert_eq!((share(10, 2, 5), share(10, -3, 1), share(0, 0, 0)), ((0.2, 0.7), (0.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn counts_beyond_all_numbers_stay_shares() {
        let mut loss = IntervalLoss::new(2, 1);
        loss.running().came(u64::MAX, 0);
        loss.running().came(u64::MAX, u64::MAX);
        loss.end_interval();
        interval(&mut loss, 1, u64::MAX);
        assert!((0.0..=1.0).contains(&loss.loss()) && (0.0..=1.0).contains(&loss.raw_loss()));
    }

    #[test]
    fn marks_are_answered_as_losses_and_reported_as_none() {
        let mut loss = IntervalLoss::new(2, 5);
        for _ in 0..8 {
            loss.running().came(0, 0);
        }
        loss.running().came(1, 0);
        loss.running().marked += 2;
        let running = *loss.running();
        assert!((running.loss() - 0.3).abs() < 1e-12 && (running.raw_loss() - 0.1).abs() < 1e-12);
        let ended = loss.end_interval();
        assert_eq!(ended, Counts { expected: 10, lost: 1, lost_by_link: 0, marked: 2 });
        assert!((loss.loss() - 0.3).abs() < 1e-12 && (loss.raw_loss() - 0.1).abs() < 1e-12);
        // Intervals that are judged together have the marks of both.
        (0..3).for_each(|_| loss.running().came(0, 0));
        loss.running().marked += 1;
        loss.end_interval();
        (0..3).for_each(|_| loss.running().came(0, 0));
        loss.running().marked += 2;
        loss.end_interval();
        assert!((loss.loss() - 0.5).abs() < 1e-12, "{}", loss.loss());
    }
}
