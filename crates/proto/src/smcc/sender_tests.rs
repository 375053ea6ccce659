//! A source alone, report by report, with numbers by hand.

use super::*;
use crate::endpoint::{Action, EventSubject};
use crate::group_set::GroupSet;
use crate::packet::FlowId;
use crate::random::Random;
use crate::smcc::control::LayerControl;
use crate::smcc::header::{DataHeader, FeedbackHeader};
use crate::tfmcc;
use crate::time::Rate;

#[path = "sender_heard_tests.rs"]
mod heard;
#[path = "lead_tests.rs"]
mod lead;

const SOURCE: Address = Address::endpoint(40);
const FIRST_GROUP: u32 = 7;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn receiver(number: u32) -> Address {
    Address::endpoint(number)
}

/// A source that has started at 0 s, and what it has done.
struct Run {
    sender: Sender,
    packets: Vec<Packet>,
    events: Vec<(Instant, Event)>,
    now: Instant,
}

/// Layers up to 1, 2, 4 and 8 Mbit/s, without counting layers.
fn direct() -> Config {
    serde_json::from_str(r#"{"join": "direct"}"#).unwrap()
}

impl Run {
    fn new(config: &Config) -> Run {
        assert_eq!(config.check(), []);
        let seat = Seat {
            flow: FlowId(3),
            own: SOURCE,
            group: Address::group(FIRST_GROUP),
            members: 5,
            line_rate: None,
            random: Random::stream(1, "test/smcc"),
        };
        let sender = Sender::new(config, seat);
        let mut run = Run { sender, packets: Vec::new(), events: Vec::new(), now: Instant::ZERO };
        assert_eq!(run.sender.deadline(), None);
        run.input(Instant::ZERO, Input::Start);
        run
    }

    fn input(&mut self, now: Instant, input: Input<'_>) {
        let mut out = Outbox::new();
        assert!(now >= self.now);
        self.now = now;
        self.sender.handle(now, input, &mut out);
        for action in out.drain() {
            match action {
                Action::Send(packet) => {
                    assert_eq!((packet.source, packet.flow, packet.sent), (SOURCE, FlowId(3), now));
                    self.packets.push(packet);
                }
                Action::Event(event) => {
                    assert!(super::super::EVENTS.contains(&event.kind), "{event:?}");
                    self.events.push((now, event));
                }
                other => panic!("{other:?}"),
            }
        }
        self.check();
    }

    /// What always holds.
    fn check(&self) {
        let mut below_bps = 0.0;
        let mut leads = Vec::new();
        for (number, layer) in self.sender.layers.iter().enumerate() {
            let rate_bps = layer.rate_bps();
            let floor_bps = if number == 0 { 1000.0 } else { 1e6 * f64::from(1 << (number - 1)) };
            assert!((floor_bps..=1e6 * f64::from(1 << number)).contains(&rate_bps), "T_{number} is {rate_bps}");
            assert!(rate_bps >= below_bps, "T_{number} is {rate_bps}, below {below_bps}");
            below_bps = rate_bps;
            leads.extend(layer.led.control.lead());
        }
        leads.sort_unstable();
        assert!(leads.is_sorted_by(|a, b| a < b), "a receiver leads two layers: {leads:?}");
        assert!(self.sender.deadline().is_none_or(|deadline| deadline >= self.now));
    }

    /// Runs its timers up to `until_s`.
    fn run(&mut self, until_s: f64) {
        while let Some(due) = self.sender.deadline().filter(|&due| due <= at(until_s)) {
            self.input(due, Input::Timeout);
        }
    }

    /// What it has sent up to `until_s` and has not been taken yet.
    fn sent(&mut self, until_s: f64) -> Vec<Packet> {
        self.run(until_s);
        std::mem::take(&mut self.packets)
    }

    /// A report with a loss at `now_s` of receiver `from` on `layer`, its round trip 64 ms.
    fn report(&mut self, now_s: f64, from: u32, layer: u8, rate_bps: f64) {
        self.report_as(now_s, from, layer, rate_bps, |_| ());
    }

    fn report_as(&mut self, now_s: f64, from: u32, layer: u8, rate_bps: f64, as_said: fn(&mut FeedbackHeader)) {
        self.run(now_s);
        let known = usize::from(layer).min(self.sender.layers.len() - 1);
        let feedback = tfmcc::FeedbackHeader {
            have_rtt: true,
            have_loss: true,
            leave: false,
            round: self.sender.round(known),
            echoed_stamp_us: stamp_us(at(now_s)).wrapping_sub(64_000),
            rate_bps: rate_bps as f32,
            rtt_s: 0.064,
            loss_event_rate: 0.01,
            receive_bps: rate_bps as f32,
            scale: 1.0,
        };
        let mut header = FeedbackHeader { feedback, layer, dropped: false };
        as_said(&mut header);
        let packet = Packet {
            sent: at(100.0 + now_s),
            flow: FlowId(3),
            source: receiver(from),
            destination: SOURCE,
            size: 40,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Feedback(header).into(),
        };
        self.input(at(now_s), Input::packet(&packet, None, at(now_s)));
    }

    /// Receiver `from` reports `rate_bps` on `layer` every 64 ms.
    fn keep_reporting(&mut self, (from_s, until_s): (f64, f64), from: u32, layer: u8, rate_bps: f64) {
        for n in 0..((until_s - from_s) / 0.064) as u32 {
            self.report(from_s + 0.064 * f64::from(n), from, layer, rate_bps);
        }
    }

    fn rates(&self) -> Vec<f64> {
        (0..self.sender.layers.len()).map(|layer| self.sender.rate_bps(layer)).collect()
    }

    fn leads(&self) -> Vec<Option<Address>> {
        (0..self.sender.layers.len()).map(|layer| self.sender.lead(layer)).collect()
    }

    fn elections(&self) -> Vec<(f64, u8)> {
        let elections = self.events.iter().filter(|(_, event)| event.is(ELECTION));
        elections.map(|(now, event)| (now.as_secs_f64(), event.layer.unwrap())).collect()
    }
}

fn data(packet: &Packet) -> Option<(usize, DataHeader)> {
    match packet.header {
        packet::Header::Smcc(Header::Data(data)) => {
            Some((packet.destination.index() - FIRST_GROUP as usize, data.unpack()))
        }
        _ => None,
    }
}

/// How many packets of each of four layers.
fn per_layer(packets: &[Packet]) -> [usize; 4] {
    let mut counts = [0; 4];
    packets.iter().filter_map(data).for_each(|(layer, _)| counts[layer] += 1);
    counts
}

#[test]
fn layers_keep_to_the_rate_that_they_share_however_often_it_is_divided_anew() {
    // T_0 is 0.9 Mbit/s for 10 ms, 0.1 for the next, and T_1 = B_0: 1.125 and 0.125 packets each way.
    let mut run = Run::new(&direct());
    for step in 0..400 {
        let now = at(0.01 * f64::from(step));
        run.run(now.as_secs_f64());
        run.sender.layers[0].led.control.jump([9e5, 1e5][step as usize % 2]);
        run.sender.follow(now);
        run.sender.deadline = run.sender.next_deadline(now);
    }
    let [lowest, second, ..] = per_layer(&run.sent(3.9999));
    assert!(lowest.abs_diff(250) <= 1 && second.abs_diff(250) <= 1, "{lowest} and {second}");
}

#[test]
fn a_session_begins_as_that_of_tfmcc_and_above_it_with_the_least() {
    // X = 8s/R_max = 16 kbit/s in the lowest layer. T_1 = B_0, T_2 = B_1, T_3 = B_2, and each carries what is missing.
    let mut run = Run::new(&direct());
    assert_eq!(run.rates(), [16e3, 1e6, 2e6, 4e6]);
    assert_eq!(run.leads(), [None; 4]);
    let sent = run.sent(3.999);
    assert_eq!(per_layer(&sent), [8, 4 * 123, 4 * 125, 4 * 250]);
    for (layer, data) in sent.iter().filter_map(data) {
        let rates = [16e3, 1e6, 2e6, 4e6];
        assert_eq!(data.data.rate_bps, rates[layer]);
        assert!(layer == 3 && data.next_bps.is_nan() || data.next_bps == rates[layer + 1]);
        assert_eq!((data.data.echo, data.data.round), (None, 0));
    }
    let slots: Vec<(u64, u32)> =
        sent.iter().filter_map(|packet| Some((packet.sent.0 / 32_000_000, data(packet)?.1.tick))).collect();
    assert!(slots.iter().all(|&(expected, slot)| expected == u64::from(slot)) && slots.last().unwrap().1 == 124);
    // Nobody reports: the lowest falls as TFMCC's does, the others stay. After 10 R_max, 5 s; and 10 s more, since
    // R_max has become the gap between packets, 1 s, by then.
    for (now_s, rate_bps) in [(4.9, 16e3), (5.1, 8e3), (14.9, 8e3), (15.1, 4e3)] {
        run.run(now_s);
        assert_eq!(run.rates(), [rate_bps, 1e6, 2e6, 4e6], "{now_s}");
    }
    assert_eq!(run.elections(), []);
    let sent: u64 = run.sender.report().sent_pkts;
    assert_eq!(sent * 1000, run.sender.report().sent_bytes);
}

#[test]
fn a_receiver_of_a_high_layer_fills_those_below_at_once_and_grows_by_a_packet_per_round_trip() {
    let mut run = Run::new(&direct());
    // A packet per R_max, which is the round trip of its first report: 8000 bit / 64 ms = 125 kbit/s per 64 ms. The
    // first step is due at once, as the rate has not grown for long; 3 Mbit/s is 8 steps above 2 Mbit/s.
    for n in 0..10 {
        run.report(2.0 + 0.064 * f64::from(n), 1, 2, 3e6);
        let expected = (2e6 + 125e3 * f64::from(n + 1)).min(3e6);
        assert!((run.sender.rate_bps(2) - expected).abs() < 1.0, "report {n}: {:?}", run.rates());
        assert_eq!((run.sender.rate_bps(0), run.sender.rate_bps(1), run.sender.rate_bps(3)), (1e6, 2e6, 4e6));
        assert_eq!((run.sender.max_rtt_s(2), run.sender.lead(2)), (0.064, Some(receiver(1))));
    }
    run.keep_reporting((2.64, 3.0), 1, 2, 3e6);
    // Of its packets all echo it, those of the layers below, too, as there is nobody; those above do not. It leads its
    // own layer alone.
    run.run(3.0);
    run.packets.clear();
    run.keep_reporting((3.0, 4.02), 1, 2, 3e6);
    let sent = run.sent(4.0);
    let counts = per_layer(&sent);
    assert!(counts.iter().zip([125, 125, 125, 125]).all(|(count, per_s)| count.abs_diff(per_s) <= 3), "{counts:?}");
    for (layer, data) in sent.iter().filter_map(data) {
        let echoed = data.data.echo.map(|echo| (echo.receiver, echo.is_clr));
        assert_eq!(echoed, (layer < 3).then_some((receiver(1), layer == 2)));
    }
    assert_eq!(run.elections(), []);
    let events = |kind| run.events.iter().filter(move |(_, event)| event.is(kind));
    assert_eq!(events(LIMITING_RECEIVER).count(), 1);
    let (_, led) = events(LIMITING_RECEIVER).next().unwrap();
    assert_eq!((led.layer, led.subject), (Some(2), EventSubject::Other(receiver(1))));
    let jumps: Vec<(u8, f64)> =
        events(RATE).filter(|(_, event)| event.layer < Some(2)).map(|(_, e)| (e.layer.unwrap(), e.after)).collect();
    assert_eq!(jumps, [(0, 1e6), (1, 2e6)]);
    assert!(events(REPORT).all(|(_, event)| event.layer == Some(2)));
}

#[test]
fn without_a_loss_the_increase_is_limited_above_the_lowest_layer() {
    let mut run = Run::new(&direct());
    run.report_as(2.0, 1, 1, 1.9e6, |header| header.feedback.have_loss = false);
    assert_eq!(run.sender.rate_bps(1), 1.125e6);
    // In the lowest the first loss ends slow start, above there is none to end.
    assert!(!run.events.iter().any(|(_, event)| event.is(SLOW_START_ENDED)));
    run.report(2.1, 2, 1, 1.1e6);
    assert!(!run.events.iter().any(|(_, event)| event.is(SLOW_START_ENDED)));
    run.report(2.1, 3, 0, 0.5e6);
    let ended: Vec<_> =
        run.events.iter().filter(|(_, event)| event.is(SLOW_START_ENDED)).map(|(_, e)| e.layer).collect();
    assert_eq!(ended, [Some(0)]);
    assert_eq!(run.rates(), [0.5e6, 1.1e6, 2e6, 4e6]);
}

#[test]
fn a_layer_that_adds_nothing_is_kept_alive() {
    let mut run = Run::new(&direct());
    for n in 0..400 {
        let now_s = 2.0 + 0.064 * f64::from(n);
        run.report_as(now_s, 1, 0, 9e6, |header| header.feedback.have_loss = false);
        run.report(now_s, 2, 1, 0.0);
    }
    // T_0 = B_0 = T_1.
    assert_eq!(run.rates(), [1e6, 1e6, 2e6, 4e6]);
    let mut late = run.sent(27.6);
    late.retain(|packet| packet.sent > at(15.0));
    let span_s = late.last().unwrap().sent.since(late[0].sent).as_secs_f64();
    late.retain(|packet| data(packet).is_some_and(|(layer, _)| layer == 1));
    assert!((late.len() as f64 - span_s).abs() <= 1.5, "{} in {span_s} s", late.len());
    assert!(late.windows(2).all(|pair| pair[1].sent.since(pair[0].sent) <= Duration::from_secs(1)));
    // R_max follows that gap, so that X_supp reaches those it is for within a round, and the gap down again.
    assert_eq!((run.sender.max_rtt_s(1), run.sender.lead(1)), (1.0, Some(receiver(2))));
    let start_s = run.now.as_secs_f64();
    run.keep_reporting((start_s, start_s + 4.0), 2, 1, 1.9e6);
    assert!(run.sender.max_rtt_s(1) < 0.1 && run.sender.rate_bps(1) == f64::from(1.9e6_f32), "{:?}", run.rates());
}

#[test]
fn reports_that_were_overtaken_and_void_ones_change_nothing() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 4.0), 1, 2, 3e6);
    run.report(4.0, 1, 1, 1.5e6);
    let shown = |run: &Run| (run.rates(), run.leads(), run.elections().len());
    let before = shown(&run);
    for as_said in [
        // Not of the past, but nothing at all.
        (|header| header.feedback.rate_bps = f32::NAN) as fn(&mut FeedbackHeader),
        |header| header.feedback.rate_bps = -1.0,
        |header| header.layer = 4,
        |header| header.layer = 255,
    ] {
        run.report_as(4.01, 1, 3, 3e6, as_said);
        run.report_as(4.01, 9, 0, 3e3, as_said);
        assert_eq!(shown(&run), before);
    }
    // A report that it sent while it was on layer 2.
    let feedback = tfmcc::FeedbackHeader {
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: 0,
        echoed_stamp_us: stamp_us(at(3.9)),
        rate_bps: 3e6,
        rtt_s: 0.064,
        loss_event_rate: 0.01,
        receive_bps: 3e6,
        scale: 1.0,
    };
    let late = Packet {
        sent: at(103.99),
        header: Header::Feedback(FeedbackHeader { feedback, layer: 2, dropped: false }).into(),
        source: receiver(1),
        ..run.sender.template
    };
    run.input(at(4.02), Input::packet(&late, None, at(4.02)));
    assert_eq!(shown(&run), before);
    run.input(at(4.02), Input::packet(&Packet { sent: at(104.01), ..late }, None, at(4.02)));
    assert_eq!((run.sender.lead(1), run.sender.lead(2)), (None, Some(receiver(1))));
    assert_eq!(run.sender.report().received_pkts, 31 + 1 + 8 + 2, "all have been counted");
    // With infinite wishes it is the increase that counts.
    run.report(4.1, 1, 2, f64::INFINITY);
    assert!(run.rates()[2] <= 3.3e6, "{:?}", run.rates());
}

