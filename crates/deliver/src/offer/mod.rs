//! What a sender offers, symbol by symbol: the carousel.
//!
//! ```text
//!   root, manifest ──> first pass: source symbols of all files in order ──> only what is asked for ──> nothing
//!        ^                                   │ alternating                        │
//!        └── again and again ────────────────┴──── repair, or blocks once more <──┴── hear()
//! ```
//!
//! Whoever lacks a few symbols of a block gets repair symbols, which serve all who lack some; whoever lacks more than
//! half of it, as one that joins late does, gets its source symbols once more. Roots and the manifest come again and
//! again, so that a receiver can begin at any time.
//!
//! In a session of layers all of this is in packets of the lowest one, which every receiver holds. What those of other
//! layers carry is in `above.rs`.

mod above;

use crate::failure::{Failure, Malformed};
use crate::feedback::Request;
use crate::geometry::{BLOCK_SYMBOLS, Cut, Geometry};
use crate::keys::{Salt, Signer};
use crate::manifest::{Entry, Manifest, hash};
use crate::needs::Needs;
use crate::repair::Encoders;
use crate::root::{ContentId, Root};
use crate::roster::Roster;
use crate::source::{Source, Sources};
use crate::symbol::{HEADER_BYTES, MANIFEST, MOST_SYMBOLS, SymbolId};
use above::{Above, UNASKED_PART};
use std::time::Duration;

/// How an offer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How files are cut. A packet needs room for [`HEADER_BYTES`] and a symbol.
    pub cut: Cut,
    /// When the session begins, seconds since 1970; receivers take no root that began before the one they have.
    pub began: u64,
    /// How long the first request for a block waits for those of others.
    pub gather: Duration,
    /// In what time the answer to a request has come: what was sent since is not sent again before.
    pub round: Duration,
    /// How often a root is sent when there is nothing else.
    pub beacon: Duration,
    /// For how many receivers there is room.
    pub most_receivers: usize,
    /// A receiver that was not heard for so long has gone.
    pub silent: Duration,
    /// A receiver may ask for this many times all symbols there are, and some. Half of 4 is what one gets who loses
    /// every second packet.
    pub greed: u64,
    /// Nobody can answer: repair is sent round after round, unasked.
    pub blind: bool,
}

/// Files that are being sent.
pub struct Offer {
    settings: Settings,
    manifest: Manifest,
    /// The manifest's geometry and bytes.
    index: (Geometry, Vec<u8>),
    root: Vec<u8>,
    content: ContentId,
    sources: Sources,
    encoders: Encoders,
    /// The blocks read last.
    blocks: Vec<((u32, u32), Vec<u8>)>,
    pass: Pass,
    /// What other layers carry, and the blocks of all files.
    above: (Above, Vec<(u32, u32)>),
    needs: Needs,
    roster: Roster,
    /// When the last root was sent, and how many symbols since.
    rooted: Option<(Duration, u32)>,
    /// How many symbols since the manifest, and when its last one was sent.
    since_index: u64,
    index_at: Duration,
    /// What is left of the manifest's turn: the block, and how many of its symbols.
    burst: Option<(u32, u32)>,
    /// The next symbol of each of the manifest's blocks.
    index_next: Vec<u32>,
    /// Repair has the next turn.
    repair_next: bool,
    /// Symbols that were given out and could not be sent; the last goes first.
    unsent: Vec<SymbolId>,
}

/// Where the carousel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    /// The first one sends source symbols, those after it (blind ones) repair.
    number: u32,
    object: u32,
    block: u32,
    symbol: u32,
    done: bool,
}

/// What was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The root.
    Root,
    /// A symbol of the manifest.
    Manifest,
    /// A source symbol, for the first time.
    Source,
    /// A symbol that somebody had asked for, or repair in a blind session.
    Repair,
    /// A symbol that could not be sent when it was given out before.
    Again,
    /// A symbol for those who hold more than the lowest layer.
    Above,
    /// Nothing: nobody lacks anything that the sender knows of.
    Nothing,
}

/// What a receiver's message has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The receiver has everything.
    pub complete: bool,
    /// It asks for more than it can need, and gets nothing more.
    pub greedy: bool,
}

