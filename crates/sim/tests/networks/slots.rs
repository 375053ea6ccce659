//! Terminals that send in slots of one carrier: when packets come, by hand, and how the carrier is shared.

use crate::changes::{MS, Outcome, delay, run, wire};
use crate::legs::Arrivals;
use crate::support::{AMPLE, NO_LOSS, Step, Wire, link, script};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::change::Change;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::return_channel::aloha::Aloha;
use faircast_sim::return_channel::assignment::{Assignment, Demand};
use faircast_sim::return_channel::{Access, Grid, ReturnChannel, SlotCounters};
use faircast_sim::world::World;

/// Ten slots of a millisecond and 100 bytes.
const GRID: Grid = Grid { superframe: Duration(10 * MS), slots: 10, payload: 100 };
const CONSTANT: Assignment = Assignment { constant: 2, demand: Demand::Nothing, lead: 1, most: 10, free: false };
const VOLUME: Assignment = Assignment { constant: 0, demand: Demand::Volume, lead: 3, ..CONSTANT };
const RATE: Assignment = Assignment { demand: Demand::Rate { persistence: 4 }, ..VOLUME };

/// Terminals that send to a hub over a carrier, which is 10 ms away.
struct Beam {
    hub: NodeId,
    terminals: Vec<NodeId>,
    links: Vec<LinkId>,
}

fn beam(network: &mut NetworkBuilder, grid: Grid, by: Assignment, count: usize, queue: &str) -> Beam {
    beam_by(network, grid, Access::Assigned(by), count, queue)
}

fn beam_by(network: &mut NetworkBuilder, grid: Grid, access: Access, count: usize, queue: &str) -> Beam {
    let hub = network.node("hub");
    let terminals: Vec<NodeId> = (0..count).map(|number| network.node(format!("terminal-{number}"))).collect();
    let up = Wire { rate: grid.rate_bps() as u64, millis: 10, queue, loss: NO_LOSS };
    let links = terminals.iter().map(|&from| link(network, from, hub, &up, LinkMode::Fused)).collect::<Vec<_>>();
    for &to in &terminals {
        link(network, hub, to, &wire(10), LinkMode::Fused);
    }
    network.return_channel(ReturnChannel { terminals: links.clone(), grid, access });
    Beam { hub, terminals, links }
}

impl Beam {
    /// Packets of these sizes at these microseconds from one of the terminals.
    fn send(&self, network: &mut NetworkBuilder, terminal: usize, sends: &[(u64, u16)]) -> Arrivals {
        let steps: Vec<(u64, Step)> = sends.iter().map(|&(at, size)| (at, Step::Send(size))).collect();
        script(network, [self.terminals[terminal], self.hub], Instant::ZERO, &steps)
    }
}

/// When packets left their terminal, in microseconds.
fn departures(outcome: &Outcome, flow: usize) -> Vec<u64> {
    outcome.arrivals[flow].iter().map(|arrival| arrival.0 / 1000 - 10_000).collect()
}

/// Of terminals each of which sends these.
fn sent(by: Assignment, sends: &[&[(u64, u16)]]) -> Outcome {
    run(&|network| {
        let beam = beam(network, GRID, by, sends.len(), AMPLE);
        (0..sends.len()).map(|terminal| beam.send(network, terminal, sends[terminal])).collect()
    })
}

#[test]
fn constant_slots_come_in_each_superframe() {
    // Of the first the slots from 0 and 1, of the second those from 2 and 3 ms.
    let first: &[(u64, u16)] = &[
        (0, 100),      // at the very beginning of its slot
        (1001, 60),    // too late for the second: the next superframe
        (9000, 40),    // behind it in the same slot
        (9001, 101),   // the slot behind, and one in the superframe after
        (20_500, 99),  // has come after the slot began that ends there
        (50_000, 500), // five slots: two, two, one
        (79_999, 10),
    ];
    let second: &[(u64, u16)] = &[(2000, 200), (4000, 200)];
    let outcome = sent(CONSTANT, &[first, second, &[]]);
    assert_eq!(departures(&outcome, 0), [1000, 11_000, 11_000, 21_000, 22_000, 71_000, 81_000]);
    assert_eq!(departures(&outcome, 1), [4000, 14_000]);
}

