//! What an endpoint is told by its driver, and in which order.

use crate::clock::Clock;
use crate::content::Content;
use crate::directory::{Directory, OWN};
use crate::driver::{Driver, Part, Setting};
use crate::groups::Groups;
use crate::testing::{Cloud, Port, TestClock, seat, socket};
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::group_set::{GroupPlan, GroupSet, Role, Senders};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::tcp;
use faircast_proto::time::{Duration, Instant};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;

/// Writes down what comes, and answers as a test says.
struct Mock<F> {
    log: Vec<String>,
    answer: F,
    due: Option<Instant>,
}

impl<F: FnMut(Instant, &str, &Input<'_>, &mut Outbox) -> Option<Instant>> Endpoint for Mock<F> {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let number = |packet: &Packet| packet.header.number().unwrap_or(0);
        let said = match &input {
            Input::Start => "start".to_owned(),
            Input::Packet { packet, arrived, .. } => {
                assert!(*arrived <= now);
                format!("packet {} waited {} ms", number(packet), now.since(*arrived).0 / 1_000_000)
            }
            Input::NotSent(packet) => format!("not sent {}", number(packet)),
            Input::Unjoined(group) => format!("unjoined {}", group.index()),
            Input::Granted(packets) => format!("granted {packets}"),
            Input::Timeout => "timeout".to_owned(),
            Input::Stop => "stop".to_owned(),
            Input::LinkLoss(_) => panic!("no host learns this"),
        };
        self.due = (self.answer)(now, &said, &input, out);
        self.log.push(said);
    }

    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

/// Numbers packets by what they carry, and writes down what comes.
#[derive(Default)]
struct Numbered(u64, Vec<(u64, Vec<u8>)>, Vec<u64>);

impl Content for Numbered {
    fn fill(&mut self, packet: &Packet, room: usize, into: &mut Vec<u8>) {
        assert_eq!(room, usize::from(packet.size) - 50);
        self.0 += 1;
        into.push(self.0 as u8);
    }

    fn not_sent(&mut self, packet: &Packet) {
        self.2.push(packet.header.number().unwrap_or(0));
    }

    fn take(&mut self, _now: Instant, packet: &Packet, payload: &[u8]) {
        self.1.push((packet.header.number().unwrap_or(0), payload.to_vec()));
    }
}

const MEMBER: Part = Part::Member { of: None };

fn groups() -> Groups {
    Groups::new("239.1.1.1:5000".parse().unwrap(), 2).unwrap()
}

fn cloud() -> Rc<RefCell<Cloud>> {
    let groups = groups();
    Rc::new(RefCell::new(Cloud::new(3, (0..2).map_while(|n| groups.socket(n)).collect())))
}

fn driver<F>(part: Part, answer: F) -> Driver<Mock<F>, Numbered>
where
    F: FnMut(Instant, &str, &Input<'_>, &mut Outbox) -> Option<Instant>,
{
    // The second group is one in which members speak.
    let plan = vec![GroupPlan::layer(0), GroupPlan { role: Role::Control, senders: Senders::Members }];
    let setting = Setting { part, groups: groups(), plan, kind: "datagram" };
    let endpoint = Mock { log: Vec::new(), answer, due: None };
    Driver::new(endpoint, Numbered::default(), setting, Directory::new(9, 10).unwrap()).unwrap()
}

fn host(cloud: &Rc<RefCell<Cloud>>) -> (TestClock, Port) {
    seat(cloud, 1, Duration::from_secs(5000))
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn packet(number: u64, destination: Address) -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: OWN,
        destination,
        size: 100,
        ttl: INITIAL_TTL,
        ecn: Ecn::Capable,
        header: Header::Datagram { sequence: number },
    }
}

/// A datagram of somebody, of the version and kind of `docs/wire-format.md`.
fn bytes(id: u64, number: u64) -> Vec<u8> {
    let stamp_us = 77u32;
    [&[1, 1][..], &id.to_be_bytes(), &stamp_us.to_be_bytes(), &number.to_be_bytes(), b"data"].concat()
}

