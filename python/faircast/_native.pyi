"""The compiled core: scenarios in, raw tables out. Use the package `faircast` around it."""

from collections.abc import Callable
from typing import final

__version__: str
__commit__: str | None
__lock__: str

_Links = list[tuple[str, int]]
_Demands = list[tuple[str, bool, bool, float | None, float | None, list[tuple[str, list[int]]]]]

__all__ = [
    "CancelledError",
    "Control",
    "GuestError",
    "Outbox",
    "Packet",
    "RawResult",
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
    "network_map",
    "outline",
    "paths",
    "periods",
    "register_scheme",
    "resolve",
    "run",
    "schema",
    "toml_lines",
    "toml_to_json",
    "walk",
    "warnings",
]

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

def resolve(scenario_json: str, folder: str | None = None, control: Control | None = None) -> str: ...
def paths(scenario_json: str, control: Control | None = None) -> tuple[_Links, _Demands]:
    """Links (name, bit/s); demands (name, is_session, multirate, fixed and maximum rate, receivers (name, links))."""

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
