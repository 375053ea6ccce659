//! What every scheme must stand: random members on random networks, packets from anywhere.

use super::*;
use crate::group_set::{GroupSet, MAX_GROUPS};
use crate::omcc::population::{self, configured, estimated, registration};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, MembershipMessage, Packet, SackBlock, TfmccEcho};
use crate::random::{Random, fnv1a};
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, Who};
use crate::time::Duration;
use crate::{omcc, source, tfmcc};

pub(super) const MEMBERS: usize = 5;
/// Bounds those settings that say nothing.
pub(super) const LINE_RATE: Rate = Rate(2_654_321);
/// How long an endpoint that was stopped may still have something to do: a round of six times the longest R_max that
/// there is without lies, 8 s.
const LAST_WORDS: Duration = Duration::from_secs(60);

/// Every scheme with its default parameters, and settings that meet different parts of the machines. All are bounded:
/// a network without losses bounds nobody.
pub(super) fn settings() -> Vec<SchemeConfig> {
    let cbr = source::cbr::Config { rate: Rate(300_000), ..Default::default() };
    let tfmcc = tfmcc::Config { max_rate: Some(Rate(2_000_000)), ..Default::default() };
    let omcc = omcc::Config { tfmcc: tfmcc.clone(), ..Default::default() };
    let registration = registration::Config { refresh: Duration::from_secs(2), missed: 2 };
    let estimated = estimated::Config { rounds: 4, ..Default::default() };
    let mut settings: Vec<SchemeConfig> = vec![
        SchemeConfig::Cbr(cbr),
        SchemeConfig::Tfmcc(tfmcc.clone()),
        SchemeConfig::Tfmcc(tfmcc::Config {
            ecn: true,
            quantise: true,
            discounting: false,
            initial_max_rtt: Duration::from_millis(100),
            ..tfmcc.clone()
        }),
        SchemeConfig::Tfmcc(tfmcc::Config {
            timer_bias: tfmcc::TimerBias::Offset,
            one_way_adjustment: tfmcc::OneWayAdjustment::All,
            gap_floor: tfmcc::GapFloor::Follows,
            max_rtt: tfmcc::MaxRttRule::Recent,
            max_receivers: 2,
            ..tfmcc.clone()
        }),
        SchemeConfig::Omcc(omcc.clone()),
        SchemeConfig::Omcc(omcc::Config {
            utility: omcc::Utility::AlphaFair,
            alpha: Some(0.5),
            f_max: Some(40.0),
            population: population::Config::Registration(registration.clone()),
            tfmcc: tfmcc::Config { quantise: true, ..tfmcc.clone() },
            ..omcc.clone()
        }),
        SchemeConfig::Omcc(omcc::Config {
            utility: omcc::Utility::Tcp,
            f_apply: omcc::Apply::Increase,
            population: population::Config::Registration(registration),
            ..omcc.clone()
        }),
        SchemeConfig::Omcc(omcc::Config {
            f_apply: omcc::Apply::ReceiveRate,
            population: population::Config::Estimated(estimated),
            tfmcc: tfmcc::Config { ecn: true, initial_max_rtt: Duration::from_millis(100), ..tfmcc },
            ..omcc.clone()
        }),
        SchemeConfig::Omcc(omcc::Config {
            orientation: omcc::Orientation::Sender,
            weight: 0.25,
            population: population::Config::Configured(configured::Config { receivers: Some(7) }),
            ..omcc
        }),
    ];
    for (name, _) in LIST {
        assert!(settings.iter().any(|config| config.name() == *name), "the battery has no settings of {name}");
    }
    settings.iter().for_each(|config| assert_eq!(config.check(), [], "{config:?}"));
    settings.extend(SchemeConfig::defaults());
    settings
}

/// A network that loses, doubles, delays and marks at random; what is delayed comes after what was sent later.
fn rough(seed: u64, roughness: f64) -> impl FnMut(Who, Who, &Packet) -> Fate {
    let mut random = Random::stream(seed, "test/rough");
    move |_, _, _| {
        let draw = random.uniform() / roughness;
        match draw {
            d if d < 0.5 => Fate::Lose,
            d if d < 0.6 => Fate::Twice,
            d if d < 0.85 => Fate::Late(Duration::from_micros((random.uniform() * 150_000.0) as u64)),
            d if d < 1.0 => Fate::Mark(Ecn::Moderate),
            _ => Fate::Deliver,
        }
    }
}

