//! The carousel, symbol by symbol, and what requests do to it.

use super::*;
use crate::feedback::Line;
use crate::source::gather;
use crate::testing::{Draw, Folder};
use std::path::PathBuf;

const CUT: Cut = Cut { symbol_bytes: 256, block_symbols: 8 };
const SALT: Salt = Salt([1; 12]);

fn at(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn offer(lengths: &[usize], settings: Settings) -> (Folder, Offer) {
    let folder = Folder::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for (index, length) in lengths.iter().enumerate() {
        paths.push(folder.write(&format!("file-{index}"), &Draw::new(index as u64).bytes(*length)));
    }
    let settings = Settings { cut: CUT, ..settings };
    let offer = Offer::new(gather(&paths).expect("ours"), settings, SALT, None, &mut |_| true).expect("ours");
    (folder, offer)
}

fn next(offer: &mut Offer, now: Duration) -> (Sent, Option<SymbolId>) {
    let mut payload = Vec::new();
    let sent = offer.next_symbol(now, &mut payload).expect("files that stay");
    (sent, SymbolId::decode(&payload).ok().map(|(id, _)| id))
}

/// What is sent until there is nothing but roots.
fn drain(offer: &mut Offer, now: Duration) -> Vec<(Sent, Option<SymbolId>)> {
    let all = std::iter::from_fn(|| Some(next(offer, now)).filter(|(sent, _)| *sent != Sent::Nothing));
    all.collect()
}

fn numbers(sent: &[(Sent, Option<SymbolId>)], of: Sent) -> Vec<(u32, u32, u32)> {
    let of = sent.iter().filter(|(sent, _)| *sent == of).filter_map(|(_, id)| *id);
    of.map(|id| (id.object, id.block, id.symbol)).collect()
}

fn request(offer: &Offer, left: u64, lines: &[Line]) -> Vec<u8> {
    Request { content: offer.content().tag(), left, lines: lines.to_vec() }.encode()
}

fn line(object: u32, block: u32, blocks: u16, lacks: u16) -> Line {
    Line { object, block, blocks, lacks, seen: 0 }
}

#[test]
fn root_manifest_and_root_come_first_then_all_symbols_once() {
    let (_folder, mut offer) = offer(&[256 * 9, 0, 1], Settings::default());
    let sent = drain(&mut offer, at(0));
    let kinds: Vec<Sent> = sent.iter().map(|(sent, _)| *sent).collect();
    let index = offer.index.0.symbols() as usize;
    let burst = index + index / 5 + 3;
    assert_eq!(kinds[0], Sent::Root);
    assert!(kinds[1..=burst].iter().all(|sent| *sent == Sent::Manifest));
    assert_eq!(kinds[burst + 1], Sent::Root);
    let expected: Vec<_> =
        (0..5).map(|symbol| (1, 0, symbol)).chain((0..4).map(|symbol| (1, 1, symbol))).chain([(3, 0, 0)]).collect();
    assert_eq!(numbers(&sent, Sent::Source), expected);
    assert!(kinds.iter().all(|sent| *sent != Sent::Repair));
    assert!(offer.encoders.has((0, 0)) && !offer.encoders.has((1, 0)), "no encoder of a file before a request");
}

#[test]
fn roots_and_the_manifest_come_again() {
    let (_folder, mut offer) = offer(&[256 * 2300], Settings::default());
    let sent = drain(&mut offer, at(0));
    let roots: Vec<usize> = (0..sent.len()).filter(|at| sent[*at].0 == Sent::Root).collect();
    assert!(roots.windows(2).all(|pair| pair[1] - pair[0] <= ROOT_EVERY as usize + 1));
    let burst: u32 = (0..offer.index.0.blocks()).map(|block| offer.burst_symbols(block)).sum();
    let manifest = numbers(&sent, Sent::Manifest);
    assert_eq!(manifest.len(), 2 * burst as usize, "at the start and after 2048 symbols");
    let mut each = manifest.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each.len(), manifest.len(), "each symbol of it is another one");
    assert_eq!(numbers(&sent, Sent::Source).len(), 2300);
}

#[test]
fn roots_come_often_enough_at_low_rates() {
    // 16 kbit/s: a packet of 1280 B each 640 ms, with somebody who listens, and as slowly without.
    for (is_heard, most_gap) in [(true, 17), (false, 4)] {
        let (_folder, mut offer) = offer(&[256 * 1000], Settings::default());
        let hear = request(&offer, 5, &[]);
        let mut roots = Vec::new();
        for slot in 0..1000u64 {
            let now = at(640 * slot);
            if is_heard {
                offer.hear(now, 7, &hear).expect("legal");
            }
            if next(&mut offer, now).0 == Sent::Root {
                roots.push(slot);
            }
        }
        let longest = roots.windows(2).map(|pair| pair[1] - pair[0]).max().expect("some");
        assert!(longest <= most_gap, "who joins waits for {longest} packets");
        assert!(!is_heard || roots.len() < 1000 / 15, "{} of 1000 packets are roots", roots.len());
    }
}

