use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::auto::Auto;
use crate::queue::battery::{link, packet};
use crate::queue::{drop_tail, mecn, red};
use crate::store::Store;
use faircast_proto::quantity::Packets;
use faircast_proto::time::Duration;

fn view(now: Instant, pkts: u32) -> InterfaceView {
    InterfaceView {
        now,
        waiting_pkts: pkts,
        waiting_bytes: 1000 * u64::from(pkts),
        transmitting: true,
        idle_since: Instant::ZERO,
        rate: Rate(1),
    }
}

/// What becomes of one packet of 1000 bytes each millisecond.
fn verdicts(config: &Config, ecn: Ecn, pkts: u64) -> Vec<Verdict> {
    assert_eq!(config.check(), []);
    let mut policer = Policer::new(config, link(0));
    (0..pkts).map(|n| policer.arrive(&packet(1000, ecn), &view(Instant(n * 1_000_000), 0))).collect()
}

const DROP: Verdict = Verdict::Drop(DropReason::Active);

#[test]
fn what_is_beyond_the_rate_is_dropped() {
    // 8 Mbit/s come, 2 Mbit/s may pass, and 3 kB at once: 3000 + 250 n bytes after n ms.
    let config = Config { rate: Some(Rate(2_000_000)), burst: Bytes(3000), ..Config::default() };
    let found = verdicts(&config, Ecn::Capable, 12);
    let passed: Vec<usize> = (0..12).filter(|&n| found[n] == Verdict::Accept).collect();
    assert_eq!(passed, [0, 1, 2, 4, 8]);
    assert!(found.iter().all(|verdict| [Verdict::Accept, DROP].contains(verdict)));
    let many = verdicts(&config, Ecn::NotCapable, 100_000);
    assert_eq!(many.iter().filter(|verdict| **verdict == Verdict::Accept).count(), 3 + 25_000 - 1);
}

#[test]
fn it_may_mark_in_place_of_drops() {
    let config = Config { rate: Some(Rate(2_000_000)), burst: Bytes(1000), action: Action::Mark, ..Config::default() };
    let found = verdicts(&config, Ecn::Capable, 5);
    let mark = Verdict::Mark(Ecn::Moderate);
    assert_eq!(found, [Verdict::Accept, mark, mark, mark, Verdict::Accept]);
    assert_eq!(verdicts(&config, Ecn::NotCapable, 3)[1..], [DROP, DROP]);
}

#[test]
fn its_rate_is_a_share_of_the_link_or_all_of_it() {
    // Of 1.5 Mbit/s; 8 Mbit/s come for ten seconds.
    for (share, expected) in [(Some(0.2), 377), (None, 1877)] {
        let config = Config { share, burst: Bytes(3000), ..Config::default() };
        let passed =
            verdicts(&config, Ecn::Capable, 10_000).iter().filter(|verdict| **verdict == Verdict::Accept).count();
        assert!(passed.abs_diff(expected) <= 1, "{share:?}: {passed}");
    }
}

#[test]
fn the_queue_behind_it_decides_about_the_rest() {
    let full = QueueConfig::DropTail(drop_tail::Config { limit: QueueSize::Packets(1.0), ..Default::default() });
    let config = Config { queue: Box::new(full), ..Config::default() };
    let mut policer = Policer::new(&config, link(0));
    let busy = view(Instant::ZERO, 1);
    // Nothing waits in that queue, so it has room for one; its own packets are what it counts.
    assert_eq!(policer.arrive(&packet(1000, Ecn::Capable), &busy), Verdict::Accept);
    // What is without tokens does not come to it.
    let config = Config { burst: Bytes(999), queue: Box::new(QueueConfig::Red(red::Config::default())), ..config };
    let mut policer = Policer::new(&config, link(0));
    assert_eq!(policer.arrive(&packet(1000, Ecn::Capable), &busy), DROP);
    let later = view(Instant::ZERO + Duration::from_secs(9), 0);
    assert_eq!(policer.arrive(&packet(1000, Ecn::Capable), &later), DROP, "more than the burst never has enough");
    assert_eq!(policer.arrive(&packet(999, Ecn::Capable), &later), Verdict::Accept);
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = |config: Config| config.check().into_iter().map(|(at, what)| at + ": " + &what).collect::<Vec<_>>();
    let both = Config { rate: Some(Rate(1000)), share: Some(0.5), ..Config::default() };
    assert_eq!(wrong(both), ["share: given beside rate; legal is one of them"]);
    assert_eq!(wrong(Config { share: Some(0.0), burst: Bytes(0), ..Config::default() }).len(), 2);
    assert_eq!(wrong(Config { share: Some(1.1), ..Config::default() }).len(), 1);
}

#[test]
fn its_mark_is_stronger_than_one_of_the_queue_behind_it() {
    // That queue marks as incipient what finds two packets of its own or more, but for the first of them.
    let mecn = mecn::Config {
        min_th: Packets(1.0),
        mid_th: Auto::Set(Packets(2.0)),
        max_th: Auto::Set(Packets(1000.0)),
        p1_max: 1.0,
        p2_max: 0.0,
        w_q: Auto::Set(1.0),
        wait: false,
        ..Default::default()
    };
    let queue = Box::new(QueueConfig::Mecn(mecn));
    let config =
        Config { rate: Some(Rate(8000)), burst: Bytes(5000), action: Action::Mark, queue, ..Config::default() };
    assert_eq!(config.check(), []);
    let (mut policer, mut store) = (Policer::new(&config, link(0)), Store::default());
    let found: Vec<Verdict> = (0..7)
        .map(|_| {
            let (packet, view) = (packet(1000, Ecn::Capable), view(Instant::ZERO, 0));
            let verdict = policer.arrive(&packet, &view);
            let (label, since, ecn) = (store.insert(&packet), view.now, Ecn::Capable);
            let held = Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            policer.enqueue(held, &packet, &view, &mut Drops::default());
            verdict
        })
        .collect();
    let [incipient, moderate] = [Ecn::Incipient, Ecn::Moderate].map(Verdict::Mark);
    let accept = Verdict::Accept;
    // There are tokens for five.
    assert_eq!(found, [accept, accept, accept, incipient, incipient, moderate, moderate]);
}
