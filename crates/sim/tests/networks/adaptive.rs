//! Links with legs whose transmissions have a modulation and code of their own: who hears what when, by hand.

use crate::changes::{MS, Outcome, delay, run, wire};
use crate::legs::{Arrivals, Satellite, datagram, group, satellite};
use crate::support::{AMPLE, Step, actor, script};
use faircast_proto::endpoint::Action;
use faircast_proto::time::Instant;
use faircast_sim::acm::track::Track;
use faircast_sim::acm::{Signal, Transmitter};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::change::Change;
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::multicast::SessionPlan;
use faircast_sim::world::World;

/// A million symbols a second: of 8 bits in a symbol a byte takes a microsecond.
const SYMBOLS: Transmitter = Transmitter { symbol_rate: 1_000_000, floor: None };

fn steady(efficiency: f64) -> Signal {
    Signal { present: Track::level(efficiency), granted: Track::level(efficiency) }
}

/// First one value, another from so many microseconds on.
fn step(first: f64, micros: u64, then: f64) -> Track {
    let mut track = Track::level(first);
    track.set(Instant(micros * 1000), then);
    track
}

/// A satellite whose terminals are so many milliseconds away and have these signals.
fn adaptive(network: &mut NetworkBuilder, queue: &str, by: Transmitter, terminals: &[(u64, Signal)]) -> Satellite {
    let away: Vec<u64> = terminals.iter().map(|terminal| terminal.0).collect();
    let made = satellite(network, queue, &away);
    network.transmitter(made.carrier, by);
    made.legs.iter().zip(terminals).for_each(|(&leg, (_, signal))| network.signal(leg, signal.clone()));
    made
}

/// When packets of at least 100 bytes came, in microseconds: other ones shape trees.
fn micros(outcome: &Outcome, flow: usize) -> Vec<u64> {
    outcome.arrivals[flow].iter().filter(|arrival| arrival.1 >= 100).map(|arrival| arrival.0 / 1000).collect()
}

#[test]
fn a_packet_takes_as_long_as_the_worst_of_those_who_want_it_needs() {
    let outcome = run(&|network| {
        let terminals = [(10, steady(8.0)), (20, steady(2.0)), (20, steady(4.0))];
        let Satellite { satellite, terminals, .. } = adaptive(network, AMPLE, SYMBOLS, &terminals);
        let send = |network: &mut NetworkBuilder, to: usize, micros| {
            script(network, [satellite, terminals[to]], Instant::ZERO, &[(micros, Step::Send(1000))])
        };
        let alone = [(0, 100_000), (1, 100_001), (2, 100_002)].map(|(to, at)| send(network, to, at));
        let all = group(network, satellite, &terminals, &[(100_003, 500)]);
        let two = group(network, satellite, &[terminals[0], terminals[2]], &[(100_004, 500)]);
        [alone.to_vec(), all, two].concat()
    });
    // Departures at 101, 105, 107, 109 and 110 ms.
    assert_eq!([0, 1, 2].map(|flow| micros(&outcome, flow)), [[111_000], [125_000], [127_000]]);
    assert_eq!([3, 4, 5].map(|flow| micros(&outcome, flow)), [[119_000], [129_000], [129_000]]);
    assert_eq!([6, 7].map(|flow| micros(&outcome, flow)), [[120_000], [130_000]]);
    assert!(outcome.counters.iter().all(|counters| counters.lost == 0));
}

