//! The loops of `send`, `receive` and `stream`, turn by turn, without what they print.

use crate::agreed::Agreed;
use crate::asking::Asking;
use crate::carried::{Inbound, Outbound};
use crate::following::{self, Following, Member};
use crate::incoming::Incoming;
use crate::others::Others;
use crate::outgoing::Outgoing;
use crate::results::{Of, Results};
use crate::told;
use crate::turns::{instant, time};
use faircast_deliver::geometry::Cut;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession, Salt, SenderKeys, SenderSession};
use faircast_deliver::offer::{self, Offer};
use faircast_deliver::source::gather;
use faircast_deliver::store::{self, Event, Store};
use faircast_deliver::stream::{self, Receiver, Sender};
use faircast_proto::endpoint::ENDLESS;
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock as _;
use faircast_wire::network::Network as _;
use faircast_wire::testing::{Port, TestClock, Turns};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of what a receiver says at most, as the commands have it.
const MESSAGE_BYTES: usize = 600;
/// How often a receiver of files asks, on average.
const PERIOD: Duration = Duration::from_secs(1);

/// What a sender has to do beside packets.
pub trait Offered: Outbound {
    /// When there is something to be sent.
    fn due(&mut self, now: Duration) -> Duration;
}

impl Offered for Offer {
    fn due(&mut self, now: Duration) -> Duration {
        self.next_at(now)
    }
}

/// A sender.
pub struct Sending<O> {
    /// Its driver.
    pub driver: told::Source<O>,
    /// What comes from standard input, and when each byte of it is there.
    input: Vec<u8>,
    pushed: usize,
    bytes_per_s: f64,
    began: Option<Duration>,
    granted: bool,
}

impl Offered for Sender {
    fn due(&mut self, now: Duration) -> Duration {
        self.next_at(now)
    }
}

/// A sender of the files below a folder.
pub fn files(agreed: &Agreed, id: u64, keys: Option<&SenderKeys>, paths: &[PathBuf]) -> Sending<Offer> {
    let session = SenderSession::start(keys).unwrap();
    let cut = Cut { symbol_bytes: agreed.symbol_bytes, block_symbols: 512 };
    let settings = offer::Settings { cut, silent: Duration::from_secs(60), ..offer::Settings::default() };
    let files = gather(paths).unwrap();
    let offer = Offer::new(files, settings, session.salt(), session.signer(), &mut |_| true).unwrap();
    Sending::new(agreed, id, Outgoing::new(offer, session, keys.is_some(), Duration::ZERO))
}

/// A sender of a stream of these bytes, which come at a rate; `began` tells its sessions apart.
pub fn stream(
    agreed: &Agreed,
    id: u64,
    keys: Option<&SenderKeys>,
    (input, bps): (&[u8], f64),
    began: u64,
) -> Sending<Sender> {
    let session = SenderSession::start(keys).unwrap();
    let cut = Cut { symbol_bytes: agreed.symbol_bytes, block_symbols: 512 };
    let settings = stream::Settings::new(cut, began, Duration::from_secs(5));
    let sender = Sender::new(settings, session.salt(), keys.map(SenderKeys::signer)).unwrap();
    let sending = Sending::new(agreed, id, Outgoing::new(sender, session, keys.is_some(), Duration::ZERO));
    Sending { input: input.to_vec(), bytes_per_s: bps / 8.0, ..sending }
}

impl<O: Outbound> Sending<O> {
    fn new(agreed: &Agreed, id: u64, content: Outgoing<O>) -> Sending<O> {
        let driver = agreed.session.source(id, agreed.groups, content).unwrap();
        Sending { driver, input: Vec::new(), pushed: 0, bytes_per_s: 0.0, began: None, granted: true }
    }
}

impl<O: Offered> Sending<O> {
    fn grants(&mut self, now: Duration, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        let due = self.driver.content_mut().offer.due(now);
        if (due <= now) != self.granted {
            self.granted = due <= now;
            self.driver.grant(if self.granted { ENDLESS } else { 0 }, clock, port);
        }
        (!self.granted).then(|| instant(due))
    }
}

