"""Fig. 9: fairness of TFMCC, Log-OMCC and TCP-OMCC with three links of 10 ms, 1 ms or 0.1 ms; 2 Mbit/s, Q = 10.

Where equation 13 as printed starves TCP, no ordering of fairness means anything, and the verdict says that. Beside it
stands OMCC capped at the receive rate (`network.SCHEMES`), and how often the published orderings come by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.hang.drawing import receivers_axis, share_curves, table_by_receivers
from faircast.experiments.hang.network import (
    CAPPED,
    DEFAULT,
    IN_PHASE,
    MAIN,
    NAMES,
    SESSION,
    STARVED,
    VARIANTS,
    Case,
    Statement,
    as_reported,
    by_receivers,
    counts,
    criteria,
    cut_short,
    fairness,
    fairness_of,
    mean_fairness,
    starved,
    tcp_mean,
    tcp_share,
    throughput,
)
from faircast.experiments.hang.utilities import WHY as STARVES
from faircast.figures import PAGE_IN, panels
from faircast.statistics import jackknife, with_interval

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

OverSeeds = Callable[[Sequence[int]], float]
"""A number of some runs together."""
DELAYS_MS = {"a": 10.0, "b": 1.0, "c": 0.1}
LITERAL = ("log", "tcp")
SCHEMES = ("tfmcc", *LITERAL)
SHOWN = (MAIN, "rto1", "newreno", IN_PHASE, DEFAULT)
STUDIES, STUDY_RUNS = 10_000, 5
"""How many studies of five runs, as the paper's, are drawn to see what chance does."""


def case(scheme: str, delay_ms: float, receivers: int, variant: str) -> Case:
    """Q = 10 on 2 Mbit/s."""
    return Case(scheme=scheme, receivers=receivers, limit=10, delay_ms=delay_ms, variant=variant)


def points(delay_ms: float, quick: bool) -> list[Point]:
    """The sweep for one delay."""
    schemes = dict.fromkeys([*SCHEMES, *(CAPPED[s] for s in SCHEMES)])
    return [case(s, delay_ms, n, v).point() for v in SHOWN for s in schemes for n in counts(quick, v, s, delay_ms)]


def compare(data: Data, *values: tuple[str, OverSeeds], note: str = "") -> Measured:
    """Whether the first value is at least the second; the measured number is their quotient."""
    (first, a), (second, b) = ((name, of(data.seeds)) for name, of in values)
    defined = not (math.isinf(a) and math.isinf(b)) and b > 0

    def quotient(seeds: Sequence[int]) -> float:
        above, below = (of(seeds) for _, of in values)
        return above / below if below > 0 else math.inf

    shown = f"{first} {with_interval(a, None)}, {second} {with_interval(b, None)}"
    return Measured(
        value=a / b if defined else math.nan,
        ci95=jackknife(quotient, data.seeds).ci95 if defined and math.isfinite(a) else None,
        holds=defined and a >= b,
        turns_at=1.0,
        note="; ".join(part for part in (shown, note) if part),
    )


def at(delay_ms: float, scheme: str, n: int, data: Data, variant: str) -> OverSeeds:
    """Fairness with n receivers."""
    return partial(fairness_of, data, case(scheme, delay_ms, n, variant))


def starving(delay_ms: float, schemes: Sequence[str], data: Data, variant: str, n: int | None = None) -> str:
    """Where these starve TCP, at all numbers of receivers or at one; empty if nowhere."""
    at = [
        case(s, delay_ms, m, variant)
        for s in schemes
        for m in counts(data.quick, variant, s, delay_ms)
        if n in (None, m)
    ]
    return starved(data, at)


def spoilt(found: Measured, where: str, last: Sequence[Case], data: Data) -> Measured:
    """The comparison, which says nothing if eq. 13 has starved TCP; `last` is where the sweeps end that it rests on."""
    note = "; ".join(part for part in (found.note, where) if part)
    short = next((why for why in (cut_short(data, case) for case in last) if why), "")
    return replace(found, note=note, fails=STARVED if where else short)


def last_of(delay_ms: float, scheme: str, data: Data, variant: str) -> Case:
    """Where the sweep of a scheme ends."""
    return case(scheme, delay_ms, counts(data.quick, variant, scheme, delay_ms)[-1], variant)


