//! Sender and receivers over a network in memory: what arrives, whatever is lost, killed, forged or late.

use crate::failure::{Failure, Malformed};
use crate::geometry::Cut;
use crate::keys::testing::keys;
use crate::keys::{ReceiverKeys, ReceiverSession, SenderKeys, SenderSession};
use crate::manifest::hash;
use crate::offer::{Offer, Sent, Settings};
use crate::source::gather;
use crate::store::{self, Event, Store, Taken, fuse};
use crate::testing::{Draw, Folder};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A message as a driver makes it: its own header, then the payload.
const HEADER: &[u8] = b"header of congestion control";
const CUT: Cut = Cut { symbol_bytes: 512, block_symbols: 64 };
/// A packet each 100 µs.
const GAP: Duration = Duration::from_micros(100);

/// A sender with its folder.
struct Sender {
    folder: Folder,
    keys: Option<SenderKeys>,
    session: SenderSession,
    offer: Offer,
}

/// A receiver with its folder; while it is not running it has no store.
struct Receiver {
    folder: Folder,
    keys: Option<ReceiverKeys>,
    session: ReceiverSession,
    store: Option<Store>,
    next_request: Duration,
    /// Loss in percent.
    loss: u64,
    files: usize,
}

fn settings() -> Settings {
    let milliseconds = Duration::from_millis;
    Settings {
        cut: CUT,
        gather: milliseconds(20),
        round: milliseconds(60),
        beacon: milliseconds(50),
        ..Settings::default()
    }
}

fn receiver_settings() -> store::Settings {
    store::Settings { quiet: Duration::from_millis(40), ..store::Settings::default() }
}

impl Sender {
    fn new(files: &[(&str, Vec<u8>)], keys: Option<SenderKeys>, settings: Settings) -> Sender {
        let folder = Folder::new();
        files.iter().for_each(|(name, bytes)| drop(folder.write(name, bytes)));
        let session = SenderSession::start(keys.as_ref()).expect("random numbers");
        let offer = Sender::offer(folder.path(), &session, settings).expect("files to send");
        Sender { folder, keys, session, offer }
    }

    fn offer(folder: &Path, session: &SenderSession, settings: Settings) -> Result<Offer, Failure> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).expect("ours").map(|entry| entry.expect("ours").path()).collect();
        files.sort();
        Offer::new(gather(&files)?, settings, session.salt(), session.signer(), &mut |_| true)
    }

    /// A killed sender that is started again: another salt, the same files.
    fn restart(&mut self, settings: Settings) {
        self.session = SenderSession::start(self.keys.as_ref()).expect("random numbers");
        self.offer = Sender::offer(self.folder.path(), &self.session, settings).expect("files to send");
    }

    fn send(&mut self, now: Duration) -> (Sent, Vec<u8>) {
        let mut message = HEADER.to_vec();
        let sent = self.offer.next_symbol(now, &mut message).expect("files that stay");
        if sent != Sent::Nothing {
            self.session.seal(&mut message, HEADER.len()).expect("numbers are left");
        }
        (sent, message)
    }

    /// A packet of a higher layer.
    fn send_above(&mut self, group: u32) -> (Sent, Vec<u8>) {
        let mut message = HEADER.to_vec();
        let sent = self.offer.next_above(group, &mut message).expect("files that stay");
        self.session.seal(&mut message, HEADER.len()).expect("numbers are left");
        (sent, message)
    }

    fn hear(&mut self, now: Duration, id: u64, message: &[u8]) -> Result<(), Malformed> {
        let verified = self.session.verify(message)?;
        let id = verified.receiver.map_or(id, u64::from);
        self.offer.hear(now, id, verified.message).map(|_| ())
    }
}

impl Receiver {
    fn new(keys: Option<&ReceiverKeys>, loss: u64) -> Receiver {
        let folder = Folder::new();
        let session = ReceiverSession::new(keys, 0);
        let next_request = Duration::ZERO;
        let mut receiver = Receiver { folder, keys: keys.cloned(), session, store: None, next_request, loss, files: 0 };
        receiver.start();
        receiver
    }

