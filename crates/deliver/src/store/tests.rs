//! A receiver's folder: what is in the way, what was there before, what strangers send.

use super::*;
use crate::geometry::{Cut, Geometry};
use crate::keys::testing::signer;
use crate::keys::{Salt, Signer};
use crate::manifest::{Entry, hash};
use crate::names::FileName;
use crate::offer::{self, Offer, Sent};
use crate::source::gather;
use crate::symbol;
use crate::testing::{self, Draw};
use std::fs;
use std::path::PathBuf;

const CUT: Cut = Cut { symbol_bytes: 256, block_symbols: 8 };
const SALT: Salt = Salt([1; 12]);

fn offer_of(files: &[(&str, &[u8])], began: u64, signer: Option<&Signer>) -> (testing::Folder, Offer) {
    let folder = testing::Folder::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, _)| name.split('/').next().expect("a name"))
        .map(|name| folder.path().join(name))
        .collect();
    let settings = offer::Settings { cut: CUT, began, ..offer::Settings::default() };
    let offer = Offer::new(gather(&paths).expect("ours"), settings, SALT, signer, &mut |_| true).expect("ours");
    (folder, offer)
}

fn store(folder: &testing::Folder) -> Store {
    Store::open(folder.path(), Settings::default(), None).expect("ours")
}

/// All payloads of the first pass.
fn payloads(offer: &mut Offer) -> Vec<Vec<u8>> {
    let mut payloads = Vec::new();
    loop {
        let mut payload = Vec::new();
        if offer.next_symbol(Duration::ZERO, &mut payload).expect("ours") == Sent::Nothing {
            return payloads;
        }
        payloads.push(payload);
    }
}

fn settle(store: &mut Store) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match store.proceed().expect("a disk that works") {
            Event::Nothing => return events,
            Event::Working => {}
            event => events.push(event),
        }
    }
}

fn take_all(store: &mut Store, payloads: &[Vec<u8>]) -> Vec<Event> {
    for payload in payloads {
        store.take(Duration::ZERO, None, payload).expect("a disk that works");
    }
    settle(store)
}

fn refusal(events: &[Event]) -> &str {
    events
        .iter()
        .find_map(|event| if let Event::Refused(_, why) = event { Some(&why[..]) } else { None })
        .expect("refused")
}

#[test]
fn files_come_whole_in_one_pass_without_losses() {
    let long: Vec<u8> = (0..10_000u32).map(|at| (at / 7) as u8).collect();
    let (_from, mut offer) = offer_of(&[("a", &long), ("b/c", b"short"), ("d", b"")], 0, None);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    let mut events = take_all(&mut store, &payloads(&mut offer));
    assert_eq!(events.pop(), Some(Event::All));
    assert_eq!(events.len(), 3);
    assert!(store.complete());
    assert_eq!(fs::read(folder.path().join("a")).expect("ours"), long);
    assert_eq!(fs::read(folder.path().join("b/c")).expect("ours"), b"short");
    assert_eq!(fs::read(folder.path().join("d")).expect("ours"), b"");
    let progress = store.progress();
    assert_eq!((progress.left, progress.files, progress.named, progress.refused), (0, 3, 3, 0));
    let request = Request::decode(&store.request(Duration::ZERO, 100).expect("a report")).expect("ours");
    assert_eq!((request.left, request.lines), (0, vec![]));
}

#[test]
fn links_in_the_way_lead_nowhere() {
    let elsewhere = testing::Folder::new();
    elsewhere.write("target", b"untouched");
    let (_from, mut offer) = offer_of(&[("link/x", b"new"), ("deep/in/x", b"new"), ("file", b"new")], 0, None);
    let sent = payloads(&mut offer);
    let folder = testing::Folder::new();
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    link(elsewhere.path().to_owned(), folder.path().join("link")).expect("ours");
    fs::create_dir(folder.path().join("deep")).expect("ours");
    link(elsewhere.path().to_owned(), folder.path().join("deep/in")).expect("ours");
    link(elsewhere.path().join("target"), folder.path().join("file")).expect("ours");
    for existing in [Existing::Keep, Existing::Replace] {
        let settings = Settings { existing, ..Settings::default() };
        let mut store = Store::open(folder.path(), settings, None).expect("ours");
        let events = take_all(&mut store, &sent);
        assert_eq!(events.len(), 4, "{events:?}");
        assert!(refusal(&events).contains("is not taken: the name is taken by something that is no file"));
        assert!(store.complete());
    }
    assert_eq!(fs::read_dir(elsewhere.path()).expect("ours").count(), 1);
    assert_eq!(fs::read(elsewhere.path().join("target")).expect("ours"), b"untouched");
}

