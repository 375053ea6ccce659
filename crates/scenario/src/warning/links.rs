//! How full links were after the warm-up, by what they count anyway.

use super::message::{Warning, percent};
use crate::network::Network;
use crate::tables::{seconds, symbols_used};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::LinkId;
use faircast_sim::world::World;

/// The utilisation from which on a link counts as full. A choice: TCP over a bottleneck whose queue holds a quarter of
/// the bandwidth-delay product or more fills nine tenths of it; a link that carries less and neither dropped nor marked
/// anything held nobody back.
pub const FULL_FROM: f64 = 0.9;

/// What a link did after the warm-up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// What left it, as a part of what could have by its rate, or by token buckets in its queue if they let less
    /// through; of slots of a return channel those that it could have had; NaN if nothing could, as it was down.
    pub(super) utilisation: f64,
    /// Packets that its queue dropped or marked, or a router agent kept from it.
    pub(super) refused: u64,
    /// Of these, packets for which there was no room.
    pub(super) overflow: u64,
    /// Packets that its loss model destroyed, or that were lost as it went down or turned.
    pub(super) lost: u64,
}

impl Use {
    /// What is known of all links; nothing unless the warm-up is over.
    pub(super) fn of_links<C>(world: &World<C>, network: &Network) -> Vec<Use> {
        let (warmup, now) = (network.probes.warmup, world.now());
        if now <= warmup {
            return Vec::new();
        }
        let slots = super::slots::used(world, network);
        let links = (0..).map(LinkId).zip(world.links()).zip(&world.records().links_at_warmup);
        let of_link = |((id, link), early): ((LinkId, &faircast_sim::link::Link), &LinkCounters)| {
            let all = link.counters();
            let late = |of: fn(&LinkCounters) -> u64| of(all) - of(early);
            // A leg takes part in the rate of its link.
            let carrier = world.carrier(id).unwrap_or(id).index();
            let (bytes, headers) =
                (late(|it| it.departed_bytes), late(|it| it.departed) * u64::from(link.header_bytes()));
            let part = |bytes: u64, bps: f64| 8.0 * bytes as f64 / (bps * seconds(warmup, now));
            let transmitted = part(bytes + headers, world.links()[carrier].mean_rate_bps(warmup, now));
            let symbols = &world.records().symbols_at_warmup;
            let early = symbols.iter().find(|(of, _)| *of == id).map(|(_, early)| *early);
            let used = early
                .zip(world.symbols(id))
                .and_then(|(early, all)| symbols_used(world, id, [early, all], seconds(warmup, now)));
            // A terminal's rate is that of a carrier which it shares.
            let transmitted = used.unwrap_or(transmitted).max(slots.get(&id).copied().unwrap_or(0.0));
            // Tokens are of what the link layer has added nothing to.
            let passing_bps = network.links[carrier].mean_passing_bps(warmup, now);
            Use {
                utilisation: passing_bps.map_or(transmitted, |bps| transmitted.max(part(bytes, bps))),
                refused: late(|it| {
                    it.dropped_overflow + it.dropped_active + it.held_back + it.marked_incipient + it.marked_moderate
                }),
                overflow: late(|it| it.dropped_overflow),
                lost: late(|it| it.lost + it.dropped_down + it.discarded + it.unreceived),
            }
        };
        links.map(of_link).collect()
    }

    /// Whether it held somebody back.
    pub(super) fn is_full(&self) -> bool {
        self.utilisation >= FULL_FROM || self.refused > 0
    }

    /// Whether nothing at all can have been lost or slowed down on it.
    pub(super) fn is_free(&self) -> bool {
        !self.is_full() && self.lost == 0
    }
}

/// Links whose queue is probed, and which held nobody back.
pub(super) fn no_bottlenecks<'a>(network: &'a Network, uses: &'a [Use]) -> impl Iterator<Item = Warning> + 'a {
    let probed = network.probes.queues.iter().filter_map(|link| Some((link, uses.get(link.index())?)));
    probed.filter(|(_, used)| !used.is_full() && !used.utilisation.is_nan()).map(|(link, used)| {
        let name = &network.links[link.index()].name;
        let channel = network.returns.iter().find(|channel| channel.links.contains(link));
        let narrower = match channel {
            None => "lower the link's rate".to_owned(),
            Some(channel) => format!("give the return channel {} fewer slots", channel.name),
        };
        let message = format!(
            "link {name}, whose queue is probed, was no bottleneck: after the warm-up it was used to {} and dropped or \
             marked nothing, so something else limits the traffic that crosses it: other links, losses, windows \
             (wnd), max_rate, or that it has no more to send; to see congestion there {narrower} or send more",
            percent(used.utilisation)
        );
        Warning { kind: "no-bottleneck", subject: name.clone(), value: used.utilisation, message }
    })
}
