"""Sweeps: what is computed, what its folder holds, and that nothing which ends a sweep changes it."""

from __future__ import annotations

import json
import math
import re
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Cli
from terminal import assert_whole

import faircast
from faircast import SweepResult, _native
from faircast.errors import InputError, NotFinishedError
from faircast.ledger import Ledger
from faircast.measurements import FILE, Measurements
from faircast.scenario import resolve
from faircast.statistics import difference, estimate
from faircast.summary import Layout, RunSummary
from faircast.sweep_folder import POINTS, WARNINGS, SweepMeasurements, SweepPoint, read_points, typed, write_points
from faircast.sweeps import LEGAL_TABLES
from faircast.tables import Tables

LIMIT = "links.bottleneck.queue.limit"
QUICK = ["duration=3s", "warmup=1s"]
VARY = {LIMIT: ["5 packets", "20 packets"], "flows.web.count": [1, 2]}
ARGUMENTS = ("--vary", f"{LIMIT}=5 packets,20 packets", "--vary", "flows.web.count=1,2", "--set", "duration=3s",
             "--set", "warmup=1s")  # fmt: skip


def content(folder: Path) -> dict[str, bytes]:
    """All files but the manifest."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_points_seeds_and_numbers(small: Path, tmp_path: Path) -> None:
    """Every number is that of a run of its own."""
    result = faircast.sweep(small, vary=VARY, reps=2, seed=4, sets=QUICK, out=tmp_path / "out")
    assert result.varied == (LIMIT, "flows.web.count")
    assert [tuple(point.values.values()) for point in result.points] == [
        ("5 packets", 1), ("5 packets", 2), ("20 packets", 1), ("20 packets", 2)
    ]  # fmt: skip
    assert (result.seeds, result.interrupted, result.computed, result.found) == ([4, 5], False, 8, 0)
    one = result.points[1]
    alone = faircast.run(small, seed=5, sets=[*QUICK, f"{LIMIT}=5 packets", "flows.web.count=2"])
    assert one.scenario == alone.scenario
    assert result.values(one, "web-1", "rate")[5] == alone.metrics()["web-1", "rate"]
    mine = [
        row
        for row in result.table.to_pylist()
        if (row[LIMIT], row["flows.web.count"], row["seed"]) == ("5 packets", 2, 5)
    ]
    wanted = alone.summary.to_pylist()
    assert [row["value"] for row in mine] == pytest.approx([row["value"] for row in wanted], nan_ok=True, rel=0)
    assert [row["optimum"] for row in mine] == pytest.approx([row["optimum"] for row in wanted], nan_ok=True, rel=0)


def test_the_tables_of_a_sweep(small: Path, tmp_path: Path) -> None:
    result = faircast.sweep(small, vary=VARY, reps=2, sets=QUICK, out=tmp_path / "out")
    assert result.table.column_names == [*VARY, "seed", "subject", "metric", "unit", "value", "optimum"]
    assert [str(result.table.schema.field(path).type) for path in VARY] == [
        "dictionary<values=string, indices=int32, ordered=0>", "int64"
    ]  # fmt: skip
    assert result.summary.column_names == [
        *VARY, "subject", "metric", "unit", "mean", "ci95", "n", "min", "max", "optimum"
    ]  # fmt: skip
    point = result.points[2]
    (row,) = [
        row
        for row in result.summary.to_pylist()
        if (row["subject"], row["metric"]) == ("web-0", "rate") and all(row[k] == v for k, v in point.values.items())
    ]
    found = estimate(list(result.values(point, "web-0", "rate").values()))
    assert (row["mean"], row["ci95"], row["n"]) == (found.mean, found.ci95, 2)
    assert result.estimate(point, "web-0", "rate") == found
    assert result.unit("web-0", "rate") == "bit/s"
    stored = pq.read_table(tmp_path / "out" / FILE)
    assert stored.column_names == [
        "point", *VARY, "hash", "seed", "subject", "metric", "unit", "value", "optimum"
    ]  # fmt: skip
    assert repr(result) == (
        f"<SweepResult: small, 4 points, 2 seeds: 1 to 2\n  varied: {LIMIT}, flows.web.count\n  in {tmp_path / 'out'}>"
    )
    shown = result._repr_html_()
    assert "limit, count" in shown
    assert "20 packets, 2" in shown
    mean = result.estimate(result.points[3], "web", "rate_mean")
    assert f"{mean.mean / 1e6:.4g} ± " in shown or f"{mean.mean / 1e3:.4g} ± " in shown


def test_what_one_point_lacks_and_what_none_has(small: Path, tmp_path: Path) -> None:
    result = faircast.sweep(small, vary=VARY, sets=QUICK, out=tmp_path / "out")
    assert result.values(result.points[0], "web-1", "rate") == {}
    assert result.estimate(result.points[0], "web-1", "rate").n == 0
    with pytest.raises(InputError, match=r"there is no subject wbe-0 \(did you mean web-0\?\)"):
        result.values(result.points[0], "wbe-0", "rate")
    with pytest.raises(InputError, match=r"there is no metric of web-0 rte \(did you mean rate\?\)"):
        result.unit("web-0", "rte")


def test_points_are_selected_by_path_or_its_end(small: Path, tmp_path: Path) -> None:
    result = faircast.sweep(small, vary=VARY, sets=QUICK, out=tmp_path / "out")
    assert result.select(count=2) == [result.points[1], result.points[3]]
    assert result.select({LIMIT: "5 packets"}, count=2) == [result.points[1]]
    assert result.select({"queue.limit": "20 packets", "web.count": 1}) == [result.points[2]]
    with pytest.raises(InputError, match=r"there is no varied path limt \(did you mean limit\?\)"):
        result.select(limt=1)
    both = {"flows.web.count": [1], "flows.x.count": [1]}
    other = faircast.sweep(small, vary=both, sets=[*QUICK, "flows.x.kind=tcp"], out=tmp_path / "b")
    with pytest.raises(InputError, match=r"count is the end of several varied paths: flows\.web"):
        other.select(count=1)


def test_a_value_that_is_nowhere(small: Path, tmp_path: Path) -> None:
    """Two values that are both there may have no point in common; a misspelt one is told."""
    rows = [{LIMIT: "5 packets", "flows.web.count": 1}, {LIMIT: "20 packets", "flows.web.count": 2}]
    result = faircast.sweep(small, rows=rows, sets=QUICK, out=tmp_path / "x")
    assert result.select(limit="5 packets", count=2) == []
    with pytest.raises(InputError, match=r"queue\.limit is nowhere '5packets'; it is 5 packets, 20 packets"):
        result.select(limit="5packets")


def test_more_values_and_more_seeds_go_to_the_same_folder(cli: Cli, small: Path, runs: list[int]) -> None:
    """And the folder is then that of a sweep which had them from the beginning."""
    narrow = ("sweep", small, *ARGUMENTS[4:])
    assert cli(*narrow, "--vary", f"{LIMIT}=20 packets").code == 0
    assert cli(*narrow, "--vary", f"{LIMIT}=5 packets,20 packets,8 packets", "--reps", 2).code == 0
    assert sorted(runs) == [1, 1, 1, 2, 2, 2]
    (folder,) = Path("results").iterdir()
    assert folder.name.startswith("small-sweep-")
    assert cli(*narrow, "--vary", f"{LIMIT}=5 packets,20 packets,8 packets", "--reps", 2, "--out", "whole").code == 0
    assert content(folder) == content(Path("whole"))
    done = cli(*narrow, "--vary", f"{LIMIT}=20 packets")
    assert "0 runs computed, 1 reused" in done.out
    result = SweepResult.read(folder)
    assert [point.values[LIMIT] for point in result.points] == ["20 packets", "5 packets", "8 packets"]
    assert [point.seeds for point in result.points] == [(1, 2)] * 3
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["kind"], manifest["varied"], manifest["status"]) == ("sweep", [LIMIT], "finished")
    assert [call["computed"] for call in manifest["calls"]] == [1, 5, 0]


def test_the_folder_stands_in_place_of_the_file(cli: Cli, small: Path, runs: list[int]) -> None:
    assert cli("sweep", small, *ARGUMENTS, "--out", "mine").code == 0
    assert cli("sweep", "mine").out.endswith("0 runs computed, 4 reused\n")
    assert cli("sweep", "mine", "--reps", 3).out.endswith("8 runs computed, 4 reused\n")
    assert cli("sweep", "mine", "--out", "again").out.endswith("12 runs computed, 0 reused\n")
    assert content(Path("mine")) == content(Path("again"))
    for more in (("--vary", "a=1"), ("--set", "a=1")):
        assert "mine is a result folder; to vary more, give the scenario file again" in cli("sweep", "mine", *more).err


def test_the_name_of_the_folder(cli: Cli, small: Path) -> None:
    """It depends on the scenario without what is varied, and on what is."""

    def name(*arguments: str) -> str:
        done = cli("sweep", small, *arguments, "--json")
        assert done.code == 0, done.err
        return str(json.loads(done.out)["folder"])

    quick = ARGUMENTS[4:]
    base = name(*quick, "--vary", "flows.web.count=1")
    assert name(*quick, "--vary", "flows.web.count=2", "--reps", "2", "--seed", "9") == base
    assert name(*quick, "--set", "warmup=2s", "--vary", "flows.web.count=1") != base
    small.write_text("seed = 5\n" + small.read_text().replace("count = 2", "count = 1"))
    assert name(*quick, "--vary", "flows.web.count=1") == base
    assert name(*quick, "--vary", f"{LIMIT}=5 packets") != base
    both = name(*quick, "--vary", "flows.web.count=1", "--vary", f"{LIMIT}=5 packets")
    assert name(*quick, "--vary", f"{LIMIT}=6 packets", "--vary", "flows.web.count=1") == both
    labelled = name(*quick, "--vary", "flows.web.count=1", "--label", "try it")
    assert labelled == base.replace("small-sweep-", "small-sweep-try-it-")


def test_equal_scenarios_are_run_once(cli: Cli, small: Path, runs: list[int]) -> None:
    """20 packets and 20.0 packets are one queue, but two points."""
    vary = ("--vary", f"{LIMIT}=20 packets,20.0 packets", "--reps", 2)
    done = cli("sweep", small, *ARGUMENTS[4:], *vary, "--out", "out")
    assert done.code == 0
    assert sorted(runs) == [1, 2]
    result = SweepResult.read("out")
    one, other = result.points
    assert one.scenario == other.scenario
    assert result.values(one, "web-0", "rate") == result.values(other, "web-0", "rate")
    assert len(result.values(one, "web-0", "rate")) == 2
    rows = pq.read_table("out/measurements.parquet")
    assert rows.column("point").to_pylist().count(0) * 2 == rows.num_rows
    assert cli("sweep", "out").out.endswith("0 runs computed, 2 reused\n")
    alone = cli("sweep", small, *ARGUMENTS[4:], *vary[:2], "--out", "one-seed")
    assert alone.code == 0
    result = SweepResult.read("one-seed")
    names = result.metrics
    assert len(result.runs(result.points[0])[1].layout.rows) == len(names) == len(set(names))
    assert result.table.num_rows == 2 * len(names)


def test_files_may_be_varied(cli: Cli, small: Path) -> None:
    other = small.with_name("other.toml")
    other.write_text(small.read_text().replace('"small"', '"other"').replace("count = 2", "count = 1"))
    vary = ("--vary", f"scenario={small},{other}", "--vary", f"{LIMIT}=5 packets")
    done = cli("sweep", *vary, *ARGUMENTS[4:], "--out", "o")
    assert done.code == 0, done.err
    result = SweepResult.read("o")
    assert [point.scenario.name for point in result.points] == ["small", "other"]
    assert result.varied == ("scenario", LIMIT)
    assert result.name == "several"
    assert "leave out the scenario itself" in cli("sweep", small, "--vary", f"scenario={other}").err
    done = cli("sweep", "--vary", f"scenario={small},absent.toml")
    assert "cannot read the scenario absent.toml" in done.err
    assert "(at scenario = absent.toml)" in done.err


def test_tables_on_request(cli: Cli, small: Path, runs: list[int]) -> None:
    """Also of runs that are finished, which are then run again; the others stay."""
    whole = ("sweep", small, *ARGUMENTS, "--out")
    assert cli(*whole, "here").code == 0
    assert cli(*whole, "here", "--tables", "queues").code == 0
    assert len(runs) == 8
    assert cli(*whole, "here", "--tables", "flows").code == 0
    assert len(runs) == 12
    assert cli(*whole, "here", "--tables", "queues").code == 0
    assert cli(*whole, "here").code == 0
    assert len(runs) == 12
    result = SweepResult.read("here")
    point = result.points[3]
    folder = Path("here/tables") / point.tables / "seed-1"
    assert folder.parent.name == f"2-20-packets-{point.scenario.hash}"
    assert sorted(path.name for path in folder.iterdir()) == ["flows.parquet", "manifest.json", "queues.parquet"]
    alone = faircast.run(point.scenario, seed=1)
    read = faircast.RunResult.read(folder)
    assert (read.scenario, read.seed) == (alone.scenario, 1)
    assert repr(read.flows.to_pylist()) == repr(alone.flows.to_pylist())
    assert cli(*whole, "other", "--tables", "queues, flows", "--jobs", 1).code == 0
    assert content(Path("here")) == content(Path("other"))


def test_the_names_of_tables(small: Path) -> None:
    further = ("acm", "playback", "proxies", "slots", "transfers")
    assert [name for name in LEGAL_TABLES if name not in further] == faircast.run(small, sets=QUICK).names
    web = '{ kind = "web", interval = "1 s", size = { kind = "constant" }, pep = { at = ["left-router"] } }'
    film = '{ scheme = "cbr", source = "left-0", receivers = { nodes = "right-0" }, playout = { kind = "live" } }'
    sets = [*QUICK, f"flows.pages={web}", f"sessions.film={film}"]
    assert [name for name in LEGAL_TABLES if name not in ("acm", "slots")] == faircast.run(small, sets=sets).names
    assert [name for name in LEGAL_TABLES if not isinstance(getattr(Tables, name, None), property)] == []


ONE = Layout((("f", "rate", "bit/s"), ("f", "lost", "1")))
TWO = Layout((("g", "rate", "bit/s"), ("f", "rate", "bit/s")))


def some_points() -> list[SweepPoint]:
    tree = {"format": 1, "name": "n", "duration": "1 s", "topology": {"kind": "dumbbell", "left": 1, "right": 1}}
    flow = {"flows": {"w": {"kind": "tcp"}}}
    link = {"links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "1 ms",
                                     "queue": {"kind": "drop-tail", "limit": "5 packets"}}}}  # fmt: skip
    first = resolve(tree | flow | link)
    second = resolve(tree | flow | link | {"duration": "2 s"})
    return [
        SweepPoint({"a": 1, "b.c": "x", "d": True, "e": 1}, first, (9, 10)),
        SweepPoint({"a": 2.5, "b.c": "x,é", "d": False, "e": "1.0"}, first, (9,)),
        SweepPoint({"a": 3, "b.c": "x", "d": False, "e": [1, 2]}, second, (9, 10, 11)),
    ]


def fill(store: Measurements, split: int, later: bool) -> None:
    """Runs in the order of their ends: some are there, the others come."""
    one, _, two = (point.scenario.hash for point in some_points())
    runs: list[tuple[tuple[str, int], RunSummary, list[Any]]] = [
        ((two, 10), RunSummary(TWO, array("d", [1.0, math.nan]), {("f", "rate"): 9.0}), []),
        ((one, 10), RunSummary(ONE, array("d", [0.1, math.inf])), [["k", "s", 1.0, "m"], ["k", "t", math.nan, "n"]]),
        ((two, 9), RunSummary(ONE, array("d", [0.3, 3.0])), [["k", "s", 2.0, "o"]]),
        ((one, 9), RunSummary(ONE, array("d", [0.2, 2.0])), []),
    ]
    for key, summary, warnings in runs[split:] if later else runs[:split]:
        store.record(key, "n", summary, {"warnings": warnings})


def test_measurements_with_varied_columns_come_back(tmp_path: Path) -> None:
    """From the file and the journal, in whatever order; the file that is written is the same."""
    files: set[tuple[bytes, ...]] = set()
    points = some_points()
    for split in range(5):
        folder = tmp_path / str(split)
        folder.mkdir()
        write_points(Ledger(folder), points)
        fill(SweepMeasurements.of(Ledger(folder), points), split, later=False)
        first = SweepMeasurements.of(Ledger(folder), points)
        first.write()
        Measurements.close(folder)
        again = SweepMeasurements.of(Ledger(folder), points)
        fill(again, split, later=True)
        second = SweepMeasurements.of(Ledger(folder), read_points(Ledger(folder)))
        second.write()
        Measurements.close(folder)
        third = SweepMeasurements.of(Ledger(folder), read_points(Ledger(folder)))
        third.write()
        files.add(tuple((folder / name).read_bytes() for name in (FILE, WARNINGS, POINTS)))
    assert len(files) == 1
    rows = [tuple(row.values()) for row in pq.read_table(tmp_path / "0" / FILE).to_pylist()]
    one, _, two = (point.scenario.hash for point in points)
    nan = math.nan
    assert repr(rows) == repr(
        [
            (0, 1.0, "x", True, "1", one, 9, "f", "rate", "bit/s", 0.2, nan),
            (0, 1.0, "x", True, "1", one, 9, "f", "lost", "1", 2.0, nan),
            (0, 1.0, "x", True, "1", one, 10, "f", "rate", "bit/s", 0.1, nan),
            (0, 1.0, "x", True, "1", one, 10, "f", "lost", "1", math.inf, nan),
            (1, 2.5, "x,é", False, "1.0", one, 9, "f", "rate", "bit/s", 0.2, nan),
            (1, 2.5, "x,é", False, "1.0", one, 9, "f", "lost", "1", 2.0, nan),
            (2, 3.0, "x", False, "[1, 2]", two, 9, "f", "rate", "bit/s", 0.3, nan),
            (2, 3.0, "x", False, "[1, 2]", two, 9, "f", "lost", "1", 3.0, nan),
            (2, 3.0, "x", False, "[1, 2]", two, 10, "g", "rate", "bit/s", 1.0, nan),
            (2, 3.0, "x", False, "[1, 2]", two, 10, "f", "rate", "bit/s", nan, 9.0),
        ]
    )
    warnings = [tuple(row.values())[6:] for row in pq.read_table(tmp_path / "0" / WARNINGS).to_pylist()]
    assert repr(warnings) == repr([(10, "k", "s", 1.0, "m"), (10, "k", "t", nan, "n"), (9, "k", "s", 2.0, "o")])
    back = read_points(Ledger(tmp_path / "0"))
    assert [(dict(p.values), p.scenario, p.seeds) for p in back] == [
        (dict(p.values), p.scenario, p.seeds) for p in points
    ]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([1, 2], "int64"),
        ([1, 2.5], "float64"),
        ([True, False], "bool"),
        ([True, 1], ["true", "1"]),
        ([2**63, 1], [str(2**63), "1"]),
        (["x", 1], ["x", "1"]),
    ],
)
def test_types_of_columns(values: list[Any], column: Any) -> None:
    found = typed(values)
    assert found == column if isinstance(found, list) else found.dtype == column


def with_runs(monkeypatch: pytest.MonkeyPatch, result: SweepResult, numbers: dict[int, dict[int, Any]]) -> None:
    monkeypatch.setattr(SweepResult, "runs", lambda _, point: numbers[result.points.index(point)])


def of_link(name: str, rate: float) -> RunSummary:
    return RunSummary(Layout((("f", "rate", "bit/s"), (name, "arrived_all", "packets"))), array("d", [rate, 1]))


def test_differences_by_hand(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed by seed where the links have the same names: 1, 2 and 3 have the mean 2 and the interval 4.303/√3."""
    result = faircast.sweep(
        small, vary={"flows.web.mss": ["100 B", "200 B", "300 B"]}, sets=QUICK, out=tmp_path / "out"
    )
    a, b, c = result.points
    with_runs(
        monkeypatch,
        result,
        {
            0: {1: of_link("up", 11), 2: of_link("up", 22), 3: of_link("up", 33), 9: of_link("up", 1000)},
            1: {3: of_link("up", 30), 2: of_link("up", 20), 1: of_link("up", 10), 8: of_link("up", 7)},
            2: {1: of_link("down", 10), 2: of_link("down", 20), 3: of_link("down", 30)},
        },
    )
    found = result.difference(a, b, "f", "rate")
    assert (found.mean, found.n, found.low, found.high) == (2, 3, 1, 3)
    assert found.ci95 == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert result.difference(b, a, "f", "rate").mean == -2
    unpaired = result.difference(a, c, "f", "rate")
    assert unpaired == difference([11, 22, 33], [10, 20, 30])
    assert unpaired.mean == 2
    assert unpaired.ci95 > 20


