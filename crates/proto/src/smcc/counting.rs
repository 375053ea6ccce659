//! Binary counting layers ([Kwon] section VI): when which packet of which layer is sent, in whole numbers.
//!
//! Time is counted from the start of the source, in slots of x. A set of counting layers is for one x; in slot m its
//! layer k is on, with 2^k packets, if bit k of m is 1. So a member that joins layer k of the set 2^k slots after slot
//! m_0, whose lowest bits are 0, gets exactly one packet more in each slot than in the one before, for one join each
//! time the sum doubles. Slots of all sets are counted from one moment on, in ticks of which each x has a whole number:
//! with periods a power of two apart, as [Kwon] has them, a tick is the shortest.

use crate::time::Duration;

/// The most sets of counting layers that a session may have.
pub const MAX_SETS: usize = 16;

/// The most layers of a set: 65 535 packets per slot.
pub const MAX_LAYERS: u8 = 16;

/// Slots of all sets begin together after so many ticks at most: of the ticks that packets can tell from each other,
/// 2^32, that leaves the slots of [`MAX_LAYERS`].
pub const MOST_TICKS: u32 = 1 << 16;

/// The least tick: what packets number so begins anew after two days and a half, or later.
pub const LEAST_TICK: Duration = Duration::from_micros(100);

/// The least x, so that no two packets of a replica are due in one nanosecond.
pub const LEAST_PERIOD: Duration = Duration::from_millis(1);

/// How many times as steep as that of a TCP a climb may be: what a round-trip time is above a period by, as packets
/// take a while to send, need not double the period; a choice.
pub const HASTE: f64 = 1.1;

/// All counting layers of a session, set by set, in it replica by replica, in it from layer 0 up. With two replicas the
/// second is behind the first by a third of its period, rounded down to slots, so that a member waits for less.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// What all periods have a whole number of.
    tick: Duration,
    /// How many ticks have numbers of their own; all counting layers begin anew with the first.
    numbers: u64,
    sets: [Set; MAX_SETS],
    used: u8,
    phases: u8,
}

/// A set: the layers for one x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// x, in ticks.
    pub ticks: u32,
    /// How many layers each of its replicas has.
    pub layers: u8,
}

/// One counting layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingLayer {
    /// Its set.
    pub set: u8,
    /// The replica of the set, 0 or 1.
    pub phase: u8,
    /// Its rank k: it sends 2^k packets per slot when it is on.
    pub rank: u8,
}

/// A packet that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When, from the start of the source on.
    pub at: Duration,
    /// To which of the counting layers, by its number among them.
    pub group: u32,
    /// Its number in its layer; wraps around.
    pub number: u32,
    /// The number of the tick.
    pub tick: u32,
}

impl Counting {
    /// No counting layers at all.
    pub const NONE: Counting = Counting {
        tick: LEAST_PERIOD,
        numbers: 1 << 32,
        sets: [Set { ticks: 1, layers: 0 }; MAX_SETS],
        used: 0,
        phases: 1,
    };

    /// The sets in the order of rising x, in ticks of at least [`LEAST_TICK`]; each in one or two `phases`. At most
    /// [`MAX_SETS`], of at least [`LEAST_PERIOD`] and within [`MAX_LAYERS`], that begin together after at most
    /// [`MOST_TICKS`]. If they have no layers, as where there is nothing to join, there are no sets.
    pub fn new(tick: Duration, sets: &[Set], phases: u8) -> Counting {
        debug_assert!(tick >= LEAST_TICK && (1..=2).contains(&phases) && sets.is_sorted_by_key(|set| set.ticks));
        if sets.iter().all(|set| set.layers == 0) {
            return Counting { tick, phases, ..Counting::NONE };
        }
        let together = together(sets.iter().map(|set| set.ticks.into()));
        debug_assert!(sets.len() <= MAX_SETS && together <= MOST_TICKS.into());
        debug_assert!(sets.iter().all(|set| (1..=MAX_LAYERS).contains(&set.layers)));
        // The layers of all sets begin anew together after so many ticks; what is numbered is as often that as 32 bits
        // hold.
        let anew = (together as u64) << MAX_LAYERS;
        let numbers = (1 << 32) / anew * anew;
        let mut counting = Counting { tick, numbers, used: sets.len() as u8, phases, ..Counting::NONE };
        counting.sets[..sets.len()].copy_from_slice(sets);
        counting
    }

    /// The sets.
    pub fn sets(&self) -> &[Set] {
        &self.sets[..usize::from(self.used)]
    }

    /// How many replicas each set has.
    pub fn phases(&self) -> u8 {
        self.phases
    }