#[test]
fn a_link_that_comes_while_a_file_does_is_not_followed_either() {
    let elsewhere = testing::Folder::new();
    let (_from, mut offer) = offer_of(&[("sub/x", b"new")], 0, None);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    for payload in payloads(&mut offer) {
        store.take(Duration::ZERO, None, &payload).expect("a disk that works");
    }
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("sub")).expect("ours");
    let events = settle(&mut store);
    let why = refusal(&events);
    assert!(why.contains("should be a folder and is something else; it lies whole in"), "{why}");
    let part = why.rsplit_once("whole in ").expect("a path").1;
    assert_eq!(fs::read(part).expect("kept"), b"new");
    assert_eq!(fs::read_dir(elsewhere.path()).expect("ours").count(), 0);
}

#[test]
fn a_file_that_gets_the_name_meanwhile_stays_as_well() {
    let (_from, mut offer) = offer_of(&[("a", b"the new one")], 0, None);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    for payload in payloads(&mut offer) {
        store.take(Duration::ZERO, None, &payload).expect("a disk that works");
    }
    let path = folder.write("a", b"somebody's");
    let events = settle(&mut store);
    assert!(refusal(&events).contains("the name is taken by something else; it lies whole in"), "{events:?}");
    assert_eq!(fs::read(path).expect("ours"), b"somebody's");
}

#[test]
fn what_has_the_name_stays_or_is_replaced_as_one_asks() {
    let (_from, mut offer) = offer_of(&[("a", b"the new one")], 0, None);
    let sent = payloads(&mut offer);
    for there in ["other", "the old one"] {
        let folder = testing::Folder::new();
        folder.write("a", there.as_bytes());
        let mut keeping = store(&folder);
        assert!(refusal(&take_all(&mut keeping, &sent)).contains("another file has the name already, and stays"));
        assert_eq!(fs::read(folder.path().join("a")).expect("ours"), there.as_bytes());
        drop(keeping);
        let settings = Settings { existing: Existing::Replace, ..Settings::default() };
        let mut replacing = Store::open(folder.path(), settings, None).expect("ours");
        let first = take_all(&mut replacing, &sent);
        // One of the same length was looked at first, so symbols that came meanwhile were not wanted.
        let events = if first.is_empty() { take_all(&mut replacing, &sent) } else { first };
        assert_eq!(events.last(), Some(&Event::All), "{there}");
        assert_eq!(fs::read(folder.path().join("a")).expect("ours"), b"the new one");
    }
}

#[test]
fn the_same_file_is_not_received_again() {
    let (_from, mut offer) = offer_of(&[("a", b"the same")], 0, None);
    let folder = testing::Folder::new();
    let path = folder.write("a", b"the same");
    let before = fs::metadata(&path).expect("ours").modified().expect("a time");
    let mut store = store(&folder);
    // The root and the manifest are enough.
    let sent: Vec<Vec<u8>> =
        payloads(&mut offer).into_iter().filter(|payload| payload[0] == ROOT || payload[5..9] == [0; 4]).collect();
    assert_eq!(take_all(&mut store, &sent), [Event::File(FileName::new("a").expect("legal")), Event::All]);
    assert_eq!(fs::metadata(&path).expect("ours").modified().expect("a time"), before);
}

#[test]
fn pipes_and_folders_under_a_name_are_not_touched() {
    let (_from, mut offer) = offer_of(&[("pipe", b"x"), ("folder", b"x")], 0, None);
    let sent = payloads(&mut offer);
    let folder = testing::Folder::new();
    fs::create_dir(folder.path().join("folder")).expect("ours");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .expect("ours");
    for existing in [Existing::Keep, Existing::Replace] {
        let settings = Settings { existing, ..Settings::default() };
        let mut store = Store::open(folder.path(), settings, None).expect("ours");
        let events = take_all(&mut store, &sent);
        assert_eq!((events.len(), store.progress().refused), (3, 2));
    }
    assert!(folder.path().join("folder").is_dir());
}

