"""The command line: what it prints, writes and returns."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import Cli, parquet_bytes, start

from faircast.cli.common import table
from faircast.cli.view import show_rows
from faircast.results import RunResult
from faircast.scenario import resolve
from faircast.statistics import estimate
from faircast.summary import Row

VERBS = ("list", "run", "validate", "paths", "schema", "reproduce", "bench")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(cli: Cli, verb: str) -> None:
    done = cli(verb, "--help")
    assert done.code == 0
    assert f"Example: faircast {verb}" in done.out
    assert "--json" in done.out


def test_help_and_imports_stay_light() -> None:
    """Start-up time is kept down by what is not imported."""
    heavy = ("pyarrow", "numpy", "matplotlib", "scipy", "rich.progress", "rich.table")
    for imports in ("import faircast", "import faircast.cli"):
        code = f"{imports}\nimport sys\nprint([name for name in {heavy} if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]", imports


def test_the_package_offers_its_names() -> None:
    import faircast

    for name in faircast.__all__:
        assert getattr(faircast, name) is not None
        assert name in dir(faircast)
    with pytest.raises(AttributeError, match="no attribute nonsense"):
        faircast.nonsense  # noqa: B018


def test_list(cli: Cli) -> None:
    everything = cli("list")
    assert everything.code == 0
    for kind in ("experiments:", "queues:", "tcp:", "losses:", "agents:", "topologies:"):
        assert kind in everything.out
    assert "red" in cli("list", "queues").out
    assert "tfmcc srtt_s " in cli("list", "gauges").out
    assert "layered-cbr layer-added " in cli("list", "events").out
    found = json.loads(cli("list", "tcp", "--json").out)
    assert list(found) == ["tcp"]
    assert {"name", "description"} == set(found["tcp"][0])


def test_schema(cli: Cli) -> None:
    assert json.loads(cli("schema").out)["type"] == "object"


def test_validate(cli: Cli, small: Path) -> None:
    done = cli("validate", small)
    assert (done.code, done.err) == (0, "")
    assert resolve(small).hash in done.out
    assert json.loads(cli("validate", small, "--json").out) == {"valid": True, "problems": [], "warnings": []}
    wrong = cli("validate", small, "--json", "--set", "durations='3 s'")
    assert wrong.code == 2
    assert [problem["path"] for problem in json.loads(wrong.out)["problems"]] == ["durations"]


def test_run_writes_tables_and_manifest(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--reps", 2, "--seed", 5)
    assert done.code == 0
    folder = Path("results") / f"small-{resolve(small).hash}"
    assert f"results in {folder}" in done.out
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "seed-5", "seed-6", "summary.parquet"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["kind"], manifest["status"], list(manifest["runs"])) == ("run", "finished", ["5", "6"])
    assert manifest["scenario"] == resolve(small).data
    assert {"command", "date", "host", "wall_s"} <= set(manifest["calls"][0])
    assert RunResult.read(folder / "seed-5").seed == 5
    over_seeds = pq.read_table(folder / "summary.parquet")
    assert over_seeds.column_names == ["subject", "metric", "unit", "mean", "ci95", "n", "min", "max", "optimum"]
    assert set(over_seeds["n"].to_pylist()) == {2}


def test_run_for_machines(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--json", "--out", "here")
    found = json.loads(done.out)
    assert (found["scenario"], found["folder"], found["seeds"]) == ("small", "here", [1])
    assert {"subject", "metric", "unit", "mean", "ci95", "n", "min", "max", "optimum"} == set(found["summary"][0])


def test_equal_runs_are_equal_byte_for_byte(cli: Cli, small: Path) -> None:
    for out, jobs in (("one", 1), ("again", 1), ("two", 2)):
        assert cli("run", small, "--reps", 4, "--jobs", jobs, "--out", out).code == 0
    first = parquet_bytes(Path("one"))
    assert len(first) > 4
    assert parquet_bytes(Path("again")) == first
    assert parquet_bytes(Path("two")) == first


def test_a_folder_is_continued(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 3, "--out", "whole")
    cli("run", small, "--reps", 2, "--out", "parts")
    before = {name: path.stat().st_mtime_ns for path in Path("parts").glob("seed-*/*") for name in [str(path)]}
    done = cli("run", small, "--reps", 3, "--out", "parts", "--json")
    assert json.loads(done.out)["computed"] == [3]
    assert {name: Path(name).stat().st_mtime_ns for name in before} == before
    assert parquet_bytes(Path("parts")) == parquet_bytes(Path("whole"))
    assert "nothing left to do" in cli("run", small, "--out", "parts").out
    assert len(json.loads(Path("parts/manifest.json").read_text())["calls"]) == 3


def test_a_run_is_repeated_from_its_result(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--seed", 4, "--out", "first")
    small.unlink()
    assert cli("run", "first", "--out", "second").code == 0
    assert parquet_bytes(Path("second")) == parquet_bytes(Path("first"))
    assert cli("run", "first/seed-5/flows.parquet", "--out", "third").code == 0
    assert parquet_bytes(Path("third/seed-5")) == parquet_bytes(Path("first/seed-5"))
    assert json.loads(cli("run", "first", "--reps", 3, "--json").out)["computed"] == [6]


def test_set_changes_the_scenario(cli: Cli, small: Path) -> None:
    found = json.loads(cli("run", small, "--json", "--set", "links.bottleneck.delay=70 ms", "--set", "name='far'").out)
    assert found["scenario"] == "far"
    scenario = json.loads(Path(found["folder"], "manifest.json").read_text())["scenario"]
    assert "70" in json.dumps(scenario["links"]["bottleneck"]["delay"])


def test_version(cli: Cli) -> None:
    import faircast

    assert cli("--version").out.strip() == faircast.__version__


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    process = start("list", cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.wait(60)


def test_the_summary_on_screen_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        Row("web", "goodput", "bit/s", estimate([2e6, 4e6])),
        Row("web", "timeouts", "1", estimate([0, 0])),
        Row("bottleneck", "efficiency", "1", estimate([0.9, 0.9])),
        Row("bottleneck", "drops_all", "packets", estimate([10, 12])),
        Row("idle", "efficiency", "1", estimate([0.1, 0.1])),
        Row("idle", "drops_all", "packets", estimate([0, 0])),
        Row("run", "jain_index", "1", estimate([1, 1])),
    ]
    show_rows("x, 2 seeds", rows)
    out = capsys.readouterr().out
    assert "goodput, Mbit/s" in out
    assert "3 ± 13" in out  # 12.706 * 1
    assert "drops, whole run" in out
    assert "11 ± 13" in out
    assert "time-outs" not in out, "zero everywhere"
    assert "idle" not in out
    assert "fairness index of the flows: 1 ± 0" in out
    assert "95 % interval" in out


@pytest.mark.parametrize("width", [30, 50, 80])
def test_no_number_breaks_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Columns that find no room go on below, after the first column once more."""
    monkeypatch.setenv("COLUMNS", str(width))
    names = [f"a long heading {i}" for i in range(6)]
    rows = [[name, *(f"{i}23.45 ± 0.67" for i in range(6))] for name in ("a", "b", "c", "d", "bottleneck")]
    table(["link", *names], rows, right=names)
    out = capsys.readouterr().out
    assert [f"{i}23.45 ± 0.67" in out for i in range(6)] == [True] * 6
    assert out.count("bottleneck") == out.count("link") > 1
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out


