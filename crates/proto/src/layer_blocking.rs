//! The receivers of router-assisted layer blocking [Peng]: they hold one layer more than comes through, the *empty
//! layer*, and join the next one when it begins to come. Routers decide which layers pass (the agent `layer-blocking`);
//! loss means nothing to a receiver.
//!
//! The paper says that a receiver "waits for some time"; the times, and what a receiver does when everything falls
//! silent, are choices of this project (`docs/layer-blocking.md`).

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, LAYER_ADDED, LAYER_DROPPED, Outbox, Report};
use crate::group_set::GroupPlan;
use crate::limits;
use crate::limits::{Limited, from};
use crate::packet::{Address, Packet};
use crate::quantity::Bytes;
use crate::scheme::{Responder, Scheme, Seat};
use crate::source::layered;
use crate::source::subscription::Subscription;
use crate::time::{Duration, Instant, Rate};

/// Layers that routers block and release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BlockedLayers", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Rate of each layer, the base first, headers included. Default 15 layers of 50 kbit/s [Peng].
    pub rates: Vec<Rate>,
    /// Size of a packet on the wire. Default 1000 B.
    pub packet_size: Bytes,
    /// Each gap of the source is the nominal one times 1 + U(-jitter, jitter). Default 0.5, ns-2's `random_`.
    pub jitter: f64,
    /// How long a receiver that is new waits between one layer and the next. Default 2 s.
    pub add_interval: Duration,
    /// From one look at what comes to the next. Default 0.5 s.
    pub check_interval: Duration,
    /// A layer is silent if nothing of it has come for this long, or for ten of its packet gaps or three join latencies
    /// if these are longer. Default 2 s.
    pub silence: Duration,
    /// The most that a join is taken to need. Default 0.6 s.
    pub join_latency: Duration,
    /// Whether data is ECN-capable, so that queues mark it in place of dropping it. Receivers answer no marks, as they
    /// answer no losses; router agents that read drops (`reads = "drops"`) read marks, too. Choice of this project.
    /// Default false.
    pub ecn: bool,
    /// Members misbehave: they join all layers at once and never leave one. Default false.
    pub greedy: bool,
}

/// A receiver knows which of its layers come, or that nothing does.
pub const OUTAGE: &EventKind = &EventKind::new(
    "outage",
    "1",
    "A receiver of blocked layers finds that nothing comes, not even the base (1), or that it comes again (0).",
);

const GAUGES: &[Gauge] = &[
    Gauge::count("missed", "packets", "Packets of joined layers whose numbers were passed over, late ones, too."),
    Gauge::level("live_layers", "layers", "Joined layers of which something has come of late."),
];

/// The endpoint that receives.
#[derive(Debug)]
pub struct Receiver {
    config: Config,
    /// How long each layer must have been quiet to be silent.
    silences: Vec<Duration>,
    subscription: Subscription,
    /// It is new, and adds layers until one is silent.
    joining: bool,
    added: Instant,
    /// Until then it adds none, as it could not join.
    barred_until: Instant,
    next: Option<Instant>,
    /// Since when it knows that nothing comes.
    outage: bool,
    /// When the last outage ended.
    recovered: Option<Instant>,
    now: Instant,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            rates: vec![Rate(50_000); 15],
            packet_size: Bytes(1000),
            jitter: 0.5,
            add_interval: Duration::from_secs(2),
            check_interval: Duration::from_millis(500),
            silence: Duration::from_secs(2),
            join_latency: Duration::from_millis(600),
            ecn: false,
            greedy: false,
        }
    }
}

limits! { Config {
    jitter: from(0.0).to(1.0),
    add_interval, check_interval, silence: from(Duration::from_millis(1)),
} }

impl Config {
    /// The source, which sends as one without control does.
    fn layers(&self) -> layered::Config {
        layered::Config::of_source(&self.rates, self.packet_size, self.jitter, self.ecn)
    }
}

