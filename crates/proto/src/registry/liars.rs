//! Every scheme with a member that lies: nothing breaks, and where something is known against a lie the honest keep
//! half of their rate.

use super::battery::{LINE_RATE, MEMBERS, check_gauges, settings};
use super::*;
use crate::endpoint::RECEIVER_EXCLUDED;
use crate::liar::{Kind, Liar, Lie};
use crate::packet::{FlowId, Packet};
use crate::random::Random;
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, Who};
use crate::{pgmcc, tfmcc};

const KINDS: [Kind; 8] = [
    Kind::Loss,
    Kind::Nothing,
    Kind::Contradiction,
    Kind::Late,
    Kind::Flapping,
    Kind::Acknowledge,
    Kind::Silence,
    Kind::Flood,
];

/// A session whose last member lies; of data packets one in so many is lost.
fn session(
    config: &SchemeConfig,
    lie: Option<Lie>,
    members: usize,
    one_in: f64,
) -> Group<Source, Member, impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    let seat = |who: Who| Seat {
        flow: FlowId(0),
        own: who.address(),
        group: GROUP,
        members: members as u32,
        line_rate: Some(LINE_RATE),
        random: Random::stream(1, &format!("test/{who:?}")),
    };
    let member = |n| {
        let honest = config.member(seat(Who::Member(n)));
        let member = match &lie {
            Some(lie) if n + 1 == members => {
                Member::Guest(Box::new(Liar::new(honest, lie.clone(), Random::stream(1, "test/lie"))))
            }
            _ => honest,
        };
        (member, Duration::from_millis(25))
    };
    let mut random = Random::stream(1, "test/network");
    let mut last = (Instant::ZERO, Fate::Deliver);
    // What is lost is lost before the ways part.
    let network = move |from, _, packet: &Packet| {
        if from != Who::Source || !packet.header.is_data() {
            return Fate::Deliver;
        }
        if packet.sent != last.0 {
            last = (packet.sent, if random.chance(1.0 / one_in) { Fate::Lose } else { Fate::Deliver });
        }
        last.1
    };
    let mut group = Group::new(config.source(seat(Who::Source)), (0..members).map(member).collect(), network);
    group.start_all();
    group
}

#[test]
fn a_liar_keeps_the_contract_of_endpoints_in_every_scheme() {
    for config in settings() {
        for kind in KINDS {
            let period = Duration::from_millis(700);
            let lie = Lie { what: kind, period, after: Duration::from_secs(1), ..Lie::default() };
            let mut group = session(&config, Some(lie), MEMBERS, 30.0);
            group.run_until(Instant::from_secs_f64(12.0));
            for who in group.everyone() {
                let name = format!("{} {kind:?} {who:?}", config.name());
                let (report, counts) = (group.endpoint(who).report(), group.counts[who.address().index()]);
                assert_eq!((report.sent_pkts, report.sent_bytes), (counts.sent_pkts, counts.sent_bytes), "{name}");
                assert!(report.received_pkts <= counts.handed_pkts, "{name}");
                assert!(report.distinct_bytes <= report.received_bytes, "{name}");
                check_gauges(group.endpoint(who), &name);
                group.stop(who);
            }
        }
    }
}

/// What the first member gets from 60 to 160 s beside a liar, divided by what it gets without.
fn kept(config: &SchemeConfig, kind: Kind) -> f64 {
    let lie = Lie { what: kind, after: Duration::from_secs(20), period: Duration::from_millis(100), ..Lie::default() };
    let bytes = [Some(lie), None].map(|lie| {
        let mut group = session(config, lie, 3, 100.0);
        let mut bytes = [60.0, 160.0].map(|until_s| {
            group.run_until(Instant::from_secs_f64(until_s));
            group.counts[1].handed_bytes
        });
        bytes.sort_unstable();
        (bytes[1] - bytes[0]) as f64
    });
    bytes[0] / bytes[1]
}

#[test]
fn an_acker_whose_word_and_acks_contradict_each_other_is_one_no_longer() {
    let guarded = SchemeConfig::Pgmcc(pgmcc::Config::default());
    let bare = SchemeConfig::Pgmcc(pgmcc::Config { bar: Duration::ZERO, ..pgmcc::Config::default() });
    let (kept_guarded, kept_bare) = (kept(&guarded, Kind::Nothing), kept(&bare, Kind::Nothing));
    assert!(kept_guarded > 0.5 && kept_bare < 0.3, "{kept_guarded} and {kept_bare}");
    let is_told = |config| {
        let lie = Lie { what: Kind::Contradiction, ..Lie::default() };
        let mut group = session(config, Some(lie), 3, 100.0);
        group.run_until(Instant::from_secs_f64(60.0));
        group.events.iter().filter(|(_, _, event)| event.is(RECEIVER_EXCLUDED)).count()
    };
    assert!(is_told(&guarded) > 0 && is_told(&bare) == 0);
}

#[test]
fn who_asks_for_less_than_is_of_use_limits_nobody() {
    let exclude_below = Some(Rate(50_000));
    let tfmcc = |exclude_below| tfmcc::Config { exclude_below, ..tfmcc::Config::default() };
    let omcc = |exclude_below| crate::omcc::Config { tfmcc: tfmcc(exclude_below), ..Default::default() };
    let mlda = |exclude_below| crate::mlda::Config { exclude_below, ..Default::default() };
    // Its last report keeps the liar of MLDA in office.
    for (guarded, bare) in [
        (SchemeConfig::Tfmcc(tfmcc(exclude_below)), SchemeConfig::Tfmcc(tfmcc(None))),
        (SchemeConfig::Omcc(omcc(exclude_below)), SchemeConfig::Omcc(omcc(None))),
        (SchemeConfig::Mlda(mlda(exclude_below)), SchemeConfig::Mlda(mlda(None))),
    ] {
        let (kept_guarded, kept_bare) = (kept(&guarded, Kind::Contradiction), kept(&bare, Kind::Contradiction));
        eprintln!("{}: {kept_guarded} and {kept_bare}", guarded.name());
        assert!(kept_guarded > 0.5, "{}: {kept_guarded} and {kept_bare}", guarded.name());
    }
    let bare = kept(&SchemeConfig::Tfmcc(tfmcc(None)), Kind::Nothing);
    assert!(bare < 0.1, "it holds TFMCC down: {bare}");
    // pgmcc: a liar that acknowledges what it should.
    let pgmcc = pgmcc::Config { bar: Duration::ZERO, exclude_below, ..pgmcc::Config::default() };
    let kept_pgmcc = kept(&SchemeConfig::Pgmcc(pgmcc), Kind::Nothing);
    assert!(kept_pgmcc > 0.5, "{kept_pgmcc}");
}
