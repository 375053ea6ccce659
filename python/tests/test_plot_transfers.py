"""The picture of web traffic: the part of transfers that took longer; tables by hand."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pyarrow as pa
import pytest

import faircast
from faircast import InputError
from faircast.plot.draw import fitting, picture
from faircast.plot.recording import Recording

ROWS = [
    (1.0, "a", 1, 7.0),  # in the warm-up
    (4.1, "a", 1, 0.2),
    (5.0, "a", 2, 3.0),
    (6.0, "a", 1, 0.1),
    (7.0, "b", 3, 0.5),
    (8.0, "b", 3, math.nan),  # unfinished
]


def made(rows: list[tuple[float, str, int, float]], seeds: tuple[int, ...] = (1,)) -> Recording:
    """A recording of these transfers and of nothing else."""
    size = {"kind": "constant", "bytes": "10 KB"}
    pages = {"kind": "web", "interval": "1 s", "size": size, "classes": ["20 KB", "50 KB"]}
    scenario = faircast.resolve(
        {
            "format": 1,
            "name": "made",
            "duration": "20 s",
            "warmup": "4 s",
            "topology": {"kind": "dumbbell", "left": 1, "right": 1},
            "flows": {"b": pages, "a": pages},
        }
    )
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 4
    types = [pa.float64(), pa.string(), pa.int64(), pa.float64()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    transfers = pa.table(dict(zip(("t_s", "flow", "class", "completion_s"), arrays, strict=True)))
    empty = pa.table({"t_s": pa.array([], pa.float64())})
    return Recording(scenario, seeds, lambda _, name: transfers if name == "transfers" else empty)


def steps(recording: Recording, **how: Any) -> dict[str, list[list[float]]]:
    """What is drawn, line by line: completion time in seconds, and the part of transfers above it."""
    (axes,) = picture(recording, "transfers", **how).figure.axes
    lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    return {str(line.get_label()): line.get_xydata().tolist() for line in lines}


def near(points: list[list[float]]) -> list[Any]:
    return [pytest.approx(point) for point in points]


def test_a_line_steps_down_at_each_transfer_that_came_after_the_warmup() -> None:
    found = steps(made(ROWS))
    assert list(found) == ["a (3)", "b (2, 1 unfinished)"]
    assert found["a (3)"] == near([[0.1, 1], [0.1, 2 / 3], [0.2, 1 / 3], [3.0, 0]])  # to the bottom
    assert found["b (2, 1 unfinished)"] == near([[0.5, 1], [0.5, 0.5]])


def test_an_arrow_where_unfinished_ones_are_left() -> None:
    shown = picture(made(ROWS), "transfers").figure
    (axes,) = shown.axes
    assert [line.get_xydata().tolist() for line in axes.get_lines() if line.get_marker() == ">"] == [[[0.5, 0.5]]]
    assert "the rest was not finished" in shown.get_supxlabel()
    without = picture(made(ROWS[:4]), "transfers").figure
    assert [line for line in without.axes[0].get_lines() if line.get_marker() == ">"] == []
    assert "finished" not in without.get_supxlabel()


def test_the_longest_transfer_is_in_the_picture_and_its_line_ends_at_the_frame() -> None:
    (axes,) = picture(made(ROWS[:4]), "transfers").figure.axes
    low, high = axes.get_xlim()
    assert low < 0.1  # seconds
    assert high > 3.0
    assert 0 < axes.get_ylim()[0] <= 1 / 3  # the zero at the end of the line moves nothing


def test_what_was_not_finished_at_all_is_told_beside_the_picture() -> None:
    rows = [(5.0, "a", 1, 0.2), (6.0, "a", 2, math.nan), (7.0, "a", 2, math.nan)]
    found = steps(made(rows), flows=["a"])
    assert found == {
        "a (3, 2 unfinished)": near([[0.2, 1], [0.2, 2 / 3]]),
        "class 1 (1)": near([[0.2, 1], [0.2, 0]]),
        "class 2 (2, 2 unfinished)": [],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of limits that are none
        shown = picture(made([(5.0, "b", 1, 0.2), *rows[1:]]), "transfers").figure
    assert "of what has no line nothing was finished" in shown.get_supxlabel()
    assert "▸" not in shown.get_supxlabel()


def test_where_nothing_was_finished_there_is_a_sentence_and_no_empty_frame() -> None:
    rows = [(6.0, "a", 2, math.nan), (7.0, "a", 2, math.nan)]
    with pytest.raises(InputError, match=r"of 2 that came none was finished$"):
        picture(made(rows), "transfers")
    with pytest.raises(InputError, match=r"of 3 that came none was finished$"):
        picture(made([*rows, (8.0, "b", 1, math.nan)]), "transfers")


def test_what_comes_at_the_end_of_the_warmup_is_part_of_it_as_in_the_summary() -> None:
    rows = [(4.0, "a", 1, 0.2), (4.5, "a", 1, 0.4)]
    assert list(steps(made(rows))) == ["a (1)"]
    assert list(steps(made(rows), start="4.5 s")) == ["a (1)"]  # what comes at a chosen beginning counts


def test_one_entry_has_its_classes() -> None:
    found = steps(made(ROWS), flows=["a"])
    assert list(found) == ["a (3)", "class 1 (2)", "class 2 (1)"]
    assert found["class 1 (2)"] == near([[0.1, 1], [0.1, 0.5], [0.2, 0]])
    assert found["class 2 (1)"] == near([[3.0, 1], [3.0, 0]])
    assert list(steps(made(ROWS), flows=["b"])) == ["b (2, 1 unfinished)"]  # all of one class


def test_seeds_are_pooled_and_moments_cut() -> None:
    found = steps(made(ROWS, seeds=(1, 2)), flows=["a"], start="4.5 s", stop="6 s")  # from 6 s on none
    assert found == {"a (2)": near([[3.0, 1], [3.0, 0.5], [3.0, 0]])}


def test_nothing_to_draw_is_said() -> None:
    assert fitting(made(ROWS)) == "transfers"
    with pytest.raises(InputError, match="after the warm-up none came"):
        steps(made(ROWS[:1]))
    with pytest.raises(InputError, match="is web traffic, or none came"):
        steps(made([]))
    with pytest.raises(InputError, match="there is no entry of web traffic c; there are: a, b"):
        steps(made(ROWS), flows=["c"])
