//! An endpoint at a moment, and the interval that ends with it.

use crate::content::Content;
use crate::counters::Counters;
use crate::driver::Driver;
use crate::group_use::GroupUse;
use faircast_proto::endpoint::{Endpoint, Report};
use faircast_proto::time::{Duration, Instant};

/// An endpoint at a moment; before its first one it has counted nothing and shown nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    pub(super) report: Report,
    pub(super) gauges: Option<Vec<f64>>,
    pub(super) counters: Counters,
    /// What of each group, and when: none before the first moment.
    pub(super) groups: (Instant, Vec<GroupUse>),
}

/// An interval that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Its end, by the clock of the tables.
    pub(super) at: Instant,
    /// How long it was.
    pub(super) passed: Duration,
    /// How long after its end it was looked at.
    pub(super) late: Duration,
    /// Whether the endpoint is a member of some group.
    pub(super) is_member: bool,
}

impl Look {
    /// As it is now.
    pub(super) fn at<E: Endpoint, C: Content>(now: Instant, driver: &Driver<E, C>) -> Look {
        let endpoint = driver.endpoint();
        let mut gauges = vec![f64::NAN; endpoint.gauges().len()];
        endpoint.measure(&mut gauges);
        let groups = (now, driver.group_uses().to_vec());
        Look { report: endpoint.report(), gauges: Some(gauges), counters: driver.counters().clone(), groups }
    }
}
