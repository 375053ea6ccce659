//! Who limits a layer: election, silence and leave of the lead receiver LR_i ([Kwon] section IV-A).
//!
//! ```text
//!              first report              LR_i leaves, or is silent
//!      Empty ───────────────▶ Led ───────────────────────────────▶ Election
//!        ▲                     ▲             first report             │ │
//!        │                     └──────────────────────────────────────┘ │
//!        └──────────────────────────────────────────────────────────────┘
//!                            a feedback round without a report
//! ```
//!
//! In an election a new feedback round begins, so that all that are in the layer set their timers. T_i does not rise
//! while nobody limits it, nor, by case 3 of RFC 4654 section 3.3, in the round after the first report.

use super::control::LayerControl;
use super::lately::Lately;
use super::layers::Layers;
use crate::packet::Address;
use crate::tfmcc::{Feedback, ReportOutcome};
use crate::time::Instant;

/// Who limits a layer, as far as its control does not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nobody is known to be there.
    Empty {
        /// Nobody ever was.
        fresh: bool,
    },
    /// Somebody, whom the control knows.
    Led {
        /// When the last report was sent, by the clock of who sent it.
        sent: Instant,
    },
    /// The one that did has left, and another is asked for.
    Election {
        /// It, and when it said so by its clock; none if it was given up for its silence.
        gone: Option<(Address, Instant)>,
    },
}

/// A control, and who limits it.
#[derive(Clone, Debug)]
pub(super) struct Led {
    pub control: LayerControl,
    pub lead: Lead,
    /// The layer, from 0.
    number: usize,
    /// B_{i-1}, bit/s.
    floor_bps: f64,
    /// B_i, bit/s.
    bound_bps: f64,
    elections: u64,
    /// Of the reports of who led, seconds.
    longest_rtt: Lately,
}

/// What the passing of time did to who limits a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// The one that limited was given up for its silence.
    pub given_up: bool,
    /// This one limits again, as the one that had taken its place has not answered.
    pub restored: Option<Address>,
    /// A feedback round has begun.
    pub next_round: bool,
}

impl Led {
    pub(super) fn new(control: LayerControl, layers: &Layers, number: usize) -> Led {
        let (floor_bps, bound_bps) = (layers.floor_bps(number), layers.bound_bps(number));
        Led {
            control,
            lead: Lead::Empty { fresh: true },
            number,
            floor_bps,
            bound_bps,
            elections: 0,
            longest_rtt: Lately::MOST,
        }
    }

    /// A report of a receiver whose highest layer is this, sent at `sent` by its clock. `None` if it says nothing.
    /// `longest_rtt_s`: if it comes from a layer that it led, the longest round trip that it had there lately, seconds.
    pub(super) fn hear(
        &mut self,
        now: Instant,
        feedback: &Feedback,
        sent: Instant,
        longest_rtt_s: Option<f64>,
    ) -> Option<ReportOutcome> {
        let mut feedback = *feedback;
        if let Lead::Empty { fresh } = self.lead {
            // Where many may begin together R_max is the one configured, so that not all report at once: as in TFMCC,
            // in the lowest layer. Of any other the first receiver is likely to be alone.
            if !(fresh && self.number == 0) {
                // It goes on to grow as in the layer that it comes from: by the queue that there was lately, and not by
                // one that happens to be empty now.
                self.control.occupied(longest_rtt_s.map_or(feedback.rtt_s, |longest_s| feedback.rtt_s.max(longest_s)));
            }
        }
        // Who wants less than the layer carries at least is about to leave it, and is no reason to report for others.
        let factor = self.control.asked_bps(&Feedback { rate_bps: 1.0, ..feedback });
        feedback.rate_bps = feedback.rate_bps.max(self.floor_bps / factor);
        let led = self.control.lead() == Some(feedback.receiver);
        let heard = self.control.hear(now, &feedback)?;
        if heard.limits {
            self.lead = Lead::Led { sent };
            if let (Some(longest_s), false) = (longest_rtt_s, led) {
                self.longest_rtt.take(now, longest_s);
            }
            self.longest_rtt.take(now, feedback.rtt_s);
        }
        Some(heard)
    }

    /// `receiver` is no longer in the layer, as it said at `sent` by its clock. True if it led: an election begins.
    pub(super) fn left(&mut self, now: Instant, receiver: Address, sent: Instant) -> bool {
        if self.control.lead() != Some(receiver) {
            self.control.other_left(receiver);
            return false;
        }
        self.control.lead_left(now);
        self.elect(Some((receiver, sent)));
        true
    }

    /// What is due by now. `alone`: there is nobody in the layers above.
    pub(super) fn pass(&mut self, now: Instant, alone: bool) -> Passed {
        // The rate of an empty layer follows from what it is, but that of a session without any receiver falls.
        let passed = self.control.pass(now, alone && self.number == 0);
        let mut next_round = passed.next_round;
        if passed.given_up {
            if !next_round {
                self.control.ask_anew(now);
                next_round = true;
            }
            self.elect(None);
        } else if next_round && matches!(self.lead, Lead::Election { .. }) {
            self.lead = Lead::Empty { fresh: false };
            self.control.nobody_left();
        }
        Passed { given_up: passed.given_up, restored: passed.restored, next_round }
    }

    /// T_i of a layer that nobody limits; `alone`: nor is there anybody above. With receivers above all that the layer
    /// may carry, so that they have it in the fewest layers ([Kwon]); without, the least, from which a receiver that
    /// comes grows. The lowest without anybody above is a session that begins, or has lost its receivers.
    pub(super) fn settle(&mut self, alone: bool) {
        let rate_bps = match self.lead {
            Lead::Led { .. } | Lead::Election { .. } => return,
            Lead::Empty { .. } if !alone => self.bound_bps,
            Lead::Empty { .. } if self.number == 0 => return,
            Lead::Empty { .. } => self.floor_bps,
        };
        if self.control.rate_bps() != rate_bps {
            self.control.jump(rate_bps);
        }
    }

    /// Whether somebody is there, or may be.
    pub(super) fn is_occupied(&self) -> bool {
        !matches!(self.lead, Lead::Empty { .. })
    }

    /// Whether `receiver` leads the layer by a report that it sent later than at `sent`.
    pub(super) fn is_led_since(&self, receiver: Address, sent: Instant) -> bool {
        let later = matches!(self.lead, Lead::Led { sent: last } if last > sent);
        later && self.control.lead() == Some(receiver)
    }

    /// Whether another is asked for since `receiver` said, later than at `sent`, that it has left the layer.
    pub(super) fn was_left_since(&self, receiver: Address, sent: Instant) -> bool {
        matches!(self.lead, Lead::Election { gone: Some((gone, at)) } if gone == receiver && at > sent)
    }

    /// The longest round trip that `receiver` had here lately if it leads, seconds.
    pub(super) fn longest_rtt_s(&self, receiver: Address) -> Option<f64> {
        (self.control.lead() == Some(receiver)).then(|| self.longest_rtt.value()).flatten()
    }

    /// How many elections there have been.
    pub(super) fn elections(&self) -> u64 {
        self.elections
    }

    fn elect(&mut self, gone: Option<(Address, Instant)>) {
        self.lead = Lead::Election { gone };
        self.elections += 1;
    }
}
