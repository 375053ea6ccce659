"""Comparisons: differences over common seeds, in pairs or not, of folders and of the points of a sweep."""

from __future__ import annotations

import json
import math
import re
from array import array
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from terminal import assert_whole

import faircast
from faircast.cli.compare import show
from faircast.comparison import Side, comparison
from faircast.errors import InputError
from faircast.pairs import are_paired, difference_of, told_apart
from faircast.reading import Runs
from faircast.scenario import Resolved
from faircast.statistics import Estimate, difference, estimate
from faircast.summary import Layout, RunSummary

LIMIT = "links.bottleneck.queue.limit"
QUICK = ("--set", "duration=3s", "--set", "warmup=1s")
NAN = math.nan


def run(rate: float, link: str = "up", *more: tuple[str, str, str, float]) -> RunSummary:
    rows = (("f", "rate", "bit/s", rate), (link, "arrived_all", "packets", 1.0), *more)
    return RunSummary(Layout(tuple(row[:3] for row in rows)), array("d", [row[3] for row in rows]))


def side(name: str, runs: dict[int, RunSummary], **scenario: Any) -> Side:
    tree = {"duration": "9 s", "warmup": "1 s", "flows": {"f": {}}} | scenario
    return Side(name, Resolved(json.dumps(tree)), runs)


A = {1: run(10), 2: run(20), 3: run(30), 7: run(1e6)}
B = {3: run(33), 2: run(22), 1: run(11), 8: run(NAN)}


def test_pairs_by_hand() -> None:
    """1, 2 and 3 more: the mean is 2 of 20, the interval t(0.975, 2)/√3, 2.484."""
    found = comparison([[side("a", A), side("b", B)]], [])
    row = found["f", "rate"]
    assert (row.first, row.second, row.unit, row.paired) == ("a", "b", "bit/s", True)
    assert (row.of_first.mean, row.of_second.mean, row.difference.mean) == (20, 22, 2)
    assert (row.difference.n, row.relative, row.told_apart) == (3, 0.1, False)
    assert row.difference.ci95 == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert found.notes == ()
    assert found.usual == (("f", "rate"),)


def test_samples_that_are_no_pairs() -> None:
    """Links of other names: Welch's interval, over the same seeds."""
    other = {seed: run(found["f", "rate"], "down") for seed, found in B.items()}
    assert are_paired(A, B)
    assert not are_paired(A, other)
    row = comparison([[side("a", A), side("b", other)]], [])["f", "rate"]
    assert row.paired is False
    assert row.difference == difference([11, 22, 33], [10, 20, 30])
    found = comparison([[side("a", A), side("b", other)]], [])
    assert any("independent samples, not pairs" in note for note in found.notes)


def test_undefined_values_are_left_out() -> None:
    a = {1: run(1), 2: run(NAN), 3: run(5)}
    b = {1: run(2), 2: run(3), 3: run(9)}
    assert difference_of(b, a, "f", "rate", paired=True) == estimate([1, 4])
    assert difference_of(b, a, "f", "rate", paired=False) == difference([2, 3, 9], [1, 5])
    nothing = {1: run(NAN)}
    assert difference_of(nothing, a, "f", "rate", paired=False).n == 0
    assert difference_of(nothing, a, "f", "rate", paired=True).n == 0
    assert difference_of({1: run(math.inf)}, a, "f", "rate", paired=False).n == 0


def test_means_are_those_of_the_pairs() -> None:
    """Seed 3 has one value only, the infinite ones of seed 4 no difference: the means are 1.5 and 2.5, 1 apart."""
    a = {1: run(1), 2: run(2), 3: run(100), 4: run(math.inf)}
    b = {1: run(2), 2: run(3), 3: run(NAN), 4: run(math.inf)}
    row = comparison([[side("a", a), side("b", b)]], [])["f", "rate"]
    assert (row.of_first, row.of_second, row.difference) == (estimate([1, 2]), estimate([2, 3]), estimate([1, 1]))
    assert row.relative == 1 / 1.5
    other = {seed: run(found["f", "rate"], "down") for seed, found in b.items() if seed < 4}
    row = comparison([[side("a", a), side("b", other)]], [])["f", "rate"]
    assert (row.of_first, row.of_second) == (estimate([1, 2, 100]), estimate([2, 3])), "samples, not pairs"


