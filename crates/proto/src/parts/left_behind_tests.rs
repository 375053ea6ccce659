use super::*;

const SPAN_S: f64 = 5.0;

/// A session in which nobody but the test says anything, and where the test is.
struct Bench {
    part: LeftBehind,
    now_s: f64,
    rounds: u64,
}

fn receiver(n: u32) -> Address {
    Address::endpoint(n)
}

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

impl Bench {
    fn new(most: u32) -> Bench {
        let mut part = LeftBehind::new(Config { most, ..Config::default() }, 10e6);
        part.begin(at(0.0));
        Bench { part, now_s: 0.0, rounds: 0 }
    }

    /// Somebody asks for a rate, and loses packets.
    fn ask(&mut self, n: u32, asked_bps: f64) -> bool {
        self.part.hear(at(self.now_s), self.rounds, receiver(n), asked_bps, true)
    }

    /// A span of time goes by at this rate, which this receiver limits; each of these asks, and a round goes by.
    fn span(&mut self, rate_bps: f64, limiting: u32, asks: &[(u32, f64)]) -> Option<Step> {
        let mut present = Present { rate_bps, limiting: Some(receiver(limiting)), rounds: self.rounds };
        let mut step = self.part.pass(at(self.now_s), present);
        for &(n, bps) in asks {
            self.ask(n, bps);
        }
        self.now_s += SPAN_S;
        self.rounds += 1;
        present.rounds = self.rounds;
        let end = self.part.pass(at(self.now_s), present);
        assert!(step.is_none() || end.is_none(), "one step at a time");
        step = step.or(end);
        step
    }

    /// Two of them, of which the second may end in a step.
    fn look(&mut self, rate_bps: f64, limiting: u32, asks: &[(u32, f64)]) -> Option<Step> {
        assert_eq!(self.span(rate_bps, limiting, asks), None);
        self.span(rate_bps, limiting, asks)
    }
}

fn tried(who: &[u32]) -> Option<Step> {
    Some(Step { tried: who.iter().map(|n| receiver(*n)).collect(), ..Step::default() })
}

fn left(who: &[u32]) -> Option<Step> {
    Some(Step { left: who.iter().map(|n| receiver(*n)).collect(), ..Step::default() })
}

fn heeded(who: &[u32]) -> Option<Step> {
    Some(Step { heeded: who.iter().map(|n| receiver(*n)).collect(), ..Step::default() })
}

const HELD: &[(u32, f64)] = &[(1, 1e6), (2, 3e6), (3, 4e6)];
const OTHERS: &[(u32, f64)] = &[(2, 3e6), (3, 4e6)];

#[test]
fn who_alone_holds_all_others_below_half_is_tried_and_left_behind() {
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(1e6, 1, HELD), tried(&[1]));
    assert!(!bench.ask(1, 1e6) && bench.part.is_aside(receiver(1)) && bench.part.left().is_empty());
    assert_eq!(bench.span(2e6, 2, &[OTHERS, &[(1, 0.9e6)]].concat()), None, "not yet");
    assert_eq!(bench.span(1.9e6, 2, &[OTHERS, &[(1, 0.9e6)]].concat()), None, "not twice as much");
    assert_eq!(bench.span(2e6, 2, OTHERS), left(&[1]));
    assert!(!bench.ask(1, 5e6), "whatever it asks for");
    assert_eq!(bench.part.left(), [receiver(1)]);
    // There is room for one.
    assert_eq!(bench.look(1e6, 2, &[(2, 1e6), (3, 4e6), (4, 4e6), (1, 0.0)]), None);
}

#[test]
fn who_is_not_alone_is_heeded() {
    // A second one stands as little: X would be what it is.
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(1e6, 1, &[(1, 1e6), (2, 1.9e6), (3, 4e6), (4, 4e6)]), None);
    // There is only one other.
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(1e6, 1, &[(1, 1e6), (2, 3e6)]), None);
    assert_eq!(bench.look(1e6, 1, HELD), tried(&[1]), "now there are two");
    // The greatest rate is less than twice what there is.
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(5e6, 1, &[(1, 5e6), (2, 30e6), (3, 40e6)]), None);
    // Somebody else limits, or nobody does.
    assert_eq!(bench.look(1e6, 2, HELD), None);
}

#[test]
fn others_count_for_two_minutes_and_not_when_they_have_gone() {
    let mut bench = Bench::new(1);
    bench.span(1e6, 1, HELD);
    bench.now_s = 121.0;
    assert_eq!(bench.span(1e6, 1, &[(1, 1e6)]), None);
    assert_eq!(bench.look(1e6, 1, &[(1, 1e6)]), None, "they were heard too long ago");
    let mut bench = Bench::new(1);
    bench.span(1e6, 1, HELD);
    bench.part.leaves(receiver(2));
    assert_eq!(bench.span(1e6, 1, &[(1, 1e6)]), None);
}

#[test]
fn who_loses_nothing_may_ask_for_twice_what_it_gets() {
    let hear = |asked_bps: f64| {
        let mut bench = Bench::new(1);
        bench.part.hear(at(0.0), 0, receiver(1), asked_bps, false);
        bench.look(1e6, 1, OTHERS)
    };
    assert_eq!((hear(1e6), hear(0.9e6)), (None, tried(&[1])), "it is sent 1 Mbit/s");
}

