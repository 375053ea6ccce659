//! Endpoints that are Python objects: what they are handed, what they want done.

use crate::exhaustion::unwatched;
use crate::failure::{fail, has_failed};
use crate::gate::through;
use faircast_proto::endpoint::{Action, Cause, Endpoint, Event, EventKind, Gauge, Input, Outbox, Report};
use faircast_proto::guest::{GUEST_BYTES, GuestHeader};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::random::{Random, fnv1a};
use faircast_proto::scheme::Seat;
use faircast_proto::time::Instant;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The groups of a session: the first, and how many there are.
#[derive(Clone, Copy)]
struct Groups(Address, u8);

impl Groups {
    /// An error unless `address` is one of them.
    fn have(self, address: Address) -> PyResult<()> {
        let Groups(first, number) = self;
        if (first.to_bits()..first.to_bits() + u32::from(number)).contains(&address.to_bits()) {
            return Ok(());
        }
        let last = if number > 1 { format!(" to seat.group + {}", number - 1) } else { String::new() };
        let message = format!("{} is no group of the session; legal is seat.group{last}", address.to_bits());
        Err(PyValueError::new_err(message))
    }
}

/// What all endpoints of a scheme have in common.
pub struct Shown {
    pub name: &'static str,
    pub source: Vec<Gauge>,
    pub member: Vec<Gauge>,
    pub events: Vec<&'static EventKind>,
}

impl Shown {
    /// Whose headers these are.
    fn owner(&self) -> [u8; 4] {
        (fnv1a(self.name.as_bytes()) as u32).to_le_bytes()
    }
}

/// Bytes of a header that the object fills; one more says how many they are.
const ROOM: usize = GUEST_BYTES - 1;

/// Time-outs at one moment after which an endpoint is thought to want them forever.
const AT_ONCE: u32 = 20_000;

/// An endpoint.
pub struct PyEndpoint {
    /// Nothing once it could not be made.
    object: Option<Py<PyAny>>,
    flow: FlowId,
    own: Address,
    groups: Groups,
    deadline: Option<Instant>,
    /// The last moment at which there was a time-out, and how many there were.
    timeouts: (Instant, u32),
    counts: Report,
    shown: &'static Shown,
    gauges: &'static [Gauge],
}

impl PyEndpoint {
    /// What `scheme` makes for `seat` with its method `role`.
    pub fn new(
        scheme: &Py<PyAny>,
        role: &str,
        seat: Seat,
        groups: u8,
        shown: &'static Shown,
        gauges: &'static [Gauge],
    ) -> PyEndpoint {
        let Seat { flow, own, group, .. } = seat;
        let groups = Groups(group, groups);
        let object = attached(shown, |py| {
            let made = scheme.call_method1(py, role, (PySeat(seat),))?;
            match made.bind(py).hasattr("handle")? && made.bind(py).hasattr("deadline")? {
                true => Ok(made),
                false => Err(illegal(py, &format!("{role}()"), &made, "an Endpoint, with handle and deadline")),
            }
        });
        let (deadline, timeouts) = (None, (Instant::ZERO, 0));
        PyEndpoint { object, flow, own, groups, deadline, timeouts, counts: Report::default(), shown, gauges }
    }

    fn call(&mut self, py: Python<'_>, now: Instant, input: Input<'_>, out: &mut Outbox) -> PyResult<()> {
        let Some(object) = &self.object else { return Ok(()) };
        let (flow, own, groups, shown) = (self.flow, self.own, self.groups, self.shown);
        let wanted = Py::new(py, PyOutbox { now, flow, own, groups, shown, actions: Vec::new() })?;
        match input {
            Input::Packet { packet, .. } => {
                let packet = PyPacket { packet: Box::new(*packet), owner: shown.owner() };
                object.call_method1(py, "handle", (now.0, packet, &wanted))?;
            }
            Input::Start => drop(object.call_method1(py, "handle", (now.0, "start", &wanted))?),
            Input::Timeout => drop(object.call_method1(py, "handle", (now.0, "timeout", &wanted))?),
            Input::Stop => drop(object.call_method1(py, "handle", (now.0, "stop", &wanted))?),
            // Classes in Python are not notified.
            Input::NotSent(packet) => self.counts.not_sent(packet),
            Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) => {}
        }
        let deadline = object.call_method0(py, "deadline")?;
        let deadline: Option<u64> = (deadline.extract(py))
            .map_err(|_| illegal(py, "deadline()", &deadline, "a whole number of nanoseconds from 0, or None"))?;
        self.deadline = deadline.map(|at| Instant(at).max(now));
        for action in std::mem::take(&mut wanted.borrow_mut(py).actions) {
            match action {
                Action::Send(packet) => {
                    self.counts.sent_pkts += 1;
                    self.counts.sent_bytes += u64::from(packet.size);
                    out.send(packet);
                }
                Action::SendControl(packet, control) => out.send_control(packet, control),
                Action::Join(group) => out.join(group),
                Action::Leave(group) => out.leave(group),
                Action::Event(event) => out.event(event),
            }
        }
        Ok(())
    }

    /// An error if it asks for time-outs without end at one moment.
    fn patience(&mut self, now: Instant) -> PyResult<()> {
        let (last, number) = self.timeouts;
        self.timeouts = (now, if last == now { number + 1 } else { 1 });
        match self.timeouts.1 {
            AT_ONCE => Err(PyRuntimeError::new_err(format!("deadline() does not leave the moment {} ns", now.0))),
            _ => Ok(()),
        }
    }
}

