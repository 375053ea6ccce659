//! The scheme over the group driver and in the simulator, and the page that explains it.

use faircast_proto::endpoint::Cause;
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::random::Random;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::testing::group::{GROUP, Group, Who};
use faircast_proto::testing::{Fate, gauge};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::engine::World;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::queue::{self, LinkContext, Queue};
use worst_loss::Config;

fn seat(who: Who) -> Seat {
    let random = Random::stream(1, &format!("test/{who:?}"));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 2, line_rate: None, random }
}

#[test]
fn the_rate_grows_by_a_step_and_is_cut_by_the_member_that_loses() {
    let config = Config::default();
    assert_eq!(config.check(), []);
    let members = (0..2).map(|n| (config.member(seat(Who::Member(n))), Duration::from_millis(10))).collect();
    // Member 1 misses every fifth packet.
    let mut number = 0;
    let network = |_: Who, to: Who, _: &Packet| {
        number += u32::from(to == Who::Member(1));
        if to == Who::Member(1) && number % 5 == 0 { Fate::Lose } else { Fate::Deliver }
    };
    let mut group = Group::new(config.source(seat(Who::Source)), members, network);
    group.pester = true;
    group.start_all();
    group.run_until(Instant::from_secs_f64(3.5));
    let rates: Vec<(f64, f64, Cause)> =
        group.events.iter().map(|(_, _, event)| (event.before, event.after, event.cause)).collect();
    // The first report comes after the first change; the second change and the third know of the loss.
    let report = |number| Cause::Report { receiver: Who::Member(1).address(), number };
    assert_eq!(rates, [(50e3, 100e3, Cause::Time), (100e3, 70e3, report(0)), (70e3, 50e3, report(1))]);
    assert_eq!(gauge(&group.source, "cuts"), 2.0);
    assert!(gauge(&group.members[0], "missed") == 0.0 && gauge(&group.members[1], "missed") > 0.1);
}

#[test]
fn in_the_simulator_it_fills_a_link_and_takes_back_what_is_too_much() {
    let mut network = NetworkBuilder::new(1);
    let [source, router, host] = ["source", "router", "host"].map(|name| network.node(name));
    for (from, to, rate) in [(source, router, 9_876_543), (router, host, 987_654)] {
        for (from, to) in [(from, to), (to, from)] {
            network.link(plan(from, to, Rate(rate)));
        }
    }
    let config = Config::default();
    let (own, member) = (network.address(source), network.address(host));
    let (flow, group) = network.session(own, SessionPlan::sparse(config.groups().len() as u32));
    let seat =
        |own: Address| Seat { flow, own, group, members: 1, line_rate: None, random: Random::stream(1, "example") };
    network.member(flow, member);
    network.place(own, flow, Agent::Guest(Box::new(config.source(seat(own)))), Instant::ZERO, None);
    network.place(member, flow, Agent::Guest(Box::new(config.member(seat(member)))), Instant::ZERO, None);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(60.0), u64::MAX);
    let before = world.receiver(0, 0).received_bytes;
    world.run(Instant::from_secs_f64(160.0), u64::MAX);
    let rate_bps = 8.0 * (world.receiver(0, 0).received_bytes - before) as f64 / 100.0;
    assert!((0.75e6..1e6).contains(&rate_bps), "{rate_bps}");
}

fn plan(from: NodeId, to: NodeId, rate: Rate) -> LinkPlan {
    let delay = Duration::from_millis(10);
    let queue: queue::Config = serde_json::from_str(r#"{"kind": "drop-tail", "limit": "10 packets"}"#).expect("legal");
    let random = Random::stream(1, "queue");
    let queue = Queue::new(&queue, LinkContext { rate, delay, mean_packet_bytes: 1000, random });
    let loss = Loss::new(&loss::Config::default(), Random::stream(1, "loss"));
    LinkPlan { name: format!("{}-{}", from.0, to.0), from, to, rate, delay, queue, loss, mode: LinkMode::Fused }
}

#[test]
fn the_page_shows_code_that_exists() {
    let page = include_str!("../../../docs/add-a-scheme.md");
    let sources = [
        include_str!("../src/lib.rs"),
        include_str!("scheme.rs"),
        include_str!("../../../crates/proto/src/registry.rs"),
        include_str!("../../../crates/proto/src/scheme.rs"),
    ];
    let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "nowhere in the tree:\n{block}");
    }
}
