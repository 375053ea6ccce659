"""What became of experiments: verdicts, numbers, figures; written to a folder and read back from it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, nearest
from faircast.experiment import AGREES, IDENTITY, REPORTED, Numbers, Verdict
from faircast.ledger import Ledger
from faircast.manifest import INTERRUPTED, read_manifest
from faircast.summary import finite
from faircast.viewable import Viewable

if TYPE_CHECKING:
    from faircast.display.viewer import Parts

SUMMARY = "summary.json"
"""Of every experiment, in the folder of its name."""
AGAIN = "reproduce the experiment again"
CELLS = "cells.csv"
"""Beside it, of experiments that have such a table."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The outcome of one experiment: verdict, criteria, numbers, figure."""

    id: str
    paper: str
    place: str = ""
    """Where the experiment is in the paper: ``Figure 5``."""
    title: str
    published: str = ""
    """One sentence: what the paper says."""
    verdict: str
    why: str = ""
    """Why it does not agree, one sentence; empty if it does."""
    criteria: list[Verdict]
    says: str
    """One sentence: what the figure, or the table, shows."""
    numbers: Numbers | None
    """The numbers behind the figure, if the experiment shows them."""
    figures: list[Path]
    """The files of the figure; none if there is no figure."""
    seeds: list[int]
    version: str
    """The version of faircast that made it."""
    cells: list[dict[str, Any]] | None = None
    """All numbers for machines, rows with the same columns; None if the experiment has no such table."""
    wall_s: float | None = None
    """From the start of the call to the verdict; None if the report was read."""

    @property
    def holds(self) -> bool:
        """Whether every criterion agrees (those that are only reported, or hold by construction, do not count)."""
        return all(criterion.verdict.split(" (")[0] in (AGREES, IDENTITY, REPORTED) for criterion in self.criteria)

    def to_json(self) -> dict[str, Any]:
        """The content of ``summary.json``."""
        return {
            "id": self.id,
            "paper": self.paper,
            "place": self.place,
            "title": self.title,
            "published": self.published,
            "says": self.says,
            "verdict": self.verdict,
            "why": self.why,
            "criteria": [
                {key: finite(value) if isinstance(value, float) else value for key, value in asdict(criterion).items()}
                for criterion in self.criteria
            ],
            "reps": len(self.seeds),
            "seeds": self.seeds,
            "version": self.version,
            **({} if self.numbers is None else {"numbers": self.numbers.to_json()}),
            **({} if self.cells is None else {"cells": self.cells}),
        }

    @classmethod
    def read(cls, folder: Path, files: Ledger | None = None) -> Report:
        """The report in the folder of one experiment. Raises `InputError` if there is none or it is damaged.

        It is held against the files of the folder of the reproduction, by default as that above says.
        """
        path = folder / SUMMARY
        (files or Ledger.of(folder.parent)).demand(f"{folder.name}/{SUMMARY}", again=AGAIN)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls._from_json(found, folder)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            raise InputError(f"{path} is damaged; {AGAIN}") from None

    @classmethod
    def _from_json(cls, found: Mapping[str, Any], folder: Path) -> Report:
        texts = {key: found[key] for key in ("id", "paper", "title", "verdict", "version")}
        numbers = found.get("numbers")
        # Results of earlier versions have none of these.
        texts |= {key: found.get(key, "") for key in ("place", "published", "says", "why")}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ValueError
        name = texts["id"]
        return cls(
            **texts,
            criteria=[Verdict(**criterion) for criterion in found["criteria"]],
            numbers=None if numbers is None else Numbers(**numbers),
            cells=found.get("cells"),
            figures=[path for end in ("pdf", "png") if (path := folder / f"{name}.{end}").is_file()],
            seeds=[int(seed) for seed in found["seeds"]],
        )


def without_nan(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of numbers as JSON and CSV have them: None in place of what is not finite."""
    return [{key: finite(value) if isinstance(value, float) else value for key, value in row.items()} for row in cells]


def write_cells(files: Ledger, name: str, cells: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of numbers as CSV, every digit of a number, nothing where there is none."""
    with io.StringIO(newline="") as text:
        writer = csv.DictWriter(text, list(cells[0]) if cells else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(cells)
        with files.put(name) as file:
            file.write(text.getvalue().encode())


@dataclass(frozen=True, repr=False)
class Reproduction(Viewable):
    """The outcome of the experiments of a folder, or of one call of `faircast.reproduce`."""

    folder: Path
    reports: list[Report]
    interrupted: bool
    runs: int = 0
    """Runs computed by this call."""
    found: int = 0
    """Runs that the folder held already."""
    failed: Sequence[str] = ()
    """Runs that this call gave up, each with the reason; what needs them has no report."""

    @property
    def is_whole(self) -> bool:
        """Whether all runs that were asked for are there."""
        return not self.interrupted and not self.failed

    def __getitem__(self, name: str) -> Report:
        """The report of an experiment, by its id."""
        for report in self.reports:
            if report.id == name:
                return report
        ids = [report.id for report in self.reports]
        raise KeyError(f"no report of {name}{nearest(name, ids)}; there are {', '.join(ids) or 'none'}")

    def followed_by(self, later: Reproduction) -> Reproduction:
        """The outcome of this call when it has gone on with some of its experiments: their later reports count."""
        newer = {report.id: report for report in later.reports}
        reports = [newer.get(report.id, report) for report in self.reports]
        return Reproduction(self.folder, reports, later.interrupted, self.runs + later.runs, self.found, later.failed)

    def report(self, out: str | Path | None = None) -> Path:
        """Write one HTML page of the reproduction, which opens everywhere; by default into its folder. Gives its path.

        See ``docs/report.md``. Raises `InputError` if nothing is concluded yet or the file cannot be written.
        """
        from faircast.reporting.report import write_reproduction

        return write_reproduction(self, out).path

    def __repr__(self) -> str:
        from faircast.display.reproduction import of_reproduction

        return of_reproduction(self)

    def _repr_html_(self) -> str:
        from faircast.display.reproduction import html_of_reproduction

        return html_of_reproduction(self)

    def _parts(self) -> Parts:
        from faircast.display.viewer import Parts, figure_of
        from faircast.reporting.of_experiments import document_of

        return Parts(lambda _: document_of(self), lambda: figure_of(self), True)


def read_reports(folder: str | Path) -> Reproduction:
    """Read what a reproduction has concluded so far, in the order in which it came.

    Raises `InputError` if `folder` is not that of a reproduction, or a report in it is missing or damaged.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest["kind"] != "reproduction":
        raise InputError(f"{folder} holds a {manifest['kind']}, not a reproduction")
    listed = [str(name) for name in manifest.get("experiments", [])]
    there = sorted(path.parent.name for path in folder.glob(f"*/{SUMMARY}"))  # those of a call that was killed, too
    names = list(dict.fromkeys([*listed, *there]))
    files = Ledger(folder, manifest)
    files.demand(*files.names, again=AGAIN)
    reports = [Report.read(folder / name, files) for name in names]
    return Reproduction(folder, reports, manifest.get("status") == INTERRUPTED)
