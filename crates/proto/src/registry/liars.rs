//! Every scheme with a member that lies: nothing breaks, and where something is known against a lie the honest keep
//! half of their rate.

use super::battery::{LINE_RATE, MEMBERS, check_gauges, settings};
use super::*;
use crate::endpoint::RECEIVER_EXCLUDED;
use crate::liar::{Kind, Liar, Lie};
use crate::packet::{FlowId, Header, Packet};
use crate::parts::rtt::{lag_s, stamp_us};
use crate::random::Random;
use crate::source::layered;
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
) -> Group<SchemeSender, SchemeReceiver, impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    let seat = |who: Who| Seat {
        flow: FlowId(0),
        own: who.address(),
        group: GROUP,
        members: members as u32,
        line_rate: Some(LINE_RATE),
        random: Random::stream(1, &format!("test/{}", who.stream())),
    };
    let member = |n| {
        let honest = config.receiver(seat(Who::Receiver(n)));
        let member = match &lie {
            Some(lie) if n + 1 == members => {
                SchemeReceiver::Guest(Box::new(Liar::new(honest, lie.clone(), Random::stream(1, "test/lie"))))
            }
            _ => honest,
        };
        (member, Duration::from_millis(25))
    };
    let mut random = Random::stream(1, "test/network");
    let mut last = (Instant::ZERO, Fate::Deliver);
    // What is lost is lost before the ways part.
    let network = move |from, _, packet: &Packet| {
        if from != Who::Sender || !packet.header.is_data() {
            return Fate::Deliver;
        }
        if packet.sent != last.0 {
            last = (packet.sent, if random.chance(1.0 / one_in) { Fate::Lose } else { Fate::Deliver });
        }
        last.1
    };
    let mut group = Group::new(config.sender(seat(Who::Sender)), (0..members).map(member).collect(), network);
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
        assert!(kept_guarded > 0.5, "{}: {kept_guarded} and {kept_bare}", guarded.name());
    }
    let bare = kept(&SchemeConfig::Tfmcc(tfmcc(None)), Kind::Nothing);
    assert!(bare < 0.1, "it holds TFMCC down: {bare}");
    // pgmcc: a liar that acknowledges what it should.
    let pgmcc = pgmcc::Config { bar: Duration::ZERO, exclude_below, ..pgmcc::Config::default() };
    let kept_pgmcc = kept(&SchemeConfig::Pgmcc(pgmcc), Kind::Nothing);
    assert!(kept_pgmcc > 0.5, "{kept_pgmcc}");
}

/// When liars of the tests below begin to lie, and when they are looked at last.
const FROM_S: f64 = 5.0;
const UNTIL_S: f64 = 65.0;

/// A session of three whose last member lies from 5 s on, after 65 s; one packet in thirty is lost.
fn after_a_minute(
    config: &SchemeConfig,
    lie: Option<Lie>,
) -> Group<SchemeSender, SchemeReceiver, impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    let mut group = session(config, lie, 3, 30.0);
    group.record = true;
    group.run_until(Instant::from_secs_f64(UNTIL_S));
    group
}

fn lie(what: Kind) -> Option<Lie> {
    Some(Lie { what, after: Duration::from_secs(5), period: Duration::from_secs(1), part: 0.5, ..Lie::default() })
}

fn pgmcc() -> SchemeConfig {
    SchemeConfig::Pgmcc(pgmcc::Config { bar: Duration::ZERO, ..pgmcc::Config::default() })
}

/// What a member says from 5 s on, or before.
fn said<N>(group: &Group<SchemeSender, SchemeReceiver, N>, member: usize, lying: bool) -> Vec<Packet> {
    let of = |(at, who, packet): &(Instant, Who, Packet)| {
        let is_lying = at.as_secs_f64() >= FROM_S;
        (*who == Who::Receiver(member) && is_lying == lying).then_some(*packet)
    };
    group.sent.iter().filter_map(of).collect()
}

fn gauge(endpoint: &dyn Endpoint, name: &str) -> Option<f64> {
    let mut values = vec![0.0; endpoint.gauges().len()];
    endpoint.measure(&mut values);
    endpoint.gauges().iter().position(|gauge| gauge.name == name).map(|place| values[place])
}

#[test]
fn before_it_lies_a_liar_is_honest() {
    for config in settings() {
        let sent = |lie| {
            let mut group = session(&config, lie, 3, 30.0);
            group.record = true;
            group.run_until(Instant::from_secs_f64(20.0));
            let sent = group.sent.into_iter();
            sent.map(|(at, who, packet)| (at, who, packet.size, packet.header.digest())).collect::<Vec<_>>()
        };
        let honest = sent(None);
        for what in KINDS {
            let late = Some(Lie { what, after: Duration::from_secs(1000), ..Lie::default() });
            assert!(sent(late) == honest, "{} {what:?}", config.name());
        }
    }
}

