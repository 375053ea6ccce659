//! What a sender is told, and what TFMCC is told of that.

use faircast_proto::quantity::Bytes;
use faircast_proto::tfmcc::{Config, MaxRttRule, SeedFloor};
use faircast_proto::time::{Duration, Rate};

/// What a sender is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its number, NormNodeId; not one of [`NOBODY`](crate::NOBODY).
    pub node: u32,
    /// Tells this start of it from others.
    pub instance: u16,
    /// Bytes of an IP packet with a symbol, at most: s of the rate.
    pub packet_bytes: u16,
    /// Its packets are spaced by this.
    pub max_rate: Rate,
    /// K: by how many greatest round-trip times NACKs are spread. 4 where receivers hear each other; where they do not,
    /// which is seen when one speaks to this host alone, it is 6 at least (section 6).
    pub backoff: u8,
    /// How many receivers there may be. Section 6 recommends 10 000.
    pub group_size: u64,
}

impl Settings {
    /// TFMCC with the granularity and the silence of hosts (`faircast_wire::session::host_defaults`). R_max is the
    /// recent peak, as is the GRTT that the messages have in its place, and the first loss has the seed of TFRC. There
    /// is no start of its own: NORM's messages have no place for what it says.
    pub(super) fn tfmcc(&self) -> Config {
        Config {
            packet_size: Bytes(self.packet_bytes.into()),
            max_rate: Some(self.max_rate),
            granularity: Duration::from_millis(10),
            silence_floor: Duration::from_millis(50),
            max_rtt: MaxRttRule::Recent,
            seed_floor: SeedFloor::Half,
            ..Config::default()
        }
    }
}