#[test]
fn one_process_at_a_time() {
    let folder = testing::Folder::new();
    let first = store(&folder);
    let second = Store::open(folder.path(), Settings::default(), None);
    assert!(second.err().expect("refused").to_string().contains("another process receives in"));
    drop(first);
    assert!(Store::open(folder.path(), Settings::default(), None).is_ok());
    let file = folder.write("file", b"");
    let sentence = Store::open(&file, Settings::default(), None).err().expect("refused").to_string();
    assert!(sentence.ends_with("is no folder"), "{sentence}");
}

/// The folder of the only content.
fn work_folder(folder: &testing::Folder) -> PathBuf {
    let mut entries =
        fs::read_dir(folder.path().join(WORK_FOLDER)).expect("ours").map(|entry| entry.expect("ours").path());
    entries.find(|path| path.is_dir()).expect("a content")
}

#[test]
fn what_a_disk_loses_between_two_runs_comes_again() {
    let bytes = Draw::new(1).bytes(256 * 8 * 4);
    let (_from, mut offer) = offer_of(&[("a", &bytes)], 0, None);
    let sent = payloads(&mut offer);
    // All but the last symbol, so that the file is not whole yet.
    let most = &sent[..sent.len() - 1];
    for damage in ["part gone", "part changed", "journal gone", "manifest gone", "journal changed"] {
        let folder = testing::Folder::new();
        let mut first = store(&folder);
        assert_eq!(take_all(&mut first, most), []);
        first.flush().expect("a disk that works");
        assert_eq!(first.progress().left, 1);
        drop(first);
        let work = work_folder(&folder);
        match damage {
            "part gone" => fs::remove_file(work.join("1.part")).expect("ours"),
            "part changed" => {
                let mut part = fs::read(work.join("1.part")).expect("ours");
                part[3000] ^= 1;
                fs::write(work.join("1.part"), part).expect("ours");
            }
            "journal gone" => fs::remove_file(work.join("journal")).expect("ours"),
            "manifest gone" => fs::remove_file(work.join("manifest")).expect("ours"),
            _ => {
                let mut journal = fs::read(work.join("journal")).expect("ours");
                journal[30] ^= 1;
                fs::write(work.join("journal"), journal).expect("ours");
            }
        }
        let mut second = store(&folder);
        let mut events = take_all(&mut second, &sent);
        events.extend(take_all(&mut second, &sent));
        assert_eq!(events.last(), Some(&Event::All), "{damage}");
        assert_eq!(fs::read(folder.path().join("a")).expect("ours"), bytes, "{damage}");
    }
}

#[test]
fn a_run_begins_where_the_last_one_ended() {
    let bytes = Draw::new(2).bytes(256 * 8 * 4);
    let (_from, mut offer) = offer_of(&[("a", &bytes)], 0, None);
    let sent = payloads(&mut offer);
    for cut in 0..sent.len() {
        let folder = testing::Folder::new();
        let mut first = store(&folder);
        take_all(&mut first, &sent[..cut]);
        first.flush().expect("a disk that works");
        drop(first);
        let mut second = store(&folder);
        let root = sent.iter().find(|payload| payload[0] == ROOT).expect("one was sent");
        second.take(Duration::ZERO, None, root).expect("a disk that works");
        let events = take_all(&mut second, &sent[cut..]);
        let done = events.last() == Some(&Event::All);
        // Before the manifest was there symbols were of no use.
        let manifest = sent[..cut].iter().filter(|payload| payload[0] == SYMBOL && payload[5..9] == [0; 4]).count();
        assert!(done || manifest == 0, "cut at {cut}");
    }
}

