//! What a link is a part of, and what of it may change: the words that links, legs, changes and trees share.
//!
//! A link with legs has one queue and one transmitter, the *carrier*, and several far ends, its *legs*, as a
//! satellite's downlink has them. What is sent over a leg waits in the carrier's queue.

use crate::ids::LinkId;
use std::fmt;

/// What a link is in a network where links have legs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkRole {
    /// Queue, transmitter and far end in one.
    #[default]
    Whole,
    /// Queue and transmitter, which change their state and rate.
    Carrier,
    /// A far end of this link; state, delay, losses and where it leads may change.
    Leg(LinkId),
}

/// For which legs of a link a packet is that waits there or is in transmission. On other links it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// For all that want its group when the transmission ends.
    Wanting,
    /// For these but one: the packet has come from there.
    Beside(LinkId),
    /// For one.
    Leg(LinkId),
    /// For none any more.
    Nobody,
}

/// The carriers of legs.
#[derive(Debug, Default)]
pub(crate) struct Carriers {
    /// The carrier of each link that is a leg; empty if no link has legs.
    pub(crate) of: Vec<Option<LinkId>>,
}

/// The thing that changes: there may be one change of it at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Whether the link is up.
    State,
    /// Its rate.
    Rate,
    /// Its loss model.
    Loss,
    /// Its delay.
    Delay,
    /// Its far end.
    FarEnd,
    /// What it can receive, where its link sends symbols; known before the run.
    Signal,
}

impl LinkRole {
    /// Whether it has something that may change.
    pub fn may_change(self, what: Aspect) -> bool {
        match self {
            LinkRole::Whole => what != Aspect::Signal,
            LinkRole::Carrier => matches!(what, Aspect::State | Aspect::Rate),
            LinkRole::Leg(_) => what != Aspect::Rate,
        }
    }

    /// Of a leg the link with it.
    pub(crate) fn carrier(self) -> Option<LinkId> {
        match self {
            LinkRole::Leg(carrier) => Some(carrier),
            LinkRole::Whole | LinkRole::Carrier => None,
        }
    }
}

impl fmt::Display for LinkRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LinkRole::Whole => "a link",
            LinkRole::Carrier => "a link with legs",
            LinkRole::Leg(_) => "a leg",
        })
    }
}

impl Carriers {
    /// By link the carrier of what is a leg.
    pub(crate) fn new(of: Vec<Option<LinkId>>) -> Carriers {
        match of.iter().any(Option::is_some) {
            true => Carriers { of },
            false => Carriers::default(),
        }
    }

    /// The carrier of a leg; `None` for all other links.
    #[inline]
    pub(crate) fn of(&self, link: LinkId) -> Option<LinkId> {
        *self.of.get(link.index())?
    }
}

impl Aim {
    /// The way of what is offered to `link` with this aim: one of its legs, or the link.
    #[inline]
    pub(crate) fn way(self, link: LinkId) -> LinkId {
        match self {
            Aim::Leg(leg) => leg,
            Aim::Wanting | Aim::Beside(_) | Aim::Nobody => link,
        }
    }
}

impl Aspect {
    /// Whether routes follow it at once.
    pub(crate) fn is_of_routes(self) -> bool {
        matches!(self, Aspect::State | Aspect::FarEnd)
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aspect::State => "state, up or down,",
            Aspect::Rate => "rate",
            Aspect::Loss => "loss model",
            Aspect::Delay => "delay",
            Aspect::FarEnd => "far end",
            Aspect::Signal => "signal",
        })
    }
}
