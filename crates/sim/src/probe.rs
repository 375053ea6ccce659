//! Probes: what observers asked to see. Off, they cost one predictable branch.

use crate::counters::{DilationTotals, FlowLosses, GroupCounters, LinkCounters, MembershipChanges, MembershipMessages};
use crate::counters::{MessageCounters, Undeliverable};
use crate::ids::{LinkId, NodeId};
use crate::packet_probe::PacketLog;
pub use crate::packet_probe::{GivenUpRow, PacketAction, PacketIdentity, PacketPlan, PacketRow};
use crate::router::RouterGauge;
use crate::store::Handle;
use faircast_proto::endpoint::{Event, Report};
use faircast_proto::packet::{Address, FlowId, Packet};
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
    /// Rows of the groups of sessions, session by session at every moment.
    pub groups: Vec<GroupRow>,
    /// Link rows.
    pub links: Vec<LinkRow>,
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

/// A link at one moment: counters since the start.
#[derive(Clone, Copy, Debug)]
pub struct LinkRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which link.
    pub link: LinkId,
    /// What it has done.
    pub counters: LinkCounters,
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

/// A queue at one moment.
#[derive(Clone, Copy, Debug)]
pub struct QueueRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which link's queue.
    pub link: LinkId,
    /// Packets waiting, without the one in transmission.
    pub waiting_pkts: u32,
    /// The discipline's average in packets, NaN if it keeps none.
    pub average_pkts: f64,
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

/// Keeps the exact time-weighted statistics of one queue and, if asked, what happens to its packets.
#[derive(Clone, Debug)]
pub struct QueueProbe {
    statistics: QueueStatistics,
    /// What came before the last restart, if there was one.
    before: Option<QueueStatistics>,
    log: Option<PacketLog>,
}

/// Time-weighted statistics of the instantaneous queue in packets, the packet in transmission not counted.
#[derive(Clone, Copy, Debug)]
pub struct QueueStatistics {
    since: Instant,
    last_change: Instant,
    waiting: u32,
    area: f64,
    area_of_squares: f64,
    min: u32,
    max: u32,
}

impl QueueProbe {
    /// A probe of an empty queue from time zero, that keeps of its packets what a plan says, if there is one.
    pub fn new(packets: Option<Arc<PacketPlan>>) -> QueueProbe {
        let statistics = QueueStatistics::from(Instant::ZERO, 0);
        QueueProbe { statistics, before: None, log: packets.map(PacketLog::new) }
    }

    /// Something has happened to a packet, after which so many wait, and this is the discipline's average.
    pub(crate) fn observe(&mut self, at: Instant, action: PacketAction, packet: &Packet, queue: (u32, f64)) {
        self.statistics.change(at, queue.0);
        self.witness(at, action, packet, queue);
    }

    /// Writes down something that is not about the queue.
    pub(crate) fn witness(&mut self, at: Instant, action: PacketAction, packet: &Packet, queue: (u32, f64)) {
        if let Some(log) = &mut self.log {
            log.note(at, action, packet, queue);
        }
    }

    /// A packet, which looked like this when it came, waits or is in transmission.
    pub(crate) fn enter(&mut self, handle: Handle, packet: &Packet) {
        if let Some(log) = &mut self.log {
            log.enter(handle, packet);
        }
    }

    /// A packet waits no longer, though it will not be transmitted.
    pub(crate) fn leave(&mut self, handle: Handle) {
        if let Some(log) = &mut self.log {
            log.leave(handle);
        }
    }

    /// A packet that waits or is in transmission lies elsewhere from now on.
    pub(crate) fn rename(&mut self, old: Handle, new: Handle) {
        if let Some(log) = &mut self.log {
            log.rename(old, new);
        }
    }

    /// The packet in transmission has left.
    pub(crate) fn depart(&mut self, at: Instant, handle: Handle, queue: (u32, f64)) {
        self.statistics.change(at, queue.0);
        if let Some(log) = &mut self.log {
            log.depart(at, handle, queue);
        }
    }

    /// What has happened to packets; `None` if that was not asked for.
    pub fn rows(&self) -> Option<&[PacketRow]> {
        self.log.as_ref().map(PacketLog::rows)
    }

    /// Takes the same out.
    pub fn take_rows(&mut self) -> Option<Vec<PacketRow>> {
        self.log.as_mut().map(PacketLog::take_rows)
    }

