"""The document of a reproduction: of each experiment published beside measured, verdict, reason and figure."""

from __future__ import annotations

import base64
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.display.grid import ranges
from faircast.errors import InputError
from faircast.reporting.of_run import Made
from faircast.statistics import with_interval

if TYPE_CHECKING:
    from faircast.experiment import Verdict
    from faircast.report import Report, Reproduction

MOST_FIGURE_BYTES = 16_000_000
"""Of all figures of a page, as files."""


def document_of(done: Reproduction) -> Made:
    """The document. Raises `InputError` if no experiment is concluded."""
    if not done.reports:
        raise InputError(f"{done.folder} has no experiment that is concluded yet; faircast reproduce goes on with it")
    room = MOST_FIGURE_BYTES
    experiments, left_out = [], 0
    for report in done.reports:
        figure, size = figure_of(report, room)
        room -= size
        left_out += not figure and bool(report.figures)
        experiments.append(experiment_of(report, figure))
    notes = []
    if left_out:
        notes.append(f"{left_out} figures are not in the page, which would be too large; they are in {done.folder}.")
    if done.interrupted:
        notes.append("The reproduction was interrupted; the page has the experiments that are concluded.")
    return Made({"head": head_of(done, notes), "reproduction": experiments})


def figure_of(report: Report, room: int) -> tuple[str, int]:
    """The figure as an address with the picture in it, and the size of its file; empty if there is none, or no room."""
    png: Path | None = next((path for path in report.figures if path.suffix == ".png"), None)
    if png is None:
        return "", 0
    try:
        data = png.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {png}: {error.strerror}") from None
    if len(data) > room:
        return "", 0
    return f"data:image/png;base64,{base64.b64encode(data).decode()}", len(data)


def experiment_of(report: Report, figure: str) -> dict[str, Any]:
    """One experiment."""
    numbers = report.numbers
    grid = None
    if numbers is not None:
        grid = {"title": "", "columns": list(numbers.columns), "rows": [list(row) for row in numbers.rows]}
    return {
        "id": report.id,
        "paper": report.paper,
        "place": report.place,
        "title": report.title,
        "published": report.published,
        "says": report.says,
        "verdict": report.verdict,
        "why": report.why,
        "criteria": [criterion_of(one) for one in report.criteria],
        "numbers": grid,
        "note": "" if numbers is None else numbers.note,
        "figure": figure,
        "seeds": ranges(report.seeds),
        "command": command_of(report),
    }


def command_of(report: Report) -> str:
    """What reproduces one experiment again."""
    quick = ["--quick"] if report.verdict.endswith("(quick)") else []
    return shlex.join(["faircast", "reproduce", report.id, "--reps", str(len(report.seeds)), *quick])


def criterion_of(one: Verdict) -> dict[str, str]:
    """One criterion in words."""
    return {
        "name": one.name,
        "published": one.published if isinstance(one.published, str) else f"{one.published:g}",
        "measured": measured(one),
        "verdict": one.verdict,
        "rule": one.rule,
        "note": one.note,
    }


def measured(one: Verdict) -> str:
    """What was measured, with its interval."""
    if one.measured is None:
        return ""
    return with_interval(one.measured, one.ci95)


def head_of(done: Reproduction, notes: list[str]) -> dict[str, Any]:
    """What stands on top of the page and at its end."""
    reports = done.reports
    verdicts = Counter(report.verdict.split(" (")[0] for report in reports)
    papers = sorted({report.paper for report in reports})
    versions = sorted({report.version for report in reports})
    again = " && ".join(command_of(report) for report in reports)
    seeds = sorted({seed for report in reports for seed in report.seeds})
    one = len(reports) == 1
    return {
        "title": f"{reports[0].id}: {reports[0].title}"
        if one
        else f"{len(reports)} experiments of {', '.join(papers)}",
        "description": "",
        "ran": [
            f"{'An experiment' if one else f'{len(reports)} experiments'} of {', '.join(papers)} "
            f"{'was' if one else 'were'} reproduced with seeds {ranges(seeds)}."
        ],
        "came": [
            f"{verdict[0].upper()}{verdict[1:]}: {count} of {len(reports)}."
            for verdict, count in verdicts.most_common()
        ],
        "results": [],
        "warnings": [],
        "notes": notes,
        "commands": [
            {"does": "computes all of it again", "command": again},
            {"does": "prints it", "command": shlex.join(["faircast", "show", str(done.folder)])},
        ],
        "scenario": "",
        "seeds": ranges(seeds),
        "version": ", ".join(versions),
        "hash": "",
    }
