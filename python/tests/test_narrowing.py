"""``--only``: experiments with axes narrowed to some values, everything else refused."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import SMALL, Cli

import faircast
from faircast import experiments
from faircast.errors import InputError
from faircast.experiment import Axis, Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.narrowing import label, narrow, parse
from faircast.scenario import resolve

LIMITS = (20, 40)
LOSSES = {"0%": 0.0, "1%": 0.01}


def point(limit: int, loss: float) -> Point:
    sets = [f"links.bottleneck.queue.limit='{limit} packets'", f"links.bottleneck.loss.p={loss}", "duration='5 s'"]
    return Point(key=(limit, loss), scenario=resolve(SMALL, sets=sets), reduce=columns, kept_as="columns")


def columns(raw: Any) -> int:
    return len(raw.tables()["summary"])


def narrowed(values: Mapping[str, Sequence[Any]]) -> Any:
    return lambda quick: [
        point(limit, loss)
        for limit in values.get("limit", LIMITS[:1] if quick else LIMITS)
        for loss in values.get("loss", LOSSES.values())
    ]


def other(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise InputError(f"limit has no value {text}")


def cells(data: Data) -> list[dict[str, Any]]:
    return [
        {"limit": key[0], "loss": key[1], "value": data.estimate(key, "web-0", "goodput").mean, "ci95": float("nan")}
        for key in data.points
    ]  # type: ignore[index]


def table(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "x-grid" / "cells.csv").read_text().splitlines()))


def numbers(data: Data) -> Numbers:
    rows = [[f"{key[0]}", f"{key[1]}", "1"] for key in data.points]  # type: ignore[index]
    return Numbers(columns=["limit", "loss", "value"], rows=rows, whole=["loss"], note="That is all.")


REPORTED = Criterion(name="points", published="", evaluate=lambda data: Measured(value=len(data.points)))
AXES = (
    Axis(name="limit", values={"20": 20, "40": 40}, other=other, others="or another number"),
    Axis(name="loss", values=LOSSES),
)
GRID = Experiment(
    id="x-grid",
    paper="checks",
    title="A grid",
    points=narrowed({}),
    criteria=[REPORTED],
    says=lambda data: f"It has {len(data.points)} points.",
    numbers=numbers,
    cells=cells,
    reps=2,
    axes=AXES,
    narrowed=narrowed,
)
PLAIN = Experiment(id="x-plain", paper="checks", title="One", points=narrowed({}), criteria=[REPORTED], says=str)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("some_experiments")
    module.EXPERIMENTS = (GRID, PLAIN)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_experiments", module)
    monkeypatch.setattr(experiments, "REGISTRY", dict.fromkeys(("x-grid", "x-plain"), "some_experiments"))


def keys(only: Mapping[str, Any], quick: bool = False) -> list[Any]:
    return [point.key for point in narrow(GRID, only).points(quick)]


def test_what_is_written_is_read() -> None:
    assert parse([]) == {}
    assert parse(["a=x,y", " b = 1 % ", "a='p,q'"]) == {"a": ["x", "y", "p,q"], "b": ["1 %"]}


@pytest.mark.parametrize("text", ["", "path", "=geo", "path=", "path=geo,,leo", "path='geo"])
def test_what_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--only"):
        parse([text])


def test_points_are_those_with_the_values() -> None:
    assert keys({"loss": ["1%"]}) == [(20, 0.01), (40, 0.01)]
    assert keys({"loss": " 1 % ", "limit": 40}) == [(40, 0.01)]
    assert keys({"loss": 0.01, "limit": ("40", 20, "40")}) == [(20, 0.01), (40, 0.01)], "in their own order, once"
    assert keys({"limit": ["60", "20"], "loss": "0%"}) == [(20, 0.0), (60, 0.0)], "others behind"
    assert keys({"loss": "0%"}, quick=True) == [(20, 0.0)], "an axis that is not named keeps what it has"


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ({"los": "1%"}, "x-grid has no axis los (did you mean loss?); there are: limit, loss"),
        ({"loss": "2%"}, "loss has no value 2%; there are: 0%, 1%"),
        ({"loss": True}, "loss has no value True"),
        ({"loss": ""}, "loss has no value of no letters"),
        ({"limit": "many"}, "limit has no value many"),
        ({"limit": 2.5}, "limit has no value 2.5; there are: 20, 40, or another number"),
        ({"limit": []}, "no values are listed for limit"),
        (["limit"], "a mapping from axes to values is needed"),
    ],
)
def test_what_is_none_of_the_axes_is_refused(only: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        narrow(GRID, only)
    assert said in str(error.value)


def test_experiments_without_axes_refuse(cli: Cli) -> None:
    for args in (("x-plain",), ("x-grid", "x-plain"), ("--all",)):
        done = cli("reproduce", *args, "--only", "loss=1%", "--out", "here")
        assert (done.code, done.out) == (2, "")
        assert "x-plain has no axes" in done.err
    assert not Path("here").exists()


def test_a_point_alone_gives_the_same_numbers(cli: Cli) -> None:
    whole = cli("reproduce", "x-grid", "--out", "whole")
    assert whole.code == 0
    assert "That is all." in whole.out
    alone = cli("reproduce", "x-grid", "--only", "loss=1%", "--only", "limit=40", "--json")
    found = json.loads(alone.out)
    folder = Path(found["folder"])
    assert folder.name.startswith("x-grid-40-1-")
    rows = {(row["limit"], row["loss"]): row for row in table(Path("whole"))}
    assert len(rows) == 4
    (row,) = table(folder)
    assert row == rows["40", "0.01"]
    (cell,) = found["experiments"][0]["cells"]
    assert repr(cell["value"]) == row["value"]
    assert (cell["ci95"], row["ci95"]) == (None, ""), "what is no number is none"
    again = faircast.read(folder)["x-grid"]
    assert again.cells == [cell]
    assert again.numbers is not None
    assert again.numbers.note == "That is all."
    assert again.numbers.whole == ["loss"]


def test_a_folder_keeps_to_what_it_was_narrowed_to(cli: Cli, runs: list[int]) -> None:
    cli("reproduce", "x-grid", "--only", "loss=1%", "--reps", 1, "--out", "part")
    runs.clear()
    assert cli("reproduce", "x-grid", "--only", "loss=1 %", "--reps", 1, "--out", "part").code == 0
    assert runs == []
    refused = cli("reproduce", "x-grid", "--out", "part")
    assert (refused.code, refused.out) == (2, "")
    assert "part holds a reproduction with --only loss=1%" in refused.err
    cli("reproduce", "x-grid", "--reps", 1, "--out", "whole")
    refused = cli("reproduce", "x-grid", "--only", "loss=1%", "--out", "whole")
    assert "whole holds a reproduction without --only" in refused.err
    assert json.loads(Path("part/manifest.json").read_text())["only"] == {"loss": ["1%"]}


def test_the_same_from_python(tmp_path: Path) -> None:
    done = faircast.reproduce("x-grid", only={"loss": ["1%"], "limit": 40}, reps=1, out=tmp_path / "one")
    assert done["x-grid"].says == "It has 1 points."
    with pytest.raises(InputError, match="x-plain has no axes"):
        faircast.reproduce("x-plain", only={"loss": ["1%"]}, out=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_all_leaves_the_comparison_out(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("other_experiments")
    module.EXPERIMENTS = [dataclasses.replace(PLAIN, id="x-apart", paper="side-by-side")]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_experiments", module)
    monkeypatch.setitem(experiments.REGISTRY, "x-apart", "other_experiments")
    assert [found.id for found in experiments.select(everything=True)] == ["x-grid", "x-plain"]
    assert [found.id for found in experiments.select(paper="side-by-side")] == ["x-apart"]


def test_names_of_folders() -> None:
    def name(only: Mapping[str, Any]) -> str:
        return label(narrow(GRID, only))

    assert name({"loss": ["0%", "1%"], "limit": [40]}) == "40-0-1"
    files = Experiment(
        id="x",
        paper="checks",
        title="",
        points=narrowed({}),
        criteria=[],
        says=str,
        axes=[Axis(name="a", values={}, other=str)],
        narrowed=lambda values: narrowed({}),
    )
    assert label(narrow(files, {"a": [Path("some/where/worst loss.toml"), "b.toml"]})) == "worstloss-b"


def test_experiments_share_what_is_kept_by_one_name(cli: Cli, runs: list[int]) -> None:
    """Of two with the same scenarios the second finds in the folder what the first has made of them."""
    cli("reproduce", "x-grid", "--reps", 1, "--out", "here")
    assert len(runs) == 4
    runs.clear()
    cli("reproduce", "x-plain", "--reps", 1, "--out", "here")
    assert runs == []