    fn start(&mut self) {
        let verifier = ReceiverSession::new(self.keys.as_ref(), 0).verifier();
        let store = Store::open(self.folder.path(), receiver_settings(), verifier).expect("a folder of ours");
        self.session = ReceiverSession::new(self.keys.as_ref(), store.counter(0).expect("a folder of ours").start);
        self.store = Some(store);
    }

    /// What `kill -9` leaves: whatever is on the disk, and nothing of what is in memory.
    fn kill(&mut self) {
        self.store = None;
    }

    fn take(&mut self, now: Duration, message: &[u8]) -> Result<Option<Taken>, Failure> {
        let Some(store) = &mut self.store else { return Ok(None) };
        let mut message = message.to_vec();
        let Ok(opened) = self.session.open(&mut message, HEADER.len()) else { return Ok(None) };
        store.take(now, opened.salt, opened.payload).map(Some)
    }

    /// What a driver does between packets; a request if it is time for one.
    fn work(&mut self, now: Duration) -> Result<Option<Vec<u8>>, Failure> {
        let Some(store) = &mut self.store else { return Ok(None) };
        while store_event(store, &mut self.files)? {}
        if now < self.next_request {
            return Ok(None);
        }
        self.next_request = now + Duration::from_millis(30);
        store.flush()?;
        let Some(mut message) = store.request(now, 400) else { return Ok(None) };
        if let Some(salt) = store.salt() {
            self.session.mac(salt, &mut message);
        }
        Ok(Some(message))
    }

    fn complete(&self) -> bool {
        self.store.as_ref().is_some_and(Store::complete)
    }
}

fn store_event(store: &mut Store, files: &mut usize) -> Result<bool, Failure> {
    let event = store.proceed()?;
    *files += usize::from(matches!(event, Event::File(_)));
    Ok(event != Event::Nothing)
}

/// Files of all kinds of lengths around the borders of symbols and blocks.
fn files(draw: &mut Draw) -> Vec<(&'static str, Vec<u8>)> {
    let block = 512 * 64;
    [
        ("empty", 0),
        ("one", 1),
        ("folder/symbol", 512),
        ("folder/more", 513),
        ("folder/deep/block", block),
        ("over", block + 1),
        ("film", 40 * block + 12_345),
    ]
    .map(|(name, length)| (name, draw.bytes(length)))
    .to_vec()
}

fn assert_same(receiver: &Receiver, files: &[(&str, Vec<u8>)], who: &str) {
    for (name, bytes) in files {
        let got = fs::read(receiver.folder.path().join(name)).unwrap_or_else(|error| panic!("{who}, {name}: {error}"));
        assert_eq!(hash(&got), hash(bytes), "{who}, {name}");
    }
    let left: Vec<_> = fs::read_dir(receiver.folder.path().join(".faircast"))
        .expect("ours")
        .map(|entry| entry.expect("ours").file_name())
        .filter(|name| !["lock", "counter", "latest"].contains(&name.to_str().unwrap_or_default()))
        .collect();
    assert!(left.is_empty(), "{who} leaves {left:?}");
}

