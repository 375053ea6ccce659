//! A network that only looks like one, and a clock that a test moves.

use crate::clock::Clock;
use crate::content::Content;
use crate::driver::Driver;
use crate::network::{Arrival, Batch, Interface, Network, Unsent};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::Ecn;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

/// The time of a test; a host's clock is ahead of it by an amount of its own.
#[derive(Clone)]
pub struct TestClock {
    time: Rc<Cell<Instant>>,
    ahead: Duration,
}

impl Clock for TestClock {
    fn now(&mut self) -> Instant {
        self.time.get() + self.ahead
    }

    /// Stamps are of the time of the test.
    fn arrival(&mut self, stamp: Option<Duration>) -> Instant {
        stamp.map_or(self.now(), |stamp| Instant(stamp.0) + self.ahead)
    }
}

/// What hosts are connected by: a link out of the first host, with a rate and a queue, then a delay to each other, and
/// a link to each host that has one; the way back has a delay alone.
pub struct Cloud {
    /// The time of the test.
    pub time: Rc<Cell<Instant>>,
    /// The hosts; the first has the link.
    pub hosts: Vec<Host>,
    /// The addresses of groups, by number.
    pub groups: Vec<SocketAddr>,
    /// The link's rate; none if it takes no time.
    pub rate: Option<Rate>,
    /// Packets that wait before the link at most.
    pub queue: usize,
    /// Propagation, each way.
    pub delay: Duration,
    random: Random,
    /// When the link out of the first host is free.
    free: Instant,
    serial: u64,
}

/// A host on it.
#[derive(Default)]
pub struct Host {
    /// Groups of which it is a member.
    pub joined: GroupSet,
    /// The part of what is sent to it that is lost at random.
    pub loss: f64,
    /// The rate of the link to it, and how many packets wait before that at most; none if it takes no time.
    pub link: Option<(Rate, usize)>,
    /// When that is free.
    free: Instant,
    /// Groups of which it cannot be a member.
    pub refused: GroupSet,
    /// How many datagrams its buffer takes yet.
    pub room: Option<usize>,
    /// Its interface is down.
    pub is_down: bool,
    /// What it has sent, and by how many calls.
    pub sent: Vec<(Instant, SocketAddr, Vec<u8>)>,
    /// How often it has called.
    pub calls: usize,
    /// What arrives when.
    arriving: BTreeMap<(Instant, u64), Sent>,
    /// Memberships ended.
    pub left: Vec<u32>,
    /// How long what has arrived waits until it is handed over.
    pub lag: Duration,
}

#[derive(Clone)]
struct Sent {
    bytes: Vec<u8>,
    from: SocketAddr,
    group: Option<u32>,
    ecn: Ecn,
}

/// A host's side of it.
#[derive(Clone)]
pub struct Port {
    /// The network.
    pub cloud: Rc<RefCell<Cloud>>,
    /// Whose side it is.
    pub host: usize,
}

/// The socket of a host.
pub fn socket(host: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host as u8 + 1], 40_000))
}

impl Cloud {
    /// So many hosts, of which nothing is lost.
    pub fn new(hosts: usize, groups: Vec<SocketAddr>) -> Cloud {
        Cloud {
            time: Rc::default(),
            hosts: (0..hosts).map(|_| Host::default()).collect(),
            groups,
            rate: None,
            queue: 50,
            delay: Duration::from_millis(20),
            random: Random::stream(1, "test/cloud"),
            free: Instant::ZERO,
            serial: 0,
        }
    }

    /// Other losses for another seed.
    pub fn seeded(self, seed: u64) -> Cloud {
        Cloud { random: Random::stream(seed, "test/cloud"), ..self }
    }

    /// Puts a datagram where it will be found at `at`.
    pub fn deliver(
        &mut self,
        host: usize,
        at: Instant,
        from: SocketAddr,
        (group, ecn): (Option<u32>, Ecn),
        bytes: &[u8],
    ) {
        self.serial += 1;
        let sent = Sent { bytes: bytes.to_vec(), from, group, ecn };
        self.hosts[host].arriving.insert((at, self.serial), sent);
    }

    fn transmit(&mut self, from: usize, to: SocketAddr, ecn: Ecn, bytes: &[u8]) {
        let now = self.time.get();
        self.hosts[from].sent.push((now, to, bytes.to_vec()));
        let mut at = now + self.delay;
        if let (0, Some(rate)) = (from, self.rate) {
            let time = rate.time_for(bytes.len() as u32 + 28);
            if self.free.since(now).0 >= time.0 * self.queue as u64 {
                return;
            }
            self.free = self.free.max(now) + time;
            at = self.free + self.delay;
        }
        let group = self.groups.iter().position(|group| *group == to).map(|group| group as u32);
        for host in 0..self.hosts.len() {
            let is_for = match group {
                Some(group) => host != from && self.hosts[host].joined.contains(group),
                None => to == socket(host),
            };
            if !is_for {
                continue;
            }
            let Host { loss, link, free, .. } = &mut self.hosts[host];
            let mut at = at;
            if let Some((rate, queue)) = *link {
                let time = rate.time_for(bytes.len() as u32 + 28);
                if free.since(at).0 >= time.0 * queue as u64 {
                    continue;
                }
                *free = at.max(*free) + time;
                at = *free;
            }
            let loss = *loss;
            if !(loss > 0.0 && self.random.chance(loss)) {
                self.deliver(host, at, socket(from), (group, ecn), bytes);
            }
        }
    }