    /// So many packets wait from now on, without anything having happened to one that came or left.
    pub(crate) fn note(&mut self, at: Instant, waiting_pkts: u32) {
        self.statistics.change(at, waiting_pkts);
    }

    /// Begins the statistics anew: the warm-up is over.
    pub fn restart(&mut self, now: Instant) {
        self.before = Some(self.whole(now));
        self.statistics = QueueStatistics::from(now, self.statistics.waiting);
    }

    /// The statistics from the last restart until `now`.
    pub fn statistics(&self, now: Instant) -> QueueStatistics {
        let mut statistics = self.statistics;
        statistics.change(now, statistics.waiting);
        statistics
    }

    /// The statistics from time zero until `now`, whatever was begun anew in between.
    pub fn whole(&self, now: Instant) -> QueueStatistics {
        let statistics = self.statistics(now);
        self.before.map_or(statistics, |before| before.followed_by(&statistics))
    }
}

impl QueueStatistics {
    fn from(since: Instant, waiting: u32) -> QueueStatistics {
        QueueStatistics {
            since,
            last_change: since,
            waiting,
            area: 0.0,
            area_of_squares: 0.0,
            min: waiting,
            max: waiting,
        }
    }

    fn change(&mut self, at: Instant, waiting: u32) {
        let (level, length) = (f64::from(self.waiting), at.since(self.last_change).as_secs_f64());
        self.area += level * length;
        self.area_of_squares += level * level * length;
        self.last_change = at.max(self.last_change);
        self.waiting = waiting;
        self.min = self.min.min(waiting);
        self.max = self.max.max(waiting);
    }

    /// Those of two stretches of time, of which `next` begins where these end.
    fn followed_by(&self, next: &QueueStatistics) -> QueueStatistics {
        QueueStatistics {
            since: self.since,
            area: self.area + next.area,
            area_of_squares: self.area_of_squares + next.area_of_squares,
            min: self.min.min(next.min),
            max: self.max.max(next.max),
            ..*next
        }
    }

    fn length(&self) -> f64 {
        self.last_change.since(self.since).as_secs_f64()
    }

    /// The mean queue over time.
    pub fn mean(&self) -> f64 {
        self.area / self.length()
    }

    /// The standard deviation of the queue over time.
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        (self.area_of_squares / self.length() - mean * mean).max(0.0).sqrt()
    }

    /// The shortest queue.
    pub fn min(&self) -> u32 {
        self.min
    }

    /// The longest queue.
    pub fn max(&self) -> u32 {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_weighted_by_time() {
        // 0 for 1 s, 4 for 3 s, then 2 for 4 s: mean (0 + 12 + 8) / 8, mean of squares (48 + 16) / 8.
        let mut probe = QueueProbe::new(None);
        let at = |s: u64| Instant(s * 1_000_000_000);
        probe.note(at(1), 4);
        probe.note(at(4), 2);
        let all = probe.statistics(at(8));
        assert!((all.mean() - 2.5).abs() < 1e-12);
        assert!((all.standard_deviation() - (8.0f64 - 6.25).sqrt()).abs() < 1e-12);
        assert_eq!((all.min(), all.max()), (0, 4));
        probe.restart(at(5));
        let late = probe.statistics(at(6));
        assert_eq!((late.mean(), late.standard_deviation(), late.min(), late.max()), (2.0, 0.0, 2, 2));
        // What came before is not lost: 2 for three seconds more and then 6 for 2 s: (20 + 12) / 10, (64 + 72) / 10.
        probe.note(at(8), 6);
        for restarts in 0..3 {
            let whole = probe.whole(at(10));
            assert!((whole.mean() - 3.2).abs() < 1e-12, "{restarts}: {}", whole.mean());
            assert!((whole.standard_deviation() - (13.6f64 - 10.24).sqrt()).abs() < 1e-12, "{restarts}");
            assert_eq!((whole.min(), whole.max()), (0, 6));
            probe.restart(at(9));
        }
    }

    #[test]
    fn a_queue_that_does_not_change_has_no_deviation() {
        // Rounding leaves -7.1e-15 of the variance.
        let mut probe = QueueProbe::new(None);
        probe.note(Instant::ZERO, 5);
        probe.note(Instant(100_000_001), 5);
        assert_eq!(probe.statistics(Instant(300_000_004)).standard_deviation(), 0.0);
    }
}
