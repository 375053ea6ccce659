"""What is wanted of a run, and what was taken of it, where it was computed: the part that travels.

Tables travel as Arrow bytes. They come back as the raw columns that they were, so that files written of them have the
same bytes wherever a run was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from faircast.arrow import from_bytes, to_bytes
from faircast.scenario import Resolved
from faircast.utility.beside import with_optimum

if TYPE_CHECKING:
    from faircast._native import RawResult
    from faircast.batch import Job
    from faircast.summary import Columns

SUMMARY = "summary"


@dataclass(frozen=True)
class Effort:
    """What a run took, and how far it came."""

    simulated_s: float
    """Simulated time in seconds."""
    packet_hops: int
    """Packets that left a link."""
    events: int
    """Entries taken from the calendar."""
    cpu_s: float
    """CPU seconds of checking the scenario, building the network and running it."""
    interrupted: bool
    """Whether the run was stopped before its end."""
    trace: str | None
    """Hash of everything that happened, if the scenario asked for it."""


@dataclass
class Taken:
    """What was taken of a run."""

    columns: dict[str, Columns]
    """Tables by name."""
    effort: Effort
    warnings: list[tuple[str, str, float, str]] = field(default_factory=list)
    """What should be known about the tables: kind, subject, value, message."""
    reduced: dict[str, Any] = field(default_factory=dict)
    """What the reducing functions made of the run, by their names."""

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"columns": {name: to_bytes(columns) for name, columns in self.columns.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"columns": {name: from_bytes(data) for name, data in state["columns"].items()}}


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a run: its summary with the optimum and its warnings, and what is named here.

    It can be sent elsewhere as far as its reducing functions can.
    """

    tables: tuple[str, ...] = ()
    """Tables that are wanted besides, of those that the run has."""
    reducers: Mapping[str, Callable[[RawResult], Any]] = field(default_factory=dict)
    """Functions, by names, that make something of the whole result."""

    def take(self, job: Job, raw: RawResult, cpu_s: float) -> Taken | None:
        """Take it of a result; None of one that was interrupted."""
        if raw.interrupted:
            return None
        tables = raw.tables()
        columns = {name: tables[name] for name in self.tables if name in tables}
        columns[SUMMARY] = with_optimum(tables[SUMMARY], resolved(job.scenario))
        reduced = {name: reduce(raw) for name, reduce in self.reducers.items()}
        return Taken(columns, effort_of(raw, cpu_s), raw.warnings, reduced)


@dataclass(frozen=True)
class Everything(Wanted):
    """All tables of a run as the core gives them, without the optimum, also of a run that was interrupted."""

    def take(self, job: Job, raw: RawResult, cpu_s: float) -> Taken:  # noqa: ARG002 - as `Wanted.take`
        """Take over all that the core hands back, which keeps no tables."""
        effort = effort_of(raw, cpu_s)
        return Taken(raw.take_tables(), effort)


def effort_of(raw: RawResult, cpu_s: float) -> Effort:
    """What a run took."""
    return Effort(raw.simulated_s, raw.packet_hops, raw.events, cpu_s, raw.interrupted, raw.trace)


@lru_cache(maxsize=256)
def resolved(text: str) -> Resolved:
    """The scenario of a job; the same one for its runs with other seeds."""
    return Resolved(text)
