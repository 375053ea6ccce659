"""Why rates fell: of the deepest falls what `faircast why` says, where the tables hold all that it needs.

As a rule they do not hold the packets, and `why` runs the seed again to see them. A report runs nothing: then it has
the command that does.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from faircast.causes.explanation import Explanation, rate
from faircast.reporting.thinning import Kept, read

if TYPE_CHECKING:
    from faircast.reporting.tables import Table
    from faircast.results import RunResult

MOST = 5
"""Falls that are explained, the deepest of each flow or session."""
MOST_ROWS = 3_000_000
"""In longer tables nothing is looked for."""


LATELY = 3.0
"""Probe intervals between what an explanation tells of and the end of that in which the rate was less."""


class Explainer(NamedTuple):
    """Who explains falls."""

    kinds: Collection[str]
    """The protocols that can be explained."""
    explain: Callable[[RunResult, str, float], Explanation | None]
    """Called with a result, a flow and a moment; None if the tables do not tell."""


def reasons(
    result: RunResult,
    flows: Table | None,
    traffic: Sequence[Mapping[str, Any]],
    warmup_s: float,
    folder: Path | None,
    interval_s: float,
    explainer: Explainer | None,
) -> list[dict[str, Any]]:
    """The deepest fall of each flow or session after the warm-up, with its causes or the command that finds them."""
    if explainer is None or flows is None or flows.rows > MOST_ROWS:
        return []
    able = [one["name"] for one in traffic if one["kind"] in explainer.kinds]
    found = []
    for flow, at_s, before, after in falls(flows, able, warmup_s)[:MOST]:
        said = explainer.explain(result, flow, at_s)
        if said is None and folder is None:
            continue
        if said is not None and not is_fall(said, at_s - LATELY * interval_s):
            continue  # the rate of the receivers fell then, and not by what the sender did
        told: dict[str, Any] = {"seed": result.seed, "t_s": at_s, "flow": flow}
        if said is not None:
            told |= {"headline": said.headline, "steps": [step.text for step in said.steps], "command": ""}
        else:
            options = ["--at", f"{at_s:g} s", "--flow", flow, "--seed", str(result.seed)]
            command = shlex.join(["faircast", "why", str(folder), *options])
            headline = f"The rate of {flow} fell from {rate(before)} to {rate(after)}."
            told |= {"headline": headline, "steps": [], "command": command}
        found.append(told)
    return sorted(found, key=lambda one: one["t_s"])


def is_fall(said: Explanation, since_s: float) -> bool:
    """Whether an explanation tells of something that happened since a moment and made a rate less."""
    facts = said.steps[0].facts if said.steps else {}
    rose = "after_bps" in facts and facts["after_bps"] > facts["before_bps"]
    return said.moment_s is not None and said.moment_s >= since_s and not rose


def falls(flows: Table, able: Sequence[str], warmup_s: float) -> list[tuple[str, float, float, float]]:
    """Flow, moment, rate before and after of the deepest fall of each, the deepest first."""
    import numpy as np

    columns = read(flows, Kept(None), ("t_s", "flow", "rate_bps"))
    names = {word: code for code, word in enumerate(columns["flow"].words)}
    found = []
    for flow in able:
        own = (columns["flow"].codes == names.get(flow, -1)) & (columns["t_s"] > warmup_s)
        t_s, rates = columns["t_s"][own], columns["rate_bps"][own]
        if len(rates) < 2:
            continue
        fall = np.nan_to_num(rates[:-1] - rates[1:], nan=0.0)
        deepest = int(np.argmax(fall))
        if fall[deepest] > 0:
            found.append((flow, float(t_s[deepest + 1]), float(rates[deepest]), float(rates[deepest + 1])))
    return sorted(found, key=lambda one: one[3] - one[2])
