//! Several timers inside one endpoint: a fixed table of optional deadlines, addressed by an enum.

use crate::time::Instant;

/// An endpoint's timers, `N` of them, addressed by an enum whose variants count from 0.
#[derive(Clone, Copy, Debug)]
pub struct TimerTable<const N: usize> {
    deadlines: [Instant; N],
}

impl<const N: usize> TimerTable<N> {
    /// All timers off.
    pub const fn new() -> TimerTable<N> {
        TimerTable { deadlines: [Instant::FAR_FUTURE; N] }
    }

    /// Sets the timer to go off at `at`, replacing an earlier setting.
    pub fn set(&mut self, timer: usize, at: Instant) {
        self.deadlines[timer] = at;
    }

    /// Turns the timer off.
    pub fn stop(&mut self, timer: usize) {
        self.deadlines[timer] = Instant::FAR_FUTURE;
    }

    /// Turns the timer off if it is due, and says whether it was.
    pub fn take_due(&mut self, timer: usize, now: Instant) -> bool {
        let due = self.deadlines[timer] <= now;
        if due {
            self.stop(timer);
        }
        due
    }

    /// Whether the timer is on.
    pub fn is_set(&self, timer: usize) -> bool {
        self.deadlines[timer] != Instant::FAR_FUTURE
    }

    /// The earliest deadline, if any timer is on.
    pub fn deadline(&self) -> Option<Instant> {
        let earliest = self.deadlines.iter().copied().min().unwrap_or(Instant::FAR_FUTURE);
        (earliest != Instant::FAR_FUTURE).then_some(earliest)
    }
}

impl<const N: usize> Default for TimerTable<N> {
    fn default() -> TimerTable<N> {
        TimerTable::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_is_the_earliest_timer() {
        let mut timers = TimerTable::<3>::new();
        assert_eq!(timers.deadline(), None);
        timers.set(1, Instant(50));
        timers.set(2, Instant(20));
        assert_eq!(timers.deadline(), Some(Instant(20)));
        assert!(!timers.take_due(2, Instant(19)));
        assert!(timers.take_due(2, Instant(20)));
        assert!(!timers.take_due(2, Instant(20)));
        assert_eq!(timers.deadline(), Some(Instant(50)));
    }
}
