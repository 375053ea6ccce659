//! A report that lies, once or every half a minute: how soon the session is back. The members are honest, the report
//! comes from nowhere.

use super::{Config, FeedbackHeader, Profile, Sender};
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::rtt::stamp_us;
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::tfmcc;
use crate::time::{Duration, Instant, Rate};

const LINK_BPS: f64 = 2e6;
/// The liar, which nobody knows.
const LIAR: Address = Address::endpoint(9);

/// What a lie says: X_r, bit/s, and how old the stamp is that it returns beyond the way of 24 ms.
#[derive(Clone, Copy)]
struct Lie {
    rate_bps: f32,
    late: Duration,
}

const NOTHING: Lie = Lie { rate_bps: 0.0, late: Duration::ZERO };
const OLD: Lie = Lie { rate_bps: 1e9, late: Duration::from_secs(60) };

impl Lie {
    fn report(self, now: Instant, round: u8) -> FeedbackHeader {
        let stamp = Instant(now.0.saturating_sub(self.late.0 + Duration::from_millis(24).0));
        FeedbackHeader {
            have_rtt: true,
            have_loss: true,
            leave: false,
            round,
            echoed_stamp_us: stamp_us(stamp),
            rate_bps: self.rate_bps,
            rtt_s: 0.024,
            loss_event_rate: 0.5,
            receive_bps: 1e6,
            scale: 1.0,
        }
    }
}

/// What reaches two members behind 2 Mbit/s and a queue of 50 packets, 24 ms there and back, in each second, bit/s.
fn received<S: Scheme>(
    scheme: &S,
    lies: &[(f64, Lie)],
    until_s: u32,
    header: impl Fn(&S::Sender, FeedbackHeader) -> crate::packet::Header,
    round: impl Fn(&S::Sender) -> u8,
) -> Vec<f64> {
    let seat = |own, name: &str| {
        let random = Random::stream(1, name);
        Seat { flow: FlowId(0), own, group: GROUP, members: 2, line_rate: Some(Rate(100_000_000)), random }
    };
    let members =
        [1, 2].map(|n| (scheme.receiver(seat(Address::endpoint(n), "test/member")), Duration::from_millis(12)));
    // A packet is queued once for all.
    let (mut free, mut last) = (Instant::ZERO, (Instant::ZERO, Fate::Deliver));
    let network = move |from: Who, _to: Who, packet: &Packet| {
        if from != Who::Sender {
            return Fate::Deliver;
        }
        if packet.sent != last.0 {
            let service = Duration::from_secs_f64(8.0 * f64::from(packet.size) / LINK_BPS);
            let wait = free.max(packet.sent).since(packet.sent);
            let full = wait.0 > 50 * service.0;
            if !full {
                free = free.max(packet.sent) + service;
            }
            last = (packet.sent, if full { Fate::Lose } else { Fate::Late(wait) });
        }
        last.1
    };
    let mut group = Group::new(scheme.sender(seat(SOURCE, "test/source")), members.into(), network);
    group.start_all();
    let (mut bytes, mut lies) = (0, lies.iter().peekable());
    (1..=until_s)
        .map(|second| {
            while let Some(&(when_s, lie)) = lies.next_if(|lie| lie.0 < f64::from(second)) {
                let now = Instant::from_secs_f64(when_s);
                group.run_until(now);
                let report = lie.report(now, round(&group.source));
                let packet = Packet {
                    sent: now,
                    flow: FlowId(0),
                    source: LIAR,
                    destination: SOURCE,
                    size: 40,
                    ttl: INITIAL_TTL,
                    ecn: Ecn::NotCapable,
                    header: header(&group.source, report),
                };
                group.hand(Who::Sender, &packet);
            }
            group.run_until(Instant::from_secs_f64(f64::from(second)));
            let before = std::mem::replace(&mut bytes, group.counts[1].handed_bytes);
            8.0 * (bytes - before) as f64
        })
        .collect()
}

fn by_tfmcc(config: &Config, lies: &[(f64, Lie)], until_s: u32) -> Vec<f64> {
    received(config, lies, until_s, |_, report| tfmcc::Header::Feedback(report).into(), Sender::round)
}

/// Seconds after `since` until the rate is half of the mean of the 40 s before again, for five seconds.
fn back_s(rates: &[f64], since: usize) -> usize {
    let half = 0.5 * rates[since - 40..since].iter().sum::<f64>() / 40.0;
    let mean = |from: usize| rates[from..from + 5].iter().sum::<f64>() / 5.0;
    (since..rates.len() - 5)
        .find(|&second| mean(second) >= half && rates[second] >= 0.5 * half)
        .map_or(999, |s| s - since)
}

#[test]
fn after_one_report_of_nothing_half_of_the_rate_is_back_within_a_minute() {
    let rates = by_tfmcc(&Config::default(), &[(100.0, NOTHING)], 170);
    assert!(rates[105..110].iter().all(|&rate| rate < 2e4), "it brings the rate down: {:?}", &rates[100..110]);
    assert!(back_s(&rates, 100) <= 60, "{}", back_s(&rates, 100));
    let rates = by_tfmcc(&Config::of(Profile::Rfc4654), &[(100.0, NOTHING)], 400);
    assert!(back_s(&rates, 100) > 240, "by the letter it takes minutes: {}", back_s(&rates, 100));
}

#[test]
fn a_report_of_nothing_every_half_a_minute_does_not_hold_the_session_down_for_good() {
    let lies: Vec<_> = (0..8).map(|n| (100.0 + 30.0 * f64::from(n), NOTHING)).collect();
    let rates = by_tfmcc(&Config::default(), &lies, 340);
    for lie in (100..340).step_by(30) {
        let best = rates[lie..lie + 30].iter().copied().fold(0.0, f64::max);
        assert!(best > 0.5 * LINK_BPS, "{best} after the lie at {lie} s");
    }
}

#[test]
fn a_stamp_that_is_a_minute_old_costs_nothing() {
    let rates = by_tfmcc(&Config::default(), &[(100.0, OLD)], 200);
    assert!(rates[100..].iter().all(|&rate| rate > 0.9 * LINK_BPS), "{rates:?}");
}
