//! The group driver: the source of a multicast session, its members, and a network that does to each copy of a packet
//! what a test says.

use super::{Fate, IsFull, feed};
use crate::control::Control;
use crate::endpoint::{Action, Endpoint, Event, Input, Outbox};
use crate::group_set::GroupSet;
use crate::packet::{Address, INITIAL_TTL, Packet};
use crate::time::{Duration, Instant};
use std::collections::{BTreeMap, BTreeSet};

/// The address of the source; member `n` has the endpoint address `n + 1`.
pub const SOURCE: Address = Address::endpoint(0);
/// The first of the session's groups.
pub const GROUP: Address = Address::group(0);

/// Which of the endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The source.
    Sender,
    /// The member with this number.
    Receiver(usize),
}

/// A source, its members and what lies between them. `N` decides about each copy of a packet, given who sends it and to
/// whom, in the order of sending; members in order.
pub struct Group<S, M, N> {
    /// The source.
    pub source: S,
    /// The members.
    pub members: Vec<M>,
    /// What happened, and when.
    pub events: Vec<(Instant, Who, Event)>,
    /// Every packet sent, and when, if [`record`](Self::record) is set.
    pub sent: Vec<(Instant, Who, Packet)>,
    /// Whether to keep what is sent.
    pub record: bool,
    /// Whether to hand in time-outs for which there is no reason before each input.
    pub pester: bool,
    /// Counts and state of the source, then of each member.
    pub counts: Vec<Counts>,
    network: N,
    /// One-way delay between the source and each member.
    delays: Vec<Duration>,
    now: Instant,
    /// By when they are handed in, by arrival and order of sending.
    under_way: BTreeMap<Turn, (Who, Packet, Option<Control>)>,
    /// When the driver of an endpoint hands in a packet that has arrived.
    hands_in: Option<Box<dyn FnMut(Who, Instant) -> Instant>>,
    serial: u64,
    /// Inputs in a row at one instant.
    at_once: u32,
    /// Who is woken when.
    timers: BTreeSet<(Instant, Who)>,
    /// When the driver wakes an endpoint for a deadline.
    wakes: Option<Box<dyn FnMut(Who, Instant) -> Instant>>,
    /// Whether a host cannot become a member of a group.
    refuses: Box<dyn FnMut(Who, Address) -> bool>,
    /// Whether a host cannot send a packet.
    is_full: IsFull<Who>,
    /// Whether a driver that could not send a packet tries the next that was asked for all the same.
    tries_on: bool,
    out: Outbox,
}

/// When a packet is handed in, when it arrived, and its place in the order of sending.
type Turn = (Instant, Instant, u64);

/// What the driver has seen of an endpoint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Packets it sent.
    pub sent_pkts: u64,
    /// Bytes it sent.
    pub sent_bytes: u64,
    /// Packets handed in.
    pub handed_pkts: u64,
    /// Bytes handed in.
    pub handed_bytes: u64,
    /// Groups it is a member of, or was when it was told that it is not.
    pub joined: GroupSet,
    /// Groups that it asked for in vain: nothing of them is handed in.
    pub refused: GroupSet,
    /// Its deadline after the last input, and when it is woken for it.
    armed: Option<(Instant, Instant)>,
}

impl Who {
    /// Its part in the name of a random stream; what is drawn follows from the name.
    pub fn stream(self) -> String {
        match self {
            Who::Sender => "Source".to_owned(),
            Who::Receiver(n) => format!("Member({n})"),
        }
    }

    /// Its address.
    pub fn address(self) -> Address {
        match self {
            Who::Sender => SOURCE,
            Who::Receiver(n) => Address::endpoint(n as u32 + 1),
        }
    }

    fn index(self) -> usize {
        self.address().index()
    }
}

impl<S: Endpoint, M: Endpoint, N: FnMut(Who, Who, &Packet) -> Fate> Group<S, M, N> {
    /// `members` in order, each with its one-way delay to and from the source.
    pub fn new(source: S, members: Vec<(M, Duration)>, network: N) -> Group<S, M, N> {
        let (members, delays): (Vec<M>, Vec<Duration>) = members.into_iter().unzip();
        Group {
            source,
            events: Vec::new(),
            sent: Vec::new(),
            record: false,
            pester: false,
            counts: vec![Counts::default(); members.len() + 1],
            members,
            network,
            delays,
            now: Instant::ZERO,
            under_way: BTreeMap::new(),
            hands_in: None,
            serial: 0,
            at_once: 0,
            timers: BTreeSet::new(),
            wakes: None,
            refuses: Box::new(|_, _| false),
            is_full: Box::new(|_, _| false),
            tries_on: false,
            out: Outbox::new(),
        }
    }

