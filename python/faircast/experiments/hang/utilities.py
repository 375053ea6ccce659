"""Fig. 8: OMCC with logarithmic and TCP utility against the number of receivers, 2 Mbit/s, Q = 20, 30 ms.

The paper finds Log-OMCC's throughput stable over N and its fairness the most stable of all. By its own equation 13 the
rate is N times that of TFMCC. So Log-OMCC is run with f bounded and with f on the increase only, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.hang.drawing import (
    fairness_curves,
    receivers_axis,
    table_by_receivers,
    table_of,
    throughput_curves,
)
from faircast.experiments.hang.network import (
    MAIN,
    NAMES,
    SESSION,
    VARIANTS,
    Case,
    Statement,
    counts,
    criteria,
    mean_fairness,
    tcp_mean,
    throughput,
    timeouts_per_s,
    total,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, variation, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = 20
SHOWN = (MAIN, "rto0.2", "newreno")
PUBLISHED = ("tfmcc", "log", "tcp")
OURS = ("log-1.5", "log-2", "log-increase")
FROM_N = 5
"""The stable range of Fig. 8a."""
STARVED_MBPS = 0.05
STABLE = 1.6
LESS_STABLE = 1.2


def cases(scheme: str, variant: str, quick: bool) -> list[Case]:
    """All numbers of receivers."""
    return [Case(scheme=scheme, receivers=n, limit=LIMIT, variant=variant) for n in counts(quick, variant)]


def points(schemes: tuple[str, ...], quick: bool) -> list[Point]:
    """The sweep for some schemes in all variants."""
    return [case.point() for v in SHOWN for scheme in schemes for case in cases(scheme, v, quick)]


def large(scheme: str, data: Data, variant: str) -> list[Case]:
    """The cases with at least five receivers."""
    return [case for case in cases(scheme, variant, data.quick) if case.receivers >= FROM_N]


def means(of: Callable[[Data, Case, int], float], data: Data, at: list[Case]) -> list[Estimate]:
    """A quantity over the seeds for each case."""
    return [data.over_seeds(partial(of, data, case)) for case in at]


def session_rate(data: Data, case: Case, seed: int) -> float:
    """The session's throughput, Mbit/s."""
    return throughput(data, case, seed, SESSION)


def sent(data: Data, case: Case, seed: int) -> float:
    """What the session's source sent, Mbit/s."""
    return data.run(case, seed)[SESSION, "sending_rate"] / 1e6


def stability(scheme: str, data: Data, variant: str) -> float:
    """Largest over smallest mean throughput from five receivers on."""
    found = [item.mean for item in means(session_rate, data, large(scheme, data, variant))]
    return max(found) / min(found)


def stable_throughput(data: Data, variant: str) -> Measured:
    """Log-OMCC's throughput over N, with the total."""
    at = large("log", data, variant)
    parts = [("total", means(total, data, at)), ("the session sends", means(sent, data, at))]
    note = ", ".join(f"{name} {_span(found)} Mbit/s" for name, found in parts)
    return Measured(value=stability("log", data, variant), note=note)


def tcp_left(data: Data, variant: str) -> Measured:
    """The least mean throughput of TCP beside Log-OMCC from five receivers on."""
    at = large("log", data, variant)
    found = means(tcp_mean, data, at)
    lowest = min(range(len(at)), key=lambda i: found[i].mean)
    note = ""
    if found[lowest].mean < STARVED_MBPS:
        stalls = timeouts_per_s(data, at[lowest])
        note = f"TCP starved: f(N) = {at[lowest].receivers}, {stalls} time-outs of a flow per second"
    return Measured.of(found[lowest], note=note if variant == MAIN else "")


MEASURES = {"Log-OMCC": session_rate, "Log-OMCC sends": sent, "mean TCP": tcp_mean, "total": total}

STATEMENTS_8A = [
    Statement(
        name=f"Log-OMCC's throughput over N from {FROM_N} on, largest / smallest mean",
        published="quite stable in the large receiver range",
        measure=stable_throughput,
        high=STABLE,
    ),
    Statement(
        name=f"mean TCP throughput beside Log-OMCC, smallest over N from {FROM_N} on, Mbit/s",
        published="all flows are shown; congestion is avoided",
        measure=tcp_left,
        low=STARVED_MBPS,
    ),
]


def fairness_by_n(scheme: str, data: Data, variant: str) -> list[Estimate]:
    """Fairness for every number of receivers."""
    return [mean_fairness(data, case) for case in cases(scheme, variant, data.quick)]


