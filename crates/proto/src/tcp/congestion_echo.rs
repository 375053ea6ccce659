//! Explicit congestion notification (RFC 3168) and its multilevel form [Durresi]: the receiver's latch and the sender's
//! record of what it has already answered.
//!
//! A level travels as the packet's [`Ecn`] to the receiver and as the ACK's `echo` back. RFC 3168 knows one level,
//! `Moderate`. In [Durresi] Table II the echo is coded in the ACK's two bits (CWR, ECE): none 00, incipient 01,
//! moderate 11; in data segments CWR keeps its meaning "I have reduced my window".

use super::config::{Config, EcnMode};
use crate::packet::Ecn;

/// The receiver's side: which level its ACKs echo, and until when.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    echo: Ecn,
    pending: Ecn,
    mode: EcnMode,
    latched: bool,
}

impl Latch {
    /// Echoes nothing.
    pub fn new(config: &Config) -> Latch {
        Latch { echo: Ecn::NotCapable, pending: Ecn::NotCapable, mode: config.ecn, latched: config.mecn.latch }
    }

    /// A data segment with congestion bits `level` arrived; `window_reduced` is its CWR bit, which is looked at first.
    ///
    /// The level marked first is echoed until CWR comes; a higher one that arrives meanwhile waits for its turn
    /// ([Durresi] section V), or with `latch = false` is echoed at once.
    pub fn on_segment(&mut self, level: Ecn, window_reduced: bool) {
        if window_reduced {
            self.echo = self.pending;
            self.pending = Ecn::NotCapable;
        }
        let marked = match self.mode {
            EcnMode::Off => false,
            EcnMode::Ecn => level == Ecn::Moderate,
            EcnMode::Mecn => level >= Ecn::Incipient,
        };
        if !marked {
            return;
        }
        if self.echo == Ecn::NotCapable {
            self.echo = level;
        } else if level > self.echo {
            if self.latched {
                self.pending = self.pending.max(level);
            } else {
                self.echo = level;
            }
        }
    }

    /// What ACKs carry now.
    #[inline]
    pub fn echo(&self) -> Ecn {
        self.echo
    }
}

/// The sender's side: what each level asks for, and what has been done about it in the present window of data.
#[derive(Clone, Debug)]
pub struct EchoResponse {
    incipient: f64,
    moderate: f64,
    severe: f64,
    escalate: bool,
    holds: bool,
    /// Product of the reductions in the present window of data.
    product: f64,
    /// The level answered last.
    answered: Ecn,
    /// Consecutive holds at a window of one segment.
    hold_exponent: u32,
}

impl EchoResponse {
    /// Nothing answered yet. A mark of plain ECN asks for a reduction to `mark_factor`.
    pub fn new(config: &Config, mark_factor: f64) -> EchoResponse {
        let (incipient, moderate, severe, escalate, holds) = match config.ecn {
            // RFC 3168 section 6.1.2: as for a single dropped packet.
            EcnMode::Off | EcnMode::Ecn => (mark_factor, mark_factor, mark_factor, false, true),
            // [Durresi] Table III.
            EcnMode::Mecn => {
                let m = &config.mecn;
                (1.0 - m.alpha1, 1.0 - m.alpha2, 1.0 - m.alpha3, m.escalate, m.hold)
            }
        };
        EchoResponse {
            incipient,
            moderate,
            severe,
            escalate,
            holds,
            product: 1.0,
            answered: Ecn::NotCapable,
            hold_exponent: 0,
        }
    }

    /// The first echo in a window of data: the factor it asks for.
    pub fn first(&mut self, level: Ecn) -> f64 {
        self.product = if level == Ecn::Incipient { self.incipient } else { self.moderate };
        self.answered = level;
        self.product
    }

    /// A further echo in a window of data already reduced by an echo: the factor still missing to that of the higher
    /// level, once; `None` if there is nothing to do.
    pub fn further(&mut self, level: Ecn) -> Option<f64> {
        if !self.escalate || level <= self.answered {
            return None;
        }
        self.answered = level;
        self.missing_to(self.moderate)
    }

    /// A loss in a window of data already reduced by an echo: the factor still missing to that of a loss, at most 1.
    pub fn loss(&mut self) -> f64 {
        if !self.escalate {
            return 1.0;
        }
        self.missing_to(self.severe).unwrap_or(1.0)
    }

    /// Whether an echo that meets a window of one segment makes the sender pause (RFC 3168 section 6.1.2).
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// A pause begins: by how many doublings of the time-out it is longer than the first one.
    pub fn begin_hold(&mut self) -> u32 {
        // The window is at its least: neither a higher level nor a loss in the same window of data asks for more.
        self.product = 0.0;
        self.hold_exponent += 1;
        self.hold_exponent - 1
    }

    /// New data was acknowledged without an echo: the next pause is a first one.
    #[inline]
    pub fn relieved(&mut self) {
        self.hold_exponent = 0;
    }