#[test]
fn what_could_not_be_sent_comes_next() {
    let (_folder, mut offer) = offer(&[256 * 8], Settings::default());
    let mut sent = Vec::new();
    for step in 0..40 {
        let now = at(step);
        let one = next(&mut offer, now);
        if one.0 == Sent::Nothing {
            break;
        }
        // Every fourth time the buffer is full: what was given out last comes back, the last of three first.
        if step % 4 == 0 {
            let three = [one, next(&mut offer, now), next(&mut offer, now)];
            let three: Vec<_> =
                three.into_iter().filter(|(sent, _)| *sent != Sent::Nothing).map(|(_, id)| id).collect();
            three.iter().rev().for_each(|id| offer.put_back(*id));
            let again: Vec<_> = three.iter().map(|_| next(&mut offer, now).1).collect();
            assert_eq!(again.iter().flatten().collect::<Vec<_>>(), three.iter().flatten().collect::<Vec<_>>());
            sent.extend(again);
        } else {
            sent.push(one.1);
        }
    }
    let files = |all: &[Option<SymbolId>]| -> Vec<u32> {
        all.iter().flatten().filter(|id| id.object == 1).map(|id| id.symbol).collect()
    };
    assert_eq!(files(&sent), (0..8).collect::<Vec<_>>());
    offer.put_back(None);
    assert_eq!(next(&mut offer, at(40)).0, Sent::Root, "a root that could not be sent");
}

#[test]
fn nothing_is_sent_while_nobody_lacks_anything_but_a_root_at_times() {
    let (_folder, mut offer) = offer(&[1000], Settings::default());
    drain(&mut offer, at(0));
    assert_eq!(next(&mut offer, at(999)).0, Sent::Nothing);
    assert_eq!(offer.next_at(at(999)), at(1000));
    assert_eq!(next(&mut offer, at(1000)).0, Sent::Root);
    assert_eq!(next(&mut offer, at(1000)).0, Sent::Nothing);
    offer.hear(at(1100), 7, &request(&offer, 2, &[line(1, 0, 1, 2)])).expect("legal");
    assert_eq!(offer.next_at(at(1100)), at(1300), "others may ask, too");
    assert_eq!(next(&mut offer, at(1299)).0, Sent::Nothing);
    assert_eq!(numbers(&drain(&mut offer, at(1300)), Sent::Repair), [(1, 0, 4), (1, 0, 5)]);
}

#[test]
fn repair_and_the_first_pass_take_turns() {
    let (_folder, mut offer) = offer(&[256 * 80], Settings::default());
    while offer.pass.block < 4 {
        next(&mut offer, at(0));
    }
    let asked = request(&offer, 9, &[line(1, 0, 2, 4), line(1, 3, 7, 1)]);
    assert_eq!(offer.hear(at(0), 7, &asked), Ok(Heard { complete: false, greedy: false }));
    let sent: Vec<_> = (0..22).map(|_| next(&mut offer, at(200))).collect();
    let expected: Vec<_> =
        [0, 1].iter().flat_map(|block| (8..12).map(|symbol| (1, *block, symbol))).chain([(1, 3, 8)]).collect();
    assert_eq!(numbers(&sent, Sent::Repair), expected, "blocks that have not been sent yet are not repaired");
    assert_eq!(numbers(&sent, Sent::Source).len(), 22 - expected.len());
}

#[test]
fn a_manifest_is_sent_on_request() {
    let (_folder, mut offer) = offer(&[1000], Settings::default());
    drain(&mut offer, at(0));
    let asked = request(&offer, u64::MAX, &[Line { seen: 1, ..line(0, 0, 1, 2) }]);
    offer.hear(at(999), 7, &asked).expect("legal");
    assert_eq!(offer.next_at(at(999)), at(1000), "it was sent of late");
    offer.hear(at(1000), 7, &asked).expect("legal");
    let sent = drain(&mut offer, at(1001));
    assert!(!numbers(&sent, Sent::Manifest).is_empty());
    assert_eq!(sent.last().map(|(sent, _)| *sent), Some(Sent::Root));
    assert_eq!(next(&mut offer, at(1001)).0, Sent::Nothing);
}

#[test]
fn a_pass_for_nobody_ends() {
    // The only receiver has everything from before, says so and goes; at the rate without reports the pass would take
    // for ever.
    let (_folder, mut offer) = offer(&[10_000], Settings::default());
    next(&mut offer, at(0));
    assert!(!offer.finished(at(90_000), 0), "nobody was ever heard");
    let complete = request(&offer, 0, &[]);
    offer.hear(at(1000), 1, &complete).expect("legal");
    assert!(!offer.finished(at(20_999), 1), "others may listen");
    assert!(offer.finished(at(21_000), 1) && !offer.finished(at(21_000), 2));
    offer.hear(at(21_000), 2, &request(&offer, 5, &[])).expect("legal");
    assert!(!offer.finished(at(60_000), 1), "one lacks something");
}

