"""The compiled core: scenarios in, raw tables out. Use the package `faircast` around it."""

import sys
from collections.abc import Callable
from typing import Literal, TypedDict, final

__version__: str
__commit__: str | None
__lock__: str

_Links = list[tuple[str, int]]
_Demands = list[
    tuple[str, bool, bool, float | None, float | None, list[tuple[str, list[int]]], list[list[tuple[int, float]]]]
]

class _Sky(TypedDict):
    satellites: list[str]
    stations: list[tuple[str, float, float]]
    latitude: bytes
    longitude: bytes
    altitude: bytes

__all__ = [
    "CancelledError",
    "Control",
    "GuestError",
    "LossHistory",
    "Outbox",
    "Pacer",
    "Packet",
    "RateControl",
    "RawResult",
    "ReceiveRate",
    "Rtt",
    "ScenarioError",
    "Seat",
    "__commit__",
    "__lock__",
    "__version__",
    "catalogue",
    "check",
    "check_part",
    "forecast",
    "give_back",
    "loss_event_rate",
    "network_map",
    "outline",
    "paths",
    "periods",
    "register_scheme",
    "resolve",
    "run",
    "schema",
    "sky",
    "stamp_us",
    "throughput_bps",
    "toml_lines",
    "toml_to_json",
    "walk",
    "warnings",
]

if sys.platform == "linux":
    __all__ += ["cast"]

    def cast(words: list[str]) -> int: ...

class ScenarioError(ValueError):
    """The error of a scenario that is not legal. `problems` holds pairs (path, message), of one kind only the first."""

    problems: list[tuple[str, str]]
    total: int
    """How many there are."""

class CancelledError(RuntimeError):
    """A run was cancelled before its network was there: nothing has happened yet."""

class GuestError(RuntimeError):
    """A scheme that is a Python class raised something: `__cause__` is what."""

@final
class Seat:
    """What an endpoint of a scheme is told about itself."""

    @property
    def own(self) -> int:
        """Its own address."""
    @property
    def group(self) -> int:
        """The first of the session's groups; the others follow it."""
    @property
    def members(self) -> int:
        """How many members the session was set up with."""
    @property
    def line_rate_bps(self) -> int | None:
        """What the fastest link out of the node carries."""
    def random(self) -> float:
        """The next of the endpoint's own random numbers, uniform from 0 up to 1."""

@final
class Packet:
    """A packet that has come."""

    @property
    def sent(self) -> int:
        """When it was sent, by the sender's clock, ns."""
    @property
    def source(self) -> int:
        """Who sent it."""
    @property
    def destination(self) -> int:
        """Who was to get it."""
    @property
    def size(self) -> int:
        """Bytes on the wire."""
    @property
    def ecn(self) -> int:
        """Congestion bits: 0 not capable, 1 capable, 2 incipient, 3 moderate congestion."""
    @property
    def is_data(self) -> bool: ...
    @property
    def fields(self) -> bytes | None:
        """What its sender put into the header, if it was one of the same scheme."""

@final
class Outbox:
    """What an endpoint wants done."""

    def send(
        self,
        destination: int,
        size: int,
        fields: bytes | None = None,
        *,
        is_data: bool = True,
        ecn_capable: bool = False,
    ) -> None:
        """Send a packet now, with up to 31 bytes of header fields."""
    def join(self, group: int) -> None: ...
    def leave(self, group: int) -> None: ...
    def event(
        self,
        name: str,
        before: float | None = None,
        after: float | None = None,
        *,
        packet: int | None = None,
        loss: int | None = None,
        report: tuple[int, int] | None = None,
    ) -> None:
        """Tell observers of an event that the scheme declares.

        At most one cause: the number of a packet that came, of one that did not, a report (receiver, number).
        """

