//! Who wants what: reports, what is lost of them, and what repairs it.

use crate::support::{DELAY, GAP, LosesFirst, Stay, at, build, duplex, from, link, link_with, session, silent};
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Ecn, Header, MembershipMessage, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::agent::Agent;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::Change;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{Loss, LossModel};
use faircast_sim::multicast::{Mode, SessionPlan};
use faircast_sim::world::World;

/// Loses messages: those for which the function says so, which is given how many of that kind came before.
struct LosesMessages {
    what: MembershipMessage,
    seen: u32,
    loses: fn(u32) -> bool,
}

impl LossModel for LosesMessages {
    fn loses(&mut self, _now: Instant, packet: &Packet) -> bool {
        match packet.header {
            Header::Membership { what, .. } if what == self.what => {
                self.seen += 1;
                (self.loses)(self.seen - 1)
            }
            _ => false,
        }
    }
}

fn lossy(network: &mut NetworkBuilder, from: NodeId, to: NodeId, what: MembershipMessage, loses: fn(u32) -> bool) {
    link_with(network, from, to, Loss::Guest(Box::new(LosesMessages { what, seen: 0, loses })));
}

/// Source - r1 - r2 - host, links 0 to 5, down even, up odd; on one way up these reports are lost.
fn row_with(lossy_up: usize, loses: fn(u32) -> bool) -> (NetworkBuilder, [NodeId; 4]) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "r1", "r2", "host"].map(|name| network.node(name));
    for (at, pair) in nodes.windows(2).enumerate() {
        link(&mut network, pair[0], pair[1], LinkMode::Fused, 0);
        match 2 * at + 1 == lossy_up {
            true => lossy(&mut network, pair[1], pair[0], MembershipMessage::Report, loses),
            false => link(&mut network, pair[1], pair[0], LinkMode::Fused, 0),
        }
    }
    (network, nodes)
}

fn delivered<C: Calendar>(world: &World<C>, link: usize) -> u64 {
    world.links()[link].counters().delivered
}

/// What comes over a link from now to `seconds`.
fn during<C: Calendar>(world: &mut World<C>, link: usize, seconds: f64) -> u64 {
    let before = delivered(world, link);
    world.run(at(seconds), u64::MAX);
    delivered(world, link) - before
}

#[test]
fn a_lost_leave_is_repaired_by_its_repetition() {
    // The second report is the leave at 1 s; it comes 3 s later, and takes effect 2 s after that.
    let (mut network, [source, _, _, host]) = row_with(5, |nth| nth == 1);
    session(&mut network, source, SessionPlan::sparse(1), &[Stay { stop: Some(1.0), ..from(host, 0.0) }]);
    let mut world: World<Wheel> = build(network);
    world.run(at(5.9), u64::MAX);
    assert!(during(&mut world, 4, 6.0) > 0);
    world.run(at(6.05), u64::MAX);
    assert_eq!(during(&mut world, 4, 1000.0), 0);
}

#[test]
fn a_lost_prune_is_repaired_whatever_the_number_of_groups() {
    for groups in [1, 4, 8, 128] {
        let (mut network, [source, _, _, host]) = row_with(3, |nth| nth == 1);
        let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(groups) };
        session(&mut network, source, plan, &[Stay { stop: Some(2.0), ..from(host, 0.0) }]);
        let mut world: World<Wheel> = build(network);
        world.run(at(1.5), u64::MAX);
        // In half a second some of 128 groups, which are served by turns, have their turn.
        assert!(during(&mut world, 2, 2.0) > 90, "{groups} groups");
        assert!(during(&mut world, 2, 5.0) > 500, "the prune at 2.01 s is lost");
        world.run(at(5.1), u64::MAX);
        assert_eq!(during(&mut world, 2, 100.0), 0, "{groups} groups");
    }
}

#[test]
fn the_acknowledgement_of_an_older_join_does_not_end_the_retries_of_a_newer_one() {
    // Join, leave, join within a round trip; the third report is lost.
    let mut network = NetworkBuilder::new(1);
    let [source, host] = ["source", "host"].map(|name| network.node(name));
    link(&mut network, source, host, LinkMode::Fused, 0);
    lossy(&mut network, host, source, MembershipMessage::Report, |nth| nth == 2);
    let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    let places = [Stay { stop: Some(0.005), ..from(host, 0.0) }, from(host, 0.010)];
    session(&mut network, source, plan, &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(3.0), u64::MAX);
    assert_eq!(world.receiver(0, 1).received_pkts, 1, "what came of the first join");
    world.run(at(4.0), u64::MAX);
    // From the repetition at 3.01 s and the way back: 0.97 s of a packet each 5 ms.
    assert!((190..=196).contains(&world.receiver(0, 1).received_pkts), "{}", world.receiver(0, 1).received_pkts);
}

