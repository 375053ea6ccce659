//! What grows with the size of a network, and what does not.

use crate::support::{AMPLE, NO_LOSS, Wire, at, constant_rate, duplex};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Entry, Heap, Wheel};
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::world::World;
use std::cell::Cell;

thread_local! {
    static HORIZON: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Remembers for which horizon it was made.
struct Asked(Heap);

impl Calendar for Asked {
    const NAME: &'static str = "asked";

    fn new(horizon: Duration) -> Asked {
        HORIZON.set(horizon);
        Asked(Heap::new(horizon))
    }

    fn schedule(&mut self, entry: Entry) {
        self.0.schedule(entry);
    }

    fn set_end(&mut self, end: Instant) {
        self.0.set_end(end);
    }

    fn take_next(&mut self) -> Entry {
        self.0.take_next()
    }
}

/// Ten pairs of hosts on links of 12 Mbit/s behind two routers, a flow from each to its neighbour on the same side; a
/// link of an hour between the routers, which so many flows cross.
fn sides(across: usize) -> NetworkBuilder {
    let wire = |millis| Wire { rate: 12_000_000, millis, queue: AMPLE, loss: NO_LOSS };
    let mut network = NetworkBuilder::new(1);
    let routers = ["left", "right"].map(|name| network.node(name));
    let hosts: Vec<[NodeId; 2]> = (0..10)
        .map(|index| {
            ["l", "r"].map(|side| {
                let host = network.node(format!("{side}{index}"));
                duplex(&mut network, host, routers[usize::from(side == "r")], &wire(20), LinkMode::Fused);
                host
            })
        })
        .collect();
    duplex(&mut network, routers[0], routers[1], &wire(3_600_000), LinkMode::Fused);
    for (index, &[left, right]) in hosts.iter().enumerate() {
        let [next, _] = hosts[(index + 1) % 10];
        constant_rate(&mut network, left, if index < across { right } else { next }, 100_000);
    }
    network
}

#[test]
fn slots_are_as_wide_as_the_links_in_use_want_them() {
    let horizon = |across| {
        let _: World<Asked> = sides(across).build().expect("a legal network");
        HORIZON.get()
    };
    // 1500 bytes take 1 ms. Of 40 crossings there and back none, two of 42, and ten of 50 are of the long link.
    assert_eq!(horizon(0), Duration::from_millis(21));
    assert_eq!(horizon(1), Duration::from_millis(21));
    assert_eq!(horizon(5), Duration::from_millis(3_600_001));
}

#[test]
fn runs_do_not_depend_on_how_far_ahead_the_calendar_looks() {
    for across in [1, 5] {
        fn rows<C: Calendar>(across: usize) -> (u64, u64, Vec<u64>) {
            let mut world: World<C> = sides(across).build().expect("a legal network");
            world.run(at(3603.0), 100_000);
            let received = (0..10).map(|flow| world.receiver(flow, 0).received_pkts).collect();
            (world.packet_hops(), world.now().0, received)
        }
        assert_eq!(rows::<Wheel>(across), rows::<Heap>(across));
    }
}
