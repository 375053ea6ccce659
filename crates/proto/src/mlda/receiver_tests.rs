//! A receiver by itself, given packets by hand.

use super::super::rtcp::{Echo, LayerLine};
use super::*;
use crate::endpoint::{Action, LAYER_ADDED, LAYER_DROPPED};
use crate::mlda::config::ReportsTo;
use crate::testing::gauge;
use crate::time::{Duration, Rate};

#[path = "receiver_hard_tests.rs"]
mod hard;
#[path = "receiver_odd_tests.rs"]
mod odd;

const SOURCE: Address = Address::endpoint(0);
const OWN: Address = Address::endpoint(1);
/// Not the first group of all.
const FIRST_GROUP: u32 = 40;

/// A receiver, its source's clock of stamps, and what it does.
struct Bench {
    receiver: Receiver,
    now: Instant,
    ssrc: u32,
    /// By how much the source's clock of stamps is ahead, microseconds.
    clock_us: u32,
    sequences: [u16; 3],
    done: Vec<Action>,
}

impl Bench {
    fn new(config: &Config, members: u32) -> Bench {
        let config = Config { bottleneck: config.bottleneck.or(Some(Rate(300_000))), ..config.clone() };
        let seat = Seat {
            flow: FlowId(3),
            own: OWN,
            group: Address::group(FIRST_GROUP),
            members,
            line_rate: None,
            random: Random::stream(1, "test/mlda"),
        };
        let mut bench = Bench {
            receiver: Receiver::new(&config, seat),
            now: Instant::from_secs_f64(1000.0),
            ssrc: 77,
            clock_us: 4_000_000_000,
            sequences: [65_000; 3],
            done: Vec::new(),
        };
        bench.input(Input::Start);
        bench
    }

    fn input(&mut self, input: Input<'_>) {
        let mut out = Outbox::new();
        self.receiver.handle(self.now, input, &mut out);
        self.done.extend(out.drain());
        assert!(self.receiver.deadline().is_none_or(|at| at >= self.now));
    }

    /// Lets time pass, with time-outs.
    fn pass(&mut self, seconds: f64) {
        let end = self.now + Duration::from_secs_f64(seconds);
        while let Some(at) = self.receiver.deadline().filter(|&at| at <= end) {
            self.now = at;
            self.input(Input::Timeout);
        }
        self.now = end;
    }

    fn stamp(&self) -> u32 {
        stamp_us(self.now).wrapping_add(self.clock_us)
    }

    fn packet(&self, source: Address, destination: Address, header: Header, size: u16) -> Packet {
        let (sent, flow, ttl, ecn) = (self.now, FlowId(3), INITIAL_TTL, Ecn::NotCapable);
        Packet { sent, flow, source, destination, size, ttl, ecn, header: header.into() }
    }

    /// The next packet of a layer comes, or does not.
    fn data(&mut self, layer: usize, comes: bool) {
        let sequence = self.sequences[layer];
        self.sequences[layer] = sequence.wrapping_add(1);
        let header = DataHeader { sequence, timestamp: self.stamp(), ssrc: self.ssrc, probe: false };
        let group = Address::group(FIRST_GROUP + layer as u32);
        let packet = self.packet(SOURCE, group, Header::Data(header), 512);
        if comes {
            self.input(Input::packet(&packet, None, self.now));
        }
    }

    /// So many packets of each layer that is held in so many seconds, of which `lost` of each do not come.
    fn stretch(&mut self, seconds: f64, packets: u32, lost: u32) {
        for n in 0..packets {
            self.pass(seconds / f64::from(packets));
            for layer in 0..self.receiver.level() {
                self.data(layer, n == 0 || n > lost);
            }
        }
    }

    fn report(&self, number: u16, rates_kbps: [f32; 3]) -> SenderReport {
        let line = |rate_kbps| LayerLine { rate_bps: 1e3 * rate_kbps, first_sequence: 0 };
        SenderReport {
            ssrc: self.ssrc,
            number,
            extra: false,
            ntp: 0xaaaa_1234_5678_bbbb,
            rtp_timestamp: self.stamp(),
            packets: 0,
            octets: 0,
            feedback_spread_us: 2_500_000,
            layers: rates_kbps.map(line).to_vec(),
            echoes: Vec::new(),
        }
    }

