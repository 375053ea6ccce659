//! A layer at the source: its control, its packets, when they are due and whose time stamps they echo.

use super::config::{Config, ControlKind};
use super::control::LayerControl;
use super::header::{DataHeader, Header};
use super::layers::Layers;
use super::lead::Led;
use super::windowed::{Acknowledgement, WindowedControl};
use crate::packet::{Address, Packet};
use crate::parts::pacer::Pacer;
use crate::scheme::Seat;
use crate::tfmcc::{self, DataLimit, DataPackets, Echo, Echoes, GapFloor, RateControl, Reported, Scaling};
use crate::time::{Duration, Instant};

/// A layer at the source.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub led: Led,
    pub echoes: Echoes,
    packets: DataPackets,
    pacer: Pacer,
    /// The gap between packets by which the next one is planned, seconds.
    paced_s: f64,
    /// Whether there are others, with which it divides T of the highest.
    shares: bool,
    packet_bits: f64,
    /// When a packet was last sent before its time.
    announced_at: Instant,
    /// When one is sent next; `FAR_FUTURE` = none is.
    announce_at: Instant,
    /// Until when it is heard of what was sent while the application had nothing to send.
    short_until: Instant,
    /// What a report may make of T_i that tells of such a time, where that is not what it makes of it otherwise.
    data_limit: Option<DataLimit>,
    /// Whether it is to send a packet per second at least.
    keeps_alive: bool,
    /// R_i, bit/s.
    own_bps: f64,
    /// What R_i is not above since who limited it has left, bit/s.
    most_own_bps: f64,
    /// T_i and LR_i before an input, bit/s.
    before: (f64, Option<Address>),
    /// T_i as it was last told of, bit/s.
    told_bps: f64,
}

/// What a packet of a layer says beside what is its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// T_{i+1}, bit/s; NaN without such a layer.
    pub next_bps: f64,
    pub tick: u32,
    pub echo: Option<Echo>,
}

/// A layer that adds nothing to those below sends as often all the same, so that its receivers learn T_i, the feedback
/// round, their round-trip times; a choice.
const KEEP_ALIVE_S: f64 = 1.0;
/// How many packets of T_i there are for one that is sent before its time at least: by so much of itself it may be
/// exceeded while many report; a choice.
const ANNOUNCED_PKTS: f64 = 8.0;
/// By what part T_i must have changed with ACKs alone to be told of.
const NEWS: f64 = 0.05;

impl Layer {
    /// The layer `number` of `layers`. `config` must have passed [`Config::check`].
    pub(super) fn new(config: &Config, layers: &Layers, number: usize, seat: &Seat) -> Layer {
        let group = Address::group(seat.group.index() as u32 + number as u32);
        let control = match config.control {
            ControlKind::Tfmcc => LayerControl::Tfmcc(tfmcc_control(&config.tfmcc, layers, number)),
            ControlKind::Pgmcc => {
                let rounds = tfmcc_control(&config.tfmcc, layers, number).without_slow_start();
                let bounds_bps = (layers.floor_bps(number), layers.bound_bps(number));
                let bits = config.packet_bits();
                LayerControl::Windowed(WindowedControl::new(&config.pgmcc, rounds, bits, bounds_bps, number == 0))
            }
        };
        let paced_s = control.gap_s();
        Layer {
            led: Led::new(control, layers, number),
            echoes: Echoes::by(&config.tfmcc),
            packets: DataPackets::new(&config.tfmcc, seat.flow, seat.own, group),
            pacer: Pacer::OFF,
            paced_s,
            shares: layers.count() > 1,
            packet_bits: config.packet_bits(),
            announced_at: Instant::ZERO,
            announce_at: Instant::FAR_FUTURE,
            short_until: Instant::ZERO,
            data_limit: DataLimit::by(&config.tfmcc),
            // The lowest carries a packet in 8 s at least, and no more than its rate.
            keeps_alive: number > 0,
            own_bps: 0.0,
            most_own_bps: f64::INFINITY,
            before: (0.0, None),
            told_bps: 0.0,
        }
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.led.control.begin(now);
        self.pacer.begin(now);
    }

