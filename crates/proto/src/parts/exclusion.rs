//! Receivers that an application does without: "The application should exclude receivers that report such a low rate"
//! (RFC 4654 section 3.3).

use crate::packet::Address;
use crate::time::Rate;

/// Who reports too low a rate to be heeded. A receiver is for as long as its reports say so.
#[derive(Clone, Debug)]
pub struct Exclusion {
    least_bps: Option<f64>,
    /// Those that were reported, the latest last.
    told: Vec<Address>,
}

/// What becomes of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It counts.
    Heeded,
    /// It does not, and that of its receiver before did, or there was none.
    Excluded,
    /// It does not, as that before.
    StillExcluded,
}

/// How many are remembered, so that each is reported once.
const MOST_TOLD: usize = 1000;

impl Exclusion {
    /// Of receivers below `least`; nobody if there is none.
    pub fn new(least: Option<Rate>) -> Exclusion {
        Exclusion { least_bps: least.map(Rate::as_bps_f64), told: Vec::new() }
    }

    /// What the least rate is, bit/s; NaN if there is none.
    pub fn least_bps(&self) -> f64 {
        self.least_bps.unwrap_or(f64::NAN)
    }

    /// A receiver that loses packets reports this rate, bit/s.
    pub fn hear(&mut self, receiver: Address, rate_bps: f64) -> Verdict {
        let Some(least_bps) = self.least_bps else { return Verdict::Heeded };
        let place = self.told.iter().position(|&told| told == receiver);
        if rate_bps >= least_bps {
            place.map(|place| self.told.remove(place));
            return Verdict::Heeded;
        }
        if place.is_some() {
            return Verdict::StillExcluded;
        }
        if self.told.len() == MOST_TOLD {
            self.told.remove(0);
        }
        self.told.push(receiver);
        Verdict::Excluded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reports_less_is_excluded_and_told_of_once_in_a_row() {
        use Verdict::{Excluded, Heeded, StillExcluded};
        let mut exclusion = Exclusion::new(Some(Rate(1000)));
        let [a, b] = [1, 2].map(Address::endpoint);
        let said = [(a, 999.0), (b, 1000.0), (a, 10.0), (a, 1001.0), (a, 0.0)];
        let verdicts = said.map(|(receiver, rate_bps)| exclusion.hear(receiver, rate_bps));
        assert_eq!(verdicts, [Excluded, Heeded, StillExcluded, Heeded, Excluded]);
        assert_eq!(Exclusion::new(None).hear(a, 0.0), Heeded);
        for n in 0..2 * MOST_TOLD as u32 {
            exclusion.hear(Address::endpoint(n), 0.0);
        }
        assert_eq!(exclusion.told.len(), MOST_TOLD);
    }
}
