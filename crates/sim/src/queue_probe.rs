//! What is kept of one queue: exact statistics over time, how long packets wait, and what happens to them.

use crate::packet_probe::{PacketAction, PacketLog, PacketPlan, PacketRow};
use crate::sojourn::Sojourns;
use crate::store::Handle;
use faircast_proto::packet::{Ecn, FlowId, Packet};
use faircast_proto::time::{Duration, Instant};
use std::sync::Arc;

/// Keeps the exact time-weighted statistics of one queue, how long its packets wait and, if asked, what happens to
/// them.
#[derive(Clone, Debug)]
pub struct QueueProbe {
    statistics: QueueStatistics,
    /// What came before the last restart, if there was one.
    before: Option<QueueStatistics>,
    sojourns: Sojourns,
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
    /// A probe of an empty queue from time zero, in a network with so many flows, that keeps of its packets what a plan
    /// says, if there is one.
    pub fn new(flows: usize, packets: Option<Arc<PacketPlan>>) -> QueueProbe {
        let (statistics, sojourns) = (QueueStatistics::from(Instant::ZERO, 0), Sojourns::new(flows));
        QueueProbe { statistics, before: None, sojourns, log: packets.map(PacketLog::new) }
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

    /// A packet inside is marked as it leaves the queue.
    pub(crate) fn mark(&mut self, at: Instant, handle: Handle, level: Ecn, queue: (u32, f64)) {
        if let Some(log) = &mut self.log {
            log.mark(at, handle, level, queue);
        }
    }

    /// A packet's transmission begins, or will begin for certain, when it has waited so long.
    pub(crate) fn begin(&mut self, wait: Duration, flow: FlowId) {
        self.sojourns.begin(wait, flow);
    }

    /// The packet in transmission has left.
    pub(crate) fn depart(&mut self, at: Instant, handle: Handle, queue: (u32, f64)) {
        self.statistics.change(at, queue.0);
        self.sojourns.depart();
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
        self.sojourns.restart();
    }

    /// Somebody has looked at what has left [lately](Sojourns::lately_s).
    pub(crate) fn look(&mut self) {
        self.sojourns.look();
    }

    /// How long packets waited.
    pub fn sojourns(&self) -> &Sojourns {
        &self.sojourns
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
        let mut probe = QueueProbe::new(0, None);
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
        let mut probe = QueueProbe::new(0, None);
        probe.note(Instant::ZERO, 5);
        probe.note(Instant(100_000_001), 5);
        assert_eq!(probe.statistics(Instant(300_000_004)).standard_deviation(), 0.0);
    }
}