fn come(cloud: &Rc<RefCell<Cloud>>, millis: u64, from: SocketAddr, group: Option<u32>, bytes: &[u8]) {
    cloud.borrow_mut().deliver(1, at(millis), from, (group, Ecn::Moderate), bytes);
}

#[test]
fn packets_come_before_a_timeout_that_is_due_and_with_the_moment_of_their_arrival() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |now, said, input, out| {
        if said == "start" {
            out.join(Address::group(0));
        }
        if let Input::Packet { packet, .. } = input {
            assert_eq!((packet.destination, packet.ecn, packet.size), (Address::group(0), Ecn::Moderate, 54));
        }
        (said != "timeout").then_some(now + Duration::from_millis(10))
    });
    driver.start(&mut clock, &mut port);
    assert!(cloud.borrow().hosts[1].joined.contains(0));
    for number in 0..20 {
        come(&cloud, 2, socket(0), Some(0), &bytes(7, number));
    }
    cloud.borrow().time.set(at(15));
    assert_eq!(driver.turn(&mut clock, &mut port), Some(at(25) + Duration::from_secs(5000)));
    let log = &driver.endpoint().log;
    assert_eq!(log.len(), 21, "more than a batch has come, and the deadline moved on: {log:?}");
    assert_eq!(log[1], "packet 0 waited 13 ms");
    assert_eq!(driver.content().1[3], (3, b"data".to_vec()));
    cloud.borrow().time.set(at(27));
    assert_eq!(driver.turn(&mut clock, &mut port), None);
    assert_eq!(driver.endpoint().log.last().map(String::as_str), Some("timeout"));
    let counters = driver.counters();
    assert_eq!((counters.timeouts, counters.latest, counters.taken), (1, Duration::from_millis(2), 20));
}

/// A clock on which each reading takes a microsecond.
struct Slow(TestClock, Rc<RefCell<Cloud>>);

impl Clock for Slow {
    fn now(&mut self) -> Instant {
        let cloud = self.1.borrow();
        cloud.time.set(cloud.time.get() + Duration::from_micros(1));
        self.0.now()
    }

    fn arrival(&mut self, stamp: Option<Duration>) -> Instant {
        self.0.arrival(stamp)
    }
}

#[test]
fn what_is_due_goes_at_one_time_and_with_what_is_answered_by_one_call() {
    let cloud = cloud();
    let (clock, mut port) = host(&cloud);
    let mut clock = Slow(clock, Rc::clone(&cloud));
    let (mut left, mut times) = (3, Vec::new());
    let mut driver = driver(MEMBER, |now, said, _, out| {
        match said {
            "start" => {
                out.join(Address::group(0));
                return Some(now + Duration::from_millis(10));
            }
            "timeout" => {
                left -= 1;
                times.push(now);
            }
            _ => {}
        }
        out.send(packet(left, Address::group(1)));
        (left > 0).then_some(Instant::ZERO + Duration::from_secs(5001))
    });
    cloud.borrow().time.set(at(900));
    driver.start(&mut clock, &mut port);
    come(&cloud, 901, socket(0), Some(0), &bytes(7, 1));
    cloud.borrow().time.set(at(1500));
    assert_eq!(driver.turn(&mut clock, &mut port), None);
    let host = &cloud.borrow().hosts[1];
    assert_eq!((host.calls, host.sent.len()), (1, 4), "an answer, and three that were due");
    drop(driver);
    assert!(times.len() == 3 && times.iter().all(|time| *time == times[0]), "{times:?}");
}

