//! Parts of schemes for schemes that are Python classes: what `faircast.guest_parts` offers.
//!
//! Times are whole nanoseconds, as endpoints get them, spans and rates are `float`s with their unit in the name. What
//! is not legal is a `ValueError` that says so, whatever is given.

use faircast_proto::packet::Address;
use faircast_proto::parts::loss_detection::LossDetection;
use faircast_proto::parts::loss_history::{Arrival, LossHistory, Packet};
use faircast_proto::parts::pacer::{MOST_LATE, Pacer};
use faircast_proto::parts::receive_rate::ReceiveRate;
use faircast_proto::parts::rtt::{Rtt, stamp_us};
use faircast_proto::parts::throughput_equation::{loss_event_rate, throughput_with_bps};
use faircast_proto::quantity::Bytes;
use faircast_proto::tfmcc::{Config, Feedback, Profile, RateControl};
use faircast_proto::time::{Duration, Instant, Rate};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// The longest span, seconds: whatever is measured over a network is shorter.
const LONGEST_S: f64 = 3600.0;
/// Sequence numbers are below this: a count of packets that does not wrap.
const SEQUENCES: u64 = 1 << 48;
/// The highest rate, bit/s.
const MOST_BPS: f64 = 1e12;

/// Puts the parts into the module.
pub(crate) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyLossHistory>()?;
    module.add_class::<PyRtt>()?;
    module.add_class::<PyReceiveRate>()?;
    module.add_class::<PyPacer>()?;
    module.add_class::<PyRateControl>()?;
    module.add_function(wrap_pyfunction!(py_throughput_bps, module)?)?;
    module.add_function(wrap_pyfunction!(py_loss_event_rate, module)?)?;
    module.add_function(wrap_pyfunction!(py_stamp_us, module)?)
}

/// A value from `low`, or above it where that is 0, to `high`.
fn within(name: &str, value: f64, low: f64, high: f64) -> PyResult<f64> {
    if (low..=high).contains(&value) && value > 0.0 {
        return Ok(value);
    }
    let from = if low == 0.0 { "above 0".to_owned() } else { format!("from {low}") };
    Err(PyValueError::new_err(format!("{name} is {value}; legal is {from} to {high}")))
}

/// A whole number from 0 to `most`.
fn whole<T: TryFrom<u64>>(name: &str, value: &Bound<'_, PyAny>, most: T) -> PyResult<T>
where
    u64: From<T>,
{
    let most = u64::from(most);
    let found = match value.extract::<u64>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => return Err(error),
        found => found.ok().filter(|&number| number <= most).and_then(|number| T::try_from(number).ok()),
    };
    found.ok_or_else(|| PyValueError::new_err(format!("{name} is {value}; legal is a whole number from 0 to {most}")))
}

fn as_now(value: &Bound<'_, PyAny>) -> PyResult<Instant> {
    whole("now", value, u64::MAX).map(Instant)
}

fn as_sequence(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("sequence", value, SEQUENCES - 1)
}

fn as_receiver(value: &Bound<'_, PyAny>) -> PyResult<Address> {
    whole("receiver", value, u32::MAX).map(Address::from_bits)
}

fn as_echoed(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole("echoed_us", value, u32::MAX)
}

fn as_sent(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole("sent_us", value, u32::MAX)
}

fn as_round(value: &Bound<'_, PyAny>) -> PyResult<u8> {
    whole("feedback_round", value, u8::MAX)
}

fn as_packet_size(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole("packet_size", value, u32::MAX)
}

fn span(name: &str, value: f64) -> PyResult<f64> {
    within(name, value, 0.0, LONGEST_S)
}

/// The rate of a TCP, bit/s (RFC 5348 section 3.1).
#[pyfunction(
    name = "throughput_bps",
    signature = (segment_bytes, rtt_s, loss_event_rate, *, acknowledged = 1.0, rto_s = None)
)]
fn py_throughput_bps(
    segment_bytes: f64,
    rtt_s: f64,
    loss_event_rate: f64,
    acknowledged: f64,
    rto_s: Option<f64>,
) -> PyResult<f64> {
    let rtt_s = span("rtt_s", rtt_s)?;
    Ok(throughput_with_bps(
        within("segment_bytes", segment_bytes, 1.0, 65535.0)?,
        rtt_s,
        within("loss_event_rate", loss_event_rate, 0.0, 1.0)?,
        within("acknowledged", acknowledged, 1.0, 1e6)?,
        rto_s.map_or(Ok(4.0 * rtt_s), |rto_s| span("rto_s", rto_s))?,
    ))
}

