//! Queues that own their packets: in order they do what links do; what they may do beside that; what they must not.

use crate::ahead::outcome_with;
use crate::changes::{loss_of, run, wire};
use crate::support::{NO_LOSS, Step, link, script};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::change::{Change, Handoff};
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::{PacketAction, PacketPlan, ProbePlan};
use faircast_sim::queue::{
    self, Discipline, DropReason, Drops, Fifo, Held, InOrder, InterfaceView, LinkContext, Queue, Scheduler, Verdict,
};
use faircast_sim::world::{Fault, World};
use std::sync::{Arc, Mutex};

/// Queues that decide at arrival, of all kinds.
const KINDS: [&str; 4] = [
    r#"{"kind": "drop-tail", "limit": "12 packets"}"#,
    r#"{"kind": "drop-tail", "limit": "7 kB"}"#,
    r#"{"kind": "red", "limit": "12 packets", "min_th": "1 packets", "max_th": "6 packets", "ecn": true, "w_q": 0.1}"#,
    r#"{"kind": "mecn", "limit": "12 packets", "min_th": "1 packets", "mid_th": "3 packets", "max_th": "6 packets",
        "w_q": 0.1}"#,
];

fn queue_of(kind: &str, rate: Rate) -> Queue {
    let config: queue::Config = serde_json::from_str(kind).expect("a legal queue");
    let random = Random::stream(1, "test");
    Queue::new(&config, LinkContext { rate, delay: Duration::ZERO, mean_packet_bytes: 800, random })
}

#[test]
fn in_order_they_do_what_links_do() {
    for seed in 0..120 {
        let kind = KINDS[seed as usize % KINDS.len()];
        for probed in [true, false] {
            let links = |rate| queue_of(kind, rate);
            let owned = |rate| Queue::Scheduler(Box::new(InOrder::new(queue_of(kind, rate))));
            let (of_links, _) = outcome_with(seed, LinkMode::TwoStage, &links, probed);
            let (of_owned, _) = outcome_with(seed, LinkMode::Fused, &owned, probed);
            for (links, owned) in of_links.rows.iter().zip(&of_owned.rows) {
                assert_eq!(links, owned, "seed {seed}, {kind}");
            }
            assert_eq!(of_links, of_owned, "seed {seed}, {kind}");
        }
    }
}

/// A queue that does as it is told.
#[derive(Default)]
struct Odd {
    does: Deed,
    packets: Fifo,
    /// Held back by mistake or on purpose.
    aside: Arc<Mutex<Vec<Held>>>,
    /// When the next may leave, if it paces.
    next: Instant,
}

/// What it does beside handing its packets out in order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Deed {
    #[default]
    Nothing,
    /// Hands out the last that came.
    LastFirst,
    /// Takes double the time for packets of more than 500 bytes.
    SlowForLarge,
    /// Marks at departure.
    Marks,
    /// Hands out nothing.
    KeepsAll,
    /// The same, and asks to be asked again a moment ago.
    AsksForThePast,
    /// The same, at no time.
    AsksForNever,
    /// Lets a packet vanish.
    Loses,
    /// Takes no packet in, and says that it has it.
    Claims,
    /// Puts what it drops aside, and gives it to another queue.
    GivesAway,
    /// Hands out what the other has put aside.
    Takes,
    /// Shows its packets in another order the second time.
    Shuffles,
    /// Hands out one in 2 ms.
    Paces,
    /// Lets two wait, and drops the oldest for another; and what is of 300 bytes when its turn comes.
    Drops,
}

impl Discipline for Odd {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }
}

impl Scheduler for Odd {
    fn name(&self) -> &str {
        "odd"
    }

    fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, drops: &mut Drops) {
        match self.does {
            Deed::Loses if held.size() == 300 => {}
            Deed::GivesAway | Deed::Claims => self.aside.lock().expect("one thread").push(held),
            _ => self.packets.push(held),
        }
        if self.does == Deed::Drops && self.packets.len() > 2 {
            let oldest = self.packets.pop().expect("there are three");
            drops.drop(oldest, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
        let held = match self.does {
            Deed::KeepsAll | Deed::AsksForThePast | Deed::AsksForNever => None,
            Deed::Paces if at.now < self.next => None,
            Deed::Takes => self.aside.lock().expect("one thread").pop().or_else(|| self.packets.pop()),
            Deed::LastFirst => {
                let (mut all, last) = (Vec::new(), self.packets.len());
                let mut seen = 0;
                let mut leaves = |_: &mut Held| {
                    seen += 1;
                    seen == last
                };
                self.packets.remove(&mut leaves, &mut all);
                all.pop()
            }
            _ => self.packets.pop(),
        }?;
        assert!(!at.transmitting && at.now >= held.since());
        self.next = at.now + Duration::from_millis(2);
        let verdict = match self.does {
            Deed::Marks => Verdict::Mark(Ecn::Moderate),
            Deed::Drops if held.size() == 300 => Verdict::Drop(DropReason::Active),
            _ => Verdict::Accept,
        };
        Some((held, verdict))
    }

    fn deadline(&self) -> Option<Instant> {
        match self.does {
            Deed::AsksForThePast => Some(Instant(0)),
            Deed::AsksForNever => Some(Instant::FAR_FUTURE),
            Deed::GivesAway => Some(Instant(999_000_000)),
            Deed::Paces => Some(self.next),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        let aside = || self.aside.lock().expect("one thread").len();
        self.packets.len() + if matches!(self.does, Deed::Claims | Deed::GivesAway) { aside() } else { 0 }
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.packets.remove(leaves, out);
        if self.does == Deed::Shuffles
            && let Some(first) = self.packets.pop()
        {
            self.packets.push(first);
        }
    }

    fn service_time(&self, held: &Held, packet: &Packet, plain: Duration) -> Duration {
        assert_eq!(held.size(), packet.size);
        if self.does == Deed::SlowForLarge && held.size() > 500 { Duration(2 * plain.0) } else { plain }
    }
}

/// Packets of these bytes at once over a link of 8 Mbit/s and 10 ms; when they come, in milliseconds, and the world a
/// second later.
fn through(queue: Queue, sizes: &[u16]) -> (Vec<(f64, u16)>, World<Wheel>) {
    let mut network = NetworkBuilder::new(1);
    network.clock_offsets(false);
    let packets = PacketPlan { links: vec![LinkId(0)], ..PacketPlan::default() };
    network.probes(ProbePlan { packets, ..ProbePlan::default() });
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let (name, from, to, mode) = ("there".to_owned(), a, b, LinkMode::Fused);
    let (rate, delay, loss) = (Rate(8_000_000), Duration::from_millis(10), loss_of(NO_LOSS));
    network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
    link(&mut network, b, a, &wire(10), LinkMode::Fused);
    let steps: Vec<_> = sizes.iter().map(|&size| (0, Step::Send(size))).collect();
    let arrivals = script(&mut network, [a, b], Instant::ZERO, &steps);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves()));
    let came = arrivals.lock().expect("one thread").iter().map(|&(at, size, _)| (at as f64 / 1e6, size)).collect();
    (came, world)
}

fn odd(does: Deed) -> Queue {
    Queue::Scheduler(Box::new(Odd { does, ..Odd::default() }))
}

#[test]
fn who_leaves_next_is_chosen_and_told_as_it_is() {
    let (came, world) = through(odd(Deed::LastFirst), &[1000, 200, 300, 400]);
    assert_eq!(came, [(11.0, 1000), (11.4, 400), (11.7, 300), (11.9, 200)]);
    let rows = world.links()[0].probe().and_then(|probe| probe.rows()).expect("they were asked for");
    let gone = rows.iter().filter(|row| row.action == PacketAction::Departed);
    let told: Vec<_> = gone.map(|row| (row.at.0, row.packet.size, row.waiting_pkts)).collect();
    assert_eq!(told, [(1_000_000, 1000, 2), (1_400_000, 400, 1), (1_700_000, 300, 0), (1_900_000, 200, 0)]);
}

