//! What the datagrams of a source say of themselves to queues that mark.

use crate::packet::Ecn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ECN field of datagrams. A source of constant rate answers no marks: they are counted, and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EcnField")]
#[serde(rename_all = "lowercase")]
pub enum Codepoint {
    /// Not ECN-capable.
    #[default]
    Off,
    /// ECT(0), ECN-capable (RFC 3168, section 5).
    Ect0,
    /// ECT(1), for the low-latency queue of those that have one (RFC 9331, section 4.1).
    Ect1,
}

/// Whether there is nothing to write: scenarios from before there was a choice stay what they are.
pub(super) fn is_off(codepoint: &Codepoint) -> bool {
    *codepoint == Codepoint::Off
}

impl From<Codepoint> for Ecn {
    fn from(codepoint: Codepoint) -> Ecn {
        match codepoint {
            Codepoint::Off => Ecn::NotCapable,
            Codepoint::Ect0 => Ecn::Capable,
            Codepoint::Ect1 => Ecn::Scalable,
        }
    }
}