/// The loss event rate at which the equation gives a rate (RFC 5348 section 6.3.1).
#[pyfunction(name = "loss_event_rate")]
fn py_loss_event_rate(segment_bytes: f64, rtt_s: f64, rate_bps: f64) -> PyResult<f64> {
    Ok(loss_event_rate(
        within("segment_bytes", segment_bytes, 1.0, 65535.0)?,
        span("rtt_s", rtt_s)?,
        within("rate_bps", rate_bps, 0.0, MOST_BPS)?,
    ))
}

/// A moment as it goes on the wire: low 32 bits of microseconds.
#[pyfunction(name = "stamp_us")]
fn py_stamp_us(#[pyo3(from_py_with = as_now)] now: Instant) -> u32 {
    stamp_us(now)
}

/// Loss history of a receiver (RFC 4654 section 5).
#[pyclass(name = "LossHistory", module = "faircast._native")]
struct PyLossHistory {
    history: LossHistory,
    detection: LossDetection,
}

#[pymethods]
impl PyLossHistory {
    #[new]
    #[pyo3(signature = (*, discount_threshold = 0.25))]
    fn new(discount_threshold: f64) -> PyResult<PyLossHistory> {
        let threshold = within("discount_threshold", discount_threshold, 0.0, 1.0)?;
        Ok(PyLossHistory { history: LossHistory::new(threshold).with_outages(), detection: LossDetection::NOTHING })
    }

    /// A packet arrives. What it meant.
    #[pyo3(signature = (now, sequence, rtt_s, *, first_interval, marked = false))]
    fn arrive(
        &mut self,
        #[pyo3(from_py_with = as_now)] now: Instant,
        #[pyo3(from_py_with = as_sequence)] sequence: u64,
        rtt_s: f64,
        first_interval: f64,
        marked: bool,
    ) -> PyResult<&'static str> {
        let rtt_s = span("rtt_s", rtt_s)?;
        let packet = Packet { sequence, marked, now, rtt_s, event_s: rtt_s };
        let seed = within("first_interval", first_interval, 1.0, 1e12)?;
        let Self { history, detection } = self;
        Ok(match history.arrive(LossHistory::ONLY, detection, packet, None, || seed) {
            Arrival::Duplicate => "duplicate",
            Arrival::Plain => "plain",
            Arrival::Loss => "loss",
            Arrival::LossEvent => "loss event",
        })
    }

    /// The first round-trip time has been measured.
    #[pyo3(signature = (rtt_s, *, least_interval = 1.0))]
    fn measured(&mut self, rtt_s: f64, least_interval: f64) -> PyResult<()> {
        let rtt_s = span("rtt_s", rtt_s)?;
        self.history.measured(rtt_s, rtt_s, within("least_interval", least_interval, 1.0, 1e12)?);
        Ok(())
    }

    /// The loss event rate; 0 before the first.
    #[getter]
    fn loss_event_rate(&self) -> f64 {
        self.history.rate()
    }

    /// Loss events so far.
    #[getter]
    fn events(&self) -> u32 {
        self.history.events()
    }

    /// Packets since the start of the last event.
    #[getter]
    fn open_interval(&self) -> u64 {
        self.history.open()
    }

    /// Closed intervals, the newest first.
    #[getter]
    fn intervals(&self) -> Vec<f64> {
        self.history.current().intervals().iter().map(|&packets| f64::from(packets)).collect()
    }
}

/// The round-trip time of a receiver (RFC 4654 sections 4.3.2 and 4.3.3).
#[pyclass(name = "Rtt", module = "faircast._native")]
struct PyRtt(Rtt);

#[pymethods]
impl PyRtt {
    #[new]
    fn new() -> PyRtt {
        PyRtt(Rtt::default())
    }

