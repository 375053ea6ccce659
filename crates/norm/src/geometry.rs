//! How an object is cut into blocks, and blocks into symbols (RFC 5052 section 9.1, which RFC 5740 section 5.1.1
//! recommends), and what their numbers are in a scheme of forward error correction.

use faircast_codec::fec::PayloadId;
use faircast_codec::norm::{Code, ObjectInformation};

/// An object of a length, cut as its information (EXT_FTI) says. Its symbols are numbered through all blocks, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    information: ObjectInformation,
    segment_bytes: u64,
    symbols: u64,
    blocks: u64,
    /// How many blocks, the first ones, are larger by one symbol.
    larger: u64,
    /// Symbols of the others.
    smaller: u64,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A piece of the object: the number of the symbol through all blocks.
    Source(u64),
    /// Parity of a block.
    Parity {
        /// Which block.
        block: u64,
    },
}

impl Geometry {
    /// Reads what is said of an object. `None` if nothing can be made of it: symbols or blocks without a length, more
    /// blocks than the scheme can number.
    pub fn new(information: ObjectInformation) -> Option<Geometry> {
        let (segment_bytes, block_len) = match information.code {
            Code::ReedSolomon { m, segment_bytes, block_len, .. } if (1..32).contains(&m) => (segment_bytes, block_len),
            Code::ReedSolomon { .. } => return None,
            Code::ReedSolomon8 { segment_bytes, block_len, .. } => (segment_bytes, block_len.into()),
            Code::SmallBlock { segment_bytes, block_len, .. } => (segment_bytes, block_len),
        };
        if segment_bytes == 0 || block_len == 0 {
            return None;
        }
        let symbols = information.object_bytes.div_ceil(segment_bytes.into());
        let blocks = symbols.div_ceil(block_len.into());
        let (larger, smaller) = if blocks == 0 { (0, 0) } else { (symbols % blocks, symbols / blocks) };
        let most_blocks = match information.code {
            Code::ReedSolomon { m, .. } => 1 << (32 - u32::from(m)),
            Code::ReedSolomon8 { .. } => 1 << 24,
            Code::SmallBlock { .. } => 1 << 32,
        };
        let geometry = Geometry { information, segment_bytes: segment_bytes.into(), symbols, blocks, larger, smaller };
        (blocks <= most_blocks).then_some(geometry)
    }

    /// What was said of the object.
    pub fn information(&self) -> ObjectInformation {
        self.information
    }

    /// Its length, bytes.
    pub fn bytes(&self) -> u64 {
        self.information.object_bytes
    }

    /// Bytes of a symbol.
    pub fn segment_bytes(&self) -> u16 {
        self.segment_bytes as u16
    }

    /// How many source symbols it has.
    pub fn symbols(&self) -> u64 {
        self.symbols
    }

    /// How many blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The number of the first symbol of a block; of the one behind the last that of the symbol behind the last.
    pub fn start(&self, block: u64) -> u64 {
        let block = block.min(self.blocks);
        block * self.smaller + block.min(self.larger)
    }

    /// The block that a symbol is in.
    pub fn block(&self, symbol: u64) -> u64 {
        let in_larger = self.larger * (self.smaller + 1);
        if symbol < in_larger {
            symbol / (self.smaller + 1)
        } else {
            // No symbols, no blocks: any will do.
            self.larger + (symbol - in_larger) / self.smaller.max(1)
        }
    }

    /// Where a symbol begins in the object, and how many bytes it has: the last one ends where the object does.
    pub fn place(&self, symbol: u64) -> (u64, usize) {
        let at = symbol * self.segment_bytes;
        (at, self.segment_bytes.min(self.bytes().saturating_sub(at)) as usize)
    }

    /// The numbers of a symbol on the wire.
    pub fn payload_id(&self, symbol: u64) -> PayloadId {
        let block = self.block(symbol);
        self.id_in(block, symbol - self.start(block))
    }

    /// The number of a block on the wire, with that of its first symbol.
    pub fn block_id(&self, block: u64) -> PayloadId {
        self.id_in(block, 0)
    }

    fn id_in(&self, block: u64, symbol: u64) -> PayloadId {
        match self.information.code {
            Code::ReedSolomon { m, .. } => PayloadId::ReedSolomon { bits: (block << m | symbol) as u32 },
            Code::ReedSolomon8 { .. } => PayloadId::ReedSolomon8 { block: block as u32, symbol: symbol as u8 },
            Code::SmallBlock { .. } => {
                let block_len = (self.start(block + 1) - self.start(block)) as u16;
                PayloadId::SmallBlock { block: block as u32, block_len, symbol: symbol as u16 }
            }
        }
    }

