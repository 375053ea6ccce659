"""Fig. 9: fairness of TFMCC, Log-OMCC and TCP-OMCC with three links of 10 ms, 1 ms or 0.1 ms; 2 Mbit/s, Q = 10.

Where eq. 13 to the letter starves TCP, no ordering of fairness means anything, and the verdict says that. Beside it
stands OMCC capped at the receive rate (`network.SCHEMES`), and how often the published orderings come by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.hang.drawing import fairness_curves, receivers_axis, table_by_receivers
from faircast.experiments.hang.network import (
    CAPPED,
    MAIN,
    NAMES,
    SESSION,
    STARVED,
    VARIANTS,
    Case,
    Statement,
    as_reported,
    counts,
    criteria,
    cut_short,
    fairness,
    mean_fairness,
    starved,
    tcp_mean,
    throughput,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, with_interval

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

DELAYS_MS = {"a": 10.0, "b": 1.0, "c": 0.1}
LITERAL = ("log", "tcp")
SCHEMES = ("tfmcc", *LITERAL)
SHOWN = (MAIN, "rto1", "newreno", "jitter")
STUDIES, STUDY_RUNS = 10_000, 5
"""How many studies of five runs, as the paper's, are drawn to see what chance does."""


def case(scheme: str, delay_ms: float, receivers: int, variant: str) -> Case:
    """Q = 10 on 2 Mbit/s."""
    return Case(scheme=scheme, receivers=receivers, limit=10, delay_ms=delay_ms, variant=variant)


def points(delay_ms: float, quick: bool) -> list[Point]:
    """The sweep for one delay."""
    schemes = dict.fromkeys([*SCHEMES, *(CAPPED[s] for s in SCHEMES)])
    return [case(s, delay_ms, n, v).point() for v in SHOWN for s in schemes for n in counts(quick, v, s, delay_ms)]


def compare(*values: tuple[str, float | Estimate], note: str = "") -> Measured:
    """Whether the first value is at least the second; the measured number is their quotient."""
    a, b = (item if isinstance(item, float) else item.mean for _, item in values)
    defined = not (math.isinf(a) and math.isinf(b)) and b > 0
    shown = ", ".join(f"{name} {_text(item)}" for name, item in values)
    return Measured(
        value=a / b if defined else math.nan,
        holds=defined and a >= b,
        note="; ".join(part for part in (shown, note) if part),
    )


def _text(item: float | Estimate) -> str:
    return with_interval(item, None) if isinstance(item, float) else str(item)


def at(delay_ms: float, scheme: str, n: int, data: Data, variant: str) -> Estimate:
    """Fairness with n receivers."""
    return mean_fairness(data, case(scheme, delay_ms, n, variant))


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
    a, b = (
        sum(at(delay_ms, scheme, n, data, variant).mean for n in common) / len(common) for scheme in (first, second)
    )
    found = compare((NAMES[first], a), (NAMES[second], b), note=f"N up to {common[-1]}")
    omcc = [scheme for scheme in (first, second) if scheme != "tfmcc"]
    last = [last_of(delay_ms, scheme, data, variant) for scheme in omcc]
    return spoilt(found, starving(delay_ms, omcc, data, variant), last, data)


def over_receivers(delay_ms: float, n: int | None, first: str, second: str, data: Data, variant: str) -> Measured:
    """Two schemes at one number of receivers; None: the largest that was run with both."""
    given = n
    n = n or min(counts(data.quick, variant, scheme, delay_ms)[-1] for scheme in (first, second))
    found = compare(*((NAMES[s], at(delay_ms, s, n, data, variant)) for s in (first, second)), note=f"N = {n}")
    omcc = [scheme for scheme in (first, second) if scheme != "tfmcc"]
    last = [last_of(delay_ms, scheme, data, variant) for scheme in omcc] if given is None else []
    return spoilt(found, starving(delay_ms, omcc, data, variant, n), last, data)


def growth(delay_ms: float, scheme: str, data: Data, variant: str, *, falls: bool = False) -> Measured:
    """Fairness with the most receivers over that with two, or the other way round."""
    most = counts(data.quick, variant, scheme, delay_ms)[-1]
    ends = (2, most) if falls else (most, 2)
    found = compare(*((f"N = {n}", at(delay_ms, scheme, n, data, variant)) for n in ends))
    last = last_of(delay_ms, scheme, data, variant)
    return spoilt(found, starving(delay_ms, [scheme], data, variant), [last], data)


