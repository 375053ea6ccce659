//! What a member says to the source: reports of what it measures, with windows acknowledgements.

use super::super::header::{AckHeader, FeedbackHeader, Header};
use super::{Phase, Receiver};
use crate::endpoint::Outbox;
use crate::packet::Packet;
use crate::parts::rtt::stamp_us;
use crate::tfmcc;
use crate::time::Instant;

impl Receiver {
    /// `dropped`: it has just left the layer above.
    pub(super) fn send_report(&mut self, now: Instant, dropped: bool, out: &mut Outbox) {
        let (measurement, at) = (&self.measurement, self.rates_at);
        let feedback = tfmcc::FeedbackHeader {
            have_rtt: measurement.measured_rtt_s().is_some(),
            have_loss: measurement.have_loss(),
            leave: matches!(self.phase, Phase::Leaving { .. }),
            round: self.reporting.round(),
            echoed_stamp_us: measurement.held_stamp_us(now),
            rate_bps: self.reports.rate_bps(measurement.desired_bps(at)),
            rtt_s: measurement.rtt_s() as f32,
            loss_event_rate: measurement.loss_event_rate() as f32,
            receive_bps: measurement.receive_bps(at) as f32,
            scale: measurement.scale(),
        };
        self.reporting.reported(now, measurement.rtt_s());
        // The first limits where nobody does, and else who wants less than there is.
        let wants_less = measurement.desired_bps(at) < measurement.sending_bps();
        let may_lead = !self.reporting.is_limiting() && (!self.is_lead_known || wants_less);
        self.entry.reported(now, may_lead);
        let header = Header::Feedback(FeedbackHeader { feedback, layer: self.level as u8, dropped });
        out.send(self.reports.next(now, self.own, self.sender, header.into()));
    }

    /// With windows who limits acknowledges each packet of the layers that it holds, as if when it arrived.
    pub(super) fn acknowledge(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let ack = AckHeader {
            echoed_stamp_us: stamp_us(packet.sent + now.since(arrived)),
            highest: self.lowest.highest(),
            bitmap: self.lowest.bitmap(),
            layer: self.level as u8,
        };
        out.send(self.acks.next(now, self.own, self.sender, Header::Ack(ack).into()));
    }
}
