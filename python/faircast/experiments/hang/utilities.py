"""Fig. 8: OMCC with logarithmic and TCP utility against the number of receivers, 2 Mbit/s, Q = 20, 30 ms.

The paper finds Log-OMCC's throughput stable over N and its fairness the most stable of all. By its own equation 13 the
rate is N times that of TFMCC, and TCP is starved. That is what is judged. Beside it OMCC is run with the scaled rate
capped at the receive rate, with f bounded, and with f on the increase only; see `network.SCHEMES`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.hang.drawing import (
    receivers_axis,
    share_curves,
    table_by_receivers,
    table_of,
    throughput_curves,
)
from faircast.experiments.hang.network import (
    CAPPED,
    DEFAULT,
    IN_PHASE,
    MAIN,
    NAMES,
    SESSION,
    STARVED,
    STARVED_MBPS,
    VARIANTS,
    Case,
    Statement,
    as_reported,
    by_receivers,
    counts,
    criteria,
    mean_fairness,
    starved,
    tcp_mean,
    tcp_share,
    throughput,
    timeouts_per_s,
    total,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, variation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = 20
SHOWN = (MAIN, "rto1", "newreno", IN_PHASE, DEFAULT)
PUBLISHED = ("tfmcc", "log", "tcp")
OURS = ("log-received", "tcp-received", "log-1.5", "log-2", "log-increase")
LITERAL = ("log", "tcp")
FROM_N = 5
"""The stable range of Fig. 8a."""
STABLE = 1.6
LESS_STABLE = 1.2


def cases(scheme: str, variant: str, quick: bool) -> list[Case]:
    """All numbers of receivers."""
    return [Case(scheme=scheme, receivers=n, limit=LIMIT, variant=variant) for n in counts(quick, variant, scheme)]


def points(schemes: tuple[str, ...], quick: bool) -> list[Point]:
    """The sweep for some schemes in all variants."""
    return [
        case.point()
        for v in SHOWN
        for scheme in schemes
        if v == MAIN or scheme in (*PUBLISHED, *CAPPED.values())
        for case in cases(scheme, v, quick)
    ]


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


def stable_throughput(scheme: str, data: Data, variant: str) -> Measured:
    """OMCC's throughput over N, with the total."""
    at = large(scheme, data, variant)
    parts = [("total", means(total, data, at)), ("the session sends", means(sent, data, at))]
    note = ", ".join(f"{name} {_span(found)} Mbit/s" for name, found in parts)
    return Measured(value=stability(scheme, data, variant), note=note)


def tcp_left(scheme: str, data: Data, variant: str) -> Measured:
    """The least mean throughput of TCP beside OMCC from five receivers on."""
    at = large(scheme, data, variant)
    found = means(tcp_mean, data, at)
    lowest = min(range(len(at)), key=lambda i: found[i].mean)
    note = ""
    if found[lowest].mean < STARVED_MBPS:
        stalls = timeouts_per_s(data, at[lowest])
        note = f"TCP starves beside {by_receivers(at[lowest].receivers)}, with {stalls} time-outs of a flow per second"
        if at[-1].receivers < counts(data.quick)[-1]:
            note += "; more receivers are not run, as the factor is greater still"
    return Measured.of(found[lowest], note=note if variant == MAIN else "")


MEASURES = {"OMCC": session_rate, "OMCC sends": sent, "mean TCP": tcp_mean, "total": total}


def statements_8a(scheme: str) -> list[Statement]:
    """What the paper says of Fig. 8a, of one form of Log-OMCC."""
    return [
        Statement(
            name=f"{NAMES[scheme]}'s throughput from {FROM_N} receivers on, largest divided by smallest mean",
            published="quite stable with many receivers",
            measure=partial(stable_throughput, scheme),
            high=STABLE,
        ),
        Statement(
            name=f"throughput of a TCP flow beside {NAMES[scheme]}, smallest mean from {FROM_N} receivers on, Mbit/s",
            published="drawn well above zero; congestion is avoided",
            measure=partial(tcp_left, scheme),
            low=STARVED_MBPS,
        ),
    ]


def fairness_by_n(scheme: str, data: Data, variant: str) -> list[Estimate]:
    """Fairness for every number of receivers."""
    return [mean_fairness(data, case) for case in cases(scheme, variant, data.quick)]


def starving(schemes: Sequence[str], data: Data, variant: str, most: int | None = None) -> str:
    """Where these starve TCP; empty if nowhere."""
    at = [case for scheme in schemes for case in cases(scheme, variant, data.quick)]
    return starved(data, [case for case in at if most is None or case.receivers <= most])


