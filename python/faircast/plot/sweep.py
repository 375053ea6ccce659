"""A sweep over what it varies: means with intervals along one varied path, a line for each value of another."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from faircast import figures
from faircast.errors import InputError, brief, nearest
from faircast.metrics import SHOWN, Metric, headline_metrics
from faircast.plot.frame import QUIET, WIDTHS, rate_unit, time_unit, titled, wrapped
from faircast.plot.lines import MOST
from faircast.plot.picture import Picture, drawn
from faircast.quantity import on_one_scale
from faircast.statistics import Estimate, estimate, scaled
from faircast.vary import as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.sweep_folder import SweepPoint
    from faircast.sweeps import SweepResult

MOST_PANELS = 6
PANEL_IN = 1.75
DECADES = 50
"""Values of x of which the largest is so many times the smallest stand on a logarithmic axis."""


@dataclass(frozen=True)
class Panel:
    """One panel: metrics of one unit at points with the same values of all paths but those of x and series."""

    metrics: tuple[Metric, ...]
    fixed: Mapping[str, Any]
    """Values of the paths that tell panels apart."""


@dataclass(frozen=True)
class Axis:
    """The values along x and where they stand."""

    path: str
    values: list[Any]
    places: list[float]
    unit: str
    is_number: bool


def picture_of(
    result: SweepResult, metrics: Sequence[str], *, x: str | None = None, series: str | None = None, width: str = "page"
) -> Picture:
    """Draw metrics of a sweep, each given as ``SUBJECT/METRIC``; without any the rates of sessions and flows.

    Raises `InputError` for metrics and paths that there are not, or if it is not clear how to draw so many paths.
    """
    if width not in WIDTHS:
        raise InputError(f"the width is {width}; legal are {' and '.join(WIDTHS)}")
    if not result.metrics:
        raise InputError(f"{result.folder} has no finished run yet; faircast sweep {result.folder} goes on with it")
    wanted = [parsed(result, text) for text in dict.fromkeys(metrics)] or usual(result)
    across = axis_of(result, x)
    apart, others = (None, []) if is_cloud(result, series) else paths_of(result, across.path, series)
    panels = panels_of(result, wanted, apart, others)
    name = "-".join(["-".join(key) for key in wanted] if metrics else ["rates"])
    return drawn(name, lambda: figure_of(result, across, apart, panels, width))


def is_cloud(result: SweepResult, series: str | None) -> bool:
    """Whether points are dots over one of the paths, as they were drawn or tried one by one.

    Then no two of them differ in one path only.
    """
    return series is None and (result.design is not None or result.tuned is not None)


def parsed(result: SweepResult, text: str) -> Metric:
    """``video/rate`` as subject and metric, if the sweep has it."""
    subject, slash, metric = text.rpartition("/")
    if not slash or not subject or not metric:
        subjects = list(dict.fromkeys(subject for subject, _ in result.metrics))
        of = [metric for subject, metric in result.metrics if subject == text]
        there = f"metrics of {text} are {', '.join(of)}" if of else f"subjects are {', '.join(subjects[:12])}"
        raise InputError(
            f"{brief(text)} is no metric of a sweep{'' if of else nearest(text, subjects)}: write SUBJECT/METRIC, "
            f"such as {'/'.join(usual(result)[0])}; {there}"
        )
    result.check(subject, metric)
    return subject, metric


def usual(result: SweepResult) -> list[Metric]:
    """What a sweep is about unless said: the rates of its sessions and flows, as many as the table on screen has."""
    return headline_metrics([point.scenario for point in result.points], result.metrics)[:SHOWN] or result.metrics[:1]


def axis_of(result: SweepResult, x: str | None) -> Axis:
    """The path along x: the one that is asked for, otherwise that with most values that are numbers, or with most."""
    values = {path: distinct(result, path) for path in result.varied}
    if x is None:
        numeric = [path for path in result.varied if on_one_scale(values[path]) is not None]
        several = [path for path in numeric if len(values[path]) > 1]
        path = max(several or numeric or result.varied, key=lambda path: len(values[path]))
    else:
        path = result.path(x)
    scale = on_one_scale(values[path])
    if scale is None:
        return Axis(path, values[path], [float(i) for i in range(len(values[path]))], "", is_number=False)
    return Axis(path, values[path], *scale, is_number=True)


def paths_of(result: SweepResult, x: str, series: str | None) -> tuple[str | None, list[str]]:
    """The path that tells lines apart, and those that tell panels apart."""
    left = [path for path in result.varied if path != x and len(distinct(result, path)) > 1]
    if series is None:
        apart = min(
            left, key=lambda path: (len(distinct(result, path)) > MOST, result.varied.index(path)), default=None
        )
    else:
        apart = result.path(series)
        if apart == x:
            raise InputError(f"--x and --series are both {x}; lines are told apart by another path")
    if apart is not None and len(distinct(result, apart)) > MOST:
        raise InputError(
            f"{apart} has {len(distinct(result, apart))} values, and {MOST} lines can be told apart; "
            f"choose another path with --series, or draw {apart} with --x"
        )
    return apart, [path for path in left if path != apart]


def panels_of(result: SweepResult, metrics: Sequence[Metric], apart: str | None, others: Sequence[str]) -> list[Panel]:
    """One panel for each metric and each combination of the other paths; without series metrics of a unit share one."""
    fixed = [dict(zip(others, values, strict=True)) for values in product(*(distinct(result, p) for p in others))]
    together: list[tuple[Metric, ...]] = [(metric,) for metric in metrics]
    if apart is None:
        by_unit: dict[str, list[Metric]] = {}
        for metric in metrics:
            by_unit.setdefault(result.unit(*metric), []).append(metric)
        together = [tuple(found[i : i + MOST]) for found in by_unit.values() for i in range(0, len(found), MOST)]
    panels = [Panel(metrics, values) for values in fixed for metrics in together]
    shown = [panel for panel in panels if any(matches(point, panel.fixed) for point in result.points)]
    if len(shown) > MOST_PANELS:
        raise InputError(
            f"that would be {len(shown)} panels, and {MOST_PANELS} have room: "
            + (f"{', '.join(others)} vary besides; " if others else "")
            + "choose fewer metrics, or other paths with --x and --series"
        )
    return shown


def figure_of(result: SweepResult, across: Axis, apart: str | None, panels: Sequence[Panel], width: str) -> Figure:
    """All panels, one above the other."""
    from matplotlib.figure import Figure as Made

    height = (PANEL_IN if len(panels) > 1 else 2.2) * len(panels) + 0.7
    figure, made = figures.panels(len(panels), 1, width=WIDTHS[width], height=height, sharex=True, squeeze=False)
    assert isinstance(figure, Made)
    drew_optimum = False
    for number, (axes, panel) in enumerate(zip(made[:, 0], panels, strict=True)):
        drew_optimum |= fill(axes, result, across, apart, panel)
        if number == 0 or apart is None:
            legend(axes, apart, width)
    ticks(made[-1, 0], across)
    label = f"{across.path} ({across.unit})" if across.unit else across.path
    made[-1, 0].set_xlabel(label)
    figure.align_ylabels(list(made[:, 0]))
    done = sorted({len(result.runs(point)) for point in result.points})
    which = f"{done[-1]} seed{'' if done[-1] == 1 else 's'}" if len(done) == 1 else f"{done[0]} to {done[-1]} seeds"
    single = [f"{p}={shown_as(distinct(result, p)[0])}" for p in result.varied if len(distinct(result, p)) == 1]
    constant = [text for text in single if not text.startswith(f"{across.path}=")]
    figure.suptitle(
        titled(result.name, [*result.sets, *constant], which, width), x=0.01, ha="left", fontsize=8, fontweight="bold"
    )
    notes = ["bars: 95 % interval over the seeds" if done[-1] > 1 else "one seed, thus no interval"]
    notes += ["thin: the optimum"] if drew_optimum else []
    notes += ["other paths vary besides"] if is_cloud(result, apart) and len(result.varied) > 1 else []
    notes += ["some runs are missing"] if result.missing else []
    left_out = sum(gaps(result, panel) for panel in panels)
    if left_out:
        notes.append(f"{left_out} value{'s are' if left_out > 1 else ' is'} absent or not finite")
    figure.supxlabel(wrapped("; ".join(notes), 62), x=0.01, ha="left", fontsize=6.5, color=QUIET)
    return figure


def fill(axes: Axes, result: SweepResult, across: Axis, apart: str | None, panel: Panel) -> bool:
    """Draw the lines of a panel; whether there was an optimum to draw."""
    values = distinct(result, apart) if apart is not None else [None]
    names = [wrapped(shown_as(value), 28) for value in values] if apart is not None else []
    found: list[tuple[str, list[float], list[Estimate], list[float]]] = []
    for metric in panel.metrics:
        for place, value in enumerate(values):
            where = {**panel.fixed, **({} if apart is None else {apart: value})}
            line = measured(result, across, where, metric)
            found.append((names[place] if names else " ".join(said(metric)), *line))
    unit = result.unit(*panel.metrics[0])
    highest = max((item.mean + (item.ci95 or 0) for _, _, items, _ in found for item in items), default=0.0)
    scale, shown = {"bit/s": rate_unit, "s": time_unit}.get(unit, lambda _: (1.0, "" if unit == "1" else unit))(highest)
    best = {tuple(zip(x, optimum, strict=True)) for _, x, _, optimum in found}
    alike = len(best) == 1 and len(found) > 1
    drew = False
    for look, (name, x, items, optimum) in enumerate(found):
        aside = 0.0 if across.is_number else (look - (len(found) - 1) / 2) * 0.6 / max(len(found), 4)
        shifted = [place + aside for place in x]
        figures.curve(
            axes,
            shifted,
            [scaled(item, 1 / scale) for item in items],
            label=name,
            series=look,
            joined=across.is_number and not is_cloud(result, apart),
        )
        if not all(map(math.isnan, optimum)) and not is_cloud(result, apart) and not (alike and look):
            drew = True
            heights = [value / scale for value in optimum]
            thin: Any = {"color": "black" if alike else figures.COLOURS[look % MOST], "linewidth": 0.7}
            if across.is_number:
                axes.plot(shifted, heights, **thin)
            else:
                half = 0.4 if alike else 0.1
                middle = x if alike else shifted
                axes.hlines(heights, [at - half for at in middle], [at + half for at in middle], **thin)
    texts = [" ".join(said(metric)) for metric in panel.metrics]
    what = texts[0] if len(texts) == 1 else common(panel.metrics)
    axes.set_ylabel(f"{what}\n({shown})" if shown else what)
    if panel.fixed:
        fixed = ", ".join(f"{path} = {shown_as(value)}" for path, value in panel.fixed.items())
        axes.set_title(fixed, loc="left", fontsize=7)
    bottom = min((item.mean - (item.ci95 or 0) for _, _, items, _ in found for item in items), default=0.0)
    if bottom >= 0 or all(item.low >= 0 for _, _, items, _ in found for item in items):
        axes.set_ylim(0, max(axes.get_ylim()[1], 1.08 * highest / scale))
    return drew


def measured(
    result: SweepResult, across: Axis, where: Mapping[str, Any], metric: Metric
) -> tuple[list[float], list[Estimate], list[float]]:
    """Of the points with some values, in the order of x: where they stand, what was measured, the optimum."""
    found = []
    for point in result.points:
        if not matches(point, where):
            continue
        runs = result.runs(point)
        item = result.estimate(point, *metric)
        if item.n and math.isfinite(item.mean):
            best = estimate([run.optimum.get(metric, math.nan) for run in runs.values()]).mean
            place = across.places[index(across.values, point.values[across.path])]
            found.append((place, item, best))
    found.sort(key=lambda item: item[0])
    return [place for place, _, _ in found], [item for _, item, _ in found], [best for _, _, best in found]


def gaps(result: SweepResult, panel: Panel) -> int:
    """How many points of a panel are finished and have no value that can be drawn."""
    finished = [point for point in result.points if matches(point, panel.fixed) and result.runs(point)]
    items = [result.estimate(point, *metric) for point in finished for metric in panel.metrics]
    return sum(not item.n or not math.isfinite(item.mean) for item in items)


def ticks(axes: Axes, across: Axis) -> None:
    """Where x has its ticks, and what stands at them."""
    from matplotlib.ticker import NullLocator

    if not across.is_number:
        texts = [wrapped(shown_as(value), max(12, 72 // len(across.values))) for value in across.values]
        axes.set_xticks(
            across.places, texts, rotation=30 if len(texts) > 6 else 0, ha="right" if len(texts) > 6 else "center"
        )
        axes.set_xlim(min(across.places) - 0.5, max(across.places) + 0.5)
        return
    places = sorted(set(across.places))
    if len(places) > 2 and places[0] > 0 and places[-1] / places[0] >= DECADES:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    if len(places) <= 9:
        axes.set_xticks(places, [f"{place:g}" for place in places])


def legend(axes: Axes, apart: str | None, width: str) -> None:
    """Outside the data; not at all where there is one line and nothing to tell apart."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) < 2:
        return
    title = None if apart is None else apart if len(apart) <= 30 else ".." + apart[-28:]
    if width == "page":
        axes.legend(handles, labels, title=title, loc="upper left", bbox_to_anchor=(1.0, 1.03), alignment="left")
    else:
        columns = max(1, min(3, int(50 / (max(map(len, labels)) + 8))))
        axes.legend(
            handles, labels, title=title, loc="lower left", bbox_to_anchor=(0, 1.02), ncols=columns, alignment="left"
        )