def over_schemes(delay_ms: float, first: str, second: str, data: Data, variant: str) -> Measured:
    """Means over those N that were run with both schemes."""
    swept = [counts(data.quick, variant, scheme, delay_ms) for scheme in (first, second)]
    common = [n for n in swept[0] if n in swept[1]]

    def mean(scheme: str, seeds: Sequence[int]) -> float:
        return sum(at(delay_ms, scheme, n, data, variant)(seeds) for n in common) / len(common)

    both = ((NAMES[scheme], partial(mean, scheme)) for scheme in (first, second))
    found = compare(data, *both, note=f"up to {by_receivers(common[-1])}")
    omcc = [scheme for scheme in (first, second) if scheme != "tfmcc"]
    last = [last_of(delay_ms, scheme, data, variant) for scheme in omcc]
    return spoilt(found, starving(delay_ms, omcc, data, variant), last, data)


def over_receivers(delay_ms: float, n: int | None, first: str, second: str, data: Data, variant: str) -> Measured:
    """Two schemes at one number of receivers; None: the largest that was run with both."""
    given = n
    n = n or min(counts(data.quick, variant, scheme, delay_ms)[-1] for scheme in (first, second))
    both = ((NAMES[s], at(delay_ms, s, n, data, variant)) for s in (first, second))
    found = compare(data, *both, note=by_receivers(n))
    omcc = [scheme for scheme in (first, second) if scheme != "tfmcc"]
    last = [last_of(delay_ms, scheme, data, variant) for scheme in omcc] if given is None else []
    return spoilt(found, starving(delay_ms, omcc, data, variant, n), last, data)


def growth(delay_ms: float, scheme: str, data: Data, variant: str, *, falls: bool = False) -> Measured:
    """Fairness with the most receivers over that with two, or the other way round."""
    most = counts(data.quick, variant, scheme, delay_ms)[-1]
    ends = (2, most) if falls else (most, 2)
    found = compare(data, *((by_receivers(n), at(delay_ms, scheme, n, data, variant)) for n in ends))
    last = last_of(delay_ms, scheme, data, variant)
    return spoilt(found, starving(delay_ms, [scheme], data, variant), [last], data)


def statements(letter: str, log: str, tcp: str) -> list[Statement]:
    """What the paper says of one part of the figure, of one form of OMCC."""
    delay_ms = DELAYS_MS[letter]
    log_name, tcp_name = NAMES[log], NAMES[tcp]
    rule = "it is at least 1"
    return {
        "a": [
            Statement(
                name=f"fairness of {tcp_name} divided by that of TFMCC, means over the numbers of receivers",
                rule=rule,
                published="TCP-OMCC a little above TFMCC",
                measure=partial(over_schemes, delay_ms, tcp, "tfmcc"),
            ),
            Statement(
                name=f"fairness of {tcp_name} divided by that of {log_name}, means over the numbers of receivers",
                rule=rule,
                published="TCP-OMCC better than Log-OMCC (read as higher)",
                measure=partial(over_schemes, delay_ms, tcp, log),
            ),
        ],
        "b": [
            Statement(
                name=f"2 receivers: fairness of {log_name} divided by that of TFMCC",
                rule=rule,
                published="with few receivers Log-OMCC is above TFMCC",
                measure=partial(over_receivers, delay_ms, 2, log, "tfmcc"),
            ),
            Statement(
                name=f"fairness of {log_name}, 2 receivers divided by the most that are run",
                rule=rule,
                published="Log-OMCC falls with more receivers",
                measure=partial(growth, delay_ms, log, falls=True),
            ),
            Statement(
                name=f"fairness of {tcp_name}, the most receivers that are run divided by 2",
                rule=rule,
                published="TCP-OMCC grows with many receivers, but fluctuates",
                measure=partial(growth, delay_ms, tcp),
            ),
        ],
        "c": [
            Statement(
                name=f"the most receivers that are run: fairness of TFMCC divided by that of {log_name}",
                rule=rule,
                published="with many receivers Log-OMCC is below TFMCC",
                measure=partial(over_receivers, delay_ms, None, "tfmcc", log),
            ),
            Statement(
                name=f"fairness of {tcp_name}, the most receivers that are run divided by 2",
                rule=rule,
                published="TCP-OMCC still grows with more receivers",
                measure=partial(growth, delay_ms, tcp),
            ),
        ],
    }[letter]


