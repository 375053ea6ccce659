//! A constellation's nodes and links, and what changes about them when.

use super::Config;
use crate::model::link::{Duplex, HandoffChoice, Settings};
use crate::model::station::StationEntry;
use crate::network::changes::{NetworkChange, NetworkHandoff, What};
use crate::topology::sketch::{Sketch, SketchedLink, Sort, Surroundings};
use faircast_orbit::constellation::{Constellation, Satellite};
use faircast_orbit::isl::{Isl, IslRules};
use faircast_orbit::plan::{Pass, Plan, Span, StationPlan};
use faircast_orbit::station::Station;
use faircast_proto::random::Random;
use faircast_proto::time::Duration;
use faircast_sim::change::Slope;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Nodes and links of a filled configuration.
pub(super) fn lay(config: &Config, constellation: &Constellation, sketch: &mut Sketch, around: &Surroundings) {
    let names = names(constellation);
    names.iter().for_each(|(node, _)| sketch.node(node));
    let taken: BTreeSet<&str> = names.iter().map(|(node, _)| node.as_str()).collect();
    // One that is called like a satellite has been reported.
    let stations: Vec<(&String, &StationEntry)> =
        around.stations.iter().filter(|(name, _)| !taken.contains(name.as_str())).collect();
    let first = names.len() as u32;
    stations.iter().for_each(|(name, _)| sketch.node(name.as_str()));
    let mut layout = Layout { config, names: &names, end: around.duration, sketch };
    for (isl, spans) in links_between(config, constellation, around.duration).iter() {
        layout.isl(isl, spans);
    }
    let mut downlinks: BTreeMap<usize, BTreeMap<usize, Vec<Span>>> = BTreeMap::new();
    for (index, (name, entry)) in stations.iter().enumerate() {
        let passes = passes(config, constellation, name, entry, around);
        layout.uplink(name, entry, first + index as u32, &passes);
        for Pass { satellite, span } in passes {
            downlinks.entry(satellite).or_default().entry(index).or_default().push(span);
        }
    }
    for (satellite, legs) in &downlinks {
        layout.downlink(*satellite, legs.iter().map(|(index, spans)| (stations[*index], &spans[..])));
    }
}

struct Layout<'a> {
    config: &'a Config,
    /// Of each satellite the name of its node, and its part in the names of links.
    names: &'a [(String, String)],
    end: Duration,
    sketch: &'a mut Sketch,
}

impl Layout<'_> {
    fn isl(&mut self, isl: &Isl, spans: &[Span]) {
        let [a, b] = isl.ends.map(|end| &self.names[end]);
        let (name, [from, to]) = (format!("isl-{}-{}", a.1, b.1), [&a.0, &b.0].map(String::clone));
        self.add(name, from, to, self.config.isl.clone(), Sort::Duplex, comes_and_goes(spans, self.end));
    }

    /// The transmitter of a station, which turns from satellite to satellite.
    fn uplink(&mut self, name: &str, entry: &StationEntry, station: u32, passes: &[Pass]) {
        let Some(first) = passes.first() else { return };
        let mut moves = comes_and_goes(passes.iter().map(|pass| &pass.span), self.end);
        for pair in passes.windows(2).filter(|pair| pair[0].satellite != pair[1].satellite) {
            let at = Duration(pair[1].span.from());
            moves.push(NetworkChange { at, what: What::To(pair[1].satellite as u32) });
        }
        moves.sort_by_key(|change| change.at);
        self.handoffs(station, passes);
        let (uplink, to) = (entry.uplink.over(&self.config.uplink), self.names[first.satellite].0.clone());
        self.add(format!("{name}-up"), name.to_owned(), to, uplink, Sort::Simplex, moves);
    }

    /// When a station changes its satellite, loses it or finds one again.
    fn handoffs(&mut self, station: u32, passes: &[Pass]) {
        let mut add = |at: u64, from: Option<usize>, to: Option<usize>| {
            let [from, to] = [from, to].map(|satellite| satellite.map(|satellite| satellite as u32));
            self.sketch.handoffs.push(NetworkHandoff { at: Duration(at), station, from, to });
        };
        if let Some(first) = passes.first().filter(|first| first.span.from() > 0) {
            add(first.span.from(), None, Some(first.satellite));
        }
        for pair in passes.windows(2) {
            let [(old, gone), (new, come)] =
                [(pair[0].satellite, pair[0].span.until()), (pair[1].satellite, pair[1].span.from())];
            // A longer gap than that of a hand-off is one of coverage.
            if come - gone <= self.config.handoff_outage.0 {
                add(gone, Some(old), Some(new));
            } else {
                add(gone, Some(old), None);
                add(come, None, Some(new));
            }
        }
        if let Some(last) = passes.last().filter(|last| last.span.until() < self.end.0) {
            add(last.span.until(), Some(last.satellite), None);
        }
    }

    /// The transmitter of a satellite, its legs to stations, and transmitters of its own for some.
    fn downlink<'s>(
        &mut self,
        satellite: usize,
        stations: impl Iterator<Item = ((&'s String, &'s StationEntry), &'s [Span])> + Clone,
    ) {
        let node = self.names[satellite].0.clone();
        let carrier = format!("{node}-down");
        let base = &self.config.downlink;
        if stations.clone().any(|((_, entry), _)| !entry.has_a_beam()) {
            let both = Settings { loss: None, ..base.both.clone() };
            let duplex = Duplex { both, back: None };
            self.add(carrier.clone(), node.clone(), node.clone(), duplex, Sort::Carrier, Vec::new());
        }
        for ((name, entry), spans) in stations {
            let moves = comes_and_goes(spans, self.end);
            let duplex = entry.downlink.over(base);
            let (from, duplex, sort) = match entry.has_a_beam() {
                true => (node.clone(), duplex, Sort::Simplex),
                false => {
                    let Settings { loss, handoff_queue, reroute, .. } = duplex.both;
                    let changes = entry.downlink.both.changes.clone();
                    let both = Settings { loss, handoff_queue, reroute, changes, ..Settings::default() };
                    (carrier.clone(), Duplex { both, back: None }, Sort::Leg)
                }
            };
            self.add(format!("{carrier}-{name}"), from, name.clone(), duplex, sort, moves);
        }
    }

    fn add(
        &mut self,
        name: String,
        from: String,
        to: String,
        mut duplex: Duplex,
        sort: Sort,
        moves: Vec<NetworkChange>,
    ) {
        if sort != Sort::Carrier {
            let delay = moves.iter().find_map(|change| match change.what {
                What::Delay(delay, _) => Some(delay),
                _ => None,
            });
            duplex.both.delay = delay;
        }
        let queue = *duplex.both.handoff_queue.get_or_insert(self.config.handoff_queue);
        // Of what moves that follows from what is said of the link itself.
        if sort == Sort::Carrier {
            duplex.both.reroute.get_or_insert(queue == HandoffChoice::Keep);
        }
        self.sketch.links.push(SketchedLink { name, from, to, duplex: Arc::new(duplex), sort, moves });
    }
}

