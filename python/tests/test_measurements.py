"""What a reproduction writes down of its runs: the journal, values in it, the Parquet file."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from faircast import kept
from faircast.errors import InputError, NotFinishedError
from faircast.journal import Journal
from faircast.measurements import FILE, JOURNAL, Measurements
from faircast.summary import Layout, RunSummary

RECORDS = [{"a": 1}, {"b": [1.5, "é\n"]}, {"c": None}]


def journal(folder: Path) -> Journal:
    found = Journal(folder / "journal")
    found.append(*RECORDS[:2])
    found.append(RECORDS[2])
    return found


def test_a_journal_comes_back(tmp_path: Path) -> None:
    assert list(Journal(tmp_path / "absent").read()) == []
    assert list(journal(tmp_path).read()) == RECORDS


def test_a_torn_tail_costs_its_record_only(tmp_path: Path) -> None:
    """Cut at every byte of the last record, then go on."""
    whole = journal(tmp_path).path.read_bytes()
    begin = whole.rindex(b"\n")
    for end in range(begin, len(whole)):
        torn = Journal(tmp_path / "torn")
        torn.path.write_bytes(whole[:end])
        assert list(torn.read()) == RECORDS[:2]
        torn.append({"d": 4})
        assert list(torn.read()) == [*RECORDS[:2], {"d": 4}]


def test_a_changed_bit_costs_its_record_only(tmp_path: Path) -> None:
    found = journal(tmp_path)
    data = bytearray(found.path.read_bytes())
    data[data.index(b"1.5")] ^= 1
    found.path.write_bytes(data)
    assert list(found.read()) == [RECORDS[0], RECORDS[2]]


def test_a_full_disk_in_the_middle_of_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = journal(tmp_path)

    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        with pytest.raises(NotFinishedError, match=r"cannot write .*journal: No space left on device"):
            found.append({"d": 4})
    assert list(found.read())[:3] == RECORDS


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, 2.5, "x", True, [], ()],
        (1.0, (False, "é")),
        {"a": (0.5, 3), ("x", 1): [b"\x00\xff"]},
        {"tuple": [1]},
        math.inf,
    ],
)
def test_values_come_back_from_json(value: Any) -> None:
    back = kept.from_json(json.loads(json.dumps(kept.to_json(value))))
    assert back == value
    assert repr(back) == repr(value), "types, too"


def test_numbers_of_numpy_and_tables_come_back_from_json() -> None:
    array_, scalar, table = kept.from_json(
        json.loads(
            json.dumps(
                kept.to_json(
                    [np.array([[1.0, math.nan]], np.float32), np.float64(0.1), pa.table({"x": [1], "y": ["a"]})]
                )
            )
        )
    )
    assert (array_.dtype, array_.shape, scalar, type(scalar)) == (np.float32, (1, 2), 0.1, np.float64)
    assert math.isnan(array_[0, 1])
    assert table == pa.table({"x": [1], "y": ["a"]})
    assert math.isnan(kept.from_json(json.loads(json.dumps(kept.to_json(math.nan)))))


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([object()]), [lambda: None]])
def test_other_values_have_no_form_in_json(value: Any) -> None:
    with pytest.raises(TypeError, match="has no form in JSON"):
        kept.to_json(value)


ONE = Layout((("f", "rate", "bit/s"), ("f", "lost", "1")))
TWO = Layout((("g", "rate", "bit/s"), ("f", "rate", "bit/s"), ("f", "rtt", "s")))


def some(folder: Path) -> list[tuple[tuple[str, int], str, RunSummary]]:
    return [
        (("bb", 10), "later", RunSummary(TWO, array("d", [1.0, math.nan, math.inf]), {("f", "rate"): 9.0})),
        (("aa", 10), "first", RunSummary(ONE, array("d", [0.1, 2.0]))),
        (("aa", 9), "first", RunSummary(ONE, array("d", [0.2, -0.0]), {("f", "lost"): 0.0})),
        (("bb#1", 10), "later", RunSummary(TWO, array("d", [1.0, math.nan, math.inf]), {("f", "rate"): 9.0})),
    ]


def test_the_table_by_hand(tmp_path: Path) -> None:
    found = Measurements(tmp_path)
    for run in some(tmp_path):
        found.add(*run)
    rows = [tuple(row.values()) for row in found.to_arrow().to_pylist()]
    nan = math.nan
    assert repr(rows) == repr(
        [
            ("first", "aa", 9, "f", "rate", "bit/s", 0.2, nan),
            ("first", "aa", 9, "f", "lost", "1", -0.0, 0.0),
            ("first", "aa", 10, "f", "rate", "bit/s", 0.1, nan),
            ("first", "aa", 10, "f", "lost", "1", 2.0, nan),
            ("later", "bb", 10, "g", "rate", "bit/s", 1.0, nan),
            ("later", "bb", 10, "f", "rate", "bit/s", nan, 9.0),
            ("later", "bb", 10, "f", "rtt", "s", math.inf, nan),
        ]
    )


def test_measurements_come_back_from_both_files(tmp_path: Path) -> None:
    """Whatever is in which of them, the file that is written is the same."""
    runs = some(tmp_path)
    files = set()
    for split in range(len(runs) + 1):
        folder = tmp_path / str(split)
        folder.mkdir()
        first = Measurements(folder)
        for run in runs[:split]:
            first.add(*run)
        first.write()
        for run in runs[split:]:
            first.record(*run, {"note": run[0][1]})
        second = Measurements.read(folder)
        layouts = [record["layout"] for record in Journal(folder / JOURNAL).read() if "rows" in record]
        assert len(layouts) == len(set(layouts)), "each stands there once"
        assert second.kept == {r[0]: {"note": r[0][1]} for r in runs[split:]}
        for key, _, summary in runs[split:]:
            assert repr(list(second[key])) == repr(list(summary))
            assert repr(second[key].optimum) == repr(dict(summary.optimum))
        second.write()
        Measurements.close(folder)
        assert [path.name for path in folder.iterdir()] == [FILE]
        files.add((folder / FILE).read_bytes())
        again = Measurements.read(folder)
        again.write()
        files.add((folder / FILE).read_bytes())
    assert len(files) == 1


def test_a_layout_that_was_cut_off_costs_its_run_only(tmp_path: Path) -> None:
    runs = some(tmp_path)
    found = Measurements(tmp_path)
    for run in runs[:2]:
        found.record(*run, {})
    path = tmp_path / JOURNAL
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(line for line in lines if b'"g"' not in line))
    found = Measurements.read(tmp_path)
    assert runs[0][0] not in found
    assert runs[1][0] in found
    found.record(*runs[0], {})
    assert runs[0][0] in Measurements.read(tmp_path)
    size = path.stat().st_size
    Measurements.read(tmp_path).record(*runs[0], {})
    assert b"rows" not in path.read_bytes()[size:], "the layout is there already"


def test_another_table_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / FILE)
    with pytest.raises(InputError, match=r"measurements\.parquet is a Parquet file, but not one of measurements"):
        Measurements.read(tmp_path)


def test_what_comes_while_the_disk_is_busy_is_brought_there_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine threads wait for the first, whose write takes until all have come: one more brings their records there."""
    journal, real, brought = Journal(tmp_path / "journal"), os.fsync, []
    all_there = threading.Event()

    def fsync(handle: int) -> None:
        brought.append(handle)
        if len(brought) == 1:
            assert all_there.wait(30)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    threads = [threading.Thread(target=journal.append, args=({"number": number},)) for number in range(10)]
    threads[0].start()
    while not brought:
        time.sleep(0.001)
    for thread in threads[1:]:
        thread.start()
    while len(journal._waiting) < 9:
        time.sleep(0.001)
    all_there.set()
    for thread in threads:
        thread.join(30)
    assert len(brought) == 3, "the first, the folder in which it is new, and all others"
    assert sorted(record["number"] for record in journal.read()) == list(range(10))


