//! Endpoints that come and go: who takes the seats of a pool, and who leaves them.

use super::{Home, World};
use crate::agent::{Agent, Nobody};
use crate::calendar::{Calendar, Entry, Kind};
use crate::counters::MessageCounters;
use crate::host::Host;
use crate::presence::Presence;
use crate::visits::{SeatEnd, Seats};
use faircast_proto::endpoint::Input;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

impl<C> World<C> {
    /// The seats of a pool that have been made by now.
    pub fn seats(&self, pool: usize) -> &[Seats] {
        self.pools[pool].seats()
    }
}

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
        let World { pools, hosts, presence, .. } = self;
        while pools[pool].leave(now, |address| {
            presence[address.index()].stop(now);
            hosts[address.index()].vacate()
        }) {}
        while self.pools[pool].is_due(now) {
            if self.pools[pool].lacks_seat() {
                if let Some((flow, row)) = self.pools[pool].room() {
                    let sender = Address::endpoint(self.hosts.len() as u32);
                    row.into_iter().for_each(|end| self.make_seat(flow, end));
                    let receiver = Address::endpoint(self.hosts.len() as u32 - 1);
                    self.pools[pool].add(Seats { flow, sender, receiver });
                } else if let Some((seats, row)) = self.pools[pool].relocate() {
                    seats.row().zip(row).for_each(|(address, end)| self.move_seat(address, end));
                } else {
                    break;
                }
            }
            let World { pools, hosts, .. } = self;
            let seats = pools[pool].begin(now, |address, agent| hosts[address.index()].enter(agent));
            // Who receives is there before anything can come.
            for address in seats.row().rev() {
                self.presence[address.index()].start(now);
                self.hand(address.index(), Input::Start);
            }
        }
        self.arm_pool(pool);
    }

    /// A new seat, which nobody has yet.
    #[cold]
    fn make_seat(&mut self, flow: FlowId, SeatEnd { node, slot, offset }: SeatEnd) {
        let never = Instant::FAR_FUTURE;
        self.hosts.push(Host::new(Agent::Nobody(Nobody), node, flow, offset, never, never));
        self.places.push(Home { node, slot });
        self.presence.push(Presence::default());
        self.messages_sent.push(MessageCounters::default());
    }

    /// A seat that nobody has is on another node from now on. What is still on its way to who had it before turns there
    /// and is not handed in.
    #[cold]
    fn move_seat(&mut self, address: Address, SeatEnd { node, slot, .. }: SeatEnd) {
        self.hosts[address.index()].node = node;
        self.places[address.index()] = Home { node, slot };
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
        let entity = self.wires.first_port as usize + self.ports.len() + pool;
        self.wires.calendar.schedule(Entry::new(at, Kind::Timer, entity as u32));
    }
}