    fn missing_to(&mut self, target: f64) -> Option<f64> {
        if self.product <= target {
            return None;
        }
        let factor = target / self.product;
        self.product = target;
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(ecn: EcnMode) -> Config {
        Config { ecn, ..Config::default() }
    }

    #[test]
    fn the_first_level_is_echoed_until_cwr_then_the_next() {
        // [Durresi] section V: incipient marked, then moderate arrives before CWR.
        let mut latch = Latch::new(&config(EcnMode::Mecn));
        latch.on_segment(Ecn::Incipient, false);
        latch.on_segment(Ecn::Moderate, false);
        latch.on_segment(Ecn::Capable, false);
        assert_eq!(latch.echo(), Ecn::Incipient);
        latch.on_segment(Ecn::Capable, true);
        assert_eq!(latch.echo(), Ecn::Moderate);
        // A lower level while a higher one is echoed is ignored.
        latch.on_segment(Ecn::Incipient, false);
        latch.on_segment(Ecn::Capable, true);
        assert_eq!(latch.echo(), Ecn::NotCapable);
        // CWR and a mark in one packet: CWR first.
        latch.on_segment(Ecn::Moderate, false);
        latch.on_segment(Ecn::Incipient, true);
        assert_eq!(latch.echo(), Ecn::Incipient);
    }

    #[test]
    fn without_the_latch_the_highest_level_is_echoed() {
        let mut unlatched = config(EcnMode::Mecn);
        unlatched.mecn.latch = false;
        let mut latch = Latch::new(&unlatched);
        latch.on_segment(Ecn::Incipient, false);
        latch.on_segment(Ecn::Moderate, false);
        assert_eq!(latch.echo(), Ecn::Moderate);
        latch.on_segment(Ecn::Capable, true);
        assert_eq!(latch.echo(), Ecn::NotCapable);
    }

    #[test]
    fn plain_ecn_ignores_the_incipient_code_point() {
        let mut latch = Latch::new(&config(EcnMode::Ecn));
        latch.on_segment(Ecn::Incipient, false);
        assert_eq!(latch.echo(), Ecn::NotCapable);
        latch.on_segment(Ecn::Moderate, false);
        assert_eq!(latch.echo(), Ecn::Moderate);
    }

    #[test]
    fn a_level_that_comes_again_before_cwr_is_echoed_once() {
        // RFC 3168 section 6.1.3: a window of data with several marks asks for one reduction.
        for ecn in [EcnMode::Ecn, EcnMode::Mecn] {
            let mut latch = Latch::new(&config(ecn));
            latch.on_segment(Ecn::Moderate, false);
            latch.on_segment(Ecn::Moderate, false);
            latch.on_segment(Ecn::Capable, true);
            assert_eq!(latch.echo(), Ecn::NotCapable);
        }
    }

    #[test]
    fn who_has_not_agreed_on_ecn_echoes_nothing() {
        let mut latch = Latch::new(&config(EcnMode::Off));
        latch.on_segment(Ecn::Moderate, false);
        assert_eq!(latch.echo(), Ecn::NotCapable);
    }

    #[test]
    fn pauses_double_until_an_ack_without_echo_and_are_all_that_a_window_of_data_asks_for() {
        let mut multilevel = config(EcnMode::Mecn);
        multilevel.mecn.hold = true;
        for config in [config(EcnMode::Ecn), multilevel] {
            let mut response = EchoResponse::new(&config, 0.5);
            assert!(response.holds());
            assert_eq!([(); 3].map(|()| response.begin_hold()), [0, 1, 2]);
            assert_eq!((response.further(Ecn::Moderate), response.loss()), (None, 1.0));
            response.relieved();
            assert_eq!(response.begin_hold(), 0);
        }
    }

    #[test]
    fn a_higher_level_that_asks_for_no_more_is_no_reduction() {
        let mut same = config(EcnMode::Mecn);
        (same.mecn.alpha1, same.mecn.alpha2) = (0.3, 0.3);
        let mut response = EchoResponse::new(&same, 0.5);
        assert_eq!((response.first(Ecn::Incipient), response.further(Ecn::Moderate)), (0.7, None));
    }

    #[test]
    fn reductions_of_one_window_add_up_to_the_highest_level() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let mut response = EchoResponse::new(&config(EcnMode::Mecn), 0.5);
        assert!(close(response.first(Ecn::Incipient), 0.8));
        assert!(close(response.further(Ecn::Moderate).expect("a higher level"), 0.75));
        assert_eq!(response.further(Ecn::Moderate), None);
        assert!(close(response.loss(), 0.5 / 0.6));
        assert_eq!(response.loss(), 1.0);

        let mut plain = EchoResponse::new(&config(EcnMode::Ecn), 0.5);
        assert_eq!((plain.first(Ecn::Moderate), plain.further(Ecn::Moderate), plain.loss()), (0.5, None, 1.0));
        // RFC 3168 knows one level: whatever comes is answered as a loss.
        assert_eq!((plain.first(Ecn::Incipient), plain.further(Ecn::Moderate), plain.loss()), (0.5, None, 1.0));
    }
}
