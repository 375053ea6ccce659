//! What comes out of a stream, whatever is lost, late, forged or begun anew; in virtual time.

use super::network::{DELAY, GAP, HEADER, Receiving, Sending, assert_is_part_of, run, run_alone, settings};
use super::{Receiver, Settings, Tally};
use crate::feedback::Line;
use crate::keys::ReceiverSession;
use crate::keys::testing::keys;
use crate::offer::Sent;
use crate::store::Taken;
use crate::stream::head::{HEAD, Head};
use crate::stream::standing::{LEAVES, Standing};
use crate::testing::Draw;
use std::time::Duration;

#[test]
fn losses_of_two_and_thirty_percent_change_nothing() {
    for (seed, loss, is_keyed) in [(1, 0, true), (2, 2, true), (3, 30, true), (4, 30, false)] {
        let mut draw = Draw::new(seed);
        let input = draw.bytes(512 * 3000 + 77);
        let (sender_keys, receiver_keys) = keys(2);
        let sender_keys = is_keyed.then_some(sender_keys);
        let settings = Settings { expected: 2, ..settings() };
        let mut sending = Sending::new(sender_keys.as_ref(), settings, &input, None);
        let mut receivers: Vec<_> =
            receiver_keys.iter().map(|keys| Receiving::new(is_keyed.then_some(keys), loss)).collect();
        let mut now = Duration::ZERO;
        let is_done = run(&mut sending, &mut receivers, (&mut draw, &mut now), 30_000, |_, _| {});
        assert!(is_done, "loss {loss}: it never ends");
        for receiver in &receivers {
            assert!(receiver.output == input && receiver.receiver.complete(), "loss {loss}: {:?}", receiver.tally());
            assert_eq!(receiver.tally(), Tally { bytes: input.len() as u64, ..Tally::default() });
        }
        let symbols = 3001.0;
        // Two receivers that lose 30 % need what the worse of them lacks of each block, again for what is lost of that;
        // heads, and blocks that are not full, come on top.
        let most = if loss == 30 { 1.9 } else { 1.15 };
        assert!((sending.sent as f64) < symbols * most, "loss {loss}: {} packets", sending.sent);
        assert_eq!((sending.sender.lost_by(1), sending.sender.lost_by(2)), (0, 0));
    }
}

#[test]
fn what_cannot_be_repaired_in_time_is_a_gap_that_is_known() {
    for seed in 0..3 {
        let mut draw = Draw::new(seed);
        let input = draw.bytes(2_000_000);
        let (sender_keys, receiver_keys) = keys(2);
        let silent = Duration::from_secs(60);
        let settings = Settings { is_live: true, silent, ..settings() };
        let mut sending = Sending::new(Some(&sender_keys), settings, &input, Some(200));
        let mut receivers = [Receiving::new(Some(&receiver_keys[0]), 90), Receiving::new(Some(&receiver_keys[1]), 0)];
        let mut now = Duration::ZERO;
        assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 60_000, |_, _| {}), "seed {seed}: no end");
        let [bad, good] = &receivers;
        assert_is_part_of(&input, bad, "the one that loses nine of ten");
        assert!(bad.tally().lost > 100_000, "{:?}", bad.tally());
        assert_is_part_of(&input, good, "the other one");
        assert_eq!((good.tally().lost, sending.sender.lost_by(1)), (0, bad.tally().lost));
    }
}