    /// T_i, bit/s.
    pub(super) fn rate_bps(&self) -> f64 {
        self.led.control.rate_bps()
    }

    /// The rate of the layers below has changed, or its own has: R_i follows, the gap between its packets and when the
    /// next one is due.
    pub(super) fn follow(&mut self, now: Instant, below_bps: f64) {
        let own_bps = self.rate_bps() - below_bps;
        debug_assert!(own_bps >= 0.0, "the rates of layers do not decrease");
        if self.keeps_alive {
            self.own_bps = own_bps.min(self.most_own_bps);
            let gap_s = (self.packet_bits / self.own_bps).min(KEEP_ALIVE_S);
            if gap_s != self.led.control.gap_s() {
                self.led.control.set_gap(gap_s);
            }
        }
        let gap_s = self.led.control.gap_s();
        if self.shares {
            // As in TFMCC a layer that gains would send at once, and the one that loses no later than planned: each
            // change of a T_i below the highest could add a packet that no rate allows.
            self.pacer.rescale(now, self.paced_s, gap_s);
        } else {
            self.pacer.follow(now, gap_s);
        }
        self.paced_s = gap_s;
    }

    /// Who limited it has left it for the layer below, and nobody is known to be above. T_i stays as it is, but until
    /// [`reported`](Self::reported) R_i is no more than it was: what that receiver gives up below would otherwise be
    /// sent here, and come to it for as long as the network goes on to forward what has been left.
    pub(super) fn left_behind(&mut self) {
        self.most_own_bps = self.own_bps;
    }

    /// Somebody holds it.
    pub(super) fn reported(&mut self) {
        self.most_own_bps = f64::INFINITY;
    }

    /// Somebody who did not limit it has reported, or limits it again: a packet tells all others at once who limits it
    /// and what silences them, however rare its packets are.
    pub(super) fn announce(&mut self, now: Instant) {
        if self.shares {
            let apart = Duration::from_secs_f64(ANNOUNCED_PKTS * self.packet_bits / self.rate_bps());
            self.announce_at = self.announce_at.min(now.max(self.announced_at + apart));
        }
    }

    /// There was nothing to send until now: turns that have passed are let go, and reports are of little for a while,
    /// `k` round-trip times and one.
    pub(super) fn let_go(&mut self, now: Instant, k: f64) {
        if self.pacer.let_go(now) {
            self.short_until = now + Duration::from_secs_f64((k + 1.0) * self.led.control.max_rtt_s());
        }
    }

    /// Whether the application, and not T_i, limits what is heard of now; `is_empty`: it has nothing to send.
    pub(super) fn is_short(&self, now: Instant, is_empty: bool) -> bool {
        now < self.short_until || (is_empty && self.pacer.due() < now)
    }

    /// A report has come: what it may make of T_i.
    pub(super) fn bound(&mut self, now: Instant, report: &Reported, is_empty: bool) {
        let is_short = self.is_short(now, is_empty);
        if let Some(data_limit) = &mut self.data_limit {
            self.led.control.bound(data_limit.bound(now, report, is_short));
        }
    }

    /// Its receiver limits the layer.
    pub(super) fn limits(&mut self, now: Instant, report: &Reported) {
        if let Some(data_limit) = &mut self.data_limit {
            data_limit.limits(now, report);
        }
    }

    /// Its packet with this number has not been sent.
    pub(super) fn take_back(&mut self, sequence: u32) {
        self.packets.not_sent(sequence);
        if let LayerControl::Windowed(control) = &mut self.led.control {
            control.take_back(sequence);
        }
    }

    /// When its next packet is due.
    pub(super) fn due(&self) -> Instant {
        self.pacer.due().min(self.announce_at)
    }

