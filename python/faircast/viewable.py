"""What all results have in common that a notebook shows in the viewer of reports. See ``docs/notebooks.md``."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faircast.display.viewer import Parts
    from faircast.display.widget import View


class Viewable:
    """A result that a notebook shows in the viewer."""

    def view(self) -> View:
        """The viewer of reports as an output of a notebook, with a table and a picture where no script runs.

        A notebook shows a result so by itself, unless its tables are large. See ``docs/notebooks.md``. Raises
        `InputError` where ``anywidget`` is not installed (``pip install 'faircast[notebook]'``), the viewer is not
        built, or nothing of the result is finished.
        """
        from faircast.display.viewer import view_of

        return view_of(self)

    @abstractmethod
    def _repr_html_(self) -> str: ...

    @abstractmethod
    def _parts(self) -> Parts:
        """By what it is shown."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        from faircast.display.viewer import bundle_of

        return bundle_of(self)
