//! Router-assisted layer blocking [Peng]: while the queue is long and multicast sessions send more than unicast flows,
//! the router holds back their highest layers; while it is short it releases them.
//!
//! | file | subject |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `accounting.rs` | who sends how much over the interface |
//! | `signals.rs` | what the queue drops and marks |
//! | `controller.rs` | when to block and when to release: the phases of the queue, Algorithm 1 |
//!
//! The paper leaves open when rates are measured anew, when the observation time returns to its first value, what
//! becomes of layers that are joined while others are blocked, and what happens without unicast traffic; the choices
//! are in `docs/layer-blocking.md`.

mod accounting;
mod config;
mod controller;
mod signals;
#[cfg(test)]
mod tests;

pub use config::{Admission, Compared, Config, Count, Reads, Reset, Unicast};

use super::GaugeSubject;
use super::{MembershipChange, Offer, RouterAgent, RouterContext, RouterGauge, RouterOutbox, RouterView, SessionAt};
use accounting::{Accounting, Key};
use controller::{Controller, Traffic, Wish};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::{Instant, Rate};
use signals::Signals;
use std::collections::BTreeMap;

/// Blocks and releases the layers of sessions on one interface.
pub struct LayerBlocking {
    config: Config,
    /// The queue's thresholds.
    lower: f64,
    upper: f64,
    limit: QueueSize,
    accounting: Accounting,
    /// What the queue has said, if that is read.
    signals: Option<Signals>,
    controller: Controller,
    /// Those of sessions that have queues of their own, where drops are read under fair queueing.
    of_sessions: Option<BTreeMap<FlowId, Controller>>,
    sessions: BTreeMap<FlowId, Known>,
    next: Option<Instant>,
    /// When it last did something, counted in actions.
    actions: u64,
    blocks: u64,
    releases: u64,
    refusals: u64,
    /// The link's rate at the last look.
    rate: Rate,
    /// The most that layers of sessions sent in a window before they were blocked, bit/s.
    sizes: BTreeMap<(FlowId, Address), f64>,
}

/// What it keeps of a session besides its traffic.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// A layer of it has been blocked since the first one was joined.
    capped: bool,
    /// The numbers of the last actions on it, 0 if there was none.
    blocked: u64,
    released: u64,
    /// How many of its layers passed at the last look.
    live: u32,
    /// The lowest of its layers that was held back then.
    held: Option<Address>,
}

impl LayerBlocking {
    /// Has seen nothing.
    pub fn new(config: &Config, context: RouterContext) -> LayerBlocking {
        let limit = match context.limit {
            QueueSize::Packets(packets) => packets,
            QueueSize::Bytes(bytes) => bytes as f64,
        };
        let reads_drops = config.reads == Reads::Drops;
        LayerBlocking {
            lower: config.lower_threshold * limit,
            upper: config.upper_threshold * limit,
            limit: context.limit,
            accounting: Accounting::new(config.window, config.lifetime),
            signals: reads_drops.then(|| Signals::new(config.memory, config.window)),
            controller: Controller::new(config),
            of_sessions: (reads_drops && context.is_fair).then(BTreeMap::new),
            sessions: BTreeMap::new(),
            next: None,
            actions: 0,
            blocks: 0,
            releases: 0,
            refusals: 0,
            rate: context.rate,
            sizes: BTreeMap::new(),
            config: config.clone(),
        }
    }

    /// What waits, in what the limit counts.
    fn waiting(&self, at: &RouterView<'_>) -> f64 {
        match self.limit {
            QueueSize::Packets(_) => f64::from(at.interface.waiting_pkts),
            QueueSize::Bytes(_) => at.interface.waiting_bytes as f64,
        }
    }

