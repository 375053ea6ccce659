//! What changes about the links of a network while it runs, and when.

use faircast_proto::time::{Duration, Rate};
use faircast_sim::change::Slope;
use faircast_sim::loss;

/// A change of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkChange {
    /// When it changes, from the start of the run.
    pub at: Duration,
    /// What changes.
    pub what: What,
}

/// What changes about a link.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Whether it is up.
    Up(bool),
    /// Its rate.
    Rate(Rate),
    /// Its delay, which goes on with a slope.
    Delay(Duration, Slope),
    /// What it loses.
    Loss(loss::Config),
    /// Where it ends: index among the nodes.
    To(u32),
}

/// A ground station turns to another satellite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkHandoff {
    /// When it changes, from the start of the run.
    pub at: Duration,
    /// The station: index among the nodes.
    pub station: u32,
    /// The satellite that it leaves, if it had one.
    pub from: Option<u32>,
    /// The one that it turns to, if it finds one.
    pub to: Option<u32>,
}

impl NetworkChange {
    /// Whether routes follow it at once.
    pub(crate) fn is_of_routes(&self) -> bool {
        matches!(self.what, What::Up(_) | What::To(_))
    }
}
