//! A source by itself, given reports by hand.

use super::*;
use crate::endpoint::Action;
use crate::mlda::rtcp::{BYE_BYTES, Bye, RECEIVER_REPORT_BYTES};
use crate::mlda::{ReportsTo, rtcp::Echo};
use crate::packet::FlowId;
use crate::quantity::Bytes;
use crate::time::Rate;

#[path = "sender_odd_tests.rs"]
mod odd;
#[path = "sender_supply_tests.rs"]
mod supply;

const SOURCE: Address = Address::endpoint(0);
const FIRST_GROUP: u32 = 5;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn receiver(n: u32) -> Address {
    Address::endpoint(n)
}

/// A source that is driven by hand.
struct Run {
    sender: Sender,
    now: Instant,
    packets: Vec<Packet>,
    /// Sender reports, and when they were sent.
    reports: Vec<(Instant, SenderReport)>,
    events: Vec<Event>,
    /// Groups joined less groups left.
    joined: Vec<Address>,
}

impl Run {
    fn new(config: &Config) -> Run {
        let mut run = Run::idle(config, Some(Rate(10_000_000)), 1);
        run.input(Instant::ZERO, Input::Start, None);
        run
    }

    fn idle(config: &Config, line_rate: Option<Rate>, seed: u64) -> Run {
        assert_eq!(config.check(), []);
        let seat = Seat {
            flow: FlowId(3),
            own: SOURCE,
            group: Address::group(FIRST_GROUP),
            members: 3,
            line_rate,
            random: Random::stream(seed, "test/mlda"),
        };
        Run {
            sender: Sender::new(config, seat),
            now: Instant::ZERO,
            packets: Vec::new(),
            reports: Vec::new(),
            events: Vec::new(),
            joined: Vec::new(),
        }
    }

    fn input(&mut self, now: Instant, input: Input<'_>, message: Option<Octets>) {
        self.now = now;
        let control = message.map(Control::from);
        let input = match input {
            Input::Packet { packet, control: None, arrived } => Input::packet(packet, control.as_ref(), arrived),
            other => other,
        };
        let mut out = Outbox::new();
        self.sender.handle(now, input, &mut out);
        for action in out.drain() {
            match action {
                Action::Send(packet) => self.packets.push(packet),
                Action::SendControl(packet, control) => {
                    let Ok(Message::SenderReport(report)) = Octets::read(Some(&control)) else { panic!("{packet:?}") };
                    let number = report.number;
                    assert_eq!(packet.header, Header::SenderReport { number }.into());
                    assert_eq!(packet.destination, Address::group(FIRST_GROUP));
                    assert_eq!(usize::from(packet.size), 56 + 12 * (report.layers.len().max(2) + report.echoes.len()));
                    self.reports.push((now, report));
                }
                Action::Event(event) => self.events.push(event),
                Action::Join(group) => self.joined.push(group),
                Action::Leave(group) => self.joined.retain(|&joined| joined != group),
            }
        }
        assert!(self.sender.deadline().is_none_or(|due| due >= now));
    }

    fn run(&mut self, until_s: f64) {
        while let Some(due) = self.sender.deadline().filter(|&due| due <= at(until_s)) {
            self.input(due, Input::Timeout, None);
        }
        self.now = at(until_s);
    }

    fn last(&self) -> &SenderReport {
        &self.reports.last().expect("there is one").1
    }

    /// A report of receiver `n` for the last round, that came now.
    fn report_of(&self, n: u32, share_bps: f32, loss: f32) -> ReceiverReport {
        ReceiverReport {
            ssrc: receiver(n).to_bits(),
            source: self.last().ssrc,
            number: self.last().number,
            rate_bps: share_bps,
            loss,
            rtt_us: 100_000,
            stamp_us: stamp_us(self.now),
            fraction_lost: 0,
            cumulative_lost: 0,
            highest_sequence: 0,
            jitter: 0,
            last_sr: 0,
            delay_since_sr: 0,
        }
    }

