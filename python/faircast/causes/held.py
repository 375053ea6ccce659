"""Explanations that rest on the tables of a result alone: nothing is run again for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation
from faircast.causes.question import ANSWERS, kind_of
from faircast.errors import InputError
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
    try:
        return ANSWERS[kind_of(evidence, flow)](evidence, flow, "", at_s)
    except InputError:
        return None
