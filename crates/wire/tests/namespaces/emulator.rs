//! The emulator: hosts on the left and on the right, and between them a link for each direction.

use crate::link::{Link, Shape};
use faircast_proto::time::{Duration, Instant};
use faircast_wire::clock::{Clock, HostClock};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use tun_rs::SyncDevice;

/// A host's tunnel.
pub struct Port {
    pub device: SyncDevice,
    pub address: Ipv4Addr,
}

/// What an emulator has done.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Bytes that have come over the link to the right in each tenth of a second, of what is first and of the TCP
    /// beside it.
    pub tenths: Vec<[u64; 2]>,
    /// Packets of that TCP over the link to the right, and over that back: how often it is acknowledged.
    pub segments: [u64; 2],
    /// The most packets of it that have come to it one right after another, within [`AT_ONCE`] each.
    pub burst: u64,
    /// Packets that found no room there.
    pub dropped: u64,
    /// Packets handed over, and among them those that were late by more than [`LATE`].
    pub packets: u64,
    pub late: u64,
    /// How late packets were together, and at most.
    pub lateness: Duration,
    pub latest: Duration,
}

/// What changes rates: a tenth of the round-trip time of the tests.
pub const LATE: Duration = Duration::from_millis(4);

/// What comes within this of the packet before has not been paced: 0.8 ms is the gap of a packet on the link of the
/// tests.
const AT_ONCE: Duration = Duration::from_micros(200);

const UDP: u8 = 17;
const TCP: u8 = 6;

/// Moves packets until it is told to stop. Those of the host `beside`, if there is one, are told apart.
pub fn emulate(
    (left, right): (&[Port], &[Port]),
    ([there, back], seed): ([Shape; 2], u64),
    beside: Option<Ipv4Addr>,
    stop: &AtomicBool,
) -> Record {
    let mut clock = HostClock::new(Instant::ZERO);
    let (mut there, mut back) = (Link::new(there, 2 * seed + 1), Link::new(back, 2 * seed + 2));
    let mut record = Record::default();
    let mut buffer = vec![0; 65_536];
    let mut burst = Burst::default();
    while !stop.load(Ordering::Relaxed) {
        let due = there.due().into_iter().chain(back.due()).min();
        let wait = due.map_or(Duration::from_millis(100), |due| due.since(clock.now()));
        let mut ready: Vec<PollFd<'_>> =
            left.iter().chain(right).map(|port| PollFd::new(port.device.as_fd(), PollFlags::POLLIN)).collect();
        let wait = TimeSpec::from_duration(std::time::Duration::from_nanos(wait.0));
        // An interruption is as good as a time-out.
        let _ = ppoll(&mut ready, Some(wait), None);
        for (ports, link) in [(left, &mut there), (right, &mut back)] {
            let is_there = std::ptr::eq(ports, left);
            for port in ports {
                while let Ok(length) = port.device.recv(&mut buffer) {
                    if destination(&buffer[..length]).is_some() {
                        let now = clock.now();
                        link.offer(now, &buffer[..length]);
                        if is_there && Some(source(&buffer)) == beside {
                            record.burst = record.burst.max(burst.come(now));
                        }
                    }
                }
            }
        }
        let now = clock.now();
        while let Some((at, packet)) = there.take(now) {
            record.handed_over(now.since(at));
            record.count(at, &packet, Some(source(&packet)) == beside);
            deliver(right, &packet);
        }
        while let Some((at, packet)) = back.take(now) {
            record.handed_over(now.since(at));
            record.segments[1] += u64::from(beside.is_some() && destination(&packet) == beside);
            deliver(left, &packet);
        }
    }
    record.dropped = there.dropped;
    record
}

/// Packets that come one right after another.
#[derive(Default)]
struct Burst {
    last: Instant,
    packets: u64,
}

impl Burst {
    /// One more comes; how many there are with it.
    fn come(&mut self, now: Instant) -> u64 {
        self.packets = if now.since(self.last) <= AT_ONCE { self.packets + 1 } else { 1 };
        self.last = now;
        self.packets
    }
}

/// Where a packet of UDP or TCP over IPv4 goes; what hosts say to routers and neighbours goes nowhere.
fn destination(packet: &[u8]) -> Option<Ipv4Addr> {
    let is_counted = packet.len() >= 20 && packet[0] >> 4 == 4 && [UDP, TCP].contains(&packet[9]);
    is_counted.then(|| Ipv4Addr::new(packet[16], packet[17], packet[18], packet[19]))
}

/// Where a packet of IPv4 comes from.
fn source(packet: &[u8]) -> Ipv4Addr {
    Ipv4Addr::new(packet[12], packet[13], packet[14], packet[15])
}

/// Gives a packet to all whom it is for; a tunnel that is full or closed loses it.
fn deliver(ports: &[Port], packet: &[u8]) {
    let Some(to) = destination(packet) else { return };
    for port in ports.iter().filter(|port| to.is_multicast() || port.address == to) {
        let _ = port.device.send(packet);
    }
}

impl Record {
    fn handed_over(&mut self, late: Duration) {
        self.packets += 1;
        self.late += u64::from(late > LATE);
        self.lateness = self.lateness + late;
        self.latest = self.latest.max(late);
    }

    fn count(&mut self, at: Instant, packet: &[u8], is_beside: bool) {
        let tenth = (10.0 * at.as_secs_f64()) as usize;
        if self.tenths.len() <= tenth {
            self.tenths.resize(tenth + 1, [0; 2]);
        }
        self.tenths[tenth][usize::from(is_beside)] += packet.len() as u64;
        self.segments[0] += u64::from(is_beside);
    }

    /// What came of what is first and of the TCP beside it from one tenth of a second up to another, Mbit/s.
    pub fn mbps(&self, from: usize, to: usize) -> [f64; 2] {
        let of = |which: usize| self.tenths.iter().take(to).skip(from).map(|bytes| bytes[which]).sum::<u64>();
        [0, 1].map(|which| 10.0 * 8.0 * of(which) as f64 / (to - from) as f64 / 1e6)
    }

    /// Why what was measured says nothing, if it does not: the machine had no time for the emulator.
    pub fn excuse(&self) -> Option<String> {
        let (late, latest_ms) = (self.late as f64 / self.packets.max(1) as f64, self.latest.as_secs_f64() * 1e3);
        (late > MOST_LATE).then(|| {
            let late = format!("{:.1} % of its packets were late by more than {} ms", 100.0 * late, LATE.0 / 1_000_000);
            format!("the machine was too busy to emulate a link: {late}, at most {latest_ms:.0} ms")
        })
    }
}

/// The part of packets that may be late. A choice: a stall a minute of 50 ms makes 1 in 1000 late.
const MOST_LATE: f64 = 0.01;
