"""Comparisons: one of paths, with the queues that belong to them, and one of queues, on two paths.

A comparison is its columns, the axes to which ``--only`` narrows it, and how its cells are written. All its views have
the same runs and keep the same of them, so that the second one computes nothing.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, brief, nearest
from faircast.experiment import Axis, Brought, Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.side_by_side import own, runs, schemes
from faircast.experiments.side_by_side.cells import (
    LOSSES,
    OF_QUEUES,
    PATH_NAMES,
    QUICK,
    SITUATIONS,
    Situation,
    of_network,
)
from faircast.experiments.side_by_side.heat_map import Square, ordered
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.schemes import Row, given, label
from faircast.experiments.side_by_side.views import (
    SCHEME,
    TCP,
    Place,
    Quantity,
    extremes,
    is_decided,
    named,
    places,
    squares,
    text_of,
)
from faircast.looks import QUICK_REPS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One of them."""

    paper: str
    """The key under which its experiments are listed."""
    published: str
    """What others have said about it."""
    situations: tuple[Situation, ...]
    """Its columns."""
    quick: tuple[Situation, ...]
    """The columns of a quick run."""
    axes: tuple[Axis, ...]
    """What it can be narrowed to; the scheme comes first."""
    seeds: int
    """How many there are unless the caller says another number; with ``--quick`` `QUICK_REPS`."""

    def experiment(
        self,
        name: str,
        *,
        place: str,
        title: str,
        criteria: Sequence[Criterion],
        columns: Mapping[str, Quantity],
        bare: Collection[str] = (),
        rows: Sequence[Quantity],
        figure: Callable[[Data], Figure],
        says: Callable[[Data], str],
    ) -> Experiment:
        """A view of it; `columns`, and which are `bare`, is for people (see `numbers`), `rows` for machines."""
        return Experiment(
            id=name,
            paper=self.paper,
            place=place,
            title=title,
            published=self.published,
            points=self.points,
            criteria=criteria,
            numbers=partial(self.numbers, name, columns, bare=bare),
            cells=partial(self.rows, name, rows),
            figure=figure,
            says=says,
            reps=self.seeds,
            axes=self.axes,
            narrowed=self.narrowed,
        )

    def points(self, quick: bool) -> Sequence[Point]:
        """All points."""
        return self.points_of({}, quick)

    def points_of(self, values: Mapping[str, Sequence[Any]], quick: bool) -> Sequence[Point]:
        """The points of the wanted values, in the situations of a quick run with `quick`."""
        there = [*(self.quick if quick else self.situations), *self.of_networks(values.get("path", ()))]
        wanted = {axis: [as_written(value) for value in found] for axis, found in values.items()}
        situations = tuple(
            one for one in there if all(of(axis, one) in wanted[axis] for axis in wanted if axis != SCHEME.name)
        )
        known = tuple(self.axes[0].values)
        rows = tuple(values.get(SCHEME.name, known))
        # What is written elsewhere may change while a program runs.
        make = _points if set(rows) <= set(known) else _points.__wrapped__
        return make(self.paper, rows, situations)

    def of_networks(self, paths: Iterable[Any]) -> list[Situation]:
        """The situations of those among the wanted paths that are networks of the reader's own."""
        queues = tuple(QUEUES) if any(one.queue for one in self.situations) else ("",)
        return [one for path in paths if isinstance(path, Brought) for one in of_network(path, queues)]

    def narrowed(self, values: Mapping[str, Sequence[Any]]) -> Callable[[bool], Sequence[Point]]:
        """What takes the place of `points` with ``--only``.

        Raises `InputError` if two rows or two networks are called the same, or if a network of the reader's own is to
        have losses.
        """
        called: dict[str, Brought] = {}
        for network in values.get("path", ()):
            if isinstance(network, Brought) and called.setdefault(own.title(network), network) != network:
                raise InputError(
                    f"paths {brief(called[own.title(network)].file)} and {brief(network.file)}: both would be called "
                    f"{brief(own.title(network))}; a network is called after its file, so give one another name"
                )
        if called and "loss" in values and 0.0 not in values["loss"]:
            raise InputError("a network of your own says itself what it loses; leave out --only loss")
        named_by: dict[str, Row] = {}
        for scheme in values.get(SCHEME.name, ()):
            other = named_by.setdefault(label(scheme), scheme)
            if other != scheme:
                raise InputError(
                    f"schemes {brief(str(other))} and {brief(str(scheme))}: both rows would be called "
                    f"{brief(label(scheme))}; a row is called after its file, so give one of them another name"
                )
        return partial(self.points_of, values)

    def written(self, place: Place) -> dict[str, str]:
        """A cell as ``--only`` has it, by axis."""
        scheme, situation = place
        return {
            axis.name: axis.text(scheme if axis.name == SCHEME.name else of(axis.name, situation)) for axis in self.axes
        }

    def command(self, name: str, data: Data, place: Place) -> str:
        """What repeats one cell of an experiment: a command, or the call in Python if only Python knows the scheme."""
        from faircast.guest_modules import option_for
        from faircast.guests import is_class

        only = self.written(place)
        scheme = given(place[0])["scheme"]
        guest = option_for(scheme)
        if is_class(scheme) and not guest:
            more = f"{'' if self.is_usual(data) else f', reps={len(data.seeds)}'}{', quick=True' if data.quick else ''}"
            return f'faircast.reproduce("{name}", only={only}{more})'
        parts = ["faircast", *guest, "reproduce", name]
        for axis, value in only.items():
            parts += ["--only", f"{axis}='{value}'" if "," in value else f"{axis}={value}"]
        return shlex.join([*parts, *self.extent(data)])

    def is_usual(self, data: Data) -> bool:
        """Whether there are as many seeds as without ``--reps``."""
        return len(data.seeds) == (QUICK_REPS if data.quick else self.seeds)

    def extent(self, data: Data) -> list[str]:
        """The options that say how many seeds and points were taken; none if these are the usual ones."""
        return [
            *([] if self.is_usual(data) else ["--reps", str(len(data.seeds))]),
            *(["--quick"] if data.quick else []),
        ]

    def rows(self, name: str, quantities: Iterable[Quantity], data: Data) -> list[dict[str, Any]]:
        """All numbers of an experiment for machines, one in each row."""
        quantities = list(quantities)
        found = []
        for place in places(data):
            for quantity in quantities:
                value = quantity.of(data, place)
                neutral = quantity.neutral is not None and not math.isnan(value.mean)
                low, high = value.interval or (None, None)
                found.append(
                    {
                        **self.written(place),
                        "measure": quantity.name,
                        "over": quantity.over,
                        "unit": quantity.unit,
                        "value": in_words(value.mean),
                        "ci95": value.ci95,
                        "low": in_words(low),
                        "high": in_words(high),
                        "n": value.n,
                        "neutral": quantity.neutral,
                        "decided": is_decided(quantity, value) if neutral else None,
                        "reason": quantity.reason(value.mean),
                        "command": self.command(name, data, place),
                    }
                )
        return found

    def numbers(self, name: str, quantities: Mapping[str, Quantity], data: Data, *, bare: Collection[str]) -> Numbers:
        """Numbers with their intervals as a table for people, a row for each cell; `quantities` by the words above.

        Those of `bare` have no intervals, for want of room.
        """
        found = []
        for place in places(data):
            only = self.written(place)
            cells = [text_of(one.of(data, place), bare=words in bare) for words, one in quantities.items()]
            found.append([only["scheme"], " ".join(list(only.values())[1:]), *cells])
        axes = " ".join([*(f"--only {axis.name}={axis.name.upper()}" for axis in self.axes), *self.extent(data)])
        note = f"A row alone: faircast reproduce {name} {axes}; cells.csv has it written out for every row."
        where = ", ".join("TCP" if axis is TCP else axis.name for axis in self.axes[1:])
        return Numbers(columns=["scheme", where, *quantities], rows=found, note=note, whole=[where])


