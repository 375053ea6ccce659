//! SMCC as a scheme: the endpoints that its parameters make, and what is asked of schemes.

use super::config::{Config, PeriodSet};
use super::receiver::Receiver;
use super::sender::Sender;
use super::show::EVENTS;
use crate::endpoint::EventKind;
use crate::group_set::GroupPlan;
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::Rate;

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = Box<Receiver>;

    fn check(&self) -> Vec<(String, String)> {
        self.check()
    }

    /// One for parameters that do not pass the check, of which there are none that could be counted.
    fn groups(&self) -> Vec<GroupPlan> {
        if self.check().is_empty() { self.group_plans() } else { vec![GroupPlan::layer(0)] }
    }

    fn events(&self) -> &'static [&'static EventKind] {
        EVENTS
    }

    fn packet_bytes(&self) -> u64 {
        self.tfmcc.packet_size.0
    }

    /// What the layers carry together: nobody holds counting layers but on the way to that.
    fn max_rate(&self) -> Option<Rate> {
        self.bounds().last().copied()
    }

    /// With all counting layers, which are on together in the last of their slots. Those of parameters that do not pass
    /// the check are not counted.
    fn peak_rate(&self) -> Option<Rate> {
        if !self.check().is_empty() {
            return self.max_rate();
        }
        let of_set = |set: PeriodSet| {
            let packets = f64::from((1_u32 << set.layers) - 1) * f64::from(self.phases);
            packets * self.packet_bits() / set.period.as_secs_f64()
        };
        let counting_bps: f64 = self.period_sets().into_iter().map(of_set).sum();
        self.max_rate().map(|rate| Rate(rate.0 + counting_bps as u64))
    }

    /// The source sends its layers whatever is lost in those that nobody limits; members leave them.
    fn responder(&self) -> Responder {
        Responder::Receivers
    }

    fn sender(&self, seat: Seat) -> Sender {
        Sender::new(self, seat)
    }

    fn receiver(&self, seat: Seat) -> Box<Receiver> {
        Box::new(Receiver::new(self, seat))
    }
}
