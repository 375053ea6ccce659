//! What a receiver takes for one loss event by the parameter `loss_event_span`, with numbers by hand.

use super::super::receiver_tests::us;
use super::tests::data;
use super::*;
use crate::random::Random;
use crate::time::Duration;

/// 4 Mbit/s in packets of 1000 bytes.
const GAP_US: u64 = 2000;
/// R, as it is measured with the first packet.
const RTT_US: u64 = 70_000;
/// When the first packet is sent, by the receiver's clock.
const START_US: u64 = 1_000_000;
/// From this packet on the queue is full.
const FULL: u64 = 100;
/// What the queue makes a packet late by then.
const QUEUE_US: i64 = 10_000;

/// A receiver and the way to it, on which packets take 30 ms while no queue has grown.
struct Path {
    measurement: Measurement,
    space: SequenceSpace,
    start_us: u64,
    /// What the sender's clock is ahead of the receiver's.
    clock_us: i64,
    /// By how much longer packets take.
    queue_us: i64,
    /// What the sender's clock is ahead by since the queue is full.
    step_us: i64,
    /// Packets with which the round-trip time is measured, and what it is, microseconds.
    echoes: &'static [(u64, u64)],
    limiting: bool,
}

impl Path {
    fn new(config: &Config) -> Path {
        let measurement = Measurement::new(config);
        let space = SequenceSpace::default();
        let (start_us, queue_us, echoes) = (START_US, QUEUE_US, &[(0, RTT_US)]);
        Path { measurement, space, start_us, clock_us: 0, queue_us, step_us: 0, echoes, limiting: true }
    }

    /// When this packet comes, or would have.
    fn comes_us(&self, number: u64) -> u64 {
        let queue_us = if number >= FULL { self.queue_us } else { 0 };
        self.start_us + GAP_US * number + 30_000_u64.saturating_add_signed(queue_us)
    }

    /// This packet comes, at a time of its own.
    fn packet_at(&mut self, number: u64, now_us: u64, ecn: Ecn) {
        let (mut packet, mut header) = data(number as u32, 1.0);
        header.rate_bps = (8e9 / GAP_US as f64) as f32;
        let step_us = if number >= FULL { self.step_us } else { 0 };
        let sent_us = self.start_us + GAP_US * number;
        packet.sent = Instant(sent_us.wrapping_add_signed(self.clock_us + step_us) * 1000);
        let now = Instant(now_us * 1000);
        let taken = self.measurement.take(&mut self.space, now, &packet, &header, 1.0).expect("it is believed");
        let echo = self.echoes.iter().find(|(of, _)| *of == number);
        let own_stamp_us = echo.map(|&(_, rtt_us)| (now_us as u32).wrapping_sub(rtt_us as u32));
        self.measurement.measure_rtt(now, own_stamp_us, self.limiting);
        self.measurement.record(LossHistory::ONLY, &mut self.space, now, taken.sequence, ecn, None);
    }

    /// All up to before this one but those that are `lost` come.
    fn stream(&mut self, until: u64, lost: &[u64]) {
        self.stream_from(0, until, lost);
    }

    fn stream_from(&mut self, from: u64, until: u64, lost: &[u64]) {
        for number in (from..until).filter(|number| !lost.contains(number)) {
            self.packet_at(number, self.comes_us(number), Ecn::NotCapable);
        }
    }
}

fn by(loss_event_span: LossEventSpan) -> Config {
    Config { loss_event_span, ..Config::default() }
}

fn window() -> Path {
    Path::new(&by(LossEventSpan::Window))
}

/// How many packets behind a lost one the last is that belongs to its event, if it is lost, too.
fn reach(path: impl Fn() -> Path) -> u64 {
    let events = |second: u64| {
        let mut path = path();
        path.stream(second + 10, &[200, second]);
        path.measurement.loss_events()
    };
    let last = (201..400).rev().find(|&second| events(second) == 1).expect("the next one belongs to it");
    assert!((201..=last).all(|second| events(second) == 1) && events(last + 1) == 2);
    last - 200
}