    /// A packet echoes a stamp of this receiver. Whether it is the first measurement.
    #[pyo3(signature = (now, echoed_us, sent_us, *, weight = 0.5))]
    fn measure(
        &mut self,
        #[pyo3(from_py_with = as_now)] now: Instant,
        #[pyo3(from_py_with = as_echoed)] echoed_us: u32,
        #[pyo3(from_py_with = as_sent)] sent_us: u32,
        weight: f64,
    ) -> PyResult<bool> {
        if !(0.0..1.0).contains(&weight) {
            return Err(PyValueError::new_err(format!("weight is {weight}; legal is from 0 to less than 1")));
        }
        Ok(self.0.measure(stamp_us(now), echoed_us, sent_us, weight))
    }

    /// A packet without an echo for this receiver.
    fn adjust(&mut self, #[pyo3(from_py_with = as_now)] now: Instant, #[pyo3(from_py_with = as_sent)] sent_us: u32) {
        self.0.adjust(stamp_us(now), sent_us);
    }

    /// Smoothed and adjusted, seconds.
    #[getter]
    fn value_s(&self) -> Option<f64> {
        self.0.value_s()
    }

    /// Smoothed, seconds.
    #[getter]
    fn smoothed_s(&self) -> Option<f64> {
        self.0.smoothed_s()
    }
}

/// The rate at which a receiver gets packets (RFC 4654 section 4.3.4).
#[pyclass(name = "ReceiveRate", module = "faircast._native")]
struct PyReceiveRate(ReceiveRate);

#[pymethods]
impl PyReceiveRate {
    #[new]
    fn new() -> PyReceiveRate {
        PyReceiveRate(ReceiveRate::default())
    }

    /// A packet arrives.
    fn arrive(&mut self, #[pyo3(from_py_with = as_now)] now: Instant, window_s: f64) -> PyResult<()> {
        self.0.arrive(now, span("window_s", window_s)?);
        Ok(())
    }

    /// Packets per second over about the last `window_s`.
    fn packets_per_s(&self, #[pyo3(from_py_with = as_now)] now: Instant, window_s: f64) -> PyResult<f64> {
        Ok(self.0.packets_per_s(now, span("window_s", window_s)?))
    }
}

/// Packets evenly spaced in time (RFC 4654 section 3.7).
#[pyclass(name = "Pacer", module = "faircast._native")]
struct PyPacer(Pacer);

#[pymethods]
impl PyPacer {
    #[new]
    fn new() -> PyPacer {
        PyPacer(Pacer::OFF)
    }

    /// The first packet is due now.
    fn begin(&mut self, #[pyo3(from_py_with = as_now)] now: Instant) {
        self.0.begin(now);
    }

    /// The packet that was due has been sent.
    fn sent(&mut self, #[pyo3(from_py_with = as_now)] now: Instant, gap_s: f64) -> PyResult<()> {
        self.0.sent(now, span("gap_s", gap_s)?, MOST_LATE);
        Ok(())
    }

    /// The gap is another one.
    fn follow(&mut self, #[pyo3(from_py_with = as_now)] now: Instant, gap_s: f64) -> PyResult<()> {
        self.0.follow(now, span("gap_s", gap_s)?);
        Ok(())
    }

    /// No packet is due any more.
    fn stop(&mut self) {
        self.0 = Pacer::OFF;
    }

    /// When the next packet is due, ns.
    #[getter]
    fn due(&self) -> Option<u64> {
        moment(self.0.due())
    }
}

fn moment(at: Instant) -> Option<u64> {
    (at != Instant::FAR_FUTURE).then_some(at.0)
}

/// The rate of TFMCC's sender, and the current limiting receiver (RFC 4654 sections 3.1 to 3.4 and 3.6).
#[pyclass(name = "RateControl", module = "faircast._native")]
struct PyRateControl {
    control: RateControl,
    begun: bool,
}

