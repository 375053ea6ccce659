//! Numbers of blocks as symbols and requests have them: 64 bits in an object and a block of 32 bits each.

use crate::symbol::MANIFEST;

/// Where the block with this number is: the object, from 1 on, and the block in it.
pub(super) fn place(number: u64) -> (u32, u32) {
    (1 + (number >> 32) as u32, number as u32)
}

/// The number of the block of an object; none of the object that stands for heads.
pub(super) fn number((object, block): (u32, u32)) -> Option<u64> {
    (object != MANIFEST).then(|| u64::from(object - 1) << 32 | u64::from(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_behind_32_bits() {
        for (of, at) in [(0, (1, 0)), (u64::from(u32::MAX), (1, u32::MAX)), (1 << 32, (2, 0)), ((5 << 32) + 7, (6, 7))]
        {
            assert_eq!((place(of), number(at)), (at, Some(of)));
        }
        assert_eq!(number((MANIFEST, 3)), None);
    }
}