    /// How many counting layers there are.
    pub fn len(&self) -> u32 {
        self.sets().iter().map(|set| u32::from(set.layers)).sum::<u32>() * u32::from(self.phases)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// What all periods have a whole number of: what packets number.
    pub fn tick(&self) -> Duration {
        self.tick
    }

    /// How many ticks have numbers of their own: behind the last comes 0.
    pub fn numbers(&self) -> u64 {
        self.numbers
    }

    /// x of the finest set.
    pub fn finest(&self) -> Duration {
        self.period(0)
    }

    /// x of a set.
    pub fn period(&self, set: u8) -> Duration {
        Duration(self.tick.0 * self.ticks(set))
    }

    /// x of a set, in ticks.
    pub fn ticks(&self, set: u8) -> u64 {
        self.sets[usize::from(set)].ticks.into()
    }

    /// The set for a round-trip time: the first with which a climb, of a packet per x each x, is at most [`HASTE`]
    /// times as steep as that of a TCP, or the last. There must be one.
    pub fn set_for(&self, rtt: Duration) -> u8 {
        let last = self.used - 1;
        let steepness = |set: u8| rtt.as_secs_f64() / self.period(set).as_secs_f64();
        (0..last).find(|&set| steepness(set) * steepness(set) <= HASTE).unwrap_or(last)
    }

    /// The number of a counting layer among them all.
    pub fn group_of(&self, layer: CountingLayer) -> u32 {
        let before = &self.sets[..usize::from(layer.set)];
        let sets = before.iter().map(|set| u32::from(set.layers)).sum::<u32>() * u32::from(self.phases);
        let own = u32::from(self.sets[usize::from(layer.set)].layers);
        sets + own * u32::from(layer.phase) + u32::from(layer.rank)
    }

    /// The counting layer with this number among them all, if there is one.
    pub fn layer_of(&self, group: u32) -> Option<CountingLayer> {
        let mut rest = group;
        for (number, set) in (0u8..).zip(self.sets()) {
            for phase in 0..self.phases {
                match rest.checked_sub(u32::from(set.layers)) {
                    Some(behind) => rest = behind,
                    None => return Some(CountingLayer { set: number, phase, rank: rest as u8 }),
                }
            }
        }
        None
    }

    /// The number of the tick at this time from the start of the source on, as packets carry it.
    pub fn tick_at(&self, since_start: Duration) -> u32 {
        (since_start.0 / self.tick.0 % self.numbers) as u32
    }

    /// The slot of a set of which this tick is a part.
    pub fn slot_of(&self, set: u8, tick: u64) -> u64 {
        tick / self.ticks(set)
    }

    /// What a replica of a set counts in a slot of the set: the slot's number for the first one, as many packets as all
    /// its layers send in it. It is as if the replicas had always been.
    pub fn count(&self, set: u8, phase: u8, slot: u64) -> u32 {
        self.counted(set, phase, slot) as u32 & self.all_ones(set)
    }

    /// Whether a layer is on in a slot of its set.
    pub fn is_on(&self, layer: CountingLayer, slot: u64) -> bool {
        self.count(layer.set, layer.phase, slot) >> layer.rank & 1 == 1
    }

    /// How many packets a layer sends in a slot of its set.
    pub fn packets(&self, layer: CountingLayer, slot: u64) -> u32 {
        u32::from(self.is_on(layer, slot)) << layer.rank
    }

    /// The first slot of a set from `slot` on in which the lowest `bits` of what a replica counts are 0: from there it
    /// counts up to 2^bits - 1 without a turn.
    pub fn aligned(&self, set: u8, phase: u8, bits: u8, slot: u64) -> u64 {
        let below = (1u64 << bits) - 1;
        slot + (self.counted(set, phase, slot).wrapping_neg() & below)
    }

    /// How many of the lowest bits of what a replica counts in a slot are 0, of as many as it has layers.
    pub fn alignment(&self, set: u8, phase: u8, slot: u64) -> u8 {
        let layers = self.sets[usize::from(set)].layers;
        (self.count(set, phase, slot).trailing_zeros() as u8).min(layers)
    }

    /// How many packets a layer has sent before a slot of its set, up to a number that is the same for all slots. Those
    /// of a slot are numbered from there on.
    pub fn sent_before(&self, layer: CountingLayer, slot: u64) -> u64 {
        sent_before(layer.rank, self.counted(layer.set, layer.phase, slot))
    }

    /// Which of a layer's packets in a slot has this number, from 0: packets of a slot are numbered from a multiple of
    /// 2^rank on.
    pub fn index_in_slot(rank: u8, number: u32) -> u32 {
        number & ((1 << rank) - 1)
    }

    fn all_ones(&self, set: u8) -> u32 {
        (1u32 << self.sets[usize::from(set)].layers) - 1
    }

    /// By how many slots the replica is behind, in a period of the highest layer of which there is one more before.
    fn lead(&self, set: u8, phase: u8) -> u64 {
        let whole = 1u64 << self.sets[usize::from(set)].layers;
        if phase == 0 { 0 } else { whole - whole / 3 }
    }

    /// What the replica counts, without an end.
    fn counted(&self, set: u8, phase: u8, slot: u64) -> u64 {
        slot.wrapping_add(self.lead(set, phase))
    }
}

/// How many layers it takes to count so many packets per slot, at least one: 2^M - 1 is no less. None if that is more
/// than [`MAX_LAYERS`].
pub fn layers_for(packets: f64) -> Option<u8> {
    (1..=MAX_LAYERS).find(|&layers| f64::from((1u32 << layers) - 1) >= packets)
}

/// After how long periods that begin together do so again: their least common multiple. None of them is 0.
pub fn together(periods: impl Iterator<Item = u64>) -> u128 {
    periods.map(u128::from).fold(1, |least, period| least / common(least, period) * period)
}

/// The greatest common divisor, of which one may be 0.
pub fn common(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { common(other, one % other) }
}

/// The packets of all counting layers, one after the other: what the source sends. Those of a set are evenly spaced in
/// each layer and, since each stands in the middle of its share of the slot, at no moment are there two of a replica.
#[derive(Clone, Debug)]
pub struct Cursor {
    counting: Counting,
    /// The next packet of each replica, set by set.
    next: Vec<Due>,
}

impl Cursor {
    /// From the start of the source on.
    pub fn new(counting: Counting) -> Cursor {
        let replicas = counting.sets().len() * usize::from(counting.phases);
        let due = Due { at: Duration::ZERO, group: 0, number: 0, tick: 0 };
        let mut cursor = Cursor { counting, next: vec![due; replicas] };
        cursor.seek(Duration::ZERO);
        cursor
    }