#[pymethods]
impl PyRateControl {
    #[new]
    #[pyo3(signature = (packet_size, *, max_rate_bps = None, initial_max_rtt_s = 0.5, slow_start = true))]
    fn new(
        #[pyo3(from_py_with = as_packet_size)] packet_size: u32,
        max_rate_bps: Option<f64>,
        initial_max_rtt_s: f64,
        slow_start: bool,
    ) -> PyResult<PyRateControl> {
        let most = |bps| within("max_rate_bps", bps, 1.0, MOST_BPS).map(|bps| Rate(bps as u64));
        let config = Config {
            packet_size: Bytes(packet_size.into()),
            initial_max_rtt: Duration::from_secs_f64(span("initial_max_rtt_s", initial_max_rtt_s)?),
            max_rate: max_rate_bps.map(most).transpose()?,
            ..Config::of(Profile::Faircast)
        };
        if let Some((field, wrong)) = config.check().first() {
            return Err(PyValueError::new_err(format!("{field}: {wrong}")));
        }
        let control = RateControl::new(&config);
        let control = if slow_start { control } else { control.without_slow_start() };
        Ok(PyRateControl { control, begun: false })
    }

    /// The session begins.
    fn begin(&mut self, #[pyo3(from_py_with = as_now)] now: Instant) {
        self.begun = true;
        self.control.begin(now);
    }

    /// A report has come. Whether its receiver limits now.
    #[pyo3(signature = (
        now, receiver, rate_bps, rtt_s, *, feedback_round, have_loss = true, used_max_rtt_s = None, leave = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "a report has as many fields")]
    fn hear(
        &mut self,
        #[pyo3(from_py_with = as_now)] now: Instant,
        #[pyo3(from_py_with = as_receiver)] receiver: Address,
        rate_bps: f64,
        rtt_s: f64,
        #[pyo3(from_py_with = as_round)] feedback_round: u8,
        have_loss: bool,
        used_max_rtt_s: Option<f64>,
        leave: bool,
    ) -> PyResult<bool> {
        if !self.begun {
            return Err(PyValueError::new_err("a report has come before begin; legal is after it"));
        }
        if rtt_s.is_nan() || used_max_rtt_s.is_some_and(f64::is_nan) {
            return Ok(false);
        }
        span("rtt_s", rtt_s)?;
        used_max_rtt_s.map(|used| span("used_max_rtt_s", used)).transpose()?;
        let (have_rtt, used_rtt_s) = (used_max_rtt_s.is_none(), used_max_rtt_s.unwrap_or(rtt_s));
        self.control.advance(now);
        let feedback = Feedback {
            receiver,
            rate_bps,
            rtt_s,
            used_rtt_s,
            have_rtt,
            have_loss,
            delayed: false,
            leave,
            round: feedback_round,
        };
        Ok(self.control.hear(now, &feedback).is_some_and(|outcome| outcome.limits))
    }

    /// A receiver is to limit no longer. Whether it did.
    fn dismiss(
        &mut self,
        #[pyo3(from_py_with = as_now)] now: Instant,
        #[pyo3(from_py_with = as_receiver)] receiver: Address,
    ) -> bool {
        if self.control.clr() == Some(receiver) {
            return self.control.limiting_left(now);
        }
        self.control.other_left(receiver);
        false
    }

    /// What is due by now. Whether a feedback round has begun.
    fn expire(&mut self, #[pyo3(from_py_with = as_now)] now: Instant) -> bool {
        self.control.advance(now);
        self.control.pass(now).next_round
    }

    /// By when to call `expire`, ns.
    #[getter]
    fn deadline(&self) -> Option<u64> {
        moment(self.control.deadline())
    }

    /// The rate, bit/s.
    fn rate_bps(&mut self, #[pyo3(from_py_with = as_now)] now: Instant) -> f64 {
        self.control.advance(now);
        self.control.rate_bps()
    }

    /// The current limiting receiver.
    #[getter]
    fn clr(&self) -> Option<u32> {
        self.control.clr().map(Address::to_bits)
    }

    /// Whether slow start goes on.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.control.in_slow_start()
    }

    /// R_max, seconds.
    #[getter]
    fn max_rtt_s(&self) -> f64 {
        self.control.max_rtt_s()
    }

    /// The feedback round.
    #[getter]
    fn feedback_round(&self) -> u8 {
        self.control.round()
    }

    /// X_supp, bit/s.
    #[getter]
    fn suppression_bps(&self) -> f64 {
        self.control.suppression_bps()
    }
}