/// R = 70 ms, R' = 80 ms, a gap of 2 ms: 86 ms, 43 packets. By section 5.2 it is R at the receiver that limits, 35
/// packets, and R' at others, 40. So two groups of losses 1.15 R apart, 80.5 ms, are one event.
#[test]
fn what_a_full_queue_drops_a_round_trip_later_belongs_to_the_same_event() {
    assert_eq!(reach(|| Path::new(&by(LossEventSpan::Rtt))), 35);
    assert_eq!(reach(|| Path { limiting: false, ..Path::new(&by(LossEventSpan::Rtt)) }), 40);
    assert_eq!(reach(window), 43);
    assert_eq!(reach(|| Path { limiting: false, ..window() }), 43);
    // A queue beyond what R' counts as: at the one that limits 146 ms, at others R' = 200 ms as by the letter.
    assert_eq!(reach(|| Path { queue_us: 130_000, ..window() }), 73);
    assert_eq!(reach(|| Path { queue_us: 130_000, limiting: false, ..window() }), 100);
    // While the queue is empty R' = R: 76 ms; while it is shorter than at the measurement it is R, too.
    assert_eq!(reach(|| Path { queue_us: 0, ..window() }), 38);
    assert_eq!(reach(|| Path { queue_us: -1_000, ..window() }), 38);
}

#[test]
fn that_does_not_enter_the_round_trip_time() {
    let [mut rtt, mut window] = [LossEventSpan::Rtt, LossEventSpan::Window].map(|span| Path::new(&by(span)));
    for path in [&mut rtt, &mut window] {
        path.stream(300, &[200, 240]);
        assert!((path.measurement.rtt_s() - 0.07).abs() < 1e-12);
        assert!((path.measurement.smoothed_rtt_s() - 0.07).abs() < 1e-12);
    }
    assert_eq!((rtt.measurement.loss_events(), window.measurement.loss_events()), (2, 1));
    assert!(window.measurement.loss_event_rate() < rtt.measurement.loss_event_rate());
}

/// 2.5 R = 175 ms. A way that is longer by 10 s counts as 2 R: 146 ms.
#[test]
fn two_overflows_are_two_events_however_long_packets_take() {
    for queue_us in [0, QUEUE_US, 70_000, 10_000_000] {
        let mut path = Path { queue_us, ..window() };
        path.stream(300, &[200, 288]);
        assert_eq!(path.measurement.loss_events(), 2, "{queue_us}");
    }
    assert_eq!(reach(|| Path { queue_us: 10_000_000, ..window() }), 73);
}

/// A clock that is set forward makes R' a millisecond: 70.25 ms. One that is set back by 10 s makes it 2 R.
#[test]
fn clocks_may_differ_wrap_and_be_set() {
    const WRAP_US: u64 = 1 << 32;
    for clock_us in [0, 10_000_000, 123_456_789_012, -900_000] {
        // The stamps of either end wrap before, between and behind the losses.
        for start_us in [START_US, WRAP_US - 100_000, WRAP_US - 460_000, WRAP_US - 520_000] {
            let starts = [start_us, start_us.saturating_add_signed(-clock_us).max(START_US)];
            for start_us in starts {
                assert_eq!(reach(|| Path { clock_us, start_us, ..window() }), 43, "{clock_us} {start_us}");
            }
        }
    }
    assert_eq!(reach(|| Path { step_us: 10_000_000, ..window() }), 35);
    assert_eq!(reach(|| Path { clock_us: 20_000_000, step_us: -10_000_000, ..window() }), 73);
}

/// R = 0.9·70 + 0.1·100 = 73 ms. Without stamps R' is the last measurement as it was, 100 ms, and an event lasts 106
/// ms; with them it is that and the queue that has grown since, 116 ms.
#[test]
fn without_stamps_the_last_measurement_counts() {
    let reach = |one_way_adjustment: OneWayAdjustment| {
        reach(|| {
            let config = Config { one_way_adjustment, ..by(LossEventSpan::Window) };
            Path { echoes: &[(0, RTT_US), (90, 100_000)], ..Path::new(&config) }
        })
    };
    assert_eq!([OneWayAdjustment::Off, OneWayAdjustment::Others, OneWayAdjustment::All].map(reach), [53, 58, 58]);
}

/// What the count of a packet is above its number.
fn first_count(path: &Path) -> u64 {
    path.space.count_of(0).expect("there was a first")
}

