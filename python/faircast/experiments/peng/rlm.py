"""Fig. 11 and 12: RLM in the place of layer blocking, in scenario 1.

Five layers of 32, 64, 128, 256 and 1024 kbit/s, as printed. What the paper leaves open makes four variants: whether
the two dead ends of ns-2's code are there or mended (docs/rlm.md), and whether a left group goes on to come for 2 s, as
with IGMP, or not at all, as in ns-2. The authors most likely ran ns-2's code as it is. It agrees if all statements hold
in one variant, which is named: the first of the four, if in none.

What the paper says: layers and throughput change severely, and multicast gets either much less or much more than TCP;
blocking is more stable and fairer. Each number stands beside that of layer blocking with the same seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import AGREES, Criterion, Data, Experiment, Measured, Numbers, Point, judge
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.drawing import (
    average_curves,
    finish,
    layer_steps,
    rate_curves,
    share_lines,
)
from faircast.experiments.peng.measures import (
    changes,
    fairness,
    layers,
    mean_rate,
    rate,
    rate_changes,
    rate_variation,
)
from faircast.experiments.peng.network import MULTICAST, TCPS, TREATMENTS, Case, both
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, jackknife, jain, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VARIANTS = {
    "ns2, 0 s": Case(rlm="ns2", leave_s=0),
    "ns2, 2 s": Case(rlm="ns2", leave_s=2),
    "mended, 0 s": Case(rlm="mended", leave_s=0),
    "mended, 2 s": Case(rlm="mended", leave_s=2),
}
MAIN = next(iter(VARIANTS))
DOUBLING_KBPS = 512
"""What the highest layer would be if the sequence went on as it begins."""
MORE_CHANGES = 1.5
"""How many times as large the sum of the changes of rate must be at least."""
OTHERS = {
    "hand-offs lose": {f"{label}, lose": replace(case, handoff="lose") for label, case in VARIANTS.items()},
    "highest layer 512 kbit/s": {
        f"{label}, 512 kbit/s": replace(case, top_kbps=DOUBLING_KBPS) for label, case in VARIANTS.items()
    },
}
"""Reported beside them: the same variants with something else."""


def points(quick: bool) -> list[Point]:
    """Layer blocking, all variants, and what is reported beside them."""
    others = [] if quick else [case.point() for cases in OTHERS.values() for case in cases.values()]
    return [*both(Case()), *(case.point() for case in VARIANTS.values()), *others]


def blocking(case: Case) -> Case:
    """Layer blocking under the same hand-offs."""
    return Case(handoff=case.handoff)


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
    note = f"RLM holds {held} layers and changes {changes(data, case)} times in 100 s"
    few = (found.value or 0.0) < MORE_CHANGES
    return replace(found, note=note, fails="RLM stays at its lower layers, whose steps are small" if few else "")


def mean_layers(data: Data, case: Case, seed: int) -> float:
    """How many layers come through, the mean of both sessions."""
    return math.fsum(layers(data, case, name, seed) for name in MULTICAST) / len(MULTICAST)


def less_fair(data: Data, case: Case) -> Measured:
    """By how much Jain's index of the five sessions is smaller than with blocking, in pairs."""

    def index(which: Case, seed: int) -> float:
        return jain([rate(data, which, [name], seed) for name in (*MULTICAST, *TCPS)])

    return Measured.of(data.over_seeds(lambda seed: index(blocking(case), seed) - index(case, seed)))


def off_tcp(data: Data, case: Case) -> Measured:
    """By what part of the TCPs' mean rate the multicast session that is more so is off it, the mean over the seeds."""

    def of(seed: int) -> float:
        tcp = rate(data, case, TCPS, seed)
        return max(abs(rate(data, case, [name], seed) - tcp) for name in MULTICAST) / tcp

    found = [f"{name} {mean_rate(data, case, [name])}" for name in MULTICAST]
    note = f"{', '.join(found)}, TCP {mean_rate(data, case, TCPS)} KBytes/s"
    return Measured.of(data.over_seeds(of), note=note)


Statement = tuple[str, str, Callable[[Data, Case], Measured], float]
"""What is measured, what was published, how it is measured, and how much it must be at least."""

STATEMENTS: dict[int, list[Statement]] = {
    11: [
        (
            "variation of multicast rates over 10 s, RLM / blocking",
            "changes severely",
            partial(times_blocking, rate_variation),
            2.0,
        ),
        (
            "sum of the changes of the rate of the layers held, RLM / blocking",
            "changes severely",
            changes_of_rate,
            MORE_CHANGES,
        ),
    ],
    12: [
        ("Jain's index of the five sessions, blocking less RLM", "blocking is much fairer", less_fair, 0.03),
        (
            "off the TCPs' mean rate, the multicast session that is more so",
            "either much lower or much higher",
            off_tcp,
            0.25,
        ),
    ],
}


