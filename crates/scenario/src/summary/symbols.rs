//! What the summary says of links that send symbols.

use crate::tables::{seconds, symbols_used};
use faircast_proto::time::Instant;
use faircast_sim::acm::SymbolCounters;
use faircast_sim::ids::LinkId;
use faircast_sim::world::World;

/// What a link that sends symbols has done, or a leg of one, since the warm-up and altogether.
pub(super) struct SymbolsOf {
    /// The part of the symbols that were sent.
    pub(super) used: [f64; 2],
    /// Bits in each of them.
    pub(super) bits: [f64; 2],
    /// Packets that came above what a leg could receive.
    pub(super) undecoded: [f64; 2],
}

/// What a link that sends symbols, or a leg of one, has done; NaN if the warm-up has not ended.
pub(super) fn symbols_of<C>(world: &World<C>, link: LinkId, [warmup, now]: [Instant; 2]) -> Option<SymbolsOf> {
    let all = world.symbols(link)?;
    let at_warmup = &world.records().symbols_at_warmup;
    let early = at_warmup.iter().find(|(of, _)| *of == link).map(|(_, early)| *early);
    let since = [early.map(|early| (early, warmup)), Some((SymbolCounters::default(), Instant::ZERO))];
    let of = |what: &dyn Fn(SymbolCounters, Instant) -> f64| {
        since.map(|since| since.map_or(f64::NAN, |(early, begin)| what(early, begin)))
    };
    Some(SymbolsOf {
        used: of(&|early, begin| symbols_used(world, link, [early, all], seconds(begin, now)).unwrap_or(f64::NAN)),
        bits: of(&|early, _| (all.bits - early.bits) as f64 / (all.symbols - early.symbols)),
        undecoded: of(&|early, _| (all.undecoded - early.undecoded) as f64),
    })
}
