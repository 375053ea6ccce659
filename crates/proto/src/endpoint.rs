//! The contract between protocols and what drives them, simulator or socket.
//!
//! The driver always takes the same three steps: `handle` one input, carry out the outbox, arm `deadline`.
//! An endpoint knows only what a real host would know: its configuration, its clock and the packets it is given.

use crate::control::Control;
pub use crate::event::{
    Cause, Event, EventKind, EventSubject, FINISHED, LAYER_ADDED, LAYER_DROPPED, RECEIVER_EXCLUDED,
};
pub use crate::gauge::{Gauge, GaugeKind};
use crate::packet::{Address, Packet};
use crate::time::{Duration, Instant};

/// A protocol machine on a host.
pub trait Endpoint {
    /// Takes one input; everything wanted in return goes into `out`.
    ///
    /// `now` is when the endpoint is called, and never runs backwards: what it does next, sending and deadlines, goes
    /// by it. What it measures goes by when packets [`arrived`](Input::Packet). A `Timeout` that comes before
    /// `deadline()` changes nothing. After `handle` the deadline is never in the past.
    ///
    /// A driver may be late. It hands in the packets that have arrived before a time-out that is due, or the endpoint
    /// takes for silence what was only waiting.
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox);

    /// When to be called with [`Input::Timeout`]; `None` = not at all.
    fn deadline(&self) -> Option<Instant>;

    /// Takes one input and says the deadline after it: as [`handle`](Self::handle) and [`deadline`](Self::deadline),
    /// but an enum of endpoints is asked once which of them it is.
    #[inline(always)]
    fn handle_until(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) -> Option<Instant> {
        self.handle(now, input, out);
        self.deadline()
    }

    /// What the endpoint has counted, for probes.
    fn report(&self) -> Report;

    /// Whether it wants to hear of packets that links have lost ([`Input::LinkLoss`]): always the same.
    fn sees_link_losses(&self) -> bool {
        false
    }

    /// What else it shows, and in which order: always the same list.
    fn gauges(&self) -> &'static [Gauge] {
        &[]
    }

    /// Writes the present values of its [`gauges`](Self::gauges) into `values`, one for each.
    fn measure(&self, values: &mut [f64]) {
        debug_assert!(values.is_empty(), "who has gauges measures them");
    }
}

/// A large one lies in a box: all endpoints of a run have the size of the largest that does not.
impl<E: Endpoint> Endpoint for Box<E> {
    #[inline]
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        (**self).handle(now, input, out);
    }

    #[inline]
    fn handle_until(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) -> Option<Instant> {
        (**self).handle_until(now, input, out)
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        (**self).deadline()
    }

    fn report(&self) -> Report {
        (**self).report()
    }

    fn sees_link_losses(&self) -> bool {
        (**self).sees_link_losses()
    }

    fn gauges(&self) -> &'static [Gauge] {
        (**self).gauges()
    }

    fn measure(&self, values: &mut [f64]) {
        (**self).measure(values);
    }
}

