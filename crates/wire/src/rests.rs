//! How long a program rests at least between turns of a driver, so that packets go in batches: what they cost a host is
//! for the most part what each call costs, and that whoever waits for them is woken.
//!
//! ```text
//!   packets in 250 µs      below 2            2 and more
//!   the shortest rest      250 µs             as long as 60 kB take, 250 µs to 750 µs
//!   counted from           the turn's end     its moment, up to which packets went, and less what turns come late by
//! ```
//!
//! No more goes at once than the rate sends in [`AT_ONCE`]; the next batch is due before that, however late the kernel
//! wakes who sends it.

use crate::debt::AT_ONCE;
use faircast_proto::time::{Duration, Instant};

/// Waits of less than this are rounded up to it, so that at high rates several packets go at once: a choice, of the
/// order of what a kernel rounds by on its own (50 µs, prctl(2) on timer slack), and far below a round-trip time. With
/// twice as much pgmcc, whose packets at 20 Mbit/s are 400 µs apart, got half as much again of what it shares with TCP.
pub const SHORTEST: Duration = Duration::from_micros(250);
/// The longest time from a batch to the next, if no turn is late. Linux hands a paced TCP's segments over by 1/1024 s
/// at a time at most (`sk_pacing_shift`), and the round-trip times of TFMCC are not below that.
pub const LONGEST: Duration = AT_ONCE;
/// A source of batches leaves the processor to others for this long at least: what a kernel rounds by on its own.
const PAUSE: Duration = Duration::from_micros(50);
/// From how many packets in [`SHORTEST`] on it is longer: at 1280 B 82 Mbit/s. Below it packets go one by one, and the
/// time of each is its own.
const FEW: u64 = 2;
/// Bytes that go at once, of which a kernel makes segments in one call.
const AT_ONCE_BYTES: u64 = 60_000;
/// Over how long the rate is looked at. A choice.
const LOOK: Duration = Duration::from_millis(10);

/// The rests of one driver, by what it has sent.
#[derive(Debug)]
pub struct Rests {
    since: Instant,
    packets: u64,
    bytes: u64,
    least: Duration,
    /// Whether what is sent waits for no answers.
    by_rate: bool,
    /// The moment of the last turn: what was due by then has gone.
    turn: Instant,
    /// When the next is to come, if nothing brings it sooner.
    planned: Option<Instant>,
    /// How late turns came at most, since `since` and in the time before.
    late: [Duration; 2],
    /// Something is due that a debt holds.
    held: bool,
}

impl Rests {
    /// Nothing has been sent. Rests stay short unless the endpoint sends `by_rate`: where a window waits for answers a
    /// longer rest would be a longer round-trip time.
    pub(crate) fn new(by_rate: bool) -> Rests {
        Rests {
            since: Instant::ZERO,
            packets: 0,
            bytes: 0,
            least: SHORTEST,
            by_rate,
            turn: Instant::ZERO,
            planned: None,
            late: [Duration::ZERO; 2],
            held: false,
        }
    }

    /// Whether something is due that a debt holds.
    pub(crate) fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// So many packets with so many bytes have been sent.
    pub(crate) fn sent(&mut self, packets: u64, bytes: u64) {
        self.packets += packets;
        self.bytes += bytes;
    }

    /// A turn is over that took what was due by `now`.
    pub(crate) fn look(&mut self, now: Instant) {
        self.turn = now;
        if let Some(planned) = self.planned.take() {
            self.late[0] = self.late[0].max(now.since(planned));
        }
        let past = now.since(self.since);
        if past < LOOK {
            return;
        }
        let is_many = self.by_rate && self.packets * SHORTEST.0 >= FEW * past.0;
        self.least = if is_many { self.batch(past) } else { SHORTEST };
        self.late = [Duration::ZERO, self.late[0]];
        (self.since, self.packets, self.bytes) = (now, 0, 0);
    }

    /// From a batch to the next, where in `past` so many packets have gone: if a turn is as late as one was of late, no
    /// more is due than may go at once, which is whole packets.
    fn batch(&self, past: Duration) -> Duration {
        let full = AT_ONCE_BYTES.saturating_mul(past.0).checked_div(self.bytes).unwrap_or(0);
        let gap = past.0 / self.packets.max(1);
        Duration(full.min(LONGEST.0.saturating_sub(self.late().0 + gap)).max(SHORTEST.0))
    }

    /// How late turns came of late.
    fn late(&self) -> Duration {
        self.late[0].max(self.late[1])
    }

    /// How long to rest whatever comes: where packets go in batches, and the next is due before it is full.
    pub fn fixed(&mut self, due: Option<Instant>, now: Instant) -> Option<Duration> {
        let full = self.turn + self.least;
        due.filter(|due| self.least > SHORTEST && *due > self.turn && *due < full)?;
        Some(self.plan(full.since(now).max(PAUSE), now))
    }

    /// Until when to wait, if something is due then: a rest, or longer; not at all if it is due already.
    pub fn until(&mut self, due: Instant, now: Instant) -> Duration {
        let wait = if self.least > SHORTEST && due > self.turn {
            due.max(self.turn + self.least).since(now)
        } else if self.held && due > now {
            // What is owed is not to be late again: a little more than its rate is all that pays for it.
            Duration(due.since(now).0.saturating_sub(self.late().0)).max(PAUSE)
        } else {
            shortest(due, now)
        };
        self.plan(wait, now)
    }

    fn plan(&mut self, wait: Duration, now: Instant) -> Duration {
        self.planned = Some(now + wait);
        wait
    }
}