@final
class LossHistory:
    """The loss history of a receiver (RFC 4654, section 5). A row of losses that is an outage is one event.

    Discount factors of old intervals do not fall below `discount_threshold` (RFC 5348, section 5.5); 1: no discounting.
    """

    def __new__(cls, *, discount_threshold: float = 0.25) -> LossHistory: ...
    def arrive(
        self, now: int, sequence: int, rtt_s: float, *, first_interval: float, marked: bool = False
    ) -> Literal["duplicate", "plain", "loss", "loss event"]:
        """A packet arrives: its number, a count that does not wrap, and the receiver's round-trip time.

        `first_interval` is the interval before the first loss event, in packets from 1, and taken if this is it
        (section 5.6): one by the loss event rate at which the equation gives what was received so far. A mark counts
        as a loss. Gives what the arrival meant: of ``"loss"`` the event was known.
        """
    def measured(self, rtt_s: float, *, least_interval: float = 1.0) -> None:
        """The first round-trip time has been measured, for which another one stood: intervals follow (section 5.6)."""
    @property
    def loss_event_rate(self) -> float:
        """The loss event rate p; 0 before the first loss event (sections 5.4 and 5.5)."""
    @property
    def events(self) -> int:
        """Loss events so far."""
    @property
    def open_interval(self) -> int:
        """Packets since the last loss event began, that one included."""
    @property
    def intervals(self) -> list[float]:
        """Packets from one loss event to the next, the newest first, eight at most."""

@final
class Rtt:
    """The round-trip time of a receiver (RFC 4654, sections 4.3.2 and 4.3.3). Clocks may differ by anything."""

    def __new__(cls) -> Rtt: ...
    def measure(self, now: int, echoed_us: int, sent_us: int, *, weight: float = 0.5) -> bool:
        """A packet has come with the echo of a stamp of this receiver, and with that of its sender.

        `weight` is that of the old estimate, 0 to less than 1; 0.9 where the receiver limits. Gives whether it is the
        first measurement.
        """
    def adjust(self, now: int, sent_us: int) -> None:
        """A packet has come without such an echo: its one-way delay adjusts the estimate."""
    @property
    def value_s(self) -> float | None:
        """The round-trip time, as adjusted; None before the first measurement."""
    @property
    def smoothed_s(self) -> float | None:
        """The smoothed round-trip time, as measured; None before the first measurement."""

@final
class ReceiveRate:
    """The rate at which packets arrive (RFC 4654, section 4.3.4)."""

    def __new__(cls) -> ReceiveRate: ...
    def arrive(self, now: int, window_s: float) -> None:
        """A packet arrives; rates will be asked for over windows of up to `window_s`."""
    def packets_per_s(self, now: int, window_s: float) -> float:
        """Packets per second over about the last `window_s`; 0 before the second packet."""

@final
class Pacer:
    """Packets evenly spaced in time (RFC 4654, section 3.7). What a driver is late by 100 ms at most is made up for."""

    def __new__(cls) -> Pacer: ...
    def begin(self, now: int) -> None:
        """The first packet is due now."""
    def sent(self, now: int, gap_s: float) -> None:
        """The packet that was due has been sent; the next one is due a gap after that."""
    def follow(self, now: int, gap_s: float) -> None:
        """The gap is another one: a smaller one makes the next packet go sooner."""
    def stop(self) -> None:
        """No packet is due any more."""
    @property
    def due(self) -> int | None:
        """When the next packet is due, ns; None before the beginning and when stopped."""