def at_least_tfmcc(schemes: Sequence[str], data: Data, variant: str) -> Measured:
    """OMCC's fairness over TFMCC's, smallest over both utilities and N = 2 to 10."""
    tfmcc = dict(zip(counts(data.quick, variant), fairness_by_n("tfmcc", data, variant), strict=True))
    ratios = {
        (scheme, case.receivers): omcc.mean / tfmcc[case.receivers].mean
        for scheme in schemes
        for case, omcc in zip(cases(scheme, variant, data.quick), fairness_by_n(scheme, data, variant), strict=True)
        if 2 <= case.receivers <= 10
    }
    scheme, n = min(ratios, key=lambda key: ratios[key])
    where = starving(schemes, data, variant, 10)
    note = "; ".join(part for part in (f"smallest with {NAMES[scheme]}, {by_receivers(n)}", where) if part)
    return Measured(value=ratios[scheme, n], note=note, fails=STARVED if where else "")


def cov(scheme: str, data: Data, variant: str) -> float:
    """Coefficient of variation of fairness over N; NaN if it is infinite somewhere."""
    return variation([item.mean for item in fairness_by_n(scheme, data, variant)])


def most_stable(schemes: Sequence[str], data: Data, variant: str) -> Measured:
    """Log-OMCC's variation over N over the smaller of those of TFMCC and TCP-OMCC."""
    log, tcp = schemes
    found = {each: cov(each, data, variant) for each in (log, "tfmcc", tcp)}
    note = "coefficient of variation over the numbers of receivers: " + ", ".join(
        f"{NAMES[s]} {value:.2g}" for s, value in found.items()
    )
    where = starving(schemes, data, variant)
    least = min(found["tfmcc"], found[tcp])
    return Measured(
        value=found[log] / least if least > 0 else math.inf,
        note="; ".join(part for part in (note, where) if part),
        fails=STARVED if where else "",
    )


