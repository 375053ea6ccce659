//! Return channels: which links send on them, and how.

use super::Expansion;
use crate::model::bounds::rates;
use crate::model::{
    AccessEntry, AlohaAccess, ConstantAccess, LinkEntry, RateAccess, ReturnEntry, Settings, VolumeAccess,
};
use crate::network::NetworkReturn;
use crate::problem::{Finding, list, nearest};
use crate::shorthand::matches;
use crate::topology::{Sketch, Sort};
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::LinkId;
use faircast_sim::part::LinkRole;
use faircast_sim::return_channel::aloha::Aloha;
use faircast_sim::return_channel::assignment::{Assignment, Demand};
use faircast_sim::return_channel::{Access, Grid};
use std::collections::{BTreeMap, BTreeSet};

/// A return channel whose links are known by name.
pub(super) struct Planned {
    name: String,
    entry: ReturnEntry,
    grid: Grid,
}

impl Expansion<'_> {
    /// Looks which links send on return channels, before they are made.
    pub(super) fn plan_returns(&mut self, sketch: &Sketch) {
        let entries = &self.scenario.return_channels;
        let of_topology = sketch.returns.iter().map(|(name, made)| {
            let entry = entries.get(name).map_or_else(|| made.clone(), |given| given.over(made));
            (name.clone(), entry)
        });
        let mut all: BTreeMap<String, ReturnEntry> =
            entries.iter().map(|(name, entry)| (name.clone(), entry.clone())).collect();
        all.extend(of_topology);
        if all.is_empty() {
            return;
        }
        let directions = self.directions(sketch);
        for (name, entry) in all {
            let path = format!("return_channels.{name}");
            let lacking: Vec<&str> = [
                ("links", entry.links.is_empty()),
                ("superframe", entry.superframe.is_none()),
                ("slots", entry.slots.is_none()),
                ("payload", entry.payload.is_none()),
                ("access", entry.access.is_none()),
            ]
            .into_iter()
            .filter_map(|(key, lacks)| lacks.then_some(key))
            .collect();
            if !lacking.is_empty() {
                let what = "a return channel needs links, superframe, slots, payload and access";
                // Who completes one of the topology may have misspelt its name.
                let made = nearest(&name, sketch.returns.iter().map(|(made, _)| made.as_str()));
                let message = format!("{} missing: {what}{made}", list(&lacking));
                self.found.push(Finding::new(path.clone(), message).on(["topology"]));
            }
            let number = self.returns.len();
            for (place, written) in entry.links.iter().enumerate() {
                self.take_links(&format!("{path}.links[{place}]"), written, number, &directions);
            }
            let (Some(superframe), Some(slots), Some(payload)) = (entry.superframe, entry.slots, entry.payload) else {
                // Their links are somebody's all the same: it is not said that they lack a rate.
                let grid = Grid { superframe: Duration::from_secs(1), slots: 1, payload: 1000 };
                self.returns.push(Planned { name, entry, grid });
                continue;
            };
            let payload = u32::try_from(payload.0).unwrap_or(u32::MAX);
            let grid = Grid { superframe: superframe.max(Duration(1)), slots: slots.max(1), payload: payload.max(1) };
            if let Some(wrong) = rates().complaint(rate(grid), &()) {
                let message = format!("its rate, slots times payload in each superframe: {wrong}");
                self.found.push(Finding::new(path.clone(), message).on([path, "topology".into()]));
            }
            self.returns.push(Planned { name, entry, grid });
        }
    }

    /// The links called as `written` send on a return channel.
    fn take_links(&mut self, path: &str, written: &str, number: usize, directions: &BTreeSet<String>) {
        let own: Vec<&String> = match directions.get(written) {
            Some(name) => vec![name],
            None => directions.iter().filter(|name| matches(written, name)).collect(),
        };
        if own.is_empty() {
            let legal: Vec<&str> = directions.iter().map(String::as_str).collect();
            let message = format!("no link is called {written}{}", nearest(written, legal.iter().copied()));
            let finding = Finding::new(path, message).given(Some(written)).legal(list(&legal));
            self.found.push(finding.on(["topology", "links"]));
        }
        for name in own {
            match self.slotted.insert(name.clone(), number) {
                None => {}
                Some(other) => {
                    let other = self.returns.get(other).map_or("this one", |channel| &channel.name);
                    let message = format!("the link {name} sends on {other} already; legal is one return channel");
                    self.found.push(Finding::new(path, message).given(Some(written)).on(["return_channels"]));
                    return;
                }
            }
        }
    }

    /// All directions of links that there are to be, but links with legs and legs.
    fn directions(&self, sketch: &Sketch) -> BTreeSet<String> {
        let given = &self.scenario.links;
        let of_topology = sketch.links.iter().filter(|link| matches!(link.sort, Sort::Duplex | Sort::Simplex));
        let of_topology = of_topology.map(|link| {
            let simplex = link.sort == Sort::Simplex || given.get(&link.name).is_some_and(|given| given.simplex);
            (&link.name, simplex)
        });
        let made: BTreeSet<&str> = sketch.links.iter().map(|link| link.name.as_str()).collect();
        let with_legs: BTreeSet<&str> = given.values().filter_map(|link| link.leg_of.as_deref()).collect();
        let others = |name: &str| !made.contains(name) && !with_legs.contains(name);
        let own = given.iter().filter(|(name, link)| link.leg_of.is_none() && others(name));
        let own = own.map(|(name, link)| (name, link.simplex));
        let both = |(name, simplex): (&String, bool)| {
            [Some(name.clone()), (!simplex).then(|| format!("{name}.back"))].into_iter().flatten()
        };
        of_topology.chain(own).flat_map(both).collect()
    }

    /// Whether no direction of a link needs a rate, as all send in slots.
    pub(super) fn has_slots(&self, name: &str, given: &LinkEntry) -> bool {
        let back = given.simplex
            || given.duplex.back.as_ref().is_some_and(|back| back.rate.is_some())
            || self.slotted.contains_key(&format!("{name}.back"));
        self.slotted.contains_key(name) && back
    }

    /// The rate of the carrier on which a direction of a link sends, if it sends on one. Refuses what it then cannot
    /// have.
    pub(super) fn rate_of_slots(&mut self, name: &str) -> Option<Rate> {
        let number = *self.slotted.get(name)?;
        let rate = self::rate(self.returns[number].grid);
        let (of, back) = match name.strip_suffix(".back") {
            Some(of) => (of, true),
            None => (name, false),
        };
        let Some(entry) = self.scenario.links.get(of) else { return Some(rate) };
        let own = match (back, &entry.duplex.back) {
            (false, _) => Some((&entry.duplex.both, format!("links.{of}"))),
            (true, back) => back.as_ref().map(|back| (back, format!("links.{of}.back"))),
        };
        let Some((settings, path)) = own else { return Some(rate) };
        for key in settings.keys_of_rate() {
            let message = self.rate_follows(number);
            self.found.push(Finding::new(format!("{path}.{key}"), message).on(["return_channels", "topology"]));
        }
        Some(rate)
    }

    /// Refuses that a topology lets a direction of a link that sends in slots follow what changes its rate. Its own
    /// rate is a default there, which gives way.
    pub(super) fn refuse_rates_of_slots(&mut self, name: &str, settings: &Settings) {
        let Some(&number) = self.slotted.get(name) else { return };
        let of_topology = settings.keys_of_rate().into_iter().find(|key| key != "rate");
        let Some(key) = of_topology else { return };
        let message = self.rate_follows(number);
        // Terminals are alike, and what a link itself says has been told there.
        if self.found.iter().all(|known| known.problem.message != message) {
            let finding = Finding::new(format!("links.{name}.{key}"), message);
            self.found.push(finding.on(["return_channels", "topology"]));
        }
    }

    fn rate_follows(&self, number: usize) -> String {
        let channel = &self.returns[number].name;
        format!("this link sends in slots of {channel}, from which its rate follows: leave it out")
    }

    /// What has been planned, now that the links are there.
    pub(super) fn settle_returns(&mut self) {
        for (number, Planned { name, entry, grid }) in std::mem::take(&mut self.returns).into_iter().enumerate() {
            let own = self.network.links.iter().enumerate();
            let own =
                own.filter(|(_, link)| link.part == LinkRole::Whole && self.slotted.get(&link.name) == Some(&number));
            let links: Vec<LinkId> = own.map(|(index, _)| LinkId(index as u32)).collect();
            let (Some(access), false) = (&entry.access, links.is_empty()) else { continue };
            let longest = links.iter().map(|link| self.network.links[link.index()].delay).max().unwrap_or_default();
            let count = links.len() as u32;
            let access = self::access(access, grid, longest, count);
            if let Access::Assigned(assignment) = access
                && self.lacks_slots(&name, assignment, grid, count)
            {
                continue;
            }
            self.network.returns.push(NetworkReturn { name, links, grid, access });
        }
    }

    /// Whether there are not constant slots enough for so many terminals.
    fn lacks_slots(&mut self, name: &str, by: Assignment, grid: Grid, count: u32) -> bool {
        let constant = u64::from(by.constant) * u64::from(count);
        if constant <= u64::from(grid.slots) && (by.constant > 0 || by.demand != Demand::Nothing) {
            return false;
        }
        let each = by.constant.max(1);
        let message = format!(
            "{count} terminals with {each} constant slots each need {}; legal is a superframe of so many slots or \
             fewer constant ones, this one has {}",
            u64::from(each) * u64::from(count),
            grid.slots
        );
        let path = format!("return_channels.{name}");
        self.found.push(Finding::new(format!("{path}.access.constant"), message).on([path, "topology".into()]));
        true
    }
}

