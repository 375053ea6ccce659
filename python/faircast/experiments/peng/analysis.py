"""Section III.A.2: the two-flow model of one multicast and one TCP flow, equations 2 to 5, from any start.

Time goes in epochs of one length. In each both flows increase, or both decrease: where the sum of the rates has reached
the capacity C it is a decrease. The multicast flow adds a layer g in an increase if it has less than TCP (eq. 2) and
gives one back in a decrease if it has no less (eq. 3), so it has C/2 or more then and never loses its last layer; TCP
adds alpha (eq. 4) or gives back the part beta (eq. 5). The paper gives no capacity, which alpha = 1 and g would need;
alpha = C/100 and g = C/30 are choices, beta is its 1/2.

TCP's window does not bind in it. What the same equations make of a window that does is reported: TCP's rate ends at a
cap, below an equal share or above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent, plain
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels, trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

LAYER, ALPHA, BETA = 1 / 30, 1 / 100, 1 / 2
"""Parts of the capacity; the part of TCP's rate that a decrease takes."""
GRID = np.arange(1, 21) / 20
"""Rates that either flow starts with, parts of the capacity."""
STEPS, LATE_DECREASES = 4000, 30
CAPS = (0.3, 0.7)
"""Where TCP's rate ends, below an equal share and above; parts of the capacity."""
MEAN_STEPS, MEAN_OF = 6000, 3000
"""Means are taken over the last 3000 of 6000 epochs."""


@dataclass(frozen=True)
class Paths:
    """The model from several starts at once: arrays by epoch and start."""

    multicast: NDArray[np.float64]
    tcp: NDArray[np.float64]
    """Rates before the epoch, parts of the capacity."""
    decreases: NDArray[np.bool_]
    """Whether the epoch is a decrease."""


def follow(multicast: NDArray[np.float64], tcp: NDArray[np.float64], steps: int, cap: float = math.inf) -> Paths:
    """So many epochs from these rates, with TCP's held at a cap by its window."""
    x1, x2 = np.array(multicast, dtype=np.float64), np.array(tcp, dtype=np.float64)
    rates = np.empty((2, steps, x1.size))
    decreases = np.empty((steps, x1.size), dtype=bool)
    for step in range(steps):
        rates[:, step] = x1, x2
        full = x1 + x2 >= 1.0
        decreases[step] = full
        less = x1 < x2
        x1 = np.where(~full & less, x1 + LAYER, np.where(full & ~less, x1 - LAYER, x1))
        x2 = np.minimum(np.where(full, x2 - BETA * x2, x2 + ALPHA), cap)
    return Paths(rates[0], rates[1], decreases)


@cache
def from_grid(steps: int, cap: float = math.inf) -> Paths:
    """From every start of the grid."""
    multicast, tcp = np.meshgrid(GRID, GRID, indexing="ij")
    return follow(multicast.ravel(), tcp.ravel(), steps, cap)


def jain(x1: NDArray[np.float64], x2: NDArray[np.float64]) -> NDArray[np.float64]:
    """Eq. 1 for two flows."""
    return (x1 + x2) ** 2 / (2 * (x1**2 + x2**2))


def at_decreases(paths: Paths, start: int) -> NDArray[np.float64]:
    """Jain's index at every decrease of one start, before the rates change."""
    at = paths.decreases[:, start]
    return jain(paths.multicast[at, start], paths.tcp[at, start])


def late_index(_data: Data) -> Measured:
    """The least index at the last 30 decreases, over all starts."""
    paths = from_grid(STEPS)
    least = min(float(at_decreases(paths, start)[-LATE_DECREASES:].min()) for start in range(GRID.size**2))
    return Measured(value=least, note=f"{GRID.size**2} starts")


def mean_indices() -> NDArray[np.float64]:
    """The index of the means over time in the end state, by start."""
    paths = from_grid(MEAN_STEPS)
    return jain(paths.multicast[-MEAN_OF:].mean(axis=0), paths.tcp[-MEAN_OF:].mean(axis=0))


def mean_index(largest: bool, _data: Data) -> Measured:
    """The least or largest index of the means, over all starts."""
    paths = from_grid(MEAN_STEPS)
    ratios = paths.multicast[-MEAN_OF:].mean(axis=0) / paths.tcp[-MEAN_OF:].mean(axis=0)
    found = mean_indices()
    note = f"multicast / TCP {ratios.min():.3f} to {ratios.max():.3f}: the sawtooth of TCP lies below the layers"
    return Measured(value=float(found.max() if largest else found.min()), note=note)


def lowering_cycles(_data: Data) -> Measured:
    """The part of all ways from one decrease to the next that lower the index; the proof has it that none does."""
    paths = from_grid(STEPS)
    changes = np.concatenate([np.diff(at_decreases(paths, start)) for start in range(GRID.size**2)])
    lower = changes < -1e-12
    early = np.concatenate([np.diff(at_decreases(paths, start))[:LATE_DECREASES] for start in range(GRID.size**2)])
    note = (
        f"by {-changes.min():.3f} at most; of the first {LATE_DECREASES} of every start {(early < -1e-12).mean():.3f}; "
        "convergence does not need that each raises it"
    )
    return Measured(value=float(lower.mean()), note=note)


