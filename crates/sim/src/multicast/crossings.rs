//! Where sessions cross links: what a packet to a group asks when it has come over one.
//!
//! All trees together, so a link knows those that cross it, and what there is of a session grows with its tree.

use super::state::{Fan, Session};
use super::tree::BranchId;
use crate::ids::{LinkId, SessionId};

/// All crossings, by link and then by session.
#[derive(Default)]
pub(super) struct Crossings {
    /// By link: its first crossing, up to that of the next link.
    starts: Vec<u32>,
    crossings: Vec<Crossing>,
}

/// A session on a link.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    session: SessionId,
    /// The branch that begins with the link, or beside whose link it leads back.
    pub(super) branch: BranchId,
    /// Where packets go that have come over the link.
    pub(crate) fan: Fan,
    pub(crate) way: Way,
}

/// A direction in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Away from the source: a branch begins with the link.
    Down,
    /// Towards the source.
    Up,
}

impl Crossings {
    /// Those of these sessions with so many links.
    pub(super) fn new(links: usize, sessions: &[Session]) -> Crossings {
        let mut starts = vec![0; links + 1];
        let all = || {
            let sessions = (0..).map(SessionId).zip(sessions);
            sessions.flat_map(|(index, session)| session.crossings().map(move |found| (index, found)))
        };
        for (_, (link, ..)) in all() {
            starts[link.index() + 1] += 1;
        }
        for link in 0..links {
            starts[link + 1] += starts[link];
        }
        let nowhere = Crossing { session: SessionId(0), branch: BranchId(0), fan: Fan::NOWHERE, way: Way::Down };
        let mut crossings = vec![nowhere; starts[links] as usize];
        let mut next = starts.clone();
        for (session, (link, branch, fan, way)) in all() {
            let place = &mut next[link.index()];
            crossings[*place as usize] = Crossing { session, branch, fan, way };
            *place += 1;
        }
        Crossings { starts, crossings }
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.crossings.len()
    }

    /// Where a session crosses a link, if it does.
    #[inline]
    pub(super) fn find(&self, session: SessionId, link: LinkId) -> Option<Crossing> {
        let [start, end] = *self.starts.get(link.index()..link.index() + 2)?.as_array()?;
        let there = &self.crossings[start as usize..end as usize];
        let at = there.partition_point(|crossing| crossing.session < session);
        there.get(at).filter(|crossing| crossing.session == session).copied()
    }
}