#[test]
fn an_idle_terminal_waits_for_the_next_request_and_the_lead() {
    for by in [VOLUME, RATE] {
        for (at, size) in [(0, 100), (1, 100), (9_999, 250), (10_000, 1), (47_300, 999)] {
            let outcome = sent(by, &[&[], &[(at, size)]]);
            let slots = u64::from(size).div_ceil(100);
            assert_eq!(departures(&outcome, 0), Vec::<u64>::new());
            assert_eq!(departures(&outcome, 1), [at.div_ceil(10_000) * 10_000 + 30_000 + slots * 1000], "{by:?}");
        }
    }
}

#[test]
fn a_packet_larger_than_a_superframe_goes_on_as_slots_come() {
    // 25 slots; those of the third superframe behind that of the request, 3 of the fifth.
    assert_eq!(departures(&sent(VOLUME, &[&[(5000, 2401)]]), 0), [10_000 + 50_000 + 5000]);
    // Half of them for a second one that asks for as much.
    let outcome = sent(VOLUME, &[&[(5000, 2401)], &[(5000, 2401)]]);
    assert_eq!([0, 1].map(|flow| departures(&outcome, flow)[0]), [85_000, 90_000]);
}

#[test]
fn what_goes_down_meanwhile_waits_and_a_delay_is_that_of_the_departure() {
    let outcome = run(&|network| {
        let beam = beam(network, GRID, CONSTANT, 1, AMPLE);
        network.change(Instant(5 * MS), beam.links[0], Change::Down);
        network.change(Instant(25 * MS), beam.links[0], Change::Up);
        network.change(Instant(40 * MS + 1), beam.links[0], delay(20));
        vec![beam.send(network, 0, &[(0, 100), (2000, 100), (3000, 100), (35_000, 200)])]
    });
    assert_eq!(departures(&outcome, 0), [1000, 31_000, 32_000, 52_000]);
}

#[test]
fn queues_drop_and_mark_before_the_slots() {
    let queues = [
        r#"{"kind": "drop-tail", "limit": "3 packets", "count_transmission": false}"#,
        r#"{"kind": "fq-codel", "limit": "3 packets", "batch": 1}"#,
        r#"{"kind": "classes", "classes": [{"name": "all", "queue": {"kind": "codel", "limit": "3 packets"}}]}"#,
    ];
    for queue in queues {
        let outcome = run(&|network| {
            let beam = beam(network, GRID, CONSTANT, 1, queue);
            vec![beam.send(network, 0, &[(2000, 100), (2001, 100), (2002, 100), (2003, 100), (12_500, 100)])]
        });
        assert_eq!(outcome.counters[0].dropped_overflow, 1, "{queue}");
        assert_eq!(departures(&outcome, 0), [11_000, 12_000, 21_000, 22_000], "{queue}");
    }
}

#[test]
fn what_has_come_too_late_for_the_rest_of_a_slot_stays_in_the_queue() {
    let queues = [
        r#"{"kind": "drop-tail", "limit": "1 packets", "count_transmission": false}"#,
        r#"{"kind": "fq-codel", "limit": "1 packets", "batch": 1}"#,
        r#"{"kind": "classes", "classes": [{"name": "all", "queue": {"kind": "codel", "limit": "1 packets"}}]}"#,
    ];
    for queue in queues {
        let outcome = run(&|network| {
            let beam = beam(network, GRID, CONSTANT, 1, queue);
            // The second comes during the last slot of the superframe, in which 40 bytes are left, and waits for the
            // one from 10 ms; the third finds it in the queue.
            vec![beam.send(network, 0, &[(1000, 60), (1500, 20), (5000, 20)])]
        });
        assert_eq!(departures(&outcome, 0), [2000, 11_000], "{queue}");
        let dropped = outcome.counters[0].dropped_overflow;
        assert_eq!(dropped, 1, "{queue}");
    }
}

