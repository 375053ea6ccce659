//! The driver of an endpoint: hands its inputs in, carries its outbox out, and keeps its deadline.
//!
//! It keeps to what [`Endpoint`] asks of drivers. What has arrived comes before a time-out that is due; a packet comes
//! with the moment at which it arrived; what could not be sent comes back, the last first; a membership that is not to
//! be had, or is lost, is said.

mod hearing;
mod names;

use crate::clock::Clock;
use crate::content::{Content, Refused};
use crate::counters::Counters;
use crate::debt::{AT_ONCE, Debt};
use crate::directory::{Directory, OWN};
use crate::group_use::GroupUse;
use crate::groups::Groups;
use crate::network::{Batch, Interface, Network};
use crate::other_sources::OtherSources;
use crate::rests::Rests;
use faircast_codec::encode;
use faircast_proto::control::Control;
use faircast_proto::endpoint::{Action, Endpoint, Input, Outbox};
use faircast_proto::group_set::{GroupPlan, GroupSet, Role};
use faircast_proto::limits::Illegal;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::time::{Instant, Rate};
use faircast_proto::wire::{IP_BYTES, UDP_BYTES};
use names::Names;
use std::io;
use std::mem;
use std::net::{IpAddr, SocketAddr};

/// An endpoint with all that it needs to be on a network.
#[derive(Debug)]
pub struct Driver<E, C> {
    endpoint: E,
    content: C,
    setting: Setting,
    directory: Directory,
    /// Whose data a member takes.
    source: Option<Source>,
    /// The groups of which the host is a member.
    joined: GroupSet,
    interface: Interface,
    /// Whether the interface took the last group with data with it.
    lost_all: bool,
    out: Outbox,
    batch: Batch,
    /// The packets of the batch.
    packets: Vec<Packet>,
    /// Packets that could not be sent, in order, of which the endpoint has not been told.
    unsent: Vec<Packet>,
    /// Groups that are not to be had, of which it has not been told.
    unjoined: Vec<Address>,
    /// A message while it is sealed or opened.
    sealing: Vec<u8>,
    /// The number of what is said next beside the endpoint's messages.
    saying: u64,
    deadline: Option<Instant>,
    /// When the endpoint was called last.
    now: Instant,
    counters: Counters,
    /// Of each group.
    uses: Vec<GroupUse>,
    others: OtherSources,
    rests: Rests,
    debt: Debt,
    /// What a source sends at most.
    max_rate: Option<Rate>,
}

/// What a driver is told about its session.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Whether the endpoint sends the data or receives it.
    pub part: Part,
    /// The groups.
    pub groups: Groups,
    /// What each of them is for.
    pub plan: Vec<GroupPlan>,
    /// The kind of its headers, as [`Header::kind`](faircast_proto::packet::Header::kind) has it.
    pub kind: &'static str,
}

impl Setting {
    /// Otherwise nothing would be taken, or go where nobody listens, and nobody would know why.
    fn check(&self) -> Result<(), Illegal> {
        if let Some(complaint) = GroupPlan::complaint(&self.plan) {
            return Err(Illegal::one("plan", complaint));
        }
        let (count, legal) = (self.groups.count(), self.plan.len());
        if count as usize != legal {
            return Err(Illegal::one("groups", format!("{count} given; legal are the {legal} of the session")));
        }
        if !Header::KINDS.contains(&self.kind) {
            let legal = Header::KINDS.join(", ");
            return Err(Illegal::one("kind", format!("{:?} given; legal are {legal}", self.kind)));
        }
        Ok(())
    }
}

/// An endpoint's part in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It sends the data.
    Source,
    /// It receives data, of this host's if one is named, or of the first that is heard.
    Member {
        /// Whose.
        of: Option<IpAddr>,
    },
}

/// The source that a member hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its id.
    pub id: u64,
    /// Where its data comes from, and reports go.
    pub at: SocketAddr,
}

/// Datagrams after which a turn receives no more, so that a flood cannot keep time-outs from being handed in.
const MOST_DATAGRAMS: u32 = 1024;
/// Time-outs handed in before what has arrived is looked at again. Sources send one packet for each.
const MOST_TIMEOUTS: u32 = 64;
/// Answers to what an endpoint asks for when it is told that something failed. None asks for the same again at once;
/// the bound is for those that are not of this tree.
const MOST_ANSWERS: u32 = 16;
/// Kinds of headers of schemes whose sources, or some of them, have a window, and not a rate alone.
const WINDOWED: [&str; 2] = ["pgmcc", "smcc"];