/// After how many symbols the root comes again: what a receiver misses that joins late.
const ROOT_EVERY: u32 = 128;
/// At low rates it comes after fewer, when so many beacons could have been: otherwise who joins would wait for minutes.
/// After one symbol while nobody listens: with keys nobody reports before a root has come, so the rate stays low.
const ROOT_EVERY_SLOW: u32 = 16;
const ROOT_EVERY_UNHEARD: u32 = 1;
const SLOW_BEACONS: u32 = 2;
/// After how many symbols the manifest comes again, at least; otherwise it is a fiftieth of all.
const INDEX_EVERY: u64 = 2048;
const INDEX_PART: u64 = 50;
/// What a receiver may ask for beyond [`Settings::greed`], so that small offers are not too strict.
const GREED_MORE: u64 = 1000;
/// How many blocks of one request are looked at; the receiver asks for the rest again.
pub(crate) const MOST_BLOCKS_ASKED: u32 = 4096;
/// A pass that goes on for nobody ends after so long without a word.
const QUIET: Duration = Duration::from_secs(20);
/// Blocks that are kept in memory: one of the pass, one of repair, and some; with layers one more for each other group.
const MOST_BLOCKS: usize = 4;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cut: Cut { symbol_bytes: 1152, block_symbols: 512 },
            began: 0,
            gather: Duration::from_millis(200),
            round: Duration::from_secs(1),
            beacon: Duration::from_secs(1),
            most_receivers: 10_000,
            silent: Duration::from_secs(60),
            greed: 4,
            blind: false,
        }
    }
}