def statements_8b(schemes: Sequence[str]) -> list[Statement]:
    """What the paper says of Fig. 8b, of one form of OMCC."""
    form = "" if schemes == LITERAL else " capped"
    return [
        Statement(
            name=f"fairness of OMCC{form} divided by that of TFMCC, smallest of both utilities with 2 to 10 receivers",
            published="OMCC takes more",
            measure=partial(at_least_tfmcc, schemes),
            low=1.0,
        ),
        Statement(
            name=f"variation of Log-OMCC{form}'s fairness with the number of receivers, divided by that of the "
            "steadier of the two others",
            published="Log-OMCC is the most stable",
            measure=partial(most_stable, schemes),
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

    root = "their number" if scheme == "log" else "the root of their number"
    return Criterion(
        name=f"{NAMES[scheme]}: at how many steps to more receivers its fairness grows",
        published=f"the factor is {root}; not shown as numbers",
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
            "above TFMCC": all(a >= b for a, b in zip(omcc, tfmcc, strict=False)),
        }

    def brief(data: Data, variant: str) -> str:
        found = parts(data, variant)
        missing = [name for name, holds in found.items() if not holds]
        several = [case for case in cases(scheme, variant, data.quick) if case.receivers >= 2]
        by_n = _span([mean_fairness(data, case) for case in several])
        return f"{VARIANTS[variant]}: {'all' if not missing else 'not ' + ', not '.join(missing)}, fairness {by_n}"

    def evaluate(data: Data) -> Measured:
        return Measured(value=sum(parts(data, MAIN).values()), note=f"of 4; {brief(data, MAIN)}")

    return Criterion(
        name=f"{NAMES[scheme]}: how many of the published properties it has",
        published="stable throughput, TCP beside it, stable fairness, above TFMCC",
        evaluate=evaluate,
    )


def _span(found: list[Estimate]) -> str:
    low, high = (choose(item.mean for item in found) for choose in (min, max))
    return f"{plain(low)} to {plain(high)}"


def figure_8a(data: Data) -> Figure:
    """Throughput of every flow beside Log-OMCC against N, by eq. 13 and capped at the receive rate."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.1, sharey=True)
    for axis, scheme in zip(axes, ("log", "log-received"), strict=True):
        throughput_curves(axis, data, cases(scheme, MAIN, data.quick), "Log-OMCC")
        receivers_axis(axis, counts(data.quick))
        axis.set_title("equation 13 as printed" if scheme == "log" else "rate capped at what is received (ours)")
    axes[0].set_ylabel("throughput (Mb/s)")
    handles = axes[0].get_legend_handles_labels()
    title = f"2 Mb/s, queue of 20 packets, 30 ms, {VARIANTS[MAIN]}; means, 95 % intervals"
    drawn.legend(*handles, title=title, loc="outside lower center", ncols=5)
    return drawn


def figure_8b(data: Data) -> Figure:
    """Fairness against N: by eq. 13, capped at the receive rate, and Log-OMCC bounded otherwise."""
    drawn, axes = panels(1, 3, width=PAGE_IN, height=3.6)
    shown = {
        "equation 13 as printed": PUBLISHED,
        "rate capped at what is received (ours)": tuple(CAPPED[s] for s in PUBLISHED),
        "factor bounded otherwise (ours)": ("tfmcc", "log-1.5", "log-2", "log-increase"),
    }
    for axis, (title, schemes) in zip(axes, shown.items(), strict=True):
        curves = {NAMES[scheme]: cases(scheme, MAIN, data.quick) for scheme in schemes}
        share_curves(axis, data, curves)
        receivers_axis(axis, counts(data.quick))
        axis.set_title(title)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    for axis in axes[1:]:
        axis.set_ylabel("")
    drawn.suptitle(
        "share of a TCP flow in what it and the session get; 2 Mb/s, queue of 20 packets, 30 ms; 95 % intervals",
        fontsize=8,
    )
    return drawn


def table_8a(data: Data) -> Numbers:
    """Throughput by N, in all variants."""
    rows = {
        f"{NAMES[s]}, {VARIANTS[v]}: {name}": {
            case.receivers: data.over_seeds(partial(of, data, case)) for case in cases(s, v, data.quick)
        }
        for s in ("log", "log-received")
        for v in SHOWN
        for name, of in MEASURES.items()
    }
    return table_of(rows, "Mbit/s")


def table_8b(data: Data) -> Numbers:
    """Fairness by N for all schemes, in all variants."""
    rows = {
        f"{VARIANTS[v]}: {NAMES[s]}": cases(s, v, data.quick)
        for v in SHOWN
        for s in PUBLISHED + OURS
        if v == MAIN or s in (*PUBLISHED, *CAPPED.values())
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "session divided by TCP")


def says_8a(data: Data) -> str:
    """What Fig. 8a shows."""

    def brief(scheme: str) -> str:
        at = large(scheme, data, MAIN)
        rates, left, sends = (_span(means(of, data, at)) for of in (session_rate, tcp_mean, sent))
        return f"sends {sends} Mbit/s and gets {rates} of the link's 2, a TCP flow {left}"

    return (
        f"From {FROM_N} receivers on Log-OMCC as printed {brief('log')}: it is stable since it has the link for "
        f"itself; capped at what is received it {brief('log-received')}."
    )


def says_8b(data: Data) -> str:
    """What Fig. 8b shows."""

    def at(scheme: str) -> str:
        found = [percent(tcp_share(data, case).mean, 1) for case in cases(scheme, MAIN, data.quick)]
        swept = counts(data.quick, scheme=scheme)
        return f"beside {NAMES[scheme]} {found[swept.index(2)]} with 2 receivers and {found[-1]} with {swept[-1]}"

    return f"Of what it and the session get a TCP flow has {'; '.join(map(at, PUBLISHED))}."


WHY = "The paper's equation 13 multiplies TFMCC's rate by the number of receivers or its root, so TCP starves."

EXPERIMENTS = [
    Experiment(
        id="omcc-fig8a",
        paper="hang",
        place="Figure 8a",
        title="Throughput against the number of Log-OMCC receivers",
        published="Log-OMCC's throughput is quite stable with many receivers, beside TCP flows that live.",
        why=WHY,
        points=partial(points, ("log", "log-received")),
        criteria=[
            *criteria(statements_8a("log"), SHOWN),
            *(as_reported(each) for each in criteria(statements_8a("log-received"), SHOWN)),
        ],
        figure=figure_8a,
        says=says_8a,
        numbers=table_8a,
    ),
    Experiment(
        id="omcc-fig8b",
        paper="hang",
        place="Figure 8b",
        title="Fairness of TFMCC, Log-OMCC and TCP-OMCC against the number of receivers",
        published="OMCC takes more than TFMCC, and Log-OMCC is the most stable.",
        why=WHY,
        points=partial(points, PUBLISHED + OURS),
        criteria=[
            *criteria(statements_8b(LITERAL), SHOWN),
            *(rises(scheme) for scheme in LITERAL),
            *(as_reported(each) for each in criteria(statements_8b(("log-received", "tcp-received")), SHOWN)),
            *(published_shape(scheme) for scheme in ("log", "log-received", "log-1.5", "log-2", "log-increase")),
        ],
        figure=figure_8b,
        says=says_8b,
        numbers=table_8b,
    ),
]
