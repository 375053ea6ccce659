//! A sender and receivers in virtual time, with links that lose and delay, and take what they are given.

use faircast_norm::receiver::{self, Receiver, Sink};
use faircast_norm::sender::{self, Objects, Offered, Sender};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;

/// Whom a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Sender,
    Rival,
    Member(usize),
}

/// On its way.
struct Datagram {
    from: Host,
    to: Host,
    is_unicast: bool,
    bytes: Vec<u8>,
}

/// Objects in memory.
pub struct Files(pub Vec<Vec<u8>>);

impl Objects for Files {
    type Error = Infallible;

    fn read(&mut self, object: usize, at: u64, into: &mut [u8]) -> Result<(), Infallible> {
        into.copy_from_slice(&self.0[object][at as usize..at as usize + into.len()]);
        Ok(())
    }
}

/// What a receiver has: pieces of objects, and whole ones by their names.
#[derive(Default)]
pub struct Memory {
    pub pieces: BTreeMap<u64, Vec<u8>>,
    pub whole: BTreeMap<String, Vec<u8>>,
    pub abandoned: usize,
}

impl Sink for Memory {
    type Error = Infallible;

    fn write(&mut self, object: u64, at: u64, bytes: &[u8]) -> Result<bool, Infallible> {
        let of = self.pieces.entry(object).or_default();
        let (at, end) = (at as usize, at as usize + bytes.len());
        if of.len() < end {
            of.resize(end, 0);
        }
        of[at..end].copy_from_slice(bytes);
        Ok(true)
    }

    fn complete(&mut self, object: u64, bytes: u64, information: Option<&[u8]>) -> Result<(), Infallible> {
        let content = self.pieces.remove(&object).unwrap_or_default();
        assert_eq!(content.len() as u64, bytes);
        let name = String::from_utf8(information.expect("all have names").to_vec()).expect("a name");
        assert!(self.whole.insert(name, content).is_none(), "once");
        Ok(())
    }

    fn abandon(&mut self, object: u64) {
        self.pieces.remove(&object);
        self.abandoned += 1;
    }
}

/// A receiver and the way to it.
pub struct Member {
    pub receiver: Receiver,
    pub memory: Memory,
    /// The part of datagrams that is lost, on both ways.
    pub loss: f64,
    pub delay: Duration,
    /// From when on it is there, and until when.
    pub from: Instant,
    pub until: Instant,
    /// Until then nothing of the first sender comes to it.
    pub deaf_to_first_until: Instant,
    is_unicast: bool,
}

pub struct World {
    pub now: Instant,
    pub sender: Sender,
    pub files: Files,
    /// Another sender in the group.
    pub rival: Option<(Sender, Files)>,
    pub members: Vec<Member>,
    /// By when they come, and in which order they were sent.
    datagrams: BTreeMap<(Instant, u64), Datagram>,
    count: u64,
    random: Random,
    /// Every datagram that was sent, by whom.
    pub sent: Vec<(Option<usize>, Vec<u8>)>,
}

pub fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(1000.0 + seconds)
}

/// A content that tells symbols from each other.
pub fn content(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::stream(seed, "norm/content");
    (0..bytes).map(|_| random.uniform_in(0.0, 256.0) as u8).collect()
}

impl World {
    /// A sender of these files, at 4 Mbit/s at most.
    pub fn new(files: &[(&str, Vec<u8>)], seed: u64) -> World {
        World {
            now: at(0.0),
            sender: sender_of(files, 1, 7, at(0.0)),
            files: Files(files.iter().map(|(_, content)| content.clone()).collect()),
            rival: None,
            members: Vec::new(),
            datagrams: BTreeMap::new(),
            count: 0,
            random: Random::stream(seed, "norm/world"),
            sent: Vec::new(),
        }
    }

    /// Another sender, of these files, in the group.
    pub fn rival(&mut self, files: &[(&str, Vec<u8>)]) {
        let content = files.iter().map(|(_, content)| content.clone()).collect();
        self.rival = Some((sender_of(files, 2, 7, self.now), Files(content)));
    }

    /// One more receiver, 20 ms away.
    pub fn member(&mut self, loss: f64, from: f64, is_unicast: bool) -> usize {
        let index = self.members.len();
        let settings = receiver::Settings { node: 100 + index as u32, is_unicast };
        let receiver = Receiver::new(settings, index as u64).expect("legal");
        let delay = Duration::from_millis(20);
        let (memory, from, until) = (Memory::default(), at(from), Instant::FAR_FUTURE);
        let deaf_to_first_until = Instant::ZERO;
        self.members.push(Member { receiver, memory, loss, delay, from, until, deaf_to_first_until, is_unicast });
        index
    }

