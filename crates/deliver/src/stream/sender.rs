//! What a sender of a stream keeps, and what it sends next.

use super::cutter::Cutter;
use super::delay::DELAYS;
use super::head::{Entry, Head};
use super::place::{number, place};
use super::settings::Settings;
use super::standing::{LEAVES, Standing};
use crate::failure::{Failure, Malformed};
use crate::geometry::Cut;
use crate::keys::{Salt, Signer};
use crate::manifest::hash;
use crate::needs::Needs;
use crate::offer::{Heard, Sent};
use crate::repair::Encoders;
use crate::roster::Roster;
use crate::symbol::{HEADER_BYTES, MANIFEST, SymbolId};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A stream that is being sent.
pub struct Sender {
    settings: Settings,
    salt: Salt,
    signer: Option<Signer>,
    tag: u32,
    cutter: Cutter,
    /// Where the next block of the input begins, bytes.
    at: u64,
    is_over: bool,
    /// Blocks of a live input that have not been sent, with when they were made.
    waiting: VecDeque<(Duration, Entry, Vec<u8>)>,
    /// Blocks that are repaired, with when they had been sent for the first time; the last one is being sent as long as
    /// there is a `position`.
    kept: VecDeque<(Duration, Entry, Vec<u8>)>,
    /// The number of the first of them.
    first: u64,
    /// The next symbol of the last block, which has so many.
    position: Option<(u16, u16)>,
    /// The most symbols of a block at present, and when the last one was begun.
    pace: (u16, Duration),
    encoders: Encoders,
    needs: Needs,
    roster: Roster,
    /// Bytes that receivers have lost, of those that have lost some.
    losses: BTreeMap<u64, u64>,
    /// When the last head was sent, and how many symbols since.
    headed: Option<(Duration, u32)>,
    /// From which blocks on heads were asked for that have not been sent, and what was sent last.
    asked_heads: VecDeque<u64>,
    head_again: Option<(u64, Duration)>,
    unsent: Vec<SymbolId>,
    /// Symbols sent, repair included, and those that were sent for the first time.
    symbols: u64,
    sources: u64,
    /// Bytes of a live input that were left out.
    left_out: u64,
}

/// After how many symbols the head comes again, and at low rates if so many beacons could have been: as roots do.
const HEAD_EVERY: u32 = 128;
const HEAD_EVERY_SLOW: u32 = 16;
const SLOW_BEACONS: u32 = 2;
/// Symbols of the first block; their number doubles and halves by how long they take. One, as the rate is not known: at
/// 16 kbit/s it takes half a second.
const FIRST_SYMBOLS: u16 = 1;
/// How many blocks of one message are looked at, and how many heads may be asked for at once.
const MOST_ASKED: u32 = 4096;
const MOST_HEADS: usize = 16;
/// What a receiver may ask for beyond [`Settings::greed`].
const GREED_MORE: u64 = 1000;
/// Bytes of a live input that may wait: at 100 Mbit/s 5 s.
const MOST_WAITING: u64 = 64 << 20;

impl Sender {
    /// A stream in the session with this salt.
    ///
    /// # Errors
    ///
    /// A delay or sizes that are not legal, or a packet has no room for a head.
    pub fn new(settings: Settings, salt: Salt, signer: Option<Signer>) -> Result<Sender, Failure> {
        let cut = settings.cut.check().map_err(|wrong| Failure::input(wrong.0))?;
        if !DELAYS.contains(&settings.delay) {
            return Err(Failure::input("a delay of 0.1 to 1000 seconds is legal"));
        }
        if Head::room(room(cut)) == 0 {
            return Err(Failure::input("packets are too short for a stream's signed heads: make them longer"));
        }
        let delay = Duration::from_millis(settings.delay.as_millis() as u64);
        let settings = Settings { delay, ..settings };
        let mut sender = Sender {
            settings,
            salt,
            signer,
            tag: 0,
            cutter: Cutter::new(),
            at: 0,
            is_over: false,
            waiting: VecDeque::new(),
            kept: VecDeque::new(),
            first: 0,
            position: None,
            pace: (FIRST_SYMBOLS.min(cut.block_symbols), Duration::ZERO),
            encoders: Encoders::default(),
            needs: Needs::new(settings.gather(), settings.round()).urgent(),
            roster: Roster::new(settings.most_receivers, settings.silent),
            losses: BTreeMap::new(),
            headed: None,
            asked_heads: VecDeque::new(),
            head_again: None,
            unsent: Vec::new(),
            symbols: 0,
            sources: 0,
            left_out: 0,
        };
        sender.tag = sender.head(0).tag();
        Ok(sender)
    }

