"""Which TCP and which TFMCC experiments run: papers those of their simulator and standard, everything else today's."""

from __future__ import annotations

from typing import Any

import pytest

from faircast.experiments import REGISTRY, load

PAPERS = {"peng", "kwon", "durresi", "hang", "ehlert"}
BY_THE_LETTER = {"kwon", "hang"}
BESIDE_NS2 = "x-ns2"
BESIDE_LINUX = ("x-start", "x-link-errors")
"""They hold what a session costs against TCP as hosts have it, by the arithmetic of Linux."""
LETTER_OF_THE_RFC = "x-tfmcc-geo"
"""It holds the growth after an outage against section 3.3 of RFC 4654; the default stands beside."""


def scenarios(name: str) -> list[dict[str, Any]]:
    return [point.scenario_of(1) for point in load(name).points(True)]


def tfmcc_profiles(session: dict[str, Any]) -> set[str]:
    """Of a session that has TFMCC in it; none for the others."""
    match session["scheme"]:
        case "tfmcc" | "omcc":
            return {session.get("profile", "faircast")}
        case "smcc" if session.get("control", "tfmcc") == "tfmcc":
            return {session.get("tfmcc", {}).get("profile", "faircast")}
        case _:
            return set()


@pytest.mark.parametrize("name", REGISTRY)
def test_papers_have_the_tcp_of_ns2_and_all_others_that_of_hosts(name: str) -> None:
    flows = [flow for made in scenarios(name) for flow in made.get("flows", {}).values() if flow["kind"] == "tcp"]
    by_name = {BESIDE_NS2: {"ns2"}, **{name: {"linux"} for name in BESIDE_LINUX}}
    wanted = {"ns2"} if load(name).paper in PAPERS else by_name.get(name, {"rfc"})
    found = {flow.get("profile", "rfc") for flow in flows}
    assert found == (wanted if flows else set()), name


@pytest.mark.parametrize("name", REGISTRY)
def test_tfmcc_is_the_default_but_where_a_paper_or_the_rfc_is_held_against(name: str) -> None:
    made = [tfmcc_profiles(session) for one in scenarios(name) for session in one.get("sessions", {}).values()]
    found = {profile for profiles in made for profile in profiles}
    if load(name).paper in BY_THE_LETTER or name == LETTER_OF_THE_RFC:
        # What is judged comes first, and has the profile of the letter.
        assert not made or made[0] == {"rfc4654"}
    else:
        assert found <= {"faircast"}
