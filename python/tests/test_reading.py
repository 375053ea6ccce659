"""Reading results: all seeds of a run as one table, whatever else lies in a folder."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import SMALL

import faircast
from faircast.batch import Outcome
from faircast.engine.threads import Threads
from faircast.errors import InputError, ResultWarning
from faircast.folder import RunFolder
from faircast.reading import Runs, read
from faircast.results import RunResult
from faircast.runs import run_into
from faircast.scenario import resolve
from faircast.statistics import estimate

SHORT = SMALL.replace("20 s", "5 s")
SEEDS = (2, 3, 11)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "run"
    run_into(RunFolder.open(folder, resolve(SHORT)), SEEDS, engine=Threads(2))
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "run"))


@pytest.fixture
def alone() -> dict[int, RunResult]:
    return {seed: faircast.run(SHORT, seed=seed) for seed in SEEDS}


def test_all_seeds_are_one_table(kept: Path, alone: dict[int, RunResult]) -> None:
    runs = faircast.read(kept)
    assert isinstance(runs, Runs)
    assert (runs.seeds, len(runs), runs.folder, runs.interrupted) == ([2, 3, 11], 3, kept, [])
    assert runs.scenario == resolve(SHORT)
    assert runs.version == faircast.__version__
    assert runs.names == alone[2].names
    for name in runs.names:
        whole = runs.table(name)
        assert whole.column_names[0] == "seed"
        assert whole.schema.field("seed").type == "int64"
        start = 0
        for seed, result in alone.items():  # in the order of numbers, not of texts
            rows = result.table(name).num_rows
            part = whole.slice(start, rows)
            assert part["seed"].to_pylist() == [seed] * rows
            assert repr(part.drop_columns(["seed"]).to_pydict()) == repr(result.table(name).to_pydict())
            start += rows
        assert start == whole.num_rows
    assert runs.flows is runs.table("flows")
    assert runs.queues.num_rows > 0
    assert runs.flows.schema.metadata[b"faircast.seed"] == b"2,3,11"


def test_runs_in_memory_are_those_of_the_folder(kept: Path, alone: dict[int, RunResult]) -> None:
    memory = faircast.run(SHORT, seeds=(seed for seed in (11, 2, 3)), jobs=2)
    assert (memory.seeds, memory.folder) == ([2, 3, 11], None)
    disk = faircast.read(kept)
    for name in disk.names:
        assert repr(memory.table(name).to_pydict()) == repr(disk.table(name).to_pydict())
    assert repr(memory.summary.to_pydict()) == repr(disk.summary.to_pydict())
    assert repr(disk.summary.to_pydict()) == repr(pq.read_table(kept / "summary.parquet").to_pydict())
    assert [result.seed for result in memory] == [result.seed for result in disk] == [2, 3, 11]
    assert faircast.run(SHORT, seeds=[4]).seeds == [4]


def test_brackets_give_one_number_and_its_mean(kept: Path, alone: dict[int, RunResult]) -> None:
    runs = faircast.read(kept)
    values = [result["web-1", "rate"] for result in alone.values()]
    assert all(type(value) is float for value in values)
    assert len(set(values)) == 3
    assert runs.values("web-1", "rate") == dict(zip(SEEDS, values, strict=True))
    found = runs["web-1", "rate"]
    assert found == estimate(values)
    assert found.mean == pytest.approx(math.fsum(values) / 3)
    # s of three values and t(0.975, 2) = 4.3027
    assert found.ci95 == pytest.approx(4.302653 * float(np.std(values, ddof=1)) / math.sqrt(3), rel=1e-6)
    assert runs.of(3)["web-1", "rate"] == values[1]


def test_what_is_not_there_is_named(kept: Path) -> None:
    runs = faircast.read(kept)
    for result in (runs, runs.of(2)):
        with pytest.raises(KeyError, match=r"web-0 has no metric rat \(did you mean rate\?\)"):
            result["web-0", "rat"]
        with pytest.raises(KeyError, match=r"no subject web-9 \(did you mean web-"):
            result["web-9", "rate"]
        with pytest.raises(KeyError, match=r"no table flow \(did you mean flows\?\)"):
            result.table("flow")
        for key in ("rate", ("web-0", "rate", 1)):
            with pytest.raises(KeyError, match="is not a subject and a metric"):
                result[key]
    with pytest.raises(KeyError, match="there is no seed 4; there are 2 to 3, 11"):
        runs.of(4)


def test_tables_are_read_when_they_are_asked_for(folder: Path) -> None:
    runs = faircast.read(folder)
    file = folder / "seed-3" / "flows.parquet"
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)
    assert runs.events.num_rows > 0
    assert runs["web-0", "rate"].n == 3
    with pytest.raises(InputError, match=r"seed-3/flows\.parquet is not as it was written.*run the seed again"):
        runs.flows  # noqa: B018
    file.write_bytes(data[:-5])
    for look in (lambda: faircast.read(folder).queues, lambda: faircast.read(folder / "seed-3")):
        with pytest.raises(InputError, match=r"seed-3/flows\.parquet has \d+ bytes, not \d+"):
            look()
    file.unlink()
    with pytest.raises(InputError, match=r"flows\.parquet is missing"):
        faircast.read(folder).queues  # noqa: B018
    (folder / "seed-3" / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match=r"seed-3/manifest\.json is damaged$"):
        faircast.read(folder).queues  # noqa: B018


def test_a_seed_of_another_run_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "seed-3").rename(tmp_path / "three")
    (folder / "seed-2").rename(folder / "seed-3")
    with pytest.raises(InputError, match="seed-3 belongs to another run"):
        faircast.read(folder).flows  # noqa: B018
    shutil.rmtree(folder / "seed-3")
    other = RunFolder.open(tmp_path / "other", resolve(SHORT, sets=["flows.web.count=1"]))
    run_into(other, [3])
    shutil.copytree(tmp_path / "other" / "seed-3", folder / "seed-3")
    with pytest.raises(InputError, match="names another scenario than the seeds beside it"):
        faircast.read(folder)
    shutil.copytree(tmp_path / "three", folder / "seed-1")
    with pytest.raises(InputError, match="belongs to another run"):
        faircast.read(folder).flows  # noqa: B018


def test_interrupted_seeds_are_there_if_asked_for(folder: Path) -> None:
    (folder / "seed-3").rename(folder / "seed-3-interrupted")
    shutil.copytree(folder / "seed-2", folder / "seed-2-interrupted")  # left behind: the finished one counts
    assert faircast.read(folder).seeds == [2, 11]
    runs = faircast.read(folder, interrupted=True)
    assert (runs.seeds, runs.interrupted) == ([2, 3, 11], [3])
    assert set(runs.flows["seed"].to_pylist()) == {2, 3, 11}
    for seed in (2, 11):
        shutil.rmtree(folder / f"seed-{seed}")
    shutil.rmtree(folder / "seed-2-interrupted")
    with pytest.raises(InputError, match="holds no finished seed of small; interrupted=True reads what there is of 1"):
        faircast.read(folder)
    assert faircast.read(folder, interrupted=True).seeds == [3]
    shutil.rmtree(folder / "seed-3-interrupted")
    with pytest.raises(InputError, match=r"holds no finished seed of small$"):
        faircast.read(folder, interrupted=True)


def test_parts_of_a_run_are_one_result(kept: Path, tmp_path: Path, alone: dict[int, RunResult]) -> None:
    one = faircast.read(kept / "seed-3")
    assert isinstance(one, RunResult)
    assert (one.seed, one.seeds) == (3, [3])
    assert one["web-0", "rate"] == alone[3]["web-0", "rate"]
    file = faircast.read(str(kept / "seed-3" / "flows.parquet"))
    assert (file.names, file.seed, file.scenario) == (["flows"], 3, one.scenario)
    assert repr(file.flows.to_pydict()) == repr(alone[3].flows.to_pydict())
    with pytest.raises(KeyError, match="no table summary; it has flows"):
        file["web-0", "rate"]
    alone[2].write(tmp_path / "new" / "one")
    assert faircast.read(tmp_path / "new" / "one").seed == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.toml", b"format = 1", r"x\.toml is no result: .* faircast\.run runs a scenario"),
        ("x.parquet", b"PAR1", r"x\.parquet is not a whole Parquet file"),
        ("manifest.json", b"{", r"manifest\.json is damaged$"),
        ("manifest.json", b'{"kind": "cake"}', "holds a cake; faircast.read reads runs"),
        ("manifest.json", b'{"kind": "run"}', "holds no finished seed of its scenario"),
        ("manifest.json", b'{"kind": "seed"}', r"does not list the files"),
        ("other", b"", "is not a result folder: it has no manifest"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name if name.startswith("x") else tmp_path)


def test_what_is_not_there_is_not_read(kept: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path / ("x" * 5000), "a\0b"):
        with pytest.raises(InputError, match="cannot read"):
            read(path)
    with pytest.raises(InputError, match=r"summary\.parquet is the summary of several seeds; read the folder"):
        read(kept / "summary.parquet")
    with pytest.raises(InputError, match="holds a run, not one seed of a run"):
        RunResult.read(kept)
    with pytest.raises(InputError, match="holds a seed, not a run"):
        Runs.read(kept / "seed-2")


def test_the_summary_of_one_seed_is_no_run(tmp_path: Path) -> None:
    run_into(RunFolder.open(tmp_path / "one", resolve(SHORT)), [5])
    with pytest.raises(InputError, match="is the summary over seeds; read the folder"):
        read(tmp_path / "one" / "summary.parquet")


def numbers() -> Iterator[Any]:
    yield from (1, 2.0, np.int64(3))


def test_seeds_are_checked_all_at_once() -> None:
    with pytest.raises(InputError) as wrong:
        faircast.run(SHORT, seeds=[1, -1, 2.5, 1, "x", 2**53, True])
    assert wrong.value.message == "seeds has 6 problems"
    assert [path for path, _ in wrong.value.problems] == [f"seeds[{place}]" for place in range(1, 7)]
    assert wrong.value.problems[0][1] == "seed -1 is asked for; legal are 0 to 9007199254740991 (2^53 - 1)"
    assert wrong.value.problems[2][1] == "1 is there already"
    with pytest.raises(InputError, match="and 480 more"):
        faircast.run(SHORT, seeds=[-1] * 500)
    with pytest.raises(InputError, match="seeds is empty"):
        faircast.run(SHORT, seeds=[])
    with pytest.raises(InputError, match=r"seeds is 5; legal are several, such as range\(1, 11\)"):
        faircast.run(SHORT, seeds=5)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="seed and seeds are given"):
        faircast.run(SHORT, seed=1, seeds=[2])  # type: ignore[call-overload]
    with pytest.raises(InputError, match="jobs is 0"):
        faircast.run(SHORT, seeds=[2], jobs=0)
    assert faircast.run(SHORT, seeds=numbers()).seeds == [1, 2, 3]


def test_ctrl_c_ends_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(engine: Threads, tasks: Any, keep: Any) -> Any:
        assert ([task.job.seed for task in tasks], engine.count) == ([0, 1, 2], 2)
        return Outcome([object(), None, None], interrupted=True)

    monkeypatch.setattr(Threads, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        faircast.run(SHORT, seeds=range(3), jobs=2)


def test_a_reproduction_is_read_as_its_reports(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "reproduction", "experiments": []}))
    found = read(tmp_path)
    assert isinstance(found, faircast.Reproduction)
    assert found.reports == []


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot make the folder .*file/x: Not a directory"):
        faircast.run(SHORT).write(tmp_path / "file" / "x")
    with pytest.raises(InputError, match=r"cannot make the folder .*file: File exists"):
        faircast.run(SHORT).write(tmp_path / "file")


def test_several_seeds_are_drawn_as_one(kept: Path) -> None:
    for found in (faircast.read(kept), faircast.run(SHORT, seeds=[1, 2])):
        picture = found.plot.rates()
        assert picture._repr_png_().startswith(b"\x89PNG")


def test_a_sweep_is_read_as_one(tmp_path: Path) -> None:
    faircast.sweep(SHORT, vary={"flows.web.wnd": ["5 packets", "9 packets"]}, out=tmp_path / "s", jobs=1)
    found = faircast.read(tmp_path / "s")
    assert isinstance(found, faircast.SweepResult)
    assert len(found.points) == 2


def test_a_table_that_is_exchanged_later_is_found(tmp_path: Path, alone: dict[int, RunResult]) -> None:
    for seed in (2, 3):
        alone[seed].write(tmp_path / str(seed))
        (tmp_path / str(seed) / "manifest.json").unlink()
    with pytest.warns(ResultWarning, match=r"2 has no manifest\.json, so damage in it is not found"):
        found = faircast.read(tmp_path / "2")
    (tmp_path / "3" / "flows.parquet").rename(tmp_path / "2" / "flows.parquet")
    assert found.links.num_rows > 0
    with pytest.raises(InputError, match=r"flows\.parquet does not belong to the same run as summary\.parquet"):
        found.flows  # noqa: B018
