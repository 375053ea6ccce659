//! What a session may carry: files, or a stream. What packets, seals and drivers have to do with it is the same.

use faircast_deliver::feedback::Request;
use faircast_deliver::keys::Salt;
use faircast_deliver::offer::{Heard, Sent};
use faircast_deliver::root::{ROOT, Root};
use faircast_deliver::store::Taken;
use faircast_deliver::stream::head::{HEAD, Head};
use faircast_deliver::stream::{Receiver, Sender, period};
use faircast_deliver::symbol::SymbolId;
use faircast_deliver::{Failure, Malformed, Offer, Store};
use std::ops::Range;
use std::time::Duration;

/// The sender's side.
pub trait Outbound {
    /// Appends the next payload, or nothing.
    fn next_symbol(&mut self, now: Duration, out: &mut Vec<u8>) -> Result<Sent, Failure>;
    /// Appends what a packet of a higher layer carries, or nothing; `group` is its group in the session, not 0.
    fn next_above(&mut self, now: Duration, group: u32, out: &mut Vec<u8>) -> Result<Sent, Failure>;
    /// Takes back what was given out last and could not be sent: a symbol, or what is signed.
    fn put_back(&mut self, symbol: Option<SymbolId>);
    /// Hears what a receiver says.
    fn hear(&mut self, now: Duration, receiver: u64, message: &[u8]) -> Result<Heard, Malformed>;
    /// When there is something to be sent: `now`, or later.
    fn next_at(&mut self, now: Duration) -> Duration;
}

/// A receiver's side.
pub trait Inbound {
    /// The first byte of what is signed, with which a session begins.
    const BEGINS: u8;
    /// Whether a payload is what is signed of something else that sessions carry.
    fn is_other(payload: &[u8]) -> bool;
    /// Takes a payload.
    fn take(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Result<Taken, Failure>;
    /// The salt of the session that is taken part in.
    fn salt(&self) -> Option<Salt>;
    /// Numbers of messages from this one on.
    fn reserve(&self, first: u64) -> Result<Range<u64>, Failure>;
    /// Whether symbols are those of what is received, and not of what says what that is.
    fn is_known(&self) -> bool;
    /// What is to be said to the sender, in at most `limit` bytes, and whether something is asked for in it. What has
    /// come is safe then.
    fn says(&mut self, now: Duration, limit: usize) -> Result<Option<(Vec<u8>, bool)>, Failure>;
    /// How often something is said, on average.
    fn period(&self) -> Duration;
    /// Whether the first thing that is to be said in a session is said at once, though nothing is asked for.
    const IS_SAID_AT_ONCE: bool;
}

/// How often a receiver asks, on average, unless it knows better; what an [`Offer`] takes a round for by default.
const PERIOD: Duration = Duration::from_secs(1);

impl Outbound for Offer {
    fn next_symbol(&mut self, now: Duration, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        self.next_symbol(now, out)
    }

    fn next_above(&mut self, _now: Duration, group: u32, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        self.next_above(group, out)
    }

    fn put_back(&mut self, symbol: Option<SymbolId>) {
        self.put_back(symbol);
    }

    fn hear(&mut self, now: Duration, receiver: u64, message: &[u8]) -> Result<Heard, Malformed> {
        self.hear(now, receiver, message)
    }

    fn next_at(&mut self, now: Duration) -> Duration {
        Offer::next_at(self, now)
    }
}

impl Outbound for Sender {
    fn next_symbol(&mut self, now: Duration, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        Ok(self.next_symbol(now, out))
    }

    /// A stream has one group ([`Agreed::check_one_group`](crate::agreed::Agreed::check_one_group)).
    fn next_above(&mut self, now: Duration, _group: u32, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        Ok(self.next_symbol(now, out))
    }

    fn put_back(&mut self, symbol: Option<SymbolId>) {
        self.put_back(symbol);
    }

    fn hear(&mut self, now: Duration, receiver: u64, message: &[u8]) -> Result<Heard, Malformed> {
        self.hear(now, receiver, message)
    }

    fn next_at(&mut self, now: Duration) -> Duration {
        self.next_at(now)
    }
}

impl Inbound for Store {
    const BEGINS: u8 = ROOT;

    fn is_other(payload: &[u8]) -> bool {
        Head::decode(payload, None).is_ok()
    }

    fn take(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Result<Taken, Failure> {
        self.take(now, salt, payload)
    }

    fn salt(&self) -> Option<Salt> {
        self.salt()
    }

    fn reserve(&self, first: u64) -> Result<Range<u64>, Failure> {
        self.reserve(first)
    }

    fn is_known(&self) -> bool {
        self.manifest().is_some()
    }

    fn says(&mut self, now: Duration, limit: usize) -> Result<Option<(Vec<u8>, bool)>, Failure> {
        self.flush()?;
        Ok(self.request(now, limit).map(|request| {
            let asks = Request::decode(&request).is_ok_and(|request| !request.lines.is_empty());
            (request, asks)
        }))
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    const IS_SAID_AT_ONCE: bool = false;
}

/// It has no folder: numbers of messages are those of the clock, and are written down nowhere.
impl Inbound for Receiver {
    const BEGINS: u8 = HEAD;

    fn is_other(payload: &[u8]) -> bool {
        Root::decode(payload, None).is_ok()
    }

    fn take(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Result<Taken, Failure> {
        Ok(self.take(now, salt, payload))
    }

    fn salt(&self) -> Option<Salt> {
        self.salt()
    }

    fn reserve(&self, first: u64) -> Result<Range<u64>, Failure> {
        Ok(first..u64::MAX)
    }

    fn is_known(&self) -> bool {
        true
    }

    fn says(&mut self, now: Duration, limit: usize) -> Result<Option<(Vec<u8>, bool)>, Failure> {
        Ok(self.standing(now, limit))
    }

    fn period(&self) -> Duration {
        self.delay().map_or(PERIOD, period)
    }

    const IS_SAID_AT_ONCE: bool = true;
}