impl Turns for Sending<Offer> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        self.driver.content_mut().now = time(clock.now());
        self.driver.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        let now = time(clock.now());
        self.driver.content_mut().now = now;
        let own = self.grants(now, clock, port);
        let due = self.driver.turn(clock, port);
        assert!(self.driver.content().failure.is_none());
        due.into_iter().chain(own).min()
    }
}

impl Turns for Sending<Sender> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        let now = time(clock.now());
        self.driver.content_mut().now = now;
        self.began = Some(now);
        self.driver.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        let now = time(clock.now());
        self.driver.content_mut().now = now;
        let passed = now - self.began.unwrap_or(now);
        let there = ((passed.as_secs_f64() * self.bytes_per_s) as usize).min(self.input.len());
        let sender = &mut self.driver.content_mut().offer;
        let taken = sender.wants().min(there - self.pushed);
        if taken > 0 {
            sender.push(now, &self.input[self.pushed..self.pushed + taken]);
            self.pushed += taken;
        } else if self.pushed == self.input.len() && !sender.is_over() {
            sender.end(now);
        }
        let own = self.grants(now, clock, port);
        let due = self.driver.turn(clock, port);
        // Bytes come every few milliseconds.
        let reads = (self.pushed < self.input.len()).then(|| instant(now + Duration::from_millis(5)));
        due.into_iter().chain(own).chain(reads).min()
    }
}

/// What a receiver has to do beside packets.
pub trait Taking: Inbound {
    /// Works on what has come, and appends what can be read.
    fn works(&mut self, now: Duration, output: &mut Vec<u8>);
    /// What is to be said, and whether something is asked for in it.
    fn says(&mut self, now: Duration) -> Option<(Vec<u8>, bool)>;
    /// When something is to be given up.
    fn gives_up(&self) -> Option<Duration>;
    /// Whether all has come.
    fn is_whole(&self) -> bool;
    /// How often it asks.
    fn period(&self) -> Duration;
    /// Whether the first thing that it has to say of a session is said at once.
    const IS_SAID_AT_ONCE: bool;
}

impl Taking for Store {
    fn works(&mut self, _: Duration, _: &mut Vec<u8>) {
        while !matches!(self.proceed().unwrap(), Event::Nothing | Event::All) {}
    }

    fn says(&mut self, now: Duration) -> Option<(Vec<u8>, bool)> {
        self.flush().unwrap();
        let request = self.request(now, MESSAGE_BYTES)?;
        let wants = faircast_deliver::feedback::Request::decode(&request).is_ok_and(|of| !of.lines.is_empty());
        Some((request, wants))
    }

    fn gives_up(&self) -> Option<Duration> {
        None
    }

    fn is_whole(&self) -> bool {
        self.complete()
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    const IS_SAID_AT_ONCE: bool = false;
}

impl Taking for Receiver {
    fn works(&mut self, now: Duration, output: &mut Vec<u8>) {
        while let Some(bytes) = self.read(now) {
            output.extend(bytes);
        }
    }

    fn says(&mut self, now: Duration) -> Option<(Vec<u8>, bool)> {
        self.standing(now, MESSAGE_BYTES)
    }

    fn gives_up(&self) -> Option<Duration> {
        self.due()
    }

    fn is_whole(&self) -> bool {
        self.complete()
    }

    fn period(&self) -> Duration {
        self.delay().map_or(PERIOD, stream::period)
    }

    const IS_SAID_AT_ONCE: bool = true;
}

/// A receiver.
pub struct Receiving<'a, I> {
    driver: Option<Member<I>>,
    following: Following<'a>,
    results: Results,
    asking: Asking,
    /// The session to which something was said.
    spoken: Option<Salt>,
    others: Others,
    /// What it says of others that send.
    pub said: Vec<String>,
    /// What has come out of a stream.
    pub output: Vec<u8>,
    /// It has said that it has everything, and has ended.
    pub is_over: bool,
}

