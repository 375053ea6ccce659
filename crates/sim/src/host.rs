//! An endpoint with what its driver keeps for it.

use crate::agent::{Agent, Nobody};
use crate::ids::NodeId;
use crate::relays::RelayState;
use faircast_proto::control::Control;
use faircast_proto::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::playout::Sent;
use faircast_proto::time::{Duration, Instant};

/// An endpoint on its node. What every packet touches stands before the agent, whose size varies.
#[repr(C, align(64))]
pub(crate) struct Host {
    /// The host's clock is this much ahead of the simulator's.
    offset: Duration,
    /// When the next timer entry comes that is heeded.
    armed: Instant,
    /// A later entry that is in the calendar already: re-arming to an earlier time and back costs one entry, not two.
    armed_later: Instant,
    /// When it starts; `FAR_FUTURE` = it has, or never will.
    start: Instant,
    /// When it stops; `FAR_FUTURE` = it has, or never will.
    stop: Instant,
    pub(crate) node: NodeId,
    pub(crate) flow: FlowId,
    agent: Agent,
}

impl Host {
    pub(crate) fn new(
        agent: Agent,
        node: NodeId,
        flow: FlowId,
        offset: Duration,
        start: Instant,
        stop: Instant,
    ) -> Host {
        Host { offset, armed: start.min(stop), armed_later: Instant::FAR_FUTURE, start, stop, node, flow, agent }
    }

    /// Somebody takes the seat.
    pub(crate) fn enter(&mut self, agent: Agent) {
        self.agent = agent;
    }

    /// The occupant of the seat leaves it. Timer entries that it left behind are spurious.
    pub(crate) fn vacate(&mut self) -> Agent {
        std::mem::replace(&mut self.agent, Agent::Nobody(Nobody))
    }

    /// Gives the endpoint an input; what it wants in return goes into `out`. [`rearm`](Self::rearm) must follow.
    pub(crate) fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.agent.handle(now + self.offset, input, out);
    }

    /// Gives it a packet that arrives now, and arms it: says when to put a timer entry into the calendar, if one is
    /// needed.
    #[inline(always)]
    pub(crate) fn hand_packet(
        &mut self,
        now: Instant,
        packet: &Packet,
        control: Option<&Control>,
        out: &mut Outbox,
    ) -> Option<Instant> {
        let arrived = now + self.offset;
        let deadline = self.agent.handle_until(arrived, Input::Packet { packet, control, arrived }, out);
        self.rearm_by(now, deadline)
    }

    /// A timer entry has come. Says whether it is heeded.
    pub(crate) fn take_timer(&mut self, now: Instant) -> bool {
        let heeded = self.armed == now;
        if heeded {
            self.armed = std::mem::replace(&mut self.armed_later, Instant::FAR_FUTURE);
        }
        heeded
    }

    /// Says, once, that it is time to start.
    pub(crate) fn take_start(&mut self, now: Instant) -> bool {
        let starts = self.start <= now;
        if starts {
            self.start = Instant::FAR_FUTURE;
        }
        starts
    }

    /// Says, once, that it is time to stop. What stops does not start any more.
    pub(crate) fn take_stop(&mut self, now: Instant) -> bool {
        let stops = self.stop <= now;
        if stops {
            (self.start, self.stop) = (Instant::FAR_FUTURE, Instant::FAR_FUTURE);
        }
        stops
    }

    /// Says when to put a timer entry into the calendar, if one is needed. A deadline that has moved to a later time
    /// needs none: the entry that is there will find it not yet due and ask again. So timers that move with every
    /// packet, as retransmission timers do, cost nothing.
    #[inline(always)]
    pub(crate) fn rearm(&mut self, now: Instant) -> Option<Instant> {
        self.rearm_by(now, self.agent.deadline())
    }

    /// The same if the endpoint's deadline is known.
    #[inline(always)]
    fn rearm_by(&mut self, now: Instant, deadline: Option<Instant>) -> Option<Instant> {
        let wake = self.wake(deadline).max(now);
        if wake >= self.armed {
            return None;
        }
        if self.armed < self.armed_later {
            self.armed_later = self.armed;
        }
        self.armed = wake;
        Some(wake)
    }

    /// Whether the endpoint's deadline has come.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.agent.deadline().is_some_and(|deadline| deadline <= now + self.offset)
    }

    /// What the packet of a film carries that the endpoint sent first and that was not asked for yet.
    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.agent.take_sent()
    }

    /// How many segments of its film the endpoint has done with.
    pub(crate) fn segments_done(&self) -> Option<u32> {
        self.agent.segments_done()
    }

    /// What is in the relay that is the next host on the way, and for how long it has held this one back.
    pub(crate) fn before_relay(&self, now: Instant, next: &Host) -> RelayState {
        RelayState::of(&self.agent, now + self.offset, &next.agent)
    }

    /// What the endpoint has counted.
    pub(crate) fn report(&self) -> Report {
        self.agent.report()
    }

    /// Whether the endpoint wants to be told of packets that links have lost.
    pub(crate) fn sees_link_losses(&self) -> bool {
        self.agent.sees_link_losses()
    }

    /// What else the endpoint shows.
    pub(crate) fn gauges(&self) -> &'static [Gauge] {
        self.agent.gauges()
    }

    /// The present values of its gauges.
    pub(crate) fn measure(&self, values: &mut [f64]) {
        self.agent.measure(values);
    }

    /// When this host next wants to be called, on the simulator's clock, if that is the endpoint's deadline.
    #[inline(always)]
    fn wake(&self, deadline: Option<Instant>) -> Instant {
        let deadline = match deadline {
            Some(deadline) => Instant(deadline.0.saturating_sub(self.offset.0)),
            None => Instant::FAR_FUTURE,
        };
        deadline.min(self.start).min(self.stop)
    }
}