    /// Makes its endpoints hosts that are late: `hands_in` says of a packet that arrives when it is handed in, not
    /// before it has arrived.
    pub fn with_late_packets(mut self, hands_in: impl FnMut(Who, Instant) -> Instant + 'static) -> Self {
        self.hands_in = Some(Box::new(hands_in));
        self
    }

    /// Makes the driver late with time-outs: `wakes` says of a deadline when the endpoint is woken for it, not before
    /// it.
    pub fn with_late_timers(mut self, wakes: impl FnMut(Who, Instant) -> Instant + 'static) -> Self {
        self.wakes = Some(Box::new(wakes));
        self
    }

    /// Makes joins fail: `refuses` says which.
    pub fn with_failing_joins(mut self, refuses: impl FnMut(Who, Address) -> bool + 'static) -> Self {
        self.refuses = Box::new(refuses);
        self
    }

    /// Makes it impossible to send packets: `is_full` says which. With `tries_on` drivers try those that are behind one
    /// all the same.
    pub fn with_full_buffers(mut self, tries_on: bool, is_full: impl FnMut(Who, &Packet) -> bool + 'static) -> Self {
        (self.tries_on, self.is_full) = (tries_on, Box::new(is_full));
        self
    }

    /// The present moment.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Starts all members, then the source.
    pub fn start_all(&mut self) {
        for n in 0..self.members.len() {
            self.input(Who::Receiver(n), Input::Start);
        }
        self.input(Who::Sender, Input::Start);
    }

    /// Starts one.
    pub fn start(&mut self, who: Who) {
        self.input(who, Input::Start);
    }

    /// Stops one.
    pub fn stop(&mut self, who: Who) {
        self.input(who, Input::Stop);
    }

    /// The source's application has so many packets to send from now on.
    pub fn grant(&mut self, packets: u64) {
        self.input(Who::Sender, Input::Granted(packets));
    }

    /// The host of an endpoint is no member of a group any more, and the endpoint is told.
    pub fn unjoin(&mut self, who: Who, group: Address) {
        self.counts[who.index()].refused.insert(group.index() as u32);
        self.input(who, Input::Unjoined(group));
    }

    /// Hands in a packet that nobody has sent.
    pub fn hand(&mut self, who: Who, packet: &Packet) {
        self.input(who, Input::packet(packet, None, self.now));
    }

    /// Runs up to and including `until`.
    pub fn run_until(&mut self, until: Instant) {
        self.run_while(until, |_| true);
    }

    /// Runs up to and including `until`, but not on when `go_on` says no before some input.
    ///
    /// # Panics
    /// If an endpoint goes round in circles without time passing.
    pub fn run_while(&mut self, until: Instant, mut go_on: impl FnMut(&Self) -> bool) {
        while go_on(self) {
            let arrival = self.under_way.first_key_value().map(|(key, _)| key.0);
            let timer = self.timers.first().map(|timer| timer.0);
            let Some(next) = [arrival, timer].into_iter().flatten().min().filter(|&next| next <= until) else {
                self.now = self.now.max(until);
                return;
            };
            debug_assert!(next >= self.now);
            self.at_once = if next > self.now { 0 } else { self.at_once + 1 };
            assert!(self.at_once < 1_000_000, "nothing but inputs at {next}: an endpoint goes round in circles");
            self.now = next;
            // Arrivals before timers.
            if arrival == Some(next) {
                self.hand_in(*self.under_way.first_key_value().expect("there is one").0);
                continue;
            }
            let who = self.timers.first().expect("there is one").1;
            // What has arrived comes before a time-out, though it would wait longer without one.
            let all = self.under_way.iter().filter(|_| self.hands_in.is_some());
            let waiting = all.filter(|(key, (to, ..))| *to == who && key.1 <= next);
            match waiting.map(|(&key, _)| key).min_by_key(|key| (key.1, key.2)) {
                Some(key) => self.hand_in(key),
                None => self.input(who, Input::Timeout),
            }
        }
    }

    fn hand_in(&mut self, key: Turn) {
        let (who, packet, control) = self.under_way.remove(&key).expect("it waits");
        let Counts { joined, refused, .. } = self.counts[who.index()];
        let number = packet.destination.index() as u32;
        if !packet.destination.is_group() || (joined.contains(number) && !refused.contains(number)) {
            let counts = &mut self.counts[who.index()];
            counts.handed_pkts += 1;
            counts.handed_bytes += u64::from(packet.size);
            self.input(who, Input::packet(&packet, control.as_ref(), key.1));
        }
    }

