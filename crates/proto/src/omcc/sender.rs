//! The sender: TFMCC's, told by what to multiply its rate.

use super::config::Config;
use super::header::Header;
use super::population::Population;
use super::scale::Scale;
use super::show::{SCALE, SENDER_GAUGES};
use super::wording::Scaled;
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, FlowId};
use crate::tfmcc;
use crate::time::Instant;

/// The source of an OMCC session.
#[derive(Debug)]
pub struct Sender {
    tfmcc: tfmcc::SenderOf<Scaled>,
    scale: Scale,
    /// What is known of the receivers; none if their number makes no difference.
    population: Option<Population>,
    registrations: u64,
    registration_bytes: u64,
}

impl Sender {
    /// A source at `own` that sends to `group`, of a session set up with `members` receivers. `config` must have passed
    /// [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address, members: u32) -> Sender {
        let most = config.tfmcc.max_receivers;
        let population = config.counts().then(|| Population::new(&config.population, members, most));
        let receivers = population.as_ref().map_or(1.0, Population::receivers);
        Sender {
            tfmcc: tfmcc::SenderOf::new(&config.tfmcc, flow, own, group),
            scale: Scale::new(config, receivers),
            population,
            registrations: 0,
            registration_bytes: 0,
        }
    }

    /// The sender that does the rest.
    pub fn tfmcc(&self) -> &tfmcc::SenderOf<Scaled> {
        &self.tfmcc
    }

    /// N as far as it is known and makes a difference; 1 otherwise.
    pub fn receivers(&self) -> f64 {
        self.population.as_ref().map_or(1.0, Population::receivers)
    }

    /// The factor in use: f(N) or what bounds and slow growth leave of it.
    pub fn factor(&self) -> f64 {
        self.scale.factor()
    }

    /// What the input says about N. A factor that is too high falls before anything is sent.
    fn learn(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet, .. } = input
            && matches!(packet.header, packet::Header::Omcc(Header::Registration { .. }))
        {
            self.registrations += 1;
            self.registration_bytes += u64::from(packet.size);
        }
        let Some(population) = &mut self.population else { return };
        let mut cause = Cause::Time;
        if let Input::Packet { packet, .. } = input {
            population.hear(now, packet);
            cause = Cause::Report { receiver: packet.source, number: u64::from(self.tfmcc.round()) };
        }
        population.pass(now);
        self.scale.set(population.receivers());
        self.apply(cause, out);
    }

    /// A feedback round has begun.
    fn next_round(&mut self, out: &mut Outbox) {
        let Some(population) = &mut self.population else { return };
        population.next_round(self.tfmcc.round());
        self.scale.set(population.receivers());
        self.scale.next_round();
        self.apply(Cause::Time, out);
    }

    fn apply(&mut self, cause: Cause, out: &mut Outbox) {
        let (before, after) = (self.tfmcc.scaling(), self.scale.scaling());
        if before == after {
            return;
        }
        self.tfmcc.scale(after);
        let factor = |scaling: tfmcc::Scaling| scaling.equation * scaling.increase;
        if factor(before) != factor(after) {
            out.event(Event::change(SCALE, factor(before), factor(after), cause));
        }
    }

    fn is_running(&self) -> bool {
        self.tfmcc.deadline().is_some()
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.apply(Cause::Time, out),
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) if self.deadline().is_none_or(|at| at > now) => {
                return;
            }
            Input::Stop => {}
            Input::Granted(_) | Input::NotSent(_) if !self.is_running() => {}
            _ if !self.is_running() => return,
            _ => self.learn(now, input, out),
        }
        let round = self.tfmcc.round();
        self.tfmcc.handle(now, input, out);
        if self.tfmcc.round() != round {
            self.next_round(out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let own = self.population.as_ref().map_or(Instant::FAR_FUTURE, Population::deadline);
        self.tfmcc.deadline().map(|at| at.min(own))
    }

    fn report(&self) -> Report {
        let report = self.tfmcc.report();
        Report {
            received_pkts: report.received_pkts + self.registrations,
            received_bytes: report.received_bytes + self.registration_bytes,
            ..report
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let (tfmcc, own) = values.split_at_mut(tfmcc::SENDER_GAUGES.len());
        self.tfmcc.measure(tfmcc);
        own.copy_from_slice(&[self.factor(), self.receivers()]);
    }
}