/// R_max = 500 ms, of which the queue takes 10 ms: 245 packets from 10 on, whatever the gap. With the measurement, 70
/// ms as of that moment, an event lasts 76 ms: 48 is within that of 10, and 87 is not.
#[test]
fn before_the_first_measurement_r_max_counts_alone() {
    for (last, events) in [(255, 1), (256, 2)] {
        let mut path = Path { echoes: &[(270, RTT_US)], ..window() };
        path.stream(270, &[10, 48, 87, last]);
        assert_eq!(path.measurement.loss.current().count(), events, "{last}");
        path.stream_from(270, 271, &[]);
        assert_eq!(path.measurement.loss.current().count(), 3, "{last}");
    }
}

#[test]
fn an_outage_is_what_is_longer_than_an_event() {
    let events = |outages: Outages, lost: &[u64]| {
        let mut path = Path::new(&Config { outages, ..by(LossEventSpan::Window) });
        path.stream(400, lost);
        (path.measurement.loss_events(), path.measurement.loss.last() - first_count(&path))
    };
    // 44 in a row are as many as belong to the event of the first of them, 43 behind it.
    let row = |lost: u64| -> Vec<u64> { (200..200 + lost).collect() };
    assert_eq!((events(Outages::OneEvent, &row(44)), events(Outages::PerRtt, &row(44))), ((1, 200), (1, 200)));
    assert_eq!((events(Outages::OneEvent, &row(45)), events(Outages::PerRtt, &row(45))), ((1, 200), (2, 244)));
    assert_eq!((events(Outages::OneEvent, &row(100)), events(Outages::PerRtt, &row(100))), ((1, 200), (3, 288)));
    // What is lost behind its end is another event, unless the row is no outage, and lasts on.
    let with = |lost: u64, other: u64| -> Vec<u64> { row(lost).into_iter().chain([other]).collect() };
    assert_eq!(events(Outages::OneEvent, &with(100, 301)), (2, 301));
    assert_eq!(
        (events(Outages::OneEvent, &with(20, 243)), events(Outages::OneEvent, &with(20, 244))),
        ((1, 200), (2, 244))
    );
}

/// 100 packets are lost, and the next one waits for 5 s more: nominally they would have come each 51.5 ms. It counts as
/// 2 R, 146 ms with the gaps: three of them make an event, 34 events, if it is not taken for an outage.
#[test]
fn what_has_waited_for_the_end_of_an_outage_makes_no_event_as_long() {
    for (outages, events) in [(Outages::PerRtt, 34), (Outages::OneEvent, 1)] {
        let mut path = Path::new(&Config { outages, ..by(LossEventSpan::Window) });
        path.stream(200, &[]);
        for number in 300..310 {
            path.packet_at(number, path.comes_us(number) + 5_000_000, Ecn::NotCapable);
        }
        assert_eq!(path.measurement.loss_events(), events);
    }
}

/// A mark lasts R', 80 ms; a loss as ever. A loss in the event of a mark, and a mark in that of a loss.
#[test]
fn marks_begin_shorter_events() {
    let events = |marks: &[u64], lost: &[u64]| {
        let mut path = window();
        for number in (0..400).filter(|number| !lost.contains(number)) {
            let ecn = if marks.contains(&number) { Ecn::Moderate } else { Ecn::Capable };
            path.packet_at(number, path.comes_us(number), ecn);
        }
        path.measurement.loss_events()
    };
    assert_eq!((events(&[200, 240], &[]), events(&[200, 241], &[])), (1, 2));
    assert_eq!((events(&[200], &[240]), events(&[200], &[241])), (1, 2));
    assert_eq!((events(&[243], &[200]), events(&[244], &[200])), (1, 2));
    // What a marked packet reveals is known with its ACK.
    assert_eq!((events(&[201], &[200, 240]), events(&[201], &[200, 241])), (1, 2));
}