/// So much of a superframe a terminal offers in packets of 125 bytes, at even distances; for a second.
fn steady(share: f64) -> Vec<(u64, u16)> {
    let every = 125.0 * 10_000.0 / (share * 1000.0);
    (0..).map(|n| ((f64::from(n) * every) as u64, 125)).take_while(|send| send.0 < 990_000).collect()
}

fn bytes(outcome: &Outcome, flow: usize, from: u64) -> u64 {
    outcome.arrivals[flow].iter().filter(|arrival| arrival.0 >= from).map(|arrival| u64::from(arrival.1)).sum()
}

#[test]
fn a_carrier_that_is_full_is_shared_alike_and_used_up() {
    let greedy = steady(0.9);
    for by in [VOLUME, RATE, Assignment { constant: 1, ..VOLUME }, Assignment { free: true, ..RATE }] {
        let outcome = sent(by, &[&greedy, &greedy, &greedy, &[]]);
        // From 210 ms on, 79 superframes of 1000 bytes: a constant or free slot of the last terminal is lost. A packet
        // may be under way at both ends.
        let of = [0, 1, 2].map(|flow| bytes(&outcome, flow, 210 * MS) as f64);
        let all = 79.0 * (10 - by.constant) as f64 * 100.0;
        assert!((of.iter().sum::<f64>() - all).abs() <= 3.0 * 125.0 + 100.0, "{by:?}: {of:?}");
        for one in of {
            assert!((one - all / 3.0).abs() <= 125.0 + 100.0, "{by:?}: {of:?}");
        }
    }
}

#[test]
fn who_wants_little_gets_it_all_beside_those_who_want_too_much() {
    let (greedy, modest) = (steady(0.9), steady(0.1));
    let outcome = sent(VOLUME, &[&greedy, &modest, &greedy, &greedy]);
    let of = [0, 1, 2, 3].map(|flow| bytes(&outcome, flow, 210 * MS) as f64);
    assert!((of[1] - 7900.0).abs() <= 225.0, "{of:?}");
    for one in [of[0], of[2], of[3]] {
        assert!((one - 23_700.0).abs() <= 225.0, "{of:?}");
    }
    // Of a rate whole slots are held, also for less than that: two for 100 bytes in packets of 125.
    let outcome = sent(RATE, &[&greedy, &modest, &greedy, &greedy]);
    let of = [0, 1, 2, 3].map(|flow| bytes(&outcome, flow, 210 * MS) as f64);
    assert!((of[1] - 7900.0).abs() <= 225.0, "{of:?}");
    assert!((of[0] + of[2] + of[3] - 8.0 * 7900.0).abs() <= 475.0, "{of:?}");
}

#[test]
fn nine_tenths_of_the_carrier_come_through_and_wait_no_longer_than_the_round() {
    for by in [VOLUME, RATE] {
        let own = [steady(0.3), steady(0.3), steady(0.3)];
        let outcome = sent(by, &[&own[0], &own[1], &own[2]]);
        for (flow, own) in own.iter().enumerate() {
            let came = departures(&outcome, flow);
            let waits = came.iter().zip(own).map(|(departed, sent)| departed - sent.0);
            // Until the next request 10 ms, 30 ms until its slots, 10 ms in which they come.
            assert!(waits.clone().max() <= Some(50_000), "{by:?}: {:?}", waits.max());
            assert!(came.len() + 15 >= own.len(), "{by:?}");
        }
    }
}