#[test]
fn who_joins_late_begins_with_the_next_block() {
    let mut draw = Draw::new(5);
    let input = draw.bytes(1_500_000);
    let (sender_keys, receiver_keys) = keys(3);
    let mut sending = Sending::new(Some(&sender_keys), settings(), &input, Some(150));
    let mut receivers: Vec<_> = receiver_keys.iter().map(|keys| Receiving::new(Some(keys), 2)).collect();
    // One is there from the beginning, one while the first block can still be repaired, one later; before that they
    // lose all.
    (receivers[1].loss, receivers[2].loss) = (100, 100);
    let mut now = Duration::ZERO;
    let is_done = run(&mut sending, &mut receivers, (&mut draw, &mut now), 60_000, |step, receivers| match step {
        500 => receivers[1].loss = 2,
        5000 => receivers[2].loss = 2,
        _ => {}
    });
    assert!(is_done, "it never ends");
    assert!(receivers[0].output == input && receivers[1].output == input);
    let late = &receivers[2];
    assert_is_part_of(&input, late, "the late one");
    let (missed, sent) = (late.tally().missed, 5000 * 150);
    assert!(missed > sent - 60_000 && missed < sent + 60_000 && late.tally().lost == 0, "{:?}", late.tally());
}

#[test]
fn nobody_waits_for_a_receiver_that_says_it_goes() {
    let mut draw = Draw::new(15);
    let input = draw.bytes(300_000);
    for says in [false, true] {
        let mut sending = Sending::new(None, settings(), &input, None);
        let mut receivers = [Receiving::new(None, 0), Receiving::new(None, 0)];
        let mut now = Duration::ZERO;
        assert!(!run(&mut sending, &mut receivers, (&mut draw, &mut now), 500, |_, _| {}));
        if says {
            sending.hear(now, 2, &receivers[1].receiver.farewell().expect("a head has come"));
        }
        assert!(run(&mut sending, &mut receivers[..1], (&mut draw, &mut now), 20_000, |_, _| {}), "it never ends");
        assert_eq!(now < Duration::from_secs(5), says, "{now:?}");
    }
    // Nor if it is the only one.
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receivers = [Receiving::new(None, 0)];
    let mut now = Duration::ZERO;
    assert!(!run(&mut sending, &mut receivers, (&mut draw, &mut now), 500, |_, _| {}));
    sending.hear(now, 1, &receivers[0].receiver.farewell().expect("a head has come"));
    assert!(run(&mut sending, &mut [], (&mut draw, &mut now), 2000, |_, _| {}), "it waits for nobody");
}

#[test]
fn a_receiver_that_is_killed_joins_again_at_the_present_and_the_others_lose_nothing() {
    let mut draw = Draw::new(6);
    let input = draw.bytes(1_200_000);
    let (sender_keys, receiver_keys) = keys(2);
    let mut sending = Sending::new(Some(&sender_keys), settings(), &input, Some(150));
    let mut receivers: Vec<_> = receiver_keys.iter().map(|keys| Receiving::new(Some(keys), 2)).collect();
    let mut now = Duration::ZERO;
    let mut before = Vec::new();
    let is_done = run(&mut sending, &mut receivers, (&mut draw, &mut now), 60_000, |step, receivers| {
        if step == 4000 {
            let mut again = Receiving::new(Some(&receiver_keys[1]), 2);
            // Numbers of its messages go on, as the clock does.
            again.session = ReceiverSession::new(Some(&receiver_keys[1]), 1_000_000);
            before = std::mem::replace(&mut receivers[1], again).output;
        }
    });
    assert!(is_done && receivers[0].output == input);
    assert_eq!(before, input[..before.len()]);
    assert!(before.len() > 400_000 && receivers[1].tally().missed >= before.len() as u64);
    assert_is_part_of(&input, &receivers[1], "the one that was killed");
}

