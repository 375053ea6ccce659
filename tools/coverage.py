"""How often intervals hold at the moment at which seeds stop being added; prints the tables of docs/seeds.md.

Metrics are drawn whose mean is known. Each repetition adds values by the rule of `faircast.stopping` and stops where it
stops; counted is how often the interval given there has the mean in it. The half width that is asked for is said by the
number of seeds that it would take if the standard deviation were known, `(1.96 σ/h)²`.

    python tools/coverage.py                    # 10 000 repetitions, two minutes of one core
    python tools/coverage.py --repetitions 500
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from faircast.sequential import confidence_of_each, half_width, looks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]

FIRST, LAST = 10, 2000
KNOWN = (3, 10, 20, 40, 80, 160, 320)
"""Seeds that a known standard deviation would take."""
PARTS = (0.05, 0.1, 0.2, 0.3)
"""Half widths as parts of the mean."""
BLOCK = 250
"""Repetitions in memory at once."""


@dataclass(frozen=True)
class Kind:
    """A metric with mean 0 and standard deviation 1, or with mean 1."""

    name: str
    draw: Draw
    mean: float = 0.0


def standard(draw: Draw, mean: float, deviation: float) -> Draw:
    """A metric of this mean and deviation, made one with mean 0 and standard deviation 1."""
    return lambda random, shape: (draw(random, shape) - mean) / deviation


def lognormal(sigma: float) -> Draw:
    """A lognormal metric in standard units."""
    mean = math.exp(sigma**2 / 2)
    return standard(lambda r, s: np.exp(sigma * r.standard_normal(s)), mean, mean * math.sqrt(math.expm1(sigma**2)))


def two_values(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """One run in ten collapses: 1 in nine of ten, 0 else, in standard units."""
    return (np.where(random.random(shape) < 0.1, 0.0, 1.0) - 0.9) / 0.3


KINDS = (
    Kind("normal", lambda r, s: r.standard_normal(s)),
    Kind("exponential", lambda r, s: r.exponential(size=s) - 1),
    Kind("lognormal, σ = 0.5", lognormal(0.5)),
    Kind("lognormal, σ = 1", lognormal(1.0)),
)
COLLAPSE = Kind("two values, one of ten runs", two_values)
WITH_MEAN = (
    Kind("normal, σ = 0.3", lambda r, s: 1 + 0.3 * r.standard_normal(s), 1.0),
    Kind("exponential", lambda r, s: r.exponential(size=s), 1.0),
    Kind("lognormal, σ = 0.5", lambda r, s: np.exp(0.5 * r.standard_normal(s) - 0.125), 1.0),
    Kind("lognormal, σ = 1", lambda r, s: np.exp(r.standard_normal(s) - 0.5), 1.0),
    Kind("two values, one of ten runs", lambda r, s: np.where(r.random(s) < 0.1, 0.0, 1.0), 0.9),
)


@dataclass(frozen=True)
class Found:
    """What became of one kind with one half width."""

    covered: float
    """Part of the repetitions whose interval at the stop has the mean."""
    student: float
    """How often Student's 95 % interval has it at the same stop."""
    plain: float
    """How often Student's interval has it where one stops by that."""
    seeds: float
    """Seeds that it took on average."""
    plain_seeds: float
    """Seeds on average where one stops by Student's interval."""


def at_stops(
    kind: Kind,
    halves: Sequence[Callable[[NDArray[np.float64]], NDArray[np.float64]]],
    repetitions: int,
    seed: int,
    last: int = LAST,
) -> list[Found]:
    """For each half width, a function of the mean so far, what becomes of repetitions."""
    random = np.random.default_rng(seed)
    counts = looks(FIRST, last)
    sums = np.zeros((len(halves), 5))
    for done in range(0, repetitions, BLOCK):
        size = min(BLOCK, repetitions - done)
        values = kind.draw(random, (size, last))
        own, student, means = [], [], []
        for n in counts:
            mean, spread, skewness = moments(values[:, :n])
            means.append(mean)
            own.append(half_width(n, spread, skewness))
            student.append(stdtrit(n - 1, 0.975) * spread / math.sqrt(n))
        for row, half in enumerate(halves):
            wanted = [half(mean) for mean in means]
            stop, plain = first_narrow(own, wanted), first_narrow(student, wanted)
            at = np.arange(size)
            apart = np.abs(np.array(means) - kind.mean)
            sums[row] += [
                (apart[stop, at] <= np.array(own)[stop, at] + 1e-12).sum(),
                (apart[stop, at] <= np.array(student)[stop, at] + 1e-12).sum(),
                (apart[plain, at] <= np.array(student)[plain, at] + 1e-12).sum(),
                np.array(counts)[stop].sum(),
                np.array(counts)[plain].sum(),
            ]
    return [Found(*(float(x) for x in row / repetitions)) for row in sums]


