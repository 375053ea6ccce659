//! A link whose queue owns its packets, as plain as possible, and what it sees of the queue.

use super::super::{Drops, Held, InterfaceView, Scheduler, Verdict};
use super::rule::{Broken, Rule};
use super::{ARRIVALS, DSCP, Promises, RATE, packet};
use crate::ids::LinkId;
use crate::part::Aim;
use crate::store::Store;
use faircast_proto::packet::{Address, Ecn, FlowId, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};

/// What has become of a packet, and when.
pub(super) type Observation = (Instant, u32, &'static str);

/// An output interface with a queue.
pub(super) struct Interface<S> {
    queue: S,
    promises: Promises,
    seed: u64,
    now: Instant,
    store: Store,
    inside: Inside,
    done: Option<Instant>,
    idle_since: Instant,
    fates: Vec<Observation>,
    broken: Broken,
    /// What packets that are out have waited, ns.
    waited_ns: u128,
    /// How many the queue has said to have, over time, ns.
    lengths_ns: u128,
}

/// The packets that the queue must have.
#[derive(Default)]
struct Inside {
    /// Each by its number among those that came in, `None` once it is out.
    packets: Vec<Option<(Packet, Instant)>>,
    pkts: u32,
    bytes: u64,
    /// By flow and kind of congestion bits the number of the last that has come out.
    last_out: [[Option<u32>; 2]; DSCP.len()],
}

impl<S: Scheduler> Interface<S> {
    pub(super) fn new(seed: u64, promises: Promises, mut queue: S) -> Interface<S> {
        queue.know_dscp(&DSCP.into());
        let now = Instant::ZERO;
        Interface {
            queue,
            promises,
            seed,
            now,
            store: Store::default(),
            inside: Inside::default(),
            done: None,
            idle_since: now,
            fates: Vec::new(),
            broken: Broken::default(),
            waited_ns: 0,
            lengths_ns: 0,
        }
    }

    /// Drives it through bursts, overload and pauses; what has become of the packets, and which rules were broken.
    pub(super) fn drive(mut self) -> (Vec<Observation>, Broken) {
        let mut random = Random::stream(self.seed, "battery/arrivals");
        let mut load = 1.0;
        for arrival in 0..ARRIVALS {
            if arrival % 200 == 0 {
                load = random.uniform_in(0.3, 2.0);
            }
            let pause = if random.chance(0.003) { 2.0 } else { 0.0 };
            let gap = random.exponential(RATE.time_for(800).as_secs_f64() / load) + pause;
            self.advance(self.now + Duration::from_secs_f64(gap));
            let mut any = |of: usize| (random.uniform() * of as f64) as usize;
            let (size, flow) = ([40, 576, 1000, 1500][any(4)], any(DSCP.len()) as u32);
            let ecn = [Ecn::NotCapable, Ecn::Scalable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate][any(5)];
            self.come(Packet { flow: FlowId(flow), source: Address::endpoint(flow), ..packet(size, ecn) });
            if random.chance(0.01) {
                let of = 1 + (random.uniform() * 3.0) as u32;
                self.hand_off(of);
            }
        }
        let end = self.now + Duration::from_secs_f64(1e6);
        self.advance(end);
        let (seed, left) = (self.seed, self.inside.pkts);
        let is_empty = left == 0 && self.queue.is_empty();
        self.broken.unless(is_empty, Rule::ComesOutOnce, || {
            format!("seed {seed}: {left} packets never come out, or it says that it has some where there are none")
        });
        let (waited_ns, lengths_ns) = (self.waited_ns, self.lengths_ns);
        self.broken.unless(waited_ns == lengths_ns || left > 0, Rule::CountsWhatWaits, || {
            format!("seed {seed}: packets have waited {waited_ns} ns, lengths of the queue add up to {lengths_ns} ns")
        });
        (self.fates, self.broken)
    }

    fn unless(&mut self, kept: bool, rule: Rule, what: impl FnOnce() -> String) {
        let (seed, now) = (self.seed, self.now);
        self.broken.unless(kept, rule, || format!("seed {seed}, at {} s: {}", now.as_secs_f64(), what()));
    }

    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.inside.pkts,
            waiting_bytes: self.inside.bytes,
            transmitting: self.done.is_some(),
            idle_since: self.idle_since,
            rate: RATE,
        }
    }

    fn come(&mut self, packet: Packet) {
        let view = self.view();
        let has_sure_room = view.waiting_pkts + u32::from(view.transmitting) < self.queue.sure_room_pkts();
        let verdict = self.queue.arrive(&packet, &view);
        self.unless(!has_sure_room || verdict == Verdict::Accept, Rule::KeepsSureRoom, || format!("{verdict:?}"));
        self.check_mark(verdict, packet.ecn);
        let ecn = match verdict {
            Verdict::Drop(_) => return self.fates.push((self.now, u32::MAX, "not let in")),
            Verdict::Accept => packet.ecn,
            Verdict::Mark(level) => level,
        };
        let packet = Packet { ecn, ..packet };
        let label = self.store.insert(&packet);
        self.inside.take_in(packet, self.now);
        let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
        let mut drops = Drops::default();
        self.queue.enqueue(held, &packet, &view, &mut drops);
        self.note_drops(drops);
        self.check_length();
        if self.done.is_none() {
            self.send();
        }
        let view = self.view();
        let kept = match self.promises.limit {
            QueueSize::Packets(pkts) => f64::from(view.waiting_pkts) <= pkts,
            QueueSize::Bytes(bytes) => view.waiting_bytes <= bytes,
        };
        self.unless(kept, Rule::KeepsLimit, || format!("{view:?}"));
        let average = self.queue.average_pkts();
        let is_length = average.is_none_or(|average| average >= 0.0);
        self.unless(is_length, Rule::CountsWhatWaits, || format!("its average is {average:?}"));
    }

    fn check_mark(&mut self, verdict: Verdict, ecn: Ecn) {
        let Verdict::Mark(level) = verdict else { return };
        let is_mark = ecn != Ecn::NotCapable && level > Ecn::Capable && level >= ecn;
        self.unless(is_mark, Rule::MarksTheCapable, || format!("{ecn:?} becomes {level:?}"));
    }

    /// A packet has come out.
    fn note(&mut self, held: &Held, fate: &'static str) {
        let number = held.label.packet().index() as u32;
        let Some((packet, since)) = self.inside.let_out(number) else {
            return self.unless(false, Rule::ComesOutOnce, || "it gives a packet that it does not have".to_owned());
        };
        let (is, was) = ((held.size(), held.ecn(), held.since()), (packet.size, packet.ecn, since));
        self.unless(is == was, Rule::StaysAsItIs, || format!("{was:?} has become {is:?}"));
        self.waited_ns += u128::from(self.now.since(since).0);
        self.fates.push((self.now, number, fate));
        if self.promises.keeps_order && fate != "taken out" {
            let overtakes = self.inside.overtakes(number, &packet, self.promises.splits_flows);
            self.unless(!overtakes, Rule::KeepsOrder, || format!("{packet:?} comes out after a later one"));
        }
    }

    fn note_drops(&mut self, drops: Drops) {
        drops.packets.iter().for_each(|(held, _)| self.note(held, "dropped"));
    }

    fn check_length(&mut self) {
        let (says, has) = (self.queue.len(), self.inside.pkts as usize);
        self.unless(says == has, Rule::ComesOutOnce, || format!("it says that it has {says} packets, and has {has}"));
    }

    /// Sends what may leave, if something may.
    fn send(&mut self) {
        while self.done.is_none() {
            let (mut drops, view) = (Drops::default(), self.view());
            let out = self.queue.dequeue(&view, &mut drops);
            self.note_drops(drops);
            match &out {
                Some((held, Verdict::Drop(_))) => self.note(held, "dropped"),
                Some((held, verdict)) => {
                    self.check_mark(*verdict, held.ecn());
                    self.note(held, if *verdict == Verdict::Accept { "sent" } else { "marked" });
                    let plain = RATE.time_for(u32::from(held.size()));
                    let packet = *self.store.get(held.label.packet());
                    self.done = Some(self.now + self.queue.service_time(held, &packet, plain));
                }
                None => {}
            }
            self.check_length();
            if out.is_none() {
                let (deadline, pkts) = (self.queue.deadline(), self.inside.pkts);
                let waits = pkts == 0 || deadline.is_some_and(|at| at > self.now);
                self.unless(waits, Rule::SaysWhen, || {
                    format!("it hands out nothing of {pkts} packets, and its deadline is {deadline:?}")
                });
                let rests = self.promises.never_rests && pkts > 0;
                self.unless(!rests, Rule::NeverRests, || format!("{pkts} packets wait, and none is sent"));
                return;
            }
        }
    }

    /// Lets everything happen that is due until `until`.
    fn advance(&mut self, until: Instant) {
        loop {
            let deadline = self.queue.deadline().filter(|at| self.done.is_none() && *at > self.now);
            let Some(next) = self.done.or(deadline).filter(|next| *next <= until) else { break };
            self.pass(next);
            if self.done.take().is_some() {
                self.idle_since = next;
            }
            self.send();
        }
        self.pass(until);
    }

    /// Lets time pass in which nothing happens.
    fn pass(&mut self, until: Instant) {
        self.lengths_ns += self.queue.len() as u128 * u128::from(until.since(self.now).0);
        self.now = until;
    }

    /// Takes every so manyth packet out.
    fn hand_off(&mut self, of: u32) {
        let mut shown = [Vec::new(), Vec::new()];
        let mut out = Vec::new();
        for (round, shown) in shown.iter_mut().enumerate() {
            let mut leaves = |held: &mut Held| {
                shown.push(held.label.packet().index() as u32);
                round == 1 && (shown.len() as u32).is_multiple_of(of)
            };
            self.queue.remove(&mut leaves, &mut out);
        }
        let [first, again] = &shown;
        self.unless(first == again, Rule::ShowsAll, || format!("{first:?}, and then {again:?}"));
        let mut all = first.clone();
        all.sort_unstable();
        all.dedup();
        let each_once = all.len() == first.len() && all.len() == self.inside.pkts as usize;
        self.unless(each_once, Rule::ShowsAll, || format!("not each once: {first:?}"));
        for held in &out {
            self.note(held, "taken out");
        }
        self.check_length();
    }
}

impl Inside {
    fn take_in(&mut self, packet: Packet, now: Instant) {
        self.packets.push(Some((packet, now)));
        self.pkts += 1;
        self.bytes += u64::from(packet.size);
    }

    /// What a packet was like when it came in, and when that was; nothing if it is not there.
    fn let_out(&mut self, number: u32) -> Option<(Packet, Instant)> {
        let (packet, since) = self.packets.get_mut(number as usize)?.take()?;
        self.pkts -= 1;
        self.bytes -= u64::from(packet.size);
        Some((packet, since))
    }

    /// Whether a later packet that must follow it has come out before it.
    fn overtakes(&mut self, number: u32, packet: &Packet, splits_flows: bool) -> bool {
        let is_low_latency = splits_flows && matches!(packet.ecn, Ecn::Scalable | Ecn::Moderate);
        let last = &mut self.last_out[packet.flow.0 as usize][usize::from(is_low_latency)];
        let overtakes = last.is_some_and(|last| last > number);
        *last = Some(number);
        overtakes
    }
}