pub(super) fn session<N: FnMut(Who, Who, &Packet) -> Fate>(
    config: &SchemeConfig,
    seed: u64,
    network: N,
) -> Group<Source, Member, N> {
    let seat = |who: Who| Seat {
        flow: FlowId(0),
        own: who.address(),
        group: GROUP,
        members: MEMBERS as u32,
        line_rate: Some(LINE_RATE),
        random: Random::stream(seed, &format!("test/{who:?}")),
    };
    let member = |n| (config.member(seat(Who::Member(n))), Duration::from_millis(5 + 20 * n as u64));
    let mut group = Group::new(config.source(seat(Who::Source)), (0..MEMBERS).map(member).collect(), network);
    group.record = true;
    group
}

/// Something that happens to an endpoint.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Start(Who),
    Stop(Who),
}

/// Everyone starts at some time and stops at a later one; in order of time.
fn plan(random: &mut Random, length_s: f64) -> Vec<(Instant, Operation)> {
    let mut plan = Vec::new();
    for who in std::iter::once(Who::Source).chain((0..MEMBERS).map(Who::Member)) {
        let start = random.uniform_in(0.0, 0.4 * length_s);
        // Some at once, some not before the end.
        let stop = if random.chance(0.1) { start } else { start + random.exponential(0.6 * length_s) };
        plan.push((Instant::from_secs_f64(start), Operation::Start(who)));
        plan.push((Instant::from_secs_f64(stop.min(length_s)), Operation::Stop(who)));
    }
    plan.sort_by_key(|&(at, _)| at);
    plan
}

/// What the driver counted and what the endpoints say they have.
fn check_counts<N: FnMut(Who, Who, &Packet) -> Fate>(group: &Group<Source, Member, N>, name: &str) {
    for who in group.everyone() {
        let (report, counts) = (group.endpoint(who).report(), group.counts[who.address().index()]);
        assert_eq!((report.sent_pkts, report.sent_bytes), (counts.sent_pkts, counts.sent_bytes), "{name}: {who:?}");
        assert!(report.received_pkts <= counts.handed_pkts, "{name}: {who:?} {report:?} {counts:?}");
        assert!(report.received_bytes <= counts.handed_bytes, "{name}: {who:?} {report:?} {counts:?}");
        assert!(report.distinct_bytes <= report.received_bytes, "{name}: {who:?} {report:?}");
        if who != Who::Source {
            assert_eq!(report.received_pkts, counts.handed_pkts, "{name}: {who:?}");
        }
        assert!(report.rate_bps.is_nan() || (0.0..=4e11).contains(&report.rate_bps), "{name}: {who:?} {report:?}");
        let p = report.loss_event_rate;
        assert!(p.is_nan() || (0.0..=1.0).contains(&p), "{name}: {who:?} {report:?}");
    }
}

/// Sizes and addresses of what was sent, and that the source kept to its bound.
fn check_packets<N>(config: &SchemeConfig, group: &Group<Source, Member, N>, name: &str) {
    let groups = GROUP.index()..GROUP.index() + config.groups() as usize;
    let (mut credit_bits, mut last) = (f64::INFINITY, Instant::ZERO);
    for &(at, who, packet) in &group.sent {
        assert_eq!(packet.flow, FlowId(0), "{name}: {packet:?}");
        if packet.destination.is_group() {
            assert!(groups.contains(&packet.destination.index()), "{name}: {packet:?}");
        }
        if who != Who::Source {
            assert!(u64::from(packet.size) <= config.packet_bytes(), "{name}: {packet:?}");
            continue;
        }
        assert_eq!(u64::from(packet.size), config.packet_bytes(), "{name}: {packet:?}");
        let most = Scheme::max_rate(config).into_iter().chain(config.is_controlled().then_some(LINE_RATE)).min();
        if let Some(most) = most {
            // Two packets may be close together, when the rate has just risen.
            let bits = 8.0 * f64::from(packet.size);
            credit_bits = (credit_bits + most.as_bps_f64() * at.since(last).as_secs_f64()).min(2.0 * bits) - bits;
            last = at;
            assert!(credit_bits > -0.01 * bits, "{name}: more than {most:?} at {at}");
        }
    }
}

