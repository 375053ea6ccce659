"""A finished picture: shown by a notebook by itself, saved as PNG, PDF or SVG."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from faircast.errors import InputError, NotFinishedError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".pdf", ".svg")


class Picture:
    """What a plot gives: a matplotlib figure and what it takes to show and save it.

    In a notebook it shows itself. Equal data give equal files.
    """

    def __init__(self, name: str, figure: Figure) -> None:
        self.name = name
        """What files of it are called, without a suffix: ``rates``."""
        self.figure = figure
        """The matplotlib figure, to change it further."""

    def save(self, path: str | Path) -> Path:
        """Write it to a file; the suffix decides what it is: ``.png`` (300 dpi), ``.pdf`` or ``.svg``.

        Folders on the way are made. Raises `InputError` for another suffix, or if the file cannot be written.
        """
        from faircast.figures import write
        from faircast.storage import new_file

        path = Path(path)
        check_suffix(path)
        with reachable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path) as file:
                write(self.figure, file, path.suffix.lower().removeprefix("."))
        return path

    def _repr_png_(self) -> bytes:
        from faircast.figures import write

        file = io.BytesIO()
        write(self.figure, file, "png", dpi=120)
        return file.getvalue()

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"Picture({self.name!r}, {width:g} by {height:g} in; save(path) writes it, .figure is of matplotlib)"


def drawn(name: str, draw: Callable[[], Figure]) -> Picture:
    """The picture that `draw` makes, in the style of all figures."""
    from faircast.figures import style

    with style():
        return Picture(name, draw())


def check_suffix(path: Path) -> None:
    """Raise an `InputError` if no picture can be written to a file of this name."""
    if path.suffix.lower() not in SUFFIXES:
        given = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise InputError(f"{path} {given}; pictures are written as {', '.join(SUFFIXES)}")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, for instance {path / 'picture.png'}")


@contextmanager
def reachable(path: Path) -> Iterator[None]:
    """Turn a failure to write a picture into an `InputError` that says where to write instead."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NotFinishedError(f"cannot write {path}: {reason}") from None
        raise InputError(f"cannot write {path}: {reason}; choose another file with --out") from None