#[test]
fn two_carriers_have_nothing_to_do_with_each_other() {
    let outcome = run(&|network| {
        let first = beam(network, GRID, VOLUME, 2, AMPLE);
        let coarse = Grid { superframe: Duration(40 * MS), slots: 4, payload: 50 };
        let second = beam(network, coarse, Assignment { constant: 1, ..CONSTANT }, 2, AMPLE);
        // A way between them, as every host must reach every other.
        link(network, first.hub, second.hub, &wire(1), LinkMode::Fused);
        link(network, second.hub, first.hub, &wire(1), LinkMode::Fused);
        vec![
            first.send(network, 0, &[(1000, 100)]),
            second.send(network, 1, &[(1000, 100)]),
            first.send(network, 1, &[(1000, 100)]),
        ]
    });
    // The second terminal of the second has the slot from 10 ms of each 40 ms, two for 100 bytes.
    assert_eq!([0, 1, 2].map(|flow| departures(&outcome, flow)), [[41_000], [60_000], [42_000]]);
}

#[test]
fn who_is_down_asks_for_nothing() {
    for by in [VOLUME, RATE] {
        let outcome = run(&|network| {
            let beam = beam(network, GRID, by, 2, AMPLE);
            network.change(Instant(100 * MS), beam.links[0], Change::Down);
            network.change(Instant(600 * MS), beam.links[0], Change::Up);
            (0..2).map(|terminal| beam.send(network, terminal, &steady(0.9))).collect()
        });
        let came = |flow: usize, from: u64, to: u64| -> u64 {
            let own = outcome.arrivals[flow].iter().filter(|arrival| (from * MS..to * MS).contains(&arrival.0));
            own.map(|arrival| u64::from(arrival.1)).sum()
        };
        // Superframes have 1000 bytes, half of them for each; all for one when what the other has asked for is over.
        for (from, to, part) in [(60, 140, 500), (400, 600, 1000), (700, 950, 500)] {
            let all = (to - from) / 10 * part;
            assert!(came(1, from, to).abs_diff(all) <= 1000, "{by:?}: {} from {from} ms on", came(1, from, to));
        }
        assert!(came(0, 700, 950).abs_diff(12_500) <= 1000, "{by:?}: {}", came(0, 700, 950));
    }
}

#[test]
fn what_terminals_ask_for_get_and_use_is_counted() {
    let mut network = NetworkBuilder::new(1);
    let beam = beam(&mut network, GRID, Assignment { constant: 1, ..VOLUME }, 2, AMPLE);
    network.header(beam.links[0], 50);
    beam.send(&mut network, 0, &[(5000, 300), (6000, 300)]);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant(105 * MS), u64::MAX);
    let counters = beam.links.iter().map(|&link| world.slots(link).expect("a terminal")).collect::<Vec<_>>();
    // 700 bytes at 10 ms: seven slots, of which one is constant; eleven superframes have begun.
    let one = counters[0];
    assert_eq!((one.asked, one.assigned, one.used, one.bytes, one.padding), (6, 17, 7, 700, 0));
    let other = counters[1];
    assert_eq!((other.asked, other.assigned, other.used, other.bytes, other.padding), (0, 11, 0, 0, 0));
    assert_eq!(world.slots(LinkId(2)), None);
    assert_eq!(world.grid(beam.links[1]), Some(GRID));
}

/// Terminals that send without asking.
fn sent_at_random(by: Aloha, sends: &[&[(u64, u16)]]) -> Outcome {
    run(&|network| {
        let beam = beam_by(network, GRID, Access::Random(by), sends.len(), AMPLE);
        (0..sends.len()).map(|terminal| beam.send(network, terminal, sends[terminal])).collect()
    })
}

const ONCE: Aloha = Aloha { retries: 0, delay: Duration(20 * MS), backoff: 8 };

#[test]
fn who_sends_in_the_same_slot_as_another_is_lost() {
    let sends: &[&[(u64, u16)]] = &[
        // The slots from 2, 6, 7 and 20 ms, and 30 to 33 ms.
        &[(1500, 100), (5001, 1), (5002, 40), (20_000, 100), (30_000, 301)],
        // The slots from 3, 6, 21, and 33 ms, in which the last of the four is.
        &[(3000, 100), (5500, 100), (20_001, 100), (33_000, 100)],
        &[(50_000, 250)],
    ];
    let outcome = sent_at_random(ONCE, sends);
    assert_eq!(departures(&outcome, 0), [3000, 8000, 21_000]);
    assert_eq!(departures(&outcome, 1), [4000, 22_000]);
    assert_eq!(departures(&outcome, 2), [53_000]);
    assert_eq!([0, 1, 2].map(|link| outcome.counters[link].lost), [2, 2, 0]);
}

