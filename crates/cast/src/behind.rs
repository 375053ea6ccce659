//! Who is left behind: what a sender says to them, and whom it names.

use faircast_deliver::keys::{Salt, SenderSession};
use faircast_deliver::left_behind::LeftBehind;
use faircast_proto::endpoint::{Event, EventSubject, RECEIVER_HEEDED, RECEIVER_LEFT_BEHIND};
use faircast_proto::packet::Address;
use faircast_proto::parts::left_behind::MOST;
use std::time::Duration;

/// How often they are asked to go: one that comes back is sent for no longer what its way may not stand.
const EVERY: Duration = Duration::from_secs(1);
/// For how long they are asked to go, at least and at most: what the others need may be known badly.
const AWAY: (Duration, Duration) = (Duration::from_secs(15), Duration::from_secs(300));

/// Who is left behind, as the sender knows it.
#[derive(Debug, Default)]
pub struct Behind {
    /// Who is now.
    pub now: Vec<Address>,
    /// Who ever was, in order.
    pub ever: Vec<Address>,
    /// Whom to ask to go, by the numbers of their keys, and for how long.
    asked: Vec<u32>,
    seconds: u32,
    /// When they are asked next, after how many packets that carry something else, and how often they were.
    next: Duration,
    wait: u32,
    number: u32,
}

/// So many packets at least go between two words, so that a slow session carries something else, too. A choice.
const BETWEEN: u32 = 16;

impl Behind {
    /// Something has happened in the endpoint.
    pub fn event(&mut self, event: &Event) {
        let EventSubject::Other(receiver) = event.subject else { return };
        if event.is(RECEIVER_LEFT_BEHIND) {
            self.now.push(receiver);
            if !self.ever.contains(&receiver) && self.ever.len() < MOST as usize {
                self.ever.push(receiver);
            }
        } else if event.is(RECEIVER_HEEDED) {
            self.now.retain(|other| *other != receiver);
        }
    }

    /// Asks `receivers` to go until others have everything, which takes them so long.
    pub fn asks(&mut self, receivers: Vec<u32>, others: Duration) {
        // Whose turn it is stays as it is while they are the same.
        let same = receivers.len() == self.asked.len() && receivers.iter().all(|one| self.asked.contains(one));
        if !same {
            self.asked = receivers;
        }
        self.seconds = others.clamp(AWAY.0, AWAY.1).as_secs() as u32;
    }

    /// Appends what they are asked by, if it is due and there is room. Whether it was.
    pub fn fill(&mut self, now: Duration, keys: &SenderSession, room: usize, into: &mut Vec<u8>) -> bool {
        self.wait = self.wait.saturating_sub(1);
        let is_due = !self.asked.is_empty() && now >= self.next && self.wait == 0;
        let Some(signer) = keys.signer().filter(|_| is_due) else { return false };
        let most = LeftBehind::room(room);
        if most == 0 {
            return false;
        }
        // Those for whom there is no room have the next turn.
        let mut receivers = self.asked.clone();
        receivers.truncate(most);
        let count = receivers.len();
        self.asked.rotate_left(count);
        (self.next, self.wait, self.number) = (now + EVERY, BETWEEN, self.number + 1);
        LeftBehind { salt: keys.salt(), number: self.number, seconds: self.seconds, receivers }.encode(signer, into);
        true
    }
}

/// What a receiver has heard of who is left behind.
#[derive(Debug, Default)]
pub struct Asked {
    /// The number of the last word, in the session with this salt.
    last: Option<(Salt, u32)>,
    /// For how long it is asked to go, if it is, and has not been told of it.
    away: Option<Duration>,
}

impl Asked {
    /// A word of the sender whose session is taken part in; `own` is the number of the receiver's key.
    pub fn hear(&mut self, word: &LeftBehind, own: Option<u32>) {
        if self.last.is_some_and(|(salt, number)| salt == word.salt && number >= word.number) {
            return;
        }
        self.last = Some((word.salt, word.number));
        if own.is_some_and(|own| word.receivers.contains(&own)) {
            // A sender says no more; whoever has stolen its key could say any.
            self.away = Some(Duration::from_secs(word.seconds.into()).min(AWAY.1));
        }
    }

