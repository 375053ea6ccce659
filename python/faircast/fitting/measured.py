"""Files of measurements: the generic CSV of changes, LENS's CSV, Mahimahi's lists of opportunities.

The generic CSV is the one of `docs/changes.md`. LENS [LENS] writes a line per probe, ``timestamp,rtt,uplink,downlink``:
the timestamp in ns since 1970, the others in ms, in files that others have made of it also in ns; -1 in one of them is
a loss. Mahimahi [Mahimahi] writes the millisecond of each opportunity to send a packet of 1504 bytes, one per line.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from faircast.errors import InputError, brief, nearest
from faircast.quantity import RATES, TIMES, read

OPPORTUNITY_BITS = 1504 * 8
"""Of a packet of Mahimahi: 1500 bytes and four of its header."""
LENS_COLUMNS = ("rtt", "uplink", "downlink")
LENS_IN_NS = 1e4
"""The median round-trip time of a file from which it is one in ns: 10 s if it were in ms, 10 us if it is in ns."""
QUANTITIES = ("rate", "delay", "loss")
SLOWEST = 10.0
"""The lowest rate that a link may have, bit/s; what is below is an outage."""
GREATEST = {"rate": 1e13, "delay": 3600.0, "loss": 1.0}
"""What a link may have at most."""
LONG = 10
"""So many times the median a level lasts when it is said."""
LARGEST = 1 << 30
"""Bytes of a file at most."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One measured series.

    Parameters
    ----------
    file
        The file's name, as it was given.
    sha256
        Of its bytes.
    form
        What it is: ``"CSV"``, ``"LENS"``, ``"Mahimahi"``.
    quantity
        What was measured: ``"rate"`` (bit/s), ``"delay"`` (s, one way) or ``"loss"`` (a probability).
    is_held
        Whether a value lasts until the next one; otherwise it is a sample.
    times
        When, ns, rising.
    values
        The levels; NaN where nothing is known or all is out.
    is_out
        Where there was an outage: the link down, no opportunity, the probe lost.
    remarks
        How the file was understood where it could have been meant otherwise.
    """

    file: str
    sha256: str
    form: str
    quantity: str
    is_held: bool
    times: np.ndarray[Any, np.dtype[np.int64]]
    values: np.ndarray[Any, np.dtype[np.float64]]
    is_out: np.ndarray[Any, np.dtype[np.bool_]]
    remarks: tuple[str, ...] = field(default=())


class _Wrong(Exception):  # noqa: N818 - becomes an InputError with the file's name
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_measured(path: Path, *, column: str | None = None) -> Measured:
    """A file of measurements.

    `column`: which one, if it has several: ``rate``, ``delay`` or ``loss`` of the generic CSV, ``rtt`` (the default),
    ``uplink`` or ``downlink`` of LENS. Raises `InputError` with the file and the line if it cannot be read.
    """
    try:
        if not path.is_file():
            raise InputError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give a file of measurements")
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} has more than {LARGEST} bytes; fit a part of it")
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text in UTF-8") from error
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
    if not lines:
        raise InputError(f"{path} is empty; legal are a CSV, LENS's CSV or Mahimahi's opportunities")
    known: dict[str, Any] = {"file": str(path), "sha256": hashlib.sha256(content).hexdigest()}
    try:
        if lines[0][1].replace(" ", "") == "timestamp,rtt,uplink,downlink":
            return _lens(lines, column, known)
        if lines[0][1].isdecimal():
            return _mahimahi(lines, column, known)
        return _csv(lines, column, known)
    except _Wrong as wrong:
        raise InputError(f"{path}, line {wrong.line}: {wrong}") from None


def _mahimahi(lines: list[tuple[int, str]], column: str | None, known: dict[str, Any]) -> Measured:
    if column not in (None, "rate"):
        raise _Wrong(lines[0][0], f"Mahimahi's opportunities are rates; there is no column {brief(column)}")
    stamps = np.empty(len(lines), dtype=np.int64)
    before = 0
    for i, (n, line) in enumerate(lines):
        if not (line.isascii() and line.isdecimal()):
            raise _Wrong(n, f"{brief(line)} is not legal; legal is a whole number of milliseconds")
        at = int(line)
        if at < before:
            raise _Wrong(n, f"time runs back, from {before} to {at} ms; legal is the same or later in every line")
        if at > 1 << 40:
            raise _Wrong(n, f"{at} ms are more than 34 years; legal are milliseconds from the start")
        stamps[i] = before = at
    if before == 0:
        raise _Wrong(lines[-1][0], "all opportunities are at 0 ms; legal is a file that ends later")
    return Measured(
        form="Mahimahi",
        quantity="rate",
        is_held=False,
        times=stamps * 1_000_000,
        values=np.full(len(stamps), float(OPPORTUNITY_BITS)),
        is_out=np.zeros(len(stamps), dtype=bool),
        **known,
    )


def _lens(lines: list[tuple[int, str]], column: str | None, known: dict[str, Any]) -> Measured:
    wanted = column or "rtt"
    if wanted not in LENS_COLUMNS:
        near = nearest(wanted, LENS_COLUMNS)
        raise _Wrong(lines[0][0], f"there is no column {brief(wanted)}{near}; legal are {', '.join(LENS_COLUMNS)}")
    if len(lines) == 1:
        raise _Wrong(lines[0][0], "there is no line after the first one")
    stamps, cells_of = [], []
    for n, line in lines[1:]:
        cells = line.split(",")
        if len(cells) != 4:
            raise _Wrong(n, f"{len(cells)} cells for 4 columns")
        try:
            stamps.append(int(cells[0]))
            cells_of.append((float(cells[1]), float(cells[2]), float(cells[3])))
        except ValueError:
            raise _Wrong(n, f"{brief(line)} is not legal; legal are four numbers, the first a whole one") from None
        if not 0 <= stamps[-1] < 1 << 63:
            raise _Wrong(n, f"the timestamp {brief(cells[0])} is not legal; legal are ns from 0 on")
    times, rows = np.array(stamps, dtype=np.int64), np.array(cells_of)

    def refuse(where: np.ndarray[Any, np.dtype[np.bool_]], why: Callable[[int], str]) -> None:
        """The first line of which that is so, if there is one."""
        if where.any():
            first = int(np.argmax(where))
            raise _Wrong(lines[1 + first][0], why(first))

    finite = np.isfinite(rows).all(axis=1)
    refuse(~finite, lambda i: f"{brief(lines[1 + i][1])} is not legal; legal are four numbers, the first a whole one")
    back = np.diff(times, prepend=-1) <= 0
    refuse(back, lambda i: f"time runs back, from {times[i - 1]} to {times[i]} ns; legal is later in every line")
    refuse(
        (rows[:, 0] < 0) & (rows[:, 0] != -1),
        lambda i: f"the rtt {rows[i, 0]:g} is negative; legal is a time, or -1 for a loss",
    )
    lost = rows == -1
    is_lost = lost.any(axis=1)
    rtts = rows[~is_lost, 0]
    in_ns = len(rtts) > 0 and float(np.median(rtts)) >= LENS_IN_NS
    k = LENS_COLUMNS.index(wanted)
    values = rows[:, k] * (1e-9 if in_ns else 1e-3)
    if wanted == "rtt":
        values, is_out = values / 2, is_lost
    else:
        refuse(
            (rows[:, k] < 0) & ~is_lost,
            lambda _: f"the {wanted} delay is negative: the clocks were apart; take the column rtt",
        )
        is_out = lost[:, k] | lost[:, 0]
    refuse(values > GREATEST["delay"], lambda _: f"the {wanted} is more than an hour; legal is up to 1 h")
    remarks = [f"{wanted} in {'ns' if in_ns else 'ms'}" + (", half of it one way" if wanted == "rtt" else "")]
    values = np.where(is_lost, np.nan, values)
    return Measured(
        form="LENS",
        quantity="delay",
        is_held=False,
        times=times,
        values=values,
        is_out=is_out,
        remarks=tuple(remarks),
        **known,
    )


def _csv(lines: list[tuple[int, str]], column: str | None, known: dict[str, Any]) -> Measured:
    first, heading = lines[0]
    columns = list(_header(first, heading))
    names = [name for name, _ in columns]
    there = [name for name in names if name in QUANTITIES]
    if "time" not in names:
        raise _Wrong(first, "there is no column time")
    if column is not None and column not in there:
        near = nearest(column, there)
        raise _Wrong(first, f"there is no column {brief(column)}{near}; there are {', '.join(there) or 'no levels'}")
    if column is None and len(there) != 1:
        said = f"there are {', '.join(there)}; say which with column" if there else "there is no rate, delay or loss"
        raise _Wrong(first, said)
    wanted = column or there[0]
    times = np.empty(len(lines) - 1, dtype=np.int64)
    values = np.empty(len(lines) - 1)
    is_out = np.zeros(len(lines) - 1, dtype=bool)
    value, is_up, before = math.nan, True, -1
    for i, (n, line) in enumerate(lines[1:]):
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) > len(columns):
            raise _Wrong(n, f"{len(cells)} cells for {len(columns)} columns")
        at = None
        for (name, unit), cell in zip(columns, cells, strict=False):
            if not cell:
                continue
            if name == "time":
                at = round(_number(n, name, cell, unit, TIMES) * 1e9)
            elif name == wanted:
                value = _number(n, name, cell, unit, {"rate": RATES, "delay": TIMES}.get(name, {"": 1.0}))
                if value > GREATEST[name]:
                    most = {"rate": "10000 Gbit/s", "delay": "1 h", "loss": "1"}[name]
                    raise _Wrong(n, f"column {name}: {brief(cell)} is not legal; legal is up to {most}")
            elif name == "up":
                if cell not in ("0", "1", "false", "true"):
                    raise _Wrong(n, f"column up: {brief(cell)} is not legal; legal are 1, 0, true and false")
                is_up = cell in ("1", "true")
        if at is None:
            raise _Wrong(n, "the time is missing")
        if at <= before:
            raise _Wrong(n, f"time runs back, from {before / 1e9:g} to {at / 1e9:g} s; legal is later in every line")
        times[i] = before = at
        is_out[i] = not is_up or (wanted == "rate" and value < SLOWEST)
        values[i] = math.nan if is_out[i] else value
    if len(times) < 2:
        raise _Wrong(lines[-1][0], "the file ends here; legal are at least two lines after the names of the columns")
    return Measured(
        form="CSV",
        quantity=wanted,
        is_held=True,
        times=times,
        values=values,
        is_out=is_out,
        remarks=_longest_hold(times, [n for n, _ in lines[1:]]),
        **known,
    )


def _longest_hold(times: np.ndarray[Any, np.dtype[np.int64]], numbers: list[int]) -> tuple[str, ...]:
    """That a level lasts much longer than others: nothing may have changed then, or nothing was measured."""
    lasts = np.diff(times)
    longest, usual = int(np.argmax(lasts)), float(np.median(lasts))
    if lasts[longest] <= LONG * usual:
        return ()
    told = f"{lasts[longest] / 1e9:g} s before line {numbers[longest + 1]}"
    return (f"a level lasts {told}, others {usual / 1e9:g} s: cut the file there if nothing was measured",)


def _header(n: int, line: str) -> Iterator[tuple[str, str]]:
    seen = set()
    for cell in line.split(","):
        name, bracket, unit = cell.partition("[")
        name, unit = name.strip(), unit.strip().removesuffix("]").strip()
        if name == "value" and bracket:  # what a value is its unit says
            name = "rate" if unit in RATES else "delay" if unit in TIMES else name
        legal = ("time", *QUANTITIES, "up")
        if name not in legal:
            said = "; a value needs a unit, as value [Mbit/s]" if name == "value" else nearest(name, legal)
            raise _Wrong(n, f"there is no column {brief(name)}{said}; legal are {', '.join(legal)}")
        if name in seen:
            raise _Wrong(n, f"the column {name} is named twice")
        seen.add(name)
        yield name, unit


def _number(n: int, name: str, cell: str, unit: str, units: dict[str, float]) -> float:
    found = read(f"{cell} {unit}" if unit else cell)
    if found is None or found.unit not in units or not math.isfinite(found.number) or found.number < 0:
        kind = next(iter(units)) if units else ""
        what = {"": "a probability from 0 to 1", "bit/s": "a rate, as 2 Mbit/s", "ns": "a time, as 20 ms"}[kind]
        raise _Wrong(n, f"column {name}: {brief(cell)}{f' {unit}' if unit else ''} is not legal; legal is {what}")
    return found.number * units[found.unit]
