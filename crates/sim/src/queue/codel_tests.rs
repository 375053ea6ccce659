use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::battery::packet;
use crate::store::Store;

/// Packets that wait, and the control under which they leave.
struct Bench {
    rules: Rules,
    control: Control,
    packets: Fifo,
    store: Store,
}

fn ms(milliseconds: f64) -> Instant {
    Instant::from_secs_f64(milliseconds * 1e-3)
}

impl Bench {
    fn new(config: &Config) -> Bench {
        let rules = CoDel::new(config, crate::queue::battery::link(0)).rules;
        Bench { rules, control: Control::default(), packets: Fifo::default(), store: Store::default() }
    }

    /// `pkts` packets of `size` bytes come at `since`.
    fn come(&mut self, pkts: u32, size: u16, ecn: Ecn, since: Instant) {
        for _ in 0..pkts {
            let label = self.store.insert(&packet(size, ecn));
            self.packets.push(Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false });
            self.rules.see(size);
        }
    }

    /// What happens when one leaves: how many are dropped before it, and what becomes of it.
    fn leave(&mut self, now: Instant) -> (usize, Option<Verdict>) {
        let mut drops = Drops::default();
        let out = self.control.dequeue(&self.rules, now, &mut self.packets, 0, &mut drops);
        assert!(drops.packets.iter().all(|(_, reason)| *reason == DropReason::Active));
        (drops.packets.len(), out.map(|(_, verdict)| verdict))
    }

    /// One leaves each millisecond from `from` on, `pkts` in all; when something was dropped, in ms, and how many.
    fn drain(&mut self, from: u64, pkts: u64) -> Vec<(u64, usize)> {
        let left = (from..from + pkts).map(|at| (at, self.leave(ms(at as f64)).0));
        left.filter(|(_, dropped)| *dropped > 0).collect()
    }
}

#[test]
fn drops_follow_the_control_law() {
    let mut bench = Bench::new(&Config::default());
    bench.come(1000, 1000, Ecn::Capable, Instant::ZERO);
    // The first that has waited for 5 ms leaves at 5; after an interval the first drop, then after 100 / sqrt(n):
    // 205, 275.71, 333.45, 383.45, 428.17 ms.
    assert_eq!(bench.drain(0, 430), [(105, 1), (205, 1), (276, 1), (334, 1), (384, 1), (429, 1)]);
    assert_eq!((bench.control.count, bench.control.last_count), (6, 1));
    let next = 428.1715 + 100.0 / 6.0_f64.sqrt();
    assert!((bench.control.drop_next.as_secs_f64() * 1e3 - next).abs() < 0.01, "{:?}", bench.control);
    // After a pause those that are due meanwhile are dropped at once: 469.0, 506.8, 542.1, 575.5, 607.1 ms.
    assert_eq!(bench.leave(ms(600.0)), (4, Some(Verdict::Accept)));
}

#[test]
fn below_the_target_nothing_is_dropped_and_the_interval_begins_again() {
    let mut bench = Bench::new(&Config::default());
    bench.come(100, 1000, Ecn::NotCapable, Instant::ZERO);
    assert_eq!(bench.drain(0, 99), []);
    // One that has waited for less, just before the interval is over.
    bench.come(1000, 1000, Ecn::NotCapable, ms(94.1));
    assert_eq!(bench.leave(ms(99.0)), (0, Some(Verdict::Accept)));
    assert_eq!(bench.leave(ms(99.05)), (0, Some(Verdict::Accept)), "4.95 ms is less than the target");
    assert_eq!(bench.control.first_above, None);
    assert_eq!(bench.leave(ms(99.1)), (0, Some(Verdict::Accept)), "5 ms is not");
    assert_eq!(bench.control.first_above, Some(ms(199.1)));
    assert_eq!(bench.leave(ms(199.0)).0, 0);
    assert_eq!(bench.leave(ms(199.1)).0, 1);
}

/// A control that has dropped six, and left the drop state at 430 ms.
fn calmed() -> Bench {
    let mut bench = Bench::new(&Config::default());
    bench.come(450, 1000, Ecn::NotCapable, Instant::ZERO);
    bench.drain(0, 430);
    assert!(bench.control.dropping);
    bench.packets = Fifo::default();
    bench.come(3, 1000, Ecn::NotCapable, ms(430.0));
    assert_eq!(bench.drain(430, 4), []);
    assert!(!bench.control.dropping && bench.packets.is_empty());
    bench
}

#[test]
fn soon_after_the_drop_state_it_begins_where_it_was() {
    let mut bench = calmed();
    bench.come(1000, 1000, Ecn::NotCapable, ms(1000.0));
    // Six less the one that it began with: 5, so 44.7 ms to the next and 40.8 to the one after it.
    assert_eq!(bench.drain(1005, 187), [(1105, 1), (1150, 1), (1191, 1)]);
    assert_eq!(bench.control.last_count, 5);
}

