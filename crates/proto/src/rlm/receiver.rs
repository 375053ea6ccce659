//! The receiver of RLM.
//!
//! In state *S* (steady) it tries a layer more from time to time. A loss soon after an experiment, its own or
//! another's, makes it fail; any other leads to *H* (hysteresis), in which it waits until the loss has lasted, then to
//! *M* (measurement): if a quarter is lost there a layer is left, and in *D* (drop) it waits until that has had its
//! effect.

use super::config::Config;
use crate::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::scheme::Seat;
use crate::source::layered::{Header, LEVEL};
use crate::source::subscription::{Arrival, Subscription};
use crate::time::{Duration, Instant};

/// A receiver has gone to another state: 0 steady, 1 hysteresis, 2 measurement, 3 drop.
pub const STATE: &EventKind = &EventKind::new(
    "rlm-state",
    "1",
    "A receiver of RLM has gone to another state: 0 steady, 1 hysteresis, 2 measurement, 3 drop.",
)
.with(&[Gauge::level("lost_part", "1", "The part of packets that was lost since the measurement began.")]);

/// A receiver has heard of another's experiment.
pub const JOIN_HEARD: &EventKind =
    &EventKind::new("join-heard", "layers", "A receiver of RLM has heard of another's experiment with a layer.");

/// How many packets must have come until the part that is lost means something.
const ENOUGH_PKTS: u64 = 10;

const GAUGES: &[Gauge] = &[
    Gauge::count("missed", "packets", "Packets of joined layers whose numbers were passed over, late ones, too."),
    Gauge::level("detection_s", "s", "How long it takes until loss follows from a layer too many, as far as is known."),
    Gauge::level("join_timer_s", "s", "The join timer of the next layer; NaN if all are held."),
];

/// The receiver's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Steady,
    Hysteresis,
    Measurement {
        /// What was received and lost until it began.
        received: u64,
        lost: u64,
    },
    Drop,
}

/// Packets of a layer that did not come, or one that came with a mark.
#[derive(Clone, Copy, Debug)]
struct Loss {
    layer: u8,
    /// What it was, with the number of the last of them in the layer.
    last: Cause,
    /// When the packet arrived that showed it.
    at: Instant,
}

/// What is known of a level, the first being 1.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Mean time between experiments, s.
    join_timer: f64,
    /// When somebody's experiment with it was heard of, the own ones included.
    joined: Option<Instant>,
    /// The same, if it was above what was held then.
    pending: Option<Instant>,
}

/// The endpoint that receives.
#[derive(Debug)]
pub struct Receiver {
    config: Config,
    flow: FlowId,
    own: Address,
    /// Where experiments are announced.
    announcements: Address,
    random: Random,
    subscription: Subscription,
    running: bool,
    state: State,
    levels: Vec<Level>,
    /// TD and its deviation, s.
    detection: f64,
    deviation: f64,
    /// When the join timer and the detection timer expire.
    join_at: Option<Instant>,
    detect_at: Option<Instant>,
    /// Since when nothing but experiments of others has kept it from its own, without a loss.
    held_since: Option<Instant>,
    received: u64,
    lost: u64,
    announced: u32,
}

impl Receiver {
    pub(super) fn new(config: &Config, seat: Seat) -> Receiver {
        let layers = config.rates.len();
        let level = Level { join_timer: config.join_timer.as_secs_f64(), joined: None, pending: None };
        Receiver {
            flow: seat.flow,
            own: seat.own,
            announcements: Address::group(seat.group.index() as u32 + layers as u32),
            random: seat.random,
            subscription: Subscription::new(seat.group, layers),
            running: false,
            state: State::Steady,
            levels: vec![level; layers],
            detection: config.detection_time.as_secs_f64(),
            deviation: config.detection_deviation.as_secs_f64(),
            join_at: None,
            detect_at: None,
            held_since: None,
            received: 0,
            lost: 0,
            announced: 0,
            config: config.clone(),
        }
    }