#[test]
fn a_session_of_one_layer_is_one_of_tfmcc() {
    let tfmcc = tfmcc::Config { max_rate: Some(Rate(1_000_000)), ..tfmcc::Config::default() };
    let config: Config = serde_json::from_str(r#"{"layers": 1}"#).unwrap();
    let mut run = Run::new(&config);
    let mut other = tfmcc::Sender::new(&tfmcc, FlowId(3), SOURCE, Address::group(FIRST_GROUP));
    let mut out = Outbox::new();
    let mut others = Vec::new();
    let mut input = |now, input: Input<'_>| {
        other.handle(now, input, &mut out);
        let packets = out.drain().filter_map(|action| match action {
            Action::Send(packet) => Some(packet),
            _ => None,
        });
        others.extend(packets);
        other.deadline()
    };
    let mut due = input(Instant::ZERO, Input::Start);
    let mut random = Random::stream(5, "test/smcc");
    let mut now = Instant::ZERO;
    for n in 0..3000 {
        // Often enough that nobody is given up.
        now += Duration::from_secs_f64(random.uniform_in(0.0, 0.02));
        while let Some(at) = due.filter(|&at| at <= now) {
            due = input(at, Input::Timeout);
        }
        let (from, rate_bps) = (n % 2, random.uniform_in(0.5, 1.5) * if n < 1500 { 1e6 } else { 3e5 });
        run.report_as(now.as_secs_f64(), from, 0, rate_bps, |header| {
            header.feedback.have_loss = header.feedback.echoed_stamp_us > 2_000_000;
        });
        let report = tfmcc::FeedbackHeader {
            have_rtt: true,
            have_loss: stamp_us(now).wrapping_sub(64_000) > 2_000_000,
            leave: false,
            round: run.sender.round(0),
            echoed_stamp_us: stamp_us(now).wrapping_sub(64_000),
            rate_bps: rate_bps as f32,
            rtt_s: 0.064,
            loss_event_rate: 0.01,
            receive_bps: rate_bps as f32,
            scale: 1.0,
        };
        let packet = Packet {
            sent: at(100.0 + now.as_secs_f64()),
            source: receiver(from),
            size: 40,
            header: tfmcc::Header::Feedback(report).into(),
            ..run.sender.template
        };
        due = input(now, Input::packet(&packet, None, now));
    }
    assert_eq!(run.elections(), []);
    let own: Vec<_> = run.packets.iter().map(|packet| (packet.sent, data(packet).unwrap().1.data)).collect();
    let others: Vec<_> = others
        .iter()
        .map(|packet| match packet.header {
            packet::Header::Tfmcc(tfmcc::Header::Data(data)) => (packet.sent, data),
            _ => panic!("{packet:?}"),
        })
        .collect();
    assert!(own.len() > 500, "{}", own.len());
    let differs = own.iter().zip(&others).position(|(a, b)| a != b);
    assert_eq!((differs, own.len()), (None, others.len()));
}