def said(metric: Metric) -> tuple[str, str]:
    """A metric in words."""
    return metric[0], metric[1].replace("_", " ")


def common(metrics: Sequence[Metric]) -> str:
    """What metrics of one panel have in common: the metric or the subject."""
    names = {name for _, name in map(said, metrics)}
    subjects = {subject for subject, _ in metrics}
    return names.pop() if len(names) == 1 else subjects.pop() if len(subjects) == 1 else "value"


def distinct(result: SweepResult, path: str) -> list[Any]:
    """The values of a path, each once, in the order of the points; numbers in rising order."""
    found = {as_key(point.values[path]): point.values[path] for point in result.points}
    values = list(found.values())
    scale = on_one_scale(values)
    if scale is None:
        return values
    return [value for _, value in sorted(zip(scale[0], values, strict=True), key=lambda pair: pair[0])]


def matches(point: SweepPoint, where: Mapping[str, Any]) -> bool:
    """Whether a point has these values."""
    return all(as_key(point.values[path]) == as_key(value) for path, value in where.items())


def index(values: Sequence[Any], value: Any) -> int:
    """Where a value stands."""
    return [as_key(one) for one in values].index(as_key(value))


def shown_as(value: Any) -> str:
    """A value in a picture; a table without its braces: ``red, limit 60 packets``."""
    if not isinstance(value, Mapping):
        return as_text(value)
    rest = [f"{key} {shown_as(item)}" for key, item in value.items() if key != "kind"]
    return ", ".join([str(value["kind"]), *rest] if "kind" in value else rest)


def as_key(value: Any) -> str:
    """Equal for equal values, whatever they are."""
    return json.dumps(value, sort_keys=True)