def holds(data: Data, statement: Statement, case: Case) -> bool:
    """Whether a statement holds in a variant."""
    name, published, measure, least = statement
    found = measure(data, case)
    criterion = Criterion(name=name, published=published, evaluate=lambda _: found, low=least)
    return judge(criterion, data).verdict == AGREES


def chosen(data: Data) -> str:
    """The first variant in which all four statements hold; the first of all if there is none."""
    statements = [statement for of_figure in STATEMENTS.values() for statement in of_figure]
    good = (label for label, case in VARIANTS.items() if all(holds(data, each, case) for each in statements))
    return next(good, MAIN)


def in_one_variant(statement: Statement) -> Criterion:
    """A statement in the chosen variant; its note tells what the others give."""
    name, published, measure, least = statement

    def evaluate(data: Data) -> Measured:
        label = chosen(data)
        found = measure(data, VARIANTS[label])
        notes = [label, found.note]
        for other, case in VARIANTS.items():
            if other != label:
                gives = measure(data, case)
                word = "holds" if holds(data, statement, case) else "does not hold"
                value = with_interval(math.nan if gives.value is None else gives.value, gives.ci95)
                notes.append(f"{other}: {value}, {word}")
        for what, cases in OTHERS.items():
            there = [holds(data, statement, case) for case in cases.values() if case in data.points]
            if there:
                notes.append(f"{what}: holds in {sum(there)} of {len(there)} variants")
        variant = "" if label == MAIN else label
        return replace(found, variant=variant, note="; ".join(note for note in notes if note))

    return Criterion(name=name, published=published, evaluate=evaluate, low=least)


def together() -> Criterion:
    """In how many of the four variants all statements hold."""

    def evaluate(data: Data) -> Measured:
        statements = [statement for of_figure in STATEMENTS.values() for statement in of_figure]
        good = [label for label, case in VARIANTS.items() if all(holds(data, each, case) for each in statements)]
        return Measured(value=len(good), note=", ".join(good))

    return Criterion(
        name="variants of 4 in which all four statements hold", published="one at least", evaluate=evaluate, low=1
    )


def numbers(data: Data) -> Numbers:
    """What blocking and every variant give."""
    rows = []
    labels = {f"layer blocking, hand-offs {t}": Case(handoff=t) for t in TREATMENTS} | VARIANTS
    for cases in OTHERS.values():
        labels |= cases
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
        "mean TCP",
        "mean layers",
        "changes in 100 s",
        "sum of changes, kbit/s in 100 s",
        "variation over 10 s",
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
    finish(drawn, rows, courses, f"RLM, scenario 1, seed {data.seeds[0]}", legends=1)
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
    finish(drawn, rows, courses, f"RLM, scenario 1, seed {data.seeds[0]}", legends=1)
    return drawn


def described(case: Case) -> str:
    """A variant in words."""
    return f"{'ns-2, as it is' if case.rlm == 'ns2' else 'dead ends mended'}, leave delay {case.leave_s} s"


def says_of_multicast(data: Data) -> str:
    """What Fig. 11 shows."""
    varied = STATEMENTS[11][0][2]
    found = {label: varied(data, case).value or math.nan for label, case in VARIANTS.items()}
    parts = ", ".join(f"{value:.2g} ({label})" for label, value in found.items())
    return f"With RLM the throughput of multicast varies so many times as much as with layer blocking: {parts}."


def says_of_tcp(data: Data) -> str:
    """What Fig. 12 shows."""
    found = {label: fairness(data, case).mean for label, case in VARIANTS.items()}
    parts = ", ".join(f"{value:.3f} ({label})" for label, value in found.items())
    return f"Jain's index of the five sessions is {fairness(data, Case()).mean:.3f} with blocking; with RLM {parts}."


EXPERIMENTS = [
    Experiment(
        id="peng-fig11",
        paper="peng",
        title="RLM instead of blocking: layers and throughput of multicast",
        points=points,
        criteria=list(map(in_one_variant, STATEMENTS[11])),
        figure=multicast_figure,
        says=says_of_multicast,
        numbers=numbers,
    ),
    Experiment(
        id="peng-fig12",
        paper="peng",
        title="RLM instead of blocking: throughput of TCP",
        points=points,
        criteria=[*map(in_one_variant, STATEMENTS[12]), together()],
        figure=tcp_figure,
        says=says_of_tcp,
    ),
]
