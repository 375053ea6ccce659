"""The problem of a scenario: its own links, and what crosses them on the routes of the simulator."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast import _native
from faircast.background import called
from faircast.interruption import give_way
from faircast.model import Orientation, Utility
from faircast.scenario import Resolved, Source, read, resolve
from faircast.utility.optimum import Optimum, solve
from faircast.utility.problem import Demand, Link, Problem
from faircast.utility.valued import valued

if TYPE_CHECKING:
    from faircast._native import _Demands as Demands
    from faircast._native import _Links as Links


def optimum(
    scenario: Source,
    *,
    utility: Utility | None = None,
    alpha: float | None = None,
    orientation: Orientation | None = None,
    multirate: bool | None = None,
    weights: Mapping[str, float] | None = None,
    sets: Sequence[str] = (),
) -> Optimum:
    """The best rates of all flows and sessions of a scenario on its own network, by some utility.

    Nothing is simulated: all flows and sessions are taken as present at once, whenever they start and stop, the
    capacity of a link is its rate, and constant rates come first. See the chapter ``docs/optimum.md``.

    Parameters
    ----------
    scenario
        A path to TOML or JSON, TOML or JSON text, a mapping, or an object of `faircast.model`.
    utility, alpha, orientation, multirate, weights
        As in the scenario's table ``[optimum]``; what is left out is as the scenario says.
    sets
        Assignments ``path=value`` as those of ``faircast run --set``.

    Raises
    ------
    InputError
        The scenario is not legal, or what is asked for is not; all problems at once.
    InfeasibleError
        There is no optimum: constant rates leave nothing of a link that something elastic crosses. An `InputError`.
    NotFinishedError
        The optimum was not found, which can happen with alphas far below 1; the message says what is wrong with what
        was. Whatever the size, it is looked for; Ctrl-C ends the search.
    """
    given = {"alpha": alpha, "orientation": orientation, "multirate": multirate, "weights": weights}
    if utility is not None or any(value is not None for value in given.values()):
        scenario = _with_optimum(scenario, utility, given)
    return solve(problem_of(resolve(scenario, sets=sets)))


def problem_of(scenario: Resolved, *, utility: Utility | None = None) -> Problem:
    """The problem of a legal scenario, with the utility that it asks for or another one; see `faircast.utility.valued`.

    Sessions that answer congestion are multirate if they have several layers, or as ``[optimum] multirate`` says.
    """
    links, demands = called(lambda control: _native.paths(scenario.json, control))
    give_way()
    return _problem(scenario, utility, _links(links), demands)


def periods_of(scenario: Resolved, *, utility: Utility | None = None) -> Periods | None:
    """The problems of the periods of a scenario's measured time; None if they are not known before a run, or too many.

    Between them links have other rates, routes are others, or others are present. `utility` as in `problem_of`.
    """
    found = called(lambda control: _native.periods(scenario.json, control))
    give_way()
    if found is None:
        return None
    periods, members = found
    # Periods that differ in ways only have their links in common: of a constellation there are thousands.
    known = {id(links): links for _, links, _ in periods}
    of = {key: _links(links) for key, links in known.items()}
    problems = [(part, _problem(scenario, utility, of[id(links)], demands)) for part, links, demands in periods]
    return Periods(tuple(part for part, _ in problems), tuple(problem for _, problem in problems), dict(members))


@dataclass(frozen=True)
class Periods:
    """The measured time of a run."""

    parts: tuple[float, ...]
    """Which part of it each period is; their sum is 1."""
    problems: tuple[Problem, ...]
    members: Mapping[str, float]
    """Of receivers that are members for a part of it only, that part."""


def _links(links: Links) -> tuple[Link, ...]:
    return tuple(Link(name=name, capacity=float(rate)) for name, rate in links)


def _problem(scenario: Resolved, utility: Utility | None, links: tuple[Link, ...], demands: Demands) -> Problem:
    valuation = valued(scenario.data, utility=utility)
    weights = _Weights(valuation.given, scenario.data.get("flows", {}))

    def weight(name: str, receivers: int) -> float:
        # That of a scheme's utility has the receivers in it already, whatever the orientation of the others.
        counted = receivers if name in valuation.own and valuation.orientation == "receiver" else 1
        return weights.of(name) * valuation.weight(name) / counted

    return Problem(
        links=links,
        demands=tuple(
            Demand(
                name=name,
                routes=tuple(tuple(route) for _, route in receivers),
                receivers=tuple(receiver for receiver, _ in receivers) if is_session else (),
                costs=tuple({link: 1 / bits for link, bits in each} for each in efficiencies) if efficiencies else (),
                multirate=_is_multirate(valuation.multirate, multirate, is_session and fixed is None),
                weight=weight(name, len(receivers)),
                max_rate=math.inf if most is None else most,
                fixed_rate=fixed,
            )
            for name, is_session, multirate, fixed, most, receivers, efficiencies in demands
        ),
        utility=valuation.utility,
        alpha=valuation.alpha,
        orientation=valuation.orientation,
        says=str(valuation),
    )


def _is_multirate(asked: bool | None, of_scheme: bool, elastic_session: bool) -> bool:
    return of_scheme if asked is None else asked and elastic_session


class _Weights:
    """Weights by the name of an entry or of one of its flows, which goes before."""

    def __init__(self, given: Mapping[str, float], flows: Mapping[str, Mapping[str, Any]]) -> None:
        self.given = given
        self.flows = flows

    def of(self, name: str) -> float:
        entry = name.rpartition("-")[0]
        counts = name not in self.flows and self.flows.get(entry, {}).get("count") is not None
        return float(self.given.get(name, self.given.get(entry, 1.0) if counts else 1.0))


def _with_optimum(source: Source, utility: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    tree = dict(read(source))
    own = tree.get("optimum", {})
    asked = dict(own) if isinstance(own, Mapping) else {}
    if utility is not None:
        # Its alpha belongs to the utility that it names.
        asked = {key: value for key, value in asked.items() if key != "alpha" or utility == asked.get("utility")}
        asked["utility"] = utility
    named = {key: value for key, value in given.items() if value is not None}
    asked |= {key: dict(value) if isinstance(value, Mapping) else value for key, value in named.items()}
    return tree | {"optimum": asked}
