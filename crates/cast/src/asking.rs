//! When a receiver says something to the sender beside its reports.

use std::time::Duration;

/// How often it says how much is still to come, without a need.
const SAYS: Duration = Duration::from_secs(5);
/// How often, and with which gap, it says that it has everything: nobody answers.
const FAREWELLS: u32 = 5;
const FAREWELL_GAP: Duration = Duration::from_millis(300);

/// Turns of a receiver.
pub struct Asking {
    /// When the next one is.
    pub next: Duration,
    turn: u32,
    farewells: u32,
    random: u64,
}

impl Asking {
    /// The first turn is now. The id makes turns of receivers differ.
    pub fn new(now: Duration, id: u64) -> Asking {
        Asking { next: now, turn: 0, farewells: 0, random: id }
    }

    /// Whether it has said often enough that it has everything.
    pub fn has_said_farewell(&self) -> bool {
        self.farewells == FAREWELLS
    }

    /// Whether something is said in this turn, of which there is one in a `period`: always if there is a need, or
    /// all is there, and otherwise at times.
    pub fn says(&self, is_complete: bool, wants: bool, period: Duration) -> bool {
        let every = SAYS.div_duration_f64(period).max(2.0) as u32;
        is_complete || wants || self.turn % every == 1
    }

    /// A turn begins.
    pub fn turns(&mut self) {
        self.turn += 1;
    }

    /// A session has begun, in which nothing has been said yet: it is the first turn again.
    pub fn begins(&mut self) {
        self.turn = 1;
    }

    /// The turn is over; the next one is after about a `period`.
    pub fn waits(&mut self, now: Duration, is_complete: bool, period: Duration) {
        // A session that began meanwhile has not been told yet.
        self.farewells = if is_complete { self.farewells + 1 } else { 0 };
        // A half to one and a half of the period, so that many do not ask at once.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let part = 0.5 + (self.random >> 40) as f64 / (1u64 << 24) as f64;
        self.next = now + if is_complete { FAREWELL_GAP } else { period.mul_f64(part) };
    }
}
