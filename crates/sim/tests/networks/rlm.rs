//! RLM at a bottleneck, alone, in pairs and under loss.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, duplex, link, session_by};
use faircast_proto::endpoint::{LAYER_ADDED, LAYER_DROPPED};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::rlm::{Config, JOIN_HEARD, Profile};
use faircast_proto::scheme::Scheme;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::link::LinkMode;
use faircast_sim::multicast::{Mode, SessionPlan};
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

/// Sessions with so many receivers each over one link; `loss` destroys packets on the last links.
struct Plan<'a> {
    rate: u64,
    queue: &'a str,
    loss: &'a str,
    mode: Mode,
    sessions: &'a [usize],
}

const ALONE: Plan<'_> = Plan {
    rate: 500_000,
    queue: r#"{"kind": "drop-tail", "limit": "20 packets"}"#,
    loss: NO_LOSS,
    mode: Mode::Sparse,
    sessions: &[1],
};

fn world(seed: u64, config: &Config, plan: &Plan<'_>) -> World<Wheel> {
    let mut network = NetworkBuilder::new(seed);
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    let narrow = Wire { rate: plan.rate, millis: 46, queue: plan.queue, loss: NO_LOSS };
    let wide = Wire { rate: 5_000_000, millis: 2, queue: AMPLE, loss: NO_LOSS };
    link(&mut network, a, b, &narrow, LinkMode::Fused);
    link(&mut network, b, a, &Wire { millis: 46, ..wide }, LinkMode::Fused);
    duplex(&mut network, b, c, &wide, LinkMode::Fused);
    let config = SchemeConfig::Rlm(config.clone());
    for (session, &receivers) in plan.sessions.iter().enumerate() {
        let mut host = |name: String, router| {
            let host = network.node(name);
            // What goes to the host can be lost.
            duplex(&mut network, router, host, &Wire { loss: plan.loss, ..wide }, LinkMode::Fused);
            host
        };
        let source = host(format!("source-{session}"), a);
        let members: Vec<_> =
            (0..receivers).map(|n| (config.clone(), always(host(format!("member-{session}-{n}"), c)))).collect();
        let how = SessionPlan { mode: plan.mode, ..SessionPlan::sparse(config.groups().len() as u32) };
        session_by(&mut network, &config, source, &members, how);
    }
    network.probes(ProbePlan { events: true, ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

/// The level after each change of a receiver, from a moment on.
fn levels(world: &World<Wheel>, receiver: usize, from: f64) -> Vec<f64> {
    let own = world.receivers()[receiver].index() as u32;
    let rows = world.records().events.iter().filter(|row| row.endpoint == own && row.at >= at(from));
    let changes = rows.filter(|row| row.event.is(LAYER_ADDED) || row.event.is(LAYER_DROPPED));
    changes.map(|row| row.event.after).collect()
}

#[test]
fn alone_it_holds_what_fits_and_tries_one_more_now_and_then() {
    for seed in [1, 2, 3] {
        let mut world = world(seed, &Config::default(), &ALONE);
        world.run(at(100.0), u64::MAX);
        let before = (world.receiver(0, 0).received_bytes, world.held(0).as_secs_f64());
        world.run(at(600.0), u64::MAX);
        // 32 + 64 + 128 + 256 kbit/s; the rest of the link is not enough for 512 more.
        let kbps = (world.receiver(0, 0).received_bytes - before.0) as f64 * 8.0 / 500e3;
        assert!((470.0..=490.0).contains(&kbps), "{kbps} kbit/s");
        let level = (world.held(0).as_secs_f64() - before.1) / 500.0;
        assert!((3.95..=4.05).contains(&level), "level {level}");
        let levels = levels(&world, 0, 100.0);
        assert!((6..=20).contains(&levels.len()), "{levels:?}");
        assert!(levels.iter().all(|&level| level == 4.0 || level == 5.0), "{levels:?}");
        // The join timer of level 5 has gone to its longest, that of level 4 is as at first.
        let shown = world.measure(world.receivers()[0]);
        assert_eq!(shown[2], if world.level(0) == 4 { 60.0 } else { 60.0_f64.max(shown[2]) });
    }
}

/// Five layers of which the sum is a little too much for the link [Peng's figure of RLM, on 1.4 Mbit/s].
#[test]
fn who_has_held_all_layers_tries_again_unless_it_is_ns2() {
    let rates: Vec<Rate> = [32, 64, 128, 256, 1024].map(|kbps| Rate(1000 * kbps)).to_vec();
    for (profile, tries) in [(Profile::Ns2, false), (Profile::Mended, true)] {
        let config = Config { rates: rates.clone(), profile, ..Config::default() };
        let plan = Plan { rate: 1_400_000, queue: r#"{"kind": "drop-tail", "limit": "15 packets"}"#, ..ALONE };
        let mut world = world(1, &config, &plan);
        world.run(at(1000.0), u64::MAX);
        let levels = levels(&world, 0, 0.0);
        let visits = levels.iter().filter(|&&level| level == 5.0).count();
        assert_eq!(visits > 1, tries, "{profile:?}: {levels:?}");
        assert!(visits > 0 && (tries || world.level(0) == 4), "{profile:?}: {levels:?}");
    }
}

/// Receivers behind one bottleneck hear each other's experiments, those of another session never, however membership is
/// kept; and so they go up and down together.
#[test]
fn receivers_learn_from_each_other() {
    let modes = [Mode::Sparse, Mode::Dense { prune_timeout: Duration::from_secs(1000) }];
    for (mode, loss) in modes.into_iter().flat_map(|mode| [(mode, NO_LOSS), (mode, LOSSY)]) {
        let plan = Plan { rate: 1_000_000, mode, loss, sessions: &[3, 2], ..ALONE };
        let mut world = world(1, &Config::default(), &plan);
        world.run(at(300.0), u64::MAX);
        let of = |address: u32, kind| {
            let rows = &world.records().events;
            rows.iter().filter(|row| row.endpoint == address && row.event.is(kind)).count()
        };
        // Of each session the experiments of the members, the first layer excepted, and what the others heard.
        let (mut all_heard, mut all_others) = (0, 0);
        for members in [0..3, 3..5] {
            let tried = |member: usize| {
                let (flow, receiver) = if member < 3 { (0, member) } else { (1, member - 3) };
                world.receiver(flow, receiver).sent_pkts as usize
            };
            let all: usize = members.clone().map(tried).sum();
            for member in members {
                let heard = of(world.receivers()[member].index() as u32, JOIN_HEARD);
                let others = all - tried(member);
                assert!(heard <= others && (loss == LOSSY || heard == others), "{mode:?}: {heard} of {others}");
                all_heard += heard;
                all_others += others;
            }
        }
        assert!(all_heard > 10 && (loss == NO_LOSS || all_heard < all_others), "{mode:?}: {all_heard} of {all_others}");
    }
}

const LOSSY: &str = r#"{"kind": "bernoulli", "p": 0.2}"#;

/// What layer blocking does not feel: 1 % of all packets lost on the last link.
#[test]
fn loss_that_is_no_congestion_costs_layers() {
    let mean = |loss| {
        let mut world = world(1, &Config::default(), &Plan { loss, ..ALONE });
        world.run(at(100.0), u64::MAX);
        let before = world.held(0).as_secs_f64();
        world.run(at(900.0), u64::MAX);
        (world.held(0).as_secs_f64() - before) / 800.0
    };
    let [clear, lossy] = [NO_LOSS, r#"{"kind": "bernoulli", "p": 0.01}"#].map(mean);
    assert!(lossy < 0.95 * clear, "{lossy} of {clear} layers");
}
