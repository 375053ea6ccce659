"""x-start: what a start that doubles costs an established TCP, beside what a CUBIC that starts costs it.

A Reno or a CUBIC, as Linux has them, is alone at a bottleneck; then a session starts, a CUBIC with an initial window of
ten segments, or nobody. Cost is what the established TCP gets less than with nobody, in the first 10 and 30 s, as a
part of what the link carries in that time; a session that had its fair share at once would cost a half. Runs with one
seed are alike up to the start, so costs are compared in pairs. A session measures round-trip times for some two seconds
before it doubles; `LATER` counts from there on, which no criterion judges.

How long a start takes that is alone is looked at as well, at the same link and over a geostationary hop.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.checks.start_network import (
    COUNTED_S,
    CUBIC,
    DOUBLING,
    ESTABLISHED,
    GEO,
    LETTER,
    NEW,
    NOBODY,
    OLD,
    OMCC,
    PATHS,
    QUEUES,
    STARTERS,
    STEP_S,
    Case,
    alone,
    beside,
    courses,
)
from faircast.figures import PAGE_IN, curve, panels, trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

WINDOWS: dict[str, tuple[int, int]] = {"the first 10 s": (0, 10), "the first 30 s": (0, COUNTED_S)}
"""From when to when it is counted, seconds after the start."""
LATER = (2, 12)
"""Ten seconds from about when a session begins to double."""
NEAR = {"link": (PATHS["slow"], 60), "geo": (GEO, 60)}
"""Where one starts alone, and for how many seconds that is looked at."""
ALONE = (CUBIC, DOUBLING, LETTER)
NINE_TENTHS_S, TWENTY_MB_S = 3.0, 30.0
OVER_S = 0.5
"""Over what time a rate is taken."""
FILE_B = 20e6
SEEDS = 20
"""What a start costs goes by where in its sawtooth it meets the other; ten seeds leave half of it undecided."""


def starters(path: str) -> list[str]:
    """Who starts on a path: OMCC with one receiver starts as TFMCC does, and is looked at on one of them."""
    return [starter for starter in STARTERS if path == "slow" or starter != OMCC]


def points(quick: bool) -> list[Point]:
    """Every path, queue, established TCP and starter, and those that are alone; of ``--quick`` one path."""
    cases = [
        Case(path=path, queue=queue, beside=old, starter=starter)
        for path in (("slow",) if quick else PATHS)
        for queue in QUEUES
        for old in ESTABLISHED
        for starter in starters(path)
    ]
    lone = [
        Point(key=(where, starter), scenario=alone(path, starter, duration_s), reduce=courses, kept_as="courses")
        for where, (path, duration_s) in NEAR.items()
        for starter in ALONE
    ]
    return [*(Point(key=case, scenario=beside(case), reduce=courses, kept_as="courses") for case in cases), *lone]


def got(data: Data, case: Case, window: tuple[int, int], seed: int, who: str = OLD) -> float:
    """What a flow got in a time after the start, as a part of what the link carries, %."""
    path = PATHS[case.path]
    begin, end = (path.start_s + second for second in window)
    return 100 * float(np.mean(data.reduced(case, seed)[who][begin:end])) / (1e6 * path.mbps)


def cost(data: Data, case: Case, window: tuple[int, int]) -> Estimate:
    """What the established TCP gets less than with nobody that starts, % of what the link carries."""
    free = Case(path=case.path, queue=case.queue, beside=case.beside, starter=NOBODY)
    return data.over_seeds(lambda seed: got(data, free, window, seed) - got(data, case, window, seed))


def extra(data: Data, case: Case, window: tuple[int, int]) -> Estimate:
    """What a start costs more than a CUBIC's does there, % of what the link carries."""
    usual = Case(path=case.path, queue=case.queue, beside=case.beside, starter=CUBIC)
    return data.over_seeds(lambda seed: got(data, usual, window, seed) - got(data, case, window, seed))


def worst(path: str, old: str, starter: str, window: tuple[int, int], data: Data) -> Measured:
    """What a start costs more than a CUBIC's, in the queue where that is most."""
    cases = [Case(path=path, queue=queue, beside=old, starter=starter) for queue in QUEUES]
    cases = [case for case in cases if case in data.points]
    if not cases:
        return Measured(value=None, judged=False, note="these runs are left out")
    found = {case: extra(data, case, window) for case in cases}
    most = max(found, key=lambda case: found[case].mean)
    others = ", ".join(f"{case.queue} {found[case]}" for case in cases if case != most)
    usual = Case(path=path, queue=most.queue, beside=old, starter=CUBIC)
    return Measured.of(
        found[most],
        note=f"most with {most.queue}, where it costs {cost(data, most, window)} and CUBIC "
        f"{cost(data, usual, window)}; {others}",
    )