#[test]
fn who_takes_packets_for_lost_or_losses_for_received_believes_in_it() {
    for (what, least, most) in [(Kind::Loss, 0.4, 0.6), (Kind::Acknowledge, 0.0, 0.001)] {
        let group = after_a_minute(&pgmcc(), lie(what));
        let rates = [0, 2].map(|n| gauge(group.endpoint(Who::Receiver(n)), "loss_rate").expect("pgmcc's show it"));
        assert!((0.003..0.1).contains(&rates[0]) && (least..=most).contains(&rates[1]), "{what:?}: {rates:?}");
    }
    // Every scheme whose members show their losses, by the names of the gauges.
    let mut seen = 0;
    for config in settings() {
        let mut group = session(&config, Some(Lie { what: Kind::Acknowledge, ..Lie::default() }), 3, 10.0);
        group.run_until(Instant::from_secs_f64(UNTIL_S));
        for name in ["loss_rate", "loss_event_rate", "loss_events", "raw_loss", "lost"] {
            let [honest, liar] = [0, 2].map(|n| gauge(group.endpoint(Who::Receiver(n)), name));
            if let (Some(honest), Some(liar)) = (honest, liar)
                && honest > 0.0
            {
                assert!(liar < 0.1 * honest, "{} {name}: {honest} and {liar}", config.name());
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn reports_that_all_is_lost_say_so_and_only_one_who_contradicts_itself_acknowledges() {
    let is_ack = |packet: &Packet| matches!(packet.header, Header::Pgmcc(pgmcc::Header::Ack(_)));
    for (what, acknowledges) in [(Kind::Nothing, false), (Kind::Contradiction, true)] {
        let group = after_a_minute(&pgmcc(), lie(what));
        let reports = said(&group, 2, true);
        assert_eq!(reports.iter().any(is_ack), acknowledges, "{what:?}");
        let p = reports.iter().filter_map(|packet| match packet.header {
            Header::Pgmcc(pgmcc::Header::Ack(ack)) => Some(ack.loss_rate),
            Header::Pgmcc(pgmcc::Header::Nak(nak)) => Some(nak.loss_rate),
            _ => None,
        });
        assert!(reports.len() > 3 && p.clone().all(|p| p == 1.0), "{what:?}: {:?}", p.collect::<Vec<_>>());
    }
    let tfmcc = SchemeConfig::Tfmcc(tfmcc::Config { max_rate: Some(Rate(1_000_000)), ..Default::default() });
    let group = after_a_minute(&tfmcc, lie(Kind::Contradiction));
    let words = said(&group, 2, true).into_iter().map(|packet| match packet.header {
        Header::Tfmcc(tfmcc::Header::Feedback(word)) => (word.have_loss, word.rate_bps, word.loss_event_rate),
        other => panic!("{other:?}"),
    });
    assert!(words.clone().count() > 3 && words.clone().all(|word| word == (true, 0.0, 1.0)));
    let rlm = SchemeConfig::Rlm(crate::rlm::Config::default());
    let group = after_a_minute(&rlm, lie(Kind::Nothing));
    let levels = |member| {
        let levels = said(&group, member, true).into_iter().filter_map(|packet| match packet.header {
            Header::LayeredCbr(layered::Header::Level { level, .. }) => Some(level),
            _ => None,
        });
        levels.collect::<Vec<_>>()
    };
    assert!(!levels(2).is_empty() && levels(2).iter().all(|&level| level == 1), "{:?}", levels(2));
    assert!(levels(0).iter().chain(&levels(1)).any(|&level| level > 1));
}

#[test]
fn who_is_silent_late_or_repeats_itself_does_so() {
    let silent = after_a_minute(&pgmcc(), lie(Kind::Silence));
    assert!(!said(&silent, 2, false).is_empty() && said(&silent, 2, true).is_empty());
    let late = after_a_minute(&pgmcc(), lie(Kind::Late));
    let age_s = |packet: &Packet| match packet.header {
        Header::Pgmcc(pgmcc::Header::Ack(pgmcc::Ack { echoed_stamp_us, .. }))
        | Header::Pgmcc(pgmcc::Header::Nak(pgmcc::Nak { echoed_stamp_us, .. })) => {
            lag_s(stamp_us(packet.sent), echoed_stamp_us)
        }
        other => panic!("{other:?}"),
    };
    let ages = |member, lying| said(&late, member, lying).iter().map(age_s).fold((f64::MAX, 0f64), least_and_most);
    assert!(ages(2, true).0 >= 2.0 && ages(2, true).1 < 3.0, "{:?}", ages(2, true));
    assert!(ages(2, false).1 < 1.0 && ages(0, true).1 < 1.0);
    // 59 repetitions, the last at 65 s, and what it says itself.
    let own = said(&after_a_minute(&pgmcc(), None), 2, true).len();
    let flood = said(&after_a_minute(&pgmcc(), lie(Kind::Flood)), 2, true);
    let repeated = flood.windows(2).filter(|pair| pair[0].header == pair[1].header).count();
    assert!((50..=60).contains(&repeated), "{repeated}, by itself {own}");
}

fn least_and_most((least, most): (f64, f64), value: f64) -> (f64, f64) {
    (least.min(value), most.max(value))
}

#[test]
fn who_flaps_is_a_member_half_of_the_time() {
    let mut group = session(&pgmcc(), lie(Kind::Flapping), 3, 30.0);
    let there = (0..60).map(|n| {
        group.run_until(Instant::from_secs_f64(FROM_S + f64::from(n) + 0.5));
        [0, 2].map(|member| group.counts[Who::Receiver(member).address().index()].joined.contains(0))
    });
    let there = there.collect::<Vec<_>>();
    assert!(there.iter().all(|[honest, _]| *honest));
    assert!((0..60).all(|n| there[n][1] == (n % 2 == 0)), "{there:?}");
}