    fn hear(&mut self, report: &SenderReport) {
        let header = Header::SenderReport { number: report.number };
        let packet = self.packet(SOURCE, Address::group(FIRST_GROUP), header, 100);
        let control = report.encode().into();
        self.input(Input::packet(&packet, Some(&control), self.now));
    }

    fn round(&mut self, number: u16, rates_kbps: [f32; 3]) {
        self.hear(&self.report(number, rates_kbps));
    }

    /// The same with an echo: the round-trip time is 40 ms.
    fn echo(&mut self, number: u16, rates_kbps: [f32; 3]) {
        let stamp_us = stamp_us(self.now).wrapping_sub(40_000);
        let echoes = vec![Echo { receiver: OWN.to_bits(), stamp_us, hold_us: 0 }];
        self.hear(&SenderReport { echoes, ..self.report(number, rates_kbps) });
    }

    /// What another receiver says.
    fn overhear(&mut self, number: u16, rate_bps: f32) {
        let report = ReceiverReport { ssrc: 9, source: self.ssrc, number, rate_bps, ..some_report() };
        let from = Address::endpoint(9);
        let group = Address::group(FIRST_GROUP + 3);
        let packet = self.packet(from, group, Header::ReceiverReport { number }, 52);
        let control = report.encode().into();
        self.input(Input::packet(&packet, Some(&control), self.now));
    }

    fn take(&mut self) -> Vec<Action> {
        core::mem::take(&mut self.done)
    }

    /// What it has reported since it was last asked, and where to.
    fn reports(&mut self) -> Vec<(Packet, ReceiverReport)> {
        let read = |action: Action| match action {
            Action::SendControl(packet, control) => match Octets::read(Some(&control)) {
                Ok(Message::ReceiverReport(report)) => Some((packet, report)),
                _ => None,
            },
            _ => None,
        };
        self.take().into_iter().filter_map(read).collect()
    }

    fn share(&self) -> f64 {
        self.receiver.share_bps().expect("a report of the source has come")
    }
}

fn some_report() -> ReceiverReport {
    ReceiverReport {
        ssrc: 9,
        source: 77,
        number: 0,
        rate_bps: 0.0,
        loss: 0.0,
        rtt_us: 0,
        stamp_us: 0,
        fraction_lost: 0,
        cumulative_lost: 0,
        highest_sequence: 0,
        jitter: 0,
        last_sr: 0,
        delay_since_sr: 0,
    }
}

fn close(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-3, "{value}, not {expected}");
}

#[test]
fn it_begins_with_the_base_layer_and_goes_with_a_bye() {
    let mut bench = Bench::new(&Config::default(), 2);
    let group = |number| Address::group(FIRST_GROUP + number);
    let joins: Vec<Address> = bench
        .take()
        .into_iter()
        .filter_map(|action| if let Action::Join(group) = action { Some(group) } else { None })
        .collect();
    assert_eq!(joins, [group(0), group(3)], "the base layer, and where receivers report");
    bench.stretch(1.0, 10, 0);
    bench.take();
    bench.input(Input::Stop);
    let done = bench.take();
    let Action::SendControl(packet, control) = &done[0] else { panic!("{done:?}") };
    assert_eq!((packet.destination, packet.source, packet.size), (group(3), OWN, 44));
    assert_eq!(Octets::read(Some(control)), Ok(Message::Bye(Bye { ssrc: OWN.to_bits() })));
    assert!(matches!(done[1..], [Action::Leave(first), Action::Event(_), Action::Leave(last)]
        if first == group(0) && last == group(3)));
    assert_eq!(bench.receiver.deadline(), None);
    // A receiver that has heard nothing of the source has nobody to tell.
    let mut bench = Bench::new(&Config { reports_to: ReportsTo::Sender, ..Config::default() }, 2);
    bench.take();
    bench.input(Input::Stop);
    assert!(matches!(bench.take()[..], [Action::Leave(_), Action::Event(_)]));
}

