//! The sender: TFMCC's, told by what to multiply its rate.

use super::Config;
use super::population::Population;
use super::scale::Scale;
use crate::endpoint::{Endpoint, Event, Input, Outbox, Report};
use crate::packet::{Address, FlowId, Header};
use crate::tfmcc;
use crate::time::Instant;

/// The source of an OMCC session.
#[derive(Debug)]
pub struct Sender {
    tfmcc: tfmcc::Sender,
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
            tfmcc: tfmcc::Sender::new(&config.tfmcc, flow, own, group),
            scale: Scale::new(config, receivers),
            population,
            registrations: 0,
            registration_bytes: 0,
        }
    }

    /// The sender that does the rest.
    pub fn tfmcc(&self) -> &tfmcc::Sender {
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
        if let Input::Packet(packet) = input
            && matches!(packet.header, Header::Registration { .. })
        {
            self.registrations += 1;
            self.registration_bytes += u64::from(packet.size);
        }
        let Some(population) = &mut self.population else { return };
        if let Input::Packet(packet) = input {
            population.hear(now, packet);
        }
        population.pass(now);
        self.scale.set(population.receivers());
        self.apply(out);
    }

    /// A feedback round has begun.
    fn next_round(&mut self, out: &mut Outbox) {
        let Some(population) = &mut self.population else { return };
        population.next_round(self.tfmcc.round());
        self.scale.set(population.receivers());
        self.scale.next_round();
        self.apply(out);
    }

    fn apply(&mut self, out: &mut Outbox) {
        let (before, after) = (self.tfmcc.scaling(), self.scale.scaling());
        if before == after {
            return;
        }
        self.tfmcc.scale(after);
        let factor = |scaling: tfmcc::Scaling| scaling.equation * scaling.increase;
        if factor(before) != factor(after) {
            out.event(Event::ScaleChanged { before: factor(before), after: factor(after) });
        }
    }

    fn is_running(&self) -> bool {
        self.tfmcc.deadline().is_some()
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.apply(out),
            Input::Timeout if self.deadline().is_none_or(|at| at > now) => return,
            Input::Stop => {}
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
}
