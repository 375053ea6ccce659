//! Step marking: every ECN-capable packet that finds more than a threshold waiting is marked (RFC 8257, section 3.1).

use super::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Packets, QueueSize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A queue that marks above a threshold.
pub struct StepMarking {
    threshold_pkts: f64,
    limit_pkts: f64,
}

/// Parameters of step marking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StepMarking")]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, in packets. Default "50 packets".
    pub limit: QueueSize,
    /// Packets waiting above which a packet is marked. Default "10 packets".
    pub threshold: Packets,
}

impl StepMarking {
    /// A queue as `config` says.
    pub fn new(config: &Config, _link: LinkContext) -> StepMarking {
        let QueueSize::Packets(limit_pkts) = config.limit else { unreachable!("checked: a limit in packets") };
        StepMarking { threshold_pkts: config.threshold.0, limit_pkts }
    }
}

impl Discipline for StepMarking {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        let waiting = f64::from(at.waiting_pkts);
        if waiting >= self.limit_pkts {
            Verdict::Drop(DropReason::Overflow)
        } else if waiting > self.threshold_pkts && packet.ecn != Ecn::NotCapable {
            Verdict::Mark(Ecn::Moderate)
        } else {
            Verdict::Accept
        }
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        match self.limit {
            QueueSize::Packets(limit) if limit >= 1.0 => Vec::new(),
            QueueSize::Packets(limit) => {
                vec![("limit".into(), format!("{limit} packets given; legal are 1 packet and more"))]
            }
            QueueSize::Bytes(limit) => vec![("limit".into(), format!("{limit} B given; legal are packets"))],
        }
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        vec![Config::default(), Config { limit: QueueSize::Packets(6.0), threshold: Packets(3.0) }]
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { limit: QueueSize::Packets(50.0), threshold: Packets(10.0) }
    }
}