def assumption(_data: Data) -> Measured:
    """The part of the decreases with x1 >= x2 after which x1' >= x2', that is g <= x1 - x2/2: a step of the proof."""
    paths = from_grid(STEPS)
    at = paths.decreases & (paths.multicast >= paths.tcp)
    x1, x2 = paths.multicast[at], paths.tcp[at]
    holds = x1 - x2 / 2 >= LAYER
    note = f"{int(at.sum())} such decreases; x1 - x2/2 is C/4 at least, and a layer is less"
    return Measured(value=float(holds.mean()), note=note)


def windowed(cap: float, _data: Data) -> Measured:
    """What both use of the capacity in the end state if TCP's rate ends at a cap, and how fair that is."""
    paths = from_grid(MEAN_STEPS, cap)
    means = np.array([rates[-MEAN_OF:].mean(axis=0) for rates in (paths.multicast, paths.tcp)])
    index = jain(*means)
    note = (
        f"multicast {means[0].min():.2f} to {means[0].max():.2f}, TCP {means[1].min():.2f} to {means[1].max():.2f}; "
        f"Jain's index {index.min():.3f} to {index.max():.3f}"
    )
    return Measured(value=float(means.sum(axis=0).mean()), note=note)


CRITERIA = [
    Criterion(
        name=f"Jain's index at the last {LATE_DECREASES} decreases of {STEPS} epochs, least over all starts",
        published="converges to 1 from any start",
        evaluate=late_index,
        low=0.99,
    ),
    *(
        Criterion(
            name=f"Jain's index of the means in the end state, {'largest' if largest else 'least'} over all starts",
            published="the fair allocation is kept",
            evaluate=partial(mean_index, largest),
            low=0.975,
        )
        for largest in (False, True)
    ),
    *(
        Criterion(
            name=f"TCP held at {plain(cap)} C by its window: part of the capacity that both use, mean of all starts",
            published="not in the model: the window does not bind",
            evaluate=partial(windowed, cap),
        )
        for cap in CAPS
    ),
    Criterion(
        name="part of the steps from one decrease to the next that lower the index",
        published="none",
        evaluate=lowering_cycles,
    ),
    Criterion(
        name="part of the decreases with multicast at or above TCP after which it still is (x1 ≥ x2, then x1' ≥ x2')",
        published='all: "it is easy to verify"',
        evaluate=assumption,
    ),
]

SHOWN_STARTS = ((0.05, 0.9), (0.1, 0.1), (0.9, 0.05))
SHOWN_DECREASES = 30


def figure(_data: Data) -> Figure:
    """The phase plot from three starts, and the index at decreases from all."""
    drawn, (plane, index) = panels(1, 2, width=PAGE_IN, height=3.3)
    starts = np.array(SHOWN_STARTS)
    paths = follow(starts[:, 0], starts[:, 1], 600)
    plane.plot([0, 1], [0, 1], color="black", linewidth=0.6)
    plane.plot([0, 1], [1, 0], color="black", linewidth=0.6, linestyle=(0, (4, 2)))
    plane.annotate(
        "equal rates", (0.97, 0.97), rotation=45, rotation_mode="anchor", ha="right", va="bottom", fontsize=6
    )
    plane.annotate("x1 + x2 = C", (0.1, 0.9), rotation=-45, rotation_mode="anchor", ha="left", va="bottom", fontsize=6)
    for series, (x1, x2) in enumerate(SHOWN_STARTS):
        trace(
            plane,
            paths.multicast[:, series].tolist(),
            paths.tcp[:, series].tolist(),
            label=f"from ({x1:g}, {x2:g})",
            series=series,
        )
        plane.plot([x1], [x2], marker=MARKERS[series], color=COLOURS[series])
    plane.set(xlabel="multicast x1 (C)", ylabel="TCP x2 (C)", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    plane.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, columnspacing=1.2, handlelength=1.5)
    plane.set_title("rates from three starts, 600 epochs")
    whole = from_grid(STEPS)
    found = np.array([at_decreases(whole, start)[:SHOWN_DECREASES] for start in range(GRID.size**2)])
    number = np.arange(1, SHOWN_DECREASES + 1)
    index.fill_between(number, found.min(axis=0), found.max(axis=0), color="#dddddd", label="least to greatest")
    index.plot(number, np.median(found, axis=0), color=COLOURS[0], marker="o", markersize=3, label="median")
    index.set(xlabel="decrease", ylabel="Jain's index", xlim=(1, SHOWN_DECREASES), ylim=(0.5, 1.01))
    index.set_title(f"Jain's index at decreases, {GRID.size**2} starts")
    index.legend(loc="lower right")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    lower = lowering_cycles(data).value or 0.0
    found = mean_indices()
    return (
        f"From all {GRID.size**2} starts Jain's fairness index comes to at least {late_index(data).value:.4f} at the "
        f"moments of decrease, and that of the mean rates to between {found.min():.3f} and {found.max():.3f}; in "
        f"{percent(lower, 1)} of the steps from one decrease to the next it falls, which the proof rules out."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-analysis",
        paper="peng",
        place="Section III.A.2",
        title="The model of one multicast and one TCP flow",
        published="From any start the two flows come to a fair allocation and keep it.",
        points=lambda _quick: list[Point](),
        criteria=CRITERIA,
        figure=figure,
        says=says,
        reps=1,
    )
]
