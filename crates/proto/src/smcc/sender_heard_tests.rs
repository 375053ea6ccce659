//! What a source alone makes known of what it hears, and what ACKs do to its packets.

use super::*;
use crate::testing::gauge;

/// A session of one layer, controlled by a window.
fn windowed() -> Config {
    serde_json::from_str(r#"{"join": "direct", "control": "pgmcc", "layers": 1}"#).unwrap()
}

impl Run {
    /// An ACK of receiver 1 at `now_s`, its round trip 64 ms: it has got packet `highest`, and those before it by the
    /// bits of `bitmap`.
    fn acknowledge(&mut self, now_s: f64, highest: u32, bitmap: u32) {
        self.run(now_s);
        let echoed_stamp_us = stamp_us(at(now_s)).wrapping_sub(64_000);
        let header = Header::Ack(AckHeader { echoed_stamp_us, highest, bitmap, layer: 0 }).into();
        let packet = Packet { header, source: receiver(1), destination: SOURCE, size: 50, ..self.sender.template };
        self.input(at(now_s), Input::packet(&packet, None, at(now_s)));
    }

    /// When packets were sent, and their numbers.
    fn numbers(&self) -> Vec<(Instant, u32)> {
        let of = |packet: &Packet| data(packet).map(|(_, data)| (packet.sent, data.data.sequence));
        self.packets.iter().filter_map(of).collect()
    }
}

#[test]
fn reports_and_acks_count_with_their_bytes() {
    let mut run = Run::new(&windowed());
    (0..3).for_each(|n| run.report(2.0 + 0.01 * f64::from(n), 1, 0, 5e5));
    let report = run.sender.report();
    assert_eq!((report.received_pkts, report.received_bytes), (3, 3 * 40));
    (0..2).for_each(|n| run.acknowledge(2.1 + 0.01 * f64::from(n), 1, 1));
    let report = run.sender.report();
    assert_eq!((report.received_bytes, gauge(&run.sender, "acks")), (3 * 40 + 2 * 50, 2.0));
}

#[test]
fn a_report_that_limits_is_shown_with_what_its_rate_follows_from_and_another_is_not() {
    // The receiver's round-trip time is 50 ms by its own word; measured at the source it is 64 ms, and what was
    // computed with R_max for want of a measurement is made right by that. Before a loss there is no p.
    fn says(header: &mut FeedbackHeader, have_rtt: bool, have_loss: bool) {
        header.feedback = tfmcc::FeedbackHeader { have_rtt, have_loss, rtt_s: 0.05, ..header.feedback };
    }
    type Case = (fn(&mut FeedbackHeader), f64, f64);
    let cases: [Case; 4] = [
        (|header| says(header, true, true), 0.05, 0.01),
        (|header| says(header, false, true), 0.064, 0.01),
        (|header| says(header, true, false), 0.05, 0.0),
        (|header| says(header, false, false), 0.05, 0.0),
    ];
    for (as_said, rtt_s, loss_event_rate) in cases {
        let mut run = Run::new(&direct());
        run.report_as(2.0, 1, 1, 1.05e6, as_said);
        let shown: Vec<_> = run.events.iter().filter(|(_, event)| event.is(REPORT)).collect();
        let [(_, event)] = shown[..] else { panic!("{shown:?}") };
        assert_eq!((event.subject, event.layer), (EventSubject::Other(receiver(1)), Some(1)));
        let expected = [1.05e6, rtt_s, loss_event_rate, 1.0];
        let is_near = |(shown, expected): (&f64, f64)| (shown - expected).abs() <= 1e-6 * expected;
        assert!(event.details.iter().zip(expected).all(is_near), "{:?}, {expected:?}", event.details);
        run.events.clear();
        run.report(2.2, 2, 1, 1.9e6);
        assert!(!run.events.iter().any(|(_, event)| event.is(REPORT)), "who wants more does not limit");
    }
}

#[test]
fn a_session_that_starts_again_does_not_go_on_towards_a_rate_from_before_its_end() {
    let mut run = Run::new(&direct());
    // In slow start, towards 32 kbit/s within a round-trip time.
    run.report_as(2.0, 1, 0, 9e5, |header| header.feedback.have_loss = false);
    run.input(at(2.001), Input::Stop);
    run.input(at(30.0), Input::Start);
    run.run(30.2);
    assert_eq!(run.rates()[0], 16e3, "a packet per R_max");
}

#[test]
fn an_ack_opens_the_window_and_brings_the_next_packet_forward() {
    let mut run = Run::new(&windowed());
    // A window of one packet per 64 ms.
    run.report(2.0, 1, 0, 5e5);
    run.run(2.5);
    let (sent, number) = *run.numbers().last().unwrap();
    assert_eq!(run.sender.deadline(), Some(sent + Duration::from_millis(64)));
    run.packets.clear();
    // Two: half of the gap, of which half is over.
    run.acknowledge(sent.as_secs_f64() + 0.016, number, 1);
    assert!((run.rates()[0] - 250e3).abs() < 1.0, "{:?}", run.rates());
    run.run(sent.as_secs_f64() + 0.063);
    let next = run.numbers()[0].0;
    assert!((next.since(sent).as_secs_f64() - 0.032).abs() < 1e-6, "{next:?}");
}

#[test]
fn what_acks_do_to_the_rate_is_told() {
    let mut run = Run::new(&windowed());
    run.report(2.0, 1, 0, 5e5);
    run.run(2.1);
    let mut now_s = 2.1;
    let mut acknowledge_next = |run: &mut Run, bitmap: u32, skip: usize| {
        run.packets.clear();
        while run.numbers().len() <= skip {
            now_s += 0.001;
            run.run(now_s);
        }
        let number = run.numbers()[skip].1;
        run.acknowledge(now_s, number, bitmap);
        number
    };
    let first = acknowledge_next(&mut run, 1, 0);
    run.events.clear();
    assert_eq!(acknowledge_next(&mut run, 1, 0), first + 1);
    let changes = |run: &Run, kind| -> Vec<(f64, f64)> {
        run.events.iter().filter(|(_, e)| e.is(kind)).map(|(_, e)| (e.before, e.after)).collect()
    };
    // From two packets to three per 64 ms.
    let [(before, after)] = changes(&run, RATE)[..] else { panic!("{:?}", run.events) };
    assert!((before - 250e3).abs() < 1.0 && (after - 375e3).abs() < 1.0, "{before} {after}");
    assert_eq!(changes(&run, LOSS_REDUCTION), []);
    // One is missing, and three after it come.
    (0..2).for_each(|_| _ = acknowledge_next(&mut run, 1, 0));
    run.events.clear();
    let after_hole = acknowledge_next(&mut run, 1, 1);
    acknowledge_next(&mut run, 0b11, 0);
    let before = run.sender.rate_bps(0);
    acknowledge_next(&mut run, 0b111, 0);
    let reductions: Vec<_> = run.events.iter().filter(|(_, event)| event.is(LOSS_REDUCTION)).collect();
    let [(_, reduction)] = reductions[..] else { panic!("{reductions:?}") };
    assert_eq!(reduction.cause, Cause::Loss { sequence: u64::from(after_hole) - 1 });
    assert_eq!(reduction.subject, EventSubject::Other(receiver(1)));
    assert!((reduction.before / reduction.after - 2.0).abs() < 1e-3, "{reduction:?}");
    assert!((before / run.sender.rate_bps(0) - 2.0).abs() < 0.05, "{before} {:?}", run.rates());
}