#[test]
fn what_cannot_be_sent_comes_back_the_last_first() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(Part::Source, |now, said, _, out| {
        match said {
            "start" => (1..=5).for_each(|number| out.send(packet(number, Address::group(0)))),
            // Whoever tries again at once is answered, but not for ever.
            "not sent 3" => out.send(packet(3, Address::group(0))),
            _ => {}
        }
        Some(now + Duration::from_secs(1))
    });
    cloud.borrow_mut().hosts[1].room = Some(2);
    driver.start(&mut clock, &mut port);
    let log = driver.endpoint().log.clone();
    assert_eq!(log[..4], ["start", "not sent 5", "not sent 4", "not sent 3"]);
    assert!(log.len() < 50 && log[4..].iter().all(|said| said == "not sent 3"), "{log:?}");
    let counters = driver.counters();
    assert_eq!((counters.sent, counters.last_failure), (2, Some(std::io::ErrorKind::WouldBlock)));
    assert_eq!(counters.not_sent, log.len() as u64 - 1);
    assert_eq!(driver.content().2[..3], [5, 4, 3]);
    let sent = &cloud.borrow().hosts[1].sent;
    assert_eq!(sent.len(), 2);
    // Message, what the content gave, zeros up to the packet's size without IP and UDP.
    let (_, to, bytes) = &sent[1];
    assert_eq!((*to, bytes.len(), bytes[22], bytes[23]), (groups().first(), 72, 2, 0));
}

#[test]
fn who_is_not_known_cannot_be_sent_to() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |_, said, input, out| {
        match input {
            Input::Start => {
                out.join(Address::group(0));
                out.send(packet(1, Address::endpoint(4)));
            }
            // An answer goes where the data came from.
            Input::Packet { packet: heard, .. } => out.send(packet(2, heard.source)),
            _ => assert_eq!(said, "not sent 1"),
        }
        None
    });
    driver.start(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log, ["start", "not sent 1"]);
    come(&cloud, 0, socket(2), Some(0), &bytes(7, 0));
    driver.turn(&mut clock, &mut port);
    let sent = &cloud.borrow().hosts[1].sent;
    assert_eq!(sent.iter().map(|(_, to, _)| *to).collect::<Vec<_>>(), [socket(2)]);
    assert_eq!(sent[0].2[2..10], 9u64.to_be_bytes(), "the own id");
}

#[test]
fn another_schemes_packet_is_neither_sent_nor_taken() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |_, said, _, out| {
        if said == "start" {
            out.join(Address::group(0));
            let header = tcp::Header::Syn.into();
            out.send(Packet { header, ..packet(1, Address::group(0)) });
        }
        None
    });
    driver.start(&mut clock, &mut port);
    assert_eq!(driver.counters().last_failure, Some(std::io::ErrorKind::Unsupported));
    let ncf = [&[1, 83][..], &7u64.to_be_bytes(), &[0; 8]].concat();
    come(&cloud, 0, socket(0), Some(0), &ncf);
    driver.turn(&mut clock, &mut port);
    assert_eq!((driver.counters().foreign, driver.counters().taken), (1, 0));
    assert_eq!(driver.source(), None, "it is no session's source");
}

#[test]
fn what_is_of_no_use_is_counted() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |_, said, _, out| {
        if said == "start" {
            out.join(Address::group(0));
            out.join(Address::group(1));
        }
        None
    });
    driver.start(&mut clock, &mut port);
    let good = bytes(7, 1);
    for (from, group, bytes) in [
        (socket(0), Some(0), good.clone()),
        // Malformed: no byte, cut off, another version, an unknown kind, of nobody.
        (socket(0), Some(0), Vec::new()),
        (socket(0), Some(0), good[..21].to_vec()),
        (socket(0), Some(0), [&[2], &good[1..]].concat()),
        (socket(0), Some(0), [&[1, 255], &good[2..]].concat()),
        (socket(0), Some(0), bytes(0, 1)),
        // Truncated.
        (socket(0), Some(0), vec![1; 3000]),
        // Our own.
        (socket(1), Some(0), bytes(9, 1)),
        // Foreign: another source, the same id from elsewhere, to us alone from a stranger, data where members speak.
        (socket(0), Some(0), bytes(8, 1)),
        (socket(2), Some(0), good.clone()),
        (socket(2), None, bytes(8, 1)),
        (socket(2), Some(1), bytes(8, 1)),
    ] {
        come(&cloud, 0, from, group, &bytes);
    }
    driver.turn(&mut clock, &mut port);
    let c = driver.counters();
    assert_eq!((c.taken, c.all_malformed(), c.truncated, c.own, c.foreign), (1, 5, 1, 1, 4));
    assert_eq!(driver.source().map(|source| (source.id, source.at)), Some((7, socket(0))));
    assert_eq!(driver.directory().len(), 1, "only who is of the session is remembered");
}