    /// The phase of the queue: 1 short, 3 long, 2 between.
    fn phase(&self, at: &RouterView<'_>) -> u8 {
        match (self.waiting(at), &self.signals) {
            (many, _) if many >= self.upper => 3,
            (_, Some(signals)) => match signals.phase(at.interface.now) {
                // Unicast flows fill a queue as long as it lets them, and constant rates only if they are too much.
                1 if self.accounting.unicast_sessions() == 0 && signals.fills(at.interface.now) => 2,
                phase => phase,
            },
            (few, None) if few <= self.lower => 1,
            _ => 2,
        }
    }

    /// The layers of a session that pass and have been seen of late.
    fn live(&self, session: &SessionAt, now: Instant) -> GroupSet {
        let seen = |&group: &u32| self.accounting.is_live(session.group(group), now);
        session.live().iter().filter(seen).fold(GroupSet::EMPTY, |all, group| all | GroupSet::of(group))
    }

    /// Looks at the queue, and does what is to be done.
    fn look(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        self.accounting.expire(now);
        let is_short = self.waiting(at) <= self.lower;
        if let Some(signals) = &mut self.signals {
            signals.expire(now);
            if is_short {
                signals.note_short(now);
            }
        }
        self.rate = at.interface.rate;
        for session in at.sessions {
            let live = self.live(session, now).len();
            let held = (session.held() - session.control).first().map(|group| session.group(group));
            let known = self.sessions.entry(session.flow).or_default();
            (known.live, known.held) = (live, held);
        }
        let changed = self.accounting.take_changed();
        if self.of_sessions.is_some() {
            return self.look_at_each(at, changed, out);
        }
        let traffic = Traffic {
            phase: self.phase(at),
            unicast_sessions: self.accounting.unicast_sessions(),
            multicast_sessions: self.accounting.multicast_sessions(),
            unicast: self.accounting.unicast(now),
            multicast: self.accounting.multicast(now),
            layers: at.sessions.iter().map(|session| self.live(session, now).len()).sum(),
            changed,
            rate: self.rate,
        };
        let phase = self.controller.phase();
        let wish = self.controller.look(now, &traffic);
        if self.controller.phase() != phase {
            out.note("phase", f64::from(self.controller.phase()));
        }
        match wish {
            Wish::Nothing => {}
            Wish::Block => self.block(at, None, out),
            Wish::Release => self.release(at, None, out),
        }
    }

    /// Looks at the queue of each session. The scheduler sees to shares, so nothing is compared: as where a session is
    /// alone, it is too much if its own packets are dropped or marked, and not if none are.
    fn look_at_each(&mut self, at: &RouterView<'_>, changed: bool, out: &mut RouterOutbox) {
        let now = at.interface.now;
        for session in at.sessions {
            let flow = session.flow;
            let live = self.live(session, now).len();
            let (Some(signals), Some(controllers)) = (&self.signals, &mut self.of_sessions) else { return };
            let traffic = Traffic {
                phase: signals.phase_of(flow, now),
                unicast_sessions: 0,
                multicast_sessions: usize::from(live > 0),
                unicast: 0,
                multicast: self.accounting.of_session(flow),
                layers: live,
                changed,
                rate: self.rate,
            };
            let controller = controllers.entry(flow).or_insert_with(|| Controller::new(&self.config));
            match controller.look(now, &traffic) {
                Wish::Nothing => {}
                Wish::Block => self.block(at, Some(flow), out),
                Wish::Release => self.release(at, Some(flow), out),
            }
        }
    }

    /// The controller that decides about a session.
    fn controller_of(&mut self, flow: FlowId) -> &mut Controller {
        match self.of_sessions.as_mut().and_then(|controllers| controllers.get_mut(&flow)) {
            Some(controller) => controller,
            None => &mut self.controller,
        }
    }

