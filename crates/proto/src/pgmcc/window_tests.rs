//! The window, its tokens and the packets that it covers, by hand and beside a plain model.

use super::*;
use crate::packet::Address;
use crate::random::Random;
use std::collections::BTreeMap;

const A: Address = Address::endpoint(1);
const B: Address = Address::endpoint(2);
const ALL: u32 = u32::MAX;

/// A control with a window of `window` packets, all sent, that name `A`; the number of the first of them.
fn opened(window: u64) -> (WindowControl, u64) {
    let mut control = WindowControl::new(4.0);
    control.begin_at(1000);
    control.window_mut().set(window as f64);
    (0..window).for_each(|_| {
        control.send(Some(A));
    });
    assert_eq!((control.window(), control.tokens(), control.outstanding()), (window as f64, 0.0, window));
    (control, 1000)
}

fn hear(control: &mut WindowControl, from: Address, highest: u64, holes: &[u64]) -> AckOutcome {
    let seen = holes.iter().filter(|&hole| highest - hole < 32);
    let bitmap = seen.fold(ALL, |bitmap, hole| bitmap & !(1 << (highest - hole)));
    control.hear(from, highest as u32, bitmap).expect("it was sent")
}

#[test]
fn the_window_opens_by_packets_and_then_by_packets_per_window() {
    let mut window = TokenWindow::new(4.0);
    assert_eq!((window.packets(), window.tokens()), (1.0, 1.0));
    let mut acknowledge = |packets: u64, expected: f64| {
        (0..packets).for_each(|_| window.spend());
        window.give_back(packets);
        window.grow(packets);
        assert!((window.packets() - expected).abs() < 1e-8, "{} for {expected}", window.packets());
        assert!(window.holds_back(0));
    };
    acknowledge(1, 2.0);
    acknowledge(1, 3.0);
    // The first of three goes to the threshold, the others are 2/4.
    acknowledge(3, 4.5);
    acknowledge(1, 4.5 + 1.0 / 4.5);
    acknowledge(4, 4.5 + 1.0 / 4.5 + 4.0 / (4.5 + 1.0 / 4.5));
    window.halve();
    assert!((window.packets() - 2.784_640_522_875_817).abs() < 1e-8);
    // Below the threshold it opens by packets again.
    window.grow(1);
    assert!((window.packets() - 3.784_640_522_875_817).abs() < 1e-8);
}

#[test]
fn the_window_is_a_packet_at_least_and_a_million_at_most() {
    let mut window = TokenWindow::new(4.0);
    window.set(1.5);
    window.halve();
    assert_eq!(window.packets(), 1.0);
    window.halve();
    assert_eq!((window.packets(), window.tokens()), (1.0, 1.0));
    for (set, packets) in [(f64::NAN, 1.0), (-5.0, 1.0), (0.0, 1.0), (f64::INFINITY, 1_048_576.0), (1e300, 1_048_576.0)]
    {
        window.set(set);
        assert_eq!((window.packets(), window.tokens()), (packets, packets), "{set}");
    }
    (0..1000).for_each(|_| window.grow(32));
    assert_eq!((window.packets(), window.tokens()), (1_048_576.0, 1_048_576.0));
}

#[test]
fn a_packet_comes_back_once() {
    let (mut control, first) = opened(8);
    // An ACK is lost, the next makes up for it, and a third says nothing new.
    let window = control.window();
    assert_eq!(hear(&mut control, A, first + 1, &[]), AckOutcome { acknowledged: 2, lost: 0, halved: None });
    assert_eq!(control.outstanding(), 6);
    let grown = control.window();
    assert!((grown - window - 2.0 / window).abs() < 1e-8);
    assert_eq!(hear(&mut control, A, first, &[]), AckOutcome { acknowledged: 0, lost: 0, halved: None });
    assert_eq!((control.window(), control.outstanding()), (grown, 6));
    assert!((control.tokens() - (grown - 6.0)).abs() < 1e-9);
}

