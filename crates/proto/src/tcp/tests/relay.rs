//! Split connections: a sender, relays, a receiver, each hop with a delay of its own.

use super::*;
use crate::endpoint::{Action, Input, Outbox};
use crate::testing::feed;
use std::collections::BTreeMap;

#[path = "relay_random.rs"]
mod random;

/// What a packet's network is asked: when, on which hop, whether towards the receiver, and the packet.
type Network<'a> = Box<dyn FnMut(Instant, usize, bool, &Packet) -> Fate + 'a>;

/// Hosts in a row. Host 0 sends, the last one receives, those between are relays.
struct Row<'a> {
    hosts: Vec<Box<dyn Host>>,
    delays: Vec<Duration>,
    network: Network<'a>,
    now: Instant,
    under_way: BTreeMap<(Instant, u64), (usize, Packet)>,
    serial: u64,
    /// What every host sent, when, and towards the receiver or not.
    sent: Vec<(Instant, usize, Packet)>,
    finished: Option<Instant>,
    pester: bool,
}

/// An endpoint, or a relay of which more is known.
trait Host: Endpoint {
    fn relay(&self) -> Option<&Relay> {
        None
    }
    fn held_back(&self, _now: Instant) -> Duration {
        Duration::ZERO
    }
    fn delivered(&self) -> u64 {
        0
    }
    fn completed(&self) -> Vec<Duration> {
        Vec::new()
    }
}
impl Host for Sender {
    fn held_back(&self, now: Instant) -> Duration {
        Sender::held_back(self, now)
    }
}
impl Host for ObjectsSender {
    fn completed(&self) -> Vec<Duration> {
        ObjectsSender::completed(self).to_vec()
    }
}
impl Host for Receiver {
    fn delivered(&self) -> u64 {
        self.next_expected()
    }
}
impl Host for ObjectsReceiver {
    fn delivered(&self) -> u64 {
        self.next_expected()
    }
}
impl Host for Relay {
    fn relay(&self) -> Option<&Relay> {
        Some(self)
    }
}

/// The configurations of hops, the room of relays and the number of the first segment.
struct Split {
    hops: Vec<Config>,
    rooms: Vec<u16>,
    first: u64,
}

impl Split {
    /// So many hops that are alike.
    fn alike(config: &Config, hops: usize, room: u16) -> Split {
        Split { hops: vec![config.clone(); hops], rooms: vec![room; hops - 1], first: 0 }
    }

    fn address(host: usize) -> Address {
        Address::endpoint(host as u32)
    }

    fn sender(&self) -> Sender {
        let config = &self.hops[0];
        assert_eq!(config.check(), []);
        let sender = Sender::new(config, FlowId(0), Self::address(0), Self::address(1), Random::stream(1, "jitter"));
        sender.with_clock_phase(config, Random::stream(1, "clock")).numbered_from(self.first).to_relay(self.rooms[0])
    }

    fn receiver(&self) -> Receiver {
        let last = self.hops.len();
        let receiver = Receiver::new(&self.hops[last - 1], FlowId(0), Self::address(last), Self::address(last - 1));
        receiver.numbered_from(self.first)
    }

    fn relay(&self, number: usize, ends: Option<&[u64]>) -> Relay {
        let [upstream, own, downstream] = [number, number + 1, number + 2].map(Self::address);
        let place = RelayPlace { flow: FlowId(0), upstream, own, downstream, room: self.rooms[number] };
        let random = ["jitter", "clock"].map(|what| Random::stream(number as u64, what));
        let [above, below] = [&self.hops[number], &self.hops[number + 1]];
        let relay = Relay::new(above, below, place, random).numbered_from(self.first);
        let relay = match self.rooms.get(number + 1) {
            Some(&room) => relay.to_relay(room),
            None => relay,
        };
        match ends {
            Some(ends) => relay.with_ends(ends.iter().copied()),
            None => relay,
        }
    }

    fn row<'a>(&self, delays_ms: &[u64], network: impl FnMut(Instant, usize, bool, &Packet) -> Fate + 'a) -> Row<'a> {
        let mut hosts: Vec<Box<dyn Host>> = vec![Box::new(self.sender())];
        hosts.extend((0..self.rooms.len()).map(|number| Box::new(self.relay(number, None)) as Box<dyn Host>));
        hosts.push(Box::new(self.receiver()));
        Row::new(hosts, delays_ms, Box::new(network))
    }
}

