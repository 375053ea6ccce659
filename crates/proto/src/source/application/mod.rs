//! An application that limits its source: it makes so much, by a rate, by a trace, at once or segment by segment, and
//! no more is sent.
//!
//! [`ApplicationLimited`] wraps the source's endpoint, whichever it is, and grants it the packets that wait. A source
//! without an application has data without end and pays nothing for this.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `making.rs` | when packets come to be |

mod config;
mod making;
#[cfg(test)]
mod tests;

pub use config::{Config, Made, wrong_order};

use crate::endpoint::{Action, Cause, Endpoint, Event, FINISHED, Gauge, Input, Outbox, Report};
use crate::packet::{Header, Packet};
use crate::playout::{self, Film, Sent};
use crate::time::{Duration, Instant};
use making::Making;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A source and the application that it sends for.
///
/// What waits is granted ([`Input::Granted`]) whenever more has come. Each packet that the source sends with data that
/// was not sent before takes one, whichever of its groups it goes to; repetitions, and what goes by a schedule of the
/// protocol, take none. When all has been sent the source is stopped; a connection then ends as soon as everything has
/// been acknowledged.
#[derive(Debug)]
pub struct ApplicationLimited<E> {
    source: E,
    making: What,
    /// Packets that wait.
    waiting: u64,
    /// Packets that may wait.
    room: u64,
    /// Packets that were made.
    made: u64,
    /// Packets that found no room.
    dropped: u64,
    state: State,
    /// Time in which nothing waited, up to the last input.
    short: Duration,
    short_since: Option<Instant>,
    /// The number of the last packet of TCP that was sent for the first time.
    last_number: Option<u64>,
    /// What the packets of a film carry that were sent last, until the next input.
    sent: VecDeque<Sent>,
    gauges: &'static [Gauge],
}

/// What an application makes.
#[derive(Debug)]
enum What {
    /// Packets that nobody tells apart.
    Packets(Making),
    /// Media in segments.
    Film(Box<Film>),
}

/// Where an application is.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Not begun, or stopped: it has come so far, and makes nothing.
    Paused { after: Duration },
    /// It makes packets, as one that began then and was never stopped.
    Making { since: Instant },
    /// All has been made and sent.
    Over,
}

/// What the application shows, behind what its source does.
pub const GAUGES: &[Gauge; 4] = &[
    Gauge::count("application_made", "packets", "Packets that the application has made."),
    Gauge::count("application_dropped", "packets", "Packets among them that found no room in its buffer."),
    Gauge::level("application_waiting", "packets", "Packets that wait at the application."),
    APPLICATION_LIMITED,
];

/// Time in which nothing waited to be sent. Up to the last input.
pub const APPLICATION_LIMITED: Gauge =
    Gauge::amount("application_limited", "s", "Time in which nothing waited: the application limited its source.");

impl<E: Endpoint> ApplicationLimited<E> {
    /// `source` with an application by `config`, which must have passed [`Config::check`], of packets of
    /// `packet_bytes` each.
    pub fn new(config: &Config, packet_bytes: u64, source: E) -> ApplicationLimited<E> {
        let room = config.buffer.map_or(u64::MAX, |buffer| (buffer.0 / packet_bytes.max(1)).max(1));
        ApplicationLimited::with(What::Packets(Making::new(config, packet_bytes)), room, source)
    }

    /// `source` with media of a rate, by `config`, which must have passed [`check`](playout::Config::check), in packets
    /// of `packet_bytes` each. Of adaptive media each segment has the quality for which the source's
    /// [rate](Report::rate_bps) is enough when it begins.
    pub fn film(config: &playout::Config, packet_bytes: u64, source: E) -> ApplicationLimited<E> {
        let film = Film::new(config, packet_bytes, source.report().rate_bps);
        ApplicationLimited::with(What::Film(Box::new(film)), u64::MAX, source)
    }

    /// What sends.
    pub fn source(&self) -> &E {
        &self.source
    }

