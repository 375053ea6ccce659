//! The spacing of random actions: neither clustered nor periodic.

/// The probability with which the packet numbered `count` since the last action is acted upon, when the nominal
/// probability is `nominal`.
///
/// Without `wait` [FloydJacobson93] the gap between two actions at a constant nominal probability is uniform
/// in [1, 1/nominal]; with it (ns-2) uniform in [1/nominal, 2/nominal], so that the rate in the long run is two
/// thirds of the nominal one.
#[inline]
pub(super) fn spaced(nominal: f64, count: f64, wait: bool) -> f64 {
    let due = count * nominal;
    let (below, above) = if wait { (1.0, 2.0) } else { (0.0, 1.0) };
    if due < below {
        0.0
    } else if due < above {
        nominal / (above - due)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

    fn gaps(nominal: f64, wait: bool) -> Vec<u32> {
        let mut random = Random::stream(11, "test/spacing");
        let gap =
            |random: &mut Random| (1..).find(|&n| random.chance(spaced(nominal, f64::from(n), wait))).unwrap_or(0);
        (0..20_000).map(|_| gap(&mut random)).collect()
    }

    fn mean(gaps: &[u32]) -> f64 {
        f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64
    }

    #[test]
    fn by_hand() {
        assert_eq!(spaced(0.125, 7.0, true), 0.0);
        assert_eq!(spaced(0.125, 8.0, true), 0.125);
        assert_eq!(spaced(0.125, 12.0, true), 0.25);
        assert_eq!(spaced(0.125, 16.0, true), 1.0);
        assert_eq!(spaced(0.125, 4.0, false), 0.25);
        assert_eq!(spaced(0.125, 8.0, false), 1.0);
        assert_eq!(spaced(0.0, 1e9, true), 0.0);
        assert_eq!(spaced(1.0, 1.0, true), 1.0);
    }

    #[test]
    fn with_wait_gaps_are_uniform_from_one_to_two_periods() {
        let gaps = gaps(0.05, true);
        assert!(gaps.iter().all(|gap| (20..=40).contains(gap)));
        // Uniform over 20..=39: mean 29.5, standard error of 20 000 gaps 0.04.
        assert!((mean(&gaps) - 29.5).abs() < 0.2, "{}", mean(&gaps));
        let early = gaps.iter().filter(|gap| **gap < 30).count() as f64 / gaps.len() as f64;
        assert!((early - 0.5).abs() < 0.02, "{early}");
    }

    #[test]
    fn without_wait_gaps_are_uniform_up_to_one_period() {
        let gaps = gaps(0.05, false);
        assert!(gaps.iter().all(|gap| (1..=20).contains(gap)));
        // Uniform over 1..=19: mean 10.
        assert!((mean(&gaps) - 10.0).abs() < 0.2, "{}", mean(&gaps));
        let first = gaps.iter().filter(|gap| **gap == 1).count() as f64 / gaps.len() as f64;
        assert!((first - 1.0 / 19.0).abs() < 0.006, "{first}");
    }
}
