"""Warnings: a scenario is legal and its runs went well, but their results may say something else than one thinks.

The core finds them: those that follow from the scenario alone before a run, the others after it, in the table
``warnings`` of the run. Here they are put together over seeds, with those that only several seeds can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircast import _native, undecided
from faircast.background import called
from faircast.scenario import Resolved

FILE = "warnings.parquet"
SUMMARY = "summary.parquet"
COLUMNS = ("kind", "subject", "value", "message")

Found = tuple[str, str, float, str]
"""Kind, subject, value and message, as the core and its table give them."""


@dataclass(frozen=True)
class Known:
    """What is known before a run."""

    kind: str
    path: str
    """The key of the scenario that it follows from."""
    message: str

    def to_json(self) -> dict[str, Any]:
        """The warning as plain values for JSON."""
        return {"kind": self.kind, "path": self.path, "message": self.message}


@dataclass(frozen=True)
class Merged:
    """What some runs of one scenario say of one subject."""

    kind: str
    subject: str
    value: float
    """The largest of all seeds."""
    message: str
    """The one that belongs to it."""
    seeds: list[int]
    """The seeds in which it came up."""

    def to_json(self) -> dict[str, Any]:
        """The warning as plain values for JSON."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "value": self.value,
            "message": self.message,
            "seeds": self.seeds,
        }


def known(scenario: Resolved) -> list[Known]:
    """What is to be known of a scenario, whatever its runs give."""
    return [Known(*item) for item in called(lambda control: _native.warnings(scenario.json, control))]


def merged(by_seed: Mapping[int, Iterable[Found]]) -> list[Merged]:
    """One entry per kind and subject, in the order of the lowest seed that has them."""
    found: dict[tuple[str, str], Merged] = {}
    for seed in sorted(by_seed):
        for kind, subject, value, message in by_seed[seed]:
            before = found.get((kind, subject))
            if before is None:
                found[kind, subject] = Merged(kind, subject, value, message, [seed])
                continue
            worst = (value, message) if value > before.value else (before.value, before.message)
            found[kind, subject] = Merged(kind, subject, *worst, [*before.seeds, seed])
    return list(found.values())


def of_folder(seeds: Mapping[int, Path]) -> list[Merged]:
    """The warnings of the runs in a folder, given the folders of its seeds, and what these seeds do not tell apart."""
    return [*merged({seed: read(path / FILE) for seed, path in seeds.items()}), *not_told_apart(seeds)]


def not_told_apart(seeds: Mapping[int, Path]) -> list[Merged]:
    """Which subjects of a scenario its seeds do not tell apart, given their folders; none of fewer than two."""
    from faircast.results import summary_of_table
    from faircast.stored import StoredSeed

    stored = {seed: StoredSeed(path) for seed, path in sorted(seeds.items()) if (path / SUMMARY).exists()}
    if len(stored) < 2:
        return []
    scenario = next(iter(stored.values())).origin.scenario.data
    if next(undecided.pairs_of(scenario), None) is None:
        return []
    found = undecided.in_runs(scenario, {seed: summary_of_table(one.read("summary")) for seed, one in stored.items()})
    return [
        Merged(undecided.KIND, ", ".join(item.names), abs(item.difference.mean), item.message, list(stored))
        for item in found
    ]


def read(path: Path) -> list[Found]:
    """The warnings of one run; none if it has no such table."""
    from faircast.ledger import Ledger
    from faircast.parquet import read_table
    from faircast.stored import AGAIN

    Ledger.of(path.parent).demand(path.name, again=AGAIN)
    if not path.exists():
        return []
    table = read_table(path)
    return list(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True))


def lines(warnings: Sequence[Merged], seeds: int, most: int = 5) -> list[str]:
    """What is shown on screen: at most so many of each kind."""
    shown: list[str] = []
    by_kind: dict[str, list[Merged]] = {}
    for warning in warnings:
        by_kind.setdefault(warning.kind, []).append(warning)
    for kind, several in by_kind.items():
        for warning in several[:most]:
            where = f" (in {len(warning.seeds)} of {seeds} seeds, the worst is shown)"
            over_seeds = seeds > 1 and kind != undecided.KIND
            shown.append(f"{warning.message}{where if over_seeds else ''}")
        if len(several) > most:
            shown.append(f"{len(several) - most} more of the kind {kind}; --json lists them all")
    return shown
