//! A scheme from outside the tree: what [`Scheme`] asks for, behind a pointer.

use super::patience::Patient;
use crate::endpoint::{Endpoint, EventKind};
use crate::group_set::GroupPlan;
use crate::scheme::{Responder, Scheme, Seat};
use crate::time::{Duration, Rate};

/// The parameters of some scheme. Whatever is a [`Scheme`] is one; see there.
pub trait SchemeKind: Send + Sync {
    /// Every parameter with an illegal value.
    fn check(&self) -> Vec<(String, String)>;
    /// The groups of a session.
    fn groups(&self) -> Vec<GroupPlan>;
    /// What may happen in its endpoints.
    fn events(&self) -> &'static [&'static EventKind];
    /// Size of a data packet on the wire.
    fn packet_bytes(&self) -> u64;
    /// The most it ever sends.
    fn max_rate(&self) -> Option<Rate>;
    /// What comes to a member of a scheme that does not answer congestion.
    fn steady_rate(&self, duration: Duration) -> Option<Rate>;
    /// Every parameter with a value that is illegal in a run of this length.
    fn check_within(&self, duration: Duration) -> Vec<(String, String)>;
    /// Who answers congestion.
    fn responder(&self) -> Responder;
    /// The source at `seat`.
    fn sender(&self, seat: Seat) -> Box<dyn Endpoint + Send>;
    /// A member at `seat`.
    fn receiver(&self, seat: Seat) -> Box<dyn Endpoint + Send>;
}

impl<S> SchemeKind for S
where
    S: Scheme<Sender: Send + 'static, Receiver: Send + 'static> + Send + Sync,
{
    fn check(&self) -> Vec<(String, String)> {
        Scheme::check(self)
    }

    fn groups(&self) -> Vec<GroupPlan> {
        Scheme::groups(self)
    }

    fn events(&self) -> &'static [&'static EventKind] {
        Scheme::events(self)
    }

    fn packet_bytes(&self) -> u64 {
        Scheme::packet_bytes(self)
    }

    fn max_rate(&self) -> Option<Rate> {
        Scheme::max_rate(self)
    }

    fn steady_rate(&self, duration: Duration) -> Option<Rate> {
        Scheme::steady_rate(self, duration)
    }

    fn check_within(&self, duration: Duration) -> Vec<(String, String)> {
        Scheme::check_within(self, duration)
    }

    fn responder(&self) -> Responder {
        Scheme::responder(self)
    }

    fn sender(&self, seat: Seat) -> Box<dyn Endpoint + Send> {
        Box::new(Patient::new(Scheme::sender(self, seat)))
    }

    fn receiver(&self, seat: Seat) -> Box<dyn Endpoint + Send> {
        Box::new(Patient::new(Scheme::receiver(self, seat)))
    }
}