    /// How many bytes of the input it takes now: none while there is enough to send, unless the input is live.
    pub fn wants(&self) -> usize {
        let block = self.block_bytes();
        match self.is_live() {
            true => MOST_WAITING as usize,
            false if !self.has_begun() => 0,
            false => (2 * block).saturating_sub(self.cutter.len()),
        }
    }

    /// More of the input.
    pub fn push(&mut self, now: Duration, bytes: &[u8]) {
        self.cutter.push(now, bytes);
        self.proceed(now);
    }

    /// The input is over.
    pub fn end(&mut self, now: Duration) {
        self.cutter.end();
        self.proceed(now);
    }

    /// Gives up what is too old, and begins the next block if it is time for it.
    pub fn proceed(&mut self, now: Duration) {
        let Settings { delay, .. } = self.settings;
        let is_old = |made: &Duration| now.saturating_sub(*made) > delay;
        while self.kept.len() > usize::from(self.position.is_some())
            && self.kept.front().is_some_and(|(made, ..)| is_old(made))
        {
            self.kept.pop_front();
            self.first += 1;
            self.needs.forget_before(place(self.first));
        }
        if self.is_live() {
            while let Some((at, block)) = self.cut(now) {
                let entry = Entry { at, bytes: block.len() as u32, hash: hash(&block) };
                self.waiting.push_back((now, entry, block));
            }
            let mut bytes: u64 = self.waiting.iter().map(|(_, entry, _)| u64::from(entry.bytes)).sum();
            while let Some((made, entry, _)) = self.waiting.front()
                && (is_old(made) || bytes > MOST_WAITING)
            {
                bytes -= u64::from(entry.bytes);
                self.left_out += u64::from(entry.bytes);
                self.waiting.pop_front();
            }
        }
        if self.position.is_none() && self.has_begun() {
            let waiting = self.waiting.pop_front().map(|(_, entry, block)| (entry, block));
            let next = waiting.or_else(|| {
                let (at, block) = self.cut(now)?;
                Some((Entry { at, bytes: block.len() as u32, hash: hash(&block) }, block))
            });
            if let Some((entry, block)) = next {
                self.position = Some((0, entry.symbols(self.settings.cut)));
                self.pace.1 = now;
                self.kept.push_back((now, entry, block));
                self.headed = None;
            }
        }
        if self.cutter.is_over()
            && self.cutter.len() == 0
            && self.waiting.is_empty()
            && self.position.is_none()
            && !self.is_over
        {
            self.is_over = true;
            self.headed = None;
        }
    }

    /// Appends the next payload to `out`, or nothing.
    pub fn next_symbol(&mut self, now: Duration, out: &mut Vec<u8>) -> Sent {
        self.proceed(now);
        let has_symbols = self.has_symbols(now);
        if self.head_is_due(now, has_symbols) {
            self.head(self.blocks().saturating_sub(Head::room(room(self.settings.cut)) as u64))
                .encode(self.signer.as_ref(), out);
            self.headed = Some((now, 0));
            return Sent::Root;
        }
        if let Some(from) = self.asked_heads.pop_front() {
            self.head(from).encode(self.signer.as_ref(), out);
            self.head_again = Some((from, now));
            return Sent::Manifest;
        }
        if !has_symbols {
            return Sent::Nothing;
        }
        self.symbols += 1;
        if let Some((_, symbols)) = &mut self.headed {
            *symbols += 1;
        }
        let is_kept = |first: u64, id: &SymbolId| number((id.object, id.block)).is_some_and(|number| number >= first);
        while let Some(id) = self.unsent.pop() {
            if is_kept(self.first, &id) {
                self.put((id.object, id.block), id.symbol, out);
                return Sent::Again;
            }
        }
        // Whoever waits for the input has its repair first; a live input is held up by no more than half.
        let is_repair_next = self.position.is_none() || !self.is_live() || self.symbols.is_multiple_of(2);
        if is_repair_next && self.needs.ready(now) {
            let (block, symbol) = self.needs.next(now).expect("one is ready");
            self.put(block, symbol, out);
            return Sent::Repair;
        }
        let Some((symbol, symbols)) = self.position else {
            // All that could not be sent has been given up meanwhile.
            return Sent::Nothing;
        };
        self.put(place(self.blocks() - 1), symbol.into(), out);
        self.position = (symbol + 1 < symbols).then_some((symbol + 1, symbols));
        if self.position.is_none() {
            if let Some((made, ..)) = self.kept.back_mut() {
                *made = now;
            }
            self.keep_pace(now, symbols);
        }
        self.sources += 1;
        Sent::Source
    }

