"""Table I: the parameters of the scheme, held against the defaults with which scenario 1 runs."""

from __future__ import annotations

from functools import partial
from typing import Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.peng.network import LIMIT_PKTS, Case
from faircast.quantity import seconds
from faircast.scenario import resolve

PUBLISHED = {
    "lower_threshold": ("F_QuThresh1, factor of the first threshold", 0.0),
    "upper_threshold": ("F_QuThresh2, factor of the second threshold", 0.8),
    "slow_factor": ("F_SlowDown, factor of the observation time in releases that follow each other", 1.5),
    "back_factor": ("F_BackOff, factor of the observation time upon congestion", 4.0),
    "excess": ("R_Block, part by which multicast must have more than TCP", 0.2),
    "interval": ("I_ChekQu, from one look at the queue to the next, s", 0.02),
    "observation": ("T_observe, the first observation time, s", 1.0),
}
"""Table I, by the keys of the agent."""


def agent() -> dict[str, Any]:
    """What the gateway's agent runs with: nothing is set but what scenario 3 varies, so these are the defaults."""
    found: dict[str, Any] = resolve(Case().of_seed(1)).data["stations"]["gateway"]["uplink"]["agent"]
    return found


def value(key: str) -> float:
    """A parameter as a number; times in seconds."""
    found = agent()[key]
    return float(found) if isinstance(found, int | float) else seconds(found, key)


def points(_quick: bool) -> list[Point]:
    """Nothing is simulated."""
    return []


def parameter(key: str, _data: Data) -> Measured:
    """One of them."""
    return Measured(value=value(key))


def criterion(key: str) -> Criterion:
    """The default is what is printed."""
    name, published = PUBLISHED[key]
    return Criterion(name=name, published=published, evaluate=partial(parameter, key), low=published, high=published)


def numbers(_data: Data) -> Numbers:
    """What the paper leaves open, and with what it runs here."""
    rows = [[key, str(found)] for key, found in agent().items() if key not in PUBLISHED and key != "kind"]
    return Numbers(columns=["choice", "here"], rows=[["queue limit", f"{LIMIT_PKTS} packets"], *rows])


def says(_data: Data) -> str:
    """What the table shows."""
    equal = sum(value(key) == published for key, (_, published) in PUBLISHED.items())
    how_many = f"All {equal}" if equal == len(PUBLISHED) else f"{equal} of the {len(PUBLISHED)}"
    return f"{how_many} parameters of Table I are what faircast runs with unless told otherwise."


EXPERIMENTS = [
    Experiment(
        id="peng-table1",
        paper="peng",
        place="Table I",
        title="Parameters of layer blocking",
        published="The paper runs layer blocking with these seven parameters.",
        points=points,
        criteria=[criterion(key) for key in PUBLISHED],
        numbers=numbers,
        says=says,
        reps=1,
    )
]
