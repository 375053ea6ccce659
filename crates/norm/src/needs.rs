//! What lacks of a transmission: as sets, and as the content of NORM_NACK and NORM_CMD(REPAIR_ADV) (RFC 5740 section
//! 4.3.1).

use crate::geometry::Geometry;
use crate::intervals::Intervals;
use faircast_codec::fec::PayloadId;
use faircast_codec::norm::{Position, Request, Requests, write_request};
use std::collections::BTreeMap;
use std::ops::Range;

/// What lacks, by objects, whose numbers here do not wrap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Objects of which everything does.
    pub objects: Intervals,
    /// Objects whose information does.
    pub information: Intervals,
    /// Symbols of others.
    pub symbols: BTreeMap<u64, Intervals>,
}

/// Rows of what others ask for that are taken note of, but for those of one message more: a choice, some megabytes.
pub const MOST_ROWS: usize = 100_000;
/// Forms of a request.
const ITEMS: u8 = 1;
const RANGES: u8 = 2;
/// Its flags.
const SEGMENT: u8 = 0x01;
const BLOCK: u8 = 0x02;
const INFORMATION: u8 = 0x04;
const OBJECT: u8 = 0x08;
/// Bytes of a request before its positions.
const REQUEST_BYTES: usize = 4;

/// A line of what is asked for: from a position to another one.
struct Line {
    flags: u8,
    first: Position,
    last: Position,
}

