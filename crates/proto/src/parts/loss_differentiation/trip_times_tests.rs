use super::config::Forgetting;
use super::trip_times::TripTimes;
use super::verdict::Verdict;
use super::{Config, DifferentiationRule, Judgement, LossDifferentiation};
use crate::parts::loss_detection::{ArrivalOrder, LossDetection};
use crate::parts::rtt::stamp_us;
use crate::time::{Duration, Instant};

/// Packets sent each 10 ms by a clock that differs by `clock_us`.
struct Path {
    trips: TripTimes,
    clock_us: u32,
    sent: Instant,
}

impl Path {
    fn new(window: Forgetting, clock_us: u32) -> Path {
        Path { trips: TripTimes::new(window), clock_us, sent: Instant::from_secs_f64(100.0) }
    }

    fn session() -> Path {
        Path::new(Forgetting::Session, 0)
    }

    /// The next packet takes so many milliseconds; what Spike calls losses then.
    fn takes(&mut self, trip_ms: f64) -> Verdict {
        self.sent += Duration::from_millis(10);
        let now = self.sent + Duration::from_secs_f64(0.001 * trip_ms);
        self.trips.took(now, stamp_us(self.sent).wrapping_add(self.clock_us));
        self.trips.spike()
    }

    fn take(&mut self, trips_ms: impl IntoIterator<Item = f64>) -> Vec<Verdict> {
        trips_ms.into_iter().map(|trip_ms| self.takes(trip_ms)).collect()
    }

    fn wait(&mut self, seconds: u64) {
        self.sent += Duration::from_secs(seconds);
    }
}

const LINK: Verdict = Verdict::Link;
const CONGESTION: Verdict = Verdict::Congestion;

/// Trips from 20 to 80 ms: a spike begins above 50 ms, and ends below 40 ms.
const KNOWN: [f64; 6] = [20.0, 80.0, 20.0, 20.0, 20.0, 20.0];

#[test]
fn a_spike_begins_above_a_half_and_ends_below_a_third_whatever_the_clocks_show() {
    for window in [Forgetting::Session, Forgetting::Recent] {
        for clock_us in [0, 5_000_000, u32::MAX - 100_060_000, u32::MAX - 100_100_000, 1 << 31] {
            let mut path = Path::new(window, clock_us);
            path.take(KNOWN);
            for (trip_ms, verdict) in [
                (50.0, LINK),
                (50.001, CONGESTION),
                (40.0, CONGESTION),
                (45.0, CONGESTION),
                (39.999, LINK),
                (49.0, LINK),
                (80.0, CONGESTION),
                (20.0, LINK),
            ] {
                assert_eq!(path.takes(trip_ms), verdict, "{window:?}, {clock_us}: {trip_ms}");
            }
        }
    }
}

#[test]
fn stamps_wrap_within_a_spike() {
    // The sender's stamps wrap 2^32 us after its zero, and the receiver's own time does, too.
    for before_us in [0u64, 30_000, 50_000] {
        let mut path = Path::session();
        path.sent = Instant(((1u64 << 32) - 100_000 - before_us) * 1000);
        path.take(KNOWN);
        assert_eq!(
            path.take([60.0, 45.0, 41.0, 39.0, 51.0, 70.0, 45.0, 30.0]),
            [CONGESTION, CONGESTION, CONGESTION, LINK, CONGESTION, CONGESTION, CONGESTION, LINK]
        );
    }
}

#[test]
fn fewer_than_five_trips_say_nothing() {
    let mut path = Path::session();
    assert_eq!(path.take([80.0, 20.0, 20.0, 20.0]), [CONGESTION; 4]);
    assert_eq!(path.trips.zigzag(9), CONGESTION);
    assert_eq!(path.takes(20.0), LINK);
    assert_eq!(path.trips.zigzag(9), LINK);
}

#[test]
fn ranges_are_of_the_last_five_to_ten_seconds_or_of_the_session() {
    for (window, after) in [(Forgetting::Session, LINK), (Forgetting::Recent, CONGESTION)] {
        // 180 ms once, then 20 to 80: 80 ms is below a third until the 180 ms are forgotten, 1000 packets later.
        let mut path = Path::new(window, 0);
        path.take([180.0]);
        let sawtooth = |count: usize| (0..count).map(|n| 20.0 + 10.0 * (n % 7) as f64);
        path.take(sawtooth(900));
        assert_eq!(path.take([20.0, 80.0]), [LINK, LINK], "{window:?}");
        path.take(sawtooth(200));
        assert_eq!(path.take([20.0, 80.0]), [LINK, after], "{window:?}");
    }
    // Of the half before the present one all is remembered until the present one is full. Its first packet is number
    // 501, which took 39 ms, and five seconds later comes number 1000: 49 ms are below a half of 20 to 80 until then,
    // and above a half of 39 to 49.
    let mut path = Path::new(Forgetting::Recent, 0);
    path.take([20.0; 400]);
    path.take([80.0]);
    path.take([20.0; 99]);
    path.take([39.0]);
    let verdicts = path.take([49.0; 500]);
    assert!(verdicts[..498].iter().all(|&verdict| verdict == LINK));
    assert_eq!(verdicts[498..], [CONGESTION; 2]);
}

