//! How an object is cut into blocks, and blocks into symbols.
//!
//! Blocks of an object have nearly the same number of symbols, the first ones one more than the others: the algorithm
//! of RFC 5052 for partitioning. So two plans of the code serve all blocks of an object.

use crate::failure::Malformed;

/// Sizes that all objects of an offer share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of a symbol: what a packet carries.
    pub symbol_bytes: u16,
    /// The most source symbols of a block.
    pub block_symbols: u16,
}

/// Legal sizes of symbols, bytes: below, headers outweigh them; above, no packet has room.
pub const SYMBOL_BYTES: std::ops::RangeInclusive<u16> = 64..=65_000;
/// Legal numbers of symbols in a block. RaptorQ could have 56 403 (RFC 6330); beyond these the code gets slow.
pub const BLOCK_SYMBOLS: std::ops::RangeInclusive<u16> = 1..=8192;
/// The longest object, bytes, so that blocks have numbers of 32 bits and positions never overflow.
pub const MOST_BYTES: u64 = 1 << 48;

/// An object of a length, cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    cut: Cut,
    length: u64,
    /// Symbols of all blocks together.
    symbols: u64,
    blocks: u32,
    /// How many blocks, the first ones, are larger by one symbol.
    larger: u32,
    /// Symbols of the others.
    smaller: u16,
}

impl Cut {
    /// Whether both sizes are legal.
    ///
    /// # Errors
    ///
    /// One of them is out of its range.
    pub fn check(self) -> Result<Cut, Malformed> {
        if !SYMBOL_BYTES.contains(&self.symbol_bytes) {
            return Err(Malformed("symbols of 64 to 65000 bytes are legal"));
        }
        if !BLOCK_SYMBOLS.contains(&self.block_symbols) {
            return Err(Malformed("blocks of 1 to 8192 symbols are legal"));
        }
        Ok(self)
    }
}

impl Geometry {
    /// An object of `length` bytes, cut so. An empty one has no blocks.
    ///
    /// # Errors
    ///
    /// The object is longer than [`MOST_BYTES`] or has more blocks than 32 bits count.
    pub fn new(cut: Cut, length: u64) -> Result<Geometry, Malformed> {
        let cut = cut.check()?;
        if length > MOST_BYTES {
            return Err(Malformed("an object may have 2^48 bytes"));
        }
        let symbols = length.div_ceil(u64::from(cut.symbol_bytes));
        let blocks = u32::try_from(symbols.div_ceil(u64::from(cut.block_symbols)))
            .map_err(|_| Malformed("an object may have 2^32 blocks"))?;
        let (larger, smaller) = match u64::from(blocks) {
            0 => (0, 0),
            number => ((symbols % number) as u32, (symbols / number) as u16),
        };
        Ok(Geometry { cut, length, symbols, blocks, larger, smaller })
    }

    /// The object's length, bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// How many source symbols all blocks have together.
    pub fn symbols(&self) -> u64 {
        self.symbols
    }

    /// How many source symbols a block has: K of RFC 6330.
    pub fn symbols_of(&self, block: u32) -> u16 {
        self.smaller + u16::from(block < self.larger)
    }

    /// Where a block begins, bytes.
    pub fn start_of(&self, block: u32) -> u64 {
        let before = u64::from(block) * u64::from(self.smaller) + u64::from(block.min(self.larger));
        before * u64::from(self.cut.symbol_bytes)
    }

    /// How many bytes of the object a block has: the last one ends where the object does.
    pub fn bytes_of(&self, block: u32) -> usize {
        let full = usize::from(self.symbols_of(block)) * usize::from(self.cut.symbol_bytes);
        full.min((self.length - self.start_of(block)) as usize)
    }

    /// How many bytes a symbol has in a packet: the last one of an object is not filled up.
    pub fn symbol_bytes(&self, block: u32, symbol: u32) -> usize {
        let full = usize::from(self.cut.symbol_bytes);
        if symbol >= u32::from(self.symbols_of(block)) {
            return full;
        }
        full.min(self.bytes_of(block) - symbol as usize * full)
    }

    /// The sizes that it was cut by.
    pub fn cut(&self) -> Cut {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(symbol_bytes: u16, block_symbols: u16, length: u64) -> Geometry {
        Geometry::new(Cut { symbol_bytes, block_symbols }, length).expect("legal")
    }

    #[test]
    fn blocks_are_nearly_equal_and_the_first_ones_larger() {
        // 1000 bytes in symbols of 64 are 16 symbols; in blocks of 5 at most that makes 4 blocks of 4.
        let even = geometry(64, 5, 1000);
        assert_eq!((even.blocks(), even.symbols()), (4, 16));
        assert_eq!([0, 1, 2, 3].map(|block| even.symbols_of(block)), [4, 4, 4, 4]);
        // 18 symbols make 4 blocks of 5, 5, 4, 4.
        let uneven = geometry(64, 5, 64 * 17 + 1);
        assert_eq!([0, 1, 2, 3].map(|block| uneven.symbols_of(block)), [5, 5, 4, 4]);
        assert_eq!([0, 1, 2, 3].map(|block| uneven.start_of(block)), [0, 320, 640, 896]);
        assert_eq!(uneven.bytes_of(3), 3 * 64 + 1);
        assert_eq!(uneven.symbol_bytes(3, 3), 1);
        assert_eq!(uneven.symbol_bytes(3, 4), 64, "repair symbols are full");
    }

    #[test]
    fn blocks_cover_objects_without_gaps() {
        for length in (0..5000).step_by(7).chain([1 << 30, (1 << 40) + 1]) {
            let object = geometry(64, 7, length);
            let mut at = 0;
            for block in (0..object.blocks()).take(1000) {
                assert_eq!(object.start_of(block), at, "length {length}");
                at += object.bytes_of(block) as u64;
                let symbols: usize =
                    (0..u32::from(object.symbols_of(block))).map(|symbol| object.symbol_bytes(block, symbol)).sum();
                assert_eq!(symbols, object.bytes_of(block));
            }
            assert!(object.blocks() > 1000 || at == length);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (symbol_bytes, block_symbols, length) in
            [(63, 5, 1), (65_001, 5, 1), (64, 0, 1), (64, 8193, 1), (64, 5, MOST_BYTES + 1), (64, 1, MOST_BYTES)]
        {
            assert!(Geometry::new(Cut { symbol_bytes, block_symbols }, length).is_err());
        }
        assert_eq!(geometry(64, 5, 0).blocks(), 0);
    }
}
