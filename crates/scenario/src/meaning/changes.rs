//! What is wrong with changes of links.

use super::beyond;
use crate::model::{ChangeEntry, Scenario, Settings, TraceEntry};
use crate::problem::Finding;
use crate::topology::Topology;
use faircast_proto::limits::Limited;
use faircast_proto::time::Duration;
use faircast_sim::change::Slope;
use serde_json::json;
use std::collections::BTreeMap;

/// The longest header of a link layer.
const LONGEST_HEADER: u64 = 1500;
/// The shortest time between two computations of routes.
const OFTENEST: Duration = Duration::from_millis(1);

/// The interval at which routes are computed.
pub(super) fn interval(scenario: &Scenario, found: &mut Vec<Finding>) {
    if let Some(interval) = scenario.reroute_interval
        && interval < OFTENEST
    {
        let message = format!("{interval} given; legal is at least 1 ms");
        found.push(Finding::new("reroute_interval", message).given(Some(interval)));
    }
    let said = scenario.topology.as_ref().and_then(Topology::said_reroute_interval);
    if let (Some(top), Some(interval)) = (scenario.reroute_interval, said)
        && interval != top
    {
        let message = format!("{interval} given, and {top} at the top of the file; say it once");
        found.push(Finding::new("topology.reroute_interval", message).given(Some(interval)).on(["reroute_interval"]));
    }
}

/// Header and changes of one direction, whose settings stand at `path`. `turns`: it may turn to another node.
pub(super) fn check(path: &str, settings: &Settings, turns: bool, found: &mut Vec<Finding>) {
    if let Some(header) = settings.header
        && header.0 > LONGEST_HEADER
    {
        let message = format!("{} B given; legal is at most {LONGEST_HEADER} B", header.0);
        found.push(Finding::new(format!("{path}.header"), message).given(Some(format!("{} B", header.0))));
    }
    if let (Some(rate), Some(mean)) = (settings.rate, settings.trace.as_ref().and_then(TraceEntry::mean_rate))
        && rate != mean
    {
        let [rate, mean] = [rate, mean].map(|rate| json!(rate).as_str().unwrap_or_default().to_owned());
        let message = format!("{rate} given, and the trace carries {mean} in the mean: leave the rate out");
        found.push(Finding::new(format!("{path}.rate"), message).given(Some(rate)).on([format!("{path}.trace")]));
    }
    let beyond_limits = match &settings.trace {
        Some(TraceEntry::Leocc(trace)) => trace.beyond_limits(),
        Some(TraceEntry::Lens(trace)) => trace.beyond_limits(),
        _ => Vec::new(),
    };
    found.extend(beyond_limits.into_iter().map(|wrong| beyond(&format!("{path}.trace"), wrong)));
    let mut seen: BTreeMap<(Duration, &str), usize> = BTreeMap::new();
    for (index, entry) in settings.changes.iter().flatten().enumerate() {
        let path = |key: &str| format!("{path}.changes[{index}]{key}");
        let said = entry.subjects();
        if said.is_empty() {
            let message = "says nothing that changes; legal are up, rate, delay, loss, efficiency, es_n0, \
                           attenuation and to";
            found.push(Finding::new(path(""), message));
        }
        for (key, _) in said {
            if let Some(first) = seen.insert((entry.at, key), index) {
                let message = format!(
                    "changes at {} a second time, after changes[{first}]; legal is once at one instant",
                    entry.at
                );
                found.push(Finding::new(path(&format!(".{key}")), message));
            }
        }
        if entry.to.is_some() && !turns {
            let message = "only a link of its own with simplex = true can turn to another node, and a leg of its own: \
                           the way back would have to start elsewhere";
            found.push(Finding::new(path(".to"), message));
        }
        values(entry, &path, found);
    }
}

fn values(entry: &ChangeEntry, path: &dyn Fn(&str) -> String, found: &mut Vec<Finding>) {
    found.extend(entry.beyond_limits().into_iter().map(|wrong| beyond(&path(""), wrong)));
    for (field, message) in entry.loss.iter().flat_map(|loss| loss.check()) {
        found.push(Finding::new(path(&format!(".loss.{field}")), message).on([path(".loss")]));
    }
    match (entry.delay, entry.delay_to, entry.over) {
        (_, None, None) => {}
        (Some(from), Some(to), Some(over)) => {
            let least = Duration((from.0.abs_diff(to.0) / Slope::STEEPEST + 1).max(1000));
            if over < least {
                let message = format!("{over} given; legal is at least {least} for this difference");
                found.push(Finding::new(path(".over"), message).given(Some(over)));
            }
        }
        _ => {
            let message = "a delay that goes on in a straight line needs delay, delay_to and over";
            found.push(Finding::new(path(""), message));
        }
    }
}
