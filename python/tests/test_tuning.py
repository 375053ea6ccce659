"""Trials: expressions over metrics, what is tried whatever runs it, how sure the best one is."""

from __future__ import annotations

import json
import math
from array import array
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from terminal import assert_whole_at_all_widths

import faircast
from faircast import SweepResult
from faircast.errors import InputError
from faircast.expression import constraint, expression
from faircast.scenario import resolve
from faircast.statistics import estimate
from faircast.summary import Layout, RunSummary
from faircast.sweep_folder import SweepPoint
from faircast.tuning import Tuning, goal_from_json, trial_of, tuning_of

LIMIT, DELAY = "links.bottleneck.queue.limit", "links.bottleneck.delay"
QUICK = ("--set", "duration=3s", "--set", "warmup=1s")
GOAL = ("--vary", f"{LIMIT}=3..40 packets:log", "--maximise", "web/rate_mean", "--reps", 2)
LAYOUT = Layout(
    (("v-0", "rate", "bit/s"), ("v-1", "rate", "bit/s"), ("w", "rate", "bit/s"), ("w", "srtt_end", "s"),
     ("q", "queue_mean", "packets"))
)  # fmt: skip
UNITS = {(subject, metric): unit for subject, metric, unit in LAYOUT.rows}


def run(*values: float) -> RunSummary:
    return RunSummary(LAYOUT, array("d", values), {("w", "rate"): 4e6})


ONE = run(1e6, 2e6, 3e6, 0.1, 8.0)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("w/rate", 3e6, "bit/s"),
        ("min(v-*/rate)", 1e6, "bit/s"),
        ("max(v-*/rate, w/rate)", 3e6, "bit/s"),
        ("mean(v-*/rate, w/rate)", 2e6, "bit/s"),
        ("sum(v-*/rate) - 0.5 Mbit/s", 2.5e6, "bit/s"),
        ("w/rate / v-0/rate", 3.0, "1"),
        ("2 * (w/rate - v-0/rate)", 4e6, "bit/s"),
        ("-w/rate + 1 kbit/s * 2 - 3 bit/s", -3e6 + 1997, "bit/s"),
        ("w/rate / optimum(w/rate) * 100", 75.0, "1"),
        ("50 % * q/queue_mean + 1 packet", 5.0, "packets"),
        ("w/srtt_end - 20 ms", 0.08, "s"),
        ("v-0/rate*w/srtt_end", 1e5, ""),
        ("1 - 2 - 3", -4.0, "1"),
        ("12 / 2 / 3", 2.0, "1"),
        ("1 + 2 * 3", 7.0, "1"),
    ],
)
def test_expressions(text: str, value: float, unit: str) -> None:
    found = expression(text)
    assert found.of(ONE) == pytest.approx(value)
    assert found.check(UNITS) == unit


def test_what_is_undefined_stays_so() -> None:
    assert math.isnan(expression("min(v-*/rate)").of(run(math.nan, 1, 1, 1, 1)))
    assert math.isnan(expression("w/rate / (v-0/rate - v-0/rate)").of(ONE))
    assert math.isnan(expression("optimum(v-0/rate)").of(ONE))
    assert math.isnan(expression("x/rate + 1 bit/s").of(ONE))


def test_constraints() -> None:
    assert constraint("w/rate >= 0.5 * optimum(w/rate)").slack(ONE) == 1e6
    assert constraint("q/queue_mean <= 10 packets").slack(ONE) == 2.0
    assert constraint("q/queue_mean <= 5 packets").slack(ONE) == -3.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("w/rate +", "something is missing at its end"),
        ("(w/rate", "a closing bracket is missing"),
        ("w/rate w/rate", "w/rate cannot stand there"),
        ("v-*/rate", "is several values; put it into min"),
        ("w/rate ; 1", "cannot be read"),
        ("least(w/rate)", "there is no function least"),
        ("min", "min needs brackets"),
        ("optimum(1)", "optimum takes a metric"),
        ("w/rate >= 1", "cannot stand there"),
    ],
)
def test_bad_expressions(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        expression(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("w/rte", "there is no metric of w rte"),
        ("min(x*/rate)", "no subject fits 'x"),
        ("w/rate + w/srtt_end", "different units: bit/s and s"),
        ("w/rate + 1", "different units: bit/s and none"),
        ("min(w/rate, 5 ms)", "different units: bit/s and s"),
    ],
)
def test_metrics_and_units_that_there_are_not(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("'x", ".?x")):
        expression(text).check(UNITS)
    with pytest.raises(InputError, match="it needs >= or <="):
        constraint("w/rate")
    with pytest.raises(InputError, match="different units"):
        constraint("w/rate >= 1 s").check(UNITS)


