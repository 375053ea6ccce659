//! How long packets wait at a queue: from their arrival there until their transmission begins.
//!
//! Packets count when they have left the transmitter, so what is dropped or takes another way does not. Each is one of
//! a flow, and what is told of classes and of the queue is put together from flows.

use faircast_proto::packet::FlowId;
use faircast_proto::time::Duration;
use std::collections::VecDeque;

/// How long some packets waited: their number, mean and maximum exactly, and a histogram for the percentiles.
///
/// The histogram has a place for each microsecond below 64 us; from there on 64 of equal width for each doubling. It
/// grows with the longest wait, and not with the number of packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sojourn {
    packets: u64,
    total_ns: u128,
    least_ns: u64,
    most_ns: u64,
    places: Vec<u64>,
}

/// What is kept of the packets of one queue.
#[derive(Clone, Debug)]
pub struct Sojourns {
    /// How long those waited that are in transmission or whose departure is known, and whose they are.
    leaving: VecDeque<(Duration, FlowId)>,
    /// By flow, since the last restart; the last is for packets of no flow.
    flows: Vec<Option<Box<Sojourn>>>,
    /// All that left before the last restart; `None` if there was none.
    before: Option<Box<Sojourn>>,
    /// Packets that left since the last look, and how long they waited together, ns.
    lately: (u64, u128),
}

/// Places for each doubling, and microseconds that have one of their own.
const PER_DOUBLING: usize = 64;
const NANOS_PER_MICRO: u64 = 1000;

impl Sojourn {
    /// Bytes of one of packets that waited up to 67 s. Each doubling beyond that takes 512 more.
    pub const BYTES: usize = size_of::<Sojourn>() + 21 * PER_DOUBLING * size_of::<u64>();

    /// A packet waited so long.
    pub fn add(&mut self, wait: Duration) {
        let place = place_of(wait.0);
        if place >= self.places.len() {
            self.grow(place + 1);
        }
        self.places[place] += 1;
        self.least_ns = if self.packets == 0 { wait.0 } else { self.least_ns.min(wait.0) };
        self.most_ns = self.most_ns.max(wait.0);
        self.total_ns += u128::from(wait.0);
        self.packets += 1;
    }

    /// Adds those of `other`.
    pub fn merge(&mut self, other: &Sojourn) {
        if other.packets == 0 {
            return;
        }
        if other.places.len() > self.places.len() {
            self.grow(other.places.len());
        }
        self.places.iter_mut().zip(&other.places).for_each(|(own, others)| *own += others);
        self.least_ns = if self.packets == 0 { other.least_ns } else { self.least_ns.min(other.least_ns) };
        self.most_ns = self.most_ns.max(other.most_ns);
        self.total_ns += other.total_ns;
        self.packets += other.packets;
    }

    /// Makes room for so many places, up to the end of a doubling.
    #[cold]
    fn grow(&mut self, places: usize) {
        let room = places.next_multiple_of(PER_DOUBLING);
        self.places.reserve_exact(room - self.places.len());
        self.places.resize(room, 0);
    }

    /// How many packets there were.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// How long they waited in the mean, s; NaN of none.
    pub fn mean_s(&self) -> f64 {
        mean_s(self.packets, self.total_ns)
    }

    /// How long the one waited that waited longest, s; NaN of none.
    pub fn max_s(&self) -> f64 {
        if self.packets == 0 { f64::NAN } else { seconds(self.most_ns) }
    }

    /// So long or shorter waited `percent` per cent of them, s: the wait of the packet that comes at that place when
    /// they are put in order (the nearest rank). Exact within 1 us or 1/128, whichever is more; NaN of none.
    pub fn percentile_s(&self, percent: u32) -> f64 {
        let rank = (u128::from(self.packets) * u128::from(percent)).div_ceil(100);
        let mut up_to = 0;
        let place = self.places.iter().position(|&packets| {
            up_to += u128::from(packets);
            up_to >= rank
        });
        place.map_or(f64::NAN, |place| seconds(told_ns(place).clamp(self.least_ns, self.most_ns)))
    }
}

impl Sojourns {
    /// Nothing, of a queue that nobody has come to, in a network with so many flows.
    pub(crate) fn new(flows: usize) -> Sojourns {
        Sojourns { leaving: VecDeque::new(), flows: vec![None; flows + 1], before: None, lately: (0, 0) }
    }

    /// A packet's transmission begins, or will begin for certain, when it has waited so long.
    pub(crate) fn begin(&mut self, wait: Duration, flow: FlowId) {
        self.leaving.push_back((wait, flow));
    }

