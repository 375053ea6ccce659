//! Sources whose applications have little to send, given reports by hand: of a receiver that has losses and by the
//! equation wants much, though it has received little.

use super::{Config, DataLimited, FeedbackHeader, Header, Sender};
use crate::endpoint::{ENDLESS, Endpoint, Input, Outbox};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::rtt::stamp_us;
use crate::random::Random;
use crate::scheme::Seat;
use crate::smcc;
use crate::time::{Duration, Instant, Rate};

const SOURCE: Address = Address::endpoint(0);
/// What is received, bit/s.
const RECEIVED_BPS: f32 = 20_000.0;

/// What a source allows itself after `seconds` more, bit/s. Reports come each 100 ms, a round trip; the application has
/// a packet of 1000 B each 400 ms if there is one.
fn allowed_after<E: Endpoint>(
    source: &mut E,
    now: &mut Instant,
    seconds: u32,
    has_application: bool,
    report: impl Fn(&E, FeedbackHeader) -> (packet::Header, f64),
) -> f64 {
    let mut allowed_bps = 0.0;
    for tenth in 0..10 * seconds {
        allowed_bps = allowed_a_round_trip_later(source, now, has_application && tenth % 4 == 0, &report);
    }
    allowed_bps
}

/// And after a round trip, with a packet of the application or none.
fn allowed_a_round_trip_later<E: Endpoint>(
    source: &mut E,
    now: &mut Instant,
    has_packet: bool,
    report: impl Fn(&E, FeedbackHeader) -> (packet::Header, f64),
) -> f64 {
    let mut out = Outbox::new();
    *now += Duration::from_millis(100);
    while let Some(at) = source.deadline().filter(|at| at <= now) {
        source.handle(at, Input::Timeout, &mut out);
    }
    if has_packet {
        source.handle(*now, Input::Granted(1), &mut out);
    }
    let feedback = FeedbackHeader {
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: 0,
        echoed_stamp_us: stamp_us(*now - Duration::from_millis(100)),
        rate_bps: 1e6,
        rtt_s: 0.1,
        loss_event_rate: 0.001,
        receive_bps: RECEIVED_BPS,
        scale: 1.0,
    };
    let header = report(source, feedback).0;
    let packet = Packet {
        sent: *now,
        flow: FlowId(0),
        source: Address::endpoint(1),
        destination: SOURCE,
        size: 68,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header,
    };
    source.handle(*now, Input::packet(&packet, None, *now), &mut out);
    report(source, feedback).1
}

/// Losses while little is sent, worked out by hand: of 20 kbit/s received X may be 40. A loss leaves it the larger of
/// half of the set, 10, and 0.85 times 20; reports after that may raise it to 40 again.
fn check_losses<E: Endpoint>(mut source: E, report: impl Fn(&E, FeedbackHeader) -> (packet::Header, f64)) {
    let mut now = Instant::from_secs_f64(1.0);
    source.handle(now, Input::Start, &mut Outbox::new());
    source.handle(now, Input::Granted(0), &mut Outbox::new());
    let received_bps = f64::from(RECEIVED_BPS);
    assert_eq!(allowed_after(&mut source, &mut now, 60, true, &report), 2.0 * received_bps);
    for p in [0.002, 0.003] {
        let mut heard = |loss_event_rate: f32, has_packet: bool| {
            allowed_a_round_trip_later(&mut source, &mut now, has_packet, |source: &E, feedback| {
                report(source, FeedbackHeader { loss_event_rate, ..feedback })
            })
        };
        assert_eq!(heard(p, true), 0.85 * received_bps, "a loss: {p}");
        let later = (0..20).map(|_| heard(p, false)).fold(0.0, f64::max);
        assert_eq!(later, 2.0 * received_bps, "no further one: {p}");
    }
}

fn check<E: Endpoint>(
    mut source: E,
    data_limited: DataLimited,
    report: impl Fn(&E, FeedbackHeader) -> (packet::Header, f64) + Copy,
) {
    let mut now = Instant::from_secs_f64(1.0);
    source.handle(now, Input::Start, &mut Outbox::new());
    source.handle(now, Input::Granted(0), &mut Outbox::new());
    let most_bps = 2.0 * f64::from(RECEIVED_BPS);
    let short_bps = allowed_after(&mut source, &mut now, 60, true, report);
    match data_limited {
        DataLimited::Rfc5348 => assert!((0.9 * most_bps..=most_bps).contains(&short_bps), "{short_bps}"),
        // As if all were used: a packet of 8000 bit each 100 ms, R_max, in each 100 ms, up to 1 Mbit/s.
        DataLimited::Rfc4654 => return assert!(short_bps > 0.9e6, "{short_bps}"),
    }
    // What has just come to have much has not used it yet: five round trips. Then it is as others are.
    source.handle(now, Input::Granted(ENDLESS), &mut Outbox::new());
    assert_eq!(allowed_after(&mut source, &mut now, 0, false, report), 0.0);
    let much_bps = allowed_after(&mut source, &mut now, 30, false, report);
    assert!(much_bps > 0.9e6, "{much_bps}");
    // And nothing is taken from a rate that has been used.
    source.handle(now, Input::Granted(0), &mut Outbox::new());
    assert!(allowed_after(&mut source, &mut now, 10, true, report) >= much_bps);
}

#[test]
fn no_report_raises_the_rate_above_twice_what_was_received_unless_rfc_4654_is_taken_at_its_word() {
    for data_limited in [DataLimited::Rfc5348, DataLimited::Rfc4654] {
        let config = Config { data_limited, ..Config::default() };
        let report = |source: &Sender, feedback: FeedbackHeader| {
            let feedback = FeedbackHeader { round: source.round(), ..feedback };
            (Header::Feedback(feedback).into(), source.rate_bps())
        };
        let source = || Sender::new(&config, FlowId(0), SOURCE, Address::group(0));
        check(source(), data_limited, report);
        if data_limited == DataLimited::Rfc5348 {
            check_losses(source(), report);
        }
    }
}

#[test]
fn nor_does_it_that_of_a_layer() {
    for data_limited in [DataLimited::Rfc5348, DataLimited::Rfc4654] {
        let tfmcc = Config { data_limited, ..Config::default() };
        let config = smcc::Config { base_rate: Some(Rate(1_000_000)), layers: Some(2), tfmcc, ..Default::default() };
        let seat = || Seat {
            flow: FlowId(0),
            own: SOURCE,
            group: Address::group(0),
            members: 1,
            line_rate: None,
            random: Random::stream(1, "test/supply"),
        };
        let report = |source: &smcc::Sender, feedback: FeedbackHeader| {
            let feedback = FeedbackHeader { round: source.round(0), ..feedback };
            let header = smcc::Header::Feedback(smcc::FeedbackHeader { feedback, layer: 0, dropped: false });
            (header.into(), source.rate_bps(0))
        };
        check(smcc::Sender::new(&config, seat()), data_limited, report);
        if data_limited == DataLimited::Rfc5348 {
            check_losses(smcc::Sender::new(&config, seat()), report);
        }
    }
}