#[test]
fn a_report_says_what_was_measured() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 50, 0);
    bench.round(7, [20.0, 300.0, 300.0]);
    // 50 packets of 4096 bit less the first, in 4.9 s.
    close(bench.share(), 49.0 * 4096.0 / 4.9);
    bench.take();
    bench.pass(2.5);
    let [(packet, report)] = bench.reports()[..] else { panic!("one report") };
    assert_eq!((packet.size, packet.destination), (80, Address::group(FIRST_GROUP + 3)));
    assert_eq!((report.ssrc, report.source, report.number), (1, 77, 7));
    assert_eq!((report.loss, report.rtt_us, report.fraction_lost, report.cumulative_lost), (0.0, 0, 0, 0));
    assert_eq!((report.highest_sequence, report.last_sr), (65_049, 0x1234_5678));
    close(f64::from(report.rate_bps), bench.share());
    let waited_s = packet.sent.since(bench.now - Duration::from_secs_f64(2.5)).as_secs_f64();
    assert!((0.0..=2.5).contains(&waited_s));
    assert!((f64::from(report.delay_since_sr) / 65_536.0 - waited_s).abs() < 1e-4);
    assert_eq!(report.stamp_us, stamp_us(packet.sent));
    // Ten of 51 are lost, and the numbers wrap: 65 100 + 451 is beyond 2^16.
    bench.stretch(4.0, 450, 10);
    bench.pass(1.0);
    bench.round(8, [20.0, 300.0, 300.0]);
    bench.pass(2.5);
    let [(_, report)] = bench.reports()[..] else { panic!("one report") };
    assert_eq!((report.number, report.cumulative_lost, report.fraction_lost), (8, 10, (256 * 10 / 450) as u8));
    assert_eq!(report.highest_sequence, 65_499);
    assert!((report.loss - 10.0 / 450.0).abs() < 1e-6, "what came before the first report is answered");
    bench.stretch(4.0, 100, 0);
    bench.round(9, [20.0, 300.0, 300.0]);
    bench.pass(2.5);
    assert_eq!(bench.reports()[0].1.highest_sequence, (1 << 16) + 63, "one cycle");
}

#[test]
fn reports_go_to_the_source_alone_if_so_configured() {
    let mut bench = Bench::new(&Config { reports_to: ReportsTo::Sender, ..Config::default() }, 2);
    bench.stretch(5.0, 50, 0);
    bench.round(7, [20.0, 300.0, 300.0]);
    bench.pass(2.5);
    assert_eq!(bench.reports()[0].0.destination, SOURCE);
}

#[test]
fn it_goes_up_one_level_per_report_and_down_at_once() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    // Some 184 kbit/s: room for all three.
    bench.round(1, [50.0, 50.0, 50.0]);
    assert_eq!(bench.receiver.level(), 2);
    bench.stretch(5.0, 100, 0);
    bench.round(2, [50.0, 50.0, 50.0]);
    assert_eq!(bench.receiver.level(), 3);
    bench.stretch(5.0, 100, 0);
    // Only the base fits, by the rates of that report.
    bench.round(3, [250.0, 100.0, 100.0]);
    assert_eq!(bench.receiver.level(), 1);
    let events: Vec<Event> = bench
        .take()
        .into_iter()
        .filter_map(|action| if let Action::Event(event) = action { Some(event) } else { None })
        .collect();
    let moves: Vec<(bool, Option<u8>, Cause)> = events
        .iter()
        .filter(|event| event.is(LAYER_ADDED) || event.is(LAYER_DROPPED))
        .map(|event| (event.is(LAYER_ADDED), event.layer, event.cause))
        .collect();
    let at = |sequence| Cause::Packet { sequence };
    assert_eq!(
        moves,
        [
            (true, Some(0), Cause::Time),
            (true, Some(1), at(1)),
            (true, Some(2), at(2)),
            (false, Some(2), at(3)),
            (false, Some(1), at(3))
        ]
    );
    let shares: Vec<&Event> = events.iter().filter(|event| event.is(SHARE)).collect();
    assert_eq!(shares.len(), 3);
    assert!(shares[0].before.is_nan() && shares[1].before == shares[0].after);
}