    /// Blocks the highest live layer of the session that has most of them; of several the one that was least recently
    /// blocked. A session keeps its base and its last layer. With `only` none but that session is looked at.
    fn block(&mut self, at: &RouterView<'_>, only: Option<FlowId>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        let asked = |session: &&SessionAt| only.is_none_or(|only| session.flow == only);
        let candidates = at.sessions.iter().filter(asked).filter_map(|session| {
            let live = self.live(session, now);
            let last = live.last().filter(|&last| live.len() > 1 && Some(last) != base(session))?;
            let known = self.sessions.get(&session.flow).copied().unwrap_or_default();
            Some(((live.len(), std::cmp::Reverse(known.blocked)), session, last))
        });
        let Some((_, session, last)) = candidates.max_by_key(|&(order, ..)| order) else { return };
        let group = session.group(last);
        out.block(group);
        let amount = self.accounting.forget(group);
        let bps = self.bps(amount, session.flow);
        // A layer that passed for less than a window sent less in it than it sends in one.
        let size = self.sizes.entry((session.flow, group)).or_insert(0.0);
        *size = size.max(bps);
        let bps = *size;
        self.actions += 1;
        self.blocks += 1;
        let known = self.sessions.entry(session.flow).or_default();
        (known.capped, known.blocked) = (true, self.actions);
        self.controller_of(session.flow).has_blocked(now, bps);
    }

    /// Releases the lowest blocked layer of the session with the fewest live ones that has one; of several the one that
    /// was least recently given one. A session of which nothing comes, as its source has paused or cannot be heard, is
    /// no session here: it would come back with all its layers, and the others would wait for nothing until then. With
    /// `only` none but that session is looked at.
    fn release(&mut self, at: &RouterView<'_>, only: Option<FlowId>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        let asked = |session: &&SessionAt| only.is_none_or(|only| session.flow == only);
        let candidates = at.sessions.iter().filter(asked).filter_map(|session| {
            let first = (session.held() - session.control).first()?;
            let known = self.sessions.get(&session.flow).copied().unwrap_or_default();
            let live = self.live(session, now).len();
            (live > 0).then_some(((live, known.released), session, first))
        });
        let Some((_, session, first)) = candidates.min_by_key(|&(order, ..)| order) else { return };
        out.release(session.group(first));
        self.actions += 1;
        self.releases += 1;
        self.sessions.entry(session.flow).or_default().released = self.actions;
        self.controller_of(session.flow).has_released(now);
    }

    /// The rate of what has been counted as `amount` of a session in a window, bit/s.
    fn bps(&self, amount: u64, flow: FlowId) -> f64 {
        let bytes = match self.config.count {
            Count::Packets => self.accounting.packet_bytes(flow),
            Count::Bytes => 1.0,
        };
        8.0 * bytes * amount as f64 / self.config.window.as_secs_f64()
    }

    /// The most that the empty layer of a session can waste on the way to this interface, bit/s: its own rate, and what
    /// the session leaves of an equal share of the link [Peng, section III.C]. A layer that has never passed here is
    /// taken to be as large as the others are on average.
    fn waste_bound(&self, flow: FlowId, known: &Known) -> f64 {
        let Some(empty) = known.held else { return 0.0 };
        let sessions = self.accounting.unicast_sessions() + self.accounting.multicast_sessions();
        let own = self.bps(self.accounting.of_session(flow), flow);
        let size = self.sizes.get(&(flow, empty)).copied().unwrap_or(own / f64::from(known.live.max(1)));
        (self.rate.as_bps_f64() / sessions.max(1) as f64 - own).clamp(0.0, size)
    }

    /// The first multiple of the interval after `now`.
    fn next_look(&self, now: Instant) -> Instant {
        let interval = self.config.interval.0;
        Instant((now.0 / interval + 1).saturating_mul(interval))
    }
}

/// The base layer of a session.
fn base(session: &SessionAt) -> Option<u32> {
    (GroupSet::all(session.groups) - session.control).first()
}