    fn with(making: What, room: u64, source: E) -> ApplicationLimited<E> {
        ApplicationLimited {
            making,
            waiting: 0,
            room,
            made: 0,
            dropped: 0,
            state: State::Paused { after: Duration::ZERO },
            short: Duration::ZERO,
            short_since: None,
            last_number: None,
            sent: VecDeque::new(),
            gauges: with_application(source.gauges()),
            source,
        }
    }

    /// Packets that wait.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Packets that found no room.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// What the packet of a film carries that was sent first since the last input and not asked for yet.
    pub fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    /// How many segments of its film the source has done with; nothing if it has none.
    pub fn segments_done(&self) -> Option<u32> {
        match &self.making {
            What::Packets(_) => None,
            What::Film(film) => Some(film.done()),
        }
    }

    /// When the application makes something next.
    #[inline]
    fn next(&self) -> Option<Instant> {
        let next = || match &self.making {
            What::Packets(making) => making.next(),
            What::Film(film) => film.next(),
        };
        match self.state {
            State::Making { since } => Some(since + next()?),
            State::Paused { .. } | State::Over => None,
        }
    }

    /// Whether a file has so little waiting that more of it is taken up.
    fn lacks(&self) -> bool {
        let State::Making { .. } = self.state else { return false };
        matches!(&self.making, What::Film(film) if film.lacks(self.waiting))
    }

    /// Whether nothing more is made.
    fn has_made_all(&self) -> bool {
        match &self.making {
            What::Packets(making) => making.next().is_none(),
            What::Film(film) => film.is_over(),
        }
    }

    /// What has come by now goes to the source, which takes what it can at once; of what is left so much waits as finds
    /// room.
    fn make(&mut self, now: Instant, out: &mut Outbox) {
        let is_less = self.give_up(now);
        if self.add_made(now) || is_less {
            self.grant(now, out);
            self.drop_excess(now, out);
        }
    }

    /// What of a film has waited too long does not wait any more; whether anything has.
    fn give_up(&mut self, now: Instant) -> bool {
        let (State::Making { since }, What::Film(film)) = (self.state, &mut self.making) else { return false };
        let gone = film.give_up(now.since(since));
        self.dropped = self.dropped.saturating_add(gone);
        self.waiting -= gone;
        gone > 0
    }

    /// What has come by now waits, however much it is; whether anything has.
    fn add_made(&mut self, now: Instant) -> bool {
        let before = self.waiting;
        while self.next().is_some_and(|at| at <= now) || self.lacks() {
            let [packets, gone] = match &mut self.making {
                What::Packets(making) => [making.step(), 0],
                What::Film(film) => {
                    let x_bps = if film.chooses() { self.source.report().rate_bps } else { f64::NAN };
                    film.step(x_bps)
                }
            };
            self.made = self.made.saturating_add(packets).saturating_add(gone);
            self.dropped = self.dropped.saturating_add(gone);
            self.waiting = self.waiting.saturating_add(packets);
        }
        self.waiting > before
    }

    fn drop_excess(&mut self, now: Instant, out: &mut Outbox) {
        if self.waiting > self.room {
            self.dropped = self.dropped.saturating_add(self.waiting - self.room);
            self.waiting = self.room;
            self.grant(now, out);
        }
    }

    fn grant(&mut self, now: Instant, out: &mut Outbox) {
        self.pass(now, Input::Granted(self.waiting), out);
    }

    /// Hands an input to the source and counts what it takes.
    #[inline]
    fn pass(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let before = out.actions().len();
        self.source.handle(now, input, out);
        for action in &out.actions()[before..] {
            if let Action::Send(packet) | Action::SendControl(packet, _) = action
                && packet.header.takes_granted()
            {
                debug_assert!(self.waiting > 0, "nobody sends what is not there");
                self.waiting = self.waiting.saturating_sub(1);
                if let What::Film(film) = &mut self.making {
                    self.sent.extend(film.take());
                }
                if matches!(packet.header, Header::Tcp(_)) {
                    self.last_number = packet.header.number();
                }
            }
        }
        if self.lacks() {
            self.add_made(now);
            self.grant(now, out);
        }
    }

