//! What is wrong with a plan of changes.

use super::error::BuildError;
use crate::change::{Change, Plan};
use crate::ids::NodeId;
use crate::link::LEAST_RATE;
use crate::part::LinkRole;

/// What is wrong with a plan in a network of links that are called so, start at these nodes and are such parts, of
/// `nodes` nodes. It must be in order.
pub(super) fn errors(plan: &Plan, links: &[(&str, NodeId, LinkRole)], nodes: usize) -> Vec<BuildError> {
    let mut errors = Vec::new();
    let mut before = None;
    for (at, id, change) in plan.all() {
        let Some(&(name, from, part)) = links.get(id.index()) else {
            errors.push(BuildError::ChangeOfNoLink { link: id.0, at });
            continue;
        };
        let link = || name.to_owned();
        match *change {
            Change::Rate(rate) if rate < LEAST_RATE => errors.push(BuildError::TooSlow { link: link(), rate }),
            Change::FarEnd(to) if to.index() >= nodes || to == from => {
                errors.push(BuildError::NoFarEnd { link: link(), node: to.0, at });
            }
            _ => {}
        }
        if !part.may_change(change.subject()) {
            errors.push(BuildError::NotItsOwn { link: link(), what: change.subject(), part });
        }
        let this = Some((at, id, change.subject()));
        if this == before {
            errors.push(BuildError::ChangedTwice { link: link(), what: change.subject(), at });
        }
        before = this;
    }
    errors
}
