//! Probes: what observers asked to see. Off, they cost one predictable branch.

use crate::acm::SymbolCounters;
use crate::counters::{DilationTotals, FlowLosses, GroupCounters, LinkCounters, MembershipChanges, MembershipMessages};
use crate::counters::{MessageCounters, Undeliverable};
use crate::ids::{LinkId, NodeId};
pub use crate::link_log::{LinkLog, LinkRow};
pub use crate::packet_probe::{GivenUpRow, PacketAction, PacketIdentity, PacketPlan, PacketRow};
pub use crate::queue_probe::{QueueProbe, QueueStatistics};
pub use crate::queue_sample::{QueueRow, SAMPLED, Sampled};
use crate::relays::RelayRow;
use crate::return_channel::SlotCounters;
use crate::router::RouterGauge;
pub use crate::sojourn::{Sojourn, Sojourns, together};
use faircast_proto::endpoint::{Event, Report};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};
use std::sync::Arc;

/// What is to be observed in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbePlan {
    /// What happens up to and including this moment is cut off in late values; zero: nothing is, not even what happens
    /// at time zero.
    pub warmup: Instant,
    /// Interval of flow, link and path rows.
    pub interval: Duration,
    /// Interval of queue rows.
    pub queue_interval: Duration,
    /// Whether flow rows are wanted.
    pub flows: bool,
    /// Whether link rows are wanted.
    pub links: bool,
    /// Whether events of endpoints are wanted.
    pub events: bool,
    /// Links whose queue is sampled every `queue_interval`, and its exact statistics kept.
    pub queues: Vec<LinkId>,
    /// Of which links what happens to packets is kept, one by one.
    pub packets: PacketPlan,
    /// Pairs of nodes of which the way from the first to the second is sampled every `interval`, and told when it
    /// changes.
    pub paths: Vec<(NodeId, NodeId)>,
    /// Whether a hash of everything that happens is wanted.
    pub trace: bool,
}

impl Default for ProbePlan {
    fn default() -> ProbePlan {
        ProbePlan {
            warmup: Instant::ZERO,
            interval: Duration::from_secs(1),
            queue_interval: Duration::from_millis(100),
            flows: false,
            links: false,
            events: false,
            queues: Vec::new(),
            packets: PacketPlan::default(),
            paths: Vec::new(),
            trace: false,
        }
    }
}

/// What was observed, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Sender rows, flow by flow at every moment.
    pub senders: Vec<SenderRow>,
    /// Receiver rows, flow by flow at every moment, and in each flow receiver by receiver.
    pub receivers: Vec<ReceiverRow>,
    /// What is in relays that split connections, as [`World::relays`](crate::world::World::relays), at every moment.
    pub relays: Vec<RelayRow>,
    /// What was in them by the end of the warm-up.
    pub relays_at_warmup: Vec<RelayRow>,
    /// Rows of the groups of sessions, session by session at every moment.
    pub groups: Vec<GroupRow>,
    /// Rows of links, link by link at every moment; of each from the interval on in which something first came to it,
    /// and where routes change of those intervals in which something happened.
    pub links: LinkLog,
    /// What links that send symbols have sent, and what to each of their legs, link by link at every moment.
    pub symbols: Vec<SymbolRow>,
    /// What links that send symbols had sent at the end of the warm-up, and what to each of their legs.
    pub symbols_at_warmup: Vec<(LinkId, SymbolCounters)>,
    /// What terminals of return channels have done, link by link at every moment.
    pub slots: Vec<SlotRow>,
    /// What terminals of return channels had done at the end of the warm-up.
    pub slots_at_warmup: Vec<(LinkId, SlotCounters)>,
    /// Dilation of sessions, session by session and link by link at every moment.
    pub dilation: Vec<DilationRow>,
    /// Queue samples.
    pub queues: Vec<QueueRow>,
    /// Events of endpoints.
    pub events: Vec<EventRow>,
    /// What router agents told, agent by agent at every moment.
    pub routers: Vec<RouterRow>,
    /// What router agents did.
    pub router_events: Vec<RouterEventRow>,
    /// The ways between pairs of nodes, pair by pair at every moment.
    pub paths: Vec<PathRow>,
    /// Link counters at the end of the warm-up, by link.
    pub links_at_warmup: Vec<LinkCounters>,
    /// Values of gauges, as many in a row as [their endpoint shows](crate::world::World::gauges).
    pub gauges: Vec<f64>,
    /// Where the gauges of senders at the end of the warm-up begin in `gauges`, by flow.
    pub sender_gauges_at_warmup: Vec<usize>,
    /// Where the gauges of receivers begin at the end of the warm-up, flow by flow.
    pub receiver_gauges_at_warmup: Vec<usize>,
    /// Packets that were given up on the way, where what happens to packets is kept.
    pub given_up: Vec<GivenUpRow>,
    /// What became of packets of flows by the end of the warm-up, as [`World::losses`](crate::world::World::losses).
    pub losses_at_warmup: Vec<FlowLosses>,
    /// Packets that the network had given up at the end of the warm-up, as
    /// [`World::undeliverable`](crate::world::World::undeliverable).
    pub undeliverable_at_warmup: Vec<Undeliverable>,
    /// Reports of senders at the end of the warm-up, by flow.
    pub senders_at_warmup: Vec<Report>,
    /// Reports of receivers at the end of the warm-up, flow by flow.
    pub receivers_at_warmup: Vec<Report>,
    /// How long each receiver had been present by the end of the warm-up, flow by flow.
    pub presence_at_warmup: Vec<Duration>,
    /// How long each receiver had held layers by the end of the warm-up, flow by flow.
    pub held_at_warmup: Vec<Duration>,
    /// How often each receiver had joined and left groups by the end of the warm-up, flow by flow.
    pub membership_changes_at_warmup: Vec<MembershipChanges>,
    /// The packets without data that each endpoint had sent by the end of the warm-up.
    pub messages_at_warmup: Vec<MessageCounters>,
    /// The messages about the membership of each session by the end of the warm-up.
    pub membership_messages_at_warmup: Vec<MembershipMessages>,
}

