//! Streams in virtual time, by the schemes that carry them: losses, a first packet that is lost, several senders, one
//! that is started again.

use crate::testing::ends::{Receiving, Sending, of_stream, stream};
use crate::testing::{Folder, agreed, begin, bytes, cloud, go_on};
use faircast_deliver::stream::{Receiver, Sender};
use faircast_proto::time::Rate;
use faircast_wire::testing::{Turns, socket};
use std::time::Duration;

/// What a stream has, bit/s, and the link, which carries three times that.
const BPS: f64 = 500e3;
const LINK: Rate = Rate(1_500_000);
/// Bytes of 8 s.
const LENGTH: usize = 500_000;
const SCHEMES: [&str; 3] = ["tfmcc", "omcc", "pgmcc"];

fn came(receiver: &Receiving<'_, Receiver>) -> (usize, u64, u64, bool) {
    let tally = receiver.of().driver.content().store.tally();
    (receiver.output.len(), tally.lost, tally.restarts, receiver.is_over)
}

#[test]
fn losses_change_nothing_by_any_scheme() {
    for scheme in SCHEMES {
        for losses in [[0.0, 0.02], [0.1, 0.1]] {
            let agreed = agreed(&format!("--open --scheme {scheme}"), "2Mbit/s");
            let cloud = cloud(&agreed, 3, 3);
            cloud.borrow_mut().rate = Some(LINK);
            (0..2).for_each(|receiver| cloud.borrow_mut().hosts[1 + receiver].loss = losses[receiver]);
            let input = bytes(LENGTH, 1);
            let mut sender = stream(&agreed, 9, None, (&input, BPS), 1);
            let [mut one, mut two] = [1, 2].map(|id| of_stream(&agreed, id, None, None));
            let mut ends: [(&mut dyn Turns, usize); 3] = [(&mut one, 1), (&mut two, 2), (&mut sender, 0)];
            begin(&cloud, &mut ends);
            go_on(&cloud, 60.0, &mut ends);
            for receiver in [&one, &two] {
                assert_eq!(came(receiver), (LENGTH, 0, 0, true), "{scheme} {losses:?}");
                assert!(receiver.output == input, "{scheme} {losses:?}");
            }
            assert_eq!(sender.driver().content().offer.roster().complete(), 2, "{scheme} {losses:?}");
        }
    }
}

#[test]
fn a_first_packet_that_is_lost_costs_nothing() {
    let folder = Folder::new("first-packet");
    let (of_sender, of_receivers) = folder.keys(1);
    for scheme in SCHEMES {
        for keyed in [false, true] {
            let how = if keyed { "--keys k" } else { "--open" };
            let agreed = agreed(&format!("{how} --scheme {scheme}"), "2Mbit/s");
            let cloud = cloud(&agreed, 2, 3);
            cloud.borrow_mut().rate = Some(LINK);
            let input = bytes(LENGTH, 1);
            let mut sender = stream(&agreed, 9, keyed.then_some(&of_sender), (&input, BPS), 1);
            let mut receiver = of_stream(&agreed, 1, keyed.then_some(&of_receivers[0]), None);
            // What goes at the beginning is lost.
            cloud.borrow_mut().hosts[1].loss = 1.0;
            let mut ends: [(&mut dyn Turns, usize); 2] = [(&mut receiver, 1), (&mut sender, 0)];
            begin(&cloud, &mut ends);
            go_on(&cloud, 0.001, &mut ends);
            cloud.borrow_mut().hosts[1].loss = 0.0;
            go_on(&cloud, 60.0, &mut ends);
            assert!(receiver.output == input, "{scheme}, keys {keyed}: {:?}", came(&receiver));
            assert_eq!(
                (came(&receiver), receiver.of().driver.content().store.tally().missed),
                ((LENGTH, 0, 0, true), 0)
            );
        }
    }
}

