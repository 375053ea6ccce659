//! What a scenario says of return channels: carriers on which many terminals send in slots.

use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from};
use faircast_proto::quantity::Bytes;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A carrier on which many terminals send in slots, or changes to one of that name that the topology makes.
///
/// A new one needs `links`, `superframe`, `slots`, `payload` and `access`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReturnChannel", transform = limits::declare::<ReturnEntry>)]
#[serde(default)]
pub struct ReturnEntry {
    /// Directions of links that have no transmitter of their own and send on it, a terminal each: names as "up-0" or
    /// "line.back", and patterns as "up-*". Their rate is that of the carrier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// How long a superframe is, 1 ms to 10 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superframe: Option<Duration>,
    /// Slots in a superframe, all of one length, up to 100000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// What a slot takes, up to 65535 B, with headers of the link layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Bytes>,
    /// Who sends when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessEntry>,
}

/// How terminals come to slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReturnAccess")]
#[serde(tag = "kind")]
pub enum AccessEntry {
    /// Each has the same slots in each superframe (constant rate assignment).
    #[serde(rename = "cra")]
    Constant(ConstantAccess),
    /// Terminals ask for slots in each superframe (rate-based dynamic capacity).
    #[serde(rename = "rbdc")]
    Rate(RateAccess),
    /// Terminals ask for slots for what waits (volume-based dynamic capacity).
    #[serde(rename = "vbdc")]
    Volume(VolumeAccess),
    /// Terminals send in the next slot without asking, and what meets something else is lost or sent again.
    #[serde(rename = "aloha")]
    Aloha(AlohaAccess),
}

/// Each has the same slots in each superframe (constant rate assignment).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<ConstantAccess>)]
#[serde(default)]
pub struct ConstantAccess {
    /// Slots of each terminal in a superframe. Default: as many as there are for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<u32>,
    /// Whether all share the slots that are left. Default false.
    pub free: bool,
}

/// Terminals ask for slots in each superframe (rate-based dynamic capacity).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<RateAccess>)]
#[serde(default)]
pub struct RateAccess {
    /// From a request to the first superframe that may be assigned by it, rounded up to superframes, at least one.
    /// Default: twice the longest delay of `links`, which is there and back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// For how many superframes a rate holds if no other is asked for. Default 5.
    pub persistence: u32,
    /// Slots that each terminal has in each superframe besides. Default 0.
    pub constant: u32,
    /// Slots in a superframe that a terminal gets on demand at most. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Whether all share the slots for which nobody has asked. Default false.
    pub free: bool,
}

/// Terminals ask for slots for what waits (volume-based dynamic capacity).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<VolumeAccess>)]
#[serde(default)]
pub struct VolumeAccess {
    /// From a request to the first superframe that may be assigned by it, rounded up to superframes, at least one.
    /// Default: twice the longest delay of `links`, which is there and back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Slots that each terminal has in each superframe besides. Default 0.
    pub constant: u32,
    /// Slots in a superframe that a terminal gets on demand at most. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Whether all share the slots for which nobody has asked. Default false.
    pub free: bool,
}

/// Terminals send in the next slot without asking, and what meets something else is lost or sent again (slotted ALOHA).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<AlohaAccess>)]
#[serde(default)]
pub struct AlohaAccess {
    /// How often a packet is sent again at most. Default 0: what meets something else is lost.
    pub retries: u32,
    /// From the end of a packet until its terminal knows that it has met another. Default: twice the longest delay of
    /// `links`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Slots of which one is drawn to send again, after the first collision of a packet; twice as many after each
    /// further one, up to ten times. Default 8.
    pub backoff: u32,
}

limits! { ReturnEntry {
    superframe: from(Duration::from_millis(1)).to(Duration::from_secs(10)),
    slots: from(1).to(100_000),
    payload: above(Bytes(0)).to(Bytes(65_535)),
} }

limits! { ConstantAccess { constant: from(1).to(100_000) } }
limits! { RateAccess {
    delay: delays(),
    persistence: from(1).to(1000),
    constant: faircast_proto::limits::to(100_000),
    most: from(1).to(100_000),
} }
limits! { VolumeAccess {
    delay: delays(),
    constant: faircast_proto::limits::to(100_000),
    most: from(1).to(100_000),
} }

limits! { AlohaAccess {
    retries: faircast_proto::limits::to(100),
    delay: delays(),
    backoff: from(1).to(100_000),
} }

/// From a request to the superframe that is assigned by it.
fn delays<C>() -> limits::Range<C, Duration> {
    faircast_proto::limits::to(Duration::from_secs(10))
}

impl Default for RateAccess {
    fn default() -> RateAccess {
        // As `DynamicRatePersistence` in SNS3.
        RateAccess { delay: None, persistence: 5, constant: 0, most: None, free: false }
    }
}

impl Default for AlohaAccess {
    fn default() -> AlohaAccess {
        AlohaAccess { retries: 0, delay: None, backoff: 8 }
    }
}

impl ReturnEntry {
    /// Every field with an illegal value: its path below the entry, and what was given and what is legal.
    pub(crate) fn check(&self) -> Vec<(String, String)> {
        let of_access = match &self.access {
            None => Vec::new(),
            Some(AccessEntry::Constant(access)) => access.beyond_limits(),
            Some(AccessEntry::Rate(access)) => access.beyond_limits(),
            Some(AccessEntry::Volume(access)) => access.beyond_limits(),
            Some(AccessEntry::Aloha(access)) => access.beyond_limits(),
        };
        let of_access = of_access.into_iter().map(|(field, message)| (format!("access.{field}"), message));
        self.beyond_limits().into_iter().chain(of_access).collect()
    }

    /// The entry completed by `base` where nothing is said.
    pub(crate) fn over(&self, base: &ReturnEntry) -> ReturnEntry {
        ReturnEntry {
            links: if self.links.is_empty() { base.links.clone() } else { self.links.clone() },
            superframe: self.superframe.or(base.superframe),
            slots: self.slots.or(base.slots),
            payload: self.payload.or(base.payload),
            access: self.access.as_ref().or(base.access.as_ref()).cloned(),
        }
    }
}