impl Split {
    /// A connection that carries objects, with so many round trips before them.
    fn row_of_objects<'a>(
        &self,
        before: u32,
        objects: &[u32],
        delays_ms: &[u64],
        network: impl FnMut(Instant, usize, bool, &Packet) -> Fate + 'a,
    ) -> Row<'a> {
        let mut sender = ObjectsSender::idle(self.sender());
        sender.begin(self.sender(), before, objects);
        let mut receiver = ObjectsReceiver::idle(self.receiver());
        receiver.begin(self.receiver(), before, objects);
        let ends: Vec<u64> = object_ends(before, objects).map(|end| self.first + end).collect();
        let mut hosts: Vec<Box<dyn Host>> = vec![Box::new(sender)];
        hosts.extend((0..self.rooms.len()).map(|number| Box::new(self.relay(number, Some(&ends))) as Box<dyn Host>));
        hosts.push(Box::new(receiver));
        Row::new(hosts, delays_ms, Box::new(network))
    }
}

impl<'a> Row<'a> {
    fn new(hosts: Vec<Box<dyn Host>>, delays_ms: &[u64], network: Network<'a>) -> Row<'a> {
        assert_eq!(hosts.len(), delays_ms.len() + 1);
        let mut row = Row {
            hosts,
            delays: delays_ms.iter().map(|&ms| Duration::from_millis(ms)).collect(),
            network,
            now: Instant::ZERO,
            under_way: BTreeMap::new(),
            serial: 0,
            sent: Vec::new(),
            finished: None,
            pester: true,
        };
        for host in (0..row.hosts.len()).rev() {
            row.input(host, Input::Start);
        }
        row
    }

    fn input(&mut self, host: usize, input: Input<'_>) {
        let mut out = Outbox::new();
        feed(&mut *self.hosts[host], self.now, input, self.pester, &mut out, &host);
        for action in out.drain() {
            match action {
                Action::Event(event) => {
                    assert_eq!(host, 0, "relays tell nothing: {event:?}");
                    if event.is(events::FINISHED) {
                        assert_eq!(self.finished, None, "it finishes once");
                        self.finished = Some(self.now);
                    }
                }
                Action::Send(packet) => self.send(host, packet),
                other => panic!("{other:?}"),
            }
        }
        self.check();
    }

    fn send(&mut self, host: usize, mut packet: Packet) {
        self.sent.push((self.now, host, packet));
        let to = packet.destination.index();
        assert!(to.abs_diff(host) == 1, "hosts speak to their neighbours");
        let hop = host.min(to);
        let (delay, copies) = (self.network)(self.now, hop, to > host, &packet).carry(&mut packet, self.delays[hop]);
        for _ in 0..copies {
            self.under_way.insert((self.now + delay, self.serial), (to, packet));
            self.serial += 1;
        }
    }

    /// No buffer holds more than it may; nobody sends what has not come to it, or acknowledges what has not.
    fn check(&self) {
        for relay in self.hosts.iter().filter_map(|host| host.relay()) {
            assert!(relay.held() <= relay.room(), "{} of {}", relay.held(), relay.room());
        }
    }

    fn run_until(&mut self, until: f64) -> &mut Self {
        self.run_while(until, |_| true)
    }

    fn run_while(&mut self, until: f64, mut go_on: impl FnMut(&Self) -> bool) -> &mut Self {
        loop {
            let arrival = self.under_way.first_key_value().map(|(key, _)| key.0);
            let timer = (0..self.hosts.len()).filter_map(|host| Some((self.hosts[host].deadline()?, host))).min();
            let Some(at) = arrival.into_iter().chain(timer.map(|timer| timer.0)).min() else { break };
            if at > seconds(until) || !go_on(self) {
                break;
            }
            self.now = at;
            if arrival == Some(at) {
                let (_, (host, packet)) = self.under_way.pop_first().expect("there is one");
                self.input(host, Input::packet(&packet, None, at));
            } else {
                self.input(timer.expect("it is due").1, Input::Timeout);
            }
        }
        self
    }

    fn relay(&self, number: usize) -> &Relay {
        self.hosts[number + 1].relay().expect("a relay")
    }

    /// What a host sent for the first time, in order.
    fn first_sent(&self, host: usize) -> Vec<u32> {
        let new =
            |(_, by, packet): &(Instant, usize, Packet)| segment(packet).filter(|(_, again)| !again && *by == host);
        self.sent.iter().filter_map(new).map(|(number, _)| number).collect()
    }

    /// When what was sent before went out once more.
    fn repeated_s(&self, host: usize) -> Vec<f64> {
        let again = |packet: &Packet| matches!(segment(packet), Some((_, true)));
        let sent = self.sent.iter().filter(|(_, by, packet)| *by == host && again(packet));
        sent.map(|(at, ..)| at.as_secs_f64()).collect()
    }

    fn finished_s(&self) -> f64 {
        self.finished.expect("it has finished").as_secs_f64()
    }
}

fn deliver(_: Instant, _: usize, _: bool, _: &Packet) -> Fate {
    Fate::Deliver
}

fn finite(segments: u32) -> Config {
    Config { segments: Some(segments), ..Config::default() }
}

/// By hand, segments taking no time. Hops of 10, 250 and 10 ms, windows from 2 on that double each round trip of their
/// own. The station has all eight segments by 0.05 s: 2 at 0.01, 4 at 0.03, 2 at 0.05. Over the satellite it may send 2
/// at 0.01; they are acknowledged at 0.51, and 4 more go; these are acknowledged at 1.01, and the last two go, come to
/// the terminal at 1.26, to the receiver at 1.27; what says that all has come through takes 0.27 s more.
#[test]
fn slow_start_doubles_by_the_round_trip_of_each_hop() {
    let mut row = Split::alike(&finite(8), 3, 100).row(&[10, 250, 10], deliver);
    row.run_until(100.0);
    let times = |host: usize| -> Vec<f64> {
        let data = row.sent.iter().filter(|(_, by, packet)| *by == host && segment(packet).is_some());
        data.map(|(at, ..)| at.as_secs_f64()).collect()
    };
    assert_eq!(times(0), [0.0, 0.0, 0.02, 0.02, 0.02, 0.02, 0.04, 0.04]);
    assert_eq!(times(1), [0.01, 0.01, 0.51, 0.51, 0.51, 0.51, 1.01, 1.01]);
    // The terminal's window is 3: when its second segment is acknowledged less than half of that is in use (RFC 7661
    // section 4.3).
    assert_eq!(times(2), [0.26, 0.26, 0.76, 0.76, 0.76, 0.78, 1.26, 1.26]);
    assert_eq!(row.finished_s(), 1.54);
    // Without relays: 2, 4 and 2 segments, a round trip of 0.54 s each.
    let mut pair = pair(&finite(8), |_, _| Fate::Deliver);
    pair.run_until(seconds(100.0));
    assert_eq!(pair.events.last().map(|(at, ..)| at.as_secs_f64()), Some(0.3), "three round trips of 0.1 s");
}

/// By hand: the station has ten segments at 0.01 s and a window of ten, but the terminal has room for three. They come
/// there at 0.26 s and are acknowledged by the receiver at 0.28 s: the terminal tells of room for one, and for two;
/// that it has room for a third is less than twice that. So two more go at 0.53 s. With their acknowledgement, at 0.78
/// s, the terminal tells of the third.
#[test]
fn a_relay_sends_no_more_than_the_next_one_has_room_for() {
    let config = Config { initial_cwnd: Packets(10.0), delayed_ack: false, ..finite(10) };
    let split = Split { hops: vec![config; 3], rooms: vec![100, 3], first: 0 };
    let mut row = split.row(&[10, 250, 10], deliver);
    row.run_until(100.0);
    let times = |host: usize| -> Vec<f64> {
        let data = row.sent.iter().filter(|(_, by, packet)| *by == host && segment(packet).is_some());
        data.map(|(at, ..)| at.as_secs_f64()).collect()
    };
    assert_eq!(times(0), [0.0; 10]);
    assert_eq!(times(1)[..6], [0.01, 0.01, 0.01, 0.53, 0.53, 1.03]);
    assert_eq!(row.repeated_s(1), [] as [f64; 0], "nothing came for which there was no room");
    assert!(row.finished.is_some());
}

/// The station answers at once and opens its own connection at once: data is there at 0.03 s, the station's connection
/// at 0.51 s.
#[test]
fn a_handshake_is_answered_by_the_first_relay() {
    let config = Config { handshake: true, ..finite(2) };
    let mut row = Split::alike(&config, 3, 100).row(&[10, 250, 10], deliver);
    row.run_until(100.0);
    let syns: Vec<(usize, f64)> = row
        .sent
        .iter()
        .filter(|(.., packet)| matches!(packet.header, Header::Tcp(tcp::Header::Syn)))
        .map(|(at, host, _)| (*host, at.as_secs_f64()))
        .collect();
    assert_eq!(syns, [(0, 0.0), (1, 0.01), (2, 0.26)]);
    let data = |host| row.sent.iter().find(|(_, by, packet)| *by == host && segment(packet).is_some());
    assert_eq!(data(0).map(|sent| sent.0.as_secs_f64()), Some(0.02));
    assert_eq!(data(1).map(|sent| sent.0.as_secs_f64()), Some(0.51));
    assert_eq!(data(2).map(|sent| sent.0.as_secs_f64()), Some(0.76));
    assert_eq!(row.finished_s(), 1.04);
}

/// Each part of the connection has an answer of its own to acknowledge, and one without a handshake has none.
#[test]
fn each_relay_acknowledges_the_answer_that_it_gets() {
    let config = Config { handshake: true, handshake_ack: true, ..finite(2) };
    let run = |ends: &Config, between: Config| {
        let hops = vec![ends.clone(), between, ends.clone()];
        let split = Split { hops, rooms: vec![100, 100], first: 0 };
        let mut row = split.row(&[10, 250, 10], deliver);
        row.run_until(100.0);
        let is_ack = |packet: &Packet| packet.header == tcp::Header::HandshakeAck.into();
        let acks = row.sent.iter().filter(|(.., packet)| is_ack(packet));
        let acks = acks.map(|(at, host, _)| (*host, at.as_secs_f64())).collect::<Vec<_>>();
        let received = (1..4).map(|host| row.hosts[host].report().received_pkts).collect::<Vec<_>>();
        (acks, row.finished_s(), received)
    };
    let (acks, finished_s, received) = run(&config, config.clone());
    assert_eq!((acks, finished_s), (vec![(0, 0.02), (2, 0.28), (1, 0.51)], 1.04));
    let silent = Config { handshake_ack: false, ..config.clone() };
    let (acks, finished_s, without) = run(&silent, silent.clone());
    assert_eq!((acks, finished_s), (vec![], 1.04));
    assert_eq!(received, without.iter().map(|packets| packets + 1).collect::<Vec<_>>(), "one comes to each");
    let open = Config { handshake: false, ..config.clone() };
    // Its data is at the second relay after 280 ms, which opens its connection then.
    let (acks, finished_s, _) = run(&config, open);
    assert_eq!((acks, finished_s), (vec![(0, 0.02), (2, 0.3)], 0.58));
}

/// Round trips above TCP and requests for the next object are end to end: 0.54 s each, handshake apart.
#[test]
fn objects_wait_for_what_has_come_through() {
    for delayed_ack in [false, true] {
        let config = Config { delayed_ack, ..without_end(&Config::default()) };
        let mut row = Split::alike(&config, 3, 100).row_of_objects(1, &[1, 2], &[10, 250, 10], deliver);
        row.run_until(100.0);
        let completed: Vec<f64> = row.hosts[0].completed().iter().map(|time| time.as_secs_f64()).collect();
        // Two segments go at once: also the satellite's window is two at least.
        assert_eq!(completed, [1.08, 1.62], "delayed ACKs: {delayed_ack}");
        assert_eq!(row.finished_s(), 1.62);
    }
}

/// The last hop passes a packet in 100 ms, so what lies in the relay goes up to its room and not above, and the first
/// hop, which could do more, sends no more than comes out.
#[test]
fn a_slow_last_hop_bounds_what_lies_in_the_relays() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let config = Config { recovery: Some(recovery), wnd: Some(Packets(200.0)), ..finite(300) };
        let mut free_at = Instant::ZERO;
        let slow = Config { wnd: Some(Packets(2.0)), ..config.clone() };
        let split = Split { hops: vec![config, slow], rooms: vec![20], first: 0 };
        let mut row = split.row(&[10, 10], move |now, hop, down, packet| {
            if hop == 0 || !down || segment(packet).is_none() {
                return Fate::Deliver;
            }
            free_at = free_at.max(now) + Duration::from_millis(100);
            Fate::Late(free_at.since(now))
        });
        row.run_until(100.0);
        assert_eq!(row.relay(0).most_held(), 20, "{recovery:?}");
        assert!((row.finished_s() - 30.0).abs() < 1.0, "{recovery:?}: {}", row.finished_s());
        let sent = row.sent.iter().filter(|(_, by, packet)| *by == 0 && segment(packet).is_some()).count();
        assert_eq!(sent, 300, "{recovery:?}: nothing is sent in vain");
    }
}