#[test]
fn the_time_in_service_may_depend_on_the_packet() {
    let (came, world) = through(odd(Deed::SlowForLarge), &[1000, 500, 501]);
    assert_eq!(came, [(12.0, 1000), (12.5, 500), (13.502, 501)]);
    assert_eq!(world.links()[0].counters().departed, 3);
}

#[test]
fn packets_may_be_marked_when_they_leave() {
    let (_, world) = through(odd(Deed::Marks), &[1000, 500, 501]);
    assert_eq!(world.links()[0].counters().marked_moderate, 3);
    let rows = world.links()[0].probe().and_then(|probe| probe.rows()).expect("they were asked for");
    let marks = rows.iter().filter(|row| row.action == PacketAction::Marked(Ecn::Moderate));
    let marks: Vec<_> = marks.map(|row| (row.at.0, row.packet.size)).collect();
    assert_eq!(marks, [(0, 1000), (1_000_000, 500), (1_500_000, 501)]);
    assert_eq!(world.fault(), None);
}

#[test]
fn what_a_queue_must_not_do_is_told_with_its_name() {
    let fault = |does| {
        let (_, world) = through(odd(does), &[1000, 200, 300, 400]);
        world.fault().map(|Fault { link, queue, what }| (link.0, queue.clone(), what.clone()))
    };
    let told = |what: &str| Some((0, "odd".to_owned(), what.to_owned()));
    assert_eq!(fault(Deed::Nothing), None);
    let keeps = "keeps 1 packets forever: hands out none and has no deadline";
    assert_eq!(fault(Deed::KeepsAll), told(keeps));
    assert_eq!(fault(Deed::AsksForNever), told(keeps));
    let past = "sets a deadline of 0 s, at 0 s, when it hands out nothing";
    assert_eq!(fault(Deed::AsksForThePast), told(past));
    assert_eq!(fault(Deed::Loses), told("has 1 packets where 2 wait"));
    assert_eq!(fault(Deed::Claims), told(keeps));
}

#[test]
fn packets_of_another_link_are_not_sent() {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let aside = Arc::default();
    for (from, to, does) in [(a, b, Deed::GivesAway), (b, a, Deed::Takes)] {
        let queue = Queue::Scheduler(Box::new(Odd { does, aside: Arc::clone(&aside), ..Odd::default() }));
        let (name, mode) = (format!("{}", from.0), LinkMode::Fused);
        let (rate, delay, loss) = (Rate(8_000_000), Duration::from_millis(1), loss_of(NO_LOSS));
        network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
    }
    let there = script(&mut network, [a, b], Instant::ZERO, &[(0, Step::Send(1000))]);
    let back = script(&mut network, [b, a], Instant(5_000_000), &[(0, Step::Send(700)), (0, Step::Send(600))]);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(0.5), u64::MAX);
    let fault =
        Fault { link: LinkId(1), queue: "odd".into(), what: "hands out a packet of link 0 (counted from 0)".into() };
    assert_eq!(world.fault(), Some(&fault));
    assert!(world.links().iter().all(|link| link.conserves()));
    assert!(there.lock().expect("one thread").is_empty() && back.lock().expect("one thread").is_empty());
}

/// Eight packets over a link that goes down while the first is in transmission and up again at 20 ms.
fn through_an_outage(does: Deed, handoff: Handoff) -> (Vec<u16>, [u64; 3]) {
    let outcome = run(&|network| {
        let [a, b] = ["a", "b"].map(|name| network.node(name));
        let (name, from, to, mode, queue) = ("there".to_owned(), a, b, LinkMode::Fused, odd(does));
        let (rate, delay, loss) = (Rate(8_000_000), Duration::from_millis(10), loss_of(NO_LOSS));
        let there = network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
        link(network, b, a, &wire(10), LinkMode::Fused);
        network.handoff(there, handoff, true);
        network.change(Instant(500_000), there, Change::Down);
        network.change(Instant(20_000_000), there, Change::Up);
        let steps: Vec<_> = (1..5).map(|size| (0, Step::Send(size * 100))).collect();
        vec![script(network, [a, b], Instant::ZERO, &steps)]
    });
    let counters = outcome.counters[0];
    let came = outcome.arrivals[0].iter().map(|&(_, size)| size).collect();
    (came, [counters.unreceived, counters.discarded, counters.delivered])
}