#[test]
fn behind_a_silence_of_ten_seconds_nothing_is_known() {
    for (seconds, verdict) in [(3, LINK), (9, LINK), (11, CONGESTION)] {
        let mut path = Path::new(Forgetting::Recent, 0);
        path.take(KNOWN);
        path.wait(seconds);
        // Above the half of 30 to 40, not of 20 to 80.
        assert_eq!(path.take([30.0, 40.0])[1], verdict, "{seconds} s");
    }
}

#[test]
fn a_clock_that_drifts_by_a_part_in_ten_thousand_changes_little() {
    // A queue that fills over two seconds and empties at once, between 20 and 40 ms, for two hours. All losses in its
    // upper half are congestion but for a tenth of it, and none of its lower third.
    for drift in [1e-4, -1e-4] {
        let mut path = Path::new(Forgetting::Recent, 0);
        for n in 0..720_000_u32 {
            let queue = f64::from(n % 200) / 200.0;
            let clock_ms = drift * 10.0 * f64::from(n);
            let verdict = path.takes(20_000.0 + 20.0 + 20.0 * queue + clock_ms);
            if n > 1000 && queue > 0.6 {
                assert_eq!(verdict, CONGESTION, "{drift}: {n}");
            } else if n > 1000 && queue < 0.3 {
                assert_eq!(verdict, LINK, "{drift}: {n}");
            }
        }
    }
    // By the range of the session the queue of a sender whose clock gains is never in a spike again.
    let mut path = Path::session();
    let last = (0..720_000_u32).map(|n| path.takes(20_000.0 + 20.0 * f64::from(n % 200) / 200.0 - 1e-3 * f64::from(n)));
    assert_eq!(last.skip(719_000).filter(|&verdict| verdict == CONGESTION).count(), 0);
}

#[test]
fn a_way_that_becomes_shorter_hides_no_full_queue() {
    // A queue of 0 to 60 ms behind a way of 120 ms, and then, when it is empty, behind one that is shorter by so much.
    let sawtooth = |count: usize| (0..count).map(|n| 10.0 * (n % 7) as f64);
    for shorter_ms in [10.0, 30.0, 59.0, 61.0, 70.0, 90.0, 119.0] {
        let mut path = Path::new(Forgetting::Recent, 0);
        path.take(sawtooth(70).map(|queue_ms| 120.0 + queue_ms));
        let verdicts = path.take(sawtooth(70).map(|queue_ms| 120.0 - shorter_ms + queue_ms));
        for (n, verdict) in verdicts.into_iter().enumerate() {
            if n % 7 == 6 {
                assert_eq!(verdict, CONGESTION, "{shorter_ms} ms, {n}");
            }
        }
    }
    // A step of a clock by hours, either way, whatever the window.
    for window in [Forgetting::Session, Forgetting::Recent] {
        for step_us in [2_000_000_000, 3_000_000_000_u32] {
            let mut path = Path::new(window, 0);
            path.take(KNOWN);
            path.clock_us = step_us;
            assert_eq!(path.take(KNOWN)[..4], [CONGESTION; 4]);
            assert_eq!(path.take([51.0, 39.0]), [CONGESTION, LINK], "{window:?}, {step_us}");
        }
    }
}

#[test]
fn a_way_that_becomes_longer_is_congestion_until_its_range_is_known() {
    let mut path = Path::new(Forgetting::Recent, 0);
    path.take((0..1500).map(|n| 20.0 + 10.0 * (n % 7) as f64));
    let verdicts = path.take((0..1500).map(|n| 120.0 + 10.0 * (n % 7) as f64));
    assert!(verdicts[..500].iter().all(|&verdict| verdict == CONGESTION));
    assert_eq!(verdicts[1400 - 7..1400], [LINK, LINK, LINK, LINK, CONGESTION, CONGESTION, CONGESTION]);
}