#[test]
fn three_acknowledged_behind_it_show_a_loss() {
    let (mut control, first) = opened(16);
    for behind in 1..=2 {
        assert_eq!(hear(&mut control, A, first + behind, &[first]).lost, 0);
    }
    let before = control.window();
    assert_eq!(
        hear(&mut control, A, first + 3, &[first]),
        AckOutcome { acknowledged: 1, lost: 1, halved: Some(first) }
    );
    assert!((control.window() - before / 2.0).abs() < 1e-8);
    // 12 of 16 are outstanding, and the window is about 8: no token for some time.
    assert_eq!(control.outstanding(), 12);
    assert!(control.tokens() < -3.0 && !control.has_token());
    // Nothing grows until a packet is acknowledged that was sent after the halving.
    let halved = control.window();
    (4..16).for_each(|behind| {
        hear(&mut control, A, first + behind, &[first]);
    });
    assert_eq!((control.window(), control.outstanding()), (halved, 0));
    while control.has_token() {
        control.send(Some(A));
    }
    assert_eq!(hear(&mut control, A, first + 16, &[]).acknowledged, 1);
    assert!((control.window() - halved - 1.0 / halved).abs() < 1e-8);
}

#[test]
fn a_burst_of_ten_halves_once() {
    let (mut control, first) = opened(40);
    let holes: Vec<u64> = (first + 5..first + 15).collect();
    let mut halvings = 0;
    let mut lost = 0;
    for behind in (0..5).chain(15..40) {
        let holes: Vec<u64> = holes.iter().copied().filter(|&hole| hole < first + behind).collect();
        let heard = hear(&mut control, A, first + behind, &holes);
        halvings += u32::from(heard.halved.is_some());
        lost += heard.lost;
    }
    assert_eq!((halvings, lost, control.outstanding()), (1, 10, 0));
    // The first ACK opens it by 1/40; behind it tokens are left over.
    assert!((control.window() - 40.025 / 2.0).abs() < 1e-8, "{}", control.window());
    assert!((control.tokens() - control.window()).abs() < 1e-9);
}

#[test]
fn a_loss_of_before_the_halving_that_is_found_later_halves_no_more() {
    let (mut control, first) = opened(20);
    let early = [first];
    (1..=3).for_each(|behind| {
        hear(&mut control, A, first + behind, &early);
    });
    let halved = control.window();
    // The last of the flight is lost, too, and found by packets of the next.
    let late = first + 19;
    (4..19).for_each(|behind| {
        hear(&mut control, A, first + behind, &early);
    });
    for n in 20..23 {
        assert_eq!(control.send(Some(A)), first + n);
    }
    let heard: Vec<AckOutcome> = (20..23).map(|behind| hear(&mut control, A, first + behind, &[late])).collect();
    assert_eq!(heard[2], AckOutcome { acknowledged: 1, lost: 1, halved: None });
    assert!(control.window() < halved + 0.3 && control.window() >= halved);
    // One sent since then halves again.
    while control.has_token() {
        control.send(Some(A));
    }
    let third = first + 23;
    let heard: Vec<AckOutcome> = (1..=3).map(|behind| hear(&mut control, A, third + behind, &[third])).collect();
    assert_eq!(heard[2].halved, Some(third));
}

