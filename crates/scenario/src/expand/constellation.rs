//! Links that a constellation moves: what else may be said and change about them.

use crate::model::{ChangeEntry, Duplex, HandoffChoice, Scenario};
use crate::network::{NetworkChange, What};
use crate::problem::Finding;
use faircast_proto::time::Duration;

/// What changes about a link that its topology changes by `moves` and its scenario by `given`, both in the order of
/// time: it is up when both have it so.
pub(super) fn beside(moves: &[NetworkChange], given: Vec<NetworkChange>) -> Vec<NetworkChange> {
    if moves.is_empty() || given.is_empty() {
        return if given.is_empty() { moves.to_vec() } else { given };
    }
    let state = |change: &NetworkChange| match change.what {
        What::Up(up) => Some((change.at, up)),
        _ => None,
    };
    let (own, said): (Vec<_>, Vec<_>) =
        (moves.iter().filter_map(state).collect(), given.iter().filter_map(state).collect());
    let mut changes: Vec<NetworkChange> =
        moves.iter().chain(&given).filter(|change| state(change).is_none()).cloned().collect();
    let mut before = true;
    let mut times: Vec<Duration> = own.iter().chain(&said).map(|(at, _)| *at).collect();
    times.sort_unstable();
    times.dedup();
    for at in times {
        let is_up = |states: &[(Duration, bool)]| {
            states.iter().take_while(|(since, _)| *since <= at).last().is_none_or(|(_, up)| *up)
        };
        let up = is_up(&own) && is_up(&said);
        if up != before {
            changes.push(NetworkChange { at, what: What::Up(up) });
            before = up;
        }
    }
    changes.sort_by_key(|change| change.at);
    changes
}

/// What of the changes that a scenario gives a link which its topology changes by `moves` is for it to say; the rest
/// [has been refused](refuse_geometry).
pub(super) fn allowed(moves: &[NetworkChange], given: &[ChangeEntry]) -> Vec<ChangeEntry> {
    let mut allowed = given.to_vec();
    if !moves.is_empty() {
        allowed.iter_mut().for_each(|entry| (entry.to, entry.delay) = (None, None));
    }
    allowed
}

/// Whether packets that wait for a link which moves take another way, if nothing is said about that: those that carry
/// the link address of the old far end cannot.
pub(super) fn takes_another_way(handoff: HandoffChoice) -> bool {
    handoff == HandoffChoice::Keep
}

/// Whether a link is called like the transmitter of a station, which there is if a satellite serves it.
pub(super) fn is_uplink(scenario: &Scenario, name: &str) -> bool {
    name.strip_suffix("-up").is_some_and(|station| scenario.stations.contains_key(station))
}

/// Refuses, of the settings at `path` of links that a constellation makes, what follows from where satellites are.
pub(crate) fn refuse_geometry(path: &str, duplex: &Duplex, found: &mut Vec<Finding>) {
    let sides = [(path.to_owned(), Some(&duplex.both)), (format!("{path}.back"), duplex.back.as_ref())];
    for (path, settings) in sides.iter().filter_map(|(path, settings)| Some((path, (*settings)?))) {
        let mut refuse = |key: String| {
            // Nothing else need be said about it.
            found.retain(|finding| finding.problem.path != key);
            let message = "the satellites' places say how long the way is and where it leads: leave it out";
            found.push(Finding::new(key, message).on(["topology"]));
        };
        if settings.delay.is_some() {
            refuse(format!("{path}.delay"));
        }
        for (index, entry) in settings.changes.iter().flatten().enumerate() {
            for (key, is_there) in [("delay", entry.delay.is_some()), ("to", entry.to.is_some())] {
                if is_there {
                    refuse(format!("{path}.changes[{index}].{key}"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_up_when_constellation_and_scenario_have_it_so() {
        let s = Duration::from_secs;
        let up = |at, up| NetworkChange { at: s(at), what: What::Up(up) };
        let to = |at, node| NetworkChange { at: s(at), what: What::To(node) };
        let moves = [up(0, false), up(3, true), to(3, 7), up(10, false), up(12, true), to(12, 8), to(20, 9)];
        assert_eq!(beside(&moves, Vec::new()), moves);
        // From 2 to 4, from 11 to 13, over the whole of a gap, and at a moment when both change.
        let given = vec![up(2, false), up(4, true), up(11, false), up(13, true), up(20, false)];
        let expected = [up(0, false), to(3, 7), up(4, true), up(10, false), to(12, 8), up(13, true), to(20, 9)];
        let mut found = beside(&moves, given.clone());
        assert_eq!(found.pop(), Some(up(20, false)));
        assert_eq!(found, expected);
        assert_eq!(beside(&[], given.clone()), given);
    }
}