impl<E: Endpoint, C: Content> Driver<E, C> {
    /// A driver that has not started.
    ///
    /// # Errors
    ///
    /// The groups are not those of the plan, no scheme could have such a plan, or there are no headers of that kind.
    pub fn new(endpoint: E, content: C, setting: Setting, directory: Directory) -> Result<Driver<E, C>, Illegal> {
        setting.check()?;
        let rests = Rests::new(!WINDOWED.contains(&setting.kind));
        let uses = vec![GroupUse::default(); setting.plan.len()];
        Ok(Driver {
            endpoint,
            content,
            setting,
            directory,
            source: None,
            joined: GroupSet::EMPTY,
            interface: Interface::Up,
            lost_all: false,
            out: Outbox::new(),
            batch: Batch::default(),
            packets: Vec::new(),
            unsent: Vec::new(),
            unjoined: Vec::new(),
            sealing: Vec::new(),
            saying: 0,
            deadline: None,
            now: Instant::ZERO,
            counters: Counters::default(),
            uses,
            others: OtherSources::default(),
            rests,
            debt: Debt::None,
            max_rate: None,
        })
    }

    /// It drives a source that sends no more than this: what it owes when it was late is paid by this rate, where the
    /// source says no other.
    #[must_use]
    pub fn bounded(mut self, max_rate: Rate) -> Driver<E, C> {
        self.max_rate = Some(max_rate);
        self
    }

    /// Lets the endpoint begin.
    pub fn start(&mut self, clock: &mut impl Clock, network: &mut impl Network) {
        self.hand_in(clock.now(), Input::Start, network);
        self.carry_out(clock, network);
    }

    /// Lets the endpoint stop. It may still have something to say: go on with turns for as long as there is a
    /// [`deadline`](Self::deadline), or as one likes.
    pub fn stop(&mut self, clock: &mut impl Clock, network: &mut impl Network) {
        self.hand_in(clock.now(), Input::Stop, network);
        self.carry_out(clock, network);
    }

    /// Says how many packets of data there are for a source to send, as [`Input::Granted`] has it.
    pub fn grant(&mut self, packets: u64, clock: &mut impl Clock, network: &mut impl Network) {
        self.hand_in(clock.now(), Input::Granted(packets), network);
        self.carry_out(clock, network);
    }

    /// Says something to the source of which the endpoint knows nothing, by unicast: a datagram with this behind its
    /// header, sealed as the endpoint's messages are. Whether it could be sent; it cannot before a source is heard.
    pub fn say(&mut self, what: &[u8], clock: &mut impl Clock, network: &mut impl Network) -> bool {
        let Some(source) = self.source else { return false };
        let packet = Packet {
            sent: clock.now(),
            flow: FlowId(0),
            source: OWN,
            destination: self.directory.address(source.id),
            size: 0,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Datagram { sequence: self.saying },
        };
        self.saying += 1;
        self.carry_out(clock, network);
        let (names, content) = (Names::of(&self.directory), &mut self.content);
        let mut message = mem::take(&mut self.sealing);
        message.clear();
        let sealed = encode(&packet, None, &names, &mut message).map_err(|_| Refused).and_then(|at| {
            message.extend_from_slice(what);
            content.seal(&mut message, at)
        });
        let pushed = sealed.and_then(|()| {
            self.batch.push((source.at, Ecn::NotCapable), |bytes| {
                bytes.extend_from_slice(&message);
                Ok(())
            })
        });
        self.sealing = message;
        let sent = pushed.is_ok() && network.send(&self.batch).is_ok();
        self.batch.clear();
        self.counters.sent += u64::from(sent);
        self.counters.not_sent += u64::from(!sent);
        sent
    }

    /// Hands in what has arrived, then time-outs that are due, and carries out what is asked for. When to be called
    /// again if nothing arrives before; what is past means at once.
    pub fn turn(&mut self, clock: &mut impl Clock, network: &mut impl Network) -> Option<Instant> {
        self.watch(clock, network);
        // A source that takes a packet first may send what is due with it, and then no deadline tells since when.
        let due = self.deadline;
        let mut received = 0;
        while received < MOST_DATAGRAMS {
            let mut now = None;
            // What the endpoint asks for waits until the batch is through: it has been in the buffer for as long.
            let has_more = network.receive(&mut |arrival| {
                received += 1;
                let now = *now.get_or_insert_with(|| clock.now());
                let arrived = clock.arrival(arrival.stamp).min(now);
                self.hear(now, arrived, &arrival);
            });
            self.collect(network);
            if !has_more {
                // It goes with what is due, which is looked at now.
                break;
            }
            self.carry_out(clock, network);
        }
        // Packets that are due go together, and so at one time; what becomes due meanwhile is for the next turn.
        let now = clock.now();
        self.owe(now, due);
        let held = self.time_out(now, network);
        self.carry_out(clock, network);
        self.rests.look(now);
        self.rests.hold(held.is_some());
        held.or(self.deadline)
    }

