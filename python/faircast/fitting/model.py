"""The model: what a fit found, its file, and what it says of itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, brief
from faircast.fitting.levels import Levels
from faircast.fitting.measured import QUANTITIES
from faircast.fitting.memory import ORDER, Memory, Slots
from faircast.storage import write_json

if TYPE_CHECKING:
    from faircast.fitting.checking import Check
    from faircast.fitting.drawing import Drawn

FORMAT = 1
SHOWN = {"rate": (1e-6, "Mbit/s"), "delay": (1e3, "ms"), "loss": (100.0, "%")}
"""What a level is multiplied by for people, and its unit then."""


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """One measured receiver.

    Parameters
    ----------
    file
        The file of its measurements, as it was given.
    sha256
        Of the file.
    form
        ``"CSV"``, ``"LENS"`` or ``"Mahimahi"``.
    remarks
        How the file was understood where it could have been meant otherwise.
    start
        When what was fitted begins, ns in the file's time.
    steps
        How many steps that is.
    known
        In how many of them something was known.
    levels
        How often each level is there.
    memory
        How long it remembers.
    mean_error
        The standard error of the mean level, by the model's own memory; in the unit of the level.
    """

    file: str
    sha256: str
    form: str
    remarks: tuple[str, ...]
    start: int
    steps: int
    known: int
    levels: Levels
    memory: Memory
    mean_error: float


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A model of levels and correlations, fitted to measured series by `faircast.fit`.

    Parameters
    ----------
    quantity
        What it draws: ``"rate"`` (bit/s), ``"delay"`` (s, one way) or ``"loss"`` (a probability).
    column
        Which column of the files was asked for, if one was.
    step
        The time between two levels, ns.
    receivers
        The measured ones.
    slots
        When the network may change at once for all receivers, ``None`` where the data do not show it.
    correlation
        Of the normals behind the levels, for each two measured receivers at the same time; ``None`` where it cannot be
        known, of one file or of files that were not measured together.
    correlation_error
        The greatest standard error of one of them.
    """

    quantity: str
    column: str | None
    step: int
    receivers: tuple[Receiver, ...]
    slots: Slots | None
    correlation: tuple[tuple[float, ...], ...] | None
    correlation_error: float | None

    @property
    def out_is_low(self) -> bool:
        """Whether an outage counts as less than any level (of rates) or as more (of delays and losses)."""
        return self.quantity == "rate"

    @property
    def mean_correlation(self) -> float | None:
        """The mean over all pairs of measured receivers; None where it is not known."""
        if self.correlation is None:
            return None
        pairs = [row[j] for i, row in enumerate(self.correlation) for j in range(i)]
        return sum(pairs) / len(pairs)

    def save(self, path: str | Path) -> None:
        """Write the model to a file in JSON, for `load`, ``faircast draw`` and those who want to read it."""
        write_json(Path(path), {"faircast_fit": FORMAT, **asdict(self)})

    @staticmethod
    def load(path: str | Path) -> Fitted:
        """A model that `save` wrote. Raises `InputError` if the file is no such model."""
        return _load(Path(path))

    def draw(self, receivers: int, *, duration: str | float, seed: int = 1, correlation: float | None = None) -> Drawn:
        """Levels of so many receivers over time, drawn together; the same for the same arguments.

        Parameters
        ----------
        receivers
            How many. Up to the number of measured ones each is one of them; beyond, they follow in turn, and each two
            have the mean correlation of the measured ones.
        duration
            How long, in seconds or as a text with its unit.
        seed
            What random numbers begin with.
        correlation
            Of the normals of each two receivers, 0 to below 1, in place of the fitted ones. It must be given where the
            fit could not know it.

        Returns
        -------
        Drawn
            The levels, and `Drawn.write` for files.

        Raises
        ------
        InputError
            If an argument is not legal, or the correlation is not known.
        """
        from faircast.fitting.drawing import draw

        return draw(self, receivers, duration=duration, seed=seed, correlation=correlation)

    def check(self, *, seed: int = 1) -> Check:
        """What was measured beside what this model draws: levels and correlations of each receiver and each pair.

        The measured numbers are those of the files, which must lie where they lay. Raises `InputError` if one of them
        is not there or another one.
        """
        from faircast.fitting.checking import check

        return check(self, seed=seed)

    @property
    def fitted_to(self) -> list[str]:
        """What the model was fitted to, a sentence for each file."""
        told = []
        for one in self.receivers:
            what = f"{one.form}{', ' if one.remarks else ''}{', '.join(one.remarks)}"
            seconds = one.steps * self.step / 1e9
            holes = f", {one.steps - one.known} of them unknown" if one.known < one.steps else ""
            told.append(
                f"{one.file} ({what}): {seconds:g} s in {one.steps} steps of {self.step / 1e9:g} s{holes}, "
                f"SHA-256 {one.sha256[:12]}"
            )
        return told

    @property
    def cannot_say(self) -> list[str]:
        """What the model knows nothing of, a sentence for each."""
        n = len(self.receivers)
        longest = max(one.steps for one in self.receivers) * self.step / 1e9
        told = [
            "Nothing is known of other places, other times, other terminals, other operators or constellations than "
            f"{'that' if n == 1 else 'those'} of {'this file' if n == 1 else 'these files'}.",
            f"Nothing is known of what changes more slowly than the {longest:g} s that were measured, such as hours of "
            "the day or weather; levels are drawn as if it were always like then.",
        ]
        if self.correlation is None:
            told.append("How receivers go together is not known: the files do not show it, so it must be given.")
        told.append(
            f"Receivers beyond {n} are drawn like the measured {'one' if n == 1 else 'ones in turn'}: how far others "
            "would differ is not known."
        )
        told.append(
            "Normals carry what receivers share. That all fade at once is rarer in them than where one cause, such as "
            "a cloud or a gateway, takes all. Rate and delay of one receiver are not drawn together."
        )
        return told

    def __repr__(self) -> str:
        from faircast.display.grid import described, some

        scale, unit = SHOWN[self.quantity]
        means = ", ".join(f"{one.levels.mean * scale:.4g}" for one in self.receivers[:8])
        mean = self.mean_correlation
        return described(
            "Fitted",
            f"{self.quantity} of {len(self.receivers)} receivers in steps of {self.step / 1e9:g} s",
            f"fitted to {some([one.file for one in self.receivers])}",
            f"means in {unit}: {means}{', ..' if len(self.receivers) > 8 else ''}",
            f"slots of {self.slots.period / 1e9:g} s" if self.slots else "no slots",
            "correlation of receivers not known" if mean is None else f"correlation of receivers {mean:.2f} on average",
        )