#[test]
fn ten_receivers_with_losses_two_of_them_killed_and_one_late() {
    for seed in 0..2 {
        let mut draw = Draw::new(seed);
        let files = files(&mut draw);
        let (sender_keys, receiver_keys) = keys(10);
        let mut sender = Sender::new(&files, Some(sender_keys), settings());
        let mut receivers: Vec<Receiver> = receiver_keys.iter().map(|keys| Receiver::new(Some(keys), 1)).collect();
        receivers[9].kill();
        let mut now = Duration::ZERO;
        let mut repair = 0;
        let mut sources = 0;
        for step in 0u32.. {
            assert!(step < 100_000, "seed {seed}: it never ends");
            now += GAP;
            match step {
                1000 => receivers[3].kill(),
                1500 => receivers[3].start(),
                // In the last third, amid repair.
                2600 => receivers[4].kill(),
                2700 => receivers[4].start(),
                2000 => receivers[9].start(),
                _ => {}
            }
            let (sent, message) = sender.send(now);
            repair += u32::from(sent == Sent::Repair);
            sources += u32::from(sent == Sent::Source);
            for (index, receiver) in receivers.iter_mut().enumerate() {
                if sent != Sent::Nothing && !draw.chance(receiver.loss) {
                    receiver.take(now, &message).expect("a disk that works");
                }
                let request = receiver.work(now).expect("a disk that works");
                if let Some(request) = request.filter(|_| !draw.chance(1)) {
                    sender.hear(now, index as u64, &request).expect("a request of ours");
                }
            }
            if sender.offer.finished(now, 10) {
                break;
            }
        }
        for (index, receiver) in receivers.iter().enumerate() {
            assert!(receiver.complete(), "seed {seed}: receiver {index} is not done");
            assert_same(receiver, &files, &format!("seed {seed}, receiver {index}"));
        }
        assert_eq!(u64::from(sources), sender.offer.manifest().symbols(), "source symbols go out once");
        // The late one needs half of all once more, and each loss is repaired for all at once.
        assert!(u64::from(repair) < sender.offer.manifest().symbols() * 9 / 10, "{repair} symbols of repair");
        let known: u64 = sender.offer.roster().receivers().map(|(id, _)| id).sum();
        assert_eq!(known, (1..=10).sum(), "ids are those of the keys");
    }
}

/// One sender and one receiver until it is complete; how many packets that took.
fn until_complete(
    sender: &mut Sender,
    receiver: &mut Receiver,
    draw: &mut Draw,
    now: &mut Duration,
) -> Result<u32, Failure> {
    for step in 0..200_000 {
        *now += GAP;
        let (sent, message) = sender.send(*now);
        if sent != Sent::Nothing && !draw.chance(receiver.loss) {
            receiver.take(*now, &message)?;
        }
        if let Some(request) = receiver.work(*now)? {
            sender.hear(*now, 1, &request).expect("a request of ours");
        }
        if receiver.complete() {
            return Ok(step);
        }
    }
    panic!("it never ends");
}

#[test]
fn a_kill_before_or_within_any_change_of_the_disk_loses_nothing() {
    let mut draw = Draw::new(7);
    let files = vec![("a", draw.bytes(512 * 64 * 2 + 100)), ("b/c", draw.bytes(3000)), ("e", vec![])];
    let mut kills = 0;
    for every in 0.. {
        let mut sender = Sender::new(&files, None, settings());
        let mut receiver = Receiver::new(None, 20);
        let mut now = Duration::ZERO;
        fuse::light(Some((every, ErrorKind::Interrupted)));
        let first = until_complete(&mut sender, &mut receiver, &mut draw, &mut now);
        receiver.kill();
        fuse::light(None);
        if first.is_err() {
            receiver.start();
            until_complete(&mut sender, &mut receiver, &mut draw, &mut now).expect("a disk that works");
            let spoilt = receiver.store.as_ref().map(|store| store.progress().forged);
            assert_eq!(spoilt, Some(0), "kill {every}: what had come was of no use any more");
            kills += 1;
        }
        assert_same(&receiver, &files, &format!("kill {every}"));
        if first.is_ok() {
            break;
        }
    }
    assert!(kills > 50, "{kills} kills");
}

