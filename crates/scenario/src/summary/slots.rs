//! What the summary says of return channels and their terminals.

use super::Rows;
use crate::network::{Network, NetworkReturn};
use crate::tables::seconds;
use faircast_proto::time::Instant;
use faircast_sim::ids::LinkId;
use faircast_sim::return_channel::assignment::Demand;
use faircast_sim::return_channel::{Access, SlotCounters};
use faircast_sim::world::World;
use std::collections::BTreeMap;

/// Rows of each return channel as a whole, and of each of its terminals that has sent something, since the end of the
/// warm-up, NaN if that has not come, and altogether.
pub(super) fn add<C>(
    rows: &mut Rows,
    world: &World<C>,
    network: &Network,
    names: &[String],
    has_warmed_up: bool,
    [warmup, now]: [Instant; 2],
) {
    let early: BTreeMap<LinkId, SlotCounters> = world.records().slots_at_warmup.iter().copied().collect();
    for channel in &network.returns {
        let of_terminals: Vec<[SlotCounters; 2]> =
            channel.links.iter().map(|&link| since(world, &early, link)).collect();
        let whole =
            [0, 1].map(|which| of_terminals.iter().fold(SlotCounters::default(), |sum, of| added(sum, of[which])));
        let spans = [if has_warmed_up { seconds(warmup, now) } else { f64::NAN }, seconds(Instant::ZERO, now)];
        let slots = |seconds: f64| seconds / channel.grid.superframe.as_secs_f64() * f64::from(channel.grid.slots);
        let parts =
            |count: fn(&SlotCounters) -> u64| [0, 1].map(|which| count(&whole[which]) as f64 / slots(spans[which]));
        rows.both(&channel.name, "slots_used", "1", parts(|counters| counters.used));
        let known = |values: [f64; 2]| [if has_warmed_up { values[0] } else { f64::NAN }, values[1]];
        match channel.access {
            Access::Assigned(_) => rows.both(&channel.name, "slots_assigned", "1", parts(|counters| counters.assigned)),
            Access::Random(_) => {
                rows.both(&channel.name, "collided", "packets", known(whole.map(|of| of.collided as f64)));
            }
        }
        if asks_for_volume(channel) {
            let delays = |of: [SlotCounters; 2]| known(of.map(|counters| request_delay(channel, &counters)));
            rows.both(&channel.name, "request_delay", "s", delays(whole));
            for (link, of) in channel.links.iter().zip(of_terminals).filter(|(_, of)| of[1].used > 0) {
                rows.both(&names[link.index()], "request_delay", "s", delays(of));
            }
        }
    }
}

/// What a terminal has done since the end of the warm-up, and altogether.
fn since<C>(world: &World<C>, early: &BTreeMap<LinkId, SlotCounters>, link: LinkId) -> [SlotCounters; 2] {
    let all = world.slots(link).unwrap_or_default();
    [without(all, early.get(&link).copied().unwrap_or_default()), all]
}

fn asks_for_volume(channel: &NetworkReturn) -> bool {
    matches!(channel.access, Access::Assigned(assignment) if assignment.demand == Demand::Volume)
}

/// How long after they had been asked for the superframes of slots began in the mean, seconds. What is asked for at one
/// end of the time and comes beyond it counts with the superframes in it.
fn request_delay(channel: &NetworkReturn, counters: &SlotCounters) -> f64 {
    counters.awaited as f64 / counters.volume as f64 * channel.grid.superframe.as_secs_f64()
}

fn added(a: SlotCounters, b: SlotCounters) -> SlotCounters {
    each(a, b, |a, b| a + b)
}

fn without(all: SlotCounters, early: SlotCounters) -> SlotCounters {
    each(all, early, |all, early| all - early)
}

fn each(a: SlotCounters, b: SlotCounters, of: impl Fn(u64, u64) -> u64) -> SlotCounters {
    SlotCounters {
        asked: of(a.asked, b.asked),
        assigned: of(a.assigned, b.assigned),
        used: of(a.used, b.used),
        volume: of(a.volume, b.volume),
        awaited: of(a.awaited, b.awaited),
        bytes: of(a.bytes, b.bytes),
        padding: of(a.padding, b.padding),
        collided: of(a.collided, b.collided),
    }
}