def test_points_meet_the_same_chances(small: Path, tmp_path: Path) -> None:
    """What a longer queue changes is nothing where it is never full, and the losses on the link stay."""
    queues = [{"kind": "drop-tail", "limit": limit} for limit in ("500 packets", "501 packets")]
    sets = [*QUICK, "links.bottleneck.loss.p=0.05"]
    vary = {"links.bottleneck.queue": queues}
    result = faircast.sweep(small, vary=vary, reps=3, sets=sets, out=tmp_path / "out")
    found = result.difference(*result.points, "bottleneck", "lost_all")
    assert (found.mean, found.ci95) == (0, 0)
    assert len(set(result.values(result.points[0], "bottleneck", "lost_all").values())) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vary", "links.botleneck.delay=5 ms"), "did you mean bottleneck"),
        (
            ("--vary", "flows.wbe.count=1,2"),
            r"the scenario has no flows\.wbe \(did you mean web\?\)",
        ),
        (("--vary", "flows.web.cuont=1,2"), r"did you mean count\?.*\(at every point\)"),
        (("--vary", "flows.web.count=1,x,y"), r'flows\.web\.count: "x" .*\(at count = x\)'),
        (("--vary", "flows.web.count=1,x", "--vary", "duration=5s,6s"), r"\(at count = x\)\n"),
        (("--vary", "flows.web.count=1,x", "--vary", "duration=5s,y"), r"\(at duration = y\)\n(.|\n)*\(at count = x\)"),
        (("--vary", "x="), "no values are listed"),
        (("--vary", "x=1", "--vary", "x=2"), "--vary x is given twice"),
        (("--vary", "flows.web=1", "--vary", "flows.web.count=2"), "are both varied"),
        (("--vary", "x=[1"), "is not a TOML value"),
        ((), "nothing is varied; say --vary"),
        (("--list", "absent.csv"), "cannot read the list absent.csv"),
        (("--vary", "flows.web.count=1", "--tables", "flos"), r"there is no table flos \(did you mean flows\?\)"),
        (("--vary", "flows.web.count=1", "--tables", "flows,"), "there is no table ;"),
        (("--vary", "flows.web.count=1", "--metric", "rate"), "--metric rate: write subject/metric"),
        (("--vary", "flows.web.count=1", "--reps", "0"), "--reps is 0"),
        (
            ("--vary", "flows.web.count=1,2", "--reps", "500001"),
            "--reps is 500001, which makes 1000002 runs of 2 points; legal are 1000000 runs",
        ),
        (("--vary", "flows.web.count=1", "--reps", str(2**53 - 1)), r"--reps is \d+, which makes"),
        (("--vary", "flows.web.count=1", "--jobs", "0"), "--jobs is 0"),
        (("--vary", "flows.web.count=1", "--label", "x", "--out", "y"), "give one of them"),
        (("--vary", "flows.web.count=1", "--set", "flows.web.count=2"), r"flows\.web\.count is set by --set, and"),
        (("--vary", "flows.web={kind='tcp'}", "--set", "flows.web.count=2"), r"flows\.web is varied; leave out"),
        (("--vary", "duration.x=1"), r'--vary duration\.x: duration is "20 s", it has no part x'),
    ],
)
def test_bad_input(cli: Cli, small: Path, arguments: tuple[str, ...], message: str) -> None:
    done = cli("sweep", small, *arguments)
    assert done.code == 2
    assert re.search(message, done.err), done.err
    assert not Path("results").exists(), "nothing has been written"


