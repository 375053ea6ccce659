//! The clocks of hosts are offset by constants of their own, on which nothing may depend.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, constant_rate, duplex, session, tcp};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::source::cbr;
use faircast_proto::time::Duration;
use faircast_proto::{omcc, pgmcc, tfmcc};
use faircast_sim::builder::{NetworkBuilder, clock_offset};
use faircast_sim::calendar::Wheel;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

const SECOND_US: u32 = 1_000_000;

/// A name that begins with `begin` of a node whose clock, in the low 32 bits of its microseconds as protocols put it
/// into stamps, is in this range at time zero.
fn name(seed: u64, begin: &str, stamps: std::ops::Range<u32>) -> String {
    let stamp = |name: &String| (clock_offset(seed, name).0 / 1000) as u32;
    (0..).map(|number| format!("{begin}-{number}")).find(|name| stamps.contains(&stamp(name))).expect("without end")
}

/// TCP with and without time stamps, a constant rate and a session to two receivers over a bottleneck.
fn digest(seed: u64, scheme: &SchemeConfig, offsets: bool, stamps: std::ops::Range<u32>) -> (u64, u64) {
    let mut network = NetworkBuilder::new(seed);
    let [left, right, source, near, far, client, server] =
        ["left", "right", "source", "near", "far", "client", "server"]
            .map(|begin| network.node(name(seed, begin, stamps.clone())));
    let red = r#"{"kind": "red", "limit": "60 packets", "min_th": "5 packets", "max_th": "30 packets"}"#;
    // The first packet of the first flow is lost, its second is not.
    let loss = r#"{"kind": "outage", "start": "0 s", "length": "43 ms"}"#;
    let ample = Wire { rate: 76_543_210, millis: 5, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, left, right, &Wire { rate: 7_654_321, millis: 40, queue: red, loss }, LinkMode::Fused);
    for (a, b, millis) in [(source, left, 5), (client, left, 1), (right, near, 5), (right, far, 70), (right, server, 2)]
    {
        duplex(&mut network, a, b, &Wire { millis, ..ample }, LinkMode::Fused);
    }
    tcp(&mut network, client, server, r#"{"variant": "sack", "timestamps": true, "rto_min": "10 ms"}"#);
    tcp(&mut network, client, server, r#"{"variant": "newreno", "timestamps": true, "delayed_ack": true}"#);
    tcp(&mut network, client, server, r#"{"variant": "reno", "handshake": true, "handshake_ack": true}"#);
    constant_rate(&mut network, client, server, 700_001);
    session(&mut network, scheme, source, &[always(near), always(far)]);
    network.clock_offsets(offsets);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(12.0), u64::MAX);
    let digest = world.digest().expect("a trace was asked for");
    assert!(digest.1 > 10_000, "something happened");
    digest
}

#[test]
fn no_protocol_depends_on_the_offsets_of_clocks() {
    let omcc = serde_json::from_str::<omcc::Config>("{}").expect("the defaults are legal");
    let schemes = [
        SchemeConfig::Cbr(cbr::Config::default()),
        SchemeConfig::Tfmcc(tfmcc::Config::default()),
        SchemeConfig::Omcc(omcc),
        SchemeConfig::Pgmcc(pgmcc::Config::default()),
    ];
    for (seed, scheme) in (1..).zip(&schemes) {
        let reference = digest(seed, scheme, false, 0..u32::MAX);
        // Any clock; one whose stamps seem negative; one whose stamps begin anew after 2 to 10 seconds.
        let wrapping = u32::MAX - 10 * SECOND_US..u32::MAX - 2 * SECOND_US;
        for stamps in [0..u32::MAX, 1 << 31..u32::MAX, wrapping] {
            assert_eq!(digest(seed, scheme, true, stamps.clone()), reference, "{scheme:?}, clocks at {stamps:?} us");
        }
    }
}

#[test]
fn clocks_are_offset_by_whole_microseconds_of_eleven_days() {
    let offsets: Vec<Duration> = (0..1000).map(|node| clock_offset(7, &format!("n{node}"))).collect();
    assert!(offsets.iter().all(|offset| offset.0 % 1000 == 0 && offset.0 < 1_000_000_000_000_000));
    // Stamps are of 2^32 us, 71 minutes.
    assert!(offsets.iter().filter(|offset| offset.0 > 4_294_967_296_000).count() > 950);
}
