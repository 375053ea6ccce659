//! How far ahead most entries lie: what the width of the wheel's slots comes from.

use faircast_proto::time::Duration;

/// Of all crossings of links, those of a tenth may take longer than the horizon: the wheel keeps these apart, and they
/// do not make its slots wider for the others. A choice.
const OUTLIERS: u64 = 10;

/// The time that nine tenths of all crossings of links take at most: the quantile of the times of single links, each
/// as often as it is used. So a link that nothing crosses counts for nothing, and a few slow ones for little. Zero if
/// no link is used.
pub(crate) fn horizon(mut links: Vec<(Duration, u64)>) -> Duration {
    links.sort_unstable();
    let uses: u64 = links.iter().map(|&(_, uses)| uses).sum();
    let mut left = uses - uses / OUTLIERS;
    let reached = links.iter().filter(|&&(_, uses)| uses > 0).find(|&&(_, uses)| {
        left = left.saturating_sub(uses);
        left == 0
    });
    reached.map_or(Duration::ZERO, |&(time, _)| time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_tenths_of_all_crossings_are_within_the_horizon() {
        let hour = 3600 * 1000;
        let within = |links: &[(u64, u64)]| {
            horizon(links.iter().map(|&(millis, uses)| (Duration::from_millis(millis), uses)).collect())
        };
        assert_eq!(within(&[]), Duration::ZERO);
        assert_eq!(within(&[(hour, 0), (2, 0)]), Duration::ZERO);
        // What is not used does not count, however many there are of it.
        assert_eq!(within(&[(hour, 0), (20, 7), (hour, 0), (5, 1)]), Duration::from_millis(20));
        // 9 of 10, and 8 of 9.
        assert_eq!(within(&[(hour, 1), (20, 9)]), Duration::from_millis(20));
        assert_eq!(within(&[(hour, 1), (20, 8)]), Duration::from_millis(hour));
        assert_eq!(within(&[(10, 89), (hour, 10), (20, 1)]), Duration::from_millis(20));
        assert_eq!(within(&[(10, 90), (hour, 10), (20, 1)]), Duration::from_millis(20));
        assert_eq!(within(&[(10, 92), (hour, 9), (20, 1)]), Duration::from_millis(10));
        assert_eq!(within(&[(7, 1)]), Duration::from_millis(7));
    }
}