def at_least_tfmcc(data: Data, variant: str) -> Measured:
    """OMCC's fairness over TFMCC's, smallest over both utilities and N = 2 to 10."""
    ratios = {
        (scheme, n): omcc.mean / tfmcc.mean
        for scheme in ("log", "tcp")
        for n, omcc, tfmcc in zip(
            counts(data.quick, variant),
            fairness_by_n(scheme, data, variant),
            fairness_by_n("tfmcc", data, variant),
            strict=True,
        )
        if 2 <= n <= 10
    }
    scheme, n = min(ratios, key=lambda key: ratios[key])
    return Measured(value=ratios[scheme, n], note=f"smallest with {NAMES[scheme]}, N = {n}")


def cov(scheme: str, data: Data, variant: str) -> float:
    """Coefficient of variation of fairness over N; NaN if it is infinite somewhere."""
    return variation([item.mean for item in fairness_by_n(scheme, data, variant)])


def most_stable(data: Data, variant: str, scheme: str = "log") -> Measured:
    """Log-OMCC's variation over N over the smaller of those of TFMCC and TCP-OMCC."""
    found = {each: cov(each, data, variant) for each in (scheme, "tfmcc", "tcp")}
    note = "coefficient of variation over N: " + ", ".join(f"{NAMES[s]} {value:.2g}" for s, value in found.items())
    if math.isnan(found[scheme]):
        note += " (fairness is infinite at some N: TCP got nothing in some run)"
    least = min(found["tfmcc"], found["tcp"])
    return Measured(value=found[scheme] / least if least > 0 else math.inf, note=note)


STATEMENTS_8B = [
    Statement(
        name="fairness of OMCC / TFMCC, smallest over both utilities and N = 2, 5, 10",
        published="OMCC takes more",
        measure=at_least_tfmcc,
        low=1.0,
    ),
    Statement(
        name="variation of Log-OMCC's fairness over N / the smaller of the others'",
        published="Log-OMCC the most stable",
        measure=most_stable,
        high=LESS_STABLE,
        soft=True,
    ),
]


def rises(scheme: str) -> Criterion:
    """Model check: fairness against N beside f(N)."""

    def evaluate(data: Data) -> Measured:
        found = fairness_by_n(scheme, data, MAIN)
        steps = [later.mean >= earlier.mean for earlier, later in itertools.pairwise(found)]
        return Measured(value=sum(steps), note=f"of {len(steps)}")

    root = "N" if scheme == "log" else "the root of N"
    return Criterion(
        name=f"model check, {NAMES[scheme]}: steps in N at which fairness grows",
        published=f"f(N) is {root}; not shown as numbers",
        evaluate=evaluate,
    )


def range_over_n(scheme: str, data: Data, variant: str) -> float:
    """Largest over smallest mean fairness from two receivers on; with one f is 1, whatever the utility."""
    found = [mean_fairness(data, case).mean for case in cases(scheme, variant, data.quick) if case.receivers >= 2]
    return max(found) / min(found)


def published_shape(scheme: str) -> Criterion:
    """Whether Log-OMCC in this form has what the paper says of it: steady over N, beside TCP flows that live."""

    def parts(data: Data, variant: str) -> dict[str, bool]:
        left = min(item.mean for item in means(tcp_mean, data, large(scheme, data, variant)))
        omcc, tfmcc = ([item.mean for item in fairness_by_n(s, data, variant)] for s in (scheme, "tfmcc"))
        return {
            "stable throughput": stability(scheme, data, variant) <= STABLE,
            "TCP lives": left >= STARVED_MBPS,
            "stable fairness": range_over_n(scheme, data, variant) <= STABLE,
            "above TFMCC": all(a >= b for a, b in zip(omcc, tfmcc, strict=True)),
        }

    def brief(data: Data, variant: str) -> str:
        found = parts(data, variant)
        missing = [name for name, holds in found.items() if not holds]
        several = [case for case in cases(scheme, variant, data.quick) if case.receivers >= 2]
        by_n = _span([mean_fairness(data, case) for case in several])
        return f"{VARIANTS[variant]}: {'all' if not missing else 'not ' + ', not '.join(missing)}, fairness {by_n}"

    def evaluate(data: Data) -> Measured:
        return Measured(
            value=sum(parts(data, MAIN).values()), note="of 4; " + "; ".join(brief(data, variant) for variant in SHOWN)
        )

    return Criterion(
        name=f"{NAMES[scheme]}: how many of the published properties it has",
        published="stable throughput, TCP beside it, stable fairness, above TFMCC",
        evaluate=evaluate,
    )