#[test]
fn roots_of_others_and_of_before_are_not_taken() {
    let (ours, verifier) = signer(1);
    let (theirs, _) = signer(2);
    let folder = testing::Folder::new();
    let root = |began, signer| payloads(&mut offer_of(&[("a", b"x")], began, signer).1).remove(0);
    let mut store = Store::open(folder.path(), Settings::default(), Some(verifier)).expect("ours");
    let take =
        |store: &mut Store, salt, root: &[u8]| store.take(Duration::ZERO, salt, root).expect("a disk that works");
    assert!(matches!(take(&mut store, None, &root(9, None)), Taken::Malformed(_)));
    assert!(matches!(take(&mut store, None, &root(9, Some(&theirs))), Taken::Malformed(_)));
    assert!(matches!(take(&mut store, Some(Salt([2; 12])), &root(9, Some(&ours))), Taken::Malformed(_)));
    assert!(store.request(Duration::ZERO, 100).is_none() && store.salt().is_none());
    assert_eq!(take(&mut store, Some(SALT), &root(9, Some(&ours))), Taken::Root);
    assert_eq!(take(&mut store, Some(SALT), &root(9, Some(&ours))), Taken::Known);
    assert!(matches!(take(&mut store, None, &root(8, Some(&ours))), Taken::Malformed(_)), "an earlier session");
    drop(store);
    let mut store = Store::open(folder.path(), Settings::default(), Some(verifier)).expect("ours");
    assert!(matches!(take(&mut store, None, &root(8, Some(&ours))), Taken::Malformed(_)), "in a later run, too");
    assert_eq!(take(&mut store, None, &root(10, Some(&ours))), Taken::Root);
    assert_eq!(store.salt(), Some(SALT));
}

#[test]
fn another_content_takes_over_and_the_first_can_come_back() {
    let one = Draw::new(3).bytes(4000);
    let (_from, mut first) = offer_of(&[("one", &one)], 1, None);
    let (_from_too, mut second) = offer_of(&[("two", b"2")], 2, None);
    let (_from_again, mut third) = offer_of(&[("one", &one)], 3, None);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    let sent = payloads(&mut first);
    assert_eq!(take_all(&mut store, &sent[..sent.len() - 3]), []);
    assert_eq!(take_all(&mut store, &payloads(&mut second)).last(), Some(&Event::All));
    assert_eq!(store.take(Duration::ZERO, None, sent.last().expect("some")), Ok(Taken::Foreign));
    let root = payloads(&mut third).remove(0);
    assert_eq!(store.take(Duration::ZERO, None, &root), Ok(Taken::Root));
    assert_eq!(store.progress().left, 3, "what had come is there");
    assert_eq!(take_all(&mut store, &sent[sent.len() - 3..]).last(), Some(&Event::All));
    assert_eq!(fs::read(folder.path().join("one")).expect("ours"), one);
}

#[test]
fn numbers_of_messages_only_go_up() {
    let folder = testing::Folder::new();
    let mut before = 0;
    for clock in [1_000_000, 5, u64::from(u32::MAX) << 20, 0] {
        let store = store(&folder);
        let numbers = store.counter(clock).expect("a disk that works");
        assert!(numbers.start >= clock && numbers.start >= before && !numbers.is_empty(), "{numbers:?} after {before}");
        // A run that says more than it has numbers for takes others, which count as well.
        let more = store.reserve(numbers.end).expect("a disk that works");
        assert_eq!(more.start, numbers.end);
        before = more.end;
    }
}

#[test]
fn a_folder_that_was_emptied_is_believed_after_a_moment() {
    let folder = testing::Folder::new();
    let clock = 1_700_000_000_000_000;
    let second = 1_000_000;
    let mut said = 0;
    for start in 0..5 {
        said = store(&folder).counter(clock + start).expect("a disk that works").end;
    }
    fs::remove_dir_all(folder.path().join(".faircast")).expect("ours");
    let first = store(&folder).counter(clock + 10 * second).expect("a disk that works").start;
    assert!(first >= said, "{first} is not above {said}, and all that it says is refused");
}