#[test]
fn a_sender_that_begins_anew_is_followed_and_that_is_said() {
    for is_keyed in [true, false] {
        let mut draw = Draw::new(7);
        let (first, second) = (draw.bytes(900_000), draw.bytes(500_000));
        let (sender_keys, receiver_keys) = keys(1);
        let (sender_keys, keys) = (is_keyed.then_some(sender_keys), is_keyed.then_some(&receiver_keys[0]));
        let mut sending = Sending::new(sender_keys.as_ref(), settings(), &first, Some(200));
        let mut receivers = [Receiving::new(keys, 5)];
        let mut now = Duration::ZERO;
        assert!(!run(&mut sending, &mut receivers, (&mut draw, &mut now), 2000, |_, _| {}));
        let of_before = (0..1000).find_map(|_| {
            now += GAP;
            sending.send(now).filter(|(sent, _)| *sent == Sent::Root)
        });
        let settings = Settings { began: 5, ..settings() };
        sending = Sending::new(sender_keys.as_ref(), settings, &second, Some(200));
        assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 20_000, |_, _| {}), "it never ends");
        let output = &receivers[0].output;
        let (old, new) = output.split_at(output.len() - second.len());
        let Tally { restarts, lost, gaps, .. } = receivers[0].tally();
        assert!(new == second && old.len() > 200_000, "{} bytes", output.len());
        // Of the first one there is what had come, with gaps where blocks were still to be repaired.
        assert!(first.starts_with(&old[..100_000]) && restarts == 1 && (lost > 0) == (gaps > 0));
        let (_, message) = of_before.expect("a head comes before each block");
        assert!(matches!(receivers[0].comes(now, &message), Some(Taken::Malformed(_))), "a head of before");
    }
}

#[test]
fn order_and_number_of_packets_do_not_matter() {
    let mut draw = Draw::new(8);
    let input = draw.bytes(700_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receivers = [Receiving::new(None, 3)];
    receivers[0].disorder = 30;
    let mut now = Duration::ZERO;
    assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 20_000, |_, _| {}), "it never ends");
    assert!(receivers[0].output == input, "{:?}", receivers[0].tally());
}

#[test]
fn a_slow_input_comes_out_soon_and_a_pause_breaks_nothing() {
    let mut draw = Draw::new(9);
    let input = draw.bytes(60_000);
    let mut sending = Sending::new(None, settings(), &input, Some(10));
    let mut receivers = [Receiving::new(None, 2)];
    let mut now = Duration::ZERO;
    let mut behind = 0;
    run(&mut sending, &mut receivers, (&mut draw, &mut now), 3000, |step, receivers| {
        behind = behind.max((step as usize * 10).saturating_sub(receivers[0].output.len()));
    });
    // A block may wait for 200 ms, and a repair for a period of 250 ms and what others may say.
    assert!(behind < 10 * 900, "{behind} bytes are behind");
    sending.rate = Some(0);
    run(&mut sending, &mut receivers, (&mut draw, &mut now), 30_000, |_, _| {});
    assert_eq!(receivers[0].output, input[..receivers[0].output.len()]);
    assert!(receivers[0].output.len() + sending.input.len() == input.len(), "all that there was has come");
    sending.rate = Some(10);
    assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 30_000, |_, _| {}), "it never ends");
    assert!(receivers[0].output == input && receivers[0].tally().gaps == 0);
}

#[test]
fn an_input_that_is_too_fast_waits_or_if_live_loses_its_oldest() {
    let mut draw = Draw::new(10);
    let input = draw.bytes(4_000_000);
    for is_live in [false, true] {
        // Twice as fast as packets go.
        let mut sending = Sending::new(None, Settings { is_live, ..settings() }, &input, Some(1024));
        let mut receivers = [Receiving::new(None, 1), Receiving::new(None, 1)];
        let mut now = Duration::ZERO;
        assert!(
            run(&mut sending, &mut receivers, (&mut draw, &mut now), 20_000, |step, receivers| {
                // The second one does not read for a while.
                receivers[1].is_read = !is_live || step > 6000;
            }),
            "it never ends"
        );
        assert_is_part_of(&input, &receivers[0], if is_live { "live" } else { "a file" });
        let tally = receivers[0].tally();
        assert_eq!(tally.lost, 0);
        assert_eq!((tally.left_out > 0, tally.left_out), (is_live, sending.sender.left_out()));
        assert!(!is_live || now < Duration::from_millis(4000 + 4000), "it is not held up: {now:?}");
        let slow = receivers[1].tally();
        assert_is_part_of(&input, &receivers[1], "the one that did not read");
        assert_eq!((slow.lost, slow.left_out), (slow.unread, sending.sender.left_out()));
        assert_eq!(slow.unread > 0, is_live);
    }
}