def _span(found: list[Estimate]) -> str:
    low, high = (choose(item.mean for item in found) for choose in (min, max))
    return f"{with_interval(low, None)} to {with_interval(high, None)}"


def figure_8a(data: Data) -> Figure:
    """Throughput of every flow beside Log-OMCC against N."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.1, sharey=True)
    for axis, variant in zip(axes, SHOWN[:2], strict=True):
        throughput_curves(axis, data, cases("log", variant, data.quick), "Log-OMCC")
        receivers_axis(axis, counts(data.quick))
        axis.set_title(f"TCP: {VARIANTS[variant]}")
    axes[0].set_ylabel("throughput (Mb/s)")
    handles = axes[0].get_legend_handles_labels()
    drawn.legend(*handles, title="2 Mb/s, Q = 20, 30 ms; means, 95 % intervals", loc="outside lower center", ncols=5)
    return drawn


def figure_8b(data: Data) -> Figure:
    """Fairness against N: the published schemes, and Log-OMCC bounded."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.6, sharey=True)
    for axis, variant in zip(axes, SHOWN[:2], strict=True):
        curves = {NAMES[scheme]: cases(scheme, variant, data.quick) for scheme in PUBLISHED + OURS}
        fairness_curves(axis, data, curves, log=True)
        receivers_axis(axis, counts(data.quick))
        axis.set_title(f"TCP: {VARIANTS[variant]}")
    axes[1].set_ylabel("")
    handles = axes[0].get_legend_handles_labels()
    drawn.legend(*handles, title="2 Mb/s, Q = 20, 30 ms; means, 95 % intervals", loc="outside lower center", ncols=3)
    return drawn


def table_8a(data: Data) -> Numbers:
    """Throughput by N, in all variants."""
    rows = {
        f"{VARIANTS[v]}: {name}": {
            case.receivers: data.over_seeds(partial(of, data, case)) for case in cases("log", v, data.quick)
        }
        for v in SHOWN
        for name, of in MEASURES.items()
    }
    return table_of(rows, "Mbit/s")


def table_8b(data: Data) -> Numbers:
    """Fairness by N for all schemes, in all variants."""
    rows = {f"{VARIANTS[v]}: {NAMES[s]}": cases(s, v, data.quick) for v in SHOWN for s in PUBLISHED + OURS}
    return table_by_receivers(rows, partial(mean_fairness, data), "fairness")


def says_8a(data: Data) -> str:
    """What Fig. 8a shows."""
    at = large("log", data, MAIN)
    rates, left, sends = (_span(means(of, data, at)) for of in (session_rate, tcp_mean, sent))
    return (
        f"From N = {FROM_N} on Log-OMCC sends {sends} Mbit/s and carries {rates} of the link's 2, a TCP flow {left}: "
        "its stability is that of a link it has for itself."
    )


def says_8b(data: Data) -> str:
    """What Fig. 8b shows."""

    def at(scheme: str, n: int) -> str:
        return with_interval(fairness_by_n(scheme, data, MAIN)[counts(data.quick).index(n)].mean, None)

    most = counts(data.quick)[-1]
    return (
        f"Fairness at N = 2 and {most}: "
        + ", ".join(f"{NAMES[s]} {at(s, 2)} and {at(s, most)}" for s in PUBLISHED)
        + "; bounded at the most receivers: "
        + ", ".join(f"{NAMES[s]} {at(s, most)}" for s in OURS)
        + "."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-fig8a",
        paper="hang",
        title="Throughput against the number of Log-OMCC receivers",
        points=partial(points, ("log",)),
        criteria=criteria(STATEMENTS_8A, SHOWN),
        figure=figure_8a,
        says=says_8a,
        numbers=table_8a,
    ),
    Experiment(
        id="omcc-fig8b",
        paper="hang",
        title="Fairness of TFMCC, Log-OMCC and TCP-OMCC against the number of receivers",
        points=partial(points, PUBLISHED + OURS),
        criteria=[
            *criteria(STATEMENTS_8B, SHOWN),
            *(rises(scheme) for scheme in ("log", "tcp")),
            *(published_shape(scheme) for scheme in ("log", *OURS)),
        ],
        figure=figure_8b,
        says=says_8b,
        numbers=table_8b,
    ),
]
