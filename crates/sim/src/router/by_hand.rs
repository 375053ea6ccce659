//! The agents of this crate, driven by hand.

use super::battery::packet;
use super::*;
use crate::queue::InterfaceView;
use faircast_proto::packet::{Header, MembershipMessage};
use monitor::Monitor;
use rate_cap::RateCap;

/// An interface on which so many groups of two sessions of six are joined and held back.
struct Bench {
    now: Instant,
    sessions: [SessionAt; 2],
    hosts: [NodeId; 3],
    out: RouterOutbox,
}

impl Bench {
    fn new() -> Bench {
        let session = |flow: u32| SessionAt {
            flow: FlowId(flow),
            first: Address::group(6 * flow),
            groups: 6,
            control: GroupSet::of(5),
            joined: GroupSet::all(6),
            blocked: GroupSet::EMPTY,
        };
        let hosts = [4, 4, 9].map(NodeId);
        Bench { now: Instant::ZERO, sessions: [0, 1].map(session), hosts, out: RouterOutbox::default() }
    }

    fn context() -> RouterContext {
        RouterContext {
            rate: Rate(7_654_321),
            delay: Duration::ZERO,
            limit: QueueSize::Packets(20.0),
            is_fair: false,
            mean_packet_bytes: 1000,
            random: Random::stream(1, "by hand"),
        }
    }

