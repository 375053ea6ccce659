//! Constant bit rate: packets of one size at even distances, if wanted with jitter.

use super::codepoint::Codepoint;
use super::limits::rates;
use super::numbering::Numbering;
use super::sink::Sink;
use super::spacing::Spacing;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::flow_kind::{FlowKind, FlowSeat};
use crate::limits;
use crate::limits::{Limited, from};
use crate::packet::{Address, FlowId};
use crate::parts::pacer::Pacer;
use crate::parts::supply::Supply;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::{Instant, Rate};
use crate::wire::DATAGRAM;

/// A source of constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Cbr", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Bits on the wire per second, headers included. Default 448 kbit/s (ns-2).
    pub rate: Rate,
    /// Size of a packet on the wire. Default 210 B (ns-2).
    pub packet_size: Bytes,
    /// Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
    pub jitter: f64,
    /// The ECN field of its packets. Default "off". Sessions never have "ect1": their receivers do not answer marks in
    /// the way that it promises (RFC 9331, section 4.3).
    #[serde(skip_serializing_if = "Codepoint::is_off")]
    pub ecn: Codepoint,
}

/// The sending end: packets from the start to the stop.
#[derive(Debug)]
pub struct Cbr {
    numbering: Numbering,
    spacing: Spacing,
    jitter: f64,
    random: Random,
    pacer: Pacer,
    supply: Supply,
    /// The last input: no deadline is before it.
    now: Instant,
}

impl Default for Config {
    fn default() -> Config {
        Config { rate: Rate(448_000), packet_size: Bytes(210), jitter: 0.0, ecn: Codepoint::Off }
    }
}

limits! { Config {
    rate: rates(),
    jitter: from(0.0).to(1.0),
} }

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(DATAGRAM.complaint(self.packet_size.0).map(|message| ("packet_size".to_owned(), message)));
        wrong
    }
}

impl Cbr {
    /// A source at `own` for the sink at `peer`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, peer: Address, random: Random) -> Cbr {
        Cbr {
            numbering: Numbering::new(config.packet_size, config.ecn, flow, own, peer),
            spacing: Spacing::new(config.rate, config.packet_size),
            jitter: config.jitter,
            random,
            pacer: Pacer::OFF,
            supply: Supply::default(),
            now: Instant::ZERO,
        }
    }

    /// When the next packet is due that there is.
    fn due(&self) -> Instant {
        if self.supply.is_empty() { Instant::FAR_FUTURE } else { self.pacer.due() }
    }

    /// Sends the packet that is due.
    fn send(&mut self, now: Instant, out: &mut Outbox) {
        out.send(self.numbering.next(now));
        self.supply.take();
        let mut gap = self.spacing.next_gap();
        if self.jitter > 0.0 {
            gap = gap.mul_f64(1.0 + self.random.uniform_in(-self.jitter, self.jitter));
        }
        self.pacer.sent_at_constant_rate(now, gap);
    }
}

/// One group at a constant rate.
impl Scheme for Config {
    type Sender = Cbr;
    type Receiver = Sink;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.check();
        if self.ecn == Codepoint::Ect1 {
            let complaint = "\"ect1\" given; legal in a session are \"off\" and \"ect0\": no multicast scheme answers \
                             marks as ECT(1) promises";
            wrong.push(("ecn".to_owned(), complaint.to_owned()));
        }
        wrong
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn responder(&self) -> Responder {
        Responder::Nobody
    }

    fn sender(&self, seat: Seat) -> Cbr {
        Cbr::new(self, seat.flow, seat.own, seat.group, seat.random)
    }

    fn receiver(&self, seat: Seat) -> Sink {
        Sink::member(seat.group, 1)
    }
}

impl FlowKind for Config {
    type Sender = Cbr;
    type Receiver = Sink;

    fn check(&self) -> Vec<(String, String)> {
        self.check()
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn peak_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn fixed_rate_bps(&self) -> Option<f64> {
        Some(self.rate.as_bps_f64())
    }

    fn sender(&self, seat: &FlowSeat<'_>) -> Cbr {
        Cbr::new(self, seat.flow, seat.sender, seat.receiver, seat.random("jitter"))
    }

    fn receiver(&self, _: &FlowSeat<'_>) -> Sink {
        Sink::new()
    }
}

impl Endpoint for Cbr {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.pacer.begin(now),
            Input::Stop => self.pacer = Pacer::OFF,
            Input::Granted(packets) => {
                if self.supply.is_empty() {
                    self.pacer.let_go(now);
                }
                self.supply.set(packets);
            }
            Input::NotSent(packet) => {
                self.numbering.take_back(packet);
                self.supply.give_back();
            }
            // Whatever comes: a packet does if the driver is late.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Packet { .. } => {}
        }
        self.now = now;
        if self.due() <= now {
            self.send(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.due()).filter(|&at| at != Instant::FAR_FUTURE).map(|at| at.max(self.now))
    }

    fn report(&self) -> Report {
        self.numbering.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sink;
    use crate::testing::{Fate, Pair};
    use crate::time::Duration;

    fn packets(config: &Config, seconds: u64) -> u64 {
        assert_eq!(config.check(), []);
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let source = Cbr::new(config, FlowId(0), own, peer, Random::stream(1, "test/cbr"));
        let mut pair = Pair::new(source, Sink::new(), Duration::from_millis(1), |_, _| Fate::Deliver);
        pair.pester = true;
        pair.run_until(Instant::ZERO + Duration::from_secs(seconds));
        pair.stop_left();
        pair.run_until(Instant::ZERO + Duration::from_secs(seconds + 1));
        let (sent, received) = (pair.left.report().sent_pkts, pair.right.report());
        assert_eq!((received.received_pkts, received.distinct_bytes), (sent, sent * config.packet_size.0));
        sent
    }

    #[test]
    fn the_rate_is_exact() {
        // 1.5 Mbit/s in packets of 8000 bit: 187.5 per second, and one at time zero.
        let config = Config { rate: Rate(1_500_000), packet_size: Bytes(1000), jitter: 0.0, ..Config::default() };
        assert_eq!(packets(&config, 1000), 187_501);
    }

    #[test]
    fn jitter_keeps_the_mean() {
        let config = Config { rate: Rate(1_500_000), packet_size: Bytes(1000), jitter: 0.5, ..Config::default() };
        // Standard deviation of a gap 0.5/sqrt(3) = 0.29 of it: of 187 500 gaps together 125.
        let sent = packets(&config, 1000);
        assert!(sent.abs_diff(187_501) < 500 && sent != 187_501, "{sent}");
    }

    #[test]
    fn wrong_values_are_named() {
        let config = Config { rate: Rate(0), packet_size: Bytes(70_000), jitter: -0.1, ..Config::default() };
        let fields: Vec<String> = config.check().into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["rate", "jitter", "packet_size"]);
        for (bytes, jitter, wrong) in [(0, 0.0, 1), (50, 0.0, 1), (51, 1.0, 0), (65_535, 1.01, 1), (65_536, 1.0, 1)] {
            let config = Config { packet_size: Bytes(bytes), jitter, ..Config::default() };
            assert_eq!(config.check().len(), wrong, "{bytes} B, {jitter}");
        }
    }
}
