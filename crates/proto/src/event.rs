//! Events: what happens inside an endpoint that is worth knowing, and why.

use crate::address::Address;
use crate::ecn::Ecn;
use crate::gauge::Gauge;

/// Something that happened inside an endpoint: a value, not a log line.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What: one of those that the protocol names.
    pub kind: &'static EventKind,
    /// What changed before, in the unit of the kind; NaN if nothing that has a number did.
    pub before: f64,
    /// And after.
    pub after: f64,
    /// What else there is to know, as the [kind says](EventKind::details); NaN beyond that.
    pub details: [f64; MOST_DETAILS],
    /// Of whom it speaks.
    pub subject: EventSubject,
    /// The layer that it is about, if it is about one.
    pub layer: Option<u8>,
    /// What brought the event about.
    pub cause: Cause,
}

/// What may happen in the endpoints of a protocol; those of a protocol stand in its own module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKind {
    /// Its name in tables: `loss-event`.
    pub name: &'static str,
    /// The unit of what changes, `1` if it has none.
    pub unit: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What else there is to know of one, at most `MOST_DETAILS` values: columns of the table of events. Where two
    /// protocols tell the same they share name and unit.
    pub details: &'static [Gauge],
}

/// How many further values an event may have.
pub const MOST_DETAILS: usize = 4;

/// Of whom an event speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventSubject {
    /// Of the endpoint itself.
    #[default]
    Own,
    /// Of another endpoint.
    Other(Address),
    /// Of nobody any more.
    Nobody,
}

/// What an event came from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cause {
    /// Time alone: a timer, a start, a stop.
    #[default]
    Time,
    /// An application that has nothing to send.
    Application,
    /// A packet that came.
    Packet {
        /// Its number.
        sequence: u64,
    },
    /// A packet that did not come.
    Loss {
        /// Its number, or that of the first of them.
        sequence: u64,
    },
    /// A packet that came with a congestion mark, or whose mark was echoed.
    Mark {
        /// Its number, as far as it is known.
        sequence: u64,
        /// The level.
        level: Ecn,
    },
    /// What a receiver said.
    Report {
        /// Who.
        receiver: Address,
        /// When in the receiver's own count: its report's number or the round that it was for.
        number: u64,
    },
}

/// Everything that there was to send has been acknowledged: a finite transfer, or what was outstanding at a stop; of
/// what knows no acknowledgements it has been sent. A sender of any protocol may say so; drivers then know how long its
/// flow was active.
pub const FINISHED: &EventKind =
    &EventKind::new("finished", "1", "Everything to be sent has been acknowledged, or sent where nothing is.");

/// A receiver has joined a layer. `before` and `after` are how many it holds; the event is on the layer that it joined.
/// All schemes of layers tell these two by the same names.
pub const LAYER_ADDED: &EventKind = &EventKind::new("layer-added", "layers", "A receiver has joined a layer.");

/// A receiver has left a layer, likewise.
pub const LAYER_DROPPED: &EventKind = &EventKind::new("layer-dropped", "layers", "A receiver has left a layer.");

/// The source no longer heeds a receiver, the subject of the event. Before is the rate that it must report to be
/// heeded, after what it reports; NaN if what it says cannot be true.
pub const RECEIVER_EXCLUDED: &EventKind = &EventKind::new(
    "receiver-excluded",
    "bit/s",
    "The source no longer heeds a receiver: the least rate that is heeded and what it reports, or its word is untrue.",
);

impl Event {
    /// An event that changes nothing with a number.
    pub const fn new(kind: &'static EventKind, cause: Cause) -> Event {
        Event::change(kind, f64::NAN, f64::NAN, cause)
    }

    /// A change of what the kind is about.
    pub const fn change(kind: &'static EventKind, before: f64, after: f64, cause: Cause) -> Event {
        Event { kind, before, after, details: [f64::NAN; MOST_DETAILS], subject: EventSubject::Own, layer: None, cause }
    }

    /// Adds what else there is to know, value by value as the event's kind says.
    pub const fn with<const N: usize>(mut self, details: [f64; N]) -> Event {
        const { assert!(N <= MOST_DETAILS, "an event has no more values") };
        let mut index = 0;
        while index < N {
            self.details[index] = details[index];
            index += 1;
        }
        self
    }

    /// A receiver that held the layers below it has joined this one.
    pub const fn layer_added(layer: u8, cause: Cause) -> Event {
        Event::change(LAYER_ADDED, layer as f64, layer as f64 + 1.0, cause).on(layer)
    }

    /// A receiver that held the layers up to this one has left it.
    pub const fn layer_dropped(layer: u8, cause: Cause) -> Event {
        Event::change(LAYER_DROPPED, layer as f64 + 1.0, layer as f64, cause).on(layer)
    }

    /// Names another endpoint that the event is about, or none.
    pub const fn about(mut self, other: Option<Address>) -> Event {
        self.subject = match other {
            Some(other) => EventSubject::Other(other),
            None => EventSubject::Nobody,
        };
        self
    }

    /// Names the layer that the event is about.
    pub const fn on(mut self, layer: u8) -> Event {
        self.layer = Some(layer);
        self
    }

    /// Whether it is one of this kind.
    pub fn is(&self, kind: &EventKind) -> bool {
        self.kind == kind
    }
}

impl EventKind {
    /// Names an event.
    pub const fn new(name: &'static str, unit: &'static str, about: &'static str) -> EventKind {
        EventKind { name, unit, about, details: &[] }
    }

    /// Adds the details that events of this kind come with.
    ///
    /// # Panics
    /// If they are more than 4, which a constant says when it is compiled.
    pub const fn with(self, details: &'static [Gauge]) -> EventKind {
        assert!(details.len() <= MOST_DETAILS, "an event has no more values");
        EventKind { details, ..self }
    }
}

impl Cause {
    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Cause::Time => "time",
            Cause::Application => "application",
            Cause::Packet { .. } => "packet",
            Cause::Loss { .. } => "loss",
            Cause::Mark { .. } => "mark",
            Cause::Report { .. } => "report",
        }
    }

    /// The number that tells which packet or report it was.
    pub fn number(&self) -> Option<u64> {
        match *self {
            Cause::Time | Cause::Application => None,
            Cause::Packet { sequence } | Cause::Loss { sequence } | Cause::Mark { sequence, .. } => Some(sequence),
            Cause::Report { number, .. } => Some(number),
        }
    }

    /// Whose report it was.
    pub fn receiver(&self) -> Option<Address> {
        match *self {
            Cause::Report { receiver, .. } => Some(receiver),
            _ => None,
        }
    }
}

/// Values that are none (NaN) equal themselves.
impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        let values = |event: &Event| ([event.before, event.after].map(f64::to_bits), event.details.map(f64::to_bits));
        let rest = |event: &Event| (event.kind, event.subject, event.layer, event.cause);
        values(self) == values(other) && rest(self) == rest(other)
    }
}
