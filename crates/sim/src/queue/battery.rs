//! Tests that every discipline must stand, those of this crate and guests from outside.
//!
//! [`run`] puts random arrivals and departures before a discipline and panics, naming the seed, when it breaks a rule:
//! it never lets more wait than its limit, accepts while it says that it surely does, never marks a packet whose sender
//! is not ECN-capable, never lowers a mark, and decides the same again under the same seed.

use super::{Discipline, InterfaceView, LinkContext, Verdict};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::VecDeque;

/// Arrivals per seed.
const ARRIVALS: u32 = 4_000;
const SEEDS: u64 = 5;
const RATE: Rate = Rate(1_500_000);

/// Runs the battery on the disciplines that `make` builds; `limit` is what they promise to keep.
///
/// # Panics
/// When a rule is broken.
pub fn run<D: Discipline>(limit: QueueSize, make: impl Fn(LinkContext) -> D) {
    for seed in 0..SEEDS {
        let first = verdicts(limit, seed, &mut make(link(seed)));
        let second = verdicts(limit, seed, &mut make(link(seed)));
        assert!(first == second, "seed {seed}: the same seed gave other verdicts");
    }
}

/// The link of the battery: 1.5 Mbit/s, 65 ms, packets of 1000 bytes.
pub fn link(seed: u64) -> LinkContext {
    LinkContext {
        rate: RATE,
        delay: Duration::from_millis(65),
        mean_packet_bytes: 1000,
        random: Random::stream(seed, "battery/queue"),
    }
}

/// A packet of `size` bytes with the given congestion bits.
pub fn packet(size: u16, ecn: Ecn) -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: Address::endpoint(0),
        destination: Address::endpoint(1),
        size,
        ttl: INITIAL_TTL,
        ecn,
        header: Header::Datagram { sequence: 0 },
    }
}

/// A busy interface at which `pkts` packets of `size` bytes wait.
pub fn view(pkts: u32, size: u16) -> InterfaceView {
    InterfaceView {
        now: Instant::from_secs_f64(1.0),
        waiting_pkts: pkts,
        waiting_bytes: u64::from(pkts) * u64::from(size),
        transmitting: true,
        idle_since: Instant::ZERO,
        rate: RATE,
    }
}

/// Drives `queue` through bursts, overload and pauses, checking the rules; what it said.
fn verdicts(limit: QueueSize, seed: u64, queue: &mut impl Discipline) -> Vec<Verdict> {
    let mut random = Random::stream(seed, "battery/arrivals");
    let mut interface = Interface::default();
    let mut said = Vec::new();
    let mut load = 1.0;
    for arrival in 0..ARRIVALS {
        if arrival % 200 == 0 {
            load = random.uniform_in(0.3, 2.0);
        }
        let pause = if random.chance(0.003) { 2.0 } else { 0.0 };
        let gap = random.exponential(RATE.time_for(800).as_secs_f64() / load) + pause;
        interface.advance(interface.now + Duration::from_secs_f64(gap), queue);
        let size = [40, 576, 1000, 1500][(random.uniform() * 4.0) as usize];
        let ecn = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate][(random.uniform() * 4.0) as usize];
        let packet = packet(size, ecn);
        let verdict = queue.arrive(&packet, &interface.view());
        said.push(verdict);
        check_mark(verdict, ecn, seed);
        let inside = interface.view().waiting_pkts + u32::from(interface.view().transmitting);
        let sure = inside < queue.sure_room_pkts();
        assert!(!sure || verdict == Verdict::Accept, "seed {seed}: {verdict:?} although there was sure room");
        if !matches!(verdict, Verdict::Drop(_)) {
            interface.take(packet);
        }
        let kept = match limit {
            QueueSize::Packets(pkts) => f64::from(interface.view().waiting_pkts) <= pkts,
            QueueSize::Bytes(bytes) => interface.view().waiting_bytes <= bytes,
        };
        assert!(kept, "seed {seed}, arrival {arrival}: more waits than {limit:?} allows: {:?}", interface.view());
        assert!(queue.average_pkts().is_none_or(|average| average >= 0.0), "seed {seed}: average not a queue length");
    }
    said
}

fn check_mark(verdict: Verdict, ecn: Ecn, seed: u64) {
    if let Verdict::Mark(level) = verdict {
        assert!(ecn != Ecn::NotCapable, "seed {seed}: marked a packet that is not ECN-capable");
        assert!(level > Ecn::Capable, "seed {seed}: {level:?} is not a mark");
        assert!(level >= ecn, "seed {seed}: lowered {ecn:?} to {level:?}");
    }
}

/// An output interface with its packets, as plain as possible.
#[derive(Default)]
struct Interface {
    now: Instant,
    waiting: VecDeque<Packet>,
    done: Option<Instant>,
    idle_since: Instant,
}

impl Interface {
    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.waiting.len() as u32,
            waiting_bytes: self.waiting.iter().map(|packet| u64::from(packet.size)).sum(),
            transmitting: self.done.is_some(),
            idle_since: self.idle_since,
            rate: RATE,
        }
    }

    fn take(&mut self, packet: Packet) {
        if self.done.is_none() {
            self.done = Some(self.now + RATE.time_for(u32::from(packet.size)));
        } else {
            self.waiting.push_back(packet);
        }
    }

    /// Lets everything depart that is due until `until`.
    fn advance(&mut self, until: Instant, queue: &mut impl Discipline) {
        while let Some(done) = self.done.filter(|done| *done <= until) {
            self.now = done;
            self.done = None;
            while let (None, Some(next)) = (self.done, self.waiting.pop_front()) {
                let stays =
                    queue.decides_at_departure() && matches!(queue.depart(&next, &self.view()), Verdict::Drop(_));
                if !stays {
                    self.take(next);
                }
            }
            if self.done.is_none() {
                self.idle_since = done;
            }
        }
        self.now = until;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, LIST, Queue};
    use super::*;

    #[test]
    fn every_registered_queue_keeps_the_rules() {
        for config in Config::samples() {
            assert_eq!(config.check(), [], "{config:?}");
            run(config.limit(), |link| Queue::new(&config, link));
        }
        for (kind, _) in LIST {
            assert!(Config::samples().iter().any(|config| config.kind() == *kind), "no sample of {kind}");
        }
    }

    #[test]
    fn configurations_survive_being_written_and_read() {
        for config in Config::samples() {
            let text = serde_json::to_string(&config).expect("configurations are plain data");
            assert_eq!(serde_json::from_str::<Config>(&text).expect("what was written is legal"), config, "{text}");
        }
    }
}
