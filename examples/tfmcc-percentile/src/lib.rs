//! TFMCC by a percentile: the current limiting receiver is not the slowest one, but the slowest of those that are left
//! when a part of all receivers is passed over. Receivers are TFMCC's own, and so is the sender behind the choice.

mod ranks;

use faircast_proto::endpoint::{Cause, Endpoint, EventKind, Gauge, Input, Outbox, Report};
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::{Address, Packet};
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::tfmcc::{self, Plain, Wording};
use faircast_proto::time::{Instant, Rate};
use ranks::Ranks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the scheme known: scenarios may name it from now on.
pub fn register() {
    let guests = faircast_scenario::guests!();
    guests.scheme::<Config>("tfmcc-percentile", "TFMCC that passes over a part of the receivers, the slowest.");
}

/// The parameters, as a scenario gives them. Those of TFMCC stand beside its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// How many of a hundred receivers are passed over, those with the lowest calculated rates; of other numbers the
    /// whole ones in that part. Default 10; 0 is TFMCC.
    pub percentile: f64,
    /// What it has in common with TFMCC.
    #[serde(flatten)]
    pub tfmcc: tfmcc::Config,
}

limits! { Config {
    percentile: from(0.0).below(100.0),
} }

impl Default for Config {
    fn default() -> Config {
        Config { percentile: 10.0, tfmcc: tfmcc::Config::default() }
    }
}

impl Scheme for Config {
    type Sender = Sender;
    type Receiver = tfmcc::Receiver;

    fn check(&self) -> Vec<(String, String)> {
        [self.beyond_limits(), Scheme::check(&self.tfmcc)].concat()
    }

    fn packet_bytes(&self) -> u64 {
        self.tfmcc.packet_bytes()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        self.tfmcc.events()
    }

    fn max_rate(&self) -> Option<Rate> {
        self.tfmcc.max_rate()
    }

    fn sender(&self, seat: Seat) -> Sender {
        Sender { ranks: Ranks::new(seat.members, self.percentile), passed_over: 0, tfmcc: self.tfmcc.sender(seat) }
    }

    fn receiver(&self, seat: Seat) -> tfmcc::Receiver {
        self.tfmcc.receiver(seat)
    }
}

/// The source: TFMCC's sender, which hears the reports of those that are not passed over.
pub struct Sender {
    tfmcc: tfmcc::Sender,
    ranks: Ranks,
    /// Reports of receivers that were passed over.
    passed_over: u64,
}

/// What a source shows beside what TFMCC's does.
const PASSED_OVER: Gauge = Gauge::count("passed_over", "reports", "Reports of receivers that were passed over.");
/// What a source shows.
const GAUGES: &[Gauge] = &{
    let mut all = [PASSED_OVER; tfmcc::SENDER_GAUGES.len() + 1];
    let mut index = 0;
    while index < tfmcc::SENDER_GAUGES.len() {
        all[index] = tfmcc::SENDER_GAUGES[index];
        index += 1;
    }
    all
};

impl Sender {
    /// Whether this packet is a report that does not count.
    fn passes_over(&mut self, arrived: Instant, packet: &Packet) -> bool {
        let Some(report) = Plain::read_feedback(&packet.header) else { return false };
        if report.leave {
            self.ranks.left(packet.source);
        }
        // Before its first loss a receiver calculates no rate: what it asks for follows the sender's.
        if report.leave || !report.have_loss {
            return false;
        }
        // As TFMCC counts it: with the round-trip time that the sender sees while the receiver has none of its own.
        self.ranks.heard(packet.source, self.tfmcc.asked_bps(arrived, packet).unwrap_or(f64::NAN));
        self.ranks.is_passed_over(packet.source)
    }

    /// The receiver that limits, if one does.
    pub fn clr(&self) -> Option<Address> {
        self.tfmcc.clr()
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet, arrived, .. } = input
            && self.passes_over(arrived, packet)
        {
            self.passed_over += 1;
            let number = packet.header.number().unwrap_or_default();
            let cause = Cause::Report { receiver: packet.source, number };
            // It may limit from before it was among the slowest.
            self.tfmcc.dismiss(now, packet.source, cause, out);
            return;
        }
        self.tfmcc.handle(now, input, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.tfmcc.deadline()
    }

    fn report(&self) -> Report {
        let Report { received_pkts, .. } = self.tfmcc.report();
        Report { received_pkts: received_pkts + self.passed_over, ..self.tfmcc.report() }
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let (own, of_tfmcc) = values.split_last_mut().expect("there is one more");
        self.tfmcc.measure(of_tfmcc);
        *own = self.passed_over as f64;
    }
}
