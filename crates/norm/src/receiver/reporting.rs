//! What a receiver says of losses and rates, and when (section 5.5.2.2).

use super::times::{Times, Wait};
use crate::backoff::random_backoff;
use faircast_codec::norm::tfmcc::{Heard, instant, time};
use faircast_codec::norm::{CcNode, Feedback, Loss, Rate, RoundTrip, Time, flag};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::parts::loss_history::LossHistory;
use faircast_proto::random::Random;
use faircast_proto::tfmcc::{
    self, Config, Echo, LossEventSpan, Measurement, OneWayAdjustment, SeedFloor, SequenceSpace,
};
use faircast_proto::time::Instant;

/// Congestion control at a receiver.
#[derive(Debug)]
pub struct Reporting {
    heard: Heard,
    measurement: Measurement,
    space: SequenceSpace,
    /// Bytes of the longest IP packet with a symbol so far.
    packet_bytes: Option<u16>,
    probe: Option<Probe>,
    /// What the last probe said of it: it limits, or may.
    flags: u8,
    /// When it reports, if it is going to.
    due: Option<Wait>,
    /// How long it keeps silent.
    holdoff: Wait,
}

#[derive(Clone, Copy, Debug)]
struct Probe {
    cc_sequence: u16,
    sent: Time,
    arrived: Instant,
}

/// The factor of others' rates below which an own rate is worth saying.
const NEAR: f64 = 0.9;
/// K for feedback where the sender has less (section 5.5.2.2 recommends a larger one than for NACKs; libnorm's).
const LEAST_BACKOFF: f64 = 4.0;
const OWN: Address = Address::endpoint(0);
const SENDER: Address = Address::endpoint(1);
const GROUP: Address = Address::group(0);
const BITS: f64 = 8.0;

impl Default for Reporting {
    fn default() -> Reporting {
        // Data has no stamps of its own, by which one-way delays could be seen.
        let config = Config {
            seed_floor: SeedFloor::Half,
            one_way_adjustment: OneWayAdjustment::Off,
            loss_event_span: LossEventSpan::Window,
            ..Config::default()
        };
        Reporting {
            heard: Heard::default(),
            measurement: Measurement::new(&config),
            space: SequenceSpace::default(),
            packet_bytes: None,
            probe: None,
            flags: 0,
            due: None,
            holdoff: Wait::default(),
        }
    }
}

impl Reporting {
    /// A probe has come; `own` is the line in it about this receiver.
    pub fn probe(
        &mut self,
        (now, arrived): (Instant, Instant),
        (cc_sequence, sent): (u16, Time),
        rate: Rate,
        own: Option<CcNode>,
        times: &Times,
        random: &mut Random,
    ) -> Option<Echo> {
        let echo = self.heard.probe(cc_sequence, sent, rate, arrived, own.map(|line| (OWN, line)));
        self.probe = Some(Probe { cc_sequence, sent, arrived });
        self.flags = own.map_or(0, |line| line.flags & (flag::CLR | flag::PLR));
        if self.flags != 0 {
            self.due = Some(Wait::of(now, 0.0));
        } else if self.due.is_none() && self.holdoff.until(times) <= now {
            let most = times.backoff.max(LEAST_BACKOFF);
            self.due = Some(Wait::of(now, random_backoff(most, times.group_size, random)));
        }
        echo
    }

    /// A message of the sender has come, with this number; `bytes` are those of its IP packet if it is one with a
    /// symbol. What a probe has told of the own round-trip time is `echo`.
    pub fn take(&mut self, sequence: u16, bytes: Option<u16>, grtt: RoundTrip, arrived: Instant, echo: Option<Echo>) {
        self.packet_bytes = self.packet_bytes.max(bytes);
        let Some((data, sent)) = self.heard.packet(sequence, grtt, arrived) else { return };
        let packet = Packet {
            sent,
            flow: FlowId(0),
            source: SENDER,
            destination: GROUP,
            // The equation and the receive rate are of packets with symbols; the others are few.
            size: self.packet_bytes.unwrap_or_default(),
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Tfmcc(tfmcc::Header::Data(data)),
        };
        if let Some(bytes) = self.packet_bytes {
            self.measurement.set_packet_size(bytes);
        }
        let Some(taken) = self.measurement.take(&mut self.space, arrived, &packet, &data, 1.0) else { return };
        let limits = self.flags & flag::CLR != 0;
        self.measurement.measure_rtt(arrived, echo.map(|echo| echo.stamp_us), limits);
        let (name, number) = (LossHistory::ONLY, taken.sequence);
        self.measurement.record(name, &mut self.space, arrived, number, Ecn::NotCapable, None);
    }

