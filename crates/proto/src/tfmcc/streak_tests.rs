//! A receiver that takes packets in streaks, beside one that takes each by itself.

use super::receiver_tests::{GROUP, OWN, SENDER};
use super::*;
use crate::endpoint::{Endpoint, Input, Outbox};
use crate::omcc::{self, Scaled};
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::testing::gauge;
use crate::time::{Duration, Instant};

/// What a source sends, and what a network makes of it.
struct Stream {
    /// How often something other than the next packet comes.
    roughness: f64,
    random: Random,
    now: Instant,
    number: u32,
    /// The last packet, of which now and then one thing changes for good.
    packet: Packet,
    scaled: omcc::DataHeader,
    /// Packets that come later than those behind them.
    late: Vec<(u32, Packet)>,
}

impl Stream {
    fn new(seed: u64, max_rtt_us: u32) -> Stream {
        let data = DataHeader {
            starting: false,
            at_once: false,
            sequence: 0,
            suppression_bps: f32::INFINITY,
            rate_bps: 1e6,
            max_rtt_us,
            round: 250,
            echo: None,
        };
        let scaled = omcc::DataHeader { tfmcc: data, scale: 1.0, receivers: 1.0 };
        let packet = Packet {
            sent: Instant::ZERO,
            flow: FlowId(0),
            source: SENDER,
            destination: GROUP,
            size: 1000,
            ttl: INITIAL_TTL,
            ecn: Ecn::Capable,
            header: omcc::Header::Data(scaled).into(),
        };
        let random = Random::stream(seed, "test/streaks");
        // The numbers wrap soon.
        let (roughness, now, number) = ([0.05, 0.2, 1.0][seed as usize % 3], Instant(1_000_000_000), u32::MAX - 200);
        Stream { roughness, random, now, number, packet, scaled, late: Vec::new() }
    }

    /// The next packet to arrive, at `now`; none if it is lost or late.
    fn next(&mut self) -> Option<Packet> {
        let (random, roughness) = (&mut self.random, self.roughness);
        let mean_s = if random.chance(0.001 * roughness) { 5.0 } else { 0.002 };
        self.now += Duration::from_secs_f64(random.exponential(mean_s));
        for (wait, _) in &mut self.late {
            *wait -= 1;
        }
        if let Some(at) = self.late.iter().position(|&(wait, _)| wait == 0) {
            return Some(self.late.remove(at).1);
        }
        self.number = self.number.wrapping_add(1);
        let data = &mut self.scaled.tfmcc;
        if random.chance(0.02 * roughness) {
            match (random.uniform() * 8.0) as u32 {
                0 => self.packet.size = 900 + (random.uniform() * 3.0) as u16,
                1 => data.max_rtt_us = data.max_rtt_us / 4 * (3 + (random.uniform() * 3.0) as u32),
                2 => data.round = data.round.wrapping_add(1),
                3 => data.suppression_bps = random.exponential(1e6) as f32,
                4 => data.suppression_bps = f32::INFINITY,
                5 => self.scaled.scale = [1.0, 0.5, 4.0, f32::NAN][(random.uniform() * 4.0) as usize],
                6 => self.packet.source = if random.chance(0.3) { Address::endpoint(7) } else { SENDER },
                _ => self.packet.ecn = if random.chance(0.2) { Ecn::NotCapable } else { Ecn::Capable },
            }
        }
        // What stays from one to the next.
        data.rate_bps = random.exponential(1e6) as f32;
        data.max_rtt_us = data.max_rtt_us.clamp(5_000, 2_000_000);
        let (mut scaled, mut packet) = (self.scaled, self.packet);
        let way = Duration::from_secs_f64(random.exponential(0.02));
        scaled.tfmcc.sequence = self.number;
        if random.chance(0.3) {
            let receiver = if random.chance(0.002 * roughness) { OWN } else { Address::endpoint(5) };
            let stamp_us = ((self.now - way - way).0 / 1000) as u32;
            scaled.tfmcc.echo = Some(Echo { receiver, stamp_us, is_clr: random.chance(0.5) });
        }
        if random.chance(0.003 * roughness) {
            scaled.tfmcc.round = scaled.tfmcc.round.wrapping_sub(1);
        }
        packet.sent = self.now - way;
        packet.header = omcc::Header::Data(scaled).into();
        match (random.uniform() * 1000.0 / roughness) as u32 {
            0..3 => None,
            3..6 => {
                self.late.push((1 + (random.uniform() * 6.0) as u32, packet));
                None
            }
            6..9 => {
                self.late.push((1 + (random.uniform() * 6.0) as u32, packet));
                Some(packet)
            }
            9 => Some(Packet { ecn: Ecn::Moderate, ..packet }),
            10 => {
                // A number that is not to be believed.
                scaled.tfmcc.sequence = self.number.wrapping_add(1_000_000);
                Some(Packet { header: omcc::Header::Data(scaled).into(), ..packet })
            }
            _ => Some(packet),
        }
    }
}