#[test]
fn counting_layers_are_sent_by_their_schedule() {
    // x = 20 and 80 ms, 3 and 5 layers in two phases: groups 2 to 17 of the session.
    let config: Config = serde_json::from_str(r#"{"rtts": ["20 ms", "80 ms"], "phases": 2, "layers": 2}"#).unwrap();
    let mut run = Run::new(&config);
    let sent = run.sent(12.8);
    let mut counts = [[0u32; 16]; 640];
    // The second phase has a number already where the first begins with 0: it is as if it had always been.
    let mut next = [None; 16];
    let mut number = 0;
    for packet in sent {
        let packet::Header::Smcc(Header::Counting(header)) = packet.header else { continue };
        let group = packet.destination.index() - FIRST_GROUP as usize - 2;
        let expected = next[group].unwrap_or(header.sequence);
        assert_eq!((header.sequence, packet.size), (expected, 1000), "group {group}");
        next[group] = Some(expected + 1);
        number += 1;
        let slot = (packet.sent.0 / 20_000_000) as usize;
        assert_eq!(header.tick as usize, slot);
        counts[slot][group] += 1;
    }
    for (slot, counts) in counts.iter().enumerate() {
        // A packet more in each slot, modulo 8; the second phase is a third of 8 behind, 2 slots.
        assert_eq!(counts[..3].iter().sum::<u32>() as usize, slot % 8, "slot {slot}");
        assert_eq!(counts[3..6].iter().sum::<u32>() as usize, (slot + 8 - 2) % 8, "slot {slot}");
    }
    for slot in 0..160 {
        let of = |groups: std::ops::Range<usize>| -> u32 {
            counts[4 * slot..4 * slot + 4].iter().map(|counts| counts[groups.clone()].iter().sum::<u32>()).sum()
        };
        assert_eq!((of(6..11) as usize, of(11..16) as usize), (slot % 32, (slot + 32 - 10) % 32), "slot {slot}");
    }
    let layers: usize = run.sender.layers.iter().map(|layer| layer.sent_pkts() as usize).sum();
    assert_eq!(run.sender.report().sent_pkts as usize, number + layers);
}

#[test]
fn a_late_driver_lets_packets_go_and_slots_wrap_around() {
    let config: Config = serde_json::from_str(r#"{"rtts": ["1 ms"]}"#).unwrap();
    let mut run = Run::new(&config);
    run.run(0.1);
    run.packets.clear();
    // 2^32 slots and 5 more of 1 ms, 50 days.
    let late = Instant((4_294_967_296 + 5) * 1_000_000 + 500_000);
    run.input(late, Input::Timeout);
    let layers = per_layer(&run.packets);
    assert_eq!(layers, [1; 4]);
    assert!(run.packets.iter().filter_map(data).all(|(_, data)| data.tick == 5));
    let counting: Vec<u32> = run
        .packets
        .iter()
        .filter_map(|packet| match packet.header {
            packet::Header::Smcc(Header::Counting(header)) => Some(header.tick),
            _ => None,
        })
        .collect();
    assert!(!counting.is_empty() && counting.iter().all(|&slot| slot == 4 || slot == 5), "{counting:?}");
    run.input(late, Input::Stop);
    assert_eq!(run.sender.deadline(), None);
}

#[test]
fn no_reports_upset_the_order_of_the_layers() {
    for (seed, parameters) in
        [r#"{"join": "direct"}"#, r#"{"join": "direct", "tfmcc": {"max_rtt": "recent", "gap_floor": "follows"}}"#]
            .into_iter()
            .enumerate()
    {
        let mut run = Run::new(&serde_json::from_str(parameters).unwrap());
        let mut random = Random::stream(seed as u64, "test/lies");
        let mut below = |n: u32| (random.uniform() * f64::from(n)) as u32;
        let mut now_s = 0.0;
        let mut elected = GroupSet::EMPTY;
        for _ in 0..20_000 {
            now_s += f64::from(below(100)) * 1e-3 * if below(100) == 0 { 100.0 } else { 1.0 };
            let rate_bps = match below(12) {
                0 => f64::INFINITY,
                1 => f64::NAN,
                2 => -1e6,
                3 => 0.0,
                _ => 1e3 * f64::from(below(10_000)),
            };
            let (from, layer) = if below(2) == 0 { (0, below(4)) } else { (1 + below(6), below(6)) };
            let as_said: fn(&mut FeedbackHeader) = match below(8) {
                0 => |header| header.feedback.leave = true,
                1 => |header| header.dropped = true,
                2 => |header| header.feedback.have_rtt = false,
                3 => |header| header.feedback.have_loss = false,
                4 => |header| header.feedback.echoed_stamp_us ^= 0x8000_0000,
                5 => |header| (header.feedback.rtt_s, header.feedback.round) = (f32::NAN, 77),
                _ => |_| (),
            };
            run.report_as(now_s, from, layer as u8, rate_bps, as_said);
            elected = run.elections().iter().map(|&(_, layer)| u32::from(layer)).collect::<GroupSet>() | elected;
            run.events.clear();
            run.packets.clear();
        }
        assert_eq!(elected, GroupSet::all(4), "{parameters}");
    }
}

#[test]
fn a_source_that_starts_again_counts_from_the_beginning() {
    let config: Config = serde_json::from_str(r#"{"rtts": ["20 ms", "40 ms"]}"#).unwrap();
    let counting = |packets: &[Packet], start: Instant| -> Vec<(Duration, usize, u32, u32)> {
        let of = |packet: &Packet| match packet.header {
            packet::Header::Smcc(Header::Counting(CountingHeader { sequence, tick })) => {
                Some((packet.sent.since(start), packet.destination.index(), sequence, tick))
            }
            _ => None,
        };
        packets.iter().filter_map(of).collect()
    };
    let mut run = Run::new(&config);
    let first = counting(&run.sent(3.0), Instant::ZERO);
    run.run(20.003);
    run.input(at(20.003), Input::Stop);
    run.packets.clear();
    run.run(25.0);
    assert_eq!((run.packets.len(), run.sender.deadline()), (0, None));
    run.input(at(25.01), Input::Start);
    assert!(counting(&run.sent(28.01), at(25.01)) == first && first.len() > 1000);
}
