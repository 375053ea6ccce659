//! On and off: a constant rate during periods of random length, nothing between them.
//!
//! With Pareto lengths of shape below 2 the sum of many such sources is self-similar.

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
use crate::parts::pacer::MOST_LATE;
use crate::parts::supply::Supply;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::time::{Duration, Instant, Rate};
use crate::wire::DATAGRAM;

/// A source that is on and off by turns. The defaults are those of ns-2's exponential and Pareto traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OnOff", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bits on the wire per second while on. Default 64 kbit/s.
    pub rate: Rate,
    /// Size of a packet on the wire. Default 210 B.
    pub packet_size: Bytes,
    /// Mean length of an on period. Default 500 ms.
    pub on: Duration,
    /// Mean length of an off period. Default 500 ms.
    pub off: Duration,
    /// How the lengths are distributed. Default "exponential".
    pub lengths: Lengths,
    /// Shape of the Pareto distribution, 1.01 or more. Default 1.5. Not used with "exponential".
    pub shape: f64,
    /// The ECN field of its packets. Default "off".
    #[serde(skip_serializing_if = "Codepoint::is_off")]
    pub ecn: Codepoint,
}

/// The distribution of the lengths of periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lengths {
    /// Exponential.
    Exponential,
    /// Pareto, with a heavy tail.
    Pareto,
}

/// The sending end. Begins with an on period.
///
/// The clock that spaces packets stands still while off, so a period too short for a packet is not lost and the
/// long-run rate is `rate · on / (on + off)`.
#[derive(Debug)]
pub struct OnOff {
    numbering: Numbering,
    spacing: Spacing,
    config: Config,
    random: Random,
    phase: Phase,
    supply: Supply,
    /// The last input: no deadline is before it.
    now: Instant,
}

/// Times are nominal: a driver may come later.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Idle,
    On {
        send_at: Instant,
        until: Instant,
    },
    Off {
        until: Instant,
        /// What is left of the gap that the last packet began.
        gap_left: Duration,
    },
}

impl Default for Config {
    fn default() -> Config {
        Config {
            rate: Rate(64_000),
            packet_size: Bytes(210),
            on: Duration::from_millis(500),
            off: Duration::from_millis(500),
            lengths: Lengths::Exponential,
            shape: 1.5,
            ecn: Codepoint::Off,
        }
    }
}

limits! { Config {
    rate: rates(),
    on, off: from(LEAST_MEAN),
    shape: from(LEAST_SHAPE).because("for at 1 there is no mean, and just above it nearly all periods are next to \
                                      nothing"),
} }

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(DATAGRAM.complaint(self.packet_size.0).map(|message| ("packet_size".to_owned(), message)));
        wrong
    }
}

/// The least shape: the shortest period is (shape - 1)/shape of the mean, 1 % here, so that with the least mean time
/// goes on by 9 ns per period.
const LEAST_SHAPE: f64 = 1.01;
/// The least mean of a period: shorter ones would cost time and change nothing.
const LEAST_MEAN: Duration = Duration::from_micros(1);

impl OnOff {
    /// A source at `own` for the sink at `peer`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, peer: Address, random: Random) -> OnOff {
        OnOff {
            numbering: Numbering::new(config.packet_size, config.ecn, flow, own, peer),
            spacing: Spacing::new(config.rate, config.packet_size),
            config: config.clone(),
            random,
            phase: Phase::Idle,
            supply: Supply::default(),
            now: Instant::ZERO,
        }
    }

    fn length(&mut self, mean: Duration) -> Duration {
        let mean_s = mean.as_secs_f64();
        Duration::from_secs_f64(match self.config.lengths {
            Lengths::Exponential => self.random.exponential(mean_s),
            Lengths::Pareto => self.random.pareto(mean_s, self.config.shape),
        })
    }

    fn turn_on(&mut self, at: Instant, gap_left: Duration) {
        let until = at + self.length(self.config.on);
        self.phase = Phase::On { send_at: at + gap_left, until };
    }

    /// A driver that is late does not lower the rate: what is due goes one by one at once. What it is late by more than
    /// [`MOST_LATE`] is let go, as if the source had stood still in the meantime.
    fn let_go(&mut self, now: Instant) {
        let Some(due) = self.phase.due() else { return };
        let by = (now - MOST_LATE).since(due);
        match &mut self.phase {
            Phase::Idle => {}
            Phase::On { send_at, until } => (*send_at, *until) = (*send_at + by, *until + by),
            Phase::Off { until, .. } => *until += by,
        }
    }

    /// Does what is due at `now`, and no more than one period's end: the deadline says when to come again.
    fn on_timeout(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::On { send_at, until } if send_at <= now && send_at < until => {
                // Its application goes on and off by itself: with nothing to send the turn passes.
                if !self.supply.is_empty() {
                    self.supply.take();
                    out.send(self.numbering.next(now));
                }
                self.phase = Phase::On { send_at: send_at + self.spacing.next_gap(), until };
            }
            Phase::On { send_at, until } if until <= now => {
                let until_on = until + self.length(self.config.off);
                self.phase = Phase::Off { until: until_on, gap_left: send_at.since(until) };
            }
            Phase::Off { until, gap_left } if until <= now => self.turn_on(until, gap_left),
            _ => {}
        }
    }
}

