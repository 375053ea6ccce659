//! Loss over the layers that a receiver holds: what was expected and what was lost in each interval.
//!
//! Errors of links, if somebody tells them from congestion, are counted apart.

use std::collections::VecDeque;

/// Packets expected and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that came and those that are missing.
    pub expected: i64,
    /// Missing, and not by errors of a link as far as is known.
    pub lost: i64,
    /// Missing by errors of a link.
    pub lost_by_link: i64,
}

/// Counts of the interval that runs and of those before.
#[derive(Clone, Debug)]
pub struct IntervalLoss {
    /// Since the last report of the source that ended an interval.
    running: Counts,
    /// Intervals with too few packets to judge by: they wait for the next.
    waiting: Counts,
    /// The intervals of the window, the oldest first.
    window: VecDeque<Counts>,
    /// How many intervals there are in the window.
    intervals: usize,
    /// How many packets must have been expected for a loss to be judged.
    least: i64,
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

    /// Share of packets lost that the rate answers: errors of links count as received.
    pub fn loss(&self) -> f64 {
        self.share(self.lost)
    }

    /// Share of packets lost for whatever reason.
    pub fn raw_loss(&self) -> f64 {
        self.share(self.lost.saturating_add(self.lost_by_link))
    }

    fn share(&self, lost: i64) -> f64 {
        // What was lost in the interval before may have come in this.
        if self.expected > 0 { (lost.max(0) as f64 / self.expected as f64).min(1.0) } else { 0.0 }
    }

    fn plus(self, other: Counts) -> Counts {
        Counts {
            expected: self.expected.saturating_add(other.expected),
            lost: self.lost.saturating_add(other.lost),
            lost_by_link: self.lost_by_link.saturating_add(other.lost_by_link),
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
    /// interval is judged together with the next; none of its packets are forgotten.
    pub fn end_interval(&mut self) -> Counts {
        let ended = core::mem::take(&mut self.running);
        self.waiting = self.waiting.plus(ended);
        if self.waiting.expected >= self.least {
            if self.window.len() == self.intervals {
                self.window.pop_front();
            }
            self.window.push_back(core::mem::take(&mut self.waiting));
            let sum = self.window.iter().fold(Counts::default(), |sum, &counts| sum.plus(counts));
            (self.loss, self.raw_loss) = (sum.loss(), sum.raw_loss());
        }
        ended
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
        Counts { expected, lost, lost_by_link: 0 }
    }

    #[test]
    fn loss_is_that_of_the_last_intervals() {
        let mut loss = IntervalLoss::new(3, 10);
        assert_eq!(loss.loss(), 0.0);
        assert_eq!(interval(&mut loss, 90, 10), lost(100, 10));
        assert!((loss.loss() - 0.1).abs() < 1e-12);
        interval(&mut loss, 200, 0);
        assert!((loss.loss() - 10.0 / 300.0).abs() < 1e-12);
        interval(&mut loss, 100, 0);
        assert!((loss.loss() - 10.0 / 400.0).abs() < 1e-12);
        interval(&mut loss, 100, 0);
        assert_eq!(loss.loss(), 0.0, "the first is forgotten");
        // A window of one: the last interval alone.
        let mut loss = IntervalLoss::new(1, 10);
        interval(&mut loss, 90, 10);
        interval(&mut loss, 60, 0);
        assert_eq!(loss.loss(), 0.0);
    }

    #[test]
    fn intervals_with_few_packets_are_judged_with_the_next() {
        let mut loss = IntervalLoss::new(8, 10);
        interval(&mut loss, 20, 0);
        assert_eq!((interval(&mut loss, 5, 4), loss.loss()), (lost(9, 4), 0.0));
        // None at all.
        assert_eq!((loss.end_interval(), loss.loss()), (Counts::default(), 0.0));
        interval(&mut loss, 1, 0);
        assert!((loss.loss() - 4.0 / 30.0).abs() < 1e-12, "ten were expected in all: {}", loss.loss());
        assert_eq!(interval(&mut loss, 10, 0), lost(10, 0));
        assert!((loss.loss() - 4.0 / 40.0).abs() < 1e-12);
    }

    #[test]
    fn errors_of_links_count_as_received() {
        let mut loss = IntervalLoss::new(1, 1);
        loss.running().came(5, 2);
        loss.running().came(4, 4);
        loss.running().came_late(true);
        loss.running().came_late(false);
        assert_eq!(loss.end_interval(), Counts { expected: 11, lost: 2, lost_by_link: 5 });
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
    fn counts_beyond_all_numbers_stay_shares() {
        let mut loss = IntervalLoss::new(2, 1);
        loss.running().came(u64::MAX, 0);
        loss.running().came(u64::MAX, u64::MAX);
        loss.end_interval();
        interval(&mut loss, 1, u64::MAX);
        assert!((0.0..=1.0).contains(&loss.loss()) && (0.0..=1.0).contains(&loss.raw_loss()));
    }
}