#[test]
fn long_after_it_with_one() {
    // The drop that did not come was due at 469 ms; 16 intervals later is 2069 ms.
    for (begin, second) in [(1963, 2113), (1964, 2169)] {
        let mut bench = calmed();
        bench.come(1000, 1000, Ecn::NotCapable, ms(begin as f64));
        let dropped = bench.drain(begin + 5, 206);
        assert_eq!((dropped[0].0, dropped[1].0), (begin + 105, second), "{dropped:?}");
    }
}

#[test]
fn of_a_single_drop_nothing_is_remembered() {
    let mut bench = Bench::new(&Config::default());
    bench.come(120, 1000, Ecn::NotCapable, Instant::ZERO);
    assert_eq!(bench.drain(0, 121), [(105, 1)]);
    bench.come(500, 1000, Ecn::NotCapable, ms(200.0));
    assert_eq!(bench.drain(205, 201), [(305, 1), (405, 1)]);
}

#[test]
fn what_fits_into_a_packet_is_left_alone() {
    // When two have waited for long, the second is all that would be left.
    let run = |mtu: Option<u64>| {
        let mut bench = Bench::new(&Config { mtu: mtu.map(Bytes), ..Config::default() });
        bench.come(1, 1000, Ecn::NotCapable, Instant::ZERO);
        bench.come(300, 500, Ecn::NotCapable, Instant::ZERO);
        bench.drain(0, 120);
        let mut left = None;
        for at in 120..400 {
            let before = bench.packets.len();
            match bench.leave(ms(at as f64)) {
                (0, _) => {}
                _ => left = Some(before),
            }
        }
        left
    };
    // With the largest that has come, 1000 bytes, three must wait for the oldest to be dropped, of any size else.
    assert!(run(None).is_some_and(|before| before > 3));
    let mut bench = Bench::new(&Config { mtu: Some(Bytes(500)), ..Config::default() });
    bench.come(3, 500, Ecn::NotCapable, Instant::ZERO);
    (bench.control.first_above, bench.control.dropping) = (Some(ms(1.0)), true);
    assert_eq!(bench.leave(ms(500.0)), (1, Some(Verdict::Accept)), "1000 bytes would be left, then 500");
    assert!(!bench.control.dropping);
    let mut bench = Bench::new(&Config { mtu: Some(Bytes(1000)), ..Config::default() });
    bench.come(3, 500, Ecn::NotCapable, Instant::ZERO);
    (bench.control.first_above, bench.control.dropping) = (Some(ms(1.0)), true);
    assert_eq!(bench.leave(ms(500.0)), (0, Some(Verdict::Accept)), "no more than 1000 bytes would be left");
    assert!(!bench.control.dropping && bench.control.first_above.is_none());
}

#[test]
fn marks_take_the_place_of_drops() {
    let mut bench = Bench::new(&Config { ecn: true, ..Config::default() });
    bench.come(290, 1000, Ecn::Capable, Instant::ZERO);
    bench.come(300, 1000, Ecn::NotCapable, Instant::ZERO);
    let marked: Vec<u64> = (0..290).filter(|&at| bench.leave(ms(at as f64)).1 != Some(Verdict::Accept)).collect();
    assert_eq!(marked, [105, 205, 276]);
    assert_eq!(bench.packets.len(), 300, "each that left was one");
    assert_eq!(bench.drain(290, 100), [(334, 1), (384, 1)], "whose sender knows no ECN is dropped");
    // Without the option they are dropped.
    let mut bench = Bench::new(&Config::default());
    bench.come(300, 1000, Ecn::Capable, Instant::ZERO);
    assert_eq!(bench.drain(0, 110), [(105, 1)]);
    // One mark at a time: what was due meanwhile comes with the next packets.
    let mut bench = Bench::new(&Config { ecn: true, ..Config::default() });
    bench.come(900, 1000, Ecn::Incipient, Instant::ZERO);
    bench.drain(0, 210);
    let marks = (0..4).map(|n| bench.leave(ms(340.0 + 0.1 * f64::from(n))).1);
    let mark = Some(Verdict::Mark(Ecn::Moderate));
    assert_eq!(marks.collect::<Vec<_>>(), [mark, mark, Some(Verdict::Accept), Some(Verdict::Accept)]);
}

#[test]
fn what_has_waited_longer_than_a_threshold_is_marked() {
    let mut bench = Bench::new(&Config { ce_threshold: Some(Duration::from_millis(2)), ..Config::default() });
    bench.come(4, 1000, Ecn::Capable, Instant::ZERO);
    bench.come(4, 1000, Ecn::NotCapable, Instant::ZERO);
    let mut leave = |at: f64| bench.leave(ms(at)).1;
    assert_eq!([leave(1.0), leave(2.0)], [Some(Verdict::Accept); 2]);
    assert_eq!([leave(2.001), leave(50.0)], [Some(Verdict::Mark(Ecn::Moderate)); 2]);
    assert_eq!(leave(60.0), Some(Verdict::Accept), "its sender knows no ECN");
}

