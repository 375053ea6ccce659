"""How a scenario values rates: the utility of its table ``[optimum]``, or that of its sessions; and what it is called.

Utilities of different shapes cannot be added: whether 1/x or log x weighs more depends on the unit of x. What a scheme
with a utility asks for is a ratio: on the path of a flow the session is to have f(N) times the flow's rate, whatever
that is (docs/omcc.md). So all rates are valued by one exponent alpha, U'(y) = W y^-alpha, and W = f(N)^alpha makes each
session's ratio come out: W y^-alpha = x^-alpha where y = f(N) x.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from faircast import _native
from faircast.model import Orientation, Utility
from faircast.utility.problem import ALPHA_MAX, ALPHA_MIN

OWN = "own"
EXPONENTS = {"log": 1.0, "tcp": 2.0}
NAMES = {
    "proportional": "proportional fairness (log x)",
    "potential-delay": "least potential delay (-1/x)",
    "max-min": "max-min fairness",
}
LISTED = 5
"""Sessions or weights named in a sentence."""


@dataclass(frozen=True)
class Own:
    """The utility of a session's scheme."""

    exponent: float
    """Alpha of u'(x) = x^-alpha."""
    factor: float
    """f(N): how many times the rate of a flow the session is to have on the flow's path."""
    weight: float
    """f(N)^exponent: what the session counts where all rates are valued by its own exponent."""


@dataclass(frozen=True)
class Valued:
    """How rates are valued."""

    utility: Utility
    """Never "own": what that comes to."""
    alpha: float | None
    """The alpha of "alpha-fair"."""
    orientation: Orientation
    """Whether sessions without a utility of their own count as one or as many as they have receivers."""
    own: Mapping[str, Own] = field(default_factory=dict)
    """Sessions that are valued by a utility of their own scheme."""
    given: Mapping[str, float] = field(default_factory=dict)
    """Weights that the scenario gives."""
    multirate: bool | None = None
    """Whether every receiver of an elastic session has a rate of its own; None: as the session's scheme has it."""

    def weight(self, name: str) -> float:
        """What a session counts for the utility of its scheme, 1 if it has none."""
        if name not in self.own:
            return 1.0
        own = self.own[name]
        exponent = {"proportional": 1.0, "potential-delay": 2.0}.get(self.utility, self.alpha or 1.0)
        return own.weight if exponent == own.exponent else own.factor**exponent

    def __str__(self) -> str:
        """In words, for a sentence that begins with "optimum:"."""
        parts = [NAMES.get(self.utility) or f"alpha-fairness with alpha = {self.alpha:g}"]
        if self.own:
            several = [f"{name} {own.factor:.4g} times" for name, own in self.own.items()]
            parts.append(f"its own utility gives {some(several)} the rate of a flow on the same path")
        if self.orientation == "receiver":
            others = "any other" if self.own else "a"
            parts.append(f"{others} session counts as often as it has receivers")
        if self.multirate is not None:
            rates = "every receiver has a rate of its own" if self.multirate else "a session has one rate for all"
            parts.append(rates)
        if self.given:
            parts.append(f"weights: {some([f'{name} {weight:g}' for name, weight in self.given.items()])}")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The utilities as plain values for JSON."""
        return {
            "utility": self.utility,
            "alpha": self.alpha,
            "orientation": self.orientation,
            "multirate": self.multirate,
            "factors": {name: own.factor for name, own in self.own.items()},
            "weights": dict(self.given),
            "says": str(self),
        }


def valued(scenario: Mapping[str, Any], *, utility: Utility | None = None) -> Valued:
    """How a resolved scenario values rates, or would if it asked for another utility, which is not "alpha-fair".

    The utility "own" takes the exponent of the sessions that have a utility, if it is the same for all, otherwise 1,
    which is proportional fairness.
    """
    asked = scenario.get("optimum", {})
    if utility is not None:
        asked = {key: value for key, value in asked.items() if key != "alpha"} | {"utility": utility}
    which, alpha = asked.get("utility", OWN), asked.get("alpha")
    own: dict[str, Own] = {}
    if which == OWN:
        found = {name: own_of(scenario, name) for name in scenario.get("sessions", {})}
        own = {name: one for name, one in found.items() if one is not None}
        exponents = {one.exponent for one in own.values()}
        exponent = min(max(exponents.pop(), ALPHA_MIN), ALPHA_MAX) if len(exponents) == 1 else 1.0
        which = {1.0: "proportional", 2.0: "potential-delay"}.get(exponent, "alpha-fair")
        alpha = exponent if which == "alpha-fair" else None
    orientation = asked.get("orientation", "session")
    weights, multirate = asked.get("weights", {}), asked.get("multirate")
    return Valued(cast(Utility, which), alpha, cast(Orientation, orientation), own, weights, multirate)


def own_of(scenario: Mapping[str, Any], name: str) -> Own | None:
    """The utility of a session's scheme with its N, which is what the source is told or the number of receivers.

    None for schemes that have no utility, and for ``utility = "none"``.
    """
    session = scenario["sessions"][name]
    if session.get("scheme") != "omcc" or session.get("utility") == "none":
        return None
    exponent = EXPONENTS.get(str(session.get("utility"))) or float(session["alpha"])
    receivers = session.get("population", {}).get("receivers") or receivers_of(scenario, name)
    total = float(session.get("weight", 1.0)) * (receivers if session.get("orientation") == "receiver" else 1)
    factor = total ** (1 / exponent)
    most = session.get("f_max")
    if most is not None and most < factor:
        return Own(exponent, float(most), float(most) ** exponent)
    return Own(exponent, factor, total)


def receivers_of(scenario: Mapping[str, Any], name: str) -> int:
    """How many receivers a session of a resolved scenario has, listed or not."""
    nodes = scenario["sessions"][name].get("receivers", {}).get("nodes")
    if isinstance(nodes, list):
        return len(nodes)
    _, demands = _native.paths(json.dumps(scenario))
    return next(len(receivers) for demand, *_, receivers, _ in demands if demand == name)


def some(texts: list[str]) -> str:
    """The first few of some texts."""
    more = f" and {len(texts) - LISTED} more" if len(texts) > LISTED else ""
    return ", ".join(texts[:LISTED]) + more