    /// The packet that is due.
    pub(super) fn next(&mut self, now: Instant, Beside { next_bps, tick, echo }: Beside) -> Packet {
        let word = |data, _| Header::from(DataHeader { data, next_bps: next_bps as f32, tick }).into();
        let packet = match &self.led.control {
            LayerControl::Tfmcc(control) => self.packets.next(now, control, Scaling::default(), echo, word),
            LayerControl::Windowed(control) => self.packets.next(now, control.rounds(), Scaling::default(), echo, word),
        };
        if let LayerControl::Windowed(control) = &mut self.led.control {
            control.sent();
        }
        // As in TFMCC (RFC 4654 section 3.7): what the driver is late by more than R_max is let go.
        let most_late = Duration::from_secs_f64(self.led.control.max_rtt_s());
        self.paced_s = self.led.control.gap_s();
        // Any packet says what is to be told.
        self.announce_at = Instant::FAR_FUTURE;
        if self.pacer.due() > now {
            self.announced_at = now;
            self.pacer.hurry(now);
        }
        self.pacer.sent(now, self.paced_s, most_late);
        packet
    }

    /// The echo that is its turn.
    pub(super) fn take_echo(&mut self, now: Instant) -> Option<Echo> {
        let control = &self.led.control;
        self.echoes.take(now, control.round(), control.is_late_in_round(now))
    }

    /// Nobody limits any more.
    pub(super) fn lead_lost(&mut self) {
        self.echoes.clr_lost();
    }

    /// An ACK of who holds this layer as the highest. The window before and after in packets, and the number of the
    /// packet of which the loss has halved it, if one has.
    pub(super) fn acknowledged(
        &mut self,
        now: Instant,
        ack: &Acknowledgement,
        is_used: bool,
    ) -> Option<(f64, f64, u64)> {
        let LayerControl::Windowed(control) = &mut self.led.control else { return None };
        let before = control.window();
        control.acknowledged(now, ack, is_used).map(|number| (before, control.window(), number))
    }

    /// T_i as it was last told of, and now, if they differ by more than a twentieth: what grows with each ACK need not
    /// be told with each.
    pub(super) fn take_news(&mut self) -> Option<(f64, f64)> {
        let (told_bps, rate_bps) = (self.told_bps, self.rate_bps());
        let is_news = (rate_bps - told_bps).abs() > NEWS * told_bps;
        if is_news {
            self.told_bps = rate_bps;
        }
        is_news.then_some((told_bps, rate_bps))
    }

    /// T_i has been told of.
    pub(super) fn told(&mut self) {
        self.told_bps = self.rate_bps();
    }

    /// Remembers T_i and LR_i.
    pub(super) fn remember(&mut self) {
        self.before = self.state();
    }

    /// T_i and LR_i as remembered, and now.
    pub(super) fn change(&self) -> [(f64, Option<Address>); 2] {
        [self.before, self.state()]
    }

    pub(super) fn sent_pkts(&self) -> u64 {
        self.packets.sent_pkts()
    }

    pub(super) fn sent_bytes(&self) -> u64 {
        self.packets.sent_bytes()
    }

    fn state(&self) -> (f64, Option<Address>) {
        (self.rate_bps(), self.led.control.lead())
    }
}

/// TFMCC between the bounds of a layer. Above the lowest there is no slow start, which would undo the careful join; and
/// R_max, raised by the gap between packets, falls with the gap, since that is as long as a second whenever the layer
/// below is full, however fast its own receivers are.
fn tfmcc_control(config: &tfmcc::Config, layers: &Layers, number: usize) -> RateControl {
    let mut control = match number {
        0 => RateControl::new(config),
        _ => RateControl::new(&tfmcc::Config { gap_floor: GapFloor::Follows, ..config.clone() }).without_slow_start(),
    };
    control.set_bounds(layers.floor_bps(number).max(config.least_bps()), layers.bound_bps(number));
    control
}
