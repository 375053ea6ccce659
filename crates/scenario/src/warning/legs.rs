//! Legs to which nothing is ever granted. Known before a run.

use super::message::{KnownWarning, Warning};
use crate::network::{DirectedLink, Network, Symbols};
use faircast_sim::acm::modcod::ladder;

/// What is worth a warning about legs of links that send symbols.
pub(super) fn known(network: &Network) -> Vec<KnownWarning> {
    network.links.iter().filter_map(|leg| never_granted(network, leg)).collect()
}

/// A leg whose Es/N0 never suffices for the most robust modulation and code, with what the loop asks for besides. Rain
/// only takes more off it.
fn never_granted(network: &Network, leg: &DirectedLink) -> Option<KnownWarning> {
    let carrier = &network.links[leg.carrier()?.index()];
    let (Some(Symbols::EsN0(of)), Some(Symbols::Transmitter(_, by))) = (&leg.symbols, &carrier.symbols) else {
        return None;
    };
    let course = of.clear.with(&of.attenuation, |clear, taken| clear - taken);
    let best = course.steps().iter().map(|step| step.1).fold(f64::NEG_INFINITY, f64::max);
    if ladder().rungs_at(best - by.margin_db - by.hysteresis_db) > 0 {
        return None;
    }
    let robust = ladder().rungs().first()?.es_n0_db;
    let name = &leg.name;
    let message = format!(
        "leg {name} has an Es/N0 of {best} dB at best, and nothing is ever granted to it: the most robust modulation \
         and code needs {robust} dB, and the loop of {} takes off a margin of {} dB and asks for {} dB more before it \
         grants something; what is for this leg alone is sent in the most robust way all the same, what is for others \
         too as if it was not there",
        carrier.name, by.margin_db, by.hysteresis_db
    );
    let warning = Warning { kind: "never-granted", subject: name.clone(), value: best, message };
    Some(KnownWarning { path: format!("links.{name}.es_n0"), warning })
}
