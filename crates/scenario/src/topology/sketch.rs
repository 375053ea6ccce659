//! What a topology makes: nodes and links by name.

use crate::model::link::Duplex;
use crate::model::return_channel::ReturnEntry;
use crate::model::station::StationEntry;
use crate::network::changes::{NetworkChange, NetworkHandoff};
use faircast_proto::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most hosts or hops that a topology makes of a kind.
pub(super) const MOST: u32 = 1_000_000;

/// Nodes and links that a topology makes, with their settings complete.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// The links.
    pub links: Vec<SketchedLink>,
    /// Return channels by name.
    pub returns: Vec<(String, ReturnEntry)>,
    /// When stations turn to other satellites.
    pub handoffs: Vec<NetworkHandoff>,
}

/// A link that a topology makes.
#[derive(Clone, Debug)]
pub struct SketchedLink {
    /// Its name.
    pub name: String,
    /// Name of the node on its left, or of the link of which it is a leg.
    pub from: String,
    /// Name of the node on its right; of a link with legs that on its left.
    pub to: String,
    /// What it is like; as most are alike, they share it.
    pub duplex: Arc<Duplex>,
    /// What sort it is.
    pub sort: Sort,
    /// What the topology itself changes about it, in the order of time; nodes by their index in the sketch.
    pub moves: Vec<NetworkChange>,
}

/// What a topology has to know of the rest of its scenario.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Ground stations by name.
    pub stations: &'a BTreeMap<String, StationEntry>,
    /// How long the run takes.
    pub duration: Duration,
    /// Its seed.
    pub seed: u64,
}

/// What sort of link a topology makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// With a direction back.
    Duplex,
    /// Without.
    Simplex,
    /// A link with legs.
    Carrier,
    /// A leg.
    Leg,
}

/// How many nodes and links a topology makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Hosts called left-0, left-1, ..
    pub left: u32,
    /// Hosts called right-0, right-1, ..
    pub right: u32,
    /// All nodes.
    pub nodes: u64,
    /// All links, a link and its direction back counted once.
    pub links: u64,
}

/// How there come to be hosts on a side of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// Its key called like the side says how many.
    Counted,
    /// Their number follows from something else, and they are called otherwise; what they are for, in the plural.
    For(&'static str),
    /// There are none.
    None,
}

#[cfg(test)]
impl Surroundings<'static> {
    /// Nothing around.
    pub(crate) fn nothing() -> Surroundings<'static> {
        static NO_STATIONS: BTreeMap<String, StationEntry> = BTreeMap::new();
        Surroundings { stations: &NO_STATIONS, duration: Duration::from_secs(1), seed: 1 }
    }
}

impl Sketch {
    pub(super) fn node(&mut self, name: impl Into<String>) {
        self.nodes.push(name.into());
    }

    pub(super) fn link(
        &mut self,
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        duplex: &Duplex,
    ) {
        self.add(name, from, to, duplex.clone(), Sort::Duplex);
    }

    /// A link of this sort.
    pub(super) fn add(
        &mut self,
        name: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        duplex: Duplex,
        sort: Sort,
    ) {
        let [name, from, to] = [name.into(), from.into(), to.into()];
        let duplex = match self.links.last() {
            Some(last) if *last.duplex == duplex => last.duplex.clone(),
            _ => Arc::new(duplex),
        };
        self.links.push(SketchedLink { name, from, to, duplex, sort, moves: Vec::new() });
    }

    /// Routers router-0 to router-`hops`, joined by hop-0, hop-1, ..
    pub(super) fn hops(&mut self, hops: u32, hop: &Duplex) {
        for i in 0..=hops {
            self.node(format!("router-{i}"));
        }
        for i in 0..hops {
            self.link(format!("hop-{i}"), format!("router-{i}"), format!("router-{}", i + 1), hop);
        }
    }
}
