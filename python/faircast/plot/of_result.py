"""``result.plot``: the pictures of a result, each a method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from faircast.errors import nearest
from faircast.plot import PICTURES

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from faircast.plot.picture import Picture
    from faircast.scenario import Resolved


PARAMETERS = """
Parameters
----------
seed
    One seed only; by default all that the result has.
start, stop
    The part of the run that is shown: seconds, or texts such as ``"37 s"``.
every
    Means are taken over so long; by default over what suits the width.
flows
    Names of flows, groups of flows, sessions or receivers; by default all.
links
    Names of links; by default those that matter most.
width
    ``"page"``, 7.16 inches, or ``"column"``, 3.5 inches.
"""


class Plots:
    """The pictures of a result: ``result.plot.rates()``, ``result.plot.queue(links=["bottleneck"])``, and so on.

    Each takes the same arguments, by keyword (see ``help(result.plot.rates)``), and gives a `Picture`, which a notebook
    shows by itself and ``save(path)`` writes as PNG, PDF or SVG. ``result.plot()`` draws the one that fits best.
    """

    def __init__(
        self,
        scenario: Resolved,
        seeds: Sequence[int],
        read: Callable[[int, str], pa.Table],
        *,
        sets: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        from faircast.plot.recording import Recording

        self._recording = Recording(scenario, tuple(seeds), read, tuple(sets), folder)

    def __call__(self, **options: Any) -> Picture:
        """The picture that fits the result best: of rates if there are any."""
        from faircast.plot.draw import fitting

        return self._draw(fitting(self._recording), **options)

    def __getattr__(self, name: str) -> Callable[..., Picture]:
        if name not in PICTURES:
            raise AttributeError(f"there is no picture {name}{nearest(name, list(PICTURES))}; {known()}")

        def draw(**options: Any) -> Picture:
            return self._draw(name, **options)

        draw.__name__ = draw.__qualname__ = name
        draw.__doc__ = f"Draw {PICTURES[name]}.\n{PARAMETERS}"
        signature = inspect.signature(self._draw)
        parameters = [found for found in signature.parameters.values() if found.kind is found.KEYWORD_ONLY]
        vars(draw)["__signature__"] = signature.replace(parameters=parameters)
        return draw

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *PICTURES]

    def __repr__(self) -> str:
        return f"<pictures of {self._recording.scenario.name}: {', '.join(f'{name}()' for name in PICTURES)}>"

    def _draw(
        self,
        name: str,
        *,
        seed: int | None = None,
        start: str | float | None = None,
        stop: str | float | None = None,
        every: str | float | None = None,
        flows: Iterable[str] = (),
        links: Iterable[str] = (),
        width: str = "page",
    ) -> Picture:
        from faircast.plot.draw import picture

        return picture(
            self._recording,
            name,
            seed=seed,
            start=start,
            stop=stop,
            every=every,
            flows=[flows] if isinstance(flows, str) else flows,
            links=[links] if isinstance(links, str) else links,
            width=width,
        )


def known() -> str:
    """The pictures there are, for a message."""
    return f"there are: {', '.join(PICTURES)}"