    /// Whether a packet that has not been sent is the application's again. Of TCP only the last one is: another is
    /// repeated by the connection, as if it had been lost.
    fn comes_back(&mut self, packet: &Packet) -> bool {
        if !packet.header.takes_granted() {
            return false;
        }
        if matches!(packet.header, Header::Tcp(_)) {
            let number = packet.header.number();
            if self.last_number != number {
                return false;
            }
            self.last_number = number.map(|number| u64::from((number as u32).wrapping_sub(1)));
        }
        true
    }

    fn begin(&mut self, now: Instant) {
        if let State::Paused { after } = self.state {
            self.state = State::Making { since: Instant(now.0.saturating_sub(after.0)) };
        }
    }

    fn pause(&mut self, now: Instant) {
        if let State::Making { since } = self.state {
            self.state = State::Paused { after: now.since(since) };
        }
    }

    /// The source has sent all that there ever is.
    fn end_if_over(&mut self, now: Instant, out: &mut Outbox) {
        if matches!(self.state, State::Making { .. }) && self.waiting == 0 && self.has_made_all() {
            self.state = State::Over;
            self.source.handle(now, Input::Stop, out);
            if self.last_number.is_none() {
                // A connection says so itself, when everything has been acknowledged.
                out.event(Event::new(FINISHED, Cause::Application));
            }
        }
    }

    fn note(&mut self, now: Instant) {
        if let Some(since) = self.short_since {
            self.short = self.short + now.since(since);
        }
        let is_short = self.waiting == 0 && matches!(self.state, State::Making { .. });
        self.short_since = is_short.then_some(now);
    }
}

impl<E: Endpoint> Endpoint for ApplicationLimited<E> {
    /// What there is to send the application says, and nobody else: [`Input::Granted`] changes nothing.
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.sent.clear();
        match input {
            Input::Granted(_) => return,
            Input::Start => {
                self.begin(now);
                self.add_made(now);
                // Also that there is nothing.
                self.grant(now, out);
                self.pass(now, input, out);
                self.drop_excess(now, out);
            }
            Input::Stop => {
                self.pause(now);
                self.pass(now, input, out);
            }
            // Before the deadline a time-out changes nothing, not even what is counted.
            Input::Timeout if self.deadline().is_none_or(|at| at > now) => return,
            Input::Timeout => {
                self.make(now, out);
                if self.source.deadline().is_some_and(|at| at <= now) {
                    self.pass(now, input, out);
                }
            }
            Input::NotSent(packet) => {
                let comes_back = self.comes_back(packet);
                self.pass(now, input, out);
                if comes_back {
                    if let What::Film(film) = &mut self.making {
                        film.give_back();
                    }
                    self.waiting = self.waiting.saturating_add(1);
                }
            }
            Input::Packet { .. } | Input::LinkLoss(_) | Input::Unjoined(_) => {
                self.make(now, out);
                self.pass(now, input, out);
            }
        }
        self.end_if_over(now, out);
        self.note(now);
    }

    fn deadline(&self) -> Option<Instant> {
        self.source.deadline().into_iter().chain(self.next()).min()
    }

    fn report(&self) -> Report {
        self.source.report()
    }

    fn sees_link_losses(&self) -> bool {
        self.source.sees_link_losses()
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.gauges
    }

    fn measure(&self, values: &mut [f64]) {
        let (of_source, own) = values.split_at_mut(values.len() - GAUGES.len());
        self.source.measure(of_source);
        let [made, dropped, waiting] = [self.made, self.dropped, self.waiting].map(|packets| packets as f64);
        own.copy_from_slice(&[made, dropped, waiting, self.short.as_secs_f64()]);
    }
}

/// The gauges of a source with those of its application behind them: one list for all sources that show these.
pub fn with_application(of_source: &'static [Gauge]) -> &'static [Gauge] {
    static KNOWN: Mutex<Vec<&'static [Gauge]>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_of = |all: &&'static [Gauge]| all[..all.len() - GAUGES.len()] == *of_source;
    if let Some(all) = known.iter().copied().find(is_of) {
        return all;
    }
    let all: &'static [Gauge] = Vec::leak([of_source, GAUGES].concat());
    known.push(all);
    all
}
