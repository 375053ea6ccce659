//! Links that send symbols, and their legs: what becomes of what is said, and what does not go together.

use super::Expansion;
use crate::model::{ChangeEntry, Settings};
use crate::network::{EsN0, Symbols};
use crate::problem::Finding;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::acm::Transmitter;
use faircast_sim::acm::track::Track;
use faircast_sim::part::Aspect;

/// The most looks at the rain, of all legs together.
const LOOKS_MAX: u64 = 20_000_000;
/// The most legs with rain: each is correlated with each.
const RAIN_MAX: usize = 2000;
/// Reports come no more often.
const OFTENEST: Duration = Duration::from_millis(10);

impl Expansion<'_> {
    /// How a link with legs sends symbols, if it does; its rate is settled by its legs.
    pub(super) fn transmitter(&mut self, name: &str, settings: &Settings) -> Option<Symbols> {
        let path = |key: &str| format!("links.{name}.{key}");
        let mut wrong = |key: &str, message: String| self.found.push(Finding::new(path(key), message).on(["topology"]));
        let Some(symbol_rate) = settings.symbol_rate else {
            if settings.acm.is_some() {
                let message = "this link has a rate, whatever its legs receive: say symbol_rate in its place, or leave \
                               acm out";
                wrong("acm", message.into());
            }
            return None;
        };
        if settings.rate.is_some() {
            wrong("symbol_rate", "a rate is given as well: say one of them".into());
        }
        for (index, _) in settings.changes.iter().flatten().enumerate().filter(|(_, entry)| entry.rate.is_some()) {
            let message = "this link sends symbols: what changes is efficiency or es_n0 of its legs";
            wrong(&format!("changes[{index}].rate"), message.into());
        }
        let acm = settings.acm.clone().unwrap_or_default();
        if acm.report_interval > Duration::ZERO && acm.report_interval < OFTENEST {
            let message = format!("{} given; legal is 0 s, or at least 10 ms", acm.report_interval);
            wrong("acm.report_interval", message);
        }
        if acm.averaging > Duration::ZERO && acm.report_interval == Duration::ZERO {
            wrong("acm.averaging", "a mean is reported from time to time: say report_interval as well".into());
        }
        let transmitter = Transmitter { symbol_rate: symbol_rate.0, floor: acm.floor };
        Some(Symbols::Transmitter(transmitter, acm.control()))
    }

    /// What a leg of the link called `carrier` can receive.
    pub(super) fn signal(&mut self, name: &str, carrier: &str, sends: bool, settings: &Settings) -> Option<Symbols> {
        let path = |key: &str| format!("links.{name}{key}");
        let mut wrong =
            |key: &str, message: String| self.found.push(Finding::new(path(key), message).on(["topology", "links"]));
        let said = said(settings);
        if !sends {
            for key in said {
                let message = format!(
                    "the link {carrier} has a rate, which is that of all its legs: leave {key} out, or give {carrier} \
                     a symbol_rate in its place"
                );
                wrong(&format!(".{key}"), message);
            }
            return None;
        }
        let changes = || settings.changes.iter().flatten().enumerate();
        match (settings.efficiency, settings.es_n0) {
            (None, None) => {
                wrong("", format!("efficiency or es_n0 missing: the link {carrier} sends symbols"));
                None
            }
            (Some(_), Some(_)) => {
                wrong(".efficiency", "es_n0 is given as well, from which it follows: say one of them".into());
                None
            }
            (Some(efficiency), None) => {
                let of_es_n0 = said.into_iter().filter(|key| key == "rain" || !key.ends_with("efficiency"));
                for key in of_es_n0 {
                    let message = "this leg has an efficiency, which no Es/N0 decides: say es_n0 in its place";
                    wrong(&format!(".{key}"), message.into());
                }
                let steps = changes().filter_map(|(_, entry)| Some((entry.at, entry.efficiency?)));
                Some(Symbols::Efficiency(track(efficiency, steps)))
            }
            (None, Some(es_n0)) => {
                for (index, _) in changes().filter(|(_, entry)| entry.efficiency.is_some()) {
                    let message = "this leg has an Es/N0, from which its efficiency follows: change es_n0 or \
                                   attenuation";
                    wrong(&format!(".changes[{index}].efficiency"), message.into());
                }
                let clear = track(es_n0.0, changes().filter_map(|(_, entry)| Some((entry.at, entry.es_n0?.0))));
                let taken = track(0.0, changes().filter_map(|(_, entry)| Some((entry.at, entry.attenuation?.0))));
                let rain = settings.rain.as_ref().map(|rain| rain.site());
                Some(Symbols::EsN0(Box::new(EsN0 { clear, attenuation: taken, rain })))
            }
        }
    }

    /// Refuses what only links with legs, and legs, may say, at a link that is neither.
    pub(super) fn refuse_symbols(&mut self, path: &str, settings: &Settings) {
        let of_links = [("symbol_rate", settings.symbol_rate.is_some()), ("acm", settings.acm.is_some())];
        let keys = of_links.into_iter().filter(|&(_, is_there)| is_there).map(|(key, _)| key.to_owned());
        for key in keys.chain(said(settings)) {
            let message = "only links with legs send symbols: leave it out, or make this link one with legs (leg_of)";
            self.found.push(Finding::new(format!("{path}.{key}"), message).on(["topology"]));
        }
    }

    /// Gives links that send symbols, and their legs, the rate that they have at best.
    pub(super) fn settle_rates(&mut self) {
        let mut best = vec![0.0_f64; self.network.links.len()];
        for link in &self.network.links {
            if let (Some(carrier), Some(symbols)) = (link.carrier(), &link.symbols) {
                let best = &mut best[carrier.index()];
                *best = best.max(symbols.best());
            }
        }
        let least = faircast_sim::acm::modcod::ladder().efficiency(1);
        let of = |index: usize, symbols: &Option<Symbols>| match symbols {
            Some(Symbols::Transmitter(transmitter, _)) => {
                let best = if best[index] > 0.0 { best[index] } else { least };
                Some(Rate((transmitter.symbol_rate as f64 * best + 0.5) as u64))
            }
            _ => None,
        };
        let rates: Vec<Option<Rate>> =
            self.network.links.iter().enumerate().map(|(index, link)| of(index, &link.symbols)).collect();
        for (index, link) in self.network.links.iter_mut().enumerate() {
            let transmitter = link.carrier().map_or(index, |carrier| carrier.index());
            link.rate = rates[transmitter].unwrap_or(link.rate);
        }
        self.refuse_floors_of_nobody(&best);
        self.refuse_too_much_rain();
    }

    /// Refuses floors that no leg can ever be granted, so that nobody is left out. `best`: by link, what its legs
    /// receive at best.
    fn refuse_floors_of_nobody(&mut self, best: &[f64]) {
        let highest = faircast_sim::acm::modcod::ladder().rungs().last().map_or(0.0, |modcod| modcod.efficiency);
        for (link, &best) in self.network.links.iter().zip(best) {
            let Some(Symbols::Transmitter(Transmitter { floor: Some(floor), .. }, _)) = &link.symbols else { continue };
            // Legs of an efficiency need not have one of the table.
            let most = best.max(highest);
            if *floor > most {
                let message = format!(
                    "{floor} given, which no leg is ever granted, so that nobody is left out; legal is up to {most}, \
                     the most that a leg can receive here"
                );
                let finding = Finding::new(format!("links.{}.acm.floor", link.name), message).given(Some(floor));
                self.found.push(finding.on(["topology", "links"]));
            }
        }
    }

    fn refuse_too_much_rain(&mut self) {
        let legs = self.network.links.iter().filter(|link| link.symbols.as_ref().is_some_and(Symbols::has_rain));
        let (count, first) = legs.fold((0, None), |(count, first), leg| (count + 1, first.or(Some(&leg.name))));
        let Some(first) = first else { return };
        let looks = count as u64 * (self.network.duration.0 / 1_000_000_000);
        let message = match () {
            () if count > RAIN_MAX => format!("it rains on {count} legs; legal are at most {RAIN_MAX}"),
            () if looks > LOOKS_MAX => format!(
                "rain is looked at every second, {looks} times for all legs; legal are at most {LOOKS_MAX}: make the \
                 run shorter, or let it rain on fewer legs"
            ),
            () => return,
        };
        self.found.push(Finding::new(format!("links.{first}.rain"), message).on(["duration", "topology"]));
    }
}

/// The keys by which settings say what a leg receives.
fn said(settings: &Settings) -> Vec<String> {
    let keys = [
        ("efficiency", settings.efficiency.is_some()),
        ("es_n0", settings.es_n0.is_some()),
        ("rain", settings.rain.is_some()),
    ];
    let own = keys.into_iter().filter(|&(_, is_there)| is_there).map(|(key, _)| key.to_owned());
    let of_change = |(index, entry): (usize, &ChangeEntry)| -> Vec<String> {
        let subjects = entry.subjects().into_iter().filter(|&(_, subject)| subject == Aspect::Signal);
        subjects.map(|(key, _)| format!("changes[{index}].{key}")).collect()
    };
    own.chain(settings.changes.iter().flatten().enumerate().flat_map(of_change)).collect()
}

/// A first value, and those that it has later; what changes at the start counts from there on.
fn track(first: f64, steps: impl Iterator<Item = (Duration, f64)>) -> Track {
    let mut steps: Vec<(Duration, f64)> = steps.collect();
    steps.sort_by_key(|step| step.0);
    let mut track = Track::level(first);
    steps.into_iter().for_each(|(at, value)| track.set(Instant::ZERO + at, value));
    track
}
