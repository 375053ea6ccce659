//! Drivers for tests: they do what every driver does (`handle`, carry out the outbox, arm `deadline`) and check the
//! contract at each step. Tests of this crate use them, and tests of others through the feature `testing`.
//!
//! Here is the two-node driver: two endpoints, a delay between them, and a network that does to each packet what a test
//! says. [`group`] has that of a multicast session.

mod anything;
pub mod group;

pub use crate::wild::Wild;
pub use anything::anything;

use crate::endpoint::{Action, Endpoint, Event, Input, Outbox, Report};
use crate::packet::{Ecn, Packet};
use crate::time::{Duration, Instant};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Which of the two endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The first one, a sender as a rule.
    Left,
    /// The second one, a receiver as a rule.
    Right,
}

/// What the network does to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives after the delay.
    Deliver,
    /// It is lost.
    Lose,
    /// It arrives with its congestion bits raised to this level, if it is capable of that.
    Mark(Ecn),
    /// It arrives this much later than others, and so perhaps after them.
    Late(Duration),
    /// It arrives twice.
    Twice,
}

impl Fate {
    /// What becomes of a packet that would take `delay`: how long it takes, and in how many copies it arrives.
    pub(crate) fn carry(self, packet: &mut Packet, delay: Duration) -> (Duration, usize) {
        match self {
            Fate::Deliver => (delay, 1),
            Fate::Lose => (delay, 0),
            Fate::Mark(level) => {
                if packet.ecn != Ecn::NotCapable {
                    packet.ecn = packet.ecn.max(level);
                }
                (delay, 1)
            }
            Fate::Late(extra) => (delay + extra, 1),
            Fate::Twice => (delay, 2),
        }
    }
}

/// How many random inputs a test makes in each of its `cases`: a part of the environment's `FAIRCAST_INPUTS`, or, if
/// that is not set, of `quick`.
#[cfg(test)]
pub(crate) fn inputs(quick: usize, cases: usize) -> usize {
    let number = |text: String| text.parse().unwrap_or_else(|_| panic!("FAIRCAST_INPUTS={text}: legal is a number"));
    std::env::var("FAIRCAST_INPUTS").map_or(quick, number).div_ceil(cases)
}

/// When a packet that is handed in now may have arrived: half of them just now, the others up to 50 ms ago in any
/// order, and now and then one says that it has waited since any time before.
#[cfg(test)]
pub(crate) fn arrival(now: Instant, random: &mut crate::random::Random) -> Instant {
    let most_s = match random.uniform() {
        draw if draw < 0.5 => 0.0,
        draw if draw < 0.99 => 0.05,
        _ => 2.0 * now.as_secs_f64(),
    };
    now - Duration::from_secs_f64(most_s * random.uniform())
}

/// Gives an endpoint an input at `now` on its own clock and holds it to the contract; what it wants is in `out`. With
/// `pester` a time-out for which there is no reason comes first. `who` is for messages.
pub(crate) fn feed(
    endpoint: &mut dyn Endpoint,
    now: Instant,
    input: Input<'_>,
    pester: bool,
    out: &mut Outbox,
    who: &dyn Debug,
) {
    if let Input::Packet { arrived, .. } = input {
        assert!(arrived <= now, "{who:?}: a packet is handed in at {now} that arrives at {arrived}");
    }
    let known = endpoint.deadline();
    if pester && known.is_none_or(|at| at > now) {
        let before = shown(endpoint);
        endpoint.handle(now, Input::Timeout, out);
        assert!(out.actions().is_empty(), "{who:?}: a time-out without reason had an effect at {now}");
        assert_eq!(endpoint.deadline(), known, "{who:?}: a time-out without reason moved the deadline at {now}");
        assert!(shown(endpoint) == before, "{who:?}: a time-out without reason counted at {now}");
    }
    endpoint.handle(now, input, out);
    let deadline = endpoint.deadline();
    assert!(deadline.is_none_or(|at| at >= now), "{who:?}: the deadline {deadline:?} is past at {now}");
}

/// Whether a host, which is one of these, cannot send a packet.
type IsFull<W> = Box<dyn FnMut(W, &Packet) -> bool>;

