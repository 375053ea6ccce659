//! Senders and receivers of files and streams, turn by turn, as `send`, `receive` and `stream` let them take their
//! turns.

use crate::agreed::Agreed;
use crate::carried::{Inbound, Outbound};
use crate::incoming::Incoming;
use crate::outgoing::Outgoing;
use crate::receiving::{self, Who};
use crate::results::{Of, Results};
use crate::sending;
use crate::testing::AHEAD;
use crate::told;
use crate::turns::{instant, time};
use faircast_deliver::geometry::Cut;
use faircast_deliver::keys::{ReceiverKeys, ReceiverSession, SenderKeys, SenderSession};
use faircast_deliver::offer::{self, Offer};
use faircast_deliver::source::gather;
use faircast_deliver::store::{self, Event, Store};
use faircast_deliver::stream::{self, Receiver, Sender};
use faircast_proto::time::Instant;
use faircast_wire::clock::Clock as _;
use faircast_wire::network::Network as _;
use faircast_wire::testing::{Port, TestClock, Turns};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// When a test begins, by the clocks of its hosts.
const BEGAN: Duration = Duration::from_nanos(AHEAD.0);

/// A sender.
pub struct Sending<O> {
    of: sending::Sending<O>,
    /// What comes from standard input, and when each byte of it is there.
    input: Vec<u8>,
    pushed: usize,
    bytes_per_s: f64,
    began: Option<Duration>,
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
        let of = sending::Sending::new(agreed.session.source(id, agreed.groups, content).unwrap());
        Sending { of, input: Vec::new(), pushed: 0, bytes_per_s: 0.0, began: None }
    }

    /// Its driver.
    pub fn driver(&self) -> &told::Source<O> {
        &self.of.driver
    }
}

impl Turns for Sending<Offer> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        self.of.begin_turn(time(clock.now()));
        self.of.driver.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        let now = time(clock.now());
        self.of.begin_turn(now);
        let own = self.of.grant(now, clock, port);
        let due = self.of.driver.turn(clock, port);
        assert!(self.of.driver.content().failure.is_none());
        due.into_iter().chain(own).min()
    }
}

impl Turns for Sending<Sender> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        let now = time(clock.now());
        self.of.begin_turn(now);
        self.began = Some(now);
        self.of.driver.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        let now = time(clock.now());
        self.of.begin_turn(now);
        let passed = now - self.began.unwrap_or(now);
        let there = ((passed.as_secs_f64() * self.bytes_per_s) as usize).min(self.input.len());
        let sender = &mut self.of.driver.content_mut().offer;
        let taken = sender.wants().min(there - self.pushed);
        if taken > 0 {
            sender.push(now, &self.input[self.pushed..self.pushed + taken]);
            self.pushed += taken;
        } else if self.pushed == self.input.len() && !sender.is_over() {
            sender.end(now);
        }
        let own = self.of.grant(now, clock, port);
        let due = self.of.driver.turn(clock, port);
        // Bytes come every few milliseconds.
        let reads = (self.pushed < self.input.len()).then(|| instant(now + Duration::from_millis(5)));
        due.into_iter().chain(own).chain(reads).min()
    }
}

/// What a receiver does with what has come.
pub trait Taking: Inbound {
    /// Works on it, and appends what can be read.
    fn works(&mut self, now: Duration, output: &mut Vec<u8>);
    /// When something is to be given up.
    fn gives_up(&self) -> Option<Duration>;
    /// Whether all has come.
    fn is_whole(&self) -> bool;
}

impl Taking for Store {
    fn works(&mut self, _: Duration, _: &mut Vec<u8>) {
        while !matches!(self.proceed().unwrap(), Event::Nothing | Event::All) {}
    }

    fn gives_up(&self) -> Option<Duration> {
        None
    }

    fn is_whole(&self) -> bool {
        self.complete()
    }
}

impl Taking for Receiver {
    fn works(&mut self, now: Duration, output: &mut Vec<u8>) {
        while let Some(bytes) = self.read(now) {
            output.extend(bytes);
        }
    }

    fn gives_up(&self) -> Option<Duration> {
        self.due()
    }

    fn is_whole(&self) -> bool {
        self.complete()
    }
}

/// A receiver.
pub struct Receiving<'a, I> {
    /// None for a moment while it follows another source.
    of: Option<receiving::Receiving<'a, I>>,
    results: Results,
    /// What its user is told.
    pub said: Vec<String>,
    /// So long without a word, and it would have given up, had it been asked to.
    pub patience: Duration,
    /// It would have.
    pub gives_up: bool,
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
    let content = Incoming::new(store, session, keys.is_some().then_some(numbers.end), BEGAN);
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
    let content = Incoming::new(receiver, session, keys.is_some().then_some(u64::MAX), BEGAN);
    Receiving::new(agreed, keys.map_or(id, |keys| keys.id().into()), source, content)
}

impl<'a, I: Inbound> Receiving<'a, I> {
    fn new(agreed: &'a Agreed, id: u64, source: Option<IpAddr>, content: Incoming<I>) -> Receiving<'a, I> {
        let keys = content.reserved.map(|_| "receiver.key");
        let mut of = receiving::Receiving::new(agreed, Who { id, source, keys }, content).unwrap();
        let session = Of { verb: "receive", who: "receiver", agreed, interface: "eth0" };
        let results = Results::open(None, &session, Instant::ZERO, &mut of.driver).unwrap();
        Receiving {
            of: Some(of),
            results,
            said: Vec::new(),
            patience: Duration::MAX,
            gives_up: false,
            output: Vec::new(),
            is_over: false,
        }
    }

    /// What takes the turns.
    pub fn of(&self) -> &receiving::Receiving<'a, I> {
        self.of.as_ref().expect("it is taken for a moment only")
    }
}

impl<I: Taking> Turns for Receiving<'_, I> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        let of = self.of.as_mut().expect("it is taken for a moment only");
        of.begin_turn(time(clock.now()));
        of.start(clock, port).unwrap();
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        if self.is_over {
            // Nobody is there any more to take it.
            while port.receive(&mut |_| ()) {}
            return None;
        }
        let now = time(clock.now());
        let mut of = self.of.take().expect("it is taken for a moment only");
        of.begin_turn(now);
        let store = &mut of.driver.content_mut().store;
        store.works(now, &mut self.output);
        let is_whole = store.is_whole();
        if of.speak(now, is_whole, clock, port).unwrap() {
            of.driver.stop(clock, port);
            self.is_over = true;
            self.of = Some(of);
            return None;
        }
        let due = of.driver.turn(clock, port);
        of.driver.content_mut().store.works(now, &mut self.output);
        let mut of = of.follow(now, &mut self.results, clock, port).unwrap();
        self.said.extend(of.remarks(now));
        self.gives_up |= of.is_silent_for(self.patience, now);
        // What is due is given up when that is past: on hosts time goes on by itself.
        let past = now + Duration::from_micros(1);
        let own = of.driver.content().store.gives_up().into_iter().chain([of.speaks_at()]).min();
        let own = own.map(|own| instant(own.max(past)));
        // Behind another source it begins anew.
        let due = if due == of.driver.deadline() { due } else { of.driver.deadline() };
        self.of = Some(of);
        due.into_iter().chain(own).min()
    }
}
