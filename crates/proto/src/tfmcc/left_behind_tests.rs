//! Receivers that hold all others down, honest ones and liars, with the parameters of hosts and with `leave_behind`:
//! who is left behind, what the others keep, and who is never taken for one of them.

use super::config::SlowStart;
use super::{Config, Sender};
use crate::endpoint::{Event, EventSubject, RECEIVER_HEEDED, RECEIVER_LEFT_BEHIND, RECEIVER_TRIED};
use crate::liar::{Kind, Liar, Lie};
use crate::packet::{Address, FlowId, Packet};
use crate::parts::left_behind;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::registry::SchemeReceiver;
use crate::scheme::{Scheme as _, Seat};
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::time::{Duration, Instant, Rate};

/// What a copy of a packet is lost with, given when it is sent and to whom.
type Loss = fn(f64, usize) -> f64;

/// The loss of those that are not looked at: X is some 3 Mbit/s by it.
const GOOD: f64 = 0.002;
const NOBODY: [usize; 0] = [];

struct Scene {
    members: usize,
    most: Option<u32>,
    loss: Loss,
    /// Of the last members.
    lies: Vec<Lie>,
}

impl Scene {
    fn new(members: usize, most: Option<u32>, loss: Loss) -> Scene {
        Scene { members, most, loss, lies: Vec::new() }
    }

    fn start(self) -> Group<Sender, SchemeReceiver, impl FnMut(Who, Who, &Packet) -> Fate> {
        let leave_behind = self.most.map(|most| left_behind::Config { most, ..left_behind::Config::default() });
        let config = Config {
            packet_size: Bytes(1280),
            max_rate: Some(Rate(20_000_000)),
            granularity: Duration::from_millis(10),
            silence_floor: Duration::from_millis(50),
            slow_start: SlowStart::Doubling,
            leave_behind,
            ..Config::default()
        };
        assert_eq!(config.check(), []);
        let honest = self.members - self.lies.len();
        let member = |n: usize| {
            let random = |name| Random::stream(1, &format!("test/{name}/{n}"));
            let own = Who::Receiver(n).address();
            let seat =
                Seat { flow: FlowId(0), own, group: GROUP, members: 9, line_rate: None, random: random("member") };
            let member = SchemeReceiver::Tfmcc(config.receiver(seat));
            let member = match n.checked_sub(honest).map(|at| self.lies[at].clone()) {
                Some(lie) => SchemeReceiver::Guest(Box::new(Liar::new(member, lie, random("liar")))),
                None => member,
            };
            (member, Duration::from_millis(25))
        };
        let mut random = Random::stream(1, "test/loss");
        let loss = self.loss;
        let network = move |from, to, packet: &Packet| match (from, to) {
            (Who::Sender, Who::Receiver(n)) if random.chance(loss(packet.sent.as_secs_f64(), n)) => Fate::Lose,
            _ => Fate::Deliver,
        };
        Group::new(Sender::new(&config, FlowId(0), SOURCE, GROUP), (0..self.members).map(member).collect(), network)
    }
}