def seconds_to_nine_tenths(data: Data, key: Any, seed: int) -> float:
    """When one that is alone has got nine tenths of the link over half a second for the first time."""
    path, _ = NEAR[key[0]]
    steps = round(OVER_S / STEP_S)
    means = np.convolve(data.reduced(key, seed)[NEW], np.full(steps, 1 / steps), "valid")
    above = np.nonzero(means >= 0.9e6 * path.mbps)[0]
    return STEP_S * (float(above[0]) + steps) if len(above) else math.inf


def seconds_until_it_stays(data: Data, key: Any, seed: int) -> float:
    """From when on one that is alone has nine tenths of the link over every half second."""
    path, duration_s = NEAR[key[0]]
    steps = round(OVER_S / STEP_S)
    means = np.convolve(data.reduced(key, seed)[NEW], np.full(steps, 1 / steps), "valid")
    below = np.nonzero(means < 0.9e6 * path.mbps)[0]
    stays_s = STEP_S * (float(below[-1]) + 1 + steps) if len(below) else OVER_S
    return stays_s if stays_s <= duration_s else math.inf


def seconds_of_file(data: Data, key: Any, seed: int) -> float:
    """When one that is alone has got 20 MB."""
    done = np.nonzero(np.cumsum(data.reduced(key, seed)[NEW]) * STEP_S / 8 >= FILE_B)[0]
    return STEP_S * (float(done[0]) + 1) if len(done) else math.inf


def for_good(data: Data) -> Measured:
    """From when on a start that doubles keeps what it has found, the longest of all seeds."""
    means = {starter: data.over_seeds(partial(seconds_until_it_stays, data, ("link", starter))) for starter in ALONE}
    others = ", ".join(f"{STARTERS[starter]} {found}" for starter, found in means.items())
    return Measured(value=means[DOUBLING].high, note=f"the longest of all seeds; means {others}")


TIMES = {"link": seconds_to_nine_tenths, "geo": seconds_of_file}


def latest(where: str, data: Data) -> Measured:
    """How long a start that doubles takes alone, the longest of all seeds."""
    found = {starter: data.over_seeds(partial(TIMES[where], data, (where, starter))) for starter in ALONE}
    others = ", ".join(f"{STARTERS[starter]} {found[starter]}" for starter in ALONE)
    return Measured(value=found[DOUBLING].high, note=f"the longest of all seeds; means {others}")


def numbers(data: Data) -> Numbers:
    """What every start costs, by path, queue and established TCP, and what it gets itself."""
    spans = [*WINDOWS.values(), LATER]
    rows = [
        [
            f"{PATHS[case.path].title}, {case.queue}",
            ESTABLISHED[case.beside],
            STARTERS[case.starter],
            *(str(cost(data, case, window)) for window in spans),
            *(str(extra(data, case, window)) if case.starter != CUBIC else "" for window in spans),
            str(data.over_seeds(partial(got_by_new, data, case))),
        ]
        for case in there(data)
        if case.starter != NOBODY
    ]
    words = [*WINDOWS, f"{LATER[0]} to {LATER[1]} s"]
    return Numbers(
        columns=[
            "path, queue",
            "established",
            "starter",
            *(f"cost in {word}, %" for word in words),
            *(f"beyond CUBIC's in {word}, %" for word in words),
            "starter gets in 30 s, %",
        ],
        rows=rows,
        whole=["established", "starter"],
        note="All are parts of what the link carries in that time.",
    )


def got_by_new(data: Data, case: Case, seed: int) -> float:
    """What the one that starts got, as a part of what the link carries in 30 s, %."""
    return got(data, case, (0, COUNTED_S), seed, NEW)


def cells(data: Data) -> list[Mapping[str, Any]]:
    """All costs with half widths of their 95 % intervals."""
    rows: list[Mapping[str, Any]] = []
    for case in there(data):
        if case.starter == NOBODY:
            continue
        row: dict[str, Any] = dict(vars(case))
        for name, window in (("10s", (0, 10)), ("30s", (0, COUNTED_S)), ("later", LATER)):
            for what, of in (("cost", cost), ("extra", extra)):
                found = of(data, case, window)
                row |= {f"{what}_{name}_percent": found.mean, f"{what}_{name}_percent_ci95": found.ci95}
        rows.append(row)
    return rows


def there(data: Data, **wanted: str) -> list[Case]:
    """The cases that have been run, of which these things are wanted."""
    found = (case for case in data.points if isinstance(case, Case))
    return [case for case in found if all(getattr(case, key) == value for key, value in wanted.items())]


def figure(data: Data) -> Figure:
    """Costs by queue, a panel for each path and established TCP; below them what starts get that are alone."""
    paths = [path for path in PATHS if there(data, path=path)]
    drawn, axes = panels(len(paths) + 1, 2, width=PAGE_IN, height=2.1 * (len(paths) + 1))
    for row, path in zip(axes, paths, strict=False):
        for place, old in zip(row, ESTABLISHED, strict=True):
            costs(place, data, path, old)
        row[1].sharey(row[0])
    for place, where in zip(axes[-1], NEAR, strict=True):
        lone(place, data, where)
    handles, labels = axes[0][0].get_legend_handles_labels()
    drawn.legend(handles, labels, title="who starts", loc="outside lower center", ncols=len(STARTERS))
    return drawn