/// Says that something which Python was asked for cannot be read.
fn illegal(py: Python<'_>, asked: &str, given: &Py<PyAny>, legal: &str) -> PyErr {
    let shown = given.bind(py).repr().map(|text| text.to_string()).unwrap_or_default();
    let shown: String = shown.chars().take(60).collect();
    PyTypeError::new_err(format!("{asked} gives {shown}; legal is {legal}"))
}

/// Calls Python. An error ends the run; nothing more is called then.
fn attached<T>(shown: &Shown, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
    if has_failed() {
        return None;
    }
    through(|| unwatched(|| Python::attach(|py| call(py).map_err(|error| fail(py, shown.name, error)).ok())))
}

impl Endpoint for PyEndpoint {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet, .. } = input {
            self.counts.received_pkts += 1;
            self.counts.received_bytes += u64::from(packet.size);
            // The network doubles nothing, and what comes to a source are reports.
            if packet.is_data() {
                self.counts.distinct_bytes += u64::from(packet.size);
            }
        }
        let is_timeout = matches!(input, Input::Timeout);
        let done = attached(self.shown, |py| {
            if is_timeout {
                self.patience(now)?;
            }
            self.call(py, now, input, out)
        });
        if done.is_none() {
            self.deadline = None;
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn report(&self) -> Report {
        let rate_bps = attached(self.shown, |py| match &self.object {
            Some(object) => {
                let rate = object.getattr(py, "rate_bps")?;
                rate.extract::<Option<f64>>(py)
                    .map_err(|_| illegal(py, "rate_bps", &rate, "a number of bit/s, or None"))
            }
            None => Ok(None),
        });
        let rate_bps = rate_bps.flatten().unwrap_or(f64::NAN);
        Report { rate_bps, ..self.counts }
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.gauges
    }

    fn measure(&self, values: &mut [f64]) {
        let measured = attached(self.shown, |py| {
            let Some(object) = &self.object else { return Ok(Vec::new()) };
            let measured = object.call_method0(py, "measure")?;
            let measured: Vec<Option<f64>> = (measured.extract(py))
                .map_err(|_| illegal(py, "measure()", &measured, "a list with a number or None for each gauge"))?;
            if measured.len() == values.len() {
                return Ok(measured);
            }
            let message = format!("measure() gives {} values for {} gauges", measured.len(), values.len());
            Err(PyValueError::new_err(message))
        });
        values.fill(f64::NAN);
        for (value, measured) in values.iter_mut().zip(measured.into_iter().flatten()) {
            *value = measured.unwrap_or(f64::NAN);
        }
    }
}

/// What an endpoint knows about itself.
#[pyclass(name = "Seat", module = "faircast._native")]
pub struct PySeat(Seat);

#[pymethods]
impl PySeat {
    /// Its own address.
    #[getter]
    fn own(&self) -> u32 {
        self.0.own.to_bits()
    }

    /// The first of the session's groups; the others follow it.
    #[getter]
    fn group(&self) -> u32 {
        self.0.group.to_bits()
    }

    /// How many members the session was set up with.
    #[getter]
    fn members(&self) -> u32 {
        self.0.members
    }

    /// What the fastest link out of the node carries, bit/s.
    #[getter]
    fn line_rate_bps(&self) -> Option<u64> {
        self.0.line_rate.map(|rate| rate.0)
    }

    /// The next of the endpoint's own random numbers, uniform from 0 up to 1.
    fn random(&mut self) -> f64 {
        Random::uniform(&mut self.0.random)
    }
}

/// A packet that has come.
#[pyclass(name = "Packet", module = "faircast._native", frozen)]
pub struct PyPacket {
    /// A packet lies on a cache line of its own, an object of Python does not.
    packet: Box<Packet>,
    owner: [u8; 4],
}