    /// Lets an agent see the interface.
    fn see<T>(&mut self, look: impl FnOnce(&RouterView<'_>, &mut RouterOutbox) -> T) -> T {
        let interface = InterfaceView {
            now: self.now,
            waiting_pkts: 0,
            waiting_bytes: 0,
            transmitting: false,
            idle_since: Instant::ZERO,
            rate: Rate(7_654_321),
        };
        look(&RouterView { interface, sessions: &self.sessions, hosts: &self.hosts }, &mut self.out)
    }

    fn join(&mut self, agent: &mut impl RouterAgent) {
        for session in self.sessions {
            let SessionAt { flow, first, joined, .. } = session;
            let change = MembershipChange { flow, first, joined, left: GroupSet::EMPTY };
            self.see(|at, out| agent.on_membership(&change, at, out));
        }
    }

    /// A second in which so many packets of 125 bytes, 1000 bits, come to each of these groups. Gives what is asked.
    fn second(&mut self, agent: &mut impl RouterAgent, groups: &[(u32, u32)]) -> Vec<RouterAction> {
        let end = self.now + Duration::from_secs(1);
        for &(group, pkts) in groups {
            for number in 0..pkts {
                let data = packet(self.now, FlowId(0), Address::endpoint(0), Address::group(group), number);
                let data = Packet { size: 125, ..data };
                assert_eq!(self.see(|at, out| agent.on_packet(&data, at, out)), Offer::Forward);
            }
        }
        while let Some(deadline) = agent.deadline().filter(|&deadline| deadline <= end) {
            self.now = deadline;
            self.see(|at, out| agent.on_timeout(at, out));
        }
        self.now = end;
        self.take()
    }

    /// Takes out what is asked, and does it.
    fn take(&mut self) -> Vec<RouterAction> {
        let asked: Vec<RouterAction> = self.out.drain().collect();
        for action in &asked {
            match *action {
                RouterAction::Block(group) => self.sessions[group.index() / 6].blocked.insert(group.index() as u32 % 6),
                RouterAction::Release(group) => {
                    self.sessions[group.index() / 6].blocked.remove(group.index() as u32 % 6)
                }
                _ => panic!("{action:?}"),
            }
        }
        asked
    }
}

/// The gauges of the interface by name.
fn interface(agent: &impl RouterAgent) -> Vec<(&'static str, f64)> {
    let mut gauges = Vec::new();
    agent.gauges(&mut |RouterGauge { about, name, value }| {
        if about == GaugeSubject::Interface {
            gauges.push((name, value));
        }
    });
    gauges
}

/// What was asked for, the group's number negative for a block.
fn asked(actions: &[RouterAction]) -> Vec<(char, usize)> {
    let short = |action: &RouterAction| match *action {
        RouterAction::Block(group) => ('b', group.index()),
        RouterAction::Release(group) => ('r', group.index()),
        _ => panic!("{action:?}"),
    };
    actions.iter().map(short).collect()
}

#[test]
fn the_cap_blocks_the_highest_layer_and_releases_what_has_room() {
    let mut bench = Bench::new();
    let config = rate_cap::Config { rate: Rate(100_000), ..rate_cap::Config::default() };
    let mut cap = RateCap::new(&config, Bench::context());
    bench.join(&mut cap);
    assert_eq!(cap.deadline(), Some(Instant(20_000_000)));
    // Exactly the cap is not above it. What is no layer's counts as well, what belongs to no session does not.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 50), (5, 20), (9, 30), (99, 999)])), []);
    assert_eq!(interface(&cap), [("rate_bps", 100_000.0), ("blocks", 0.0), ("releases", 0.0)]);
    // A bit more is. The highest layers are 4 of both sessions; group 5 is no layer. 40 + 60 + 1 kbit/s.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 40), (4, 1), (10, 60)])), [('b', 10)]);
    assert_eq!(interface(&cap), [("rate_bps", 101_000.0), ("blocks", 1.0), ("releases", 0.0)]);
    // It was worth 60 kbit/s: no room beside 41, room beside 40.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 41)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 40)])), [('r', 10)]);
    assert_eq!(interface(&cap), [("rate_bps", 40_000.0), ("blocks", 1.0), ("releases", 1.0)]);
    // One action a second, from the highest down, and back from the lowest up.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 101)])), [('b', 10)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 101)])), [('b', 4)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 101)])), [('b', 9)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 1)])), [('r', 9)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 1)])), [('r', 4)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 1)])), [('r', 10)]);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 1)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[])), []);
    assert!(interface(&cap)[0].1.is_sign_positive(), "a rate of nothing is zero, not minus zero");
}

#[test]
fn the_cap_forgets_what_is_left_and_rests_without_sessions() {
    let mut bench = Bench::new();
    let config = rate_cap::Config { rate: Rate(100_000), ..rate_cap::Config::default() };
    let mut cap = RateCap::new(&config, Bench::context());
    assert_eq!(cap.deadline(), None);
    bench.join(&mut cap);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 60), (10, 60)])), [('b', 10)]);
    // Left and joined again, it is blocked no more; blocked by its neighbour's doing it is worth nothing known.
    let (first, change) = (Address::group(6), GroupSet::of(4));
    let left = MembershipChange { flow: FlowId(1), first, joined: GroupSet::EMPTY, left: change };
    bench.see(|at, out| cap.on_membership(&left, at, out));
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 60)])), [('r', 10)], "nothing is known of it: there is room");
    // Without sessions there is nothing to do; who comes later begins anew.
    let sessions = bench.sessions;
    bench.see(|at, out| {
        let nobody = RouterView { sessions: &[], ..*at };
        cap.on_membership(&left, &nobody, out);
    });
    assert_eq!(cap.deadline(), None);
    let data = Packet { size: 50_000, ..packet(bench.now, FlowId(0), Address::endpoint(0), Address::group(0), 0) };
    bench.see(|at, out| cap.on_packet(&data, at, out));
    bench.now = Instant(7_654_321_000);
    bench.sessions = sessions;
    bench.join(&mut cap);
    assert_eq!(cap.deadline(), Some(Instant(7_674_321_000)));
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 100)])), []);
    assert_eq!(interface(&cap)[0], ("rate_bps", 100_000.0), "of the second, not of what was before");
}

#[test]
fn only_groups_have_a_place_in_a_session() {
    let place = |address| Bench::new().see(|at, _| at.place(address).map(|(session, number)| (session.flow.0, number)));
    assert_eq!([5, 6, 12].map(|number| place(Address::group(number))), [Some((0, 5)), Some((1, 0)), None]);
    assert_eq!([0, 6].map(|number| place(Address::endpoint(number))), [None, None]);
    assert_eq!(place(Address::NEIGHBOUR), None);
}