#[test]
fn links_that_go_down_do_with_them_what_they_do_with_their_own() {
    // The first two have left by 0.3 ms, the third is in transmission.
    for (does, first) in [(Deed::Nothing, [100, 200, 300, 400]), (Deed::LastFirst, [100, 400, 300, 200])] {
        let [one, two, three, four] = first;
        let left = vec![one, two];
        let all = vec![one, two, three, four];
        assert_eq!(through_an_outage(does, Handoff::Keep), (all, [0, 0, 4]), "{does:?}");
        let (came, [unreceived, discarded, delivered]) = through_an_outage(does, Handoff::Discard);
        assert_eq!((discarded + unreceived, came.len() as u64), (4 - delivered, delivered), "{does:?}");
        assert!(came.starts_with(&left) && discarded >= 1, "{does:?}: {came:?}");
        let (came, [unreceived, discarded, _]) = through_an_outage(does, Handoff::Lose);
        assert!(came.starts_with(&left) && discarded == 0 && unreceived >= 1, "{does:?}: {came:?}");
        assert_eq!(came.len() as u64 + unreceived, 4, "{does:?}");
    }
}

#[test]
fn packets_may_wait_though_the_link_is_free() {
    let (came, world) = through(odd(Deed::Paces), &[1000; 4]);
    assert_eq!(came, [(11.0, 1000), (13.0, 1000), (15.0, 1000), (17.0, 1000)]);
    // Three wait from 0 to 2 ms, two to 4 ms, one to 6 ms; and so the rows say when one departs.
    let probe = world.links()[0].probe().expect("there is one");
    let rows = probe.rows().expect("they were asked for").iter();
    let waiting: Vec<_> = rows.map(|row| (row.at.0 / 1_000_000, row.action, row.waiting_pkts)).collect();
    let (came, gone) = (PacketAction::Accepted, PacketAction::Departed);
    let expected = [
        (0, came, 0),
        (0, came, 1),
        (0, came, 2),
        (0, came, 3),
        (1, gone, 3),
        (3, gone, 2),
        (5, gone, 1),
        (7, gone, 0),
    ];
    assert_eq!(waiting, expected);
    let mean = probe.statistics(world.now()).mean();
    assert!((mean - 0.012).abs() < 1e-12, "{mean}");
    // The starts of two endpoints; for each packet a departure and a delivery; the queue's deadlines at 2, 4, 6 ms.
    assert_eq!((world.events(), world.fault()), (2 + 2 * 4 + 3, None));
}

#[test]
fn what_is_dropped_is_told_with_its_reason_and_its_flow() {
    let (came, world) = through(odd(Deed::Drops), &[1000, 200, 300, 400, 300, 500]);
    // The first goes at once; 200, 300 and 400 make room, and of 300 and 500 the former is dropped when its turn comes.
    assert_eq!(came, [(11.0, 1000), (11.5, 500)]);
    let probe = world.links()[0].probe().expect("there is one");
    let rows = probe.rows().expect("they were asked for").iter();
    let told = rows.filter(|row| row.at.0 > 0 || row.action != PacketAction::Accepted);
    let told: Vec<_> = told.map(|row| (row.at.0, row.action, row.packet.size, row.waiting_pkts)).collect();
    let [full, active] = [DropReason::Overflow, DropReason::Active].map(PacketAction::Dropped);
    let expected = [
        (0, full, 200, 2),
        (0, full, 300, 2),
        (0, full, 400, 2),
        (1_000_000, PacketAction::Departed, 1000, 1),
        (1_000_000, active, 300, 0),
        (1_500_000, PacketAction::Departed, 500, 0),
    ];
    assert_eq!(told, expected);
    assert_eq!((world.losses()[0].overflow, world.losses()[0].active), (3, 1));
}

