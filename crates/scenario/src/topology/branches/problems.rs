//! What is wrong with branches that neither the schema nor the checks of links can say.

use super::{Branch, Config, Payload, Site};
use crate::model::link::{Duplex, Settings};

/// Key and message of each problem.
pub(super) fn of(config: &Config) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if config.branches.is_empty() {
        let message = "missing: receivers are on branches, at least one: give [topology.branches.NAME]";
        found.push(("branches".to_owned(), message.to_owned()));
    }
    for (name, branch) in &config.branches {
        let path = format!("branches.{name}");
        let mut add = |key: &str, message: String| {
            let key = if key.is_empty() { path.clone() } else { format!("{path}.{key}") };
            found.push((key, message));
        };
        if name == "source" {
            add("", "its receivers would be called as the sources, source-0 and so on: rename it".into());
        }
        match branch.preset.has_a_satellite() {
            true => of_satellite(branch, &mut add),
            false => of_wires(branch, &mut add),
        }
        if branch.preset.has_a_return_channel() {
            let of_each = branch.each.iter().map(|different| &different.up).enumerate();
            let of_each = of_each.map(|(index, up)| (format!("each[{index}].up"), up));
            for (under, up) in [("up".to_owned(), &branch.up)].into_iter().chain(of_each) {
                for key in up.both.keys_of_rate() {
                    let message = format!(
                        "receivers send in slots of one carrier, from which their rate follows: say \
                         [return_channels.{name}-return]"
                    );
                    add(&format!("{under}.{key}"), message);
                }
            }
        }
        if branch.preset.is_shared() {
            for (index, different) in branch.each.iter().enumerate() {
                let Settings { rate, symbol_rate, acm, queue, agent, header, mode, .. } = &different.down.both;
                let of_carrier = [
                    ("rate", rate.is_some()),
                    ("symbol_rate", symbol_rate.is_some()),
                    ("acm", acm.is_some()),
                    ("queue", queue.is_some()),
                    ("agent", agent.is_some()),
                    ("header", header.is_some()),
                    ("mode", mode.is_some()),
                ];
                for (key, _) in of_carrier.into_iter().filter(|(_, is_there)| *is_there) {
                    let message =
                        format!("all receivers hear one downlink, which has one {key}: say it in {path}.down");
                    add(&format!("each[{index}].down.{key}"), message);
                }
                for (entry, change) in different.down.both.changes.iter().flatten().enumerate() {
                    if change.rate.is_some() {
                        let message = format!("all receivers hear one downlink: say its rate in {path}.down.changes");
                        add(&format!("each[{index}].down.changes[{entry}].rate"), message);
                    }
                }
            }
        }
    }
    found
}

/// What has no meaning without a satellite.
fn of_wires(branch: &Branch, add: &mut dyn FnMut(&str, String)) {
    let of_satellites = [
        ("payload", branch.payload.is_some()),
        ("satellite", branch.satellite.is_some()),
        ("station", branch.station.is_some()),
        ("terminal", branch.terminal.is_some()),
        ("feeder", !branch.feeder.is_empty()),
    ];
    let given = of_satellites.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key.to_owned());
    let of_each = branch.each.iter().enumerate().filter(|(_, different)| different.terminal.is_some());
    for key in given.chain(of_each.map(|(index, _)| format!("each[{index}].terminal"))) {
        add(&key, "belongs to a satellite, and the preset \"adsl\" has none: leave it out, or take another".into());
    }
}

fn of_satellite(branch: &Branch, add: &mut dyn FnMut(&str, String)) {
    let mut places = vec![("station".to_owned(), &branch.station, vec![("feeder".to_owned(), &branch.feeder)])];
    let links = |under: &str, down, up| vec![(format!("{under}down"), down), (format!("{under}up"), up)];
    places.push(("terminal".to_owned(), &branch.terminal, links("", &branch.down, &branch.up)));
    for (index, different) in branch.each.iter().enumerate() {
        let under = format!("each[{index}].");
        let links = links(&under, &different.down, &different.up);
        places.push((format!("{under}terminal"), &different.terminal, links));
    }
    for (key, place, links) in &places {
        let Some(place) = place else { continue };
        of_place(branch, (key, place), links, add);
    }
    let is_needed =
        |place: &Option<Site>| place.is_some_and(|place| place.latitude.is_some() || place.longitude.is_some());
    if branch.satellite.is_some() && !places.iter().any(|(_, place, _)| is_needed(place)) {
        let message = "nothing follows from where the satellite is: give latitude and longitude of station or terminal";
        add("satellite", message.into());
    }
    if branch.payload == Some(Payload::BentPipe) {
        let bare = Settings { delay: branch.feeder.both.delay, ..Settings::default() };
        if branch.feeder.both != bare || branch.feeder.back.is_some() {
            let message = "a bent pipe repeats what the station sends: rate, queue and loss are those of `down` and \
                           `up`; legal is a delay";
            add("feeder", message.into());
        }
    }
}

/// A place whose delays are given, too, or from which none follows.
fn of_place(
    branch: &Branch,
    (key, place): (&str, &Site),
    links: &[(String, &Duplex)],
    add: &mut dyn FnMut(&str, String),
) {
    if let Err((part, message)) = place.delay(branch.satellite) {
        let key = if part.is_empty() { key.to_owned() } else { format!("{key}.{part}") };
        add(&key, message);
    }
    for (link, duplex) in links {
        let of_back = duplex.back.as_ref().and_then(|back| back.delay);
        for (under, delay) in [("", duplex.both.delay), ("back.", of_back)] {
            if delay.is_some() {
                add(&format!("{link}.{under}delay"), format!("it follows from {key}: leave out one of them"));
            }
        }
    }
}
