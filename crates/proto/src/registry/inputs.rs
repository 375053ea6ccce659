//! Random inputs in any order to each endpoint by itself: starts, stops, time-outs, packets that fit and packets
//! that fit nothing. `FAIRCAST_INPUTS` says how many (`make test-long`).

use super::battery::{LINE_RATE, MEMBERS, bound, check_gauges, settings};
use super::*;
use crate::control::Control;
use crate::endpoint::{Action, ENDLESS};
use crate::mlda::rtcp::{Bye, Echo as RtcpEcho, LayerLine, ReceiverReport, SenderReport};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::testing::group::GROUP;
use crate::testing::{anything, arrival, feed, inputs};
use crate::tfmcc::{DataHeader, Echo, FeedbackHeader};
use crate::time::Duration;
use crate::{mlda, omcc, pgmcc, smcc, tfmcc};

const OWN: Address = Address::endpoint(1);

/// What an endpoint can know of the others, and they of it.
struct Peer {
    /// The last packet that the endpoint sent.
    sent: Option<Packet>,
    /// The last of those that it has just asked for.
    asked: Option<Packet>,
    /// The number of the last data packet.
    sequence: u32,
    round: u8,
    /// What it speaks.
    tongue: Tongue,
}

/// Whose headers a peer has; those but pgmcc's and MLDA's say what TFMCC says, and more.
#[derive(Clone, Copy)]
enum Tongue {
    Tfmcc,
    Omcc,
    Pgmcc,
    Smcc,
    Mlda,
}

impl Peer {
    /// Notes what the endpoint wants done; whether it leaves.
    fn note(&mut self, out: &mut Outbox) -> bool {
        let mut leaves = false;
        self.asked = None;
        for action in out.drain() {
            match action {
                Action::Send(packet) | Action::SendControl(packet, _) => {
                    (self.sent, self.asked) = (Some(packet), Some(packet));
                }
                Action::Leave(_) => leaves = true,
                Action::Join(_) | Action::Event(_) => {}
            }
        }
        leaves
    }

    /// A packet that may be an honest one, with its message.
    fn plausible(&mut self, random: &mut Random, now: Instant) -> (Packet, Option<Control>) {
        let Tongue::Mlda = self.tongue else { return (self.plausible_alone(random, now), None) };
        let rtt = Duration::from_secs_f64(random.exponential(0.1));
        let mut packet = self.envelope(random, now - rtt);
        let (header, message) = self.plausible_of_mlda(random, &mut packet, now);
        (Packet { header: header.into(), ..packet }, message)
    }

