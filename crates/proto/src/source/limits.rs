//! What rates a source may have.

use crate::limits::{Range, above};
use crate::time::Rate;

/// The highest rate of a source: packets must not come so close together that time stands still.
pub(super) const MOST_RATE: Rate = Rate(1_000_000_000_000);

/// The rates that a source may have.
pub(super) fn rates<C>() -> Range<C, Rate> {
    above(Rate(0)).to(MOST_RATE)
}
