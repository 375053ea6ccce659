//! What rates and packet sizes a source may have.

use crate::quantity::Bytes;
use crate::time::Rate;
use crate::wire::Layout;

/// The highest rate of a source: packets must not come so close together that time stands still.
pub(super) const MOST_RATE: Rate = Rate(1_000_000_000_000);

/// What is wrong with rate and packet size, for `check`; `data` is what its packets are.
pub(super) fn check_rate_and_size(rate: Rate, packet_size: Bytes, data: &Layout) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    if rate.0 == 0 {
        wrong.push(("rate".to_owned(), "0 bit/s given; it must be positive".to_owned()));
    }
    if rate > MOST_RATE {
        wrong.push(("rate".to_owned(), format!("{} bit/s given; legal is at most {} bit/s", rate.0, MOST_RATE.0)));
    }
    wrong.extend(data.complaint(packet_size.0).map(|message| ("packet_size".to_owned(), message)));
    wrong
}
