//! Tests that every queue must stand, those of this crate and guests from outside.
//!
//! Random packets come to an interface, in bursts, overload and after pauses, and some are taken out now and then, as
//! hand-offs do. Each [`Rule`] that the queue breaks is noted, with the seed. [`run`] asks that of a discipline,
//! [`run_scheduler`] of a queue that owns its packets; both panic when a rule is broken that holds for all.
//!
//! Kinds of this crate promise more: the order of each flow, and that nothing idles but a shaper. Each has a test for
//! each rule: `cargo test -p faircast-sim batteries::codel` runs those of CoDel.
//!
//! | file | does |
//! |---|---|
//! | `rule.rs` | the rules |
//! | `interface.rs` | a link as plain as possible, which watches them |

mod interface;
mod rule;

use super::{Discipline, InOrder, InterfaceView, LinkContext, Scheduler};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use interface::Interface;
use rule::Broken;
pub use rule::Rule;

/// Arrivals per seed.
const ARRIVALS: u32 = 20_000;
const SEEDS: u64 = 5;
const RATE: Rate = Rate(1_500_000);
/// Of the flows whose packets come, so that each class of `classes` has some, of two flows: best effort, one that
/// samples name, AF11 and EF.
const DSCP: [u8; 8] = [0, 1, 10, 46, 0, 1, 10, 46];

/// Runs the battery on the disciplines that `make` builds; `limit` is what they promise to keep.
///
/// # Panics
/// When a rule is broken.
pub fn run<D: Discipline>(limit: QueueSize, make: impl Fn(LinkContext) -> D) {
    run_scheduler(limit, |link| InOrder::new(make(link)));
}

/// Runs the battery on the queues that own their packets and that `make` builds; `limit` is what they promise to keep.
///
/// # Panics
/// When a rule is broken.
pub fn run_scheduler<S: Scheduler>(limit: QueueSize, make: impl Fn(LinkContext) -> S) {
    broken(Promises { limit, keeps_order: false, splits_flows: false, never_rests: false }, make).assert_all();
}

/// What a queue promises beside the rules that hold for all.
#[derive(Clone, Copy, Debug)]
struct Promises {
    limit: QueueSize,
    /// Packets of a flow come out as they came in.
    keeps_order: bool,
    /// But those for an L queue apart from all others (RFC 9332).
    splits_flows: bool,
    never_rests: bool,
}

/// Which rules the queues break that `make` builds.
fn broken<S: Scheduler>(promises: Promises, make: impl Fn(LinkContext) -> S) -> Broken {
    let mut all = Broken::default();
    for seed in 0..SEEDS {
        let run = || Interface::new(seed, promises, make(link(seed))).drive();
        let ((first, broken), (second, _)) = (run(), run());
        all.add(broken);
        all.unless(first == second, Rule::Repeats, || format!("seed {seed} gave other fates"));
    }
    all
}

/// The link of the battery: 1.5 Mbit/s, 65 ms, packets of 1000 bytes.
pub fn link(seed: u64) -> LinkContext {
    LinkContext {
        rate: RATE,
        delay: Duration::from_millis(65),
        mean_packet_bytes: 1000,
        random: Random::stream(seed, "battery/queue"),
    }
}

/// A packet of `size` bytes with the given congestion bits.
pub fn packet(size: u16, ecn: Ecn) -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: Address::endpoint(0),
        destination: Address::endpoint(1),
        size,
        ttl: INITIAL_TTL,
        ecn,
        header: Header::Datagram { sequence: 0 },
    }
}

/// A busy interface at which `pkts` packets of `size` bytes wait.
pub fn view(pkts: u32, size: u16) -> InterfaceView {
    InterfaceView {
        now: Instant::from_secs_f64(1.0),
        waiting_pkts: pkts,
        waiting_bytes: u64::from(pkts) * u64::from(size),
        transmitting: true,
        idle_since: Instant::ZERO,
        rate: RATE,
    }
}

/// A test for each rule of a kind of this crate.
#[cfg(test)]
macro_rules! battery_of {
    ($kind:literal) => {
        crate::queue::battery::battery_of! { $kind:
            comes_out_once = ComesOutOnce, stays_as_it_is = StaysAsItIs, marks_the_capable = MarksTheCapable,
            keeps_its_limit = KeepsLimit, keeps_sure_room = KeepsSureRoom, says_when = SaysWhen, repeats = Repeats,
            counts_what_waits = CountsWhatWaits, shows_all = ShowsAll, keeps_order = KeepsOrder,
            never_rests = NeverRests,
        }
    };
    ($kind:literal: $($name:ident = $rule:ident),+ $(,)?) => {
        /// What its samples have broken, found out once.
        static BROKEN: std::sync::OnceLock<Vec<crate::queue::battery::tests::OfSample>> = std::sync::OnceLock::new();

        $(#[test]
        fn $name() {
            let rule = crate::queue::battery::Rule::$rule;
            crate::queue::battery::tests::kind_keeps($kind, rule, &BROKEN);
        })+
    };
}
#[cfg(test)]
pub(super) use battery_of;

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Config, LIST, Queue};
    use super::*;
    use std::sync::OnceLock;

    /// A setting, and what it has broken.
    pub(in super::super) type OfSample = (Config, Broken);

    /// Ends the test if a sample of this kind has broken the rule.
    pub(in super::super) fn kind_keeps(kind: &str, rule: Rule, of_kind: &OnceLock<Vec<OfSample>>) {
        let of_kind = of_kind.get_or_init(|| {
            let samples = Config::samples().into_iter().filter(|config| config.kind() == kind);
            samples.map(|config| (config.clone(), broken_by(&config))).collect()
        });
        assert!(!of_kind.is_empty(), "no sample of {kind}");
        for (config, broken) in of_kind {
            println!("{config:?}");
            broken.assert(rule);
        }
    }

    /// Which rules the queues of a configuration break.
    fn broken_by(config: &Config) -> Broken {
        let has = |is: fn(&&Config) -> bool| config.all().iter().any(is);
        let promises = Promises {
            limit: config.limit(),
            keeps_order: true,
            splits_flows: has(|one| matches!(one, Config::DualPi2(_))),
            never_rests: !has(|one| matches!(one, Config::Shaper(_))),
        };
        broken(promises, |link| match Queue::new(config, link) {
            Queue::Scheduler(queue) => queue,
            deciding => Box::new(InOrder::new(deciding)),
        })
    }

    #[test]
    fn every_kind_has_samples_that_are_legal() {
        for config in Config::samples() {
            assert_eq!(config.check(), [], "{config:?}");
        }
        for (kind, _) in LIST {
            assert!(Config::samples().iter().any(|config| config.kind() == *kind), "no sample of {kind}");
        }
    }

    #[test]
    fn configurations_survive_being_written_and_read() {
        for config in Config::samples() {
            let text = serde_json::to_string(&config).expect("configurations are plain data");
            assert_eq!(serde_json::from_str::<Config>(&text).expect("what was written is legal"), config, "{text}");
        }
    }
}