#[test]
fn the_cap_measures_over_its_window() {
    let mut bench = Bench::new();
    let window = Duration::from_secs(2);
    let config = rate_cap::Config { rate: Rate(100_000), window, ..rate_cap::Config::default() };
    let mut cap = RateCap::new(&config, Bench::context());
    assert_eq!(interface(&cap)[0], ("rate_bps", 0.0));
    bench.join(&mut cap);
    // 100 kbit/s over two seconds, however they come; 101 kbit/s over the next two, of which the highest has 30.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 150)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 50)])), []);
    assert_eq!(interface(&cap)[0], ("rate_bps", 100_000.0));
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 142), (10, 60)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[])), [('b', 10)]);
    // Room for 30 kbit/s is beside 70, not beside 71.
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 142)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[(0, 140)])), []);
    assert_eq!(asked(&bench.second(&mut cap, &[])), [('r', 10)]);
}

#[test]
fn the_caps_parameters_are_checked() {
    let wrong = |rate: u64, interval_us: u64, window_us: u64| {
        let [interval, window] = [interval_us, window_us].map(Duration::from_micros);
        rate_cap::Config { rate: Rate(rate), interval, window }.check()
    };
    assert_eq!(wrong(1, 1_000, 1_000), []);
    let texts =
        |wrong: Vec<(String, String)>| wrong.into_iter().map(|(at, what)| at + ": " + &what).collect::<Vec<_>>();
    assert_eq!(texts(wrong(0, 1_000, 1_000)), ["rate: 0 bit/s given; legal is above 0 bit/s"]);
    assert_eq!(texts(wrong(1, 999, 1_000)), ["interval: 0.000999 s given; legal is 0.001 s or more"]);
    assert_eq!(texts(wrong(1, 2_000, 1_999)), ["window: 0.001999 s given; legal is interval = 0.002 s or more"]);
}

#[test]
fn the_monitor_counts_by_interface_flow_group_and_pair() {
    let mut bench = Bench::new();
    let mut monitor = Monitor::new(&monitor::Config {}, Bench::context());
    assert_eq!(interface(&monitor), [("joins", 0.0), ("leaves", 0.0)]);
    bench.join(&mut monitor);
    let change = MembershipChange {
        flow: FlowId(0),
        first: Address::group(0),
        joined: GroupSet::of(1),
        left: GroupSet::of(2) | GroupSet::of(3),
    };
    bench.see(|at, out| monitor.on_membership(&change, at, out));
    let [here, there] = [0, 2].map(Address::endpoint);
    let data = |flow: u32, to: Address, size: u16| Packet { size, ..packet(bench.now, FlowId(flow), here, to, 0) };
    let (what, groups) = (MembershipMessage::Report, GroupSet::EMPTY);
    let report = Header::Membership { what, session: 0, number: 0, groups };
    let packets = [
        data(0, Address::group(3), 700),
        data(0, Address::group(3), 321),
        data(7, there, 500),
        // The second endpoint is on the first one's host.
        Packet { source: Address::endpoint(1), ..data(8, there, 40) },
        Packet { header: report, ..data(0, Address::NEIGHBOUR, 40) },
    ];
    for packet in &packets {
        assert_eq!(bench.see(|at, out| monitor.on_packet(packet, at, out)), Offer::Forward);
    }
    let mut counted = Vec::new();
    monitor.gauges(&mut |gauge| counted.push(gauge));
    let of = |about: GaugeSubject| -> Vec<f64> {
        let names = ["data_pkts", "data_bytes", "other_pkts"];
        let value = |name| counted.iter().find(|gauge| gauge.about == about && gauge.name == name).map(|g| g.value);
        names.into_iter().filter_map(value).collect()
    };
    assert_eq!(of(GaugeSubject::Interface), [4.0, 1561.0, 1.0]);
    assert_eq!(of(GaugeSubject::Flow(FlowId(0))), [2.0, 1021.0, 1.0]);
    assert_eq!(of(GaugeSubject::Flow(FlowId(7))), [1.0, 500.0, 0.0]);
    assert_eq!(of(GaugeSubject::Group(Address::group(3))), [2.0, 1021.0, 0.0]);
    assert_eq!(of(GaugeSubject::Group(Address::NEIGHBOUR)), [0.0, 0.0, 1.0]);
    assert_eq!(of(GaugeSubject::Pair(NodeId(4), NodeId(9))), [2.0, 540.0, 0.0]);
    assert_eq!(counted.len(), 7 * 3 + 2, "and flow 8");
    assert_eq!(interface(&monitor)[3..], [("joins", 13.0), ("leaves", 2.0)]);
    assert!(bench.out.is_empty());
}
