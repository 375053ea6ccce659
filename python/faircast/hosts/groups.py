"""The groups of a session of layers, of which each end tells its part: the sender what it sent, receivers what came."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from faircast.hosts.records import Values

TABLE = "layers"
KEYS = ("t_s", "session", "group")
"""What a row is of."""
SENT = ("rate_bps", "sent_pkts", "sent_bytes")
"""What the sender alone knows."""


def joined(table: Mapping[str, Any]) -> dict[str, Values]:
    """One row for each group and interval, as simulations have it: of several receivers all together."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*(table[name] for name in KEYS), strict=True)):
        rows.setdefault(key, []).append(row)
    found: dict[str, Any] = {name: [key[place] for key in rows] for place, name in enumerate(KEYS)}
    found["layer"] = [table["layer"][several[0]] for several in rows.values()]
    for name in SENT:
        if name in table:
            found[name] = [one(table[name], several) for several in rows.values()]
    if "members" in table:
        members = [known(table["members"], several) for several in rows.values()]
        # A receiver's rate is that of the time in which it was in the group.
        bits = [
            sum(
                table["received_bps"][row] * table["members"][row]
                for row in several
                if table["members"][row] > 0 and not math.isnan(table["received_bps"][row])
            )
            for several in rows.values()
        ]
        found["members"] = [math.nan if not some else sum(some) for some in members]
        found["received_bps"] = [
            rate / sum(some) if sum(some) > 0 else math.nan for rate, some in zip(bits, members, strict=True)
        ]
        found["received_pkts"] = [total(table["received_pkts"], several) for several in rows.values()]
    return found


def one(values: Sequence[Any], rows: Sequence[int]) -> Any:
    """The value of the one row that has it; NaN if none has."""
    return next(iter(known(values, rows)), math.nan)


def total(values: Sequence[Any], rows: Sequence[int]) -> Any:
    """The sum of those that are known; NaN if none is."""
    some = known(values, rows)
    return sum(some) if some else math.nan


def known(values: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    """The values of these rows that are numbers."""
    return [values[row] for row in rows if not math.isnan(values[row])]
