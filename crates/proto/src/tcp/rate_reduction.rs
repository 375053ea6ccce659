//! Proportional rate reduction: in a recovery by SACK the window shrinks with what arrives, over the whole round trip,
//! instead of at once (RFC 9937). Without it the sender is silent until as much has left the network as the reduction
//! takes away.

/// A reduction under way. Counts are of segments.
#[derive(Clone, Copy, Debug)]
pub struct RateReduction {
    /// What might be delivered while it goes on (RecoverFS).
    flight: u64,
    /// What has been delivered since it began (`prr_delivered`).
    delivered: u64,
    /// What has been sent since then (`prr_out`).
    sent: u64,
    /// What may be in the network until the next acknowledgement.
    cwnd: u64,
}

/// What an acknowledgement says to a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Segments that it shows to have arrived, not counting what had been shown (DeliveredData).
    pub delivered: u64,
    /// Segments thought to be in the network after it.
    pub inflight: u64,
    /// It acknowledges new data, and shows no further loss (SafeACK).
    pub is_good: bool,
}

impl RateReduction {
    /// One begins with an acknowledgement after which `flight` segments may still be delivered or have just been (RFC
    /// 9937 section 6.1), towards a window of `target`. What is lost is sent again at once, whatever the reduction.
    pub fn begin(flight: u64, by: Delivery, target: f64) -> RateReduction {
        let mut reduction = RateReduction { flight, delivered: 0, sent: 0, cwnd: 0 };
        reduction.on_ack(by, target);
        reduction.cwnd = reduction.cwnd.max(by.inflight + 1);
        reduction
    }

    /// Section 6.2. An acknowledgement that shows nothing to have arrived changes nothing.
    pub fn on_ack(&mut self, by: Delivery, target: f64) {
        if by.delivered == 0 {
            return;
        }
        self.delivered += by.delivered;
        let allowed = if by.inflight as f64 > target {
            let proportional = (self.delivered as f64 * target / self.flight as f64).ceil();
            (proportional as u64).saturating_sub(self.sent)
        } else {
            // By as much as is delivered, and when it goes well by a segment more.
            let bound = self.delivered.saturating_sub(self.sent).max(by.delivered) + u64::from(by.is_good);
            bound.min((target - by.inflight as f64) as u64)
        };
        self.cwnd = by.inflight + allowed;
    }

    /// A segment has been sent (section 6.3).
    pub fn on_sent(&mut self) {
        self.sent += 1;
    }

    /// One that was sent has not been.
    pub fn take_back(&mut self) {
        self.sent = self.sent.saturating_sub(1);
    }

    /// The window in force, segments.
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn delivery(delivered: u64, inflight: u64) -> Delivery {
        Delivery { delivered, inflight, is_good: false }
    }

    /// A window of 20 is halved; acknowledgement 3 begins it (RFC 9937 section 8, figure 1).
    #[test]
    fn one_loss_by_hand() {
        let mut inflight = 18;
        let mut reduction = RateReduction::begin(20, delivery(1, inflight), 10.0);
        let mut windows = vec![reduction.cwnd()];
        for _ in 4..=22 {
            if reduction.cwnd() > inflight {
                reduction.on_sent();
                inflight += 1;
            }
            inflight -= 1;
            reduction.on_ack(delivery(1, inflight), 10.0);
            windows.push(reduction.cwnd());
        }
        // The figure has 11 for the 19th, with 10 in the network: it would be so if the proportion held with as much in
        // the network as the threshold, too. By the text the bound holds then, as in Linux.
        assert_eq!(windows, [19, 18, 18, 17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 10, 10, 10, 10]);
    }

    /// Fifteen of twenty are lost (figure 2).
    #[test]
    fn many_losses_by_hand() {
        let mut reduction = RateReduction::begin(20, delivery(1, 4), 10.0);
        assert_eq!(reduction.cwnd(), 5);
        for _ in 18..=19 {
            reduction.on_sent();
            reduction.on_ack(delivery(1, 4), 10.0);
            assert_eq!(reduction.cwnd(), 5);
        }
        // Repairs come through: a segment more for each; where one is lost again, no more than arrives.
        reduction.on_sent();
        reduction.on_ack(Delivery { is_good: true, ..delivery(1, 4) }, 10.0);
        assert_eq!(reduction.cwnd(), 6);
        (0..2).for_each(|_| reduction.on_sent());
        reduction.on_ack(delivery(1, 5), 10.0);
        assert_eq!(reduction.cwnd(), 6);
        // Up to the threshold, which need not be whole.
        reduction.on_ack(Delivery { is_good: true, ..delivery(7, 5) }, 10.9);
        assert_eq!(reduction.cwnd(), 10);
    }

