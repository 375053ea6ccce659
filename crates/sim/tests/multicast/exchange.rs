//! Sessions of many groups in which everybody sends: packets of all sizes, messages beside them, members that come and
//! go, on links that lose, mark and go down. What endpoints did and what the network counted must agree.

use crate::support::{DELAY, LosesFirst, Marks, ample, at, duplex};
use faircast_proto::control::Control;
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff};
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::queue::Queue;
use faircast_sim::world::World;
use std::sync::{Arc, Mutex};

const GROUPS: u32 = 90;
/// Groups to which members may send, too.
const OPEN: [u32; 3] = [1, 64, 89];

/// What an endpoint did: by group, packets and bytes.
#[derive(Clone)]
struct Deeds {
    sent: Vec<(u64, u64)>,
    received: Vec<(u64, u64)>,
    /// Messages that it sent, and how many came.
    controls: Vec<Control>,
    messages: u64,
    marked: u64,
}

/// Sends to random groups until it is to stop, joins and leaves them at random.
struct Talker {
    flow: FlowId,
    own: Address,
    first: Address,
    /// Groups to which it sends.
    to: Vec<u32>,
    /// Whether it joins and leaves.
    moves: bool,
    joined: GroupSet,
    gap: Duration,
    ttl: u8,
    next: Option<Instant>,
    serial: u64,
    random: Random,
    deeds: Arc<Mutex<Deeds>>,
}

impl Talker {
    fn below(&mut self, n: usize) -> usize {
        (self.random.uniform() * n as f64) as usize
    }

    fn group(&self, number: u32) -> Address {
        Address::group(self.first.index() as u32 + number)
    }

    fn act(&mut self, now: Instant, out: &mut Outbox) {
        if self.moves && self.random.chance(0.4) {
            let number = self.below(GROUPS as usize) as u32;
            match self.joined.contains(number) {
                true => out.leave(self.group(number)),
                false => out.join(self.group(number)),
            }
            self.joined = self.joined ^ GroupSet::of(number);
        }
        if self.to.is_empty() || self.moves && self.random.chance(0.7) {
            return;
        }
        let chosen = self.below(self.to.len());
        let number = self.to[chosen];
        let size = 40 + self.below(1461) as u16;
        self.serial += 1;
        let sequence = self.serial * 256 + u64::from(size) % 251;
        let packet = Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.group(number),
            size,
            ttl: self.ttl,
            ecn: Ecn::Capable,
            header: Header::Datagram { sequence },
        };
        let mut deeds = self.deeds.lock().expect("one thread");
        let (packets, bytes) = &mut deeds.sent[number as usize];
        *packets += 1;
        *bytes += u64::from(size);
        match self.serial % 4 {
            0 => {
                let control = Control::new(sequence.to_be_bytes().repeat(20));
                deeds.controls.push(control.clone());
                out.send_control(packet, control);
            }
            _ => out.send(packet),
        }
    }
}

impl Endpoint for Talker {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                self.next = Some(now);
                self.joined.iter().for_each(|number| out.join(self.group(number)));
            }
            Input::Stop => self.next = None,
            Input::Unjoined(_) => unreachable!("joins do not fail"),
            Input::Granted(_) | Input::NotSent(_) => unreachable!("there is all to send, and all is sent"),
            Input::Packet { packet, control, .. } => {
                let Header::Datagram { sequence } = packet.header else { panic!("nobody sends {:?}", packet.header) };
                assert_eq!(sequence % 256, u64::from(packet.size) % 251, "the packet that was sent");
                let number = packet.destination.index() - self.first.index();
                assert!(self.joined.contains(number as u32), "only what it has joined is handed in");
                let mut deeds = self.deeds.lock().expect("one thread");
                deeds.received[number].0 += 1;
                deeds.received[number].1 += u64::from(packet.size);
                deeds.marked += u64::from(packet.ecn > Ecn::Capable);
                assert_eq!(control.is_some(), (sequence >> 8) % 4 == 0, "with the message beside it");
                if let Some(control) = control {
                    assert_eq!(control.bytes(), sequence.to_be_bytes().repeat(20));
                    deeds.messages += 1;
                }
            }
            Input::Timeout | Input::LinkLoss(_) => {}
        }
        if self.next.is_some_and(|next| next <= now) {
            self.act(now, out);
            self.next = Some(now + self.gap);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        let deeds = self.deeds.lock().expect("one thread");
        let sum = |counts: &[(u64, u64)]| counts.iter().fold((0, 0), |sum, add| (sum.0 + add.0, sum.1 + add.1));
        let ((sent_pkts, sent_bytes), (received_pkts, received_bytes)) = (sum(&deeds.sent), sum(&deeds.received));
        Report { sent_pkts, sent_bytes, received_pkts, received_bytes, ..Report::default() }
    }
}

/// When all are to stop; later on what is under way comes to its end.
const STOP: f64 = 4.0;

struct Setting {
    loss: f64,
    /// Whether members send also where they may not.
    trespass: bool,
    /// Whether there are groups where they may.
    open: bool,
    /// Hops that a packet may take.
    ttl: u8,
}