    /// Takes back a symbol, or a head, that was given out last and could not be sent: it is the next one. Of several
    /// the last one comes back first.
    pub fn put_back(&mut self, symbol: Option<SymbolId>) {
        match symbol {
            Some(id) => self.unsent.push(id),
            None => self.headed = None,
        }
    }

    /// Hears what a receiver says ([`Receiver::standing`](super::Receiver::standing)).
    ///
    /// # Errors
    ///
    /// It says nothing of this stream, or there are too many receivers.
    pub fn hear(&mut self, now: Duration, receiver: u64, message: &[u8]) -> Result<Heard, Malformed> {
        let Standing { session, left, lost, lines } = Standing::decode(message)?;
        if session != self.tag {
            return Err(Malformed("feedback about another stream"));
        }
        if left == LEAVES {
            self.roster.leave(receiver);
            return Ok(Heard { complete: true, greedy: false });
        }
        let most = self.settings.greed * self.sources + GREED_MORE;
        let known = self.roster.hear(now, receiver, left)?;
        if lost > 0 {
            self.losses.insert(receiver, lost);
        }
        let (mut looked_at, mut greedy) = (0, false);
        let sent = self.first + self.kept.len() as u64 - u64::from(self.position.is_some());
        for line in lines {
            for block in (0..u32::from(line.blocks)).filter_map(|block| line.block.checked_add(block)) {
                looked_at += 1;
                greedy |= known.asked >= most;
                if looked_at > MOST_ASKED || greedy {
                    break;
                }
                if line.object == MANIFEST {
                    // One head lists many that follow.
                    let from = self.first + u64::from(block.wrapping_sub(self.first as u32));
                    let is_recent =
                        self.head_again.is_some_and(|(of, at)| of == from && now.saturating_sub(at) < self.needs.round);
                    let is_wanted = from < sent && !is_recent && !self.asked_heads.contains(&from);
                    if is_wanted && self.asked_heads.len() < MOST_HEADS {
                        self.asked_heads.push_back(from);
                        known.asked += 1;
                    }
                    break;
                }
                let Some(number) = number((line.object, block)).filter(|number| (self.first..sent).contains(number))
                else {
                    continue;
                };
                let symbols = self.kept[(number - self.first) as usize].1.symbols(self.settings.cut);
                known.asked += u64::from(self.needs.want(now, place(number), symbols, line.lacks, line.seen));
            }
        }
        if self.losses.len() > self.settings.most_receivers {
            let there: std::collections::BTreeSet<u64> = self.roster.receivers().map(|(id, _)| id).collect();
            self.losses.retain(|id, _| there.contains(id));
        }
        Ok(Heard { complete: left == 0, greedy })
    }

    /// When there is something to send, if nothing new is heard or read: `now` or later.
    pub fn next_at(&mut self, now: Duration) -> Duration {
        self.proceed(now);
        if self.has_symbols(now) || self.head_is_due(now, false) || !self.asked_heads.is_empty() {
            return now;
        }
        let beacon = self.headed.map_or(now, |(at, _)| at + self.settings.beacon);
        let block = if self.has_begun() { self.cutter.due(self.block_bytes(), self.settings.hold()) } else { None };
        [self.needs.next_at(), block].into_iter().flatten().fold(beacon, Duration::min).max(now)
    }

    /// Whether the input is over, at least as many receivers as were expected have come to its end or said that they
    /// go, and nobody who was heard of late has not.
    pub fn finished(&self, now: Duration) -> bool {
        let done = self.roster.complete() + self.roster.left();
        self.is_over && done >= self.settings.expected && !self.roster.wanting(now)
    }

