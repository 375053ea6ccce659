//! A host's clock: never backwards, with time in which the machine slept, and the moments at which packets came.
//!
//! [`HostClock`] reads the system's clocks; what becomes of the readings is [`Timekeeper`]'s, which reads nothing.

use faircast_proto::time::{Duration, Instant};
use nix::time::{ClockId, clock_gettime};

/// What a driver takes time from.
pub trait Clock {
    /// The present moment; never before what was said last.
    fn now(&mut self) -> Instant;

    /// When a packet came, of which the kernel says that its wall clock showed `stamp` (time since 1970). Not after the
    /// moment that [`now`](Self::now) said last. Without a stamp it is that moment.
    fn arrival(&mut self, stamp: Option<Duration>) -> Instant;
}

/// The clock of this machine.
///
/// It goes on while the machine sleeps (`CLOCK_BOOTTIME`), since the network does: to an endpoint a suspend is an
/// outage. Steps of the wall clock change nothing but how kernel stamps are read, which are of that clock.
#[derive(Debug)]
pub struct HostClock(Timekeeper);

/// Makes one clock of three.
#[derive(Debug)]
pub struct Timekeeper {
    /// What this clock showed when `CLOCK_BOOTTIME` showed 0; wraps.
    zero: u64,
    now: Instant,
    /// How much the wall clock is ahead of this one, ns; wraps.
    ahead: u64,
    /// The same before its last step, and until when packets may have stamps from before it.
    before_step: Option<(u64, Instant)>,
    /// Time in which the machine slept before the last reading.
    asleep: Duration,
    suspends: u64,
    steps: u64,
    implausible: u64,
}

/// What the system's clocks show at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// `CLOCK_BOOTTIME`: goes on in a suspend.
    pub boot: Duration,
    /// `CLOCK_MONOTONIC`: stands still in a suspend.
    pub monotonic: Duration,
    /// `CLOCK_REALTIME`: by which the kernel stamps packets. May be set.
    pub wall: Duration,
}

/// What changes the wall clock by less than this between two readings is no step: clocks are slewed by half a
/// thousandth (adjtimex(2)), and readings are not taken all at once. A choice.
const STEP: Duration = Duration::from_millis(1);
/// A machine has slept when its two clocks differ by so much more than before: they are read one after the other. A
/// choice.
const SLEPT: Duration = Duration::from_millis(10);
/// How long a packet may have waited in a socket. A choice; buffers hold less even at low rates.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl HostClock {
    /// A clock that shows `start` now. Each host should have another: nothing may depend on it.
    pub fn new(start: Instant) -> HostClock {
        HostClock(Timekeeper::new(start, read()))
    }

    /// What it has met with.
    pub fn keeper(&self) -> &Timekeeper {
        &self.0
    }
}

impl Clock for HostClock {
    fn now(&mut self) -> Instant {
        self.0.update(read())
    }

    fn arrival(&mut self, stamp: Option<Duration>) -> Instant {
        self.0.arrival(stamp)
    }
}

/// All three clocks. They are there on every Linux that this runs on; one that is missing stands still.
fn read() -> Reading {
    let of = |clock| clock_gettime(clock).map_or(Duration::ZERO, |time| since_zero(time.tv_sec(), time.tv_nsec()));
    let wall = of(ClockId::CLOCK_REALTIME);
    let monotonic = of(ClockId::CLOCK_MONOTONIC);
    Reading { boot: of(ClockId::CLOCK_BOOTTIME), monotonic, wall }
}

/// Seconds and nanoseconds as a length of time; what is negative is 0.
pub(crate) fn since_zero(seconds: i64, nanos: i64) -> Duration {
    let of = |part: i64| u64::try_from(part).unwrap_or(0);
    Duration::from_secs(of(seconds)) + Duration(of(nanos))
}

impl Timekeeper {
    /// A clock that shows `start` at this reading.
    pub fn new(start: Instant, reading: Reading) -> Timekeeper {
        Timekeeper {
            zero: start.0.wrapping_sub(reading.boot.0),
            now: start,
            ahead: reading.wall.0.wrapping_sub(start.0),
            before_step: None,
            asleep: asleep(&reading),
            suspends: 0,
            steps: 0,
            implausible: 0,
        }
    }

    /// What it shows at this reading.
    pub fn update(&mut self, reading: Reading) -> Instant {
        self.now = self.now.max(Instant(self.zero.wrapping_add(reading.boot.0)));
        if asleep(&reading).0.saturating_sub(self.asleep.0) > SLEPT.0 {
            self.suspends += 1;
        }
        self.asleep = self.asleep.max(asleep(&reading));
        let ahead = reading.wall.0.wrapping_sub(self.now.0);
        if ahead.wrapping_sub(self.ahead).cast_signed().unsigned_abs() > STEP.0 {
            self.steps += 1;
            self.before_step = Some((self.ahead, self.now + LONGEST_WAIT));
        } else if self.before_step.is_some_and(|(_, until)| until < self.now) {
            self.before_step = None;
        }
        self.ahead = ahead;
        self.now
    }