/// What every endpoint did, the source first.
type AllDeeds = Vec<Arc<Mutex<Deeds>>>;

/// Source - r1 - { r2 - { a, b }, c }, two members on a, one on b, on c and on the source's own node. The link to a
/// marks, that to c goes down and up again and discards what waits.
fn network(setting: &Setting) -> (NetworkBuilder, AllDeeds) {
    let mut network = NetworkBuilder::new(11);
    let [source, r1, r2, a, b, c] = ["source", "r1", "r2", "a", "b", "c"].map(|name| network.node(name));
    let rate = Rate(7_654_321);
    let wire = |network: &mut NetworkBuilder, from: NodeId, to: NodeId, queue: Queue| {
        let config: loss::Config =
            serde_json::from_str(&format!(r#"{{"kind": "bernoulli", "p": {}}}"#, setting.loss)).expect("legal");
        let name = format!("{}-{}", from.0, to.0);
        let loss = match setting.loss {
            0.0 => Loss::Guest(Box::new(LosesFirst(0))),
            _ => Loss::new(&config, network.stream(&format!("loss/{name}"))),
        };
        network.link(LinkPlan { name, from, to, rate, delay: DELAY, queue, loss, mode: LinkMode::Fused })
    };
    duplex(&mut network, source, r1, LinkMode::Fused);
    for (from, to) in [(r1, r2), (r2, r1), (a, r2), (b, r2), (c, r1), (r2, b)] {
        wire(&mut network, from, to, ample(rate));
    }
    wire(&mut network, r2, a, Queue::Guest(Box::new(Marks)));
    let to_c = wire(&mut network, r1, c, ample(rate));
    network.handoff(to_c, Handoff::Discard, false);
    for millis in [700, 1500, 2300] {
        // Slow first, so that some wait.
        network.change(at(f64::from(millis - 200) / 1e3), to_c, Change::Rate(Rate(200_000)));
        network.change(at(f64::from(millis) / 1e3), to_c, Change::Down);
        network.change(at(f64::from(millis + 300) / 1e3), to_c, Change::Up);
        network.change(at(f64::from(millis + 300) / 1e3), to_c, Change::Rate(rate));
    }
    let any_source = if setting.open { OPEN.into_iter().collect() } else { GroupSet::EMPTY };
    let plan = SessionPlan { any_source, ..SessionPlan::sparse(GROUPS) };
    // A session before it, so that groups and addresses are not the same numbers.
    let other = network.address(r1);
    let (flow, _) = network.session(other, SessionPlan::sparse(3));
    crate::support::silent(&mut network, other, flow);
    let own = network.address(source);
    let (flow, first) = network.session(own, plan);
    let mut all = Vec::new();
    let mut talker = |network: &NetworkBuilder, own: Address, to: Vec<u32>, moves: bool, gap_us: u64| {
        let none = vec![(0, 0); GROUPS as usize];
        let deeds = Deeds { sent: none.clone(), received: none, controls: Vec::new(), messages: 0, marked: 0 };
        let deeds = Arc::new(Mutex::new(deeds));
        all.push(deeds.clone());
        let random = network.stream(&format!("talker/{}", own.index()));
        // The source listens to what members say.
        let joined = if moves { GroupSet::EMPTY } else { OPEN.into_iter().collect() };
        let gap = Duration::from_micros(gap_us);
        Agent::Guest(Box::new(Talker {
            flow,
            own,
            first,
            to,
            moves,
            joined,
            gap,
            ttl: setting.ttl,
            next: None,
            serial: 0,
            random,
            deeds,
        }))
    };
    let speaker = talker(&network, own, (0..GROUPS).collect(), false, 2_001);
    network.place(own, flow, speaker, at(0.0), Some(at(STOP)));
    for node in [a, a, b, c, source] {
        let own = network.address(node);
        network.member(flow, own);
        let mut to = OPEN.to_vec();
        if setting.trespass {
            to.extend([0, 63, 70]);
        }
        let member = talker(&network, own, to, true, 5_003);
        network.place(own, flow, member, at(0.0), Some(at(STOP)));
    }
    (network, all)
}

fn run<C: Calendar>(setting: &Setting) -> (World<C>, Vec<Deeds>) {
    let (network, deeds) = network(setting);
    let mut world = crate::support::build(network);
    world.run(at(STOP + 1.0), u64::MAX);
    let deeds = deeds.iter().map(|deeds| deeds.lock().expect("one thread").clone()).collect();
    (world, deeds)
}

fn sum(counts: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    counts.fold((0, 0), |sum, add| (sum.0 + add.0, sum.1 + add.1))
}

#[test]
fn what_endpoints_did_is_what_the_network_counted_and_no_message_is_left() {
    for loss in [0.0, 0.2, 0.9] {
        let setting = Setting { loss, trespass: true, open: true, ttl: INITIAL_TTL };
        let (world, all) = run::<Wheel>(&setting);
        for number in 0..GROUPS {
            let counted = world.group(Address::group(3 + number)).expect("the second session's");
            let of = |deeds: &[(u64, u64)]| deeds[number as usize];
            assert_eq!((counted.sent, counted.sent_bytes), of(&all[0].sent), "{number}");
            let others = sum(all[1..].iter().map(|deeds| of(&deeds.sent)));
            assert_eq!((counted.others_sent, counted.others_sent_bytes), others, "{number}");
            let received = sum(all.iter().map(|deeds| of(&deeds.received)));
            assert_eq!((counted.received, counted.received_bytes), received, "{number}");
        }
        assert!(world.links().iter().all(|link| link.conserves() && link.inside_pkts() == 0));
        // Lost, dropped, discarded, marked, delivered to many and to none: every message is gone with its packets.
        let controls: Vec<&Control> = all.iter().flat_map(|deeds| &deeds.controls).collect();
        assert!(controls.len() > 500, "{}", controls.len());
        let held: Vec<usize> = controls.iter().map(|control| control.holders()).collect();
        // One is the endpoint's own, another its copy's that is looked at here.
        assert!(held.iter().all(|&holders| holders == 2), "{loss}: {held:?}");
        let links = |of: &dyn Fn(&faircast_sim::counters::LinkCounters) -> u64| {
            world.links().iter().map(|link| of(link.counters())).sum::<u64>()
        };
        assert!(links(&|link| link.discarded) > 0, "{loss}");
        assert_eq!(links(&|link| link.lost) > 0, loss > 0.0);
        // Members on `a` hold marked copies, the others none.
        assert!(all[1].marked > 0 && all[1].messages > 0 && all[5].messages > 0, "{loss}");
        assert_eq!(all[3].marked, 0);
    }
}

#[test]
fn only_open_groups_take_what_members_send() {
    let setting = Setting { loss: 0.0, trespass: true, open: true, ttl: INITIAL_TTL };
    let (world, all) = run::<Wheel>(&setting);
    let open = |number: u32| OPEN.contains(&number);
    let from_members = |is_open: bool| {
        let groups = (0..GROUPS).filter(|&number| open(number) == is_open);
        sum(groups.flat_map(|number| all[1..].iter().map(move |deeds| deeds.sent[number as usize]))).0
    };
    let counted = world.undeliverable()[1];
    // Each is dropped once, by the first router or at home, or comes from c just when no tree leads there any more.
    let missing = from_members(false) - counted.not_a_source;
    assert!(missing <= counted.off_tree, "{missing} {counted:?}");
    assert!(from_members(true) > 200 && from_members(false) > 200);
    // What the member on c sends while no tree leads there, and what was under way then.
    assert!(counted.no_route > 0 && counted.off_tree > 0 && counted.out_of_hops == 0, "{counted:?}");
    let (world, all) = run::<Wheel>(&Setting { loss: 0.0, trespass: false, open: true, ttl: INITIAL_TTL });
    assert_eq!(world.undeliverable()[1].not_a_source, 0);
    assert!(all[0].received[64].0 > 50);
    // What the member on the source's own node gets of other members has come up the whole tree.
    let from_source = |number: u32| all[0].sent[number as usize].0;
    assert!(OPEN.iter().any(|&number| all[5].received[number as usize].0 > from_source(number)));
}

#[test]
fn in_a_network_of_single_sources_the_source_listens_in_vain() {
    let (world, all) = run::<Wheel>(&Setting { loss: 0.0, trespass: false, open: false, ttl: INITIAL_TTL });
    let sent = sum(all[1..].iter().flat_map(|deeds| deeds.sent.iter().copied())).0;
    let counted = world.undeliverable()[1];
    // But for what comes up from c just when no tree leads there any more.
    assert!(counted.not_a_source <= sent && sent - counted.not_a_source <= counted.off_tree, "{counted:?} of {sent}");
    assert!(sent > 1000 && sum(all[0].received.iter().copied()) == (0, 0));
    let of_source = |number: usize| all[0].sent[number].0;
    assert!(
        (0..GROUPS as usize).all(|number| all[1..].iter().all(|deeds| deeds.received[number].0 <= of_source(number)))
    );
}

#[test]
fn hops_run_out_on_the_way_up_as_on_the_way_down() {
    let (world, all) = run::<Wheel>(&Setting { loss: 0.0, trespass: false, open: true, ttl: 2 });
    // From a and b it is three links to the source, from c two.
    let sent = |members: &[Deeds]| sum(members.iter().flat_map(|deeds| deeds.sent.iter().copied())).0;
    let counted = world.undeliverable()[1];
    assert!(sent(&all[1..4]) > 300 && counted.out_of_hops >= sent(&all[1..4]), "{counted:?}");
    let heard = sum(all[0].received.iter().copied()).0;
    assert!(heard > sent(&all[5..]) && heard <= sent(&all[4..]), "{heard}");
    assert!(all.iter().flat_map(|deeds| &deeds.controls).all(|control| control.holders() == 2));
}

#[test]
fn calendars_agree() {
    let setting = Setting { loss: 0.2, trespass: true, open: true, ttl: INITIAL_TTL };
    let (wheel, heap) = (run::<Wheel>(&setting), run::<Heap>(&setting));
    assert_eq!(wheel.0.digest(), heap.0.digest());
    assert!(wheel.0.digest().is_some_and(|(_, records)| records > 5_000));
}