    /// The packet in transmission has left.
    pub(crate) fn depart(&mut self) {
        let Some((wait, flow)) = self.leaving.pop_front() else {
            debug_assert!(false, "what departs has begun");
            return;
        };
        let place = (flow.0 as usize).min(self.flows.len() - 1);
        self.flows[place].get_or_insert_default().add(wait);
        self.lately.0 += 1;
        self.lately.1 += u128::from(wait.0);
    }

    /// Begins anew: the warm-up is over.
    pub(crate) fn restart(&mut self) {
        self.before = Some(Box::new(self.whole()));
        self.flows.fill(None);
    }

    /// Somebody has looked at [`lately_s`](Self::lately_s).
    pub(crate) fn look(&mut self) {
        self.lately = (0, 0);
    }

    /// How long packets waited in the mean that left since the last look, s; NaN if none did.
    pub fn lately_s(&self) -> f64 {
        mean_s(self.lately.0, self.lately.1)
    }

    /// The packets of each flow that left after the warm-up, none if that has not ended; of a flow of which none did
    /// there is none.
    pub fn late(&self) -> impl Iterator<Item = (FlowId, &Sojourn)> {
        let flows = self.before.as_ref().map_or(&[][..], |_| &self.flows);
        (0..).map(FlowId).zip(flows).filter_map(|(flow, sojourn)| Some((flow, sojourn.as_deref()?)))
    }

    /// All packets that left after the warm-up.
    pub fn late_whole(&self) -> Sojourn {
        together(self.late().map(|(_, sojourn)| sojourn))
    }

    /// All packets that have left.
    pub fn whole(&self) -> Sojourn {
        together(self.before.as_deref().into_iter().chain(self.flows.iter().flatten().map(|flow| &**flow)))
    }
}

/// The waits of several groups of packets, as if they were one.
pub fn together<'a>(all: impl Iterator<Item = &'a Sojourn>) -> Sojourn {
    all.fold(Sojourn::default(), |mut sum, one| {
        sum.merge(one);
        sum
    })
}

/// The place of a wait in the histogram.
#[inline]
fn place_of(wait_ns: u64) -> usize {
    let micros = wait_ns / NANOS_PER_MICRO;
    if micros < PER_DOUBLING as u64 {
        return micros as usize;
    }
    let shift = micros.ilog2() - PER_DOUBLING.ilog2();
    shift as usize * PER_DOUBLING + (micros >> shift) as usize
}

/// What is said of the waits at a place: whole microseconds are told as they are, so that who has not waited has not;
/// of longer waits it is the middle of the place.
fn told_ns(place: usize) -> u64 {
    if place < PER_DOUBLING {
        return place as u64 * NANOS_PER_MICRO;
    }
    let shift = place / PER_DOUBLING - 1;
    let begin = ((place % PER_DOUBLING + PER_DOUBLING) as u64) << shift;
    (begin * NANOS_PER_MICRO).saturating_add((NANOS_PER_MICRO / 2) << shift)
}

fn mean_s(packets: u64, total_ns: u128) -> f64 {
    total_ns as f64 / packets as f64 / 1e9
}