def costs(place: Axes, data: Data, path: str, old: str) -> None:
    """What every start costs one established TCP in 30 s, by queue."""
    for series, starter in enumerate(starter for starter in STARTERS if starter != NOBODY):
        cases = there(data, path=path, beside=old, starter=starter)
        # Side by side, so that intervals can be told apart.
        beside_each_other = [list(QUEUES).index(case.queue) + 0.15 * (series - 1.5) for case in cases]
        if cases:
            found = [cost(data, case, (0, COUNTED_S)) for case in cases]
            curve(place, beside_each_other, found, label=STARTERS[starter], series=series, joined=False)
    place.axhline(50, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    place.annotate("half of the link", (3.45, 50), textcoords="offset points", xytext=(0, 3), ha="right", fontsize=7)
    place.set(title=f"{ESTABLISHED[old]} at {PATHS[path].title}", ylabel="cost in 30 s (% of the link)")
    place.set_ylim(0, None)
    place.set_xticks(range(len(QUEUES)), list(QUEUES))


def lone(place: Axes, data: Data, where: str) -> None:
    """What starts get that are alone, first seed."""
    path, duration_s = NEAR[where]
    shown = [starter for starter in STARTERS if starter != NOBODY]
    steps = round(OVER_S / STEP_S)
    for starter in ALONE:
        got_bps = data.reduced((where, starter), data.seeds[0])[NEW]
        means = np.convolve(got_bps, np.full(steps, 1 / steps), "valid") / 1e6
        times = STEP_S * (np.arange(len(means)) + steps)
        trace(place, list(times), list(means), label=STARTERS[starter], series=shown.index(starter), width=1.2)
    place.set(title=f"alone at {path.title}, seed {data.seeds[0]}", xlabel="time since the start (s)")
    place.set(ylabel="got over half a second (Mbit/s)", xlim=(0, duration_s), ylim=(0, None))


def says(data: Data) -> str:
    """What the figure shows."""
    parts = []
    for path in dict.fromkeys(case.path for case in there(data)):
        found = [extra(data, case, (0, COUNTED_S)).mean for case in there(data, path=path, starter=DOUBLING)]
        parts.append(f"{plain(min(found), 2)} to {plain(max(found), 2)} % of the link at {PATHS[path].title}")
    times = {where: latest(where, data).value or 0.0 for where in NEAR}
    return (
        f"In 30 s a TFMCC that doubles costs an established TCP more than a CUBIC that starts by {listed(parts)}; "
        f"alone it has nine tenths of 10 Mbit/s after {plain(times['link'], 2)} s, and 20 MB over GEO after "
        f"{plain(times['geo'], 3)} s."
    )


def criteria() -> list[Criterion]:
    """Every path and established TCP, and both times alone."""
    found = [
        Criterion(
            name=f"{STARTERS[starter]}, beside {ESTABLISHED[old]} at {PATHS[path].title}: cost in {word} beyond that "
            "of CUBIC, largest of all queues, % of the link",
            published="none",
            evaluate=partial(worst, path, old, starter, window),
            high=0,
        )
        for starter in (DOUBLING, OMCC)
        for path in PATHS
        if starter in starters(path)
        for old in ESTABLISHED
        for word, window in WINDOWS.items()
    ]
    return [
        *found,
        Criterion(
            name=f"{STARTERS[DOUBLING]}, alone at {PATHS['slow'].title}: nine tenths of the link after, s",
            published=f"within {NINE_TENTHS_S:g} s",
            evaluate=partial(latest, "link"),
            high=NINE_TENTHS_S,
        ),
        Criterion(
            name=f"{STARTERS[DOUBLING]}, alone at {PATHS['slow'].title}: nine tenths of the link for good after, s",
            published="not stated",
            evaluate=for_good,
        ),
        Criterion(
            name=f"{STARTERS[DOUBLING]}, alone at {GEO.title}: 20 MB after, s",
            published=f"within {TWENTY_MB_S:g} s",
            evaluate=partial(latest, "geo"),
            high=TWENTY_MB_S,
        ),
    ]


EXPERIMENTS = [
    Experiment(
        id="x-start",
        paper="checks",
        place="a start of its own",
        title="What starts cost an established TCP, and how long they take",
        published="A session that doubles its rate at its start costs an established TCP no more than a CUBIC with an "
        "initial window of 10 does.",
        why="At a queue of half a product and 10 Mbit/s the share of TFMCC beside CUBIC is above a half, and above a "
        "CUBIC's, for good, however it began, and the established TCP falls to what is left within the 30 s.",
        points=points,
        criteria=criteria(),
        figure=figure,
        numbers=numbers,
        cells=cells,
        says=says,
        reps=SEEDS,
    )
]
