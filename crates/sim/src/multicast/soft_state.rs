//! What nodes have said to each other and heard, and what is to be done when: the state behind
//! [`membership`](super::membership).

use crate::ids::{LinkId, NodeId, SessionId};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::MembershipMessage;
use faircast_proto::time::Instant;
use std::collections::BTreeSet;

/// A control packet to be sent: session, the link to send it on, what it says of which groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) session: SessionId,
    pub(crate) link: LinkId,
    pub(crate) what: MembershipMessage,
    pub(crate) number: u32,
    pub(crate) groups: GroupSet,
}

/// What a node has said upstream.
#[derive(Clone, Debug)]
pub(super) struct LastReport {
    /// The groups that it said are wanted.
    pub(super) groups: GroupSet,
    /// Number of the last report.
    pub(super) number: u32,
    /// When it was sent, for the first time or again; never, as long as it has not.
    pub(super) sent: Option<Instant>,
    pub(super) acknowledged: bool,
    /// There is a [`Task::Repeat`].
    pub(super) repeats: bool,
}

/// What an interface knows of the node below.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbour {
    /// Number of the latest report, if one has come.
    pub(super) number: Option<u32>,
    /// When what it said ends.
    pub(super) expires: Instant,
    /// There is a [`Task::Expire`].
    pub(super) watched: bool,
    /// What is to happen to the interface later, in no order. Few: one for each leave or prune of the last seconds.
    pub(super) pending: Vec<Pending>,
}

/// Groups that are to be closed, or opened again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) at: Instant,
    pub(super) opens: bool,
    pub(super) groups: GroupSet,
}

/// Something to be done later. By link and not by branch, as trees change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Something pending at the interface that begins with a link.
    Settle { session: SessionId, link: LinkId },
    /// What the node below a link has said may have expired.
    Expire { session: SessionId, link: LinkId },
    /// A node says again what was not acknowledged.
    Retry { session: SessionId, node: NodeId },
    /// A node says again what was, too.
    Repeat { session: SessionId, node: NodeId },
}

/// What is to be done when.
#[derive(Default)]
pub(super) struct Agenda(pub(super) BTreeSet<(Instant, Task)>);

impl LastReport {
    /// Nothing, but the node above believes that these groups are wanted.
    pub(super) fn new(groups: GroupSet) -> LastReport {
        LastReport { groups, number: 0, sent: None, acknowledged: true, repeats: false }
    }

    /// What was said before counts no more, wherever it is: what is wanted is known without words.
    pub(super) fn outdate(&mut self) {
        self.outdate_by(1);
    }

    /// Outdates the present message so many times.
    pub(super) fn outdate_by(&mut self, times: u32) {
        self.number = self.number.wrapping_add(times);
    }
}

impl Neighbour {
    /// Of a node whose wants are known without a report.
    pub(super) fn known(told: &LastReport, before: Option<&Neighbour>) -> Neighbour {
        Neighbour {
            number: Some(told.number),
            watched: before.is_some_and(|before| before.watched),
            ..Neighbour::default()
        }
    }

    /// Groups that are to be closed later.
    pub(super) fn closing(&self) -> GroupSet {
        let closing = self.pending.iter().filter(|pending| !pending.opens);
        closing.fold(GroupSet::EMPTY, |all, pending| all | pending.groups)
    }

    /// Nothing that was to happen to these groups later will.
    pub(super) fn forget(&mut self, groups: GroupSet) {
        self.pending.retain_mut(|pending| {
            pending.groups -= groups;
            !pending.groups.is_empty()
        });
    }

    /// Takes out what has come due: groups to be closed, groups to be opened.
    pub(super) fn take_due(&mut self, now: Instant) -> [GroupSet; 2] {
        let mut due = [GroupSet::EMPTY; 2];
        self.pending.retain(|pending| {
            let is_due = pending.at <= now;
            if is_due {
                due[usize::from(pending.opens)] |= pending.groups;
            }
            !is_due
        });
        due
    }
}
