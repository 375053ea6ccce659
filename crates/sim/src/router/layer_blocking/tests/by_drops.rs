//! Queues whose drops and marks are read.

use super::*;

const BY_DROPS: fn() -> Config = || Config { reads: Reads::Drops, ..Config::default() };

#[test]
fn a_queue_that_is_kept_short_speaks_by_what_it_drops_and_marks() {
    let mut bench = Bench::new(&BY_DROPS());
    bench.join(0, &[0, 1, 2, 3, 4]);
    // Three packets wait, by length neither few nor many. Nothing is dropped: there would be room for more.
    bench.waiting = 3;
    assert_eq!(bench.pass(3.0, 10), []);
    assert_eq!(bench.told(GaugeSubject::Interface, "phase"), 1.0);
    // A drop of whoever it is: the session sends 50 packets a second where a flow sends 10, and gives a layer, once.
    bench.acts_on(9);
    assert_eq!(bench.pass(0.1, 10), [('b', 4)]);
    assert_eq!(bench.told(GaugeSubject::Interface, "phase"), 3.0);
    assert_eq!(bench.pass(1.0, 10), []);
    assert_eq!(bench.told(GaugeSubject::Interface, "phase"), 2.0);
    // As long as it goes on there is one less every half second, down to the base.
    assert_eq!(bench.pass_acting(2.0, 10, (0, 0.1)), [('b', 3), ('b', 2), ('b', 1)]);
    // It has what the flow has. After a window without drops, and an observation, one comes back.
    assert_eq!(bench.pass(2.9, 10), []);
    assert_eq!(bench.pass(0.4, 10), [('r', 1)]);
    // A queue that is long is long, whatever it drops.
    bench.waiting = 40;
    assert_eq!(bench.pass(3.0, 10), [('b', 1)]);
}

#[test]
fn where_sessions_are_alone_a_queue_that_is_never_empty_fills() {
    let mut bench = Bench::new(&BY_DROPS());
    bench.join(0, &[0, 1, 2]);
    let phase = |bench: &Bench| bench.told(GaugeSubject::Interface, "phase");
    bench.waiting = 3;
    bench.pass(3.0, 0);
    assert_eq!(phase(&bench), 2.0);
    bench.waiting = 0;
    bench.pass(0.1, 0);
    assert_eq!(phase(&bench), 1.0);
    // For a window.
    bench.waiting = 3;
    bench.pass(1.9, 0);
    assert_eq!(phase(&bench), 1.0);
    bench.pass(0.2, 0);
    assert_eq!(phase(&bench), 2.0);
    // Beside a flow nothing follows from that.
    bench.pass(0.2, 10);
    assert_eq!(phase(&bench), 1.0);
}

#[test]
fn who_has_less_is_given_more_though_something_is_dropped_all_the_time() {
    for (reads, expected) in [(Reads::Drops, vec![('r', 3), ('r', 4)]), (Reads::Length, vec![])] {
        let mut bench = Bench::new(&Config { reads, ..Config::default() });
        bench.join(0, &[0, 1, 2, 3, 4]);
        bench.waiting = 45;
        assert_eq!(bench.pass(2.0, 30)[..2], [('b', 4), ('b', 3)]);
        bench.waiting = if reads == Reads::Length { 45 } else { 3 };
        let done = bench.pass_acting(9.0, 100, (9, 0.05));
        assert_eq!(done.into_iter().filter(|done| done.0 == 'r' && done.1 > 2).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn under_fair_queueing_a_session_answers_what_is_dropped_of_its_own() {
    let mut bench = Bench::at(&BY_DROPS(), QueueSize::Packets(50.0), true);
    bench.join(0, &[0, 1, 2, 3, 4]);
    bench.join(1, &[0, 1, 2, 3, 4]);
    // Others may lose what they want, and the queue be as long as it is.
    bench.waiting = 49;
    assert_eq!(bench.pass_acting(4.0, 10, (9, 0.1)), []);
    // No matter that the flow has far more.
    assert_eq!(bench.pass_acting(1.2, 1000, (1, 0.1)), [('b', 10), ('b', 9), ('b', 8)]);
    assert_eq!(bench.told(GaugeSubject::Flow(FlowId(0)), "live_layers"), 5.0);
    let observed = |bench: &Bench| {
        [0, 1].map(|flow| ["phase", "observation_s"].map(|name| bench.told(GaugeSubject::Flow(FlowId(flow)), name)))
    };
    assert_eq!(observed(&bench), [[1.0, 1.0], [3.0, 1.0]]);
    // Calm on its own queue gives them back, one with each hold.
    assert_eq!(bench.pass_acting(20.0, 10, (9, 0.1)), [('r', 8), ('r', 9), ('r', 10)]);
    assert_eq!(observed(&bench), [[1.0, 1.0], [1.0, 1.0]]);
    // One that was too much is observed for longer, and the other session knows nothing of that.
    assert_eq!(bench.pass_acting(0.1, 10, (1, 0.1)), [('b', 10)]);
    assert_eq!(bench.pass(4.0, 10), [('r', 10)]);
    bench.pass(1.5, 10);
    assert_eq!(bench.pass_acting(0.1, 10, (1, 0.1)), [('b', 10)]);
    assert_eq!(observed(&bench), [[1.0, 1.0], [3.0, 4.0]]);
    // Where all share a queue there is one controller, of the interface.
    let mut shared = Bench::new(&BY_DROPS());
    shared.join(0, &[0, 1]);
    shared.pass(1.0, 10);
    assert!(shared.told(GaugeSubject::Flow(FlowId(0)), "phase").is_nan());
    bench.join(1, &[]);
    bench.join(1, &[0, 1]);
    assert_eq!(bench.pass(1.0, 10), []);
}

#[test]
fn acknowledgements_that_are_dropped_say_nothing() {
    let mut bench = Bench::new(&BY_DROPS());
    bench.join(0, &[0, 1, 2, 3, 4]);
    bench.pass(3.0, 10);
    let header = faircast_proto::source::layered::Header::Level { level: 1, sequence: 0 }.into();
    let report = Packet { header, ..packet(bench.now, FlowId(0), Address::endpoint(1), Address::endpoint(0), 1) };
    let now = bench.now;
    bench.hands(|agent, _, _| agent.on_congestion(&report, now));
    assert_eq!(bench.pass(1.0, 10), []);
}

#[test]
fn on_a_faster_link_what_was_too_much_is_tried_at_once() {
    for is_fair in [false, true] {
        for (rate, observation_s) in [(RATE, 4.0), (Rate(1_400_000), 4.0), (Rate(1_600_000), 1.0)] {
            let mut bench = Bench::at(&BY_DROPS(), QueueSize::Packets(50.0), is_fair);
            bench.join(0, &[0, 1, 2]);
            assert_eq!(bench.pass(3.0, 0), []);
            assert_eq!(bench.pass_acting(0.1, 0, (0, 0.1)), [('b', 2)]);
            assert_eq!(bench.pass(4.0, 0), [('r', 2)]);
            bench.pass(1.5, 0);
            assert_eq!(bench.pass_acting(0.1, 0, (0, 0.1)), [('b', 2)]);
            bench.rate = rate;
            bench.pass(0.1, 0);
            let about = if is_fair { GaugeSubject::Flow(FlowId(0)) } else { GaugeSubject::Interface };
            assert_eq!(bench.told(about, "observation_s"), observation_s, "{rate:?}");
        }
    }
}
