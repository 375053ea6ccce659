//! What a member of SMCC tells its loss differentiation.

use super::{Climbed, Held, Layer, Receiver};
use crate::packet::{self, Packet};
use crate::parts::loss_history::Space;
use crate::smcc::header::Header;
use crate::tfmcc::Recorded;

impl Receiver {
    /// The truth about a packet that did not come.
    pub(super) fn link_lost(&mut self, packet: &Packet) {
        let packet::Header::Smcc(header) = packet.header else { return };
        let number = packet.destination.to_bits().wrapping_sub(self.group.to_bits());
        let count = match header {
            Header::Data(data) => {
                let layer = self.layers.get(number as usize);
                layer.and_then(|layer: &Layer| layer.space.count_of(data.unpack().data.sequence))
            }
            Header::Counting(counting) => {
                let first = self.attempt.as_ref().map(|attempt| self.number_of(attempt, 0));
                let rank = first.map_or(u32::MAX, |first| number.wrapping_sub(first));
                let climbed = self.climbed.get(rank as usize);
                climbed.and_then(|climbed: &Climbed| climbed.space.count_of(counting.sequence))
            }
            Header::Feedback(_) | Header::Ack(_) => None,
        };
        if let (Some(part), Some(count)) = (&mut self.differentiation, count) {
            part.link_lost(number as u16, count);
        }
    }

    /// A layer has said its rate T_i, which is that of all up to it: its own is what it adds to those below. That of
    /// counting layers does not change.
    pub(super) fn note_rate(&mut self, number: usize) {
        let Some(part) = &mut self.differentiation else { return };
        let told_bps = |layer: &Layer| layer.told.map(|(data, _)| f64::from(data.rate_bps));
        let below_bps = number.checked_sub(1).map_or(Some(0.0), |below| told_bps(&self.layers[below]));
        if let (Some(rate_bps), Some(below_bps)) = (told_bps(&self.layers[number]), below_bps) {
            part.rate(number as u16, rate_bps - below_bps);
        }
    }

    /// It has left the group that the loss history knows by `name`.
    pub(super) fn forget(&mut self, name: Space) {
        self.measurement.leave(name);
        if let Some(part) = &mut self.differentiation {
            part.left(name.0);
        }
    }

    /// What is missing of a counting layer that it holds, up to this count, is lost.
    pub(super) fn miss(&mut self, rank: u8, until: u64) -> Recorded {
        let (name, now) = (self.name(Held::Counting(rank)), self.now);
        let space = &mut self.climbed[usize::from(rank)].space;
        self.measurement.overdue(name, space, until, now, self.differentiation.as_deref_mut())
    }
}