/// What can be seen of a receiver.
fn seen(receiver: &ReceiverOf<Scaled>, out: &mut Outbox) -> String {
    let gauges = ["rtt", "loss_event_rate", "loss_events"].map(|name| gauge(receiver, name));
    let state = (receiver.is_clr(), receiver.is_member(), receiver.rtt_s(), receiver.loss_event_rate());
    let actions: Vec<_> = out.drain().collect();
    format!("{:?} {:?} {gauges:?} {state:?} {actions:?}", receiver.deadline(), receiver.report())
}

/// How many packets of how many one receiver has taken in streaks, having been like another that has taken none so.
fn taken_in_streaks(config: &Config, seed: u64, max_rtt_us: u32) -> (u32, u32) {
    let mut both = [(); 2].map(|()| {
        ReceiverOf::<Scaled>::new(config, FlowId(0), OWN, GROUP, Random::stream(seed, "test/streaks/timers"))
    });
    let mut outs = [Outbox::new(), Outbox::new()];
    let mut stream = Stream::new(seed, max_rtt_us);
    let mut feed = |now: Instant, input: Input<'_>, settles: bool| {
        let before = both[0].streak.count();
        both[1].end_streak();
        for (receiver, out) in both.iter_mut().zip(&mut outs) {
            receiver.handle(now, input, out);
        }
        let took = both[0].streak.count() > before;
        assert_eq!(both[1].streak.count(), 0, "each by itself");
        let [streaks, plain] = [0, 1].map(|which| seen(&both[which], &mut outs[which]));
        assert_eq!(streaks, plain, "seed {seed}, at {now}, {input:?}");
        if settles {
            // All that there is.
            both.iter_mut().for_each(|receiver| receiver.end_streak());
            assert_eq!(format!("{:?}", both[0]), format!("{:?}", both[1]), "seed {seed}, at {now}");
        }
        (took, both[0].deadline())
    };
    feed(Instant::ZERO, Input::Start, false);
    let (mut taken, mut packets) = (0, 0);
    let mut due = None;
    for n in 0..6000 {
        let packet = stream.next();
        while let Some(at) = due.filter(|&at| at <= stream.now) {
            due = feed(at, Input::Timeout, n % 7 == 0).1;
        }
        let Some(packet) = packet else { continue };
        let (took, next) = feed(stream.now, Input::packet(&packet, None, stream.now), n % 97 == 0);
        due = next;
        taken += u32::from(took);
        packets += 1;
    }
    feed(stream.now, Input::Stop, true);
    (taken, packets)
}

#[test]
fn a_streak_is_its_packets_one_by_one() {
    let off = Config { one_way_adjustment: OneWayAdjustment::Off, ..Config::default() };
    let recent = Config { max_rtt: MaxRttRule::Recent, receive_rate_rtts: 16.0, ..Config::default() };
    let window = Config { loss_event_span: LossEventSpan::Window, ..Config::default() };
    let both = Config { loss_event_span: LossEventSpan::Window, ..off.clone() };
    let cases = [(Config::default(), 500_000), (off, 200_000), (recent, 1_000_000), (window, 500_000), (both, 200_000)];
    let (mut taken, mut packets) = (0, 0);
    for (config, max_rtt_us) in cases {
        for seed in 0..9 {
            let (some, all) = taken_in_streaks(&config, seed, max_rtt_us);
            assert!(some > 0, "seed {seed}");
            taken += some;
            packets += all;
        }
    }
    assert!(3 * taken > packets, "{taken} of {packets}");
}

#[test]
fn nearly_all_of_a_steady_stream_are_taken_in_streaks() {
    // 100 packets per second, R_max = 500 ms: a mark each 200 ms, before which 18 or 19 packets come in a row.
    let mut receiver = Receiver::new(&Config::default(), FlowId(0), OWN, GROUP, Random::stream(1, "test"));
    let mut out = Outbox::new();
    receiver.handle(Instant::ZERO, Input::Start, &mut out);
    let mut alone = 0;
    for n in 0..2000 {
        let (packet, _) = super::measurement::tests::data(n, 1.0 + 0.01 * f64::from(n));
        let before = receiver.streak.count();
        receiver.handle(
            Instant::from_secs_f64(1.0 + 0.01 * f64::from(n)),
            Input::packet(&packet, None, Instant::from_secs_f64(1.0 + 0.01 * f64::from(n))),
            &mut out,
        );
        alone += u32::from(receiver.streak.count() <= before);
    }
    assert!((90..=210).contains(&alone), "{alone}");
    assert_eq!(receiver.report().received_pkts, 2000);
    assert!((receiver.report().rate_bps - 1.6e6).abs() < 1.0);
}
