//! A stream over a network in memory, in virtual time: both ends, and what lies between.

use super::{Receiver, Sender, Settings, Tally};
use crate::geometry::Cut;
use crate::keys::{ReceiverKeys, ReceiverSession, SenderKeys, SenderSession};
use crate::offer::Sent;
use crate::store::Taken;
use crate::stream::period;
use crate::testing::Draw;
use std::collections::VecDeque;
use std::time::Duration;

/// A message as a driver makes it: its own header, then the payload.
pub(super) const HEADER: &[u8] = b"header of congestion control";
const CUT: Cut = Cut { symbol_bytes: 512, block_symbols: 64 };
/// A packet each millisecond: 4 Mbit/s.
pub(super) const GAP: Duration = Duration::from_millis(1);
pub(super) const DELAY: Duration = Duration::from_secs(2);

/// A sender, and the input that it has not been given yet.
pub(super) struct Sending {
    pub(super) session: SenderSession,
    pub(super) sender: Sender,
    pub(super) input: VecDeque<u8>,
    /// Bytes of the input that there are with each packet; none: as many as are wanted.
    pub(super) rate: Option<usize>,
    pub(super) sent: u64,
}

/// A receiver, and what has come out.
pub(super) struct Receiving {
    pub(super) session: ReceiverSession,
    pub(super) receiver: Receiver,
    pub(super) output: Vec<u8>,
    pub(super) next: Duration,
    /// Loss in percent, of what comes and of what it says.
    pub(super) loss: u64,
    /// Packets that wait in the network, each with the packet behind which it comes.
    pub(super) late: Vec<(u64, Vec<u8>)>,
    /// Percent of packets that are overtaken, and that come twice.
    pub(super) disorder: u64,
    /// Whether somebody reads.
    pub(super) is_read: bool,
}

pub(super) fn settings() -> Settings {
    Settings { silent: Duration::from_secs(5), ..Settings::new(CUT, 0, DELAY) }
}

impl Sending {
    pub(super) fn new(keys: Option<&SenderKeys>, settings: Settings, input: &[u8], rate: Option<usize>) -> Sending {
        let session = SenderSession::start(keys).expect("random numbers");
        let sender = Sender::new(settings, session.salt(), keys.map(SenderKeys::signer)).expect("legal");
        Sending { session, sender, input: input.iter().copied().collect(), rate, sent: 0 }
    }

    /// What the input has, and a packet.
    pub(super) fn send(&mut self, now: Duration) -> Option<(Sent, Vec<u8>)> {
        let takes = self.sender.wants().min(self.rate.unwrap_or(usize::MAX)).min(self.input.len());
        let bytes: Vec<u8> = self.input.drain(..takes).collect();
        if !bytes.is_empty() {
            self.sender.push(now, &bytes);
        }
        if self.input.is_empty() && self.rate != Some(0) {
            self.sender.end(now);
        }
        if self.sender.next_at(now) > now {
            return None;
        }
        let mut message = HEADER.to_vec();
        let sent = self.sender.next_symbol(now, &mut message);
        if sent == Sent::Nothing {
            return None;
        }
        assert!(message.len() <= HEADER.len() + 512 + 16, "{sent:?} has {} bytes", message.len());
        self.session.seal(&mut message, HEADER.len()).expect("numbers are left");
        self.sent += 1;
        Some((sent, message))
    }

    pub(super) fn hear(&mut self, now: Duration, id: u64, message: &[u8]) {
        let Ok(verified) = self.session.verify(message) else { return };
        // Another session's is refused.
        let _ = self.sender.hear(now, verified.receiver.map_or(id, u64::from), verified.message);
    }
}

impl Receiving {
    pub(super) fn new(keys: Option<&ReceiverKeys>, loss: u64) -> Receiving {
        let session = ReceiverSession::new(keys, 0);
        let receiver = Receiver::new(session.verifier());
        Receiving {
            session,
            receiver,
            output: Vec::new(),
            next: Duration::ZERO,
            loss,
            late: Vec::new(),
            disorder: 0,
            is_read: true,
        }
    }

