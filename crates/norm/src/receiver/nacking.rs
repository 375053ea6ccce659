//! When a receiver asks for what it lacks (section 5.3).

use super::objects::Point;
use super::times::{Times, Wait};
use crate::backoff::random_backoff;
use crate::needs::Needs;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;

/// The cycle of a receiver's requests.
#[derive(Debug, Default)]
pub struct Nacking {
    state: State,
}

#[derive(Debug, Default)]
enum State {
    /// It asks for nothing.
    #[default]
    Idle,
    /// It waits whether others ask for the same.
    Backoff {
        wait: Wait,
        /// What lacked before this point when it began counts for whether it asks.
        limit: Point,
        /// What others have asked for meanwhile.
        heard: Needs,
    },
    /// What has been asked for may be on its way.
    Holdoff(Wait),
}

/// What is to be done when a time of waiting is over.
#[derive(Clone, Debug, PartialEq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// To look what lacks before this point, and whether others have asked for that.
    Look {
        /// The point.
        limit: Point,
        /// What others have asked for.
        heard: Needs,
    },
}

impl Nacking {
    /// A point has been passed at which one may begin to ask; `lacks` says whether there is something to ask for.
    /// Receivers that others do not hear (`is_unicast`) keep silent if they would be late, so that not all speak where
    /// nobody answers.
    pub fn begin(
        &mut self,
        now: Instant,
        limit: Point,
        times: &Times,
        is_unicast: bool,
        random: &mut Random,
        lacks: impl FnOnce() -> bool,
    ) {
        if let State::Holdoff(wait) = self.state
            && wait.until(times) <= now
        {
            self.state = State::Idle;
        }
        if !matches!(self.state, State::Idle) || !lacks() {
            return;
        }
        let backoff = random_backoff(times.backoff, times.group_size, random);
        if is_unicast && times.backoff > 1.0 && backoff > times.backoff - 1.0 {
            return self.hold(now, times);
        }
        self.state = State::Backoff { wait: Wait::of(now, backoff), limit, heard: Needs::default() };
    }

    /// Others ask for this.
    pub fn hear(&mut self, needs: &Needs) {
        if let State::Backoff { heard, .. } = &mut self.state {
            heard.add_some(needs);
        }
    }

    /// Whether it waits, and so what others ask for counts.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Backoff { .. })
    }

    /// What is due by now. It is idle then: who asks, or keeps silent, [holds](Self::hold).
    pub fn pass(&mut self, now: Instant, times: &Times) -> Due {
        match std::mem::take(&mut self.state) {
            State::Backoff { wait, limit, heard } if wait.until(times) <= now => Due::Look { limit, heard },
            other => {
                self.state = other;
                Due::Nothing
            }
        }
    }

    /// It has asked, or others have: it does not for (K + 2) greatest round-trip times.
    pub fn hold(&mut self, now: Instant, times: &Times) {
        self.state = State::Holdoff(Wait::of(now, times.backoff + 2.0));
    }

    /// When something is due.
    pub fn deadline(&self, times: &Times) -> Instant {
        match &self.state {
            State::Backoff { wait, .. } => wait.until(times),
            _ => Instant::FAR_FUTURE,
        }
    }
}
