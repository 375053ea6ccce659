//! A quantity that changes smoothly, as straight pieces.

/// The end of one straight piece and the beginning of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knot {
    /// Nanoseconds since the start of the run.
    pub at: u64,
    /// The delay then, ns.
    pub delay: u64,
}

/// How far a straight piece may be from what it stands for, s.
pub const TOLERANCE: f64 = 1e-6;

/// The least length of a piece, ns, and what lengths are multiples of: in a millisecond no delay of anything in orbit
/// bends by anything that counts.
const STEP: u64 = 1_000_000;

/// `delay`, in seconds over seconds, from `from` to `until`, as knots between which it goes in straight lines, nowhere
/// farther from it than [`TOLERANCE`]. The first knot is at `from` and the last at `until`.
///
/// A chord of a smooth curve is farthest from it near its middle, by h²/8 of the second derivative; so the step follows
/// the error at the middle, and that at the quarters catches a curve that winds about its chord. Between these three
/// places a cubic is at most 1.1 times as far off as at the worst of them, which the test leaves room for.
///
/// Knots are at whole multiples of `STEP` after the first one (but for the last): what a delay is off in its last
/// bits does not move them.
pub fn straight(from: u64, until: u64, delay: impl Fn(f64) -> f64) -> Vec<Knot> {
    const SECOND: f64 = 1e9;
    // Room for the rounding of knots to nanoseconds as well.
    let most = 0.9 * TOLERANCE;
    let knot = |at: u64, delay: f64| Knot { at, delay: (delay * SECOND).round() as u64 };
    let mut start = (from as f64 / SECOND, delay(from as f64 / SECOND));
    let mut knots = vec![knot(from, start.1)];
    let (mut at, mut step) = (from, 1_000_000_000);
    while at < until {
        let end_at = at.saturating_add(step).min(until);
        let end = (end_at as f64 / SECOND, delay(end_at as f64 / SECOND));
        let off = |part: f64| {
            let chord = start.1 + part * (end.1 - start.1);
            (delay(start.0 + part * (end.0 - start.0)) - chord).abs()
        };
        let worst = off(0.5).max(off(0.25)).max(off(0.75));
        let length = end_at - at;
        // The error grows with the square of the length.
        let better = (length as f64 * (0.95 * most / worst.max(1e-15)).sqrt().clamp(0.25, 2.0)) as u64;
        step = (better / STEP * STEP).max(STEP);
        if worst > most && length > STEP {
            continue;
        }
        knots.push(knot(end_at, end.1));
        (at, start) = (end_at, end);
    }
    knots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(knots: &[Knot], time: u64) -> f64 {
        let next = knots.partition_point(|knot| knot.at <= time).clamp(1, knots.len() - 1);
        let (a, b) = (knots[next - 1], knots[next]);
        let part = (time - a.at) as f64 / (b.at - a.at) as f64;
        (a.delay as f64 + part * (b.delay as f64 - a.delay as f64)) / 1e9
    }

    #[test]
    fn pieces_keep_to_the_tolerance_and_are_few() {
        // A pass overhead: 780 km high, 7.4 km/s.
        let pass = |t: f64| libm::hypot(780.0, 7.4 * (t - 300.0)) / 299_793.0;
        let (from, until) = (12_345_678_901, 612_000_000_001);
        let knots = straight(from, until, pass);
        assert_eq!((knots[0].at, knots.last().map(|knot| knot.at)), (from, Some(until)));
        for sample in 0..100_000 {
            let time = from + (until - from) / 100_000 * sample;
            let error = at(&knots, time) - pass(time as f64 / 1e9);
            assert!(error.abs() <= TOLERANCE, "{error} at {time}");
        }
        assert!(knots[1].at - from > 900_000_000, "{:?}", knots[1]);
        // The second derivative is at most 7.4²/780/c: pieces of 5.8 s there, longer ones elsewhere.
        assert!((40..80).contains(&knots.len()), "{}", knots.len());
    }

    #[test]
    fn a_curve_that_winds_about_its_chord_is_cut() {
        // A cubic through its chord's ends and middle, off by 0.98 µs at the quarters and by 1.006 µs between them.
        let winding = |t: f64| 0.01 + 0.98e-6 / 0.046_875 * t * (t - 0.5) * (t - 1.0);
        let knots = straight(0, 1_000_000_000, winding);
        for time in (0..1_000_000_000).step_by(777_777) {
            let error = at(&knots, time) - winding(time as f64 / 1e9);
            assert!(error.abs() <= TOLERANCE, "{error} at {time}");
        }
    }

    #[test]
    fn the_last_bits_of_a_delay_do_not_move_knots() {
        let pass = |t: f64| libm::hypot(780.0, 7.4 * (t - 300.0)) / 299_793.0;
        // As another platform's mathematics might have it.
        let other = |t: f64| pass(t) * (1.0 + 1e-13 * libm::sin(1e6 * t));
        let (one, two) = (straight(7, 600_000_000_000, pass), straight(7, 600_000_000_000, other));
        assert_eq!(one, two);
        assert!(one[..one.len() - 1].iter().all(|knot| knot.at % STEP == 7));
    }

    #[test]
    fn a_jump_is_no_endless_loop() {
        let knots = straight(0, 10_000_000_000, |t| if t < 3.0005 { 0.001 } else { 0.02 });
        let steps: Vec<u64> =
            knots.windows(2).filter(|pair| pair[0].delay != pair[1].delay).map(|pair| pair[0].at).collect();
        assert_eq!(steps, [3_000_000_000]);
        assert!(knots.len() < 60, "{}", knots.len());
    }

    #[test]
    fn what_does_not_change_is_a_few_pieces() {
        let knots = straight(0, 1_000_000_000_000, |_| 0.013_45);
        assert!(knots.len() < 15 && knots.iter().all(|knot| knot.delay == 13_450_000));
        assert_eq!(straight(5, 5, |_| 1.0), [Knot { at: 5, delay: 1_000_000_000 }]);
    }
}