impl Needs {
    /// Whether nothing lacks.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.information.is_empty() && self.symbols.is_empty()
    }

    /// Adds symbols of an object.
    pub fn add_symbols(&mut self, object: u64, row: Range<u64>) {
        if !row.is_empty() {
            self.symbols.entry(object).or_default().insert(row);
        }
    }

    /// How many rows it has, by which it takes memory.
    pub fn rows(&self) -> usize {
        let symbols: usize = self.symbols.values().map(Intervals::rows).sum();
        self.objects.rows() + self.information.rows() + symbols
    }

    /// Adds what somebody else lacks, as long as this has less than [`MOST_ROWS`]: who lacks the rest asks again.
    pub fn add_some(&mut self, other: &Needs) {
        if self.rows() < MOST_ROWS {
            self.add(other);
        }
    }

    /// Adds what somebody else lacks.
    pub fn add(&mut self, other: &Needs) {
        other.objects.iter().for_each(|row| self.objects.insert(row));
        other.information.iter().for_each(|row| self.information.insert(row));
        for (&object, rows) in &other.symbols {
            rows.iter().for_each(|row| self.add_symbols(object, row));
        }
    }

    /// Whether all that `other` lacks is in it.
    pub fn covers(&self, other: &Needs) -> bool {
        let mut information = self.information.clone();
        self.objects.iter().for_each(|row| information.insert(row));
        other.objects.iter().all(|row| self.objects.covers(row))
            && other.information.iter().all(|row| information.covers(row))
            && other.symbols.iter().all(|(&object, rows)| {
                let own = self.symbols.get(&object);
                self.objects.contains(object) || rows.iter().all(|row| own.is_some_and(|own| own.covers(row)))
            })
    }

    /// The first that lacks: an object, and a symbol of it.
    pub fn first(&self) -> Option<(u64, u64)> {
        let whole = self.objects.first().into_iter().chain(self.information.first()).map(|object| (object, 0));
        let pieces = self.symbols.iter().find_map(|(&object, rows)| Some((object, rows.first()?)));
        whole.chain(pieces).min()
    }

    /// Adds all that lies behind the last that is in it.
    pub fn add_what_follows(&mut self) {
        let last = |set: &Intervals| set.iter().last().map(|row| row.end - 1);
        let whole = last(&self.objects).into_iter().chain(last(&self.information));
        let Some(object) = whole.chain(self.symbols.keys().next_back().copied()).max() else { return };
        self.objects.insert(object + 1..u64::MAX);
        if let Some(symbol) = self.symbols.get(&object).and_then(last) {
            self.add_symbols(object, symbol..u64::MAX);
        }
    }

    /// Reads requests. `wide` gives an object the number that it has here, `geometry` says how an object is cut: of
    /// those that it does not know whole objects and information are taken note of, no symbols. What is asked for of
    /// parity is left out.
    pub fn read(
        requests: Requests<'_>,
        wide: impl Fn(u16) -> u64,
        geometry: impl Fn(u64) -> Option<Geometry>,
    ) -> Needs {
        let mut needs = Needs::default();
        for request in requests {
            let mut positions = request.positions();
            while let Some(first) = positions.next() {
                let Some(last) = (if request.form == RANGES { positions.next() } else { Some(first) }) else { break };
                needs.take(&request, (wide(first.object), first.symbol), (wide(last.object), last.symbol), &geometry);
            }
        }
        needs
    }

    fn take(
        &mut self,
        request: &Request<'_>,
        (object, first): (u64, PayloadId),
        (last_object, last): (u64, PayloadId),
        geometry: impl Fn(u64) -> Option<Geometry>,
    ) {
        let objects = object..last_object.saturating_add(1);
        if request.flags & INFORMATION != 0 {
            self.information.insert(objects.clone());
        }
        if request.flags & (SEGMENT | BLOCK) == 0 {
            if request.flags & OBJECT != 0 {
                self.objects.insert(objects);
            }
            return;
        }
        let Some(cut) = geometry(object) else { return };
        let (Some((block, symbol)), Some((last_block, last_symbol))) = (cut.numbers(first), cut.numbers(last)) else {
            return;
        };
        let row = if request.flags & SEGMENT == 0 || !matches!(request.form, ITEMS | RANGES) {
            // By blocks; or by how many symbols of a block lack, which is helped by any of them.
            cut.start(block)..cut.start(last_block.saturating_add(1))
        } else {
            let (start, end) = (cut.start(block), cut.start(block.saturating_add(1)));
            (start + symbol).min(end)..(start + last_symbol + 1).min(end)
        };
        self.add_symbols(object, row);
    }

    /// Appends requests for as much as has room in so many bytes, in order; whether that is all. `geometry` knows every
    /// object of whose symbols some lack; `other` is a symbol of the sender's scheme for those that nothing is known
    /// of.
    pub fn write(
        &self,
        geometry: impl Fn(u64) -> Option<Geometry>,
        other: PayloadId,
        room: usize,
        out: &mut Vec<u8>,
    ) -> bool {
        let begin = out.len();
        let mut pending: Vec<Position> = Vec::new();
        let (mut form, mut flags) = (ITEMS, 0);
        let flush = |form, flags, pending: &mut Vec<Position>, out: &mut Vec<u8>| {
            if !pending.is_empty() {
                write_request(form, flags, pending, out);
                pending.clear();
            }
        };
        let mut bytes = 0;
        let mut is_all = true;
        for line in self.lines(&geometry, other) {
            let line_form = if line.first == line.last { ITEMS } else { RANGES };
            let is_same = !pending.is_empty() && (line_form, line.flags) == (form, flags);
            let positions = if line_form == ITEMS { 1 } else { 2 };
            let position_bytes = 4 + PayloadId::bytes_in(line.first.symbol.fec_id()).unwrap_or(4);
            let more = positions * position_bytes + if is_same { 0 } else { REQUEST_BYTES };
            if bytes + more > room {
                is_all = false;
                break;
            }
            bytes += more;
            if !is_same {
                flush(form, flags, &mut pending, out);
                (form, flags) = (line_form, line.flags);
            }
            pending.push(line.first);
            if positions == 2 {
                pending.push(line.last);
            }
        }
        flush(form, flags, &mut pending, out);
        debug_assert!(out.len() - begin <= room, "{} bytes in {room}", out.len() - begin);
        is_all
    }

    /// All lines, in the order of objects.
    fn lines<'a>(
        &'a self,
        geometry: &'a impl Fn(u64) -> Option<Geometry>,
        other: PayloadId,
    ) -> impl Iterator<Item = Line> + 'a {
        let at = move |object: u64| {
            let symbol = geometry(object).map_or(other, |cut| cut.block_id(0));
            Position { object: object as u16, symbol }
        };
        let rows = move |rows: &'a Intervals, flags: u8| {
            // The last of a range has to be above its first, also where numbers wrap around.
            rows.iter()
                .flat_map(pages)
                .map(move |row| (row.start, Line { flags, first: at(row.start), last: at(row.end - 1) }))
        };
        let mut whole: Vec<(u64, Line)> =
            rows(&self.objects, OBJECT | INFORMATION).chain(rows(&self.information, INFORMATION)).collect();
        whole.sort_by_key(|(object, _)| *object);
        let pieces = self.symbols.iter().filter_map(move |(&object, rows)| {
            let cut = geometry(object)?;
            Some(rows.iter().flat_map(move |row| symbol_lines(object, cut, row)).map(move |line| (object, line)))
        });
        merge(whole.into_iter(), pieces.flatten())
    }
}

/// A row of objects, cut where their numbers on the wire wrap around.
fn pages(row: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    const PAGE: u64 = 1 << 16;
    (row.start / PAGE..=(row.end - 1) / PAGE)
        .map(move |page| row.start.max(page * PAGE)..row.end.min((page + 1) * PAGE))
}

