//! What is wrong with a session whose form is right.

use super::applications;
use super::counts::MOST;
use super::playouts;
use super::reach::Reach;
use crate::model::{Nodes, Scenario, SessionEntry, TreeMode};
use crate::network::{DirectedLink, Network, NetworkReceiver, NetworkSession, What};
use crate::problem::Finding;
use faircast_proto::group_set::{GroupPlan, Senders};
use faircast_proto::limits::Limited;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::Duration;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Routes};

/// All that is wrong with the session called `name`, where its nodes are not concerned.
pub(super) fn check(scenario: &Scenario, name: &str, session: &SessionEntry, found: &mut Vec<Finding>) {
    let (path, course, duration) = (format!("sessions.{name}"), session.course(), scenario.duration);
    let wrong = session.check();
    if wrong.is_empty() {
        groups(&path, session, found);
        let too_long = if duration > Duration::ZERO { session.config().check_within(duration) } else { Vec::new() };
        for (field, message) in too_long {
            found.push(Finding::new(format!("{path}.{field}"), message).on([path.clone(), "duration".into()]));
        }
    }
    for (field, message) in wrong {
        found.push(Finding::new(format!("{path}.{field}"), message).on([path.clone()]));
    }
    if let Some(application) = &course.application {
        applications::of_session(&path, session, application, found);
    }
    if let Some(playout) = &course.playout {
        playouts::check(&path, session, playout, found);
    }
    let latest = course.start + course.start_jitter;
    if latest >= duration && duration > Duration::ZERO {
        let key = if course.start >= duration { "start" } else { "start_jitter" };
        let message = format!("the source may start as late as {latest}; legal is before the end at {duration}");
        found.push(Finding::new(format!("{path}.{key}"), message).on([format!("{path}.start"), "duration".into()]));
    }
    if let Some(stop) = course.stop
        && stop <= latest
    {
        let message = format!("{stop} given; legal is after the start, {latest} at the latest");
        found.push(Finding::new(format!("{path}.stop"), message).given(Some(stop)).on([path.clone()]));
    }
    let membership = &course.membership;
    if membership.mode == TreeMode::Dense && membership.prune_timeout == Duration::ZERO {
        let message = "0 s given; legal is more than 0 s, else what is pruned opens again at once";
        found.push(Finding::new(format!("{path}.membership.prune_timeout"), message).on([path.clone()]));
    }
    // Repeated without a pause a report would be sent forever at one moment.
    for (key, given, least_s) in [("retry", membership.retry, 0.001), ("lifetime", membership.lifetime, 1.0)] {
        if given < Duration::from_secs_f64(least_s) {
            let message = format!("{given} given; legal is {} or more", Duration::from_secs_f64(least_s));
            found.push(Finding::new(format!("{path}.membership.{key}"), message).on([path.clone()]));
        }
    }
    members(scenario, name, session, found);
}

/// The groups that its scheme wants.
fn groups(path: &str, session: &SessionEntry, found: &mut Vec<Finding>) {
    let groups = session.config().groups();
    if let Some(complaint) = GroupPlan::complaint(&groups) {
        let message = format!("{}: {complaint}", session.scheme());
        found.push(Finding::new(format!("{path}.scheme"), message).on([path.to_owned()]));
    }
    let of_members = groups.iter().position(|group| group.senders == Senders::Members);
    if let Some(number) = of_members.filter(|_| !session.course().membership.any_source) {
        let message = format!(
            "false given, and to group {number} of {} members alone send: nobody could; leave it out, or choose \
             parameters without such a group",
            session.scheme()
        );
        let finding = Finding::new(format!("{path}.membership.any_source"), message).given(Some(false));
        found.push(finding.on([path.to_owned()]));
    }
}