impl Offer {
    /// An offer of these files in the session with this salt. All of them are read once, as the manifest needs their
    /// hashes; `progress` is told how many bytes have been read since it was told last, and says whether to go on.
    ///
    /// # Errors
    ///
    /// A file cannot be read or changes meanwhile, two have one name, or there is so much of it that the root does not
    /// fit into a packet; or `progress` wants no more.
    pub fn new(
        files: Vec<Source>,
        settings: Settings,
        salt: Salt,
        signer: Option<&Signer>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Offer, Failure> {
        let mut sources = Sources::new(files);
        let cut = settings.cut.check().map_err(|wrong| Failure::input(wrong.0))?;
        let manifest = Manifest::new(sources.entries(cut, progress)?).map_err(Failure::Input)?;
        let bytes = manifest.encode();
        let geometry = Geometry::new(cut, bytes.len() as u64).expect("a manifest is shorter than an object may be");
        let room = usize::from(cut.symbol_bytes) + HEADER_BYTES;
        if Root::bytes(geometry.blocks() as usize) > room || geometry.blocks() > u32::from(u8::MAX) {
            return Err(Failure::input(format!(
                "{} files with {} bytes are too many for blocks of {} symbols of {} bytes: make blocks larger (to {} \
                 symbols), packets larger, or send in parts",
                manifest.entries().len(),
                manifest.bytes(),
                cut.block_symbols,
                cut.symbol_bytes,
                BLOCK_SYMBOLS.end()
            )));
        }
        let hashes = (0..geometry.blocks()).map(|block| hash(part(&bytes, &geometry, block))).collect();
        let root = Root { cut, manifest_bytes: bytes.len() as u32, began: settings.began, salt, hashes };
        Ok(Offer {
            settings,
            content: root.content(),
            root: root.encode(signer),
            index_next: vec![0; geometry.blocks() as usize],
            index: (geometry, bytes),
            pass: Pass { number: 0, object: 1, block: 0, symbol: 0, done: false },
            above: above(&manifest),
            needs: Needs::new(settings.gather, settings.round),
            roster: Roster::new(settings.most_receivers, settings.silent),
            manifest,
            sources,
            encoders: Encoders::default(),
            blocks: Vec::with_capacity(MOST_BLOCKS + 1),
            rooted: None,
            since_index: u64::MAX,
            index_at: Duration::ZERO,
            burst: None,
            repair_next: false,
            unsent: Vec::new(),
        }
        .at_first_block())
    }

    /// Appends the next payload to `out`, or nothing: for a packet that goes to all receivers, as those of the lowest
    /// layer do.
    ///
    /// # Errors
    ///
    /// A file cannot be read any more, or has changed.
    pub fn next_symbol(&mut self, now: Duration, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        let idle = self.idle(now);
        if self.root_is_due(now, idle) {
            out.extend_from_slice(&self.root);
            self.rooted = Some((now, 0));
            return Ok(Sent::Root);
        }
        if idle {
            return Ok(Sent::Nothing);
        }
        if let Some((_, symbols)) = &mut self.rooted {
            *symbols += 1;
        }
        if let Some(id) = self.unsent.pop() {
            self.put((id.object, id.block), id.symbol, out)?;
            return Ok(Sent::Again);
        }
        if self.burst.is_none() && self.since_index >= self.index_period() {
            self.burst = Some((0, self.burst_symbols(0)));
        }
        if let Some((block, left)) = self.burst {
            self.burst = match (left - 1, block + 1 < self.index.0.blocks()) {
                (0, true) => Some((block + 1, self.burst_symbols(block + 1))),
                (0, _) => None,
                (left, _) => Some((block, left)),
            };
            if self.burst.is_none() {
                (self.since_index, self.index_at) = (0, now);
                // Whoever has the manifest now needs a root to begin.
                self.rooted = None;
            }
            let symbol = self.index_next[block as usize];
            self.index_next[block as usize] = (symbol + 1) % MOST_SYMBOLS;
            self.put((MANIFEST, block), symbol, out)?;
            return Ok(Sent::Manifest);
        }
        self.since_index = self.since_index.saturating_add(1);
        let repair = self.needs.ready(now);
        self.repair_next = repair && (self.pass.done || !self.repair_next);
        if self.repair_next {
            let (block, symbol) = self.needs.next(now).expect("one is ready");
            self.put(block, symbol, out)?;
            return Ok(Sent::Repair);
        }
        self.next_of_pass(out)
    }

    /// Appends what a packet of a higher layer carries, or nothing; `group` is its group in the session, not 0. Nobody
    /// misses it if it could not be sent.
    ///
    /// # Errors
    ///
    /// A file cannot be read any more, or has changed.
    pub fn next_above(&mut self, group: u32, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        if self.pass.done && self.needs.next_at().is_none() {
            return Ok(Sent::Nothing);
        }
        let Some((place, symbol)) = self.above.0.next(group) else { return Ok(Sent::Nothing) };
        self.put(self.above.1[place], symbol, out)?;
        Ok(Sent::Above)
    }

    /// Takes back a symbol, or a root, that was given out last and could not be sent: it is the next one. Of several
    /// the last one comes back first.
    pub fn put_back(&mut self, symbol: Option<SymbolId>) {
        match symbol {
            Some(id) => self.unsent.push(id),
            None => self.rooted = None,
        }
    }

    /// Hears what a receiver says ([`Store::request`](crate::store::Store::request)).
    ///
    /// # Errors
    ///
    /// It is no request, one about another content or about what there is not, or there are too many receivers.
    pub fn hear(&mut self, now: Duration, receiver: u64, message: &[u8]) -> Result<Heard, Malformed> {
        let request = Request::decode(message)?;
        if request.content != self.content.tag() {
            return Err(Malformed("feedback about another content"));
        }
        self.check(&request)?;
        let most = self.settings.greed * (self.manifest.symbols() + self.index.0.symbols()) + GREED_MORE;
        let known = self.roster.hear(now, receiver, request.left)?;
        let (mut looked_at, mut greedy) = (0, false);
        for line in &request.lines {
            for block in line.block..line.block + u32::from(line.blocks) {
                looked_at += 1;
                if looked_at > MOST_BLOCKS_ASKED || known.asked >= most {
                    greedy |= known.asked >= most;
                    break;
                }
                if line.object == MANIFEST {
                    // What was sent of late may still come.
                    let recent = now.saturating_sub(self.index_at) < self.needs.round;
                    let already = self.burst.is_some() || recent;
                    if !already {
                        self.since_index = u64::MAX;
                        known.asked += u64::from(line.lacks);
                    }
                    continue;
                }
                if !self.pass.is_beyond(line.object, block) {
                    continue;
                }
                let symbols = self.manifest.entries()[line.object as usize - 1].geometry.symbols_of(block);
                let granted = self.needs.want(now, (line.object, block), symbols, line.lacks, line.seen);
                known.asked += u64::from(granted);
            }
        }
        Ok(Heard { complete: request.left == 0, greedy })
    }

    /// When there is something to send, if nothing new is heard: `now` or later.
    pub fn next_at(&self, now: Duration) -> Duration {
        if !self.idle(now) || self.root_is_due(now, true) {
            return now;
        }
        let beacon = self.rooted.map_or(now, |(at, _)| at + self.settings.beacon);
        self.needs.next_at().map_or(beacon, |at| at.min(beacon)).max(now)
    }

    /// Whether at least `expected` receivers have everything, and nobody who was heard of late lacks anything. Others
    /// may listen who have not spoken yet: they get the first pass. But without reports it goes on ever more slowly, so
    /// it ends when nobody speaks any more, as where all had everything before and have gone.
    pub fn finished(&self, now: Duration, expected: usize) -> bool {
        self.roster.complete() >= expected
            && !self.roster.wanting(now)
            && (self.pass.done || self.roster.quiet(now) >= Some(QUIET))
    }

    /// Who receives.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// What is offered.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What receivers know it by.
    pub fn content(&self) -> ContentId {
        self.content
    }

    /// Nothing to send but a root at times.
    fn idle(&self, now: Duration) -> bool {
        self.pass.done
            && self.unsent.is_empty()
            && self.burst.is_none()
            && self.since_index != u64::MAX
            && !self.needs.ready(now)
    }

    fn root_is_due(&self, now: Duration, idle: bool) -> bool {
        match self.rooted {
            None => true,
            Some((at, symbols)) => {
                let (ago, beacon) = (now.saturating_sub(at), self.settings.beacon);
                let least = || if self.roster.wanting(now) { ROOT_EVERY_SLOW } else { ROOT_EVERY_UNHEARD };
                let is_slow = ago >= SLOW_BEACONS * beacon && symbols >= least();
                symbols >= ROOT_EVERY || is_slow || (idle && ago >= beacon)
            }
        }
    }

    fn index_period(&self) -> u64 {
        INDEX_EVERY.max(INDEX_PART * self.index.0.symbols())
    }

    /// How many symbols of a block of the manifest are sent in turn: enough for nearly all receivers.
    fn burst_symbols(&self, block: u32) -> u32 {
        let symbols = u32::from(self.index.0.symbols_of(block));
        symbols + symbols / 5 + 3
    }

    /// That all lines are about what there is, in order, so that they take no more time than there are blocks.
    fn check(&self, request: &Request) -> Result<(), Malformed> {
        let mut next = (MANIFEST, 0);
        for line in &request.lines {
            let geometry = match line.object {
                MANIFEST => &self.index.0,
                object => {
                    let entry = self.manifest.entries().get(object as usize - 1);
                    &entry.ok_or(Malformed("a request for an object that there is not"))?.geometry
                }
            };
            let end = line.block.checked_add(u32::from(line.blocks)).filter(|end| *end <= geometry.blocks());
            let end = end.ok_or(Malformed("a request for blocks that there are not"))?;
            if (line.object, line.block) < next {
                return Err(Malformed("a request whose lines are out of order"));
            }
            next = (line.object, end);
        }
        Ok(())
    }

    /// The next symbol of the carousel, which is not done.
    fn next_of_pass(&mut self, out: &mut Vec<u8>) -> Result<Sent, Failure> {
        let Pass { number, object, block, symbol, .. } = self.pass;
        let symbols = u32::from(self.geometry(object).symbols_of(block));
        let (sent, id, count) = match number {
            0 => (Sent::Source, symbol, symbols),
            _ => (Sent::Repair, self.needs.fresh((object, block), symbols as u16), symbols.div_ceil(UNASKED_PART)),
        };
        self.put((object, block), id, out)?;
        self.pass.symbol += 1;
        if self.pass.symbol == count {
            self.pass.symbol = 0;
            self.pass.block += 1;
            self.skip_to_a_block();
        }
        Ok(sent)
    }

    fn at_first_block(mut self) -> Offer {
        self.skip_to_a_block();
        self
    }

    /// Goes on to the next object if this one has no block left; behind the last one ends the pass or begins another.
    fn skip_to_a_block(&mut self) {
        let end = self.manifest.entries().len() as u32;
        while self.pass.object <= end && self.pass.block >= self.geometry(self.pass.object).blocks() {
            (self.pass.object, self.pass.block) = (self.pass.object + 1, 0);
        }
        if self.pass.object > end {
            self.pass.done = !self.settings.blind || self.manifest.symbols() == 0;
            if !self.pass.done {
                self.pass = Pass { number: self.pass.number + 1, object: 1, block: 0, symbol: 0, done: false };
                self.skip_to_a_block();
            }
        }
    }

    /// Appends a symbol with its header.
    fn put(&mut self, block: (u32, u32), symbol: u32, out: &mut Vec<u8>) -> Result<(), Failure> {
        let (object, number) = block;
        let geometry = self.geometry(object);
        let symbols = u32::from(geometry.symbols_of(number));
        SymbolId { content: self.content.tag(), object, block: number, symbol }.encode(out);
        if symbol < symbols {
            let start = symbol as usize * usize::from(self.settings.cut.symbol_bytes);
            let length = geometry.symbol_bytes(number, symbol);
            out.extend_from_slice(&self.block(block)?[start..start + length]);
        } else {
            if !self.encoders.has(block) {
                self.block(block)?;
                let bytes = &self.blocks[0].1;
                self.encoders.make(block, self.settings.cut, bytes);
            }
            self.encoders.append(block, symbol - symbols, out);
        }
        Ok(())
    }

    /// The bytes of a block, which is then the first of those that are kept.
    fn block(&mut self, block: (u32, u32)) -> Result<&[u8], Failure> {
        if let Some(at) = self.blocks.iter().position(|(other, _)| *other == block) {
            self.blocks[..=at].rotate_right(1);
            return Ok(&self.blocks[0].1);
        }
        let most = MOST_BLOCKS + self.above.0.groups();
        let mut bytes =
            if self.blocks.len() < most { None } else { self.blocks.pop() }.map_or(Vec::new(), |(_, bytes)| bytes);
        let (object, number) = block;
        if object == MANIFEST {
            bytes.clear();
            bytes.extend_from_slice(part(&self.index.1, &self.index.0, number));
        } else {
            let index = object as usize - 1;
            let entry = &self.manifest.entries()[index];
            self.sources.read(index, &entry.geometry, number, &entry.blocks[number as usize], &mut bytes)?;
        }
        self.blocks.insert(0, (block, bytes));
        Ok(&self.blocks[0].1)
    }

    fn geometry(&self, object: u32) -> Geometry {
        if object == MANIFEST { self.index.0 } else { self.manifest.entries()[object as usize - 1].geometry }
    }
}

impl Pass {
    /// Whether all source symbols of a block have been sent.
    fn is_beyond(&self, object: u32, block: u32) -> bool {
        self.done || self.number > 0 || (object, block) < (self.object, self.block)
    }
}

/// The blocks of all files in order, and nothing of them sent.
fn above(manifest: &Manifest) -> (Above, Vec<(u32, u32)>) {
    let blocks_of = |(object, entry): (u32, &Entry)| (0..entry.geometry.blocks()).map(move |block| (object, block));
    let blocks: Vec<(u32, u32)> = (1..).zip(manifest.entries()).flat_map(blocks_of).collect();
    let symbols = |&(object, block): &(u32, u32)| manifest.entries()[object as usize - 1].geometry.symbols_of(block);
    (Above::new(blocks.iter().map(symbols).collect()), blocks)
}

/// A block of an object that lies in memory.
fn part<'a>(bytes: &'a [u8], geometry: &Geometry, block: u32) -> &'a [u8] {
    let start = geometry.start_of(block) as usize;
    &bytes[start..start + geometry.bytes_of(block)]
}

#[cfg(test)]
mod tests;
