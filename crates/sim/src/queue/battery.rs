//! Tests that every discipline must stand, those of this crate and guests from outside.
//!
//! [`run`] puts random arrivals and departures before a discipline and panics, naming the seed, when it breaks a rule:
//! it never lets more wait than its limit, accepts while it says that it surely does, never marks a packet whose sender
//! is not ECN-capable, never lowers a mark, and decides the same again under the same seed.
//!
//! [`run_scheduler`] does the same with a queue that owns its packets, as a link would, and takes some out now and
//! then, as hand-offs do. Beside those rules each packet comes out once, whatever the queue makes of it, and all are
//! out when enough time has passed.

use super::{Discipline, Drops, Held, InterfaceView, LinkContext, Scheduler, Verdict};
use crate::ids::LinkId;
use crate::part::Aim;
use crate::store::Store;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Arrivals per seed.
const ARRIVALS: u32 = 4_000;
const SEEDS: u64 = 5;
const RATE: Rate = Rate(1_500_000);
/// Of the flows whose packets come in turn, so that each class of `classes` has some: best effort, one that samples
/// name, AF11 and EF.
const DSCP: [u8; 4] = [0, 1, 10, 46];

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
        interface.advance(interface.now + Duration::from_secs_f64(gap));
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
    fn advance(&mut self, until: Instant) {
        while let Some(done) = self.done.filter(|done| *done <= until) {
            self.now = done;
            self.done = None;
            match self.waiting.pop_front() {
                Some(next) => self.take(next),
                None => self.idle_since = done,
            }
        }
        self.now = until;
    }
}

/// Runs the battery on the queues that own their packets and that `make` builds; `limit` is what they promise to keep.
///
/// # Panics
/// When a rule is broken.
pub fn run_scheduler<S: Scheduler>(limit: QueueSize, make: impl Fn(LinkContext) -> S) {
    for seed in 0..SEEDS {
        let first = Owner::new(seed, limit, make(link(seed))).fates();
        let second = Owner::new(seed, limit, make(link(seed))).fates();
        assert!(first == second, "seed {seed}: the same seed gave other fates");
    }
}

