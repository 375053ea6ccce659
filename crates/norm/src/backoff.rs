//! How long who has something to say waits, so that few speak (RFC 5401 section 3.2.2).

use faircast_proto::random::Random;

/// RandomBackoff: up to `most`, in the unit of that, and the nearer to it the larger the group.
pub fn random_backoff(most: f64, group_size: u64, random: &mut Random) -> f64 {
    if most <= 0.0 {
        return 0.0;
    }
    let l = libm::log(group_size.max(1) as f64) + 1.0;
    let spread = libm::exp(l) - 1.0;
    // x·(exp(L) - 1)·T/L of the RFC, x being uniform from L/(T·(exp(L) - 1)) on, over L/T.
    let x = 1.0 + random.uniform() * spread;
    most / l * libm::log(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_early() {
        let mut random = Random::stream(1, "test/backoff");
        let mut draw = |group| random_backoff(4.0, group, &mut random);
        let draws: Vec<f64> = (0..20_000).map(|_| draw(10_000)).collect();
        assert!(draws.iter().all(|t| (0.0..=4.0).contains(t)));
        // P(t < 3/4 T) = (exp(3/4 L) - 1)/(exp(L) - 1) = 0.078, L being ln 10000 + 1.
        let early = draws.iter().filter(|&&t| t < 3.0).count() as f64 / 20_000.0;
        assert!((0.07..0.086).contains(&early), "{early}");
        assert_eq!(random_backoff(0.0, 10, &mut random), 0.0);
    }
}