def statements(letter: str, log: str, tcp: str) -> list[Statement]:
    """What the paper says of one part of the figure, of one form of OMCC."""
    delay_ms = DELAYS_MS[letter]
    d = f"D = {delay_ms:g} ms"
    log_name, tcp_name = NAMES[log], NAMES[tcp]
    return {
        "a": [
            Statement(
                name=f"{d}: fairness of {tcp_name} / TFMCC, mean over N, is at least 1",
                published="TCP-OMCC a little above TFMCC",
                measure=partial(over_schemes, delay_ms, tcp, "tfmcc"),
            ),
            Statement(
                name=f"{d}: fairness of {tcp_name} / {log_name}, mean over N, is at least 1",
                published="TCP-OMCC better than Log-OMCC (read: higher)",
                measure=partial(over_schemes, delay_ms, tcp, log),
                soft=True,
            ),
        ],
        "b": [
            Statement(
                name=f"{d}, N = 2: fairness of {log_name} / TFMCC is at least 1",
                published="with small N Log-OMCC above TFMCC",
                measure=partial(over_receivers, delay_ms, 2, log, "tfmcc"),
            ),
            Statement(
                name=f"{d}: fairness of {log_name}, N = 2 / N = 100, is at least 1",
                published="Log-OMCC falls as N grows",
                measure=partial(growth, delay_ms, log, falls=True),
                soft=True,
            ),
            Statement(
                name=f"{d}: fairness of {tcp_name}, N = 100 / N = 2, is at least 1",
                published="TCP-OMCC grows with large N, but fluctuates",
                measure=partial(growth, delay_ms, tcp),
            ),
        ],
        "c": [
            Statement(
                name=f"{d}, N = 100: fairness of TFMCC / {log_name} is at least 1",
                published="Log-OMCC below TFMCC with large N",
                measure=partial(over_receivers, delay_ms, None, "tfmcc", log),
                soft=True,
            ),
            Statement(
                name=f"{d}: fairness of {tcp_name}, N = 100 / N = 2, is at least 1",
                published="TCP-OMCC still grows with N",
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
            f"N = {few} and {many} is {min(single):.3g} to {max(single):.3g}"
        )
        return Measured(value=float(seen.mean()), note=note)

    return Criterion(
        name=f"D = {DELAYS_MS[letter]:g} ms: how often all these orderings appear if every scheme is TFMCC",
        published="five runs per point",
        evaluate=evaluate,
    )


def figure_of(delay_ms: float, data: Data) -> Figure:
    """Fairness against N, by eq. 13 and capped at the receive rate."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.1)
    shown = {"eq. 13 to the letter": SCHEMES, "capped at the receive rate (ours)": [CAPPED[s] for s in SCHEMES]}
    for axis, (title, schemes) in zip(axes, shown.items(), strict=True):
        curves = {
            NAMES[plain]: [case(s, delay_ms, n, MAIN) for n in counts(data.quick, MAIN, s, delay_ms)]
            for plain, s in zip(SCHEMES, schemes, strict=True)
        }
        fairness_curves(axis, data, curves, log=True)
        receivers_axis(axis, counts(data.quick))
        axis.set_title(title)
    axes[1].set_ylabel("")
    title = f"2 Mb/s, Q = 10, D = {delay_ms:g} ms, {VARIANTS[MAIN]}; ratios of means, 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=3)
    return drawn


def table_of(delay_ms: float, data: Data) -> Numbers:
    """Fairness by N, in all variants."""
    schemes = dict.fromkeys([*SCHEMES, *(CAPPED[s] for s in SCHEMES)])
    rows = {
        f"{VARIANTS[v]}: {NAMES[s]}": [case(s, delay_ms, n, v) for n in counts(data.quick, v, s, delay_ms)]
        for v in SHOWN
        for s in schemes
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "fairness")


def says_of(delay_ms: float, data: Data) -> str:
    """What the figure shows."""

    def ends_of(scheme: str) -> str:
        ends = counts(data.quick, MAIN, scheme, delay_ms)
        found = [at(delay_ms, scheme, n, data, MAIN).mean for n in (2, ends[-1])]
        return f"{NAMES[scheme]} {found[0]:.3g} and {found[1]:.3g} (N = {ends[-1]})"

    schemes = dict.fromkeys([*SCHEMES, *(CAPPED[s] for s in SCHEMES)])
    return (
        f"Fairness with D = {delay_ms:g} ms at N = 2 and at the most receivers run: {', '.join(map(ends_of, schemes))}."
    )


EXPERIMENTS = [
    Experiment(
        id=f"omcc-fig9{letter}",
        paper="hang",
        title=f"Fairness of TFMCC, Log-OMCC and TCP-OMCC, links of {delay_ms:g} ms",
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