#[test]
fn a_queue_that_shows_its_packets_in_another_order_is_told_of() {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let (name, from, to, mode, queue) = ("there".to_owned(), a, b, LinkMode::Fused, odd(Deed::Shuffles));
    let (rate, delay, loss) = (Rate(8_000_000), Duration::from_millis(10), loss_of(NO_LOSS));
    let there = network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
    link(&mut network, b, a, &wire(10), LinkMode::Fused);
    network.handoff(there, Handoff::Discard, true);
    network.change(Instant(500_000), there, Change::Down);
    let steps: Vec<_> = (1..5).map(|size| (0, Step::Send(size * 1000))).collect();
    script(&mut network, [a, b], Instant::ZERO, &steps);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(0.5), u64::MAX);
    let what = "shows its packets in another order when nothing has come or gone".to_owned();
    assert_eq!(world.fault(), Some(&Fault { link: there, queue: "odd".into(), what }));
}

#[test]
fn links_keep_count_of_what_is_discarded_and_doomed() {
    // Of four the first is in transmission. What is doomed goes while the link is down; nothing else does then.
    for (does, handoff) in
        [(Deed::Nothing, Handoff::Lose), (Deed::Paces, Handoff::Lose), (Deed::Nothing, Handoff::Discard)]
    {
        let mut network = NetworkBuilder::new(1);
        network.clock_offsets(false);
        let packets = PacketPlan { links: vec![LinkId(0)], ..PacketPlan::default() };
        network.probes(ProbePlan { packets, ..ProbePlan::default() });
        let [a, b] = ["a", "b"].map(|name| network.node(name));
        let (name, from, to, mode, queue) = ("there".to_owned(), a, b, LinkMode::Fused, odd(does));
        let (rate, delay, loss) = (Rate(8_000_000), Duration::from_millis(10), loss_of(NO_LOSS));
        let there = network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
        link(&mut network, b, a, &wire(10), LinkMode::Fused);
        network.handoff(there, handoff, true);
        network.change(Instant(500_000), there, Change::Down);
        network.change(Instant(20_000_000), there, Change::Up);
        network.change(Instant(40_000_000), there, Change::Down);
        network.change(Instant(60_000_000), there, Change::Up);
        let sends = [(0, 1000), (0, 1001), (0, 1002), (0, 1003), (39_900, 1004), (39_900, 1005), (70_000, 1006)];
        let steps: Vec<_> = sends.iter().map(|&(micros, size)| (micros, Step::Send(size))).collect();
        let arrivals = script(&mut network, [a, b], Instant::ZERO, &steps);
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        world.run(Instant::from_secs_f64(0.5), u64::MAX);
        let came: Vec<u16> = arrivals.lock().expect("one thread").iter().map(|&(_, size, _)| size).collect();
        assert_eq!(came, [1000, 1004, 1006], "{does:?} {handoff:?}");
        assert_eq!(world.losses()[0].down, 4, "{does:?} {handoff:?}");
        // Each row names the packet that it is about.
        let rows = world.links()[0].probe().and_then(|probe| probe.rows()).expect("they were asked for");
        let of = |action| rows.iter().filter(|row| row.action == action).map(|row| row.packet.size).collect::<Vec<_>>();
        let lost = [1001, 1002, 1003, 1005];
        match handoff {
            Handoff::Discard => {
                assert_eq!(of(PacketAction::Discarded), lost);
                assert_eq!(of(PacketAction::Departed), [1000, 1004, 1006]);
            }
            _ => {
                assert_eq!(of(PacketAction::Unreceived), lost);
                assert_eq!(of(PacketAction::Departed), [1000, 1001, 1002, 1003, 1004, 1005, 1006], "{does:?}");
            }
        }
    }
}