#[test]
fn zigzag_compares_with_mean_and_deviation() {
    // 100 ms, and then 132 ms: the mean goes up by a thirty-second, 1 ms, and 132 is 31 ms above that, of which a
    // sixteenth is the deviation: 1.9375 ms.
    let known = || {
        let mut path = Path::session();
        path.take([100.0; 10]);
        path.take([132.0]);
        path
    };
    let path = known();
    assert!((1..9).all(|missing| path.trips.zigzag(missing) == CONGESTION));
    // Whatever comes next moves them, too: the mean m = 101 + (t - 101) / 32, and the deviation
    // d = 1.9375 + (|t - m| - 1.9375) / 16. Below m - d for one loss, m - d/2 for two, m for three, and m + d/2 for
    // more: at 31/32 (t - 101) = x that is x < -(1.9375 15/16 - x/16) for one, so x < -1.9375.
    for (missing, limit) in [(1, -1.9375), (2, -15.0 * 1.9375 / 32.0 / (1.0 - 1.0 / 32.0)), (3, 0.0)] {
        for (off, verdict) in [(-0.01, LINK), (0.01, CONGESTION)] {
            let mut path = known();
            path.takes(101.0 + (limit + off) * 32.0 / 31.0);
            assert_eq!(path.trips.zigzag(missing), verdict, "{missing}, {off}");
        }
    }
    // For more than three x < (15/16 1.9375 + x/16) / 2, so x (31/32) < 0.9082.
    let limit = 15.0 * 1.9375 / 32.0 * 32.0 / 31.0;
    for (off, verdict) in [(-0.01, LINK), (0.01, CONGESTION)] {
        let mut path = known();
        path.takes(101.0 + (limit + off) * 32.0 / 31.0);
        assert_eq!([4, 5, 100].map(|missing| path.trips.zigzag(missing)), [verdict; 3], "{off}");
    }
}

/// Packets of one space each 10 ms, of which each takes so long.
fn part(rule: DifferentiationRule) -> (LossDifferentiation, LossDetection) {
    let config = Config { rule, ..Config::default() };
    assert_eq!(config.check(), []);
    (LossDifferentiation::new(&config), LossDetection::NOTHING)
}

fn comes(part: &mut (LossDifferentiation, LossDetection), count: u64, trip_ms: f64) -> Option<Judgement> {
    let sent = Instant(count * 10_000_000);
    let now = sent + Duration::from_secs_f64(0.001 * trip_ms);
    part.0.took(now, stamp_us(sent));
    part.0.arrived(0, count, now, false);
    match part.1.arrive(count, now) {
        ArrivalOrder::Next(Some(gap)) => Some(part.0.judge(0, &gap, now)),
        ArrivalOrder::Late | ArrivalOrder::Old => {
            part.0.late(0, count);
            None
        }
        _ => None,
    }
}

#[test]
fn a_loss_is_judged_by_the_trip_of_the_packet_behind_it() {
    let mut part = part(DifferentiationRule::Spike);
    for count in 1..=20 {
        assert_eq!(comes(&mut part, count, if count == 10 { 80.0 } else { 20.0 }), None);
    }
    assert_eq!(comes(&mut part, 23, 51.0), Some(Judgement { link: 0, congestion: 2 }));
    assert_eq!(comes(&mut part, 25, 39.0), Some(Judgement { link: 1, congestion: 0 }));
    // One that comes late after all, from within a spike, is no loss, and its own trip began one.
    assert_eq!(comes(&mut part, 22, 95.0), None);
    assert_eq!(part.0.confusion().losses(), 2);
    assert_eq!(comes(&mut part, 27, 50.0), Some(Judgement { link: 0, congestion: 1 }));
    assert_eq!(comes(&mut part, 29, 39.0), Some(Judgement { link: 1, congestion: 0 }));
}

#[test]
fn a_gap_that_no_packet_has_ended_is_congestion() {
    for rule in [DifferentiationRule::Spike, DifferentiationRule::Zigzag] {
        let mut part = part(rule);
        for count in 1..=20 {
            comes(&mut part, count, if count == 10 { 80.0 } else { 20.0 });
        }
        let now = Instant(230_000_000);
        let gap = part.1.pass_over(22, now);
        assert_eq!(part.0.judge(0, &gap, now), Judgement { link: 0, congestion: 2 }, "{rule:?}");
        assert_eq!(comes(&mut part, 23, 20.0), None);
        assert_eq!(comes(&mut part, 25, 15.0), Some(Judgement { link: 1, congestion: 0 }), "{rule:?}");
    }
}
