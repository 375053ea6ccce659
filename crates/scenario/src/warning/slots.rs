//! How full return channels were after the warm-up, as each of their terminals saw it.

use crate::network::{Network, NetworkReturn};
use faircast_sim::ids::LinkId;
use faircast_sim::return_channel::Access;
use faircast_sim::return_channel::SlotCounters;
use faircast_sim::return_channel::assignment::{Assignment, Demand};
use faircast_sim::world::World;
use std::collections::BTreeMap;

/// The slots that terminals used after the warm-up, as parts of those that they could have had: their own, and, of who
/// asks, those that nobody had. Terminals that send without asking, and those that could have had none, are left out.
pub(super) fn used<C>(world: &World<C>, network: &Network) -> BTreeMap<LinkId, f64> {
    let early: BTreeMap<LinkId, SlotCounters> = world.records().slots_at_warmup.iter().copied().collect();
    let counted = |link: &LinkId| {
        let (all, early) = (world.slots(*link).unwrap_or_default(), early.get(link).copied().unwrap_or_default());
        Counted { link: *link, assigned: all.assigned - early.assigned, used: all.used - early.used }
    };
    let mut parts = BTreeMap::new();
    for channel in &network.returns {
        let Access::Assigned(by) = channel.access else { continue };
        let terminals: Vec<Counted> = channel.links.iter().map(counted).collect();
        parts.extend(of_terminals(&terminals, by, slots(world, network, channel)));
    }
    parts
}

/// What a terminal had, and used.
struct Counted {
    link: LinkId,
    assigned: u64,
    used: u64,
}

/// Slots of a channel after the warm-up: all, and for how many superframes.
fn slots<C>(world: &World<C>, network: &Network, channel: &NetworkReturn) -> [u64; 2] {
    let begun = |nanos: u64| nanos / channel.grid.superframe.0;
    let superframes = begun(world.now().0) - begun(network.probes.warmup.0);
    [superframes * u64::from(channel.grid.slots), superframes]
}

fn of_terminals(terminals: &[Counted], by: Assignment, [all, superframes]: [u64; 2]) -> Vec<(LinkId, f64)> {
    let given: u64 = terminals.iter().map(|terminal| terminal.assigned).sum();
    let idle = all.saturating_sub(given);
    let most = superframes * (u64::from(by.constant) + u64::from(by.most));
    let part = |terminal: &Counted| {
        let more = match by.demand {
            Demand::Nothing => 0,
            Demand::Rate { .. } | Demand::Volume => idle.min(most.saturating_sub(terminal.assigned)),
        };
        let could = terminal.assigned + more;
        (could > 0).then(|| (terminal.link, terminal.used as f64 / could as f64))
    };
    terminals.iter().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_held_against_what_it_could_have_had() {
        let by = Assignment { constant: 1, demand: Demand::Volume, lead: 1, most: 4, free: false };
        let terminals = [(0, 40, 30), (1, 20, 20), (2, 0, 0)].map(|(link, assigned, used)| Counted {
            link: LinkId(link),
            assigned,
            used,
        });
        // 20 superframes of five slots, of which 40 are left; a terminal has 100 at most.
        let parts = of_terminals(&terminals, by, [100, 20]);
        assert_eq!(parts, [(LinkId(0), 30.0 / 80.0), (LinkId(1), 20.0 / 60.0), (LinkId(2), 0.0)]);
        // Two on demand at most: 60.
        let parts = of_terminals(&terminals, Assignment { most: 2, ..by }, [100, 20]);
        assert_eq!(parts[..2], [(LinkId(0), 30.0 / 60.0), (LinkId(1), 20.0 / 60.0)]);
        // Nobody asks: what is its own is all that it can have.
        let parts = of_terminals(&terminals, Assignment { demand: Demand::Nothing, ..by }, [100, 20]);
        assert_eq!(parts, [(LinkId(0), 30.0 / 40.0), (LinkId(1), 1.0)]);
    }
}