fn seconds(ns: u64) -> f64 {
    Duration(ns).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(waits_us: impl IntoIterator<Item = u64>) -> Sojourn {
        let mut sojourn = Sojourn::default();
        waits_us.into_iter().for_each(|wait| sojourn.add(Duration::from_micros(wait)));
        sojourn
    }

    const SOME: [u32; 6] = [1, 50, 90, 95, 99, 100];

    #[test]
    fn of_nobody_nothing_is_known() {
        let none = Sojourn::default();
        assert_eq!(none.packets(), 0);
        assert!(none.mean_s().is_nan() && none.max_s().is_nan() && none.percentile_s(50).is_nan());
    }

    #[test]
    fn of_one_packet_all_is_exact() {
        for wait in [0, 1, 999, 1001, 63_999, 64_000, 1_234_567_891, u64::MAX] {
            let mut one = Sojourn::default();
            one.add(Duration(wait));
            assert_eq!((one.packets(), one.max_s()), (1, wait as f64 / 1e9));
            assert!((one.mean_s() / one.max_s() - 1.0).abs() < 1e-15 || wait == 0);
            SOME.iter().for_each(|&percent| assert_eq!(one.percentile_s(percent), one.max_s(), "{wait} {percent}"));
        }
    }

    #[test]
    fn percentiles_are_the_nearest_rank() {
        // 1 to 10 us: of ten half is the fifth, 91 % need the tenth, and 0 % is told by the first.
        let ten = of(1..=10);
        let told = [0, 1, 10, 11, 50, 51, 90, 91, 100].map(|percent| (1e6 * ten.percentile_s(percent)).round());
        assert_eq!(told, [1.0, 1.0, 1.0, 2.0, 5.0, 6.0, 9.0, 10.0, 10.0]);
        assert_eq!((ten.packets(), ten.max_s()), (10, 10e-6));
        assert!((ten.mean_s() - 5.5e-6).abs() < 1e-18);
        // Who has not waited has not.
        let mixed = of([0, 0, 0, 7]);
        assert_eq!([50, 75, 76].map(|percent| mixed.percentile_s(percent)), [0.0, 0.0, 7e-6]);
    }

    #[test]
    fn places_follow_each_other_and_are_told_within_a_128th() {
        let mut last = 0;
        let steps = std::iter::successors(Some(1_u64), |wait| wait.checked_add(wait / 13 + 1));
        for wait in steps.chain((0..200).map(|us| 1000 * us)).collect::<std::collections::BTreeSet<u64>>() {
            let (place, told) = (place_of(wait), told_ns(place_of(wait)));
            assert!(place >= last && place_of(told) == place, "{wait}");
            let off = told.abs_diff(wait);
            assert!(off < 1000 || off as f64 <= wait as f64 / 128.0, "{wait} ns told as {told}");
            last = place;
        }
        // The ends of places: 63 us, 64, 127, 128 and 129, which share one, 130.
        assert_eq!([63, 64, 127, 128, 129, 130].map(|us| place_of(1000 * us)), [63, 64, 127, 128, 128, 129]);
        assert_eq!([63, 64, 128, 129].map(told_ns), [63_000, 64_500, 129_000, 131_000]);
        assert_eq!((place_of(u64::MAX), place_of(67_108_863_999)), (3137, 21 * 64 - 1));
        assert!(told_ns(3137) > u64::MAX / 65 * 64);
    }

    #[test]
    fn percentiles_of_a_known_distribution() {
        // Evenly from 1 us to 1 s, and a tenth that waits 5 s.
        let mut all = of((1..=90_000).map(|n| n * 1_000_000 / 90_000));
        (0..10_000).for_each(|_| all.add(Duration::from_secs(5)));
        for (percent, exact) in [(9, 0.1), (45, 0.5), (81, 0.9), (90, 1.0), (91, 5.0), (99, 5.0)] {
            let told = all.percentile_s(percent);
            assert!((told / exact - 1.0).abs() <= 1.0 / 128.0, "{percent}: {told}");
        }
        assert_eq!(all.max_s(), 5.0);
        assert!((all.mean_s() - 0.95).abs() < 1e-5);
    }

    #[test]
    fn memory_grows_with_the_longest_wait_alone() {
        let mut all = of([1, 2, 63]);
        assert_eq!((all.places.len(), all.places.capacity()), (64, 64));
        (0..10_000).for_each(|_| all.add(Duration::from_micros(64)));
        assert_eq!((all.places.len(), all.places.capacity()), (128, 128));
        all.add(Duration(67_108_863_999));
        assert_eq!(size_of::<Sojourn>() + 8 * all.places.capacity(), Sojourn::BYTES);
    }

    #[test]
    fn several_together_are_as_one() {
        let (one, other) = ([5, 90, 17], [3, 1_000_000, 64]);
        for (one, other) in [(&one[..], &other[..]), (&other, &one), (&one, &[]), (&[], &one)] {
            let apart = [of(one.iter().copied()), of(other.iter().copied())];
            assert_eq!(together(apart.iter()), of(one.iter().chain(other).copied()), "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_queue_knows_whose_packets_left_and_when() {
        let mut queue = Sojourns::new(2);
        let begin = |queue: &mut Sojourns, us, flow| queue.begin(Duration::from_micros(us), FlowId(flow));
        let late = |queue: &Sojourns| queue.late().map(|(flow, found)| (flow.0, found.clone())).collect::<Vec<_>>();
        begin(&mut queue, 10, 1);
        begin(&mut queue, 30, 0);
        begin(&mut queue, 80, 1);
        assert!(queue.lately_s().is_nan() && queue.whole().packets() == 0);
        queue.depart();
        // The warm-up has not ended.
        assert!(late(&queue).is_empty() && queue.late_whole().packets() == 0);
        assert_eq!(queue.whole(), of([10]));
        queue.restart();
        assert!(late(&queue).is_empty());
        queue.depart();
        queue.depart();
        assert!((queue.lately_s() - 40e-6).abs() < 1e-18);
        queue.look();
        assert!(queue.lately_s().is_nan());
        // Packets of no flow come last.
        begin(&mut queue, 7, u32::MAX);
        queue.depart();
        assert_eq!(queue.lately_s(), 7e-6);
        assert_eq!(late(&queue), [(0, of([30])), (1, of([80])), (2, of([7]))]);
        assert_eq!((queue.late_whole(), queue.whole()), (of([30, 80, 7]), of([10, 30, 80, 7])));
        queue.restart();
        assert_eq!((queue.late_whole().packets(), queue.whole()), (0, of([10, 30, 80, 7])));
    }
}
