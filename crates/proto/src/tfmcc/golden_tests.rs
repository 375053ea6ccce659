//! The twins in plain Python, `reference/tfmcc_sender.py` and `reference/tfmcc_receiver.py`, say the same to the same
//! reports and packets.

use super::config::Config;
use super::feedback::Feedback;
use super::header::{DataHeader, Echo};
use super::rate_control::RateControl;
use super::receiver::Receiver;
use super::receiver_tests::{GROUP, OWN, SENDER, packet};
use super::suppression::delay_rounds;
use crate::endpoint::{Endpoint, Input, Outbox};
use crate::packet::{Address, Ecn, FlowId, Header};
use crate::random::Random;
use crate::time::Instant;
use serde::Deserialize;

fn at(seconds: f64) -> Instant {
    Instant((seconds * 1e9).round() as u64)
}

fn near(ours: f64, twin: f64, what: &str) {
    assert!((ours / twin - 1.0).abs() < 1e-6, "{what}: {ours}, not {twin}");
}

/// When it comes, who sent it, X_r, the round-trip time, have_RTT, have_loss, leave and fb_nr.
type Report = (f64, u32, f64, f64, bool, bool, bool, u64);

/// X before a report, and X, R_max, X_supp, the CLR and the round after it.
type State = (f64, f64, f64, Option<f64>, u32, u64);

#[derive(Deserialize)]
struct Reports {
    config: Config,
    reports: Vec<Report>,
    states: Vec<State>,
    /// Another session.
    #[serde(rename = "reports of leaving")]
    reports_of_leaving: Vec<Report>,
    #[serde(rename = "states of leaving")]
    states_of_leaving: Vec<State>,
}

#[test]
fn the_plain_sender_does_the_same() {
    let golden: Reports =
        serde_json::from_str(include_str!("../../../../tests/golden/tfmcc_sender.json")).expect("golden");
    assert_eq!(golden.config.check(), []);
    hear_all(&golden.config, &golden.reports, &golden.states);
    hear_all(&golden.config, &golden.reports_of_leaving, &golden.states_of_leaving);
}

fn hear_all(config: &Config, reports: &[Report], states: &[State]) {
    assert!(!reports.is_empty());
    assert_eq!(reports.len(), states.len());
    let mut control = RateControl::new(config);
    control.begin(Instant::ZERO);
    for (n, (&report, &state)) in reports.iter().zip(states).enumerate() {
        let (t, who, rate_bps, rtt_s, have_rtt, have_loss, leave, round) = report;
        let now = at(t);
        while control.deadline() <= now {
            let due = control.deadline();
            control.advance(due);
            control.pass(due);
        }
        control.advance(now);
        let (x_before, x, r_max, x_supp, clr, round_after) = state;
        let what = format!("report {n} at {t} s");
        near(control.rate_bps(), x_before, &format!("X before {what}"));
        let (receiver, round) = (Address::endpoint(who), round as u8);
        let feedback = Feedback {
            delayed: false,
            receiver,
            rate_bps,
            rtt_s,
            used_rtt_s: rtt_s,
            have_rtt,
            have_loss,
            leave,
            round,
        };
        control.hear(now, &feedback).expect("it says something");
        control.pass(now);
        near(control.rate_bps(), x, &format!("X after {what}"));
        near(control.max_rtt_s(), r_max, &format!("R_max after {what}"));
        match x_supp {
            Some(x_supp) => near(control.suppression_bps(), x_supp, &format!("X_supp after {what}")),
            None => assert!(control.suppression_bps().is_infinite(), "X_supp after {what}"),
        }
        assert_eq!(control.clr().map_or(0, |clr| clr.index() as u32), clr, "the CLR after {what}");
        assert_eq!(u64::from(control.round()), round_after % 256, "the round after {what}");
    }
}

/// When it comes, the sender's stamp, number, R_max, whether it is marked, whether it echoes (2: as the CLR's), and
/// which stamp.
type Data = (u64, u64, u32, f64, bool, u8, u64);

/// What a receiver gets.
#[derive(Deserialize)]
struct Stream {
    packets: Vec<Data>,
    /// R, p and X_r after each.
    states: Vec<(Option<f64>, f64, f64)>,
}

#[derive(Deserialize)]
struct Packets {
    config: Config,
    /// X, bit/s.
    x: f32,
    #[serde(flatten)]
    stream: Stream,
    /// Other receivers.
    #[serde(rename = "first losses")]
    first_losses: Vec<Stream>,
    /// Draws, and the delays by them, in rounds.
    timers: Vec<(f64, f64)>,
}

fn packets() -> Packets {
    serde_json::from_str(include_str!("../../../../tests/golden/tfmcc_receiver.json")).expect("golden")
}

#[test]
fn the_plain_receiver_measures_the_same() {
    let Packets { config, x, stream, first_losses, .. } = packets();
    assert_eq!(config.check(), []);
    assert!(!first_losses.is_empty());
    for stream in [stream].iter().chain(&first_losses) {
        measure(&config, x, stream);
    }
}

fn measure(config: &Config, x: f32, Stream { packets, states }: &Stream) {
    assert!(!packets.is_empty());
    assert_eq!(packets.len(), states.len());
    let mut receiver = Receiver::new(config, FlowId(0), OWN, GROUP, Random::stream(1, "unused"));
    let mut out = Outbox::new();
    receiver.handle(Instant::ZERO, Input::Start, &mut out);
    for (n, (&sent, &state)) in packets.iter().zip(states).enumerate() {
        let (t_us, sent_us, sequence, max_rtt_s, marked, echo, stamp_us) = sent;
        let now = Instant(1000 * t_us);
        let data = DataHeader {
            starting: false,
            at_once: false,
            round: 0,
            sequence,
            suppression_bps: f32::INFINITY,
            rate_bps: x,
            max_rtt_us: (max_rtt_s * 1e6) as u32,
            echo: (echo > 0).then_some(Echo { receiver: OWN, stamp_us: stamp_us as u32, is_clr: echo == 2 }),
        };
        let mut packet = packet(SENDER, sent_us as f64 * 1e-6, Header::Tfmcc(super::Header::Data(data)));
        packet.sent = Instant(1000 * sent_us);
        packet.ecn = if marked { Ecn::Moderate } else { Ecn::Capable };
        while let Some(due) = receiver.deadline().filter(|&due| due < now) {
            receiver.handle(due, Input::Timeout, &mut out);
        }
        receiver.handle(now, Input::packet(&packet, None, now), &mut out);
        let (rtt_s, p, desired_bps) = state;
        let what = format!("packet {n}, {sequence}, at {t_us} us");
        if let Some(rtt_s) = rtt_s {
            near(receiver.rtt_s(), rtt_s, &format!("R after {what}"));
        }
        match p {
            0.0 => assert_eq!(receiver.loss_event_rate(), 0.0, "p after {what}"),
            p => near(receiver.loss_event_rate(), p, &format!("p after {what}")),
        }
        near(receiver.report().rate_bps, desired_bps, &format!("X_r after {what}"));
    }
}

#[test]
fn the_plain_timers_wait_as_long() {
    let Packets { config, timers, .. } = packets();
    assert!(!timers.is_empty());
    for (draw, rounds) in timers {
        let ours = delay_rounds(draw, config.max_receivers, config.timer_bias, 1.0);
        assert!((ours - rounds).abs() < 1e-9, "{draw}: {ours}, not {rounds}");
    }
}
