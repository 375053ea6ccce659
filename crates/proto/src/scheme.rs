//! The contract of a scheme of multicast congestion control: parameters that make the endpoints of a session.
//!
//! [`registry`](crate::registry) has the list of those that there are.

use crate::endpoint::{Endpoint, EventKind};
use crate::group_set::GroupPlan;
use crate::limits::Illegal;
use crate::packet::{Address, FlowId};
use crate::random::Random;
use crate::time::{Duration, Rate};

/// What an endpoint of a session knows about itself.
pub struct Seat {
    /// The session.
    pub flow: FlowId,
    /// The endpoint's own address.
    pub own: Address,
    /// The first of the session's groups; the others follow it.
    pub group: Address,
    /// How many members the session was set up with.
    pub members: u32,
    /// What the fastest link out of the endpoint's node carries; `None` if there is none or it is not known.
    pub line_rate: Option<Rate>,
    /// For whatever it draws.
    pub random: Random,
}

impl Seat {
    /// The least of `max_rate` and the line rate. A source that only its receivers bound needs this: what reaches a
    /// receiver on the source's own node crosses no link that could lose anything, and so nothing would bound it.
    pub fn bounded(&self, max_rate: Option<Rate>) -> Option<Rate> {
        max_rate.into_iter().chain(self.line_rate).min()
    }
}

/// Who answers congestion in a scheme, and so what gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// Nobody: constant rates.
    Nobody,
    /// The source sends less.
    Sender,
    /// The source sends what it does; a member leaves groups when it loses packets.
    Receivers,
    /// The source sends what it does; routers hold groups back, and members leave what does not come.
    Routers,
}

/// A scheme of multicast congestion control: its parameters, from which its endpoints are made.
pub trait Scheme {
    /// The endpoint that sends data.
    type Sender: Endpoint;
    /// The endpoint that receives it.
    type Receiver: Endpoint;

    /// Every parameter with an illegal value: its path, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)>;

    /// The parameters, if all of them are legal: `config.checked()?.sender(seat)` is how endpoints are made of what
    /// comes from elsewhere.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    fn checked(&self) -> Result<&Self, Illegal>
    where
        Self: Sized,
    {
        Illegal::unless_empty(self.check()).map(|()| self)
    }

    /// The groups that a session uses, 1 to [`MAX_GROUPS`](crate::group_set::MAX_GROUPS), each with its role. One for
    /// a scheme without layers.
    fn groups(&self) -> Vec<GroupPlan> {
        vec![GroupPlan::layer(0)]
    }

    /// What may happen in its endpoints: all the events that they tell.
    fn events(&self) -> &'static [&'static EventKind] {
        &[]
    }

    /// Size of a data packet on the wire.
    fn packet_bytes(&self) -> u64;

    /// The most it ever sends, if it is bounded.
    fn max_rate(&self) -> Option<Rate>;

    /// The most that its source's own link ever carries, if it is bounded: also what nobody holds for long.
    fn peak_rate(&self) -> Option<Rate> {
        self.max_rate()
    }

    /// What comes to a member that is there from the start of its source on, the mean over `duration`, of a scheme that
    /// does not answer congestion: what its receivers' links must carry, whatever is left for others. All that the
    /// source sends unless said otherwise.
    fn steady_rate(&self, _duration: Duration) -> Option<Rate> {
        self.max_rate()
    }

    /// Every parameter with a value that is illegal in a run of this length, as [`check`](Self::check) has them.
    fn check_within(&self, _duration: Duration) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Who answers congestion.
    fn responder(&self) -> Responder {
        Responder::Sender
    }

    /// Whether somebody answers congestion.
    fn is_controlled(&self) -> bool {
        self.responder() != Responder::Nobody
    }

    /// The source at `seat`. The parameters must have passed [`check`](Self::check).
    fn sender(&self, seat: Seat) -> Self::Sender;

    /// A member at `seat`, which joins the groups when it starts and leaves them when it stops.
    fn receiver(&self, seat: Seat) -> Self::Receiver;
}