def tuning(*rates: list[float], slack: float = 10.0) -> Tuning:
    """Trials whose objective and slack are given by seed."""
    kept = {"maximise": "w/rate", "subject_to": [f"q/queue_mean <= {slack} packets"], "vary": {"x": "0..1 s"}}
    goal = goal_from_json(kept | {"seed": 1, "reps": 3, "width": 2})
    flow = {"flows": {"w": {"kind": "tcp"}}}
    queue = {"kind": "drop-tail", "limit": "5 packets"}
    link = {"links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "1 ms", "queue": queue}}}
    tree = {"format": 1, "name": "n", "duration": "1 s", "topology": {"kind": "dumbbell", "left": 1, "right": 1}}
    scenario = resolve(tree | flow | link)
    trials = []
    for number, own in enumerate(rates):
        point = SweepPoint({"x": number}, scenario, tuple(range(1, len(own) + 1)))
        runs = {seed: run(0, 0, rate, 0, number + 5) for seed, rate in enumerate(own, 1)}
        trials.append(trial_of(goal, number, point, runs))
    result: Any = None
    return Tuning(result, goal, tuple(trials))


def test_the_best_one_and_how_sure_it_is() -> None:
    found = tuning([1.0, 2.0, 3.0], [4.0, 6.0, 5.0], [3.9, 5.8, 4.9], [99.0, 99.0, 99.0], slack=7.5)
    assert [trial.number for trial in found.ranking] == [1, 2, 0]
    assert found.difference == estimate([4.0 - 3.9, 6.0 - 5.8, 5.0 - 4.9])
    assert found.is_sure is False
    assert not found.trials[3].holds
    assert found.trials[1].surely
    assert tuning([1.0, 2.0, 3.0], [4.0, 5.0, 6.1]).is_sure
    assert tuning([1.0, 2.0]).difference is None
    assert tuning([1.0, 2.0], slack=1.0).best is None


def test_what_is_undefined_in_a_run_does_not_hold() -> None:
    assert not tuning([1.0, math.nan, 3.0]).trials[0].holds


def content(folder: Path | str) -> dict[str, bytes]:
    files = [path for path in Path(folder).rglob("*.parquet") if "plots" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_equal_trials_whatever_runs_them(
    cli: Cli, small: Path, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optuna")
    whole = ("tune", small, *QUICK, *GOAL, "--width", 3, "--subject-to", "bottleneck/queue_mean <= 20 packets")
    done = cli(*whole, "--trials", 12, "--out", "a", "--jobs", 1)
    assert done.code == 0, done.err
    assert "than the second best" in " ".join(done.out.split())
    taken = len(runs)
    assert cli(*whole, "--trials", 5, "--out", "b", "--jobs", 2).code == 0
    assert cli(*whole, "--trials", 12, "--out", "b", "--jobs", 2).code == 0
    assert content("a") == content("b")
    assert len(runs) == 2 * taken
    shown = assert_whole_at_all_widths(cli, monkeypatch, *whole, "--trials", 12, "--out", "a")
    assert "0 runs computed" in shown.out
    told = json.loads(cli(*whole, "--trials", 12, "--out", "a", "--json").out)
    found = tuning_of(SweepResult.read("a"))
    assert found.best is not None
    assert told["best"] == found.best.number
    assert [trial["number"] for trial in told["trials"]] == list(range(len(found.trials)))
    most = max(trial.objective.mean for trial in found.trials if trial.holds)
    assert found.best.objective.mean == most
    assert cli("show", "a").code == 0
    assert cli("plot", "a", "web/rate_mean").code == 0
    other = ("tune", small, *QUICK, *GOAL[:-1], 3, "--out", "a")
    assert "a holds trials for another objective" in cli(*other).err


def test_it_finds_what_is_best(small: Path, tmp_path: Path) -> None:
    """The rate of the link decides, and a constraint keeps it from the end of its range."""
    pytest.importorskip("optuna")
    found = faircast.tune(
        small,
        vary={"links.bottleneck.rate": "0.2..4 Mbit/s"},
        minimise="bottleneck/queue_mean",
        subject_to=["web/rate_mean <= 0.4 Mbit/s"],
        sets=["duration=3s", "warmup=1s"],
        trials=24,
        reps=2,
        out=tmp_path / "x",
    )
    assert found.best is not None
    holding = [trial for trial in found.trials if trial.holds]
    assert 0 < len(holding) < len(found.trials)
    late = sum(trial.holds for trial in found.trials[16:]) / len(found.trials[16:])
    early = sum(trial.holds for trial in found.trials[:8]) / 8
    assert late > early


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--vary", f"{LIMIT}=3..9 packets"), "--maximise or --minimise says what is best, and none is given"),
        (("--maximise", "web/rate_mean"), "nothing is varied"),
        (("--vary", f"{LIMIT}=9..3 packets", "--maximise", "web/rate_mean"), "goes from the smaller number"),
        (("--vary", f"{LIMIT}=3..9 packets", "--maximise", "web/rte"), "there is no metric of web rte"),
        (("--vary", f"{LIMIT}=3..9 packets", "--maximise", "web/rate_mean", "--subject-to", "web/rate_mean >= 1 s"),
         "different units"),
        (("--vary", f"{LIMIT}=3..9 packets", "--maximise", "web/rate_mean", "--trials", 0), "--trials is 0"),
        (("--vary", f"{DELAY}=-9..-3 ms", "--maximise", "web/rate_mean"), "when it is varied"),
        (("--vary", f"{LIMIT}=3..9 packets", "--vary", f"{LIMIT}=3..9 packets", "--maximise", "web/rate_mean"),
         "is given twice"),
    ],
)  # fmt: skip
def test_bad_input_runs_nothing(cli: Cli, small: Path, runs: list[int], arguments: tuple[Any, ...], said: str) -> None:
    pytest.importorskip("optuna")
    done = cli("tune", small, *QUICK, *arguments, "--out", "a")
    assert (done.code, runs, Path("a").exists()) == (2, [], False)
    assert said in done.err
