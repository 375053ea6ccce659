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
    /// From when until when nothing gets through.
    pub outage: Option<[Instant; 2]>,
}

/// A link and the packets in it.
pub struct Link {
    shape: Shape,
    random: Random,
    /// When those that have not left will have done so.
    departures: VecDeque<Instant>,
    on_the_way: VecDeque<(Instant, Vec<u8>)>,
    free: Instant,
    /// Packets that found no room, or an outage.
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
        let is_down = self.shape.outage.is_some_and(|[from, until]| from <= now && now < until);
        if is_down || self.departures.len() >= self.shape.limit {
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
