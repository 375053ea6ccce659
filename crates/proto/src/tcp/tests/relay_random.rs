//! Split connections over networks that lose nearly everything, drawn.

use super::*;

/// A network that loses, doubles and delays, with phases in which it loses nearly everything.
fn hostile<'a>(seed: u64, roughness: f64) -> impl FnMut(Instant, usize, bool, &Packet) -> Fate + 'a {
    let mut random = Random::stream(seed, "test/hostile");
    let mut bad_hop = None;
    move |_, hop, _, _| {
        if random.chance(0.01) {
            bad_hop = random.chance(0.5).then(|| (random.uniform() * 3.0) as usize);
        }
        if bad_hop == Some(hop) && random.chance(0.9) {
            return Fate::Lose;
        }
        match random.uniform() / roughness {
            draw if draw < 0.4 => Fate::Lose,
            draw if draw < 0.6 => Fate::Twice,
            draw if draw < 0.9 => Fate::Late(Duration::from_micros((random.uniform() * 60_000.0) as u64)),
            _ => Fate::Deliver,
        }
    }
}

/// Hops that differ, drawn: how they send, with what delays and rooms, numbers that wrap, and a network that is more or
/// less hostile.
struct Drawn {
    name: String,
    split: Split,
    delays: Vec<u64>,
    roughness: f64,
}

fn drawn(seed: u64, segments: Option<u32>) -> Drawn {
    let fast = Duration::from_millis(200);
    let rto_initial = Duration::from_secs(1);
    let base = Config { rto_min: fast, rto_initial, rto_max: Duration::from_secs(2), segments, ..Config::default() };
    let base = Config { wnd: Some(Packets(64.0)), ..base };
    let settings = [
        base.clone(),
        Config { delayed_ack: true, handshake: true, handshake_ack: true, ..base.clone() },
        Config { recovery: Some(Recovery::Sack), timestamps: true, ..base.clone() },
        Config { variant: Variant::Cubic, send_jitter: Duration::from_millis(3), ..base.clone() },
        Config { variant: Variant::Reno, recovery: Some(Recovery::Reno), ..base.clone() },
        Config { segmentation_offload: true, whole_segments: true, recovery: Some(Recovery::Sack), ..base.clone() },
        Config { variant: Variant::Hybla, pacing: Some(Default::default()), ecn: EcnMode::Ecn, ..base },
    ];
    let mut random = Random::stream(seed, "test/split");
    let mut draw = |below: f64| (random.uniform() * below) as usize;
    let hops = 2 + draw(2.0);
    let first = [0, (1 << 32) - 100][draw(2.0)];
    let rooms: Vec<u16> = (1..hops).map(|_| [2, 3, 7, 64, 1000][draw(5.0)]).collect();
    let configs: Vec<Config> = (0..hops).map(|_| settings[draw(settings.len() as f64)].clone()).collect();
    let delays: Vec<u64> = (0..hops).map(|_| [1, 20, 250][draw(3.0)]).collect();
    let roughness = [0.02, 0.2, 0.6][draw(3.0)];
    let name = format!("seed {seed}: rooms {rooms:?}, delays {delays:?}, roughness {roughness}");
    Drawn { name, split: Split { hops: configs, rooms, first }, delays, roughness }
}

/// Lets all come through: each host passes on every segment once as new, in order, and not before it has come; buffers
/// are never above their limit; and it ends, whatever is lost, after which everybody rests.
fn come_through(name: &str, row: &mut Row<'_>, first: u64, segments: u64) {
    let hops = row.delays.len();
    let mut came = first;
    row.run_while(1e6, |row| {
        let chain: Vec<u64> = (0..hops - 1).map(|number| row.relay(number).arrived()).collect();
        let last = row.hosts[hops].delivered();
        assert!(chain.windows(2).all(|two| two[0] >= two[1]) && chain[hops - 2] >= last, "{name}: {chain:?}");
        assert!(last >= came, "{name}");
        came = last;
        true
    });
    assert!(row.finished.is_some(), "{name}: came to {came}");
    assert_eq!(came.max(row.hosts[hops].delivered()), first + segments, "{name}");
    assert_eq!(row.hosts[hops].report().distinct_bytes, segments * 1040, "{name}");
    let all: Vec<u32> = (first..first + segments).map(|number| number as u32).collect();
    for host in 0..hops {
        assert_eq!(row.first_sent(host), all, "{name}: host {host}");
        assert_eq!(row.hosts[host].deadline(), None, "{name}: host {host} rests");
    }
}

/// No byte is lost or repeated.
#[test]
fn everything_comes_through_once_and_in_order() {
    for seed in 0..60 {
        let Drawn { name, split, delays, roughness } = drawn(seed, Some(250));
        let mut row = split.row(&delays, hostile(seed, roughness));
        come_through(&name, &mut row, split.first, 250);
    }
}

/// Objects neither, and none begins before the one before it has come to the far end.
#[test]
fn objects_come_through_one_after_the_other() {
    for seed in 0..60 {
        let Drawn { name, split, delays, roughness } = drawn(seed, None);
        let mut random = Random::stream(seed, "test/objects");
        let mut draw = |below: f64| (random.uniform() * below) as u32;
        let before = draw(3.0);
        let (count, largest) = (1 + draw(6.0), [1.0, 9.0, 90.0][draw(3.0) as usize]);
        let objects: Vec<u32> = (0..count).map(|_| 1 + draw(largest)).collect();
        let name = format!("{name}, {before} and {objects:?}");
        let mut row = split.row_of_objects(before, &objects, &delays, hostile(seed, roughness));
        let ends: Vec<u64> = object_ends(before, &objects).map(|end| split.first + end).collect();
        let last = split.hops.len();
        row.run_while(1e6, |row| {
            let came = row.hosts[last].delivered();
            // The sender has all of what it has begun.
            let begun = ends.iter().find(|&&end| end > came).copied().unwrap_or(came);
            assert!(row.relay(0).arrived() <= begun, "{name}: {came}");
            row.finished.is_none()
        });
        come_through(&name, &mut row, split.first, ends[ends.len() - 1] - split.first);
        let completed = row.hosts[0].completed();
        assert_eq!(completed.len(), objects.len(), "{name}");
        assert!(completed.windows(2).all(|two| two[0] < two[1]), "{name}: {completed:?}");
        assert_eq!(completed.last().map(|last| Instant::ZERO + *last), row.finished, "{name}");
    }
}