/// Times and numbers of the receivers.
fn members(scenario: &Scenario, name: &str, session: &SessionEntry, found: &mut Vec<Finding>) {
    let receivers = &session.course().receivers;
    let number = receivers.number(scenario.right());
    let path = format!("sessions.{name}.receivers");
    if receivers.count == Some(0) {
        return;
    }
    if matches!(&receivers.nodes, Some(Nodes::Each(nodes)) if nodes.is_empty()) && receivers.count.is_none() {
        let message = "an empty list; a session has receivers: name one node or more, or leave it out";
        found.push(Finding::new(format!("{path}.nodes"), message).given(Some("[]")));
        return;
    }
    if let Some(lie) = &receivers.lie {
        for (field, message) in lie.beyond_limits() {
            found.push(Finding::new(format!("{path}.lie.{field}"), message).on([path.clone()]));
        }
        if lie.liars > number {
            let message = format!("{} given for {number} receivers; legal is 1 to {number}", lie.liars);
            found.push(Finding::new(format!("{path}.lie.liars"), message).given(Some(lie.liars)).on([path.clone()]));
        }
    }
    // Looked at before any of them gets a name.
    if u64::from(number) > MOST {
        return;
    }
    let lists = [("join", Some(&receivers.join)), ("leave", receivers.leave.as_ref())];
    let mut fits = true;
    for (key, times) in lists.into_iter().filter_map(|(key, times)| Some((key, times?))) {
        if !times.fits(number) {
            fits = false;
            let message = format!("{} times for {number} receivers: give one for each, or a single one", times.given());
            let finding = Finding::new(format!("{path}.{key}"), message).legal(format!("a list of {number}"));
            found.push(finding.on([path.clone(), "topology".into()]));
        }
    }
    if !fits {
        return;
    }
    let duration = scenario.duration;
    for index in 0..number {
        let latest = receivers.join_of(index).unwrap_or_default() + receivers.join_jitter;
        let leave = receivers.leave_of(index);
        let name = format!("{name}-{index}");
        let (key, message) = if latest >= duration && duration > Duration::ZERO {
            ("join", format!("receiver {name} may join as late as {latest}; legal is before the end at {duration}"))
        } else if let Some(leave) = leave.filter(|&leave| leave <= latest) {
            (
                "leave",
                format!("receiver {name} would leave at {leave}; legal is after its join, {latest} at the latest"),
            )
        } else {
            continue;
        };
        // The first will do: with it the others are likely to be fixed.
        found.push(Finding::new(format!("{path}.{key}"), message).on([path.clone(), "duration".into()]));
        return;
    }
}

/// Receivers that the source cannot reach, or that cannot answer it: joins and reports, too, must find their way.
pub(super) fn unreachable(network: &Network, edges: &[Edge], routes: &Routes, reach: &Reach, found: &mut Vec<Finding>) {
    for session in &network.sessions {
        let lost = session.receivers.iter().find_map(|receiver| {
            let ways =
                [(session.source, receiver.node, "path leads"), (receiver.node, session.source, "path back leads")];
            let way = ways.into_iter().find(|&(from, to, _)| from != to && !reach.leads(from, to))?;
            Some((receiver, way))
        });
        // The first of a session will do.
        let message = match lost {
            Some((receiver, (from, to, what))) => {
                let [from, to] = [from, to].map(|node| &network.nodes[node as usize].name);
                format!("receiver {} cannot be reached: no {what} from node {from} to node {to}", receiver.name)
            }
            None => {
                let Some((receiver, link)) = one_way(network, edges, routes, session) else { continue };
                format!(
                    "receiver {} cannot be reached: multicast takes its shortest way to the source backwards, and link \
                     {link} on it has no direction back",
                    receiver.name
                )
            }
        };
        let path = format!("sessions.{}.receivers", session.name);
        found.push(Finding::new(path, message).on(["topology", "nodes", "links"]));
    }
}

/// A receiver, all of which have ways to and from the source, whose way to it cannot be taken backwards, and the link
/// where that is so.
fn one_way<'a>(
    network: &'a Network,
    edges: &[Edge],
    routes: &Routes,
    session: &'a NetworkSession,
) -> Option<(&'a NetworkReceiver, &'a str)> {
    session.receivers.iter().find_map(|receiver| {
        let mut way = routes.way(edges, NodeId(receiver.node), NodeId(session.source));
        let link = way.find(|&up| routes.back(edges, up).is_none() && !may_come_back(network, up))?;
        Some((receiver, network.links[link.index()].name.as_str()))
    })
}

/// Whether a link leads back at some time along this one, as that of a station turns from satellite to satellite.
fn may_come_back(network: &Network, link: LinkId) -> bool {
    let DirectedLink { from, to, .. } = network.links[link.index()];
    let turns = |other: &DirectedLink| other.changes.iter().any(|change| change.what == What::To(from));
    network.links.iter().any(|other| other.from == to && turns(other))
}