/// A link that is up in these spans, one after the other.
fn comes_and_goes<'s>(spans: impl IntoIterator<Item = &'s Span>, end: Duration) -> Vec<NetworkChange> {
    let mut changes = Vec::new();
    let mut add = |at: u64, what| changes.push(NetworkChange { at: Duration(at), what });
    // Since when it has been down.
    let mut gone = 0;
    for span in spans {
        if gone < span.from() {
            add(gone, What::Up(false));
            add(span.from(), What::Up(true));
        }
        pieces(span, &mut add);
        gone = span.until();
    }
    if gone < end.0 {
        add(gone, What::Up(false));
    }
    changes
}

/// The delay over a span.
fn pieces(span: &Span, add: &mut impl FnMut(u64, What)) {
    for knots in span.knots.windows(2) {
        let [delay, to] = [knots[0].delay, knots[1].delay].map(Duration);
        add(knots[0].at, What::Delay(delay, Slope::between(delay, to, Duration(knots[1].at - knots[0].at))));
    }
}

/// What a station hangs on when.
fn passes(
    config: &Config,
    constellation: &Constellation,
    name: &str,
    entry: &StationEntry,
    around: &Surroundings,
) -> Vec<Pass> {
    let seconds = around.duration.as_secs_f64();
    let (every, jitter) = (config.handoff_check.as_secs_f64(), config.handoff_jitter.as_secs_f64());
    let mut random = Random::stream(around.seed, &format!("station/{name}/checks"));
    let mut checks = Vec::new();
    let mut at = 0.0;
    while at <= seconds {
        // Without a jitter multiples of the interval, free of the errors of sums.
        at = match jitter > 0.0 {
            true => at + every + jitter * (2.0 * random.uniform() - 1.0),
            false => every * (checks.len() + 1) as f64,
        };
        checks.push(at);
    }
    let plan = StationPlan {
        station: Station::new(constellation.earth, entry.latitude, entry.longitude, entry.altitude),
        mask: entry.mask.unwrap_or(config.least_elevation()),
        rule: config.handoff.into(),
        checks,
        outage: config.handoff_outage.as_secs_f64(),
    };
    Plan::new(constellation, &IslRules::NONE, &[plan], seconds).passes.pop().unwrap_or_default()
}

/// Links between satellites with the times in which they are up.
type Links = Vec<(Isl, Vec<Span>)>;

/// The last links that were compiled, with what they were compiled from: all seeds of a scenario share them.
static LAST: Mutex<Option<(String, Arc<Links>)>> = Mutex::new(None);

/// The links between the satellites of a constellation.
fn links_between(config: &Config, constellation: &Constellation, duration: Duration) -> Arc<Links> {
    let Config { isl, uplink, downlink, reroute_interval, .. } = Config::default();
    let geometry = Config { isl, uplink, downlink, reroute_interval, ..config.clone() };
    let key = format!("{duration} {}", serde_json::to_string(&geometry).unwrap_or_default());
    // Those who come at the same time wait for the first.
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, links)) = last.as_ref().filter(|(known, _)| *known == key) {
        return Arc::clone(links);
    }
    let links = Arc::new(Plan::new(constellation, &config.isl_rules(), &[], duration.as_secs_f64()).isls);
    *last = Some((key, Arc::clone(&links)));
    links
}

/// Of each satellite the name of its node, and its part in the names of links: of shells `sat-3-1` and `3-1`, of real
/// satellites twice their name in small letters.
pub(super) fn names(constellation: &Constellation) -> Vec<(String, String)> {
    let mut taken = BTreeSet::new();
    let name = |satellite: &Satellite| {
        if constellation.is_numbered() {
            return (format!("sat-{}", satellite.name), satellite.name.clone());
        }
        let letters =
            satellite.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        let letters: String = letters.collect();
        let plain = letters.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        let plain = if plain.is_empty() { "satellite".to_owned() } else { plain };
        let mut own = plain.clone();
        let mut number = 2;
        while !taken.insert(own.clone()) {
            own = format!("{plain}-{number}");
            number += 1;
        }
        (own.clone(), own)
    };
    constellation.satellites.iter().map(name).collect()
}
