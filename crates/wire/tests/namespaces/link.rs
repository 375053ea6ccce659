//! A link in user space: a rate, a queue that drops at its tail, a delay, losses. It reads no clock.

use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::VecDeque;

/// What a link does to packets.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How fast it sends.
    pub rate: Rate,
    /// How long a packet is on the wire.
    pub delay: Duration,
    /// How many packets may be there that have not left, the one in transmission included.
    pub limit: usize,
    /// The part of them that is lost on the wire.
    pub loss: f64,
}

/// A link and the packets in it.
pub struct Link {
    shape: Shape,
    random: Random,
    /// When those that have not left will have done so.
    departures: VecDeque<Instant>,
    on_the_way: VecDeque<(Instant, Vec<u8>)>,
    free: Instant,
    /// Packets that found no room.
    pub dropped: u64,
}

impl Link {
    pub fn new(shape: Shape, seed: u64) -> Link {
        let random = Random::stream(seed, "link/loss");
        let (departures, on_the_way) = (VecDeque::new(), VecDeque::new());
        Link { shape, random, departures, on_the_way, free: Instant::ZERO, dropped: 0 }
    }

    /// A packet comes; whether there is room for it.
    pub fn offer(&mut self, now: Instant, packet: &[u8]) -> bool {
        while self.departures.front().is_some_and(|&left| left <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() >= self.shape.limit {
            self.dropped += 1;
            return false;
        }
        self.free = self.free.max(now) + self.shape.rate.time_for(packet.len() as u32);
        self.departures.push_back(self.free);
        if !self.random.chance(self.shape.loss) {
            self.on_the_way.push_back((self.free + self.shape.delay, packet.to_vec()));
        }
        true
    }

    /// When the next packet is at the far end.
    pub fn due(&self) -> Option<Instant> {
        self.on_the_way.front().map(|(at, _)| *at)
    }

    /// The next packet that is at the far end by now, and since when.
    pub fn take(&mut self, now: Instant) -> Option<(Instant, Vec<u8>)> {
        self.on_the_way.pop_front_if(|(at, _)| *at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    fn link(loss: f64) -> Link {
        let delay = Duration::from_millis(20);
        Link::new(Shape { rate: Rate(8_000_000), delay, limit: 3, loss }, 1)
    }

    #[test]
    fn packets_leave_one_after_the_other_and_come_after_the_delay() {
        let mut link = link(0.0);
        // A byte takes a microsecond.
        assert!((1..=3).all(|n| link.offer(at(0), &vec![n; 1000])));
        assert!(!link.offer(at(999), &[4; 1000]), "the first has not left");
        assert!(link.offer(at(1000), &[5; 500]));
        assert_eq!((link.dropped, link.due()), (1, Some(at(21_000))));
        assert_eq!(link.take(at(20_999)), None);
        let taken: Vec<(Instant, u8)> =
            std::iter::from_fn(|| link.take(at(60_000))).map(|(at, p)| (at, p[0])).collect();
        assert_eq!(taken, [(at(21_000), 1), (at(22_000), 2), (at(23_000), 3), (at(23_500), 5)]);
        assert!(link.offer(at(70_000), &[6; 100]) && link.due() == Some(at(90_100)), "an idle link sends at once");
    }

    #[test]
    fn a_part_is_lost() {
        let mut link = link(0.1);
        let came = (0..10_000).filter(|n| {
            link.offer(at(n * 1000), &[0; 100]);
            link.take(at(n * 1000 + 500_000)).is_some()
        });
        assert!((8_850..9_150).contains(&came.count()));
    }
}