    /// When a packet with this stamp came.
    ///
    /// After a step of the wall clock the stamp may be from before it or after. Read in the wrong way it is after now,
    /// or before the true moment, which the other reading gives: so the later of those that are possible is right. Only
    /// where a clock is set back by less than the packet has waited is it taken for as much too new.
    pub fn arrival(&mut self, stamp: Option<Duration>) -> Instant {
        let Some(stamp) = stamp else { return self.now };
        let of = |ahead: u64| Instant(stamp.0.wrapping_sub(ahead));
        let readings = [Some(of(self.ahead)), self.before_step.map(|(ahead, _)| of(ahead))];
        let is_possible = |at: &Instant| *at <= self.now && self.now.since(*at) <= LONGEST_WAIT;
        let latest = readings.into_iter().flatten().filter(is_possible).max();
        // Readings are a little apart, so a packet that comes in between may seem to be of the future.
        let is_new = of(self.ahead).since(self.now) < STEP && of(self.ahead) > self.now;
        latest.unwrap_or_else(|| {
            self.implausible += u64::from(!is_new);
            self.now
        })
    }

    /// How often the machine has slept.
    pub fn suspends(&self) -> u64 {
        self.suspends
    }

    /// How often the wall clock was set.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Stamps that could not be true; these packets came when they were read.
    pub fn implausible(&self) -> u64 {
        self.implausible
    }
}

/// Time in which the machine has slept since it was switched on.
fn asleep(reading: &Reading) -> Duration {
    Duration(reading.boot.0.saturating_sub(reading.monotonic.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant(7_000_000_000);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// After so long awake and asleep; the wall clock shows 1000 s more, and what it was set by.
    fn reading(awake_ms: u64, asleep_ms: u64, set_ms: i64) -> Reading {
        let boot = ms(50_000 + awake_ms + asleep_ms);
        let wall = Duration((boot.0 + ms(1_000_000).0).wrapping_add_signed(set_ms * 1_000_000));
        Reading { boot, monotonic: ms(50_000 + awake_ms), wall }
    }

    fn keeper() -> Timekeeper {
        Timekeeper::new(START, reading(0, 0, 0))
    }

    #[test]
    fn it_shows_what_has_passed_and_never_runs_backwards() {
        let mut keeper = keeper();
        assert_eq!(keeper.update(reading(5, 0, 0)), START + ms(5));
        assert_eq!(keeper.update(reading(3, 0, 0)), START + ms(5));
        assert_eq!(keeper.update(reading(6, 0, 0)), START + ms(6));
        assert_eq!(keeper.suspends(), 0);
    }

    #[test]
    fn it_goes_on_while_the_machine_sleeps() {
        let mut keeper = keeper();
        assert_eq!(keeper.update(reading(10, 90_000, 0)), START + ms(90_010));
        assert_eq!((keeper.suspends(), keeper.steps()), (1, 0));
        keeper.update(reading(20, 90_000, 0));
        assert_eq!(keeper.suspends(), 1);
        // A packet that came just before, and was read after.
        assert_eq!(keeper.arrival(Some(reading(9, 89_998, 0).wall)), START + ms(90_007));
    }

    #[test]
    fn stamps_are_moments_of_this_clock() {
        let mut keeper = keeper();
        keeper.update(reading(100, 0, 0));
        assert_eq!(keeper.arrival(Some(reading(40, 0, 0).wall)), START + ms(40));
        assert_eq!(keeper.arrival(None), START + ms(100));
        assert_eq!(keeper.implausible(), 0);
        // Of the future, and too old to be true.
        keeper.update(reading(20_000, 0, 0));
        assert_eq!(keeper.arrival(Some(reading(20_002, 0, 0).wall)), START + ms(20_000));
        assert_eq!(keeper.arrival(Some(reading(9_999, 0, 0).wall)), START + ms(20_000));
        assert_eq!(keeper.implausible(), 2);
        assert_eq!(keeper.arrival(Some(reading(10_000, 0, 0).wall)), START + ms(10_000));
    }

    #[test]
    fn a_wall_clock_that_is_set_changes_no_arrival() {
        for set_ms in [-3_600_000, -500, -20, 20, 500, 3_600_000] {
            let mut keeper = keeper();
            keeper.update(reading(100, 0, 0));
            let before = reading(105, 0, 0).wall;
            let after = reading(110, 0, set_ms).wall;
            keeper.update(reading(115, 0, set_ms));
            assert_eq!(keeper.steps(), 1);
            assert_eq!(keeper.arrival(Some(before)), START + ms(105), "set by {set_ms} ms, before");
            assert_eq!(keeper.arrival(Some(after)), START + ms(110), "set by {set_ms} ms, after");
            assert_eq!(keeper.implausible(), 0);
            // Later nobody remembers how it was.
            keeper.update(reading(30_000, 0, set_ms));
            assert_eq!(keeper.before_step, None);
        }
    }

    #[test]
    fn the_clock_of_this_machine_goes_forward() {
        let mut clock = HostClock::new(START);
        let first = clock.now();
        assert!(first >= START && clock.now() >= first);
        assert_eq!(clock.arrival(None), clock.0.now);
    }
}
