//! Meaning: what is wrong with a scenario whose form is right.

mod agents;
mod applications;
mod changes;
mod counts;
mod entries;
mod hops;
mod optimum;
mod pep;
mod playouts;
mod reach;
mod sessions;
mod stations;

use crate::control::{Cancelled, Control};
use crate::expand::{expand, legs::foreign};
use crate::model::{Duplex, FlowEntry, Scenario, Settings, Times};
use crate::network::Network;
use crate::problem::Finding;
pub(crate) use counts::MOST;
use entries::pairs;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::limits::Limited;
use faircast_proto::time::Duration;
use reach::Reach;
use std::collections::BTreeSet;

/// All that is wrong.
pub(crate) fn check(scenario: &Scenario, control: &Control) -> Result<Vec<Finding>, Cancelled> {
    let mut found = Vec::new();
    limits(scenario, &mut found);
    times(scenario, &mut found);
    settings(scenario, &mut found);
    changes::interval(scenario, &mut found);
    for (name, flow) in &scenario.flows {
        this_flow(scenario, name, flow, &mut found);
    }
    for (name, session) in &scenario.sessions {
        sessions::check(scenario, name, session, &mut found);
    }
    // What nobody can hold is not made, not even to look at it.
    if counts::check(scenario, &mut found) && can_be_laid(scenario) {
        let network = expand(scenario, scenario.seed, &mut found, control)?;
        let all_served = stations::check(scenario, &network, &mut found);
        let there = network.links_by_name();
        // Links that had to be left out may be those that lack on a way.
        if all_served && scenario.links.keys().all(|name| there.contains_key(name.as_str())) {
            ways(scenario, &network, control, &mut found)?;
        }
        control.look()?;
        optimum::check(scenario, &network, &mut found);
    }
    Ok(found)
}

/// Whether the topology of a scenario can be made.
pub(crate) fn can_be_laid(scenario: &Scenario) -> bool {
    let possible = scenario.topology.as_ref().is_none_or(|topology| topology.can_be_laid(scenario.duration));
    possible && counts::check(scenario, &mut Vec::new())
}

/// Values beyond limits of their own. In a file the schema has found those that are numbers before.
fn limits(scenario: &Scenario, found: &mut Vec<Finding>) {
    let mut report = |table: &str, wrong: Vec<(String, String)>| {
        found.extend(wrong.into_iter().map(|wrong| beyond(table, wrong)));
    };
    report("", scenario.beyond_limits());
    report("probes", scenario.probes.beyond_limits());
    report("optimum", scenario.optimum.beyond_limits());
    if let Some(topology) = &scenario.topology {
        report("topology", topology.beyond_limits());
    }
    for (name, station) in &scenario.stations {
        report(&format!("stations.{name}"), station.beyond_limits());
    }
    for (name, flow) in &scenario.flows {
        report(&format!("flows.{name}"), flow.course().beyond_limits());
    }
    for (name, channel) in &scenario.return_channels {
        report(&format!("return_channels.{name}"), channel.check());
    }
    for (name, session) in &scenario.sessions {
        report(&format!("sessions.{name}.receivers"), session.course().receivers.beyond_limits());
    }
}

/// What is wrong with a field of a table, which is beyond its limits.
fn beyond(table: &str, (field, message): (String, String)) -> Finding {
    let given = message.split_once(" given;").map(|(given, _)| given.to_owned());
    let path = if table.is_empty() { field } else { format!("{table}.{field}") };
    Finding::new(path, message).given(given)
}

fn times(scenario: &Scenario, found: &mut Vec<Finding>) {
    let (duration, warmup) = (scenario.duration, scenario.warmup());
    if duration > Duration::ZERO && warmup >= duration {
        let message = format!("{warmup} given; legal is less than the duration, {duration}");
        found.push(Finding::new("warmup", message).given(Some(warmup)).on(["duration"]));
    }
    // Ways can be looked at without traffic.
    if scenario.flows.is_empty() && scenario.sessions.is_empty() && scenario.probes.paths.is_empty() {
        let message = "missing: nothing would be sent; give at least one [flows.NAME] or [sessions.NAME]";
        found.push(Finding::new("flows", message).on(["sessions"]));
    }
}

/// Settings of links, in the topology and in the links of the file.
fn settings(scenario: &Scenario, found: &mut Vec<Finding>) {
    let mut duplex = |path: String, duplex: &Duplex, simplex: bool| {
        these_settings(&path, &duplex.both, found);
        changes::check(&path, &duplex.both, simplex, found);
        if let Some(back) = &duplex.back {
            let path = format!("{path}.back");
            these_settings(&path, back, found);
            changes::check(&path, back, false, found);
        }
    };
    if let Some(topology) = &scenario.topology {
        for (key, settings) in topology.duplexes() {
            duplex(format!("topology.{key}"), settings, false);
        }
    }
    for (name, station) in &scenario.stations {
        for (key, settings) in [("uplink", &station.uplink), ("downlink", &station.downlink)] {
            duplex(format!("stations.{name}.{key}"), settings, false);
        }
    }
    for (name, link) in &scenario.links {
        duplex(format!("links.{name}"), &link.duplex, link.simplex || link.leg_of.is_some());
    }
    if let Some(topology) = &scenario.topology {
        for (key, settings) in topology.duplexes() {
            foreign(&format!("topology.{key}"), settings, topology.sort(&key), found);
        }
        found.extend(topology.check(scenario.duration).into_iter().map(|(key, what)| {
            let path = if key.is_empty() { "topology".to_owned() } else { format!("topology.{key}") };
            Finding::new(path, what).on(["duration", "topology.shell", "topology.elements"])
        }));
    }
}