#[test]
fn only_losses_on_the_way_to_who_was_named_halve() {
    let (mut control, _) = opened(10);
    control.window_mut().set(20.0);
    let second = control.next();
    (0..6).for_each(|_| {
        control.send(Some(B));
    });
    // B has not got the last three that named A; A has got one of them.
    let holes = [second - 3, second - 2, second - 1];
    assert_eq!(hear(&mut control, A, second - 3, &[]).acknowledged, 8);
    assert_eq!(hear(&mut control, B, second + 1, &holes).acknowledged, 2);
    let before = control.window();
    assert_eq!(hear(&mut control, B, second + 2, &holes), AckOutcome { acknowledged: 1, lost: 2, halved: None });
    assert_eq!(control.window(), before, "an ACK that shows a loss opens nothing");
    assert_eq!(control.outstanding(), 3);
    // A is late: what it acknowledges is closed already.
    assert_eq!(hear(&mut control, A, second - 1, &[]).acknowledged, 0);
    // One that named B and is lost halves.
    (0..3).for_each(|_| {
        control.send(Some(B));
    });
    (4..=6).for_each(|behind| {
        hear(&mut control, B, second + behind, &[second + 3]);
    });
    assert!(control.window() < 0.55 * before);
}

#[test]
fn after_a_time_out_what_was_sent_before_is_nothing() {
    let (mut control, first) = opened(12);
    control.restart();
    assert_eq!((control.window(), control.tokens(), control.outstanding()), (1.0, 1.0, 0));
    assert_eq!(hear(&mut control, A, first + 11, &[]), AckOutcome { acknowledged: 0, lost: 0, halved: None });
    assert_eq!(control.send(Some(A)), first + 12);
    assert_eq!(hear(&mut control, A, first + 12, &[first]).acknowledged, 1);
    assert_eq!(control.window(), 2.0);
}

#[test]
fn an_election_closes_those_that_asked() {
    let mut control = WindowControl::new(4.0);
    control.send(None);
    assert_eq!((control.tokens(), control.outstanding()), (0.0, 1));
    control.elected();
    assert_eq!((control.window(), control.tokens(), control.outstanding()), (1.0, 1.0, 0));
}

#[test]
fn a_window_that_does_not_bound_the_source_does_not_grow() {
    let (mut control, first) = opened(8);
    control.window_mut().set(9.0);
    assert_eq!(hear(&mut control, A, first, &[]).acknowledged, 1);
    assert_eq!(control.window(), 9.0, "a token was left over");
    (0..2).for_each(|_| {
        control.send(Some(A));
    });
    hear(&mut control, A, first + 1, &[]);
    assert!(control.window() > 9.0);
}

#[test]
fn numbers_wrap_and_what_was_not_sent_is_nobodys() {
    for begin in [0u64, u64::from(u32::MAX) - 7, (5 << 32) - 3] {
        let mut control = WindowControl::new(64.0);
        control.begin_at(begin);
        assert_eq!(control.hear(A, begin as u32, ALL), None, "nothing has been sent");
        for n in 0..100u64 {
            let number = control.send(Some(A));
            assert_eq!(number, begin + n);
            for ahead in [1, 1000, i32::MAX as u32, 1 << 31] {
                assert_eq!(control.hear(A, (number as u32).wrapping_add(ahead), ALL), None, "{ahead}");
            }
            assert_eq!(control.hear(A, number as u32, ALL).map(|heard| heard.acknowledged), Some(1));
            // Long ago: known, and nothing new.
            let old = number.saturating_sub(50);
            let heard = control.hear(A, old as u32, ALL).map(|heard| heard.acknowledged);
            assert!(heard == Some(0) || number < begin + 50, "{heard:?}");
        }
    }
}

/// The rules as they are written down, with a map of packets and floating-point numbers.
struct Model {
    window: f64,
    tokens: f64,
    next: u64,
    ignore_until: u64,
    /// Who is named by those outstanding.
    open: BTreeMap<u64, Address>,
    acknowledged: Vec<u64>,
}