    /// For how long it is asked to go, once.
    pub fn take(&mut self) -> Option<Duration> {
        self.away.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_deliver::keys::{ReceiverKeys, ReceiverSession, SenderKeys, make};
    use faircast_proto::endpoint::Cause;

    #[test]
    fn who_is_left_behind_is_asked_to_go_each_second_until_it_is_heeded() {
        let folder = std::env::temp_dir().join(format!("faircast-cast-behind-{}", std::process::id()));
        let written = make(&folder, 2, &mut || true).unwrap();
        let keys = SenderSession::start(Some(&SenderKeys::read(&written[0]).unwrap())).unwrap();
        let receiver = ReceiverSession::new(Some(&ReceiverKeys::read(&written[2]).unwrap()), 1);
        std::fs::remove_dir_all(&folder).unwrap();
        let mut behind = Behind::default();
        let [one, two] = [1, 2].map(Address::endpoint);
        let mut tell = |kind, who| behind.event(&Event::new(kind, Cause::Time).about(Some(who)));
        for (kind, who) in [(RECEIVER_LEFT_BEHIND, one), (RECEIVER_LEFT_BEHIND, two), (RECEIVER_HEEDED, two)] {
            tell(kind, who);
        }
        assert_eq!((&behind.now[..], &behind.ever[..]), (&[one][..], &[one, two][..]));
        let fill = |behind: &mut Behind, ms, room| {
            let mut bytes = Vec::new();
            let is_due = behind.fill(Duration::from_millis(ms), &keys, room, &mut bytes);
            assert_eq!(is_due, !bytes.is_empty());
            is_due.then(|| LeftBehind::decode(&bytes, &receiver.verifier().unwrap()).unwrap())
        };
        assert_eq!(fill(&mut behind, 0, 1000), None, "it is asked when the session says so");
        behind.asks(vec![2, 1], Duration::from_secs(3));
        assert_eq!(fill(&mut behind, 0, 91), None, "no room");
        let words = [(0, 1000), (999, 1000), (1000, 92), (2000, 95)].map(|(ms, room)| {
            // What the session says again does not change whose turn it is.
            behind.asks(vec![1, 2], Duration::from_secs(3));
            (0..BETWEEN - 1).for_each(|_| assert_eq!(fill(&mut behind, 0, 91), None));
            fill(&mut behind, ms, room)
        });
        assert_eq!(fill(&mut behind, 9000, 1000), None, "too few packets since");
        let word = |number, receivers: &[u32]| {
            Some(LeftBehind { salt: keys.salt(), number, seconds: 15, receivers: receivers.to_vec() })
        };
        assert_eq!(words, [word(1, &[2, 1]), None, word(2, &[2]), word(3, &[1])]);
        behind.asks(Vec::new(), Duration::ZERO);
        assert_eq!(fill(&mut behind, 9000, 1000), None);
    }

    #[test]
    fn a_receiver_does_what_the_newest_word_says() {
        let word = |salt, number, seconds| LeftBehind { salt: Salt([salt; 12]), number, seconds, receivers: vec![7] };
        let mut asked = Asked::default();
        let mut hear = |word, own| {
            asked.hear(&word, own);
            asked.take().map(|away| away.as_secs())
        };
        assert_eq!(hear(word(1, 5, 20), Some(7)), Some(20));
        assert_eq!(hear(word(1, 5, 20), Some(7)), None, "repeated");
        assert_eq!(hear(word(1, 4, 20), Some(7)), None);
        assert_eq!(hear(word(1, 6, 9999), Some(7)), Some(300));
        assert_eq!(hear(word(2, 1, 20), Some(7)), Some(20), "another session");
        assert_eq!(hear(word(2, 2, 20), Some(8)), None);
        assert_eq!(hear(word(2, 3, 20), None), None);
    }
}