#[test]
fn an_extra_report_lowers_and_does_nothing_else() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0, 50.0, 50.0]);
    bench.pass(3.0);
    bench.stretch(1.0, 50, 0);
    bench.take();
    let (share_bps, running) = (bench.share(), *bench.receiver.session.as_mut().unwrap().loss.running());
    // Room for all three: it stays at two.
    bench.hear(&SenderReport { extra: true, ..bench.report(1, [20.0, 20.0, 20.0]) });
    assert_eq!((bench.receiver.level(), bench.share()), (2, share_bps));
    assert!(bench.take().is_empty());
    bench.pass(0.5);
    bench.hear(&SenderReport { extra: true, ..bench.report(1, [150.0, 100.0, 100.0]) });
    assert_eq!((bench.receiver.level(), bench.share()), (1, share_bps));
    assert_eq!(*bench.receiver.session.as_mut().unwrap().loss.running(), running, "no interval has ended");
    bench.pass(0.4);
    assert!(bench.reports().is_empty(), "and no report is asked for");
    assert_eq!(gauge(&bench.receiver, "joins"), 2.0);
}

#[test]
fn an_extra_report_before_the_first_is_no_beginning() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(1.0, 50, 0);
    bench.hear(&SenderReport { extra: true, ..bench.report(4, [20.0, 300.0, 300.0]) });
    assert_eq!((bench.receiver.share_bps(), bench.receiver.level()), (None, 1));
    bench.stretch(1.0, 50, 0);
    bench.round(5, [20.0, 300.0, 300.0]);
    close(bench.share(), 99.0 * 4096.0 / 1.98);
}

#[test]
fn a_join_that_costs_a_tenth_is_taken_back_at_once() {
    for (loss_limit, level) in [(0.1, 1), (1.0, 2)] {
        let mut bench = Bench::new(&Config { loss_limit, ..Config::default() }, 2);
        bench.stretch(5.0, 220, 0);
        bench.round(1, [50.0, 50.0, 50.0]);
        assert_eq!(bench.receiver.level(), 2);
        // Three of the first 14.
        bench.stretch(1.0, 2, 0);
        bench.data(0, false);
        bench.data(1, false);
        bench.data(0, false);
        bench.stretch(0.5, 3, 0);
        assert_eq!(bench.receiver.level(), 2, "too few to tell");
        bench.stretch(0.1, 1, 0);
        bench.data(0, false);
        bench.stretch(0.1, 1, 0);
        assert_eq!(bench.receiver.level(), level);
        assert_eq!(gauge(&bench.receiver, "joins_revoked"), f64::from(u8::from(level == 1)));
        // From the next report on it may try again, and then it is no longer on trial for the loss of before.
        bench.stretch(5.0, 220, 0);
        bench.round(2, [20.0, 10.0, 10.0]);
        assert_eq!(bench.receiver.level(), level + 1);
    }
}

#[test]
fn loss_without_a_join_takes_nothing_back() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0, 50.0, 250.0]);
    bench.stretch(5.0, 100, 0);
    bench.round(2, [50.0, 50.0, 250.0]);
    assert_eq!(bench.receiver.level(), 2);
    bench.stretch(4.0, 100, 30);
    assert_eq!((bench.receiver.level(), gauge(&bench.receiver, "joins_revoked")), (2, 0.0));
}

#[test]
fn who_cannot_stand_the_base_layer_says_so_at_once() {
    let after_loss = |config: &Config, members, lost, base_kbps| {
        let mut bench = Bench::new(config, members);
        bench.stretch(5.0, 220, 0);
        bench.round(1, [180.0, 300.0, 300.0]);
        bench.pass(2.5);
        bench.stretch(2.5, 220, lost);
        bench.take();
        bench.round(2, [base_kbps, 300.0, 300.0]);
        bench.reports().len()
    };
    let config = Config::default();
    assert_eq!(after_loss(&config, 10, 20, 180.0), 1);
    assert_eq!(after_loss(&config, 10, 20, 20.0), 0, "its share is more than the base layer");
    assert_eq!(after_loss(&config, 10, 0, 500.0), 0, "nothing was lost");
    assert_eq!(after_loss(&config, 11, 20, 180.0), 0, "in a large group timers are spread all the same");
    assert_eq!(after_loss(&Config { fast_decrease: false, ..config }, 10, 20, 180.0), 0);
}