#[test]
fn data_is_of_the_host_that_was_named() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(Part::Member { of: Some(socket(2).ip()) }, |_, _, _, out| {
        out.join(Address::group(0));
        None
    });
    driver.start(&mut clock, &mut port);
    come(&cloud, 0, socket(0), Some(0), &bytes(7, 1));
    come(&cloud, 0, socket(2), Some(0), &bytes(8, 2));
    driver.turn(&mut clock, &mut port);
    assert_eq!((driver.source().map(|source| source.id), driver.counters().foreign), (Some(8), 1));
}

#[test]
fn a_source_takes_no_data() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(Part::Source, |_, _, _, _| None);
    driver.start(&mut clock, &mut port);
    // Its endpoint hears nothing of what a datagram to it alone says.
    come(&cloud, 0, socket(0), None, &bytes(7, 1));
    driver.turn(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log, ["start"]);
    assert_eq!((driver.counters().taken, driver.counters().foreign, &driver.content().1[..]), (1, 0, &[][..]));
}

#[test]
fn joins_that_fail_are_said_and_what_comes_uninvited_is_not_handed_in() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    cloud.borrow_mut().hosts[1].refused = GroupSet::of(1);
    let mut driver = driver(MEMBER, |_, said, _, out| {
        match said {
            "start" => (0..3).for_each(|number| out.join(Address::group(number))),
            "packet 2 waited 0 ms" => out.leave(Address::group(0)),
            _ => {}
        }
        None
    });
    driver.start(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log, ["start", "unjoined 1", "unjoined 2"], "there is no third group");
    assert_eq!((driver.joined(), driver.counters().unjoined), (GroupSet::of(0), 2));
    // Left with the second packet of three in a batch.
    for (group, number) in [(1, 0), (0, 1), (0, 2), (0, 3)] {
        come(&cloud, 0, socket(0), Some(group), &bytes(7, number));
    }
    driver.turn(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log[3..], ["packet 1 waited 0 ms", "packet 2 waited 0 ms"]);
    assert_eq!((driver.counters().uninvited, driver.joined()), (2, GroupSet::EMPTY));
    assert_eq!(cloud.borrow().hosts[1].left, [0]);
}

#[test]
fn of_a_join_and_a_leave_at_once_the_last_counts() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |_, _, _, out| {
        out.join(Address::group(0));
        out.leave(Address::group(0));
        out.leave(Address::group(1));
        out.join(Address::group(1));
        None
    });
    driver.start(&mut clock, &mut port);
    assert_eq!((driver.joined(), cloud.borrow().hosts[1].joined), (GroupSet::of(1), GroupSet::of(1)));
}

#[test]
fn an_interface_takes_memberships_with_it_and_brings_the_member_back() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(MEMBER, |_, said, _, out| {
        if said == "start" {
            (0..2).for_each(|number| out.join(Address::group(number)));
        }
        None
    });
    driver.start(&mut clock, &mut port);
    cloud.borrow_mut().hosts[1].is_down = true;
    driver.turn(&mut clock, &mut port);
    driver.turn(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log, ["start", "unjoined 0", "unjoined 1"]);
    cloud.borrow_mut().hosts[1].is_down = false;
    driver.turn(&mut clock, &mut port);
    driver.turn(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log[3..], ["start"]);
    assert_eq!(driver.joined(), GroupSet::all(2));
}

#[test]
fn grants_and_stops_are_handed_on() {
    let cloud = cloud();
    let (mut clock, mut port) = host(&cloud);
    let mut driver = driver(Part::Source, |now, said, _, out| {
        if said == "granted 3" {
            out.send(packet(1, Address::group(0)));
        }
        Some(now)
    });
    driver.grant(3, &mut clock, &mut port);
    driver.stop(&mut clock, &mut port);
    assert_eq!(driver.endpoint().log, ["granted 3", "stop"]);
    assert_eq!(cloud.borrow().hosts[1].sent.len(), 1);
    // One that is always due does not keep the driver from looking for packets.
    assert!(driver.turn(&mut clock, &mut port).is_some());
    assert_eq!(driver.counters().timeouts, 64);
}
