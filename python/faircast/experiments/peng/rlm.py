"""Fig. 11 and 12: RLM in the place of layer blocking, in scenario 1.

Five layers of 32, 64, 128, 256 and 1024 kbit/s, as printed. What the paper leaves open makes four variants: whether
the two dead ends of ns-2's code are there or mended (docs/rlm.md), and whether a left group goes on to come for 2 s, as
with IGMP, or not at all, as in ns-2. The authors most likely ran ns-2's code as it is. It agrees if all statements hold
in one variant, which is named: the first of the four, if in none. All of it is judged with both of TCP's windows.

What the paper says: layers and throughput change severely, and multicast gets either much less or much more than TCP;
blocking is more stable and fairer. Each number stands beside that of layer blocking with the same seeds. "Much more"
is looked for in steps of 10 s, as in the mean over a run no session gets more than TCP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiment import AGREES, Criterion, Data, Experiment, Measured, Numbers, Point, Verdict, judge
from faircast.experiments.judging import in_words, joint, judged
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.drawing import (
    average_curves,
    finish,
    layer_steps,
    rate_curves,
    share_lines,
)
from faircast.experiments.peng.measures import (
    FIGURE_WINDOW_S,
    JUDGED_S,
    changes,
    either,
    fairness,
    layers,
    mean_rate,
    rate,
    rate_changes,
    rate_variation,
)
from faircast.experiments.peng.network import (
    CAPTIONS,
    DEPENDS,
    IN_PHASE,
    MULTICAST,
    NAMES,
    TCPS,
    TREATMENTS,
    WINDOWS,
    Case,
    others,
    points_of,
    readings,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, jackknife, jain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VARIANTS = {
    "as in ns-2, leave delay 0 s": Case(rlm="ns2", leave_s=0),
    "as in ns-2, leave delay 2 s": Case(rlm="ns2", leave_s=2),
    "with dead ends mended, leave delay 0 s": Case(rlm="mended", leave_s=0),
    "with dead ends mended, leave delay 2 s": Case(rlm="mended", leave_s=2),
}
MAIN = next(iter(VARIANTS))
DOUBLING_KBPS = 512
"""What the highest layer would be if the sequence went on as it begins."""
FAR = 0.25
"""What is much lower, or much higher, as a part of the TCPs' mean rate."""
MORE_CHANGES = 1.5
"""How many times as large the sum of the changes of rate must be at least."""
CHANGED: dict[str, dict[str, Any]] = {
    TREATMENTS["lose"]: {"handoff": "lose"},
    IN_PHASE: {"in_phase": True},
    "highest layer 512 kbit/s": {"top_kbps": DOUBLING_KBPS},
}
OTHERS = {
    what: {f"{label}, {what}": replace(case, **changed) for label, case in VARIANTS.items()}
    for what, changed in CHANGED.items()
}
"""Reported beside them: the same variants with something else, and the first window."""


def points(quick: bool) -> list[Point]:
    """Layer blocking, all variants, and what is reported beside them."""
    others = [] if quick else [case.point(beside=True) for cases in OTHERS.values() for case in cases.values()]
    variants = [one.point() for case in VARIANTS.values() for one in readings(case).values()]
    return [*points_of(Case()), *variants, *others]


def with_window(window: int) -> dict[str, Case]:
    """All variants with a window of TCP."""
    return {label: replace(case, window=window) for label, case in VARIANTS.items()}


def blocking(case: Case) -> Case:
    """Layer blocking under the same conditions."""
    return Case(handoff=case.handoff, window=case.window, in_phase=case.in_phase)


def times_blocking(of: Callable[[Data, Case, int], float], data: Data, case: Case) -> Measured:
    """How many times as large something is with RLM, the ratio of the means over the seeds."""

    def ratio(seeds: Sequence[int]) -> float:
        rlm, blocked = (math.fsum(of(data, which, seed) for seed in seeds) for which in (case, blocking(case)))
        return rlm / blocked

    return Measured.of(jackknife(ratio, data.seeds))


