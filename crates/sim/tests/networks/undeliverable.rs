//! Packets that the network cannot deliver: refused when it is built, or counted by reason and flow.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, constant_rate, duplex, session};
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::tfmcc;
use faircast_proto::time::Instant;
use faircast_sim::agent::Agent;
use faircast_sim::builder::{BuildError, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::Undeliverable;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::world::World;

const WIRE: Wire<'_> = Wire { rate: 7_654_321, millis: 1, queue: AMPLE, loss: NO_LOSS };

/// Nodes `n0`, `n1`, .. in a row of so many links.
fn row(hops: usize) -> (NetworkBuilder, Vec<NodeId>) {
    let mut network = NetworkBuilder::new(1);
    let nodes: Vec<NodeId> = (0..=hops).map(|node| network.node(format!("n{node}"))).collect();
    for pair in nodes.windows(2) {
        duplex(&mut network, pair[0], pair[1], &WIRE, LinkMode::Fused);
    }
    (network, nodes)
}

#[test]
fn packets_cross_64_links() {
    let (mut network, nodes) = row(64);
    constant_rate(&mut network, nodes[0], nodes[64], 100_000);
    let mut world: World<Wheel> = network.build().expect("64 hops are legal");
    world.run(at(10.0), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts > 100);
    assert_eq!(world.undeliverable(), [Undeliverable::default(); 2]);
}

#[test]
fn a_way_of_65_links_is_refused_with_flow_and_hops() {
    let (mut network, nodes) = row(65);
    constant_rate(&mut network, nodes[0], nodes[64], 100_000);
    let long = constant_rate(&mut network, nodes[0], nodes[65], 100_000);
    let scheme = SchemeConfig::Tfmcc(tfmcc::Config::default());
    let sessions = session(&mut network, &scheme, nodes[65], &[always(nodes[1]), always(nodes[0])]);
    let errors = network.build::<Wheel>().err().expect("errors");
    let error = |flow: FlowId, from: &str, to: &str| BuildError::TooManyHops {
        flow,
        from: from.into(),
        to: to.into(),
        hops: 65,
    };
    let expected = [
        error(long, "n0", "n65"),
        error(long, "n65", "n0"),
        error(sessions, "n65", "n0"),
        error(sessions, "n0", "n65"),
    ];
    assert_eq!(errors, expected);
    assert_eq!(errors[0].to_string(), "flow 1: the way from node n0 to node n65 has 65 hops; a packet may take 64");
}

/// Sends `packets`, one after the other, when it starts.
struct Once(Vec<Packet>);

impl Endpoint for Once {
    fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Start = input {
            self.0.iter().for_each(|&packet| out.send(packet));
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
fn what_cannot_be_delivered_is_counted_by_reason_and_flow() {
    let (mut network, nodes) = row(3);
    let [own, end, there, lost] = [nodes[0], nodes[3], nodes[3], nodes[0]].map(|node| network.address(node));
    let island = network.node("island");
    let nowhere = network.address(island);
    let first = network.flow(own, end);
    let second = network.flow(lost, there);
    let to = |destination: Address, flow: FlowId, ttl: u8| Packet {
        sent: Instant::ZERO,
        flow,
        source: own,
        destination,
        size: 321,
        ttl,
        ecn: Ecn::NotCapable,
        header: Header::Datagram { sequence: 0 },
    };
    // Three links take three hops; two do not suffice.
    let nobody = [Address::group(7), Address::endpoint(1000)];
    let mut packets = vec![to(end, first, 3), to(end, first, 2), to(end, second, 0)];
    packets.extend(nobody.map(|nobody| to(nobody, first, 64)));
    // No link leads from the island. A flow of nobody's has the last counters.
    let stranded = vec![to(end, second, 64), to(end, FlowId(99), 64)];
    let idle = || Agent::Guest(Box::new(Once(Vec::new())));
    network.place(own, first, Agent::Guest(Box::new(Once(packets))), at(0.0), None);
    network.place(nowhere, first, Agent::Guest(Box::new(Once(stranded))), at(0.0), None);
    for address in [end, there, lost] {
        network.place(address, first, idle(), at(0.0), None);
    }
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(1.0), u64::MAX);
    let expected = [
        Undeliverable { out_of_hops: 1, no_route: 2, off_tree: 0, not_a_source: 0 },
        Undeliverable { out_of_hops: 1, no_route: 1, off_tree: 0, not_a_source: 0 },
        Undeliverable { out_of_hops: 0, no_route: 1, off_tree: 0, not_a_source: 0 },
    ];
    assert_eq!(world.undeliverable(), expected);
    assert!(world.links().iter().all(|link| link.conserves()));
    // Two packets cross the first two links, one the third.
    assert_eq!([0, 2, 4].map(|link| world.links()[link].counters().delivered), [2, 2, 1]);
}
