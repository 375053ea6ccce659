//! The receiver: TFMCC's, which multiplies its rate as data packets say, and registers if that is asked for.

use super::config::{Apply, Config};
use super::header::{Header, REGISTRATION};
use super::population;
use super::population::registration::Registrant;
use super::wording::Scaled;
use crate::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, FlowId};
use crate::random::Random;
use crate::tfmcc;
use crate::time::Instant;
use crate::wire;

/// A member of an OMCC session.
#[derive(Debug)]
pub struct Receiver {
    tfmcc: tfmcc::ReceiverOf<Scaled>,
    /// Boxed, since few sessions have them and there may be thousands of receivers.
    registrant: Option<Box<Registrant>>,
}

const _: () = assert!(core::mem::size_of::<Receiver>() <= core::mem::size_of::<tfmcc::Receiver>() + 8);

impl Receiver {
    /// A receiver at `own` of the session that is sent to `group`. `config` must have passed [`Config::check`];
    /// `random` is for the feedback timers.
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address, random: Random) -> Receiver {
        let registrant = match &config.population {
            population::Config::Registration(registration) if config.counts() => {
                let size = wire::size(config.tfmcc.report_size, &REGISTRATION);
                Some(Box::new(Registrant::new(registration, flow, own, size)))
            }
            _ => None,
        };
        let mut tfmcc = tfmcc::ReceiverOf::new(&config.tfmcc, flow, own, group, random);
        if config.f_apply == Apply::ReceiveRate {
            tfmcc.cap_scaled_rate();
        }
        Receiver { tfmcc, registrant }
    }

    /// The receiver that does the rest.
    pub fn tfmcc(&self) -> &tfmcc::ReceiverOf<Scaled> {
        &self.tfmcc
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.tfmcc.handle(now, input, out);
        let Some(registrant) = &mut self.registrant else { return };
        if let Input::NotSent(packet) = input
            && let packet::Header::Omcc(Header::Registration { .. }) = packet.header
        {
            // As one that the network has lost: the next comes with the next refresh.
            registrant.not_sent();
        }
        let member = self.tfmcc.is_member();
        if let Input::Packet { packet, .. } = input
            && let packet::Header::Omcc(Header::Data(_)) = packet.header
            && member
        {
            registrant.data(now, packet.source);
        }
        registrant.act(now, member, out);
    }

    fn deadline(&self) -> Option<Instant> {
        let own = self.registrant.as_ref().map_or(Instant::FAR_FUTURE, |registrant| registrant.deadline());
        let at = self.tfmcc.deadline().map_or(own, |at| at.min(own));
        (at != Instant::FAR_FUTURE).then_some(at)
    }

    fn report(&self) -> Report {
        let report = self.tfmcc.report();
        let messages = self.registrant.as_ref().map_or([0; 2], |registrant| registrant.sent());
        Report { sent_pkts: report.sent_pkts + messages[0], sent_bytes: report.sent_bytes + messages[1], ..report }
    }

    fn sees_link_losses(&self) -> bool {
        self.tfmcc.sees_link_losses()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.tfmcc.gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        self.tfmcc.measure(values);
    }
}
