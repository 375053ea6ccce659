//! What legs of links that send symbols can receive over time in a run, and what is granted to them.

use crate::control::{Cancelled, Control};
use crate::network::{Network, Symbols};
use faircast_orbit::rain::Rain;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::acm::Signal;
use faircast_sim::acm::control::Loop;
use faircast_sim::acm::modcod::ladder;
use faircast_sim::acm::track::Track;
use std::collections::BTreeMap;

/// The time between two looks at the rain.
const LOOK: Duration = Duration::from_secs(1);

impl Network {
    /// The signals of all legs that have one, by link, in the run with this seed.
    pub(crate) fn signals(&self, seed: u64, control: &Control) -> Result<BTreeMap<usize, Signal>, Cancelled> {
        let mut rain = self.rain(seed, control)?;
        let end = Instant::ZERO + self.duration;
        let mut signals = BTreeMap::new();
        for (index, link) in self.links.iter().enumerate() {
            let signal = match link.symbols.as_ref() {
                None | Some(Symbols::Transmitter(..)) => continue,
                Some(Symbols::Efficiency(track)) => Signal { present: track.clone(), granted: track.clone() },
                Some(Symbols::EsN0(of)) => {
                    control.look()?;
                    let dry = of.clear.with(&of.attenuation, |clear, taken| clear - taken);
                    let es_n0 = match rain.remove(&index) {
                        Some(rain) => dry.with(&rain, |es_n0, taken| es_n0 - taken),
                        None => dry,
                    };
                    let carrier = link.carrier().and_then(|carrier| self.links[carrier.index()].symbols.as_ref());
                    let by = match carrier {
                        Some(Symbols::Transmitter(_, by)) => *by,
                        _ => Loop::default(),
                    };
                    let granted = by.grants(ladder(), &es_n0, end).map(|rungs| ladder().efficiency(rungs as usize));
                    Signal { present: es_n0.map(|es_n0| ladder().efficiency_at(es_n0)), granted }
                }
            };
            signals.insert(index, signal);
        }
        Ok(signals)
    }

    /// The attenuation by rain of the legs that have rain, by link.
    fn rain(&self, seed: u64, control: &Control) -> Result<BTreeMap<usize, Track>, Cancelled> {
        let mut sites = Vec::new();
        let mut places = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            if let Some(Symbols::EsN0(of)) = link.symbols.as_ref()
                && let Some(site) = of.rain
            {
                sites.push(site);
                places.push((index, Random::stream(seed, &format!("link/{}/rain", link.name))));
            }
        }
        if sites.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (indices, mut streams): (Vec<usize>, Vec<Random>) = places.into_iter().unzip();
        let mut noise = |place: usize| streams[place].normal();
        let mut rain = Rain::new(&sites, LOOK.as_secs_f64(), &mut noise);
        let mut tracks: Vec<Track> = (0..sites.len()).map(|place| Track::level(rain.attenuation(place))).collect();
        let mut at = Instant::ZERO + LOOK;
        while at < Instant::ZERO + self.duration {
            control.look()?;
            rain.step(&mut noise);
            tracks.iter_mut().enumerate().for_each(|(place, track)| track.set(at, rain.attenuation(place)));
            at += LOOK;
        }
        Ok(indices.into_iter().zip(tracks).collect())
    }
}
