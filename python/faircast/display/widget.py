"""The viewer as a widget of Jupyter: `anywidget` brings its module and its data to the page of a notebook.

It is imported when it is needed, as `anywidget` is of the extra ``notebook``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

if TYPE_CHECKING:
    from faircast.reporting.report import Output


class View(anywidget.AnyWidget):
    """The viewer of a result in a notebook: at the end of a cell, or by ``display(view)``.

    It is a widget of `ipywidgets`, and goes wherever those go.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    document = traitlets.Unicode().tag(sync=True)
    """What the viewer shows, as JSON."""
    chunks = traitlets.Dict().tag(sync=True)
    """The columns of its tables, packed, by name; they go to the browser as bytes."""

    def __init__(self, module: str, output: Output, static: dict[str, Any]) -> None:
        super().__init__(_esm=module, document=output.document, chunks=output.chunks)
        self.static = static
        """What stands for it where no script runs, by kinds of media."""

    def bundle(self) -> dict[str, Any]:
        """What a notebook gets, by kinds of media."""
        found = super()._repr_mimebundle_()
        shown = found[0] if isinstance(found, tuple) else found
        return {**(shown or {}), **self.static}

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.bundle(), {}

    def __repr__(self) -> str:
        return f"View of {self.static['text/plain']}"
