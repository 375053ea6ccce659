//! Looking at the ways that are watched ([`paths`](crate::paths)).

use super::World;
use crate::calendar::Calendar;
use crate::ids::{LinkId, NodeId};
use crate::paths::Watched;
use crate::probe::{PathEvent, PathRow};
use crate::routing::MAX_HOPS;
use faircast_proto::time::Duration;
use std::sync::Arc;

impl<C: Calendar> World<C> {
    /// Routes may have changed: records the ways that have. Before the first look there is nothing to compare with.
    #[cold]
    pub(crate) fn look_for_changed_paths(&mut self) {
        for path in 0..self.paths.len() {
            let Some(before) = self.paths[path].seen.clone() else { continue };
            let way = self.look_at_path(path);
            let event = match (before.is_some(), way.is_some()) {
                (false, true) => PathEvent::Found,
                (true, false) => PathEvent::Lost,
                _ if before == way => continue,
                _ => PathEvent::Changed,
            };
            self.record_path(path, event);
        }
    }

    /// Records all ways as they are.
    pub(crate) fn sample_paths(&mut self) {
        for path in 0..self.paths.len() {
            // Within an epoch they stay.
            if self.paths[path].seen.is_none() {
                self.look_at_path(path);
            }
            self.record_path(path, PathEvent::Sample);
        }
    }

    /// Sees the way of now.
    fn look_at_path(&mut self, path: usize) -> Option<Arc<[LinkId]>> {
        let Watched { from, to, slot, .. } = self.paths[path];
        let way: Option<Arc<[LinkId]>> = self.links_between(from, to, slot).map(Arc::from);
        self.paths[path].seen = Some(way.clone());
        way
    }

    /// The links that a packet takes from a node to the host at a slot; none if it does not come there.
    fn links_between(&mut self, from: NodeId, to: NodeId, slot: u32) -> Option<Vec<LinkId>> {
        let (mut at, mut links) = (from, Vec::new());
        while at != to {
            if links.len() == MAX_HOPS {
                return None;
            }
            let link = match self.forwarding.link(at, slot) {
                LinkId::NONE => self.way(at, slot)?,
                link => link,
            };
            at = self.wires.links[link.index()].far_end();
            links.push(link);
        }
        Some(links)
    }

    fn record_path(&mut self, path: usize, event: PathEvent) {
        let way = self.paths[path].seen.clone().flatten();
        let now = self.wires.now;
        let delay = way.iter().flat_map(|way| way.iter());
        let delay = delay.map(|link| self.wires.links[link.index()].delay(now)).fold(Duration::ZERO, |sum, d| sum + d);
        self.records.paths.push(PathRow { at: now, path: path as u32, event, delay, way });
    }
}
