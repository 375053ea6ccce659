"""Scenarios that name many nodes at once, from Python and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli

import faircast
from faircast.model import Link, Node, Receivers, Scenario, TfmccSession
from faircast.scenario import problems, resolve, split_path

HOMES = """
format = 1
name = "homes"
duration = "10 s"

[nodes.server]
[nodes.exchange]
[nodes."home-[1-12]"]

[links.trunk]
from = "server"
to = "exchange"
rate = "10 Mbit/s"
delay = "20 ms"

[links."line-[1-12]"]
from = "exchange"
to = "home-*"
rate = "2 Mbit/s"
delay = { first = "1 ms", step = "1 ms" }

[sessions.film]
scheme = "tfmcc"
source = "server"
receivers = { nodes = "home-*" }
"""


def test_paths_lead_into_tables_of_several() -> None:
    assert split_path("links.line-[1-12].rate") == ["links", "line-[1-12]", "rate"]
    assert split_path("links.line-[1-12].changes[3].at") == ["links", "line-[1-12]", "changes", "3", "at"]
    assert split_path('links."line-[1-3]-[01-20]".rate') == ["links", "line-[1-3]-[01-20]", "rate"]
    assert split_path("links.line-[1-12.rate") == []
    found = resolve(HOMES, sets=["links.line-[1-12].rate=3 Mbit/s", "links.line-5.rate=4 Mbit/s"]).data
    assert [found["links"][f"line-{i}"]["rate"] for i in (4, 5, 12)] == ["3 Mbit/s", "4 Mbit/s", "3 Mbit/s"]
    assert [found["links"][f"line-{i}"]["delay"] for i in (1, 9, 10)] == ["1 ms", "9 ms", "10 ms"]
    fewer = resolve(HOMES, sets=["sessions.film.receivers.nodes=home-[1-3]"]).data
    assert fewer["sessions"]["film"]["receivers"]["nodes"] == ["home-1", "home-2", "home-3"]


def test_parts_may_name_several() -> None:
    scenario = Scenario(
        name="homes",
        duration="10 s",
        nodes={"server": Node(), "home-[1-3]": Node()},
        links={"line-*": Link(from_="server", to="home-*", rate="2 Mbit/s", delay="5 ms")},
        sessions={"film": TfmccSession(source="server", receivers=Receivers(nodes="home-*"))},
    )
    assert list(resolve(scenario).data["links"]) == ["line-1", "line-2", "line-3"]
    assert len(faircast.run(scenario).table("receivers")["receiver"].unique()) == 3
    with pytest.raises(faircast.InputError, match="home-\\[3-1\\] is no row of names"):
        Scenario(name="x", duration="1 s", nodes={"home-[3-1]": Node()})


def test_problems_stand_on_the_line_that_says_several(cli: Cli) -> None:
    Path("homes.toml").write_text(
        HOMES.replace('"2 Mbit/s"', '"2 bit/s"').replace('{ nodes = "home-*"', '{ nodes = "hme-*"')
    )
    done = cli("validate", "homes.toml")
    assert done.code == 2
    said = " ".join(done.err.split())
    assert "line 19, links.line-[1-12].rate: 2 bit/s given; legal is 10 bit/s" in said
    assert "line 25, sessions.film.receivers.nodes: no node is called like hme-*; did you mean home-1?" in said
    assert problems(HOMES) == []


def test_a_thousand_are_told_in_few_words(cli: Cli) -> None:
    Path("homes.toml").write_text(
        HOMES.replace("1-12", "1-1000").replace('1 ms", step = "1 ms', '1 ms", step = "10 us')
    )
    done = cli("validate", "homes.toml")
    assert (done.code, len(done.out.splitlines())) == (0, 1), done.err
    assert "film-0..999" in cli("run", "homes.toml", "--out", "here").out