    /// Another receiver has said this of itself.
    pub fn hear(&mut self, now: Instant, other: &Feedback, times: &Times) {
        let is_timed = self.due.is_some() && self.flags == 0;
        let has_rtt = self.measurement.measured_rtt_s().is_some();
        // Who does not know its round-trip time is silenced only by others that do not.
        let is_alike = has_rtt || other.flags & flag::RTT == 0;
        let own = self.measurement.desired_bps(now) / BITS;
        let counts = other.flags & flag::LEAVE == 0 && other.rate != Rate(0);
        if is_timed && is_alike && counts && own > NEAR * other.rate.bytes_per_s() {
            self.said(now, times);
        }
    }

    /// What it says now, and the stamp that it answers, whatever carries that. `None` before the first probe.
    pub fn feedback(&self, now: Instant, is_leaving: bool) -> Option<(Feedback, Time)> {
        let Probe { cc_sequence, sent, arrived } = self.probe?;
        let (measurement, set) = (&self.measurement, |flag: u8, is: bool| if is { flag } else { 0 });
        let has_rtt = measurement.measured_rtt_s().is_some();
        let feedback = Feedback {
            cc_sequence,
            flags: self.flags
                | set(flag::RTT, has_rtt)
                | set(flag::START, !measurement.have_loss())
                | set(flag::LEAVE, is_leaving),
            rtt: RoundTrip::of_s(measurement.rtt_s()),
            loss: Loss::of(measurement.loss_event_rate()),
            rate: Rate::of_bytes_per_s(measurement.desired_bps(now) / BITS),
        };
        Some((feedback, time(instant(sent) + now.since(arrived))))
    }

    /// Feedback has gone out, or others have spoken: it keeps silent for K greatest round-trip times, unless it limits.
    pub fn said(&mut self, now: Instant, times: &Times) {
        self.due = None;
        self.holdoff = Wait::of(now, times.backoff);
    }

    /// When it reports.
    pub fn due(&self, times: &Times) -> Instant {
        self.due.map_or(Instant::FAR_FUTURE, |wait| wait.until(times))
    }

    /// Whether it limits.
    pub fn limits(&self) -> bool {
        self.flags & flag::CLR != 0
    }

    /// Loss event rate and round-trip time in seconds, if it has had a loss, and knows it.
    pub fn measured(&self) -> (Option<f64>, Option<f64>) {
        let p = self.measurement.have_loss().then(|| self.measurement.loss_event_rate());
        (p, self.measurement.measured_rtt_s())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    #[test]
    fn rates_are_of_packets_as_long_as_those_that_come() {
        let times = Times { grtt_s: 0.1, backoff: 4.0, group_size: 10 };
        for bytes in [300, 540, 1400] {
            let (mut reporting, mut random) = (Reporting::default(), Random::stream(1, "test/norm/size"));
            let mut now = Instant::from_secs_f64(10.0);
            for number in 0..2000u16 {
                now += Duration::from_millis(1);
                if number % 100 == 0 {
                    let (sent, rate) = (time(now), Rate::of_bytes_per_s(1e6));
                    reporting.probe((now, now), (number / 100, sent), rate, None, &times, &mut random);
                }
                reporting.take(number, Some(bytes), RoundTrip::of_s(0.1), now, None);
            }
            let (said, _) = reporting.feedback(now, false).expect("a probe has come");
            // Without a loss, twice what is received.
            let part = said.rate.bytes_per_s() / (2000.0 * f64::from(bytes));
            assert!((0.85..1.15).contains(&part), "{bytes} B: {part}");
        }
    }

    #[test]
    fn a_loss_event_lasts_for_a_round_trip_and_three_packets() {
        // A packet of 1000 bytes each millisecond, as the sender says; the second probe has measured 100 ms.
        let times = Times { grtt_s: 0.1, backoff: 4.0, group_size: 10 };
        let events = |second: u16| {
            let (mut reporting, mut random) = (Reporting::default(), Random::stream(1, "test/norm/event"));
            let mut now = Instant::from_secs_f64(10.0);
            for number in 0..600u16 {
                now += Duration::from_millis(1);
                let rate = Rate::of_bytes_per_s(1e6);
                let own = CcNode { node: 1, flags: flag::RTT, rtt: RoundTrip::of_s(0.1), rate };
                let echo = (number == 0 || number == 100).then(|| {
                    reporting.probe((now, now), (number / 100, time(now)), rate, Some(own), &times, &mut random)
                });
                if number != 300 && number != second {
                    reporting.take(number, Some(1000), RoundTrip::of_s(0.1), now, echo.flatten());
                }
            }
            let rtt_s = reporting.measured().1.expect("it was measured");
            (reporting.measurement.loss_events(), (rtt_s * 1e3) as u16)
        };
        let (_, rtt_ms) = events(301);
        assert!((95..=106).contains(&rtt_ms), "{rtt_ms}");
        assert_eq!((events(300 + rtt_ms + 2).0, events(300 + rtt_ms + 5).0), (1, 2));
    }
}
