//! What every topology must be able to do and to say of itself.

use super::overhead::Overhead;
use super::sketch::{Hosts, Size, Sketch, Sort, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::time::Duration;
use serde_json::Value;
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
    fn base<'k>(&self, _key: &'k str) -> Cow<'k, str> {
        "access".into()
    }

    /// The name of host `index` on a side, "left" or "right".
    fn host(&self, side: &str, index: u32) -> Option<String> {
        let Size { left, right, .. } = self.size();
        (index < if side == "left" { left } else { right }).then(|| format!("{side}-{index}"))
    }

    /// How there come to be hosts on a side, "left" or "right".
    fn hosts(&self, _side: &str) -> Hosts {
        Hosts::Counted
    }

    /// What sort of link one of these keys is about.
    fn sort(&self, _key: &str) -> Sort {
        Sort::Duplex
    }

    /// Whether it changes its links while the network runs, so that it says itself how long they are and where they
    /// lead.
    fn moves(&self) -> bool {
        false
    }

    /// The least elevation of a satellite, degrees, for ground stations that say nothing else; nothing if it has no
    /// satellites for stations. One that has makes no nodes but them, and a link `NAME-up` of each station that one of
    /// them serves, and has settings for the links to stations under the key `downlink`.
    fn mask(&self) -> Option<f64> {
        None
    }

    /// How often routes are computed anew unless the scenario says so itself.
    fn reroute_interval(&self) -> Option<Duration> {
        None
    }

    /// What it says of that itself, under its key `reroute_interval`.
    fn said_reroute_interval(&self) -> Option<Duration> {
        None
    }

    /// Its satellites and who is on the ground; nothing if no place of a satellite is known.
    fn overhead(&self, _around: &Surroundings) -> Option<Overhead> {
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
    /// The tables with settings of links that lie deeper than in itself, in its table as it was written and may not be
    /// legal: each as keys from there, of which one such as `each[1]` is that of an item.
    fn nested(_written: &Value) -> Vec<Vec<String>>
    where
        Self: Sized,
    {
        Vec::new()
    }
}