#[test]
fn an_empty_queue_ends_the_drop_state() {
    let mut bench = Bench::new(&Config::default());
    bench.come(130, 1000, Ecn::NotCapable, Instant::ZERO);
    bench.drain(0, 110);
    assert!(bench.control.dropping);
    bench.packets = Fifo::default();
    assert_eq!(bench.leave(ms(120.0)), (0, None));
    assert!(!bench.control.dropping && bench.control.first_above.is_none());
}

#[test]
fn parameters_are_checked() {
    let wrong = |config: Config| {
        config.check().into_iter().map(|(field, message)| format!("{field}: {message}")).collect::<Vec<_>>()
    };
    assert_eq!(wrong(Config::default()), [""; 0]);
    let zero = Config { target: Duration::ZERO, ..Config::default() };
    assert_eq!(wrong(zero), ["target: 0 s given; legal is above 0 s up to 3600 s"]);
    let equal = Config { target: Duration::from_millis(100), ..Config::default() };
    assert_eq!(wrong(equal), ["interval: 0.1 s given; legal is above target = 0.1 s up to 3600 s"]);
    assert_eq!(wrong(Config { mtu: Some(Bytes(0)), ..Config::default() }), ["mtu: 0 B given; legal is 1 B or more"]);
    assert_eq!(wrong(Config { limit: QueueSize::Packets(0.0), ..Config::default() }).len(), 1);
}

#[test]
fn what_finds_no_room_is_dropped_and_does_not_count() {
    let mut queue =
        CoDel::new(&Config { limit: QueueSize::Packets(3.0), ..Config::default() }, crate::queue::battery::link(0));
    let view = |waiting_pkts: u32| InterfaceView {
        now: ms(500.0),
        waiting_pkts,
        waiting_bytes: 0,
        transmitting: true,
        idle_since: Instant::ZERO,
        rate: faircast_proto::time::Rate(1),
    };
    assert_eq!(queue.arrive(&packet(1000, Ecn::Capable), &view(2)), Verdict::Accept);
    assert_eq!(queue.arrive(&packet(1000, Ecn::Capable), &view(3)), Verdict::Drop(DropReason::Overflow));
    assert_eq!(queue.control.count, 0);
}

#[test]
fn what_must_be_left_is_the_largest_packet_that_has_come() {
    // The large one has gone; three of 500 wait, so that behind the first no more than 1000 bytes are left, or more.
    for (largest, dropped) in [(400, 1), (999, 1), (1000, 0)] {
        let mut bench = Bench::new(&Config::default());
        bench.come(1, largest, Ecn::NotCapable, Instant::ZERO);
        assert_eq!(bench.leave(ms(0.0)), (0, Some(Verdict::Accept)));
        bench.come(3, 500, Ecn::NotCapable, Instant::ZERO);
        (bench.control.first_above, bench.control.dropping) = (Some(ms(1.0)), true);
        assert_eq!(bench.leave(ms(500.0)), (dropped, Some(Verdict::Accept)), "{largest}");
    }
}

#[test]
fn a_short_while_ago_is_less_than_sixteen_intervals() {
    // The third drop would have been due at 500 ms; two drops after the first one in the drop state are remembered.
    for (now, count) in [(2099.999, 2), (2100.0, 1)] {
        let mut bench = Bench::new(&Config::default());
        bench.come(3, 1000, Ecn::NotCapable, Instant::ZERO);
        let first_above = Some(ms(now));
        bench.control = Control { first_above, drop_next: ms(500.0), count: 3, last_count: 1, dropping: false };
        assert_eq!(bench.leave(ms(now)), (1, Some(Verdict::Accept)));
        assert_eq!((bench.control.count, bench.control.last_count), (count, count), "{now} ms");
        let next_ms = (bench.control.drop_next.since(ms(now))).as_secs_f64() * 1e3;
        assert!((next_ms - 100.0 / f64::from(count).sqrt()).abs() < 1e-3, "{next_ms}");
    }
}

#[test]
fn packets_that_come_say_how_large_the_largest_is() {
    let mut queue = CoDel::new(&Config::default(), crate::queue::battery::link(0));
    let (mut store, mut drops) = (Store::default(), Drops::default());
    let view = |at: f64| InterfaceView { now: ms(at), ..crate::queue::battery::view(0, 0) };
    for _ in 0..3 {
        let packet = packet(1000, Ecn::NotCapable);
        let (label, since, ecn) = (store.insert(&packet), Instant::ZERO, Ecn::NotCapable);
        let held = Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
        queue.enqueue(held, &packet, &view(0.0), &mut drops);
    }
    // Behind the first are two packets, so the interval begins; behind the second is one, which is as much as the
    // largest.
    assert!([10.0, 110.0, 111.0].iter().all(|&at| queue.dequeue(&view(at), &mut drops).is_some()));
    assert!(drops.packets.is_empty() && queue.is_empty());
}