    /// A packet goes to it, and comes, or comes later, or does not.
    pub(super) fn goes(&mut self, now: Duration, number: u64, message: &[u8], draw: &mut Draw) {
        if !draw.chance(self.loss) {
            if draw.chance(self.disorder) {
                self.late.push((number + 1 + draw.below(20), message.to_vec()));
            } else {
                self.comes(now, message);
            }
            if draw.chance(self.disorder) {
                self.comes(now, message);
            }
        }
        let due: Vec<_> = self.late.extract_if(.., |(behind, _)| *behind <= number).collect();
        for (_, message) in due {
            self.comes(now, &message);
        }
    }

    pub(super) fn comes(&mut self, now: Duration, message: &[u8]) -> Option<Taken> {
        let mut message = message.to_vec();
        let opened = self.session.open(&mut message, HEADER.len()).ok()?;
        Some(self.receiver.take(now, opened.salt, opened.payload))
    }

    /// What is read, and what it says if it is time for that.
    pub(super) fn says(&mut self, now: Duration) -> Option<Vec<u8>> {
        if !self.is_read {
            self.receiver.expire(now);
        }
        while let Some(bytes) = if self.is_read { self.receiver.read(now) } else { None } {
            self.output.extend(bytes);
        }
        if now < self.next {
            return None;
        }
        self.next = now + period(self.receiver.delay().unwrap_or(DELAY));
        let (mut message, _) = self.receiver.standing(now, 400)?;
        if let Some(salt) = self.receiver.salt() {
            self.session.mac(salt, &mut message);
        }
        Some(message)
    }

    pub(super) fn tally(&self) -> Tally {
        self.receiver.tally()
    }
}

/// Lets packets go until the sender has done or so many steps have passed; `each` is told of each step.
pub(super) fn run(
    sending: &mut Sending,
    receivers: &mut [Receiving],
    (draw, now): (&mut Draw, &mut Duration),
    steps: u32,
    mut each: impl FnMut(u32, &mut [Receiving]),
) -> bool {
    for step in 0..steps {
        *now += GAP;
        each(step, receivers);
        let packet = sending.send(*now);
        for (receiver, id) in receivers.iter_mut().zip(1..) {
            if let Some((_, message)) = &packet {
                receiver.goes(*now, sending.sent, message, draw);
            }
            if let Some(said) = receiver.says(*now).filter(|_| !draw.chance(receiver.loss)) {
                sending.hear(*now, id, &said);
            }
        }
        if sending.sender.finished(*now) {
            return true;
        }
    }
    false
}

/// Lets packets go until the sender has done, to one receiver: in each step the one that `passes` hands on.
pub(super) fn run_alone(
    sending: &mut Sending,
    receiver: &mut Receiving,
    draw: &mut Draw,
    mut passes: impl FnMut(u64, &mut Sending, Duration) -> Option<Vec<u8>>,
) -> bool {
    let mut now = Duration::ZERO;
    for step in 0..200_000 {
        now += GAP;
        if let Some(message) = passes(step, sending, now) {
            receiver.goes(now, sending.sent, &message, draw);
        }
        if let Some(said) = receiver.says(now) {
            sending.hear(now, 1, &said);
        }
        if sending.sender.finished(now) {
            return true;
        }
    }
    false
}

/// Whether what came out is the input without what is said to be missing; so many bytes came.
pub(super) fn assert_is_part_of(input: &[u8], receiver: &Receiving, who: &str) {
    let Tally { bytes, lost, unread, left_out, missed, gaps, .. } = receiver.tally();
    assert_eq!(bytes as usize, receiver.output.len(), "{who}");
    assert_eq!(bytes + lost + left_out + missed, input.len() as u64, "{who}: {:?}", receiver.tally());
    assert!(unread <= lost && (gaps > 0) == (lost + left_out > 0), "{who}: {:?}", receiver.tally());
    // Blocks of random bytes are found where they are, and in order.
    let (mut at, mut from) = (missed as usize, 0);
    let mut jumps = 0;
    while from < receiver.output.len() {
        let same = receiver.output[from..].iter().zip(&input[at..]).take_while(|(a, b)| a == b).count();
        (from, at) = (from + same, at + same);
        if from < receiver.output.len() {
            jumps += 1;
            let next = &receiver.output[from..(from + 16).min(receiver.output.len())];
            let found = input[at..].windows(next.len()).position(|window| window == next);
            at += found.unwrap_or_else(|| panic!("{who}: what comes out is not in the input"));
        }
    }
    // One more may be at the end.
    assert!(jumps <= gaps && gaps <= jumps + 1, "{who}: {jumps} jumps, {:?}", receiver.tally());
}
