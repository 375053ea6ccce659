//! What every topology must be able to do and to say of itself.

use super::sketch::{Size, Sketch, Sort, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::time::Duration;
use std::borrow::Cow;

/// What a topology is made of.
pub(crate) trait Shape {
    /// Completes the settings of its links.
    fn fill(&mut self);

    /// What [`lay`](Self::lay) would make.
    fn size(&self) -> Size;

    /// Makes nodes and links, of a filled configuration.
    fn lay(&self, sketch: &mut Sketch, around: &Surroundings);

    /// Its settings of links by the name of their key, or by the path to it as in `branches.sat.down`, for checks.
    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)>;

    /// The key of that over which the settings of a key are said: of some access links that of all.
    fn base(_key: &str) -> Cow<'_, str> {
        "access".into()
    }

    /// The name of host `index` on a side, "left" or "right".
    fn host(&self, side: &str, index: u32) -> Option<String> {
        let Size { left, right, .. } = self.size();
        (index < if side == "left" { left } else { right }).then(|| format!("{side}-{index}"))
    }

    /// What sort of link one of these keys is about.
    fn sort(_key: &str) -> Sort {
        Sort::Duplex
    }

    /// How often routes are computed anew unless the scenario says so itself.
    fn reroute_interval(&self) -> Option<Duration> {
        None
    }

    /// Whether [`lay`](Self::lay) can make something for a run of this length.
    fn can_be_laid(&self, _duration: Duration) -> bool {
        true
    }

    /// What is wrong with it in a run of this length that neither its schema nor the checks of links can say: field and
    /// message.
    fn check(&self, _duration: Duration) -> Vec<(String, String)> {
        Vec::new()
    }
}
