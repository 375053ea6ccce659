"""What seeds do not tell apart: by hand, in summaries, and told by the command line."""

from __future__ import annotations

import json
import math
from array import array
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

from faircast.summary import Layout, RunSummary
from faircast.undecided import between, in_runs, pairs_of


def test_an_interval_around_zero_is_undecided() -> None:
    # Differences 1, -1, 2, -2 Mbit/s: mean 0, s = sqrt(10/3), t(0.975, 3) = 3.1824: 3.1824 * 1.8257 / 2 = 2.905.
    a = {1: 2e6, 2: 1e6, 3: 3e6, 4: 1e6}
    b = {1: 1e6, 2: 2e6, 3: 1e6, 4: 3e6}
    found = between(("web", "bulk"), a, b, what="goodputs of the flows")
    assert found is not None
    assert found.difference.mean == 0
    assert found.difference.ci95 == pytest.approx(2.905e6, rel=1e-3)
    assert found.message == (
        "4 seeds do not tell the goodputs of the flows web and bulk apart: web has 0 ± 2.9 Mbit/s more than bulk, and "
        "that interval of 95 % of the differences seed by seed contains 0; more seeds (--reps) make it narrower"
    )


def test_pairs_tell_apart_what_independent_samples_would_not() -> None:
    """The seeds differ by much more than the two do, but in every seed the first has 0.1 to 0.12 Mbit/s more."""
    b = {1: 1e6, 2: 5e6, 3: 9e6}
    a = {1: 1.1e6, 2: 5.12e6, 3: 9.11e6}
    assert between(("a", "b"), a, b) is None
    undecided = between(("a", "b"), {**a, 3: 8.9e6}, b)
    assert undecided is not None
    # Mean (0.1 + 0.12 - 0.1) / 3; who has more stands first, whichever way round they are given.
    assert "a has 40 ± 302 kbit/s more than b" in undecided.message
    turned = between(("b", "a"), b, {**a, 3: 8.9e6})
    assert turned is not None
    assert "a has 40 ± 302 kbit/s more than b" in turned.message


def test_what_cannot_be_told() -> None:
    one = {1: 2.0}
    assert between(("a", "b"), one, {1: 2.0}) is None, "one seed has no interval"
    assert between(("a", "b"), {1: 1.0, 2: math.nan}, {1: 2.0, 2: 3.0}) is None, "NaN is left out"
    assert between(("a", "b"), {1: 1.0, 2: 2.0}, {3: 1.0, 4: 2.0}) is None, "no seed of both"
    same = between(("a", "b"), {1: 1.0, 2: 2.0}, {1: 1.0, 2: 2.0, 3: 9.0})
    assert same is not None
    assert same.message == "the goodputs of a and b are the same in each of 2 seeds"
    apart = between(("a", "b"), {1: 3.0, 2: 3.0}, {1: 1.0, 2: 1.0})
    assert apart is None, "always the same difference"
    small = between(("a", "b"), {1: 3.0, 2: 1.0}, {1: 1.0, 2: 3.0}, what="mean queues", unit="packets")
    assert small is not None
    assert "a has 0 ± 25 packets more than b" in small.message


SCENARIO: dict[str, Any] = {
    "flows": {
        "reno": {"kind": "tcp", "variant": "reno", "count": 2, "start": "0 s"},
        "sack": {"kind": "tcp", "variant": "sack"},
        "late": {"kind": "tcp", "variant": "sack", "start": "5 s", "from": "left-4", "to": "right-4", "count": 3},
        "voice": {"kind": "cbr", "rate": "64 kbit/s"},
        "radio": {"kind": "cbr", "rate": "128 kbit/s"},
    },
    "sessions": {
        "film": {"scheme": "tfmcc", "source": "left-0", "receivers": {"nodes": ["right-0"]}},
        "again": {"scheme": "tfmcc", "source": "left-1", "receivers": {"nodes": ["right-1"]}},
        "lecture": {"scheme": "omcc", "source": "left-2", "receivers": {"nodes": ["right-2"]}},
        "steady": {"scheme": "cbr", "source": "left-3"},
    },
}