impl Scheme for Config {
    type Sender = layered::Sender;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.layers().check_layers();
        wrong.extend(self.beyond_limits());
        wrong
    }

    fn groups(&self) -> Vec<GroupPlan> {
        self.layers().groups()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        &[LAYER_ADDED, LAYER_DROPPED, OUTAGE]
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        self.layers().max_rate()
    }

    fn responder(&self) -> Responder {
        Responder::Routers
    }

    fn sender(&self, seat: Seat) -> layered::Sender {
        self.layers().sender(seat)
    }

    fn receiver(&self, seat: Seat) -> Receiver {
        let least = self.silence.max(self.join_latency.mul_f64(3.0));
        let gap = |rate: &Rate| rate.time_for(self.packet_size.0 as u32);
        Receiver {
            silences: self.rates.iter().map(|rate| least.max(gap(rate).mul_f64(10.0))).collect(),
            subscription: Subscription::new(seat.group, self.rates.len()),
            joining: true,
            added: Instant::ZERO,
            barred_until: Instant::ZERO,
            next: None,
            outage: false,
            recovered: None,
            now: Instant::ZERO,
            config: self.clone(),
        }
    }
}

impl Receiver {
    /// Whether nothing of a layer that is held has come for too long. The end of an outage gives all a new start.
    fn is_silent(&self, layer: u32, now: Instant) -> bool {
        let times = [self.subscription.added(layer), self.subscription.last(layer), self.recovered];
        let heard = times.into_iter().flatten().max().unwrap_or(now);
        now.since(heard) >= self.silences[layer as usize]
    }

    /// Whether something has come of every layer that is held, since it was joined.
    fn hears_all(&self) -> bool {
        (0..self.subscription.level()).all(|layer| self.subscription.last(layer).is_some())
    }

    /// Half as long without the base as makes a layer silent: long before the layers above it are.
    fn is_outage(&self, now: Instant) -> bool {
        let heard = self.subscription.last(0).or(self.subscription.added(0));
        heard.is_some_and(|heard| now.since(heard) >= self.silences[0].mul_f64(0.5))
    }

    fn add(&mut self, now: Instant, out: &mut Outbox) {
        if now >= self.barred_until && self.subscription.add(now, Cause::Time, out) {
            self.added = now;
        }
    }

    /// It is no member of a group: without that layer and those above it goes on, and tries again after a while.
    fn unjoined(&mut self, now: Instant, group: Address, out: &mut Outbox) {
        if let Some(layer) = self.subscription.layer_of(group) {
            self.subscription.drop_from(layer, Cause::Time, out);
            (self.joining, self.barred_until) = (false, now + self.config.add_interval);
        }
    }

    /// Looks at what comes.
    fn look(&mut self, now: Instant, out: &mut Outbox) {
        if self.subscription.level() == 0 {
            return self.add(now, out);
        }
        let outage = self.is_outage(now);
        if outage && !self.outage {
            self.outage = true;
            out.event(Event::change(OUTAGE, 0.0, 1.0, Cause::Time));
        }
        if outage || self.config.greedy {
            // Nothing is blocked, as the base never is: the source or a link is down.
            return;
        }
        let level = self.subscription.level();
        let silent = (0..level).find(|&layer| self.is_silent(layer, now));
        if self.joining {
            let all = level == self.subscription.layers();
            if silent.is_none() && !all {
                if now.since(self.added) >= self.config.add_interval && self.hears_all() {
                    self.add(now, out);
                }
                return;
            }
            self.joining = false;
        }
        match silent {
            // The empty layer; what is above it is not needed, whether it comes or not.
            Some(empty) => {
                while self.subscription.level() > empty + 1 {
                    self.subscription.drop_top(Cause::Time, out);
                }
            }
            None if self.hears_all() => self.add(now, out),
            None => {}
        }
    }