/// A receiver of files into a folder.
pub fn into_folder<'a>(
    agreed: &'a Agreed,
    id: u64,
    keys: Option<&ReceiverKeys>,
    folder: &Path,
) -> Receiving<'a, Store> {
    let verifier = ReceiverSession::new(keys, 0).verifier();
    let store = Store::open(folder, store::Settings::default(), verifier).unwrap();
    let numbers = store.counter(0).unwrap();
    let session = ReceiverSession::new(keys, numbers.start);
    let content = Incoming::new(store, session, keys.is_some().then_some(numbers.end), Duration::ZERO);
    Receiving::new(agreed, keys.map_or(id, |keys| keys.id().into()), None, content)
}

/// A receiver of a stream, of the host `source` alone if that is said.
pub fn of_stream<'a>(
    agreed: &'a Agreed,
    id: u64,
    keys: Option<&ReceiverKeys>,
    source: Option<IpAddr>,
) -> Receiving<'a, Receiver> {
    let session = ReceiverSession::new(keys, 1);
    let receiver = Receiver::new(session.verifier());
    let content = Incoming::new(receiver, session, keys.is_some().then_some(u64::MAX), Duration::ZERO);
    Receiving::new(agreed, keys.map_or(id, |keys| keys.id().into()), source, content)
}

impl<'a, I: Inbound> Receiving<'a, I> {
    fn new(agreed: &'a Agreed, id: u64, source: Option<IpAddr>, content: Incoming<I>) -> Receiving<'a, I> {
        let following = Following::new(agreed, id, source);
        let mut driver = following.member(content).unwrap();
        let of = Of { verb: "receive", who: "receiver", agreed, interface: "eth0" };
        let results = Results::open(None, &of, Instant::ZERO, &mut driver).unwrap();
        let asking = Asking::new(Duration::ZERO, id);
        let (driver, output, said, others) = (Some(driver), Vec::new(), Vec::new(), Others::default());
        Receiving { driver, following, results, asking, spoken: None, others, said, output, is_over: false }
    }

    /// Its driver.
    pub fn driver(&self) -> &Member<I> {
        self.driver.as_ref().expect("it is taken for a moment only")
    }
}

impl<I: Taking> Turns for Receiving<'_, I> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        let driver = self.driver.as_mut().expect("it is taken for a moment only");
        driver.content_mut().now = time(clock.now());
        self.following.start(driver, clock, port).unwrap();
        self.asking.next = time(clock.now());
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        if self.is_over {
            // Nobody is there any more to take it.
            while port.receive(&mut |_| ()) {}
            return None;
        }
        let now = time(clock.now());
        let mut driver = self.driver.take().expect("it is taken for a moment only");
        let content = driver.content_mut();
        content.now = now;
        content.store.works(now, &mut self.output);
        if now >= self.asking.next {
            self.asking.turns();
            if I::IS_SAID_AT_ONCE && content.store.salt() != self.spoken {
                self.spoken = content.store.salt();
                self.asking.begins();
            }
            let is_whole = content.store.is_whole();
            if is_whole && self.asking.has_said_farewell() {
                driver.stop(clock, port);
                self.is_over = true;
                self.driver = Some(driver);
                return None;
            }
            let period = content.store.period();
            if let Some((message, asks)) = content.store.says(now)
                && self.asking.says(is_whole, asks, period)
            {
                driver.say(&message, clock, port);
            }
            self.asking.waits(now, is_whole, period);
        }
        let due = driver.turn(clock, port);
        let content = driver.content_mut();
        assert!(content.failure.is_none());
        content.store.works(now, &mut self.output);
        // What is due is given up when that is past: on hosts time goes on by itself.
        let past = now + Duration::from_micros(1);
        let own =
            content.store.gives_up().into_iter().chain([self.asking.next]).min().map(|own| instant(own.max(past)));
        let driver = self.following.follow(driver, now, &mut self.results, clock, port).unwrap();
        self.said.extend(following::others(&mut self.others, now, &driver));
        // Behind another source it begins anew.
        let due = if due == driver.deadline() { due } else { driver.deadline() };
        self.driver = Some(driver);
        due.into_iter().chain(own).min()
    }
}
