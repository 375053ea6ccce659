//! What a link of the network follows.

use super::samples::{Sample, Samples};
use crate::model::trace::TraceEntry;
use crate::network::changes::{NetworkChange, What};
use faircast_proto::time::{Duration, Rate};
use faircast_sim::change::Slope;
use faircast_sim::loss;
use faircast_sim::opportunities::Opportunities;

/// What a link follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkTrace {
    /// When it can send, if not at any time.
    pub opportunities: Option<Opportunities>,
    /// What it is like at which time.
    pub samples: Option<Samples>,
}

impl LinkTrace {
    pub(crate) fn of(trace: &TraceEntry) -> LinkTrace {
        let opportunities = trace.stamps().map(|stamps| stamps.0.clone());
        LinkTrace { opportunities, samples: trace.samples().cloned() }
    }

    /// Its changes one by one, in the order of time and without an end if they begin anew.
    pub(crate) fn changes(&self) -> impl Iterator<Item = NetworkChange> + Send + use<> {
        let samples = self.samples.as_ref().map(Samples::unpacked);
        samples.into_iter().flatten().flat_map(of_sample)
    }

    /// The changes until a moment.
    pub(crate) fn changes_until(&self, end: Duration) -> impl Iterator<Item = NetworkChange> + use<> {
        self.changes().take_while(move |change| change.at <= end)
    }

    /// Whether routes or rates change by it.
    pub(crate) fn divides(&self) -> bool {
        self.of_routes() || self.highest_rate() > Rate(0)
    }

    /// Whether it says when the link is down.
    pub(crate) fn of_routes(&self) -> bool {
        self.samples.as_ref().is_some_and(Samples::of_routes)
    }

    /// The longest delay that it says; zero if none.
    pub(crate) fn longest_delay(&self) -> Duration {
        self.samples.as_ref().map_or(Duration::ZERO, Samples::longest_delay)
    }

    /// The highest rate that it says; zero if none.
    pub(crate) fn highest_rate(&self) -> Rate {
        self.samples.as_ref().map_or(Rate(0), Samples::highest_rate)
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let stamps = self.opportunities.as_ref().map_or(0, |own| size_of_val(own.stamps()));
        stamps + self.samples.as_ref().map_or(0, Samples::bytes)
    }
}

/// What a sample changes, in the order in which changes of one instant are carried out.
fn of_sample(sample: Sample) -> impl Iterator<Item = NetworkChange> {
    let all = [
        sample.up.map(What::Up),
        sample.rate.map(What::Rate),
        sample.loss.map(|p| What::Loss(loss::Config::Bernoulli(loss::bernoulli::Config { p }))),
        sample.delay.map(|delay| What::Delay(delay, Slope::LEVEL)),
    ];
    all.into_iter().flatten().map(move |what| NetworkChange { at: sample.at, what })
}