    /// Numbers of block and symbol as they stand in a message. `None` of another scheme.
    pub fn numbers(&self, id: PayloadId) -> Option<(u64, u64)> {
        let m = match self.information.code {
            Code::ReedSolomon { m, .. } => m.into(),
            _ => 8,
        };
        (id.fec_id() == self.block_id(0).fec_id())
            .then(|| id.split(m))
            .map(|(block, symbol)| (block.into(), symbol.into()))
    }

    /// What a symbol is that has these numbers. `None` if the object has no such block, or the scheme is another one.
    pub fn symbol(&self, id: PayloadId) -> Option<Symbol> {
        let (block, symbol) = self.numbers(id)?;
        if block >= self.blocks {
            return None;
        }
        let number = self.start(block) + symbol;
        Some(if number < self.start(block + 1) { Symbol::Source(number) } else { Symbol::Parity { block } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(object_bytes: u64, segment_bytes: u16, block_len: u8) -> Geometry {
        let code = Code::ReedSolomon8 { segment_bytes, block_len, encoding_symbols: 0 };
        Geometry::new(ObjectInformation { object_bytes, code }).expect("legal")
    }

    #[test]
    fn blocks_are_nearly_equal() {
        // RFC 5052 section 9.1 by hand: 11 symbols in blocks of at most 4 are 3 blocks: 4, 4, 3.
        let cut = geometry(1050, 100, 4);
        assert_eq!((cut.symbols(), cut.blocks()), (11, 3));
        assert_eq!([0, 1, 2, 3].map(|block| cut.start(block)), [0, 4, 8, 11]);
        assert_eq!(cut.place(10), (1000, 50));
        for symbol in 0..11 {
            let id = cut.payload_id(symbol);
            assert_eq!(cut.symbol(id), Some(Symbol::Source(symbol)));
            assert!((cut.start(cut.block(symbol))..cut.start(cut.block(symbol) + 1)).contains(&symbol));
        }
        assert_eq!(cut.symbol(PayloadId::ReedSolomon8 { block: 2, symbol: 3 }), Some(Symbol::Parity { block: 2 }));
        assert_eq!(cut.symbol(PayloadId::ReedSolomon8 { block: 3, symbol: 0 }), None);
        assert_eq!(cut.symbol(PayloadId::NoCode { block: 0, symbol: 0 }), None);
        assert_eq!(geometry(0, 100, 4).blocks(), 0);
    }

    #[test]
    fn other_schemes_have_their_numbers() {
        let of = |code| Geometry::new(ObjectInformation { object_bytes: 100_000, code });
        let wide = Code::ReedSolomon { m: 16, symbols: 1, segment_bytes: 100, block_len: 300, encoding_symbols: 4 };
        let small = Code::SmallBlock { instance: 0, segment_bytes: 100, block_len: 300, parity: 4 };
        for cut in [of(wide), of(small)].map(|cut| cut.expect("legal")) {
            assert_eq!((cut.symbols(), cut.blocks()), (1000, 4));
            assert_eq!(cut.symbol(cut.payload_id(999)), Some(Symbol::Source(999)));
            assert_eq!(cut.numbers(cut.payload_id(999)), Some((3, 249)));
        }
        assert_eq!(of(small).unwrap().payload_id(251), PayloadId::SmallBlock { block: 1, block_len: 250, symbol: 1 });
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let of = |object_bytes, code| Geometry::new(ObjectInformation { object_bytes, code });
        assert_eq!(of(5, Code::ReedSolomon8 { segment_bytes: 0, block_len: 4, encoding_symbols: 0 }), None);
        assert_eq!(of(5, Code::ReedSolomon8 { segment_bytes: 9, block_len: 0, encoding_symbols: 0 }), None);
        assert_eq!(
            of(5, Code::ReedSolomon { m: 0, symbols: 1, segment_bytes: 9, block_len: 9, encoding_symbols: 0 }),
            None
        );
        // More blocks than 24 bits have numbers for.
        let most = (1_u64 << 48) - 1;
        assert_eq!(of(most, Code::ReedSolomon8 { segment_bytes: 1400, block_len: 64, encoding_symbols: 0 }), None);
        assert!(of(most, Code::SmallBlock { instance: 0, segment_bytes: 1400, block_len: 255, parity: 0 }).is_some());
    }
}
