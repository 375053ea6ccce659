//! Probes: what is written down while a world runs, and when.

use super::World;
use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::LinkId;
use crate::multicast::DilationSpan;
use crate::probe::{GroupRow, LinkRow, QueueRow, ReceiverRow, SenderRow, SlotRow, SymbolRow};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::Instant;

/// Probes: entity 0 ends the warm-up, 1 writes flow and link rows, 2 queue rows, 3 path rows.
impl<C: Calendar> World<C> {
    const WARMUP: u32 = 0;
    const INTERVAL: u32 = 1;
    const QUEUE_INTERVAL: u32 = 2;
    const PATHS: u32 = 3;

    pub(crate) fn schedule_probes(&mut self) {
        if self.plan.warmup == Instant::ZERO {
            // A probe looks when everything of its moment has happened, and nothing of time zero is warm-up.
            self.end_warmup();
        } else {
            self.wires.calendar.schedule(Entry::new(self.plan.warmup, Kind::Probe, Self::WARMUP));
        }
        if self.plan.flows || self.plan.links {
            let first = Instant::ZERO + self.plan.interval;
            self.wires.calendar.schedule(Entry::new(first, Kind::Probe, Self::INTERVAL));
        }
        if !self.plan.queues.is_empty() {
            self.wires.calendar.schedule(Entry::new(Instant::ZERO, Kind::Probe, Self::QUEUE_INTERVAL));
        }
        if !self.paths.is_empty() {
            self.wires.calendar.schedule(Entry::new(Instant::ZERO, Kind::Probe, Self::PATHS));
        }
    }

    #[cold]
    pub(super) fn probe(&mut self, probe: u32) {
        match probe {
            Self::WARMUP => self.end_warmup(),
            Self::INTERVAL => {
                if self.plan.flows {
                    self.record_flows();
                }
                if self.plan.links {
                    self.record_links();
                }
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.interval, Kind::Probe, probe));
            }
            Self::PATHS => {
                self.sample_paths();
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.interval, Kind::Probe, probe));
            }
            _ => {
                self.record_queues();
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.queue_interval, Kind::Probe, probe));
            }
        }
    }

    fn end_warmup(&mut self) {
        let now = self.wires.now;
        for link in &mut self.wires.links {
            link.settle(now);
            if let Some(probe) = link.probe_mut() {
                probe.restart(now);
            }
        }
        self.records.links_at_warmup = self.wires.links.iter().map(|link| *link.counters()).collect();
        if let Some(adaptive) = &self.wires.legs.adaptive {
            self.records.symbols_at_warmup = adaptive.all().collect();
        }
        if let Some(returns) = &self.wires.returns {
            self.records.slots_at_warmup = returns.all().collect();
        }
        self.records.undeliverable_at_warmup = self.undeliverable.clone();
        self.records.losses_at_warmup = self.wires.store.losses().to_vec();
        self.records.senders_at_warmup = (0..self.flows.len()).map(|flow| self.sender(flow)).collect();
        self.records.receivers_at_warmup = self.receivers.iter().map(|&address| self.report(address)).collect();
        self.records.sender_gauges_at_warmup =
            (0..self.flows.len()).map(|flow| self.record_gauges(self.flows[flow].sender)).collect();
        self.records.relays_at_warmup = self.relays();
        self.records.receiver_gauges_at_warmup =
            (0..self.receivers.len()).map(|receiver| self.record_gauges(self.receivers[receiver])).collect();
        self.records.presence_at_warmup = (0..self.receivers.len()).map(|receiver| self.presence(receiver)).collect();
        self.records.held_at_warmup = (0..self.receivers.len()).map(|receiver| self.held(receiver)).collect();
        let changes = (0..self.receivers.len()).map(|receiver| self.membership_changes(receiver));
        self.records.membership_changes_at_warmup = changes.collect();
        self.records.messages_at_warmup.clone_from(&self.messages_sent);
        self.records.membership_messages_at_warmup = self.multicast.messages().collect();
        self.multicast.settle_dilation(now);
        self.multicast.restart_dilation(DilationSpan::Late);
    }

    fn record_flows(&mut self) {
        let at = self.wires.now;
        for flow in 0..self.flows.len() {
            let (report, gauges) = (self.sender(flow), self.record_gauges(self.flows[flow].sender));
            self.records.senders.push(SenderRow { at, flow: FlowId(flow as u32), report, gauges });
        }
        for receiver in 0..self.receivers.len() {
            let address = self.receivers[receiver];
            let (report, gauges) = (self.report(address), self.record_gauges(address));
            let (present, held, level) = (self.presence(receiver), self.held(receiver), self.level(receiver));
            let changes = self.membership_changes(receiver);
            let receiver = receiver as u32;
            self.records.receivers.push(ReceiverRow { at, receiver, level, present, held, changes, report, gauges });
        }
        let relays = self.relays();
        self.records.relays.extend(relays);
        for (group, usage) in (0..).zip(self.multicast.usage()) {
            self.records.groups.push(GroupRow { at, group, counters: usage.until(at) });
        }
    }

    /// Records the gauges of an endpoint; returns where they are in [`Records::gauges`].
    fn record_gauges(&mut self, address: Address) -> usize {
        let (host, values) = (&self.hosts[address.index()], &mut self.records.gauges);
        let start = values.len();
        values.resize(start + host.gauges().len(), f64::NAN);
        host.measure(&mut values[start..]);
        start
    }

    /// A row for each link but those to which nothing has ever come, which are most of a constellation's. Where routes
    /// change, none either for those at which nothing has happened since they had one: links are used for a while.
    fn record_links(&mut self) {
        let pass_by = self.changes_routes();
        self.events_told.resize(self.wires.links.len(), 0);
        for ((link, state), told) in (0..).map(LinkId).zip(&mut self.wires.links).zip(&mut self.events_told) {
            if state.counters().arrived == 0 {
                continue;
            }
            state.settle(self.wires.now);
            let happened = std::mem::replace(told, state.counters().events());
            if !pass_by || *told != happened {
                self.records.links.push(&LinkRow { at: self.wires.now, link, counters: *state.counters() });
            }
        }
        if let Some(adaptive) = &self.wires.legs.adaptive {
            let at = self.wires.now;
            self.records.symbols.extend(adaptive.all().map(|(link, counters)| SymbolRow { at, link, counters }));
        }
        if let Some(returns) = &self.wires.returns {
            let at = self.wires.now;
            self.records.slots.extend(returns.all().map(|(link, counters)| SlotRow { at, link, counters }));
        }
        self.record_dilation();
        self.record_routers();
    }

    fn record_queues(&mut self) {
        for &link in &self.plan.queues {
            let state = &mut self.wires.links[link.index()];
            state.settle(self.wires.now);
            self.records.queues.push(QueueRow::of(link, state, self.wires.now));
            if let Some(probe) = state.probe_mut() {
                probe.look();
            }
        }
    }
}
