//! From the sessions of a scenario to those of its network.

use super::Expansion;
use crate::control::Cancelled;
use crate::model::{MembershipSettings, Nodes, Receivers, SessionEntry, TreeMode, TreeRebuild};
use crate::network::{NetworkReceiver, NetworkSession};
use crate::problem::Finding;
use crate::topology::Hosts;
use faircast_proto::group_set::{GroupPlan, GroupSet, MAX_GROUPS, Role, Senders};
use faircast_proto::playout;
use faircast_proto::quantity::Bytes;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;
use faircast_proto::time::Rate;
use faircast_sim::multicast::{self, SessionPlan};
use std::collections::BTreeSet;

impl Expansion<'_> {
    pub(super) fn sessions(&mut self) -> Result<(), Cancelled> {
        let scenario = self.scenario;
        let mut taken: BTreeSet<String> = self.network.flows.iter().map(|flow| flow.name.clone()).collect();
        for (name, session) in &scenario.sessions {
            let path = format!("sessions.{name}");
            let source = self.node(&format!("{path}.source"), &session.course().source);
            let receivers = self.receivers(name, session);
            for name in std::iter::once(name).chain(receivers.iter().map(|receiver| &receiver.name)) {
                self.control.look()?;
                if !taken.insert(name.clone()) {
                    let message = format!("there is another flow, session or receiver called {name}; rename one");
                    self.found.push(Finding::new(path.clone(), message).on(["flows"]));
                }
            }
            let Some(source) = source else { continue };
            let course = session.course();
            self.network.sessions.push(NetworkSession {
                name: name.clone(),
                source,
                config: session.config(),
                start: course.start,
                start_jitter: course.start_jitter,
                stop: course.stop,
                dscp: course.dscp,
                application: application(session),
                playout: course.playout.clone(),
                receivers,
                lie: course.receivers.lie.clone(),
                plan: plan(session),
            });
        }
        Ok(())
    }

    fn receivers(&mut self, name: &str, session: &SessionEntry) -> Vec<NetworkReceiver> {
        let path = format!("sessions.{name}.receivers");
        let receivers = &session.course().receivers;
        let number = receivers.number(self.scenario.right());
        let nodes = self.receiving_nodes(&path, receivers, number);
        let place = |(index, node): (u32, Option<u32>)| {
            Some(NetworkReceiver {
                name: format!("{name}-{index}"),
                node: node?,
                join: receivers.join_of(index)?,
                join_jitter: receivers.join_jitter,
                leave: receivers.leave_of(index),
            })
        };
        (0..).zip(nodes).filter_map(place).collect()
    }

    /// The node of each receiver, as far as it is known.
    fn receiving_nodes(&mut self, path: &str, receivers: &Receivers, number: u32) -> Vec<Option<u32>> {
        let path = format!("{path}.nodes");
        match &receivers.nodes {
            Some(Nodes::One(name)) => vec![self.node(&path, name); number as usize],
            Some(Nodes::Each(names)) if names.len() as u64 == u64::from(number) => {
                (0..).zip(names).map(|(i, name)| self.node(&format!("{path}[{i}]"), name)).collect()
            }
            Some(Nodes::Each(names)) => {
                let message =
                    format!("{} nodes for {number} receivers: name one for each, or leave out count", names.len());
                self.found.push(Finding::new(path, message).legal(format!("a list of {number}")));
                Vec::new()
            }
            None => {
                let right = self.scenario.right();
                if number == 0 || number > right {
                    let hosts = self.scenario.topology.as_ref().map(|topology| topology.hosts("right"));
                    let message = match (hosts, right) {
                        (None, _) => {
                            "missing: without a topology a session must say where its receivers are".to_owned()
                        }
                        (Some(Hosts::None), _) | (Some(_), 0) => {
                            "missing: this topology has no hosts on its right; name nodes here".to_owned()
                        }
                        (Some(Hosts::For(what)), right) => {
                            format!("missing: the topology has {right} {what}, not {number}; name nodes here")
                        }
                        (Some(Hosts::Counted), right) => format!(
                            "missing, so receiver {right} would need the node right-{right}, but topology.right is \
                             {right}: make it {number}, or name nodes here"
                        ),
                    };
                    self.found.push(Finding::new(path, message).on(["topology", "nodes"]));
                    return Vec::new();
                }
                let topology = self.scenario.topology.as_ref();
                (0..number).map(|i| self.names.get(&topology?.host("right", i)?).copied()).collect()
            }
        }
    }
}

/// What there is to send: what is said of it, or what media of a rate take at the most.
fn application(session: &SessionEntry) -> Option<application::Config> {
    let (course, packet_bytes) = (session.course(), session.config().packet_bytes());
    let Some(playout) = course.playout.as_ref().filter(|playout| !playout.rates().is_empty()) else {
        return course.application.clone();
    };
    let highest_bps = playout.highest_bps(packet_bytes)?;
    let whole_s = playout.segments().map(|segments| f64::from(segments) * playout.segment.as_secs_f64());
    let bytes = whole_s.map(|whole_s| Bytes((whole_s * highest_bps / 8.0).ceil() as u64));
    let rate = (playout.kind == playout::Kind::Live).then(|| Rate(highest_bps.ceil() as u64));
    (rate.is_some() || bytes.is_some()).then(|| application::Config { rate, bytes, ..application::Config::default() })
}

fn plan(session: &SessionEntry) -> SessionPlan {
    let membership = &session.course().membership;
    let mode = match membership.mode {
        TreeMode::Sparse => multicast::Mode::Sparse,
        TreeMode::Dense => multicast::Mode::Dense { prune_timeout: membership.prune_timeout },
    };
    let rebuild = match membership.rebuild {
        TreeRebuild::AtOnce => multicast::Rebuild::AtOnce,
        TreeRebuild::ByMessages => multicast::Rebuild::ByMessages,
    };
    let &MembershipSettings { retry, lifetime, .. } = membership;
    // The check refuses more.
    let mut groups = session.config().groups();
    groups.truncate(MAX_GROUPS as usize);
    let which = |is: &dyn Fn(&GroupPlan) -> bool| -> GroupSet {
        (0..).zip(&groups).filter(|(_, group)| is(group)).map(|(number, _)| number).collect()
    };
    let control = which(&|group| group.role == Role::Control);
    let any_source = which(&|group| membership.any_source && group.senders != Senders::Source);
    let plan = SessionPlan { control, any_source, ..SessionPlan::sparse(groups.len() as u32) };
    SessionPlan { mode, leave_delay: membership.leave_delay(), retry, lifetime, rebuild, ..plan }
}
