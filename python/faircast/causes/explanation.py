"""What an explanation is: a change, the chain of its causes, what else the inputs would give, notes."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import Any

WIDTH = 80
"""Columns of `Explanation.text`."""


@dataclass(frozen=True)
class Step:
    """A link of the chain, from what is explained back to its first cause."""

    kind: str
    """What it is about: ``change``, ``report``, ``inputs``, ``loss-event``, ``packet``, ``limit``, ``router`` .."""
    text: str
    """A sentence or two."""
    t_s: float | None = None
    """When it happened, seconds."""
    facts: dict[str, Any] = field(default_factory=dict)
    """The numbers and names of the sentence."""

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; a number that there is not is null."""
        return {"kind": self.kind, "t_s": self.t_s, "text": self.text, **_plain(self.facts)}


@dataclass(frozen=True)
class WhatIf:
    """What the rate would be if an input of the equation were half or twice as large; the rates in bit/s."""

    input: str
    """``X_recv``, ``R`` or ``p``."""
    value: float
    unit: str
    halved_bps: float
    doubled_bps: float


@dataclass(frozen=True)
class Explanation:
    """Why something changed."""

    flow: str
    """The flow or session."""
    receiver: str
    """The receiver whose level or loss event is explained; empty if it is the rate of all."""
    kind: str
    """Its protocol: ``tcp``, ``tfmcc``, ``omcc``, ``layer-blocking``, ``rlm`` .."""
    seed: int
    at_s: float
    """What was asked for."""
    moment_s: float | None
    """The moment that is explained; None if nothing has changed before."""
    headline: str
    """One sentence: what changed, from what to what."""
    steps: tuple[Step, ...]
    what_ifs: tuple[WhatIf, ...] = ()
    """Of TFMCC and OMCC: the limiting receiver's inputs, half and twice as large."""
    rate_bps: float = math.nan
    """What the limiting receiver asks for as it is, bit/s: what the what-ifs are to be compared with."""
    notes: tuple[str, ...] = ()
    """What was decided on the way: which flow, which seed, that the run was repeated."""

    @property
    def text(self) -> str:
        """The explanation in words, 80 columns wide, with the table of what-ifs."""
        return self.wrapped(WIDTH)

    def wrapped(self, width: int) -> str:
        """The explanation in words without the table of what-ifs, so many columns wide."""
        lines = [*textwrap.wrap(self.headline, width), ""]
        for number, step in enumerate(self.steps, start=1):
            lead = f"{number}. "
            lines += textwrap.wrap(step.text, width, initial_indent=lead, subsequent_indent=" " * len(lead))
        if self.what_ifs:
            lines += ["", *textwrap.wrap(self.what_ifs_title, width)]
            rows = [WHAT_IF_COLUMNS, *self.what_if_rows()]
            widths = [max(len(row[place]) for row in rows) for place in range(len(WHAT_IF_COLUMNS))]
            for row in rows:
                cells = [
                    row[0].ljust(widths[0]),
                    *(cell.rjust(size) for cell, size in zip(row[1:], widths[1:], strict=True)),
                ]
                lines.append("  " + "   ".join(cells))
        if self.notes:
            lines.append("")
            for note in self.notes:
                lines += textwrap.wrap(note, width, initial_indent="Note: ", subsequent_indent="      ")
        return "\n".join(lines)

    @property
    def what_ifs_title(self) -> str:
        """The sentence above the table of what-ifs."""
        return (
            f"It asks for {rate(self.rate_bps)}. With one of its inputs half or twice as large, and no other receiver "
            "asking for less, that would be:"
        )

    def what_if_rows(self) -> list[list[str]]:
        """The what-ifs as cells of a table with the columns `WHAT_IF_COLUMNS`."""
        return [
            [one.input, amount(one.value, one.unit), rate(one.halved_bps), rate(one.doubled_bps)]
            for one in self.what_ifs
        ]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values, for machines."""
        return {
            "flow": self.flow,
            "receiver": self.receiver or None,
            "kind": self.kind,
            "seed": self.seed,
            "at_s": self.at_s,
            "moment_s": self.moment_s,
            "headline": self.headline,
            "chain": [step.to_json() for step in self.steps],
            "rate_bps": _plain(self.rate_bps),
            "what_ifs": [_plain(vars(one)) for one in self.what_ifs],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation of {self.flow} at {self.at_s:g} s>\n{self.text}"


WHAT_IF_COLUMNS = ["input", "now", "halved", "doubled"]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def rate(bps: float) -> str:
    """A rate for people: ``1.25 Mbit/s``."""
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if abs(bps) >= size:
            return f"{digits(bps / size)} {unit}"
    return f"{digits(bps)} bit/s"


def seconds(value: float) -> str:
    """A length of time for people: ``545 ms``, ``1.2 s``."""
    return f"{digits(1000 * value)} ms" if abs(value) < 1 else f"{digits(value)} s"


def moment(value: float) -> str:
    """A moment of the run: ``37.214 s``."""
    return f"{value:.3f} s"


def amount(value: float, unit: str) -> str:
    """A value with its unit."""
    if unit == "bit/s":
        return rate(value)
    if unit == "s":
        return seconds(value)
    return digits(value) if unit in ("", "1") else f"{digits(value)} {unit}"


def digits(value: float) -> str:
    """A number with three digits that count, without an exponent where it is not tiny."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else str(value)
    if value == 0 or abs(value) >= 1000:
        return f"{value:.0f}"
    text = f"{value:.3g}"
    return text if "e" not in text else f"{value:.2e}"


def by(before: float, after: float) -> str:
    """By how much something changed: ``by 43 %``."""
    if before <= 0 or not math.isfinite(before):
        return ""
    return f"by {digits(abs(after / before - 1) * 100)} %"


def counted(number: int, one: str, several: str = "") -> str:
    """``1 packet``, ``3 packets``."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def listed(numbers: list[int], most: int = 6) -> str:
    """Numbers in a sentence, ranges together: ``812, 815 to 819 and 11 more``."""
    parts: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    shown = [str(low) if low == high else f"{low} to {high}" for low, high in parts[:most]]
    left = sum(high - low + 1 for low, high in parts[most:])
    if left:
        return f"{', '.join(shown)} and {left} more"
    return ", ".join(shown[:-1]) + (" and " if len(shown) > 1 else "") + shown[-1] if shown else ""