/// Two endpoints and what lies between them. `N` decides about each packet, given the side that sends it, in the
/// order of sending.
pub struct Pair<L, R, N> {
    /// The first endpoint.
    pub left: L,
    /// The second endpoint.
    pub right: R,
    /// What happened, and when on the common clock.
    pub events: Vec<(Instant, Side, Event)>,
    /// Every packet sent, and when on the common clock, if [`record`](Self::record) is set.
    pub sent: Vec<(Instant, Side, Packet)>,
    /// Whether to keep what is sent.
    pub record: bool,
    /// Whether to hand in time-outs for which there is no reason before each input.
    pub pester: bool,
    network: N,
    delay: Duration,
    offsets: [Duration; 2],
    /// When the driver wakes an endpoint for a deadline, both on the common clock.
    wakes: Box<dyn FnMut(Instant) -> Instant>,
    /// Whether a host cannot send a packet.
    is_full: IsFull<Side>,
    /// When it hands in a packet that has arrived at a side, both on the common clock.
    hands_in: Box<dyn FnMut(Side, Instant) -> Instant>,
    /// For each side the deadline that is armed, and when it will be woken for it.
    armed: [Option<(Instant, Instant)>; 2],
    now: Instant,
    started: bool,
    /// Packets under way, by when they are handed in, by arrival and order of sending: to which side.
    under_way: BTreeMap<(Instant, Instant, u64), (Side, Packet)>,
    serial: u64,
    out: Outbox,
}

impl<L: Endpoint, R: Endpoint, N: FnMut(Side, &Packet) -> Fate> Pair<L, R, N> {
    /// `delay` from one side to the other; what is sent at one instant arrives at one instant, in order.
    pub fn new(left: L, right: R, delay: Duration, network: N) -> Pair<L, R, N> {
        Pair {
            left,
            right,
            events: Vec::new(),
            sent: Vec::new(),
            record: false,
            pester: false,
            network,
            delay,
            offsets: [Duration::ZERO; 2],
            wakes: Box::new(|deadline| deadline),
            is_full: Box::new(|_, _| false),
            hands_in: Box::new(|_, arrived| arrived),
            armed: [None; 2],
            now: Instant::ZERO,
            started: false,
            under_way: BTreeMap::new(),
            serial: 0,
            out: Outbox::new(),
        }
    }

    /// Gives the hosts clocks that are ahead of the common one by these times.
    pub fn with_clocks(mut self, left: Duration, right: Duration) -> Self {
        self.offsets = [left, right];
        self
    }

    /// Makes it a driver on a real clock: `wakes` says of a deadline when the endpoint is woken for it, not before it.
    pub fn with_late_timers(mut self, wakes: impl FnMut(Instant) -> Instant + 'static) -> Self {
        self.wakes = Box::new(wakes);
        self
    }

    /// Makes the driver late with packets: `hands_in` says of one that arrives at a side when it is handed in, not
    /// before it has.
    pub fn with_late_packets(mut self, hands_in: impl FnMut(Side, Instant) -> Instant + 'static) -> Self {
        self.hands_in = Box::new(hands_in);
        self
    }

    /// Makes it impossible to send packets: `is_full` says which. Those behind one are not tried.
    pub fn with_full_buffers(mut self, is_full: impl FnMut(Side, &Packet) -> bool + 'static) -> Self {
        self.is_full = Box::new(is_full);
        self
    }

    /// The left side's application has so many packets to send from now on.
    pub fn grant_left(&mut self, packets: u64) {
        self.input(Side::Left, Input::Granted(packets));
    }

    /// The present moment on the common clock.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Runs up to and including `until`. The first call starts both sides, the right one first.
    pub fn run_until(&mut self, until: Instant) {
        self.run_while(until, |_| true);
    }

    /// Runs up to and including `until`, but not on when `go_on` says no after some input.
    pub fn run_while(&mut self, until: Instant, mut go_on: impl FnMut(&Self) -> bool) {
        if !self.started {
            self.started = true;
            self.input(Side::Right, Input::Start);
            self.input(Side::Left, Input::Start);
        }
        while let Some(at) = self.next_time().filter(|&at| at <= until) {
            if !go_on(self) {
                return;
            }
            debug_assert!(at >= self.now);
            self.now = at;
            // Arrivals before timers, the left timer before the right one.
            match self.under_way.first_key_value() {
                Some((&key, &(side, packet))) if key.0 == at => {
                    self.under_way.remove(&key);
                    let arrived = key.1 + self.offsets[side as usize];
                    self.input(side, Input::packet(&packet, None, arrived));
                }
                _ if self.woken(Side::Left) == Some(at) => self.input(Side::Left, Input::Timeout),
                _ => self.input(Side::Right, Input::Timeout),
            }
        }
        self.now = self.now.max(until);
    }

