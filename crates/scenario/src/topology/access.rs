//! The links of hosts to their routers, in every topology the same.

use super::sketch::Sketch;
use crate::model::link::{Duplex, ModeChoice, Settings};
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::{loss, queue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The links of the hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Access {
    /// The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
    /// packets.
    pub access: Duplex,
    /// What is different on the left, for left-0, left-1 and so on.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub access_left: Duplex,
    /// What is different on the right, for right-0, right-1 and so on.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub access_right: Duplex,
}

impl Access {
    pub(super) fn fill(&mut self) {
        self.access = self.access.over(&default_access());
    }

    pub(super) fn left(&self) -> Duplex {
        self.access_left.over(&self.access)
    }

    pub(super) fn right(&self) -> Duplex {
        self.access_right.over(&self.access)
    }

    /// Its settings with the name of their key.
    pub(super) fn duplexes(&self) -> [(Cow<'static, str>, &Duplex); 3] {
        [
            ("access".into(), &self.access),
            ("access_left".into(), &self.access_left),
            ("access_right".into(), &self.access_right),
        ]
    }

    /// Hosts left-0, left-1, .. at the first router and right-0, right-1, .. at the second, with their links.
    pub(super) fn lay(&self, left: u32, right: u32, routers: [&str; 2], sketch: &mut Sketch) {
        let access = [self.left(), self.right()];
        for i in 0..left {
            sketch.node(format!("left-{i}"));
            sketch.link(format!("access-left-{i}"), format!("left-{i}"), routers[0], &access[0]);
        }
        for i in 0..right {
            sketch.node(format!("right-{i}"));
            sketch.link(format!("access-right-{i}"), routers[1], format!("right-{i}"), &access[1]);
        }
    }
}

/// Access links by default: 100 Mbit/s, 1 ms, drop-tail 1000, so that nothing happens there.
fn default_access() -> Duplex {
    complete(Rate(100_000_000), Duration::from_millis(1), 1000.0)
}

/// A hop by default.
pub(super) fn default_hop() -> Duplex {
    complete(Rate(10_000_000), Duration::from_millis(10), 50.0)
}

/// Settings with a drop-tail queue and no loss.
pub(super) fn complete(rate: Rate, delay: Duration, limit_pkts: f64) -> Duplex {
    let limit = QueueSize::Packets(limit_pkts);
    let drop_tail = queue::drop_tail::Config { limit, ..Default::default() };
    let both = Settings {
        rate: Some(rate),
        delay: Some(delay),
        queue: Some(queue::Config::DropTail(drop_tail)),
        loss: Some(loss::Config::default()),
        agent: None,
        mode: Some(ModeChoice::Auto),
        ..Settings::default()
    };
    Duplex { both, back: None }
}
