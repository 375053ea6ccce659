"""Web traffic from Python: its table and metrics, on screen, in sweeps and pages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast.cli import web
from faircast.cli.view import show_rows
from faircast.errors import InputError
from faircast.laboratory import BUILT
from faircast.rows import Row
from faircast.statistics import estimate
from faircast.summary import over_seeds


def scenario(**pages: Any) -> dict[str, Any]:
    """Transfers of 10 KB over a dumbbell, one every 100 ms on the average."""
    size = {"kind": "constant", "bytes": "10 KB"}
    return {
        "format": 1,
        "name": "web",
        "duration": "20 s",
        "warmup": "2 s",
        "topology": {"kind": "dumbbell"},
        "flows": {"pages": {"kind": "web", "interval": "100 ms", "size": size, **pages}},
    }


def test_transfers_are_a_table_and_no_flows() -> None:
    result = faircast.run(scenario())
    rows = result.transfers.to_pydict()
    assert result.flows.num_rows == result.receivers.num_rows == 0
    late = [took for at, took in zip(rows["t_s"], rows["completion_s"], strict=True) if at > 2.0]
    metrics = result.metrics()
    assert metrics["pages", "transfers"] == len(late)
    assert metrics["pages", "unfinished"] == sum(map(math.isnan, late))
    # The nearest rank, those that are unfinished last.
    ranked = sorted(late, key=lambda took: (math.isnan(took), took))
    assert metrics["pages", "completion_p95"] == ranked[math.ceil(0.95 * len(ranked)) - 1]
    # All are in the first class.
    assert metrics["pages", "completion_p95_class_1"] == metrics["pages", "completion_p95"]
    assert math.isnan(metrics["pages", "completion_p95_class_2"])


def test_a_percentile_among_the_unfinished_is_marked() -> None:
    def row(metric: str, *values: float) -> Row:
        return Row("pages", metric, "1", estimate(values))

    assert not web.is_bound(row("transfers", 100), row("unfinished", 0), 99)
    assert not web.is_bound(row("transfers", 100), row("unfinished", 5), 95)
    assert web.is_bound(row("transfers", 100), row("unfinished", 6), 95)
    assert web.is_bound(row("transfers", 100, 100), row("unfinished", 0, 6), 95), "one seed is enough"


def test_the_screen_says_at_least(capsys: pytest.CaptureFixture[str]) -> None:
    lossy = scenario()
    lossy["links"] = {"bottleneck": {"loss": {"kind": "bernoulli", "p": 0.4}}}
    show_rows("web", over_seeds({1: faircast.run(lossy).metrics()}))
    shown = capsys.readouterr().out
    assert "web traffic" in shown
    assert "≥" in shown


def test_a_file_of_arrivals_lies_beside_the_scenario(tmp_path: Path) -> None:
    text = (
        "format = 1\nname = 'x'\nduration = '2 s'\n[topology]\nkind = 'dumbbell'\n"
        "[flows.pages]\nkind = 'web'\narrivals = 'pages.csv'\n"
    )
    (tmp_path / "x.toml").write_text(text)
    (tmp_path / "pages.csv").write_text("time [s],size [KB]\n0.5,3\n0.25,1\n")
    with pytest.raises(InputError, match=r"pages\.csv, line 3: time runs back, from 0\.5 s to 0\.25 s"):
        faircast.run(tmp_path / "x.toml")
    (tmp_path / "pages.csv").write_text("time [s],size [KB]\n0.25,1\n0.5,3\n")
    rows = faircast.run(tmp_path / "x.toml").transfers.to_pydict()
    assert (rows["t_s"], rows["size_bytes"]) == ([0.25, 0.5], [1000, 3000])


def test_all_verbs_take_runs_with_web_traffic_alone(cli: Cli) -> None:
    Path("web.json").write_text(json.dumps(scenario()))
    for arguments in (
        ["validate", "web.json"],
        ["run", "web.json", "--out", "r"],
        ["show", "r"],
        ["plot", "r"],
        ["sweep", "web.json", "--vary", "flows.pages.variant=newreno,cubic", "--out", "s"],
    ):
        ran = cli(*arguments)
        assert ran.code == 0, (arguments, ran.err)
    assert "pages completion_p95, s" in cli("compare", "r", "r").out
    assert "pages completion_p50" in cli("show", "s").out
    shown = cli("show", "s", "--metric", "pages/completion_p95")
    assert "pages completion_p95" in shown.out


def test_a_comparison_says_which_percentiles_are_lower_bounds(cli: Cli) -> None:
    # Without a link for its second half every transfer of the one is unfinished that arrives then.
    down = [{"at": "10 s", "up": False}]
    cut = {**scenario(), "links": {"bottleneck": {"changes": down}}}
    for name, text in (("whole", scenario()), ("cut", cut)):
        Path(f"{name}.json").write_text(json.dumps(text))
        assert cli("run", f"{name}.json", "--out", name).code == 0
    compared = cli("compare", "whole", "cut")
    least = "falls among unfinished transfers; it is at least so much"
    assert f"cut: pages completion_p95 {least}" in compared.err
    assert f"cut: pages completion_p50 {least}" in compared.err
    assert "whole: pages" not in compared.err
    assert "unfinished" not in cli("compare", "whole", "cut", "--metric", "pages/transfers").err


def test_a_sweep_marks_percentiles_that_are_lower_bounds(cli: Cli) -> None:
    # 40 Mbit/s for a link of 7.65 Mbit/s: most transfers come to no end.
    Path("web.json").write_text(json.dumps({**scenario(), "duration": "5 s"}))
    asked = ["--metric", "pages/completion_p50", "--vary", "flows.pages.interval=100 ms,2 ms", "--out", "s"]
    swept = cli("sweep", "web.json", *asked).out
    found = {line.split("ms")[0].strip(): "≥" in line for line in swept.splitlines() if "ms " in line}
    assert found == {"100": False, "2": True}, swept


@pytest.mark.skipif(not (BUILT / "report.js").exists(), reason="make web builds it")
def test_a_run_with_web_traffic_alone_has_a_page(cli: Cli) -> None:
    Path("web.json").write_text(json.dumps(scenario()))
    assert cli("run", "web.json", "--out", "r").code == 0
    ran = cli("report", "r")
    assert ran.code == 0, ran.err


def test_web_traffic_is_in_no_optimum_and_that_is_said(cli: Cli) -> None:
    beside = scenario()
    beside["flows"]["long"] = {"kind": "tcp"}
    Path("web.json").write_text(json.dumps(beside))
    ran = cli("run", "web.json", "--out", "r")
    assert ran.code == 0
    assert "leaves web traffic (pages) out" in " ".join((ran.out + ran.err).split())
    assert faircast.run(beside).metrics().optimum["long", "rate"] == 10e6