impl Model {
    fn hear(&mut self, from: Address, highest: u64, bitmap: u32) {
        let newly: Vec<u64> = (0..32)
            .filter(|bit| bitmap >> bit & 1 == 1)
            .filter_map(|bit| highest.checked_sub(bit))
            .filter(|number| self.open.contains_key(number))
            .collect();
        let in_use = self.tokens < 1.0;
        newly.iter().for_each(|number| {
            self.open.remove(number);
        });
        self.acknowledged.extend(&newly);
        let above = |number: u64| self.acknowledged.iter().filter(|&&other| other > number).count();
        let lost: Vec<(u64, Address)> =
            self.open.iter().map(|(&n, &named)| (n, named)).filter(|&(n, _)| above(n) >= 3).collect();
        lost.iter().for_each(|(number, _)| {
            self.open.remove(number);
        });
        let mut n = newly.len() as f64;
        self.tokens += n + lost.len() as f64;
        if lost.iter().any(|&(number, named)| number >= self.ignore_until && named == from) {
            let d = self.window - (self.window / 2.0).max(1.0);
            self.window -= d;
            self.tokens -= d;
            self.ignore_until = self.next;
        } else if lost.is_empty() && highest >= self.ignore_until && in_use {
            let d = n.min(4.0 - self.window).max(0.0);
            n -= d;
            let added = d + n / (self.window + d);
            self.tokens += added;
            self.window += added;
        }
    }
}

/// Losses of data and ACKs, reordering, changes of the acker, time-outs: W, T and what is outstanding are those of the
/// model, and W - T is what is outstanding to the last bit (the control looks in debug builds).
#[test]
fn the_control_is_the_model_whatever_happens() {
    for seed in 0..40 {
        let mut random = Random::stream(seed, "test/pgmcc-window");
        let (loss, ack_loss) = ([0.0, 0.01, 0.3, 0.9][seed as usize % 4], [0.0, 0.02, 0.5][seed as usize % 3]);
        let mut control = WindowControl::new(4.0);
        let mut model = Model {
            window: 1.0,
            tokens: 1.0,
            next: 0,
            ignore_until: 0,
            open: BTreeMap::new(),
            acknowledged: Vec::new(),
        };
        // Packets under way, in the order of arrival; what each receiver has got.
        let mut under_way: Vec<(u64, Address)> = Vec::new();
        let mut got: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
        let mut acker = A;
        let mut acks = 0;
        for step in 0..3000 {
            if random.chance(0.003) {
                acker = if acker == A { B } else { A };
            }
            while control.has_token() {
                assert_eq!(control.send(Some(acker)), model.next);
                model.open.insert(model.next, acker);
                model.tokens -= 1.0;
                under_way.push((model.next, acker));
                model.next += 1;
            }
            if under_way.is_empty() || random.chance(0.001) {
                control.restart();
                model = Model { window: 1.0, tokens: 1.0, ignore_until: model.next, open: BTreeMap::new(), ..model };
                continue;
            }
            let place = if random.chance(0.1) { random.uniform_in(0.0, under_way.len() as f64) as usize } else { 0 };
            let (number, named) = under_way.remove(place);
            for (receiver, got) in [A, B].into_iter().zip(&mut got) {
                if random.chance(loss) {
                    continue;
                }
                got.push(number);
                if receiver != named || random.chance(ack_loss) {
                    continue;
                }
                let highest = *got.iter().max().expect("it has just come");
                let bitmap = got
                    .iter()
                    .rev()
                    .take(200)
                    .fold(0u32, |bits, n| if highest - n < 32 { bits | 1 << (highest - n) } else { bits });
                control.hear(receiver, highest as u32, bitmap).expect("it was sent");
                model.hear(receiver, highest, bitmap);
                acks += 1;
            }
            assert_eq!(control.outstanding(), model.open.len() as u64, "seed {seed} step {step}");
            // To the last bit, in builds without the control's own look, too: 52 bits are all that there are.
            assert_eq!(control.window() - control.tokens(), control.outstanding() as f64, "seed {seed} step {step}");
            let apart = (control.window() - model.window).abs().max((control.tokens() - model.tokens).abs());
            assert!(apart < 1e-5, "seed {seed} step {step}: {control:?}, {} {}", model.window, model.tokens);
        }
        assert!(acks > 50, "seed {seed}");
    }
}