    /// How long to rest before the next turn, where the next deadline allows for it.
    pub fn rests(&mut self) -> &mut Rests {
        &mut self.rests
    }

    /// When the endpoint wants to be called; none if it waits for packets alone.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// What is driven.
    pub fn endpoint(&self) -> &E {
        &self.endpoint
    }

    /// What its packets carry.
    pub fn content(&self) -> &C {
        &self.content
    }

    /// What its packets carry, to be changed.
    pub fn content_mut(&mut self) -> &mut C {
        &mut self.content
    }

    /// Gives back what its packets carry, for another driver.
    pub fn into_content(self) -> C {
        self.content
    }

    /// What has been counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// From where data comes that is not taken, as it is not of the source. Of a member that was told a host nobody is
    /// another source.
    pub fn other_sources(&self) -> &OtherSources {
        &self.others
    }

    /// When the endpoint was called last.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// What has been counted of each group, by its number.
    pub fn group_uses(&self) -> &[GroupUse] {
        &self.uses
    }

    /// Whom it knows.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Whose data a member takes, when it has heard some.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// The groups of which the host is a member for it.
    pub fn joined(&self) -> GroupSet {
        self.joined
    }

    /// Looks whether a turn is so late that the source owes more than may go at once.
    fn owe(&mut self, now: Instant, due: Option<Instant>) {
        if let Some(due) = due
            && now.since(due) > AT_ONCE
            && self.pays_by().is_some()
        {
            self.debt.begin(now, due);
        }
        self.pay(now, 0);
    }

    /// Counts the packets in the batch from this one on to what is paid of a debt, if there is one.
    fn pay(&mut self, now: Instant, from: usize) {
        if self.debt != Debt::None
            && let Some(rate) = self.pays_by()
        {
            self.packets[from..].iter().for_each(|packet| self.debt.pay(now, packet.size, rate));
        }
    }

    /// Hands in time-outs that are due. Until when the next is held, if more is owed than may go at once.
    fn time_out(&mut self, now: Instant, network: &mut impl Network) -> Option<Instant> {
        for _ in 0..MOST_TIMEOUTS {
            let Some(due) = self.deadline.filter(|&due| due <= now) else {
                self.debt.settle(self.deadline);
                return None;
            };
            if let Some(until) = self.debt.held(now) {
                return Some(until);
            }
            self.counters.timed_out(now.since(due));
            let before = self.packets.len();
            self.hand_in(now, Input::Timeout, network);
            self.pay(now, before);
        }
        None
    }

    /// By which rate a source pays what it owes: its own, or where it has a window, or layers with a schedule beside,
    /// the greatest.
    fn pays_by(&self) -> Option<Rate> {
        if self.setting.part != Part::Source {
            return None;
        }
        let has_rate = !WINDOWED.contains(&self.setting.kind);
        let own_bps = Some(self.endpoint.report().rate_bps).filter(|rate| has_rate && *rate >= 1.0);
        own_bps.map(|rate| Rate(rate as u64)).into_iter().chain(self.max_rate).min()
    }

    fn hand_in(&mut self, now: Instant, input: Input<'_>, network: &mut impl Network) {
        self.call(now, input);
        self.collect(network);
    }

    /// Calls the endpoint. Of groups that it leaves nothing more is handed in, also of what has come with this.
    fn call(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        let before = self.out.actions().len();
        self.deadline = self.endpoint.handle_until(now, input, &mut self.out);
        for action in &self.out.actions()[before..] {
            if let Action::Leave(group) = action
                && let Some(number) = self.setting.groups.number(*group)
            {
                self.joined.remove(number);
                self.uses[number as usize].leaves(now);
            }
        }
    }

    /// Takes the outbox over: packets into the batch, memberships at once.
    fn collect(&mut self, network: &mut impl Network) {
        let mut out = mem::take(&mut self.out);
        for action in out.drain() {
            match action {
                Action::Send(packet) => self.put(packet, None),
                Action::SendControl(packet, control) => self.put(packet, Some(&control)),
                Action::Join(group) => self.join(group, network),
                Action::Leave(group) => {
                    if let Some(number) = self.setting.groups.number(group) {
                        self.joined.remove(number);
                        self.uses[number as usize].leaves(self.now);
                        self.counters.leaves += 1;
                        network.leave(number);
                    }
                }
                Action::Event(event) => self.content.event(self.now, &event),
            }
        }
        self.out = out;
    }

