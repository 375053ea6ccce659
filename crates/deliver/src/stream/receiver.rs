//! Blocks of a stream in their order, and what is given up.

use super::coming::{Coming, Done, State};
use super::delay::period;
use super::head::{Entry, HEAD, Head};
use super::place::{number, place};
use super::standing::{HEADER_BYTES, LEAVES, Standing};
use crate::failure::Malformed;
use crate::feedback::{LINE_BYTES, Line};
use crate::keys::{Salt, Verifier};
use crate::store::Taken;
use crate::symbol::{MANIFEST, SYMBOL, SymbolId};
use std::collections::VecDeque;
use std::time::Duration;

/// A stream that is being received.
pub struct Receiver {
    verifier: Option<Verifier>,
    session: Option<Session>,
    /// What was whole of a session that is over, as another one has begun.
    before: VecDeque<Vec<u8>>,
    tally: Tally,
}

/// What has come, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes that were read.
    pub bytes: u64,
    /// Bytes that were given up: they came too late, or not at all.
    pub lost: u64,
    /// Bytes that came, and were given up as nobody has read them in time. They are lost, too.
    pub unread: u64,
    /// Bytes that the sender has left out; not among those that are lost.
    pub left_out: u64,
    /// How often something is missing.
    pub gaps: u64,
    /// Bytes of the stream before the first that was taken.
    pub missed: u64,
    /// Blocks whose symbols somebody had forged.
    pub forged: u64,
    /// How often another session has begun, so that it is not known what is missing.
    pub restarts: u64,
}

/// A session that is taken part in.
struct Session {
    /// The last head, without its entries.
    head: Head,
    tag: u32,
    /// The number of the first of `blocks`: what was read, or given up, is before it.
    next: u64,
    blocks: VecDeque<Coming>,
    /// Where the stream is: bytes before it were read, are lost or were left out. None before that is known.
    at: Option<u64>,
    /// What was given up since something was read last: bytes of blocks that a head has listed, and whether there were
    /// others.
    skipped: (u64, bool),
    /// How many blocks have been begun, and how many bytes there are, as far as is known.
    begun: u64,
    end: u64,
    /// When something new has come.
    moved: Duration,
    /// The last bytes are behind it.
    is_done: bool,
}

/// How far symbols may be ahead of the last head.
const AHEAD: u64 = 64;
/// How many blocks there may be at once; those before are given up.
const MOST_BLOCKS: u64 = 1 << 16;
/// Bytes that blocks may have in memory: beyond them symbols are not taken.
const MOST_BYTES: usize = 1 << 30;
/// What is whole and waits to be read is kept for so many delays from then on: one it may wait for blocks before it.
const READ_DELAYS: u32 = 2;

impl Receiver {
    /// With a verifier only what its owner has signed is taken, without one everything.
    pub fn new(verifier: Option<Verifier>) -> Receiver {
        Receiver { verifier, session: None, before: VecDeque::new(), tally: Tally::default() }
    }