/// A row of symbols as pieces of blocks and whole ones.
fn symbol_lines(object: u64, cut: Geometry, row: Range<u64>) -> impl Iterator<Item = Line> {
    let position = move |symbol| Position { object: object as u16, symbol };
    let mut next = row.start;
    std::iter::from_fn(move || {
        if next >= row.end {
            return None;
        }
        let block = cut.block(next);
        let (start, end) = (cut.start(block), cut.start(block + 1));
        if next == start && row.end >= end {
            let behind = if row.end >= cut.symbols() { cut.blocks() } else { cut.block(row.end) };
            next = cut.start(behind);
            let (first, last) = (position(cut.block_id(block)), position(cut.block_id(behind - 1)));
            return Some(Line { flags: BLOCK, first, last });
        }
        let (first, last) = (next, row.end.min(end) - 1);
        next = last + 1;
        Some(Line { flags: SEGMENT, first: position(cut.payload_id(first)), last: position(cut.payload_id(last)) })
    })
}

/// Two lists that are in order as one.
fn merge(
    first: impl Iterator<Item = (u64, Line)>,
    second: impl Iterator<Item = (u64, Line)>,
) -> impl Iterator<Item = Line> {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || match (first.peek(), second.peek()) {
        (Some((a, _)), Some((b, _))) if b < a => second.next(),
        (Some(_), _) => first.next(),
        _ => second.next(),
    })
    .map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_codec::norm::{Code, ObjectInformation};

    const OTHER: PayloadId = PayloadId::ReedSolomon8 { block: 0, symbol: 0 };

    fn cut(object: u64) -> Option<Geometry> {
        // 100 symbols in blocks of 10.
        let code = Code::ReedSolomon8 { segment_bytes: 10, block_len: 10, encoding_symbols: 0 };
        (object < 70_000).then(|| Geometry::new(ObjectInformation { object_bytes: 1000, code }).expect("legal"))
    }

    fn again(bytes: &[u8]) -> Needs {
        let requests = Requests::read(bytes).expect("they have just been written");
        Needs::read(requests, u64::from, cut)
    }

    fn some() -> Needs {
        let mut needs = Needs::default();
        needs.objects.insert(7..9);
        needs.information.insert(3..4);
        needs.add_symbols(3, 5..6);
        // The end of a block, two whole ones, the beginning of another.
        needs.add_symbols(4, 18..42);
        needs.add_symbols(5, 0..100);
        needs
    }

    #[test]
    fn what_is_asked_for_is_read_again() {
        let mut bytes = Vec::new();
        assert!(some().write(cut, OTHER, 1000, &mut bytes));
        let read = again(&bytes);
        // Who lacks all of an object lacks its information.
        let mut expected = some();
        expected.information.insert(7..9);
        assert_eq!(read, expected);
        assert!(read.covers(&some()) && !some().is_empty() && Needs::default().is_empty());
    }

    #[test]
    fn the_first_needs_go_first_if_there_is_no_room_for_all() {
        let mut before = Needs::default();
        for room in 0..200 {
            let mut bytes = Vec::new();
            let is_all = some().write(cut, OTHER, room, &mut bytes);
            assert!(bytes.len() <= room);
            let read = again(&bytes);
            assert!(read.covers(&before), "more room, more of them");
            assert_eq!(is_all, read.covers(&some()));
            before = read;
        }
        assert_eq!(some().first(), Some((3, 0)));
        assert_eq!(before.first(), Some((3, 0)));
    }

    #[test]
    fn who_has_asked_for_more_speaks_for_others() {
        let mut own = Needs::default();
        own.add_symbols(7, 3..8);
        let mut heard = Needs::default();
        assert!(!heard.covers(&own) && own.covers(&heard));
        heard.add_symbols(7, 3..7);
        assert!(!heard.covers(&own));
        heard.add_symbols(7, 0..9);
        assert!(heard.covers(&own));
        own.information.insert(7..8);
        assert!(!heard.covers(&own));
        heard.objects.insert(7..8);
        assert!(heard.covers(&own));
        let mut sum = own.clone();
        sum.add(&some());
        assert!(sum.covers(&own) && sum.covers(&some()));
    }

    #[test]
    fn what_an_object_has_not_is_left_out() {
        let mut bytes = Vec::new();
        let at = |block, symbol| Position { object: 4, symbol: PayloadId::ReedSolomon8 { block, symbol } };
        write_request(RANGES, SEGMENT, &[at(2, 8), at(2, 200), at(50, 0), at(60, 0), at(3, 12), at(3, 13)], &mut bytes);
        write_request(RANGES, BLOCK, &[at(8, 0), at(0xff_ffff, 0)], &mut bytes);
        // Two symbols of a block lack, whichever.
        write_request(3, SEGMENT, &[at(5, 2)], &mut bytes);
        let read = again(&bytes);
        let rows: Vec<_> = read.symbols[&4].iter().collect();
        assert_eq!(rows, [28..30, 50..60, 80..100]);
    }
}
