//! Flows and sessions that their own settings kept from sending, and packets that came nowhere.

use super::message::Warning;
use crate::activity::Activity;
use crate::network::NetworkFlow;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::source::application::APPLICATION_LIMITED;
use faircast_proto::tcp::WINDOW_LIMITED;
use faircast_proto::time::Instant;
use faircast_sim::counters::Undeliverable;
use faircast_sim::world::World;

/// The part of its time from which on a flow that its window holds back is worth a warning. A choice: below a fifth the
/// window costs a flow less than what seeds differ by.
pub const WINDOW_LIMITED_FROM: f64 = 0.2;

/// A flow that its own window held back.
pub(super) fn window_limited<C>(
    world: &World<C>,
    index: usize,
    flow: &NetworkFlow,
    active: &Activity,
) -> Option<Warning> {
    let wnd = flow.kind.window_pkts()?;
    let sender = world.flows()[index].sender;
    let held = world.gauges(sender).iter().position(|gauge| *gauge == WINDOW_LIMITED)?;
    // From its stop on a window holds nothing back.
    let stop = flow.stop.map_or(Instant::FAR_FUTURE, |stop| Instant::ZERO + stop);
    let share = world.measure(sender)[held] / active.up_to(stop);
    if share < WINDOW_LIMITED_FROM || share.is_nan() {
        return None;
    }
    let message = format!(
        "flow {} could not send for {:.0} % of its time because its window, wnd = {} packets, was full: its rate \
         follows from the window, not from the network; leave wnd out to let the network decide",
        flow.name,
        100.0 * share,
        wnd
    );
    Some(Warning { kind: "window-limited", subject: flow.name.clone(), value: share, message })
}

/// Whether a flow or session had nothing to send for more than half of its time: its application limits it, as its
/// scenario says.
pub(super) fn application_limits<C>(world: &World<C>, index: usize, active: &Activity) -> bool {
    let sender = world.flows()[index].sender;
    let Some(place) = world.gauges(sender).iter().position(|gauge| *gauge == APPLICATION_LIMITED) else { return false };
    world.measure(sender)[place] > 0.5 * active.up_to(Instant::FAR_FUTURE)
}

/// A flow or session that had come to its end when the warm-up had.
pub(super) fn not_active(
    warmup: Instant,
    name: &str,
    whose: &str,
    is_controlled: bool,
    active: &Activity,
) -> Option<Warning> {
    let end = active.end.filter(|&end| end <= warmup)?.as_secs_f64();
    let compared = if is_controlled { ", and it is not part of jain_index" } else { "" };
    let message = format!(
        "{whose} had nothing more to send after {end} s, and the warm-up ends at {} s: all that the summary says of \
         the time after that is 0 for it{compared}; a shorter warmup takes it in",
        warmup.as_secs_f64()
    );
    Some(Warning { kind: "not-active", subject: name.to_owned(), value: end, message })
}

/// Packets of a flow or session that the network gave up, by reason.
pub(super) fn undeliverable(counted: Undeliverable, name: &str, whose: &str, warnings: &mut Vec<Warning>) {
    let reasons = [
        ("no-route", counted.no_route, "found no way to where they were to go"),
        ("hop-limit", counted.out_of_hops, "had used up their hops before they were there"),
        ("off-tree", counted.off_tree, "came over a link that is not, or no longer, the way down their tree"),
        ("not-a-source", counted.not_a_source, "went to a group to which their sender may not send"),
    ];
    for (kind, packets, what) in reasons.into_iter().filter(|&(_, packets, _)| packets > 0) {
        let message = format!("{packets} packets of {whose} {what}; they are not among the drops and losses of links");
        warnings.push(Warning { kind, subject: name.to_owned(), value: packets as f64, message });
    }
}
