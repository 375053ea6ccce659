//! Links that send symbols, and what their legs can receive.

use faircast_orbit::rain::Site;
use faircast_proto::time::Instant;
use faircast_sim::acm::Transmitter;
use faircast_sim::acm::control::Loop;
use faircast_sim::acm::modcod::ladder;
use faircast_sim::acm::track::Track;

/// What makes a link one that sends symbols, or a leg of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbols {
    /// A link with legs.
    Transmitter(Transmitter, Loop),
    /// A leg that can receive so many bits in a symbol, which is known at once.
    Efficiency(Track),
    /// A leg with an Es/N0, dB.
    EsN0(Box<EsN0>),
}

/// The Es/N0 of a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct EsN0 {
    /// The Es/N0 without attenuation, dB.
    pub clear: Track,
    /// What is taken off it, dB.
    pub attenuation: Track,
    /// Rain that takes off more.
    pub rain: Option<Site>,
}

impl Symbols {
    /// The most that it ever carries, bits in a symbol, of a leg.
    pub(crate) fn best(&self) -> f64 {
        match self {
            Symbols::Transmitter(..) => 0.0,
            Symbols::Efficiency(track) => track.steps().iter().map(|step| step.1).fold(0.0, f64::max),
            Symbols::EsN0(of) => {
                let best = of.clear.with(&of.attenuation, |clear, taken| clear - taken);
                best.steps().iter().map(|step| ladder().efficiency_at(step.1)).fold(0.0, f64::max)
            }
        }
    }

    /// What it carries at a time, bits in a symbol, of a leg, as if it did not rain.
    pub(crate) fn at(&self, at: Instant) -> f64 {
        match self {
            Symbols::Transmitter(..) => 0.0,
            Symbols::Efficiency(track) => track.at(at),
            Symbols::EsN0(of) => ladder().efficiency_at(of.clear.at(at) - of.attenuation.at(at)),
        }
    }

    /// When that changes.
    pub(crate) fn changes(&self) -> Vec<Instant> {
        let times = |track: &Track| track.steps().iter().map(|step| step.0).collect::<Vec<Instant>>();
        match self {
            Symbols::Transmitter(..) => Vec::new(),
            Symbols::Efficiency(track) => times(track),
            Symbols::EsN0(of) => [times(&of.clear), times(&of.attenuation)].concat(),
        }
    }

    /// Whether it rains on a leg.
    pub(crate) fn has_rain(&self) -> bool {
        matches!(self, Symbols::EsN0(of) if of.rain.is_some())
    }
}