#[test]
fn a_lost_acknowledgement_costs_a_repetition_and_nothing_else() {
    let mut network = NetworkBuilder::new(1);
    let [source, host] = ["source", "host"].map(|name| network.node(name));
    lossy(&mut network, source, host, MembershipMessage::Acknowledge, |nth| nth < 2);
    link(&mut network, host, source, LinkMode::Fused, 0);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(100.0), u64::MAX);
    assert_eq!(delivered(&world, 1), 3);
    assert!(world.receiver(0, 0).received_pkts > 19_990);
}

#[test]
fn what_is_not_repeated_within_its_lifetime_ends_where_reports_can_be_lost() {
    // From the second report on, which repeats the first after 125 s, nothing comes up any more.
    let (mut network, [source, _, _, host]) = row_with(5, |nth| nth >= 1);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(259.0), u64::MAX);
    assert!(during(&mut world, 4, 260.0) > 0);
    world.run(at(260.1), u64::MAX);
    assert_eq!(during(&mut world, 4, 1000.0), 0);
    assert_eq!(during(&mut world, 2, 1001.0), 0, "nor above");
    // The host says it again every 3 s, forever.
    assert!((285..=300).contains(&delivered(&world, 5).max(world.links()[5].counters().lost)));
}

#[test]
fn reports_that_cannot_be_lost_are_not_repeated_and_others_are() {
    for (lossy_up, expected) in [(1, [9, 1, 1]), (5, [1, 1, 9])] {
        let (mut network, [source, _, _, host]) = row_with(lossy_up, |_| false);
        session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
        let mut world: World<Wheel> = build(network);
        world.run(at(1001.0), u64::MAX);
        assert_eq!([1, 3, 5].map(|link| delivered(&world, link)), expected, "every 125 s");
        assert!(world.receiver(0, 0).received_pkts > 200_000);
    }
}

#[test]
fn reports_over_a_link_that_changes_are_repeated() {
    let (mut network, [source, _, _, host]) = row_with(0, |_| false);
    network.change(at(500.0), LinkId(3), Change::Down);
    network.change(at(800.0), LinkId(3), Change::Up);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(499.0), u64::MAX);
    assert_eq!([1, 3, 5].map(|link| delivered(&world, link)), [1, 4, 1], "every 125 s");
    // Without a way back the router below is no part of the tree; packets come again when it is.
    let before = world.receiver(0, 0).received_pkts;
    world.run(at(799.0), u64::MAX);
    assert!((190..=210).contains(&(world.receiver(0, 0).received_pkts - before)));
    world.run(at(810.0), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts - before > 2150);
}

/// Source - left - host and source - right: the part of the packets that goes to the right, where nobody is.
fn idle_part(groups: u32, prune_timeout: Duration) -> f64 {
    let mut network = NetworkBuilder::new(1);
    let [source, left, right, host] = ["source", "left", "right", "host"].map(|name| network.node(name));
    duplex(&mut network, source, left, LinkMode::Fused);
    duplex(&mut network, source, right, LinkMode::Fused);
    duplex(&mut network, left, host, LinkMode::Fused);
    let plan = SessionPlan { mode: Mode::Dense { prune_timeout }, ..SessionPlan::sparse(groups) };
    session(&mut network, source, plan, &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(100.0), u64::MAX);
    delivered(&world, 2) as f64 / delivered(&world, 0) as f64
}

#[test]
fn an_idle_branch_in_dense_mode_gets_what_it_must_whatever_the_number_of_groups() {
    for timeout in [0.5, 0.3] {
        let (d, gap) = (DELAY.as_secs_f64(), GAP.as_secs_f64());
        let expected = (2.0 * d + gap) / (timeout + 2.0 * d);
        for groups in [1, 2, 4, 8, 128] {
            let part = idle_part(groups, Duration::from_secs_f64(timeout));
            let packet = gap / (timeout + 2.0 * d);
            assert!((part - expected).abs() < packet, "{groups} groups: {part} of the traffic, {expected} expected");
            assert!(part < 0.1);
        }
    }
}

