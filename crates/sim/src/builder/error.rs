//! Why a network cannot be built.

use crate::link::LEAST_RATE;
use crate::part::{Aspect, LinkRole};
use crate::routing::MAX_HOPS;
use faircast_proto::packet::FlowId;
use faircast_proto::time::{Instant, Rate};
use std::fmt;

/// Why a network cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// No path leads from a sender to its receiver, or none back.
    Unreachable {
        /// Name of the node where packets start.
        from: String,
        /// Name of the node they cannot reach.
        to: String,
    },
    /// The way between the ends of a flow, there or back, is longer than the hop limit.
    TooManyHops {
        /// The flow.
        flow: FlowId,
        /// Name of the node where packets start.
        from: String,
        /// Name of the node they are to reach.
        to: String,
        /// Links on the way.
        hops: usize,
    },
    /// A link has less than [`LEAST_RATE`].
    TooSlow {
        /// Its name.
        link: String,
        /// Its rate.
        rate: Rate,
    },
    /// An address was given out, but no endpoint placed there.
    EmptyAddress {
        /// Name of its node.
        node: String,
    },
    /// A change is planned of a link that is not there.
    ChangeOfNoLink {
        /// Its number.
        link: u32,
        /// When it would change.
        at: Instant,
    },
    /// A link is to turn to a node that is not there, or to the one where it starts.
    NoFarEnd {
        /// The link's name.
        link: String,
        /// The node's number.
        node: u32,
        /// When it would turn.
        at: Instant,
    },
    /// There are two changes of one thing at one instant.
    ChangedTwice {
        /// The link's name.
        link: String,
        /// What changes about it.
        what: Aspect,
        /// When.
        at: Instant,
    },
    /// Something of a link is to change that it does not have.
    NotItsOwn {
        /// The link's name.
        link: String,
        /// What would change about it.
        what: Aspect,
        /// What it is.
        part: LinkRole,
    },
    /// It was no longer wanted.
    GivenUp,
    /// Sender and receiver of a flow are on one node: nothing would cross a link.
    SameNode {
        /// The node's name.
        node: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Unreachable { from, to } => write!(f, "no path leads from node {from} to node {to}"),
            BuildError::TooManyHops { flow, from, to, hops } => write!(
                f,
                "flow {}: the way from node {from} to node {to} has {hops} hops; a packet may take {MAX_HOPS}",
                flow.0
            ),
            BuildError::TooSlow { link, rate } => {
                write!(f, "link {link} has a rate of {} bit/s; legal is at least {} bit/s", rate.0, LEAST_RATE.0)
            }
            BuildError::EmptyAddress { node } => write!(f, "an address on node {node} has no endpoint"),
            BuildError::ChangeOfNoLink { link, at } => {
                write!(f, "at {at} a link with number {link} would change, which is not there")
            }
            BuildError::NoFarEnd { link, node, at } => write!(
                f,
                "link {link} would turn to node number {node} at {at}; legal is a node of the network where it does \
                 not start"
            ),
            BuildError::ChangedTwice { link, what, at } => {
                write!(f, "link {link}: its {what} changes twice at {at}; legal is once")
            }
            BuildError::NotItsOwn { link, what, part } => {
                let legal = match part {
                    LinkRole::Carrier => "its state and rate",
                    _ => "its state, delay, loss model and far end",
                };
                write!(f, "{part} has no {what} of its own that link {link} could change; legal is {legal}")
            }
            BuildError::GivenUp => write!(f, "the network was given up while it was built"),
            BuildError::SameNode { node } => write!(f, "a flow starts and ends on node {node}"),
        }
    }
}

impl std::error::Error for BuildError {}