#[test]
fn requests_are_as_long_as_one_likes_and_about_what_is_missing() {
    let bytes = Draw::new(4).bytes(256 * 8 * 50);
    let (_from, mut offer) = offer_of(&[("a", &bytes)], 0, None);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    let sent = payloads(&mut offer);
    let block_of = |payload: &[u8]| SymbolId::decode(payload).map(|(id, _)| (id.object, id.block, id.symbol));
    // Of every block one symbol is lost, of every fifth a second one, of blocks 20 to 22 all; of 30 on nothing came.
    let lost = |payload: &[u8]| match block_of(payload) {
        Ok((1, block, symbol)) => {
            block >= 30 || (20..23).contains(&block) || symbol == 3 || (block % 5 == 0 && symbol == 6)
        }
        _ => false,
    };
    let came: Vec<Vec<u8>> = sent.iter().filter(|payload| !lost(payload)).cloned().collect();
    assert_eq!(take_all(&mut store, &came), []);
    let lines = |store: &mut Store, now, limit| {
        let request = store.request(now, limit).expect("a request");
        assert!(request.len() <= limit);
        Request::decode(&request).expect("ours")
    };
    let early = Duration::from_millis(500);
    let first = lines(&mut store, early, HEADER_BYTES + 4 * LINE_BYTES);
    assert_eq!(first.left, store.progress().left);
    let short: Vec<_> = first.lines.iter().map(|line| (line.block, line.blocks, line.lacks, line.seen)).collect();
    assert_eq!(short, [(0, 1, 2, 8), (1, 4, 1, 8), (5, 1, 2, 8), (6, 4, 1, 8)]);
    let second = lines(&mut store, early, 1000);
    assert_eq!(second.lines[0].block, 10, "it goes on where there was no room");
    assert!(second.lines.iter().any(|line| (line.block, line.blocks, line.lacks, line.seen) == (20, 3, 8, 0)));
    let end = |request: &Request| request.lines.last().map(|line| line.block + u32::from(line.blocks));
    assert_eq!(end(&second), Some(29), "block 29 may still be coming");
    let late = lines(&mut store, Duration::from_secs(2), 1000);
    assert_eq!((late.lines[0].block, end(&late)), (0, Some(50)), "nothing new for a second: all");
    assert!(store.request(early, HEADER_BYTES - 1).is_none());
}

#[test]
fn strangers_payloads_do_nothing_and_never_panic() {
    let bytes = Draw::new(5).bytes(256 * 8 * 3 + 5);
    let (_from, mut offer) = offer_of(&[("a", &bytes), ("b", b"")], 0, None);
    let sent = payloads(&mut offer);
    let mut draw = Draw::new(6);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    let roots = |store: &Store| store.salt();
    store.take(Duration::ZERO, None, &sent[0]).expect("a disk that works");
    for round in 0..20_000 {
        let mut payload = sent[draw.below(sent.len() as u64) as usize].clone();
        // Roots stay away: in an open session whoever writes one is believed.
        if payload[0] == ROOT || draw.chance(5) {
            payload = draw.bytes(40);
            payload[0] = draw.below(6) as u8;
        }
        for _ in 0..=draw.below(3) {
            let at = draw.below(payload.len().min(16) as u64) as usize;
            payload[at] = [0, 1, 2, 255, draw.below(256) as u8][draw.below(5) as usize];
        }
        payload.truncate(if draw.chance(20) { draw.below(300) as usize } else { usize::MAX });
        if payload.first() != Some(&ROOT) || Root::decode(&payload, None).is_err() {
            store.take(Duration::ZERO, None, &payload).expect("a disk that works");
        }
        if round % 100 == 0 {
            settle(&mut store);
            assert_eq!(roots(&store), Some(SALT));
        }
    }
    // What is right is taken as if nothing had been. Forged symbols were taken for right ones, blocks begin anew.
    for _ in 0..50 {
        take_all(&mut store, &sent);
        if store.complete() {
            break;
        }
    }
    assert!(store.complete());
    assert_eq!(fs::read(folder.path().join("a")).expect("ours"), bytes);
}

/// A repair symbol of the first file's only block.
fn repair(offer: &mut Offer, now: Duration) -> Vec<u8> {
    let line = crate::feedback::Line { object: 1, block: 0, blocks: 1, lacks: 1, seen: 0 };
    let request = Request { content: offer.content().tag(), left: 1, lines: vec![line] }.encode();
    offer.hear(now, 7, &request).expect("legal");
    loop {
        let mut payload = Vec::new();
        if offer.next_symbol(now + Duration::from_secs(1), &mut payload).expect("ours") == Sent::Repair {
            return payload;
        }
    }
}

#[test]
fn symbols_of_another_length_are_refused() {
    let (_from, mut offer) = offer_of(&[("a", &Draw::new(7).bytes(612))], 0, None);
    let mut sent = payloads(&mut offer);
    sent.push(repair(&mut offer, Duration::ZERO));
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    let symbols = sent.split_off(sent.len() - 4);
    take_all(&mut store, &sent);
    for symbol in symbols {
        let longer = [&symbol[..], &[0]].concat();
        for wrong in [&symbol[..symbol.len() - 1], &longer[..], &symbol[..symbol::HEADER_BYTES]] {
            let taken = store.take(Duration::ZERO, None, wrong).expect("a disk that works");
            assert!(matches!(taken, Taken::Malformed(_)), "{taken:?}");
        }
    }
    assert_eq!(store.progress().left, 3);
}

