"""Explanations that rest on the tables of a result alone: nothing is run again for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation
from faircast.causes.question import ANSWERS, kind_of
from faircast.errors import InputError
from faircast.hosts.records import SENDER
from faircast.results import RunResult

KINDS = frozenset(ANSWERS)
"""The protocols that can be explained."""


class Held(Evidence):
    """The evidence of a result that is not run again."""

    def _more(self, probes: Mapping[str, Any], what: str) -> RunResult:
        del probes
        raise InputError(f"the tables do not tell; that takes another run {what}")


def explained(result: RunResult, flow: str, at_s: float) -> Explanation | None:
    """Why the rate of a flow or session fell; None if more would have to be known than the tables hold."""
    evidence = Held(result.scenario, result.seed, result, "the result", lambda _: None)
    if not evidence.knows(SENDER):
        return None
    try:
        found = ANSWERS[kind_of(evidence, flow)](evidence, flow, "", at_s)
    except InputError:
        return None
    # On hosts rates of intervals differ by a packet or two also where the sender's does not.
    return found if not evidence.is_of_hosts or tells_of_change(found) else None


def tells_of_change(found: Explanation) -> bool:
    """Whether it is about a rate that has changed."""
    return bool(found.steps) and "after_bps" in found.steps[0].facts