/// Two segments fill the relay at 0.01 s and are gone, over 100 ms there and back, at 0.21 s, of which the sender hears
/// at 0.22 s. It sends the third then, and there is no fourth.
#[test]
fn who_has_no_room_to_send_to_counts_the_time() {
    for (segments, held_s) in [(3, 0.22), (2, 0.0)] {
        let config = Config { initial_cwnd: Packets(4.0), ..finite(segments) };
        let mut row = Split::alike(&config, 2, 2).row(&[10, 100], deliver);
        row.run_until(0.1);
        let wanted = if segments == 3 { seconds(0.1).since(Instant::ZERO) } else { Duration::ZERO };
        assert_eq!(row.hosts[0].held_back(seconds(0.1)), wanted, "a span that goes on counts");
        row.run_until(100.0);
        assert_eq!(row.hosts[0].held_back(seconds(100.0)).as_secs_f64(), held_s, "{segments} segments");
        // Nothing is beyond the relay but the receiver, which always has room.
        assert_eq!(row.relay(0).held_back(seconds(100.0)), Duration::ZERO);
    }
}

/// Losses of two packets in a hundred on the first hop of 2 ms are repaired there; without a split they cost the whole
/// path's time.
#[test]
fn what_the_first_hop_loses_is_repaired_there() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let rto_min = Duration::from_millis(200);
        let config = Config { recovery: Some(recovery), rto_min, wnd: Some(Packets(100.0)), ..finite(2000) };
        let lossy = |seed| {
            let mut random = Random::stream(seed, "test/lossy");
            move |_: Instant, hop: usize, down: bool, _: &Packet| {
                if hop == 0 && down && random.chance(0.02) { Fate::Lose } else { Fate::Deliver }
            }
        };
        let mut row = Split::alike(&config, 2, 200).row(&[2, 250], lossy(1));
        row.run_until(10_000.0);
        let mut random = Random::stream(1, "test/lossy");
        let (sender, receiver) = ends(&config);
        let mut whole = Pair::new(sender, receiver, Duration::from_millis(252), |side, _| {
            if side == Side::Left && random.chance(0.02) { Fate::Lose } else { Fate::Deliver }
        });
        whole.run_until(seconds(10_000.0));
        let whole_s = whole.events.iter().find(|(.., event)| event.is(events::FINISHED)).expect("done").0.as_secs_f64();
        let split_s = row.finished_s();
        assert!(4.0 * split_s < whole_s, "{recovery:?}: {split_s} s split, {whole_s} s whole");
        assert!(row.repeated_s(1).is_empty(), "{recovery:?}: the satellite repeats nothing");
    }
}