    /// When something is handed over to this host next.
    pub fn arrival(&self, host: usize) -> Option<Instant> {
        let host = &self.hosts[host];
        Some(host.arriving.first_key_value()?.0.0 + host.lag)
    }

    /// When something is handed over next to one of these hosts; the others are not there.
    fn next(&self, hosts: &[usize]) -> Option<Instant> {
        hosts.iter().filter_map(|host| self.arrival(*host)).min()
    }
}

impl Network for Port {
    fn send(&mut self, batch: &Batch) -> Result<(), Unsent> {
        let mut cloud = self.cloud.borrow_mut();
        cloud.hosts[self.host].calls += 1;
        for (first, datagram) in batch.datagrams().iter().enumerate() {
            let host = &mut cloud.hosts[self.host];
            if host.is_down || host.room == Some(0) {
                return Err(Unsent { first, why: io::ErrorKind::WouldBlock.into() });
            }
            host.room = host.room.map(|room| room - 1);
            cloud.transmit(self.host, datagram.to, datagram.ecn, batch.payload(datagram));
        }
        Ok(())
    }

    fn receive(&mut self, take: &mut dyn FnMut(Arrival<'_>)) -> bool {
        let mut due = Vec::new();
        {
            let mut cloud = self.cloud.borrow_mut();
            let now = cloud.time.get();
            let host = &mut cloud.hosts[self.host];
            while due.len() < 8
                && let Some(entry) = host.arriving.first_entry()
                && entry.key().0 + host.lag <= now
            {
                due.push((entry.key().0, entry.remove()));
            }
        }
        for (at, sent) in &due {
            take(Arrival {
                bytes: &sent.bytes[..sent.bytes.len().min(2048)],
                truncated: sent.bytes.len() > 2048,
                from: sent.from,
                group: sent.group,
                ecn: sent.ecn,
                stamp: Some(Duration(at.0)),
            });
        }
        due.len() == 8
    }

    fn join(&mut self, group: u32) -> io::Result<()> {
        let host = &mut self.cloud.borrow_mut().hosts[self.host];
        if host.refused.contains(group) || host.is_down {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        host.joined.insert(group);
        Ok(())
    }

    fn leave(&mut self, group: u32) {
        let host = &mut self.cloud.borrow_mut().hosts[self.host];
        host.joined.remove(group);
        host.left.push(group);
    }

    fn watch(&mut self, _now: Instant) -> Interface {
        if self.cloud.borrow().hosts[self.host].is_down { Interface::Down } else { Interface::Up }
    }
}

/// A driver on a host, whatever it drives.
pub trait Turns {
    /// It begins.
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port);
    /// A turn; when it is to have the next one.
    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant>;
}

impl<E: Endpoint, C: Content> Turns for Driver<E, C> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        self.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        Driver::turn(self, clock, port)
    }
}

/// The clock and the port of a host.
pub fn seat(cloud: &Rc<RefCell<Cloud>>, host: usize, ahead: Duration) -> (TestClock, Port) {
    let time = Rc::clone(&cloud.borrow().time);
    (TestClock { time, ahead }, Port { cloud: Rc::clone(cloud), host })
}

/// Turns at one moment after which time stands still.
const MOST_TURNS: usize = 100_000;

/// Lets drivers run until then, each with its seat.
///
/// # Panics
///
/// If time stands still, as one of them wants the next turn at once again and again.
pub fn run(drivers: &mut [(&mut dyn Turns, TestClock, Port)], until: Instant) {
    let (time, cloud) = (Rc::clone(&drivers[0].1.time), Rc::clone(&drivers[0].2.cloud));
    let hosts: Vec<usize> = drivers.iter().map(|(_, _, port)| port.host).collect();
    let mut turns = (time.get(), 0);
    loop {
        turns = if turns.0 == time.get() { (turns.0, turns.1 + 1) } else { (time.get(), 0) };
        assert!(turns.1 < MOST_TURNS, "time stands still at {:?}", turns.0);
        let mut next = until;
        for (driver, clock, port) in &mut *drivers {
            if let Some(due) = driver.turn(clock, port) {
                next = next.min(Instant(due.0.saturating_sub(clock.ahead.0)));
            }
        }
        next = cloud.borrow().next(&hosts).map_or(next, |at| at.min(next));
        if next >= until {
            time.set(until);
            return;
        }
        time.set(next.max(time.get()));
    }
}
