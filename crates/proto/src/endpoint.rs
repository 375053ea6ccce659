//! The contract between protocols and whoever drives them, simulator or socket.
//!
//! The driver always takes the same three steps: `handle` one input, carry out the outbox, arm `deadline`.
//! An endpoint knows only what a real host would know: its configuration, its clock and the packets it is given.

use crate::packet::{Address, Packet};
use crate::time::Instant;

/// A protocol machine on a host.
pub trait Endpoint {
    /// Takes one input; everything wanted in return goes into `out`.
    ///
    /// `now` never runs backwards. A `Timeout` that comes before `deadline()` changes nothing. After `handle`
    /// the deadline is never in the past.
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox);

    /// When to be called with [`Input::Timeout`]; `None` = not at all.
    fn deadline(&self) -> Option<Instant>;

    /// What the endpoint has counted and its present state, for probes.
    fn report(&self) -> Report;
}

/// What happens to an endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Begin. Comes once, first.
    Start,
    /// A packet has arrived.
    Packet(&'a Packet),
    /// The deadline has come (or may have).
    Timeout,
    /// Send nothing more of your own accord; acknowledgements may still be given.
    Stop,
}

/// What an endpoint wants done.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Send this packet now.
    Send(Packet),
    /// Become a member of this group: its packets are to be handed in.
    Join(Address),
    /// No longer be a member of this group: packets that still come are not handed in.
    Leave(Address),
    /// Let observers know.
    Event(Event),
}

/// What an endpoint wants done, in order. Owned and reused by the driver.
#[derive(Debug, Default)]
pub struct Outbox {
    actions: Vec<Action>,
}

/// Something worth knowing that happened inside an endpoint: a value, not a log line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A loss was found by duplicate ACKs or SACK; window before and after, in segments.
    LossReduction {
        /// Congestion window before.
        before: f64,
        /// Congestion window after.
        after: f64,
    },
    /// A congestion echo was answered; window before and after, in segments.
    EcnReduction {
        /// The level that was echoed.
        level: crate::packet::Ecn,
        /// Congestion window before.
        before: f64,
        /// Congestion window after.
        after: f64,
    },
    /// The retransmission timer expired; its value in seconds, before back-off.
    RetransmissionTimeout {
        /// The timer's value, seconds.
        rto_s: f64,
    },
    /// A rate-based sender has another rate; bit/s.
    RateChanged {
        /// Rate before.
        before_bps: f64,
        /// Rate after.
        after_bps: f64,
    },
    /// A TFMCC sender has another current limiting receiver, or none.
    ClrChanged {
        /// The receiver that limits from now on.
        receiver: Option<Address>,
    },
    /// A TFMCC sender's slow start is over; its rate then, bit/s.
    SlowStartEnded {
        /// Sending rate at the end.
        rate_bps: f64,
    },
    /// A TFMCC receiver has found a loss event.
    LossEvent {
        /// The loss event rate with it.
        loss_event_rate: f64,
    },
    /// An OMCC sender multiplies its rate by another factor f(N).
    ScaleChanged {
        /// Factor before.
        before: f64,
        /// Factor after.
        after: f64,
    },
    /// Everything that there was to send has been acknowledged: a finite transfer, or what was outstanding at a stop.
    Finished,
}

/// Counters since the start and gauges of the moment. What does not apply is zero or NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Packets sent, retransmissions included.
    pub sent_pkts: u64,
    /// Bytes sent, retransmissions included.
    pub sent_bytes: u64,
    /// Packets sent again.
    pub retransmitted_pkts: u64,
    /// Packets received, duplicates included.
    pub received_pkts: u64,
    /// Bytes received, duplicates included.
    pub received_bytes: u64,
    /// Bytes received for the first time.
    pub distinct_bytes: u64,
    /// Window reductions because of loss, time-outs not counted.
    pub loss_reductions: u64,
    /// Window reductions because of a congestion echo.
    pub ecn_reductions: u64,
    /// Retransmission time-outs.
    pub timeouts: u64,
    /// Seconds in which a TCP sender was held by the receiver's window `wnd`: it had data, and the congestion window
    /// would have let more of it go. Up to the last input.
    pub window_limited_s: f64,
    /// Feedback rounds that the source of a session has begun.
    pub feedback_rounds: u64,
    /// Reports that it got in them, those of the limiting receiver not counted.
    pub round_reports: u64,
    /// Congestion window, segments.
    pub cwnd_pkts: f64,
    /// Slow-start threshold, segments.
    pub ssthresh_pkts: f64,
    /// Smoothed round-trip time, seconds.
    pub srtt_s: f64,
    /// Sending rate of a rate-based sender, desired rate of its receiver; bit/s.
    pub rate_bps: f64,
    /// Loss event rate that a receiver has measured.
    pub loss_event_rate: f64,
}

impl Outbox {
    /// An empty outbox.
    pub fn new() -> Outbox {
        Outbox::default()
    }

    /// Asks for `packet` to be sent.
    #[inline(always)]
    pub fn send(&mut self, packet: Packet) {
        // Room is made first, so that the packet is put together in its place rather than copied there.
        if self.actions.len() == self.actions.capacity() {
            self.grow();
        }
        self.actions.push(Action::Send(packet));
    }

    /// Asks to become a member of `group`.
    pub fn join(&mut self, group: Address) {
        self.actions.push(Action::Join(group));
    }

    /// Asks to be no longer a member of `group`.
    pub fn leave(&mut self, group: Address) {
        self.actions.push(Action::Leave(group));
    }

    /// Tells observers of `event`.
    pub fn event(&mut self, event: Event) {
        self.actions.push(Action::Event(event));
    }

    /// Hands out and removes everything asked for, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Action> + '_ {
        self.actions.drain(..)
    }

    /// The actions asked for, in order.
    #[inline]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Forgets everything asked for, keeping the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.actions.clear();
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.actions.reserve(64);
    }
}

impl Default for Report {
    fn default() -> Report {
        Report {
            sent_pkts: 0,
            sent_bytes: 0,
            retransmitted_pkts: 0,
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            loss_reductions: 0,
            ecn_reductions: 0,
            timeouts: 0,
            window_limited_s: 0.0,
            feedback_rounds: 0,
            round_reports: 0,
            cwnd_pkts: f64::NAN,
            ssthresh_pkts: f64::NAN,
            srtt_s: f64::NAN,
            rate_bps: f64::NAN,
            loss_event_rate: f64::NAN,
        }
    }
}