def _load(path: Path) -> Fitted:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InputError(f"{path} is not a model that faircast fit wrote") from error
    if not isinstance(content, dict) or "faircast_fit" not in content:
        raise InputError(f"{path} is not a model that faircast fit wrote")
    if content["faircast_fit"] != FORMAT:
        raise InputError(f"{path} has the format {brief(content['faircast_fit'])}; legal is {FORMAT}")
    try:
        fitted = _fitted(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is not a whole model: {brief(error)}") from error
    return fitted


def _fitted(content: Mapping[str, Any]) -> Fitted:
    receivers = tuple(
        Receiver(
            file=str(one["file"]),
            sha256=str(one["sha256"]),
            form=str(one["form"]),
            remarks=tuple(map(str, one["remarks"])),
            start=int(one["start"]),
            steps=int(one["steps"]),
            known=int(one["known"]),
            levels=Levels(
                out=float(one["levels"]["out"]),
                edges=tuple(map(float, one["levels"]["edges"])),
                means=tuple(map(float, one["levels"]["means"])),
            ),
            memory=Memory(
                slot_share=float(one["memory"]["slot_share"]),
                slot_memory=float(one["memory"]["slot_memory"]),
                coefficients=tuple(map(float, one["memory"]["coefficients"])),
            ),
            mean_error=float(one["mean_error"]),
        )
        for one in content["receivers"]
    )
    slots = content["slots"]
    correlation = content["correlation"]
    error = content["correlation_error"]
    fitted = Fitted(
        quantity=str(content["quantity"]),
        column=None if content["column"] is None else str(content["column"]),
        step=int(content["step"]),
        receivers=receivers,
        slots=None if slots is None else Slots(period=int(slots["period"]), offset=int(slots["offset"])),
        correlation=None if correlation is None else tuple(tuple(map(float, row)) for row in correlation),
        correlation_error=None if error is None else float(error),
    )
    _whole(fitted)
    return fitted


def _whole(fitted: Fitted) -> None:
    """Raises `ValueError` for numbers that no fit gives."""

    def need(is_so: bool, what: str) -> None:
        if not is_so:
            raise ValueError(what)

    n = len(fitted.receivers)
    need(fitted.quantity in QUANTITIES, f"there is no quantity {fitted.quantity}")
    need(fitted.step > 0, "the step is not above 0")
    need(n > 0, "there is no receiver")
    need(fitted.slots is None or fitted.slots.period >= fitted.step, "slots are shorter than a step")
    for one in fitted.receivers:
        levels, memory = one.levels, one.memory
        need(0 <= levels.out <= 1, f"out of {one.file} is not a share")
        need(len(levels.edges) == len(levels.means) + 1 > 1, f"levels of {one.file} are not whole")
        rising = [x for pair in zip(levels.edges, levels.means, strict=False) for x in pair] + [levels.edges[-1]]
        need(all(a <= b for a, b in pairwise(rising)), f"levels of {one.file} do not rise")
        need(rising[0] >= 0 and math.isfinite(rising[-1]), f"levels of {one.file} are not levels")
        need(0 <= memory.slot_share < 1 and 0 <= memory.slot_memory < 1, f"slots of {one.file} are no shares")
        need(len(memory.coefficients) <= ORDER, f"the memory of {one.file} has more than {ORDER} coefficients")
        need(_stays(memory.coefficients), f"the memory of {one.file} grows without end")
    if fitted.correlation is not None:
        rows = fitted.correlation
        need(n > 1 and len(rows) == n and all(len(row) == n for row in rows), "the correlations are not whole")
        need(
            all(abs(rows[i][j]) <= 1 and rows[i][j] == rows[j][i] for i in range(n) for j in range(n)),
            "the correlations are none",
        )


def _stays(coefficients: tuple[float, ...]) -> bool:
    """Whether an autoregression stays: all partial correlations, by Durbin's recursion downwards, are below 1."""
    phi = list(coefficients)
    while phi:
        last = phi.pop()
        if not abs(last) < 1:
            return False
        phi = [(c + last * phi[len(phi) - 1 - j]) / (1 - last**2) for j, c in enumerate(phi)]
    return True