/// Until when to wait where a packet goes now and then.
pub fn shortest(due: Instant, now: Instant) -> Duration {
    if due <= now { Duration::ZERO } else { due.since(now).max(SHORTEST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_are_rounded_up() {
        let mut rests = Rests::new(true);
        let wait = |due| rests.until(Instant(due), Instant(5_000_000)).0;
        let waits = [0, 5_000_000, 5_000_001, 5_250_000, 5_250_001, 7_000_000].map(wait);
        assert_eq!(waits, [0, 0, 250_000, 250_000, 250_001, 2_000_000]);
    }

    /// Rests of a source of which a packet of so many bytes goes each so many ns, and the moment of its last turn.
    fn after(bytes: u64, gap_ns: u64, late: Duration) -> (Rests, Instant) {
        let (mut rests, mut now) = (Rests::new(true), Instant(1 << 40));
        rests.look(now);
        for _ in 0..50_000_000 / gap_ns {
            now += Duration(gap_ns);
            rests.sent(1, bytes);
            rests.planned = Some(now - late);
            rests.look(now);
        }
        (rests, now)
    }

    /// The shortest rest in µs then.
    fn at(bytes: u64, gap_ns: u64) -> u64 {
        let (mut rests, now) = after(bytes, gap_ns, Duration::ZERO);
        rests.until(now + Duration(1), now).0 / 1000
    }

    #[test]
    fn they_are_longer_where_many_packets_go_in_one() {
        // 10 Mbit/s, and just below 82: each packet by itself, or with one other.
        assert_eq!([1_024_000, 126_000].map(|gap| at(1280, gap)), [250; 2]);
        // From there on as many whole packets as may go at once, and no more than 60 kB however fast it is.
        assert_eq!([125_000, 30_000, 21_400].map(|gap| at(1280, gap)), [625, 720, 728]);
        assert_eq!([15_000, 10_000, 2_000].map(|gap| at(1280, gap)), [703, 468, 250]);
        // Packets of 9000 B go seven at once.
        assert_eq!(at(9000, 100_000), 650);
    }

    #[test]
    fn whoever_is_woken_late_rests_for_less() {
        let rest = |late| {
            let (mut rests, now) = after(1280, 30_000, Duration::from_micros(late));
            rests.until(now + Duration(1), now).0 / 1000
        };
        assert_eq!([0, 100, 300, 470, 5000].map(rest), [720, 620, 420, 250, 250]);
        // What was late is forgotten when it has been looked at twice.
        let (mut rests, mut now) = after(1280, 30_000, Duration::from_micros(300));
        let mut lengths = Vec::new();
        for _ in 0..4 {
            lengths.push(rests.until(now + Duration(1), now).0 / 1000);
            now += LOOK;
            rests.planned = Some(now);
            rests.sent(333, 333 * 1280);
            rests.look(now);
        }
        assert_eq!(lengths, [420, 419, 419, 719]);
    }

    #[test]
    fn a_batch_is_counted_from_the_moment_up_to_which_the_last_went() {
        let (mut rests, turn) = after(1280, 10_000, Duration::ZERO);
        let later = |us| turn + Duration::from_micros(us);
        // What it takes to send a batch is part of the time to the next, in which something is due soon.
        for (now, rest_ns) in [(later(0), 468_750), (later(100), 368_750), (later(400), 68_750), (later(460), 50_000)] {
            assert_eq!(rests.fixed(Some(later(10)), now), Some(Duration(rest_ns)), "at {now}");
        }
        assert_eq!(rests.until(later(10), later(400)), Duration(68_750));
        assert_eq!(rests.until(later(10), later(500)), Duration::ZERO);
        assert_eq!(rests.until(later(900), later(400)), Duration::from_micros(500));
    }

    #[test]
    fn a_source_of_batches_hears_nothing_before_one_is_full() {
        let mut rests = Rests::new(true);
        let (now, later) = (Instant(1 << 40), |ns| Some(Instant((1 << 40) + ns)));
        assert_eq!(rests.fixed(later(1000), now), None, "whoever sends little hears what comes");
        rests.look(now);
        rests.sent(1000, 1_280_000);
        let now = now + LOOK;
        rests.look(now);
        let later = |ns| later(LOOK.0 + ns);
        assert_eq!([1, 1000, 468_749].map(|ns| rests.fixed(later(ns), now)), [Some(Duration(468_750)); 3]);
        // A window that is full waits for answers, and what was due at the turn is done.
        assert_eq!([later(468_750), later(9_000_000), later(0), None].map(|due| rests.fixed(due, now)), [None; 4]);
    }

    #[test]
    fn a_source_with_a_window_rests_shortly() {
        let (mut rests, now) = (Rests::new(false), Instant(1 << 40));
        rests.look(now);
        rests.sent(1000, 1_280_000);
        rests.look(now + LOOK);
        let due = now + LOOK + Duration(1);
        assert_eq!((rests.until(due, now + LOOK), rests.fixed(Some(due), now + LOOK)), (SHORTEST, None));
    }

    #[test]
    fn a_source_that_slows_down_rests_shortly_again() {
        let (mut rests, mut now) = (Rests::new(true), Instant(1 << 40));
        rests.look(now);
        for packets in [1000, 1000, 2, 2] {
            now += LOOK;
            rests.sent(packets, packets * 1280);
            rests.look(now);
        }
        assert_eq!(rests.until(now + Duration(1), now), SHORTEST);
        // What was not looked at for long is no rate either.
        rests.sent(1000, 1_280_000);
        rests.look(now + Duration::from_secs(5));
        assert_eq!(rests.until(now + Duration(1), now), SHORTEST);
    }
}