    fn join(&mut self, group: Address, network: &mut impl Network) {
        let number = self.setting.groups.number(group);
        match number.map(|number| (number, network.join(number))) {
            Some((number, Ok(()))) => {
                self.counters.joins += 1;
                self.joined.insert(number);
                self.uses[number as usize].joins(self.now);
            }
            Some((_, Err(why))) => self.fail_to_join(group, why.kind()),
            None => self.fail_to_join(group, io::ErrorKind::InvalidInput),
        }
    }

    fn fail_to_join(&mut self, group: Address, why: io::ErrorKind) {
        self.counters.unjoined += 1;
        self.counters.last_failure = Some(why);
        self.unjoined.push(group);
    }

    /// Puts a packet into the batch, or among those that cannot be sent.
    fn put(&mut self, packet: Packet, control: Option<&Control>) {
        let Some(to) = self.socket(packet.destination) else {
            self.counters.last_failure = Some(io::ErrorKind::AddrNotAvailable);
            return self.unsent.push(packet);
        };
        let payload = usize::from(packet.size.saturating_sub(IP_BYTES + UDP_BYTES));
        let (names, content) = (Names::of(&self.directory), &mut self.content);
        let (seal, is_data, sealing) = (content.seal_bytes(), packet.is_data(), &mut self.sealing);
        let pushed = self.batch.push((to, packet.ecn), |bytes| {
            let start = bytes.len();
            let into = if seal == 0 { &mut *bytes } else { &mut *sealing };
            let at = if seal == 0 { start } else { 0 };
            into.truncate(at);
            let message = encode(&packet, control, &names, into).map_err(|_| Refused)?;
            let payload = payload.saturating_sub(if is_data { seal } else { 0 });
            let room = payload.saturating_sub(message);
            if is_data && room > 0 {
                content.fill(&packet, room, into);
            }
            if !is_data || content.is_padded() {
                into.resize(at + payload.max(message), 0);
            } else {
                into.truncate(at + payload.max(message));
            }
            if seal > 0 {
                content.seal(into, message)?;
                bytes.extend_from_slice(sealing);
            }
            Ok::<(), Refused>(())
        });
        match pushed {
            Ok(()) => self.packets.push(packet),
            Err(_) => {
                self.counters.last_failure = Some(io::ErrorKind::Unsupported);
                self.unsent.push(packet);
            }
        }
    }

    fn socket(&self, address: Address) -> Option<SocketAddr> {
        match self.setting.groups.number(address) {
            Some(number) => self.setting.groups.socket(number),
            None => Some(self.directory.peer(address)?.at),
        }
    }

    /// Sends the batch and tells the endpoint what failed, until nothing is left to be said.
    fn carry_out(&mut self, clock: &mut impl Clock, network: &mut impl Network) {
        for _ in 0..MOST_ANSWERS {
            self.send(network);
            if self.unsent.is_empty() && self.unjoined.is_empty() {
                return;
            }
            let now = clock.now();
            while let Some(packet) = self.unsent.pop() {
                self.counters.not_sent += 1;
                self.content.not_sent(&packet);
                self.call(now, Input::NotSent(&packet));
            }
            for group in mem::take(&mut self.unjoined) {
                self.call(now, Input::Unjoined(group));
            }
            self.collect(network);
        }
    }

    fn send(&mut self, network: &mut impl Network) {
        if self.batch.is_empty() {
            return;
        }
        let mut sent = self.batch.len();
        if let Err(failure) = network.send(&self.batch) {
            sent = failure.first;
            self.counters.last_failure = Some(failure.why.kind());
        }
        self.counters.sent += sent as u64;
        self.rests.sent(sent as u64, self.batch.bytes_of(sent) as u64);
        for packet in &self.packets[..sent] {
            if let Some(number) = self.setting.groups.number(packet.destination) {
                self.uses[number as usize].sends(packet.size);
            }
        }
        self.unsent.extend(self.packets.drain(..).skip(sent));
        self.batch.clear();
    }

    /// Looks after the interface: memberships go with it, and a member that has lost all its data begins again.
    fn watch(&mut self, clock: &mut impl Clock, network: &mut impl Network) {
        let before = mem::replace(&mut self.interface, network.watch(clock.now()));
        match (before, self.interface) {
            (Interface::Up, Interface::Down) => {
                let (lost, now) = (mem::take(&mut self.joined), clock.now());
                self.uses.iter_mut().for_each(|of| of.leaves(now));
                let has_data = |number: u32| matches!(self.setting.plan[number as usize].role, Role::Layer(_));
                self.lost_all = lost.iter().any(has_data);
                lost.iter().for_each(|number| network.leave(number));
                lost.iter().for_each(|number| self.fail_to_join(Address::group(number), io::ErrorKind::NetworkDown));
                self.carry_out(clock, network);
            }
            (Interface::Down, Interface::Up) if mem::take(&mut self.lost_all) => self.start(clock, network),
            _ => {}
        }
    }
}
