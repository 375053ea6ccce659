//! What is in relays, wherever they are.

use super::World;
use crate::host;
use crate::relays::{RelayRow, RelayState, SplitOf};

impl<C> World<C> {
    /// What is in relays now, flow by flow and then pool by pool, and of each place by place.
    pub fn relays(&self) -> Vec<RelayRow> {
        let at = self.now();
        let rows = |of, states: Vec<RelayState>| {
            (0..).zip(states).map(move |(place, state)| RelayRow { at, of, place, state }).collect::<Vec<_>>()
        };
        let of_flows = self
            .splits
            .iter()
            .map(|(flow, row)| rows(SplitOf::Flow(*flow), host::between(&self.hosts, row, at).collect()));
        let of_pools = (0..).zip(&self.pools).map(|(pool, own)| rows(SplitOf::Pool(pool), own.relays(&self.hosts, at)));
        of_flows.chain(of_pools).flatten().collect()
    }
}
