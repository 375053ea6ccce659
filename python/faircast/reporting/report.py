"""From a document to its HTML file, not larger than a page may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from faircast.errors import InputError
from faircast.reporting import of_experiments, of_run, of_sweep
from faircast.reporting.page import page_of, viewer
from faircast.workplace import safe

if TYPE_CHECKING:
    from faircast.report import Reproduction
    from faircast.reporting.of_run import Made, Subject
    from faircast.sweeps import SweepResult

NAME = "report.html"
"""Of the page in the folder of a result, unless said otherwise."""
MOST_BYTES = 25_000_000
"""How large a page may be."""
VALUES = 3_000_000
"""Numbers of all series in the first attempt; a page that becomes too large is made again with fewer."""
LEAST_VALUES = 20_000


class Written(NamedTuple):
    """A page that was written."""

    path: Path
    bytes: int
    notes: list[str]
    """What the page says of itself: what was thinned, left out or is not finished."""


def write_run(subject: Subject, out: str | Path | None = None) -> Written:
    """Write the page of a run; by default into its folder, or into the present one for what is in memory.

    Raises `InputError` if the viewer is not built or the file cannot be written; so do the others here.
    """
    return write(lambda values: of_run.document_of(subject, values), subject.folder, out)


def write_sweep(result: SweepResult, out: str | Path | None = None) -> Written:
    """Write the page of a sweep."""
    return write(lambda _: of_sweep.document_of(result), result.folder, out)


def write_reproduction(done: Reproduction, out: str | Path | None = None) -> Written:
    """Write the page of a reproduction."""
    return write(lambda _: of_experiments.document_of(done), done.folder, out)


def write(make: Callable[[int], Made], folder: Path | None, out: str | Path | None) -> Written:
    """Make a document with series of so many values, and write its page."""
    viewer()  # before anything is read
    made, text = within(make)
    if out is not None:
        path = Path(out)
    elif folder is not None:
        path = folder / NAME
    else:
        path = Path(f"{safe(made.document['head']['title'])}-{NAME}")
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    return Written(path, path.stat().st_size, list(made.document["head"]["notes"]))


def within(make: Callable[[int], Made], most: int = MOST_BYTES, values: int = VALUES) -> tuple[Made, str]:
    """A page that is not too large: its series are thinned until it is not."""
    while True:
        made = make(values)
        text = page_of(made.document, made.chunks)
        size = len(text.encode())
        if size <= most or values < LEAST_VALUES:
            return made, text
        values = min(values // 2, int(values * 0.9 * most / size))
