//! Identifiers of encoding symbols, as the schemes of forward error correction have them that standards name by a
//! number (FEC Encoding ID). NORM and FLUTE share them.

/// Which symbol of an object a packet carries (FEC Payload ID), by scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadId {
    /// Scheme 0, compact no-code: every symbol is of the source.
    NoCode {
        /// Number of the source block.
        block: u16,
        /// Number of the symbol in it.
        symbol: u16,
    },
    /// Scheme 2, Reed-Solomon over GF(2^m): of the 32 bits the last m are the symbol's, those before the block's. How
    /// many m is, the object's information says: [`split`](Self::split).
    ReedSolomon {
        /// Both numbers.
        bits: u32,
    },
    /// Scheme 5, Reed-Solomon over GF(2^8).
    ReedSolomon8 {
        /// Number of the source block, below 2^24.
        block: u32,
        /// Number of the symbol in it.
        symbol: u8,
    },
    /// Scheme 6, RaptorQ.
    RaptorQ {
        /// Number of the source block.
        block: u8,
        /// Number of the symbol in it, below 2^24.
        symbol: u32,
    },
    /// Scheme 129, small blocks, systematic (RFC 5740 section 4.2.1).
    SmallBlock {
        /// Number of the source block.
        block: u32,
        /// How many symbols of the source it has.
        block_len: u16,
        /// Number of the symbol in it.
        symbol: u16,
    },
}

impl PayloadId {
    /// How many bytes it takes in this scheme; `None` if the scheme is not known here.
    pub const fn bytes_in(fec_id: u8) -> Option<usize> {
        match fec_id {
            0 | 2 | 5 | 6 => Some(4),
            129 => Some(8),
            _ => None,
        }
    }

    /// The number of its scheme.
    pub const fn fec_id(&self) -> u8 {
        match self {
            PayloadId::NoCode { .. } => 0,
            PayloadId::ReedSolomon { .. } => 2,
            PayloadId::ReedSolomon8 { .. } => 5,
            PayloadId::RaptorQ { .. } => 6,
            PayloadId::SmallBlock { .. } => 129,
        }
    }

    /// Reads one of this scheme from the front of `bytes`; `None` if they are too few or the scheme is not known.
    pub fn read(fec_id: u8, bytes: &[u8]) -> Option<PayloadId> {
        let (&word, rest) = bytes.split_first_chunk::<4>()?;
        let bits = u32::from_be_bytes(word);
        Some(match fec_id {
            0 => PayloadId::NoCode { block: (bits >> 16) as u16, symbol: bits as u16 },
            2 => PayloadId::ReedSolomon { bits },
            5 => PayloadId::ReedSolomon8 { block: bits >> 8, symbol: bits as u8 },
            6 => PayloadId::RaptorQ { block: (bits >> 24) as u8, symbol: bits & LOWER_24 },
            129 => {
                let &[l0, l1, s0, s1] = rest.first_chunk()?;
                let (block_len, symbol) = (u16::from_be_bytes([l0, l1]), u16::from_be_bytes([s0, s1]));
                PayloadId::SmallBlock { block: bits, block_len, symbol }
            }
            _ => return None,
        })
    }

    /// Appends it. Of numbers of 24 bits the upper 8 are left out.
    pub fn write(&self, out: &mut Vec<u8>) {
        let bits = match *self {
            PayloadId::NoCode { block, symbol } => u32::from(block) << 16 | u32::from(symbol),
            PayloadId::ReedSolomon { bits } => bits,
            PayloadId::ReedSolomon8 { block, symbol } => block << 8 | u32::from(symbol),
            PayloadId::RaptorQ { block, symbol } => u32::from(block) << 24 | symbol & LOWER_24,
            PayloadId::SmallBlock { block, .. } => block,
        };
        out.extend_from_slice(&bits.to_be_bytes());
        if let PayloadId::SmallBlock { block_len, symbol, .. } = *self {
            out.extend_from_slice(&block_len.to_be_bytes());
            out.extend_from_slice(&symbol.to_be_bytes());
        }
    }

    /// Numbers of block and symbol; of scheme 2 over GF(2^`m`), `m` from 1 to 31.
    pub const fn split(&self, m: u32) -> (u32, u32) {
        match *self {
            PayloadId::NoCode { block, symbol } => (block as u32, symbol as u32),
            PayloadId::ReedSolomon { bits } => (bits >> m, bits & ((1 << m) - 1)),
            PayloadId::ReedSolomon8 { block, symbol } => (block, symbol as u32),
            PayloadId::RaptorQ { block, symbol } => (block as u32, symbol),
            PayloadId::SmallBlock { block, symbol, .. } => (block, symbol as u32),
        }
    }
}

const LOWER_24: u32 = (1 << 24) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_each_scheme_has_them() {
        let bytes = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0];
        for (fec_id, numbers) in [
            (0, (0x1234, 0x5678)),
            (2, (0x1234, 0x5678)),
            (5, (0x0012_3456, 0x78)),
            (6, (0x12, 0x0034_5678)),
            (129, (0x1234_5678, 0xdef0)),
        ] {
            let length = PayloadId::bytes_in(fec_id).expect("known");
            let read = PayloadId::read(fec_id, &bytes).expect("long enough");
            assert_eq!((read.fec_id(), read.split(16)), (fec_id, numbers));
            let mut written = Vec::new();
            read.write(&mut written);
            assert_eq!(written, bytes[..length]);
            assert_eq!(PayloadId::read(fec_id, &bytes[..length - 1]), None);
        }
        assert_eq!(PayloadId::read(2, &bytes).map(|id| id.split(8)), Some((0x0012_3456, 0x78)));
        assert_eq!(PayloadId::read(1, &bytes), None);
    }
}