impl Phase {
    /// When something is to be done, or was.
    fn due(&self) -> Option<Instant> {
        match *self {
            Phase::Idle => None,
            Phase::On { send_at, until } => Some(send_at.min(until)),
            Phase::Off { until, .. } => Some(until),
        }
    }
}

impl FlowKind for Config {
    type Sender = OnOff;
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
        let (on, off) = (self.on.as_secs_f64(), self.off.as_secs_f64());
        Some(self.rate.as_bps_f64() * on / (on + off))
    }

    fn sender(&self, seat: &FlowSeat<'_>) -> OnOff {
        OnOff::new(self, seat.flow, seat.sender, seat.receiver, seat.random("jitter"))
    }

    fn receiver(&self, _: &FlowSeat<'_>) -> Sink {
        Sink::new()
    }
}

impl Endpoint for OnOff {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.turn_on(now, Duration::ZERO),
            Input::Stop => self.phase = Phase::Idle,
            Input::Granted(packets) => self.supply.set(packets),
            Input::NotSent(packet) => {
                self.numbering.take_back(packet);
                self.supply.give_back();
            }
            // Whatever comes: a packet does if the driver is late.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Packet { .. } => self.let_go(now),
        }
        self.now = now;
        self.on_timeout(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.phase.due().map(|due| due.max(self.now))
    }

    fn report(&self) -> Report {
        self.numbering.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sink;
    use crate::source::limits::MOST_RATE;
    use crate::testing::{Fate, Pair, feed};

    fn run(config: &Config, seconds: u64) -> Vec<Instant> {
        assert_eq!(config.check(), []);
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let source = OnOff::new(config, FlowId(0), own, peer, Random::stream(5, "test/on_off"));
        let mut pair = Pair::new(source, Sink::new(), Duration::from_millis(1), |_, _| Fate::Deliver);
        pair.pester = true;
        pair.record = true;
        pair.run_until(Instant::ZERO + Duration::from_secs(seconds));
        pair.sent.iter().map(|(at, _, _)| *at).collect()
    }

    #[test]
    fn turns_pass_when_there_is_nothing_to_send_or_it_cannot_be_sent() {
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let config = Config::default();
        let source = OnOff::new(&config, FlowId(0), own, peer, Random::stream(5, "test/on_off"));
        let mut random = Random::stream(1, "test/full");
        let mut pair = Pair::new(source, Sink::new(), Duration::from_millis(1), |_, _| Fate::Deliver)
            .with_full_buffers(move |_, _| random.chance(0.2));
        (pair.pester, pair.record) = (true, true);
        for (end_s, packets) in [(10, 0), (20, 3), (30, 0), (40, 1), (50, 0)] {
            pair.grant_left(packets);
            pair.run_until(Instant::ZERO + Duration::from_secs(end_s));
        }
        // All of them in the end, with consecutive numbers.
        let numbers: Vec<_> = pair.sent.iter().filter_map(|(_, _, packet)| packet.header.number()).collect();
        assert_eq!((numbers, pair.left.report().sent_pkts), (vec![0, 1, 2, 3], 4));
        assert_eq!(pair.right.report().distinct_bytes, 4 * config.packet_size.0);
    }

    #[test]
    fn the_mean_rate_is_that_of_the_share_of_on_periods() {
        // 80 kbit/s, packets of 1000 bit, on for a quarter of the time: 20 packets per second. Periods of 10 ms
        // mean, less than the 12.5 ms between packets, would lose half of them if each began anew.
        let config = Config {
            rate: Rate(80_000),
            packet_size: Bytes(125),
            on: Duration::from_millis(10),
            off: Duration::from_millis(30),
            ..Config::default()
        };
        let sent = run(&config, 2000).len() as f64;
        // Exponential periods: standard deviation of the share about 0.4 %.
        assert!((sent / 40_000.0 - 1.0).abs() < 0.02, "{sent}");
        let heavy = Config { lengths: Lengths::Pareto, shape: 2.5, ..config };
        let sent = run(&heavy, 2000).len() as f64;
        assert!((sent / 40_000.0 - 1.0).abs() < 0.04, "{sent}");
    }

    #[test]
    fn packets_of_one_period_are_evenly_spaced() {
        let config = Config { on: Duration::from_secs(2), off: Duration::from_secs(2), ..Config::default() };
        let times = run(&config, 200);
        // 210 B at 64 kbit/s: 26.25 ms.
        let gap = Duration(26_250_000);
        let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1].since(pair[0])).collect();
        assert!(gaps.iter().all(|&g| g >= gap));
        let even = gaps.iter().filter(|&&g| g == gap).count();
        // About 50 on periods, each with one longer gap behind it.
        assert!(even > gaps.len() - 80 && even < gaps.len() - 25, "{even} of {}", gaps.len());
    }

    #[test]
    fn a_source_that_is_stopped_wants_nothing_more() {
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let mut source = OnOff::new(&Config::default(), FlowId(0), own, peer, Random::stream(5, "test/on_off"));
        let mut out = Outbox::new();
        source.handle(Instant::ZERO, Input::Start, &mut out);
        let due = source.deadline().expect("it goes on");
        source.handle(Instant::ZERO, Input::Stop, &mut out);
        assert_eq!(source.deadline(), None);
        out.clear();
        source.handle(due, Input::Timeout, &mut out);
        assert!(out.actions().is_empty() && source.deadline().is_none());
    }

    #[test]
    fn a_late_driver_gets_what_was_due_and_is_told_to_come_now_at_the_earliest() {
        // A packet per millisecond in periods of 10 ms: with this shape they hardly vary.
        let config = Config {
            rate: Rate(8_000_000),
            packet_size: Bytes(1000),
            on: Duration::from_millis(10),
            off: Duration::from_millis(10),
            lengths: Lengths::Pareto,
            shape: 1e6,
            ..Config::default()
        };
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let at = |ms: u64| Instant(ms * 1_000_000);
        let any = Numbering::new(Bytes(40), Codepoint::Off, FlowId(0), peer, own).next(at(0));
        // Whichever input it is that comes late.
        for input in [Input::Timeout, Input::packet(&any, None, at(25))] {
            let mut source = OnOff::new(&config, FlowId(0), own, peer, Random::stream(5, "test/on_off"));
            let mut out = Outbox::new();
            feed(&mut source, at(0), Input::Start, true, &mut out, &"source");
            assert_eq!(source.deadline(), Some(at(1)));
            // Nine packets were due from 1 ms on, the period was over at 10 ms, and six of the next from 20 ms on.
            let (late, mut calls) = (Instant(25_500_000), 0);
            while source.deadline().is_some_and(|due| due <= late) {
                feed(&mut source, late, input, true, &mut out, &"source");
                assert!(source.deadline() >= Some(late));
                calls += 1;
            }
            assert_eq!((out.actions().len(), calls), (1 + 9 + 6, 9 + 6 + 2));
            assert!(source.deadline().is_some_and(|due| due.0.abs_diff(at(26).0) < 1000), "{:?}", source.deadline());
            // After a stall it is as if it had stood still until 100 ms before: at 26 ms, in a period.
            out.clear();
            let stalled = at(10_126);
            while source.deadline().is_some_and(|due| due <= stalled) {
                feed(&mut source, stalled, input, true, &mut out, &"source");
            }
            assert!((4 + 4 * 10 + 6..=4 + 4 * 10 + 7).contains(&out.actions().len()), "{}", out.actions().len());
        }
    }

    #[test]
    fn wrong_values_are_named() {
        let config = Config { on: Duration::ZERO, shape: 1.0, ..Config::default() };
        let fields: Vec<String> = config.check().into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["on", "shape"]);
        for shape in [1.0 + 1e-15, 1.009, f64::NAN, f64::INFINITY] {
            let config = Config { shape, ..Config::default() };
            assert!(config.check()[0].1.ends_with("next to nothing"), "{shape}");
        }
        let config = Config { rate: Rate(u64::MAX), ..Config::default() };
        let message = "18446744073709551615 bit/s given; legal is above 0 bit/s up to 1000 Gbit/s";
        assert_eq!(config.check()[0].1, message);
    }

    #[test]
    fn time_goes_on_with_the_least_means_and_the_least_shape() {
        let least = Config {
            rate: MOST_RATE,
            packet_size: Bytes(1000),
            on: LEAST_MEAN,
            off: LEAST_MEAN,
            lengths: Lengths::Pareto,
            shape: LEAST_SHAPE,
            ..Config::default()
        };
        assert_eq!(least.check(), []);
        let (own, peer) = (Address::endpoint(0), Address::endpoint(1));
        let mut source = OnOff::new(&least, FlowId(0), own, peer, Random::stream(5, "test/on_off"));
        let mut out = Outbox::new();
        source.handle(Instant::ZERO, Input::Start, &mut out);
        for _ in 0..10_000 {
            source.handle(source.deadline().expect("it goes on"), Input::Timeout, &mut out);
        }
        assert!(source.deadline() >= Some(Instant(10_000)), "{:?}", source.deadline());
    }
}