def moments(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean, standard deviation and skewness of each row; the last is 0 where all values are equal."""
    n = values.shape[1]
    mean = values.mean(axis=1)
    apart = values - mean[:, None]
    second, third = (apart**2).mean(axis=1), (apart**3).mean(axis=1)
    safe = np.where(second > 1e-20, second, 1.0)
    return mean, np.sqrt(second * n / (n - 1)), np.where(second > 1e-20, third / safe**1.5, 0.0)


def first_narrow(halves: Sequence[NDArray[np.float64]], wanted: Sequence[NDArray[np.float64]]) -> NDArray[np.intp]:
    """The first look at which each repetition is narrow enough, or the last one."""
    narrow = np.array([h <= w for h, w in zip(halves, wanted, strict=True)])
    narrow[-1] = True
    return narrow.argmax(axis=0)


def called_apart(kind: Kind, limit: int, repetitions: int, seed: int, shift: float = 0.0) -> tuple[float, float]:
    """Part of the repetitions in which any look up to a limit calls paired differences apart, and seeds on average.

    Differences are those of two independent values of the kind, `shift` standard deviations of a value apart.
    """
    random = np.random.default_rng(seed)
    counts = looks(FIRST, limit)
    level = confidence_of_each(counts)
    found = seeds = 0.0
    for done in range(0, repetitions, BLOCK):
        size = min(BLOCK, repetitions - done)
        values = kind.draw(random, (size, limit)) - kind.draw(random, (size, limit)) + shift
        apart = []
        for n in counts:
            mean, spread, _ = moments(values[:, :n])
            apart.append(np.abs(mean) > stdtrit(n - 1, (1 + level) / 2) * spread / math.sqrt(n))
        found += np.array(apart).any(axis=0).sum()
        apart[-1][:] = True
        seeds += np.array(counts)[np.array(apart).argmax(axis=0)].sum()
    return found / repetitions, seeds / repetitions


def absolute(known: int) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The half width that takes so many seeds if the deviation is known to be 1."""
    return lambda mean: np.full_like(mean, 1.959964 / math.sqrt(known))


def relative(part: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """A part of the mean."""
    return lambda mean: part * np.abs(mean)


def line(cells: Sequence[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def show(title: str, names: Sequence[str], rows: Sequence[tuple[str, Sequence[Found]]]) -> None:
    """Coverage and seeds, with those of stopping by Student's interval behind."""
    print(f"\n{title}\n")
    print(line(["metric", *names]))
    print(line(["---"] * (len(names) + 1)))
    for name, found in rows:
        cells = [f"{100 * f.covered:.1f} % ({f.seeds:.0f})" for f in found]
        print(line([name, *cells]))
        print(line([f"{name}, by Student's", *(f"{100 * f.plain:.1f} % ({f.plain_seeds:.0f})" for f in found)]))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    halves = [absolute(known) for known in KNOWN]
    rows = [(kind.name, at_stops(kind, halves, given.repetitions, given.seed)) for kind in (*KINDS, COLLAPSE)]
    show("Absolute widths, by the seeds that a known deviation takes", [str(known) for known in KNOWN], rows)
    parts = [relative(part) for part in PARTS]
    related = [(kind.name, at_stops(kind, parts, given.repetitions, given.seed)) for kind in WITH_MEAN]
    show("Widths relative to the mean", [f"{100 * part:g} %" for part in PARTS], related)
    print("\nWorst of each kind at the stop, Student's interval at the same stop\n")
    for name, found in [*rows, *((f"{name}, relative", found) for name, found in related)]:
        worst = min(found, key=lambda f: f.covered)
        print(line([name, f"{100 * worst.covered:.1f} %", f"{100 * min(f.student for f in found):.1f} %"]))
    print("\nEqual things called apart at any look (seeds on average), by --max-reps\n")
    limits = (10, 40, 200)
    print(line(["metric", *map(str, limits), "apart by 0.5 σ, 200"]))
    print(line(["---"] * (len(limits) + 2)))
    for kind in (*KINDS, COLLAPSE):
        wrong = [called_apart(kind, limit, given.repetitions, given.seed) for limit in limits]
        right = called_apart(kind, 200, given.repetitions, given.seed, shift=0.5)
        print(line([kind.name, *(f"{100 * part:.1f} % ({n:.0f})" for part, n in [*wrong, right])]))


if __name__ == "__main__":
    main()