def test_pairs_are_groups_of_one_sort_that_differ_in_how_they_send() -> None:
    """Constant rates, twins, flows beside sessions, and flows of one group are no pairs."""
    found = [(a.name, b.name) for a, b in pairs_of(SCENARIO)]
    assert found == [("reno", "sack"), ("reno", "late"), ("film", "lecture"), ("again", "lecture")]
    groups = {group.name: group.subjects for pair in pairs_of(SCENARIO) for group in pair}
    assert groups["reno"] == ("reno-0", "reno-1")
    assert groups["sack"] == ("sack",)
    assert groups["late"] == ("late-0", "late-1", "late-2")


def test_groups_are_compared_by_the_mean_of_their_flows() -> None:
    data = {"flows": {name: SCENARIO["flows"][name] for name in ("reno", "sack")}}

    def run(reno: tuple[float, float], sack: float) -> RunSummary:
        layout = Layout(tuple((name, "goodput", "bit/s") for name in ("reno-0", "reno-1", "sack")))
        return RunSummary(layout, array("d", [*reno, sack]))

    # Means 2 and 3, of which sack has 1 less and 1 more.
    undecided = in_runs(data, {1: run((1e6, 3e6), 1e6), 2: run((2e6, 4e6), 4e6)})
    assert [item.names for item in undecided] == [("reno", "sack")]
    assert undecided[0].difference.mean == 0
    assert in_runs(data, {1: run((1e6, 3e6), 1e6)}) == []
    assert in_runs(data, {1: run((1e6, 3e6), 1e6), 2: run((2e6, 4e6), 2e6)}) == []


def test_flows_of_a_group_that_differ_are_groups_of_their_own() -> None:
    own = {"kind": "limited-slow-start", "max_ssthresh": "9 packets"}
    mixed = {"kind": "tcp", "count": 4, "variant": ["reno", "sack", "reno", own], "mss": "1 KB", "start": ["0 s"] * 4}
    plain = {"kind": "tcp", "count": 2, "variant": "reno", "mss": "1 KB"}
    found = list(pairs_of({"flows": {"web": mixed, "bulk": plain}}))
    groups = {group.name: group.subjects for pair in found for group in pair}
    assert groups == {
        "web (variant reno)": ("web-0", "web-2"),
        "web-1 (variant sack)": ("web-1",),
        "web-3 (variant limited-slow-start)": ("web-3",),
        "bulk": ("bulk-0", "bulk-1"),
    }
    names = [(a.name, b.name) for a, b in found]
    # The reno flows of both groups are sent alike.
    assert ("web (variant reno)", "bulk") not in names
    assert len(names) == 5
    sizes = {"kind": "tcp", "count": 2, "variant": ["reno", "sack"], "mss": ["1 KB", "500 B"]}
    [(a, b)] = pairs_of({"flows": {"web": sizes}})
    assert (a.name, b.name) == ("web-0 (mss 1 KB, variant reno)", "web-1 (mss 500 B, variant sack)")


TWO = """
format = 1
name = "two"
duration = "20 s"
[topology]
kind = "dumbbell"
bottleneck = { rate = "2 Mbit/s", delay = "10 ms" }
[flows.reno]
kind = "tcp"
variant = "reno"
from = "left-0"
to = "right-0"
send_jitter = "4 ms"
start_jitter = "1 s"
[flows.sack]
kind = "tcp"
variant = "sack"
from = "left-1"
to = "right-1"
send_jitter = "4 ms"
start_jitter = "1 s"
"""


def test_run_tells_what_two_seeds_leave_open_and_what_they_do_not(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TWO)
    done = cli("run", file, "--reps", 2, "--out", "mine")
    assert done.code == 0
    told = [line for line in done.err.splitlines() if "do not tell" in line]
    assert len(told) == 1
    assert told[0].startswith("faircast: warning: 2 seeds do not tell the goodputs of the flows reno and sack apart: ")
    assert "the worst is shown" not in told[0]
    warnings = json.loads(cli("run", file, "--reps", 2, "--out", "mine", "--json").out)["warnings"]
    found = [item for item in warnings if item["kind"] == "no-difference"]
    assert [(item["subject"], item["seeds"]) for item in found] == [("reno, sack", [1, 2])]
    # Of a flow whose window lets it have an eighth of the link two seeds are enough to say that it has less.
    clear = cli("run", file, "--reps", 2, "--out", "clear", "--set", "flows.reno.wnd='1 packets'")
    assert "do not tell" not in clear.err
