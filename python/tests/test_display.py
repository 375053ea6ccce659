"""What results say of themselves in a terminal and in a notebook."""

from __future__ import annotations

import math
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import SMALL

import faircast
from faircast.display.grid import Grid, described, html, ranges, some
from faircast.report import Reproduction
from faircast.scenario import resolve
from faircast.statistics import Estimate, estimate

SHORT = SMALL.replace("20 s", "5 s")


class Cells(HTMLParser):
    """The texts of table cells; every element must be closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] in (["td"], ["th"]):
            self.rows[-1][-1] += data


def test_a_result_says_what_it_is() -> None:
    result = faircast.run(SHORT, seed=7)
    digest = result.scenario.hash
    assert repr(result).splitlines()[:2] == [f"<RunResult: small, 5 s, hash {digest}, seed 7", "  flows web (2 tcp)"]
    rows = {name: result.table(name).num_rows for name in result.names}
    assert f"flows {rows['flows']}, links {rows['links']}, queues {rows['queues']}" in repr(result)
    assert "packets" not in repr(result), "it has no rows"
    shown = Cells(result._repr_html_())
    header, web, other = shown.rows[:3]
    assert header[:2] == ["flow, session, receiver", f"rate, {'M' if result['web-0', 'rate'] >= 1e6 else 'k'}bit/s"]
    assert (web[0], other[0]) == ("web-0", "web-1")
    factor = 1e6 if "Mbit" in header[1] else 1e3
    assert float(web[1]) == pytest.approx(result["web-0", "rate"] / factor, rel=1e-3)
    assert float(web[3]) == pytest.approx(750e3 / factor, rel=1e-3)
    (link,) = [row for row in shown.rows if row[0] == "bottleneck"]
    assert float(link[2]) == result["bottleneck", "drops_all"]


def test_several_say_their_seeds_and_intervals() -> None:
    runs = faircast.run(SHORT, seeds=[1, 2, 3, 5], jobs=2)
    assert repr(runs).startswith(f"<Runs: small, 5 s, hash {runs.scenario.hash}, 4 seeds: 1 to 3, 5\n")
    assert f"tables with rows of seed 1: {'events'} {runs.of(1).events.num_rows}" in repr(runs)
    shown = Cells(runs._repr_html_())
    assert "±" in shown.rows[1][1]
    assert "95 % interval" in runs._repr_html_()


def test_other_objects_say_something_short() -> None:
    scenario = resolve(SHORT)
    assert repr(scenario) == f"<Resolved: small, 5 s, hash {scenario.hash}\n  topology dumbbell\n  flows web (2 tcp)>"
    assert ["web", "2 tcp"] in Cells(scenario._repr_html_()).rows
    best = faircast.optimum(SHORT)
    assert "web-0 750 kbit/s, web-1 750 kbit/s" in repr(best)
    assert "full links: bottleneck" in repr(best)
    assert ["web-1", "750"] in Cells(best._repr_html_()).rows
    way = faircast.paths(SHORT, "left-0", "right-1")
    assert repr(way).startswith(
        "<PathSeries: left-0 to right-1, 5 s\n  shortest, mean and longest delay: 52, 52, 52 ms"
    )
    assert ["changes of the way", "0"] in Cells(way._repr_html_()).rows
    found = Reproduction(Path("x"), [], interrupted=True)
    assert repr(found) == "<Reproduction: 0 experiments in x\n  interrupted>"
    for one in (scenario, best, way, found):
        assert len(repr(one)) < 500


def test_an_estimate_says_what_it_rests_on() -> None:
    # t(0.975, 1) = 12.7062, half of the distance is 1
    assert repr(estimate([1.0, 3.0])) == "<Estimate: 2 ± 13, n = 2, 1 to 3>"
    assert repr(estimate([2.5])) == "<Estimate: 2.5, n = 1>"
    assert repr(estimate([])) == "<Estimate: nan, n = 0>"
    assert repr(Estimate(math.inf, None, 2, 1.0, math.inf)) == "<Estimate: inf, n = 2, 1 to inf>"
    assert "2 ± 13" in estimate([1.0, 3.0])._repr_html_()


def test_sessions_and_receivers_are_among_the_rows() -> None:
    scenario = resolve(SHORT).data | {
        "flows": {},
        "sessions": {"film": {"scheme": "tfmcc", "source": "left-0", "receivers": {"nodes": ["right-0", "right-1"]}}},
    }
    result = faircast.run(scenario)
    assert "sessions film (tfmcc)" in repr(result)
    names = [row[0] for row in Cells(result._repr_html_()).rows]
    assert {"film", "film-0", "film-1"} <= set(names)
    assert ["film", "tfmcc"] in Cells(result.scenario._repr_html_()).rows
    silent = resolve(scenario | {"sessions": {}}, sets=["probes.paths=[{from='left-0', to='right-0'}]"])
    assert repr(silent).endswith("no flows>")


def test_everything_is_escaped_and_nothing_comes_from_elsewhere() -> None:
    evil = "<script>alert('x')</script>&"
    text = html(evil, Grid([evil, "n"], [[evil, "1"], ["b", evil]]), notes=[evil])
    shown = Cells(text)
    assert shown.rows == [[evil, "n"], [evil, "1"], ["b", evil]]
    assert shown.tags == {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    whole = faircast.run(SHORT)._repr_html_()
    for part in ("http", "src=", "<script", "<style", "background", "color"):
        assert part not in whole
    wide = replace(Grid(["a"], []), rows=[[str(row)] for row in range(25)])
    assert len(Cells(html("x", wide)).rows) == 21
    assert "and 5 more" in html("x", wide)
    assert "text-align: right" not in html("x", Grid(["a", "b"], [["c", "d"]], words=True))


def test_long_things_are_cut() -> None:
    assert some([str(n) for n in range(8)]) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert some([str(n) for n in range(9)]) == "0, 1, 2, 3, 4, 5, 6 and 2 more"
    assert ranges([5, 1, 2, 3]) == "1 to 3, 5"
    assert described("X", "a", "", "b") == "<X: a\n  b>"
    assert len(described("X", "a" * 10_000)) < 1000
    assert "\x1b" not in described("X", "\x1b[31m")
