"""Schemes that are Python classes, and cores that other packages bring."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Literal

import pytest

import faircast
from faircast._native import Outbox, Packet, Seat
from faircast.batch import Job
from faircast.engine.contract import Task
from faircast.engine.taken import Everything, Taken
from faircast.engine.threads import Threads
from faircast.errors import InputError, NotFinishedError
from faircast.guests import SECOND, Bytes, Duration, Endpoint, EventKind, Gauge, Input, Rate, Scheme, schema
from faircast.results import RunResult
from faircast.scenario import Resolved

NETWORK = """
format = 1
name = "python"
duration = "10 s"

[topology]
kind = "dumbbell"
left = 2
right = 2

[flows.web]
kind = "tcp"
from = "left-1"
to = "right-1"
start_jitter = "1 s"

[sessions.film]
source = "left-0"
"""


@dataclasses.dataclass
class Ticking(Scheme):
    """A packet every so often.

    And more that is not said in a line.
    """

    source_gauges: ClassVar = (Gauge("ticks", "1", "count", "Packets sent."),)
    member_gauges: ClassVar = (Gauge("last", "1", "level", "Number of the last packet."),)
    events: ClassVar = (EventKind("round", "1", "Ten packets have been sent."),)
    version = "3"

    gap: Duration = Duration(100_000_000)
    size: Bytes = Bytes(1250)
    mood: Literal["calm", "wild"] = "calm"
    fails: str = ""

    def source(self, seat: Seat) -> Endpoint:
        if self.fails == "nothing":
            return None  # type: ignore[return-value]
        return Endpoint() if self.fails == "unfinished" else Source(self, seat)

    def member(self, seat: Seat) -> Endpoint:
        return Member(self, seat)

    def packet_bytes(self) -> int:
        return self.size

    def check(self) -> list[tuple[str, str]]:
        return [] if self.gap > 0 else [("gap", f"{self.gap} ns given; legal is more than 0 s")]


class Source(Endpoint):
    def __init__(self, config: Ticking, seat: Seat) -> None:
        if config.fails == "source":
            raise ValueError("no source today")
        self.config, self.group, self.next, self.sent = config, seat.group, None, 0
        self.rate_bps = "fast" if config.fails == "rate" else 8e9 * config.size / config.gap  # type: ignore[assignment]

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        if given == "stop":
            self.next = None
        elif given == "start" or (given == "timeout" and self.next is not None and self.next <= now):
            size = 0 if self.config.fails == "empty" else self.config.size
            out.send(self.group + (self.config.fails == "stranger"), size, bytes([self.sent % 256]))
            self.sent += 1
            self.next = now + (0 if self.config.fails == "hangs" else self.config.gap)
            if self.sent % 10 == 0:
                out.event("round", self.sent - 10, self.sent, packet=self.sent)

    def deadline(self) -> int | None:
        return "soon" if self.config.fails == "late" else self.next  # type: ignore[return-value]

    def measure(self) -> list[float]:
        return "much" if self.config.fails == "text" else [self.sent]  # type: ignore[return-value]


class Member(Endpoint):
    def __init__(self, config: Ticking, seat: Seat) -> None:
        self.config, self.group, self.last = config, seat.group, None

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        match given:
            case "start":
                (out.leave if self.config.fails == "leave" else out.join)(
                    self.group + (self.config.fails in ("join", "leave"))
                )
            case Packet(fields=bytes(fields)):
                if self.config.fails == "member" and now > 3 * SECOND:
                    self.upset()
                (self.last,) = fields

    def upset(self) -> None:
        raise KeyError("upset")

    def deadline(self) -> int | None:
        return None

    def measure(self) -> list[float | None]:
        return [self.last] * (2 if self.config.fails == "measure" else 1)


@pytest.fixture(autouse=True)
def _registered() -> None:
    faircast.register_scheme("ticking", Ticking)


def ticking(more: str = "") -> str:
    return f'{NETWORK}scheme = "ticking"\n{more}'


def test_a_class_runs_and_shows_its_gauges_and_events() -> None:
    result = faircast.run(ticking('gap = "125 ms"'))
    flows = [row for row in result.table("flows").to_pylist() if row["flow"] == "film"]
    # 8 packets of 1250 bytes a second, the first at once.
    assert [row["ticks"] for row in flows] == [9] + [8] * 9
    assert all(row["sending_bps"] == 80_000 for row in flows)
    receivers = [row for row in result.table("receivers").to_pylist() if row["receiver"] == "film-1"]
    assert [row["rate_bps"] for row in receivers[1:]] == [80_000.0] * 9
    assert receivers[-1]["last"] == 79.0
    events = [row for row in result.table("events").to_pylist() if row["event"] == "round"]
    assert [(row["before"], row["after"], row["cause"], row["cause_number"]) for row in events][:2] == [
        (0, 10, "packet", 10),
        (10, 20, "packet", 20),
    ]
    session = result.scenario.data["sessions"]["film"]
    assert session["origin"] == f"{__name__}.Ticking 3"
    assert (session["gap"], session["size"], session["mood"]) == ("125 ms", "1.25 KB", "calm")
    again = faircast.run(result.scenario)
    assert repr(again.table("flows").to_pydict()) == repr(result.table("flows").to_pydict())


def test_threads_give_what_one_gives() -> None:
    scenario = faircast.resolve(ticking())

    def table(place: int, taken: Taken) -> object:
        return RunResult.of(scenario, place, taken).table("flows").to_pydict()

    tasks = [Task(Job(scenario.json, seed), Everything()) for seed in range(6)]
    one, many = (Threads(workers).compute(tasks, table).results for workers in (1, 3))
    assert repr(one) == repr(many)
    assert repr(one[0]) != repr(one[1]), "the TCP of another seed"


@pytest.mark.parametrize(
    ("fails", "message"),
    [
        ("member", "the scheme ticking: KeyError: 'upset'"),
        ("source", "the scheme ticking: ValueError: no source today"),
        ("measure", "the scheme ticking: ValueError: measure() gives 2 values for 1 gauges"),
        ("hangs", "the scheme ticking: RuntimeError: deadline() does not leave the moment"),
        ("late", "the scheme ticking: TypeError: deadline() gives 'soon'; legal is a whole number of nanoseconds"),
        ("nothing", "the scheme ticking: TypeError: source() gives None; legal is an Endpoint"),
        ("rate", "the scheme ticking: TypeError: rate_bps gives 'fast'; legal is a number of bit/s, or None"),
        ("text", "the scheme ticking: TypeError: measure() gives 'much'; legal is a list with a number or None"),
        ("stranger", "is no group of the session; legal is seat.group"),
        ("join", "is no group of the session; legal is seat.group"),
        ("leave", "is no group of the session; legal is seat.group"),
        ("empty", "a packet of 0 bytes with 1 bytes of fields; legal is 1 to 65535, and no less than its fields"),
        ("unfinished", "the scheme ticking: NotImplementedError: Endpoint has no method handle"),
    ],
)
def test_an_error_in_a_handler_ends_the_run(fails: str, message: str) -> None:
    with pytest.raises(NotFinishedError) as caught:
        faircast.run(ticking(f'fails = "{fails}"'))
    assert str(caught.value).startswith("the run python with seed 1 failed in the scheme ticking: ")
    assert message in str(caught.value)
    assert caught.value.__cause__ is not None
    if fails == "member":
        names = []
        traceback = caught.value.__cause__.__traceback__
        while traceback is not None:
            names.append(traceback.tb_frame.f_code.co_name)
            traceback = traceback.tb_next
        assert names == ["handle", "upset"]
    # The next run of the same thread knows nothing of it.
    assert faircast.run(ticking()).table("flows").num_rows == 20


def test_wrong_parameters_are_told_with_their_paths() -> None:
    assert faircast.problems(ticking('gap = "0 s"')) == [("sessions.film.gap", "0 s given; legal is more than 0 s")]
    [(path, message)] = faircast.problems(ticking("gap = 3"))
    assert (path, message.split(":")[0]) == ("sessions.film.gap", "3 has no unit")
    [(path, message)] = faircast.problems(ticking('mood = "cal"'))
    assert path == "sessions.film.mood"
    assert "did you mean calm?" in message
    [(path, message)] = faircast.problems(NETWORK + 'scheme = "tickin"')
    assert path == "sessions.film.scheme"
    assert "did you mean ticking?" in message


def test_a_resolved_scenario_without_its_class_says_what_is_missing() -> None:
    data = faircast.resolve(ticking()).data
    data["sessions"]["film"]["scheme"] = "tickling"
    [(path, message)] = faircast.problems(data)
    assert path == "sessions.film.scheme"
    assert message.startswith(f'"tickling" is a guest from {__name__}.Ticking 3, and not here')


def test_another_version_is_another_scenario() -> None:
    before = faircast.resolve(ticking())

    class Newer(Ticking):
        version = "4"

    Newer.__qualname__ = Ticking.__qualname__
    faircast.register_scheme("ticking", dataclasses.dataclass(Newer))
    after = faircast.resolve(ticking())
    assert before.hash != after.hash
    [(path, message)] = faircast.problems(Resolved(before.json).data)
    assert path == "sessions.film.origin"
    assert "which may give other results: leave origin out" in message


def test_a_sweep_with_another_version_says_that_the_class_has_changed(tmp_path: Path) -> None:
    def sweep() -> None:
        vary = {"sessions.film.size": ["100 B", "200 B"]}
        faircast.sweep(ticking(), vary=vary, sets=["duration=2s"], reps=1, jobs=1, out=tmp_path / "folder")

    class Newer(Ticking):
        version = "4"

    Newer.__qualname__ = Ticking.__qualname__
    sweep()
    faircast.register_scheme("ticking", dataclasses.dataclass(Newer))
    with pytest.raises(InputError, match=r"a guest has changed, sessions\.film was .* 3 and is .* 4; remove"):
        sweep()


def test_what_cannot_be_registered_is_refused() -> None:
    with pytest.raises(InputError, match="there is a built-in one of that name"):
        faircast.register_scheme("tfmcc", Ticking)
    with pytest.raises(InputError, match="small letters, digits and -"):
        faircast.register_scheme("Ticking", Ticking)

    @dataclasses.dataclass
    class Late(Scheme):
        start: float = 0.0

    with pytest.raises(InputError, match="its parameter start has the name of a key"):
        faircast.register_scheme("late", Late)

    @dataclasses.dataclass
    class Listing(Scheme):
        rates: list[Rate] = dataclasses.field(default_factory=list)

    with pytest.raises(InputError, match=r"Listing.rates is of type .*; legal are float, int"):
        schema(Listing)

    for no_scheme in (Ticking(), None, Endpoint):
        with pytest.raises(InputError, match=r"legal is a subclass of faircast\.guests\.Scheme"):
            faircast.register_scheme("other", no_scheme)  # type: ignore[arg-type]

    class Undecorated(Ticking):
        extra: float = 1.0

    with pytest.raises(InputError, match=r"Undecorated\.extra would be a parameter if the class were a dataclass"):
        faircast.register_scheme("other", Undecorated)


@pytest.mark.parametrize(
    ("kind", "default", "legal"),
    [
        (Rate, -5, "a whole number of bit/s from 0"),
        (Rate, "20 kbit/s", "a whole number of bit/s from 0"),
        (Duration, 1.5e9, "a whole number of nanoseconds from 0"),
        (Bytes, True, "a whole number of bytes from 0"),
        (float, float("nan"), "a finite number"),
        (int, 1.5, "a whole number"),
        (bool, 1, "True or False"),
        (str, None, "a text"),
        (Literal["a", "b"], "c", "typing.Literal['a', 'b']"),
    ],
)
def test_an_illegal_default_is_refused_at_once(kind: object, default: object, legal: str) -> None:
    scheme = dataclasses.make_dataclass("Odd", [("value", kind, default)], bases=(Scheme,))
    with pytest.raises(InputError) as caught:
        schema(scheme)
    assert str(caught.value) == f"Odd.value: its default is {default!r}; legal is {legal}"
    fitting = {Rate: 0, Duration: 0, Bytes: 0, float: 1, int: -1, bool: True, str: ""}.get(kind, "a")
    schema(dataclasses.make_dataclass("Even", [("value", kind, fitting)], bases=(Scheme,)))


CORE = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.ExtensionFileLoader("_native", {native!r})
core = importlib.util.module_from_spec(importlib.util.spec_from_loader("_native", loader))
globals().update({{name: getattr(core, name) for name in dir(core) if not name.startswith("__")}})
__version__, MARK = {version!r}, {name!r}
"""


