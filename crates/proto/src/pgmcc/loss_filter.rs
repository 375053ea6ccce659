//! The loss rate of a receiver (draft-ietf-rmt-bb-pgmcc-03 section 2.6).

/// p: a moving average over the packets in the order of their numbers, of which each counts 1 if it is lost and 0 if it
/// has come. The newest has the weight c.
///
/// ```
/// use faircast_proto::pgmcc::LossFilter;
///
/// let mut filter = LossFilter::new(0.5);
/// filter.lose(1);
/// filter.receive();
/// assert_eq!(filter.rate(), 0.25);
/// filter.find(1);
/// assert_eq!(filter.rate(), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LossFilter {
    p: f64,
    c: f64,
}

impl LossFilter {
    /// No losses so far. `c` is above 0 and below 1.
    pub fn new(c: f64) -> LossFilter {
        LossFilter { p: 0.0, c }
    }

    /// The next packet has come.
    pub fn receive(&mut self) {
        self.p *= 1.0 - self.c;
    }

    /// The next packets, so many, have not.
    pub fn lose(&mut self, packets: u64) {
        self.p = 1.0 - (1.0 - self.p) * self.faded(packets);
    }

    /// A packet that counted as lost has come after all. Since it so many others have counted.
    pub fn find(&mut self, packets_since: u64) {
        self.p = (self.p - self.c * self.faded(packets_since)).max(0.0);
    }

    /// All losses were none.
    pub fn clear(&mut self) {
        self.p = 0.0;
    }

    /// p, 0 to 1.
    pub fn rate(&self) -> f64 {
        self.p
    }

    /// What is left of a weight after so many packets.
    fn faded(&self, packets: u64) -> f64 {
        libm::pow(1.0 - self.c, packets as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const C: f64 = 500.0 / 65536.0;

    #[test]
    fn many_losses_at_once_are_as_many_one_by_one() {
        let mut filters = [LossFilter::new(C); 2];
        for losses in [0, 1, 2, 50] {
            filters[0].lose(losses);
            (0..losses).for_each(|_| filters[1].lose(1));
            filters.iter_mut().for_each(LossFilter::receive);
            assert!((filters[0].rate() - filters[1].rate()).abs() < 1e-14);
        }
        filters[0].lose(u64::MAX);
        assert_eq!(filters[0].rate(), 1.0);
    }

    #[test]
    fn half_of_an_outage_is_forgotten_after_ninety_packets() {
        let mut filter = LossFilter::new(C);
        filter.lose(1_000_000);
        // ln 2 / -ln(1 - 500/65536) = 90.5.
        (0..90).for_each(|_| filter.receive());
        assert!(filter.rate() > 0.5);
        filter.receive();
        assert!(filter.rate() < 0.5);
    }

    #[test]
    fn who_comes_late_leaves_no_trace() {
        let mut random = Random::stream(1, "test/filter");
        let mut filters = [LossFilter::new(C); 2];
        for round in 0..100 {
            let late = (random.uniform() * 6.0) as u64;
            filters[0].lose(1);
            filters[1].receive();
            for _ in 0..late {
                if random.chance(0.3) {
                    filters.iter_mut().for_each(|filter| filter.lose(1));
                } else {
                    filters.iter_mut().for_each(LossFilter::receive);
                }
            }
            filters[0].find(late);
            assert!((filters[0].rate() - filters[1].rate()).abs() < 1e-12, "round {round}");
        }
    }

    #[test]
    fn a_late_packet_by_hand() {
        let mut filter = LossFilter::new(0.25);
        filter.lose(2);
        assert_eq!(filter.rate(), 0.4375);
        filter.receive();
        assert_eq!(filter.rate(), 0.328_125);
        // The first of both, two before the last: 0.328125 - 0.25 * 0.75^2 = 0.25 * 0.75.
        filter.find(2);
        assert_eq!(filter.rate(), 0.1875);
        filter.find(1);
        assert_eq!(filter.rate(), 0.0);
    }

    #[test]
    fn the_mean_is_the_probability_of_a_loss() {
        let mut random = Random::stream(2, "test/filter");
        let mut filter = LossFilter::new(C);
        let (mut sum, packets) = (0.0, 200_000);
        for _ in 0..packets {
            if random.chance(0.02) {
                filter.lose(1)
            } else {
                filter.receive()
            }
            sum += filter.rate();
        }
        assert!((sum / f64::from(packets) - 0.02).abs() < 0.001);
    }
}
