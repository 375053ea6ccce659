//! The twin in plain Python, `reference/red.py`, and these disciplines say the same to the same arrivals and draws.

use super::battery::{link, packet};
use super::{Config, Discipline, DropReason, InterfaceView, LinkContext, Verdict, mecn, red};
use faircast_proto::packet::Ecn;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    rate_bps: u64,
    delay_ms: u64,
    arrivals: Arrivals,
    draws_per_2_20: Vec<u32>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Arrivals {
    t: Vec<u64>,
    pkts: Vec<u32>,
    bytes: Vec<u64>,
    busy: Vec<u8>,
    idle: Vec<u64>,
    size: Vec<u16>,
    ecn: Vec<u8>,
}

#[derive(Deserialize)]
struct Case {
    config: Config,
    verdicts: String,
    average_pkts: f64,
    draws_left: usize,
    /// Of a faster link than the others.
    rate_bps: Option<u64>,
    /// What adaptive RED changes it to, one value after the other.
    max_p: Option<Vec<f64>>,
}

#[test]
fn the_plain_twin_says_the_same() {
    let golden: Golden = serde_json::from_str(include_str!("../../../../tests/golden/red_trace.json")).expect("golden");
    let arrivals = golden.arrivals.check();
    assert_eq!(golden.draws_per_2_20.len(), arrivals);
    assert!(!golden.cases.is_empty());
    for case in &golden.cases {
        assert_eq!(case.config.check(), [], "{:?}", case.config);
        assert_eq!(case.verdicts.len(), arrivals, "{:?}", case.config);
        let link = LinkContext {
            rate: Rate(case.rate_bps.unwrap_or(golden.rate_bps)),
            delay: Duration::from_millis(golden.delay_ms),
            random: Random::stream(0, "unused"),
            ..link(0)
        };
        let mut draws = golden.draws_per_2_20.iter().map(|draw| f64::from(*draw) / f64::from(1 << 20));
        let mut next = || draws.next().expect("no more draws than arrivals");
        let (verdicts, average) = match &case.config {
            Config::Red(config) => {
                let mut rules = red::Rules::new(config, &link);
                (golden.arrivals.verdicts(|packet, at| rules.decide(packet, at, &mut next)), rules.average.value())
            }
            Config::Mecn(config) => {
                let mut rules = mecn::Rules::new(config, &link);
                (golden.arrivals.verdicts(|packet, at| rules.decide(packet, at, &mut next)), rules.average.value())
            }
            other => panic!("the twin has no {other:?}"),
        };
        assert_eq!(verdicts, case.verdicts, "{:?}", case.config);
        assert_eq!(draws.count(), case.draws_left, "{:?}", case.config);
        assert!((average - case.average_pkts).abs() < 1e-9, "{:?}: {average} {}", case.config, case.average_pkts);
        if let (Some(changes), Config::Red(config)) = (&case.max_p, &case.config) {
            let ours = golden.arrivals.max_p(red::Red::new(config, link));
            assert_eq!(ours.len(), changes.len(), "{config:?}: {ours:?}, not {changes:?}");
            for (ours, twin) in ours.iter().zip(changes) {
                assert!((ours / twin - 1.0).abs() < 1e-9, "{config:?}: {ours}, not {twin}");
            }
        }
    }
}

impl Arrivals {
    /// One letter per arrival.
    fn verdicts(&self, mut decide: impl FnMut(&super::Packet, &InterfaceView) -> Verdict) -> String {
        let letter = |(packet, at): (super::Packet, InterfaceView)| match decide(&packet, &at) {
            Verdict::Accept => '.',
            Verdict::Mark(Ecn::Moderate) => 'm',
            Verdict::Mark(_) => 'i',
            Verdict::Drop(DropReason::Active) => 'A',
            Verdict::Drop(DropReason::Overflow) => 'O',
            Verdict::Drop(DropReason::Down) => 'D',
        };
        self.each().map(letter).collect()
    }

    /// What `max_p` changes to; the draws do not matter to it.
    fn max_p(&self, mut queue: red::Red) -> Vec<f64> {
        let mut before = queue.max_p();
        let mut changes = Vec::new();
        for (packet, at) in self.each() {
            queue.arrive(&packet, &at);
            if queue.max_p() != before {
                before = queue.max_p();
                changes.push(before);
            }
        }
        changes
    }

    fn each(&self) -> impl Iterator<Item = (super::Packet, InterfaceView)> {
        (0..self.t.len()).map(|i| {
            let at = InterfaceView {
                now: Instant(self.t[i]),
                waiting_pkts: self.pkts[i],
                waiting_bytes: self.bytes[i],
                transmitting: self.busy[i] == 1,
                idle_since: Instant(self.idle[i]),
                rate: Rate(0),
            };
            let ecn = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate][usize::from(self.ecn[i])];
            (packet(self.size[i], ecn), at)
        })
    }

    /// How many there are: as many in each column, and some.
    fn check(&self) -> usize {
        let Arrivals { t, pkts, bytes, busy, idle, size, ecn } = self;
        let lengths = [pkts.len(), bytes.len(), busy.len(), idle.len(), size.len(), ecn.len()];
        assert!(!t.is_empty() && lengths.iter().all(|&length| length == t.len()), "{} and {lengths:?}", t.len());
        t.len()
    }
}