def test_bad_input_in_python(small: Path, tmp_path: Path) -> None:
    vary = {"flows.web.count": [1, math.nan]}
    with pytest.raises(InputError) as caught:
        faircast.sweep(small, vary=vary, out=tmp_path / "x")
    assert str(caught.value).endswith("flows.web.count is nan; numbers are finite (at count = NaN)")
    with pytest.raises(InputError, match=r"tables is 'flows'; a list is needed, such as \['flows'\]"):
        faircast.sweep(small, vary=VARY, tables="flows", out=tmp_path / "x")
    with pytest.raises(InputError, match=r"sets is 'duration=3s'; a list is needed"):
        faircast.sweep(small, vary=VARY, sets="duration=3s", out=tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_which_scenario(cli: Cli, small: Path) -> None:
    assert "which scenario?" in cli("sweep", "--vary", "a=1").err
    assert "cannot read the scenario absent.toml" in cli("sweep", "absent.toml", "--vary", "a=1").err
    small.write_text(small.read_text().replace("count = 2", "cuont = 2"))
    assert "flows.web.cuont: unknown key" in cli("sweep", small, "--vary", "duration=9s").err


def test_a_sweep_is_interrupted(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = _native.run
    begun: list[int] = []

    def run(scenario: str, seed: int, *more: Any) -> Any:
        begun.append(seed)
        return real(scenario, seed, *more)

    class Stop:
        def __init__(self, *_: object, **__: object) -> None: ...
        def __enter__(self) -> Stop:
            return self

        def __exit__(self, *_: object) -> None: ...
        def update(self, *_: object) -> None:
            if len(begun) >= 3:
                begun.clear()
                raise KeyboardInterrupt

    monkeypatch.setattr(_native, "run", run)
    with monkeypatch.context() as stopping:
        stopping.setattr("faircast.cli.sweep.Reporter", Stop)
        stopping.setattr("faircast.engine.threads.POLL_S", 0.001)
        done = cli("sweep", small, *ARGUMENTS[:4], "--reps", 10, "--jobs", 1, "--out", "mine", "--set", "duration=60s")
    assert done.code == 130, done.err
    assert "interrupted; what was finished is kept, the same command continues" in done.err
    assert json.loads(Path("mine/manifest.json").read_text())["status"] == "interrupted"
    assert "results in mine" in done.out


def test_on_screen(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = cli("sweep", small, *ARGUMENTS, "--reps", 2, "--out", "mine")
    assert done.code == 0, done.err
    assert "small with duration=3s, warmup=1s, 2 seeds, 4 points; after the warm-up unless said, mean ±" in done.out
    assert f"limit: {LIMIT}" in done.out
    assert "faircast plot mine web/rate_mean" in done.out
    assert "--metric SUBJECT/METRIC" in done.out
    lines = [line.split() for line in done.out.splitlines() if "packets" in line and "±" in line]
    assert [line[:3] for line in lines] == [
        ["5", "packets", "1"], ["5", "packets", "2"], ["20", "packets", "1"], ["20", "packets", "2"]
    ]  # fmt: skip
    result = SweepResult.read("mine")
    shown = result.estimate(result.points[1], "web", "rate_mean")
    assert f"{shown.mean / 1e6:.4g}" in " ".join(lines[1])
    other = cli("sweep", "mine", "--metric", "bottleneck/drops_all", "--metric", "web-0/cwnd_end")
    assert "bottleneck drops_all" in other.out
    assert "web rate_mean" not in other.out
    done = cli("sweep", "mine", "--metric", "bottleneck/drop_all")
    assert done.code == 2
    assert "there is no metric of bottleneck drop_all (did you mean drops_all?)" in done.err
    for width in (60, 80, 100, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        assert_whole(cli("sweep", "mine").out, width)


def test_as_json(cli: Cli, small: Path) -> None:
    done = cli("sweep", small, *ARGUMENTS, "--out", "mine", "--json")
    found = json.loads(done.out)
    assert found["varied"] == list(VARY)
    assert (found["seeds"], found["computed"], found["found"], found["interrupted"]) == ([1], 4, 0, False)
    assert found["points"][2]["values"] == {LIMIT: "20 packets", "flows.web.count": 1}
    assert found["points"][2]["summary"][0].keys() >= {"subject", "metric", "mean", "ci95"}
    assert done.err == ""


def test_what_is_missing_does_not_count(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds that were asked for and never run: the title has those on which numbers rest, a line the others."""
    sweep = ("sweep", small, *ARGUMENTS, "--out", "x", "--jobs", 1, "--reps")
    with monkeypatch.context() as failing:
        failing.setattr(_native, "run", lambda *_: (_ for _ in ()).throw(SystemError("x")))
        assert cli(*sweep, 9).code == 3
    assert "0 seeds" in repr(SweepResult.read("x"))
    done = cli(*sweep, 2)
    assert done.code == 0
    for out in (done.out, cli("show", "x").out):
        assert "warmup=1s, 2 seeds, 4 points" in " ".join(out.split())
        assert "28 of 36 runs are missing; faircast sweep x goes on with them" in out
    result = SweepResult.read("x")
    assert (result.missing, result.done, result.seeds) == (28, [1, 2], list(range(1, 10)))
    assert "2 seeds: 1, 2" in repr(result) or "2 seeds: 1 to 2" in repr(result)
    assert "28 runs are missing" in repr(result)
    assert json.loads(cli("show", "x", "--json").out)["missing"] == 28


def test_what_changes_nothing_is_said(cli: Cli, small: Path) -> None:
    """The link has its rate from its own table, whatever that of the topology says, and the runs are equal."""
    path = "topology.bottleneck.rate"
    sweep = ("sweep", small, "--vary", f"{path}=1 Mbit/s,2 Mbit/s", "--vary", "flows.web.count=1,2", "--out", "x",
             "--set", "duration=3s")  # fmt: skip
    done = cli(*sweep)
    said = f"{path} changes nothing: every number of every run is the same at 1 Mbit/s, 2 Mbit/s"
    assert said in done.err
    assert "count changes nothing" not in done.err
    assert said in cli("show", "x").err
    assert json.loads(cli(*sweep, "--json").out)["without_effect"] == [path]
    (single,) = faircast.sweep(small, vary={path: ["1 Mbit/s"]}, sets=QUICK, out="one").points
    assert SweepResult.read("one").without_effect() == [], f"{single} differs from no other"


def test_nothing_is_said_of_values_that_have_not_run(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vary = {"topology.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"]}
    faircast.sweep(small, vary={"topology.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}, sets=QUICK, out=tmp_path / "x")
    assert SweepResult.read(tmp_path / "x").without_effect() == ["topology.bottleneck.rate"]
    monkeypatch.setattr(_native, "run", lambda *_: (_ for _ in ()).throw(SystemError("x")))
    with suppress(NotFinishedError, SystemError):
        faircast.sweep(small, vary=vary, sets=QUICK, out=tmp_path / "x")
    result = SweepResult.read(tmp_path / "x")
    assert (len(result.points), result.missing) == (3, 1)
    assert result.without_effect() == []


def test_one_point_that_differs_is_an_effect(small: Path, tmp_path: Path) -> None:
    """The rate of the topology counts where the link has none of its own."""
    vary = {"topology.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
    free = small.read_text().replace('rate = "1.5 Mbit/s"\n', "", 1)
    assert faircast.sweep(free, vary=vary, sets=QUICK, out=tmp_path / "x").without_effect() == []
    rows = [{"flows.web.count": 1, "duration": "3s"}, {"flows.web.count": 1, "duration": "4s"}]
    rows += [{"flows.web.count": 2, "duration": "3s"}]
    assert faircast.sweep(small, rows=rows, sets=["warmup=1s"], out=tmp_path / "y").without_effect() == []


def test_warnings_of_the_points_are_merged(cli: Cli, small: Path) -> None:
    """A small window holds both flows at both points: one line for each flow."""
    vary = ("--vary", "links.bottleneck.rate=20 Mbit/s,30 Mbit/s", "--reps", 2)
    sets = ("--set", "flows.web.wnd=2 packets", "--set", "links.bottleneck.loss.p=0")
    done = cli("sweep", small, *vary, *sets, "--out", "mine")
    assert done.code == 0, done.err
    lines = [line for line in done.err.splitlines() if "web-0" in line and "window" in line]
    assert len(lines) == 1, done.err
    assert "(in 4 of 4 runs, the worst at rate = " in lines[0]
    again = cli("sweep", "mine")
    assert again.err == done.err
    table = SweepResult.read("mine").warnings
    assert table.column_names == ["links.bottleneck.rate", "seed", "kind", "subject", "value", "message"]
    assert set(table.column("seed").to_pylist()) == {1, 2}
