//! Who looks at the packets of a link: a probe of its queue, a router agent in front of it.

use super::{Form, Link, Traits};
use crate::packet_probe::PacketAction;
use crate::queue::{Discipline, InterfaceView, Verdict};
use crate::queue_probe::QueueProbe;
use crate::router::{Offer, port::Port};
use crate::store::Label;
use faircast_proto::packet::Packet;
use faircast_proto::time::{Duration, Instant};

impl Link {
    /// Attaches a probe to the queue.
    pub fn attach_probe(&mut self, probe: QueueProbe) {
        self.look_at_each();
        self.traits.add(Traits::PROBED);
        if self.form == Form::Plain {
            self.form = Form::Special;
        }
        self.special.get_or_insert_default().probe = Some(probe);
    }

    /// Puts a router agent in front of the queue.
    pub(crate) fn attach_port(&mut self, port: Port) {
        self.look_at_each();
        self.special.get_or_insert_default().port = Some(port);
    }

    /// The router agent, if there is one, sees a packet that is offered to the queue.
    pub(crate) fn offer(&mut self, now: Instant, packet: &Packet) -> Offer {
        let view = self.view_settled(now);
        let Some(port) = self.port_mut() else { return Offer::Forward };
        let offer = port.offer(packet, view);
        if offer == Offer::HoldBack {
            self.counters.arrived += 1;
            self.counters.held_back += 1;
            self.assert_conservation();
            if self.traits.has(Traits::PROBED) {
                self.witness(now, PacketAction::HeldBack, packet);
            }
        }
        offer
    }

    /// Tells the probe what happens to a packet that is not in the queue.
    #[cold]
    pub(crate) fn witness(&mut self, now: Instant, action: PacketAction, packet: &Packet) {
        self.settle(now);
        let queue = (self.waiting_pkts(), self.queue.average_pkts().unwrap_or(f64::NAN));
        if let Some(probe) = self.probe_mut() {
            probe.witness(now, action, packet, queue);
        }
    }

    #[cold]
    pub(super) fn observe_entry(&mut self, now: Instant, verdict: Verdict, label: Label, arrived: &Packet) {
        let action = match verdict {
            Verdict::Mark(level) => PacketAction::Marked(level),
            _ => PacketAction::Accepted,
        };
        // With a queue that owns its packets what may start has not started yet.
        let starts = if self.queue.owns_packets() && !self.is_busy() { self.starting_now(now) } else { 0 };
        self.observe(now, action, arrived, self.waiting_pkts().saturating_sub(starts));
        if let Some(probe) = self.probe_mut() {
            probe.enter(label.packet(), arrived);
        }
    }

    /// Tells the probe that a packet's transmission begins when it has waited so long.
    #[cold]
    pub(super) fn observe_beginning(&mut self, wait: Duration, packet: &Packet) {
        if let Some(probe) = self.probe_mut() {
            probe.begin(wait, packet.flow);
        }
    }

    #[cold]
    pub(super) fn observe(&mut self, now: Instant, action: PacketAction, packet: &Packet, waiting: u32) {
        let average = self.queue.average_pkts().unwrap_or(f64::NAN);
        if let Some(probe) = self.probe_mut() {
            probe.observe(now, action, packet, (waiting, average));
        }
    }

    #[cold]
    pub(super) fn observe_departure(&mut self, departed: Instant, label: Label) {
        if self.is_changing_leg() {
            return;
        }
        // On a two-stage link the next packet starts in the same moment, so one packet fewer waits than now.
        let starts = self.starting_now(departed);
        let waiting = match &self.waiting {
            Some(waiting) => waiting.pkts.saturating_sub(starts),
            None => self.ring.in_system().saturating_sub(1),
        };
        let average = self.queue.average_pkts().unwrap_or(f64::NAN);
        if let Some(probe) = self.probe_mut() {
            probe.depart(departed, label.packet(), (waiting, average));
        }
    }

    /// Tells the probe of a packet that waits no longer and will not be transmitted.
    pub(super) fn note_left(&mut self, label: Label) {
        if let Some(probe) = self.probe_mut() {
            probe.leave(label.packet());
        }
    }

    /// Tells the router agent, if there is one, of a packet that has been dropped or marked.
    #[cold]
    pub(super) fn tell_agent(&mut self, now: Instant, packet: &Packet) {
        if let Some(port) = self.port_mut() {
            port.congestion(packet, now);
        }
    }

    /// The probe of the queue, if one is attached.
    pub fn probe_mut(&mut self) -> Option<&mut QueueProbe> {
        self.special.as_mut()?.probe.as_mut()
    }

    /// The router agent in front of the queue.
    pub(crate) fn port_mut(&mut self) -> Option<&mut Port> {
        self.special.as_mut()?.port.as_mut()
    }

    /// What a router knows of the interface, brought up to the present.
    pub(crate) fn view_settled(&mut self, now: Instant) -> InterfaceView {
        self.settle(now);
        self.view(now)
    }

    /// The probe of the queue, if one is attached.
    pub fn probe(&self) -> Option<&QueueProbe> {
        self.special.as_ref()?.probe.as_ref()
    }

    /// The router agent in front of the queue.
    pub(crate) fn port(&self) -> Option<&Port> {
        self.special.as_ref()?.port.as_ref()
    }
}
