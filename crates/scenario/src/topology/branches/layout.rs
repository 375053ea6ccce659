//! Nodes and links of branches.

use super::super::sketch::{Sketch, Sort};
use super::preset::HOP;
use super::{Branch, Config, Site};
use crate::model::link::{ChangeEntry, Duplex, Settings};
use faircast_proto::time::Duration;

/// Lays branches whose settings are complete.
pub(super) fn lay(config: &Config, sketch: &mut Sketch) {
    sketch.node("router");
    for i in 0..config.sources {
        sketch.node(format!("source-{i}"));
        sketch.link(format!("access-source-{i}"), format!("source-{i}"), "router", &config.access);
    }
    for (name, branch) in &config.branches {
        branch.lay(name, sketch);
    }
}

impl Branch {
    fn lay(&self, name: &str, sketch: &mut Sketch) {
        let first = format!("{name}-{}", if self.preset.has_a_satellite() { "station" } else { "node" });
        sketch.node(&first);
        sketch.link(format!("{name}-trunk"), "router", &first, &self.trunk);
        let mut feeder = self.feeder.clone();
        feeder.both.delay = feeder.both.delay.or(self.delay(self.station.as_ref()));
        // What is on the way before the last link, and the node from which that starts.
        let (before, last) = if self.processes() {
            let satellite = format!("{name}-satellite");
            sketch.node(&satellite);
            sketch.link(format!("{name}-feeder"), &first, &satellite, &feeder);
            (Duration::ZERO, satellite)
        } else {
            (feeder.both.delay.unwrap_or_default(), first)
        };
        let mut of_all = self.down.both.clone();
        if self.preset.is_shared() {
            of_all = of_legs(&self.down.both);
            let Settings { rate, symbol_rate, acm, queue, agent, header, handoff_queue, reroute, .. } =
                self.down.both.clone();
            let changes = parts(&self.down.both, |change| ChangeEntry {
                rate: change.rate,
                up: change.up,
                ..ChangeEntry::at(change.at)
            });
            let both = Settings {
                rate,
                symbol_rate,
                acm,
                queue,
                agent,
                header,
                handoff_queue,
                reroute,
                changes,
                ..Settings::default()
            };
            sketch.add(format!("{name}-down"), &last, &last, Duplex { both, back: None }, Sort::Carrier);
        }
        for i in 0..self.receivers {
            let host = format!("{name}-{i}");
            let [down, up] = self.of_receiver(i as usize, &of_all).map(|link| later(link, before));
            sketch.node(&host);
            let down = Duplex { both: down, back: None };
            match self.preset.is_shared() {
                true => sketch.add(format!("{name}-down-{i}"), format!("{name}-down"), &host, down, Sort::Leg),
                false => sketch.add(format!("{name}-down-{i}"), &last, &host, down, Sort::Simplex),
            }
            sketch.add(format!("{name}-up-{i}"), &host, &last, Duplex { both: up, back: None }, Sort::Simplex);
        }
        let links = (0..self.receivers).map(|i| format!("{name}-up-{i}")).collect();
        if let Some(channel) = self.preset.return_channel(links) {
            sketch.returns.push((format!("{name}-return"), channel));
        }
    }

    /// The last link to a receiver, of what is the same for all, and that from it.
    fn of_receiver(&self, index: usize, down: &Settings) -> [Settings; 2] {
        let different = self.each.get(index % self.each.len().max(1)).cloned().unwrap_or_default();
        let delays = [different.terminal.as_ref(), self.terminal.as_ref()].map(|place| self.delay(place));
        [(&different.down, down), (&different.up, &self.up.both)].map(|(own, of_all)| {
            let delay = own.both.delay.or(delays[0]).or(of_all.delay).or(delays[1]);
            Settings { delay, ..own.both.over(of_all) }
        })
    }

    /// The delay to the satellite from a place, if there is one. What no delay follows from has been reported.
    fn delay(&self, place: Option<&Site>) -> Option<Duration> {
        place.map(|place| place.delay(self.satellite).unwrap_or(HOP))
    }
}

/// Settings of a link with another one before it that has nothing but a delay.
fn later(link: Settings, before: Duration) -> Settings {
    let after = |delay: Option<Duration>| delay.map(|delay| delay + before);
    let changes = parts(&link, |change| ChangeEntry {
        delay: after(change.delay),
        delay_to: after(change.delay_to),
        ..change.clone()
    });
    Settings { delay: after(link.delay), changes, ..link }
}

/// What of the settings of a downlink that all hear is that of its legs.
fn of_legs(link: &Settings) -> Settings {
    let changes = parts(link, |change| ChangeEntry { rate: None, up: None, ..change.clone() });
    let Settings { delay, loss, efficiency, es_n0, rain, .. } = link.clone();
    Settings { delay, loss, efficiency, es_n0, rain, changes, ..Settings::default() }
}

/// A part of each change, as far as it says anything.
fn parts(link: &Settings, part: impl Fn(&ChangeEntry) -> ChangeEntry) -> Option<Vec<ChangeEntry>> {
    let parts: Vec<ChangeEntry> = link.changes.iter().flatten().map(part).collect();
    let parts: Vec<ChangeEntry> = parts.into_iter().filter(|change| !change.subjects().is_empty()).collect();
    (!parts.is_empty()).then_some(parts)
}