    /// The same of protocols without messages: an answer to what was sent, the next data packet.
    fn plausible_alone(&mut self, random: &mut Random, now: Instant) -> Packet {
        let rtt = Duration::from_secs_f64(random.exponential(0.1));
        let stamp_us = |at: Instant| (at.0 / 1000) as u32;
        let rate_bps = random.exponential(1e6) as f32;
        if let Tongue::Pgmcc = self.tongue {
            let header = self.plausible_of_pgmcc(random).into();
            return Packet { header, ..self.envelope(random, now - rtt) };
        }
        let answered = match self.sent.map(|packet| (packet.sent, packet.header)) {
            Some((sent, Header::Tfmcc(tfmcc::Header::Data(data)))) => Some((sent, data.round)),
            Some((sent, Header::Omcc(omcc::Header::Data(data)))) => Some((sent, data.tfmcc.round)),
            Some((sent, Header::Smcc(smcc::Header::Data(packed)))) => Some((sent, packed.unpack().data.round)),
            _ => None,
        };
        let mut destination = GROUP;
        let header = match answered {
            Some((sent, round)) => {
                let tfmcc = FeedbackHeader {
                    have_rtt: random.chance(0.8),
                    have_loss: random.chance(0.5),
                    leave: random.chance(0.01),
                    round,
                    echoed_stamp_us: stamp_us(sent),
                    rate_bps,
                    rtt_s: rtt.as_secs_f64() as f32,
                    loss_event_rate: random.uniform() as f32,
                    receive_bps: rate_bps,
                    scale: 1.0,
                };
                let draw = random.uniform() as f32;
                match self.tongue {
                    Tongue::Omcc => omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc, draw }).into(),
                    Tongue::Tfmcc | Tongue::Pgmcc | Tongue::Mlda => tfmcc::Header::Feedback(tfmcc).into(),
                    Tongue::Smcc if random.chance(0.5) => {
                        let holes = (0..32).filter(|_| random.chance(0.05)).fold(0, |holes, bit| holes | 1u32 << bit);
                        let highest = self.sequence_sent();
                        let (bitmap, layer) = (!holes, (2.0 * random.uniform()) as u8);
                        let echoed_stamp_us = tfmcc.echoed_stamp_us;
                        smcc::Header::Ack(smcc::AckHeader { echoed_stamp_us, highest, bitmap, layer }).into()
                    }
                    Tongue::Smcc => {
                        let (layer, dropped) = ((4.0 * random.uniform()) as u8, random.chance(0.1));
                        smcc::Header::Feedback(smcc::FeedbackHeader { feedback: tfmcc, layer, dropped }).into()
                    }
                }
            }
            None => {
                // Losses, and packets that are late.
                let step = if random.chance(0.9) { 1.0 } else { random.uniform_in(-5.0, 20.0) };
                self.sequence = self.sequence.wrapping_add_signed(step as i32);
                self.round = self.round.wrapping_add(u8::from(random.chance(0.02)));
                let tfmcc = DataHeader {
                    starting: false,
                    at_once: false,
                    sequence: self.sequence,
                    suppression_bps: if random.chance(0.5) { f32::INFINITY } else { rate_bps },
                    rate_bps: random.exponential(1e6) as f32,
                    max_rtt_us: random.uniform_in(1e3, 1e6) as u32,
                    round: self.round,
                    echo: random.chance(0.3).then(|| Echo {
                        receiver: OWN,
                        stamp_us: stamp_us(now - rtt),
                        is_clr: random.chance(0.5),
                    }),
                };
                // In slots of 50 ms, of the lowest layer and of the two above or, now and then, of a counting layer.
                let tick = (now.0 / 50_000_000) as u32;
                match self.tongue {
                    Tongue::Omcc => omcc::Header::Data(omcc::DataHeader { tfmcc, scale: 1.0, receivers: 1.0 }).into(),
                    Tongue::Tfmcc | Tongue::Pgmcc | Tongue::Mlda => tfmcc::Header::Data(tfmcc).into(),
                    Tongue::Smcc if random.chance(0.2) => {
                        destination = Address::group(3 + (6.0 * random.uniform()) as u32);
                        smcc::Header::Counting(smcc::CountingHeader { sequence: self.sequence, tick }).into()
                    }
                    Tongue::Smcc => {
                        destination = Address::group((3.0 * random.uniform()) as u32);
                        let next_bps = rate_bps.max(tfmcc.rate_bps);
                        smcc::Header::from(smcc::DataHeader { data: tfmcc, next_bps, tick }).into()
                    }
                }
            }
        };
        Packet { header, destination, ..self.envelope(random, now - rtt) }
    }

    /// The number of the packet that the endpoint sent last.
    fn sequence_sent(&self) -> u32 {
        self.sent.and_then(|packet| packet.header.number()).unwrap_or(0) as u32
    }

    /// The same of pgmcc: ACKs and NAKs for what was sent, data and NCFs.
    fn plausible_of_pgmcc(&mut self, random: &mut Random) -> pgmcc::Header {
        let stamp_us = |at: Instant| (at.0 / 1000) as u32;
        let loss_rate = random.uniform() as f32;
        let holes = (0..32).filter(|_| random.chance(0.05)).fold(0, |holes, bit| holes | 1u32 << bit);
        match self.sent.map(|packet| (packet.sent, packet.header)) {
            Some((sent, Header::Pgmcc(pgmcc::Header::Data(data)))) => {
                let behind = if random.chance(0.7) { 0 } else { random.uniform_in(0.0, 40.0) as u32 };
                let (echoed_stamp_us, highest) = (stamp_us(sent), data.sequence.wrapping_sub(behind));
                if random.chance(0.8) {
                    let (bitmap, leave) = (!holes, random.chance(0.01));
                    pgmcc::Header::Ack(pgmcc::Ack { echoed_stamp_us, loss_rate, highest, bitmap, leave })
                } else {
                    let missing = random.chance(0.9).then(|| highest.wrapping_sub(1));
                    pgmcc::Header::Nak(pgmcc::Nak { echoed_stamp_us, loss_rate, highest, missing })
                }
            }
            _ if random.chance(0.1) => pgmcc::Header::Ncf { missing: self.sequence },
            _ => {
                let step = if random.chance(0.9) { 1.0 } else { random.uniform_in(-5.0, 20.0) };
                self.sequence = self.sequence.wrapping_add_signed(step as i32);
                let acker = random.chance(0.8).then(|| if random.chance(0.5) { OWN } else { Address::endpoint(7) });
                pgmcc::Header::Data(pgmcc::Data { sequence: self.sequence, acker })
            }
        }
    }

    /// The same of MLDA: reports for a source; data of three layers and reports for a member.
    fn plausible_of_mlda(
        &mut self,
        random: &mut Random,
        packet: &mut Packet,
        now: Instant,
    ) -> (mlda::Header, Option<Control>) {
        let below = |random: &mut Random, n: u32| (random.uniform() * f64::from(n)) as u32;
        let clock_us = (now.0 / 1000) as u32;
        let rate_bps = random.exponential(1e5) as f32;
        let source = match self.sent.map(|sent| sent.header) {
            Some(Header::Mlda(mlda::Header::Data(data))) => Some(data.ssrc),
            _ => None,
        };
        if let Some(source) = source {
            let ssrc = packet.source.to_bits();
            if random.chance(0.01) {
                return (mlda::Header::Bye, Some(Bye { ssrc }.encode().into()));
            }
            // For rounds of half a second to five.
            let report = ReceiverReport {
                ssrc,
                source,
                number: (now.0 / [500, 1000, 5000][below(random, 3) as usize] / 1_000_000) as u16,
                rate_bps,
                loss: if random.chance(0.5) { 0.0 } else { random.uniform() as f32 },
                rtt_us: below(random, 1_000_000),
                stamp_us: clock_us,
                fraction_lost: below(random, 256) as u8,
                cumulative_lost: below(random, 1000) as i32 - 10,
                highest_sequence: self.sequence,
                jitter: below(random, 10_000),
                last_sr: ((now.0 / 1_000_000_000 + 1) << 16) as u32,
                delay_since_sr: below(random, 65_536),
            };
            return (mlda::Header::ReceiverReport { number: report.number }, Some(report.encode().into()));
        }
        packet.source = Address::endpoint(0);
        const SSRC: u32 = 7;
        if random.chance(0.05) {
            self.round = self.round.wrapping_add(u8::from(random.chance(0.8)));
            let (number, lines) = (self.round.into(), 1 + below(random, 5) as usize);
            let report = SenderReport {
                ssrc: SSRC,
                number,
                extra: random.chance(0.2),
                ntp: now.0 << 2,
                rtp_timestamp: clock_us,
                packets: self.sequence,
                octets: 0,
                feedback_spread_us: below(random, 1_000_000),
                layers: vec![LayerLine { rate_bps, first_sequence: self.sequence as u16 }; lines],
                echoes: vec![RtcpEcho {
                    receiver: OWN.to_bits(),
                    stamp_us: clock_us.wrapping_sub(below(random, 1_000_000)),
                    hold_us: below(random, 1_000_000),
                }],
            };
            return (mlda::Header::SenderReport { number }, Some(report.encode().into()));
        }
        let step = if random.chance(0.9) { 1.0 } else { random.uniform_in(-5.0, 20.0) };
        self.sequence = self.sequence.wrapping_add_signed(step as i32);
        packet.destination = Address::group(below(random, 3));
        let (sequence, probe) = (self.sequence as u16, random.chance(0.1));
        (mlda::Header::Data(mlda::DataHeader { sequence, timestamp: clock_us, ssrc: SSRC, probe }), None)
    }

    fn envelope(&self, random: &mut Random, sent: Instant) -> Packet {
        Packet {
            sent,
            flow: FlowId(0),
            source: Address::endpoint(2 + (random.uniform() * 3.0) as u32),
            destination: GROUP,
            size: 1000,
            ttl: INITIAL_TTL,
            ecn: if random.chance(0.02) { Ecn::Moderate } else { Ecn::Capable },
            header: Header::Datagram { sequence: 0 },
        }
    }
}

