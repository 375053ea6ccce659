//! What a receiver measures, without its reports.

use super::super::header;
use super::super::receiver_tests::{GROUP, SENDER, at, us};
use super::super::wording::{Plain, Wording};
use super::*;
use crate::packet::{FlowId, INITIAL_TTL};

/// A data packet that took 20 ms: X = 160 kbit/s, R_max = 500 ms.
pub(in crate::tfmcc) fn data(sequence: u32, now_s: f64) -> (Packet, DataHeader) {
    let data = DataHeader {
        starting: false,
        at_once: false,
        sequence,
        suppression_bps: f32::INFINITY,
        rate_bps: 160_000.0,
        max_rtt_us: 500_000,
        round: 0,
        echo: None,
    };
    let packet = Packet {
        sent: at(now_s - 0.02),
        flow: FlowId(0),
        source: SENDER,
        destination: GROUP,
        size: 1000,
        ttl: INITIAL_TTL,
        ecn: Ecn::Capable,
        header: header::Header::Data(data).into(),
    };
    assert_eq!(Plain::read_data(&packet.header), Some((data, 1.0)));
    (packet, data)
}

/// A receiver of several groups.
struct Measured {
    measurement: Measurement,
    spaces: Vec<SequenceSpace>,
}

impl Measured {
    fn new(config: &Config, groups: usize) -> Measured {
        Measured { measurement: Measurement::new(config), spaces: vec![SequenceSpace::default(); groups] }
    }

    /// A packet in a group; the round trip, if it echoes the receiver's stamp.
    fn arrive(&mut self, group: usize, sequence: u32, now_s: f64, rtt_s: Option<f64>) -> Option<Recorded> {
        let (packet, data) = data(sequence, now_s);
        let space = &mut self.spaces[group];
        let taken = self.measurement.take(space, at(now_s), &packet, &data, 1.0)?;
        let own_stamp_us = rtt_s.map(|rtt_s| us(now_s).wrapping_sub(us(rtt_s)));
        self.measurement.measure_rtt(at(now_s), own_stamp_us, false);
        Some(self.measurement.record(Space(group as u16), space, at(now_s), taken.sequence, packet.ecn, None))
    }
}

/// Every 10 ms a packet, in two groups by turns, 100/s together. R = 100 ms is measured with the 100th.
#[test]
fn receive_rate_and_losses_are_those_of_all_groups() {
    let mut both = Measured::new(&Config { discounting: false, ..Config::default() }, 2);
    let arrive = |both: &mut Measured, n: u32| {
        let rtt_s = (n == 99).then_some(0.1);
        // Numbers from 7 in one group and across the wrap in the other.
        let sequence = [7, u32::MAX - 100][n as usize % 2].wrapping_add(n / 2);
        both.arrive(n as usize % 2, sequence, 1.0 + 0.01 * f64::from(n), rtt_s).expect("it is believed")
    };
    for n in 0..400 {
        assert_eq!(arrive(&mut both, n), Recorded::Packet);
    }
    let now = at(1.0 + 3.99);
    assert!((both.measurement.receive_bps(now) - 800e3).abs() < 1.0, "{}", both.measurement.receive_bps(now));
    assert!((both.measurement.desired_bps(now) - 1.6e6).abs() < 2.0, "twice that without a loss");
    assert_eq!(both.measurement.measured_rtt_s(), Some(both.measurement.rtt_s()));
    assert!((both.measurement.rtt_s() - 0.1).abs() < 1e-9);
    // Two losses, 90 packets apart, one in each group: what is missing shows in its own group 20 ms later.
    let mut events = Vec::new();
    for n in (400..700).filter(|n| ![410, 501].contains(n)) {
        if let Recorded::LossEvent(Cause::Loss { .. }) = arrive(&mut both, n) {
            events.push(n);
        }
    }
    assert_eq!(events, [416, 507], "with the third packet of its group");
    assert_eq!(both.measurement.loss_events(), 2);
    // The lost one is numbered when the next of its group has come, one later: 92 - 1 packets between the two. The open
    // interval: 700 - 501 - 1. The seed: 9 or 10 packets in a round-trip time, of which one is missing; (10 - 1.5)²/1.5
    // at least.
    let (closed, open) = (91.0, 198.0);
    let p = [66.7, 48.1].map(|seed| 3.0 / (open + closed + seed));
    let loss_event_rate = both.measurement.loss_event_rate();
    assert!((p[0]..p[1]).contains(&loss_event_rate), "{loss_event_rate}, not in {p:?}");
    let now = at(1.0 + 6.99);
    let expected_bps = throughput_bps(1000.0, 0.1, loss_event_rate);
    assert!((both.measurement.desired_bps(now) / expected_bps - 1.0).abs() < 1e-6);
}

#[test]
fn a_packet_whose_number_is_not_believed_says_nothing() {
    let mut alone = Measured::new(&Config::default(), 1);
    alone.arrive(0, 10, 1.0, None);
    let before = format!("{:?}", alone.measurement);
    assert_eq!(alone.arrive(0, 1_000_000, 1.1, Some(0.3)), None);
    assert_eq!(format!("{:?}", alone.measurement), before);
    assert_eq!(alone.arrive(0, 11, 1.2, None), Some(Recorded::Packet));
    assert_eq!(alone.arrive(0, 11, 1.3, None), Some(Recorded::Duplicate));
    assert_eq!((alone.measurement.last_at(), alone.measurement.sending_bps()), (at(1.3), 160_000.0));
    assert_eq!(alone.measurement.held_stamp_us(at(1.35)), us(1.28 + 0.05));
}

#[test]
fn who_leaves_a_group_has_no_losses_in_it() {
    let losses = |leaves: bool| {
        let mut both = Measured::new(&Config::default(), 2);
        for n in (0..100).filter(|&n| n != 5) {
            both.arrive(0, n, 1.0 + 0.01 * f64::from(n), None);
            if n < 62 {
                both.arrive(1, n, 1.005 + 0.01 * f64::from(n), None);
            }
            if n == 61 && leaves {
                both.measurement.leave(Space(1));
                both.spaces[1] = SequenceSpace::default();
            }
            // It comes back far ahead.
            if n >= 80 {
                both.arrive(1, 500 + n, 1.005 + 0.01 * f64::from(n), None);
            }
        }
        both.measurement.loss_events()
    };
    // An event lasts R_max = 500 ms from 1.05 s on. What is missing from 62 to 579, from 1.61 s on, is the next one, if
    // it is expected.
    assert_eq!((losses(true), losses(false)), (1, 2));
}
