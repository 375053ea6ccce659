//! What a packet with data begins with: which symbol of which block of which object of which content it carries.

use crate::bytes::{Reader, put_u24};
use crate::failure::Malformed;

/// The kind of a packet with a symbol, in its first byte.
pub const SYMBOL: u8 = 2;
/// Bytes before the symbol.
pub const HEADER_BYTES: usize = 16;
/// The object that is the manifest; files follow.
pub const MANIFEST: u32 = 0;
/// How many symbols a block may have, repair included: encoding symbol ids have 24 bits (RFC 6330).
pub const MOST_SYMBOLS: u32 = 1 << 24;
/// Repair symbols from here on are those of higher layers: no two packets have the same.
pub const FIRST_ABOVE: u32 = MOST_SYMBOLS / 2;

/// Which symbol it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId {
    /// Tag of the content ([`ContentId::tag`](crate::root::ContentId::tag)).
    pub content: u32,
    /// Number of the object: 0 is the manifest.
    pub object: u32,
    /// Number of the block.
    pub block: u32,
    /// Encoding symbol id of RFC 6330: below K a source symbol, otherwise repair.
    pub symbol: u32,
}

impl SymbolId {
    /// Appends the header.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(SYMBOL);
        out.extend_from_slice(&self.content.to_be_bytes());
        out.extend_from_slice(&self.object.to_be_bytes());
        out.extend_from_slice(&self.block.to_be_bytes());
        put_u24(out, self.symbol);
    }

    /// Reads a header; what follows is the symbol.
    ///
    /// # Errors
    ///
    /// It is another kind of packet, or too short.
    pub fn decode(bytes: &[u8]) -> Result<(SymbolId, &[u8]), Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != SYMBOL {
            return Err(Malformed("it is no symbol"));
        }
        let (content, object, block, symbol) = (reader.u32()?, reader.u32()?, reader.u32()?, reader.u24()?);
        Ok((SymbolId { content, object, block, symbol }, reader.rest()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_format() {
        let id = SymbolId { content: 0x0102_0304, object: 5, block: 0x0607, symbol: 0x0008_090a };
        let mut bytes = Vec::new();
        id.encode(&mut bytes);
        assert_eq!(bytes, [2, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 6, 7, 8, 9, 10]);
        assert_eq!(bytes.len(), HEADER_BYTES);
        bytes.extend_from_slice(b"data");
        assert_eq!(SymbolId::decode(&bytes), Ok((id, &b"data"[..])));
        for end in 0..HEADER_BYTES {
            assert!(SymbolId::decode(&bytes[..end]).is_err());
        }
        bytes[0] = 1;
        assert!(SymbolId::decode(&bytes).is_err());
    }
}
