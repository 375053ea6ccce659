//! RaptorQ (RFC 6330): repair symbols of a block, and a block of any symbols that are enough.

use crate::geometry::Cut;
use raptorq::{EncodingPacket, ObjectTransmissionInformation, PayloadId, SourceBlockDecoder, SourceBlockEncoder};

/// How many encoders are kept: requests come for one block after the other.
const MOST_ENCODERS: usize = 4;

/// Encoders of blocks for which repair was asked. Making one takes nearly all the time that repair takes, so it is
/// made at the first request.
#[derive(Default)]
pub(crate) struct Encoders {
    /// The encoder used last comes first.
    made: Vec<((u32, u32), SourceBlockEncoder)>,
}

impl Encoders {
    /// Whether there is an encoder for this block.
    pub(crate) fn has(&self, block: (u32, u32)) -> bool {
        self.made.iter().any(|(other, _)| *other == block)
    }

    /// Makes the encoder of a block of these bytes.
    pub(crate) fn make(&mut self, block: (u32, u32), cut: Cut, bytes: &[u8]) {
        let filled = bytes.len().next_multiple_of(usize::from(cut.symbol_bytes));
        let mut bytes = bytes.to_vec();
        bytes.resize(filled, 0);
        let encoder = SourceBlockEncoder::new(0, &information(cut, filled), &bytes);
        self.made.insert(0, (block, encoder));
        self.made.truncate(MOST_ENCODERS);
    }

    /// Appends repair symbol `number`, the first being 0, of a block that has an encoder.
    pub(crate) fn append(&mut self, block: (u32, u32), number: u32, out: &mut Vec<u8>) {
        let at = self.made.iter().position(|(other, _)| *other == block).expect("it was made");
        self.made[..=at].rotate_right(1);
        for packet in self.made[0].1.repair_packets(number, 1) {
            out.extend_from_slice(packet.data());
        }
    }
}

/// The source symbols of a block of `symbols`, from at least as many symbols with their ids; nothing if these are not
/// enough. All have full length, and ids differ.
pub(crate) fn decode<'a>(cut: Cut, symbols: u16, given: impl Iterator<Item = (u32, &'a [u8])>) -> Option<Vec<u8>> {
    let bytes = usize::from(symbols) * usize::from(cut.symbol_bytes);
    let mut decoder = SourceBlockDecoder::new(0, &information(cut, bytes), bytes as u64);
    decoder.decode(given.map(|(id, bytes)| EncodingPacket::new(PayloadId::new(0, id), bytes.to_vec())))
}

/// A block by itself as the crate wants it described.
fn information(cut: Cut, bytes: usize) -> ObjectTransmissionInformation {
    ObjectTransmissionInformation::new(bytes as u64, cut.symbol_bytes, 1, 1, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_symbols_that_are_enough_give_the_block() {
        let cut = Cut { symbol_bytes: 64, block_symbols: 20 };
        for symbols in [1u16, 2, 9, 20] {
            let bytes: Vec<u8> = (0..usize::from(symbols) * 64 - 5).map(|at| (at * 31 % 251) as u8).collect();
            let mut encoders = Encoders::default();
            assert!(!encoders.has((1, 2)));
            encoders.make((1, 2), cut, &bytes);
            assert!(encoders.has((1, 2)));
            let mut filled = bytes.clone();
            filled.resize(usize::from(symbols) * 64, 0);
            // Every second source symbol is lost, and the first repair symbols with them.
            let mut given: Vec<(u32, Vec<u8>)> = filled
                .chunks(64)
                .enumerate()
                .skip(1)
                .step_by(2)
                .map(|(id, bytes)| (id as u32, bytes.to_vec()))
                .collect();
            for number in 5..5 + u32::from(symbols) + 3 {
                let mut symbol = Vec::new();
                encoders.append((1, 2), number, &mut symbol);
                given.push((u32::from(symbols) + number, symbol));
            }
            let decoded = decode(cut, symbols, given.iter().map(|(id, bytes)| (*id, &bytes[..])));
            assert_eq!(decoded, Some(filled), "{symbols} symbols");
            let few = given.iter().take(usize::from(symbols) - 1).map(|(id, bytes)| (*id, &bytes[..]));
            assert_eq!(decode(cut, symbols, few), None);
        }
    }

    #[test]
    fn a_few_encoders_are_kept() {
        let cut = Cut { symbol_bytes: 64, block_symbols: 4 };
        let mut encoders = Encoders::default();
        for block in 0..=MOST_ENCODERS as u32 {
            encoders.make((0, block), cut, &[block as u8; 100]);
            encoders.append((0, 0), 0, &mut Vec::new());
        }
        assert!(encoders.has((0, 0)), "used all the time");
        assert!(!encoders.has((0, 1)), "the longest unused one");
    }
}