#[test]
fn a_late_packet_leaves_what_the_others_began() {
    let mut path = window();
    path.stream(300, &[200, 230, 245]);
    let (count, first) = (|path: &Path| path.measurement.loss.current().count(), first_count(&path));
    assert_eq!((count(&path), path.measurement.loss.last() - first), (2, 245), "245 is 45 packets behind 200");
    path.packet_at(200, path.comes_us(301), Ecn::NotCapable);
    assert_eq!((count(&path), path.measurement.loss.last() - first), (1, 230), "and 15 behind 230");
    path.packet_at(230, path.comes_us(302), Ecn::NotCapable);
    assert_eq!((count(&path), path.measurement.loss.last() - first), (1, 245));
    path.packet_at(245, path.comes_us(303), Ecn::NotCapable);
    assert_eq!(count(&path), 0);
}

#[test]
fn what_is_overdue_begins_an_event_as_long() {
    for (second, events) in [(243, 1), (244, 2)] {
        let mut path = window();
        path.stream(200, &[]);
        let now = Instant(path.comes_us(200) * 1000 + 2_000_000);
        // Nothing has come behind 200: it counts as lost at the half of the time since then.
        let until = first_count(&path) + 201;
        let recorded = path.measurement.overdue(LossHistory::ONLY, &mut path.space, until, now, None);
        assert!(matches!(recorded, Recorded::LossEvent(_)));
        path.stream_from(201, 300, &[second]);
        assert_eq!(path.measurement.loss_events(), events, "{second}");
    }
}

/// A tenth of the packets come, at `per_rtt` of them per R = 100 ms, without a queue: the mean of p by either rule.
fn heavy_loss(per_rtt: f64) -> [f64; 2] {
    let gap_s = 0.1 / per_rtt;
    [LossEventSpan::Rtt, LossEventSpan::Window].map(|span| {
        let mut random = Random::stream(1, "test/heavy loss");
        let (mut measurement, mut space) = (Measurement::new(&by(span)), SequenceSpace::default());
        let (mut sum, mut came) = (0.0, 0);
        for number in 0..60_000_u32 {
            if number > 0 && random.chance(0.9) {
                continue;
            }
            let now = Instant::ZERO + Duration::from_secs_f64(1.0 + gap_s * f64::from(number));
            let (mut packet, mut header) = data(number, 1.0);
            header.rate_bps = (8000.0 / gap_s) as f32;
            packet.sent = now - Duration::from_millis(20);
            let taken = measurement.take(&mut space, now, &packet, &header, 1.0).expect("it is believed");
            measurement.measure_rtt(now, (came % 10 == 0).then(|| stamp_us(now).wrapping_sub(us(0.1))), true);
            measurement.record(LossHistory::ONLY, &mut space, now, taken.sequence, packet.ecn, None);
            if came > 100 {
                sum += measurement.loss_event_rate();
            }
            came += 1;
        }
        sum / f64::from(came - 101)
    })
}

/// With m packets per R an event has ⌊m⌋ + 1 of them by section 5.2, and ⌊1.25 m⌋ + 1 with twelve or fewer; the next
/// one that is lost is 1/0.9 - 1 behind them in the mean. With less than one p is the same to the last bit; that it is
/// 0.77 then is what section 5.5 makes of intervals of a packet or two. At worst, with 1.6 to 2 packets, it is 0.68 of
/// the letter's.
#[test]
fn at_heavy_loss_p_is_that_of_the_letter_with_less_than_a_packet_per_round_trip() {
    for per_rtt in [0.1, 0.5, 0.79, 0.81, 0.99] {
        let [rtt, window] = heavy_loss(per_rtt);
        assert_eq!(rtt, window, "{per_rtt}");
        assert!((0.7..0.9).contains(&window), "{per_rtt}: {window}");
    }
    let expected = |per_event: f64| 1.0 / (per_event + 1.0 / 0.9 - 1.0);
    for (per_rtt, per_event, per_window) in
        [(1.5, 2.0, 2.0), (1.7, 2.0, 3.0), (2.5, 3.0, 4.0), (4.5, 5.0, 6.0), (10.1, 11.0, 13.0), (50.1, 51.0, 54.0)]
    {
        let [rtt, window] = heavy_loss(per_rtt);
        let (by_letter, by_window) = (expected(per_event), expected(per_window));
        assert!((rtt / by_letter - 1.0).abs() < 0.05, "{per_rtt}: {rtt}, not {by_letter}");
        assert!((window / by_window - 1.0).abs() < 0.05, "{per_rtt}: {window}, not {by_window}");
    }
}