#[test]
fn it_is_finished_when_all_that_are_there_have_everything() {
    let (_folder, mut offer) = offer(&[1000], Settings::default());
    assert!(!offer.finished(at(0), 0), "nothing has been sent");
    drain(&mut offer, at(0));
    assert!(!offer.finished(at(0), 1));
    let complete = request(&offer, 0, &[]);
    assert_eq!(offer.hear(at(0), 1, &complete), Ok(Heard { complete: true, greedy: false }));
    assert!(offer.finished(at(0), 1) && !offer.finished(at(0), 2));
    offer.hear(at(1), 2, &request(&offer, 1, &[])).expect("legal");
    assert!(!offer.finished(at(60_001), 1), "one lacks something");
    assert!(offer.finished(at(60_002), 1), "and has gone");
}

#[test]
fn the_greedy_get_no_more_and_are_named() {
    let (_folder, mut offer) = offer(&[256 * 16], Settings::default());
    drain(&mut offer, at(0));
    let mut greedy = false;
    let mut sent = 0;
    for step in 0..10_000 {
        let now = at(2000 * step);
        let heard = offer.hear(now, 7, &request(&offer, 16, &[line(1, 0, 2, 8)])).expect("legal");
        greedy = heard.greedy;
        sent += numbers(&drain(&mut offer, now + at(200)), Sent::Repair).len();
        if greedy {
            break;
        }
    }
    assert!(greedy);
    let most = (offer.settings.greed * (16 + offer.index.0.symbols()) + GREED_MORE) as usize;
    assert!((most..most + 32).contains(&sent), "{sent} symbols");
    let other = offer.hear(at(30_000_000), 8, &request(&offer, 1, &[line(1, 0, 1, 1)])).expect("legal");
    assert!(!other.greedy);
    assert_eq!(numbers(&drain(&mut offer, at(30_000_200)), Sent::Repair).len(), 1, "others are served");
}

#[test]
fn requests_for_what_there_is_not_are_refused() {
    let (_folder, mut offer) = offer(&[256 * 16, 0], Settings { most_receivers: 1, ..Settings::default() });
    drain(&mut offer, at(0));
    for lines in [
        vec![line(3, 0, 1, 1)],
        vec![line(2, 0, 1, 1)],
        vec![line(1, 2, 1, 1)],
        vec![line(1, 1, 2, 1)],
        vec![line(1, u32::MAX, 2, 1)],
        vec![line(1, 1, 1, 1), line(1, 0, 1, 1)],
        vec![line(1, 0, 1, 1), line(1, 0, 1, 1)],
        vec![line(1, 0, 1, 1), line(0, 0, 1, 1)],
    ] {
        assert!(offer.hear(at(0), 7, &request(&offer, 5, &lines)).is_err(), "{lines:?}");
    }
    let other = Request { content: !offer.content().tag(), left: 0, lines: vec![] }.encode();
    assert!(offer.hear(at(0), 7, &other).is_err());
    assert_eq!(offer.roster().receivers().count(), 0);
    assert!(offer.hear(at(0), 7, &request(&offer, 5, &[line(0, 0, 1, 1), line(1, 0, 2, 1)])).is_ok());
    assert!(offer.hear(at(0), 8, &request(&offer, 5, &[])).is_err(), "there is room for one");
    assert_eq!(numbers(&drain(&mut offer, at(200)), Sent::Repair), [(1, 0, 8), (1, 1, 8)]);
}

#[test]
fn random_requests_never_panic() {
    let (_folder, mut offer) = offer(&[256 * 40 + 3, 0, 5], Settings::default());
    drain(&mut offer, at(0));
    let mut draw = Draw::new(11);
    for round in 0..20_000 {
        let blocks = draw.below(8) as u16;
        let lines: Vec<Line> = (0..draw.below(4))
            .map(|at| Line {
                object: at as u32,
                block: draw.below(6) as u32,
                blocks,
                lacks: draw.below(300) as u16,
                seen: draw.below(1 << 24) as u32,
            })
            .collect();
        let mut message = request(&offer, draw.below(3), &lines);
        if draw.chance(30) {
            let index = draw.below(message.len() as u64) as usize;
            message[index] = draw.below(256) as u8;
        }
        let _ = offer.hear(at(round), draw.below(9), &message);
        if round % 50 == 0 {
            drain(&mut offer, at(round + 200));
        }
    }
    assert!(offer.needs.next_at().is_none_or(|next| next >= at(19_000)));
}

#[test]
fn too_much_for_one_root_is_said() {
    let folder = Folder::new();
    let path = folder.write("film", &vec![0; 64 * 600]);
    let settings = Settings { cut: Cut { symbol_bytes: 64, block_symbols: 1 }, ..Settings::default() };
    let sources = gather(&[path]).expect("ours");
    let refused = Offer::new(sources.clone(), settings, SALT, None, &mut |_| true).err().expect("refused").to_string();
    assert!(refused.contains("are too many for blocks of 1 symbols"), "{refused}");
    let twice = [sources.clone(), sources].concat();
    let refused = Offer::new(twice, Settings::default(), SALT, None, &mut |_| true).err().expect("refused").to_string();
    assert_eq!(refused, "two files are called film");
    let refused = Offer::new(Vec::new(), Settings::default(), SALT, None, &mut |_| true).err().expect("refused");
    assert_eq!(refused.to_string(), "there is no file");
}
