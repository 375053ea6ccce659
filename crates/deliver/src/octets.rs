//! Arithmetic of octets, by which RaptorQ's symbols are put together (RFC 6330): addition is exclusive or, products are
//! those of GF(256) by x^8 + x^4 + x^3 + x^2 + 1.

/// What is taken off where a power of two has a ninth bit.
const POLYNOMIAL: u8 = 0x1d;

/// Twice an octet.
const fn twice(octet: u8) -> u8 {
    octet << 1 ^ if octet >> 7 == 1 { POLYNOMIAL } else { 0 }
}

/// Multiples by 1, 2, 4 and so on.
const fn doubled(octet: u8) -> [u8; 8] {
    let (mut multiples, mut at) = ([octet; 8], 1);
    while at < 8 {
        multiples[at] = twice(multiples[at - 1]);
        at += 1;
    }
    multiples
}

/// A product.
pub(crate) fn times(one: u8, other: u8) -> u8 {
    let multiples = doubled(one);
    (0..8).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ multiples[bit])
}

/// What gives 1 with an octet that is not 0: its 254th power, as the 255th of each is 1.
pub(crate) fn inverse(octet: u8) -> u8 {
    // 254 is 2 + 4 + ... + 128.
    let (mut power, mut product) = (octet, 1);
    for _ in 1..8 {
        power = times(power, power);
        product = times(product, power);
    }
    product
}

/// Adds a multiple of a symbol to another of the same length. Each step is one of single bits, of which processors do
/// many at once without a table.
pub(crate) fn add_multiple(into: &mut [u8], octet: u8, of: &[u8]) {
    debug_assert_eq!(into.len(), of.len(), "symbols have one length");
    match octet {
        0 => {}
        1 => into.iter_mut().zip(of).for_each(|(into, of)| *into ^= of),
        _ => {
            let multiples = doubled(octet);
            for (into, of) in into.iter_mut().zip(of) {
                let mut sum = 0;
                for (bit, multiple) in multiples.iter().enumerate() {
                    sum ^= multiple & 0u8.wrapping_sub(of >> bit & 1);
                }
                *into ^= sum;
            }
        }
    }
}

/// Multiplies a symbol.
pub(crate) fn multiply(symbol: &mut [u8], octet: u8) {
    if octet != 1 {
        let of = symbol.to_vec();
        symbol.fill(0);
        add_multiple(symbol, octet, &of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_powers_of_two() {
        // All but 0 are powers of 2, by which the RFC has its tables: these are the first, and some from further on.
        let mut powers = vec![1u8];
        (1..255).for_each(|at| powers.push(twice(powers[at - 1])));
        assert_eq!(powers[..10], [1, 2, 4, 8, 16, 32, 64, 128, 29, 58]);
        assert_eq!(powers[245..], [233, 207, 131, 27, 54, 108, 216, 173, 71, 142]);
        for (one, a) in powers.iter().enumerate() {
            assert_eq!(times(*a, inverse(*a)), 1);
            assert_eq!((times(*a, 0), times(0, *a)), (0, 0));
            for (other, b) in powers.iter().enumerate() {
                assert_eq!(times(*a, *b), powers[(one + other) % 255]);
            }
        }
    }

    #[test]
    fn symbols_are_multiplied_octet_by_octet() {
        let of: Vec<u8> = (0..=255).collect();
        for octet in 0..=255 {
            let mut sum: Vec<u8> = (0..=255).rev().collect();
            add_multiple(&mut sum, octet, &of);
            let mut product = of.clone();
            multiply(&mut product, octet);
            for (at, byte) in (0..=255).enumerate() {
                assert_eq!((product[at], sum[at]), (times(octet, byte), times(octet, byte) ^ (255 - byte)));
            }
        }
    }
}
