"""What a notebook shows of a result: the viewer of reports, and a table with a picture where no script runs.

A kernel answers with all of them, and the notebook takes the best that it can show: a page that was exported has no
kernel, and takes the table with the picture. Outside a kernel there is the table alone, since a terminal asks, too.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError

if TYPE_CHECKING:
    from faircast.display.widget import View
    from faircast.plot.picture import Picture
    from faircast.report import Reproduction
    from faircast.reporting.of_run import Made
    from faircast.results import RunResult
    from faircast.viewable import Viewable

MOST_ROWS = 3_000_000
"""Rows of all tables of a run up to which it shows itself in the viewer: to read so many takes some seconds."""
MOST_POINTS = 500
"""Points of a sweep up to which it does."""
PICTURE = "image/png"


@dataclass(frozen=True)
class Parts:
    """What a kind of result is shown by."""

    document: Callable[[int], Made]
    """Makes the document, its series of not many more than so many numbers."""
    picture: Callable[[], tuple[str, bytes]]
    """Draws what stands for it: a name, and a PNG. Raises `InputError` if there is none."""
    is_light: bool
    """Whether it is shown without being asked for."""


def view_of(result: Viewable) -> View:
    """The viewer of a result. Raises `InputError` if it cannot be shown; `Viewable.view` says when."""
    if find_spec("anywidget") is None:
        raise InputError("the viewer in a notebook needs anywidget: pip install 'faircast[notebook]' brings it")
    from faircast.display.widget import View
    from faircast.reporting.page import built
    from faircast.reporting.report import output

    module = built("notebook.js")
    return View(module, output(result._parts().document), static_of(result))


def bundle_of(result: Viewable) -> dict[str, Any]:
    """What a result answers to a notebook by itself, by kinds of media; nothing outside a kernel."""
    if not in_kernel():
        return {}
    if not result._parts().is_light:
        more = "<p>It is large, and shown by <code>.view()</code>.</p>"
        return {"text/plain": repr(result), "text/html": result._repr_html_() + more}
    try:
        return view_of(result).bundle()
    except InputError:  # no anywidget, no viewer, or nothing that is finished
        return static_of(result)


def static_of(result: Viewable) -> dict[str, Any]:
    """Text, table and picture by kinds of media. The HTML has both, as a page shows one kind only."""
    found: dict[str, Any] = {"text/plain": repr(result), "text/html": result._repr_html_()}
    try:
        name, png = result._parts().picture()
    except InputError:
        return found
    picture = base64.b64encode(png).decode()
    shown = f'<img alt="Plot: {escape(name)}" style="max-width: 100%" src="data:{PICTURE};base64,{picture}">'
    return found | {"text/html": found["text/html"] + shown, PICTURE: picture}


def in_kernel() -> bool:
    """Whether a notebook asks, and not a terminal or a program."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def rows_of(result: RunResult) -> int:
    """Rows of all tables of a run."""
    return sum(result.count_rows(name) for name in result.names)


def drawn(picture: Picture) -> tuple[str, bytes]:
    """A picture as PNG."""
    return picture.name, picture._repr_png_()


def figure_of(done: Reproduction) -> tuple[str, bytes]:
    """The figure of a reproduction of one experiment; of more the table of verdicts stands for all."""
    figures = [path for report in done.reports for path in report.figures if path.suffix == ".png"]
    if len(done.reports) != 1 or not figures:
        raise InputError("there is no picture of all experiments")
    try:
        return done.reports[0].id, figures[0].read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {figures[0]}: {error.strerror}") from None
