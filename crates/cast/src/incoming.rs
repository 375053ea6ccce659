//! A receiver's side: what data packets bring, seals, whose session it is.

use crate::carried::Inbound;
use crate::limits::{Heard, said};
use crate::repeats::Repeats;
use crate::results::Logged;
use crate::unread::HeardOf;
use faircast_deliver::Failure;
use faircast_deliver::keys::{MAC_BYTES, ReceiverSession, Salt};
use faircast_deliver::store::Taken;
use faircast_proto::endpoint::Event;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use faircast_wire::content::{Content, Refused};
use faircast_wire::event_log::EventLog;
use std::ops::Range;
use std::time::Duration;

/// Bytes of the number that a sealed packet ends with (`docs/wire-format.md`).
const NUMBER_BYTES: usize = 6;

/// Files or a stream that come in.
pub struct Incoming<I> {
    /// Where they go.
    pub store: I,
    /// The keys of this end, or none.
    pub keys: ReceiverSession,
    /// Up to which number its messages are written down as used; none without keys.
    pub reserved: Option<u64>,
    /// The present moment, set before each turn.
    pub now: Duration,
    /// When the source was heard last.
    pub heard: Option<Duration>,
    /// A later session than the one that is driven has begun.
    pub is_renewed: bool,
    /// Why the disk does not go on.
    pub failure: Option<Failure>,
    /// Packets that the group key opens, of a session whose root has not come, or of one that is over.
    pub early: u64,
    /// Payloads that are not what they should be.
    pub malformed: u64,
    /// Symbols that were missing and have come in this run.
    pub symbols: u64,
    /// What happened, for whoever writes it down.
    log: EventLog,
    /// Who limits, if that is written down.
    pub limits: Heard,
    /// What of the session has come.
    repeats: Repeats,
    /// Packets that had come before.
    pub repeated: u64,
    /// The salt of the packet opened last.
    salt: Option<Salt>,
    /// What is signed is not of what is received here.
    is_other: bool,
}

impl<I: Inbound> Incoming<I> {
    /// Nothing has come yet.
    pub fn new(store: I, keys: ReceiverSession, reserved: Option<u64>, now: Duration) -> Incoming<I> {
        Incoming {
            store,
            keys,
            reserved,
            now,
            heard: None,
            is_renewed: false,
            failure: None,
            early: 0,
            malformed: 0,
            symbols: 0,
            log: EventLog::default(),
            limits: Heard::default(),
            repeats: Repeats::new(),
            repeated: 0,
            salt: None,
            is_other: false,
        }
    }

    /// What has come of the group, `forged` packets that nobody with the key has sealed among it.
    pub fn heard_of(&self, forged: u64) -> HeardOf {
        let unreadable = if self.reserved.is_some() { forged } else { self.malformed };
        let is_read = self.store.salt().is_some();
        HeardOf { is_read, is_opened: is_read || self.early > 0, unreadable, is_other: self.is_other }
    }

    fn give(&mut self, payload: &[u8]) -> Option<Taken> {
        self.is_other |= I::is_other(payload);
        let is_known = self.store.is_known();
        match self.store.take(self.now, self.salt, payload) {
            Ok(taken) => {
                self.malformed += u64::from(matches!(taken, Taken::Malformed(_)));
                self.symbols += u64::from(is_known && matches!(taken, Taken::Symbol | Taken::Block));
                Some(taken)
            }
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }
}

impl<I> Logged for Incoming<I> {
    fn log(&mut self) -> &mut EventLog {
        &mut self.log
    }
}

impl<I: Inbound> Content for Incoming<I> {
    fn names(&mut self, id: Option<u64>) {
        self.limits.names(id);
    }

    fn take(&mut self, now: Instant, packet: &Packet, payload: &[u8]) {
        self.heard = Some(self.now);
        if self.log.is_wanted() {
            self.limits.take(now, packet, said(packet), &mut self.log);
        }
        if !payload.is_empty() && self.failure.is_none() {
            self.give(payload);
        }
    }

    fn event(&mut self, now: Instant, event: &Event) {
        self.log.note(now, event);
    }

    fn seal_bytes(&self) -> usize {
        if self.reserved.is_some() { MAC_BYTES } else { 0 }
    }

    fn seal(&mut self, message: &mut Vec<u8>, _payload_at: usize) -> Result<(), Refused> {
        let salt = self.store.salt().ok_or(Refused)?;
        if self.reserved.is_some_and(|end| self.keys.next() >= end) {
            match self.store.reserve(self.keys.next()) {
                Ok(numbers) => self.reserved = Some(numbers.end),
                Err(failure) => {
                    self.failure = Some(failure);
                    return Err(Refused);
                }
            }
        }
        self.keys.mac(salt, message);
        Ok(())
    }

