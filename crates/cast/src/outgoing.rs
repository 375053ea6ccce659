//! The sender's side: what data packets carry, seals, what receivers say.

use faircast_deliver::keys::{MAC_BYTES, SEALED_BYTES, SenderSession};
use faircast_deliver::offer::Sent;
use faircast_deliver::{Failure, Offer};
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use faircast_wire::content::{Content, Refused};
use std::ops::Range;
use std::time::Duration;

/// Files that go out.
pub struct Outgoing {
    /// What is sent.
    pub offer: Offer,
    /// The keys of this end, or none.
    pub keys: SenderSession,
    /// Whether there are any.
    pub is_keyed: bool,
    /// The present moment, set before each turn.
    pub now: Duration,
    /// When something was sent for the first time, or somebody who lacks something was heard.
    pub active: Duration,
    /// Why a file cannot be sent any more.
    pub failure: Option<Failure>,
    /// What of feedback was refused: of another content, of nobody's.
    pub refused: u64,
    /// Who asked for more than it can need.
    pub greedy: Option<u64>,
    /// Symbols sent for the first time, and because somebody asked.
    pub sent: (u64, u64),
}

impl Content for Outgoing {
    fn fill(&mut self, _packet: &Packet, room: usize, into: &mut Vec<u8>) {
        let start = into.len();
        match self.offer.next_symbol(self.now, into) {
            Ok(Sent::Source) => {
                self.active = self.now;
                self.sent.0 += 1;
            }
            Ok(Sent::Repair) => self.sent.1 += 1,
            Ok(_) => {}
            Err(failure) => self.failure = Some(failure),
        }
        debug_assert!(into.len() - start <= room, "symbols are as long as there is room");
    }

    fn hear(&mut self, _now: Instant, id: u64, said: &[u8]) {
        match self.offer.hear(self.now, id, said) {
            Ok(heard) => {
                if !heard.complete {
                    self.active = self.now;
                }
                if heard.greedy {
                    self.greedy = Some(id);
                }
            }
            Err(_) => self.refused += 1,
        }
    }

    fn is_padded(&self) -> bool {
        false
    }

    fn seal_bytes(&self) -> usize {
        if self.is_keyed { SEALED_BYTES } else { 0 }
    }

    fn seal(&mut self, message: &mut Vec<u8>, payload_at: usize) -> Result<(), Refused> {
        self.keys.seal(message, payload_at).map_err(|_| Refused)
    }

    /// Whoever has a key speaks by its number, so that nobody makes up others.
    fn open(&mut self, id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        let verified = self.keys.verify(message).map_err(|_| Refused)?;
        if verified.receiver.map(u64::from) != Some(id) || message.len() < payload_at + MAC_BYTES {
            return Err(Refused);
        }
        Ok(payload_at..message.len() - MAC_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_deliver::keys::{ReceiverKeys, ReceiverSession, Salt, SenderKeys, make};
    use faircast_deliver::offer::Settings;
    use faircast_deliver::source::gather;

    /// A sender with keys for two receivers, and what the receivers say with them.
    fn keyed(name: &str) -> (Outgoing, Vec<ReceiverSession>) {
        let folder = std::env::temp_dir().join(format!("faircast-cast-{name}-{}", std::process::id()));
        let written = make(&folder, 2).unwrap();
        std::fs::write(folder.join("a"), [7; 5000]).unwrap();
        let keys = SenderSession::start(Some(&SenderKeys::read(&written[0]).unwrap())).unwrap();
        let files = gather(&[folder.join("a")]).unwrap();
        let offer = Offer::new(files, Settings::default(), keys.salt(), keys.signer(), &mut |_| {}).unwrap();
        let speakers =
            written[1..].iter().map(|path| ReceiverSession::new(Some(&ReceiverKeys::read(path).unwrap()), 1)).collect();
        std::fs::remove_dir_all(&folder).unwrap();
        let content = Outgoing {
            offer,
            keys,
            is_keyed: true,
            now: Duration::ZERO,
            active: Duration::ZERO,
            failure: None,
            refused: 0,
            greedy: None,
            sent: (0, 0),
        };
        (content, speakers)
    }

    #[test]
    fn a_receiver_speaks_for_itself_alone() {
        let (mut content, mut speakers) = keyed("speaks");
        let salt = content.keys.salt();
        let mut said = |receiver: usize, salt: Salt| {
            let mut message = b"header|said".to_vec();
            speakers[receiver].mac(salt, &mut message);
            message
        };
        let [mut first, mut second] = [said(0, salt), said(1, salt)];
        assert_eq!(content.open(1, &mut first.clone(), 7), Ok(7..11));
        assert_eq!(content.open(1, &mut first, 7), Err(Refused), "heard before");
        assert_eq!(content.open(1, &mut second, 7), Err(Refused), "the second as the first");
        assert_eq!(content.open(2, &mut said(1, Salt([1; 12])), 7), Err(Refused), "another session");
        let mut changed = said(1, salt);
        changed[9] ^= 1;
        assert_eq!(content.open(2, &mut changed, 7), Err(Refused));
        assert_eq!(content.open(2, &mut said(1, salt), 12), Err(Refused), "it ends before its payload");
        assert_eq!(content.open(2, &mut said(1, salt), 7), Ok(7..11));
    }
}