    /// Tells the left side to stop.
    pub fn stop_left(&mut self) {
        self.input(Side::Left, Input::Stop);
    }

    /// How often `matches` holds among the events.
    pub fn count_events(&self, matches: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|(_, _, event)| matches(event)).count()
    }

    fn next_time(&self) -> Option<Instant> {
        let arrival = self.under_way.first_key_value().map(|(key, _)| Reverse(key.0));
        let timers = [Side::Left, Side::Right].map(|side| self.woken(side).map(Reverse));
        let [left, right] = timers;
        arrival.max(left).max(right).map(|Reverse(at)| at)
    }

    /// When the endpoint is woken, on the common clock.
    fn woken(&self, side: Side) -> Option<Instant> {
        self.armed[side as usize].map(|(_, wakes)| wakes)
    }

    /// Arms the endpoint's deadline, if it is another one than before.
    fn arm(&mut self, side: Side) {
        let own = match side {
            Side::Left => self.left.deadline(),
            Side::Right => self.right.deadline(),
        };
        let deadline = own.map(|at| at - self.offsets[side as usize]);
        let armed = &mut self.armed[side as usize];
        if armed.map(|(deadline, _)| deadline) != deadline {
            *armed = deadline.map(|deadline| (deadline, (self.wakes)(deadline).max(deadline)));
        }
    }

    fn input(&mut self, side: Side, input: Input<'_>) {
        let now = self.now + self.offsets[side as usize];
        let endpoint: &mut dyn Endpoint = if side == Side::Left { &mut self.left } else { &mut self.right };
        feed(endpoint, now, input, self.pester, &mut self.out, &side);
        self.arm(side);
        let (mut out, mut unsent) = (core::mem::take(&mut self.out), Vec::new());
        for action in out.drain() {
            match action {
                Action::Event(event) => self.events.push((self.now, side, event)),
                Action::Send(packet) | Action::SendControl(packet, _)
                    if !unsent.is_empty() || (self.is_full)(side, &packet) =>
                {
                    unsent.push(packet);
                }
                // Two endpoints of this crate need no more than headers.
                Action::Send(packet) | Action::SendControl(packet, _) => self.send(side, packet),
                // What one end sends reaches the other, whatever group it is for.
                Action::Join(_) | Action::Leave(_) => {}
            }
        }
        self.out = out;
        // The last one first, so that numbers can be taken back.
        for packet in unsent.iter().rev() {
            self.input(side, Input::NotSent(packet));
        }
    }

    fn send(&mut self, side: Side, mut packet: Packet) {
        if self.record {
            self.sent.push((self.now, side, packet));
        }
        let (delay, copies) = (self.network)(side, &packet).carry(&mut packet, self.delay);
        let other = if side == Side::Left { Side::Right } else { Side::Left };
        for _ in 0..copies {
            let arrived = self.now + delay;
            let handed_in = (self.hands_in)(other, arrived).max(arrived);
            self.under_way.insert((handed_in, arrived, self.serial), (other, packet));
            self.serial += 1;
        }
    }
}

/// What an endpoint has counted and shows, as bits: what does not apply (NaN) equals itself.
fn shown(endpoint: &dyn Endpoint) -> Vec<u64> {
    let Report { sent_pkts, sent_bytes, received_pkts, received_bytes, distinct_bytes, rate_bps } = endpoint.report();
    let mut values = vec![f64::NAN; endpoint.gauges().len()];
    endpoint.measure(&mut values);
    let counted = [sent_pkts, sent_bytes, received_pkts, received_bytes, distinct_bytes, rate_bps.to_bits()];
    counted.into_iter().chain(values.into_iter().map(f64::to_bits)).collect()
}

/// The present value of an endpoint's gauge.
///
/// # Panics
/// If it shows none of that name.
pub fn gauge(endpoint: &dyn Endpoint, name: &str) -> f64 {
    let mut values = vec![f64::NAN; endpoint.gauges().len()];
    endpoint.measure(&mut values);
    let place = endpoint.gauges().iter().position(|gauge| gauge.name == name);
    values[place.unwrap_or_else(|| panic!("the endpoint does not show {name}"))]
}