fn these_settings(path: &str, settings: &Settings, found: &mut Vec<Finding>) {
    found.extend(settings.beyond_limits().into_iter().map(|wrong| beyond(path, wrong)));
    let acm = settings.acm.iter().flat_map(Limited::beyond_limits);
    found.extend(acm.map(|wrong| beyond(&format!("{path}.acm"), wrong)));
    let rain = settings.rain.iter().flat_map(Limited::beyond_limits);
    found.extend(rain.map(|wrong| beyond(&format!("{path}.rain"), wrong)));
    let queue = settings.queue.iter().flat_map(|queue| queue.check()).map(|complaint| ("queue", complaint));
    let loss = settings.loss.iter().flat_map(|loss| loss.check()).map(|complaint| ("loss", complaint));
    let agent = settings.agent.iter().flat_map(|agent| agent.check()).map(|complaint| ("agent", complaint));
    for (part, (field, message)) in queue.chain(loss).chain(agent) {
        let finding = Finding::new(format!("{path}.{part}.{field}"), message);
        // Parameters are compared with each other.
        found.push(finding.on([format!("{path}.{part}")]));
    }
}

fn this_flow(scenario: &Scenario, name: &str, flow: &FlowEntry, found: &mut Vec<Finding>) {
    let (path, course, duration) = (format!("flows.{name}"), flow.course(), scenario.duration);
    let mut said = BTreeSet::new();
    if let FlowEntry::Web(web) = flow {
        for (field, message) in web.traffic.check() {
            found.push(beyond(&path, (field, message)).on([path.clone()]));
        }
        let one = "legal is none: web traffic starts once, and its transfers as they arrive";
        for (key, is_given) in [
            ("start_step", course.start_step > Duration::ZERO),
            ("start_jitter", course.start_jitter > Duration::ZERO),
            ("start", matches!(course.start, Times::Each(_))),
            ("segments", web.tcp.segments.is_some()),
        ] {
            if is_given {
                let one = if key == "segments" { "legal is none: size says how large transfers are" } else { one };
                found.push(Finding::new(format!("{path}.{key}"), one).on([path.clone()]));
            }
        }
    }
    for index in 0..flow.configs() {
        for (field, message) in flow.config_of(index).check() {
            let key = field.split(['.', '[']).next().unwrap_or_default();
            let place = match flow.varies(key) {
                true => format!("{path}.{key}[{index}]{}", &field[key.len()..]),
                false => format!("{path}.{field}"),
            };
            // What is wrong with all flows is said once.
            if said.insert(place.clone()) {
                found.push(Finding::new(place, message).on([path.clone()]));
            }
        }
    }
    if let Some(application) = &course.application {
        applications::of_flow(&path, flow, application, found);
    }
    if let Some(pep) = &course.pep {
        pep::of_flow(&path, flow, pep, found);
    }
    let last_to_start = course.latest();
    let last = course.start_of(last_to_start);
    let latest = last + course.start_jitter;
    let times = ["start", "start_step", "start_jitter", "count"].map(|key| format!("{path}.{key}"));
    if latest >= duration && duration > Duration::ZERO {
        let start = course.start.of(last_to_start).unwrap_or_default();
        let (key, message) = if start >= duration {
            let key = match course.start {
                Times::All(_) => "start".to_owned(),
                Times::Each(_) => format!("start[{last_to_start}]"),
            };
            (key, format!("{start} given; legal is before the end of the run at {duration}"))
        } else if last >= duration {
            (
                "start_step".to_owned(),
                format!("the last flow would start at {last}; legal is before the end at {duration}"),
            )
        } else {
            let message = format!("a flow may start as late as {latest}; legal is before the end at {duration}");
            ("start_jitter".to_owned(), message)
        };
        found.push(Finding::new(format!("{path}.{key}"), message).on(times.clone()).on(["duration"]));
    }
    if let Some(stop) = course.stop
        && stop <= latest
    {
        let message = match course.start == Times::All(latest) {
            true => format!("{stop} given; legal is after the start at {latest}"),
            false => format!("{stop} given; legal is after the last possible start at {latest}"),
        };
        found.push(Finding::new(format!("{path}.stop"), message).given(Some(stop)).on(times));
    }
}

/// What is wrong with the ways that packets take.
fn ways(scenario: &Scenario, network: &Network, control: &Control, found: &mut Vec<Finding>) -> Result<(), Cancelled> {
    let edges = network.edges();
    let routes = network.routes(&edges);
    let reach = Reach::new(network);
    control.look()?;
    unreachable(scenario, network, &reach, found);
    sessions::unreachable(network, &edges, &routes, &reach, found);
    control.look()?;
    hops::check(scenario, network, &edges, &routes, found);
    pep::off_the_way(scenario, network, &edges, &routes, found);
    agents::check(scenario, network, (&edges, &routes), &reach, found);
    Ok(())
}

/// Flows between nodes without a path there and back: ACKs, too, must find their way.
fn unreachable(scenario: &Scenario, network: &Network, reach: &Reach, found: &mut Vec<Finding>) {
    let mut reported = BTreeSet::new();
    for (entry, flow) in pairs(scenario, network) {
        for (from, to, what) in [(flow.from, flow.to, "path leads"), (flow.to, flow.from, "path back leads")] {
            // The first of an entry will do: with it the others are likely to be fixed.
            if reach.leads(from, to) || !reported.insert(entry) {
                continue;
            }
            let [from, to] = [from, to].map(|node| &network.nodes[node as usize].name);
            let message = format!("flow {}: no {what} from node {from} to node {to}", flow.name);
            let own = format!("flows.{entry}");
            found.push(Finding::new(own, message).on(["topology", "nodes", "links"]));
        }
    }
}