def test_lines_that_rest_on_fewer_pairs_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A metric that some seeds do not define, and one that is infinite in some; with the others there is no column."""

    def runs(*more: tuple[float, float, float]) -> dict[int, RunSummary]:
        return {
            seed: run(rate, "up", ("f", "delay", "s", delay), ("f", "gap", "s", gap))
            for seed, (rate, delay, gap) in enumerate(more)
        }

    a, b = runs((1, 1, 1), (2, 2, 1), (3, 3, 2)), runs((2, 2, math.inf), (3, NAN, 1), (4, NAN, 3))
    found = comparison([[side("a", a), side("b", b)]], [])
    show(found, found.metrics)
    out = capsys.readouterr().out
    assert out.startswith("b minus a, 3 pairs of runs")
    assert re.search(r"relative +pairs +apart", out)
    assert re.search(r"f delay, s .* 1 +one seed", out)
    assert re.search(r"f gap, s .* 3 +-\n", out)
    show(found, [("f", "rate")])
    assert "relative   apart" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("mean", "ci95", "apart"),
    [(2, 1, True), (-2, 1, True), (1, 2, False), (0, 0, False), (1, 0, True), (1, None, None)],
)
def test_told_apart(mean: float, ci95: float | None, apart: bool | None) -> None:
    assert told_apart(Estimate(mean, ci95, 3, 0, 0)) is apart


def test_the_relative_difference_is_that_of_the_first() -> None:
    found = comparison([[side("a", {1: run(-4)}), side("b", {1: run(-1)})]], [])["f", "rate"]
    assert (found.difference.mean, found.relative, found.told_apart) == (3, 0.75, None)
    zero = comparison([[side("a", {1: run(0)}), side("b", {1: run(1)})]], [])["f", "rate"]
    assert math.isnan(zero.relative)


def test_what_should_be_known() -> None:
    a, b = {1: run(1)}, {1: run(2), 2: run(3)}
    found = comparison([[side("a", a), side("b", b, duration="8 s"), side("c", b, warmup="2 s")]], [])
    assert found.notes == (
        "a and b have one seed in common, 1: a difference of one run each has no interval",
        "a and b differ in duration, 9 s and 8 s: what is counted over the run is not comparable",
        "a and c have one seed in common, 1: a difference of one run each has no interval",
        "a and c differ in warmup, 1 s and 2 s: what is counted over the run is not comparable",
    )
    assert [(row.first, row.second) for row in found.of("f", "rate")] == [("a", "b"), ("a", "c")]
    assert [row["told_apart"] for row in found.table.to_pylist()] == [None] * 4


def test_only_subjects_that_both_have() -> None:
    a = {1: run(1, "up", ("g", "rate", "bit/s", 5.0))}
    b = {1: run(2, "up", ("h", "rate", "bit/s", 5.0))}
    found = comparison([[side("a", a), side("b", b)]], [])
    assert found.metrics == [("f", "rate"), ("up", "arrived_all")]
    with pytest.raises(InputError, match=r"there is no subject g; there are: f, up"):
        comparison([[side("a", a), side("b", b)]], [("g", "rate")])


def test_no_common_seed() -> None:
    with pytest.raises(InputError, match=r"a and b have no seed in common: a has 1, 2, 3, 7 and b has 4"):
        comparison([[side("a", A), side("b", {4: run(1)})]], [])
    with pytest.raises(InputError, match=r"a has none and b has 4"):
        comparison([[side("a", {}), side("b", {4: run(1)})]], [])


def test_folders(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit, reps in (("a", 50, 3), ("b", 5, 2), ("c", 5, 1)):
        sets = (*QUICK, "--set", f"{LIMIT}={limit} packets")
        assert cli("run", small, *sets, "--reps", reps, "--out", f"x/{name}").code == 0
    found = faircast.compare("x/a", "x/b")
    runs = [Runs.read(f"x/{name}") for name in "ab"]
    values = [[of_seed["web-0", "rate"] for of_seed in read.summaries.values()][:2] for read in runs]
    row = found["web-0", "rate"]
    assert row.difference == estimate([b - a for a, b in zip(*values, strict=True)])
    assert row.paired
    assert repr(faircast.compare(*runs)["web-0", "rate"].difference) == repr(row.difference)
    done = cli("compare", "x/a", "x/b", "x/c")
    assert done.code == 0, done.err
    assert "b minus a, 2 pairs of runs, each with one seed" in done.out
    assert "c minus a, 1 pair of runs with one seed" in done.out
    assert "a and c have one seed in common, 1" in done.err.replace("\n  ", " ")
    assert "web rate_mean" in done.out
    assert "bottleneck queue_mean" in done.out
    assert "one seed" in done.out
    for width in (60, 80, 100, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        assert_whole(cli("compare", "x/a", "x/b").out, width)
    other = json.loads(cli("compare", "x/a/seed-2", "x/b", "--metric", "web-1/goodput", "--json").out)
    assert [(item["metric"], item["of_first"]["n"]) for item in other["differences"]] == [("goodput", 1)]
    assert other["names"] == ["seed-2", "b"]
    every = cli("compare", "x/a", "x/b", "--metric", "all")
    assert "web-0 cwnd_end" in every.out


def test_the_values_of_a_sweep(cli: Cli, small: Path) -> None:
    """Points that differ in the one value alone; with the second one in front if asked for so."""
    vary = ("--vary", f"{LIMIT}=5 packets,20 packets,50 packets", "--vary", "flows.web.mss=500 B,1000 B")
    assert cli("sweep", small, *vary, *QUICK, "--reps", 2, "--out", "s").code == 0
    result = faircast.SweepResult.read("s")
    found = faircast.compare("s", between=("limit", ["20 packets", "5 packets"]), metrics=["web-0/rate"])
    assert [dict(row.where) for row in found.rows] == [{"flows.web.mss": "500 B"}, {"flows.web.mss": "1000 B"}]
    for row, mss in zip(found.rows, ("500 B", "1000 B"), strict=True):
        (a,), (b,) = (result.select(limit=limit, mss=mss) for limit in ("5 packets", "20 packets"))
        assert row.difference == result.difference(a, b, "web-0", "rate")
        assert (row.first, row.second) == ("20 packets", "5 packets")
    every = faircast.compare(result, between="limit", metrics=["web-0/rate"])
    assert [(row.first, row.second) for row in every.rows[:2]] == [
        ("5 packets", "20 packets"),
        ("5 packets", "50 packets"),
    ]
    assert len(every.rows) == 4
    shown = every._repr_html_()
    assert "web-0 rate" in shown
    assert "50 packets minus 5 packets at 1000 B" in shown
    assert repr(every) == "<Comparison: 5 packets and 20 packets and 50 packets, 1 metrics>"
    assert every.table.column_names[:3] == ["flows.web.mss", "first", "second"]
    done = cli("compare", "s", "--between", f"{LIMIT}=5 packets,20 packets")
    assert done.code == 0, done.err
    assert "20 packets minus 5 packets, 2 pairs of runs" in done.out
    assert sum(line.startswith("web rate_mean, ") for line in done.out.splitlines()) == 1
    assert sum(line.split()[:2] in (["500", "B"], ["1000", "B"]) for line in done.out.splitlines()) >= 4


def test_points_without_a_partner_are_left_out(cli: Cli, small: Path) -> None:
    Path("list.csv").write_text(
        f"{LIMIT},flows.web.mss\n5 packets,500 B\n9 packets,500 B\n9 packets,700 B\n8 packets,700 B\n"
    )
    assert cli("sweep", small, "--list", "list.csv", *QUICK, "--out", "s").code == 0
    found = faircast.compare("s", between="limit", metrics=["web-0/rate"])
    assert [dict(row.where) for row in found.rows] == [{"flows.web.mss": "500 B"}]
    Path("list.csv").write_text(f"{LIMIT},flows.web.mss\n5 packets,500 B\n9 packets,700 B\n")
    assert cli("sweep", small, "--list", "list.csv", *QUICK, "--out", "t").code == 0
    assert "no two points differ in this value alone" in cli("compare", "t", "--between", "limit").err


def test_bad_input(cli: Cli, small: Path) -> None:
    assert cli("run", small, *QUICK, "--out", "a").code == 0
    assert cli("run", small, *QUICK, "--seed", 5, "--out", "b").code == 0
    assert cli("sweep", small, "--vary", f"{LIMIT}=5 packets,20 packets", *QUICK, "--out", "s").code == 0
    for arguments, message in (
        (("a",), "one result is given; give two or more"),
        (("a", "b"), "a and b have no seed in common: a has 1 and b has 5"),
        (("a", "absent"), "cannot read absent: there is no such file or folder"),
        (("a", small), "is no result"),
        (("a", "s"), "a sweep is compared within itself"),
        (("a", "a", "--metric", "rate"), "--metric rate: write subject/metric"),
        (("a", "a", "--metric", "web-0/rte"), "there is no metric of web-0 rte (did you mean rate?)"),
        (("a", "a", "--metric", "wbe-0/rate"), "there is no subject wbe-0 (did you mean web-0?)"),
        (("a", "a", "--between", "x=1,2"), "--between is about a sweep"),
        (("s",), f"s is a sweep: say which values are compared, for instance --between {LIMIT}=a,b"),
        (("s", "--between", "limt=1,2"), "there is no varied path limt (did you mean limit?)"),
        (("s", "--between", "limit=1,2"), f"{LIMIT} is nowhere 1; it is 5 packets, 20 packets"),
        (("s", "--between", "limit=5 packets"), "needs two different values, or more; there are 5 packets, 20 packets"),
        (("s", "--between", "limit=5 packets,5 packets"), "needs two different values"),
        (("s", "--between", "limit="), "--between limit=: no values are listed"),
    ):
        done = cli("compare", *arguments)
        assert done.code == 2, arguments
        assert message in done.err, done.err
    assert "a (1) and a (2)" in cli("compare", "a", "a").err
    with pytest.raises(InputError, match="is a dict"):
        faircast.compare("a", {})
