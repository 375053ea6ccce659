"""Fig. 9: fairness of TFMCC, Log-OMCC and TCP-OMCC with three links of 10 ms, 1 ms or 0.1 ms; 2 Mbit/s, Q = 10."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point
from faircast.experiments.hang.drawing import fairness_curves, receivers_axis, table_by_receivers
from faircast.experiments.hang.network import (
    MAIN,
    NAMES,
    VARIANTS,
    Case,
    Statement,
    counts,
    criteria,
    mean_fairness,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELAYS_MS = {"a": 10.0, "b": 1.0, "c": 0.1}
SCHEMES = ("tfmcc", "log", "tcp")
SHOWN = (MAIN, "jitter")


def case(scheme: str, delay_ms: float, receivers: int, variant: str) -> Case:
    """Q = 10 on 2 Mbit/s."""
    return Case(scheme=scheme, receivers=receivers, limit=10, delay_ms=delay_ms, variant=variant)


def points(delay_ms: float, quick: bool) -> list[Point]:
    """The sweep for one delay."""
    return [case(s, delay_ms, n, v).point() for v in SHOWN for s in SCHEMES for n in counts(quick, v)]


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


def over_schemes(delay_ms: float, first: str, second: str, data: Data, variant: str) -> Measured:
    """Means over those N at which TCP got something in every run beside both schemes."""
    found = {
        n: [at(delay_ms, scheme, n, data, variant).mean for scheme in (first, second)]
        for n in counts(data.quick, variant)
    }
    finite = {n: pair for n, pair in found.items() if all(map(math.isfinite, pair))}
    if not finite:
        return Measured(value=math.nan, holds=False, note="TCP got nothing in some run at every N")
    means = [sum(pair[i] for pair in finite.values()) / len(finite) for i in (0, 1)]
    rest = sorted(set(found) - set(finite))
    note = f"TCP got nothing in some run at N = {', '.join(map(str, rest))}, left out" if rest else ""
    return compare((NAMES[first], means[0]), (NAMES[second], means[1]), note=note)


def over_receivers(delay_ms: float, n: int | None, first: str, second: str, data: Data, variant: str) -> Measured:
    """Two schemes at one number of receivers; None: the largest."""
    n = n or counts(data.quick, variant)[-1]
    return compare(*((NAMES[s], at(delay_ms, s, n, data, variant)) for s in (first, second)), note=f"N = {n}")


def growth(delay_ms: float, scheme: str, data: Data, variant: str) -> Measured:
    """Fairness with the most receivers over that with two."""
    most = counts(data.quick, variant)[-1]
    return compare(*((f"N = {n}", at(delay_ms, scheme, n, data, variant)) for n in (most, 2)))


def fall(delay_ms: float, scheme: str, data: Data, variant: str) -> Measured:
    """Fairness with two receivers over that with the most."""
    most = counts(data.quick, variant)[-1]
    return compare(*((f"N = {n}", at(delay_ms, scheme, n, data, variant)) for n in (2, most)))


STATEMENTS = {
    "a": [
        Statement(
            name="D = 10 ms: fairness of TCP-OMCC / TFMCC, mean over N, is at least 1",
            published="TCP-OMCC a little above TFMCC",
            measure=partial(over_schemes, 10.0, "tcp", "tfmcc"),
        ),
        Statement(
            name="D = 10 ms: fairness of TCP-OMCC / Log-OMCC, mean over N, is at least 1",
            published="TCP-OMCC better than Log-OMCC (read: higher)",
            measure=partial(over_schemes, 10.0, "tcp", "log"),
            soft=True,
        ),
    ],
    "b": [
        Statement(
            name="D = 1 ms, N = 2: fairness of Log-OMCC / TFMCC is at least 1",
            published="with small N Log-OMCC above TFMCC",
            measure=partial(over_receivers, 1.0, 2, "log", "tfmcc"),
        ),
        Statement(
            name="D = 1 ms: fairness of Log-OMCC, N = 2 / N = 100, is at least 1",
            published="Log-OMCC falls as N grows",
            measure=partial(fall, 1.0, "log"),
            soft=True,
        ),
        Statement(
            name="D = 1 ms: fairness of TCP-OMCC, N = 100 / N = 2, is at least 1",
            published="TCP-OMCC grows with large N, but fluctuates",
            measure=partial(growth, 1.0, "tcp"),
        ),
    ],
    "c": [
        Statement(
            name="D = 0.1 ms, N = 100: fairness of TFMCC / Log-OMCC is at least 1",
            published="Log-OMCC below TFMCC with large N",
            measure=partial(over_receivers, 0.1, None, "tfmcc", "log"),
            soft=True,
        ),
        Statement(
            name="D = 0.1 ms: fairness of TCP-OMCC, N = 100 / N = 2, is at least 1",
            published="TCP-OMCC still grows with N",
            measure=partial(growth, 0.1, "tcp"),
        ),
    ],
}


def figure_of(delay_ms: float, data: Data) -> Figure:
    """Fairness against N, without and with jitter."""
    drawn, axes = panels(1, len(SHOWN), width=PAGE_IN, height=3.1, sharey=True)
    for axis, variant in zip(axes, SHOWN, strict=True):
        curves = {NAMES[s]: [case(s, delay_ms, n, variant) for n in counts(data.quick, variant)] for s in SCHEMES}
        fairness_curves(axis, data, curves, log=True)
        receivers_axis(axis, counts(data.quick))
        axis.set_title(f"{VARIANTS[MAIN]}, {'no jitter' if variant == MAIN else 'jitter'}")
    axes[1].set_ylabel("")
    title = f"2 Mb/s, Q = 10, D = {delay_ms:g} ms; means, 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=3)
    return drawn


def table_of(delay_ms: float, data: Data) -> Numbers:
    """Fairness by N, without and with jitter."""
    rows = {
        f"{NAMES[s]}{', jitter' if v != MAIN else ''}": [case(s, delay_ms, n, v) for n in counts(data.quick, v)]
        for v in SHOWN
        for s in SCHEMES
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "fairness")


def says_of(delay_ms: float, data: Data) -> str:
    """What the figure shows."""
    most = counts(data.quick)[-1]

    def ends_of(scheme: str, variant: str) -> str:
        found = [at(delay_ms, scheme, n, data, variant).mean for n in (2, most)]
        return f"{NAMES[scheme]} {found[0]:.3g} and {found[1]:.3g}"

    parts = {v: ", ".join(ends_of(scheme, v) for scheme in SCHEMES) for v in SHOWN}
    return f"Fairness with D = {delay_ms:g} ms at N = 2 and {most}: {parts[MAIN]}; with jitter {parts['jitter']}."


EXPERIMENTS = [
    Experiment(
        id=f"omcc-fig9{letter}",
        paper="hang",
        title=f"Fairness of TFMCC, Log-OMCC and TCP-OMCC, links of {delay_ms:g} ms",
        points=partial(points, delay_ms),
        criteria=criteria(STATEMENTS[letter], SHOWN),
        figure=partial(figure_of, delay_ms),
        says=partial(says_of, delay_ms),
        numbers=partial(table_of, delay_ms),
    )
    for letter, delay_ms in DELAYS_MS.items()
]
