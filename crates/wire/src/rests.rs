//! How long a program rests at least between turns of a driver, so that packets go in batches: what they cost a host is
//! for the most part what each call costs, and that whoever waits for them is woken.
//!
//! ```text
//!   packets in 250 µs        below 2             2 and more
//!   the shortest rest        250 µs              as long as 60 kB take, 250 µs to 1 ms
//! ```

use faircast_proto::time::{Duration, Instant};

/// Waits of less than this are rounded up to it, so that at high rates several packets go at once: a choice, of the
/// order of what a kernel rounds by on its own (50 µs, prctl(2) on timer slack), and far below a round-trip time. With
/// twice as much pgmcc, whose packets at 20 Mbit/s are 400 µs apart, got half as much again of what it shares with TCP.
pub const SHORTEST: Duration = Duration::from_micros(250);
/// The longest that waits are rounded up to. Linux hands a paced TCP's segments over by as much at a time at most
/// (`sk_pacing_shift`, 1/1024 s), and the round-trip times of TFMCC are not below it.
pub const LONGEST: Duration = Duration::from_millis(1);
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
}

impl Rests {
    /// Nothing has been sent. Rests stay short unless the endpoint sends `by_rate`: where a window waits for answers a
    /// longer rest would be a longer round-trip time.
    pub(crate) fn new(by_rate: bool) -> Rests {
        Rests { since: Instant::ZERO, packets: 0, bytes: 0, least: SHORTEST, by_rate }
    }

    /// So many packets with so many bytes have been sent.
    pub(crate) fn sent(&mut self, packets: u64, bytes: u64) {
        self.packets += packets;
        self.bytes += bytes;
    }

    /// A turn is over.
    pub(crate) fn look(&mut self, now: Instant) {
        let past = now.since(self.since);
        if past < LOOK {
            return;
        }
        let is_many = self.by_rate && self.packets * SHORTEST.0 >= FEW * past.0;
        let full = AT_ONCE_BYTES.saturating_mul(past.0).checked_div(self.bytes).unwrap_or(0);
        self.least = if is_many { Duration(full.clamp(SHORTEST.0, LONGEST.0)) } else { SHORTEST };
        (self.since, self.packets, self.bytes) = (now, 0, 0);
    }

    /// How long to rest whatever comes: where packets go in batches, and the next is due before it is full.
    pub fn fixed(&self, due: Option<Instant>, now: Instant) -> Option<Duration> {
        let due = due.filter(|due| *due > now && due.since(now) < self.least && self.least > SHORTEST);
        due.map(|_| self.least)
    }

    /// Until when to wait, if something is due then: a rest from now, or longer; not at all if it is due already.
    pub fn until(&self, due: Instant, now: Instant) -> Duration {
        until(due, now, self.least)
    }
}

/// Until when to wait where a packet goes now and then.
pub fn shortest(due: Instant, now: Instant) -> Duration {
    until(due, now, SHORTEST)
}

fn until(due: Instant, now: Instant, least: Duration) -> Duration {
    if due <= now { Duration::ZERO } else { due.since(now).max(least) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_are_rounded_up() {
        let rests = Rests::new(true);
        let wait = |due| rests.until(Instant(due), Instant(5_000_000)).0;
        let waits = [0, 5_000_000, 5_000_001, 5_250_000, 5_250_001, 7_000_000].map(wait);
        assert_eq!(waits, [0, 0, 250_000, 250_000, 250_001, 2_000_000]);
    }

    /// The shortest rest in µs when a packet of so many bytes goes each so many ns.
    fn at(bytes: u64, gap_ns: u64) -> u64 {
        let (mut rests, mut now) = (Rests::new(true), Instant(1 << 40));
        rests.look(now);
        for _ in 0..50_000_000 / gap_ns {
            now += Duration(gap_ns);
            rests.sent(1, bytes);
            rests.look(now);
        }
        rests.until(now + Duration(1), now).0 / 1000
    }

    #[test]
    fn they_are_longer_where_many_packets_go_in_one() {
        // 10 Mbit/s, and just below 82: each packet by itself, or with one other.
        assert_eq!([1_024_000, 126_000].map(|gap| at(1280, gap)), [250; 2]);
        // From there on eight in a millisecond, and no more than 60 kB however fast it is.
        assert_eq!([125_000, 30_000, 21_400].map(|gap| at(1280, gap)), [1000; 3]);
        assert_eq!([16_000, 10_000, 2_000].map(|gap| at(1280, gap)), [750, 468, 250]);
        // Packets of 9000 B go seven at once.
        assert_eq!(at(9000, 100_000), 666);
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
        // A window that is full waits for answers, and what is due is done.
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