/// What is in the relays of a row of hosts, place by place.
pub(crate) fn between(hosts: &[Host], row: &[Address], now: Instant) -> impl Iterator<Item = RelayState> {
    let host = |address: Address| &hosts[address.index()];
    row.windows(2).map(move |pair| host(pair[0]).before_relay(now, host(pair[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Has the deadline that it is given.
    struct Counting(Arc<AtomicU64>);

    impl Endpoint for Counting {
        fn handle(&mut self, _now: Instant, _input: Input<'_>, _out: &mut Outbox) {}

        fn deadline(&self) -> Option<Instant> {
            Some(Instant(self.0.load(Relaxed)))
        }

        fn report(&self) -> Report {
            Report::default()
        }
    }

    #[test]
    fn only_deadlines_before_all_entries_need_one_more() {
        let deadline = Arc::new(AtomicU64::new(0));
        let agent = Agent::Guest(Box::new(Counting(deadline.clone())));
        let mut host = Host::new(agent, NodeId(0), FlowId(0), Duration(7), Instant::ZERO, Instant::FAR_FUTURE);
        assert!(host.take_timer(Instant::ZERO) && host.take_start(Instant::ZERO) && !host.take_start(Instant::ZERO));
        // On the simulator's clock, behind which the host's is by 7 ns.
        let rearm = |host: &mut Host, now: u64, at: u64| {
            deadline.store(at + 7, Relaxed);
            host.rearm(Instant(now))
        };
        assert_eq!(rearm(&mut host, 0, 100), Some(Instant(100)));
        assert_eq!(rearm(&mut host, 0, 100), None);
        assert_eq!(rearm(&mut host, 0, 500), None);
        assert_eq!(rearm(&mut host, 0, 80), Some(Instant(80)));
        // Of three entries the first two are heeded.
        assert_eq!(rearm(&mut host, 0, 60), Some(Instant(60)));
        assert!(host.take_timer(Instant(60)));
        assert!(!host.is_due(Instant(59)) && host.is_due(Instant(60)));
        assert_eq!(rearm(&mut host, 60, 80), None);
        assert!(host.take_timer(Instant(80)));
        assert_eq!(rearm(&mut host, 80, 100), Some(Instant(100)));
        // What should have been already is due at once.
        assert_eq!(rearm(&mut host, 90, 85), Some(Instant(90)));
    }
}