    #[test]
    fn nothing_delivered_changes_nothing() {
        let mut reduction = RateReduction::begin(20, delivery(1, 18), 10.0);
        reduction.on_sent();
        reduction.on_ack(delivery(0, 3), 10.0);
        assert_eq!(reduction.cwnd(), 19);
    }

    #[test]
    fn what_is_lost_goes_at_once() {
        // One segment outstanding beyond a threshold below what is in the network, and none allowed by it.
        assert_eq!(RateReduction::begin(20, delivery(1, 10), 10.0).cwnd(), 11);
        assert_eq!(RateReduction::begin(4, delivery(3, 2), 2.0).cwnd(), 3);
    }

    /// Section 7: if nothing is lost but what began it, no more is sent than delivered, and at the end there is as much
    /// in the network as the target says.
    #[test]
    fn it_ends_at_the_threshold() {
        let mut random = Random::stream(9, "test/reduction");
        for _ in 0..2000 {
            let flight = 4 + (random.uniform() * 200.0) as u64;
            let target = (2.0_f64).max(flight as f64 * (0.3 + 0.6 * random.uniform()));
            let mut inflight = flight - 2;
            let mut left = flight - 1;
            let mut reduction = RateReduction::begin(flight, delivery(1, inflight), target);
            let (mut sent, mut delivered) = (0, 1);
            loop {
                while reduction.cwnd() > inflight {
                    reduction.on_sent();
                    (inflight, sent) = (inflight + 1, sent + 1);
                }
                assert!(sent <= delivered, "{sent} of {delivered}");
                if left == 0 {
                    break;
                }
                let arrived = 1 + (random.uniform() * 2.0) as u64;
                let arrived = arrived.min(left).min(inflight);
                (left, delivered) = (left - arrived, delivered + arrived);
                inflight -= arrived;
                reduction.on_ack(delivery(arrived, inflight), target);
            }
            assert!((inflight as f64 - target).abs() <= 1.0, "{inflight} of {target}, {flight}");
        }
    }

    /// Section 7: whatever is lost, no more is sent than delivered, but for a segment for each good acknowledgement and
    /// the one that is sent in any case.
    #[test]
    fn no_more_goes_than_arrives() {
        let mut random = Random::stream(10, "test/reduction");
        for _ in 0..2000 {
            let flight = 4 + (random.uniform() * 200.0) as u64;
            let target = (2.0_f64).max(flight as f64 * (0.3 + 0.6 * random.uniform()));
            let mut inflight = (random.uniform() * flight as f64) as u64;
            let mut reduction = RateReduction::begin(flight, delivery(1, inflight), target);
            let (mut sent, mut delivered, mut good) = (0, 1, 0);
            for _ in 0..flight {
                while reduction.cwnd() > inflight && random.chance(0.9) {
                    reduction.on_sent();
                    (inflight, sent) = (inflight + 1, sent + 1);
                }
                assert!(sent <= delivered + good + 1, "{sent} of {delivered} and {good}");
                assert!(inflight <= flight, "{inflight} of {flight}");
                let arrived = inflight.min((random.uniform() * 4.0) as u64);
                // What shows a loss shows something to have arrived.
                let most_lost = if arrived > 0 { inflight - arrived } else { 0 };
                let lost = most_lost.min((random.uniform() * random.uniform() * 9.0) as u64);
                let is_good = arrived > 0 && random.chance(0.5);
                (inflight, delivered, good) =
                    (inflight - arrived - lost, delivered + arrived, good + u64::from(is_good));
                reduction.on_ack(Delivery { delivered: arrived, inflight, is_good }, target);
            }
        }
    }
}