def by_chance(letter: str) -> Criterion:
    """How often all orderings of a part appear in a study of five runs if every scheme is TFMCC."""

    def evaluate(data: Data) -> Measured:
        import numpy as np

        delay_ms, most = DELAYS_MS[letter], counts(data.quick)[-1]
        random = np.random.default_rng(1)

        def study(n: int) -> NDArray[np.float64]:
            at = case("tfmcc", delay_ms, n, MAIN)
            drawn = random.integers(0, len(data.seeds), size=(STUDIES, STUDY_RUNS))
            session = np.array([throughput(data, at, seed, SESSION) for seed in data.seeds])[drawn].sum(axis=1)
            tcp = np.array([tcp_mean(data, at, seed) for seed in data.seeds])[drawn].sum(axis=1)
            with np.errstate(divide="ignore"):
                return np.asarray(session / tcp)

        few, many = min(2, most), most
        if letter == "b":
            log = study(few)
            seen = (log >= study(few)) & (log >= study(many)) & (study(many) >= study(few))
        else:
            seen = (study(many) >= study(many)) & (study(many) >= study(few))
        single = [fairness(data, case("tfmcc", delay_ms, n, MAIN), seed) for n in (few, many) for seed in data.seeds]
        note = (
            f"of {STUDIES} studies of {STUDY_RUNS} runs drawn from those of TFMCC; its fairness in single runs with "
            f"{few} and {many} receivers is {plain(min(single))} to {plain(max(single))}"
        )
        return Measured(value=float(seen.mean()), note=note)

    return Criterion(
        name="how often all these orderings appear if every scheme is TFMCC",
        published="five runs per point",
        evaluate=evaluate,
    )


def figure_of(delay_ms: float, data: Data) -> Figure:
    """Fairness against N, by eq. 13 and capped at the receive rate."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.1)
    shown = {
        "equation 13 as printed": SCHEMES,
        "rate capped at what is received (ours)": [CAPPED[s] for s in SCHEMES],
    }
    for axis, (title, schemes) in zip(axes, shown.items(), strict=True):
        curves = {
            NAMES[plain]: [case(s, delay_ms, n, MAIN) for n in counts(data.quick, MAIN, s, delay_ms)]
            for plain, s in zip(SCHEMES, schemes, strict=True)
        }
        share_curves(axis, data, curves)
        receivers_axis(axis, counts(data.quick))
        axis.set_title(title)
    axes[1].set_ylabel("")
    title = "share of a TCP flow in what it and the session get; 2 Mb/s, queue of 10 packets; 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=4)
    return drawn


def table_of(delay_ms: float, data: Data) -> Numbers:
    """Fairness by N, in all variants."""
    schemes = dict.fromkeys([*SCHEMES, *(CAPPED[s] for s in SCHEMES)])
    rows = {
        f"{VARIANTS[v]}: {NAMES[s]}": [case(s, delay_ms, n, v) for n in counts(data.quick, v, s, delay_ms)]
        for v in SHOWN
        for s in schemes
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "session divided by TCP")


def says_of(delay_ms: float, data: Data) -> str:
    """What the figure shows."""

    def ends_of(scheme: str) -> str:
        most = counts(data.quick, MAIN, scheme, delay_ms)[-1]
        found = [percent(tcp_share(data, case(scheme, delay_ms, n, MAIN)).mean, 1) for n in (2, most)]
        return f"beside {NAMES[scheme]} {found[0]} with 2 receivers and {found[1]} with {most}"

    return f"Of what it and the session get a TCP flow has {'; '.join(map(ends_of, SCHEMES))}."


SAID = {
    "a": "TCP-OMCC takes a little more than TFMCC and is fairer than Log-OMCC.",
    "b": "Log-OMCC takes less with more receivers; TCP-OMCC takes more with many, but fluctuates.",
    "c": "With many receivers Log-OMCC takes less than TFMCC; TCP-OMCC still takes more with more receivers.",
}
WHY = {
    "a": STARVES,
    "b": STARVES,
    "c": STARVES,
}

EXPERIMENTS = [
    Experiment(
        id=f"omcc-fig9{letter}",
        paper="hang",
        place=f"Figure 9{letter}",
        title=f"Fairness of TFMCC, Log-OMCC and TCP-OMCC, links of {delay_ms:g} ms",
        published=SAID[letter],
        why=WHY[letter],
        points=partial(points, delay_ms),
        criteria=[
            *criteria(statements(letter, "log", "tcp"), SHOWN),
            *(as_reported(each) for each in criteria(statements(letter, "log-received", "tcp-received"), SHOWN)),
            *([by_chance(letter)] if letter in "bc" else []),
        ],
        figure=partial(figure_of, delay_ms),
        says=partial(says_of, delay_ms),
        numbers=partial(table_of, delay_ms),
    )
    for letter, delay_ms in DELAYS_MS.items()
]