    fn packet(&mut self, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let outage = self.is_outage(arrived);
        let arrival = self.subscription.take(arrived, packet);
        if let Some(base) = arrival.filter(|arrival| arrival.layer == 0 && outage) {
            self.recovered = Some(arrived);
            if std::mem::take(&mut self.outage) {
                let cause = Cause::Packet { sequence: u64::from(base.sequence) };
                out.event(Event::change(OUTAGE, 1.0, 0.0, cause));
            }
        }
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        // Before the deadline a time-out changes nothing, not even which layers are silent.
        if matches!(input, Input::Timeout | Input::LinkLoss(_)) && self.next.is_none_or(|next| next > now) {
            return;
        }
        self.now = now;
        match input {
            Input::Start => {
                (self.joining, self.outage, self.recovered, self.barred_until) = (true, false, None, now);
                self.add(now, out);
                while self.config.greedy && self.subscription.add(now, Cause::Time, out) {}
                self.next = Some(now + self.config.check_interval);
            }
            Input::Stop => {
                self.subscription.drop_all(Cause::Time, out);
                self.next = None;
            }
            Input::Packet { packet, arrived, .. } => self.packet(arrived, packet, out),
            Input::Unjoined(group) => self.unjoined(now, group, out),
            Input::NotSent(packet) => self.subscription.not_sent(packet),
            Input::Timeout | Input::LinkLoss(_) | Input::Granted(_) => {}
        }
        if self.next.is_some_and(|next| next <= now) {
            self.next = Some(now + self.config.check_interval);
            self.look(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        self.subscription.report()
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let live = (0..self.subscription.level())
            .filter(|&layer| self.subscription.last(layer).is_some() && !self.is_silent(layer, self.now));
        values.copy_from_slice(&[self.subscription.missed() as f64, live.count() as f64]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Action;
    use crate::packet::{Ecn, FlowId, INITIAL_TTL};
    use crate::random::Random;
    use crate::testing::gauge;

    /// A receiver of eight layers, and which of them come.
    struct Bench {
        receiver: Receiver,
        now: Instant,
        comes: [bool; 8],
        sequence: u32,
        /// When an outage was found or over, to which value that went, and why.
        outages: Vec<(Instant, f64, Cause)>,
    }

    impl Bench {
        fn new() -> Bench {
            Bench::of(Config::default())
        }

        fn of(config: Config) -> Bench {
            let config = Config { rates: vec![Rate(50_000); 8], ..config };
            assert_eq!(config.check(), []);
            let random = Random::stream(1, "test/blocking");
            let (own, group) = (Address::endpoint(3), Address::group(10));
            let seat = Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random };
            let receiver = config.receiver(seat);
            let (now, comes, outages) = (Instant::ZERO, [true; 8], Vec::new());
            let mut bench = Bench { receiver, now, comes, sequence: 0, outages };
            bench.hand(Input::Start);
            bench
        }

        fn hand(&mut self, input: Input<'_>) {
            let mut out = Outbox::default();
            self.receiver.handle(self.now, input, &mut out);
            for action in out.actions() {
                if let Action::Event(event) = action
                    && event.is(OUTAGE)
                {
                    assert_eq!(event.before, 1.0 - event.after);
                    self.outages.push((self.now, event.after, event.cause));
                }
            }
        }

        fn level(&self) -> u32 {
            self.receiver.subscription.level()
        }

        /// Lets time pass, in which a packet of every layer that is held and comes does each 0.1 s.
        fn until(&mut self, seconds: f64) {
            let end = Instant::from_secs_f64(seconds);
            while self.now < end {
                self.now += Duration::from_millis(100);
                while self.receiver.deadline().is_some_and(|at| at <= self.now) {
                    self.hand(Input::Timeout);
                }
                let comes = self.comes;
                for layer in (0..self.level() as u8).filter(|&layer| comes[usize::from(layer)]) {
                    self.sequence += 1;
                    let header = layered::Header::Data { layer, sequence: self.sequence };
                    let packet = Packet {
                        sent: self.now,
                        flow: FlowId(0),
                        source: Address::endpoint(0),
                        destination: Address::group(10 + u32::from(layer)),
                        size: 1000,
                        ttl: INITIAL_TTL,
                        ecn: Ecn::NotCapable,
                        header: header.into(),
                    };
                    self.hand(Input::packet(&packet, None, self.now));
                }
            }
        }
    }

    #[test]
    fn a_new_receiver_adds_a_layer_each_two_seconds_until_one_does_not_come() {
        let mut bench = Bench::new();
        bench.comes[4..].fill(false);
        bench.until(1.9);
        assert_eq!(bench.level(), 1);
        bench.until(2.1);
        assert_eq!(bench.level(), 2);
        bench.until(8.1);
        assert_eq!(bench.level(), 5, "the fifth is the empty one");
        bench.until(60.0);
        assert_eq!((bench.level(), gauge(&bench.receiver, "live_layers")), (5, 4.0));
        // It begins to come: the next one is joined at the next look, and so on to the last.
        bench.comes[4] = true;
        bench.until(60.6);
        assert_eq!(bench.level(), 6);
        bench.comes = [true; 8];
        bench.until(62.0);
        assert_eq!((bench.level(), gauge(&bench.receiver, "live_layers")), (8, 8.0), "then there is no empty layer");
        bench.until(100.0);
        assert_eq!(bench.level(), 8);
    }

    #[test]
    fn what_is_above_the_empty_layer_is_left_whether_it_comes_or_not() {
        let mut bench = Bench::new();
        bench.until(30.0);
        assert_eq!(bench.level(), 8);
        bench.comes[5] = false;
        bench.until(31.9);
        assert_eq!(bench.level(), 8);
        // Two seconds of silence, and to the next look.
        bench.until(32.6);
        assert_eq!((bench.level(), gauge(&bench.receiver, "live_layers")), (6, 5.0));
    }

    #[test]
    fn an_outage_costs_no_layer() {
        for seconds in [0.9, 2.2, 5.0, 60.0] {
            let mut bench = Bench::new();
            bench.comes[6] = false;
            bench.until(30.0);
            assert_eq!(bench.level(), 7);
            bench.comes = [false; 8];
            bench.until(30.0 + seconds);
            assert_eq!(bench.level(), 7, "{seconds} s");
            bench.comes = [true, true, true, true, true, true, false, false];
            bench.until(32.0 + seconds);
            assert_eq!(bench.level(), 7, "{seconds} s");
            bench.until(90.0 + seconds);
            assert_eq!((bench.level(), gauge(&bench.receiver, "live_layers")), (7, 6.0));
        }
    }

    #[test]
    fn an_outage_is_told_when_it_is_found_and_when_it_is_over() {
        let mut bench = Bench::new();
        bench.until(30.0);
        // Half of the two seconds after which a layer is silent, at the next look; but not a moment earlier.
        bench.comes = [false; 8];
        bench.until(30.9);
        assert_eq!(bench.outages, []);
        bench.until(40.0);
        // The layers above come first: the base decides.
        bench.comes = [false, true, true, true, true, true, true, true];
        bench.until(41.0);
        assert_eq!(bench.outages, [(Instant::from_secs_f64(31.0), 1.0, Cause::Time)]);
        bench.comes = [true; 8];
        let next = bench.sequence + 1;
        bench.until(50.0);
        let over = (Instant::from_secs_f64(41.1), 0.0, Cause::Packet { sequence: u64::from(next) });
        assert_eq!(bench.outages[1..], [over]);
        // One that is over before the next look is none; a layer that is blocked is none, either.
        bench.comes = [false; 8];
        bench.until(50.4);
        bench.comes = [true, false, false, false, false, false, false, false];
        bench.until(60.0);
        assert_eq!((bench.outages.len(), bench.level()), (2, 2));
        // Who stops in one and starts anew is in none.
        bench.comes = [false; 8];
        bench.until(70.0);
        bench.hand(Input::Stop);
        bench.comes = [true; 8];
        bench.until(75.0);
        bench.hand(Input::Start);
        bench.until(80.0);
        assert_eq!(bench.outages.iter().map(|outage| outage.1).collect::<Vec<_>>(), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn the_base_alone_says_what_an_outage_is() {
        // It never comes; and layers above it may be rare.
        let config = Config { rates: vec![Rate(50_000), Rate(2_000)], ..Config::default() };
        let random = Random::stream(1, "test/blocking");
        let (own, group) = (Address::endpoint(3), Address::group(10));
        let mut receiver = config.receiver(Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random });
        receiver.handle(Instant::ZERO, Input::Start, &mut Outbox::default());
        let found = [500, 1000].map(|millis| {
            let mut out = Outbox::default();
            receiver.handle(Instant::ZERO + Duration::from_millis(millis), Input::Timeout, &mut out);
            out.actions().iter().filter(|action| matches!(action, Action::Event(event) if event.is(OUTAGE))).count()
        });
        assert_eq!(found, [0, 1]);
    }

    #[test]
    fn times_are_a_millisecond_at_least() {
        let of = |time| {
            let times = Config { add_interval: time, check_interval: time, silence: time, ..Config::default() };
            times.check().into_iter().map(|(field, _)| field).collect::<Vec<_>>()
        };
        assert_eq!(of(Duration(999_999)), ["add_interval", "check_interval", "silence"]);
        assert_eq!(of(Duration(1_000_000)), [""; 0]);
    }

    #[test]
    fn one_layer_is_a_session_and_so_are_128() {
        for layers in [1, 128] {
            let config = Config { rates: vec![Rate(50_000); layers], ..Config::default() };
            assert_eq!((config.check(), config.groups().len()), (Vec::new(), layers));
            let random = Random::stream(1, "test/blocking");
            let (own, group) = (Address::endpoint(3), Address::group(10));
            let mut receiver =
                config.receiver(Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random });
            receiver.handle(Instant::ZERO, Input::Start, &mut Outbox::default());
            for step in 1..4000 {
                let now = Instant::ZERO + Duration::from_millis(100 * step);
                receiver.handle(now, Input::Timeout, &mut Outbox::default());
                for layer in 0..receiver.subscription.level() as u8 {
                    let header = layered::Header::Data { layer, sequence: step as u32 };
                    let packet = Packet {
                        sent: now,
                        flow: FlowId(0),
                        source: Address::endpoint(0),
                        destination: Address::group(10 + u32::from(layer)),
                        size: 1000,
                        ttl: INITIAL_TTL,
                        ecn: Ecn::NotCapable,
                        header: header.into(),
                    };
                    receiver.handle(now, Input::packet(&packet, None, now), &mut Outbox::default());
                }
            }
            assert_eq!(gauge(&receiver, "live_layers"), layers as f64);
        }
    }

    #[test]
    fn layers_of_rare_packets_are_not_silent_for_that() {
        // 1000 B at 2 kbit/s come each 4 s: ten gaps are 40 s.
        let config = Config { rates: vec![Rate(50_000), Rate(2_000)], ..Config::default() };
        let random = Random::stream(1, "test/blocking");
        let (own, group) = (Address::endpoint(3), Address::group(10));
        let receiver = config.receiver(Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random });
        assert_eq!(receiver.silences, [Duration::from_secs(2), Duration::from_secs(40)]);
        let late = Config { join_latency: Duration::from_secs(2), ..config };
        let random = Random::stream(1, "test/blocking");
        let receiver = late.receiver(Seat { flow: FlowId(0), own, group, members: 1, line_rate: None, random });
        assert_eq!(receiver.silences, [Duration::from_secs(6), Duration::from_secs(40)]);
    }

    #[test]
    fn a_greedy_member_joins_all_at_once_and_leaves_nothing() {
        let mut bench = Bench::of(Config { greedy: true, ..Config::default() });
        assert_eq!(bench.level(), 8);
        bench.comes[1..].fill(false);
        bench.until(30.0);
        assert_eq!((bench.level(), gauge(&bench.receiver, "live_layers")), (8, 1.0));
    }

    #[test]
    fn a_stop_leaves_all_and_a_start_begins_anew() {
        let mut bench = Bench::new();
        bench.until(30.0);
        bench.hand(Input::Stop);
        assert_eq!((bench.level(), bench.receiver.deadline()), (0, None));
        bench.hand(Input::Start);
        assert_eq!(bench.level(), 1);
        bench.until(31.0);
        assert_eq!(bench.level(), 1);
        bench.until(33.0);
        assert_eq!(bench.level(), 2);
    }
}
