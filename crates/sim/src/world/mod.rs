//! A network that runs, and what can be seen of it.
//!
//! | file | subject |
//! |---|---|
//! | `run.rs` | the loop, the hop, the driver of endpoints |
//! | `groups.rs` | copies down the trees of sessions, and the messages that shape them |
//! | `adaptive.rs` | transmissions whose modulation is chosen when they start |
//! | `visits.rs` | endpoints that come and go |
//! | `routers.rs` | what router agents hear, and what they want done |
//! | `changes.rs` | what changes at an instant, and what becomes of packets that wait |
//! | `losses.rs` | who is told of packets that links have lost |
//! | `playout.rs` | what packets carry of media that are played |
//! | `ways.rs` | looking at the ways that are watched |
//! | `probes.rs` | what is written down |

mod adaptive;
mod changes;
mod groups;
mod losses;
mod playout;
mod probes;
mod relays;
mod routers;
mod run;
mod visits;
mod ways;

use crate::counters::{FlowLosses, GroupCounters, MessageCounters, Undeliverable};
use crate::epoch::Changes;
use crate::flow::Flow;
use crate::forwarding::Forwarding;
use crate::host::Host;
use crate::ids::{LinkId, NodeId};
use crate::link::Link;
use crate::multicast::{Message, Multicast};
use crate::paths::Watched;
use crate::playout::Playout;
use crate::presence::Presence;
use crate::probe::{PacketRow, ProbePlan, Records};
use crate::store::Label;
use crate::visits::{Pool, Transfer};
pub use crate::wires::Fault;
use crate::wires::Wires;
use crate::witnesses::Witnesses;
use faircast_proto::endpoint::{Gauge, Outbox, Report};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

/// A network that runs.
pub struct World<C> {
    pub(crate) wires: Wires<C>,
    /// Where each endpoint lives, by address.
    pub(crate) places: Vec<Home>,
    pub(crate) forwarding: Forwarding,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flows: Vec<Flow>,
    /// The receivers of all flows, flow by flow.
    pub(crate) receivers: Vec<Address>,
    pub(crate) outbox: Outbox,
    pub(crate) plan: ProbePlan,
    pub(crate) records: Records,
    /// By link: what had happened there when its last row was written.
    pub(crate) events_told: Vec<u64>,
    pub(crate) events: u64,
    /// Packets given up, by flow; the last is for packets that name no flow.
    pub(crate) undeliverable: Vec<Undeliverable>,
    /// Presence by endpoint.
    pub(crate) presence: Vec<Presence>,
    /// By endpoint: what it has sent that carries no data.
    pub(crate) messages_sent: Vec<MessageCounters>,
    pub(crate) multicast: Multicast,
    /// Control packets to be sent, filled and emptied within one event.
    pub(crate) messages: Vec<Message>,
    /// The links at whose beginning a router agent is, by its number.
    pub(crate) ports: Vec<LinkId>,
    /// Seats that endpoints take and leave while the network runs.
    pub(crate) pools: Vec<Pool>,
    /// The flows that relays split: of each the sender and the relays, in the order in which data comes there.
    pub(crate) splits: Vec<(FlowId, Vec<Address>)>,
    /// Packets for members on the sender's own node, to be handed in when its outbox is empty.
    pub(crate) local: Vec<(u32, Label)>,
    /// When the calendar has an entry for the agenda of [`Multicast`].
    pub(crate) agenda_armed: Instant,
    /// What is to change; `None` if nothing ever does.
    pub(crate) changes: Option<Box<Changes>>,
    /// The ways that are watched.
    pub(crate) paths: Vec<Watched>,
    /// Who wants to know what links lose.
    pub(crate) witnesses: Option<Box<Witnesses>>,
    /// What is played of sessions.
    pub(crate) playout: Option<Box<Playout>>,
}

/// Where an endpoint lives: its node, and the node's slot in the forwarding tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) node: NodeId,
    pub(crate) slot: u32,
}

/// A world whose loop is compiled in this crate, in one piece: compiled where it is called from, little of it would be
/// inlined.
pub trait Loop {
    /// The same as [`World::run`].
    fn advance(&mut self, end: Instant, budget: u64) -> Progress;
}

/// Whether a run has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything up to the asked time has happened.
    Done,
    /// The budget of events is used up, or somebody did not want it to go on.
    Paused,
}

impl<C> World<C> {
    /// The present moment.
    pub fn now(&self) -> Instant {
        self.wires.now
    }

    /// The links, in the order in which they were added.
    pub fn links(&self) -> &[Link] {
        &self.wires.links
    }

    /// What a queue has done that it must not do, the first to do so: then the run is worth nothing from that moment
    /// on, and its driver ends it.
    pub fn fault(&self) -> Option<&Fault> {
        self.wires.fault.as_deref()
    }

    /// The flows, in the order in which they were added.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Report of the sender of a flow.
    pub fn sender(&self, flow: usize) -> Report {
        self.report(self.flows[flow].sender)
    }

    /// Report of one of the receivers of a flow.
    pub fn receiver(&self, flow: usize, receiver: usize) -> Report {
        self.report(self.receivers[self.flows[flow].receivers.clone()][receiver])
    }