def test_headings_give_way_to_numbers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The headings in one line would need 86 characters, the numbers 77."""
    monkeypatch.setenv("COLUMNS", "80")
    columns = ["link", "efficiency", "drops, whole run", "drops", "moderate marks"]
    row = ["bottleneck.back", "0.03792 ± 8.4e-05", "126.3 ± 281", "19.33 ± 7.6", "315 ± 7.5"]
    table(columns, [row], right=columns[1:], whole=["link"])
    out = capsys.readouterr().out
    assert out.count("bottleneck.back") == 1
    assert all(cell in out for cell in row)


def test_a_table_of_one_column(capsys: pytest.CaptureFixture[str]) -> None:
    table(["link"], [["bottleneck"]])
    assert "bottleneck" in capsys.readouterr().out


def test_reasons_are_folded_and_numbers_are_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    table(["criterion", "measured", "reason"], [["name", "123.45 ± 0.67", "words " * 20]], right=("measured",))
    out = capsys.readouterr().out
    assert "123.45 ± 0.67" in out
    assert out.count("words") == 20


def test_the_goodput_is_shown_though_nothing_arrived(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows("x, 1 seed", [Row("web", "goodput", "bit/s", estimate([0])), Row("web", "rate", "bit/s", estimate([0]))])
    head = capsys.readouterr().out.splitlines()[2]
    assert "goodput, kbit/s" in head
    assert "rate" not in head, "zero everywhere"


def test_one_seed_has_no_interval_on_screen(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows("x, 1 seed", [Row("web", "goodput", "bit/s", estimate([2e6]))])
    out = capsys.readouterr().out
    assert "after the warm-up unless said" in out
    assert "interval" not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sweep", "x.toml", "--vary"), "faircast sweep"),
        (("run", "--rep", "3"), "faircast run"),
        (("--vary",), "faircast"),
    ],
)
def test_the_help_of_the_verb_is_named(cli: Cli, arguments: tuple[str, ...], told: str) -> None:
    done = cli(*arguments)
    assert done.code == 2
    assert f"Try '{told} --help'." in done.err


@pytest.mark.parametrize("given", [("--reps", "three"), ("--reps=three",)])
def test_an_option_that_is_no_number_is_quoted(cli: Cli, given: tuple[str, ...]) -> None:
    done = cli("run", "x.toml", *given)
    assert done.code == 2
    assert "--reps: 'three' is not legal; legal is a whole number" in done.err


def test_a_paper_is_no_experiment(cli: Cli) -> None:
    assert "faircast reproduce --paper peng" in cli("reproduce", "peng").err