/// All acknowledgements of the relay that open the window, or that tell of the end, are lost at first; the last segment
/// is repeated until one comes.
#[test]
fn lost_window_updates_and_answers_are_found_out() {
    for lost in 2..=5 {
        let config = Config { rto_min: Duration::from_millis(200), ..finite(3) };
        let mut losses = 0;
        let mut row = Split::alike(&config, 2, 2).row(&[10, 100], |now, hop, down, _| {
            // The first two segments come to the end, and tell of room, at 0.21 s.
            if hop == 0 && !down && now > seconds(0.2) && losses < lost {
                losses += 1;
                return Fate::Lose;
            }
            Fate::Deliver
        });
        row.run_until(1000.0);
        assert!((0.43..30.0).contains(&row.finished_s()), "{lost}: {}", row.finished_s());
        // The window was closed at 0.02 s.
        assert_eq!(row.repeated_s(0)[0], 0.22, "{lost}");
        assert_eq!(row.hosts[2].delivered(), 3);
    }
}

/// Probes are a time-out apart, then two, then four.
#[test]
fn probes_back_off() {
    let config = Config { wnd: Some(Packets(10.0)), ..finite(3) };
    // The second hop passes nothing for a minute.
    let blocked = |now, hop| hop == 1 && now < seconds(60.0);
    let mut row = Split::alike(&config, 2, 2)
        .row(&[10, 10], move |now, hop, _, _| if blocked(now, hop) { Fate::Lose } else { Fate::Deliver });
    row.run_until(1000.0);
    // The window was closed at 0.02 s.
    assert_eq!(row.repeated_s(0)[..5], [1.02, 3.02, 7.02, 15.02, 31.02]);
    assert!(row.finished.is_some());
}

