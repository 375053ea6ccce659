"""The framework of reproductions: plans, verdicts, files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from conftest import SMALL, Cli, edit_manifest, make_earlier, parquet_bytes

import faircast
from faircast import _native, experiments
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, judge, overall, within
from faircast.results import RunResult
from faircast.scenario import resolve
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMITS = (20, 40)


def points(quick: bool) -> list[Point]:
    limits = LIMITS[:1] if quick else LIMITS
    return [
        Point(
            key=limit,
            scenario=resolve(SMALL, sets=[f"links.bottleneck.queue.limit='{limit} packets'"]),
            tables=("queues",) if limit == LIMITS[0] else (),
        )
        for limit in limits
    ]


def first_metric(data: Data) -> tuple[str, str]:
    subject, metric, _ = data.run(data.keys()[0], data.seeds[0]).layout.rows[0]
    return subject, metric


def value(data: Data) -> Measured:
    return Measured.of(data.estimate(20, *first_metric(data)), note="by the queue")


def draw(data: Data) -> Figure:
    from faircast import figures

    figure, axes = figures.panels()
    keys: list[Any] = [key for key in data.points if isinstance(key, int)]
    estimates = [data.estimate(key, *first_metric(data)) for key in keys]
    figures.curve(axes, keys, estimates, label="limit", series=0)
    table = data.table(20, "queues")
    figures.trace(axes, table["t_s"].to_pylist(), table["t_s"].to_pylist(), label="time", series=1)
    axes.set_xlabel("limit (packets)")
    axes.legend()
    return figure


def make(name: str, *criteria: Criterion, **changes: Any) -> Experiment:
    settings: dict[str, Any] = {
        "id": name,
        "paper": "checks",
        "title": "A small one",
        "points": points,
        "criteria": criteria,
        "figure": draw,
        "says": lambda data: f"It shows {len(data.points)} points.",
        "reps": 2,
    }
    return Experiment(**(settings | changes))


HOLDS = Criterion(name="it is so", published="so", evaluate=lambda data: Measured(value=None, holds=True))
FAILS = Criterion(name="it is not", published=1.0, low=0, high=1, evaluate=lambda data: Measured(value=2.0, ci95=0.5))


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Any:
    def add(*listed: Experiment) -> None:
        module = ModuleType("some_experiments")
        module.EXPERIMENTS = listed  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "some_experiments", module)
        monkeypatch.setattr(experiments, "REGISTRY", {item.id: "some_experiments" for item in listed})

    return add


EMPTY = Data({}, [1], quick=False)
INSIDE = "the 95 % interval contains {}; the mean lies {}, which {}"


@pytest.mark.parametrize(
    ("criterion", "measured", "verdict", "note"),
    [
        ({"low": 1, "high": 3}, {"value": 2.0}, "agrees", ""),
        ({"low": 1, "high": 3}, {"value": 3.0}, "agrees", ""),
        ({"low": 1, "high": 3}, {"value": 3.1}, "disagrees", "3.1 is above 3"),
        ({"low": 1}, {"value": 0.5}, "disagrees", "0.5 is below 1"),
        ({"low": 1}, {"value": 0.5, "holds": True}, "agrees in ordering only", "0.5 is below 1"),
        ({"low": 1, "soft": True}, {"value": 0.5}, "disagrees (soft)", "0.5 is below 1"),
        ({"low": 1, "soft": True}, {"value": 0.5, "holds": True}, "agrees in ordering only", "0.5 is below 1"),
        ({"high": 1}, {"value": None}, "disagrees", "not defined in these runs"),
        ({"high": 1}, {"value": float("nan")}, "disagrees", "not defined in these runs"),
        ({"high": 1}, {"value": 0.5, "variant": "W20"}, "agrees (W20)", ""),
        ({}, {"value": 5.0, "holds": True}, "agrees", ""),
        ({}, {"value": 5.0, "holds": False, "note": "worst at 5"}, "disagrees", "worst at 5"),
        ({"soft": True}, {"value": 5.0, "holds": False}, "disagrees (soft)", ""),
        ({}, {"value": 5.0}, "reported", ""),
        ({"high": 1}, {"value": 0.5, "fails": "nobody is left"}, "disagrees (nobody is left)", ""),
        ({}, {"value": 5.0, "holds": True, "fails": "nobody is left"}, "disagrees (nobody is left)", ""),
        ({"soft": True}, {"value": 5.0, "holds": True, "fails": "nobody is left"}, "disagrees (soft)", ""),
        ({}, {"value": 5.0, "holds": True, "undecided": True}, "undecided", ""),
        ({"high": 1}, {"value": 0.5, "judged": False}, "reported", ""),
        ({"identity": "a clamp"}, {"value": 5.0, "holds": True}, "by construction", "a clamp"),
        ({"identity": "a clamp"}, {"value": 5.0, "holds": False}, "disagrees", ""),
        ({"identity": "a clamp", "low": 1}, {"value": 0.5}, "disagrees", "0.5 is below 1"),
        ({"identity": "a clamp", "low": 1}, {"value": 1.1, "ci95": 0.2}, "by construction", "a clamp"),
        ({"high": 1}, {"value": 2.0, "depends": "window"}, "depends on the window", ""),
        ({"high": 1}, {"value": 0.5, "straddles": 1.0}, "undecided", ""),
        # A limit strictly inside the interval, on either side of the mean.
        ({"low": 1, "high": 3}, {"value": 2.9, "ci95": 0.2}, "undecided", INSIDE.format("3", "below", "agrees")),
        ({"low": 1, "high": 3}, {"value": 3.1, "ci95": 0.2}, "undecided", INSIDE.format("3", "above", "does not")),
        ({"low": 1, "high": 3}, {"value": 0.9, "ci95": 0.2}, "undecided", INSIDE.format("1", "below", "does not")),
        ({"low": 1, "high": 3}, {"value": 2.8, "ci95": 0.2}, "agrees", ""),
        ({"low": 1, "high": 3}, {"value": 1.5, "ci95": 1.2}, "undecided", INSIDE.format("1", "above", "agrees")),
        ({"low": 1}, {"value": 0.9, "ci95": 0.2, "holds": True}, "undecided", INSIDE.format("1", "below", "does not")),
        (
            {"low": 1, "soft": True},
            {"value": 1.1, "ci95": 0.2},
            "undecided (soft)",
            INSIDE.format("1", "above", "agrees"),
        ),
        ({"low": 3, "high": 3}, {"value": 3.0, "ci95": 0.0}, "agrees", ""),
        # An interval that reaches further to one side.
        ({"low": 1}, {"value": 2.0, "ends": (0.9, 2.1)}, "undecided", INSIDE.format("1", "above", "agrees")),
        ({"high": 2.1}, {"value": 2.0, "ends": (0.9, 2.1)}, "agrees", ""),
        (
            {},
            {"value": 0.1, "ci95": 0.2, "holds": True, "turns_at": 0.0},
            "undecided",
            INSIDE.format("0", "above", "agrees"),
        ),
        ({}, {"value": -0.3, "ci95": 0.2, "holds": False, "turns_at": 0.0}, "disagrees", ""),
        ({}, {"value": 0.3, "ci95": 0.2, "holds": True, "turns_at": 0.0}, "agrees", ""),
        (
            {"high": 1},
            {"value": 1.1, "ci95": 0.2, "fails": "nobody is left"},
            "disagrees (nobody is left)",
            "1.1 is above 1",
        ),
    ],
)
def test_verdicts(criterion: dict[str, Any], measured: dict[str, Any], verdict: str, note: str) -> None:
    asked = Criterion(name="x", published="y", evaluate=lambda data: Measured(**measured), **criterion)
    found = judge(asked, EMPTY)
    assert (found.verdict, found.note) == (verdict, note)


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["agrees", "reported"], "agrees"),
        (["agrees", "agrees in ordering only"], "agrees in ordering only"),
        (["agrees in ordering only", "disagrees", "agrees"], "disagrees"),
        (["agrees", "disagrees (soft)", "reported"], "agrees in ordering only"),
        (["disagrees (soft)"], "agrees in ordering only"),
        (["disagrees (soft)", "agrees (W20)"], "agrees in ordering only"),
        (["disagrees (soft)", "disagrees"], "disagrees"),
        (["agrees", "agrees (W20)"], "agrees (W20)"),
        (["reported"], "reported"),
        (["agrees", "disagrees (x)", "disagrees (x)", "undecided"], "disagrees (x)"),
        (["disagrees", "disagrees (x)"], "disagrees"),
        (["agrees", "disagrees (soft)"], "agrees in ordering only"),
        (["agrees in ordering only", "undecided", "agrees"], "undecided"),
        (["undecided", "depends on the window", "agrees"], "depends on the window"),
        (["depends on the window", "disagrees"], "disagrees"),
        (["by construction", "reported"], "by construction"),
        (["by construction", "agrees"], "agrees"),
        (["by construction", "agrees (W20)"], "agrees (W20)"),
        (["by construction", "disagrees"], "disagrees"),
        ([], "reported"),
    ],
)
def test_an_experiment_is_as_good_as_its_worst_criterion(verdicts: list[str], verdict: str) -> None:
    def one(text: str) -> Any:
        return replace(judge(HOLDS, EMPTY), verdict=text)

    assert overall([one(text) for text in verdicts]) == verdict


@pytest.mark.parametrize(
    ("cells", "others", "verdict"),
    [
        (["agrees", "agrees"], [], "agrees (2 of 2 cells)"),
        (["agrees", "disagrees"], ["agrees"], "disagrees (1 of 2 cells)"),
        (["agrees", "agrees (W20)", "undecided"], [], "undecided (2 of 3 cells, 1 undecided)"),
        (["agrees", "disagrees (x)"], [], "disagrees (x; 1 of 2 cells)"),
        (["agrees"], ["disagrees"], "disagrees (1 of 1 cells)"),
        (["agrees in ordering only"], [], "agrees in ordering only (0 of 1 cells)"),
    ],
)
def test_of_tables_it_is_said_how_many_cells_agree(cells: list[str], others: list[str], verdict: str) -> None:
    judged = [replace(judge(HOLDS, EMPTY), verdict=text, cell=True) for text in cells]
    assert overall([*judged, *(replace(judge(HOLDS, EMPTY), verdict=text) for text in others)]) == verdict


def test_infinity_lies_above_every_range() -> None:
    assert within(float("inf"), 0, 10) == (False, "inf is above 10")


def test_summary_json(cli: Cli, register: Any) -> None:
    in_range = Criterion(name="in range", published=3.5, low=-1e12, high=1e12, evaluate=value)
    register(make("x-small", in_range, HOLDS))
    done = cli("reproduce", "x-small", "--out", "here")
    assert done.code == 0
    found = json.loads(Path("here/x-small/summary.json").read_text())
    assert list(found) == [
        "id",
        "paper",
        "place",
        "title",
        "published",
        "says",
        "verdict",
        "why",
        "criteria",
        "reps",
        "seeds",
        "version",
    ]
    assert (found["id"], found["paper"], found["verdict"]) == ("x-small", "checks", "agrees")
    assert found["says"] == "It shows 2 points."
    assert (found["reps"], found["seeds"], found["version"]) == (2, [1, 2], faircast.__version__)
    keys = [
        "name",
        "published",
        "measured",
        "ci95",
        "low",
        "high",
        "verdict",
        "note",
        "rule",
        "beside",
        "straddles",
        "cell",
    ]
    assert [list(criterion) for criterion in found["criteria"]] == [keys, keys]
    first, second = found["criteria"]
    assert (first["published"], first["low"], first["high"], first["note"]) == (3.5, -1e12, 1e12, "by the queue")
    assert isinstance(first["measured"], float)
    assert isinstance(first["ci95"], float)
    assert (second["measured"], second["low"], second["verdict"]) == (None, None, "agrees")
    assert "It shows 2 points." in done.out
    for ending in ("pdf", "png"):
        assert f"here/x-small/x-small.{ending}" in done.out
        assert Path(f"here/x-small/x-small.{ending}").stat().st_size > 1000


def test_numbers_are_shown_and_written(cli: Cli, register: Any) -> None:
    table = Numbers(columns=["case", "ratio"], rows=[["one", "1.25 ± 0.1"]])
    register(make("x-small", HOLDS, figure=None, numbers=lambda _: table))
    done = cli("reproduce", "x-small", "--out", "here", "--reps", "1")
    assert "1.25 ± 0.1" in done.out
    found = json.loads(Path("here/x-small/summary.json").read_text())
    assert found["numbers"] == {"columns": ["case", "ratio"], "rows": [["one", "1.25 ± 0.1"]]}


def test_a_disagreement_is_a_result_unless_strict(cli: Cli, register: Any) -> None:
    register(make("x-small", HOLDS, FAILS, figure=None))
    done = cli("reproduce", "x-small", "--out", "here")
    assert done.code == 0
    assert "disagrees" in done.out
    assert "2 is above 1" in done.out
    assert cli("reproduce", "x-small", "--out", "here", "--strict").code == 1
    register(make("x-small", HOLDS, figure=None))
    assert cli("reproduce", "x-small", "--out", "here", "--strict").code == 0


def test_quick_is_marked(cli: Cli, register: Any, runs: list[int]) -> None:
    register(make("x-small", HOLDS, reps=10))
    done = cli("reproduce", "--paper", "checks", "--quick", "--json")
    report = json.loads(done.out)["experiments"][0]
    assert report["verdict"] == "agrees (quick)"
    assert report["criteria"][0]["verdict"] == "agrees (quick)"
    assert report["reps"] == 3
    assert sorted(runs) == [1, 2, 3]
    assert cli("reproduce", "x-small", "--quick", "--strict").code == 0


def test_equal_runs_are_computed_once(cli: Cli, register: Any, runs: list[int]) -> None:
    register(make("x-one", HOLDS), make("x-two", HOLDS))
    done = cli("reproduce", "--all", "--out", "here")
    assert sorted(runs) == [1, 1, 2, 2]
    assert "4 runs computed, 0 reused" in done.out
    assert Path("here/x-one/summary.json").exists()
    assert Path("here/x-two/summary.json").exists()


def test_a_scenario_may_depend_on_the_seed(cli: Cli, register: Any, runs: list[int]) -> None:
    def of_seed(seed: int) -> Any:
        return resolve(SMALL, sets=[f"links.bottleneck.queue.limit='{20 + seed % 2} packets'"])

    found: dict[int, Any] = {}

    def seen(data: Data) -> Measured:
        found.update({seed: data.run("both", seed).values for seed in data.seeds})
        return Measured(value=None, holds=True)

    criterion = Criterion(name="it is so", published="so", evaluate=seen)
    both = make("x-both", criterion, points=lambda quick: [Point(key="both", scenario=of_seed)], figure=None)
    odd = make("x-odd", HOLDS, points=lambda quick: [Point(key="odd", scenario=of_seed(1))], figure=None)
    register(both, odd)
    assert cli("reproduce", "--all", "--reps", "4", "--out", "here").code == 0
    # Seeds 1 and 3 of both experiments are the same runs; 2 and 4 have another scenario in the second.
    assert sorted(runs) == [1, 2, 2, 3, 4, 4]
    for seed in (1, 2, 3, 4):
        assert found[seed].tobytes() == faircast.run(of_seed(seed), seed=seed).metrics().values.tobytes()


def test_copies_are_computed_apart(cli: Cli, register: Any, runs: list[int]) -> None:
    def twice(quick: bool) -> list[Point]:
        def tables(raw: Any) -> Any:
            return raw.tables()

        return [Point(key=copy, scenario=SMALL, copy=copy, reduce=tables) for copy in (0, 1)]

    def same(data: Data) -> Measured:
        return Measured(value=None, holds=all(data.reduced(0, seed) == data.reduced(1, seed) for seed in data.seeds))

    register(make("x-same", Criterion(name="same", published="same", evaluate=same), points=twice, figure=None))
    assert cli("reproduce", "x-same", "--strict").code == 0
    assert sorted(runs) == [1, 1, 2, 2]


def test_a_reproduction_is_continued(cli: Cli, register: Any, runs: list[int]) -> None:
    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "whole", "--reps", 3)
    first = parquet_bytes(Path("whole"))
    cli("reproduce", "x-small", "--out", "parts", "--reps", 2, "--jobs", 1)
    runs.clear()
    done = cli("reproduce", "x-small", "--out", "parts", "--reps", 3)
    assert sorted(runs) == [3, 3]
    assert "4 reused" in done.out
    assert parquet_bytes(Path("parts")) == first
    figures = [Path(folder, "x-small", "x-small.pdf").read_bytes() for folder in ("whole", "parts")]
    assert figures[0] == figures[1]


def test_what_was_kept_serves_a_finished_reproduction(cli: Cli, register: Any, runs: list[int]) -> None:
    """Tables, and what functions made of runs. Copies are run again."""
    register(make("x-made", HOLDS, points=reducing, figure=None))
    assert cli("reproduce", "x-made", "--out", "here", "--reps", 2).code == 0
    first = everything(Path("here"))
    known = set(pq.read_table("here/measurements.parquet")["scenario"].to_pylist())
    assert set(pq.read_table("here/kept.parquet")["scenario"].to_pylist()) <= known, "no copies"
    runs.clear()
    assert cli("reproduce", "x-made", "--out", "here", "--reps", 2).code == 0
    assert sorted(runs) == [1, 2], "the copy of each seed"
    assert everything(Path("here")) == first


def test_what_other_experiments_kept_stays(cli: Cli, register: Any, runs: list[int]) -> None:
    def keeping(name: str) -> Callable[[bool], list[Point]]:
        return lambda _: [Point(key=name, scenario=SMALL, tables=(name,), table_seeds=None)]

    names = ("flows", "links")
    register(*(make(f"x-{name}", HOLDS, points=keeping(name), figure=None, reps=1) for name in names))
    for name in ("x-flows", "x-links", "x-flows", "x-links"):
        assert cli("reproduce", name, "--out", "here").code == 0
    assert runs == [1, 1]
    assert cli("reproduce", "x-links", "x-flows", "--out", "whole").code == 0
    assert Path("here/kept.parquet").read_bytes() == Path("whole/kept.parquet").read_bytes()


def test_damaged_files_of_what_was_kept(cli: Cli, register: Any) -> None:
    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "here")
    path = Path("here/kept.parquet")
    whole = path.read_bytes()
    path.write_bytes(Path("here/measurements.parquet").read_bytes())
    refused = cli("show", "here")
    assert (refused.code, "; reproduce the experiment again" in refused.err) == (2, True)
    done = cli("reproduce", "x-small", "--out", "here")
    assert (done.code, "kept.parquet has" in done.err, path.read_bytes()) == (0, True, whole)
    assert "1 runs computed, 3 reused" in done.out, "the one of which a table is kept"
    path.write_bytes(Path("here/measurements.parquet").read_bytes())
    make_earlier("here")
    done = cli("reproduce", "x-small", "--out", "here")
    assert done.code == 2
    assert "kept.parquet is a Parquet file, but not one of what was kept of runs; remove it" in done.err
    path.unlink()
    assert cli("reproduce", "x-small", "--out", "here").code == 0
    assert path.exists()


def reducing(quick: bool) -> list[Point]:
    """What is kept beside the summary: a table of one point, something made of every run of another and its copy."""
    return [
        *points(False),
        *(Point(key=("made", copy), scenario=SMALL, copy=copy, reduce=made) for copy in (0, 1)),
    ]


def made(raw: Any) -> tuple[int, str]:
    return raw.packet_hops, "made"


def end_after(monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException) -> None:
    """The run after `count` ends with this."""
    real = _native.run
    begun: list[int] = []

    def run(scenario: str, seed: int, *more: Any) -> Any:
        begun.append(seed)
        if len(begun) > count:
            raise error
        return real(scenario, seed, *more)

    monkeypatch.setattr(_native, "run", run)


@pytest.mark.parametrize("count", [1, 5, 10])
def test_a_reproduction_that_fails_computes_only_what_is_missing(
    cli: Cli, register: Any, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Of 12 runs; runs that keep a table or something made of them are not computed again either."""
    holds = Criterion(
        name="made",
        published="",
        evaluate=lambda data: Measured(value=float(data.reduced(("made", 1), 3)[0]), holds=True),
    )
    register(make("x-small", holds, points=reducing, reps=3))
    assert "12 runs computed, 0 reused" in cli("reproduce", "x-small", "--out", "whole").out
    with monkeypatch.context() as failing:
        end_after(failing, count, SystemError("index out of bounds"))
        done = cli("reproduce", "x-small", "--jobs", 1, "--out", "parts")
    assert done.code == 3
    manifest = json.loads(Path("parts/manifest.json").read_text())
    assert manifest["status"] == "failed"
    assert "index out of bounds" in manifest["message"]
    done = cli("reproduce", "x-small", "--out", "parts")
    assert f"{12 - count} runs computed, {count} reused" in done.out
    assert everything(Path("parts")) == everything(Path("whole"))
    assert json.loads(Path("parts/manifest.json").read_text())["status"] == "finished"


