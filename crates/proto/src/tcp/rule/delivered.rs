//! How many segments an ACK says have arrived, for rules that estimate a bandwidth: the procedure `AckedCount` of
//! Casetti, Gerla, Mascolo, Sanadidi and Wang (MobiCom 2001), as Linux has it.
//!
//! A duplicate ACK stands for a segment that has arrived above a gap. The ACK that fills the gap covers it again, so
//! what duplicates have counted is taken off there, down to one, the segment that has filled the gap.

use crate::tcp::window::Ack;

/// What has been counted ahead of the cumulative acknowledgements.
#[derive(Clone, Debug, Default)]
pub struct Delivered {
    ahead: u32,
}

impl Delivered {
    /// The segments that this ACK reports, at least 1. Every ACK must be shown, duplicates included, once.
    #[inline]
    pub fn by(&mut self, ack: &Ack) -> u32 {
        match ack.newly_acked {
            0 => {
                self.ahead = self.ahead.saturating_add(1);
                1
            }
            1 => 1,
            several if self.ahead >= several => {
                self.ahead -= several;
                1
            }
            several => several - core::mem::take(&mut self.ahead),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Credit;
    use crate::time::Instant;

    fn ack(newly_acked: u32) -> Ack {
        Ack { arrived: Instant::ZERO, newly_acked, flight: 9, rtt: None, srtt: None, credit: Credit::ONE }
    }

    #[test]
    fn acks_by_hand() {
        let mut delivered = Delivered::default();
        let mut by = |newly_acked| delivered.by(&ack(newly_acked));
        // One by one; a delayed ACK of two.
        assert_eq!([1, 1, 2].map(&mut by), [1, 1, 2]);
        // Segment 0 of 0..6 is lost: five duplicates, then an ACK of all six for the one that was sent again.
        assert_eq!([0, 0, 0, 0, 0, 6].map(&mut by), [1; 6]);
        // 0 and 4 of 0..8 are lost: six duplicates; a partial ACK of four, another duplicate, and then four: one more
        // than was delivered, as the procedure has it.
        assert_eq!([0, 0, 0, 0, 0, 0, 4, 0, 4].map(&mut by), [1; 9]);
        // Reordering: two overtake one, which comes by itself, and the next as ever.
        assert_eq!([0, 0, 3, 1, 2].map(&mut by), [1, 1, 1, 1, 2]);
    }

    #[test]
    fn acks_that_were_lost_are_made_up_for() {
        let mut delivered = Delivered::default();
        let mut by = |newly_acked| delivered.by(&ack(newly_acked));
        // Of five duplicates two come; the ACK of all six counts what is missing.
        assert_eq!([0, 0, 6].map(&mut by), [1, 1, 4]);
    }
}