def changes_of_rate(data: Data, case: Case) -> Measured:
    """How many times as large the sum of the changes of rate is, and what RLM does in that time."""
    found = times_blocking(rate_changes, data, case)
    held = data.over_seeds(partial(mean_layers, data, case))
    note = f"RLM holds {held} layers on average and changes their number {changes(data, case)} times in 100 s"
    few = (found.value or 0.0) + (found.ci95 or 0.0) < MORE_CHANGES
    return replace(found, note=note, fails="RLM stays at its lower layers, whose steps are small" if few else "")


def mean_layers(data: Data, case: Case, seed: int) -> float:
    """How many layers come through, the mean of both sessions."""
    return math.fsum(layers(data, case, name, seed) for name in MULTICAST) / len(MULTICAST)


def less_fair(data: Data, case: Case) -> Measured:
    """By how much Jain's index of the five sessions is smaller than with blocking, in pairs."""

    def index(which: Case, seed: int) -> float:
        return jain([rate(data, which, [name], seed) for name in (*MULTICAST, *TCPS)])

    return Measured.of(data.over_seeds(lambda seed: index(blocking(case), seed) - index(case, seed)))


def below_tcp(data: Data, case: Case) -> Measured:
    """By what part of the TCPs' mean rate the multicast session that gets less is below it, the mean over the seeds."""

    def of(seed: int) -> float:
        return 1 - min(rate(data, case, [name], seed) for name in MULTICAST) / rate(data, case, TCPS, seed)

    found = [f"{NAMES[name]} {mean_rate(data, case, [name])}" for name in MULTICAST]
    note = f"{', '.join(found)}, mean of the TCP flows {mean_rate(data, case, TCPS)} KBytes/s"
    return Measured.of(data.over_seeds(of), note=note)


def off_tcp(side: str, data: Data, case: Case) -> Measured:
    """The part of all 10 s in which a multicast session is more than 25 % off the TCPs' mean rate of these 10 s.

    `side` is what of it counts: ``either``, or ``higher`` alone.
    """

    def parts(seed: int) -> tuple[float, float]:
        course = course_of(data, case, seed)
        tcp = np.mean([course.windows(name, *JUDGED_S, FIGURE_WINDOW_S) for name in TCPS], axis=0)
        rates = np.array([course.windows(name, *JUDGED_S, FIGURE_WINDOW_S) for name in MULTICAST])
        return float((rates < (1 - FAR) * tcp).mean()), float((rates > (1 + FAR) * tcp).mean())

    found_in = {seed: parts(seed) for seed in data.seeds}
    lower, higher = (data.over_seeds(lambda seed: found_in[seed][0]), data.over_seeds(lambda seed: found_in[seed][1]))
    found = data.over_seeds(lambda seed: sum(found_in[seed])) if side == "either" else higher
    return Measured.of(found, note=f"much lower in {lower}, much higher in {higher} of the time")


Statement = tuple[str, str, Callable[[Data, Case], Measured], float]
"""What is measured, what was published, how it is measured, and how much it must be at least."""

STATEMENTS: dict[int, list[Statement]] = {
    11: [
        (
            "variation of the multicast rates over 10 s, RLM divided by layer blocking",
            "changes severely",
            partial(times_blocking, rate_variation),
            2.0,
        ),
        (
            "sum of all changes of the subscribed rate, RLM divided by layer blocking",
            "changes severely",
            changes_of_rate,
            MORE_CHANGES,
        ),
    ],
    12: [
        (
            "Jain's fairness index of the five sessions, layer blocking minus RLM",
            "blocking is much fairer",
            less_fair,
            0.03,
        ),
        (
            "how far the multicast session that gets less is below the TCP flows' mean rate, as a part of that rate",
            "much lower in the mean",
            below_tcp,
            FAR,
        ),
        (
            "part of the time, in steps of 10 s, in which a multicast session is 25 % and more off the TCP flows' rate",
            "either much lower or much higher",
            partial(off_tcp, "either"),
            0.5,
        ),
    ],
}


def judged_in(data: Data, statement: Statement, case: Case) -> Verdict:
    """A statement held against one variant."""
    name, published, measure, least = statement
    found = measure(data, case)
    criterion = Criterion(name=name, published=published, evaluate=lambda _: found, low=least)
    return judge(criterion, data)


