//! Sessions that answer congestion and met none.

use super::links::Use;
use super::message::{Warning, shown_bps};
use super::ways::Ways;
use crate::activity::Activity;
use crate::network::{Network, NetworkSession};
use crate::tables::over;
use faircast_proto::group_set::Role;
use faircast_proto::packet::Address;
use faircast_proto::scheme::{Responder, Scheme};
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::LinkId;
use faircast_sim::world::World;

/// The part of the highest rate, or of all layers, from which on a session counts as being there. A choice: what a
/// sender that is at its bound all the time loses to the gaps between packets and to a start late in the warm-up is
/// below a twentieth.
pub const AT_RATE_FROM: f64 = 0.95;

/// What the receivers of schemes of this tree count that says they have lost something.
const LOSSES: [&str; 2] = ["loss_events", "missed"];

/// The most that ever leaves a session's source, bit/s: its `max_rate`, or what the fastest link out of its node
/// passes if that is less. Nothing without both.
pub(super) fn bound(network: &Network, session: &NetworkSession) -> Option<Rate> {
    session.config.max_rate().into_iter().chain(line_rate(network, session)).min()
}

fn line_rate(network: &Network, session: &NetworkSession) -> Option<Rate> {
    let out = network.links.iter().filter(|link| link.from == session.source);
    out.map(|link| link.highest_passing_rate()).max()
}

/// A session that nothing limited after the warm-up.
pub(super) fn of_session<C>(
    world: &World<C>,
    network: &Network,
    (index, session): (usize, &NetworkSession),
    active: &Activity,
    (ways, uses): (&Ways, &[Use]),
) -> Option<Warning> {
    let sent = late_bytes(world, index)?;
    let sending_bps = over(8.0 * sent, active.after(network.probes.warmup));
    let present_s = late_seconds(world, index, |receiver| world.presence(receiver), |it| &it.presence_at_warmup);
    let lost_nothing = lost_nothing(world, index);
    let is_judged = !uses.is_empty() && session.config.is_controlled() && lost_nothing != Some(false);
    if !is_judged || sending_bps.is_nan() || sending_bps == 0.0 || present_s == 0.0 {
        return None;
    }
    // Where routes change, any link may have been on its way.
    let tree: Vec<LinkId> =
        if network.reroutes() { (0..uses.len() as u32).map(LinkId).collect() } else { ways.of_session(session) };
    let free = tree.iter().all(|link| uses[link.index()].is_free());
    if !lost_nothing.unwrap_or(free) {
        return None;
    }
    let acts = |link: &LinkId| ways.link(*link).agent.as_ref().is_some_and(|agent| agent.acts_on_sessions());
    if session.config.responder() == Responder::Routers && !tree.iter().any(acts) {
        // That no router limits it is said already.
        return None;
    }
    let name = &session.name;
    let layers = session.config.groups().iter().filter(|plan| matches!(plan.role, Role::Layer(_))).count();
    let held = late_seconds(world, index, |receiver| world.held(receiver), |it| &it.held_at_warmup) / present_s;
    let how = match session.config.responder() {
        Responder::Sender => {
            let bound = bound(network, session)?;
            if sending_bps >= AT_RATE_FROM * bound.as_bps_f64() {
                let which = match session.config.max_rate() {
                    Some(most) if most == bound => "its max_rate",
                    _ => "the rate of the fastest link out of its source's node",
                };
                Some(format!("it sent at {which}, {}", shown_bps(bound.as_bps_f64())))
            } else {
                None
            }
        }
        _ if layers > 1 && held >= AT_RATE_FROM * layers as f64 => {
            Some(format!("its receivers held all of its {layers} layers"))
        }
        _ => None,
    };
    let how = match how {
        Some(how) => how,
        None if free && !tree.iter().any(acts) => {
            format!(
                "it sent {} on the average, and no link on its way was full: its rate follows from how it grows and \
                 from how long it had to",
                shown_bps(sending_bps)
            )
        }
        None => return None,
    };
    let message = format!(
        "nothing in the network limited session {name} after the warm-up: its receivers lost nothing, and {how}; its \
         rate says nothing about congestion control; to see that lower the rate of a link on its way, or raise what \
         bounds the session"
    );
    Some(Warning { kind: "unlimited", subject: name.clone(), value: sending_bps, message })
}

/// Bytes that the source sent after the warm-up.
fn late_bytes<C>(world: &World<C>, index: usize) -> Option<f64> {
    let early = world.records().senders_at_warmup.get(index)?;
    Some((world.sender(index).sent_bytes - early.sent_bytes) as f64)
}

/// Seconds that the receivers of a session have more now than at the end of the warm-up, all together.
fn late_seconds<C>(
    world: &World<C>,
    index: usize,
    now: impl Fn(usize) -> Duration,
    early: impl Fn(&faircast_sim::probe::Records) -> &Vec<Duration>,
) -> f64 {
    let early = early(world.records());
    let receivers = world.flows()[index].receivers.clone();
    receivers.map(|receiver| Duration(now(receiver).0 - early.get(receiver).map_or(0, |it| it.0)).as_secs_f64()).sum()
}

/// Whether no receiver of a session has counted a loss after the warm-up; nothing if they do not count them.
fn lost_nothing<C>(world: &World<C>, index: usize) -> Option<bool> {
    let records = world.records();
    let place = |address: Address| world.gauges(address).iter().position(|gauge| LOSSES.contains(&gauge.name));
    let mut nothing = true;
    for receiver in world.flows()[index].receivers.clone() {
        let address = world.receivers()[receiver];
        let place = place(address)?;
        let early = records.gauges[records.receiver_gauges_at_warmup.get(receiver)? + place];
        nothing &= world.measure(address)[place] <= early;
    }
    Some(nothing)
}
