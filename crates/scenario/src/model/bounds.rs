//! What rates and delays links can have.

use faircast_proto::limits::{Range, from, to};
use faircast_proto::time::{Duration, Rate};

/// The rates that the transmitters of links can keep.
pub(crate) fn rates<C>() -> Range<C, Rate> {
    from(Rate(10)).to(Rate(10_000_000_000_000))
}

/// The delays of links.
pub(crate) fn delays<C>() -> Range<C, Duration> {
    to(Duration::from_secs(3600)).because("for light is at Saturn by then")
}
