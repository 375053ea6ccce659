//! What NORM's messages carry behind their headers: lists of receivers and of objects, requests for repair, a piece of
//! a stream. Sections without a number of an RFC are of RFC 5740.

use super::quantise::{Rate, RoundTrip};
use crate::fec::PayloadId;
use std::marker::PhantomData;

/// A list in a payload, read item by item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List<'a, T> {
    bytes: &'a [u8],
    of: PhantomData<T>,
}

/// What lists have.
pub trait Item: Sized {
    /// Bytes of one.
    const BYTES: usize;

    /// Reads one from so many bytes.
    fn read(bytes: &[u8]) -> Self;

    /// Appends it.
    fn write(&self, out: &mut Vec<u8>);
}

/// A line of a probe's list (section 4.2.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CcNode {
    /// Which receiver.
    pub node: u32,
    /// Its state: [`flag`](super::flag).
    pub flags: u8,
    /// The round-trip time that the sender has measured, if [`flag::RTT`](super::flag::RTT) is set.
    pub rtt: RoundTrip,
    /// Its rate.
    pub rate: Rate,
}

/// A point of a transmission: NACK and acknowledgement name it in the same way (sections 4.3.1 and 4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Number of the object.
    pub object: u16,
    /// Which symbol.
    pub symbol: PayloadId,
}

/// A request for repair, of which a NACK has several (section 4.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// 1: its positions one by one; 2: pairs of them, ranges with their ends; 3: blocks, with counts of what lacks.
    pub form: u8,
    /// What lacks: 1 segments, 2 blocks, 4 information, 8 objects.
    pub flags: u8,
    items: &'a [u8],
}

/// The requests of a NACK.
#[derive(Clone, Debug)]
pub struct Requests<'a>(&'a [u8]);

/// The positions of a request.
#[derive(Clone, Debug)]
pub struct Positions<'a>(&'a [u8]);

/// What stands before a piece of a stream (section 4.2.1). Of a repair symbol it is encoded, too, and says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPiece {
    /// Bytes of the piece; 0: `start` is a code, and that of the end is 0.
    pub length: u16,
    /// One more than where a message begins in it; 0: none does.
    pub start: u16,
    /// Where in the stream it is; wraps around.
    pub offset: u32,
}

impl<'a, T: Item> List<'a, T> {
    /// `None` if there is a part of an item left.
    pub fn read(bytes: &'a [u8]) -> Option<List<'a, T>> {
        bytes.len().is_multiple_of(T::BYTES).then_some(List { bytes, of: PhantomData })
    }

    /// One by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + use<'a, T> {
        self.bytes.chunks_exact(T::BYTES).map(T::read)
    }
}

/// Appends a list.
pub fn write_list<T: Item>(items: &[T], out: &mut Vec<u8>) {
    items.iter().for_each(|item| item.write(out));
}

/// Appends a request for repair.
pub fn write_request(form: u8, flags: u8, items: &[Position], out: &mut Vec<u8>) {
    out.extend_from_slice(&[form, flags, 0, 0]);
    let begin = out.len();
    items.iter().for_each(|item| item.write(out));
    let length = (out.len() - begin) as u16;
    out[begin - 2..begin].copy_from_slice(&length.to_be_bytes());
}

impl Item for u16 {
    const BYTES: usize = 2;

    fn read(bytes: &[u8]) -> u16 {
        bytes.first_chunk().map_or(0, |&half| u16::from_be_bytes(half))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }
}

impl Item for u32 {
    const BYTES: usize = 4;

    fn read(bytes: &[u8]) -> u32 {
        bytes.first_chunk().map_or(0, |&word| u32::from_be_bytes(word))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }
}

impl Item for CcNode {
    const BYTES: usize = 8;

    fn read(bytes: &[u8]) -> CcNode {
        let (flags, rtt) = (bytes[4], RoundTrip(bytes[5]));
        CcNode { node: u32::read(bytes), flags, rtt, rate: Rate(u16::read(&bytes[6..])) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.node.write(out);
        out.extend_from_slice(&[self.flags, self.rtt.0]);
        self.rate.0.write(out);
    }
}

impl Position {
    /// Reads one, and what follows it.
    pub fn read(bytes: &[u8]) -> Option<(Position, &[u8])> {
        let (&[fec_id, _, o0, o1], rest) = bytes.split_first_chunk()?;
        let symbol = PayloadId::read(fec_id, rest)?;
        let object = u16::from_be_bytes([o0, o1]);
        Some((Position { object, symbol }, &rest[PayloadId::bytes_in(fec_id)?..]))
    }

    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.symbol.fec_id(), 0]);
        self.object.write(out);
        self.symbol.write(out);
    }
}

impl<'a> Request<'a> {
    /// Its positions, as far as they are whole and of a scheme that is known.
    pub fn positions(&self) -> Positions<'a> {
        Positions(self.items)
    }
}

impl<'a> Requests<'a> {
    /// `None` if not all of it are requests with whole positions.
    pub fn read(payload: &'a [u8]) -> Option<Requests<'a>> {
        let mut rest = Requests(payload);
        for request in rest.by_ref() {
            let mut positions = request.positions();
            while positions.next().is_some() {}
            if !positions.0.is_empty() {
                return None;
            }
        }
        rest.0.is_empty().then_some(Requests(payload))
    }
}

impl<'a> Iterator for Requests<'a> {
    type Item = Request<'a>;

    fn next(&mut self) -> Option<Request<'a>> {
        let (&[form, flags, l0, l1], rest) = self.0.split_first_chunk()?;
        let (items, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes([l0, l1])))?;
        self.0 = rest;
        Some(Request { form, flags, items })
    }
}

impl Iterator for Positions<'_> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let (position, rest) = Position::read(self.0)?;
        self.0 = rest;
        Some(position)
    }
}

impl StreamPiece {
    /// Reads it, and the data behind it.
    pub fn read(payload: &[u8]) -> Option<(StreamPiece, &[u8])> {
        let (&[l0, l1, s0, s1, o0, o1, o2, o3], data) = payload.split_first_chunk()?;
        let (length, start) = (u16::from_be_bytes([l0, l1]), u16::from_be_bytes([s0, s1]));
        Some((StreamPiece { length, start, offset: u32::from_be_bytes([o0, o1, o2, o3]) }, data))
    }

    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.length.write(out);
        self.start.write(out);
        self.offset.write(out);
    }
}