@final
class RateControl:
    """The rate of a sender and its current limiting receiver, as TFMCC has them (RFC 4654, sections 3.1 to 3.4, 3.6).

    Packets have `packet_size` bytes. The rate is never above `max_rate_bps`, if that is given, and R_max is
    `initial_max_rtt_s` at first. Without slow start the rate grows by a packet per R_max each R_max from the beginning.
    """

    def __new__(
        cls,
        packet_size: int,
        *,
        max_rate_bps: float | None = None,
        initial_max_rtt_s: float = 0.5,
        slow_start: bool = True,
    ) -> RateControl: ...
    def begin(self, now: int) -> None:
        """The session begins: a packet per R_max, and the first feedback round."""
    def hear(
        self,
        now: int,
        receiver: int,
        rate_bps: float,
        rtt_s: float,
        *,
        feedback_round: int,
        have_loss: bool = True,
        used_max_rtt_s: float | None = None,
        leave: bool = False,
    ) -> bool:
        """A report has come; gives whether its receiver limits now. With a negative rate, or a NaN, it says nothing.

        `rate_bps` is what the receiver wants: by the equation, or twice what it receives as long as it has lost
        nothing. `rtt_s` is the round trip that ends with the report, as the sender's clock shows, `feedback_round`
        (0 to 255) the round that it answers. `used_max_rtt_s`: the receiver has measured no round-trip time yet, and
        its rate is by this R_max. `leave`: it is about to leave.
        """
    def dismiss(self, now: int, receiver: int) -> bool:
        """A receiver is heeded no longer, or has left: if it limited, which is given, others are asked at once."""
    def expire(self, now: int) -> bool:
        """What is due by now: silence, which halves the rate, and the next feedback round; whether one has begun."""
    @property
    def deadline(self) -> int | None:
        """By when to call `expire`, ns. It may be past."""
    def rate_bps(self, now: int) -> float:
        """The sending rate X; 0 before the beginning."""
    @property
    def clr(self) -> int | None:
        """Address of the current limiting receiver."""
    @property
    def in_slow_start(self) -> bool:
        """Whether slow start goes on: nobody has reported a loss."""
    @property
    def max_rtt_s(self) -> float:
        """R_max."""
    @property
    def feedback_round(self) -> int:
        """The feedback round, which wraps at 256."""
    @property
    def suppression_bps(self) -> float:
        """X_supp: receivers that want no less have no need to report; infinite until the round's first report."""

def throughput_bps(
    segment_bytes: float,
    rtt_s: float,
    loss_event_rate: float,
    *,
    acknowledged: float = 1.0,
    rto_s: float | None = None,
) -> float:
    """The rate of a TCP in bit/s by the throughput equation (RFC 5348, section 3.1).

    `loss_event_rate` is above 0 and at most 1; `acknowledged` is how many segments an acknowledgement is for, and
    `rto_s` the retransmission time-out, by default four round-trip times.
    """

def loss_event_rate(segment_bytes: float, rtt_s: float, rate_bps: float) -> float:
    """The loss event rate, 1e-10 to 1, at which `throughput_bps` gives a rate (RFC 5348, section 6.3.1)."""

def stamp_us(now: int) -> int:
    """A moment in ns as it goes on the wire: the low 32 bits of its microseconds."""

@final
class Control:
    """A handle by which another thread watches a call, and stops it if it is a run."""

    def __new__(cls) -> Control: ...
    def cancel(self) -> None:
        """Ask the run to stop soon; it then returns what it has."""
    def close(self, patience_s: float) -> bool:
        """Keep the thread of the call out of Python from now on: it stops for good where it would come back.

        Waits until it is not there, but no longer than so many seconds; gives whether that is so.
        """
    @property
    def progress(self) -> float:
        """Simulated share of the run, 0 to 1."""
    @property
    def exhausted(self) -> bool:
        """Whether memory failed in the call. It then never returns, and keeps what it holds.

        A call without a control ends the process when memory fails.
        """