    fn hand(&mut self, from: Address, header: Header, message: Option<Octets>) {
        let packet = Packet {
            sent: self.now,
            source: from,
            destination: SOURCE,
            size: message.as_ref().map_or(40, Octets::size),
            header: header.into(),
            ..self.sender.template
        };
        self.input(self.now, Input::packet(&packet, None, self.now), message);
    }

    fn hear(&mut self, report: ReceiverReport) {
        let header = Header::ReceiverReport { number: report.number };
        self.hand(Address::from_bits(report.ssrc), header, Some(report.encode()));
    }

    fn report(&mut self, n: u32, share_bps: f32) {
        self.hear(self.report_of(n, share_bps, 0.0));
    }

    fn rates(&self) -> Vec<f64> {
        self.sender.rates_bps().collect()
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::testing::gauge(&self.sender, name)
    }

    /// Packets of each layer sent since this was last asked: time, number, whether it is the first of a pair.
    fn take(&mut self) -> Vec<Vec<(Instant, u16, bool)>> {
        let mut layers = vec![Vec::new(); self.sender.layers.len()];
        for packet in self.packets.drain(..) {
            let packet::Header::Mlda(Header::Data(data)) = packet.header else { panic!("{packet:?}") };
            assert_eq!(data.ssrc, self.reports.last().unwrap().1.ssrc);
            layers[packet.destination.index() - FIRST_GROUP as usize].push((packet.sent, data.sequence, data.probe));
        }
        layers
    }
}

fn sum(rates: &[f64]) -> f64 {
    rates.iter().sum()
}