    /// Goes on until something is so, for at most so many seconds; whether it is.
    pub fn run(&mut self, seconds: f64, mut until: impl FnMut(&World) -> bool) -> bool {
        let end = self.now + Duration::from_secs_f64(seconds);
        loop {
            self.speak();
            if until(self) {
                return true;
            }
            let alive = self.members.iter().filter(|member| member.from <= self.now && self.now < member.until);
            let next = alive
                .map(|member| member.receiver.deadline())
                .chain(self.datagrams.keys().next().map(|(at, _)| *at))
                .chain([self.sender.deadline()])
                .chain(self.rival.iter().map(|(rival, _)| rival.deadline()))
                .min()
                .expect("the sender's");
            if next >= end {
                self.now = end;
                return false;
            }
            self.now = self.now.max(next);
            while self.datagrams.first_key_value().is_some_and(|((at, _), _)| *at <= self.now) {
                let (_, datagram) = self.datagrams.pop_first().expect("there is one");
                self.deliver(&datagram);
            }
        }
    }

    fn deliver(&mut self, Datagram { from, to, is_unicast, bytes }: &Datagram) {
        match *to {
            Host::Sender => self.sender.hear(self.now, self.now, *is_unicast, bytes),
            Host::Rival => {
                let (rival, _) = self.rival.as_mut().expect("it was there when this was sent");
                rival.hear(self.now, self.now, *is_unicast, bytes);
            }
            Host::Member(index) => {
                let Member { receiver, memory, from: begin, until, deaf_to_first_until, .. } = &mut self.members[index];
                let is_deaf = *from == Host::Sender && self.now < *deaf_to_first_until;
                if (*begin..*until).contains(&self.now) && !is_deaf {
                    receiver.hear((self.now, self.now), socket(*from), bytes, memory).unwrap();
                }
            }
        }
    }

    /// Everybody says what is due.
    fn speak(&mut self) {
        let mut out = Vec::new();
        while self.sender.next(self.now, &mut self.files, &mut out).unwrap() {
            let bytes = std::mem::take(&mut out);
            self.sent.push((None, bytes.clone()));
            self.put_to_others(Host::Sender, &bytes);
        }
        let mut rival = self.rival.take();
        let mut spoken = Vec::new();
        if let Some((rival, files)) = &mut rival {
            while rival.next(self.now, files, &mut out).unwrap() {
                spoken.push(std::mem::take(&mut out));
            }
        }
        self.rival = rival;
        spoken.iter().for_each(|bytes| self.put_to_others(Host::Rival, bytes));
        for index in 0..self.members.len() {
            let member = &self.members[index];
            if !(member.from..member.until).contains(&self.now) {
                continue;
            }
            while self.members[index].receiver.next(self.now, &mut out) {
                let bytes = std::mem::take(&mut out);
                self.sent.push((Some(index), bytes.clone()));
                let is_unicast = self.members[index].is_unicast;
                // What is said to one of them alone comes to that one alone.
                let is_rivals = self.members[index].receiver.sender() == Some(socket(Host::Rival));
                if !is_unicast || !is_rivals {
                    self.put(Host::Member(index), Host::Sender, is_unicast, &bytes);
                }
                if self.rival.is_some() && (!is_unicast || is_rivals) {
                    self.put(Host::Member(index), Host::Rival, is_unicast, &bytes);
                }
                for other in (0..self.members.len()).filter(|&other| other != index && !is_unicast) {
                    self.put(Host::Member(index), Host::Member(other), false, &bytes);
                }
            }
        }
    }

    /// What a sender says to the group.
    fn put_to_others(&mut self, from: Host, bytes: &[u8]) {
        let other = if from == Host::Sender { Host::Rival } else { Host::Sender };
        if self.rival.is_some() {
            self.put(from, other, false, bytes);
        }
        for index in 0..self.members.len() {
            self.put(from, Host::Member(index), false, bytes);
        }
    }

    fn put(&mut self, from: Host, to: Host, is_unicast: bool, bytes: &[u8]) {
        let mut delay = Duration::ZERO;
        for host in [from, to] {
            let Host::Member(index) = host else { continue };
            let member = &self.members[index];
            if self.random.chance(member.loss) {
                return;
            }
            delay = Duration(delay.0 + member.delay.0);
        }
        self.count += 1;
        let bytes = bytes.to_vec();
        self.datagrams.insert((self.now + delay, self.count), Datagram { from, to, is_unicast, bytes });
    }

    /// Whether these have everything as it was.
    pub fn have(&self, members: &[usize], files: &[(&str, Vec<u8>)]) -> bool {
        let has = |member: &Member| files.iter().all(|(name, content)| member.memory.whole.get(*name) == Some(content));
        members.iter().all(|&member| has(&self.members[member]))
    }
}

/// A sender of these files that begins now.
pub fn sender_of(files: &[(&str, Vec<u8>)], node: u32, instance: u16, now: Instant) -> Sender {
    let offered = files
        .iter()
        .map(|(name, content)| Offered { information: name.as_bytes().to_vec(), bytes: content.len() as u64 });
    let settings =
        sender::Settings { node, instance, packet_bytes: 1000, max_rate: Rate(4_000_000), backoff: 4, group_size: 10 };
    let mut sender = Sender::new(settings, offered.collect()).expect("legal");
    sender.start(now);
    sender
}

fn socket(host: Host) -> SocketAddr {
    let last = match host {
        Host::Sender => 1,
        Host::Rival => 2,
        Host::Member(index) => 10 + index as u8,
    };
    SocketAddr::from(([10, 0, 0, last], 5000))
}