    /// How many layers it holds.
    pub(super) fn level(&self) -> usize {
        self.subscription.level() as usize
    }

    /// What is known of level `level`, from 1.
    fn at(&mut self, level: usize) -> &mut Level {
        &mut self.levels[level - 1]
    }

    /// Whether what happened then can still be what shows its effects now.
    fn is_recent(&self, now: Instant, then: Option<Instant>) -> bool {
        then.is_some_and(|then| now < then + Duration::from_secs_f64(self.detection + 2.0 * self.deviation))
    }

    fn go(&mut self, state: State, cause: Cause, out: &mut Outbox) {
        let lost_part = self.lost_part();
        let before = std::mem::replace(&mut self.state, state);
        out.event(Event::change(STATE, before.number(), state.number(), cause).with([lost_part]));
    }

    /// The same because packets of a layer have been lost.
    fn go_for(&mut self, state: State, loss: Loss, out: &mut Outbox) {
        let lost_part = self.lost_part();
        let before = std::mem::replace(&mut self.state, state);
        let event = Event::change(STATE, before.number(), state.number(), loss.cause());
        out.event(event.with([lost_part]).on(loss.layer));
    }

    /// The part of packets that was lost since the measurement began; NaN if none goes on.
    fn lost_part(&self) -> f64 {
        let State::Measurement { received, lost } = self.state else { return f64::NAN };
        let (received, lost) = (self.received - received, self.lost - lost);
        lost as f64 / (lost + received) as f64
    }

    /// TD and so many deviations from now.
    fn detect_in(&mut self, now: Instant, deviations: f64) {
        let length = Duration::from_secs_f64(self.detection + deviations * self.deviation);
        // However fast experiments have failed, time must pass.
        self.detect_at = Some(now + length.max(Duration::from_millis(1)));
    }

    fn detect_conservatively(&mut self, now: Instant) {
        self.detect_in(now, 1.5);
    }

    /// Draws when the next experiment is; none if all layers are held.
    fn set_join_timer(&mut self, now: Instant) {
        let Some(level) = self.levels.get(self.level()) else {
            self.join_at = None;
            return;
        };
        let mean = level.join_timer;
        // An exponential one, but none of more than four times the mean.
        let drawn = loop {
            let drawn = self.random.exponential(mean);
            if drawn <= 4.0 * mean {
                break drawn;
            }
        };
        self.join_at = Some(now + Duration::from_secs_f64(mean / 2.0 + drawn));
    }

    fn measure_loss(&mut self, now: Instant, loss: Option<Loss>, out: &mut Outbox) {
        let state = State::Measurement { received: self.received, lost: self.lost };
        match loss {
            Some(loss) => self.go_for(state, loss, out),
            None => self.go(state, Cause::Time, out),
        }
        self.detect_in(now, self.level() as f64 / 2.0 + 1.5);
    }

    /// Leaves the highest layer and waits for that to have its effect.
    fn give_up_layer(&mut self, now: Instant, loss: Loss, out: &mut Outbox) {
        self.subscription.drop_top(loss.cause(), out);
        if self.config.restarts_join_timer() && self.join_at.is_none() {
            self.set_join_timer(now);
        }
        self.go_for(State::Drop, loss, out);
        self.detect_conservatively(now);
    }

    /// Packets have been lost.
    fn loss(&mut self, now: Instant, loss: Loss, out: &mut Outbox) {
        self.held_since = None;
        match self.state {
            State::Hysteresis | State::Drop => {}
            State::Measurement { received, .. } => {
                if self.received - received >= ENOUGH_PKTS && self.lost_part() > self.config.loss_threshold {
                    self.give_up_layer(now, loss, out);
                }
            }
            State::Steady => self.loss_when_steady(now, loss, out),
        }
    }