/// What is stopped before it has come through is finished when it has.
#[test]
fn a_stopped_flow_ends_when_all_has_come_through() {
    let config = Config { wnd: Some(Packets(10.0)), ..Config::default() };
    let mut row = Split::alike(&config, 2, 50).row(&[10, 100], deliver);
    row.run_until(0.015);
    row.input(0, Input::Stop);
    row.run_until(1000.0);
    assert_eq!(row.first_sent(0), [0, 1]);
    // All is acknowledged at 0.02 s and has come through at 0.22 s. The relay does not know that it was the end: the
    // probe after a time-out, of 3 s before anything is known of that way, finds out.
    assert_eq!((row.repeated_s(0), row.finished_s()), (vec![3.02], 3.04));
}

/// What has no room is not taken, but answered; what is no segment of TCP says nothing.
#[test]
fn a_relay_takes_only_what_it_has_room_for() {
    let split = Split::alike(&Config::default(), 2, 4);
    let mut row = split.row(&[10, 10], deliver);
    let data = |sequence| Packet {
        header: Header::Tcp(tcp::Header::Data { sequence, window_reduced: false, retransmission: false, push: false }),
        ..packet_to(1)
    };
    row.now = seconds(0.001);
    let (from, before) = (row.sent.len(), row.relay(0).report());
    row.input(1, Input::packet(&data(4), None, row.now));
    assert_eq!(row.relay(0).held(), 0);
    assert!(matches!(
        row.sent[from..],
        [(
            _,
            1,
            Packet { header: Header::Tcp(tcp::Header::RelayAck { next_expected: 0, window: 4, behind: 0, .. }), .. }
        )]
    ));
    row.input(1, Input::packet(&data(3), None, row.now));
    assert_eq!((row.relay(0).held(), row.relay(0).report().received_pkts - before.received_pkts), (1, 1));
    let said = row.sent.len();
    row.input(1, Input::packet(&Packet { header: Header::Datagram { sequence: 0 }, ..packet_to(1) }, None, row.now));
    assert_eq!(row.sent.len(), said);
}