/// A life of an endpoint: from its start to some time after its stop or its leave, `most` inputs at most beside
/// time-outs that are due. How many there were.
fn live(endpoint: &mut dyn Endpoint, most: usize, random: &mut Random, bound: Option<Rate>, name: &str) -> usize {
    let mut out = Outbox::new();
    let tongue = match name {
        _ if name.contains(" Omcc(") => Tongue::Omcc,
        _ if name.contains(" Pgmcc(") => Tongue::Pgmcc,
        _ if name.contains(" Smcc(") => Tongue::Smcc,
        _ if name.contains(" Mlda(") => Tongue::Mlda,
        _ => Tongue::Tfmcc,
    };
    // A stream of its own: the other inputs are as without it.
    let mut lateness = Random::stream(most as u64, "test/lateness");
    let mut peer = Peer { sent: None, asked: None, sequence: u32::MAX - 1000, round: 250, tongue };
    let (mut now, mut wild) = (Instant::ZERO, 0);
    feed(endpoint, now, Input::Start, true, &mut out, &name);
    peer.note(&mut out);
    let length = (random.exponential(5000.0) as usize).min(most - 1);
    let mut end = most;
    for step in 1..most {
        if step >= end {
            return step;
        }
        // Most come soon, some after minutes.
        let mean_s = if random.chance(0.001) { 100.0 } else { 0.005 };
        now += Duration::from_secs_f64(random.exponential(mean_s));
        // Drivers are late now and then.
        for _ in 0..(random.uniform() * 8.0) as u32 {
            if let Some(at) = endpoint.deadline().filter(|&at| at <= now) {
                feed(endpoint, at, Input::Timeout, false, &mut out, &name);
                peer.note(&mut out);
            }
        }
        let (packet, control) = if random.chance(0.7) {
            peer.plausible(random, now)
        } else {
            (anything(random, now, GROUP, &mut wild), None)
        };
        let input = match () {
            () if step == length => Input::Stop,
            () if lateness.chance(0.001) => Input::Unjoined(Address::group((6.0 * lateness.uniform()) as u32)),
            () if lateness.chance(0.002) => {
                // Nothing, little, or without end again.
                Input::Granted([0, 3, ENDLESS][(3.0 * lateness.uniform()) as usize])
            }
            () if random.chance(0.1) => Input::Timeout,
            () if random.chance(0.1) => Input::LinkLoss(&packet),
            () => Input::packet(&packet, control.as_ref(), arrival(now, &mut lateness)),
        };
        feed(endpoint, now, input, random.chance(0.1), &mut out, &name);
        let mut leaves = peer.note(&mut out);
        if let Some(packet) = peer.asked.take_if(|_| lateness.chance(0.02)) {
            feed(endpoint, now, Input::NotSent(&packet), false, &mut out, &name);
            leaves |= peer.note(&mut out);
        }
        if leaves {
            end = end.min(step + 100);
        }
        if step == length {
            end = end.min(step + 1000);
        }
        let report = endpoint.report();
        let rate = report.rate_bps;
        assert!(rate.is_nan() || rate >= 0.0, "{name} step {step}: {report:?}");
        assert!(
            bound.is_none_or(|bound| rate.is_nan() || rate <= bound.as_bps_f64()),
            "{name} step {step}: {report:?}"
        );
        check_gauges(endpoint, name);
    }
    most
}

#[test]
fn no_inputs_upset_an_endpoint() {
    for (name, _) in LIST {
        let configs: Vec<SchemeConfig> = settings().into_iter().filter(|config| config.name() == *name).collect();
        // To each endpoint of the scheme as many as are asked for.
        let count = inputs(20_000, configs.len());
        for config in configs {
            let bound = bound(&config);
            for is_source in [true, false] {
                let name = format!("{} {config:?}", if is_source { "source" } else { "member" });
                let mut random = Random::stream(1, "test/inputs");
                let mut left = count;
                while left > 1 {
                    let seat = Seat {
                        flow: FlowId(0),
                        own: OWN,
                        group: GROUP,
                        members: MEMBERS as u32,
                        line_rate: Some(LINE_RATE),
                        random: Random::stream(left as u64, "test/seat"),
                    };
                    left -= if is_source {
                        live(&mut config.sender(seat), left, &mut random, bound, &name)
                    } else {
                        live(&mut config.receiver(seat), left, &mut random, None, &name)
                    };
                }
            }
        }
    }
}