/// What happens to an endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Begin. Comes once, first.
    Start,
    /// A packet has arrived.
    Packet {
        /// The packet.
        packet: &'a Packet,
        /// The message beside it, if it has one.
        control: Option<&'a Control>,
        /// When it came to the host, on the host's clock: the stamp that the kernel or the device gave it, or `now`
        /// where there is none. Legal is any moment up to `now`. Packets may have waited and come in batches, so it may
        /// be before the `now` of earlier inputs; and as there are several queues it may be earlier than that of the
        /// packet before, in which case no time has passed between the two for an endpoint that measures it.
        arrived: Instant,
    },
    /// A link's loss model has destroyed this packet on its way to the endpoint. No real host learns this: it is the
    /// truth that rules of [loss differentiation](crate::parts::loss_differentiation) are held against, and only those
    /// get it that [ask for it](Endpoint::sees_link_losses).
    LinkLoss(&'a Packet),
    /// The host is not a member of a group that the endpoint has asked to [join](Action::Join): it could not become
    /// one, or is one no longer, as when the system allows no more memberships or an interface has gone. Nothing of the
    /// group is handed in from now on, and what is missing of it was not lost to congestion. The endpoint asks to leave
    /// what it gives up, though there is nothing to leave, and joins again if and when it wants to: a receiver of
    /// layers gives up the group's layer and those above, as one that it cannot have now; one without any group for
    /// data goes as at its stop, and a driver that has the group again lets it [start](Input::Start). A group for
    /// messages alone is done without. An endpoint that has not asked for the group, or is the source, does not mind.
    Unjoined(Address),
    /// So many packets of data are there for a source to send from now on, in all its groups together; it replaces what
    /// was said before, and holds over starts and stops until the next. Each packet with data that has not been sent
    /// before takes one, so that the endpoint asks for no more than there are, and the driver, whose application's
    /// packets these are, need not be quick to say that there are none left. With 0 there is nothing to send: the
    /// source goes on with all else, its messages, its timers, its answers to reports. Who is never told has data
    /// without end, and so has who is told [`ENDLESS`].
    ///
    /// What an application had nothing for is not made up for: a turn that passed unused is let go. Nor does it let a
    /// source send much more later than it would have sent with data: rates and windows that have not been used are not
    /// raised as if they had been (each protocol says by which rule), and long silence counts as for others. A source
    /// whose packets go by a schedule that receivers know sends those all the same. Who is no source does not mind.
    Granted(u64),
    /// A packet that the endpoint has asked for could not be sent: the buffer of the socket is full, the interface has
    /// gone. It is as if it had not been asked for, as far as that can be: it is not counted as sent, the application's
    /// packet is there again, and a number that is the last one is used for the next packet; one before it is missing
    /// at receivers, as if the network had lost it. What was said in it, an echo or a report, comes with the next that
    /// says so. Nothing is sent again at once: a rate goes on with its next turn, a window after [`RETRY`] or with what
    /// comes before.
    ///
    /// A driver says so as soon as it has carried out the outbox, and of several packets of the last one first, so that
    /// their numbers can be taken back. If it fails for one packet it does well not to try those behind it.
    NotSent(&'a Packet),
    /// The deadline has come (or may have).
    Timeout,
    /// Send nothing more of your own accord; acknowledgements may still be given.
    Stop,
}

impl<'a> Input<'a> {
    /// A packet that arrived then.
    #[inline]
    pub fn packet(packet: &'a Packet, control: Option<&'a Control>, arrived: Instant) -> Input<'a> {
        Input::Packet { packet, control, arrived }
    }
}

/// What an application [grants](Input::Granted) that always has something to send.
pub const ENDLESS: u64 = u64::MAX;

/// After what a window tries again that could [not send](Input::NotSent). A choice: buffers of hosts hold some
/// milliseconds, and RFC 4654 section 3.7 takes 10 ms for what a host's clock can tell apart.
pub const RETRY: Duration = Duration::from_millis(10);

/// What an endpoint wants done.
#[derive(Clone, Debug)]
pub enum Action {
    /// Send this packet now.
    Send(Packet),
    /// Send this packet now, with a message beside it.
    SendControl(Packet, Control),
    /// Become a member of this group: its packets are to be handed in. Silence is success; if it fails, or the
    /// membership is lost, the endpoint is told so ([`Input::Unjoined`]).
    Join(Address),
    /// No longer be a member of this group: packets that still come are not handed in. If the host is none already
    /// there is nothing to do.
    Leave(Address),
    /// Let observers know.
    Event(Event),
}

/// What an endpoint wants done, in order. Owned and reused by the driver.
#[derive(Debug, Default)]
pub struct Outbox {
    actions: Vec<Action>,
}

/// What an endpoint of any protocol has counted since its start, and its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Packets sent, retransmissions included.
    pub sent_pkts: u64,
    /// Bytes sent, retransmissions included.
    pub sent_bytes: u64,
    /// Packets received, duplicates included.
    pub received_pkts: u64,
    /// Bytes received, duplicates included.
    pub received_bytes: u64,
    /// Bytes received for the first time.
    pub distinct_bytes: u64,
    /// Sending rate of a rate-based sender, desired rate of its receiver, bit/s; NaN if it has none.
    pub rate_bps: f64,
}

impl Report {
    /// This packet, which was counted, has [not been sent](Input::NotSent).
    pub fn not_sent(&mut self, packet: &Packet) {
        self.sent_pkts = self.sent_pkts.saturating_sub(1);
        self.sent_bytes = self.sent_bytes.saturating_sub(packet.size.into());
    }
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

    /// Asks for `packet` to be sent with `control` beside it.
    #[cold]
    pub fn send_control(&mut self, packet: Packet, control: Control) {
        self.actions.push(Action::SendControl(packet, control));
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

    /// Lets what was asked for after the first `from` actions be changed, or taken back where `keep` says no.
    pub(crate) fn review(&mut self, from: usize, mut keep: impl FnMut(&mut Action) -> bool) {
        let mut at = 0;
        self.actions.retain_mut(|action| {
            at += 1;
            at <= from || keep(action)
        });
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
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            rate_bps: f64::NAN,
        }
    }
}
