//! MLDA as a scheme: the endpoints that its parameters make, and what is asked of schemes.

use super::config::Config;
use super::receiver::Receiver;
use super::sender::Sender;
use super::show::EVENTS;
use crate::endpoint::EventKind;
use crate::group_set::GroupPlan;
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::{Duration, Rate};

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = Box<Receiver>;

    fn check(&self) -> Vec<(String, String)> {
        self.check()
    }

    fn groups(&self) -> Vec<GroupPlan> {
        self.group_plans()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        EVENTS
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        self.max_rate
    }

    /// Rates follow reports, and those begin with the second sender report.
    fn check_within(&self, duration: Duration) -> Vec<(String, String)> {
        let interval = self.report_interval;
        let message = || format!("{interval} given; legal is at most the duration of the run, {duration}");
        (interval > duration).then(|| ("report_interval".to_owned(), message())).into_iter().collect()
    }

    /// Members leave layers, but what there is in them follows from what members lose.
    fn responder(&self) -> Responder {
        Responder::Sender
    }

    fn sender(&self, seat: Seat) -> Sender {
        Sender::new(self, seat)
    }

    fn receiver(&self, seat: Seat) -> Box<Receiver> {
        Box::new(Receiver::new(self, seat))
    }
}
