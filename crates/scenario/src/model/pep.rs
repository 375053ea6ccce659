//! What a scenario says of relays that split TCP connections.

use super::nodes::Nodes;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::quantity::{Bytes, Packets};
use faircast_proto::tcp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Proxies that split TCP connections (RFC 3135 section 2.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pep", transform = limits::declare::<PepEntry>)]
pub struct PepEntry {
    /// The nodes where they are, in the order in which data comes there: of each its name, or a list with one for each
    /// flow, as in `from`.
    pub at: Vec<Nodes>,
    /// The rule for the window of what they send. Default: as the flow says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<tcp::Variant>,
    /// The congestion window with which they begin to send. Default: as the flow says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_cwnd: Option<Packets>,
    /// Whether they open connections to each other with TCP's handshake. One connection that is there all the time and
    /// carries many (RFC 3135 section 2.4) needs none. Default: as the flow says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<bool>,
    /// What each of them may hold of a connection: what has come and has not been acknowledged on the far side. From
    /// two segments to 65535. Default "1 MB".
    #[serde(default = "buffer")]
    pub buffer: Bytes,
}

limits! { PepEntry { initial_cwnd: from(Packets(1.0)) } }

/// The default: more than a second at 5 Mbit/s. A choice.
fn buffer() -> Bytes {
    Bytes(1_000_000)
}

impl PepEntry {
    /// Every field with an illegal value: its path below the entry, and what was given and what is legal. Segments have
    /// so many bytes.
    pub(crate) fn check(&self, segment_bytes: u64) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        if self.at.is_empty() {
            wrong.push(("at".to_owned(), "the list is empty; legal is a node or more".to_owned()));
        }
        if self.handshake.is_some() && self.at.len() == 1 {
            let message = "there is one proxy, which opens no connection to another; leave it out";
            wrong.push(("handshake".to_owned(), message.to_owned()));
        }
        let [least, most] = [2, u64::from(u16::MAX)].map(|segments: u64| segments.saturating_mul(segment_bytes));
        if !(least..=most).contains(&self.buffer.0) {
            let message = format!("{} B given; legal is two segments, {least} B, to 65535, {most} B", self.buffer.0);
            wrong.push(("buffer".to_owned(), message));
        }
        wrong
    }

    /// The parameters of what they send for a flow with these.
    pub(crate) fn config(&self, flow: &tcp::Config) -> tcp::Config {
        let mut config = tcp::Config { segments: None, ..flow.clone() };
        if let Some(variant) = &self.variant {
            config.variant = variant.clone();
        }
        if let Some(initial_cwnd) = self.initial_cwnd {
            config.initial_cwnd = initial_cwnd;
        }
        config
    }

    /// The parameters of what they send to each other.
    pub(crate) fn between(&self, flow: &tcp::Config) -> tcp::Config {
        let config = self.config(flow);
        tcp::Config { handshake: self.handshake.unwrap_or(config.handshake), ..config }
    }

    /// How many segments of so many bytes each of them may hold.
    pub(crate) fn room(&self, segment_bytes: u64) -> u16 {
        u16::try_from(self.buffer.0 / segment_bytes.max(1)).unwrap_or(u16::MAX)
    }
}
