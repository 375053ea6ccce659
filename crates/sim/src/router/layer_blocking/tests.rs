mod by_drops;

use super::*;
use crate::ids::NodeId;
use crate::queue::InterfaceView;
use crate::router::RouterAction;
use crate::router::battery::packet;
use faircast_proto::packet::Address;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Rate};

/// An interface with a queue of 50 packets and two sessions of six groups, the last of which is no layer.
struct Bench {
    agent: LayerBlocking,
    sessions: Vec<SessionAt>,
    waiting: u32,
    rate: Rate,
    now: Instant,
    /// The session whose source has paused.
    paused: Option<FlowId>,
    done: Vec<(char, usize)>,
}

const RATE: Rate = Rate(1_500_000);

impl Bench {
    fn new(config: &Config) -> Bench {
        Bench::before(config, QueueSize::Packets(50.0))
    }

    fn before(config: &Config, limit: QueueSize) -> Bench {
        Bench::at(config, limit, false)
    }

    fn at(config: &Config, limit: QueueSize, is_fair: bool) -> Bench {
        let context = RouterContext {
            rate: RATE,
            delay: Duration::ZERO,
            limit,
            is_fair,
            mean_packet_bytes: 1000,
            random: Random::stream(1, "bench"),
        };
        let agent = LayerBlocking::new(config, context);
        Bench {
            agent,
            sessions: Vec::new(),
            waiting: 0,
            rate: RATE,
            now: Instant::ZERO,
            paused: None,
            done: Vec::new(),
        }
    }

    fn hands<T>(&mut self, hand: impl FnOnce(&mut LayerBlocking, &RouterView<'_>, &mut RouterOutbox) -> T) -> T {
        let interface = InterfaceView {
            now: self.now,
            waiting_pkts: self.waiting,
            waiting_bytes: 1000 * u64::from(self.waiting),
            transmitting: true,
            idle_since: Instant::ZERO,
            rate: self.rate,
        };
        let mut out = RouterOutbox::default();
        let hosts = [1, 2, 3, 3].map(NodeId);
        let view = RouterView { interface, sessions: &self.sessions, hosts: &hosts };
        let result = hand(&mut self.agent, &view, &mut out);
        for action in out.drain() {
            let (group, blocked) = match action {
                RouterAction::Block(group) => (group, true),
                RouterAction::Release(group) => (group, false),
                _ => continue,
            };
            let session = self.sessions.iter_mut().find(|session| session.first.index() / 6 == group.index() / 6);
            let session = session.expect("it is one of theirs");
            let number = group.index() as u32 % 6;
            assert!(session.joined.contains(number) && session.blocked.contains(number) != blocked);
            session.blocked = session.blocked ^ GroupSet::of(number);
            self.done.push((if blocked { 'b' } else { 'r' }, group.index()));
        }
        result
    }

    /// Session `flow` has these groups joined from now on.
    fn join(&mut self, flow: u32, groups: &[u32]) {
        let joined = groups.iter().fold(GroupSet::EMPTY, |all, &group| all | GroupSet::of(group));
        let known = self.sessions.iter().position(|session| session.flow == FlowId(flow));
        let before = known.map_or(GroupSet::EMPTY, |known| self.sessions[known].joined);
        let first = Address::group(6 * flow);
        match known {
            Some(known) if joined.is_empty() => drop(self.sessions.remove(known)),
            Some(known) => {
                self.sessions[known].joined = joined;
                self.sessions[known].blocked &= joined;
            }
            None => self.sessions.push(SessionAt {
                flow: FlowId(flow),
                first,
                groups: 6,
                control: GroupSet::of(5),
                joined,
                blocked: GroupSet::EMPTY,
            }),
        }
        let change = MembershipChange { flow: FlowId(flow), first, joined: joined - before, left: before - joined };
        self.hands(|agent, at, out| agent.on_membership(&change, at, out));
    }

    /// Lets so many seconds pass, in each of which ten packets of every group that passes come and so many of unicast
    /// flow 9. What has been done.
    fn pass(&mut self, seconds: f64, unicast: u32) -> Vec<(char, usize)> {
        let end = self.now + Duration::from_secs_f64(seconds);
        while self.now < end {
            let next = Instant((self.now.0 / 100_000_000 + 1) * 100_000_000);
            let open: Vec<Address> = self
                .sessions
                .iter()
                .filter(|session| self.paused != Some(session.flow))
                .flat_map(|session| (session.joined - session.blocked).iter().map(|group| session.group(group)))
                .collect();
            for group in open {
                let data = packet(self.now, FlowId(group.index() as u32 / 6), Address::endpoint(0), group, 1);
                self.hands(|agent, at, out| agent.on_packet(&data, at, out));
            }
            for number in 0..unicast / 10 {
                let data = packet(self.now, FlowId(9), Address::endpoint(0), Address::endpoint(1), number);
                self.hands(|agent, at, out| agent.on_packet(&data, at, out));
            }
            while let Some(deadline) = self.agent.deadline().filter(|&deadline| deadline <= next) {
                self.now = deadline;
                self.hands(|agent, at, out| agent.on_timeout(at, out));
            }
            self.now = next;
        }
        std::mem::take(&mut self.done)
    }
}

impl Bench {
    /// The value of a gauge now.
    fn told(&self, about: GaugeSubject, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.agent.gauges(&mut |gauge| {
            if gauge.about == about && gauge.name == name {
                found = gauge.value;
            }
        });
        found
    }

