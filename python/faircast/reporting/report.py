"""From a document to its HTML file, or to what a notebook gets of it, not larger than that may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from faircast.errors import InputError
from faircast.reporting import of_experiments, of_run, of_sweep
from faircast.reporting.page import page_of, text_of, viewer
from faircast.storage import new_file
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
MOST_BYTES_IN_NOTEBOOK = 10_000_000
"""How large an output of a notebook may be: it goes from its kernel to the browser, and stays in the memory of both."""

T = TypeVar("T")


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
    content = text.encode()
    try:
        if path.exists() and not path.is_file():  # a pipe, perhaps
            path.write_bytes(content)
        else:
            with new_file(path.resolve(), is_shared=True) as file:
                file.write(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    return Written(path, len(content), list(made.document["head"]["notes"]))


def within(make: Callable[[int], Made], most: int = MOST_BYTES, values: int = VALUES) -> tuple[Made, str]:
    """A page that is not too large: its series are thinned until it is not."""

    def form(made: Made) -> str:
        return page_of(made.document, made.chunks)

    return fitting(make, form, lambda text: len(text.encode()), most, values)


class Output(NamedTuple):
    """What the viewer in a notebook gets."""

    document: str
    chunks: dict[str, bytes]


def output(make: Callable[[int], Made], most: int = MOST_BYTES_IN_NOTEBOOK, values: int = VALUES) -> Output:
    """A document for a notebook, thinned as pages are."""

    def form(made: Made) -> Output:
        return Output(text_of(made.document), {chunk.name: chunk.packed() for chunk in made.chunks})

    def size(out: Output) -> int:
        return len(out.document.encode()) + sum(map(len, out.chunks.values()))

    return fitting(make, form, size, most, values)[1]


def fitting(
    make: Callable[[int], Made], form: Callable[[Made], T], size: Callable[[T], int], most: int, values: int
) -> tuple[Made, T]:
    """A document and its form that is not too large: its series are thinned until it is not."""
    while True:
        made = make(values)
        formed = form(made)
        bytes_ = size(formed)
        if bytes_ <= most or values < LEAST_VALUES:
            return made, formed
        values = min(values // 2, int(values * 0.9 * most / bytes_))
