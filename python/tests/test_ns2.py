"""x-ns2 without runs: what it says with ns-2 and without, and that its Tcl knows every case."""

from __future__ import annotations

from typing import Any

import pytest

from faircast.experiment import Data, PointData, judge
from faircast.experiments.checks import ns2
from faircast.scenario import resolve

VALUES = {"goodput": 8e5, "queue_mean": 15.0}


def data(spread: float) -> Data:
    """Three seeds of every case, with equal flows."""

    def summary(seed: int) -> Any:
        factor = 1 + spread * (seed - 2)
        return {
            (subject, metric): value * factor
            for subject in ("ftp", "ftp-0", "bottleneck")
            for metric, value in VALUES.items()
        } | {("ftp-1", "goodput"): VALUES["goodput"]}

    points: dict[Any, PointData] = {}
    for point in ns2.points(False):
        points[point.key] = PointData(resolve(point.scenario), {seed: summary(seed) for seed in (1, 2, 3)})
    return Data(points, [1, 2, 3], quick=False)


@pytest.fixture(autouse=True)
def _forget() -> Any:
    ns2.theirs.cache_clear()
    yield
    ns2.theirs.cache_clear()


def test_without_ns2_our_numbers_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    (experiment,) = ns2.EXPERIMENTS
    found = [judge(criterion, data(0.01)) for criterion in experiment.criteria]
    assert {verdict.verdict for verdict in found} == {"reported"}
    assert all("no ns-2 here" in verdict.note for verdict in found)
    assert [verdict.measured for verdict in found] == pytest.approx([8e5, 8e5, 8e5, 15.0, 15.0, 1.0, 1.0])
    assert "no ns-2 here" in experiment.says(data(0.01))
    assert experiment.numbers is not None
    assert {row[2] for row in experiment.numbers(data(0.01)).rows} == {"-"}


@pytest.mark.parametrize(
    ("ratio", "spread", "verdict"),
    [
        (1.005, 0.01, "agrees"),
        (1.005, 0.001, "agrees"),
        (1.045, 0.01, "undecided"),
        (1.06, 0.01, "undecided"),
        (1.06, 0.001, "disagrees"),
        (1.0, 0.1, "undecided"),
    ],
)
def test_means_agree_within_a_margin_and_fewer_seeds_do_not_help(
    monkeypatch: pytest.MonkeyPatch, ratio: float, spread: float, verdict: str
) -> None:
    base = {"loss": 8e5, "red": 15.0, "trips": 1.0}

    def peer(_ns: str, arguments: tuple[str, ...], seed: int) -> float:
        return base[arguments[0]] / ratio * (1 + spread * (seed - 2))

    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/ns")
    monkeypatch.setattr(ns2, "peer", peer)
    # Half width with three values of standard deviation s on each side: 2.776 · s · sqrt(2/3), about 2.27 · s.
    (experiment,) = ns2.EXPERIMENTS
    assert {judge(criterion, data(spread)).verdict for criterion in experiment.criteria} == {verdict}
    assert experiment.says(data(spread)).startswith("7 of 7" if verdict == "agrees" else "0 of 7")


def test_the_script_knows_every_case() -> None:
    text = ns2.SCRIPT.read_text()
    for case in ns2.CASES:
        assert f"        {case.arguments[0]} {{ " in text


def test_packets_are_as_large_there_as_here() -> None:
    # With its headers of 40 B, ns-2's queue was 0.2 packets longer than ours, and the check disagreed.
    lines = [line.strip() for line in ns2.SCRIPT.read_text().splitlines()]
    assert "Agent/TCP set packetSize_ 1000" in lines
    assert "Agent/TCP set useHeaders_ false" in lines
    for point in ns2.points(False):
        flow = resolve(point.scenario).data["flows"]["ftp"]
        assert (flow["mss"], flow["hdr"]) == ("1 KB", "0 B")