#[pymethods]
impl PyPacket {
    /// When it was sent, by the sender's clock, ns.
    #[getter]
    fn sent(&self) -> u64 {
        self.packet.sent.0
    }

    /// Who sent it.
    #[getter]
    fn source(&self) -> u32 {
        self.packet.source.to_bits()
    }

    /// Who was to get it.
    #[getter]
    fn destination(&self) -> u32 {
        self.packet.destination.to_bits()
    }

    /// Bytes on the wire.
    #[getter]
    fn size(&self) -> u16 {
        self.packet.size
    }

    /// Congestion bits: 0 not capable, 1 capable, 2 incipient, 3 moderate congestion, 4 ECT(1).
    #[getter]
    fn ecn(&self) -> u8 {
        self.packet.ecn.code()
    }

    /// Whether it carries data.
    #[getter]
    fn is_data(&self) -> bool {
        self.packet.is_data()
    }

    /// What its sender put into the header, if it was one of the same scheme.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let Header::Guest(header) = self.packet.header else { return None };
        let (length, bytes) = header.read::<(u8, [u8; ROOM])>(self.owner)?;
        Some(PyBytes::new(py, &bytes[..usize::from(length).min(ROOM)]))
    }
}

/// What an endpoint wants done.
#[pyclass(name = "Outbox", module = "faircast._native")]
pub struct PyOutbox {
    now: Instant,
    flow: FlowId,
    own: Address,
    groups: Groups,
    shown: &'static Shown,
    actions: Vec<Action>,
}

#[pymethods]
impl PyOutbox {
    /// Sends a packet now.
    #[pyo3(signature = (destination, size, fields = None, *, is_data = true, ecn_capable = false))]
    fn send(
        &mut self,
        destination: u32,
        size: u16,
        fields: Option<&[u8]>,
        is_data: bool,
        ecn_capable: bool,
    ) -> PyResult<()> {
        let fields = fields.unwrap_or_default();
        if fields.len() > ROOM {
            let message = format!("{} bytes of fields given; a header has room for {ROOM}", fields.len());
            return Err(PyValueError::new_err(message));
        }
        if usize::from(size) < fields.len().max(1) {
            let message = format!("a packet of {size} bytes with {} bytes of fields", fields.len());
            return Err(PyValueError::new_err(message + "; legal is 1 to 65535, and no less than its fields"));
        }
        let to = Address::from_bits(destination);
        if to.is_group() {
            self.groups.have(to)?;
        }
        let mut room = [0; ROOM];
        room[..fields.len()].copy_from_slice(fields);
        let (owner, said) = (self.shown.owner(), (fields.len() as u8, room));
        let header = if is_data { GuestHeader::data(owner, said) } else { GuestHeader::message(owner, said) };
        self.actions.push(Action::Send(Packet {
            sent: self.now,
            flow: self.flow,
            source: self.own,
            destination: to,
            size,
            ttl: INITIAL_TTL,
            ecn: if ecn_capable { Ecn::Capable } else { Ecn::NotCapable },
            header: header.into(),
        }));
        Ok(())
    }

    /// Becomes a member of a group.
    fn join(&mut self, group: u32) -> PyResult<()> {
        let group = Address::from_bits(group);
        self.groups.have(group)?;
        self.actions.push(Action::Join(group));
        Ok(())
    }

    /// Is no longer a member of a group.
    fn leave(&mut self, group: u32) -> PyResult<()> {
        let group = Address::from_bits(group);
        self.groups.have(group)?;
        self.actions.push(Action::Leave(group));
        Ok(())
    }

    /// Tells observers of an event that the scheme has declared, by its name. At most one of the causes: the number of
    /// a packet that came, of one that did not, the report (receiver, number).
    #[pyo3(signature = (name, before = None, after = None, *, packet = None, loss = None, report = None))]
    fn event(
        &mut self,
        name: &str,
        before: Option<f64>,
        after: Option<f64>,
        packet: Option<u64>,
        loss: Option<u64>,
        report: Option<(u32, u64)>,
    ) -> PyResult<()> {
        let Some(kind) = self.shown.events.iter().find(|kind| kind.name == name) else {
            return Err(PyValueError::new_err(format!("the event {name} is not among those that the scheme declares")));
        };
        let cause = match (packet, loss, report) {
            (Some(sequence), _, _) => Cause::Packet { sequence },
            (_, Some(sequence), _) => Cause::Loss { sequence },
            (_, _, Some((receiver, number))) => Cause::Report { receiver: Address::from_bits(receiver), number },
            _ => Cause::Time,
        };
        let [before, after] = [before, after].map(|value| value.unwrap_or(f64::NAN));
        self.actions.push(Action::Event(Event::change(kind, before, after, cause)));
        Ok(())
    }
}
