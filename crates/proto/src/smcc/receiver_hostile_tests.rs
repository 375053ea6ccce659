//! Members with the real source over networks that do what they should not, with members that lie, and what comes of it
//! afterwards.

use super::*;
use crate::group_set::GroupSet;
use crate::packet::{Ecn, INITIAL_TTL};
use crate::parts::rtt::stamp_us;
use crate::quantity::Bytes;
use crate::smcc::{FeedbackHeader, Join};
use crate::testing::inputs;
use std::cell::RefCell;
use std::rc::Rc;

/// What the way to and from a member does.
#[derive(Clone, Copy, Debug, Default)]
struct TestPath {
    loss: f64,
    loss_back: f64,
    /// Longer than at first by this, and by a random part of the other, seconds.
    extra_s: f64,
    jitter_s: f64,
    twice: f64,
}

type Ways = Rc<RefCell<Vec<TestPath>>>;

fn over(ways: &Ways, seed: u64) -> impl FnMut(Who, Who, &Packet) -> Fate + use<> {
    let (ways, mut random) = (Rc::clone(ways), Random::stream(seed, "test/ways"));
    move |from, to, _| {
        let (Who::Receiver(n), is_back) = (if to == Who::Sender { from } else { to }, to == Who::Sender) else {
            return Fate::Deliver;
        };
        let way = ways.borrow()[n];
        if random.chance(if is_back { way.loss_back } else { way.loss }) {
            return Fate::Lose;
        }
        if random.chance(way.twice) {
            return Fate::Twice;
        }
        Fate::Late(Duration::from_secs_f64(way.extra_s + random.uniform() * way.jitter_s))
    }
}

/// Parameters of every kind, odd ones among them; rates are low, so that there are few packets.
fn settings() -> Vec<Config> {
    let of = |kbps: u64, layers: u32, growth: f64, bytes: u64| Config {
        base_rate: Some(Rate(1000 * kbps)),
        layers: Some(layers),
        growth: Some(growth),
        tfmcc: tfmcc::Config { packet_size: Bytes(bytes), ..tfmcc::Config::default() },
        ..Config::default()
    };
    let recent = tfmcc::Config { max_rtt: tfmcc::MaxRttRule::Recent, ecn: true, ..tfmcc::Config::default() };
    vec![
        of(50, 4, 2.0, 1000),
        of(100, 20, 1.01, 100),
        of(2, 2, 100.0, 100),
        of(200, 3, 2.0, 9000),
        of(100, 1, 2.0, 1000),
        Config { rtts: [33_300, 133_200].map(Duration::from_micros).to_vec(), phases: 2, ..of(60, 3, 1.7, 500) },
        Config { join: Join::Direct, ..of(50, 3, 2.0, 1000) },
        Config {
            bounds: Some([50, 60, 300].map(|kbps| Rate(1000 * kbps)).to_vec()),
            tfmcc: recent,
            ..Config::default()
        },
    ]
}

/// What always holds.
fn check<N: FnMut(Who, Who, &Packet) -> Fate>(group: &Group<Sender, Receiver, N>, bounds: &Layers, what: &str) {
    for layer in 0..bounds.count() {
        let rate_bps = group.source.rate_bps(layer);
        let floor_bps = bounds.floor_bps(layer);
        assert!((floor_bps..=bounds.bound_bps(layer)).contains(&rate_bps), "{what}: T_{layer} is {rate_bps}");
    }
    for (n, member) in group.members.iter().enumerate() {
        let joined = group.counts[n + 1].joined;
        let held = joined & GroupSet::all(bounds.count() as u32);
        assert_eq!(held, GroupSet::all(member.layers.len() as u32), "{what}: member {n}");
        assert_eq!(joined.len() - held.len(), member.climbed.len() as u32, "{what}: member {n}");
        assert!(member.climbed.is_empty() || member.is_climbing(), "{what}: member {n}");
        assert!(!member.target_bps().is_nan() || member.distinct_pkts == 0, "{what}: member {n}");
    }
}