#[test]
fn reports_come_at_the_interval_and_rates_hold_from_the_next_one_on() {
    let mut run = Run::new(&Config::default());
    assert_eq!(run.joined, [Address::group(FIRST_GROUP + 3)]);
    assert_eq!(run.rates(), [20_000.0, 0.0, 0.0]);
    run.run(2.0);
    run.report(1, 60_000.0);
    run.report(2, 260_000.0);
    run.report(3, 90_000.0);
    run.run(4.999);
    assert_eq!((run.rates(), run.reports.len()), (vec![20_000.0, 0.0, 0.0], 1));
    run.run(5.0);
    assert_eq!((run.rates(), run.reports.len()), (vec![60_000.0, 100_000.0, 100_000.0], 2));
    assert_eq!(run.last().layers.iter().map(|line| line.rate_bps).collect::<Vec<_>>(), [6e4, 1e5, 1e5]);
    assert_eq!([run.gauge("r_lo"), run.gauge("r_hi"), run.gauge("reporters")], [60_000.0, 260_000.0, 3.0]);
    assert_eq!(run.sender.report().rate_bps, 260_000.0);
    run.run(20.0);
    let times: Vec<f64> = run.reports.iter().map(|(sent, _)| sent.as_secs_f64()).collect();
    assert_eq!(times, [0.0, 5.0, 10.0, 15.0, 20.0]);
    assert_eq!(run.reports.iter().map(|(_, report)| report.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(run.reports.iter().all(|(_, report)| !report.extra && report.feedback_spread_us == 2_500_000));
    // What events tell: who has the least and the largest share, and what layers carry together.
    let told: Vec<_> = run.events.iter().take(6).map(|event| (event.kind.name, event.layer, event.after)).collect();
    let expected = [
        ("rate", Some(0), 2e4),
        ("rate", Some(1), 2e4),
        ("rate", Some(2), 2e4),
        ("limiting-receiver", Some(0), 6e4),
        ("leading-receiver", Some(2), 2.6e5),
        ("rate", Some(0), 6e4),
    ];
    assert_eq!(told, expected);
    assert_eq!(run.events[5].cause, Cause::Report { receiver: receiver(1), number: 0 });
    assert_eq!(run.events[7].after, 260_000.0);
    assert_eq!(run.events[7].cause, Cause::Report { receiver: receiver(2), number: 0 });
    run.input(at(21.0), Input::Stop, None);
    assert_eq!((run.sender.deadline(), run.joined.len()), (None, 0));
}

#[test]
fn layers_carry_what_is_announced() {
    let mut run = Run::new(&Config::default());
    run.run(1.0);
    run.report(1, 60_000.0);
    run.report(2, 260_000.0);
    run.run(4.999);
    run.take();
    run.run(5.0);
    let lines = run.last().layers.clone();
    for _ in 0..4 {
        run.run(run.now.as_secs_f64() + 5.0);
        run.report(1, 60_000.0);
        run.report(2, 260_000.0);
    }
    let layers = run.take();
    for (packets, line) in layers.iter().zip(&lines) {
        // Within a packet but for the jitter, which averages out: 10 % / sqrt(3 n).
        let expected = 20.0 * f64::from(line.rate_bps) / 4096.0;
        let astray = 1.0 + 3.0 * 0.1 * (expected / 3.0).sqrt();
        assert!((packets.len() as f64 - expected).abs() <= astray, "{} of {expected}", packets.len());
        assert_eq!(packets[0].1, line.first_sequence);
        assert!(packets.windows(2).all(|pair| pair[1].1 == pair[0].1.wrapping_add(1)));
    }
    // Between packets that are no pair: the nominal gap within 10 %.
    let gap_s = 4096.0 / f64::from(lines[1].rate_bps);
    let gaps: Vec<f64> = layers[1].windows(2).map(|pair| pair[1].0.since(pair[0].0).as_secs_f64() / gap_s).collect();
    assert!(gaps.iter().all(|gap| (0.8999..1.1001).contains(gap)), "{gaps:?}");
    assert!(gaps.iter().any(|&gap| gap < 0.92) && gaps.iter().any(|&gap| gap > 1.08));
    assert!(layers[1][0].0 != layers[2][0].0, "layers that begin together do not send together");
    // What was counted.
    let report = run.sender.report();
    let control: u64 = run.reports.iter().map(|(_, report)| u64::from(report.encode().size())).sum();
    let data = report.sent_pkts - run.reports.len() as u64;
    assert_eq!(report.sent_bytes, control + 512 * data);
    let sent = run.last();
    assert!(u64::from(sent.packets) <= data && sent.octets == 512 * sent.packets && sent.packets > 1000);
}

#[test]
fn pairs_go_back_to_back_on_the_base_layer() {
    let mut run = Run::new(&Config { jitter: 0.0, first_rate: Rate(40_960), ..Config::default() });
    for round in 0..6 {
        run.run(5.0 * f64::from(round) + 1.0);
        run.report(1, 40_960.0);
        run.report(2, 400_000.0);
    }
    run.run(31.99);
    let layers = run.take();
    let marks: Vec<usize> = (0..layers[0].len()).filter(|&n| layers[0][n].2).collect();
    assert_eq!(marks.iter().take(4).copied().collect::<Vec<_>>(), [0, 16, 32, 48]);
    assert_eq!(marks.len(), 20, "of 320 packets");
    let gaps: Vec<f64> = layers[0].windows(2).map(|pair| pair[1].0.since(pair[0].0).as_secs_f64()).collect();
    for (n, gap_s) in gaps.iter().enumerate() {
        // Nothing between the two, then as long as two packets take.
        let expected_s = [0.0, 0.2].get(n % 16).copied().unwrap_or(0.1);
        assert!((gap_s - expected_s).abs() < 1e-6, "{n}: {gap_s}");
    }
    assert!(layers[1..].iter().flatten().all(|&(_, _, probe)| !probe));
    for config in [
        Config { probe_every: 0, ..Config::default() },
        Config { bottleneck: Some(Rate(300_000)), ..Config::default() },
    ] {
        let mut run = Run::new(&config);
        run.run(30.0);
        let base = run.take().swap_remove(0);
        assert!(base.iter().all(|&(_, _, probe)| !probe));
        assert!(base.windows(2).all(|pair| pair[1].0 > pair[0].0));
    }
}

#[test]
fn a_single_layer_has_the_least_share_and_many_add_up_to_the_largest() {
    for layers in 1..=16 {
        let mut run = Run::new(&Config { layers, ..Config::default() });
        let mut random = Random::stream(layers.into(), "test/shares");
        for round in 0..20 {
            let shares: Vec<f32> = (0..5).map(|_| random.uniform_in(1e3, 2e6) as f32).collect();
            for (n, &share) in (1..).zip(&shares) {
                run.report(n, share);
            }
            run.run(5.0 * f64::from(round + 1));
            let least = f64::from(shares.iter().copied().fold(f32::INFINITY, f32::min)).max(4096.0);
            let largest = f64::from(shares.iter().copied().fold(0.0, f32::max));
            let rates = run.rates();
            let all = if layers == 1 || largest - least < 0.05 * largest { least } else { largest };
            assert_eq!(rates[0], least);
            assert!((sum(&rates) - all).abs() < 1e-6 * all, "{rates:?}");
            let announced: f64 = run.last().layers.iter().map(|line| f64::from(line.rate_bps)).sum();
            assert!((announced - all).abs() < 1e-5 * all);
        }
    }
}

#[test]
fn what_is_not_renewed_expires_and_who_goes_says_so() {
    let mut run = Run::new(&Config::default());
    run.run(1.0);
    run.report(1, 60_000.0);
    let mut rates = Vec::new();
    for round in 1..=4 {
        // Another one reports in each round, and keeps the session from silence.
        run.report(2, 260_000.0);
        run.run(5.0 * f64::from(round));
        rates.push(run.rates());
    }
    // It came in round 0; 1 and 2 went by without another.
    let (both, one) = (vec![60_000.0, 100_000.0, 100_000.0], vec![260_000.0, 0.0, 0.0]);
    assert_eq!(rates, [both.clone(), both, one.clone(), one]);
    run.report(1, 60_000.0);
    run.run(24.0);
    // Somebody else's name in the message: nobody has gone.
    run.hand(receiver(3), Header::Bye, Some(Bye { ssrc: 1 }.encode()));
    run.hand(receiver(1), Header::Bye, None);
    assert_eq!(run.sender.reports.count(), 2);
    let bye = Bye { ssrc: receiver(1).to_bits() }.encode();
    assert_eq!((bye.size(), BYE_BYTES), (44, 16));
    run.hand(receiver(1), Header::Bye, Some(bye));
    assert_eq!(run.sender.reports.count(), 1);
    run.run(25.0);
    assert_eq!(run.rates(), [260_000.0, 0.0, 0.0]);
}

#[test]
fn silence_halves_the_base_layer_down_to_its_least() {
    let mut run = Run::new(&Config::default());
    run.run(1.0);
    run.report(1, 60_000.0);
    run.report(2, 260_000.0);
    run.run(10.0);
    let mut rates = Vec::new();
    for round in 3..=8 {
        run.run(5.0 * f64::from(round));
        rates.push(run.rates());
    }
    // The reports came in round 0; rounds 1 and 2 were silent.
    assert_eq!(rates[0], [30_000.0, 0.0, 0.0]);
    let base: Vec<f64> = rates.iter().map(|rates| rates[0]).collect();
    assert_eq!(base, [30_000.0, 15_000.0, 7500.0, 4096.0, 4096.0, 4096.0]);
    assert_eq!((run.gauge("timeouts"), run.gauge("feedback_rounds")), (6.0, 9.0));
    assert!(run.gauge("r_lo").is_nan());
    run.report(1, 50_000.0);
    run.run(45.0);
    assert_eq!(run.rates()[0], 50_000.0);
    // After four silent rounds instead, and reports that last for one.
    let config = Config { silent_rounds: 4, report_rounds: 1, ..Config::default() };
    let mut run = Run::new(&config);
    run.report(1, 60_000.0);
    run.report(2, 260_000.0);
    let mut rates = Vec::new();
    for round in 1..=6 {
        run.run(5.0 * f64::from(round));
        rates.push(run.rates());
    }
    let (full, base, half) = (vec![6e4, 1e5, 1e5], vec![6e4, 0.0, 0.0], vec![3e4, 0.0, 0.0]);
    assert_eq!(rates, [full, base.clone(), base.clone(), base, half, vec![1.5e4, 0.0, 0.0]]);
}

#[test]
fn a_fast_decrease_is_announced_at_once_and_once_a_second() {
    let mut run = Run::new(&Config::default());
    run.run(1.0);
    run.report(1, 100_000.0);
    run.report(2, 300_000.0);
    run.run(5.1);
    assert_eq!(run.rates(), [1e5, 1e5, 1e5]);
    // Without loss, or above the base layer: nothing at once.
    run.hear(run.report_of(1, 90_000.0, 0.0));
    run.hear(run.report_of(2, 200_000.0, 0.1));
    assert_eq!(run.reports.len(), 2);
    run.run(5.2);
    run.hear(run.report_of(1, 60_000.0, 0.01));
    assert_eq!(run.reports.len(), 3);
    let (sent, extra) = run.reports[2].clone();
    assert_eq!((sent, extra.number, extra.extra), (at(5.2), 1, true));
    assert_eq!(run.rates(), [60_000.0, 70_000.0, 70_000.0]);
    let told = run.events.iter().find(|event| event.is(FAST_DECREASE)).expect("it is told");
    assert_eq!((told.before, told.after, told.subject), (1e5, 6e4, crate::endpoint::EventSubject::Other(receiver(1))));
    assert!((told.details[0] - 0.1).abs() < 1e-9 && told.details[1] == f64::from(0.01_f32), "{told:?}");
    // The next one waits for a second to be over.
    run.run(5.5);
    run.hear(run.report_of(1, 30_000.0, 0.01));
    run.run(5.8);
    run.hear(run.report_of(3, 20_000.0, 0.01));
    assert_eq!((run.reports.len(), run.rates()[0]), (3, 60_000.0));
    run.run(6.2);
    assert_eq!((run.reports.len(), run.rates()[0], run.now), (4, 20_000.0, at(6.2)));
    run.run(9.5);
    run.hear(run.report_of(3, 10_000.0, 0.01));
    run.run(9.9);
    run.hear(run.report_of(3, 5000.0, 0.01));
    assert_eq!(run.reports.len(), 5);
    // One that was due is no longer when the round ends first, and rounds go on as they did.
    run.run(14.9);
    assert_eq!(run.reports.iter().map(|(_, report)| report.number).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 2]);
    assert_eq!((run.reports[5].0, run.rates()[0], run.gauge("extra_reports")), (at(10.0), 5000.0, 3.0));
    let mut without = Run::new(&Config { fast_decrease: false, ..Config::default() });
    without.hear(without.report_of(1, 5000.0, 0.5));
    assert_eq!(without.reports.len(), 1);
}

#[test]
fn at_the_least_rate_nobody_asks_for_less() {
    let mut run = Run::new(&Config { first_rate: Rate(100), ..Config::default() });
    assert_eq!(run.rates()[0], 4096.0);
    run.hear(run.report_of(1, 1.0, 0.9));
    assert_eq!((run.reports.len(), run.gauge("reports")), (1, 1.0));
}

#[test]
fn time_stamps_come_back_with_how_long_they_were_held() {
    let mut run = Run::new(&Config { echoes: Some(2), ..Config::default() });
    for n in 1..=5 {
        run.run(f64::from(n));
        run.report(n, 1e5);
    }
    let mut seen = Vec::new();
    for round in 1..=3 {
        run.run(5.0 * f64::from(round));
        seen.push(run.last().echoes.clone());
    }
    let echo = |n: u32, round: u32| Echo { receiver: n, stamp_us: 1_000_000 * n, hold_us: 1_000_000 * (5 * round - n) };
    // The fifth comes at the very time of the report, before it.
    assert_eq!(seen, [vec![echo(1, 1), echo(2, 1)], vec![echo(3, 2), echo(4, 2)], vec![echo(5, 3)]]);
}

#[test]
fn echoes_fill_the_budget_of_the_time_since_the_last_report() {
    // 1.25 % of 100 kbit/s in 5 s are 781 bytes; 28, 28 and 36 of them are taken, and 12 for each echo. An extra report
    // 1.2 s later has room for 187 bytes: 7 of those that still wait.
    let mut run = Run::new(&Config { session_bandwidth: Rate(100_000), ..Config::default() });
    run.run(1.0);
    for n in 1..=80 {
        run.hear(ReceiverReport { rtt_us: 0, ..run.report_of(n, 100_000.0, 0.0) });
    }
    run.run(5.0);
    assert_eq!(run.last().echoes.len(), 57);
    run.run(6.2);
    run.hear(run.report_of(90, 50_000.0, 0.1));
    assert!(run.last().extra);
    assert_eq!(run.last().echoes.len(), 7);
    // Those that are left wait until the next round, though they were not renewed.
    run.run(10.0);
    assert_eq!(run.last().echoes.len(), 80 - 57 - 7 + 1);
}

#[test]
fn who_has_heard_no_report_means_the_present_round() {
    let mut run = Run::new(&Config::default());
    run.run(400.5);
    let report = run.report_of(1, 60_000.0, 0.5);
    for (number, last_sr, counts) in [(0, middle(ntp(at(395.0))), 0.0), (1, 0, 0.0), (0, 0, 1.0)] {
        run.hear(ReceiverReport { number, last_sr, ..report });
        assert_eq!(run.gauge("reports"), counts, "{number} {last_sr}");
    }
    run.run(405.0);
    assert_eq!(run.rates()[0], 60_000.0);
}

#[test]
fn the_spread_of_reports_follows_the_largest_round_trip_time() {
    let mut run = Run::new(&Config::default());
    run.run(5.0);
    let (sent, sr) = run.reports[1].clone();
    let of = |run: &Run, n, rtt_s: f64, held_s: f64| ReceiverReport {
        last_sr: middle(sr.ntp),
        delay_since_sr: (65_536.0 * held_s) as u32,
        stamp_us: stamp_us(sent + Duration::from_secs_f64(rtt_s + held_s)),
        ..run.report_of(n, 1e5, 0.0)
    };
    run.run(5.0 + 0.54 + 1.0);
    run.hear(of(&run, 1, 0.54, 1.0));
    let heard = run.sender.reports.extremes().unwrap().least.1;
    assert!((heard.rtt_s.unwrap() - 0.54).abs() < 1e-4, "{heard:?}");
    run.run(5.0 + 1.6 + 0.5);
    run.hear(of(&run, 2, 1.6, 0.5));
    // Reports that were held for longer than they can have been, that name no report, or one to come.
    run.hear(of(&run, 3, 0.0, 3.0));
    run.hear(ReceiverReport { last_sr: 0, ..of(&run, 4, 1.0, 0.0) });
    run.hear(ReceiverReport { last_sr: middle(ntp(at(50.0))), ..of(&run, 5, 1.0, 0.0) });
    assert!((run.sender.reports.max_rtt_s() - 1.6).abs() < 1e-4);
    run.run(10.0);
    assert!(run.last().feedback_spread_us.abs_diff(3_200_000) <= 200, "{}", run.last().feedback_spread_us);
    // And an hour as the round-trip time spreads them over a round.
    run.hear(ReceiverReport { last_sr: 1, delay_since_sr: 0, ..run.report_of(6, 1e5, 0.0) });
    run.run(15.0);
    assert_eq!(run.last().feedback_spread_us, 5_000_000);
}

#[test]
fn the_line_bounds_the_source_whatever_the_parameters_say() {
    let rates = |line: Option<u64>, max: Option<u64>, first: u64| {
        let config = Config { max_rate: max.map(Rate), first_rate: Rate(first), ..Config::default() };
        let mut run = Run::idle(&config, line.map(Rate), 1);
        run.input(Instant::ZERO, Input::Start, None);
        let begins = sum(&run.rates());
        run.report(1, 1e5);
        run.report(2, 1e30);
        run.run(5.0);
        (begins, (sum(&run.rates()) + 0.5).floor())
    };
    assert_eq!(rates(Some(1_000_000), None, 20_000), (20_000.0, 1e6));
    assert_eq!(rates(Some(1_000_000), Some(300_000), 500_000), (300_000.0, 300_000.0));
    assert_eq!(rates(Some(1000), None, 20_000), (1000.0, 1000.0));
    assert_eq!(rates(None, None, 20_000).0, 20_000.0);
}
