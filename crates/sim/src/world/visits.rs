//! Endpoints that come and go: who takes the seats of a pool, and who leaves them.

use super::World;
use crate::calendar::{Calendar, Entry, Kind};
use faircast_proto::endpoint::{Input, Report};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

impl<C: Calendar> World<C> {
    /// The sender of a flow has finished: if it has its seat from a pool it leaves it, a nanosecond later. So nobody
    /// who takes it then can be sent anything in the same moment as who had it before.
    pub(super) fn finish_visit(&mut self, flow: FlowId) {
        let now = self.wires.now;
        if let Some(pool) = self.pools.iter_mut().position(|pool| pool.finish(now, flow)) {
            self.call_pool(pool, now + Duration(1));
        }
    }

    /// The timer entry of a pool has come: those who have finished leave, those whose time has come begin.
    pub(super) fn pool_timer(&mut self, pool: usize) {
        let now = self.wires.now;
        self.pools[pool].take_timer(now);
        while let Some(seats) = self.pools[pool].last_ended() {
            let reports = [seats.sender, seats.receiver].map(|address| self.vacate(address));
            self.pools[pool].leave(reports);
        }
        while let Some((seats, [sender, receiver])) = self.pools[pool].begin(now) {
            self.hosts[seats.sender.index()].enter(sender);
            self.hosts[seats.receiver.index()].enter(receiver);
            // Who receives is there before anything can come.
            for address in [seats.receiver, seats.sender] {
                self.presence[address.index()].start(now);
                self.hand(address.index(), Input::Start);
            }
        }
        self.arm_pool(pool);
    }

    fn vacate(&mut self, address: Address) -> Report {
        self.presence[address.index()].stop(self.wires.now);
        self.hosts[address.index()].vacate()
    }

    /// Lets a pool take its first visit, at time zero at the earliest.
    pub(crate) fn begin_pool(&mut self, pool: usize) {
        self.call_pool(pool, Instant::ZERO);
    }

    /// Sees to the timer of a pool.
    pub(crate) fn arm_pool(&mut self, pool: usize) {
        if let Some(at) = self.pools[pool].rearm(self.wires.now) {
            self.call_pool(pool, at);
        }
    }

    fn call_pool(&mut self, pool: usize, at: Instant) {
        let entity = self.hosts.len() + 1 + self.ports.len() + pool;
        self.wires.calendar.schedule(Entry::new(at, Kind::Timer, entity as u32));
    }
}