/// The rate of a carrier that is cut so, whole bits a second.
fn rate(grid: Grid) -> Rate {
    Rate((grid.rate_bps() + 0.5) as u64)
}

/// How so many terminals come to slots, the furthest of which is so far from the hub.
fn access(access: &AccessEntry, grid: Grid, longest: Duration, terminals: u32) -> Access {
    let lead = |delay: Option<Duration>| {
        let delay = delay.unwrap_or(Duration(2 * longest.0)).0;
        u32::try_from(delay.div_ceil(grid.superframe.0)).unwrap_or(u32::MAX).max(1)
    };
    let most = |most: Option<u32>| most.unwrap_or(grid.slots);
    Access::Assigned(match *access {
        AccessEntry::Aloha(AlohaAccess { retries, delay, backoff }) => {
            let delay = delay.unwrap_or(Duration(2 * longest.0));
            return Access::Random(Aloha { retries, delay, backoff });
        }
        AccessEntry::Constant(ConstantAccess { constant, free }) => {
            let constant = constant.unwrap_or(grid.slots / terminals);
            Assignment { constant, demand: Demand::Nothing, lead: 1, most: grid.slots, free }
        }
        AccessEntry::Rate(RateAccess { delay, persistence, constant, most: of_one, free }) => {
            let demand = Demand::Rate { persistence };
            Assignment { constant, demand, lead: lead(delay), most: most(of_one), free }
        }
        AccessEntry::Volume(VolumeAccess { delay, constant, most: of_one, free }) => {
            Assignment { constant, demand: Demand::Volume, lead: lead(delay), most: most(of_one), free }
        }
    })
}
