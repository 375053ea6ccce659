//! SMCC with windows over the simulator's multicast: each receiver gets its own rate.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, duplex, session, tcp};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::smcc;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

fn scheme() -> SchemeConfig {
    let config: smcc::Config =
        serde_json::from_str(r#"{"control": "pgmcc", "base_rate": "1 Mbit/s", "layers": 3, "rtts": ["64 ms"]}"#)
            .expect("it is legal");
    SchemeConfig::Smcc(config)
}

const RED: &str =
    r#"{"kind": "red", "limit": "100 packets", "min_th": "5 packets", "max_th": "50 packets", "gentle": true}"#;

/// A receiver behind 1.5 Mbit/s and one behind 6, each beside a TCP; round trips of 64 ms.
fn two_rates<C: Calendar>(seed: u64) -> World<C> {
    let mut network = NetworkBuilder::new(seed);
    let [source, hub, slow, fast] = ["source", "hub", "slow", "fast"].map(|name| network.node(name));
    let ample = Wire { rate: 98_765_432, millis: 8, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, source, hub, &ample, LinkMode::Fused);
    duplex(&mut network, hub, slow, &Wire { rate: 1_498_765, millis: 24, queue: RED, ..ample }, LinkMode::Fused);
    duplex(&mut network, hub, fast, &Wire { rate: 5_987_654, millis: 24, queue: RED, ..ample }, LinkMode::Fused);
    session(&mut network, &scheme(), source, &[always(slow), always(fast)]);
    for to in [slow, fast] {
        tcp(&mut network, source, to, r#"{"variant": "newreno", "hdr": "0 B", "wnd": "1000 packets"}"#);
    }
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

#[test]
fn each_receiver_gets_about_what_the_tcp_beside_it_gets() {
    let shares = |seed| {
        let mut world = two_rates::<Wheel>(seed);
        world.run(at(60.0), u64::MAX);
        let bytes = |world: &World<Wheel>| {
            [(0, 0), (0, 1), (1, 0), (2, 0)].map(|(flow, receiver)| world.receiver(flow, receiver).received_bytes)
        };
        let before = bytes(&world);
        world.run(at(260.0), u64::MAX);
        let mut rates = [0.0; 4];
        for (rate, (after, before)) in rates.iter_mut().zip(bytes(&world).into_iter().zip(before)) {
            *rate = 8e-6 * (after - before) as f64 / 200.0;
        }
        rates
    };
    let mut mean = [0.0; 4];
    for rates in (1..=4).map(shares) {
        mean.iter_mut().zip(rates).for_each(|(mean, rate)| *mean += rate / 4.0);
    }
    let [slow, fast, slow_tcp, fast_tcp] = mean;
    println!("{mean:?}");
    assert!((0.4..=2.0).contains(&(slow / slow_tcp)), "{mean:?}");
    assert!((0.4..=2.0).contains(&(fast / fast_tcp)), "{mean:?}");
    assert!(fast > 1.8 * slow, "{mean:?}");
}

#[test]
fn calendars_give_identical_traces() {
    fn digest<C: Calendar>() -> Option<(u64, u64)> {
        let mut world = two_rates::<C>(7);
        world.run(at(40.0), u64::MAX);
        assert!(world.links().iter().all(|link| link.conserves()));
        world.digest()
    }
    let wheel = digest::<Wheel>();
    assert!(wheel.is_some_and(|(_, records)| records > 10_000));
    assert_eq!(wheel, digest::<Heap>());
}