    fn loss_when_steady(&mut self, now: Instant, loss: Loss, out: &mut Outbox) {
        let own = self.level();
        let pending = |&level: &usize| self.is_recent(loss.at, self.levels[level - 1].pending);
        if let Some(level) = (1..=self.levels.len()).rev().find(pending) {
            self.back_off(level);
            if level == own {
                if let Some(begun) = self.at(level).pending {
                    self.note_detection(loss.at.since(begun).as_secs_f64());
                }
                self.give_up_layer(now, loss, out);
                return;
            }
            if level == own + 1 {
                // That was as good as an experiment of one's own.
                self.set_join_timer(now);
            }
        }
        let added = own.checked_sub(1).and_then(|layer| self.subscription.added(layer as u32));
        if self.is_recent(loss.at, added) {
            self.measure_loss(now, Some(loss), out);
        } else {
            self.go_for(State::Hysteresis, loss, out);
            self.detect_conservatively(now);
        }
    }

    /// An experiment with `level` has failed: the next ones with it, and with those above, come later.
    fn back_off(&mut self, level: usize) {
        let most = self.config.max_join_timer.as_secs_f64();
        let longer = (self.at(level).join_timer * self.config.backoff).min(most);
        self.at(level).join_timer = longer;
        for above in &mut self.levels[level..] {
            above.join_timer = above.join_timer.max(longer);
        }
    }

    /// An experiment showed its failure after so many seconds.
    fn note_detection(&mut self, seconds: f64) {
        let gain = self.config.gain;
        self.deviation = (1.0 - gain) * self.deviation + gain * (seconds - self.detection).abs();
        self.detection = (1.0 - gain) * self.detection + gain * seconds;
    }

    fn detection_timer(&mut self, now: Instant, out: &mut Outbox) {
        match self.state {
            State::Hysteresis => self.measure_loss(now, None, out),
            State::Drop | State::Measurement { .. } => {
                self.go(State::Steady, Cause::Time, out);
                self.detect_conservatively(now);
            }
            State::Steady => {
                if let Some(level) = self.level().checked_sub(1) {
                    let least = self.config.join_timer.as_secs_f64();
                    let relaxed = self.levels[level].join_timer * self.config.relaxation;
                    self.levels[level].join_timer = relaxed.max(least);
                }
                self.detect_conservatively(now);
            }
        }
    }

    fn join_timer(&mut self, now: Instant, out: &mut Outbox) {
        let heard = self.levels[..self.level()].iter().any(|level| self.is_recent(now, level.joined));
        if !heard {
            self.held_since = None;
        }
        if self.state == State::Steady && !(heard && self.is_held(now)) && self.gets_top_layer(now) {
            self.subscription.add(now, Cause::Time, out);
            let level = self.level();
            self.announce(now, level, out);
            let known = self.at(level);
            (known.joined, known.pending) = (Some(now), Some(now));
        }
        self.set_join_timer(now);
    }

    /// Whether it waits for experiments of others with layers that it holds. That spares them losses which are not
    /// theirs. Such losses would be its own as well, as layers are cumulative: if there are none the announcements are
    /// void, or do not concern it, and after `max_hold` they hold it no longer, until it loses something.
    fn is_held(&mut self, now: Instant) -> bool {
        let since = *self.held_since.get_or_insert(now);
        self.config.longest_hold().is_none_or(|longest| now.since(since) < longest)
    }

    /// Whether the highest layer that is held has begun to come. If it has not for longer than a detection takes, that
    /// takes longer than was known.
    fn gets_top_layer(&mut self, now: Instant) -> bool {
        let Some(top) = self.subscription.level().checked_sub(1) else {
            return self.config.rejoins_from_zero();
        };
        if self.subscription.last(top).is_some() {
            return true;
        }
        let waited = self.subscription.added(top).map_or(0.0, |added| now.since(added).as_secs_f64());
        if waited > self.detection {
            self.detection = 1.2 * waited;
        }
        false
    }