    /// Packets of the session are let through whose root, or head, was taken. So before the first nothing is, and what
    /// was recorded of an earlier session never.
    fn open(&mut self, _id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        // Behind the tag and the salt; a packet with another number does not open.
        let number = message.last_chunk::<NUMBER_BYTES>().copied().unwrap_or_default();
        let number = number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let (salt, payload) = {
            let opened = self.keys.open(message, payload_at).map_err(|_| Refused)?;
            (opened.salt, opened.payload)
        };
        let length = payload.len();
        self.salt = salt;
        if self.store.salt() != salt {
            let before = self.store.salt();
            self.is_other |= I::is_other(payload);
            let is_root = payload.first() == Some(&I::BEGINS) && self.failure.is_none();
            if !is_root || self.give(payload) != Some(Taken::Root) {
                self.early += 1;
                return Err(Refused);
            }
            self.is_renewed = before.is_some();
            self.repeats = Repeats::new();
        }
        if !self.repeats.is_new(self.now, number) {
            self.repeated += 1;
            return Err(Refused);
        }
        Ok(payload_at..payload_at + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_deliver::keys::{ReceiverKeys, SenderKeys, SenderSession, make};
    use faircast_deliver::offer::{Offer, Settings};
    use faircast_deliver::{Store, source::gather, store};

    #[test]
    fn packets_are_let_through_behind_the_root_of_their_session() {
        let folder = std::env::temp_dir().join(format!("faircast-cast-renewed-{}", std::process::id()));
        let written = make(&folder, 1, &mut || true).unwrap();
        std::fs::write(folder.join("a"), [7; 5000]).unwrap();
        let (sender, receiver) = (SenderKeys::read(&written[0]).unwrap(), ReceiverKeys::read(&written[1]).unwrap());
        let keys = ReceiverSession::new(Some(&receiver), 1);
        let store = Store::open(&folder.join("r"), store::Settings::default(), keys.verifier()).unwrap();
        let mut content = Incoming::new(store, keys, Some(9), Duration::ZERO);
        let packets = |began| {
            let mut session = SenderSession::start(Some(&sender)).unwrap();
            let settings = Settings { began, ..Settings::default() };
            let files = gather(&[folder.join("a")]).unwrap();
            let mut offer = Offer::new(files, settings, session.salt(), session.signer(), &mut |_| true).unwrap();
            [0; 2].map(|_| {
                let mut message = b"header|".to_vec();
                offer.next_symbol(Duration::ZERO, &mut message).unwrap();
                session.seal(&mut message, 7).unwrap();
                message
            })
        };
        let [[old, _], [root, symbol], [new, next]] = [5, 6, 7].map(packets);
        // Before the first root a key that opens something is known not to be wrong.
        let mut early = Incoming::new(
            Store::open(&folder.join("e"), store::Settings::default(), None).unwrap(),
            ReceiverSession::new(Some(&receiver), 1),
            Some(9),
            Duration::ZERO,
        );
        assert_eq!((early.heard_of(9).is_read, early.heard_of(9).is_opened), (false, false));
        assert!(early.open(9, &mut symbol.clone(), 7).is_err());
        assert_eq!((early.heard_of(9).is_read, early.heard_of(9).is_opened), (false, true));
        let mut is_let = |message: &Vec<u8>| {
            let is_let = content.open(9, &mut message.clone(), 7).is_ok();
            (is_let, std::mem::take(&mut content.is_renewed))
        };
        let expected = [(false, false), (true, false), (true, false), (false, false), (true, true), (true, false)];
        assert_eq!([&symbol, &root, &symbol, &old, &new, &next].map(&mut is_let), expected);
        assert_eq!([&next, &new].map(&mut is_let), [(false, false); 2], "recorded and sent once more");
        assert_eq!([&root, &symbol].map(is_let), [(false, false); 2], "the session before");
        assert_eq!(content.early, 4, "sealed by the key, and not of the session");
        assert_eq!(content.repeated, 2);
        // Numbers from 1 on, of which those below 9 are written down as used: behind them come others.
        for _ in 0..20 {
            content.seal(&mut b"said".to_vec(), 0).unwrap();
        }
        assert!(content.keys.next() == 21 && content.reserved > Some(21), "{:?}", content.reserved);
        let above = content.store.counter(0).unwrap().start;
        assert!(above >= 21, "{above} has been used");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