@final
class RawResult:
    """The tables of one run as raw columns."""

    @property
    def interrupted(self) -> bool: ...
    @property
    def simulated_s(self) -> float: ...
    @property
    def packet_hops(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def trace(self) -> str | None:
        """Hash of everything that happened, if the scenario asked for it."""
    @property
    def warnings(self) -> list[tuple[str, str, float, str]]:
        """What should be known about the tables: (kind, subject, value, message)."""
    def tables(self) -> dict[str, list[tuple[str, str, bytes, list[str] | None]]]:
        """All tables: name to columns (name, kind, little-endian data, dictionary of kind ``str``)."""
    def take_tables(self) -> dict[str, list[tuple[str, str, bytes, list[str] | None]]]:
        """The same, once and with less memory: a column leaves the core when its copy is made.

        Raises `RuntimeError`, as `tables` does, if they have been taken before.
        """

def schema() -> str: ...
def toml_to_json(text: str, control: Control | None = None) -> str: ...
def toml_lines(text: str, paths: list[str]) -> list[tuple[int, int] | None]:
    """For each path the line of a TOML text on which it stands, or the table that it would be in.

    With each line the number of bytes (in UTF-8) of the path that lead there: all of them if it stands there itself.

    None for what would be in no table, and for all of them if the text is no TOML.
    """

def check(scenario_json: str) -> list[tuple[str, str]]: ...
def check_part(definition: str, part_json: str) -> list[tuple[str, str]]:
    """All problems of the form of one part of a scenario: (path, message), paths from the part.

    Raises `ValueError` if the schema has no such definition.
    """

def resolve(scenario_json: str, folder: str | None = None, control: Control | None = None) -> tuple[str, int]: ...
def paths(scenario_json: str, control: Control | None = None) -> tuple[_Links, _Demands]:
    """Links (name, bit/s or symbol/s); demands.

    Of each name, is_session, multirate, fixed and maximum rate, receivers (name, links); and for each of them, if any
    sends over links that send symbols, these with what a symbol carries.
    """

def periods(
    scenario_json: str, control: Control | None = None
) -> tuple[list[tuple[float, _Links, _Demands]], list[tuple[str, float]]] | None:
    """The measured time in periods: part of it, links, demands; receivers that are members for a part of it, and that.

    None if there are none that are known before a run, or too many.
    """

def forecast(scenario_json: str) -> float:
    """How much memory a run is expected to take, what follows it included, bytes."""

def give_back() -> None:
    """Give the system what the allocator of this process holds free."""

def network_map(scenario_json: str, seed: int) -> str:
    """The map of the network in the run with a seed, JSON: `links` as they are made, `flows` with ways of receivers."""

def sky(scenario_json: str, seed: int, times: list[float]) -> _Sky | None:
    """Where satellites are in the run with a seed, at times in seconds from its start.

    Names of `satellites` are those of their nodes; `stations` are (name, degrees north, degrees east). The others are
    little-endian single precision, all satellites at the first time, then at the next: degrees, and metres above the
    ground; NaN where a satellite is lost. None if the topology has no satellite whose place is known.
    """

def warnings(scenario_json: str, control: Control | None = None) -> list[tuple[str, str, str]]:
    """What should be known about a legal scenario before it runs: (kind, path, message)."""

def catalogue() -> dict[str, list[tuple[str, str]]]: ...
def run(scenario_json: str, seed: int, control: Control | None = None, jobs: int = 1) -> RawResult:
    """Run a scenario, one of `jobs` runs that go on at the same time in this process and share its memory.

    Raises `ScenarioError` if it may take more than its share, `CancelledError` if it is cancelled before its network is
    there, `GuestError` if a scheme that is a Python class raises something.
    """

def outline(
    scenario_json: str, seed: int, control: Control | None = None
) -> list[tuple[str, str, bytes, list[str] | None]]:
    """The columns of the summary of a run in which nothing has happened yet: which subjects and metrics it has.

    A run may have more: what has to happen first, such as the dilation of links. Raises as `run`.
    """

def walk(scenario_json: str, seed: int, until: str | None = None, control: Control | None = None) -> RawResult:
    """Let the network change as in a run, up to a time such as "100 s", without anything being sent.

    Raises `ScenarioError` also if the time is not legal, `CancelledError` as `run` does.
    """

def register_scheme(
    name: str,
    about: str,
    origin: str,
    schema: str,
    make: Callable[..., object],
    source_gauges: list[tuple[str, str, str, str]],
    member_gauges: list[tuple[str, str, str, str]],
    events: list[tuple[str, str, str]],
) -> None: ...
