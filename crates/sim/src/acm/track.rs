//! Something that has a value from a moment on, until the next.

use faircast_proto::time::{Duration, Instant};

/// A value over time, in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T = f64> {
    /// In the order of time; the first is at the start.
    steps: Vec<(Instant, T)>,
}

impl<T: Copy + PartialEq> Track<T> {
    /// It never changes.
    pub fn level(value: T) -> Track<T> {
        Track { steps: vec![(Instant::ZERO, value)] }
    }

    /// It has another value from a moment on, no earlier than those before it.
    pub fn set(&mut self, at: Instant, value: T) {
        debug_assert!(self.steps.last().is_some_and(|&(last, _)| last <= at), "time goes on");
        if let Some(last) = self.steps.last_mut().filter(|last| last.0 == at) {
            last.1 = value;
        } else if self.last() != value {
            self.steps.push((at, value));
        }
    }

    /// Its value at a moment.
    pub fn at(&self, now: Instant) -> T {
        self.steps[self.step(now)].1
    }

    /// Its value at a moment, looked for from the step `hint` on, which becomes that of the moment.
    #[inline]
    pub fn follow(&self, now: Instant, hint: &mut usize) -> T {
        while self.steps.get(*hint + 1).is_some_and(|&(at, _)| at <= now) {
            *hint += 1;
        }
        self.steps[*hint].1
    }

    /// When it changes next after a moment.
    pub fn next_after(&self, now: Instant) -> Option<Instant> {
        self.steps.get(self.step(now) + 1).map(|&(at, _)| at)
    }

    /// Whether it has not changed in the time `over` before a moment.
    pub fn is_level(&self, now: Instant, over: Duration) -> bool {
        self.steps[self.step(now)].0 + over <= now || self.step(now) == 0
    }

    /// When it has which value, from when on.
    pub fn steps(&self) -> &[(Instant, T)] {
        &self.steps
    }

    /// What becomes of each value.
    pub fn map<U: Copy + PartialEq>(&self, of: impl Fn(T) -> U) -> Track<U> {
        let mut mapped = Track::level(of(self.steps[0].1));
        self.steps.iter().skip(1).for_each(|&(at, value)| mapped.set(at, of(value)));
        mapped
    }

    /// What becomes of its values together with those of another.
    pub fn with<U: Copy + PartialEq, V: Copy + PartialEq>(&self, other: &Track<U>, of: impl Fn(T, U) -> V) -> Track<V> {
        let mut times: Vec<Instant> = self.steps.iter().map(|step| step.0).collect();
        times.extend(other.steps.iter().map(|step| step.0));
        times.sort_unstable();
        let mut both = Track::level(of(self.steps[0].1, other.steps[0].1));
        let (mut here, mut there) = (0, 0);
        for at in times {
            both.set(at, of(self.follow(at, &mut here), other.follow(at, &mut there)));
        }
        both
    }

    fn last(&self) -> T {
        self.steps[self.steps.len() - 1].1
    }

    fn step(&self, now: Instant) -> usize {
        self.steps.partition_point(|&(at, _)| at <= now).saturating_sub(1)
    }
}

impl Track {
    /// Its mean over the time `over` before a moment, as far as there is any; its value then if `over` is zero.
    pub fn mean(&self, now: Instant, over: Duration) -> f64 {
        let from = Instant(now.0.saturating_sub(over.0));
        if from == now || self.step(from) == self.step(now) {
            return self.at(now);
        }
        let steps = &self.steps[self.step(from)..=self.step(now)];
        let ends = steps.iter().skip(1).map(|step| step.0).chain([now]);
        let parts = steps.iter().zip(ends).map(|(&(at, value), end)| value * end.since(at.max(from)).as_secs_f64());
        parts.sum::<f64>() / now.since(from).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_what_there_was() {
        let mut track = Track::level(10.0);
        track.set(Instant(100), 4.0);
        track.set(Instant(300), 1.0);
        let mean = |now, over| track.mean(Instant(now), Duration(over));
        assert_eq!([mean(100, 0), mean(99, 0), mean(150, 100), mean(400, 100)], [4.0, 10.0, 7.0, 1.0]);
        // (50 · 10 + 200 · 4 + 50 · 1) / 300; and less time than asked for: (100 · 10 + 20 · 4) / 120.
        assert!((mean(350, 300) - 4.5).abs() < 1e-12 && (mean(120, 1000) - 9.0).abs() < 1e-12);
        assert!(track.is_level(Instant(250), Duration(150)) && !track.is_level(Instant(249), Duration(150)));
        assert_eq!(track.next_after(Instant(100)), Some(Instant(300)));
        assert_eq!(track.next_after(Instant(300)), None);
        // What is said of the start stands in the place of what was there.
        let mut track = Track::level(1.0);
        track.set(Instant::ZERO, 2.0);
        assert_eq!(track.steps(), [(Instant::ZERO, 2.0)]);
    }

    #[test]
    fn tracks_go_together() {
        let (mut one, mut other) = (Track::level(1), Track::level(10));
        one.set(Instant(5), 2);
        other.set(Instant(5), 20);
        other.set(Instant(9), 30);
        one.set(Instant(9), 2);
        let both = one.with(&other, |a, b| a + b);
        assert_eq!(both.steps(), [(Instant(0), 11), (Instant(5), 22), (Instant(9), 32)]);
        let mut hint = 0;
        assert_eq!([0, 4, 5, 8, 9, 99].map(|at| both.follow(Instant(at), &mut hint)), [11, 11, 22, 22, 32, 32]);
        assert_eq!(both.map(|value| value > 20).steps(), [(Instant(0), false), (Instant(5), true)]);
    }
}
