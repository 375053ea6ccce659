//! RaptorQ (RFC 6330): repair symbols of a block, and a block of any symbols that are enough.

use crate::geometry::Cut;
use crate::octets::{add_multiple, inverse, multiply};
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
        let encoder = SourceBlockEncoder::new(0, &information(cut.symbol_bytes, filled), &bytes);
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

/// Up to how many missing source symbols are found by equations of their own. They cost an encoder, whose plan is made
/// once for all blocks of a length, and their number squared; RaptorQ's own decoder makes a plan for each block. In
/// blocks of 256 symbols and more they are cheaper up to this number, by the table of `docs/delivery.md`.
const MOST_SOLVED: usize = 32;

/// The source symbols of a block of `symbols`, from at least as many symbols with their ids; nothing if these are not
/// enough. All have full length, and ids differ.
pub(crate) fn decode<'a>(cut: Cut, symbols: u16, given: impl Iterator<Item = (u32, &'a [u8])>) -> Option<Vec<u8>> {
    let given: Vec<(u32, &[u8])> = given.collect();
    let source = given.iter().filter(|(id, _)| *id < u32::from(symbols)).count();
    let missing = usize::from(symbols) - source;
    if given.len() < usize::from(symbols) {
        None
    } else if missing <= MOST_SOLVED {
        solve(cut, symbols, &given)
    } else {
        decode_all(cut, symbols, &given)
    }
}

/// By a plan for the symbols that are given.
fn decode_all(cut: Cut, symbols: u16, given: &[(u32, &[u8])]) -> Option<Vec<u8>> {
    let bytes = usize::from(symbols) * usize::from(cut.symbol_bytes);
    let mut decoder = SourceBlockDecoder::new(0, &information(cut.symbol_bytes, bytes), bytes as u64);
    decoder.decode(given.iter().map(|(id, bytes)| EncodingPacket::new(PayloadId::new(0, *id), bytes.to_vec())))
}

/// By equations for those that are missing. A repair symbol is a sum of multiples of source symbols. An encoder of the
/// block with zeros for what is missing gives what those that are there have of it; and so that it gives, too, which
/// multiples of the missing ones are lacking, each of these has an octet of its own behind its bytes that is one there,
/// and zero in all others.
fn solve(cut: Cut, symbols: u16, given: &[(u32, &[u8])]) -> Option<Vec<u8>> {
    let (count, full) = (u32::from(symbols), usize::from(cut.symbol_bytes));
    let mut block = vec![0; usize::from(symbols) * full];
    let mut is_there = vec![false; usize::from(symbols)];
    for (id, bytes) in given.iter().filter(|(id, _)| *id < count) {
        block[*id as usize * full..][..full].copy_from_slice(bytes);
        is_there[*id as usize] = true;
    }
    let missing: Vec<usize> = (0..is_there.len()).filter(|symbol| !is_there[*symbol]).collect();
    if missing.is_empty() {
        return Some(block);
    }
    // Processors like symbols of whole words.
    let width = (full + missing.len()).next_multiple_of(8);
    let mut wide = vec![0; usize::from(symbols) * width];
    block.chunks(full).zip(wide.chunks_mut(width)).for_each(|(symbol, wide)| wide[..full].copy_from_slice(symbol));
    missing.iter().enumerate().for_each(|(at, symbol)| wide[symbol * width + full + at] = 1);
    let encoder = SourceBlockEncoder::new(0, &information(width as u16, wide.len()), &wide);
    let mut equations: Vec<Equation> = Vec::with_capacity(missing.len());
    for (id, bytes) in given.iter().filter(|(id, _)| *id >= count) {
        let [packet] = &encoder.repair_packets(id - count, 1)[..] else { return None };
        let (sum, multiples) = packet.data().split_at(full);
        let sum = sum.iter().zip(*bytes).map(|(there, all)| there ^ all).collect();
        Equation::join(multiples[..missing.len()].to_vec(), sum, &mut equations);
        if equations.len() == missing.len() {
            for Equation { own, sum, .. } in equations {
                block[missing[own] * full..][..full].copy_from_slice(&sum);
            }
            return Some(block);
        }
    }
    None
}

/// Multiples of missing symbols whose sum is known.
struct Equation {
    multiples: Vec<u8>,
    sum: Vec<u8>,
    /// The symbol that it has once, and none of the others has.
    own: usize,
}

impl Equation {
    /// Joins others, unless it follows from them.
    fn join(multiples: Vec<u8>, sum: Vec<u8>, others: &mut Vec<Equation>) {
        let mut new = Equation { multiples, sum, own: 0 };
        others.iter().for_each(|other| new.rid_of(other));
        let Some(own) = new.multiples.iter().position(|multiple| *multiple != 0) else { return };
        let inverse = inverse(new.multiples[own]);
        multiply(&mut new.multiples, inverse);
        multiply(&mut new.sum, inverse);
        new.own = own;
        others.iter_mut().for_each(|other| other.rid_of(&new));
        others.push(new);
    }

    /// Loses the symbol that is another's own.
    fn rid_of(&mut self, other: &Equation) {
        let multiple = self.multiples[other.own];
        add_multiple(&mut self.multiples, multiple, &other.multiples);
        add_multiple(&mut self.sum, multiple, &other.sum);
    }
}

