//! A probe's side: packets are looked at, and nothing of what they carry is kept.

use crate::limits::{Heard, Said, said};
use crate::repeats::Repeats;
use crate::results::Logged;
use crate::unread::HeardOf;
use faircast_deliver::keys::{ReceiverSession, Salt, Verifier};
use faircast_deliver::root::{ROOT, Root};
use faircast_deliver::stream::head::{HEAD, Head};
use faircast_deliver::symbol::SYMBOL;
use faircast_proto::endpoint::Event;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use faircast_wire::content::{Content, Refused};
use faircast_wire::event_log::EventLog;
use std::ops::Range;
use std::time::Duration;

/// Bytes of the number that a sealed packet ends with (`docs/wire-format.md`).
const NUMBER_BYTES: usize = 6;

/// What is seen of a session.
pub struct Watching {
    keys: ReceiverSession,
    verifier: Option<Verifier>,
    /// The session whose root has come, and when that began.
    session: Option<(Salt, u64)>,
    repeats: Repeats,
    /// The present moment, set before each turn.
    pub now: Duration,
    /// When the source was heard last.
    pub heard: Option<Duration>,
    /// A later session than the one that is driven has begun.
    pub is_renewed: bool,
    /// What the last packet said.
    pub said: Option<Said>,
    /// Who limits.
    pub limits: Heard,
    /// Packets that were not let through.
    pub refused: u64,
    /// What those were that could not be read.
    pub unread: HeardOf,
    /// What happened, for whoever writes it down.
    log: EventLog,
}

impl Watching {
    /// Nothing has been seen.
    pub fn new(keys: ReceiverSession, now: Duration) -> Watching {
        Watching {
            verifier: keys.verifier(),
            keys,
            session: None,
            repeats: Repeats::new(),
            now,
            heard: None,
            is_renewed: false,
            said: None,
            limits: Heard::default(),
            refused: 0,
            unread: HeardOf::default(),
            log: EventLog::default(),
        }
    }

    /// Lets packets of the session through whose root has come, each once. A root of an earlier one begins nothing.
    fn lets_through(&mut self, salt: Option<Salt>, payload: &[u8], number: u64) -> bool {
        let Some(salt) = salt else { return false };
        if self.session.is_none_or(|(known, _)| known != salt) {
            let signed = signed(payload, self.verifier.as_ref()).filter(|(of, _)| *of == salt);
            let Some((_, began)) = signed.filter(|(_, later)| self.session.is_none_or(|(_, began)| *later > began))
            else {
                return false;
            };
            self.is_renewed = self.session.is_some();
            self.session = Some((salt, began));
            self.repeats = Repeats::new();
        }
        self.repeats.is_new(self.now, number)
    }
}

impl Logged for Watching {
    fn log(&mut self) -> &mut EventLog {
        &mut self.log
    }
}

impl Content for Watching {
    fn take(&mut self, now: Instant, packet: &Packet, payload: &[u8]) {
        self.heard = Some(self.now);
        if let Some(kind) = payload.first() {
            // What is sealed begins with any byte.
            self.unread.unreadable += u64::from(![ROOT, SYMBOL, HEAD].contains(kind));
            self.unread.is_read |= signed(payload, None).is_some();
        }
        self.said = said(packet);
        self.limits.take(now, packet, self.said, &mut self.log);
    }

    fn event(&mut self, now: Instant, event: &Event) {
        self.log.note(now, event);
    }

    fn names(&mut self, id: Option<u64>) {
        self.limits.names(id);
    }

    /// Nothing is ever sent by whoever watches with keys; this says that messages are to be opened.
    fn seal_bytes(&self) -> usize {
        usize::from(self.verifier.is_some())
    }

    fn seal(&mut self, _message: &mut Vec<u8>, _payload_at: usize) -> Result<(), Refused> {
        if self.verifier.is_some() { Err(Refused) } else { Ok(()) }
    }

    fn open(&mut self, _id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        let number = message.last_chunk::<NUMBER_BYTES>().copied().unwrap_or_default();
        let number = number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let opened = self.keys.open(message, payload_at).map(|opened| (opened.salt, opened.payload.len()));
        self.unread.is_read |= opened.is_ok();
        self.unread.is_opened |= opened.is_ok();
        self.unread.unreadable += u64::from(opened.is_err());
        if let Ok((salt, length)) = opened {
            let payload = message[payload_at..payload_at + length].to_vec();
            if self.lets_through(salt, &payload, number) {
                return Ok(payload_at..payload_at + length);
            }
        }
        self.refused += 1;
        Err(Refused)
    }
}

/// The session that something signed begins, files or a stream, and when it began.
fn signed(payload: &[u8], verifier: Option<&Verifier>) -> Option<(Salt, u64)> {
    let root = || Root::decode(payload, verifier).ok().map(|root| (root.salt, root.began));
    root().or_else(|| Head::decode(payload, verifier).ok().map(|head| (head.salt, head.began)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_deliver::geometry::Cut;
    use faircast_deliver::keys::{ReceiverKeys, SenderKeys, SenderSession, make};

    #[test]
    fn packets_of_the_last_session_are_looked_at_once() {
        let folder = std::env::temp_dir().join(format!("faircast-cast-watching-{}", std::process::id()));
        let written = make(&folder, 1, &mut || true).unwrap();
        let (sender, receiver) = (SenderKeys::read(&written[0]).unwrap(), ReceiverKeys::read(&written[1]).unwrap());
        let mut content = Watching::new(ReceiverSession::new(Some(&receiver), 0), Duration::ZERO);
        let packets = |began| {
            let mut session = SenderSession::start(Some(&sender)).unwrap();
            let cut = Cut { symbol_bytes: 1144, block_symbols: 512 };
            let root = Root { cut, manifest_bytes: 9, began, salt: session.salt(), hashes: vec![[0; 32]] };
            [root.encode(session.signer()), b"symbol".to_vec()].map(|payload| {
                let mut message = [b"header|".as_slice(), &payload].concat();
                session.seal(&mut message, 7).unwrap();
                message
            })
        };
        let [[old, _], [root, symbol], [new, next]] = [5, 6, 7].map(packets);
        let mut is_let = |message: &Vec<u8>| {
            let is_let = content.open(9, &mut message.clone(), 7).is_ok();
            (is_let, std::mem::take(&mut content.is_renewed))
        };
        let expected = [(false, false), (true, false), (true, false), (false, false), (false, false), (true, true)];
        assert_eq!([&symbol, &root, &symbol, &symbol, &old, &new].map(&mut is_let), expected);
        assert_eq!([&next, &root].map(is_let), [(true, false), (false, false)]);
        assert_eq!(content.refused, 4);
        assert!(content.seal(&mut Vec::new(), 0).is_err(), "nothing is said in the name of the key's owner");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