    /// The queue drops or marks a packet of a session or flow.
    fn acts_on(&mut self, flow: u32) {
        let to = if flow == 9 { Address::endpoint(1) } else { Address::group(6 * flow) };
        let data = packet(self.now, FlowId(flow), Address::endpoint(0), to, 1);
        let now = self.now;
        self.hands(|agent, _, _| agent.on_congestion(&data, now));
    }

    /// As `pass`, and the queue acts on a packet of `flow` every so many seconds.
    fn pass_acting(&mut self, seconds: f64, unicast: u32, (flow, each): (u32, f64)) -> Vec<(char, usize)> {
        let end = self.now + Duration::from_secs_f64(seconds);
        let mut done = Vec::new();
        while self.now < end {
            self.acts_on(flow);
            done.extend(self.pass(each, unicast));
        }
        done
    }

    /// A packet is offered: of 500 bytes if its number is a multiple of three, else of 1000.
    fn offer(&mut self, flow: u32, to: Address, number: u32) {
        let data = packet(self.now, FlowId(flow), Address::endpoint(0), to, number);
        self.hands(|agent, at, out| agent.on_packet(&data, at, out));
    }
}

#[test]
fn the_session_with_most_layers_gives_its_highest_and_the_one_with_fewest_gets_its_lowest() {
    let mut bench = Bench::new(&Config::default());
    bench.join(0, &[0, 1, 2, 3, 5]);
    bench.join(1, &[0, 1, 2, 3, 4]);
    bench.waiting = 30;
    assert_eq!(bench.pass(2.1, 100), []);
    // Means: 10 a second of unicast; 40 and 50 of the sessions. One block each half second while the queue is long:
    // layer 4 of the second; then of the two of four layers the one that was not blocked; and so on. Each keeps its
    // base.
    bench.waiting = 45;
    let all = bench.pass(5.0, 10);
    assert_eq!(all, [('b', 10), ('b', 3), ('b', 9), ('b', 2), ('b', 8), ('b', 1), ('b', 7)]);
    assert_eq!(bench.pass(5.0, 0), [], "the last layers stay");
    // The queue is empty: the session that was least recently given one first, each time the lowest layer.
    bench.waiting = 0;
    let all = bench.pass(200.0, 1000);
    assert_eq!(all, [('r', 1), ('r', 7), ('r', 2), ('r', 8), ('r', 3), ('r', 9), ('r', 10)]);
}

#[test]
fn of_sessions_with_equally_many_layers_the_one_least_recently_given_one_is_next() {
    let mut bench = Bench::new(&Config::default());
    bench.join(0, &[0, 1, 2, 3]);
    bench.join(1, &[0, 1, 2, 3, 4]);
    bench.waiting = 30;
    bench.pass(2.1, 10);
    bench.waiting = 45;
    // Down to one layer of the first session and two of the second.
    assert_eq!(bench.pass(2.9, 10), [('b', 10), ('b', 3), ('b', 9), ('b', 2), ('b', 8), ('b', 1)]);
    bench.waiting = 0;
    assert_eq!(bench.pass(200.0, 1000), [('r', 1), ('r', 8), ('r', 2), ('r', 9), ('r', 3), ('r', 10)]);
    let counts = ["blocks", "releases", "refusals"].map(|name| bench.told(GaugeSubject::Interface, name));
    assert_eq!(counts, [6.0, 6.0, 0.0]);
    bench.join(1, &[0, 1, 2]);
    bench.join(1, &[0, 1, 2, 3, 4]);
    assert_eq!(bench.told(GaugeSubject::Interface, "refusals"), 2.0);
}

#[test]
fn the_last_layer_that_passes_stays_though_it_is_not_the_base() {
    let mut bench = Bench::new(&Config::default());
    bench.join(0, &[0, 1, 2]);
    bench.waiting = 45;
    // Upstream the base is lost.
    for number in 0..30 {
        bench.offer(0, Address::group(1), 3 * number + 1);
        bench.now += Duration::from_millis(100);
        bench.hands(|agent, at, out| agent.on_timeout(at, out));
    }
    assert_eq!((bench.done.as_slice(), bench.told(GaugeSubject::Flow(FlowId(0)), "live_layers")), (&[][..], 1.0));
}

#[test]
fn the_bound_on_the_waste_knows_how_large_layers_are() {
    let film = GaugeSubject::Flow(FlowId(0));
    for count in [Count::Packets, Count::Bytes] {
        let mut bench = Bench::new(&Config { count, ..Config::default() });
        bench.join(0, &[0, 1, 2]);
        bench.waiting = 20;
        bench.pass(2.2, 10);
        bench.waiting = 45;
        assert_eq!(bench.pass(0.1, 10), [('b', 2)]);
        bench.waiting = 20;
        // 20 packets of 1000 bytes in 2 s; of a layer that has never passed the mean of the two that do.
        bench.pass(0.1, 10);
        assert_eq!(bench.told(film, "waste_bound_bps"), 80e3, "{count:?}");
        bench.join(0, &[0, 1]);
        bench.join(0, &[0, 1, 3]);
        bench.pass(0.1, 10);
        assert_eq!(bench.told(film, "waste_bound_bps"), 76e3, "{count:?}");
    }
}

/// It is no session on the interface while nothing of it comes: neither do the others wait for its layers to be
/// released, nor does it come back with all of them.
#[test]
fn a_session_whose_source_has_paused_is_given_nothing() {
    let mut bench = Bench::new(&Config::default());
    bench.join(0, &[0, 1, 2]);
    bench.join(1, &[0, 1, 2]);
    bench.waiting = 20;
    bench.pass(2.1, 20);
    bench.waiting = 45;
    assert_eq!(bench.pass(3.0, 0), [('b', 8), ('b', 2), ('b', 7), ('b', 1)]);
    bench.paused = Some(FlowId(0));
    assert_eq!(bench.pass(3.1, 0), []);
    bench.waiting = 0;
    assert_eq!(bench.pass(200.0, 1000), [('r', 7), ('r', 8)]);
    assert_eq!(bench.told(GaugeSubject::Interface, "multicast_sessions"), 1.0);
    bench.paused = None;
    assert_eq!(bench.pass(200.0, 1000), [('r', 1), ('r', 2)]);
}

/// As when a terminal is handed off to another satellite and back: first layer by layer, then all at once.
#[test]
fn a_tree_that_leaves_and_comes_back_finds_the_gate_open_and_nothing_remembered() {
    for leaves in [&[&[0, 1][..], &[0], &[]][..], &[&[]]] {
        let mut bench = Bench::new(&Config::default());
        let film = GaugeSubject::Flow(FlowId(0));
        bench.join(0, &[0, 1, 2]);
        bench.waiting = 20;
        bench.pass(2.2, 10);
        // Layer 2 sends more than the others for a while, and is blocked.
        (0..50).for_each(|number| bench.offer(0, Address::group(2), 3 * number + 1));
        bench.waiting = 45;
        assert_eq!(bench.pass(0.1, 10), [('b', 2)]);
        bench.pass(0.02, 10);
        assert_eq!(bench.told(film, "waste_bound_bps"), 280e3, "{leaves:?}");
        bench.waiting = 0;
        bench.pass(0.9, 0);
        leaves.iter().for_each(|groups| bench.join(0, groups));
        assert_eq!(bench.agent.deadline(), None);
        assert!(bench.told(film, "capped").is_nan());
        bench.pass(0.5, 0);
        bench.join(0, &[0, 1, 2]);
        // No observation has begun before, and no layer is held back.
        assert_eq!(bench.pass(0.1, 0), [], "{leaves:?}");
        assert_eq!(bench.told(film, "capped"), 0.0);
        bench.waiting = 20;
        bench.pass(2.2, 10);
        bench.waiting = 45;
        assert_eq!(bench.pass(0.1, 10), [('b', 2)]);
        bench.pass(0.02, 10);
        assert_eq!(bench.told(film, "waste_bound_bps"), 80e3, "{leaves:?}");
    }
}

#[test]
fn what_is_no_layer_is_no_session() {
    let mut bench = Bench::new(&Config { admission: Admission::Capped, ..Config::default() });
    bench.join(0, &[5]);
    bench.join(1, &[0, 1, 5]);
    bench.waiting = 20;
    for _ in 0..20 {
        // What members tell each other is offered to the groups that are no layers.
        [5, 11].iter().for_each(|&group| bench.offer(group / 6, Address::group(group), 1));
        bench.pass(0.1, 10);
    }
    let told = ["multicast_sessions", "layers", "multicast_mean"].map(|name| bench.told(GaugeSubject::Interface, name));
    assert_eq!(told, [1.0, 2.0, 38.0]);
    // However long the queue is they pass.
    bench.waiting = 49;
    assert_eq!(bench.pass(10.0, 0), [('b', 7)]);
    bench.join(1, &[0, 1]);
    bench.join(1, &[0, 1, 5]);
    assert_eq!(bench.pass(1.0, 0), []);
    // A base that is the only layer stays, too.
    bench.join(1, &[]);
    bench.join(1, &[0, 5]);
    assert_eq!(bench.pass(10.0, 0), []);
}

#[test]
fn flows_are_forgotten_while_no_layer_is_joined() {
    let mut bench = Bench::new(&Config::default());
    for number in 0..100 {
        bench.offer(20 + number, Address::endpoint(1), 1);
        bench.now += Duration::from_secs(1);
    }
    let flows = bench.told(GaugeSubject::Interface, "unicast_sessions");
    assert!((1.0..=6.0).contains(&flows), "{flows}");
}

#[test]
fn the_phases_are_those_of_the_thresholds() {
    // 50 packets or 50 000 bytes: 40 of 1000 bytes are the upper threshold, none is the lower one.
    for limit in [QueueSize::Packets(50.0), QueueSize::Bytes(50_000)] {
        let mut bench = Bench::before(&Config::default(), limit);
        bench.join(0, &[0, 1]);
        for (waiting, phase) in [(0, 1.0), (1, 2.0), (39, 2.0), (40, 3.0), (49, 3.0)] {
            bench.waiting = waiting;
            bench.pass(0.1, 10);
            assert_eq!(bench.told(GaugeSubject::Interface, "phase"), phase, "{waiting} of {limit:?} wait");
        }
    }
    let mut bench = Bench::new(&Config { lower_threshold: 0.1, ..Config::default() });
    bench.join(0, &[0, 1]);
    for (waiting, phase) in [(5, 1.0), (6, 2.0)] {
        bench.waiting = waiting;
        bench.pass(0.1, 10);
        assert_eq!(bench.told(GaugeSubject::Interface, "phase"), phase, "{waiting} wait");
    }
    let looks = [1, 2, 3].map(|phase| bench.told(GaugeSubject::Interface, &format!("phase_{phase}_looks")));
    assert_eq!(looks, [5.0, 5.0, 0.0]);
}

#[test]
fn the_empty_layer_wastes_no_more_than_the_share_and_itself() {
    let mut bench = Bench::new(&Config::default());
    bench.join(0, &[0, 1, 2]);
    bench.waiting = 20;
    let film = GaugeSubject::Flow(FlowId(0));
    bench.pass(2.2, 100);
    assert_eq!((bench.told(film, "waste_bound_bps"), bench.told(film, "live_layers")), (0.0, 3.0), "no empty layer");
    bench.waiting = 45;
    bench.pass(3.0, 10);
    // What a layer of 10 packets a second sent in the 19 slots that are over when a new one begins: 76 kbit/s of 2 s.
    let live = bench.told(film, "live_layers");
    assert_eq!(live, 1.0, "each half second one, while there are more");
    // 1.5 Mbit/s for the film and one flow: the share is far away, so the bound is what the layer sent.
    assert_eq!(bench.told(film, "waste_bound_bps"), 76e3);
    // With 13 flows more the share is 100 kbit/s, of which the base takes 76.
    bench.waiting = 20;
    for flow in 20..33 {
        bench.offer(flow, Address::endpoint(1), 1);
    }
    bench.pass(0.1, 10);
    assert_eq!(bench.told(GaugeSubject::Interface, "unicast_sessions"), 14.0);
    assert_eq!(bench.told(film, "waste_bound_bps"), 24e3);
    // And with 12 more the base has more than a share.
    for flow in 33..45 {
        bench.offer(flow, Address::endpoint(1), 1);
    }
    bench.pass(0.1, 10);
    assert_eq!(bench.told(film, "waste_bound_bps"), 0.0);
    // A layer that has never passed is taken to be as large as those that do.
    bench.pass(4.0, 10);
    bench.join(0, &[0, 3]);
    bench.pass(0.1, 10);
    assert_eq!((bench.told(film, "waste_bound_bps"), bench.told(film, "capped")), (76e3, 1.0));
    bench.join(0, &[0]);
    bench.pass(0.1, 10);
    assert_eq!(bench.told(film, "waste_bound_bps"), 0.0, "no empty layer");
}

#[test]
fn bytes_are_counted_where_packets_differ() {
    // In the 19 slots that are over when a new one begins.
    for (count, expected) in [(Count::Packets, [19.0, 19.0]), (Count::Bytes, [19_000.0, 9500.0])] {
        let mut bench = Bench::new(&Config { count, ..Config::default() });
        bench.join(0, &[0]);
        bench.waiting = 20;
        for _ in 0..20 {
            // 500 bytes of the flow, 1000 of the layer.
            bench.offer(9, Address::endpoint(1), 3);
            bench.pass(0.1, 0);
        }
        let means = ["multicast_mean", "unicast_mean"].map(|name| bench.told(GaugeSubject::Interface, name));
        assert_eq!(means, expected, "{count:?}");
    }
}

#[test]
fn new_layers_of_a_capped_session_begin_blocked() {
    for (admission, expected) in [(Admission::Capped, vec![('b', 3), ('b', 2)]), (Admission::Open, vec![('b', 2)])] {
        let mut bench = Bench::new(&Config { admission, ..Config::default() });
        bench.join(0, &[0, 1, 2]);
        bench.waiting = 45;
        assert_eq!(bench.pass(0.3, 10), [('b', 2)], "{admission:?}");
        bench.waiting = 20;
        // The base never, nor what is no layer.
        bench.join(0, &[0, 1, 2, 3, 5]);
        bench.join(0, &[1, 2, 3, 5]);
        bench.join(0, &[0, 1, 2, 3, 5]);
        bench.join(0, &[0, 1, 3, 5]);
        bench.join(0, &[0, 1, 2, 3, 5]);
        let done = bench.pass(0.1, 10);
        let expected = if admission == Admission::Capped { expected } else { Vec::new() };
        assert_eq!(done, expected, "{admission:?}");
        // A receiver that leaves all layers and comes again is capped no more.
        bench.join(0, &[5]);
        bench.join(0, &[0, 1, 2, 5]);
        assert_eq!(bench.pass(0.1, 10), [], "{admission:?}");
    }
}

#[test]
fn it_rests_without_layers_and_looks_at_multiples_of_its_interval() {
    let mut bench = Bench::new(&Config::default());
    assert_eq!(bench.agent.deadline(), None);
    bench.now = Instant(7_654_321);
    bench.join(0, &[5]);
    assert_eq!(bench.agent.deadline(), None, "no layer");
    bench.join(0, &[0, 5]);
    assert_eq!(bench.agent.deadline(), Some(Instant(20_000_000)));
    bench.join(0, &[]);
    assert_eq!(bench.agent.deadline(), None);
}

#[test]
fn flows_between_two_hosts_are_one_session_if_so_wanted() {
    for (unicast, sessions) in [(Unicast::Flow, 3.0), (Unicast::Pair, 2.0)] {
        let mut bench = Bench::new(&Config { unicast, ..Config::default() });
        // Endpoints 2 and 3 are on one host.
        for (flow, to) in [(3, 1), (4, 2), (5, 3)] {
            let data = packet(bench.now, FlowId(flow), Address::endpoint(0), Address::endpoint(to), 0);
            bench.hands(|agent, at, out| agent.on_packet(&data, at, out));
        }
        assert_eq!(bench.told(GaugeSubject::Interface, "unicast_sessions"), sessions);
    }
}

#[test]
fn parameters_are_checked() {
    let wrong = |config: Config| config.check().into_iter().map(|(at, what)| at + ": " + &what).collect::<Vec<_>>();
    assert_eq!(wrong(Config::default()), [""; 0]);
    assert_eq!(
        wrong(Config { lower_threshold: 0.9, ..Config::default() }),
        ["upper_threshold: 0.8 given; legal is above lower_threshold = 0.9"]
    );
    assert_eq!(wrong(Config { slow_factor: 0.5, ..Config::default() }), ["slow_factor: 0.5 given; legal is 1 or more"]);
    assert_eq!(wrong(Config { excess: f64::NAN, ..Config::default() }), ["excess: NaN given; legal is 0 or more"]);
    assert_eq!(wrong(Config { lower_threshold: -0.1, ..Config::default() }).len(), 1);
    assert_eq!(wrong(Config { upper_threshold: 1.1, ..Config::default() }).len(), 1);
    assert_eq!(wrong(Config { excess: -0.1, ..Config::default() }), ["excess: -0.1 given; legal is 0 or more"]);
    let short = Config { memory: Duration::from_millis(19), ..Config::default() };
    assert_eq!(wrong(short), ["memory: 0.019 s given; legal is interval = 0.02 s or more"]);
    let millisecond = Duration::from_millis(1);
    let least = Config { interval: millisecond, window: millisecond, lifetime: millisecond, ..Config::default() };
    let least = Config { observation: millisecond, max_observation: millisecond, excess: 0.0, ..least };
    assert_eq!(wrong(Config { slow_factor: 1.0, back_factor: 1.0, upper_threshold: 1.0, ..least }), [""; 0]);
    let short = Config { window: Duration::from_millis(10), lifetime: Duration::from_millis(19), ..Config::default() };
    assert_eq!(
        wrong(short),
        [
            "window: 0.01 s given; legal is interval = 0.02 s or more",
            "lifetime: 0.019 s given; legal is interval = 0.02 s or more"
        ]
    );
}