/// Two hosts send streams of their own to one group, the second from 2 s on.
fn two_senders(
    scheme: &str,
    seconds: f64,
    mut look: impl FnMut([&Receiving<'_, Receiver>; 2], [&Sending<Sender>; 2], [&[u8]; 2]),
) {
    let agreed = agreed(&format!("--open --scheme {scheme}"), "2Mbit/s");
    let cloud = cloud(&agreed, 4, 3);
    cloud.borrow_mut().hosts[1..3].iter_mut().for_each(|host| host.loss = 0.01);
    let inputs = [1, 2].map(|seed| bytes(2 * LENGTH, seed));
    let [mut first, mut second] =
        [0, 1].map(|of| stream(&agreed, 8 + of as u64, None, (&inputs[of], BPS), 1 + of as u64));
    let mut any = of_stream(&agreed, 1, None, None);
    let mut named = of_stream(&agreed, 2, None, Some(socket(3).ip()));
    let mut ends: [(&mut dyn Turns, usize); 3] = [(&mut any, 1), (&mut named, 2), (&mut first, 0)];
    begin(&cloud, &mut ends);
    go_on(&cloud, 2.0, &mut ends);
    begin(&cloud, &mut [(&mut second, 3)]);
    let mut ends: [(&mut dyn Turns, usize); 4] = [(&mut any, 1), (&mut named, 2), (&mut first, 0), (&mut second, 3)];
    go_on(&cloud, seconds, &mut ends);
    look([&any, &named], [&first, &second], inputs.each_ref().map(Vec::as_slice));
}

#[test]
fn who_sent_for_a_moment_is_not_said_to_send() {
    let agreed = agreed("--open", "2Mbit/s");
    let cloud = cloud(&agreed, 3, 2);
    let input = bytes(2 * LENGTH, 1);
    let [mut first, mut second] = [0, 1].map(|of| stream(&agreed, 8 + of, None, (&input, BPS), 1 + of));
    let mut any = of_stream(&agreed, 1, None, None);
    begin(&cloud, &mut [(&mut any, 1), (&mut first, 0)]);
    go_on(&cloud, 2.0, &mut [(&mut any, 1), (&mut first, 0)]);
    begin(&cloud, &mut [(&mut second, 2)]);
    go_on(&cloud, 3.0, &mut [(&mut any, 1), (&mut first, 0), (&mut second, 2)]);
    go_on(&cloud, 12.0, &mut [(&mut any, 1), (&mut first, 0)]);
    assert_eq!((&any.said[..], any.of().driver.other_sources().all().len()), (&[][..], 1));
}

#[test]
fn of_two_senders_to_one_group_a_receiver_takes_the_one_that_it_was_told_or_says_who_there_is() {
    for scheme in SCHEMES {
        two_senders(scheme, 12.0, |[any, named], _, _| {
            let [said] = &any.said[..] else { panic!("{scheme}: {:?}", any.said) };
            assert!(said.starts_with("10.0.0.4:40000 sends to this group, too, "), "{scheme}: {said}");
            assert!(said.contains("10.0.0.1:40000 was heard first; --source ADDR"), "{scheme}: {said}");
            assert!(named.said.is_empty() && named.of().driver.other_sources().all().is_empty(), "it was told");
        });
        two_senders(scheme, 80.0, |[any, named], senders, [first, second]| {
            for (receiver, input) in [(any, first), (named, second)] {
                assert_eq!(came(receiver), (input.len(), 0, 0, true), "{scheme}");
                assert!(receiver.output == input, "{scheme}");
            }
            // Each sender has the one that took it, and repairs for nobody else.
            for (sender, id) in senders.into_iter().zip([1, 2]) {
                let there: Vec<u64> = sender.driver().content().offer.roster().receivers().map(|(id, _)| id).collect();
                assert_eq!(there, [id], "{scheme}");
            }
        });
    }
}

/// How many gaps bytes have that are those of an input but for some in between; none if they are others.
fn gaps(mut bytes: &[u8], mut input: &[u8]) -> Option<usize> {
    let mut gaps = 0;
    loop {
        let same = bytes.iter().zip(input).take_while(|(own, theirs)| own == theirs).count();
        (bytes, input) = (&bytes[same..], &input[same..]);
        if bytes.is_empty() {
            return Some(gaps);
        }
        // They go on further behind.
        let next = &bytes[..bytes.len().min(32)];
        let at = input.windows(next.len()).position(|window| window == next)?;
        (input, gaps) = (&input[at..], gaps + 1);
    }
}

#[test]
fn a_sender_that_starts_again_in_the_middle_is_followed_by_any_scheme() {
    let folder = Folder::new("middle");
    let (of_sender, of_receivers) = folder.keys(2);
    for scheme in SCHEMES {
        for keyed in [false, true] {
            let how = if keyed { "--keys k" } else { "--open" };
            let agreed = agreed(&format!("{how} --scheme {scheme}"), "2Mbit/s");
            let cloud = cloud(&agreed, 3, 3);
            cloud.borrow_mut().rate = Some(LINK);
            cloud.borrow_mut().hosts[1..].iter_mut().for_each(|host| host.loss = 0.02);
            let inputs = [1, 2].map(|seed| bytes(LENGTH, seed));
            let started = |of: usize| {
                let keys = keyed.then_some(&of_sender);
                stream(&agreed, 8 + of as u64, keys, (&inputs[of], BPS), 1 + of as u64)
            };
            let mut receivers =
                [0, 1].map(|of| of_stream(&agreed, 1 + of as u64, keyed.then_some(&of_receivers[of]), None));
            // A source without keys is followed after three seconds of silence: not as long as this, at whatever time.
            receivers.iter_mut().for_each(|receiver| receiver.patience = Duration::from_secs(5));
            let [one, two] = &mut receivers;
            let mut first = started(0);
            let mut ends: [(&mut dyn Turns, usize); 3] = [(one, 1), (two, 2), (&mut first, 0)];
            begin(&cloud, &mut ends);
            go_on(&cloud, 4.0, &mut ends);
            // It is killed, and started again on the same host half a second later.
            let [one, two] = &mut receivers;
            go_on(&cloud, 4.5, &mut [(one, 1), (two, 2)]);
            let mut second = started(1);
            begin(&cloud, &mut [(&mut second, 0)]);
            let [one, two] = &mut receivers;
            go_on(&cloud, 80.0, &mut [(one, 1), (two, 2), (&mut second, 0)]);
            for receiver in &receivers {
                let (length, lost, restarts, is_over) = came(receiver);
                assert_eq!((restarts, is_over), (1, true), "{scheme}, keys {keyed}");
                assert!(length > LENGTH, "{scheme}, keys {keyed}: {length}");
                let (before, behind) = receiver.output.split_at(length - LENGTH);
                assert!(behind == inputs[1], "{scheme}, keys {keyed}");
                // What the first one did not repair any more is a gap that is known.
                let gaps = gaps(before, &inputs[0]).unwrap_or_else(|| panic!("{scheme}, keys {keyed}: none of it"));
                assert_eq!(gaps > 0, lost > 0 && !inputs[0].starts_with(before), "{scheme}, keys {keyed}: {lost}");
                assert!(receiver.said.is_empty(), "it is the same: {:?}", receiver.said);
                assert!(!receiver.gives_up, "{scheme}, keys {keyed}: the second one came");
            }
            assert_eq!(second.driver().content().offer.roster().complete(), 2);
        }
    }
}