    /// Whether the input is over and has been sent.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether so many receivers have been heard as were waited for.
    pub fn has_begun(&self) -> bool {
        !self.kept.is_empty() || self.first > 0 || self.roster.receivers().count() >= self.settings.expected
    }

    /// Who receives.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// How many bytes a receiver says that it has lost.
    pub fn lost_by(&self, receiver: u64) -> u64 {
        self.losses.get(&receiver).copied().unwrap_or(0)
    }

    /// Bytes of the input that have gone into blocks.
    pub fn bytes(&self) -> u64 {
        self.at
    }

    /// How many blocks have been begun.
    pub fn blocks(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// Bytes of a live input that were left out, as they could not be sent in time.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn is_live(&self) -> bool {
        self.settings.is_live
    }

    fn block_bytes(&self) -> usize {
        usize::from(self.pace.0) * usize::from(self.settings.cut.symbol_bytes)
    }

    fn cut(&mut self, now: Duration) -> Option<(u64, Vec<u8>)> {
        let block = self.cutter.cut(now, self.block_bytes(), self.settings.hold())?;
        let at = self.at;
        self.at += block.len() as u64;
        Some((at, block))
    }

    /// Blocks get larger while they are sent in less than half of the time that there is, and smaller when it is more.
    fn keep_pace(&mut self, now: Duration, symbols: u16) {
        let (most, took) = (self.pace.0, now.saturating_sub(self.pace.1));
        let hold = self.settings.hold();
        if took > hold {
            self.pace.0 = (most / 2).max(1);
        } else if took * 2 < hold && symbols == most {
            self.pace.0 = most.saturating_mul(2).min(self.settings.cut.block_symbols);
        }
    }

    fn has_symbols(&self, now: Duration) -> bool {
        self.position.is_some() || !self.unsent.is_empty() || self.needs.ready(now)
    }

    fn head_is_due(&self, now: Duration, has_symbols: bool) -> bool {
        let Some((at, symbols)) = self.headed else { return true };
        let (ago, beacon) = (now.saturating_sub(at), self.settings.beacon);
        let is_slow = ago >= SLOW_BEACONS * beacon && symbols >= HEAD_EVERY_SLOW;
        symbols >= HEAD_EVERY || is_slow || (!has_symbols && ago >= beacon)
    }

    /// A head with entries from this block on, or from the first that is kept.
    fn head(&self, from: u64) -> Head {
        let listed = from.max(self.first);
        let entries = self.kept.iter().skip((listed - self.first) as usize).map(|(_, entry, _)| *entry);
        let has_begun_it = self.position.is_none_or(|(symbol, _)| symbol > 0);
        Head {
            cut: self.settings.cut,
            delay: self.settings.delay,
            began: self.settings.began,
            salt: self.salt,
            is_over: self.is_over,
            bytes: self.at,
            begun: self.blocks() - u64::from(!has_begun_it),
            kept: self.first.min(self.blocks() - u64::from(!has_begun_it)),
            listed,
            entries: entries.take(Head::room(room(self.settings.cut))).collect(),
        }
    }

    /// Appends a symbol of a block that is kept.
    fn put(&mut self, block: (u32, u32), symbol: u32, out: &mut Vec<u8>) {
        let index = number(block).and_then(|number| number.checked_sub(self.first)).expect("it is kept") as usize;
        let (_, entry, bytes) = &self.kept[index];
        let (cut, symbols) = (self.settings.cut, u32::from(entry.symbols(self.settings.cut)));
        SymbolId { content: self.tag, object: block.0, block: block.1, symbol }.encode(out);
        if symbol < symbols {
            let start = symbol as usize * usize::from(cut.symbol_bytes);
            out.extend_from_slice(&bytes[start..start + entry.symbol_bytes(cut, symbol)]);
        } else {
            if !self.encoders.has(block) {
                self.encoders.make(block, cut, bytes);
            }
            self.encoders.append(block, symbol - symbols, out);
        }
    }
}

/// Bytes of a payload at most.
fn room(cut: Cut) -> usize {
    usize::from(cut.symbol_bytes) + HEADER_BYTES
}
