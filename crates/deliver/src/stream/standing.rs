//! What a receiver of a stream tells the sender: what it lacks now, and what it has lost for good.

use crate::bytes::Reader;
use crate::failure::Malformed;
use crate::feedback::Line;

/// The kind of this message, in its first byte.
pub const STANDING: u8 = 5;
/// Bytes before the lines, each of which is as in a [request](crate::feedback::Request).
pub const HEADER_BYTES: usize = 1 + 4 + 8 + 8 + 2;

/// What a receiver that goes says that it lacks.
pub const LEAVES: u64 = u64::MAX;

/// How it is with a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Tag of the session.
    pub session: u32,
    /// How many symbols it lacks that it knows of, and at least one before the end of the stream; 0: nothing will come
    /// any more; [`LEAVES`]: it goes, and wants nothing any more.
    pub left: u64,
    /// How many bytes it has given up since it came.
    pub lost: u64,
    /// What it asks for. Of object 0: heads that list these blocks, by the lower 32 bits of their numbers.
    pub lines: Vec<Line>,
}

impl Standing {
    /// The message.
    ///
    /// # Panics
    ///
    /// There are more than 65 535 lines.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![STANDING];
        out.extend_from_slice(&self.session.to_be_bytes());
        out.extend_from_slice(&self.left.to_be_bytes());
        out.extend_from_slice(&self.lost.to_be_bytes());
        out.extend_from_slice(&u16::try_from(self.lines.len()).expect("it fits into a datagram").to_be_bytes());
        self.lines.iter().for_each(|line| line.encode(&mut out));
        out
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// It is none, is cut off or goes on, or has a line about nothing.
    pub fn decode(bytes: &[u8]) -> Result<Standing, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != STANDING {
            return Err(Malformed("it says nothing of a stream"));
        }
        let (session, left, lost) = (reader.u32()?, reader.u64()?, reader.u64()?);
        let count = usize::from(reader.u16()?);
        let lines = Line::decode_all(&mut reader, count, bytes.len())?;
        reader.end()?;
        Ok(Standing { session, left, lost, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_format() {
        let line = Line { object: 1, block: 2, blocks: 3, lacks: 4, seen: 5 };
        let standing = Standing { session: 0xa0b0_c0d0, left: 9, lost: 0x0102, lines: vec![line] };
        let bytes = standing.encode();
        assert_eq!(bytes[..23], [5, 0xa0, 0xb0, 0xc0, 0xd0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1]);
        assert_eq!(bytes[23..], [0, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 0, 5]);
        assert_eq!(Standing::decode(&bytes), Ok(standing.clone()));
        for end in 0..bytes.len() {
            assert!(Standing::decode(&bytes[..end]).is_err());
        }
        assert!(Standing::decode(&[&bytes[..], &[0]].concat()).is_err());
        let nothing = Standing { lines: vec![Line { blocks: 0, ..line }], ..standing };
        assert!(Standing::decode(&nothing.encode()).is_err());
    }
}