impl RouterAgent for LayerBlocking {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        if !packet.is_data() {
            return Offer::Forward;
        }
        let now = at.interface.now;
        if self.next.is_none() {
            // Nobody looks.
            self.accounting.expire(now);
        }
        let amount = match self.config.count {
            Count::Packets => 1,
            Count::Bytes => u64::from(packet.size),
        };
        if packet.destination.is_group() {
            if let Some((session, group)) = at.place(packet.destination)
                && !session.control.contains(group)
            {
                self.accounting.count_layer(packet.destination, session.flow, packet.size, amount, now);
            }
        } else {
            let key = match (self.config.unicast, at.host(packet.source), at.host(packet.destination)) {
                (Unicast::Pair, Some(from), Some(to)) => Key::Pair(from, to),
                _ => Key::Flow(packet.flow),
            };
            self.accounting.count_unicast(key, amount, now);
        }
        Offer::Forward
    }

    fn on_congestion(&mut self, packet: &Packet, now: Instant) {
        if let Some(signals) = self.signals.as_mut().filter(|_| packet.is_data()) {
            signals.note(packet.flow, now);
        }
    }

    fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        let session = at.sessions.iter().find(|session| session.flow == change.flow);
        match session {
            Some(session) if !(session.joined - session.control).is_empty() => {
                let capped = self.sessions.get(&change.flow).is_some_and(|known| known.capped);
                if capped && self.config.admission == Admission::Capped {
                    let layers = (change.joined - session.control).iter();
                    for group in layers.filter(|&group| Some(group) != base(session)) {
                        self.refusals += 1;
                        out.block(session.group(group));
                    }
                }
            }
            _ => {
                self.sessions.remove(&change.flow);
                self.sizes.retain(|&(flow, _), _| flow != change.flow);
                if let Some(controllers) = &mut self.of_sessions {
                    controllers.remove(&change.flow);
                }
            }
        }
        let active = at.sessions.iter().any(|session| !(session.joined - session.control).is_empty());
        match (active, self.next) {
            (true, None) => {
                self.controller.rest();
                self.of_sessions.iter_mut().flatten().for_each(|(_, controller)| controller.rest());
                self.next = Some(self.next_look(now));
            }
            (false, _) => self.next = None,
            (true, Some(_)) => {}
        }
    }

    fn on_timeout(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let now = at.interface.now;
        if self.next.is_none_or(|next| next > now) {
            return;
        }
        self.next = Some(self.next_look(now));
        self.look(at, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
        let [unicast_mean, multicast_mean] = self.controller.means();
        let looks = self.controller.looks();
        let interface = [
            ("phase", f64::from(self.controller.phase())),
            ("phase_1_looks", looks[0] as f64),
            ("phase_2_looks", looks[1] as f64),
            ("phase_3_looks", looks[2] as f64),
            ("observation_s", self.controller.observation_s()),
            ("unicast_mean", unicast_mean),
            ("multicast_mean", multicast_mean),
            ("unicast_sessions", self.accounting.unicast_sessions() as f64),
            ("multicast_sessions", self.accounting.multicast_sessions() as f64),
            ("layers", self.accounting.layers() as f64),
            ("blocks", self.blocks as f64),
            ("releases", self.releases as f64),
            ("refusals", self.refusals as f64),
            ("packets", self.accounting.packets() as f64),
            ("visits", self.accounting.visits() as f64),
        ];
        for (name, value) in interface {
            tell(RouterGauge { about: GaugeSubject::Interface, name, value });
        }
        for (&flow, known) in &self.sessions {
            let session = [
                ("capped", f64::from(u8::from(known.capped))),
                ("live_layers", f64::from(known.live)),
                ("waste_bound_bps", self.waste_bound(flow, known)),
            ];
            let own = self.of_sessions.as_ref().and_then(|controllers| controllers.get(&flow));
            let observed = own.map(|own| [("phase", f64::from(own.phase())), ("observation_s", own.observation_s())]);
            for (name, value) in session.into_iter().chain(observed.into_iter().flatten()) {
                tell(RouterGauge { about: GaugeSubject::Flow(flow), name, value });
            }
        }
    }
}
