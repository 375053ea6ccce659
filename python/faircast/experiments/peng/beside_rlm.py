"""Layer blocking beside RLM in scenario 1, in one table and one figure: what `make demo` shows.

Two layered sessions and three TCPs over the constellation, once with layer blocking at the gateway and once with RLM as
ns-2 has it. The other variants of RLM, and the criteria of the paper's figures, are in `rlm.py` and `together.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Point, plain
from faircast.experiments.judging import judged, of
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.drawing import finish, layer_steps, rate_curves, share_lines
from faircast.experiments.peng.measures import either, fairness, mean_rate, rate_variation
from faircast.experiments.peng.network import CAPTIONS, DEPENDS, MULTICAST, TCPS, Case, readings
from faircast.experiments.peng.rlm import MAIN, STATEMENTS, VARIANTS, WHY, blocking
from faircast.experiments.peng.together import NEAR, SHARE_KBYTES_S
from faircast.figures import PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = {"layer blocking": Case(), "RLM": VARIANTS[MAIN]}
BLOCKING, RLM = CASES.values()
"""With ns-2's own window, which is drawn; what is judged is so with both."""


def points(_quick: bool) -> list[Point]:
    """One of each with each window."""
    return [one.point() for case in CASES.values() for one in readings(case).values()]


def criteria() -> list[Criterion]:
    """The shares, of blocking judged, of RLM named; then how the two compare."""
    rlm = {f"RLM, {label}": case for label, case in readings(RLM).items()}
    near: dict[str, Any] = {"low": SHARE_KBYTES_S * (1 - NEAR), "high": SHARE_KBYTES_S * (1 + NEAR)}
    shares = [
        judged(
            f"mean rate of {what}, 100-1500 s, KBytes/s",
            "close to 40 KBytes/s",
            of(partial(mean_rate, names=names)),
            rlm,
            readings=readings(BLOCKING),
            depends=DEPENDS,
            **near,
        )
        for what, names in {"a multicast session": MULTICAST, "a TCP flow": TCPS}.items()
    ]
    fair = judged(
        "Jain's fairness index of the five sessions (1 is equal)",
        "fairness is achieved",
        of(fairness),
        rlm,
        readings=readings(BLOCKING),
        depends=DEPENDS,
        low=0.95,
    )
    compared = [
        judged(name, published, measure, {}, readings=readings(RLM), depends=DEPENDS, low=least)
        for statements in STATEMENTS.values()
        for name, published, measure, least in statements
    ]
    return [*shares, fair, *compared]


def figure(data: Data) -> Figure:
    """Layers and throughput of all sessions over time, of the first seed: blocking on the left, RLM on the right."""
    drawn, rows = panels(3, 2, width=PAGE_IN, height=5.2, sharex=True, sharey="row")
    for column, (label, case) in zip(rows.T, CASES.items(), strict=True):
        course = course_of(data, case, data.seeds[0])
        layer_steps(column[0], course)
        rate_curves(column[1], course, MULTICAST)
        rate_curves(column[2], course, TCPS)
        rates = sorted({min(case.layers_kbps), max(case.layers_kbps)})
        column[0].set_title(f"{label}: {len(case.layers_kbps)} layers of {' to '.join(map(str, rates))} kbit/s")
        for axes in column[1:]:
            share_lines(axes, case)
    for axes in rows[:, 1]:
        axes.set_ylabel("")
    # Both columns are runs of the same constellation under the same hand-offs.
    title = f"{CAPTIONS[1]}, TCP's window {BLOCKING.window} packets; seed {data.seeds[0]}"
    finish(drawn, rows, [course] * 3, title)
    return drawn


def says(data: Data) -> str:
    """What came out."""

    def varied(case: Case) -> float:
        rlm, blocked = (data.over_seeds(partial(rate_variation, data, one)).mean for one in (case, blocking(case)))
        return rlm / blocked

    got = {
        (case, names): either([plain(mean_rate(data, one, names).mean) for one in readings(case).values()])
        for case in (BLOCKING, RLM)
        for names in (MULTICAST, TCPS)
    }
    more = either([plain(varied(one), 2) for one in readings(RLM).values()])
    return (
        f"With layer blocking at the gateway a multicast session gets {got[BLOCKING, MULTICAST]} KBytes/s and a TCP "
        f"flow {got[BLOCKING, TCPS]}, of an equal share of {SHARE_KBYTES_S}; with RLM they get {got[RLM, MULTICAST]} "
        f"and {got[RLM, TCPS]}, and the rate of multicast varies {more} times as much."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-beside-rlm",
        paper="peng",
        place="Figures 5, 6, 11 and 12",
        title="Layer blocking beside RLM over the constellation",
        published="Layer blocking shares the link fairly with TCP and is stable; RLM is neither.",
        why=WHY,
        points=points,
        criteria=criteria(),
        figure=figure,
        says=says,
    )
]