fn packet_to(host: u32) -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: Address::endpoint(host - 1),
        destination: Address::endpoint(host),
        size: 1040,
        ttl: 64,
        ecn: Ecn::NotCapable,
        header: Header::Datagram { sequence: 0 },
    }
}

/// Who is told by duplicates alone finds a loss by three of them although the relay's buffer empties meanwhile.
#[test]
fn duplicates_stay_duplicates_while_the_buffer_empties() {
    let config = Config { initial_cwnd: Packets(12.0), recovery: Some(Recovery::NewReno), ..finite(12) };
    let mut row = Split::alike(&config, 2, 100).row(&[10, 1], |_, hop, down, packet| match segment(packet) {
        Some((5, false)) if hop == 0 && down => Fate::Lose,
        // One after the other, so that acknowledgements of the second hop come between.
        Some((number, _)) if hop == 0 => Fate::Late(Duration::from_millis(u64::from(number))),
        _ => Fate::Deliver,
    });
    row.run_until(100.0);
    let again: Vec<f64> = row
        .sent
        .iter()
        .filter(|(_, by, packet)| *by == 0 && matches!(segment(packet), Some((5, true))))
        .map(|(at, ..)| at.as_secs_f64())
        .collect();
    // Segments 6, 7 and 8 come at 16, 17 and 18 ms.
    assert_eq!(again, [0.028]);
}

/// Three acknowledgements of nothing new show a loss if the window in them is the same, and only then.
#[test]
fn window_updates_are_no_duplicates() {
    let config = Config { initial_cwnd: Packets(8.0), ..Config::default() };
    for (windows, repeats) in [([9, 10, 11, 12], 0), ([8, 8, 8, 8], 1)] {
        let (mut sender, mut out) = (Split::alike(&config, 2, 8).sender(), Outbox::new());
        sender.handle(Instant::ZERO, Input::Start, &mut out);
        for window in windows {
            let (next_expected, echo, sack) = (0, Ecn::NotCapable, Default::default());
            let said = tcp::Header::RelayAck { next_expected, echo, sack, echoed_stamp_us: 0, window, behind: 0 };
            let packet = Packet { header: said.into(), ..packet_to(1) };
            sender.handle(seconds(0.1), Input::packet(&packet, None, seconds(0.1)), &mut out);
        }
        let again = |action: &&Action| matches!(action, Action::Send(packet) if segment(packet) == Some((0, true)));
        assert_eq!(out.actions().iter().filter(again).count(), repeats, "{windows:?}");
    }
}
