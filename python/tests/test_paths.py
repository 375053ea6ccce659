"""The way between two nodes over time: ``faircast paths`` and ``faircast.paths``."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli

import faircast
from faircast.errors import InputError

TWO_WAYS = """
format = 1
name = "two-ways"
duration = "10 s"
nodes = { a = {}, b = {}, c = {} }

[links]
straight = { from = "a", to = "b", rate = "1 Mbit/s", delay = "30 ms", changes = [{ at = "8 s", up = false }] }
up = { from = "a", to = "c", rate = "1 Mbit/s", delay = "10 ms" }

[links.down]
from = "c"
to = "b"
rate = "1 Mbit/s"
delay = "5 ms"
changes = [
    { at = "2.5 s", up = false }, { at = "4 s", up = true }, { at = "7 s", up = false }, { at = "9.5 s", up = true }
]

[flows.load]
kind = "tcp"
from = "a"
to = "b"
"""
CONSTELLATION = """
format = 1
name = "leo"
duration = "1200 s"
topology = { kind = "constellation" }

[stations.berkeley]
latitude = 37.9
longitude = -122.3

[stations.boston]
latitude = 42.3
longitude = -71.1

[flows.ping]
kind = "cbr"
rate = "8 kbit/s"
from = "berkeley"
to = "boston"
stop = "2 s"
"""


@pytest.fixture
def two_ways(tmp_path: Path) -> Path:
    path = tmp_path / "two-ways.toml"
    path.write_text(TWO_WAYS)
    return path


def test_a_way_is_followed_from_change_to_change(two_ways: Path) -> None:
    series = faircast.paths(two_ways, "a", "b", interval="4 s")
    assert series.t_s.tolist() == [0, 2.5, 4, 4, 7, 8, 8, 9.5]
    assert series.event.tolist() == ["", "path-changed", "path-changed", "", "path-changed", "lost", "", "found"]
    assert series.hops.tolist() == [2, 1, 2, 2, 1, 0, 0, 2]
    np.testing.assert_allclose(1e3 * series.delay_s, [15, 30, 15, 15, 30, np.nan, np.nan, 15])
    assert series.way[:2].tolist() == ["a > c > b", "a > b"]
    summary = series.summary
    assert (summary.min_s, summary.mean_s, summary.max_s) == pytest.approx((0.015, 0.015, 0.03))
    assert (summary.changes, summary.lost, summary.without_s, summary.handoffs) == (3, 1, 1.5, {})
    table = series.table()
    assert table.column_names == ["t_s", "from", "to", "event", "delay_s", "hops", "way"]
    assert table.num_rows == 8


def test_a_run_says_the_same(two_ways: Path) -> None:
    series = faircast.paths(two_ways, "a", "b", interval="4 s").table()
    probes = ['probes.paths=[{from = "a", to = "b"}]', "probes.interval=4 s"]
    ran = faircast.run(two_ways, sets=probes).paths
    assert ran.num_rows == series.num_rows
    for name in series.column_names:
        one, other = (table.column(name).to_numpy(zero_copy_only=False) for table in (series, ran))
        np.testing.assert_array_equal(one, other)


def test_hand_offs_are_those_of_the_stations_on_the_way() -> None:
    series = faircast.paths(CONSTELLATION, "berkeley", "boston", interval="10 s", until="1000 s")
    assert series.end_s == 1000
    assert list(series.handoffs) == ["berkeley", "boston"]
    at = np.concatenate(list(series.handoffs.values()))
    assert set(series.t_s[series.event == "hand-off"]) == set(at)
    summary = series.summary
    assert 0.02 < summary.min_s < summary.mean_s < summary.max_s < 0.051
    assert summary.handoffs == {name: len(times) for name, times in series.handoffs.items()}
    gaps = np.diff(series.handoffs["berkeley"])
    assert summary.between_s["berkeley"] == pytest.approx(gaps.mean()) if len(gaps) else True
    result = faircast.run(CONSTELLATION, sets=["duration=600 s"])
    told = result.handoffs.to_pydict()
    assert set(told["station"]) <= {"berkeley", "boston"}
    assert all(satellite.startswith("sat-") for satellite in told["to"])
    assert sorted(told["t_s"]) == sorted(at[at <= 600])


def test_the_command_shows_changes_and_writes_the_series(cli: Cli, two_ways: Path, tmp_path: Path) -> None:
    file = tmp_path / "delay.csv"
    done = cli("paths", two_ways, "--from", "a", "--to", "b", "--interval", "500 ms", "--csv", file)
    assert (done.code, done.err) == (0, "")
    assert "a to b, 0 to 10 s" in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["2.500", "30.000", "1", "path-changed", "a", ">", "b"] in lines
    assert ["8.000", "-", "0", "lost"] in lines
    # Of 18 samples with a way five have 30 ms: those at 2.5, 3, 3.5, 7 and 7.5 s.
    assert "delay 15.000 to 30.000 ms, mean 19.167 ms of samples every 500 ms" in done.out
    assert "path changes: 3; without a way: 1.5 s, lost once" in done.out
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    samples = [row for row in rows if not row["event"]]
    assert [float(row["t_s"]) for row in samples] == [0.5 * step for step in range(21)]
    assert [row["delay_s"] for row in rows if row["event"] == "lost"] == [""]
    assert rows[0] == {
        "t_s": "0.0", "from": "a", "to": "b", "event": "", "delay_s": "0.015", "hops": "2", "way": "a > c > b"
    }  # fmt: skip


def test_both_directions_as_json(cli: Cli, two_ways: Path) -> None:
    done = cli("paths", two_ways, "--from", "a", "--to", "b", "--both", "--json", "--until", "3 s")
    there, back = json.loads(done.out)["paths"]
    assert (there["from"], back["from"], there["end_s"]) == ("a", "b", 3)
    assert [change["event"] for change in there["changes"]] == ["", "path-changed"]
    assert (len(back["changes"]), back["summary"]["max_s"]) == (2, pytest.approx(0.03))


def test_what_is_wrong_is_said(cli: Cli, two_ways: Path) -> None:
    done = cli("paths", two_ways, "--from", "a", "--to", "bb")
    assert done.code == 2
    assert "there is no node bb; did you mean b?" in done.err
    done = cli("paths", two_ways, "--from", "a", "--to", "b", "--until", "11 s")
    assert done.code == 2
    assert "until: 11 s given; legal is up to the duration, 10 s" in done.err
    assert "until" in cli("paths", two_ways, "--from", "a", "--to", "b", "--until", "soon").err
    assert "probes.interval" in cli("paths", two_ways, "--from", "a", "--to", "b", "--interval", "0 s").err
    assert cli("paths", two_ways, "--from", "a", "--to", "a").code == 2
    with pytest.raises(InputError, match="legal are 0 to"):
        faircast.paths(two_ways, "a", "b", seed=-1)


def test_a_scenario_without_traffic_runs(tmp_path: Path) -> None:
    head = TWO_WAYS.split("[flows.load]")[0]
    with pytest.raises(InputError, match="nothing would be sent"):
        faircast.run(head)
    result = faircast.run(head + '[probes]\npaths = [{ from = "a", to = "b" }]\n')
    assert result.paths.num_rows == 11 + 5
    assert result.flows.num_rows == result.handoffs.num_rows == 0
    assert math.isclose(result.metrics()["run", "simulated"], 10)