def test_what_another_thread_failed_to_write_is_written_by_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, real = Journal(tmp_path / "journal"), os.fsync
    begun, all_there, calls = threading.Event(), threading.Event(), [0]
    length: list[int] = []
    failed: list[int] = []

    def fsync(handle: int) -> None:
        calls[0] += 1
        if calls[0] == 1:
            length.append(os.fstat(handle).st_size)
            begun.set()
            assert all_there.wait(30)
        if calls[0] == 3:  # and nothing of it has come to the disk
            os.ftruncate(handle, length[0])
            raise OSError(28, "No space left on device")
        real(handle)

    def append(number: int) -> None:
        try:
            journal.append({"number": number})
        except NotFinishedError:
            failed.append(number)

    monkeypatch.setattr(os, "fsync", fsync)
    threads = [threading.Thread(target=append, args=(number,)) for number in range(5)]
    threads[0].start()
    assert begun.wait(30)
    for thread in threads[1:]:
        thread.start()
    while len(journal._waiting) < 4:
        time.sleep(0.001)
    all_there.set()
    for thread in threads:
        thread.join(30)
    assert len(failed) == 1
    assert {record["number"] for record in journal.read()} == set(range(5)) - set(failed)
    assert calls[0] == 6, "the first, its folder, the one that failed, and the three others each for itself"
