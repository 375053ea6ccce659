"""What a scenario says of itself: its name, network and traffic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from faircast.display.grid import Grid, described, html, some

if TYPE_CHECKING:
    from faircast.scenario import Resolved


def of_resolved(scenario: Resolved) -> str:
    """The ``repr`` of a scenario."""
    return described("Resolved", of_scenario(scenario), _network(scenario), traffic(scenario))


def html_of_resolved(scenario: Resolved) -> str:
    """What a scenario is made of."""
    flows = [[name, _kinds(flow)] for name, flow in _of(scenario, "flows").items()]
    sessions = [[name, str(session.get("scheme"))] for name, session in _of(scenario, "sessions").items()]
    return html(
        of_scenario(scenario),
        Grid(["flow or session", "kind"], flows + sessions, words=True),
        notes=[_network(scenario)],
    )


def of_scenario(scenario: Resolved) -> str:
    """``geo, 300 s, hash 3f0c9a12be77``."""
    return f"{scenario.name}, {scenario.data['duration']}, hash {scenario.hash}"


def traffic(scenario: Resolved) -> str:
    """``flows web (4 tcp); sessions video (tfmcc)``."""
    flows = [f"{name} ({_kinds(flow)})" for name, flow in _of(scenario, "flows").items()]
    sessions = [f"{name} ({session.get('scheme')})" for name, session in _of(scenario, "sessions").items()]
    found = [("flows", flows), ("sessions", sessions)]
    return "; ".join(f"{what} {some(names)}" for what, names in found if names) or "no flows"


def _of(scenario: Resolved, key: str) -> dict[str, Any]:
    found = scenario.data.get(key)
    return found if isinstance(found, dict) else {}


def _kinds(flow: Mapping[str, Any]) -> str:
    count = flow.get("count", 1)
    return f"{count} {flow.get('kind')}" if count != 1 else str(flow.get("kind"))


def _network(scenario: Resolved) -> str:
    topology = scenario.data.get("topology")
    return f"topology {topology.get('kind')}" if isinstance(topology, dict) else "nodes and links one by one"