def holds(data: Data, statement: Statement, case: Case) -> bool:
    """Whether a statement holds in a variant, beyond its noise."""
    return judged_in(data, statement, case).verdict == AGREES


def all_hold(data: Data, case: Case) -> bool:
    """Whether all statements hold in a variant."""
    return all(holds(data, each, case) for of_figure in STATEMENTS.values() for each in of_figure)


def chosen(data: Data, window: int) -> str:
    """The first variant in which all statements hold with a window; the first of all if there is none."""
    return next((label for label, case in with_window(window).items() if all_hold(data, case)), MAIN)


def given(found: Measured, _data: Data) -> Measured:
    """What was measured already."""
    return found


def in_one_variant(statement: Statement) -> Criterion:
    """A statement in the chosen variant, with both windows; beside it stands what the other variants give."""
    name, published, measure, least = statement
    plain_one = Criterion(name=name, published=published, evaluate=lambda _: Measured(value=None), low=least)

    def with_one(data: Data, window: int) -> Measured:
        label = chosen(data, window)
        found = measure(data, with_window(window)[label])
        note = "; ".join(part for part in (f"RLM {label}", found.note) if part)
        return replace(found, variant="" if label == MAIN else label, note=note)

    def evaluate(data: Data) -> Measured:
        found = {window: with_one(data, window) for window in WINDOWS.values()}
        verdicts = [judge(replace(plain_one, evaluate=partial(given, one)), data) for one in found.values()]
        notes = [
            in_words(f"{label}, {words}", judged_in(data, statement, case))
            for words, window in WINDOWS.items()
            for label, case in with_window(window).items()
        ]
        for what, cases in OTHERS.items():
            there = [holds(data, statement, case) for case in cases.values() if case in data.points]
            if there:
                notes.append(f"{what}: holds in {sum(there)} of {len(there)} variants")
        main, *_ = found.values()
        return joint(replace(main, beside="; ".join(notes)), verdicts, DEPENDS)

    return replace(plain_one, evaluate=evaluate)


def together() -> Criterion:
    """In how many of the four variants all statements hold, with both windows."""

    def count(data: Data, window: int) -> Measured:
        good = [label for label, case in with_window(window).items() if all_hold(data, case)]
        return Measured(value=len(good), note=", ".join(good))

    return judged(
        "how many of RLM's four variants have all that the paper says of Figures 11 and 12",
        "one at least",
        count,
        {},
        low=1,
        readings=WINDOWS,
        depends=DEPENDS,
    )


def much_higher() -> Criterion:
    """How often multicast gets much more than TCP."""
    return judged(
        "part of the time in which a multicast session is 25 % and more above the TCP flows' rate",
        "or much higher, at times",
        partial(off_tcp, "higher"),
        {f"RLM {label}": case for label, case in VARIANTS.items()},
        low=0.01,
        soft=True,
        readings=readings(VARIANTS[MAIN]),
        depends=DEPENDS,
    )


def numbers(data: Data) -> Numbers:
    """What blocking and every variant give."""
    rows = []
    labels = {f"layer blocking, {label}": case for label, case in {**readings(Case()), **others(Case())}.items()}
    for words, window in WINDOWS.items():
        labels |= {f"RLM {label}, {words}": case for label, case in with_window(window).items()}
    for cases in OTHERS.values():
        labels |= {f"RLM {label}": case for label, case in cases.items()}
    for label, case in labels.items():
        if case not in data.points:
            continue

        def over_seeds(of: Callable[[Data, Case, int], float], case: Case = case) -> Estimate:
            return data.over_seeds(lambda seed: of(data, case, seed))

        cells = (
            *(mean_rate(data, case, [name]) for name in MULTICAST),
            mean_rate(data, case, TCPS),
            over_seeds(mean_layers),
            changes(data, case),
            over_seeds(rate_changes),
            over_seeds(rate_variation),
            fairness(data, case),
        )
        rows.append([label, *map(str, cells)])
    columns = [
        "100-1500 s",
        "multicast 1, KBytes/s",
        "multicast 2",
        "mean of the TCP flows",
        "mean layers",
        "changes of layers in 100 s",
        "sum of changes of the rate, kbit/s in 100 s",
        "variation of rates over 10 s",
        "Jain's index",
    ]
    return Numbers(columns=columns, rows=rows)


