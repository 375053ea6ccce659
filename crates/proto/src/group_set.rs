//! The groups of a session: sets of them, and what each of them is for.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Sub, SubAssign};

/// The most groups that a session may have: some tens of layers, and beside them what a scheme needs to join them
/// gently ([Kwon] has binary counting layers, about a hundred groups in all).
pub const MAX_GROUPS: u32 = 128;

/// A set of the groups of one session, each by its number in the session, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupSet([u64; 2]);

/// What a group of a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Data of the layer of this rank. Rank 0 is the base layer; who holds a layer holds those of lower rank.
    Layer(u8),
    /// Anything else: announcements, reports, what is joined for a while only.
    Control,
}

/// Who sends to a group. Members can only where the network lets them: in networks of single sources (RFC 4607) their
/// packets are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Senders {
    /// The session's source alone.
    Source,
    /// The source and the members.
    All,
    /// The members; without them nobody.
    Members,
}

/// A group of a session, as its scheme wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupPlan {
    /// What it is for.
    pub role: Role,
    /// Who sends to it.
    pub senders: Senders,
}

impl GroupPlan {
    /// A layer of this rank, to which the source alone sends.
    pub const fn layer(rank: u8) -> GroupPlan {
        GroupPlan { role: Role::Layer(rank), senders: Senders::Source }
    }

    /// What is wrong with the groups that a scheme wants for a session, if anything is. Layers come in the order of
    /// their ranks: routers that know groups by their numbers take the highest for the least important.
    pub fn complaint(groups: &[GroupPlan]) -> Option<String> {
        if !(1..=MAX_GROUPS as usize).contains(&groups.len()) {
            return Some(format!("{} groups; legal are 1 to {MAX_GROUPS}", groups.len()));
        }
        let mut layers = 0..;
        let wrong = groups.iter().zip(0..).find_map(|(plan, number)| match plan.role {
            Role::Layer(rank) => layers.next().filter(|&due| due != rank).map(|due| (number, rank, due)),
            Role::Control => None,
        });
        if let Some((number, rank, due)) = wrong {
            let number: u32 = number;
            return Some(format!("group {number} is layer {rank}; legal is layer {due}, the next in order"));
        }
        (layers.start == 0).then(|| "no group is a layer; legal is one or more".to_owned())
    }
}

impl GroupSet {
    /// No group.
    pub const EMPTY: GroupSet = GroupSet([0; 2]);

    /// The first `n` groups, 0 to `n` - 1.
    ///
    /// # Panics
    /// If `n` is more than [`MAX_GROUPS`].
    pub const fn all(n: u32) -> GroupSet {
        assert!(n <= MAX_GROUPS);
        GroupSet([low_bits(n), low_bits(n.saturating_sub(64))])
    }

    /// Group `i` alone.
    ///
    /// # Panics
    /// If `i` is not below [`MAX_GROUPS`].
    #[inline]
    pub const fn of(i: u32) -> GroupSet {
        assert!(i < MAX_GROUPS);
        let mut words = [0; 2];
        words[(i / 64) as usize] = 1 << (i % 64);
        GroupSet(words)
    }

    /// The set of these bits, of which the lowest is the first group.
    pub const fn from_bits(bits: u128) -> GroupSet {
        GroupSet([bits as u64, (bits >> 64) as u64])
    }

    /// A bit for each group, the lowest being the first.
    pub const fn to_bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// Adds group `i`, below [`MAX_GROUPS`].
    #[inline]
    pub fn insert(&mut self, i: u32) {
        *self |= GroupSet::of(i);
    }

    /// Takes group `i`, below [`MAX_GROUPS`], out.
    #[inline]
    pub fn remove(&mut self, i: u32) {
        *self -= GroupSet::of(i);
    }

    /// Whether group `i`, below [`MAX_GROUPS`], is in it.
    #[inline]
    pub const fn contains(&self, i: u32) -> bool {
        debug_assert!(i < MAX_GROUPS);
        self.0[(i / 64 % 2) as usize] >> (i % 64) & 1 != 0
    }

    /// Whether no group is in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// How many groups are in it.
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// The lowest group in it.
    #[inline]
    pub const fn first(self) -> Option<u32> {
        match self.0 {
            [0, 0] => None,
            [0, high] => Some(64 + high.trailing_zeros()),
            [low, _] => Some(low.trailing_zeros()),
        }
    }

    /// The highest group in it.
    #[inline]
    pub const fn last(self) -> Option<u32> {
        match self.0 {
            [0, 0] => None,
            [low, 0] => Some(63 - low.leading_zeros()),
            [_, high] => Some(127 - high.leading_zeros()),
        }
    }

    /// The groups in it, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.first()?;
            rest.remove(first);
            Some(first)
        })
    }
}

/// The lowest `n` bits of a word, all of them from 64 on.
const fn low_bits(n: u32) -> u64 {
    match n {
        64.. => u64::MAX,
        _ => (1 << n) - 1,
    }
}

impl FromIterator<u32> for GroupSet {
    fn from_iter<I: IntoIterator<Item = u32>>(groups: I) -> GroupSet {
        groups.into_iter().fold(GroupSet::EMPTY, |set, group| set | GroupSet::of(group))
    }
}