def package(folder: Path, name: str, core_version: str) -> None:
    """Install a package into `folder` that brings a core."""
    from faircast import _native

    module = name.replace("-", "_")
    text = CORE.format(native=_native.__file__, version=core_version, name=name)
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{module}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[faircast.core]\n{name} = {module}\n", encoding="utf-8")


def core_in_use(folder: Path, choice: str | None = None) -> str:
    """The mark of the core in use where `folder` is on the path, or the error's last line."""
    code = "import faircast; from faircast import _native; import json; print(json.dumps(getattr(_native, 'MARK', '')))"
    environment = {key: value for key, value in os.environ.items() if key != "FAIRCAST_CORE"}
    environment |= {"PYTHONPATH": str(folder)} | ({} if choice is None else {"FAIRCAST_CORE": choice})
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return str(json.loads(done.stdout)) if done.returncode == 0 else done.stderr.strip().split("\n")[-1]


def test_a_package_that_brings_a_core_takes_the_place_of_the_own_one(tmp_path: Path) -> None:
    assert core_in_use(tmp_path) == ""
    package(tmp_path, "with-guests", version("faircast"))
    assert core_in_use(tmp_path) == "with-guests"
    assert core_in_use(tmp_path, "faircast") == ""
    assert "FAIRCAST_CORE is other; there are faircast, with-guests" in core_in_use(tmp_path, "other")
    package(tmp_path, "older", "0.0.1")
    assert "several packages bring a core: older, with-guests" in core_in_use(tmp_path)
    assert core_in_use(tmp_path, "with-guests") == "with-guests"
    assert "was built with faircast 0.0.1" in core_in_use(tmp_path, "older")