def of(axis: str, situation: Situation) -> Any:
    """The value that a situation has on an axis."""
    return situation.family if axis == "path" else getattr(situation, axis)


def as_written(value: Any) -> Any:
    """What situations have of a value on an axis: of a network of the reader's own its file."""
    return value.file if isinstance(value, Brought) else value


@lru_cache(maxsize=8)
def _points(paper: str, rows: tuple[Row, ...], situations: tuple[Situation, ...]) -> tuple[Point, ...]:
    return tuple(replace(point, kept_as=f"{paper} {point.key}") for point in runs.points(rows, situations))


def in_words(value: float | None) -> float | str | None:
    """A number as rows for machines have it: JSON knows none that is infinite."""
    return "inf" if value == math.inf else value


def counted(quantity: Quantity, words: tuple[str, str], about: str = "") -> list[Criterion]:
    """Criteria that judge nothing: how many cells lie below and above the neutral value, and are undecided.

    `about` tells several of an experiment apart: ``", in delay"``.
    """

    def kept(keep: Callable[[Square], bool]) -> Callable[[Data], Measured]:
        def evaluate(data: Data) -> Measured:
            found = squares(quantity, data)
            there = [place for place, one in found.items() if keep(one)]
            titles = {one.family: one.on.title for one in ordered({place[1] for place in found})}
            parts = [
                f"{title} {sum(one.family == key for _, one in there)} of {sum(one.family == key for _, one in found)}"
                for key, title in titles.items()
                if any(one.family == key for _, one in found)
            ]
            return Measured(value=len(there), note=", ".join(parts))

        return evaluate

    neutral = quantity.neutral or 0.0

    def at(sign: int) -> Callable[[Square], bool]:
        return lambda one: one.decided and sign * (one.value - neutral) > 0

    below, above = words
    return [
        Criterion(name=f"cells in which {below}{about}", published="not stated", evaluate=kept(at(-1))),
        Criterion(name=f"cells in which {above}{about}", published="not stated", evaluate=kept(at(1))),
        Criterion(
            name=f"undecided cells: the interval includes {neutral:g}{about}",
            published="not stated",
            evaluate=kept(lambda one: not one.decided),
        ),
        Criterion(
            name=f"cells without a number{about}",
            published="not stated",
            evaluate=kept(lambda one: math.isnan(one.value)),
        ),
    ]