#[test]
fn who_does_not_read_loses_the_oldest_and_memory_is_bounded() {
    let mut draw = Draw::new(11);
    let input = draw.bytes(4_000_000);
    let mut sending = Sending::new(None, Settings { expected: 2, ..settings() }, &input, Some(300));
    let mut receivers = [Receiving::new(None, 0), Receiving::new(None, 0)];
    receivers[1].is_read = false;
    let mut now = Duration::ZERO;
    let is_done = run(&mut sending, &mut receivers, (&mut draw, &mut now), 60_000, |step, receivers| {
        receivers[1].is_read = step > 9000;
    });
    assert!(is_done && receivers[0].output == input);
    let slow = &receivers[1];
    assert_is_part_of(&input, slow, "the slow one");
    let Tally { lost, unread, .. } = slow.tally();
    // It keeps what came in two delays.
    assert!(lost == unread && lost > 300 * 4500 && lost < 300 * 5500, "{:?}", slow.tally());
}

#[test]
fn a_reader_that_never_reads_holds_up_nobody() {
    let mut draw = Draw::new(16);
    let input = draw.bytes(900_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receivers = [Receiving::new(None, 0)];
    let mut now = Duration::ZERO;
    let is_done = run(&mut sending, &mut receivers, (&mut draw, &mut now), 20_000, |step, receivers| {
        receivers[0].is_read = step < 300;
    });
    let Tally { bytes, lost, unread, .. } = receivers[0].tally();
    assert!(is_done, "the sender waits for it");
    assert!(bytes > 0 && lost == unread && bytes + lost == input.len() as u64, "{:?}", receivers[0].tally());
}

/// Blocks that take longer to be sent than they are kept.
#[test]
fn low_rates_and_short_delays_lose_nothing() {
    for (delay_ms, every, loss) in [(2000, 300, 0), (100, 15, 0), (100, 40, 0), (400, 2, 0), (2000, 50, 10)] {
        let mut draw = Draw::new(17);
        let input = draw.bytes(40_000);
        let settings = Settings::new(settings().cut, 0, Duration::from_millis(delay_ms));
        let mut sending = Sending::new(None, settings, &input, None);
        let mut receiver = Receiving::new(None, loss);
        let is_done = run_alone(&mut sending, &mut receiver, &mut draw, |step, sending, now| {
            if step % every == 0 { sending.send(now).map(|(_, message)| message) } else { None }
        });
        let case = format!("{delay_ms} ms, a packet each {every} ms, {loss} % lost: {:?}", receiver.tally());
        assert!(is_done && receiver.output == input, "{case}");
    }
}

/// A block that was cut for a high rate is sent at a low one, for longer than it is kept.
#[test]
fn a_rate_that_falls_within_a_block_loses_nothing() {
    for (seed, (delay_ms, loss)) in (0..16).zip([(400, 0), (3000, 5)].into_iter().cycle()) {
        let mut draw = Draw::new(seed);
        let input = draw.bytes(250_000);
        let settings = Settings::new(settings().cut, 0, Duration::from_millis(delay_ms));
        let mut sending = Sending::new(None, settings, &input, None);
        let mut receiver = Receiving::new(None, loss);
        // Some places in blocks.
        let falls = 300 + 9 * seed;
        let is_done = run_alone(&mut sending, &mut receiver, &mut draw, |step, sending, now| {
            let every = if (falls..falls + 8000).contains(&step) { 100 } else { 1 };
            if step % every == 0 { sending.send(now).map(|(_, message)| message) } else { None }
        });
        assert!(is_done && receiver.output == input, "seed {seed}: {:?}", receiver.tally());
    }
}

/// Of the heads only those come that were asked for.
#[test]
fn blocks_whose_heads_are_lost_are_asked_for_up_to_the_last() {
    let mut draw = Draw::new(18);
    let input = draw.bytes(40_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receiver = Receiving::new(None, 0);
    let is_done = run_alone(&mut sending, &mut receiver, &mut draw, |step, sending, now| {
        sending.send(now).filter(|(sent, _)| *sent != Sent::Root || step < 10).map(|(_, message)| message)
    });
    assert!(is_done && receiver.output == input, "{:?}", receiver.tally());
}

#[test]
fn an_empty_input_ends_at_once() {
    let mut sending = Sending::new(None, settings(), &[], None);
    let mut receivers = [Receiving::new(None, 0)];
    let (mut draw, mut now) = (Draw::new(0), Duration::ZERO);
    assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 2000, |_, _| {}), "it never ends");
    assert_eq!((receivers[0].tally(), receivers[0].receiver.complete()), (Tally::default(), true));
}