#[test]
fn what_was_to_open_again_after_an_old_prune_does_not_after_a_newer_one() {
    // Pruned at some 0.02 s until 100 s, grafted at 50 s, pruned at 60 s: closed until 160 s.
    let (mut network, [source, _, _, host]) = row_with(0, |_| false);
    let mode = Mode::Dense { prune_timeout: Duration::from_secs(100) };
    let plan = SessionPlan { mode, leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    session(&mut network, source, plan, &[Stay { stop: Some(60.0), ..from(host, 50.0) }]);
    let mut world: World<Wheel> = build(network);
    world.run(at(55.0), u64::MAX);
    assert!(during(&mut world, 2, 56.0) > 190);
    world.run(at(61.0), u64::MAX);
    assert_eq!(during(&mut world, 2, 159.9), 0);
    assert!((1..=10).contains(&during(&mut world, 2, 161.0)), "until it is pruned anew");
}

#[test]
fn a_group_that_is_joined_again_while_it_is_being_left_stays() {
    // Left at 1 s and joined again at 2 s, left at 2.5 s: what was to end at 3 s ends at 4.5 s.
    let (mut network, [source, _, _, host]) = row_with(0, |_| false);
    let places = [Stay { stop: Some(1.0), ..from(host, 0.0) }, Stay { stop: Some(2.5), ..from(host, 2.0) }];
    session(&mut network, source, SessionPlan::sparse(1), &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(2.9), u64::MAX);
    assert!((318..=322).contains(&during(&mut world, 4, 4.5)), "a packet each 5 ms");
    world.run(at(4.53), u64::MAX);
    assert_eq!(during(&mut world, 4, 10.0), 0);
}

/// Sends one packet when it starts.
struct Forger(Packet);

impl Endpoint for Forger {
    fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
        if matches!(input, Input::Start) {
            out.send(self.0);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

#[test]
fn forged_reports_do_no_harm() {
    let groups = GroupSet::of(100) | GroupSet::of(1);
    for (session_number, destination) in [(0, Address::NEIGHBOUR), (7, Address::NEIGHBOUR), (0, Address::group(0))] {
        let (mut network, [source, _, _, host]) = row_with(0, |_| false);
        let own_groups = session(&mut network, source, SessionPlan::sparse(2), &[from(host, 0.0)]);
        let [own, peer] = [host, source].map(|node| network.address(node));
        let flow = network.flow(own, peer);
        let header = Header::Membership { what: MembershipMessage::Report, session: session_number, number: 9, groups };
        let forged = Packet {
            sent: Instant::ZERO,
            flow,
            source: own,
            destination,
            size: 40,
            ttl: 64,
            ecn: Ecn::NotCapable,
            header,
        };
        network.place(own, flow, Agent::Guest(Box::new(Forger(forged))), at(1.0), None);
        silent(&mut network, peer, flow);
        let mut world: World<Wheel> = build(network);
        world.run(at(2.0), u64::MAX);
        // An endpoint's packets are not its router's: nobody takes them for reports.
        assert_eq!(world.interface(own_groups[0], LinkId(4)).map(|(joined, _)| joined), Some(GroupSet::all(2)));
        assert_eq!(world.undeliverable()[1].total(), 1, "{session_number} {destination:?}");
        assert!(world.receiver(0, 0).received_pkts > 360);
    }
}

/// A member that joins and leaves any of 128 groups at random.
struct Fickle {
    groups: Vec<Address>,
    random: Random,
    next: Option<Instant>,
    wants: GroupSet,
    until: Instant,
}

impl Endpoint for Fickle {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if matches!(input, Input::Start) {
            self.next = Some(now);
        }
        if self.next.is_some_and(|next| next <= now) {
            let group = (self.random.uniform() * self.groups.len() as f64) as u32;
            match self.wants.contains(group) {
                true => out.leave(self.groups[group as usize]),
                false => out.join(self.groups[group as usize]),
            }
            self.wants = self.wants ^ GroupSet::of(group);
            let next = now + Duration::from_secs_f64(self.random.exponential(0.05));
            self.next = (next < self.until).then_some(next);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

/// A tree of nine hosts whose members come and go at random, over wires that lose so many of all packets.
fn fickle<C: Calendar>(seed: u64, loses: f64, lifetime: u64) -> (World<C>, Vec<[NodeId; 2]>) {
    let mut network = NetworkBuilder::new(seed);
    let source = network.node("source");
    let mut ends = Vec::new();
    let mut hosts = Vec::new();
    for r in 0..3 {
        let router = network.node(format!("r{r}"));
        let mut pairs = vec![[source, router]];
        for h in 0..3 {
            hosts.push(network.node(format!("h{r}{h}")));
            pairs.push([router, hosts[hosts.len() - 1]]);
        }
        for [above, below] in pairs {
            for (from, to) in [(above, below), (below, above)] {
                let random = network.stream(&format!("{}-{}", from.0, to.0));
                link_with(&mut network, from, to, Loss::Guest(Box::new(Loses(random, loses))));
            }
            ends.push([above, below]);
        }
    }
    let own = network.address(source);
    let plan = SessionPlan { lifetime: Duration::from_secs(lifetime), ..SessionPlan::sparse(128) };
    let (flow, first) = network.session(own, plan);
    silent(&mut network, own, flow);
    let groups: Vec<_> = (0..128).map(|i| Address::group(first.index() as u32 + i)).collect();
    for (index, &host) in hosts.iter().enumerate() {
        let address = network.address(host);
        network.member(flow, address);
        let random = network.stream(&format!("fickle/{index}"));
        let member = Fickle { groups: groups.clone(), random, next: None, wants: GroupSet::EMPTY, until: at(100.0) };
        let agent = Agent::Guest(Box::new(member));
        network.place(address, flow, agent, Instant::ZERO, None);
    }
    (build(network), ends)
}

/// Loses so many of all packets at random.
struct Loses(Random, f64);

impl LossModel for Loses {
    fn loses(&mut self, _now: Instant, _packet: &Packet) -> bool {
        self.0.chance(self.1)
    }
}

#[test]
fn when_members_rest_every_interface_has_joined_what_is_wanted_below() {
    let group = Address::group(0);
    // The members rest at 100 s; a message gets through within some retries, of ten that are lost nine as well.
    for (seed, loses, lifetime, look) in [(1, 0.2, 20, 200.0), (2, 0.2, 20, 200.0), (3, 0.9, 2600, 1000.0)] {
        let (mut world, ends) = fickle::<Wheel>(seed, loses, lifetime);
        world.run(at(look), u64::MAX);
        let joined = |link: usize| world.interface(group, LinkId(link as u32)).expect("a branch").0;
        let mut all = GroupSet::EMPTY;
        for (at, _) in ends.iter().enumerate().filter(|(_, ends)| ends[0] == NodeId(0)) {
            let below = (1..4).fold(GroupSet::EMPTY, |below, host| below | joined(2 * (at + host)));
            assert_eq!(joined(2 * at), below);
            all |= below;
        }
        assert!(all.len() > 60, "some two thousand changes have left half of the groups wanted by one of nine");
        let digest = world.digest();
        let (mut heap, _) = fickle::<Heap>(seed, loses, lifetime);
        heap.run(at(look), u64::MAX);
        assert_eq!(digest, heap.digest());
    }
}

#[test]
fn what_comes_and_goes_leaves_nothing_behind_in_the_calendar() {
    // Somebody stays in one group, so that reports are repeated; others join another group and leave it one by one,
    // each when all is quiet again.
    let events = |others: u64| {
        let mut network = NetworkBuilder::new(1);
        let [source, host] = ["source", "host"].map(|name| network.node(name));
        link(&mut network, source, host, LinkMode::Fused, 0);
        link_with(&mut network, host, source, Loss::Guest(Box::new(LosesFirst(0))));
        let own = network.address(source);
        let (flow, first) = network.session(own, SessionPlan::sparse(2));
        silent(&mut network, own, flow);
        for other in 0..=others {
            let own = network.address(host);
            network.member(flow, own);
            let group = Address::group(first.index() as u32 + u32::from(other > 0));
            let stop = (other > 0).then(|| at(20.0 * other as f64 + 0.1));
            network.place(own, flow, crate::support::member(own, &[group], false), at(20.0 * other as f64), stop);
        }
        let mut world: World<Wheel> = build(network);
        world.run(at(2500.0), u64::MAX);
        let before = world.events();
        world.run(at(5200.0), u64::MAX);
        world.events() - before
    };
    // Every 125 s a report and its acknowledgement, the time to look whether that has come, and the report's lifetime.
    let quiet = events(0);
    assert!(quiet < 22 * 6, "{quiet}");
    let after = events(100);
    assert!(after.abs_diff(quiet) <= 6, "{after} for {quiet}");
}