def ranged(quantity: Quantity, name: str) -> list[Criterion]:
    """Criteria that judge nothing: the least and the greatest number of all cells, and where they are."""

    def end(which: int) -> Callable[[Data], Measured]:
        def evaluate(data: Data) -> Measured:
            ends = extremes(quantity, data)
            if ends is None:
                return Measured(value=None, note="no cell has a number")
            found = quantity.of(data, ends[which])
            return Measured(value=found.mean, ci95=found.ci95, note=named(ends[which]))

        return evaluate

    return [
        Criterion(name=f"{name}, {word} of all cells", published="not stated", evaluate=end(which))
        for which, word in enumerate(("least", "greatest"))
    ]


def paths(names: Iterable[str]) -> Axis:
    """The axis of paths: these, and networks of the reader's own."""
    there = list(dict.fromkeys(names))
    others = "or a scenario file with a network of your own, FILE.toml"

    def other(text: str) -> Brought:
        if text.endswith(own.SUFFIX):
            return own.read(text)
        named = brief(text) or "of no name"
        raise InputError(f"there is no path {named}{nearest(text, there)}; there are: {', '.join(there)}, {others}")

    about = "The network of {} is the reader's own: nothing is published of it, and nothing is judged there."
    values = {name: name for name in there}
    return Axis(name="path", values=values, other=other, others=others, holds="bottlenecks", brought=about)


ALL = Comparison(
    paper="side-by-side",
    published="No publication has these schemes on the same paths beside the same TCP.",
    situations=SITUATIONS,
    quick=QUICK,
    axes=(
        SCHEME,
        paths(PATH_NAMES),
        Axis(name="loss", values={f"{100 * loss:g}%": loss for loss in LOSSES}),
        TCP,
    ),
    seeds=10,
)
"""Ten schemes on three paths, without and with losses, beside two TCPs."""
IN_QUEUES = Comparison(
    paper="queues",
    published="No publication says what these schemes do in the queues of today.",
    situations=OF_QUEUES,
    quick=OF_QUEUES,
    axes=(
        replace(SCHEME, values={scheme: scheme for scheme in schemes.IN_QUEUES}),
        paths(one.family for one in OF_QUEUES),
        Axis(name="queue", values={queue: queue for queue in QUEUES}),
        TCP,
    ),
    seeds=10,
)
"""Ten schemes, and layer blocking by drops, in eight queues on two paths."""