#[test]
fn members_forge_in_vain_and_a_transport_stream_is_lost_in_whole_packets() {
    let mut draw = Draw::new(12);
    let mut input = draw.bytes(188 * 4000);
    input.iter_mut().step_by(188).for_each(|byte| *byte = 0x47);
    let (sender_keys, receiver_keys) = keys(1);
    let mut sending = Sending::new(Some(&sender_keys), settings(), &input, Some(200));
    let mut receivers = [Receiving::new(Some(&receiver_keys[0]), 0)];
    let (mut now, mut forged) = (Duration::ZERO, 0);
    for step in 0..40_000 {
        now += GAP;
        let receiver = &mut receivers[0];
        if let Some((sent, message)) = sending.send(now) {
            // A member opens it, changes it and hands it on; for a while nothing else comes.
            let mut other = message.clone();
            let mut member = ReceiverSession::new(Some(&receiver_keys[0]), 0);
            let opened = member.open(&mut other, HEADER.len()).expect("it has the key");
            let mut payload = opened.payload.to_vec();
            if draw.chance(1) && draw.chance(50) {
                let at = draw.below(payload.len() as u64) as usize;
                payload[at] ^= 1;
                receiver.receiver.take(now, opened.salt, &payload);
                forged += 1;
            }
            if sent == Sent::Root || !(1000..3000).contains(&step) || draw.chance(90) {
                receiver.comes(now, &message);
            }
        }
        if let Some(said) = receiver.says(now).filter(|_| !(1000..3000).contains(&step)) {
            sending.hear(now, 1, &said);
        }
        if sending.sender.finished(now) {
            break;
        }
    }
    let receiver = &receivers[0];
    assert!(forged > 5 && receiver.tally().forged > 0, "{:?}", receiver.tally());
    assert_is_part_of(&input, receiver, "the receiver");
    assert!(receiver.tally().lost > 30_000 && receiver.output.len() > 200_000, "{:?}", receiver.tally());
    assert!(receiver.output.len().is_multiple_of(188) && receiver.output.iter().step_by(188).all(|byte| *byte == 0x47));
}

