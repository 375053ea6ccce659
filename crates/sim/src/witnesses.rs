//! Who is told of packets that links have lost: endpoints that hold loss differentiation against the truth.
//!
//! A link error is what a loss model destroys at the far end of a link, an outage's losses included. What a queue
//! drops or a router holds back is none, nor what finds no way or no hops left, nor what a link refuses, discards or
//! transmits in vain because it is down: then the capacity is gone, and to send less is right. An endpoint is told of
//! what was on its way to it, wherever that was lost, at that moment and without a delay. A copy of a multicast
//! packet is on its way to all members below the link to which interfaces would have passed it on then.

use crate::host::Host;

/// Who wants to be told; there is one if anybody does.
pub(crate) struct Witnesses {
    /// By flow: whether any of its endpoints does.
    pub(crate) flows: Vec<bool>,
    /// Endpoints to be informed of one loss; empty between two.
    pub(crate) told: Vec<u32>,
}

impl Witnesses {
    /// The witnesses among `hosts`, the endpoints of so many flows.
    pub(crate) fn among(hosts: &[Host], flows: usize) -> Option<Box<Witnesses>> {
        let mut wants = vec![false; flows];
        for host in hosts.iter().filter(|host| host.sees_link_losses()) {
            if let Some(wants) = wants.get_mut(host.flow.0 as usize) {
                *wants = true;
            }
        }
        let any = wants.iter().any(|&wants| wants);
        any.then(|| Box::new(Witnesses { flows: wants, told: Vec::new() }))
    }
}
