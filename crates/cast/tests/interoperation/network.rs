//! A network between hosts on the left and on the right: a link for each direction, and losses at each far end.

use crate::host::{Started, address, host};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_wire::clock::{Clock as _, HostClock};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tun_rs::SyncDevice;

/// A host with what it does, which begins when all are there.
pub struct Port {
    device: SyncDevice,
    address: Ipv4Addr,
    /// The part of what comes to it that is lost.
    loss: f64,
    started: Started<()>,
}

impl Port {
    /// The host with this number.
    pub fn new(number: u8, loss: f64, work: impl FnOnce() + Send + 'static) -> Result<Port, String> {
        let (device, started) = host(number, work)?.connected();
        Ok(Port { device, address: address(number), loss, started })
    }
}

/// What has been seen.
#[derive(Debug, Default)]
pub struct Record {
    /// Bytes that have come to the right in each second, of UDP and of TCP.
    seconds: Vec<[u64; 2]>,
    packets: u64,
    late: u64,
}

/// 10 Mbit/s, 20 ms each way, 50 packets.
const RATE: Rate = Rate(10_000_000);
const DELAY: Duration = Duration::from_millis(20);
const LIMIT: usize = 50;
/// Packets that are later than this change rates; with more than a hundredth of them a measurement says nothing.
const LATE: Duration = Duration::from_millis(4);
const MOST_LATE: f64 = 0.01;
const UDP: u8 = 17;
const TCP: u8 = 6;

#[derive(Default)]
struct Link {
    departures: VecDeque<Instant>,
    on_the_way: VecDeque<(Instant, Vec<u8>)>,
    free: Instant,
}

impl Link {
    fn offer(&mut self, now: Instant, packet: &[u8]) {
        while self.departures.front().is_some_and(|&left| left <= now) {
            self.departures.pop_front();
        }
        if self.departures.len() < LIMIT {
            self.free = self.free.max(now) + RATE.time_for(packet.len() as u32);
            self.departures.push_back(self.free);
            self.on_the_way.push_back((self.free + DELAY, packet.to_vec()));
        }
    }
}

impl Record {
    /// What came of UDP and of TCP from one second up to another, Mbit/s.
    pub fn mbps(&self, from: usize, to: usize) -> [f64; 2] {
        let of = |which: usize| self.seconds.iter().take(to).skip(from).map(|bytes| bytes[which]).sum::<u64>();
        [0, 1].map(|which| 8.0 * of(which) as f64 / (to - from) as f64 / 1e6)
    }

    /// Why what was measured says nothing, if it does not.
    pub fn excuse(&self) -> Option<String> {
        let late = self.late as f64 / self.packets.max(1) as f64;
        (late > MOST_LATE).then(|| format!("the machine was too busy: {:.1} % of packets were late", 100.0 * late))
    }
}

/// Lets all hosts begin and moves their packets until it is told to stop, which they notice by themselves.
pub fn run(left: Vec<Port>, right: Vec<Port>, stop: &Arc<AtomicBool>) -> Record {
    let (mut clock, mut random) = (HostClock::new(Instant::ZERO), Random::stream(1, "interoperation/loss"));
    let (mut links, mut record) = ([Link::default(), Link::default()], Record::default());
    let mut buffer = vec![0; 65_536];
    left.iter().chain(&right).for_each(|port| port.started.begin());
    while !stop.load(Ordering::Relaxed) {
        let due = links.iter().filter_map(|link| link.on_the_way.front()).map(|(at, _)| *at).min();
        let wait = due.map_or(Duration::from_millis(100), |due| due.since(clock.now()));
        let mut ready: Vec<PollFd<'_>> =
            left.iter().chain(&right).map(|port| PollFd::new(port.device.as_fd(), PollFlags::POLLIN)).collect();
        // An interruption is as good as a time-out.
        let _ = ppoll(&mut ready, Some(TimeSpec::from_duration(std::time::Duration::from_nanos(wait.0))), None);
        for (from, link) in [&left, &right].into_iter().zip(&mut links) {
            for port in from {
                while let Ok(length) = port.device.recv(&mut buffer) {
                    if destination(&buffer[..length]).is_some() {
                        link.offer(clock.now(), &buffer[..length]);
                    }
                }
            }
        }
        let now = clock.now();
        for (index, to) in [&right, &left].into_iter().enumerate() {
            while let Some((at, packet)) = links[index].on_the_way.pop_front_if(|(at, _)| *at <= now) {
                record.packets += 1;
                record.late += u64::from(now.since(at) > LATE);
                if index == 0 {
                    let second = at.as_secs_f64() as usize;
                    record.seconds.resize(record.seconds.len().max(second + 1), [0; 2]);
                    record.seconds[second][usize::from(packet[9] == TCP)] += packet.len() as u64;
                }
                deliver(to, &packet, &mut random);
            }
        }
    }
    left.into_iter().chain(right).for_each(|port| port.started.join());
    record
}

fn destination(packet: &[u8]) -> Option<Ipv4Addr> {
    let is_counted = packet.len() >= 20 && packet[0] >> 4 == 4 && [UDP, TCP].contains(&packet[9]);
    is_counted.then(|| Ipv4Addr::new(packet[16], packet[17], packet[18], packet[19]))
}

fn deliver(ports: &[Port], packet: &[u8], random: &mut Random) {
    let Some(to) = destination(packet) else { return };
    for port in ports.iter().filter(|port| to.is_multicast() || port.address == to) {
        if !random.chance(port.loss) {
            let _ = port.device.send(packet);
        }
    }
}