/// A report of somebody who is not there, or holds nothing of the like.
fn lie(random: &mut Random, now: Instant, layers: usize) -> Packet {
    let mut below = |n: usize| (random.uniform() * n as f64) as usize;
    let odd = [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30, 1e3, 1e5];
    let feedback = tfmcc::FeedbackHeader {
        have_rtt: below(2) == 0,
        have_loss: below(2) == 0,
        leave: below(4) == 0,
        round: below(256) as u8,
        echoed_stamp_us: stamp_us(now).wrapping_sub([0, 30_000, 3_000_000, u32::MAX][below(4)]),
        rate_bps: odd[below(7)],
        rtt_s: odd[below(7)],
        loss_event_rate: odd[below(7)],
        receive_bps: odd[below(7)],
        scale: odd[below(7)],
    };
    let header = FeedbackHeader { feedback, layer: below(layers + 1) as u8, dropped: below(2) == 0 };
    Packet {
        sent: now,
        flow: FlowId(0),
        source: Address::endpoint(1 + below(5) as u32),
        destination: Who::Sender.address(),
        size: 40,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header: Header::Feedback(header).into(),
    }
}

/// Half a minute of losses in both directions up to all, ways ten times as long, packets that overtake others and come
/// twice, members and a source that come and go, and lies. Then all is well, and everybody gets everything in time.
#[test]
fn whatever_happens_all_is_well_afterwards() {
    for (number, config) in settings().into_iter().enumerate() {
        for seed in 0..inputs(8, 8) as u64 {
            let what = format!("setting {number}, seed {seed}");
            let ways: Ways = Rc::new(RefCell::new(vec![TestPath::default(); 3]));
            let mut group = session(&config, &[10, 20, 60], over(&ways, seed));
            let (mut random, bounds) = (Random::stream(seed, "test/hostile"), config.layer_bounds());
            group.start_all();
            for step in 1..60 {
                let mut draw = |from: &[f64]| from[(random.uniform() * from.len() as f64) as usize];
                if step % 8 == 0 {
                    ways.borrow_mut().iter_mut().for_each(|way| {
                        *way = TestPath {
                            loss: draw(&[0.0, 0.0, 0.02, 0.3, 0.9]),
                            loss_back: draw(&[0.0, 0.5, 1.0]),
                            extra_s: draw(&[0.0, 0.0, 0.4]),
                            jitter_s: draw(&[0.0, 0.05]),
                            twice: draw(&[0.0, 0.3]),
                        };
                    });
                }
                group.run_until(at(0.5 * f64::from(step)));
                check(&group, &bounds, &what);
                let who = Who::Receiver(draw(&[0.0, 1.0, 2.0]) as usize);
                match draw(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) as u32 {
                    0 => group.stop(who),
                    1 => group.start(who),
                    2 => (0..5).for_each(|_| group.hand(Who::Sender, &lie(&mut random, group.now(), bounds.count()))),
                    3 if step % 3 == 0 => {
                        group.stop(Who::Sender);
                        group.run_until(group.now() + Duration::from_millis(300));
                        group.start(Who::Sender);
                    }
                    _ => {}
                }
            }
            *ways.borrow_mut() = vec![TestPath::default(); 3];
            (0..3).for_each(|n| group.start(Who::Receiver(n)));
            // The slowest settings send some packets in a second, and a history is of hundreds.
            let is_well = |group: &Group<Sender, Receiver, _>| {
                let full = group.source.rate_bps(bounds.top()) > 0.95 * bounds.bound_bps(bounds.top());
                full && group.members.iter().all(|member| member.level() == bounds.top())
            };
            for step in 0..60 {
                group.run_until(at(31.0 + 10.0 * f64::from(step)));
                check(&group, &bounds, &what);
                if is_well(&group) {
                    break;
                }
            }
            let levels: Vec<usize> = group.members.iter().map(Receiver::level).collect();
            let rates: Vec<f64> = (0..bounds.count()).map(|layer| group.source.rate_bps(layer)).collect();
            assert!(is_well(&group), "{what}: {levels:?}, {rates:?}");
        }
    }
}