#[test]
fn garbage_changes_nothing_and_takes_no_memory() {
    let mut draw = Draw::new(13);
    let input = draw.bytes(100_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receivers = [Receiving::new(None, 0)];
    let (verifier, mut now) = (ReceiverSession::new(Some(&keys(1).1[0]), 0).verifier(), Duration::ZERO);
    let mut strict = Receiver::new(verifier);
    run(&mut sending, &mut receivers, (&mut draw, &mut now), 50, |_, _| {});
    let head = receivers[0].receiver.standing(now, 400).expect("a head has come").0;
    for round in 0..100_000u64 {
        let length = draw.below(200) as usize;
        let mut bytes = draw.bytes(length);
        // Half of them begin as messages do.
        if round % 2 == 0 && length > 5 {
            bytes[0] = if round % 4 == 0 { 4 } else { 2 + 3 * u8::from(round % 3 == 0) };
            bytes[1..5].copy_from_slice(&head[1..5]);
        }
        assert_ne!(strict.take(now, None, &bytes), Taken::Root, "{bytes:?}");
        let _ = Head::decode(&bytes, None);
        let _ = sending.sender.hear(now, draw.below(30_000), &bytes);
        // A symbol of the right session is taken from whoever it is, so these are of another one.
        if bytes.first() != Some(&2) && bytes.first() != Some(&HEAD) {
            receivers[0].receiver.take(now, None, &bytes);
        }
    }
    assert!(sending.sender.roster().receivers().count() <= 10_000);
    receivers[0].receiver.take(now, None, &[]);
    assert!(run(&mut sending, &mut receivers, (&mut draw, &mut now), 60_000, |_, _| {}), "it never ends");
    assert!(receivers[0].output == input);
}

#[test]
fn what_came_behind_a_gap_comes_out_also_when_the_sender_is_gone() {
    let mut draw = Draw::new(17);
    let input = draw.bytes(1_000_000);
    let mut sending = Sending::new(None, Settings { expected: 0, ..settings() }, &input, None);
    let mut receiver = Receiving::new(None, 0);
    let mut now = Duration::ZERO;
    for step in 0..1000 {
        now += GAP;
        let packet = sending.send(now).filter(|(sent, _)| *sent == Sent::Root || !(500..520).contains(&step));
        if let Some((_, message)) = packet {
            receiver.comes(now, &message);
        }
        // Nobody hears it.
        receiver.says(now);
    }
    let before = receiver.output.len();
    receiver.says(now + DELAY / 2);
    assert_eq!(receiver.output.len(), before, "it may still be repaired");
    receiver.says(now + DELAY);
    let Tally { gaps, lost, .. } = receiver.tally();
    assert!(receiver.output.len() > before + 100_000 && gaps == 1 && lost >= 20 * 512, "{:?}", receiver.tally());
}

#[test]
fn heads_that_were_lost_are_asked_for() {
    let mut draw = Draw::new(16);
    let input = draw.bytes(1_000_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receiver = Receiving::new(None, 0);
    let (mut now, mut again) = (Duration::ZERO, 0);
    for step in 0..20_000 {
        now += GAP;
        if let Some((sent, message)) = sending.send(now) {
            again += u32::from(sent == Sent::Manifest);
            // A head has room for nine blocks of 64 symbols, and more than that are begun meanwhile.
            if sent != Sent::Root || !(600..1600).contains(&step) {
                receiver.comes(now, &message);
            }
        }
        if let Some(said) = receiver.says(now) {
            sending.hear(now, 1, &said);
        }
        if sending.sender.finished(now) {
            break;
        }
    }
    assert!(receiver.output == input && again > 0 && again < 20, "{again} heads, {:?}", receiver.tally());
}

#[test]
fn greed_is_bounded_and_costs_the_others_nothing() {
    let mut draw = Draw::new(14);
    let input = draw.bytes(900_000);
    let mut sending = Sending::new(None, settings(), &input, None);
    let mut receivers = [Receiving::new(None, 0)];
    let (mut now, mut is_greedy) = (Duration::ZERO, false);
    while !sending.sender.finished(now) {
        run(&mut sending, &mut receivers, (&mut draw, &mut now), 100, |_, _| {});
        assert!(now < Duration::from_secs(60), "it never ends");
        // Somebody lacks all that there is, each time; at the end of it, it goes.
        let Some((standing, _)) = receivers[0].receiver.standing(now, 400) else { continue };
        let mut standing = Standing::decode(&standing).expect("ours");
        let last = sending.sender.blocks() as u32;
        let all = Line { object: 1, block: last.saturating_sub(30), blocks: 30, lacks: u16::MAX, seen: 0 };
        let left = if standing.left == 0 { LEAVES } else { 5 };
        (standing.left, standing.lines) = (left, vec![all]);
        let heard = sending.sender.hear(now, 9, &standing.encode()).expect("it is about this stream");
        is_greedy |= heard.greedy;
        let asked = sending.sender.roster().receivers().find(|(id, _)| *id == 9).map_or(0, |(_, other)| other.asked);
        assert!(asked <= sending.sent + 1000 + 64, "{asked} of {}", sending.sent);
    }
    assert!(is_greedy && receivers[0].output == input, "{:?}", receivers[0].tally());
}
