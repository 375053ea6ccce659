//! Numbers of segments: 64 bits inside, which do not wrap, their low 32 bits on the wire, which do.
//!
//! "All arithmetic dealing with sequence numbers must be performed modulo 2^32" (RFC 9293 section 3.4). It is done
//! once, where a number arrives: of all that have these low bits the one nearest to a number that the host knows is
//! meant. Behind this border `<` means what it says, in sets and scoreboards, too.

use super::header::SackBlock;

/// Segments `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First segment.
    pub start: u64,
    /// First segment after it.
    pub end: u64,
}

/// The number nearest to `near` whose low half is `wire`; `None` if it would lie before the first segment. Right as
/// long as both are less than 2^31 apart: windows are smaller.
#[inline]
pub fn expand(wire: u32, near: u64) -> Option<u64> {
    near.checked_add_signed(i64::from(wire.wrapping_sub(on_wire(near)) as i32))
}

/// What of a number is on the wire.
#[inline]
pub fn on_wire(number: u64) -> u32 {
    number as u32
}

impl Run {
    /// The segments that a block from the wire reports, near `near`; `None` if it is empty or turned round.
    #[inline]
    pub fn reported(block: SackBlock, near: u64) -> Option<Run> {
        let run = Run { start: expand(block.start, near)?, end: expand(block.end, near)? };
        (run.start < run.end).then_some(run)
    }

    /// The block that reports these segments.
    pub fn block(self) -> SackBlock {
        SackBlock { start: on_wire(self.start), end: on_wire(self.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: u64 = 1 << 32;

    #[test]
    fn numbers_are_found_on_both_sides_of_the_turn() {
        for (wire, near, expected) in [
            (0, 0, Some(0)),
            (7, 3, Some(7)),
            (3, 7, Some(3)),
            (u32::MAX, 0, None),
            (0x7fff_ffff, 0, Some(0x7fff_ffff)),
            (0x8000_0000, 0, None),
            (2, TURN - 3, Some(TURN + 2)),
            (u32::MAX, TURN + 5, Some(TURN - 1)),
            (5, 7 * TURN - 1, Some(7 * TURN + 5)),
        ] {
            assert_eq!(expand(wire, near), expected, "{wire} near {near}");
        }
    }

    #[test]
    fn blocks_span_the_turn_and_back() {
        let run = Run { start: TURN - 2, end: TURN + 3 };
        assert_eq!(run.block(), SackBlock { start: u32::MAX - 1, end: 3 });
        assert_eq!(Run::reported(run.block(), TURN - 9), Some(run));
        assert_eq!(Run::reported(run.block(), TURN + 9), Some(run));
        for (start, end) in [(0, 0), (5, 5), (9, 4), (u32::MAX, 2)] {
            assert_eq!(Run::reported(SackBlock { start, end }, 3), None, "{start} {end}");
        }
    }
}