#[test]
fn what_forged_symbols_leave_behind_a_short_one_is_not_taken_for_its_end() {
    let bytes = Draw::new(8).bytes(612);
    let (_from, mut offer) = offer_of(&[("a", &bytes)], 0, None);
    let mut sent = payloads(&mut offer);
    let symbols = sent.split_off(sent.len() - 3);
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    take_all(&mut store, &sent);
    let mut forged = Vec::new();
    let id = SymbolId { content: offer.content().tag(), object: 1, block: 0, symbol: 9 };
    id.encode(&mut forged);
    forged.extend_from_slice(&[255; 256]);
    let mut take = |payload: &[u8]| store.take(Duration::ZERO, None, payload).expect("a disk that works");
    // The forged one lies where the last symbol, of 100 bytes, belongs.
    assert_eq!(
        [&symbols[0], &symbols[1], &forged].map(|payload| take(payload)),
        [Taken::Symbol, Taken::Symbol, Taken::Forged]
    );
    assert_eq!([&symbols[0], &symbols[2]].map(|payload| take(payload)), [Taken::Symbol, Taken::Symbol]);
    let mut taken = Taken::Symbol;
    // One repair symbol is nearly always enough.
    for second in 0..5 {
        if taken == Taken::Symbol {
            taken = take(&repair(&mut offer, Duration::from_secs(10 * second)));
        }
    }
    assert_eq!(taken, Taken::Block);
    settle(&mut store);
    assert_eq!(fs::read(folder.path().join("a")).expect("ours"), bytes);
}

#[test]
fn a_manifest_that_claims_too_much_is_refused_before_anything_is_written() {
    let geometry = Geometry::new(CUT, 1 << 40).expect("legal");
    let blocks = vec![[0; 32]; 8];
    let entry = Entry { name: FileName::new("huge").expect("legal"), geometry, hash: [0; 32], blocks };
    let bytes = Manifest::new(vec![entry]).expect("legal").encode();
    let index = Geometry::new(CUT, bytes.len() as u64).expect("legal");
    assert_eq!(index.blocks(), 1);
    let root = Root { cut: CUT, manifest_bytes: bytes.len() as u32, began: 0, salt: SALT, hashes: vec![hash(&bytes)] };
    let folder = testing::Folder::new();
    let mut store = store(&folder);
    assert_eq!(store.take(Duration::ZERO, None, &root.encode(None)), Ok(Taken::Root));
    let mut last = Taken::Known;
    for (symbol, piece) in (0u32..).zip(bytes.chunks(256)) {
        let mut payload = Vec::new();
        SymbolId { content: root.content().tag(), object: MANIFEST, block: 0, symbol }.encode(&mut payload);
        payload.extend_from_slice(piece);
        last = store.take(Duration::ZERO, None, &payload).expect("a disk that works");
    }
    assert!(matches!(last, Taken::Malformed(_)), "{last:?}");
    assert!(store.manifest().is_none());
}

#[test]
fn more_than_there_is_room_for_is_refused_at_once() {
    // 2^16 blocks of 8192 symbols of 65 000 bytes are 31 TiB, and 2 MiB of hashes.
    let cut = Cut { symbol_bytes: 65_000, block_symbols: 8192 };
    let geometry = Geometry::new(cut, 65_536 * 65_000 * 8192).expect("legal");
    let blocks = vec![[0; 32]; geometry.blocks() as usize];
    let entry = Entry { name: FileName::new("huge").expect("legal"), geometry, hash: [0; 32], blocks };
    let folder = testing::Folder::new();
    let work = Folder::open(folder.path()).expect("ours").inner("work").expect("ours");
    let manifest = Manifest::new(vec![entry]).expect("legal");
    let opened =
        Content::open(Duration::ZERO, &Folder::open(folder.path()).expect("ours"), work, manifest, Existing::Keep);
    let sentence = opened.err().expect("no disk is so large").to_string();
    assert!(sentence.contains("has room for") && sentence.contains("make room and start again"), "{sentence}");
}