#[test]
fn what_has_met_another_is_sent_again_and_others_do_not_wait_for_it() {
    let by = Aloha { retries: 3, ..ONCE };
    let outcome = sent_at_random(by, &[&[(500, 100), (3000, 70)], &[(600, 100)], &[]]);
    // Both end at 2 ms, know it at 22 ms, and draw one of eight slots from there on; and again if it is the same.
    let all: Vec<Vec<u64>> = (0..2).map(|flow| departures(&outcome, flow)).collect();
    assert_eq!((all[0].len(), all[1].len(), all[0][0]), (2, 1, 4000), "{all:?}");
    assert!([all[0][1], all[1][0]].iter().all(|at| at % 1000 == 0 && *at >= 23_000), "{all:?}");
    assert_ne!(all[0][1], all[1][0]);
    assert!(outcome.counters.iter().all(|counters| counters.lost == 0));
}

#[test]
fn what_is_left_of_slots_is_padding() {
    for access in [Access::Assigned(CONSTANT), Access::Random(ONCE)] {
        let mut network = NetworkBuilder::new(1);
        let beam = beam_by(&mut network, GRID, access, 2, AMPLE);
        // The rest of the second slot is known to stay empty when the superframe is over, at 10 ms.
        beam.send(&mut network, 0, &[(0, 130)]);
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        let mut padding = |ms: u64| {
            world.run(Instant(ms * MS), u64::MAX);
            world.slots(beam.links[0]).expect("a terminal").padding
        };
        let early = if matches!(access, Access::Random(_)) { 70 } else { 0 };
        assert_eq!([1, 9, 11, 50].map(&mut padding), [early, early, 70, 70]);
    }
}

#[test]
fn slotted_aloha_carries_g_e_to_minus_g() {
    // 400 terminals, each of which begins a packet of a slot with a small chance in every slot, over 100 000 slots.
    for g in [0.2, 0.5, 1.0, 2.0_f64] {
        let (terminals, slots) = (400_u32, 100_000_u64);
        let grid = Grid { superframe: Duration(MS / 4), slots: 10, payload: 100 };
        let mut network = NetworkBuilder::new(1);
        network.clock_offsets(false);
        let beam = beam_by(&mut network, grid, Access::Random(ONCE), terminals as usize, AMPLE);
        for terminal in 0..terminals {
            let mut random = network.stream(&format!("test/{terminal}"));
            let (mut at, mut sends) = (0.0, Vec::new());
            loop {
                // Micros, a slot being 25 us.
                at += random.exponential(25.0 * f64::from(terminals) / g);
                if at >= slots as f64 * 25.0 {
                    break;
                }
                sends.push((at as u64, 100));
            }
            beam.send(&mut network, terminal as usize, &sends);
        }
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        world.run(Instant(slots * 25_000 + 100 * MS), u64::MAX);
        let counted = |of: fn(&SlotCounters) -> u64| -> f64 {
            beam.links.iter().map(|&link| of(&world.slots(link).expect("a terminal")) as f64).sum()
        };
        let offered = counted(|counters| counters.used) / slots as f64;
        let through = offered - counted(|counters| counters.collided) / slots as f64;
        assert!((offered - g).abs() < 0.04 * g, "{offered} of {g}");
        let theory = offered * libm::exp(-offered);
        assert!((through - theory).abs() < 0.02 * theory, "{through}, not {theory}, at {offered}");
        let came: u64 = beam.links.iter().map(|link| world.links()[link.index()].counters().delivered).sum();
        assert!((came as f64 / slots as f64 - through).abs() < 1e-9);
    }
}