#[test]
fn equal_signals_are_as_a_rate() {
    let queues = [
        AMPLE,
        r#"{"kind": "red", "limit": "9 packets", "min_th": "2 packets", "max_th": "6 packets"}"#,
        r#"{"kind": "codel", "limit": "9 packets"}"#,
        r#"{"kind": "fq-codel", "limit": "9 packets"}"#,
        r#"{"kind": "shaper", "rate": "4 Mb/s", "burst": "2KB", "queue": {"kind": "drop-tail", "limit": "9 packets"}}"#,
        r#"{"kind": "classes", "classes": [{"name": "all", "queue": {"kind": "codel", "limit": "9 packets"}}]}"#,
        r#"{"kind": "drop-tail", "limit": "3 packets"}"#,
    ];
    let of = |queue: &str, symbols: bool| {
        run(&|network| {
            let Satellite { satellite, terminals, carrier, legs } = satellite(network, queue, &[10, 20, 20, 30]);
            network.change(Instant(130 * MS), legs[3], delay(25));
            network.change(Instant(140 * MS), carrier, Change::Down);
            network.change(Instant(160 * MS), carrier, Change::Up);
            network.change(Instant(170 * MS), legs[0], Change::Down);
            if symbols {
                network.transmitter(carrier, SYMBOLS);
                legs.iter().for_each(|&leg| network.signal(leg, steady(8.0)));
            }
            let sends: Vec<(u64, u16)> = (0..200).map(|n| (100_000 + 700 * n, 300 + 7 * n as u16)).collect();
            let alone: Vec<(u64, Step)> = sends.iter().map(|&(at, size)| (at + 13, Step::Send(size))).collect();
            let alone = script(network, [satellite, terminals[1]], Instant::ZERO, &alone);
            [vec![alone], group(network, satellite, &terminals, &sends)].concat()
        })
    };
    for queue in queues {
        let (by_rate, by_symbols) = (of(queue, false), of(queue, true));
        assert_eq!(by_rate.arrivals, by_symbols.arrivals, "{queue}");
        assert_eq!(by_rate.counters, by_symbols.counters, "{queue}");
    }
}

#[test]
fn who_is_left_out_hears_nothing_and_that_is_counted() {
    let floor = Transmitter { floor: Some(4.0), ..SYMBOLS };
    let of = |by: Transmitter| {
        run(&|network| {
            let terminals = [(10, steady(8.0)), (10, steady(4.0)), (10, steady(2.0))];
            let Satellite { satellite, terminals, .. } = adaptive(network, AMPLE, by, &terminals);
            let all = group(network, satellite, &terminals, &[(100_000, 1000)]);
            // Below the floor alone, it is served.
            [all, group(network, satellite, &terminals[2..], &[(200_000, 1000)])].concat()
        })
    };
    let (without, with) = (of(SYMBOLS), of(floor));
    assert_eq!([0, 1, 2, 3].map(|flow| micros(&without, flow)), [[114_000], [114_000], [114_000], [214_000]]);
    assert_eq!([0, 1, 3].map(|flow| micros(&with, flow)), [[112_000], [112_000], [214_000]]);
    assert!(micros(&with, 2).is_empty());
    assert_eq!([1, 2, 3].map(|leg| with.counters[leg].lost), [0, 0, 1]);
    assert_eq!(with.counters[0].unreceived, 0);
}

#[test]
fn what_comes_above_the_present_signal_is_lost_whatever_leg_it_is() {
    // Granted 8 bits for 10 ms more than the second and the third, which changes its delay, can receive them.
    let late = || Signal { present: step(8.0, 150_000, 4.0), granted: step(8.0, 160_000, 4.0) };
    let make = |network: &mut NetworkBuilder| {
        let terminals = [(10, steady(8.0)), (10, late()), (20, late())];
        let Satellite { satellite, terminals, legs, .. } = adaptive(network, AMPLE, SYMBOLS, &terminals);
        network.change(Instant(120 * MS), legs[2], delay(15));
        // Departures at 149.5, 150 (when it changes), 155, 160.9 and 167.1 ms.
        let sends = [(149_000, 500), (149_500, 500), (154_500, 500), (159_900, 1000), (165_000, 1050)];
        group(network, satellite, &terminals, &sends)
    };
    let outcome = run(&make);
    assert_eq!(micros(&outcome, 0), [159_500, 160_000, 165_000, 170_900, 177_100]);
    // What starts before it is granted less goes on as it began.
    assert_eq!(micros(&outcome, 1), [159_500, 177_100]);
    assert_eq!(micros(&outcome, 2), [164_500, 182_100]);
    assert_eq!([1, 2, 3].map(|leg| outcome.counters[leg].lost), [0, 3, 3]);
    let mut network = NetworkBuilder::new(1);
    make(&mut network);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    let undecoded = |link| world.symbols(LinkId(link)).map(|counters| counters.undecoded);
    assert_eq!([0, 1, 2, 3, 4].map(undecoded), [Some(0), Some(0), Some(3), Some(3), None]);
    // Symbols: three of 500 bytes and one of 1000 with 8 bits each, one of 1050 with 4, and acknowledgements of joins.
    let sent = world.symbols(LinkId(0)).expect("it sends symbols");
    let acknowledgements = 3.0 * 50.0;
    assert!((sent.symbols - (3.0 * 500.0 + 1000.0 + 2.0 * 1050.0 + acknowledgements)).abs() < 1e-6, "{sent:?}");
    assert_eq!(sent.bits, 8 * (3 * 500 + 1000 + 1050 + 150));
    let witnessed = &world.losses()[0];
    assert_eq!(witnessed.lost, 6);
}