/// What has become of a packet, and when.
type Observation = (Instant, u32, &'static str);

/// A link whose queue owns its packets, as plain as possible.
struct Owner<S> {
    queue: S,
    limit: QueueSize,
    seed: u64,
    now: Instant,
    store: Store,
    /// The packets that the queue must have, each by its number among those that came.
    inside: BTreeMap<u32, Packet>,
    done: Option<Instant>,
    idle_since: Instant,
    fates: Vec<Observation>,
}

impl<S: Scheduler> Owner<S> {
    fn new(seed: u64, limit: QueueSize, mut queue: S) -> Owner<S> {
        queue.know_dscp(&DSCP.into());
        let (now, store, inside) = (Instant::ZERO, Store::default(), BTreeMap::new());
        Owner { queue, limit, seed, now, store, inside, done: None, idle_since: now, fates: Vec::new() }
    }

    /// Drives it through bursts, overload and pauses; what has become of the packets.
    fn fates(mut self) -> Vec<Observation> {
        let mut random = Random::stream(self.seed, "battery/arrivals");
        let mut load = 1.0;
        for arrival in 0..ARRIVALS {
            if arrival % 200 == 0 {
                load = random.uniform_in(0.3, 2.0);
            }
            let pause = if random.chance(0.003) { 2.0 } else { 0.0 };
            let gap = random.exponential(RATE.time_for(800).as_secs_f64() / load) + pause;
            self.advance(self.now + Duration::from_secs_f64(gap));
            let size = [40, 576, 1000, 1500][(random.uniform() * 4.0) as usize];
            let ecn = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate][(random.uniform() * 4.0) as usize];
            self.come(Packet { flow: FlowId(arrival % DSCP.len() as u32), ..packet(size, ecn) });
            if random.chance(0.01) {
                let of = 1 + (random.uniform() * 3.0) as u32;
                self.hand_off(of);
            }
        }
        let end = self.now + Duration::from_secs_f64(1e6);
        self.advance(end);
        assert!(self.inside.is_empty(), "seed {}: {} packets never come out", self.seed, self.inside.len());
        assert!(self.queue.is_empty(), "seed {}: it says that it has packets, and has none", self.seed);
        self.fates
    }

    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.inside.len() as u32,
            waiting_bytes: self.inside.values().map(|packet| u64::from(packet.size)).sum(),
            transmitting: self.done.is_some(),
            idle_since: self.idle_since,
            rate: RATE,
        }
    }

    fn come(&mut self, packet: Packet) {
        let view = self.view();
        let verdict = self.queue.arrive(&packet, &view);
        check_mark(verdict, packet.ecn, self.seed);
        let ecn = match verdict {
            Verdict::Drop(_) => return,
            Verdict::Accept => packet.ecn,
            Verdict::Mark(level) => level,
        };
        let packet = Packet { ecn, ..packet };
        let label = self.store.insert(&packet);
        self.inside.insert(label.packet().index() as u32, packet);
        let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
        let mut drops = Drops::default();
        self.queue.enqueue(held, &packet, &view, &mut drops);
        self.see_to(drops);
        if self.done.is_none() {
            self.send();
        }
        let view = self.view();
        let kept = match self.limit {
            QueueSize::Packets(pkts) => f64::from(view.waiting_pkts) <= pkts,
            QueueSize::Bytes(bytes) => view.waiting_bytes <= bytes,
        };
        assert!(kept, "seed {}: more waits than {:?} allows: {view:?}", self.seed, self.limit);
        assert!(self.queue.average_pkts().is_none_or(|average| average >= 0.0), "average not a queue length");
    }

    /// A packet has come out.
    fn note(&mut self, held: &Held, fate: &'static str) {
        let number = held.label.packet().index() as u32;
        let packet = self.inside.remove(&number);
        let Some(packet) = packet else { panic!("seed {}: gives a packet that it does not have", self.seed) };
        assert_eq!((held.size(), held.ecn()), (packet.size, packet.ecn), "seed {}: another packet", self.seed);
        self.fates.push((self.now, number, fate));
    }

    fn see_to(&mut self, drops: Drops) {
        for (held, _) in drops.packets {
            self.note(&held, "dropped");
        }
        assert_eq!(self.queue.len(), self.inside.len(), "seed {}: packets that it says it has", self.seed);
    }

    /// Sends what may leave, if something may.
    fn send(&mut self) {
        while self.done.is_none() {
            let (mut drops, view) = (Drops::default(), self.view());
            let out = self.queue.dequeue(&view, &mut drops);
            match &out {
                Some((held, Verdict::Drop(_))) => self.note(held, "dropped"),
                Some((held, verdict)) => {
                    check_mark(*verdict, held.ecn(), self.seed);
                    self.note(held, if *verdict == Verdict::Accept { "sent" } else { "marked" });
                    let plain = RATE.time_for(u32::from(held.size()));
                    let packet = *self.store.get(held.label.packet());
                    self.done = Some(self.now + self.queue.service_time(held, &packet, plain));
                }
                None => {}
            }
            self.see_to(drops);
            if out.is_none() {
                let deadline = self.queue.deadline();
                let waits = self.inside.is_empty() || deadline.is_some_and(|at| at > self.now);
                assert!(waits, "seed {}: hands out nothing, and its deadline is {deadline:?}", self.seed);
                return;
            }
        }
    }

    /// Lets everything happen that is due until `until`.
    fn advance(&mut self, until: Instant) {
        loop {
            let deadline = self.queue.deadline().filter(|_| self.done.is_none() && !self.inside.is_empty());
            let Some(next) = self.done.or(deadline).filter(|next| *next <= until) else { break };
            self.now = next;
            if self.done.take().is_some() {
                self.idle_since = next;
            }
            self.send();
        }
        self.now = until;
    }

    /// Takes every so manyth packet out.
    fn hand_off(&mut self, of: u32) {
        let mut shown = [Vec::new(), Vec::new()];
        let mut out = Vec::new();
        for (round, shown) in shown.iter_mut().enumerate() {
            let mut leaves = |held: &mut Held| {
                shown.push(held.label.packet().index());
                round == 1 && (shown.len() as u32).is_multiple_of(of)
            };
            self.queue.remove(&mut leaves, &mut out);
        }
        assert_eq!(shown[0], shown[1], "seed {}: another order", self.seed);
        let all: BTreeSet<usize> = shown[0].iter().copied().collect();
        assert!(all.len() == shown[0].len() && all.len() == self.inside.len(), "seed {}: not each once", self.seed);
        for held in &out {
            self.note(held, "taken out");
        }
        self.see_to(Drops::default());
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
            match Queue::new(&config, link(0)) {
                Queue::Scheduler(_) => run_scheduler(config.limit(), |link| match Queue::new(&config, link) {
                    Queue::Scheduler(queue) => queue,
                    other => panic!("{other:?} has come of the same parameters"),
                }),
                _ => run(config.limit(), |link| Queue::new(&config, link)),
            }
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