def multicast_figure(data: Data) -> Figure:
    """Layers and throughput of multicast in the first seed, a row for each variant."""
    drawn, rows = panels(len(VARIANTS), 2, width=PAGE_IN, height=6.6, sharex=True, sharey="col")
    courses = [course_of(data, case, data.seeds[0]) for case in VARIANTS.values()]
    for (left, right), case, course in zip(rows, VARIANTS.values(), courses, strict=True):
        layer_steps(left, course)
        rate_curves(right, course, MULTICAST)
        share_lines(right, case)
        left.set_title(described(case))
    finish(drawn, rows, courses, f"RLM, {CAPTIONS[1]}; seed {data.seeds[0]}", legends=1)
    return drawn


def tcp_figure(data: Data) -> Figure:
    """The averages, and each TCP, in the first seed, a row for each variant."""
    drawn, rows = panels(len(VARIANTS), 2, width=PAGE_IN, height=6.6, sharex=True, sharey=True)
    courses = [course_of(data, case, data.seeds[0]) for case in VARIANTS.values()]
    for (left, right), case, course in zip(rows, VARIANTS.values(), courses, strict=True):
        average_curves(left, course)
        rate_curves(right, course, TCPS)
        for axes in (left, right):
            share_lines(axes, case)
        right.set_ylabel("")
        left.set_title(described(case))
    finish(drawn, rows, courses, f"RLM, {CAPTIONS[1]}; seed {data.seeds[0]}", legends=1)
    return drawn


def described(case: Case) -> str:
    """A variant in words."""
    return next(f"RLM {label}" for label, variant in VARIANTS.items() if variant == case)


def says_of_multicast(data: Data) -> str:
    """What Fig. 11 shows."""
    varied, changed = (statement[2] for statement in STATEMENTS[11])
    more, sums = (
        either(
            [span([of(data, case).value or math.nan for case in with_window(one).values()]) for one in WINDOWS.values()]
        )
        for of in (varied, changed)
    )
    return (
        f"With RLM the throughput of multicast varies {more} times as much as with layer blocking, and the sum of the "
        f"changes of its rate is {sums} times as large."
    )


def span(values: Sequence[float]) -> str:
    """The least and the greatest, two digits each."""
    low, high = f"{min(values):.2g}", f"{max(values):.2g}"
    return low if low == high else f"{low} to {high}"


def says_of_tcp(data: Data) -> str:
    """What Fig. 12 shows."""
    found = [span([fairness(data, case).mean for case in with_window(one).values()]) for one in WINDOWS.values()]
    blocked = [f"{fairness(data, case).mean:.2g}" for case in readings(Case()).values()]
    return (
        f"Jain's fairness index is {either(found)} with RLM and {either(blocked)} with layer blocking; RLM gets much "
        "less than TCP."
    )


WHY = (
    "With windows of 64 packets TCP takes more of the link, and RLM stays at its lower layers more of the time, whose "
    "steps are small; with ns-2's own 20 packets it climbs higher and falls again."
)

EXPERIMENTS = [
    Experiment(
        id="peng-fig11",
        paper="peng",
        place="Figure 11",
        title="RLM instead of layer blocking: layers and throughput of multicast",
        published="With RLM layers and throughput change severely.",
        why=WHY,
        points=points,
        criteria=list(map(in_one_variant, STATEMENTS[11])),
        figure=multicast_figure,
        says=says_of_multicast,
        numbers=numbers,
    ),
    Experiment(
        id="peng-fig12",
        paper="peng",
        place="Figure 12",
        title="RLM instead of layer blocking: throughput of TCP",
        published="With RLM multicast gets either much less or much more than TCP; layer blocking is fairer.",
        why="Multicast is much lower than TCP nearly all the time, and much higher seldom: in a twentieth of the time "
        "with windows of 20 packets, and in next to none with 64.",
        points=points,
        criteria=[*map(in_one_variant, STATEMENTS[12]), much_higher(), together()],
        figure=tcp_figure,
        says=says_of_tcp,
    ),
]
