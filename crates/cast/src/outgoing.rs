//! The sender's side: what data packets carry, seals, what receivers say.

use crate::carried::Outbound;
use crate::limits::{Limit, after};
use crate::results::Logged;
use faircast_deliver::Failure;
use faircast_deliver::keys::{MAC_BYTES, SEALED_BYTES, SenderSession};
use faircast_deliver::offer::Sent;
use faircast_deliver::symbol::SymbolId;
use faircast_proto::endpoint::{Event, EventSubject, RECEIVER_EXCLUDED};
use faircast_proto::packet::{Address, Packet};
use faircast_proto::time::Instant;
use faircast_wire::content::{Content, Refused};
use faircast_wire::event_log::EventLog;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

/// Files or a stream that go out.
pub struct Outgoing<O> {
    /// What is sent.
    pub offer: O,
    /// The keys of this end, or none.
    pub keys: SenderSession,
    /// Whether there are any.
    pub is_keyed: bool,
    /// The present moment, set before each turn.
    pub now: Duration,
    /// When somebody who lacks something was heard, or something was sent for the first time while there was somebody
    /// to be sent to, or nobody had been heard yet.
    pub active: Duration,
    /// When a receiver was heard last.
    heard: Option<Duration>,
    /// Why a file cannot be sent any more.
    pub failure: Option<Failure>,
    /// What of feedback was refused: of another content, of nobody's.
    pub refused: u64,
    /// Who asked for more than it can need.
    pub greedy: Option<u64>,
    /// Who limits, if somebody does.
    pub limit: Option<Limit>,
    /// Who has reported less than `exclude_below` and was not heeded, the first [`MOST_EXCLUDED`] of them.
    pub excluded: Vec<Address>,
    /// Symbols sent for the first time, and because somebody asked.
    pub sent: (u64, u64),
    /// What happened, for whoever writes it down.
    log: EventLog,
    /// What was given out last, for what could not be sent.
    given: VecDeque<Given>,
}

/// What a packet was given: a symbol, or what is signed.
struct Given {
    to: Address,
    number: Option<u64>,
    at: Instant,
    what: Option<SymbolId>,
}

/// More packets than a driver sends at once.
const MOST_GIVEN: usize = 512;

/// Receivers speak each 5 s even where nothing lacks: after two of these times without a word nobody is there.
const GONE: Duration = Duration::from_secs(10);

/// How many are named that are not heeded.
const MOST_EXCLUDED: usize = 16;

impl<O> Outgoing<O> {
    /// Nothing has been sent yet.
    pub fn new(offer: O, keys: SenderSession, is_keyed: bool, now: Duration) -> Outgoing<O> {
        Outgoing {
            offer,
            keys,
            is_keyed,
            now,
            active: now,
            heard: None,
            failure: None,
            refused: 0,
            greedy: None,
            limit: None,
            excluded: Vec::new(),
            sent: (0, 0),
            log: EventLog::default(),
            given: VecDeque::with_capacity(MOST_GIVEN),
        }
    }

    fn remember(&mut self, packet: &Packet, what: Option<SymbolId>) {
        if self.given.len() == MOST_GIVEN {
            self.given.pop_front();
        }
        let (to, number, at) = (packet.destination, packet.header.number(), packet.sent);
        self.given.push_back(Given { to, number, at, what });
    }
}

impl<O> Logged for Outgoing<O> {
    fn log(&mut self) -> &mut EventLog {
        &mut self.log
    }
}

impl<O: Outbound> Content for Outgoing<O> {
    fn fill(&mut self, packet: &Packet, room: usize, into: &mut Vec<u8>) {
        let start = into.len();
        // Every receiver holds the first group, which is the lowest layer where there are some.
        let group = packet.destination.index() as u32;
        let sent = match group {
            0 => self.offer.next_symbol(self.now, into),
            _ => self.offer.next_above(self.now, group, into),
        };
        if !matches!(sent, Ok(Sent::Nothing | Sent::Above) | Err(_)) {
            self.remember(packet, SymbolId::decode(&into[start..]).ok().map(|(id, _)| id));
        }
        match sent {
            Ok(Sent::Source) => {
                if self.heard.is_none_or(|heard| self.now.saturating_sub(heard) < GONE) {
                    self.active = self.now;
                }
                self.sent.0 += 1;
            }
            Ok(Sent::Repair) => self.sent.1 += 1,
            Ok(_) => {}
            Err(failure) => self.failure = Some(failure),
        }
        debug_assert!(into.len() - start <= room, "symbols are as long as there is room");
    }