#[test]
fn what_has_come_before_a_kill_is_not_sent_again() {
    let mut draw = Draw::new(3);
    let files = vec![("film", draw.bytes(512 * 64 * 20))];
    let mut sender = Sender::new(&files, None, settings());
    let mut receiver = Receiver::new(None, 0);
    let mut now = Duration::ZERO;
    while receiver.store.as_ref().is_some_and(|store| store.progress().left != 300) {
        now += GAP;
        let (sent, message) = sender.send(now);
        if sent != Sent::Nothing {
            receiver.take(now, &message).expect("a disk that works");
        }
    }
    receiver.store.as_mut().expect("it runs").flush().expect("a disk that works");
    receiver.kill();
    receiver.start();
    // The sender has gone on a little: what the receiver lacks is what it was not there for, and no more.
    (0..50).for_each(|_| drop(sender.send(now)));
    let mut repair = 0;
    for _ in 0..5000 {
        now += GAP;
        let (sent, message) = sender.send(now);
        repair += u32::from(sent == Sent::Repair);
        if sent != Sent::Nothing {
            receiver.take(now, &message).expect("a disk that works");
        }
        if let Some(request) = receiver.work(now).expect("a disk that works") {
            sender.hear(now, 1, &request).expect("a request of ours");
        }
    }
    assert!(receiver.complete());
    assert_same(&receiver, &files, "the receiver");
    assert!((30..330).contains(&repair), "{repair} symbols were sent again");
}

#[test]
fn a_sender_that_is_started_again_is_followed() {
    let mut draw = Draw::new(4);
    let files = vec![("film", draw.bytes(512 * 64 * 10 + 7))];
    let (sender_keys, receiver_keys) = keys(1);
    let mut sender = Sender::new(&files, Some(sender_keys), settings());
    let mut receiver = Receiver::new(Some(&receiver_keys[0]), 5);
    let mut now = Duration::ZERO;
    for _ in 0..400 {
        now += GAP;
        let (_, message) = sender.send(now);
        receiver.take(now, &message).expect("a disk that works");
    }
    let left = receiver.store.as_ref().map(|store| store.progress().left).expect("it runs");
    let of_before = sender.send(now).1;
    sender.restart(Settings { began: 5, ..settings() });
    let steps = until_complete(&mut sender, &mut receiver, &mut draw, &mut now).expect("a disk that works");
    assert!(left < 300 && u64::from(steps) < 2000, "{left} were left, and it took {steps} packets");
    assert_same(&receiver, &files, "the receiver");
    let taken = receiver.take(now, &of_before).expect("a disk that works");
    assert_eq!(taken, Some(Taken::Known), "what is late does no harm");
}

#[test]
fn blind_senders_reach_those_who_cannot_answer() {
    let mut draw = Draw::new(5);
    let files = vec![("film", draw.bytes(512 * 64 * 4 + 7)), ("small", draw.bytes(70))];
    let mut sender = Sender::new(&files, None, Settings { blind: true, ..settings() });
    let mut receiver = Receiver::new(None, 10);
    let mut now = Duration::ZERO;
    let mut packets = 0;
    while !receiver.complete() {
        now += GAP;
        packets += 1;
        assert!(packets < 2000, "it takes too long");
        let (sent, message) = sender.send(now);
        assert_ne!(sent, Sent::Nothing);
        if !draw.chance(receiver.loss) {
            receiver.take(now, &message).expect("a disk that works");
        }
        receiver.work(now).expect("a disk that works");
    }
    assert_same(&receiver, &files, "the receiver");
}

