"""From a model to traces of receivers.

Each random number comes from a stream of its own, named after the receiver and what it is for, and nothing here is left
to a library whose order of additions is not known: the same model, seed and duration give the same bytes, a longer
duration begins with them, and of receivers beyond the measured ones the first are the same however many follow.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

from faircast.errors import InputError, brief
from faircast.fitting.memory import response
from faircast.quantity import seconds
from faircast.storage import new_file

if TYPE_CHECKING:
    from faircast.fitting.model import Fitted

MOST = 10_000
"""Receivers at most."""
CELLS = 100_000_000
"""Levels at most."""
HEADINGS = {
    "rate": ("rate [kbit/s]", 1e-3, 3, "up", ("1", "0")),
    "delay": ("delay [ms]", 1e3, 3, "loss", ("0", "1")),
    "loss": ("loss", 1.0, 6, "up", ("1", "0")),
}
"""Of each quantity the column, by what levels are multiplied there, with how many decimals, and how outages stand."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Levels of receivers over time, drawn together by `Fitted.draw`.

    Parameters
    ----------
    quantity
        ``"rate"`` (bit/s), ``"delay"`` (s) or ``"loss"`` (a probability).
    step
        How long each level lasts, ns.
    values
        The levels, a row for each receiver; while it is out, what was drawn is no matter.
    is_out
        Where a receiver is out: no rate, or what is sent is lost.
    """

    quantity: str
    step: int
    values: Floats
    is_out: Flags

    def trace(self, receiver: int) -> str:
        """The changes of one receiver, counted from 0, as a CSV for ``changes`` of a link.

        A rate that is out is ``up`` 0, a delay that is out ``loss`` 1. What stays as it is, is left out.
        """
        heading, scale, digits, outage, (there, away) = HEADINGS[self.quantity]
        levels = [f"{x:.{digits}f}" for x in self.values[receiver] * scale]
        outs = self.is_out[receiver].tolist()
        has_outages = any(outs)
        lines = [f"time [s],{heading},{outage}" if has_outages else f"time [s],{heading}"]
        level, state = "", ""
        for k, (new, out) in enumerate(zip(levels, outs, strict=True)):
            cell = "" if out or new == level else new
            flag = (away if out else there) if has_outages else ""
            shown = "" if flag == state else flag
            if not cell and not shown:
                continue
            level, state = cell or level, flag
            whole, rest = divmod(k * self.step, 1_000_000_000)
            at = f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
            lines.append(f"{at},{cell},{shown}" if has_outages else f"{at},{cell}")
        return "\n".join(lines) + "\n"

    def write(self, folder: str | Path, *, links: str = "access-right-*") -> list[Path]:
        """Write a trace for each receiver, and tables of links that name them; gives the paths.

        The folder gets ``receiver-0.csv``, ``receiver-1.csv``, .. and ``links.toml``, tables to add to a scenario that
        lies beside the folder; `links` is how its links are called, with ``*`` for the number of the receiver. Raises
        `InputError` if that is no name, or the folder holds something already.
        """
        where = Path(folder)
        if links.count("*") != 1 or any(not (sign.isalnum() or sign in "-_*") for sign in links):
            raise InputError(f"links are called {brief(links)}; legal is a name with one *, such as access-right-*")
        if where.exists() and (not where.is_dir() or any(where.iterdir())):
            raise InputError(f"{where} is there already; name a new folder")
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{where} cannot be made: {error.strerror}") from error
        paths = []
        tables = []
        for i in range(len(self.values)):
            paths.append(where / f"receiver-{i}.csv")
            with new_file(paths[-1]) as file:
                file.write(self.trace(i).encode())
            name = links.replace("*", str(i))
            tables.append(f'[links."{name}"]\nchanges = "{where.name}/receiver-{i}.csv"\n')
        paths.append(where / "links.toml")
        with new_file(paths[-1]) as file:
            file.write("\n".join(tables).encode())
        return paths


def draw(fitted: Fitted, receivers: int, *, duration: str | float, seed: int, correlation: float | None) -> Drawn:
    """Levels of receivers, drawn together; `Fitted.draw` tells what the arguments are. Raises `InputError`."""
    if not 1 <= receivers <= MOST:
        raise InputError(f"{receivers} receivers are asked for; legal are 1 to {MOST}")
    if not 0 <= seed < 1 << 64:
        raise InputError(f"the seed is {seed}; legal is 0 to {(1 << 64) - 1}")
    steps = -(-round(seconds(duration, "the duration") * 1e9) // fitted.step)
    if not 1 <= steps * receivers <= CELLS:
        raise InputError(
            f"{receivers} receivers over {brief(duration)} are {steps * receivers} levels; legal are 1 to {CELLS}"
        )
    if correlation is not None and not 0 <= correlation < 1:
        raise InputError(f"the correlation is {brief(correlation)}; legal is 0 to below 1")
    if correlation is None and fitted.correlation is None and receivers > 1:
        raise InputError(
            "how receivers go together is not known: one file, or files not measured together, do not show it; "
            "give a correlation, 0 if they have nothing to do with one another"
        )
    values, outs = np.empty((receivers, steps)), np.empty((receivers, steps), dtype=bool)
    for i, normal in enumerate(_normals(fitted, receivers, steps, seed, correlation)):
        one = fitted.receivers[i % len(fitted.receivers)]
        u, out = ndtr(normal), one.levels.out
        if out >= 1:
            values[i], outs[i] = one.levels.edges[0], True
            continue
        outs[i] = u < out if fitted.out_is_low else u > 1 - out
        values[i] = one.levels.at((u - out if fitted.out_is_low else u) / (1 - out))
    return Drawn(quantity=fitted.quantity, step=fitted.step, values=values, is_out=outs)


class _Part:
    """One part of the normals, what stays for a slot or what goes from step to step, by measured receivers."""

    def __init__(self, name: str, shares: list[float], coefficients: list[tuple[float, ...]]) -> None:
        self.name = name
        self.shares = shares
        self.coefficients = coefficients
        self.responses = [response(one) for one in coefficients]
        self.warm = max(map(len, self.responses))

    def shared(self, i: int, j: int) -> float:
        """The correlation of the normals of two receivers if the shocks of this part are the same for both.

        As if those of the other part were, too, and shared as much by their memories.
        """
        n = min(len(self.responses[i]), len(self.responses[j]))
        together = math.sqrt(self.shares[i] * self.shares[j])
        together += math.sqrt((1 - self.shares[i]) * (1 - self.shares[j]))
        return together * math.fsum((self.responses[i][:n] * self.responses[j][:n]).tolist())

    def run(self, i: int, shocks: Floats) -> Floats:
        """The part of one receiver from its shocks, of which the first are forgotten."""
        scale = float(self.responses[i][0])
        return np.asarray(lfilter([scale], [1.0, *(-phi for phi in self.coefficients[i])], shocks))[self.warm :]


def _normals(fitted: Fitted, receivers: int, steps: int, seed: int, given: float | None) -> Iterator[Floats]:
    """The normals of one receiver after the other."""
    memories = [one.memory for one in fitted.receivers]
    shares = [one.slot_share if fitted.slots else 0.0 for one in memories]
    within = _Part("within", shares, [one.coefficients for one in memories])
    of_step = _shocks(fitted, within, receivers, steps + within.warm, seed, given)
    if fitted.slots is not None:
        index = fitted.slots.index(0, fitted.step, steps)
        index -= index[0]
        slot = _Part("slot", shares, [(one.slot_memory,) for one in memories])
        of_slot = _shocks(fitted, slot, receivers, int(index[-1]) + 1 + slot.warm, seed, given)
    for i in range(receivers):
        kind = i % len(memories)
        normal = math.sqrt(1 - shares[kind]) * within.run(kind, of_step(i))
        if fitted.slots is not None:
            normal = normal + math.sqrt(shares[kind]) * slot.run(kind, of_slot(i))[index]
        yield normal


def _shocks(
    fitted: Fitted, part: _Part, receivers: int, length: int, seed: int, given: float | None
) -> Callable[[int], Floats]:
    """A function that gives the shocks of a receiver.

    Two receivers whose normals have the correlation c have shocks with c / (what they would share with equal shocks).
    For up to the measured number it is that of each two; shocks that cannot have all of them at once have the greatest
    part of them, the same for all, that they can. Beyond, all have one factor in common.
    """

    def own(i: int) -> Floats:
        return stream(seed, f"receiver-{i}/{part.name}", length)

    if receivers == 1:
        return own
    kinds = len(fitted.receivers)
    if given is None and fitted.correlation is not None and receivers <= kinds:
        of_pairs = fitted.correlation
        rows = [
            [1.0 if i == j else of_pairs[i][j] / part.shared(i, j) for j in range(receivers)] for i in range(receivers)
        ]
        weights = _weights(rows)
        numbers = [own(i) for i in range(receivers)]
        return lambda i: _sum([weight * one for weight, one in zip(weights[i], numbers, strict=False)])
    wanted = (fitted.mean_correlation if given is None else given) or 0.0
    count = [len(range(kind, receivers, kinds)) for kind in range(kinds)]
    shared = [count[i] * count[j] * part.shared(i, j) for i in range(kinds) for j in range(i)]
    shared += [n * (n - 1) / 2 for n in count]
    pairs = receivers * (receivers - 1) / 2
    factor = min(max(wanted * pairs / math.fsum(shared), 0.0), 0.9999)
    common = stream(seed, f"common/{part.name}", length)
    return lambda i: math.sqrt(factor) * common + math.sqrt(1 - factor) * own(i)


def _sum(terms: list[Floats]) -> Floats:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _weights(rows: list[list[float]]) -> list[list[float]]:
    """Cholesky's triangle of correlations; of those that are none together, of the greatest common part that is."""
    part = 1.0
    while True:
        found = _cholesky([[x if i == j else x * part for j, x in enumerate(row)] for i, row in enumerate(rows)])
        if found is not None:
            return found
        part -= 0.01


def _cholesky(rows: list[list[float]]) -> list[list[float]] | None:
    triangle: list[list[float]] = []
    for i, row in enumerate(rows):
        made: list[float] = []
        for j in range(i):
            rest = row[j] - math.fsum(a * b for a, b in zip(made, triangle[j], strict=False))
            made.append(rest / triangle[j][j])
        square = row[i] - math.fsum(a * a for a in made)
        if square <= 1e-12:
            return None
        triangle.append([*made, math.sqrt(square)])
    return triangle


def stream(seed: int, name: str, n: int) -> Floats:
    """`n` standard normals of a named stream.

    From the raw numbers of PCG64, whose sequence NumPy does not change, by the inverse of the distribution.
    """
    key = hashlib.sha256(f"faircast fit/{seed}/{name}".encode()).digest()
    raw = np.random.PCG64(int.from_bytes(key[:16], "little")).random_raw(n)
    return np.asarray(ndtri(((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53))