/// A block by itself as the crate wants it described.
fn information(symbol_bytes: u16, bytes: usize) -> ObjectTransmissionInformation {
    ObjectTransmissionInformation::new(bytes as u64, symbol_bytes, 1, 1, 1)
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

    /// A block of `symbols`, and of it what is left without the source symbols `lost`, with so many repair symbols from
    /// number `first` on.
    fn without(lost: &[u32], symbols: u16, (first, repair): (u32, u32)) -> (Vec<u8>, Vec<(u32, Vec<u8>)>) {
        let full = usize::from(CUT.symbol_bytes);
        let bytes: Vec<u8> = (0..usize::from(symbols) * full).map(|at| (at * 31 % 251) as u8).collect();
        let mut encoders = Encoders::default();
        encoders.make((1, 0), CUT, &bytes);
        let source = bytes.chunks(full).zip(0..).map(|(bytes, id)| (id, bytes.to_vec()));
        let mut given: Vec<_> = source.filter(|(id, _)| !lost.contains(id)).collect();
        for number in first..first + repair {
            let mut symbol = Vec::new();
            encoders.append((1, 0), number, &mut symbol);
            given.push((u32::from(symbols) + number, symbol));
        }
        (bytes, given)
    }

    const CUT: Cut = Cut { symbol_bytes: 72, block_symbols: 512 };

    fn chosen(cut: Cut, symbols: u16, given: &[(u32, &[u8])]) -> Option<Vec<u8>> {
        decode(cut, symbols, given.iter().copied())
    }

    fn given(of: &[(u32, Vec<u8>)]) -> Vec<(u32, &[u8])> {
        of.iter().map(|(id, bytes)| (*id, &bytes[..])).collect()
    }

    #[test]
    fn equations_and_plans_give_one_block() {
        for symbols in [1u16, 5, 64, 200] {
            for missing in [0, 1, 2, 7, MOST_SOLVED, MOST_SOLVED + 1].into_iter().filter(|m| *m <= symbols.into()) {
                let lost: Vec<u32> = (0..missing as u32).map(|at| at * u32::from(symbols) / missing as u32).collect();
                // Some of those that have come last are more than is needed.
                let first = if missing == 2 { crate::symbol::FIRST_ABOVE } else { missing as u32 * 3 };
                let (bytes, there) = without(&lost, symbols, (first, missing as u32 + 2));
                for decoded in [chosen, solve, decode_all] {
                    assert_eq!(decoded(CUT, symbols, &given(&there)), Some(bytes.clone()), "{missing} of {symbols}");
                }
            }
        }
    }

    #[test]
    fn what_says_nothing_new_is_no_equation() {
        // Twice the same symbol, as no receiver gives it: the second follows from the first.
        let (bytes, mut there) = without(&[3, 9], 20, (0, 2));
        let last = there.pop().expect("two of repair");
        there.push(there[there.len() - 1].clone());
        assert_eq!(solve(CUT, 20, &given(&there)), None);
        there.push(last);
        assert_eq!(solve(CUT, 20, &given(&there)), Some(bytes));
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

    /// `cargo test --release -p faircast-deliver cost -- --ignored --nocapture`: the table of `docs/delivery.md`.
    #[test]
    #[ignore = "it takes a minute and is told, not judged"]
    fn what_encoders_and_decoders_cost() {
        let cpu = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
            time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
        };
        let cut = Cut { symbol_bytes: 1200, block_symbols: 1024 };
        println!("symbols, missing: CPU s per GB of an encoder, of RaptorQ's decoder, of equations");
        for symbols in [64u16, 128, 256, 512, 1024] {
            let full = usize::from(cut.symbol_bytes);
            let bytes: Vec<u8> = (0..usize::from(symbols) * full).map(|at| (at * 31 % 251) as u8).collect();
            let times = (100_000_000 / bytes.len()).max(3);
            let per_gb = |work: &mut dyn FnMut()| {
                work();
                let before = cpu();
                (0..times).for_each(|_| work());
                (cpu() - before) / (times * bytes.len()) as f64 * 1e9
            };
            let mut encoders = Encoders::default();
            let encoder = per_gb(&mut || encoders.make((1, 0), cut, &bytes));
            for missing in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().filter(|missing| missing * 4 <= symbols) {
                let mut there: Vec<(u32, Vec<u8>)> =
                    bytes.chunks(full).zip(0..).skip(missing.into()).map(|(bytes, id)| (id, bytes.to_vec())).collect();
                for number in 0..u32::from(missing) + 2 {
                    let mut symbol = Vec::new();
                    encoders.append((1, 0), number, &mut symbol);
                    there.push((u32::from(symbols) + number, symbol));
                }
                let there = given(&there);
                let [all, few] = [decode_all, solve].map(|decode| {
                    per_gb(&mut || assert!(decode(cut, symbols, &there).is_some_and(|decoded| decoded == bytes)))
                });
                println!("{symbols}, {missing}: {encoder:.2}, {all:.2}, {few:.2}");
            }
        }
    }
}