    /// Goes to the first packet that is due at this time or later.
    pub fn seek(&mut self, since_start: Duration) {
        for replica in 0..self.next.len() {
            self.next[replica] = self.first_of(replica, since_start);
        }
    }

    /// The next packet; none if there are no counting layers. Of several at one moment the one of the first set.
    pub fn peek(&self) -> Option<Due> {
        self.next.iter().copied().min_by_key(|due| due.at)
    }

    /// Goes behind the next packet, and says which it was.
    pub fn advance(&mut self) -> Option<Due> {
        let replica = (0..self.next.len()).min_by_key(|&replica| self.next[replica].at)?;
        let due = self.next[replica];
        self.next[replica] = self.first_of(replica, due.at + Duration(1));
        Some(due)
    }

    /// The first packet of a replica that is due at this time or later.
    fn first_of(&self, replica: usize, from: Duration) -> Due {
        let phases = usize::from(self.counting.phases);
        let (set, phase) = ((replica / phases) as u8, (replica % phases) as u8);
        let x = self.counting.period(set).0;
        let mut slot = from.0 / x;
        let mut within = from.0 % x;
        loop {
            // Packet i of layer k is sent after (2i + 1)/2^(k + 1) of the slot, rounded down.
            let count = self.counting.count(set, phase, slot);
            let of_layer = |rank: u8| {
                let parts = 2u128 << rank;
                // The first i for which that is no less than `within`.
                let odd = (u128::from(within) * parts).div_ceil(u128::from(x));
                let index = odd.saturating_sub(1).div_ceil(2);
                let offset = ((2 * index + 1) * u128::from(x) / parts) as u64;
                (index < parts / 2).then_some((offset, rank, index as u64))
            };
            let ranks = (0..self.counting.sets[usize::from(set)].layers).filter(|rank| count >> rank & 1 == 1);
            if let Some((offset, rank, index)) = ranks.filter_map(of_layer).min() {
                let at = Duration(slot * x + offset);
                let group = self.counting.group_of(CountingLayer { set, phase, rank });
                let counted = self.counting.counted(set, phase, slot);
                let number = (sent_before(rank, counted) + index) as u32;
                return Due { at, group, number, tick: self.counting.tick_at(at) };
            }
            (slot, within) = (slot + 1, 0);
        }
    }
}

/// How many packets a layer has sent before a slot, from what its replica counts in it.
fn sent_before(rank: u8, counted: u64) -> u64 {
    let half = 1u64 << rank;
    let (periods, within) = (counted >> (rank + 1), counted & (2 * half - 1));
    (periods << (2 * rank)).wrapping_add(within.saturating_sub(half) << rank)
}

#[cfg(test)]
#[path = "counting_tests.rs"]
mod tests;