    /// It goes with the next packet, so that nobody has to ask for it.
    fn not_sent(&mut self, packet: &Packet) {
        let (to, number, at) = (packet.destination, packet.header.number(), packet.sent);
        let is_it = |given: &Given| (given.to, given.number, given.at) == (to, number, at);
        if let Some(given) = self.given.iter().rposition(is_it).and_then(|place| self.given.remove(place)) {
            self.offer.put_back(given.what);
        }
    }

    fn hear(&mut self, _now: Instant, id: u64, said: &[u8]) {
        match self.offer.hear(self.now, id, said) {
            Ok(heard) => {
                self.heard = Some(self.now);
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

    fn event(&mut self, now: Instant, event: &Event) {
        self.limit = after(self.limit, event);
        if event.is(RECEIVER_EXCLUDED)
            && let EventSubject::Other(receiver) = event.subject
            && !self.excluded.contains(&receiver)
            && self.excluded.len() < MOST_EXCLUDED
        {
            self.excluded.push(receiver);
        }
        self.log.note(now, event);
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
    use faircast_deliver::Offer;
    use faircast_deliver::keys::{ReceiverKeys, ReceiverSession, Salt, SenderKeys, make};
    use faircast_deliver::offer::Settings;
    use faircast_deliver::root::ROOT;
    use faircast_deliver::source::gather;
    use faircast_proto::packet::{Ecn, FlowId, Header, INITIAL_TTL};
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("faircast-cast-{name}-{}", std::process::id()))
    }

    /// A sender with keys for two receivers, and what the receivers say with them.
    fn keyed(name: &str) -> (Outgoing<Offer>, Vec<ReceiverSession>) {
        let folder = folder(name);
        let written = make(&folder, 2, &mut || true).unwrap();
        std::fs::write(folder.join("a"), [7; 5000]).unwrap();
        let keys = SenderSession::start(Some(&SenderKeys::read(&written[0]).unwrap())).unwrap();
        let files = gather(&[folder.join("a")]).unwrap();
        let offer = Offer::new(files, Settings::default(), keys.salt(), keys.signer(), &mut |_| true).unwrap();
        let speakers =
            written[1..].iter().map(|path| ReceiverSession::new(Some(&ReceiverKeys::read(path).unwrap()), 1)).collect();
        (Outgoing::new(offer, keys, true, Duration::ZERO), speakers)
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
        std::fs::remove_dir_all(folder("speaks")).unwrap();
    }

    /// What a packet with this number to this group gets, without the symbol.
    fn fill_of(content: &mut Outgoing<Offer>, group: u32, sequence: u64) -> (Packet, Vec<u8>) {
        let packet = Packet {
            sent: Instant(sequence),
            flow: FlowId(0),
            source: Address::endpoint(0),
            destination: Address::group(group),
            size: 1280,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Datagram { sequence },
        };
        let mut payload = Vec::new();
        content.fill(&packet, 1200, &mut payload);
        payload.truncate(16);
        (packet, payload)
    }

    #[test]
    fn what_all_need_goes_by_the_lowest_layer_whatever_others_carry() {
        let (mut content, _) = keyed("layers");
        let symbol = |payload: &[u8]| SymbolId::decode(payload).map(|(id, _)| (id.object, id.symbol)).ok();
        let mut lowest = Vec::new();
        for n in 0..20 {
            lowest.push(fill_of(&mut content, 0, n).1);
            let (packet, payload) = fill_of(&mut content, 1, n);
            // Five symbols from the middle on, then repair, as long as the pass lasts, which has a root, four symbols
            // of the manifest and a root before them. None that is not sent comes again.
            let expected = if n < 5 { (2 + n as u32) % 5 } else { (1 << 23) + n as u32 - 5 };
            assert_eq!(symbol(&payload), (n < 10).then_some((1, expected)));
            content.not_sent(&packet);
        }
        assert_eq!(lowest[0][0], ROOT);
        let files = lowest.iter().filter_map(|payload| symbol(payload)).filter(|(object, _)| *object > 0);
        assert_eq!(files.collect::<Vec<_>>(), (0..5).map(|n| (1, n)).collect::<Vec<_>>());
        assert_eq!(content.sent, (5, 0));
        std::fs::remove_dir_all(folder("layers")).unwrap();
    }

    #[test]
    fn who_is_not_heeded_is_remembered_once() {
        use faircast_proto::endpoint::Cause;
        let (mut content, _) = keyed("excluded");
        let told = [3, 2, 3].map(Address::endpoint).into_iter().chain((100..200).map(Address::endpoint));
        for receiver in told {
            content.event(Instant(0), &Event::change(RECEIVER_EXCLUDED, 1e6, 1e3, Cause::Time).about(Some(receiver)));
        }
        assert_eq!((&content.excluded[..2], content.excluded.len()), (&[3, 2].map(Address::endpoint)[..], 16));
        std::fs::remove_dir_all(folder("excluded")).unwrap();
    }

    #[test]
    fn new_symbols_for_nobody_do_not_count_as_activity() {
        use faircast_deliver::feedback::Request;
        let (mut content, _) = keyed("nobody");
        let symbol = |content: &mut Outgoing<Offer>, second| {
            content.now = Duration::from_secs(second);
            let before = content.sent.0;
            (0..20).find(|n| {
                fill_of(content, 0, 100 * second + n);
                content.sent.0 > before
            });
            assert!(content.sent.0 > before);
            content.active.as_secs()
        };
        assert_eq!(symbol(&mut content, 30), 30, "nobody has been heard yet");
        let said = Request { content: content.offer.content().tag(), left: 5, lines: Vec::new() }.encode();
        content.hear(Instant(0), 1, &said);
        assert_eq!(symbol(&mut content, 39), 39, "somebody is there");
        assert_eq!(symbol(&mut content, 41), 39, "who was there is gone");
        assert_eq!(symbol(&mut content, 60), 39);
        content.hear(Instant(0), 1, &said);
        assert_eq!(content.active.as_secs(), 60);
        std::fs::remove_dir_all(folder("nobody")).unwrap();
    }

    #[test]
    fn what_could_not_be_sent_goes_with_the_next_packets() {
        let (mut content, _) = keyed("unsent");
        let fill = |content: &mut Outgoing<Offer>, sequence| fill_of(content, 0, sequence);
        let first: Vec<_> = (0..4).map(|number| fill(&mut content, number)).collect();
        assert_eq!(first[0].1[0], ROOT);
        // Those have gone, these three have not; the last of them comes back first.
        let lost: Vec<_> = (4..7).map(|number| fill(&mut content, number)).collect();
        lost.iter().rev().for_each(|(packet, _)| content.not_sent(packet));
        let sent = content.sent;
        let again: Vec<_> = (7..10).map(|number| fill(&mut content, number).1).collect();
        let lost: Vec<_> = lost.into_iter().map(|(_, payload)| payload).collect();
        // The root among them goes before symbols.
        assert_eq!(again, [lost[1].clone(), lost[0].clone(), lost[2].clone()]);
        assert_eq!(content.sent, sent, "counted once");
        content.not_sent(&first[0].0);
        assert_eq!(fill(&mut content, 11).1[0], ROOT);
        content.now = Duration::from_secs(50);
        let (packet, _) = fill(&mut content, 12);
        content.not_sent(&packet);
        let active = content.active;
        content.now = Duration::from_secs(99);
        fill(&mut content, 13);
        assert_eq!(content.active, active, "an interface that is down for ever ends the patience");
        std::fs::remove_dir_all(folder("unsent")).unwrap();
    }
}