    /// The endpoint.
    pub fn endpoint(&self, who: Who) -> &dyn Endpoint {
        match who {
            Who::Sender => &self.source,
            Who::Receiver(n) => &self.members[n],
        }
    }

    /// The source and all members.
    pub fn everyone(&self) -> impl Iterator<Item = Who> + use<S, M, N> {
        std::iter::once(Who::Sender).chain((0..self.members.len()).map(Who::Receiver))
    }

    fn input(&mut self, who: Who, input: Input<'_>) {
        let endpoint: &mut dyn Endpoint = match who {
            Who::Sender => &mut self.source,
            Who::Receiver(n) => &mut self.members[n],
        };
        feed(endpoint, self.now, input, self.pester, &mut self.out, &who);
        let (known, deadline) = (self.counts[who.index()].armed, self.endpoint(who).deadline());
        if deadline != known.map(|(deadline, _)| deadline) {
            if let Some((_, wakes)) = known {
                self.timers.remove(&(wakes, who));
            }
            // Who has been woken does all that is due before it sleeps again.
            let late = |at: Instant, wakes: &mut Box<dyn FnMut(Who, Instant) -> Instant>| wakes(who, at).max(at);
            let sleeps = self.wakes.as_mut().filter(|_| deadline.is_some_and(|at| at > self.now));
            let armed = deadline.map(|at| (at, sleeps.map_or(at, |wakes| late(at, wakes))));
            self.timers.extend(armed.map(|(_, wakes)| (wakes, who)));
            self.counts[who.index()].armed = armed;
        }
        let (mut out, mut refused, mut unsent) = (core::mem::take(&mut self.out), Vec::new(), Vec::new());
        for action in out.drain() {
            match action {
                Action::Event(event) => self.events.push((self.now, who, event)),
                Action::Send(packet) | Action::SendControl(packet, _)
                    if (!unsent.is_empty() && !self.tries_on) || (self.is_full)(who, &packet) =>
                {
                    unsent.push(packet);
                }
                Action::Send(packet) => self.send(who, packet, None),
                Action::SendControl(packet, control) => self.send(who, packet, Some(&control)),
                Action::Join(group) => {
                    let joined = &mut self.counts[who.index()].joined;
                    assert!(!joined.contains(group.index() as u32), "{who:?} joins {group:?} twice");
                    joined.insert(group.index() as u32);
                    if (self.refuses)(who, group) {
                        refused.push(group);
                    }
                }
                Action::Leave(group) => {
                    let joined = &mut self.counts[who.index()].joined;
                    assert!(joined.contains(group.index() as u32), "{who:?} leaves {group:?} unjoined");
                    joined.remove(group.index() as u32);
                    self.counts[who.index()].refused.remove(group.index() as u32);
                }
            }
        }
        self.out = out;
        // The last one first, so that numbers can be taken back.
        for packet in unsent.iter().rev() {
            self.input(who, Input::NotSent(packet));
        }
        for group in refused {
            // It may have thought better of it.
            if self.counts[who.index()].joined.contains(group.index() as u32) {
                self.unjoin(who, group);
            }
        }
    }

    fn send(&mut self, who: Who, packet: Packet, control: Option<&Control>) {
        assert!(packet.sent == self.now && packet.source == who.address(), "{who:?}: {packet:?}");
        assert!(packet.size > 0 && packet.ttl == INITIAL_TTL, "{who:?}: {packet:?}");
        if self.record {
            self.sent.push((self.now, who, packet));
        }
        let counts = &mut self.counts[who.index()];
        counts.sent_pkts += 1;
        counts.sent_bytes += u64::from(packet.size);
        if packet.destination.is_group() {
            self.everyone().filter(|&to| to != who).for_each(|to| self.copy(who, to, packet, control));
        } else if packet.destination == SOURCE {
            self.copy(who, Who::Sender, packet, control);
        } else if (1..=self.members.len()).contains(&packet.destination.index()) {
            self.copy(who, Who::Receiver(packet.destination.index() - 1), packet, control);
        }
    }

    fn copy(&mut self, from: Who, to: Who, mut packet: Packet, control: Option<&Control>) {
        let way = |who: Who| if let Who::Receiver(n) = who { self.delays[n] } else { Duration::ZERO };
        let (delay, copies) = (self.network)(from, to, &packet).carry(&mut packet, way(from) + way(to));
        for _ in 0..copies {
            self.serial += 1;
            let arrived = self.now + delay;
            let handed_in = self.hands_in.as_mut().map_or(arrived, |hands_in| hands_in(to, arrived).max(arrived));
            self.under_way.insert((handed_in, arrived, self.serial), (to, packet, control.cloned()));
        }
    }
}
