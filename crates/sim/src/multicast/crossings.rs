//! Where sessions cross links: what a packet to a group asks when it has come over one.
//!
//! All trees together, so a link knows those that cross it, and what there is of a session grows with its tree.

use super::outlet::Fan;
use super::state::Session;
use super::tree::{BranchId, Heading};
use crate::ids::{LinkId, SessionId};

/// All crossings, by link and then by session.
#[derive(Default)]
pub(super) struct Crossings {
    /// By link: its crossings, from one to before another.
    spans: Vec<[u32; 2]>,
    crossings: Vec<Crossing>,
}

/// A session on a link.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    session: SessionId,
    /// The branch that begins with the link, or beside whose link it leads back.
    pub(crate) branch: BranchId,
    /// Where packets go that have come over the link.
    pub(crate) fan: Fan,
    pub(crate) way: Heading,
}

impl Crossing {
    /// The member to whom packets go that have come down over the link, if they go to one and nowhere else.
    #[inline(always)]
    pub(crate) fn lone_member(&self) -> Option<u32> {
        if self.way == Heading::Down { self.fan.lone_member() } else { None }
    }
}

impl Crossings {
    /// The crossings of these sessions with so many links.
    pub(super) fn new(links: usize, sessions: &[Session]) -> Crossings {
        let mut spans = vec![[0; 2]; links];
        let all = || {
            let sessions = (0..).map(SessionId).zip(sessions);
            sessions.flat_map(|(index, session)| session.crossings().map(move |found| (index, found)))
        };
        for (_, (link, ..)) in all() {
            spans[link.index()][1] += 1;
        }
        let mut count = 0;
        for span in &mut spans {
            let start = count;
            count += span[1];
            *span = [start; 2];
        }
        let nowhere = Crossing { session: SessionId(0), branch: BranchId(0), fan: Fan::NOWHERE, way: Heading::Down };
        let mut crossings = vec![nowhere; count as usize];
        for (session, (link, branch, fan, way)) in all() {
            let [_, end] = &mut spans[link.index()];
            crossings[*end as usize] = Crossing { session, branch, fan, way };
            *end += 1;
        }
        Crossings { spans, crossings }
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.crossings.len()
    }

    /// Where a session crosses a link, if it does.
    #[inline(always)]
    pub(super) fn find(&self, session: SessionId, link: LinkId) -> Option<&Crossing> {
        let &[start, end] = self.spans.get(link.index())?;
        match self.crossings.get(start as usize..end as usize)? {
            [only] => (only.session == session).then_some(only),
            several => Crossings::find_among(several, session),
        }
    }

    fn find_among(several: &[Crossing], session: SessionId) -> Option<&Crossing> {
        let at = several.binary_search_by_key(&session, |crossing| crossing.session).ok()?;
        Some(&several[at])
    }
}
