//! Binary counting layers ([Kwon] section VI): when which packet of which layer is sent, in whole numbers.
//!
//! Time is counted from the start of the source, in slots of x. A set of counting layers is for one x; in slot m its
//! layer k is on, with 2^k packets, if bit k of m is 1. So a member that joins layer k of the set 2^k slots after slot
//! m_0, whose lowest bits are 0, gets exactly one packet more in each slot than in the one before, for one join each
//! time the sum doubles. Slots of all sets begin together: x of each is that of the finest times a power of two.

use crate::time::Duration;

/// The most sets of counting layers that a session may have.
pub const MAX_SETS: usize = 16;

/// The most layers of a set: 65 535 packets per slot.
pub const MAX_LAYERS: u8 = 16;

/// The most doublings from the finest x to that of a set: of the slot numbers that packets carry, 32 bits, 16 are left.
pub const MAX_DOUBLINGS: u8 = 16;

/// The least x, so that no two packets of a replica are due in one nanosecond.
pub const LEAST_PERIOD: Duration = Duration::from_millis(1);

/// How many times as steep as that of a TCP a climb may be: what a round-trip time is above a period by, as packets
/// take a while to send, need not double the period; a choice.
pub const HASTE: f64 = 1.1;

/// All counting layers of a session, set by set, in it replica by replica, in it from layer 0 up. With two replicas the
/// second is behind the first by a third of its period, rounded down to slots, so that a member waits for less.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// x of the finest set.
    finest: Duration,
    sets: [Set; MAX_SETS],
    used: u8,
    phases: u8,
}

/// A set: the layers for one x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// x is the finest one times two to the power of this.
    pub doublings: u8,
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
    /// The slot of the finest set; wraps around.
    pub slot: u32,
}

impl Counting {
    /// No counting layers at all.
    pub const NONE: Counting =
        Counting { finest: LEAST_PERIOD, sets: [Set { doublings: 0, layers: 0 }; MAX_SETS], used: 0, phases: 1 };

    /// The sets in the order of rising x, the finest of which is `finest`, at least [`LEAST_PERIOD`]; each in one or
    /// two `phases`. At most [`MAX_SETS`], each within [`MAX_LAYERS`] and [`MAX_DOUBLINGS`]. If they have no layers, as
    /// where there is nothing to join, there are no sets.
    pub fn new(finest: Duration, sets: &[Set], phases: u8) -> Counting {
        debug_assert!(
            finest >= LEAST_PERIOD && (1..=2).contains(&phases) && sets.is_sorted_by_key(|set| set.doublings)
        );
        if sets.iter().all(|set| set.layers == 0) {
            return Counting { finest, phases, ..Counting::NONE };
        }
        let legal = |set: &Set| (1..=MAX_LAYERS).contains(&set.layers) && set.doublings <= MAX_DOUBLINGS;
        debug_assert!(sets.len() <= MAX_SETS && sets.iter().all(legal));
        let mut counting = Counting { finest, used: sets.len() as u8, phases, ..Counting::NONE };
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

    /// x of the finest set: the slots whose numbers packets carry.
    pub fn finest(&self) -> Duration {
        self.finest
    }

    /// x of a set.
    pub fn period(&self, set: u8) -> Duration {
        Duration(self.finest.0 << self.sets[usize::from(set)].doublings)
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

    /// The slot of the finest set at this time from the start of the source on, as packets carry it: it wraps around.
    pub fn slot_at(&self, since_start: Duration) -> u32 {
        (since_start.0 / self.finest.0) as u32
    }

    /// The slot of a set of which this slot of the finest is a part.
    pub fn slot_of(&self, set: u8, finest: u64) -> u64 {
        finest >> self.sets[usize::from(set)].doublings
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
        let due = Due { at: Duration::ZERO, group: 0, number: 0, slot: 0 };
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
                return Due { at, group, number, slot: self.counting.slot_at(at) };
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
