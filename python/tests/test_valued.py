"""Whose utility the optimum beside a run is: that of the sessions, unless the scenario says another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast.scenario import resolve
from faircast.utility.network import problem_of
from faircast.utility.valued import valued

FLOWS = 2


def scenario(sessions: dict[str, dict[str, Any]], optimum: dict[str, Any] | None = None) -> dict[str, Any]:
    """Two TCPs and sessions over one link of 1 Mbit/s; `n` is how many receivers a session has."""
    return {
        "format": 1,
        "name": "valued",
        "duration": "10 s",
        "topology": {"kind": "dumbbell", "left": 4, "right": 8},
        "links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "10 ms"}},
        "flows": {"web": {"kind": "tcp", "count": FLOWS}},
        "sessions": {
            name: {
                "source": "left-3",
                "receivers": {"nodes": [f"right-{i}" for i in range(session["n"])]},
                **{key: value for key, value in session.items() if key != "n"},
            }
            for name, session in sessions.items()
        },
        **({} if optimum is None else {"optimum": optimum}),
    }


def ratios(given: dict[str, Any]) -> dict[str, float]:
    """How many times the rate of a flow every session has at the optimum."""
    rates = faircast.optimum(given).rates
    assert sum(rates.values()) == pytest.approx(1e6)
    assert rates["web-0"] == pytest.approx(rates["web-1"])
    return {name: rate / rates["web-0"] for name, rate in rates.items() if not name.startswith("web")}


OMCC: dict[str, Any] = {"scheme": "omcc", "n": 3}
OWN: dict[str, tuple[dict[str, Any], float]] = {
    "log by default": (OMCC, 3),
    "tcp": (OMCC | {"utility": "tcp"}, 3**0.5),
    "alpha-fair": (OMCC | {"utility": "alpha-fair", "alpha": 4, "weight": 2}, 6**0.25),
    "an alpha beyond what is solved": (OMCC | {"utility": "alpha-fair", "alpha": 64}, 3 ** (1 / 64)),
    "sender": (OMCC | {"orientation": "sender"}, 1),
    "sender with a weight": (OMCC | {"orientation": "sender", "weight": 0.5}, 0.5),
    "bounded": (OMCC | {"utility": "tcp", "f_max": 1.25}, 1.25),
    "a bound that does not matter": (OMCC | {"f_max": 3.5}, 3),
    "as many as the source is told": (OMCC | {"population": {"kind": "configured", "receivers": 40}}, 40),
    "counted": (OMCC | {"utility": "tcp", "n": 5, "population": {"kind": "registration"}}, 5**0.5),
    "none": (OMCC | {"utility": "none"}, 1),
    "tfmcc": ({"scheme": "tfmcc", "n": 3}, 1),
}


@pytest.mark.parametrize(("session", "times"), OWN.values(), ids=OWN)
def test_a_session_has_what_its_own_utility_asks_for(session: dict[str, Any], times: float) -> None:
    assert ratios(scenario({"video": session})) == {"video": pytest.approx(times)}


@pytest.mark.parametrize(("receivers", "times"), [({}, 8), ({"count": 5}, 5), ({"nodes": "right-0"}, 1)])
def test_receivers_that_are_not_listed_count(receivers: dict[str, Any], times: int) -> None:
    given = scenario({"a": OMCC | {"utility": "log", "f_max": 100.0}})
    given["sessions"]["a"]["receivers"] = receivers
    listed = scenario({"a": OMCC | {"utility": "log", "f_max": 100.0, "n": times}})
    assert ratios(given) == pytest.approx(ratios(listed))


def test_sessions_of_different_utilities() -> None:
    """Each has its own f(N), though their exponents differ; the example of the docs."""
    sessions = {"a": OMCC, "b": OMCC | {"utility": "tcp", "n": 4}, "c": {"scheme": "tfmcc", "n": 2}}
    given = scenario(sessions)
    assert ratios(given) == {"a": pytest.approx(3), "b": pytest.approx(2), "c": pytest.approx(1)}
    assert problem_of(resolve(given)).exponent == 1
    del sessions["c"]
    assert faircast.optimum(scenario(sessions)).rates["a"] == pytest.approx(3e6 / 7)
    differing = {"a": OMCC | {"utility": "alpha-fair", "alpha": 4.0}, "b": OMCC | {"utility": "tcp"}}
    assert problem_of(resolve(scenario(differing))).utility == "proportional"
    equal = {"a": OMCC | {"utility": "tcp"}, "b": OMCC | {"utility": "alpha-fair", "alpha": 2.0}}
    assert problem_of(resolve(scenario(equal))).utility == "potential-delay"


def test_weights_and_orientation_beside_own_utilities() -> None:
    """`receiver` is for sessions without a utility; weights multiply utilities, so rates by their root."""
    sessions = {"a": OMCC | {"utility": "tcp"}, "c": {"scheme": "tfmcc", "n": 4}}
    found = ratios(scenario(sessions, {"orientation": "receiver", "weights": {"a": 3.0}}))
    assert found == {"a": pytest.approx(3.0), "c": pytest.approx(2.0)}


def test_another_utility_is_that_of_all() -> None:
    for session in (OMCC, OMCC | {"utility": "tcp"}):
        assert ratios(scenario({"video": session}, {"utility": "proportional"})) == {"video": pytest.approx(1)}
        found = ratios(scenario({"video": session}, {"utility": "potential-delay", "orientation": "receiver"}))
        assert found == {"video": pytest.approx(3**0.5)}
    assert faircast.optimum(scenario({"video": OMCC}), utility="max-min").rates["video"] == pytest.approx(1e6 / 3)
    assert faircast.optimum(scenario({"video": OMCC}, {"utility": "max-min"}), utility="own").rates[
        "video"
    ] == pytest.approx(3e6 / 5)


@pytest.mark.parametrize(("utility", "exponent"), [("log", 1), ("tcp", 2)])
@pytest.mark.parametrize("receivers", [["n2"], ["n1", "n2"]], ids=len)
def test_over_several_links_the_exponent_counts(utility: str, exponent: int, receivers: list[str]) -> None:
    """A session over two links, beside a flow on each: prices are x^-alpha, and N y^-alpha the sum of both."""
    links = {
        name: {"from": name[:2], "to": name[3:], "rate": "1 Mbit/s", "delay": "1 ms"} for name in ("n0-n1", "n1-n2")
    }
    chain = {
        "format": 1,
        "name": "two-links",
        "duration": "10 s",
        "nodes": {name: {} for name in ("n0", "n1", "n2")},
        "links": links,
        "flows": {name: {"kind": "tcp", "from": name[:2], "to": name[3:]} for name in links},
        "sessions": {
            "s": {"scheme": "omcc", "utility": utility, "source": "n0", "receivers": {"nodes": receivers}},
        },
    }
    rates = faircast.optimum(chain).rates
    assert rates["n0-n1"] == pytest.approx(rates["n1-n2"]) == pytest.approx(1e6 - rates["s"])
    assert rates["n0-n1"] / rates["s"] == pytest.approx((2 / len(receivers)) ** (1 / exponent))


SAYS: dict[str, tuple[dict[str, Any], dict[str, Any] | None, str]] = {
    "no session with a utility": ({}, None, "proportional fairness (log x)"),
    "max-min": ({}, {"utility": "max-min"}, "max-min fairness"),
    "alpha-fair": (
        {},
        {"utility": "alpha-fair", "alpha": 4, "weights": {"web-1": 2}},
        "alpha-fairness with alpha = 4; weights: web-1 2",
    ),
    "own": (
        {"video": OMCC | {"utility": "tcp"}},
        None,
        "least potential delay (-1/x); its own utility gives video 1.732 times the rate of a flow on the same path",
    ),
    "own and receivers": (
        {"video": OMCC},
        {"orientation": "receiver"},
        "proportional fairness (log x); its own utility gives video 3 times the rate of a flow on the same path; any "
        "other session counts as often as it has receivers",
    ),
}


@pytest.mark.parametrize(("sessions", "optimum", "words"), SAYS.values(), ids=SAYS)
def test_the_utility_is_named(sessions: dict[str, Any], optimum: dict[str, Any] | None, words: str) -> None:
    named = valued(resolve(scenario(sessions, optimum)).data)
    assert str(named) == words
    assert named.to_json()["says"] == words
    assert words in repr(faircast.optimum(scenario(sessions, optimum)))


def test_it_is_named_on_screen_and_for_machines(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps(scenario({"video": OMCC}) | {"duration": "3 s"}))
    out = cli("run", file, "--out", "r").out
    assert "\noptimum: proportional fairness (log x); its own utility gives video 3 times the rate" in out
    found = json.loads(cli("run", file, "--out", "r", "--json").out)["optimum"]
    assert found["factors"] == {"video": 3.0}
    assert (found["utility"], found["alpha"], found["orientation"]) == ("proportional", None, "session")