    /// Takes a payload. `salt` is that of the packet, where packets have one.
    pub fn take(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Taken {
        match payload.first() {
            Some(&HEAD) => self.take_head(now, salt, payload),
            Some(&SYMBOL) => match (SymbolId::decode(payload), &mut self.session) {
                (Err(malformed), _) => Taken::Malformed(malformed),
                (_, None) => Taken::Early,
                (Ok((id, _)), Some(session)) if id.content != session.tag => Taken::Foreign,
                (Ok((id, symbol)), Some(session)) => session.take_symbol(now, id, symbol, &mut self.tally),
            },
            _ => Taken::Malformed(Malformed("a payload of another kind")),
        }
    }

    /// The next bytes of the stream, in order. What is too old is given up before.
    pub fn read(&mut self, now: Duration) -> Option<Vec<u8>> {
        let bytes = self.before.pop_front().or_else(|| self.session.as_mut()?.read(now, &mut self.tally))?;
        self.tally.bytes += bytes.len() as u64;
        Some(bytes)
    }

    /// What the sender should hear now, in at most `limit` bytes, and whether something is asked for; nothing before a
    /// head has come. When nothing will come any more it says so, each time.
    pub fn standing(&self, now: Duration, limit: usize) -> Option<(Vec<u8>, bool)> {
        let session = self.session.as_ref()?;
        let room = limit.checked_sub(HEADER_BYTES)? / LINE_BYTES;
        let (left, lines) = session.lines(now, room);
        let asks = !lines.is_empty();
        let lost = self.tally.lost;
        Some((Standing { session: session.tag, left, lost, lines }.encode(), asks))
    }

    /// What the sender should hear if this receiver goes before the end; nothing before a head has come.
    pub fn farewell(&self) -> Option<Vec<u8>> {
        let (session, lost) = (self.session.as_ref()?.tag, self.tally.lost);
        Some(Standing { session, left: LEAVES, lost, lines: Vec::new() }.encode())
    }

    /// Gives up what is too old, where nobody reads.
    pub fn expire(&mut self, now: Duration) {
        if let Some(session) = &mut self.session {
            session.expire(now, &mut self.tally);
        }
    }

    /// When something will be given up, if nothing comes before.
    pub fn due(&self) -> Option<Duration> {
        let session = self.session.as_ref()?;
        session.blocks.front().filter(|_| session.next < session.begun).map(|block| block.since + session.head.delay)
    }

    /// Whether the stream is over and all of it was read or given up.
    pub fn complete(&self) -> bool {
        self.before.is_empty() && self.session.as_ref().is_some_and(|session| session.is_done)
    }

    /// What has come, and what has not.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// How long a block is kept, as the sender says.
    pub fn delay(&self) -> Option<Duration> {
        self.session.as_ref().map(|session| session.head.delay)
    }

    /// The salt of the session that is taken part in; feedback is authenticated with it.
    pub fn salt(&self) -> Option<Salt> {
        self.session.as_ref().map(|session| session.head.salt)
    }

    fn take_head(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Taken {
        let head = match Head::decode(payload, self.verifier.as_ref()) {
            Ok(head) => head,
            Err(malformed) => return Taken::Malformed(malformed),
        };
        if salt.is_some_and(|salt| salt != head.salt) {
            return Taken::Malformed(Malformed("a head of another session than its packet"));
        }
        match &mut self.session {
            Some(session) if session.tag == head.tag() => return session.take_head(now, head, &mut self.tally),
            Some(session) if head.began < session.head.began => {
                return Taken::Malformed(Malformed("a head of a session before the latest"));
            }
            Some(session) => {
                while let Some(bytes) = session.rest(&mut self.tally) {
                    self.before.push_back(bytes);
                }
                self.tally.restarts += u64::from(!session.is_done);
            }
            None => {}
        }
        let mut session = Session::new(now, &head);
        if session.at.is_some() && self.tally.restarts == 0 {
            self.tally.missed = session.at.unwrap_or(0);
        }
        session.take_head(now, head, &mut self.tally);
        self.session = Some(session);
        Taken::Root
    }
}

impl Session {
    /// Begins with the first block while the sender still has it, and otherwise with the next one that it begins.
    fn new(now: Duration, head: &Head) -> Session {
        let next = if head.kept == 0 { 0 } else { head.begun };
        let before = || next.checked_sub(1).and_then(|number| listed(head, number)).map(Entry::end);
        let at = if next == 0 { Some(0) } else { listed(head, next).map(|entry| entry.at).or_else(before) };
        Session {
            head: head.clone(),
            tag: head.tag(),
            next,
            blocks: VecDeque::new(),
            at,
            skipped: (0, false),
            begun: next,
            end: 0,
            moved: now,
            is_done: false,
        }
    }

    fn take_head(&mut self, now: Duration, head: Head, tally: &mut Tally) -> Taken {
        (self.begun, self.end) = (self.begun.max(head.begun), self.end.max(head.bytes));
        let (kept, is_over) = (self.head.kept.max(head.kept), self.head.is_over || head.is_over);
        let (cut, mut is_new) = (self.head.cut, false);
        for (entry, number) in head.entries.iter().zip(head.listed..) {
            let Some(block) = self.block(now, number) else { continue };
            let done = block.know(cut, *entry);
            is_new = true;
            tally.forged += u64::from(done == Done::Forged);
        }
        self.reach(now, self.begun);
        self.head = Head { kept, is_over, entries: Vec::new(), ..head };
        if is_new { Taken::Symbol } else { Taken::Known }
    }

    fn take_symbol(&mut self, now: Duration, id: SymbolId, symbol: &[u8], tally: &mut Tally) -> Taken {
        let Some(number) = number((id.object, id.block)) else {
            return Taken::Malformed(Malformed("a symbol of a manifest in a stream"));
        };
        if number >= self.begun.saturating_add(AHEAD) {
            return Taken::Malformed(Malformed("a symbol of a block that there is not"));
        }
        let cut = self.head.cut;
        let is_much = self.blocks.len() * usize::from(cut.block_symbols) * usize::from(cut.symbol_bytes) > MOST_BYTES;
        if is_much && self.blocks.iter().map(Coming::bytes).sum::<usize>() > MOST_BYTES {
            return Taken::Known;
        }
        let is_newest = number + 1 >= self.begun;
        let Some(block) = self.block(now, number) else { return Taken::Known };
        let done = block.take(cut, id.symbol, symbol);
        if done == Done::Block || (is_newest && done == Done::Symbol) {
            // The sender goes on with it, or nothing of it is lacking any more.
            block.since = now;
        }
        if done != Done::Nothing {
            self.moved = now;
        }
        match done {
            Done::Nothing => Taken::Known,
            Done::Symbol => Taken::Symbol,
            Done::Block => Taken::Block,
            Done::Forged => {
                tally.forged += 1;
                Taken::Forged
            }
        }
    }

    /// The block with this number, if it has not been read or given up.
    fn block(&mut self, now: Duration, number: u64) -> Option<&mut Coming> {
        self.reach(now, number.saturating_add(1));
        self.blocks.get_mut(usize::try_from(number.checked_sub(self.next)?).ok()?)
    }

    /// Knows of all blocks before this number, as far as there is room for them.
    fn reach(&mut self, now: Duration, end: u64) {
        let first = end.saturating_sub(MOST_BLOCKS);
        if first > self.next {
            self.skipped.1 = true;
            self.blocks.drain(..self.blocks.len().min((first - self.next).try_into().unwrap_or(usize::MAX)));
            self.next = first;
        }
        while self.next + (self.blocks.len() as u64) < end {
            self.blocks.push_back(Coming::new(now));
        }
    }

    /// The next block, if it is whole; those that are too old are given up.
    fn read(&mut self, now: Duration, tally: &mut Tally) -> Option<Vec<u8>> {
        self.expire(now, tally);
        let is_whole = self.blocks.front().is_some_and(|block| matches!(block.state, State::Whole(..)));
        let bytes = if is_whole { self.take_first(tally) } else { None };
        self.expire(now, tally);
        bytes
    }

    /// Gives up the first blocks as far as they are too old, and finds the end.
    fn expire(&mut self, now: Duration, tally: &mut Tally) {
        let delay = self.head.delay;
        while let Some(block) = self.blocks.front() {
            let age = now.saturating_sub(block.since);
            let is_old = match block.state {
                State::Whole(..) => age > READ_DELAYS * delay,
                _ => self.next < self.begun && (self.head.kept > self.next || age > delay),
            };
            if !is_old {
                return;
            }
            self.skip(tally);
        }
        if self.head.is_over && self.next >= self.begun && !self.is_done {
            self.is_done = true;
            self.pass(self.end, tally);
        }
    }

    /// The first block, which is whole.
    fn take_first(&mut self, tally: &mut Tally) -> Option<Vec<u8>> {
        let Some(Coming { state: State::Whole(entry, bytes), .. }) = self.blocks.pop_front() else { return None };
        self.next += 1;
        self.pass(entry.at, tally);
        self.at = Some(entry.end());
        Some(bytes)
    }

    /// The first block is given up.
    fn skip(&mut self, tally: &mut Tally) {
        let block = self.blocks.pop_front();
        self.next += 1;
        match block.map(|block| block.state) {
            Some(State::Whole(entry, _)) => {
                tally.unread += u64::from(entry.bytes);
                self.skipped.0 += u64::from(entry.bytes);
            }
            Some(State::Coming(entry, ..)) => self.skipped.0 += u64::from(entry.bytes),
            Some(State::Early(_)) | None => self.skipped.1 = true,
        }
    }

    /// What is left of it, in order: it will not go on.
    fn rest(&mut self, tally: &mut Tally) -> Option<Vec<u8>> {
        while let Some(block) = self.blocks.front() {
            if matches!(block.state, State::Whole(..)) {
                return self.take_first(tally);
            }
            self.skip(tally);
        }
        self.pass(self.end, tally);
        None
    }

    /// The stream goes on here. Of what lies between as much is lost as blocks had that were given up, and the rest was
    /// left out; if it is not known of all what they had, all counts as lost.
    fn pass(&mut self, at: u64, tally: &mut Tally) {
        let missing = at.saturating_sub(self.at.unwrap_or(at));
        let (bytes, has_others) = std::mem::take(&mut self.skipped);
        let lost = if has_others { missing } else { bytes.min(missing) };
        tally.gaps += u64::from(missing > 0);
        tally.lost += lost;
        tally.left_out += missing - lost;
        self.at = self.at.max(Some(at));
    }

    /// How many symbols are lacking, and the lines of a message: blocks behind which the sender has gone, or all when
    /// nothing new has come for a moment.
    fn lines(&self, now: Duration, room: usize) -> (u64, Vec<Line>) {
        if self.is_done {
            return (0, Vec::new());
        }
        let is_quiet = now.saturating_sub(self.moved) >= period(self.head.delay);
        // The head of the last of them may have been lost.
        let known = self.begun.max(self.next + self.blocks.len() as u64);
        let end = if is_quiet || self.head.is_over { known } else { known.saturating_sub(1) };
        let (mut left, mut lines) = (0u64, Vec::<Line>::new());
        for (block, number) in self.blocks.iter().zip(self.next..) {
            let (lacks, wanted, seen) = block.lacks();
            left += u64::from(lacks);
            if lacks == 0 || number >= end || number < self.head.kept {
                continue;
            }
            let line = match block.state {
                State::Early(_) => Line { object: MANIFEST, block: number as u32, blocks: 1, lacks: 1, seen: 0 },
                _ => Line { object: place(number).0, block: place(number).1, blocks: 1, lacks: wanted, seen },
            };
            let is_full = lines.len() == room;
            match lines.last_mut() {
                Some(last) if last.goes_on_with(&line) => last.blocks += 1,
                _ if !is_full => lines.push(line),
                _ => {}
            }
        }
        (left.max(1), lines)
    }
}

/// What a head lists of the block with this number.
fn listed(head: &Head, number: u64) -> Option<&Entry> {
    head.entries.get(usize::try_from(number.checked_sub(head.listed)?).ok()?)
}