#[test]
fn the_lowest_layer_alone_is_enough_and_higher_ones_are_quicker() {
    // Of twenty packets one is of the lowest layer, one of the next, and 18 of others that hardly anybody holds.
    const LAYERS: u64 = 20;
    let mut draw = Draw::new(9);
    let files = vec![("film", draw.bytes(512 * 64 * 30 + 7)), ("empty", vec![]), ("small", draw.bytes(70))];
    let mut sender = Sender::new(&files, None, settings());
    let held = [1, 2, LAYERS, 1];
    let mut receivers = [0, 0, 2, 5].map(|loss| Receiver::new(None, loss));
    let mut complete = [None; 4];
    let mut now = Duration::ZERO;
    let all = sender.offer.manifest().symbols();
    let mut of_lowest = 0;
    for step in 0u64.. {
        assert!(of_lowest < 2 * all, "it never ends: {complete:?}");
        now += GAP / LAYERS as u32;
        let layer = step % LAYERS;
        let (sent, message) = if layer == 0 { sender.send(now) } else { sender.send_above(layer as u32) };
        of_lowest += u64::from(layer == 0);
        assert!(layer == 0 || matches!(sent, Sent::Above | Sent::Nothing), "{sent:?}");
        for (n, receiver) in receivers.iter_mut().enumerate() {
            if layer < held[n] && sent != Sent::Nothing && !draw.chance(receiver.loss) {
                receiver.take(now, &message).expect("a disk that works");
            }
            if let Some(request) = receiver.work(now).expect("a disk that works") {
                sender.hear(now, n as u64, &request).expect("a request of ours");
            }
            if complete[n].is_none() && receiver.complete() {
                complete[n] = Some(of_lowest);
            }
        }
        if sender.offer.finished(now, 4) {
            break;
        }
    }
    receivers.iter().for_each(|receiver| assert_same(receiver, &files, "a receiver"));
    let [alone, two, everything, lossy] = complete.map(|lowest| lowest.expect("all are complete") as f64 / all as f64);
    // Beside the files there are roots and the manifest. Who loses a twentieth asks, and a round of that lasts as long
    // as 0.31 of all symbols. Who holds two layers has a half by each.
    assert!(alone < 1.1 && lossy < 1.1 / 0.95 + 0.31, "{alone} {lossy}");
    assert!((0.5..0.6).contains(&two), "{two}");
    // Twenty beginnings are a sixteenth apart, and what was lost comes by who began before.
    assert!(everything < 4.0 / 16.0, "{everything}");
    // When all have everything there is nothing to say in higher layers.
    assert_eq!(sender.send_above(1).0, Sent::Nothing);
}

#[test]
fn members_forge_symbols_in_vain() {
    let mut draw = Draw::new(6);
    let files = vec![("film", draw.bytes(512 * 64 * 3 + 7))];
    let mut sender = Sender::new(&files, None, settings());
    let mut receiver = Receiver::new(None, 3);
    let mut now = Duration::ZERO;
    let mut forged = 0;
    for step in 0.. {
        assert!(step < 200_000, "it never ends");
        now += GAP;
        let (sent, message) = sender.send(now);
        if sent != Sent::Nothing && !draw.chance(3) {
            if step < 300 && draw.chance(10) {
                let mut other = message.clone();
                let last = other.len() - 1;
                other[last] ^= 1;
                receiver.take(now, &other).expect("a disk that works");
                forged += 1;
            }
            receiver.take(now, &message).expect("a disk that works");
        }
        if let Some(request) = receiver.work(now).expect("a disk that works") {
            sender.hear(now, 1, &request).expect("a request of ours");
        }
        if receiver.complete() {
            break;
        }
    }
    assert!(forged > 10 && receiver.store.as_ref().is_some_and(|store| store.progress().forged > 0));
    assert_same(&receiver, &files, "the receiver");
}

#[test]
fn a_full_disk_is_one_sentence_and_what_has_come_is_kept() {
    let mut draw = Draw::new(8);
    let files = vec![("film", draw.bytes(512 * 64 * 3))];
    let mut sender = Sender::new(&files, None, settings());
    let mut receiver = Receiver::new(None, 10);
    let mut now = Duration::ZERO;
    for changes in [5, 9, 14, 22] {
        fuse::light(Some((changes, ErrorKind::StorageFull)));
        let failure = until_complete(&mut sender, &mut receiver, &mut draw, &mut now);
        fuse::light(None);
        if let Err(failure) = failure {
            let sentence = failure.to_string();
            assert!(sentence.contains("the disk is full; make room and start again"), "{sentence}");
            assert!(!sentence.contains('\n') && matches!(failure, Failure::Disk(_)));
        }
    }
    // The same process goes on when there is room again.
    until_complete(&mut sender, &mut receiver, &mut draw, &mut now).expect("a disk that works");
    assert_same(&receiver, &files, "the receiver");
}
