//! What receivers tell the sender: which blocks lack how many symbols, and how much is left in all.

use crate::bytes::{Reader, put_u24};
use crate::failure::Malformed;

/// The kind of this message, in its first byte.
pub const REQUEST: u8 = 3;
/// Bytes before the lines.
pub const HEADER_BYTES: usize = 1 + 4 + 8 + 2;
/// Bytes of a line.
pub const LINE_BYTES: usize = 4 + 4 + 2 + 2 + 3;
/// The most lines of a message, by its 16 bits and the longest datagram.
pub const MOST_LINES: usize = (65_507 - HEADER_BYTES) / LINE_BYTES;

/// What a row of blocks lacks, each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number of the object.
    pub object: u32,
    /// Number of the first block.
    pub block: u32,
    /// How many blocks, at least one.
    pub blocks: u16,
    /// How many symbols each of them lacks, at least one.
    pub lacks: u16,
    /// One more than the highest encoding symbol id that has come of the blocks; 0 if none has.
    pub seen: u32,
}

/// A request for repair, or a report that all is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Tag of the content.
    pub content: u32,
    /// How many symbols the receiver lacks in all; 0: it has everything. `u64::MAX` while it has no manifest.
    pub left: u64,
    /// What it asks for now; may be less than it lacks.
    pub lines: Vec<Line>,
}

impl Line {
    /// Appends the line.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.object.to_be_bytes());
        out.extend_from_slice(&self.block.to_be_bytes());
        out.extend_from_slice(&self.blocks.to_be_bytes());
        out.extend_from_slice(&self.lacks.to_be_bytes());
        put_u24(out, self.seen);
    }

    /// The lines of a message of so many bytes that says how many there are.
    pub(crate) fn decode_all(reader: &mut Reader<'_>, count: usize, bytes: usize) -> Result<Vec<Line>, Malformed> {
        let mut lines = Vec::with_capacity(count.min(bytes / LINE_BYTES));
        for _ in 0..count {
            let (object, block, blocks, lacks) = (reader.u32()?, reader.u32()?, reader.u16()?, reader.u16()?);
            let line = Line { object, block, blocks, lacks, seen: reader.u24()? };
            if blocks == 0 || lacks == 0 {
                return Err(Malformed("a request for nothing"));
            }
            lines.push(line);
        }
        Ok(lines)
    }

    /// Whether the first block of `next` is the one behind this line's, and lacks the same.
    pub(crate) fn goes_on_with(&self, next: &Line) -> bool {
        let behind = (self.object, self.block + u32::from(self.blocks), self.lacks, self.seen);
        behind == (next.object, next.block, next.lacks, next.seen) && self.blocks < u16::MAX
    }
}

impl Request {
    /// The message.
    ///
    /// # Panics
    ///
    /// There are more than [`MOST_LINES`] lines.
    pub fn encode(&self) -> Vec<u8> {
        assert!(self.lines.len() <= MOST_LINES, "a request fits into a datagram");
        let mut out = Vec::with_capacity(HEADER_BYTES + LINE_BYTES * self.lines.len());
        out.push(REQUEST);
        out.extend_from_slice(&self.content.to_be_bytes());
        out.extend_from_slice(&self.left.to_be_bytes());
        out.extend_from_slice(&(self.lines.len() as u16).to_be_bytes());
        for line in &self.lines {
            line.encode(&mut out);
        }
        out
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// It is none, is cut off or goes on, or has a line about nothing.
    pub fn decode(bytes: &[u8]) -> Result<Request, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != REQUEST {
            return Err(Malformed("it is no request"));
        }
        let (content, left, count) = (reader.u32()?, reader.u64()?, usize::from(reader.u16()?));
        let lines = Line::decode_all(&mut reader, count, bytes.len())?;
        reader.end()?;
        if left == 0 && !lines.is_empty() {
            return Err(Malformed("a request by somebody who has everything"));
        }
        Ok(Request { content, left, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_format() {
        let line = Line { object: 1, block: 2, blocks: 3, lacks: 4, seen: 5 };
        let request = Request { content: 0xa0b0_c0d0, left: 9, lines: vec![line] };
        let bytes = request.encode();
        assert_eq!(bytes[..15], [3, 0xa0, 0xb0, 0xc0, 0xd0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1]);
        assert_eq!(bytes[15..], [0, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0, 5]);
        assert_eq!(Request::decode(&bytes), Ok(request));
        for end in 0..bytes.len() {
            assert!(Request::decode(&bytes[..end]).is_err());
        }
        assert!(Request::decode(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn lines_about_nothing_are_refused() {
        let line = Line { object: 1, block: 2, blocks: 3, lacks: 4, seen: 5 };
        for (left, line) in [(9, Line { blocks: 0, ..line }), (9, Line { lacks: 0, ..line }), (0, line)] {
            assert!(Request::decode(&Request { content: 1, left, lines: vec![line] }.encode()).is_err());
        }
        let mut claim = Request { content: 1, left: 1, lines: vec![] }.encode();
        claim[13..15].copy_from_slice(&u16::MAX.to_be_bytes());
        assert!(Request::decode(&claim).is_err(), "a count takes no memory");
    }
}