#[test]
fn similar_reports_of_this_round_make_its_own_needless() {
    let suppressed = |number, rates: &[f64]| {
        let mut bench = Bench::new(&Config::default(), 2);
        bench.stretch(5.0, 50, 0);
        bench.echo(7, [20.0, 300.0, 300.0]);
        let share_bps = bench.share();
        rates.iter().for_each(|factor| bench.overhear(number, (factor * share_bps) as f32));
        bench.pass(2.5);
        let reports = bench.reports().len();
        assert_eq!(gauge(&bench.receiver, "reports_suppressed"), 1.0 - reports as f64);
        reports == 0
    };
    assert!(suppressed(7, &[0.95, 1.05]));
    assert!(!suppressed(6, &[0.95, 1.05]), "of another round");
    assert!(!suppressed(7, &[1.05]) && !suppressed(7, &[0.95]), "the least and the largest report");
    assert!(!suppressed(7, &[f64::NAN, f64::INFINITY]));
}

#[test]
fn a_report_of_the_source_that_is_lost_makes_the_interval_longer() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 50, 0);
    bench.round(1, [40.0, 300.0, 300.0]);
    bench.stretch(10.0, 100, 0);
    let before_bps = bench.share();
    bench.round(3, [40.0, 300.0, 300.0]);
    // T = 10 s, tau = 0.5 s: the third increase is 4096·21, and A1 = (2 - r/R)·10 is the least.
    close(bench.share() - before_bps, (2.0 - before_bps / 300e3) * 10e3);
    assert_eq!(gauge(&bench.receiver, "reports_missed"), 0.0);
}

#[test]
fn for_want_of_reports_it_goes_down_by_itself_and_says_so() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0, 50.0, 50.0]);
    let share_bps = bench.share();
    bench.pass(2.5);
    bench.take();
    // Without loss for 15 s: it stays, though it would grow by a report.
    bench.stretch(12.0, 480, 0);
    assert_eq!((bench.share(), bench.receiver.level()), (share_bps, 2));
    bench.stretch(1.0, 40, 0);
    assert_eq!(gauge(&bench.receiver, "reports_missed"), 1.0);
    assert_eq!((bench.share(), bench.receiver.level()), (share_bps, 2));
    bench.stretch(2.5, 40, 0);
    let [(_, report)] = bench.reports()[..] else { panic!("it reports once") };
    // The source is in round 4 by then.
    assert_eq!(report.number, 3);
    // A third is lost, again and again.
    (0..10).for_each(|_| bench.stretch(6.0, 300, 100));
    assert_eq!(bench.receiver.level(), 1);
    assert!(bench.share() < 0.5 * share_bps, "{}", bench.share());
    assert!(bench.reports().len() >= 4);
    // Reports come again, and it grows when the window is past the losses.
    let share_bps = bench.share();
    (15..30).for_each(|number| {
        bench.round(number, [20.0, 300.0, 300.0]);
        bench.stretch(5.0, 100, 0);
    });
    assert!(bench.share() > 1.5 * share_bps);
}

#[test]
fn in_an_outage_of_everything_it_holds_still_and_says_nothing() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 220, 0);
    bench.round(1, [50.0, 50.0, 50.0]);
    bench.pass(2.5);
    bench.take();
    let share_bps = bench.share();
    bench.pass(600.0);
    assert_eq!((bench.share(), bench.receiver.level(), bench.reports().len()), (share_bps, 2, 0));
    // It comes back, and 2000 packets of the base layer are missing; of the other none had come before.
    bench.sequences = bench.sequences.map(|sequence| sequence.wrapping_add(2000));
    bench.stretch(3.0, 150, 0);
    bench.round(121, [50.0, 50.0, 50.0]);
    // What came before the first report of the source is answered.
    close(gauge(&bench.receiver, "loss"), 2000.0 / (2000.0 + 2.0 * 150.0));
    assert!(bench.share() < 0.2 * share_bps, "{}", bench.share());
    assert_eq!(bench.receiver.level(), 1);
}