#[test]
fn in_an_outage_others_decide_and_alone_the_most_robust_is_sent_in_vain() {
    let outcome = run(&|network| {
        let gone = Signal { present: step(8.0, 50_000, 0.0), granted: step(8.0, 50_000, 0.0) };
        let Satellite { satellite, terminals, .. } =
            adaptive(network, AMPLE, SYMBOLS, &[(10, steady(2.0)), (10, gone)]);
        let all = group(network, satellite, &terminals, &[(100_000, 100)]);
        let alone = script(network, [satellite, terminals[1]], Instant::ZERO, &[(110_000, Step::Send(434))]);
        let behind = script(network, [satellite, terminals[0]], Instant::ZERO, &[(110_001, Step::Send(100))]);
        [all, vec![alone, behind]].concat()
    });
    assert_eq!(micros(&outcome, 0), [110_400]);
    assert!(micros(&outcome, 1).is_empty() && micros(&outcome, 2).is_empty());
    // 434 bytes by QPSK 2/9: 8 · 434 / 0.434841 = 7984.5 symbols; then 100 bytes of 2 bits in a symbol.
    assert_eq!(micros(&outcome, 3), [110_000 + 7_984 + 400 + 10_000]);
    assert_eq!((outcome.counters[1].lost, outcome.counters[2].lost), (0, 2));
}

#[test]
fn who_joins_during_a_transmission_hears_nothing_of_it() {
    // 10 000 bytes of 8 bits take 10 ms, from 100 to 110 ms; the second has joined by 105 ms.
    let outcome = run(&|network| {
        let Satellite { satellite, terminals, .. } =
            adaptive(network, AMPLE, SYMBOLS, &[(10, steady(8.0)), (10, steady(2.0))]);
        let source = network.address(satellite);
        let (flow, first) = network.session(source, SessionPlan::sparse(1));
        let sends: Vec<_> =
            [100_000, 120_000].iter().map(|&micros| (micros, datagram(flow, source, first, 10_000))).collect();
        network.place(source, flow, actor(&sends).0, Instant::ZERO, None);
        let join = |network: &mut NetworkBuilder, terminal: usize, micros| -> Arrivals {
            let own = network.address(terminals[terminal]);
            network.member(flow, own);
            let (member, arrivals) = actor(&[(micros, Action::Join(first))]);
            network.place(own, flow, member, Instant::ZERO, None);
            arrivals
        };
        vec![join(network, 0, 0), join(network, 1, 103_000)]
    });
    // Then 10 000 bytes of 2 bits; before it an acknowledgement.
    assert_eq!(micros(&outcome, 0), [120_000, 170_000]);
    assert_eq!(micros(&outcome, 1), [170_000]);
    assert_eq!(outcome.counters[2].lost, 0, "it was not meant for the second");
}

#[test]
fn a_leg_that_nobody_wants_and_another_carrier_slow_nobody_down() {
    let outcome = run(&|network| {
        let first = adaptive(network, AMPLE, SYMBOLS, &[(10, steady(8.0)), (20, steady(0.5))]);
        let second = network.node("other");
        let other = crate::support::carrier(network, second, &wire(0));
        let leg = crate::support::leg(network, other, second, first.terminals[0], &wire(30));
        crate::support::link(network, first.terminals[0], second, &wire(1), LinkMode::Fused);
        network.transmitter(other, Transmitter { symbol_rate: 500_000, floor: None });
        network.signal(leg, steady(4.0));
        let one = group(network, first.satellite, &first.terminals[..1], &[(100_000, 1000)]);
        let alone = script(network, [second, first.terminals[0]], Instant::ZERO, &[(100_000, Step::Send(1000))]);
        [one, vec![alone]].concat()
    });
    assert_eq!((micros(&outcome, 0), micros(&outcome, 1)), (vec![111_000], vec![134_000]));
}
