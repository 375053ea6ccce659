//! Flows and sessions that the warm-up left while they were in their first slow start.

use super::message::Warning;
use crate::activity::Activity;
use crate::network::{Network, NetworkFlow, NetworkSession};
use faircast_proto::endpoint::EventKind;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::packet::Address;
use faircast_proto::scheme::Scheme;
use faircast_proto::tcp::events;
use faircast_proto::tfmcc::SLOW_START_ENDED;
use faircast_proto::time::Instant;
use faircast_sim::world::World;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What a run says of slow starts.
pub(super) struct SlowStarts<'a, C> {
    world: &'a World<C>,
    network: &'a Network,
    /// By flow when the first event after the warm-up came by which one sees that slow start is over. Looked for when
    /// somebody asks.
    ended: OnceCell<BTreeMap<u32, Instant>>,
}

/// What a TCP sender counts when its window is reduced; without any of them its slow start is the first.
const REDUCTIONS: [&str; 3] = ["loss_reductions", "ecn_reductions", "timeouts"];

/// The events that end a first slow start.
const ENDS: [&EventKind; 5] = [
    SLOW_START_ENDED,
    events::LOSS_REDUCTION,
    events::INCIPIENT_REDUCTION,
    events::MODERATE_REDUCTION,
    events::TIMEOUT,
];

impl<'a, C> SlowStarts<'a, C> {
    pub(super) fn of(world: &'a World<C>, network: &'a Network) -> SlowStarts<'a, C> {
        SlowStarts { world, network, ended: OnceCell::new() }
    }

    /// A TCP flow whose window had never been reduced when the warm-up ended, and was below its slow-start threshold.
    pub(super) fn of_flow(&self, index: usize, flow: &NetworkFlow, active: &Activity) -> Option<Warning> {
        let since = self.since(active)?;
        let sender = self.world.flows()[index].sender;
        let early = self.world.records().sender_gauges_at_warmup.get(index)?;
        let early = |name: &str| Some(self.world.records().gauges[early + self.place(sender, name)?]);
        let reduced = |of: &dyn Fn(&str) -> Option<f64>| REDUCTIONS.iter().any(|name| of(name).unwrap_or(0.0) > 0.0);
        let cwnd = early("cwnd")?;
        // A window that is full grows no more, whatever the congestion window does.
        let grows = cwnd < early("ssthresh")? && flow.kind.window_pkts().is_none_or(|wnd| cwnd < wnd);
        if !grows || reduced(&early) {
            return None;
        }
        let now = self.world.measure(sender);
        if active.end.is_some() && !reduced(&|name| self.place(sender, name).map(|place| now[place])) {
            // It had sent all before its window was ever reduced: no warm-up would be long enough.
            return None;
        }
        let over = |at| format!("its window was first reduced at {at:.3} s");
        Some(self.warning(index, &flow.name, &format!("flow {}", flow.name), since, over))
    }

    /// A session with slow start of whose receivers none had found a loss when the warm-up ended, below its highest
    /// rate.
    pub(super) fn of_session(
        &self,
        index: usize,
        session: &NetworkSession,
        active: &Activity,
        bound_bps: Option<f64>,
    ) -> Option<Warning> {
        let since = self.since(active)?;
        if !session.config.events().iter().any(|kind| is(kind, SLOW_START_ENDED)) {
            return None;
        }
        let records = self.world.records();
        let rate_bps = records.senders_at_warmup.get(index)?.rate_bps;
        if bound_bps.is_some_and(|bound| rate_bps >= super::unlimited::AT_RATE_FROM * bound) {
            return None;
        }
        for receiver in self.world.flows()[index].receivers.clone() {
            let place = self.place(self.world.receivers()[receiver], "loss_events")?;
            if records.gauges[records.receiver_gauges_at_warmup.get(receiver)? + place] > 0.0 {
                return None;
            }
        }
        let over = |at| format!("its slow start ended at {at:.3} s");
        Some(self.warning(index, &session.name, &format!("session {}", session.name), since, over))
    }

    /// How long it had been active when the warm-up ended, seconds; nothing if it had not begun, or was over.
    fn since(&self, active: &Activity) -> Option<f64> {
        let warmup = self.network.probes.warmup;
        let begun = active.start < warmup && self.world.now() > warmup;
        (begun && active.end.is_none_or(|end| end > warmup)).then(|| active.up_to(warmup))
    }

    fn warning(&self, index: usize, name: &str, whose: &str, since: f64, over: impl Fn(f64) -> String) -> Warning {
        let ended = self.ended.get_or_init(|| self.ends()).get(&(index as u32));
        let what_then = match ended {
            Some(at) => format!("{}; take a warmup longer than that", over(at.as_secs_f64())),
            None if self.network.probes.events => "it was so until the end of the run; take a longer one".to_owned(),
            None => "take a longer warmup".to_owned(),
        };
        let message = format!(
            "{whose} was still in its first slow start when the warm-up ended at {} s, {since:.3} s after its start: \
             the values after the warm-up are not those of a steady state; {what_then}",
            self.network.probes.warmup.as_secs_f64()
        );
        Warning { kind: "slow-start", subject: name.to_owned(), value: since, message }
    }

    fn ends(&self) -> BTreeMap<u32, Instant> {
        let warmup = self.network.probes.warmup;
        let mut ends = BTreeMap::new();
        for row in self.world.records().events.iter().filter(|row| row.at > warmup) {
            if ENDS.iter().any(|kind| is(kind, row.event.kind)) {
                ends.entry(row.flow.0).or_insert(row.at);
            }
        }
        ends
    }

    /// Where an endpoint shows this.
    fn place(&self, address: Address, name: &str) -> Option<usize> {
        self.world.gauges(address).iter().position(|gauge| gauge.name == name)
    }
}

fn is(one: &EventKind, other: &EventKind) -> bool {
    one.name == other.name
}