/// A random session on a rough network, to its end.
fn run(config: &SchemeConfig, seed: u64, roughness: f64, pester: bool) -> u64 {
    const LENGTH_S: f64 = 40.0;
    let name = format!("{} seed {seed} roughness {roughness} {config:?}", config.name());
    let mut random = Random::stream(seed, "test/plan");
    let mut group = session(config, seed, rough(seed, roughness));
    group.pester = pester;
    for (at, operation) in plan(&mut random, LENGTH_S) {
        group.run_until(at);
        check_counts(&group, &name);
        match operation {
            Operation::Start(who) => {
                group.start(who);
                let joined = group.counts[who.address().index()].joined;
                assert_eq!(joined & 1 == 1, who != Who::Source, "{name}: {who:?} has joined {joined:b}");
            }
            Operation::Stop(who) => {
                let before = group.counts[who.address().index()].sent_pkts;
                group.stop(who);
                let after = group.counts[who.address().index()].sent_pkts;
                assert!(after <= before + 2, "{name}: {who:?} answers its stop with a burst");
            }
        }
    }
    group.run_until(Instant::from_secs_f64(LENGTH_S) + LAST_WORDS);
    check_counts(&group, &name);
    for who in group.everyone() {
        assert_eq!(group.counts[who.address().index()].joined, 0, "{name}: {who:?} has not left");
        assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?} goes on");
    }
    let stopped = group.sent.len();
    group.run_until(group.now() + Duration::from_secs(600));
    assert_eq!(group.sent.len(), stopped, "{name}");
    check_packets(config, &group, &name);
    let digest = |text: String| fnv1a(text.as_bytes());
    let sent = group.sent.iter().map(|sent| digest(format!("{sent:?}")));
    let events = group.events.iter().map(|event| digest(format!("{event:?}")));
    sent.chain(events).fold(0, |hash: u64, part| hash.rotate_left(5) ^ part)
}

#[test]
fn random_sessions_over_rough_networks_are_stood_and_can_be_repeated() {
    for config in settings() {
        let mut digests = Vec::new();
        for (seed, roughness) in [(1, 0.05), (2, 0.05), (3, 0.4), (4, 0.4)] {
            let digest = run(&config, seed, roughness, true);
            // Without the spurious time-outs: the same again.
            assert_eq!(run(&config, seed, roughness, false), digest, "{} seed {seed}", config.name());
            digests.push(digest);
        }
        digests.dedup();
        assert_eq!(digests.len(), 4, "{config:?}: seeds make a difference");
    }
}

#[test]
fn schemes_that_are_controlled_give_way() {
    // A third of all data is lost for a minute, then nothing, then all.
    for config in settings().into_iter().filter(|config| config.is_controlled()) {
        let mut random = Random::stream(1, "test/loss");
        let (clear, dark) = (Instant::from_secs_f64(60.0), Instant::from_secs_f64(120.0));
        let network = move |_, to, packet: &Packet| {
            let loss = if packet.sent < clear { 0.33 } else { 0.0 };
            if to != Who::Source && (packet.sent >= dark || random.chance(loss)) { Fate::Lose } else { Fate::Deliver }
        };
        let mut group = session(&config, 1, network);
        group.start_all();
        let rate = |group: &Group<Source, Member, _>| group.source.report().rate_bps;
        let mut rates = Vec::new();
        for end_s in [60.0, 120.0, 360.0] {
            group.run_until(Instant::from_secs_f64(end_s));
            rates.push(rate(&group));
        }
        // Some have hardly grown by then: to a tenth, or to the least rate, a packet in 8 s. With nobody left to report
        // TFMCC halves its rate every 10 R_max, which may be 8 s long (RFC 4654 sections 3.2 and 3.3).
        let gives_way = rates[2] < 0.1 * rates[1] || rates[2] == config.packet_bytes() as f64;
        assert!(rates[1] > 1.1 * rates[0] && gives_way, "{config:?}: {rates:?}");
    }
}

/// Headers of all kinds. One that is new is put here and below.
fn kind(header: &Header) -> usize {
    match header {
        Header::Datagram { .. } => 0,
        Header::Membership { .. } => 1,
        Header::TcpData { .. } => 2,
        Header::TcpAck { .. } => 3,
        Header::TfmccData { .. } => 4,
        Header::TfmccReport { .. } => 5,
        Header::Registration { .. } => 6,
        Header::TcpSyn => 7,
        Header::TcpSynAck { .. } => 8,
    }
}

const KINDS: usize = 9;

