"""Results in memory and on disk."""

from __future__ import annotations

import array
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import faircast
from faircast import _native
from faircast.arrow import to_arrow
from faircast.errors import InputError
from faircast.parquet import read_table
from faircast.results import RunResult
from faircast.scenario import resolve
from faircast.summary import from_columns, over_seeds


def test_columns_become_arrow_without_a_copy() -> None:
    data = struct.pack("<3d", 1.0, 2.5, -1.0)
    codes = struct.pack("<3i", 0, 1, 0)
    numbers = struct.pack("<3q", 1, 2, 2**60)
    table = to_arrow([("t_s", "f64", data, None), ("flow", "str", codes, ["a", "b"]), ("n", "i64", numbers, None)])
    assert table.to_pydict() == {"t_s": [1.0, 2.5, -1.0], "flow": ["a", "b", "a"], "n": [1, 2, 2**60]}
    assert table["t_s"].chunk(0).buffers()[1].address == pa.py_buffer(data).address


def test_tables_are_taken_once() -> None:
    text = "format = 1\nname = 'x'\nduration = '1 s'\n[topology]\nkind = 'dumbbell'\n[flows.x]\nkind = 'tcp'\n"
    raw = _native.run(resolve(text).json, 1)
    assert raw.tables() == raw.tables()
    tables = raw.tables()
    assert raw.take_tables() == tables
    assert not raw.interrupted
    for take in (raw.tables, raw.take_tables):
        with pytest.raises(RuntimeError, match="have been taken"):
            take()


def test_an_empty_table_keeps_its_columns() -> None:
    table = to_arrow([("t_s", "f64", b"", None), ("flow", "str", b"", [])])
    assert (table.num_rows, table.column_names) == (0, ["t_s", "flow"])


def summary(rows: list[tuple[str, str, float]]) -> object:
    def texts(values: list[str]) -> tuple[bytes, list[str]]:
        distinct = sorted(set(values))
        return array.array("i", map(distinct.index, values)).tobytes(), distinct

    columns = []
    for place, name in enumerate(("subject", "metric", "unit")):
        values = [(row[0], row[1], "u")[place] for row in rows]
        data, dictionary = texts(values)
        columns.append((name, "str", data, dictionary))
    return from_columns([*columns, ("value", "f64", array.array("d", [r[2] for r in rows]).tobytes(), None)])


def test_summary_over_seeds_by_hand() -> None:
    rows = over_seeds(
        {
            2: summary([("q", "drops", 3.0), ("f", "rate", 20.0)]),  # type: ignore[dict-item]
            1: summary([("q", "drops", 1.0), ("f", "rate", 10.0), ("f", "rtt", 5.0)]),  # type: ignore[dict-item]
        }
    )
    assert [(row.subject, row.metric, row.over_seeds.mean, row.over_seeds.n) for row in rows] == [
        ("q", "drops", 2.0, 2),
        ("f", "rate", 15.0, 2),
        ("f", "rtt", 5.0, 1),
    ]
    # two values a and b: half width = t(0.975, 1) * |a - b| / 2 = 12.7062 * |a - b| / 2
    assert rows[0].over_seeds.ci95 == pytest.approx(12.7062, abs=1e-4)


def test_an_unknown_metric_names_those_that_are_there() -> None:
    one = summary([("f", "rate", 1.0)])
    with pytest.raises(KeyError, match="did you mean rate"):
        one["f", "rates"]  # type: ignore[index]
    with pytest.raises(KeyError, match="has no subject g"):
        one["g", "rate"]  # type: ignore[index]


def test_a_result_comes_back_from_disk(small: Path, tmp_path: Path) -> None:
    result = faircast.run(small, seed=7)
    folder = tmp_path / "one"
    folder.mkdir()
    result.write(folder)
    back = RunResult.read(folder)
    assert (back.scenario, back.seed, back.version) == (result.scenario, 7, faircast.__version__)
    for name in result.names:
        assert repr(back.table(name).to_pydict()) == repr(result.table(name).to_pydict())
    assert back.metrics().values == result.metrics().values
    assert result.queues.num_rows > 0
    assert result.flows.num_rows > 0


def test_the_metadata_holds_what_is_needed_to_repeat_and_nothing_else(small: Path, tmp_path: Path) -> None:
    result = faircast.run(small, seed=7)
    result.write(tmp_path)
    for path in tmp_path.glob("*.parquet"):
        keys = set(pq.read_schema(path).metadata)
        assert keys == {b"faircast.scenario", b"faircast.hash", b"faircast.seed", b"faircast.version"}
        again = faircast.run(pq.read_schema(path).metadata[b"faircast.scenario"].decode(), seed=7)
        assert repr(again.table(path.stem).to_pydict()) == repr(result.table(path.stem).to_pydict())


def test_damaged_files_are_named(small: Path, tmp_path: Path) -> None:
    faircast.run(small).write(tmp_path)
    path = tmp_path / "flows.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"flows\.parquet has \d+ bytes, not \d+; run the seed again"):
        RunResult.read(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(InputError, match=r"flows\.parquet is not a whole Parquet file, perhaps truncated"):
        RunResult.read(tmp_path)
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(InputError, match=r"flows\.parquet is a Parquet file, but not one of a faircast run"):
        RunResult.read(tmp_path)
    with pytest.raises(InputError, match="cannot read"):
        read_table(tmp_path / "absent.parquet")
    with pytest.raises(InputError, match="holds no Parquet tables"):
        RunResult.read(tmp_path / "absent")


def test_files_of_two_runs_do_not_mix(small: Path, tmp_path: Path) -> None:
    faircast.run(small, seed=1).write(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    faircast.run(small, seed=2).write(other)
    (tmp_path / "manifest.json").unlink()
    (other / "flows.parquet").rename(tmp_path / "flows.parquet")
    with pytest.raises(InputError, match="does not belong to the same run"):
        RunResult.read(tmp_path)


def test_warnings_are_a_table_in_memory_and_on_disk(small: Path, tmp_path: Path) -> None:
    assert faircast.run(small, sets=["flows.web.wnd='60 packets'"]).warnings.num_rows == 0
    result = faircast.run(small, sets=["flows.web.wnd='1 packet'"])
    rows = result.warnings.to_pylist()
    assert [(row["kind"], row["subject"]) for row in rows] == [
        ("window-limited", "web-0"),
        ("window-limited", "web-1"),
        ("no-bottleneck", "bottleneck"),
    ]
    assert all(0.2 <= row["value"] <= 1.0 for row in rows[:2])
    assert "wnd = 1 packets" in rows[0]["message"]
    result.write(tmp_path)
    assert RunResult.read(tmp_path).warnings.to_pylist() == rows


def test_warnings_that_need_no_run_have_a_path(small: Path) -> None:
    assert _native.warnings(resolve(small).json) == []
    session = {"scheme": "tfmcc", "source": "left-0", "receivers": {"nodes": ["left-0"]}}
    near = resolve(resolve(small).data | {"sessions": {"film": session}})
    ((kind, path, message),) = _native.warnings(near.json)
    assert (kind, path) == ("receiver-at-source", "sessions.film.receivers")
    assert message.startswith("receiver film-0 is on node left-0")