    /// The receivers of all flows, flow by flow.
    pub fn receivers(&self) -> &[Address] {
        &self.receivers
    }

    /// The session of a group, by its flow, and the group's number in it; `None` for a group that no session owns.
    pub fn session_of(&self, group: Address) -> Option<(FlowId, u32)> {
        let (session, number) = self.multicast.place(group.index())?;
        Some((self.multicast.session(session).flow(), number))
    }

    /// How long one of the [`receivers`](Self::receivers) of all flows has been present until now: since its start,
    /// until it stops or, in a session, has left the last of its groups, which may be later; who joins again is present
    /// again. Exact to the nanosecond. What receivers got divided by how long they were present is a rate over present
    /// members.
    pub fn presence(&self, receiver: usize) -> Duration {
        self.presence[self.receivers[receiver].index()].until(self.now())
    }

    /// How many layers one of the [`receivers`](Self::receivers) of all flows holds: of the groups of its session that
    /// it has joined those that are layers. 0 for the receiver of a flow between two endpoints.
    pub fn level(&self, receiver: usize) -> u8 {
        self.presence[self.receivers[receiver].index()].level()
    }

    /// How long one of the [`receivers`](Self::receivers) of all flows has held layers until now, all of them together:
    /// the integral of its [`level`](Self::level) over time, exact to the nanosecond. Divided by its
    /// [`presence`](Self::presence) it is its mean level.
    pub fn held(&self, receiver: usize) -> Duration {
        self.presence[self.receivers[receiver].index()].held(self.now())
    }

    /// What the group at an address has been used for until now; `None` for a group that no session owns.
    pub fn group(&self, group: Address) -> Option<GroupCounters> {
        self.multicast.place(group.index())?;
        Some(self.multicast.usage()[group.index()].until(self.now()))
    }

    /// What the endpoint at an address shows beside its report.
    pub fn gauges(&self, address: Address) -> &'static [Gauge] {
        self.hosts[address.index()].gauges()
    }

    /// The present values of the [`gauges`](Self::gauges) of the endpoint at an address.
    pub fn measure(&self, address: Address) -> Vec<f64> {
        let host = &self.hosts[address.index()];
        let mut values = vec![f64::NAN; host.gauges().len()];
        host.measure(&mut values);
        values
    }

    fn report(&self, address: Address) -> Report {
        self.hosts[address.index()].report()
    }

    /// What the probes have written.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Takes what the probes have written out of the run, which keeps nothing of it.
    pub fn take_records(&mut self) -> Records {
        std::mem::take(&mut self.records)
    }

    /// Takes the transfers of all pools out of the run, which is not to go on: pool by pool, each with the number of
    /// the pool, those that are under way among them.
    pub fn take_transfers(&mut self) -> Vec<(u32, Transfer)> {
        let now = self.now();
        let mut taken = Vec::new();
        for (number, pool) in (0..).zip(&mut self.pools) {
            let hosts = &mut self.hosts;
            pool.give_up(now, |address| hosts[address.index()].vacate());
            taken.extend(pool.transfers(now).into_iter().map(|transfer| (number, transfer)));
        }
        taken
    }

    /// Takes what happened to packets out of the run, link by link where that was asked for.
    pub fn take_packet_rows(&mut self) -> Vec<(LinkId, Vec<PacketRow>)> {
        let mut taken = Vec::new();
        for (id, link) in (0..).map(LinkId).zip(&mut self.wires.links) {
            if let Some(rows) = link.probe_mut().and_then(|probe| probe.take_rows()) {
                taken.push((id, rows));
            }
        }
        taken
    }

    /// Calendar entries carried out.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The packets that the network gave up since the start of the run, by reason: one entry for each of the
    /// [`flows`](Self::flows), in their order, and a last one for packets that name none of them. What queues drop and
    /// wires lose is in the counters of links. In networks whose routes stay as they were built all are zero, unless
    /// an endpoint misaddresses a packet: ways longer than [`MAX_HOPS`](crate::routing::MAX_HOPS) are not built.
    pub fn undeliverable(&self) -> &[Undeliverable] {
        &self.undeliverable
    }

    /// The packets that did not come through since the start of the run, by reason: one entry for each of the
    /// [`flows`](Self::flows), and a last one for packets that name none of them. The sums over all entries are those
    /// of the counters of links.
    pub fn losses(&self) -> &[FlowLosses] {
        self.wires.store.losses()
    }

    /// Whether routes may change while it runs. Then links have [rows](Records::links) only when something has happened
    /// there.
    pub fn changes_routes(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.epoch.is_some())
    }

    /// The link of which a link is a leg, if it is one.
    pub fn carrier(&self, link: LinkId) -> Option<LinkId> {
        self.wires.legs.carrier(link)
    }

    /// Packets that have come to the far end of a link or were lost there.
    pub fn packet_hops(&self) -> u64 {
        let ends = self.wires.links.iter().filter(|link| !link.has_legs());
        ends.map(|link| link.counters().delivered + link.counters().lost).sum()
    }

    /// Hash of everything that happened and the number of records behind it, if the plan asked for it.
    pub fn digest(&self) -> Option<(u64, u64)> {
        self.wires.trace.as_ref().map(|trace| trace.digest())
    }
}