#[test]
fn the_round_trip_time_goes_into_the_share_and_the_report() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(5.0, 50, 0);
    bench.round(1, [40.0, 300.0, 300.0]);
    bench.pass(2.5);
    let (packet, report) = bench.reports()[0];
    bench.stretch(2.5, 50, 0);
    // Held from 270 ms after it left to 270 ms before this report comes.
    let hold_us = (bench.now.since(packet.sent).0 / 1000) as u32 - 540_000;
    let mut sr = bench.report(2, [40.0, 300.0, 300.0]);
    sr.rtp_timestamp = sr.rtp_timestamp.wrapping_sub(270_000);
    sr.echoes = vec![Echo { receiver: OWN.to_bits(), stamp_us: report.stamp_us, hold_us }];
    bench.hear(&sr);
    assert!((bench.receiver.rtt_s().unwrap() - 0.54).abs() < 1e-5);
    bench.pass(2.5);
    assert!((540_000 - 2..540_000 + 2).contains(&bench.reports()[0].1.rtt_us));
}

#[test]
fn a_session_of_one_layer_never_leaves_it() {
    let mut bench = Bench::new(&Config { layers: 1, ..Config::default() }, 2);
    for number in 0..20 {
        bench.stretch(5.0, 100, 30);
        let base_kbps = bench.receiver.share_bps().map_or(500.0, |share_bps| share_bps as f32 / 1e3);
        let mut sr = bench.report(number, [base_kbps, 0.0, 0.0]);
        sr.layers.truncate(1);
        bench.hear(&sr);
        assert_eq!(bench.receiver.level(), 1);
    }
    assert!(bench.share() < 30e3, "{}", bench.share());
}

#[test]
fn a_late_joiner_begins_with_what_comes_since() {
    let mut bench = Bench::new(&Config::default(), 2);
    bench.pass(1000.0);
    bench.stretch(2.0, 100, 0);
    bench.round(300, [200.0, 300.0, 300.0]);
    close(bench.share(), 99.0 * 4096.0 / 1.98);
    // Just before a report there is not enough to tell a rate.
    let mut bench = Bench::new(&Config::default(), 2);
    bench.stretch(0.02, 2, 0);
    bench.round(300, [200.0, 300.0, 300.0]);
    close(bench.share(), 2.0 * 4096.0 / 0.5);
}

#[test]
fn what_revokes_a_join_is_named_by_its_number_and_layer() {
    // Four more of the first fifteen are missing, the last of them on either layer; their numbers differ.
    for last in [0, 1] {
        let mut bench = Bench::new(&Config::default(), 2);
        bench.sequences = [65_300, 7, 0];
        bench.stretch(5.0, 220, 0);
        bench.round(1, [50.0, 50.0, 50.0]);
        bench.stretch(1.0, 4, 0);
        bench.data(0, false);
        bench.stretch(0.1, 1, 0);
        assert_eq!(bench.receiver.level(), 2, "one of 11");
        bench.take();
        let missing = bench.sequences[last];
        bench.data(last, false);
        bench.data(last, true);
        assert_eq!(
            (bench.receiver.level(), missing == [65_305_u16.wrapping_add(221), 12][last]),
            (1, true),
            "{missing}"
        );
        let events = bench.take().into_iter().filter_map(|action| match action {
            Action::Event(event) => Some(event),
            _ => None,
        });
        let cause = Cause::Loss { sequence: missing.into() };
        let told: Vec<_> =
            events.map(|event| (event.kind, event.before, event.after, event.layer, event.cause)).collect();
        let expected = [(JOIN_REVOKED, 2.0, 1.0, Some(last as u8), cause), (LAYER_DROPPED, 2.0, 1.0, Some(1), cause)];
        assert_eq!(told, expected);
    }
}