    /// Tells the others of an experiment with a level.
    fn announce(&mut self, now: Instant, level: usize, out: &mut Outbox) {
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.announcements,
            size: LEVEL.bytes(),
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Level { level: level as u8, sequence: self.announced }.into(),
        });
        self.announced = self.announced.wrapping_add(1);
        self.subscription.count_sent(LEVEL.bytes());
    }

    /// It is no member of a group. Without a layer that it holds it is as after an experiment that failed, but that no
    /// loss has shown it.
    fn unjoined(&mut self, now: Instant, group: Address, out: &mut Outbox) {
        let Some(layer) = self.subscription.layer_of(group) else { return };
        self.subscription.drop_from(layer, Cause::Time, out);
        let level = layer as usize + 1;
        self.back_off(level);
        for above in &mut self.levels[level - 1..] {
            above.pending = None;
        }
        self.set_join_timer(now);
    }

    /// Another receiver has begun an experiment with a level, as was heard then.
    fn hear(&mut self, at: Instant, level: usize, cause: Cause, out: &mut Outbox) {
        let above = level > self.level();
        let Some(known) = level.checked_sub(1).and_then(|level| self.levels.get_mut(level)) else { return };
        known.joined = Some(at);
        if above {
            known.pending = Some(at);
        }
        out.event(Event::change(JOIN_HEARD, f64::NAN, level as f64, cause).on(level as u8 - 1));
    }

    fn packet(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let arrival = self.subscription.take(arrived, packet);
        if let packet::Header::LayeredCbr(Header::Level { level, sequence }) = packet.header
            && packet.source != self.own
        {
            let cause = Cause::Report { receiver: packet.source, number: u64::from(sequence) };
            return self.hear(arrived, usize::from(level), cause, out);
        }
        let Some(Arrival { layer, gap, sequence }) = arrival else { return };
        let is_marked = packet.ecn > Ecn::Capable;
        // The packet that shows a gap is counted first.
        self.received += u64::from(!is_marked);
        self.lost += gap + u64::from(is_marked);
        let layer = layer as u8;
        if gap > 0 {
            let last = Cause::Loss { sequence: sequence.wrapping_sub(1).into() };
            self.loss(now, Loss { layer, last, at: arrived }, out);
        } else if is_marked {
            let last = Cause::Mark { sequence: sequence.into(), level: packet.ecn };
            self.loss(now, Loss { layer, last, at: arrived }, out);
        }
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        self.running = true;
        if self.state != State::Steady {
            self.go(State::Steady, Cause::Time, out);
        }
        out.join(self.announcements);
        self.subscription.add(now, Cause::Time, out);
        self.set_join_timer(now);
    }

    fn stop(&mut self, out: &mut Outbox) {
        if std::mem::take(&mut self.running) {
            self.subscription.drop_all(Cause::Time, out);
            out.leave(self.announcements);
            (self.join_at, self.detect_at, self.held_since) = (None, None, None);
        }
    }
}

impl Loss {
    fn cause(self) -> Cause {
        self.last
    }
}

impl State {
    fn number(self) -> f64 {
        match self {
            State::Steady => 0.0,
            State::Hysteresis => 1.0,
            State::Measurement { .. } => 2.0,
            State::Drop => 3.0,
        }
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.start(now, out),
            Input::Stop => self.stop(out),
            Input::Packet { packet, arrived, .. } if self.running => self.packet(now, arrived, packet, out),
            Input::Packet { packet, arrived, .. } => drop(self.subscription.take(arrived, packet)),
            Input::Unjoined(group) => self.unjoined(now, group, out),
            Input::NotSent(packet) => self.subscription.not_sent(packet),
            Input::Timeout | Input::LinkLoss(_) | Input::Granted(_) => {}
        }
        // Detection first: in one moment a state that ends lets the experiment begin.
        while self.detect_at.is_some_and(|at| at <= now) {
            self.detect_at = None;
            self.detection_timer(now, out);
        }
        if self.join_at.is_some_and(|at| at <= now) {
            self.join_timer(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.join_at.into_iter().chain(self.detect_at).min()
    }

    fn report(&self) -> Report {
        self.subscription.report()
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let next = self.levels.get(self.level()).map_or(f64::NAN, |level| level.join_timer);
        values.copy_from_slice(&[self.subscription.missed() as f64, self.detection, next]);
    }
}