/// Any packet at all, from members and from others.
pub(super) fn anything(random: &mut Random, now: Instant, sequence: &mut u32) -> Packet {
    let number = |random: &mut Random| match random.uniform_in(0.0, 8.0) as u32 {
        0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX][random.uniform_in(0.0, 4.0) as usize],
        1 => -1.0,
        2 => 0.0,
        3 => random.uniform() as f32,
        _ => random.exponential(1e5) as f32,
    };
    let any = |random: &mut Random| (random.uniform() * f64::from(u32::MAX)) as u32;
    let from = Address::endpoint(random.uniform_in(0.0, 9.0) as u32);
    let step = if random.chance(0.01) { random.uniform_in(0.0, 1e7) } else { random.uniform_in(-3.0, 5.0) };
    *sequence = (f64::from(*sequence) + step) as u32;
    let number_of = if random.chance(0.001) { any(random) } else { *sequence };
    let header = match random.uniform_in(0.0, 4.0 + KINDS as f64) as usize {
        0 => Header::Datagram { sequence: u64::from(number_of) },
        1 => Header::Membership {
            what: MembershipMessage::Report,
            session: any(random),
            number: any(random),
            groups: GroupSet::of(any(random) % MAX_GROUPS),
        },
        2 => Header::TcpData { sequence: number_of, window_reduced: true, retransmission: random.chance(0.5) },
        3 => Header::TcpAck {
            next_expected: number_of,
            echo: Ecn::Moderate,
            sack: [SackBlock { start: any(random), end: any(random) }; 3],
            echoed_stamp_us: any(random),
        },
        4..=6 => Header::TfmccData {
            sequence: number_of,
            suppression_bps: number(random),
            rate_bps: number(random),
            max_rtt_us: if random.chance(0.1) { any(random) } else { random.uniform_in(0.0, 1e6) as u32 },
            round: any(random) as u8,
            echo: random.chance(0.5).then_some(TfmccEcho {
                receiver: from,
                stamp_us: any(random),
                is_clr: random.chance(0.5),
            }),
            scale: number(random),
            receivers: number(random),
        },
        7 | 8 => Header::Registration { member: random.chance(0.8) },
        9 => Header::TcpSyn,
        10 => Header::TcpSynAck { echoed_stamp_us: any(random) },
        _ => Header::TfmccReport {
            have_rtt: random.chance(0.5),
            have_loss: random.chance(0.3),
            leave: random.chance(0.2),
            round: any(random) as u8,
            echoed_stamp_us: any(random),
            rate_bps: number(random),
            rtt_s: number(random),
            loss_event_rate: number(random),
            draw: number(random),
        },
    };
    Packet {
        sent: if random.chance(0.1) { Instant(u64::from(any(random)) << 20) } else { now },
        flow: FlowId(any(random)),
        source: from,
        destination: GROUP,
        size: any(random) as u16,
        ttl: INITIAL_TTL,
        ecn: if random.chance(0.1) { Ecn::Moderate } else { Ecn::Capable },
        header,
    }
}

#[test]
fn packets_from_anywhere_upset_nobody() {
    for config in settings().into_iter().filter(|config| Scheme::max_rate(config).is_some()) {
        let mut seen = [false; KINDS];
        for seed in 0..3 {
            let name = format!("{} seed {seed} {config:?}", config.name());
            let mut random = Random::stream(seed, "test/anything");
            let mut group = session(&config, seed, rough(seed, 0.1));
            // Before the start nobody listens.
            let mut sequence = 0;
            for who in group.everyone() {
                group.hand(who, &anything(&mut random, Instant::ZERO, &mut sequence));
                assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?}");
            }
            assert!(group.sent.is_empty(), "{name}");
            group.start_all();
            let mut now = Instant::ZERO;
            for step in 0..4000 {
                now += Duration::from_secs_f64(random.exponential(0.02));
                group.run_until(now);
                let packet = anything(&mut random, now, &mut sequence);
                seen[kind(&packet.header)] = true;
                for who in group.everyone() {
                    group.hand(who, &packet);
                    let report = group.endpoint(who).report();
                    let (rate, p) = (report.rate_bps, report.loss_event_rate);
                    assert!(rate.is_nan() || rate >= 0.0, "{name} step {step}: {who:?} {report:?}");
                    assert!(p.is_nan() || (0.0..=1.0).contains(&p), "{name} step {step}: {who:?} {report:?}");
                }
            }
            // Whoever was made to believe in a round-trip time of a minute takes a round of that.
            for who in group.everyone() {
                group.stop(who);
            }
            group.run_until(now + Duration::from_secs(7 * 4295));
            for who in group.everyone() {
                assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?} goes on");
                assert_eq!(group.counts[who.address().index()].joined, 0, "{name}: {who:?} has not left");
            }
            check_packets(&config, &group, &name);
        }
        assert_eq!(seen, [true; KINDS]);
    }
}