def everything(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_run_is_on_the_disk_before_the_next_one_begins(
    cli: Cli, register: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a kill costs no more than the runs in flight, here one."""
    from faircast.measurements import Measurements

    real = _native.run
    written: list[int] = []

    def run(scenario: str, seed: int, *more: Any) -> Any:
        written.append(len(Measurements.read(Path("here"))._runs))
        return real(scenario, seed, *more)

    monkeypatch.setattr(_native, "run", run)
    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--jobs", 1, "--out", "here")
    assert written == [0, 1, 2, 3]


def test_what_other_sources_made_of_a_run_is_made_anew(
    cli: Cli, register: Any, monkeypatch: pytest.MonkeyPatch, runs: list[int]
) -> None:
    register(make("x-small", HOLDS, points=reducing, reps=1, figure=None))
    with monkeypatch.context() as failing:
        end_after(failing, 3, SystemError())
        cli("reproduce", "x-small", "--jobs", 1, "--out", "parts")
    monkeypatch.setattr("faircast.reproduction.fingerprint", lambda _: "0")
    runs.clear()
    assert "2 runs computed, 2 reused" in cli("reproduce", "x-small", "--out", "parts").out


def test_a_reproduction_is_worked_on_by_one_process(cli: Cli, register: Any) -> None:
    from faircast.storage import Lock

    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "here")
    with Lock(Path("here")):
        done = cli("reproduce", "x-small", "--out", "here")
    assert done.code == 2
    assert "here is in use: another process works on it" in done.err


def test_what_another_build_left_is_not_taken(
    cli: Cli, register: Any, monkeypatch: pytest.MonkeyPatch, runs: list[int]
) -> None:
    """Not even if a process of this build has been killed in the same folder before it finished a run."""
    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "here")
    edit_manifest("here", build="0")
    with monkeypatch.context() as failing:
        end_after(failing, 0, SystemError())
        assert cli("reproduce", "x-small", "--out", "here").code == 3
    assert "4 runs computed, 0 reused" in cli("reproduce", "x-small", "--out", "here").out


def test_a_reproduction_of_another_build_is_computed_anew(cli: Cli, register: Any, runs: list[int]) -> None:
    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "here")
    edit_manifest("here", build="0")
    assert "4 runs computed, 0 reused" in cli("reproduce", "x-small", "--out", "here").out


def test_folders_of_another_kind_are_refused(cli: Cli, register: Any, small: Path) -> None:
    register(make("x-small", HOLDS))
    cli("run", small, "--out", "a-run")
    assert "a-run holds a run, not a reproduction" in cli("reproduce", "x-small", "--out", "a-run").err
    cli("reproduce", "x-small", "--out", "full")
    assert "full holds a full reproduction" in cli("reproduce", "x-small", "--out", "full", "--quick").err
    assert cli("run", small, "--out", "full").code == 2
    assert cli("run", "full").code == 2


def test_measurements_hold_every_run(cli: Cli, register: Any) -> None:
    import pyarrow.parquet as pq

    register(make("x-small", HOLDS))
    cli("reproduce", "x-small", "--out", "here")
    table = pq.read_table("here/measurements.parquet")
    assert table.column_names == ["name", "scenario", "seed", "subject", "metric", "unit", "value", "optimum"]
    one = faircast.run(points(True)[0].scenario, seed=2)
    assert isinstance(one, RunResult)
    rows = [row for row in table.to_pylist() if row["scenario"] == one.scenario.hash and row["seed"] == 2]
    keys = ("subject", "metric", "unit", "value", "optimum")
    # As text, for which NaN is like NaN.
    assert [[repr(row[key]) for key in keys] for row in rows] == [
        [repr(row[key]) for key in keys] for row in one.summary.to_pylist()
    ]


def test_interruption_writes_what_is_complete(cli: Cli, register: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import signal
    import threading

    import pyarrow.parquet as pq

    real = _native.run

    def interrupting(scenario: str, seed: int, *more: Any) -> Any:
        if "40" in json.dumps(json.loads(scenario)["links"]["bottleneck"]["queue"]["limit"]):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            while not stopped.is_set():
                stopped.wait(0.01)
        return real(scenario, seed, *more)

    stopped = threading.Event()

    def cancel(batch: Any) -> None:
        plain_cancel(batch)
        stopped.set()

    from faircast.engine.threads import _Batch

    plain_cancel = _Batch.cancel
    monkeypatch.setattr(_Batch, "cancel", cancel)
    monkeypatch.setattr(_native, "run", interrupting)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def only_first(quick: bool) -> list[Point]:
        return points(True)

    try:
        register(make("x-first", HOLDS, points=only_first), make("x-both", HOLDS))
        done = cli("reproduce", "--all", "--out", "here", "--jobs", 1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.code == 130
    assert "finished runs are kept" in done.err
    assert Path("here/x-first/summary.json").exists()
    assert not Path("here/x-both").exists()
    assert json.loads(Path("here/manifest.json").read_text())["status"] == "interrupted"
    kept = {(row["scenario"], row["seed"]) for row in pq.read_table("here/measurements.parquet").to_pylist()}
    assert f"\n{len(kept)} runs computed, 0 reused" in done.out
    monkeypatch.setattr(_native, "run", real)
    done = cli("reproduce", "--all", "--out", "here")
    assert f"\n{4 - len(kept)} runs computed, {len(kept)} reused" in done.out, "a run with a table is reused, too"
    assert Path("here/x-both/summary.json").exists()


def test_data_over_seeds() -> None:
    data = Data({}, [1, 2, 3], quick=False)
    found = data.over_seeds(lambda seed: seed * 2.0)
    assert found == Estimate(4.0, found.ci95, 3, 2.0, 6.0)
    assert found.ci95 == pytest.approx(4.968, abs=1e-3)  # t(0.975, 2) * 2 / sqrt(3)


def test_every_registered_experiment_is_sound() -> None:
    seen: dict[int, Point] = {}  # experiments may share their points
    for name in experiments.REGISTRY:
        experiment = experiments.load(name)
        assert experiment.paper in experiments.PAPERS
        assert experiment.criteria
        assert all(criterion.published != "" for criterion in experiment.criteria), "a page would say nothing there"
        for quick in (True, False):
            keys: list[Hashable] = []
            for point in experiment.points(quick):
                if id(point) not in seen:
                    resolve(point.scenario_of(1))
                    seen[id(point)] = point
                keys.append(point.key)
            assert len(set(keys)) == len(keys)


def test_the_rate_that_independent_losses_allow() -> None:
    """By hand: p = 0.01, RTT 0.1 s. The equation gives 898.6 kbit/s, 11.2 packets per RTT; with 1/p = 100 the loss
    event rate is near 1/(100 + 11.7), at which the equation gives 957 kbit/s."""
    from faircast.experiments.checks.tfmcc_equation import equation_bps, expected_bps

    assert equation_bps(0.01, 0.1) == pytest.approx(898.6e3, rel=1e-3)
    rate = expected_bps(0.01, 0.1)
    assert rate == pytest.approx(equation_bps(1 / (100 + rate * 0.1 / 8000), 0.1), rel=1e-9)
    assert rate == pytest.approx(957e3, rel=0.01)


def test_the_function_is_not_hidden_by_a_module() -> None:
    """A submodule becomes an attribute of its package when it is imported, whatever stood there."""
    import importlib
    import pkgutil

    modules = {module.name for module in pkgutil.iter_modules(faircast.__path__)}
    assert not modules & set(faircast.__all__), "importing such a module would hide what has its name"
    importlib.import_module("faircast.reproduction")
    assert callable(faircast.reproduce)


def test_an_ordering_with_an_interval_says_where_it_turns_round() -> None:
    asked = Criterion(name="x", published="y", evaluate=lambda data: Measured(value=1.0, ci95=0.1, holds=True))
    with pytest.raises(AssertionError, match="x: an ordering with an interval"):
        judge(asked, EMPTY)
    asked = replace(asked, evaluate=lambda data: Measured(value=1.0, ends=(0.9, 1.5), holds=True))
    with pytest.raises(AssertionError, match="x: an ordering with an interval"):
        judge(asked, EMPTY)
    assert Measured.of(Estimate(1.0, None, 3, 0.5, 2.0, (0.8, 1.9))).ends == (0.8, 1.9)
    found = Measured.above(Estimate(mean=1.0, ci95=0.1, n=3, low=0.9, high=1.1), 0.5, note="so")
    assert (found.holds, found.turns_at, found.note) == (True, 0.5, "so")
    assert Measured.above(Estimate(mean=0.4, ci95=0.2, n=3, low=0.3, high=0.5), 0.5).holds is False


def narrowing(needed: int) -> Criterion:
    """Undecided with fewer than so many seeds."""

    def evaluate(data: Data) -> Measured:
        return Measured(value=1.5, ci95=1.0 if len(data.seeds) < needed else 0.1)

    return Criterion(name="narrows", published=1.5, low=1, evaluate=evaluate)


def test_seeds_are_added_at_fixed_looks_while_a_criterion_is_within_its_noise(
    register: Any, runs: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faircast.looks.LOOKS", (2, 3, 5))
    register(make("slow", narrowing(5)), make("fast", narrowing(3)), make("open", narrowing(99)), make("sure", HOLDS))
    done = faircast.reproduce("slow", "fast", "open", "sure", out=tmp_path / "looks")
    assert {report.id: (len(report.seeds), report.verdict) for report in done.reports} == {
        "slow": (5, "agrees"),
        "fast": (3, "agrees"),
        "open": (5, "undecided"),
        "sure": (2, "agrees"),
    }
    assert sorted(runs) == [seed for seed in (1, 2, 3, 4, 5) for _ in LIMITS], "each run once"
    assert done.runs == len(runs)
    stored = json.loads((tmp_path / "looks" / "open" / "summary.json").read_text())
    assert stored["criteria"][0]["straddles"] == 1
    assert (len(stored["seeds"]), stored["verdict"]) == (5, "undecided")
    # The same call finds all of it.
    assert faircast.reproduce("slow", "fast", "open", "sure", out=tmp_path / "looks").runs == 0


def test_whoever_says_how_many_seeds_gets_no_more(register: Any, tmp_path: Path) -> None:
    register(make("open", narrowing(99)))
    done = faircast.reproduce("open", reps=2, out=tmp_path / "said")
    assert (len(done["open"].seeds), done["open"].verdict, done["open"].holds) == (2, "undecided", False)
    done = faircast.reproduce("open", quick=True, out=tmp_path / "quick")
    assert (len(done["open"].seeds), done["open"].verdict) == (3, "undecided (quick)")


def test_an_experiment_may_have_a_number_of_seeds_and_no_more(
    register: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faircast.looks.LOOKS", (2, 3, 5))
    register(replace(make("dear", narrowing(99)), goes_on=False), make("open", narrowing(99)))
    done = faircast.reproduce("dear", "open", out=tmp_path / "dear")
    assert {report.id: len(report.seeds) for report in done.reports} == {"dear": 2, "open": 5}


def test_looks_are_fixed_and_end() -> None:
    from faircast.looks import next_look

    assert [next_look(seeds) for seeds in (1, 3, 9, 10, 19, 20, 39, 40, 100)] == [
        10,
        10,
        10,
        20,
        20,
        40,
        40,
        None,
        None,
    ]