#[test]
fn few_that_take_turns_are_tried_together() {
    let (some, others) = ([(1, 1e6), (2, 1.2e6)], [(3, 4e6), (4, 4e6)]);
    let all = [some, others].concat();
    assert_eq!(Bench::new(1).look(1e6, 1, &all), None, "two of one that may be left behind");
    let mut bench = Bench::new(2);
    assert_eq!(bench.look(1e6, 1, &all), tried(&[1, 2]));
    assert_eq!(bench.look(3e6, 3, &all), left(&[1, 2]));
    // Who asks for more in the meantime is heeded again.
    let mut bench = Bench::new(2);
    assert_eq!(bench.look(1e6, 1, &all), tried(&[1, 2]));
    let expected = Step { left: vec![receiver(2)], heeded: vec![receiver(1)], tried: Vec::new() };
    assert_eq!(bench.look(3e6, 3, &[&all[1..], &[(1, 1.5e6)]].concat()), Some(expected));
    assert!(bench.ask(1, 1e6) && !bench.ask(2, 9e6));
}

#[test]
fn who_asks_for_more_during_trials_is_heeded_again_twice() {
    let mut bench = Bench::new(1);
    for is_heeded in [true, true, false] {
        assert_eq!(bench.look(1e6, 1, HELD), tried(&[1]));
        let judged = bench.look(3e6, 2, &[OTHERS, &[(1, 4e6)]].concat());
        assert_eq!(judged, if is_heeded { heeded(&[1]) } else { left(&[1]) });
    }
    // So is who says nothing for as long.
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(1e6, 1, HELD), tried(&[1]));
    assert_eq!(bench.look(3e6, 2, OTHERS), heeded(&[1]));
}

#[test]
fn a_trial_goes_on_with_a_second_one_that_holds_the_rest_down() {
    let mut bench = Bench::new(2);
    let others = [(3, 4e6), (4, 4e6)];
    assert_eq!(bench.look(1e6, 1, &[&[(1, 1e6)][..], &others].concat()), tried(&[1]));
    assert_eq!(bench.look(1e6, 2, &[&[(2, 1e6)][..], &others].concat()), tried(&[2]));
    assert_eq!(bench.look(2.5e6, 3, &[&[(1, 1e6), (2, 1e6)][..], &others].concat()), left(&[1, 2]));
    // Were there no room for it, all would be heeded again.
    let mut bench = Bench::new(1);
    assert_eq!(bench.look(1e6, 1, &[&[(1, 1e6)][..], &others].concat()), tried(&[1]));
    assert_eq!(bench.look(1e6, 2, &[&[(2, 1e6)][..], &others].concat()), heeded(&[1]));
    assert!(bench.ask(1, 1e6));
}

#[test]
fn a_trial_takes_in_nobody_without_whom_too_few_others_are_left() {
    // Four that are alike, of which three may be left behind: the one beside them is not worth it.
    let mut bench = Bench::new(3);
    let ask = |low| [1, 2, 3, 4].map(|one| (one, if one == low { 1e6 } else { 4e6 }));
    assert_eq!(bench.look(1e6, 1, &ask(1)), tried(&[1]));
    assert_eq!(bench.look(1e6, 2, &ask(2)), tried(&[2]));
    assert_eq!(bench.look(1e6, 3, &ask(3)), heeded(&[1, 2]));
}

#[test]
fn a_trial_that_brings_nothing_ends_and_the_next_ones_wait_for_longer() {
    let mut bench = Bench::new(1);
    let mut waited = Vec::new();
    for _ in 0..4 {
        let began_s = bench.now_s;
        while bench.span(1e6, 1, HELD) != tried(&[1]) {}
        let tried_s = bench.now_s;
        // X rises, and not to twice what it was.
        let ended = (0..12).find_map(|_| bench.span(1.6e6, 2, OTHERS));
        assert_eq!((ended, bench.now_s - tried_s), (heeded(&[1]), 60.0));
        waited.push(tried_s - began_s);
    }
    assert_eq!(waited, [10.0, 10.0, 30.0, 70.0]);
}

#[test]
fn who_is_left_behind_is_heeded_when_nobody_else_reports() {
    let mut bench = Bench::new(1);
    bench.look(1e6, 1, HELD);
    assert_eq!(bench.look(3e6, 2, HELD), left(&[1]));
    // Others are there: not however long.
    for _ in 0..20 {
        assert_eq!(bench.span(3e6, 2, &[(1, 1e6), (2, 3e6)]), None);
    }
    // A silence of all is none of others.
    bench.now_s += 300.0;
    bench.rounds += 300;
    assert_eq!(bench.span(3e6, 2, &[(1, 1e6)]), None);
    assert_eq!(bench.span(3e6, 2, &[(1, 1e6)]), None, "10 s, and two rounds");
    assert_eq!(bench.span(3e6, 2, &[(1, 1e6)]), heeded(&[1]));
    assert!(bench.ask(1, 1e6) && bench.part.left().is_empty());
    // It is alone: there is nobody for whose sake it would be tried.
    assert_eq!(bench.look(1e6, 1, &[(1, 1e6)]), None);
}

#[test]
fn limits_are_those_that_are_said() {
    let bad = Config { share: 1.0, most: 0, after: Duration::ZERO };
    let fields: Vec<String> = bad.check().into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["share", "most", "after"]);
    assert_eq!(Config { share: 0.9, most: MOST, after: Duration::from_secs(1) }.check(), []);
}