/// The sender of a flow at one moment: counters since the start, gauges of the moment.
#[derive(Clone, Copy, Debug)]
pub struct SenderRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which flow's.
    pub flow: FlowId,
    /// Its report.
    pub report: Report,
    /// Where its gauges begin in [`Records::gauges`].
    pub gauges: usize,
}

/// A receiver of a flow at one moment: counters since the start, gauges of the moment.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which, of the receivers of all flows.
    pub receiver: u32,
    /// How many layers it holds: of the groups of its session that it has joined those that are layers.
    pub level: u8,
    /// How long it has been present since the start of the run (see
    /// [`World::presence`](crate::world::World::presence)). Of two rows the difference is its share of the time
    /// between them: summed over the receivers of a session and divided by that time it is the mean number of members
    /// present.
    pub present: Duration,
    /// How long it has held layers since the start of the run, all of them together (see
    /// [`World::held`](crate::world::World::held)). Of two rows the difference, divided by that of `present`, is its
    /// mean level between them.
    pub held: Duration,
    /// How often it has joined and left groups.
    pub changes: MembershipChanges,
    /// Its report.
    pub report: Report,
    /// Where its gauges begin in [`Records::gauges`].
    pub gauges: usize,
}

/// A group of a session at one moment: counters since the start.
#[derive(Clone, Copy, Debug)]
pub struct GroupRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which group, by its address' index.
    pub group: u32,
    /// What it was used for.
    pub counters: GroupCounters,
}

/// A link that sends symbols, or a leg of one, at one moment: counters since the start.
#[derive(Clone, Copy, Debug)]
pub struct SymbolRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which link.
    pub link: LinkId,
    /// What it has sent, or what has been sent to it.
    pub counters: SymbolCounters,
}

/// A terminal of a return channel at one moment: counters since the start.
#[derive(Clone, Copy, Debug)]
pub struct SlotRow {
    /// The moment of the look.
    pub at: Instant,
    /// Its link.
    pub link: LinkId,
    /// What it has done.
    pub counters: SlotCounters,
}

/// The dilation of a session on a link over an interval; no row of intervals in which nothing was sent to those behind
/// it.
#[derive(Clone, Copy, Debug)]
pub struct DilationRow {
    /// The end of the interval.
    pub at: Instant,
    /// Of which session, by its flow.
    pub flow: FlowId,
    /// The link that its packets crossed.
    pub link: LinkId,
    /// What the windows had that ended in the interval.
    pub totals: DilationTotals,
}

/// An event of an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct EventRow {
    /// When, on the simulator's clock.
    pub at: Instant,
    /// Which endpoint, by its address' index.
    pub endpoint: u32,
    /// The flow of that endpoint.
    pub flow: FlowId,
    /// What happened.
    pub event: Event,
}

/// What a router agent told at one moment.
#[derive(Clone, Copy, Debug)]
pub struct RouterRow {
    /// The moment of the look.
    pub at: Instant,
    /// At the beginning of which link it is.
    pub link: LinkId,
    /// What it told: counters since the start, gauges of the moment.
    pub gauge: RouterGauge,
}

/// Something that a router agent did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouterEventRow {
    /// When it did so.
    pub at: Instant,
    /// At the beginning of which link it is.
    pub link: LinkId,
    /// What it did.
    pub event: RouterEvent,
}

/// What router agents do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouterEvent {
    /// A group that passed is held back.
    Blocked(Address),
    /// A group that was held back passes.
    Released(Address),
    /// Whatever the agent says: a word and a number.
    Note(&'static str, f64),
}

/// The way from a node to another at one moment.
#[derive(Clone, Debug)]
pub struct PathRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which of the [pairs](ProbePlan::paths).
    pub path: u32,
    /// Why the row is there.
    pub event: PathEvent,
    /// The propagation delays of its links at this moment, all together; zero if there is no way.
    pub delay: Duration,
    /// Its links; nothing if there is no way, or one of more than [`MAX_HOPS`](crate::routing::MAX_HOPS).
    pub way: Option<Arc<[LinkId]>>,
}

/// Why there is a row of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEvent {
    /// The interval is over.
    Sample,
    /// The way leads over other links from now on.
    Changed,
    /// There is a way again.
    Found,
    /// There is no way from now on.
    Lost,
}
