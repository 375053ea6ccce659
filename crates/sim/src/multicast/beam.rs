//! The legs of one carrier that are branches of a tree: one transmission serves all of them.

use super::outlet::Outlet;
use super::tree::BranchId;
use crate::ids::LinkId;
use faircast_proto::group_set::GroupSet;

/// A carrier as an interface: what is wanted on it is what is wanted on any leg. It may hold groups back, no leg can.
pub(crate) struct Beam {
    pub(super) carrier: LinkId,
    /// Where packets see it.
    pub(super) outlet: u32,
    /// The branch that is the first leg; the others follow it.
    first: BranchId,
    /// Its legs, with what is joined on each.
    pub(super) legs: Vec<Outlet>,
    /// Joined on any leg.
    pub(super) joined: GroupSet,
    pub(super) blocked: GroupSet,
    /// On how many legs each group is joined.
    wanting: Vec<u32>,
}

impl Beam {
    /// Without legs as yet.
    pub(super) fn new(carrier: LinkId, outlet: u32, first: BranchId, groups: u32) -> Beam {
        let (joined, blocked) = (GroupSet::EMPTY, GroupSet::EMPTY);
        Beam { carrier, outlet, first, legs: Vec::new(), joined, blocked, wanting: vec![0; groups as usize] }
    }

    /// Makes what the leg that is this branch has joined `groups`. What no leg has joined is no longer blocked.
    pub(super) fn set_joined(&mut self, branch: BranchId, groups: GroupSet) {
        let leg = &mut self.legs[branch.index() - self.first.index()];
        let before = std::mem::replace(&mut leg.open, groups);
        for group in (groups - before).iter() {
            self.wanting[group as usize] += 1;
            self.joined.insert(group);
        }
        for group in (before - groups).iter() {
            let wanting = &mut self.wanting[group as usize];
            *wanting -= 1;
            if *wanting == 0 {
                self.joined.remove(group);
            }
        }
        self.blocked &= self.joined;
    }

    /// Holds groups back, as far as they are joined, or lets them pass again.
    pub(super) fn set_blocked(&mut self, groups: GroupSet, blocked: bool) {
        match blocked {
            true => self.blocked |= groups & self.joined,
            false => self.blocked -= groups,
        }
    }

    /// What is joined, and what is held back.
    pub(super) fn held(&self) -> (GroupSet, GroupSet) {
        (self.joined, self.blocked)
    }

    /// What may be transmitted.
    pub(super) fn open(&self) -> GroupSet {
        self.joined - self.blocked
    }

    /// Whether a group is joined on another leg than `except`.
    pub(crate) fn is_wanted_beside(&self, except: LinkId, group: u32) -> bool {
        let there =
            self.legs.binary_search_by_key(&except, |leg| leg.link).is_ok_and(|leg| self.legs[leg].is_open(group));
        self.wanting[group as usize] > u32::from(there)
    }

    /// The legs on which a group is joined.
    pub(crate) fn legs_of(&self, group: u32) -> impl Iterator<Item = LinkId> {
        self.legs.iter().filter(move |leg| leg.is_open(group)).map(|leg| leg.link)
    }
}