/// Who had this happen to it, in order, and when.
fn told(events: &[(Instant, Who, Event)], kind: &crate::endpoint::EventKind) -> Vec<(usize, f64)> {
    let of = |(at, _, event): &(Instant, Who, Event)| match event.subject {
        EventSubject::Other(receiver) if event.is(kind) => Some((receiver.index() - 1, at.as_secs_f64())),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

fn who(told: &[(usize, f64)]) -> Vec<usize> {
    told.iter().map(|(who, _)| *who).collect()
}

/// The mean rate of the source from one time to another, bit/s, and who was left behind.
fn mean(scene: Scene, from_s: f64, to_s: f64) -> (f64, Vec<usize>) {
    let mut group = scene.start();
    group.start_all();
    group.run_until(Instant::from_secs_f64(from_s));
    let before = group.counts[0].sent_bytes;
    group.run_until(Instant::from_secs_f64(to_s));
    let left = who(&told(&group.events, RECEIVER_LEFT_BEHIND));
    (8.0 * (group.counts[0].sent_bytes - before) as f64 / (to_s - from_s), left)
}

fn lie(what: Kind) -> Lie {
    Lie { what, after: Duration::from_secs(60), period: Duration::from_millis(100), ..Lie::default() }
}

#[test]
fn a_liar_costs_the_others_less_than_half_of_two_minutes() {
    let scene = |most, lies| Scene { lies, ..Scene::new(4, most, |_, _| GOOD) };
    let (usual, left) = mean(scene(Some(1), Vec::new()), 60.0, 180.0);
    assert_eq!(left, NOBODY);
    for what in [Kind::Nothing, Kind::Contradiction, Kind::Loss, Kind::Flood] {
        let (kept, left) = mean(scene(Some(1), vec![lie(what)]), 60.0, 180.0);
        println!("{what:?}: {:.2} of {usual:.0}", kept / usual);
        let holds = what != Kind::Flood;
        assert!(kept > 0.5 * usual && left == if holds { vec![3] } else { Vec::new() }, "{what:?} {kept} {left:?}");
        if holds {
            let (kept, left) = mean(scene(None, vec![lie(what)]), 60.0, 180.0);
            assert!(kept < 0.2 * usual && left.is_empty(), "{what:?} {kept}");
        }
    }
}

#[test]
fn a_liar_that_was_there_first_is_left_behind_too() {
    for what in [Kind::Nothing, Kind::Loss] {
        let lies = vec![Lie { after: Duration::ZERO, ..lie(what) }];
        // No start has measured R_max then, and X grows by a packet per 0.5 s.
        let (kept, left) = mean(Scene { lies, ..Scene::new(4, Some(1), |_, _| GOOD) }, 120.0, 240.0);
        assert!(kept > 1.5e6 && left == [3], "{what:?}: {kept} {left:?}");
    }
}

#[test]
fn two_liars_are_left_behind_where_two_may_be() {
    let scene = |most| {
        let lies = vec![lie(Kind::Nothing), lie(Kind::Loss)];
        Scene { lies, ..Scene::new(6, Some(most), |_, _| GOOD) }
    };
    let (kept, mut left) = mean(scene(2), 60.0, 180.0);
    left.sort_unstable();
    assert!(kept > 1.5e6 && left == [4, 5], "{kept} {left:?}");
    let (kept, left) = mean(scene(1), 60.0, 180.0);
    assert!(kept < 1e6 && left == [4], "the one that asks for least, and then there is the other: {kept} {left:?}");
}

#[test]
fn two_that_take_turns_are_left_behind_together() {
    // Each loses much for three seconds out of six.
    let turns: Loss = |now_s, n| match n {
        4 if now_s > 60.0 && now_s % 6.0 < 3.0 => 0.3,
        5 if now_s > 60.0 && now_s % 6.0 >= 3.0 => 0.3,
        _ => GOOD,
    };
    let (kept, mut left) = mean(Scene::new(6, Some(2), turns), 60.0, 180.0);
    left.sort_unstable();
    assert!(kept > 1.5e6 && left == [4, 5], "{kept} {left:?}");
}

#[test]
fn one_that_loses_much_by_turns_is_left_behind() {
    let turns: Loss = |now_s, n| if n == 4 && now_s > 60.0 && now_s % 10.0 < 4.0 { 0.3 } else { GOOD };
    let (kept, left) = mean(Scene::new(5, Some(1), turns), 60.0, 240.0);
    assert!(kept > 1.5e6 && left == [4], "{kept} {left:?}");
}

/// Losses of one receiver of six.
fn slow(part: f64) -> Loss {
    match part {
        0.02 => |_, n| if n == 5 { 0.02 } else { GOOD },
        0.3 => |_, n| if n == 5 { 0.3 } else { GOOD },
        _ => |_, n| if n == 5 { 0.9 } else { GOOD },
    }
}

#[test]
fn an_honest_receiver_that_alone_is_slow_is_served_when_the_others_have_gone() {
    for part in [0.02, 0.3, 0.9] {
        let mut group = Scene::new(6, Some(1), slow(part)).start();
        group.start_all();
        group.run_until(Instant::from_secs_f64(200.0));
        assert_eq!(who(&told(&group.events, RECEIVER_LEFT_BEHIND)), [5], "{part}");
        assert_eq!(told(&group.events, RECEIVER_HEEDED), [], "{part}: as long as others are there");
        assert!(group.source.rate_bps() > 1e6, "{part}: {}", group.source.rate_bps());
        (0..5).for_each(|n| group.stop(Who::Receiver(n)));
        group.run_until(Instant::from_secs_f64(400.0));
        assert_eq!(who(&told(&group.events, RECEIVER_HEEDED)), [5], "{part}");
        assert!(group.source.clr().is_none_or(|clr| clr == Who::Receiver(5).address()), "{part}");
        let mean_bps = (0..600).map(|step| {
            group.run_until(Instant::from_secs_f64(400.0 + 0.1 * f64::from(step)));
            group.source.rate_bps() / 600.0
        });
        let mean_bps: f64 = mean_bps.sum();
        assert!(mean_bps < 2e6, "{part}: {mean_bps}");
    }
}

#[test]
fn a_trial_costs_a_slow_way_less_than_a_minute_of_twice_its_rate() {
    let mut group = Scene::new(6, Some(1), slow(0.02)).start();
    group.start_all();
    let (mut rate_bps, mut most_bps) = (0.0, 0f64);
    while told(&group.events, RECEIVER_LEFT_BEHIND).is_empty() {
        let now = group.now() + Duration::from_millis(500);
        assert!(now < Instant::from_secs_f64(200.0));
        match told(&group.events, RECEIVER_TRIED).len() {
            0 => rate_bps = group.source.rate_bps(),
            _ => most_bps = most_bps.max(group.source.rate_bps()),
        }
        group.run_until(now);
    }
    let (tried, left) = (told(&group.events, RECEIVER_TRIED), told(&group.events, RECEIVER_LEFT_BEHIND));
    println!("{rate_bps} {most_bps} {tried:?} {left:?}");
    assert!(left[0].1 - tried[0].1 < 60.0, "{tried:?} {left:?}");
}

#[test]
fn who_is_as_slow_as_others_is_never_left_behind() {
    // A third of them, and one that says of itself what another has.
    let third: Loss = |_, n| if n < 3 { 0.02 } else { GOOD };
    let (_, left) = mean(Scene::new(9, Some(2), third), 60.0, 300.0);
    assert_eq!(left, NOBODY);
    let alike: Loss = |_, n| if n < 2 { 0.05 } else { GOOD };
    let (_, left) = mean(Scene::new(8, Some(1), alike), 60.0, 300.0);
    assert_eq!(left, NOBODY);
}

#[test]
fn who_holds_the_others_to_more_than_half_is_heeded() {
    // p = 0.4 % gives 0.7 of what 0.2 % give.
    let (_, left) = mean(Scene::new(6, Some(1), |_, n| if n == 5 { 0.004 } else { GOOD }), 60.0, 300.0);
    assert_eq!(left, NOBODY);
}

#[test]
fn of_two_receivers_none_is_left_behind() {
    let (_, left) = mean(Scene::new(2, Some(1), |_, n| if n == 1 { 0.3 } else { GOOD }), 60.0, 180.0);
    assert_eq!(left, NOBODY);
}

#[test]
fn an_outage_is_no_reason() {
    let all: Loss = |now_s, _| if (60.0..65.0).contains(&now_s) { 1.0 } else { GOOD };
    let one: Loss = |now_s, n| if n == 5 && (60.0..65.0).contains(&now_s) { 1.0 } else { GOOD };
    for loss in [all, one] {
        let (kept, left) = mean(Scene::new(6, Some(1), loss), 60.0, 180.0);
        assert!(left.is_empty() && kept > 1e6, "{kept} {left:?}");
    }
}

#[test]
fn who_comes_late_is_no_reason() {
    let mut group = Scene::new(6, Some(1), |_, _| GOOD).start();
    group.start(Who::Sender);
    (0..5).for_each(|n| group.start(Who::Receiver(n)));
    group.run_until(Instant::from_secs_f64(80.0));
    group.start(Who::Receiver(5));
    group.run_until(Instant::from_secs_f64(200.0));
    assert_eq!(told(&group.events, RECEIVER_LEFT_BEHIND), []);
}

#[test]
fn without_the_key_nobody_is_tried() {
    let mut group = Scene::new(6, None, slow(0.3)).start();
    group.start_all();
    group.run_until(Instant::from_secs_f64(120.0));
    assert_eq!(told(&group.events, RECEIVER_TRIED), []);
    assert_eq!(group.source.clr(), Some(Address::endpoint(6)));
}
