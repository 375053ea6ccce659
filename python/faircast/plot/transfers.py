"""How long transfers of web traffic took: the part of them that took longer than a time, down to the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faircast import figures
from faircast.errors import InputError
from faircast.plot.frame import Frame
from faircast.plot.lines import MOST
from faircast.plot.recording import check_names, columns, has

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from faircast.plot.recording import Column


def figure(frame: Frame) -> Figure:
    """A line for each entry of web traffic; of a single one also for each of its classes of size.

    Both axes are logarithmic: what a queue costs stands in the last percents. A transfer that the run found unfinished
    ranks as slower than all that are drawn, as in the summary, so what is left where a line ends is those.
    """
    import numpy as np
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    recording, cut = frame.recording, frame.cut
    if not has(recording, "transfers"):
        raise InputError("there is nothing to draw for transfers: no flow of the scenario is web traffic, or none came")
    tables = columns(recording, "transfers", ("t_s", "flow", "class", "completion_s"))
    entries = list(recording.scenario.data["flows"])
    there = sorted({word for table in tables for word in table["flow"].words}, key=entries.index)
    check_names("entry of web traffic", cut.flows, there)
    names = [name for name in there if not cut.flows or name in cut.flows]
    span = (cut.start_s, cut.stop_s, recording.time("warmup"))
    lines: list[tuple[str, Column]] = []
    for name in names[:MOST]:
        own = completions(tables, name, span)
        lines.append((name, own))
        if len(names) == 1:
            classes = len(recording.scenario.data["flows"][name]["classes"]) + 1
            by_class = [completions(tables, name, span, number) for number in range(1, classes + 1)]
            filled = [(f"class {number}", one) for number, one in enumerate(by_class, 1) if one.size]
            lines += filled if len(filled) > 1 else []
    if not any(one.size for _, one in lines):
        raise InputError("there is nothing to draw for transfers: after the warm-up none came in this part of the run")
    if not any(np.isfinite(one).any() for _, one in lines):
        came = sum(one.size for _, one in lines[: len(lines) if len(names) > 1 else 1])
        raise InputError(f"there is nothing to draw for transfers: of {came} that came none was finished")
    (axes,) = frame.open([2.4])
    for series, (label, took) in enumerate(lines):
        draw(frame, label, took, series)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(top=1.0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time from arrival to the last acknowledgement (s)")
    axes.set_ylabel("part that took longer")
    frame.said.add("of transfers that arrived after the warm-up")
    if len(recording.seeds) > 1:
        frame.said.add("of all seeds together")
    return frame.close(has_warmup=False, over_time=False)


def completions(
    tables: Sequence[dict[str, Any]], name: str, span: tuple[float, float, float], size_class: int | None = None
) -> Column:
    """Completion times in seconds of what arrived, ascending; unfinished ones are infinite.

    `span` is from when, before when, and the end of the warm-up, seconds: what arrives at that is part of it, as in the
    summary, unless there is no warm-up.
    """
    import numpy as np

    start_s, stop_s, warmup_s = span
    found = []
    for table in tables:
        chosen = (table["flow"] == name) & (table["t_s"] >= start_s) & (table["t_s"] < stop_s)
        if warmup_s > 0:
            chosen &= table["t_s"] > warmup_s
        if size_class is not None:
            chosen &= table["class"] == size_class
        found.append(table["completion_s"][chosen])
    took = np.concatenate(found)
    return np.sort(np.where(np.isnan(took), np.inf, took))


def draw(frame: Frame, label: str, took: Column, series: int) -> None:
    """Steps down by one transfer each, the last one to the bottom; if unfinished ones are left, an arrow says so.

    Where nothing of an entry or class was finished there is no line, but what there is of it stands beside the picture
    all the same.
    """
    import numpy as np

    (axes,) = frame.panels
    finished = took[np.isfinite(took)]
    unfinished = took.size - finished.size
    colour, style = figures.COLOURS[series % len(figures.COLOURS)], figures.LINES[series % len(figures.LINES)]
    counted = f"{label} ({took.size}" + (f", {unfinished} unfinished)" if unfinished else ")")
    # Before the first all took longer. A zero has no place on a logarithmic axis, so a step to it ends at the frame.
    across = np.concatenate([finished[:1], finished])
    left = np.concatenate([np.ones(1), 1.0 - np.arange(1, finished.size + 1) / took.size])[: across.size]
    axes.step(across, left, where="post", color=colour, linestyle=style, linewidth=1.1, label=counted)
    if unfinished:
        if finished.size:
            axes.plot(finished[-1], left[-1], marker=">", color=colour, markersize=4, clip_on=False)
            frame.said.add("▸: the rest was not finished when the run ended")
        else:
            frame.said.add("of what has no line nothing was finished when the run ended")