impl BitAnd for GroupSet {
    type Output = GroupSet;

    #[inline]
    fn bitand(self, other: GroupSet) -> GroupSet {
        GroupSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitOr for GroupSet {
    type Output = GroupSet;

    #[inline]
    fn bitor(self, other: GroupSet) -> GroupSet {
        GroupSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitXor for GroupSet {
    type Output = GroupSet;

    #[inline]
    fn bitxor(self, other: GroupSet) -> GroupSet {
        GroupSet([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

/// All of the [`MAX_GROUPS`] groups that are not in it.
impl Not for GroupSet {
    type Output = GroupSet;

    #[inline]
    fn not(self) -> GroupSet {
        GroupSet([!self.0[0], !self.0[1]])
    }
}

/// What is in the first and not in the second.
impl Sub for GroupSet {
    type Output = GroupSet;

    #[inline]
    fn sub(self, other: GroupSet) -> GroupSet {
        self & !other
    }
}

impl BitAndAssign for GroupSet {
    #[inline]
    fn bitand_assign(&mut self, other: GroupSet) {
        *self = *self & other;
    }
}

impl BitOrAssign for GroupSet {
    #[inline]
    fn bitor_assign(&mut self, other: GroupSet) {
        *self = *self | other;
    }
}

impl SubAssign for GroupSet {
    #[inline]
    fn sub_assign(&mut self, other: GroupSet) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn layers_come_in_order_and_there_is_one() {
        let control = GroupPlan { role: Role::Control, senders: Senders::Members };
        let layers = |ranks: &[u8]| -> Vec<GroupPlan> { ranks.iter().map(|&rank| GroupPlan::layer(rank)).collect() };
        assert_eq!(GroupPlan::complaint(&[control, GroupPlan::layer(0), control, GroupPlan::layer(1)]), None);
        let complaint = |groups: &[GroupPlan]| GroupPlan::complaint(groups).expect("something is wrong");
        assert_eq!(complaint(&[]), "0 groups; legal are 1 to 128");
        assert_eq!(complaint(&vec![control; 129]), "129 groups; legal are 1 to 128");
        assert_eq!(complaint(&layers(&[0, 2])), "group 1 is layer 2; legal is layer 1, the next in order");
        assert_eq!(complaint(&layers(&[0, 0])), "group 1 is layer 0; legal is layer 1, the next in order");
        assert_eq!(complaint(&[control]), "no group is a layer; legal is one or more");
    }

    #[test]
    fn borders_of_the_words() {
        for n in [0, 1, 63, 64, 65, 127, 128] {
            let all = GroupSet::all(n);
            assert_eq!(all.len(), n);
            assert_eq!((all.first(), all.last()), ((n > 0).then_some(0), n.checked_sub(1)), "{n}");
            assert!((0..MAX_GROUPS).all(|i| all.contains(i) == (i < n)), "{n}");
        }
        for i in [0, 1, 62, 63, 64, 65, 126, 127] {
            let one = GroupSet::of(i);
            assert_eq!((one.len(), one.first(), one.last()), (1, Some(i), Some(i)));
            assert_eq!((!one).len(), 127);
            assert!(!(!one).contains(i) && !one.is_empty() && (one - one).is_empty());
        }
        assert_eq!(GroupSet::all(128) - GroupSet::all(64), (64..128).collect());
        assert_eq!(GroupSet::default(), GroupSet::EMPTY);
    }

    #[test]
    #[should_panic(expected = "i < MAX_GROUPS")]
    fn a_session_has_no_129th_group() {
        GroupSet::default().insert(128);
    }

    /// Beside a set of the standard library, which takes the same operations.
    #[test]
    fn random_operations() {
        let mut random = Random::stream(8, "test/groups");
        let mut draw = |n: u32| (random.uniform() * f64::from(n)) as u32;
        let (mut set, mut model) = (GroupSet::EMPTY, BTreeSet::new());
        let (mut other, mut other_model) = (GroupSet::EMPTY, BTreeSet::new());
        for step in 0..4_000 {
            let i = draw(MAX_GROUPS);
            match draw(7) {
                0 | 1 => {
                    set.insert(i);
                    model.insert(i);
                }
                2 | 3 => {
                    set.remove(i);
                    model.remove(&i);
                }
                4 => {
                    (set, other) = (other, set);
                    (model, other_model) = (other_model, model);
                }
                _ => {
                    let (result, expected): (GroupSet, BTreeSet<u32>) = match draw(4) {
                        0 => (set & other, &model & &other_model),
                        1 => (set | other, &model | &other_model),
                        2 => (set ^ other, &model ^ &other_model),
                        _ => (set - other, &model - &other_model),
                    };
                    assert!(result.iter().eq(expected), "step {step}");
                }
            }
            assert!(set.iter().eq(model.iter().copied()), "step {step}");
            assert_eq!(set, set.iter().collect());
            assert_eq!((set.len() as usize, set.is_empty()), (model.len(), model.is_empty()));
            assert_eq!((set.first(), set.last()), (model.first().copied(), model.last().copied()));
            assert_eq!(set.contains(i), model.contains(&i));
        }
    }
}
